//! Messages as bytes, for captures: what the simulator passes by value is laid out as a real interface could send it.
//!
//! ```text
//!   body     mapper, then what its kind has:
//!            host-probe        turns: those that it took
//!            loop-probe        nothing
//!            host-reply        name, u16 turns left over
//!            route-table       turns back, u32 routes, each a name and turns
//!            map-request       turns back
//!            partial-map       u32 finds, each u32 vertex, i32 port, u8 kind (0 a switch, 1 a host), a host's name;
//!                              u32 vertices, each u8 explored; u8 doubtful
//!            acknowledgement   nothing
//!   mapper   u8 0, or u8 1 and the address as u64
//!   name     u16 bytes, UTF-8
//!   turns    u16 turns, each i16
//! ```
//! Numbers are big-endian. Kind, nonce and length on the cable stand in the header before the body, which is the
//! capture's (`src/media/trace/capture.rs`). `docs/simnet.lua` takes it all apart.
//!
//! # Source
//! None: the papers give no layout, and lengths on the cable are those of [`Message::new`], not of these bytes.

use super::{Body, Find, Message, RouteEntry};
use simnet_base::ids::Turn;

/// Lays out what `message` says, its mapper's address first.
pub fn encode(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    match message.mapper {
        None => out.push(0),
        Some(address) => {
            out.push(1);
            out.extend(address.0.to_be_bytes());
        }
    }
    match &message.body {
        Body::HostProbe { turns, .. } | Body::MapRequest { back: turns, .. } => push_turns(&mut out, turns),
        Body::LoopProbe { .. } | Body::Acknowledgement { .. } => {}
        Body::HostReply { name, unused, .. } => {
            push_name(&mut out, name);
            out.extend(unused.to_be_bytes());
        }
        Body::RouteTable { back, routes, .. } => {
            push_turns(&mut out, back);
            push_count(&mut out, routes.len());
            for RouteEntry { destination, turns } in routes {
                push_name(&mut out, destination);
                push_turns(&mut out, turns);
            }
        }
        Body::PartialMap { finds, explored, doubtful, .. } => {
            push_finds(&mut out, finds);
            push_count(&mut out, explored.len());
            out.extend(explored.iter().map(|is_explored| u8::from(*is_explored)));
            out.push(u8::from(*doubtful));
        }
    }
    out
}

/// Appends turns, at most 65,535 of them.
pub fn push_turns(out: &mut Vec<u8>, turns: &[Turn]) {
    let count = u16::try_from(turns.len()).unwrap_or(u16::MAX);
    out.extend(count.to_be_bytes());
    for turn in &turns[..usize::from(count)] {
        out.extend(turn.0.to_be_bytes());
    }
}

/// Appends a name; of one that is longer than 65,535 bytes the beginning.
pub fn push_name(out: &mut Vec<u8>, name: &str) {
    let mut length = name.len().min(usize::from(u16::MAX));
    while !name.is_char_boundary(length) {
        length -= 1;
    }
    out.extend(u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes());
    out.extend(&name.as_bytes()[..length]);
}

fn push_finds(out: &mut Vec<u8>, finds: &[Find]) {
    push_count(out, finds.len());
    for Find { vertex, port, host } in finds {
        push_count(out, *vertex);
        out.extend(port.to_be_bytes());
        match host {
            None => out.push(0),
            Some(name) => {
                out.push(1);
                push_name(out, name);
            }
        }
    }
}

fn push_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Address;

    /// Wrong if a field were missing, out of place or of another width.
    #[test]
    fn bodies_are_laid_out_as_told() {
        let turns = vec![Turn(1), Turn(-2)];
        let bytes = |body| encode(&Message::new(body));
        assert_eq!(bytes(Body::HostProbe { nonce: 9, turns: turns.clone() }), [0, 0, 2, 0, 1, 255, 254]);
        let reply = Body::HostReply { nonce: 9, name: "h1".into(), unused: 3 };
        assert_eq!(bytes(reply), [0, 0, 2, b'h', b'1', 0, 3]);
        let find = |host: Option<&str>| Find { vertex: 1, port: -1, host: host.map(str::to_owned) };
        let finds = vec![find(None), find(Some("a"))];
        let map = Body::PartialMap { nonce: 9, finds, explored: vec![true, false], doubtful: true };
        let one = [0, 0, 0, 1, 255, 255, 255, 255];
        let expected =
            [&[0, 0, 0, 0, 2][..], &one, &[0], &one, &[1, 0, 1, b'a', 0, 0, 0, 2, 1, 0, 1]].concat();
        assert_eq!(bytes(map), expected);
        let table = Body::RouteTable { nonce: 9, back: turns, routes: vec![] };
        assert_eq!(bytes(table), [0, 0, 2, 0, 1, 255, 254, 0, 0, 0, 0]);
        let heard = Message { mapper: Some(Address(7)), ..Message::new(Body::LoopProbe { nonce: 9 }) };
        assert_eq!(encode(&heard), [1, 0, 0, 0, 0, 0, 0, 0, 7]);
    }

    /// Wrong if a name were cut within a character, or a length did not fit.
    #[test]
    fn names_that_are_too_long_are_cut_between_characters() {
        let mut out = Vec::new();
        push_name(&mut out, &"\u{20ac}".repeat(30_000));
        assert_eq!(out[..2], 65_535_u16.to_be_bytes());
        let mut out = Vec::new();
        push_name(&mut out, &format!("x{}", "\u{20ac}".repeat(30_000)));
        assert_eq!(out[..2], 65_533_u16.to_be_bytes());
        assert!(std::str::from_utf8(&out[2..]).is_ok());
    }
}
