//! The media under an all-gather: frames with a transport, or worms with routes.

use std::io::{self, Write};

use simnet_media::ethernet::transport::{Datagram, Packet, Segment, Tcp};
use simnet_media::ethernet::{Counters, Observer, Parameters};
use simnet_media::fabric;
use simnet_media::trace::{Recorder, Scene, WormNames};
use simnet_network::topology::Network;
use simnet_output::report::{Pcapng, Tally};
use simnet_scenario::allgather::Medium;
use simnet_scenario::checked::{Checked, Topology};
use simnet_scenario::ethernet::{Ethernet, Transport};
use simnet_scenario::fabric::parameters;

use super::pauses::Pauses;
use super::{Gather, GatherError};
use crate::simulation::progress::Heard;
use crate::simulation::ranks::worms::Worms;
use crate::simulation::ranks::{self, Job, Outcome};
use crate::simulation::{Listener, RunError};

/// What a medium counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Events of the medium: frames over cables, or what the fabric handled.
    pub(super) events: u64,
    /// Frames or worms that hosts sent.
    pub(super) sent: u64,
    /// Frames over cables, each once a cable.
    pub(super) hops: u64,
    /// Frames that found no room.
    pub(super) dropped: u64,
    /// Frames that outlived their time to live.
    pub(super) expired: u64,
    /// Frames that were marked for congestion.
    pub(super) marked: u64,
    /// Notifications of it that hosts sent.
    pub(super) notifications: u64,
    /// Frames that switches sent to all others.
    pub(super) floods: u64,
    /// The most bytes behind one port at once.
    pub(super) peak_bytes: u64,
    /// Whether a deadlock of worms or packets stood at the end.
    pub(super) is_locked: bool,
    /// What pauses came to, if there are any.
    pub(super) pauses: Option<Box<Pauses>>,
}

impl Gather<'_> {
    /// Runs a job on the medium, idle before, heard by `listener`, and recorded if that is wanted.
    ///
    /// # Errors
    /// [`RunError`] if the medium cannot be built.
    pub(super) fn execute(
        &self,
        job: &Job,
        listener: Listener<'_>,
        recorder: Option<&Recorder>,
    ) -> Result<(Outcome, Counts), RunError> {
        let frames = |ethernet| Frames::new(self.checked, ethernet);
        let scene = || Scene::of(0, "all-gather");
        match (&self.allgather.medium, recorder) {
            (Medium::Fabric(_), None) => self.over_worms(job, listener, ()).map(|(o, c, ())| (o, c)),
            (Medium::Ethernet(ethernet), None) => {
                Ok(frames(ethernet).run(job, listener, ()).map(|(o, c, ())| (o, c))?)
            }
            (Medium::Fabric(_), Some(recorder)) => {
                let recording = recorder.open(scene(), names(&self.checked.topology.network));
                let (outcome, counts, recording) = self.over_worms(job, listener, recording)?;
                recorder.close(recording);
                Ok((outcome, counts))
            }
            (Medium::Ethernet(ethernet), Some(recorder)) => {
                let no_worms = WormNames::new(|worm| format!("{worm:?}"));
                let (outcome, counts, recording) =
                    frames(ethernet).run(job, listener, recorder.open(scene(), no_worms))?;
                recorder.close(recording);
                Ok((outcome, counts))
            }
        }
    }

    /// The fabric, its cables those of the network on which messages travel.
    fn fabric(&self, network: &Network) -> fabric::Parameters {
        parameters(&self.checked.fabric, &self.checked.hosts, network)
    }

    /// Whether the log of the scenario has a place for it: a cycle is as long as the scenario's.
    pub(super) fn can_be_recorded(&self) -> bool {
        let cycle = self.checked.fabric_parameters().base_cycle;
        self.found.ways.as_ref().is_none_or(|(network, _)| self.fabric(network).base_cycle == cycle)
    }

    /// Runs a job on the fabric while `observer` watches and a listener hears of it; gives the observer back.
    fn over_worms<O: fabric::Observer>(
        &self,
        job: &Job,
        listener: Listener<'_>,
        observer: O,
    ) -> Result<(Outcome, Counts, O), RunError> {
        let (network, ways) = self.found.ways.as_ref().expect("a fabric has routes");
        let attachments = &self.checked.topology.attachments;
        let worms = Worms::new(network, &self.fabric(network), attachments, ways, self.allgather.packets)?;
        let mut medium = worms.watched_by(observer);
        let outcome = ranks::run(&mut Heard::new(&mut medium, listener), job).map_err(GatherError::from)?;
        let fabric = medium.fabric();
        let is_locked = fabric.deadlocks().iter().any(|deadlock| deadlock.cleared.is_none());
        let counts = Counts { events: fabric.events(), sent: medium.sent(), is_locked, ..Counts::default() };
        Ok((outcome, counts, medium.into_observer()))
    }
}

