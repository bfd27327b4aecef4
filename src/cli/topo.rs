//! `simnet topo show|convert|diff|generate`.

mod diff;
mod generate;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;

use simnet_base::diagnostics::quoted;
use simnet_base::ids::Node;
use simnet_base::numbers::count;
use simnet_network::topology::formats::{self, Format, Kept};
use simnet_network::topology::metrics::{self, Metrics};
use simnet_network::topology::{Network, Role};

use super::network::NetworkArguments;
use super::output::{is_stdout, print, print_data, print_json, write_whole};
use super::places::Places;
use super::{Common, Exit, Failure, warn};

#[derive(Subcommand)]
pub(super) enum Action {
    /// Print a network's figures
    Show(NetworkArguments),
    /// Write a network in another format
    Convert(Convert),
    /// Compare two networks by the names of nodes and their ports
    Diff(diff::Options),
    /// Build a network of a family
    Generate(generate::Options),
}

#[derive(Args)]
pub(super) struct Convert {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    output: Output,
}

/// Where a network is written and how.
#[derive(Args)]
struct Output {
    /// The format: json, toml, ibnetdiscover, subnet-lst (OpenSM), csv (a cabling plan), gm (Myricom) or dot (Graphviz)
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    to: String,
    /// The file, written whole or not at all, instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(action: &Action, common: &Common) -> Result<Exit, Failure> {
    match action {
        Action::Show(network) => show(network, common),
        Action::Convert(options) => {
            let net = options.network.load()?;
            let kept = options.network.kept();
            options.output.write((&net, &kept), options.network.places(), common)
        }
        Action::Diff(options) => diff::run(options, common),
        Action::Generate(options) => generate::run(options, common),
    }
}

fn show(network: &NetworkArguments, common: &Common) -> Result<Exit, Failure> {
    let net = network.load()?;
    let metrics = metrics::measure(&net);
    match common.format {
        super::Format::Json => {
            let others = |role: &Role| !matches!(role, Role::Switch | Role::Host);
            let roles = Some(roles(&net)).filter(|roles| roles.keys().any(others));
            print_json(&Shown { metrics: &metrics, roles })
        }
        super::Format::Human => print(&as_text(&net, &metrics)),
    }?;
    Ok(Exit::Fine)
}

/// The figures of a network as JSON has them.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    metrics: &'a Metrics,
    /// Numbers of nodes by role, where there are others than switches and hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<BTreeMap<Role, usize>>,
}

fn roles(net: &Network) -> BTreeMap<Role, usize> {
    let nodes = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host));
    let mut roles = BTreeMap::new();
    nodes.for_each(|node| *roles.entry(net.role(node)).or_default() += 1);
    roles
}

fn as_text(net: &Network, metrics: &Metrics) -> String {
    let none = || "none: not connected".to_owned();
    let of_role = |(role, nodes): (Role, usize)| {
        let name = match role {
            Role::Management => "  management, by description",
            Role::Aggregation => "  aggregation nodes",
            Role::Router => "  routers",
            Role::Switch | Role::Host => return None,
        };
        Some((name, nodes.to_string()))
    };
    let others: Vec<_> = roles(net).into_iter().filter_map(of_role).collect();
    let hosts = [("hosts", metrics.hosts.to_string())].into_iter().chain(others);
    let rows = [
        ("switches", metrics.switches.to_string()),
        ("links", metrics.links.to_string()),
        ("  between switches", metrics.switch_links.to_string()),
        ("  parallel", metrics.parallel_links.to_string()),
        ("  looped back", metrics.loopback_links.to_string()),
        ("components", metrics.components.to_string()),
        ("switch diameter, links", metrics.switch_diameter.map_or_else(none, |d| d.to_string())),
        (
            "mean switch distance, links",
            metrics.switch_mean_distance.map_or_else(none, |m| format!("{m:.4}")),
        ),
        ("a tree", if metrics.is_tree { "yes" } else { "no" }.to_owned()),
    ];
    let rows = hosts.chain(rows).map(|(label, value)| format!("{label:<29}{value}\n"));
    format!("{}\n{}", quoted(&net.name), rows.collect::<String>())
}

impl Output {
    /// Writes a network with what its own file says beyond it; `places` has what was read for it.
    fn write(
        &self,
        (net, kept): (&Network, &Kept),
        places: Places,
        common: &Common,
    ) -> Result<Exit, Failure> {
        let format = Format::to_write(&self.to).map_err(Failure::Usage)?;
        places.writes("--out", self.out.as_deref()).check(common)?;
        if let Some((node, most)) = formats::too_large(net, format) {
            let (name, ports) = (quoted(net.name_of(node)), net.port_range(node).1);
            let text =
                format!("{}: `{name}` has {ports} ports, and {} counts {most} at most", net.name, self.to);
            return Err(Failure::Scenario(text));
        }
        let text = formats::write_with(net, format, kept);
        let left_out = formats::left_out(net, format);
        if left_out > 0 {
            let nodes = count(left_out, "node");
            warn(&format!(
                "warning: {}: {nodes} without a cable left out: {} lists cables",
                net.name, self.to
            ));
        }
        match &self.out {
            Some(path) if !is_stdout(path) => write_whole(path, &text),
            _ => print_data(&text),
        }?;
        Ok(Exit::Fine)
    }
}
