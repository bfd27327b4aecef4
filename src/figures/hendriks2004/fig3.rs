//! Fig. 3: switch scouting with guard packets.

use crate::{Figure, Page, Results};
use simnet_media::host::mapper::Kind;
use simnet_media::host::mapper::guarded::Options;

use super::cases::scouting;
use super::questions::{Asked, SCOUTING};
use super::timeline::Look;

/// Fig. 3
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/fig3",
    title: "Fig. 3: switch scouting with guard packets",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_: &Results<'_>) -> Page {
    Asked {
        stage: scouting(),
        kind: Kind::Scout,
        options: Options::default(),
        look: Look { title: "Switch scouting with a guard behind the scout", until: 6.0, ..SCOUTING },
        shows: "The same question as in Fig. 1, with the guard G = T 0 -T right behind S: the messages that our \
                guarded mapper sends on the fabric, with their times. Left: SW2 is there; S is back first: yes. \
                Middle: nothing is there; S is lost at SW1, G is back first: no, after 14 us instead of 1,000. \
                Right: in the deadlock neither is back within the time-out; the mapper does not take that for a \
                no, but waits (60 ms, then longer) and asks again until the switches have cleared the way; its \
                map comes out true, and it says that it may not be.",
        differs: "Of times the paper gives one alone, the ~1 s after which a switch drops what is blocked. It \
        prints no length of a scout: of its \"few hundred bytes\" we chose 300, and S leaves 2 us before its \
        guard, which is what the software needs for one message. That is so far ahead that \
                even short scouts are safe; only right behind each other they are not \
                ([presumptions](../presumptions/README.md)). Seeing a message costs 12 us of software, fitted to \
                the 15 s of Pink, which is most of every time here. Network and worms as in \
                [fig1](../fig1/README.md).",
    }
    .page()
}