/// Worms by their sender, and how many it has sent before.
fn names(network: &Network) -> WormNames<'_> {
    let mut sent = vec![0u64; network.hosts().len()];
    WormNames::new(move |worm| {
        let nth = &mut sent[worm.source.index()];
        *nth += 1;
        format!("{}#{}", network.hosts()[worm.source.index()].name, *nth - 1)
    })
}

/// Writes what passes the ports of an Ethernet while a job runs, at most `limit` packets.
///
/// # Errors
/// [`RunError`] if the Ethernet cannot be built; the inner one if `out` fails.
pub(super) fn capture<W: Write>(
    frames: &Frames<'_>,
    job: &Job,
    out: W,
    limit: u64,
) -> Result<io::Result<(W, Tally)>, RunError> {
    let rates = &frames.parameters.rates;
    let capture = match Pcapng::new(out, &frames.topology.network, rates, limit) {
        Ok(capture) => capture,
        Err(error) => return Ok(Err(error)),
    };
    Ok(frames.run(job, Listener::default(), capture)?.2.finish())
}

/// The Ethernet of a scenario, to be built.
pub(super) struct Frames<'a> {
    topology: &'a Topology,
    ethernet: &'a Ethernet,
    parameters: Parameters,
    /// The seeds of the run and of its paths: executions have those that follow.
    seeds: [u64; 2],
}

impl<'a> Frames<'a> {
    /// An Ethernet on the network of a scenario.
    pub(super) fn new(checked: &'a Checked, ethernet: &'a Ethernet) -> Frames<'a> {
        let topology = &checked.topology;
        let parameters = ethernet.parameters(&topology.network, None);
        Frames { topology, ethernet, parameters, seeds: [checked.seed, checked.routing_seed] }
    }

    fn pauses<P: Clone>(&self, of: &simnet_media::ethernet::Ethernet<P>) -> Option<Box<Pauses>> {
        let network = &self.topology.network;
        let needed = self.ethernet.headroom_needed(network, None).0;
        let circle = self.ethernet.pauses.and_then(|_| self.ethernet.circle(self.topology));
        Pauses::of(of, network, &self.parameters, (needed, circle)).map(Box::new)
    }

    /// Runs a job while `observer` watches and `listener` hears of it; gives the observer back.
    fn run<O>(
        &self,
        job: &Job,
        listener: Listener<'_>,
        observer: O,
    ) -> Result<(Outcome, Counts, O), GatherError>
    where
        O: Observer<Segment> + Observer<Packet>,
    {
        let (network, ports) = (&self.topology.network, &self.topology.attachments);
        let introduced = self.ethernet.introduced;
        let [first, paths] = self.seeds;
        let paths = paths.wrapping_add(job.seed.wrapping_sub(first));
        let forwarding = self.parameters.forwarding.clone().seeded(paths);
        let parameters = &Parameters { seed: job.seed, forwarding, ..self.parameters.clone() };
        match self.ethernet.transport {
            kind @ (Transport::Datagram | Transport::Dcqcn) => {
                let mut medium = Datagram::new(network, parameters, ports, self.ethernet.header, observer)?;
                if kind == Transport::Dcqcn {
                    medium = medium.with_rates(*self.ethernet.dcqcn);
                }
                if introduced {
                    medium.introduce_all();
                }
                let outcome = ranks::run(&mut Heard::new(&mut medium, listener), job)?;
                let pauses = self.pauses(medium.ethernet());
                let notifications = medium.notifications();
                let counts = Counts { pauses, notifications, ..Counts::of(&medium.counters()) };
                Ok((outcome, counts, medium.into_observer()))
            }
            Transport::Tcp => {
                let tcp = self.ethernet.tcp(job.seed);
                let mut medium = Tcp::new(network, parameters, ports, &tcp, observer)?;
                if introduced {
                    medium.introduce_all();
                }
                let outcome = ranks::run(&mut Heard::new(&mut medium, listener), job)?;
                let pauses = self.pauses(medium.ethernet());
                let counts = Counts { pauses, ..Counts::of(&medium.counters()) };
                Ok((outcome, counts, medium.into_observer()))
            }
        }
    }
}

impl Counts {
    /// What an Ethernet has counted.
    fn of(counters: &Counters) -> Counts {
        Counts {
            is_locked: false,
            events: counters.hops(),
            sent: counters.sent,
            hops: counters.hops(),
            dropped: counters.dropped(),
            expired: counters.expired,
            marked: counters.marked,
            notifications: 0,
            floods: counters.floods,
            peak_bytes: counters.peak().0,
            pauses: None,
        }
    }
}
