//! Names that are no UTF-8, and other names that are hard to say.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::Value;

use super::Room;

/// Bytes that no UTF-8 has.
const ODD: &[u8] = b"od\xff\xc3d";

fn odd(suffix: &str) -> OsString {
    let mut name = OsStr::from_bytes(ODD).to_owned();
    name.push(suffix);
    name
}

fn line(words: &[&str], last: &[OsString]) -> Vec<OsString> {
    words.iter().map(OsString::from).chain(last.iter().cloned()).collect()
}

/// Wrong if a simulation were lost because of a name, or a file could not be read because of one.
#[test]
fn names_that_are_no_utf8_are_read_and_written() {
    let room = Room::new();
    for (name, copy) in [("s.toml", odd(".toml")), ("net.json", odd(".json")), ("w.toml", odd("w.toml"))] {
        fs::copy(room.path(name), room.path(copy)).unwrap();
    }
    room.ends(&line(&["run", "--quiet"], &[odd(".toml"), "--out".into(), odd("")]), 0);
    room.ends(&["run", "s.toml", "--quiet", "--out", "plain"], 0);
    let manifest: Value =
        serde_json::from_slice(&fs::read(room.path(odd("")).join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["argv"][5], r"od\xff\xc3d");
    for name in ["summary.json", "points.csv"] {
        let (one, other) = (fs::read(room.path("plain").join(name)), fs::read(room.path(odd("")).join(name)));
        assert_eq!(one.unwrap(), other.unwrap(), "{name} depends on a name");
    }
    room.ends(&line(&["check"], &[odd(".toml")]), 0);
    room.ends(&line(&["topo", "convert"], &[odd(".json"), "--out".into(), odd("-2.json")]), 0);
    room.ends(&line(&["topo", "diff"], &[odd(".json"), odd("-2.json")]), 0);
    room.ends(&line(&["route"], &[odd(".json"), "--routes".into(), odd(".routes")]), 0);
    room.ends(&line(&["route", "check"], &[odd(".json"), "--routes".into(), odd(".routes")]), 0);
    room.ends(&line(&["map", "--mapper", "h0"], &[odd(".json"), "--map".into(), odd(".map")]), 0);
    room.ends(&line(&["ring", "--algorithm", "lr1"], &[odd(".json")]), 0);
    fs::copy(room.path("rtt.csv"), room.path(odd(".csv"))).unwrap();
    room.ends(&line(&["discover"], &[odd(".csv"), "--topology".into(), odd("-t.json")]), 0);
    room.ends(&line(&["codegen", "rtt", "--out"], &[odd("-c")]), 0);
    room.ends(&line(&["report"], &[odd(""), "--out".into(), odd(".html")]), 0);
    let missing = room.run(&line(&["check"], &[odd("-none.toml")]));
    assert_eq!(missing.status.code(), Some(7));
}

/// Wrong if a sweep could not be run, resumed, worked at or merged because of its file's or its folder's name.
#[test]
fn a_sweep_with_such_names_is_run_and_resumed() {
    let room = Room::new();
    let folder = odd("-sweep");
    fs::create_dir(room.path(odd("-in"))).unwrap();
    let file = room.path(odd("-in")).join(odd(".toml"));
    fs::copy(room.path("w.toml"), &file).unwrap();
    let run = line(&["sweep", "run", "--quiet", "--out"], &[folder.clone(), file.into()]);
    room.ends(&run, 0);
    room.ends(&run, 0);
    room.ends(&["sweep", "run", "w.toml", "--quiet", "--out", "plain"], 0);
    let table = |folder: &OsStr| fs::read(room.path(folder).join("points.csv")).unwrap();
    assert_eq!(table(&folder), table(OsStr::new("plain")));
    room.ends(&line(&["sweep", "status"], std::slice::from_ref(&folder)), 0);
    room.ends(&line(&["sweep", "work", "--task", "0", "--of", "1"], std::slice::from_ref(&folder)), 0);
    room.ends(&line(&["sweep", "merge"], std::slice::from_ref(&folder)), 0);
}
