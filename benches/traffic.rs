//! How long the messages of generated traffic take to draw. Goal: well below the microsecond that the fabric
//! needs for a message.

use divan::Bencher;
use divan::counter::ItemsCount;
use simnet::ids::HostId;
use simnet::traffic::{Arrivals, Generated, Members, PARTS, Pattern, Sizes, Source as _, Within, Workload};
use simnet::units::Duration;

fn main() {
    divan::main();
}

const HOSTS: u32 = 128;
const MESSAGES: u32 = 100_000;

/// Draws messages of all hosts in turn.
fn draw(bencher: Bencher<'_, '_>, pattern: Pattern, arrivals: Arrivals, sizes: Sizes) {
    let workload = Workload { pattern, arrivals, sizes };
    let mut traffic = Generated::new(&workload, 0.02, Duration::from_ps(6_250), 1);
    bencher.counter(ItemsCount::new(MESSAGES)).bench_local(|| {
        (0..MESSAGES).filter_map(|nth| traffic.next(HostId(nth % HOSTS))).map(|m| m.destination.0).max()
    });
}

fn members() -> Members {
    Members::all(HostId(HOSTS).index())
}

#[divan::bench(args = ["uniform", "bit-reversal", "hot-spot"], sample_count = 10)]
fn patterns(bencher: Bencher<'_, '_>, name: &str) {
    let pattern = match name {
        "uniform" => Pattern::uniform(members()),
        "bit-reversal" => Pattern::bit_reversal(members()).expect("a power of two"),
        _ => Pattern::hot_spot(members(), vec![HostId(5)], PARTS / 10),
    };
    draw(bencher, pattern, Arrivals::Poisson, Sizes::Fixed(32));
}

#[divan::bench(args = ["poisson", "bernoulli", "constant", "bursts"], sample_count = 10)]
fn arrivals(bencher: Bencher<'_, '_>, name: &str) {
    let (on, off) = (Duration::from_us(20), Duration::from_us(60));
    let arrivals = match name {
        "poisson" => Arrivals::Poisson,
        "bernoulli" => Arrivals::Bernoulli,
        "constant" => Arrivals::Constant,
        _ => Arrivals::Bursts { on, off, within: Within::Poisson },
    };
    draw(bencher, Pattern::uniform(members()), arrivals, Sizes::Fixed(32));
}

#[divan::bench(args = [1, 2, 100], sample_count = 10)]
fn lengths(bencher: Bencher<'_, '_>, lengths: u32) {
    let table: Vec<(u32, u64)> = (0..lengths).map(|nth| (32 + nth, 1)).collect();
    let sizes = Sizes::weighted(&table).expect("weights above zero");
    draw(bencher, Pattern::uniform(members()), Arrivals::Poisson, sizes);
}
