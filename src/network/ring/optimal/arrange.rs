//! Whether items with two ends each can stand in a circle, neighbouring ends never too high together.
//!
//! ```text
//!   ends of all items, in order:   s1 <= s2 <= ... <= sn <= bn <= ... <= b2 <= b1
//!   joints:                        (s1, b1) (s2, b2) ...      each s + b <= most
//! ```
//! An item is a machine, or the array of a subtree with its two end heights; of some there is a choice. Two
//! neighbouring ends make a joint, whose heights may add up to `most`.
//!
//! *With the choices made*, joints exist if and only if pairing the lowest end with the highest, the second
//! lowest with the second highest and so on keeps to `most`: for every height v above `most / 2`, at least as
//! many ends are at `most - v` or below as are at v or above. Where the two counts are equal, v is *tight*: ends
//! outside (`most - v`, v) can be joined with each other only. Tight heights part the ends into nested zones,
//! and a circle exists if and only if joints exist and the items connect the zones. The proof is the
//! construction: pair as above, then exchange the low ends of joints k and k+1 wherever they belong to different
//! circles and `s(k+1) + b(k) <= most`; where that fails, b(k) is tight.
//!
//! *To make the choices*, items that have the same ones are counted, not distinguished, and how many of a kind
//! make which choice is searched for, with intervals from the counting condition.
//!
//! # Source
//! This project's; the exchange of ends is that of Gilmore and Gomory 1964, *Sequencing a one state-variable
//! machine*, on joints without direction.
//!
//! # Validation
//! A test below compares with all circles of up to seven items.

use crate::ring::tree::Parts;

/// The heights of the two ends of an item.
pub(super) type Ends = (usize, usize);

/// Items that have the same choice of ends.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// The choices: at least one.
    pub(super) options: Vec<Ends>,
    /// How many items.
    pub(super) members: usize,
}

/// What a search may still cost.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    /// Steps for this question.
    question: u64,
    /// Steps for all questions.
    total: u64,
    per_question: u64,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a circle if so many items of each class make each choice.
    Yes(Vec<Vec<usize>>),
    /// There is none.
    No,
    /// The budget does not allow to know.
    Unknown,
}

impl Budget {
    pub(super) fn new(per_question: u64, total: u64) -> Budget {
        Budget { question: 0, total, per_question }
    }

    fn begin(&mut self) {
        self.question = self.per_question.min(self.total);
    }

    /// Takes the cost away; whether there was enough.
    fn spend(&mut self, cost: u64) -> bool {
        self.total = self.total.saturating_sub(cost);
        let enough = self.question >= cost;
        self.question = self.question.saturating_sub(cost);
        enough
    }

    fn is_spent(&self) -> bool {
        self.question == 0
    }
}

/// How deep a search may choose: options of classes that have a choice.
const MOST_CHOICES: usize = 256;

/// Chooses ends for all items so that they can stand in a circle.
pub(super) fn choose(classes: &[Class], most: usize, budget: &mut Budget) -> Answer {
    budget.begin();
    let search = Search::new(classes, most);
    let depth: usize = search.open.iter().map(|class| classes[*class].options.len()).sum();
    if depth > MOST_CHOICES || !budget.spend(search.size()) {
        return Answer::Unknown;
    }
    let mut state = State { slack: search.fixed.clone(), counts: search.all_first() };
    if search.descend(&mut state, 0, 0, search.left(0), budget) {
        Answer::Yes(state.counts)
    } else if budget.is_spent() {
        Answer::Unknown
    } else {
        Answer::No
    }
}

/// The question with all that does not change while choices are tried.
struct Search<'a> {
    classes: &'a [Class],
    most: usize,
    /// Heights above half of `most` at which ends can be, in order.
    levels: Vec<usize>,
    /// Classes with a choice.
    open: Vec<usize>,
    /// Slack at each level of the classes without one.
    fixed: Vec<i64>,
    /// Per open class and option: what it adds to the slack at each level.
    gains: Vec<Vec<Vec<i64>>>,
    /// Per open class and option: the best that the options after it add.
    best_after: Vec<Vec<Vec<i64>>>,
    /// Per open class: the most that the classes after it can add.
    rest: Vec<Vec<i64>>,
}

