//! The latencies of a load point as a small plot of block characters.
//!
//! Terminals that cannot show them are not looked for: what a run says is a function of the run, wherever it is
//! printed.

use std::fmt::Write as _;

/// Columns and rows of the plot. A row has eight levels.
const COLUMNS: usize = 64;
const ROWS: usize = 3;
const BLOCKS: [char; 9] =
    [' ', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
/// Before every line.
const INDENT: &str = "  ";

/// A histogram: how many messages took so many nanoseconds, above 0.
pub(super) struct Histogram {
    cells: Vec<(f64, u64)>,
    least: f64,
    most: f64,
}

impl Histogram {
    /// The histogram of these cells, nanoseconds and messages; `None` if nothing is above 0.
    pub(super) fn of(cells: &[(f64, u64)]) -> Option<Histogram> {
        let cells: Vec<(f64, u64)> =
            cells.iter().copied().filter(|(ns, messages)| *ns > 0.0 && *messages > 0).collect();
        let values = || cells.iter().map(|(ns, _)| *ns);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        (!cells.is_empty()).then_some(Histogram { cells, least, most })
    }

    pub(super) fn messages(&self) -> u64 {
        self.cells.iter().map(|(_, messages)| messages).sum()
    }

    /// The unit that suits its values best, and its nanoseconds.
    pub(super) fn unit(&self) -> (&'static str, f64) {
        match self.most {
            most if most >= 1e7 => ("ms", 1e6),
            most if most >= 1e4 => ("µs", 1e3),
            _ => ("ns", 1.0),
        }
    }

    /// The plot, its columns on a logarithmic scale from the least value to the greatest; a line below says where
    /// round values are. Every column with a message has a mark, however few they are.
    pub(super) fn plot(&self) -> String {
        let mut columns = [0_u64; COLUMNS];
        for (ns, messages) in &self.cells {
            columns[self.column(*ns)] += messages;
        }
        let highest = columns.iter().copied().max().unwrap_or(0).max(1);
        let levels = (ROWS * 8) as u64;
        let level = |messages: u64| {
            let rounded =
                (u128::from(messages) * u128::from(levels) + u128::from(highest) / 2) / u128::from(highest);
            usize::try_from(rounded).expect("no more than the levels").max(usize::from(messages > 0))
        };
        let mut text = String::new();
        for row in (0..ROWS).rev() {
            let line: String = columns
                .iter()
                .map(|messages| BLOCKS[level(*messages).saturating_sub(8 * row).min(8)])
                .collect();
            let _ = writeln!(text, "{INDENT}{}", line.trim_end());
        }
        text + &self.axis()
    }

    fn column(&self, ns: f64) -> usize {
        let (least, most) = (self.least, self.most);
        if most <= least {
            return 0;
        }
        let share = libm::log(ns / least) / libm::log(most / least);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the columns")]
        let column = (share * COLUMNS as f64) as usize;
        column.min(COLUMNS - 1)
    }

    /// A line with a tick at each round value, and the values below it.
    fn axis(&self) -> String {
        let unit = self.unit().1;
        let (mut line, mut labels) = (vec!['\u{2500}'; COLUMNS], String::new());
        let mut written = 0;
        for value in self.ticks(unit) {
            let column = self.column(value * unit);
            let label = value.to_string();
            let start = column.saturating_sub(label.len() / 2);
            // Not on top of the one before, nor without a space between.
            if written > 0 && start <= written {
                continue;
            }
            line[column] = '\u{2534}';
            labels += &" ".repeat(start - written);
            labels += &label;
            written = start + label.len();
        }
        format!("{INDENT}{}\n{INDENT}{labels}\n", line.into_iter().collect::<String>())
    }

    /// 1, 2 or 5 times a power of ten, within the range; its ends, rounded, if there are not two of them.
    fn ticks(&self, unit: f64) -> Vec<f64> {
        let (least, most) = (self.least / unit, self.most / unit);
        let power = |exponent: i32| match exponent {
            0.. => (0..exponent).fold(1.0, |value, _| value * 10.0),
            _ => 1.0 / (exponent..0).fold(1.0, |value, _| value * 10.0),
        };
        let round = (-6..16).flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| digit * power(exponent)));
        let ticks: Vec<f64> = round.filter(|value| (least..=most).contains(value)).collect();
        if ticks.len() >= 2 {
            return ticks;
        }
        let rounded = |value: f64| libm::round(value * 100.0) / 100.0;
        if most > least { vec![rounded(least), rounded(most)] } else { vec![rounded(least)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: &[(f64, u64)]) -> Histogram {
        Histogram::of(cells).unwrap()
    }

    /// Wrong if a column were not as high as its share of the highest, or a tick not where its value is.
    #[test]
    fn columns_are_as_high_as_they_have_messages() {
        let plot = of(&[(1_000.0, 1), (10_000.0, 240), (100_000.0, 120)]).plot();
        let lines: Vec<Vec<char>> = plot.lines().map(|line| line.chars().collect()).collect();
        let at = |row: usize, column: usize| lines[row].get(2 + column).copied().unwrap_or(' ');
        let column = |column| [at(0, column), at(1, column), at(2, column)];
        assert_eq!(column(0), [' ', ' ', BLOCKS[1]]);
        assert_eq!(column(32), [BLOCKS[8]; 3]);
        assert_eq!(column(63), [' ', BLOCKS[4], BLOCKS[8]]);
        assert_eq!(column(5), [' '; 3]);
        assert_eq!(
            (at(3, 0), at(3, 32), at(3, 63), at(3, 1)),
            ('\u{2534}', '\u{2534}', '\u{2534}', '\u{2500}')
        );
        assert_eq!(
            plot.lines().last().unwrap(),
            "  1        2            5        10       20           50       100"
        );
    }

    /// Wrong if values that are all one, or lie close together, had no axis, or a plot had none at all.
    #[test]
    fn narrow_ranges_are_drawn_too() {
        assert!(of(&[(2_600.0, 7)]).plot().ends_with("\n  2600\n"));
        let close = of(&[(26_000.0, 7), (27_000.0, 3)]).plot();
        assert!(close.ends_with("27\n") && close.contains("\n  26 "), "{close}");
        let wide = of(&[(900.0, 7), (2_000_000.0, 3)]).plot();
        assert!(wide.contains(" 1 ") && wide.contains(" 1000"), "{wide}");
        assert!(Histogram::of(&[]).is_none());
        assert!(Histogram::of(&[(0.0, 3), (5.0, 0)]).is_none());
        assert_eq!(Histogram::of(&[(0.0, 3), (5.0, 2), (7.0, 1)]).unwrap().messages(), 3);
    }
}
