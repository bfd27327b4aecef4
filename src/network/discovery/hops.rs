//! How many switches lie between machines.

/// Hop counts between machines: the number of switches on the path, 1 on the same switch, 0 from a machine to itself.
///
/// A symmetric matrix; machines are numbered as in the [`Rtts`](super::Rtts) it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hops {
    machines: usize,
    /// Row by row.
    cells: Vec<u32>,
}

impl Hops {
    /// Asks `between` once for every pair a < b of so many machines. Costs O(machines²).
    pub fn new(machines: usize, mut between: impl FnMut(usize, usize) -> u32) -> Hops {
        let mut cells = vec![0; machines * machines];
        for a in 0..machines {
            for b in a + 1..machines {
                let hops = between(a, b);
                cells[a * machines + b] = hops;
                cells[b * machines + a] = hops;
            }
        }
        Hops { machines, cells }
    }

    /// How many machines there are.
    pub const fn machines(&self) -> usize {
        self.machines
    }

    /// The switches between two machines; 0 if they are the same.
    ///
    /// # Panics
    /// If there is no such machine.
    pub fn between(&self, a: usize, b: usize) -> u32 {
        self.row(a)[b]
    }

    /// A machine's hop counts to all, itself included.
    ///
    /// # Panics
    /// If there is no such machine.
    pub fn row(&self, machine: usize) -> &[u32] {
        &self.cells[machine * self.machines..][..self.machines]
    }
}
