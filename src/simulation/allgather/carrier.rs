//! The media under a cell: frames with a transport, or worms with routes.

use std::io::{self, Write};

use crate::ethernet::transport::{Datagram, Packet, Segment, Tcp};
use crate::ethernet::{Counters, Observer, Parameters};
use crate::fabric;
use crate::report::{Pcapng, Tally};
use crate::scenario::Checked;
use crate::scenario::allgather::{Allgather, Cell, MediumKind};
use crate::scenario::checked::Topology;
use crate::scenario::ethernet::{Ethernet, Transport};
use crate::scenario::fabric::Fabric;
use crate::scenario::fabric::parameters;
use crate::topology::Network;
use crate::trace::{Recorder, Scene, WormNames};

use super::super::progress::Heard;
use super::super::ranks::worms::Worms;
use super::super::ranks::{self, Job, Outcome};
use super::super::{Listener, RunError};
use super::GatherError;
use super::found::Found;

/// What a medium counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Events of the medium: frames over cables, or what the fabric handled.
    pub(super) events: u64,
    /// Frames or worms that hosts sent.
    pub(super) sent: u64,
    /// Frames over cables, each once a cable.
    pub(super) hops: u64,
    /// Frames that found no room.
    pub(super) dropped: u64,
    /// Frames that switches sent to all others.
    pub(super) floods: u64,
    /// The most bytes behind one port at once.
    pub(super) peak_bytes: u64,
}

/// Runs a job on the medium of a cell, idle before, heard by `listener`, and recorded if that is wanted.
///
/// # Errors
/// [`RunError`] if the medium cannot be built.
pub(super) fn run(
    checked: &Checked,
    allgather: &Allgather,
    cell: Cell,
    found: &Found,
    job: &Job,
    listener: Listener<'_>,
    recorder: Option<&Recorder>,
) -> Result<(Outcome, Counts), RunError> {
    let frames = || Frames::new(checked, allgather, cell);
    let scene = || Scene::of(0, "all-gather");
    match (allgather.media[cell.medium], recorder) {
        (MediumKind::Fabric, None) => {
            over_worms(checked, allgather, cell, found, (job, listener), ()).map(|(o, c, ())| (o, c))
        }
        (MediumKind::Ethernet, None) => {
            frames().run(job, listener, ()).map(|(o, c, ())| (o, c)).map_err(RunError::from)
        }
        (MediumKind::Fabric, Some(recorder)) => {
            let recording = recorder.open(scene(), names(&allgather.networks[cell.network].topology.network));
            let (outcome, counts, recording) =
                over_worms(checked, allgather, cell, found, (job, listener), recording)?;
            recorder.close(recording);
            Ok((outcome, counts))
        }
        (MediumKind::Ethernet, Some(recorder)) => {
            let no_worms = WormNames::new(|worm| format!("{worm:?}"));
            let (outcome, counts, recording) =
                frames().run(job, listener, recorder.open(scene(), no_worms))?;
            recorder.close(recording);
            Ok((outcome, counts))
        }
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

/// The fabric of a cell, its cables those of the network on which messages travel.
fn fabric(checked: &Checked, allgather: &Allgather, cell: Cell, network: &Network) -> fabric::Parameters {
    let rate = cell.rate.map_or(checked.fabric.rate, |nth| allgather.rates[nth]);
    parameters(&Fabric { rate, ..checked.fabric }, &checked.hosts, network)
}

/// Whether the log of a scenario has a place for a cell: its network is the scenario's own, and a cycle is as long.
pub(super) fn can_be_recorded(checked: &Checked, allgather: &Allgather, cell: Cell, found: &Found) -> bool {
    let has_its_cycle = |network| {
        fabric(checked, allgather, cell, network).base_cycle == checked.fabric_parameters().base_cycle
    };
    cell.network == 0 && found.ways.as_ref().is_none_or(|(network, _)| has_its_cycle(network))
}

/// Runs a job on the fabric while `observer` watches and a listener hears of it; gives the observer back.
fn over_worms<O: fabric::Observer>(
    checked: &Checked,
    allgather: &Allgather,
    cell: Cell,
    found: &Found,
    (job, listener): (&Job, Listener<'_>),
    observer: O,
) -> Result<(Outcome, Counts, O), RunError> {
    let (network, ways) = found.ways.as_ref().expect("a fabric has routes");
    let parameters = fabric(checked, allgather, cell, network);
    let topology = &allgather.networks[cell.network].topology;
    let worms = Worms::new(network, &parameters, &topology.attachments, ways, allgather.packets)?;
    let mut medium = worms.watched_by(observer);
    let outcome = ranks::run(&mut Heard::new(&mut medium, listener), job).map_err(GatherError::from)?;
    let counts = Counts { events: medium.fabric().events(), sent: medium.sent(), ..Counts::default() };
    Ok((outcome, counts, medium.into_observer()))
}

/// Writes what passes the ports of a cell's Ethernet while a job runs, at most `limit` packets.
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

/// An Ethernet to be built for a cell.
pub(super) struct Frames<'a> {
    topology: &'a Topology,
    ethernet: &'a Ethernet,
    parameters: Parameters,
    transport: Transport,
}

impl<'a> Frames<'a> {
    /// The Ethernet of a cell on which there are frames.
    pub(super) fn new(checked: &'a Checked, allgather: &'a Allgather, cell: Cell) -> Frames<'a> {
        let topology = &allgather.networks[cell.network].topology;
        let ethernet = checked.ethernet.as_ref().expect("frames need an Ethernet");
        let rate = cell.rate.map(|nth| allgather.rates[nth]);
        let parameters = ethernet.parameters(&topology.network, rate);
        let transport = cell.transport.map_or(ethernet.transport, |nth| allgather.transports[nth]);
        Frames { topology, ethernet, parameters, transport }
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
        let (parameters, introduced) = (&self.parameters, self.ethernet.introduced);
        match self.transport {
            Transport::Datagram => {
                let mut medium = Datagram::new(network, parameters, ports, self.ethernet.header, observer)?;
                if introduced {
                    medium.introduce_all();
                }
                let outcome = ranks::run(&mut Heard::new(&mut medium, listener), job)?;
                let counts = Counts::of(medium.counters());
                Ok((outcome, counts, medium.into_observer()))
            }
            Transport::Tcp => {
                let tcp = self.ethernet.tcp(job.seed);
                let mut medium = Tcp::new(network, parameters, ports, &tcp, observer)?;
                if introduced {
                    medium.introduce_all();
                }
                let outcome = ranks::run(&mut Heard::new(&mut medium, listener), job)?;
                let counts = Counts::of(medium.counters());
                Ok((outcome, counts, medium.into_observer()))
            }
        }
    }
}

impl Counts {
    /// What an Ethernet has counted.
    fn of(counters: &Counters) -> Counts {
        Counts {
            events: counters.hops(),
            sent: counters.sent,
            hops: counters.hops(),
            dropped: counters.dropped(),
            floods: counters.floods,
            peak_bytes: counters.peak().0,
        }
    }
}
