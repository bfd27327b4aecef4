//! Generations of switches: what `preset` in `[fabric]` stands for.
//!
//! A preset gives keys of `[fabric]` their values; keys that stand beside it, in whatever layer, override it.
//!
//! # Source
//! Every generation says which of its values are published, and where; what is not is marked as our assumption. Nobody
//! publishes the buffers and thresholds of a single port of a switch after Myrinet's. Ours are room for what
//! `stop` and `go` in `[fabric]` need over cables of 30 m, so that the flow neither overruns nor pauses. In the model a
//! unit that decodes heads takes one at a time and is busy for the whole routing latency, where recent switches begin
//! with the next before: short messages saturate the model earlier. `simnet run` says where that is so.

use simnet_base::units::{BitRate, Bytes, Unit as _};

use super::diagnostics::Place;
use super::tree::{Entry, Value};
use super::wire::key_of;

/// A generation of switches: values of `[fabric]`, as texts of the scenario language.
#[derive(Debug)]
pub(crate) struct Generation {
    /// What `preset` calls it.
    pub(crate) name: &'static str,
    /// The keys of `[fabric]` that it gives, with their values in TOML.
    keys: [(&'static str, &'static str); 6],
}

/// A switch of an Ethernet: values of `[ethernet]`, as texts of the scenario language.
#[derive(Debug)]
pub(crate) struct EthernetSwitch {
    /// What `preset` calls it.
    pub(crate) name: &'static str,
    /// The keys of `[ethernet]` that it gives, with their values in TOML.
    keys: &'static [(&'static str, &'static str)],
}

/// A switch with 64 ports of 100 Gb/s and Broadcom's Tomahawk 2, as SONiC sets it up for RoCE.
///
/// # Source
/// 64 ports of 100 Gb/s and one shared buffer of 42 MB: Broadcom, Tomahawk 2, as SemiAccurate (October 11, 2016) and
/// others report it. SONiC's files for the Arista 7260CX3-C64, in sonic-buildimage below
/// `device/arista/x86_64-arista_7260cx3_64`: 33,582,016 B for all inputs (`buffers_pool_sizes_t1.j2`); alpha 2^-3,
/// 1,248 B reserved, an offset of XON of 2,496 B, and 101,088 B of headroom at 100 Gb/s and 300 m
/// (`pg_profile_lookup.ini`). Marks from 1 MiB to 2 MiB at 5 %: SONiC, `files/build_templates/qos_config.j2`. Assumed:
/// a latency of 450 ns, the class of such switches where they cut through; here they store and forward, so that a frame
/// takes its own time in addition. Left out: the 8,965,632 B that all headroom together may take in the switch, and all
/// of outputs.
const ROCE_64X100G: EthernetSwitch = EthernetSwitch {
    name: "roce-64x100g",
    keys: &[
        ("rate", "'100 Gb/s'"),
        ("switch-latency", "'450 ns'"),
        ("flow", "'pfc'"),
        ("headroom", "'101088 B'"),
        ("shared", "{ buffer = '33582016 B', alpha = '1/8', reserved = '1248 B', xon-offset = '2496 B' }"),
        ("ecn", "{ kmin = '1 MiB', kmax = '2 MiB', pmax = '5 %' }"),
    ],
};

/// All switches of Ethernets.
pub(crate) const ETHERNET_SWITCHES: [&EthernetSwitch; 1] = [&ROCE_64X100G];

