//! Measuring the round-trip times of machines that exist, as a C program for MPI.
//!
//! # Scope and limitations
//! One rank a machine; several ranks on one machine are refused, or distinguished by numbers if the program is told to
//! (their messages pass no switch). The program's own command line can change everything in the plan. Times are as
//! precise as MPI_Wtime, and have nanoseconds in the CSV. What else the machines do is for the user to
//! keep quiet. C99, MPI 2.2.
//!
//! # Source
//! lawrence2008, section 3.2 ("Raw RTT measurements") and section 4 for the parameters, in the reading of
//! [`host::rtt`](simnet_media::host::rtt), message for message, but for one round trip before each pair's first set
//! that is not timed: on a real network it sets up the connection, which the paper's tool may have timed.
//!
//! # Validation
//! tests/it/interop/codegen_rtt.rs: compiled with mpicc, run under mpirun, its CSV read by `simnet discover`.

use simnet_media::host::rtt::student::quantile_ppm;
use simnet_media::host::rtt::{Plan, Schedule};

use super::text::{fill, table};
use super::{MAKEFILE, MARK, Prefix, Source};

/// A program that measures by a plan.
#[derive(Clone, Debug)]
pub struct RttProgram<'a> {
    /// What names begin with.
    pub prefix: &'a Prefix,
    /// What it does unless its command line says otherwise.
    pub plan: Plan,
}

/// Why a plan is none for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be from {least} to {most}, not {given}")]
pub struct BadNumber {
    /// Which number of the plan.
    pub what: Number,
    /// What it is.
    pub given: u64,
    /// The least that it may be.
    pub least: u64,
    /// The most that it may be.
    pub most: u64,
}

/// Degrees of freedom whose quantiles of Student's t the program has in a table.
const TABLED: u64 = 20;

/// A number of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The length of a ping, in bytes.
    Message,
    /// Round trips of a sample.
    RoundTrips,
    /// Samples of the first set.
    Samples,
    /// Samples of the largest set.
    MostSamples,
    /// The threshold, in millionths.
    Threshold,
    /// Pairs at once.
    AtOnce,
}

const MOST_BYTES: u64 = 1 << 30;
const MOST_ROUND_TRIPS: u64 = 1_000_000;
const MOST_SAMPLES: u64 = Plan::MOST as u64;
const MOST_THRESHOLD: u64 = 1_000_000;
const MOST_AT_ONCE: u64 = 1_000_000;

impl RttProgram<'_> {
    /// Checks that the program would take the plan.
    ///
    /// # Errors
    /// The first [`BadNumber`].
    pub fn check(plan: &Plan) -> Result<(), BadNumber> {
        let first = u64::from(plan.first);
        let at_once = match plan.schedule {
            Schedule::Sequence => 1,
            Schedule::AtOnce(pairs) => u64::from(pairs),
        };
        let numbers = [
            (Number::Message, plan.message.0, 1, MOST_BYTES),
            (Number::RoundTrips, u64::from(plan.round_trips), 1, MOST_ROUND_TRIPS),
            (Number::Samples, first, 2, MOST_SAMPLES),
            (Number::MostSamples, u64::from(plan.most), first, MOST_SAMPLES),
            (Number::Threshold, u64::from(plan.threshold_ppm), 0, MOST_THRESHOLD),
            (Number::AtOnce, at_once, 1, MOST_AT_ONCE),
        ];
        let bad = numbers.into_iter().find(|(_, given, least, most)| !(*least..=*most).contains(given));
        bad.map_or(Ok(()), |(what, given, least, most)| Err(BadNumber { what, given, least, most }))
    }

    /// The program's name.
    pub fn name(&self) -> String {
        format!("{}_rtt", self.prefix)
    }

    /// Writes the program, its Makefile and how to run it; the same text for the same plan.
    pub fn files(&self) -> Vec<Source> {
        let Plan { message, round_trips, first, most, threshold_ppm, schedule } = self.plan;
        let at_once = match schedule {
            Schedule::Sequence => 0,
            Schedule::AtOnce(pairs) => pairs,
        };
        let plan = format!("{}, {round_trips}, {first}, {most}, {threshold_ppm}, {at_once}", message.0);
        // 0.2 ms a round trip: five of them a millisecond.
        let seconds = (32 * 31 * u64::from(first) * u64::from(round_trips)).div_ceil(5_000);
        let values = [
            ("prefix", self.prefix.to_string()),
            ("PREFIX", self.prefix.in_capitals()),
            ("mark", MARK.trim_start_matches("# ").to_owned()),
            ("plan", plan),
            ("student", table((1..=TABLED).map(|degrees| as_decimal(quantile_ppm(degrees))))),
            ("samples", first.to_string()),
            ("round_trips", round_trips.to_string()),
            ("duration", format!("{seconds} s")),
            ("most_bytes", MOST_BYTES.to_string()),
            ("most_round_trips", MOST_ROUND_TRIPS.to_string()),
            ("most_samples", MOST_SAMPLES.to_string()),
            ("most_threshold", MOST_THRESHOLD.to_string()),
            ("most_at_once", MOST_AT_ONCE.to_string()),
            ("check", include_str!("rtt/check.c").to_owned()),
        ];
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let file = |name: String, template| Source { name, text: fill(template, &values) };
        vec![
            file(format!("{}.c", self.name()), include_str!("rtt/program.c")),
            file(MAKEFILE.to_owned(), include_str!("rtt/Makefile.txt")),
            file("README.txt".to_owned(), include_str!("rtt/README.txt")),
        ]
    }
}

