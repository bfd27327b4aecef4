//! The messages that load points of generated traffic take, and the load that a network carries, roughly.
//!
//! A sequential point takes its first look, and more the narrower its interval has to be and the nearer its load is to
//! what the network carries. A load beyond that ends soon.
//!
//! # Scope and limitations
//! The load that is carried follows from distances, rates and decoding times; routes and buffers are not looked at. It
//! may be off by a factor of two. Within that factor a sequential point may take any number from the least to the most.
//! A point that dies takes less. Messages sent while the last ones of a window end are left out.
//!
//! # Validation
//! `tests/it/command/estimates.rs` compares these numbers with what runs deliver.

use std::ops::Add;

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_base::units::Time;
use simnet_media::fabric::Arbitration;
use simnet_media::traffic::{PARTS, Pattern, Shape};
use simnet_network::topology::Link;

use crate::checked::{Checked, Extent, Generated, Measure};

/// Messages of one point or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Messages {
    /// As many as there are at least, unless the network dies.
    pub(super) least: f64,
    /// As many as are likely.
    pub(super) likely: f64,
    /// As many as there can be.
    pub(super) most: f64,
}

impl Messages {
    /// As many as this, for certain.
    pub(super) fn known(count: f64) -> Messages {
        Messages { least: count, likely: count, most: count }
    }
}

impl Add for Messages {
    type Output = Messages;

    fn add(self, other: Messages) -> Messages {
        Messages {
            least: self.least + other.least,
            likely: self.likely + other.likely,
            most: self.most + other.most,
        }
    }
}

/// The points of generated traffic.
pub(super) struct Loads<'a> {
    checked: &'a Checked,
    generated: &'a Generated,
    senders: f64,
    /// The load at which the network saturates, roughly; infinite where that makes no difference.
    carried: f64,
    /// The factor by which that may be off.
    off: f64,
}

/// A queue near its limit is known within the share p after about `6 load^3 / (p (1 - load))^2` messages: read off a
/// queue and two networks.
const WANTED: f64 = 6.0;
/// A network blocks itself at about this share of what its cables and switches carry.
const BLOCKED: f64 = 0.6;
/// The load that is carried may be off by this factor.
const OFF: f64 = 2.0;
/// Without a horizon, a point ends at the latest after so many times its warm-up and window.
const PATIENCE: f64 = 4.0;
/// A search may take so many times fewer messages than are likely.
const OFF_SEARCH: f64 = 4.0;
/// Looks at the warm-up of a saturated point.
const LOOKS: f64 = 8.0;
/// Senders whose distances stand for those of all.
const SAMPLE: usize = 8;

