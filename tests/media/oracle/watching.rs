//! Events reported to observers of the fabric, on random networks with random traffic.
//!
//! What was reported is replayed without a look at the fabric, and compared with the per-flit oracle cycle by cycle:
//! every buffer's occupancy, who waits for what, who holds what, STOP and GO.

mod reported;

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use simnet_media::fabric::Fate;
use simnet_network::topology::End;

use reported::{Log, Replay, Reported};
use support_media::engine::{Engine, Manner};
use support_media::oracle::{Case, Oracle};
use support_media::random_case::{described, random_case, shrunk};
use support_network::cases;

/// How often each kind of thing was reported.
#[derive(Debug, Default)]
struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    fn add(mut self, other: Counts) -> Counts {
        for (name, count) in other.0 {
            *self.0.entry(name).or_default() += count;
        }
        self
    }

    fn one(&mut self, name: &'static str, count: u64) {
        *self.0.entry(name).or_default() += count;
    }
}

/// The cycles at which the replay is compared with the oracle.
fn stops(seed: u64, horizon: u64) -> Vec<u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x3a7c);
    let mut stops: Vec<u64> =
        (0..120).map(|nth| rng.random_range(1..=horizon.min(64 << (nth % 16)))).collect();
    // A stretch in which every cycle is looked at.
    let from = rng.random_range(0..horizon.min(4_000));
    stops.extend((from..from + 100).filter(|stop| (1..=horizon).contains(stop)));
    stops.push(horizon);
    stops.sort_unstable();
    stops.dedup();
    stops
}

/// Runs a case watched, and replays what was reported next to the oracle.
fn replayed(case: &Case, seed: u64, manner: Manner) -> Result<Counts, String> {
    let (mut oracle, mut engine) = (Oracle::new(case), Engine::new(case, manner));
    let (mut log, mut replay, mut done) = (Log::default(), Replay::default(), 0_usize);
    let is_equal =
        case.parameters.host.receive.is_none() && case.parameters.links.iter().all(|it| it.period == 1);
    let mut counts = Counts::default();
    let mut waited = Vec::new();
    for stop in stops(seed, case.horizon) {
        let reached = engine.run_watched(stop, &mut log);
        let mut last = done.checked_sub(1).map_or(0, |last| log.reported[last].0);
        while let Some((at, reported)) = log.reported.get(done) {
            if *at < last || *at >= reached {
                return Err(format!("{reported:?} of {at}: told after {last}, before {reached}"));
            }
            replay.apply(&case.network, *at, reported)?;
            (last, done) = (*at, done + 1);
        }
        oracle.run_until(stop);
        for channel in oracle.channels() {
            let ours = replay.occupancy(channel.to, reached.max(1));
            let theirs = f64::from(channel.occupancy);
            if (ours - theirs).abs() > if is_equal { 1e-9 } else { 2.0 } {
                return Err(format!(
                    "before {stop}, flits at {:?}: told {ours}, oracle {theirs}",
                    channel.to
                ));
            }
            let stopped = replay.stopped.get(&channel.to).copied().unwrap_or(false);
            if channel.up && stopped != channel.stop_sent {
                return Err(format!("before {stop}, {:?} sent STOP: told {stopped}", channel.to));
            }
            counts.one("buffers compared", 1);
        }
        let (reported, theirs) = (replay.waiting(), oracle.waiting_heads());
        if let Some(head) = theirs.iter().find(|head| !reported.contains(head)) {
            return Err(format!("before {stop}, nobody was told that {head:?} waits"));
        }
        waited.extend(
            reported.into_iter().filter(|head| !theirs.contains(head)).map(|(worm, ..)| (stop, worm)),
        );
        let (mut ours, mut theirs) = (replay.held(), oracle.holders());
        ours.sort_unstable();
        theirs.sort_unstable();
        if ours != theirs {
            return Err(format!("before {stop}, outputs held:\n  told {ours:?}\n  oracle {theirs:?}"));
        }
        if replay.living != engine.in_flight() {
            return Err(format!("before {stop}: {} told alive", replay.living));
        }
    }
    for (stop, worm) in waited {
        // It was turned away in between, and eaten: only its end is reported.
        let ended = engine.ended().iter().find(|ended| ended.tag == worm);
        if ended.is_some_and(|ended| !reported::was_destroyed(&ended.fate)) {
            return Err(format!("before {stop}, worm {worm} does not wait"));
        }
    }
    same_ends(case, &log, &engine)?;
    for (_, reported) in &log.reported {
        counts.one(kind(reported), 1);
    }
    Ok(counts)
}

/// Compares ends, deadlocks and cables with what the fabric itself says.
fn same_ends(case: &Case, log: &Log, engine: &Engine) -> Result<(), String> {
    let of = |wanted: fn(&Reported) -> bool| -> Vec<(u64, Reported)> {
        let mut list: Vec<_> =
            log.reported.iter().filter(|(_, reported)| wanted(reported)).cloned().collect();
        list.sort_unstable();
        list
    };
    let mut ended: Vec<(u64, String)> = Vec::new();
    for (at, reported) in of(|reported| matches!(reported, Reported::Ended { .. })) {
        let Reported::Ended { worm, fate } = reported else { unreachable!() };
        let struck = engine.ended().iter().find(|ended| ended.tag == worm).map(|ended| match ended.fate {
            Fate::Delivered { tail, .. } => tail.0 == at,
            Fate::Destroyed { at: struck, .. } => struck.0 <= at,
        });
        if struck != Some(true) {
            return Err(format!("worm {worm} was told to end in {at}: {fate}"));
        }
        ended.push((worm, fate));
    }
    ended.sort_unstable();
    let wanted: Vec<(u64, String)> =
        engine.ended().iter().map(|it| (it.tag, format!("{:?}", it.fate))).collect();
    let deadlocks = of(|reported| matches!(reported, Reported::Deadlocked { .. } | Reported::Cleared { .. }));
    let cables: Vec<_> = log
        .reported
        .iter()
        .filter(|(_, reported)| matches!(reported, Reported::Cable { .. }))
        .cloned()
        .collect();
    if ended != wanted {
        return Err("ends differ".to_owned());
    }
    if deadlocks != reported::deadlocks(engine.fabric().deadlocks()) {
        return Err(format!("deadlocks: told {deadlocks:?}, found {:?}", engine.fabric().deadlocks()));
    }
    if cables != reported::cables(case, engine.now()) {
        return Err(format!("cables: told {cables:?}"));
    }
    Ok(())
}

