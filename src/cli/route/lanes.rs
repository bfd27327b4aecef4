//! What a verdict on one lane is worth: which engines compute tables by lanes, and what shows it.

use std::path::Path;

use serde::Serialize;

use super::{judged, roots};
use simnet_base::diagnostics::shown;
use simnet_network::routing::{Judged as Pairs, Report, Verdict};

/// What `--help` says below the options.
pub(super) const HELP: &str = "Routes are judged on one lane: virtual lanes are not looked at. The tables of LASH, \
    DFSSSP, Nue and torus-2QoS look cyclic on one lane, and are free of deadlock by the lanes of their fabric. Tables \
    that simnet computes (--per-destination) are judged lane by lane.";

/// What the verdict for people ends with.
pub(super) const ON_ONE_LANE: &str = "judged on one lane; virtual lanes are not looked at";

/// The engines of subnet managers whose tables are free of deadlock by lanes: as their options, and logs and folders,
/// have them, and as people do.
const ENGINES: [(&str, &str); 6] = [
    ("lash", "LASH"),
    ("dfsssp", "DFSSSP"),
    ("nue", "Nue"),
    ("torus-2qos", "torus-2QoS"),
    ("torus_2qos", "torus-2QoS"),
    ("torus2qos", "torus-2QoS"),
];

/// Files that a subnet manager or `ibdiagnet` leaves in the folder of its tables where lanes are in use.
const LANE_FILES: [&str; 2] = ["opensm-sl2vl.dump", "ibdiagnet.slvl"];

/// The figures of routes with what the verdict stands on, as `--format json` prints them.
#[derive(Serialize)]
pub(super) struct Judged<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// How many lanes were looked at.
    lanes: u8,
    /// None where there was nothing to judge.
    verdict: Option<Verdict>,
    judged: Pairs,
    /// The same in words.
    verdict_about: String,
    /// Whether the roots are all spines of a levelled tree.
    spines_as_roots: bool,
    /// The switches that were relabelled.
    relabelled: &'a [String],
    /// The options that give the same roots again.
    root_options: Option<String>,
}

impl<'a> Judged<'a> {
    pub(super) fn new(report: &'a Report) -> Judged<'a> {
        Judged::on(report, 1)
    }

    /// The figures of routes on so many lanes.
    pub(super) fn on(report: &'a Report, lanes: u8) -> Judged<'a> {
        let verdict = report.verdict();
        Judged {
            report,
            lanes,
            verdict,
            judged: report.judged,
            verdict_about: judged::about(report),
            spines_as_roots: report.has_spines,
            relabelled: &report.relabelled,
            root_options: roots::options(report),
        }
    }
}

/// What to say of tables that look cyclic: that lanes may break the cycle, and what shows that they do.
pub(super) fn caution(path: &Path, bytes: &[u8]) -> String {
    let why = match (engine(path, bytes), lane_file(path)) {
        (Some(engine), _) => format!(" {engine} is named in its path or in a comment, and uses lanes."),
        (None, Some(file)) => format!(" {file} beside it says that this fabric has lanes."),
        (None, None) => String::new(),
    };
    format!(
        "warning: {}: the tables look cyclic on one lane, and virtual lanes were not looked at. Tables of LASH, \
         DFSSSP, Nue and torus-2QoS always may look so, and lanes break their cycles.{why}",
        shown(path)
    )
}

/// The engine that a word of the path or of a comment in the dump names.
fn engine(path: &Path, bytes: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    let comments = text.lines().map(str::trim_start).filter(|line| line.starts_with('#'));
    let path = path.to_string_lossy();
    // The folder and the file: farther up, a name may mean anything.
    let near = path.rsplit('/').take(2);
    near.chain(comments).find_map(|text| {
        let text = text.to_ascii_lowercase();
        let named = |word: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric();
            text.match_indices(word).any(|(at, _)| {
                !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
            })
        };
        ENGINES.iter().find(|(word, _)| named(word)).map(|(_, name)| *name)
    })
}

/// A file in the folder of the tables that says how lanes are used.
fn lane_file(path: &Path) -> Option<&'static str> {
    let folder = path.parent()?;
    LANE_FILES.into_iter().find(|file| folder.join(file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if an engine were overlooked, or read out of another word, a folder far up or a switch's name.
    #[test]
    fn engines_are_known_by_path_and_comment() {
        let of = |path: &str, text: &str| engine(Path::new(path), text.as_bytes());
        assert_eq!(of("random16-lash/opensm-lfts.dump", ""), Some("LASH"));
        assert_eq!(of("/var/log/dfsssp.dump", ""), Some("DFSSSP"));
        assert_eq!(of("a.dump", " # Routing engine: torus-2QoS\n"), Some("torus-2QoS"));
        assert_eq!(of("a.dump", "#nue: 8 lanes"), Some("Nue"));
        assert_eq!(of("flash/avenue.dump", "Unicast lids of switch Lid 1 guid 0x1 ('lash'):\n"), None);
        assert_eq!(of("lash/x/y/opensm-lfts.dump", "0x0001 000 # Switch portguid 0x1: 'lash'\n"), None);
    }
}
