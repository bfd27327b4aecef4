//! Messages drawn: their ways over the cables, and where their heads are when.

use simnet_base::ids::{HostId, Node};
use simnet_base::units::Time;
use simnet_network::topology::{End, Network};
use simnet_output::report::sketch::{BLUE, BROWN, GREEN, PURPLE, RED};
use simnet_output::report::{Anchor, GREY, INK, Pen, Spot, Stroke, Words};

use super::asking::{Shot, Way};
use super::cases::{Case, Stage};

/// How a question is drawn.
pub(super) struct Look {
    /// The heading.
    pub(super) title: &'static str,
    /// Where the nodes of its network stand, in units.
    pub(super) places: &'static [(&'static str, f64, f64)],
    /// The nodes along the way of S, as the columns of the drawing in time.
    pub(super) columns: &'static [&'static str],
    /// The latest time drawn, in microseconds.
    pub(super) until: f64,
}

/// The colours of S and its guards.
const COLOURS: [&str; 3] = [RED, BLUE, GREEN];
/// The colours of worms.
const WORMS: [&str; 4] = [PURPLE, BROWN, GREY, INK];
const TOP: f64 = 96.0;
const UNIT: Spot = (108.0, 88.0);
const PANEL: (f64, f64) = (330.0, 330.0);

/// Draws the three situations of a question.
pub(super) fn draw(look: &Look, stage: &Stage, cases: &[Case; 3]) -> String {
    let low = look.places.iter().map(|(_, _, y)| *y).fold(0.0, f64::max);
    let panels = TOP + low * UNIT.1 + 90.0;
    let note = "above: the ways of the messages; below: where their heads are when (time runs downwards)";
    let mut pen = Pen::titled(look.title, note);
    let quiet = &cases[0];
    let asked: Vec<(&Shot, &str)> = quiet.shots.iter().zip(COLOURS).collect();
    map(&mut pen, look, stage, (80.0, TOP), &asked);
    let words = match (quiet.sent.len(), quiet.names()[1]) {
        (1, _) => "red: S, where the answer is yes".to_owned(),
        (_, guard) => format!("red: S; blue: {guard}; where the answer is yes"),
    };
    pen.text((80.0, panels - 40.0), Words::new(13.0), &words);
    let worms: Vec<(&Shot, &str)> = cases[2].shots.iter().skip(cases[2].sent.len()).zip(WORMS).collect();
    let both: Vec<(&Shot, &str)> = std::iter::once((&cases[2].shots[0], RED)).chain(worms).collect();
    map(&mut pen, look, stage, (610.0, TOP), &both);
    let words = "the deadlock: each worm as far as it came; it waits for the next cable";
    pen.text((610.0, panels - 40.0), Words::new(13.0), words);
    for (nth, case) in cases.iter().enumerate() {
        panel(&mut pen, look, stage, (60.0 + 345.0 * nth as f64, panels), case);
    }
    pen.finish_around()
}

/// The network with ways over its cables.
fn map(pen: &mut Pen, look: &Look, stage: &Stage, corner: Spot, ways: &[(&Shot, &str)]) {
    let network = &stage.network;
    let place = |node: Node| {
        let name = network.name_of(node);
        let found = look.places.iter().find(|(known, ..)| *known == name);
        let (_, x, y) = found.expect("every node has its place");
        (corner.0 + x * UNIT.0, corner.1 + y * UNIT.1)
    };
    for link in network.links() {
        pen.cable(place(link.a.node), place(link.b.node));
    }
    for (nth, (shot, colour)) in ways.iter().enumerate() {
        for (from, to) in hops(network, shot) {
            pen.message_offset(&[place(from), place(to)], 4.0 + 4.0 * nth as f64, colour);
        }
    }
    for (name, ..) in look.places {
        match network.find(name) {
            Some(node @ Node::Switch(_)) => pen.switch(place(node), 20.0, name),
            Some(node @ Node::Host(_)) => pen.host(place(node), name),
            None => {}
        }
    }
}

/// The cables that a head was sent over, by the nodes at their ends.
fn hops(network: &Network, shot: &Shot) -> Vec<(Node, Node)> {
    let first = shot.passes.first().and_then(|(_, input, _)| network.peer(*input));
    let start = first.zip(shot.passes.first()).map(|(from, (_, input, _))| (from.node, input.node));
    let sent =
        shot.passes.iter().filter_map(|(_, _, output)| Some((output.node, network.peer(*output)?.node)));
    start.into_iter().chain(sent).collect()
}

