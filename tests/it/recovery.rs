//! The share of clusters whose switches are found, against noise.

use simnet::simulation::recovery::{Method, Row, Study, Times, study};
use simnet::units::Duration;

use crate::support::cases;

fn small(clusters: u32, noises_us: &[u64]) -> Study {
    Study {
        switches: (2, 8),
        machines: 24,
        clusters,
        times: Times::GIGABIT,
        noises: noises_us.iter().map(|us| Duration::from_us(*us)).collect(),
        outliers_ppm: 0,
        outlier_mean: Duration::from_us(50),
        methods: Method::ALL.to_vec(),
        seed: 1,
    }
}

fn recovered(rows: &[Row], method: Method) -> Vec<u32> {
    rows.iter().filter(|row| row.method == method).map(|row| row.recovered).collect()
}

/// Wrong if times without noise were not enough for every method, but for clusters that no method can tell; if the
/// sturdier inference recovered fewer than the paper's at some noise, or not many more in the middle.
#[test]
fn the_sturdier_inference_recovers_more_wherever_noise_is() {
    let clusters = u32::try_from(cases(400)).unwrap();
    let rows = study(&small(clusters, &[0, 1, 2, 3, 5, 8, 12])).unwrap();
    for row in &rows {
        println!("{row:?}");
        assert_eq!(row.recovered + row.wrong + row.refused, clusters);
    }
    let sturdy = recovered(&rows, Method::Sturdy);
    for method in [Method::HalfRange, Method::Range, Method::KMeans, Method::Nearest] {
        let theirs = recovered(&rows, method);
        assert!(theirs[0] * 100 >= clusters * 90, "{method:?}: {theirs:?} of {clusters}");
        for (ours, theirs) in sturdy.iter().zip(&theirs) {
            assert!(ours >= theirs, "{method:?}: {theirs} against {ours}");
        }
    }
    assert!(sturdy[0] * 100 >= clusters * 95, "{sturdy:?} of {clusters}");
    let paper = recovered(&rows, Method::HalfRange);
    assert!(sturdy[3] * 100 >= clusters * 90 && paper[3] * 100 <= clusters * 20, "{sturdy:?}, {paper:?}");
}

/// Wrong if a study depended on the number of threads, or a level of noise or a method on the others.
#[test]
fn a_study_is_the_same_whatever_runs_beside_it() {
    let both = study(&small(6, &[1, 4])).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| study(&small(6, &[1, 4]))).unwrap(), both);
    let alone = study(&Study { methods: vec![Method::Sturdy], ..small(6, &[4]) }).unwrap();
    let row = both.iter().find(|row| row.method == Method::Sturdy && row.noise == Duration::from_us(4));
    assert_eq!(Some(&alone[0]), row);
}

/// Wrong if noise had another size than it says, or interruptions were too rare or too often.
#[test]
fn noise_is_what_it_says() {
    let plain = Study { times: Times { offsets: Duration::ZERO, ..Times::GIGABIT }, ..small(1, &[]) };
    let hops = plain.tree(0).unwrap().hops();
    let machines = hops.machines();
    let spread = |study: &Study| {
        let (mut n, mut sum, mut squares, mut late) = (0.0, 0.0, 0.0, 0);
        for k in 0..40 {
            let rtts = study.measure(k, &hops, Duration::from_us(2));
            for (a, b) in
                (0..machines).flat_map(|a| (0..machines).map(move |b| (a, b))).filter(|(a, b)| a != b)
            {
                let expected = 85_000.0 + 23_620.0 * f64::from(hops.between(a, b) + 1);
                let off = rtts.get(a, b).as_ns_f64() - expected;
                n += 1.0;
                sum += off;
                squares += off * off;
                late += u32::from(off > 13_000.0);
            }
        }
        (sum / n, (squares / n).sqrt(), f64::from(late) / n)
    };
    let (mean, deviation, late) = spread(&plain);
    // 22,080 draws: standard errors 13 and 10 ns.
    assert!(
        mean.abs() < 60.0 && (deviation - 2_000.0).abs() < 60.0 && late < 1e-9,
        "{mean} {deviation} {late}"
    );
    let (_, _, late) = spread(&Study { outliers_ppm: 50_000, ..plain });
    // Of one in twenty, those that last longer than 13 us or so: three quarters.
    assert!((0.03..0.05).contains(&late), "{late}");
}
