//! The state of ports, switches and hosts: flat records, indexed by small numbers.
//!
//! Ports are numbered switch by switch, every port of the box counted, then host by host, cabled ports only.
//! An input port and the output port of the same plug share the number. A host's *transmitter* is an input
//! port with all flits of a message present from its start; without receive buffers it takes the place of the
//! host's input port, which then needs no state at all.

use super::counters::ChannelUse;

/// No port, no worm.
pub(super) const NONE: u32 = u32::MAX;
/// No cycle.
pub(super) const NEVER: u64 = u64::MAX;
/// No input of a switch.
pub(super) const NO_INPUT: u16 = u16::MAX;

/// What an input port does with the worm in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing: it is empty, or the head in front becomes pending in the next cycle.
    Idle,
    /// The head waits for a routing unit.
    Pending,
    /// The head is being decoded; `exit` is the cycle in which that ends.
    Routing,
    /// The head waits for the output `out`.
    Waiting,
    /// The worm owns the output `out`.
    Connected,
    /// The worm is eaten.
    Draining,
    /// A host takes the worm out of its receive buffer.
    Taking,
}

/// An input port: a buffer, what flows in, what flows out. One cache line.
///
/// `occ`, `in_rem` and `out_rem` are accounted to the *beginning* of cycle `t`. Until something happens, a
/// flit arrives in each cycle from `t` on while `in_on`, and one leaves while `out_on`, up to the remainders
/// (with unequal rates, at the instants that [`Rates`] gives).
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct InPort {
    pub(super) t: u64,
    /// The cycle in which the front worm's tail leaves if nothing happens before.
    pub(super) exit: u64,
    /// The cycle of the one prediction that is valid.
    pub(super) pred: u64,
    /// Flits in the buffer.
    pub(super) occ: u32,
    /// Flits of the last worm that have not arrived.
    pub(super) in_rem: u32,
    /// Flits of the front worm that have not left.
    pub(super) out_rem: u32,
    /// The front worm and the last one; worms in between are linked by `Worm::next`.
    pub(super) front: u32,
    pub(super) back: u32,
    /// The output that the front worm waits for or owns, or will ask for once it is decoded; [`NONE`] if there is none.
    /// That of a spent (`is_spent`) port may be another's.
    /// With units at outputs, from when its head waits for such a unit on.
    pub(super) out: u32,
    /// The switch, or the host.
    pub(super) node: u32,
    /// Worms in the buffer, or rather segments: a looping worm may be there twice.
    pub(super) segments: u16,
    /// Heads on the cable that have an event of their own.
    pub(super) flying: u16,
    pub(super) state: State,
    pub(super) in_on: bool,
    pub(super) out_on: bool,
    pub(super) stop_sent: bool,
    /// Whether the front worm's head has gone out of `out`.
    pub(super) head_sent: bool,
    /// Whether it is on the list of ports touched in this cycle.
    pub(super) touched: bool,
    /// Whether there is no working cable.
    pub(super) dead: bool,
    /// After so many cycles from `t` on the inflow pauses, or goes on if it has, without an event; 0: that is not known
    /// ([`super::stopped`]).
    pub(super) turn: u8,
}

impl InPort {
    pub(super) fn new(node: u32, dead: bool) -> InPort {
        InPort {
            t: 0,
            exit: NEVER,
            pred: NEVER,
            occ: 0,
            in_rem: 0,
            out_rem: 0,
            front: NONE,
            back: NONE,
            out: NONE,
            node,
            segments: 0,
            flying: 0,
            state: State::Idle,
            in_on: false,
            out_on: false,
            stop_sent: false,
            head_sent: false,
            touched: false,
            dead,
            turn: 0,
        }
    }

    /// How many flits of the last worm have arrived since `self.t` and before cycle `t`, with equal rates, and how many
    /// have not.
    #[inline]
    pub(super) fn arrived(&self, t: u64) -> (u32, u32) {
        debug_assert!(self.t <= t, "what lies ahead has not arrived");
        if !self.in_on {
            return (0, self.in_rem);
        }
        let cycles = t - self.t;
        if cycles >= u64::from(self.in_rem) {
            return (self.in_rem, 0);
        }
        #[expect(clippy::cast_possible_truncation, reason = "less than the remainder, of 32 bits")]
        let arrived = cycles as u32;
        (arrived, self.in_rem - arrived)
    }

