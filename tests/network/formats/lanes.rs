//! Damaged files of lanes: SL2VL tables and service levels, each refused at its place.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::diagnostics::Faults;
use simnet_base::ids::{Port, SwitchId};
use simnet_network::routing::{
    Attachments, ForwardingTables, Lanes, Survey, read_lfts, read_service_levels, read_sl2vl,
};
use simnet_network::topology::Network;
use support_network::cases;
use support_network::damage::damage;
use support_network::lfts::{LEVELS, LEVELS_BY_GUID, PAIR, SL2VL, SLVL, SOUND};

fn pair() -> (Network, ForwardingTables) {
    let net = simnet_network::topology::formats::read("pair", PAIR.as_bytes(), &Default::default()).unwrap();
    let tables = read_lfts(&net, &BTreeMap::new(), "lfts", SOUND.as_bytes()).unwrap();
    (net, tables)
}

/// The faults of SL2VL tables, or of service levels.
fn faults(text: &str, is_sl2vl: bool) -> Option<Box<Faults>> {
    let (net, tables) = pair();
    if is_sl2vl {
        read_sl2vl(&net, &tables, "file", text.as_bytes()).err()
    } else {
        read_service_levels(&net, &BTreeMap::new(), &tables, "file", text.as_bytes()).err()
    }
}

/// Checks that each text is refused with this fault at this line.
fn refused(rows: &[(&str, &str, usize)], is_sl2vl: bool) {
    assert!(rows.len() >= 25, "{} cases", rows.len());
    for (text, code, line) in rows {
        let faults = faults(text, is_sl2vl).unwrap_or_else(|| panic!("{code} passes: {text}"));
        let first = &faults.faults[0];
        assert_eq!((first.code, faults.place(first.span.start).0), (*code, *line), "{text}: {faults}");
    }
}

/// Wrong if the two formats of a file did not mean the same, or a lane were another than that of the row.
#[test]
fn sound_files_are_read() {
    let (net, tables) = pair();
    for text in
        [SL2VL, SLVL, &SL2VL.replace('\n', "\r\n"), &format!("\u{feff}{SLVL}"), &SLVL.replace(' ', "\t")]
    {
        let lanes = read_sl2vl(&net, &tables, "file", text.as_bytes()).unwrap_or_else(|f| panic!("{f}"));
        let lane = |input, output, level| lanes.lane(SwitchId(0), Port(input), Port(output), level);
        assert_eq!([lane(1, 2, 0), lane(1, 2, 1), lane(1, 2, 2), lane(2, 1, 15)], [0, 1, 0, 15]);
    }
    for text in
        [LEVELS, LEVELS_BY_GUID, "# lids\n\n 2\t4 1 # a to b\n4 2 0\n4 2 0", "1 3 9\n2 4 1\n1 4 7\n4 2 0\n"]
    {
        let none = BTreeMap::new();
        let levels = read_service_levels(&net, &none, &tables, "file", text.as_bytes());
        let levels = levels.unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!((levels.len(), levels.is_empty()), (2, false), "{text}");
        assert_eq!(levels.toward(4).collect::<Vec<_>>(), [(2, 1)]);
        assert_eq!(levels.toward(2).collect::<Vec<_>>(), [(4, 0)]);
        assert_eq!(levels.toward(3).count(), 0);
    }
}

