//! Regular networks after years of service: some switches and cables failed, others were put in.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::topology::{End, Network};
use simnet_base::ids::{Node, SwitchId};

use super::layout::{cable, check_size, port};
use super::{GenerateError, invalid};

/// How often a drawing that fell apart is begun anew, at most.
const ATTEMPTS: usize = 50;
/// The switches and cables of all drawings together: a large network is drawn less often.
const MOST_DRAWN: usize = 1 << 16;

/// A connected network drawn from a sound one: switches fail with their hosts and all their cables, then cables
/// between switches that are left, then switches are added.
///
/// What is left keeps its names and ports. An added switch is like the others and is cabled to different
/// switches with a free port, drawn at random, as many as there are but no more than others have. So every
/// added switch needs a place that something left when it failed.
///
/// # Source
/// Mainwaring et al. 1997, section 6, names networks that began regular and are no longer as those that need
/// more than a fixed rule; how they decay is this project's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decayed {
    family: &'static str,
    sound: Network,
    failed_switches: usize,
    failed_links: usize,
    added_switches: usize,
    hosts_per_switch: u64,
}

impl Decayed {
    /// Checks the parameters. Every switch of `sound` has `hosts_per_switch` hosts on its last ports.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if more is to fail than there is, or more to be added than can be held.
    pub fn new(
        family: &'static str,
        sound: Network,
        hosts_per_switch: u32,
        [failed_switches, failed_links, added_switches]: [u32; 3],
    ) -> Result<Decayed, GenerateError> {
        let (switches, links) = (sound.switches().len(), switch_links(&sound).count());
        let [failed_switches, failed_links, added_switches] =
            [failed_switches, failed_links, added_switches].map(|count| count as usize);
        if failed_switches >= switches {
            return Err(invalid(
                family,
                "failed-switches",
                format!("must be below {switches}, or none is left"),
            ));
        }
        if failed_links > links {
            return Err(invalid(
                family,
                "failed-links",
                format!("must be at most {links}: there are no more"),
            ));
        }
        let total = (switches + added_switches) as u64;
        let hosts_per_switch = u64::from(hosts_per_switch);
        check_size(family, "added-switches", total, total * hosts_per_switch, 0)?;
        Ok(Decayed { family, sound, failed_switches, failed_links, added_switches, hosts_per_switch })
    }

