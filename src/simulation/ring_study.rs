//! Rings of a scenario: those of its own network, and those of random clusters, beside the papers' numbers.
//!
//! # Source
//! faraj2008, Fig. 5 and Fig. 11.
//!
//! # Validation
//! `tests/it/gather_scenarios.rs`: rows equal the study called by hand; Fig. 5's rings of 4 and 2 hops.

use std::fmt::Write as _;

use rayon::prelude::*;
use serde::Serialize;

use crate::diagnostics::legible_lines;
use crate::ids::Node;
use crate::report::{Axis, Chart, Layer, Mark, README_MARK, Table, draw_charts, markdown};
use crate::ring::{Algorithm, Kind, Tree, judge};
use crate::scenario::Checked;
use crate::scenario::rings::{Family, Reference, Rings};

use super::beside::{PaperReport, paper, paper_page, short};
use super::rings::{Row, Study, study};
use super::summary::{Outcome, Summary};
use super::{Progress, Run, RunError};
use crate::numbers::cell as maybe;

/// The object `rings` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct RingsReport {
    /// The rings of the scenario's own network, by tree and algorithm.
    pub network: Vec<RingReport>,
    /// Random clusters, by family, size, tree and algorithm.
    pub clusters: Vec<ClusterReport>,
    /// The printed numbers and ours.
    pub paper: Vec<PaperReport>,
}

/// A ring of the scenario's own network.
#[derive(Clone, Debug, Serialize)]
pub struct RingReport {
    /// The tree and the algorithm, with a slash between.
    pub id: String,
    /// How the tree was found.
    pub tree: &'static str,
    /// How the ring was found.
    pub algorithm: &'static str,
    /// The machines in ring order; none if there is no such ring.
    pub hosts: Option<Vec<String>>,
    /// The most switches that a message passes.
    pub max_path_length: Option<usize>,
    /// The least that this can be on that tree, as far as it is known.
    pub max_path_length_bound: Option<usize>,
    /// Whether no channel carries two messages.
    pub contention_free: Option<bool>,
    /// Why there is no such ring.
    pub refused: Option<String>,
}

/// The rings of random clusters of one size.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterReport {
    /// Family, machines, tree and algorithm, with slashes between.
    pub id: String,
    /// The family.
    pub family: &'static str,
    /// Machines of each cluster.
    pub machines: u64,
    /// Switches of each.
    pub switches: u64,
    /// How the trees were found.
    pub tree: &'static str,
    /// How the rings were found.
    pub algorithm: &'static str,
    /// Clusters.
    pub clusters: u32,
    /// Those on whose tree there is such a ring.
    pub rings: u32,
    /// Rings found free of contention, message by message.
    pub contention_free: u32,
    /// Rings known to be the best of their tree.
    pub best: u32,
    /// Rings whose longest path has three switches at most.
    pub at_most_three: u32,
    /// The mean of the longest paths, in switches.
    pub max_path_length_mean: Option<f64>,
    /// The shortest of them.
    pub max_path_length_min: u64,
    /// The longest of them.
    pub max_path_length_max: u64,
}

/// Finds all rings.
///
/// # Errors
/// [`RunError`] if there is no tree, or no such cluster.
pub(super) fn run(checked: &Checked, rings: &Rings, progress: &dyn Progress) -> Result<Run, RunError> {
    let network = own(checked, rings)?;
    progress.stage("finding rings", rings.families.len() as u64);
    let of_family = |family: &Family| {
        let rows = study(&Study {
            family: family.name(),
            degree: rings.degree,
            machines_per_switch: rings.machines_per_switch,
            sizes: rings.machines.clone(),
            instances: rings.instances,
            trees: rings.trees.clone(),
            algorithms: rings.algorithms.clone(),
            seed: checked.seed,
        });
        progress.step();
        Ok(rows?.iter().map(|row| ClusterReport::new(*family, row)).collect())
    };
    let clusters: Vec<Vec<ClusterReport>> =
        rings.families.par_iter().map(of_family).collect::<Result<_, RunError>>()?;
    let clusters = clusters.into_iter().flatten().collect();
    let mut report = RingsReport { network, clusters, paper: Vec::new() };
    report.paper = rings.references.iter().map(|reference| beside(&report, reference)).collect();
    let mut files = vec![("rings.csv".to_owned(), rings_table(&report))];
    if !report.clusters.is_empty() {
        files.push(("clusters.csv".to_owned(), clusters_table(&report)));
    }
    if !report.paper.is_empty() {
        files.push(("paper.csv".to_owned(), paper(&report.paper)));
    }
    files.extend(figures(checked, rings, &report));
    files.push(("README.md".to_owned(), readme(checked, &report, &files)));
    let summary = Summary { rings: Some(report), ..Summary::new(checked, Outcome::Drained) };
    Ok(Run { summary, files, latencies: Vec::new(), events: 0, messages_delivered: 0 })
}

