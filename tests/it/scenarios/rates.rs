//! Rates of cables: those of the network, those of `[fabric]`, and what a run says of them; generations of switches.

use serde_json::Value;

use simnet::ids::Node;
use simnet::scenario::checked::Work;
use simnet::scenario::rates::RateSource;
use simnet::scenario::{self, Checked, Overrides};
use simnet::simulation::{self, BusiestArbiter, Findings, Run};
use simnet::topology::formats::{Format, write};
use simnet::topology::{End, Host, Link, Network, Switch};
use simnet::units::{BitRate, Bytes, Duration, Unit as _};

/// Two leaves of three hosts each on one cable, as a subnet is described; each cable with the rate that `rate` gives
/// its number, the one between the leaves being the last.
fn subnet(rate: impl Fn(usize) -> Option<&'static str>) -> Network {
    let mut network = Network::new("subnet");
    let node = |kind: char, guid: u64| (format!("{kind}-{guid:016x}"), Some(guid));
    let leaves = [0x10, 0x11].map(|guid| {
        let ((name, guid), description) = (node('S', guid), Some(format!("leaf {guid:x}")));
        network.push_switch(Switch { name, ports: 8, first_port: 1, guid, description }).unwrap()
    });
    let rate = |nth: usize| rate(nth).map(|text| BitRate::parse(text).unwrap());
    for nth in 0..6_u16 {
        let ((name, guid), description) =
            (node('H', 0x20 + u64::from(nth)), Some(format!("node{nth} mlx5_0")));
        let host = network.push_host(Host { name, ports: 1, first_port: 1, guid, description }).unwrap();
        let (a, b) = (End::host(host, 1), End::switch(leaves[usize::from(nth / 3)], 1 + nth % 3));
        network.push_link(Link { a, b, rate: rate(nth.into()), length: None }).unwrap();
    }
    let (a, b) = (End::switch(leaves[0], 8), End::switch(leaves[1], 8));
    network.push_link(Link { a, b, rate: rate(6), length: None }).unwrap();
    network
}

/// A scenario on a dump of a network.
fn read(network: &Network, format: Format, rest: &str) -> Result<Checked, String> {
    let traffic = "traffic.uniform = { payload = '512 B', loads = [0.002, 0.004] }";
    checked_on(network, format, &format!("measure.messages = 1000\n{traffic}\n{rest}"))
}

/// A scenario that says what its hosts send.
fn checked_on(network: &Network, format: Format, rest: &str) -> Result<Checked, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.topo"), write(network, format)).unwrap();
    let text = format!(
        "scenario = {{ name = 's', seed = 3 }}\ntopology.file = 'net.topo'\nrouting.algorithm = 'updown'\n{rest}"
    );
    let file = folder.path().join("s.toml");
    scenario::read(&file, text.as_bytes(), &Overrides::default()).map_err(|refusal| refusal.to_string())
}

/// The arbiter of such a subnet of 400 Gb/s that is busier than its channels, and the table of its arbiters.
fn busiest(payload: &str, load: f64, keys: &str) -> (Option<BusiestArbiter>, String) {
    let rest = format!(
        "measure.messages = 2000\nfabric.preset = 'infiniband-ndr'\n{keys}\
         traffic.uniform = {{ payload = '{payload}', loads = [{load}] }}\n"
    );
    let text = checked_on(&subnet(|_| Some("400 Gb/s")), Format::Ibnetdiscover, &rest).unwrap();
    let (run, _) = run(&text);
    let arbiters = run.files.iter().find(|(name, _)| name == "arbiters.csv").unwrap().1.clone();
    let Findings::Stages(report) = run.summary.findings else { panic!("a run in stages") };
    (report.busiest_arbiter, arbiters)
}

/// The same of a dump of ibnetdiscover, which must be sound.
fn checked(rate: impl Fn(usize) -> Option<&'static str>, rest: &str) -> Checked {
    read(&subnet(rate), Format::Ibnetdiscover, rest).unwrap()
}

fn run(checked: &Checked) -> (Run, Value) {
    let run = simulation::run(checked, &(), None).unwrap();
    let summary = serde_json::to_value(&run.summary).unwrap();
    (run, summary)
}

/// Room for cables of 400 Gb/s.
const ROOM: &str = "fabric = { buffer = '8 KiB', stop = '4 KiB', go = '2 KiB'";

