//! Making a failing case small.

use simnet_base::ids::Node;
use simnet_media::fabric::{Arbitration, LinkTiming};
use simnet_network::topology::End;

use crate::oracle::{Case, Message};

/// The smallest case found that still fails: with fewer messages, then with fewer features. `fails` is called
/// a few hundred times.
pub fn shrunk(case: &Case, fails: impl Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| fails(candidate));
        match smaller {
            Some(case) => best = case,
            None => return best,
        }
    }
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let total: usize = case.messages.iter().map(Vec::len).sum();
    let mut chunk = total / 2;
    while chunk > 0 {
        all.extend((0..total.div_ceil(chunk)).map(|nth| without(case, nth * chunk, chunk)));
        chunk = if chunk > 8 { chunk / 2 } else { chunk - 1 };
    }
    for index in 0..case.link_events.len() {
        let mut fewer = case.clone();
        fewer.link_events.remove(index);
        all.push(fewer);
    }
    let plain = LinkTiming { period: 1, delay: 1 };
    let simpler: [&dyn Fn(&mut Case); 14] = [
        &|case| case.parameters.host.time_to_live = None,
        &|case| case.messages.iter_mut().flatten().for_each(|message| message.time_to_live = None),
        &|case| case.horizon = case.horizon.div_ceil(2),
        &|case| case.messages.iter_mut().flatten().for_each(|message| message.created /= 2),
        &|case| case.parameters.host.receive = None,
        &|case| case.parameters.host.send_overhead = 0,
        &|case| case.parameters.switch.routing_interval = None,
        &|case| case.parameters.switch.arbitration = Arbitration::Serial,
        &|case| case.parameters.switch.arbitration = simpler_arbitration(case),
        &|case| case.parameters.switch.routing_latency = 1,
        &|case| case.parameters.switch.timeout = None,
        &|case| case.parameters.links.iter_mut().for_each(|link| link.period = 1),
        &|case| case.parameters.links.iter_mut().for_each(|link| *link = plain),
        &|case| {
            case.messages
                .iter_mut()
                .flatten()
                .for_each(|message| message.payload = message.payload.div_ceil(2))
        },
    ];
    for simplify in simpler {
        let mut candidate = case.clone();
        simplify(&mut candidate);
        let same = candidate.parameters == case.parameters && candidate.messages == case.messages;
        if !same || candidate.horizon != case.horizon {
            all.push(candidate);
        }
    }
    all
}

/// Units at inputs, which no head waits for, where they are at outputs.
fn simpler_arbitration(case: &Case) -> Arbitration {
    match case.parameters.switch.arbitration {
        Arbitration::PerOutput => Arbitration::PerInput,
        other => other,
    }
}

/// The case without `chunk` messages from the `first` on.
fn without(case: &Case, first: usize, chunk: usize) -> Case {
    let mut fewer = case.clone();
    let mut position = 0;
    for messages in &mut fewer.messages {
        messages.retain(|_| {
            position += 1;
            !(first + 1..=first + chunk).contains(&position)
        });
    }
    fewer
}

/// A case in a few lines: parameters, the cables, the messages and what happens to the cables.
pub fn described(case: &Case) -> String {
    use std::fmt::Write;
    let name = |end: End| format!("{}:{}", case.network.name_of(end.node), end.port);
    let mut text = format!("{:?}\n{:?}\n", case.parameters.switch, case.parameters.host);
    for (index, (link, timing)) in case.network.links().iter().zip(&case.parameters.links).enumerate() {
        let (period, delay) = (timing.period, timing.delay);
        let _ = writeln!(
            text,
            "link {index}: {} - {}, period {period}, delay {delay}",
            name(link.a),
            name(link.b)
        );
    }
    for (host, messages) in case.network.host_ids().zip(&case.messages) {
        for Message { created, payload, route, tag, time_to_live } in messages {
            let port = case.attachments[host.index()].map_or(0, |port| port.0);
            let from = case.network.name_of(Node::Host(host));
            let turns: Vec<i16> = route.iter().map(|turn| turn.0).collect();
            let _ = writeln!(
                text,
                "message {tag}: from {from}:{port} at {created}, {payload} flits, turns {turns:?}, \
                 living for {time_to_live:?}"
            );
        }
    }
    for event in &case.link_events {
        let word = if event.up { "returns" } else { "fails" };
        let _ = writeln!(text, "link {} {word} at {}", event.link.0, event.at);
    }
    text + &format!("horizon {}", case.horizon)
}
