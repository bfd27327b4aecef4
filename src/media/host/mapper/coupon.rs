//! The coupon-collecting mapper: messages of maximal depth in random directions find most of the network, and
//! what they leave open is explored breadth first.
//!
//! # Scope and limitations
//! It assumes that hosts read what reaches them too soon, with turns left, and answer
//! ([`Hardware::reads_early`](crate::host::Hardware::reads_early)): a change of the interfaces' firmware. Where
//! they drop such messages, as Myrinet's do, only messages that happen to reach a host with their last turn are
//! answered; the map is as true, and costs hardly less than the Myricom mapper's. Nothing is pruned: the map
//! shows all that can be reached.
//!
//! # Source
//! Mainwaring et al. 1997, section 6, after Vazirani. The paper gives the idea in five sentences; the rest is our
//! choice:
//! - a message's turns are drawn one by one, each in proportion to the number of ports of entry that it is
//!   possible from; where earlier answers show the switch that it is taken at, those are as many as its window
//!   leaves, and turns to hosts known there are not drawn;
//! - an answer names a host and the turns that led to it (a *coupon*); collecting ends after
//!   [`Options::patience`] messages in a row that showed no new host;
//! - then switches are explored breadth first as by the Myricom mapper ([`super::myricom`]), without its loop
//!   probes and its second scan. What coupons show is not asked: a switch whose way to a known host is known
//!   needs no probe to be recognised, one with a host that is new none to be known as new, and ports that
//!   coupons passed none at all. Only switches about which they show nothing are scanned and compared.
//!
//! # Validation
//! `tests/media/properties/mapper_future.rs`: maps of thousands of random networks are all of N, with hosts that read
//! early and with hosts that do not; probes on the reconstructed NOW compared with those of the other mappers.

use std::collections::{BTreeMap, BTreeSet};

use super::myricom::{self, Explorer, Filter, Loops};
use super::{Brief, Doubt, Map, Prober};
use crate::host::Host;
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::Turn;
use simnet_base::units::Duration;

/// What the coupon-collecting mapper does at its own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of the random turns.
    pub seed: u64,
    /// The turns of a message (at most 65,535).
    pub depth: u16,
    /// How many messages in a row may show no new host before collecting ends.
    pub patience: u32,
    /// The most messages that are spent on collecting.
    pub most: u32,
}

impl Options {
    /// Twelve turns, up to a dozen vain messages in a row, ten thousand in all.
    pub const DEFAULT: Options = Options { seed: 0, depth: 12, patience: 12, most: 10_000 };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// The turns of messages in random directions.
const TURNS: Purpose = Purpose(40);

/// Maps the network that `host` is cabled to. Costs at most `most` messages more than the Myricom mapper.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    let began = host.now();
    let breadth_first = myricom::Options {
        filter: Filter::Hostless,
        loops: Loops::Nothing,
        stop_at_first: true,
        rescan: false,
        skip_told: true,
        start_up: Duration::ZERO,
        ..myricom::Options::default()
    };
    let mut explorer = Explorer::new(host.name(), brief, &breadth_first);
    explorer.model.journal.begin(began);
    let mut collector = Collector::new(brief, options);
    collector.collect(host, &mut explorer.prober).await;
    explorer.findings.doubts.extend(collector.contradiction.then_some(Doubt::Contradiction));
    for (turns, name) in collector.coupons {
        explorer.clues.add(turns, name);
    }
    explorer.run(host).await;
    explorer.finish(host.name(), host.now().since(began))
}

/// A switch as coupons show it: at the end of one string of turns. Several may be the same.
#[derive(Debug, Default)]
struct Spot {
    turns: BTreeMap<i16, Beyond>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Host,
    /// A switch, by its place in the list.
    Spot(usize),
}

struct Collector<'a> {
    ports: u16,
    options: &'a Options,
    random: Stream,
    /// The first is the mapper's own switch.
    spots: Vec<Spot>,
    hosts: BTreeSet<String>,
    coupons: Vec<(Vec<Turn>, String)>,
    contradiction: bool,
}

