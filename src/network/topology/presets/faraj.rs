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

use crate::topology::Network;

use super::cluster::{Shape, blocks, cluster};

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
    let net = match ranks {
        Ranks::Blocks => cluster(name, switches, blocks(&vec![machines; usize::from(switches)]), shape),
        Ranks::Dealt => cluster(name, switches, (0..switches * machines).map(|rank| rank % switches), shape),
    };
    Some(net)
}
