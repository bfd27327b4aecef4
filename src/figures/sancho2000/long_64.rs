//! Section 5.2, not plotted: messages of 512 flits, 64 switches, uniform.

use crate::figures::{Figure, Page, Results};

use super::curves;

/// 512 flits, 64 switches.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/long-64",
    title: "Section 5.2, not plotted: messages of 512 flits, 64 switches, uniform",
    scenarios: &["sancho2000/long-64.toml"],
    whole_when_quick: false,
    make,
};

fn make(results: &Results<'_>) -> Page {
    curves::page(
        results,
        64,
        "Six UP\\*/DOWN\\* routings on random networks of 64 switches, messages of 512 flits to hosts drawn at \
         random: what the paper ran and did not plot.",
        "The paper says that depth-first routings gain slightly less here than with short messages. Ours gain less \
         too, but not slightly: the ratios on the right stand beside those of 32 flits in `sancho2000/gains`. A \
         message of 512 flits fills all buffers of its way, so a blocked one holds its whole path, whatever the \
         tree.",
    )
}
