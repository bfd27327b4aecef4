//! How is measured, and what disturbs it.

use std::ops::RangeInclusive;

use simnet_base::diagnostics::Fault;
use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::rtt::{Plan, Schedule};

use crate::check::allgather::{MOST_WORK, at_most, overheads};
use crate::check::{conflict, in_bytes, names, out_of_range, quantity, within};
use crate::checked::Topology;
use crate::diagnostics::Diagnostics;
use crate::discovery::{Noise, Software, scaled};
use crate::ethernet::{Ethernet, Transport};
use crate::wire::{self, Given, Located, Share};

/// Samples of a set.
const SAMPLES: RangeInclusive<u32> = 2..=Plan::MOST;
/// Bytes of a message and of an envelope.
const MESSAGES: RangeInclusive<u64> = 0..=65_536;
/// How long a machine keeps a pace.
const PERIODS: RangeInclusive<Duration> = Duration::from_us(1)..=Duration::from_ms(1_000_000);
/// The most of a cable's time that other traffic takes, in millionths.
const MOST_BACKGROUND: u32 = 950_000;
/// All of something, in millionths.
const ALL: u32 = 1_000_000;
/// What IPv4 and TCP put before data, without options.
const TCP_HEADERS: u32 = 40;

/// How round-trip times are measured.
pub(super) fn plan(
    wire: &wire::Discovery,
    medium: Option<&Ethernet>,
    diagnostics: &mut Diagnostics,
) -> Option<Plan> {
    let message = message(wire, medium, diagnostics);
    let at_once = wire.at_once.get().and_then(|at| within(*at, 1..=256, diagnostics));
    let at_once = at_once.map(|pairs| if pairs == 1 { Schedule::Sequence } else { Schedule::AtOnce(pairs) });
    let round_trips = wire.round_trips.get().and_then(|at| within(*at, 1..=1_000, diagnostics));
    let first = wire.samples.get().and_then(|at| within(*at, SAMPLES, diagnostics));
    let most = wire.most_samples.get().and_then(|at| within(*at, SAMPLES, diagnostics).map(|_| *at));
    if let (Some(first), Some(most)) = (first, most)
        && most.value < first
    {
        let expected = format!("expected at least {first}, the samples of the first set");
        out_of_range(most.place, format!("{} is out of range", most.value), expected, diagnostics);
    }
    let threshold =
        wire.threshold.get().and_then(|at| share(*at, ALL, diagnostics).map(|ppm| (ppm, at.place)));
    if let Some((0, place)) = threshold {
        out_of_range(place, "no interval has no width", "expected a share above zero", diagnostics);
    }
    Some(Plan {
        message: Bytes(message?),
        round_trips: round_trips?,
        first: first?,
        most: most?.value,
        threshold_ppm: threshold?.0,
        schedule: at_once?,
    })
}

/// The length of a ping, which fits into a frame with all that is before it.
fn message(wire: &wire::Discovery, medium: Option<&Ethernet>, diagnostics: &mut Diagnostics) -> Option<u64> {
    let at = quantity(&wire.message)?;
    let bytes = in_bytes(at, 1..=*MESSAGES.end(), diagnostics)?;
    let envelope = wire.software.value().and_then(|software| quantity(&software.envelope));
    let envelope = envelope.filter(|envelope| MESSAGES.contains(&envelope.value.0));
    let (Some(medium), Some(envelope)) = (medium, envelope) else { return Some(bytes) };
    let headers = u64::from(headers(medium));
    let room = u64::from(medium.mtu).saturating_sub(headers).saturating_sub(envelope.value.0);
    if bytes <= room {
        return Some(bytes);
    }
    diagnostics.add(at.place, |span| {
        let message = format!("{bytes} B and headers do not fit into a frame");
        let expected = format!(
            "expected at most {room} B: an mtu of {} B, less {headers} B of headers and the envelope's {} B",
            medium.mtu, envelope.value.0
        );
        Fault::new("out-of-range", span, message, expected)
    });
    None
}

/// What a frame carries before a message's envelope.
pub(super) const fn headers(medium: &Ethernet) -> u32 {
    match medium.transport {
        Transport::Datagram | Transport::Dcqcn => medium.header,
        Transport::Tcp => TCP_HEADERS,
    }
}

