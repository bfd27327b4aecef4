//! The replay: what worms did, event by event, drawn on the network.
//!
//! ```text
//!   events.simlog ──window──▶ at most 100,000 events ──encode──▶ the page ──replay-model.js──▶ replay.js
//! ```

use std::path::Path;

use base64::Engine as _;
use maud::{Markup, html};
use serde_json::{Value, json};

use simnet_base::ids::{Node, SwitchId};
use simnet_media::trace::{Event, EventKind, Heading, LogFault, Reader, Scene};

use super::network::{ids, roots};
use super::provenance::quoted;
use super::{Contents, Section};
use simnet_base::numbers;

mod delays;
mod encode;
mod layout;
mod shown;
mod window;

pub use encode::{Encoded, decode, encode};
use shown::{Shown, ShownScene};

/// The scripts of a replay, and one that begins it.
macro_rules! scripts {
    ($begin:expr) => {
        concat!(
            include_str!("assets/replay-model.js"),
            "\n",
            include_str!("assets/replay-drawing.js"),
            "\n",
            include_str!("assets/replay.js"),
            "\n",
            $begin
        )
    };
}
pub(super) use scripts;

const SCRIPT: &str = scripts!(include_str!("assets/replay-page.js"));
const STYLE: &str = include_str!("assets/replay.css");

/// The section; without a log it says how to get one.
pub(super) fn section(contents: &Contents) -> Option<Section> {
    let Some(log) = &contents.events else { return how_to_get_one(contents) };
    let (body, data) = of_log(log, contents, contents.thrifty(window::MOST), lead);
    let body = html! { div.replay { (body) } };
    Some(match data {
        None => still(body),
        data => Section { data, script: Some(SCRIPT), style: Some(STYLE), ..still(body) },
    })
}

/// A run's replay on a page of so many runs: what stands there, and what the scripts work on, if there is anything to
/// replay.
pub(super) fn pane(contents: &Contents, runs: usize) -> (Markup, Option<Value>) {
    match &contents.events {
        Some(log) => of_log(log, contents, contents.thrifty(window::MOST) / runs.max(1), |_, _| html! {}),
        None => (html! { p.notice { "This run kept no event log, so there is nothing to replay." } }, None),
    }
}

/// The replay of a log with at most so many events, and what is said above it.
fn of_log(
    log: &Path,
    contents: &Contents,
    most: usize,
    lead: fn(&Shown, &Contents) -> Markup,
) -> (Markup, Option<Value>) {
    let shown = match shown::read(|| Reader::open(log), most) {
        Err(fault) => {
            contents.complain(fault.to_string());
            return (html! { p.notice.bad role="alert" { "Nothing can be replayed. " (fault) } }, None);
        }
        Ok(shown) => shown,
    };
    if let Some(complaint) = &shown.complaint {
        contents.complain(complaint.clone());
    }
    if shown.scenes.is_empty() {
        let nothing = html! { p.lead { "The event log holds no event, so there is nothing to replay." } };
        return (html! { (complaint(&shown)) (nothing) }, None);
    }
    let data = data(&shown, &contents.summary);
    (html! { (complaint(&shown)) (lead(&shown, contents)) (place(&shown)) }, Some(data))
}

/// A section without a replay.
fn still(body: Markup) -> Section {
    Section { id: "replay", title: "Replay", body, data: None, script: None, style: None }
}

/// Whether runs of this kind keep an event log if asked to: of a mapping, of load points, of an operation, of
/// all-gathers; a discovery is many runs.
fn could_keep_one(contents: &Contents) -> bool {
    let has_points = contents.at("points").and_then(Value::as_array).is_some_and(|points| !points.is_empty());
    contents.network.is_some()
        && (has_points || ["map", "operation", "allgather"].iter().any(|key| contents.at(key).is_some()))
}

