//! What a declaration alone tells: how large the networks are that it asks for, refused before any is built.

use crate::diagnostics::{Fault, quoted};
use crate::ethernet;
use crate::routing::TableTooLarge;
use crate::topology::generate::{self, Size};
use crate::topology::presets;

use super::super::book::{Book, Place};
use super::super::cost::{Estimate, MOST_MEMORY};
use super::super::wire::{self, Document, Generator};
use super::allgather::MOST_RANKS;
use super::discovery::MOST_MACHINES;
use super::out_of_range;

/// A network, as it is asked for.
pub(in super::super) struct Asked {
    /// Where.
    place: Place,
    /// What it is called in messages.
    name: String,
    /// How large it is; none where only a file tells.
    pub(in super::super) size: Option<Size>,
}

/// The network that a scenario asks for, if it does.
pub(in super::super) fn asked(document: &Document) -> Option<Asked> {
    document.topology.value().map(Asked::new)
}

impl Asked {
    fn new(wire: &wire::Topology) -> Asked {
        let generator = wire.generators.first().and_then(|at| at.value.as_ref());
        let preset = wire.plain.preset.value();
        let size = match (generator, preset) {
            (Some(generator), _) => {
                let given: Vec<_> = generator.parameters.iter().map(|(name, at)| (*name, at.value)).collect();
                generate::size(generator.family.name, &given).ok()
            }
            (None, Some(name)) => presets::load(name).map(|network| Size::of(&network)),
            (None, None) => None,
        };
        let name = generator.map(name_of);
        let name = name.or_else(|| preset.cloned()).unwrap_or_else(|| "the file".to_owned());
        Asked { place: wire.place, name, size }
    }
}

/// What a generated network is called: the family, its first parameter, and the seed where chance had a part.
fn name_of(generator: &Generator) -> String {
    let first = generator.family.parameters.first();
    let given =
        |name: &str| generator.parameters.iter().find(|(other, _)| *other == name).map(|(_, at)| at.value);
    let first = first.and_then(|first| given(first.name).or(first.default));
    let seed = generator.family.random.then_some(generator.seed);
    let numbers = first.into_iter().chain(seed).map(|number| number.to_string());
    std::iter::once(generator.family.name.to_owned()).chain(numbers).collect::<Vec<_>>().join("-")
}

/// Whether the network that a scenario asks for may be built; notes one that is too large for what it does with it, or
/// for memory.
pub(super) fn check(document: &Document, book: &mut Book) -> bool {
    let before = book.noted();
    if let Some(asked) = asked(document) {
        if let Some(size) = asked.size {
            check_size(document, &asked, size, book);
        }
        if book.noted() == before {
            check_memory(document, asked.place, book);
        }
    }
    book.noted() == before
}

fn check_size(document: &Document, asked: &Asked, size: Size, book: &mut Book) {
    let name = quoted(&asked.name);
    if let Some(allgather) = document.allgather.value() {
        let each = u64::from(allgather.ranks_per_machine.value().copied().unwrap_or(1));
        let ranks = size.hosts.saturating_mul(each);
        if ranks > MOST_RANKS {
            let expected = format!("expected at most {MOST_RANKS} ranks");
            out_of_range(asked.place, format!("{ranks} ranks on {name}"), expected, book);
            return;
        }
    }
    let discovery = document.discovery.value().filter(|discovery| discovery.matrix.is_absent());
    if discovery.is_some() && size.hosts > MOST_MACHINES as u64 {
        let expected = format!("expected at most {MOST_MACHINES}: each measures with each");
        out_of_range(asked.place, format!("{} machines on {name}", size.hosts), expected, book);
        return;
    }
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let has_frames = document.ethernet.value().is_some();
    if has_frames && let Err(error) = ethernet::check_size(count(size.switches), count(size.hosts)) {
        too_large(asked.place, error.to_string(), "expected fewer switches, or fewer hosts", book);
    } else if has_routes(document)
        && let Err(error) = TableTooLarge::unless_held(count(size.hosts))
    {
        too_large(asked.place, error.to_string(), "expected fewer hosts", book);
    }
}

/// Whether routes between all hosts are computed.
fn has_routes(document: &Document) -> bool {
    let routing = document.routing.value().is_some_and(|routing| !routing.algorithm.is_absent());
    routing && document.allgather.is_absent()
}

fn too_large(place: Place, message: String, expected: &'static str, book: &mut Book) {
    book.add(place, |span| Fault::new("too-large", span, message, expected));
}

/// Notes a network with which all that a scenario asks for would not fit into memory.
fn check_memory(document: &Document, place: Place, book: &mut Book) {
    let estimate = Estimate::declared(document);
    if estimate.memory_bytes > MOST_MEMORY {
        let gib = |bytes: u64| bytes.div_ceil(1 << 30);
        let (needed, most) = (gib(estimate.memory_bytes), gib(MOST_MEMORY));
        let message = format!("this scenario would take about {needed} GiB of memory");
        let expected = format!("expected at most {most} GiB: fewer switches, ports or hosts");
        book.add(place, |span| Fault::new("too-large", span, message, expected));
    }
}
