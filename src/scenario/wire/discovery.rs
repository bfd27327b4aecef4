//! The `[discovery]` section: what is measured, what disturbs it, and what is inferred.

use serde_json::Value as Schema;

use super::allgather::Overheads;
use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{self, Choice, FileName};
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema};
use crate::diagnostics::Diagnostics;
use crate::discovery::Method;
use crate::tree::Item;
use simnet_base::units::{Bytes, Duration};

use Presence::{Default, Optional, Required};

/// An amount of data.
type Amount = kinds::Quantity<Bytes>;
/// A span of time.
type Span = kinds::Quantity<Duration>;

table! {
    /// Switches found from round-trip times that the machines measure on the Ethernet: every method infers them from
    /// the same matrix.
    "[discovery]" Discovery {
        /// How many pairs measure at the same time, no machine in two of them, 1 to 256.
        at_once: u32 = Default("1");
        /// How much of `[discovery.noise]` there is, in per cent, 0 to 10000.
        noise_percent: u32 = Default("100");
        /// The length of a ping's and of an answer's data: a single frame.
        message: Amount = Default("'1400 B'");
        /// Round trips of a sample, 1 to 1000.
        round_trips: u32 = Default("5");
        /// Samples of the first set, 2 to 1000; each further set has twice as many.
        samples: u32 = Default("26");
        /// The most samples of a set, `samples` to 1000.
        most_samples: u32 = Default("1000");
        /// The greatest width of the 95 % confidence interval over the mean that is trusted, above 0.
        threshold: kinds::Share = Default("'3 %'");
        /// What software costs.
        software: PingSoftware = Default("{}");
        /// What disturbs measurements.
        noise: Noise = Default("{}");
        /// Machines whose software is slower or faster than that of the others.
        paces: Vec<Located<Pace>> = Default("[]");
        /// A CSV with round-trip times, relative to the scenario's folder, instead of measuring.
        matrix: FileName = Optional;
        /// Round-trip times by a formula, instead of measuring.
        made_up: MadeUp = Optional;
        /// How switches are inferred: as the paper does, classes apart by half of their range; the same with their
        /// whole range; with classes by k-means; or by the tree that fits all times together.
        methods: Vec<Located<Method>> = Default("['paper', 'sturdy']");
        /// What the methods know in addition to the times.
        inference: Inference = Default("{}");
        /// What computing takes on machine 0: constants, never the time that it takes here.
        compute: Compute = Default("{}");
        /// Whether summary.json has the matrix too, as `discovery.rtt_ms`: then it is a column of sweeps.
        keep_matrices: bool = Default("false");
    }
}

table! {
    /// What software costs at either end of a ping or an answer.
    "[discovery.software]" PingSoftware {
        ..costs: Overheads;
        /// The library's header before the data of every message, at most 64 KiB.
        envelope: Amount = Default("'0 B'");
        /// What the tool does between two pings on the machine that measures, at most 1 s; no part of a round trip.
        pause: Span = Default("'0 ns'");
    }
}

table! {
    /// What disturbs measurements; all of it is none if not given.
    "[discovery.noise]" Noise {
        /// How much a piece of software's work may take more or less, each time anew, at most `"100 %"`.
        jitter: kinds::Share = Default("'0 %'");
        /// How often a piece of work is interrupted.
        outliers: kinds::Share = Default("'0 %'");
        /// How long an interruption takes on average, at most 1 s.
        outlier_mean: Span = Default("'100 us'");
        /// How far a machine's pace drifts from the usual, at most `"100 %"`.
        drift: kinds::Share = Default("'0 %'");
        /// How long a machine keeps a pace before it has another, 1 us to 1000 s.
        drift_period: Span = Default("'1000 ms'");
        /// What every machine also sends, to machines drawn by chance: the share of the time in which its cable is
        /// busy, at most `"95 %"`.
        background: kinds::Share = Default("'0 %'");
        /// The data of a message of that traffic, 1 B to 64 KiB.
        background_message: Amount = Default("'1400 B'");
    }
}

table! {
    /// A machine whose software is slower or faster than that of the others.
    "[[discovery.paces]]" Pace {
        /// The machine.
        machine: String = Required;
        /// What its software takes, in times of what it takes on the others, 0.01 to 100.
        takes: f64 = Required;
    }
}

table! {
    /// What methods know in addition to the matrix.
    "[discovery.inference]" Inference {
        /// Times closer than that are one class at first; a microsecond for every round trip of a sample if not given.
        measurement_noise: Span = Optional, ABOVE_ZERO;
        /// How many times as far apart as wide classes must be, 0.001 to 1000.
        inter_threshold: f64 = Default("4");
        /// How many classes k-means makes, 1 to 1000; as many as fit best if not given.
        classes: u32 = Optional;
        /// Whether the methods know what one more switch adds to a round trip: it follows from the rate and the length
        /// of a ping.
        step_is_known: bool = Default("false");
        /// Pairs of machines whose hop counts are known.
        known: Vec<Located<KnownPair>> = Default("[]");
    }
}

table! {
    /// Two machines whose hop count is known.
    "[[discovery.inference.known]]" KnownPair {
        /// One machine.
        a: String = Required;
        /// The other.
        b: String = Required;
        /// The switches between them: 1 on the same switch.
        hops: u32 = Required;
    }
}

table! {
    /// What computing takes on machine 0.
    "[discovery.compute]" Compute {
        /// Classes and hop counts, whatever the number of machines, at most 1000 s.
        clustering: Span = Default("'0 ns'");
        /// The same for every round-trip time, at most 1 ms.
        clustering_per_rtt: Span = Default("'0 ns'");
        /// The tree, whatever the number of machines, at most 1000 s.
        tree: Span = Default("'0 ns'");
        /// The same for every round-trip time, at most 1 ms.
        tree_per_rtt: Span = Default("'0 ns'");
    }
}

table! {
    /// Round-trip times that are made up: over h switches constant + step (h + 1), and noise.
    "[discovery.made-up]" MadeUp {
        /// What a round trip takes in addition to its cables, at most 1 s.
        constant: Span = Default("'85 us'"), ABOVE_ZERO;
        /// What one more switch adds, at most 1 s.
        step: Span = Default("'23.62 us'"), ABOVE_ZERO;
        /// The standard deviation of a round-trip time, as a share of `step`, at most `"1000 %"`.
        noise: kinds::Share = Required;
    }
}

impl Choice for Method {
    const CHOICES: &'static [(&'static str, Method)] = &[
        ("paper", Method::Paper),
        ("paper-range", Method::PaperRange),
        ("k-means", Method::KMeans),
        ("sturdy", Method::Sturdy),
    ];
}
