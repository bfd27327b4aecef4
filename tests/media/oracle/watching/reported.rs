//! All that is reported to an observer, and what can be read from it without looking at the fabric.

use std::collections::BTreeMap;

use simnet_base::ids::LinkId;
use simnet_base::units::Cycle;
use simnet_media::fabric::{Cause, Deadlock, Fate, Flow, Member, Observer, WormId};
use simnet_network::topology::{End, Network};

use support_media::oracle::Case;

/// A report, in plain words. A worm is its tag, which no two worms of a case share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reported {
    Started { worm: u64, port: End, turns: u32, payload: u32 },
    Arrived { worm: u64, port: End },
    Waits { worm: u64, input: End, output: End },
    Granted { worm: u64, input: End, output: End },
    Released { worm: u64, input: End, output: End },
    Flow { port: End, occupancy: u32, inflow: u32, outflow: u32 },
    Control { port: End, stop: bool },
    Reset { worm: u64, output: End },
    Deadlocked { nth: usize, members: Vec<(End, End, u64)> },
    Cleared { nth: usize, output: End },
    Ended { worm: u64, fate: String },
    Cable { link: LinkId, up: bool },
}

/// All reports, in order.
#[derive(Default)]
pub(super) struct Log {
    pub(super) reported: Vec<(u64, Reported)>,
    /// Serial number and tag of each worm that has started.
    pub(super) serials: Vec<(u64, u64)>,
}

impl Log {
    fn note(&mut self, at: Cycle, reported: Reported) {
        self.reported.push((at.0, reported));
    }

    /// The worm's tag, after a check that it has kept its number.
    fn tag(&self, worm: WormId) -> u64 {
        let place = usize::try_from(worm.serial).unwrap();
        assert_eq!(self.serials[place], (worm.serial, worm.tag), "a worm has one number");
        worm.tag
    }

    /// The same in an order that does not depend on the order within cycles.
    pub(super) fn sorted(&self) -> Vec<(u64, Reported)> {
        let mut reported = self.reported.clone();
        reported.sort_unstable();
        reported
    }
}

impl Observer for Log {
    fn started(&mut self, at: Cycle, port: End, worm: WormId, turns: u32, payload: u32) {
        assert_eq!(worm.serial, self.serials.len() as u64, "worms are counted as they start");
        self.serials.push((worm.serial, worm.tag));
        self.note(at, Reported::Started { worm: worm.tag, port, turns, payload });
    }

    fn arrived(&mut self, at: Cycle, port: End, worm: WormId) {
        let worm = self.tag(worm);
        self.note(at, Reported::Arrived { worm, port });
    }

    fn waits(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        let worm = self.tag(worm);
        self.note(at, Reported::Waits { worm, input, output });
    }

    fn granted(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        let worm = self.tag(worm);
        self.note(at, Reported::Granted { worm, input, output });
    }

    fn released(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        let worm = self.tag(worm);
        self.note(at, Reported::Released { worm, input, output });
    }

    fn flow(&mut self, at: Cycle, port: End, flow: Flow) {
        let Flow { occupancy, inflow, outflow } = flow;
        self.note(at, Reported::Flow { port, occupancy, inflow, outflow });
    }

    fn flow_control(&mut self, at: Cycle, port: End, stop: bool) {
        self.note(at, Reported::Control { port, stop });
    }

    fn reset(&mut self, at: Cycle, output: End, worm: WormId) {
        let worm = self.tag(worm);
        self.note(at, Reported::Reset { worm, output });
    }

    fn deadlocked(&mut self, at: Cycle, nth: usize, members: &[Member], worms: &[WormId]) {
        let both = members.iter().zip(worms);
        for (member, worm) in both.clone() {
            assert_eq!((member.tag, member.source), (worm.tag, worm.source), "members are those worms");
        }
        let members = both.map(|(member, worm)| (member.input, member.output, self.tag(*worm))).collect();
        self.note(at, Reported::Deadlocked { nth, members });
    }

    fn cleared(&mut self, at: Cycle, nth: usize, output: End) {
        self.note(at, Reported::Cleared { nth, output });
    }