    /// Whether no worm is there, and nothing has befallen it in this cycle.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.state == State::Idle && self.segments == 0 && !self.touched
    }

    /// Whether it is empty, with nothing on its cable, and not stopped.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.is_empty() && self.flying == 0 && !self.stop_sent
    }

    /// A port without worms, whose record may still tell of one whose tail has left, is written as it will be at the
    /// arrival of a head that is decoded at once, and then asks for `out`.
    #[inline]
    pub(super) fn expect(&mut self, worm: u32, flits: u32, out: u32, (arrival, decoded): (u64, u64)) {
        debug_assert!(!self.touched && !self.stop_sent && self.flying == 0, "nothing befalls an idle port");
        self.t = arrival;
        self.state = State::Routing;
        self.exit = decoded;
        self.out = out;
        (self.front, self.back, self.segments) = (worm, worm, 1);
        (self.occ, self.in_rem, self.out_rem) = (0, flits, flits);
        (self.in_on, self.out_on, self.head_sent, self.turn) = (true, false, false, 0);
    }

    /// The only worm there is there no more.
    #[inline]
    pub(super) fn forget(&mut self) {
        debug_assert!(self.segments == 1, "it has no other worm to forget");
        self.state = State::Idle;
        (self.front, self.back, self.segments) = (NONE, NONE, 0);
        (self.occ, self.in_rem, self.out_rem) = (0, 0, 0);
        (self.in_on, self.out_on, self.head_sent, self.turn) = (false, false, false, 0);
        (self.exit, self.out) = (NEVER, NONE);
    }

    /// Whether the head being decoded has been written here ahead of its arrival, which is in cycle `t` or later.
    #[inline]
    pub(super) fn is_foreseen(&self, t: u64) -> bool {
        debug_assert!(self.state == State::Routing, "a head is being decoded, or will be");
        self.t >= t && self.occ == 0 && self.in_on && self.in_rem == self.out_rem
    }

    /// Whether the front worm is on its way out, by whatever exit.
    #[inline]
    pub(super) fn is_leaving(&self) -> bool {
        matches!(self.state, State::Connected | State::Draining | State::Taking)
    }

    /// Whether the tail of the front worm has left before cycle `t`, but no event has recorded it yet.
    #[inline]
    pub(super) fn has_finished(&self, t: u64) -> bool {
        self.exit < t && self.is_leaving()
    }

    /// Whether its only worm went through an output, its tail has left before cycle `t`, and no event has recorded that
    /// yet. The output may be another's by then.
    #[inline]
    pub(super) fn is_spent(&self, t: u64) -> bool {
        self.exit < t && self.state == State::Connected && self.segments == 1 && !self.touched
    }
}

/// An output port and the channel that leaves it. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct OutPort {
    /// Flits sent, those counted in that the present owner is going to send, and cycles blocked and held; while it is
    /// owned, the cycle of the grant is taken off the latter (modulo 2^64).
    pub(super) used: ChannelUse,
    /// Since when the output is owned and (a head waits for it or it is stopped); [`NEVER`] if it is not so.
    pub(super) since: u64,
    /// The inputs whose heads wait for it: a bitmap, or their number at switches of more than 64 ports.
    pub(super) wait: u64,
    /// The input port whose worm owns it.
    pub(super) owner: u32,
    /// The input port at the other end.
    pub(super) peer: u32,
    /// Cycles of flight.
    pub(super) delay: u32,
    /// Round robin: the first input (counted within the switch) to be asked.
    pub(super) pointer: u16,
    pub(super) go: bool,
    /// Whether the cable is absent or has failed.
    pub(super) dead: bool,
    /// Whether the last worm that was sent over it is in transit at the host at the other end.
    pub(super) passes: bool,
}

impl OutPort {
    /// It is nobody's from cycle `t` on.
    #[inline]
    pub(super) fn fall_free(&mut self, t: u64) {
        debug_assert!(self.owner != NONE, "only what is owned is released");
        self.owner = NONE;
        self.used.held = self.used.held.wrapping_add(t);
        debug_assert!(self.used.held <= t, "the times of its owners do not overlap");
        debug_assert!(
            self.used.flits <= self.used.held,
            "a channel carries a flit a cycle at most, while it is owned"
        );
        self.unblock(t);
    }