    /// Draws the network that `seed` stands for.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if every drawing falls apart or leaves no place for the added switches.
    pub fn build(&self, seed: u64) -> Result<Network, GenerateError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = self.sound.switches().len() + self.sound.links().len();
        let attempts = (MOST_DRAWN / size.max(1)).clamp(1, ATTEMPTS);
        let mut at_fault = "failed-switches";
        if self.added_switches > 0 && self.failed_switches + self.failed_links == 0 {
            let open = self.sound.switch_ids().any(|switch| !self.free_ports(&self.sound, switch).is_empty());
            if !open {
                return Err(invalid(self.family, "added-switches", "needs ports that failed ones left free"));
            }
        }
        for _ in 0..attempts {
            let Some(mut net) = self.failed(&mut rng) else {
                at_fault = "failed-links";
                continue;
            };
            if !self.extend(&mut net, &mut rng) {
                at_fault = "added-switches";
                continue;
            }
            if is_connected(&net) {
                return Ok(net);
            }
        }
        let reason = match at_fault {
            "failed-links" => "is more than can fail beside the switches".to_owned(),
            "added-switches" => {
                "finds no free port: let more switches or cables fail, or add fewer".to_owned()
            }
            _ => format!(
                "leaves no connected network in {attempts} drawings: let fewer switches or cables fail"
            ),
        };
        Err(invalid(self.family, at_fault, reason))
    }

    /// What is left of the network; `None` if fewer cables are left than are to fail.
    fn failed(&self, rng: &mut ChaCha8Rng) -> Option<Network> {
        let sound = &self.sound;
        let mut alive = vec![true; sound.switches().len()];
        for switch in drawn(sound.switches().len(), self.failed_switches, rng) {
            alive[switch] = false;
        }
        let lives = |end: &End| match end.node {
            Node::Switch(switch) => alive[switch.index()],
            Node::Host(_) => true,
        };
        let left: Vec<usize> = switch_links(sound)
            .filter(|n| lives(&sound.links()[*n].a) && lives(&sound.links()[*n].b))
            .collect();
        // Too few to connect the switches left, even with all that an added one may bring: not worth drawing.
        let switches = alive.iter().filter(|alive| **alive).count() + self.added_switches;
        let brought = self.added_switches * usize::from(sound.switches().first().map_or(0, |s| s.ports));
        if left.len() < self.failed_links || left.len() - self.failed_links + brought + 1 < switches {
            return None;
        }
        let mut cut = vec![false; sound.links().len()];
        for nth in drawn(left.len(), self.failed_links, rng) {
            cut[left[nth]] = true;
        }
        let mut net = Network::new(sound.name.clone());
        for (switch, _) in sound.switches().iter().zip(&alive).filter(|(_, alive)| **alive) {
            net.push_switch(switch.clone()).expect("names and ports were sound");
        }
        for host in sound.host_ids() {
            if sound.attachment(host).is_some_and(|(_, _, far)| lives(&far)) {
                net.push_host(sound.hosts()[host.index()].clone()).expect("names and ports were sound");
            }
        }
        for (link, _) in sound.links().iter().zip(&cut).filter(|(_, cut)| !**cut) {
            let moved = |end: End| Some(End { node: net.named(sound.name_of(end.node))?, port: end.port });
            if let Some((a, b)) = moved(link.a).zip(moved(link.b)) {
                net.connect(a, b).expect("each port is used once, as before");
            }
        }
        Some(net)
    }

    /// How many ports of a switch are for cables to other switches: the first ones.
    fn ports_to_switches(&self) -> u64 {
        let ports = self.sound.switches().first().map_or(0, |switch| u64::from(switch.ports));
        ports.saturating_sub(self.hosts_per_switch)
    }

    /// Those of them that have no cable.
    fn free_ports(&self, net: &Network, switch: SwitchId) -> Vec<(SwitchId, u64)> {
        let open = |nth: &u64| net.peer(End::switch(switch, port(*nth))).is_none();
        (0..self.ports_to_switches()).filter(open).map(|nth| (switch, nth)).collect()
    }

    /// Adds the new switches; `false` if one finds no free port.
    fn extend(&self, net: &mut Network, rng: &mut ChaCha8Rng) -> bool {
        let to_switches = self.ports_to_switches();
        let mut free: Vec<(SwitchId, u64)> =
            net.switch_ids().flat_map(|switch| self.free_ports(net, switch)).collect();
        let first_host = self.sound.hosts().len();
        for nth in 0..self.added_switches {
            let name = format!("s{}", self.sound.switches().len() + nth);
            let ports = port((to_switches + self.hosts_per_switch).max(1));
            let switch = net.add_switch(name, ports).expect("numbers are distinct");
            let mut own = 0;
            // Ports of switches that it is cabled to already wait for the next one.
            let mut kept = Vec::new();
            while own < to_switches && !free.is_empty() {
                let other = free.swap_remove(rng.random_range(0..free.len()));
                kept.extend(free.extract_if(.., |(switch, _)| *switch == other.0));
                cable(net, (switch, own), other);
                own += 1;
            }
            free.append(&mut kept);
            free.extend((own..to_switches).map(|nth| (switch, nth)));
            if own == 0 {
                return false;
            }
            let hosts = (0..self.hosts_per_switch).zip(first_host + nth * count(self.hosts_per_switch)..);
            for (slot, number) in hosts {
                let host = net.add_host(format!("h{number}")).expect("numbers are distinct");
                let end = End::switch(switch, port(to_switches + slot));
                net.connect(End::host(host, 0), end).expect("these ports are free");
            }
        }
        true
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).expect("counts are held in memory")
}

