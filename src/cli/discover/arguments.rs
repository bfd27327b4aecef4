//! The options of `simnet discover`'s inference.

use clap::{Args, ValueEnum};

use simnet_base::diagnostics::{did_you_mean, quoted};
use simnet_base::units::{BitRate, Bytes, Duration, Unit};
use simnet_media::ethernet::{HEADER, MIN_FRAME, PREAMBLE, TRAILER};
use simnet_network::discovery::{Clustering, Intra, Known, Options, Rtts};

use crate::cli::Failure;

#[derive(Args)]
pub(super) struct Inferring {
    /// Method of inference [default: sturdy; paper where an option is for it alone]
    #[arg(long, value_enum)]
    method: Option<Method>,
    /// How times are put into classes [default: paper]
    #[arg(long, value_enum)]
    clustering: Option<ClusteringName>,
    /// How many classes k-means makes [default: as few as the noise allows]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    classes: Option<usize>,
    /// What the distance within a class of the paper's clustering is [default: half-range]
    #[arg(long, value_enum)]
    intra: Option<IntraName>,
    /// Classes of the paper's clustering are so many times that distance apart, or are one [default: 4]
    #[arg(long, value_name = "TIMES", allow_negative_numbers = true)]
    inter_threshold: Option<String>,
    /// Times that differ by less are in one class to begin with [default: 5 us]
    #[arg(long, value_name = "TIME")]
    noise: Option<String>,
    /// Two machines whose number of switches is known; may be given again
    #[arg(long, value_name = "A,B=HOPS")]
    known: Vec<String>,
    /// The rate of all cables, which tells what one switch more adds to a round trip
    #[arg(long, value_name = "RATE")]
    rate: Option<String>,
    /// The length of the pings, for --rate [default: 1400 B]
    #[arg(long, value_name = "BYTES")]
    message: Option<String>,
}

/// Method of inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// The tree that fits all times best, how sure each switch is, and another tree that fits nearly as well
    Sturdy,
    /// Classes of times, hop counts, and the only tree that has them, as lawrence2008
    Paper,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ClusteringName {
    /// As lawrence2008 prints it
    #[default]
    Paper,
    /// The fewest squares of deviations
    KMeans,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum IntraName {
    /// The greatest distance from the class's centre
    #[default]
    HalfRange,
    /// The greatest difference of two times, as the paper has it
    Range,
}

/// The requests, checked.
pub(super) struct Plan {
    /// Method of inference.
    pub(super) method: Method,
    /// For the paper's method; the step is for both.
    pub(super) options: Options,
}

/// Data bytes of the largest TCP segment on Ethernet, with timestamps.
const SEGMENT: u64 = 1448;
/// Headers of IP and of TCP with timestamps, which Linux sends.
const HEADERS: u64 = 52;

impl Method {
    /// What it is called.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Method::Paper => "paper",
            Method::Sturdy => "sturdy",
        }
    }
}

impl Inferring {
    /// Checks the requests against the machines that there are.
    ///
    /// # Errors
    /// [`Failure::Usage`], naming the option.
    pub(super) fn plan(&self, rtts: &Rtts) -> Result<Plan, Failure> {
        self.refuse_meaningless()?;
        let paper = Options::default();
        let clustering = match self.clustering.unwrap_or_default() {
            ClusteringName::KMeans => Clustering::KMeans { classes: self.classes },
            ClusteringName::Paper => Clustering::Paper(match self.intra.unwrap_or_default() {
                IntraName::HalfRange => Intra::HalfRange,
                IntraName::Range => Intra::Range,
            }),
        };
        let known = self.known.iter().map(|text| known(text, rtts)).collect::<Result<_, _>>()?;
        let options = Options {
            clustering,
            noise: quantity("--noise", self.noise.as_deref())?.unwrap_or(paper.noise),
            inter_threshold: self
                .inter_threshold
                .as_deref()
                .map_or(Ok(paper.inter_threshold), thousandths)?,
            known,
            step: self.step()?,
        };
        Ok(Plan { method: self.method(), options })
    }

    /// The method that was asked for, or that the options are for.
    fn method(&self) -> Method {
        let is_of_paper = self.clustering.is_some()
            || self.noise.is_some()
            || !self.known.is_empty()
            || self.classes.is_some()
            || self.intra.is_some()
            || self.inter_threshold.is_some();
        self.method.unwrap_or(if is_of_paper { Method::Paper } else { Method::Sturdy })
    }