    /// A worm gets it in cycle `t`, to send so many flits.
    #[inline]
    pub(super) fn belong_to(&mut self, port: u32, flits: u64, t: u64) {
        debug_assert!(self.owner == NONE, "a channel is one worm's at a time");
        debug_assert!(self.used.held <= t, "the times of its owners do not overlap");
        self.owner = port;
        self.used.flits += flits;
        self.used.held = self.used.held.wrapping_sub(t);
    }

    /// It is not blocked any more from cycle `t` on.
    #[inline]
    pub(super) fn unblock(&mut self, t: u64) {
        if self.since != NEVER {
            debug_assert!(self.since <= t, "what ends has begun");
            self.used.blocked += t - self.since;
            self.since = NEVER;
            debug_assert!(self.used.blocked <= t, "blocked times do not overlap");
        }
    }
}

/// A routing unit and the ports that it decodes for: those of a switch. The unit is the switch's only one, or, with
/// units at outputs, that of one output.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Switch {
    /// Until when the unit decodes; [`NEVER`] if it is idle. If decoding takes it until then from a cycle
    /// that lies ahead, the unit is reserved for a head on the cable.
    pub(super) busy: u64,
    /// The inputs whose heads wait for the unit: a bitmap, or their number at more than 64 ports.
    pub(super) pending: u64,
    /// The input port being decoded.
    pub(super) current: u32,
    /// The number of its first port among all ports.
    pub(super) base: u32,
    pub(super) ports: u16,
    /// Round robin: the first input (counted within the switch) to be asked.
    pub(super) pointer: u16,
    /// The input (counted within the switch) whose head is decoded next, as far as is known; [`NO_INPUT`] if it is not
    /// reserved beyond `busy`.
    pub(super) queued: u16,
    /// Whether the worm being decoded has been destroyed.
    pub(super) killed: bool,
    /// Whether it is on the list of units to be assigned.
    pub(super) listed: bool,
}

impl Switch {
    /// Round robin: the input, counted within the switch, that comes first once the one at `port` has been served,
    /// which then comes last.
    #[inline]
    pub(super) fn after(&self, port: u32) -> u16 {
        let input = port - self.base;
        debug_assert!(input < u32::from(self.ports), "an input is one of the switch's ports");
        #[expect(clippy::cast_possible_truncation, reason = "a number below that of the ports")]
        let next = input as u16 + 1;
        if next == self.ports { 0 } else { next }
    }

    /// The unit is done with the head at `port`, and begins with the one that it is reserved for, if any.
    #[inline(always)]
    pub(super) fn ends_decoding(&mut self, port: u32, ins: &[InPort]) {
        debug_assert!(self.current == port, "it was that head's");
        self.pointer = self.after(port);
        if self.queued == NO_INPUT {
            self.busy = NEVER;
            self.current = NONE;
        } else {
            debug_assert!(self.pending == 0, "a reservation holds while nobody else asks for the unit");
            self.current = self.base + u32::from(self.queued);
            self.busy = ins[self.current as usize].exit;
            self.queued = NO_INPUT;
        }
    }

    /// Reserves the unit for a head on the cable that arrives in cycle `arrival`; gives the cycle in which it will have
    /// been decoded, after so many.
    ///
    /// An idle unit takes it as it arrives. One that decodes another, or is reserved for one that begins before, takes
    /// it after that. There is no third, and nobody may wait for the unit: of heads that wait together the one that is
    /// first in turn is decoded first, whichever came first.
    #[inline(always)]
    pub(super) fn reserve(&mut self, port: u32, arrival: u64, latency: u64) -> Option<u64> {
        let decoded = arrival + latency;
        if self.pending != 0 {
            return None;
        }
        if self.busy == NEVER {
            debug_assert!(self.current == NONE && !self.killed, "an idle unit decodes for nobody");
            debug_assert!(!self.listed, "and is not about to take a head");
            self.busy = decoded;
            self.current = port;
            return Some(decoded);
        }
        if self.queued != NO_INPUT || decoded <= self.busy {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a number below that of the ports")]
        let input = (port - self.base) as u16;
        self.queued = input;
        Some(decoded.max(self.busy + latency))
    }
}

/// A host's interface, sending side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Host {
    /// The cycle from which the transmitter is free, once it is.
    pub(super) free: u64,
    /// The cycle of the one start event that is valid.
    pub(super) attempt: u64,
    /// The transmitter among the input ports; [`NONE`] for a host without cable.
    pub(super) transmitter: u32,
    /// The output it sends on.
    pub(super) out: u32,
    /// The next message, created or going to be.
    pub(super) next: u32,
    /// Whether the next message is to be tried again as soon as the transmitter is free.
    pub(super) backlog: bool,
    /// Whether the next message waits for the return of the cable.
    pub(super) waits_for_cable: bool,
}

