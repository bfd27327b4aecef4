//! Queues, room and pauses, by channel and priority.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use simnet_base::units::{Bytes, Duration};

use super::PauseFrame;
use super::counters::{Cause, PauseCounters};
use super::deadlock::Watch;
use super::parameters::{PRIORITIES, PfcParameters};
use super::shared::Pool;
use crate::ethernet::port::NIL;

/// No hold, no slot.
pub(in crate::ethernet) const NONE: u32 = u32::MAX;

const EACH: usize = PRIORITIES as usize;

/// What a slot's frame is to flow control.
#[derive(Clone, Copy, Debug)]
pub(in crate::ethernet) struct Tag {
    /// The room that it takes; [`NONE`] at its host's own port.
    pub(in crate::ethernet) hold: u32,
    pub(in crate::ethernet) priority: u8,
}

/// The room of a frame in a switch, or the next free place.
#[derive(Clone, Copy, Debug)]
pub(in crate::ethernet) struct Hold {
    /// The channel that it came over; where it is free, the next place that is.
    pub(in crate::ethernet) input: u32,
    pub(in crate::ethernet) length: u32,
    /// Its copies that are in the switch.
    pub(in crate::ethernet) copies: u32,
    pub(in crate::ethernet) priority: u8,
}

/// A PAUSE frame on a cable.
#[derive(Clone, Copy, Debug)]
pub(in crate::ethernet) struct Control {
    /// When it is obeyed.
    pub(in crate::ethernet) at: u64,
    pub(in crate::ethernet) says: PauseFrame,
}

/// The port that a channel begins at, and the PAUSE frames on its cable.
#[derive(Clone, Debug, Default)]
pub(in crate::ethernet) struct Sender {
    /// By priority, the first and the last frame that waits.
    pub(in crate::ethernet) queues: [Option<(u32, u32)>; EACH],
    /// Which priorities have frames that wait.
    pub(in crate::ethernet) filled: u8,
    /// Which are paused.
    pub(in crate::ethernet) paused: u8,
    /// Which the watchdog has taken away.
    pub(in crate::ethernet) stormy: u8,
    /// By priority: since when it is paused, or is not.
    pub(in crate::ethernet) since: [u64; EACH],
    /// By priority: when its pause runs out; the end of time if it does not.
    pub(in crate::ethernet) until: [u64; EACH],
    /// By priority: since when frames wait in it that are paused.
    pub(in crate::ethernet) blocked: [u64; EACH],
    /// When the last bit of the frame leaves that is being sent, and the room that it takes.
    pub(in crate::ethernet) leaving: Option<(u64, u32, u32)>,
    /// The bytes of frames behind the port, the one being sent counted in.
    pub(in crate::ethernet) bytes: u64,
    /// Whether the host here is to be asked once it is not paused.
    pub(in crate::ethernet) asks: bool,
    /// What is on the cable, in order.
    pub(in crate::ethernet) controls: VecDeque<Control>,
}

/// The port of a switch at which a channel ends.
#[derive(Clone, Debug, Default)]
pub(in crate::ethernet) struct Input {
    /// By priority.
    pub(in crate::ethernet) occupied: [u64; EACH],
    /// By priority, with a pool: what of that is in the pool.
    pub(in crate::ethernet) pooled: [u64; EACH],
    /// By priority, with a pool: what of it is in the headroom.
    pub(in crate::ethernet) spilled: [u64; EACH],
    /// Which priorities are to be paused.
    pub(in crate::ethernet) wanted: u8,
    /// Which were, by the last PAUSE frame sent.
    pub(in crate::ethernet) told: u8,
    /// When it is to be said again that priorities are paused; the end of time if never.
    pub(in crate::ethernet) refresh: u64,
    /// How long a pause lasts that it says, in picoseconds; the end of time if until XON.
    pub(in crate::ethernet) lasting: u64,
    /// Whether one can run out although it is said again.
    pub(in crate::ethernet) lapses: bool,
}

