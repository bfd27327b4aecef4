//! What Figs. 1 to 4 have in common: a question with its three situations.

use crate::{Page, Row};
use simnet_media::host::mapper::Kind;
use simnet_media::host::mapper::guarded::Options;

use super::cases::{Case, Stage, cases};
use super::timeline::{Look, draw};

/// A scout for a switch: its title and network.
pub(super) const SCOUTING: Look = Look {
    title: "",
    places: &[
        ("h0", 0.0, 1.0),
        ("SW1", 1.0, 1.0),
        ("SW2", 2.4, 1.0),
        ("h2", 3.4, 1.0),
        ("SW3", 0.4, 0.0),
        ("SW4", 1.8, 0.0),
        ("h3", -0.4, 0.0),
        ("h4", 2.7, 0.0),
        ("h1", 1.0, 1.9),
    ],
    columns: &["h0", "SW1", "SW2"],
    until: 6.0,
};

/// A comparison.
pub(super) const COMPARING: Look = Look {
    title: "",
    places: &[
        ("h0", 0.0, 1.0),
        ("SW1", 1.0, 1.0),
        ("SWa", 2.0, 0.0),
        ("SWb", 2.0, 2.0),
        ("SW2", 3.0, 1.0),
        ("ha", 1.2, 0.0),
        ("hb", 1.2, 2.0),
        ("h1", 0.5, 1.9),
        ("h3", 0.3, 0.2),
        ("h2", 3.8, 1.0),
    ],
    columns: &["h0", "SW1", "SWb", "SW2", "SWa", "SW1", "h0"],
    until: 20.0,
};

/// The page of a question.
pub(super) struct Asked {
    /// Its stage.
    pub(super) stage: Stage,
    /// The kind of S.
    pub(super) kind: Kind,
    /// With guards or by time-out.
    pub(super) options: Options,
    /// How it is drawn.
    pub(super) look: Look,
    /// What it shows.
    pub(super) shows: &'static str,
    /// What differs.
    pub(super) differs: &'static str,
}

impl Asked {
    /// Asks, and makes the page.
    pub(super) fn page(self) -> Page {
        let cases = cases(&self.stage, self.kind, self.options);
        let mut rows: Vec<Row> = cases.iter().flat_map(Case::rows).collect();
        if self.kind == Kind::Scout && self.options.guards {
            let [.., deadlock] = &cases;
            let stood = deadlock.deadlock.and_then(|(_, stood)| stood).map(|stood| stood.as_ms_f64() / 1e3);
            let length = f64::from(deadlock.sent[0].length);
            rows.extend(Row::printed("002", "text", "switch deadlock drop time", "Myrinet-2000", stood));
            rows.extend(Row::printed("002", "text", "scout length", "guarded", Some(length)));
        }
        Page {
            svg: draw(&self.look, &self.stage, &cases),
            rows,
            shows: self.shows.to_owned(),
            differs: self.differs.to_owned(),
        }
    }
}
