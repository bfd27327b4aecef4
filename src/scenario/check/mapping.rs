//! The mapper: its host or an election, its algorithm with the options that it has, who answers it.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::Costs;
use simnet_media::host::mapper::{Algorithm, Brief, myricom};

use super::{conflict, mappers, names, out_of_range, quantity};
use crate::checked::Topology;
use crate::diagnostics::{Diagnostics, Place};
use crate::fabric::Hosts;
use crate::mapping::{Computer, Election, MapModel, Mapping, Masters, Silence};
use crate::wire::{self, Document, Given, Located, Mode};

/// The mapper.
pub(super) fn mapping(
    wire: &Located<wire::Mapping>,
    topology: Option<&Topology>,
    hosts: Option<&Hosts>,
    document: &Document,
    diagnostics: &mut Diagnostics,
) -> Option<Mapping> {
    let (section, wire) = (wire.place, &wire.value);
    let masters = masters(wire, section, topology, diagnostics);
    let runs_on = runs_on(wire);
    let probe_timeout = match &wire.probe_timeout {
        given if given.is_absent() => runs_on.map(timeout),
        given => quantity(given).map(|timeout| timeout.value),
    };
    let latencies = latencies(wire, diagnostics);
    if let Some(load) = wire.load.get() {
        check_load(load, document, diagnostics);
    }
    let silence = silence(wire, masters, topology, diagnostics);
    let site = mappers::Site { network: topology.map(|t| &t.network), masters, model: *wire.model.value()? };
    let algorithm = mappers::algorithm(wire, &site, diagnostics);
    let (faults, restraint) = (mappers::faults(&wire.faults), mappers::restraint(&wire.restraint));
    let election = election(wire, diagnostics);
    let brief = Brief {
        timeout: probe_timeout?,
        retries: *wire.retries.value()?,
        explorations: *wire.explorations.value()?,
        length: least_length(wire)?,
        memory: quantity(&wire.memory).map(|memory| memory.value.0),
        ..Brief::for_switches_of(&topology?.network)
    };
    Some(Mapping {
        hardware: mappers::hardware(algorithm.as_ref()?),
        algorithm: algorithm?,
        masters: masters?,
        election: election?,
        model: *wire.model.value()?,
        brief,
        silence: silence?,
        runs_on: runs_on?,
        costs: costs(wire, runs_on?, hosts?)?,
        jitter: thousandths(wire.jitter.value()?.0),
        faults: faults?,
        restraint: restraint?,
        failures: *wire.failures.value()?,
        load: wire.load.value().copied().filter(|load| *load > 0.0),
        also_at_routing_latency: latencies?,
    })
}

