//! The mapping that a scenario asks for: on its model of the network, as often as it says.
//!
//! # Scope and limitations
//! On the models `packet` and `circuit` only one process runs, messages take no time on cables, and nothing
//! else uses the network; software costs what the scenario says.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rayon::prelude::*;

use simnet_base::des::process::run_at_once;
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::fabric::Parameters;
use simnet_media::host::distribution::RoutesByName;
use simnet_media::host::election;
use simnet_media::host::mapper::{Algorithm, coupon, parallel, randomised};
use simnet_media::host::plain::{Collision, Plain};
use simnet_media::trace::Recorder;
use simnet_network::topology::Network;
use simnet_scenario::checked::{Generated, Stages, Traffic};
use simnet_scenario::mapping::{Computer, MapModel, Mapping, Masters};
use simnet_scenario::{Checked, fabric};

use super::failures::Outage;
use super::hosts::{self, Faults, Load, Recorded, Residence, Setup, chance};
use super::mapping::{self, Election, ElectionReport, MapReport, Mapped, Sensitivity, Task, Winner};
use super::routes::{self, HostRoutes};
use super::{Listener, Progress, RunError};

/// Maps a scenario's network once, with nothing after it: the map, judged, and the map.
///
/// # Errors
/// [`RunError`] where the fabric refuses its parameters.
///
/// # Panics
/// If the scenario has no mapper.
pub fn map(checked: &Checked) -> Result<(MapReport, Network), RunError> {
    let mapping = checked.mapping().expect("a scenario with a mapper");
    let mut runs = MappingRuns::new(checked, mapping)?;
    if let Some(stages) = checked.stages() {
        runs = runs.with_traffic(stages)?;
    }
    let attempt = runs.attempt(checked.seed, None, Box::new(|_| None))?;
    Ok((attempt.report, attempt.mapped.map.network))
}

/// Computes the routes to hand out on a map; `None` if there are none. Behind a pointer: what maps is compiled once.
pub(super) type Planner<'a> = Box<dyn FnMut(&Network) -> Option<RoutesByName> + 'a>;

/// What a run of a mapping came to.
pub(super) struct Attempt {
    /// The map, judged.
    pub(super) report: MapReport,
    /// The map, and what handing out routes on it came to.
    pub(super) mapped: Mapped,
}

/// What all runs of a mapping share: the fabric, the traffic in the background, what fails.
pub(super) struct MappingRuns<'a> {
    checked: &'a Checked,
    mapping: &'a Mapping,
    parameters: Parameters,
    /// The traffic during the mapping and its routes, if any.
    traffic: Option<(&'a Generated, HostRoutes)>,
    /// What fails while it maps.
    failures: Vec<hosts::Failure>,
    /// Who hears how far its runs have come.
    listener: Listener<'a>,
}

