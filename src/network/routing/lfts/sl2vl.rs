//! Which lane a packet takes at a switch: SL2VL tables, as OpenSM and ibdiagnet write them.
//!
//! ```text
//!   Switch 0x0200000000010000, base LID 1, "s0"            0x0200000000010000 0 1 0x01 0x23 0x45 0x67 0x01 ..
//!   #in out : 0  1  2  3  4  5  6  7  8  9  10 ..          switch's guid, in, out, two lanes a byte
//!   #--------------------------------------------
//!   0   1   : 0  1  2  3  4  5  6  7  0  1  2 ..
//!   #--------------------------------------------
//! ```
//!
//! # Scope and limitations
//! A switch is found by the guid that the forwarding tables have for it, or as they find theirs. A row gives the lane
//! of each service level for packets from one port to another; port 0 is that of management. Lane 15 means that such
//! packets are dropped. Tables of channel adapters are read and not kept: the lane of a host's own cable is in no
//! cycle. A dump that was cut off is refused: a table of OpenSM ends by a line, and every switch needs the rows from
//! all its cables to all other ports by which it sends hosts' packets on to a switch.
//!
//! # Source
//! `dump_sl2vl_tbl` of OpenSM's `osm_dump.c`; InfiniBand Architecture Specification 1.2.1, section 14.2.5.8.

use std::ops::Range;

use crate::topology::{End, Network};
use simnet_base::diagnostics::{Fault, Faults, decode, quoted};
use simnet_base::ids::{Node, Port, SwitchId};

use super::owners::Switches;
use super::words::{hexadecimal, lines};
use super::{ForwardingTables, digest};

/// How many service levels there are.
pub(super) const LEVELS: usize = 16;

/// The lane on which nothing but management goes: where a table names it, a packet is dropped.
pub const DROPPED: u8 = 15;

/// The lanes that switches give packets by their service level.
#[derive(Clone, Debug)]
pub struct LaneTables {
    /// Per switch in order of (input, output).
    pub(super) rows: Vec<Vec<Row>>,
    /// Per switch the number of its first port, which is port 1 to the tables.
    pub(super) first_ports: Vec<u16>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    ports: (u8, u8),
    lanes: [u8; LEVELS],
}

impl LaneTables {
    /// The lane by which a switch sends on what comes in by `input`, or [`DROPPED`]; 0 where no row says, as on the way
    /// back through the same port. Costs O(log rows of the switch).
    ///
    /// # Panics
    /// If `level` is above 15.
    pub fn lane(&self, switch: SwitchId, input: Port, output: Port, level: u8) -> u8 {
        let number = |port: Port| numbered(port, self.first_ports[switch.index()]);
        let (Some(input), Some(output)) = (number(input), number(output)) else { return 0 };
        let rows = &self.rows[switch.index()];
        let row = rows.binary_search_by_key(&(input, output), |row| row.ports);
        row.map_or(0, |nth| rows[nth].lanes[usize::from(level)])
    }

    /// How many lanes there may be, counted from lane 0.
    pub(super) fn lanes(&self) -> u8 {
        let lanes = self.rows.iter().flatten().flat_map(|row| row.lanes);
        lanes.filter(|lane| *lane != DROPPED).max().map_or(1, |most| most + 1)
    }

    /// Whether any row drops any service level.
    pub(super) fn drop_some(&self) -> bool {
        self.rows.iter().flatten().any(|row| row.lanes.contains(&DROPPED))
    }
}

/// What a port is called in the tables.
fn numbered(port: Port, first: u16) -> Option<u8> {
    u8::try_from(port.0.checked_sub(first)?.checked_add(1)?).ok()
}

/// Reads the SL2VL tables in a file that the user calls `file`, of the switches that have `tables`.
///
/// # Errors
/// All faults of the file: text that is neither format, or cut off; switches and ports that the network does not have;
/// rows that stand twice, are missing, or name lanes that there are not; another digest than that of the tables.
pub fn read_sl2vl(
    network: &Network,
    tables: &ForwardingTables,
    file: &str,
    bytes: &[u8],
) -> Result<LaneTables, Box<Faults>> {
    let text = decode(file, bytes)?;
    let mut reader = Reader::new(network, tables);
    reader.faults.extend(digest::of_another(tables, text));
    for (line, span) in lines(text) {
        reader.line(line, span);
    }
    let end = text.trim_end().len();
    reader.end(end);
    if reader.faults.is_empty() {
        reader.sort_rows();
    }
    if reader.faults.is_empty() {
        let missing = network.switch_ids().filter_map(|switch| reader.missing(tables, switch));
        reader.faults = missing.map(|message| missing_row(message, end)).collect();
    }
    if reader.faults.is_empty() {
        let rows = reader.rows.into_iter().map(|rows| rows.into_iter().map(|(row, _)| row).collect());
        let first_ports = network.switch_ids().map(|s| network.port_range(Node::Switch(s)).0).collect();
        return Ok(LaneTables { rows: rows.collect(), first_ports });
    }
    reader.faults.sort_by_key(|fault| fault.span.start);
    Err(Box::new(Faults::new(file, text, reader.faults)))
}

