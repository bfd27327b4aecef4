//! Fig. 1: the first step of the inductive construction.

use crate::{Figure, Page, Results, Row};
use simnet_output::report::sketch::{GREEN, PURPLE, RED};
use simnet_output::report::{Pen, Words};

use super::claims::{Example, Tally, example, tally};
use super::construction::{Model, Path, Step, induction};
use super::paths::{Branch, draw_paths, draw_tree, three};
use super::{MOST_OF_EXAMPLE, NETWORKS};

/// Fig. 1.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig1",
    title: "Fig. 1: first step of the inductive construction",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// Where the tree's root stands, and how far its columns and rows are apart.
const TREE: (f64, f64) = (70.0, 430.0);
const STEP: (f64, f64) = (76.0, 62.0);

fn make(_: &Results<'_>) -> Page {
    let (example, tally) = (example(), tally(NETWORKS));
    let steps = induction(&example.purple, &example.red, &example.green);
    let first = &steps[0];
    let mut rows = of_example(&example, first);
    rows.extend(of_networks(&tally));
    Page {
        rows,
        svg: draw(&example, first, &tally),
        shows: format!(
            "The proof that all replicates of a switch are merged, carried out by our own code. Above: a \
                network with a switch v, its purple path (mapper to v), red path (v to a host h) and the green \
                path by which a replicate v' was found, which shares a cable (chunk g) with purple and one \
                (chunk d) with red, so that red cannot be pasted at v'. Below: the model tree. Pasted instead \
                (dashed): (1) red above d at d', which ends at h'; (2) green from g' to d' and that red at g, \
                which ends at h'', and green from g' to v' at g, which ends at v''. Now g and g', and v'' and \
                v', have parallel paths to one host, and Lemma 3 gives them one label. On {} random networks ({} \
                replicates) every path that the construction pastes is in the model: {} of {}.",
            tally.networks,
            tally.replicates,
            tally.pasted - tally.missing,
            tally.pasted
        ),
        differs: "The paper's picture is not in its text, which names no network; this one is ours, the smallest \
        found by hand in \
                which g and d are both stretches of cables and green is no longer than D + 1. Where no stretch \
                of green lies ahead on purple, the text is silent: g is then v itself. The model is what circuit \
                routing allows, every way that passes no cable twice, to depth Q + D + 1, of networks of 2 to 6 \
                switches. Pasted paths fall short of that depth by a cable or more: that is section 3.2.7, by \
                which Q + D suffices."
            .to_owned(),
    }
}

fn of_example(example: &Example, first: &Step) -> Vec<Row> {
    let model = Model::new(&example.network, example.mapper, MOST_OF_EXAMPLE);
    let row =
        |quantity: &str, unit: &str, ours: usize| Row::ours(quantity, "example", unit, Some(ours as f64));
    let mut rows: Vec<Row> = [
        ("purple path", &example.purple),
        ("red path", &example.red),
        ("green path", &example.green),
        ("pasted path to h'", &first.to_h1),
        ("pasted path to h''", &first.to_h2),
        ("pasted path to v''", &first.green),
    ]
    .into_iter()
    .map(|(name, path)| row(name, "cables", path.len()))
    .collect();
    if let Some(model) = model {
        rows.push(row("D", "cables", model.diameter));
        rows.push(row("Q", "cables", model.longest - model.diameter - 1));
        rows.push(row("vertices of the model", "count", model.paths.len()));
        let is_there = |path: &Path| usize::from(model.vertex(path).is_some());
        let found = [&first.to_h1, &first.to_h2, &first.green].map(is_there).into_iter().sum();
        rows.push(row("pasted paths that are in the model", "count", found));
    }
    rows
}

