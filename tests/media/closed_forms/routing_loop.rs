//! Two switches between which packets go to and fro until their time to live is over: the load above which the loop
//! deadlocks.
//!
//! ```text
//!   h0 ---- s0 ======== s1     a packet passes the cable of s0 and s1 `TTL` times, TTL / n in each direction, n = 2
//! ```
//! Each direction carries `rate * TTL / n`, which cannot be above the cable's B. Below n B / TTL what comes in goes on;
//! above it both buffers fill, and each waits for the other.
//!
//! # Source
//! Hu, Zhu, Cheng, Guo, Tan, Padhye and Chen 2016, Deadlocks in datacenter networks: why do they form, and how to
//! avoid them, as from memory; the bound is derived above. Departures: credits in the place of pause frames, switches
//! that cut through, and a route of so many turns in the place of a count in the packet: what has gone it is destroyed
//! where it is then.

use simnet_base::ids::{Port, SwitchId, Turn};
use simnet_base::units::Duration;
use simnet_media::fabric::{
    CreditParameters, FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters,
};
use simnet_network::topology::{End, Network};

use support_media::credits::CreditCase;
use support_media::engine::Manner;
use support_media::oracle::{Case, Message};

const TTL: u64 = 16;
const SWITCHES: u64 = 2;
/// 64 bytes: a small packet.
const BYTES: u32 = 64;
const PACKETS: u64 = 4_000;

/// Whether the loop deadlocks with packets at even distances, the load in thousandths of the bound.
fn deadlocks(load: u64, buffer: u32) -> bool {
    let mut network = Network::new("loop");
    let switches = ["s0", "s1"].map(|name| network.add_switch(name, 2).unwrap());
    let host = network.add_host("h0").unwrap();
    network.connect(End::host(host, 0), End::switch(switches[0], 0)).unwrap();
    network.connect(End::switch(switches[0], 1), End::switch(SwitchId::new(1), 1)).unwrap();
    let route: Vec<Turn> = (0..TTL).map(|hop| Turn(i16::from(hop == 0))).collect();
    // A load of 1 is a packet in BYTES TTL / n cycles.
    let created = |nth: u64| nth * u64::from(BYTES) * TTL * 1_000 / (SWITCHES * load);
    let message = |nth| {
        let (created, payload, route) = (created(nth), BYTES, route.clone());
        Message { created, payload, route, tag: nth, time_to_live: None }
    };
    let parameters = Parameters {
        base_cycle: Duration::from_ps(200),
        switch: SwitchParameters { routing_latency: 24, ..SwitchParameters::default() },
        host: HostParameters::default(),
        links: vec![LinkTiming { period: 1, delay: 5 }; 2],
        flow: FlowControl::StopGo,
    };
    let case = Case {
        network,
        parameters,
        attachments: vec![Some(Port(0))],
        messages: vec![(0..PACKETS).map(message).collect()],
        link_events: vec![],
        horizon: created(PACKETS) + 1_000_000,
    };
    let levels = vec![0; case.messages[0].len()];
    let case = CreditCase { case, credits: CreditParameters::new(1, BYTES, buffer), levels };
    let mut engine = case.engine(Manner::default());
    engine.run_until(case.case.horizon);
    let found = !engine.fabric().deadlocks().is_empty();
    // What is not in a deadlock, or behind one, has had its time.
    assert!(found || engine.live().is_empty(), "load {load}: something is left");
    found
}

/// Wrong if a loop deadlocked up to the bound, or did not 1 % above it: 5 Gb/s on cables of 40 Gb/s with a time to live
/// of 16.
#[test]
fn a_loop_of_two_switches_deadlocks_above_the_bound() {
    for buffer in [4, 8, 20, 40] {
        for load in [500, 900, 990, 1_000, 1_010, 1_020, 1_100, 2_000] {
            assert_eq!(deadlocks(load, buffer), load > 1_000, "load {load}, {buffer} packets of room");
        }
    }
}
