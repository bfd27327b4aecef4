//! What a point is known by: the hash of its canonical scenario, made from templates with holes, so that a point
//! costs a few hashes and no reading.
//!
//! ```text
//!   tree of the base, holes where axes put values --canonical--> sections: bytes | holes | bytes
//!   point: digest of every section, those with holes filled --> key
//! ```

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::axes::Axis;
use super::vary::Draws;
use crate::diagnostics::Diagnostics;
use crate::layers::{find, take};
use crate::seeds::Chance;
use crate::tree::{Item, Value, default_item};
use crate::wire::{Canonical, Document, Gap, Presence, key_of};

/// What keys begin with: the version of their form.
const FORM: &[u8] = b"simnet point 1\n";

/// The sections that a key does not see.
const LEFT_OUT: [&str; 6] = ["include", "profile", "profiles", "scenario", "sweep", "expect"];

/// After so many faults of a piece of work, values are no longer read.
const MOST_FAULTS: usize = 100;

/// How many values are written in one piece of work.
const CHUNK: usize = 4096;

/// What a scenario says, however it is written: the digests of its sections in canonical form, defaults filled in and
/// files by their contents. Name, description, seed and expectations are left out; empty for a scenario that no file
/// holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    digests: Vec<u8>,
}

impl Identity {
    /// That of a scenario's tree.
    pub(crate) fn of(root: Item, diagnostics: &mut Diagnostics) -> Identity {
        Template::new(root, &[], &[], None, diagnostics).identity(&[])
    }

    /// What a run is known by, with this version of the model, whole or in its small form, and with this seed.
    pub fn key(&self, model: u32, quick: bool, seed: u64) -> blake3::Hash {
        self.key_with(model, quick, seed, &[])
    }

    /// The same of a run some of whose parts have other seeds.
    pub(super) fn key_with(
        &self,
        model: u32,
        quick: bool,
        seed: u64,
        others: &[(Chance, u64)],
    ) -> blake3::Hash {
        let mut whole: Vec<u8> = Vec::with_capacity(64 + self.digests.len());
        whole.extend_from_slice(FORM);
        whole.extend_from_slice(&model.to_le_bytes());
        whole.push(u8::from(quick));
        whole.extend_from_slice(&seed.to_le_bytes());
        whole.extend_from_slice(&self.digests);
        for (part, seed) in others {
            whole.push(*part as u8);
            whole.extend_from_slice(&seed.to_le_bytes());
        }
        blake3::hash(&whole)
    }
}

/// The canonical scenario of all points that differ in holes only.
#[derive(Debug)]
pub(super) struct Template {
    sections: Vec<Section>,
    /// Where the scenario's seed comes from.
    seed: Seed,
    /// The keys that decide which parts are drawn with the seeds of the run.
    draws: Draws,
}

/// The seed of the scenario, without repetitions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seed {
    Fixed(u64),
    /// The key of an axis.
    Varied {
        axis: usize,
        key: usize,
    },
}

#[derive(Debug)]
enum Section {
    Fixed(blake3::Hash),
    /// A digest for every position of an axis.
    OneAxis {
        axis: usize,
        digests: Vec<blake3::Hash>,
    },
    /// Pieces of bytes, each followed by a hole but for the last.
    Several {
        pieces: Vec<Vec<u8>>,
        fillings: Vec<Filling>,
    },
}

/// What fills a hole at every position of its axis.
#[derive(Debug)]
struct Filling {
    axis: usize,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Filling {
    fn at(&self, position: usize) -> &[u8] {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[position]]
    }
}

/// Which key of which axis fills each hole.
pub(super) type Holes = [(usize, usize)];

