//! Fig. 4: latency against accepted traffic, 32 switches, bit reversal and matrix transpose.

use crate::{Figure, Page};

use super::{curves, networks};

/// Fig. 4(a).
pub(super) const FIG4A: Figure = Figure {
    id: "sancho2000/fig4a",
    title: "Fig. 4(a): latency against accepted traffic, 32 switches, bit reversal",
    scenarios: &["sancho2000/fig4a.toml", networks::SCENARIOS[3], networks::SCENARIOS[4]],
    whole_when_quick: false,
    make: |results| {
        let page = curves::page(
            results,
            32,
            "Six UP\\*/DOWN\\* routings on random networks of 32 switches, messages of 32 flits to the host whose \
             number has the bits in reverse.",
            "\"Up to a factor of 2.5\" stands beside the greatest of our ten networks, and holds if the greatest of \
             ten of a hundred can be as much under either permutation. A permutation loads few channels, and how far \
             it saturates depends on which: the spread over networks is as large as the gain. With a decoder at every \
             input it is up to 2.58 on twenty networks (`sancho2000/arbitration`). Beyond saturation pairs that meet \
             nobody go on gaining. \
             The paper does not say how its 128 hosts are numbered. On 4 of the 10 networks H1 and H2 give the same \
             routes, so that UD_DFS1 and UD_DFS2 are one routing there. The paper calls the lower latency of UD_DFS2 \
             significant; in the mean over the other six the two tie (0.2 % below to 0.4 % above), and on the one that \
             is drawn it is lower at every load.",
        );
        Page { rows: networks::held(page.rows, results, &[(3, 1), (4, 2)]), ..page }
    },
};

/// Fig. 4(b).
pub(super) const FIG4B: Figure = Figure {
    id: "sancho2000/fig4b",
    title: "Fig. 4(b): latency against accepted traffic, 32 switches, matrix transpose",
    scenarios: &["sancho2000/fig4b.toml", networks::SCENARIOS[3], networks::SCENARIOS[4]],
    whole_when_quick: false,
    make: |results| {
        let page = curves::page(
            results,
            32,
            "Six UP\\*/DOWN\\* routings on random networks of 32 switches, messages of 32 flits to the host whose \
             number has its halves swapped.",
            "128 hosts have numbers of 7 bits, which have no halves: they are rotated by 3, and the paper does not \
             say what it did. \"Up to a factor of 2.5\" stands beside the greatest of our ten networks, and holds if \
             the greatest of ten of a hundred can be as much under either permutation. With a decoder at every input \
             it is up to 2.13 on twenty networks (`sancho2000/arbitration`). On 4 of the 10 networks H1 and H2 \
             give the same routes, so that UD_DFS1 and UD_DFS2 are one routing there. The paper calls the lower \
             latency of UD_DFS2 significant; in the mean over the other six the two tie (0.3 % below to 0.4 % \
             above), and on the one that is drawn it is lower at 70 % of the loads.",
        );
        Page { rows: networks::held(page.rows, results, &[(3, 1), (4, 2)]), ..page }
    },
};
