//! What the paper's inference leaves in doubt, or takes for what it is not.

use super::hop_counts::Conflict;
use super::{Reading, SwitchTree};
use simnet_base::units::Duration;

/// Something about the paper's inference that its user should know; machines are numbered as in the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// No tree has the hop counts as the paper infers them, but one has them in another reading.
    Reading {
        /// Which.
        reading: Reading,
        /// The hop counts of the classes in it.
        counts: Vec<u32>,
        /// Its tree.
        tree: SwitchTree,
        /// Machines of whose hop counts, as the paper infers them, there is no tree.
        machines: Vec<usize>,
    },
    /// The paper's heuristic counts otherwise than the known step, or the known pairs, say.
    Heuristic {
        /// Its hop counts of the classes.
        counts: Vec<u32>,
        /// What they are.
        truly: Vec<u32>,
        /// Whether a tree has the heuristic's counts, so that nothing would have shown that they are wrong.
        silent: bool,
    },
    /// A gap between tight classes that is no whole number of steps.
    Uneven {
        /// The gap, between centres.
        gap: Duration,
        /// What one switch is taken to add: the smallest gap, or the known step.
        step: Duration,
        /// The centre of the class behind it.
        center: Duration,
        /// How many switches it was taken for.
        taken: u32,
    },
    /// Pairs of machines whose two directions have different hop counts; the lower one was taken.
    Directions {
        /// Which, the first in order.
        pairs: Vec<(usize, usize)>,
    },
    /// A pair whose given hop count cannot be right; it was left out.
    Known(Conflict),
}

/// How many names, pairs or counts a sentence lists.
const LISTED: usize = 8;

impl Doubt {
    /// A short name of its kind, which scripts may rely on.
    pub const fn code(&self) -> &'static str {
        match self {
            Doubt::Reading { .. } => "other-reading",
            Doubt::Heuristic { silent: true, .. } => "heuristic-silently-wrong",
            Doubt::Heuristic { silent: false, .. } => "heuristic-wrong",
            Doubt::Uneven { .. } => "uneven-gap",
            Doubt::Directions { .. } => "directions-differ",
            Doubt::Known(_) => "known-pair-conflict",
        }
    }

    /// The machines that it is about; none where it is about all.
    pub fn machines(&self) -> Vec<usize> {
        match self {
            Doubt::Reading { machines, .. } => machines.clone(),
            Doubt::Heuristic { .. } | Doubt::Uneven { .. } => Vec::new(),
            Doubt::Directions { pairs } => {
                let mut machines: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
                machines.sort_unstable();
                machines.dedup();
                machines
            }
            Doubt::Known(conflict) => vec![conflict.known.a, conflict.known.b],
        }
    }

    /// Says it in a sentence without a full stop; `names` are the machines'.
    pub fn describe(&self, names: &[String]) -> String {
        let name = |machine: &usize| names.get(*machine).map_or("?", String::as_str);
        match self {
            Doubt::Reading { reading, counts, tree, .. } => {
                let mut causes = Vec::new();
                if reading.first > 1 {
                    causes.push(format!("no two machines are fewer than {} switches apart", reading.first));
                }
                if reading.smallest > 1 {
                    causes.push(format!("the smallest gap between classes is {} switches", reading.smallest));
                }
                format!(
                    "a tree of {} switches fits if {}: classes of {} hops",
                    tree.switches,
                    causes.join(" and "),
                    listed(counts.iter().map(u32::to_string))
                )
            }
            Doubt::Heuristic { counts, truly, silent } => format!(
                "the paper's heuristic takes the classes for {} hops, where they are {}; {}",
                listed(counts.iter().map(u32::to_string)),
                listed(truly.iter().map(u32::to_string)),
                if *silent { "a tree fits, but a wrong one" } else { "no tree has those" }
            ),
            Doubt::Uneven { gap, step, center, taken } => format!(
                "the class about {:.4} ms is {:.4} ms behind the one before it, {:.2} times the {:.4} ms of one switch \
                 and no whole number: it was taken for {}; cables or switches of different kinds look like that",
                center.as_ms_f64(),
                gap.as_ms_f64(),
                gap.as_ms_f64() / step.as_ms_f64(),
                step.as_ms_f64(),
                if *taken == 1 { "1 switch".to_owned() } else { format!("{taken} switches") },
            ),
            Doubt::Directions { pairs } => format!(
                "the two directions of {} have different hop counts; the lower one was taken: {}",
                if pairs.len() == 1 { "1 pair".to_owned() } else { format!("{} pairs", pairs.len()) },
                listed(pairs.iter().map(|(a, b)| format!("`{}` and `{}`", name(a), name(b))))
            ),
            Doubt::Known(Conflict { known, with }) => {
                let pair = |a: &usize, b: &usize| format!("`{}` and `{}`", name(a), name(b));
                let wrong = format!("{} cannot be {} hops apart", pair(&known.a, &known.b), known.hops);
                match with {
                    None => format!("{wrong}: they are no pair, or have no switch between them"),
                    Some(with) => {
                        format!("{wrong}, by their time, where {} are {}", pair(&with.a, &with.b), with.hops)
                    }
                }
            }
        }
    }
}

/// The first few of a list in words.
fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(LISTED);
    let mut text = items.take(LISTED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}