/// How to get an event log, if runs of this kind keep one.
fn how_to_get_one(contents: &Contents) -> Option<Section> {
    if !could_keep_one(contents) {
        return None;
    }
    let again = run_again(contents);
    let is_allgather = contents.at("allgather").is_some();
    let name = quoted(contents.name());
    let body = html! {
        p.lead { "This run kept no event log, so there is nothing to replay. A run with one leaves the same results." }
        @if is_allgather {
            p { "To see its messages or frames move, run the scenario again with its first events:" }
            pre { code { (again) " --set output.events.most=100000" } }
        } @else {
            p {
                "To see worms move, and deadlocks form and be cleared, run the scenario again with the events around "
                "its first deadlock:"
            }
            pre { code { (again) " --set 'output.events.around=\"deadlock\"'" } }
        }
        p { "or with its first events, written to a file that the report is told of:" }
        pre { code {
            (again) " --trace events.simlog\n"
            "simnet report results/" (name) " --trace events.simlog"
        } }
    };
    Some(still(body))
}

/// The command that ran the scenario, as far as it is known: its file, its seed and what was set.
fn run_again(contents: &Contents) -> String {
    let argv = contents.manifest["argv"].as_array();
    let mut given =
        argv.into_iter().flatten().filter_map(Value::as_str).skip_while(|word| *word != "run").skip(1);
    let mut kept = vec!["simnet run".to_owned()];
    while let Some(word) = given.next() {
        match word {
            "--out" | "--trace" | "--pcap" | "--format" => _ = given.next(),
            "--quiet" => {}
            _ if ["--out=", "--trace=", "--pcap=", "--format="].iter().any(|key| word.starts_with(key)) => {}
            _ => kept.push(quoted(word)),
        }
    }
    if kept.len() == 1 {
        kept.push(format!("{}.toml", quoted(contents.name())));
    }
    kept.join(" ")
}

fn complaint(shown: &Shown) -> Markup {
    html! {
        @if let Some(complaint) = &shown.complaint {
            p.notice.bad role="alert" { "The event log is damaged; what is whole is shown. " (complaint) }
        }
    }
}

/// What a scene is called.
pub(super) fn title(scene: &Scene) -> String {
    match (scene.point, scene.load) {
        (Some(point), Some(load)) => format!("Load point {} (load {load})", point.saturating_add(1)),
        (Some(point), None) => format!("Messages of the trace (point {})", point.saturating_add(1)),
        (None, _) => {
            let mut kind =
                if scene.kind == "all-gather" { scene.kind.clone() } else { scene.kind.replace('-', " ") };
            kind.get_mut(..1).map(str::make_ascii_uppercase);
            if scene.kind.is_empty() { format!("Scene {}", scene.nth + 1) } else { kind }
        }
    }
}

fn count(shown: &ShownScene, wanted: impl Fn(&EventKind) -> bool) -> usize {
    shown.events.iter().filter(|event| wanted(&event.what)).count()
}

/// Every digit of a count, in groups.
fn whole(count: u64) -> String {
    numbers::number(count as f64, 15)
}

/// What can be replayed, in a sentence.
fn lead(shown: &Shown, contents: &Contents) -> Markup {
    let events: usize = shown.scenes.iter().map(|scene| scene.events.len()).sum();
    let in_log: u64 = shown.scenes.iter().map(|scene| scene.in_log).sum();
    let deadlocks: usize = shown.scenes.iter().map(|scene| count(scene, is_deadlock)).sum();
    let of_all =
        if in_log > events as u64 { format!(" of the log's {}", whole(in_log)) } else { String::new() };
    let description = shown.heading.description.as_deref().or(contents.summary["description"].as_str());
    html! {
        p.lead {
            @if let Some(description) = description { bdi { (description.trim_end_matches('.')) } ". " }
            (whole(events as u64)) @if events == 1 { " event" } @else { " events" } (of_all) " can be replayed, "
            @match deadlocks {
                0 => "without a deadlock among them.",
                1 => "with one deadlock among them: jump to it, and see the circle of waiting close.",
                _ => { "with " (deadlocks) " deadlocks among them: jump from one to the next." }
            }
        }
    }
}

/// Where the scripts put the moving picture, and what is in it as a table.
fn place(shown: &Shown) -> Markup {
    html! {
        div.replay-place {
            noscript { p.notice { "The moving picture needs scripts. The table below says what is in it." } }
        }
        details.replay-scenes {
            summary { "What is in the replay" }
            div.scroll { (scenes_table(shown)) }
        }
    }
}

fn is_deadlock(what: &EventKind) -> bool {
    what.is_deadlock()
}

