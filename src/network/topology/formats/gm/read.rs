//! Reading a GM map: sections first, then both ends of every cable against each other.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::topology::formats::lines::{Draft, DraftCable, DraftNode, Word, lines};
use crate::topology::formats::{MOST_PORTS, Parsed};
use simnet_base::diagnostics::{Fault, quoted};

/// Whether a text begins with two numbers in a line, then a section.
pub(in crate::topology::formats) fn recognises(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let numbers = lines.next().unwrap_or_default();
    let two = numbers.split_whitespace().count() == 2;
    let numbers = numbers.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace());
    let section = lines.next().is_none_or(|line| line.starts_with("s ") || line.starts_with("h "));
    two && numbers && section
}

/// Reads a network.
///
/// # Errors
/// Every fault of the text.
pub(in crate::topology::formats) fn read(text: &str) -> Result<Parsed, Vec<Fault>> {
    let mut reader = Reader::default();
    let mut rows = Vec::new();
    for line in lines(text) {
        match words(line) {
            Ok(words) if words.is_empty() => {}
            Ok(words) => rows.push(words),
            Err(fault) => reader.faults.push(fault),
        }
    }
    reader.sections(&rows);
    if reader.faults.is_empty() {
        reader.wire();
    }
    if reader.faults.is_empty() {
        reader.count();
    }
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    Ok(Parsed::from(reader.draft.network("")))
}

/// The words of a line; what is in quotes is one word, its quotes included.
fn words(line: Word<'_>) -> Result<Vec<Word<'_>>, Fault> {
    let mut words = Vec::new();
    let text = line.text;
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return Ok(words) };
        let length = if first == '"' {
            let Some(inside) = rest[1..].find('"') else {
                let span = line.start + at..line.start + at + 1;
                return Err(Fault::new("unbalanced", span, "nothing closes this quote", "a second quote"));
            };
            inside + 2
        } else {
            rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len())
        };
        words.push(Word { text: &rest[..length], start: line.start + at });
        at += length;
    }
}

/// A node as a line names it.
#[derive(Clone, Debug)]
struct Named<'t> {
    /// How many ports, of a switch.
    ports: Option<u16>,
    name: &'t str,
    span: Range<usize>,
}

/// A cabled port: whose, which, and where the cable leads.
struct Wire<'t> {
    node: usize,
    port: u16,
    span: Range<usize>,
    far: Named<'t>,
    far_port: u16,
}

#[derive(Default)]
struct Reader<'t> {
    faults: Vec<Fault>,
    draft: Draft,
    by_name: BTreeMap<&'t str, usize>,
    wires: Vec<Wire<'t>>,
    /// How many hosts and switches the first line says, and where.
    declared: [Option<(usize, Range<usize>)>; 2],
    has_host_sections: bool,
}

type Rows<'r, 't> = &'r [Vec<Word<'t>>];

fn number(word: Option<&Word<'_>>, end: usize, most: u32) -> Result<u32, Fault> {
    let Some(word) = word else {
        return Err(Fault::new("cut", end..end, "a number is missing here", "a whole number"));
    };
    let digits = word.text.bytes().all(|byte| byte.is_ascii_digit());
    let number = Some(word.text).filter(|_| digits).and_then(|text| text.parse::<u32>().ok());
    number.filter(|number| *number <= most).ok_or_else(|| {
        let message = format!("`{}` is no number that fits here", quoted(word.text));
        Fault::new("bad-number", word.span(), message, format!("0 to {most}"))
    })
}

fn small(word: Option<&Word<'_>>, end: usize) -> Result<u16, Fault> {
    let number = number(word, end, u32::from(MOST_PORTS))?;
    Ok(u16::try_from(number).expect("it was bounded"))
}

