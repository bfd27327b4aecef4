//! Fig. 3(b): latency against accepted traffic, 32 switches, uniform.

use crate::figures::{Figure, Page, Results};

use super::curves;

/// Fig. 3(b).
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig3b",
    title: "Fig. 3(b): latency against accepted traffic, 32 switches, uniform",
    scenarios: &["sancho2000/fig3b.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    curves::page(
        results,
        32,
        "Six UP\\*/DOWN\\* routings on random networks of 32 switches, messages of 32 flits to hosts drawn at random.",
        "The paper prints no value of its curves. Their order is as it tells: both depth-first routings beyond both \
         breadth-first ones, and UD_DFS2 below UD_DFS1 at every load. The variation over the ten networks is larger \
         than the 20 % of the paper: on one network R1 picks a root so poor that everything else gains twice (see \
         `sancho2000/gains`).",
    )
}
