//! Noise: the same from the same seed, each kind on a stream of its own, and none of it without end.

use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::medium::Ideal;
use simnet_running::simulation::ranks::Noise;
use simnet_running::simulation::rtt::{self, Job, lawrence};

use super::{Tree, job, megabits, run};

fn tree() -> Tree {
    Tree { parents: vec![0, 0], homes: vec![0, 0, 1, 1, 2, 2] }
}

fn noisy(seed: u64) -> Job {
    let names = (0..6).map(|rank| format!("n{rank}")).collect();
    lawrence::job((0..6).map(HostId::new).collect(), names, seed)
}

/// Wrong if a run hung on anything but job and medium, or another seed gave the same.
#[test]
fn the_same_seed_gives_the_same() {
    let mut with = noisy(5);
    with.noise.background_ppm = 30_000;
    with.noise.background_message = Bytes(9_000);
    let runs = [(); 2].map(|()| run(&mut tree().ethernet(megabits(1_000)), &with));
    assert_eq!(runs[0], runs[1]);
    with.seed = 6;
    assert_ne!(run(&mut tree().ethernet(megabits(1_000)), &with).rtts, runs[0].rtts);
}

/// Wrong if a kind of noise did not do as described: the mean round trip of a run against what follows from it.
#[test]
fn every_kind_moves_the_mean_as_it_must() {
    let mean = |with: &Job| {
        let rtts = run(&mut Ideal::new(6, megabits(1_000), Duration::ZERO), with).rtts.unwrap();
        let sum: f64 = (0..6).flat_map(|a| rtts.row(a).to_vec()).map(|rtt| rtt.as_ps() as f64 / 1e6).sum();
        sum / 30.0
    };
    let quiet = mean(&job(6));
    assert!((quiet - 85.0 - 22.4).abs() < 1e-6, "{quiet}");
    let with = |change: &dyn Fn(&mut Job)| {
        let mut with = job(6);
        with.plan.first = 200;
        with.plan.threshold_ppm = u32::MAX;
        change(&mut with);
        mean(&with)
    };
    // 30,000 round trips of 4 pieces of 21.25 us: uniform within 40 %, each has a standard deviation of 4.9 us.
    let jitter = with(&|job| job.software.jitter = 400);
    assert!((jitter - quiet).abs() < 4.0 * 2.0 * 4.9 / 173.0, "{jitter}");
    // A hundredth of the pieces interrupted for 50 us: 2 us a round trip, each interruption's deviation 50 us.
    let interrupted = with(&|job| {
        (job.noise.outliers_ppm, job.noise.outlier_mean) = (10_000, Duration::from_us(50));
    });
    assert!((interrupted - quiet - 2.0).abs() < 4.0 * 0.1 * 70.0 * 2.0 / 173.0, "{interrupted}");
    // Half of the software of 5 pairs of 15 is twice as slow.
    let paced = with(&|job| job.paces = vec![(HostId(3), 2_000)]);
    assert!((paced - quiet - 42.5 / 3.0).abs() < 1e-6, "{paced}");
    let drifting = with(&|job| (job.noise.drift, job.noise.drift_period) = (100, Duration::from_us(100)));
    let apart = (drifting - quiet).abs();
    assert!(apart > 1e-6 && apart < 0.5, "{drifting}");
}

/// Wrong if traffic in the background did not slow pings down, kept a run from ending, or were counted.
#[test]
fn background_traffic_slows_and_ends() {
    let quiet = job(6);
    let mut busy = job(6);
    busy.noise = Noise { background_ppm: 100_000, background_message: Bytes(1_400), ..Noise::NONE };
    let [without, with] = [&quiet, &busy].map(|job| run(&mut tree().ethernet(megabits(100)), job));
    let sum = |outcome: &rtt::Outcome| -> u64 {
        let rtts = outcome.rtts.as_ref().unwrap();
        (0..6).flat_map(|a| rtts.row(a).to_vec()).map(Duration::as_ps).sum()
    };
    let slower = sum(&with) as f64 / sum(&without) as f64;
    eprintln!("background traffic: {slower} times as long");
    assert!((1.01..1.5).contains(&slower), "{slower}");
    let pings = |outcome: &rtt::Outcome| outcome.samples.iter().map(|n| u64::from(*n)).sum::<u64>();
    assert!(with.messages >= pings(&with) * 10 && without.messages == 30 * 261 + 6 + 10);
}
