//! Sweeps that are killed at any instant, and whose shards are damaged meanwhile: what comes out in the end is what an
//! undisturbed sweep gives.

#![expect(
    clippy::disallowed_methods,
    reason = "processes are killed by the clock, at instants that a seed gives"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use support_network::cases;

use super::small as sweep;

/// A sweep's points, their table, and how long it takes undisturbed.
struct Undisturbed {
    room: tempfile::TempDir,
    file: PathBuf,
    table: Vec<u8>,
    took: Duration,
}

impl Undisturbed {
    /// Runs a sweep of four points for every load.
    fn run(loads: usize) -> Undisturbed {
        let room = tempfile::tempdir().unwrap();
        let (file, out) = (room.path().join("sweep.toml"), room.path().join("undisturbed"));
        sweep::write(&file, "killed", loads, 5, 200);
        let begun = Instant::now();
        sweep::run(&file, &out, &["--jobs", "2"]);
        let (took, table) = (begun.elapsed(), sweep::table(&out));
        assert_eq!(table.iter().filter(|byte| **byte == b'\n').count(), 1 + 20 * loads);
        Undisturbed { room, file, table, took }
    }

    /// Kills a sweep so many times, each time `meanwhile` having its way with the shards, then lets it end.
    fn killed(&self, kills: u64, rng: &mut ChaCha8Rng, meanwhile: impl Fn(&[PathBuf], &mut ChaCha8Rng)) {
        let out = self.room.path().join(format!("killed-{}", rng.random::<u64>()));
        let longest = self.took.mul_f64(1.5 / kills as f64);
        let mut struck = 0;
        for _ in 0..kills {
            let mut command = sweep::command(&self.file, &out, &["--jobs", "2"]);
            let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(longest.mul_f64(rng.random()));
            process.kill().unwrap();
            // A process that was killed has no code.
            struck += u64::from(process.wait().unwrap().code().is_none());
            if !out.join("points.csv").exists() {
                meanwhile(&shards(&out), rng);
            }
        }
        assert!(struck > 0, "no kill came before the end");
        sweep::run(&self.file, &out, &["--jobs", "2"]);
        assert!(sweep::table(&out) == self.table, "{struck} kills changed the table");
    }
}

/// The shards of a folder, in order.
fn shards(out: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(out.join("shards")) else { return Vec::new() };
    let mut shards: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    shards.sort();
    shards
}

/// Cuts a shard somewhere.
fn cut(shards: &[PathBuf], rng: &mut ChaCha8Rng) {
    let Some(bytes) = one_of(shards, rng) else { return };
    let (path, bytes) = bytes;
    fs::write(path, &bytes[..rng.random_range(0..bytes.len())]).unwrap();
}

/// Alters a byte of a shard.
fn flip(shards: &[PathBuf], rng: &mut ChaCha8Rng) {
    let Some((path, mut bytes)) = one_of(shards, rng) else { return };
    let place = rng.random_range(0..bytes.len());
    bytes[place] ^= 1 << rng.random_range(0..8_u8);
    fs::write(path, bytes).unwrap();
}

/// A shard with something in it.
fn one_of<'a>(shards: &'a [PathBuf], rng: &mut ChaCha8Rng) -> Option<(&'a PathBuf, Vec<u8>)> {
    let path = shards.get(rng.random_range(0..shards.len().max(1)))?;
    Some((path, fs::read(path).unwrap())).filter(|(_, bytes)| !bytes.is_empty())
}

/// Wrong if a point were lost, computed to something else or shown twice where a sweep is killed again and again.
#[test]
fn a_sweep_that_is_killed_gives_the_undisturbed_bytes() {
    // A thousand points and twenty kills where the tests are thorough.
    let loads = usize::try_from(cases(50)).unwrap().max(8);
    let undisturbed = Undisturbed::run(loads);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    undisturbed.killed(cases(20).max(5), &mut rng, |_, _| ());
}

/// Wrong if what was cut off or altered were believed, or took whole lines with it into a wrong row.
#[test]
fn a_sweep_whose_shards_are_damaged_gives_the_undisturbed_bytes() {
    let undisturbed = Undisturbed::run(8);
    for seed in 0..cases(20) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        undisturbed.killed(4, &mut rng, |shards, rng| {
            cut(shards, rng);
            flip(shards, rng);
        });
    }
}