/// Choices made so far.
struct State {
    slack: Vec<i64>,
    counts: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn new(classes: &[Class], most: usize) -> Search<'_> {
        let ends = classes.iter().flat_map(|class| class.options.iter().flat_map(|(a, b)| [*a, *b]));
        let mut levels: Vec<usize> = ends.filter(|end| 2 * end > most).collect();
        levels.sort_unstable();
        levels.dedup();
        let gain = |(a, b): &Ends| -> Vec<i64> {
            let one = |end: usize, level: usize| i64::from(end + level <= most) - i64::from(end >= level);
            levels.iter().map(|level| one(*a, *level) + one(*b, *level)).collect()
        };
        let mut fixed = vec![0; levels.len()];
        for class in classes.iter().filter(|class| class.options.len() == 1) {
            add(&mut fixed, &gain(&class.options[0]), count(class.members));
        }
        let open: Vec<usize> = (0..classes.len()).filter(|at| classes[*at].options.len() > 1).collect();
        let gains: Vec<Vec<Vec<i64>>> =
            open.iter().map(|at| classes[*at].options.iter().map(gain).collect()).collect();
        let best_after: Vec<Vec<Vec<i64>>> = gains.iter().map(|gains| suffix_maxima(gains)).collect();
        let mut rest = vec![vec![0; levels.len()]; open.len()];
        for at in (1..open.len()).rev() {
            let mut sum = rest[at].clone();
            let best = maxima(&gains[at][0], &best_after[at][0]);
            add(&mut sum, &best, count(classes[open[at]].members));
            rest[at - 1] = sum;
        }
        Search { classes, most, levels, open, fixed, gains, best_after, rest }
    }

    /// What it costs to set up, about.
    fn size(&self) -> u64 {
        let options: usize = self.classes.iter().map(|class| class.options.len()).sum();
        (options * (self.levels.len() + 1)) as u64
    }

    /// Every item makes its first choice.
    fn all_first(&self) -> Vec<Vec<usize>> {
        let first = |class: &Class| {
            let mut counts = vec![0; class.options.len()];
            counts[0] = class.members;
            counts
        };
        self.classes.iter().map(first).collect()
    }

    fn left(&self, at: usize) -> usize {
        self.open.get(at).map_or(0, |class| self.classes[*class].members)
    }

    /// Tries how many of the `left` items of an open class make its choice `option`; the depth is bounded by
    /// [`MOST_CHOICES`].
    fn descend(&self, state: &mut State, at: usize, option: usize, left: usize, budget: &mut Budget) -> bool {
        if !budget.spend(self.levels.len() as u64 + 1) {
            return false;
        }
        let Some(class) = self.open.get(at).copied() else {
            return state.slack.iter().all(|slack| *slack >= 0) && self.is_connected(state);
        };
        if option + 1 == self.gains[at].len() {
            return self.with(state, (at, option, left), |state| {
                self.descend(state, at + 1, 0, self.left(at + 1), budget)
            });
        }
        let Some((from, to)) = self.interval(state, at, option, left) else { return false };
        let middle = from + (to - from) / 2;
        let is_last = at + 1 == self.open.len() && option + 2 == self.gains[at].len();
        // Strictly within the interval of a last choice the same heights are tight and the same choices are
        // made, so that one number there stands for all.
        let others =
            (from..=to).filter(|count| *count != middle && (!is_last || *count == from || *count == to));
        for count in std::iter::once(middle).chain(others) {
            let found = self.with(state, (at, option, count), |state| {
                self.descend(state, at, option + 1, left - count, budget)
            });
            if found {
                return true;
            }
            if budget.is_spent() {
                return false;
            }
        }
        state.counts[class][option] = 0;
        false
    }

    /// Lets so many items make a choice while `inner` looks on; takes it back unless that succeeds.
    fn with(
        &self,
        state: &mut State,
        (at, option, items): (usize, usize, usize),
        inner: impl FnOnce(&mut State) -> bool,
    ) -> bool {
        state.counts[self.open[at]][option] = items;
        add(&mut state.slack, &self.gains[at][option], count(items));
        let found = inner(state);
        if !found {
            add(&mut state.slack, &self.gains[at][option], -count(items));
        }
        found
    }

    /// Between which numbers of items that make a choice the slack may yet come out right.
    fn interval(&self, state: &State, at: usize, option: usize, left: usize) -> Option<(usize, usize)> {
        let (mut from, mut to) = (0, count(left));
        for level in 0..self.levels.len() {
            let after = self.best_after[at][option][level];
            // base + items * slope >= 0
            let base = state.slack[level] + count(left) * after + self.rest[at][level];
            match self.gains[at][option][level] - after {
                0 if base < 0 => return None,
                0 => {}
                slope if slope > 0 => {
                    from = from.max((-base).div_euclid(slope) + i64::from(-base % slope != 0))
                }
                slope => to = to.min(base.div_euclid(-slope)),
            }
        }
        let whole = |number: i64| usize::try_from(number).ok();
        (from <= to).then_some(())?;
        Some((whole(from)?, whole(to)?))
    }

    /// Whether the items connect the zones that tight heights part the ends into.
    fn is_connected(&self, state: &State) -> bool {
        let tight: Vec<usize> =
            (0..self.levels.len()).filter(|at| state.slack[*at] == 0).map(|at| self.levels[at]).collect();
        let zone = |end: usize| {
            let outer = end.max(self.most - end);
            tight.len() - tight.partition_point(|level| *level <= outer)
        };
        let mut parts = Parts::new(tight.len() + 1);
        let used = || {
            let classes = self.classes.iter().zip(&state.counts);
            classes.flat_map(|(class, counts)| {
                class.options.iter().zip(counts).filter(|(_, count)| **count > 0).map(|(ends, _)| *ends)
            })
        };
        for (a, b) in used() {
            parts.join(zone(a), zone(b));
        }
        let first = used().next().map(|(a, _)| parts.find(zone(a)));
        used().all(|(a, _)| Some(parts.find(zone(a))) == first)
    }
}