impl<'a> Collector<'a> {
    fn new(brief: &Brief, options: &'a Options) -> Collector<'a> {
        Collector {
            ports: brief.ports,
            options,
            random: Stream::new(options.seed, TURNS, 0),
            spots: vec![Spot::default()],
            hosts: BTreeSet::new(),
            coupons: Vec::new(),
            contradiction: false,
        }
    }

    /// Sends messages in random directions until they show nothing new any more.
    async fn collect(&mut self, host: &mut dyn Host, prober: &mut Prober) {
        let mut vain = 0;
        for _ in 0..self.options.most {
            if vain >= self.options.patience {
                return;
            }
            let turns = self.draw();
            if turns.is_empty() {
                // There is nothing behind the mapper's switch that is not known.
                return;
            }
            vain += 1;
            if let Some((name, used, _)) = prober.first_host(host, &turns).await
                && used > 0
            {
                vain = if self.hosts.insert(name.clone()) { 0 } else { vain };
                self.keep(turns[..used].to_vec(), name);
            }
        }
    }

    /// The turns of the next message.
    fn draw(&mut self) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(usize::from(self.options.depth));
        let mut spot = Some(0);
        while turns.len() < usize::from(self.options.depth) {
            let Some(turn) = self.draw_turn(spot) else { break };
            spot = match spot.and_then(|spot| self.spots[spot].turns.get(&turn)) {
                Some(Beyond::Spot(next)) => Some(*next),
                Some(Beyond::Host) | None => None,
            };
            turns.push(Turn(turn));
        }
        turns
    }

    /// A turn at a spot, or at an unknown switch; `None` if none is worth taking.
    ///
    /// A turn is drawn in proportion to the number of ports of entry that it is possible from: with eight ports
    /// and nothing known, +1 seven times as often as +7.
    fn draw_turn(&mut self, spot: Option<usize>) -> Option<i16> {
        let known = spot.map(|spot| &self.spots[spot].turns);
        let ends = known.and_then(|turns| Some((*turns.first_key_value()?.0, *turns.last_key_value()?.0)));
        let (low, high) = ends.map_or((0, 0), |(low, high)| (i32::from(low.min(0)), i32::from(high.max(0))));
        let ports = i32::from(self.ports);
        let weight = |turn: i16| {
            let host = known.is_some_and(|turns| turns.get(&turn) == Some(&Beyond::Host));
            let span = high.max(i32::from(turn)) - low.min(i32::from(turn));
            if turn == 0 || host { 0 } else { u64::try_from(ports - span).unwrap_or(0) }
        };
        let most = i16::try_from(ports - 1).unwrap_or(i16::MAX);
        let all = (-most..=most).map(weight).sum::<u64>();
        if all == 0 {
            return None;
        }
        let mut drawn = self.random.below(all);
        (-most..=most).find(|turn| {
            let (weight, left) = (weight(*turn), drawn);
            drawn = drawn.saturating_sub(weight);
            left < weight
        })
    }

    /// Keeps what an answer showed.
    fn keep(&mut self, turns: Vec<Turn>, name: String) {
        let mut spot = 0;
        for (nth, turn) in turns.iter().enumerate() {
            let last = nth + 1 == turns.len();
            match self.spots[spot].turns.get(&turn.0) {
                Some(Beyond::Spot(next)) if !last => spot = *next,
                None if last => {
                    self.spots[spot].turns.insert(turn.0, Beyond::Host);
                }
                None => {
                    self.spots.push(Spot::default());
                    let next = self.spots.len() - 1;
                    self.spots[spot].turns.insert(turn.0, Beyond::Spot(next));
                    spot = next;
                }
                Some(Beyond::Host) | Some(Beyond::Spot(_)) => {
                    // A host where a message passed, or the other way about; or the same coupon once more.
                    self.contradiction |=
                        !self.coupons.iter().any(|(known, host)| *known == turns && *host == name);
                    return;
                }
            }
        }
        self.coupons.push((turns, name));
    }
}
