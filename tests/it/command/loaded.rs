//! `route check --load`: routes run as they were judged.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use support_network::long_cases;

fn simnet(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(folder).env_remove("SIMNET_LOG").output().unwrap()
}

/// Makes a network of its own for each case, and tables or routes for it; the options that name them, if there are any.
fn routes(folder: &Path, case: usize) -> Option<[&'static str; 2]> {
    let seed = case.to_string();
    let (switches, hosts) = ((4 + case % 4 * 2).to_string(), (1 + case % 3).to_string());
    let family: &[&str] = match case % 5 {
        0 => &["torus", "--x", "4", "--y", "3", "--hosts-per-switch", "1"],
        1 => &["ring", "--switches", &switches, "--hosts-per-switch", &hosts],
        _ => &["random-regular", "--switches", &switches, "--degree", "3", "--hosts-per-switch", &hosts],
    };
    let made =
        [&["topo", "generate"], family, &["--seed", &seed, "--to", "ibnetdiscover", "--out", "n.topo"]];
    let made = simnet(folder, &made.concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::create_dir_all(folder.join("dump")).unwrap();
    let one: &[&str] = &["--per-destination", "--to", "opensm", "--out", "dump/opensm-lfts.dump"];
    let lanes: &[&str] = &["--sl", "dump/psl.txt", "--sl2vl", "dump/opensm-sl2vl.dump"];
    let lanes = [&["--to", "opensm", "--out", "dump/opensm-lfts.dump"], lanes].concat();
    let (algorithm, options): (_, &[&str]) = match case / 5 % 6 {
        0 => ("updown", one),
        1 => ("smart", one),
        2 => ("minimal", &["--routes", "r.ndjson"]),
        3 => ("lash", &lanes),
        4 => ("dfsssp", &lanes),
        _ => ("nue", &lanes),
    };
    let line = ["route", "n.topo", "--quiet", "--algorithm", algorithm, "--seed", &seed];
    let made = simnet(folder, &[&line[..], options].concat());
    let told = String::from_utf8_lossy(&made.stderr);
    assert!(matches!(made.status.code(), Some(0 | 1)), "case {case}, {algorithm}: {told}");
    let named = if algorithm == "minimal" { ["--routes", "r.ndjson"] } else { ["--lfts", "dump"] };
    made.status.success().then_some(named)
}

/// Tables of six engines at load 0.9, with room for one packet in each lane of a port. Wrong if a deadlock formed where
/// the verdict says that none can, if one of a circle were not told by the verdict's code, or if no circle ever closed.
#[test]
fn no_circle_forms_where_a_deadlock_is_impossible() {
    let (mut impossible, mut died) = (0, 0);
    let cases = usize::try_from(long_cases(500)).unwrap();
    for case in 0..cases {
        let room = tempfile::tempdir().unwrap();
        let Some(named) = routes(room.path(), case) else { continue };
        let line = ["route", "check", "n.topo", "--quiet", "--load", "0.9", "--format", "json"];
        let small = ["fabric.mtu='256 B'", "fabric.buffer='256 B'", "traffic.uniform.payload='256 B'"];
        let small = small.iter().chain(&["measure.messages=4000"]).flat_map(|value| ["--set", value]);
        let checked = simnet(room.path(), &line.into_iter().chain(named).chain(small).collect::<Vec<_>>());
        let told = String::from_utf8_lossy(&checked.stderr);
        let found: Value =
            serde_json::from_slice(&checked.stdout).unwrap_or_else(|_| panic!("{case}: {told}"));
        let deadlocks = found["under_load"]["deadlock_count"].as_u64().unwrap();
        if found["verdict"] == "acyclic" {
            assert_eq!((deadlocks, checked.status.code()), (0, Some(0)), "case {case}: {found} {told}");
            impossible += 1;
        } else {
            assert!(matches!(checked.status.code(), Some(1 | 5)), "case {case}: {found} {told}");
            died += u64::from(deadlocks > 0);
        }
    }
    println!("{impossible} of {cases} tables cannot deadlock and did not; {died} of the others did");
    assert!(impossible > 0 && (died > 0 || cases < 100), "{impossible} {died}");
}
