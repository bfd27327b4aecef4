//! Scenarios in layers: files that include others, profiles, and what the command line lays over them.

use std::path::PathBuf;

use simnet::scenario::{Checked, Overrides, read_from};

use super::meaning::{self, kept};

/// What most cases include.
const SETUP: &str = r#"
[scenario]
name = "setup"
[topology.random-regular]
switches = 8
degree = 3
hosts-per-switch = 1
[routing]
algorithm = "updown"
[traffic.uniform]
payload = "64 B"
loads = [0.1, 0.2]
[profiles.deep.routing]
tree = "dfs"
[profiles.small]
extends = "deep"
topology.random-regular.switches = 4
"#;

fn checked(files: &[(&str, &str)], set: &[&str]) -> Result<Checked, String> {
    let overrides = Overrides { set: set.iter().map(|set| (*set).to_owned()).collect(), seed: None };
    let (name, text) = files[0];
    read_from(name, text.as_bytes(), &overrides, &kept(files)).map_err(|refusal| refusal.to_string())
}

/// The scenario resolved, without its name.
fn meaning(files: &[(&str, &str)], set: &[&str]) -> String {
    meaning::meaning(checked(files, set).unwrap_or_else(|refusal| panic!("{refusal}")))
}

/// Wrong if layers come to something else than the file that says all of it at once.
#[test]
fn layers_mean_what_one_file_would() {
    let whole = |change: &dyn Fn(String) -> String| meaning(&[("s.toml", &change(SETUP.to_owned()))], &[]);
    let of = |text: &str, set: &[&str]| meaning(&[("s.toml", text), ("setup.toml", SETUP)], set);
    let include = "include = 'setup.toml'\n";
    assert_eq!(of(include, &[]), whole(&|text| text));
    let loads = of(&format!("{include}traffic.uniform.loads = [0.3]"), &[]);
    assert_eq!(loads, whole(&|text| text.replace("[0.1, 0.2]", "[0.3]")));
    let smaller = |text: String| text.replace("switches = 8", "switches = 4");
    let small = whole(&|text| smaller(text).replace("[traffic", "tree = 'dfs'\n[traffic"));
    assert_eq!(of(&format!("{include}profile = 'small'"), &[]), small);
    assert_eq!(of(&format!("{include}profile = 'deep'"), &["profile=small"]), small);
    assert_eq!(of(include, &["profile=small", "routing.tree=bfs"]), whole(&smaller), "--set comes last");
    let own = "profile = 'small'\n[profiles.small]\nextends = 'none'\n[profiles.none]\n";
    assert_eq!(of(&format!("{include}{own}"), &[]), whole(&smaller), "the file's own profile");
}

/// Wrong if what excludes the included choice is kept with it, or takes the choice's other keys over.
#[test]
fn exclusive_choices_replace_each_other() {
    let setup = format!("{SETUP}[topology.attach]\n\"h0\" = 3\n[measure]\nmessages = 10\n");
    for (own, whole) in [
        ("topology.preset = 'now-c'", "topology.preset = 'now-c'"),
        ("topology.star.leaves = 4", "topology.star.leaves = 4"),
    ] {
        let files = [("s.toml", &*format!("include = 'setup.toml'\n{own}")), ("setup.toml", &setup)];
        let (head, tail) = (SETUP.find("[topology").unwrap(), SETUP.find("[routing").unwrap());
        let alone = format!("{whole}\n{}{}[measure]\nmessages = 10\n", &SETUP[..head], &SETUP[tail..]);
        let refused = checked(&[("s.toml", &alone)], &[]).err();
        if refused.is_none() {
            assert_eq!(meaning(&files, &[]), meaning(&[("s.toml", &alone)], &[]), "{own}");
        } else {
            assert!(checked(&files, &[]).is_err(), "{own}");
        }
    }
    let files = |own: &str| format!("include = 'setup.toml'\n{own}");
    let longer = files("measure.duration = '1 ms'");
    let checked_longer =
        checked(&[("s.toml", &longer), ("setup.toml", &setup.replace("\"h0\" = 3", ""))], &[]);
    assert!(checked_longer.is_ok(), "{:?}", checked_longer.err());
    let other = files("[traffic.bit-reversal]\npayload = '32 B'\nloads = [0.1]");
    let plain = ("setup.toml", SETUP);
    assert!(checked(&[("s.toml", &other), plain], &[]).is_ok());
    let file = files("routing = { file = 'none' }");
    let refused = checked(&[("s.toml", &file), plain], &[]).unwrap_err();
    assert!(refused.contains("cannot read none") && !refused.contains("conflict"), "{refused}");
}

