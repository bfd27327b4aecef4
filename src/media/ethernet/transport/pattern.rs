//! The bytes of a message: those that follow from its tag, so that they need not be kept.

/// Writes the bytes that the message `tag` has from its byte `offset` on.
///
/// Different tags and different places give unrelated bytes: a byte of another message, or one out of place, is
/// seen as wrong with probability 255/256, a run of n of them with all but 2^-8n.
pub fn fill(tag: u64, offset: u64, bytes: &mut [u8]) {
    let mut at = offset;
    let mut rest = bytes;
    while !rest.is_empty() {
        let word = word(tag, at / 8).to_le_bytes();
        let skip = (at % 8) as usize;
        let taken = rest.len().min(8 - skip);
        let (now, later) = rest.split_at_mut(taken);
        now.copy_from_slice(&word[skip..skip + taken]);
        rest = later;
        at += taken as u64;
    }
}

/// Whether these are the bytes that the message `tag` has from its byte `offset` on.
pub fn is_right(tag: u64, offset: u64, bytes: &[u8]) -> bool {
    let mut expected = [0; 256];
    let mut at = offset;
    bytes.chunks(expected.len()).all(|chunk| {
        let expected = &mut expected[..chunk.len()];
        fill(tag, at, expected);
        at += chunk.len() as u64;
        expected == chunk
    })
}

/// Eight bytes. SplitMix64's finaliser: a bijection of the place for a fixed tag, and of the tag for a fixed place.
fn word(tag: u64, place: u64) -> u64 {
    let mut x = tag.rotate_left(32) ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if bytes depended on how they are requested, or if a wrong byte passed.
    #[test]
    fn bytes_follow_from_tag_and_place() {
        let mut whole = [0; 1000];
        fill(7, 0, &mut whole);
        for from in [0, 1, 7, 8, 9, 255, 256, 700] {
            for to in [from, from + 1, from + 13, 1000] {
                let mut part = vec![0; to - from];
                fill(7, from as u64, &mut part);
                assert_eq!(part, whole[from..to]);
                assert!(is_right(7, from as u64, &part));
            }
        }
        assert!(!is_right(8, 0, &whole) && !is_right(7, 1, &whole));
        whole[999] ^= 1;
        assert!(!is_right(7, 0, &whole));
    }
}
