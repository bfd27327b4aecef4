//! `simnet codegen rtt`: a program that measures round-trip times on machines that exist.

use clap::Args;
use serde::Serialize;

use simnet_base::units::{Bytes, Unit as _};
use simnet_media::host::rtt::{Plan, Schedule};
use simnet_output::codegen::{Number, RttProgram};

use super::Place;
use crate::cli::output::{columns, print, print_json};
use crate::cli::places::Places;
use crate::cli::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// The length of a ping and of its answer [default: 1400 B]
    #[arg(long, value_name = "BYTES")]
    message: Option<String>,
    /// Round trips of a sample [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    round_trips: Option<u32>,
    /// Samples of the first set; every further set has twice as many [default: 26]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    samples: Option<u32>,
    /// Samples of the largest set, which is used whatever its spread [default: 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    most_samples: Option<u32>,
    /// The width of the 95 % confidence interval that is trusted, as a share of the mean [default: 3 %]
    #[arg(long, value_name = "SHARE")]
    threshold: Option<String>,
    /// Disjoint pairs that measure at the same time [default: each ordered pair alone, one after the other]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    at_once: Option<u32>,
}

/// What was written.
#[derive(Serialize)]
struct Written {
    program: String,
    folder: String,
    files: Vec<String>,
    message_bytes: u64,
    round_trips: u32,
    samples: u32,
    most_samples: u32,
    threshold_percent: f64,
    /// `null` where each ordered pair measures alone, one after the other.
    at_once: Option<u32>,
}

/// Writes the folder.
pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let prefix = options.place.prefix()?;
    let plan = options.plan()?;
    let program = RttProgram { prefix: &prefix, plan };
    let written = Written {
        program: program.name(),
        folder: options.place.name(),
        files: options.place.write(program.files(), Places::new(), common)?,
        message_bytes: plan.message.0,
        round_trips: plan.round_trips,
        samples: plan.first,
        most_samples: plan.most,
        threshold_percent: f64::from(plan.threshold_ppm) / 1e4,
        at_once: options.at_once,
    };
    match common.format {
        Format::Json => print_json(&written)?,
        Format::Human => print(&human(&written))?,
    }
    Ok(Exit::Fine)
}

impl Options {
    fn plan(&self) -> Result<Plan, Failure> {
        let paper = Plan::default();
        let plan = Plan {
            message: self.message.as_deref().map_or(Ok(paper.message), message)?,
            round_trips: self.round_trips.unwrap_or(paper.round_trips),
            first: self.samples.unwrap_or(paper.first),
            most: self.most_samples.unwrap_or(paper.most),
            threshold_ppm: self.threshold.as_deref().map_or(Ok(paper.threshold_ppm), threshold)?,
            schedule: self.at_once.map_or(Schedule::Sequence, Schedule::AtOnce),
        };
        RttProgram::check(&plan).map_err(|bad| {
            if bad.what == Number::Threshold {
                return Failure::Usage("`--threshold` must be from 0 % to 100 %".to_owned());
            }
            let (option, unit) = match bad.what {
                Number::Message => ("--message", " bytes"),
                Number::RoundTrips => ("--round-trips", ""),
                Number::Samples => ("--samples", ""),
                Number::MostSamples => ("--most-samples", ""),
                Number::Threshold => ("--threshold", ""),
                Number::AtOnce => ("--at-once", ""),
            };
            Failure::Usage(format!("`{option}` {bad}{unit}"))
        })?;
        Ok(plan)
    }
}

fn message(text: &str) -> Result<Bytes, Failure> {
    Bytes::parse(text).map_err(|error| Failure::Usage(format!("`--message {text}`: {error}")))
}

/// A share in per cent as millionths, four digits behind the point at most.
fn threshold(text: &str) -> Result<u32, Failure> {
    let number = text.trim().strip_suffix('%').map(str::trim_end);
    let (whole, behind) =
        number.map(|number| number.split_once('.').unwrap_or((number, ""))).unwrap_or_default();
    let is_plain =
        !whole.is_empty() && behind.len() <= 4 && !number.is_some_and(|number| number.ends_with('.'));
    let digits = format!("{whole}{behind:0<4}");
    let millionths = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    millionths.filter(|_| is_plain).ok_or_else(|| {
        let wanted = "a share in per cent with four digits behind the point at most, as in \"3 %\"";
        Failure::Usage(format!("`--threshold {text}`: not {wanted}"))
    })
}

fn human(written: &Written) -> String {
    columns([
        ("program", written.program.clone()),
        ("message, bytes", written.message_bytes.to_string()),
        ("round trips of a sample", written.round_trips.to_string()),
        ("samples", format!("{}, doubled up to {}", written.samples, written.most_samples)),
        ("95 % interval", format!("{} % of the mean at most", written.threshold_percent)),
        (
            "pairs",
            match written.at_once {
                None => "one after the other".to_owned(),
                Some(pairs) => format!("{pairs} at once"),
            },
        ),
        ("folder", written.folder.clone()),
        ("files", written.files.join(" ")),
        ("next", "make && make check in that folder, then README.txt".to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a share were read as another, or something that is none were taken.
    #[test]
    fn shares_are_exact() {
        for (text, ppm) in
            [("3 %", 30_000), ("0.5%", 5_000), ("100 %", 1_000_000), ("0.0001 %", 1), ("0 %", 0)]
        {
            assert_eq!(threshold(text).ok(), Some(ppm), "{text}");
        }
        for text in [
            "3",
            "",
            "%",
            " %",
            "-3 %",
            "3,5 %",
            "3. %",
            ".5 %",
            "1e3 %",
            "0.00001 %",
            "99999999999 %",
            "3 % %",
        ] {
            assert!(threshold(text).is_err(), "{text}");
        }
    }
}