/// Wrong if a rate from a dump counted otherwise than the same rate from `[fabric]`: loads, times or the traffic that
/// is reported as carried.
#[test]
fn a_dump_s_rate_means_what_the_fabric_s_does() {
    let of_dump = run(&checked(|_| Some("400 Gb/s"), &format!("{ROOM} }}"))).1;
    let told = run(&checked(|_| None, &format!("{ROOM}, rate = '400 Gb/s' }}"))).1;
    assert_eq!(of_dump["points"], told["points"]);
    let accepted = of_dump["points"][0]["accepted_bits_per_s"].as_f64().unwrap();
    let offered = 0.002 * 6.0 * 400e9;
    assert!((accepted / offered - 1.0).abs() < 0.2, "{accepted} of {offered} b/s");
    let rates = &of_dump["rates"];
    assert_eq!((rates["cables"].as_u64(), rates["cables_of_network"].as_u64()), (Some(7), Some(7)));
    let [slowest, fastest, loads] =
        ["slowest", "fastest", "load"].map(|key| rates[format!("{key}_bits_per_s")].as_u64());
    assert_eq!([slowest, fastest, loads], [Some(400_000_000_000); 3]);
    assert!(told.get("rates").is_none(), "nothing is to be said of a network that gives none");
}

/// Wrong if loads were counted in the byte times of a rate that few hosts have, or if the rest of the cables ran at a
/// default although the network speaks.
#[test]
fn loads_count_in_byte_times_of_most_hosts_cables() {
    let mixed = |nth| if nth < 4 { Some("200 Gb/s") } else { Some("400 Gb/s") };
    let some = |nth| (nth != 5).then_some("400 Gb/s");
    let cases: [(Checked, u64, RateSource, u64); 4] = [
        (checked(mixed, &format!("{ROOM} }}")), 40, RateSource::Network, 200),
        (checked(some, &format!("{ROOM} }}")), 20, RateSource::Network, 400),
        (checked(some, &format!("{ROOM}, rate = '100 Gb/s' }}")), 20, RateSource::Fabric, 100),
        (checked(|_| None, ""), 6250, RateSource::Default, 1),
    ];
    for (checked, flit_ps, source, usual) in cases {
        let rates = checked.rates();
        assert_eq!((checked.load_flit_time(), rates.source), (Duration::from_ps(flit_ps), source), "{rates}");
        assert_eq!(rates.usual.as_bits_per_s() / 1_000_000_000, usual, "{rates}");
    }
    let shown = |rate: fn(usize) -> Option<&'static str>, rest: &str| checked(rate, rest).rates().to_string();
    assert_eq!(
        shown(mixed, &format!("{ROOM} }}")),
        "7 of 7 cables as the network gives them, 200 Gb/s to 400 Gb/s; loads count in byte times of 200 Gb/s"
    );
    assert_eq!(
        shown(some, &format!("{ROOM}, rate = '100 Gb/s' }}")),
        "6 of 7 cables as the network gives them, 400 Gb/s ([fabric] says 100 Gb/s); 1 of 7 cables at 100 Gb/s, \
         as [fabric] says"
    );
    assert_eq!(
        shown(|_| None, ""),
        "7 of 7 cables at 1.28 Gb/s, the default: neither the network nor [fabric] gives one"
    );
}

/// Wrong if a run did not say which rate it takes where two differ or one is silent, or said it once a cable.
#[test]
fn what_is_taken_is_said_once() {
    let warnings =
        |rate: fn(usize) -> Option<&'static str>, rest: &str| checked(rate, rest).warnings.join("\n");
    let all = |_| Some("400 Gb/s");
    let differing = warnings(all, &format!("{ROOM}, rate = '100 Gb/s' }}"));
    assert_eq!(differing.matches("warning").count(), 1, "{differing}");
    for part in ["rates-differ", "7 of 7 cables", "and 4 more", "400 Gb/s; 100 Gb/s is used for none"] {
        assert!(differing.contains(part), "{part}: {differing}");
    }
    let missing = warnings(|nth| (nth > 3).then_some("400 Gb/s"), &format!("{ROOM} }}"));
    assert_eq!(missing.matches("warning").count(), 1, "{missing}");
    for part in ["rates-missing", "4 of 7 cables have no rate", "and 1 more", "taken as 400 Gb/s"] {
        assert!(missing.contains(part), "{part}: {missing}");
    }
    let inexact =
        warnings(|nth| (nth < 4).then_some("54545454545 b/s"), "fabric = { preset = 'infiniband-edr' }");
    for part in ["inexact-rate", "on 4 of 7 cables", "and 1 more"] {
        assert!(inexact.contains(part), "{part}: {inexact}");
    }
    assert_eq!(warnings(all, &format!("{ROOM} }}")), "");
    assert_eq!(warnings(all, &format!("{ROOM}, rate = '400 Gb/s' }}")), "");
    assert_eq!(warnings(|_| None, "fabric.rate = '2 Gb/s'"), "");
}