impl<'a> MappingRuns<'a> {
    /// The runs of a scenario's mapping, without traffic in the background.
    ///
    /// # Errors
    /// [`RunError`] where chance would have more fail than anyone wants to see.
    pub(super) fn new(checked: &'a Checked, mapping: &'a Mapping) -> Result<MappingRuns<'a>, RunError> {
        let failure =
            |outage: Outage| hosts::Failure { link: outage.link, at: outage.from, until: outage.until };
        let outages = if mapping.failures { super::outages(checked)? } else { Vec::new() };
        let failures = outages.into_iter().map(failure).collect();
        let (parameters, listener) = (checked.process_parameters(), Listener::default());
        Ok(MappingRuns { checked, mapping, parameters, traffic: None, failures, listener })
    }

    /// The same, with the traffic of the scenario's stages during the mapping if a load is given.
    ///
    /// # Errors
    /// [`RunError`] where the network is too large for the routes of that traffic.
    pub(super) fn with_traffic(self, stages: &'a Stages) -> Result<MappingRuns<'a>, RunError> {
        let traffic = match stages {
            Stages { routing: Some(routing), traffic: Some(Traffic::Generated(generated)), .. }
                if self.mapping.load.is_some() =>
            {
                routes::of_network(self.checked, routing)?.map(|routes| (generated, routes))
            }
            _ => None,
        };
        Ok(MappingRuns { traffic, ..self })
    }

    /// The same; `listener` hears how far its runs have come.
    pub(super) fn with_listener(self, listener: Listener<'a>) -> MappingRuns<'a> {
        MappingRuns { listener, ..self }
    }

    /// The mapping under `seed`.
    pub(super) fn task(&self, seed: u64) -> Task<'_> {
        let (checked, mapping) = (self.checked, self.mapping);
        let setup = Setup {
            attachments: &checked.topology.attachments,
            costs: mapping.costs,
            jitter: mapping.jitter,
            residence: match mapping.runs_on {
                Computer::Host => Residence::Host,
                Computer::Nic => Residence::Nic,
            },
            hardware: mapping.hardware,
            bits_between_errors: super::bits_between_errors(checked.fabric.bit_error_rate),
            faults: faults(&mapping.faults),
            failures: &self.failures,
            load: self.load(),
            seed,
            listener: self.listener,
            ..Setup::new(&checked.topology.network, &self.parameters)
        };
        Task {
            setup,
            mapper: self.mapper(),
            algorithm: seeded(&mapping.algorithm, seed),
            brief: mapping.brief,
        }
    }

    /// The traffic during the mapping.
    fn load(&self) -> Option<Load<'_>> {
        let (generated, routes) = self.traffic.as_ref()?;
        Some(Load {
            restraint: self.mapping.restraint,
            ..Load::new(&generated.workload, self.mapping.load?, routes)
        })
    }

    /// The one master's host.
    fn mapper(&self) -> HostId {
        match self.mapping.masters {
            Masters::One(mapper) => mapper,
            Masters::Election => HostId(0),
        }
    }

    /// Maps once, under `seed`, recorded if that is wanted; hands out the routes that `plan` gives for the map, if it
    /// gives any.
    ///
    /// # Errors
    /// [`RunError`] where the fabric refuses its parameters.
    pub(super) fn attempt(
        &self,
        seed: u64,
        recorder: Option<&Recorder>,
        plan: Planner<'_>,
    ) -> Result<Attempt, RunError> {
        let mut task = self.task(seed);
        task.setup.recorded = recorder.map(|recorder| Recorded { recorder, nth: 0, kind: "mapping" });
        let silent = self.mapping.silent(&self.checked.topology, seed);
        if self.mapping.masters == Masters::Election {
            return self.elect(task, &silent, plan);
        }
        let mapped = match self.mapping.model {
            MapModel::CutThrough if matches!(task.algorithm, Algorithm::Parallel(_)) => {
                self.together(&task, &silent, plan)?
            }
            MapModel::CutThrough => mapping::run_among(&task, |host| !silent.contains(&host), plan)?,
            MapModel::Circuit => self.walk(&task, &silent, Collision::Circuit, plan),
            MapModel::Packet => self.walk(&task, &silent, Collision::Packet, plan),
        };
        Ok(Attempt { report: MapReport::new(&mapped, &task, &silent), mapped })
    }

    /// What draws the addresses that decide an election.
    pub(super) fn addresses_in_election(&self) -> hosts::Addresses {
        self.mapping.election.addresses.map_or(hosts::Addresses::Shuffled, hosts::Addresses::Drawn)
    }

    /// The election that the scenario describes.
    fn election<'s>(&self, setup: Setup<'s>, task: &Task<'_>) -> Election<'s> {
        let rules = self.mapping.election;
        let election = Election::new(setup, task.algorithm.clone(), task.brief);
        let (lately, _) = election.options.patience;
        let options = election::Options {
            gossip: rules.gossip,
            patience: (lately, rules.patience),
            attempts: rules.attempts,
            ..election.options
        };
        let setup = Setup { addresses: self.addresses_in_election(), ..election.setup };
        Election { options, stagger: rules.starts, setup, ..election }
    }

    /// Lets all hosts map until one of them has won, and judges its map.
    fn elect(
        &self,
        task: Task<'_>,
        silent: &BTreeSet<HostId>,
        plan: Planner<'_>,
    ) -> Result<Attempt, RunError> {
        let setup = Setup { until: None, ..task.setup };
        let election = self.election(setup, &task);
        let takes_part = |host: HostId| !silent.contains(&host);
        // Where the network falls into parts, each elects a winner, and that has routes for its own map.
        let plan = RefCell::new(plan);
        let plan = |map: &Network| plan.borrow_mut()(map);
        let elected = mapping::elect(&election, takes_part, takes_part, plan)?;
        let report = ElectionReport::new(&elected, task.setup.network);
        let (probes, events, activity) = (elected.probes(), elected.events, elected.activity);
        let winner = elected.winners.into_iter().next().expect("no mapper deposes the highest address");
        let Winner { host, mut map, time, distribution, .. } = winner;
        map.probes = probes;
        let mapped = Mapped { map, time, distribution, events, activity };
        let task = Task { mapper: host, ..task };
        let report = MapReport { election: Some(report), ..MapReport::new(&mapped, &task, silent) };
        Ok(Attempt { report, mapped })
    }

    /// Lets all hosts map what is around them and the mapper merge it. Routes are planned, and not handed out.
    fn together(
        &self,
        task: &Task<'_>,
        silent: &BTreeSet<HostId>,
        mut plan: Planner<'_>,
    ) -> Result<Mapped, RunError> {
        let Algorithm::Parallel(options) = &task.algorithm else { unreachable!("asked of parallel mappers") };
        let options = parallel::Options { work: task.setup.costs.reply, ..*options };
        let takes_part = |host: HostId| !silent.contains(&host);
        let together =
            mapping::in_parallel(&task.setup, task.mapper, &task.brief, &options, takes_part, takes_part)?;
        let mut mapped = together.mapped;
        mapped.map.probes = together.probes;
        plan(&mapped.map.network);
        Ok(mapped)
    }

    /// Maps on a plain graph. Routes are planned, and not handed out.
    fn walk(
        &self,
        task: &Task<'_>,
        silent: &BTreeSet<HostId>,
        collision: Collision,
        mut plan: Planner<'_>,
    ) -> Mapped {
        let host = Plain::new(task.setup.network, task.mapper, collision).with_costs(task.setup.costs);
        let mut host = host.with_silent(silent.iter().copied()).with_hardware(task.setup.hardware);
        let map = run_at_once(task.algorithm.map(&mut host, &task.brief));
        plan(&map.network);
        let time = map.time;
        Mapped { map, time, distribution: None, events: 0, activity: mapping::Activity::default() }
    }

    /// The mapping time at each of the other routing latencies, under the scenario's seed.
    pub(super) fn sensitivity(&self, progress: &dyn Progress) -> Result<Vec<Sensitivity>, RunError> {
        let task = self.task(self.checked.seed);
        let silent = self.mapping.silent(&self.checked.topology, self.checked.seed);
        let at = |latency: &Duration| {
            let sensitivity = self.at_routing_latency(&task, &silent, *latency)?;
            progress.step();
            Ok(sensitivity)
        };
        self.mapping.also_at_routing_latency.par_iter().map(at).collect()
    }

    /// The mapping time at one routing latency.
    fn at_routing_latency(
        &self,
        task: &Task<'_>,
        silent: &BTreeSet<HostId>,
        latency: Duration,
    ) -> Result<Sensitivity, RunError> {
        let mut fabric = self.checked.fabric.clone();
        fabric.routing_latency = latency;
        let parameters = fabric::process_parameters(&fabric, &self.checked.hosts, task.setup.network);
        let task = Task { setup: Setup { parameters: &parameters, ..task.setup }, ..task.clone() };
        let mapped = mapping::run_among(&task, |host| !silent.contains(&host), |_| None)?;
        Ok(Sensitivity { routing_latency_ns: latency.as_ns_f64(), time_ms: mapped.time.as_ms_f64() })
    }
}

