//! The exploration proper, which the coupon-collecting mapper shares.

use std::collections::{BTreeSet, VecDeque};

use super::super::atlas::{At, Atlas, Drawing, turn};
use super::super::probe::there_and_back;
use super::super::{Brief, Doubt, Growth, Kind, Map, Prober};
use super::clues::Clues;
use super::scan::{Scan, nth_turn};
use super::{Filter, Loops, Options};
use crate::host::Host;
use crate::host::passive::way_back;
use crate::ids::Turn;
use crate::units::Duration;

/// A mapper at work.
pub(in super::super) struct Explorer<'a> {
    brief: &'a Brief,
    options: &'a Options,
    pub(in super::super) prober: Prober,
    pub(in super::super) atlas: Atlas,
    /// Ports that lead to switches not told yet.
    frontier: VecDeque<At>,
    /// The known switches without hosts, in order of discovery.
    hostless: Vec<usize>,
    /// What is known of switches not surveyed yet.
    pub(in super::super) clues: Clues,
    pub(in super::super) findings: Findings,
}

/// What an exploration has come to, beside its atlas and what its prober counts.
#[derive(Debug, Default)]
pub(in super::super) struct Findings {
    pub(in super::super) explorations: u64,
    pub(in super::super) history: Vec<Growth>,
    pub(in super::super) peak_memory: u64,
    pub(in super::super) doubts: BTreeSet<Doubt>,
}

/// What a switch taken from the frontier turned out to be.
enum Told {
    /// The switch of this port, by which it was entered.
    Known(At),
    /// A switch not seen before.
    New(Scan),
}

