//! `simnet sweep status`: what is done, from the shards and nothing else.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::{of_folder, points, warn_of_damage};
use crate::cli::output::{print, print_json};
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::numbers::span;
use simnet_running::sweep::{Points as _, ShardContents};

#[derive(Args)]
pub(in crate::cli) struct Options {
    /// The sweep's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let (plan, store) = of_folder(&options.folder)?;
    let known = store.known()?;
    warn_of_damage(known.damage(), true);
    let (mut done, mut failed, mut cost, mut cost_left) = (0, 0, 0.0, 0.0);
    for (point, key) in plan.keys(0..plan.len()).into_iter().enumerate() {
        cost += plan.cost(point);
        match known.find(&key) {
            None => cost_left += plan.cost(point),
            Some(record) if record.failed => failed += 1,
            Some(_) => done += 1,
        }
    }
    let missing = plan.len() - done - failed;
    let has_table = options.folder.join("points.csv").is_file();
    if common.format == Format::Json {
        let shards: Vec<Value> = known.shards().iter().map(shard).collect();
        print_json(&json!({
            "sweep": plan.name(), "quick": store.identity().quick, "points": plan.len(), "done": done,
            "failed": failed, "missing": missing, "cost_s": cost, "cost_left_s": cost_left,
            "points_csv": has_table, "shards": shards,
        }))?;
        return Ok(Exit::Fine);
    }
    let quick = if store.identity().quick { ", the quick form" } else { "" };
    let mut text = format!("{}{quick}: {}\n", plan.name(), points(plan.len()));
    let _ = writeln!(text, "  done     {done}\n  failed   {failed}\n  missing  {missing}");
    if missing > 0 {
        let _ = writeln!(text, "  left     about {} of one core", span(cost_left));
    }
    let table = if has_table { "points.csv is there" } else { "no points.csv yet" };
    let _ = writeln!(text, "  table    {table}");
    if !known.shards().is_empty() {
        let _ = writeln!(text, "Shards: lines, damaged lines");
    }
    for shard in known.shards() {
        let _ = writeln!(text, "  {:>7} {:>4}  {}", shard.lines, shard.damaged, name(shard));
    }
    print(&text)?;
    Ok(Exit::Fine)
}

fn shard(shard: &ShardContents) -> Value {
    json!({"file": name(shard), "lines": shard.lines, "damaged": shard.damaged})
}

fn name(shard: &ShardContents) -> String {
    shard.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
