//! The lines of a `topology.conf`: comments, continuation, escapes, keys and values.

use std::ops::Range;

use crate::topology::formats::lines::{Word, lines};
use simnet_base::diagnostics::{Fault, quoted};

use super::hostlist::{self, ListFault};

/// The longest name that Slurm takes, in bytes.
const LONGEST_NAME: usize = 64;
const KEYS: [&str; 4] = ["SwitchName", "Nodes", "Switches", "LinkSpeed"];

/// A line that defines switches.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// Where `SwitchName` stands.
    pub(super) keyword: Range<usize>,
    pub(super) name: Option<Names>,
    pub(super) nodes: Option<Names>,
    pub(super) switches: Option<Names>,
}

/// A list of names as it stands in a line.
#[derive(Debug)]
pub(super) struct Names(Logical);

/// A name and where it stands, or the item that it is one of.
pub(super) struct Name {
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

/// What a list stands for, and what is wrong with it.
#[derive(Default)]
pub(super) struct Expanded {
    pub(super) names: Vec<Name>,
    pub(super) faults: Vec<Fault>,
}

/// A line as Slurm sees it: continued, without comment and escapes.
#[derive(Clone, Debug, Default)]
struct Logical {
    text: String,
    /// Where runs of bytes begin, here and in the file; what is between stands there as it stands here.
    runs: Vec<(usize, usize)>,
}

/// A key and its value.
struct Pair {
    key: Logical,
    value: Logical,
}

/// The file that a line is of, if it is no line of a tree plugin's `topology.conf` but of a near miss.
struct NearMiss {
    /// Keys that begin such lines, in lower case.
    keys: &'static [&'static str],
    what: &'static str,
    help: &'static str,
}

const NEAR_MISSES: [NearMiss; 4] = [
    NearMiss {
        keys: &["blockname", "blocksizes"],
        what: "this is a topology.conf of Slurm's plugin topology/block, which has no wiring",
        help: "the tree plugin's file has lines `SwitchName=... Nodes=...`",
    },
    NearMiss {
        keys: &["ringname"],
        what: "this is a topology.conf of Slurm's plugin topology/ring, which has no wiring",
        help: "the tree plugin's file has lines `SwitchName=... Nodes=...`",
    },
    NearMiss {
        keys: &["clustername", "nodename", "partitionname", "slurmctldhost", "topologyplugin"],
        what: "this is Slurm's slurm.conf, which has no wiring",
        help: "the network is in topology.conf beside it",
    },
    NearMiss {
        keys: &["- topology:"],
        what: "this is Slurm's topology.yaml, which is another format",
        help: "leave out `--from slurm`, or give `--from slurm-yaml`",
    },
];

/// Whether some line begins as those of `topology.conf` or of a near miss do.
pub(super) fn recognises(text: &str) -> bool {
    lines(text).any(|line| {
        key_of(line.text).is_some_and(|key| key == "switchname") || near_miss(line.text).is_some()
    })
}

/// The key that a line sets, in lower case, if it is one that could be Slurm's.
fn key_of(line: &str) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    (key.len() <= 20 && key.bytes().all(|b| b.is_ascii_alphanumeric())).then(|| key.to_ascii_lowercase())
}

fn near_miss(line: &str) -> Option<&'static NearMiss> {
    let begins = line.trim_start().to_ascii_lowercase();
    let key = key_of(line);
    NEAR_MISSES.iter().find(|miss| {
        let mut keys = miss.keys.iter();
        keys.any(|k| key.as_deref() == Some(k) || (k.ends_with(':') && begins.starts_with(k)))
    })
}

/// The lines that define switches, as far as they are sound, and what is not.
///
/// # Errors
/// That this is another file of Slurm's.
pub(super) fn sections(text: &str) -> Result<(Vec<Section>, Vec<Fault>), Fault> {
    if let Some((line, miss)) = lines(text).find_map(|line| Some((line, near_miss(line.text)?))) {
        let blank = line.text.len() - line.text.trim_start().len();
        let word = line.text.trim_start().split(['=', ':']).next().unwrap_or_default().trim_end();
        let start = line.start + blank;
        let expected = "a topology.conf of topology/tree";
        let fault = Fault::new("other-file", start..start + word.len(), miss.what, expected);
        return Err(fault.with_help(miss.help));
    }
    let (mut sections, mut faults) = (Vec::new(), Vec::new());
    for line in logical_lines(text) {
        if line.text.trim().is_empty() {
            continue;
        }
        match pairs(&line) {
            Ok(pairs) => sections.push(section(pairs, &mut faults)),
            Err(fault) => faults.push(fault),
        }
    }
    Ok((sections, faults))
}

