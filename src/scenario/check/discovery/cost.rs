//! What measuring comes to: refused where it would take for ever, with a warning where it may take long.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::{LinkId, Node, SwitchId};
use simnet_base::units::Bytes;
use simnet_media::ethernet::{HEADER, SpanningTree, TRAILER};

use super::measuring::headers;
use crate::check::out_of_range;
use crate::checked::Topology;
use crate::diagnostics::{Diagnostics, Place};
use crate::discovery::Discovery;
use crate::ethernet::Ethernet;

/// The most messages that are sent at least: about an hour's work.
const MOST_MESSAGES: f64 = 1e9;
/// So many messages at worst deserve a warning.
const MANY_MESSAGES: f64 = 1e10;
/// The longest that a measurement takes at worst, in picoseconds: thirty days. Overflow is far off then.
const LONGEST: f64 = 30.0 * 86_400e12;

/// What a measurement comes to.
struct Cost {
    /// Messages at least: every pair settles at its first set.
    least: f64,
    /// Messages at worst: no pair ever settles.
    most: f64,
    /// The time at worst, in picoseconds.
    longest: f64,
}

/// Notes a measurement that outlasts a human life; `None` after such a fault.
pub(super) fn check(
    place: Place,
    discovery: &Discovery,
    topology: &Topology,
    medium: &Ethernet,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    check_background(place, discovery, topology, medium, diagnostics)?;
    let Cost { least, most, longest } = cost(discovery, topology, medium);
    if least > MOST_MESSAGES {
        let message = format!("measuring takes at least {least:.1e} messages, background counted in");
        out_of_range(place, message, format!("expected at most {MOST_MESSAGES:.0e}"), diagnostics);
        return None;
    }
    if longest > LONGEST {
        let days = longest / 86_400e12;
        let message = format!("a measurement would take {days:.0} days of simulated time at worst");
        out_of_range(place, message, "expected at most 30 days", diagnostics);
        return None;
    }
    if most > MANY_MESSAGES {
        diagnostics.warn(place, |span| {
            let message = format!("measuring takes {most:.1e} messages if noise keeps pairs from settling");
            Fault::new("long-run", span, message, "may take hours then; fewer `most-samples` would bound it")
        });
    }
    Some(())
}

/// The most of a cable's time that background traffic takes, where that of several machines meets: beyond all of it,
/// what waits grows without end, and so does every round trip.
const FULLEST: f64 = 0.95;

/// Notes background traffic that fills a cable; `None` after such a fault.
fn check_background(
    place: Place,
    discovery: &Discovery,
    topology: &Topology,
    medium: &Ethernet,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let share = f64::from(discovery.noise.background_ppm) / 1e6;
    if share <= 0.0 {
        return Some(());
    }
    let (load, cable) = fullest(discovery, topology, medium);
    if load * share <= FULLEST {
        return Some(());
    }
    let cable = crate::check::names::link_name(&topology.network, cable);
    let message = format!(
        "background of {:.1} % fills a cable to {:.0} %: {cable}",
        share * 100.0,
        load * share * 100.0
    );
    let expected = format!("expected at most {:.1} % of every machine's cable", FULLEST / load * 100.0);
    out_of_range(place, message, expected, diagnostics);
    None
}

