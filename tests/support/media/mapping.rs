//! What mappers run on, and what they hand out.

use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::fabric::{FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters};
use simnet_media::host::distribution::RoutesByName;
use simnet_network::routing::{Algorithm, Attachments, Choices, Plan, Root, Selection, Tree};
use simnet_network::topology::Network;

/// The NOW's switches, with cables of 2 cycles.
pub fn parameters(network: &Network, routing_latency: Duration) -> Parameters {
    let base_cycle = Duration::from_ps(6_250);
    Parameters {
        base_cycle,
        switch: SwitchParameters {
            routing_latency: routing_latency.to_cycles_ceil(base_cycle),
            ..SwitchParameters::default()
        },
        host: HostParameters::default(),
        links: vec![LinkTiming { period: 1, delay: 2 }; network.links().len()],
        flow: FlowControl::StopGo,
    }
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
