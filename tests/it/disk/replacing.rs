//! What a command may replace: results of its own kind, and nothing else; and no output takes the place of an input.

use std::fs;

use super::Room;

/// Wrong if `run` replaced a folder because it has some `manifest.json`, or took a user's notes with its own results.
#[test]
fn a_run_replaces_only_results_that_are_as_it_left_them() {
    let room = Room::new();
    let run = ["run", "s.toml", "--quiet", "--out", "out"];
    room.write("out/manifest.json", "{\"name\": \"my web app\"}");
    room.write("out/src/main.js", "let a;");
    room.write("out/.git/HEAD", "ref");
    room.refuses(&run, 7, &["out: not the results of an earlier run", "no manifest.json that says so"]);
    room.write("out/s.toml", &room.read("s.toml"));
    room.refuses(&["run", "out/s.toml", "--out", "out"], 7, &["no manifest.json that says so"]);
    fs::remove_dir_all(room.path("out")).unwrap();

    room.ends(&run, 0);
    room.ends(&run, 0);
    let whole = room.contents();
    let in_the_way = ["notes.txt", "deep/notes.txt", ".hidden", "report.html", "sweep.json", "\u{e4}"];
    for name in in_the_way {
        room.write(format!("out/{name}"), "dear");
        room.refuses(&run, 7, &[name.split('/').next().unwrap(), "not of the results of an earlier run"]);
        let first = room.path("out").join(name.split('/').next().unwrap());
        if first.is_dir() { fs::remove_dir_all(first).unwrap() } else { fs::remove_file(first).unwrap() }
    }
    // A file that became a folder, or a link to one of the user's.
    fs::remove_file(room.path("out/points.csv")).unwrap();
    fs::create_dir(room.path("out/points.csv")).unwrap();
    room.refuses(&run, 7, &["points.csv", "not the file"]);
    fs::remove_dir(room.path("out/points.csv")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(room.path("net.json"), room.path("out/points.csv")).unwrap();
        room.refuses(&run, 7, &["points.csv", "not the file"]);
        fs::remove_file(room.path("out/points.csv")).unwrap();
    }
    // That a file is gone or was changed puts nothing of a user's at risk.
    room.ends(&run, 0);
    assert_eq!(room.contents().into_keys().collect::<Vec<_>>(), whole.into_keys().collect::<Vec<_>>());
    // A manifest that lost a key, or names what it should not, is not a run's.
    let manifest = room.read("out/manifest.json");
    for (old, new) in [("\"commit\"", "\"comit\""), ("\"summary.json\"", "\"summary\""), ("{", "[")] {
        room.write("out/manifest.json", &manifest.replacen(old, new, 1));
        room.refuses(&run, 7, &["out"]);
    }
}

/// Wrong if one kind of folder replaced another, or a sweep's days of work.
#[test]
fn no_kind_of_folder_replaces_another() {
    let room = Room::new();
    room.ends(&["run", "s.toml", "--quiet", "--out", "results"], 0);
    room.ends(&["sweep", "run", "w.toml", "--quiet", "--out", "sweep"], 0);
    room.ends(&["codegen", "rtt", "--out", "source"], 0);
    for place in ["sweep", "source"] {
        room.refuses(&["run", "s.toml", "--out", place], 7, &[place]);
    }
    for place in ["results", "sweep"] {
        room.refuses(&["codegen", "rtt", "--out", place], 7, &[place]);
    }
    for place in ["results", "source"] {
        room.refuses(&["sweep", "run", "w.toml", "--out", place], 7, &[place]);
    }
}

/// Wrong if generated source that was edited or added to were written over.
#[test]
fn source_that_was_edited_stays() {
    let room = Room::new();
    for what in [&["codegen", "rtt"][..], &["codegen", "allgather", "net.json", "--algorithm", "lr1"]] {
        let line = [what, &["--out", what[1]]].concat();
        room.ends(&line, 0);
        room.ends(&line, 0);
        let names: Vec<String> = fs::read_dir(room.path(what[1]))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(names.len() >= 3, "{names:?}");
        for name in names.iter().filter(|name| *name != "manifest.json") {
            let file = format!("{}/{name}", what[1]);
            let text = room.read(&file);
            room.write(&file, &format!("{text}\n"));
            room.refuses(&line, 7, &[name, "changed since it was written"]);
            room.write(&file, &text);
        }
        room.write(format!("{}/mine.c", what[1]), "int a;");
        room.refuses(&line, 7, &["mine.c"]);
        fs::remove_file(room.path(what[1]).join("mine.c")).unwrap();
        room.ends(&line, 0);
    }
}

