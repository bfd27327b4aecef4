//! Marks of congestion: frames that find long queues are marked, for their receivers to see.
//!
//! # Scope and limitations
//! A frame is judged as it is taken in at an output of a switch, by the bytes behind that port before it, what is being
//! sent counted in, of all priorities: not marked up to `kmin`, marked above `kmax`, and in between with a probability
//! that rises from 0 to `pmax`. The bytes are those of the instant, not an average. Whatever is sent can be marked. A
//! mark stays on a frame, and on copies of a flooded one. Each output draws from a stream of its own.
//!
//! # Source
//! Floyd and Jacobson 1993, Random early detection, for the line between two thresholds; RFC 3168 for marks; Zhu et al.
//! 2015 for the queue of the instant, and for the usual numbers (5 KB, 200 KB, 1 %), as from memory.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::units::Bytes;

/// Draws for marks, by output.
const MARKS: Purpose = Purpose(58);
/// The probability of a certain mark, in millionths.
const CERTAIN: u64 = 1_000_000;

/// When frames are marked, the same at all outputs of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcnParameters {
    /// Bytes behind an output up to which nothing is marked.
    pub kmin: Bytes,
    /// Bytes above which everything is; at least `kmin`.
    pub kmax: Bytes,
    /// The probability at `kmax`, in millionths; at most a million.
    pub pmax: u32,
}

/// What is marked.
#[derive(Clone, Debug)]
pub(super) struct Ecn {
    parameters: EcnParameters,
    seed: u64,
    /// By channel; none before its first draw.
    streams: Vec<Option<Stream>>,
    /// By slot.
    marks: Vec<bool>,
}

impl Ecn {
    pub(super) fn new(parameters: EcnParameters, seed: u64, channels: usize) -> Ecn {
        Ecn { parameters, seed, streams: vec![None; channels], marks: Vec::new() }
    }

    /// A slot gets a frame, marked or not.
    pub(super) fn set(&mut self, slot: u32, is_marked: bool) {
        let index = slot as usize;
        if index >= self.marks.len() {
            self.marks.resize(index + 1, false);
        }
        self.marks[index] = is_marked;
    }

    /// Whether the frame in a slot is marked.
    pub(super) fn is_marked(&self, slot: u32) -> bool {
        self.marks.get(slot as usize).copied().unwrap_or(false)
    }

    /// A frame comes to an output behind which there are so many bytes. Whether it is marked now that was not.
    pub(super) fn judge(&mut self, channel: u32, slot: u32, bytes: u64) -> bool {
        let EcnParameters { kmin, kmax, pmax } = self.parameters;
        if bytes <= kmin.0 || self.is_marked(slot) {
            return false;
        }
        let is_marked = bytes > kmax.0 || {
            let stream = &mut self.streams[channel as usize];
            let stream = stream.get_or_insert_with(|| Stream::new(self.seed, MARKS, channel));
            // Above kmin and not above kmax: the span is above zero.
            stream.below(CERTAIN * (kmax.0 - kmin.0)) < u64::from(pmax) * (bytes - kmin.0)
        };
        if is_marked {
            self.set(slot, true);
        }
        is_marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if marks were not as frequent as the line between the thresholds says, or any were outside of it.
    #[test]
    fn marks_are_as_frequent_as_they_should_be() {
        let parameters = EcnParameters { kmin: Bytes(10_000), kmax: Bytes(30_000), pmax: 200_000 };
        let mut ecn = Ecn::new(parameters, 1, 4);
        for (bytes, share) in [(0, 0.0), (10_000, 0.0), (15_000, 0.05), (30_000, 0.2), (30_001, 1.0)] {
            let mut marked = 0;
            for _ in 0..20_000 {
                ecn.set(7, false);
                let is_new = ecn.judge(3, 7, bytes);
                marked += u32::from(is_new);
                assert!(!is_new || !ecn.judge(3, 7, bytes), "nothing is marked twice");
            }
            let found = f64::from(marked) / 20_000.0;
            assert!((found - share).abs() < 0.01, "{bytes} B: {found}");
        }
    }
}
