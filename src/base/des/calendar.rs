//! The calendar of a cycle-driven model: what is to happen, by cycle, phase and order of scheduling.
//!
//! # Scope and limitations
//! Events are small `Copy` values. Within one (cycle, phase) they come out first-in-first-out, exactly as a
//! binary heap over (cycle, phase, sequence number) would give them, and nothing may be scheduled behind the
//! (cycle, phase) being worked on. Cancelling is not offered: an event that has lost its meaning is to be
//! recognised by its receiver from the state it finds.
//!
//! ```text
//!   current cycle   one list, in order of phases                             <- pop(phase)
//!   fine wheel      the current block of 64 cycles and the next, one list a cycle
//!   coarse wheel    blocks after the next, up to the end of their span of 1,024, one list a block
//!   heap            everything beyond
//! ```
//! Blocks and spans are aligned, and a block's list is handed down whole when the block before it begins,
//! before anyone can add to its cycles directly: this keeps the order first-in-first-out. What happens less
//! than 64 cycles ahead goes to its cycle's list at once.
//!
//! The window of the fine wheel moves by a block, and not by a cycle, so that of its two halves one is always whole:
//!
//! ```text
//!   cycle       0        64       128      192      256  ...                65536 = 2^16
//!   block       |   0    |   1    |   2    |   3    |  ...                  |  1024
//!               <----------------- span 0 ------------------------------->  <- span 1
//!
//!   now = 50    [even    |odd    ]|coarse  |coarse  |  ...                  |  heap
//!   now = 64             [odd     |even   ]|coarse  |  ...                  |  heap
//!                                  ^ the list of block 2 came down when block 1 began; its half held block 0 before,
//!                                    of which no event is left
//!   block 1023 begins:   the list of block 1024 comes down, so span 1 moves from the heap to the coarse wheel first
//! ```
//!
//! # Validation
//! A unit test compares it with a binary heap under random schedules, limits and gaps.

mod coarse;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rand::seq::SliceRandom;

use coarse::Coarse;

/// Cycles in a block: 2^6.
// A word of marks a block: the next cycle with events is one count of trailing zeros away.
const BLOCK: u32 = 6;
/// The last cycle of a block.
const LAST: u64 = (1 << BLOCK) - 1;
/// Cycles in the fine wheel.
const FINE: usize = 2 << BLOCK;
/// Blocks in a span: 2^10.
// 2^16 cycles: only what waits long, as time-outs do, pays for a place in the heap.
const SPAN: u32 = 10;
const WORDS: usize = (1 << SPAN) / 64;
/// The most phases.
const PHASES: usize = 16;
/// As many events as this are put in order by exchanging neighbours.
const FEW: usize = 8;
/// No event is left of the open cycle.
const NO_PHASE: u8 = u8::MAX;

/// Events in the order (cycle, phase, scheduling).
#[derive(Clone, Debug)]
pub struct Calendar<E> {
    /// The cycle being worked on, or the first that may still be opened.
    now: u64,
    /// Whether `now` has been opened.
    open: bool,
    phase: usize,
    phases: usize,
    /// The events of the open cycle in order of phases, and how many of them have been popped.
    current: Vec<Entry<E>>,
    cursor: usize,
    /// Room for those of a cycle with many, while they are put in order.
    unordered: Vec<Entry<E>>,
    /// The phase of the next of them.
    upcoming: u8,
    /// The current block, and the cycle after the next one's last.
    block: u64,
    fine_end: u64,
    /// Two blocks, one list a cycle: the even block and the odd one.
    fine: Box<[List<E>; FINE]>,
    occupied: [u64; 2],
    /// The span whose blocks are in the coarse wheel.
    span: u64,
    coarse: Coarse<E>,
    far: BinaryHeap<Reverse<Far<E>>>,
    sequence: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    event: E,
    phase: u8,
    /// The cycle within its block.
    offset: u8,
}

/// The events of a cycle in order of scheduling: the first lies in the wheel itself, since few cycles have more.
#[derive(Clone, Debug)]
struct List<E> {
    /// Of some cycle before if this one is not marked as occupied; `None` before the first.
    first: Option<Entry<E>>,
    more: Vec<Entry<E>>,
}

