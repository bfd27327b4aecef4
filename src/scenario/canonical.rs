//! The scenario resolved: every value, defaults included, in one spelling, so that equal runs hash equally.

use serde_json::{Value, json};

use super::allgather::Allgather;
use super::checked::{Checked, Extent, Generated, InputFile, RouteSource, TopologySource, Traffic};
use super::comparison::Comparison;
use super::discovery::{Discovery, Matrix};
use super::expect::Wanted;
use super::mapping::{Mapping, Masters};
use super::study::Study;
use crate::fabric::Arbitration;
use crate::ids::{HostId, Node};
use crate::routing::{Algorithm, Heuristic, Root, Selection, Tree};
use crate::topology::formats;
use crate::traffic::{Arrivals, Shape, Within};

impl Checked {
    /// The whole scenario as JSON text with sorted keys; files it names stand in it by the hash of their
    /// bytes.
    ///
    /// Two scenario files that mean the same have the same text, however they are written.
    pub fn canonical(&self) -> String {
        self.canonical_value().to_string()
    }

    /// The blake3 hash of [`Checked::canonical`], in hexadecimal.
    pub fn hash(&self) -> String {
        blake3::hash(self.canonical().as_bytes()).to_hex().to_string()
    }

    fn canonical_value(&self) -> Value {
        let failures: Vec<String> = self.failures.iter().map(|failure| format!("{failure:?}")).collect();
        let mut canonical = json!({
            "scenario": { "name": self.name, "description": self.description, "seed": self.seed },
            "topology": self.canonical_topology(),
            "fabric": self.canonical_fabric(),
            "hosts": self.canonical_hosts(),
            "failures": failures,
            "mapping": self.mapping.as_ref().map(|mapping| self.canonical_mapping(mapping)),
            "routing": self.canonical_routing(),
            "traffic": self.canonical_traffic(),
            "measure": self.canonical_measure(),
            "output": { "deliveries": self.output.deliveries },
            "expect": self.canonical_expect(),
        });
        if let Some(events) = &self.output.events {
            canonical["output"]["events"] = json!(format!("{events:?}"));
        }
        if let Some(comparison) = &self.comparison {
            canonical["comparison"] = self.canonical_comparison(comparison);
        }
        if !self.failures_at_random.is_empty() {
            canonical["failures-at-random"] = json!(format!("{:?}", self.failures_at_random));
        }
        if let Some(operation) = &self.operation {
            canonical["operation"] = json!(format!("{operation:?}"));
        }
        if let Some(study) = &self.study {
            canonical["study"] = self.canonical_study(study);
        }
        if let Some(ethernet) = &self.ethernet {
            canonical["ethernet"] = json!(format!("{ethernet:?}"));
        }
        if let Some(allgather) = &self.allgather {
            canonical["allgather"] = self.canonical_allgather(allgather);
        }
        if let Some(rings) = &self.rings {
            canonical["rings"] = json!(format!("{rings:?}"));
        }
        if let Some(discovery) = &self.discovery {
            canonical["discovery"] = self.canonical_discovery(discovery);
        }
        canonical
    }

    /// A study by the hashes of the runs that it stands for.
    fn canonical_study(&self, study: &Study) -> Value {
        let alone = Checked { study: None, ..self.clone() };
        let cells = study.cells().into_iter().map(|cell| alone.cell(study, cell).hash());
        json!({
            "names": study.names,
            "networks": study.networks.iter().map(|network| &network.name).collect::<Vec<_>>(),
            "cells": cells.collect::<Vec<_>>(),
            "figures": study.figures.iter().map(|plot| format!("{plot:?}")).collect::<Vec<_>>(),
            "references": study.references.iter().map(|r| format!("{r:?}")).collect::<Vec<_>>(),
            "draw-maps": study.draw_maps,
        })
    }

    /// All-gathers: each network by the hash of a scenario of its own, and what is varied as the program prints it.
    fn canonical_allgather(&self, allgather: &Allgather) -> Value {
        let networks = allgather.networks.iter().map(|network| {
            let alone = Checked {
                topology: network.topology.clone(),
                routing: Some(network.routing.clone()),
                allgather: None,
                ..self.clone()
            };
            json!({ "name": network.name, "machines": format!("{:?}", network.machines), "hash": alone.hash() })
        });
        let varied = Allgather { networks: Vec::new(), ..allgather.clone() };
        json!({ "networks": networks.collect::<Vec<_>>(), "varied": format!("{varied:?}") })
    }