fn missing_row(message: String, end: usize) -> Fault {
    Fault::new("missing-row", end..end, message, "a row for every two ports that packets may pass")
        .with_help("write the tables again: this file was cut off, or the switch did not answer")
}

struct Reader<'n> {
    network: &'n Network,
    tables: &'n ForwardingTables,
    switches: Switches<'n>,
    /// Per switch its rows as they come, each with its place.
    rows: Vec<Vec<(Row, Range<usize>)>>,
    /// The table of OpenSM's that is being read.
    open: Option<Open>,
    is_any: bool,
    faults: Vec<Fault>,
}

/// A table of OpenSM's.
struct Open {
    /// None for a channel adapter.
    switch: Option<SwitchId>,
    /// How many lines of dashes came: the first is above the rows, the second ends them.
    dashes: u8,
}

impl<'n> Reader<'n> {
    fn new(network: &'n Network, tables: &'n ForwardingTables) -> Reader<'n> {
        let rows = vec![Vec::new(); network.switches().len()];
        Reader {
            network,
            tables,
            switches: Switches::new(network),
            rows,
            open: None,
            is_any: false,
            faults: Vec::new(),
        }
    }

    fn line(&mut self, line: &str, span: Range<usize>) {
        if line.starts_with("#---") {
            self.dashes();
        } else if line.is_empty() || line.starts_with('#') {
        } else if line.starts_with("0x") {
            self.of_ibdiagnet(line, span);
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            self.of_opensm(line, span);
        } else {
            self.header(line, span);
        }
    }

    fn dashes(&mut self) {
        if let Some(open) = &mut self.open {
            open.dashes += 1;
            if open.dashes == 2 {
                self.open = None;
            }
        }
    }

    fn end(&mut self, end: usize) {
        if self.open.is_some() {
            let message = "the file ends within a table";
            self.faults.push(Fault::new(
                "cut-off",
                end..end,
                message,
                "its other rows, and a line of dashes",
            ));
        } else if !self.is_any && self.faults.is_empty() {
            let message = "the file has no SL2VL table";
            let expected = "`Switch 0x.., base LID N, \"..\"` or `0x.. in out 0x01 0x23 ..`";
            self.faults.push(Fault::new("no-table", end..end, message, expected));
        }
    }

    /// `Switch 0x0200000000010000, base LID 1, "s0"`, or that of a channel adapter or router.
    fn header(&mut self, line: &str, span: Range<usize>) {
        if self.open.take().is_some() {
            let message = "the table before this has no end";
            self.faults.push(Fault::new("cut-off", span.clone(), message, "a line of dashes before this"));
        }
        let Some((is_switch, guid, description)) = header(line) else {
            let message = "this is no line of an SL2VL table";
            let expected = "`Switch 0x.., base LID N, \"..\"`";
            self.faults.push(Fault::new("table-header", span, message, expected));
            return;
        };
        let switch = if is_switch { self.switch(guid, description, span.clone()) } else { None };
        if let Some(switch) = switch
            && !self.rows[switch.index()].is_empty()
        {
            let message = format!("the switch {} has a table already", quoted(description));
            self.faults.push(Fault::new("duplicate-table", span, message, "one table a switch"));
        }
        self.is_any = true;
        self.open = Some(Open { switch, dashes: 0 });
    }

    fn switch(&mut self, guid: u64, description: &str, span: Range<usize>) -> Option<SwitchId> {
        let by_tables = self.tables.switch_guids.get(&guid).copied();
        let found = by_tables.or_else(|| self.switches.find(guid, description));
        if found.is_none() && !self.network.is_left_out(guid) {
            let name = quoted(&self.network.name);
            let described =
                if description.is_empty() { String::new() } else { format!(" {}", quoted(description)) };
            let message = format!("{name} has no switch{described} of guid {guid:#x}");
            self.faults.push(Fault::new("unknown-switch", span, message, "a switch of the network"));
        }
        found
    }

    /// `1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7`
    fn of_opensm(&mut self, line: &str, span: Range<usize>) {
        let Some(row) = opensm_row(line) else {
            self.bad_row(span, "`in out : 16 lanes`, each from 0 to 15");
            return;
        };
        let Some(open) = &self.open else {
            // Only the first of many is reported where the header was wrong.
            if self.faults.is_empty() {
                self.bad_row(span, "`Switch 0x.., base LID N, \"..\"` before any row");
            }
            return;
        };
        if let Some(switch) = open.switch {
            self.add(switch, row, span);
        }
    }

    /// `0x0200000000010000 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67`
    fn of_ibdiagnet(&mut self, line: &str, span: Range<usize>) {
        let Some((guid, row)) = ibdiagnet_row(line) else {
            self.bad_row(span, "`0x.. in out`, and eight bytes as 0x01, a lane each half of one");
            return;
        };
        self.is_any = true;
        if let Some(switch) = self.switch(guid, "", span.clone()) {
            self.add(switch, row, span);
        }
    }

    fn add(&mut self, switch: SwitchId, row: Row, span: Range<usize>) {
        let (_, ports) = self.network.port_range(Node::Switch(switch));
        if u16::from(row.ports.0.max(row.ports.1)) > ports {
            let name = quoted(self.network.name_of(Node::Switch(switch)));
            let message = format!("the switch {name} has {ports} ports");
            self.faults.push(Fault::new("no-such-port", span, message, format!("ports from 0 to {ports}")));
            return;
        }
        self.rows[switch.index()].push((row, span));
    }

    fn bad_row(&mut self, span: Range<usize>, expected: &str) {
        self.faults.push(Fault::new("lane-row", span, "this is no row of an SL2VL table", expected));
    }

    /// Puts every switch's rows in order, and finds those that stand twice.
    fn sort_rows(&mut self) {
        for rows in &mut self.rows {
            rows.sort_by_key(|(row, span)| (row.ports, span.start));
            for two in rows.windows(2).filter(|two| two[0].0.ports == two[1].0.ports) {
                let (input, output) = two[1].0.ports;
                let message = format!("the row from port {input} to port {output} stands twice");
                let expected = "one row for each two ports";
                self.faults.push(Fault::new("duplicate-row", two[1].1.clone(), message, expected));
            }
        }
    }

    /// What is wrong if a switch has no row for two ports that hosts' packets may pass on to another switch.
    fn missing(&self, tables: &ForwardingTables, switch: SwitchId) -> Option<String> {
        let node = Node::Switch(switch);
        let (first, _) = self.network.port_range(node);
        let rows = &self.rows[switch.index()];
        let has = |ports: &(u8, u8)| rows.binary_search_by_key(ports, |(row, _)| row.ports).is_ok();
        let numbers = |port: &Port| numbered(*port, first);
        let inputs: Vec<u8> = self.network.cables(node).filter_map(|(port, _, _)| numbers(&port)).collect();
        let leads_on = |port: &Port| {
            self.network
                .peer(End { node, port: *port })
                .is_some_and(|end| matches!(end.node, Node::Switch(_)))
        };
        let outputs = tables.outputs_to_hosts(switch).into_iter().filter(leads_on);
        let outputs: Vec<u8> = outputs.filter_map(|port| numbers(&port)).collect();
        let pairs = outputs.iter().flat_map(|output| inputs.iter().map(move |input| (*input, *output)));
        let (input, output) = pairs.filter(|(input, output)| input != output).find(|ports| !has(ports))?;
        let name = quoted(self.network.name_of(node));
        Some(format!("no row says which lanes packets take from port {input} to port {output} of {name}"))
    }
}

