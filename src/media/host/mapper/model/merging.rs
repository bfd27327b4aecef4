//! Vertices that must be one switch become one; branches in which no host answered are taken away.
//!
//! ```text
//!   s was entered by its port 2, and its port 3 has host h. Behind t a switch answers, x, whose port -1 has h too:
//!
//!        h                h
//!        |3               |-1         A host has one cable, so the two ends at h are one port: s:3 = x:-1, and
//!     0--s--1 --- 0--t--2 --- 0--x    x's port p is port p + 4 of s. x goes into s with shift +4: its cable to t
//!                                     lies in port 4 of s now.
//!        h
//!        |3                           If port 4 of s has a cable already, to u:5, then a port has one cable:
//!     0--s--1 --- 0--t                t:2 = u:5 goes on the merge list, and so on.
//!        |4         2|
//!        +-----------+
//! ```
//!
//! # Source
//! Mainwaring et al. 1997, section 3.3, point 2: merging with a merge list for the labels of 3.1.2. Where the paper
//! moves neighbour lists between vertices and re-indexes them, a port keeps the first cable, the others are pairs on
//! the merge list at once, and shifts are added on the way to the vertex that stands for the switch, the oldest.

use super::{Change, Far, Model, Place, Port, VertexId};

impl Model {
    /// Makes every deduction that follows from the merge list. Costs O(ports) for each pair of vertices merged.
    pub(in crate::host::mapper) fn merge(&mut self) {
        // Mainwaring et al. 1997, section 3.3, point 2: the merge list is worked off until it is empty, and merging
        // adds to it. It comes to an end: each pair takes away a vertex, or finds that nothing is left to be taken
        // away. The order does not matter, so the list is a stack: which ports are one follows from all pairs together.
        while let Some((a, b)) = self.same.pop() {
            // A pair was true of the vertices of its time; by now others may stand for their switches, shifted.
            let (a, b) = (self.resolve(a), self.resolve(b));
            if a.vertex == b.vertex {
                // Two different ports of one switch cannot be one: a host has two cables, or an answer strayed.
                self.contradiction |= a.port != b.port;
            } else if self.is_host(a.vertex) || self.is_host(b.vertex) {
                // Two hosts of different names, or a host and a switch, in one place.
                self.contradiction = true;
            } else if a.vertex < b.vertex {
                // The older one stays, whichever way the pair was noted: the map does not depend on that.
                self.absorb(a, b);
            } else {
                self.absorb(b, a);
            }
            debug_assert!(self.contradiction || self.resolve(a) == self.resolve(b), "{a:?} is {b:?}");
        }
    }

    /// Makes `goes` and `stays` the same port of the same switch, for which the vertex of `stays` stands.
    fn absorb(&mut self, stays: Place, goes: Place) {
        debug_assert!(stays.vertex < goes.vertex, "the oldest vertex stands for its switch");
        // Section 3.1.3: port p of the one is port p + shift of the other, from then on for all of its ports.
        let into = Place { vertex: stays.vertex, port: stays.port - goes.port };
        self.journal.note(Change::Merged { vertex: goes.vertex, into });
        self.unite(stays, goes);
    }

    /// As [`Model::absorb`], and the journal has it; both places are of vertices that stand.
    pub(super) fn unite(&mut self, stays: Place, goes: Place) {
        let shift = self.shifts.unite(stays, goes);
        let (ports, explored, waiting, turns) = {
            let gone = &mut self.vertices[goes.vertex];
            let waiting = std::mem::take(&mut gone.waiting);
            (std::mem::take(&mut gone.ports), gone.explored, waiting, gone.route.len() as u64)
        };
        let vertex = &mut self.vertices[stays.vertex];
        // One switch is explored once, under whichever name. If either was, those that wait do so in vain, and the
        // frontier shrinks by all of them.
        vertex.explored |= explored;
        vertex.waiting += waiting;
        if vertex.explored {
            self.tally.waiting -= std::mem::take(&mut vertex.waiting);
        }
        self.tally.merged += 1;
        // Only a damaged journal merges hosts.
        self.tally.switches = self.tally.switches.saturating_sub(1);
        self.tally.turns -= turns;
        self.tally.merged_turns += turns;
        // Moved one by one, as if found only now: where both vertices know a port's cable, its two far ends go on the
        // merge list (`lay`), and so the merger spreads.
        for (port, known) in ports {
            self.move_port(Place { vertex: stays.vertex, port: port.wrapping_add(shift) }, known);
        }
        debug_assert!(self.vertices[goes.vertex].ports.is_empty(), "nothing is kept at a vertex that went");
    }

    /// Adds what was known of a port that turned out to be this one.
    fn move_port(&mut self, near: Place, known: Port) {
        debug_assert!(self.shifts.stands(near.vertex));
        let Port { far, found_from, answers, noes } = known;
        match far {
            Far::Cable(far) => {
                // `lay` counts the end where it comes to lie, unless there is one already. What lies in the port at the
                // other end still names the vertex that went: whoever reads it asks for the one that stands.
                self.tally.ends -= 1;
                self.lay(near, far, found_from, (answers, 0));
            }
            // What is known better there already stays.
            Far::Open if self.far(near) == Far::Nothing => self.set_open(near),
            Far::Open | Far::Nothing => {}
        }
        if noes > 0 {
            self.vertices[near.vertex].ports.entry(near.port).or_default().noes += noes;
        }
    }

