//! The options of each mapper, and what goes wrong or stands aside while it maps.

use serde_json::Value as Schema;

use super::super::book::Book;
use super::super::tree::Item;
use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, Quantity};
use super::table::{Described, Given, Presence, Reading, Wire, table, table_schema};
use crate::host::mapper::berkeley::{Merging, SecondLook};
use crate::host::mapper::guarded::{Candidates, First, Landing, Recency};
use crate::host::mapper::myricom::{Filter, Loops};
use crate::units::{Bytes, Duration};

use Presence::{Default, Optional, Required};

/// The longest scout.
const MOST_SCOUT: Bytes = Bytes(1 << 20);

table! {
    /// What the Berkeley mapper, and the randomised one that is made of it, do at their own discretion beside
    /// `order`, `window`, `skip-known`, `depth` and `prune`.
    "[mapping.berkeley]" Berkeley {
        /// When vertices that must be one switch are merged.
        merging: Merging = Default("'each-switch'");
        /// Whether the reported sizes of the model count vertices that were merged away.
        keep_merged: bool = Default("false");
        /// Whether after each no a message goes to the switch where it was asked and back: if that is lost, the
        /// question is asked again after `pause`.
        control: bool = Default("false");
        /// When everything that was asked once is asked once more in the end.
        second_look: SecondLook = Default("'never'");
        /// What is waited before a question is asked again for want of trust.
        pause: Quantity<Duration> = Default("'60 ms'");
    }
}

table! {
    /// What the randomised mapper does at its own discretion beside what the Berkeley mapper does.
    "[mapping.randomised]" Randomised {
        /// After how many explorations without a new host a branch is grown.
        after: u64 = Default("1"), 1..;
        /// The most turns of a branch.
        length: u32 = Default("12"), 1..;
        /// The most turns tried at each switch of a branch.
        tries: u32 = Default("4"), 1..;
    }
}

table! {
    /// What the Myricom mapper does at its own discretion.
    "[mapping.myricom]" Myricom {
        /// With which known switches a switch without hosts is compared.
        filter: Filter = Default("'hostless'");
        /// Whether the switches found first are compared first.
        oldest_first: bool = Default("false");
        /// Whether comparisons are bound to the window that the known switch's ports leave.
        bound_comparisons: bool = Default("true");
        /// Whether hosts bound the turns worth scanning to as many as a switch has ports.
        window: bool = Default("true");
        /// Whether the scan that is to recognise a switch ends at the first host.
        stop_at_first: bool = Default("false");
        /// Whether a new switch is scanned for hosts again from the start.
        rescan: bool = Default("true");
        /// Whether a switch is left out when its cable is known by then from its other end.
        skip_told: bool = Default("false");
        /// What loop probes look for: cables that lead back into their own port, cables between two ports of a
        /// switch, or nothing.
        loops: Loops = Default("'plugs'");
        /// How long it waits before its first probe; part of its time.
        start_up: Quantity<Duration> = Default("'800 ms'");
    }
}

table! {
    /// What the guarded mapper, and the one with time-outs in place of guards, do at their own discretion.
    "[mapping.guarded]" Guarded {
        /// The least length of a scout for a switch: it must reach from the input to the output of the port where
        /// its guard turns round.
        scout: Quantity<Bytes> = Default("'300 B'"), Bytes(1)..=MOST_SCOUT;
        /// The least length of a comparison's scout.
        comparison: Quantity<Bytes> = Default("'32 B'"), Bytes(1)..=MOST_SCOUT;
        /// How many questions go out before their guard, or before their time-out begins.
        burst: u16 = Default("1"), 1..;
        /// How often a no is asked again, in case that a scout was lost alone.
        confirm_no: u32 = Default("0");
        /// How often a question is asked again whose guard did not come back.
        guard_retries: u32 = Default("5");
        /// How long it waits the first time that a guard did not come back; twice as long each time.
        back_off: Quantity<Duration> = Default("'60 ms'");
        /// What is looked for first.
        first: First = Default("'switches'");
        /// Which switches are compared: those without hosts, or all.
        candidates: Candidates = Default("'hostless'");
        /// In which order.
        recency: Recency = Default("'newest-first'");
        /// At which of their ports: within the window of the cabled ones, or behind those where some
        /// unidentified switch is known.
        landing: Landing = Default("'window'");
    }
}

