//! Scenario documents generated from the JSON Schema: whatever is written, reading it ends with a checked scenario,
//! a sweep that can be planned, or faults with their places. A case is a function of its number, which a failure
//! prints with the smallest document that fails so.

mod cases;
mod chance;
mod document;
mod judge;
mod keys;
mod sweeps;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use simnet::scenario::{self, Overrides};

use cases::{Case, Maker};
use judge::{Outcome, Verdict, judged};
use keys::Key;
use support_network::cases;

/// How long a case may take, in seconds; none takes a hundredth of it in an optimised build.
const LONGEST: u64 = 60;

/// After how many failures no further cases are tried.
const MOST_FAILURES: usize = 5;

/// What many cases came to.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<Outcome, u64>,
    codes: BTreeMap<String, u64>,
    /// The schema's keys that stood in some document, and those that stood in a sound one.
    keys: BTreeSet<String>,
    sound_keys: BTreeSet<String>,
    /// What did not hold, and for which document.
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case, verdict: &Verdict, maker: &Maker) {
        *self.outcomes.entry(verdict.outcome).or_default() += 1;
        for code in &verdict.codes {
            *self.codes.entry(code.clone()).or_default() += 1;
        }
        let mut present = BTreeSet::new();
        keys::present(&case.document, &maker.root, "", &mut present);
        if verdict.outcome != Outcome::Refused {
            self.sound_keys.extend(present.iter().cloned());
        }
        self.keys.extend(present);
    }

    fn merge(&mut self, other: Tally) {
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
        for (code, count) in other.codes {
            *self.codes.entry(code).or_default() += count;
        }
        self.failures.extend(other.failures);
        self.keys.extend(other.keys);
        self.sound_keys.extend(other.sound_keys);
    }

    fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(&outcome).copied().unwrap_or_default()
    }

    /// Asserts that the cases reach what they are for; says how far they do.
    fn check(&self, count: u64, all: &[Key<'_>]) -> String {
        let known = known_codes();
        let is_unseen = |code: &&String| !self.codes.contains_key(code.as_str());
        let unseen: Vec<&String> = known.iter().filter(is_unseen).collect();
        let absent = all.iter().map(|key| &key.path).filter(|path| !self.keys.contains(*path));
        let absent: Vec<&String> = absent.collect();
        let (sound, planned) =
            (self.of(Outcome::Checked) + self.of(Outcome::Planned), self.of(Outcome::Planned));
        assert!(absent.is_empty(), "in no document: {absent:?}");
        assert!(self.sound_keys.len() * 3 >= all.len() * 2, "{} keys in sound ones", self.sound_keys.len());
        assert!(unseen.len() * 3 <= known.len(), "{} codes unseen: {unseen:?}", unseen.len());
        assert!(sound * 8 >= count, "{sound} of {count} are sound");
        assert!(planned * 60 >= count, "{planned} of {count} are sound sweeps");
        format!(
            "{count} cases, {sound} of them sound, {planned} of those sweeps; {} of {} codes, not {unseen:?}; \
             {} keys, {} of them in sound documents",
            known.len() - unseen.len(),
            known.len(),
            all.len(),
            self.sound_keys.len()
        )
    }
}

/// Judges what it is sent, case by case.
fn work(cases: Receiver<Case>, verdicts: Sender<Result<Verdict, String>>) {
    let files = judge::files();
    for case in cases {
        if verdicts.send(judged(&case, &files)).is_err() {
            return;
        }
    }
}

/// The cases `from`, `from + step`, ... below `count`, each of which must end in time.
fn lane(from: u64, step: u64, count: u64, maker: &Maker, all: &[Key<'_>]) -> Tally {
    let (sender, cases) = mpsc::channel();
    let (verdicts, answers) = mpsc::channel();
    std::thread::spawn(move || work(cases, verdicts));
    let mut tally = Tally::default();
    for number in (from..count).step_by(usize::try_from(step).unwrap()) {
        if tally.failures.len() >= MOST_FAILURES {
            break;
        }
        let case = maker.case(number, all);
        sender.send(case.clone()).unwrap();
        match answers.recv_timeout(Duration::from_secs(LONGEST)) {
            Ok(Ok(verdict)) => tally.add(&case, &verdict, maker),
            Ok(Err(failure)) => tally.failures.push(failure),
            Err(error) => panic!("case {number}: {error} after {LONGEST} s\n{}", case.texts().join("---\n")),
        }
    }
    tally
}

/// The codes that the sources give faults of scenarios and sweeps.
fn known_codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenario")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let own = text.split("#[cfg(test)]").next().unwrap_or_default();
            let literal =
                |made: &str| made.trim_start().strip_prefix('"')?.split('"').next().map(str::to_owned);
            codes.extend(own.split("Fault::new(").skip(1).filter_map(literal));
        }
    }
    codes
}

/// Wrong if a section that the command line gives whole, so that all its keys have one place, is judged by its place.
#[test]
fn a_section_may_come_whole_from_the_command_line() {
    let text = "scenario.name = 'x'\ntopology.chain = { switches = 2, hosts-per-switch = 2 }\n\
        allgather = { algorithm = 'ring', size = '1 KiB' }\n";
    let set = vec!["ethernet={ buffer = '1 B' }".to_owned()];
    let refusal = scenario::read("x.toml", text.as_bytes(), &Overrides { set, seed: None }).unwrap_err();
    let codes: Vec<&str> =
        refusal.files.iter().flat_map(|file| &file.faults).map(|fault| fault.code).collect();
    assert_eq!(codes, ["out-of-range"], "{refusal}");
}

/// Wrong if some document makes reading panic, hang, or refuse without a place and a reason, or if it is judged
/// otherwise the second time; or if the generator no longer reaches the schema's keys, the codes of faults, sound
/// scenarios and sound sweeps, and so tests nothing.
#[test]
fn every_document_ends_checked_planned_or_with_located_faults() {
    let maker = Maker::new();
    let all = keys::all(&maker.root);
    let count = cases(50_000);
    let lanes = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let (maker, all) = (&maker, &all);
        let spawned: Vec<_> =
            (0..lanes).map(|from| scope.spawn(move || lane(from, lanes, count, maker, all))).collect();
        for lane in spawned {
            match lane.join() {
                Ok(done) => tally.merge(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
    println!("{}", tally.check(count, &all));
}
