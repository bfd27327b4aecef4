//! `[routing] lfts` with `sl2vl` and `sl`: packets on the lanes that a subnet manager's tables give them, and the
//! verdict that the readers and the survey of `simnet route check` come to on the same files.

use std::fs;
use std::path::{Path, PathBuf};

use simnet_network::routing::{
    Attachments, Lanes, Report, ServiceLevels, Survey, read_lfts, read_service_levels, read_sl2vl,
};
use simnet_network::topology::formats::{ReadOptions, port_guids, read as read_network};
use simnet_running::simulation::{self, Outcome, Summary};
use simnet_scenario::checked::Checked;
use simnet_scenario::{Overrides, read};

/// A ring of six switches that OpenSM routed with LASH.
fn ring6() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/infiniband")
}

const TABLES: &str = "lfts = 'opensm-lfts.dump'";
const ON_LANES: &str = "lfts = 'opensm-lfts.dump'\nsl2vl = 'opensm-sl2vl.dump'\nsl = 'psl.txt'";
const CREDITS: &str = "flow = 'credits'\nlanes = 8\nmtu = '64 B'\nbuffer = '64 B'";

/// The ring at full load, with room for one packet a lane, or another fabric; nothing ever breaks a deadlock.
fn text(fabric: &str, routing: &str) -> String {
    format!(
        "[scenario]\nname = 'ring6'\n[topology]\nfile = 'ring6.topo'\n[fabric]\ndeadlock-timeout = 'never'\n{fabric}\n\
         [routing]\n{routing}\n[traffic.uniform]\npayload = '64 B'\nloads = [1.0]\n\
         [measure]\nwarmup = '0 ns'\nduration = '1 ms'\nhorizon = '1100 us'\n"
    )
}

fn checked(folder: &Path, fabric: &str, routing: &str) -> Result<Checked, String> {
    let text = text(fabric, routing);
    let read = read(folder.join("s.toml"), text.as_bytes(), &Overrides::default());
    read.map_err(|refusal| refusal.to_string())
}

fn run(folder: &Path, fabric: &str, routing: &str) -> Summary {
    let checked = checked(folder, fabric, routing).unwrap_or_else(|refusal| panic!("{refusal}"));
    simulation::run(&checked, &(), None).unwrap().summary
}

/// What `simnet route check` looks at of the same files: the tables alone, or with their lanes.
fn judged(folder: &Path, with_lanes: bool) -> Report {
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    let topology = bytes("ring6.topo");
    let network = read_network("ring6.topo", &topology, &ReadOptions::default()).unwrap();
    let (guids, attachments) = (port_guids(&topology), Attachments::lowest(&network));
    let tables = read_lfts(&network, &guids, "lfts", &bytes("opensm-lfts.dump")).unwrap();
    if !with_lanes {
        return Report::of_file(&network, &attachments, &Survey::of_tables(&network, &attachments, &tables));
    }
    let lanes = read_sl2vl(&network, &tables, "sl2vl", &bytes("opensm-sl2vl.dump")).unwrap();
    let levels: ServiceLevels =
        read_service_levels(&network, &guids, &tables, "sl", &bytes("psl.txt")).unwrap();
    let lanes = Lanes { tables: lanes, levels };
    Report::of_file(
        &network,
        &attachments,
        &Survey::of_tables_on_lanes(&network, &attachments, &tables, &lanes),
    )
}

/// Checks that the routes of a run are judged as the command judges them.
fn agrees(summary: &Summary, judged: &Report) {
    let route = summary.stages().unwrap().route.as_ref().unwrap();
    assert_eq!(route.dependency_cycle, judged.dependency_cycle);
    assert_eq!(route.unreachable_pairs, judged.unreachable_pairs);
    assert_eq!(route.lanes.map(|used| used.lanes), judged.lanes.map(|used| used.lanes));
}

