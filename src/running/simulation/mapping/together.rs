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
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::BuildError;
use simnet_media::host::mapper::{Brief, Map, Probes, parallel};
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
    let part = |host: HostId| match (host == holder, maps(host)) {
        (true, _) => Part::Hold,
        (false, true) => Part::Assist(&sent[host.index()]),
        (false, false) => Part::Answer(work),
    };
    let program = |host: HostId, station: Station| part(host).run(station, brief, options);
    let runs = |host: HostId| host == holder || maps(host) || answers(host);
    let outcome = hosts::run_all(&setup, runs, program)?;
    let (events, activity) = (outcome.events, Activity::of(&outcome));
    let (map, time) = outcome.result.expect("the holder waits for nothing without a time-out");
    let mut probes = map.probes;
    sent.iter().for_each(|sent| probes.add(&sent.get()));
    Ok(Together { mapped: Mapped { map, time, distribution: None, events, activity }, probes })
}

/// What a host does while all map together.
enum Part<'a> {
    /// Maps its surroundings and merges what all find.
    Hold,
    /// Maps its surroundings, and notes what it sends.
    Assist(&'a Cell<Probes>),
    /// Answers, in so much time each.
    Answer(Duration),
}

impl Part<'_> {
    /// The host's process; that of the holder ends the run with its map and how long it took.
    async fn run(
        self,
        mut station: Station,
        brief: &Brief,
        options: &parallel::Options,
    ) -> ControlFlow<(Map, Duration)> {
        match self {
            Part::Hold => {
                let map = parallel::hold(&mut station, brief, options).await;
                return ControlFlow::Break((map, station.now().since(Time::ZERO)));
            }
            Part::Assist(sent) => parallel::assist(&mut station, brief, options, sent).await,
            Part::Answer(work) => passive::serve(&mut station, &mut Memory::default(), work).await,
        }
        ControlFlow::Continue(())
    }
}
