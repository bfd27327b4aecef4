//! The deadlocks of a run, one by one: who waited for whom, for how long, and what broke it.

use maud::{Markup, html};
use serde_json::Value;

use super::{Contents, Section};
use simnet_base::numbers::{count, number, time};

mod cycle;

/// Deadlocks shown with a drawing; more stand in the table only.
const DRAWN: usize = 24;
/// Of these, unfolded.
const OPEN: usize = 2;
/// Rows of the table.
const ROWS: usize = 500;
/// Names for a sentence or a cell.
const NAMED: usize = 12;

const SCRIPT: &str = include_str!("assets/deadlocks.js");
const STYLE: &str = include_str!("assets/deadlocks.css");

/// A deadlock as `summary.json` has it.
struct Deadlock<'a> {
    /// What the replay knows its scene by: the position of its load point, or the scene's kind.
    scene: String,
    /// Where it formed, in words.
    place: String,
    formed_ns: f64,
    cleared: Option<(&'a str, f64)>,
    /// Outputs, each needed by the holder of the one before.
    outputs: Vec<&'a str>,
    /// Who holds them.
    worms: Vec<&'a str>,
}

/// The section: of runs in which a deadlock formed, and of those in which one could have.
pub(super) fn section(contents: &Contents) -> Option<Section> {
    let all = deadlocks(contents);
    let counted = contents.at("deadlock_count").and_then(Value::as_u64).unwrap_or(0);
    let counted = usize::try_from(counted).unwrap_or(usize::MAX);
    let body = match (all.is_empty(), contents.route_cycle()) {
        (false, _) => body(contents, &all),
        (true, _) if counted > 0 => html! {
            (description(contents))
            p.lead { (count(counted, "deadlock")) " formed; the results do not tell one from another." }
        },
        (true, Some(cycle)) => none_though_one_could(contents, cycle),
        (true, None) => return None,
    };
    Some(Section {
        id: "deadlocks",
        title: "Deadlocks",
        body,
        data: None,
        script: Some(SCRIPT),
        style: Some(STYLE),
    })
}

/// The first deadlock as the first page shows it, and what that is.
pub(super) fn picture(contents: &Contents) -> Option<(Markup, Markup)> {
    let all = deadlocks(contents);
    let deadlock = all.first()?;
    let drawing = html! { div.circle { (cycle::drawing("first-circle", deadlock)) } };
    let which = if all.len() > 1 { "The first deadlock: " } else { "The deadlock: " };
    Some((drawing, html! { (which) a href="#deadlocks" { "who waits for whom" } "." }))
}

fn deadlocks(contents: &Contents) -> Vec<Deadlock<'_>> {
    let list = |path: &str| contents.at(path).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let operation = contents.at("operation").is_some();
    let points = list("points").len();
    let of_points = list("deadlocks").iter().filter_map(|value| {
        let point = value["point"].as_u64().unwrap_or(0);
        let (scene, place) = match (operation, points) {
            (true, _) => ("operation".to_owned(), "during the operation".to_owned()),
            (false, 0 | 1) => (point.to_string(), String::new()),
            (false, _) => (point.to_string(), at_load(contents, point)),
        };
        deadlock(value, scene, place)
    });
    let of_mapping = list("map.deadlocks").iter();
    let of_mapping =
        of_mapping.filter_map(|value| deadlock(value, "mapping".to_owned(), "during the mapping".to_owned()));
    of_mapping.chain(of_points).collect()
}

/// At which load a point was.
fn at_load(contents: &Contents, point: u64) -> String {
    match contents.number(&format!("points.{point}.load")) {
        Some(load) => format!("at load {}", number(load, 4)),
        None => format!("at load point {}", point.saturating_add(1)),
    }
}

fn deadlock(value: &Value, scene: String, place: String) -> Option<Deadlock<'_>> {
    let texts = |key: &str| -> Vec<&str> {
        value[key].as_array().map_or(Vec::new(), |list| list.iter().filter_map(Value::as_str).collect())
    };
    let outputs = texts("cycle");
    if outputs.is_empty() {
        return None;
    }
    let cleared = value["cleared_by"].as_str().zip(value["cleared_ns"].as_f64());
    let formed_ns = value["formed_ns"].as_f64()?;
    Some(Deadlock { scene, place, formed_ns, cleared, outputs, worms: texts("worms") })
}

