//! What was tried for printed numbers that ours miss: one table for all experiments.
//!
//! A trial is a printed number under a mechanism. Its rows in `data.csv` are numbers of ours without and with the
//! mechanism; they are no printed numbers of the index, which has each once, from its own figure.

use std::fmt::Write as _;

use simnet_output::report::{Axis, Chart, Layer, Mark};

use super::text::{cell, rule_of, short};
use super::{ComparedRow, Paper, Row};

/// A printed number under a mechanism.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// The mechanism, in words.
    pub(super) mechanism: String,
    /// Where the number is printed, what it is and of what, as `papers/reference.csv` has them.
    pub(super) printed: [String; 3],
    /// Ours as it is.
    pub(super) without: Ours,
    /// Ours with the mechanism.
    pub(super) with: Ours,
    /// Whether something of the mechanism was chosen by this very number.
    pub(super) fitted: bool,
}

/// A number of ours, and its lower and upper end where the rule asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ours {
    /// The number; none where nothing came out.
    pub(super) value: Option<f64>,
    /// Its ends.
    pub(super) ends: Option<(f64, f64)>,
}

impl From<Option<f64>> for Ours {
    fn from(value: Option<f64>) -> Ours {
        Ours { value, ends: None }
    }
}

/// What a mechanism does to a printed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It was missed and holds.
    Settles,
    /// It was missed and still is.
    Misses,
    /// It held and still does.
    Keeps,
    /// It held and is missed.
    Breaks,
}

impl Trial {
    /// A trial of a number that nothing of the mechanism was chosen by.
    pub(super) fn new(
        mechanism: &str,
        printed: [&str; 3],
        without: impl Into<Ours>,
        with: impl Into<Ours>,
    ) -> Trial {
        let printed = printed.map(str::to_owned);
        let (without, with) = (without.into(), with.into());
        Trial { mechanism: mechanism.to_owned(), printed, without, with, fitted: false }
    }

    /// The same, of a number by which something was chosen.
    #[must_use]
    pub(super) fn fitted(self) -> Trial {
        Trial { fitted: true, ..self }
    }

    /// Ours beside the printed number, which `papers/reference.csv` must have.
    fn judged(&self, paper: &Paper, ours: Ours) -> ComparedRow {
        let [figure, quantity, of] = &self.printed;
        let row = Row::printed(paper.number, figure, quantity, of, ours.value);
        let row = row.unwrap_or_else(|| panic!("{quantity} of {of} is not printed"));
        ComparedRow::new(paper.name, row.between(ours.ends.map(|ends| ends.0), ours.ends.map(|ends| ends.1)))
    }

    /// What the mechanism does to the number; none where it cannot be compared.
    pub(super) fn verdict(&self, paper: &Paper) -> Option<Verdict> {
        let holds = |ours| self.judged(paper, ours).holds();
        Some(match (holds(self.without)?, holds(self.with)?) {
            (false, true) => Verdict::Settles,
            (false, false) => Verdict::Misses,
            (true, true) => Verdict::Keeps,
            (true, false) => Verdict::Breaks,
        })
    }
}

/// The rows of trials: each number without the mechanism and with it.
pub(super) fn rows(paper: &Paper, trials: &[Trial]) -> Vec<Row> {
    let row = |trial: &Trial, how: &str, ours| {
        let Row { unit, ours, low, high, .. } = trial.judged(paper, ours).row;
        let [_, quantity, of] = &trial.printed;
        let row =
            Row::ours(&format!("{quantity}, {how}"), &format!("{}; {of}", trial.mechanism), &unit, ours);
        row.between(low, high)
    };
    let both = |trial: &Trial| [row(trial, "without", trial.without), row(trial, "with", trial.with)];
    trials.iter().flat_map(both).collect()
}

/// Rows of a table that fit a page.
const MOST_ROWS: usize = 60;