impl<'a> Explorer<'a> {
    /// A mapper on the host called `name` that has asked nothing yet.
    pub(in super::super) fn new(name: &str, brief: &'a Brief, options: &'a Options) -> Explorer<'a> {
        Explorer {
            brief,
            options,
            prober: Prober::new(brief),
            atlas: Atlas::new(name),
            frontier: VecDeque::new(),
            hostless: Vec::new(),
            clues: Clues::default(),
            findings: Findings::default(),
        }
    }

    /// Explores all that can be reached, or up to a limit of the brief.
    pub(in super::super) async fn run(&mut self, host: &mut impl Host) {
        self.explore(host, None).await;
        if self.atlas.host_count() == 1 && self.frontier.is_empty() {
            self.look_behind_the_cable(host).await;
        }
        while let Some(from) = self.frontier.pop_front() {
            if self.options.skip_told && self.atlas.is_told(from) {
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

    /// Tells what switch the port `from` leads to, and surveys it if it is new.
    async fn explore(&mut self, host: &mut impl Host, from: Option<At>) {
        self.findings.explorations += 1;
        let route = from.map_or_else(Vec::new, |from| self.atlas.route_out(from));
        let told = self.tell(host, from, &route).await;
        self.stamp(host);
        match (told, from) {
            (Told::Known(at), Some(from)) => {
                self.meet(from, at);
                self.follow_clues(Some(from), at);
            }
            (Told::New(scan), _) if from.is_none_or(|from| !self.atlas.is_told(from)) => {
                self.survey(host, from, route, scan).await;
            }
            // The first switch is known to nobody, and a port has one far end.
            _ => self.atlas.contradict(),
        }
        self.findings.note(&self.atlas, self.frontier.len());
    }

    /// Tells the journal the time, and what was sent by now.
    fn stamp(&mut self, host: &impl Host) {
        self.atlas.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
    }

    /// Lays the cable by which a known switch was entered.
    fn meet(&mut self, from: At, at: At) {
        if self.atlas.far(at).is_none() {
            // The switch at `from` did not answer when this port was asked.
            self.prober.evidence.recovered += 1;
        }
        self.atlas.connect(from, at);
    }

    /// Tells whether the switch at the end of `route` is known; scans it for hosts where it is new.
    async fn tell(&mut self, host: &mut impl Host, from: Option<At>, route: &[Turn]) -> Told {
        let Brief { ports, .. } = *self.brief;
        let mut first = Scan::new(ports, self.options.window);
        if let Some(at) = self.clues.tell(from, &self.atlas, &mut first) {
            return Told::Known(at);
        }
        let stop = self.options.stop_at_first;
        self.scan(host, from, route, &mut first, stop).await;
        if let Some(at) = self.recognise(&first) {
            self.check(at, &first, stop);
            return Told::Known(at);
        }
        if first.hosts.is_empty()
            && let Some(at) = self.compare(host, route).await
        {
            from.into_iter().for_each(|from| self.atlas.credit(from));
            return Told::Known(at);
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
            return Told::Known(at);
        }
        Told::New(scan)
    }

    /// Asks the ports of the switch at the end of `route` for hosts, all that are left or up to the first.
    async fn scan(
        &mut self,
        host: &mut impl Host,
        from: Option<At>,
        route: &[Turn],
        scan: &mut Scan,
        stop_at_first: bool,
    ) {
        while !stop_at_first || scan.hosts.is_empty() {
            let Some(turn) = scan.next() else { return };
            if let Some(name) = self.prober.host_at(host, &then(route, turn)).await {
                from.into_iter().for_each(|from| self.atlas.credit(from));
                scan.note_host(turn, name);
            }
        }
    }

    /// The port by which a switch was entered, if hosts found at it are known.
    fn recognise(&mut self, scan: &Scan) -> Option<At> {
        let mut places = scan.hosts.iter().filter_map(|(turn, name)| {
            let place = self.atlas.place(name)?;
            Some(At { switch: place.switch, port: place.port - turn })
        });
        let at = places.next()?;
        if places.any(|other| other != at) {
            self.atlas.contradict();
        }
        Some(at)
    }

    /// Compares what a scan of a known switch found with what was known.
    fn check(&mut self, at: At, scan: &Scan, partly: bool) {
        let place = |turn: i32| At { switch: at.switch, port: at.port + turn };
        for (turn, name) in &scan.hosts {
            if self.atlas.place(name).is_none() {
                self.prober.evidence.recovered += 1;
                self.atlas.place_host(place(*turn), name);
            }
            self.atlas.note_answer(place(*turn));
        }
        let missed = |turn: &i32| !scan.is_host(*turn) && !scan.excludes(*turn);
        let known = self.atlas.host_ports(at.switch).map(|port| port - at.port);
        if !partly && known.filter(|turn| *turn != 0).any(|turn| missed(&turn)) {
            self.prober.evidence.recovered += 1;
        }
    }

    /// Compares the switch at the end of `route` with those that it may be; gives the port that it was entered
    /// by if it is one of them.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 4.1: probes of the form `T X -S`.
    async fn compare(&mut self, host: &mut impl Host, route: &[Turn]) -> Option<At> {
        let ports = i32::from(self.brief.ports);
        let known = match self.options.filter {
            Filter::Hostless => self.hostless.len(),
            Filter::All => self.atlas.len(),
        };
        for nth in 0..known {
            let nth = if self.options.oldest_first { nth } else { known - 1 - nth };
            let switch = if self.options.filter == Filter::All { nth } else { self.hostless[nth] };
            let back = way_back(self.atlas.route(switch));
            let (low, high) = self.atlas.extent(switch);
            for x in (0..2 * (ports - 1)).map(nth_turn) {
                // X leads from the port of entry to the known switch's own port 0.
                let entry = -x;
                let fits = entry - low < ports && high - entry < ports;
                if self.options.bound_comparisons && !fits {
                    continue;
                }
                let mut probe = then(route, x);
                probe.extend_from_slice(&back);
                if self.prober.comes_back(host, Kind::Compare, &probe).await {
                    self.atlas.credit(At { switch, port: 0 });
                    return Some(At { switch, port: entry });
                }
            }
        }
        None
    }

    /// Enters a new switch and asks each port that leads to no host for a loop and for a switch.
    async fn survey(&mut self, host: &mut impl Host, from: Option<At>, route: Vec<Turn>, scan: Scan) {
        let switch = self.atlas.add_switch(from, route.clone());
        for (port, name) in &scan.hosts {
            self.atlas.place_host(At { switch, port: *port }, name);
            self.atlas.credit(At { switch, port: *port });
            self.prober.turns.host_hits += 1;
        }
        // The mapper's own switch counts as one without hosts if it has no other.
        if scan.hosts.is_empty() {
            self.hostless.push(switch);
        }
        for port in &scan.switches {
            self.atlas.leave_untold(At { switch, port: *port });
            self.frontier.push_back(At { switch, port: *port });
        }
        let turns = (0..2 * (i32::from(self.brief.ports) - 1)).map(nth_turn);
        let mut open: Vec<i32> = turns.filter(|turn| !scan.is_known(*turn)).collect();
        self.find_loops(host, switch, &route, &mut open).await;
        for port in open {
            let at = At { switch, port };
            let out = then(&route, port);
            if self.prober.comes_back(host, Kind::Switch, &there_and_back(&out)).await {
                self.stamp(host);
                self.prober.turns.switch_hits += 1;
                self.atlas.leave_untold(at);
                self.atlas.credit(at);
                self.frontier.push_back(at);
            } else {
                self.prober.turns.nothing += 1;
            }
        }
        self.atlas.set_surveyed(switch);
        self.follow_clues(from, At { switch, port: 0 });
    }

    /// Takes the clues parked at the port `from` on through the switch that was entered by `at`.
    fn follow_clues(&mut self, from: Option<At>, at: At) {
        for untold in self.clues.follow(from, at, &mut self.atlas) {
            self.frontier.push_back(untold);
        }
    }

    /// Sends the loop probes of a new switch and takes the ports that they tell from `open`.
    async fn find_loops(&mut self, host: &mut impl Host, switch: usize, route: &[Turn], open: &mut Vec<i32>) {
        let mut told = BTreeSet::new();
        for (nth, out) in open.iter().enumerate() {
            let partners = match self.options.loops {
                Loops::Nothing => continue,
                Loops::Plugs => std::slice::from_ref(out),
                Loops::Cables => &open[nth + 1..],
            };
            for into in partners {
                if told.contains(out) || told.contains(into) {
                    continue;
                }
                let mut probe = then(route, *out);
                probe.push(turn(-*into));
                probe.extend(way_back(route));
                if self.prober.comes_back(host, Kind::Loop, &probe).await {
                    self.stamp(host);
                    told.extend([*out, *into]);
                    let (a, b) = (At { switch, port: *out }, At { switch, port: *into });
                    // A plug is no cable of the network.
                    if a != b {
                        self.prober.turns.switch_hits += 1;
                        self.atlas.connect(a, b);
                        self.atlas.credit(a);
                    }
                }
            }
        }
        open.retain(|port| !told.contains(port));
    }

    /// Where nothing answered at the first switch, finds out whether it is a switch at all.
    async fn look_behind_the_cable(&mut self, host: &mut impl Host) {
        if self.prober.comes_back(host, Kind::Switch, &[Turn(0)]).await {
            return;
        }
        self.stamp(host);
        self.atlas.forget();
        if let Some(name) = self.prober.host_at(host, &[]).await {
            self.atlas.face_host(&name);
        }
    }

    /// The map.
    pub(in super::super) fn finish(self, time: Duration) -> Map {
        self.findings.finish(self.atlas, self.prober, self.brief, time)
    }
}

impl Findings {
    /// Takes note of the model's size after an exploration, with so many switches on the frontier.
    pub(in super::super) fn note(&mut self, atlas: &Atlas, frontier: usize) {
        self.history.push(atlas.growth(frontier));
        self.peak_memory = self.peak_memory.max(atlas.bytes(frontier));
    }

    /// The map that an atlas amounts to.
    pub(in super::super) fn finish(self, atlas: Atlas, prober: Prober, brief: &Brief, time: Duration) -> Map {
        let confirmed = brief.retries > 0;
        let Drawing { network, unconfirmed_links, unconfirmed_ports, contradiction } =
            atlas.draw(brief.ports, confirmed);
        let mut doubts = self.doubts;
        doubts.extend(prober.evidence.doubts());
        doubts.extend(contradiction.then_some(Doubt::Contradiction));
        Map {
            network,
            journal: atlas.journal.finish(time, &prober.probes, &doubts),
            probes: prober.probes,
            turns: prober.turns,
            explorations: self.explorations,
            time,
            doubts,
            evidence: prober.evidence,
            unconfirmed_links,
            unconfirmed_ports,
            history: self.history,
            peak_memory: self.peak_memory,
        }
    }
}

/// A route and one more turn.
fn then(route: &[Turn], port: i32) -> Vec<Turn> {
    route.iter().copied().chain([turn(port)]).collect()
}
