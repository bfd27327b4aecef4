//! What tables of next hops do to their network: the proof, lane by lane, and the figures of their routes.

use crate::topology::Network;
use simnet_base::ids::{HostId, Node};

use super::DestinationTables;
use super::next_hops::sending_ports;
use crate::routing::attachments::Attachments;
use crate::routing::dependency::{ChannelLane, DependencyGraph};
use crate::routing::graph::{SwitchGraph, UNREACHED};
use crate::routing::plan::Report;
use crate::routing::select::joined;
use crate::routing::survey::{LaneUse, Survey};
use crate::routing::table::{RouteTable, Row, TableTooLarge};

impl DestinationTables {
    /// The dependencies on all lanes: those of all addresses, from every switch with a host.
    ///
    /// Costs O(columns x switches x length of a path).
    pub fn dependencies(&self, network: &Network) -> DependencyGraph {
        let graph = SwitchGraph::new(network);
        let sends = sending_ports(network);
        let mut dependencies = DependencyGraph::with_lanes(network, self.hops.lanes());
        for column in self.hops.host_columns() {
            for from in graph.switch_ids().filter(|switch| sends[switch.index()] > 0) {
                let level = self.hops.service_level(column, from);
                let mut before = None;
                for by in self.hops.way(&graph, column, from) {
                    let (output, lane) = (&graph.outputs()[by], self.hops.lane(level, by));
                    if let Some(before) = before.replace(ChannelLane { channel: output.channel, lane }) {
                        dependencies.add_on(before, output.port, lane);
                    }
                }
            }
        }
        dependencies
    }

    /// The figures of the routes by each host's first address, over the dependencies of all.
    ///
    /// Costs as [`DestinationTables::dependencies`].
    pub fn survey(&self, network: &Network, attachments: &Attachments) -> Survey {
        let graph = SwitchGraph::new(network);
        let mut survey = Survey::before_any(network, attachments);
        survey.dependencies = self.dependencies(network);
        survey.lanes = Some(LaneUse { lanes: u32::from(self.hops.lanes()), paths_without_level: 0 });
        let columns = self.hops.attached(attachments);
        let mut order: Vec<HostId> = attachments.ids().collect();
        let switch = |host: &HostId| attachments.switch(*host).map(|(switch, _)| switch);
        order.sort_by_key(|host| (switch(host), *host));
        let sends = attachments.per_switch(graph.switches(), None);
        for to in order {
            let sends = attachments.without_owner_of(to, &sends);
            self.count(&mut survey, (&graph, attachments), (to, columns[to.index()]), &sends);
        }
        survey
    }

    /// Counts the routes to a host by one column.
    fn count(
        &self,
        survey: &mut Survey,
        (graph, attachments): (&SwitchGraph, &Attachments),
        (to, column): (HostId, Option<usize>),
        sends: &[u32],
    ) {
        let switch = |host: HostId| attachments.switch(host).map(|(switch, _)| switch);
        let arrives = |from: HostId| {
            let (Some(column), Some(switch)) = (column, switch(from)) else {
                return joined(attachments, from, to);
            };
            self.hops.arrives(graph, column, switch)
        };
        let others = attachments.ids().filter(|from| attachments.counts(*from, to));
        others.filter(|from| !arrives(*from)).for_each(|from| survey.miss(from, to));
        let Some(column) = column else { return };
        let nearest = graph.distances([self.hops.target(column).1]);
        for from in graph.switch_ids() {
            let routes = u64::from(sends[from.index()]);
            if routes == 0 || !self.hops.arrives(graph, column, from) {
                continue;
            }
            let mut distance = 0;
            for by in self.hops.way(graph, column, from) {
                survey.load[graph.outputs()[by].channel.index()] += routes;
                distance += 1;
            }
            survey.sum_of_distances += routes * u64::from(distance);
            let least = nearest[from.index()];
            survey.non_minimal += if least != UNREACHED && distance > least { routes } else { 0 };
        }
    }

    /// The figures and the verdict, under the names that all routes have.
    ///
    /// Costs as [`DestinationTables::dependencies`].
    pub fn report(&self, network: &Network, attachments: &Attachments) -> Report {
        self.judge(network, attachments).0
    }

    /// The same with the dependencies that the verdict is about.
    pub fn judge(&self, network: &Network, attachments: &Attachments) -> (Report, DependencyGraph) {
        let (report, survey) = self.judge_survey(network, attachments);
        (report, survey.dependencies)
    }

    /// The same with all that was surveyed.
    pub fn judge_survey(&self, network: &Network, attachments: &Attachments) -> (Report, Survey) {
        let survey = self.survey(network, attachments);
        let roots: Vec<&str> = self.roots.iter().map(|s| network.name_of(Node::Switch(*s))).collect();
        let root = (!roots.is_empty()).then(|| roots.join(","));
        let exceptions = self.exceptions.clone();
        let of_routes = Report::of_file(network, attachments, &survey);
        let report = Report { algorithm: self.engine, root, exceptions, ..of_routes };
        (report, survey)
    }

    /// The routes by each host's first address, as a source writes them, with their service levels.
    ///
    /// # Errors
    /// [`TableTooLarge`] if they do not fit a table of all pairs.
    pub fn route_table(
        &self,
        network: &Network,
        attachments: &Attachments,
    ) -> Result<RouteTable, TableTooLarge> {
        let graph = SwitchGraph::new(network);
        let mut table = RouteTable::for_all_pairs(attachments.hosts())?;
        let columns = self.hops.attached(attachments);
        for (to, column) in network.host_ids().zip(&columns) {
            table.set_row(to, self.row(&graph, attachments, *column, to))?;
        }
        table.set_service_levels(|from, to| {
            let start = attachments.switch(from).zip(columns[to.index()]);
            start.map_or(0, |((switch, _), column)| self.hops.service_level(column, switch))
        });
        Ok(table)
    }

    /// The routes from everywhere to one host.
    fn row(&self, graph: &SwitchGraph, attachments: &Attachments, column: Option<usize>, to: HostId) -> Row {
        let mut row = Row::new(attachments.hosts());
        let end = column.zip(attachments.switch(to));
        for from in (0..attachments.hosts()).map(HostId::new) {
            let start = attachments.switch(from).filter(|_| from != to);
            match start.zip(end) {
                Some(((switch, mut input), (column, (_, last))))
                    if self.hops.arrives(graph, column, switch) =>
                {
                    row.route(|turns| {
                        for by in self.hops.way(graph, column, switch) {
                            let output = &graph.outputs()[by];
                            turns.push(input.turn_to(output.port));
                            input = output.input;
                        }
                        turns.push(input.turn_to(last));
                    });
                }
                None if joined(attachments, from, to) => row.route(|_| ()),
                _ => row.skip(),
            }
        }
        row
    }
}
