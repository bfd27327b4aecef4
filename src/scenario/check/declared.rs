//! Checks the declaration alone: how large its networks are, so that none too large is built.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_media::ethernet;
use simnet_network::routing::TableTooLarge;
use simnet_network::topology::generate::{self, Size};
use simnet_network::topology::presets;

use super::allgather::MOST_RANKS;
use super::discovery::MOST_MACHINES;
use super::out_of_range;
use crate::cost::{Estimate, MOST_MEMORY};
use crate::diagnostics::{Diagnostics, Place};
use crate::wire::{self, Document, Generator};

/// A network, as it is declared.
pub(crate) struct RequestedNetwork {
    /// Where.
    place: Place,
    /// What it is called in messages.
    name: String,
    /// How large it is; none where that needs a file.
    pub(crate) size: Option<Size>,
}

/// The network that a scenario asks for, if it does.
pub(crate) fn requested(document: &Document) -> Option<RequestedNetwork> {
    document.topology.value().map(RequestedNetwork::new)
}

impl RequestedNetwork {
    fn new(wire: &wire::Topology) -> RequestedNetwork {
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
        RequestedNetwork { place: wire.place, name, size }
    }
}

/// What a generated network is called: the family, its first parameter, and the seed where chance had a part.
fn name_of(generator: &Generator) -> String {
    let first = generator.family.parameters.first();
    let given =
        |name: &str| generator.parameters.iter().find(|(other, _)| *other == name).map(|(_, at)| at.value);
    let first = first.and_then(|first| given(first.name).or(first.default));
    let seed = generator.family.random.then(|| generator.seed.unwrap_or(0));
    let numbers = first.into_iter().chain(seed).map(|number| number.to_string());
    std::iter::once(generator.family.name.to_owned()).chain(numbers).collect::<Vec<_>>().join("-")
}

/// Whether the network that a scenario asks for may be built; notes one that is too large for what it does with it, or
/// for memory.
pub(super) fn check(document: &Document, diagnostics: &mut Diagnostics) -> bool {
    let before = diagnostics.noted();
    if let Some(requested) = requested(document) {
        if let Some(size) = requested.size {
            check_size(document, &requested, size, diagnostics);
        }
        if diagnostics.noted() == before {
            check_memory(document, requested.place, diagnostics);
        }
    }
    diagnostics.noted() == before
}

fn check_size(document: &Document, requested: &RequestedNetwork, size: Size, diagnostics: &mut Diagnostics) {
    let name = quoted(&requested.name);
    if let Some(allgather) = document.allgather.value() {
        let each = u64::from(allgather.ranks_per_machine.value().copied().unwrap_or(1));
        let ranks = size.hosts.saturating_mul(each);
        if ranks > MOST_RANKS {
            let expected = format!("expected at most {MOST_RANKS} ranks");
            out_of_range(requested.place, format!("{ranks} ranks on {name}"), expected, diagnostics);
            return;
        }
    }
    let discovery = document.discovery.value().filter(|discovery| discovery.matrix.is_absent());
    if discovery.is_some() && size.hosts > MOST_MACHINES as u64 {
        let expected = format!("expected at most {MOST_MACHINES}: each measures with each");
        out_of_range(requested.place, format!("{} machines on {name}", size.hosts), expected, diagnostics);
        return;
    }
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let has_frames = document.ethernet.value().is_some();
    if has_frames && let Err(error) = ethernet::check_size(count(size.switches), count(size.hosts)) {
        too_large(requested.place, error.to_string(), "expected fewer switches, or fewer hosts", diagnostics);
    } else if has_routes(document)
        && let Err(error) = TableTooLarge::unless_held(count(size.hosts))
    {
        too_large(requested.place, error.to_string(), "expected fewer hosts", diagnostics);
    }
}

/// Whether routes between all hosts are computed.
fn has_routes(document: &Document) -> bool {
    let routing = document.routing.value().is_some_and(|routing| !routing.algorithm.is_absent());
    routing && document.allgather.is_absent()
}

fn too_large(place: Place, message: String, expected: &'static str, diagnostics: &mut Diagnostics) {
    diagnostics.add(place, |span| Fault::new("too-large", span, message, expected));
}

/// Notes a network with which all that a scenario asks for would not fit into memory.
fn check_memory(document: &Document, place: Place, diagnostics: &mut Diagnostics) {
    let estimate = Estimate::declared(document);
    if estimate.memory_bytes > MOST_MEMORY {
        let gib = |bytes: u64| bytes.div_ceil(1 << 30);
        let (needed, most) = (gib(estimate.memory_bytes), gib(MOST_MEMORY));
        let message = format!("this scenario would take about {needed} GiB of memory");
        let expected = format!("expected at most {most} GiB: fewer switches, ports or hosts");
        diagnostics.add(place, |span| Fault::new("too-large", span, message, expected));
    }
}
