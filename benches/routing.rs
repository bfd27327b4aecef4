//! How long routes take: all pairs with their proof, and one route at a time on a large folded Clos.

use divan::Bencher;
use simnet::routing::{Attachments, Choices, Plan, Survey};
use simnet::topology::presets;

fn main() {
    divan::main();
}

/// All routes of all pairs, and the proof that they are free of deadlock. Goal: pink under 0.3 s.
#[divan::bench(args = ["now-c", "now-cab", "pink"], sample_count = 10)]
fn routes_and_proof(bencher: Bencher<'_, '_>, name: &str) {
    let network = presets::load(name).expect("a preset");
    let attachments = Attachments::lowest(&network);
    bencher.bench_local(|| {
        let plan = Plan::new(&network, &attachments, &Choices::default()).expect("they fit");
        let survey = Survey::new(&network, &attachments, &plan.table);
        assert!(survey.dependencies.shortest_cycle().is_none());
        (plan, survey)
    });
}

/// The routes alone.
#[divan::bench(args = ["now-c", "now-cab", "pink"], sample_count = 10)]
fn routes(bencher: Bencher<'_, '_>, name: &str) {
    let network = presets::load(name).expect("a preset");
    let attachments = Attachments::lowest(&network);
    bencher.bench_local(|| Plan::new(&network, &attachments, &Choices::default()).expect("they fit"));
}

/// Everything that `simnet route` prints.
#[divan::bench(args = ["now-c", "now-cab", "pink"], sample_count = 10)]
fn report(bencher: Bencher<'_, '_>, name: &str) {
    let network = presets::load(name).expect("a preset");
    let attachments = Attachments::lowest(&network);
    bencher.bench_local(|| {
        let plan = Plan::new(&network, &attachments, &Choices::default()).expect("they fit");
        plan.report(&network, &attachments)
    });
}