/// The algorithm with the run's seed, where chance has a part in it.
fn seeded(algorithm: &Algorithm, seed: u64) -> Algorithm {
    match algorithm {
        Algorithm::Coupon(options) => Algorithm::Coupon(coupon::Options { seed, ..*options }),
        Algorithm::Randomised(options) => Algorithm::Randomised(randomised::Options { seed, ..*options }),
        other => other.clone(),
    }
}

/// Chances as the kernel counts them.
fn faults(faults: &simnet_scenario::mapping::Faults) -> Faults {
    Faults {
        loss: chance(faults.loss),
        reorder_sends: chance(faults.reorder_sends),
        reorder_receives: chance(faults.reorder_receives),
        overtaking: chance(faults.overtaking),
        hold: faults.hold,
    }
}

#[cfg(test)]
mod tests {
    use simnet_media::host::Costs;
    use simnet_media::host::mapper::Brief;
    use simnet_scenario::{Overrides, read};

    /// Wrong if a scenario that says nothing of software had other costs than the mapper's fitted ones.
    #[test]
    fn a_scenario_s_default_costs_are_the_fitted_ones() {
        let text = "[scenario]\nname = 'x'\n[topology]\npreset = 'now-c'\n[mapping]\nmapper = 'c-util'\n";
        let checked = read("x.toml", text.as_bytes(), &Overrides::default()).unwrap();
        let mapping = checked.mapping().unwrap();
        assert_eq!((mapping.costs, &mapping.brief), (Costs::default(), &Brief::default()));
    }
}
