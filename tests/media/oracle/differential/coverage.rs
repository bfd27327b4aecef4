//! What a set of random cases has in it, so that a feature cannot drop out of the comparison unseen.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use simnet_base::ids::Node;
use simnet_media::fabric::{Arbitration, Cause, Fate};

use support_media::oracle::{Case, Oracle};

/// Counts over one or many cases.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) cases: u64,
    pub(crate) cycles: u64,
    pub(crate) messages: u64,
    pub(crate) delivered: u64,
    pub(crate) grants: u64,
    pub(crate) stops: u64,
    pub(crate) resets: u64,
    pub(crate) deadlocks: u64,
    /// Destroyed, by cause.
    pub(crate) reset_messages: u64,
    pub(crate) cut_messages: u64,
    pub(crate) illegal_turns: u64,
    pub(crate) no_wires: u64,
    pub(crate) too_soon: u64,
    pub(crate) stranded: u64,
    pub(crate) expired: u64,
    /// Worms that were granted one output twice.
    pub(crate) looping: u64,
    /// Messages not over at the horizon.
    pub(crate) stuck: u64,
    /// STOPs of hosts.
    pub(crate) host_stops: u64,
    /// Cases with this in them.
    pub(crate) unequal_rates: u64,
    pub(crate) failures: u64,
    pub(crate) per_input: u64,
    pub(crate) per_output: u64,
    pub(crate) pipelined: u64,
    pub(crate) send_overheads: u64,
    pub(crate) large_switches: u64,
}

impl Coverage {
    /// What one finished case had in it.
    pub(crate) fn of(case: &Case, oracle: &Oracle) -> Coverage {
        let ended = oracle.ended();
        let because = |wanted: Cause| {
            let struck = |fate| matches!(fate, Fate::Destroyed { cause, .. } if cause == wanted);
            ended.iter().filter(|message| struck(message.fate)).count() as u64
        };
        let flag = u64::from;
        let logs = &oracle.logs;
        let pairs: BTreeSet<_> = logs.grants.iter().map(|(_, _, output, tag)| (*output, *tag)).collect();
        let stops = logs.flow.iter().filter(|(_, _, stop)| *stop);
        let at_host = stops.clone().filter(|(_, end, _)| matches!(end.node, Node::Host(_)));
        let links = &case.parameters.links;
        Coverage {
            cases: 1,
            cycles: case.horizon,
            messages: oracle.started_worms() as u64,
            delivered: ended.iter().filter(|m| matches!(m.fate, Fate::Delivered { .. })).count() as u64,
            grants: logs.grants.len() as u64,
            stops: stops.clone().count() as u64,
            resets: logs.resets.len() as u64,
            deadlocks: oracle.deadlocks.len() as u64,
            reset_messages: because(Cause::Reset),
            cut_messages: because(Cause::LinkFailure),
            illegal_turns: because(Cause::IllegalTurn),
            no_wires: because(Cause::NoSuchWire),
            too_soon: because(Cause::HostTooSoon),
            stranded: because(Cause::Stranded),
            expired: because(Cause::Expired),
            looping: (logs.grants.len() - pairs.len()) as u64,
            stuck: (oracle.started_worms() - ended.len()) as u64,
            host_stops: at_host.count() as u64,
            unequal_rates: flag(links.iter().any(|link| link.period != links[0].period)),
            failures: flag(!case.link_events.is_empty()),
            per_input: flag(case.parameters.switch.arbitration == Arbitration::PerInput),
            pipelined: flag(case.parameters.switch.routing_interval.is_some()),
            per_output: flag(case.parameters.switch.arbitration == Arbitration::PerOutput),
            send_overheads: flag(case.parameters.host.send_overhead > 0),
            large_switches: flag(case.network.switches().iter().any(|switch| switch.ports > 64)),
        }
    }

    fn counts(&mut self) -> [(&'static str, &mut u64); 25] {
        [
            ("cases", &mut self.cases),
            ("cycles", &mut self.cycles),
            ("messages", &mut self.messages),
            ("delivered", &mut self.delivered),
            ("grants", &mut self.grants),
            ("stops", &mut self.stops),
            ("resets", &mut self.resets),
            ("deadlocks", &mut self.deadlocks),
            ("destroyed by a reset", &mut self.reset_messages),
            ("destroyed by a failure", &mut self.cut_messages),
            ("illegal turns", &mut self.illegal_turns),
            ("no such wires", &mut self.no_wires),
            ("hosts too soon", &mut self.too_soon),
            ("stranded", &mut self.stranded),
            ("expired", &mut self.expired),
            ("looping worms", &mut self.looping),
            ("stuck messages", &mut self.stuck),
            ("stops by hosts", &mut self.host_stops),
            ("cases with unequal rates", &mut self.unequal_rates),
            ("cases with failures", &mut self.failures),
            ("cases with per-input units", &mut self.per_input),
            ("cases with per-output units", &mut self.per_output),
            ("cases with a pipeline of headers", &mut self.pipelined),
            ("cases with send overhead", &mut self.send_overheads),
            ("cases with large switches", &mut self.large_switches),
        ]
    }

    /// Fails unless every feature occurred, but those that are named.
    pub(crate) fn assert_complete(mut self, without: &[&str]) {
        for (name, count) in self.counts() {
            let is_there = *count > 0 || without.contains(&name);
            assert!(is_there, "no {name} in any case: the comparison says nothing about them");
        }
    }
}

impl AddAssign for Coverage {
    fn add_assign(&mut self, mut other: Coverage) {
        for ((_, sum), (_, count)) in self.counts().into_iter().zip(other.counts()) {
            *sum += *count;
        }
    }
}
