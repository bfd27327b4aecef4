//! A sweep's folder under everything that can happen to it: torn, altered, foreign, full, gone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};
use simnet::sweep::{self, Identity, Lock, Part, Plan, Points, Ran, RunOptions, Store, StoreError};

use support_network::cases;

/// Points that need no time: point `n` of `name` gives `{"n": n, "square": n * n}`.
struct Squares {
    name: &'static str,
    first: usize,
    count: usize,
    /// These fail.
    bad: &'static [usize],
    /// These panic.
    terrible: &'static [usize],
    /// What was computed, in order.
    computed: Mutex<Vec<usize>>,
}

fn squares(count: usize) -> Squares {
    Squares { name: "squares", first: 0, count, bad: &[], terrible: &[], computed: Mutex::default() }
}

impl Points for Squares {
    fn name(&self) -> &str {
        self.name
    }

    fn len(&self) -> usize {
        self.count
    }

    fn key(&self, point: usize) -> blake3::Hash {
        blake3::hash(&(self.first + point).to_le_bytes())
    }

    fn cost(&self, point: usize) -> f64 {
        ((self.first + point) % 7) as f64
    }

    fn compute(&self, point: usize) -> Result<Value, String> {
        let n = self.first + point;
        self.computed.lock().unwrap().push(n);
        assert!(!self.terrible.contains(&n), "point {n} is terrible");
        if self.bad.contains(&n) {
            Err(format!("{n} has no square"))
        } else {
            Ok(json!({"n": n, "square": n * n}))
        }
    }
}

fn open(folder: &Path, points: &Squares) -> Store {
    Store::open(folder, &Identity::new(points.name, false, 1), &BTreeMap::new()).unwrap()
}

fn run(points: &Squares, store: &Store, jobs: usize) -> Result<Ran, StoreError> {
    sweep::run(points, store, jobs, &(), &AtomicBool::new(false))
}

fn shards(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder.join("shards")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Every point has the result that an undisturbed run gives it.
fn assert_whole(points: &Squares, store: &Store) {
    let known = store.known().unwrap();
    for point in 0..points.len() {
        let n = points.first + point;
        let outcome = known.outcome(&points.key(point)).unwrap().expect("every point was computed");
        let expected = if points.bad.contains(&n) {
            Err(format!("{n} has no square"))
        } else {
            Ok(json!({"n": n, "square": n * n}))
        };
        assert_eq!(outcome, expected, "point {n}");
    }
}

/// Wrong if the number of threads, or a second run, computed a point twice or not at all.
#[test]
fn every_point_is_computed_once_and_for_all() {
    for jobs in [1, 2, 5] {
        let room = tempfile::tempdir().unwrap();
        let points = squares(100);
        let store = open(room.path(), &points);
        let ran = run(&points, &store, jobs).unwrap();
        assert_eq!(ran, Ran { points: 100, computed: 100, ..Ran::default() });
        let again = run(&points, &store, jobs).unwrap();
        assert_eq!(again, Ran { points: 100, kept: 100, ..Ran::default() });
        let mut computed = points.computed.lock().unwrap().clone();
        if jobs == 1 {
            let costs: Vec<usize> = computed.iter().map(|n| n % 7).collect();
            assert!(costs.is_sorted_by(|a, b| a >= b), "the costly points were not first: {computed:?}");
        }
        computed.sort_unstable();
        assert!(computed.iter().copied().eq(0..100), "{computed:?}");
        assert_whole(&points, &store);
    }
}

/// Wrong if points that were added later made those that are there be computed again.
#[test]
fn added_points_keep_what_is_there() {
    let room = tempfile::tempdir().unwrap();
    run(&squares(10), &open(room.path(), &squares(10)), 2).unwrap();
    let more = Squares { first: 5, ..squares(10) };
    let store = open(room.path(), &more);
    let ran = run(&more, &store, 2).unwrap();
    assert_eq!((ran.kept, ran.computed), (5, 5));
    assert_whole(&more, &store);
}

/// Wrong if points of one key were computed twice, or counted once.
#[test]
fn points_of_one_key_are_computed_once() {
    struct Same(AtomicUsize);
    impl Points for Same {
        fn name(&self) -> &str {
            "same"
        }
        fn len(&self) -> usize {
            10
        }
        fn key(&self, point: usize) -> blake3::Hash {
            blake3::hash(&[u8::from(point < 4)])
        }
        fn cost(&self, _point: usize) -> f64 {
            f64::NAN
        }
        fn compute(&self, _point: usize) -> Result<Value, String> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Err("no".to_owned())
        }
    }
    let room = tempfile::tempdir().unwrap();
    let store = Store::open(room.path(), &Identity::new("same", false, 1), &BTreeMap::new()).unwrap();
    let points = Same(AtomicUsize::new(0));
    let ran = sweep::run(&points, &store, 3, &(), &AtomicBool::new(false)).unwrap();
    assert_eq!(ran, Ran { points: 10, computed: 10, failed: 10, ..Ran::default() });
    assert_eq!(points.0.into_inner(), 2);
}