/// What software costs.
pub(super) fn software(
    wire: &wire::PingSoftware,
    jitter: Option<u32>,
    diagnostics: &mut Diagnostics,
) -> Option<Software> {
    let costs = overheads(&wire.costs, diagnostics);
    let envelope = quantity(&wire.envelope).and_then(|at| in_bytes(at, MESSAGES, diagnostics));
    let pause = quantity(&wire.pause).and_then(|at| at_most(at, MOST_WORK[0], diagnostics));
    Some(Software { costs: costs?, envelope: Bytes(envelope?), pause: pause?, jitter: jitter? })
}

/// The jitter of software, and what else disturbs measurements: as much as the scenario wants.
pub(super) fn noise(wire: &wire::Discovery, diagnostics: &mut Diagnostics) -> Option<(u32, Noise)> {
    let percent = wire.noise_percent.get().and_then(|at| within(*at, 0..=10_000, diagnostics).map(|_| *at));
    let all = wire.noise.value().and_then(|wire| whole_noise(wire, diagnostics));
    let (percent, (jitter, all)) = (percent?, all?);
    let shares = [
        ("jitter", jitter, 1_000),
        ("drift", all.drift, 1_000),
        ("outliers", all.outliers_ppm, ALL),
        ("background", all.background_ppm, MOST_BACKGROUND),
    ];
    for (name, share, most) in shares {
        let most = u64::from(most) * 100;
        if u64::from(share) * u64::from(percent.value) > most {
            let message = format!("{} % of {name} is more than there can be", percent.value);
            out_of_range(
                percent.place,
                message,
                format!("expected at most {}", most / u64::from(share)),
                diagnostics,
            );
        }
    }
    Some((scaled(jitter, percent.value, 1_000), all.scaled(percent.value)))
}

/// The same at 100 %.
fn whole_noise(wire: &wire::Noise, diagnostics: &mut Diagnostics) -> Option<(u32, Noise)> {
    let mut part = |given: &Given<Share>, most| share(*given.get()?, most, diagnostics);
    let (jitter, outliers) = (part(&wire.jitter, ALL), part(&wire.outliers, ALL));
    let (drift, background) = (part(&wire.drift, ALL), part(&wire.background, MOST_BACKGROUND));
    let mean = quantity(&wire.outlier_mean).and_then(|at| at_most(at, MOST_WORK[0], diagnostics));
    let period = quantity(&wire.drift_period).and_then(|at| within(at, PERIODS, diagnostics));
    let message =
        quantity(&wire.background_message).and_then(|at| in_bytes(at, 1..=*MESSAGES.end(), diagnostics));
    let noise = Noise {
        outliers_ppm: outliers?,
        outlier_mean: mean?,
        drift: drift? / 1_000,
        drift_period: period?,
        background_ppm: background?,
        background_message: Bytes(message?),
    };
    Some((jitter? / 1_000, noise))
}

/// A share of at most `most` millionths.
pub(super) fn share(at: Located<Share>, most: u32, diagnostics: &mut Diagnostics) -> Option<u32> {
    let ppm = (at.value.0 * f64::from(ALL)).round();
    if ppm > f64::from(most) {
        let expected = format!("expected at most \"{} %\"", most / 10_000);
        out_of_range(at.place, "this share is out of range", expected, diagnostics);
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to `most`, just checked")]
    let ppm = ppm as u32;
    Some(ppm)
}

/// Machines with a pace of their own, each once.
pub(super) fn paces(
    given: &Given<Vec<Located<wire::Pace>>>,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<(HostId, u32)>> {
    let mut paces: Vec<(HostId, u32)> = Vec::new();
    let mut sound = true;
    for Located { value, .. } in given.value()? {
        let name = value.machine.get();
        let host = name.and_then(|name| names::attached_host(name, topology, diagnostics));
        let takes = value.takes.get().and_then(|at| within(*at, 0.01..=100.0, diagnostics));
        let (Some(host), Some(takes), Some(name)) = (host, takes, name) else {
            sound = false;
            continue;
        };
        if paces.iter().any(|(other, _)| *other == host) {
            conflict(name.place, "a second pace of this machine", "expected each machine once", diagnostics);
            sound = false;
        }
        paces.push((host, super::thousandths(takes)));
    }
    sound.then_some(paces)
}