fn scenes_table(shown: &Shown) -> Markup {
    let span = |scene: &ShownScene| {
        let from = scene.events.get(scene.before).map_or(0.0, ns);
        let to = scene.events.last().map_or(0.0, ns);
        format!("{from} to {to}")
    };
    html! {
        table {
            caption { "Scenes of the event log, each with a clock of its own, and how much of them is shown" }
            thead { tr {
                th scope="col" { "Scene" } th.num scope="col" { "Events shown" } th.num scope="col" { "in the log" }
                th.num scope="col" { "left out of the log" } th.num scope="col" { "From, to (ns)" }
                th.num scope="col" { "Worms" } th.num scope="col" { "Deadlocks" } th.num scope="col" { "Resets" }
            } }
            tbody {
                @for scene in &shown.scenes {
                    tr {
                        th scope="row" { (title(&scene.scene)) }
                        td.num { (scene.events.len()) } td.num { (scene.in_log) } td.num { (scene.scene.left_out) }
                        td.num { (span(scene)) }
                        td.num { (count(scene, |what| matches!(what, EventKind::Start { .. }))) }
                        td.num { (count(scene, is_deadlock)) }
                        td.num { (count(scene, |what| matches!(what, EventKind::Reset { .. }))) }
                    }
                }
            }
        }
    }
}

fn ns(event: &Event) -> f64 {
    event.at.as_ps() as f64 / 1e3
}

/// What the scripts work on, of an event log.
///
/// # Errors
/// [`LogFault`] if not even its heading can be read.
pub fn log_data(log: &Path) -> Result<Value, LogFault> {
    Ok(data(&shown::read(|| Reader::open(log), window::MOST)?, &Value::Null))
}

fn data(shown: &Shown, summary: &Value) -> Value {
    let heading = &shown.heading;
    let roots = summary["route"]["root"].as_str().map_or(Vec::new(), |root| roots(root, &heading.network));
    let delays = delays::delays(&heading.network, heading.base_cycle, &shown.scenes);
    json!({
        "scenario": heading.scenario,
        "outcome": summary["outcome"],
        "stop": heading.stop,
        "buffer": heading.buffer,
        "network": network_data(heading, &roots, &delays),
        "scenes": shown.scenes.iter().map(|scene| scene_data(scene, heading)).collect::<Vec<_>>(),
    })
}

fn network_data(heading: &Heading, roots: &[SwitchId], delays: &[u64]) -> Value {
    let (network, base_cycle) = (&heading.network, heading.base_cycle);
    let node = |node: Node| match node {
        Node::Switch(switch) => switch.index(),
        Node::Host(host) => network.switches().len() + host.index(),
    };
    let hosts = network.switches().iter().map(|_| 0).chain(network.hosts().iter().map(|_| 1));
    let at: Vec<[f64; 2]> = layout::positions(network, roots)
        .iter()
        .map(|(x, y)| [x, y].map(|along| (along * 10.0).round() / 10.0))
        .collect();
    let links: Vec<Value> = network
        .links()
        .iter()
        .zip(delays)
        .map(|(link, delay)| {
            json!([node(link.a.node), link.a.port.0, node(link.b.node), link.b.port.0, delay])
        })
        .collect();
    json!({
        "name": network.name,
        "base_cycle_ps": base_cycle.as_ps(),
        "switches": network.switches().len(),
        "names": network.labels(),
        "ids": ids(network),
        "hosts": hosts.collect::<Vec<u8>>(),
        "at": at,
        "links": links,
    })
}

fn scene_data(shown: &ShownScene, heading: &Heading) -> Value {
    let encoded = encode(&heading.network, heading.base_cycle.as_ps(), shown.events.iter());
    let deadlocks = shown.events.iter().filter(|event| is_deadlock(&event.what));
    json!({
        "deadlocks": deadlocks.map(ns).collect::<Vec<_>>(),
        "nth": shown.scene.nth,
        "kind": shown.scene.kind,
        "title": title(&shown.scene),
        "point": shown.scene.point,
        "load": shown.scene.load,
        "unit_ps": encoded.unit_ps,
        "count": encoded.count,
        "before": shown.before,
        "first": shown.first,
        "in_log": shown.in_log,
        "left_out": shown.scene.left_out,
        "worms": encoded.worms.iter().map(|worm| heading.network.labelled(worm)).collect::<Vec<_>>(),
        "kinds": encoded.kinds,
        "bytes": base64::engine::general_purpose::STANDARD.encode(&encoded.bytes),
    })
}
