//! How fast the fabric runs: messages and events a second of CPU time on networks of several sizes.
//!
//! `cargo bench --bench fabric [-- NAME-PART]`. CPU time is the process's own (Linux), so that other work on
//! the machine disturbs little. Sources are open: exponential gaps, uniform destinations.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a measurement prints, and may panic when it is set up wrongly"
)]

#[path = "fabric/networks.rs"]
mod networks;

use std::ops::ControlFlow;

use networks::{Plan, fat_tree, four_ary_tree, random_regular};
use simnet::fabric::{
    CreditParameters, Ended, Endpoint, Fabric, FlowControl, HostParameters, LinkTiming, Outgoing, Parameters,
    Pause, RouteBuffer, SwitchParameters,
};
use simnet::ids::{HostId, Port};
use simnet::units::{Cycle, Duration};

struct Sources<'a> {
    plan: &'a Plan,
    hosts: Vec<(u64, f64)>,
    mean_gap: f64,
    payload: u32,
    ended: u64,
    stop_at: u64,
    latency: u64,
    most: u64,
    started: u64,
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Endpoint for Sources<'_> {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let hosts = self.hosts.len() as u64;
        let (state, time) = &mut self.hosts[host.index()];
        let uniform = ((random(state) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        *time -= libm::log(uniform) * self.mean_gap;
        let mut to = random(state) % (hosts - 1);
        to += u64::from(to >= u64::from(host.0));
        self.plan.route(host.index(), usize::try_from(to).unwrap(), random(state), route);
        self.started += 1;
        Some(Outgoing {
            created: Cycle(*time as u64),
            payload: self.payload,
            tag: 0,
            time_to_live: None,
            service_level: 0,
        })
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.ended += 1;
        if let simnet::fabric::Fate::Delivered { tail, .. } = message.fate {
            self.latency += tail.0 - message.created.0;
        }
        self.most = self.most.max(self.started - self.ended);
        if self.ended == self.stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn parameters(links: usize, flow: FlowControl) -> Parameters {
    Parameters {
        base_cycle: Duration::from_ps(6_250),
        switch: SwitchParameters::default(),
        host: HostParameters::default(),
        links: vec![LinkTiming { period: 1, delay: 2 }; links],
        flow,
    }
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("pages") * 4096
}

fn measure(name: &str, plan: &Plan, payload: u32, load: f64, messages: u64) {
    measure_with(name, plan, payload, load, messages, FlowControl::StopGo);
}

fn measure_with(name: &str, plan: &Plan, payload: u32, load: f64, messages: u64, flow: FlowControl) {
    let hosts = plan.network.hosts().len();
    // Hops are those of worms, or of packets.
    let moved = match &flow {
        FlowControl::StopGo => payload,
        FlowControl::Credits(credits) => payload.min(credits.mtu),
    };
    let before = resident_bytes();
    let attachments = vec![Some(Port(0)); hosts];
    let mut fabric =
        Fabric::new(&plan.network, &parameters(plan.network.links().len(), flow), &attachments).unwrap();
    let built = resident_bytes();
    let mut sources = Sources {
        plan,
        hosts: (0..hosts as u64).map(|host| (random(&mut (host * 77 + 1)), 0.0)).collect(),
        mean_gap: f64::from(payload) / load,
        payload,
        ended: 0,
        stop_at: messages / 10,
        latency: 0,
        most: 0,
        started: 0,
    };
    assert_eq!(fabric.run_until(Cycle(u64::MAX), &mut sources, &mut ()), Pause::Break);
    let flits = |fabric: &Fabric| fabric.channel_use().iter().map(|used| used.flits).sum::<u64>();
    let before_flits = flits(&fabric);
    let (events, cycles, seconds) = (fabric.events(), fabric.now().0, cpu_seconds());
    sources.latency = 0;
    sources.stop_at += messages;
    assert_eq!(fabric.run_until(Cycle(u64::MAX), &mut sources, &mut ()), Pause::Break);
    let seconds = cpu_seconds() - seconds;
    let done = messages as f64;
    let cycles = (fabric.now().0 - cycles) as f64;
    let hops = (flits(&fabric) - before_flits) as f64 / f64::from(moved);
    println!(
        "{name:<22} load {load:<8.5} accepted {:<8.5} {:>7.3} M messages/s {:>6.2} M hops/s {:>6.2} events/message \
         {:>5.1} ns/event latency {:>6.1} in flight {:>6} bytes/host {:>5} later {:>5} kB",
        done * f64::from(payload) / cycles / hosts as f64,
        done / seconds / 1e6,
        hops / seconds / 1e6,
        (fabric.events() - events) as f64 / done,
        seconds * 1e9 / (fabric.events() - events) as f64,
        sources.latency as f64 / done,
        fabric.in_flight(),
        (built - before) / hosts as u64,
        (resident_bytes() - built) / 1024,
    );
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let selected = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    if selected("irregular-32") {
        let plan = random_regular(32, 4, 4, 1);
        for share in [0.25, 0.5, 0.75] {
            measure("irregular-32", &plan, 32, 0.0288 * share, 400_000);
        }
        for share in [0.25, 0.5, 0.75] {
            measure("irregular-32, 512 fl", &plan, 512, 0.05 * share, 200_000);
        }
    }
    if selected("credits") {
        let plan = random_regular(32, 4, 4, 1);
        // Below saturation, lone packets and messages of eight, and beyond it.
        for (payload, mtu, load, messages) in [
            (32, 32, 0.02, 400_000),
            (2_048, 256, 0.02, 100_000),
            (32, 32, 0.1, 400_000),
            (256, 256, 0.3, 400_000),
        ] {
            let name = format!("credits, {payload} in {mtu}");
            let credits = CreditParameters::new(1, mtu, 4);
            let flow = FlowControl::Credits(Box::new(credits));
            measure_with(&name, &plan, payload, load, messages, flow);
        }
    }
    if selected("clos-320") {
        let plan = fat_tree(16);
        for share in [0.25, 0.5, 0.75] {
            measure("clos-320", &plan, 32, 0.06 * share, 300_000);
        }
    }
    if selected("tree-16384") {
        let plan = four_ary_tree(7);
        measure("tree-16384", &plan, 32, 0.05, 400_000);
    }
}
