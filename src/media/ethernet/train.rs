//! Trains: frames of one length that a host sends to another one after the other, so that they pass a switch together.
//!
//! ```text
//!   NIC  [1234567] ──▶ switch [12345..] ──▶ switch [123....] ──▶ host
//!        whole train    open: fed by the      open: fed by the
//!                       train before          train before
//! ```
//! All that happens to the frames of a train is known when the first of them comes to a switch, unless something else
//! comes to the same output between them. So a train costs two events a hop, where its first frame and where its last
//! one arrives; what happens between is counted when someone needs to know. What comes between at an output cuts the
//! train in two: the frames that have come in by then stay as they are, the others come in one by one or as a train
//! again. What follows is undone on the whole way: a frame that has not come to an output is nowhere beyond it.
//!
//! # Scope and limitations
//! A train passes as one where its frames are exact by a formula: its destination is known, and stays so until the last
//! one has come; each leaves one spacing after the one before, which is that of its arrivals or, behind a slower port,
//! the time that a frame takes there; none can find the buffer full. Elsewhere, and at a port of which trains were cut
//! lately, frames are taken off the train one by one, and so they are where someone watches. There are no trains where
//! switches pause those who send, mark frames, share a buffer or forward by tables: what a frame meets there hangs on
//! other ports.
//!
//! # Source
//! The word is Jain and Routhier's (Packet trains, 1986).
//!
//! # Validation
//! `tests/media/oracle/ethernet/trains.rs`: the plain reference of `tests/media/oracle/ethernet.rs`, which knows no
//! trains.

use std::borrow::Cow;
use std::ops::Range;

use simnet_base::ids::HostId;

use super::counters::Counters;
use super::engine::{Ethernet, opposite};
use super::frame::{Address, Frame};
use super::parameters::Buffer;
use super::port::{Arrived, LATE, NIL, Output};
use super::ties::Admitted;
use super::wiring::Receiver;
use super::{Endpoint, Observer};

/// What a slot holds in addition that stands for all the frames of a train. They arrive `spacing` after one another,
/// the first one when the slot says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train {
    /// How many there are. Of an open one, which still comes in, as many as there will be if nothing comes between.
    pub(super) count: u32,
    pub(super) spacing: u64,
    /// How many have arrived at the far end; while they pass, as far as they have been counted.
    crossed: u32,
    /// Since which of them they pass.
    base: u32,
    passing: Passing,
    /// How many are known to have left the port.
    pub(super) left: u32,
    /// How many are not counted as sent by their host.
    unsent: u32,
}

/// What becomes of the frames of a train at the far end of their cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    /// They are taken off one by one.
    No,
    /// They enter this channel, the last of whose queue they are.
    Onto(u32),
    /// Their host receives them.
    Host,
}

/// How many frames may follow one that take at most so long each: twice as many can be counted, and come before times
/// are [`LATE`].
pub(super) fn most_following(longest: u64) -> u32 {
    let most = LATE / 4 / longest.max(1);
    u32::try_from(most).map_or(u32::MAX / 4, |most| most.min(u32::MAX / 4))
}

impl Train {
    fn new(count: u32, spacing: u64, unsent: u32) -> Train {
        Train { count, spacing, crossed: 0, base: 0, passing: Passing::No, left: 0, unsent }
    }
}

/// Who came to an output of late, and how many frames of it, one after the other, let a train pass there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    by: u32,
    in_a_row: u8,
    needed: u8,
}

impl Patience {
    pub(super) const NEW: Patience = Patience { by: NIL, in_a_row: 0, needed: 0 };

    /// After a cut: this costs more than an event, so that many have to be saved.
    const AFTER_A_CUT: u8 = 8;

    /// Whether what comes over this channel may pass as a train.
    fn lets_pass(&mut self, by: u32) -> bool {
        let in_a_row = if self.by == by { self.in_a_row.saturating_add(1) } else { 0 };
        (self.by, self.in_a_row) = (by, in_a_row);
        in_a_row >= self.needed
    }
}

