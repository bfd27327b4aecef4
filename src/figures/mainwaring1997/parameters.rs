//! Sections 1.1, 2.2, 4.1 and 4.2: the numbers of the hardware, measured on the fabric that scenarios set up.

use std::ops::ControlFlow;

use crate::{Figure, Page, Results, Row, scenarios};
use simnet_base::des::process::run_at_once;
use simnet_base::ids::{HostId, Port, Turn};
use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{Ended, Endpoint, Fabric, Fate, Outgoing, Parameters, RouteBuffer};
use simnet_media::host::mapper::{Brief, Kind, myricom};
use simnet_media::host::plain::{Collision, Plain};
use simnet_network::topology::{End, Network};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};
use simnet_scenario::{Checked, Overrides, fabric, read};

/// The parameters.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/parameters",
    title: "Sections 1.1 to 4.2: the numbers of the hardware",
    scenarios: &["now-c.toml"],
    whole_when_quick: true,
    make,
};

/// The most switches in a row that a head is timed through.
const MOST_SWITCHES: u16 = 6;

fn make(results: &Results<'_>) -> Page {
    let (worst, rom) = (scenario(&[]), scenario(&["fabric.deadlock-timeout=\"55 ms\""]));
    let heads: Vec<f64> = (0..=MOST_SWITCHES).filter_map(|switches| head_ns(&worst, switches)).collect();
    let printed = |figure, quantity, of, ours| Row::printed("000", figure, quantity, of, ours);
    let latency = heads.get(1).zip(heads.get(2)).map(|(one, two)| two - one - cable_ns(&worst));
    let switch = "8-port Myrinet switch";
    let mut rows: Vec<Row> = [
        printed("1.1", "worst-case switch latency, no contention", switch, latency),
        printed("1.1", "link rate", "Myrinet", rate_gbps(&worst)),
        printed("1.1", "per-port buffering", switch, Some(worst.fabric.buffer.0 as f64)),
        printed("1.1", "deadlock break time", "switch", broken_after_ms(&worst)),
        printed("2.2", "blocked-port timeout (ROM)", "switch", broken_after_ms(&rom)),
        printed("4.1", "comparison turns per switch pair", "8-port", comparison_turns()),
        printed("4.2", "NIC processor clock", "LANai", None),
        printed("4.2", "host clock", "UltraSPARC", None),
    ]
    .into_iter()
    .flatten()
    .collect();
    let timed = heads.iter().enumerate();
    rows.extend(timed.map(|(switches, ns)| {
        Row::ours("a head's way through switches in a row", "550 ns a switch", "ns", Some(*ns))
            .at(switches as f64)
    }));
    let sensitivity = sensitivity(results, &worst);
    rows.extend(sensitivity.iter().map(|(latency, time)| {
        Row::ours("mapping time against the routing latency (ns)", "C", "ms", Some(*time)).at(*latency)
    }));
    Page {
        svg: draw_charts(&charts(&rows, &sensitivity), 3),
        rows,
        shows: "The numbers that the paper gives for its hardware, measured on the fabric of \
                `scenarios/now-c.toml`: a head through one switch more, a byte more on a cable, how long a worm \
                that met its own tail stays until a forward reset clears it, how many comparisons two different \
                switches cost where no heuristic spares any. Left: a lone head through switches in a row; \
                middle: worms cleared with the two times that the paper prints; right: how little the switch's \
                latency matters to the time of a mapping."
            .to_owned(),
        differs: "- 550 ns is a worst case, and the scenarios of the figures take the 150 ns of sancho2000; the \
                mapping time of C changes by 0.3 % between the two.\n\
                - Section 1.1 says 50 ms, section 2.2 55 ms (ROM): the first is the default, the second a \
                variant.\n\
                - The clocks of the interface's processor and of the host cannot be compared: no processor is \
                modelled, only what software costs, fitted to the mapping times of Figs. 7 and 10.\n\
                - The buffer is what scenarios set; STOP and GO levels in it are not printed: 56 and 40 bytes are \
                borrowed from another group's model with buffers of 80 bytes. With 40 and 24, or 80 and 60, every \
                count of Fig. 6 and every mapping time stays as it is, and the loaded NOW accepts at most 2 % more \
                beyond saturation."
            .to_owned(),
    }
}