/// Whether a table is of a switch, and the guid and description of its owner.
fn header(line: &str) -> Option<(bool, u64, &str)> {
    let (kind, rest) = line.split_once(" 0x")?;
    let is_switch = match kind {
        "Switch" => true,
        "Channel Adapter" | "Router" => false,
        _ => return None,
    };
    let (guid, rest) = rest.split_once(", base LID ")?;
    let (lid, rest) = rest.split_once(", ")?;
    lid.parse::<u16>().ok()?;
    let description = rest.strip_prefix('"')?.strip_suffix('"')?;
    Some((is_switch, hexadecimal(guid)?, description))
}

fn opensm_row(line: &str) -> Option<Row> {
    let (ports, lanes) = line.split_once(':')?;
    let mut ports = ports.split_whitespace().map(|word| word.parse().ok());
    let (input, output) = (ports.next()??, ports.next()??);
    let lanes: Vec<u8> = lanes.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let lanes: [u8; LEVELS] = lanes.try_into().ok()?;
    let is_sound = ports.next().is_none() && lanes.iter().all(|lane| *lane <= DROPPED);
    is_sound.then_some(Row { ports: (input, output), lanes })
}

fn ibdiagnet_row(line: &str) -> Option<(u64, Row)> {
    let mut words = line.split_whitespace();
    let guid = hexadecimal(words.next()?.strip_prefix("0x")?)?;
    let ports = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let mut lanes = [0; LEVELS];
    for two in lanes.chunks_mut(2) {
        let digits = words.next()?.strip_prefix("0x").filter(|digits| digits.len() == 2)?;
        let byte = u8::try_from(hexadecimal(digits)?).ok()?;
        two.copy_from_slice(&[byte >> 4, byte & 15]);
    }
    words.next().is_none().then_some((guid, Row { ports, lanes }))
}
