//! Fig. 4(a): latency against accepted traffic, 32 switches, bit reversal.

use crate::figures::{Figure, Page, Results};

use super::curves;

/// Fig. 4(a).
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig4a",
    title: "Fig. 4(a): latency against accepted traffic, 32 switches, bit reversal",
    scenarios: &["sancho2000/fig4a.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    curves::page(
        results,
        32,
        "Six UP\\*/DOWN\\* routings on random networks of 32 switches, messages of 32 flits to the host whose \
         number has the bits in reverse.",
        "\"Up to 2.5\" is compared with the greatest of our ten networks. A permutation loads few channels, and how \
         far it saturates depends on which: the spread over networks is as large as the gain. Tried: a decoder at \
         every input (up to 1.98), unbalanced routes by the lowest ports as well (up to 1.96); with loads far beyond \
         saturation the ratio goes on rising, since pairs that meet nobody go on gaining. The paper does not say how \
         its 128 hosts are numbered.",
    )
}
