//! Round-trip times measured by ranks over media: closed forms, schedules, losses, noise, the paper's tables.

mod closed_forms;
mod losses;
mod noise;
mod schedules;
mod stopping;
mod tables;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Port};
use simnet_base::units::{BitRate, Bytes, Duration};
use simnet_media::ethernet::Parameters;
use simnet_media::ethernet::transport::Datagram;
use simnet_media::host::rtt::Plan;
use simnet_media::medium::Medium;
use simnet_network::topology::{End, Network};
use simnet_running::simulation::ranks::{Noise, Overheads, Software};
use simnet_running::simulation::rtt::{self, Job, Outcome};

/// The header that makes a ping of 1,400 B take 1,478 B of a cable: IP and TCP with timestamps.
pub(crate) const HEADER: u32 = 52;

/// Software whose four pieces of a round trip take 85 us together.
pub(crate) fn software() -> Software {
    let piece = Duration::from_ns(21_250);
    let both = Overheads { send: piece, receive: piece, ..Overheads::NONE };
    Software { short: both, long: both, ..Software::NONE }
}

/// A job without noise on so many machines.
pub(crate) fn job(machines: usize) -> Job {
    Job {
        machines: (0..machines).map(HostId::new).collect(),
        names: (0..machines).map(|rank| format!("n{rank}")).collect(),
        plan: Plan::default(),
        software: software(),
        pause: Duration::from_us(90),
        noise: Noise::NONE,
        paces: Vec::new(),
        seed: 1,
    }
}

pub(crate) fn megabits(rate: u64) -> BitRate {
    BitRate::new(rate * 1_000_000).unwrap()
}

/// Switches of a tree, and the switch of every machine.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// By switch but the first, the one before it that it is wired to.
    pub(crate) parents: Vec<usize>,
    /// By machine, its switch.
    pub(crate) homes: Vec<usize>,
}

impl Tree {
    /// A tree that is random except for the numbers.
    pub(crate) fn random(switches: usize, machines: usize, seed: u64) -> Tree {
        let mut chance = Stream::new(seed, Purpose(113), 0);
        let mut below = |bound: usize| usize::try_from(chance.below(bound as u64)).unwrap();
        Tree {
            parents: (1..switches).map(&mut below).collect(),
            homes: (0..machines).map(|_| below(switches)).collect(),
        }
    }

    /// How many switches are on the way between two machines: a walk up from the deeper one, one step at a time.
    pub(crate) fn hops(&self, a: usize, b: usize) -> u64 {
        let (mut a, mut b, mut hops) = (self.homes[a], self.homes[b], 1);
        while a != b {
            // A parent has a lesser number than its child.
            let deeper = if a > b { &mut a } else { &mut b };
            *deeper = self.parents[*deeper - 1];
            hops += 1;
        }
        hops
    }

    pub(crate) fn network(&self) -> Network {
        let mut net = Network::new("tree");
        let mut used = vec![0; self.parents.len() + 1];
        let switches: Vec<_> =
            (0..used.len()).map(|s| net.add_switch(format!("s{s}"), 400).unwrap()).collect();
        let mut port = |switch: usize| {
            used[switch] += 1;
            End::switch(switches[switch], used[switch] - 1)
        };
        for (nth, parent) in self.parents.iter().enumerate() {
            net.connect(port(nth + 1), port(*parent)).unwrap();
        }
        for (nth, home) in self.homes.iter().enumerate() {
            let host = net.add_host(format!("n{nth}")).unwrap();
            net.connect(port(*home), End::host(host, 0)).unwrap();
        }
        net
    }

    /// An Ethernet of it, all addresses known, cables without length.
    pub(crate) fn ethernet(&self, rate: BitRate) -> Datagram {
        let net = self.network();
        let parameters = Parameters::uniform(net.links().len(), rate, Duration::ZERO);
        let ports = vec![Some(Port(0)); net.hosts().len()];
        let mut medium = Datagram::new(&net, &parameters, &ports, HEADER, ()).unwrap();
        medium.introduce_all();
        medium
    }
}

/// Runs a job that ends with all results.
pub(crate) fn run(medium: &mut impl Medium, job: &Job) -> Outcome {
    let outcome = rtt::run(medium, job).expect("a job that can be run");
    assert!(outcome.stuck.is_empty() && outcome.lost.is_empty(), "{:?}", outcome.stuck);
    assert!(outcome.rtts.is_some(), "machine 0 has all results");
    outcome
}

/// What one ping takes on a cable.
pub(crate) fn wire(rate: BitRate) -> Duration {
    rate.time_for(Bytes(8 + 14 + u64::from(HEADER) + 1_400 + 4))
}
