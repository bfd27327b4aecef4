//! Topology files of ibdm (ibutils), with the descriptions of systems (`.ibnl`) that they are about.
//!
//! ```text
//! Gnu GNU1 CFG: leaf2=R                 a system: its type, its name, and boards that are other ones or removed
//!   M/P1 -4x-10G-> Cougar H01 P1        a cable: from this panel port to another system's, how wide and how fast
//!
//!   .topo --> systems and cables between panels --+
//!   .ibnl --> boards, devices and wires ----------+--> devices and cables between their ports
//! ```
//!
//! # Scope and limitations
//! A system is one device or many, and only the `.ibnl` file of its type says which, and which port is behind which
//! name on its panel. These files are looked for beside the topology file, then in the folder `ibnl` beside it: every
//! file whose name ends in `.ibnl`, in order, the first that has the type after `TOPSYSTEM`. A type that none has is a
//! fault.
//!
//! Each device is a node: `SW` a switch, `CA` and `HCA` a host. A system of one device lends it its name; of several,
//! each is called by the system, the boards that it is on and its own name, as ibdm does: `GNU1/main/U1`. Ports count
//! from 1. There are no guids. A cable may be listed once, or once in the section of each of its systems. Its rate is
//! what its line says, else what the `.ibnl` files say of the devices' ports, the slower of two; where only the width
//! is given lanes signal with 2.5 Gb/s, and 4x is the width where only that is. Attributes of devices are passed over.
//!
//! # Source
//! ibdm-topo-file(1) and ibdm-ibnl-file(1); `Fabric.cpp` (`parseTopology`, `addCable`), `SysDef.cpp` and
//! `ibnl_parser.yy` of ibutils. Departures: a line that ibdm skips with a warning is a fault, as are a second section
//! of a system, a second type for it, a board that it has not, and a port that is wired twice; where nothing says how
//! fast a cable is, it has no rate (ibdm: 4x at 2.5 Gb/s); the folders of ibdm's installation are not looked into.
//!
//! # Validation
//! tests/network/formats/foreign/ibdm.rs: a network by hand, damaged files pinned, damage at random;
//! tests/it/interop/ibdm.rs: the devices and cables that the real ibdm builds of all files of ibutils.

mod ibnl;
mod library;
mod system;
mod wire;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use simnet_base::diagnostics::{Fault, Faults, quoted};
use simnet_base::units::BitRate;

use super::cabling::{Cabling, PortName, Side};
use super::lines::{DraftNode, Word, lines, words};
use super::{MOST_HOSTS, Parsed, Unread};
use library::Library;
use system::{Boards, System};
use wire::Wire;

/// How many lines with words on them are looked at before a text counts as another format.
const LOOKED_AT: usize = 100;

/// Whether one of the first lines of a text is of a cable; edges of DOT have arrows too, and braces before them.
pub(super) fn recognises(text: &str) -> bool {
    let mut said = lines(text).filter(is_said).take(LOOKED_AT);
    said.all(|line| !line.text.contains('{')) && lines(text).filter(is_said).take(LOOKED_AT).any(is_cable)
}

/// Whether a line is indented, with an arrow behind its first word and three words behind that.
fn is_cable(line: Word<'_>) -> bool {
    let is_indented = line.text.starts_with([' ', '\t']);
    is_indented && wire::looks_like_one(line, 3) && !words(line).skip(2).any(|word| wire::is_arrow(word.text))
}

fn is_said(line: &Word<'_>) -> bool {
    !line.text.trim().is_empty() && !line.text.trim_start().starts_with('#')
}

/// Reads a network; `folder` is where the file lies.
///
/// # Errors
/// Every fault of the text; or every fault of the first `.ibnl` file that has some.
pub(super) fn read(text: &str, folder: Option<&Path>) -> Result<Parsed, Unread> {
    let mut topology = Topology { library: Library::of(folder), ..Topology::default() };
    let mut lines_of_cables = Vec::new();
    let mut section: Option<String> = None;
    // A system's own line has its boards: all of them come before cables that name it.
    for line in lines(text) {
        if line.text.trim().is_empty() {
            section = None;
        } else if is_said(&line) {
            match header(line) {
                Some(header) => section = Some(topology.section(&header)?),
                None => lines_of_cables.push((section.clone(), line)),
            }
        }
    }
    for (section, line) in lines_of_cables {
        topology.cable(section, line)?;
    }
    Ok(topology.cabling.network(text.trim_end().len()).map(Parsed::from)?)
}

