//! Cabling plans as CSV: a row a cable, from a port of one device to a port of another.
//!
//! ```text
//! start device,start port,end device,end port
//! leaf01,49,spine01,1
//! ```
//!
//! # Scope and limitations
//! The first row names the columns, in any order and case: `start`, `source` or `from` and `end`, `destination` or
//! `to`, each with `device` (`node`, `host`, `switch`) and with `port` (`interface`). Columns that may stand there as
//! well: the `type` of each device, `switch` or `host`; the `rate` and the `length` of the cable, with units. Others
//! are passed over. Where no column gives types, devices with a single cable count as hosts, all others as switches,
//! and a warning says so. Ports are numbers, or numbered as what is printed at them says it, or in their order; an
//! empty one is the lowest that is left. A cable may be listed once, or once from each of its ends.
//!
//! # Source
//! There is no standard; the columns are those of the plans that DCIM tools export.
//!
//! # Validation
//! tests/network/formats/foreign/cabling_plan.rs: networks written and read, damaged files pinned, damage at random.

use std::borrow::Cow;
use std::ops::Range;

use simnet_base::cells::{self, Cell, Row, Rows};
use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::Node;
use simnet_base::units::{BitRate, Length, Unit};

use crate::topology::{End, Network};

use super::Parsed;
use super::cabling::{Cabling, PortName, Side};
use super::lines::{DraftNode, some_of};

/// The most columns of a plan.
const MOST_COLUMNS: usize = 1_000;
/// The columns of a plan that simnet writes.
const WRITTEN: [&str; 8] =
    ["start device", "start type", "start port", "end device", "end type", "end port", "rate", "length"];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// Of the start or of the end.
    Device(usize),
    Port(usize),
    Type(usize),
    Rate,
    Length,
}

/// What a heading says a column holds, if it is one of a plan's.
fn column(heading: &str) -> Option<Column> {
    let lower = heading.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let end = match words.next()? {
        "start" | "source" | "from" => 0,
        "end" | "destination" | "to" => 1,
        "rate" if words.next().is_none() => return Some(Column::Rate),
        "length" if words.next().is_none() => return Some(Column::Length),
        _ => return None,
    };
    let what = words.next()?;
    if words.next().is_some() {
        return None;
    }
    match what {
        "device" | "node" | "host" | "switch" => Some(Column::Device(end)),
        "port" | "interface" => Some(Column::Port(end)),
        "type" => Some(Column::Type(end)),
        _ => None,
    }
}

/// Whether the first row names devices at both ends, or a device and ports.
pub(super) fn recognises(text: &str) -> bool {
    let mut row = Row::default();
    if !Rows::new(text).read(MOST_COLUMNS, &mut row) {
        return false;
    }
    let columns: Vec<Column> = row.cells.iter().filter_map(|cell| column(cell.content(text))).collect();
    let has = |wanted: Column| columns.contains(&wanted);
    (has(Column::Device(0)) || has(Column::Device(1))) && (has(Column::Port(0)) || has(Column::Port(1)))
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text.
pub(super) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let mut plan = Plan { text, ..Plan::default() };
    let mut rows = Rows::new(text);
    let mut row = Row::default();
    rows.read(MOST_COLUMNS, &mut row);
    plan.headings(&row);
    if plan.cabling.faults.is_empty() {
        while rows.read(plan.columns.len(), &mut row) {
            plan.row(&row);
        }
    }
    let warnings = plan.hosts();
    Ok(Parsed { network: plan.cabling.network(text.trim_end().len())?, warnings })
}

#[derive(Default)]
struct Plan<'t> {
    text: &'t str,
    columns: Vec<Option<Column>>,
    /// Where the first row stands.
    heading: Range<usize>,
    cabling: Cabling,
    /// Whether columns give types.
    has_types: bool,
    /// Per node, whether some row gives its type.
    typed: Vec<bool>,
}

/// What a row says of one end.
#[derive(Default)]
struct Told<'c> {
    device: Option<&'c Cell>,
    port: Option<&'c Cell>,
    kind: Option<&'c Cell>,
}

impl<'t> Plan<'t> {
    fn fault(&mut self, code: &'static str, span: Range<usize>, message: String, expected: &str) {
        self.cabling.fault(code, span, message, expected);
    }

