//! Printed numbers, and what of ours stands beside them.

use crate::diagnostics::Fault;

use super::super::super::book::{Book, Place};
use super::super::super::discovery::{Cell, Discovery, Method, Of, Quantity, Reference};
use super::super::super::wire::{self, At, Given};
use super::super::{conflict, quantity, shared};
use super::machine;

/// A printed number, found, and what stands beside it.
pub(super) fn reference(
    wire: &At<wire::DiscoveryReference>,
    discovery: &Discovery,
    book: &mut Book,
) -> Option<Reference> {
    let (place, wire) = (wire.place, &wire.value);
    let number = shared::printed(&wire.printed, book);
    let names = discovery.networks.iter().map(|network| network.name.as_str());
    let network = match &wire.network {
        Given::Absent => Some(0),
        given => given.get().and_then(|name| shared::position(name, names, shared::NETWORKS, book)),
    };
    let rate = match quantity(&wire.rate) {
        None if wire.rate.is_absent() => Some(discovery.rates.first().map(|_| 0)),
        None => None,
        Some(at) if discovery.rates.is_empty() => {
            conflict(at.place, "a rate where none varies", "needs `rates` in [discovery]", book);
            None
        }
        Some(at) => {
            let given = Given::Is(at);
            let found = shared::among(&given, &discovery.rates, "rate", |rate| rate, book).flatten();
            found.map(|found| discovery.rates.iter().position(|rate| *rate == found))
        }
    };
    let method = shared::among(&wire.method, &discovery.methods, "method", Method::name, book);
    let method = method.map(|method| {
        let position = |method| discovery.methods.iter().position(|other| *other == method);
        method.and_then(position).unwrap_or(0)
    });
    let measure = *wire.ours.value()?;
    let of = of(measure, wire, network?, place, discovery, book);
    let noise = discovery.noise_percent.iter().position(|percent| *percent == 100).unwrap_or(0);
    let cell = Cell { network: network?, rate: rate?, at_once: 0, noise };
    Some(Reference { number: number?, measure, of: of?, cell, method: method? })
}

/// Of what a quantity is taken.
fn of(
    measure: Quantity,
    wire: &wire::DiscoveryReference,
    network: usize,
    place: Place,
    discovery: &Discovery,
    book: &mut Book,
) -> Option<Of> {
    let network = &discovery.networks[network];
    let (of_pair, of_class) = match measure {
        Quantity::Rtt | Quantity::Hops => (true, false),
        Quantity::ClassLow | Quantity::ClassHigh => (false, true),
        _ => (false, false),
    };
    let mut sound = true;
    let keys = [
        ("from", of_pair, wire.from.get().map(|at| at.place), wire.from.is_absent()),
        ("to", of_pair, wire.to.get().map(|at| at.place), wire.to.is_absent()),
        ("class", of_class, wire.class.get().map(|at| at.place), wire.class.is_absent()),
    ];
    for (key, wanted, at, absent) in keys {
        if wanted && absent {
            sound = false;
            book.add(place, |span| {
                let message = format!("of which? there is no `{key}`");
                Fault::new("missing-key", span, message, format!("needs `{key}`"))
            });
        }
        if let (false, Some(at)) = (wanted, at) {
            sound = false;
            conflict(at, format!("a number that has no `{key}`"), format!("expected no `{key}`"), book);
        }
    }
    if !sound {
        return None;
    }
    if of_class {
        return wire.class.value().map(|class| Of::Class(*class as usize));
    }
    if !of_pair {
        return Some(Of::Cell);
    }
    let (from, to) = (wire.from.get()?, wire.to.get()?);
    let ends = (machine(from, network, book), machine(to, network, book));
    let (a, b) = (ends.0?, ends.1?);
    if a == b {
        conflict(to.place, "one machine twice", "expected two machines", book);
        return None;
    }
    Some(Of::Pair(a, b))
}
