//! The mapping that a scenario asks for: on its model of the network, as often as it says.
//!
//! # Scope and limitations
//! On the models `packet` and `circuit` only one process runs, messages take no time on cables, and nothing
//! else uses the network; software costs what the scenario says.

use rayon::prelude::*;

use crate::des::process::run_at_once;
use crate::fabric::Parameters;
use crate::host::Costs;
use crate::host::distribution::RoutesByName;
use crate::host::plain::{Collision, Plain};
use crate::ids::HostId;
use crate::scenario::checked::Hosts;
use crate::scenario::mapping::{MapModel, Mapping, Masters};
use crate::scenario::{Checked, cycles};
use crate::topology::Network;
use crate::units::Duration;

use super::mapping::{self, MapReport, Mapped, Sensitivity, Task};
use super::{Progress, RunError, hosts};

/// Maps a scenario's network once, with nothing after it: the map, judged, and the map.
///
/// # Errors
/// [`RunError`] where the fabric refuses its parameters.
///
/// # Panics
/// If the scenario has no mapper.
pub fn map(checked: &Checked) -> Result<(MapReport, Network), RunError> {
    let mapping = checked.mapping.as_ref().expect("a scenario with a mapper");
    let attempt = Ground::new(checked, mapping).attempt(checked.seed, |_| None)?;
    Ok((attempt.report, attempt.mapped.map.network))
}

/// What a run of a mapping came to.
pub(super) struct Attempt {
    /// The map, judged.
    pub(super) report: MapReport,
    /// The map, and what handing out routes on it came to.
    pub(super) mapped: Mapped,
}

/// The fabric of a mapping and everything beside it that its tasks share.
pub(super) struct Ground<'a> {
    checked: &'a Checked,
    mapping: &'a Mapping,
    parameters: Parameters,
}

impl<'a> Ground<'a> {
    /// The ground of a scenario's mapping.
    pub(super) fn new(checked: &'a Checked, mapping: &'a Mapping) -> Ground<'a> {
        Ground { checked, mapping, parameters: checked.fabric_parameters() }
    }

    /// The mapping under `seed`.
    pub(super) fn task(&self, seed: u64) -> Task<'_> {
        let checked = self.checked;
        let setup = hosts::Setup {
            attachments: &checked.topology.attachments,
            costs: costs(&checked.hosts),
            bits_between_errors: super::bits_between_errors(checked.fabric.bit_error_rate),
            seed,
            ..hosts::Setup::new(&checked.topology.network, &self.parameters)
        };
        Task {
            setup,
            mapper: self.mapper(),
            algorithm: self.mapping.algorithm.clone(),
            brief: self.mapping.brief,
        }
    }

    /// The one master's host.
    fn mapper(&self) -> HostId {
        match self.mapping.masters {
            Masters::One(mapper) => mapper,
            Masters::Election => HostId(0),
        }
    }

    /// Maps once, under `seed`; hands out the routes that `plan` gives for the map, if it gives any.
    pub(super) fn attempt(
        &self,
        seed: u64,
        plan: impl FnOnce(&Network) -> Option<RoutesByName>,
    ) -> Result<Attempt, RunError> {
        let task = self.task(seed);
        let mapped = match self.mapping.model {
            MapModel::CutThrough => mapping::run(&task, plan)?,
            MapModel::Circuit => self.walk(&task, Collision::Circuit, plan),
            MapModel::Packet => self.walk(&task, Collision::Packet, plan),
        };
        Ok(Attempt { report: MapReport::new(&mapped, &task), mapped })
    }

    /// Maps on a plain graph. Routes are planned, and not handed out.
    fn walk(
        &self,
        task: &Task<'_>,
        collision: Collision,
        plan: impl FnOnce(&Network) -> Option<RoutesByName>,
    ) -> Mapped {
        let silent = self.mapping.silent(&self.checked.topology, task.setup.seed);
        let host = Plain::new(task.setup.network, task.mapper, collision);
        let mut host = host.with_costs(task.setup.costs).with_silent(silent);
        let map = run_at_once(task.algorithm.map(&mut host, &task.brief));
        plan(&map.network);
        let time = map.time;
        Mapped { map, time, distribution: None, events: 0, beside: mapping::Beside::default() }
    }

    /// The mapping time at each of the other routing latencies, under the scenario's seed.
    pub(super) fn sensitivity(&self, progress: &dyn Progress) -> Result<Vec<Sensitivity>, RunError> {
        let task = self.task(self.checked.seed);
        let at = |latency: &Duration| {
            let mut fabric = self.checked.fabric;
            fabric.routing_latency = *latency;
            let parameters = cycles::parameters(&fabric, &self.checked.hosts, task.setup.network);
            let setup = hosts::Setup { parameters: &parameters, ..task.setup };
            let mapped = mapping::run(&Task { setup, ..task.clone() }, |_| None)?;
            progress.step();
            let (routing_latency_ns, time_ms) = (latency.as_ns_f64(), mapped.time.as_ms_f64());
            Ok(Sensitivity { routing_latency_ns, time_ms })
        };
        self.mapping.also_at_routing_latency.par_iter().map(at).collect()
    }
}

/// What software costs.
fn costs(hosts: &Hosts) -> Costs {
    Costs { send: hosts.send_overhead, reply: hosts.reply_overhead, loopback: hosts.loop_overhead }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::mapper::Brief;
    use crate::scenario::{Overrides, read};

    /// Wrong if a scenario that says nothing of software had other costs than the mapper's fitted ones.
    #[test]
    fn a_scenario_s_default_costs_are_the_fitted_ones() {
        let text = "[scenario]\nname = 'x'\n[topology]\npreset = 'now-c'\n[mapping]\nmapper = 'c-util'\n";
        let checked = read("x.toml", text.as_bytes(), &Overrides::default()).unwrap();
        assert_eq!(costs(&checked.hosts), Costs::default());
        assert_eq!(checked.mapping.unwrap().brief, Brief::default());
    }
}