/// The trials that do not merely keep what held, as a table in Markdown, below how many there are of each verdict. Of
/// more than [`MOST_ROWS`], those that leave a miss are left out as well.
pub(super) fn table(paper: &Paper, trials: &[Trial]) -> String {
    let mut text = "| mechanism | number | of | paper | rule | without | with | |\n\
                    |---|---|---|--:|--:|--:|--:|---|\n"
        .to_owned();
    let is_long =
        trials.iter().filter(|trial| trial.verdict(paper) != Some(Verdict::Keeps)).count() > MOST_ROWS;
    let is_left_out = |verdict| verdict == Verdict::Keeps || is_long && verdict == Verdict::Misses;
    for trial in trials.iter().filter(|trial| !trial.verdict(paper).is_some_and(is_left_out)) {
        let judged = trial.judged(paper, trial.with);
        let [_, quantity, of] = &trial.printed;
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        let fitted = if trial.fitted { " (chosen by it)" } else { "" };
        let _ = writeln!(
            text,
            "| {} | {} ({}) | {} | {} | {} | {} | {} | {}{fitted} |",
            cell(&trial.mechanism),
            cell(quantity),
            cell(&judged.row.unit),
            cell(of),
            number(judged.row.paper) + judged.kind.remark(),
            rule_of(&judged),
            number(trial.without.value),
            number(trial.with.value),
            in_words(trial.verdict(paper)),
        );
    }
    let count = |wanted| trials.iter().filter(|t| !t.fitted && t.verdict(paper) == Some(wanted)).count();
    format!(
        "Of {} trials of a number by which nothing of the mechanism was chosen, {} settle a miss, \
         {} leave one{}, {} keep what held (they are in [data.csv](data.csv) alone), {} break it.\n\n{text}",
        trials.iter().filter(|trial| !trial.fitted).count(),
        count(Verdict::Settles),
        count(Verdict::Misses),
        if is_long { " (in [data.csv](data.csv))" } else { "" },
        count(Verdict::Keeps),
        count(Verdict::Breaks),
    )
}

/// Ours over the printed number, without and with the mechanism, in the order of the table.
pub(super) fn chart(paper: &Paper, trials: &[Trial]) -> Chart {
    let shown = || trials.iter().filter(|trial| trial.verdict(paper) != Some(Verdict::Keeps)).enumerate();
    let over = |trial: &Trial, ours: Ours| Some(ours.value? / trial.judged(paper, ours).row.paper?);
    let marks = |ours: fn(&Trial) -> Ours| {
        shown()
            .filter_map(move |(nth, trial)| Some(Mark::at(nth as f64 + 1.0, over(trial, ours(trial))?)))
            .collect()
    };
    Chart {
        title: "What was tried: ours over the paper's number".to_owned(),
        x: Axis::from_zero("trial, those that keep what held left out"),
        y: Axis::from_zero("ours over the paper's (factor)"),
        layers: vec![
            Layer::marks("without", marks(|trial| trial.without)),
            Layer::marks("with", marks(|trial| trial.with)),
            Layer::paper(shown().map(|(nth, _)| Mark::at(nth as f64 + 1.0, 1.0)).collect()),
        ],
        ..Chart::default()
    }
}

fn in_words(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Settles) => "**settles it**",
        Some(Verdict::Misses) => "missed",
        Some(Verdict::Keeps) => "holds",
        Some(Verdict::Breaks) => "**breaks it**",
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PAPERS;

    /// Wrong if a number were judged by another rule than its own, or a fitted one counted as settled.
    #[test]
    fn verdicts_are_those_of_the_stated_rules() {
        let at = |without, with| {
            let printed = ["Fig8", "exploration of the final prune", "C+A+B"];
            Trial::new("m", printed, Some(without), Some(with))
        };
        let paper = &PAPERS[0];
        let verdicts = [(178.0, 240.0), (178.0, 200.0), (250.0, 226.0), (250.0, 178.0)];
        let verdicts = verdicts.map(|(without, with)| at(without, with).verdict(paper).unwrap());
        assert_eq!(verdicts, [Verdict::Settles, Verdict::Misses, Verdict::Keeps, Verdict::Breaks]);
        let trials = [at(178.0, 240.0).fitted(), at(178.0, 240.0)];
        let text = table(paper, &trials);
        assert!(text.starts_with("Of 1 trials") && text.contains(", 1 settle a miss"), "{text}");
        let made = rows(paper, &trials[..1]);
        assert_eq!(made.iter().map(|row| row.ours).collect::<Vec<_>>(), [Some(178.0), Some(240.0)]);
        assert!(made.iter().all(|row| row.paper.is_none() && row.printed_in.is_empty()));
    }
}