/// Wrong if a figure's folder or the index replaced what simnet did not make.
#[test]
fn a_figure_replaces_only_a_figure() {
    let room = Room::new();
    let line = ["figures", "sancho2000/fig1", "--quick", "--quiet", "--out", "f"];
    room.write("f/sancho2000/fig1/manifest.json", "{\"name\": \"my web app\"}");
    room.refuses(&line, 7, &["f/sancho2000/fig1"]);
    fs::remove_dir_all(room.path("f")).unwrap();
    room.write("f/README.md", "# My notes\n");
    room.refuses(&line, 7, &["f/README.md"]);
    fs::remove_dir_all(room.path("f")).unwrap();
    room.ends(&line, 0);
    room.ends(&line, 0);
    room.write("f/sancho2000/fig1/notes.txt", "dear");
    room.refuses(&line, 7, &["notes.txt"]);
}

/// Wrong if a sweep wrote over a file that is not its own.
#[test]
fn a_sweep_writes_over_nothing_of_a_user_s() {
    let room = Room::new();
    let line = ["sweep", "run", "w.toml", "--quiet", "--out", "d"];
    for (name, why) in [
        ("lock", "no lock of a sweep"),
        ("inputs/data.csv", "not of a sweep"),
        ("shards/data.csv", "not of a sweep"),
        ("sweep.json", "not the sweep.json of a sweep"),
        ("notes.txt", "not of a sweep"),
        ("manifest.json", "not of a sweep"),
    ] {
        room.write(format!("d/{name}"), "{\"name\": \"dear\"}");
        room.refuses(&line, 7, &[name.split('/').next().unwrap(), why]);
        fs::remove_dir_all(room.path("d")).unwrap();
    }
    // A folder may hold other files than a sweep's own; under the names of those nothing else.
    room.ends(&line, 0);
    room.write("d/notes.txt", "dear");
    for name in ["points.csv", "manifest.json"] {
        room.write(format!("d/{name}"), "{\"name\": \"dear\"}");
        let output = room.run(&line);
        assert_eq!(output.status.code(), Some(7));
        assert!(String::from_utf8_lossy(&output.stderr).contains(name));
        assert_eq!(room.read(format!("d/{name}")), "{\"name\": \"dear\"}");
        fs::remove_file(room.path("d").join(name)).unwrap();
    }
    room.ends(&line, 0);
    assert_eq!(room.read("d/notes.txt"), "dear");
}

/// Wrong if a file that simnet did not write were replaced by an output, or one that it wrote could not be.
#[test]
fn a_file_replaces_only_what_simnet_wrote() {
    let room = Room::new();
    room.ends(&["run", "s.toml", "--quiet", "--out", "results"], 0);
    let mut lines: Vec<Vec<&str>> = vec![
        vec!["route", "net.json", "--routes"],
        vec!["route", "net.json", "--gm-routes"],
        vec!["route", "net.json", "--certificate"],
        vec!["map", "net.json", "--mapper", "h0", "--map"],
        vec!["map", "net.json", "--mapper", "h0", "--drawing"],
        vec!["discover", "rtt.csv", "--topology"],
        vec!["report", "results", "--out"],
    ];
    for format in ["json", "toml", "ibnetdiscover", "gm", "dot"] {
        lines.push(vec!["topo", "convert", "net.json", "--to", format, "--out"]);
        lines.push(vec!["topo", "generate", "ring", "--switches", "3", "--to", format, "--out"]);
    }
    let traces = ["t.simlog", "t.ndjson", "t.csv", "t.pftrace", "t.pcapng"];
    for (nth, line) in lines.iter().enumerate() {
        let place = format!("out-{nth}");
        let line = [&line[..], &[place.as_str()]].concat();
        room.ends(&line, 0);
        room.ends(&line, 0);
        room.write(&place, "dear diary");
        room.refuses(&line, 7, &[&place, "does not begin as files of simnet do"]);
    }
    for place in traces {
        let line = ["run", "s.toml", "--quiet", "--out", "r", "--trace", place];
        room.ends(&line, 0);
        room.ends(&line, 0);
        room.write(place, "dear diary");
        room.refuses(&line, 7, &[place, "does not begin as files of simnet do"]);
    }
}

