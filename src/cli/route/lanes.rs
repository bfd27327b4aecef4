//! What a verdict says of lanes: how many were looked at, which engines compute tables by lanes, and what shows it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::load::UnderLoad;
use super::{dump, judged, roots};
use simnet_base::diagnostics::shown;
use simnet_base::numbers::count;
use simnet_network::routing::{ForwardingTables, Judged as Pairs, Report, Verdict};
use simnet_network::topology::{Network, Role};

/// What `--help` says below the options.
pub(super) const HELP: &str = "Routes are judged on one lane: virtual lanes are not looked at, but by `route check \
    --lfts` with `--sl2vl` and `--sl`. The tables of LASH, DFSSSP, Nue and torus-2QoS look cyclic on one lane, and are \
    free of deadlock by the lanes of their fabric. Tables that simnet computes (`--per-destination`) are judged lane \
    by lane. `route check` ends with 0 where no deadlock is possible and every pair of hosts has a route, 1 where not, \
    and 5 where tables look cyclic on one lane and show that their fabric has more.";

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

/// Files that a subnet manager or `ibdiagnet` leaves in the folder of its tables where lanes are in use, whatever is
/// in them.
const LANE_FILES: [&str; 2] = ["opensm-sl2vl.dump", "ibdiagnet.slvl"];

/// The figures of routes with what the verdict stands on, as `--format json` prints them.
#[derive(Serialize)]
pub(super) struct Judged<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// How many lanes the routes use; 1 where lanes were not looked at.
    lanes: u32,
    /// Paths that no service level was given for; none where lanes were not looked at.
    paths_without_service_level: Option<u64>,
    /// None where there was nothing to judge.
    verdict: Option<Word>,
    judged: Pairs,
    /// The same in words.
    verdict_about: String,
    /// Whether the roots are all spines of a levelled tree.
    spines_as_roots: bool,
    /// The switches that were relabelled.
    relabelled: &'a [String],
    /// The options that give the same roots again.
    root_options: Option<String>,
    /// The verdict on all classes of nodes, where all above is of hosts among themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    all_classes: Option<&'a AllClasses>,
    /// The verdict on each class of pairs, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdicts: Option<&'a [Class]>,
    /// What they do under traffic, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    under_load: Option<UnderLoad>,
}

/// A verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Acyclic,
    Cyclic,
    /// Cyclic on one lane, of a fabric that has more.
    OneLane,
}

impl Word {
    /// None where there was nothing to judge; `cannot_tell` where lanes that were not looked at may break the cycle.
    fn of(report: &Report, cannot_tell: bool) -> Option<Word> {
        report.verdict().map(|verdict| match verdict {
            Verdict::Acyclic => Word::Acyclic,
            Verdict::Cyclic if cannot_tell => Word::OneLane,
            Verdict::Cyclic => Word::Cyclic,
        })
    }
}

/// The verdict with all end nodes counted as hosts: aggregation nodes, routers.
#[derive(Serialize)]
pub(super) struct AllClasses {
    /// Numbers of nodes by role, hosts left out.
    #[serde(skip)]
    others: BTreeMap<Role, usize>,
    aggregation_nodes: usize,
    /// Ordered pairs of hosts and these.
    pairs: u64,
    /// Those without a route.
    unreachable_pairs: u64,
    verdict: Option<Word>,
    /// A shortest cycle of their channel dependencies; none without one.
    dependency_cycle: Option<Vec<String>>,
    /// The same by class.
    #[serde(skip)]
    classes: Vec<Class>,
    /// The verdict for people.
    #[serde(skip)]
    words: String,
}

/// The verdict on a class of pairs.
#[derive(Serialize)]
pub(super) struct Class {
    /// `host-host`, or `host-` and another role: hosts among themselves, and with nodes of the role.
    class: String,
    /// Ordered pairs: of hosts, or of those with a node of the role in them.
    pairs: u64,
    /// Those without a route.
    unreachable_pairs: u64,
    verdict: Option<Word>,
    /// A shortest cycle of the channel dependencies; none without one.
    dependency_cycle: Option<Vec<String>>,
}

impl Class {
    /// Of hosts among themselves.
    pub(super) fn of_hosts(report: &Report, cannot_tell: bool) -> Class {
        Class {
            class: "host-host".to_owned(),
            pairs: report.pairs,
            unreachable_pairs: report.unreachable_pairs,
            verdict: Word::of(report, cannot_tell),
            dependency_cycle: report.dependency_cycle.clone(),
        }
    }

    /// Of hosts with nodes of a role, given the report on both and that on hosts alone.
    pub(super) fn with(role: Role, both: &Report, hosts: &Report, cannot_tell: bool) -> Class {
        Class {
            class: format!("host-{role}"),
            pairs: both.pairs.saturating_sub(hosts.pairs),
            unreachable_pairs: both.unreachable_pairs.saturating_sub(hosts.unreachable_pairs),
            ..Class::of_hosts(both, cannot_tell)
        }
    }
}

impl AllClasses {
    /// Of a report on all; `cannot_tell` where lanes that were not looked at may break its cycle.
    pub(super) fn new(
        others: BTreeMap<Role, usize>,
        classes: Vec<Class>,
        report: &Report,
        cannot_tell: bool,
    ) -> AllClasses {
        AllClasses {
            aggregation_nodes: others.get(&Role::Aggregation).copied().unwrap_or(0),
            others,
            pairs: report.pairs,
            unreachable_pairs: report.unreachable_pairs,
            verdict: Word::of(report, cannot_tell),
            dependency_cycle: report.dependency_cycle.clone(),
            classes,
            words: judged::verdict(report, cannot_tell),
        }
    }

