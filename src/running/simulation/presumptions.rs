//! The guarded mapper where what it presumes does not hold: its answers against the truth.
//!
//! # Scope and limitations
//! Only answers that the mapper went by are judged. The truth of a question is where its route leads in a
//! network without other traffic; whether the map came out right is judged apart, since a false no about one
//! end of a cable may be made good at the other.
//!
//! # Source
//! Hendriks 2004, section 3: the four presumptions. The paper breaks none of them.
//!
//! # Validation
//! `tests/running/processes/guarded.rs`: no false answer where all four hold; false noes, and no false yes, where one
//! does not.

use serde::Serialize;

use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::fabric::{BuildError, Parameters};
use simnet_media::host::mapper::guarded::{self, Answer, Options};
use simnet_media::host::mapper::{Brief, Kind, Map};
use simnet_media::host::plain::{Collision, walk};
use simnet_media::host::{Costs, Station};
use simnet_network::topology::Network;
use simnet_network::topology::isomorphism::{Verdict, compare};

use super::hosts::{self, Faults, Setup, chance};

/// Answers of one kind, judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// All answers.
    pub answers: u64,
    /// Noes where the answer is yes.
    pub false_noes: u64,
    /// Yeses where the answer is no.
    pub false_yeses: u64,
}

/// What a guarded mapping came to.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The map.
    pub map: Map,
    /// How it compares with the network.
    pub verdict: Verdict,
    /// Answers to host scouts.
    pub hosts: Judged,
    /// Answers to the questions that are guarded: scouts for switches, and comparisons.
    pub guarded: Judged,
}

impl Judged {
    fn take(&mut self, yes: bool, truth: bool) {
        self.answers += 1;
        self.false_noes += u64::from(truth && !yes);
        self.false_yeses += u64::from(yes && !truth);
    }

    fn add(&mut self, other: Judged) {
        self.answers += other.answers;
        self.false_noes += other.false_noes;
        self.false_yeses += other.false_yeses;
    }
}

/// Maps the network of `setup` from the host `mapper` and judges every answer.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
///
/// # Panics
/// Never: a mapper waits for nothing without a time-out.
pub fn judge(
    setup: &Setup<'_>,
    mapper: HostId,
    brief: &Brief,
    options: &Options,
) -> Result<Trial, BuildError> {
    let network = setup.network;
    let program = |station: Station| map_and_judge(station, network, mapper, brief, options);
    let outcome = hosts::run(setup, mapper, program, |_| true)?;
    let (map, hosts, guarded) = outcome.result.expect("a mapper waits for nothing without a time-out");
    let verdict = compare(&map.network, network, mapper);
    Ok(Trial { map, verdict, hosts, guarded })
}

/// The mapper's process: its map, and what was wrong with answers about hosts and with those about guarded probes.
async fn map_and_judge(
    mut station: Station,
    network: &Network,
    mapper: HostId,
    brief: &Brief,
    options: &Options,
) -> (Map, Judged, Judged) {
    let (mut hosts, mut guarded) = (Judged::default(), Judged::default());
    let mut observe = |answer: Answer<'_>| {
        let end = walk(network, mapper, answer.route, Collision::Packet).filter(|end| end.unused == 0);
        let is_mapper = end.as_ref().is_some_and(|end| end.host == mapper);
        let is_host = answer.kind == Kind::Host;
        if is_host { hosts.take(answer.yes, end.is_some()) } else { guarded.take(answer.yes, is_mapper) }
    };
    let map = guarded::map_watched(&mut station, brief, options, &mut observe).await;
    (map, hosts, guarded)
}

/// A presumption broken in one way, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Which presumption is broken, and how far.
    pub broken: String,
    /// How often a no is asked again.
    pub confirm_no: u32,
    /// How many maps were made.
    pub runs: u64,
    /// Answers to host scouts, of all runs.
    pub hosts: Judged,
    /// Answers to guarded questions, of all runs.
    pub guarded: Judged,
    /// Scouts that came after their guards, which the mapper sees for itself.
    pub seen_late: u64,
    /// Maps that are right.
    pub right: u64,
    /// Maps that are wrong, and say that they may be.
    pub wrong_and_unsure: u64,
    /// Maps that are wrong and do not say so.
    pub wrong_and_sure: u64,
}

impl Row {
    /// The columns of [`Row::fields`].
    pub const COLUMNS: [&str; 12] = [
        "broken",
        "confirm_no",
        "runs",
        "host_answers",
        "host_false_noes",
        "guarded_answers",
        "guarded_false_noes",
        "guarded_false_yeses",
        "scouts_seen_late",
        "maps_right",
        "maps_wrong_and_unsure",
        "maps_wrong_and_sure",
    ];