fn kind(reported: &Reported) -> &'static str {
    match reported {
        Reported::Started { .. } => "started",
        Reported::Arrived { .. } => "arrived",
        Reported::Waits { .. } => "waits",
        Reported::Granted { .. } => "granted",
        Reported::Released { .. } => "released",
        Reported::Flow { .. } => "flow",
        Reported::Control { .. } => "flow control",
        Reported::Reset { .. } => "reset",
        Reported::Deadlocked { .. } => "deadlocked",
        Reported::Cleared { .. } => "cleared",
        Reported::Ended { .. } => "ended",
        Reported::Cable { .. } => "cable",
    }
}

/// As [`replayed`]; what panics on the way is a fault too.
fn checked(case: &Case, seed: u64, manner: Manner) -> Result<Counts, String> {
    std::panic::catch_unwind(|| replayed(case, seed, manner)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")))
    })
}

/// Wrong if anything is reported late, twice, of a worm that is not there, or not at all.
#[test]
fn what_is_told_is_what_the_oracle_does() {
    let one = |seed: u64| {
        let case = random_case(seed);
        let manner = Manner { waking: seed % 3 == 1, breaking: seed % 5 == 2, ..Manner::default() };
        checked(&case, seed, manner).unwrap_or_else(|fault| {
            let small = shrunk(&case, |case| checked(case, seed, manner).is_err());
            let last = checked(&small, seed, manner).map(|_| ());
            panic!(
                "seed {seed}, {manner:?}: {fault}\nsmallest case found:\n{}\nthere: {}",
                described(&small),
                last.unwrap_err()
            );
        })
    };
    let total = (0..cases(6_000)).into_par_iter().map(one).reduce(Counts::default, Counts::add);
    println!("{total:#?}");
    assert_eq!(total.0.len(), 13, "everything there is was told");
}

/// Wrong if watching changed results, events or their order, or if what is reported depended on the order in which
/// what happens in one phase of one cycle is handled.
#[test]
fn watching_all_changes_nothing() {
    // Where several deadlocks form in one cycle, their order is free.
    let deadlocks = |engine: &Engine| {
        let mut deadlocks = engine.deadlocks();
        deadlocks.sort_unstable();
        deadlocks
    };
    (0..cases(4_000)).into_par_iter().for_each(|seed| {
        let case = random_case(seed);
        let plain = Manner { unwatched: true, waking: seed % 2 == 1, ..Manner::default() };
        let (mut unwatched, mut watched) = (Engine::new(&case, plain), Engine::new(&case, plain));
        let mut shuffled = Engine::new(&case, Manner { order: Some(seed), ..plain });
        let (mut log, mut other) = (Log::default(), Log::default());
        let now = unwatched.run_until(case.horizon);
        assert_eq!(watched.run_watched(case.horizon, &mut log), now, "seed {seed}");
        assert_eq!(shuffled.run_watched(case.horizon, &mut other), now, "seed {seed}");
        assert_eq!(watched.fabric().events(), unwatched.fabric().events(), "seed {seed}");
        for engine in [&watched, &shuffled] {
            assert_eq!(engine.ended(), unwatched.ended(), "seed {seed}");
            assert_eq!(engine.live(), unwatched.live(), "seed {seed}");
            assert_eq!(engine.channels(), unwatched.channels(), "seed {seed}");
            assert_eq!(deadlocks(engine), deadlocks(&unwatched), "seed {seed}");
        }
        let plain = |log: &Log| -> Vec<(u64, Reported)> {
            let numbered = |reported: &Reported| {
                matches!(reported, Reported::Deadlocked { .. } | Reported::Cleared { .. })
            };
            log.sorted().into_iter().filter(|(_, reported)| !numbered(reported)).collect()
        };
        assert_eq!(plain(&log), plain(&other), "seed {seed}");
    });
}

/// Wrong if a host that takes everything at once had reports of a buffer, or a head's arrival there not.
#[test]
fn arrivals_at_hosts_are_told() {
    let case = (0..).map(random_case).find(|case| case.parameters.host.receive.is_none()).unwrap();
    let mut engine = Engine::new(&case, Manner { unwatched: true, ..Manner::default() });
    let mut log = Log::default();
    engine.run_watched(case.horizon, &mut log);
    let is_host = |end: &End| matches!(end.node, simnet_base::ids::Node::Host(_));
    let arrived = |worm: u64, port: &End, at: u64| {
        engine.ended().iter().any(|ended| match ended.fate {
            Fate::Delivered { head, .. } => ended.tag == worm && head.0 == at && is_host(port),
            Fate::Destroyed { .. } => ended.tag == worm,
        })
    };
    for (at, reported) in &log.reported {
        match reported {
            Reported::Arrived { worm, port } if is_host(port) => assert!(arrived(*worm, port, *at)),
            Reported::Flow { port, .. } => assert!(!is_host(port)),
            _ => {}
        }
    }
}