/// All that flow control knows.
#[derive(Clone, Debug)]
pub(in crate::ethernet) struct Pfc {
    pub(in crate::ethernet) parameters: PfcParameters,
    /// By channel.
    pub(in crate::ethernet) senders: Vec<Sender>,
    /// By channel.
    pub(in crate::ethernet) inputs: Vec<Input>,
    /// By slot.
    tags: Vec<Tag>,
    pub(in crate::ethernet) holds: Vec<Hold>,
    free: u32,
    /// The channels that send a frame of a switch, by the instants at which its last bit leaves.
    leaving: BinaryHeap<Reverse<(u64, u32)>>,
    /// When the watchdog looks at a channel's priority; those of no effect stay until they are due.
    alarms: BinaryHeap<Reverse<(u64, u32, u8)>>,
    /// The room of the frame that is being forwarded.
    pub(in crate::ethernet) current: u32,
    /// The first output that it has been queued at.
    pub(in crate::ethernet) behind: Option<u32>,
    /// The priority of the frame that a host has been asked for.
    pub(in crate::ethernet) asked: u8,
    /// By channel and priority.
    pub(in crate::ethernet) counters: Vec<[PauseCounters; EACH]>,
    pub(in crate::ethernet) causes: BTreeMap<Cause, u64>,
    pub(in crate::ethernet) watch: Watch,
    /// By switch, the channels out of all its ports.
    pub(in crate::ethernet) outputs: Vec<Vec<u32>>,
    /// By switch, the pool that its inputs share; empty without one.
    pub(in crate::ethernet) pools: Vec<Pool>,
    /// The switches that something has left since their inputs were judged.
    pub(in crate::ethernet) relieved: Vec<u32>,
    /// By channel, the switch at its end; empty without pools.
    pub(in crate::ethernet) switches: Vec<u32>,
    /// How many frames wait in queues.
    pub(in crate::ethernet) waiting: usize,
    /// Whether it is to be looked, at the end of the instant, whether anything but PAUSE frames can ever happen.
    pub(in crate::ethernet) may_be_quiet: bool,
    /// Since when PAUSE frames stand still, if they do.
    pub(in crate::ethernet) still_since: Option<u64>,
}

pub(in crate::ethernet) fn bit(priority: u8) -> u8 {
    1 << priority
}

impl Pfc {
    pub(in crate::ethernet) fn new(
        parameters: PfcParameters,
        outputs: Vec<Vec<u32>>,
        channels: usize,
    ) -> Pfc {
        Pfc {
            parameters,
            senders: vec![Sender::default(); channels],
            inputs: vec![Input { refresh: u64::MAX, lasting: u64::MAX, ..Input::default() }; channels],
            tags: Vec::new(),
            holds: Vec::new(),
            free: NONE,
            leaving: BinaryHeap::new(),
            alarms: BinaryHeap::new(),
            current: NONE,
            behind: None,
            asked: parameters.priority,
            counters: vec![[PauseCounters::default(); EACH]; channels],
            causes: BTreeMap::new(),
            watch: Watch::default(),
            outputs,
            pools: Vec::new(),
            relieved: Vec::new(),
            switches: Vec::new(),
            waiting: 0,
            may_be_quiet: false,
            still_since: None,
        }
    }

    pub(in crate::ethernet) fn tag(&self, slot: u32) -> Tag {
        self.tags[slot as usize]
    }

    pub(in crate::ethernet) fn set_tag(&mut self, slot: u32, tag: Tag) {
        let index = slot as usize;
        if index >= self.tags.len() {
            self.tags.resize(index + 1, Tag { hold: NONE, priority: 0 });
        }
        self.tags[index] = tag;
    }

    pub(in crate::ethernet) fn count(&mut self, channel: u32, priority: u8) -> &mut PauseCounters {
        &mut self.counters[channel as usize][usize::from(priority)]
    }

