//! What all-gathers, rings and discoveries are held to alike: lists without repetition, and no other work with them.

use simnet_base::diagnostics::{Fault, quoted};

use super::{conflict, out_of_range};
use crate::diagnostics::Diagnostics;
use crate::wire::{Document, Given, Located};

/// The most items of a list whose items are compared with each other.
const LONGEST_LIST: usize = 1000;

/// A list of at least one item; notes items that are there twice.
pub(super) fn each_once<T: Clone + PartialEq>(
    given: &Given<Vec<Located<T>>>,
    one: &str,
    show: impl Fn(&T) -> String,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Located<T>>> {
    let list = given.get()?;
    if list.value.is_empty() {
        let expected = format!("expected at least one {one}");
        diagnostics.add(list.place, |span| Fault::new("empty-list", span, "an empty list", expected));
        return None;
    }
    if list.value.len() > LONGEST_LIST {
        out_of_range(
            list.place,
            format!("a list of {} items", list.value.len()),
            format!("expected at most {LONGEST_LIST}"),
            diagnostics,
        );
        return None;
    }
    for (nth, item) in list.value.iter().enumerate() {
        if list.value[..nth].iter().any(|other| other.value == item.value) {
            let message = format!("the {one} {} twice", quoted(&show(&item.value)));
            conflict(item.place, message, "expected each once", diagnostics);
        }
    }
    Some(list.value.clone())
}

/// Notes sections that exclude the section `name`.
pub(super) fn alone(name: &str, document: &Document, diagnostics: &mut Diagnostics) {
    let failures = document.failures.get().filter(|list| !list.value.is_empty()).map(|list| list.place);
    let by_chance = document.failures_at_random.get().filter(|list| !list.value.is_empty());
    let others = [
        ("[mapping]", document.mapping.get().map(|at| at.place)),
        ("[traffic]", document.traffic.get().map(|at| at.place)),
        ("[operation]", document.operation.get().map(|at| at.place)),
        ("[allgather]", document.allgather.get().map(|at| at.place)),
        ("[rings]", document.rings.get().map(|at| at.place)),
        ("[discovery]", document.discovery.get().map(|at| at.place)),
        ("[[failures]]", failures),
        ("[[failures-at-random]]", by_chance.map(|list| list.place)),
    ];
    for (other, at) in others {
        if let Some(at) = at.filter(|_| other != name) {
            conflict(at, format!("{other} beside {name}"), format!("expected {name} alone"), diagnostics);
        }
    }
}
