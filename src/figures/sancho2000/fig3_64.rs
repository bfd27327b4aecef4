//! Section 5.2, not plotted: latency against accepted traffic, 64 switches, uniform.

use crate::figures::{Figure, Page, Results};

use super::curves;

/// Section 5.2, not plotted.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig3-64",
    title: "Section 5.2, not plotted: latency against accepted traffic, 64 switches, uniform",
    scenarios: &["sancho2000/fig3-64.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    curves::page(
        results,
        64,
        "Six UP\\*/DOWN\\* routings on random networks of 64 switches, messages of 32 flits to hosts drawn at \
         random: the size that the paper left out for want of space.",
        "\"Up to 2.8\" is compared with the greatest of our ten networks. With the networks of seeds 1 to 10 it is \
         2.55: the greatest of ten is mostly chance. Balancing brings nothing at this size, as the paper tells.",
    )
}
