//! How busy switches are with decoding heads, against how busy their channels are with flits.
//!
//! A switch's arbiter takes a head for the routing latency. These are facts, and no cause: what limits a load is found
//! by lifting it, in `limits`. With credits all heads are decoded at once, and no arbiter is busy.

use simnet_base::ids::{LinkId, Node, SwitchId};
use simnet_media::fabric::{Arbitration, FlowControl, Parameters};
use simnet_network::topology::{End, Network};
use simnet_output::report::{record, table_of};

use super::point::Point;
use super::summary::{ChannelReport, PointReport};

/// From this share of the time on, an arbiter is near its limit: heads come irregularly, and wait for each other.
const NEAR: f64 = 0.5;

record! {
    /// How busy a switch's arbiter is in the window of a load point, and the busiest of the switch's channels.
    pub struct ArbiterReport {
        /// The load; none for a trace.
        pub load: Option<f64>,
        /// The switch.
        pub switch: String,
        /// Heads that it decoded.
        pub decoded_heads: u64,
        /// Share of the time in which its arbiter decoded a head; with an arbiter at every input or output, of the
        /// busiest one. None with credits, where heads do not wait for each other to be decoded.
        pub arbiter_busy_share: Option<f64>,
        /// Where the busiest channel to it or from it begins, `node:port`.
        pub busiest_from: String,
        /// Where that channel ends.
        pub busiest_to: String,
        /// Share of the time in which a flit was put on that channel.
        pub channel_busy_share: f64,
    }
}

/// The arbiter that is the busiest, and near its limit.
#[derive(Clone, Debug)]
pub struct BusiestArbiter {
    /// Its switch.
    pub arbiter: ArbiterReport,
    /// Share of the time in which it decoded a head.
    pub busy_share: f64,
    /// How heads are decoded.
    pub arbitration: Arbitration,
}

/// How busy the arbiters of all switches with cables are at a load, in order of their ids.
pub(super) fn arbiters(
    network: &Network,
    parameters: &Parameters,
    load: Option<f64>,
    point: &Point,
    channels: &[ChannelReport],
) -> Vec<ArbiterReport> {
    let switch = &parameters.switch;
    let is_busy = parameters.flow == FlowControl::StopGo;
    let mut list: Vec<Option<ArbiterReport>> = vec![None; network.switches().len()];
    let mut heads = vec![(0, 0); network.switches().len()];
    for (index, channel) in channels.iter().enumerate() {
        let (from, to) = ends(network, index);
        let decodes = if switch.arbitration == Arbitration::PerOutput { from } else { to };
        if let Node::Switch(at) = decodes.node {
            let (all, most): &mut (u64, u64) = &mut heads[at.index()];
            *all += point.decoded[index];
            *most = point.decoded[index].max(*most);
        }
        for at in [from, to].into_iter().filter_map(switch_of) {
            let report = list[at.index()].get_or_insert_with(|| idle(network, at, load));
            if report.busiest_from.is_empty() || channel.busy > report.channel_busy_share {
                report.busiest_from.clone_from(&channel.from);
                report.busiest_to.clone_from(&channel.to);
                report.channel_busy_share = channel.busy;
            }
        }
    }
    let cycles = point.window.cycles().max(1) as f64;
    for (report, (all, most)) in list.iter_mut().zip(heads) {
        let Some(report) = report else { continue };
        report.decoded_heads = all;
        let of_one = if switch.arbitration == Arbitration::Serial { all } else { most };
        let busy = switch.routing_interval.unwrap_or(switch.routing_latency);
        let share = ((of_one * busy) as f64 / cycles).min(1.0);
        report.arbiter_busy_share = is_busy.then_some(share);
    }
    list.into_iter().flatten().collect()
}

/// Where the channel `index` begins and ends.
fn ends(network: &Network, index: usize) -> (End, End) {
    let link = network.link(LinkId::new(index / 2));
    if index.is_multiple_of(2) { (link.a, link.b) } else { (link.b, link.a) }
}

fn switch_of(end: End) -> Option<SwitchId> {
    match end.node {
        Node::Switch(id) => Some(id),
        Node::Host(_) => None,
    }
}

/// A switch of which nothing is known yet.
fn idle(network: &Network, switch: SwitchId, load: Option<f64>) -> ArbiterReport {
    ArbiterReport {
        load,
        switch: network.name_of(Node::Switch(switch)).to_owned(),
        decoded_heads: 0,
        arbiter_busy_share: None,
        busiest_from: String::new(),
        busiest_to: String::new(),
        channel_busy_share: 0.0,
    }
}

/// The busiest arbiter at the lowest saturated load, else at the highest load, if it is near its limit and busier than
/// the busiest channel of its switch.
pub(super) fn busiest(
    points: &[PointReport],
    arbiters: &[Vec<ArbiterReport>],
    arbitration: Arbitration,
) -> Option<BusiestArbiter> {
    let by_load = |(a, _): &(&PointReport, _), (b, _): &(&PointReport, _)| {
        a.load.unwrap_or(0.0).total_cmp(&b.load.unwrap_or(0.0))
    };
    let all = || points.iter().zip(arbiters);
    let saturated = all().filter(|(point, _)| point.saturated).min_by(by_load);
    let carried = all().filter(|(point, _)| point.is_carried());
    let (_, of_point) = saturated.or_else(|| carried.max_by(by_load))?;
    let shares = of_point.iter().filter_map(|arbiter| Some((arbiter.arbiter_busy_share?, arbiter)));
    let (busy_share, arbiter) = shares.rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_near = busy_share >= NEAR && busy_share > arbiter.channel_busy_share;
    is_near.then(|| BusiestArbiter { arbiter: arbiter.clone(), busy_share, arbitration })
}

/// One row a switch and load point.
pub(super) fn table(arbiters: &[Vec<ArbiterReport>]) -> String {
    table_of(arbiters.iter().flatten()).into_csv()
}
