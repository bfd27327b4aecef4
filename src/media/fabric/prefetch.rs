//! Records are called into the cache some events before they are needed.
//!
//! In a network of tens of thousands of ports every event meets records that are in no cache; the events of a
//! cycle are known, though, so their records can be on the way while earlier events are handled. What is
//! called for too early or in vain costs little. Measured on the 16,384-host folded Clos at load 0.05 with
//! `benches/fabric.rs` (one core of a busy two-core machine, twice each): 0.23 M messages/s without, 0.42 M with it.
//! Phases of small networks have too few events for it to matter.

use super::engine::{Engine, Event};
use super::ports::NONE;

/// How many events before its turn an event's records are called for: those that it names, then those that
/// these name, and so on.
const STAGES: [(usize, usize); 4] = [(1, 16), (2, 12), (3, 8), (4, WORTH_WHILE)];
/// Phases with no more events than this are left alone.
pub(super) const WORTH_WHILE: usize = 4;
const _: () = {
    let mut nth = 0;
    while nth < STAGES.len() {
        assert!(STAGES[nth].0 == nth + 1, "what a stage needs was called for by the stage before");
        assert!(nth == 0 || STAGES[nth].1 < STAGES[nth - 1].1, "and that was some events ago");
        nth += 1;
    }
};

/// Calls a record into the cache.
#[inline]
fn call<T>(list: &[T], index: u32) {
    #[cfg(target_arch = "x86_64")]
    if let Some(record) = list.get(index as usize) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "a prefetch reads and writes nothing; it was measured to pay")]
        // SAFETY: the address is that of a live record, and a prefetch may be given any address anyway.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(record).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (list, index);
}

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Calls for the records of the first events of this phase.
    #[inline(never)]
    pub(super) fn call_at_start(&self, phase: usize) {
        for (stage, ahead) in STAGES {
            for place in 0..ahead {
                self.call_stage(stage, phase, place);
            }
        }
    }

    /// Calls for the records of the events to come in this phase.
    #[inline(never)]
    pub(super) fn call_ahead(&self, phase: usize) {
        for (stage, ahead) in STAGES {
            self.call_stage(stage, phase, ahead);
        }
    }

    #[inline(always)]
    fn call_stage(&self, stage: usize, phase: usize, ahead: usize) {
        let Some(event) = self.calendar.peek(phase, ahead) else { return };
        match stage {
            1 => self.call_first(event),
            2 => self.call_second(event),
            3 => self.call_third(event),
            _ => self.call_fourth(event),
        }
    }

    /// Calls what `event` names itself.
    #[inline(always)]
    fn call_first(&self, event: &Event) {
        match *event {
            Event::Head { port, worm } => {
                call(&self.ins, port);
                call(self.worms.records(), worm);
            }
            Event::Deliver { port, worm } => {
                call(self.worms.records(), worm);
                call(self.worms.messages(), worm);
                call(self.wiring.host_ports(), port - self.switch_ports);
            }
            Event::Pause { port }
            | Event::Resume { port, .. }
            | Event::Expire { port }
            | Event::Route { port }
            | Event::Predicted { port }
            | Event::Token { port, .. }
            | Event::Flush { port } => call(&self.ins, port),
            Event::Control { out, .. } | Event::Fire { out } => call(&self.outs, out),
            Event::Wake { host } | Event::Start { host } => call(&self.hosts, host),
            Event::Idle { unit } => call(&self.switches, unit),
            Event::Link { .. } => {}
        }
    }

    /// Calls what the first records name.
    #[inline(always)]
    fn call_second(&self, event: &Event) {
        match *event {
            Event::Head { port, .. } => call(&self.switches, self.ins[port as usize].node),
            Event::Route { port } => {
                let entry = &self.ins[port as usize];
                call(&self.switches, entry.node);
                call(self.worms.records(), entry.front);
                call(&self.outs, entry.out);
            }
            Event::Pause { port } | Event::Resume { port, .. } | Event::Predicted { port } => {
                call(&self.outs, self.ins[port as usize].out);
            }
            Event::Control { out, .. } => call(&self.ins, self.outs[out as usize].owner),
            Event::Start { host } => {
                let entry = &self.hosts[host as usize];
                call(&self.ins, entry.transmitter);
                call(&self.outs, entry.out);
                call(self.worms.records(), entry.next);
                call(self.worms.messages(), entry.next);
            }
            _ => {}
        }
    }

    /// Calls the port that a head will be sent to, and the one that the output was another's for.
    #[inline(always)]
    fn call_third(&self, event: &Event) {
        let Some(output) = self.outs.get(self.next_output(event) as usize) else { return };
        call(&self.ins[..self.switch_ports as usize], output.peer);
        call(&self.ins, output.owner);
    }

    /// Calls the switch that a head will be sent to, and the output that its port there has used last.
    #[inline(always)]
    fn call_fourth(&self, event: &Event) {
        let Some(output) = self.outs.get(self.next_output(event) as usize) else { return };
        if let Some(peer) = self.ins[..self.switch_ports as usize].get(output.peer as usize) {
            call(&self.outs, peer.out);
            call(&self.switches, peer.node);
        }
    }

    /// The output through which `event` may send a head.
    #[inline(always)]
    fn next_output(&self, event: &Event) -> u32 {
        match *event {
            Event::Route { port } => self.ins[port as usize].out,
            Event::Start { host } => self.hosts[host as usize].out,
            _ => NONE,
        }
    }
}