fn section(pairs: Vec<Pair>, faults: &mut Vec<Fault>) -> Section {
    let mut section = Section::default();
    let mut seen: Vec<&str> = Vec::new();
    for (position, Pair { key, value }) in pairs.into_iter().enumerate() {
        let known = KEYS.into_iter().find(|known| known.eq_ignore_ascii_case(&key.text));
        let span = key.whole();
        match known {
            None => faults.push(unknown_key(&key)),
            Some(key) if (position == 0) != (key == "SwitchName") => {
                let message =
                    if position == 0 { "a line begins with the switch" } else { "a line is of one switch" };
                faults.push(Fault::new("no-name", span, message, "`SwitchName=` first, and once"));
            }
            Some(key) if seen.contains(&key) => {
                faults.push(Fault::new(
                    "duplicate-key",
                    span,
                    format!("`{key}` is set twice"),
                    "once a line",
                ));
            }
            Some("SwitchName") => (section.keyword, section.name) = (span, Some(Names(value))),
            Some("Nodes") => section.nodes = Some(Names(value)),
            Some("Switches") => section.switches = Some(Names(value)),
            Some(_) => faults.extend(not_a_speed(&value)),
        }
        seen.extend(known);
    }
    if let (Some(_), Some(switches)) = (&section.nodes, &section.switches) {
        let message = "a switch has both child switches and nodes";
        let fault = Fault::new("nodes-and-switches", switches.0.whole(), message, "either of them");
        faults.push(fault.with_help("what `scontrol show topology` prints is no topology.conf"));
    }
    section
}

fn unknown_key(key: &Logical) -> Fault {
    let message = format!("`{}` is no key of topology.conf", quoted(&key.text));
    let fault = Fault::new("unknown-key", key.whole(), message, format!("one of {}", KEYS.join(", ")));
    if key.text.eq_ignore_ascii_case("Level") {
        return fault
            .with_help("this is what `scontrol show topology` prints; the file it came from has no levels");
    }
    fault.with_nearest(&key.text, KEYS)
}

/// LinkSpeed is a number without a unit that nothing uses.
fn not_a_speed(value: &Logical) -> Option<Fault> {
    let words = ["UNLIMITED", "INFINITE"];
    let fine =
        value.text.parse::<u32>().is_ok() || words.iter().any(|word| word.eq_ignore_ascii_case(&value.text));
    let message = format!("`{}` is not a number", quoted(&value.text));
    (!fine).then(|| Fault::new("bad-number", value.whole(), message, "a whole number without a unit"))
}

