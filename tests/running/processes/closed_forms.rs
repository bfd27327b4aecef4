//! Processes on the fabric: when what happens, in closed form; and the distribution of routes in-band.

use simnet_base::ids::{HostId, Turn};
use simnet_base::units::{Duration, Time};
use simnet_media::fabric::{Cause, Parameters};
use simnet_media::host::distribution::{self, distribute};
use simnet_media::host::{Body, Costs, Host, Message, Station};
use simnet_network::topology::{End, Network, presets};
use simnet_running::simulation::hosts::{self, Setup};

use support_media::mapping::parameters;
use support_media::mapping::routes;

/// Two hosts on a switch: a at port 1, b at port 4.
fn pair() -> Network {
    let mut net = Network::new("pair");
    let switch = net.add_switch("x", 8).unwrap();
    for (name, port) in [("a", 1), ("b", 4)] {
        let host = net.add_host(name).unwrap();
        net.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
    }
    net
}

fn base(net: &Network) -> Parameters {
    parameters(net, Duration::from_ns(150))
}

fn probe(nonce: u64, turns: &[Turn]) -> Message {
    Message::new(Body::HostProbe { nonce, turns: turns.to_vec() })
}

const CYCLE_PS: u64 = 6_250;

/// From handing over to the end of the cycle in which the last of 32 flits arrives: head latency 24 + 2 x 2,
/// 31 more flits, and the cycle itself.
const FLIGHT_PS: u64 = (24 + 4 + 31 + 1) * CYCLE_PS;

#[test]
fn an_exchange_takes_the_time_that_its_parts_add_up_to() {
    // Wrong if a cost were left out or counted twice, or if an instant fell into the wrong cycle.
    let net = pair();
    let parameters = base(&net);
    let turns = [Turn(3)];
    let program = |mut host: Station| async move {
        host.send(&turns, probe(7, &turns)).await;
        let sent = host.now();
        let received = host.recv(None).await.unwrap();
        (sent, received, host.now())
    };
    // Instants between two cycles: 15 us and 900 us are whole cycles, 1 ps more is not.
    for extra in [0, 1] {
        let send = Duration::from_us(15) + Duration::from_ps(extra);
        let costs = Costs { send, ..Costs::default() };
        let outcome =
            hosts::run(&Setup { costs, ..Setup::new(&net, &parameters) }, HostId(0), program, |_| true)
                .unwrap();
        let (sent, received, now) = outcome.result.unwrap();
        assert_eq!(sent, Time::ZERO + send);
        let cycle = Duration::from_ps(CYCLE_PS);
        let whole = |at: Time| at.to_cycle_ceil(cycle).to_time(cycle);
        let there = whole(sent) + Duration::from_ps(FLIGHT_PS);
        let answered = whole(there + costs.reply + send);
        assert_eq!(received.at, answered + Duration::from_ps(FLIGHT_PS));
        assert_eq!(now, received.at, "an answer is seen at once");
        assert_eq!(received.message.body, Body::HostReply { nonce: 7, name: "b".to_owned(), unused: 0 });
    }
}

#[test]
fn costs_of_nothing_still_leave_a_cycle_between_cause_and_effect() {
    // Wrong if an answer could start in the very cycle in which the question arrives.
    let net = pair();
    let parameters = base(&net);
    let program = |mut host: Station| async move {
        host.send(&[Turn(3)], probe(0, &[Turn(3)])).await;
        host.recv(None).await.map(|received| received.at)
    };
    let setup = Setup { costs: Costs::NONE, ..Setup::new(&net, &parameters) };
    let outcome = hosts::run(&setup, HostId(0), program, |_| true).unwrap();
    assert_eq!(outcome.result.flatten(), Some(Time::from_ps(2 * FLIGHT_PS)));
}

