//! Presets: what `preset` in `[fabric]` and in `[ethernet]` stands for.
//!
//! A preset gives keys of its section their values; keys that stand beside it, in whatever layer, override it. Which
//! keys of a section it may give, the section says: [`Presence::Preset`](super::wire::Presence). All presets are in one
//! list, [`PRESETS`], and whatever applies them, offers them or names one goes by it: a further one is an entry there.
//!
//! # Source
//! Every preset says which of its values are published, and where; what is not is marked as our assumption. Nobody
//! publishes the buffers and thresholds of a single port of a switch after Myrinet's. Ours are room for what
//! `stop` and `go` in `[fabric]` need over cables of 30 m, so that the flow neither overruns nor pauses. In the model a
//! unit that decodes heads takes one at a time and is busy for the whole routing latency, where recent switches begin
//! with the next before: short messages may saturate the model earlier. `simnet run --explain` says where that is so.

use simnet_base::units::{BitRate, Bytes, Unit as _};

use super::diagnostics::Place;
use super::tree::{Entry, Value};

/// A switch that is known by name: values of its section, as texts of the scenario language.
#[derive(Debug)]
pub(crate) struct Preset {
    /// What `preset` calls it.
    pub(crate) name: &'static str,
    /// The keys of its section that it gives, with their values in TOML.
    keys: &'static [(&'static str, &'static str)],
}

/// A section that has presets.
#[derive(Debug)]
pub(crate) struct Section {
    /// What messages call it.
    title: &'static str,
    /// Its presets, in the order in which they are offered.
    pub(crate) presets: &'static [Preset],
}

/// The position of `[fabric]` in [`PRESETS`].
pub(crate) const FABRIC: usize = 0;
/// The position of `[ethernet]` in [`PRESETS`].
pub(crate) const ETHERNET: usize = 1;

/// All presets, by section.
pub(crate) const PRESETS: [Section; 2] = [
    Section { title: "[fabric]", presets: GENERATIONS },
    Section { title: "[ethernet]", presets: ETHERNET_SWITCHES },
];

/// A preset of the section at a position in [`PRESETS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PresetOf<const SECTION: usize>(pub(crate) &'static Preset);

