//! One load point: a fresh fabric, traffic on given routes, and what came of it.

use crate::fabric::{ChannelUse, Deadlock, Fabric, Observer, Parameters, Pause};
use crate::ids::{HostId, LinkId, Port};
use crate::measure::{Meter, Window};
use crate::routing::Routes;
use crate::topology::Network;
use crate::traffic::{BitErrors, Source};
use crate::units::{Cycle, Duration};

use super::traffic::{Delivery, Hosts, Tally};

/// What all load points of a run share.
pub struct Setup<'a> {
    /// The network.
    pub network: &'a Network,
    /// The fabric, in base cycles.
    pub parameters: &'a Parameters,
    /// Per host, the port that it uses.
    pub attachments: &'a [Option<Port>],
    /// Cables that fail: when, and when they return.
    pub failures: Vec<(LinkId, Cycle, Option<Cycle>)>,
    /// The mean number of bits between two errors, if there are any.
    pub bits_between_errors: Option<u64>,
    /// The seed of bit errors.
    pub seed: u64,
}

/// How a load point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PointEnd {
    /// Every measured message ended.
    Drained,
    /// The horizon came first.
    Horizon,
    /// Messages are stuck, and nothing will ever free them.
    Deadlocked,
}

/// What came of one load point.
pub struct Point {
    /// How it ended.
    pub end: PointEnd,
    /// The cycles over which rates are taken.
    pub window: Window,
    /// What was measured.
    pub meter: Meter,
    /// How messages ended, warm-up included.
    pub tally: Tally,
    /// Every message's end, if asked for.
    pub deliveries: Option<Vec<Delivery>>,
    /// The rows of a trace's messages that have no route, if deliveries were asked for.
    pub unrouted: Option<Vec<u64>>,
    /// Per channel, its use within the window.
    pub channels: Vec<ChannelUse>,
    /// Every deadlock, in order of formation.
    pub deadlocks: Vec<Deadlock>,
    /// How many messages were still in the fabric at the end.
    pub in_flight: u64,
    /// Events that the fabric handled.
    pub events: u64,
    /// The last cycle that was run.
    pub last: Cycle,
}

/// Runs one load point until every message created in `window` has ended, or to `horizon`, before the eyes of
/// `observer`.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
pub fn run(
    setup: &Setup<'_>,
    source: impl Source,
    routes: &impl Routes,
    window: Window,
    horizon: Cycle,
    keep_deliveries: bool,
    observer: &mut impl Observer,
) -> Result<Point, crate::fabric::BuildError> {
    let mut fabric = Fabric::new(setup.network, setup.parameters, setup.attachments)?;
    for (link, at, until) in &setup.failures {
        fabric.fail_link(*link, *at);
        if let Some(until) = until {
            fabric.restore_link(*link, *until);
        }
    }
    let hosts = setup.network.hosts().len();
    let errors =
        |mean| (0..hosts).map(|host| BitErrors::new(HostId::new(host).0, mean, setup.seed)).collect();
    let bit_errors = setup.bits_between_errors.map_or_else(Vec::new, errors);
    let base_cycle: Duration = setup.parameters.base_cycle;
    let mut traffic =
        Hosts::new(source, routes, base_cycle, setup.attachments, bit_errors, Meter::new(window));
    traffic.deliveries = keep_deliveries.then(Vec::new);
    traffic.unrouted = keep_deliveries.then(Vec::new);

    advance(&mut fabric, &mut traffic, observer, window.from.min(horizon));
    let before = fabric.channel_use();
    advance(&mut fabric, &mut traffic, observer, window.to.min(horizon));
    let after = fabric.channel_use();
    // Once nothing is left to happen, time that passes measures nothing.
    let measured = Window { to: window.to.min(fabric.now()).max(window.from + 1), ..window };
    while !traffic.settled() && fabric.now() < horizon {
        if fabric.run_until(horizon, &mut traffic, observer) == Pause::Idle {
            break;
        }
    }
    traffic.count_backlog();
    let end = if traffic.settled() {
        PointEnd::Drained
    } else if fabric.in_flight() > 0 && (fabric.now() < horizon || is_locked_for_ever(setup, &fabric)) {
        PointEnd::Deadlocked
    } else {
        PointEnd::Horizon
    };
    Ok(Point {
        end,
        window: measured,
        channels: after.iter().zip(&before).map(|(after, before)| between(before, after)).collect(),
        deadlocks: in_order(fabric.deadlocks()),
        in_flight: fabric.in_flight() as u64,
        events: fabric.events(),
        last: fabric.now(),
        meter: traffic.meter,
        tally: traffic.tally,
        deliveries: traffic.deliveries,
        unrouted: traffic.unrouted,
    })
}

/// Whether a deadlock stands that no forward reset will ever break, whatever else still moves.
fn is_locked_for_ever(setup: &Setup<'_>, fabric: &Fabric) -> bool {
    setup.parameters.switch.timeout.is_none()
        && fabric.deadlocks().iter().any(|deadlock| deadlock.cleared.is_none())
}

/// Deadlocks in order of their formation; those of one cycle by their first input ports.
fn in_order(deadlocks: &[Deadlock]) -> Vec<Deadlock> {
    let mut deadlocks = deadlocks.to_vec();
    deadlocks.sort_by_key(|deadlock| (deadlock.formed, deadlock.members.first().map(|member| member.input)));
    deadlocks
}

/// What a channel did between two readings.
fn between(before: &ChannelUse, after: &ChannelUse) -> ChannelUse {
    ChannelUse { flits: after.flits - before.flits, blocked: after.blocked - before.blocked }
}

/// Runs to `until` whether or not all measured messages have ended before.
fn advance<S: Source, R: Routes>(
    fabric: &mut Fabric,
    traffic: &mut Hosts<'_, S, R>,
    observer: &mut impl Observer,
    until: Cycle,
) {
    while fabric.now() < until {
        if fabric.run_until(until, traffic, observer) == Pause::Idle {
            break;
        }
    }
}
