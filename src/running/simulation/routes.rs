//! From a checked scenario to the routes that its hosts use: read, computed on the network, or computed on a map.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, Node, Turn};
use simnet_media::trace::Recorder;
use simnet_network::routing::{Attachments, Choices, Plan, Report, Root, RouteTable, Routes, Survey};
use simnet_network::topology::Network;
use simnet_scenario::Checked;
use simnet_scenario::checked::{RouteSource, Routing, Stages};
use simnet_scenario::mapping::Mapping;

use super::map_files;
use super::mapping::{self, DistributionReport, MapReport};
use super::mappings::{Attempt, MappingRuns, Planner};
use super::overlay::Overlay;
use super::{Listener, Progress, RunError};

/// Everything that precedes traffic.
#[derive(Default)]
pub(super) struct Routed {
    /// What the mapper found, if one ran.
    pub(super) map: Option<MapReport>,
    /// The figures of the routes.
    pub(super) report: Option<Report>,
    /// How they were handed out.
    pub(super) distribution: Option<DistributionReport>,
    /// The routes.
    pub(super) routes: Option<HostRoutes>,
    /// Result files: name and contents.
    pub(super) files: Vec<(String, String)>,
    /// Events of the fabrics on which mappers ran.
    pub(super) events: u64,
    /// Messages of traffic that were delivered meanwhile.
    pub(super) delivered: u64,
}

/// Routes between the hosts of a network, found on that network or on a map of it.
pub(super) struct HostRoutes {
    table: RouteTable,
    /// Per host of the network, its id on the map; `None` where routes were found on the network itself.
    on_map: Option<Vec<Option<HostId>>>,
}

impl HostRoutes {
    /// Routes of the network itself.
    pub(super) fn of_network(table: RouteTable) -> HostRoutes {
        HostRoutes { table, on_map: None }
    }

    /// Routes found on `map`, for the hosts of `network` by their names.
    pub(super) fn of_map(table: RouteTable, map: &Network, network: &Network) -> HostRoutes {
        let on_map = network.hosts().iter().map(|host| map.find_host(&host.name)).collect();
        HostRoutes { table, on_map: Some(on_map) }
    }
}

impl Routes for HostRoutes {
    fn route(&self, source: HostId, destination: HostId, turns: &mut Vec<Turn>) -> bool {
        match &self.on_map {
            None => self.table.route(source, destination, turns),
            Some(ids) => match (ids[source.index()], ids[destination.index()]) {
                (Some(source), Some(destination)) => self.table.route(source, destination, turns),
                _ => false,
            },
        }
    }

    fn service_level(&self, source: HostId, destination: HostId) -> u8 {
        match &self.on_map {
            None => self.table.service_level(source, destination),
            Some(_) => 0,
        }
    }
}

/// Finds the routes that a scenario asks for, on a map made in-band if it asks for a mapper; its first run is
/// recorded if that is wanted.
pub(super) fn prepare(
    checked: &Checked,
    stages: &Stages,
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Routed, RunError> {
    match &stages.mapping {
        None => on_network(checked, stages.routing.as_ref(), progress),
        Some(mapping) => on_map(checked, (mapping, stages), progress, recorder),
    }
}

/// Routes from a file, or computed on the network itself.
fn on_network(
    checked: &Checked,
    routing: Option<&Routing>,
    progress: &dyn Progress,
) -> Result<Routed, RunError> {
    let network = &checked.topology.network;
    let attachments = Attachments::by_ports(network, &checked.topology.attachments);
    let mut routed = Routed::default();
    let Some(routing) = routing else { return Ok(routed) };
    progress.stage("routing", 1);
    let (table, report) = match &routing.source {
        RouteSource::File { table, installed, .. } => {
            let (survey, attachments) = match installed {
                None => (Survey::new(network, &attachments, table), attachments),
                Some(installed) => {
                    let every = attachments.with_every_port(network);
                    (installed.survey(network, &every), every)
                }
            };
            (table.clone(), Report::of_file(network, &attachments, &survey))
        }
        RouteSource::OnLanes { tables, table } => {
            (table.clone(), tables.report(network, &attachments.with_every_port(network)))
        }
        RouteSource::Computed(choices) => {
            let attachments = attachments.with_every_port(network);
            let plan = Plan::new(network, &attachments, choices)?;
            let report = plan.report(network, &attachments);
            (plan.table, report)
        }
    };
    routed.report = Some(report);
    routed.routes = Some(HostRoutes::of_network(table));
    progress.step();
    Ok(routed)
}

/// The routes of a source on a scenario's network, with no mapper.
pub(super) fn of_network(checked: &Checked, routing: &Routing) -> Result<Option<HostRoutes>, RunError> {
    Ok(on_network(checked, Some(routing), &())?.routes)
}

/// A map made in-band; on it the routes, if requested, handed out in-band if that is requested.
fn on_map(
    checked: &Checked,
    (mapping, stages): (&Mapping, &Stages),
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Routed, RunError> {
    let network = &checked.topology.network;
    let mut routed = match &stages.routing {
        Some(routing @ Routing { source: RouteSource::File { .. }, .. }) => {
            on_network(checked, Some(routing), progress)?
        }
        _ => Routed::default(),
    };
    let others = mapping.also_at_routing_latency.len() as u64;
    progress.stage("mapping", 1 + others);
    let runs = MappingRuns::new(checked, mapping)?.with_traffic(stages)?.with_listener(Listener(progress));
    // By mapper: of several, the map of one is taken in the end.
    let mut planned = BTreeMap::new();
    let plan_routes: Planner<'_> = Box::new(|map| {
        let Routing { source, distribute } = stages.routing.as_ref()?;
        let choices = match source {
            RouteSource::File { table, .. } | RouteSource::OnLanes { table, .. } => {
                return distribute.then(|| mapping::by_name(network, table));
            }
            RouteSource::Computed(choices) => choices,
        };
        let overlay = Overlay::new(&checked.topology, map, mapper_of(map, network));
        let choices = translate(choices, &overlay, network, map);
        let attachments = Attachments::lowest(map);
        let plan = Plan::new(map, &attachments, &choices);
        // The same routes on the same map: only names and port numbers are those that the user knows.
        let named = overlay.in_true_names(map, network);
        let named = named.as_ref().unwrap_or(map);
        let report = plan.as_ref().ok().map(|plan| plan.report(named, &Attachments::lowest(named)));
        let handed_out = plan.as_ref().ok().filter(|_| *distribute);
        let handed_out = handed_out.map(|plan| mapping::by_name(map, &plan.table));
        planned.insert(mapper_of(map, network), (plan, report));
        handed_out
    });
    let Attempt { mut report, mapped } = runs.attempt(checked.seed, recorder, plan_routes)?;
    progress.step();
    report.sensitivity = runs.sensitivity(progress)?;
    let name = &network.name;
    routed.files.extend(map_files::all(name, &checked.topology, &mapped.map, &report));
    routed.map = Some(report);
    routed.events = mapped.events;
    routed.delivered = mapped.activity.traffic.fates.delivered;
    routed.distribution = mapped.distribution.as_ref().map(DistributionReport::from);
    if let Some((plan, report)) = planned.remove(&mapper_of(&mapped.map.network, network)) {
        routed.routes = Some(HostRoutes::of_map(plan?.table, &mapped.map.network, network));
        routed.report = report;
    }
    Ok(routed)
}

