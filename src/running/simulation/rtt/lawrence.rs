//! lawrence2008's machines and its tool: one set of constants for Tables 1 to 3 and Fig. 6.
//!
//! # Scope and limitations
//! Fitted to what the paper prints, which is sums: how a round trip's software is shared out among its four pieces
//! (here equally) and what of the noise is jitter, drift and interruptions, the paper does not say.
//!
//! # Source
//! lawrence2008: Fig. 6 for a round trip's constant part and its scatter, Table 1 for what else the tool does,
//! section 4 for the message and the share of measurements that take 26 samples, Tables 2 and 3 for clustering and
//! tree.
//!
//! # Validation
//! `tests/running/processes/rtt.rs`: all ten cells of Table 1 within 5 %, numbers of samples, the scatter of Fig. 6.

use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::rtt::Plan;

use super::Job;
use crate::simulation::ranks::{Noise, Overheads, Software};

/// The header of a datagram that stands for a segment of TCP over IP with timestamps, so that a ping of 1,400 B takes
/// 1,478 B of a cable's time from switch to switch: 11.824 us at 1 Gb/s.
///
/// # Source
/// RFC 791, 9293 and 7323: 20 + 20 + 12 B. Table 1, fitted by least squares, asks for 1,476 B.
pub const HEADER: u32 = 52;

/// What the software of both ends takes of a round trip, whatever its way: c of RTT(h) = c + 2(h + 1)x.
///
/// # Source
/// Fig. 6: 0.132 ms over one switch and 0.157 ms over two are c + 4x and c + 6x for c = 0.085 ms and x = 11.8 us; 0.175
/// ms over three is 4 us less than c + 8x.
pub const ROUND_TRIP: Duration = Duration::from_us(85);

/// What the tool does before every ping.
///
/// # Source
/// Table 1, what its times have beyond 26 x 5 round trips of all ordered pairs: 0.090 ms a round trip for topology
/// (1), 0.098 to 0.12 for the larger ones. This value has all ten cells within 5 %, and topology (3) at 1 Gb/s within
/// 5 % of both numbers that the paper has for it: 34.940 s in Table 1, and 33.942 s, the sum of its parts in Table 3.
pub const PAUSE: Duration = Duration::from_us(95);

/// The machines' software: [`ROUND_TRIP`] in four pieces.
///
/// # Source
/// The jitter is ours: with it a sample of five round trips scatters by 2.3 % about 0.132 ms, so that 26 of them do
/// within 3 % but for rare interruptions.
pub const SOFTWARE: Software = Software {
    short: PIECES,
    long: PIECES,
    short_up_to: Bytes(u64::MAX),
    copy_byte: Duration::ZERO,
    envelope: Bytes(0),
    jitter: 270,
};

const PIECES: Overheads = Overheads {
    send: Duration::from_ps(ROUND_TRIP.as_ps() / 4),
    receive: Duration::from_ps(ROUND_TRIP.as_ps() / 4),
    send_byte: Duration::ZERO,
    receive_byte: Duration::ZERO,
};

/// What disturbs the machines.
///
/// # Source
/// Ours, so that results scatter as in Fig. 6 (1.1 to 1.6 % about the middle of a class), more than 99 % of the
/// measurements take 26 samples, few 52 and none more than 104 (section 4): a pace that changes by up to 3 % from one
/// second to the next, and an interruption of 0.25 ms once in 200,000 pieces of work.
pub const NOISE: Noise = Noise {
    outliers_ppm: 5,
    outlier_mean: Duration::from_us(250),
    drift: 30,
    drift_period: Duration::from_ms(1_000),
    background_ppm: 0,
    background_message: Bytes(0),
};

/// The tool on such machines, with its own parameters.
pub fn job(machines: Vec<HostId>, names: Vec<String>, seed: u64) -> Job {
    Job {
        machines,
        names,
        plan: Plan::default(),
        software: SOFTWARE,
        pause: PAUSE,
        noise: NOISE,
        paces: Vec::new(),
        seed,
    }
}

/// What machine 0 takes to cluster the times of so many machines and to count hops (DCHC of Tables 2 and 3).
///
/// # Source
/// A modelled constant, never measured here: through the mean of the two times for 16 machines (6 ms) and the median of
/// the eight for 32 (14.5 ms; they go from 10 to 56 ms), linear in the number of results.
pub fn clustering(machines: usize) -> Duration {
    Duration::from_us(3_290) + Duration::from_ns(11_300) * results(machines)
}

/// What machine 0 takes to compute the tree (TC of Tables 2 and 3).
///
/// # Source
/// As [`clustering`]: 4.5 ms for 16 machines, 9 ms for 32 (from 7 to 20 ms).
pub fn tree(machines: usize) -> Duration {
    Duration::from_us(3_060) + Duration::from_ns(6_000) * results(machines)
}

fn results(machines: usize) -> u64 {
    let machines = machines as u64;
    machines.saturating_mul(machines.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the modelled times left the range that the paper prints for 16 and for 32 machines.
    #[test]
    fn computing_takes_what_the_tables_say() {
        let us = |time: Duration| time.as_ps() / 1_000_000;
        assert_eq!((us(clustering(16)), us(clustering(32))), (6_002, 14_499));
        assert_eq!((us(tree(16)), us(tree(32))), (4_500, 9_012));
        assert_eq!((us(clustering(0)), us(tree(1))), (3_290, 3_060));
    }
}