impl<E> Entry<E> {
    #[inline(always)]
    fn new(time: u64, phase: u8, event: E) -> Entry<E> {
        let offset = (time & LAST) as u8;
        Entry { event, phase, offset }
    }
}

impl<E> List<E> {
    #[inline(never)]
    fn put_behind(&mut self, time: u64, phase: u8, event: E) {
        self.more.push(Entry::new(time, phase, event));
    }
}

#[derive(Clone, Copy, Debug)]
struct Far<E> {
    time: u64,
    sequence: u64,
    entry: Entry<E>,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar with phases `0..phases` in every cycle, at cycle 0.
    ///
    /// # Panics
    /// If there are more than 16 phases.
    pub fn new(phases: usize) -> Calendar<E> {
        assert!(phases <= PHASES, "the events of a cycle are ordered in one pass over few phases");
        debug_assert!(phases > 0, "an event has a phase");
        Calendar {
            now: 0,
            open: false,
            phase: 0,
            phases,
            current: Vec::new(),
            cursor: 0,
            unordered: Vec::new(),
            upcoming: NO_PHASE,
            block: 0,
            fine_end: 2 << BLOCK,
            fine: Box::new(std::array::from_fn(|_| List { first: None, more: Vec::new() })),
            occupied: [0; 2],
            span: 0,
            coarse: Coarse::new(),
            far: BinaryHeap::new(),
            sequence: 0,
        }
    }

    /// Adds an event.
    ///
    /// # Panics
    /// If (`time`, `phase`) lies behind what is being worked on.
    #[inline(always)]
    pub fn schedule(&mut self, time: u64, phase: usize, event: E) {
        debug_assert!(phase < self.phases, "a cycle has no phase {phase}");
        #[expect(clippy::cast_possible_truncation, reason = "at most 16 phases")]
        let phase = phase as u8;
        // By block and not by distance: what shares a block takes one way to it, in the order in which it was
        // scheduled.
        if time > self.now && time < self.fine_end {
            self.put_fine(time, phase, event);
        } else {
            self.put_elsewhere(time, phase, event);
        }
    }

    /// Adds an event that the fine wheel has no list for: of the open cycle, or of blocks further ahead.
    #[inline(never)]
    fn put_elsewhere(&mut self, time: u64, phase: u8, event: E) {
        let block = time >> BLOCK;
        if block > self.block + 1 && block >> SPAN == self.span {
            self.coarse.put(slot_of(block), Entry::new(time, phase, event));
        } else {
            self.put_apart(time, phase, event);
        }
    }

    /// Adds an event of the open cycle, or beyond the present span.
    #[inline(never)]
    fn put_apart(&mut self, time: u64, phase: u8, event: E) {
        let entry = Entry::new(time, phase, event);
        let block = time >> BLOCK;
        if block > self.block + 1 {
            debug_assert!(block >> SPAN > self.span, "the span before is over");
            // A heap forgets the order of equals; the lists of the wheels need no such number.
            let sequence = self.sequence;
            self.sequence += 1;
            self.far.push(Reverse(Far { time, sequence, entry }));
        } else if time <= self.now && self.open {
            self.put_current(time, entry);
        } else {
            assert!(time >= self.now, "scheduled at {time}, before {}", self.now);
            self.put_fine(time, phase, event);
        }
    }

    /// Adds an event to the open cycle, behind those of its phase.
    fn put_current(&mut self, time: u64, entry: Entry<E>) {
        let phase = usize::from(entry.phase);
        assert!(time == self.now, "scheduled at {time}, before {}", self.now);
        assert!(phase >= self.phase, "scheduled into phase {phase} of {time} in phase {}", self.phase);
        let ahead = self.current[self.cursor..].partition_point(|other| other.phase <= entry.phase);
        self.current.insert(self.cursor + ahead, entry);
        self.upcoming = self.upcoming.min(entry.phase);
    }

