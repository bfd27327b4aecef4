//! Deadlocks as cycles of input ports, each of which waits for the next.
//!
//! A port whose front worm is connected to a stopped output waits for the port at the other end, if that has
//! sent STOP and no GO or forward reset is on the cable between them; a port whose head waits for an owned
//! output waits for the owner. Each port waits for one other at most, so a new cycle goes through a port
//! whose waiting is new. Such ports are *suspects*: they are followed at the end of the cycle. A stop that
//! ends soon costs a step or two.

use super::engine::Engine;
use super::ports::{NONE, State};
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;
use simnet_network::topology::End;

/// A cycle of worms each of which waits for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The first cycle at whose end it was there.
    pub formed: Cycle,
    /// Who waits, each for the next and the last for the first.
    pub members: Vec<Member>,
    /// What broke it, if anything did.
    pub cleared: Option<Cleared>,
}

/// A worm that takes part in a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The output that it owns, or waits for.
    pub output: End,
    /// The input port in whose buffer it is in front.
    pub input: End,
    /// The lane of that port's queue that it is in; 0 where there is only one.
    pub lane: u8,
    /// Its tag.
    pub tag: u64,
    /// Its sender.
    pub source: HostId,
}

/// The end of a deadlock: a forward reset or a failed cable hit a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cleared {
    /// When.
    pub at: Cycle,
    /// The output that the member owned or waited for.
    pub output: End,
}

/// What is known about deadlocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    pub(super) found: Vec<Deadlock>,
    suspects: Vec<u32>,
    /// Ports in deadlocks that are not cleared, with the deadlock's position; seldom more than a few.
    members: Vec<(u32, usize)>,
    /// Per port: when the last STOP or GO that it sent arrives, and the last forward reset sent to it.
    on_cable: Vec<u64>,
    /// Per switch port: the number of the last walk that came by.
    seen: Vec<u32>,
    walks: u32,
}

impl Watch {
    /// Whether a port has begun to wait in this cycle that may have closed a circle.
    #[inline]
    pub(super) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }

    /// Whether any port is in a deadlock that stands.
    pub(super) fn has_members(&self) -> bool {
        !self.members.is_empty()
    }

    /// Whether something is on the cable after cycle `t` that may end the port's being stopped, or begin it.
    pub(super) fn is_on_cable(&self, port: u32, t: u64) -> bool {
        self.heard(port) > t
    }

    /// When the last of what the port has said is heard at the other end of its cable, or of what says that a worm on
    /// the way to it is no more.
    #[inline]
    pub(super) fn heard(&self, port: u32) -> u64 {
        self.on_cable.get(port as usize).copied().unwrap_or(0)
    }

    /// Puts those that formed in one cycle, from position `from` on, in the order of their first input ports, whichever
    /// was suspected first.
    #[cold]
    fn order(&mut self, from: usize) {
        debug_assert!(from < self.found.len(), "there are some to be ordered");
        let formed = self.found[from].formed;
        debug_assert!(self.found[from..].iter().all(|it| it.formed == formed), "all of them of one cycle");
        let mut places: Vec<usize> = (from..self.found.len()).collect();
        places.sort_by_key(|place| self.found[*place].members[0].input);
        let ordered: Vec<Deadlock> = places.iter().map(|place| self.found[*place].clone()).collect();
        self.found.splice(from.., ordered);
        for (_, place) in self.members.iter_mut().filter(|(_, place)| *place >= from) {
            let nth = places.iter().position(|old| old == place).expect("every one has a place");
            *place = from + nth;
        }
        debug_assert!(
            self.found[from..].is_sorted_by_key(|deadlock| deadlock.members[0].input),
            "their order is that of their first ports"
        );
    }
}

impl<const EQUAL: bool> Engine<EQUAL> {
    /// The port may have begun to wait for another in a way that can close a cycle.
    #[inline]
    pub(super) fn suspect(&mut self, port: u32) {
        if self.is_switch_port(port) {
            let state = self.ins[port as usize].state;
            debug_assert!(
                matches!(state, State::Waiting | State::Connected),
                "only a worm with an output waits"
            );
            self.is_listed = true;
            self.watch.suspects.push(port);
        }
    }

    /// The same of a port that nothing else befalls in cycle `t`, at its end.
    #[inline]
    pub(super) fn look_from(&mut self, port: u32, t: u64) {
        if self.is_switch_port(port) {
            self.follow(port, t);
        }
    }

    /// A STOP or GO sent by the port in cycle `t` arrives in cycle `arrival`.
    #[inline]
    pub(super) fn note_control(&mut self, port: u32, t: u64, arrival: u64) {
        let entry = &self.ins[port as usize];
        if !entry.stop_sent && !self.watch.members.is_empty() {
            self.deadlock_hit(port, entry.out, t);
        }
        self.note_on_cable(port, arrival);
    }

    /// Until cycle `arrival` something is on the cable of the port that may end its being stopped.
    #[inline]
    pub(super) fn note_on_cable(&mut self, port: u32, arrival: u64) {
        if self.watch.on_cable.is_empty() {
            self.watch.on_cable = vec![0; self.outs.len()];
        }
        debug_assert!((port as usize) < self.outs.len(), "only a plug has a cable: {port}");
        let latest = &mut self.watch.on_cable[port as usize];
        debug_assert!(arrival >= *latest && arrival > self.now, "what is sent later arrives later");
        *latest = arrival;
    }

    /// The end of cycle `t`, if there [are suspects](Watch::has_suspects).
    pub(super) fn look_for_deadlocks(&mut self, t: u64) {
        let before = self.watch.found.len();
        while let Some(port) = self.watch.suspects.pop() {
            self.follow(port, t);
        }
        debug_assert!(
            self.watch.found[before..].iter().all(|deadlock| deadlock.formed.0 == t),
            "what is found at the end of a cycle has formed in it"
        );
        if self.watch.found.len() > before + 1 {
            self.watch.order(before);
        }
    }