    /// What has been counted by `now`, a pause that lasts counted in.
    pub(in crate::ethernet) fn counted(&self, channel: u32, priority: u8, now: u64) -> Option<PauseCounters> {
        let mut counted = *self.counters.get(channel as usize)?.get(usize::from(priority))?;
        let sender = &self.senders[channel as usize];
        if sender.paused & bit(priority) != 0 {
            counted.paused += Duration::from_ps(now - sender.since[usize::from(priority)]);
        }
        Some(counted)
    }

    /// Whether a frame that comes over a channel fits in.
    pub(in crate::ethernet) fn has_room(&self, channel: u32, priority: u8, length: u32) -> bool {
        if self.parameters.shared.is_some() {
            return self.share(channel, priority, length).is_some();
        }
        let room = self.parameters.xoff.0.saturating_add(self.parameters.headroom.0);
        self.inputs[channel as usize].occupied[usize::from(priority)] + u64::from(length) <= room
    }

    /// Begins to forward a frame that has come over a channel: what is made of it has this room.
    pub(in crate::ethernet) fn begin(&mut self, input: u32, priority: u8, length: u32) {
        let hold = Hold { input, length, copies: 0, priority };
        if self.free == NONE {
            self.holds.push(hold);
            self.current = u32::try_from(self.holds.len() - 1).expect("fewer than 2^32 frames are under way");
        } else {
            self.current = self.free;
            self.free = self.holds[self.current as usize].input;
            self.holds[self.current as usize] = hold;
        }
    }

    /// Ends that: it counts if it is in the switch. Whether a PAUSE frame may be due at its input.
    pub(in crate::ethernet) fn settle_in(&mut self) -> bool {
        let hold = self.holds[self.current as usize];
        if hold.copies == 0 {
            self.forget(self.current);
            return false;
        }
        let is_above_pool = self.parameters.shared.is_some() && self.take_shared(hold);
        let (input, priority) = (hold.input as usize, usize::from(hold.priority));
        let occupied = &mut self.inputs[input].occupied[priority];
        *occupied += u64::from(hold.length);
        let occupied = *occupied;
        let counters = &mut self.counters[input][priority];
        counters.peak = Bytes(occupied).max(counters.peak);
        let mask = bit(hold.priority);
        let is_above = match self.parameters.shared {
            None => occupied > self.parameters.xoff.0,
            Some(_) => is_above_pool,
        };
        if !is_above || self.inputs[input].wanted & mask != 0 {
            return false;
        }
        self.inputs[input].wanted |= mask;
        if self.inputs[input].told & mask != 0 {
            self.watch.suspect(hold.input, hold.priority);
        }
        if let Some(behind) = self.behind {
            let [paused, behind] = [hold.input, behind].map(simnet_base::ids::ChannelId);
            *self.causes.entry(Cause { paused, priority: hold.priority, behind }).or_default() += 1;
        }
        true
    }

    fn forget(&mut self, hold: u32) {
        self.holds[hold as usize].input = std::mem::replace(&mut self.free, hold);
    }

    /// A copy has left or is dropped. Gives the input at which a PAUSE frame may be due now.
    pub(in crate::ethernet) fn release(&mut self, hold: u32) -> Option<u32> {
        let of = &mut self.holds[hold as usize];
        of.copies -= 1;
        if of.copies > 0 {
            return None;
        }
        let of = *of;
        let Hold { input, length, priority, .. } = of;
        self.forget(hold);
        if self.parameters.shared.is_some() {
            self.give_back(of);
            return None;
        }
        let at = &mut self.inputs[input as usize];
        let occupied = &mut at.occupied[usize::from(priority)];
        *occupied -= u64::from(length);
        let lets_go = at.wanted & bit(priority) != 0 && *occupied <= self.parameters.xon.0;
        if lets_go {
            at.wanted &= !bit(priority);
        }
        lets_go.then_some(input)
    }

    /// The port of a channel sends a frame of a switch whose last bit leaves at `until`.
    pub(in crate::ethernet) fn send(&mut self, channel: u32, until: u64, hold: u32, length: u32) {
        self.senders[channel as usize].leaving = Some((until, hold, length));
        self.leaving.push(Reverse((until, channel)));
    }