    /// Adds an event to the list of a cycle of the present block or the next.
    #[inline(always)]
    fn put_fine(&mut self, time: u64, phase: u8, event: E) {
        let block = time >> BLOCK;
        debug_assert!(block == self.block || block == self.block + 1, "the fine wheel has two blocks");
        let (marks, mark) = (&mut self.occupied[half_of(block)], 1 << (time & LAST));
        let list = &mut self.fine[place_of(time)];
        if *marks & mark == 0 {
            debug_assert!(list.more.is_empty(), "a list begins with its first event");
            *marks |= mark;
            list.first = Some(Entry::new(time, phase, event));
        } else {
            list.put_behind(time, phase, event);
        }
    }

    /// The first cycle before `limit` that has an event; what is left of the open cycle does not count.
    ///
    /// The caller promises to schedule nothing more before `limit` unless such a cycle is found.
    #[inline]
    pub fn next_before(&mut self, limit: u64) -> Option<u64> {
        loop {
            // Up to two words of marks: what is left of the present block, and the next. No cycle that is over has a
            // mark.
            let here = self.occupied[half_of(self.block)];
            let next = self.occupied[half_of(self.block + 1)];
            if here | next != 0 {
                let (block, marks) = if here != 0 { (self.block, here) } else { (self.block + 1, next) };
                let time = block << BLOCK | u64::from(marks.trailing_zeros());
                debug_assert!(time >= self.now + u64::from(self.open), "no cycle is found that is over");
                return (time < limit).then_some(time);
            }
            // Entering a block that begins before the limit is safe, and no other would be: the caller may yet schedule
            // from the limit on, and nothing may go into a block that is over.
            if !self.next_block(limit) {
                return None;
            }
        }
    }

    /// Begins cycle `time`: its events, if any, come out of [`Calendar::pop`] from now on.
    ///
    /// # Panics
    /// If the open cycle has events left, or `time` lies before a cycle that was open or has events.
    pub fn open(&mut self, time: u64) {
        assert!(time >= self.now + u64::from(self.open), "cycle {time} is over");
        if time >> BLOCK != self.block {
            self.go_to(time);
        }
        debug_assert!(time >> BLOCK == self.block, "the cycle lies in the block that is there");
        let (half, offset) = (half_of(self.block), time & LAST);
        let marks = self.occupied[half];
        debug_assert!(marks & ((1 << offset) - 1) == 0, "no cycle with events is passed over");
        self.occupied[half] = marks & !(1 << offset);
        self.begin(time);
        if marks & 1 << offset != 0
            && let Some(entry) = self.take_first(place_of(time))
        {
            self.upcoming = entry.phase;
            self.current.push(entry);
        }
    }

    /// Begins the first cycle before `limit` that has an event, as [`next_before`](Self::next_before) and
    /// [`open`](Self::open) do, and gives it; if it has only one event, takes that, with the phase, which begins.
    #[inline(always)]
    pub fn open_next(&mut self, limit: u64) -> Option<(u64, Option<(usize, E)>)> {
        loop {
            let half = half_of(self.block);
            let marks = self.occupied[half];
            if marks == 0 {
                if !self.next_half(limit) {
                    return None;
                }
                continue;
            }
            let offset = marks.trailing_zeros();
            let time = self.block << BLOCK | u64::from(offset);
            if time >= limit {
                return None;
            }
            debug_assert!(time >= self.now + u64::from(self.open), "no cycle is found that is over");
            self.occupied[half] = marks & (marks - 1);
            self.begin(time);
            let Some(entry) = self.take_first(half << BLOCK | offset as usize) else {
                return Some((time, None));
            };
            self.phase = usize::from(entry.phase);
            return Some((time, Some((self.phase, entry.event))));
        }
    }

    /// Begins cycle `time`, none of whose events is in the list of those of the open cycle yet.
    #[inline(always)]
    fn begin(&mut self, time: u64) {
        debug_assert!(self.cursor == self.current.len(), "cycle {} is not complete", self.now);
        self.now = time;
        self.open = true;
        self.phase = 0;
        self.upcoming = NO_PHASE;
        self.cursor = 0;
        self.current.clear();
    }

