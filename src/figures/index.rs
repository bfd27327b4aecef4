//! `results/README.md`: the numbers that were read off the papers and what these claim in words, ours, its class, and
//! the verdict.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use simnet_base::papers::{Reference, Rule, references, tolerance};

use super::classes::{self, Verdict};
use super::text::{cell, percent_of, rule_of, short, verdict};
use super::{ComparedRow, Figure, PAPERS, Paper, read_data_csv};

/// The index, below the folder of results.
pub const FILE: &str = "README.md";
/// The first line of an index.
pub const INDEX_MARK: &str = "<!-- Written by simnet figures; changes by hand are lost. -->";
/// The files of a figure that every figure has.
pub(super) const FILES: [&str; 3] = ["README.md", "data.csv", "figure.svg"];
/// What begins the list of hashes.
const HASHES: &str = "<!-- blake3 of every file";

/// The files of a figure by name, as they are to be indexed.
pub type FilesOf = BTreeMap<String, Vec<u8>>;

/// A printed number and what it is compared with.
struct Answer<'a> {
    reference: Reference,
    /// The figure that has ours, and ours.
    ours: Option<(&'a Figure, ComparedRow)>,
    /// Why there is nothing to compare.
    why_not: Option<String>,
}

impl Answer<'_> {
    /// The verdict with the number's class, where there is one.
    fn verdict(&self) -> Option<Verdict> {
        let holds = self.ours.as_ref()?.1.holds()?;
        Some(Verdict { class: self.reference.class, quantity: self.reference.stands_for(), holds })
    }
}

/// The index of figures whose files are these; none for a figure that has not been made.
pub fn index(files: &BTreeMap<&'static str, FilesOf>, quick: bool) -> String {
    let rows: Vec<(&Figure, Vec<ComparedRow>)> = super::all()
        .filter_map(|figure| {
            let data = files.get(figure.id)?.get("data.csv")?;
            Some((figure, read_data_csv(figure.paper(), &String::from_utf8_lossy(data))))
        })
        .collect();
    let answers: Vec<(&Paper, Vec<Answer<'_>>)> =
        PAPERS.iter().map(|paper| (paper, answers(paper, &rows))).collect();
    let mut text = format!("{INDEX_MARK}\n# Results\n\n{}", headline(&answers, quick));
    text.push_str(&classes::fitted());
    text.push_str("\n## Figures\n");
    for paper in &PAPERS {
        text.push_str(&figures_of(paper, &rows));
    }
    text.push_str("\n## The numbers that the papers print, and what they claim in words\n");
    for (paper, answers) in &answers {
        text.push_str(&numbers_of(paper, answers));
    }
    text.push_str(&hash_list(files));
    text
}

/// Every reference row of every paper that these figures' rows do not answer and that is not declared incomparable.
pub fn unanswered(files: &BTreeMap<&'static str, FilesOf>) -> Vec<Reference> {
    let data = |figure: &'static Figure| {
        let data = files.get(figure.id)?.get("data.csv")?;
        Some((figure, read_data_csv(figure.paper(), &String::from_utf8_lossy(data))))
    };
    let rows: Vec<(&Figure, Vec<ComparedRow>)> = super::all().filter_map(data).collect();
    let open = |answer: &Answer<'_>| answer.ours.is_none() && answer.why_not.is_none();
    PAPERS
        .iter()
        .flat_map(|paper| answers(paper, &rows))
        .filter(open)
        .map(|answer| answer.reference)
        .collect()
}

/// A file's hash, as the index has it.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The hashes that an index lists, by file.
pub(super) fn hashes(index: &str) -> BTreeMap<String, String> {
    let list = index.lines().skip_while(|line| !line.starts_with(HASHES)).skip(1);
    let entry = |line: &str| line.split_once("  ").map(|(hash, file)| (file.to_owned(), hash.to_owned()));
    list.map_while(entry).collect()
}

fn answers<'a>(paper: &Paper, rows: &[(&'a Figure, Vec<ComparedRow>)]) -> Vec<Answer<'a>> {
    let own = references().into_iter().filter(|reference| reference.paper == paper.number);
    own.map(|reference| answer(paper, rows, reference)).collect()
}

/// What the figures' rows have to say about a printed number.
fn answer<'a>(paper: &Paper, rows: &[(&'a Figure, Vec<ComparedRow>)], reference: Reference) -> Answer<'a> {
    let stated = tolerance(paper.name, &reference.figure, &reference.quantity, &reference.configuration);
    let why_not = stated.filter(|stated| stated.rule == Rule::Incomparable).map(|stated| stated.why);
    let of_paper = rows.iter().filter(|(figure, _)| figure.paper() == paper.name);
    let found = of_paper.flat_map(|(figure, rows)| rows.iter().map(|row| (*figure, row)));
    let ours = found.filter(|(_, judged)| is_about(judged, &reference)).max_by(|(_, a), (_, b)| {
        // The first of several; a number before none.
        a.row.ours.is_some().cmp(&b.row.ours.is_some()).then(std::cmp::Ordering::Greater)
    });
    let ours = ours.map(|(figure, judged)| (figure, judged.clone()));
    Answer { reference, ours, why_not }
}

