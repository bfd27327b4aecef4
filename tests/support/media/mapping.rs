//! What mappers run on, and what they hand out.

use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::fabric::{LinkTiming, Parameters, SwitchParameters};
use simnet_media::host::distribution::RoutesByName;
use simnet_network::routing::{Algorithm, Attachments, Choices, Plan, Root, Selection, Tree};
use simnet_network::topology::Network;

use crate::engine;

/// The NOW's switches, with cables of 2 cycles.
pub fn parameters(network: &Network, routing_latency: Duration) -> Parameters {
    let links = vec![LinkTiming { period: 1, delay: 2 }; network.links().len()];
    let mut parameters = engine::parameters(SwitchParameters::default(), links);
    parameters.switch.routing_latency = routing_latency.to_cycles_ceil(parameters.base_cycle);
    parameters
}

/// Routes of now-c by name, and the master that hands them out.
pub fn routes(net: &Network) -> RoutesByName {
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
    let choices = Choices { algorithm, selection: Selection::First, utility: net.find_host("c-util") };
    let plan = Plan::new(net, &Attachments::lowest(net), &choices).unwrap();
    let name = |host: HostId| net.hosts()[host.index()].name.clone();
    let mut routes = RoutesByName::new();
    for (source, destination, turns) in plan.table.iter() {
        routes.entry(name(source)).or_default().insert(name(destination), turns.to_vec());
    }
    routes
}
