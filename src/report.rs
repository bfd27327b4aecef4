//! What a run leaves behind: a folder of tables, a curve, and where it all comes from.

mod chart;
mod drawing;
mod figure;
mod folder;
mod manifest;
mod pcapng;
mod table;

pub use chart::{Axis, Chart, Layer, Mark, Style, draw_charts};
pub use drawing::{Drawing, draw_network};
pub use figure::{Figure, FigurePoint, Series, draw};
pub use folder::{FIGURE_MARK, Folder, FolderError, Like, README_MARK};
pub(crate) use manifest::host_name;
pub use manifest::{COMMIT, Manifest, Usage, VERSION};
pub use pcapng::{Pcapng, Tally};
pub use table::Table;
