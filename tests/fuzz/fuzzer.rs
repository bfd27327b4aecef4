//! The search: inputs changed by chance, and kept where they took a branch that none before took.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Seek as _, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Target;
use crate::coverage::Seen;

/// The largest input that is made.
const LARGEST: usize = 1 << 16;

/// What a search came to.
#[derive(Debug)]
pub struct Found {
    /// How many inputs were read.
    pub executions: u64,
    /// How many of them were taken, the others refused.
    pub taken: u64,
    /// How many took branches of their own, the corpora counted in.
    pub kept: usize,
    /// How many edges of the control flow were seen.
    pub edges: usize,
    /// The longest that an input took.
    pub slowest: Duration,
    /// One input for each place that panicked, with its message.
    pub findings: Vec<(String, Vec<u8>)>,
}

/// Reads the corpus of a target, then changed inputs for so long, or so many of them.
///
/// `folder`, if there is one, keeps inputs with branches of their own from run to run, and holds the input that is
/// being read, for the case that it ends the process.
///
/// # Panics
/// If the folder cannot be written.
pub fn search(target: &Target, seed: u64, time: Duration, most: u64, folder: Option<&Path>) -> Found {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let usual = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        *PANIC.lock().expect("nobody panics while holding it") = Some((place, info.to_string()));
    }));
    let mut search = Search::new(target, folder);
    let mut seeds = (target.seeds)();
    seeds.extend(folder.into_iter().flat_map(kept_before));
    let words = words(&seeds);
    for input in seeds {
        search.take(input, true);
    }
    let mut random = Random(seed);
    let begun = now();
    while search.found.executions < most && begun.elapsed() < time {
        let input = changed(&search.corpus, &words, &mut random);
        search.take(input, false);
    }
    panic::set_hook(usual);
    search.found.kept = search.corpus.len();
    search.found.edges = search.seen.edges();
    search.found
}

struct Search<'a> {
    target: &'a Target,
    folder: Option<&'a Path>,
    current: Option<File>,
    seen: Seen,
    corpus: Vec<Vec<u8>>,
    found: Found,
    /// The places that panicked.
    places: BTreeMap<String, usize>,
}

/// Counters and the place of a panic are the process's: one search at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Where the last panic was, and its message.
static PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

impl<'a> Search<'a> {
    fn new(target: &'a Target, folder: Option<&'a Path>) -> Search<'a> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder).expect("the folder can be made");
        }
        let current =
            folder.map(|folder| File::create(folder.join("current")).expect("the folder is writable"));
        let found = Found {
            executions: 0,
            taken: 0,
            kept: 0,
            edges: 0,
            slowest: Duration::ZERO,
            findings: Vec::new(),
        };
        let (seen, corpus, places) = (Seen::new(), Vec::new(), BTreeMap::new());
        Search { target, folder, current, seen, corpus, found, places }
    }

    /// Has an input read; one of the corpus is kept whatever branches it took.
    fn take(&mut self, input: Vec<u8>, is_seed: bool) {
        if let Some(file) = &mut self.current {
            file.rewind()
                .and_then(|()| file.set_len(0))
                .and_then(|()| file.write_all(&input))
                .expect("writable");
        }
        let begun = now();
        let read = self.target.read;
        let (result, is_new) = self.seen.watch(|| panic::catch_unwind(AssertUnwindSafe(|| read(&input))));
        self.found.executions += 1;
        self.found.slowest = self.found.slowest.max(begun.elapsed());
        match result {
            Ok(taken) => self.found.taken += u64::from(taken),
            Err(_) => {
                let panic = PANIC.lock().expect("nobody panics while holding it").take();
                let (place, message) = panic.unwrap_or_default();
                let times = self.places.entry(place).or_default();
                *times += 1;
                if *times == 1 {
                    self.found.findings.push((message, self.shortest(input)));
                }
                return;
            }
        }
        if is_new
            && !is_seed
            && let Some(folder) = self.folder
        {
            let name = format!("{}.kept", &blake3::hash(&input).to_hex()[..16]);
            fs::write(folder.join(name), &input).expect("the folder is writable");
        }
        if is_new || is_seed {
            self.corpus.push(input);
        }
    }

    /// The input without what it takes to panic in the same place, by cutting out shorter and shorter pieces.
    fn shortest(&self, mut input: Vec<u8>) -> Vec<u8> {
        let place = |input: &[u8]| {
            panic::catch_unwind(AssertUnwindSafe(|| (self.target.read)(input))).err()?;
            PANIC.lock().expect("nobody panics while holding it").take().map(|(place, _)| place)
        };
        let wanted = place(&input);
        let mut length = input.len().next_power_of_two();
        while length > 0 {
            let mut at = 0;
            while at < input.len() {
                let mut less = input.clone();
                less.drain(at..(at + length).min(input.len()));
                if place(&less) == wanted { input = less } else { at += length }
            }
            length /= 2;
        }
        input
    }
}