    /// Discoveries, as all-gathers; a matrix by the hash of its file.
    fn canonical_discovery(&self, discovery: &Discovery) -> Value {
        let networks = discovery.networks.iter().map(|network| {
            let alone = Checked { topology: network.topology.clone(), discovery: None, ..self.clone() };
            json!({ "name": network.name, "machines": format!("{:?}", network.machines), "hash": alone.hash() })
        });
        let networks: Vec<Value> = networks.collect();
        let varied = Discovery { networks: Vec::new(), matrix: None, ..discovery.clone() };
        let matrix = discovery.matrix.as_ref().map(|Matrix { file, .. }| file_value(file));
        json!({ "networks": networks, "matrix": matrix, "varied": format!("{varied:?}") })
    }

    /// A mapping; the algorithm's options as the program itself prints them.
    fn canonical_mapping(&self, mapping: &Mapping) -> Value {
        let host = |id| self.topology.network.name_of(Node::Host(id));
        let also: Vec<String> = mapping.also_at_routing_latency.iter().map(ToString::to_string).collect();
        let masters = match mapping.masters {
            Masters::One(mapper) => json!({ "mapper": host(mapper) }),
            Masters::Election => json!("election"),
        };
        json!({
            "algorithm": format!("{:?}", mapping.algorithm),
            "masters": masters,
            "model": format!("{:?}", mapping.model),
            "brief": format!("{:?}", mapping.brief),
            "silent": mapping.silence.hosts.iter().map(|id| host(*id)).collect::<Vec<_>>(),
            "answering": mapping.silence.answering,
            "answering-order": format!("{:?}", mapping.silence.order),
            "runs-on": format!("{:?}", mapping.runs_on),
            "costs": format!("{:?}", mapping.costs),
            "jitter": mapping.jitter,
            "faults": format!("{:?}", mapping.faults),
            "restraint": mapping.restraint.map(|restraint| format!("{restraint:?}")),
            "failures": mapping.failures,
            "load": mapping.load,
            "runs": mapping.runs,
            "also-at-routing-latency": also,
        })
    }

    /// A comparison by the hashes of the runs that it stands for.
    fn canonical_comparison(&self, comparison: &Comparison) -> Value {
        let alone = Checked { comparison: None, ..self.clone() };
        let members = (0..comparison.members()).map(|nth| alone.member(comparison, nth).hash());
        let references = comparison.references.iter().map(|reference| format!("{reference:?}"));
        json!({
            "names": comparison.names,
            "base": comparison.base,
            "members": members.collect::<Vec<_>>(),
            "references": references.collect::<Vec<_>>(),
        })
    }

    fn canonical_topology(&self) -> Value {
        let topology = &self.topology;
        let source = match &topology.source {
            TopologySource::Preset(name) => json!({ "preset": name }),
            TopologySource::File(file) => file_value(file),
            TopologySource::Generated { family, parameters } => {
                let parameters: serde_json::Map<String, Value> =
                    parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                json!({ "generator": family, "parameters": parameters })
            }
        };
        let ports: Vec<Option<u16>> =
            topology.attachments.iter().map(|port| port.map(|port| port.0)).collect();
        let utility = topology.utility.map(|id| topology.network.name_of(Node::Host(id)));
        let wiring = formats::write(&topology.network, formats::Format::Json);
        let wiring = blake3::hash(wiring.as_bytes()).to_hex().to_string();
        json!({ "source": source, "wiring": wiring, "utility": utility, "ports": ports })
    }

    fn canonical_fabric(&self) -> Value {
        let fabric = &self.fabric;
        let arbitration = match fabric.arbitration {
            Arbitration::Serial => "serial",
            Arbitration::PerInput => "per-input",
        };
        json!({
            "rate": fabric.rate.to_string(),
            "buffer": fabric.buffer.0,
            "stop": fabric.stop.0,
            "go": fabric.go.0,
            "routing-latency": fabric.routing_latency.to_string(),
            "arbitration": arbitration,
            "deadlock-timeout": fabric.deadlock_timeout.map(|span| span.to_string()),
            "cable-length": fabric.cable_length.to_string(),
            "bit-error-rate": fabric.bit_error_rate,
        })
    }

    fn canonical_hosts(&self) -> Value {
        let hosts = &self.hosts;
        let receive = hosts.receive.map(|receive| {
            json!({
                "buffer": receive.buffer.0,
                "stop": receive.stop.0,
                "go": receive.go.0,
                "rate": receive.rate.to_string(),
                "overhead": receive.overhead.to_string(),
            })
        });
        let mut canonical = json!({
            "nic-send-overhead": hosts.nic_send_overhead.to_string(),
            "receive": receive,
            "send-overhead": hosts.send_overhead.to_string(),
            "reply-overhead": hosts.reply_overhead.to_string(),
            "loop-overhead": hosts.loop_overhead.to_string(),
        });
        if let Some(life) = hosts.time_to_live {
            canonical["time-to-live"] = json!(life.to_string());
        }
        canonical
    }

