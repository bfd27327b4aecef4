//! How many frames cross a cable per second of an all-gather's ring on Ethernet, in trains and one by one. Goal: above
//! 60 million frame-hops per second of one core, at no more than 500 instructions each; 512 machines, 128 KiB a message
//! (51.7 million frame-hops), within 3 s.

use std::ops::ControlFlow;

use divan::Bencher;
use divan::counter::ItemsCount;
use simnet::ethernet::{Address, Buffer, Endpoint, Ethernet, Frame, Parameters, Pause};
use simnet::ids::{HostId, Port, SwitchId};
use simnet::topology::{End, Network};
use simnet::units::{BitRate, Bytes, Duration, Time};

fn main() {
    divan::main();
}

/// Frames of a message of 128 KiB, the payload of all but the last, and that of the last.
const FRAMES: u32 = 88;
const FULL: u32 = 1_492;
const LAST: u32 = 131_072 - 87 * FULL;

/// Machines that each send P - 1 messages to the next one, each when the one before has come in.
struct Ring {
    machines: Vec<Machine>,
    next: Vec<HostId>,
    woken: Vec<HostId>,
    /// Whether a message's frames are given together.
    has_trains: bool,
}

#[derive(Clone, Copy, Default)]
struct Machine {
    /// Messages that it may still send by what it has received.
    ready: u32,
    steps: u32,
    left: u32,
    received: u32,
}

impl Endpoint<u64> for Ring {
    fn next_frame(&mut self, host: HostId, _now: Time) -> Option<Frame<u64>> {
        let machine = &mut self.machines[host.index()];
        if machine.left == 0 {
            if machine.ready == 0 || machine.steps == 0 {
                return None;
            }
            machine.ready -= 1;
            machine.steps -= 1;
            machine.left = FRAMES;
        }
        machine.left -= 1;
        let payload = if machine.left == 0 { LAST } else { FULL };
        let destination = Address::Host(self.next[host.index()]);
        Some(Frame { source: host, destination, payload, content: u64::from(machine.left) })
    }

    fn following(&mut self, host: HostId, most: u32) -> u32 {
        let machine = &mut self.machines[host.index()];
        let more = machine.left.saturating_sub(1).min(most) * u32::from(self.has_trains);
        machine.left -= more;
        more
    }

    fn nth(&self, frame: &Frame<u64>, nth: u32) -> Frame<u64> {
        Frame { content: frame.content - u64::from(nth), ..*frame }
    }

    fn received(&mut self, host: HostId, frame: &Frame<u64>, now: Time) -> ControlFlow<()> {
        self.received_train(host, frame, 1, now)
    }

    fn received_train(
        &mut self,
        host: HostId,
        _first: &Frame<u64>,
        count: u32,
        _now: Time,
    ) -> ControlFlow<()> {
        let machine = &mut self.machines[host.index()];
        machine.received += count;
        if machine.received < FRAMES {
            return ControlFlow::Continue(());
        }
        machine.received = 0;
        machine.ready += 1;
        self.woken.push(host);
        ControlFlow::Break(())
    }

    fn write(&self, frame: &Frame<u64>, bytes: &mut Vec<u8>) {
        bytes.extend(frame.content.to_be_bytes());
    }
}

/// A chain of switches with eight machines each, at 100 Mb/s and 1 us a cable, and buffers of this kind.
fn chain(switches: u16, buffer: Buffer) -> Ethernet<u64> {
    let mut network = Network::new("chain");
    for at in 0..switches {
        let switch = network.add_switch(format!("s{at}"), 10).expect("names differ");
        if at > 0 {
            let before = End::switch(SwitchId(u32::from(at) - 1), 9);
            network.connect(before, End::switch(switch, 8)).expect("ports are free");
        }
        for port in 0..8 {
            let host = network.add_host(format!("h{at}-{port}")).expect("names differ");
            network.connect(End::host(host, 0), End::switch(switch, port)).expect("ports are free");
        }
    }
    let rate = BitRate::new(100_000_000).expect("not zero");
    let parameters =
        Parameters { buffer, ..Parameters::uniform(network.links().len(), rate, Duration::from_us(1)) };
    let attachments = vec![Some(Port(0)); network.hosts().len()];
    let mut net =
        Ethernet::new(&network, &parameters, &attachments).expect("one of each for every cable and host");
    net.introduce_all();
    net
}

/// Runs the ring to its end; gives the frame-hops.
fn run(net: &mut Ethernet<u64>, next: &[HostId], has_trains: bool) -> u64 {
    let machines = u32::try_from(next.len()).expect("few machines");
    let idle = Machine { ready: 1, steps: machines - 1, ..Machine::default() };
    let idle_ones = vec![idle; next.len()];
    let mut ring = Ring { machines: idle_ones, next: next.to_vec(), woken: Vec::new(), has_trains };
    for host in 0..machines {
        net.wake(HostId(host), Time::ZERO);
    }
    while net.run_until(None, &mut ring, &mut ()) != Pause::Idle {
        let now = net.now();
        for host in ring.woken.drain(..) {
            net.wake(host, now);
        }
    }
    assert_eq!(net.under_way(), 0);
    net.counters().hops()
}

/// Runs once to count, then for the clock.
fn measure(bencher: Bencher<'_, '_>, (switches, buffer): (u16, Buffer), next: &[HostId], has_trains: bool) {
    let hops = run(&mut chain(switches, buffer), next, has_trains);
    bencher
        .counter(ItemsCount::new(hops))
        .with_inputs(|| chain(switches, buffer))
        .bench_local_values(|mut net| run(&mut net, next, has_trains));
}

/// The next machine of each in the order of the switches: no cable carries two messages a step.
fn order(switches: u16) -> Vec<HostId> {
    let machines = u32::from(switches) * 8;
    (0..machines).map(|host| HostId((host + 1) % machines)).collect()
}

/// One of the next switch for each: the cables between switches carry eight messages a step.
fn across(switches: u16) -> Vec<HostId> {
    let machines = u32::from(switches) * 8;
    // From the last switch on to the first one, to the machine at the next port.
    let after = |host: u32| if host + 8 < machines { host + 8 } else { (host + 1) % 8 };
    (0..machines).map(|host| HostId(after(host))).collect()
}

#[divan::bench(args = [4, 16, 64], sample_count = 1, sample_size = 1)]
fn in_order(bencher: Bencher<'_, '_>, switches: u16) {
    measure(bencher, (switches, Buffer::Unbounded), &order(switches), true);
}

/// The same without trains: every frame costs an event a hop.
#[divan::bench(args = [4, 16, 64], sample_count = 1, sample_size = 1)]
fn in_order_frame_by_frame(bencher: Bencher<'_, '_>, switches: u16) {
    measure(bencher, (switches, Buffer::Unbounded), &order(switches), false);
}

/// Trains that meet at every switch, so that they are taken apart.
#[divan::bench(args = [4, 16], sample_count = 1, sample_size = 1)]
fn interleaved(bencher: Bencher<'_, '_>, switches: u16) {
    measure(bencher, (switches, Buffer::Unbounded), &across(switches), true);
}

/// The same in a buffer that a switch's ports share, where there are no trains.
#[divan::bench(args = [4, 16], sample_count = 1, sample_size = 1)]
fn interleaved_in_a_shared_buffer(bencher: Bencher<'_, '_>, switches: u16) {
    measure(bencher, (switches, Buffer::Shared(Bytes(64 << 20))), &across(switches), true);
}
