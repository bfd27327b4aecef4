//! Slurm's `topology.conf`, as its plugin topology/tree reads it.
//!
//! ```text
//! SwitchName=leaf0 Nodes=tux[0-3,12]
//! SwitchName=top   Switches=leaf[0-1]        # LinkSpeed=x is allowed and says nothing
//! ```
//!
//! # Scope and limitations
//! The file is a scheduler's view: every line joins a switch to its nodes or to the switches below it, once.
//! How many cables there are in truth, and which further core switches, is usually left out, which a warning
//! says. There are no ports: a switch numbers what its line lists from 0 on in the order of the list, and the
//! switches above it after that. Nodes that slurm.conf has and this file has not are not known here.
//!
//! # Source
//! `topology.conf(5)`, `switch_record.c` and `parse_config.c` of Slurm. What ends Slurm is a fault here, and
//! so are both `Nodes` and `Switches` on one line, and a name of more than 64 characters; what Slurm warns of
//! is a warning. Like Slurm, this reader takes a switch with several above it, an empty switch and a forest.
//! Departures: a `SwitchName` may be a list, which Slurm takes by the letter; a circle is found as such, not
//! by a depth above 20.
//!
//! # Validation
//! Figures of real files; every fault in its place; files damaged at random.

mod hostlist;
mod syntax;
pub(super) mod yaml;

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::diagnostics::Fault;

use super::lines::{Draft, DraftCable, DraftNode, some_of};
use super::{MOST_HOSTS, MOST_PORTS, Parsed};
use syntax::{Name, Names, Section};

/// The most cables of a file, since a few words may stand for very many.
const MOST_CABLES: usize = 4 * MOST_HOSTS;

/// Whether some line of a text is one of `topology.conf`, of whichever plugin, or of Slurm's other files in its folder.
pub(super) fn recognises(text: &str) -> bool {
    syntax::recognises(text)
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text; a file of another plugin, or another file of Slurm, is refused by its name alone.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let (sections, faults) = syntax::sections(text).map_err(|fault| vec![fault])?;
    network(&sections, faults, text.len())
}

/// The network of the switches that a text of `length` bytes defines.
///
/// # Errors
/// The faults found so far, and those of the tree.
fn network(sections: &[Section], faults: Vec<Fault>, length: usize) -> Result<Parsed, Vec<Fault>> {
    let mut reader = Reader { faults, ..Reader::default() };
    for section in sections {
        reader.define(section);
    }
    // What unreadable lines define is unknown.
    reader.knows_all_switches = reader.faults.is_empty();
    for (position, section) in sections.iter().enumerate() {
        reader.fill(position, section);
    }
    if reader.switches == 0 && reader.faults.is_empty() {
        let fault = Fault::new(
            "no-switch",
            0..length.min(1),
            "the file has no switch",
            "a switch and what is below it",
        );
        reader.faults.push(fault);
    }
    reader.find_circle();
    reader.count_ports(sections);
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let first = sections.first().map_or(0..0, |section| section.keyword.clone());
    reader.warn_of_the_view(first);
    Ok(Parsed { network: reader.draft.network(""), warnings: reader.warnings })
}

#[derive(Default)]
struct Reader {
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
    draft: Draft,
    by_name: BTreeMap<String, usize>,
    /// The switches come first among the nodes.
    switches: usize,
    /// The switches of each line, by position among the nodes.
    of_line: Vec<Vec<usize>>,
    /// What every node lists: the nodes below it, each once, and where it was named.
    below: Vec<Vec<(usize, Range<usize>)>>,
    /// How many switches list a node.
    above: Vec<usize>,
    /// How many names all lists have come to.
    names: usize,
    knows_all_switches: bool,
    /// How many cables the lists have come to.
    cables: usize,
}

impl Reader {
    /// The names that a list stands for; faults in their place.
    fn names(&mut self, list: &Names) -> Vec<Name> {
        let room = MOST_HOSTS.saturating_sub(self.names);
        let found = list.expand(room.min(usize::from(MOST_PORTS)));
        self.faults.extend(found.faults);
        self.names += found.names.len();
        found.names
    }

    fn push(&mut self, name: &str, is_switch: bool) -> usize {
        let position = self.draft.nodes.len();
        self.by_name.insert(name.to_owned(), position);
        self.draft.nodes.push(DraftNode { is_switch, name: name.to_owned(), ..DraftNode::default() });
        self.below.push(Vec::new());
        self.above.push(0);
        position
    }

