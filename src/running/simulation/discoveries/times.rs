//! Round-trip times: measured on an Ethernet, or by a formula, so that thousands of clusters cost seconds.
//!
//! # Source
//! lawrence2008, section 3.2: a round trip over h switches takes c + 2 (h + 1) x.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::units::Duration;
use simnet_media::ethernet::transport::{Datagram, Tcp};
use simnet_media::ethernet::{Counters, Parameters};
use simnet_network::discovery::{Hops, Rtts};
use simnet_scenario::checked::Topology;
use simnet_scenario::discovery::MadeUp;
use simnet_scenario::ethernet::{Ethernet, Transport};

use super::DiscoveryError;
use crate::simulation::Listener;
use crate::simulation::progress::Heard;
use crate::simulation::rtt::{self, Job, Outcome};

/// What chance adds to every time.
const NOISE: Purpose = Purpose(108);

/// Measures on an Ethernet, idle before; with it how many frames passed cables, and how many found no room.
///
/// # Errors
/// [`DiscoveryError`] if the Ethernet cannot be built.
pub(super) fn measured(
    topology: &Topology,
    ethernet: &Ethernet,
    job: &Job,
    listener: Listener<'_>,
) -> Result<(Outcome, (u64, u64)), DiscoveryError> {
    let parameters = Parameters { seed: job.seed, ..ethernet.parameters(&topology.network, None) };
    let (network, ports) = (&topology.network, &topology.attachments);
    let counts = |counters: &Counters| (counters.hops(), counters.dropped());
    match ethernet.transport {
        Transport::Datagram | Transport::Dcqcn => {
            let mut medium = Datagram::new(network, &parameters, ports, ethernet.header, ())?;
            if ethernet.introduced {
                medium.introduce_all();
            }
            let outcome = rtt::run(&mut Heard::new(&mut medium, listener), job)?;
            Ok((outcome, counts(&medium.counters())))
        }
        Transport::Tcp => {
            let mut medium = Tcp::new(network, &parameters, ports, &ethernet.tcp(job.seed), ())?;
            if ethernet.introduced {
                medium.introduce_all();
            }
            let outcome = rtt::run(&mut Heard::new(&mut medium, listener), job)?;
            Ok((outcome, counts(&medium.counters())))
        }
    }
}

/// The times between machines of these names and hop counts, in either direction with noise of its own. Costs
/// O(machines²).
///
/// # Panics
/// If there are no machines, or not as many names as machines.
pub fn made_up(formula: &MadeUp, names: Vec<String>, hops: &Hops, seed: u64) -> Rtts {
    let mut stream = Stream::new(seed, NOISE, 0);
    let machines = hops.machines();
    let mut cells = vec![Duration::ZERO; machines * machines];
    for a in 0..machines {
        for b in (0..machines).filter(|b| *b != a) {
            let plain = formula.constant + formula.step * u64::from(hops.between(a, b) + 1);
            let time = plain.as_ps().saturating_add_signed(normal(&mut stream, formula.noise));
            cells[a * machines + b] = Duration::from_ps(time.max(1));
        }
    }
    Rtts::new(names, cells).expect("square, named once, above zero")
}

/// Draws about normally with this standard deviation in ps: the sum of twelve uniform numbers less six, which is
/// never beyond six standard deviations.
fn normal(stream: &mut Stream, deviation: Duration) -> i64 {
    let ones: i64 = (0..12).map(|_| i64::try_from(stream.bits() >> 40).expect("24 bits")).sum();
    let scaled = i128::from(ones - (6 << 24)) * i128::from(deviation.as_ps());
    i64::try_from(scaled >> 24).unwrap_or(i64::MAX)
}
