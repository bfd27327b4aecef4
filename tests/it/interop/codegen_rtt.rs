//! Generated measuring programs: the text, what is refused, and the real thing, compiled by mpicc and run by mpirun.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::mpi::{MPIRUN, NASTY, make, mpi, object, run};
use support_network::cases;

/// Few samples: what is measured does not matter here.
const QUICK: [&str; 4] = ["--samples", "3", "--most-samples", "6"];

/// A place for generated source.
struct Room(TempDir);

impl Room {
    fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    fn source(&self) -> PathBuf {
        self.0.path().join("source")
    }

    fn generate(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.args(["codegen", "rtt", "--out"]).arg(self.source()).args(arguments).output().unwrap()
    }

    /// Generates, as is expected to be possible; gives the JSON object.
    fn generated(&self, arguments: &[&str]) -> Value {
        object(&self.generate(&[arguments, &["--format", "json"]].concat()))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.source().join(name)).unwrap()
    }

    fn program(&self) -> PathBuf {
        self.source().join("simnet_rtt")
    }

    /// Runs the program on so many ranks; all on this machine, unless `--shared` is not among the arguments.
    fn measure(&self, mpirun: &Path, ranks: usize, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(mpirun);
        command.args(MPIRUN).args(["-np", &ranks.to_string()]).arg(self.program());
        run(command.args(arguments))
    }

    /// Runs the program with one rank for each name.
    fn measure_named(
        &self,
        mpirun: &Path,
        names: &[&str],
        arguments: &[&str],
    ) -> (Option<i32>, String, String) {
        let mut command = Command::new(mpirun);
        command.args(MPIRUN);
        for (place, name) in names.iter().enumerate() {
            let between = if place > 0 { &[":"][..] } else { &[] };
            let report = format!("SIMNET_MACHINE={name}");
            command.args(between).args(["-np", "1", "env", &report]).arg(self.program()).args(arguments);
        }
        run(&mut command)
    }

    /// What `simnet discover` makes of a CSV, whatever it is.
    fn discover(&self, csv: &str) -> Value {
        let file = self.0.path().join("discovered.csv");
        fs::write(&file, csv).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let (code, out, err) = run(command.arg("discover").arg(file).args(["--format", "json"]));
        assert!(matches!(code, Some(0 | 5)), "{csv}{err}");
        serde_json::from_str(&out).unwrap()
    }

    /// What the program itself says of a CSV.
    fn check(&self, csv: &str) -> (Option<i32>, String, String) {
        let file = self.0.path().join("checked.csv");
        fs::write(&file, csv).unwrap();
        run(Command::new(self.program()).arg("--check").arg(file))
    }
}

/// Names and times of a CSV without quotes.
fn plain_csv(csv: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut rows = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = rows.next().unwrap();
    assert_eq!(header[0], "");
    let names = header[1..].to_vec();
    let mut times = Vec::new();
    for (row, name) in rows.zip(&names) {
        assert_eq!(row[0], *name);
        times.push(row[1..].iter().map(|cell| cell.parse().unwrap()).collect());
    }
    (names, times)
}

/// Wrong if the text changed unnoticed, or depended on anything but what was requested.
#[test]
fn the_text_is_known() {
    let room = Room::new();
    let asked = ["--message", "1 KiB", "--samples", "10", "--threshold", "0.5 %", "--at-once", "4"];
    let report = room.generated(&asked);
    let expected = json!({
        "program": "simnet_rtt", "folder": room.source(), "files": ["simnet_rtt.c", "Makefile", "README.txt"],
        "message_bytes": 1024, "round_trips": 5, "samples": 10, "most_samples": 1000, "threshold_percent": 0.5,
        "at_once": 4,
    });
    assert_eq!(report, expected);
    let beginning = room.read("simnet_rtt.c").lines().take(54).collect::<Vec<_>>().join("\n");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("codegen");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("rtt-program", beginning);
        insta::assert_snapshot!("rtt-makefile", room.read("Makefile"));
        insta::assert_snapshot!("rtt-readme", room.read("README.txt"));
    });
    let whole = room.read("simnet_rtt.c");
    room.generated(&asked);
    assert_eq!(room.read("simnet_rtt.c"), whole);
    room.generated(&["--name", "lab"]);
    assert!(room.read("lab_rtt.c").contains("= {1400, 5, 26, 1000, 30000, 0, 0, 0};"));
    assert!(!room.source().join("simnet_rtt.c").exists());
}

