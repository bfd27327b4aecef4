//! Times as CSV: what is written is read, and whatever is wrong is refused at its row and column.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::units::Duration;
use simnet_network::discovery::Rtts;

use support_network::cases;

const GOOD: &str = ",a,b,c\na,0,0.131,.157\nb,0.134,,1.59e-1\nc,0.160,0.155,0.0\n";

fn us(rtts: &Rtts) -> Vec<u64> {
    (0..rtts.machines()).flat_map(|from| rtts.row(from)).map(|time| time.as_ps() / 1_000_000).collect()
}

/// Wrong if one of the forms in which programs write such a table were refused, or read otherwise.
#[test]
fn good_files_are_read() {
    let want = [0, 131, 157, 134, 0, 159, 160, 155, 0];
    let spaced = GOOD.replace(',', " ,\t").replace('\n', "  \n");
    for text in [
        GOOD.to_owned(),
        GOOD.replace('\n', "\r\n"),
        format!("\u{feff}{GOOD}\n  \n\r\n"),
        GOOD.trim_end().to_owned(),
        spaced,
        GOOD.replace("0.131", "\"0.131\"").replace('a', "\"a\"").replace(",b", ", \"b\" "),
        GOOD.replace("0.131", "+131E-3"),
        format!("\"\"{GOOD}"),
    ] {
        let rtts =
            Rtts::read("rtt.csv", text.as_bytes()).unwrap_or_else(|faults| panic!("{text:?}\n{faults}"));
        assert_eq!(
            (us(&rtts), rtts.names()),
            (want.to_vec(), &["a", "b", "c"].map(str::to_owned)[..]),
            "{text:?}"
        );
    }
    let odd = ",\"x, \"\"y\"\"\",\"\nz\"\n\"x, \"\"y\"\"\",0,1\n\"\nz\",2,0\n";
    assert_eq!(Rtts::read("f", odd.as_bytes()).unwrap().names(), ["x, \"y\"", "\nz"]);
    assert_eq!(Rtts::read("f", b",one\none,").unwrap().machines(), 1);
}

/// Files with something wrong, each with a title.
const FAULTY: [(&str, &[u8]); 33] = [
    ("empty", b""),
    ("blank", b" \n\r\n"),
    ("byte order mark alone", b"\xef\xbb\xbf"),
    ("not UTF-8", b",a,b\na,0,\xff\nb,1,0\n"),
    ("no machines", b"name\n"),
    ("header without an empty cell", b"a,b\na,0,1\nb,1,0\n"),
    ("a corner with a title", b"name,a,b\na,0,1\nb,1,0\n"),
    ("a name that is empty", b",a,,c\na,0,1,1\n,1,0,1\nc,1,1,0\n"),
    ("a comma at the header's end", b",a,b,\na,0,1\nb,1,0\n"),
    ("a duplicate name", b",a,b,a\na,0,1,1\nb,1,0,1\na,1,1,0\n"),
    ("a missing cell", b",a,b,c\na,0,1,1\nb,1,0\nc,1,1,0\n"),
    ("a cell too many", b",a,b,c\na,0,1,1\nb,1,0,1,1,1\nc,1,1,0\n"),
    ("an absent time", b",a,b,c\na,0,,1\nb,1,0,\" \"\nc,1,1,0\n"),
    ("a negative time", b",a,b\na,0,-0.131\nb,-1e-9,0\n"),
    ("no time at all", b",a,b\na,0,0\nb,-0.0,0\n"),
    ("less than half a picosecond", b",a,b\na,0,1e-10\nb,1,0\n"),
    ("not a number", b",a,b,c\na,0,NaN,inf\nb,fast,0,0x10\nc,1;2,.,0\n"),
    ("a unit", b",a,b\na,0,0.131 ms\nb,131us,0\n"),
    ("a decimal comma in quotes", b",a,b\na,0,\"0,131\"\nb,1,0\n"),
    ("more than an hour", b",a,b\na,0,3600000.1\nb,1e400,0\n"),
    ("a diagonal that is not 0", b",a,b\na,0.1,1\nb,1,x\n"),
    ("a negative diagonal", b",a,b\na,-1,1\nb,1,0\n"),
    ("rows in another order", b",a,b\nb,1,0\na,0,1\n"),
    ("a row without a name", b",a,b\na,0,1\n,1,0\n"),
    ("a row too few", b",a,b,c\na,0,1,1\nb,1,0,1\n"),
    ("two rows too few", b",a,b,c\na,0,1,1\n"),
    ("no row", b",a,b"),
    ("a row too many", b",a,b\na,0,1\nb,1,0\nc,1,1\nd,1,1\n"),
    ("a quote that is not closed", b",a,b\na,0,\"1\nb,1,0\n"),
    ("something after a quote", b",\"a\"x,b\na,0,1\nb,\"1\"2,0\n"),
    ("semicolons", b";a;b\na;0;1\nb;1;0\n"),
    ("control characters", b",a\x1b[31m,b\na\x1b[31m,0,\x07\nb,1,0\n"),
    ("everything at once", b"x,a,a,\na,1,-1\nq,,0,z,4\n"),
];

