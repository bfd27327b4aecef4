//! Worms: the messages that are in the fabric, or about to enter it.

use crate::fabric::{Cause, Outgoing};
use simnet_base::ids::Turn;

use super::ports::{NEVER, NONE};

const INLINE: usize = 16;

/// A worm as switches see it. The route is carried along: no table of all routes is needed.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Worm {
    /// When the head reaches, or is taken by, the host at the end.
    pub(super) head_at: u64,
    /// When the tail reaches a host that takes everything at once, if nothing happens before.
    tail_at: u64,
    /// The first cycle in which no switch passes its head on; until it starts, cycles from its start to then.
    pub(super) expires: u64,
    pub(super) payload: u32,
    /// The worm behind it in the one buffer that holds both its tail and the other's head.
    pub(super) next: u32,
    /// Where its turns are, if not in `route`.
    spill: u32,
    /// Cycles between the first flits on the cable that the head has last entered.
    pub(super) head_period: u32,
    turns: u16,
    /// Turns not yet taken.
    pub(super) left: u16,
    /// It reaches, or has reached, a host with turns left.
    pub(super) too_soon: bool,
    route: [i8; INLINE],
}

/// A worm as hosts see it, and what is seldom needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) tag: u64,
    pub(super) created: u64,
    /// [`NEVER`] until it has started.
    pub(super) started: u64,
    /// When the first cause of destruction struck.
    pub(super) struck_at: u64,
    /// Its place among all that have started, once it has.
    pub(super) serial: u64,
    pub(super) source: u32,
    /// The port of the host that its tail reaches in [`Worm::tail_at`], while that is expected.
    sink: u32,
    /// Its pieces: 1, and one more for each cut. The records are free at 0.
    pub(super) pieces: u32,
    pub(super) cause: Option<Cause>,
}

/// All worms, and the slots free for new ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Worms {
    slots: Vec<Worm>,
    messages: Vec<Message>,
    free: Vec<u32>,
    spilled: Vec<Box<[Turn]>>,
    free_spills: Vec<u32>,
}

impl Worms {
    /// Makes the record of a message that `source` is going to send.
    pub(super) fn add(&mut self, source: u32, message: &Outgoing, route: &[Turn]) -> u32 {
        let turns = u16::try_from(route.len()).expect("a route has fewer than 65,536 turns");
        let slot = self.free.pop().unwrap_or_else(|| self.grow());
        let record = &mut self.messages[slot as usize];
        debug_assert!(record.pieces == 0 && record.started == NEVER, "a free record is nobody's");
        record.tag = message.tag;
        record.created = message.created.0;
        (record.struck_at, record.serial) = (NEVER, NEVER);
        (record.source, record.sink) = (source, NONE);
        record.pieces = 1;
        record.cause = None;
        let worm = &mut self.slots[slot as usize];
        debug_assert!(worm.tail_at == NEVER, "and no tail of its last worm is to come");
        worm.head_at = NEVER;
        worm.expires = message.time_to_live.unwrap_or(NEVER);
        worm.payload = message.payload.max(1);
        worm.next = NONE;
        worm.head_period = 1;
        (worm.turns, worm.left) = (turns, turns);
        worm.too_soon = false;
        worm.spill = NONE;
        if !shorten(route, &mut worm.route) {
            let spill = self.spill(route);
            self.slots[slot as usize].spill = spill;
        }
        slot
    }

    /// Makes room for one more worm.
    #[cold]
    fn grow(&mut self) -> u32 {
        let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 worms");
        self.slots.push(Worm::NOBODY);
        self.messages.push(Message::NOBODYS);
        debug_assert!(self.slots.len() == self.messages.len(), "a worm has two records under one number");
        slot
    }

    fn spill(&mut self, route: &[Turn]) -> u32 {
        debug_assert!(!route.is_empty(), "an empty place would pass for a free one");
        if let Some(slot) = self.free_spills.pop() {
            debug_assert!(self.spilled[slot as usize].is_empty(), "a free place is empty");
            self.spilled[slot as usize] = route.into();
            return slot;
        }
        self.spilled.push(route.into());
        u32::try_from(self.spilled.len() - 1).expect("fewer than 2^32 worms")
    }

