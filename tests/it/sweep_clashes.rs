//! Sweeps whose axes or values cannot stand together, and those that only look so.

use simnet::diagnostics::Refusal;
use simnet::scenario::sweep::Sweep;
use simnet::scenario::{Files, Overrides};

const BASE: &str = "scenario.name = 'x'\nrouting.algorithm = 'updown'\ntopology.star.leaves = 3\n\
    topology.star.hosts-per-switch = 1\ntraffic.uniform = { payload = '64 B', loads = [0.1] }\n";

fn read(rest: &str) -> Result<Sweep, Box<Refusal>> {
    let text = format!("{BASE}{rest}");
    Sweep::read("s.toml", text.as_bytes(), &Overrides::default(), &Files::disk(), 1)
}

fn codes(refusal: &Refusal) -> Vec<&str> {
    refusal.files.iter().flat_map(|file| &file.faults).map(|fault| fault.code).collect()
}

/// Wrong if a key that another displaces is taken for one that varies: rows would tell values that had no effect.
#[test]
fn keys_that_exclude_each_other_do_not_vary_together() {
    for axes in [
        "[[sweep.axes]]\nmeasure.messages = [100, 200]\n[[sweep.axes]]\nmeasure.duration = ['1 us', '2 us']",
        "[[sweep.axes]]\nmeasure.messages = [100, 200]\nmeasure.duration = ['1 us', '2 us']",
        "[[sweep.axes]]\ntopology.preset = ['now-c']\n[[sweep.axes]]\ntopology.ring = [{ switches = 3 }]",
    ] {
        assert_eq!(codes(&read(axes).unwrap_err()), ["conflict"], "{axes}");
    }
    let fine =
        "[[sweep.axes]]\nmeasure.messages = [100, 200]\n[[sweep.axes]]\nmeasure.warmup = ['1 us', '2 us']";
    assert_eq!(read(fine).unwrap().len(), 4);
}

/// Wrong if a point is there twice under two numbers, or a sweep is called after one of its points.
#[test]
fn values_and_columns_stand_once_and_names_do_not_vary() {
    for (rest, code) in [
        ("[[sweep.axes]]\nrouting.tree = ['bfs', 'dfs', 'bfs']", "conflict"),
        ("[[sweep.axes]]\ntraffic.uniform.loads = [0.1, 0.10]", "conflict"),
        ("[sweep]\ncolumns = ['outcome', 'seed', 'outcome']", "conflict"),
        ("[[sweep.axes]]\nscenario.name = ['a', 'b']", "unknown-key"),
    ] {
        assert_eq!(codes(&read(rest).unwrap_err()), [code], "{rest}");
    }
    let lock_step = "[[sweep.axes]]\nrouting.tree = ['bfs', 'bfs']\nrouting.select = ['random', 'balanced']";
    assert_eq!(read(lock_step).unwrap().len(), 2);
}

/// Wrong if the order of values decides whether a combination that cannot be refuses the whole sweep.
#[test]
fn a_combination_that_cannot_be_is_a_point_that_fails() {
    for (stop, go) in [("'56 B', '50 B'", "'40 B', '52 B'"), ("'50 B', '56 B'", "'52 B', '40 B'")] {
        let sweep =
            read(&format!("[[sweep.axes]]\nfabric.stop = [{stop}]\n[[sweep.axes]]\nfabric.go = [{go}]"));
        let sweep = sweep.unwrap();
        let failing = (0..sweep.len()).filter(|point| sweep.checked(*point).is_err()).count();
        assert_eq!((sweep.len(), failing), (4, 1));
    }
    let hopeless =
        read("[[sweep.axes]]\nfabric.stop = ['56 B', '30 B']\n[[sweep.axes]]\nfabric.go = ['40 B', '44 B']");
    assert!(hopeless.is_err(), "no point with STOP at 30 B can be");
}