    /// Takes the only event of the open cycle, whose list is at `place` of the fine wheel; several are put into the
    /// list of those of the open cycle.
    #[inline(always)]
    fn take_first(&mut self, place: usize) -> Option<Entry<E>> {
        let list = &self.fine[place];
        debug_assert!(
            list.first.iter().chain(&list.more).all(|entry| u64::from(entry.offset) == self.now & LAST),
            "the list of a cycle has no event of another"
        );
        if list.more.is_empty() {
            return list.first;
        }
        // The phases of a cycle are put in order only now: a cycle ahead costs one list whatever its phases, and one
        // with a single event, as most have, nothing more.
        self.order(place);
        None
    }

    /// Enters the next block that has events, if its first lies before `limit`; whether it has done so. Those of the
    /// current block are over.
    #[inline(never)]
    fn next_half(&mut self, limit: u64) -> bool {
        let next = self.occupied[half_of(self.block + 1)];
        if next == 0 {
            return self.next_block(limit);
        }
        let time = (self.block + 1) << BLOCK | u64::from(next.trailing_zeros());
        if time < limit {
            self.enter(self.block + 1);
        }
        time < limit
    }

    /// Makes the block of `time` the current one.
    #[inline(never)]
    fn go_to(&mut self, time: u64) {
        while time >> BLOCK != self.block {
            // The next block comes down step by step; beyond it, only a caller who skips ahead of the events
            // gets to a block without any.
            if time >> BLOCK == self.block + 1 || !self.next_block(time + 1) {
                self.enter(time >> BLOCK);
            }
        }
    }

    /// Puts the events of the open cycle in order of phases; those of a phase keep theirs. Costs O(events) if many.
    #[inline(never)]
    fn order(&mut self, place: usize) {
        let Some(first) = self.fine[place].first else { return };
        // The list of those of the open cycle is empty, and takes the place of the one that becomes it.
        std::mem::swap(&mut self.current, &mut self.fine[place].more);
        if let [second] = self.current[..] {
            // As often as all other numbers together.
            if first.phase <= second.phase {
                self.current.push(second);
                self.current[0] = first;
            } else {
                self.current.push(first);
            }
        } else {
            self.current.insert(0, first);
            if self.current.len() <= FEW { self.order_few() } else { self.order_many() }
        }
        debug_assert!(self.current.is_sorted_by_key(|entry| entry.phase), "phases come in order");
        self.upcoming = self.current[0].phase;
    }

    /// Puts each before those of later phases: few are nearly in order.
    fn order_few(&mut self) {
        for next in 1..self.current.len() {
            let mut place = next;
            while place > 0 && self.current[place - 1].phase > self.current[place].phase {
                self.current.swap(place - 1, place);
                place -= 1;
            }
        }
    }

    fn order_many(&mut self) {
        let mut places = [0; PHASES + 1];
        for entry in &self.current {
            places[usize::from(entry.phase) + 1] += 1;
        }
        for phase in 1..places.len() {
            places[phase] += places[phase - 1];
        }
        self.unordered.clone_from(&self.current);
        for entry in &self.unordered {
            let place = &mut places[usize::from(entry.phase)];
            self.current[*place] = *entry;
            *place += 1;
        }
    }

    /// The next event of the open cycle and its phase, which begins.
    #[inline]
    pub fn pop_next(&mut self) -> Option<(usize, E)> {
        let entry = *self.current.get(self.cursor)?;
        self.phase = usize::from(entry.phase);
        self.cursor += 1;
        self.upcoming = self.current.get(self.cursor).map_or(NO_PHASE, |entry| entry.phase);
        Some((self.phase, entry.event))
    }

    /// How many events of the open cycle have not been popped.
    #[inline]
    pub fn left(&self) -> usize {
        self.current.len() - self.cursor
    }

    /// The next event of `phase` in the open cycle. Earlier phases are over from now on.
    ///
    /// # Panics
    /// If a later phase has been asked for in this cycle.
    #[inline]
    pub fn pop(&mut self, phase: usize) -> Option<E> {
        assert!(phase >= self.phase, "phase {phase} asked for after {}", self.phase);
        self.phase = phase;
        debug_assert!(self.open || self.cursor == self.current.len(), "only an open cycle has events");
        if !self.has(phase) {
            return None;
        }
        // A cursor instead of removal: what is scheduled into this phase meanwhile goes behind the others of it.
        let entry = self.current.get(self.cursor)?;
        self.cursor += 1;
        self.upcoming = self.current.get(self.cursor).map_or(NO_PHASE, |entry| entry.phase);
        Some(entry.event)
    }