/// The fabric of the NOW with the worst-case latency.
fn scenario(set: &[&str]) -> Checked {
    let bytes = scenarios::scenario("now-c.toml").expect("it is part of the program");
    let set = set.iter().map(|assignment| (*assignment).to_owned()).collect();
    read("now-c.toml", bytes, &Overrides { set, ..Overrides::default() }).expect("it is without faults")
}

/// One message, and what became of it.
struct One {
    message: Option<(Vec<Turn>, u32)>,
    ended: Option<Ended>,
}

impl Endpoint for One {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let (turns, payload) = self.message.take_if(|_| host == HostId(0))?;
        route.extend(turns);
        Some(Outgoing { created: Cycle::ZERO, payload, tag: 0, time_to_live: None, service_level: 0 })
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.ended = Some(*message);
        ControlFlow::Break(())
    }
}

/// So many switches in a row between two hosts; the last has a cable between two of its own ports.
fn row_of(switches: u16) -> Network {
    let mut network = Network::new("row");
    let hosts = ["h0", "h1"].map(|name| network.add_host(name).expect("the name is free"));
    let mut last = End::host(hosts[0], 0);
    for nth in 0..switches {
        let switch = network.add_switch(format!("s{nth}"), 8).expect("the name is free");
        network.connect(last, End::switch(switch, 0)).expect("the ports are free");
        last = End::switch(switch, 1);
        if nth + 1 == switches {
            network.connect(End::switch(switch, 2), End::switch(switch, 3)).expect("the ports are free");
        }
    }
    network.connect(last, End::host(hosts[1], 0)).expect("the ports are free");
    network
}

/// Sends one message on an idle fabric.
fn send(
    scenario: &Checked,
    network: &Network,
    route: &[i16],
    payload: u32,
) -> Option<(Fabric, Parameters, Ended)> {
    let parameters = fabric::parameters(&scenario.fabric, &fabric::Hosts::default(), network);
    let mut fabric = Fabric::new(network, &parameters, &[Some(Port(0)), Some(Port(0))]).ok()?;
    let turns = route.iter().copied().map(Turn).collect();
    let mut one = One { message: Some((turns, payload)), ended: None };
    fabric.run_until(Cycle(u64::MAX), &mut one, &mut ());
    Some((fabric, parameters, one.ended?))
}

/// From its start to its head (and its tail) at the other host, in base cycles.
fn arrival(scenario: &Checked, switches: u16, payload: u32) -> Option<(Duration, u64, u64)> {
    let network = row_of(switches);
    let (_, parameters, ended) = send(scenario, &network, &vec![1; usize::from(switches)], payload)?;
    let Fate::Delivered { head, tail, .. } = ended.fate else { return None };
    Some((parameters.base_cycle, head.0 - ended.started.0, tail.0 - ended.started.0))
}

fn head_ns(scenario: &Checked, switches: u16) -> Option<f64> {
    let (cycle, head, _) = arrival(scenario, switches, 64)?;
    Some((cycle * head).as_ns_f64())
}

/// What one more cable adds.
fn cable_ns(scenario: &Checked) -> f64 {
    let network = row_of(1);
    let parameters = fabric::parameters(&scenario.fabric, &fabric::Hosts::default(), &network);
    parameters.links.first().map_or(0.0, |link| (parameters.base_cycle * link.delay).as_ns_f64())
}

