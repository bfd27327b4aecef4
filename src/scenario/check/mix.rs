//! Several patterns at once: `[traffic.mix]`.

use simnet_base::diagnostics::Fault;
use simnet_media::traffic::{Members, NotAPowerOfTwo, PARTS, Pattern};

use super::traffic::{hot_hosts, not_a_power_of_two, permutation};
use super::{conflict, out_of_range, sizes};
use crate::checked::Topology;
use crate::diagnostics::{Diagnostics, Place};
use crate::wire::{Located, Mix, Part, PartPattern};

/// The mix; every pattern of it is judged.
pub(super) fn build(
    wire: &Mix,
    topology: &Topology,
    seed: Option<u64>,
    diagnostics: &mut Diagnostics,
) -> Option<Pattern> {
    let list = wire.parts.get()?;
    if list.value.len() < 2 {
        diagnostics.add(list.place, |span| {
            let expected = "expected two patterns or more; one alone has a section of its own";
            Fault::new("empty-list", span, "no mix of several patterns", expected)
        });
    }
    let made: Vec<Option<(u64, Pattern)>> =
        list.value.iter().map(|part| one(part, topology, seed, diagnostics)).collect();
    let made: Vec<(u64, Pattern)> = made.into_iter().collect::<Option<_>>()?;
    check_shares(&made, list.place, diagnostics);
    (!made.is_empty()).then(|| Pattern::mix(made))
}

/// Notes shares that do not make the whole, but for what rounding them may cost.
fn check_shares(parts: &[(u64, Pattern)], place: Place, diagnostics: &mut Diagnostics) {
    let all: u64 = parts.iter().map(|(share, _)| share).sum();
    if all.abs_diff(PARTS) > parts.len() as u64 {
        let message = format!("the shares make {} %", all as f64 / PARTS as f64 * 100.0);
        out_of_range(place, message, "expected shares that make 100 %", diagnostics);
    }
}

/// A pattern with its share.
fn one(
    part: &Located<Part>,
    topology: &Topology,
    seed: Option<u64>,
    diagnostics: &mut Diagnostics,
) -> Option<(u64, Pattern)> {
    let (place, wire) = (part.place, &part.value);
    let (share, pattern) = (wire.share.value(), wire.pattern.get());
    if let Some(pattern) = pattern {
        check_keys(wire, pattern.value, place, diagnostics);
    }
    let pattern = pattern?;
    let members = Members::new(topology.attachments.iter().map(Option::is_some));
    let of_bits = |made: Result<Pattern, NotAPowerOfTwo>, diagnostics: &mut Diagnostics| {
        made.map_err(|NotAPowerOfTwo { hosts }| not_a_power_of_two(hosts, pattern.place, diagnostics)).ok()
    };
    let made = match pattern.value {
        PartPattern::Uniform => Some(Pattern::uniform(members)),
        PartPattern::BitReversal => of_bits(Pattern::bit_reversal(members), diagnostics),
        PartPattern::Transpose => of_bits(Pattern::transpose(members), diagnostics),
        PartPattern::HotSpot => {
            let hot = wire.hosts.get().map(|list| hot_hosts(list, topology, diagnostics));
            hot.map(|hot| Pattern::hot_spot(members, hot, PARTS))
        }
        PartPattern::Permutation => permutation(&wire.pairs, topology, members, seed, diagnostics),
        PartPattern::NearestNeighbours => {
            Some(Pattern::nearest_neighbours(&topology.network, &topology.attachments))
        }
    };
    Some((sizes::parts(*share?), made?))
}

/// Notes a key that the pattern lacks, or that means nothing to it.
fn check_keys(wire: &Part, pattern: PartPattern, place: Place, diagnostics: &mut Diagnostics) {
    if pattern == PartPattern::HotSpot && wire.hosts.is_absent() {
        diagnostics.add(place, |span| {
            let message = "the key `hosts` is missing from [[traffic.mix.parts]]";
            Fault::new("missing-key", span, message, "needs `hosts`, the hot hosts")
        });
    }
    if let (Some(hosts), false) = (wire.hosts.get(), pattern == PartPattern::HotSpot) {
        conflict(
            hosts.place,
            "`hosts` means nothing to this pattern",
            "belongs to \"hot-spot\"",
            diagnostics,
        );
    }
    if let (Some(pairs), false) = (wire.pairs.get(), pattern == PartPattern::Permutation) {
        conflict(
            pairs.place,
            "`pairs` means nothing to this pattern",
            "belongs to \"permutation\"",
            diagnostics,
        );
    }
}
