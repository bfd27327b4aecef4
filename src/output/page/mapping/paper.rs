//! What the papers print of mapping the networks that we have as presets.

use crate::page::Contents;
use simnet_base::papers;

/// A printed number, and where ours is.
pub(super) struct Comparison {
    pub(super) what: &'static str,
    /// The paper.
    pub(super) source: &'static str,
    /// Where it is printed there.
    pub(super) place: &'static str,
    pub(super) paper: f64,
    pub(super) ours: f64,
    /// Whether both are times in milliseconds.
    pub(super) is_time: bool,
}

/// What is printed of the mapping of this run; empty where nothing is.
pub(super) fn comparisons(contents: &Contents) -> Vec<Comparison> {
    let network = contents.network.as_ref().map(|network| network.name.as_str()).unwrap_or_default();
    let configuration = match network {
        "now-c" => "C",
        "now-ca" => "C+A",
        "now-cab" => "C+A+B",
        "pink" => return pink(contents),
        _ => return Vec::new(),
    };
    let is_elected = contents.at("map.election").is_some();
    let nothing = "turns that found nothing (= host misses = switch misses)";
    let time = if is_elected { "mapping time avg, election" } else { "mapping time avg, one master" };
    let rows: &[(&str, &str, &str, &str)] = match contents.text("map.algorithm") {
        Some("berkeley") => &[
            ("turns that led to a host", "Fig6", "host probe hits", "map.turns.host_hits"),
            ("turns that led to a switch", "Fig6", "switch probe hits", "map.turns.switch_hits"),
            ("turns that led to nothing", "Fig6", nothing, "map.turns.nothing"),
            ("mapping time", "Fig7", time, "map.time_ms"),
        ],
        Some("myricom") => &[
            ("loop probes", "Fig10", "Myricom loop probes", "map.probes.loop.sent"),
            ("host probes", "Fig10", "Myricom host probes", "map.probes.host.sent"),
            ("switch probes", "Fig10", "Myricom switch probes", "map.probes.switch.sent"),
            ("comparisons", "Fig10", "Myricom compare probes", "map.probes.compare.sent"),
            ("mapping time", "Fig10", "Myricom mapping time", "map.time_ms"),
        ],
        _ => &[],
    };
    let number = |(what, figure, quantity, path): &(&'static str, &str, &str, &str)| {
        let place = match *figure {
            "Fig6" => "Fig. 6",
            "Fig7" => "Fig. 7",
            _ => "Fig. 10",
        };
        let source = "Mainwaring et al. 1997";
        let paper = papers::reference("000", figure, quantity, configuration)?;
        let (ours, is_time) = (contents.number(path)?, *what == "mapping time");
        Some(Comparison { what, source, place, paper, ours, is_time })
    };
    rows.iter().filter_map(number).collect()
}

fn pink(contents: &Contents) -> Vec<Comparison> {
    let (quantity, ms) = match contents.text("map.algorithm") {
        Some("guarded") => ("mapping time, guarded", 1e3),
        Some("timed") => ("mapping time, timeout-based", 60e3),
        _ => return Vec::new(),
    };
    let paper = papers::reference("002", "text", quantity, "Pink, quiet");
    let (Some(paper), Some(ours)) = (paper, contents.number("map.time_ms")) else { return Vec::new() };
    let (what, source, place) = ("mapping time", "Hendriks 2004", "text");
    vec![Comparison { what, source, place, paper: paper * ms, ours, is_time: true }]
}