/// What a thousand bytes more take.
fn rate_gbps(scenario: &Checked) -> Option<f64> {
    let (cycle, _, short) = arrival(scenario, 1, 1_000)?;
    let (_, _, long) = arrival(scenario, 1, 2_000)?;
    Some(8.0 * 1_000.0 / (cycle * (long - short)).as_ns_f64())
}

/// How long a worm that meets its own tail stays until it is cleared.
fn broken_after_ms(scenario: &Checked) -> Option<f64> {
    let network = row_of(1);
    // Out by port 2, in again by port 3, and to port 2 once more.
    let (fabric, parameters, _) = send(scenario, &network, &[2, -1, -1], 4_096)?;
    let deadlock = fabric.deadlocks().first()?;
    Some((parameters.base_cycle * (deadlock.cleared?.at.0 - deadlock.formed.0)).as_ms_f64())
}

/// The comparisons that two different switches cost Myricom's mapper where nothing bounds them: two switches without
/// hosts behind the mapper's own.
fn comparison_turns() -> Option<f64> {
    let mut network = Network::new("pair");
    let host = network.add_host("h0").ok()?;
    let [hub, a, b] = ["hub", "a", "b"].map(|name| network.add_switch(name, 8).expect("the name is free"));
    // With a second host on the mapper's switch the hub is no candidate.
    let other = network.add_host("h1").ok()?;
    network.connect(End::host(host, 0), End::switch(hub, 0)).ok()?;
    network.connect(End::host(other, 0), End::switch(hub, 3)).ok()?;
    network.connect(End::switch(hub, 1), End::switch(a, 0)).ok()?;
    network.connect(End::switch(hub, 2), End::switch(b, 0)).ok()?;
    let options = myricom::Options { bound_comparisons: false, ..myricom::Options::default() };
    let mut mapper = Plain::new(&network, host, Collision::Packet);
    let map = run_at_once(myricom::map(&mut mapper, &Brief::default(), &options));
    Some(map.probes.of(Kind::Compare).sent as f64)
}

/// The mapping time of C at several latencies of the switch, in ns and ms.
fn sensitivity(results: &Results<'_>, scenario: &Checked) -> Vec<(f64, f64)> {
    let own = results.at(0, "map.time_ms").map(|time| (scenario.fabric.routing_latency.as_ns_f64(), time));
    let others = (0..2).filter_map(|nth| {
        let at = |key: &str| results.at(0, &format!("map.sensitivity.{nth}.{key}"));
        at("routing_latency_ns").zip(at("time_ms"))
    });
    let mut all: Vec<(f64, f64)> = others.chain(own).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

fn charts(rows: &[Row], sensitivity: &[(f64, f64)]) -> [Chart; 3] {
    let of = |quantity: &'static str| rows.iter().filter(move |row| row.quantity == quantity);
    let heads = of("a head's way through switches in a row").filter_map(|row| row.mark(row.x?)).collect();
    let cleared: Vec<&Row> =
        ["deadlock break time", "blocked-port timeout (ROM)"].into_iter().flat_map(of).collect();
    let mapped = sensitivity.iter().map(|(latency, time)| Mark::at(*latency, *time)).collect();
    [
        Chart {
            title: "a lone head".to_owned(),
            x: Axis::from_zero("switches in a row"),
            y: Axis::from_zero("from start to arrival (ns)"),
            layers: vec![Layer::line("ours", heads)],
            ..Chart::default()
        },
        Chart {
            title: "a worm that met its own tail".to_owned(),
            x: Axis::names("", ["section 1.1", "section 2.2"]),
            y: Axis::from_zero("until cleared (ms)"),
            layers: crate::side_by_side("ours", &cleared),
            bars: true,
            ..Chart::default()
        },
        Chart {
            title: "mapping C".to_owned(),
            x: Axis::from_zero("latency of a switch (ns)"),
            y: Axis::from_zero("mapping time (ms)"),
            layers: vec![Layer::line("ours", mapped)],
            ..Chart::default()
        },
    ]
}