/// Generations of switches: presets of `[fabric]`.
const GENERATIONS: &[Preset] = &[
    // Myrinet in 1997, as in the Berkeley NOW.
    //
    // # Source
    // Rate 1.28 Gb/s and 108 bytes of buffer a port: Mainwaring et al. 1997, section 1.1. Routing latency 150 ns, one
    // header at a time: Sancho and Robles 2000, section 5.1 (the 550 ns of Mainwaring et al. are a worst case).
    // Assumed: STOP at 56 and GO at 40 bytes.
    Preset {
        name: "myrinet-1997",
        keys: &[
            ("rate", "'1.28 Gb/s'"),
            ("buffer", "'108 B'"),
            ("stop", "'56 B'"),
            ("go", "'40 B'"),
            ("routing-latency", "'150 ns'"),
            ("arbitration", "'serial'"),
        ],
    },
    // Myrinet-2000, as in Pink.
    //
    // # Source
    // Rate 2 Gb/s a direction: Myricom, Myrinet-2000 ("2+2 Gigabit/second links"). Assumed: all else is as in
    // 1997; Myricom prints 0.5 us for the circuits of two interfaces and one switch together.
    Preset {
        name: "myrinet-2000",
        keys: &[
            ("rate", "'2 Gb/s'"),
            ("buffer", "'108 B'"),
            ("stop", "'56 B'"),
            ("go", "'40 B'"),
            ("routing-latency", "'150 ns'"),
            ("arbitration", "'serial'"),
        ],
    },
    // InfiniBand FDR on four lanes.
    //
    // # Source
    // Rate 54.5 Gb/s, as ibnetdiscover's dumps have it: four lanes of 14.0625 Gb/s coded 64b/66b (InfiniBand
    // Architecture Specification, volume 2). Routing latency 170 ns: port to port, Mellanox, product brief of the
    // SX6036, as from memory. Assumed: buffer, STOP, GO, and a unit that decodes at every input.
    Preset {
        name: "infiniband-fdr",
        keys: &[
            ("rate", "'54545454545 b/s'"),
            ("buffer", "'48 KiB'"),
            ("stop", "'24 KiB'"),
            ("go", "'16 KiB'"),
            ("routing-latency", "'170 ns'"),
            ("arbitration", "'per-input'"),
        ],
    },
    // InfiniBand EDR on four lanes.
    //
    // # Source
    // Rate 100 Gb/s: four lanes of 25.78125 Gb/s coded 64b/66b (InfiniBand Architecture Specification, volume 2).
    // Routing latency 90 ns: port to port, Mellanox, product briefs of the SB7700 and SB7800. Assumed: buffer, STOP,
    // GO, and a unit that decodes at every input.
    Preset {
        name: "infiniband-edr",
        keys: &[
            ("rate", "'100 Gb/s'"),
            ("buffer", "'48 KiB'"),
            ("stop", "'24 KiB'"),
            ("go", "'16 KiB'"),
            ("routing-latency", "'90 ns'"),
            ("arbitration", "'per-input'"),
        ],
    },
    // InfiniBand HDR on four lanes.
    //
    // # Source
    // Rate 200 Gb/s: twice EDR (InfiniBand Architecture Specification, volume 2). Routing latency 130 ns: port to port,
    // Mellanox, product brief of the QM8700. Assumed: buffer, STOP, GO, and a unit that decodes at every input.
    Preset {
        name: "infiniband-hdr",
        keys: &[
            ("rate", "'200 Gb/s'"),
            ("buffer", "'48 KiB'"),
            ("stop", "'24 KiB'"),
            ("go", "'16 KiB'"),
            ("routing-latency", "'130 ns'"),
            ("arbitration", "'per-input'"),
        ],
    },
    // InfiniBand NDR on four lanes.
    //
    // # Source
    // Rate 400 Gb/s: NVIDIA, user manual of the QM97x0, and four times EDR as in ibnetdiscover's dumps. Assumed: the
    // routing latency, for which NVIDIA prints none, is HDR's 130 ns; buffer, STOP, GO, and a unit that decodes at
    // every input.
    Preset {
        name: "infiniband-ndr",
        keys: &[
            ("rate", "'400 Gb/s'"),
            ("buffer", "'48 KiB'"),
            ("stop", "'24 KiB'"),
            ("go", "'16 KiB'"),
            ("routing-latency", "'130 ns'"),
            ("arbitration", "'per-input'"),
        ],
    },
    // Gigabit Ethernet that cuts through and pauses its senders; stored and forwarded it is `[ethernet]`.
    //
    // # Source
    // Rate 1 Gb/s: IEEE 802.3, clause 34; that it pauses: annex 31B. Assumed: routing latency, buffer, STOP, GO, and a
    // unit that decodes at every input.
    Preset {
        name: "gigabit-ethernet",
        keys: &[
            ("rate", "'1 Gb/s'"),
            ("buffer", "'16 KiB'"),
            ("stop", "'8 KiB'"),
            ("go", "'4 KiB'"),
            ("routing-latency", "'1 us'"),
            ("arbitration", "'per-input'"),
        ],
    },
    // 100 Gigabit Ethernet that cuts through and pauses its senders.
    //
    // # Source
    // Rate 100 Gb/s: IEEE 802.3ba-2010. Routing latency 300 ns: of Mellanox Spectrum-2, Linley Newsletter, July 31,
    // 2017. Assumed: buffer (published is that a switch's ports share 16 MB), STOP, GO, and a unit that decodes at
    // every input.
    Preset {
        name: "100g-ethernet",
        keys: &[
            ("rate", "'100 Gb/s'"),
            ("buffer", "'48 KiB'"),
            ("stop", "'24 KiB'"),
            ("go", "'16 KiB'"),
            ("routing-latency", "'300 ns'"),
            ("arbitration", "'per-input'"),
        ],
    },
];

