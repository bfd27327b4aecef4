//! What `lldpctl -f json` prints of the neighbours of many machines, gathered in one object.
//!
//! ```text
//! {"node01": {"lldp": {"interface":
//!    {"eth0": {"chassis": {"leaf01": {"id": {"type": "mac", "value": ".."},
//!                                     "capability": [{"type": "Bridge", "enabled": true}]}},
//!              "port": {"id": {"type": "ifname", "value": "swp1"}}}}}},
//!  "node02": {"lldp": ..}}
//! ```
//!
//! # Scope and limitations
//! The output of one machine names its neighbours and not itself: a network needs those of all machines, each under the
//! name of its machine. The output of one alone is refused, and the message shows how to gather. Both of lldpd's
//! spellings are read: `json` (an object where there is one neighbour, a list of objects where there are several; keyed
//! by name) and `json0` (lists everywhere, names as values).
//!
//! A neighbour is known by the name of its system, else by the id of its chassis; a machine of the file has the name
//! that it stands under. A node that some neighbour sees bridge or route is a switch, any other a host. A port is
//! called by the id of the port, or by its description where that id is an address; without one it is the lowest that
//! is left. A cable that both of its ends report is one, and what they say of it must agree: a machine's own name for
//! its interface is the port's name.
//!
//! # Source
//! `json_writer.c` of lldpd, and its tests.
//!
//! # Validation
//! tests/network/formats/foreign/lldp.rs: a network in both spellings, damaged files pinned, damage at random.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};

use super::Parsed;
use super::cabling::{Cabling, PortName, Side};
use super::json;
use super::lines::DraftNode;
use super::reader::Reader;
use super::tree::{Entry, Kind, Value};

/// Whether a text is JSON with lldpd's key.
pub(super) fn recognises(text: &str) -> bool {
    let is_key = |after: &str| after.trim_start().starts_with(':');
    text.trim_start().starts_with('{')
        && text.match_indices("\"lldp\"").any(|(at, key)| is_key(&text[at + key.len()..]))
}

/// A neighbour as a machine sees it on one of its interfaces.
struct Seen<'v> {
    machine: &'v str,
    interface: &'v str,
    span: Range<usize>,
    name: String,
    is_switch: bool,
    /// What the neighbour calls its port.
    port: Option<String>,
    /// Whether that is the name of an interface.
    is_interface: bool,
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text; the output of one machine.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let document = json::parse(text)?;
    let mut reader = Reader::default();
    let Kind::Table(machines) = &document.kind else {
        reader.mismatch(&document, "an object with the output of each machine under its name");
        return Err(reader.faults);
    };
    if let Some(own) = machines.iter().find(|entry| entry.key == "lldp") {
        let message =
            "this is what lldpctl prints of one machine's neighbours, and it does not name the machine";
        let fault =
            Fault::new("one-machine", own.key_span.clone(), message, "the name of a machine, and its output");
        return Err(vec![fault.with_help(
            "gather all machines: {\"node01\": OUTPUT, \"node02\": OUTPUT}, each what `lldpctl -f json` prints there",
        )]);
    }
    reader.table(&document, "the file");
    let mut seen = Vec::new();
    for Entry { key, key_span, value } in machines {
        if key.is_empty() || key.chars().any(char::is_control) {
            let message = "a machine without a name, or with a control character in it";
            reader.fault(Fault::new("no-name", key_span.clone(), message, "a name that can be printed"));
        }
        neighbours(&mut reader, key, value, &mut seen);
    }
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    cabled(machines, &seen).network(text.trim_end().len()).map(Parsed::from)
}

/// A value, or the only one of a list.
fn only(value: &Value) -> &Value {
    match &value.kind {
        Kind::List(items) if items.len() == 1 => &items[0],
        _ => value,
    }
}

/// The values under a key that may be one or a list of them.
fn each(value: &Value) -> &[Value] {
    match &value.kind {
        Kind::List(items) => items,
        _ => std::slice::from_ref(value),
    }
}

fn entries(value: &Value) -> &[Entry] {
    match &value.kind {
        Kind::Table(entries) => entries,
        _ => &[],
    }
}

fn get<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    entries(value).iter().find(|entry| entry.key == key).map(|entry| &entry.value)
}

