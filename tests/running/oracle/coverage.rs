//! Intervals of load points hold the mean latency as often as they promise, up to the edge of what is carried.
//!
//! The whole table, two hundred seeds a row, is made by `cargo bench --bench coverage`.

use rayon::prelude::*;
use support_network::long_cases;

pub(crate) mod rows;

use rows::{Coverage, rows};

/// The precision that is asked for.
const PRECISION: f64 = 0.05;

/// Wrong if a point were called converged before its interval can be trusted: near saturation a short quiet stretch
/// has a small mean and a small variance. Rows of which fewer than half converge within their limit count together.
///
/// With few seeds the rows that go to the limit of two million messages are left out.
#[test]
fn intervals_of_converged_points_hold_the_mean() {
    let seeds = long_cases(200);
    let mut rare = Coverage::default();
    for row in rows().iter().filter(|row| seeds >= 200 || row.of_saturation < 0.88) {
        let points: Vec<_> =
            (0..seeds).into_par_iter().map(|seed| row.run("precision = 0.05", seed)).collect();
        let mut own = Coverage::default();
        points.iter().for_each(|point| own.take(point, row.mean));
        println!("{} at {}: {own:?}, bias {:+.2} %", row.name, row.load, own.bias() * 100.0);
        if !own.is_usual() {
            rare = rare.and(own);
            continue;
        }
        assert!(!own.is_rejected(), "{} at {}: {own:?}", row.name, row.load);
        // Of a few seeds the mean itself may be off by some half-widths over the root of their number.
        let chance = 3.0 * PRECISION / 1.96 / (own.converged as f64).sqrt();
        let allowed = PRECISION / 3.0 + if seeds >= 200 { 0.0 } else { chance };
        assert!(own.bias().abs() < allowed, "{} at {}: {own:?}", row.name, row.load);
    }
    assert!(!rare.is_rejected() && rare.bias().abs() < PRECISION, "{rare:?}");
}

/// Wrong if `converged` meant something else with a fixed number of messages: a mere label.
#[test]
fn a_fixed_number_of_messages_is_judged_as_a_sequential_one() {
    let all = rows();
    let near = all.iter().find(|row| row.of_saturation > 0.95 && row.name.starts_with("torus")).unwrap();
    for seed in 0..long_cases(100) {
        let point = near.run("messages = 20000", seed);
        assert!(!point.converged && point.latency_half_width_ns.is_none(), "seed {seed}: {point:?}");
        assert!(point.reason.is_some_and(|reason| reason.is_short()), "seed {seed}: it says what is missing");
    }
    let far = &all[0];
    let mut own = Coverage::default();
    (0..long_cases(400)).for_each(|seed| own.take(&far.run("messages = 20000", seed), far.mean));
    assert!(own.is_usual() && !own.is_rejected(), "{own:?}");
}
