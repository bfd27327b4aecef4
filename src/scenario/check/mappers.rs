//! The options of each mapper, and what goes wrong or stands aside while it maps.

use simnet_base::units::{Bytes, Duration};
use simnet_media::host::Hardware;
use simnet_media::host::mapper::myricom::Survey;
use simnet_media::host::mapper::{
    Algorithm, Depth as Bound, berkeley, coupon, guarded, identified, myricom, parallel, randomised,
    simplified,
};
use simnet_network::topology::Network;

use super::{conflict, quantity};
use crate::diagnostics::{Diagnostics, Place};
use crate::mapping::{Faults, MapModel, Masters, Restraint};
use crate::wire::{self, Given, Located};

/// The algorithm with its options.
pub(super) fn algorithm(
    wire: &wire::Mapping,
    site: &Site<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Algorithm> {
    let named = wire.algorithm.value()?;
    check_owners(wire, named.name(), diagnostics);
    Some(match named {
        Algorithm::Berkeley(_) => Algorithm::Berkeley(berkeley(wire, site, diagnostics)?),
        Algorithm::Simplified(_) => Algorithm::Simplified(simplified(wire, site, diagnostics)?),
        Algorithm::Randomised(_) => Algorithm::Randomised(randomised(wire, site, diagnostics)?),
        Algorithm::Myricom(_) => Algorithm::Myricom(of_table(&wire.myricom, myricom)?),
        Algorithm::Guarded(guarded::Options { guards, .. }) => {
            let options = of_table(&wire.guarded, guarded)?;
            Algorithm::Guarded(guarded::Options { guards: *guards, ..options })
        }
        Algorithm::Coupon(_) => Algorithm::Coupon(of_table(&wire.coupon, coupon)?),
        Algorithm::Identified(_) => Algorithm::Identified(of_table(&wire.identified, identified)?),
        Algorithm::Parallel(_) => Algorithm::Parallel(of_table(&wire.parallel, parallel)?),
    })
}

/// What interfaces and switches must be able to do for an algorithm.
pub(super) fn hardware(algorithm: &Algorithm) -> Hardware {
    match algorithm {
        Algorithm::Coupon(_) => Hardware { reads_early: true, stamps: false },
        Algorithm::Identified(options) => Hardware { reads_early: options.one_message, stamps: true },
        _ => Hardware::default(),
    }
}

/// The options that a table gives, or the default ones without a table; `None` after a fault.
fn of_table<W, O: Default>(given: &Given<W>, options: impl FnOnce(&W) -> Option<O>) -> Option<O> {
    if given.is_absent() { Some(O::default()) } else { options(given.value()?) }
}

/// A given value, or this one; `None` after a fault.
fn or<T: Copy>(given: &Given<T>, default: T) -> Option<T> {
    if given.is_absent() { Some(default) } else { given.value().copied() }
}

fn berkeley(
    wire: &wire::Mapping,
    site: &Site<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<berkeley::Options> {
    let default = berkeley::Options::default();
    let own = of_table(&wire.berkeley, own_of_berkeley)?;
    Some(berkeley::Options {
        window: or(&wire.window, default.window)?,
        order: or(&wire.order, default.order)?,
        skip_known: or(&wire.skip_known, default.skip_known)?,
        prune: or(&wire.prune, site.prunes())?,
        depth: depth(wire, site, diagnostics)?,
        ..own
    })
}

/// The keys that only this mapper has.
fn own_of_berkeley(wire: &wire::Berkeley) -> Option<berkeley::Options> {
    Some(berkeley::Options {
        merging: *wire.merging.value()?,
        keep_merged: *wire.keep_merged.value()?,
        control: *wire.control.value()?,
        second_look: *wire.second_look.value()?,
        pause: wire.pause.value()?.0,
        ..berkeley::Options::default()
    })
}

fn simplified(
    wire: &wire::Mapping,
    site: &Site<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<simplified::Options> {
    let bound = if site.model == MapModel::Packet { Bound::TwiceDPlusOne } else { Bound::QPlusDPlusOne };
    let depth = match depth(wire, site, diagnostics)? {
        Some(depth) => depth,
        None => site.turns(bound).unwrap_or(simplified::Options::default().depth),
    };
    Some(simplified::Options { depth, prune: or(&wire.prune, site.prunes())? })
}

fn randomised(
    wire: &wire::Mapping,
    site: &Site<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<randomised::Options> {
    let search = berkeley(wire, site, diagnostics)?;
    let own = |wire: &wire::Randomised| {
        let default = randomised::Options::default();
        let (after, tries) = (*wire.after.value()?, *wire.tries.value()?);
        Some(randomised::Options { after, length: *wire.length.value()? as usize, tries, ..default })
    };
    Some(randomised::Options { search, ..of_table(&wire.randomised, own)? })
}

/// Where a mapper maps, as far as its options depend on it.
pub(super) struct Site<'a> {
    pub(super) network: Option<&'a Network>,
    pub(super) masters: Option<Masters>,
    pub(super) model: MapModel,
}

impl Site<'_> {
    /// Whether branches that end in switches are pruned by default.
    fn prunes(&self) -> bool {
        self.model != MapModel::Packet
    }

    /// What a bound comes to for the one master.
    fn turns(&self, bound: Bound) -> Option<usize> {
        match self.masters? {
            Masters::One(mapper) => Some(bound.turns(self.network?, mapper)),
            Masters::Election => None,
        }
    }
}

/// The search depth, computed if need be.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
fn depth(wire: &wire::Mapping, site: &Site<'_>, diagnostics: &mut Diagnostics) -> Option<Option<usize>> {
    let Some(Located { value, place }) = wire.depth.get() else {
        return wire.depth.is_absent().then_some(None);
    };
    match value.0 {
        Bound::Turns(turns) => Some(Some(turns)),
        _ if site.masters == Some(Masters::Election) => {
            let message = "a depth that depends on the mapper, in an election";
            conflict(*place, message, "expected 1 to 1000 turns", diagnostics);
            None
        }
        bound => site.turns(bound).map(Some),
    }
}

fn myricom(wire: &wire::Myricom) -> Option<myricom::Options> {
    Some(myricom::Options {
        filter: *wire.filter.value()?,
        oldest_first: *wire.oldest_first.value()?,
        bound_comparisons: *wire.bound_comparisons.value()?,
        window: *wire.window.value()?,
        stop_at_first: *wire.stop_at_first.value()?,
        rescan: *wire.rescan.value()?,
        skip_told: *wire.skip_told.value()?,
        loops: *wire.loops.value()?,
        survey: or(&wire.survey, Survey::default())?,
        switch_again: or(&wire.switch_again, true)?,
        start_up: wire.start_up.value()?.0,
    })
}

fn guarded(wire: &wire::Guarded) -> Option<guarded::Options> {
    let length = |given| u32::try_from(quantity::<Bytes>(given)?.value.0).ok();
    Some(guarded::Options {
        guards: true,
        scout: length(&wire.scout)?,
        comparison: length(&wire.comparison)?,
        burst: *wire.burst.value()?,
        confirm_no: *wire.confirm_no.value()?,
        guard_retries: *wire.guard_retries.value()?,
        back_off: wire.back_off.value()?.0,
        first: *wire.first.value()?,
        candidates: *wire.candidates.value()?,
        recency: *wire.recency.value()?,
        landing: *wire.landing.value()?,
    })
}

fn coupon(wire: &wire::Coupon) -> Option<coupon::Options> {
    Some(coupon::Options {
        seed: 0,
        depth: *wire.depth.value()?,
        patience: *wire.patience.value()?,
        most: *wire.most.value()?,
    })
}

fn identified(wire: &wire::Identified) -> Option<identified::Options> {
    Some(identified::Options { one_message: *wire.one_message.value()? })
}

fn parallel(wire: &wire::Parallel) -> Option<parallel::Options> {
    let (depth, patience) = (usize::from(*wire.depth.value()?), wire.patience.value()?.0);
    Some(parallel::Options { depth, patience, ..parallel::Options::DEFAULT })
}

/// What goes wrong with the mappers' messages.
pub(super) fn faults(given: &Given<wire::Faults>) -> Option<Faults> {
    let Some(Located { value: wire, .. }) = given.get() else {
        let none = Faults { hold: Duration::from_us(100), ..Faults::default() };
        return given.is_absent().then_some(none);
    };
    Some(Faults {
        loss: *wire.loss.value()?,
        reorder_sends: *wire.reorder_sends.value()?,
        reorder_receives: *wire.reorder_receives.value()?,
        overtaking: *wire.overtaking.value()?,
        hold: wire.hold.value()?.0,
    })
}

/// How applications hold themselves back; `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
pub(super) fn restraint(given: &Given<wire::Restraint>) -> Option<Option<Restraint>> {
    let Some(Located { value: wire, .. }) = given.get() else { return given.is_absent().then_some(None) };
    let slower = if wire.slower.is_absent() { None } else { Some(*wire.slower.value()?) };
    Some(Some(Restraint { span: wire.span.value()?.0, slower }))
}

/// Notes options that the algorithm does not have.
fn check_owners(wire: &wire::Mapping, name: &str, diagnostics: &mut Diagnostics) {
    let (trees, all_trees) = (&["berkeley", "randomised"][..], &["berkeley", "randomised", "simplified"][..]);
    let given: [(&str, Option<Place>, &[&str]); 12] = [
        ("depth", wire.depth.get().map(|at| at.place), all_trees),
        ("prune", wire.prune.get().map(|at| at.place), all_trees),
        ("order", wire.order.get().map(|at| at.place), trees),
        ("window", wire.window.get().map(|at| at.place), trees),
        ("skip-known", wire.skip_known.get().map(|at| at.place), trees),
        ("berkeley", wire.berkeley.get().map(|at| at.place), trees),
        ("randomised", wire.randomised.get().map(|at| at.place), &["randomised"]),
        ("myricom", wire.myricom.get().map(|at| at.place), &["myricom"]),
        ("guarded", wire.guarded.get().map(|at| at.place), &["guarded", "timed"]),
        ("coupon", wire.coupon.get().map(|at| at.place), &["coupon"]),
        ("identified", wire.identified.get().map(|at| at.place), &["identified"]),
        ("parallel", wire.parallel.get().map(|at| at.place), &["parallel"]),
    ];
    for (key, place, owners) in given {
        if let Some(place) = place.filter(|_| !owners.contains(&name)) {
            let owners: Vec<String> = owners.iter().map(|name| format!("\"{name}\"")).collect();
            let message = format!("`{key}` means nothing to algorithm = \"{name}\"");
            conflict(place, message, format!("belongs to {}", owners.join(", ")), diagnostics);
        }
    }
}
