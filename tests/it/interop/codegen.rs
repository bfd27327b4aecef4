//! Generated all-gathers: the text, what is refused, and the real thing, compiled by mpicc and run by mpirun.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::mpi::{MPIRUN, NASTY, make, mpi, object, run};
use support_network::cases;

/// A chain of switches, each with so many machines; machine n is called `name(n)`.
fn chain(machines: &[usize], name: impl Fn(usize) -> String) -> Value {
    let switch = |n: usize| format!("sw{n}");
    let (mut hosts, mut links) = (Vec::new(), Vec::new());
    for (at, count) in machines.iter().enumerate() {
        for place in 0..*count {
            let host = name(hosts.len());
            links.push(json!({"a": host, "a_port": 0, "b": switch(at), "b_port": place + 2}));
            hosts.push(json!({"name": host}));
        }
        if at > 0 {
            links.push(json!({"a": switch(at - 1), "a_port": 1, "b": switch(at), "b_port": 0}));
        }
    }
    let switches: Vec<Value> = (0..machines.len()).map(|n| json!({"name": switch(n), "ports": 64})).collect();
    json!({"format": "simnet-topology/1", "name": "test */ \"net\"", "switches": switches, "hosts": hosts,
           "links": links})
}

fn plain(n: usize) -> String {
    format!("n{n}")
}

/// A place for a network and the source generated from it.
struct Room(TempDir);

impl Room {
    fn new(network: &Value) -> Room {
        let room = tempfile::tempdir().unwrap();
        fs::write(room.path().join("net.json"), network.to_string()).unwrap();
        Room(room)
    }

    fn source(&self) -> PathBuf {
        self.0.path().join("source")
    }

    fn generate(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        command.args(["codegen", "allgather"]).arg(self.0.path().join("net.json"));
        command.arg("--out").arg(self.source()).args(arguments).output().unwrap()
    }

    /// Generates, as is expected to be possible; gives the JSON object.
    fn generated(&self, arguments: &[&str]) -> Value {
        object(&self.generate(&[arguments, &["--format", "json"]].concat()))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.source().join(name)).unwrap()
    }

    fn make(&self, target: &str, mpicc: &Path) {
        make(&self.source(), target, mpicc);
    }

    /// Runs the self-check of a routine called `{prefix}_allgather` under mpirun, `placing` being its arguments.
    fn check(&self, mpirun: &Path, prefix: &str, ranks: usize) -> (Option<i32>, String, String) {
        let program = self.source().join(format!("{prefix}_allgather_selfcheck"));
        run(Command::new(mpirun).args(MPIRUN).args(["-np", &ranks.to_string()]).arg(program))
    }
}

/// Wrong if the text changed unnoticed, depended on anything but its ring, or a name got into it as it is.
#[test]
fn the_text_is_known() {
    let room = Room::new(&chain(&[4, 2, 2], |n| NASTY[n].to_owned()));
    let summary = room.generated(&["--algorithm", "lr1"]);
    assert_eq!(summary["function"], "simnet_allgather");
    assert_eq!(summary["hosts"].as_array().unwrap().len(), 8);
    assert_eq!((&summary["contention_free"], &summary["max_path_length"]), (&json!(true), &json!(3)));
    let files: Vec<&str> =
        summary["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let [routine, header, selfcheck, makefile] = files[..] else { panic!("{files:?}") };
    let beginning = room.read(routine).lines().take(29).collect::<Vec<_>>().join("\n");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("codegen");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("routine", beginning);
        insta::assert_snapshot!("header", room.read(header));
        insta::assert_snapshot!("makefile", room.read(makefile));
    });
    let before: Vec<String> = files.iter().map(|name| room.read(name)).collect();
    room.generated(&["--algorithm", "lr1"]);
    assert_eq!(files.iter().map(|name| room.read(name)).collect::<Vec<_>>(), before);
    assert!(before.iter().all(|text| text.is_ascii()) && selfcheck.ends_with("_selfcheck.c"));
}

/// Wrong if any result differed from that of MPI_Allgather: for every number of ranks up to 32 and the three
/// rings in turn, on chains of three switches.
#[test]
fn results_are_those_of_mpi_allgather() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let sizes = match cases(20) {
        20 => (2..=32).collect::<Vec<usize>>(),
        4 => vec![2, 3, 8, 17],
        _ => vec![2, 9],
    };
    for ranks in sizes {
        let third = ranks / 3;
        let room = Room::new(&chain(&[ranks - 2 * third, third, third], plain));
        let algorithm = ["lr1", "lr3", "lr2"][if ranks < 6 { 0 } else { ranks % 3 }];
        room.generated(&["--algorithm", algorithm, "--tree", "dfs"]);
        room.make("all", &mpicc);
        let (code, out, err) = room.check(&mpirun, "simnet", ranks);
        assert_eq!(code, Some(0), "{ranks} ranks, {algorithm}: {out}{err}");
        assert!(out.starts_with(&format!("OK: {ranks} ranks, ")), "{ranks} ranks, {algorithm}: {out}{err}");
    }
}

