//! Formats of networks that are known and not read: each is refused by its name, with what can be read in its place,
//! rather than by what a reader of another format would make of it.
//!
//! # Source
//! simgrid.dtd; `write_into_file` of hwloc's netloc_ib_extract_dats.c; ibdm-ibnl-file(1) of ibutils.

use simnet_base::diagnostics::Fault;

/// How many bytes of a text are looked at.
const HEAD: usize = 1 << 16;

/// What a text is: its format's name, and what to do.
type Known = (&'static str, &'static str);

const SIMGRID: Known = (
    "a platform of SimGrid",
    "its routes list links and it has no cabling of switches: write the switches as GraphML or simnet's own JSON",
);
const NETLOC_LISTS: Known = (
    "what netloc_ib_extract_dats of hwloc makes (IB-*-nodes.txt)",
    "it is made from ib-subnet-*.txt, which ibnetdiscover printed: give that file instead",
);
const IBDM_IBNL: Known = (
    "a description of a system for ibdm (.ibnl)",
    "it is no network but what one system holds: give the topology file that names it, which finds it beside itself",
);
/// The fault of a text in a format that is known and not read; `None` for any other. Costs little, however long it is.
pub(super) fn refusal(text: &str) -> Option<Fault> {
    let start = text.len() - text.trim_start().len();
    let head = &text[start..text.floor_char_boundary(start.saturating_add(HEAD))];
    let (what, help) = known(head)?;
    let first = head.lines().next().unwrap_or_default().trim_end();
    let message = format!("this is {what}, which simnet does not read");
    Some(
        Fault::new("format-not-read", start..start + first.len(), message, "recognised by its content")
            .with_help(help),
    )
}

fn known(head: &str) -> Option<Known> {
    let has = |text: &str| head.contains(text);
    match head.as_bytes().first()? {
        b'<' if has("<platform") || has("simgrid.dtd") => Some(SIMGRID),
        b'{' | b'<' | b'[' => None,
        _ => known_by_lines(head),
    }
}

fn known_by_lines(head: &str) -> Option<Known> {
    let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut lines = head.lines().filter(is_said);
    let (first, second) = (lines.next()?, lines.next().unwrap_or_default());
    let words: Vec<&str> = first.split_whitespace().collect();
    match words[..] {
        ["SYSTEM" | "TOPSYSTEM", _] => Some(IBDM_IBNL),
        // How many nodes, then each by its guid, lid and type.
        [count] if is_number(count) && is_netloc_node(second) => Some(NETLOC_LISTS),
        _ => None,
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a line gives a node as `0002:c903:0000:0001,4,1,`.
fn is_netloc_node(line: &str) -> bool {
    let mut cells = line.split(',');
    let is_hex = |group: &str| group.len() == 4 && group.bytes().all(|digit| digit.is_ascii_hexdigit());
    cells.next().is_some_and(|id| id.split(':').count() == 4 && id.split(':').all(is_hex))
        && cells.next().is_some_and(is_number)
        && cells.next().is_some_and(is_number)
}