/// How full the fullest cable would be, in one direction, if every machine filled its own with messages to all others;
/// and which it is. Costs O(nodes + cables), and electing the tree.
fn fullest(discovery: &Discovery, topology: &Topology, medium: &Ethernet) -> (f64, LinkId) {
    let net = &topology.network;
    let parameters = medium.parameters(net, None);
    let tree = SpanningTree::elect(net, &parameters.rates, &parameters.bridge_priorities);
    let speed = |link: LinkId| parameters.rates[link.index()].as_bits_per_s() as f64;
    // By switch, the machines at it and behind it as seen from the root, and what they send.
    let mut below = vec![(0.0_f64, 0.0_f64); net.switches().len()];
    let mut own = Vec::new();
    for machine in &discovery.machines {
        let Some((_, link, far)) = topology.attachment(*machine) else { continue };
        if let Node::Switch(home) = far.node {
            below[home.index()].0 += 1.0;
            below[home.index()].1 += speed(link);
            own.push((link, 1.0, speed(link)));
        }
    }
    let (all, sent): (f64, f64) =
        own.iter().fold((0.0, 0.0), |(all, sent), (_, one, speed)| (all + one, sent + speed));
    let mut order: Vec<SwitchId> = net.switch_ids().filter(|switch| tree.parent(*switch).is_none()).collect();
    let mut children = vec![Vec::new(); net.switches().len()];
    for switch in net.switch_ids() {
        if let Some((_, up)) = tree.parent(switch) {
            children[up.index()].push(switch);
        }
    }
    let mut next = 0;
    while let Some(switch) = order.get(next).copied() {
        order.extend(&children[switch.index()]);
        next += 1;
    }
    for switch in order.iter().rev() {
        if let Some((link, up)) = tree.parent(*switch) {
            let (machines, speed) = below[switch.index()];
            below[up.index()].0 += machines;
            below[up.index()].1 += speed;
            own.push((link, machines, speed));
        }
    }
    let load = |(link, machines, out): &(LinkId, f64, f64)| {
        let others = (all - 1.0).max(1.0);
        let (up, down) = (out * (all - machines) / others, (sent - out) * machines / others);
        (up.max(down) / speed(*link), *link)
    };
    own.iter().map(load).fold((0.0, LinkId(0)), |most, load| if load.0 > most.0 { load } else { most })
}

/// What measuring comes to.
fn cost(discovery: &Discovery, topology: &Topology, medium: &Ethernet) -> Cost {
    let (plan, software, noise) = (&discovery.plan, &discovery.software, &discovery.noise);
    let machines = discovery.machines.len() as f64;
    let pairs = machines * (machines - 1.0);
    let first = pairs * f64::from(plan.first) * f64::from(plan.round_trips) * 2.0;
    let all = pairs * f64::from(all_samples(plan.first, plan.most)) * f64::from(plan.round_trips) * 2.0;
    // A message, from one rank to the other: its software, and as many frames one after the other as it passes cables.
    let bytes = (plan.message.0 + software.envelope.0) as f64;
    let costs = &software.costs;
    let work = (costs.send + costs.receive).as_ps() as f64
        + bytes * (costs.send_byte.as_ps() + costs.receive_byte.as_ps()) as f64;
    let pace = discovery.paces.iter().map(|(_, pace)| f64::from(*pace) / 1e3).fold(1.0, f64::max);
    let links = topology.network.links().iter();
    let rate = links.filter_map(|link| link.rate).min().unwrap_or(medium.rate).min(medium.rate);
    let frame = Bytes(plan.message.0 + software.envelope.0 + u64::from(headers(medium) + HEADER + TRAILER));
    let cables = topology.network.switches().len() as f64 + 1.0;
    let hop =
        rate.time_for(frame).as_ps() + (medium.switch_latency + medium.cable_length.flight_time()).as_ps();
    let usual = work + software.pause.as_ps() as f64 + cables * hop as f64;
    // Jitter and drift at most double what software takes; two pieces of work may be interrupted.
    let interrupted = 2.0 * noise.outlier_mean.as_ps() as f64;
    let worst = 4.0 * pace * work + interrupted + software.pause.as_ps() as f64 + cables * hop as f64;
    let share = f64::from(noise.background_ppm) / 1e6;
    let background = |time: f64| {
        let every = rate.time_for(noise.background_message).as_ps().max(1) as f64;
        machines * time * share / every
    };
    Cost {
        least: first + background(first * usual),
        most: all + background(all * worst),
        longest: all * worst / (1.0 - share.min(0.99)),
    }
}

/// The samples of all sets together.
fn all_samples(first: u32, most: u32) -> u32 {
    let sets = std::iter::successors(Some(first), |set| set.checked_mul(2)).take_while(|set| *set < most);
    sets.fold(most, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a set were forgotten: 26, 52, 104, 208, 416, 832 and 1,000.
    #[test]
    fn all_sets_are_counted() {
        assert_eq!(all_samples(26, 1_000), 26 + 52 + 104 + 208 + 416 + 832 + 1_000);
        assert_eq!((all_samples(26, 26), all_samples(2, 3)), (26, 5));
    }
}
