//! The questions of a heart-beat: one that only an intact cable answers, for every cable of a map.

use std::collections::{BTreeMap, VecDeque};

use crate::host::passive::way_back;
use crate::host::plain::{Collision, walk};
use simnet_base::ids::{HostId, LinkId, Node, Port, Turn};
use simnet_network::topology::{End, Network};

/// A question, and the answer that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Asks the host of this name along these turns, which are a route of the mapper's table.
    Host {
        /// The name.
        name: String,
        /// The turns.
        turns: Vec<Turn>,
    },
    /// Goes along these turns, the last of them out on the cable, turns round at its far end and comes home.
    Cable {
        /// The turns up to the cable.
        turns: Vec<Turn>,
    },
}

/// The questions for a map: the hosts along the `routes` of `mapper`, then the cables that none of these
/// routes uses. Cables that a mapper cannot see, those between hosts, are left out. Costs O(switches x
/// (diameter + ports)).
pub fn questions(map: &Network, mapper: HostId, routes: &BTreeMap<String, Vec<Turn>>) -> Vec<Question> {
    let mut is_asked = vec![false; map.links().len()];
    let mut questions = Vec::new();
    for (name, turns) in routes {
        for link in links_of(map, mapper, turns) {
            is_asked[link.index()] = true;
        }
        questions.push(Question::Host { name: name.clone(), turns: turns.clone() });
    }
    let ways = ways(map, mapper);
    for (link, _) in map.links().iter().zip(&is_asked).filter(|(_, is_asked)| !**is_asked) {
        let way_to = |end: End| match end.node {
            Node::Switch(switch) => Some((ways[switch.index()].as_ref()?, end.port)),
            Node::Host(_) => None,
        };
        let ends = [(link.a, link.b), (link.b, link.a)];
        let between_switches = ends.map(|(near, far)| way_to(near).filter(|_| way_to(far).is_some()));
        let nearer = between_switches.into_iter().flatten().min_by_key(|((turns, _), _)| turns.len());
        if let Some(((turns, entered), port)) = nearer {
            let turns = turns.iter().copied().chain([entered.turn_to(port)]).collect();
            questions.push(Question::Cable { turns });
        }
    }
    questions
}

/// Whether the question is answered as expected on a network that is as `map` says.
pub fn is_answered(map: &Network, mapper: HostId, question: &Question) -> bool {
    let end = |turns: &[Turn]| {
        let end = walk(map, mapper, turns, Collision::Packet)?;
        (end.unused == 0).then_some(end.host)
    };
    match question {
        Question::Host { name, turns } => {
            end(turns).is_some_and(|host| map.hosts()[host.index()].name == *name)
        }
        Question::Cable { turns } => end(&round_trip(turns)) == Some(mapper),
    }
}

/// The route of a message that turns round at the end of `turns` and comes home.
pub(super) fn round_trip(turns: &[Turn]) -> Vec<Turn> {
    turns.iter().copied().chain([Turn(0)]).chain(way_back(turns)).collect()
}

/// The cables that a message passes, as far as it gets.
fn links_of(map: &Network, from: HostId, turns: &[Turn]) -> Vec<LinkId> {
    let Some((_, link, mut at)) = map.attachment(from) else { return Vec::new() };
    let mut links = vec![link];
    for turn in turns {
        let out = at.port.turned(*turn).map(|port| End { node: at.node, port });
        let next = out.and_then(|out| Some((map.link_at(out)?, map.peer(out)?)));
        let (Node::Switch(_), Some((link, far))) = (at.node, next) else { break };
        links.push(link);
        at = far;
    }
    links
}

/// Per switch: the turns of a shortest way from the host, and the port by which it enters; `None` out of reach.
fn ways(map: &Network, from: HostId) -> Vec<Option<(Vec<Turn>, Port)>> {
    let mut ways: Vec<Option<(Vec<Turn>, Port)>> = vec![None; map.switches().len()];
    let mut waiting = VecDeque::new();
    if let Some(End { node: Node::Switch(first), port }) = map.attachment(from).map(|(_, _, far)| far) {
        ways[first.index()] = Some((Vec::new(), port));
        waiting.push_back((first, Vec::new(), port));
    }
    while let Some((switch, turns, entered)) = waiting.pop_front() {
        for (port, _, far) in map.cables(Node::Switch(switch)) {
            let Node::Switch(next) = far.node else { continue };
            if ways[next.index()].is_none() {
                let mut turns: Vec<Turn> = turns.clone();
                turns.push(entered.turn_to(port));
                ways[next.index()] = Some((turns.clone(), far.port));
                waiting.push_back((next, turns, far.port));
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::routing::{Attachments, Choices, Plan};
    use simnet_network::topology::presets;

    /// Wrong if some cable of a network could fail without any question of the mapper going unanswered, or if
    /// one went unanswered while all is well.
    #[test]
    fn every_cable_has_a_question_that_needs_it() {
        let network = presets::load("now-c").unwrap();
        let mapper = network.find_host("c-util").unwrap();
        let table = Plan::new(&network, &Attachments::lowest(&network), &Choices::default()).unwrap().table;
        let name = |host: HostId| network.hosts()[host.index()].name.clone();
        let mine = table.iter().filter(|(from, _, _)| *from == mapper);
        let mine = mine.map(|(_, to, turns)| (name(to), turns.to_vec())).collect();
        let questions = questions(&network, mapper, &mine);
        assert!(questions.len() <= network.links().len());
        assert!(questions.iter().all(|question| is_answered(&network, mapper, question)));
        for failed in 0..network.links().len() {
            let mut damaged = Network::new("damaged");
            for switch in network.switches() {
                damaged.push_switch(switch.clone()).unwrap();
            }
            for host in network.hosts() {
                damaged.push_host(host.clone()).unwrap();
            }
            for (_, link) in network.links().iter().enumerate().filter(|(nth, _)| *nth != failed) {
                damaged.push_link(link.clone()).unwrap();
            }
            let silent = questions.iter().filter(|question| !is_answered(&damaged, mapper, question));
            assert!(silent.count() > 0, "cable {failed} is in no question");
        }
    }
}
