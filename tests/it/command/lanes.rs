//! What the verdict on routes stands on: one lane, and who is warned that lanes may change it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs to the exit code `code`; gives stdout and stderr.
fn simnet(folder: &Path, arguments: &[&str], code: i32) -> [String; 2] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(folder).env_remove("SIMNET_LOG");
    let output = command.output().unwrap();
    let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {texts:?}");
    texts
}

/// A ring of `n` switches with guids, a host on each: port 1 leads round, port 2 back, port 3 to the host.
fn ring(n: u64) -> String {
    let each = |line: &dyn Fn(u64) -> String| (0..n).map(line).collect::<Vec<_>>().join(",");
    let switches = each(&|s| format!(r#"{{"name": "s{s}", "ports": 4, "guid": "0x{:x}"}}"#, 0xa0 + s));
    let hosts = each(&|h| format!(r#"{{"name": "h{h}", "guid": "0x{:x}"}}"#, 0xb00 + 16 * h));
    let round = each(&|s| format!(r#"{{"a": "s{s}", "a_port": 1, "b": "s{}", "b_port": 2}}"#, (s + 1) % n));
    let homes = each(&|h| format!(r#"{{"a": "h{h}", "a_port": 1, "b": "s{h}", "b_port": 3}}"#));
    format!(
        r#"{{"format": "simnet-topology/1", "name": "ring", "first_port": 1, "switches": [{switches}],
            "hosts": [{hosts}], "links": [{round}, {homes}]}}"#
    )
}

/// Tables that send everything round one way, or never from the last switch to the first.
fn tables(n: u64, one_way: bool) -> String {
    let mut text = String::new();
    for s in 0..n {
        let _ = writeln!(
            text,
            "Unicast lids [0-{n}] of switch Lid {} guid 0x{:016x} ('s{s}'):",
            100 + s,
            0xa0 + s
        );
        for h in 0..n {
            let port = match (s == h, one_way || h > s) {
                (true, _) => 3,
                (_, true) => 1,
                _ => 2,
            };
            let _ = writeln!(
                text,
                "0x{:04x} {port:03} : (Channel Adapter portguid 0x{:016x}: 'h{h}')",
                h + 1,
                0xb01 + 16 * h
            );
        }
        let _ = writeln!(text, "{n} lids dumped");
    }
    text
}

fn room(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Wrong if a verdict did not say that it is on one lane, in either kind of output.
#[test]
fn verdicts_are_on_one_lane() {
    let folder = room(&[("net.json", ring(5))]);
    let on_one_lane = "(judged on one lane; virtual lanes are not looked at)";
    for (algorithm, verdict, words) in [
        ("updown", "acyclic", "impossible: the channel dependency graph is acyclic"),
        ("minimal", "cyclic", "possible: a cycle of 5 channels"),
    ] {
        let line =
            ["route", "net.json", "--algorithm", algorithm, "--select", "first", "--routes", "r.ndjson"];
        let [text, _] = simnet(folder.path(), &line, 0);
        assert!(text.contains(&format!("{words} {on_one_lane}")), "{text}");
        let [text, _] = simnet(folder.path(), &[&line[..], &["--format", "json"]].concat(), 0);
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&object["lanes"], &object["verdict"]), (&Value::from(1), &Value::from(verdict)));

        let check = ["route", "check", "net.json", "--routes", "r.ndjson"];
        let code = i32::from(verdict == "cyclic");
        let [text, _] = simnet(folder.path(), &check, code);
        assert!(text.contains(on_one_lane), "{text}");
        let [text, _] = simnet(folder.path(), &[&check[..], &["--format", "json"]].concat(), code);
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&object["lanes"], &object["verdict"]), (&Value::from(1), &Value::from(verdict)));
    }
}

/// Wrong if it were reported that tables are cyclic and not that lanes may break the cycle, or if so for
/// nothing.
#[test]
fn cyclic_tables_are_told_with_caution() {
    let (round, safe) = (tables(5, true), tables(5, false));
    let folder = room(&[
        ("net.json", ring(5)),
        ("plain/opensm-lfts.dump", round.clone()),
        ("safe-lash/opensm-lfts.dump", safe),
        ("a-dfsssp/opensm-lfts.dump", round.clone()),
        ("lanes/opensm-lfts.dump", round),
        ("lanes/opensm-sl2vl.dump", String::new()),
    ]);
    let check = |dump: &str, code: i32, more: &[&str]| {
        simnet(folder.path(), &[&["route", "check", "net.json", "--lfts", dump], more].concat(), code)
    };
    let [_, printed] = check("plain/opensm-lfts.dump", 1, &[]);
    assert!(printed.contains("look cyclic on one lane, and virtual lanes were not looked at"), "{printed}");
    assert!(
        ["LASH", "DFSSSP", "Nue", "torus-2QoS"].iter().all(|engine| printed.contains(engine)),
        "{printed}"
    );
    assert!(!printed.contains("uses lanes"), "{printed}");
    let [text, printed] = check("a-dfsssp/opensm-lfts.dump", 5, &["--format", "json"]);
    assert_eq!(object(&text)["verdict"], "one-lane");
    assert!(printed.contains("DFSSSP is named in its path or in a comment, and uses lanes"), "{printed}");
    let [_, printed] = check("lanes/opensm-lfts.dump", 5, &[]);
    assert!(printed.contains("--sl2vl FILE --sl FILE"), "{printed}");
    assert!(printed.contains("opensm-sl2vl.dump beside it says that this fabric has lanes"), "{printed}");
    assert_eq!(check("lanes/opensm-lfts.dump", 5, &["--quiet"])[1], "");
    assert_eq!(check("safe-lash/opensm-lfts.dump", 0, &[])[1], "");
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// SL2VL tables of the ring: a packet whose service level is the number of its destination is on lane 1 where it will
/// not come from the last switch to the first any more, else on lane 0.
fn lanes(n: u64) -> String {
    let mut text = String::new();
    for s in 0..n {
        let _ = writeln!(text, "Switch 0x{:016x}, base LID {}, \"s{s}\"", 0xa0 + s, 100 + s);
        text.push_str("#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n#--------\n");
        for (input, output) in (0..4).flat_map(|input| (1..4).map(move |output| (input, output))) {
            let lanes: String = (0..16).map(|level| format!(" {:<2}", u8::from(s < level))).collect();
            let _ = writeln!(text, "{input:<3} {output:<3} :{lanes}");
        }
        text.push_str("#--------\n\n");
    }
    text
}

/// The service levels of all pairs of hosts.
fn levels(n: u64, level: impl Fn(u64) -> u64) -> String {
    let pairs = (0..n).flat_map(|s| (0..n).filter(move |d| *d != s).map(move |d| (s, d)));
    pairs.map(|(s, d)| format!("{} {} {}\n", s + 1, d + 1, level(d))).collect()
}

/// Wrong if lanes that break a cycle did not, or lanes that do not were believed to; if a folder's files were not
/// found; or if the proof over lanes had no certificate, one that passed for other tables, or one of a cycle.
#[test]
fn lanes_settle_it() {
    let folder = room(&[
        ("net.json", ring(5)),
        ("dump/opensm-lfts.dump", tables(5, true)),
        ("dump/opensm-sl2vl.dump", lanes(5)),
        ("dump/psl.txt", levels(5, |destination| destination)),
        ("dump/opensm.log", "Nov 25 [1] -> started\n".to_owned()),
        ("same.psl", levels(5, |_| 0)),
        ("half/opensm-lfts.dump", tables(5, true)),
        ("half/psl.txt", levels(5, |destination| destination)),
        ("safe.dump", tables(5, false)),
    ]);
    let check = |more: &[&str], code: i32| {
        let line = [&["route", "check", "net.json", "--format", "json", "--lfts"], more].concat();
        simnet(folder.path(), &line, code)
    };
    let (lfts, sl2vl, psl) = ("dump/opensm-lfts.dump", "dump/opensm-sl2vl.dump", "dump/psl.txt");
    let [text, err] = check(&[lfts, "--sl2vl", sl2vl, "--sl", psl], 0);
    let by_name = object(&text);
    assert_eq!((&by_name["verdict"], &by_name["lanes"]), (&"acyclic".into(), &2.into()));
    assert_eq!(
        (&by_name["dependency_cycle"], &by_name["paths_without_service_level"]),
        (&Value::Null, &0.into())
    );
    assert_eq!(err, "");
    let [text, err] = check(&["dump", "--certificate", "proof"], 0);
    assert_eq!(object(&text), by_name);
    assert!(err.contains("reads opensm-lfts.dump, opensm-sl2vl.dump, psl.txt"), "{err}");
    let [text, _] = check(&[lfts, "--sl2vl", sl2vl, "--sl", "same.psl"], 1);
    let cyclic = object(&text);
    assert_eq!((&cyclic["verdict"], &cyclic["lanes"]), (&"cyclic".into(), &1.into()));
    assert_eq!(
        cyclic["dependency_cycle"],
        serde_json::json!(["s0:1/0", "s1:1/0", "s2:1/0", "s3:1/0", "s4:1/0"])
    );
    // Levels in a folder without SL2VL tables say nothing.
    assert_eq!(object(&check(&["half"], 1)[0])["verdict"], "cyclic");
    // Without levels nothing is known.
    let [text, err] = check(&[lfts, "--sl2vl", sl2vl], 5);
    assert_eq!(object(&text)["verdict"], "one-lane");
    assert_eq!(object(&text)["paths_without_service_level"], 20);
    assert!(err.contains("no levels were given"), "{err}");
    let [_, err] = check(&[lfts, "--sl", psl], 2);
    assert!(err.contains("needs `--sl2vl`"), "{err}");

    let verify = |more: &[&str], code: i32| {
        simnet(folder.path(), &[&["route", "verify", "net.json", "--format", "json"], more].concat(), code)
    };
    let [text, _] = verify(&["proof", "--lfts", "dump"], 0);
    let proof = object(&text);
    assert_eq!(
        (&proof["holds"], &proof["lanes"], &proof["lacking"], &proof["pairs"]),
        (&true.into(), &2.into(), &serde_json::json!([]), &20.into())
    );
    let [text, _] = verify(&["proof", "--lfts", "safe.dump"], 1);
    assert_eq!(object(&text)["holds"], false);
    assert_eq!(object(&verify(&["proof"], 0)[0])["lacking"], Value::Null);
    let text = fs::read_to_string(folder.path().join("proof")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 2);
    fs::write(folder.path().join("swapped"), lines.join("\n")).unwrap();
    let [_, err] = verify(&["swapped"], 3);
    assert!(err.contains("goes-back") && err.contains("swapped:3:1"), "{err}");
    let [_, err] = check(&[lfts, "--sl2vl", sl2vl, "--sl", "same.psl", "--certificate", "none"], 1);
    assert!(err.contains("none is not written") && !folder.path().join("none").exists(), "{err}");
}

/// Wrong if tables that can deadlock did not under load, or were not named; if tables that cannot did; or if a scenario
/// ran other routes than the tables'.
#[test]
fn tables_are_run_under_load() {
    let scenario = "[scenario]\nname = \"tables\"\nseed = 0\n[topology]\nfile = \"net.json\"\n[routing]\n\
                    lfts = \"round.dump\"\n[fabric]\npreset = \"infiniband-edr\"\nflow = \"credits\"\n\
                    [traffic.uniform]\npayload = \"4 KiB\"\nloads = [0.9]\n[measure]\n\
                    warmup = \"auto\"\nmessages = 100000\n";
    let folder = room(&[
        ("net.json", ring(5)),
        ("round.dump", tables(5, true)),
        ("safe.dump", tables(5, false)),
        ("tables.toml", scenario.to_owned()),
        ("both.toml", scenario.replace("[routing]", "[routing]\nfile = \"r.ndjson\"")),
        ("tree.toml", scenario.replace("[routing]", "[routing]\ntree = \"bfs\"")),
        ("none.toml", scenario.replace("round.dump", "net.json")),
    ]);
    let check = |lfts: &str, code: i32| {
        let line = ["route", "check", "net.json", "--lfts", lfts, "--load", "0.9", "--format", "json"];
        object(&simnet(folder.path(), &line, code)[0])["under_load"].clone()
    };
    let (round, safe) = (check("round.dump", 1), check("safe.dump", 0));
    let accepted = |under: &Value| under["accepted_flits_per_cycle_per_host"].as_f64().unwrap();
    assert!(round["deadlock_count"].as_u64().unwrap() > 0, "{round}");
    let mut cycle: Vec<&str> =
        round["deadlocks"][0]["cycle"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, ["s0:1", "s1:1", "s2:1", "s3:1", "s4:1"]);
    assert_eq!((&safe["deadlock_count"], &round["state"]), (&0.into(), &"deadlocked".into()));
    assert!(accepted(&safe) > 10.0 * accepted(&round), "{safe} {round}");
    assert!(safe["busiest_channels"].as_array().unwrap().len() > 1);
    let [text, _] =
        simnet(folder.path(), &["route", "check", "net.json", "--lfts", "round.dump", "--load", "0.9"], 1);
    assert!(text.contains("closed after ") && text.contains("it is deadlocked"), "{text}");
    assert!(text.contains("credits, one lane of 16384 B") && text.contains("infiniband-edr"), "{text}");

    simnet(folder.path(), &["run", "tables.toml", "--quiet", "--out", "out"], 4);
    let summary = object(&fs::read_to_string(folder.path().join("out/summary.json")).unwrap());
    assert_eq!(
        summary["points"][0]["accepted_flits_per_cycle_per_host"],
        round["accepted_flits_per_cycle_per_host"]
    );
    assert_eq!(summary["deadlocks"][0]["cycle"], round["deadlocks"][0]["cycle"]);
    assert_eq!((&summary["route"]["algorithm"], &summary["route"]["pairs"]), (&"file".into(), &20.into()));
    for (file, code) in [("both.toml", "conflict"), ("tree.toml", "conflict"), ("none.toml", "not-a-table")] {
        let [_, err] = simnet(folder.path(), &["check", file], 3);
        assert!(err.contains(code), "{file}: {err}");
    }
    let bad = ["route", "check", "net.json", "--lfts", "safe.dump", "--load", "-1"];
    simnet(folder.path(), &bad, 2);
}

/// Wrong if installed tables kept a pair whose cable or switch is gone, or lost another; if ours were not computed anew
/// beside them; or if the whole network were not judged as without the option.
#[test]
fn installed_tables_are_judged_without_a_part() {
    let folder = room(&[
        ("net.json", ring(5)),
        ("round.dump", tables(5, true)),
        ("safe.dump", tables(5, false)),
        ("r.ndjson", String::new()),
    ]);
    let check = |lfts: &str, more: &[&str]| {
        let line = ["route", "check", "net.json", "--lfts", lfts, "--format", "json"];
        let code = i32::from(more.is_empty().then_some(lfts) != Some("safe.dump"));
        object(&simnet(folder.path(), &[&line, more].concat(), code)[0])
    };
    for lfts in ["round.dump", "safe.dump"] {
        let cable = check(lfts, &["--without", "s0:1"]);
        assert_eq!(cable["whole"], check(lfts, &[]), "{lfts}");
        assert!(cable["unreachable_pairs"].as_u64().unwrap() > 0, "{cable}");
        assert!(!cable["unreachable_examples"].as_array().unwrap().is_empty(), "{cable}");
        let ours = &cable["recomputed"];
        assert_eq!((&ours["unreachable_pairs"], &ours["verdict"]), (&0.into(), &"acyclic".into()), "{ours}");
        // Without a cable a ring has no circle.
        assert_eq!(cable["verdict"], "acyclic", "{lfts}");
        let switch = check(lfts, &["--without-switch", "s2"]);
        assert_eq!(switch["without"], serde_json::json!(["s2"]));
        // The host of the switch is cut off, and no table helps it.
        assert_eq!(switch["recomputed"]["unreachable_pairs"], 8);
        assert!(switch["unreachable_pairs"].as_u64().unwrap() >= 8, "{switch}");
    }
    let loaded = check("round.dump", &["--without", "s0:1", "--load", "0.9"]);
    let accepted =
        |of: &Value| of["under_load"]["accepted_flits_per_cycle_per_host"].as_f64().unwrap_or(f64::NAN);
    assert!(accepted(&loaded["recomputed"]) > accepted(&loaded["whole"]), "{loaded}");
    assert_eq!(loaded["under_load"]["deadlock_count"], 0);
    let line = ["route", "check", "net.json", "--lfts", "safe.dump", "--without", "s0:1"];
    let [text, _] = simnet(folder.path(), &line, 1);
    assert!(text.contains("updown anew") && text.contains("no route from"), "{text}");
    let bad = |line: &[&str], wanted: &str| {
        let [_, err] = simnet(folder.path(), &[&["route", "check", "net.json"], line].concat(), 2);
        assert!(err.contains(wanted), "{err}");
    };
    bad(&["--lfts", "safe.dump", "--without", "s9"], "names nothing");
    bad(&["--routes", "r.ndjson", "--without", "s0"], "cannot be used with");
}

/// Wrong if the verdict `impossible` of routes, computed or read, had no certificate that holds for them, or had one
/// that holds for others.
#[test]
fn routes_have_certificates() {
    let folder = room(&[("net.json", ring(5))]);
    let run = |line: &[&str], code: i32| simnet(folder.path(), line, code);
    run(&["route", "net.json", "--routes", "r.ndjson", "--certificate", "a"], 0);
    run(&["route", "check", "net.json", "--routes", "r.ndjson", "--certificate", "b"], 0);
    let texts = ["a", "b"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
    assert_eq!(texts[0], texts[1]);
    run(&["route", "verify", "net.json", "a", "--routes", "r.ndjson"], 0);
    run(&["route", "net.json", "--algorithm", "minimal", "--routes", "m.ndjson", "--certificate", "c"], 0);
    assert!(!folder.path().join("c").exists());
    let [text, _] = run(&["route", "verify", "net.json", "a", "--routes", "m.ndjson"], 1);
    assert!(text.contains("the certificate lacks"), "{text}");
}

/// Wrong if the certificate of tables on one lane did not hold for the same tables without their lanes, or one without
/// lanes for tables with them; if one of two lanes held for the same tables on one, where they can deadlock; or if one
/// with a dependency taken out, or moved to another lane, still held.
#[test]
fn one_lane_and_no_lanes_are_the_same() {
    let folder = room(&[("net.json", ring(5))]);
    let run = |line: &[&str], code: i32| simnet(folder.path(), line, code);
    let file = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let all = ["--routes", "r", "--certificate", "proof", "--out", "lfts", "--sl", "sl", "--sl2vl", "sl2vl"];
    let make = |algorithm: &str| {
        let line = ["route", "net.json", "--per-destination", "--to", "opensm", "--algorithm", algorithm];
        run(&[&line[..], &all].concat(), 0);
    };
    let verify = |proof: &str, more: &[&str], code: i32| {
        run(&[&["route", "verify", "net.json", proof], more].concat(), code);
    };
    let on_lanes = ["--lfts", "lfts", "--sl", "sl", "--sl2vl", "sl2vl"];
    for algorithm in ["updown", "smart"] {
        make(algorithm);
        assert!(file("proof").contains("\"s1:1/0\""), "{}", file("proof"));
        run(&["route", "check", "net.json", "--lfts", "lfts", "--certificate", "plain"], 0);
        assert!(!file("plain").contains("/0"), "{}", file("plain"));
        for proof in ["proof", "plain"] {
            verify(proof, &["--lfts", "lfts"], 0);
            verify(proof, &["--routes", "r"], 0);
            verify(proof, &on_lanes, 0);
        }
        fs::write(folder.path().join("other"), file("proof").replace("/0\"", "/1\"")).unwrap();
        // One dependency less, of a line that something stands before, and one less in the header.
        let text = file("proof");
        let count = text.lines().skip(1).map(|line| line.matches("/0").count() - 1).sum::<usize>();
        let own = |line: &str| line.split("\", \"then\"").next().unwrap().replace("{\"channel\": ", "");
        let fits = |line: &&str| line.matches("/0").count() == 2 && text.matches(&own(line)).count() > 1;
        let line = text.lines().skip(1).find(fits).unwrap();
        let less = format!("{}\"then\": []}}", line.split_once("\"then\"").unwrap().0);
        let [old, new] = [count, count - 1].map(|count| format!("\"dependencies\": {count}}}"));
        fs::write(folder.path().join("less"), text.replace(line, &less).replace(&old, &new)).unwrap();
        for proof in ["other", "less"] {
            verify(proof, &[], 0);
            verify(proof, &["--lfts", "lfts"], 1);
            verify(proof, &["--routes", "r"], 1);
            verify(proof, &on_lanes, 1);
        }
    }
    make("dfsssp");
    verify("proof", &on_lanes, 0);
    verify("proof", &["--lfts", "lfts"], 1);
    verify("proof", &["--routes", "r"], 1);
}

/// Wrong if a certificate of a circle passed by two spellings of an output; one with another network's name, lanes or
/// pairs than are so; or if what is not checked were printed.
#[test]
fn headers_of_certificates_are_checked() {
    let folder = room(&[("net.json", ring(5))]);
    let run = |line: &[&str], code: i32| simnet(folder.path(), line, code);
    run(&["route", "net.json", "--routes", "r", "--certificate", "proof"], 0);
    let text = fs::read_to_string(folder.path().join("proof")).unwrap();
    let name = object(text.lines().next().unwrap())["network"].as_str().unwrap().to_owned();
    let circle: String = (0..5)
        .map(|s| format!("{{\"channel\": \"s{s}:1/0\", \"then\": [\"s{}:1\"]}}\n", (s + 1) % 5))
        .collect();
    let ends: String = (0..5).map(|s| format!("{{\"channel\": \"s{s}:1\", \"then\": []}}\n")).collect();
    let header = format!(
        "{{\"format\": \"simnet-certificate/1\", \"network\": \"{name}\", \"about\": \"20 pairs of hosts\", \
         \"lanes\": 1, \"channels\": 10, \"dependencies\": 5}}\n"
    );
    for (text, code) in [
        (format!("{header}{circle}{ends}"), "mixed-spelling"),
        (text.replacen(&format!("\"{name}\""), "\"another\"", 1), "another-network"),
        (text.replacen("\"lanes\": 1", "\"lanes\": 99", 1), "wrong-count"),
        (text.replacen("20 pairs", "9900 pairs", 1), "other-routes"),
    ] {
        fs::write(folder.path().join("bad"), text).unwrap();
        let [out, err] = run(&["route", "verify", "net.json", "bad"], 3);
        assert!(out.is_empty() && err.contains(code) && err.contains("bad:"), "{err}");
    }
    // Fewer pairs than there may be: only the routes show it.
    fs::write(folder.path().join("fewer"), text.replacen("20 pairs", "18 pairs", 1)).unwrap();
    let [out, _] = run(&["route", "verify", "net.json", "fewer"], 0);
    assert!(!out.contains("18") && out.contains("not checked"), "{out}");
    let [out, err] = run(&["route", "verify", "net.json", "fewer", "--routes", "r"], 3);
    assert!(out.is_empty() && err.contains("other-routes"), "{err}");
}

/// Wrong if tables, levels, lanes or a certificate of another command were taken with some, in a run as well; or if
/// those of one command, or of the same command once more, were not.
#[test]
fn files_of_two_commands_are_refused() {
    let folder = room(&[("net.json", ring(5))]);
    let run = |line: &[&str], code: i32| simnet(folder.path(), line, code);
    let file = |name: &str| folder.path().join(name);
    for (at, algorithm) in [("a", "dfsssp"), ("b", "updown"), ("c", "dfsssp")] {
        fs::create_dir(file(at)).unwrap();
        let paths = ["lfts", "sl", "sl2vl", "matrix", "proof"].map(|name| format!("{at}/{name}"));
        let [lfts, sl, sl2vl, matrix, proof] = paths.each_ref().map(String::as_str);
        let line = ["route", "net.json", "--per-destination", "--algorithm", algorithm, "--to", "opensm"];
        let line = [&line[..], &["--certificate", proof]].concat();
        run(&[&line[..], &["--out", lfts, "--sl", sl, "--sl2vl", sl2vl, "--lid-matrix", matrix]].concat(), 0);
    }
    let digest = |path: &str| {
        let text = fs::read_to_string(file(path)).unwrap();
        let line = text.lines().next().unwrap().to_owned();
        line.split(&[' ', '"', ','][..]).find(|word| word.len() == 32).unwrap().to_owned()
    };
    let own = digest("a/lfts");
    assert!(["a/sl", "a/sl2vl", "a/matrix", "a/proof", "c/lfts"].iter().all(|path| digest(path) == own));
    assert_ne!(digest("b/lfts"), own);
    let verify = |[lfts, sl, sl2vl, proof]: [&str; 4], code: i32| {
        let paths =
            [format!("{lfts}/lfts"), format!("{sl}/sl"), format!("{sl2vl}/sl2vl"), format!("{proof}/proof")];
        let [lfts, sl, sl2vl, proof] = paths.each_ref().map(String::as_str);
        let files = ["--lfts", lfts, "--sl", sl, "--sl2vl", sl2vl];
        run(&[&["route", "verify", "net.json", proof][..], &files].concat(), code)
    };
    verify(["a"; 4], 0);
    verify(["a", "c", "a", "c"], 0);
    for (files, named) in [
        (["a", "b", "a", "a"], "b/sl:1:"),
        (["a", "a", "b", "a"], "b/sl2vl:1:"),
        (["a", "a", "a", "b"], "b/proof:1:"),
    ] {
        let [out, err] = verify(files, 3);
        assert!(out.is_empty() && err.contains("two-commands") && err.contains(named), "{err}");
    }
    let check = ["route", "check", "net.json", "--lfts", "a/lfts", "--sl", "a/sl", "--sl2vl"];
    let [_, err] = run(&[&check[..], &["b/sl2vl"]].concat(), 3);
    assert!(err.contains("two-commands"), "{err}");
    // What another command proves of the same files is of the same files.
    run(&[&check[..], &["a/sl2vl", "--certificate", "again"]].concat(), 0);
    assert_eq!(digest("again"), own);
}

/// Wrong if the help did not say what is not looked at.
#[test]
fn help_says_that_lanes_are_not_looked_at() {
    for verb in [&["route", "--help"][..], &["route", "check", "--help"]] {
        let [text, _] = simnet(Path::new("."), verb, 0);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("judged on one lane: virtual lanes are not looked at"), "{text}");
    }
}