    fn canonical_routing(&self) -> Option<Value> {
        let routing = self.routing.as_ref()?;
        let source = match &routing.source {
            RouteSource::File { file, .. } => file_value(file),
            RouteSource::Computed(choices) => {
                let select = match choices.selection {
                    Selection::First => "first",
                    Selection::Random { .. } => "random",
                    Selection::RoundRobin => "round-robin",
                    Selection::Balanced => "balanced",
                };
                match &choices.algorithm {
                    Algorithm::Minimal => json!({ "algorithm": "minimal", "select": select }),
                    Algorithm::UpDown { tree, root } | Algorithm::Smart { tree, root } => {
                        let smart = matches!(choices.algorithm, Algorithm::Smart { .. });
                        let algorithm = if smart { "smart" } else { "updown" };
                        let (tree, root) = (tree_value(*tree), self.root_value(root));
                        json!({ "algorithm": algorithm, "tree": tree, "root": root, "select": select })
                    }
                }
            }
        };
        Some(json!({ "source": source, "distribute": routing.distribute }))
    }

    fn root_value(&self, root: &Root) -> Value {
        match root {
            Root::Far => json!("far"),
            Root::R0 => json!("r0"),
            Root::R1 => json!("r1"),
            Root::R2 => json!("r2"),
            Root::Named(switches) => {
                let name = |id: &_| self.topology.network.name_of(Node::Switch(*id));
                json!({ "switches": switches.iter().map(name).collect::<Vec<_>>() })
            }
        }
    }

    fn canonical_traffic(&self) -> Option<Value> {
        Some(match self.traffic.as_ref()? {
            Traffic::Trace(trace) => json!({ "trace": file_value(&trace.file) }),
            Traffic::Generated(generated) => generated_value(generated),
        })
    }

    fn canonical_measure(&self) -> Value {
        let (messages, duration) = match self.measure.extent {
            Extent::Messages(messages) => (Some(messages), None),
            Extent::Duration(span) => (None, Some(span.to_string())),
        };
        json!({
            "warmup": self.measure.warmup.map(|span| span.to_string()),
            "messages": messages,
            "duration": duration,
            "until-precise": self.measure.until_precise,
            "precision": self.measure.precision,
            "horizon": self.measure.horizon.map(|span| span.to_string()),
            "find-saturation": self.measure.find_saturation,
            "require-convergence": self.measure.require_convergence,
        })
    }

    fn canonical_expect(&self) -> Value {
        let entry = |wanted: &Wanted| match wanted {
            Wanted::Equal(value) => json!({ "equal": value }),
            Wanted::Within { min, max } => json!({ "min": min, "max": max }),
            Wanted::Near { near, share } => json!({ "near": near, "share": share }),
        };
        self.expect
            .list
            .iter()
            .map(|e| (e.path.clone(), entry(&e.wanted)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

fn generated_value(Generated { workload, loads }: &Generated) -> Value {
    let arrivals = match workload.arrivals {
        Arrivals::Poisson => json!("poisson"),
        Arrivals::Bernoulli => json!("bernoulli"),
        Arrivals::Constant => json!("constant"),
        Arrivals::Bursts { on, off, within } => {
            let within = match within {
                Within::Poisson => "poisson",
                Within::Constant => "constant",
            };
            json!({ "on": on.to_string(), "off": off.to_string(), "within": within })
        }
    };
    let ids = |hosts: &[HostId]| hosts.iter().map(|host| host.0).collect::<Vec<_>>();
    let pattern = match workload.pattern.shape() {
        Shape::Uniform => json!("uniform"),
        Shape::HotSpot { hosts, parts } => json!({ "hosts": ids(hosts), "parts": parts }),
        Shape::Only(to) => json!(to.iter().map(|to| to.map(|host| host.0)).collect::<Vec<_>>()),
        Shape::NearestNeighbours => json!("nearest-neighbours"),
    };
    json!({
        "pattern": pattern,
        "payload": workload.sizes.table(),
        "arrivals": arrivals,
        "loads": loads,
    })
}

fn tree_value(tree: Tree) -> &'static str {
    match tree {
        Tree::Bfs => "bfs",
        Tree::Dfs(Heuristic::H1) => "dfs by h1",
        Tree::Dfs(Heuristic::H2) => "dfs by h2",
    }
}

fn file_value(file: &InputFile) -> Value {
    json!({ "file": file.hash })
}