/// Switches of Ethernets: presets of `[ethernet]`.
const ETHERNET_SWITCHES: &[Preset] = &[
    // A switch with 64 ports of 100 Gb/s and Broadcom's Tomahawk 2, as SONiC sets it up for RoCE.
    //
    // # Source
    // 64 ports of 100 Gb/s and one shared buffer of 42 MB: Broadcom, Tomahawk 2, as SemiAccurate (October 11, 2016) and
    // others report it. SONiC's files for the Arista 7260CX3-C64, in sonic-buildimage below
    // `device/arista/x86_64-arista_7260cx3_64`: 33,582,016 B for all inputs (`buffers_pool_sizes_t1.j2`); alpha 2^-3,
    // 1,248 B reserved, an offset of XON of 2,496 B, and 101,088 B of headroom at 100 Gb/s and 300 m
    // (`pg_profile_lookup.ini`). Marks from 1 MiB to 2 MiB at 5 %: SONiC, `files/build_templates/qos_config.j2`.
    // Assumed: a latency of 450 ns, the class of such switches where they cut through; here they store and forward, so
    // that a frame takes its own time in addition. Left out: the 8,965,632 B that all headroom together may take in the
    // switch, and all of outputs.
    Preset {
        name: "roce-64x100g",
        keys: &[
            ("rate", "'100 Gb/s'"),
            ("switch-latency", "'450 ns'"),
            ("flow", "'pfc'"),
            ("headroom", "'101088 B'"),
            (
                "shared",
                "{ buffer = '33582016 B', alpha = '1/8', reserved = '1248 B', xon-offset = '2496 B' }",
            ),
            ("ecn", "{ kmin = '1 MiB', kmax = '2 MiB', pmax = '5 %' }"),
        ],
    },
];

impl Preset {
    /// The value of a key of its section, in TOML.
    fn value(&self, key: &str) -> Option<&'static str> {
        self.keys.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// The value of a key in bytes; 0 where it is none.
    pub(crate) fn bytes(&self, key: &str) -> u64 {
        self.value(key)
            .and_then(|text| Bytes::parse(text.trim_matches('\'')).ok())
            .map_or(0, |amount| amount.0)
    }

    fn rate(&self) -> Option<BitRate> {
        self.value("rate").and_then(|text| BitRate::parse(text.trim_matches('\'')).ok())
    }
}

/// The generation that is nearest above cables of `rate` and whose buffers hold what still `arrives` after a STOP.
pub(crate) fn that_holds(rate: BitRate, arrives: u64) -> Option<&'static Preset> {
    let holds = |it: &&Preset| it.bytes("stop").saturating_add(arrives) <= it.bytes("buffer");
    let fast = PRESETS[FABRIC].presets.iter().filter(|it| it.rate().is_some_and(|own| own >= rate));
    fast.filter(holds).min_by_key(|it| it.rate())
}

/// The generation that is nearest above cables of `rate`; the fastest where none is.
pub(crate) fn of_rate(rate: BitRate) -> &'static str {
    let all = || PRESETS[FABRIC].presets.iter();
    let above = all().filter(|it| it.rate().is_some_and(|own| own >= rate)).min_by_key(|it| it.rate());
    above.or_else(|| all().max_by_key(|it| it.rate())).map_or("", |it| it.name)
}

/// The entry of a table that names a preset, whichever.
fn named(entries: &[Entry]) -> Option<&Entry> {
    entries.iter().find(|entry| entry.key == "preset")
}

/// Whether a table names a preset, whichever.
pub(crate) fn is_named(entries: &[Entry]) -> bool {
    named(entries).is_some()
}

