//! What a case decides by chance.

use simnet::des::random::{Purpose, Stream};

const CHANCE: Purpose = Purpose(121);

/// The draws of one case.
pub(super) struct Chance(Stream);

impl Chance {
    pub(super) fn new(case: u64) -> Chance {
        Chance(Stream::new(case, CHANCE, 0))
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.below(bound as u64)).unwrap()
    }

    /// Whether it happens, `share` of `whole` times.
    pub(super) fn of(&mut self, share: usize, whole: usize) -> bool {
        self.below(whole) < share
    }

    /// One of several.
    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
