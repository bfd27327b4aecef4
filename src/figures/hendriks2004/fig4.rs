//! Fig. 4: switch comparison with guard packets.

use crate::{Figure, Page, Results};
use simnet_media::host::mapper::Kind;
use simnet_media::host::mapper::guarded::Options;

use super::cases::comparing;
use super::questions::{Asked, COMPARING};
use super::timeline::Look;

/// Fig. 4
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/fig4",
    title: "Fig. 4: switch comparison with guard packets",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

fn make(_: &Results<'_>) -> Page {
    Asked {
        stage: comparing(),
        kind: Kind::Compare,
        options: Options::default(),
        look: Look { title: "Switch comparison with two guards", until: 20.0, ..COMPARING },
        shows: "The same question as in Fig. 2 with its guards: G1 = T 0 -T right behind S, and once it is back \
                G2 = U 0 -U. Left: S is back before G1; the answer is yes, and no G2 is sent. Middle: different \
                switches; S is lost, G1 tells that it is through, G2 is back without it: no, after 30 us instead \
                of 1,000. Right: in the deadlock neither S nor G1 is back; the mapper waits and asks again, \
                instead of taking one switch for two; its map comes out true, and it says that it may not be.",
        differs: "The paper gives no time of a comparison. Its text \
        has the second guard leave by port B behind S; here S is \
                home long before G2 is sent, since a message costs 2 us to send and 12 us to see. Comparison \
                scouts are short (32 bytes, readings in docs/MODELS.md): one of 300 bytes can meet its own tail \
                on the way through wrong switches. Network and worms as in [fig2](../fig2/README.md).",
    }
    .page()
}