/// The line that begins a section.
#[derive(Clone, Debug)]
struct Header<'t> {
    kind: Word<'t>,
    name: Word<'t>,
    /// What follows `CFG:`.
    boards: Option<Word<'t>>,
}

fn header(line: Word<'_>) -> Option<Header<'_>> {
    let mut parts = words(line);
    let (kind, name) = (parts.next()?, parts.next()?);
    let is_name = |word: &str| !word.contains(['/', '{', '=']) && !wire::is_arrow(word);
    if !is_name(kind.text) || !is_name(name.text) {
        return None;
    }
    let boards = match parts.next() {
        None => None,
        Some(third) => {
            let rest = &line.text[third.start - line.start..];
            let boards = rest.strip_prefix("CFG:")?;
            Some(Word { text: boards, start: third.start + (rest.len() - boards.len()) })
        }
    };
    Some(Header { kind, name, boards })
}

/// The systems and cables found so far.
#[derive(Default)]
struct Topology {
    library: Library,
    cabling: Cabling,
    /// By name: the type, and the position of its first device among the nodes; none where it cannot be built.
    systems: BTreeMap<String, Placed>,
    /// Types that no file has, each a fault already.
    unknown: Vec<String>,
}

#[derive(Clone)]
struct Placed {
    kind: String,
    built: Option<(usize, Rc<System>)>,
}

impl Topology {
    /// A system with a line of its own: its name.
    fn section(&mut self, header: &Header<'_>) -> Result<String, Box<Faults>> {
        let name = header.name.text.to_owned();
        if self.systems.contains_key(&name) {
            let message = format!("system `{}` has a section already", quoted(&name));
            self.cabling.fault(
                "duplicate-system",
                header.name.span(),
                message,
                "one section for each system",
            );
            return Ok(name);
        }
        let boards = header.boards.map(|text| self.boards(text)).unwrap_or_default();
        self.place(header.kind, &name, &boards)?;
        Ok(name)
    }

    /// `leaf3=R,spine1=R`.
    fn boards(&mut self, text: Word<'_>) -> Boards {
        let mut boards = Boards::new();
        let at = |word: &str| text.start + (word.as_ptr().addr() - text.text.as_ptr().addr());
        for item in text.text.split([',', ' ', '\t']).filter(|item| !item.is_empty()) {
            let span = at(item)..at(item) + item.len();
            match item.split_once('=').filter(|(board, kind)| !board.is_empty() && !kind.is_empty()) {
                Some((board, kind)) => {
                    if boards.insert(board.to_owned(), (kind.to_owned(), span.clone())).is_some() {
                        let message = format!("the board `{}` is set twice", quoted(board));
                        self.cabling.fault("duplicate-key", span, message, "each board once");
                    }
                }
                None => {
                    let message = format!("`{}` sets no board", quoted(item));
                    self.cabling.fault("not-a-key", span, message, "BOARD=KIND, such as leaf3=R");
                }
            }
        }
        boards
    }

    /// Puts the devices and the wires of a system among the others.
    fn place(&mut self, kind: Word<'_>, name: &str, boards: &Boards) -> Result<(), Box<Faults>> {
        let built = match self.build(kind, boards)? {
            Some(system) if self.cabling.nodes.len() + system.devices.len() > MOST_HOSTS => {
                let message = format!("the systems up to `{}` have too many devices", quoted(name));
                let expected = format!("at most {MOST_HOSTS} in all");
                self.cabling.fault("too-many-names", kind.span(), message, &expected);
                None
            }
            Some(system) => Some((self.add(name, &system, &kind.span()), system)),
            None => None,
        };
        self.systems.insert(name.to_owned(), Placed { kind: kind.text.to_owned(), built });
        Ok(())
    }

    /// The system of a type; faults where no file has it, or boards are none of its own.
    fn build(&mut self, kind: Word<'_>, boards: &Boards) -> Result<Option<Rc<System>>, Box<Faults>> {
        match self.library.system(kind.text, boards)? {
            Some(Ok(system)) => Ok(Some(system)),
            Some(Err(faults)) => {
                self.cabling.faults.extend(faults);
                Ok(None)
            }
            None => {
                if !self.unknown.iter().any(|known| known == kind.text) {
                    self.unknown.push(kind.text.to_owned());
                    let fault = self.library.missing(kind.text, kind.span());
                    self.cabling.faults.push(fault);
                }
                Ok(None)
            }
        }
    }

    /// Adds devices and wires; gives the position of the first device.
    fn add(&mut self, name: &str, system: &System, span: &Range<usize>) -> usize {
        let first = self.cabling.nodes.len();
        for device in &system.devices {
            let name = match system.devices.len() {
                1 => name.to_owned(),
                _ => format!("{name}/{}", device.path),
            };
            let (is_switch, ports) = (device.is_switch, device.ports);
            let node =
                DraftNode { is_switch, name: name.clone(), ports, first_port: 1, ..DraftNode::default() };
            self.cabling.add(&name, node);
        }
        for wired in &system.wires {
            let sides = wired.ends.map(|(device, port)| Side {
                node: first + device,
                port: Some(PortName::Number(port)),
                span: span.clone(),
            });
            self.cabling.cable(sides, wired.rate);
        }
        first
    }

    fn cable(&mut self, section: Option<String>, line: Word<'_>) -> Result<(), Box<Faults>> {
        let Wire { port, speed, to } = match wire::parse(line) {
            Ok(wire) => wire,
            Err(fault) => {
                self.cabling.faults.push(fault);
                return Ok(());
            }
        };
        let [kind, name, far_port] = to[..] else {
            let message = format!("{} words stand after the arrow", to.len());
            let expected = "the type, the name and the port of the other system";
            self.cabling.fault("not-a-cable", line.span(), message, expected);
            return Ok(());
        };
        let Some(section) = section else {
            let message = "a cable of no system: a blank line ends a section".to_owned();
            self.cabling.fault(
                "no-system",
                port.span(),
                message,
                "the type and the name of a system before it",
            );
            return Ok(());
        };
        match self.systems.get(name.text) {
            None => self.place(kind, name.text, &Boards::new())?,
            Some(placed) if placed.kind != kind.text => {
                let message = format!("`{}` is of type `{}`", quoted(name.text), quoted(&placed.kind));
                self.cabling.fault("other-type", kind.span(), message, "one type for each system");
                return Ok(());
            }
            Some(_) => {}
        }
        let ends = [self.side(&section, port), self.side(name.text, far_port)];
        if let [Some((near, at)), Some((far, far_at))] = ends {
            let rate = speed.rate().or_else(|| at.into_iter().chain(far_at).min());
            self.cabling.cable([near, far], rate);
        }
        Ok(())
    }

    /// A port of a system by the name on its panel, and the rate that its description gives.
    fn side(&mut self, name: &str, port: Word<'_>) -> Option<(Side, Option<BitRate>)> {
        let placed = self.systems.get(name).cloned()?;
        let (first, system) = placed.built?;
        let Some(panel) = system.panel.get(port.text) else {
            let message = format!(
                "`{}`, of type `{}`, has no port `{}`",
                quoted(name),
                quoted(&placed.kind),
                quoted(port.text)
            );
            let fault = Fault::new("no-such-port", port.span(), message, "a name on its panel");
            let hint = self.cabling.faults.len() < 100;
            let names = system.panel.keys().map(String::as_str);
            self.cabling.faults.push(if hint { fault.with_nearest(port.text, names) } else { fault });
            return None;
        };
        let number = PortName::Number(panel.port);
        Some((Side { node: first + panel.device, port: Some(number), span: port.span() }, panel.rate))
    }
}