/// The keys of a generation, in the order in which they are written here.
const fn keys(values: [&'static str; 6]) -> [(&'static str, &'static str); 6] {
    let [rate, buffer, stop, go, latency, arbitration] = values;
    [
        ("rate", rate),
        ("buffer", buffer),
        ("stop", stop),
        ("go", go),
        ("routing-latency", latency),
        ("arbitration", arbitration),
    ]
}

/// Myrinet in 1997, as in the Berkeley NOW.
///
/// # Source
/// Rate 1.28 Gb/s and 108 bytes of buffer a port: Mainwaring et al. 1997, section 1.1. Routing latency 150 ns, one
/// header at a time: Sancho and Robles 2000, section 5.1 (the 550 ns of Mainwaring et al. are a worst case). Assumed:
/// STOP at 56 and GO at 40 bytes.
const MYRINET_1997: Generation = Generation {
    name: "myrinet-1997",
    keys: keys(["'1.28 Gb/s'", "'108 B'", "'56 B'", "'40 B'", "'150 ns'", "'serial'"]),
};

/// Myrinet-2000, as in Pink.
///
/// # Source
/// Rate 2 Gb/s a direction: Myricom, Myrinet-2000 ("2+2 Gigabit/second links"); Hendriks 2004, section 2. Assumed: all
/// else is as in 1997; Myricom prints 0.5 us for the circuits of two interfaces and one switch together.
const MYRINET_2000: Generation = Generation {
    name: "myrinet-2000",
    keys: keys(["'2 Gb/s'", "'108 B'", "'56 B'", "'40 B'", "'150 ns'", "'serial'"]),
};

/// InfiniBand FDR on four lanes.
///
/// # Source
/// Rate 54.5 Gb/s, as ibnetdiscover's dumps have it: four lanes of 14.0625 Gb/s coded 64b/66b (InfiniBand Architecture
/// Specification, volume 2). Routing latency 170 ns: port to port, Mellanox, product brief of the SX6036, as from
/// memory. Assumed: buffer, STOP, GO, and a unit that decodes at every input.
const INFINIBAND_FDR: Generation = Generation {
    name: "infiniband-fdr",
    keys: keys(["'54545454545 b/s'", "'48 KiB'", "'24 KiB'", "'16 KiB'", "'170 ns'", "'per-input'"]),
};

/// InfiniBand EDR on four lanes.
///
/// # Source
/// Rate 100 Gb/s: four lanes of 25.78125 Gb/s coded 64b/66b (InfiniBand Architecture Specification, volume 2). Routing
/// latency 90 ns: port to port, Mellanox, product briefs of the SB7700 and SB7800. Assumed: buffer, STOP, GO, and a
/// unit that decodes at every input.
const INFINIBAND_EDR: Generation = Generation {
    name: "infiniband-edr",
    keys: keys(["'100 Gb/s'", "'48 KiB'", "'24 KiB'", "'16 KiB'", "'90 ns'", "'per-input'"]),
};

/// InfiniBand HDR on four lanes.
///
/// # Source
/// Rate 200 Gb/s: twice EDR (InfiniBand Architecture Specification, volume 2). Routing latency 130 ns: port to port,
/// Mellanox, product brief of the QM8700. Assumed: buffer, STOP, GO, and a unit that decodes at every input.
const INFINIBAND_HDR: Generation = Generation {
    name: "infiniband-hdr",
    keys: keys(["'200 Gb/s'", "'48 KiB'", "'24 KiB'", "'16 KiB'", "'130 ns'", "'per-input'"]),
};

/// InfiniBand NDR on four lanes.
///
/// # Source
/// Rate 400 Gb/s: NVIDIA, user manual of the QM97x0, and four times EDR as in ibnetdiscover's dumps. Assumed: the
/// routing latency, for which NVIDIA prints none, is HDR's 130 ns; buffer, STOP, GO, and a unit that decodes at every
/// input.
const INFINIBAND_NDR: Generation = Generation {
    name: "infiniband-ndr",
    keys: keys(["'400 Gb/s'", "'48 KiB'", "'24 KiB'", "'16 KiB'", "'130 ns'", "'per-input'"]),
};

/// Gigabit Ethernet that cuts through and pauses its senders; stored and forwarded it is `[ethernet]`.
///
/// # Source
/// Rate 1 Gb/s: IEEE 802.3, clause 34; that it pauses: annex 31B. Assumed: routing latency, buffer, STOP, GO, and a
/// unit that decodes at every input.
const GIGABIT_ETHERNET: Generation = Generation {
    name: "gigabit-ethernet",
    keys: keys(["'1 Gb/s'", "'16 KiB'", "'8 KiB'", "'4 KiB'", "'1 us'", "'per-input'"]),
};

/// 100 Gigabit Ethernet that cuts through and pauses its senders.
///
/// # Source
/// Rate 100 Gb/s: IEEE 802.3ba-2010. Routing latency 300 ns: of Mellanox Spectrum-2, Linley Newsletter, July 31, 2017.
/// Assumed: buffer (published is that a switch's ports share 16 MB), STOP, GO, and a unit that decodes at every input.
const ETHERNET_100G: Generation = Generation {
    name: "100g-ethernet",
    keys: keys(["'100 Gb/s'", "'48 KiB'", "'24 KiB'", "'16 KiB'", "'300 ns'", "'per-input'"]),
};

/// All generations.
pub(crate) const GENERATIONS: [&Generation; 8] = [
    &MYRINET_1997,
    &MYRINET_2000,
    &INFINIBAND_FDR,
    &INFINIBAND_EDR,
    &INFINIBAND_HDR,
    &INFINIBAND_NDR,
    &GIGABIT_ETHERNET,
    &ETHERNET_100G,
];

impl Generation {
    /// The value of a key of `[fabric]`, in TOML.
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

    /// The generation that is nearest above cables of `rate` and whose buffers hold what still `arrives` after a STOP.
    pub(crate) fn that_holds(rate: BitRate, arrives: u64) -> Option<&'static Generation> {
        let holds = |it: &&&Generation| it.bytes("stop").saturating_add(arrives) <= it.bytes("buffer");
        let fast = GENERATIONS.iter().filter(|it| it.rate().is_some_and(|own| own >= rate)).filter(holds);
        fast.copied().min_by_key(|it| it.rate())
    }
}

