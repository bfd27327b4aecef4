//! Messages, and the packets that they are cut into.

use crate::fabric::endpoint::{Cause, Outgoing};
use crate::fabric::ports::{NEVER, NONE};
use simnet_base::ids::Turn;

/// Turns that a record has room for.
const INLINE: usize = 16;

/// A message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    /// The first cycle in which no switch passes it on; until it starts, cycles from its start to then.
    pub(super) expires: u64,
    /// Where its turns are, if not in `route`.
    spill: u32,
    pub(super) turns: u16,
    pub(super) service_level: u8,
    /// It has the lane of management to itself.
    pub(super) is_management: bool,
    pub(super) cause: Option<Cause>,
    route: [i8; INLINE],
    pub(super) tag: u64,
    pub(super) created: u64,
    /// [`NEVER`] until it has started.
    pub(super) started: u64,
    pub(super) serial: u64,
    /// When the first cause of destruction struck.
    pub(super) struck_at: u64,
    /// When its first byte reached a host.
    pub(super) head_at: u64,
    pub(super) payload: u32,
    pub(super) source: u32,
    /// Its packets that are not over; 0 for a free record.
    pub(super) pieces: u32,
}

/// A packet that is not over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// When its first byte and its last reach the port that its head reaches next, or has reached last.
    pub(super) head_in: u64,
    pub(super) tail_in: u64,
    pub(super) message: u32,
    /// 0 for a free record.
    pub(super) bytes: u32,
    /// The packet behind it in the queue.
    pub(super) next: u32,
    /// That port.
    pub(super) port: u32,
    /// The turns that it has taken.
    pub(super) hop: u16,
    /// A cable failed with some of it on it.
    pub(super) spoilt: bool,
}

/// All messages and packets, and the records free for new ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    pub(super) messages: Vec<Message>,
    pub(super) packets: Vec<Packet>,
    free_messages: Vec<u32>,
    free_packets: Vec<u32>,
    spilled: Vec<Box<[Turn]>>,
    free_spills: Vec<u32>,
}

impl Records {
    /// Makes the record of a message that `source` is going to send in packets of at most `mtu` bytes.
    pub(super) fn add(&mut self, source: u32, message: &Outgoing, route: &[Turn], mtu: u32) -> u32 {
        let payload = message.payload.max(1);
        let short = shortened(route);
        let record = Message {
            expires: message.time_to_live.unwrap_or(NEVER),
            spill: if short.is_some() { NONE } else { self.spill(route) },
            turns: u16::try_from(route.len()).expect("a route has fewer than 65,536 turns"),
            service_level: message.service_level,
            is_management: false,
            cause: None,
            route: short.unwrap_or([0; INLINE]),
            tag: message.tag,
            created: message.created.0,
            started: NEVER,
            serial: NEVER,
            struck_at: NEVER,
            head_at: NEVER,
            payload,
            source,
            pieces: payload.div_ceil(mtu),
        };
        put(&mut self.messages, &mut self.free_messages, record)
    }

    fn spill(&mut self, route: &[Turn]) -> u32 {
        put(&mut self.spilled, &mut self.free_spills, route.into())
    }

    /// Makes the record of a packet.
    pub(super) fn add_packet(&mut self, packet: Packet) -> u32 {
        debug_assert!(packet.bytes > 0, "a packet has a byte");
        put(&mut self.packets, &mut self.free_packets, packet)
    }

    /// Frees the record of a packet that is over, which is a piece of its message.
    pub(super) fn remove_packet(&mut self, packet: u32) {
        let record = &mut self.packets[packet as usize];
        // Stays on: a packet that ends twice would be counted twice.
        assert!(record.bytes > 0, "a packet is over once");
        record.bytes = 0;
        self.free_packets.push(packet);
    }

    /// Frees the record of a message that is over.
    pub(super) fn remove(&mut self, message: u32) {
        let record = &mut self.messages[message as usize];
        assert!(
            record.pieces == 0 && record.started != NEVER,
            "what has started is over with its last packet"
        );
        record.started = NEVER;
        if record.spill != NONE {
            self.spilled[record.spill as usize] = Box::default();
            self.free_spills.push(record.spill);
        }
        self.free_messages.push(message);
    }

    /// The turn after `hop` others, if there is one.
    #[inline]
    pub(super) fn turn(&self, message: &Message, hop: u16) -> Option<i32> {
        if hop >= message.turns {
            return None;
        }
        let hop = usize::from(hop);
        Some(match message.spill {
            NONE => i32::from(message.route[hop]),
            spill => i32::from(self.spilled[spill as usize][hop].0),
        })
    }

    /// Notes why and when a message is destroyed. The earliest cause counts; of one cycle, the first in the order of
    /// [`Cause`]: which of them is found first must not matter.
    pub(super) fn strike(&mut self, message: u32, cause: Cause, at: u64) {
        let record = &mut self.messages[message as usize];
        debug_assert!(
            record.pieces > 0 && record.started <= at,
            "what is struck has started and is not over"
        );
        let is_first = record.cause.is_none_or(|known| (at, cause) < (record.struck_at, known));
        if is_first {
            (record.cause, record.struck_at) = (Some(cause), at);
        }
    }

    /// All messages that have started and are not over.
    pub(super) fn started(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.started != NEVER)
    }
}

/// Puts a record into a free place.
#[inline]
fn put<T>(records: &mut Vec<T>, free: &mut Vec<u32>, record: T) -> u32 {
    if let Some(place) = free.pop() {
        records[place as usize] = record;
        return place;
    }
    records.push(record);
    u32::try_from(records.len() - 1).expect("fewer than 2^32 records")
}

/// A route as records carry it along; `None` if it has more turns, or wider ones, than they have room for.
#[inline]
fn shortened(route: &[Turn]) -> Option<[i8; INLINE]> {
    let mut short = [0; INLINE];
    if route.len() > INLINE {
        return None;
    }
    for (place, turn) in short.iter_mut().zip(route) {
        *place = i8::try_from(turn.0).ok()?;
    }
    Some(short)
}
