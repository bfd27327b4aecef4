//! Slurm's lists of names: `tux[0-3,12,18-20],rack[00-01]n[1-2]`.
//!
//! Names are parted by commas outside brackets; every bracket stands for numbers, and several brackets for
//! all combinations, the last varying fastest. Zeros before the first number of a range are kept.

use std::ops::Range;

/// A part of a list between commas: names that differ in the numbers of its brackets.
#[derive(Clone, Debug)]
pub(super) struct Item<'t> {
    /// Where it stands in the list, in bytes.
    pub(super) span: Range<usize>,
    pieces: Vec<Piece<'t>>,
}

#[derive(Clone, Debug)]
enum Piece<'t> {
    Text(&'t str),
    Numbers(Vec<Numbers>),
}

/// The numbers from `low` to `high`, each with at least `width` digits.
#[derive(Clone, Debug)]
struct Numbers {
    low: u64,
    high: u64,
    width: usize,
}

/// What is wrong with a list: where in it, and what.
pub(super) struct ListFault {
    pub(super) span: Range<usize>,
    pub(super) message: &'static str,
}

/// The items of a list.
///
/// # Errors
/// Every item that is not one.
pub(super) fn items(list: &str) -> Result<Vec<Item<'_>>, Vec<ListFault>> {
    let (mut found, mut slips) = (Vec::new(), Vec::new());
    let (mut start, mut depth) = (0, 0_u32);
    let ends = list.bytes().chain([b',']).enumerate().filter(|(at, byte)| {
        match byte {
            b'[' => depth = 1,
            b']' => depth = 0,
            _ => {}
        }
        // A bracket that is never closed ends with the list.
        *byte == b',' && (depth == 0 || *at == list.len())
    });
    for end in ends.map(|(at, _)| at) {
        // Like Slurm, this takes a comma too many for nothing.
        if end > start {
            match item(&list[start..end], start) {
                Ok(item) => found.push(item),
                Err(fault) => slips.push(fault),
            }
        }
        start = end + 1;
    }
    if slips.is_empty() { Ok(found) } else { Err(slips) }
}

fn item(text: &str, start: usize) -> Result<Item<'_>, ListFault> {
    let fault =
        |range: Range<usize>, message| ListFault { span: start + range.start..start + range.end, message };
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some(open) = rest.find(['[', ']']) else {
            pieces.push(Piece::Text(plain(rest).map_err(|range| bad(range, start + at))?));
            break;
        };
        if rest[open..].starts_with(']') {
            return Err(fault(at + open..at + open + 1, "nothing opens this bracket"));
        }
        pieces.push(Piece::Text(plain(&rest[..open]).map_err(|range| bad(range, start + at))?));
        let inside = &rest[open + 1..];
        let Some(close) = inside.find(']') else {
            return Err(fault(at + open..at + open + 1, "nothing closes this bracket"));
        };
        let from = at + open + 1;
        let numbers = numbers(&inside[..close]).map_err(|range| {
            let range = from + range.start..(from + range.end).max(from + range.start + 1);
            fault(range, "this is not a number, nor two of them with a dash between")
        })?;
        pieces.push(Piece::Numbers(numbers));
        at = from + close + 1;
    }
    Ok(Item { span: start..start + text.len(), pieces })
}

fn bad(range: Range<usize>, start: usize) -> ListFault {
    ListFault { span: start + range.start..start + range.end, message: "no name has this character" }
}

/// A text fit for a name; else where it is not.
fn plain(text: &str) -> Result<&str, Range<usize>> {
    let wrong = |c: char| c.is_whitespace() || c.is_control() || "=\"'()|{}<>".contains(c);
    match text.char_indices().find(|(_, c)| wrong(*c)) {
        None => Ok(text),
        Some((at, c)) => Err(at..at + c.len_utf8()),
    }
}

/// What is between two brackets; else where it is not numbers.
fn numbers(text: &str) -> Result<Vec<Numbers>, Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for part in text.split(',') {
        let place = start..start + part.len();
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let number = |digits: &str| {
            let fits = (1..=18).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
            fits.then(|| digits.parse::<u64>().ok()).flatten()
        };
        match (number(low), number(high)) {
            (Some(from), Some(to)) if from <= to => {
                found.push(Numbers { low: from, high: to, width: low.len() });
            }
            _ => return Err(place),
        }
        start += part.len() + 1;
    }
    Ok(found)
}

