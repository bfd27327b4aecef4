//! Bit errors that spoil messages on their way; the CRC-8 lets the receiver see it.
//!
//! # Scope and limitations
//! Errors strike bits independently at one rate on all cables. Every bit that a message moves counts: its length
//! on each cable times the cables. A spoilt message travels like any other and is dropped by the interface that
//! receives it; errors never alter a route flit's meaning, and the CRC never misses one.
//!
//! # Source
//! The CRC is recomputed at every switch because a route flit is stripped, and an error passes on as a wrong
//! CRC that the receiving interface counts (Myricom's counters `badcrc`).

use simnet_base::des::random::Stream;

use super::BIT_ERRORS;

/// The bit errors that strike the messages of one host.
#[derive(Clone, Debug)]
pub struct BitErrors {
    stream: Stream,
    mean: u64,
    left: u64,
}

impl BitErrors {
    /// Errors of a host's messages, on average one in `mean` bits (the inverse of the bit error rate).
    pub fn new(host: u32, mean: u64, seed: u64) -> BitErrors {
        let mut stream = Stream::new(seed, BIT_ERRORS, host);
        let left = stream.exponential(mean);
        BitErrors { stream, mean, left }
    }

    /// Says whether the host's next message is spoilt: `payload` flits over a route of `turns` turns, from host
    /// to host over `turns + 1` cables, of which each switch strips one flit.
    pub fn strike(&mut self, payload: u32, turns: usize) -> bool {
        let (payload, turns) = (u64::from(payload), turns as u64);
        let flits = payload * (turns + 1) + turns * (turns + 1) / 2;
        let mut bits = flits * 8;
        let mut spoilt = false;
        while bits > self.left {
            bits -= self.left + 1;
            spoilt = true;
            self.left = self.stream.exponential(self.mean);
        }
        self.left -= bits;
        spoilt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_messages_are_spoilt_as_the_rate_says() {
        // 32 flits over 2 cables and one route flit on the first: 65 flits, 520 bits.
        let mut errors = BitErrors::new(0, 5_200, 1);
        let spoilt = (0..100_000).filter(|_| errors.strike(32, 1)).count();
        // 1 - exp(-0.1) = 9.516 %; standard deviation 93: four of it.
        assert!(spoilt.abs_diff(9_516) < 372, "{spoilt}");
    }
}
