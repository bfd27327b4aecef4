//! The media under a cell: frames with a transport, or worms with routes.

use std::io::{self, Write};

use crate::ethernet::transport::{Datagram, Packet, Segment, Tcp};
use crate::ethernet::{Counters, Observer, Parameters};
use crate::report::{Pcapng, Tally};
use crate::scenario::Checked;
use crate::scenario::allgather::{Allgather, Cell, MediumKind};
use crate::scenario::checked::{Fabric, Topology};
use crate::scenario::cycles;
use crate::scenario::ethernet::{Ethernet, Transport};
use crate::units::BitRate;

use super::super::RunError;
use super::super::ranks::worms::{Packets, Worms};
use super::super::ranks::{self, Job, Outcome};
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

/// Runs a job on the medium of a cell, idle before.
///
/// # Errors
/// [`RunError`] if the medium cannot be built.
pub(super) fn run(
    checked: &Checked,
    allgather: &Allgather,
    cell: Cell,
    found: &Found,
    job: &Job,
) -> Result<(Outcome, Counts), RunError> {
    match allgather.media[cell.medium] {
        MediumKind::Fabric => {
            let rate = cell.rate.map(|nth| allgather.rates[nth]);
            over_worms(checked, allgather, &allgather.networks[cell.network].topology, rate, found, job)
        }
        MediumKind::Ethernet => {
            let (outcome, counts, ()) = Frames::new(checked, allgather, cell).run(job, ())?;
            Ok((outcome, counts))
        }
    }
}

/// Runs a job on the fabric.
fn over_worms(
    checked: &Checked,
    allgather: &Allgather,
    topology: &Topology,
    rate: Option<BitRate>,
    found: &Found,
    job: &Job,
) -> Result<(Outcome, Counts), RunError> {
    let (network, ways) = found.ways.as_ref().expect("a fabric has routes");
    let fabric = Fabric { rate: rate.unwrap_or(checked.fabric.rate), ..checked.fabric };
    let parameters = cycles::parameters(&fabric, &checked.hosts, network);
    let packets = Packets { most: allgather.packets.data, overhead: allgather.packets.header };
    let mut medium = Worms::new(network, &parameters, &topology.attachments, ways, packets)?;
    let outcome = ranks::run(&mut medium, job).map_err(GatherError::from)?;
    let counts = Counts { events: medium.fabric().events(), sent: medium.sent(), ..Counts::default() };
    Ok((outcome, counts))
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
    Ok(frames.run(job, capture)?.2.finish())
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

    /// Runs a job while `observer` watches, and gives that back.
    fn run<O>(&self, job: &Job, observer: O) -> Result<(Outcome, Counts, O), GatherError>
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
                let outcome = ranks::run(&mut medium, job)?;
                let counts = Counts::of(medium.counters());
                Ok((outcome, counts, medium.into_observer()))
            }
            Transport::Tcp => {
                let tcp = self.ethernet.tcp(job.seed);
                let mut medium = Tcp::new(network, parameters, ports, &tcp, observer)?;
                if introduced {
                    medium.introduce_all();
                }
                let outcome = ranks::run(&mut medium, job)?;
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
