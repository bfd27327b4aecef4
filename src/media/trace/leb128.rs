//! Numbers of seven bits a byte, the lowest first; every byte but the last has its highest bit set.
//!
//! # Source
//! DWARF 5, section 7.6, "Variable length data" (unsigned LEB128); the varint of protocol buffers is the same.

/// Appends a number.
pub fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Takes the number that `bytes` begins with and moves `bytes` behind it.
///
/// # Errors
/// [`NoNumber`], and `bytes` stays where it was.
pub fn take(bytes: &mut &[u8]) -> Result<u64, NoNumber> {
    let mut value = 0_u64;
    for (at, shift) in (0..u64::BITS).step_by(7).enumerate() {
        let byte = *bytes.get(at).ok_or(NoNumber::Cut)?;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Ok(value);
        }
    }
    Err(NoNumber::TooLong)
}

/// Why bytes do not begin with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoNumber {
    /// They end before it does.
    Cut,
    /// It has more than 64 bits.
    TooLong,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a number of any length came back as another, or left bytes behind.
    #[test]
    fn numbers_come_back() {
        for bits in 0..=64_u32 {
            let high = 1_u64.checked_shl(bits).map_or(u64::MAX, |power| power - 1);
            for value in [high, high.wrapping_add(1), high / 3] {
                let mut bytes = Vec::new();
                put(value, &mut bytes);
                assert_eq!(bytes.len(), (u64::BITS - value.leading_zeros()).div_ceil(7).max(1) as usize);
                bytes.push(0xff);
                let mut rest = bytes.as_slice();
                assert_eq!((take(&mut rest), rest), (Ok(value), [0xff].as_slice()));
            }
        }
    }

    /// Wrong if half a number, or one that is too long, were taken for one.
    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(take(&mut [].as_slice()), Err(NoNumber::Cut));
        assert_eq!(take(&mut [0x80, 0x80].as_slice()), Err(NoNumber::Cut));
        let mut bits_65 = [0xff; 10];
        bits_65[9] = 0x02;
        assert_eq!(take(&mut bits_65.as_slice()), Err(NoNumber::TooLong));
        assert_eq!(take(&mut [0xff; 11].as_slice()), Err(NoNumber::TooLong));
    }
}