/// Who maps.
fn masters(
    wire: &wire::Mapping,
    section: Place,
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Option<Masters> {
    let mode = *wire.mode.value()?;
    let model = wire.model.get()?;
    match mode {
        Mode::Master => {
            if let (Some(algorithm), true) = (wire.algorithm.get(), model.value != MapModel::CutThrough)
                && matches!(algorithm.value, Algorithm::Parallel(_))
            {
                let expected = "expected another algorithm, or model = \"cut-through\"";
                conflict(model.place, "one process at a time runs on this model", expected, diagnostics);
            }
            if wire.mapper.is_absent() {
                diagnostics.add(section, |span| {
                    let message = "the key `mapper` is missing from [mapping]";
                    Fault::new("missing-key", span, message, "needs `mapper`, or mode = \"election\"")
                });
            }
            let mapper = wire.mapper.get().zip(topology);
            mapper.and_then(|(name, t)| names::attached_host(&name.value.0, t, diagnostics)).map(Masters::One)
        }
        Mode::Election => {
            if let Some(mapper) = wire.mapper.get() {
                let expected = "in an election every host maps: expected no `mapper`, or mode = \"master\"";
                conflict(mapper.place, "a mapper where one is elected", expected, diagnostics);
            }
            if model.value != MapModel::CutThrough {
                let expected = "expected mode = \"master\", or model = \"cut-through\"";
                conflict(model.place, "one process at a time runs on this model", expected, diagnostics);
            }
            if let Some(Located { value: Algorithm::Parallel(_), place }) = wire.algorithm.get() {
                let expected = "expected another algorithm, or mode = \"master\" with the host that merges";
                conflict(*place, "parallel mappers hold no election", expected, diagnostics);
            }
            Some(Masters::Election)
        }
    }
}

/// How an election goes; `None` after a fault.
fn election(wire: &wire::Mapping, diagnostics: &mut Diagnostics) -> Option<Election> {
    let Some(Located { value: own, place }) = wire.election.get() else {
        return wire.election.is_absent().then(Election::default);
    };
    if wire.mode.value() == Some(&Mode::Master) {
        conflict(
            *place,
            "rules of an election where one host maps",
            "belongs to mode = \"election\"",
            diagnostics,
        );
    }
    let redrawn = *own.redrawn.value()?;
    if let (true, Some(addresses)) = (redrawn, own.addresses.get()) {
        let expected = "expected one of addresses and redrawn = true";
        conflict(addresses.place, "addresses that every run draws anew", expected, diagnostics);
    }
    Some(Election {
        attempts: *own.attempts.value()?,
        starts: own.starts.value()?.0,
        gossip: *own.gossip.value()?,
        patience: own.patience.value()?.0,
        addresses: if redrawn { None } else { Some(own.addresses.value().copied().unwrap_or(0)) },
    })
}

/// What a mapper's software runs on: what is given, else the computer of the paper that has the algorithm.
fn runs_on(wire: &wire::Mapping) -> Option<Computer> {
    match &wire.runs_on {
        given if given.is_absent() => Some(match wire.algorithm.value()? {
            Algorithm::Myricom(_) => Computer::Nic,
            _ => Computer::Host,
        }),
        given => given.value().copied(),
    }
}

/// How long a mapper waits for an answer by default.
fn timeout(runs_on: Computer) -> Duration {
    match runs_on {
        Computer::Host => Brief::default().timeout,
        Computer::Nic => myricom::TIMEOUT,
    }
}

/// What software costs: what is given, else what all hosts share, or the interface's firmware.
fn costs(wire: &wire::Mapping, runs_on: Computer, hosts: &Hosts) -> Option<Costs> {
    let Hosts { send_overhead: send, reply_overhead: reply, loop_overhead: loopback, .. } = *hosts;
    let default = match runs_on {
        Computer::Host => Costs { send, reply, loopback },
        Computer::Nic => Costs::lanai(),
    };
    let or = |given: &Given<wire::Quantity<Duration>>, default: Duration| {
        if given.is_absent() { Some(default) } else { given.value().map(|quantity| quantity.0) }
    };
    Some(Costs {
        send: or(&wire.send_overhead, default.send)?,
        reply: or(&wire.reply_overhead, default.reply)?,
        loopback: or(&wire.loop_overhead, default.loopback)?,
    })
}

/// The least length of a probe, in bytes.
fn least_length(wire: &wire::Mapping) -> Option<u32> {
    if wire.probe_length.is_absent() {
        return Some(0);
    }
    u32::try_from(quantity::<Bytes>(&wire.probe_length)?.value.0).ok()
}

/// A share of 0 % to 100 %, in thousandths.
fn thousandths(share: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1,000")]
    let rounded = libm::round(share * 1000.0) as u32;
    rounded
}

fn latencies(wire: &wire::Mapping, diagnostics: &mut Diagnostics) -> Option<Vec<Duration>> {
    let latencies = wire.also_at_routing_latency.value()?;
    if let (Some(model), Some(first)) =
        (wire.model.get().filter(|at| at.value != MapModel::CutThrough), latencies.first())
    {
        let expected = "expected model = \"cut-through\"";
        let message = "switches take no time on this model";
        conflict(model.place.max(first.place), message, expected, diagnostics);
    }
    Some(latencies.iter().map(|latency| latency.value.0).collect())
}

/// Notes a load that is none, or that nothing offers.
fn check_load(load: &Located<f64>, document: &Document, diagnostics: &mut Diagnostics) {
    if !(0.0..=1.0).contains(&load.value) {
        out_of_range(load.place, format!("{} is no load", load.value), "expected 0 to 1", diagnostics);
    } else if load.value > 0.0 && document.traffic.is_absent() {
        diagnostics.add(load.place, |span| {
            let expected = "needs a [traffic] section with a pattern, and a [routing] section";
            Fault::new("missing-section", span, "a load without traffic", expected)
        });
    }
}

/// Who answers.
fn silence(
    wire: &wire::Mapping,
    masters: Option<Masters>,
    topology: Option<&Topology>,
    diagnostics: &mut Diagnostics,
) -> Option<Silence> {
    let mut hosts: Vec<HostId> = Vec::new();
    for name in wire.silent.value()? {
        let Some(host) = topology.and_then(|t| names::host(name, &t.network, diagnostics)) else { continue };
        if masters == Some(Masters::One(host)) {
            conflict(name.place, "the mapper's own host is silent", "expected another host", diagnostics);
        }
        if hosts.contains(&host) {
            conflict(name.place, "this host is named twice", "expected each host once", diagnostics);
        }
        hosts.push(host);
    }
    if let (Some(answering), Some(silent)) = (wire.answering.get(), wire.silent.get())
        && !silent.value.is_empty()
    {
        let place = answering.place.max(silent.place);
        let message = "both who is silent and how many answer";
        conflict(place, message, "expected one of silent and answering", diagnostics);
    }
    if let (true, Some(order)) = (wire.answering.is_absent(), wire.answering_order.get()) {
        conflict(order.place, "an order of hosts of which all answer", "belongs to answering", diagnostics);
    }
    let order = or_default(&wire.answering_order)?;
    let answering = match wire.answering.get() {
        Some(count) => Some(among_hosts(count, topology?, diagnostics)?),
        None => None,
    };
    Some(Silence { hosts, answering, order })
}

/// A number of hosts, at least one and not more than there are.
fn among_hosts(count: &Located<u32>, topology: &Topology, diagnostics: &mut Diagnostics) -> Option<u32> {
    let cabled = topology.attachments.iter().flatten().count();
    if count.value >= 1 && count.value as usize <= cabled {
        return Some(count.value);
    }
    out_of_range(
        count.place,
        format!("{} of {cabled} hosts cannot answer", count.value),
        format!("expected 1 to {cabled}"),
        diagnostics,
    );
    None
}

/// The value given, or the type's own default; `None` after a fault.
fn or_default<T: Copy + Default>(given: &Given<T>) -> Option<T> {
    if given.is_absent() { Some(T::default()) } else { given.value().copied() }
}
