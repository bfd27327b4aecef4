//! What the proof claims, counted on many small random networks; and the network that figures 1 and 2 draw.

use std::collections::BTreeMap;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::topology::{End, Network};

use super::construction::{Model, Path, end_of, induction};

/// The stream of the random networks.
const NETWORKS: Purpose = Purpose(150);

/// More vertices than this, and a network is left out: its pairs would outweigh those of all others.
const MOST_VERTICES: usize = 1_200;

/// How often the proof's claims were put to the test, and how often they held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Networks.
    pub(super) networks: u64,
    /// Networks left out as too large.
    pub(super) left_out: u64,
    /// Vertices of all models.
    pub(super) vertices: u64,
    /// Replicates within D + 1 of the mapper of switches in N - F, purple paths excepted.
    pub(super) replicates: u64,
    /// Those to which red can be pasted as it is.
    pub(super) direct: u64,
    /// First steps in which green meets both purple and red.
    pub(super) both: u64,
    /// Paths pasted, of all steps.
    pub(super) pasted: u64,
    /// Those that are not in the model.
    pub(super) missing: u64,
    /// Per count of cables, how many pasted paths fall short of the depth by so many.
    pub(super) slack: BTreeMap<usize, u64>,
    /// Pairs with parallel paths to one host (Lemma 3).
    pub(super) parallel: u64,
    /// Those that do not have one label in the round that the lemma names.
    pub(super) late: u64,
    /// Per count of steps, the replicates for which green became purple after so many.
    pub(super) steps: BTreeMap<usize, u64>,
    /// Replicates for which it never did.
    pub(super) endless: u64,
    /// Switches in N - F.
    pub(super) switches: u64,
    /// Of these, those whose replicates within D + 1 do not all have one label in the end (Theorem 1).
    pub(super) apart: u64,
    /// Labels that stand for two switches (Lemma 2).
    pub(super) mistaken: u64,
    /// Per number of rounds until the labeller came to rest, the networks.
    pub(super) rounds: BTreeMap<usize, u64>,
}

/// Puts the claims to the test on so many random networks. Costs about a millisecond each.
pub(super) fn tally(networks: u32) -> Tally {
    let mut tally = Tally::default();
    for nth in 0..networks {
        let (network, mapper) = random(nth);
        match Model::new(&network, mapper, MOST_VERTICES) {
            Some(model) => tally.take(&network, &model),
            None => tally.left_out += 1,
        }
    }
    tally
}

impl Tally {
    fn take(&mut self, network: &Network, model: &Model) {
        self.networks += 1;
        self.vertices += model.paths.len() as u64;
        let rounds = model.labels();
        *self.rounds.entry(rounds.len() - 1).or_default() += 1;
        let last = rounds.last().expect("there is the one before the first round");
        self.mistaken += mistaken(model, last);
        for switch in network.switch_ids().map(Node::Switch) {
            let Some((purple, red)) = model.by_way_of(switch) else { continue };
            self.switches += 1;
            let own = model.vertex(&purple).expect("a part of a way of the model");
            let mut apart = false;
            for (nth, green) in model.paths.iter().enumerate() {
                if end_of(green) != Some(switch) || green.len() > model.diameter + 1 || nth == own {
                    continue;
                }
                apart |= last[nth] != last[own];
                self.replicate(model, &rounds, &purple, &red, green);
            }
            self.apart += u64::from(apart);
        }
    }

    /// One replicate: every path that the induction pastes, and every label that it promises.
    fn replicate(&mut self, model: &Model, rounds: &[Vec<usize>], purple: &Path, red: &Path, green: &Path) {
        self.replicates += 1;
        self.direct += u64::from(model.vertex(&[green.as_slice(), red].concat()).is_some());
        let steps = induction(purple, red, green);
        self.both += u64::from(steps.first().is_some_and(|step| step.meets_purple && step.meets_red));
        for step in &steps {
            for path in [&step.to_h1, &step.to_h2, &step.green] {
                self.pasted += 1;
                if model.vertex(path).is_some() {
                    *self.slack.entry(model.longest - path.len()).or_default() += 1;
                } else {
                    self.missing += 1;
                }
            }
            for (one, other, round) in &step.parallel {
                self.parallel += 1;
                let labels = &rounds[(*round).min(rounds.len() - 1)];
                let label = |path: &Path| model.vertex(path).map(|vertex| labels[vertex]);
                self.late += u64::from(label(one).is_none() || label(one) != label(other));
            }
        }
        if steps.last().is_some_and(|step| step.green == *purple) {
            *self.steps.entry(steps.len()).or_default() += 1;
        } else {
            self.endless += 1;
        }
    }
}

/// How many labels stand for more than one node.
fn mistaken(model: &Model, labels: &[usize]) -> u64 {
    let mut of: BTreeMap<usize, Option<Node>> = BTreeMap::new();
    let mut wrong = 0;
    for (path, label) in model.paths.iter().zip(labels).skip(1) {
        let node = end_of(path);
        wrong += u64::from(*of.entry(*label).or_insert(node) != node);
    }
    wrong
}