/// Wrong if damaged tables of OpenSM were read, or refused elsewhere.
#[test]
fn damaged_dumps_of_lanes_are_refused() {
    let once = |from: &str, to: &str| SL2VL.replacen(from, to, 1);
    let cut = |text: &str| SL2VL[..SL2VL.find(text).unwrap()].to_owned();
    let row = "1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0";
    let dashes = "#--------------------------------------------------------\n";
    let end = |nth: usize| SL2VL.match_indices(dashes).nth(nth).unwrap().0;
    let without_end = [&SL2VL[..end(1)], &SL2VL[end(1) + dashes.len()..]].concat();
    let again = format!("{SL2VL}{}", &SL2VL[..end(1) + dashes.len()]);
    refused(
        &[
            ("", "no-table", 1),
            ("# nothing\n", "no-table", 1),
            ("hello\n", "table-header", 1),
            ("{}", "table-header", 1),
            ("<xml/>", "table-header", 1),
            (&once("Switch 0x00000000000000a0", "Switch 0x00000000000000c0"), "unknown-switch", 1),
            (&once("Switch 0x00000000000000a0", "Switch 00000000000000a0"), "table-header", 1),
            (&once("Switch 0x00000000000000a0", "Switch 0xg"), "table-header", 1),
            (&once("Switch 0x00000000000000a0", "Swatch 0x00000000000000a0"), "table-header", 1),
            (&once("Switch 0x00000000000000a0", "Switch 0xa0a0a0a0a0a0a0a0a0"), "table-header", 1),
            (&once("base LID 1", "LID 1"), "table-header", 1),
            (&once("base LID 1,", "base LID 70000,"), "table-header", 1),
            (&once("\"s\"", "s"), "table-header", 1),
            (&once("\"s\"", "\"s"), "table-header", 1),
            (&once(row, "1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0"), "lane-row", 5),
            (&once(row, &format!("{row}  0")), "lane-row", 5),
            (&once(row, "1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  16"), "lane-row", 5),
            (&once(row, "1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  -1"), "lane-row", 5),
            (&once(row, "1   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  x"), "lane-row", 5),
            (&once(row, "1   2   0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0"), "lane-row", 5),
            (&once(row, "1   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0"), "lane-row", 5),
            (&once(row, "1 2 3 : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0"), "lane-row", 5),
            (&once(row, "1   5   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0"), "no-such-port", 5),
            (&once(row, "9   2   : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0"), "no-such-port", 5),
            (&once(row, "1   256 : 0  1  0  0  0  0  0  0  0  0  0  0  0  0  0  0"), "lane-row", 5),
            (&once(row, &format!("{row}\n{row}")), "duplicate-row", 6),
            (&once(&format!("{row} \n"), ""), "missing-row", 19),
            (&once("Switch 0x00000000000000b0", "Switch 0x00000000000000a0"), "duplicate-table", 9),
            (&again, "duplicate-table", 22),
            (&without_end, "cut-off", 8),
            (&cut("2   1   : 0  1"), "cut-off", 5),
            (&cut("Switch 0x00000000000000b0"), "missing-row", 7),
            (&SL2VL[SL2VL.find('\n').unwrap() + 1..], "lane-row", 3),
            (&cut("1  0  0"), "lane-row", 4),
        ],
        true,
    );
}

