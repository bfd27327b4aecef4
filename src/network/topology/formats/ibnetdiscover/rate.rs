//! What a link carries, from its width and speed: `4xEDR`.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use super::line::Piece;

/// What a link can be wide: the lanes of each direction.
const WIDTHS: [(&str, u64); 5] = [("1x", 1), ("2x", 2), ("4x", 4), ("8x", 8), ("12x", 12)];

/// The speeds, and what a lane carries, b/s: data bits, the line code taken off, as a lane's signalling rate
/// times 8/10 up to QDR and 64/66 from FDR10 on. A lane signals at 2.5 Gb/s (SDR), 5, 10, 10.3125 (FDR10),
/// 14.0625 (FDR) and 25.78125 Gb/s (EDR); HDR, NDR and XDR carry twice, four and eight times what EDR
/// carries.
///
/// FDR's is a fraction, kept as a numerator over 11.
const SPEEDS: [(&str, u64); 9] = [
    ("SDR", 2_000_000_000 * 11),
    ("DDR", 4_000_000_000 * 11),
    ("QDR", 8_000_000_000 * 11),
    ("FDR10", 10_000_000_000 * 11),
    ("FDR", 150_000_000_000),
    ("EDR", 25_000_000_000 * 11),
    ("HDR", 50_000_000_000 * 11),
    ("NDR", 100_000_000_000 * 11),
    ("XDR", 200_000_000_000 * 11),
];

/// What a lane signals with, Gb/s, as OpenSM and ibdm write it, and the speed that it is.
const SIGNALLED: [(&str, &str); 9] = [
    ("2.5", "SDR"),
    ("5", "DDR"),
    ("10", "QDR"),
    ("FDR10", "FDR10"),
    ("14", "FDR"),
    ("25", "EDR"),
    ("50", "HDR"),
    ("100", "NDR"),
    ("200", "XDR"),
];

/// The data rate of a width such as `4x` and a speed such as `EDR`, rounded down to 1 b/s; `None` if it is none.
pub(in crate::topology::formats) fn data_rate(width: &str, speed: &str) -> Option<BitRate> {
    let (_, lanes) = WIDTHS.iter().find(|(name, _)| name.eq_ignore_ascii_case(width))?;
    let (_, lane) = SPEEDS.iter().find(|(name, _)| *name == speed)?;
    BitRate::new(lanes * lane / 11)
}

/// The data rate of a width such as `4x` and what its lanes signal with, such as `2.5`, in Gb/s; `None` if it is none.
pub(in crate::topology::formats) fn of_signalled(width: &str, lane: &str) -> Option<BitRate> {
    let (_, speed) = SIGNALLED.iter().find(|(name, _)| *name == lane)?;
    data_rate(width, speed)
}

/// The width and what its lanes signal with, Gb/s, of a rate: `("4x", "25")`; `None` if it is none of InfiniBand's.
pub(in crate::topology::formats) fn signalled(rate: BitRate) -> Option<(&'static str, &'static str)> {
    let spelt = spelling(rate)?;
    let (width, _) = WIDTHS.iter().find(|(name, _)| spelt.starts_with(name))?;
    let (lane, _) = SIGNALLED.iter().find(|(_, speed)| spelt[width.len()..] == **speed)?;
    Some((width, lane))
}

/// The width and speed that a rate is, the widest link of the usual width first; `None` if it is none.
pub(super) fn spelling(rate: BitRate) -> Option<String> {
    let widths = [4, 1, 2, 8, 12].map(|lanes| WIDTHS.iter().find(|(_, of)| *of == lanes).expect("a width"));
    let mut all = widths.into_iter().flat_map(|width| SPEEDS.iter().map(move |speed| (width, speed)));
    let found = all.find(|((_, lanes), (_, lane))| lanes * lane / 11 == rate.as_bits_per_s());
    found.map(|((width, _), (speed, _))| format!("{width}{speed}"))
}

/// The data rate of `4xEDR` and its like, rounded down to 1 b/s; `None` where the one who wrote it did not
/// know (`4x???`).
///
/// # Errors
/// A width or a speed that InfiniBand does not have, with the nearest spelling if `hint`.
pub(super) fn parse(word: &Piece<'_>, hint: bool) -> Result<Option<BitRate>, Fault> {
    let width = WIDTHS.iter().map(|(name, lanes)| (*name, Some(*lanes))).chain([("??", None)]);
    let speed = SPEEDS.iter().map(|(name, lane)| (*name, Some(*lane))).chain([("???", None)]);
    let found = width.clone().find_map(|(name, lanes)| Some((word.text.strip_prefix(name)?, lanes)));
    let parsed = found.and_then(|(rest, lanes)| {
        let lane = speed.clone().find(|(name, _)| *name == rest)?.1;
        Some(lanes.zip(lane).and_then(|(lanes, lane)| BitRate::new(lanes * lane / 11)))
    });
    parsed.ok_or_else(|| {
        let message = format!("`{}` is no width and speed of a link", quoted(word.text));
        let expected =
            "1x, 2x, 4x, 8x or 12x and SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as 4xEDR";
        let fault = Fault::new("unknown-speed", word.span.clone(), message, expected);
        let known: Vec<String> =
            WIDTHS.iter().flat_map(|(w, _)| SPEEDS.iter().map(move |(s, _)| format!("{w}{s}"))).collect();
        if hint { fault.with_nearest(word.text, known.iter().map(String::as_str)) } else { fault }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Option<u64> {
        let word = Piece { text, span: 0..text.len() };
        parse(&word, true).unwrap().map(BitRate::as_bits_per_s)
    }

    /// Wrong if the line code were not taken off, or lanes were miscounted: the rates are InfiniBand's own
    /// table.
    #[test]
    fn rates_are_data_rates() {
        for (text, gigabits) in [
            ("1xSDR", 2),
            ("4xSDR", 8),
            ("4xDDR", 16),
            ("4xQDR", 32),
            ("12xQDR", 96),
            ("4xFDR10", 40),
            ("4xEDR", 100),
            ("2xHDR", 100),
            ("4xHDR", 200),
            ("4xNDR", 400),
            ("4xXDR", 800),
        ] {
            assert_eq!(rate(text), Some(gigabits * 1_000_000_000), "{text}");
        }
        assert_eq!(rate("4xFDR"), Some(54_545_454_545));
        assert_eq!((rate("4x???"), rate("??SDR"), rate("?????")), (None, None, None));
    }

    /// Wrong if a rate were written as another one.
    #[test]
    fn every_spelling_is_found_again() {
        for (width, _) in WIDTHS {
            for (speed, _) in SPEEDS {
                let known = rate(&format!("{width}{speed}")).unwrap();
                let spelt = spelling(BitRate::new(known).unwrap()).unwrap();
                assert_eq!(rate(&spelt), Some(known), "{width}{speed}");
            }
        }
        assert_eq!(spelling(BitRate::new(100_000_000_000).unwrap()).as_deref(), Some("4xEDR"));
        assert_eq!(spelling(BitRate::new(1_280_000_000).unwrap()), None);
    }

    #[test]
    fn an_unknown_speed_has_a_near_one() {
        for word in ["4xZDR", "4x", "xEDR", "3xEDR", "4xedr", "4xEDR+", "", "4x??"] {
            let piece = Piece { text: word, span: 0..word.len() };
            assert_eq!(parse(&piece, true).unwrap_err().code, "unknown-speed", "{word}");
        }
        let piece = Piece { text: "4xZDR", span: 0..5 };
        assert!(parse(&piece, true).unwrap_err().help.unwrap().contains("4x"));
    }
}
