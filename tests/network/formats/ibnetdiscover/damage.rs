//! Dumps damaged at random: refused, or read as the same cables; never a panic, never a smaller network.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::{End, Network, generate, presets};

use super::{IBSIM, SMALL};
use support_network::cases;

/// All cables by the names of their ends.
fn cables(net: &Network) -> BTreeSet<[String; 2]> {
    let end = |end: End| format!("{}:{}", net.name_of(end.node), end.port);
    let ends = |a: String, b: String| if a < b { [a, b] } else { [b, a] };
    net.links().iter().map(|link| ends(end(link.a), end(link.b))).collect()
}

/// Reads damaged bytes; says what is wrong if they are read as anything but `whole`.
fn judge(bytes: &[u8], whole: &BTreeSet<[String; 2]>) -> Result<(), String> {
    let options = ReadOptions { from: Some(Format::Ibnetdiscover), ..ReadOptions::default() };
    match formats::read("net", bytes, &options) {
        Ok(net) if cables(&net) == *whole => Ok(()),
        Ok(net) => Err(format!("read as {} cables, not {}", net.links().len(), whole.len())),
        Err(found) => {
            let inside = found.faults.iter().all(|fault| fault.span.end <= found.text.len());
            let shown = found.to_string().contains("net:");
            if inside && shown && !found.faults.is_empty() {
                Ok(())
            } else {
                Err("faults without a place".to_owned())
            }
        }
    }
}

fn dumps() -> Vec<String> {
    let tree = generate::build("fat-tree", &[("arity", 2), ("levels", 3)], 0).unwrap();
    let now = presets::load("now-c").unwrap();
    let written = [tree, now].map(|net| formats::write(&net, Format::Ibnetdiscover));
    [SMALL.to_owned(), IBSIM.to_owned()].into_iter().chain(written).collect()
}

fn read(text: &str) -> Network {
    formats::read("net", text.as_bytes(), &ReadOptions::default()).unwrap()
}

/// Wrong if a file cut off anywhere were read as a smaller network than the whole one. Large files are cut at every
/// 37th byte, and all of them at a fifth of their places for the least cases.
#[test]
fn a_file_cut_off_anywhere_is_never_half_read() {
    for text in dumps() {
        let whole = cables(&read(&text));
        let step = if text.len() > 10_000 { 37 } else { 1 } * if cases(20) > 1 { 1 } else { 5 };
        for length in (0..text.len()).step_by(step) {
            judge(&text.as_bytes()[..length], &whole)
                .unwrap_or_else(|wrong| panic!("cut at {length}: {wrong}"));
        }
    }
}

/// Wrong if a lost or doubled line, or one in another place, changed the cables silently.
#[test]
fn lines_lost_doubled_and_moved_change_no_cable() {
    let dumps = dumps();
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let text = &dumps[rng.random_range(0..dumps.len())];
        let mut lines: Vec<&str> = text.lines().collect();
        let at = rng.random_range(0..lines.len());
        match rng.random_range(0..3) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(rng.random_range(0..=lines.len()), lines[at]),
            _ => lines.swap(at, rng.random_range(0..text.lines().count())),
        }
        let damaged = lines.join("\n");
        judge(damaged.as_bytes(), &cables(&read(text)))
            .unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
}

/// Wrong if a byte changed, lost or added changed the cables silently.
#[test]
fn single_bytes_change_no_cable() {
    let dumps = dumps();
    for seed in 0..cases(40_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let text = &dumps[rng.random_range(0..dumps.len())];
        let mut bytes = text.clone().into_bytes();
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..4) {
            0 => bytes[at] = rng.random(),
            1 => bytes[at] ^= 1 << rng.random_range(0..8),
            2 => drop(bytes.remove(at)),
            _ => bytes.insert(at, b"[]()\"#@ \t\r\n0SH-=x"[rng.random_range(0..17)]),
        }
        judge(&bytes, &cables(&read(text))).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
}

/// Wrong if heavier damage brought the reader down. What is read then may be another network.
#[test]
fn heavy_damage_is_survived() {
    let dumps = dumps();
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = dumps[rng.random_range(0..dumps.len())].clone().into_bytes();
        for _ in 0..rng.random_range(2..20) {
            let at = rng.random_range(0..bytes.len());
            let end = (at + rng.random_range(1..200)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            let to = rng.random_range(0..bytes.len());
            bytes.splice(to..to, piece);
            bytes[at] = rng.random();
        }
        let _ = formats::read("net", &bytes, &ReadOptions::default()).map_err(|faults| faults.to_string());
    }
}