    fn ended(&mut self, at: Cycle, worm: WormId, fate: &Fate) {
        let worm = self.tag(worm);
        self.note(at, Reported::Ended { worm, fate: format!("{fate:?}") });
    }

    fn cable(&mut self, at: Cycle, link: LinkId, up: bool) {
        self.note(at, Reported::Cable { link, up });
    }
}

/// What deadlocks of a fabric should have been reported, in order of position.
pub(super) fn deadlocks(found: &[Deadlock]) -> Vec<(u64, Reported)> {
    let mut reported = Vec::new();
    for (nth, deadlock) in found.iter().enumerate() {
        let members = deadlock.members.iter().map(|it| (it.input, it.output, it.tag)).collect();
        reported.push((deadlock.formed.0, Reported::Deadlocked { nth, members }));
        if let Some(cleared) = deadlock.cleared {
            reported.push((cleared.at.0, Reported::Cleared { nth, output: cleared.output }));
        }
    }
    reported.sort_unstable();
    reported
}

/// The state of a network as the reports leave it.
#[derive(Default)]
pub(super) struct Replay {
    /// The last flow reported, per port.
    flows: BTreeMap<End, (u64, Flow)>,
    /// The worm and the input that hold each output.
    holders: BTreeMap<End, (u64, End)>,
    pub(super) stopped: BTreeMap<End, bool>,
    lives: BTreeMap<u64, Life>,
    /// How many worms have begun and not ended.
    pub(super) living: usize,
}

/// The life of a worm as reported.
#[derive(Default)]
struct Life {
    /// Where its head was granted, or put on a cable, last; the next port it arrives at is at the other end.
    left_by: Option<End>,
    /// Where its head has arrived and was not granted an output yet.
    at: Option<End>,
    /// What it waits for, and since when.
    waits: Option<(u64, End)>,
    /// Inputs and outputs held, in the order of its path.
    holds: Vec<(End, End)>,
    /// Whether all that it held was released in that order.
    in_order: bool,
    over: bool,
}

/// The other end of the cable in a port.
fn peer(network: &Network, end: End) -> Option<End> {
    let link = &network.links()[network.link_at(end)?.index()];
    Some(if link.a == end { link.b } else { link.a })
}

fn wrong(what: &str, at: u64, reported: &Reported) -> Result<(), String> {
    Err(format!("cycle {at}: {reported:?}: {what}"))
}

