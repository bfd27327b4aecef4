//! Fig. 4(b): latency against accepted traffic, 32 switches, matrix transpose.

use crate::figures::{Figure, Page, Results};

use super::curves;

/// Fig. 4(b).
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig4b",
    title: "Fig. 4(b): latency against accepted traffic, 32 switches, matrix transpose",
    scenarios: &["sancho2000/fig4b.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    curves::page(
        results,
        32,
        "Six UP\\*/DOWN\\* routings on random networks of 32 switches, messages of 32 flits to the host whose \
         number has its halves swapped.",
        "128 hosts have numbers of 7 bits, which have no halves: they are rotated by 3, and the paper does not say \
         what it did. \"Up to 2.5\" is compared with the greatest of our ten networks. Tried: a decoder at every \
         input (up to 2.07), unbalanced routes by the lowest ports as well (up to 1.91).",
    )
}
