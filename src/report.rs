//! What a run leaves behind: a folder of tables, a curve, and where it all comes from.

mod chart;
mod drawing;
mod layers;
mod manifest;
mod markdown;
mod pcapng;
mod table;
mod xml;

pub use chart::{Axis, Chart, Layer, Mark, Style, Tip, draw_charts, draw_on_page};
pub use drawing::{Drawing, draw_network};
pub use layers::{Boxes, Layers, Spot, landings};
pub use manifest::{COMMIT, Manifest, README_MARK, RESULTS, Usage, VERSION};
pub(crate) use manifest::{command_line, host_name, said};
pub use markdown::markdown;
pub use pcapng::{Pcapng, Tally};
pub use table::Table;
pub use xml::escaped;
