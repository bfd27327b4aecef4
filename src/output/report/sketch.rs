//! What the pen adds for figures that are no charts: trees of switches, what goes over their cables, tables.
//!
//! A cable has a lane on either side of it, one for each direction, so that two messages are seen to meet exactly
//! where they share a directed channel. Cables lie below messages, and messages below switches and hosts.

mod tree;

pub use tree::{along, spots, switch_spots};

use crate::report::{HOST, Pen, Spot, Stroke, Words, direction, distance, moved};

/// The first colour; all are distinct with impaired colour vision too.
pub const BLUE: &str = "#1f5fa8";
/// The second.
pub const RED: &str = "#c4301b";
/// The third.
pub const GREEN: &str = "#1b855e";
/// The fourth.
pub const PURPLE: &str = "#8e3b8a";
/// The fifth.
pub const BROWN: &str = "#9a7b0a";
/// The sixth.
pub const ORANGE: &str = HOST;
/// Light shades, to write on.
pub const SHADES: [&str; 7] = ["#dce9f6", "#fae3d5", "#d6efe5", "#efdcee", "#f4ecc8", "#f6d9dc", "#dff1fa"];
/// The ground of a machine.
pub const MACHINE: &str = "#fdf3ec";

/// Half the width of a switch in a tree.
pub const SWITCH: f64 = 22.0;
/// How far a message's lane is from the middle of its cable.
const LANE: f64 = 4.5;
/// How far from the middle of a machine or switch a message begins and ends.
const CLEAR: f64 = 17.0;

impl Pen {
    /// A filled rectangle with a text in its middle.
    pub fn cell(&mut self, (x, y): Spot, (wide, high): Spot, fill: &str, text: &str) {
        self.on_level(0, |pen| pen.rectangle((x, y), (x + wide, y + high), false, fill, "#b8b8b8"));
        self.text((x + wide / 2.0, y + high / 2.0 + 4.0), Words::new(11.0).middle(), text);
    }

    /// A machine, with its number in it.
    pub fn machine(&mut self, (x, y): Spot, fill: &str, name: &str) {
        self.circle((x, y), 11.0, fill, Some(Stroke::new(HOST, 1.0)));
        self.text((x, y + 4.0), Words::new(10.0).middle(), name);
    }

    /// A host: a dot with its name below.
    pub fn host(&mut self, (x, y): Spot, name: &str) {
        self.circle((x, y), 5.0, HOST, None);
        self.text((x, y + 20.0), Words::new(12.0).middle(), name);
    }

    /// A cable between two places.
    pub fn cable(&mut self, a: Spot, b: Spot) {
        self.on_level(0, |pen| pen.path(&[a, b], Stroke::new("#b4bcc4", 2.0)));
    }

    /// A cross.
    pub fn cross(&mut self, (x, y): Spot, size: f64, stroke: Stroke<'_>) {
        self.path(&[(x - size, y - size), (x + size, y + size)], stroke);
        self.path(&[(x - size, y + size), (x + size, y - size)], stroke);
    }

    /// A message that passes these places from the first to the last, on the right-hand lane of each cable, with an
    /// arrow-head where it ends.
    pub fn message(&mut self, places: &[Spot], colour: &str) {
        self.message_offset(places, LANE, colour);
    }

    /// The same, `aside` pixels from the middle of the cables, for messages that share a direction; to the left, if
    /// negative.
    pub fn message_offset(&mut self, places: &[Spot], aside: f64, colour: &str) {
        let ways: Vec<Spot> = places.windows(2).flat_map(|pair| lane(pair[0], pair[1], aside)).collect();
        let [.., from, to] = ways[..] else { return };
        self.on_level(1, |pen| {
            pen.path(&ways, Stroke::new(colour, 2.0));
            pen.head(to, direction(from, to), (9.0, 4.5), colour);
        });
    }
}

/// The ends of a lane of a cable between two boxes, clear of both, so many pixels to the right of its middle.
fn lane(a: Spot, b: Spot, aside: f64) -> [Spot; 2] {
    let towards = direction(a, b);
    let clear = CLEAR.min(distance(a, b) / 3.0);
    [moved(a, towards, clear, aside), moved(b, towards, -clear, aside)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the two directions of a cable shared a lane.
    #[test]
    fn directions_have_lanes_of_their_own() {
        let (there, back) = (lane((0.0, 0.0), (100.0, 0.0), LANE), lane((100.0, 0.0), (0.0, 0.0), LANE));
        assert!(there[0].1 > 0.0 && back[0].1 < 0.0);
    }
}
