//! What is known of switches before they are surveyed: turns that lead from a port to a host further on.
//!
//! A clue waits at the first port on its way behind which the switch is not known yet, with the turns that are
//! left from there. It may identify that switch without a probe: its host is known, and the way back from the host
//! leads through cables that are known.

use std::collections::BTreeMap;

use super::scan::Scan;
use crate::host::mapper::model::{Far, Model, Place};
use simnet_base::ids::Turn;

/// A host, and the turns that lead to it.
#[derive(Clone, Debug)]
struct Clue {
    /// The turns left, from the switch behind the port where the clue waits.
    turns: Vec<Turn>,
    host: String,
}

/// The clues of a mapper; none where it collects none.
#[derive(Debug, Default)]
pub(in crate::host::mapper) struct Clues {
    /// By the port where they wait; `None`: at the mapper's own.
    parked: BTreeMap<Option<Place>, Vec<Clue>>,
}

impl Clues {
    /// Adds that these turns from the mapper lead to a host; without any they say nothing of a switch.
    pub(in crate::host::mapper) fn add(&mut self, turns: Vec<Turn>, host: String) {
        if !turns.is_empty() {
            self.parked.entry(None).or_default().push(Clue { turns, host });
        }
    }

    /// What the clues at the port `from` say of the switch behind it: the port by which it was entered, if they
    /// show which one it is; otherwise enters in the scan what they know of its ports.
    pub(super) fn identify(&self, from: Option<Place>, model: &Model, scan: &mut Scan) -> Option<Place> {
        let clues = self.parked.get(&from)?;
        if let Some(at) = clues.iter().find_map(|clue| clue.entry(model)) {
            return Some(at);
        }
        for Clue { turns, host } in clues {
            let turn = i32::from(turns[0].0);
            match turns.len() {
                1 if !scan.is_known(turn) => scan.note_host(turn, host.clone()),
                1 => {}
                _ => scan.note_switch(turn),
            }
        }
        None
    }

    /// Takes the clues at the port `from` on: the switch behind it was entered by `at`. Gives ports that they
    /// show to lead to switches not known yet.
    pub(super) fn follow(&mut self, from: Option<Place>, at: Place, model: &mut Model) -> Vec<Place> {
        let mut open = Vec::new();
        for clue in self.parked.remove(&from).unwrap_or_default() {
            self.take_on(clue, at, model, &mut open);
        }
        open
    }

    fn take_on(&mut self, clue: Clue, mut at: Place, model: &mut Model, open: &mut Vec<Place>) {
        let Clue { turns, host } = clue;
        for (nth, turn) in turns.iter().enumerate() {
            let out = Place { vertex: at.vertex, port: at.port + i32::from(turn.0) };
            if i16::try_from(out.port).is_err() {
                return model.contradict();
            }
            model.credit_one(out);
            if nth + 1 == turns.len() {
                model.place_host(out, &host);
                return;
            }
            match model.far(out) {
                Far::Cable(far) if model.is_host(far.vertex) => return model.contradict(),
                Far::Cable(far) => at = far,
                Far::Open | Far::Nothing => {
                    if model.open(out) {
                        open.push(out);
                    }
                    let clue = Clue { turns: turns[nth + 1..].to_vec(), host };
                    self.parked.entry(Some(out)).or_default().push(clue);
                    return;
                }
            }
        }
    }
}

impl Clue {
    /// The port by which the switch that the first turn is taken at was entered, if the way back from the host
    /// is known so far.
    fn entry(&self, model: &Model) -> Option<Place> {
        let mut out = model.place_of(&self.host)?;
        for (nth, turn) in self.turns.iter().enumerate().rev() {
            let at = Place { port: out.port - i32::from(turn.0), ..out };
            if nth == 0 {
                return Some(at);
            }
            // The port by which this switch was entered is the far end of the one that the last was left by.
            out = model.peer(at)?;
        }
        None
    }
}
