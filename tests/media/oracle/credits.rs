//! The fabric with credits against the oracle that moves every byte, on random networks.
//!
//! Both run the same case side by side. At some cycles they are stopped and compared: which messages are over and what
//! became of them, the bytes of every queue, the credits of every lane, what every channel has carried, how long it was
//! held and waited for, all grants. At the end the deadlocks are compared: when, who, and what broke them.

use std::ops::AddAssign;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use simnet_media::fabric::{Cause, Ended, Fate};

use support_media::credits::{
    CreditCase, CreditOracle, deadlocks_on_lanes, random_credit_case, shrunk_credit_case,
};
use support_media::engine::Manner;
use support_media::random_case::stops;
use support_network::cases;

/// What cases had in them, so that a feature cannot drop out of the comparison unseen.
#[derive(Clone, Copy, Debug, Default)]
struct Coverage([u64; NAMES.len()]);

const NAMES: [&str; 23] = [
    "cases",
    "messages",
    "delivered",
    "delivered in several packets",
    "grants",
    "deadlocks",
    "deadlocks that were broken",
    "destroyed by a limit",
    "destroyed by a failure",
    "illegal turns",
    "no such wires",
    "hosts too soon",
    "stranded",
    "expired",
    "stuck",
    "cases with several lanes",
    "cases with unequal rates",
    "cases in which a buffer was full",
    "messages of management delivered",
    "dropped on the lane of management",
    "of management struck otherwise",
    "of management that passed by a deadlock for ever",
    "cases with management and data",
];

impl AddAssign for Coverage {
    fn add_assign(&mut self, other: Coverage) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, one)| *sum += one);
    }
}

impl Coverage {
    fn of(case: &CreditCase, oracle: &CreditOracle) -> Coverage {
        let ended = oracle.ended();
        let count =
            |holds: &dyn Fn(&Ended) -> bool| ended.iter().filter(|message| holds(message)).count() as u64;
        let because = |wanted: Cause| {
            count(&|message| matches!(message.fate, Fate::Destroyed { cause, .. } if cause == wanted))
        };
        let is_delivered = |message: &Ended| matches!(message.fate, Fate::Delivered { .. });
        let links = &case.case.parameters.links;
        let deadlocks = oracle.deadlocks();
        // While a circle stood that nothing opened, it started and arrived.
        let locked_for_ever = |message: &Ended| {
            is_delivered(message)
                && deadlocks.iter().any(|it| it.cleared.is_none() && it.formed < message.started.0)
        };
        Coverage([
            1,
            oracle.started() as u64,
            count(&is_delivered),
            count(&|message| is_delivered(message) && message.payload > case.credits.mtu),
            oracle.grants.len() as u64,
            deadlocks.len() as u64,
            deadlocks.iter().filter(|found| found.cleared.is_some()).count() as u64,
            because(Cause::Reset),
            because(Cause::LinkFailure),
            because(Cause::IllegalTurn),
            because(Cause::NoSuchWire),
            because(Cause::HostTooSoon),
            because(Cause::Stranded),
            because(Cause::Expired),
            (oracle.started() - ended.len()) as u64,
            u64::from(case.credits.lanes > 1),
            u64::from(links.iter().any(|link| link.period != links[0].period)),
            u64::from(oracle.fullest == case.credits.buffer as usize),
            count(&|message| is_delivered(message) && case.is_management(message.tag)),
            because(Cause::Vl15Dropped),
            count(&|message| case.is_management(message.tag) && !is_delivered(message))
                - because(Cause::Vl15Dropped),
            count(&|message| case.is_management(message.tag) && locked_for_ever(message)),
            u64::from(case.management.contains(&true) && case.management.contains(&false)),
        ])
    }
}