/// Wrong if an option that the program would refuse were baked in, or anything written before all is known.
#[test]
fn bad_options_write_nothing() {
    let room = Room::new();
    for (arguments, named) in [
        (&["--message", "0 B"][..], "`--message` must be from 1 to 1073741824, not 0 bytes"),
        (&["--message", "2 GB"], "--message"),
        (&["--message", "1400"], "a bare number"),
        (&["--round-trips", "0"], "`--round-trips` must be from 1"),
        (&["--round-trips", "-1"], "--round-trips"),
        (&["--samples", "1"], "`--samples` must be from 2 to 1000, not 1"),
        (&["--samples", "99999999999"], "--samples"),
        (&["--samples", "27", "--most-samples", "26"], "`--most-samples` must be from 27 to 1000, not 26"),
        (&["--threshold", "3"], "`--threshold 3`"),
        (&["--threshold", "101 %"], "`--threshold` must be from 0 % to 100 %"),
        (&["--at-once", "0"], "`--at-once` must be from 1"),
        (&["--name", "a-b"], "--name a-b"),
    ] {
        let output = room.generate(arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
        assert!(complaint.contains(named) && output.stdout.is_empty(), "{arguments:?}: {complaint}");
        assert!(!room.source().exists());
    }
    fs::create_dir(room.source()).unwrap();
    fs::write(room.source().join("thesis.tex"), "mine").unwrap();
    let output = room.generate(&[]);
    assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(room.read("thesis.tex"), "mine");
}

/// Wrong if a pair were not measured, were measured twice or hung, in either schedule; or if the program's own check,
/// or simnet, did not take what it prints.
#[test]
fn every_pair_is_measured() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let room = Room::new();
    room.generated(&[]);
    make(&room.source(), "all", &mpicc);
    make(&room.source(), "check", &mpicc);
    let mut plans = vec![(2, "0"), (3, "1"), (8, "4"), (5, "9")];
    if cases(20) > 1 {
        plans.extend([(8, "0"), (7, "3"), (13, "6")]);
    }
    if cases(20) == 20 {
        plans.extend([(3, "0"), (2, "1"), (4, "2"), (6, "1"), (7, "2"), (12, "5")]);
    }
    for (ranks, at_once) in plans {
        let what = format!("{ranks} ranks, {at_once} at once");
        let (code, out, err) =
            room.measure(&mpirun, ranks, &[&["--shared", "--at-once", at_once], &QUICK[..]].concat());
        assert_eq!(code, Some(0), "{what}: {err}");
        let (names, times) = plain_csv(&out);
        assert_eq!((names.len(), times.len()), (ranks, ranks), "{what}");
        for (from, row) in times.iter().enumerate() {
            assert_eq!(row.len(), ranks, "{what}");
            for (to, time) in row.iter().enumerate() {
                assert!(if from == to { *time == 0.0 } else { *time > 0.0 && *time < 1e5 }, "{what}: {out}");
            }
        }
        let pairs = ranks * (ranks - 1);
        assert!(err.contains(&format!("{pairs} ordered pairs measured in")), "{what}: {err}");
        let report = room.discover(&out);
        assert_eq!(
            (report["machines"].clone(), report["hop_counts"].as_array().unwrap().len()),
            (json!(names), ranks)
        );
        let (code, out, err) = room.check(&out);
        assert_eq!((code, out), (Some(0), format!("OK: round-trip times of {ranks} machines\n")), "{err}");
    }
}

/// Wrong if sets were not doubled up to the most, or if times that never settle went unnoticed.
#[test]
fn sets_are_doubled_until_they_are_trusted() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let room = Room::new();
    room.generated(&["--threshold", "0 %", "--samples", "2", "--most-samples", "7", "--round-trips", "2"]);
    make(&room.source(), "all", &mpicc);
    let (code, _, err) = room.measure(&mpirun, 2, &["--shared"]);
    assert_eq!((code, err.matches("did not settle in 7 samples").count()), (Some(0), 2), "{err}");
    let (code, _, err) = room.measure(&mpirun, 4, &["--shared", "--quiet"]);
    assert_eq!((code, err.matches("did not settle").count()), (Some(0), 10), "{err}");
    assert!(err.contains("warning: nor did 2 more") && !err.contains("begun"), "{err}");
    let (code, _, err) = room.measure(&mpirun, 2, &["--shared", "--threshold", "100", "--samples", "7"]);
    // Where other programs run at the same time, even that may be too narrow.
    let settled = err.contains(" settled at 7 samples");
    assert!(code == Some(0) && (settled || err.contains("did not settle in 7 samples")), "{err}");
}

