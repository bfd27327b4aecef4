//! Fig. 2: the new green path, and the induction to its end.

use crate::{Figure, Page, Results, Row};
use simnet_base::ids::Node;
use simnet_output::report::{Pen, Words};

use super::claims::{Example, Tally, example, tally};
use super::construction::{Model, Step, end_of, induction};
use super::paths::{draw_paths, three};
use super::{MOST_OF_EXAMPLE, NETWORKS};

/// Fig. 2.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig2",
    title: "Fig. 2: the new green path",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_: &Results<'_>) -> Page {
    let (example, tally) = (example(), tally(NETWORKS));
    let steps = induction(&example.purple, &example.red, &example.green);
    let mut rows = of_example(&example, &steps);
    rows.extend(of_networks(&tally));
    Page {
        rows,
        svg: draw(&example, &steps, &tally),
        shows: format!(
            "The induction of section 3.2.6 carried out: each step replaces the green path, from the mapper \
                to the next chunk g, by purple, so that the two share more and more cables, until they are one \
                and v' is known to be v. On the example of Fig. 1 that takes {} steps. On {} random networks it \
                ends for all {} replicates within D + 1 ({} never), every pair with parallel paths to one host \
                has one label in the round that Lemma 3 names ({} of {} too late), and in the end no switch of N \
                - F has two labels ({} of {}) and no label two switches ({}): Lemma 2, Lemma 3 and Theorem 1 in \
                numbers.",
            steps.len(),
            tally.networks,
            tally.replicates,
            tally.endless,
            tally.late,
            tally.parallel,
            tally.apart,
            tally.switches,
            tally.mistaken
        ),
        differs: "The paper's picture is not in its text; the network is ours, \
        as in [fig1](../fig1/README.md). The labeller \
                here works in rounds that see nothing of their own, which is the slowest reading of the \
                pseudo-code; it comes to rest sooner than the lemma's bound all the same. Vertices farther than \
                D + 1 are left to the paper's separate argument; that whole maps come out right is tested \
                elsewhere, on thousands of networks (docs/VALIDATION.md, Berkeley mappers)."
            .to_owned(),
    }
}

fn of_example(example: &Example, steps: &[Step]) -> Vec<Row> {
    let row =
        |quantity: &str, unit: &str, ours: usize| Row::ours(quantity, "example", unit, Some(ours as f64));
    let at_first =
        example.purple.iter().zip(&example.green).take_while(|(purple, green)| purple == green).count();
    let shared = std::iter::once(at_first).chain(steps.iter().map(|step| step.shared));
    let name = "cables that green shares with purple after so many steps";
    let mut rows: Vec<Row> =
        shared.enumerate().map(|(nth, cables)| row(name, "cables", cables).at(nth as f64)).collect();
    rows.push(row("cables of purple", "cables", example.purple.len()));
    if let Some(model) = Model::new(&example.network, example.mapper, MOST_OF_EXAMPLE) {
        for (nth, labels) in model.labels().iter().enumerate() {
            let of_switches = model.paths.iter().zip(labels);
            let mut used: Vec<usize> = of_switches
                .filter(|(path, _)| matches!(end_of(path), Some(Node::Switch(_))))
                .map(|(_, label)| *label)
                .collect();
            used.sort_unstable();
            used.dedup();
            rows.push(row("labels of switches after so many rounds", "count", used.len()).at(nth as f64));
        }
        rows.push(row("switches", "count", example.network.switches().len()));
    }
    rows
}

fn of_networks(tally: &Tally) -> Vec<Row> {
    let row = |quantity: &str, ours: u64| Row::ours(quantity, "random networks", "count", Some(ours as f64));
    let mut rows = vec![
        row("replicates within D + 1 of the mapper", tally.replicates),
        row("replicates for which green never becomes purple", tally.endless),
        row("pairs with parallel paths to one host", tally.parallel),
        row("pairs without one label in the round that Lemma 3 names", tally.late),
        row("switches of N - F", tally.switches),
        row("switches of N - F with two labels in the end", tally.apart),
        row("labels that stand for two nodes", tally.mistaken),
    ];
    for (steps, count) in &tally.steps {
        rows.push(row("replicates whose green is purple after so many steps", *count).at(*steps as f64));
    }
    for (rounds, count) in &tally.rounds {
        rows.push(row("networks labelled after so many rounds", *count).at(*rounds as f64));
    }
    rows
}

fn draw(example: &Example, steps: &[Step], tally: &Tally) -> String {
    let height = 300.0;
    let panels = std::iter::once(&example.green).chain(steps.iter().map(|step| &step.green));
    let count = steps.len() as f64 + 1.0;
    let mut pen = Pen::titled(
        "The new green path",
        "purple: h0 to v; red: v to h; green: h0 to v', then to each v'' that takes its place",
    );
    for (nth, green) in panels.enumerate() {
        let top = 80.0 + height * nth as f64;
        let words = match nth {
            0 => "the green path at first".to_owned(),
            nth if nth == steps.len() => format!("after step {nth}: green is purple, and v'' is v"),
            nth => format!("after step {nth}: purple as far as g, then the old green"),
        };
        pen.text((24.0, top + 14.0), Words::new(14.0), &words);
        draw_paths(&mut pen, &example.network, (70.0, top + 45.0), (100.0, 92.0), &three(example, green));
    }
    let counts: Vec<String> = tally.steps.iter().map(|(steps, count)| format!("{steps}: {count}")).collect();
    let words =
        format!("Replicates on {} random networks by steps needed: {}", tally.networks, counts.join(", "));
    pen.text((24.0, 96.0 + height * count), Words::new(13.0), &words);
    pen.finish_around()
}