    /// The switches of a line.
    fn define(&mut self, section: &Section) {
        let mut defined = Vec::new();
        let names = section.name.as_ref().map(|list| self.names(list)).unwrap_or_default();
        if names.len() > 1 {
            let message = format!("this is {} switches with the same list each", names.len());
            let span = names[0].span.clone();
            let warning = Fault::new("switch-list", span, message, "Slurm takes this name by the letter");
            self.warnings.push(warning);
        }
        for Name { name, span } in names {
            if self.by_name.contains_key(&name) {
                let message = format!("switch `{name}` has already been defined");
                self.faults.push(Fault::new("duplicate-switch", span, message, "one line for each switch"));
                continue;
            }
            defined.push(self.push(&name, true));
        }
        self.switches = self.draft.nodes.len();
        self.of_line.push(defined);
    }

    /// What the switches of a line list.
    fn fill(&mut self, line: usize, section: &Section) {
        let mut listed: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        let mut order = Vec::new();
        for (list, are_switches) in [(&section.nodes, false), (&section.switches, true)] {
            let Some(list) = list else { continue };
            for Name { name, span } in self.names(list) {
                let Some(node) = self.node(&name, &span, are_switches) else { continue };
                if listed.insert(node, span.clone()).is_none() {
                    order.push((node, span));
                } else {
                    let message = format!("`{name}` is listed twice here, and cabled once");
                    self.warnings.push(Fault::new("listed-twice", span, message, "each name once"));
                }
            }
        }
        let switches = std::mem::take(&mut self.of_line[line]);
        self.cables += switches.len() * order.len();
        if self.cables > MOST_CABLES {
            let message = format!("the lists up to here come to {} cables", self.cables);
            let fault = Fault::new("too-many-names", section.keyword.clone(), message, "fewer names");
            return self.faults.push(fault);
        }
        for switch in switches {
            for (node, span) in &order {
                if *node == switch {
                    let message = format!("switch `{}` is below itself", self.draft.nodes[switch].name);
                    let fault = Fault::new("not-a-tree", span.clone(), message, "other switches");
                    self.faults.push(fault);
                }
                self.above[*node] += 1;
            }
            self.below[switch].clone_from(&order);
        }
    }

    /// The node of that name; a host is made where it is first named.
    fn node(&mut self, name: &str, span: &Range<usize>, is_switch: bool) -> Option<usize> {
        let known = self.by_name.get(name).copied();
        match known {
            Some(node) if self.draft.nodes[node].is_switch == is_switch => Some(node),
            None if !is_switch => Some(self.push(name, false)),
            Some(_) if !is_switch => {
                let message = format!("`{name}` is a switch, and no node can have its name");
                let fault = Fault::new("duplicate-name", span.clone(), message, "the name of a node");
                self.faults.push(fault.with_help(
                    "switches are listed after `Switches=`, and in topology.yaml after `children:`",
                ));
                None
            }
            _ if !self.knows_all_switches => None,
            _ => {
                let message = format!("no line defines the switch `{name}`");
                let fault = Fault::new("unknown-switch", span.clone(), message, "the name of a switch");
                let names = self.draft.nodes[..self.switches].iter().map(|node| node.name.as_str());
                // Each hint looks at every switch.
                let hint = self.faults.len() < 100;
                self.faults.push(if hint { fault.with_nearest(name, names) } else { fault });
                None
            }
        }
    }

    /// Whether every node has ports enough for its cables.
    fn count_ports(&mut self, sections: &[Section]) {
        let ports = self.below.iter().zip(&self.above).map(|(below, above)| below.len() + above);
        if let Some((node, ports)) = ports.enumerate().find(|(_, ports)| *ports > usize::from(MOST_PORTS)) {
            let message = format!("`{}` has {ports} cables", self.draft.nodes[node].name);
            let span = sections.first().map_or(0..0, |section| section.keyword.clone());
            let expected = format!("at most {MOST_PORTS}");
            self.faults.push(Fault::new("too-many-names", span, message, expected));
        }
    }