/// The inputs that earlier runs kept.
fn kept_before(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "kept"));
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).expect("readable")).collect()
}

/// What inputs are made of: runs of letters and digits, and single other characters, each once.
fn words(seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let mut words: Vec<Vec<u8>> = seeds
        .iter()
        .flat_map(|seed| seed.chunk_by(|a, b| is_part(a) && is_part(b)))
        .map(<[u8]>::to_vec)
        .collect();
    words.retain(|word| word.len() <= 64);
    words.extend(SHARP.iter().map(|word| word.as_bytes().to_vec()));
    words.sort();
    words.dedup();
    words
}

/// What readers stumble over: ends of ranges, marks, characters of several bytes.
const SHARP: [&str; 24] = [
    "0",
    "-1",
    "1",
    "127",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "nan",
    "0x0",
    "\u{feff}",
    "\u{0}",
    "\u{202e}",
    "\u{e4}",
    "\r\n",
    "\"\"",
    "\u{1f980}",
];

/// An input of the corpus, late ones rather, with some changes.
fn changed(corpus: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let all = corpus.len();
    let pick = |random: &mut Random| match all {
        0 => Vec::new(),
        _ if random.below(2) == 0 => corpus[random.below(all)].clone(),
        _ => corpus[all - 1 - random.below(all.min(32))].clone(),
    };
    let mut input = pick(random);
    // One change is made to half of the inputs, two to a quarter of them.
    for _ in 0..=random.next().trailing_ones() {
        change(&mut input, words, random, pick);
    }
    input.truncate(LARGEST);
    input
}

fn change(
    input: &mut Vec<u8>,
    words: &[Vec<u8>],
    random: &mut Random,
    pick: impl Fn(&mut Random) -> Vec<u8>,
) {
    let at = random.below(input.len() + 1);
    let end = at + random.below((input.len() - at).min(64) + 1);
    match random.below(10) {
        0 => drop(input.drain(at..end)),
        1 => {
            let piece = input[at..end].to_vec();
            let place = random.below(input.len() + 1);
            input.splice(place..place, piece);
        }
        2 => {
            let byte = u8::try_from(random.next() & 255).expect("a byte");
            input.insert(at, byte);
        }
        3 if at < input.len() => input[at] ^= 1 << random.below(8),
        4 if at < input.len() => {
            // A word goes, another takes its place.
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let start = input[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
            let stop =
                input[at..].iter().position(|byte| !is_part(byte)).map_or(input.len(), |after| at + after);
            input.splice(start..stop.max(start), words[random.below(words.len())].clone());
        }
        5 => {
            let other = pick(random);
            let from = random.below(other.len() + 1);
            let until = from + random.below((other.len() - from).min(512) + 1);
            input.splice(at..end, other[from..until].iter().copied());
        }
        6 => {
            // A line goes, or comes twice.
            let start = input[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
            let stop = input[at..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(input.len(), |after| at + after + 1);
            match random.below(2) {
                0 => drop(input.drain(start..stop)),
                _ => drop(input.splice(start..start, input[start..stop].to_vec())),
            }
        }
        7 => {
            let other = pick(random);
            let tail = other[random.below(other.len() + 1)..].to_vec();
            input.truncate(at);
            input.extend(tail);
        }
        _ => drop(input.splice(at..at, words[random.below(words.len())].iter().copied())),
    }
}

/// The numbers of SplitMix64, by Steele, Lea and Flood (2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is above zero.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a search lasts is no result")]
fn now() -> Instant {
    Instant::now()
}