    /// Whether `phase` has an event next. No earlier phase may have any left.
    #[inline]
    pub fn has(&self, phase: usize) -> bool {
        debug_assert!(
            usize::from(self.upcoming) >= phase,
            "a phase before {phase} is left with events in it"
        );
        usize::from(self.upcoming) == phase
    }

    /// The event that `ahead` calls of [`Calendar::pop`] from now would skip, if nothing else is scheduled.
    #[inline]
    pub fn peek(&self, phase: usize, ahead: usize) -> Option<&E> {
        debug_assert!(self.open && phase >= self.phase, "phases come in order");
        let entry = self.current.get(self.cursor + ahead)?;
        (usize::from(entry.phase) == phase).then_some(&entry.event)
    }

    /// Puts the events of `phase` in the open cycle that have not been popped into a random order.
    pub fn shuffle(&mut self, phase: usize, rng: &mut impl rand::Rng) {
        debug_assert!(self.open && phase >= self.phase, "phases come in order");
        let ahead = &mut self.current[self.cursor..];
        let from = ahead.partition_point(|entry| usize::from(entry.phase) < phase);
        let to = ahead.partition_point(|entry| usize::from(entry.phase) <= phase);
        ahead[from..to].shuffle(rng);
    }

    /// The events of the open cycle that have not been popped, from `phase` on.
    pub fn upcoming(&self, phase: usize) -> impl Iterator<Item = &E> {
        let ahead = self.current[self.cursor..].iter();
        ahead.filter(move |entry| usize::from(entry.phase) >= phase).map(|entry| &entry.event)
    }

    /// Ends the open cycle and lets the next one be `time` at the earliest.
    ///
    /// # Panics
    /// If there are events before `time`.
    pub fn skip_to(&mut self, time: u64) {
        if time > self.now || !self.open {
            assert!(self.next_before(time).is_none(), "events before {time}");
            debug_assert!(self.cursor == self.current.len(), "events of cycle {} are skipped", self.now);
            self.now = self.now.max(time);
            self.open = false;
        }
    }

    /// Whether no event waits for a cycle after the open one. Costs O(blocks in a span) where nothing is near.
    pub fn is_empty(&self) -> bool {
        self.occupied == [0; 2] && self.coarse.first().is_none() && self.far.is_empty()
    }

    /// Shows every event after the open cycle, in no particular order: cycle and event. Costs O(events).
    pub fn for_each(&self, mut see: impl FnMut(u64, &E)) {
        let now = self.now;
        let mut see = |time, event: &E| {
            debug_assert!(time >= now, "no event is left of a cycle that is over");
            see(time, event);
        };
        for block in [self.block, self.block + 1] {
            let half = half_of(block);
            let marks = self.occupied[half];
            let lists = (0..1 << BLOCK).filter(|offset| marks & 1 << offset != 0);
            for list in lists.map(|offset| &self.fine[(half << BLOCK) | offset]) {
                for entry in list.first.iter().chain(&list.more) {
                    see((block << BLOCK) | u64::from(entry.offset), &entry.event);
                }
            }
        }
        for (slot, list) in (0..).zip(self.coarse.lists.iter()) {
            let block = (self.span << SPAN) | slot;
            for entry in list {
                see((block << BLOCK) | u64::from(entry.offset), &entry.event);
            }
        }
        for Reverse(far) in &self.far {
            see(far.time, &far.entry.event);
        }
    }

    /// Enters the first block after the next that has events and begins before `limit`; whether there is one.
    /// Those of the current block and the next are over.
    #[cold]
    fn next_block(&mut self, limit: u64) -> bool {
        // The coarse wheel has the present span, the heap later ones only: the first of the two that has any has the
        // next.
        let block = if let Some(slot) = self.coarse.first() {
            (self.span << SPAN) | slot
        } else if let Some(Reverse(far)) = self.far.peek() {
            far.time >> BLOCK
        } else {
            return false;
        };
        debug_assert!(block > self.block + 1, "what is near is in the fine wheel");
        debug_assert!(self.occupied == [0; 2], "nothing nearer is passed over");
        let near = block << BLOCK < limit;
        // Not entered before its time: a caller whose limit lies before may schedule into the blocks between.
        if near {
            self.enter(block);
        }
        near
    }

