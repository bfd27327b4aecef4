//! Folded Clos networks of Myrinet's Clos64+64 units.

use crate::topology::{End, Network};

use super::layout::{nth, port};
use super::{GenerateError, Size, invalid};

/// Units of 64 hosts under spines, all of 16-port crossbars: Pink has 16 units.
///
/// A unit has eight leaf crossbars (hosts on ports 8 to 15, the unit's middles on ports 0 to 7) and eight middle
/// crossbars (its leaves on ports 0 to 7), whose 64 upper ports lead to the spines; a single unit leaves them
/// free. `4 x units` spines have all their ports in use: upper port `j` of unit `u` leads to spine
/// `(64 u + j) mod (4 units)`. Up to 16 units every unit reaches every spine; of more, any two units share
/// spines.
///
/// # Source
/// Myricom, *Guide to Myrinet-2000 Switches*, section 9, for units, spines and the shape with 16 units; which
/// upper port leads to which spine, and all other sizes, are reconstructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clos {
    units: usize,
}

/// What a switch of a [`Clos`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Leaf crossbar of a unit.
    Leaf {
        /// The unit.
        unit: usize,
        /// Which of its eight.
        number: usize,
    },
    /// Middle crossbar of a unit.
    Middle {
        /// The unit.
        unit: usize,
        /// Which of its eight.
        number: usize,
    },
    /// A spine.
    Spine(usize),
}

/// Beyond as many, some two units would share no spine.
const MOST_UNITS: u32 = 31;

impl Clos {
    /// Checks the parameter.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if there are no units, or more than 31.
    pub fn new(units: u32) -> Result<Clos, GenerateError> {
        match usize::try_from(units) {
            Ok(units) if (1..=MOST_UNITS as usize).contains(&units) => Ok(Clos { units }),
            _ => Err(invalid("clos", "units", format!("must be from 1 to {MOST_UNITS}, not {units}"))),
        }
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let units = self.units as u64;
        let (spines, up) = if units == 1 { (0, 0) } else { (4 * units, 64 * units) };
        let switches = 16 * units + spines;
        Size::new(switches, 64 * units, 64 * units + up, 16 * switches)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let spines = self.units * 16;
        let number = |role| match role {
            Role::Leaf { unit, number } => unit * 16 + number,
            Role::Middle { unit, number } => unit * 16 + 8 + number,
            Role::Spine(spine) => spines + spine,
        };
        self.build_named(|role| format!("s{}", number(role)), |host| format!("h{host}"))
    }

    /// The same with names of one's own: of switches by what they are, of hosts by their number.
    ///
    /// # Panics
    /// If two names are equal.
    pub fn build_named(&self, switch: impl Fn(Role) -> String, host: impl Fn(usize) -> String) -> Network {
        let mut net = Network::new("clos");
        let mut add = |role| net.add_switch(switch(role), 16).expect("names are distinct");
        let (mut leaves, mut middles) = (Vec::new(), Vec::new());
        for unit in 0..self.units {
            leaves.extend((0..8).map(|number| add(Role::Leaf { unit, number })));
            middles.extend((0..8).map(|number| add(Role::Middle { unit, number })));
        }
        let spines = if self.units == 1 { 0 } else { 4 * self.units };
        let tops: Vec<_> = (0..spines).map(|spine| add(Role::Spine(spine))).collect();
        let mut used = vec![0; spines];
        let hosts: Vec<_> = (0..self.units * 64)
            .map(|number| net.add_host(host(number)).expect("names are distinct"))
            .collect();
        let mut cable = |a: End, b: End| net.connect(a, b).expect("each port is used once");
        for unit in 0..self.units {
            let eight = unit * 8..unit * 8 + 8;
            for (switch, eight) in leaves[eight.clone()].iter().zip(hosts[unit * 64..].chunks(8)) {
                for (host, at) in eight.iter().zip(8..) {
                    cable(End::host(*host, 0), End::switch(*switch, port(at)));
                }
            }
            for (leaf, below) in (0..).zip(&leaves[eight.clone()]) {
                for (middle, above) in (0..).zip(&middles[eight.clone()]) {
                    cable(End::switch(*below, port(middle)), End::switch(*above, port(leaf)));
                }
            }
            for (middle, below) in (0..).zip(&middles[eight]) {
                for up in 0..if spines == 0 { 0 } else { 8 } {
                    let spine = (64 * unit as u64 + 8 * middle + up) % spines as u64;
                    let next = &mut used[usize::try_from(spine).expect("a position in a list")];
                    cable(End::switch(*below, port(8 + up)), End::switch(nth(&tops, spine), port(*next)));
                    *next += 1;
                }
            }
        }
        net
    }
}
