//! Fig. 3(a): latency against accepted traffic, 16 switches, uniform.

use crate::figures::{Figure, Page, Results};

use super::curves;

/// Fig. 3(a).
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig3a",
    title: "Fig. 3(a): latency against accepted traffic, 16 switches, uniform",
    scenarios: &["sancho2000/fig3a.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    curves::page(
        results,
        16,
        "Six UP\\*/DOWN\\* routings on random networks of 16 switches, messages of 32 flits to hosts drawn at random.",
        "The paper prints no value of its curves; what it says of them stands above. Balancing (`b`) brings a fifth \
         of the 16 % that it tells: the busiest channel carries 10 to 15 % fewer routes, but switches near the root \
         seem to be short of decoding (150 ns a head, one at a time) as much as of channels. With unbalanced routes \
         that always take the lowest ports and a decoder at every input it is 18 %, which contradicts \"one message \
         header at a time\". Also tried, without effect: buffers of 108 flits with short cables, equal gaps instead \
         of Poisson, round robin, one random path a pair of switches. UD_BFS2 gains more than the printed 20 %: the \
         switch that R1 picks is a poor root on some networks (+16 to +48 %).",
    )
}