impl Item<'_> {
    /// How many names it stands for; saturates.
    pub(super) fn count(&self) -> u64 {
        let numbers = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Numbers(ranges) => Some(ranges),
        });
        let each = numbers
            .map(|ranges| ranges.iter().map(|range| range.high - range.low + 1).fold(0, u64::saturating_add));
        each.fold(1, u64::saturating_mul)
    }

    /// The length of its longest name, in bytes.
    pub(super) fn longest(&self) -> usize {
        let digits = |range: &Numbers| range.width.max(range.high.to_string().len());
        let each = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Numbers(ranges) => ranges.iter().map(digits).max().unwrap_or(0),
        });
        each.sum()
    }

    /// Its names, in order. Costs O([`Item::count`]): look at that first.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = vec![String::new()];
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => names.iter_mut().for_each(|name| name.push_str(text)),
                Piece::Numbers(ranges) => {
                    let numbers = || {
                        let each = |r: &Numbers| (r.low..=r.high).zip(std::iter::repeat(r.width));
                        ranges.iter().flat_map(each)
                    };
                    let longer = |name: &String| {
                        let name = name.clone();
                        numbers().map(move |(number, width)| format!("{name}{number:0width$}"))
                    };
                    names = names.iter().flat_map(longer).collect();
                }
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(list: &str) -> Result<String, String> {
        let found = items(list).map_err(|slips| {
            let each: Vec<String> =
                slips.iter().map(|s| format!("{}..{}", s.span.start, s.span.end)).collect();
            each.join(" ")
        })?;
        let names: Vec<String> = found.iter().flat_map(Item::names).collect();
        assert_eq!(found.iter().map(Item::count).sum::<u64>(), names.len() as u64, "{list}");
        for item in &found {
            assert_eq!(item.names().iter().map(String::len).max(), Some(item.longest()), "{list}");
        }
        Ok(names.join(" "))
    }

    /// Wrong if a name were lost, came in another order or with other zeros than Slurm's.
    #[test]
    fn lists_stand_for_the_names_that_slurm_makes_of_them() {
        for (list, names) in [
            ("tux", "tux"),
            ("a,b", "a b"),
            ("tux[0-3,12,18-20]", "tux0 tux1 tux2 tux3 tux12 tux18 tux19 tux20"),
            ("n[001-004]", "n001 n002 n003 n004"),
            ("n[08-11]", "n08 n09 n10 n11"),
            ("n[9-11]", "n9 n10 n11"),
            ("n[099-101,5]", "n099 n100 n101 n5"),
            ("r[0-1]n[1-2]-ib", "r0n1-ib r0n2-ib r1n1-ib r1n2-ib"),
            ("[1-2]x,y[3]", "1x 2x y3"),
            ("a,,b,", "a b"),
            ("", ""),
        ] {
            assert_eq!(expanded(list).as_deref(), Ok(names), "{list}");
        }
    }

    /// Wrong if a slip passed, or were reported elsewhere.
    #[test]
    fn slips_are_found_in_their_places() {
        for (list, places) in [
            ("n[0-3", "1..2"),
            ("n0-3]", "4..5"),
            ("n[]", "2..3"),
            ("n[1-]", "2..4"),
            ("n[-1]", "2..4"),
            ("n[3-1]", "2..5"),
            ("n[1,x]", "4..5"),
            ("n[1-2-3]", "2..7"),
            ("n[0-9999999999999999999]", "2..23"),
            ("n[[0-1]]", "2..6"),
            ("a b,c=d", "1..2 5..6"),
        ] {
            assert_eq!(expanded(list), Err(places.to_owned()), "{list}");
        }
    }

    /// Wrong if a few bytes could stand for so many names that counting them overflowed.
    #[test]
    fn counts_do_not_overflow() {
        let list = "n[0-999999999999999999]".repeat(30);
        let found = items(&list).ok().unwrap();
        assert_eq!(found[0].count(), u64::MAX);
    }
}