    /// Refuses options that would change nothing.
    fn refuse_meaningless(&self) -> Result<(), Failure> {
        let is_k_means = self.clustering == Some(ClusteringName::KMeans);
        let is_sturdy = self.method() == Method::Sturdy;
        let sturdy = "is for `--method paper`";
        let rows = [
            ("--clustering", is_sturdy && self.clustering.is_some(), sturdy),
            ("--noise", is_sturdy && self.noise.is_some(), sturdy),
            ("--known", is_sturdy && !self.known.is_empty(), sturdy),
            ("--classes", self.classes.is_some() && !is_k_means, "is for `--clustering k-means`"),
            ("--classes", self.classes == Some(0), "must be at least 1"),
            ("--intra", self.intra.is_some() && (is_k_means || is_sturdy), "is for the paper's clustering"),
            (
                "--inter-threshold",
                self.inter_threshold.is_some() && (is_k_means || is_sturdy),
                "is for the paper's clustering",
            ),
            (
                "--message",
                self.message.is_some() && self.rate.is_none(),
                "is the length of pings for `--rate`",
            ),
        ];
        match rows.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
            Some((option, _, why)) => Err(Failure::Usage(format!("`{option}` {why}"))),
            None => Ok(()),
        }
    }

    /// What one switch more adds to a round trip, from the rate: it takes a whole frame before it passes it on, each
    /// way. A message of several segments adds one frame of the longest, since its frames follow one another.
    ///
    /// # Source
    /// lawrence2008: RTT(h) = c + 2(h + 1)x, x the time of a message on a cable, the gap behind it not counted; with
    /// the bytes that Ethernet, IP and TCP with timestamps add, 78, 1,400 B take 11.82 us at 1 Gb/s, and its Tables
    /// give 11.81.
    fn step(&self) -> Result<Option<Duration>, Failure> {
        let Some(rate) = quantity::<BitRate>("--rate", self.rate.as_deref())? else { return Ok(None) };
        let Bytes(message) = quantity("--message", self.message.as_deref())?.unwrap_or(Bytes(1_400));
        if message == 0 {
            return Err(Failure::Usage("`--message` must be at least 1 B".to_owned()));
        }
        let frame = u64::from(HEADER + TRAILER) + HEADERS + message.min(SEGMENT);
        let wire = Bytes(frame.max(u64::from(MIN_FRAME)) + u64::from(PREAMBLE));
        let step = rate.time_for(wire) * 2;
        match step {
            Duration::ZERO => Err(Failure::Usage("`--rate` is too high for a step of 1 ps".to_owned())),
            step => Ok(Some(step)),
        }
    }
}

/// A quantity with its unit, if it was given.
fn quantity<T: Unit>(option: &str, text: Option<&str>) -> Result<Option<T>, Failure> {
    let parsed = text.map(|text| {
        T::parse(text).map_err(|error| Failure::Usage(format!("`{option} {}`: {error}", quoted(text))))
    });
    parsed.transpose()
}

/// A number above 0 with three digits behind the point at most, as thousandths.
fn thousandths(text: &str) -> Result<u32, Failure> {
    let (whole, behind) = text.split_once('.').unwrap_or((text, "0"));
    let digits = format!("{whole}{behind:0<3}");
    let is_plain = !whole.is_empty()
        && (1..=3).contains(&behind.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_plain.then(|| digits.parse().ok()).flatten().filter(|number| *number > 0);
    number.ok_or_else(|| {
        let wanted = "a number above 0 with three digits behind the point at most, as in 4 or 2.5";
        Failure::Usage(format!("`--inter-threshold {}`: not {wanted}", quoted(text)))
    })
}

/// A known pair, written `A,B=HOPS`; commas and equals signs may be in the names.
fn known(text: &str, rtts: &Rtts) -> Result<Known, Failure> {
    let wrong = |why: String| Failure::Usage(format!("`--known {}`: {why}", quoted(text)));
    let Some((pair, hops)) = text.rsplit_once('=') else {
        return Err(wrong("not a pair and its number of switches, as in n0,n5=3".to_owned()));
    };
    let hops = hops.trim().parse().ok().filter(|hops| (1..=MOST_HOPS).contains(hops));
    let hops =
        hops.ok_or_else(|| wrong(format!("the number of switches is a number from 1 to {MOST_HOPS}")))?;
    let machine = |name: &str| rtts.names().iter().position(|known| known == name);
    let splits = || pair.match_indices(',').map(|(at, _)| (&pair[..at], &pair[at + 1..]));
    let mut found = splits().filter_map(|(a, b)| Some((machine(a)?, machine(b)?)));
    if let Some((a, b)) = found.next() {
        return match a == b {
            true => Err(wrong("a machine has no switches to itself".to_owned())),
            false => Ok(Known { a, b, hops }),
        };
    }
    let Some((a, b)) = splits().next() else {
        return Err(wrong("not two machines, as in n0,n5=3".to_owned()));
    };
    let stranger = if machine(a).is_none() { a } else { b };
    let near = did_you_mean(stranger, rtts.names().iter().map(String::as_str));
    Err(wrong(format!("no machine is called `{}`{near}", quoted(stranger))))
}

/// The most switches between two machines.
const MOST_HOPS: u32 = 65_536;

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a threshold were read as another, or something that is none were taken.
    #[test]
    fn thresholds_are_exact() {
        for (text, number) in [("4", 4_000), ("2.5", 2_500), ("0.001", 1), ("10.25", 10_250)] {
            assert_eq!(thousandths(text).ok(), Some(number), "{text}");
        }
        for text in ["0", "0.000", "-1", "", ".", "1.", ".5", "1.0001", "1e3", "4x", "99999999999"] {
            assert!(thousandths(text).is_err(), "{text}");
        }
    }

    /// Wrong if commas or equals signs in names kept a pair from being found.
    #[test]
    fn names_of_known_pairs_may_have_commas() {
        let names = ["a", "b,c", "c", "d=1"].map(str::to_owned).to_vec();
        let cells = (0..16).map(|at| Duration::from_us(if at % 5 == 0 { 0 } else { 100 })).collect();
        let rtts = Rtts::new(names, cells).unwrap();
        assert_eq!(known("a,b,c=2", &rtts).ok(), Some(Known { a: 0, b: 1, hops: 2 }));
        assert_eq!(known("b,c,c=3", &rtts).ok(), Some(Known { a: 1, b: 2, hops: 3 }));
        assert_eq!(known("d=1,a=1", &rtts).ok(), Some(Known { a: 3, b: 0, hops: 1 }));
        for text in
            ["", "a", "a=1", "a,c", "a,c=0", "a,c=x", "a,c=99999999999", "a,a=1", "a,e=1", "=1", ",=1"]
        {
            assert!(known(text, &rtts).is_err(), "{text}");
        }
    }
}