table! {
    /// What the coupon-collecting mapper does at its own discretion.
    "[mapping.coupon]" Coupon {
        /// The turns of a message.
        depth: u16 = Default("12"), 1..;
        /// How many messages in a row may tell no new host before collecting ends.
        patience: u32 = Default("12");
        /// The most messages that are spent on collecting.
        most: u32 = Default("10000");
    }
}

table! {
    /// What the mapper for switches that identify themselves does at its own discretion.
    "[mapping.identified]" Identified {
        /// Whether one message asks a port for a host and for a switch; hosts then read what reaches them too
        /// soon.
        one_message: bool = Default("false");
    }
}

table! {
    /// What parallel mappers do at their own discretion; the mapper named in `[mapping]` merges their maps.
    "[mapping.parallel]" Parallel {
        /// The longest string of turns whose switch each explores before maps are exchanged.
        depth: u16 = Default("1");
        /// How much longer an answer is waited for shortly after another mapper's probe.
        patience: Quantity<Duration> = Default("'20 ms'");
    }
}

table! {
    /// What goes wrong with the mappers' messages, each by chance and on its own.
    "[mapping.faults]" Faults {
        /// The chance that a message is lost at the sender's interface.
        loss: f64 = Default("0.0"), 0.0..1.0;
        /// The chance that the sender's interface lets the next message go first.
        reorder_sends: f64 = Default("0.0"), 0.0..1.0;
        /// The chance that the receiver's interface lets the next message go first.
        reorder_receives: f64 = Default("0.0"), 0.0..1.0;
        /// The chance that the next message of the same sender to the same receiver overtakes it in the network.
        overtaking: f64 = Default("0.0"), 0.0..1.0;
        /// How long a message is held back at most.
        hold: Quantity<Duration> = Default("'100 us'"), ABOVE_ZERO;
    }
}

table! {
    /// How applications hold themselves back after each message of a mapper that their interface sends or
    /// receives.
    "[mapping.restraint]" Restraint {
        /// How long.
        span: Quantity<Duration> = Required, ABOVE_ZERO;
        /// How many times slower they send meanwhile; they pause if not given.
        slower: u32 = Optional, 2..;
    }
}

impl Choice for Merging {
    const CHOICES: &'static [(&'static str, Merging)] =
        &[("each-switch", Merging::EachSwitch), ("each-turn", Merging::EachTurn)];
}

impl Choice for SecondLook {
    const CHOICES: &'static [(&'static str, SecondLook)] =
        &[("never", SecondLook::Never), ("in-doubt", SecondLook::InDoubt), ("always", SecondLook::Always)];
}

impl Choice for Filter {
    const CHOICES: &'static [(&'static str, Filter)] =
        &[("hostless", Filter::Hostless), ("all", Filter::All)];
}

impl Choice for Loops {
    const CHOICES: &'static [(&'static str, Loops)] =
        &[("plugs", Loops::Plugs), ("cables", Loops::Cables), ("nothing", Loops::Nothing)];
}

impl Choice for First {
    const CHOICES: &'static [(&'static str, First)] =
        &[("switches", First::Switches), ("hosts", First::Hosts)];
}

impl Choice for Candidates {
    const CHOICES: &'static [(&'static str, Candidates)] =
        &[("hostless", Candidates::HostLess), ("all", Candidates::All)];
}

impl Choice for Recency {
    const CHOICES: &'static [(&'static str, Recency)] =
        &[("newest-first", Recency::NewestFirst), ("oldest-first", Recency::OldestFirst)];
}

impl Choice for Landing {
    const CHOICES: &'static [(&'static str, Landing)] =
        &[("window", Landing::Window), ("open", Landing::Open)];
}