impl Replay {
    /// Applies one report; says what is impossible about it, if anything.
    #[expect(clippy::too_many_lines, reason = "one arm a kind of event")]
    pub(super) fn apply(&mut self, network: &Network, at: u64, reported: &Reported) -> Result<(), String> {
        let fail = |what: &str| wrong(what, at, reported);
        match reported {
            Reported::Started { worm, port, .. } => {
                let life = Life {
                    left_by: Some(*port),
                    holds: vec![(*port, *port)],
                    in_order: true,
                    ..Life::default()
                };
                if self.lives.insert(*worm, life).is_some() {
                    return fail("it has started before");
                }
                self.living += 1;
                if self.holders.insert(*port, (*worm, *port)).is_some() {
                    return fail("the cable is in use");
                }
            }
            Reported::Arrived { worm, port } => {
                let life = self.alive(*worm)?;
                let Some(left_by) = life.left_by.take() else { return fail("its head is in a port already") };
                if peer(network, left_by) != Some(*port) {
                    return fail("its head went elsewhere");
                }
                life.at = Some(*port);
            }
            Reported::Waits { worm, input, output } => {
                let holder = self.holders.get(output).copied();
                let life = self.alive(*worm)?;
                if life.at != Some(*input) || life.waits.is_some() {
                    return fail("its head is not there, or waits already");
                }
                if holder.is_none() {
                    return fail("nobody holds what it waits for");
                }
                life.waits = Some((at, *output));
            }
            Reported::Granted { worm, input, output } => {
                let life = self.alive(*worm)?;
                if life.at.take() != Some(*input) {
                    return fail("its head is not there");
                }
                if life.waits.take().is_some_and(|(since, wanted)| wanted != *output || since >= at) {
                    return fail("it waited for something else, or not at all");
                }
                life.left_by = Some(*output);
                life.holds.push((*input, *output));
                if self.holders.insert(*output, (*worm, *input)).is_some() {
                    return fail("the output is held");
                }
            }
            Reported::Released { worm, input, output } => {
                let life = self.alive(*worm)?;
                let Some(place) = life.holds.iter().position(|held| *held == (*input, *output)) else {
                    return fail("it does not hold that");
                };
                life.in_order &= place == 0;
                life.holds.remove(place);
                if self.holders.remove(output) != Some((*worm, *input)) {
                    return fail("another holds it");
                }
            }
            Reported::Ended { worm, fate } => {
                let life = self.alive(*worm)?;
                life.over = true;
                if !life.holds.is_empty() {
                    return fail("it holds something still");
                }
                if fate.starts_with("Delivered") && (!life.in_order || life.at.is_none()) {
                    return fail("its tail did not follow its head, or its head has not arrived");
                }
                self.living -= 1;
            }
            Reported::Control { port, stop } => {
                if self.stopped.insert(*port, *stop).unwrap_or(false) == *stop {
                    return fail("it was said before");
                }
            }
            Reported::Cable { link, up: true } => {
                let link = &network.links()[link.index()];
                for end in [link.a, link.b] {
                    self.stopped.insert(end, false);
                }
            }
            Reported::Flow { port, occupancy, inflow, outflow } => {
                let flow = Flow { occupancy: *occupancy, inflow: *inflow, outflow: *outflow };
                if self.flows.insert(*port, (at, flow)) == Some((at, flow)) {
                    return fail("it was told before");
                }
            }
            Reported::Reset { worm, output } => {
                self.alive(*worm)?;
                if self.holders.get(output).is_some_and(|(holder, _)| holder != worm) {
                    return fail("another holds the output");
                }
            }
            Reported::Deadlocked { .. } | Reported::Cleared { .. } | Reported::Cable { up: false, .. } => {}
        }
        Ok(())
    }

    fn alive(&mut self, worm: u64) -> Result<&mut Life, String> {
        match self.lives.get_mut(&worm) {
            Some(life) if !life.over => Ok(life),
            Some(_) => Err(format!("worm {worm} is over")),
            None => Err(format!("worm {worm} has not started")),
        }
    }

    /// Flits in the buffer at `port` at the beginning of cycle `now`.
    pub(super) fn occupancy(&self, port: End, now: u64) -> f64 {
        let Some((at, flow)) = self.flows.get(&port) else { return 0.0 };
        let cycles = (now - at) as f64;
        let of = |period: u32| if period == 0 { 0.0 } else { cycles / f64::from(period) };
        f64::from(flow.occupancy) + of(flow.inflow) - of(flow.outflow)
    }

    /// The heads that wait: the worm, where its head is, what it waits for.
    pub(super) fn waiting(&self) -> Vec<(u64, End, End)> {
        let waits = |(worm, life): (&u64, &Life)| {
            let (_, output) = life.waits.filter(|_| !life.over)?;
            Some((*worm, life.at?, output))
        };
        self.lives.iter().filter_map(waits).collect()
    }

    /// Who holds which output through which input.
    pub(super) fn held(&self) -> Vec<(End, u64, End)> {
        self.holders.iter().map(|(output, (worm, input))| (*output, *worm, *input)).collect()
    }
}

/// Whether a worm that met this fate may have stopped to wait without a word.
pub(super) fn was_destroyed(fate: &Fate) -> bool {
    matches!(
        fate,
        Fate::Destroyed { cause: Cause::Expired | Cause::NoSuchWire | Cause::LinkFailure | Cause::Reset, .. }
    )
}

/// The cables that failed and returned, those that did not change left out.
pub(super) fn cables(case: &Case, until: u64) -> Vec<(u64, Reported)> {
    let mut up = vec![true; case.network.links().len()];
    let mut reported = Vec::new();
    for event in case.link_events.iter().filter(|event| event.at < until) {
        if std::mem::replace(&mut up[event.link.index()], event.up) != event.up {
            reported.push((event.at, Reported::Cable { link: event.link, up: event.up }));
        }
    }
    reported
}