/// The positions of the cables between two switches.
fn switch_links(net: &Network) -> impl Iterator<Item = usize> + '_ {
    let between = |(_, link): &(usize, &crate::topology::Link)| {
        matches!((link.a.node, link.b.node), (Node::Switch(_), Node::Switch(_)))
    };
    net.links().iter().enumerate().filter(between).map(|(nth, _)| nth)
}

/// `count` different numbers below `total`, at random.
fn drawn(total: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..total).collect();
    for nth in 0..count {
        all.swap(nth, rng.random_range(nth..total));
    }
    all.truncate(count);
    all
}

/// Whether cables join all switches.
fn is_connected(net: &Network) -> bool {
    let mut seen = vec![false; net.switches().len()];
    let mut open: Vec<SwitchId> = net.switch_ids().take(1).collect();
    let mut reached = 0;
    seen.iter_mut().take(1).for_each(|first| *first = true);
    while let Some(switch) = open.pop() {
        reached += 1;
        for (_, _, far) in net.cables(Node::Switch(switch)) {
            if let Node::Switch(other) = far.node
                && !std::mem::replace(&mut seen[other.index()], true)
            {
                open.push(other);
            }
        }
    }
    reached == seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::generate::build;

    /// Wrong if another number failed or came than was requested, if what was left changed its ports, if an
    /// added switch had two cables to one other, if the network fell apart, or if a seed stood for two.
    #[test]
    fn what_is_left_is_connected_and_counts() {
        let sound = build("hypercube", &[("dimensions", 4), ("hosts-per-switch", 2)], 0).unwrap();
        for seed in 0..50 {
            let size = [
                ("dimensions", 4),
                ("hosts-per-switch", 2),
                ("failed-switches", seed % 5),
                ("failed-links", 2),
                ("added-switches", seed % 3),
            ];
            let net = build("decayed-hypercube", &size, seed).unwrap();
            assert_eq!(net, build("decayed-hypercube", &size, seed).unwrap());
            assert_eq!(net.switches().len() as u64, 16 - seed % 5 + seed % 3);
            assert_eq!(net.hosts().len(), 2 * net.switches().len());
            assert!(is_connected(&net));
            let names = |net: &Network, end: End| (net.name_of(end.node).to_owned(), end.port);
            let old: Vec<_> =
                sound.links().iter().map(|l| (names(&sound, l.a), names(&sound, l.b))).collect();
            let kept = net.links().iter().filter(|l| old.contains(&(names(&net, l.a), names(&net, l.b))));
            let between = kept.filter(|l| matches!((l.a.node, l.b.node), (Node::Switch(_), Node::Switch(_))));
            assert!(between.count() <= 30, "seed {seed}: two cables failed at least");
            for switch in net.switch_ids() {
                let far = net.cables(Node::Switch(switch)).map(|(_, _, end)| end.node);
                let mut others: Vec<Node> = far.filter(|node| matches!(node, Node::Switch(_))).collect();
                let cables = others.len();
                others.sort();
                others.dedup();
                assert_eq!(others.len(), cables, "seed {seed}: {}", net.name_of(Node::Switch(switch)));
            }
        }
    }

    /// Wrong if what cannot be had were drawn for ever, or another parameter were blamed.
    #[test]
    fn what_cannot_decay_so_is_refused_by_its_parameter() {
        for (failed, links, added, at_fault) in [
            (16, 0, 0, "failed-switches"),
            (0, 33, 0, "failed-links"),
            (0, 0, 1, "added-switches"),
            (0, 30, 0, "failed-links"),
            (10, 30, 0, "failed-links"),
        ] {
            let size = [
                ("dimensions", 4),
                ("failed-switches", failed),
                ("failed-links", links),
                ("added-switches", added),
            ];
            let error = build("decayed-hypercube", &size, 1).unwrap_err();
            assert_eq!(error.parameter(), Some(at_fault), "{error}");
        }
    }
}
