//! The coarse wheel: the blocks of a span that are not near, a list each.

use super::{Entry, NIL, SPAN, WORDS, slot_of};

/// A list of entries for each block of a span, all in one pool.
#[derive(Clone, Debug)]
pub(super) struct Coarse<E> {
    pub(super) lists: Vec<List>,
    pub(super) occupied: [u64; WORDS],
    pub(super) nodes: Vec<Node<E>>,
    pub(super) free: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) head: u32,
    pub(super) tail: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node<E> {
    pub(super) entry: Entry<E>,
    pub(super) next: u32,
}

impl<E: Copy> Coarse<E> {
    pub(super) fn new() -> Coarse<E> {
        let lists = vec![List { head: NIL, tail: NIL }; 1 << SPAN];
        Coarse { lists, occupied: [0; WORDS], nodes: Vec::new(), free: NIL }
    }

    #[inline]
    pub(super) fn put(&mut self, slot: usize, entry: Entry<E>) {
        let node = Node { entry, next: NIL };
        let index = if self.free == NIL {
            self.nodes.push(node);
            u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 events wait")
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            index
        };
        debug_assert!(
            self.free == NIL || (self.free as usize) < self.nodes.len(),
            "the free list stays in the pool"
        );
        debug_assert!(index != self.free, "a node that is used is not free");
        let list = &mut self.lists[slot];
        let is_occupied = self.occupied[slot / 64] & 1 << (slot % 64) != 0;
        debug_assert!(is_occupied == (list.head != NIL), "a slot is marked while it has a list");
        if list.head == NIL {
            list.head = index;
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            debug_assert!(self.nodes[list.tail as usize].next == NIL, "a tail has nothing behind it");
            self.nodes[list.tail as usize].next = index;
        }
        list.tail = index;
    }

    /// Empties a slot and gives the first node of its list.
    #[inline]
    pub(super) fn take(&mut self, slot: usize) -> u32 {
        debug_assert!(
            (self.occupied[slot / 64] & 1 << (slot % 64) != 0) == (self.lists[slot].head != NIL),
            "a slot is marked while it has a list"
        );
        let tail = self.lists[slot].tail;
        debug_assert!(tail == NIL || self.nodes[tail as usize].next == NIL, "a list ends with its tail");
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        std::mem::replace(&mut self.lists[slot], List { head: NIL, tail: NIL }).head
    }

    /// Frees a node; gives its content.
    #[inline]
    pub(super) fn free(&mut self, node: u32) -> Node<E> {
        let content = self.nodes[node as usize];
        debug_assert!(node != self.free, "a node is freed once");
        debug_assert!(
            content.next == NIL || (content.next as usize) < self.nodes.len(),
            "what is linked to it is in the pool"
        );
        self.nodes[node as usize].next = self.free;
        self.free = node;
        content
    }

    /// Whether all nodes of the pool are free, as far as it is small: a large one is not looked at, since spans may end
    /// as often as events come.
    pub(super) fn is_free(&self) -> bool {
        const LOOKED_AT: usize = 64;
        if self.nodes.len() > LOOKED_AT {
            return true;
        }
        let next = |node: u32| self.nodes.get(node as usize).map(|node| node.next);
        let free = std::iter::successors(Some(self.free), |node| next(*node));
        // The end of the list counts as well; one that runs in a circle gives more than that.
        free.take(self.nodes.len() + 2).count() == self.nodes.len() + 1
    }

    /// The first slot with events.
    pub(super) fn first(&self) -> Option<u64> {
        let (word, bits) = (0..).zip(self.occupied).find(|(_, bits)| *bits != 0)?;
        let slot = word * 64 + u64::from(bits.trailing_zeros());
        debug_assert!(self.lists[slot_of(slot)].head != NIL, "what is marked has a list");
        Some(slot)
    }
}