    /// The next channel whose frame's last bit has left by `now`, with the room that it took.
    pub(in crate::ethernet) fn left(&mut self, now: u64) -> Option<u32> {
        let Reverse((until, channel)) = *self.leaving.peek()?;
        if until > now {
            return None;
        }
        self.leaving.pop();
        let sender = &mut self.senders[channel as usize];
        let (_, hold, length) = sender.leaving.take().expect("a port that is listed sends");
        sender.bytes -= u64::from(length);
        Some(hold)
    }

    /// Whether a PAUSE frame is due on a channel: the input beside it wants something else than it has said, or has to
    /// say it again.
    pub(in crate::ethernet) fn owes(&self, channel: u32, now: u64) -> bool {
        let input = &self.inputs[(channel ^ 1) as usize];
        input.wanted != input.told || input.refresh <= now
    }

    /// The PAUSE frame that is due on a channel, which is sent.
    pub(in crate::ethernet) fn say(&mut self, channel: u32, now: u64) -> PauseFrame {
        let input = &mut self.inputs[(channel ^ 1) as usize];
        let (told, wanted) = (input.told, input.wanted);
        let again = if self.parameters.quanta.is_some() { told & wanted } else { 0 };
        let priorities = told ^ wanted | again;
        let quanta = self.parameters.quanta.unwrap_or(u16::MAX);
        let says = PauseFrame { priorities, paused: wanted & priorities, quanta };
        input.told = wanted;
        if self.parameters.quanta.is_some() {
            let is_on = wanted != 0;
            input.refresh = if is_on { now.saturating_add(input.lasting / 2) } else { u64::MAX };
            self.may_be_quiet |= told == wanted;
        }
        for priority in (0..PRIORITIES).filter(|priority| priorities & bit(*priority) != 0) {
            let counters = self.count(channel ^ 1, priority);
            let counter = match (told & bit(priority) != 0, wanted & bit(priority) != 0) {
                (false, _) => &mut counters.xoff,
                (true, false) => &mut counters.xon,
                (true, true) => &mut counters.refreshed,
            };
            *counter += 1;
        }
        says
    }

    /// The sender of a channel obeys.
    pub(in crate::ethernet) fn obey(&mut self, channel: u32, says: PauseFrame, now: u64) {
        let until = now.saturating_add(self.inputs[channel as usize].lasting);
        for priority in (0..PRIORITIES).filter(|priority| says.priorities & bit(*priority) != 0) {
            let (mask, index) = (bit(priority), usize::from(priority));
            let sender = &mut self.senders[channel as usize];
            let was_paused = sender.paused & mask != 0;
            if says.paused & mask == 0 {
                // A pause that has run out has nothing left to end.
                if was_paused {
                    self.resume(channel, priority, now);
                }
                continue;
            }
            sender.until[index] = until;
            if was_paused {
                continue;
            }
            sender.paused |= mask;
            sender.since[index] = now;
            let is_filled = sender.filled & mask != 0;
            self.count(channel, priority).obeyed += 1;
            if is_filled {
                self.block(channel, priority, now);
                self.watch.suspect(channel, priority);
            }
        }
    }

    /// A sender may send a priority again.
    fn resume(&mut self, channel: u32, priority: u8, now: u64) {
        let sender = &mut self.senders[channel as usize];
        sender.paused &= !bit(priority);
        let since = std::mem::replace(&mut sender.since[usize::from(priority)], now);
        let is_stormy = sender.stormy & bit(priority) != 0;
        self.count(channel, priority).paused += Duration::from_ps(now - since);
        if let (true, Some(watchdog)) = (is_stormy, self.parameters.watchdog) {
            let at = now.saturating_add(watchdog.restoration.as_ps());
            self.alarms.push(Reverse((at, channel, priority)));
        }
    }

