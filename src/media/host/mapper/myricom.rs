//! The Myricom mapper: asks of every switch, before it explores it, whether it has seen it before.
//!
//! # Scope and limitations
//! One master; all other hosts answer. Nothing else may load the network. The map shows all that the mapper can
//! reach, parts without hosts included: nothing is pruned. Every host has one cable.
//!
//! # Source
//! Mainwaring et al. 1997, section 4, which leaves the heuristics open. The reading that reproduces the counts
//! of its Fig. 10:
//! - the frontier holds routes to switches, first in, first out;
//! - a switch taken from it is scanned for hosts, turns -1, +1, -2, +2, ... within a window of as many ports as a
//!   switch has; a host that is known already shows which switch it is and by which port it was entered, an
//!   unknown one proves it new;
//! - a switch where no host answered is compared with the known ones of that kind (the mapper's own switch among
//!   them if it has no other host), the newest first, up to the first comparison that returns; of the turns X of
//!   `T X -S` those are left out that would put the entry outside the window of the known switch's ports;
//! - before it is compared, a switch probe goes to it once more;
//! - a new switch is scanned for hosts once more; then each turn that can be a port by what that scan found gets one
//!   loop probe and one switch probe, also where a host answered. Every switch that answers goes to the frontier,
//!   also where it turns out to be known.
//!
//! A comparison that returns is proof: its way back, read from the mapper's end, is the route S, and that leads
//! to one port of one switch only. The same holds for loop probes. The paper does not print them: here the probe
//! is `T t -t -T`, which comes home if the cable of port t brings it back in by the same port, as a loop-back
//! plug does; that makes one a turn, as Fig. 10 counts. A cable from one port of a switch to another is found
//! as any other cable between switches is. With [`Loops::Cables`] the probes are `T t -u -T` for all pairs of
//! ports instead, which detect such a cable and spare its switch probes.
//!
//! Departures: turns of switches of any number of ports; where nothing at all answers at the mapper's own
//! switch, one more pair of probes distinguishes a switch from a host or from nothing; [`Options::start_up`].
//!
//! # Validation
//! `tests/running/papers/mapper_myricom.rs`: probes of each kind on the reconstructed NOW, as in the table of
//! `docs/VALIDATION.md`; maps of thousands of random networks are all of N, under packet and circuit routing and
//! on the fabric, whatever the options.

mod clues;
mod explorer;
mod scan;

pub(super) use explorer::{Explorer, finish};

use super::{Brief, Map};
use crate::host::Host;
use simnet_base::units::Duration;

/// What the Myricom mapper does at its own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// With which known switches a switch without hosts is compared.
    pub filter: Filter,
    /// Whether the switches found first are compared first.
    pub oldest_first: bool,
    /// Whether the turns X of a comparison are bound to the window that the known switch's ports leave.
    pub bound_comparisons: bool,
    /// Whether hosts bound the turns worth scanning to a window of as many as a switch has ports.
    pub window: bool,
    /// Whether the scan that is to recognise a switch ends at the first host.
    pub stop_at_first: bool,
    /// Whether a new switch is scanned for hosts again from the start.
    pub rescan: bool,
    /// Whether a switch on the frontier is left out when its cable is known by then, from its other end.
    pub skip_told: bool,
    /// What loop probes look for.
    pub loops: Loops,
    /// Which turns at a new switch get a loop probe, where these look for plugs, and which a switch probe.
    pub survey: Survey,
    /// Whether a switch probe is sent again to a switch before it is compared with others.
    pub switch_again: bool,
    /// How long the mapper waits before its first probe; part of the time that its map is reported to have taken.
    pub start_up: Duration,
}

/// With which known switches one without hosts is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// With those at which no host was found.
    #[default]
    Hostless,
    /// With all.
    All,
}

/// What loop probes look for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loops {
    /// Ports whose cable leads back into themselves: one probe a turn.
    #[default]
    Plugs,
    /// Cables from one port of a switch to another: up to one probe for each pair of ports.
    Cables,
    /// Nothing: none are sent.
    Nothing,
}

/// Which turns at a new switch get a loop probe, and which a switch probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Survey {
    /// Those that lead to no host, whether they can be ports or not, both.
    Hostless,
    /// Loop probes go to those that can be ports by what the scan for hosts found, also where a host answered; switch
    /// probes as before.
    LoopsInWindow,
    /// Both go to those that can be ports, also where a host answered.
    #[default]
    Window,
}

/// The time that passes before the first probe of a mapper in the interface's firmware.
///
/// # Source
/// Mainwaring et al. 1997, Fig. 10: see [`Costs::lanai`](crate::host::Costs::lanai). The paper does not say
/// what the interface does in this time.
pub const START_UP: Duration = Duration::from_ms(830);

/// How long a mapper in the interface's firmware waits for an answer; see
/// [`Costs::lanai`](crate::host::Costs::lanai).
pub const TIMEOUT: Duration = Duration::from_us(440);

impl Options {
    /// The reading that reproduces Fig. 10.
    pub const DEFAULT: Options = Options {
        filter: Filter::Hostless,
        oldest_first: false,
        bound_comparisons: true,
        window: true,
        stop_at_first: false,
        rescan: true,
        skip_told: false,
        loops: Loops::Plugs,
        survey: Survey::Window,
        switch_again: true,
        start_up: START_UP,
    };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// Maps the network that `host` is cabled to. Costs O(cables x switches x ports) messages.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    let began = host.now();
    host.sleep(options.start_up).await;
    let mut explorer = Explorer::new(host.name(), brief, options);
    explorer.model.journal.begin(began);
    explorer.run(host).await;
    explorer.finish(host.name(), host.now().since(began))
}
