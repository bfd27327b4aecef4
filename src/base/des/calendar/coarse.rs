//! The coarse wheel: the blocks of a span that are not near, a list each.

use super::{Entry, SPAN, WORDS, slot_of};

/// A list of entries for each block of a span.
#[derive(Clone, Debug)]
pub(super) struct Coarse<E> {
    /// In order of scheduling.
    pub(super) lists: Box<[Vec<Entry<E>>; 1 << SPAN]>,
    occupied: [u64; WORDS],
    /// Lists of blocks that are over, for their room.
    spare: Vec<Vec<Entry<E>>>,
}

impl<E: Copy> Coarse<E> {
    pub(super) fn new() -> Coarse<E> {
        let lists = Box::new(std::array::from_fn(|_| Vec::new()));
        Coarse { lists, occupied: [0; WORDS], spare: Vec::new() }
    }

    #[inline]
    pub(super) fn put(&mut self, slot: usize, entry: Entry<E>) {
        if self.lists[slot].is_empty() {
            self.begin(slot);
        }
        self.lists[slot].push(entry);
    }

    /// Marks a slot whose list gets its first entry, and gives it room.
    #[inline(never)]
    fn begin(&mut self, slot: usize) {
        let mark = 1 << (slot % 64);
        debug_assert!(self.occupied[slot / 64] & mark == 0, "a slot is marked while it has entries");
        self.occupied[slot / 64] |= mark;
        if let Some(list) = self.spare.pop() {
            debug_assert!(list.is_empty() && self.lists[slot].capacity() == 0, "room is handed on");
            self.lists[slot] = list;
        }
    }

    /// Whether a slot has entries.
    #[inline]
    pub(super) fn is_marked(&self, slot: usize) -> bool {
        let is_marked = self.occupied[slot / 64] & 1 << (slot % 64) != 0;
        debug_assert!(is_marked != self.lists[slot].is_empty(), "a slot is marked while it has entries");
        is_marked
    }

    /// Empties a slot and gives its list.
    #[inline]
    pub(super) fn take(&mut self, slot: usize) -> Vec<Entry<E>> {
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        std::mem::take(&mut self.lists[slot])
    }

    /// Takes back a list that [`take`](Self::take) gave.
    #[inline]
    pub(super) fn put_back(&mut self, mut list: Vec<Entry<E>>) {
        if list.capacity() > 0 {
            list.clear();
            self.spare.push(list);
        }
        debug_assert!(self.spare.len() <= self.lists.len(), "no room comes from nowhere");
    }

    /// The first slot with events.
    pub(super) fn first(&self) -> Option<u64> {
        let (word, bits) = (0..).zip(self.occupied).find(|(_, bits)| *bits != 0)?;
        let slot = word * 64 + u64::from(bits.trailing_zeros());
        debug_assert!(!self.lists[slot_of(slot)].is_empty(), "what is marked has a list");
        Some(slot)
    }
}
