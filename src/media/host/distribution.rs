//! Handing routes to every interface, in-band, as acknowledged messages.
//!
//! # Scope and limitations
//! One master hands out tables one host after the other: it waits for each acknowledgement, asks again after
//! a time-out a bounded number of times, and goes on. Tables reach each host along the master's own routes,
//! which are those computed from the map, and are acknowledged along the host's route back.
//!
//! # Source
//! Mainwaring et al. 1997, section 5.5: the master "distributes them throughout the system". The paper says
//! neither how long the messages are nor whether they are acknowledged; lengths follow from the number of
//! routes (see [`Message::new`](super::Message::new)).
//!
//! # Validation
//! `tests/media/papers/mapper.rs`: every interface of now-c holds its table afterwards, also when messages are lost.

use std::collections::BTreeMap;

use super::{Body, Host, Message, RouteEntry};
use simnet_base::ids::Turn;
use simnet_base::units::Duration;

/// The routes of a network by the names of hosts: source, destination, turns.
pub type RoutesByName = BTreeMap<String, BTreeMap<String, Vec<Turn>>>;

/// How tables are handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long an acknowledgement is waited for after a table has been sent.
    pub timeout: Duration,
    /// How often a table that was not acknowledged is sent again.
    pub retries: u32,
}

impl Default for Options {
    /// 10 ms, several times what a table of a thousand routes takes there and back; three more tries.
    fn default() -> Options {
        Options { timeout: Duration::from_ms(10), retries: 3 }
    }
}

/// What became of a distribution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Tables sent for the first time.
    pub sent: u64,
    /// Tables sent again.
    pub retries: u64,
    /// Tables acknowledged.
    pub acknowledged: u64,
    /// Bytes of all tables sent, without route flits.
    pub bytes: u64,
    /// Hosts that did not acknowledge, or to or from which there is no route, in order of name.
    pub missing: Vec<String>,
    /// From the first table to the last acknowledgement or time-out.
    pub time: Duration,
}

/// Hands every host but the master its table, in order of name, after the master has taken its own.
pub async fn distribute(host: &mut dyn Host, routes: &RoutesByName, options: &Options) -> Report {
    let began = host.now();
    let mut report = Report::default();
    let master = host.name().to_owned();
    let none = BTreeMap::new();
    let mine = routes.get(&master).unwrap_or(&none);
    if routes.contains_key(&master) {
        host.install(mine).await;
    }
    for (nonce, (name, table)) in routes.iter().filter(|(name, _)| **name != master).enumerate() {
        let (Some(there), Some(back)) = (mine.get(name), table.get(&master)) else {
            report.missing.push(name.clone());
            continue;
        };
        let entries =
            table.iter().map(|(to, turns)| RouteEntry { destination: to.clone(), turns: turns.clone() });
        let body = Body::RouteTable { nonce: nonce as u64, back: back.clone(), routes: entries.collect() };
        if hand_over(host, there, Message::new(body), options, &mut report).await {
            report.acknowledged += 1;
        } else {
            report.missing.push(name.clone());
        }
    }
    report.time = host.now().since(began);
    report
}

/// Sends one table until it is acknowledged or the tries are used up.
async fn hand_over(
    host: &mut dyn Host,
    route: &[Turn],
    message: Message,
    options: &Options,
    report: &mut Report,
) -> bool {
    let Body::RouteTable { nonce, .. } = &message.body else { return false };
    let nonce = *nonce;
    for attempt in 0..=options.retries {
        report.bytes += u64::from(message.length);
        *(if attempt == 0 { &mut report.sent } else { &mut report.retries }) += 1;
        host.send(route, message.clone()).await;
        let deadline = host.now() + options.timeout;
        while let Some(received) = host.recv(Some(deadline)).await {
            // What earlier probes or tables still bring in is dropped.
            if received.message.body == (Body::Acknowledgement { nonce }) {
                return true;
            }
        }
    }
    false
}