/// With unequal rates: when flits flow in and out of an input port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// Next arrival while `in_on`, and the cycles from each arrival to the next.
    pub(super) in_next: u64,
    pub(super) in_period: u64,
    /// Next departure while `out_on`, and the cycles from each departure to the next.
    pub(super) out_next: u64,
    pub(super) out_period: u64,
    /// A host's input port: when it may take the next flit.
    pub(super) take_free: u64,
}

/// With unequal rates: how often a channel carries a flit.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelRate {
    /// The first cycle in which it may carry another flit.
    pub(super) free: u64,
    pub(super) period: u64,
}

/// Request bitmaps of switches with more than 64 ports: `words` words a port or switch.
#[derive(Clone, Debug, Default)]
pub(super) struct WideRequests {
    pub(super) words: usize,
    bits: Vec<u64>,
}

impl WideRequests {
    pub(super) fn new(words: usize, rows: usize) -> WideRequests {
        WideRequests { words, bits: vec![0; words * rows] }
    }

    pub(super) fn set(&mut self, row: u32, bit: u32) {
        debug_assert!(!self.has(row, bit), "a request is made once");
        self.bits[row as usize * self.words + bit as usize / 64] |= 1 << (bit % 64);
    }

    pub(super) fn has(&self, row: u32, bit: u32) -> bool {
        debug_assert!((bit as usize) < self.words * 64, "a row has a bit for each port");
        self.bits[row as usize * self.words + bit as usize / 64] & 1 << (bit % 64) != 0
    }

    /// How many requests a row has. Costs O(ports / 64).
    pub(super) fn count(&self, row: u32) -> u64 {
        self.bits[row as usize * self.words..][..self.words]
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    pub(super) fn clear(&mut self, row: u32, bit: u32) {
        debug_assert!(self.has(row, bit), "what is taken back was asked for");
        self.bits[row as usize * self.words + bit as usize / 64] &= !(1 << (bit % 64));
    }

    /// The first bit at or after `pointer`, going round. The row must not be empty.
    pub(super) fn first_from(&self, row: u32, pointer: u32) -> u32 {
        debug_assert!((pointer as usize) < self.words * 64, "a port is first in turn");
        let bits = &self.bits[row as usize * self.words..][..self.words];
        let found = first_at(bits, pointer).or_else(|| first_at(bits, 0)).expect("a request was counted");
        debug_assert!(self.has(row, found), "who is served has asked");
        found
    }
}

/// The first bit at or after `from` in words of 64.
fn first_at(bits: &[u64], from: u32) -> Option<u32> {
    let mut mask = u64::MAX << (from % 64);
    let (word, bits) = (0..).zip(bits).skip(from as usize / 64).find_map(|(word, bits)| {
        let ahead = bits & std::mem::replace(&mut mask, u64::MAX);
        (ahead != 0).then_some((word, ahead))
    })?;
    let found = word * 64 + bits.trailing_zeros();
    debug_assert!(found >= from, "what lies before does not count");
    Some(found)
}

/// The first bit at or after `pointer`, going round. There must be one.
#[inline]
pub(super) fn first_from(bits: u64, pointer: u32) -> u32 {
    debug_assert!(bits != 0, "there is someone to be served");
    let ahead = bits & u64::MAX.checked_shl(pointer).unwrap_or(0);
    let found = if ahead != 0 { ahead.trailing_zeros() } else { bits.trailing_zeros() };
    debug_assert!(ahead == 0 || found >= pointer, "whoever is first in turn is served first");
    found
}
