//! Routes through a model to which several mappers have added: what one of them asked from its own host, another asks
//! from its.

use std::collections::{BTreeMap, VecDeque};

use super::{Model, Place, VertexId};
use simnet_base::ids::Turn;

impl Model {
    /// Whether the switch of a vertex and all switches next to it have been explored. Costs O(ports).
    pub(in crate::host::mapper) fn is_settled(&mut self, vertex: VertexId) -> bool {
        let stands = self.resolve(Place::entry(vertex)).vertex;
        let far: Vec<Place> = self.vertices[stands].cables().map(|(_, far)| far).collect();
        let is_done = |model: &mut Model, place| {
            let far = model.resolve(place).vertex;
            model.vertices[far].explored || model.is_host(far)
        };
        self.vertices[stands].explored && far.into_iter().all(|place| is_done(self, place))
    }

    /// Whether a switch that is cabled to anything has not been explored. Costs O(vertices).
    pub(in crate::host::mapper) fn is_unexplored(&self) -> bool {
        let mut all = self.vertices.iter();
        all.any(|vertex| vertex.host.is_none() && !vertex.explored && vertex.cables().next().is_some())
    }

    /// A shortest route from the host `from` to the switch of `to`, and the port by which it enters, as
    /// `to` numbers it. `None` where the model shows none, or for a host. Costs O(vertices + cables).
    pub(in crate::host::mapper) fn route_to(
        &mut self,
        from: VertexId,
        to: VertexId,
    ) -> Option<(Vec<Turn>, i32)> {
        let target = self.resolve(Place::entry(to));
        let (_, first) = self.vertices[from].cables().next()?;
        let first = self.resolve(first);
        // Per vertex reached: the port of entry, the vertex before and the turn taken there.
        let mut reached: BTreeMap<VertexId, (i32, Option<(VertexId, i32)>)> = BTreeMap::new();
        reached.insert(first.vertex, (first.port, None));
        let mut queue = VecDeque::from([first.vertex]);
        while let Some(vertex) = queue.pop_front() {
            let entry = reached[&vertex].0;
            if vertex == target.vertex || self.is_host(vertex) {
                continue;
            }
            let cables: Vec<(i32, Place)> = self.vertices[vertex].cables().collect();
            for (port, far) in cables {
                let far = self.resolve(far);
                reached.entry(far.vertex).or_insert_with(|| {
                    queue.push_back(far.vertex);
                    (far.port, Some((vertex, port - entry)))
                });
            }
        }
        let (entry, mut before) = *reached.get(&target.vertex)?;
        let mut turns = Vec::new();
        while let Some((vertex, turn)) = before {
            turns.push(Turn(i16::try_from(turn).ok()?));
            before = reached[&vertex].1;
        }
        turns.reverse();
        Some((turns, entry - target.port))
    }

    /// The cable at a place, known by one of its ends, always the same.
    pub(in crate::host::mapper) fn cable_at(&mut self, place: Place) -> Place {
        let near = self.resolve(place);
        let far = self.peer(near).map_or(near, |far| self.resolve(far));
        near.min(far)
    }
}