/// Wrong if the program took what cannot be measured, or did not say what is wrong with it.
#[test]
fn what_cannot_be_measured_is_refused() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let room = Room::new();
    room.generated(&[]);
    make(&room.source(), "all", &mpicc);
    let mut rows = vec![
        (1, &["--shared"][..], "a single rank has nobody to measure with"),
        (2, &["--message", "0"], "--message needs a number from 1 to 1073741824 B, not `0`"),
        (2, &["--shared", "--samples", "9", "--most-samples", "8"], "--most-samples 8 is below --samples 9"),
        (2, &["--threshold", "0.00001"], "--threshold needs a number from 0 to 100 %, not `0.00001`"),
        (3, &["--bogus"], "unknown argument `--bogus`"),
    ];
    if cases(20) > 1 {
        rows.extend([
            (2, &["--message", "99999999999999999999999"][..], "not `99999999999999999999999`"),
            (2, &["--round-trips"], "--round-trips needs a number from 1 to 1000000, not ``"),
            (2, &["--samples", "2.5"], "not `2.5`"),
            (2, &["--at-once", "-1"], "not `-1`"),
        ]);
    }
    for (ranks, arguments, complaint) in rows {
        let (code, out, err) = room.measure(&mpirun, ranks, arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(complaint), "{arguments:?}: {err}");
    }
    let (code, out, err) = room.measure_named(&mpirun, &["north", "south", "north"], &QUICK);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("ranks 0 and 2 are both on machine `north`") && err.contains("--shared"), "{err}");
    let (code, out, _) = run(Command::new(room.program()).arg("--help"));
    assert!(code == Some(0) && out.contains("--round-trips") && out.contains("[3 %]"), "{out}");
}

/// Wrong if a name broke the CSV, began a formula in a spreadsheet, or two machines came to have one name.
#[test]
fn names_may_be_anything() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let room = Room::new();
    room.generated(&[]);
    make(&room.source(), "all", &mpicc);
    let names: Vec<&str> = NASTY.into_iter().chain(["a,b,\"c\""]).collect();
    let (code, out, err) = room.measure_named(&mpirun, &names, &QUICK);
    assert_eq!(code, Some(0), "{err}");
    let header = ",\"a\"\"b\",\"*/ x /*\",\"k??/\\\",\"é_\",int,\"9 lives\",\"'@ring@ %s \\n\",\"\u{202e}_{}\",\"a,b,\"\"c\"\"\"";
    assert_eq!(out.lines().next(), Some(header));
    assert_eq!(room.check(&out).0, Some(0), "{out}");
    let clean = |name: &&str| name.replace(|c: char| c.is_ascii_control(), "_");
    assert_eq!(room.discover(&out)["machines"], json!(names.iter().map(clean).collect::<Vec<_>>()));

    let twins = ["n", "n.0", "n", "m", "n.0", "n"];
    let (code, out, err) = room.measure_named(&mpirun, &twins, &[&["--shared"], &QUICK[..]].concat());
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(plain_csv(&out).0, ["n.1", "n.0.0", "n.2", "m", "n.0.1", "n.3"]);
}

/// Wrong if the program's own check passed a CSV that is none, or did not say where it is wrong.
#[test]
fn the_programs_own_check_finds_faults() {
    let Some((mpicc, _)) = mpi() else { return };
    let room = Room::new();
    room.generated(&[]);
    make(&room.source(), "all", &mpicc);
    let good = ",a,b\na,0,0.5\nb,0.25,0\n";
    for fine in
        [good, ",a,b\r\na,,0.5\r\nb,1e-1,\r\n", ",\"a\",\"x,\"\"y\"\nа,0,1\n\"x,\"\"y\",2,0\n", ",a\na,0\n"]
    {
        // The second name of the third is Cyrillic, and so not that of its column.
        let (code, out, err) = room.check(fine);
        assert_eq!(code, Some(if fine.contains('а') { 1 } else { 0 }), "{fine}: {out}{err}");
    }
    for (bad, place) in [
        ("", "row 1, column 2: there are no machines"),
        ("x,a,b\n", "row 1, column 1"),
        (",a,a\na,0,1\na,1,0\n", "row 1, column 3: this name is there twice"),
        (",a,b\na,0,0.5\n", "row 3, column 1: a row is missing"),
        (",a,b\na,0\nb,1,0\n", "row 2, column 3: a time is missing"),
        (",a,b\na,0,1,2\nb,1,0\n", "row 2, column 4: more cells"),
        (",a,b\na,0,1\nb,1,0\nc,1,1\n", "row 4, column 1: more rows"),
        (",a,b\na,0,-1\nb,1,0\n", "row 2, column 3: not a round-trip time"),
        (",a,b\na,0,nan\nb,1,0\n", "row 2, column 3: not a round-trip time"),
        (",a,b\na,0,1\nb,1,1\n", "row 3, column 3: not a round-trip time"),
        (",a,b\na,0,\nb,1,0\n", "row 2, column 3: not a round-trip time"),
        (",a,b\nc,0,1\nb,1,0\n", "row 2, column 1: not the name"),
    ] {
        let (code, out, err) = room.check(bad);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{bad}: {err}");
        assert!(err.contains(place), "{bad}: {err}");
    }
    let (code, _, err) = run(Command::new(room.program()).args(["--check", "/no/such/file"]));
    assert!(code == Some(1) && err.contains("/no/such/file cannot be read"), "{err}");
}
