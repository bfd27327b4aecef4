//! One chart at its place on the sheet: frame, ticks, layers.

use super::key::{GUIDE, Key, Look};
use super::scale::Scale;
use super::{Chart, Layer, Mark, Style};
use crate::report::{Anchor, GRID, INK, Pen, Spot, Stroke, Tip, Words, width_of};

const TICK_SIZE: f64 = 11.0;
const LABEL_SIZE: f64 = 12.5;
const TITLE_SIZE: f64 = 14.0;
/// Lines of more marks than this are drawn without them.
const MOST_MARKS: usize = 60;
/// The share of a category's room that its bars take.
const BARS: f64 = 0.78;
/// The widest bar that stands alone over its category.
const WIDEST: f64 = 90.0;
/// The most lines of a category's name, and the most letters of a name that is turned.
const MOST_LINES: usize = 4;
const MOST_LETTERS: usize = 32;
const LINE: f64 = 13.0;
/// How many times as high as the highest solid mark hollow ones are shown.
const HOLLOW: f64 = 2.5;

/// A chart with its scales and its frame.
pub(super) struct Panel<'a> {
    chart: &'a Chart,
    x: Scale,
    y: Scale,
    /// The corner of the panel's room on the sheet, and its size.
    corner: Spot,
    size: (f64, f64),
    /// The frame of the data: upper left and lower right corner.
    from: Spot,
    to: Spot,
    /// The labels below, each in its lines.
    labels: Vec<Vec<String>>,
    /// Whether they are turned, as they are too long.
    turned: bool,
}