fn description(contents: &Contents) -> Markup {
    html! { @if let Some(text) = contents.text("description") { p.description { bdi { (text) } } } }
}

fn body(contents: &Contents, all: &[Deadlock]) -> Markup {
    let standing = all.iter().filter(|deadlock| deadlock.cleared.is_none()).count();
    let longest = all.iter().filter_map(Deadlock::lasted).fold(0.0, f64::max);
    html! {
        p.lead {
            @if let [only] = all { "One deadlock formed" (in_words(&only.place)) ": " (only.in_short()) }
            @else {
                (count(all.len(), "deadlock")) " formed. "
                @if standing == 0 { "All were broken" @if longest > 0.0 { ", the longest after " (time(longest)) } "." }
                @else if standing == all.len() { "Nothing broke any of them." }
                @else { (standing) " of them stood to the end of the run." }
            }
        }
        (description(contents))
        p.soft {
            "A worm holds every cable on which it lies until its tail has passed. When worms wait for each other's "
            "cables in a circle, none of them can ever move on: only the destruction of one lets the others go."
        }
        @for (nth, deadlock) in all.iter().take(DRAWN).enumerate() {
            (card(nth, deadlock, all.len(), contents.events.is_some()))
        }
        @if all.len() > 1 { (table(all)) }
    }
}

fn in_words(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" {place}") }
}

/// `replayed`: whether there is a replay to lead to; whether it has this deadlock, its script knows.
fn card(nth: usize, deadlock: &Deadlock, of: usize, replayed: bool) -> Markup {
    let id = format!("deadlock-{}", nth + 1);
    html! {
        details.deadlock #(id) open[nth < OPEN] {
            summary {
                h3 { "Deadlock " (nth + 1) @if of > 1 { " of " (of) } }
                span.soft {
                    " " (time(deadlock.formed_ns)) (in_words(&deadlock.place)) ", "
                    (count(deadlock.members().len(), "worm"))
                }
            }
            div.details {
                div.circle { (cycle::drawing(&format!("circle-{nth}"), deadlock)) }
                div {
                    p { (deadlock.explained()) }
                    ol { @for line in deadlock.lines() { li { (line) } } }
                    @if replayed {
                        p {
                            a.show hidden href={ "#replay/deadlock=" (deadlock.scene) "," (deadlock.formed_ns) }
                                data-scene=(deadlock.scene) data-formed=(deadlock.formed_ns) { "Show in the replay" }
                        }
                    }
                }
            }
        }
    }
}

fn table(all: &[Deadlock]) -> Markup {
    html! {
        h3 { "All of them" }
        div.scroll {
            table {
                caption {
                    "Every deadlock in order of its formation"
                    @if all.len() > ROWS { "; the first " (ROWS) " of " (all.len()) ", all are in deadlocks.csv" }
                }
                thead { tr {
                    th.num scope="col" { "No." } th.num scope="col" { "Formed" } th scope="col" { "Where" }
                    th scope="col" { "Circle of outputs" } th scope="col" { "Worms that hold them" }
                    th scope="col" { "Broken at" } th.num scope="col" { "Lasted" }
                } }
                tbody { @for (nth, deadlock) in all.iter().take(ROWS).enumerate() {
                    tr {
                        th.num scope="row" { (nth + 1) }
                        td.num { (time(deadlock.formed_ns)) }
                        td { (deadlock.place) }
                        td { (joined(&deadlock.outputs, " → ")) }
                        td { (joined(&deadlock.worms, ", ")) }
                        td { @match deadlock.cleared { Some((output, _)) => (output), None => "not broken" } }
                        td.num { @match deadlock.lasted() { Some(ns) => (time(ns)), None => "to the end" } }
                    }
                } }
            }
        }
    }
}

