//! Random irregular networks.

use std::collections::BTreeSet;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::topology::{End, Network};
use simnet_base::ids::SwitchId;

use super::layout::{add_switches, check_size, port};
use super::{GenerateError, Size, invalid};

const FAMILY: &str = "random-irregular";
/// How often a drawing that came to a dead end is begun anew.
const ATTEMPTS: u32 = 1_000;

/// A connected network whose cables are in ports drawn at random.
///
/// First a tree joins the switches, each to one drawn from those before it; then the remaining cables between
/// switches are drawn, then the hosts. As a multigraph it may have parallel cables and cables looped back to
/// their own switch; otherwise it has neither.
///
/// # Source
/// The "irregular topology" of networks of workstations (Sancho and Robles 2000, section 4) with the number of
/// cables and hosts free; how it is drawn is this project's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomIrregular {
    switches: u64,
    hosts: u64,
    links: u64,
    ports: u64,
    multigraph: bool,
}

/// A port of a switch.
type FreePort = (SwitchId, u64);

impl RandomIrregular {
    /// Checks the parameters: `links` counts cables between switches, `ports` are those of every switch.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if the cables cannot connect the switches or have not enough ports.
    pub fn new(
        switches: u32,
        hosts: u32,
        links: u32,
        ports: u32,
        multigraph: bool,
    ) -> Result<RandomIrregular, GenerateError> {
        let [switches, hosts, links, ports] = [switches, hosts, links, ports].map(u64::from);
        if switches == 0 {
            return Err(invalid(FAMILY, "switches", "must be at least 1"));
        }
        check_size(FAMILY, "switches", switches, hosts, ports)?;
        if links + 1 < switches {
            let reason = format!("must be at least {} to connect {switches} switches", switches - 1);
            return Err(invalid(FAMILY, "links", reason));
        }
        let simple = switches * (switches - 1) / 2;
        if !multigraph && links > simple {
            let reason =
                format!("must be at most {simple}, one for each pair of switches, or `multigraph` 1");
            return Err(invalid(FAMILY, "links", reason));
        }
        let needed = (2 * links + hosts).div_ceil(switches).max(if switches > 2 { 2 } else { 0 });
        if needed > ports {
            let reason = format!("must be at least {needed} for so many cables and hosts, not {ports}");
            return Err(invalid(FAMILY, "ports", reason));
        }
        Ok(RandomIrregular { switches, hosts, links, ports, multigraph })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        Size::new(self.switches, self.hosts, self.links, self.switches * self.ports)
    }

    /// Draws the network that `seed` stands for.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a thousand drawings in a row come to a dead end, which happens where
    /// nearly every pair of switches is to be cabled.
    pub fn build(&self, seed: u64) -> Result<Network, GenerateError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let drawn = (0..ATTEMPTS).find_map(|_| self.draw(&mut rng));
        drawn.ok_or_else(|| invalid(FAMILY, "links", "is too many to draw at random without parallel cables"))
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Option<Network> {
        let mut net = Network::new(FAMILY);
        let mut order = add_switches(&mut net, self.switches, self.ports);
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last));
        }
        let mut cabled = BTreeSet::new();
        let mut free: Vec<FreePort> = (0..self.ports).map(|port| (order[0], port)).collect();
        for switch in &order[1..] {
            let a = take(&mut free, rng)?;
            let own = rng.random_range(0..self.ports);
            self.lay(&mut net, &mut cabled, a, (*switch, own));
            free.extend((0..self.ports).filter(|port| *port != own).map(|port| (*switch, port)));
        }
        for _ in 1..=self.links + 1 - self.switches {
            let (a, b) = self.draw_pair(&mut free, &cabled, rng)?;
            self.lay(&mut net, &mut cabled, a, b);
        }
        for number in 0..self.hosts {
            let (switch, at) = take(&mut free, rng)?;
            let host = net.add_host(format!("h{number}")).expect("numbers are distinct");
            net.connect(End::host(host, 0), End::switch(switch, port(at))).expect("the port is free");
        }
        Some(net)
    }

    fn lay(&self, net: &mut Network, cabled: &mut BTreeSet<(SwitchId, SwitchId)>, a: FreePort, b: FreePort) {
        if !self.multigraph {
            cabled.insert((a.0.min(b.0), a.0.max(b.0)));
        }
        net.connect(End::switch(a.0, port(a.1)), End::switch(b.0, port(b.1))).expect("both ports are free");
    }

    /// Two free ports that may be cabled, taken out of `free`; `None` if many drawings find none.
    fn draw_pair(
        &self,
        free: &mut Vec<FreePort>,
        cabled: &BTreeSet<(SwitchId, SwitchId)>,
        rng: &mut ChaCha8Rng,
    ) -> Option<(FreePort, FreePort)> {
        for _ in 0..1_000 {
            let (a, b) = (take(free, rng)?, take(free, rng)?);
            let simple = a.0 != b.0 && !cabled.contains(&(a.0.min(b.0), a.0.max(b.0)));
            if self.multigraph || simple {
                return Some((a, b));
            }
            free.extend([a, b]);
        }
        None
    }
}

fn take(free: &mut Vec<FreePort>, rng: &mut ChaCha8Rng) -> Option<FreePort> {
    if free.is_empty() {
        return None;
    }
    Some(free.swap_remove(rng.random_range(0..free.len())))
}
