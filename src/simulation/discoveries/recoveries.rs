//! Random clusters recovered from made-up matrices: no time passes and no message is sent.
//!
//! # Scope and limitations
//! A round trip over h switches takes c + 2 (h + 1) x and noise of its own, normally distributed, either way anew. Here
//! 2 x is 23.6 us and c is 85 us, as lawrence2008's Fig. 6 has them; methods that take times for what they are depend
//! on the ratio of noise and step alone, and the paper's, which has a noise in microseconds, on both. Cluster `k` of
//! a size is the same for every noise and every method.

use rayon::prelude::*;

use crate::des::random::{Purpose, Stream};
use crate::discovery::{Hops, Rtts};
use crate::scenario::Checked;
use crate::scenario::discovery::{Discovery, Recovery};
use crate::topology::{Network, generate};
use crate::units::Duration;

use super::super::Progress;
use super::infer::Inferred;
use super::{RecoveryReport, truth};

/// Of clusters.
const CLUSTERS: Purpose = Purpose(120);
/// Of the noise of their round-trip times.
const NOISE: Purpose = Purpose(121);

/// What a round trip takes beside switches, in ps.
const BASE: u64 = 85_000_000;
/// What one more switch adds to it.
const STEP: u64 = 23_600_000;

/// Every size, method and noise.
pub(super) fn all(checked: &Checked, discovery: &Discovery, progress: &dyn Progress) -> Vec<RecoveryReport> {
    let Some(recovery) = &discovery.recovery else { return Vec::new() };
    let clusters: Vec<(u64, u32)> =
        recovery.switches.iter().flat_map(|size| (0..recovery.instances).map(|k| (*size, k))).collect();
    progress.stage("recovering", clusters.len() as u64);
    let one = |(size, k): &(u64, u32)| {
        let found = recovered(checked, discovery, recovery, *size, *k);
        progress.step();
        found
    };
    let found: Vec<Vec<bool>> = clusters.par_iter().map(one).collect();
    let mut rows = Vec::new();
    for (nth, size) in recovery.switches.iter().enumerate() {
        let of_size = &found[nth * recovery.instances as usize..][..recovery.instances as usize];
        let mut cell = 0;
        for method in &discovery.methods {
            for noise in &recovery.noise_permille {
                let times = of_size.iter().filter(|found| found[cell]).count();
                cell += 1;
                let recovered = u32::try_from(times).expect("clusters are numbered by a u32");
                rows.push(RecoveryReport {
                    id: format!("{size}/{}/noise-{noise}", method.name()),
                    method: method.name(),
                    switches: *size,
                    machines: size * recovery.machines_per_switch,
                    noise_permille: *noise,
                    clusters: recovery.instances,
                    recovered,
                    share: f64::from(recovered) / f64::from(recovery.instances),
                });
            }
        }
    }
    rows
}

/// Whether each method recovered a cluster, by method, then noise.
fn recovered(checked: &Checked, discovery: &Discovery, recovery: &Recovery, size: u64, k: u32) -> Vec<bool> {
    let seed = Stream::new(checked.seed ^ size.rotate_left(32), CLUSTERS, k).bits();
    let parameters = [("switches", size), ("machines", size * recovery.machines_per_switch)];
    let network = generate::build("random-tree", &parameters, seed).expect("sizes were checked");
    let truth = truth::of_tree(&network);
    let made_up: Vec<Rtts> =
        recovery.noise_permille.iter().map(|noise| made_up(&network, &truth, *noise, seed)).collect();
    let methods = discovery.methods.iter();
    let found = methods.flat_map(|method| made_up.iter().map(move |rtts| (method, rtts)));
    let is_right = |(method, rtts): (&_, &Rtts)| {
        let tree = Inferred::new(*method, discovery, None, rtts).tree;
        tree.is_some_and(|tree| tree.hops() == truth)
    };
    found.map(is_right).collect()
}

/// Round-trip times with noise of so many thousandths of a step.
fn made_up(network: &Network, truth: &Hops, permille: u32, seed: u64) -> Rtts {
    let mut stream = Stream::new(seed, NOISE, 0);
    let machines = truth.machines();
    let mut cells = vec![Duration::ZERO; machines * machines];
    for from in 0..machines {
        for to in (0..machines).filter(|to| *to != from) {
            let clean = i128::from(BASE + STEP * (u64::from(truth.between(from, to)) + 1));
            let noise = normal(&mut stream) * i128::from(STEP) * i128::from(permille) / 1_000 / SIGMA;
            let time = u64::try_from((clean + noise).max(1)).expect("above zero, and far from the most");
            cells[from * machines + to] = Duration::from_ps(time);
        }
    }
    let names = network.hosts().iter().map(|host| host.name.clone()).collect();
    Rtts::new(names, cells).expect("names are those of a network, and times are above zero")
}

/// The standard deviation of [`normal`].
const SIGMA: i128 = 1 << 32;

/// A number about zero, as good as normally distributed: the sum of twelve equally distributed ones.
fn normal(stream: &mut Stream) -> i128 {
    let sum: i128 = (0..12).map(|_| i128::from(stream.below(1 << 32))).sum();
    sum - 6 * (1 << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the noise were not centred, or not as wide as it is said to be.
    #[test]
    fn noise_has_mean_and_deviation() {
        let mut stream = Stream::new(1, NOISE, 0);
        let drawn: Vec<f64> = (0..20_000).map(|_| normal(&mut stream) as f64 / SIGMA as f64).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let square = drawn.iter().map(|x| x * x).sum::<f64>() / drawn.len() as f64;
        assert!(mean.abs() < 0.03 && (square - 1.0).abs() < 0.05, "mean {mean}, square {square}");
    }
}
