//! The simplified Berkeley algorithm, as printed: a tree of all routes, labels, merge passes, pruning.
//!
//! It is the yardstick for [`berkeley`](super::berkeley), kept close to the paper's text and slow.
//!
//! # Scope and limitations
//! It probes every route of up to `depth` + 1 turns: 2^O(D + Q) messages, and passes over all pairs of vertices.
//! That is feasible up to some thousands of explorations: about six switches with a dozen cables among them, or
//! a tree of any kind. [`Brief::explorations`] ends a search that outgrows this, with [`Doubt::Unfinished`].
//!
//! # Source
//! Mainwaring et al. 1997, sections 3.1 to 3.1.4. Departures:
//! - "until(anyDeductions? = true)" is meant as "= false";
//! - only switches enter the frontier; MERGE skips an empty neighbour;
//! - a switch whose only cable leads to a host is not pruned: the paper assumes that there are two hosts;
//! - pruning can be left out, as section 3.2.2 has it for packet routing;
//! - a port number runs over as many turns as the largest switch has, which is 8 in the paper.
//!
//! # Validation
//! `tests/media/properties/mapper_simplified.rs`: on thousands of small random networks its map and that of the real
//! mapper are isomorphic, and both what theory promises.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::findings::{Confirmed, Findings};
use super::model::{Change, Journal, Place, Sketch, VertexId as Noted};
use super::{Brief, Doubt, Growth, Map, Memory, Prober, Response};
use crate::host::Host;
use simnet_base::ids::Turn;
use simnet_network::topology::Network;

/// What the simplified algorithm is given with its brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `SearchDepth`, in turns: see [`Depth`](super::Depth).
    pub depth: usize,
    /// Whether branches that end in switches are pruned: not under packet routing, which shows all of N.
    pub prune: bool,
}

impl Options {
    /// A depth of 10, which is Q + D + 1 in many a small network.
    pub const DEFAULT: Options = Options { depth: 10, prune: true };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// Maps the network that `host` is cabled to. Costs at most `explorations` times 4 x (`ports` - 1) messages and
/// O(vertices^2) comparisons of labels a pass.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    let began = host.now();
    let mut prober = Prober::new(brief);
    let mut m = Tree::with_root(host.name());
    m.journal.begin(began);
    let mut findings = Findings::default();
    let turns = i16::try_from(brief.ports).unwrap_or(i16::MAX) - 1;

    // EXPLORE
    let mut frontier = VecDeque::from([1]);
    while let Some(v) = frontier.pop_front() {
        if m.vertices[v].probe_string.len() > options.depth {
            break;
        }
        if findings.history.len() as u64 == brief.explorations {
            findings.doubts.insert(Doubt::Unfinished);
            break;
        }
        let vertex = m.vertices[v].noted;
        m.journal.note(Change::Explored { vertex });
        for i in (-turns..=turns).filter(|i| *i != 0) {
            let mut new_probe_string = m.vertices[v].probe_string.clone();
            new_probe_string.push(Turn(i));
            let what_kind = prober.probe(host, &new_probe_string).await;
            m.journal.stamp(host.now(), &prober.probes, &prober.evidence);
            if what_kind != Response::Nothing {
                let new = m.edge_and_vertex(new_probe_string, &what_kind, v, i);
                if what_kind == Response::Switch {
                    frontier.push_back(new);
                }
            }
        }
        findings.history.push(m.growth(frontier.len()));
        if brief.memory.is_some_and(|most| m.bytes(frontier.len()) > most) {
            findings.doubts.insert(Doubt::OutOfMemory);
            break;
        }
    }
    findings.peak_memory = m.bytes(frontier.len());
    findings.explorations = findings.history.len() as u64;

    // MERGE, PRUNE
    m.merge(i32::from(turns));
    m.journal.stamp(host.now(), &prober.probes, &prober.evidence);
    if options.prune {
        let before = m.cables();
        m.prune();
        m.note_pruned(&before);
    }
    let network = m.modulo_labels(&format!("as mapped by {}", host.name()), brief.ports);
    findings.doubts.extend(m.contradiction.then_some(Doubt::Contradiction));
    findings.doubts.extend(prober.evidence.doubts());
    let time = host.now().since(began);
    findings.into_map(Confirmed::unknown(network), m.journal, prober.into_asked(), time)
}

type VertexId = usize;
type EdgeId = usize;
/// What replicates share; hosts of one name from the start.
type Label = usize;

