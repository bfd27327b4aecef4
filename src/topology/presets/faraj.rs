//! The clusters of Faraj, Patarasuk and Yuan 2008: Fig. 8 (a) to (f), and Fig. 5.
//!
//! Switches of 24 ports, as the Dell PowerConnect 2224 and 2324 of section 5 have: machines on the first
//! ports, cables to other switches after them. A machine's number is its rank.
//!
//! # Scope and limitations
//! *Reconstructions*: both figures are pictures that no text repeats. Stated are the numbers of machines and
//! switches, that (d)'s LR1 ring has paths of four hops and its LR2 ring of two, that MPICH's ring in the order
//! of ranks is LR1's on (e) and contended on (b), (c), (d) and (f), and that (e) and (f) are the same switches.
//! Inferred are: equal shares of machines; that (d) is the chain, so that (c), the other tree of four
//! switches, is the star; ranks dealt out in turn on (b), (c), (d) and (f), which makes every channel between
//! switches of (f) carry 8 messages of MPICH's ring, as 3,595 ms against 473.7 ms suggest; that (e) and (f)
//! are stars, where MPICH's and LAM's times on (f) come out best ([`FOUR_OF_EIGHT`] says it once). Fig. 5 is a chain
//! of four switches with two machines each, the smallest tree with eight machines on which the message from machine 7
//! to machine 0 has four hops and a ring of two hops exists.

use crate::ids::SwitchId;
use crate::topology::{End, Network};

/// How four switches are cabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// In a row.
    Chain,
    /// All to the first.
    Star,
}

/// How the ranks of machines go round the switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ranks {
    /// All of a switch, then all of the next.
    Blocks,
    /// One of each switch in turn.
    Dealt,
}

/// The switches of (e) and (f).
const FOUR_OF_EIGHT: Shape = Shape::Star;

/// The preset called `name`.
pub(super) fn load(name: &str) -> Option<Network> {
    let (switches, machines, shape, ranks) = match name {
        "faraj-a" => (1, 16, Shape::Chain, Ranks::Blocks),
        "faraj-b" => (2, 8, Shape::Chain, Ranks::Dealt),
        "faraj-c" => (4, 4, Shape::Star, Ranks::Dealt),
        "faraj-d" => (4, 4, Shape::Chain, Ranks::Dealt),
        "faraj-e" => (4, 8, FOUR_OF_EIGHT, Ranks::Blocks),
        "faraj-f" => (4, 8, FOUR_OF_EIGHT, Ranks::Dealt),
        "faraj-fig5" => (4, 2, Shape::Chain, Ranks::Blocks),
        _ => return None,
    };
    Some(cluster(name, switches, machines, shape, ranks))
}

fn cluster(name: &str, switches: u16, machines: u16, shape: Shape, ranks: Ranks) -> Network {
    let mut net = Network::new(name);
    for number in 0..switches {
        net.add_switch(format!("s{number}"), 24).expect("numbers are distinct");
    }
    for rank in 0..switches * machines {
        let host = net.add_host(format!("n{rank}")).expect("numbers are distinct");
        let (switch, port) = match ranks {
            Ranks::Blocks => (rank / machines, rank % machines),
            Ranks::Dealt => (rank % switches, rank / switches),
        };
        let place = End::switch(SwitchId::new(usize::from(switch)), port);
        net.connect(End::host(host, 0), place).expect("a port takes one machine");
    }
    let mut free = vec![machines; usize::from(switches)];
    let mut next = |switch: u16| {
        let port = &mut free[usize::from(switch)];
        *port += 1;
        End::switch(SwitchId::new(usize::from(switch)), *port - 1)
    };
    for switch in 1..switches {
        let before = match shape {
            Shape::Chain => switch - 1,
            Shape::Star => 0,
        };
        net.connect(next(before), next(switch)).expect("24 ports are enough");
    }
    net
}