/// What the preset that the table `title` names gives a key, in TOML, and where it is named.
pub(crate) fn given(title: &str, entries: &[Entry], key: &str) -> Option<(&'static str, Place)> {
    let item = &named(entries)?.item;
    let Value::Text(name) = &item.value else { return None };
    let section = PRESETS.iter().find(|section| section.title == title)?;
    let preset = section.presets.iter().find(|preset| preset.name == name)?;
    Some((preset.value(key)?, item.place))
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Schema;

    use super::*;
    use crate::diagnostics::Diagnostics;
    use crate::files::Files;
    use crate::tree::{Item, default_item};
    use crate::wire::{self, Presence, Wire, key_of};

    /// A section as its table describes it: its schema, the keys that it leaves to presets, and whether it reads.
    struct Described {
        schema: Schema,
        keys: Vec<String>,
        reads: fn(&Item, &mut Diagnostics) -> bool,
    }

    /// Describes a section.
    macro_rules! described {
        ($section:ty) => {{
            let keys = <$section>::keys().into_iter();
            let keys = keys.filter(|key| matches!(key.presence, Presence::Preset(_)));
            Described {
                schema: <$section>::schema(),
                keys: keys.map(|key| key_of(key.field)).collect(),
                reads: |item, diagnostics| <$section>::read(item, diagnostics).is_some(),
            }
        }};
    }

    /// The sections in the order of [`PRESETS`].
    fn sections() -> [Described; 2] {
        [described!(wire::Fabric), described!(wire::Ethernet)]
    }

    /// Wrong if a preset gave a key that its section does not leave to presets, which would be lost without a word, or
    /// a value that the section refuses; if a section left a key to presets that none gives; if what the reference says
    /// of `preset` were other keys; or if one of them were not offered.
    #[test]
    fn sections_take_what_their_presets_give() {
        for (of, section) in PRESETS.iter().zip(sections()) {
            assert_eq!(section.schema["title"], of.title);
            let gives = |key: &String| of.presets.iter().any(|preset| preset.value(key).is_some());
            assert!(section.keys.iter().all(gives), "{}: {:?}", of.title, section.keys);
            let sentence = section.schema["properties"]["preset"]["description"].as_str().unwrap();
            let named: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
            assert_eq!(named, section.keys, "{sentence}");
            let names: Vec<&str> = of.presets.iter().map(|preset| preset.name).collect();
            assert_eq!(section.schema["properties"]["preset"]["enum"], Schema::from(names));
            for preset in of.presets {
                let lost = preset.keys.iter().find(|(key, _)| !section.keys.iter().any(|known| known == key));
                assert_eq!(lost, None, "{}", preset.name);
                let table = format!("{{ preset = '{}' }}", preset.name);
                let item = default_item(&table, Place { source: 0, start: 0, end: 0 });
                let mut diagnostics = Diagnostics::new(&Files::disk());
                diagnostics.add_scenario("x.toml".as_ref(), &table);
                assert!(
                    (section.reads)(&item, &mut diagnostics) && diagnostics.is_clean(),
                    "{}",
                    preset.name
                );
            }
        }
    }

    /// Wrong if a generation had a value that no scenario may have, or thresholds that its own buffer cannot keep over
    /// 30 m of cable: 150 ns out and back.
    #[test]
    fn every_generation_keeps_its_own_thresholds() {
        for generation in PRESETS[FABRIC].presets {
            let [buffer, stop, go] = ["buffer", "stop", "go"].map(|key| generation.bytes(key));
            let rate = generation.rate().unwrap();
            let under_way = if rate.as_bits_per_s() > 2_000_000_000 { 300 } else { 25 };
            let arrives = under_way * rate.as_bits_per_s() / 8_000_000_000;
            assert!(go < stop && stop + arrives <= buffer, "{}", generation.name);
            assert!(go >= arrives, "{}: the flow pauses", generation.name);
        }
    }

    /// Wrong if cables were recommended a generation that is slower than they are, or whose buffers they overrun.
    #[test]
    fn cables_are_recommended_a_generation_that_holds() {
        let name = |rate: &str, arrives| that_holds(BitRate::parse(rate).unwrap(), arrives).map(|it| it.name);
        assert_eq!(name("400 Gb/s", 1249), Some("infiniband-ndr"));
        assert_eq!(name("54.5 Gb/s", 200), Some("infiniband-fdr"));
        assert_eq!(name("56 Gb/s", 200), Some("infiniband-edr"));
        assert_eq!(name("1.28 Gb/s", 10), Some("myrinet-1997"));
        assert_eq!(name("400 Gb/s", 40_000), None);
        assert_eq!(name("800 Gb/s", 100), None);
    }
}