#[test]
fn messages_wait_for_an_interface_a_daemon_and_a_busy_process() {
    // Wrong if messages overtook each other, or if what arrives while a process sleeps were lost.
    let net = pair();
    let parameters = base(&net);
    let program = |mut host: Station| async move {
        for nonce in 0..3 {
            host.send(&[Turn(3)], probe(nonce, &[Turn(3)])).await;
        }
        host.sleep(Duration::from_ms(10)).await;
        let mut seen = Vec::new();
        while let Some(received) = host.recv(Some(host.now())).await {
            let Body::HostReply { nonce, .. } = received.message.body else { break };
            seen.push((nonce, received.at));
        }
        (seen, host.now())
    };
    let costs = Costs { send: Duration::ZERO, ..Costs::default() };
    let setup = Setup { costs, ..Setup::new(&net, &parameters) };
    let (seen, now) = hosts::run(&setup, HostId(0), program, |_| true).unwrap().result.unwrap();
    assert_eq!(now, Time::ZERO + Duration::from_ms(10));
    assert_eq!(seen.iter().map(|(nonce, _)| *nonce).collect::<Vec<_>>(), [0, 1, 2]);
    // The daemon takes one after the other.
    let gaps = seen.windows(2).map(|pair| pair[1].1.since(pair[0].1));
    assert!(gaps.into_iter().all(|gap| gap == costs.reply), "{seen:?}");
}

#[test]
fn deadlines_are_kept_to_the_picosecond() {
    // Wrong if a message that is seen exactly at the deadline were missed, or one a picosecond later taken.
    let net = pair();
    let parameters = base(&net);
    let program = |until: u64| {
        move |mut host: Station| async move {
            host.send(&[Turn(3)], probe(0, &[Turn(3)])).await;
            let until = Time::from_ps(until);
            (host.recv(Some(until)).await.is_some(), host.now() == until)
        }
    };
    let setup = Setup { costs: Costs::NONE, ..Setup::new(&net, &parameters) };
    let at = |until| hosts::run(&setup, HostId(0), program(until), |_| true).unwrap().result;
    assert_eq!(at(2 * FLIGHT_PS), Some((true, true)));
    assert_eq!(at(2 * FLIGHT_PS - 1), Some((false, true)));
}

#[test]
fn a_process_that_waits_for_ever_ends_the_run_without_a_result() {
    // Wrong if the kernel spun, or made up an answer.
    let net = pair();
    let parameters = base(&net);
    let program = |mut host: Station| async move { host.recv(None).await };
    let outcome = hosts::run(&Setup::new(&net, &parameters), HostId(0), program, |_| true).unwrap();
    assert_eq!((outcome.result, outcome.messages), (None, 0));
}

#[test]
fn routes_are_handed_out_in_band() {
    // Wrong if a table were damaged on its way or counted before it was acknowledged.
    let net = presets::load("now-c").unwrap();
    let master = net.find_host("c-util").unwrap();
    let parameters = base(&net);
    let (table, options) = (routes(&net), distribution::Options::default());
    let (routes, options) = (&table, &options);
    let program = |mut host: Station| async move { distribute(&mut host, routes, options).await };
    let outcome = hosts::run(&Setup::new(&net, &parameters), master, program, |_| true).unwrap();
    let report = outcome.result.unwrap();
    assert_eq!((report.sent, report.acknowledged, report.retries), (35, 35, 0));
    assert_eq!((outcome.fates.destroyed(Cause::Reset), outcome.deadlocks.len()), (0, 0));
    for host in net.host_ids().filter(|host| *host != master) {
        let held = outcome.memories[host.index()].routes.as_ref();
        assert_eq!(held, table.get(&net.hosts()[host.index()].name));
    }
    // A table: 13 B of frame, 6 of address, the way back, and 7 B and the turns for each of 35 routes.
    let turns =
        |routes: &std::collections::BTreeMap<String, Vec<Turn>>| routes.values().map(Vec::len).sum::<usize>();
    let others = table.iter().filter(|(name, _)| *name != "c-util");
    let bytes: usize = others.map(|(_, own)| 19 + own["c-util"].len() + 35 * 7 + turns(own)).sum();
    assert_eq!(report.bytes, bytes as u64);
    // Work at both ends, and between 0.3 and 0.6 KB on the wire, for each of 35 hosts.
    let work = (Costs::default().send * 2 + Costs::default().reply) * 35;
    let wire = report.time.as_ms_f64() - work.as_ms_f64();
    assert!((35.0 * 0.002..35.0 * 0.006).contains(&wire), "{wire} ms on the wire");
}