impl Template {
    /// Makes the template of a tree with holes; the values that fill them are read too, and their faults noted.
    pub(super) fn new(
        mut root: Item,
        axes: &[Axis],
        holes: &Holes,
        seed: Option<u64>,
        diagnostics: &mut Diagnostics,
    ) -> Template {
        let seed = seed.map_or_else(|| seed_of(&root, holes), Seed::Fixed);
        let draws = Draws::of(&root);
        let mut sections = Vec::new();
        for key in Document::keys() {
            let name = key_of(key.field);
            if LEFT_OUT.contains(&name.as_str()) {
                take(&mut root, &name);
                continue;
            }
            let mut given = take(&mut root, &name).map(|entry| entry.item);
            if name == "output" {
                // No number of a point depends on what is recorded of it.
                given.as_mut().and_then(|output| take(output, "events"));
            }
            let item = given.or_else(|| match key.presence {
                Presence::Default(text) => Some(default_item(text, root.place)),
                _ => None,
            });
            let mut canonical = Canonical::new(diagnostics);
            canonical.bytes.extend_from_slice(name.as_bytes());
            canonical.bytes.push(b'=');
            if let Some(item) = item {
                (key.put)(&item, &mut canonical);
            }
            let (bytes, gaps) = (canonical.bytes, canonical.holes);
            sections.push(section(&bytes, &gaps, axes, holes, diagnostics));
        }
        // Keys that mean nothing have been noted, or will be.
        let mut rest = Canonical::new(diagnostics);
        rest.rest(&root);
        sections.push(Section::Fixed(blake3::hash(&rest.bytes)));
        Template { sections, seed, draws }
    }

    /// The keys that decide which parts are drawn with the seeds of the run.
    pub(super) fn draws(&self) -> &Draws {
        &self.draws
    }

    /// The scenario's seed at a point.
    pub(super) fn seed(&self, axes: &[Axis], digits: &[usize]) -> u64 {
        match self.seed {
            Seed::Fixed(seed) => seed,
            Seed::Varied { axis, key } => match axes[axis].item(key, digits[axis]).value {
                Value::Integer(Some(seed)) => u64::try_from(seed).unwrap_or_default(),
                _ => 0,
            },
        }
    }

    /// What the point says where the axes stand at `digits`.
    pub(super) fn identity(&self, digits: &[usize]) -> Identity {
        let mut digests = Vec::with_capacity(32 * self.sections.len());
        let mut filled = Vec::new();
        for section in &self.sections {
            let digest = match section {
                Section::Fixed(digest) => *digest,
                Section::OneAxis { axis, digests } => digests[digits[*axis]],
                Section::Several { pieces, fillings } => {
                    filled.clear();
                    for (piece, filling) in pieces.iter().zip(fillings) {
                        filled.extend_from_slice(piece);
                        filled.extend_from_slice(filling.at(digits[filling.axis]));
                    }
                    filled.extend_from_slice(&pieces[fillings.len()]);
                    blake3::hash(&filled)
                }
            };
            digests.extend_from_slice(digest.as_bytes());
        }
        Identity { digests }
    }
}

/// The section whose bytes have these gaps.
fn section(
    bytes: &[u8],
    gaps: &[Gap],
    axes: &[Axis],
    holes: &Holes,
    diagnostics: &mut Diagnostics,
) -> Section {
    let Some(first) = gaps.first() else { return Section::Fixed(blake3::hash(bytes)) };
    let ends = gaps.iter().map(|gap| gap.at).chain([bytes.len()]);
    let mut start = 0;
    let pieces: Vec<Vec<u8>> =
        ends.map(|end| bytes[std::mem::replace(&mut start, end)..end].to_vec()).collect();
    let fillings: Vec<Filling> = gaps.iter().map(|gap| filling(gap, axes, holes, diagnostics)).collect();
    let (axis, _) = holes[first.hole];
    if fillings.iter().any(|filling| filling.axis != axis) {
        return Section::Several { pieces, fillings };
    }
    let digest = |position: usize| digest_at(&pieces, &fillings, position);
    let digests = (0..axes[axis].len()).into_par_iter().with_min_len(CHUNK).map(digest).collect();
    Section::OneAxis { axis, digests }
}

/// The digest of a section whose gaps are filled as at a position of its axis.
fn digest_at(pieces: &[Vec<u8>], fillings: &[Filling], position: usize) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for (piece, filling) in pieces.iter().zip(fillings) {
        hasher.update(piece).update(filling.at(position));
    }
    hasher.update(&pieces[fillings.len()]);
    hasher.finalize()
}

