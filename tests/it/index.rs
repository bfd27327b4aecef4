//! `results/README.md` and the verdicts under it, against the committed tables: recounted by a reader of CSV that
//! shares nothing with the program, and restated by the program without a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use simnet::figures::{self, FilesOf};
use simnet::papers::fits;

/// The papers' folders in the order of their numbers.
const PAPERS: [&str; 7] =
    ["mainwaring1997", "faraj2008", "hendriks2004", "lawrence2008", "sancho2000", "lysne2000", "flich2002"];

/// How many of them, the first, have a full text.
const WHOLE: usize = 5;

const CLASSES: [&str; 5] = ["predicted", "copied", "fitted", "given", "from-input"];

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lines of a table, each as its cells by the names of the columns: quotes are looked at letter by letter.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let line = lines.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                line.last_mut().unwrap().push(letters.next().unwrap())
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(String::new()),
            '\n' if !quoted => lines.push(vec![String::new()]),
            other => line.last_mut().unwrap().push(other),
        }
    }
    lines.retain(|line| line.len() > 1);
    let head = lines.remove(0);
    let named = |line: Vec<String>| {
        assert_eq!(line.len(), head.len(), "{line:?}");
        head.iter().cloned().zip(line).collect()
    };
    lines.into_iter().map(named).collect()
}

/// Figure, quantity and configuration.
type Names = [String; 3];

/// What the tables of a paper's figures say of each printed number: whether it holds. No two may disagree.
fn verdicts(paper: &str) -> BTreeMap<Names, bool> {
    judged(paper).into_iter().map(|(names, row)| (names, row["holds"] == "yes")).collect()
}

/// The row of each printed number that is judged, in the tables of a paper's figures.
fn judged(paper: &str) -> BTreeMap<Names, BTreeMap<String, String>> {
    let mut found: BTreeMap<Names, BTreeMap<String, String>> = BTreeMap::new();
    for folder in fs::read_dir(project().join("results").join(paper)).unwrap() {
        let path = folder.unwrap().path().join("data.csv");
        for row in table(&fs::read_to_string(path).unwrap()) {
            let names = ["printed_in", "quantity", "configuration"].map(|column| row[column].clone());
            if !["yes", "no"].contains(&row["holds"].as_str()) {
                continue;
            }
            let first = found.entry(names).or_insert_with(|| row.clone());
            assert_eq!(first["holds"], row["holds"], "{paper}: {row:?}");
        }
    }
    found
}

/// Quantities of a class that hold and all of them, then numbers likewise.
fn recount(paper: usize, class: &str, rows: &[BTreeMap<String, String>]) -> [usize; 4] {
    let verdicts = verdicts(PAPERS[paper]);
    let mut quantities: BTreeMap<Names, Vec<bool>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row["paper"] == format!("{paper:03}") && row["class"] == class) {
        let own = ["figure", "quantity", "configuration"].map(|column| row[column].clone());
        let Some(holds) = verdicts.get(&own) else { continue };
        let first: Vec<String> = row["repeats"].split(" | ").map(str::to_owned).collect();
        quantities.entry(first.try_into().unwrap_or(own)).or_default().push(*holds);
    }
    let whole = quantities.values().filter(|numbers| numbers.iter().all(|holds| *holds)).count();
    let numbers = || quantities.values().flatten();
    [whole, quantities.len(), numbers().filter(|holds| **holds).count(), numbers().count()]
}

/// A cell as the index has it.
fn shown([holding, all, numbers_holding, numbers]: [usize; 4]) -> String {
    match numbers {
        0 => String::new(),
        same if (same, numbers_holding) == (all, holding) => format!("{holding} of {all}"),
        _ => format!("{holding} of {all} ({numbers_holding} of {numbers})"),
    }
}