    /// The line for people.
    pub(super) fn human(&self) -> String {
        let AllClasses { others, pairs, unreachable_pairs, words, classes, .. } = self;
        let name = |role: Role| match role {
            Role::Aggregation => "aggregation node",
            _ => role.name(),
        };
        let nodes: Vec<String> = others.iter().map(|(role, nodes)| count(*nodes, name(*role))).collect();
        let closes = |class: &&Class| class.dependency_cycle.is_some();
        let closing: Vec<&str> = classes.iter().filter(closes).map(|class| class.class.as_str()).collect();
        let by = match closing.as_slice() {
            [] => String::new(),
            some => format!(", of the class {}", some.join(" and ")),
        };
        let nodes = nodes.join(" and ");
        format!("{words}{by}; {nodes} included, {pairs} pairs, {unreachable_pairs} without a route")
    }
}

impl<'a> Judged<'a> {
    /// `cannot_tell` where lanes that were not looked at may break the cycle.
    pub(super) fn new(report: &'a Report, cannot_tell: bool) -> Judged<'a> {
        Judged {
            report,
            lanes: report.lanes_used(),
            paths_without_service_level: report.lanes.map(|used| used.paths_without_level),
            verdict: Word::of(report, cannot_tell),
            judged: report.judged,
            verdict_about: judged::about(report),
            spines_as_roots: report.has_spines,
            relabelled: &report.relabelled,
            root_options: roots::options(report),
            all_classes: None,
            verdicts: None,
            under_load: None,
        }
    }

    /// The same with the verdict on all classes of nodes, and with what the routes do under traffic.
    pub(super) fn with(self, all: Option<&'a AllClasses>, under_load: Option<UnderLoad>) -> Judged<'a> {
        Judged { all_classes: all, verdicts: all.map(|all| &all.classes[..]), under_load, ..self }
    }
}

/// What shows that tables that look cyclic are of a fabric with lanes that were not looked at.
pub(super) struct Signs {
    lfts: PathBuf,
    /// The engine that the path or a comment names.
    engine: Option<&'static str>,
    /// A file in their folder that says how lanes are used.
    file: Option<String>,
    /// Whether they are as some engines with lanes make them, and none without.
    shape: bool,
    /// Whether the lanes are known, and no service level is.
    without_levels: bool,
}

impl Signs {
    /// What a dump of forwarding tables shows by itself.
    pub(super) fn of_tables(path: &Path, bytes: &[u8], tables: &ForwardingTables, net: &Network) -> Signs {
        Signs {
            lfts: path.to_owned(),
            engine: engine(path, bytes),
            file: lane_file(path),
            shape: tables.share_trees(net),
            without_levels: false,
        }
    }

    /// Of tables that were judged over lanes, with every path on service level 0 for want of any.
    pub(super) fn without_levels(path: &Path) -> Signs {
        Signs { lfts: path.to_owned(), engine: None, file: None, shape: false, without_levels: true }
    }

    /// Whether there are any, so that a cycle says nothing.
    pub(super) fn are_any(&self) -> bool {
        self.engine.is_some() || self.file.is_some() || self.shape || self.without_levels
    }

    /// What to say of tables that look cyclic: that lanes may break the cycle, what shows that there are lanes, and
    /// which options settle it.
    pub(super) fn caution(&self) -> String {
        let lfts = shown(&self.lfts);
        if self.without_levels {
            return format!(
                "warning: {lfts}: the tables look cyclic with every path on service level 0, as no levels were given; \
                 `--sl FILE` with the levels of paths settles it"
            );
        }
        let why = match (self.engine, &self.file) {
            (Some(engine), _) => format!(" {engine} is named in its path or in a comment, and uses lanes."),
            (None, Some(file)) => format!(" {file} beside it says that this fabric has lanes."),
            (None, None) if self.shape => {
                " These have a shortest path from each switch to each other, the same for all lids there, as those of \
                 LASH and torus-2QoS."
                    .to_owned()
            }
            (None, None) => String::new(),
        };
        let settles = self.settles();
        format!(
            "warning: {lfts}: the tables look cyclic on one lane, and virtual lanes were not looked at. Tables of \
             LASH, DFSSSP, Nue and torus-2QoS always may look so, and lanes break their cycles.{why} {settles} settles \
             it."
        )
    }

    /// The options that settle it, with the files in the folder of the tables.
    fn settles(&self) -> String {
        let (sl2vl, levels) = dump::lane_files(parent(&self.lfts));
        let named =
            |path: Option<PathBuf>| path.map_or_else(|| "FILE".to_owned(), |path| shown(&path).to_string());
        format!("`--sl2vl {} --sl {}`", named(sl2vl), named(levels))
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
fn lane_file(path: &Path) -> Option<String> {
    let folder = parent(path);
    let named = LANE_FILES.into_iter().find(|file| folder.join(file).is_file()).map(str::to_owned);
    let of = |path: PathBuf| path.file_name().map(|name| shown(name).to_string());
    named.or_else(|| dump::lane_files(folder).0.and_then(of))
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