/// Wrong if a name in an included file is taken to be relative to the file that includes it, or is not remembered.
#[test]
fn names_are_relative_to_the_file_that_gives_them() {
    let network = r#"{"format": "simnet-topology/1", "name": "n", "switches": [{"name": "s", "ports": 4}],
        "hosts": [{"name": "a"}, {"name": "b"}],
        "links": [{"a": "a", "a_port": 0, "b": "s", "b_port": 0}, {"a": "b", "a_port": 0, "b": "s", "b_port": 1}]}"#;
    let inner = "topology.file = '../nets/n.json'\nrouting.algorithm = 'updown'";
    let files =
        [("top/s.toml", "include = 'deep/inner.toml'\nscenario.name = 's'"), ("top/deep/inner.toml", inner)];
    let with_network = [files[0], files[1], ("top/nets/n.json", network)];
    let files = kept(&with_network);
    let read = read_from(with_network[0].0, with_network[0].1.as_bytes(), &Overrides::default(), &files);
    assert_eq!(read.unwrap().topology.network.hosts().len(), 2);
    let taken: Vec<PathBuf> = files.contents().into_keys().collect();
    assert_eq!(taken, ["top/deep/inner.toml", "top/nets/n.json"].map(PathBuf::from));
}

/// Wrong if a fault of the layers is missed, or reported at another place.
#[test]
fn faults_of_layers_have_their_place() {
    let long_chain: String = (0..40).map(|n| format!("[profiles.p{n}]\nextends = 'p{}'\n", n + 1)).collect();
    let cases: &[(&str, &str, &[&str])] = &[
        ("include = 's.toml'", "", &["include-cycle", "s.toml:1:11", "includes itself"]),
        (
            "include = 'setup.toml'",
            "\n include = 's.toml'",
            &["include-cycle", "setup.toml:2:12", "by way of"],
        ),
        ("include = ['setup.toml', 'none.toml']", "", &["missing-file", "s.toml:1:26"]),
        ("include = 3", "", &["wrong-type", "s.toml:1:11"]),
        ("include = 'setup.toml'", "[fabric]\ngo = 40", &["needs-unit", "setup.toml:2:6"]),
        ("include = 'setup.toml'", "[fabrik]", &["unknown-key", "setup.toml:1:2", "`fabric`"]),
        ("include = 'setup.toml'", "= 3", &["syntax", "setup.toml:1:1"]),
        ("profile = 'smal'\n[profiles.small]", "", &["unknown-profile", "s.toml:1:11", "`small`"]),
        ("[profiles.a]\nextends = 'a'", "", &["profile-cycle", "s.toml:2:11"]),
        ("[profiles.a]\nextends = 'b'\n[profiles.b]\nextends = 'a'", "", &["profile-cycle", "s.toml:4:11"]),
        ("[profiles.a]\nextends = 3", "", &["wrong-type", "s.toml:2:11"]),
        ("[profiles.a.fabric]\nstopp = '3 B'", "", &["unknown-key", "s.toml:2:1", "`stop`"]),
        ("[profiles.a]\nprofile = 'b'", "", &["unknown-key", "s.toml:2:1"]),
        ("profiles = 3", "", &["wrong-type", "s.toml:1:12"]),
        ("profile = 3", "", &["wrong-type", "s.toml:1:11"]),
        (&long_chain, "", &["unknown-profile", "s.toml:80:11"]),
    ];
    for (own, setup, wanted) in cases {
        let refused = checked(&[("s.toml", own), ("setup.toml", setup)], &[]).unwrap_err();
        for part in *wanted {
            assert!(refused.contains(part), "{own} lacks {part}: {refused}");
        }
    }
}

/// Wrong if files that include each other again and again take for ever.
#[test]
fn inclusions_are_bounded() {
    let names: Vec<(String, String)> = (0..30)
        .map(|n| (format!("f{n}.toml"), format!("include = ['f{0}.toml', 'f{0}.toml']", n + 1)))
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let refused = checked(&files, &[]).unwrap_err();
    assert!(refused.contains("deeper than 16") && refused.contains("more than 256 inclusions"), "{refused}");
}