/// One situation in time.
fn panel(pen: &mut Pen, look: &Look, stage: &Stage, corner: Spot, case: &Case) {
    let columns = look.columns;
    let wide = PANEL.0 - 50.0;
    let x = |column: usize| corner.0 + wide * column as f64 / (columns.len() - 1) as f64;
    let y = |us: f64| corner.1 + 40.0 + (PANEL.1 - 40.0) * (us / look.until).min(1.0);
    pen.text((corner.0, corner.1 + 2.0), Words::new(14.0), case.name);
    for (nth, name) in columns.iter().enumerate() {
        pen.text((x(nth), corner.1 + 30.0), Words::new(11.0).middle().colour("#666666"), name);
        pen.path(&[(x(nth), y(0.0)), (x(nth), y(look.until))], Stroke::new("#e4e4e4", 1.0));
    }
    for tick in 0..=4 {
        let us = look.until * f64::from(tick) / 4.0;
        pen.text(
            (corner.0 - 8.0, y(us) + 4.0),
            Words::new(10.0).anchor(Anchor::End).colour("#666666"),
            &format!("{us}"),
        );
    }
    if columns.len() > 1 {
        pen.text(
            (corner.0 - 8.0, y(look.until) + 18.0),
            Words::new(10.0).anchor(Anchor::End).colour("#666666"),
            "us",
        );
    }
    let of_question = case.shots.iter().take(case.sent.len());
    for (nth, (shot, colour)) in of_question.zip(COLOURS).enumerate() {
        let line = Line { stage, columns, from_right: nth == 2, colour, name: case.names()[nth] };
        line.draw(pen, case, shot, &x, &y);
    }
    let words = verdict(case);
    for (nth, words) in words.iter().enumerate() {
        pen.text((corner.0, corner.1 + PANEL.1 + 36.0 + 17.0 * nth as f64), Words::new(12.0), words);
    }
}

/// A message in a panel.
struct Line<'a> {
    stage: &'a Stage,
    columns: &'a [&'a str],
    from_right: bool,
    colour: &'static str,
    name: &'a str,
}

impl Line<'_> {
    fn draw(
        &self,
        pen: &mut Pen,
        case: &Case,
        shot: &Shot,
        x: &impl Fn(usize) -> f64,
        y: &impl Fn(f64) -> f64,
    ) {
        let network = &self.stage.network;
        let mut column = if self.from_right { self.columns.len() - 1 } else { 0 };
        let spot = |column: usize, at: Time| (x(column), y(case.us(at)));
        let mut points = vec![spot(column, shot.left)];
        for (at, input, _) in &shot.passes {
            column = self.nearest(network.name_of(input.node), column);
            points.push(spot(column, *at));
        }
        let beyond = match shot.passes.last() {
            Some((_, _, output)) => network.peer(*output),
            // It was lost at the mapper's own switch, or never left.
            None if matches!(shot.fate, Way::Lost(_)) => network.peer(End::host(HostId(0), 0)),
            None => None,
        };
        let next = beyond.map_or(column, |end| self.nearest(network.name_of(end.node), column));
        let stroke = Stroke::new(self.colour, 2.0);
        let label = points[0];
        match shot.fate {
            Way::Arrived(head, tail) => {
                points.push(spot(next, head));
                pen.path(&[spot(next, head), spot(next, tail)], Stroke::new(self.colour, 5.0));
            }
            Way::Lost(at) => {
                points.push(spot(next, at));
                pen.cross(spot(next, at), 5.0, stroke);
            }
            Way::Waits => {
                let came = shot.passes.last().map_or(shot.left, |(at, ..)| *at);
                let from = (x(next), y(case.us(came) + 0.2));
                points.push(from);
                pen.path(&[from, (x(next), y(f64::INFINITY))], Stroke::new(self.colour, 1.5).dashed("6 4"));
                pen.text(
                    (x(next) + 4.0, y(f64::INFINITY) - 4.0),
                    Words::new(10.0).colour(self.colour),
                    "waits",
                );
            }
        }
        pen.path(&points, stroke);
        let side = if self.from_right { (-6.0, Anchor::End) } else { (6.0, Anchor::Start) };
        let below = if self.name == "S" { 15.0 } else { -4.0 };
        pen.text(
            (label.0 + side.0, label.1 + below),
            Words::new(12.0).anchor(side.1).colour(self.colour),
            self.name,
        );
    }

    /// The column of a node that lies nearest to another column.
    fn nearest(&self, name: &str, to: usize) -> usize {
        let own = self.columns.iter().enumerate().filter(|(_, column)| **column == name);
        own.map(|(nth, _)| nth).min_by_key(|nth| nth.abs_diff(to)).unwrap_or(to)
    }
}

/// What came back first, and what the mapper makes of it.
fn verdict(case: &Case) -> Vec<String> {
    let mut words = Vec::new();
    let scout_is_back = case.in_time(0).is_some();
    for (nth, name) in case.names().iter().enumerate().take(case.sent.len()) {
        words.push(match case.in_time(nth) {
            Some((at, seen)) => {
                format!("{name} back at {:.2} us, seen at {:.2} us", case.us(at), case.us(seen))
            }
            None if nth > 0 && scout_is_back => format!("{name} not waited for"),
            None => format!("{name} not back"),
        });
    }
    let Some(us) = case.went_on.map(|at| case.us(at)) else { return words };
    let after = if us < 1_000.0 { format!("{us:.1} us") } else { format!("{:.2} ms", us / 1_000.0) };
    words.push(match (scout_is_back, case.deadlock.is_some(), case.guarded) {
        (true, ..) => format!("yes, after {after}"),
        (false, false, _) => format!("no, after {after}"),
        (false, true, true) => format!("no answer; asked again after {after}"),
        (false, true, false) => format!("taken for a no after {after}: false"),
    });
    words
}
