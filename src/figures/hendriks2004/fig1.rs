//! Fig. 1: switch scouting.

use crate::{Figure, Page, Results};
use simnet_media::host::mapper::Kind;
use simnet_media::host::mapper::guarded::Options;

use super::cases::scouting;
use super::questions::{Asked, SCOUTING};
use super::timeline::Look;

/// Fig. 1
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/fig1",
    title: "Fig. 1: switch scouting",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_: &Results<'_>) -> Page {
    Asked {
        stage: scouting(),
        kind: Kind::Scout,
        options: Options::timed(),
        look: Look { title: "Switch scouting without guards", until: 2.0, ..SCOUTING },
        shows: "A mapper without guards asks whether there is a switch behind a port: S = T b 0 -b -T. The \
                messages are those that our own mapper sends on the fabric (`algorithm = \"timed\"`, the links \
                and costs of `pink`), with their times. Left: SW2 is there, and S is back in less than a \
                microsecond (the software sees it 12 us later). Middle: nothing is there; S is lost at SW1, and \
                the answer is a time-out of 1 ms. Right: four worms of applications, all on legal up\\*/down\\* \
                routes, wait for each other and for S, which turns round at SW2: a deadlock. S does not come \
                back, and the mapper takes that for a no: its map lacks SW2, and it is sure of it.",
        differs: "The paper draws the way of S and gives no time of it. \
        The network is ours: SW2 behind SW1, as in its \
                figure, and a triangle of switches, in which the only turn that up\\*/down\\* forbids is \
                replaced by the scout's own. The deadlock stands until the switches' time-out of 1 s; what the \
                paper says of it (\"scout packets can cause deadlock with other traffic\", \"false negatives\") \
                is what `data.csv` shows.",
    }
    .page()
}