/// Millionths as a decimal number.
fn as_decimal(ppm: u64) -> String {
    format!("{}.{:06}", ppm / 1_000_000, ppm % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::units::Bytes;

    /// Wrong if a template kept a gap, a line grew too long, or the plan were not in the program.
    #[test]
    fn the_plan_is_filled_in() {
        let prefix = Prefix::new("lab").unwrap();
        let plan = Plan { schedule: Schedule::AtOnce(4), ..Plan::default() };
        let files = RttProgram { prefix: &prefix, plan }.files();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["lab_rtt.c", MAKEFILE, "README.txt"]);
        assert!(files[0].text.contains("plan[CHOICES] = {1400, 5, 26, 1000, 30000, 4, 0, 0};"));
        assert!(files[0].text.contains("getenv(\"LAB_MACHINE\")"));
        assert_eq!(files[1].text.lines().next(), Some(MARK));
        for file in &files {
            assert!(file.text.is_ascii() && file.text.lines().all(|line| line.len() <= 120), "{}", file.name);
            let gaps = file.text.matches('@').count();
            assert_eq!(gaps, if file.name == MAKEFILE { 1 } else { 0 }, "{}", file.name);
        }
    }

    /// Wrong if the program were given defaults that it refuses on its command line.
    #[test]
    fn a_plan_is_what_the_program_takes() {
        assert_eq!(RttProgram::check(&Plan::default()), Ok(()));
        let plan = Plan::default();
        for (plan, what) in [
            (Plan { message: Bytes(0), ..plan }, Number::Message),
            (Plan { message: Bytes(u64::MAX), ..plan }, Number::Message),
            (Plan { round_trips: 0, ..plan }, Number::RoundTrips),
            (Plan { first: 1, ..plan }, Number::Samples),
            (Plan { first: 30, most: 29, ..plan }, Number::MostSamples),
            (Plan { most: 1_001, ..plan }, Number::MostSamples),
            (Plan { threshold_ppm: 1_000_001, ..plan }, Number::Threshold),
            (Plan { schedule: Schedule::AtOnce(0), ..plan }, Number::AtOnce),
        ] {
            assert_eq!(RttProgram::check(&plan).unwrap_err().what, what);
        }
    }

    /// Wrong if the program and the simulation decided by other quantiles of Student's t.
    #[test]
    fn quantiles_are_those_of_the_simulation() {
        let prefix = Prefix::new("lab").unwrap();
        let program = RttProgram { prefix: &prefix, plan: Plan::default() }.files().remove(0).text;
        assert!(program.contains("    12.706205, 4.302653, 3.182446,"), "{program}");
        let line = program.lines().find(|line| line.contains("/ v) / v")).unwrap();
        let numbers = line.split(|c: char| !c.is_ascii_digit() && c != '.');
        let terms: Vec<f64> =
            numbers.filter(|text| text.len() > 3).map(|text| text.parse().unwrap()).collect();
        assert_eq!(terms.len(), 5, "{line}");
        for degrees in [21, 25, 51, 103, 999] {
            let v = degrees as f64;
            let ours = terms.iter().rev().copied().reduce(|sum, term| term + sum / v).unwrap();
            assert!((ours * 1e6 - quantile_ppm(degrees) as f64).abs() < 1.0, "{degrees}: {ours}");
        }
    }
}
