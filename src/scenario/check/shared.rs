//! What collective operations, rings and discoveries look up alike: names in lists, printed numbers, networks.

use crate::diagnostics::{Fault, quoted};
use crate::papers;

use super::super::book::{Book, Place};
use super::super::checked::{Topology, TopologySource};
use super::super::printed::PaperNumber;
use super::super::wire::{self, At, Document, Given, PrintedName};
use super::{conflict, out_of_range, topology};

/// The most networks that one generator makes.
pub(super) const MOST_INSTANCES: u32 = 1000;

/// The most items of a list whose items are compared with each other.
const LONGEST_LIST: usize = 1000;

/// What a list of named things is about, for messages.
#[derive(Clone, Copy)]
pub(super) struct About {
    /// One of them: `routing`.
    pub(super) one: &'static str,
    /// Several of them: `routings`.
    pub(super) several: &'static str,
    /// The code of the fault of an unknown one.
    pub(super) code: &'static str,
}

/// Networks, in messages.
pub(super) const NETWORKS: About = About { one: "network", several: "networks", code: "unknown-network" };

/// The position of a name among `all`.
pub(super) fn position<'a>(
    name: &At<String>,
    all: impl Iterator<Item = &'a str> + Clone,
    about: About,
    book: &mut Book,
) -> Option<usize> {
    let found = all.clone().position(|other| other == name.value);
    if found.is_none() {
        book.add(name.place, |span| {
            let message = format!("no {} is called `{}`", about.one, quoted(&name.value));
            let expected = format!("expected the name of one of the {}", about.several);
            Fault::new(about.code, span, message, expected).with_nearest(&name.value, all)
        });
    }
    found
}

/// The name of a figure, fit for a file.
pub(in super::super) fn figure_name(name: &At<String>, book: &mut Book) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.value.chars().all(fits) && name.value.len() <= 100 {
        return Some(name.value.clone());
    }
    book.add(name.place, |span| {
        let message = format!("`{}` cannot name a figure", quoted(&name.value));
        Fault::new("bad-name", span, message, "expected letters, digits, `-` and `_`, at most 100")
    });
    None
}

/// Whether a name is one of those that the papers' table has there; notes it if not.
pub(in super::super) fn is_printed(
    name: &At<String>,
    what: &str,
    choices: &[String],
    book: &mut Book,
) -> bool {
    if choices.contains(&name.value) {
        return true;
    }
    book.add(name.place, |span| {
        let message = format!("no such {what} in the numbers of the papers");
        let expected = match choices {
            few if few.len() <= 8 => format!("expected one of {}", few.join(", ")),
            many => format!("expected one of {} in src/papers/reference.csv", many.len()),
        };
        Fault::new("unknown-reference", span, message, expected)
            .with_nearest(&name.value, choices.iter().map(String::as_str))
    });
    false
}

/// What the paper prints; the first name that leads nowhere is the fault.
pub(super) fn printed(wire: &PrintedName, book: &mut Book) -> Option<PaperNumber> {
    let row = [&wire.paper, &wire.figure, &wire.quantity, &wire.configuration];
    let row: Vec<&At<String>> = row.into_iter().map(Given::get).collect::<Option<_>>()?;
    for column in 0..row.len() {
        let before: Vec<&str> = row[..column].iter().map(|at| at.value.as_str()).collect();
        let what = ["paper", "figure", "quantity", "configuration"][column];
        if !is_printed(row[column], what, &papers::choices(&before), book) {
            return None;
        }
    }
    let [paper, figure, quantity, configuration] = [0, 1, 2, 3].map(|nth| row[nth].value.as_str());
    let Some(printed) = papers::printed(paper, figure, quantity, configuration) else {
        book.add(row[3].place, |span| {
            Fault::new("unknown-reference", span, "the paper gives no number there", "expected a number")
        });
        return None;
    };
    Some(PaperNumber { names: [paper, figure, quantity, configuration].map(str::to_owned), printed })
}

/// How many networks a generator makes, if that is not out of range.
pub(super) fn instances(given: &Given<u32>, book: &mut Book) -> Option<u32> {
    let instances = given.get()?;
    if (1..=MOST_INSTANCES).contains(&instances.value) {
        return Some(instances.value);
    }
    out_of_range(instances.place, "out of range", format!("expected 1 to {MOST_INSTANCES}"), book);
    None
}

