//! How long routes take: all pairs with their proof, and one route at a time on a large folded Clos.

use divan::Bencher;
use simnet::ids::HostId;
use simnet::routing::{
    Attachments, Choices, Directions, FoldedClos, Plan, Root, Routes, Selection, Smart, Survey, SwitchGraph,
    Tree,
};
use simnet::topology::{generate, presets};

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

/// The root `r2` of a random 4-regular network: every tree is computed. Goal: 64 switches under 0.1 s.
#[divan::bench(args = [16, 32, 64], sample_count = 10)]
fn root_r2(bencher: Bencher<'_, '_>, switches: u64) {
    let size = [("switches", switches), ("degree", 4), ("hosts-per-switch", 4)];
    let network = generate::build("random-regular", &size, 1).expect("such a graph exists");
    let (graph, attachments) = (SwitchGraph::new(&network), Attachments::lowest(&network));
    bencher.bench_local(|| Directions::new(&graph, &attachments, None, &Root::R2, Tree::Bfs));
}

/// Balanced routes of a random 4-regular network: every path over the fullest channels weighed.
#[divan::bench(args = [16, 32, 64], sample_count = 10)]
fn balanced(bencher: Bencher<'_, '_>, switches: u64) {
    let size = [("switches", switches), ("degree", 4), ("hosts-per-switch", 4)];
    let network = generate::build("random-regular", &size, 1).expect("such a graph exists");
    let attachments = Attachments::lowest(&network);
    let choices = Choices { selection: Selection::Balanced, ..Choices::default() };
    bencher.bench_local(|| Plan::new(&network, &attachments, &choices).expect("they fit"));
}

/// Routes, proof and figures of 10,080 hosts on 2,520 switches in a random 8-regular graph. Goal: 20 s.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn ten_thousand_hosts(bencher: Bencher<'_, '_>) {
    let size = [("switches", 2_520), ("degree", 8), ("hosts-per-switch", 4)];
    let network = generate::build("random-regular", &size, 1).expect("such a graph exists");
    let attachments = Attachments::lowest(&network);
    bencher.bench_local(|| {
        let plan = Plan::new(&network, &attachments, &Choices::default()).expect("they fit");
        plan.report(&network, &attachments)
    });
}

/// The same without a table: what `simnet route` does. Required: 5 s on two cores, 1 GiB.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn ten_thousand_hosts_at_once(bencher: Bencher<'_, '_>) {
    let size = [("switches", 2_520), ("degree", 8), ("hosts-per-switch", 4)];
    let network = generate::build("random-regular", &size, 1).expect("such a graph exists");
    let attachments = Attachments::lowest(&network);
    bencher
        .bench_local(|| Plan::judge_at_once(&network, &attachments, &Choices::default()).expect("they fit"));
}

/// Everything that `simnet route` prints, judged as it is found. Required: pink under 30 ms.
#[divan::bench(args = ["now-c", "now-cab", "pink"], sample_count = 10)]
fn report_at_once(bencher: Bencher<'_, '_>, name: &str) {
    let network = presets::load(name).expect("a preset");
    let attachments = Attachments::lowest(&network);
    bencher
        .bench_local(|| Plan::judge_at_once(&network, &attachments, &Choices::default()).expect("they fit"));
}

/// The turns that smart routing allows. Goal: 64 switches, and pink, within two seconds.
#[divan::bench(args = ["decayed-torus", "random-64", "pink"], sample_count = 3)]
fn smart_turns(bencher: Bencher<'_, '_>, name: &str) {
    let torus = [("x", 6), ("y", 6), ("hosts-per-switch", 2), ("failed-switches", 3), ("failed-links", 4)];
    let random = [("switches", 64), ("degree", 4), ("hosts-per-switch", 4)];
    let network = match name {
        "decayed-torus" => generate::build(name, &torus, 1).expect("such a torus exists"),
        "random-64" => generate::build("random-regular", &random, 1).expect("such a graph exists"),
        _ => presets::load(name).expect("a preset"),
    };
    let (graph, attachments) = (SwitchGraph::new(&network), Attachments::lowest(&network));
    let hosts = attachments.per_switch(graph.switches(), None);
    let directions = Directions::new(&graph, &attachments, None, &Root::Far, Tree::Bfs);
    bencher.bench_local(|| Smart::new(&graph, &hosts, &directions));
}

/// Single routes between random hosts of 16,384 on a 4-ary 7-tree of 28,672 switches. Goal: well under 200 ns
/// each.
#[divan::bench(sample_count = 10)]
fn ten_thousand_computed_routes(bencher: Bencher<'_, '_>) {
    let network = generate::build("fat-tree", &[("arity", 4), ("levels", 7)], 0).expect("a 4-ary 7-tree");
    let clos = FoldedClos::new(&SwitchGraph::new(&network), &Attachments::lowest(&network), 0);
    let clos = clos.expect("a tree is a folded Clos");
    let mut turns = Vec::new();
    let mut pair = 1u32;
    bencher.bench_local(|| {
        let mut length = 0;
        for _ in 0..10_000 {
            pair = pair.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            turns.clear();
            clos.route(HostId(pair >> 18), HostId(pair >> 4 & 0x3fff), &mut turns);
            length += turns.len();
        }
        length
    });
}