/// Wrong if the index counted another number of quantities or numbers in a class than stand in the tables, or README.md
/// said other counts than the index.
#[test]
fn the_counts_by_class_are_those_of_the_tables() {
    let rows = table(&read("src/base/papers/reference.csv"));
    let index = read("results/README.md");
    let lead: Vec<&str> =
        index.lines().skip_while(|line| !line.starts_with("| paper | predicted")).skip(2).collect();
    let (mut sums, mut lead) = ([[0; 4]; CLASSES.len()], lead.into_iter());
    let cells = |line: Option<&str>| line.unwrap().split_once(" | ").unwrap().1.to_owned();
    let of = |counts: [[usize; 4]; CLASSES.len()]| format!("{} |", counts.map(shown).join(" | "));
    let mut sentences = Vec::new();
    for (paper, name) in PAPERS.iter().enumerate() {
        let counts = CLASSES.map(|class| recount(paper, class, &rows));
        assert_eq!(cells(lead.next()), of(counts), "{name}");
        for (sum, count) in sums.iter_mut().zip(counts) {
            sum.iter_mut().zip(count).for_each(|(sum, count)| *sum += count);
        }
        if paper + 1 == WHOLE {
            assert_eq!(cells(lead.next()), of(sums), "the papers with a full text");
            let [predicted, copied, fitted, given, computed] =
                sums.map(|[holding, all, ..]| format!("{holding} of {all}"));
            sentences.push(format!(
                "Of the papers with a full text **{predicted} predicted quantities hold**, {copied} copied ones, \
                 {fitted} fitted ones, {given} given ones and {computed} computed from printed input."
            ));
        }
    }
    assert_eq!(cells(lead.next()), of(sums), "all");
    let readme = read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let [stated, derived, words] =
        ["stated", "derived", "words"].map(|kind| rows.iter().filter(|row| row["kind"] == kind).count());
    let kinds = format!(
        "the {stated} numbers that the papers print, {derived} computed from these and {words} read from words"
    );
    assert!(readme.contains(&kinds), "README.md: {kinds}");
    for sentence in sentences {
        assert!(index.contains(&sentence), "the index: {sentence}");
        assert!(readme.contains(&sentence), "README.md: {sentence}");
    }
}

/// Returns whether a copy holds beside a row's printed number by a rule of the committed tables; its ends are as far
/// from it as those of ours.
fn holds(rule: &str, copy: f64, row: &BTreeMap<String, String>) -> bool {
    let number = |column: &str| row[column].parse::<f64>();
    let paper = number("paper").unwrap();
    match rule {
        "at least" => copy >= paper,
        "at most" => copy <= paper,
        "range" => {
            let shift = copy - number("ours").unwrap();
            (number("low").unwrap() + shift..=number("high").unwrap() + shift).contains(&paper)
        }
        percent => (copy - paper).abs() <= percent.parse::<f64>().unwrap() / 100.0 * paper.abs() + 1e-9,
    }
}

/// The rule for a printed number: the first line of the paper's tolerances that is about it.
fn rule_of(paper: &str, names: &Names) -> String {
    let lines = table(&read(&format!("src/base/papers/tolerances/{paper}.csv")));
    let columns = ["figure", "quantity", "configuration"];
    let is_about = |line: &&BTreeMap<String, String>| {
        columns.iter().zip(names).all(|(column, name)| match line[*column].strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => line[*column] == *name,
        })
    };
    lines.iter().find(is_about).unwrap_or_else(|| panic!("{names:?}"))["rule"].clone()
}

/// The fitted numbers beside a printed one: of its quantity and size, or in its table for its size.
fn fitted_beside(
    row: &BTreeMap<String, String>,
    rows: &[BTreeMap<String, String>],
) -> Vec<BTreeMap<String, String>> {
    let size = |row: &BTreeMap<String, String>| {
        let parts: Vec<&str> = row["configuration"].split("; ").collect();
        (parts.len() > 1).then(|| parts[parts.len() - 1].to_owned())
    };
    let alike = |other: &BTreeMap<String, String>, column: &str| other[column] == row[column];
    let is_beside = |other: &&BTreeMap<String, String>| {
        let is_of_the_size = size(other) == size(row);
        let is_cell = row["figure"].starts_with("Table") && size(row).is_some();
        other["class"] == "fitted"
            && ["paper", "figure", "unit"].iter().all(|column| alike(other, column))
            && is_of_the_size
            && (alike(other, "quantity") || is_cell)
    };
    rows.iter().filter(is_beside).cloned().collect()
}

