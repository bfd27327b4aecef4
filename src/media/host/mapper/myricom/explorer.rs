//! The exploration proper, which the coupon-collecting mapper shares.

use std::collections::{BTreeSet, VecDeque};

use super::clues::Clues;
use super::scan::Scan;
use super::{Filter, Loops, Options, Survey};
use crate::host::Host;
use crate::host::mapper::findings::{Confirmed, Findings};
use crate::host::mapper::model::{CONFIRMED, Far, Model, Place, Plan, VertexId, turn};
use crate::host::mapper::probe::there_and_back;
use crate::host::mapper::sweep::alternating;
use crate::host::mapper::{Brief, Doubt, Kind, Map, Prober};
use crate::host::passive::way_back;
use simnet_base::ids::Turn;
use simnet_base::units::Duration;

/// A mapper at work.
pub(in crate::host::mapper) struct Explorer<'a> {
    brief: &'a Brief,
    options: &'a Options,
    pub(in crate::host::mapper) prober: Prober,
    pub(in crate::host::mapper) model: Model,
    /// Ports that lead to switches not known yet.
    frontier: VecDeque<Place>,
    /// The known switches without hosts, in order of discovery.
    hostless: Vec<VertexId>,
    /// What is known of switches not surveyed yet.
    pub(in crate::host::mapper) clues: Clues,
    pub(in crate::host::mapper) findings: Findings,
}

/// What a switch taken from the frontier turned out to be.
enum Identity {
    /// The switch of this port, by which it was entered.
    Known(Place),
    /// A switch not seen before.
    New(Scan),
}

