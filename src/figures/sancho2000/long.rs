//! Section 5.2, not plotted: messages of 512 flits, uniform.

use crate::{Figure, Page, Results};

use super::curves;

/// 512 flits, 16 switches.
pub(super) const LONG_16: Figure = Figure {
    id: "sancho2000/long-16",
    title: "Section 5.2, not plotted: messages of 512 flits, 16 switches, uniform",
    scenarios: &["sancho2000/long-16.toml"],
    whole_when_quick: false,
    make: |results| page(results, 16),
};

/// 512 flits, 32 switches.
pub(super) const LONG_32: Figure = Figure {
    id: "sancho2000/long-32",
    title: "Section 5.2, not plotted: messages of 512 flits, 32 switches, uniform",
    scenarios: &["sancho2000/long-32.toml"],
    whole_when_quick: false,
    make: |results| page(results, 32),
};

/// 512 flits, 64 switches.
pub(super) const LONG_64: Figure = Figure {
    id: "sancho2000/long-64",
    title: "Section 5.2, not plotted: messages of 512 flits, 64 switches, uniform",
    scenarios: &["sancho2000/long-64.toml"],
    whole_when_quick: false,
    make: |results| page(results, 64),
};

fn page(results: &Results<'_>, switches: u32) -> Page {
    let shows = format!(
        "Six UP\\*/DOWN\\* routings on random networks of {switches} switches, messages of 512 flits to hosts drawn at \
         random: what the paper ran and did not plot."
    );
    curves::page(
        results,
        switches,
        &shows,
        "The paper says that depth-first routings gain slightly less here than with short messages. Ours gain less \
         too, but not slightly: the ratios on the right stand beside those of 32 flits in `sancho2000/gains`. A \
         message of 512 flits fills all buffers of its way, so a blocked one holds its whole path, whatever the \
         tree.",
    )
}