/// Pinned: wrong if a message changed its place, or did not name the row and the column.
#[test]
fn faulty_files_are_refused() {
    let mut all = String::new();
    for (title, bytes) in FAULTY {
        let faults = Rtts::read("rtt.csv", bytes).expect_err(title);
        let text = faults.to_string();
        assert!(!text.contains('\u{1b}') && text.contains("--> rtt.csv:"), "{title}: {text}");
        all.push_str(&format!("## {title}\n{text}\n\n"));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("faulty_files", all));
}

/// Wrong if a table that is all wrong took long to refuse, or filled the screen.
#[test]
fn faults_without_end_are_cut_short() {
    let names: String = (0..600).map(|nth| format!(",m{nth}")).collect();
    let row = ",x".repeat(600);
    let rows: String = (0..600).map(|nth| format!("m{nth}{row}\n")).collect();
    let faults = Rtts::read("f", format!("{names}\n{rows}").as_bytes()).unwrap_err();
    assert_eq!(faults.faults.len(), 1_000);
    assert!(faults.to_string().ends_with("f: 980 more faults\n"), "{}", faults.to_string().len());
    let wide = Rtts::read("f", ",x".repeat(5_000_000).as_bytes()).unwrap_err();
    assert_eq!(wide.faults[0].code, "too-many-machines");
    let same = Rtts::read("f", ",x".repeat(9_000).as_bytes()).unwrap_err();
    assert_eq!(same.faults.len(), 1_000);
    let wide_row = format!(",a\na{}", ",1".repeat(5_000_000));
    assert_eq!(Rtts::read("f", wide_row.as_bytes()).unwrap_err().faults.last().unwrap().code, "extra-cell");
}

/// What mutations put in.
const ODD: &[u8] = b",\n\r\" \t.+-eE0123456789abcxN\xef\xbb\xbf\xff\0";

/// Wrong if some mutation of a good file made reading panic, or what it still reads did not read the same again.
#[test]
fn mutated_files_are_read_or_refused() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..cases(400_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = GOOD.as_bytes().to_vec();
        for _ in 0..rng.random_range(1..=4) {
            let at = rng.random_range(0..=bytes.len());
            let with = ODD[rng.random_range(0..ODD.len())];
            match rng.random_range(0..4) {
                0 => bytes.insert(at, with),
                1 if at < bytes.len() => bytes[at] = with,
                2 => drop(bytes.drain(at..bytes.len().min(at + rng.random_range(0..6)))),
                _ => {
                    let end = bytes.len().min(at + rng.random_range(0..9));
                    let copy = bytes[at..end].to_vec();
                    let to = rng.random_range(0..=bytes.len());
                    bytes.splice(to..to, copy);
                }
            }
        }
        match Rtts::read("f", &bytes) {
            Ok(rtts) => {
                read += 1;
                assert_eq!(Rtts::read("f", rtts.to_csv().as_bytes()).unwrap(), rtts, "seed {seed}");
            }
            Err(faults) => {
                refused += 1;
                assert!(!faults.faults.is_empty());
                if seed % 16 == 0 {
                    assert!(faults.to_string().contains("--> f:"), "seed {seed}");
                }
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}

proptest! {
    /// Wrong if a time lost a picosecond on the way, or a name its blanks or quotes.
    #[test]
    fn what_is_written_is_read(
        times in prop::collection::vec(1..=3_600_000_000_000_000_u64, 9),
        names in prop::collection::btree_set("[ a\"\n\r,\u{feff}\u{a0}ä]{1,4}|[^\\n]{1,5}", 3),
    ) {
        let cells = times.iter().enumerate();
        let cells = cells.map(|(at, ps)| if at % 4 == 0 { Duration::ZERO } else { Duration::from_ps(*ps) });
        let rtts = Rtts::new(names.into_iter().collect(), cells.collect()).unwrap();
        let csv = rtts.to_csv();
        prop_assert_eq!(Rtts::read("f", csv.as_bytes()).unwrap(), rtts, "{}", csv);
    }
}