impl<'a> Panel<'a> {
    pub(super) fn new(chart: &'a Chart, corner: Spot, size: (f64, f64)) -> Panel<'a> {
        let (x, y) = (Scale::new(&chart.x, horizontal(chart)), Scale::new(&chart.y, vertical(chart)));
        let widest = |scale: &Scale| {
            scale.ticks.iter().map(|(_, label)| width_of(label, TICK_SIZE)).fold(0.0, f64::max)
        };
        let left = corner.0 + 40.0 + widest(&y);
        let right = corner.0 + size.0 - 20.0;
        let room = (right - left) / x.ticks.len().max(1) as f64 - 6.0;
        let named = !chart.x.categories.is_empty();
        let labels: Vec<Vec<String>> = x
            .ticks
            .iter()
            .map(|(_, label)| if named { lines(label, room) } else { vec![label.clone()] })
            .collect();
        let too_long = |label: &Vec<String>| {
            label.len() > MOST_LINES || label.iter().any(|line| width_of(line, TICK_SIZE) > room)
        };
        let turned = named && labels.iter().any(too_long);
        let labels =
            if turned { x.ticks.iter().map(|(_, label)| vec![clipped(label)]).collect() } else { labels };
        let below = if turned {
            let longest = labels.iter().flatten().map(|label| width_of(label, TICK_SIZE)).fold(0.0, f64::max);
            (longest * 0.62 + 14.0).min(size.1 * 0.5)
        } else {
            7.0 + LINE * labels.iter().map(Vec::len).max().unwrap_or(1) as f64
        };
        let label = if chart.x.label.is_empty() { 10.0 } else { 30.0 };
        let bottom = corner.1 + size.1 - label - below;
        Panel {
            chart,
            x,
            y,
            corner,
            size,
            from: (left, corner.1 + 38.0),
            to: (right, bottom),
            labels,
            turned,
        }
    }

    /// Draws it; where there are tips, one a layer and mark, marks describe themselves.
    pub(super) fn draw(&self, pen: &mut Pen, key: &Key<'_>, id: usize, tips: &[Vec<Tip>]) {
        self.draw_frame(pen);
        let layers = || self.chart.layers.iter().enumerate();
        pen.begin_within(id, self.from, self.to);
        for (nth, layer) in layers() {
            self.draw_below(pen, nth, layer, key.look(layer), tips.get(nth));
        }
        pen.end();
        self.draw_rules(pen);
        for (nth, layer) in layers() {
            self.draw_marks(pen, nth, layer, key.look(layer), tips.get(nth));
        }
    }

    /// Where the frame of the data begins and ends along the horizontal axis.
    pub(super) fn sides(&self) -> [f64; 2] {
        [self.from.0, self.to.0]
    }

    /// The values there.
    pub(super) fn x_ends(&self) -> [f64; 2] {
        self.x.ends()
    }

    /// Upright lines with their names at the top, below each other where they are near.
    fn draw_rules(&self, pen: &mut Pen) {
        let mut free = [f64::NEG_INFINITY; 4];
        let rules = self.chart.layers.iter().filter(|layer| layer.style == Style::Rule);
        for (value, name) in rules.flat_map(|rule| rule.marks.iter().map(|mark| (mark.x, &rule.name))) {
            let Some(x) = self.at_x(value).filter(|x| (self.from.0..=self.to.0).contains(x)) else {
                continue;
            };
            pen.path(&[(x, self.from.1), (x, self.to.1)], GUIDE);
            let wide = width_of(name, TICK_SIZE) + 8.0;
            let left = x + wide > self.to.0;
            let start = if left { x - wide } else { x };
            let row = free.iter().position(|free| *free <= start).unwrap_or(0);
            free[row] = start + wide;
            let anchor = if left { Anchor::End } else { Anchor::Start };
            let words = Words::new(TICK_SIZE).anchor(anchor);
            let aside = if left { -4.0 } else { 4.0 };
            pen.text((x + aside, self.from.1 + 11.0 + LINE * row as f64), words, name);
        }
    }

    fn draw_frame(&self, pen: &mut Pen) {
        let ((left, top), (right, bottom)) = (self.from, self.to);
        let (grid, tick) = (Stroke::new(GRID, 1.0), Words::new(TICK_SIZE));
        for (value, label) in &self.y.ticks {
            let Some(y) = self.at_y(*value) else { continue };
            pen.line((left, y), (right, y), grid);
            pen.text((left - 7.0, y + 4.0), tick.anchor(Anchor::End), label);
        }
        for ((value, _), label) in self.x.ticks.iter().zip(&self.labels) {
            let Some(x) = self.at_x(*value) else { continue };
            if self.chart.x.categories.is_empty() {
                pen.line((x, top), (x, bottom), grid);
            }
            if self.turned {
                let turned = tick.anchor(Anchor::End).turned(-38);
                pen.text((x + 4.0, bottom + 14.0), turned, &label[0]);
            } else {
                for (nth, line) in label.iter().enumerate() {
                    let y = bottom + 16.0 + LINE * nth as f64;
                    pen.text((x, y), tick.middle(), line);
                }
            }
        }
        pen.line((left, bottom), (right, bottom), Stroke::new(INK, 1.0));
        pen.line((left, top), (left, bottom), Stroke::new(INK, 1.0));
        // Bold letters are wider; a title too long for its panel is smaller.
        let fits = (self.size.0 - 24.0) / width_of(&self.chart.title, 1.1).max(1.0);
        let title_size = (fits * 10.0).floor() / 10.0;
        let title = Words::new(title_size.clamp(9.0, TITLE_SIZE)).bold();
        pen.text((self.corner.0 + 16.0, self.corner.1 + 24.0), title, &self.chart.title);
        let label = Words::new(LABEL_SIZE).middle();
        let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
        pen.text((middle.0, self.corner.1 + self.size.1 - 12.0), label, &self.chart.x.label);
        pen.text((self.corner.0 + 18.0, middle.1), label.turned(-90), &self.chart.y.label);
    }

    /// Bands, lines and bars: what is cut at the frame.
    fn draw_below(&self, pen: &mut Pen, nth: usize, layer: &Layer, look: Look, tips: Option<&Vec<Tip>>) {
        match layer.style {
            Style::Guide => {
                let line: Vec<Spot> = layer.marks.iter().filter_map(|m| self.at(m.x, m.y)).collect();
                pen.path(&line, GUIDE);
            }
            Style::Stacked | Style::Columns => {
                for (nth, mark) in layer.marks.iter().enumerate() {
                    let Some((from, to)) = self.column(layer.style, mark) else { continue };
                    let tip = tips.and_then(|tips| tips.get(nth));
                    tip.iter().for_each(|tip| pen.begin_mark(tip));
                    look.bar(pen, from, to, mark.hollow);
                    tip.iter().for_each(|_| pen.end());
                }
            }
            Style::Line => {
                let ends = layer.marks.iter().filter_map(|m| Some((m.x, m.low?, m.high?)));
                let ends: Vec<(f64, f64, f64)> = ends.collect();
                let lower = ends.iter().filter_map(|(x, low, _)| self.at(*x, self.lifted(*low)));
                let upper = ends.iter().rev().filter_map(|(x, _, high)| self.at(*x, *high));
                let band: Vec<Spot> = lower.chain(upper).collect();
                if band.len() > 2 {
                    pen.area(&band, look.colour);
                }
                let line: Vec<Spot> = layer.marks.iter().filter_map(|m| self.at(m.x, m.y)).collect();
                if line.len() > 1 {
                    pen.path(&line, Stroke::new(look.colour, 2.0));
                }
            }
            Style::Steps => {
                let spots: Vec<Spot> = layer.marks.iter().filter_map(|m| self.at(m.x, m.y)).collect();
                let corners = spots.windows(2).flat_map(|pair| [(pair[1].0, pair[0].1), pair[1]]);
                let line: Vec<Spot> = spots.first().copied().into_iter().chain(corners).collect();
                if line.len() > 1 {
                    pen.path(&line, Stroke::new(look.colour, 2.0));
                }
            }
            Style::Marks if self.chart.bars => {
                let half = self.bar_width() / 2.0;
                for mark in &layer.marks {
                    let (top, foot) = (self.at(mark.x, mark.y), self.at(mark.x, self.lifted(0.0)));
                    let Some((top, foot)) = top.zip(foot) else { continue };
                    let x = top.0 + self.aside(nth);
                    look.bar(pen, (x - half, top.1), (x + half, foot.1), mark.hollow);
                }
            }
            Style::Marks | Style::Paper | Style::Rule => {}
        }
    }

    /// Marks and whiskers, which may stand across the frame but not beyond it.
    fn draw_marks(&self, pen: &mut Pen, nth: usize, layer: &Layer, look: Look, tips: Option<&Vec<Tip>>) {
        if matches!(layer.style, Style::Guide | Style::Steps | Style::Stacked | Style::Columns | Style::Rule)
        {
            return;
        }
        let bars = self.chart.bars && layer.style == Style::Marks;
        for (place, mark) in layer.marks.iter().enumerate() {
            let Some((x, y)) = self.at(mark.x, mark.y).filter(|spot| self.holds(*spot)) else { continue };
            let tip = tips.and_then(|tips| tips.get(place));
            tip.iter().for_each(|tip| pen.begin_mark(tip));
            let x = x + self.aside(nth);
            if layer.style != Style::Line || layer.marks.len() == 1 {
                let colour = if bars { INK } else { look.colour };
                self.draw_whiskers(pen, x, mark, colour);
            }
            let plain = layer.style == Style::Line && layer.marks.len() > MOST_MARKS && !mark.hollow;
            if !bars && !plain {
                look.mark(pen, (x, y), layer.style, mark.hollow);
            }
            if tip.is_some() {
                // What can be pointed at is larger than what is seen.
                pen.circle((x, y), 11.0, "transparent", None);
                pen.end();
            }
        }
    }

    fn draw_whiskers(&self, pen: &mut Pen, x: f64, mark: &Mark, colour: &str) {
        let Some((low, high)) = mark.low.zip(mark.high) else { return };
        let ends = self.at_y(self.lifted(low)).zip(self.at_y(high));
        let Some((low, high)) = ends.filter(|(low, high)| low > high) else { return };
        let (low, high) = (low.clamp(self.from.1, self.to.1), high.clamp(self.from.1, self.to.1));
        let stroke = Stroke::new(colour, 1.4);
        pen.line((x, low), (x, high), stroke);
        for y in [low, high] {
            pen.line((x - 4.0, y), (x + 4.0, y), stroke);
        }
    }

    /// The corners of a bar of its own: over its category from `low` to `y`, or from the foot to `y` between `low` and
    /// `high`.
    fn column(&self, style: Style, mark: &Mark) -> Option<(Spot, Spot)> {
        if style == Style::Columns {
            let foot = self.at_y(self.lifted(0.0))?;
            return Some(((self.at_x(mark.low?)?, foot), (self.at_x(mark.high?)?, self.at_y(mark.y)?)));
        }
        let half = (self.to.0 - self.from.0) / self.chart.x.categories.len().max(1) as f64 * BARS / 2.0;
        let half = half.min(WIDEST / 2.0);
        let (x, foot) = self.at(mark.x, self.lifted(mark.low.unwrap_or(0.0)))?;
        Some(((x - half, foot), (x + half, self.at_y(mark.y)?)))
    }

    /// How far from the middle of its category a layer's bars stand; what a paper prints stands over the layer
    /// before it.
    fn aside(&self, nth: usize) -> f64 {
        if !self.chart.bars {
            return 0.0;
        }
        let bars = |upto: usize| {
            let layers = self.chart.layers[..upto].iter();
            layers.filter(|layer| layer.style == Style::Marks).count() as f64
        };
        let own = bars(nth + 1);
        if own > 0.0 { (own - 0.5 - bars(self.chart.layers.len()) / 2.0) * self.bar_width() } else { 0.0 }
    }

    fn bar_width(&self) -> f64 {
        let groups = self.chart.x.categories.len().max(1) as f64;
        let bars = self.chart.layers.iter().filter(|layer| layer.style == Style::Marks).count().max(1) as f64;
        (self.to.0 - self.from.0) / groups * BARS / bars
    }

    /// A value that may lie below the beginning of a logarithmic axis, lifted to it.
    fn lifted(&self, value: f64) -> f64 {
        if self.chart.y.log { value.max(self.y.low()) } else { value }
    }

    fn at(&self, x: f64, y: f64) -> Option<Spot> {
        self.at_x(x).zip(self.at_y(y))
    }

    fn at_x(&self, x: f64) -> Option<f64> {
        Some(self.from.0 + (self.to.0 - self.from.0) * self.x.place(x)?)
    }

    fn at_y(&self, y: f64) -> Option<f64> {
        Some(self.to.1 - (self.to.1 - self.from.1) * self.y.place(y)?)
    }

    fn holds(&self, (x, y): Spot) -> bool {
        let inside = |value: f64, from: f64, to: f64| value >= from - 0.5 && value <= to + 0.5;
        inside(x, self.from.0, self.to.0) && inside(y, self.from.1, self.to.1)
    }
}

/// A name in lines of at most this width, as far as its words allow.
fn lines(name: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line, TICK_SIZE) + width_of(word, TICK_SIZE) + 4.0 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.is_empty() { vec![String::new()] } else { lines }
}