/// Wrong if a failure or a panic stopped other points, were forgotten, or could not be tried again.
#[test]
fn failures_are_kept_until_they_are_retried() {
    let room = tempfile::tempdir().unwrap();
    let points = Squares { bad: &[3, 8], terrible: &[5], ..squares(10) };
    let store = open(room.path(), &points);
    let ran = run(&points, &store, 2).unwrap();
    assert_eq!((ran.computed, ran.failed), (10, 3));
    let again = run(&points, &store, 2).unwrap();
    assert_eq!((again.kept, again.computed, again.failed), (10, 0, 3));
    let outcome = store.known().unwrap().outcome(&points.key(5)).unwrap().unwrap();
    assert!(outcome.unwrap_err().contains("point 5 is terrible"));

    let mended = Squares { bad: &[8], ..squares(10) };
    let stop = AtomicBool::new(false);
    let how = RunOptions { jobs: 1, part: None, retry: true, progress: &(), stop: &stop };
    let ran = sweep::run_as(&mended, &store, &how).unwrap();
    assert_eq!((ran.kept, ran.computed, ran.failed), (7, 3, 1));
    assert_whole(&mended, &store);
    let ran = sweep::run_as(&mended, &store, &how).unwrap();
    assert_eq!((ran.kept, ran.computed, ran.failed), (9, 1, 1));
    assert_eq!(run(&mended, &store, 1).unwrap().computed, 0);
}

/// Wrong if tasks left points out, computed some twice, or cost very different amounts.
#[test]
fn tasks_share_all_points_alike() {
    for of in [1, 2, 3, 7, 40] {
        let room = tempfile::tempdir().unwrap();
        let points = squares(30);
        let store = open(room.path(), &points);
        let stop = AtomicBool::new(false);
        for task in 0..of {
            let how = RunOptions {
                jobs: 2,
                part: Some(Part { task, of }),
                retry: false,
                progress: &(),
                stop: &stop,
            };
            let ran = sweep::run_as(&points, &store, &how).unwrap();
            assert_eq!((ran.points, ran.kept), (ran.computed, 0));
        }
        let mut computed = points.computed.lock().unwrap().clone();
        computed.sort_unstable();
        assert!(computed.iter().copied().eq(0..30), "{computed:?}");
        assert_whole(&points, &store);
    }
    let costs: Vec<f64> = (0..1_000).map(|n| f64::from(n % 17 + 1)).collect();
    let task_of = sweep::assign(&costs, 8);
    let load = |task| (0..1_000).filter(|n| task_of[*n] == task).map(|n| costs[n]).sum::<f64>();
    let loads: Vec<f64> = (0..8).map(load).collect();
    assert!(loads.iter().all(|load| (load - loads[0]).abs() <= 2.0), "{loads:?}");
}

/// Wrong if a stop were ignored, or what was finished before were lost.
#[test]
fn a_stopped_run_keeps_what_it_finished() {
    struct Stopping<'a>(&'a Squares, &'a AtomicBool);
    impl Points for Stopping<'_> {
        fn name(&self) -> &str {
            self.0.name()
        }
        fn len(&self) -> usize {
            self.0.len()
        }
        fn key(&self, point: usize) -> blake3::Hash {
            self.0.key(point)
        }
        fn cost(&self, point: usize) -> f64 {
            self.0.cost(point)
        }
        fn compute(&self, point: usize) -> Result<Value, String> {
            self.1.store(self.0.computed.lock().unwrap().len() == 9, Ordering::SeqCst);
            self.0.compute(point)
        }
    }
    let room = tempfile::tempdir().unwrap();
    let points = squares(30);
    let store = open(room.path(), &points);
    let stop = AtomicBool::new(false);
    let ran = sweep::run(&Stopping(&points, &stop), &store, 1, &(), &stop).unwrap();
    assert_eq!((ran.computed, ran.interrupted), (10, true));
    let ran = run(&points, &store, 1).unwrap();
    assert_eq!((ran.kept, ran.computed, ran.interrupted), (10, 20, false));
}