/// The host that made a map: its first.
fn mapper_of(map: &Network, network: &Network) -> HostId {
    let first = map.hosts().first().and_then(|host| network.find_host(&host.name));
    first.expect("a map begins with its mapper's own host")
}

/// The same choices on a map: the utility host by its name, named roots by where they stand.
///
/// A root that is not on the map is left out; without any, the root is `far`.
fn translate(choices: &Choices, overlay: &Overlay, network: &Network, map: &Network) -> Choices {
    let name = |host: HostId| network.name_of(Node::Host(host));
    let utility = choices.utility.and_then(|host| map.find_host(name(host)));
    let mut algorithm = choices.algorithm.clone();
    if let Some((_, root)) = algorithm.tree_and_root_mut()
        && let rule @ Root::Named(_) = root.rule_mut()
        && let Root::Named(roots) = rule
    {
        let there: Vec<_> = roots.iter().filter_map(|root| overlay.stands_for(*root)).collect();
        *rule = if there.is_empty() { Root::Far } else { Root::Named(there) };
    }
    Choices { algorithm, selection: choices.selection, utility }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::ids::SwitchId;
    use simnet_network::routing::Algorithm;
    use simnet_network::topology::difference;
    use simnet_scenario::{Overrides, read};

    /// Wrong if a root named in the scenario were taken for another switch of the map.
    #[test]
    fn named_roots_are_found_on_the_map() {
        let text = "[scenario]\nname = 'x'\n[topology]\npreset = 'now-c'\n[mapping]\nmapper = 'c00'\n";
        let checked = read("x.toml", text.as_bytes(), &Overrides::default()).unwrap();
        let (topology, mapping) = (&checked.topology, checked.mapping().unwrap());
        let attempt =
            MappingRuns::new(&checked, mapping).unwrap().attempt(0, None, Box::new(|_| None)).unwrap();
        let map = &attempt.mapped.map.network;
        let overlay = Overlay::new(topology, map, mapper_of(map, &topology.network));
        let hosts = |network: &Network, switch| {
            let ends = network.cables(Node::Switch(switch)).map(|(_, _, end)| end.node);
            let hosts = ends.filter(|node| matches!(node, Node::Host(_)));
            hosts.map(|host| network.name_of(host).to_owned()).collect::<Vec<_>>()
        };
        for switch in topology.network.switch_ids() {
            let drawn = overlay.stands_for(switch).unwrap();
            assert_eq!(hosts(&topology.network, switch), hosts(map, drawn));
        }
        let root = Root::Named(vec![SwitchId(3)]);
        let choices =
            Choices { algorithm: Algorithm::UpDown { tree: Default::default(), root }, ..Default::default() };
        let moved = translate(&choices, &overlay, &topology.network, map);
        let wanted = overlay.stands_for(SwitchId(3)).unwrap();
        let named = overlay.in_true_names(map, &topology.network).unwrap();
        assert_eq!(difference::between(&named, &topology.network), difference::Difference::default());
        assert!(
            matches!(moved.algorithm, Algorithm::UpDown { root: Root::Named(roots), .. } if roots == [wanted])
        );
    }
}