/// A name that has room when it is turned.
fn clipped(name: &str) -> String {
    if name.chars().count() <= MOST_LETTERS {
        return name.to_owned();
    }
    name.chars().take(MOST_LETTERS - 1).chain(['…']).collect()
}

/// Marks with their ends along the vertical axis.
fn values(chart: &Chart) -> impl Iterator<Item = Mark> + '_ {
    chart.layers.iter().flat_map(upright)
}

/// A layer's marks, without the ends of those that are columns, which lie flat; a rule has none.
fn upright(layer: &Layer) -> impl Iterator<Item = Mark> {
    let is_wide = layer.style == Style::Columns;
    let flat = |mark: &Mark| Mark { low: None, high: None, ..*mark };
    let marks = if layer.style == Style::Rule { &[] } else { &layer.marks[..] };
    marks.iter().map(move |mark| if is_wide { flat(mark) } else { *mark })
}

fn horizontal(chart: &Chart) -> impl Iterator<Item = f64> {
    chart.layers.iter().flat_map(edges)
}

/// Where a layer reaches to, left and right: columns are as wide as their ends.
fn edges(layer: &Layer) -> impl Iterator<Item = f64> {
    let is_wide = layer.style == Style::Columns;
    let ends = move |mark: &Mark| match is_wide {
        true => [mark.low, mark.high],
        false => [Some(mark.x), None],
    };
    layer.marks.iter().flat_map(ends).flatten()
}

/// What the vertical axis has room for: solid marks with their ends, and hollow ones up to [`HOLLOW`] times the
/// highest solid one.
fn vertical(chart: &Chart) -> impl Iterator<Item = f64> {
    let sure = values(chart).filter(|mark| !mark.hollow).map(|mark| mark.y).reduce(f64::max);
    let top = sure.filter(|top| *top > 0.0).map_or(f64::INFINITY, |top| top * HOLLOW);
    let stands = |layer: &Layer| matches!(layer.style, Style::Stacked | Style::Columns);
    let foot = (chart.bars || chart.layers.iter().any(stands)).then_some(0.0);
    let ends = |mark: Mark| [Some(mark.y), mark.low, mark.high].into_iter().flatten().collect::<Vec<_>>();
    values(chart).flat_map(ends).map(move |value| value.min(top)).chain(foot)
}
