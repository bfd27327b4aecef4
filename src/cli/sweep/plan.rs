//! `simnet sweep plan`: the points of a sweep, printed as they are found.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::run::prepare;
use super::{Source, points};
use crate::cli::output::is_quiet;
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::numbers::span;
use simnet_running::sweep::{Plan as _, Points as _, Scenarios};

#[derive(Args)]
pub(in crate::cli) struct Options {
    #[command(flatten)]
    source: Source,
    /// Also make this folder ready for `simnet sweep work`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How many points a thread prints at a time, and how many such chunks are in memory at once.
const CHUNK: usize = 2_048;
const CHUNKS: usize = 16;

/// How many digits of a key people see.
const DIGITS: usize = 12;

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let described = options.source.read(common.seed)?;
    if let Some(folder) = &options.out {
        prepare(folder, &described, common)?;
    }
    let plan = described.plan;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let printed = match common.format {
        Format::Human if is_quiet() => Ok(()),
        Format::Human => print_human(&plan, &mut out),
        Format::Json => print_json(&plan, options.source.quick, &mut out),
    };
    match printed.and_then(|()| out.flush()) {
        // A reader that stops early is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is still in the buffer cannot go anywhere.
            let _ = out.into_parts();
            Ok(Exit::Fine)
        }
        Err(error) => Err(Failure::Io { path: "stdout".to_owned(), error }),
        Ok(()) => Ok(Exit::Fine),
    }
}

fn print_human(plan: &Scenarios, out: &mut dyn Write) -> io::Result<()> {
    let cost: f64 = (0..plan.len()).map(|point| plan.cost(point)).sum::<f64>() + 0.0;
    writeln!(out, "{}: {}, about {} of one core", plan.name(), points(plan.len()), span(cost))?;
    let widths = widths(plan);
    let last = plan.len().saturating_sub(1).to_string().len().max("point".len());
    let mut header = format!("\n{:>last$}  {:<DIGITS$}", "point", "key");
    for (axis, width) in plan.axes().iter().zip(&widths) {
        let _ = write!(header, "  {axis:<width$}");
    }
    writeln!(out, "{header}  {:>6}  {:>9}", "seed", "cost (s)")?;
    each_chunk(plan, out, |chunk, text| {
        for point in chunk {
            let _ = write!(text, "{point:>last$}  {}", &plan.key(point).to_hex()[..DIGITS]);
            for (value, width) in plan.values(point).iter().zip(&widths) {
                let _ = write!(text, "  {value:<width$}");
            }
            let _ = writeln!(text, "  {:>6}  {:>9.3}", plan.seed(point), plan.cost(point));
        }
    })
}

/// The width of each axis's column: that of its name and of the values of some points from all over the plan.
fn widths(plan: &Scenarios) -> Vec<usize> {
    const LOOKED_AT: usize = 2_000;
    let mut widths: Vec<usize> = plan.axes().iter().map(|axis| axis.chars().count()).collect();
    let step = plan.len().div_ceil(LOOKED_AT).max(1);
    for point in (0..plan.len()).step_by(step) {
        for (width, value) in widths.iter_mut().zip(plan.values(point)) {
            *width = (*width).max(value.chars().count());
        }
    }
    widths
}

fn print_json(plan: &Scenarios, quick: bool, out: &mut dyn Write) -> io::Result<()> {
    let (name, axes) = (Value::from(plan.name()), json!(plan.axes()));
    write!(
        out,
        "{{\"sweep\":{name},\"quick\":{quick},\"count\":{},\"axes\":{axes},\"points\":[",
        plan.len()
    )?;
    each_chunk(plan, out, |chunk, text| {
        for point in chunk {
            let comma = if point == 0 { "" } else { "," };
            let (key, seed) = (plan.key(point).to_hex(), plan.seed(point));
            let _ = write!(text, "{comma}\n{{\"point\":{point},\"key\":\"{key}\",\"values\":{{");
            for (nth, (axis, value)) in plan.axes().iter().zip(plan.values(point)).enumerate() {
                let comma = if nth == 0 { "" } else { "," };
                let _ = write!(text, "{comma}{}:{}", Value::from(axis.as_str()), Value::from(value));
            }
            let cost = Value::from(plan.cost(point));
            let _ = write!(text, "}},\"seed\":{seed},\"cost_s\":{cost}}}");
        }
    })?;
    let cost: f64 = (0..plan.len()).map(|point| plan.cost(point)).sum::<f64>() + 0.0;
    writeln!(out, "\n],\"cost_s\":{}}}", Value::from(cost))
}

/// Prints chunks of points on all cores, and writes them in their order.
fn each_chunk(
    plan: &Scenarios,
    out: &mut dyn Write,
    print: impl Fn(Range<usize>, &mut String) + Sync,
) -> io::Result<()> {
    let chunks = plan.len().div_ceil(CHUNK);
    for first in (0..chunks).step_by(CHUNKS) {
        let some = first..(first + CHUNKS).min(chunks);
        let of = |chunk: usize| {
            let mut text = String::new();
            print(chunk * CHUNK..((chunk + 1) * CHUNK).min(plan.len()), &mut text);
            text
        };
        let texts: Vec<String> = some.into_par_iter().map(of).collect();
        for text in texts {
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}