    /// When the first pause of a sender runs out; the end of time if none does.
    pub(in crate::ethernet) fn runs_out(&self, channel: u32) -> u64 {
        let sender = &self.senders[channel as usize];
        let paused = (0..PRIORITIES).filter(|priority| sender.paused & bit(*priority) != 0);
        paused.map(|priority| sender.until[usize::from(priority)]).min().unwrap_or(u64::MAX)
    }

    /// Ends the pauses of a sender whose time is over; gives their priorities, a bit each.
    pub(in crate::ethernet) fn run_out(&mut self, channel: u32, now: u64) -> u8 {
        let sender = &self.senders[channel as usize];
        let is_over = |priority: &u8| {
            sender.paused & bit(*priority) != 0 && sender.until[usize::from(*priority)] <= now
        };
        let over = (0..PRIORITIES).filter(is_over).fold(0, |over, priority| over | bit(priority));
        for priority in (0..PRIORITIES).filter(|priority| over & bit(*priority) != 0) {
            self.resume(channel, priority, now);
            self.count(channel, priority).expired += 1;
        }
        over
    }

    /// Frames of a priority begin to wait that is paused.
    pub(in crate::ethernet) fn block(&mut self, channel: u32, priority: u8, now: u64) {
        self.senders[channel as usize].blocked[usize::from(priority)] = now;
        if let Some(watchdog) = self.parameters.watchdog {
            let at = now.saturating_add(watchdog.detection.as_ps());
            self.alarms.push(Reverse((at, channel, priority)));
        }
    }

    /// When the watchdog looks next.
    pub(in crate::ethernet) fn first_alarm(&self) -> Option<u64> {
        self.alarms.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes the alarms that are due by `now`, up to one of a queue that is to be emptied; queues are given back.
    pub(in crate::ethernet) fn alarm(&mut self, now: u64) -> Option<(u32, u8)> {
        let watchdog = self.parameters.watchdog?;
        while self.first_alarm().is_some_and(|at| at <= now) {
            let Reverse((_, channel, priority)) = self.alarms.pop()?;
            let (mask, index) = (bit(priority), usize::from(priority));
            let sender = &mut self.senders[channel as usize];
            let (since, blocked) = (sender.since[index], sender.blocked[index]);
            let is_paused = sender.paused & mask != 0;
            if sender.stormy & mask != 0 {
                if !is_paused && now - since >= watchdog.restoration.as_ps() {
                    sender.stormy &= !mask;
                }
            } else if is_paused && sender.filled & mask != 0 && now - blocked >= watchdog.detection.as_ps() {
                sender.stormy |= mask;
                self.count(channel, priority).storms += 1;
                return Some((channel, priority));
            }
        }
        None
    }

    /// Empties a queue; gives its first frame, or [`NIL`].
    pub(in crate::ethernet) fn empty(&mut self, channel: u32, priority: u8) -> u32 {
        let sender = &mut self.senders[channel as usize];
        sender.filled &= !bit(priority);
        sender.queues[usize::from(priority)].take().map_or(NIL, |(first, _)| first)
    }

    /// Puts a frame at the end of its queue; gives the one that was there, behind which it is to be linked.
    pub(in crate::ethernet) fn queue(&mut self, channel: u32, priority: u8, slot: u32) -> Option<u32> {
        let sender = &mut self.senders[channel as usize];
        sender.filled |= bit(priority);
        self.waiting += 1;
        let queue = &mut sender.queues[usize::from(priority)];
        let behind = queue.map(|(_, last)| last);
        *queue = Some((queue.map_or(slot, |(first, _)| first), slot));
        behind
    }

    /// Takes the first frame of a queue; `next` is the one behind it.
    pub(in crate::ethernet) fn unqueue(&mut self, channel: u32, priority: u8, next: u32) {
        self.waiting -= 1;
        let sender = &mut self.senders[channel as usize];
        let queue = &mut sender.queues[usize::from(priority)];
        *queue = queue.filter(|_| next != NIL).map(|(_, last)| (next, last));
        if queue.is_none() {
            sender.filled &= !bit(priority);
        }
    }
}
