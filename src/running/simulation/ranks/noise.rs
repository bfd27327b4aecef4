//! What disturbs ranks: software that takes longer or shorter than usual, and traffic that is none of theirs.
//!
//! # Scope and limitations
//! A piece of software's work takes its usual time, times the machine's own pace, times the pace it drifts to, times
//! what jitter draws; an interruption adds to that. All of it lengthens or shortens work, nothing else: what a switch
//! does is exact. Background messages cost no software, neither where they begin nor where they end, and no rank
//! counts them; they come from machines of the ranks alone, go to one of these drawn anew each time, and end when the
//! ranks have ended or none can go on. All chance is drawn in integers, on a stream of its own for every purpose
//! and machine.
//!
//! # Source
//! None of the papers gives a model; lawrence2008, section 3.2, names "system noises, asynchronized system events, and
//! other factors". Uniform jitter, exponential interruptions and Poisson traffic are the plainest forms of these.
//!
//! # Validation
//! Unit tests: bounds of what is drawn, streams that do not shift one another; `tests/running/processes/rtt/noise.rs`:
//! the mean round trip under each kind, in closed form.

use crate::simulation::hosts::jittered;
use simnet_base::des::agenda::{Agenda, Due};
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};
use simnet_media::medium::{Medium, Message};
pub use simnet_scenario::discovery::Noise;

use super::kernel::Cluster;

/// How long software takes, one stream a rank.
const WORK: Purpose = Purpose(60);
/// Interruptions of it.
const INTERRUPTIONS: Purpose = Purpose(110);
/// The pace that it drifts to.
const DRIFT: Purpose = Purpose(111);
/// Background traffic.
const BACKGROUND_TRAFFIC: Purpose = Purpose(112);

/// How long the software of every rank takes.
#[derive(Debug)]
pub(super) struct SoftwareNoise {
    jitter: u32,
    noise: Noise,
    /// By rank; empty if all take the usual time.
    ranks: Vec<RankNoise>,
}

/// What the software of a rank is subject to.
#[derive(Debug)]
struct RankNoise {
    /// In thousandths of the usual time.
    pace: u32,
    jitter: Stream,
    interruptions: Stream,
    drift: Stream,
    /// What the usual time is multiplied with now, in millionths, and until when.
    drifted: u64,
    until: Time,
}

/// One, in millionths.
const ONE: u64 = 1_000_000;

impl RankNoise {
    /// The noise of a rank at the start, with random streams of its own.
    fn new(cluster: &Cluster<'_>, rank: usize) -> RankNoise {
        let noise = cluster.noise;
        let component = component(rank);
        let stream = |purpose| Stream::new(cluster.seed, purpose, component);
        let own = cluster.paces.iter().rev().find(|(host, _)| *host == cluster.machines[rank]);
        let mut drift = stream(DRIFT);
        let first = drift.below(noise.drift_period.as_ps().max(1));
        RankNoise {
            pace: own.map_or(1_000, |(_, pace)| *pace),
            jitter: stream(WORK),
            interruptions: stream(INTERRUPTIONS),
            drifted: drawn(noise.drift, &mut drift),
            drift,
            until: Time::from_ps(first),
        }
    }
}

impl SoftwareNoise {
    pub(super) fn new(cluster: &Cluster<'_>) -> SoftwareNoise {
        let (jitter, noise) = (cluster.software.jitter, *cluster.noise);
        let is_quiet = jitter == 0 && noise.outliers_ppm == 0 && noise.drift == 0 && cluster.paces.is_empty();
        let ranks = if is_quiet { 0 } else { cluster.machines.len() };
        SoftwareNoise { jitter, noise, ranks: (0..ranks).map(|rank| RankNoise::new(cluster, rank)).collect() }
    }

    /// How long a rank takes for what usually takes `span`, if it begins at `now`. Called once for a piece of work,
    /// at instants that do not go back.
    pub(super) fn span(&mut self, rank: usize, now: Time, span: Duration) -> Duration {
        let Some(own) = self.ranks.get_mut(rank) else { return span };
        let mut span = span;
        if own.pace != 1_000 {
            span = scaled(span, u64::from(own.pace), 1_000);
        }
        if self.noise.drift > 0 {
            own.drift_on(now, &self.noise);
            span = scaled(span, own.drifted, ONE);
        }
        if self.jitter > 0 {
            span = jittered(span, self.jitter, &mut own.jitter);
        }
        if self.noise.outliers_ppm > 0 && own.interruptions.below(ONE) < u64::from(self.noise.outliers_ppm) {
            let lasts = own.interruptions.exponential(self.noise.outlier_mean.as_ps());
            span = Duration::from_ps(span.as_ps().saturating_add(lasts));
        }
        span
    }
}

