use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

const PHASES: usize = 5;

/// Wrong if any event comes out in another cycle, phase or order than from a heap over
/// (time, phase, sequence), whatever the gaps and limits.
#[test]
fn it_equals_a_heap() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        check(seed, &mut rng);
    }
}

fn check(seed: u64, rng: &mut ChaCha8Rng) {
    let mut calendar = Calendar::new(PHASES);
    let mut heap = BinaryHeap::new();
    let mut sequence = 0u64;
    let mut add = |calendar: &mut Calendar<u64>, heap: &mut BinaryHeap<_>, time: u64, phase: usize| {
        calendar.schedule(time, phase, sequence);
        heap.push(Reverse((time, phase, sequence)));
        sequence += 1;
    };
    let mut now = 0;
    for _ in 0..rng.random_range(1..30) {
        let time = gap(rng);
        add(&mut calendar, &mut heap, time, rng.random_range(0..PHASES));
    }
    for _ in 0..300 {
        let limit = now + 1 + gap(rng);
        // The next cycle is looked for and opened in two steps or in one.
        let is_stepped = rng.random_bool(0.5);
        let next = if is_stepped {
            calendar.open_next(limit)
        } else {
            calendar.next_before(limit).map(|time| (time, None))
        };
        let Some((time, mut only)) = next else {
            assert!(heap.peek().is_none_or(|Reverse((time, ..))| *time >= limit), "seed {seed}");
            assert_eq!(calendar.is_empty(), heap.is_empty(), "seed {seed}");
            if heap.is_empty() {
                break;
            }
            calendar.skip_to(limit);
            now = limit;
            add(&mut calendar, &mut heap, now + gap(rng), 0);
            continue;
        };
        now = time;
        if !is_stepped {
            calendar.open(time);
        }
        for phase in 0..PHASES {
            loop {
                // One after the other whatever its phase, or phase by phase: both ways give the same.
                let next = if only.is_some() {
                    assert_eq!(calendar.left(), 0, "an only event is the only one, seed {seed}");
                    only.take()
                } else if is_stepped {
                    calendar.pop_next()
                } else {
                    calendar.pop(phase).map(|event| (phase, event))
                };
                let Some((phase, event)) = next else { break };
                assert_eq!(heap.pop(), Some(Reverse((time, phase, event))), "seed {seed}");
                if rng.random_bool(0.5) {
                    let later = rng.random_range(phase..PHASES);
                    add(&mut calendar, &mut heap, time, later);
                }
                for _ in 0..rng.random_range(0..3) {
                    add(&mut calendar, &mut heap, time + 1 + gap(rng), rng.random_range(0..PHASES));
                }
            }
        }
        let mut shown = Vec::new();
        calendar.for_each(|time, event| shown.push((time, *event)));
        shown.sort_unstable();
        let mut waiting: Vec<_> = heap.iter().map(|Reverse((time, _, event))| (*time, *event)).collect();
        waiting.sort_unstable();
        assert_eq!(shown, waiting, "seed {seed}");
        if heap.len() > 200 {
            heap = keep_first(&mut calendar, heap, time);
        }
    }
}

/// Nothing can be cancelled, so an overfull pair is rebuilt from its first hundred.
fn keep_first(
    calendar: &mut Calendar<u64>,
    heap: BinaryHeap<Reverse<(u64, usize, u64)>>,
    now: u64,
) -> BinaryHeap<Reverse<(u64, usize, u64)>> {
    let mut kept: Vec<_> = heap.into_sorted_vec();
    kept.reverse();
    kept.truncate(100);
    kept.sort_by_key(|Reverse((_, _, sequence))| *sequence);
    *calendar = Calendar::new(PHASES);
    calendar.skip_to(now + 1);
    for Reverse((time, phase, event)) in &kept {
        calendar.schedule(*time, *phase, *event);
    }
    kept.into_iter().collect()
}

fn gap(rng: &mut impl Rng) -> u64 {
    let bits = rng.random_range(0..23);
    rng.random_range(0..1u64 << bits)
}

#[test]
#[should_panic(expected = "scheduled into phase 1")]
fn nothing_goes_behind_the_current_phase() {
    let mut calendar = Calendar::new(3);
    calendar.open(7);
    let _: Option<u8> = calendar.pop(2);
    calendar.schedule(7, 1, 0);
}
