//! Says once of all cables which rates a run takes where the network and `[fabric]` do not agree, or one is silent.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::LinkId;
use simnet_network::topology::{Link, Network};

use super::names;
use crate::checked::Checked;
use crate::diagnostics::Diagnostics;
use crate::fabric::has_exact_flit_time;
use crate::rates::{RateSource, Rates};
use crate::wire::Document;

/// How many cables a warning names.
const NAMED: usize = 3;

/// Warns of cables whose own rate is not the one of `[fabric]`, of those that give none where others do, and of rates
/// that are not exact. Costs O(links).
pub(super) fn check(checked: &Checked, document: &Document, diagnostics: &mut Diagnostics) {
    if !checked.uses_fabric() {
        return;
    }
    let (rates, network) = (checked.rates(), &checked.topology.network);
    differing(&rates, network, document, diagnostics);
    missing(&rates, network, document, diagnostics);
    inexact(network, document, diagnostics);
}

/// Cables that the network gives another rate than `[fabric]`.
fn differing(rates: &Rates, network: &Network, document: &Document, diagnostics: &mut Diagnostics) {
    let wire = document.fabric.value().and_then(|wire| wire.rate.get());
    let (Some((slowest, fastest)), Some(at), 1..) = (rates.range, wire, rates.differing) else { return };
    let (count, cables) = (rates.differing, rates.cables);
    let range = if slowest == fastest { slowest.to_string() } else { format!("{slowest} to {fastest}") };
    let named = named(network, |link| link.rate.is_some_and(|rate| rate != rates.usual));
    diagnostics.warn(at.place, |span| {
        let message = format!("{count} of {cables} cables have another rate in the network: {named}");
        let expected = match rates.others() {
            0 => format!("taken as the network gives them, {range}; {} is used for none", rates.usual),
            others => format!("taken as the network gives them, {range}; {} is for {others}", rates.usual),
        };
        Fault::new("rates-differ", span, message, expected)
    });
}

/// Cables without a rate where `[fabric]` is silent and the network gives others one.
fn missing(rates: &Rates, network: &Network, document: &Document, diagnostics: &mut Diagnostics) {
    let Some(own) = document.topology.get().map(|at| at.value.place) else { return };
    if rates.source != RateSource::Network || rates.others() == 0 {
        return;
    }
    let (count, cables, usual) = (rates.others(), rates.cables, rates.usual);
    let named = named(network, |link| link.rate.is_none());
    diagnostics.warn(own, |span| {
        let message = format!("{count} of {cables} cables have no rate in the network: {named}");
        let expected =
            format!("taken as {usual}, as most that have one; rate in [fabric] would say otherwise");
        Fault::new("rates-missing", span, message, expected)
    });
}

/// Cables of rates at which a flit takes no whole number of picoseconds.
fn inexact(network: &Network, document: &Document, diagnostics: &mut Diagnostics) {
    let Some(own) = document.topology.get().map(|at| at.value.place) else { return };
    let is_inexact = |link: &Link| link.rate.is_some_and(|rate| !has_exact_flit_time(rate));
    let (count, cables) =
        (network.links().iter().filter(|link| is_inexact(link)).count(), network.links().len());
    if count == 0 {
        return;
    }
    diagnostics.warn(own, |span| {
        let named = named(network, is_inexact);
        let message =
            format!("a flit takes no whole number of picoseconds on {count} of {cables} cables: {named}");
        Fault::new("inexact-rate", span, message, "taken as the next whole number")
    });
}

/// The first cables of a kind with their rates, and how many more there are.
fn named(network: &Network, wanted: impl Fn(&Link) -> bool) -> String {
    let links = || (0..network.links().len()).map(LinkId::new).filter(|link| wanted(network.link(*link)));
    let shown = |link: LinkId| {
        let rate = network.link(link).rate.map(|rate| format!(" ({rate})")).unwrap_or_default();
        format!("{}{rate}", names::link_name(network, link))
    };
    let first: Vec<String> = links().take(NAMED).map(shown).collect();
    match links().count() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
