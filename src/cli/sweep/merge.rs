//! `simnet sweep merge`: the table of all points, once all are done.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{ended, of_folder, points, warn_of_damage, warn_of_failures};
use crate::cli::interrupt::Interruptions;
use crate::cli::output::{print, print_json};
use crate::cli::places::tidy;
use crate::cli::{Common, Exit, Failure, Format, complain};
use simnet_base::diagnostics::shown;
use simnet_running::sweep::{Points as _, Store};

#[derive(Args)]
pub(in crate::cli) struct Options {
    /// The sweep's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the manifest tells how long the merge took")]
    let begun = std::time::Instant::now();
    let (plan, store) = of_folder(&options.folder)?;
    Store::making_places(&options.folder).iter().for_each(|place| tidy(place, common.quiet));
    let merge = || super::merge(&plan, &store, 0, begun.elapsed().as_secs_f64());
    let (merged, interrupted) = interruptions.hold(merge);
    let (merged, holds) = merged?;
    warn_of_damage(&merged.damage, true);
    warn_of_failures(&merged);
    if common.format == Format::Json {
        print_json(&json!({
            "sweep": plan.name(), "points": merged.points, "failed": merged.failed, "missing": merged.missing,
        }))?;
    }
    if merged.missing > 0 {
        let (missing, all) = (merged.missing, points(merged.points));
        complain(&format!("{missing} of {all} are missing: no points.csv is written before all are done"));
        return Ok(Exit::Expectation);
    }
    if common.format == Format::Human {
        let place = options.folder.join("points.csv");
        print(&format!("{}: {}, {} failed\n", shown(&place), points(merged.points), merged.failed))?;
    }
    Ok(if interrupted { Exit::Interrupted } else { ended(merged.failed, merged.ends, holds) })
}
