//! A line of a shard: what a point came to, with a checksum of the line's own bytes.
//!
//! `{"check":"<64 hex digits>","key":"<64 hex digits>","result":...}` where `check` is the BLAKE3 of everything after
//! the comma behind it. A failure has `"error":"..."` instead, and a point that was computed again because its failure
//! was not believed has `"again":N` before it, the highest of which counts.

use blake3::Hash;
use serde_json::Value;

/// What a point came to: its result, or why it has none.
pub(super) type Outcome = Result<Value, String>;

/// The longest line that is written or believed, in bytes.
pub(super) const LONGEST: usize = 64 << 20;

/// How many hexadecimal digits a hash has.
const DIGITS: usize = 64;

const CHECK: &[u8] = b"{\"check\":\"";
const KEY: &[u8] = b"\"key\":\"";
const AGAIN: &[u8] = b"\"again\":";
const RESULT: &[u8] = b"\"result\":";
const ERROR: &[u8] = b"\"error\":";
const END: &[u8] = b"\",";

/// A whole line, taken apart but for its result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The point's key.
    pub(super) key: [u8; 32],
    /// How often the point's failure was not believed before.
    pub(super) again: u32,
    /// Whether it has no result.
    pub(super) failed: bool,
    /// The result or the error, as JSON.
    pub(super) outcome: &'a [u8],
}

/// Prints a line, its end included.
pub(super) fn encode(key: &Hash, again: u32, outcome: &Outcome) -> Vec<u8> {
    let (name, json) = match outcome {
        Ok(result) => ("result", result.to_string()),
        Err(error) => ("error", Value::from(error.as_str()).to_string()),
    };
    let again = if again == 0 { String::new() } else { format!("\"again\":{again},") };
    let body = format!("\"key\":\"{}\",{again}\"{name}\":{json}}}", key.to_hex());
    format!("{{\"check\":\"{}\",{body}\n", blake3::hash(body.as_bytes()).to_hex()).into_bytes()
}

/// Takes a line apart, given without its end. `None` unless every byte of it is as it was written.
pub(super) fn decode(line: &[u8]) -> Option<Line<'_>> {
    let (check, body) = hash_of(line.strip_prefix(CHECK)?)?;
    if blake3::hash(body) != check {
        return None;
    }
    let (key, rest) = hash_of(body.strip_prefix(KEY)?)?;
    let (again, rest) = match rest.strip_prefix(AGAIN) {
        None => (0, rest),
        Some(rest) => {
            let comma = rest.iter().position(|byte| *byte == b',')?;
            (str::from_utf8(&rest[..comma]).ok()?.parse().ok()?, &rest[comma + 1..])
        }
    };
    let rest = rest.strip_suffix(b"}")?;
    let result = rest.strip_prefix(RESULT).map(|json| (false, json));
    let (failed, outcome) = result.or_else(|| rest.strip_prefix(ERROR).map(|json| (true, json)))?;
    Some(Line { key: *key.as_bytes(), again, failed, outcome })
}

/// A hash in quotes and a comma, and what follows.
fn hash_of(text: &[u8]) -> Option<(Hash, &[u8])> {
    let (digits, rest) = text.split_at_checked(DIGITS)?;
    Some((Hash::from_hex(digits).ok()?, rest.strip_prefix(END)?))
}

impl Line<'_> {
    /// Reads the result or the error. `None` if it is no JSON although its checksum is right.
    pub(super) fn read(&self) -> Option<Outcome> {
        if self.failed {
            return serde_json::from_slice(self.outcome).ok().map(Err);
        }
        serde_json::from_slice(self.outcome).ok().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Wrong if what is written were read as anything else.
    #[test]
    fn a_line_comes_back() {
        let key = blake3::hash(b"a point");
        for again in [0, 1, u32::MAX] {
            for outcome in
                [Ok(json!({"a.b": 0.1, "c": "\"}\n"})), Ok(json!(null)), Err("why, \"so\"\n".to_owned())]
            {
                let bytes = encode(&key, again, &outcome);
                let (end, line) = bytes.split_last().unwrap();
                assert_eq!(*end, b'\n');
                assert!(!line.contains(&b'\n'));
                let line = decode(line).unwrap();
                assert_eq!((line.key, line.again), (*key.as_bytes(), again));
                assert_eq!(line.read(), Some(outcome));
            }
        }
    }

    /// Wrong if a number came back as another one, be it in its last bit: then a table made at once would differ from
    /// one made of the shards.
    #[test]
    fn numbers_come_back_to_the_last_bit() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let number = f64::from_bits(bits);
            let result = json!(number);
            let bytes = encode(&blake3::hash(b"a point"), 0, &Ok(result.clone()));
            let back = decode(&bytes[..bytes.len() - 1]).unwrap().read().unwrap().unwrap();
            assert_eq!(back.as_f64().map(f64::to_bits), result.as_f64().map(f64::to_bits), "{number:e}");
        }
    }

    /// Wrong if a bit could be turned, or a byte cut off either end or put in, without the line being given up.
    #[test]
    fn no_altered_byte_is_believed() {
        let bytes = encode(&blake3::hash(b"a point"), 3, &Ok(json!({"a": 1})));
        let line = &bytes[..bytes.len() - 1];
        for place in 0..line.len() {
            for bit in 0..8 {
                let mut altered = line.to_vec();
                altered[place] ^= 1 << bit;
                // The digits of a hash may be written in capitals, which changes no value.
                let same = altered.eq_ignore_ascii_case(line) && place < CHECK.len() + DIGITS;
                assert!(same || decode(&altered).is_none(), "bit {bit} of byte {place}");
            }
            assert_eq!(decode(&line[..place]), None, "cut at {place}");
            assert_eq!(decode(&line[place + 1..]), None, "begun after {place}");
            let mut longer = line.to_vec();
            longer.insert(place, b'7');
            assert_eq!(decode(&longer), None, "a byte more at {place}");
        }
    }
}