/// A scenario's own network and the further ones of a section, each with the place that asks for it and a name of
/// its own; each generator with a seed makes `instances`, with its seed and those after it.
pub(super) fn networks(
    own: (&wire::Topology, Option<&Topology>),
    others: &[At<wire::Topology>],
    instances: u32,
    book: &mut Book,
) -> Option<Vec<(String, Place, Topology)>> {
    let mut built: Vec<(Place, Topology)> = Vec::new();
    let others = others.iter().map(|at| &at.value);
    for (nth, asked) in std::iter::once(own.0).chain(others).enumerate() {
        let first = if nth == 0 { own.1.cloned() } else { topology::build(asked, book) };
        built.push((asked.place, first?));
        built.extend(further(asked, instances, book)?.into_iter().map(|next| (asked.place, next)));
    }
    let mut named: Vec<(String, Place, Topology)> = Vec::new();
    for (place, topology) in built {
        let name = unused(&own_name(&topology), &named);
        named.push((name, place, topology));
    }
    Some(named)
}

/// The later instances of a generated network.
fn further(asked: &wire::Topology, instances: u32, book: &mut Book) -> Option<Vec<Topology>> {
    let generator = asked.generators.first().and_then(|at| at.value.as_ref());
    if generator.is_none_or(|generator| !generator.family.random) {
        return Some(Vec::new());
    }
    let later = (1..u64::from(instances)).map(|offset| {
        let mut varied = asked.clone();
        for generator in varied.generators.iter_mut().filter_map(|at| at.value.as_mut()) {
            generator.seed = generator.seed.saturating_add(offset);
        }
        topology::build(&varied, book)
    });
    later.collect()
}

/// What a network is called: the preset, or its own name; of generated ones the family, its first parameter, and
/// the seed where chance had a part.
fn own_name(topology: &Topology) -> String {
    let plain = topology.network.name.replace('.', "-");
    match &topology.source {
        TopologySource::Generated { family, parameters } => {
            let first = parameters.first().map(|(_, size)| size);
            let seed = parameters.iter().find(|(name, _)| name == "seed").map(|(_, seed)| seed);
            let parts = first.into_iter().chain(seed).map(ToString::to_string);
            std::iter::once(family.clone()).chain(parts).collect::<Vec<_>>().join("-")
        }
        _ => plain,
    }
}

/// `name`, with a number behind it if another network has it.
fn unused(name: &str, named: &[(String, Place, Topology)]) -> String {
    let is_free = |name: &str| named.iter().all(|(other, ..)| other != name);
    let numbered = (2..).map(|nth| format!("{name}-{nth}"));
    let mut all = std::iter::once(name.to_owned()).chain(numbered);
    all.find(|name| is_free(name)).expect("there are more numbers than networks")
}
/// A list of which at least one item is asked; notes items that are there twice.
pub(super) fn each_once<T: Clone + PartialEq>(
    given: &Given<Vec<At<T>>>,
    one: &str,
    show: impl Fn(&T) -> String,
    book: &mut Book,
) -> Option<Vec<At<T>>> {
    let list = given.get()?;
    if list.value.is_empty() {
        let expected = format!("expected at least one {one}");
        book.add(list.place, |span| Fault::new("empty-list", span, "an empty list", expected));
        return None;
    }
    if list.value.len() > LONGEST_LIST {
        out_of_range(
            list.place,
            format!("a list of {} items", list.value.len()),
            format!("expected at most {LONGEST_LIST}"),
            book,
        );
        return None;
    }
    for (nth, item) in list.value.iter().enumerate() {
        if list.value[..nth].iter().any(|other| other.value == item.value) {
            let message = format!("the {one} {} twice", quoted(&show(&item.value)));
            conflict(item.place, message, "expected each once", book);
        }
    }
    Some(list.value.clone())
}

/// What is given, if it is among `all`; `None` after a fault, `Some(None)` if nothing is given.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
pub(super) fn among<T: Copy + PartialEq, S: std::fmt::Display>(
    given: &Given<T>,
    all: &[T],
    one: &str,
    show: impl Fn(T) -> S,
    book: &mut Book,
) -> Option<Option<T>> {
    let at = match given {
        Given::Absent => return Some(None),
        Given::Faulty => return None,
        Given::Is(at) => at,
    };
    if all.contains(&at.value) {
        return Some(Some(at.value));
    }
    let listed = all.iter().take(LISTED).map(|item| show(*item).to_string()).collect::<Vec<_>>().join(", ");
    book.add(at.place, |span| {
        let message = format!("the {one} {} is none of those of this section", show(at.value));
        Fault::new("unknown-cell", span, message, format!("expected one of {listed}"))
    });
    None
}

/// How many items a message lists.
const LISTED: usize = 12;

/// Notes sections that cannot stand beside the section `name`.
pub(super) fn alone(name: &str, document: &Document, book: &mut Book) {
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
            conflict(at, format!("{other} beside {name}"), format!("expected {name} alone"), book);
        }
    }
}