    fn meaning(&self, cell: &Cell) -> Cow<'t, str> {
        cell.meaning(self.text)
    }

    fn headings(&mut self, row: &Row) {
        self.heading = row.span();
        let mut seen: Vec<Column> = Vec::new();
        for cell in &row.cells {
            let column = column(&self.meaning(cell));
            if let Some(column) = column {
                if seen.contains(&column) {
                    let message = format!("a second column `{}`", quoted(&self.meaning(cell)));
                    self.fault("duplicate-column", cell.span.clone(), message, "each column once");
                }
                seen.push(column);
            }
            self.columns.push(column);
        }
        let needed = [
            (Column::Device(0), "start device"),
            (Column::Port(0), "start port"),
            (Column::Device(1), "end device"),
            (Column::Port(1), "end port"),
        ];
        for (column, name) in needed.into_iter().filter(|(column, _)| !seen.contains(column)) {
            let message = format!("no column is called `{name}`");
            let has = self.text[self.heading.clone()].split(',').map(str::trim);
            let fault = Fault::new(
                "no-column",
                self.heading.clone(),
                message,
                "a column for each end's device and port",
            );
            let near = simnet_base::diagnostics::nearest(
                name,
                has.filter(|heading| self::column(heading).is_none()),
            );
            let near = near.map(|near| format!("`{}` may be it, misspelt", quoted(near)));
            self.cabling.faults.push(match (near, column) {
                (Some(near), _) => fault.with_help(near),
                (None, _) => fault,
            });
        }
        self.has_types = seen.iter().any(|column| matches!(column, Column::Type(_)));
    }

    fn row(&mut self, row: &Row) {
        if let Some(broken) = row.cells.iter().find(|cell| cell.broken) {
            let at = broken.span.start;
            return self.fault(
                "unbalanced-quote",
                at..at + 1,
                "this quote is not closed".to_owned(),
                "a second quote, then a comma",
            );
        }
        if row.count != self.columns.len() {
            let span = row.extra.clone().unwrap_or_else(|| row.span());
            let message = format!("a row of {} cells", row.count);
            return self.fault(
                "row-length",
                span,
                message,
                &format!("{} cells, as the first row has", self.columns.len()),
            );
        }
        let mut ends = [Told::default(), Told::default()];
        let (mut rate, mut length) = (None, None);
        let pairs: Vec<(Option<Column>, &Cell)> = self.columns.iter().copied().zip(&row.cells).collect();
        for (column, cell) in pairs {
            match column {
                Some(Column::Device(end)) => ends[end].device = Some(cell),
                Some(Column::Port(end)) => ends[end].port = Some(cell),
                Some(Column::Type(end)) => ends[end].kind = Some(cell),
                Some(Column::Rate) => rate = self.quantity::<BitRate>(cell),
                Some(Column::Length) => length = self.quantity::<Length>(cell),
                None => {}
            }
        }
        let sides = [&ends[0], &ends[1]].map(|told| self.side(told));
        if let [Some(a), Some(b)] = sides {
            self.cabling.measured_cable([a, b], rate, length);
        }
    }

    /// A quantity; none where the cell is empty, and a fault where it is none.
    fn quantity<U: Unit>(&mut self, cell: &Cell) -> Option<U> {
        let text = self.meaning(cell);
        if text.trim().is_empty() {
            return None;
        }
        U::parse(&text)
            .map_err(|error| {
                let expected = format!("{} with a unit, such as {}, or nothing", U::KIND, U::EXAMPLE);
                self.fault("quantity", cell.span.clone(), error.to_string(), &expected);
            })
            .ok()
    }

    fn side(&mut self, told: &Told<'_>) -> Option<Side> {
        let device = told.device.expect("its column is there");
        let name = self.meaning(device);
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            let message = "a device without a name, or with a control character in it".to_owned();
            self.fault("no-name", device.span.clone(), message, "a name that can be printed");
            return None;
        }
        let is_switch = told.kind.and_then(|kind| self.kind(kind));
        let node = self.cabling.find(&name).unwrap_or_else(|| {
            self.typed.push(false);
            let node = DraftNode { is_switch: true, name: name.clone().into_owned(), ..DraftNode::default() };
            self.cabling.add(&name, node)
        });
        if let (Some(is_switch), Some(kind)) = (is_switch, told.kind) {
            if self.typed[node] && self.cabling.nodes[node].is_switch != is_switch {
                let message = format!("`{}` is of another type in an earlier row", quoted(&name));
                self.fault("other-type", kind.span.clone(), message, "one type for each device");
            }
            self.typed[node] = true;
            self.cabling.nodes[node].is_switch = is_switch;
        }
        let port = told.port.expect("its column is there");
        let text = self.meaning(port);
        let text = text.trim();
        let span = if text.is_empty() { device.span.clone() } else { port.span.clone() };
        Some(Side { node, port: (!text.is_empty()).then(|| PortName::of(text)), span })
    }

    /// Whether a cell says `switch` or `host`.
    fn kind(&mut self, cell: &Cell) -> Option<bool> {
        let text = self.meaning(cell);
        match text.trim().to_lowercase().as_str() {
            "switch" => Some(true),
            "host" => Some(false),
            _ => {
                let message = format!("`{}` is no type of device", quoted(&text));
                self.fault("node-type", cell.span.clone(), message, "switch or host");
                None
            }
        }
    }

    /// Takes devices with one cable for hosts where nothing says what they are, and warns of that.
    fn hosts(&mut self) -> Vec<Fault> {
        if self.has_types {
            return Vec::new();
        }
        let degrees = self.cabling.degrees();
        let mut names = Vec::new();
        for (node, _) in self.cabling.nodes.iter_mut().zip(degrees).filter(|(_, degree)| *degree == 1) {
            node.is_switch = false;
            names.push(node.name.clone());
        }
        let message = format!(
            "no column says what is a host: {} devices with one cable are taken for hosts: {}",
            names.len(),
            some_of(names.iter().map(String::as_str))
        );
        let way_out = "columns `start type` and `end type`, with switch or host, say it";
        vec![Fault::new("no-types", self.heading.clone(), message, way_out)]
    }
}

/// Writes a network: its cables, with the types of devices, rates and lengths. Nodes without a cable, guids,
/// descriptions and free ports are left out.
pub(super) fn write(net: &Network) -> String {
    let mut text = String::new();
    cells::add_row(&mut text, WRITTEN);
    for link in net.links() {
        let [a, b] = [link.a, link.b].map(|end| written(net, end));
        let rate = link.rate.map(|rate| rate.to_string()).unwrap_or_default();
        let length = link.length.map(|length| length.to_string()).unwrap_or_default();
        cells::add_row(&mut text, a.into_iter().chain(b).chain([rate, length]));
    }
    text
}

fn written(net: &Network, end: End) -> [String; 3] {
    let kind = if matches!(end.node, Node::Switch(_)) { "switch" } else { "host" };
    [net.name_of(end.node).to_owned(), kind.to_owned(), end.port.to_string()]
}
