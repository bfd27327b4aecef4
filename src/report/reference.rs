//! The numbers that the papers print, to stand beside ours.

/// Facts read off the papers: paper, figure, quantity, configuration, value, unit, kind, note.
const REFERENCE: &str = include_str!("reference.csv");

/// The value that figure `figure` of paper `paper` gives for a quantity of a configuration.
///
/// Papers are numbered as in the table: `000` is mainwaring1997. Costs a walk through the table.
pub fn reference(paper: &str, figure: &str, quantity: &str, configuration: &str) -> Option<f64> {
    let wanted = [paper, figure, quantity, configuration];
    let row = REFERENCE
        .lines()
        .map(cells)
        .find(|cells| cells.iter().zip(wanted).all(|(cell, want)| cell == want))?;
    row.get(4)?.parse().ok()
}

/// The cells of a line of CSV without line breaks in cells.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("never empty").push(c),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_by_its_four_names() {
        assert_eq!(reference("000", "Fig6", "host probe hits", "C+A+B"), Some(324.0));
        assert_eq!(reference("000", "Fig7", "mapping time avg, one master", "C"), Some(256.0));
        assert_eq!(reference("000", "Fig6", "host probe hits", "D"), None);
        for line in REFERENCE.lines().skip(1) {
            let row = cells(line);
            assert_eq!(row.len(), 8, "{line}");
            assert!(row[4].parse::<f64>().is_ok() || row[5] == "ordering", "{line}");
        }
    }
}
