//! What the tables that simnet writes are called, and what they hold.

/// A table's heading.
#[derive(Clone, Copy)]
pub(super) struct Title {
    /// Its name for people; none for a table that simnet does not know.
    pub(super) words: Option<&'static str>,
    /// What a row is.
    pub(super) sentence: &'static str,
    /// Its place among the tables.
    pub(super) rank: usize,
    /// Whether it is long, and shown elsewhere in another form.
    is_long: bool,
}

impl Title {
    /// How many of so many bytes it may take.
    pub(super) const fn share(self, bytes: usize) -> usize {
        if self.is_long { bytes / 3 } else { bytes }
    }
}

/// All that simnet writes: file, name, what a row is.
const TITLES: [(&str, &str, &str); 23] = [
    (
        "channels",
        "Cables",
        "One row for each direction of a cable and each load: what it carried, and the shares of the time in \
            which a flit was put on it, in which a worm held it and nothing moved, and in which nobody held it.",
    ),
    (
        "hosts",
        "Hosts",
        "One row for each host and each load: what it sent and received, and what became of it.",
    ),
    ("points", "Load points", "One row for each load; of a sweep, for each point."),
    (
        "saturation",
        "Saturation",
        "The loads between which the network saturates, and the most that it accepted.",
    ),
    (
        "limits",
        "What limits a load",
        "One row for each resource that was made ample, the largest gain first: what was accepted then.",
    ),
    ("routes", "Routes", "The metrics of the routes."),
    ("paper", "Beside the paper", "The printed numbers and ours."),
    (
        "deadlocks",
        "Deadlocks",
        "One row for each deadlock: when it formed, who waits for whom, and what broke it.",
    ),
    ("deliveries", "Deliveries", "One row for each message: what became of it, and when."),
    (
        "series",
        "Cables over time",
        "One row for each load, interval and direction of a cable that a worm held in it: what it carried then.",
    ),
    (
        "warmup",
        "Warm-up",
        "One row for each load and stretch of time: what arrived, and where the warm-up ends.",
    ),
    ("discovery", "What was inferred", "One row for each method."),
    ("phases", "Phases", "How long measuring and inferring took."),
    (
        "operation",
        "Operation over time",
        "One row for each stretch of time: what was accepted, delivered and lost.",
    ),
    ("failures", "Failures", "One row for each failure and return."),
    ("deeds", "What the daemon did", "What the mapping daemon did, and when."),
    ("recovery", "Recovery", "One row for each loss from which something recovered."),
    ("growth", "The map's growth", "One row for each exploration of the mapper: what it knew after it."),
    (
        "growth-steps",
        "The map's steps",
        "One row for each step of the mapper's model: what was added, merged or pruned.",
    ),
    ("outages", "Outages", "One row for each stretch of time in which a cable was down."),
    (
        "map-confirmation",
        "Not confirmed",
        "One row for each cable or port of the map that was not confirmed.",
    ),
    ("rtt", "Round-trip times", "Milliseconds between each two machines."),
    ("latency_histograms", "Latency histograms", "One row for each class of latencies that occurred."),
];

/// The heading of a table by its file's name.
pub(super) fn title(stem: &str) -> Title {
    let known = TITLES.iter().position(|(file, ..)| *file == stem);
    // What is not known stands before the histograms, which are long and drawn elsewhere.
    let last = TITLES.len() - 1;
    match known {
        Some(place) => {
            let (_, words, sentence) = TITLES[place];
            let rank = if place == last { place + 1 } else { place };
            Title {
                words: Some(words),
                sentence,
                rank,
                is_long: place == last || ["rtt", "series"].contains(&stem),
            }
        }
        None => Title { words: None, sentence: "", rank: last, is_long: false },
    }
}
