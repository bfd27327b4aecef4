//! The discoveries of a run, as the figures read them.

use serde::Deserialize;

use super::Results;

/// The least, the mean and the greatest of a run's executions.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Spread {
    pub(super) min: f64,
    pub(super) mean: f64,
    pub(super) max: f64,
}

/// Times that belong to one hop count.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct TimeClass {
    pub(super) hops: u32,
    pub(super) low_ms: f64,
    pub(super) high_ms: f64,
}

/// The measurements of one cluster, as `summary.json` has them.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Measured {
    pub(super) id: String,
    pub(super) network: String,
    pub(super) rate_bits_per_s: Option<u64>,
    pub(super) at_once: u32,
    pub(super) noise_percent: u32,
    pub(super) total_s: Option<Spread>,
    pub(super) rtt_s: Option<Spread>,
    pub(super) clustering_s: f64,
    pub(super) tree_s: f64,
    pub(super) rtt_share: Option<f64>,
    pub(super) settled_first_share: Option<f64>,
    pub(super) samples_most: Option<u32>,
    pub(super) true_classes: Vec<TimeClass>,
}

/// Something that a method says beside the tree.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Told {
    pub(super) code: String,
    pub(super) text: String,
}

/// What a method made of the measurements of one cluster.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Inferred {
    pub(super) measurement: String,
    pub(super) method: String,
    pub(super) executions: u32,
    pub(super) recovered: u32,
    pub(super) recovered_share: Option<f64>,
    pub(super) without_tree: u32,
    pub(super) wrong_pairs_mean: Option<f64>,
    pub(super) hop_error_max: Option<u32>,
    pub(super) switches: Option<u32>,
    pub(super) classes: Vec<TimeClass>,
    pub(super) findings: Vec<Told>,
}

/// The share of clusters that a method recovered.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Share {
    pub(super) method: String,
    pub(super) noise_percent: u32,
    pub(super) executions: u32,
    pub(super) recovered: u32,
    pub(super) share: f64,
}

/// The share of made-up clusters that a method recovered.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Recovered {
    pub(super) method: String,
    pub(super) switches: u32,
    pub(super) noise_permille: u32,
    pub(super) clusters: u32,
    pub(super) recovered: u32,
    pub(super) refused: u32,
    pub(super) share: f64,
}

/// The list of the `nth` run's discoveries that has this name.
pub(super) fn list<T: for<'a> Deserialize<'a>>(results: &Results<'_>, nth: usize, name: &str) -> Vec<T> {
    let found = results.summary(nth).pointer("/discovery").and_then(|discovery| discovery.get(name));
    found.and_then(|found| Vec::deserialize(found).ok()).unwrap_or_default()
}

/// The methods as figures call them.
pub(super) fn method(name: &str) -> &str {
    match name {
        "paper" => "the paper's",
        "paper-range" => "the paper's text, taken literally",
        "sturdy" => "sturdy",
        other => other,
    }
}

impl Measured {
    /// The rate of its cables, as text: `100 Mb/s`.
    pub(super) fn rate(&self) -> String {
        match self.rate_bits_per_s {
            Some(1_000_000_000) => "1 Gb/s".to_owned(),
            Some(rate) => format!("{} Mb/s", rate / 1_000_000),
            None => String::new(),
        }
    }

    /// The cluster: `topology (3)` for `lawrence-3`, any other by its own name.
    pub(super) fn cluster(&self) -> String {
        match self.network.strip_prefix("lawrence-") {
            Some(number) => format!("topology ({number})"),
            None => self.network.clone(),
        }
    }
}