    /// A circle of switches, each below the one before, as one fault.
    fn find_circle(&mut self) {
        // Switches above which nothing is left are taken away until only circles and what they list remain;
        // going up from any that remains then leads round one.
        let mut parents: Vec<Vec<usize>> = vec![Vec::new(); self.switches];
        let mut waiting = vec![0_usize; self.switches];
        for switch in 0..self.switches {
            for (child, _) in self.below[switch].iter().filter(|(child, _)| *child < self.switches) {
                parents[*child].push(switch);
                waiting[*child] += 1;
            }
        }
        let mut free: Vec<usize> = (0..self.switches).filter(|switch| waiting[*switch] == 0).collect();
        while let Some(switch) = free.pop() {
            for (child, _) in self.below[switch].iter().filter(|(child, _)| *child < self.switches) {
                waiting[*child] -= 1;
                if waiting[*child] == 0 {
                    free.push(*child);
                }
            }
        }
        let Some(start) = (0..self.switches).find(|switch| waiting[*switch] > 0) else { return };
        let mut trail: Vec<usize> = Vec::new();
        let mut seen = vec![false; self.switches];
        let mut at = start;
        while !std::mem::replace(&mut seen[at], true) {
            trail.push(at);
            let up = parents[at].iter().find(|parent| waiting[**parent] > 0);
            at = *up.expect("what is waiting is below something that is waiting");
        }
        trail.drain(..trail.iter().position(|switch| *switch == at).unwrap_or(0));
        if trail.len() < 2 {
            return; // Below itself, which was reported where it is listed.
        }
        let names: Vec<&str> = trail
            .iter()
            .rev()
            .chain(trail.last())
            .map(|switch| self.draft.nodes[*switch].name.as_str())
            .collect();
        let named = self.below[trail[1]].iter().find(|(child, _)| *child == trail[0]);
        let span = named.map_or(0..0, |(_, span)| span.clone());
        let message = if names.len() > 12 {
            format!("{} switches are in a circle, `{}` among them", trail.len(), names[0])
        } else {
            format!("switches are in a circle: {}", names.join(" above "))
        };
        self.faults.push(Fault::new("not-a-tree", span, message, "no switch below itself"));
    }

    /// Lays the cables, and warns of what a tree view leaves out or makes doubtful.
    fn warn_of_the_view(&mut self, first: Range<usize>) {
        let down: Vec<usize> = self.below.iter().map(Vec::len).collect();
        let mut up = vec![0; down.len()];
        for switch in 0..self.switches {
            for (port, (child, _)) in self.below[switch].iter().enumerate() {
                let ends = [(switch, port), (*child, down[*child] + up[*child])];
                up[*child] += 1;
                let ends = ends.map(|(node, port)| {
                    (node, u16::try_from(port).expect("the cables of a switch were counted"))
                });
                self.draft.cables.push(DraftCable { ends, rate: None, length: None });
            }
        }
        let message =
            "this is a tree view of a network: parallel cables and further core switches are usually lost";
        let expected = "every switch is joined once to what it lists";
        self.warnings.push(Fault::new("tree-view", first.clone(), message, expected));
        self.warn_of_several_above(
            self.switches..self.draft.nodes.len(),
            "nodes are on several leaf switches",
        );
        self.warn_of_several_above(0..self.switches, "switches are below several others");
        if !self.some_switch_reaches_all() {
            let message = "no switch can reach all nodes through those below it";
            self.warnings.push(Fault::new("no-root", first, message, "jobs cannot span what nothing joins"));
        }
    }

    fn warn_of_several_above(&mut self, range: Range<usize>, what: &str) {
        let many: Vec<usize> = range.filter(|node| self.above[*node] > 1).collect();
        let Some(first) = many.first() else { return };
        let listed = self.below.iter().flatten().filter(|(node, _)| node == first);
        let span = listed.map(|(_, span)| span.clone()).nth(1).unwrap_or(0..0);
        let names: Vec<&str> = many.iter().map(|node| self.draft.nodes[*node].name.as_str()).collect();
        let message = format!("{} {what}: {}", names.len(), some_of(names.into_iter()));
        self.warnings.push(Fault::new("several-above", span, message, "each has a cable to all of them"));
    }

    /// Whether the nodes below some switch are all there are; of very many tops only a hundred are tried.
    fn some_switch_reaches_all(&self) -> bool {
        let hosts = self.draft.nodes.len() - self.switches;
        let tops = (0..self.switches).filter(|switch| self.above[*switch] == 0);
        tops.take(100).any(|top| {
            let mut seen = vec![false; self.draft.nodes.len()];
            let (mut reached, mut next) = (0, vec![top]);
            while let Some(node) = next.pop() {
                if !std::mem::replace(&mut seen[node], true) {
                    reached += usize::from(node >= self.switches);
                    next.extend(self.below[node].iter().map(|(child, _)| *child));
                }
            }
            reached == hosts
        })
    }
}
