//! Asking what is at the end of a string of turns.

use super::super::{Body, Host, Message};
use crate::ids::Turn;
use crate::units::Duration;

/// What is at the end of a string of turns, as far as can be seen.
///
/// # Source
/// Mainwaring et al. 1997, section 2.3: the response R of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The host of this name.
    Host(String),
    /// Some switch.
    Switch,
    /// Nothing that answers.
    Nothing,
}

/// Messages of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many were sent.
    pub sent: u64,
    /// How many were answered in time.
    pub hits: u64,
}

/// Probe messages truly sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probes {
    /// Host probes.
    pub host: Count,
    /// Switch probes.
    pub switch: Count,
}

/// Turns tried, by what was found.
///
/// # Source
/// Mainwaring et al. 1997, Fig. 6. It counts one host probe for a turn that found a host, one switch probe
/// for a turn that found a switch, and one of each for a turn that found nothing: its misses are equal in
/// both columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Turns that led to a host.
    pub host_hits: u64,
    /// Turns that led to a switch.
    pub switch_hits: u64,
    /// Turns that led to nothing that answers.
    pub nothing: u64,
}

/// What each turn of a probe adds to the time-out.
///
/// # Source
/// Mainwaring et al. 1997, section 1.1: a switch takes up to 550 ns, and an answer passes it twice. Without
/// this a time-out near a host's own time to answer would hide hosts behind some dozens of switches.
const PER_TURN: Duration = Duration::from_us(2);

/// Sends probes from a host and counts them.
#[derive(Debug)]
pub struct Prober {
    /// How long an answer is waited for once both probes of a turn are sent, and 2 us more for each turn.
    pub timeout: Duration,
    /// How often a turn that gave nothing is tried again.
    pub retries: u32,
    /// The messages sent so far.
    pub probes: Probes,
    /// The turns tried so far.
    pub turns: Turns,
    /// Answers to earlier probes, dropped.
    pub late: u64,
    nonce: u64,
}

impl Prober {
    /// A prober that has sent nothing.
    pub fn new(timeout: Duration, retries: u32) -> Prober {
        let (probes, turns) = (Probes::default(), Turns::default());
        Prober { timeout, retries, probes, turns, late: 0, nonce: 0 }
    }

    /// Tells what is at the end of `turns`: sends a host probe and a switch probe, one after the other, and
    /// waits for the first answer to either, or for the time-out.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 2.3, "let a probe be a pair of the two above tests". The paper does
    /// not say in which order the two are sent, nor whether the second waits for the first; here it does not.
    pub async fn probe(&mut self, host: &mut impl Host, turns: &[Turn]) -> Response {
        let mut response = Response::Nothing;
        for _ in 0..=self.retries {
            response = self.once(host, turns).await;
            if response != Response::Nothing {
                break;
            }
        }
        match response {
            // The cable of the mapper itself is no turn.
            _ if turns.is_empty() => {}
            Response::Host(_) => self.turns.host_hits += 1,
            Response::Switch => self.turns.switch_hits += 1,
            Response::Nothing => self.turns.nothing += 1,
        }
        response
    }

    async fn once(&mut self, host: &mut impl Host, turns: &[Turn]) -> Response {
        let nonce = self.nonce;
        self.nonce += 1;
        self.probes.host.sent += 1;
        host.send(turns, Message::new(Body::HostProbe { nonce, turns: turns.to_vec() })).await;
        self.probes.switch.sent += 1;
        host.send(&there_and_back(turns), Message::new(Body::LoopProbe { nonce })).await;
        let deadline = host.now() + self.timeout + PER_TURN * turns.len() as u64;
        while let Some(received) = host.recv(Some(deadline)).await {
            match received.message.body {
                Body::HostReply { nonce: n, name } if n == nonce => {
                    self.probes.host.hits += 1;
                    return Response::Host(name);
                }
                // The probe came round to its own sender, which knows its name.
                Body::HostProbe { nonce: n, .. } if n == nonce => {
                    self.probes.host.hits += 1;
                    return Response::Host(host.name().to_owned());
                }
                Body::LoopProbe { nonce: n } if n == nonce => {
                    self.probes.switch.hits += 1;
                    return Response::Switch;
                }
                _ => self.late += 1,
            }
        }
        Response::Nothing
    }
}

/// The route of a switch probe: out along `turns`, back out of the port of entry, home.
fn there_and_back(turns: &[Turn]) -> Vec<Turn> {
    let home = turns.iter().rev().map(|turn| turn.back());
    turns.iter().copied().chain([Turn(0)]).chain(home).collect()
}