    /// Makes `block` the current one. The lists of the blocks before it must be empty.
    fn enter(&mut self, block: u64) {
        let is_down = block == self.block + 1;
        debug_assert!(block > self.block, "blocks come in order");
        debug_assert!(self.occupied[half_of(self.block)] == 0, "no event is left behind");
        debug_assert!(is_down || self.occupied == [0; 2], "no event is skipped");
        self.block = block;
        self.fine_end = (block + 2) << BLOCK;
        // One step takes over a half that came down whole with the step before; a leap finds neither half filled.
        if !is_down {
            self.bring_down(block);
        }
        self.bring_down(block + 1);
        debug_assert!(
            self.span == (block + 1) >> SPAN,
            "the span is that of the next block, not of the present one"
        );
        debug_assert!(self.is_marked_right(), "a mark says whether its list has entries");
        debug_assert!(
            self.coarse.first().is_none_or(|slot| (self.span << SPAN) | slot > block + 1),
            "the coarse wheel has blocks after the next"
        );
    }

    /// Whether every cycle of the fine wheel that has several events is marked. Costs O(cycles in the wheel).
    fn is_marked_right(&self) -> bool {
        let marked = |nth: usize| self.occupied[nth >> BLOCK] & (1 << (nth & ((1 << BLOCK) - 1))) != 0;
        self.fine.iter().enumerate().all(|(nth, list)| marked(nth) || list.more.is_empty())
    }

    /// Hands a block's events to the fine wheel; loads the block's span first if that is a new one.
    fn bring_down(&mut self, block: u64) {
        debug_assert!(block == self.block || block == self.block + 1, "what comes down is near");
        if block >> SPAN != self.span {
            debug_assert!(block >> SPAN > self.span, "spans come in order");
            debug_assert!(self.coarse.first().is_none(), "no block of the span before is left behind");
            self.span = block >> SPAN;
            while let Some(Reverse(far)) = self.far.peek().copied() {
                if far.time >> BLOCK >> SPAN != self.span {
                    break;
                }
                debug_assert!(far.time >> BLOCK >= block, "no event in the heap is left behind");
                self.far.pop();
                self.coarse.put(slot_of(far.time >> BLOCK), far.entry);
            }
        }
        debug_assert!(
            self.far.peek().is_none_or(|Reverse(far)| far.time >> BLOCK >> SPAN > self.span),
            "the heap never holds what the coarse wheel should"
        );
        if self.coarse.is_marked(slot_of(block)) {
            // As `put_fine` would, one after the other.
            let (half, list) = (half_of(block), self.coarse.take(slot_of(block)));
            let mut marks = self.occupied[half];
            for entry in &list {
                let mark = 1 << (u64::from(entry.offset) & LAST);
                let place = &mut self.fine[place_of((block << BLOCK) | u64::from(entry.offset))];
                if marks & mark == 0 {
                    marks |= mark;
                    place.first = Some(*entry);
                } else {
                    place.more.push(*entry);
                }
            }
            self.occupied[half] = marks;
            self.coarse.put_back(list);
        }
    }
}

/// Which half of the fine wheel a block has.
#[inline]
fn half_of(block: u64) -> usize {
    usize::from(block & 1 != 0)
}

/// A cycle's place in the fine wheel.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "what wraps at 2^32 as well has the same last bits")]
fn place_of(time: u64) -> usize {
    time as usize & (FINE - 1)
}

/// A block's place in its span.
#[inline]
fn slot_of(index: u64) -> usize {
    (index & ((1 << SPAN) - 1)) as usize
}

impl<E> Ord for Far<E> {
    fn cmp(&self, other: &Far<E>) -> Ordering {
        debug_assert!(
            self.sequence != other.sequence || self.time == other.time,
            "a number is given to one event"
        );
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
mod tests;
