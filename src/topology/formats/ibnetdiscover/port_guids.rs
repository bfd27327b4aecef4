//! The guids of ports, which a dump tells at the far ends of cables and a network does not keep.

use std::collections::BTreeMap;

use super::line::Cursor;

/// The node's name and the port by the port's guid, of all ports that a sound dump tells the guids of.
pub(in super::super) fn port_guids(text: &str) -> BTreeMap<u64, (String, u16)> {
    text.lines().filter_map(|line| far_end(line.trim())).collect()
}

/// `[3]  "H-0002c90300000010"[1](2c90300000011)`: what stands between quotes, and behind it.
fn far_end(line: &str) -> Option<(u64, (String, u16))> {
    let mut cursor = Cursor::new(line, 0);
    cursor.port().ok()?;
    let mut cursor = Cursor::new(&line[line.find('"')?..], 0);
    let name = cursor.id().ok()?.text.to_owned();
    let (port, _) = cursor.port().ok()?;
    if cursor.rest().starts_with("[ext") {
        cursor.take_while(|c| c != ']');
        cursor.accept("]");
    }
    if !cursor.accept("(") {
        return None;
    }
    let digits = cursor.take_while(|c| c.is_ascii_hexdigit());
    Some((u64::from_str_radix(digits.text, 16).ok()?, (name, port)))
}
