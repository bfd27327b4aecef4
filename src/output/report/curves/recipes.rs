//! Which curves a table gives: what is on the axes, what distinguishes series.

/// How curves come out of a table.
#[derive(Clone, Debug)]
pub struct Recipe<'a> {
    /// The table: a file name without `.csv`.
    pub table: &'a str,
    /// It is this recipe's if it has this column.
    pub mark: &'a str,
    /// What stands above.
    pub title: &'a str,
    /// What to look for.
    pub about: &'a str,
    /// Columns that may lie along the horizontal axis; the first with several values does.
    pub x: &'a [&'a str],
    /// Columns that may lie along the vertical axis, to be chosen from.
    pub y: &'a [Quantity<'a>],
    /// Columns whose values distinguish panels; one is shown at a time.
    pub panels: &'a [&'a str],
    /// Columns whose values distinguish series.
    pub series: &'a [&'a str],
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic at first.
    pub log_y: bool,
    /// Whether a line shows where both axes say the same.
    pub diagonal: bool,
    /// Whether lines join marks in the order of the table, and not along the horizontal axis.
    pub in_order: bool,
    /// A column with places on the horizontal axis that an upright line marks, and what the line is called.
    pub rule: Option<(&'a str, &'a str)>,
    /// What hollow marks are; if empty, values that are saturated or not converged.
    pub hollow: &'a str,
}

/// A column with the ends of its values.
#[derive(Clone, Copy, Debug)]
pub struct Quantity<'a> {
    /// The column.
    pub column: &'a str,
    /// How they are known.
    pub ends: Ends<'a>,
}

/// The ends of a value.
#[derive(Clone, Copy, Debug)]
pub enum Ends<'a> {
    /// None.
    Unknown,
    /// A column with half the width of the interval.
    HalfWidth(&'a str),
    /// Columns with the ends themselves.
    Columns(&'a str, &'a str),
}

impl<'a> Quantity<'a> {
    /// A column without ends.
    pub const fn plain(column: &'a str) -> Quantity<'a> {
        Quantity { column, ends: Ends::Unknown }
    }
}

impl Recipe<'_> {
    /// A recipe of nothing.
    pub const NOTHING: Recipe<'static> = Recipe {
        table: "",
        mark: "",
        title: "",
        about: "",
        x: &[],
        y: &[],
        panels: &[],
        series: &[],
        log_x: false,
        log_y: false,
        diagonal: false,
        in_order: false,
        rule: None,
        hollow: "",
    };
}

const ACCEPTED: &str = "accepted_flits_per_cycle_per_host";
const OFFERED: &str = "offered_flits_per_cycle_per_host";

/// All recipes, in the order of the page.
pub const RECIPES: &[Recipe<'_>] = &[
    Recipe {
        table: "points",
        mark: "latency_half_width_ns",
        title: "Latency against accepted traffic",
        about: "From creation to the arrival of the last flit. The curve turns up where the network fills; beyond \
                saturation latency only tells how long was measured. The band is the 95 % interval of the mean.",
        x: &[ACCEPTED],
        in_order: true,
        y: &[
            Quantity { column: "latency_mean_ns", ends: Ends::HalfWidth("latency_half_width_ns") },
            Quantity::plain("latency_p50_ns"),
            Quantity::plain("latency_p99_ns"),
            Quantity::plain("network_latency_mean_ns"),
        ],
        ..Recipe::NOTHING
    },
    Recipe {
        table: "points",
        mark: "latency_half_width_ns",
        title: "Accepted against offered traffic",
        about: "Below saturation what is offered is accepted, on the broken line.",
        x: &[OFFERED],
        y: &[Quantity::plain(ACCEPTED)],
        diagonal: true,
        ..Recipe::NOTHING
    },
    Recipe {
        table: "points",
        mark: "routing",
        title: "Latency against accepted traffic, by routing",
        about: "The further right a curve turns up, the more the routing gets out of the same network.",
        x: &[ACCEPTED],
        in_order: true,
        y: &[Quantity::plain("latency_mean_ns"), Quantity::plain("latency_p99_ns")],
        panels: &["switches", "seed"],
        series: &["routing"],
        ..Recipe::NOTHING
    },
    Recipe {
        table: "points",
        mark: "routing",
        title: "Accepted against offered traffic, by routing",
        about: "Where a curve leaves the broken line, its routing is saturated.",
        x: &[OFFERED],
        y: &[Quantity::plain(ACCEPTED)],
        panels: &["switches", "seed"],
        series: &["routing"],
        diagonal: true,
        ..Recipe::NOTHING
    },
    Recipe {
        table: "warmup",
        mark: "warmup_end_ns",
        title: "From the start of each load point on",
        about: "Messages count when their last flits arrive. What comes before the upright line is warm-up, and not \
                measured.",
        x: &["begin_ns"],
        y: &[Quantity::plain("latency_mean_ns"), Quantity::plain(ACCEPTED)],
        panels: &["load"],
        rule: Some(("warmup_end_ns", "warm-up ends")),
        ..Recipe::NOTHING
    },
    Recipe {
        table: "operation",
        mark: "from_ms",
        title: "Traffic in the course of time",
        about: "While parts fail and return. Hollow: messages were lost in that interval.",
        x: &["from_ms"],
        y: &[
            Quantity::plain("accepted_flits_per_cycle_per_sender"),
            Quantity::plain("delivered"),
            Quantity::plain("lost"),
            Quantity::plain("latency_mean_us"),
        ],
        hollow: "hollow: messages were lost",
        ..Recipe::NOTHING
    },
    Recipe {
        table: "mappings",
        mark: "time_mean_ms",
        title: "Time of a mapping",
        about: "Whiskers go from the fastest run to the slowest.",
        x: &["load_flits_per_cycle_per_host", "answering", "retries", "hosts", "switches"],
        y: &[
            Quantity { column: "time_mean_ms", ends: Ends::Columns("time_min_ms", "time_max_ms") },
            Quantity::plain("sent"),
            Quantity::plain("right_and_sure"),
            Quantity::plain("wrong_and_sure"),
        ],
        series: &["variant", "network", "answering", "retries"],
        ..Recipe::NOTHING
    },
    Recipe {
        table: "growth",
        mark: "variant",
        title: "The mapper's model as it grows",
        about: "Nodes of the model rise while switches are found, and fall while equal ones are merged.",
        x: &["exploration"],
        y: &[Quantity::plain("nodes"), Quantity::plain("edges"), Quantity::plain("frontier")],
        panels: &["network"],
        series: &["network", "variant", "answering", "load_flits_per_cycle_per_host"],
        ..Recipe::NOTHING
    },
];
