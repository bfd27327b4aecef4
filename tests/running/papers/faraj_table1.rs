//! One set of host constants against the stated times of faraj2008: Table 1, and topology (f) of Fig. 10.

use simnet_base::ids::{HostId, SwitchId};
use simnet_base::units::Duration;
use simnet_media::ethernet::transport::{Tcp, TcpParameters};
use simnet_media::ethernet::{Buffer, Parameters};
use simnet_media::host::collective::Algorithm;
use simnet_network::ring::{self, Tree};
use simnet_network::topology::{Network, presets};
use simnet_running::simulation::ranks::{self, Job, LAM_LEAST_TIMEOUT, LAM_PORT_BUFFER, Protocol, Software};
use simnet_scenario::allgather::Iterations;

use crate::processes::allgather::{job, megabits, run};
use support_media::ethernet::attachments;
use support_network::cases;

/// Milliseconds of an all-gather of blocks of `kilobytes`, measured as the paper does, by ranks over LAM; with a share
/// of the paper's repetitions unless thorough.
fn milliseconds(network: &Network, algorithm: Algorithm, order: Option<Vec<usize>>, kilobytes: u64) -> f64 {
    let mut parameters = Parameters::uniform(network.links().len(), megabits(100), Duration::from_us(1));
    parameters.buffer = Buffer::PerPort(LAM_PORT_BUFFER);
    let tcp = TcpParameters { least_timeout: LAM_LEAST_TIMEOUT, ..TcpParameters::default() };
    let mut medium = Tcp::new(network, &parameters, &attachments(network), &tcp, ()).unwrap();
    medium.introduce_all();
    let base = job(algorithm, network.hosts().len(), kilobytes << 10, Protocol::SOCKET);
    let paper = Iterations::Paper.of(base.block);
    let few = if network.hosts().len() > 16 { 3 } else { 2 };
    let iterations = if cases(20) == 20 { paper } else { few };
    let outcome = run(&mut medium, &Job { order, iterations, software: Software::LAM_ON_P4, ..base });
    outcome.mean().unwrap().as_ms_f64()
}

/// The order of ranks on the ring that `algorithm` finds on the network's first switch's tree.
fn on(network: &Network, algorithm: ring::Algorithm) -> Option<Vec<usize>> {
    let ring = algorithm.ring(&Tree::bfs(network, SwitchId(0)).unwrap()).unwrap();
    let machines: Vec<HostId> = network.host_ids().collect();
    ranks::order_on_ring(&machines, &ring.hosts)
}

fn ring_time(preset: &str, algorithm: ring::Algorithm, kilobytes: u64) -> f64 {
    let network = presets::load(preset).unwrap();
    let order = on(&network, algorithm);
    milliseconds(&network, Algorithm::Ring, order, kilobytes)
}

/// Table 1 in milliseconds: size in KB, LR1 on (d), LR2 on (d), LR1 on (a).
const TABLE_1: [(u64, f64, f64, f64); 5] = [
    (32, 50.9, 48.0, 47.0),
    (48, 72.9, 68.4, 67.2),
    (64, 116.9, 95.7, 90.8),
    (96, 180.0, 172.7, 162.6),
    (128, 236.8, 233.7, 220.6),
];

/// Wrong if one set of constants gave some time of Table 1 10 % off, or a ring of one hop were not the fastest. LR1's
/// and LR2's times at 64 KB on (d) are outliers of the paper (trap 15) and only reported.
#[test]
fn table_1_comes_out_within_a_tenth() {
    for (kilobytes, lr1_d, lr2_d, lr1_a) in TABLE_1 {
        let four_hops = ring_time("faraj-d", ring::Algorithm::Lr1, kilobytes);
        let two_hops = ring_time("faraj-d", ring::Algorithm::Lr2, kilobytes);
        let one_hop = ring_time("faraj-a", ring::Algorithm::Lr1, kilobytes);
        let cells =
            [("LR1 (d)", four_hops, lr1_d), ("LR2 (d)", two_hops, lr2_d), ("LR1 (a)", one_hop, lr1_a)];
        for (name, ours, paper) in cells {
            let off = ours / paper - 1.0;
            eprintln!("{kilobytes} KB, {name}: {ours:.1} ms, paper {paper} ms, {:+.1} %", off * 100.0);
            let is_excused = kilobytes == 64 && name.ends_with("(d)");
            assert!(is_excused || off.abs() < 0.1, "{kilobytes} KB, {name}: {ours} ms, paper {paper} ms");
        }
        assert!(
            four_hops > 0.999 * two_hops && two_hops > one_hop,
            "{kilobytes} KB: longer paths take longer"
        );
    }
}

/// Wrong if the same constants gave LR1, MPICH or LAM at 128 KB on (f), or MPICH's and LAM's times as multiples of
/// LR1's, a fifth off what the paper states.
#[test]
fn topology_f_comes_out_within_a_fifth() {
    let network = presets::load("faraj-f").unwrap();
    let lr1 = ring_time("faraj-f", ring::Algorithm::Lr1, 128);
    let mpich = milliseconds(&network, Algorithm::Mpich, None, 128);
    let lam = milliseconds(&network, Algorithm::Lam, None, 128);
    let cells = [
        ("LR1, ms", lr1, 473.7),
        ("MPICH, ms", mpich, 3_595.0),
        ("LAM, ms", lam, 5_346.0),
        ("MPICH over LR1", mpich / lr1, 7.6),
        ("LAM over LR1", lam / lr1, 11.3),
    ];
    for (name, ours, paper) in cells {
        let off = ours / paper - 1.0;
        eprintln!("(f), {name}: {ours:.2}, paper {paper}, {:+.1} %", off * 100.0);
        assert!(off.abs() < 0.2, "{name}: {ours}, paper {paper}");
    }
}
