//! Fig. 3(a) and (b), and the size that the paper left out: latency against accepted traffic, uniform.

use crate::{Figure, Page};

use super::{curves, networks};

/// Fig. 3(a).
pub(super) const FIG3A: Figure = Figure {
    id: "sancho2000/fig3a",
    title: "Fig. 3(a): latency against accepted traffic, 16 switches, uniform",
    scenarios: &["sancho2000/fig3a.toml", networks::SCENARIOS[0]],
    whole_when_quick: false,
    make: |results| {
        let page = curves::page(
            results,
            16,
            "Six UP\\*/DOWN\\* routings on random networks of 16 switches, messages of 32 flits to hosts drawn at \
             random.",
            "The paper prints no value of its curves; what it says of them stands above. Balancing (`b`) brings \
             half of the 16 % that it tells: the busiest channel carries a quarter fewer routes, but switches near \
             the root seem to be short of decoding (150 ns a head, one at a time) as much as of channels. With a \
             decoder at every input it is 14 % (`sancho2000/arbitration`), which contradicts \"one message header \
             at a time\". UD_BFS2 gains more than the printed 20 %: the switch that R1 picks is a poor root on some \
             networks (+18 to +44 %). On 4 of the 10 networks H1 and H2 give the same routes, so that UD_DFS1 and \
             UD_DFS2 are one routing there. In the mean over the other six, at the loads that none is saturated at, \
             the latency of UD_DFS2 is 0.4 to 0.9 % below that of UD_DFS1: a tie at the least loads.",
        );
        Page { rows: networks::held(page.rows, results, &[(0, 1)]), ..page }
    },
};

/// Fig. 3(b).
pub(super) const FIG3B: Figure = Figure {
    id: "sancho2000/fig3b",
    title: "Fig. 3(b): latency against accepted traffic, 32 switches, uniform",
    scenarios: &["sancho2000/fig3b.toml"],
    whole_when_quick: false,
    make: |results| {
        curves::page(
            results,
            32,
            "Six UP\\*/DOWN\\* routings on random networks of 32 switches, messages of 32 flits to hosts drawn at \
             random.",
            "The paper prints no value of its curves. The text gives no order of all four; ours has both \
            depth-first routings beyond both breadth-first ones, which agrees with what it says. \
            The variation over the ten networks is \
             larger than the \
             20 % of the paper: on one network R1 picks a root so poor that everything else gains twice \
             (see `sancho2000/gains`). On 4 of the 10 networks H1 and H2 give the same routes, so that UD_DFS1 and \
             UD_DFS2 are one routing there. In the mean over the other six, at the loads that none is saturated at, \
             the latency of UD_DFS2 is 0.5 to 1.2 % below that of UD_DFS1; on the one that is drawn they tie at all \
             loads but the greatest.",
        )
    },
};

/// Section 5.2, not plotted.
pub(super) const FIG3_64: Figure = Figure {
    id: "sancho2000/fig3-64",
    title: "Section 5.2, not plotted: latency against accepted traffic, 64 switches, uniform",
    scenarios: &["sancho2000/fig3-64.toml", networks::SCENARIOS[2]],
    whole_when_quick: false,
    make: |results| {
        let page = curves::page(
            results,
            64,
            "Six UP\\*/DOWN\\* routings on random networks of 64 switches, messages of 32 flits to hosts drawn at \
             random: the size that the paper left out for want of space.",
            "\"Up to 2.8\" stands beside the greatest of our ten networks, which is mostly chance: of ten of a hundred \
             it is 2.41 to 3.03. Balancing brings 6 % at this size; the paper says that it helps only in \
             small networks. \
             The paper says of 16 and 32 switches that UD_DFS2 has a lower latency than UD_DFS1 \"for every value \
             of traffic\", and that \"the improvement is higher in large networks\": every value with 64 is what \
             we infer. \
             In the mean over the ten networks, at the loads that none is saturated at, it is 0.9 to 1.4 % \
             lower; on the network that is drawn, which is near to the average in throughput, 1 to 7 % *higher*. Its \
             throughput is 4.4 % greater in the mean over ten networks (16 switches: 1.3 %, 32: 4.6 %, \
             `sancho2000/gains`). H1 and H2 give the same routes on none of the ten.",
        );
        Page { rows: networks::held(page.rows, results, &[(2, 1)]), ..page }
    },
};
