//! Counts of what of ours is predicted, copied, fitted, given or computed from printed input; what was fitted on what.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use simnet_base::papers::{Class, Fit, fits};

use super::text::cell;
use super::{PAPERS, Paper};

/// A number of a class with its verdict.
pub(super) struct Verdict {
    /// The class of the number.
    pub(super) class: Class,
    /// Figure, quantity and configuration of the number that stands for its quantity.
    pub(super) quantity: [String; 3],
    /// Whether it holds.
    pub(super) holds: bool,
}

/// How many hold, of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    holding: usize,
    all: usize,
}

/// Quantities, and numbers one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    quantities: Share,
    numbers: Share,
}

impl Share {
    fn count(&mut self, holds: bool) {
        self.all += 1;
        self.holding += usize::from(holds);
    }

    fn plus(self, other: Share) -> Share {
        Share { holding: self.holding + other.holding, all: self.all + other.all }
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.holding, self.all)
    }
}

impl Tally {
    /// Of the numbers of a class: a quantity holds if all of its numbers do.
    fn of(verdicts: &[Verdict], class: Class) -> Tally {
        let mut tally = Tally::default();
        let mut quantities: BTreeMap<&[String; 3], bool> = BTreeMap::new();
        for verdict in verdicts.iter().filter(|verdict| verdict.class == class) {
            tally.numbers.count(verdict.holds);
            *quantities.entry(&verdict.quantity).or_insert(true) &= verdict.holds;
        }
        quantities.into_values().for_each(|holds| tally.quantities.count(holds));
        tally
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            quantities: self.quantities.plus(other.quantities),
            numbers: self.numbers.plus(other.numbers),
        }
    }
}

/// Counts of the classes, in the order of [`Class::ALL`].
type Tallies = [Tally; Class::ALL.len()];

/// The sums of several papers.
fn sum<'a>(papers: impl Iterator<Item = &'a Tallies>) -> Tallies {
    papers.fold(Tallies::default(), |all, row| std::array::from_fn(|nth| all[nth].plus(row[nth])))
}

/// Sentences and a table: how many quantities of each class hold, paper by paper, those with a full text by themselves
/// first; `apart` numbers cannot be compared.
pub(super) fn lead(papers: &[(&Paper, Vec<Verdict>)], apart: usize) -> String {
    let of = |verdicts: &[Verdict]| Class::ALL.map(|class| Tally::of(verdicts, class));
    let tallies: Vec<(&Paper, Tallies)> =
        papers.iter().map(|(paper, verdicts)| (*paper, of(verdicts))).collect();
    let (whole, abstracts): (Vec<_>, Vec<_>) = tallies.into_iter().partition(|(paper, _)| paper.is_whole());
    let sums = |rows: &[(&Paper, Tallies)]| sum(rows.iter().map(|(_, row)| row));
    let of_whole = sums(&whole);
    let all = sum([of_whole, sums(&abstracts)].iter());
    let [predicted, copied, fitted, given, computed] = of_whole.map(|tally| tally.quantities);
    let beside = sums(&abstracts)[0].quantities;
    let numbers = all.iter().fold(Share::default(), |sum, tally| sum.plus(tally.numbers));
    let mut text = format!(
        "Of the papers with a full text **{predicted} predicted quantities hold**, {copied} copied ones, {fitted} \
         fitted ones, {given} given ones and {computed} computed from printed input. Of the abstracts {beside} \
         predicted \
         ones do. These are {numbers} numbers one by one; {apart} more cannot be compared.\n\n{EXPLAINED}\n\
         | paper | predicted | copied | fitted | given | from input |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let cited = |(paper, row): (&Paper, Tallies)| (paper.cited, row);
    let rows = whole.into_iter().map(cited).chain([("papers with a full text", of_whole)]);
    let rows = rows.chain(abstracts.into_iter().map(cited));
    for (cited, row) in rows.chain([("all", all)]) {
        let cells = row.map(|Tally { quantities, numbers }| match numbers.all {
            0 => String::new(),
            _ if quantities == numbers => quantities.to_string(),
            _ => format!("{quantities} ({numbers})"),
        });
        let _ = writeln!(text, "| {cited} | {} |", cells.join(" | "));
    }
    text
}

/// What the classes are, and how is counted.
const EXPLAINED: &str = "*Predicted*: no parameter and no reading was chosen by the printed number, and no copy of a \
fitted \
    number would hold in its place; where\nthe first is in doubt, a number counts as fitted. *Copied*: nothing was chosen by \
    it, but a fitted number beside it (of the same quantity, or in the\nsame table for the same size) would hold as well: it \
    tests nothing.\n*Fitted*: one was, and [what was fitted](#what-was-fitted-and-on-which-numbers) \
    says which. *Given*: an input, or a count that an input has by construction.\n*From input*: computed from other \
    printed numbers. A number that follows from another, or says it once more, is the same quantity, and a quantity\nholds \
    if all of its numbers do; where it has several, the numbers stand in brackets.\n";

/// The heading of [`fitted`].
const FITTED: &str = "## What was fitted, and on which numbers";

/// A table of what was chosen by which numbers.
pub(super) fn fitted() -> String {
    let mut text = format!("\n{FITTED}\n\n| paper | what | in | on | how |\n|---|---|---|---|---|\n");
    for group in fits().chunk_by(|a, b| (&a.paper, &a.what, &a.how) == (&b.paper, &b.what, &b.how)) {
        let Fit { paper, what, place, how, .. } = &group[0];
        let paper = PAPERS.iter().find(|known| known.number == *paper).map_or("", |known| known.name);
        let on: Vec<String> = group.iter().map(|fit| name_of(&fit.names)).collect();
        let _ =
            writeln!(text, "| {paper} | {} | `{place}` | {} | {} |", cell(what), on.join("; "), cell(how));
    }
    text
}

/// Which numbers a fit names, for people.
fn name_of([figure, quantity, configuration]: &[String; 3]) -> String {
    let part = |name: &String| match name.strip_suffix('*') {
        Some("") => String::new(),
        Some(beginning) => format!(", {} ...", cell(beginning.trim_end())),
        None => format!(", {}", cell(name)),
    };
    format!("{figure}{}{}", part(quantity), part(configuration))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(class: Class, quantity: &str, holds: bool) -> Verdict {
        let quantity = ["Fig1", quantity, ""].map(str::to_owned);
        Verdict { class, quantity, holds }
    }

    /// Wrong if a quantity were counted twice, held although one of its numbers does not, or counted for another class.
    #[test]
    fn a_quantity_counts_once_and_holds_as_a_whole() {
        let verdicts = [
            verdict(Class::Predicted, "a", true),
            verdict(Class::Predicted, "a", false),
            verdict(Class::Predicted, "b", true),
            verdict(Class::Given, "c", true),
        ];
        let tally = Tally::of(&verdicts, Class::Predicted);
        assert_eq!(tally.quantities, Share { holding: 1, all: 2 });
        assert_eq!(tally.numbers, Share { holding: 2, all: 3 });
        assert_eq!(Tally::of(&verdicts, Class::Fitted), Tally::default());
    }
}