fn end_of(row: &[Word<'_>]) -> usize {
    row.last().map_or(0, |word| word.span().end)
}

impl<'t> Reader<'t> {
    fn sections(&mut self, rows: Rows<'_, 't>) {
        let Some(head) = rows.first() else { return };
        for (nth, declared) in self.declared.iter_mut().enumerate() {
            match number(head.get(nth), end_of(head), u32::MAX) {
                Ok(number) => *declared = Some((number as usize, head[nth].span())),
                Err(fault) => self.faults.push(fault),
            }
        }
        let mut rows = &rows[1..];
        while let Some((row, rest)) = rows.split_first() {
            rows = match row[0].text {
                "s" | "h" => match self.section(row, rest) {
                    Ok(rest) => rest,
                    Err(fault) => {
                        self.faults.push(fault);
                        rest
                    }
                },
                word if word.starts_with(|c: char| c.is_ascii_alphabetic()) => rest,
                word => {
                    let message = format!("`{}` begins no section", quoted(word));
                    // After a fault, lines of its section are no faults of their own.
                    if self.faults.is_empty() {
                        let expected = "`s PORTS \"NAME\"`, `h - \"NAME\"` or `label`";
                        self.faults.push(Fault::new("no-section", row[0].span(), message, expected));
                    }
                    rest
                }
            };
        }
    }

    /// Reads the section that `head` begins, and gives the rows after it.
    fn section<'r>(&mut self, head: &[Word<'t>], rows: Rows<'r, 't>) -> Result<Rows<'r, 't>, Fault> {
        let (named, after) = named(head)?;
        if let Some(word) = after.first() {
            return Err(Fault::new("trailing", word.span(), "nothing belongs here", "the end of the line"));
        }
        let node = self.draft.nodes.len();
        if *self.by_name.entry(named.name).or_insert(node) != node {
            let message = format!("the name `{}` is another node's", quoted(named.name));
            return Err(Fault::new("duplicate-name", named.span, message, "a name of its own"));
        }
        self.has_host_sections |= named.ports.is_none();
        self.push(&named);
        let Some((count, rows)) = rows.split_first() else {
            let end = end_of(head);
            return Err(Fault::new("cut", end..end, "this section has no ports", "how many are cabled"));
        };
        let cables = number(count.first(), end_of(count), u32::from(MOST_PORTS))? as usize;
        let mut used: BTreeMap<u16, ()> = BTreeMap::new();
        for nth in 0..cables {
            let row = rows.get(nth).filter(|row| row[0].text.starts_with(|c: char| c.is_ascii_digit()));
            let Some(row) = row else {
                let message = format!("{cables} cabled ports were announced, and {nth} follow");
                return Err(Fault::new("cut", count[0].span(), message, "one line for each"));
            };
            let wire = wire(row, node, named.ports)?;
            if used.insert(wire.port, ()).is_some() {
                let message = format!("port {} is listed twice", wire.port);
                return Err(Fault::new("port-in-use", wire.span, message, "one line for each port"));
            }
            self.wires.push(wire);
        }
        let rest = &rows[cables..];
        let label = rest.first().filter(|row| row[0].text == "label");
        if let Some(text) = label.and_then(|row| row.get(1)) {
            let text = text.text.trim_matches('"');
            self.draft.nodes[node].description = (text != named.name).then(|| text.to_owned());
        }
        Ok(if label.is_some() { &rest[1..] } else { rest })
    }

    fn push(&mut self, named: &Named<'t>) {
        let is_switch = named.ports.is_some();
        let name = named.name.to_owned();
        self.draft.nodes.push(DraftNode {
            is_switch,
            name,
            ports: named.ports.unwrap_or(1),
            ..DraftNode::default()
        });
    }

    /// Lays the cables; both ends must list each, except where hosts have no sections.
    fn wire(&mut self) {
        let wires = std::mem::take(&mut self.wires);
        let by_end: BTreeMap<(usize, u16), usize> =
            wires.iter().enumerate().map(|(nth, wire)| ((wire.node, wire.port), nth)).collect();
        let mut implied: BTreeMap<(usize, u16), ()> = BTreeMap::new();
        for wire in &wires {
            let Some(far) = self.far(wire) else { continue };
            let ends = [(wire.node, wire.port), (far, wire.far_port)];
            if ends[0] == ends[1] {
                let fault =
                    Fault::new("same-port", wire.span.clone(), "this port leads to itself", "another port");
                self.faults.push(fault);
                continue;
            }
            let back = by_end.get(&ends[1]).map(|nth| &wires[*nth]);
            let agrees = |back: &Wire<'_>| {
                self.by_name.get(back.far.name) == Some(&wire.node) && back.far_port == wire.port
            };
            let sectionless = !self.has_host_sections && wire.far.ports.is_none();
            let sound = match back {
                Some(back) => agrees(back),
                None => sectionless && implied.insert(ends[1], ()).is_none(),
            };
            if !sound {
                let message = format!(
                    "port {} of `{}` is not joined to this port",
                    wire.far_port,
                    quoted(wire.far.name)
                );
                let fault =
                    Fault::new("one-sided", wire.far.span.clone(), message, "the same cable at both ends");
                self.faults.push(fault);
            } else if sectionless || ends[0] < ends[1] {
                self.draft.cables.push(DraftCable { ends, rate: None, length: None });
            }
        }
    }

    /// The node that a cable leads to, which must be what it is declared to be.
    fn far(&mut self, wire: &Wire<'t>) -> Option<usize> {
        let Named { ports, name, span } = &wire.far;
        let Some(node) = self.by_name.get(name).copied() else {
            if ports.is_none() && !self.has_host_sections {
                let node = self.draft.nodes.len();
                self.by_name.insert(name, node);
                self.push(&wire.far);
                return Some(node);
            }
            let message = format!("no section is of `{}`", quoted(name));
            let fault = Fault::new("unknown-node", span.clone(), message, "the name of a switch or host");
            let hint = self.faults.len() < 100;
            self.faults.push(if hint {
                fault.with_nearest(name, self.by_name.keys().copied())
            } else {
                fault
            });
            return None;
        };
        let known = &self.draft.nodes[node];
        if ports.is_some() != known.is_switch || ports.is_some_and(|ports| ports != known.ports) {
            let message = format!("`{}` is something else in its own section", quoted(name));
            let expected = if known.is_switch { format!("`s {}`", known.ports) } else { "`h -`".to_owned() };
            self.faults.push(Fault::new("other-kind", span.clone(), message, expected));
            return None;
        }
        Some(node)
    }

    /// Compares the numbers of hosts and switches with those that the first line says.
    fn count(&mut self) {
        let switches = self.draft.nodes.iter().filter(|node| node.is_switch).count();
        let found = [self.draft.nodes.len() - switches, switches];
        for ((declared, found), what) in self.declared.iter().zip(found).zip(["hosts", "switches"]) {
            if let Some((number, span)) = declared
                && *number != found
            {
                let message = format!("the file has {found} {what}, not {number}");
                self.faults.push(Fault::new("wrong-count", span.clone(), message, format!("{found}")));
            }
        }
    }
}

