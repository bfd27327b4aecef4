//! Mapping where every host maps and the highest address wins.
//!
//! # Scope and limitations
//! Hosts begin within a given span of time, at instants that the seed draws. The run ends when every mapper has
//! either won or given up: in a network of several components, each has its own winner.
//!
//! # Source
//! Mainwaring et al. 1997, section 5.1 and Fig. 7.
//!
//! # Validation
//! `tests/running/processes/election.rs`.

use std::cell::Cell;
use std::ops::ControlFlow;

use serde::Serialize;

use crate::simulation::hosts::{self, Setup};
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::BuildError;
use simnet_media::host::distribution::{self, RoutesByName, distribute};
use simnet_media::host::election::{Candidate, Options, Record};
use simnet_media::host::mapper::{Algorithm, Brief, Map, Probes};
use simnet_media::host::passive::{self, Memory};
use simnet_media::host::{Address, Host, Station};
use simnet_network::topology::Network;

use super::Activity;

/// The stream of the instants at which mappers begin.
const STARTS: Purpose = Purpose(24);

/// What an election needs to know.
#[derive(Clone)]
pub struct Election<'a> {
    /// The network, its fabric, what software costs, and who has which address.
    pub setup: Setup<'a>,
    /// How everyone maps.
    pub algorithm: Algorithm,
    /// What every mapper knows.
    pub brief: Brief,
    /// How hosts behave to each other.
    pub options: Options,
    /// All begin within this span.
    pub stagger: Duration,
}

impl<'a> Election<'a> {
    /// An election among shuffled addresses in which all begin within 10 ms.
    pub fn new(setup: Setup<'a>, algorithm: Algorithm, brief: Brief) -> Election<'a> {
        let options = Options::new(setup.costs.reply);
        let setup = Setup { addresses: hosts::Addresses::Shuffled, ..setup };
        Election { setup, algorithm, brief, options, stagger: Duration::from_ms(10) }
    }
}

/// A host that mapped to the end without meeting a higher address.
#[derive(Clone, Debug)]
pub struct Winner {
    /// The host.
    pub host: HostId,
    /// Its address.
    pub address: Address,
    /// Its map.
    pub map: Map,
    /// From the start of the run, within whose first moments all begin, to the map.
    pub time: Duration,
    /// How routes were handed out, if they were.
    pub distribution: Option<distribution::Report>,
}

/// What came of an election.
#[derive(Clone, Debug)]
pub struct Elected {
    /// The winners, the highest address first: one in a connected network that loses nothing.
    pub winners: Vec<Winner>,
    /// Per host, what became of it; all zero for hosts without a mapper.
    pub records: Vec<Record>,
    /// What else happened on the fabric, and when the run ended.
    pub activity: Activity,
    /// Events that the fabric handled.
    pub events: u64,
}

impl Elected {
    /// Messages of all mappers, by kind; answers are counted by winners alone.
    pub fn probes(&self) -> Probes {
        let mut all = Probes::default();
        self.records.iter().for_each(|record| all.add(&record.probes));
        self.winners.iter().for_each(|winner| all.add_hits(&winner.map.probes));
        all
    }

