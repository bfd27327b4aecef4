//! Mapping while the network is in use.
//!
//! # Scope and limitations
//! One mapper, its daemons and the applications share the fabric; the mapper does not know that there are
//! applications. It is given a horizon: a mapper that has not ended by then counts as hanging.
//!
//! # Source
//! Mainwaring et al. 1997, section 6, leaves open whether a map can be right under application traffic.
//!
//! # Validation
//! `tests/running/processes/loaded.rs`: on random networks, at loads from nothing to far beyond saturation, no mapper
//! hangs or delivers a wrong map as certain.

use crate::simulation::hosts::{Load, Setup};
use simnet_base::ids::HostId;
use simnet_base::units::Time;
use simnet_media::fabric::BuildError;
use simnet_network::topology::isomorphism::compare;

use super::{Activity, Mapped, Task, within};

/// What came of a mapping while applications used the network.
pub struct Trial {
    /// The map; `None` if the horizon came first.
    pub mapped: Option<Mapped>,
    /// Whether the map is right: all of N - F, and nothing that is not in N.
    pub is_right: bool,
    /// The first difference from the truth, in words.
    pub difference: Option<String>,
    /// Whether the mapper is sure of it: no doubts.
    pub is_sure: bool,
    /// What else happened on the fabric.
    pub activity: Activity,
}

/// Maps while applications offer `load`, all hosts for which `answers` holds answering, until `horizon` at most.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
pub fn under_load(
    task: &Task<'_>,
    load: Option<Load<'_>>,
    answers: impl Fn(HostId) -> bool,
    horizon: Time,
) -> Result<Trial, BuildError> {
    let setup = Setup { load, until: Some(horizon), ..task.setup };
    let task = Task { setup, mapper: task.mapper, algorithm: task.algorithm.clone(), brief: task.brief };
    let (mapped, activity) = within(&task, answers, |_| None)?;
    let verdict = mapped.as_ref().map(|mapped| compare(&mapped.map.network, setup.network, task.mapper));
    Ok(Trial {
        is_right: verdict.as_ref().is_some_and(|verdict| verdict.isomorphic),
        difference: verdict.and_then(|verdict| verdict.difference),
        is_sure: mapped.as_ref().is_some_and(|mapped| mapped.map.doubts.is_empty()),
        mapped,
        activity,
    })
}