/// Runs a case on both; gives what the case covered, or the first disagreement.
fn compare(case: &CreditCase, seed: u64, manner: Manner) -> Result<Coverage, String> {
    let mut oracle = CreditOracle::new(case);
    let mut engine = case.engine(manner);
    let mut done = 0;
    for stop in stops(seed, case.case.horizon) {
        let reached = engine.run_until(stop);
        // The engine may be through before: then nothing happens in the oracle either.
        for limit in [reached, stop] {
            oracle.run_until(limit);
            if !manner.unwatched {
                same(limit, "grant", sorted(&oracle.grants[done..]), sorted(&engine.logs.grants[done..]))?;
                done = oracle.grants.len();
            }
            same(limit, "end of a message", oracle.ended(), engine.ended().to_vec())?;
            same(limit, "message under way", oracle.live_tags(), engine.live())?;
            let mut channels = case.channels(&engine);
            if reached < oracle.now() {
                // It has not counted on how long its channels are waited for, nor taken in all credits.
                for (ours, theirs) in channels.iter_mut().zip(oracle.channels()) {
                    (ours.blocked, ours.credits) = (theirs.blocked, theirs.credits);
                }
            }
            same(limit, "channel", oracle.channels(), channels)?;
        }
    }
    same(case.case.horizon, "deadlock", sorted(oracle.deadlocks()), sorted(&deadlocks_on_lanes(&engine)))?;
    Ok(Coverage::of(case, &oracle))
}

fn sorted<T: Clone + Ord>(list: &[T]) -> Vec<T> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}

/// Compares two lists; names the first place where they differ.
fn same<T: PartialEq + std::fmt::Debug>(
    now: u64,
    what: &str,
    oracle: Vec<T>,
    engine: Vec<T>,
) -> Result<(), String> {
    let same = oracle.iter().zip(&engine).take_while(|(theirs, ours)| theirs == ours).count();
    match (oracle.get(same), engine.get(same)) {
        (None, None) => Ok(()),
        (theirs, ours) => {
            Err(format!("before cycle {now}, {what} {same}:\n  oracle {theirs:?}\n  engine {ours:?}"))
        }
    }
}

/// The manner in which the engine runs the case of a seed.
fn manner(seed: u64) -> Manner {
    let order = (seed % 4 == 3).then_some(seed);
    Manner { order, waking: seed % 3 == 1, breaking: seed % 5 == 2, unwatched: seed % 7 == 4 }
}

/// As [`compare`]; what panics on the way is a disagreement too.
fn compared(case: &CreditCase, seed: u64) -> Result<Coverage, String> {
    std::panic::catch_unwind(|| compare(case, seed, manner(seed))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")))
    })
}

/// Compares one case; on a disagreement shrinks it, prints it and fails.
fn checked(seed: u64) -> Coverage {
    let case = random_credit_case(seed);
    compared(&case, seed).unwrap_or_else(|fault| {
        let small = shrunk_credit_case(&case, |case| compared(case, seed).is_err());
        let last = compared(&small, seed).map(|_| ()).unwrap_err();
        let CreditCase { case: plain, credits, levels, management } = &small;
        let links: Vec<_> = plain.network.links().iter().zip(&plain.parameters.links).collect();
        panic!(
            "seed {seed}, {:?}: {fault}\nsmallest case found:\n{:?}\n{:?}\n{:?}\n{links:#?}\n{credits:?}\n\
             {levels:?}\n{management:?}\nhorizon {}\nthere: {last}",
            manner(seed),
            plain.messages,
            plain.link_events,
            plain.parameters,
            plain.horizon,
        );
    })
}

/// Wrong if the engine departs from the semantics of credits in any way that shows, or if its results depend on the
/// order in which it handles what happens in one phase of one cycle.
#[test]
fn credits_agree_with_the_oracle() {
    let total = (0..cases(10_000)).into_par_iter().map(checked).reduce(Coverage::default, |mut sum, one| {
        sum += one;
        sum
    });
    for (name, count) in NAMES.iter().zip(total.0) {
        println!("{count:>10} {name}");
        assert!(count > 0, "no {name} in any case: the comparison says nothing about them");
    }
}