    /// The mappers that gave up, with the instant, in order of time.
    pub fn deposed(&self) -> Vec<(HostId, Time)> {
        let deposed = |(nth, record): (usize, &Record)| Some((HostId::new(nth), record.deposed?.0));
        let mut all: Vec<_> = self.records.iter().enumerate().filter_map(deposed).collect();
        all.sort_by_key(|(host, at)| (*at, *host));
        all
    }
}

/// An election as reports show it.
#[derive(Clone, Debug, Serialize)]
pub struct ElectionReport {
    /// The winner's name; of several in a network of several parts, the one with the highest address.
    pub winner: String,
    /// How many hosts won: one for each part of the network.
    pub winners: usize,
    /// How many hosts gave up.
    pub deposed: usize,
    /// When the last of them did.
    pub last_deposed_ms: Option<f64>,
}

impl ElectionReport {
    /// The report of an election on `network`.
    pub fn new(elected: &Elected, network: &Network) -> ElectionReport {
        let winner = elected.winners.first().map(|winner| network.hosts()[winner.host.index()].name.clone());
        let deposed = elected.deposed();
        ElectionReport {
            winner: winner.unwrap_or_default(),
            winners: elected.winners.len(),
            deposed: deposed.len(),
            last_deposed_ms: deposed.last().map(|(_, at)| at.since(Time::ZERO).as_ms_f64()),
        }
    }
}

/// What the hosts of an election share.
struct Poll {
    /// Mappers that have neither won nor given up.
    open: Cell<usize>,
    winners: Cell<Vec<Winner>>,
    /// By host, what it did.
    records: Vec<Cell<Record>>,
}

impl Poll {
    /// Counts a mapper that has won or given up; says whether it was the last.
    fn close(&self) -> bool {
        self.open.set(self.open.get().saturating_sub(1));
        self.open.get() == 0
    }
}

/// Lets every host with a cable for which `maps` holds map, and every other for which `answers` holds answer,
/// until each mapper has won or given up; winners hand out the routes that `plan` gives for their maps, if any.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
pub fn elect(
    election: &Election<'_>,
    maps: impl Fn(HostId) -> bool,
    answers: impl Fn(HostId) -> bool,
    plan: impl Fn(&Network) -> Option<RoutesByName>,
) -> Result<Elected, BuildError> {
    let network = election.setup.network;
    let maps = |host: HostId| maps(host) && network.attachment(host).is_some();
    let records = network.hosts().iter().map(|_| Cell::default()).collect();
    let open = Cell::new(network.host_ids().filter(|host| maps(*host)).count());
    let poll = Poll { open, winners: Cell::default(), records };
    let program = |host: HostId, station: Station| {
        take_part(election, host, station, maps(host).then_some(&poll), &plan)
    };
    let outcome = hosts::run_all(&election.setup, |host| maps(host) || answers(host), program)?;
    let mut winners = poll.winners.take();
    winners.sort_by_key(|winner| std::cmp::Reverse(winner.address));
    Ok(Elected {
        winners,
        records: poll.records.iter().map(Cell::get).collect(),
        activity: Activity::of(&outcome),
        events: outcome.events,
    })
}

/// The process of a host: one that maps has the `poll`, stands, then serves, and ends the run if it is the last to have
/// won or given up; every other only answers.
async fn take_part(
    election: &Election<'_>,
    host: HostId,
    mut station: Station,
    poll: Option<&Poll>,
    plan: &impl Fn(&Network) -> Option<RoutesByName>,
) -> ControlFlow<()> {
    let Some(poll) = poll else {
        passive::serve(&mut station, &mut Memory::default(), election.setup.costs.reply).await;
        return ControlFlow::Continue(());
    };
    let record = &poll.records[host.index()];
    let mut candidate = Candidate::new(&mut station, election.options, record);
    if let Some(winner) = stand(election, &mut candidate, host, start(election, host), plan).await {
        let mut winners = poll.winners.take();
        winners.push(winner);
        poll.winners.set(winners);
    }
    if poll.close() {
        return ControlFlow::Break(());
    }
    candidate.serve().await;
    ControlFlow::Continue(())
}

/// When `host` begins to map.
fn start(election: &Election<'_>, host: HostId) -> Time {
    let mut stream = Stream::new(election.setup.seed, STARTS, host.0);
    Time::ZERO + Duration::from_ps(stream.below(election.stagger.as_ps().saturating_add(1)))
}

/// A host's part up to its win or defeat.
async fn stand(
    election: &Election<'_>,
    candidate: &mut Candidate<'_>,
    host: HostId,
    start: Time,
    plan: &impl Fn(&Network) -> Option<RoutesByName>,
) -> Option<Winner> {
    let map = candidate.stand(start, &election.algorithm, &election.brief).await?;
    let time = candidate.now().since(Time::ZERO);
    let distribution = match plan(&map.network) {
        Some(routes) => {
            let task = async |host: &mut dyn Host| {
                distribute(host, &routes, &distribution::Options::default()).await
            };
            Some(candidate.as_winner(task).await?)
        }
        None => None,
    };
    Some(Winner { host, address: candidate.address(), map, time, distribution })
}
