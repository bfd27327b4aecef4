//! Exit codes of sweeps whose points end in deadlocks, or have not converged where they must: `simnet run`, `sweep run`
//! and `sweep merge` agree.

use std::path::Path;
use std::process::Command;

/// Shortest routes round a ring, which end in a deadlock that nothing recovers, and routes that do not.
const STUCK: &str = r#"
[scenario]
name = "stuck"
[topology.ring]
switches = 7
hosts-per-switch = 2
[fabric]
deadlock-timeout = "never"
[routing]
select = "first"
[traffic.uniform]
payload = "400 B"
loads = [0.3]
[measure]
warmup = "10 us"
messages = 500
[sweep]
columns = ["deadlock_count"]
[[sweep.axes]]
routing.algorithm = ["minimal", "updown"]
"#;

/// Too few messages for the precision that is wanted, at two loads; one point must converge, the other need not.
const DOUBTFUL: &str = r#"
[scenario]
name = "doubtful"
[topology.ring]
switches = 5
hosts-per-switch = 2
[routing]
algorithm = "updown"
[traffic.uniform]
payload = "48 B"
loads = [0.05, 0.1]
[measure]
warmup = "20 us"
messages = 500
precision = "0.1 %"
[sweep]
columns = ["outcome"]
[[sweep.axes]]
measure.require-convergence = [true, false]
"#;

/// Runs to the exit code `code`; gives what stderr says.
fn ends(room: &Path, arguments: &str, code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.args(arguments.split_whitespace()).current_dir(room).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {err}");
    err
}

/// Runs a sweep in all ways to the exit code `code` and checks that each says why; a task of it is done all the same.
fn all_end(text: &str, code: i32, why: &str) {
    let room = tempfile::tempdir().unwrap();
    let room = room.path();
    std::fs::write(room.join("s.toml"), text).unwrap();
    ends(room, "sweep plan s.toml --out tasks", 0);
    ends(room, "sweep work tasks --task 0 --of 1", 0);
    for line in
        ["run s.toml --out whole", "sweep run s.toml --out points", "sweep merge points", "sweep merge tasks"]
    {
        let err = ends(room, line, code);
        assert!(err.contains(why), "{line}: {err}");
    }
}

/// Wrong if a deadlock that nothing recovered had the exit code of a sweep in which all is well, or that of an
/// expectation.
#[test]
fn deadlocks_have_the_exit_code_of_a_run() {
    let why = "1 point ended in a deadlock that nothing recovered";
    all_end(STUCK, 4, why);
    all_end(&format!("{STUCK}[expect]\n'sweep.count' = 3\n"), 4, why);
}

/// Wrong if `require-convergence` counted for points that do not have it, or for none, or in the small form.
#[test]
fn points_that_must_converge_decide_the_exit_code() {
    let why = "not every load of 1 point has converged: more messages, or a wider precision, in [measure]";
    all_end(DOUBTFUL, 5, why);
    let fixed = DOUBTFUL.replace("precision =", "require-convergence = true\nprecision =");
    let fixed = fixed.replace("measure.require-convergence = [true, false]", "routing.tree = ['bfs', 'dfs']");
    all_end(&fixed, 5, "not every load of 2 points has converged");
    let profile = fixed
        .replace("require-convergence = true\n", "")
        .replace("routing.tree = ['bfs', 'dfs']", "profile = ['a', 'b']");
    let profiles = "[profiles.a]\nmeasure.require-convergence = true\n[profiles.b]\nrouting.tree = 'dfs'\n";
    all_end(&format!("{profile}{profiles}"), 5, why);

    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("s.toml"), DOUBTFUL).unwrap();
    ends(room.path(), "run s.toml --quick --out whole", 0);
    ends(room.path(), "sweep run s.toml --quick --out points", 0);
}