impl RankNoise {
    /// Draws another pace if it is time for one.
    fn drift_on(&mut self, now: Time, noise: &Noise) {
        if now < self.until {
            return;
        }
        self.drifted = drawn(noise.drift, &mut self.drift);
        let period = noise.drift_period.as_ps();
        // Paces of periods in which nothing was done are not drawn.
        let into = now.since(self.until).as_ps().checked_rem(period);
        let rest = into.map_or(0, |into| period - into);
        self.until = Time::from_ps(now.as_ps().saturating_add(rest));
    }
}

/// A factor in millionths, up to so many thousandths from one.
fn drawn(thousandths: u32, stream: &mut Stream) -> u64 {
    let spread = u64::from(thousandths.min(1_000)) * 1_000;
    ONE - spread + stream.below(2 * spread + 1)
}

/// A span times `share` over `whole`; saturates.
fn scaled(span: Duration, share: u64, whole: u64) -> Duration {
    let ps = u128::from(span.as_ps()) * u128::from(share) / u128::from(whole);
    Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}

fn component(rank: usize) -> u32 {
    u32::try_from(rank).expect("fewer than 2^32 ranks")
}

/// The first tag of a message that is no rank's; theirs are less.
pub(super) const BACKGROUND: u64 = 1 << 63;

/// Traffic that is none of the ranks'.
#[derive(Debug)]
pub(super) struct Background {
    machines: Vec<HostId>,
    bytes: u64,
    /// By machine, in picoseconds: how long it waits on average.
    gaps: Vec<u64>,
    streams: Vec<Stream>,
    /// When each rank sends next; in the order of ranks within an instant.
    agenda: Agenda<(), usize>,
    sent: u64,
}

impl Background {
    /// The background traffic of ranks on a medium; `None` if there is to be none.
    pub(super) fn new(medium: &impl Medium, cluster: &Cluster<'_>) -> Option<Background> {
        let noise = cluster.noise;
        if noise.background_ppm == 0 || cluster.machines.len() < 2 {
            return None;
        }
        let bytes = noise.background_message.0.max(1);
        let gap = |host: &HostId| {
            let busy = u128::from(medium.occupies(*host, bytes).as_ps());
            let gap = busy * u128::from(ONE) / u128::from(noise.background_ppm);
            u64::try_from(gap).unwrap_or(u64::MAX).max(1)
        };
        let gaps: Vec<u64> = cluster.machines.iter().map(gap).collect();
        let stream = |rank| Stream::new(cluster.seed, BACKGROUND_TRAFFIC, component(rank));
        let mut streams: Vec<Stream> = (0..gaps.len()).map(stream).collect();
        let mut agenda = Agenda::new();
        for (rank, stream) in streams.iter_mut().enumerate() {
            agenda.schedule_in(Time::from_ps(stream.exponential(gaps[rank])), rank, ());
        }
        Some(Background { machines: cluster.machines.to_vec(), bytes, gaps, streams, agenda, sent: 0 })
    }

    /// When the next message is handed over.
    pub(super) fn next(&self) -> Time {
        self.agenda.next().unwrap_or(Time::END)
    }

