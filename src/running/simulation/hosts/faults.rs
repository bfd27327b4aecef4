//! Faults of interfaces: losses and changes of order that messages of processes suffer, apart from bit errors and
//! failures of cables.
//!
//! # Scope and limitations
//! Messages of applications are spared. A message that is overtaken is held back until the message that
//! overtakes it has passed, or for [`Faults::hold`]; at most one message a host, and one of each sender at a
//! host, is held back at a time. The fabric itself keeps messages of one route in order, so one that overtakes
//! another in the network is modelled where the two arrive.
//!
//! # Source
//! Hendriks 2004, section 3: guards prove something only where interfaces and switches keep messages in order
//! and lose none.
//!
//! # Validation
//! `tests/running/processes/closed_forms.rs`.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::HostId;
use simnet_base::units::Duration;
use simnet_media::traffic::PARTS;

/// The stream of what happens to the messages that a host sends.
const SENT: Purpose = Purpose(21);
/// The stream of what happens to the messages that arrive at a host.
const ARRIVED: Purpose = Purpose(22);

/// How often what goes wrong; chances are in parts of [`PARTS`] (see [`chance`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The chance that a message is lost at the sender's interface.
    pub loss: u64,
    /// The chance that the sender's interface lets the next message go first.
    pub reorder_sends: u64,
    /// The chance that the receiver's interface lets the next message to arrive go first.
    pub reorder_receives: u64,
    /// The chance that the next message of the same sender to the same receiver overtakes it in the network.
    pub overtaking: u64,
    /// How long a message is held back at most.
    pub hold: Duration,
}

impl Faults {
    /// Nothing goes wrong.
    pub const NONE: Faults = Faults {
        loss: 0,
        reorder_sends: 0,
        reorder_receives: 0,
        overtaking: 0,
        hold: Duration::from_us(100),
    };
}

impl Default for Faults {
    fn default() -> Faults {
        Faults::NONE
    }
}

/// A chance from 0 to 1 as parts of [`PARTS`], rounded; what lies outside is cut off.
pub fn chance(probability: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative; the cast saturates"
    )]
    {
        libm::round(probability.clamp(0.0, 1.0) * PARTS as f64) as u64
    }
}

/// The dice for faults: two streams a host.
#[derive(Debug)]
pub(super) struct Dice {
    faults: Faults,
    /// Per host, for what it sends and for what arrives; empty without faults.
    streams: Vec<[Stream; 2]>,
}

impl Dice {
    pub(super) fn new(faults: Faults, hosts: usize, seed: u64) -> Dice {
        let pair = |host| [SENT, ARRIVED].map(|purpose| Stream::new(seed, purpose, HostId::new(host).0));
        let chances = [faults.loss, faults.reorder_sends, faults.reorder_receives, faults.overtaking];
        let hosts = if chances == [0; 4] { 0 } else { hosts };
        Dice { faults, streams: (0..hosts).map(pair).collect() }
    }

    /// Whether anything can go wrong at all.
    pub(super) fn is_thrown(&self) -> bool {
        !self.streams.is_empty()
    }

    pub(super) fn hold(&self) -> Duration {
        self.faults.hold
    }

    /// Whether the message that `host` sends is lost, and whether the next one goes first.
    pub(super) fn sends(&mut self, host: HostId) -> (bool, bool) {
        let faults = self.faults;
        let Some([stream, _]) = self.streams.get_mut(host.index()) else { return (false, false) };
        (strikes(stream, faults.loss), strikes(stream, faults.reorder_sends))
    }

    /// Whether the next message to arrive at `host` goes first, and whether the next one of the same sender
    /// does.
    pub(super) fn receives(&mut self, host: HostId) -> (bool, bool) {
        let faults = self.faults;
        let Some([_, stream]) = self.streams.get_mut(host.index()) else { return (false, false) };
        (strikes(stream, faults.reorder_receives), strikes(stream, faults.overtaking))
    }
}

fn strikes(stream: &mut Stream, chance: u64) -> bool {
    stream.below(PARTS) < chance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_kept_and_streams_apart() {
        assert_eq!([0.0, 0.25, 1.0, 7.0, -1.0].map(chance), [0, PARTS / 4, PARTS, PARTS, 0]);
        let faults = Faults { loss: chance(0.25), overtaking: PARTS, ..Faults::NONE };
        let mut dice = Dice::new(faults, 2, 1);
        let lost = (0..10_000).filter(|_| dice.sends(HostId(1)).0).count();
        // Standard deviation 43: five of it.
        assert!(lost.abs_diff(2_500) < 217, "{lost}");
        assert_eq!(dice.receives(HostId(0)), (false, true));
        assert_eq!(Dice::new(Faults::NONE, 2, 1).sends(HostId(0)), (false, false));
    }
}
