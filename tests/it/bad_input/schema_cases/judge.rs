//! What must hold of every case, and the smallest document where it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use simnet::diagnostics::Refusal;
use simnet::scenario::sweep::{self, Sweep};
use simnet::scenario::{self, Files, Overrides};
use simnet::simulation::MODEL;

use crate::bad_input::schema_cases::cases::{Case, GOOD};
use crate::bad_input::schema_cases::document::Node;

/// The name of the document.
const NAME: &str = "case.toml";

/// How many smaller documents are tried.
const MOST_TRIED: usize = 3_000;

/// What a case came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Checked,
    Planned,
    Refused,
}

/// What came of a case, with the codes of its faults, or of its warnings.
pub(super) struct Verdict {
    pub(super) outcome: Outcome,
    pub(super) codes: BTreeSet<String>,
}

/// The files that cases may name.
pub(super) fn files() -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOOD);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().into(), std::fs::read(&path).unwrap())).collect()
}

/// Judges a case.
///
/// Panics where a property does not hold.
pub(super) fn judge(case: &Case, files: &BTreeMap<PathBuf, Vec<u8>>) -> Verdict {
    let [text, layer] = case.texts();
    let mut files = files.clone();
    files.insert(NAME.into(), text.clone().into_bytes());
    files.insert("layer.toml".into(), layer.into_bytes());
    let overrides = Overrides { set: case.sets.clone(), seed: case.seed };
    let files = || Files::from_copies(files.clone());
    let refusal = if sweep::is_sweep(NAME, text.as_bytes(), &overrides, &files()) {
        let read = || Sweep::read(NAME, text.as_bytes(), &overrides, &files(), MODEL);
        match (read(), read()) {
            (Ok(sweep), Ok(again)) => {
                plan(&sweep, &again);
                return Verdict { outcome: Outcome::Planned, codes: warned(sweep.warnings()) };
            }
            (one, again) => same_refusal(one.err(), again.err()),
        }
    } else {
        let read = || scenario::read_from(NAME, text.as_bytes(), &overrides, &files());
        match (read(), read()) {
            (Ok(checked), Ok(again)) => {
                assert_eq!((checked.name, &checked.warnings), (again.name, &again.warnings));
                return Verdict { outcome: Outcome::Checked, codes: warned(&checked.warnings) };
            }
            (one, again) => same_refusal(one.err(), again.err()),
        }
    };
    located(&refusal);
    let faults = refusal.files.iter().flat_map(|file| &file.faults);
    Verdict { outcome: Outcome::Refused, codes: faults.map(|fault| fault.code.to_owned()).collect() }
}

/// The codes of warnings.
fn warned(warnings: &[String]) -> BTreeSet<String> {
    let codes = warnings.iter().flat_map(|text| text.split("warning[").skip(1));
    codes.filter_map(|rest| Some(rest.split_once(']')?.0.to_owned())).collect()
}

fn same_refusal(one: Option<Box<Refusal>>, again: Option<Box<Refusal>>) -> Box<Refusal> {
    let (one, again) = (one.expect("refused only once"), again.expect("refused only once"));
    assert_eq!(one, again, "other faults the second time");
    one
}

/// Every fault lies in its text, on whole characters, and says something.
fn located(refusal: &Refusal) {
    assert!(!refusal.files.is_empty(), "a refusal without files");
    for file in &refusal.files {
        assert!(!file.faults.is_empty(), "a file without faults");
        for fault in &file.faults {
            assert!(file.text.get(fault.span.clone()).is_some(), "outside of {}: {fault:?}", file.file);
            let says = [fault.code, &fault.message, &fault.expected];
            assert!(says.iter().all(|text| !text.trim().is_empty()), "{fault:?} leaves something unsaid");
            let (line, column) = file.place(fault.span.start);
            assert!(line >= 1 && column >= 1, "{fault:?}");
        }
    }
    assert!(refusal.to_string().contains("error["), "nothing to print");
}

/// Plans a sweep as `simnet sweep plan` does, at its first points, one in the middle and its last ones.
fn plan(sweep: &Sweep, again: &Sweep) {
    assert!(!sweep.is_empty() && sweep.len() == again.len(), "{} and {} points", sweep.len(), again.len());
    for plan in [sweep, &sweep.quick()] {
        let count = plan.len();
        let points = BTreeSet::from([0, 1 % count, count / 2, count.saturating_sub(2), count - 1]);
        for point in points {
            assert_eq!(plan.keys(point..point + 1), [plan.key(point)], "the key of point {point}");
            assert_eq!(plan.values(point).len(), plan.axes().len(), "the values of point {point}");
            assert!(plan.cost(point) >= 0.0, "the cost of point {point}");
            // A combination of values that are sound with others may be a point that fails.
            if let Err(refusal) = plan.checked(point) {
                located(&refusal);
            }
        }
    }
    let last = sweep.len() - 1;
    assert_eq!((sweep.key(last), sweep.seed(last)), (again.key(last), again.seed(last)));
    assert!(
        sweep.checked(0).is_ok() || sweep.lengths().iter().any(|length| *length > 1),
        "no point is sound"
    );
}

/// Judges a case; where a property does not hold, gives what failed and the smallest document found that fails so.
pub(super) fn judged(case: &Case, files: &BTreeMap<PathBuf, Vec<u8>>) -> Result<Verdict, String> {
    let judged = |case: &Case| catch_unwind(AssertUnwindSafe(|| judge(case, files)));
    judged(case).map_err(|panic| {
        let why = panic.downcast_ref::<String>().cloned();
        let why = why.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let fails = |smaller: &Case| judged(smaller).is_err();
        let small = smaller(case, &fails);
        let [text, layer] = small.texts();
        format!(
            "case {}: {}\n--- case.toml\n{text}--- layer.toml\n{layer}--- --set {:?} --seed {:?}\n",
            case.number,
            why.unwrap_or_default(),
            small.sets,
            small.seed,
        )
    })
}

/// Takes out of a case what can go while it fails.
fn smaller(case: &Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let plain = [Case { seed: None, ..case.clone() }, Case { layer: Node::table(), ..case.clone() }];
    let fewer = (0..case.sets.len()).map(|nth| Case { sets: vec![case.sets[nth].clone()], ..case.clone() });
    for tried in plain.into_iter().chain(fewer).chain([Case { sets: Vec::new(), ..case.clone() }]) {
        if fails(&tried) {
            best = tried;
        }
    }
    let (mut nth, mut tried) = (0, 0);
    while nth < best.document.size() && tried < MOST_TRIED {
        let less = Case { document: best.document.without(nth), ..best.clone() };
        tried += 1;
        if fails(&less) {
            best = less;
        } else {
            nth += 1;
        }
    }
    best
}
