//! faraj2008, Fig. 7: how all-gathers are measured, and how often.

use super::PAPER;
use crate::allgathers::{AllgatherPoint, allgather_points, points};
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_output::report::sketch::BLUE;
use simnet_output::report::{Anchor, GREY, Pen, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig7",
    title: "Fig. 7: measuring the performance of an all-gather",
    scenarios: &["faraj2008/fig7.toml"],
    whole_when_quick: true,
    make,
};

/// What the paper measures with, and what of the simulator's stands for it.
const LINES: [(&str, &str); 7] = [
    ("MPI_Barrier(MPI_COMM_WORLD);", "all ranks begin at one instant; the barrier itself takes no time"),
    ("start = MPI_Wtime();", "a lap of every rank begins, on one exact clock"),
    ("for (count = 0; count < ITER_NUM; count++) {", "back to back: a rank goes on as soon as it has all"),
    ("    MPI_Allgather(...);", "every rank's buffer is checked after each"),
    ("}", ""),
    ("elapsed_time = MPI_Wtime() - start;", "the lap ends"),
    ("", "time = mean over ranks of (end - begin) / ITER_NUM"),
];

/// The sizes that stand for the paper's ranges, in KB.
const RANGES: [(&str, [f64; 2]); 3] =
    [("4-12 KB", [4.0, 12.0]), ("16-96 KB", [16.0, 96.0]), ("128 KB", [128.0, 128.0])];

fn make(results: &Results<'_>) -> Page {
    let points = points(results, 0);
    let cells = allgather_points(&points);
    let (often, once) = cells.split_at(cells.len() / 2);
    let iterations = |cell: &AllgatherPoint<'_>| {
        let id = ["repeated", "allgather.size"].map(|axis| cell.name(axis)).join("/");
        results.at(0, &format!("sweep.points.{id}.allgather.iterations"))
    };
    let mut rows = Vec::new();
    for (range, [least, most]) in RANGES {
        let within = |cell: &&AllgatherPoint<'_>| (least..=most).contains(&cell.kilobytes());
        let mut counts: Vec<f64> = often.iter().filter(within).filter_map(&iterations).collect();
        counts.dedup();
        let count = if let [count] = counts[..] { Some(count) } else { None };
        rows.extend(Row::printed(PAPER, "5 text", "iterations per measurement", range, count));
    }
    for cell in &cells {
        let of = cell.name("repeated");
        rows.push(Row::ours("iterations", of, "all-gathers", iterations(cell)).at(cell.kilobytes()));
        rows.push(cell.row(of));
    }
    for (cell, single) in often.iter().zip(once) {
        let more = single.time().zip(cell.time()).map(|(single, mean)| (single / mean - 1.0) * 100.0);
        rows.push(
            Row::ours("one alone takes longer by", "LR1 on topology (a)", "%", more).at(cell.kilobytes()),
        );
    }
    let shows = with_table(SHOWS, &rows, |row| row.quantity.starts_with("one alone"));
    Page { svg: draw((often, once), iterations), rows, shows, differs: DIFFERS.into() }
}

fn draw(
    (often, once): (&[AllgatherPoint<'_>], &[AllgatherPoint<'_>]),
    iterations: impl Fn(&AllgatherPoint<'_>) -> Option<f64>,
) -> String {
    let mut pen = Pen::titled(
        "Measuring an all-gather",
        "left: the paper's code; right: what of the simulator stands for it; below: what repeating does, \
         LR1 on topology (a)",
    );
    for (nth, (code, ours)) in LINES.iter().enumerate() {
        let y = 92.0 + 24.0 * nth as f64;
        pen.text((40.0, y), Words::new(13.0).code(), code);
        pen.text((430.0, y), Words::new(12.0).colour(BLUE), ours);
    }
    let widest = once.iter().chain(often).filter_map(AllgatherPoint::time).fold(1.0, f64::max);
    let long = |time: Option<f64>| time.unwrap_or(0.0) / widest * 500.0;
    let mut y = 292.0;
    pen.text(
        (40.0, y - 16.0),
        Words::new(13.0),
        "Time of an all-gather: mean of many (upper bar) and one alone (lower bar)",
    );
    for (cell, single) in often.iter().zip(once) {
        pen.text(
            (106.0, y + 18.0),
            Words::new(12.0).anchor(Anchor::End),
            &format!("{} KB", cell.kilobytes()),
        );
        for ((cell, fill), top) in [(cell, "#1f5fa8"), (single, "#c9d7e6")].into_iter().zip([y, y + 15.0]) {
            let wide = long(cell.time());
            pen.cell((116.0, top), (wide.max(1.0), 13.0), fill, "");
            let (time, count) = (cell.time().unwrap_or(0.0), iterations(cell).unwrap_or(0.0));
            let text = format!("{time:.2} ms, {count} of them");
            pen.text((122.0 + wide, top + 11.0), Words::new(11.0).colour(GREY), &text);
        }
        y += 40.0;
    }
    pen.finish_around()
}

const SHOWS: &str = "\
How the paper measures an all-gather and what the simulator does in its place: a barrier, then as many all-gathers \
in a row as the paper makes for that size (50, 20 or 10), and the mean over ranks and repetitions. Beside it the \
same all-gathers made once.";

const DIFFERS: &str = "\
- The paper repeats small sizes more often to offset the inaccuracy of its clock; ours is exact. What repeating \
changes here is that \
TCP's connections are open and switches know the machines from the second all-gather on: 3 % at 4 KB, next to \
nothing at 128 KB.
- The paper's numbers are means of three executions; without chance in the model executions are alike, and one is \
run.
- The program that `simnet codegen allgather` writes for real machines comes with a self-check and without this \
loop: it is called as MPI_Allgather is, by whatever measures.";