    /// Checks the deadlocks that stand: who is in one waits for another that is. Costs O(members^2).
    pub(super) fn check_deadlocks(&self) {
        let is_member = |port: u32| self.watch.members.iter().any(|(member, _)| *member == port);
        for &(port, nth) in &self.watch.members {
            let deadlock = &self.watch.found[nth];
            assert!(deadlock.cleared.is_none(), "who is in a deadlock is in one that stands: {deadlock:?}");
            let plug = self.wiring.end(port);
            assert!(
                deadlock.members.iter().any(|member| member.input == plug),
                "and is recorded there: {deadlock:?}"
            );
            let next = self.waits_for(port, self.now);
            assert!(next == NONE || is_member(next), "members wait for members: {deadlock:?}");
        }
        let standing = self.watch.found.iter().filter(|deadlock| deadlock.cleared.is_none());
        assert_eq!(
            standing.map(|deadlock| deadlock.members.len()).sum::<usize>(),
            self.watch.members.len(),
            "all who are in deadlocks are known"
        );
    }

    /// The port that the front worm of `port` waits for at the end of cycle `t`, or [`NONE`].
    fn waits_for(&self, port: u32, t: u64) -> u32 {
        let entry = &self.ins[port as usize];
        match entry.state {
            State::Waiting => {
                let owner = self.outs[entry.out as usize].owner;
                debug_assert!(
                    owner == NONE || self.ins[owner as usize].out == entry.out,
                    "owner and output name each other"
                );
                owner
            }
            State::Connected => {
                let output = &self.outs[entry.out as usize];
                debug_assert!(
                    output.owner == port || entry.is_spent(t),
                    "owner and output name each other, until the tail has left"
                );
                if output.owner != port {
                    return NONE;
                }
                let peer = output.peer;
                // What is on the cable may be the GO that ends it: a circle that seems closed would open by itself.
                let stopped = !output.go
                    && self.is_switch_port(peer)
                    && self.ins[peer as usize].stop_sent
                    && !self.watch.is_on_cable(peer, t);
                if stopped { peer } else { NONE }
            }
            _ => NONE,
        }
    }

    fn follow(&mut self, start: u32, t: u64) {
        debug_assert!(self.is_switch_port(start), "only ports of switches are suspected");
        let mut port = self.waits_for(start, t);
        if port == NONE || !self.is_switch_port(port) {
            return;
        }
        self.watch.seen.resize(self.switch_ports as usize, 0);
        self.watch.walks += 1;
        let walk = self.watch.walks;
        debug_assert!(self.watch.seen[start as usize] < walk, "every walk has a number of its own");
        self.watch.seen[start as usize] = walk;
        // Each port waits for one other at most: the walk ends, comes back to the start, or runs into a circle
        // without it.
        while port != start {
            if self.watch.seen[port as usize] == walk {
                // A cycle, but an older one or another suspect's.
                return;
            }
            self.watch.seen[port as usize] = walk;
            debug_assert!(self.ins[port as usize].segments > 0, "who is waited for has a worm");
            port = self.waits_for(port, t);
            if port == NONE || !self.is_switch_port(port) {
                return;
            }
        }
        if self.watch.members.iter().all(|(member, _)| *member != start) {
            self.record(start, t);
        }
    }

    fn record(&mut self, start: u32, t: u64) {
        debug_assert!(
            self.watch.found.last().is_none_or(|last| last.formed.0 <= t),
            "deadlocks come in order of time"
        );
        let mut members = Vec::new();
        let mut port = start;
        loop {
            debug_assert!(
                self.watch.members.iter().all(|(member, _)| *member != port),
                "a port waits in one circle"
            );
            let entry = &self.ins[port as usize];
            let worm = self.worms.message(entry.front);
            members.push(Member {
                output: self.wiring.end(entry.out),
                input: self.wiring.end(port),
                lane: 0,
                tag: worm.tag,
                source: HostId(worm.source),
            });
            self.watch.members.push((port, self.watch.found.len()));
            port = self.waits_for(port, t);
            debug_assert!(port != NONE && self.is_switch_port(port), "a circle of switches' ports is closed");
            if port == start {
                break;
            }
        }
        // One member alone is no mistake: where a cable comes back to its switch, a worm can wait for itself.
        // The first member is the one with the least input port, whichever was suspected first.
        let first = (0..members.len()).min_by_key(|index| members[*index].input).unwrap_or(0);
        members.rotate_left(first);
        debug_assert!(
            members.iter().skip(1).all(|member| member.input > members[0].input),
            "a port takes part once, and the least comes first"
        );
        self.watch.found.push(Deadlock { formed: Cycle(t), members, cleared: None });
    }

    /// The front worm of `port`, which owns or waits for `out`, is destroyed.
    #[inline]
    pub(super) fn deadlock_hit(&mut self, port: u32, out: u32, t: u64) {
        if self.watch.members.is_empty() {
            return;
        }
        let Some(&(_, index)) = self.watch.members.iter().find(|(member, _)| *member == port) else { return };
        debug_assert!(self.watch.found[index].cleared.is_none(), "a deadlock is broken once");
        self.watch.members.retain(|(_, other)| *other != index);
        debug_assert!(self.watch.found[index].formed.0 <= t, "what is broken has formed");
        let output = self.wiring.end(out);
        debug_assert!(
            self.watch.found[index].members.iter().any(|member| member.output == output),
            "and it is broken at an output that takes part in it"
        );
        self.watch.found[index].cleared = Some(Cleared { at: Cycle(t), output });
    }
}
