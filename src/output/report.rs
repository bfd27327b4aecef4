//! What a run leaves behind: a folder of tables, a curve, and where it all comes from.

mod chart;
mod csv;
mod curves;
mod drawing;
mod escape;
mod layers;
mod manifest;
mod pcapng;
mod pen;
mod record;
pub mod sketch;
mod table;

pub use chart::{Axis, Chart, Layer, Mark, Style, draw_charts, draw_on_page, x_on_page};
pub use csv::{Csv, Record};
pub use curves::{Band, Curves, Ends, Label, Quantity, RECIPES, Recipe, SAME_AS, draw_curves};
pub use drawing::{Drawing, draw_network};
pub use escape::{escaped, markdown};
pub use layers::{Boxes, Layers, landings};
pub use manifest::{Manifest, README_MARK, RESULTS, Usage, VERSION};
pub use manifest::{command_line, host_name, utf8_text};
pub use pcapng::{Pcapng, Tally};
pub use pen::{
    Anchor, COLOURS, GREY, GRID, HOST, INK, PAPER, Pen, Spot, Stroke, Tip, Words, direction, distance, moved,
    width_of,
};
pub use record::{Listed, record, word, words};
pub use record::{Tabular, Yes, table_of};
pub use table::{Cell, Column, Kind, Table};