/// Wrong if an output took the place of an input, by whatever name, or of another output.
#[test]
fn no_output_takes_the_place_of_an_input() {
    let room = Room::new();
    room.ends(&["route", "net.json", "--routes", "routes.ndjson"], 0);
    let trace = "message,time_ns,source,destination,payload_bytes\n0,0,h0,h1,32\n";
    room.write("messages.csv", trace);
    let replay = "[scenario]\nname = \"replay\"\nseed = 1\n[topology]\nfile = \"net.json\"\n[routing]\n\
                  file = \"routes.ndjson\"\n[traffic.trace]\nfile = \"messages.csv\"\n";
    room.write("replay.toml", replay);
    room.write("all.toml", "include = [\"replay.toml\"]\n");
    room.ends(&["run", "replay.toml", "--quiet", "--out", "results", "--trace", "log"], 0);
    fs::create_dir(room.path("sub")).unwrap();
    fs::hard_link(room.path("net.json"), room.path("hard.json")).unwrap();
    #[cfg(unix)]
    for (target, name) in [("net.json", "soft.json"), ("replay.toml", "soft.toml"), ("results", "to-results")]
    {
        std::os::unix::fs::symlink(room.path(target), room.path(name)).unwrap();
    }
    for name in ["net.json", "./net.json", "sub/../net.json", "hard.json", "soft.json"] {
        for line in [
            &["topo", "convert", "net.json", "--out", name][..],
            &["route", "net.json", "--routes", name],
            &["route", "net.json", "--gm-routes", name],
            &["route", "net.json", "--certificate", name],
            &["map", "net.json", "--mapper", "h0", "--map", name],
            &["map", "net.json", "--mapper", "h0", "--drawing", name],
            &["run", "replay.toml", "--out", "results", "--trace", name],
        ] {
            room.refuses(line, 2, &[name, "which is read"]);
        }
    }
    for name in ["replay.toml", "soft.toml", "routes.ndjson", "messages.csv"] {
        room.refuses(
            &["run", "replay.toml", "--out", "results", "--trace", name],
            2,
            &[name, "which is read"],
        );
    }
    room.refuses(&["discover", "rtt.csv", "--topology", "rtt.csv"], 2, &["which is read"]);
    room.refuses(&["trace", "log", "--out", "log"], 2, &["which is read"]);
    for name in ["results/summary.json", "results/network.json", "to-results/points.csv"] {
        room.refuses(&["report", "results", "--out", name], 2, &["which is read"]);
    }
    room.refuses(&["route", "net.json", "--routes", "a", "--gm-routes", "./a"], 2, &["the same file"]);
    // A link to what is not there yet is that: one output would take the place of the other.
    #[cfg(unix)]
    for (target, name) in [("later", "one"), ("later", "two"), ("one", "three")] {
        std::os::unix::fs::symlink(target, room.path(name)).unwrap();
    }
    #[cfg(unix)]
    for [first, second] in
        [["later", "one"], ["one", "later"], ["one", "two"], ["two", "three"], ["three", "sub/../later"]]
    {
        let line = ["route", "net.json", "--routes", first, "--certificate", second];
        room.refuses(&line, 2, &["the same file"]);
        assert!(!room.path("later").exists());
    }
    #[cfg(unix)]
    {
        room.ends(&["route", "net.json", "--routes", "three"], 0);
        assert!(fs::read_link(room.path("three")).is_ok() && room.path("later").is_file());
    }
    room.refuses(
        &["map", "net.json", "--mapper", "h0", "--map", "a", "--drawing", "sub/../a"],
        2,
        &["the same file"],
    );
    // A folder that is replaced must not hold what is read.
    fs::copy(room.path("net.json"), room.path("results/network.json")).unwrap();
    room.write("inside.toml", &replay.replace("net.json", "results/network.json"));
    room.refuses(&["run", "inside.toml", "--out", "results"], 2, &["lies in results"]);
    room.refuses(&["codegen", "rtt", "--out", "net.json"], 7, &["no folder"]);
}