/// Wrong if a buffer could be changed without a word on the thresholds that stay, or a word came where they move too.
#[test]
fn a_buffer_that_is_changed_alone_is_noticed() {
    let warned = |fabric: &str| {
        let warnings = checked(|_| None, &format!("fabric = {{ {fabric} }}")).warnings.join("\n");
        warnings.matches("thresholds-stay").count()
    };
    assert_eq!(warned("buffer = '8 KiB'"), 1);
    assert_eq!(warned("preset = 'infiniband-ndr', buffer = '60 KiB'"), 1);
    for fabric in [
        "buffer = '108 B'",
        "buffer = '8 KiB', stop = '4 KiB'",
        "buffer = '8 KiB', go = '30 B'",
        "stop = '50 B'",
    ] {
        assert_eq!(warned(fabric), 0, "{fabric}");
    }
    assert_eq!(warned("preset = 'infiniband-ndr', buffer = '48 KiB'"), 0);
}

/// Wrong if a preset's values were not those of its generation, keys beside it did not override it, or one were known
/// as the other.
#[test]
fn presets_give_what_nobody_says_otherwise() {
    let of = |fabric: &str| checked(|_| None, &format!("fabric = {{ {fabric} }}"));
    let values = |checked: &Checked| {
        let fabric = &checked.fabric;
        let [rate, latency] = [fabric.rate.to_string(), fabric.routing_latency.to_string()];
        (rate, fabric.buffer.0, fabric.stop.0, fabric.go.0, latency)
    };
    let text = |values: (&str, u64, u64, u64, &str)| {
        (values.0.to_owned(), values.1, values.2, values.3, values.4.to_owned())
    };
    let ndr = of("preset = 'infiniband-ndr'");
    assert_eq!(values(&ndr), text(("400 Gb/s", 49_152, 24_576, 16_384, "130 ns")));
    assert_eq!(ndr.rates().source, RateSource::Fabric);
    let own = of("preset = 'infiniband-ndr', rate = '1.28 Gb/s', go = '40 B'");
    assert_eq!(values(&own), text(("1.28 Gb/s", 49_152, 24_576, 40, "130 ns")));
    assert_eq!(values(&of("preset = 'myrinet-1997'")), values(&of("")));
    let key = |checked: &Checked| checked.identity.key(0, false, 0);
    let own_rate = of("preset = 'infiniband-ndr', rate = '1.28 Gb/s'");
    assert_ne!(key(&ndr), key(&own_rate));
    assert_ne!(key(&ndr), key(&of("preset = 'infiniband-hdr'")));
    assert_ne!(key(&ndr), key(&of("rate = '1.28 Gb/s'")));
    assert_eq!(key(&of("")), key(&of("rate = '1.28 Gb/s', buffer = '108 B', arbitration = 'serial'")));
}