/// Writes what fills a gap at some positions of its axis: the bytes, where each filling ends, and the faults.
fn fillings_of(
    gap: &Gap,
    axis: &Axis,
    key: usize,
    positions: Range<usize>,
    diagnostics: &Diagnostics,
) -> (Vec<u8>, Vec<usize>, Diagnostics) {
    let mut faults = diagnostics.empty_copy();
    let mut canonical = Canonical::new(diagnostics);
    let mut ends = Vec::with_capacity(positions.len());
    for position in positions {
        let item = axis.item(key, position);
        if faults.noted() < MOST_FAULTS {
            (gap.read)(&item, &mut faults);
        }
        (gap.put)(&item, &mut canonical);
        ends.push(canonical.bytes.len());
    }
    (canonical.bytes, ends, faults)
}

/// Writes what fills a gap at every position of its axis, and reads it for its faults.
fn filling(gap: &Gap, axes: &[Axis], holes: &Holes, diagnostics: &mut Diagnostics) -> Filling {
    let (axis, key) = holes[gap.hole];
    let length = axes[axis].len();
    let chunks: Vec<Range<usize>> =
        (0..length).step_by(CHUNK).map(|start| start..(start + CHUNK).min(length)).collect();
    let written: Vec<(Vec<u8>, Vec<usize>, Diagnostics)> = chunks
        .into_par_iter()
        .map(|positions| fillings_of(gap, &axes[axis], key, positions, diagnostics))
        .collect();
    let mut filling = Filling { axis, bytes: Vec::new(), ends: Vec::with_capacity(length) };
    for (bytes, ends, faults) in written {
        let before = filling.bytes.len();
        filling.bytes.extend(bytes);
        filling.ends.extend(ends.into_iter().map(|end| before + end));
        diagnostics.absorb(faults);
    }
    filling
}

fn seed_of(root: &Item, holes: &Holes) -> Seed {
    let seed = find(root, "scenario").and_then(|scenario| find(scenario, "seed"));
    match seed.map(|item| &item.value) {
        Some(Value::Hole(hole)) => {
            let (axis, key) = holes[*hole];
            Seed::Varied { axis, key }
        }
        Some(Value::Integer(Some(seed))) => Seed::Fixed(u64::try_from(*seed).unwrap_or_default()),
        _ => Seed::Fixed(0),
    }
}

/// The templates of a sweep: one for every combination of the axes that change more than what fills a hole.
#[derive(Debug)]
pub(super) struct Templates {
    /// Those axes.
    structural: Vec<usize>,
    made: Vec<OnceLock<Template>>,
}

/// The most templates that are kept.
const MOST_KEPT: usize = 4096;

impl Templates {
    /// Room for the templates of these axes.
    pub(super) fn new(structural: Vec<usize>, axes: &[Axis]) -> Templates {
        let lengths = structural.iter().map(|axis| axes[*axis].len());
        let count = lengths.fold(1_usize, usize::saturating_mul);
        let made = (0..if count <= MOST_KEPT { count } else { 0 }).map(|_| OnceLock::new()).collect();
        Templates { structural, made }
    }

