//! The calendar of a cycle-driven model: what is to happen, by cycle, phase and order of scheduling.
//!
//! # Scope and limitations
//! Events are small `Copy` values. Within one (cycle, phase) they come out first-in-first-out, exactly as a
//! binary heap over (cycle, phase, sequence number) would give them, and nothing may be scheduled behind the
//! (cycle, phase) being worked on. Cancelling is not offered: an event that has lost its meaning is to be
//! recognised by its receiver from the state it finds.
//!
//! ```text
//!   current cycle   one list a phase                                  <- pop(phase)
//!   fine wheel      1,024 cycles: the current block, one list a cycle
//!   coarse wheel    1,024 blocks: the current span of 2^20 cycles, one list a block
//!   heap            everything beyond
//! ```
//! Blocks and spans are aligned, so a list is always handed down whole and before anyone can add to its
//! successors: this is what keeps the order first-in-first-out. All lists live in one pool of nodes.
//!
//! # Validation
//! A unit test drives it beside a binary heap with random schedules, limits and gaps.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

const SLOTS: usize = 1024;
const WORDS: usize = SLOTS / 64;
const BITS: u32 = 10;
const NIL: u32 = u32::MAX;

/// Events in the order (cycle, phase, scheduling).
#[derive(Clone, Debug)]
pub struct Calendar<E> {
    /// The cycle being worked on, or the first that may still be opened.
    now: u64,
    /// Whether `now` has been opened.
    open: bool,
    phase: usize,
    current: Vec<Vec<E>>,
    cursors: Vec<usize>,
    /// The block of cycles that the fine wheel stands for.
    block: u64,
    fine: Wheel,
    coarse: Wheel,
    far: BinaryHeap<Reverse<Far<E>>>,
    sequence: u64,
    nodes: Vec<Node<E>>,
    free: u32,
    waiting: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node<E> {
    event: E,
    next: u32,
    /// The cycle modulo the length of a block.
    offset: u16,
    phase: u8,
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

#[derive(Clone, Debug)]
struct Wheel {
    lists: Vec<List>,
    occupied: [u64; WORDS],
}

#[derive(Clone, Copy, Debug)]
struct Far<E> {
    time: u64,
    sequence: u64,
    phase: u8,
    event: E,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar with phases `0..phases` in every cycle, at cycle 0.
    ///
    /// # Panics
    /// If there are more than 256 phases.
    pub fn new(phases: usize) -> Calendar<E> {
        assert!(phases <= 256, "a phase is one byte");
        Calendar {
            now: 0,
            open: false,
            phase: 0,
            current: vec![Vec::new(); phases],
            cursors: vec![0; phases],
            block: 0,
            fine: Wheel::new(),
            coarse: Wheel::new(),
            far: BinaryHeap::new(),
            sequence: 0,
            nodes: Vec::new(),
            free: NIL,
            waiting: 0,
        }
    }

    /// Adds an event.
    ///
    /// # Panics
    /// If (`time`, `phase`) lies behind what is being worked on.
    #[inline]
    pub fn schedule(&mut self, time: u64, phase: usize, event: E) {
        if self.open && time == self.now {
            assert!(phase >= self.phase, "scheduled into phase {phase} of {time} in phase {}", self.phase);
            self.current[phase].push(event);
            return;
        }
        assert!(time >= self.now, "scheduled at {time}, before {}", self.now);
        self.waiting += 1;
        // Both casts lose nothing: phases are at most 256, and the offset is masked to ten bits.
        #[expect(clippy::cast_possible_truncation, reason = "at most 256 phases, ten bits of offset")]
        let (phase, offset) = (phase as u8, (time & (SLOTS as u64 - 1)) as u16);
        let block = time >> BITS;
        if block == self.block {
            self.append(true, usize::from(offset), Node { event, next: NIL, offset, phase });
        } else if block >> BITS == self.block >> BITS {
            self.append(false, slot_of(block), Node { event, next: NIL, offset, phase });
        } else {
            let sequence = self.sequence;
            self.sequence += 1;
            self.far.push(Reverse(Far { time, sequence, phase, event }));
        }
    }

    /// The first cycle before `limit` that has an event; what is left of the open cycle does not count.
    ///
    /// The caller promises to schedule nothing more before `limit` unless such a cycle is found.
    #[inline]
    pub fn next_before(&mut self, limit: u64) -> Option<u64> {
        loop {
            let first = if self.open { self.now + 1 } else { self.now };
            let from = first.max(self.block << BITS);
            if from >> BITS == self.block
                && let Some(slot) = self.fine.next(slot_of(from))
            {
                let time = (self.block << BITS) | slot as u64;
                return (time < limit).then_some(time);
            }
            if self.waiting == 0 || !self.next_block(limit) {
                return None;
            }
        }
    }

    /// Begins cycle `time`: its events, if any, come out of [`Calendar::pop`] from now on.
    ///
    /// # Panics
    /// If the open cycle has events left, or `time` lies before a cycle that was open or has events.
    #[inline]
    pub fn open(&mut self, time: u64) {
        debug_assert!(self.current.iter().all(Vec::is_empty), "cycle {} is not complete", self.now);
        assert!(time >= self.now && !(self.open && time == self.now), "cycle {time} is over");
        while time >> BITS != self.block {
            // Only a caller who skips ahead of the events gets here without a block to enter.
            if self.waiting == 0 || !self.next_block(time + 1) {
                self.enter(time >> BITS);
            }
        }
        self.now = time;
        self.open = true;
        self.phase = 0;
        let slot = slot_of(time);
        let mut node = self.fine.take(slot);
        while node != NIL {
            let Node { event, next, phase, .. } = self.nodes[node as usize];
            self.current[usize::from(phase)].push(event);
            self.nodes[node as usize].next = self.free;
            self.free = node;
            self.waiting -= 1;
            node = next;
        }
    }

    /// The next event of `phase` in the open cycle. Earlier phases are over from now on.
    ///
    /// # Panics
    /// If a later phase has been asked for in this cycle.
    #[inline]
    pub fn pop(&mut self, phase: usize) -> Option<E> {
        assert!(phase >= self.phase, "phase {phase} asked for after {}", self.phase);
        self.phase = phase;
        let (list, cursor) = (&mut self.current[phase], &mut self.cursors[phase]);
        if let Some(event) = list.get(*cursor) {
            *cursor += 1;
            return Some(*event);
        }
        if *cursor > 0 {
            *cursor = 0;
            list.clear();
        }
        None
    }

    /// The event that `ahead` calls of [`Calendar::pop`] from now would skip, if nothing else is scheduled.
    #[inline]
    pub fn peek(&self, phase: usize, ahead: usize) -> Option<&E> {
        self.current[phase].get(self.cursors[phase] + ahead)
    }

    /// The events of `phase` in the open cycle that have not been popped, to be reordered or looked at.
    pub fn upcoming(&mut self, phase: usize) -> &mut [E] {
        &mut self.current[phase][self.cursors[phase]..]
    }

    /// Ends the open cycle and lets the next one be `time` at the earliest.
    ///
    /// # Panics
    /// If there are events before `time`.
    pub fn skip_to(&mut self, time: u64) {
        if time > self.now || !self.open {
            assert!(self.next_before(time).is_none(), "events before {time}");
            self.now = self.now.max(time);
            self.open = false;
        }
    }

    /// How many events wait for cycles after the open one.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Whether no event waits for a cycle after the open one.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Shows every event after the open cycle, in no particular order: cycle and event. Costs O(events).
    pub fn for_each(&self, mut see: impl FnMut(u64, &E)) {
        for slot in 0..SLOTS {
            self.walk(self.fine.lists[slot], self.block, &mut see);
            let span = (self.block >> BITS) << BITS;
            self.walk(self.coarse.lists[slot], span | slot as u64, &mut see);
        }
        for Reverse(far) in &self.far {
            see(far.time, &far.event);
        }
    }

    fn walk(&self, list: List, block: u64, see: &mut impl FnMut(u64, &E)) {
        let mut node = list.head;
        while node != NIL {
            let Node { ref event, next, offset, .. } = self.nodes[node as usize];
            see((block << BITS) | u64::from(offset), event);
            node = next;
        }
    }

    /// Enters the next block that has events and begins before `limit`; whether there is one.
    #[cold]
    fn next_block(&mut self, limit: u64) -> bool {
        if let Some(slot) = self.coarse.next(slot_of(self.block)) {
            let block = ((self.block >> BITS) << BITS) | slot as u64;
            let near = block << BITS < limit;
            if near {
                self.enter(block);
            }
            return near;
        }
        let Some(Reverse(far)) = self.far.peek() else { return false };
        if far.time >= limit {
            return false;
        }
        let block = (far.time >> (2 * BITS)) << BITS;
        self.enter(block);
        true
    }

    /// Makes `block` the fine wheel's, which must be empty; loads its span first if that is a new one.
    fn enter(&mut self, block: u64) {
        let span = block >> BITS;
        let new_span = span != self.block >> BITS;
        self.block = block;
        if new_span {
            while let Some(Reverse(far)) = self.far.peek().copied() {
                if far.time >> (2 * BITS) != span {
                    break;
                }
                self.far.pop();
                #[expect(clippy::cast_possible_truncation, reason = "masked to ten bits")]
                let offset = (far.time & (SLOTS as u64 - 1)) as u16;
                let node = Node { event: far.event, next: NIL, offset, phase: far.phase };
                self.append(false, slot_of(far.time >> BITS), node);
            }
        }
        let mut node = self.coarse.take(slot_of(block));
        while node != NIL {
            let next = self.nodes[node as usize].next;
            self.nodes[node as usize].next = NIL;
            let slot = usize::from(self.nodes[node as usize].offset);
            self.fine.link(slot, node, &mut self.nodes);
            node = next;
        }
    }

    #[inline]
    fn append(&mut self, fine: bool, slot: usize, node: Node<E>) {
        let index = if self.free == NIL {
            self.nodes.push(node);
            u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 events wait")
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            index
        };
        let wheel = if fine { &mut self.fine } else { &mut self.coarse };
        wheel.link(slot, index, &mut self.nodes);
    }
}

impl Wheel {
    fn new() -> Wheel {
        Wheel { lists: vec![List { head: NIL, tail: NIL }; SLOTS], occupied: [0; WORDS] }
    }

    #[inline]
    fn link<E>(&mut self, slot: usize, node: u32, nodes: &mut [Node<E>]) {
        let list = &mut self.lists[slot];
        if list.head == NIL {
            list.head = node;
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            nodes[list.tail as usize].next = node;
        }
        list.tail = node;
    }

    /// Empties a slot and gives the first node of its list.
    #[inline]
    fn take(&mut self, slot: usize) -> u32 {
        let list = &mut self.lists[slot];
        let head = list.head;
        *list = List { head: NIL, tail: NIL };
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        head
    }

    /// The first occupied slot from `slot` on.
    #[inline]
    fn next(&self, slot: usize) -> Option<usize> {
        let mut word = slot / 64;
        let mut bits = self.occupied[word] & (u64::MAX << (slot % 64));
        while bits == 0 {
            word += 1;
            bits = *self.occupied.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "masked to ten bits")]
fn slot_of(index: u64) -> usize {
    (index & (SLOTS as u64 - 1)) as usize
}

impl<E> Ord for Far<E> {
    fn cmp(&self, other: &Far<E>) -> Ordering {
        (self.time, self.sequence).cmp(&(other.time, other.sequence))
    }
}

impl<E> PartialOrd for Far<E> {
    fn partial_cmp(&self, other: &Far<E>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Far<E> {
    fn eq(&self, other: &Far<E>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Far<E> {}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const PHASES: usize = 5;

    /// Wrong if any event comes out in another cycle, phase or order than from a heap over
    /// (time, phase, sequence), whatever the gaps and limits.
    #[test]
    fn it_equals_a_heap() {
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            check(seed, &mut rng);
        }
    }

    fn check(seed: u64, rng: &mut ChaCha8Rng) {
        let mut calendar = Calendar::new(PHASES);
        let mut heap = BinaryHeap::new();
        let mut sequence = 0u64;
        let mut add = |calendar: &mut Calendar<u64>, heap: &mut BinaryHeap<_>, time: u64, phase: usize| {
            calendar.schedule(time, phase, sequence);
            heap.push(Reverse((time, phase, sequence)));
            sequence += 1;
        };
        let mut now = 0;
        for _ in 0..rng.random_range(1..30) {
            let time = gap(rng);
            add(&mut calendar, &mut heap, time, rng.random_range(0..PHASES));
        }
        for _ in 0..300 {
            let limit = now + 1 + gap(rng);
            let Some(time) = calendar.next_before(limit) else {
                assert!(heap.peek().is_none_or(|Reverse((time, ..))| *time >= limit), "seed {seed}");
                if heap.is_empty() {
                    break;
                }
                calendar.skip_to(limit);
                now = limit;
                add(&mut calendar, &mut heap, now + gap(rng), 0);
                continue;
            };
            calendar.open(time);
            now = time;
            for phase in 0..PHASES {
                while let Some(event) = calendar.pop(phase) {
                    assert_eq!(heap.pop(), Some(Reverse((time, phase, event))), "seed {seed}");
                    if rng.random_bool(0.5) {
                        let later = rng.random_range(phase..PHASES);
                        add(&mut calendar, &mut heap, time, later);
                    }
                    for _ in 0..rng.random_range(0..3) {
                        add(&mut calendar, &mut heap, time + 1 + gap(rng), rng.random_range(0..PHASES));
                    }
                }
            }
            if heap.len() > 200 {
                heap = keep_first(&mut calendar, heap, time);
            }
        }
    }

    /// Nothing can be cancelled, so an overfull pair is rebuilt from its first hundred.
    fn keep_first(
        calendar: &mut Calendar<u64>,
        heap: BinaryHeap<Reverse<(u64, usize, u64)>>,
        now: u64,
    ) -> BinaryHeap<Reverse<(u64, usize, u64)>> {
        let mut kept: Vec<_> = heap.into_sorted_vec();
        kept.reverse();
        kept.truncate(100);
        kept.sort_by_key(|Reverse((_, _, sequence))| *sequence);
        *calendar = Calendar::new(PHASES);
        calendar.skip_to(now + 1);
        for Reverse((time, phase, event)) in &kept {
            calendar.schedule(*time, *phase, *event);
        }
        kept.into_iter().collect()
    }

    fn gap(rng: &mut impl Rng) -> u64 {
        let bits = rng.random_range(0..23);
        rng.random_range(0..1u64 << bits)
    }

    #[test]
    #[should_panic(expected = "scheduled into phase 1")]
    fn nothing_goes_behind_the_current_phase() {
        let mut calendar = Calendar::new(3);
        calendar.open(7);
        let _: Option<u8> = calendar.pop(2);
        calendar.schedule(7, 1, 0);
    }
}
