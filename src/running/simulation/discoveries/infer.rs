//! What each method makes of a matrix.

use simnet_base::units::{Bytes, Duration};
use simnet_media::ethernet::{HEADER, PREAMBLE, TRAILER};
use simnet_network::discovery::{
    self, Class, Clustering, Discovery as Found, Finding, Hops, Intra, Options, Rtts, SturdyOptions,
    SwitchTree,
};
use simnet_scenario::discovery::{Discovery, Method, Source};
use simnet_scenario::ethernet::Transport;

/// What a method inferred.
pub(super) struct Inferred {
    /// The classes of times.
    pub(super) classes: Vec<Class>,
    /// The hop counts.
    pub(super) hops: Hops,
    /// The tree, if one fits.
    pub(super) tree: Option<SwitchTree>,
    /// What was found wrong, or worth a look.
    pub(super) findings: Vec<Finding>,
}

impl Inferred {
    /// Asks a method about a matrix; `step` is what it knows of switches.
    pub(super) fn new(
        method: Method,
        discovery: &Discovery,
        step: Option<Duration>,
        rtts: &Rtts,
    ) -> Inferred {
        let clustering = match method {
            Method::Paper => Clustering::Paper(Intra::HalfRange),
            Method::PaperRange => Clustering::Paper(Intra::Range),
            Method::KMeans => Clustering::KMeans { classes: discovery.inference.classes },
            Method::Sturdy => return Inferred::sturdy(step, rtts),
        };
        let options = Options { clustering, ..options(discovery, step) };
        let Found { counted, tree, findings, .. } = discovery::discover(rtts, &options);
        Inferred { classes: counted.classes, hops: counted.hops, tree: tree.ok(), findings }
    }

    fn sturdy(step: Option<Duration>, rtts: &Rtts) -> Inferred {
        let found = discovery::sturdy(rtts, &SturdyOptions { step });
        Inferred {
            classes: found.classes,
            hops: found.hops,
            tree: Some(found.tree),
            findings: found.findings,
        }
    }
}

/// What the paper's methods know in addition to the times.
fn options(discovery: &Discovery, step: Option<Duration>) -> Options {
    let inference = &discovery.inference;
    Options {
        noise: inference.noise,
        inter_threshold: inference.inter_threshold,
        known: inference.known.clone(),
        step,
        ..Options::default()
    }
}

/// What one more switch adds to a round trip, where methods know it: twice the time of a ping's frame on a cable, of
/// its flight and of a switch's work.
pub(super) fn known_step(discovery: &Discovery) -> Option<Duration> {
    let Source::Measured(ethernet) = &discovery.source else { return None };
    if !discovery.inference.step_is_known {
        return None;
    }
    let headers = match ethernet.transport {
        Transport::Datagram | Transport::Dcqcn => ethernet.header,
        Transport::Tcp => TCP_HEADERS,
    };
    let payload = discovery.plan.message.0 + discovery.software.envelope.0 + u64::from(headers);
    let frame = Bytes(payload + u64::from(PREAMBLE + HEADER + TRAILER));
    let time = ethernet.rate.time_for(frame);
    Some((time + ethernet.switch_latency + ethernet.cable_length.flight_time()) * 2)
}

/// What IPv4 and TCP put before data, without options.
const TCP_HEADERS: u32 = 40;
