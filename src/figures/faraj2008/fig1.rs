//! faraj2008, Fig. 1: what each of four processes holds before and after an all-to-all broadcast.

use simnet_output::report::sketch::SHADES;
use simnet_output::report::{Anchor, Pen, Words};

use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_media::host::collective::{Contents, lockstep, ring};
use simnet_media::host::rank::Rank as _;

pub(super) const FIGURE: Figure = Figure {
    id: "faraj2008/fig1",
    title: "Fig. 1: the all-to-all broadcast on four processes",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

const RANKS: usize = 4;
/// The seed of the blocks' contents: any will do.
const SEED: u64 = 1;

/// After each step, by rank, which ranks' blocks it holds.
type Held = Vec<Vec<Vec<usize>>>;

/// Runs the ring's all-gather on four ranks in lock step: what each holds, before and after every step, and whether all
/// end with every block in its place.
fn run() -> (Held, bool) {
    let own = |rank: usize| Contents::of(SEED, rank, 0);
    let whose = |block: &Contents| (0..RANKS).find(|rank| own(*rank) == *block);
    let order: Vec<usize> = (0..RANKS).collect();
    let ran = lockstep::run(RANKS, async |mut member| {
        let block = own(member.rank());
        ring::allgather(&mut member, block, &order).await
    });
    let mut held: Held = vec![(0..RANKS).map(|rank| vec![rank]).collect()];
    for messages in ran.received.chunk_by(|a, b| a.round == b.round) {
        let mut now = held.last().cloned().unwrap_or_default();
        for message in messages {
            now[message.rank].extend(message.blocks.iter().filter_map(whose));
        }
        held.push(now);
    }
    let right = |buffer: &Vec<Option<Contents>>| (0..RANKS).all(|rank| buffer[rank] == Some(own(rank)));
    (held, ran.results.iter().all(right))
}

fn make(_results: &Results<'_>) -> Page {
    let (held, right) = run();
    let mut rows = Vec::new();
    for (step, ranks) in held.iter().enumerate() {
        for (rank, blocks) in ranks.iter().enumerate() {
            let row = Row::ours("blocks held", &format!("rank {rank}"), "blocks", Some(blocks.len() as f64));
            rows.push(row.at(step as f64));
        }
    }
    let blocks = Some(held.last().into_iter().flatten().map(Vec::len).sum::<usize>() as f64);
    rows.push(Row::ours("blocks held in the end", "all ranks", "blocks", blocks));
    rows.push(Row::ours(
        "every block in its place",
        "all ranks",
        "yes = 1",
        Some(f64::from(u8::from(right))),
    ));
    let shows = with_table(SHOWS, &rows, |row| row.configuration == "all ranks");
    Page { rows, svg: draw(&held), shows, differs: DIFFERS.into() }
}

fn draw(held: &Held) -> String {
    let mut pen = Pen::titled(
        "The all-to-all broadcast on four processes",
        "by a ring in the order of ranks; each process has a buffer of four blocks and sends what came last",
    );
    for (step, ranks) in held.iter().enumerate() {
        let left = 120.0 + 170.0 * step as f64;
        let head = if step == 0 { "before".to_owned() } else { format!("after step {step}") };
        pen.text((left + 64.0, 86.0), Words::new(13.0).middle(), &head);
        for (rank, blocks) in ranks.iter().enumerate() {
            let top = 100.0 + 44.0 * rank as f64;
            if step == 0 {
                pen.text(
                    (left - 12.0, top + 20.0),
                    Words::new(13.0).anchor(Anchor::End),
                    &format!("process {rank}"),
                );
            }
            for (place, shade) in SHADES.into_iter().enumerate().take(RANKS) {
                let x = left + 32.0 * place as f64;
                let is_new = blocks.last() == Some(&place) && step > 0;
                let holds = blocks.contains(&place);
                let name = ["A", "B", "C", "D"][place];
                let text =
                    if holds { format!("{name}{}", if is_new { "*" } else { "" }) } else { String::new() };
                pen.cell((x, top), (32.0, 30.0), if holds { shade } else { "#ffffff" }, &text);
            }
        }
    }
    pen.text(
        (120.0, 300.0),
        Words::new(12.0),
        "* what came in this step; A to D: the blocks of processes 0 to 3",
    );
    pen.finish_around()
}

const SHOWS: &str = "\
What each of four processes holds before the operation and after each of its three steps, read off four processes \
of the simulator's own all-gather, run in lock step: each begins with its own block and ends with all.";

const DIFFERS: &str = "\
- The picture is not in the text, which says only that it visualizes the operation on four processes; \
the steps between are those of the logical ring of its section 3.1, \
with the mapping by rank.
- Nothing is printed to compare with: the check is that all sixteen blocks are in their places at the end.";