/// Names in a row; of very many the first.
fn joined(names: &[&str], between: &str) -> String {
    let shown = names[..names.len().min(NAMED)].join(between);
    if names.len() > NAMED { format!("{shown}{between}… ({} in all)", names.len()) } else { shown }
}

fn none_though_one_could(contents: &Contents, cycle: &[Value]) -> Markup {
    let outputs: Vec<&str> = cycle.iter().filter_map(Value::as_str).collect();
    let searched = contents.number("saturation.load_deadlocked");
    html! {
        p.lead {
            @if let Some(load) = searched {
                "No deadlock formed at the loads of the scenario. The search for saturation found one that nothing "
                "breaks, at load " (number(load, 5)) ": the routes let worms wait for each other in a circle over "
            } @else {
                "No deadlock formed in this run, though one could: the routes let worms wait for each other in a "
                "circle over "
            }
            (joined(&outputs, " → ")) "."
        }
        (description(contents))
        p.soft {
            "A deadlock needs worms on all of these outputs at once, each long enough to lie on one while it waits "
            "for the next. "
            @if searched.is_some() { "The traffic of the scenario never brought them together." }
            @else { "This traffic never brought them together." }
        }
    }
}

impl Deadlock<'_> {
    /// How long it stood, in nanoseconds.
    fn lasted(&self) -> Option<f64> {
        self.cleared.map(|(_, at)| at - self.formed_ns)
    }

    fn worm(&self, nth: usize) -> &str {
        self.worms.get(nth).copied().unwrap_or("a worm")
    }

    /// The worms of the circle, each once: a long one may hold several outputs of it.
    fn members(&self) -> Vec<&str> {
        let mut members = Vec::new();
        for worm in &self.worms {
            if !members.contains(worm) {
                members.push(*worm);
            }
        }
        members
    }

    /// The worm whose output is where it was broken.
    fn victim(&self) -> Option<&str> {
        let (output, _) = self.cleared?;
        self.outputs.iter().position(|held| *held == output).map(|nth| self.worm(nth))
    }

    fn in_short(&self) -> String {
        let who = match self.members().as_slice() {
            [one] => format!("{one} waited for itself"),
            worms => format!("{} worms, each waiting for the next", worms.len()),
        };
        match (self.lasted(), self.cleared) {
            (Some(ns), Some((output, _))) => format!("{who}. It was broken after {}, at {output}.", time(ns)),
            _ => format!("{who}. Nothing broke it."),
        }
    }

    /// What happened, in plain words.
    fn explained(&self) -> String {
        let formed = time(self.formed_ns);
        let begin = match self.members().as_slice() {
            [one] => format!(
                "At {formed} the head of {one} came round to where the worm itself still lay: the head could not move \
                 before the tail, nor the tail before the head."
            ),
            worms => format!(
                "At {formed} the circle of {} worms closed: each held a cable that the one before it needed, and \
                 waited for one that the next one held. From then on none of them could move.",
                worms.len()
            ),
        };
        let end = match (self.cleared, self.lasted()) {
            (Some((output, _)), Some(ns)) => {
                let victim = self
                    .victim()
                    .map_or(String::new(), |worm| format!(" and destroyed {worm}, which held it"));
                format!(
                    "It stood for {}; then the way through {output} was reset{victim}. The circle was open.",
                    time(ns)
                )
            }
            _ => "Nothing broke it up to the end of the run.".to_owned(),
        };
        format!("{begin} {end}")
    }

    /// Who holds what, and waits for what: a line a worm, at most so many.
    fn lines(&self) -> Vec<String> {
        let count = self.outputs.len();
        let line = |nth: usize| {
            let next = (nth + 1) % count;
            let (output, needed) = (self.outputs[nth], self.outputs[next]);
            if self.worm(nth) == self.worm(next) {
                format!("{output}, held by {}, leads to {needed}, held by the same", self.worm(nth))
            } else {
                format!("{} holds {output} and needs {needed}, held by {}", self.worm(nth), self.worm(next))
            }
        };
        let mut lines: Vec<String> = (0..count.min(NAMED * 2)).map(line).collect();
        if count > lines.len() {
            lines.push(format!("and so on, {count} in all"));
        }
        lines
    }
}
