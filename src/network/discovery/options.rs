//! What may be chosen in inferring hop counts from times.

use simnet_base::units::Duration;

/// How hop counts are inferred from round-trip times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How times are put into classes.
    pub clustering: Clustering,
    /// Times are in one raw class while neighbours differ by less than this: the paper's *measurementnoise*.
    pub noise: Duration,
    /// How many thousandths of the intra-class distance two classes must be apart to stay two: *INTER_THRESHOLD*.
    pub inter_threshold: u32,
    /// Pairs of machines whose hop count is known.
    pub known: Vec<Known>,
    /// The time that one switch more adds to a round trip, where it is known, from a rate and a size; above zero.
    pub step: Option<Duration>,
}

impl Default for Options {
    /// lawrence2008, section 4: 0.001 x NUMRTT = 5 us of noise, INTER_THRESHOLD 4, nothing known.
    fn default() -> Options {
        Options {
            clustering: Clustering::Paper(Intra::HalfRange),
            noise: Duration::from_us(5),
            inter_threshold: 4_000,
            known: Vec::new(),
            step: None,
        }
    }
}

/// How times are put into classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clustering {
    /// As lawrence2008's Fig. 7.
    Paper(Intra),
    /// As few squares of deviations in all as so many classes allow.
    KMeans {
        /// How many classes, at least 1; without it the fewest such that none reaches farther than twice the noise from
        /// its mean.
        classes: Option<usize>,
    },
}

/// What the distance within a class is. Fig. 7 compares the larger of two classes' with that between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intra {
    /// Half its range, the greatest distance from its centre: what makes Fig. 8 of Fig. 6.
    HalfRange,
    /// Its range, the greatest difference of two of its times, as the paper's text has it.
    Range,
}

/// A pair of machines whose hop count is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// One machine, by its position in the matrix.
    pub a: usize,
    /// Another.
    pub b: usize,
    /// The switches between them, at least 1.
    pub hops: u32,
}
