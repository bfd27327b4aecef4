//! Fig. 2: switch comparison.

use crate::{Figure, Page, Results};
use simnet_media::host::mapper::Kind;
use simnet_media::host::mapper::guarded::Options;

use super::cases::comparing;
use super::questions::{Asked, COMPARING};
use super::timeline::Look;

/// Fig. 2
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/fig2",
    title: "Fig. 2: switch comparison",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_: &Results<'_>) -> Page {
    Asked {
        stage: comparing(),
        kind: Kind::Compare,
        options: Options::timed(),
        look: Look { title: "Switch comparison without guards", until: 2.0, ..COMPARING },
        shows: "A mapper without guards asks whether two routes lead to one switch: S = T X -U, out by the one \
                and home by the other. The messages are those of our own mapper on the fabric. Left: T (by SWb) \
                and U (by SWa) both lead to SW2, X is the right turn, and S comes home by SWa. Middle: SWb \
                compared with SWa; S is lost there, and the answer is a time-out of 1 ms. Right: three worms of \
                applications on legal up\\*/down\\* routes and S, whose turn at SW2 is the forbidden one, wait \
                for each other: no answer, which the mapper takes for a no: it holds SW2 for two switches, and \
                is sure of that wrong map.",
        differs: "The paper draws the way of S and gives no time of it. \
        The network is ours, the smallest in which two \
                routes meet at a switch. The right turn X is one of several that the mapper tries; the others \
                are lost and cost a time-out each. Hosts on SWa, SWb and SW2 run applications but answer no \
                mapper: with hosts that answer, our mapper needs no comparison.",
    }
    .page()
}