    /// Frees a record.
    #[inline(always)]
    pub(super) fn remove(&mut self, worm: u32) {
        // Stays on: a record freed twice would be two messages at once.
        assert!(self.messages[worm as usize].pieces == 0, "a message is over with its last piece");
        let slot = &mut self.slots[worm as usize];
        slot.tail_at = NEVER;
        if slot.spill != NONE {
            debug_assert!(!self.spilled[slot.spill as usize].is_empty(), "a place is freed once");
            self.spilled[slot.spill as usize] = Box::default();
            self.free_spills.push(slot.spill);
        }
        debug_assert!(self.messages[worm as usize].started != NEVER, "only what has started is over");
        debug_assert!(self.free.len() < self.slots.len(), "no record is free twice");
        self.free.push(worm);
        self.messages[worm as usize].started = NEVER;
    }

    /// The tail reaches the host at `port`, which takes everything at once, in cycle `tail` if nothing happens before.
    #[inline(always)]
    pub(super) fn expect_tail(&mut self, worm: u32, port: u32, tail: u64) {
        self.slots[worm as usize].tail_at = tail;
        self.messages[worm as usize].sink = port;
    }

    /// The tail reaches the host at `port` in cycle `t`, if that is where it is expected: it is so no more.
    ///
    /// An event that says so may be of a worm that had the record before, whose tail was held up: one of the present
    /// worm elsewhere in the same cycle is another.
    #[inline]
    pub(super) fn reach(&mut self, worm: u32, port: u32, t: u64) -> Option<(&Worm, &mut Message)> {
        let (record, message) = (&mut self.slots[worm as usize], &mut self.messages[worm as usize]);
        if record.tail_at != t || message.sink != port {
            return None;
        }
        record.tail_at = NEVER;
        Some((record, message))
    }

    /// The tail is not expected any more.
    #[inline]
    pub(super) fn forget_tail(&mut self, worm: u32) {
        self.slots[worm as usize].tail_at = NEVER;
    }

    /// Whether the tail is expected anywhere.
    #[inline]
    pub(super) fn is_tail_expected(&self, worm: u32) -> bool {
        self.slots[worm as usize].tail_at != NEVER
    }

    /// Whether the tail is expected at `port` in cycle `t`.
    #[inline]
    pub(super) fn is_tail_expected_at(&self, worm: u32, port: u32, t: u64) -> bool {
        self.slots[worm as usize].tail_at == t && self.messages[worm as usize].sink == port
    }

    /// What hosts know of a worm.
    #[inline]
    pub(super) fn message(&self, worm: u32) -> &Message {
        debug_assert!(self.messages[worm as usize].pieces > 0, "nobody asks for what is over");
        &self.messages[worm as usize]
    }

    /// What hosts knew of a worm of which no piece is left.
    #[inline]
    pub(super) fn over(&self, worm: u32) -> &Message {
        debug_assert!(self.messages[worm as usize].pieces == 0, "it is over");
        &self.messages[worm as usize]
    }

    /// What hosts know of a worm, to be changed.
    #[inline]
    pub(super) fn message_mut(&mut self, worm: u32) -> &mut Message {
        debug_assert!(self.messages[worm as usize].pieces > 0, "nothing befalls what is over");
        &mut self.messages[worm as usize]
    }

    /// Notes why and when a worm is destroyed, unless something else struck it before.
    ///
    /// `before_data`: the cause strikes in P0, before flits arrive in cycle `at`.
    pub(super) fn strike(&mut self, worm: u32, cause: Cause, at: u64, before_data: bool) {
        let message = &mut self.messages[worm as usize];
        debug_assert!(message.pieces > 0 && message.started != NEVER, "only what is in the fabric is struck");
        debug_assert!(message.started <= at, "and not before it is there");
        // The first cause counts, whatever befalls the pieces later.
        if message.cause.is_some() {
            return;
        }
        let worm = &self.slots[worm as usize];
        // A head that was at a host with turns left by then has met its cause before (P0 is before P1).
        let arrived = worm.head_at < at || (worm.head_at == at && !before_data);
        (message.cause, message.struck_at) = if worm.too_soon && arrived {
            (Some(Cause::HostTooSoon), worm.head_at)
        } else {
            (Some(cause), at)
        };
        debug_assert!(message.struck_at <= at, "the first cause counts, not a later one");
    }