fn of_networks(tally: &Tally) -> Vec<Row> {
    let row =
        |quantity: &str, unit: &str, ours: f64| Row::ours(quantity, "random networks", unit, Some(ours));
    let share = |part: u64, of: u64| part as f64 / of.max(1) as f64 * 100.0;
    let mut rows = vec![
        row("networks", "count", tally.networks as f64),
        row("networks left out as too large", "count", tally.left_out as f64),
        row("vertices of the models", "count", tally.vertices as f64),
        row("replicates within D + 1 of the mapper", "count", tally.replicates as f64),
        row("replicates to which red can be pasted as it is", "%", share(tally.direct, tally.replicates)),
        row("replicates whose green meets purple again and red", "count", tally.both as f64),
        row("pasted paths", "count", tally.pasted as f64),
        row("pasted paths that the model lacks", "count", tally.missing as f64),
    ];
    for (cables, count) in &tally.slack {
        rows.push(
            row("pasted paths that fall short of the depth by so many cables", "count", *count as f64)
                .at(*cables as f64),
        );
    }
    rows
}

fn draw(example: &Example, first: &Step, tally: &Tally) -> String {
    let mut pen = Pen::titled(
        "First step of the inductive construction",
        "above: the network N with the three paths; below: the part of the model M that the proof knows \
                to be there",
    );
    let corner = (70.0, 110.0);
    draw_paths(&mut pen, &example.network, corner, (100.0, 100.0), &three(example, &example.green));
    for (nth, (colour, words)) in [
        (PURPLE, "purple: h0 to v"),
        (RED, "red: v to h; with purple Q(v) cables"),
        (GREEN, "green: h0 to v', at most D + 1 cables"),
    ]
    .into_iter()
    .enumerate()
    {
        pen.text((70.0 + 270.0 * nth as f64, 372.0), Words::new(13.0).colour(colour), words);
    }
    pen.text((corner.0 + 325.0, corner.1 + 80.0), Words::new(14.0).middle(), "g");
    pen.text((corner.0 + 775.0, corner.1 + 80.0), Words::new(14.0).middle(), "d");
    draw_tree(&mut pen, &example.network, TREE, STEP, &branches(example, first));
    for (row, path, name, shared) in [
        (0, &example.purple, "g", &example.green),
        (1, &example.green, "g'", &example.purple),
        (1, &example.green, "d'", &example.red),
        (3, &first.green, "d''", &example.red),
    ] {
        // Both begin with the mapper's own cable, which is g0.
        let Some(at) = path.iter().rposition(|hop| shared.contains(hop)) else { continue };
        let spot = (TREE.0 + STEP.0 * (at as f64 + 0.5), TREE.1 + STEP.1 * f64::from(row) - 8.0);
        pen.text(spot, Words::new(13.0).middle(), name);
    }
    let words = format!(
        "On {} random networks: {} replicates; red fits as it is at {}; {} paths pasted, {} of them \
                missing from M.",
        tally.networks, tally.replicates, tally.direct, tally.pasted, tally.missing
    );
    pen.text((70.0, 738.0), Words::new(13.0), &words);
    pen.finish_around()
}

/// The branches of the tree, with the parts that they are pasted of.
fn branches(example: &Example, first: &Step) -> Vec<Branch> {
    let purple = example.purple.len();
    let through = [example.purple.as_slice(), &example.red].concat();
    let red_from = |path: &Path| {
        let red = path.iter().rev().take_while(|hop| example.red.contains(hop)).count();
        // The cable that green shares with red is pasted as green.
        path.len() - red + usize::from(example.green.contains(&path[path.len() - red]))
    };
    let purple_to = |path: &Path| path.iter().zip(&example.purple).take_while(|(a, b)| a == b).count();
    let branch = |path: &Path, colours, pasted, end| Branch { path: path.clone(), colours, pasted, end };
    vec![
        branch(&through, vec![(0, PURPLE), (purple, RED)], false, "h"),
        branch(&example.green, vec![(0, GREEN)], false, "v'"),
        branch(&first.to_h1, vec![(0, GREEN), (red_from(&first.to_h1), RED)], true, "h'  (1)"),
        branch(&first.green, vec![(0, PURPLE), (purple_to(&first.green), GREEN)], true, "v''  (2)"),
        branch(
            &first.to_h2,
            vec![(0, PURPLE), (purple_to(&first.to_h2), GREEN), (red_from(&first.to_h2), RED)],
            true,
            "h''  (2)",
        ),
    ]
}
