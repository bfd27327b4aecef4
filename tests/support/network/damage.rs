//! Damage to good files.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// Damages a text in one to three places: cuts it, changes, drops or adds a byte, takes out a line, or repeats a piece.
/// What is added is of `alphabet`. Something is always left.
pub fn damage(bytes: &mut Vec<u8>, alphabet: &[u8], rng: &mut ChaCha8Rng) {
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..6) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = rng.random(),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, alphabet[rng.random_range(0..alphabet.len())]),
            4 => {
                let line = |at: usize| {
                    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |n| at + n)
                };
                let (from, to) = (line(at), line((line(at) + 1).min(bytes.len())));
                bytes.drain(from..to);
            }
            _ => {
                let end = (at + rng.random_range(1..40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
}
