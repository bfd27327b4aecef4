//! Other reports of the same tools, which look alike and hold less.

use simnet_base::diagnostics::Fault;

use super::line::Piece;

/// What `iblinkinfo` prints, with or without `-l`.
const LINK_REPORT: (&str, &str) =
    ("iblinkinfo", "blocks of nodes and their ports, as ibnetdiscover prints them");

/// Why a file is refused as a whole, if this line is of a report that is not a dump.
pub(super) fn fault(line: &Piece<'_>) -> Option<Fault> {
    let (made_by, lacks) = report(line.text)?;
    let message = format!("this is what `{made_by}` prints, not a dump of the network");
    let fault = Fault::new("near-miss", line.span.clone(), message, lacks);
    Some(fault.with_help("run `ibnetdiscover` without options, or with `-g` or `-f`, and give its output"))
}

/// Which command prints such a line, and why it will not do.
pub(super) fn report(line: &str) -> Option<(&'static str, &'static str)> {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_guid = |word: &str| word.starts_with("0x");
    match first {
        "SW" | "CA" | "RT" | "??" if number(second) => {
            let [port, guid] = [words.next()?, words.next()?];
            (number(port) && is_guid(guid))
                .then_some(("ibnetdiscover -p", "blocks of nodes and their ports, as without `-p`"))
        }
        "Switch" | "Ca" | "Router" | "???" if second == ":" && is_guid(words.next()?) => Some((
            "ibnetdiscover -l",
            "blocks of nodes and their ports; a list (-l, -S, -H, -R) has no cables",
        )),
        "<" | ">" => Some(("ibnetdiscover --diff", "blocks of nodes and their ports, as without `--diff`")),
        "Switch:" | "CA:" | "RT:" => Some(LINK_REPORT),
        _ if is_guid(first) && second.starts_with('"') => Some(LINK_REPORT),
        _ => None,
    }
}