/// Whether a table names a generation, whichever.
pub(crate) fn is_named(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.key == "preset")
}

/// What the generation, or switch of an Ethernet, that a table names gives a key, in TOML, and where it is named.
pub(crate) fn given(entries: &[Entry], field: &str) -> Option<(&'static str, Place)> {
    let item = &entries.iter().find(|entry| entry.key == "preset")?.item;
    let Value::Text(name) = &item.value else { return None };
    let key = key_of(field);
    let generation = GENERATIONS.iter().find(|generation| generation.name == name);
    let value = match generation {
        Some(generation) => generation.value(&key),
        None => ethernet_switch(name, &key),
    };
    Some((value?, item.place))
}

/// What a switch of an Ethernet gives a key.
fn ethernet_switch(name: &str, key: &str) -> Option<&'static str> {
    let switch = ETHERNET_SWITCHES.iter().find(|switch| switch.name == name)?;
    switch.keys.iter().find(|(of, _)| *of == key).map(|(_, value)| *value)
}

/// Whether the switch of an Ethernet that a table names gives a key of it its value.
pub(crate) fn is_of_ethernet(entries: &[Entry], field: &str) -> bool {
    let Some(entry) = entries.iter().find(|entry| entry.key == "preset") else { return false };
    matches!(&entry.item.value, Value::Text(name) if ethernet_switch(name, &key_of(field)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a generation had a value that no scenario may have, or thresholds that its own buffer cannot keep over
    /// 30 m of cable: 150 ns out and back.
    #[test]
    fn every_generation_keeps_its_own_thresholds() {
        for generation in GENERATIONS {
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
        let name = |rate: &str, arrives| {
            Generation::that_holds(BitRate::parse(rate).unwrap(), arrives).map(|it| it.name)
        };
        assert_eq!(name("400 Gb/s", 1249), Some("infiniband-ndr"));
        assert_eq!(name("54.5 Gb/s", 200), Some("infiniband-fdr"));
        assert_eq!(name("56 Gb/s", 200), Some("infiniband-edr"));
        assert_eq!(name("1.28 Gb/s", 10), Some("myrinet-1997"));
        assert_eq!(name("400 Gb/s", 40_000), None);
        assert_eq!(name("800 Gb/s", 100), None);
    }
}