    /// Does something with the template of a point, which is made where it was not yet.
    pub(super) fn with<T>(
        &self,
        axes: &[Axis],
        digits: &[usize],
        make: impl Fn() -> Template,
        then: impl FnOnce(&Template) -> T,
    ) -> T {
        let at = self
            .structural
            .iter()
            .fold(0_usize, |at, axis| at.saturating_mul(axes[*axis].len()).saturating_add(digits[*axis]));
        let Some(place) = self.made.get(at) else { return then(&make()) };
        if let Some(made) = place.get() {
            return then(made);
        }
        // Not made within the lock: making one uses all cores, and a thread that helps may want the same one.
        let made = make();
        then(place.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::sweep::Sweep;
    use crate::{Overrides, read};

    /// A scenario of three hosts that send, or gather on an Ethernet, with further lines.
    fn text(lines: &str) -> String {
        let work = match lines.contains("ethernet") {
            true => "allgather = { algorithm = 'ring', size = '1 KiB' }",
            false => "routing.algorithm = 'updown'\ntraffic.uniform = { payload = '512 B', loads = [0.002] }",
        };
        format!(
            "scenario.name = 'x'\ntopology.chain = {{ switches = 1, hosts-per-switch = 3 }}\n{work}\n{lines}"
        )
    }

    /// A sweep of it.
    fn sweep(lines: &str) -> Sweep {
        Sweep::read("x.toml", text(lines).as_bytes(), &Overrides::default(), &Files::disk(), 1)
            .unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    /// The first digits of what the points of a sweep are known by of a section.
    fn digests(lines: &str, section: &str) -> Vec<String> {
        let keys = Document::keys().into_iter().map(|key| key_of(key.field));
        let nth = keys.filter(|name| !LEFT_OUT.contains(&name.as_str())).position(|name| name == section);
        let at = 32 * nth.unwrap();
        let sweep = sweep(lines);
        let identity = |digits: &[usize]| sweep.with_template(digits, |template| template.identity(digits));
        let digest = |point| identity(&sweep.digits(point)).digests[at..at + 4].to_vec();
        (0..sweep.len())
            .map(|point| digest(point).iter().map(|byte| format!("{byte:02x}")).collect())
            .collect()
    }

    /// Wrong if points that were known before are known otherwise now: they would be computed again. Whoever adds a key
    /// with a default to one of the two sections, or changes one, pins what comes out here.
    #[test]
    fn points_stay_what_they_were_known_by() {
        let presets = "[[sweep.axes]]\nfabric.preset = ['infiniband-ndr', 'myrinet-1997']";
        let mtus = "[[sweep.axes]]\nethernet.mtu = ['1500 B', '9000 B']";
        let gos = "[[sweep.axes]]\nfabric.go = ['30 B', '40 B']";
        for (lines, section, expected) in [
            (presets.to_owned(), "fabric", ["5c0b1fe5", "e60d2174"]),
            (format!("fabric.rate = '2 Gb/s'\n{presets}"), "fabric", ["d9b2a5e3", "7c50b82f"]),
            (format!("fabric.preset = 'infiniband-ndr'\n{gos}"), "fabric", ["7c6f4ed6", "883e71b3"]),
            (gos.to_owned(), "fabric", ["b134b94b", "c8d414a1"]),
            (mtus.to_owned(), "ethernet", ["d9e4e25b", "94d675c5"]),
            (format!("ethernet.preset = 'roce-64x100g'\n{mtus}"), "ethernet", ["7eeabf22", "22245da3"]),
        ] {
            assert_eq!(digests(&lines, section), expected, "{lines}");
        }
    }

    /// Presets of sections, and what may be said beside each: what holds without a preset.
    const BESIDE: [(&str, &str, &str); 6] = [
        ("ethernet", "roce-64x100g", "flow = 'none'"),
        ("ethernet", "roce-64x100g", "rate = '100 Mb/s'"),
        ("ethernet", "roce-64x100g", "switch-latency = '0 ns'"),
        ("fabric", "infiniband-ndr", "rate = '1.28 Gb/s'"),
        ("fabric", "infiniband-ndr", "go = '40 B'"),
        ("fabric", "infiniband-ndr", "arbitration = 'serial'"),
    ];

    /// What the only point of a sweep over a preset is known by.
    fn swept(section: &str, preset: &str, beside: &str) -> blake3::Hash {
        sweep(&format!("{section} = {{ {beside} }}\n[[sweep.axes]]\n{section}.preset = ['{preset}']")).key(0)
    }

    /// Wrong if a point whose preset an axis names were known as one that overrides the preset, with what stands for
    /// the key where there is no preset.
    #[test]
    fn what_overrides_the_preset_of_an_axis_is_known() {
        for (section, preset, beside) in BESIDE {
            assert_ne!(swept(section, preset, ""), swept(section, preset, beside), "{section}: {beside}");
        }
    }

    /// Wrong if a point whose preset an axis names were not known as the scenario that names it itself.
    #[test]
    fn a_preset_of_an_axis_is_known_as_that_of_a_scenario() {
        for (section, preset, beside) in BESIDE {
            let text = text(&format!("{section} = {{ preset = '{preset}', {beside} }}"));
            let run = read("x.toml", text.as_bytes(), &Overrides::default());
            let run = run.unwrap_or_else(|refusal| panic!("{refusal}"));
            let own = run.identity.key(1, false, run.seed);
            assert_eq!(swept(section, preset, beside), own, "{section}: {beside}");
        }
    }
}