/// Wrong if the switch of an Ethernet did not give what nobody says otherwise, keys beside it did not override it, or
/// one were known as the other.
#[test]
fn switches_of_ethernets_give_what_nobody_says_otherwise() {
    let of = |ethernet: &str| {
        let text = format!(
            "scenario.name = 'x'\ntopology.chain = {{ switches = 1, hosts-per-switch = 3 }}\n\
             allgather = {{ algorithm = 'ring', size = '1 KiB' }}\nethernet = {{ {ethernet} }}"
        );
        scenario::read("x.toml", text.as_bytes(), &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
    };
    let ethernet = |checked: &Checked| match &checked.work {
        Work::Allgather(work) => work.medium.ethernet().unwrap().clone(),
        _ => unreachable!(),
    };
    let whole = of("preset = 'roce-64x100g'");
    let found = ethernet(&whole);
    let (pauses, ecn) = (found.pauses.unwrap(), found.ecn.unwrap());
    let shared = pauses.shared.unwrap();
    assert_eq!(
        (found.rate.to_string(), found.switch_latency.to_string()),
        ("100 Gb/s".into(), "450 ns".into())
    );
    assert_eq!((shared.pool, shared.alpha), (Bytes(33_582_016), (1, 8)));
    assert_eq!((shared.reserved, shared.xon_offset), (Bytes(1_248), Bytes(2_496)));
    assert_eq!((pauses.headroom, pauses.priority), (Some(Bytes(101_088)), 3));
    assert_eq!((ecn.kmin, ecn.kmax, ecn.pmax), (Bytes(1 << 20), Bytes(2 << 20), 50_000));
    let own = ethernet(&of("preset = 'roce-64x100g', rate = '40 Gb/s', shared = { buffer = '1 MB' }"));
    let shared = own.pauses.unwrap().shared.unwrap();
    assert_eq!(
        (own.rate.to_string(), shared.pool, shared.reserved),
        ("40 Gb/s".into(), Bytes(1_000_000), Bytes(0))
    );
    let open = of("preset = 'roce-64x100g', flow = 'none'");
    assert!(ethernet(&open).pauses.is_none() && whole.warnings.is_empty() && open.warnings.is_empty());
    let key = |checked: &Checked| checked.identity.key(0, false, 0);
    assert_ne!(key(&whole), key(&open));
    assert_ne!(key(&whole), key(&of("")));
    assert_ne!(key(&whole), key(&of("preset = 'roce-64x100g', rate = '100 Mb/s'")));
    assert_eq!(key(&of("")), key(&of("rate = '100 Mb/s', flow = 'none'")));
}

/// Wrong if the buffers of the default were refused on fast cables without a word on what would do.
#[test]
fn fast_cables_name_their_preset() {
    let refusal = read(&subnet(|_| Some("400 Gb/s")), Format::Json, "").unwrap_err();
    assert!(
        refusal.contains("buffer-overrun") && refusal.contains("preset = \"infiniband-ndr\""),
        "{refusal}"
    );
    assert_eq!(
        checked(|_| Some("400 Gb/s"), "fabric.preset = 'infiniband-ndr'").warnings,
        Vec::<String>::new()
    );
}

/// Wrong if an arbiter were named that is less busy than cables, or not where it is busier: with messages of 512 B a
/// head takes 130 ns where its message takes 10 ns, with such of 48 KiB a message takes 980 ns. With credits heads are
/// decoded at once, and no arbiter is busy.
#[test]
fn the_busiest_arbiter_is_busier_than_cables() {
    let (short, arbiters) = busiest("512 B", 0.1, "");
    let short = short.expect("an arbiter is busy");
    assert!(short.busy_share > 0.8 && short.arbiter.channel_busy_share < 0.2, "{short:?}");
    assert_eq!(arbiters.lines().count(), 3, "{arbiters}");
    assert!(busiest("48 KiB", 0.9, "").0.is_none());
    assert!(busiest("512 B", 0.001, "").0.is_none());
    let (credits, arbiters) = busiest("512 B", 0.1, "fabric.flow = 'credits'\n");
    assert!(credits.is_none());
    let mut table = csv::Reader::from_reader(arbiters.as_bytes());
    let column = table.headers().unwrap().iter().position(|name| name == "arbiter_busy_share").unwrap();
    assert!(table.records().all(|row| row.unwrap()[column].is_empty()), "{arbiters}");
}

/// Wrong if a network of a dump were called after the format, or nodes by ids where their descriptions are their own.
#[test]
fn networks_are_called_after_their_file_and_nodes_by_their_descriptions() {
    let checked = checked(|_| None, "");
    let network = &checked.topology.network;
    assert_eq!(network.name, "net");
    let labels: Vec<&str> = network.host_ids().map(|host| network.label(Node::Host(host))).collect();
    assert!(labels.contains(&"node0 mlx5_0") && labels.len() == 6, "{labels:?}");
}

/// Wrong if credits were refused on cables whose base cycle is so short that the time-out has more than 2^31 of them.
#[test]
fn credits_go_with_every_rate() {
    for [rate, other] in [["400 Gb/s"; 2], ["100 Gb/s", "56 Gb/s"]] {
        for limits in ["", "deadlock-timeout = 'never'\npacket-lifetime = '4 s'\n"] {
            let network = subnet(|nth| Some(if nth == 6 { other } else { rate }));
            let fabric = format!("[fabric]\nflow = 'credits'\nrate = '{rate}'\n{limits}");
            let checked = read(&network, Format::Json, &fabric).unwrap();
            let (run, _) = run(&checked);
            assert!(run.messages_delivered >= 2_000, "{rate} and {other}: {}", run.messages_delivered);
        }
    }
}

/// Wrong if work on no fabric were refused for cables that the buffers of one do not suit.
#[test]
fn cables_need_suit_only_the_fabric_that_is_used() {
    let network = subnet(|_| Some("400 Gb/s"));
    let frames = "ethernet = { rate = '1 Gb/s' }\n";
    let gather = "allgather = { algorithm = 'ring', size = '1 KiB' }\n";
    for work in [
        format!("{frames}{gather}"),
        format!("{frames}discovery.round-trips = 2\n"),
        "rings.algorithm = 'lr1'\n".to_owned(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("net.json"), write(&network, Format::Json)).unwrap();
        let text = format!("{work}scenario.name = 's'\ntopology.file = 'net.json'\n");
        let file = folder.path().join("s.toml");
        scenario::read(&file, text.as_bytes(), &Overrides::default()).unwrap();
    }
    let routes = checked_on(&network, Format::Json, "").expect("routes alone are fine");
    simulation::run(&routes, &(), None).expect("they need no fabric");
    assert!(checked_on(&network, Format::Json, gather).unwrap_err().contains("buffer-overrun"));
}