/// How many of the instants `first`, `first + spacing` and so on are before `bound`, at most `count`.
pub(super) fn before(first: u64, spacing: u64, bound: u64, count: u32) -> u32 {
    let Some(ahead) = bound.checked_sub(first).filter(|ahead| *ahead > 0) else { return 0 };
    u32::try_from((ahead - 1) / spacing + 1).map_or(count, |found| found.min(count))
}

/// How many frames of a train are behind a port, its `nth` one counted in, at whose arrival these have come in one
/// `spacing` after the other from `first` on, and leave for good `leaving.1` after one another from `leaving.0` on.
fn behind(nth: u32, (first, spacing): (u64, u64), leaving: (u64, u64)) -> u32 {
    let now = first + u64::from(nth) * spacing;
    nth + 1 - before(leaving.0, leaving.1, now + 1, nth + 1)
}

impl<P: Clone> Ethernet<P> {
    /// What has happened so far. Costs nothing while no trains of frames are under way, else as much as a copy of it
    /// all.
    pub fn counters(&self) -> Cow<'_, Counters> {
        match self.frames.has_trains() {
            false => Cow::Borrowed(&self.counters),
            true => Cow::Owned(self.up_to_date().counters),
        }
    }

    /// How many frames wait at ports or are on cables. Costs as much as [`Ethernet::counters`].
    pub fn under_way(&self) -> usize {
        match self.frames.has_trains() {
            false => self.frames.len(),
            true => self.up_to_date().frames.len(),
        }
    }

    /// The same, with all counted that has happened to trains.
    fn up_to_date(&self) -> Ethernet<P> {
        let mut same = self.clone();
        same.count_all_started();
        for channel in 0..same.channels {
            if same.is_passing(channel) {
                let reached = same.reached(channel, NIL);
                same.account(channel, reached);
            }
        }
        same
    }

    /// Counts as sent what hosts have begun to send.
    fn count_all_started(&mut self) {
        for channel in 0..self.channels {
            let mut slot = self.outputs[channel as usize].head;
            while slot != NIL {
                self.count_started(channel, slot);
                slot = self.frames.next(slot);
            }
        }
    }

    /// Counts as sent the frames of a train whose host has begun to send them.
    fn count_started(&mut self, channel: u32, slot: u32) {
        let output = &self.outputs[channel as usize];
        let length = self.frames.length(slot);
        let Some(train) = self.frames.train(slot).filter(|train| train.unsent > 0) else { return };
        let [leaving, _] = output.pace.times(length);
        let start = self.frames.arrival(slot) - output.delay - leaving;
        let started = before(start, train.spacing, self.now + 1, train.count);
        self.count_sent(slot, started);
    }

    /// Counts the first frames of a train, up to so many, as sent by their host, if it is with it that they are.
    fn count_sent(&mut self, slot: u32, sent: u32) {
        let train = self.frames.train_mut(slot);
        let more = (sent + train.unsent).saturating_sub(train.count);
        train.unsent -= more;
        self.counters.sent += u64::from(more);
        self.frames.add(more);
    }

    /// Takes what follows a frame that its host has begun to send, if it follows at once, whatever happens.
    #[inline(always)]
    pub(super) fn couple<E: Endpoint<P>>(&mut self, host: HostId, channel: u32, slot: u32, endpoint: &mut E) {
        let output = &mut self.outputs[channel as usize];
        if output.free | output.delay >= LATE / 4 {
            return;
        }
        let more = endpoint.following(host, self.most_following);
        assert!(more <= self.most_following, "a host gives no more frames than are asked for");
        if more == 0 {
            return;
        }
        let spacing = output.free - self.now;
        output.free += u64::from(more) * spacing;
        output.occupied += u64::from(more) * u64::from(self.frames.length(slot));
        self.frames.couple(slot, Train::new(more + 1, spacing, more));
    }

    /// Whether the first frames of a channel's queue are a train that passes at its far end.
    fn is_passing(&self, channel: u32) -> bool {
        let head = self.outputs[channel as usize].head;
        head != NIL && self.frames.train(head).is_some_and(|train| train.passing != Passing::No)
    }

    /// How many frames of the train that passes have arrived before what arrives now over the channel `other`.
    fn reached(&self, channel: u32, other: u32) -> u32 {
        let slot = self.outputs[channel as usize].head;
        let train = self.frames.train_of(slot);
        let bound = self.now + u64::from(channel < other);
        before(self.frames.arrival(slot), train.spacing, bound, train.count)
    }

    /// When the `nth` frame of the train at the head of a channel's queue arrives.
    fn nth_arrival(&self, channel: u32, nth: u32) -> u64 {
        let slot = self.outputs[channel as usize].head;
        self.frames.arrival(slot) + u64::from(nth) * self.frames.train_of(slot).spacing
    }

    /// Something arrives of a train, or before one that comes in: gives a frame that has to be handled as any other.
    #[inline(never)]
    pub(super) fn arrive_by_train<E: Endpoint<P>, O: Observer<P>>(
        &mut self,
        channel: u32,
        endpoint: &mut E,
    ) -> Option<Arrived> {
        let output = &self.outputs[channel as usize];
        if output.feeder != NIL && output.head != output.tail {
            self.account_fed(channel);
        }
        let arrived = self.outputs[channel as usize].arrived_alone(&self.frames);
        arrived.or_else(|| self.arrive_of_train::<E, O>(channel, endpoint))
    }

    /// Something arrives of the train at the head of a channel's queue.
    fn arrive_of_train<E: Endpoint<P>, O: Observer<P>>(
        &mut self,
        channel: u32,
        endpoint: &mut E,
    ) -> Option<Arrived> {
        let slot = self.outputs[channel as usize].head;
        let train = *self.frames.train_of(slot);
        if train.passing != Passing::No {
            self.finish(channel, endpoint);
            return None;
        }
        if !O::WATCHES
            && train.count - train.crossed > 1
            && let Some(passing) = self.pass(channel, endpoint)
        {
            let train = self.frames.train_mut(slot);
            (train.passing, train.base) = (passing, train.crossed);
            let last = train.count - 1;
            self.schedule(self.nth_arrival(channel, last), channel);
            return None;
        }
        Some(self.take_off(channel, endpoint))
    }

    /// Lets what is left of a train pass at the far end of its cable, if it can.
    fn pass<E: Endpoint<P>>(&mut self, channel: u32, endpoint: &mut E) -> Option<Passing> {
        let slot = self.outputs[channel as usize].head;
        match self.outputs[channel as usize].receiver {
            Receiver::Host(host) if self.frames.get(slot).destination == Address::Host(host) => {
                Some(Passing::Host)
            }
            Receiver::Switch(at) => {
                let Train { count, spacing, crossed, .. } = *self.frames.train_of(slot);
                let Frame { source, destination: Address::Host(destination), .. } = *self.frames.get(slot)
                else {
                    return None;
                };
                let last = self.now + u64::from(count - crossed - 1) * spacing;
                if source == destination {
                    return None;
                }
                let switch = &self.switches[at as usize];
                let back = opposite(channel);
                let onto = switch.find_until(destination, (self.now, last), self.ageing / 2)?;
                let lets_pass = onto != back && self.patience[onto as usize].lets_pass(channel);
                (lets_pass && self.enter_train(channel, onto, endpoint)).then(|| {
                    let hosts = self.interfaces.len();
                    self.switches[at as usize].learn(source, back, last, hosts);
                    Passing::Onto(onto)
                })
            }
            _ => None,
        }
    }

    /// Lets what is left of a train come to the output of a switch, if its frames leave by a formula there, and have
    /// room.
    fn enter_train<E: Endpoint<P>>(&mut self, channel: u32, onto: u32, endpoint: &mut E) -> bool {
        self.cut(onto, channel, endpoint);
        let slot = self.outputs[channel as usize].head;
        let Train { count, spacing, crossed, .. } = *self.frames.train_of(slot);
        let (count, length) = (count - crossed, self.frames.length(slot));
        let output = &mut self.outputs[onto as usize];
        output.settle(&mut self.frames, self.now);
        let [leaving, takes] = output.pace.times(length);
        let ready = self.now.saturating_add(self.latency);
        let start = ready.max(output.free);
        let spaced = spacing.max(takes);
        let is_even = spacing <= takes || start == ready;
        let ends = u64::from(count)
            .checked_mul(spaced)
            .and_then(|time| time.checked_add(start)?.checked_add(output.delay));
        if !is_even || ends.is_none_or(|ends| ends >= LATE) {
            return false;
        }
        let behind = behind(count - 1, (self.now, spacing), (start + leaving, spaced));
        if let Buffer::PerPort(room) = self.buffer
            && output.occupied + u64::from(behind) * u64::from(length) > room.0
        {
            return false;
        }
        let frame = endpoint.nth(self.frames.get(slot), crossed);
        let fed = self.frames.insert(frame);
        let output = &mut self.outputs[onto as usize];
        let behind_it = output.tail;
        let taken = output.send(&mut self.frames, fed, ready);
        // What has come in of an open train is not counted among the bytes behind the port.
        output.occupied -= u64::from(length);
        output.free = start + u64::from(count - 1) * spaced + takes;
        output.feeder = channel;
        self.frames.take_away(1);
        self.frames.couple(fed, Train::new(count, spaced, 0));
        self.note(Admitted { output: onto, input: channel, slot: fed, behind: behind_it });
        if let Some(at) = taken.next {
            self.schedule(at, onto);
        }
        true
    }

    /// Counts what the frames of a passing train have done up to the one at which `reached` have.
    fn account(&mut self, channel: u32, reached: u32) {
        let Output { head: slot, pace, .. } = self.outputs[channel as usize];
        let length = self.frames.length(slot);
        self.count_sent(slot, reached);
        let train = self.frames.train_mut(slot);
        let from = std::mem::replace(&mut train.crossed, reached);
        let (more, base) = (u64::from(reached - from), train.base);
        self.counters.channels[channel as usize].count_many(more, length, pace);
        match train.passing {
            Passing::No => unreachable!("only trains that pass are counted later"),
            Passing::Host => {
                self.counters.delivered += more;
                self.frames.take_away(reached - from);
            }
            Passing::Onto(onto) => {
                self.counters.forwarded += more;
                self.note_peak(channel, onto, from - base..reached - base);
            }
        }
    }

    /// Notes how many bytes were behind a port at most when these frames of the open train of its queue came.
    fn note_peak(&mut self, channel: u32, onto: u32, came: Range<u32>) {
        let fed = *self.frames.train_of(self.outputs[channel as usize].head);
        let first = self.nth_arrival(channel, fed.base);
        let output = &mut self.outputs[onto as usize];
        let length = u64::from(self.frames.length(output.tail));
        let end = self.frames.arrival(output.tail) - output.delay;
        let spaced = self.frames.train_of(output.tail).spacing;
        let own = |nth| u64::from(behind(nth, (first, fed.spacing), (end, spaced))) * length;
        let peak = &mut self.counters.channels[onto as usize].peak.0;
        for nth in came.clone() {
            output.settle(&mut self.frames, first + u64::from(nth) * fed.spacing);
            if output.occupied == 0 {
                // From here on there are more and more of its own, or as many.
                *peak = own(came.end - 1).max(*peak);
                return;
            }
            *peak = (output.occupied + own(nth)).max(*peak);
        }
    }

    /// Counts what an open train has done behind a port, before something changes there that it saw.
    fn account_fed(&mut self, onto: u32) {
        let channel = self.outputs[onto as usize].feeder;
        let reached = self.reached(channel, onto);
        self.account(channel, reached);
    }

    /// The last frame of a passing train has arrived.
    fn finish<E: Endpoint<P>>(&mut self, channel: u32, endpoint: &mut E) {
        let slot = self.outputs[channel as usize].head;
        let Train { count, base, passing, .. } = *self.frames.train_of(slot);
        self.account(channel, count);
        if let Passing::Onto(onto) = passing {
            self.close(onto);
            self.patience[onto as usize].needed = 0;
        }
        let frame = endpoint.nth(self.frames.get(slot), base);
        self.drop_train(channel);
        if let (Passing::Host, Address::Host(host)) = (passing, frame.destination) {
            self.breaks |= endpoint.received_train(host, &frame, count - base, self.now()).is_break();
        }
    }

    /// An open train has come in whole.
    fn close(&mut self, onto: u32) {
        let output = &mut self.outputs[onto as usize];
        let (input, slot) = (std::mem::replace(&mut output.feeder, NIL), output.tail);
        let (end, length) = (self.frames.arrival(slot) - output.delay, self.frames.length(slot));
        let train = self.frames.train_mut(slot);
        train.left = before(end, train.spacing, self.now + 1, train.count);
        output.occupied += u64::from(train.count - train.left) * u64::from(length);
        let behind_it = train.count - 1;
        let base = self.frames.train_of(self.outputs[input as usize].head).base;
        // The first one was noted as it came.
        if behind_it > 0 && self.nth_arrival(input, base + behind_it) == self.now {
            self.note(Admitted { output: onto, input, slot, behind: NIL });
        }
    }

    /// Notes a frame that a buffer, if it is bounded, has admitted at this instant.
    fn note(&mut self, frame: Admitted) {
        if !matches!(self.buffer, Buffer::Unbounded) {
            self.ties.note(self.now, frame);
        }
    }

    /// Drops the last of several frames of a train that has come in whole, at this instant, for one that comes over the
    /// channel `other`. What is behind it in the queue has come at this instant as well.
    pub(super) fn drop_last<E: Endpoint<P>>(
        &mut self,
        channel: u32,
        slot: u32,
        other: u32,
        endpoint: &mut E,
    ) {
        let train = self.frames.train_mut(slot);
        train.count -= 1;
        let (count, spacing) = (train.count, train.spacing);
        let output = &mut self.outputs[channel as usize];
        let start = output.start(&self.frames, slot) + u64::from(count) * spacing;
        output.occupied -= u64::from(self.frames.length(slot));
        self.leave_again(channel, self.frames.next(slot), start);
        let frame = endpoint.nth(self.frames.get(slot), count);
        if self.outputs[channel as usize].head == slot {
            self.shorten(channel, count);
            self.settle_shortened(channel, slot, other, endpoint);
        }
        let dropped = self.frames.insert(frame);
        self.frames.take_away(1);
        self.drop_frame(channel, dropped, endpoint);
    }

    /// Forgets the train at the head of a channel's queue, all of which has arrived.
    fn drop_train(&mut self, channel: u32) {
        let output = &mut self.outputs[channel as usize];
        let slot = output.head;
        let next = self.frames.next(slot);
        output.head = next;
        if output.waiting == slot {
            output.waiting = next;
            let Train { count, left, .. } = *self.frames.train_of(slot);
            output.occupied -= u64::from(count - left) * u64::from(self.frames.length(slot));
        }
        self.frames.add(1);
        self.frames.remove(slot);
        if next != NIL {
            self.schedule(self.frames.arrival(next), channel);
        }
    }

    /// Takes the next frame off a train that arrives frame by frame.
    fn take_off<E: Endpoint<P>>(&mut self, channel: u32, endpoint: &E) -> Arrived {
        let slot = self.outputs[channel as usize].head;
        let train = self.frames.train_mut(slot);
        let nth = train.crossed;
        train.crossed += 1;
        let is_last = train.crossed == train.count;
        self.count_sent(slot, nth + 1);
        let frame = endpoint.nth(self.frames.get(slot), nth);
        let taken = self.frames.insert(frame);
        self.frames.take_away(1);
        let mut next = None;
        if is_last {
            self.drop_train(channel);
        } else {
            next = Some(self.nth_arrival(channel, nth + 1));
        }
        Arrived { slot: taken, length: self.frames.length(taken), freed: 0, next }
    }

    /// Ends the open train of an output's queue, if there is one, with the frames that have come before what comes now
    /// over the channel `other`. The rest arrives again.
    #[inline(never)]
    pub(super) fn cut<E: Endpoint<P>>(&mut self, onto: u32, other: u32, endpoint: &mut E) {
        let channel = self.outputs[onto as usize].feeder;
        if channel == NIL {
            return;
        }
        self.patience[onto as usize].needed = Patience::AFTER_A_CUT;
        let reached = self.reached(channel, other);
        self.account(channel, reached);
        self.shorten(channel, reached);
        self.close(onto);
        let slot = self.outputs[channel as usize].head;
        self.frames.train_mut(slot).passing = Passing::No;
        self.due.cancel(channel);
        self.schedule(self.nth_arrival(channel, reached), channel);
        self.settle_shortened(onto, self.outputs[onto as usize].tail, other, endpoint);
    }

    /// Of the train that passes at the end of a channel only so many frames have come: there are no others in all the
    /// trains that it feeds.
    fn shorten(&mut self, mut channel: u32, mut reached: u32) {
        while let slot = self.outputs[channel as usize].head
            && let Train { base, passing: Passing::Onto(onto), .. } = *self.frames.train_of(slot)
        {
            if let Receiver::Switch(at) = self.outputs[channel as usize].receiver {
                let last = self.nth_arrival(channel, reached - 1);
                self.switches[at as usize].set_seen(self.frames.get(slot).source, last);
            }
            let output = &mut self.outputs[onto as usize];
            let (fed, length) = (output.tail, self.frames.length(output.tail));
            let train = self.frames.train_mut(fed);
            train.count = reached - base;
            let (count, spacing) = (train.count, train.spacing);
            let leaves = self.frames.arrival(fed) - output.delay + u64::from(count - 1) * spacing;
            let [leaving, takes] = output.pace.times(length);
            output.free = leaves - leaving + takes;
            if fed != output.head {
                return;
            }
            (channel, reached) = (onto, count);
        }
    }

    /// Sees to what is due of trains that have become shorter, from one in this channel's queue on: some may be over.
    fn settle_shortened<E: Endpoint<P>>(
        &mut self,
        mut channel: u32,
        mut slot: u32,
        other: u32,
        endpoint: &mut E,
    ) {
        while self.outputs[channel as usize].head == slot {
            let Train { count, crossed, passing, .. } = *self.frames.train_of(slot);
            if passing == Passing::No {
                if crossed == count {
                    self.due.cancel(channel);
                    self.drop_train(channel);
                }
                return;
            }
            self.due.cancel(channel);
            let last = self.nth_arrival(channel, count - 1);
            if (last, channel) < (self.now, other) {
                self.finish(channel, endpoint);
            } else {
                self.schedule(last, channel);
            }
            let Passing::Onto(onto) = passing else { return };
            (channel, slot) = (onto, self.outputs[onto as usize].tail);
        }
    }

    /// Lets all that passes go on frame by frame, for someone who watches. All that arrives now has arrived.
    pub(super) fn stop_passing<E: Endpoint<P>>(&mut self, endpoint: &mut E) {
        if !self.frames.has_trains() {
            return;
        }
        for channel in 0..self.channels {
            if !self.is_passing(channel) {
                continue;
            }
            let slot = self.outputs[channel as usize].head;
            let Train { base, passing, .. } = *self.frames.train_of(slot);
            if let Passing::Onto(onto) = passing {
                self.cut(onto, NIL, endpoint);
                continue;
            }
            let reached = self.reached(channel, NIL);
            self.account(channel, reached);
            self.frames.train_mut(slot).passing = Passing::No;
            self.due.cancel(channel);
            self.schedule(self.nth_arrival(channel, reached), channel);
            let frame = endpoint.nth(self.frames.get(slot), base);
            if let Address::Host(host) = frame.destination {
                self.breaks |= endpoint.received_train(host, &frame, reached - base, self.now()).is_break();
            }
        }
    }
}