struct Vertex {
    probe_string: Vec<Turn>,
    /// The host's name; `None` for a switch.
    host: Option<String>,
    label: Label,
    /// The journal's number for it; of a host for all its vertices.
    noted: Noted,
    /// Edges by relative port number.
    neighbors: BTreeMap<i32, EdgeId>,
    deleted: bool,
}

/// An edge: at each end the vertex and the relative port number there.
struct Edge {
    ends: [(VertexId, i32); 2],
}

/// The model tree M.
struct Tree {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    hosts: BTreeMap<String, Label>,
    labels: usize,
    /// Per label: the journal's number for the vertex that had it first, whose ports all of its vertices count from.
    first: Vec<Noted>,
    /// How the tree grew.
    journal: Journal,
    /// Whether two labels that cannot be one were found in one place: a message was lost or strayed.
    contradiction: bool,
}

impl Tree {
    /// INITIALIZATION: vertex 0 is the mapper, vertex 1 its switch.
    fn with_root(name: &str) -> Tree {
        let (vertices, edges, hosts) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (first, journal) = (Vec::new(), Journal::default());
        let mut m = Tree { vertices, edges, hosts, labels: 0, first, journal, contradiction: false };
        m.vertex(Vec::new(), &Response::Host(name.to_owned()));
        m.edge_and_vertex(Vec::new(), &Response::Switch, 0, 0);
        m
    }

    fn vertex(&mut self, probe_string: Vec<Turn>, what_kind: &Response) -> VertexId {
        let fresh = self.labels;
        let (host, label) = match what_kind {
            Response::Host(name) => (Some(name.clone()), *self.hosts.entry(name.clone()).or_insert(fresh)),
            Response::Switch | Response::Nothing => (None, fresh),
        };
        if label == fresh {
            self.labels += 1;
            let noted = host.as_deref().map(|name| self.journal.host(name));
            self.first.push(noted.unwrap_or_else(|| self.journal.switch()));
        }
        let (noted, neighbors) = (self.first[label], BTreeMap::new());
        self.vertices.push(Vertex { probe_string, host, label, noted, neighbors, deleted: false });
        self.vertices.len() - 1
    }

    /// The constructor of that name: an edge out of port `i` of `v` to a new vertex, entered at its port 0.
    fn edge_and_vertex(&mut self, probe_string: Vec<Turn>, kind: &Response, v: VertexId, i: i16) -> VertexId {
        let new = self.vertex(probe_string, kind);
        let ends = [(v, i32::from(i)), (new, 0)];
        for (vertex, port) in ends {
            self.vertices[vertex].neighbors.insert(port, self.edges.len());
        }
        let [a, b] = ends.map(|(vertex, port)| Place { vertex: self.vertices[vertex].noted, port });
        self.journal.cable(a, b);
        self.edges.push(Edge { ends });
        new
    }

    /// The vertex that `v.neighbors[i]` connects to, and the relative port number there.
    fn neighbor(&self, v: VertexId, i: i32) -> Option<(VertexId, i32)> {
        let ends = self.edges[*self.vertices[v].neighbors.get(&i)?].ends;
        Some(if ends[0] == (v, i) { ends[1] } else { ends[0] })
    }

    fn merge(&mut self, most: i32) {
        loop {
            let mut any_deductions = false;
            for v1 in 0..self.vertices.len() {
                for v2 in v1 + 1..self.vertices.len() {
                    if self.vertices[v1].label != self.vertices[v2].label {
                        continue;
                    }
                    for i in -most..=most {
                        any_deductions |= self.merge_labels(v1, v2, i);
                    }
                }
            }
            if !any_deductions {
                break;
            }
        }
    }

    /// Gives what lies beyond port `i` of two replicates one label, unless it has; says whether it did.
    fn merge_labels(&mut self, v1: VertexId, v2: VertexId, i: i32) -> bool {
        let (Some((u1, j)), Some((u2, k))) = (self.neighbor(v1, i), self.neighbor(v2, i)) else {
            return false;
        };
        let (label, old) = (self.vertices[u1].label, self.vertices[u2].label);
        if label == old {
            return false;
        }
        if self.vertices[u1].host.is_some() || self.vertices[u2].host.is_some() {
            self.contradiction = true;
            return false;
        }
        let into = Place { vertex: self.first[label], port: j - k };
        self.journal.note(Change::Merged { vertex: self.first[old], into });
        for w in 0..self.vertices.len() {
            if self.vertices[w].label == old {
                self.vertices[w].label = label;
                self.shift(w, j - k);
            }
        }
        true
    }