/// Wrong if a communicator of another size were taken, or the error did not say what is wrong; or if a routine
/// that is wrong passed its self-check.
#[test]
fn other_sizes_get_an_error_and_wrong_code_is_found() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let room = Room::new(&chain(&[2, 1], plain));
    room.generated(&["--algorithm", "lr1"]);
    room.make("all", &mpicc);
    for ranks in [1, 4] {
        let (code, out, err) = room.check(&mpirun, "simnet", ranks);
        let expected = format!(
            "FAILED: simnet_allgather: this ring is for an intracommunicator of 3 ranks, not {ranks}"
        );
        assert!(code != Some(0) && out.is_empty() && err.contains(&expected), "{out}{err}");
    }
    let routine = room.source().join("simnet_allgather.c");
    let text = fs::read_to_string(&routine).unwrap();
    let wrong = text.replace("RANKS - step - 1) % RANKS", "RANKS + step - 1) % RANKS");
    assert_ne!(wrong, text);
    fs::write(&routine, wrong).unwrap();
    room.make("all", &mpicc);
    let (code, out, err) = room.check(&mpirun, "simnet", 3);
    assert!(code != Some(0) && !out.contains("OK"), "{out}{err}");
}

/// Wrong if a name broke the source, or ranks were not matched with machines by their names; a name that is no
/// identifier is no prefix.
#[test]
fn names_need_not_be_identifiers() {
    let room = Room::new(&chain(&[3, 3, 2], |n| NASTY[n].to_owned()));
    for prefix in ["", "4x", "a-b", "a b", "ü", "_lab", "MPI", "a\";"] {
        let output = room.generate(&["--algorithm", "lr1", &format!("--name={prefix}")]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(&format!("--name {prefix}")) && output.stdout.is_empty(), "{complaint}");
        assert!(!room.source().exists());
    }
    let Some((mpicc, mpirun)) = mpi() else { return };
    room.generated(&["--algorithm", "lr3", "--name", "int"]);
    room.make("all", &mpicc);
    let program = room.source().join("int_allgather_selfcheck");
    let mut command = Command::new(mpirun);
    command.args(MPIRUN);
    for place in 0..NASTY.len() {
        let machine = NASTY[(place * 3 + 5) % NASTY.len()];
        let between = if place > 0 { &[":"][..] } else { &[] };
        let summary = format!("INT_MACHINE={machine}");
        command.args(between).args(["-np", "1", "env", &summary]).arg(&program);
    }
    let (code, out, err) = run(&mut command);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.ends_with("by name: right\n"), "{out}{err}");
}

/// Wrong if a program that knows nothing of the routine did not run with it, or broke on another communicator.
#[test]
fn takes_the_place_of_mpi_allgather() {
    let Some((mpicc, mpirun)) = mpi() else { return };
    let room = Room::new(&chain(&[2, 2], plain));
    room.generated(&["--algorithm", "lr2"]);
    room.make("replace", &mpicc);
    let program = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv)\n{\n\
        int r, s, i, x[64], wrong = 0; MPI_Init(&argc, &argv);\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &s);\n\
        MPI_Allgather(&r, 1, MPI_INT, x, 1, MPI_INT, MPI_COMM_WORLD);\n\
        for (i = 0; i < s; i++) wrong |= x[i] != i;\n\
        printf(\"%s\\n\", wrong ? \"wrong\" : \"right\"); MPI_Finalize(); return wrong;\n}\n";
    let (text, user) = (room.0.path().join("user.c"), room.0.path().join("user"));
    fs::write(&text, program).unwrap();
    assert!(Command::new(&mpicc).arg("-o").arg(&user).arg(&text).status().unwrap().success());
    let library = format!("LD_PRELOAD={}", room.source().join("libsimnet_allgather.so").display());
    for ranks in ["4", "3"] {
        let mut command = Command::new(&mpirun);
        let (code, out, err) = run(command.args(MPIRUN).args(["-np", ranks, "-x", &library]).arg(&user));
        assert_eq!((code, out.matches("right").count().to_string().as_str()), (Some(0), ranks), "{out}{err}");
    }
}

/// Wrong if something were written where there is no ring, or over what is not ours.
#[test]
fn nothing_is_written_unless_all_is() {
    let no_lr2 = Room::new(&chain(&[1, 1, 4], plain));
    let output = no_lr2.generate(&["--algorithm", "lr2", "--format", "json"]);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &summary["refused_by"]), (Some(1), &json!("sw1")));
    assert!(String::from_utf8(output.stderr).unwrap().contains("sw1") && !no_lr2.source().exists());

    let alone = Room::new(&chain(&[1], plain));
    let mut apart = chain(&[1, 1], plain);
    apart["links"].as_array_mut().unwrap().pop();
    for room in [alone, Room::new(&apart)] {
        let output = room.generate(&["--algorithm", "lr1"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty() && !room.source().exists());
    }

    let foreign = Room::new(&chain(&[2], plain));
    fs::create_dir(foreign.source()).unwrap();
    fs::write(foreign.source().join("Makefile"), "all:\n").unwrap();
    let output = foreign.generate(&["--algorithm", "lr1"]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(7), "{complaint}");
    assert!(complaint.contains("not source that simnet codegen wrote"), "{complaint}");
    assert_eq!(foreign.read("Makefile"), "all:\n");
    assert_eq!(foreign.0.path().read_dir().unwrap().count(), 2);
}
