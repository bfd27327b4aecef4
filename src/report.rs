//! What a run leaves behind: a folder of tables, a curve, and where it all comes from.

mod chart;
mod drawing;
mod figure;
mod folder;
mod layers;
mod manifest;
mod markdown;
mod pcapng;
mod table;
mod xml;

pub use chart::{Axis, Chart, Layer, Mark, Style, Tip, draw_charts, draw_on_page};
pub use drawing::{Drawing, draw_network};
pub use figure::{Figure, FigurePoint, Series, draw};
pub use folder::{FIGURE_MARK, Folder, FolderError, Like, README_MARK, of_the_system};
pub use layers::{Boxes, Layers, Spot, landings};
pub(crate) use manifest::host_name;
pub use manifest::{COMMIT, Manifest, Usage, VERSION};
pub use markdown::markdown;
pub use pcapng::{Pcapng, Tally};
pub use table::Table;
pub use xml::escaped;