/// A text, or one that `json0` has under `value`.
fn text(value: &Value) -> Option<&str> {
    match &only(value).kind {
        Kind::Text(text) => Some(text),
        Kind::Table(_) => match get(only(value), "value").map(|value| &value.kind) {
            Some(Kind::Text(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The neighbours in the output of one machine.
fn neighbours<'v>(reader: &mut Reader, machine: &'v str, output: &'v Value, seen: &mut Vec<Seen<'v>>) {
    let Some(fields) = reader.table(output, "the output of lldpctl") else { return };
    let Some(lldp) = reader.need(&fields, "lldp").map(only) else { return };
    let Some(fields) = reader.table(lldp, "lldp") else { return };
    // A machine without neighbours has no interfaces.
    let Some(interfaces) = fields.get("interface") else { return };
    for interface in each(interfaces) {
        if reader.table(interface, "an interface").is_none() {
            continue;
        }
        if let Some(name) = get(interface, "name").and_then(text_of_any) {
            seen.extend(neighbour(
                reader,
                machine,
                name,
                interface,
                interface.span.start..interface.span.start + 1,
            ));
        } else {
            for Entry { key, key_span, value } in entries(interface) {
                seen.extend(neighbour(reader, machine, key, value, key_span.clone()));
            }
        }
    }
}

/// A text that stands for itself; a table is none.
fn text_of_any(value: &Value) -> Option<&str> {
    match &value.kind {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}

fn neighbour<'v>(
    reader: &mut Reader,
    machine: &'v str,
    interface: &'v str,
    value: &'v Value,
    span: Range<usize>,
) -> Option<Seen<'v>> {
    let fields = reader.table(value, "an interface")?;
    let chassis = reader.need(&fields, "chassis").map(only)?;
    let port = fields.get("port").map(only);
    reader.table(chassis, "chassis")?;
    let name = name_of(chassis);
    // A chassis without a name has its id where others have their names.
    let inside = match (&name, get(chassis, "id")) {
        (_, Some(_)) | (None, _) => chassis,
        (Some(name), None) => only(get(chassis, name).unwrap_or(chassis)),
    };
    let name = name.or_else(|| get(inside, "id").and_then(text).map(str::to_owned));
    let Some(name) = name.filter(|name| !name.is_empty() && !name.chars().any(char::is_control)) else {
        let message = format!("the neighbour on `{}` has neither a name nor an id", quoted(interface));
        let start = chassis.span.start;
        reader.fault(Fault::new("no-name", start..start + 1, message, "the name or the id of a chassis"));
        return None;
    };
    let (port, is_interface) = port.map_or((None, false), port_of);
    Some(Seen { machine, interface, span, name, is_switch: forwards(inside), port, is_interface })
}

/// The name of a chassis: `json` has it as a key, `json0` as a value.
fn name_of(chassis: &Value) -> Option<String> {
    if let Some(name) = get(chassis, "name") {
        return text(name).map(str::to_owned);
    }
    match entries(chassis) {
        [only] if only.key != "id" => Some(only.key.clone()),
        _ => None,
    }
}

/// Whether a chassis bridges or routes.
fn forwards(chassis: &Value) -> bool {
    let capabilities = get(chassis, "capability").map(each).unwrap_or_default();
    capabilities.iter().any(|capability| {
        let kind = get(capability, "type").and_then(text);
        let enabled = get(capability, "enabled").is_some_and(|value| matches!(value.kind, Kind::Truth(true)));
        enabled && matches!(kind, Some("Bridge" | "Router"))
    })
}

/// What a neighbour calls its port, and whether that is the name of an interface: its id, or its description where that
/// is an address.
fn port_of(port: &Value) -> (Option<String>, bool) {
    let Some(id) = get(port, "id").map(only) else { return (None, false) };
    let kind = get(id, "type").and_then(text);
    let name = if kind == Some("mac") { get(port, "descr").and_then(text) } else { text(id) };
    (name.filter(|name| !name.is_empty()).map(str::to_owned), kind == Some("ifname"))
}

/// The machines and their neighbours, cabled.
fn cabled(machines: &[Entry], seen: &[Seen<'_>]) -> Cabling {
    let mut cabling = Cabling::default();
    let names =
        machines.iter().map(|entry| entry.key.as_str()).chain(seen.iter().map(|seen| seen.name.as_str()));
    for name in names {
        if cabling.find(name).is_none() {
            cabling.add(name, DraftNode { name: name.to_owned(), ..DraftNode::default() });
        }
    }
    for seen in seen.iter().filter(|seen| seen.is_switch) {
        let node = cabling.find(&seen.name).expect("it was added");
        cabling.nodes[node].is_switch = true;
    }
    // How machines see each other: by the machine and the neighbour, what each of its interfaces leads to.
    let mut views: BTreeMap<(&str, &str), Vec<&Seen<'_>>> = BTreeMap::new();
    for seen in seen {
        views.entry((seen.machine, &seen.name)).or_default().push(seen);
    }
    let mut cabled: BTreeSet<(&str, &str)> = BTreeSet::new();
    for view in seen {
        if cabled.contains(&(view.machine, view.interface)) {
            continue;
        }
        let there = views[&(view.machine, view.name.as_str())].len();
        let back =
            views.get(&(view.name.as_str(), view.machine)).and_then(|back| counterpart(view, back, there));
        let port = match back {
            Some(back) => {
                if view.is_interface && view.port.as_deref() != Some(back.interface) {
                    contradicted(&mut cabling, view, back);
                }
                cabled.insert((back.machine, back.interface));
                Some(back.interface)
            }
            None => view.port.as_deref(),
        };
        let node = |name: &str| cabling.find(name).expect("it was added");
        let side = |node: usize, port: Option<&str>| Side {
            node,
            port: port.filter(|port| !port.is_empty()).map(PortName::of),
            span: view.span.clone(),
        };
        let sides = [side(node(view.machine), Some(view.interface)), side(node(&view.name), port)];
        cabling.cable(sides, None);
    }
    cabling
}

fn contradicted(cabling: &mut Cabling, view: &Seen<'_>, back: &Seen<'_>) {
    let message = format!(
        "`{}` sees port `{}` of `{}` here, which sees it on `{}`",
        quoted(view.machine),
        quoted(view.port.as_deref().unwrap_or_default()),
        quoted(back.machine),
        quoted(back.interface)
    );
    cabling.fault("contradicted", view.span.clone(), message, "two machines that agree, asked at one time");
}

/// The view from the other end of a cable, of `there` that lead there: the one on the interface that is named, or that
/// names this interface; where neither end names one, the only one where each has one.
fn counterpart<'s, 'v>(view: &Seen<'_>, back: &[&'s Seen<'v>], there: usize) -> Option<&'s Seen<'v>> {
    let by_name = back.iter().find(|back| Some(back.interface) == view.port.as_deref());
    let names_this = || back.iter().find(|back| back.port.as_deref() == Some(view.interface));
    let alone = || back.first().filter(|_| back.len() == 1 && there == 1);
    by_name.or_else(names_this).or_else(alone).copied()
}