    /// Deletes, again and again, the switches whose only cable leads to another switch.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 3.1, PRUNE. A switch whose only cable leads to a host stays: the paper
    /// takes it for granted that there are two hosts, so that no such switch exists.
    pub(in crate::host::mapper) fn prune(&mut self) {
        // A branch without hosts is taken away from its tip on: each cut may leave the switch before it with one cable.
        let mut suspects: Vec<VertexId> = (0..self.vertices.len()).collect();
        while let Some(vertex) = suspects.pop() {
            let Some((port, far)) = self.vertices[vertex].only_cable().filter(|_| !self.is_host(vertex))
            else {
                continue;
            };
            let far = self.resolve(far);
            if !self.is_host(far.vertex) {
                self.journal.note(Change::Pruned { at: far });
                self.cut(far, Place { vertex, port });
                self.pruned.push(far);
                suspects.push(far.vertex);
            }
        }
    }

    /// Takes away the ends of a cable; a switch without any other cable at the end `leaf` goes with it.
    pub(super) fn cut(&mut self, at: Place, leaf: Place) {
        debug_assert!(self.shifts.stands(at.vertex) && self.shifts.stands(leaf.vertex));
        debug_assert!(self.peer(leaf).is_some() || self.peer(at).is_some(), "no cable at {at:?} or {leaf:?}");
        for end in [at, leaf] {
            let port = self.vertices[end.vertex].ports.get_mut(&end.port);
            if let Some(port) = port.filter(|port| matches!(port.far, Far::Cable(_))) {
                port.far = Far::Nothing;
                self.tally.ends -= 1;
            }
        }
        let leaf = &self.vertices[leaf.vertex];
        if leaf.host.is_none() && leaf.cables().next().is_none() {
            self.tally.pruned += 1;
            self.tally.switches = self.tally.switches.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mapper::model::{Plan, Recognition};
    use simnet_base::ids::Turn;
    use simnet_network::topology::Network;

    fn place(vertex: VertexId, port: i32) -> Place {
        Place { vertex, port }
    }

    fn drawn(model: &mut Model) -> Network {
        model.draw(&Plan::new("map", 8)).network
    }

    /// The mapper `h` at port 0 of a switch.
    fn begun() -> (Model, VertexId) {
        let mut model = Model::new(Recognition::Afterwards { keep_merged: false });
        let h = model.host("h");
        let s = model.add_switch(Vec::new(), None);
        model.connect_answered(place(h, 0), place(s, 0));
        (model, s)
    }

    #[test]
    fn replicates_are_merged_through_a_host_and_their_neighbours_after_them() {
        // h - s, s:1 - t:0; then a replicate of s behind t:2, entered at its port 4 of s, known by h at -4;
        // and a replicate of t behind that.
        let (mut model, s) = begun();
        let t = model.add_switch(vec![Turn(1)], Some(place(s, 1)));
        model.connect_answered(place(s, 1), place(t, 0));
        let again = model.add_switch(vec![Turn(1), Turn(2)], Some(place(t, 2)));
        model.connect_answered(place(t, 2), place(again, 0));
        let t_again = model.add_switch(vec![Turn(1), Turn(2), Turn(-3)], Some(place(again, -3)));
        model.connect_answered(place(again, -3), place(t_again, 0));
        model.set_explored(s);
        assert!(!model.is_explored(again));
        let h = model.host("h");
        model.connect_answered(place(again, -4), place(h, 0));
        model.merge();
        assert!(model.is_explored(again), "a host has one switch");
        assert_eq!(model.resolve(place(again, 0)), place(s, 4));
        assert_eq!(model.resolve(place(t_again, 5)), place(t, 5), "and a port one cable");
        assert!(model.is_known(place(again, -3)) && !model.is_known(place(again, 1)));
        let network = drawn(&mut model);
        let found = (network.hosts().len(), network.switches().len(), network.links().len());
        assert_eq!((found, model.is_contradictory()), ((1, 2, 3), false));
    }

    #[test]
    fn a_cable_looped_back_is_one_cable() {
        // s:1 - s:3, seen from either end as a replicate with the mapper behind it.
        let (mut model, s) = begun();
        for (out, into) in [(1, 3), (3, 1)] {
            let again = model.add_switch(vec![Turn(out)], Some(place(s, i32::from(out))));
            model.connect_answered(place(s, i32::from(out)), place(again, 0));
            let h = model.host("h");
            model.connect_answered(place(again, -into), place(h, 0));
        }
        model.merge();
        let network = drawn(&mut model);
        assert_eq!((network.switches().len(), network.links().len()), (1, 2));
        assert!(!model.is_contradictory());
    }

    #[test]
    fn pruning_takes_branches_that_end_in_switches() {
        // A branch of two switches goes; the mapper's own switch stays though it has a single cable then.
        let (mut model, s) = begun();
        let t = model.add_switch(vec![Turn(1)], Some(place(s, 1)));
        model.connect_answered(place(s, 1), place(t, 0));
        let u = model.add_switch(vec![Turn(1), Turn(1)], Some(place(t, 1)));
        model.connect_answered(place(t, 1), place(u, 0));
        model.prune();
        let network = drawn(&mut model);
        assert_eq!((network.hosts().len(), network.switches().len(), network.links().len()), (1, 1, 1));
        assert_eq!(model.sizes().pruned, 2);
    }

    #[test]
    fn what_cannot_be_is_noted() {
        // One host at two ports of a switch; two hosts at one port.
        for (second, port) in [("h", 2), ("g", 0)] {
            let (mut model, s) = begun();
            let host = model.host(second);
            model.connect_answered(place(s, port), place(host, 0));
            model.merge();
            assert!(model.is_contradictory(), "{second} at {port}");
            drawn(&mut model);
        }
    }
}
