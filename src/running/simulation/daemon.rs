//! A network in operation: applications send, parts fail and return, a daemon remaps and hands out routes.
//!
//! # Scope and limitations
//! At instant zero all hosts hold the routes of the whole network, and the first mapper its map, as if it had
//! been mapped while quiet; applications follow the tables that their hosts are given from then on. Failures
//! are of cables (see [`failures`](super::failures)): a host that fails computes on behind its dead cables,
//! and keeps its old routes when it returns. Hosts take part with the port that they use; their other cables
//! are not for processes and applications.
//!
//! # Source
//! Mainwaring et al. 1997, section 6, leaves mapping "in the presence of application cross-traffic" and
//! reconfiguration open; what is measured here is the project's own.
//!
//! # Validation
//! `tests/running/processes/daemon.rs`.

mod report;

use std::ops::ControlFlow;

use thiserror::Error;

use simnet_base::ids::{HostId, Node};
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::BuildError;
use simnet_media::host::Address;
use simnet_media::host::daemon::{Configuration, Journal, Options, serve};
use simnet_media::host::passive::Memory;
use simnet_media::traffic::Workload;
use simnet_network::routing::{Attachments, Choices, Plan, PlanError, Root};
use simnet_network::topology::Network;
use simnet_network::topology::isomorphism::core;

use super::failures::{Failure, outages};
use super::hosts::{self, Restraint, Setup, addresses, run_all};
use super::mapping::by_name;

pub use report::{
    DaemonEventReport, DeadlockCounts, EventReport, IntervalReport, LossReport, MapCounts, NoticeReport,
    Report, ThroughputReport,
};

use report::Facts;

/// A network to be operated.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The network, its fabric, what software costs. Its `failures`, `load` and `until` are not used: they
    /// follow from the rest.
    pub setup: Setup<'a>,
    /// The hosts whose daemons map, the one that the others stand back for first; at least one.
    pub mappers: &'a [HostId],
    /// How the daemons go about it.
    pub options: Options,
    /// How routes are computed. Roots given by name are known on no map: [`Root::Far`] takes their place.
    pub choices: Choices,
    /// What fails, and when it returns.
    pub failures: &'a [Failure],
    /// The messages of applications, and the payload flits a flit time that each sender offers.
    pub applications: Option<(&'a Workload, f64)>,
    /// What applications do while messages of processes pass their interface.
    pub restraint: Option<Restraint>,
    /// How long it is operated; above zero.
    pub length: Duration,
    /// The length of the intervals of the series; above zero.
    pub interval: Duration,
}

/// Why a network cannot be operated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DaemonError {
    /// The fabric cannot be built.
    #[error(transparent)]
    Fabric(#[from] BuildError),
    /// There are no routes to start with.
    #[error(transparent)]
    Routes(#[from] PlanError),
}

/// Operates a network for the length of the task.
///
/// # Errors
/// What is wrong with the fabric's parameters, or routes too many to be computed.
///
/// # Panics
/// If a mapper is not a host of the network.
pub fn run(task: &Task<'_>) -> Result<Report, DaemonError> {
    let network = task.setup.network;
    let choices = without_named_roots(&task.choices);
    let attachments = Attachments::by_ports(network, task.setup.attachments);
    let table = Plan::new(network, &attachments, &choices)?.table;
    let known = task.mappers.first().map(|mapper| core_of(network, *mapper));
    let outages = outages(network, task.failures);
    let failures: Vec<hosts::Failure> = outages
        .iter()
        .map(|outage| hosts::Failure { link: outage.link, at: outage.from, until: outage.until })
        .collect();
    let load = task.applications.map(|(workload, load)| hosts::Load {
        follow_tables: true,
        restraint: task.restraint,
        interval: Some(task.interval),
        ..hosts::Load::new(workload, load, &table)
    });
    let until = Some(Time::ZERO + task.length);
    let setup = Setup { failures: &failures, load, until, ..task.setup };
    let all = addresses(&setup);
    let mappers: Vec<Address> = task.mappers.iter().map(|mapper| all[mapper.index()]).collect();
    let utility = choices.utility.map(|host| network.name_of(Node::Host(host)).to_owned());
    let plan = |map: &Network| {
        let utility = utility.as_ref().and_then(|name| map.find_host(name));
        let plan = Plan::new(map, &Attachments::lowest(map), &Choices { utility, ..choices.clone() });
        plan.ok().map(|plan| by_name(map, &plan.table))
    };
    let configuration =
        Configuration { mappers: &mappers, options: &task.options, known: known.as_ref(), plan };
    let mut journals = vec![Journal::default(); network.hosts().len()];
    let mut open: Vec<Option<&mut Journal>> = journals.iter_mut().map(Some).collect();
    let outcome = run_all(
        &setup,
        |_| true,
        |host, mut station| {
            let journal = open[host.index()].take().expect("each host starts once");
            let configuration = &configuration;
            async move {
                serve(&mut station, &mut Memory::default(), configuration, journal).await;
                ControlFlow::<()>::Continue(())
            }
        },
    )?;
    Ok(Report::new(&Facts { task, outages: &outages, journals: &journals, outcome: &outcome }))
}

/// The choices as a mapper can follow them, which knows no switch by name.
fn without_named_roots(choices: &Choices) -> Choices {
    let mut choices = choices.clone();
    if let Some((_, root)) = choices.algorithm.tree_and_root_mut()
        && let rule @ Root::Named(_) = root.rule_mut()
    {
        *rule = Root::Far;
    }
    choices
}

/// What a mapper finds of a network at best: N - F, each host with its lowest-numbered cabled port.
fn core_of(network: &Network, mapper: HostId) -> Network {
    let core = core(network, mapper);
    let mut found = Network::new(network.name.as_str());
    for (switch, _) in network.switches().iter().zip(&core.switches).filter(|(_, is_in)| **is_in) {
        found.push_switch(switch.clone()).expect("names stay distinct");
    }
    for (host, _) in network.hosts().iter().zip(&core.hosts).filter(|(_, is_in)| **is_in) {
        found.push_host(host.clone()).expect("names stay distinct");
    }
    for link in network.links() {
        let is_used = |end: simnet_network::topology::End| match end.node {
            Node::Host(host) => network.attachment(host).is_some_and(|(port, _, _)| port == end.port),
            Node::Switch(_) => true,
        };
        let renamed = |end: simnet_network::topology::End| {
            let node = found.named(network.name_of(end.node)).filter(|_| core.contains(end.node))?;
            Some(simnet_network::topology::End { node, port: end.port }).filter(|_| is_used(end))
        };
        if let (Some(a), Some(b)) = (renamed(link.a), renamed(link.b)) {
            found.connect(a, b).expect("ports stay distinct");
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::topology::{isomorphism, presets};

    /// Wrong if the map that a daemon starts with were not what it would find itself.
    #[test]
    fn a_daemon_starts_with_what_a_mapper_would_find() {
        let network = presets::load("now-cab").unwrap();
        let mapper = network.find_host(presets::utility_host("now-cab").unwrap()).unwrap();
        let found = core_of(&network, mapper);
        assert!(isomorphism::compare(&found, &network, mapper).isomorphic);
        assert_eq!(found.links().len(), network.links().len());
    }
}
