//! Several pairs at once: safe where no cable is shared, and seen not to be where one is.

use simnet_media::host::rtt::Schedule;
use simnet_running::simulation::rtt;
use simnet_running::simulation::rtt::JobError;

use super::{Tree, job, megabits, run};

/// What the round trips between machines of different homes (of all, on one switch) take longer at once than in
/// sequence, on average and at most, in microseconds; and how much sooner all is done.
fn compare(tree: &Tree, pairs: u32, jitter: u32) -> (f64, f64, f64) {
    let machines = tree.homes.len();
    let rate = megabits(1_000);
    let mut with = job(machines);
    with.software.jitter = jitter;
    let alone = run(&mut tree.ethernet(rate), &with);
    with.plan.schedule = Schedule::AtOnce(pairs);
    let together = run(&mut tree.ethernet(rate), &with);
    let (a, b) = (alone.rtts.unwrap(), together.rtts.unwrap());
    let crosses = |from: usize, to: usize| tree.parents.is_empty() || tree.homes[from] != tree.homes[to];
    let cells = (0..machines).flat_map(|from| (0..machines).map(move |to| (from, to)));
    let apart = |(from, to)| (b.get(from, to).as_ps() as f64 - a.get(from, to).as_ps() as f64) / 1e6;
    let apart: Vec<f64> = cells.filter(|(from, to)| crosses(*from, *to)).map(apart).collect();
    let mean = apart.iter().sum::<f64>() / apart.len() as f64;
    let most = apart.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    (mean, most, alone.measuring.as_ps() as f64 / together.measuring.as_ps() as f64)
}

/// Wrong if pairs on one switch, whose cables no other pair uses, disturbed one another at all, or if measuring at once
/// took no less.
#[test]
fn pairs_that_share_no_cable_measure_the_same() {
    let one_switch = Tree { parents: Vec::new(), homes: vec![0; 12] };
    for (pairs, sooner) in [(1, 0.95), (2, 1.9), (3, 2.9), (6, 5.8), (1_000, 5.8)] {
        let (_, most, faster) = compare(&one_switch, pairs, 0);
        assert!(most < 1e-6, "{pairs} pairs: {most} us apart");
        assert!(faster > sooner, "{pairs} pairs: {faster} times as fast");
        // With jitter a result has a standard deviation of 0.6 us: the mean of 132 differences one of 0.07 us.
        let (mean, most, _) = compare(&one_switch, pairs, 270);
        assert!(mean.abs() < 0.3 && most < 4.5, "{pairs} pairs: {mean} and {most} us apart");
    }
}

/// Wrong if pairs that share a cable between switches did not slow one another down: eight machines of either switch
/// ping across it at the same time. Without jitter they fall into step after the first collision, with it they never
/// do.
#[test]
fn pairs_that_share_a_cable_do_not() {
    let trunk = Tree { parents: vec![0], homes: (0..16).map(|machine| machine / 8).collect() };
    let (_, alone, _) = compare(&trunk, 1, 0);
    let (_, in_step, _) = compare(&trunk, 8, 0);
    let (mean, most, faster) = compare(&trunk, 8, 270);
    eprintln!(
        "across a cable, us: alone {alone}, in step {in_step}, with jitter {mean} (at most {most}), {faster} times"
    );
    assert!(alone < 1e-6, "{alone} us");
    assert!(in_step > 0.1, "{in_step} us");
    assert!(mean > 1.5 && most > 3.0, "{mean} and {most} us");
}

/// Wrong if a job that cannot be run were, or one that can were not.
#[test]
fn impossible_jobs_are_refused() {
    let refused = |change: &dyn Fn(&mut rtt::Job)| {
        let mut with = job(3);
        change(&mut with);
        let tree = Tree { parents: Vec::new(), homes: vec![0; 3] };
        rtt::run(&mut tree.ethernet(megabits(100)), &with).err().map(|error| error.to_string())
    };
    assert_eq!(refused(&|_| {}), None);
    assert!(refused(&|job| job.plan.first = 1).unwrap().contains("1 to 1000 samples"));
    assert!(refused(&|job| job.plan.most = 1_001).unwrap().contains("26 to 1001 samples"));
    assert!(refused(&|job| job.plan.round_trips = 0).is_some());
    assert!(refused(&|job| job.plan.message = simnet_base::units::Bytes(0)).is_some());
    assert!(refused(&|job| job.plan.message = simnet_base::units::Bytes(u64::MAX)).is_some());
    assert!(refused(&|job| job.plan.schedule = Schedule::AtOnce(0)).is_some());
    assert!(refused(&|job| job.names[2] = "n1".to_owned()).unwrap().contains("`n1`"));
    assert!(refused(&|job| job.machines[2] = job.machines[0]).unwrap().contains("`n2`"));
    assert!(refused(&|job| drop(job.names.pop())).is_some());
    assert!(refused(&|job| job.noise.drift = 1_001).is_some());
    assert!(refused(&|job| job.noise.background_ppm = 1_000_000).is_some());
    let nobody = job(0);
    let tree = Tree { parents: Vec::new(), homes: Vec::new() };
    assert_eq!(rtt::run(&mut tree.ethernet(megabits(100)), &nobody), Err(JobError::NoMachines));
}