    /// The output, counted from the first port of a switch, to which the next turn of a worm leads from `input`: some
    /// number beyond the ports for an illegal turn, `None` for a worm without turns left. (Mainwaring et al. 1997,
    /// section 2.1: a turn is relative, what is added to the port of entry; a sum that is no port is an illegal turn,
    /// and does not wrap round.)
    #[inline(always)]
    pub(super) fn next_output(&self, worm: u32, input: u32) -> Option<u32> {
        let worm = &self.slots[worm as usize];
        // A sum below 0 wraps to a number beyond all ports.
        (worm.left > 0).then(|| input.wrapping_add_signed(self.turn(worm)))
    }

    /// The turn that the head is to take next.
    #[inline(always)]
    fn turn(&self, worm: &Worm) -> i32 {
        debug_assert!(worm.left > 0 && worm.left <= worm.turns, "a turn is left to be taken");
        let taken = usize::from(worm.turns - worm.left);
        debug_assert!(worm.spill != NONE || taken < INLINE, "what does not fit the record lies elsewhere");
        if worm.spill == NONE {
            i32::from(worm.route[taken])
        } else {
            i32::from(self.spilled[worm.spill as usize][taken].0)
        }
    }

    /// All records, to be called into the cache.
    #[inline]
    pub(super) fn records(&self) -> &[Worm] {
        &self.slots
    }

    /// The same, as hosts see them.
    #[inline]
    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// All worms that have started and are not over.
    pub(super) fn started(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|worm| worm.started != NEVER)
    }
}

/// Writes a route as worms carry it along; whether it has no more turns, and no wider ones, than they have room for.
#[inline]
fn shorten(route: &[Turn], short: &mut [i8; INLINE]) -> bool {
    if route.len() > INLINE {
        return false;
    }
    let mut wide = 0;
    for (place, turn) in short.iter_mut().zip(route) {
        #[expect(clippy::cast_possible_truncation, reason = "whether it fits is looked at")]
        let narrow = turn.0 as i8;
        *place = narrow;
        wide |= turn.0.wrapping_sub(i16::from(i8::MIN));
    }
    // From 0 to 255 is each that fits, and so are their bits together.
    wide & !0xff == 0
}

impl Message {
    /// The record of no message.
    const NOBODYS: Message = Message {
        tag: 0,
        created: NEVER,
        started: NEVER,
        struck_at: NEVER,
        serial: NEVER,
        source: NONE,
        sink: NONE,
        pieces: 0,
        cause: None,
    };
}

impl Worm {
    /// The record of no worm.
    const NOBODY: Worm = Worm {
        head_at: NEVER,
        tail_at: NEVER,
        expires: NEVER,
        payload: 1,
        next: NONE,
        spill: NONE,
        head_period: 1,
        turns: 0,
        left: 0,
        too_soon: false,
        route: [0; INLINE],
    };

    /// Flits of the worm where its head is: the turns left and the payload.
    #[inline]
    pub(super) fn flits(&self) -> u32 {
        debug_assert!(
            self.payload > 0 && self.left <= self.turns,
            "a worm has a tail, and takes no turn twice"
        );
        self.payload + u32::from(self.left)
    }
}

impl std::ops::Index<u32> for Worms {
    type Output = Worm;
    #[inline]
    fn index(&self, worm: u32) -> &Worm {
        &self.slots[worm as usize]
    }
}

impl std::ops::IndexMut<u32> for Worms {
    #[inline]
    fn index_mut(&mut self, worm: u32) -> &mut Worm {
        &mut self.slots[worm as usize]
    }
}