/// Wrong if any damage to any byte of a shard made a wrong row, or lost more than the lines it is in.
#[test]
fn damage_anywhere_is_computed_again() {
    let room = tempfile::tempdir().unwrap();
    let points = squares(4);
    run(&points, &open(room.path(), &points), 1).unwrap();
    let path = shards(room.path()).pop().unwrap();
    let whole = fs::read(&path).unwrap();
    let step = whole.len() / usize::try_from(cases(whole.len() as u64)).unwrap();
    // One store for all: what a run writes goes to the disk, and to wait for that is what takes time.
    let store = open(room.path(), &points);
    for place in (0..whole.len()).step_by(step.max(1)) {
        let (before, after) = whole.split_at(place);
        let byte = after[0];
        let damaged: [(&str, Vec<u8>, usize); 6] = [
            ("cut", before.to_vec(), 4),
            ("altered", [before, &[byte ^ 1], &after[1..]].concat(), 2),
            ("newline", [before, b"\n", &after[1..]].concat(), 2),
            ("removed", [before, &after[1..]].concat(), 2),
            ("garbage", [before, &[0xff, 0, b'\n', 0x80], after].concat(), 1),
            ("doubled", [&whole[..], before].concat(), 0),
        ];
        for (how, bytes, most) in damaged {
            shards(room.path()).iter().for_each(|shard| fs::remove_file(shard).unwrap());
            fs::write(room.path().join("shards/task-0.jsonl"), bytes).unwrap();
            let ran = run(&points, &store, 1).unwrap();
            assert!(ran.computed <= most, "{how} at {place}: {} computed", ran.computed);
            assert_whole(&points, &store);
            assert_eq!(run(&points, &store, 1).unwrap().computed, 0, "{how} at {place}");
        }
    }
}

/// Wrong if damage went unsaid, or something harmless were called damage.
#[test]
fn damage_is_told_with_its_place() {
    let room = tempfile::tempdir().unwrap();
    let points = squares(6);
    let store = open(room.path(), &points);
    run(&points, &store, 1).unwrap();
    assert!(store.known().unwrap().damage().is_empty());
    let path = shards(room.path()).pop().unwrap();
    let mut lines: Vec<Vec<u8>> =
        fs::read(&path).unwrap().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    lines[1][100] ^= 4;
    lines[5].truncate(50);
    fs::write(&path, lines.concat()).unwrap();
    fs::write(path.with_file_name("a-empty.jsonl"), "").unwrap();
    fs::create_dir(path.with_file_name("b-folder.jsonl")).unwrap();
    fs::write(path.with_file_name("notes.txt"), "harmless").unwrap();
    fs::write(path.with_file_name("z-long.jsonl"), vec![b'x'; 70 << 20]).unwrap();
    let known = store.known().unwrap();
    let damage: Vec<String> = known.damage().iter().map(ToString::to_string).collect();
    let name = |name: &str| path.with_file_name(name).display().to_string();
    let expected = [
        format!("{}: is no file; it is left out", name("b-folder.jsonl")),
        format!("{}:2: the line is damaged; it is left out", path.display()),
        format!("{}:6: the line is torn; it is left out", path.display()),
        format!("{}:1: the line is damaged; it is left out", name("z-long.jsonl")),
    ];
    assert_eq!(damage, expected);
    let ends: Vec<bool> = known.damage().iter().map(|damage| damage.at_the_end).collect();
    assert_eq!(ends, [false, false, true, false]);
    assert_eq!((known.len(), known.shards().len()), (4, 3));
}

/// Wrong if results that disagree were not noticed, or were reported without their places.
#[test]
fn results_that_disagree_are_an_error_that_names_both() {
    let room = tempfile::tempdir().unwrap();
    let points = squares(3);
    let store = open(room.path(), &points);
    run(&points, &store, 1).unwrap();
    let other = tempfile::tempdir().unwrap();
    let wrong = Squares { bad: &[1], ..squares(3) };
    run(&wrong, &open(other.path(), &wrong), 1).unwrap();
    let path = shards(room.path()).pop().unwrap();
    let theirs = path.with_file_name("theirs.jsonl");
    fs::copy(shards(other.path()).pop().unwrap(), &theirs).unwrap();
    let error = store.known().unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
    let text = error.to_string();
    for place in [format!("{}:2", path.display()), format!("{}:2", theirs.display())] {
        assert!(text.contains(&place), "{place} is not in {text}");
    }
    // The same results twice are no conflict: two tasks may have computed one point.
    fs::remove_file(&theirs).unwrap();
    fs::copy(&path, &theirs).unwrap();
    assert_eq!(store.known().unwrap().len(), 3);
}