    /// Shifts the indices of `w`'s neighbours, in its own array and in the edges.
    fn shift(&mut self, w: VertexId, by: i32) {
        let old = std::mem::take(&mut self.vertices[w].neighbors);
        for (port, edge) in old {
            let end = self.edges[edge].ends.iter_mut().find(|end| **end == (w, port));
            *end.expect("an edge knows both its ends") = (w, port + by);
            self.vertices[w].neighbors.insert(port + by, edge);
        }
    }

    fn prune(&mut self) {
        loop {
            let mut any_deleted = false;
            for v in 0..self.vertices.len() {
                let vertex = &self.vertices[v];
                if vertex.host.is_some() || vertex.deleted || vertex.neighbors.len() != 1 {
                    continue;
                }
                let port = *vertex.neighbors.keys().next().expect("it has one");
                let (far, there) = self.neighbor(v, port).expect("it is a neighbour");
                if self.vertices[far].host.is_none() {
                    self.vertices[v].neighbors.clear();
                    self.vertices[v].deleted = true;
                    self.vertices[far].neighbors.remove(&there);
                    any_deleted = true;
                }
            }
            if !any_deleted {
                break;
            }
        }
    }

    /// Notes the cables of M / L that pruning has taken away, whatever vertices showed them.
    fn note_pruned(&mut self, before: &BTreeSet<[Place; 2]>) {
        for [at, _] in before.difference(&self.cables()) {
            self.journal.note(Change::Pruned { at: *at });
        }
    }

    /// The cables of M / L.
    fn cables(&self) -> BTreeSet<[Place; 2]> {
        let kept = |edge: &&Edge| edge.ends.iter().all(|(vertex, _)| !self.vertices[*vertex].deleted);
        let spots = |edge: &Edge| {
            let label = |vertex: VertexId| self.first[self.vertices[vertex].label];
            let mut ends = edge.ends.map(|(vertex, port)| Place { vertex: label(vertex), port });
            ends.sort();
            ends
        };
        self.edges.iter().filter(kept).map(spots).collect()
    }

    /// M / L: the vertices of one label are one node, whose lowest port is 0.
    fn modulo_labels(&mut self, name: &str, ports: u16) -> Network {
        // Per label: its lowest and its greatest port.
        let mut spans: BTreeMap<Label, (i32, i32)> = BTreeMap::new();
        let mut hosts: BTreeMap<Label, &str> = BTreeMap::new();
        for vertex in self.vertices.iter().filter(|vertex| !vertex.deleted) {
            for port in vertex.neighbors.keys() {
                let span = spans.entry(vertex.label).or_insert((*port, *port));
                *span = (span.0.min(*port), span.1.max(*port));
            }
            hosts.extend(vertex.host.as_deref().map(|host| (vertex.label, host)));
        }
        let mut sketch = Sketch::new(name, ports);
        for (label, host) in &hosts {
            sketch.add_host(*label, host);
        }
        for (label, (low, high)) in spans.into_iter().filter(|(label, _)| !hosts.contains_key(label)) {
            sketch.add_switch(label, low, high);
        }
        for edge in &self.edges {
            if edge.ends.iter().all(|(vertex, _)| !self.vertices[*vertex].deleted) {
                // Parallel edges of M are one cable.
                let [a, b] =
                    edge.ends.map(|(vertex, port)| Place { vertex: self.vertices[vertex].label, port });
                sketch.connect(a, b);
            }
        }
        self.contradiction |= sketch.contradiction;
        sketch.into_network()
    }

    fn growth(&self, frontier: usize) -> Growth {
        let (nodes, edges) = (self.vertices.len() as u64, self.edges.len() as u64);
        Growth { nodes, edges, frontier: frontier as u64 }
    }

    fn bytes(&self, frontier: usize) -> u64 {
        let turns: usize = self.vertices.iter().map(|vertex| vertex.probe_string.len()).sum();
        let (nodes, ends) = (self.vertices.len() as u64, 2 * self.edges.len() as u64);
        nodes * Memory::NODE
            + ends * Memory::PORT
            + turns as u64 * Memory::TURN
            + frontier as u64 * Memory::ENTRY
    }
}