/// Wrong if tables of LASH did not deadlock on lane 0, did on their own lanes, or if a scenario's verdict were another
/// than that of `route check`.
#[test]
fn tables_deadlock_on_one_lane_and_not_on_their_own() {
    let on_one = run(&ring6(), CREDITS, TABLES);
    assert!(on_one.deadlock_count() > 0 && on_one.outcome == Outcome::Deadlocked, "{:?}", on_one.outcome);
    agrees(&on_one, &judged(&ring6(), false));
    let on_lanes = run(&ring6(), CREDITS, ON_LANES);
    assert_eq!((on_lanes.deadlock_count(), on_lanes.outcome), (0, Outcome::Saturated));
    agrees(&on_lanes, &judged(&ring6(), true));
    let route = on_lanes.stages().unwrap().route.as_ref().unwrap();
    assert!(route.dependency_cycle.is_none() && route.lanes.is_some_and(|used| used.lanes > 1));
    // Without levels all packets are on level 0, hence on lane 0: as without any table of lanes.
    let (on_level_0, _) = ON_LANES.rsplit_once('\n').unwrap();
    let on_level_0 = run(&ring6(), CREDITS, on_level_0);
    assert_eq!(on_level_0.deadlocks(), on_one.deadlocks());
}

/// Copies the ring's files, with one of them changed.
fn with(file: &str, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(ring6()).unwrap() {
        let name = entry.unwrap().file_name();
        let text = fs::read_to_string(ring6().join(&name)).unwrap();
        let text = if name == file { change(&text) } else { text };
        fs::write(room.path().join(name), text).unwrap();
    }
    room
}

/// Wrong if packets of a level that a switch drops were sent, or those of others were not.
#[test]
fn what_a_switch_drops_has_no_route() {
    // Level 1 is dropped wherever packets go on from port 3, a host's.
    let dropping = |line: &str| {
        let row = line.split_once(':').filter(|(ports, _)| ports.trim_start().starts_with("3 "));
        let changed = row.map(|(ports, lanes)| format!("{ports}:{}", lanes.replacen(" 1 ", " 15 ", 1)));
        changed.unwrap_or_else(|| line.to_owned())
    };
    let room =
        with("opensm-sl2vl.dump", |text| text.lines().map(dropping).collect::<Vec<_>>().join("\n") + "\n");
    let summary = run(room.path(), CREDITS, ON_LANES);
    let judged = judged(room.path(), true);
    agrees(&summary, &judged);
    let levels = fs::read_to_string(ring6().join("psl.txt")).unwrap();
    let dropped = levels.lines().filter(|line| line.ends_with(" 1")).count();
    assert!(dropped > 0);
    assert_eq!(judged.unreachable_pairs, dropped as u64);
    assert_eq!(summary.deadlock_count(), 0);
}

/// Wrong if a lane that the fabric has not were used all the same, files without credits or without each other were
/// taken, or a message did not stand at the key, or in the file, that is to be changed.
#[test]
fn faults_have_their_place() {
    let refused = |folder: &Path, fabric: &str, routing: &str, wanted: &[&str]| {
        let refusal = checked(folder, fabric, routing).map(|_| ()).unwrap_err();
        for wanted in wanted {
            assert!(refusal.contains(wanted), "{wanted}\n{refusal}");
        }
    };
    let one = CREDITS.replace("lanes = 8", "lanes = 1");
    let beyond = [
        "s.toml:13:9",
        "there is no lane 2, on which S-0200000000060000:2 sends",
        "expected `lanes` of at least 3 in [fabric]",
    ];
    refused(&ring6(), &one, ON_LANES, &beyond);
    refused(
        &ring6(),
        "flow = 'stop-go'",
        ON_LANES,
        &["s.toml:10:9", "s.toml:11:6", "means nothing to STOP and GO"],
    );
    let alone = ON_LANES.replace("sl2vl = 'opensm-sl2vl.dump'\n", "");
    refused(&ring6(), CREDITS, &alone, &["s.toml:13:6", "`sl` without `sl2vl`"]);
    let bad_level = with("psl.txt", |text| text.to_owned() + "7 8 16\n");
    refused(bad_level.path(), CREDITS, ON_LANES, &["psl.txt:", "with a level from 0 to 15"]);
    let cut_off = with("opensm-sl2vl.dump", |text| text[..text.len() / 2].to_owned());
    refused(cut_off.path(), CREDITS, ON_LANES, &["opensm-sl2vl.dump:"]);
}
