//! Two switches between which packets go to and fro until their time to live is over: the load above which the loop
//! deadlocks, with credits and with pauses.
//!
//! ```text
//!   h0 ---- s0 ======== s1     a packet passes the cable of s0 and s1 `TTL` times, TTL / n in each direction, n = 2
//! ```
//! Each direction carries `rate * TTL / n`, which cannot be above the cable's B. Below n B / TTL what comes in goes on;
//! above it both buffers fill, and each waits for the other.
//!
//! # Source
//! Hu, Zhu, Cheng, Guo, Tan, Padhye and Chen 2016, Deadlocks in datacenter networks: why do they form, and how to
//! avoid them, as from memory; the bound is derived above. The paper is about pauses. Departures there: rates are those
//! of frames with their preambles and gaps, and the time to live counts the switches that forward. With credits:
//! switches that cut through, and a route of so many turns in the place of a count in the packet, which is destroyed
//! where it has gone them.

use std::ops::ControlFlow;

use simnet_base::ids::{HostId, Port, SwitchId, Turn};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_media::ethernet::{
    Address, Endpoint, Ethernet, Flow, Forwarding, ForwardingTable, Frame, PfcParameters,
};
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

/// Two switches, a host at the first one, and its cable before theirs.
fn network() -> Network {
    let mut network = Network::new("loop");
    let switches = ["s0", "s1"].map(|name| network.add_switch(name, 2).unwrap());
    let host = network.add_host("h0").unwrap();
    network.connect(End::host(host, 0), End::switch(switches[0], 0)).unwrap();
    network.connect(End::switch(switches[0], 1), End::switch(SwitchId::new(1), 1)).unwrap();
    network
}

/// When a packet is created that takes `time` of a cable, at even distances, the load in thousandths of the bound: a
/// load of 1 is a packet in `time` TTL / n.
fn created(nth: u64, time: u64, load: u64) -> u64 {
    nth * time * TTL * 1_000 / (SWITCHES * load)
}

/// Panics unless a loop deadlocks at the loads above the bound, and at no other, whatever room it has for packets.
fn check(deadlocks: impl Fn(u64, u32) -> bool) {
    for buffer in [4, 8, 20, 40] {
        for load in [500, 900, 990, 1_000, 1_010, 1_020, 1_100, 2_000] {
            assert_eq!(deadlocks(load, buffer), load > 1_000, "load {load}, {buffer} packets of room");
        }
    }
}

/// Whether the loop deadlocks with credits, the load in thousandths of the bound.
fn deadlocks(load: u64, buffer: u32) -> bool {
    let route: Vec<Turn> = (0..TTL).map(|hop| Turn(i16::from(hop == 0))).collect();
    let created = |nth: u64| created(nth, u64::from(BYTES), load);
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
        network: network(),
        parameters,
        attachments: vec![Some(Port(0))],
        messages: vec![(0..PACKETS).map(message).collect()],
        link_events: vec![],
        horizon: created(PACKETS) + 1_000_000,
    };
    let levels = vec![0; case.messages[0].len()];
    let credits = CreditParameters::new(1, BYTES, buffer);
    let case = CreditCase { case, credits, levels, management: Vec::new() };
    let mut engine = case.engine(Manner::default());
    engine.run_until(case.case.horizon);
    let found = !engine.fabric().deadlocks().is_empty();
    // What is not in a deadlock, or behind one, has had its time.
    assert!(found || engine.live().is_empty(), "load {load}: something is left");
    found
}

/// Wrong if a loop with credits deadlocked up to the bound, or did not 1 % above it: 5 Gb/s on cables of 40 Gb/s with a
/// time to live of 16.
#[test]
fn a_loop_of_two_switches_deadlocks_above_the_bound() {
    check(deadlocks);
}

/// A host that has a frame at even distances, if it may send.
struct Even {
    load: u64,
    /// Frames given so far.
    sent: u64,
}

/// A frame of 1,000 bytes with its preamble and gap at 40 Gb/s: 200 ps a byte.
const FRAME_PS: u64 = 1_000 * 200;

impl Even {
    fn next(&self) -> u64 {
        created(self.sent, FRAME_PS, self.load)
    }
}

impl Endpoint<()> for Even {
    fn next_frame(&mut self, host: HostId, now: Time) -> Option<Frame<()>> {
        if self.sent == PACKETS || self.next() > now.as_ps() {
            return None;
        }
        self.sent += 1;
        let destination = Address::Host(HostId(1));
        Some(Frame { source: host, destination, payload: 1_000 - 20 - 18, content: () })
    }
    fn received(&mut self, _host: HostId, _frame: &Frame<()>, _now: Time) -> ControlFlow<()> {
        panic!("nothing arrives")
    }
    fn write(&self, _frame: &Frame<()>, _bytes: &mut Vec<u8>) {}
}

/// Whether the loop deadlocks with pauses: each switch sends what is for another host, which is nowhere, to the other
/// one. `room` is the frames above which an input pauses; it has to be more than are in a switch at the bound, latency
/// counted in.
fn deadlocks_of_pauses(load: u64, room: u32) -> bool {
    let mut network = network();
    network.add_host("h1").unwrap();
    let (rate, delay) = (BitRate::new(40_000_000_000).unwrap(), Duration::from_ns(50));
    let mut parameters = simnet_media::ethernet::Parameters::uniform(2, rate, delay);
    let needed = PfcParameters::headroom_needed(rate, delay, parameters.mtu, Duration::ZERO);
    let xoff = Bytes(u64::from(room) * 980);
    parameters.flow = Flow::Pfc(PfcParameters::new(xoff, Bytes(xoff.0 / 2), needed));
    parameters.switch_latency = Duration::from_ns(100);
    parameters.forwarding = Forwarding::Table(ForwardingTable::new(&network, |_, _| Some(Port(1))));
    parameters.time_to_live = Some(u16::try_from(TTL).unwrap());
    let mut net = Ethernet::new(&network, &parameters, &[Some(Port(0)), None]).unwrap();
    let mut host = Even { load, sent: 0 };
    while host.sent < PACKETS && net.deadlocks().is_empty() {
        let next = Time::from_ps(host.next());
        net.wake(HostId(0), next);
        net.run_until(Some(next.max(net.now())), &mut host, &mut ());
        if host.next() <= net.now().as_ps() {
            // It is paused: on to where it is not.
            let Some(at) = net.next() else { break };
            net.run_until(Some(at), &mut host, &mut ());
        }
    }
    net.run_until(None, &mut host, &mut ());
    let found = !net.deadlocks().is_empty();
    assert!(found || net.under_way() == 0, "load {load}: something is left");
    assert!(found || net.counters().expired == PACKETS, "load {load}: {:?}", net.counters());
    found
}

/// Wrong if a loop with pauses deadlocked up to the bound, or did not 1 % above it.
#[test]
fn a_loop_of_two_switches_that_pause_deadlocks_above_the_bound() {
    check(deadlocks_of_pauses);
}
