//! Dumps of `ibnetdiscover` on the command line and in scenarios.

use std::process::Command;

/// A subnet with an aggregation node.
const SMALL: &str = include_str!("../../network/formats/ibnetdiscover/small.dump");

/// Wrong if the command line did not drop them, or did not know a switch by its description.
#[test]
fn the_command_line_reads_dumps() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.any");
    std::fs::write(&file, SMALL).unwrap();
    let simnet = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_simnet")).current_dir(&folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = simnet(&["topo", "show", "net.any", "--format", "json"]);
    assert!(shown.contains("\"hosts\":4") && shown.contains("\"loopback_links\":1"), "{shown}");
    let shown = simnet(&["topo", "show", "net.any", "--drop-aggregation-nodes", "--format", "json"]);
    assert!(shown.contains("\"hosts\":3"), "{shown}");
    let named = simnet(&[
        "route",
        "net.any",
        "--from",
        "ibnetdiscover",
        "--root",
        "Voltaire 4036 # v4036",
        "--format",
        "json",
    ]);
    assert!(
        named.contains("\"root\":\"S-0002c90300000002\"") || named.contains("[\"S-0002c90300000002\"]"),
        "{named}"
    );
}

/// Wrong if the key of a scenario did nothing: the utility host named here is the aggregation node.
#[test]
fn a_scenario_drops_aggregation_nodes_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.any"), SMALL).unwrap();
    for (key, missing) in
        [("", false), ("drop-aggregation-nodes = false\n", false), ("drop-aggregation-nodes = true\n", true)]
    {
        let scenario = format!(
            "[scenario]\nname = \"s\"\nseed = 1\n[topology]\nfile = \"net.any\"\n\
             utility = \"H-0002c90300000300\"\n{key}"
        );
        std::fs::write(folder.path().join("s.toml"), scenario).unwrap();
        let mut check = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let output = check.current_dir(&folder).args(["check", "s.toml"]).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(printed.contains("no host is called `H-0002c90300000300`"), missing, "{key}: {printed}");
    }
}
