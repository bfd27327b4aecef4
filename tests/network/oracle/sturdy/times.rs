//! The sturdier inference from round-trip times.

use simnet_base::des::random::Stream;
use simnet_base::units::Duration;
use simnet_network::discovery::{Finding, Hops, Rtts, Sturdy, SturdyOptions, SwitchTree, sturdy};

use super::{CHANCE, below, random_tree};
use support_network::{cases, long_cases};

/// lawrence2008's constants in ns: what a round trip takes in addition to its cables, and what a switch more adds.
const CONSTANT: f64 = 85_000.0;
const GIGABIT: f64 = 23_620.0;
const FAST: f64 = 236_200.0;

/// What is measured on a cluster, in ns.
struct Cluster {
    tree: SwitchTree,
    step: f64,
    /// The standard deviation of each measurement.
    noise: f64,
    /// By machine, what it adds.
    offsets: Vec<f64>,
    /// Machines behind a cable, and how much longer a round trip over it takes.
    slow: Option<(Vec<bool>, f64)>,
}

impl Cluster {
    fn new(tree: SwitchTree, step: f64, noise: f64) -> Cluster {
        let offsets = vec![0.0; tree.homes.len()];
        Cluster { tree, step, noise, offsets, slow: None }
    }

    fn measure(&self, stream: &mut Stream) -> Rtts {
        let hops = self.tree.hops();
        let machines = hops.machines();
        let mut cells = vec![Duration::ZERO; machines * machines];
        for a in 0..machines {
            for b in (0..machines).filter(|b| *b != a) {
                let mut time = CONSTANT + self.step * f64::from(hops.between(a, b) + 1);
                time += self.offsets[a] + self.offsets[b] + self.noise * normal(stream);
                if let Some((far, more)) = &self.slow {
                    time += if far[a] == far[b] { 0.0 } else { *more };
                }
                cells[a * machines + b] = ps(time);
            }
        }
        Rtts::new((0..machines).map(|n| format!("m{n}")).collect(), cells).unwrap()
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times of a cluster")]
pub(super) fn ps(ns: f64) -> Duration {
    Duration::from_ps((ns.max(1.0) * 1_000.0) as u64)
}

/// About normal: the sum of twelve uniform numbers.
pub(super) fn normal(stream: &mut Stream) -> f64 {
    (0..12).map(|_| stream.below(1 << 32) as f64 / f64::from(1 << 16) / f64::from(1 << 16)).sum::<f64>() - 6.0
}

/// Switches with so many machines each, and cables between them.
fn tree(machines: &[usize], links: &[(u32, u32)]) -> SwitchTree {
    let homes = (0_u32..).zip(machines).flat_map(|(switch, count)| vec![switch; *count]).collect();
    SwitchTree { homes, switches: u32::try_from(machines.len()).unwrap(), links: links.to_vec() }
}

/// Two machines more on every switch: two switches with one between them that has none look like two.
fn everywhere(mut tree: SwitchTree) -> SwitchTree {
    tree.homes.extend(0..tree.switches);
    tree.homes.extend(0..tree.switches);
    tree
}

fn infer(rtts: &Rtts) -> Sturdy {
    sturdy(rtts, &SturdyOptions::default())
}

/// Findings that say that something is odd, not only what the tree leaves open.
fn alarms(found: &Sturdy) -> Vec<&Finding> {
    let is_remark = |finding: &Finding| {
        matches!(
            finding,
            Finding::OneClass
                | Finding::NoPairOnOneSwitch
                | Finding::NoPairTwoSwitchesApart
                | Finding::AloneOrSlow { .. }
                | Finding::UnsureStep { .. }
        )
    };
    found.findings.iter().filter(|finding| !is_remark(finding)).collect()
}

/// Wrong if the paper's own example were not read as the paper reads it.
#[test]
fn fig_6_gives_fig_8() {
    let us = [
        [0, 131, 157, 156, 173, 175],
        [134, 0, 159, 158, 176, 177],
        [160, 155, 0, 132, 158, 159],
        [159, 159, 132, 0, 159, 159],
        [176, 176, 159, 159, 0, 132],
        [176, 175, 159, 156, 132, 0],
    ];
    let names = (0..6).map(|n| format!("n{n}")).collect();
    let rtts = Rtts::new(names, us.concat().into_iter().map(Duration::from_us).collect()).unwrap();
    let found = infer(&rtts);
    let wanted = tree(&[2, 2, 2], &[(0, 1), (1, 2)]).hops();
    assert_eq!(found.hops, wanted);
    assert_eq!(found.findings, []);
    let us = found.step.as_ps() / 1_000_000;
    assert!((20..=25).contains(&us), "{}", found.step);
}

/// Wrong if one of the paper's clusters were missed, or something odd were seen in it.
#[test]
fn the_papers_clusters_are_recovered_at_both_speeds() {
    let clusters = [
        tree(&[16], &[]),
        tree(&[16, 16], &[(0, 1)]),
        tree(&[8, 8, 8, 8], &[(0, 1), (1, 2), (2, 3)]),
        tree(&[8, 8, 8, 8], &[(0, 1), (0, 2), (0, 3)]),
        tree(&[8, 16, 8], &[(0, 1), (1, 2)]),
    ];
    for case in 0..long_cases(100) {
        for (nth, tree) in clusters.iter().enumerate() {
            for step in [GIGABIT, FAST] {
                let mut stream = Stream::new(case, CHANCE, 10);
                let found = infer(&Cluster::new(tree.clone(), step, 1_500.0).measure(&mut stream));
                assert_eq!(found.hops, tree.hops(), "cluster {nth}, seed {case}");
                assert_eq!(alarms(&found), Vec::<&Finding>::new(), "cluster {nth}, seed {case}");
                if nth > 0 {
                    let step_ns = found.step.as_ps() as f64 / 1_000.0;
                    assert!((step_ns / step - 1.0).abs() < 0.05, "{} for {step} ns", found.step);
                }
            }
        }
    }
}

/// Wrong if what the paper's heuristic cannot find were not found by the shape of trees, or by the step.
#[test]
fn what_the_papers_heuristic_cannot_tell() {
    let mut stream = Stream::new(0, CHANCE, 11);
    let star = tree(&[0, 4, 4, 4], &[(0, 1), (0, 2), (0, 3)]);
    let found = infer(&Cluster::new(star.clone(), GIGABIT, 1_000.0).measure(&mut stream));
    assert_eq!(found.hops, star.hops());
    assert_eq!(found.findings, [Finding::NoPairTwoSwitchesApart]);
    let chain = tree(&[1, 1, 1, 1], &[(0, 1), (1, 2), (2, 3)]);
    let found = infer(&Cluster::new(chain.clone(), GIGABIT, 1_000.0).measure(&mut stream));
    assert_eq!(found.hops, chain.hops());
    assert_eq!(found.findings, [Finding::NoPairOnOneSwitch]);
    // Two switches with one between them that has no machines: as good as two with a step of twice the length.
    let apart = Cluster::new(tree(&[5, 5, 0], &[(0, 2), (2, 1)]), GIGABIT, 1_000.0);
    let rtts = apart.measure(&mut stream);
    assert_eq!(infer(&rtts).tree.switches, 2);
    let known = SturdyOptions { step: Some(Duration::from_ns(23_620)) };
    assert_eq!(sturdy(&rtts, &known).hops, apart.tree.hops());
    assert_eq!(sturdy(&rtts, &known).step, Duration::from_ns(23_620));
}

/// Wrong if a homogeneous cluster with noise as the paper has it, and machines that differ a little, raised an alarm
/// or were not recovered.
#[test]
fn clusters_of_like_machines_raise_no_alarm() {
    let (mut tried, mut missed) = (0, 0);
    for case in 0..long_cases(600) {
        let mut stream = Stream::new(case, CHANCE, 12);
        let (switches, machines) = (1 + below(&mut stream, 8), 6 + below(&mut stream, 26));
        let tree = everywhere(random_tree(&mut stream, switches, machines, 2));
        let mut cluster = Cluster::new(tree, GIGABIT, 1_000.0 + 250.0 * (case % 5) as f64);
        if case % 2 == 0 {
            cluster.offsets.iter_mut().for_each(|offset| *offset = 1_000.0 * normal(&mut stream));
        }
        let found = infer(&cluster.measure(&mut stream));
        assert_eq!(alarms(&found), Vec::<&Finding>::new(), "seed {case}");
        tried += 1;
        missed += usize::from(found.hops != cluster.tree.hops());
    }
    // Of few machines on one switch, two that are a little slower may look like two on another.
    assert!(missed * 100 <= tried, "{missed} of {tried} not recovered");
}

/// Wrong if a machine whose software takes a fifth, or a half, more time were taken for one further away, or another
/// were named.
#[test]
fn a_slow_machine_is_named_and_stays_where_it_is() {
    let (mut tried, mut missed) = (0, 0);
    for case in 0..long_cases(400) {
        let mut stream = Stream::new(case, CHANCE, 13);
        let (switches, machines) = (2 + below(&mut stream, 5), 10 + below(&mut stream, 22));
        let tree = everywhere(random_tree(&mut stream, switches, machines, 3));
        let mut cluster = Cluster::new(tree, GIGABIT, 1_200.0);
        let slow = below(&mut stream, cluster.offsets.len());
        // Half of the constant is a machine's own.
        let share = [0.2, 0.4, 0.8, -0.2][below(&mut stream, 4)];
        cluster.offsets[slow] = share * CONSTANT / 2.0;
        let found = infer(&cluster.measure(&mut stream));
        let named: Vec<usize> = alarms(&found).iter().flat_map(|finding| finding.machines()).collect();
        let offset = found.offsets[slow] as f64 / 1_000.0;
        let is_right = named == [slow]
            && found.hops == cluster.tree.hops()
            && found.findings.iter().any(|finding| finding.code() == "odd-machine")
            && (offset - cluster.offsets[slow]).abs() < 3_000.0;
        tried += 1;
        missed += usize::from(!is_right);
        if !is_right {
            println!("seed {case}, {share}: {:?}", found.findings);
        }
    }
    assert!(missed * 100 <= tried, "{missed} of {tried} missed");
}

/// Wrong if one cable at 100 Mb/s between switches at 1 Gb/s, or one half a step off, went unnamed, or bent the rest
/// of the tree.
#[test]
fn a_slow_cable_is_named_by_its_smaller_side() {
    let (mut tried, mut missed) = (0, 0);
    for case in 0..long_cases(300) {
        let mut stream = Stream::new(case, CHANCE, 14);
        let (switches, machines) = (4 + below(&mut stream, 4), 16 + below(&mut stream, 16));
        let tree = everywhere(random_tree(&mut stream, switches, machines, 3));
        let mut cluster = Cluster::new(tree, GIGABIT, 1_200.0);
        let (a, b) = cluster.tree.links[below(&mut stream, cluster.tree.links.len())];
        let far = beyond(&cluster.tree, (a, b));
        let steps = [9.0, 9.4, 1.5, 0.5][below(&mut stream, 4)];
        cluster.slow = Some((far.clone(), steps * GIGABIT));
        let found = infer(&cluster.measure(&mut stream));
        let sides: Vec<Vec<usize>> =
            [true, false].map(|side| (0..far.len()).filter(|m| far[*m] == side).collect()).to_vec();
        let smaller = sides.iter().map(Vec::len).min();
        let alarms = alarms(&found);
        let is_named = alarms.len() == 1
            && alarms[0].code() == "odd-link"
            && sides.contains(&alarms[0].machines())
            && Some(alarms[0].machines().len()) == smaller;
        // Beyond the cable hop counts may be a switch off; nine steps more are one slow cable.
        let truth = cluster.tree.hops();
        let pairs = || (0..far.len()).flat_map(|a| (0..far.len()).map(move |b| (a, b)));
        let is_right = pairs().all(|(a, b)| {
            (far[a] != far[b] && steps < 5.0) || found.hops.between(a, b) == truth.between(a, b)
        });
        tried += 1;
        missed += usize::from(!is_named || !is_right);
        if !is_named || !is_right {
            println!("seed {case}, {steps}: {:?}", found.findings);
        }
    }
    assert!(missed * 100 <= tried, "{missed} of {tried} missed");
}

/// The machines on `b`'s side of the cable between `a` and `b`.
fn beyond(tree: &SwitchTree, (a, b): (u32, u32)) -> Vec<bool> {
    let near = tree.neighbours();
    let mut seen = vec![false; tree.switches as usize];
    let mut stack = vec![b];
    while let Some(at) = stack.pop() {
        seen[at as usize] = true;
        stack.extend(near[at as usize].iter().filter(|n| !seen[**n as usize] && (at != b || **n != a)));
    }
    tree.homes.iter().map(|home| seen[*home as usize]).collect()
}

/// Wrong if one disturbed measurement moved a machine or went unsaid.
#[test]
fn disturbed_pairs_are_named_and_move_nobody() {
    for case in 0..long_cases(300) {
        let mut stream = Stream::new(case, CHANCE, 15);
        let (switches, machines) = (2 + below(&mut stream, 6), 12 + below(&mut stream, 20));
        let tree = everywhere(random_tree(&mut stream, switches, machines, 2));
        let cluster = Cluster::new(tree, GIGABIT, 1_000.0);
        let rtts = cluster.measure(&mut stream);
        let machines = rtts.machines();
        let (a, b) = (0, 1 + below(&mut stream, machines - 1));
        let both = case % 2 == 0;
        let disturbed = |x: usize, y: usize| (x, y) == (a, b) || (both && (x, y) == (b, a));
        let cells = (0..machines * machines).map(|at| (at / machines, at % machines)).map(|(x, y)| {
            Duration::from_ps(rtts.get(x, y).as_ps() + if disturbed(x, y) { 90_000_000 } else { 0 })
        });
        let found = infer(&Rtts::new(rtts.names().to_vec(), cells.collect()).unwrap());
        assert_eq!(found.hops, cluster.tree.hops(), "seed {case}");
        let wanted = if both { "outlier" } else { "directions" };
        let alarms = alarms(&found);
        let named: Vec<(&str, Vec<usize>)> = alarms.iter().map(|x| (x.code(), x.machines())).collect();
        assert_eq!(named, [(wanted, vec![a, b])], "seed {case}");
        assert!(alarms[0].describe(rtts.names()).contains(&format!("m{b}")));
    }
}

/// Wrong if any matrix made it panic, give no tree, or differ from run to run.
#[test]
fn any_matrix_has_some_tree() {
    for case in 0..cases(1_000) {
        let mut stream = Stream::new(case, CHANCE, 16);
        let machines = 1 + below(&mut stream, 12);
        let most = u64::MAX >> (case % 64);
        let mut cell = |at: usize| {
            let own = at / machines == at % machines;
            Duration::from_ps(if own { 0 } else { 1 + stream.below(most) })
        };
        let cells = (0..machines * machines).map(&mut cell).collect();
        let rtts = Rtts::new((0..machines).map(|n| format!("m{n}")).collect(), cells).unwrap();
        let found = infer(&rtts);
        assert_eq!(found.tree.links.len() + 1, found.tree.switches as usize, "seed {case}");
        assert_eq!(found.tree.hops(), found.hops, "seed {case}");
        assert_eq!(found, infer(&rtts), "seed {case}");
        found.findings.iter().for_each(|finding| assert!(!finding.describe(rtts.names()).is_empty()));
    }
}

/// Wrong if machines in another order had another tree, where the noise leaves no doubt.
#[test]
fn the_order_of_machines_does_not_matter() {
    for case in 0..cases(200) {
        let mut stream = Stream::new(case, CHANCE, 17);
        let (switches, machines) = (1 + below(&mut stream, 6), 8 + below(&mut stream, 20));
        let tree = everywhere(random_tree(&mut stream, switches, machines, 2));
        let cluster = Cluster::new(tree, GIGABIT, 1_000.0);
        let rtts = cluster.measure(&mut stream);
        let machines = rtts.machines();
        let mut order: Vec<usize> = (0..machines).collect();
        order.sort_by_cached_key(|_| stream.bits());
        let cells = order.iter().flat_map(|a| order.iter().map(|b| rtts.get(*a, *b))).collect();
        let names = order.iter().map(|a| rtts.names()[*a].clone()).collect();
        let (first, second) = (infer(&rtts), infer(&Rtts::new(names, cells).unwrap()));
        let wanted = Hops::new(machines, |a, b| first.hops.between(order[a], order[b]));
        assert_eq!(second.hops, wanted, "seed {case}");
    }
}

/// Wrong if a known step gave another tree than the true one to machines that are each alone on a switch.
#[test]
fn a_known_step_needs_no_two_machines_on_a_switch() {
    for switches in 4..=10 {
        let homes: Vec<usize> = (0..switches).collect();
        let links: Vec<(u32, u32)> =
            (1..u32::try_from(switches).unwrap()).map(|nth| (nth - 1, nth)).collect();
        let cluster = Cluster::new(tree(&homes, &links), GIGABIT, 0.0);
        let rtts = cluster.measure(&mut Stream::new(0, CHANCE, 18));
        let options = SturdyOptions { step: Some(ps(GIGABIT)) };
        let found = sturdy(&rtts, &options);
        assert_eq!(found.hops, cluster.tree.hops(), "{switches} switches");
    }
}
