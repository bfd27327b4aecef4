//! What a scenario says of its mapper, checked: who maps, how, on what model of the network, with what traffic.

use std::collections::BTreeSet;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::host::mapper::{Algorithm, Brief};
use simnet_media::host::{Costs, Hardware};

use super::checked::Topology;

/// Draws which hosts answer.
const ANSWERING: Purpose = Purpose(80);

/// A mapper that runs before traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// How it explores, with its options.
    pub algorithm: Algorithm,
    /// Who maps.
    pub masters: Masters,
    /// How an election goes.
    pub election: Election,
    /// What carries its messages.
    pub model: MapModel,
    /// What every mapper knows.
    pub brief: Brief,
    /// Which hosts have no daemon.
    pub silence: Silence,
    /// What its software runs on.
    pub runs_on: Computer,
    /// What software costs, where it is not what all hosts share.
    pub costs: Costs,
    /// How far each cost may lie above or below its value, in thousandths of it; at most 1,000.
    pub jitter: u32,
    /// What interfaces and switches can do, as the algorithm takes for granted.
    pub hardware: Hardware,
    /// What goes wrong with the mappers' messages.
    pub faults: Faults,
    /// How applications hold themselves back.
    pub restraint: Option<Restraint>,
    /// Whether what fails in the scenario fails while it maps.
    pub failures: bool,
    /// The load of the scenario's traffic during the mapping, above 0; `None`: quiet.
    pub load: Option<f64>,
    /// Other routing latencies at which the mapping is timed again.
    pub also_at_routing_latency: Vec<Duration>,
}

/// What goes wrong with the mappers' messages; chances in `0..1`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// That a message is lost at the sender's interface.
    pub loss: f64,
    /// That the sender's interface lets the next message go first.
    pub reorder_sends: f64,
    /// That the receiver's interface does.
    pub reorder_receives: f64,
    /// That the next message of the same sender to the same receiver overtakes it in the network.
    pub overtaking: f64,
    /// How long a message is held back at most.
    pub hold: Duration,
}

/// How the application of a host holds itself back for a while after each message of a process that its interface sends
/// or receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restraint {
    /// How long.
    pub span: Duration,
    /// How many times slower its clock goes meanwhile; `None`: it stands still.
    pub slower: Option<u32>,
}

/// Who maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masters {
    /// This host, which has a cable; all others answer.
    One(HostId),
    /// Every host, until one meets no other with a higher address.
    Election,
}

/// How an election goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Election {
    /// How often its winner maps at most.
    pub attempts: u32,
    /// The span within which all begin.
    pub starts: Duration,
    /// Whether hosts name the highest mapper that they have heard of.
    pub gossip: bool,
    /// How much longer an answer is waited for shortly after another mapper's probe.
    pub patience: Duration,
    /// What draws who has which address; `None`: the run's seed, anew in every run.
    pub addresses: Option<u64>,
}

impl Default for Election {
    /// All begin within 10 ms, name the highest mapper that they know of, and wait 5 ms longer for a busy host; the
    /// winner maps at most four times. Addresses are those of the interfaces, the same in every run.
    fn default() -> Election {
        Election {
            attempts: 4,
            starts: Duration::from_ms(10),
            gossip: true,
            patience: Duration::from_ms(5),
            addresses: Some(0),
        }
    }
}

/// What carries a mapper's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapModel {
    /// The flit-level fabric: a port's buffer decides whether a message collides with itself.
    #[default]
    CutThrough,
    /// A walk over the cables that fails where it uses one twice in the same direction.
    Circuit,
    /// A walk over the cables that never fails.
    Packet,
}

/// What a mapper's software runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Computer {
    /// The host's processor.
    #[default]
    Host,
    /// The interface's processor, which serves messages under way first.
    Nic,
}

/// An order of hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// That of the network's list.
    #[default]
    Listed,
    /// One that the seed draws.
    Random,
}

/// Which hosts have no daemon, and so answer nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Silence {
    /// These.
    pub hosts: Vec<HostId>,
    /// All but so many, the master's own among them, the first in the order.
    pub answering: Option<u32>,
    /// In which order hosts are counted.
    pub order: Direction,
}

impl Mapping {
    /// The hosts without a daemon in a run with this seed. The host of the one master never is among them.
    pub fn silent(&self, topology: &Topology, seed: u64) -> BTreeSet<HostId> {
        let mut silent: BTreeSet<HostId> = self.silence.hosts.iter().copied().collect();
        if let Some(count) = self.silence.answering {
            let master = match self.masters {
                Masters::One(master) => Some(master),
                Masters::Election => None,
            };
            let hosts = topology.network.host_ids();
            let cabled = hosts.filter(|host| topology.attachments[host.index()].is_some());
            let mut others: Vec<HostId> = cabled.filter(|host| Some(*host) != master).collect();
            if self.silence.order == Direction::Random {
                Stream::new(seed, ANSWERING, 0).shuffle(&mut others);
            }
            let answering = (count as usize).saturating_sub(usize::from(master.is_some()));
            silent.extend(others.into_iter().skip(answering));
        }
        silent
    }
}