/// The node that a row begins with, and the words after it.
fn named<'w, 't>(row: &'w [Word<'t>]) -> Result<(Named<'t>, &'w [Word<'t>]), Fault> {
    let end = end_of(row);
    let ports = match (row.first().map(|word| word.text), row.get(1)) {
        (Some("s"), ports) => Some(small(ports, end)?),
        (Some("h"), _) => None,
        _ => {
            let span = row.first().map_or(end..end, Word::span);
            return Err(Fault::new("not-a-node", span, "no node is named here", "`s PORTS` or `h -`"));
        }
    };
    let Some(name) = row.get(2).filter(|word| word.text.starts_with('"')) else {
        let span = row.get(2).map_or(end..end, Word::span);
        return Err(Fault::new("no-name", span, "a name is missing here", "a name in quotes"));
    };
    if ports == Some(0) {
        return Err(Fault::new("bad-number", row[1].span(), "a switch has ports", "at least 1"));
    }
    Ok((Named { ports, name: name.text.trim_matches('"'), span: name.span() }, &row[3..]))
}

fn wire<'t>(row: &[Word<'t>], node: usize, ports: Option<u16>) -> Result<Wire<'t>, Fault> {
    let end = end_of(row);
    let port = small(row.first(), end)?;
    let (far, after) = named(&row[1..])?;
    let far_port = small(after.first(), end)?;
    for (port, word, ports) in [(port, &row[0], ports), (far_port, &after[0], far.ports)] {
        let last = ports.map_or(MOST_PORTS, |ports| ports) - 1;
        if port > last {
            let message = format!("there is no port {port}");
            return Err(Fault::new("no-such-port", word.span(), message, format!("0 to {last}")));
        }
    }
    if let Some(word) = after.get(1) {
        return Err(Fault::new("trailing", word.span(), "nothing belongs here", "the end of the line"));
    }
    Ok(Wire { node, port, span: row[0].span(), far, far_port })
}