impl<'a> Loads<'a> {
    /// The points of a scenario. Costs O(hosts + cables) where points are sequential or a mapping is loaded.
    pub(super) fn new(checked: &'a Checked, generated: &'a Generated) -> Loads<'a> {
        let measure = &checked.measure;
        let is_loaded = checked.mapping().is_some_and(|mapping| mapping.load.is_some());
        let counts = measure.until_precise || measure.find_saturation.is_some() || is_loaded;
        let carried = if counts { carried(checked, generated) } else { f64::INFINITY };
        let pattern = &generated.workload.pattern;
        let off = if is_alone(pattern) { 1.0 } else { OFF };
        Loads { checked, generated, senders: pattern.senders().max(1) as f64, carried, off }
    }

    /// Messages a picosecond that hosts offer at a load.
    pub(super) fn rate(&self, load: f64) -> f64 {
        self.senders / self.generated.workload.mean_gap_ps(load, self.checked.load_flit_time())
    }

    /// Messages a picosecond that the network delivers at a load.
    pub(super) fn accepted(&self, load: f64) -> f64 {
        self.rate(load.min(self.carried))
    }

    /// The messages of the point at a load.
    pub(super) fn point(&self, load: f64) -> Messages {
        let measure = &self.checked.measure;
        let most = self.most(load, measure.extent);
        let likely = self.likely(load).min(most);
        let busy = load / self.carried;
        let is_open = measure.until_precise && (1.0 / self.off..=self.off).contains(&busy);
        let first = self.look(Measure::FIRST_WINDOW).min(self.in_extent(load, measure.extent));
        Messages { least: if is_open { likely.min(first / busy.max(1.0)) } else { likely }, likely, most }
    }

    /// Picoseconds of simulated time of the longest point, those of a search among them.
    pub(super) fn longest(&self) -> Messages {
        let measure = &self.checked.measure;
        let clock = Time::END.as_ps() as f64;
        let horizon = measure.horizon.map_or(clock, |horizon| horizon.as_ps() as f64);
        let of_load = |load: f64| {
            let point = self.point(load);
            // What is measured in any case are messages that are created.
            let rate = if measure.until_precise { self.accepted(load) } else { self.rate(load) };
            let [least, likely] = [point.least, point.likely].map(|count| count / rate);
            let most = (PATIENCE * point.most / self.rate(load)).min(horizon);
            Messages { least: least.min(most), likely: likely.min(most), most }
        };
        let longer = |a: Messages, b: Messages| Messages {
            least: a.least.max(b.least),
            likely: a.likely.max(b.likely),
            most: a.most.max(b.most),
        };
        // The probes that take long are near to what the network carries.
        let edge = self.carried.min(1.0);
        let probes = self.limit_of_search().map(|limit| Messages {
            least: 0.0,
            likely: (limit / 2.0 / self.rate(edge)).min(horizon),
            most: (self.off * PATIENCE * 2.0 * limit / self.rate(edge)).min(horizon),
        });
        self.generated.loads.iter().map(|load| of_load(*load)).chain(probes).fold(Messages::default(), longer)
    }

    /// The messages of a search for saturation; none without one.
    ///
    /// Most of its probes are near to saturation and take long: on seven networks between a fifth of the limit and one
    /// and a half limits each time that the bracket was halved.
    pub(super) fn search(&self) -> Messages {
        let Some((resolution, limit)) = self.checked.measure.find_saturation.zip(self.limit_of_search())
        else {
            return Messages::default();
        };
        let horizon = self.checked.measure.horizon;
        let within =
            horizon.map_or(f64::INFINITY, |end| end.as_ps() as f64 * self.rate(self.carried.min(1.0)));
        let halvings = libm::log2(1.0 / resolution).max(1.0);
        let most = Measure::MOST_PROBES as f64 * (2.0 * limit).min(within * self.off);
        let likely = (halvings / 2.0 * limit.min(within)).min(most);
        Messages { least: likely / OFF_SEARCH, likely, most }
    }

    /// The messages that a probe of the search is measured for at most: its own limit, or the scenario's if that is
    /// longer. None without a search.
    fn limit_of_search(&self) -> Option<f64> {
        let measure = &self.checked.measure;
        measure.find_saturation?;
        let searched = Measure { extent: Measure::SEARCHED, ..*measure };
        let searched = if measure.whole.is_some() { searched.quick() } else { searched };
        let limit = |extent| self.in_extent(self.carried.min(1.0), extent);
        Some(f64::max(limit(measure.extent), limit(searched.extent)))
    }

    fn in_extent(&self, load: f64, extent: Extent) -> f64 {
        match extent {
            Extent::Messages(count) => count as f64,
            Extent::Duration(span) => span.as_ps() as f64 * self.rate(load),
        }
    }

    /// The messages of a look: at least so many, and so many a host.
    fn look(&self, (least, a_host): (u64, u64)) -> f64 {
        f64::max(least as f64, a_host as f64 * self.senders)
    }

    fn most(&self, load: f64, extent: Extent) -> f64 {
        let (measure, limit) = (&self.checked.measure, self.in_extent(load, extent));
        let warmup = measure.warmup.map_or_else(
            || limit.max(self.look(Measure::FIRST_WARMUP) * Measure::WARMUP_LOOKS as f64),
            |span| span.as_ps() as f64 * self.rate(load),
        );
        let horizon =
            measure.horizon.map_or(f64::INFINITY, |horizon| horizon.as_ps() as f64 * self.rate(load));
        (warmup + limit).min(horizon)
    }

    fn likely(&self, load: f64) -> f64 {
        let measure = &self.checked.measure;
        let given = measure.warmup.map(|span| span.as_ps() as f64 * self.rate(load));
        let warmup = given.unwrap_or_else(|| self.look(Measure::FIRST_WARMUP));
        let limit = self.in_extent(load, measure.extent);
        if !measure.until_precise {
            return warmup + limit;
        }
        let (first, busy) = (self.look(Measure::FIRST_WINDOW), load / self.carried);
        if busy < 1.0 {
            let share = busy / (1.0 - busy) / measure.precision;
            return warmup + f64::max(first, WANTED * busy * share * share).min(limit);
        }
        let warmup = given.unwrap_or(warmup * LOOKS);
        (warmup + warmup.max(2.0 * first).min(limit)) / busy
    }
}

