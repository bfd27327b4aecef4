//! What a run leaves behind: a folder of tables, a curve, and where it all comes from.

mod chart;
mod csv;
mod curves;
mod drawing;
mod layers;
mod manifest;
mod markdown;
mod pcapng;
mod pen;
mod record;
mod table;
mod xml;

pub use chart::{Axis, Chart, Layer, Mark, Style, draw_charts, draw_on_page, x_on_page};
pub use csv::{Csv, Record};
pub use curves::{Curves, Ends, Label, Quantity, RECIPES, Recipe, draw_curves};
pub use drawing::{Drawing, draw_network};
pub use layers::{Boxes, Layers, landings};
pub use manifest::{COMMIT, Manifest, README_MARK, RESULTS, Usage, VERSION};
pub(crate) use manifest::{command_line, host_name, said};
pub use markdown::markdown;
pub use pcapng::{Pcapng, Tally};
pub use pen::{
    Anchor, COLOURS, GREY, GRID, HOST, INK, PAPER, Pen, Spot, Stroke, Tip, Words, direction, distance, moved,
    width_of,
};
pub use record::{Tabular, Yes, table_of};
pub(crate) use record::{record, word, words};
pub use table::{Cell, Column, Kind, Table};
pub use xml::escaped;