    /// The row as text, column by column.
    pub fn fields(&self) -> [String; 12] {
        [
            self.broken.clone(),
            self.confirm_no.to_string(),
            self.runs.to_string(),
            self.hosts.answers.to_string(),
            self.hosts.false_noes.to_string(),
            self.guarded.answers.to_string(),
            self.guarded.false_noes.to_string(),
            self.guarded.false_yeses.to_string(),
            self.seen_late.to_string(),
            self.right.to_string(),
            self.wrong_and_unsure.to_string(),
            self.wrong_and_sure.to_string(),
        ]
    }
}

/// A way in which the presumptions fail.
struct Breach {
    broken: String,
    faults: Faults,
    confirm_no: u32,
    scout: u32,
    /// Software that costs nothing: guards leave right behind their scouts.
    at_once: bool,
    routing_latency: Option<Duration>,
}

impl Breach {
    /// Nothing broken, under a name.
    fn of_nothing(broken: &str) -> Breach {
        Breach {
            broken: broken.to_owned(),
            faults: Faults::NONE,
            confirm_no: 0,
            scout: Options::default().scout,
            at_once: false,
            routing_latency: None,
        }
    }
}

/// Every presumption broken in turn on `network`, `runs` times each with seeds from `seed` on: nothing broken;
/// interfaces that reorder one in a hundred and one in a thousand messages sent or received; as many lost, with
/// noes asked up to twice again; as many overtaken; scouts too short for switches that take 550 ns.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
pub fn table(
    network: &Network,
    parameters: &Parameters,
    mapper: HostId,
    runs: u64,
    seed: u64,
) -> Result<Vec<Row>, BuildError> {
    let brief = Brief::for_switches_of(network);
    breaches().iter().map(|breach| row(network, parameters, mapper, &brief, breach, seed, runs)).collect()
}

fn breaches() -> Vec<Breach> {
    let mut breaches = vec![Breach::of_nothing("nothing")];
    for (share, text) in [(0.001, "0.1 %"), (0.01, "1 %")] {
        let chance = chance(share);
        let faulty = |what: &str, faults: Faults, confirm_no: u32| Breach {
            faults,
            confirm_no,
            ..Breach::of_nothing(&format!("{what} {text}"))
        };
        let none = Faults::NONE;
        breaches.push(faulty("sends reordered", Faults { reorder_sends: chance, ..none }, 0));
        breaches.push(faulty("receives reordered", Faults { reorder_receives: chance, ..none }, 0));
        breaches.push(faulty("messages overtaken", Faults { overtaking: chance, ..none }, 0));
        for confirm_no in 0..=2 {
            breaches.push(faulty("messages lost", Faults { loss: chance, ..none }, confirm_no));
        }
    }
    for scout in [32, 64, 80, 96, 128, 300] {
        let slow = Some(Duration::from_ns(550));
        let short =
            Breach::of_nothing(&format!("scouts of {scout} B, switches of 550 ns, guards right behind"));
        breaches.push(Breach { scout, at_once: true, routing_latency: slow, ..short });
    }
    breaches
}

fn row(
    network: &Network,
    parameters: &Parameters,
    mapper: HostId,
    brief: &Brief,
    breach: &Breach,
    seed: u64,
    runs: u64,
) -> Result<Row, BuildError> {
    let mut parameters = parameters.clone();
    if let Some(latency) = breach.routing_latency {
        parameters.switch.routing_latency = latency.to_cycles_ceil(parameters.base_cycle);
    }
    let costs = if breach.at_once { Costs::NONE } else { guarded::COSTS_2003 };
    let options = Options { confirm_no: breach.confirm_no, scout: breach.scout, ..Options::default() };
    let mut row = Row {
        broken: breach.broken.clone(),
        confirm_no: breach.confirm_no,
        runs,
        hosts: Judged::default(),
        guarded: Judged::default(),
        seen_late: 0,
        right: 0,
        wrong_and_unsure: 0,
        wrong_and_sure: 0,
    };
    for nth in 0..runs {
        let setup = Setup {
            costs,
            faults: breach.faults,
            seed: seed.wrapping_add(nth),
            ..Setup::new(network, &parameters)
        };
        let trial = judge(&setup, mapper, brief, &options)?;
        row.hosts.add(trial.hosts);
        row.guarded.add(trial.guarded);
        row.seen_late += trial.map.evidence.late;
        *match (trial.verdict.isomorphic_to == Some("N"), trial.map.doubts.is_empty()) {
            (true, _) => &mut row.right,
            (false, false) => &mut row.wrong_and_unsure,
            (false, true) => &mut row.wrong_and_sure,
        } += 1;
    }
    Ok(row)
}