/// The keys and values of a line.
fn pairs(line: &Logical) -> Result<Vec<Pair>, Fault> {
    let text = line.text.as_str();
    let mut pairs = Vec::new();
    let mut at = 0;
    loop {
        at += blanks(&text[at..]);
        if at == text.len() {
            return Ok(pairs);
        }
        let key = text[at..].bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_.".contains(b)).count();
        let equals = at + key + blanks(&text[at + key..]);
        let word = text[at..].split_whitespace().next().map_or(0, str::len);
        if key == 0 || !text[equals..].starts_with('=') {
            return Err(no_pair(line, at..at + word));
        }
        let start = equals + 1 + blanks(&text[equals + 1..]);
        let rest = &text[start..];
        let (value, end) = match rest.strip_prefix('"') {
            Some(inside) => {
                let Some(length) = inside.find('"') else {
                    let span = line.place(start)..line.place(start) + 1;
                    return Err(Fault::new(
                        "unbalanced",
                        span,
                        "nothing closes this quote",
                        "a second quote",
                    ));
                };
                (start + 1..start + 1 + length, start + length + 2)
            }
            None => {
                let length = rest.split_whitespace().next().map_or(0, str::len);
                (start..start + length, start + length)
            }
        };
        let joined = text[end..].chars().next().is_some_and(|c| !c.is_whitespace());
        if joined || end == start {
            let message = format!("`{}` has no value here", &text[at..at + key]);
            let span = line.place(at)..line.place(at + key - 1) + 1;
            return Err(Fault::new("no-value", span, message, "a value, then a blank"));
        }
        pairs.push(Pair { key: line.part(at..at + key), value: line.part(value) });
        at = end;
    }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

fn no_pair(line: &Logical, word: Range<usize>) -> Fault {
    let text = &line.text[word.clone()];
    let span = line.part(word).whole();
    let fault = Fault::new("not-a-key", span, format!("`{}` sets no key", quoted(text)), "KEY=VALUE");
    if text.eq_ignore_ascii_case("include") {
        return fault.with_help("simnet does not follow `include`: put the lines of that file here");
    }
    fault
}

/// The lines as Slurm joins them.
///
/// # Source
/// `_get_next_line` of Slurm's parse_config.c: comments go first, then a line that ends with an odd number of
/// backslashes goes on in the next one, then escapes are resolved.
fn logical_lines(text: &str) -> Vec<Logical> {
    let mut found = Vec::new();
    let mut line = Logical::default();
    for Word { text, start } in lines(text) {
        let text = &text[..comment(text)];
        let trimmed = text.trim_end();
        let backslashes = trimmed.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 1 {
            line.push(&trimmed[..trimmed.len() - 1], start);
            continue;
        }
        line.push(text, start);
        found.push(std::mem::take(&mut line));
    }
    found.push(line);
    found
}

/// Where the comment of a line begins: at the first `#` after an even number of backslashes.
fn comment(line: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'#' if !escaped => return at,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    line.len()
}

impl Logical {
    /// Appends what stands at `start` in the file, without escapes.
    fn push(&mut self, text: &str, start: usize) {
        let mut rest = text;
        loop {
            self.runs.push((self.text.len(), start + (text.len() - rest.len())));
            let Some(at) = rest.find('\\') else {
                self.text.push_str(rest);
                return;
            };
            self.text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            // What is escaped stands for itself, be it a backslash.
            let first = rest.chars().next().map_or(0, char::len_utf8);
            self.runs.push((self.text.len(), start + (text.len() - rest.len())));
            self.text.push_str(&rest[..first]);
            rest = &rest[first..];
        }
    }

    /// Where the byte `at` stands in the file.
    fn place(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|(here, _)| *here <= at).saturating_sub(1);
        self.runs.get(run).map_or(0, |(here, there)| there + (at - here))
    }

    fn span(&self, range: Range<usize>) -> Range<usize> {
        let start = self.place(range.start);
        let end = if range.is_empty() { start } else { self.place(range.end - 1) + 1 };
        start..end.max(start)
    }

    fn whole(&self) -> Range<usize> {
        self.span(0..self.text.len())
    }

    fn part(&self, range: Range<usize>) -> Logical {
        let from = self.runs.partition_point(|(here, _)| *here <= range.start);
        let to = self.runs.partition_point(|(here, _)| *here < range.end).max(from);
        let first = (0, self.place(range.start));
        let inside = self.runs[from..to].iter().map(|(here, there)| (here - range.start, *there));
        let runs = std::iter::once(first).chain(inside);
        Logical { text: self.text[range.clone()].to_owned(), runs: runs.collect() }
    }
}

impl Names {
    /// A list that stands in the file as it is, from `start` on.
    pub(super) fn at(text: &str, start: usize) -> Names {
        Names(Logical { text: text.to_owned(), runs: vec![(0, start)] })
    }

    /// The names, at most `room` of them; faults for what is none.
    pub(super) fn expand(&self, room: usize) -> Expanded {
        let mut found = Expanded::default();
        let items = match hostlist::items(&self.0.text) {
            Ok(items) => items,
            Err(slips) => {
                let fault = |ListFault { span, message }: ListFault| {
                    Fault::new("bad-name", self.0.span(span), message, "names such as `tux[0-3,12]`")
                };
                found.faults.extend(slips.into_iter().map(fault));
                return found;
            }
        };
        if items.is_empty() {
            let fault =
                Fault::new("no-name", self.0.whole(), "there is no name here", "names such as `tux[0-3,12]`");
            found.faults.push(fault);
        }
        for item in items {
            let span = self.0.span(item.span.clone());
            if item.longest() > LONGEST_NAME {
                let message = format!("a name has {} characters", item.longest());
                let expected = format!("at most {LONGEST_NAME}");
                found.faults.push(Fault::new("name-too-long", span, message, expected));
            } else if item.count() > (room - found.names.len()) as u64 {
                let message = format!("this stands for {} names, which are too many", item.count());
                let fault = Fault::new("too-many-names", span, message, format!("at most {room} here"));
                found.faults.push(fault);
                break;
            } else {
                found.names.extend(item.names().into_iter().map(|name| Name { name, span: span.clone() }));
            }
        }
        found
    }
}
