//! The wire format of protocol buffers, as far as writing needs it.
//!
//! # Source
//! protobuf.dev, "Encoding": a field is a key (number and wire type as a varint) and a value; the length of a nested
//! message stands before it.

use crate::trace::leb128;

/// Wire types.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;

/// A message in the making.
#[derive(Debug, Default)]
pub(super) struct Proto {
    pub(super) bytes: Vec<u8>,
}

impl Proto {
    /// A field of type `uint32`, `uint64`, `bool`, an `enum`, or an `int32` or `int64` that is not negative.
    pub(super) fn number(&mut self, field: u32, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    /// A field of type `fixed64`.
    pub(super) fn fixed(&mut self, field: u32, value: u64) {
        self.key(field, FIXED64);
        self.bytes.extend(value.to_le_bytes());
    }

    /// A field of type `string`.
    pub(super) fn text(&mut self, field: u32, value: &str) {
        self.key(field, LENGTH);
        self.varint(value.len() as u64);
        self.bytes.extend(value.as_bytes());
    }

    /// A field that is a message itself, which `fill` writes.
    pub(super) fn message(&mut self, field: u32, fill: impl FnOnce(&mut Proto)) {
        self.key(field, LENGTH);
        let start = self.bytes.len();
        fill(self);
        let length = self.bytes.len() - start;
        self.varint(length as u64);
        // The length was written behind what it stands before.
        let moved = self.bytes.len() - start - length;
        self.bytes[start..].rotate_right(moved);
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    fn varint(&mut self, value: u64) {
        leb128::put(value, &mut self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if these were not the bytes that the specification's own examples have.
    #[test]
    fn fields_are_written_as_the_specification_shows() {
        let written = |fill: &dyn Fn(&mut Proto)| {
            let mut proto = Proto::default();
            fill(&mut proto);
            proto.bytes
        };
        assert_eq!(written(&|p| p.number(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(written(&|p| p.text(2, "testing")), *b"\x12\x07testing");
        assert_eq!(written(&|p| p.message(3, |p| p.number(1, 150))), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(written(&|p| p.fixed(1, 2)), [0x09, 2, 0, 0, 0, 0, 0, 0, 0]);
        let long = written(&|p| p.message(1, |p| p.text(2, &"x".repeat(200))));
        assert_eq!(long[..6], [0x0a, 0xcb, 0x01, 0x12, 0xc8, 0x01]);
        assert_eq!(long.len(), 3 + 0xcb);
    }
}
