//! What people read of nodes whose file describes them: descriptions, with ids beside; files keep the ids.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A subnet of two switches and three hosts: two of them have the description that adapters come with.
const SUBNET: &str = "\
switchguid=0x10(10)
Switch\t8 \"S-0000000000000010\"\t\t# \"leaf a\" base port 0 lid 1 lmc 0
[1]\t\"H-0000000000000020\"[1](20) \t\t# \"node1 mlx5_0\" lid 3 4xSDR
[2]\t\"H-0000000000000021\"[1](21) \t\t# \"MT4123 ConnectX6\" lid 4 4xSDR
[8]\t\"S-0000000000000011\"[8]\t\t# \"leaf b\" lid 2 4xSDR

switchguid=0x11(11)
Switch\t8 \"S-0000000000000011\"\t\t# \"leaf b\" base port 0 lid 2 lmc 0
[1]\t\"H-0000000000000022\"[1](22) \t\t# \"MT4123 ConnectX6\" lid 5 4xSDR
[8]\t\"S-0000000000000010\"[8]\t\t# \"leaf a\" lid 1 4xSDR

caguid=0x20
Ca\t1 \"H-0000000000000020\"\t\t# \"node1 mlx5_0\"
[1](20) \t\"S-0000000000000010\"[1]\t\t# lid 3 lmc 0 \"leaf a\" lid 1 4xSDR

caguid=0x21
Ca\t1 \"H-0000000000000021\"\t\t# \"MT4123 ConnectX6\"
[1](21) \t\"S-0000000000000010\"[2]\t\t# lid 4 lmc 0 \"leaf a\" lid 1 4xSDR

caguid=0x22
Ca\t1 \"H-0000000000000022\"\t\t# \"MT4123 ConnectX6\"
[1](22) \t\"S-0000000000000011\"[1]\t\t# lid 5 lmc 0 \"leaf b\" lid 2 4xSDR
";

const SCENARIO: &str = "scenario = { name = 's', seed = 1 }
topology.file = 'rack 7.topo'
fabric = { buffer = '1 KiB', stop = '512 B', go = '256 B' }
routing = { algorithm = 'updown', root = 'leaf b' }
traffic.uniform = { payload = '512 B', loads = [0.1] }
measure.messages = 300
output.events.most = 2000
";

fn simnet(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.current_dir(folder).args(arguments).env_remove("SIMNET_LOG").output().unwrap();
    assert!(
        [Some(0), Some(5)].contains(&output.status.code()),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn room() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rack 7.topo"), SUBNET).unwrap();
    fs::write(folder.path().join("s.toml"), SCENARIO).unwrap();
    folder
}

/// Wrong if people had to read ids where a description says which node it is, or could not tell two hosts of one
/// description apart; if files or JSON went by anything but ids; if the network were called after the format.
#[test]
fn tables_and_sentences_show_descriptions_and_files_ids() {
    let room = room();
    let text = simnet(room.path(), &["run", "s.toml", "--out", "out"]);
    for part in [
        "rack 7: 3 hosts",
        "rates: 4 of 4 cables as the network gives them, 8 Gb/s",
        "from root leaf b (S-0000000000000011)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let hurts = &text[text.find("Where it hurts").unwrap()..];
    assert!(hurts.contains("leaf a:8 (S-0000000000000010)"), "{hurts}");
    assert!(
        hurts.contains("node1 mlx5_0:1 (H-0000000000000020)") && hurts.contains("H-0000000000000022:1"),
        "{hurts}"
    );
    assert!(!hurts.contains("ConnectX6"), "{hurts}");
    let busiest = hurts.lines().find(|line| line.contains("busiest cable")).unwrap();
    assert!(busiest.contains("leaf") && !busiest.contains("S-00"), "{busiest}");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(room.path().join("out/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["route"]["root"], "S-0000000000000011");
    let from = summary["busiest_channels"][0]["from"].as_str().unwrap();
    assert!(from.starts_with("S-00") || from.starts_with("H-00"), "{from}");
    let channels = fs::read_to_string(room.path().join("out/channels.csv")).unwrap();
    assert!(channels.contains("S-0000000000000010:8") && !channels.contains("leaf"), "{channels}");
    let shown = simnet(room.path(), &["topo", "show", "rack 7.topo"]);
    assert!(shown.contains("rack 7") && !shown.contains("ibnetdiscover"), "{shown}");
    let ring = simnet(room.path(), &["ring", "rack 7.topo", "--algorithm", "lr1"]);
    assert!(ring.contains("node1 mlx5_0 (H-0000000000000020)") && ring.contains("leaf b"), "{ring}");
    let ring = simnet(room.path(), &["ring", "rack 7.topo", "--algorithm", "lr1", "--format", "json"]);
    assert!(ring.contains("\"H-0000000000000020\"") && !ring.contains("node1"), "{ring}");
}

/// Wrong if the report or the replay in it showed ids for nodes that people have given names, or lost the ids.
#[test]
fn the_report_and_the_replay_show_descriptions_with_ids_beside() {
    let room = room();
    simnet(room.path(), &["run", "s.toml", "--out", "out"]);
    simnet(room.path(), &["report", "out", "--out", "page.html"]);
    let page = fs::read_to_string(room.path().join("page.html")).unwrap();
    let names =
        "\"names\":[\"leaf a\",\"leaf b\",\"node1 mlx5_0\",\"H-0000000000000021\",\"H-0000000000000022\"]";
    assert_eq!(page.matches(names).count(), 2, "the network's names and the replay's");
    let ids = "\"ids\":[\"S-0000000000000010\",\"S-0000000000000011\",\"H-0000000000000020\"";
    assert_eq!(page.matches(ids).count(), 2);
    assert!(page.contains("\"node1 mlx5_0#"), "messages are called after their senders");
    for part in ["<bdi>leaf a:8</bdi>", "from the root <bdi>leaf b</bdi>", ">leaf a</text>"] {
        assert!(page.contains(part), "{part}");
    }
}