/// Wrong if a folder of something else were used, or one of this sweep refused.
#[test]
fn a_folder_holds_one_sweep() {
    let room = tempfile::tempdir().unwrap();
    let none = BTreeMap::new();
    let identity = Identity::new("squares", false, 1);
    let place = room.path().join("deep/sweep");
    Store::probe(&place, &identity).unwrap();
    assert!(!place.exists());
    assert!(matches!(Store::found(&place), Err(StoreError::Io { .. })));
    Store::open(&place, &identity, &none).unwrap();
    Store::open(&place, &Identity { model: 2, seed: Some(7), ..identity.clone() }, &none).unwrap();
    assert_eq!(Store::found(&place).unwrap().identity().seed, Some(7));
    for (other, words) in [
        (Identity::new("cubes", false, 1), "holds the sweep \"squares\", and this is the sweep \"cubes\""),
        (Identity::new("squares", true, 1), "this is the quick form of the sweep \"squares\""),
    ] {
        let error = Store::open(&place, &other, &none).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let foreign = room.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.txt"), "dear").unwrap();
    assert!(matches!(Store::open(&foreign, &identity, &none), Err(StoreError::Foreign { .. })));
    assert!(matches!(
        Store::open(&foreign.join("thesis.txt"), &identity, &none),
        Err(StoreError::Foreign { .. })
    ));
    assert!(matches!(Store::found(&foreign), Err(StoreError::Absent { .. })));
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
    // What a process leaves that was killed while it made the folder.
    let begun = room.path().join("begun");
    fs::create_dir_all(begun.join("shards")).unwrap();
    fs::create_dir_all(begun.join("inputs")).unwrap();
    fs::write(begun.join("lock"), "process 1 on nowhere").unwrap();
    Store::open(&begun, &identity, &none).unwrap();
    for text in ["", "{}", "[1, 2"] {
        fs::write(begun.join("sweep.json"), text).unwrap();
        assert!(matches!(Store::open(&begun, &identity, &none), Err(StoreError::Foreign { .. })), "{text}");
        assert!(matches!(Store::found(&begun), Err(StoreError::BadMark { .. })), "{text}");
    }
    fs::write(begun.join("sweep.json"), "{\"format\": \"simnet-sweep/9\"}").unwrap();
    assert!(matches!(Store::open(&begun, &identity, &none), Err(StoreError::BadMark { .. })));
}

/// Wrong if copies of the inputs were not all that is needed, or an altered one were believed.
#[test]
fn the_folder_keeps_what_the_sweep_was_read_from() {
    let room = tempfile::tempdir().unwrap();
    let identity = Identity::new("squares", false, 1);
    let inputs: BTreeMap<PathBuf, Vec<u8>> =
        [("a/net.json", "{}"), ("b/net.json", "[]"), ("../s.toml", "x = 1")]
            .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()))
            .into();
    Store::open(room.path(), &identity, &inputs).unwrap();
    let store = Store::found(room.path()).unwrap();
    assert_eq!(store.inputs().unwrap(), inputs);
    let copy = room.path().join(&store.identity().inputs[0].copy);
    fs::write(&copy, "x = 2").unwrap();
    assert!(matches!(store.inputs(), Err(StoreError::Altered { .. })));
    Store::open(room.path(), &identity, &inputs).unwrap();
    assert_eq!(store.inputs().unwrap(), inputs);
    let mark = room.path().join("sweep.json");
    let text = fs::read_to_string(&mark).unwrap().replace("inputs/", "../inputs/");
    fs::write(&mark, text).unwrap();
    assert!(matches!(Store::found(room.path()), Err(StoreError::BadMark { .. })));
}

/// Wrong if two processes could hold the lock, or one that is gone still did.
#[test]
fn a_lock_ends_with_its_holder() {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("lock"), "process 999999 on nowhere\n").unwrap();
    let lock = Lock::take(room.path()).unwrap();
    let error = Lock::take(room.path()).unwrap_err().to_string();
    assert!(error.contains(&format!("process {} on", std::process::id())), "{error}");
    drop(lock);
    Lock::take(room.path()).unwrap();
}