    /// The next message.
    ///
    /// # Panics
    /// If there are no machines.
    pub(super) fn take(&mut self) -> Message {
        let Due { at, phase: rank, .. } = self.agenda.pop().expect("every machine has a next message");
        let stream = &mut self.streams[rank];
        let others = self.machines.len() as u64 - 1;
        let other = usize::try_from(stream.below(others)).expect("a position");
        let other = if other < rank { other } else { other + 1 };
        // A picosecond at least, so that time goes on however much there is to be sent.
        let wait = stream.exponential(self.gaps[rank]).max(1);
        self.agenda.schedule_in(at + Duration::from_ps(wait), rank, ());
        self.sent += 1;
        Message {
            source: self.machines[rank],
            destination: self.machines[other],
            bytes: self.bytes,
            tag: BACKGROUND | self.sent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::ranks::{Protocol, Software};
    use simnet_base::units::{BitRate, Bytes};
    use simnet_media::medium::Ideal;

    const PIECE: Duration = Duration::from_us(20);

    /// What ranks take for pieces of work one after the other, all at once.
    fn spans(ranks: usize, jitter: u32, noise: Noise, paces: &[(HostId, u32)]) -> Vec<Vec<u64>> {
        let machines: Vec<HostId> = (0..ranks).map(HostId::new).collect();
        let software = Software { jitter, ..Software::NONE };
        let (machines, software, noise) = (&machines, &software, &noise);
        let cluster = Cluster { machines, software, protocol: &Protocol::EAGER, noise, paces, seed: 3 };
        let mut software = SoftwareNoise::new(&cluster);
        let span = |rank, nth| software.span(rank, Time::ZERO + PIECE * nth, PIECE).as_ps();
        let each = |rank| (rank, 0..2_000);
        let mut span = span;
        (0..ranks).map(each).map(|(rank, pieces)| pieces.map(|nth| span(rank, nth)).collect()).collect()
    }

    /// Wrong if one kind of noise, or another rank, shifted what a rank draws for another kind.
    #[test]
    fn streams_are_apart() {
        let plain = spans(2, 300, Noise::NONE, &[]);
        assert_ne!(plain[0], plain[1], "two ranks are not alike");
        assert_eq!(spans(5, 300, Noise::NONE, &[])[..2], plain);
        let outliers = Noise { outliers_ppm: 50_000, outlier_mean: PIECE, ..Noise::NONE };
        let interrupted = spans(2, 300, outliers, &[]);
        let differ =
            |rank: usize| (0..2_000).filter(|nth| interrupted[rank][*nth] != plain[rank][*nth]).count();
        // 100 expected, with a standard deviation of 10.
        assert!(
            (50..150).contains(&differ(0)) && (50..150).contains(&differ(1)),
            "{} {}",
            differ(0),
            differ(1)
        );
        assert!((0..2_000).all(|nth| interrupted[0][nth] >= plain[0][nth]));
        let background = Noise { background_ppm: 1_000, background_message: Bytes(1), ..Noise::NONE };
        assert_eq!(spans(2, 300, background, &[]), plain);
    }

    /// Wrong if a pace were not kept for a period, left its bounds, or were the same for ever; or if a machine's own
    /// pace were another's.
    #[test]
    fn a_machine_keeps_its_pace_for_a_period() {
        let noise = Noise { drift: 100, drift_period: PIECE * 50, ..Noise::NONE };
        let spans = spans(3, 0, noise, &[(HostId(1), 1_500)]);
        let (low, high) = (PIECE.as_ps() * 9 / 10, PIECE.as_ps() * 11 / 10);
        assert!(spans[0].iter().all(|span| (low..=high).contains(span)));
        assert!(spans[1].iter().all(|span| (low * 3 / 2..=high * 3 / 2).contains(span)));
        for of_rank in &spans {
            let changes: Vec<usize> = (1..2_000).filter(|nth| of_rank[*nth] != of_rank[nth - 1]).collect();
            assert!((39..=40).contains(&changes.len()), "{changes:?}");
            assert!(changes.windows(2).all(|pair| pair[1] - pair[0] == 50), "{changes:?}");
        }
        assert_ne!(spans[0][..200], spans[2][..200]);
    }

    /// Wrong if a machine sent to itself or always to one other, more or less than its share, or tags twice.
    #[test]
    fn background_traffic_is_spread_and_as_much_as_is_said() {
        let machines: Vec<HostId> = (0..4).map(HostId::new).collect();
        let noise = Noise { background_ppm: 250_000, background_message: Bytes(1_000), ..Noise::NONE };
        let (machines, software, noise) = (&machines, &Software::NONE, &noise);
        let cluster = Cluster { machines, software, protocol: &Protocol::EAGER, noise, paces: &[], seed: 3 };
        let medium = Ideal::new(4, BitRate::new(1_000_000_000).expect("not zero"), Duration::ZERO);
        let mut background = Background::new(&medium, &cluster).expect("there is some");
        let mut counts = [[0_u32; 4]; 4];
        let mut tags = std::collections::BTreeSet::new();
        while background.next() < Time::ZERO + Duration::from_ms(320) {
            let message = background.take();
            counts[message.source.index()][message.destination.index()] += 1;
            assert!(message.bytes == 1_000 && message.tag >= BACKGROUND && tags.insert(message.tag));
        }
        // 8 us of every 32: 10,000 messages a machine, 3,333 to each other one, standard deviations 100 and 58.
        for (machine, row) in counts.iter().enumerate() {
            assert_eq!(row[machine], 0);
            assert!(row.iter().sum::<u32>().abs_diff(10_000) < 500, "{counts:?}");
            let others = row.iter().enumerate().filter(|(other, _)| *other != machine);
            assert!(others.into_iter().all(|(_, n)| n.abs_diff(3_333) < 300), "{counts:?}");
        }
    }
}
