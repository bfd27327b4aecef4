//! A model made again from the steps of a journal.

use super::{Change, Model, Place, Recognition, VertexId};

/// Why a step cannot follow those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// A vertex is made out of turn.
    #[error("vertex {made} is made, where {next} would be next")]
    OutOfTurn {
        /// The vertex.
        made: VertexId,
        /// The one that would be next.
        next: VertexId,
    },
    /// A vertex is named that was not made.
    #[error("vertex {0} has not been made")]
    NotMade(VertexId),
}

impl Model {
    /// Takes the next step of a journal: what the mapper knew after it, the model shows. Costs O(ports) for a merger,
    /// and O(log vertices) amortised otherwise.
    ///
    /// A step deduces nothing: mergers are steps of their own.
    ///
    /// # Errors
    /// If the step names vertices that cannot be; the model stays as it was.
    pub fn play(&mut self, change: &Change) -> Result<(), Misfit> {
        debug_assert!(
            matches!(self.recognition, Recognition::Afterwards { .. }),
            "steps may name replicates"
        );
        match change {
            Change::Host { vertex, from, name } => return self.play_vertex(*vertex, *from, Some(name)),
            Change::Switch { vertex, from } => return self.play_vertex(*vertex, *from, None),
            Change::Explored { vertex } => {
                self.made(Place::entry(*vertex))?;
                self.mark_explored(*vertex);
            }
            Change::Open { at } => {
                let at = self.made(*at)?;
                if self.peer(at).is_none() {
                    self.set_open(at);
                }
            }
            Change::Cable { a, b } => {
                self.made(*a)?;
                self.made(*b)?;
                self.join(*a, *b, 0);
            }
            Change::Merged { vertex, into } => {
                let (goes, stays) = (self.made(Place::entry(*vertex))?, self.made(*into)?);
                if goes.vertex != stays.vertex {
                    self.unite(stays, goes);
                }
            }
            Change::Pruned { at } => {
                let at = self.made(*at)?;
                if let Some(far) = self.peer(at) {
                    let far = self.resolve(far);
                    self.cut(at, far);
                }
            }
            Change::Forgotten => self.clear(),
            Change::Doubted(_) | Change::Finished => {}
        }
        // What the model would deduce, the journal says.
        self.same.clear();
        Ok(())
    }

    fn play_vertex(
        &mut self,
        vertex: VertexId,
        from: Option<Place>,
        host: Option<&str>,
    ) -> Result<(), Misfit> {
        let next = self.shifts.len();
        if vertex != next {
            return Err(Misfit::OutOfTurn { made: vertex, next });
        }
        from.map(|from| self.made(from)).transpose()?;
        let made = self.make(host, Vec::new(), from);
        if let Some(from) = from {
            self.join(from, Place::entry(made), 0);
            self.same.clear();
        }
        Ok(())
    }

    /// A place that a step names, as the vertex numbers it that stands for its own.
    fn made(&mut self, place: Place) -> Result<Place, Misfit> {
        if place.vertex >= self.shifts.len() {
            return Err(Misfit::NotMade(place.vertex));
        }
        Ok(self.resolve(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mapper::model::Sizes;

    #[test]
    fn a_merger_shifts_ports_and_makes_two_cables_one() {
        // The sketch of the journal: 3 is 1, entered at its port -1 behind 2, so that both know host g.
        let place = |vertex, port| Place { vertex, port };
        let mut model = Model::default();
        let mut play = |change: Change| model.play(&change).map(|()| model.sizes());
        play(Change::Host { vertex: 0, from: None, name: "h".to_owned() }).unwrap();
        for (vertex, from) in [(1, place(0, 0)), (2, place(1, 2)), (3, place(2, -1))] {
            play(Change::Switch { vertex, from: Some(from) }).unwrap();
        }
        play(Change::Host { vertex: 4, from: Some(place(3, 4)), name: "g".to_owned() }).unwrap();
        let sizes = play(Change::Cable { a: place(1, 3), b: place(4, 0) });
        assert_eq!(sizes, Ok(Sizes { hosts: 2, switches: 3, cables: 4, ..Sizes::default() }));
        let sizes = play(Change::Merged { vertex: 3, into: place(1, -1) });
        assert_eq!(sizes, Ok(Sizes { hosts: 2, switches: 2, cables: 4, merged: 1, pruned: 0 }));
        assert_eq!(model.resolve(place(3, 4)), place(1, 3));
        let network = model.network("map", 8);
        assert_eq!((network.hosts().len(), network.switches().len(), network.links().len()), (2, 2, 4));
        model.play(&Change::Pruned { at: place(1, 2) }).unwrap();
        let sizes = model.sizes();
        assert_eq!((sizes.pruned, sizes.cables), (0, 3), "another cable leads there");
        model.play(&Change::Pruned { at: place(1, -1) }).unwrap();
        assert_eq!(model.network("map", 8).switches().len(), 1);
        let strange = Change::Cable { a: place(7, 0), b: place(1, 0) };
        assert_eq!(model.play(&strange), Err(Misfit::NotMade(7)));
        let strange = Change::Switch { vertex: 7, from: None };
        assert_eq!(model.play(&strange), Err(Misfit::OutOfTurn { made: 7, next: 5 }));
        model.play(&Change::Forgotten).unwrap();
        assert_eq!(model.sizes(), Sizes::default());
    }
}
