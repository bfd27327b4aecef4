//! How lines and words of a drawing look.

/// Letters and outlines.
pub const INK: &str = "#333333";
/// Words that matter less.
pub const GREY: &str = "#8a8a8a";
/// Lines behind the data.
pub const GRID: &str = "#e4e4e4";
/// What a paper prints.
pub const PAPER: &str = "#000000";
/// Hosts.
pub const HOST: &str = "#c4571b";
/// Okabe and Ito 2008, without black, which is the papers', and yellow, which is too light for lines; then two that are
/// distinguished from these by their darkness.
pub const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f"];
/// Where a text stands, seen from its spot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    #[default]
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    pub(super) size: f64,
    pub(super) colour: &'a str,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    pub(super) is_code: bool,
    /// Degrees, clockwise.
    pub(super) turned: i32,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Stroke<'a> {
    pub(super) colour: &'a str,
    pub(super) width: f64,
    pub(super) dashes: &'a str,
    /// What a style sheet knows it by; then that says the rest.
    pub(super) class: &'a str,
}

impl<'a> Words<'a> {
    /// Words whose look a style sheet defines.
    pub const fn styled() -> Words<'a> {
        Words::new(14.0).colour("")
    }

    /// Words in ink that begin at their spot.
    pub const fn new(size: f64) -> Words<'a> {
        Words { size, colour: INK, anchor: Anchor::Start, bold: false, is_code: false, turned: 0 }
    }

    /// The same in another colour.
    #[must_use]
    pub const fn colour(self, colour: &'a str) -> Words<'a> {
        Words { colour, ..self }
    }

    /// The same, otherwise about their spot.
    #[must_use]
    pub const fn anchor(self, anchor: Anchor) -> Words<'a> {
        Words { anchor, ..self }
    }

    /// The same, with their middle at their spot.
    #[must_use]
    pub const fn middle(self) -> Words<'a> {
        self.anchor(Anchor::Middle)
    }

    /// The same, heavy.
    #[must_use]
    pub const fn bold(self) -> Words<'a> {
        Words { bold: true, ..self }
    }

    /// The same, every letter as wide as the next.
    #[must_use]
    pub const fn code(self) -> Words<'a> {
        Words { is_code: true, ..self }
    }

    /// The same, turned clockwise by so many degrees.
    #[must_use]
    pub const fn turned(self, degrees: i32) -> Words<'a> {
        Words { turned: degrees, ..self }
    }
}

impl<'a> Stroke<'a> {
    /// A solid line.
    pub const fn new(colour: &'a str, width: f64) -> Stroke<'a> {
        Stroke { colour, width, dashes: "", class: "" }
    }

    /// A line whose look a style sheet defines by its class.
    pub const fn styled(class: &'a str) -> Stroke<'a> {
        Stroke { colour: "", width: 0.0, dashes: "", class }
    }

    /// The same, broken: the lengths of dashes and gaps.
    #[must_use]
    pub const fn dashed(self, dashes: &'a str) -> Stroke<'a> {
        Stroke { dashes, ..self }
    }
}