/// A random network of 2 to 6 switches with up to three cables more than a tree has, parallel ones and loops among
/// them, and 2 to 4 hosts; the first is the mapper.
pub(super) fn random(nth: u32) -> (Network, HostId) {
    let mut stream = Stream::new(0, NETWORKS, nth);
    let mut below = |bound: usize| usize::try_from(stream.below(bound as u64)).expect("it fits the bound");
    let switches = 2 + below(5);
    let mut network = Network::new(format!("random {nth}"));
    let mut free: Vec<u16> = Vec::new();
    for switch in 0..switches {
        network.add_switch(format!("s{switch}"), 12).expect("the name is free");
        free.push(0);
    }
    let mut plug = |switch: usize| {
        free[switch] += 1;
        End::switch(SwitchId::new(switch), free[switch] - 1)
    };
    let mut cables: Vec<(usize, usize)> = (1..switches).map(|switch| (below(switch), switch)).collect();
    for _ in 0..below(4) {
        cables.push((below(switches), below(switches)));
    }
    for (a, b) in cables {
        let ends = (plug(a), plug(b));
        network.connect(ends.0, ends.1).expect("a switch of 12 ports has room for 2 + 3 + 6 cables");
    }
    for host in 0..2 + below(3) {
        let host = network.add_host(format!("h{host}")).expect("the name is free");
        let end = plug(below(switches));
        network.connect(End::host(host, 0), end).expect("there is room");
    }
    (network, HostId(0))
}

/// The network that figures 1 and 2 draw, with the paths that they show.
pub(super) struct Example {
    /// The network.
    pub(super) network: Network,
    /// Its mapper, h0.
    pub(super) mapper: HostId,
    /// From h0 to v.
    pub(super) purple: Path,
    /// From v to h.
    pub(super) red: Path,
    /// From h0 to v'.
    pub(super) green: Path,
}

/// Where everything stands on the sheet, in units; hosts begin with h.
pub(super) const PLACES: [(&str, f64, f64); 13] = [
    ("h0", 0.0, 1.0),
    ("s0", 1.0, 1.0),
    ("s1", 2.5, 1.0),
    ("s2", 4.0, 1.0),
    ("v", 5.5, 1.0),
    ("s3", 7.0, 1.0),
    ("s4", 8.5, 1.0),
    ("h", 9.5, 1.0),
    ("s5", 1.75, 2.0),
    ("s6", 5.5, 2.0),
    ("s7", 7.0, 0.0),
    ("s8", 0.9, 2.0),
    ("h1", 0.0, 2.0),
];

/// Its cables. The two at the end make D large enough for the green path.
const CABLES: [(&str, &str); 15] = [
    ("h0", "s0"),
    ("s0", "s1"),
    ("s1", "s2"),
    ("s2", "v"),
    ("v", "s3"),
    ("s3", "s4"),
    ("s4", "h"),
    ("s0", "s5"),
    ("s5", "s1"),
    ("s2", "s6"),
    ("s6", "s3"),
    ("s4", "s7"),
    ("s7", "v"),
    ("s5", "s8"),
    ("s8", "h1"),
];

/// The example: green leaves purple at s0, shares the cable from s1 to s2 with it, and that from s3 to s4 with red.
///
/// # Panics
/// Never: its cables are as listed.
pub(super) fn example() -> Example {
    let mut network = Network::new("example");
    let mut free: BTreeMap<&str, u16> = BTreeMap::new();
    for (name, ..) in PLACES {
        if name.starts_with('h') {
            network.add_host(name).expect("the name is free");
        } else {
            network.add_switch(name, 8).expect("the name is free");
        }
    }
    for (a, b) in CABLES {
        let [a, b] = [a, b].map(|name| {
            let port = free.entry(name).or_default();
            *port += 1;
            let port = simnet_base::ids::Port(*port - 1);
            End { node: network.find(name).expect("it is listed"), port }
        });
        network.connect(a, b).expect("the port is free");
    }
    let path = |names: &[&str]| super::construction::path(&network, names).expect("its cables are listed");
    let purple = path(&["h0", "s0", "s1", "s2", "v"]);
    let red = path(&["v", "s3", "s4", "h"]);
    let green = path(&["h0", "s0", "s5", "s1", "s2", "s6", "s3", "s4", "s7", "v"]);
    let mapper = network.find_host("h0").expect("it is listed");
    Example { purple, red, green, mapper, network }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a claim of the proof failed anywhere.
    #[test]
    fn all_claims_hold() {
        let tally = tally(60);
        assert!(tally.replicates > 500 && tally.both > 10, "{tally:?}");
        assert_eq!((tally.missing, tally.late, tally.endless), (0, 0, 0), "{tally:?}");
        assert_eq!((tally.apart, tally.mistaken), (0, 0), "{tally:?}");
    }
}