/// Wrong if a folder that vanished while a sweep ran were reported as a success.
#[test]
fn a_vanished_folder_is_noticed() {
    struct Vandal<'a>(&'a Path);
    impl Points for Vandal<'_> {
        fn name(&self) -> &str {
            "vandal"
        }
        fn len(&self) -> usize {
            2
        }
        fn key(&self, point: usize) -> blake3::Hash {
            blake3::hash(&[u8::from(point == 0)])
        }
        fn cost(&self, _point: usize) -> f64 {
            1.0
        }
        fn compute(&self, point: usize) -> Result<Value, String> {
            if point == 1 {
                fs::remove_dir_all(self.0).unwrap();
            }
            Ok(json!(point))
        }
    }
    let room = tempfile::tempdir().unwrap();
    let place = room.path().join("sweep");
    let store = Store::open(&place, &Identity::new("vandal", false, 1), &BTreeMap::new()).unwrap();
    let error = sweep::run(&Vandal(&place), &store, 1, &(), &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(error.to_string().contains("sweep/shards/run-0.jsonl"), "{error}");
}

/// Points whose results differ in shape, as a table.
struct Shapes {
    axes: [String; 1],
    columns: Vec<String>,
}

impl Points for Shapes {
    fn name(&self) -> &str {
        "shapes"
    }

    fn len(&self) -> usize {
        4
    }

    fn key(&self, point: usize) -> blake3::Hash {
        blake3::hash(&[b's', u8::try_from(point).unwrap()])
    }

    fn cost(&self, point: usize) -> f64 {
        point as f64
    }

    fn compute(&self, point: usize) -> Result<Value, String> {
        match point {
            0 => Ok(json!({"b.c": 0.1, "flag": true})),
            1 => Err("it said \"no\", twice".to_owned()),
            2 => Ok(json!({"a": [{"x": null}, 2], "b": {"c": 3}, "seed": 99})),
            _ => Ok(json!({"flag": "one, two", "z": 1e300})),
        }
    }
}

impl Plan for Shapes {
    fn axes(&self) -> &[String] {
        &self.axes
    }

    fn values(&self, point: usize) -> Vec<String> {
        vec![format!("v{point}")]
    }

    fn seed(&self, point: usize) -> u64 {
        point as u64 + 7
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }
}

/// Wrong if a cell stood in another column or row, or the table came before all points are done.
#[test]
fn the_table_has_a_row_a_point_and_a_column_a_scalar() {
    let room = tempfile::tempdir().unwrap();
    let mut plan = Shapes { axes: ["size, big".to_owned()], columns: Vec::new() };
    let store = Store::open(room.path(), &Identity::new("shapes", false, 1), &BTreeMap::new()).unwrap();
    let merged = sweep::merge(&plan, &store).unwrap();
    assert_eq!((merged.points, merged.missing), (4, 4));
    let file = room.path().join("points.csv");
    assert!(!file.exists());
    sweep::run(&plan, &store, 2, &(), &AtomicBool::new(false)).unwrap();
    let merged = sweep::merge(&plan, &store).unwrap();
    assert_eq!((merged.missing, merged.failed), (0, 1));
    assert_eq!(merged.failures, [(1, "it said \"no\", twice".to_owned())]);
    let key = |point| plan.key(point).to_hex()[..16].to_owned();
    let expected = format!(
        "point,key,\"size, big\",seed,status,error,b.c,flag,a.0.x,a.1,z\n\
         0,{},v0,7,done,,0.1,true,,,\n\
         1,{},v1,8,failed,\"it said \"\"no\"\", twice\",,,,,\n\
         2,{},v2,9,done,,3,,,2,\n\
         3,{},v3,10,done,,,\"one, two\",,,1e+300\n",
        key(0),
        key(1),
        key(2),
        key(3)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);

    plan.columns = ["z", "none", "seed"].map(str::to_owned).to_vec();
    let merged = sweep::merge(&plan, &store).unwrap();
    assert_eq!(merged.empty_columns, ["none"]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("point,key,\"size, big\",seed,status,error,z,none,seed\n"), "{text}");
    assert!(text.ends_with(",v3,10,done,,1e+300,,\n"), "{text}");
}
