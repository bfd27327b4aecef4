//! Load points of which the mean latency is known, and how often the interval of a measured one holds it: shared by the
//! test and by `benches/coverage.rs`.
//!
//! # Source
//! The M/D/1 queue: the formula of Pollaczek and Khinchine. The other means are those of sixty runs of a million
//! messages or more each (`cargo bench --bench coverage -- --references 60`), of other seeds than those that are
//! judged.

use simnet_running::simulation::{self, PointReport};
use simnet_scenario::{self as scenario, Overrides};

/// A torus or mesh of 8 x 8 switches with a host each, packets of 16 bytes, dimension order.
const GRID: &str = "[topology.GRID]\nx = 8\ny = 8\n[fabric]\nflow = 'credits'\nrate = '8 Gb/s'\n\
    routing-latency = '1 ns'\ncable-length = '0.2 m'\nbuffer = '64 B'\nmtu = '16 B'\n\
    [routing]\nalgorithm = 'dimension-order'\n[traffic.uniform]\npayload = '16 B'\narrivals = 'bernoulli'\n";
/// Sixteen random switches with four hosts each under STOP and GO.
const RANDOM: &str = "[topology.random-regular]\nswitches = 16\ndegree = 4\nhosts-per-switch = 4\nseed = 1\n\
    [routing]\nalgorithm = 'updown'\nseed = 1\n[traffic.uniform]\npayload = '32 B'\n";
/// Two hosts: the cable of each is an output with Poisson arrivals, served in 34 cycles of 6.25 ns a message.
const OUTPUT: &str = "[topology.chain]\nswitches = 2\nhosts-per-switch = 1\n[fabric]\nrouting-latency = '6.25 ns'\n\
    arbitration = 'per-input'\n[routing]\nalgorithm = 'updown'\n[traffic.uniform]\npayload = '32 B'\n";
/// Time that a message takes there alone, in ns.
const ALONE: f64 = 243.75;

/// A load point whose mean latency is known.
pub(crate) struct Row {
    /// The network.
    pub(crate) name: &'static str,
    scenario: &'static str,
    /// Keys that turn the general scenario into this one.
    own: &'static str,
    /// The load, in payload flits per cycle and host.
    pub(crate) load: f64,
    /// The share of the largest load that is carried.
    pub(crate) of_saturation: f64,
    /// The mean latency in ns.
    pub(crate) mean: f64,
}

/// The mean latency of an M/D/1 queue whose server is busy for this share of the time, in ns.
fn m_d_1(busy: f64) -> f64 {
    ALONE + busy * 34.0 / (2.0 * (1.0 - busy)) * 6.25
}

/// All load points.
pub(crate) fn rows() -> Vec<Row> {
    let torus = [(0.30, 43.025), (0.45, 66.940), (0.50, 83.956), (0.52, 95.723), (0.55, 150.80)];
    let mesh = [(0.20, 44.748), (0.30, 74.964), (0.33, 102.28), (0.345, 140.13)];
    let random = [(0.035, 854.11), (0.056, 1_098.3), (0.063, 1_381.7), (0.0665, 1_943.9)];
    let grid = |name, own, carried: f64| {
        move |(load, mean)| Row { name, scenario: GRID, own, load, of_saturation: load / carried, mean }
    };
    let random_row = |(load, mean)| Row {
        name: "16 random switches, STOP and GO",
        scenario: RANDOM,
        own: "",
        load,
        of_saturation: load / 0.07,
        mean,
    };
    let output = |busy: f64| Row {
        name: "one output, Poisson arrivals",
        scenario: OUTPUT,
        own: "",
        load: busy * 32.0 / 34.0,
        of_saturation: busy,
        mean: m_d_1(busy),
    };
    let torus = torus.map(grid("torus 8 x 8, two lanes", "torus 2", 0.574));
    let mesh = mesh.map(grid("mesh 8 x 8, one lane", "mesh 1", 0.352));
    let outputs = [0.5, 0.7, 0.9, 0.95].map(output);
    torus.into_iter().chain(mesh).chain(random.map(random_row)).chain(outputs).collect()
}

impl Row {
    /// The text of its scenario with these keys of `[measure]`.
    fn text(&self, measure: &str) -> String {
        let (kind, lanes) = self.own.split_once(' ').unwrap_or_default();
        let lanes =
            if lanes.is_empty() { String::new() } else { format!("buffer = '64 B'\nlanes = {lanes}") };
        let scenario = self.scenario.replace("GRID", kind).replace("buffer = '64 B'", &lanes);
        format!("[scenario]\nname = \"row\"\n{scenario}loads = [{}]\n[measure]\n{measure}\n", self.load)
    }

    /// Measures it with a seed.
    pub(crate) fn run(&self, measure: &str, seed: u64) -> PointReport {
        let overrides = Overrides { seed: Some(seed), ..Overrides::default() };
        let checked = scenario::read("row.toml", self.text(measure).as_bytes(), &overrides);
        let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
        let run = simulation::run(&checked, &(), None).expect("it can be run");
        run.summary.points()[0].clone()
    }
}

/// Counts of intervals that hold the mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    /// Points.
    pub(crate) seeds: u64,
    /// Points that converged.
    pub(crate) converged: u64,
    /// Points that converged and whose interval holds the mean.
    pub(crate) held: u64,
    /// The sum over those that converged of how far their means are off, relative to the mean.
    pub(crate) off: f64,
}

impl Coverage {
    /// Takes in a point of a row.
    pub(crate) fn take(&mut self, point: &PointReport, mean: f64) {
        self.seeds += 1;
        if point.converged {
            let measured = point.latency_mean_ns.expect("it has messages");
            let half = point.latency_half_width_ns.expect("a converged point has an interval");
            self.converged += 1;
            self.held += u64::from((measured - mean).abs() <= half);
            self.off += measured / mean - 1.0;
        }
    }

    /// These and others together.
    pub(crate) fn and(self, other: Coverage) -> Coverage {
        Coverage {
            seeds: self.seeds + other.seeds,
            converged: self.converged + other.converged,
            held: self.held + other.held,
            off: self.off + other.off,
        }
    }

    /// Returns whether at least half of the points converged.
    pub(crate) fn is_usual(&self) -> bool {
        2 * self.converged >= self.seeds
    }

    /// The mean share by which means are off; 0 without any.
    pub(crate) fn bias(&self) -> f64 {
        self.off / self.converged.max(1) as f64
    }

    /// Returns whether so few intervals hold the mean that 92 of 100 can be rejected at the 1 % level.
    pub(crate) fn is_rejected(&self) -> bool {
        at_most(self.held, self.converged) < 0.01 && self.converged > 0
    }
}

/// The chance that at most `held` of `all` intervals hold the mean if each does with a chance of 0.92.
fn at_most(held: u64, all: u64) -> f64 {
    let (chance, mut sum) = (0.92_f64, 0.0);
    let mut term = (1.0 - chance).powi(i32::try_from(all).expect("few seeds"));
    for count in 0..=held {
        sum += term;
        term *= (all - count) as f64 / (count + 1) as f64 * chance / (1.0 - chance);
    }
    sum
}
