//! What a log holds, in numbers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::cli::output::Table;
use serde::{Serialize, Serializer};
use simnet_base::numbers::{or_dash, rounded};

use simnet_base::diagnostics::{legible, quoted};
use simnet_base::units::Time;
use simnet_media::trace::{Event, EventKind, Heading, Scene, Sink};

/// Columns of scenes in the table of kinds, at most; of more scenes it shows the sum.
const MOST_COLUMNS: usize = 10;

/// What a log holds.
#[derive(Serialize)]
pub(super) struct Overview {
    log: String,
    scenario: String,
    description: Option<String>,
    seed: u64,
    network: Size,
    base_cycle_ns: f64,
    events: u64,
    scenes: Vec<Counted>,
    /// What is wrong with it, and where.
    pub(super) damage: Option<String>,
}

/// How large the network is.
#[derive(Serialize)]
struct Size {
    name: String,
    switches: usize,
    hosts: usize,
    links: usize,
}

/// What a scene holds.
#[derive(Serialize)]
struct Counted {
    nth: u32,
    kind: String,
    point: Option<u32>,
    load: Option<f64>,
    #[serde(rename = "first_ns", serialize_with = "nanoseconds")]
    first: Option<Time>,
    #[serde(rename = "last_ns", serialize_with = "nanoseconds")]
    last: Option<Time>,
    #[serde(rename = "from_ns", serialize_with = "nanoseconds")]
    from: Option<Time>,
    #[serde(rename = "until_ns", serialize_with = "nanoseconds")]
    until: Option<Time>,
    events: u64,
    left_out: u64,
    kinds: BTreeMap<&'static str, u64>,
}

#[expect(clippy::ref_option, reason = "serde hands it over so")]
fn nanoseconds<S: Serializer>(at: &Option<Time>, out: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at.as_ps() as f64 / 1e3).serialize(out)
}

/// Counts events.
pub(super) struct Counter<'a>(&'a mut Overview);

impl Sink for Counter<'_> {
    fn scene(&mut self, scene: &Scene) -> io::Result<()> {
        self.0.scenes.push(Counted {
            nth: scene.nth,
            kind: scene.kind.clone(),
            point: scene.point,
            load: scene.load,
            first: None,
            last: None,
            from: Some(scene.from),
            until: scene.until,
            events: 0,
            left_out: scene.left_out,
            kinds: BTreeMap::new(),
        });
        Ok(())
    }

    fn event(&mut self, _scene: &Scene, event: &Event) -> io::Result<()> {
        self.0.events += 1;
        if let Some(scene) = self.0.scenes.last_mut() {
            scene.first = scene.first.or(Some(event.at));
            scene.last = Some(event.at);
            scene.events += 1;
            *scene.kinds.entry(event.what.name()).or_default() += 1;
        }
        Ok(())
    }

    fn end(&mut self, ended: &Scene) -> io::Result<()> {
        if let Some(scene) = self.0.scenes.last_mut() {
            (scene.left_out, scene.until) = (ended.left_out, ended.until);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

impl Overview {
    /// An overview of a log that has not been read yet.
    pub(super) fn new(log: &Path, heading: &Heading) -> Overview {
        let network = &heading.network;
        Overview {
            log: log.to_string_lossy().into_owned(),
            scenario: heading.scenario.clone(),
            description: heading.description.clone(),
            seed: heading.seed,
            network: Size {
                name: network.name.clone(),
                switches: network.switches().len(),
                hosts: network.hosts().len(),
                links: network.links().len(),
            },
            base_cycle_ns: heading.base_cycle.as_ns_f64(),
            events: 0,
            scenes: Vec::new(),
            damage: None,
        }
    }

    /// Who counts for it.
    pub(super) fn sink(&mut self) -> Counter<'_> {
        Counter(self)
    }

    /// It as tables.
    pub(super) fn text(&self) -> String {
        let Size { name, switches, hosts, links } = &self.network;
        let mut text =
            format!("{}: events of {}, seed {}\n", legible(&self.log), quoted(&self.scenario), self.seed);
        let name = quoted(name);
        let _ = writeln!(text, "network {name}: {switches} switches, {hosts} hosts, {links} cables");
        if self.scenes.is_empty() {
            text.push_str("\nno scene\n");
            return text;
        }
        let _ = write!(text, "\n{}\n\n{}\n", self.scenes_table(), self.kinds_table());
        if self.scenes.iter().any(|scene| scene.left_out > 0) {
            text.push_str("\nLeft out are events that the bounds of the recording did not keep.\n");
        }
        text
    }

    fn scenes_table(&self) -> String {
        let mut table = Table::new();
        table.set_header([
            "scene",
            "what",
            "load",
            "first event",
            "last event",
            "events",
            "left out",
            "deadlocks",
        ]);
        for scene in &self.scenes {
            let what = scene.point.map_or_else(|| quoted(&scene.kind), |point| format!("point {point}"));
            let count = |kind| scene.kinds.get(kind).copied().unwrap_or_default();
            let deadlocks = match (count("deadlock"), count("clear")) {
                (0, _) => "-".to_owned(),
                (formed, cleared) => format!("{formed}, {cleared} cleared"),
            };
            table.add_row([
                scene.nth.to_string(),
                what,
                or_dash(scene.load),
                time(scene.first),
                time(scene.last),
                scene.events.to_string(),
                scene.left_out.to_string(),
                deadlocks,
            ]);
        }
        [0, 2, 3, 4, 5, 6].into_iter().for_each(|column| table.align_right(column));
        table.trim_fmt()
    }

    fn kinds_table(&self) -> String {
        let columned = if self.scenes.len() <= MOST_COLUMNS { self.scenes.as_slice() } else { &[] };
        let mut table = Table::new();
        let columns = columned.iter().map(|scene| format!("scene {}", scene.nth));
        let all = (columned.len() != 1).then(|| "all".to_owned());
        table.set_header(["kind".to_owned()].into_iter().chain(columns).chain(all.clone()));
        for kind in EventKind::NAMES {
            let count = |scene: &Counted| scene.kinds.get(kind).copied().unwrap_or_default();
            let sum: u64 = self.scenes.iter().map(count).sum();
            if sum > 0 {
                let counts = columned.iter().map(|scene| count(scene).to_string());
                let sum = all.as_ref().map(|_| sum.to_string());
                table.add_row([kind.to_owned()].into_iter().chain(counts).chain(sum));
            }
        }
        let last = columned.len() + usize::from(all.is_some());
        (1..=last).for_each(|column| table.align_right(column));
        table.trim_fmt()
    }
}

/// An instant in the largest unit of which it has one, to six places.
fn time(at: Option<Time>) -> String {
    let Some(at) = at else { return "-".to_owned() };
    let units = [("s", 1e12), ("ms", 1e9), ("µs", 1e6)];
    let ps = at.as_ps() as f64;
    let (unit, worth) = units.into_iter().find(|(_, worth)| ps >= *worth).unwrap_or(("ns", 1e3));
    format!("{} {unit}", rounded(ps / worth, 6))
}