/// Wrong if damaged tables of ibdiagnet were read, or refused elsewhere.
#[test]
fn damaged_tables_of_ibdiagnet_are_refused() {
    let first = "0x00000000000000a0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00";
    let once = |from: &str, to: &str| SLVL.replacen(from, to, 1);
    let line = |text: &str| once(first, text);
    let without = |nth: usize| {
        SLVL.lines().enumerate().filter(|(n, _)| *n != nth).map(|(_, l)| format!("{l}\n")).collect::<String>()
    };
    refused(
        &[
            (&line("0x00000000000000c0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "unknown-switch", 1),
            (&line("0x 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xzz 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0a0a0a0a0a0a0a0a0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("a0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "table-header", 1),
            (&line("0xa0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 1 0x100 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 1 1 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 1 0x 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 1 0x-1 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 1 0x+1 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0x0 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 -1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 0 256 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "lane-row", 1),
            (&line("0xa0 5 1 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "no-such-port", 1),
            (&line("0xa0 0 5 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "no-such-port", 1),
            (&line("0xa0 1 2 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00"), "duplicate-row", 2),
            (&line("0xa0"), "lane-row", 1),
            (&line("0xa0 0"), "lane-row", 1),
            (&line("garbage"), "table-header", 1),
            (&line("-I- Parsed"), "table-header", 1),
            (&format!("{SLVL}{first}\n"), "duplicate-row", 6),
            (&SLVL[..SLVL.len() - 6], "lane-row", 5),
            (&SLVL[..SLVL.len() - 20], "lane-row", 5),
            (&without(1), "missing-row", 4),
            (&without(3), "missing-row", 4),
            (&format!("{first}\n"), "missing-row", 1),
            (&SLVL[10..], "lane-row", 1),
        ],
        true,
    );
}

/// Wrong if damaged service levels were read, or refused elsewhere, by lids or by guids.
#[test]
fn damaged_service_levels_are_refused() {
    let lids = |first: &str| format!("{first}\n4 2 0\n");
    refused(
        &[
            ("", "no-levels", 1),
            ("# none\n\n", "no-levels", 1),
            ("hello\n", "service-level", 1),
            (&lids("2 4"), "service-level", 1),
            (&lids("2 4 1 0"), "service-level", 1),
            (&lids("2"), "service-level", 1),
            (&lids("2 4 16"), "service-level", 1),
            (&lids("2 4 255"), "service-level", 1),
            (&lids("2 4 256"), "service-level", 1),
            (&lids("2 4 -1"), "service-level", 1),
            (&lids("2 4 x"), "service-level", 1),
            (&lids("2 4 0x1"), "service-level", 1),
            (&lids("2 4 1.0"), "service-level", 1),
            (&lids("two 4 1"), "service-level", 1),
            (&lids("2 four 1"), "service-level", 1),
            (&lids("2,4,1"), "service-level", 1),
            (&lids("-2 4 1"), "service-level", 1),
            (&lids("65536 4 1"), "service-level", 1),
            (&lids("2 65536 1"), "service-level", 1),
            (&lids("9 4 1"), "unknown-lid", 1),
            (&lids("2 9 1"), "unknown-lid", 1),
            (&lids("0 4 1"), "unknown-lid", 1),
            (&lids("2 0 1"), "unknown-lid", 1),
            (&lids("2 4 1\n2 4 2"), "two-levels", 2),
            (&format!("{LEVELS}4 2 1\n"), "two-levels", 3),
            (&LEVELS[..LEVELS.len() - 2], "service-level", 2),
            ("slid dlid sl\n2 4 1\n", "service-level", 1),
        ],
        false,
    );
    let guids = |first: &str| format!("{first}\n0x20 2 0\n");
    refused(
        &[
            (&guids("0x0000000000000030 4 1"), "unknown-guid", 1),
            (&guids("0x0000000000000031 4 1"), "unknown-guid", 1),
            (&guids("0x 4 1"), "service-level", 1),
            (&guids("0xg 4 1"), "service-level", 1),
            (&guids("0x-10 4 1"), "service-level", 1),
            (&guids("0x+10 4 1"), "service-level", 1),
            (&guids("0X10 4 1"), "service-level", 1),
            (&guids("0x10 0x4 1"), "service-level", 1),
            (&guids("0x10101010101010101010 4 1"), "service-level", 1),
            (&guids("0x10 4"), "service-level", 1),
            (&guids("0x10"), "service-level", 1),
            (&guids("0x10 4 1 1"), "service-level", 1),
            (&guids("0x10 4 16"), "service-level", 1),
            (&guids("0x10 4 -1"), "service-level", 1),
            (&guids("0x10 4 one"), "service-level", 1),
            (&guids("0x10 9 1"), "unknown-lid", 1),
            (&guids("0x10 0 1"), "unknown-lid", 1),
            (&guids("0x10 65535 1"), "unknown-lid", 1),
            (&guids("0x10 65536 1"), "service-level", 1),
            (&guids("0x10 4 1\n0x10 4 2"), "two-levels", 2),
            (&guids("0x10 4 1\n2 4 2"), "two-levels", 2),
            (&guids("4 2 1"), "two-levels", 2),
            (&guids("0x10:4:1"), "service-level", 1),
            (&guids("0x10\u{a0}4 1 2"), "service-level", 1),
            (&LEVELS_BY_GUID[..LEVELS_BY_GUID.len() - 2], "service-level", 2),
            (&LEVELS_BY_GUID[3..], "unknown-lid", 1),
        ],
        false,
    );
}

/// Wrong if SL2VL tables that were cut off anywhere, but behind the last row that is needed, passed; or if any damage
/// made a reader panic, or what it read could not be followed.
#[test]
fn no_file_of_lanes_is_half_read() {
    let (net, tables) = pair();
    let needed = &SL2VL[..SL2VL.find("Channel Adapter").unwrap()];
    for end in 0..needed.rfind("#---").unwrap() + "#---".len() {
        assert!(read_sl2vl(&net, &tables, "sl2vl", &SL2VL.as_bytes()[..end]).is_err(), "cut off at {end}");
    }
    // The last row is of a port to a host.
    for end in 0..SLVL.rfind("0x00000000000000b0").unwrap() - 1 {
        assert!(read_sl2vl(&net, &tables, "slvl", &SLVL.as_bytes()[..end]).is_err(), "cut off at {end}");
    }
    let mut both = 0;
    for seed in 0..cases(20_000) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut damaged = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            // One of the two files may be whole.
            if random.random_range(0..3) > 0 {
                damage(&mut bytes, text.as_bytes(), &mut random);
            }
            bytes
        };
        let sl2vl = damaged([SL2VL, SLVL][(seed % 2) as usize]);
        let levels = damaged([LEVELS, LEVELS_BY_GUID][(seed / 2 % 2) as usize]);
        let levels = read_service_levels(&net, &BTreeMap::new(), &tables, "levels", &levels);
        if let (Ok(lanes), Ok(levels)) = (read_sl2vl(&net, &tables, "sl2vl", &sl2vl), levels) {
            let lanes = Lanes { tables: lanes, levels };
            let survey = Survey::of_tables_on_lanes(&net, &Attachments::lowest(&net), &tables, &lanes);
            assert!(survey.lanes.is_some_and(|used| used.lanes >= 1));
            both += 1;
        }
    }
    assert!(both > 0, "some files survive");
}
