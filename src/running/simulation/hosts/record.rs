//! Recording what processes do and what happens on the fabric below them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};

use simnet_base::ids::{HostId, LinkId, Turn};
use simnet_base::units::{Cycle, Time};
use simnet_media::fabric::{Fate, Flow, Member, Observer, WormId};
use simnet_media::host::Message;
use simnet_media::trace::{ProcessObserver, Recorder, WormNames};
use simnet_network::topology::End;

use super::interfaces::{APPLICATION, Named};

/// Who records a run of processes, and as which scene.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// Who.
    pub recorder: &'a Recorder,
    /// The scene's position in the log.
    pub nth: u32,
    /// `mapping` or `operation`.
    pub kind: &'static str,
}

/// The names of worms, each host's in the order in which it sends, and where interfaces send them.
///
/// A host's messages of applications start in that order, and those of processes do, which may pass by the others: so
/// the first name of its kind that was not used yet is that of the next worm of this host and kind.
pub(super) fn names() -> (WormNames<'static>, Sender<Named>) {
    let (sender, names) = channel();
    let mut known = BTreeMap::new();
    (WormNames::new(move |worm| next_name(worm, &names, &mut known)), sender)
}

/// The next name of the worm's host, once all `names` sent so far are known.
fn next_name(
    worm: WormId,
    names: &Receiver<Named>,
    known: &mut BTreeMap<(HostId, bool), VecDeque<String>>,
) -> String {
    for (host, of_application, name) in names.try_iter() {
        known.entry((host, of_application)).or_default().push_back(name);
    }
    let kind = (worm.source, worm.tag & APPLICATION != 0);
    let name = known.get_mut(&kind).and_then(VecDeque::pop_front);
    name.expect("an interface gives the name of a message before it starts")
}

/// An observer that sees the cables of the whole network, where the fabric has only those that processes use.
pub(super) struct Whole<W> {
    inner: W,
    /// Per cable of the fabric, the cable of the whole network.
    links: Vec<LinkId>,
}

impl<W> Whole<W> {
    pub(super) fn new(inner: W, links: Vec<LinkId>) -> Whole<W> {
        Whole { inner, links }
    }

    pub(super) fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: ProcessObserver> ProcessObserver for Whole<W> {
    fn sends(&mut self, at: Time, host: HostId, route: &[Turn], message: &Message) {
        self.inner.sends(at, host, route, message);
    }

    fn receives(&mut self, at: Time, host: HostId, message: &Message) {
        self.inner.receives(at, host, message);
    }
}

impl<W: ProcessObserver> Observer for Whole<W> {
    const WATCHES: bool = W::WATCHES;

    fn started(&mut self, at: Cycle, port: End, worm: WormId, turns: u32, payload: u32) {
        self.inner.started(at, port, worm, turns, payload);
    }

    fn arrived(&mut self, at: Cycle, port: End, worm: WormId) {
        self.inner.arrived(at, port, worm);
    }

    fn waits(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        self.inner.waits(at, input, output, worm);
    }

    fn granted(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        self.inner.granted(at, input, output, worm);
    }

    fn released(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        self.inner.released(at, input, output, worm);
    }

    fn flow(&mut self, at: Cycle, port: End, flow: Flow) {
        self.inner.flow(at, port, flow);
    }

    fn flow_control(&mut self, at: Cycle, port: End, stop: bool) {
        self.inner.flow_control(at, port, stop);
    }

    fn reset(&mut self, at: Cycle, output: End, worm: WormId) {
        self.inner.reset(at, output, worm);
    }

    fn deadlocked(&mut self, at: Cycle, nth: usize, members: &[Member], worms: &[WormId]) {
        self.inner.deadlocked(at, nth, members, worms);
    }

    fn cleared(&mut self, at: Cycle, nth: usize, output: End) {
        self.inner.cleared(at, nth, output);
    }

    fn ended(&mut self, at: Cycle, worm: WormId, fate: &Fate) {
        self.inner.ended(at, worm, fate);
    }

    fn cable(&mut self, at: Cycle, link: LinkId, up: bool) {
        self.inner.cable(at, self.links[link.index()], up);
    }
}