/// The rings of the scenario's own network.
fn own(checked: &Checked, rings: &Rings) -> Result<Vec<RingReport>, RunError> {
    let network = &checked.topology.network;
    let root = Tree::first_root(network)?;
    let mut reports = Vec::new();
    for kind in &rings.trees {
        let tree = Tree::new(network, *kind, root, checked.seed)?;
        for algorithm in &rings.algorithms {
            let id = format!("{}/{}", kind.name(), algorithm.name());
            let (tree_name, name) = (kind.name(), algorithm.name());
            let none = RingReport {
                id,
                tree: tree_name,
                algorithm: name,
                hosts: None,
                max_path_length: None,
                max_path_length_bound: None,
                contention_free: None,
                refused: None,
            };
            reports.push(match algorithm.ring(&tree) {
                Ok(ring) => {
                    let name = |host: &_| network.name_of(Node::Host(*host)).to_owned();
                    RingReport {
                        contention_free: Some(judge(&tree, &ring.hosts).contention_free),
                        max_path_length: Some(ring.max_path_length),
                        max_path_length_bound: Some(ring.bound),
                        hosts: Some(ring.hosts.iter().map(name).collect()),
                        ..none
                    }
                }
                Err(refused) => {
                    let switch = network.name_of(Node::Switch(refused.switch));
                    let (machines, switches) = (refused.machines, refused.switches);
                    let why = format!("{switch} has {machines} machines and {switches} switches next to it");
                    RingReport { refused: Some(why), ..none }
                }
            });
        }
    }
    Ok(reports)
}

impl ClusterReport {
    fn new(family: Family, row: &Row) -> ClusterReport {
        let (family, tree, algorithm) = (family.name(), row.tree.name(), row.algorithm.name());
        ClusterReport {
            id: format!("{family}/{}/{tree}/{algorithm}", row.machines),
            family,
            machines: row.machines,
            switches: row.switches,
            tree,
            algorithm,
            clusters: row.instances,
            rings: row.rings,
            contention_free: row.contention_free,
            best: row.best,
            at_most_three: row.at_most_three,
            max_path_length_mean: row.mean(),
            max_path_length_min: row.min,
            max_path_length_max: row.max,
        }
    }
}

/// A printed number beside ours: the mean over all that the reference does not single out.
fn beside(report: &RingsReport, reference: &Reference) -> PaperReport {
    let fits = |tree: &str, algorithm: &str| {
        algorithm == reference.algorithm.name() && reference.tree.is_none_or(|kind| kind.name() == tree)
    };
    let lengths: Vec<f64> = match reference.family {
        None => {
            let own = report.network.iter().filter(|ring| fits(ring.tree, ring.algorithm));
            own.filter_map(|ring| Some(ring.max_path_length? as f64)).collect()
        }
        Some(family) => {
            let all = report.clusters.iter().filter(|row| row.family == family.name());
            let of_size = |row: &&ClusterReport| reference.machines.is_none_or(|size| size == row.machines);
            let rows = all.filter(of_size).filter(|row| fits(row.tree, row.algorithm));
            rows.filter_map(|row| row.max_path_length_mean).collect()
        }
    };
    let spread = super::Spread::of(&lengths);
    PaperReport::new(&reference.number, spread.map(|s| s.mean), spread.map(|s| (s.min, s.max)))
}

fn rings_table(report: &RingsReport) -> String {
    let columns =
        ["tree", "algorithm", "max_path_length", "max_path_length_bound", "contention_free", "refused"];
    let mut table = Table::new(&columns);
    for ring in &report.network {
        let count = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
        table.row([
            ring.tree.to_owned(),
            ring.algorithm.to_owned(),
            count(ring.max_path_length),
            count(ring.max_path_length_bound),
            ring.contention_free.map(|free| free.to_string()).unwrap_or_default(),
            ring.refused.clone().unwrap_or_default(),
        ]);
    }
    table.into_csv()
}

