//! The Berkeley mapper: explores a tree of routes breadth first and merges what must be the same switch.
//!
//! # Scope and limitations
//! Every host has one cable: a host with several makes the mapper merge different ports, and the map says
//! [`Doubt::Contradiction`](super::Doubt::Contradiction). The map holds what hosts can distinguish: switches that
//! a bridge between two switches parts from every host are pruned or, where messages can pass a cable twice,
//! shown if they lie on a cycle; [`Evidence::hidden`](super::Evidence::hidden) says where. Other traffic is
//! noticed by the times that answers take; in a network in use, [`Options::careful`] asks again what may have
//! been lost.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.1 as changed by 3.3 ("towards the actual algorithm"). The reading that
//! reproduces its Fig. 6: the frontier is first in, first out; a vertex that was merged into an explored
//! switch meanwhile is skipped; all ports of an explored vertex are probed, those that another replicate of
//! it knows too; turns go outwards from the port of entry and change sides at each miss; ports that answer
//! bound the others to a window; replicates are merged after each switch. Departures:
//! - without a bound on depth the search ends when the frontier is empty (the paper's bound Q + D + 1 uses
//!   what the mapper cannot know); a limit on explorations makes it end on every network;
//! - a time-out grows by 2 us a turn, so that far hosts are not missed;
//! - "until(anyDeleted? = true)" of PRUNE and MERGE is meant as "= false", and turn 0 is never tried.
//!
//! # Validation
//! `tests/media/papers/mapper.rs`: on a plain graph with circuit collisions the reconstructed NOW gives host hits,
//! switch hits and empty turns of 111/156/94 (C), 227/309/189 (C+A) and 337/707/452 (C+A+B) against the
//! paper's 107/157/93, 216/295/196 and 324/727/480: within 6 %. `tests/running/processes/mapper_fabric.rs`: on the
//! fabric, whose buffers let a probe of 32 bytes pass a cable twice, 111/157/93, 227/310/188 and 337/716/438: within
//! 6 % but for the last figure, which is 8.8 % low; mapping times within 2 % of Fig. 7.
//! `tests/media/properties/mapper_random.rs`: maps of random networks of up to 30 switches and 60 hosts are what theory
//! promises under packet and circuit routing, and `tests/running/processes/mapper_fabric.rs` on the fabric;
//! `tests/media/properties/mapper_simplified.rs`: they are those of the algorithm as printed;
//! `tests/media/properties/mapper_doubt.rs` and `tests/running/processes/mapper_load.rs`: with losses and with
//! applications a wrong map gives cause for doubt.

mod search;

pub(super) use search::{Branches, Search, confirmed, look_behind_the_cable};

use super::{Brief, Map, Order};
use crate::host::Host;
use simnet_base::units::Duration;

/// When vertices that must be one switch are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merging {
    /// After each explored switch.
    #[default]
    EachSwitch,
    /// After each turn: what a turn shows can make the next one known.
    EachTurn,
}

/// When everything is asked once more in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondLook {
    /// Never.
    #[default]
    Never,
    /// When the evidence gives reason for doubt.
    InDoubt,
    /// Always: a no that is wrong must then have been lost twice.
    Always,
}

/// What the Berkeley mapper does at its own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether answers bound the turns worth trying to a window of as many as a switch has ports.
    pub window: bool,
    /// The order of turns.
    pub order: Order,
    /// Whether ports that a replicate of the switch has found are left out. With [`Merging::EachTurn`], which
    /// it is made for, it halves the host hits, which Fig. 6 refutes.
    pub skip_known: bool,
    /// When replicates are merged.
    pub merging: Merging,
    /// Whether the reported sizes of the model count vertices that were merged away, as if they were kept to
    /// the end: the paper's Fig. 8 shows about 750 nodes where merging them at once leaves 458.
    pub keep_merged: bool,
    /// The longest string of turns whose switch is still explored (`SearchDepth`); `None`: no bound. What the
    /// paper's bounds come to in a network, [`Depth`](super::Depth) computes.
    pub depth: Option<usize>,
    /// Whether branches that end in switches are taken away in the end. Under packet routing the whole network
    /// can be distinguished, and theory's promise of N asks for no pruning.
    pub prune: bool,
    /// Whether after each no a message goes to the switch where it was asked and back: if that is lost, the
    /// mapper waits for `pause` and asks again. Worth its messages only where there is other traffic.
    pub control: bool,
    /// When everything that was asked once is asked once more in the end.
    pub second_look: SecondLook,
    /// What is waited before a question is asked again for want of trust: longer than a switch lets a message
    /// block another.
    pub pause: Duration,
}

impl Options {
    /// The reading that reproduces Fig. 6.
    pub const DEFAULT: Options = Options {
        window: true,
        order: Order::Outwards,
        skip_known: false,
        merging: Merging::EachSwitch,
        keep_merged: false,
        depth: None,
        prune: true,
        control: false,
        second_look: SecondLook::Never,
        pause: Duration::from_ms(60),
    };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

impl Options {
    /// The same, careful: for networks in which there is other traffic.
    #[must_use]
    pub fn careful(self) -> Options {
        Options { control: true, second_look: SecondLook::Always, ..self }
    }
}

/// Maps the network that `host` is cabled to. Costs at most `explorations` times 4 x (`ports` - 1) messages.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    Search::new(brief, options, None).run(host).await
}
