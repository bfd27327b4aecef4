//! The line of a wire or a cable: `P1 -4x-10G-> main P3`.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use crate::topology::formats::ibnetdiscover::rate;
use crate::topology::formats::lines::{Word, words};

/// The widths and what lanes may signal with, Gb/s.
const WIDTHS: [&str; 4] = ["1x", "4x", "8x", "12x"];
const LANES: [&str; 3] = ["2.5", "5", "10"];

/// A line with an arrow.
#[derive(Clone, Debug)]
pub(super) struct Wire<'t> {
    /// What stands before the arrow.
    pub(super) port: Word<'t>,
    pub(super) speed: Speed,
    /// What stands after it.
    pub(super) to: Vec<Word<'t>>,
}

/// What an arrow says of a wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Speed {
    width: Option<&'static str>,
    lane: Option<&'static str>,
}

impl Speed {
    /// The data rate, where either the width or the speed is given.
    pub(super) fn rate(self) -> Option<BitRate> {
        self.width.or(self.lane)?;
        rate::of_signalled(self.width.unwrap_or("4x"), self.lane.unwrap_or("2.5"))
    }
}

/// Whether a word is an arrow, with or without a width and a speed in it.
pub(super) fn is_arrow(word: &str) -> bool {
    word.starts_with('-') && word.ends_with("->") || word == "->"
}

/// Whether a line has an arrow behind its first word and at least `least` words behind that.
pub(super) fn looks_like_one(line: Word<'_>, least: usize) -> bool {
    let mut parts = words(line).skip(1);
    parts.next().is_some_and(|arrow| is_arrow(arrow.text)) && parts.count() >= least
}

/// Reads a line.
///
/// # Errors
/// No arrow, or a width or speed in it that there is not.
pub(super) fn parse(line: Word<'_>) -> Result<Wire<'_>, Fault> {
    let mut parts = words(line);
    let port = parts.next().expect("the line is not blank");
    let Some(arrow) = parts.next().filter(|arrow| is_arrow(arrow.text)) else {
        let message = format!("`{}` begins neither a system nor a cable", quoted(port.text));
        return Err(Fault::new(
            "not-a-cable",
            port.span(),
            message,
            "a port, an arrow such as -4x-10G->, and where to",
        ));
    };
    Ok(Wire { port, speed: speed(arrow)?, to: parts.collect() })
}

fn speed(arrow: Word<'_>) -> Result<Speed, Fault> {
    let mut speed = Speed::default();
    let inside = arrow.text.strip_suffix("->").unwrap_or_default().trim_start_matches('-');
    for part in inside.split('-').filter(|part| !part.is_empty()) {
        let width = WIDTHS.into_iter().find(|width| width.eq_ignore_ascii_case(part));
        let lane = LANES.into_iter().find(|lane| part.strip_suffix('G') == Some(lane));
        match (width, lane) {
            (Some(width), _) if speed == Speed::default() => speed.width = Some(width),
            (None, Some(lane)) if speed.lane.is_none() => speed.lane = Some(lane),
            _ => {
                let message = format!("`{}` is no width and speed of a link", quoted(arrow.text));
                let expected =
                    "->, or a width (1x, 4x, 8x, 12x) and a speed (2.5G, 5G, 10G) in it, such as -4x-10G->";
                return Err(Fault::new("unknown-speed", arrow.span(), message, expected));
            }
        }
    }
    Ok(speed)
}
