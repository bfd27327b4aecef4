//! What stands out in round-trip times, or keeps an inference from being sure.

use simnet_base::units::Duration;

use super::Doubt;

/// Something that users of an inferred tree should know; machines are numbered as in the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Something about the inference as printed.
    Doubt(Doubt),
    /// All times are one class: every machine seems to be on one switch, or no two are.
    OneClass,
    /// No two machines share a switch: hop counts that take the shortest time for one switch are too small.
    NoPairOnOneSwitch,
    /// No two machines are two switches apart: hop counts that take the smallest gap for one switch are too small.
    NoPairTwoSwitchesApart,
    /// A machine whose round trips all take longer, or all less, than its place in the tree explains.
    OddMachine {
        /// The machine.
        machine: usize,
        /// By how much each of its round trips differs.
        offset: Duration,
        /// Whether they take longer.
        slower: bool,
    },
    /// A machine that seems alone on its switch: a slower machine would look the same.
    AloneOrSlow {
        /// The machine.
        machine: usize,
        /// What its own switch adds to its round trips.
        offset: Duration,
    },
    /// A cable between switches that does not take a whole number of the others' steps, or far more of them.
    OddLink {
        /// The machines on its side with fewer of them; where both have as many, on that without the first machine.
        side: Vec<usize>,
        /// What it adds to a round trip.
        time: Duration,
        /// What a cable of its kind adds to a round trip.
        step: Duration,
        /// How many switches in a row without machines come nearest to it.
        steps: u32,
    },
    /// Two machines that measured very different times with each other.
    Directions {
        /// Who measured the longer one.
        from: usize,
        /// The other machine.
        to: usize,
        /// The longer one.
        longer: Duration,
        /// What the other measured.
        shorter: Duration,
    },
    /// Two machines whose time, either way, is not that of their places in the tree.
    Outlier {
        /// One machine.
        a: usize,
        /// The other.
        b: usize,
        /// The time.
        time: Duration,
        /// The time of their places.
        expected: Duration,
    },
    /// Machines whose hop counts no tree has.
    NoTree {
        /// The machines, worst first.
        machines: Vec<usize>,
        /// How many pairs differ from the nearest tree.
        pairs: usize,
    },
    /// Times that another step explains nearly as well.
    UnsureStep {
        /// The step that was taken.
        step: Duration,
        /// The other one.
        other: Duration,
    },
}

impl Finding {
    /// A short name of its kind, which scripts may rely on.
    pub const fn code(&self) -> &'static str {
        match self {
            Finding::Doubt(doubt) => doubt.code(),
            Finding::OneClass => "one-class",
            Finding::NoPairOnOneSwitch => "no-pair-on-one-switch",
            Finding::NoPairTwoSwitchesApart => "no-pair-two-switches-apart",
            Finding::OddMachine { .. } => "odd-machine",
            Finding::AloneOrSlow { .. } => "alone-or-slow",
            Finding::OddLink { .. } => "odd-link",
            Finding::Directions { .. } => "directions",
            Finding::Outlier { .. } => "outlier",
            Finding::NoTree { .. } => "no-tree",
            Finding::UnsureStep { .. } => "unsure-step",
        }
    }

    /// The machines that it is about, worst first; none where it is about all.
    pub fn machines(&self) -> Vec<usize> {
        match self {
            Finding::Doubt(doubt) => doubt.machines(),
            Finding::OneClass
            | Finding::NoPairOnOneSwitch
            | Finding::NoPairTwoSwitchesApart
            | Finding::UnsureStep { .. } => Vec::new(),
            Finding::OddMachine { machine, .. } | Finding::AloneOrSlow { machine, .. } => vec![*machine],
            Finding::OddLink { side, .. } => side.clone(),
            Finding::Directions { from, to, .. } => vec![*from, *to],
            Finding::Outlier { a, b, .. } => vec![*a, *b],
            Finding::NoTree { machines, .. } => machines.clone(),
        }
    }

    /// Says it in one sentence, and what it does to the inference; `names` are the machines'.
    pub fn describe(&self, names: &[String]) -> String {
        let name = |machine: usize| names.get(machine).map_or("?", String::as_str);
        match self {
            Finding::Doubt(doubt) => doubt.describe(names),
            Finding::OneClass => {
                "all round trips take about as long: the machines are taken to be on one switch".to_owned()
            }
            Finding::NoPairOnOneSwitch => {
                "no two machines share a switch: where the shortest time is taken for \
                                           one switch, all hop counts are too small"
                    .to_owned()
            }
            Finding::NoPairTwoSwitchesApart => {
                "no two machines are two switches apart: where the smallest gap is \
                                                taken for one switch, hop counts are too small"
                    .to_owned()
            }
            Finding::OddMachine { machine, offset, slower } => format!(
                "{} is {} than the others: each of its round trips takes {} {} than its place explains; \
                 that time was not taken for switches",
                name(*machine),
                if *slower { "slower" } else { "faster" },
                us(*offset),
                if *slower { "more" } else { "less" },
            ),
            Finding::AloneOrSlow { machine, offset } => format!(
                "{} seems alone on a switch; if it is rather slower than the others by {} a round trip, it \
                 belongs to the next switch",
                name(*machine),
                us(*offset),
            ),
            Finding::OddLink { side, time, step, steps } => format!(
                "the cable towards {} adds {} to a round trip, others {}: it is slower or faster, or has \
                 switches without machines; it is taken for {steps}",
                list(side, names),
                us(*time),
                us(*step),
            ),
            Finding::Directions { from, to, longer, shorter } => format!(
                "{} measured {} with {}, which measured {}: the shorter time was used",
                name(*from),
                us(*longer),
                name(*to),
                us(*shorter),
            ),
            Finding::Outlier { a, b, time, expected } => format!(
                "{} and {} measured {} where their places in the tree make {}: the places were inferred from \
                 other pairs",
                name(*a),
                name(*b),
                us(*time),
                us(*expected),
            ),
            Finding::NoTree { machines, pairs } => format!(
                "no tree has these hop counts: {pairs} {} from the nearest, all of {}",
                if *pairs == 1 { "pair differs" } else { "pairs differ" },
                list(machines, names),
            ),
            Finding::UnsureStep { step, other } => format!(
                "{} a switch was inferred, but {} explains the times nearly as well: give the step if you know it",
                us(*step),
                us(*other),
            ),
        }
    }
}

/// A time to a tenth of a microsecond, which is finer than any of them is known.
fn us(time: Duration) -> String {
    format!("{:.1} us", time.as_ns_f64() / 1e3)
}

/// The first few of some machines by name.
fn list(machines: &[usize], names: &[String]) -> String {
    const MOST: usize = 8;
    let name = |machine: &usize| names.get(*machine).map_or("?", String::as_str);
    let mut text = machines.iter().take(MOST).map(name).collect::<Vec<_>>().join(", ");
    if machines.len() > MOST {
        text.push_str(&format!(" and {} more", machines.len() - MOST));
    }
    text
}
