//! What a run leaves behind: a folder of tables, a curve, and where it all comes from.

mod figure;
mod folder;
mod manifest;
mod reference;
mod table;

pub use figure::{Figure, FigurePoint, Series, draw};
pub use folder::{Folder, FolderError};
pub use manifest::{COMMIT, Manifest, Usage, VERSION};
pub use reference::reference;
pub use table::Table;