fn is_about(judged: &ComparedRow, reference: &Reference) -> bool {
    let row = &judged.row;
    row.printed_in == reference.figure
        && row.quantity == reference.quantity
        && row.configuration == reference.configuration
}

fn headline(answers: &[(&Paper, Vec<Answer<'_>>)], quick: bool) -> String {
    let all = || answers.iter().flat_map(|(_, answers)| answers);
    let apart = all().filter(|answer| answer.why_not.is_some()).count();
    let papers: Vec<(&Paper, Vec<Verdict>)> = answers
        .iter()
        .map(|(paper, answers)| (*paper, answers.iter().filter_map(Answer::verdict).collect()))
        .collect();
    let judged: usize = papers.iter().map(|(_, verdicts)| verdicts.len()).sum();
    let mut text = classes::lead(&papers, apart);
    let open = all().count() - judged - apart;
    if open > 0 {
        let _ = writeln!(text, "\n{open} more are printed and not judged here.");
    }
    if quick {
        text.push_str("\nThis is the small version: fewer networks, loads and repetitions (`simnet figures --quick`).\n");
    } else {
        text.push_str(
            "\n`simnet figures --all` makes all of this, `simnet figures --check` makes it again and tells what moved. \
             The numbers are\nthose of `src/base/papers/reference.csv`, none of them read off a plot: printed ones, ones \
             *computed* from these, and ones\nread *from words*. The tolerances and other rules, each with the reason for \
             its class and for itself, are in\n`src/base/papers/tolerances/`, what was fitted on what in \
             `src/base/papers/fits.csv`.\n",
        );
    }
    text
}

fn figures_of(paper: &Paper, rows: &[(&Figure, Vec<ComparedRow>)]) -> String {
    let mut text =
        format!("\n### {}\n\n| figure | numbers compared | that hold |\n|---|--:|--:|\n", paper.cited);
    for figure in paper.figures {
        let own = rows.iter().find(|(made, _)| made.id == figure.id);
        let title = cell(figure.title);
        let Some((_, rows)) = own else {
            let _ = writeln!(text, "| {title} | not made | |");
            continue;
        };
        let verdicts = || rows.iter().filter_map(ComparedRow::holds);
        let (judged, holding) = (verdicts().count(), verdicts().filter(|holds| *holds).count());
        let (judged, holding) = match judged {
            0 => (String::new(), String::new()),
            _ => (judged.to_string(), holding.to_string()),
        };
        let _ = writeln!(text, "| [{title}]({}/README.md) | {judged} | {holding} |", figure.id);
    }
    text
}

fn numbers_of(paper: &Paper, answers: &[Answer<'_>]) -> String {
    let mut text = format!("\n### {}: numbers\n\n", paper.cited);
    text.push_str(
        "| in | quantity | of | unit | paper | ours | deviation | tolerance | class | verdict | |\n",
    );
    text.push_str("|---|---|---|---|--:|--:|--:|--:|---|---|---|\n");
    for answer in answers {
        text.push_str(&line(answer));
    }
    text
}

fn line(answer: &Answer<'_>) -> String {
    let Reference { figure, quantity, configuration, value, unit, kind, class, .. } = &answer.reference;
    let class = class.words();
    let names = [figure, quantity, configuration, unit].map(|name| cell(name)).join(" | ");
    let printed = value.map(|value| short(value) + kind.remark()).unwrap_or_default();
    let why_not = answer.why_not.as_deref().map(cell);
    let Some((made, judged)) = &answer.ours else {
        let why = why_not.unwrap_or_else(|| "no figure has it yet".to_owned());
        return format!("| {names} | {printed} | | | | {class} | not compared | {why} |\n");
    };
    let link = format!("[{id}]({id}/README.md)", id = made.id);
    let last = why_not.map_or(link.clone(), |why| format!("{link}; {why}"));
    format!(
        "| {names} | {printed} | {} | {} | {} | {class} | {} | {last} |\n",
        judged.row.ours.map_or_else(|| "-".to_owned(), short),
        percent_of(judged),
        rule_of(judged),
        if judged.holds().is_some() { verdict(judged) } else { "not compared" },
    )
}

fn hash_list(files: &BTreeMap<&'static str, FilesOf>) -> String {
    let mut text = format!("\n{HASHES}, by which --quick --check knows them\n");
    for (id, files) in files {
        for (name, bytes) in files {
            let _ = writeln!(text, "{}  {id}/{name}", hash(bytes));
        }
    }
    text + "-->\n"
}
