//! The pen under every drawing: lines, areas, boxes, dots, arrows, text and groups, as SVG.
//!
//! A drawing of its own lies on white paper; one on a page takes the colours of the page's variables, or leaves to its
//! style sheet what an empty colour or a class stands for. What is drawn on a lower level lies below what is drawn on a
//! higher one, whatever came first.
//!
//! # Scope and limitations
//! There are no font metrics: how wide a text is, is guessed, so that equal drawings are equal bytes on any machine.

mod style;

use std::fmt::{Arguments, Write as _};

use super::escaped;
pub use style::{Anchor, COLOURS, GREY, GRID, HOST, INK, PAPER, Stroke, Words};

/// A place on the sheet, in pixels from its upper left corner; written to a tenth of one.
pub type Spot = (f64, f64);

/// The colours of a page in place of those of paper; [`COLOURS`] have variables of their own.
const OF_PAGE: [(&str, &str); 3] = [(INK, "var(--ink)"), (GRID, "var(--line)"), (PAPER, "var(--ink)")];

/// Between a heading and the edge of its sheet.
const MARGIN: f64 = 24.0;

/// What a page shows of a mark: its numbers as the tables have them, and in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    /// Along the horizontal axis.
    pub x: String,
    /// Along the vertical axis.
    pub y: String,
    /// What it says when it is pointed at.
    pub words: String,
}

/// A drawing in the making.
#[derive(Clone, Debug, Default)]
pub struct Pen {
    /// What is drawn on each level.
    levels: [String; 3],
    level: usize,
    /// What distinguishes a drawing from the page's others; none on paper.
    name: Option<String>,
    title: String,
    /// Whether a page shows it as large as it is drawn where it has room.
    is_fixed: bool,
    /// The lower right corner of what is drawn.
    reach: Spot,
}

/// About how wide a text is.
pub fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

/// How far apart two spots are.
pub fn distance(a: Spot, b: Spot) -> f64 {
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    (x * x + y * y).sqrt()
}

/// The direction from one spot to another.
pub fn direction(from: Spot, to: Spot) -> Spot {
    let length = distance(from, to).max(1e-9);
    ((to.0 - from.0) / length, (to.1 - from.1) / length)
}

/// The spot so far ahead of another in a direction, and so far to the right of it.
pub fn moved((x, y): Spot, (dx, dy): Spot, ahead: f64, aside: f64) -> Spot {
    (x + dx * ahead - dy * aside, y + dy * ahead + dx * aside)
}

impl Pen {
    /// A drawing for a page, and what it shows; `name` distinguishes it from others there, and is its id.
    pub fn on_page(name: &str, title: &str) -> Pen {
        Pen { name: Some(name.to_owned()), title: title.to_owned(), ..Pen::default() }
    }

    /// The same, never larger than it is drawn.
    #[must_use]
    pub fn fixed(self) -> Pen {
        Pen { is_fixed: true, ..self }
    }

    /// A drawing with a heading, and smaller words below it; what follows lies on top by default.
    pub fn titled(title: &str, note: &str) -> Pen {
        let mut pen = Pen { title: title.to_owned(), level: 2, ..Pen::default() };
        pen.text((MARGIN, 32.0), Words::new(18.0), title);
        pen.text((MARGIN, 52.0), Words::new(12.0).colour("#666666"), note);
        pen
    }