impl<'a> Explorer<'a> {
    /// A mapper on the host called `name` that has asked nothing yet.
    pub(in crate::host::mapper) fn new(name: &str, brief: &'a Brief, options: &'a Options) -> Explorer<'a> {
        Explorer {
            brief,
            options,
            prober: Prober::new(brief),
            model: Model::without_replicates(name),
            frontier: VecDeque::new(),
            hostless: Vec::new(),
            clues: Clues::default(),
            findings: Findings::default(),
        }
    }

    /// Explores all that can be reached, or up to a limit of the brief.
    pub(in crate::host::mapper) async fn run(&mut self, host: &mut dyn Host) {
        self.explore(host, None).await;
        if self.model.hosts().len() == 1 && self.frontier.is_empty() {
            self.look_behind_the_cable(host).await;
        }
        while let Some(from) = self.frontier.pop_front() {
            if self.options.skip_told && self.model.peer(from).is_some() {
                continue;
            }
            if self.findings.explorations >= self.brief.explorations {
                self.findings.doubts.insert(Doubt::Unfinished);
                return;
            }
            self.explore(host, Some(from)).await;
            if self.brief.memory.is_some_and(|memory| self.findings.peak_memory > memory) {
                self.findings.doubts.insert(Doubt::OutOfMemory);
                return;
            }
        }
    }

    /// Finds out what switch the port `from` leads to, and surveys it if it is new.
    async fn explore(&mut self, host: &mut dyn Host, from: Option<Place>) {
        self.findings.explorations += 1;
        let route = from.map_or_else(Vec::new, |from| self.model.route_out(from));
        let identity = self.identify(host, from, &route).await;
        self.stamp(host);
        match (identity, from) {
            (Identity::Known(at), Some(from)) => {
                self.meet(from, at);
                self.follow_clues(Some(from), at);
            }
            (Identity::New(scan), _) if from.is_none_or(|from| self.model.peer(from).is_none()) => {
                self.survey(host, from, route, scan).await;
            }
            // The first switch is not known yet, and a port has one far end.
            _ => self.model.contradict(),
        }
        self.findings.note(&self.model, self.frontier.len());
    }

    /// Gives the journal the time, and what was sent by now.
    fn stamp(&mut self, host: &dyn Host) {
        self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
    }

    /// Lays the cable by which a known switch was entered.
    fn meet(&mut self, from: Place, at: Place) {
        if self.model.far(at) == Far::Nothing {
            // The switch at `from` did not answer when this port was asked.
            self.prober.evidence.recovered += 1;
        }
        self.model.connect_free(from, at);
    }

    /// Finds out whether the switch at the end of `route` is known; scans it for hosts where it is new.
    async fn identify(&mut self, host: &mut dyn Host, from: Option<Place>, route: &[Turn]) -> Identity {
        let Brief { ports, .. } = *self.brief;
        let mut first = Scan::new(ports, self.options.window);
        if let Some(at) = self.clues.identify(from, &self.model, &mut first) {
            return Identity::Known(at);
        }
        let stop = self.options.stop_at_first;
        self.scan(host, from, route, &mut first, stop).await;
        if let Some(at) = self.recognise(&first) {
            self.check(at, &first, stop);
            return Identity::Known(at);
        }
        if first.hosts.is_empty()
            && let Some(at) = self.compare(host, route).await
        {
            from.into_iter().for_each(|from| self.model.credit(from));
            return Identity::Known(at);
        }
        let mut scan =
            if self.options.rescan { Scan::new(ports, self.options.window) } else { first.clone() };
        self.scan(host, from, route, &mut scan, false).await;
        let missed_first = |(turn, _): &(i32, String)| !first.is_host(*turn) && !first.excludes(*turn);
        if !stop && scan.hosts.iter().any(missed_first) {
            self.prober.evidence.recovered += 1;
        }
        for (turn, name) in first.hosts {
            if !scan.is_host(turn) {
                self.prober.evidence.recovered += 1;
                scan.note_host(turn, name);
            }
        }
        if let Some(at) = self.recognise(&scan) {
            // A host of a known switch did not answer when it was asked first.
            self.prober.evidence.recovered += 1;
            return Identity::Known(at);
        }
        Identity::New(scan)
    }

    /// Asks the ports of the switch at the end of `route` for hosts, all that are left or up to the first.
    async fn scan(
        &mut self,
        host: &mut dyn Host,
        from: Option<Place>,
        route: &[Turn],
        scan: &mut Scan,
        stop_at_first: bool,
    ) {
        while !stop_at_first || scan.hosts.is_empty() {
            let Some(turn) = scan.next() else { return };
            if let Some(name) = self.prober.host_at(host, &then(route, turn)).await {
                from.into_iter().for_each(|from| self.model.credit(from));
                scan.note_host(turn, name);
            }
        }
    }

    /// The port by which a switch was entered, if hosts found at it are known.
    fn recognise(&mut self, scan: &Scan) -> Option<Place> {
        let mut places = scan.hosts.iter().filter_map(|(turn, name)| {
            let place = self.model.place_of(name)?;
            Some(Place { port: place.port - turn, ..place })
        });
        let at = places.next()?;
        if places.any(|other| other != at) {
            self.model.contradict();
        }
        Some(at)
    }

    /// Compares what a scan of a known switch found with what was known.
    fn check(&mut self, at: Place, scan: &Scan, partly: bool) {
        let place = |turn: i32| Place { port: at.port + turn, ..at };
        for (turn, name) in &scan.hosts {
            if self.model.place_of(name).is_none() {
                self.prober.evidence.recovered += 1;
                self.model.place_host(place(*turn), name);
            }
            self.model.credit_one(place(*turn));
        }
        let missed = |turn: &i32| !scan.is_host(*turn) && !scan.excludes(*turn);
        let known = self.model.host_ports(at.vertex).map(|port| port - at.port);
        if !partly && known.filter(|turn| *turn != 0).any(|turn| missed(&turn)) {
            self.prober.evidence.recovered += 1;
        }
    }

    /// Compares the switch at the end of `route` with those that it may be; gives the port that it was entered
    /// by if it is one of them.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 4.1: probes of the form `T X -S`.
    async fn compare(&mut self, host: &mut dyn Host, route: &[Turn]) -> Option<Place> {
        let ports = i32::from(self.brief.ports);
        let mut known = match self.options.filter {
            Filter::Hostless => self.hostless.clone(),
            Filter::All => self.model.switches().collect(),
        };
        if !self.options.oldest_first {
            known.reverse();
        }
        if self.options.switch_again && !known.is_empty() {
            // Its answer is known, or this switch would not be on the frontier: it shows that the route is still good.
            self.prober.comes_back(host, Kind::Switch, &there_and_back(route)).await;
        }
        for switch in known {
            let back = way_back(self.model.route(switch));
            let (low, high) = self.model.extent(switch).unwrap_or_default();
            for x in alternating(self.brief.ports).map(|turn| i32::from(turn.0)) {
                // X leads from the port of entry to the known switch's own port 0.
                let entry = -x;
                let fits = entry - low < ports && high - entry < ports;
                if self.options.bound_comparisons && !fits {
                    continue;
                }
                let mut probe = then(route, x);
                probe.extend_from_slice(&back);
                if self.prober.comes_back(host, Kind::Compare, &probe).await {
                    self.model.credit(Place::entry(switch));
                    return Some(Place { vertex: switch, port: entry });
                }
            }
        }
        None
    }

    /// Enters a new switch and asks each port that leads to no host for a loop and for a switch.
    async fn survey(&mut self, host: &mut dyn Host, from: Option<Place>, route: Vec<Turn>, scan: Scan) {
        let switch = self.model.enter(from, route.clone());
        let place = |port: i32| Place { vertex: switch, port };
        for (port, name) in &scan.hosts {
            self.model.place_host(place(*port), name);
            self.model.credit(place(*port));
            self.prober.turns.host_hits += 1;
        }
        // The mapper's own switch counts as one without hosts if it has no other.
        if scan.hosts.is_empty() {
            self.hostless.push(switch);
        }
        for port in &scan.switches {
            self.leave_open(place(*port));
            self.frontier.push_back(place(*port));
        }
        let (open, probed) = self.turns_of_survey(&scan);
        let looped = self.find_loops(host, switch, &route, &probed).await;
        let open = open.into_iter().filter(|port| !looped.contains(port));
        for port in open {
            let at = place(port);
            let out = then(&route, port);
            if self.prober.comes_back(host, Kind::Switch, &there_and_back(&out)).await {
                self.stamp(host);
                self.prober.turns.switch_hits += 1;
                self.leave_open(at);
                self.model.credit(at);
                self.frontier.push_back(at);
            } else {
                self.prober.turns.nothing += 1;
            }
        }
        self.model.set_surveyed(switch);
        self.follow_clues(from, Place::entry(switch));
    }

    /// The turns at a new switch that get a switch probe, and those that get a loop probe.
    fn turns_of_survey(&self, scan: &Scan) -> (Vec<i32>, Vec<i32>) {
        let turns = || alternating(self.brief.ports).map(|turn| i32::from(turn.0));
        let hostless = || turns().filter(|turn| !scan.is_known(*turn)).collect();
        let window =
            || turns().filter(|turn| !scan.switches.contains(turn) && !scan.excludes(*turn)).collect();
        match self.options.survey {
            Survey::LoopsInWindow if self.options.loops == Loops::Plugs => (hostless(), window()),
            Survey::Window if self.options.loops == Loops::Plugs => (window(), window()),
            _ => (hostless(), hostless()),
        }
    }

    /// Notes that a switch answered at a port, which therefore leads to no host.
    fn leave_open(&mut self, at: Place) {
        let is_host = self.model.peer(at).is_some_and(|far| self.model.is_host(far.vertex));
        if is_host {
            self.model.contradict();
        } else {
            self.model.open(at);
        }
    }

    /// Takes the clues parked at the port `from` on through the switch that was entered by `at`.
    fn follow_clues(&mut self, from: Option<Place>, at: Place) {
        for open in self.clues.follow(from, at, &mut self.model) {
            self.frontier.push_back(open);
        }
    }

    /// Sends the loop probes of a new switch to these turns; gives the ports at which they found loops.
    async fn find_loops(
        &mut self,
        host: &mut dyn Host,
        switch: VertexId,
        route: &[Turn],
        open: &[i32],
    ) -> BTreeSet<i32> {
        let mut looped = BTreeSet::new();
        for (nth, out) in open.iter().enumerate() {
            let partners = match self.options.loops {
                Loops::Nothing => continue,
                Loops::Plugs => std::slice::from_ref(out),
                Loops::Cables => &open[nth + 1..],
            };
            for into in partners {
                if looped.contains(out) || looped.contains(into) {
                    continue;
                }
                let mut probe = then(route, *out);
                probe.push(turn(-*into));
                probe.extend(way_back(route));
                if self.prober.comes_back(host, Kind::Loop, &probe).await {
                    self.stamp(host);
                    looped.extend([*out, *into]);
                    let (a, b) =
                        (Place { vertex: switch, port: *out }, Place { vertex: switch, port: *into });
                    // A plug is no cable of the network.
                    if a != b {
                        self.prober.turns.switch_hits += 1;
                        self.model.connect_free(a, b);
                        self.model.credit(a);
                    }
                }
            }
        }
        looped
    }

    /// Where nothing answered at the first switch, finds out whether it is a switch at all.
    async fn look_behind_the_cable(&mut self, host: &mut dyn Host) {
        if self.prober.comes_back(host, Kind::Switch, &[Turn(0)]).await {
            return;
        }
        self.stamp(host);
        self.model.forget();
        self.model.host(host.name());
        if let Some(name) = self.prober.host_at(host, &[]).await {
            self.model.face_host(&name);
        }
    }

    /// The map.
    pub(in crate::host::mapper) fn finish(self, mapper: &str, time: Duration) -> Map {
        finish(self.findings, mapper, self.model, self.prober, self.brief, time)
    }
}

/// The map that a model without replicates amounts to; `mapper` is the host's name.
pub(in crate::host::mapper) fn finish(
    mut findings: Findings,
    mapper: &str,
    mut model: Model,
    prober: Prober,
    brief: &Brief,
    time: Duration,
) -> Map {
    let drawing = model.draw(&Plan::new(&format!("as mapped by {mapper}"), brief.ports));
    findings.doubts.extend(prober.evidence.doubts());
    findings.doubts.extend(model.is_contradictory().then_some(Doubt::Contradiction));
    // All ports of a switch that was surveyed were probed, and with retries more than once.
    let is_sure = |place: Place| brief.retries > 0 && model.is_surveyed(place.vertex);
    let map = Confirmed::new(
        drawing,
        |_, far| model.answers(far) < CONFIRMED,
        |end, place| end.port.0 < brief.ports && !is_sure(place),
    );
    findings.into_map(map, model.journal, prober.into_asked(), time)
}

/// A route and one more turn.
fn then(route: &[Turn], port: i32) -> Vec<Turn> {
    route.iter().copied().chain([turn(port)]).collect()
}