/// Wrong if a number were called predicted that a copy of a fitted number beside it would satisfy, or copied where none
/// would: what a copy passes tests no model.
#[test]
fn no_predicted_number_is_held_by_a_copy() {
    let rows = table(&read("src/base/papers/reference.csv"));
    let mut counts = [0, 0];
    for (paper, name) in PAPERS.iter().enumerate() {
        let made = judged(name);
        let own = rows.iter().filter(|row| row["paper"] == format!("{paper:03}"));
        for row in own.filter(|row| ["predicted", "copied"].contains(&row["class"].as_str())) {
            let names = ["figure", "quantity", "configuration"].map(|column| row[column].clone());
            let Some(ours) = made.get(&names).filter(|ours| !ours["paper"].is_empty()) else { continue };
            let rule = rule_of(name, &names);
            let beside = fitted_beside(row, &rows);
            let copies = beside.iter().filter_map(|other| other["value"].parse().ok());
            let held = copies.filter(|copy| holds(&rule, *copy, ours)).count();
            assert_eq!(held > 0, row["class"] == "copied", "{name} {names:?}: {held} copies hold");
            counts[usize::from(held > 0)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

/// The committed files of every figure.
fn committed() -> BTreeMap<&'static str, FilesOf> {
    let of = |figure: &'static figures::Figure| {
        let files = fs::read_dir(project().join("results").join(figure.id))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let named = |path: PathBuf| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
        };
        (figure.id, files.map(named).collect())
    };
    figures::all().map(of).collect()
}

/// Wrong if a committed table or page had claims or verdicts other than the stated ones, or the index were not that of
/// what is committed. `SIMNET_RESTATE=1` writes them: what is stated may change without any run.
#[test]
fn committed_verdicts_are_those_that_are_stated() {
    let results = project().join("results");
    let mut files = committed();
    let mut moved = BTreeSet::new();
    for figure in figures::all() {
        let own = files.get_mut(figure.id).unwrap();
        for (name, text) in figures::restated(figure, own) {
            let old = own.insert(name.to_owned(), text.clone().into_bytes());
            if old.as_deref() != Some(text.as_bytes()) {
                moved.insert(results.join(figure.id).join(name));
            }
        }
    }
    let index = figures::index(&files, false);
    if fs::read_to_string(results.join(figures::INDEX)).ok().as_ref() != Some(&index) {
        moved.insert(results.join(figures::INDEX));
    }
    if std::env::var_os("SIMNET_RESTATE").is_some() {
        for path in &moved {
            let id = path.parent().unwrap().strip_prefix(&results).unwrap().to_str().unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let text = if id.is_empty() { index.as_bytes() } else { &files[id][name] };
            fs::write(path, text).unwrap();
        }
    } else {
        assert!(moved.is_empty(), "these state something else (SIMNET_RESTATE=1 writes them): {moved:#?}");
    }
}

/// Wrong if something that is said to be fitted stood in a file that is not there, or a file of the models that says
/// that something in it is fitted were not among those that are listed.
#[test]
fn what_says_that_it_is_fitted_is_listed() {
    let listed: BTreeSet<String> = fits().into_iter().map(|fit| fit.place).collect();
    for place in &listed {
        assert!(project().join(place).is_file(), "{place}");
    }
    let mut open =
        vec![project().join("src/media"), project().join("src/running"), project().join("src/network")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.strip_prefix(project()).unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let says = ["/// Fitted", "//! Fitted"].iter().any(|words| text.contains(words));
        assert!(
            !says || listed.contains(&name),
            "{name} says that something in it is fitted: list it in fits.csv"
        );
    }
}
