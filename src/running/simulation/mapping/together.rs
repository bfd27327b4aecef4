//! Mapping where all hosts map their surroundings at the same time, and one merges what they find.
//!
//! # Scope and limitations
//! The holder is given; all begin at instant zero.
//!
//! # Source
//! Mainwaring et al. 1997, section 6 (see [`parallel`]).
//!
//! # Validation
//! `tests/running/processes/parallel.rs`.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::simulation::hosts::{self, Setup};
use simnet_base::ids::HostId;
use simnet_base::units::Time;
use simnet_media::fabric::BuildError;
use simnet_media::host::mapper::{Brief, Probes, parallel};
use simnet_media::host::passive::{self, Memory};
use simnet_media::host::{Host as _, Station};

use super::{Activity, Mapped};

/// What came of mapping together.
pub struct Together {
    /// The holder's map.
    pub mapped: Mapped,
    /// Messages of all mappers, by kind; answers are counted by the holder alone.
    pub probes: Probes,
}

/// Lets every host for which `maps` holds map its surroundings, every other for which `answers` holds answer, and
/// `holder` merge it all. The setup's horizon does not count.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
///
/// # Panics
/// Never: the holder waits for nothing without a time-out.
pub fn in_parallel(
    setup: &Setup<'_>,
    holder: HostId,
    brief: &Brief,
    options: &parallel::Options,
    maps: impl Fn(HostId) -> bool,
    answers: impl Fn(HostId) -> bool,
) -> Result<Together, BuildError> {
    let setup = Setup { until: None, ..*setup };
    let sent: Vec<Cell<Probes>> = setup.network.hosts().iter().map(|_| Cell::default()).collect();
    let work = setup.costs.reply;
    let program = |host: HostId, mut station: Station| {
        let (is_mapper, sent) = (maps(host), &sent[host.index()]);
        async move {
            if host == holder {
                let map = parallel::hold(&mut station, brief, options).await;
                return ControlFlow::Break((map, station.now().since(Time::ZERO)));
            }
            if is_mapper {
                parallel::assist(&mut station, brief, options, sent).await;
            } else {
                passive::serve(&mut station, &mut Memory::default(), work).await;
            }
            ControlFlow::Continue(())
        }
    };
    let runs = |host: HostId| host == holder || maps(host) || answers(host);
    let outcome = hosts::run_all(&setup, runs, program)?;
    let (events, activity) = (outcome.events, Activity::of(&outcome));
    let (map, time) = outcome.result.expect("the holder waits for nothing without a time-out");
    let mut probes = map.probes;
    sent.iter().for_each(|sent| probes.add(&sent.get()));
    Ok(Together { mapped: Mapped { map, time, distribution: None, events, activity }, probes })
}
