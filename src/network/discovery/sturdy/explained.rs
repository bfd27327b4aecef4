//! A tree with what machines and cables add of their own.

use super::lattice::{Fit, ODD, judge, price, settle};
use super::links::{self, OddCable};
use super::machines::{self, usual_offsets};
use super::times::Times;
use crate::discovery::search::Budget;

/// A tree, what stands out from it, and what both cost together.
pub(super) struct Explained {
    /// The tree as it was before anything stood out.
    pub(super) plain: Fit,
    /// The tree without what stands out.
    pub(super) fit: Fit,
    /// By machine, in ps.
    pub(super) offsets: Vec<f64>,
    /// The machines that stand out.
    pub(super) slow: Vec<usize>,
    /// The cables that do.
    pub(super) cables: Vec<OddCable>,
    /// The times less all of that.
    pub(super) own: Times,
    pub(super) cost: i64,
}

impl Explained {
    /// Takes what stands out off the times, and improves the tree without it.
    pub(super) fn new(times: &Times, plain: Fit, fixed: bool, budget: &mut Budget) -> Explained {
        let machines = times.machines();
        let (mut fit, mut offsets) = (plain.clone(), vec![0.0; machines]);
        let mut slow = machines::odd(times, &mut fit, &mut offsets);
        let mut own = times.less(&offsets);
        if !slow.is_empty() {
            settle(&own, &mut fit, fixed, budget);
        }
        let cables = links::odd(&own, &mut fit);
        if !cables.is_empty() {
            // What a slow cable does to times hides slow machines and makes others look slow.
            own = cables.iter().fold(times.clone(), |own, cable| own.beyond(&cable.far, cable.more));
            settle(&own, &mut fit, fixed, budget);
            offsets = vec![0.0; machines];
            slow = machines::odd(&own, &mut fit, &mut offsets);
            own = own.less(&offsets);
        }
        let usual = usual_offsets(&own, &fit);
        own = own.less(&usual);
        offsets.iter_mut().zip(usual).for_each(|(offset, usual)| *offset += usual);
        if !slow.is_empty() || !cables.is_empty() {
            settle(&own, &mut fit, fixed, budget);
        }
        // Switches that a slow cable stands for count: it would be cheaper under ever smaller steps.
        let odd = cables.iter().map(|cable| (ODD + i64::from(cable.saved)) * price(machines)).sum::<i64>();
        let cost = judge(&own, &offsets, &fit, fixed).saturating_add(odd);
        Explained { plain, fit, offsets, slow, cables, own, cost }
    }
}