fn clusters_table(report: &RingsReport) -> String {
    let mut table = Table::new(&[
        "family",
        "machines",
        "switches",
        "tree",
        "algorithm",
        "clusters",
        "rings",
        "contention_free",
        "best",
        "at_most_three",
        "max_path_length_mean",
        "max_path_length_min",
        "max_path_length_max",
    ]);
    for row in &report.clusters {
        table.row([
            row.family.to_owned(),
            row.machines.to_string(),
            row.switches.to_string(),
            row.tree.to_owned(),
            row.algorithm.to_owned(),
            row.clusters.to_string(),
            row.rings.to_string(),
            row.contention_free.to_string(),
            row.best.to_string(),
            row.at_most_three.to_string(),
            maybe(row.max_path_length_mean),
            row.max_path_length_min.to_string(),
            row.max_path_length_max.to_string(),
        ]);
    }
    table.into_csv()
}

/// The longest paths against the size: of every family all algorithms in one figure, and each in one of its own.
fn figures(checked: &Checked, rings: &Rings, report: &RingsReport) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for family in rings.families.iter().map(|family| family.name()) {
        files.push((format!("{family}.svg"), figure(checked, rings, report, family, None)));
        for algorithm in &rings.algorithms {
            let svg = figure(checked, rings, report, family, Some(*algorithm));
            files.push((format!("{family}-{}.svg", algorithm.name()), svg));
        }
    }
    files
}

fn figure(
    checked: &Checked,
    rings: &Rings,
    report: &RingsReport,
    family: &str,
    only: Option<Algorithm>,
) -> String {
    let curve = |algorithm: &Algorithm, tree: &Kind| {
        let rows = report
            .clusters
            .iter()
            .filter(|row| (row.family, row.algorithm, row.tree) == (family, algorithm.name(), tree.name()));
        let mark = |row: &ClusterReport| Some(Mark::at(row.machines as f64, row.max_path_length_mean?));
        let mut marks: Vec<Mark> = rows.filter_map(mark).collect();
        marks.sort_by(|a, b| a.x.total_cmp(&b.x));
        Layer::line(&format!("{} on {} trees", algorithm.name(), tree.name()), marks)
    };
    let shown = rings.algorithms.iter().filter(|algorithm| only.is_none_or(|only| only == **algorithm));
    let curves = shown.flat_map(|algorithm| rings.trees.iter().map(move |tree| (algorithm, tree)));
    let chart = Chart {
        title: format!("{}: longest paths on {family} clusters", checked.name),
        x: Axis::from_zero("machines"),
        y: Axis::from_zero("longest path of the ring (switches), mean"),
        layers: curves.map(|(algorithm, tree)| curve(algorithm, tree)).collect(),
        ..Chart::default()
    };
    draw_charts(&[chart], 1)
}

/// The page of the folder.
fn readme(checked: &Checked, report: &RingsReport, files: &[(String, String)]) -> String {
    let mut text = format!("{README_MARK}\n# {}\n\n", checked.name);
    if let Some(description) = &checked.description {
        let _ = writeln!(text, "{}\n", legible_lines(description));
    }
    let _ =
        writeln!(text, "Made by `simnet run` of the scenario `{}` (seed {}).\n", checked.name, checked.seed);
    for (name, _) in files {
        let about = match name.as_str() {
            "rings.csv" => "the rings of the scenario's own network",
            "clusters.csv" => "the longest paths of rings on random clusters, by size, tree and algorithm",
            "paper.csv" => "the printed numbers, ours, and the deviation",
            _ => "a figure: the mean of the longest paths against the number of machines",
        };
        let _ = writeln!(text, "* `{name}`: {about}");
    }
    if !report.clusters.is_empty() {
        text.push_str(
            "\n| clusters | rings | free of contention | best | longest path, mean | least | greatest |\n",
        );
        text.push_str("|---|---|---|---|---|---|---|\n");
    }
    for row in &report.clusters {
        let _ = writeln!(
            text,
            "| {} | {} of {} | {} | {} | {} | {} | {} |",
            markdown(&row.id),
            row.rings,
            row.clusters,
            row.contention_free,
            row.best,
            row.max_path_length_mean.map_or_else(|| "-".to_owned(), short),
            row.max_path_length_min,
            row.max_path_length_max,
        );
    }
    text += &paper_page(&report.paper);
    text
}