    /// The drawing on a sheet of this size.
    pub fn finish(self, (width, height): (f64, f64)) -> String {
        let (title, body) = (escaped(&self.title), self.levels.concat());
        if let Some(name) = &self.name {
            let wide = if self.is_fixed { format!(" width=\"{width:.0}\"") } else { String::new() };
            return format!(
                "<svg id=\"{name}\"{wide} viewBox=\"0 0 {width:.0} {height:.0}\" role=\"group\" aria-label=\"{title}\">\n\
                 {body}</svg>\n"
            );
        }
        let (role, title) = match title.as_str() {
            "" => ("", String::new()),
            title => (" role=\"img\"", format!("<title>{title}</title>\n")),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\"{role} font-family=\"sans-serif\">\n{title}\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }

    /// The drawing on a sheet that has room for all of it.
    pub fn finish_around(self) -> String {
        let size = (self.reach.0 + MARGIN, self.reach.1 + MARGIN);
        self.finish(size)
    }

    /// What `draw` draws lies on a level: 0 below, 1 between, 2 on top.
    pub fn on_level(&mut self, level: usize, draw: impl FnOnce(&mut Pen)) {
        let before = std::mem::replace(&mut self.level, level);
        draw(self);
        self.level = before;
    }

    /// Makes room up to a place.
    pub fn reach(&mut self, (x, y): Spot) {
        self.reach = (self.reach.0.max(x), self.reach.1.max(y));
    }

    /// The colour of the ground that a drawing stands on.
    pub fn ground(&self) -> &'static str {
        if self.name.is_some() { "var(--paper)" } else { "#ffffff" }
    }

    fn colour<'c>(&self, colour: &'c str) -> std::borrow::Cow<'c, str> {
        if self.name.is_none() {
            return colour.into();
        }
        match COLOURS.iter().position(|own| *own == colour) {
            Some(place) => format!("var(--p{})", place + 1).into(),
            None => {
                OF_PAGE.iter().find(|(paper, _)| *paper == colour).map_or(colour, |(_, page)| page).into()
            }
        }
    }

    /// A straight line.
    pub fn line(&mut self, from: Spot, to: Spot, stroke: Stroke<'_>) {
        let ((x1, y1), (x2, y2), stroke) = (from, to, self.stroke(stroke, ""));
        self.put(format_args!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"{stroke}/>"));
    }

    /// A line through spots.
    pub fn path(&mut self, spots: &[Spot], stroke: Stroke<'_>) {
        let (points, stroke) = (self.joined(spots), self.open(stroke, " stroke-linejoin=\"round\""));
        self.put(format_args!("<polyline points=\"{points}\"{stroke}/>"));
    }

    /// A curve from one spot towards two others to a fourth.
    pub fn curve(&mut self, [a, b, c, d]: [Spot; 4], stroke: Stroke<'_>) {
        let stroke = self.open(stroke, "");
        self.put(format_args!(
            "<path d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"{stroke}/>",
            a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1
        ));
    }

    /// The stroke of what has no inside.
    fn open(&self, stroke: Stroke<'_>, joint: &str) -> String {
        let fill = if stroke.class.is_empty() { " fill=\"none\"" } else { "" };
        format!("{fill}{}", self.stroke(stroke, joint))
    }

    fn stroke(&self, stroke: Stroke<'_>, joint: &str) -> String {
        if !stroke.class.is_empty() {
            return format!(" class=\"{}\"", stroke.class);
        }
        let dashes = match stroke.dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        };
        format!(" stroke=\"{}\" stroke-width=\"{}\"{joint}{dashes}", self.colour(stroke.colour), stroke.width)
    }

    /// A colour as an attribute; none where the style sheet says it.
    fn of_colour(&self, attribute: &str, colour: &str) -> String {
        if colour.is_empty() { String::new() } else { format!(" {attribute}=\"{}\"", self.colour(colour)) }
    }

    /// The edge of a shape; none without a stroke.
    fn edge(&self, edge: Option<Stroke<'_>>) -> String {
        edge.map(|edge| self.stroke(edge, "")).unwrap_or_default()
    }

    /// A pale area inside an outline.
    pub fn area(&mut self, outline: &[Spot], colour: &str) {
        let (outline, colour) = (self.joined(outline), self.colour(colour).into_owned());
        self.put(format_args!("<polygon points=\"{outline}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>"));
    }

    /// A shape with corners.
    pub fn polygon(&mut self, corners: &[Spot], fill: &str, edge: Option<Stroke<'_>>) {
        let (corners, fill, edge) = (self.joined(corners), self.of_colour("fill", fill), self.edge(edge));
        self.put(format_args!("<polygon points=\"{corners}\"{fill}{edge}/>"));
    }

    /// A rectangle between two corners with a fine edge, its corners rounded if `round`.
    pub fn rectangle(&mut self, (x1, y1): Spot, (x2, y2): Spot, round: bool, fill: &str, edge: &str) {
        let (left, top, width, height) = (x1.min(x2), y1.min(y2), (x2 - x1).abs(), (y2 - y1).abs());
        self.reach((left + width, top + height));
        let round = if round { " rx=\"4\"" } else { "" };
        let (fill, edge) = (self.of_colour("fill", fill), self.of_colour("stroke", edge));
        self.put(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"{round}{fill}{edge}/>"
        ));
    }

    /// A circle.
    pub fn circle(&mut self, (x, y): Spot, radius: f64, fill: &str, edge: Option<Stroke<'_>>) {
        self.reach((x + radius, y + radius));
        let (fill, edge) = (self.of_colour("fill", fill), self.edge(edge));
        self.put(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"{fill}{edge}/>"));
    }

    /// The head of an arrow: its tip, where it points, how long and how wide to either side.
    pub fn head(&mut self, tip: Spot, towards: Spot, (long, wide): (f64, f64), colour: &str) {
        let corners = [tip, moved(tip, towards, -long, wide), moved(tip, towards, -long, -wide)];
        self.polygon(&corners, colour, None);
    }

    /// A line of text, whose base line is at its spot.
    pub fn text(&mut self, (x, y): Spot, words: Words<'_>, text: &str) {
        let wide = width_of(text, words.size);
        let (anchor, right) = match words.anchor {
            Anchor::Start => ("", x + wide),
            Anchor::Middle => (" text-anchor=\"middle\"", x + wide / 2.0),
            Anchor::End => (" text-anchor=\"end\"", x),
        };
        self.reach((if words.turned == 0 { right } else { x }, y));
        let weight = if words.bold { " font-weight=\"bold\"" } else { "" };
        let family = if words.is_code { " font-family=\"monospace\" xml:space=\"preserve\"" } else { "" };
        let turned = match words.turned {
            0 => String::new(),
            degrees => format!(" transform=\"rotate({degrees} {x:.1} {y:.1})\""),
        };
        let (text, colour) = (escaped(text), self.of_colour("fill", words.colour));
        let size = if colour.is_empty() { String::new() } else { format!(" font-size=\"{}\"", words.size) };
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{size}{colour}{anchor}{weight}{family}{turned}>{text}</text>"
        ));
    }

    /// Another drawing, with its upper left corner here.
    pub fn inset(&mut self, (x, y): Spot, drawing: &str) {
        let inner = drawing.replacen("<svg ", &format!("<svg x=\"{x:.1}\" y=\"{y:.1}\" "), 1);
        self.put(format_args!("{}", inner.trim_end()));
    }

    /// A switch: a box with its name, so wide to either side of its middle.
    pub fn switch(&mut self, (x, y): Spot, half: f64, name: &str) {
        self.rectangle((x - half, y - 13.0), (x + half, y + 13.0), true, "#eaf1f8", "#1f5fa8");
        self.text((x, y + 4.0), Words::new(12.0).middle(), name);
    }

    /// From here to [`Pen::end`] nothing is seen outside of a rectangle.
    pub fn begin_within(&mut self, id: usize, (left, top): Spot, (right, bottom): Spot) {
        let (width, height) = (right - left, bottom - top);
        let id = self.name.as_ref().map_or_else(|| id.to_string(), |name| format!("-{name}-{id}"));
        self.put(format_args!(
            "<clipPath id=\"panel{id}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#panel{id})\">"
        ));
    }

    /// What is drawn from here to [`Pen::end`] is known to style sheets by its classes, and to scripts by what it says
    /// of itself: names and values.
    pub fn begin_class(&mut self, class: &str, says: &[(&str, usize)]) {
        let says = says.iter().fold(String::new(), |mut text, (name, value)| {
            let _ = write!(text, " data-{name}=\"{value}\"");
            text
        });
        self.put(format_args!("<g class=\"{class}\"{says}>"));
    }

    /// What is drawn is explained by these words when it is pointed at: the group that was begun last.
    pub fn hint(&mut self, words: &str) {
        self.put(format_args!("<title>{}</title>", escaped(words)));
    }

    /// What is drawn from here to [`Pen::end`] describes a mark when it is pointed at.
    pub fn begin_mark(&mut self, tip: &Tip) {
        let words: Vec<String> = tip.words.split('\n').map(escaped).collect();
        self.put(format_args!(
            "<g class=\"mark\" data-x=\"{}\" data-y=\"{}\" data-tip=\"{}\">",
            escaped(&tip.x),
            escaped(&tip.y),
            words.join("&#10;")
        ));
    }

    /// Ends what was begun last.
    pub fn end(&mut self) {
        self.put(format_args!("</g>"));
    }

    /// Spots as an element lists them.
    fn joined(&mut self, spots: &[Spot]) -> String {
        spots.iter().for_each(|spot| self.reach(*spot));
        let spots = spots.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
        spots.collect::<Vec<_>>().join(" ")
    }

    fn put(&mut self, element: Arguments<'_>) {
        writeln!(self.levels[self.level], "{element}").expect("a string takes what is written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a drawing were no SVG, had no room for its texts, or a text could become markup.
    #[test]
    fn a_drawing_holds_what_is_drawn() {
        let mut pen = Pen::titled("a < b & c", "");
        pen.switch((300.0, 200.0), 22.0, "<s0>");
        pen.path(&[(1.0, 2.25), (1.0 / 3.0, 4.0)], Stroke::new(INK, 2.0).dashed("6 4"));
        let svg = pen.clone().finish_around();
        assert_eq!(svg, pen.finish_around());
        let tree = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(tree.root_element().attribute("height"), Some("237"));
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("0.3,4.0") && !svg.contains("<s0>"));
    }

    /// Wrong if a lower layer hides an upper one, or a page's drawing kept the colours of paper.
    #[test]
    fn levels_lie_above_each_other_and_pages_have_colours_of_their_own() {
        let mut pen = Pen::on_page("one", "");
        pen.on_level(2, |pen| pen.circle((1.0, 1.0), 1.0, COLOURS[1], None));
        pen.on_level(1, |pen| pen.line((0.0, 0.0), (1.0, 1.0), Stroke::new(INK, 1.0)));
        let svg = pen.finish((9.0, 9.0));
        assert!(svg.find("var(--ink)").unwrap() < svg.find("var(--p2)").unwrap());
    }
}
