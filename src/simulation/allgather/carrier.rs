//! The media under a cell: frames with a transport, or worms with routes.

use crate::ethernet::Counters;
use crate::ethernet::transport::Datagram;
use crate::medium::Medium;
use crate::scenario::Checked;
use crate::scenario::allgather::{Allgather, Cell, MediumKind};
use crate::scenario::ethernet::Transport;

use super::super::RunError;
use super::super::ranks::{self, Job, Outcome};
use super::GatherError;
use super::found::Found;

/// What a medium counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Frames or packets that hosts sent.
    pub(super) sent: u64,
    /// Frames or packets over cables, each once a cable.
    pub(super) hops: u64,
    /// Frames that found no room.
    pub(super) dropped: u64,
    /// Frames that switches sent to all others.
    pub(super) floods: u64,
    /// The most bytes behind one port at once.
    pub(super) peak_bytes: u64,
    /// Segments that were sent again.
    pub(super) sent_again: u64,
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
    match (allgather.media[cell.medium], cell.transport.map(|nth| allgather.transports[nth])) {
        (MediumKind::Fabric, _) => Err(GatherError::NotYet.into()),
        (MediumKind::Ethernet, Some(Transport::Tcp)) => Err(GatherError::NotYet.into()),
        (MediumKind::Ethernet, _) => {
            let topology = &allgather.networks[cell.network].topology;
            let ethernet = checked.ethernet.as_ref().expect("frames need an Ethernet");
            let rate = cell.rate.map(|nth| allgather.rates[nth]);
            let parameters = ethernet.parameters(&topology.network, rate);
            let (network, ports) = (&topology.network, &topology.attachments);
            let medium = Datagram::new(network, &parameters, ports, ethernet.header, ());
            let mut medium = medium.map_err(GatherError::from)?;
            let outcome = gathered(&mut medium, job)?;
            Ok((outcome, Counts::of(medium.counters())))
        }
    }
}

fn gathered(medium: &mut impl Medium, job: &Job) -> Result<Outcome, GatherError> {
    Ok(ranks::run(medium, job)?)
}

impl Counts {
    /// What an Ethernet has counted.
    fn of(counters: &Counters) -> Counts {
        Counts {
            sent: counters.sent,
            hops: counters.hops(),
            dropped: counters.dropped(),
            floods: counters.floods,
            peak_bytes: counters.peak().0,
            sent_again: 0,
        }
    }
}