/// The load at which the network saturates, roughly, in payload flits per flit time and host: where cables of hosts,
/// cables between switches, or routing units are full, less what is lost as messages block each other.
fn carried(checked: &Checked, generated: &Generated) -> f64 {
    let (network, pattern) = (&checked.topology.network, &generated.workload.pattern);
    let senders = pattern.senders().max(1) as f64;
    let payload = generated.workload.sizes.mean();
    let decoding =
        checked.fabric.routing_latency.as_ps() as f64 / checked.load_flit_time().as_ps().max(1) as f64;
    // Without credits a port decodes a head and passes its tail before it turns to the next message.
    let is_held = checked.fabric.credits.is_none();
    let used = if is_held { payload / (payload + decoding + 1.0) } else { 1.0 };
    let distance = mean_distance(checked, pattern);
    let usual = checked.fabric.rate.as_bits_per_s() as f64;
    let of_link = |link: &Link| link.rate.map_or(usual, |rate| rate.as_bits_per_s() as f64);
    let inner: f64 = network.links().iter().filter(|link| is_inner(link)).map(of_link).sum();
    let inner = inner / checked.fabric.load_rate.as_bits_per_s() as f64;
    let inflow = inflow(pattern);
    let is_serial = is_held && checked.fabric.arbitration == Arbitration::Serial;
    let heads = senders * (distance + 1.0) * decoding;
    let limits = [
        used / inflow,
        used * 2.0 * inner / (senders * distance),
        if is_serial { network.switches().len() as f64 * payload / heads } else { f64::INFINITY },
    ];
    let blocked = if is_alone(pattern) { 1.0 } else { BLOCKED };
    blocked * limits.into_iter().fold(f64::INFINITY, f64::min)
}

/// Whether no more than two hosts take part, whose messages do not meet.
fn is_alone(pattern: &Pattern) -> bool {
    pattern.members().list().len() <= 2
}

/// Whether a cable joins switches.
pub(super) fn is_inner(link: &Link) -> bool {
    [link.a, link.b].iter().all(|end| matches!(end.node, Node::Switch(_)))
}

/// The load that arrives at the host that receives the most, if every host that sends offers a load of 1.
fn inflow(pattern: &Pattern) -> f64 {
    let share = |parts: u64| parts as f64 / PARTS as f64;
    match pattern.shape() {
        Shape::Uniform | Shape::NearestNeighbours => 1.0,
        Shape::HotSpot { hosts, parts } => {
            let spots = hosts.len().max(1) as f64;
            1.0 - share(parts) + share(parts) * (pattern.senders() as f64 / spots).max(1.0)
        }
        Shape::Only(only) => {
            let mut counts = vec![0_u32; only.len()];
            only.iter().flatten().for_each(|host| counts[host.index()] += 1);
            f64::from(counts.into_iter().max().unwrap_or(0).max(1))
        }
        Shape::Mix(patterns) => patterns.iter().map(|(parts, one)| share(*parts) * inflow(one)).sum(),
    }
}

/// The mean number of cables between switches on shortest paths from a sample of hosts to those that they send to.
fn mean_distance(checked: &Checked, pattern: &Pattern) -> f64 {
    let switch = |host: HostId| match checked.topology.attachment(host)?.2.node {
        Node::Switch(id) => Some(id),
        Node::Host(_) => None,
    };
    let list = pattern.members().list();
    let (mut sum, mut weights) = (0.0, 0.0);
    for host in list.iter().step_by(list.len().div_ceil(SAMPLE).max(1)) {
        let Some(from) = switch(*host) else { continue };
        let distances = distances(checked, from);
        for (to, weight) in pattern.destinations(*host) {
            let Some(distance) = switch(to).and_then(|to| distances[to.index()]) else { continue };
            sum += weight as f64 * f64::from(distance);
            weights += weight as f64;
        }
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// Per switch, how many cables it is away; none if it is not connected.
fn distances(checked: &Checked, from: SwitchId) -> Vec<Option<u32>> {
    let network = &checked.topology.network;
    let mut distances = vec![None; network.switches().len()];
    distances[from.index()] = Some(0);
    let mut reached = vec![(from, 0)];
    let mut next = 0;
    while let Some((at, distance)) = reached.get(next).copied() {
        next += 1;
        for (_, _, end) in network.cables(Node::Switch(at)) {
            if let Node::Switch(to) = end.node
                && distances[to.index()].is_none()
            {
                distances[to.index()] = Some(distance + 1);
                reached.push((to, distance + 1));
            }
        }
    }
    distances
}