/// Numbers of items as they are reckoned with.
fn count(items: usize) -> i64 {
    i64::try_from(items).expect("items are held in memory")
}

fn add(sum: &mut [i64], gain: &[i64], times: i64) {
    for (sum, gain) in sum.iter_mut().zip(gain) {
        *sum += times * gain;
    }
}

fn maxima(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| *a.max(b)).collect()
}

/// Per option, level by level the most of those after it; for the last, itself.
fn suffix_maxima(gains: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let mut after = gains.to_vec();
    for option in (0..gains.len() - 1).rev() {
        after[option] = match option + 2 < gains.len() {
            true => maxima(&gains[option + 1], &after[option + 1]),
            false => gains[option + 1].clone(),
        };
    }
    after
}

/// One item in the circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// Which item.
    pub(super) item: usize,
    /// Whether it is entered by its second end.
    pub(super) flipped: bool,
}

/// The circle of items whose choices are made, begun with the first item, which is left by its second end.
///
/// # Panics
/// If there is none: ask [`choose`].
pub(super) fn circle(items: &[Ends], most: usize) -> Vec<Placed> {
    let height = |end: usize| if end.is_multiple_of(2) { items[end / 2].0 } else { items[end / 2].1 };
    let mut ends: Vec<usize> = (0..2 * items.len()).collect();
    ends.sort_by_key(|end| height(*end));
    let (low, high) = ends.split_at_mut(items.len());
    high.reverse();
    let mut circles = Parts::new(items.len());
    for (low, high) in low.iter().zip(high.iter()) {
        assert!(height(*low) + height(*high) <= most, "joints exist");
        circles.join(low / 2, high / 2);
    }
    for k in 1..items.len() {
        let fits = height(low[k]) + height(high[k - 1]) <= most;
        if fits && circles.join(high[k - 1] / 2, high[k] / 2) {
            low.swap(k - 1, k);
        }
    }
    let mut across = vec![0; ends.len()];
    for (low, high) in ends[..items.len()].iter().zip(&ends[items.len()..]) {
        across[*low] = *high;
        across[*high] = *low;
    }
    let mut placed = vec![Placed { item: 0, flipped: false }];
    let mut entered = across[1];
    while entered / 2 != 0 {
        placed.push(Placed { item: entered / 2, flipped: entered % 2 == 1 });
        entered = across[entered ^ 1];
    }
    assert_eq!(placed.len(), items.len(), "the items connect the zones");
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::des::random::{Purpose, Stream};

    const TEST: Purpose = Purpose(9_997);

    /// Whether some order and direction of these items keeps every joint to `most`: all are tried.
    fn stands(items: &[Ends], most: usize) -> bool {
        fn on(items: &[Ends], most: usize, end: usize, used: u32) -> bool {
            if used.count_ones() as usize == items.len() {
                return end + items[0].0 <= most;
            }
            (1..items.len()).filter(|at| used & 1 << at == 0).any(|at| {
                let (a, b) = items[at];
                let on_from = |a: usize, b: usize| end + a <= most && on(items, most, b, used | 1 << at);
                on_from(a, b) || on_from(b, a)
            })
        }
        on(items, most, items[0].1, 1)
    }

    /// Whether some choice of ends does.
    fn possible(classes: &[Class], most: usize) -> bool {
        fn on(items: &[&[Ends]], chosen: &mut Vec<Ends>, most: usize) -> bool {
            match items.split_first() {
                None => stands(chosen, most),
                Some((options, rest)) => options.iter().any(|ends| {
                    chosen.push(*ends);
                    let found = on(rest, chosen, most);
                    chosen.pop();
                    found
                }),
            }
        }
        let items: Vec<&[Ends]> = classes
            .iter()
            .flat_map(|class| std::iter::repeat_n(class.options.as_slice(), class.members))
            .collect();
        on(&items, &mut Vec::new(), most)
    }

    /// A few classes of up to seven items together, with ends up to `most`.
    fn drawn(stream: &mut Stream, most: usize) -> Vec<Class> {
        let mut below = |bound: usize| usize::try_from(stream.below(bound as u64)).unwrap();
        let mut left = 2 + below(6);
        let mut classes = Vec::new();
        while left > 0 {
            let members = 1 + below(left);
            left -= members;
            let options = (0..1 + below(3)).map(|_| (below(most + 1), below(most + 1))).collect();
            classes.push(Class { options, members });
        }
        classes
    }

    /// Wrong if a circle were missed or claimed, or if the one that is built broke a joint, left an item out
    /// or changed a choice.
    #[test]
    fn circles_are_those_that_trying_everything_finds() {
        let mut yes = 0;
        for seed in 0..6_000 {
            let mut stream = Stream::new(seed, TEST, 0);
            let most = usize::try_from(1 + stream.below(6)).unwrap();
            let classes = drawn(&mut stream, most);
            let answer = choose(&classes, most, &mut Budget::new(1 << 20, 1 << 20));
            assert_eq!(
                matches!(answer, Answer::Yes(_)),
                possible(&classes, most),
                "seed {seed}: {classes:?}"
            );
            let Answer::Yes(counts) = answer else { continue };
            yes += 1;
            let mut items = Vec::new();
            for (class, counts) in classes.iter().zip(&counts) {
                assert_eq!(counts.iter().sum::<usize>(), class.members, "seed {seed}");
                for (ends, count) in class.options.iter().zip(counts) {
                    items.extend(std::iter::repeat_n(*ends, *count));
                }
            }
            let placed = circle(&items, most);
            let turned = |placed: &Placed| match (items[placed.item], placed.flipped) {
                ((a, b), true) => (b, a),
                (ends, false) => ends,
            };
            for (nth, here) in placed.iter().enumerate() {
                let next = placed[(nth + 1) % placed.len()];
                assert!(turned(here).1 + turned(&next).0 <= most, "seed {seed}");
            }
            let mut all: Vec<usize> = placed.iter().map(|placed| placed.item).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..items.len()), "seed {seed}");
        }
        assert!((1_000..5_000).contains(&yes), "{yes} of 6,000 exist: the test has no teeth");
    }

    /// Wrong if a question cost anything but its options and one look, each at the levels and one more. The level is 1:
    /// an end of 1 meets none but 0.
    #[test]
    fn a_question_costs_what_is_looked_at() {
        let class = || Class { options: vec![(0, 1)], members: 1 };
        for (classes, cost) in
            [(vec![class()], 4), (vec![class(), class()], 6), (vec![class(), class(), class()], 8)]
        {
            assert!(matches!(choose(&classes, 1, &mut Budget::new(cost, 1 << 20)), Answer::Yes(_)), "{cost}");
            assert_eq!(choose(&classes, 1, &mut Budget::new(cost - 1, 1 << 20)), Answer::Unknown, "{cost}");
        }
    }

    /// Wrong if a search went on past its limit, or called what it does not know a no.
    #[test]
    fn past_the_limit_nothing_is_claimed() {
        let classes: Vec<Class> =
            (0..6).map(|n| Class { options: vec![(n, 40), (n + 7, 30), (20, 25)], members: 3 }).collect();
        assert_eq!(choose(&classes, 41, &mut Budget::new(30, 1 << 20)), Answer::Unknown);
        assert_eq!(choose(&classes, 41, &mut Budget::new(1 << 20, 3)), Answer::Unknown);
    }

    /// Wrong if a question with as many choices as may be went unanswered, or one with more were searched.
    #[test]
    fn so_many_choices_are_searched() {
        let class = |options| Class { options: vec![(0, 0); options], members: 1 };
        let ask = |options| choose(&[class(options)], 1, &mut Budget::new(1 << 20, 1 << 20));
        assert!(matches!(ask(MOST_CHOICES), Answer::Yes(_)));
        assert_eq!(ask(MOST_CHOICES + 1), Answer::Unknown);
    }
}
