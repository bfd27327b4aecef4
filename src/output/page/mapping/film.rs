//! The steps of `growth-steps.csv` as lives: which vertex and which cable is seen from which step to which.
//!
//! A drawing that knows the lives needs no history: at step n it shows what lives at step n, so that any step costs the
//! same and seeking is free.

use std::collections::BTreeMap;

use simnet_media::host::mapper::model::{Change, Model, Place, VertexId};

use crate::page::Csv;

/// Steps beyond these are not drawn.
pub(super) const MOST_STEPS: usize = 30_000;

/// The kinds of steps; the script knows them by their place here.
pub(super) const EVENTS: [&str; 10] = Change::NAMES;

/// A row of the file.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) time_ns: f64,
    pub(super) probes: u64,
    /// Its place in [`EVENTS`].
    pub(super) event: usize,
    pub(super) near: Option<Place>,
    pub(super) far: Option<Place>,
    pub(super) name: String,
    /// Hosts, switch vertices that stand, cables, vertices merged, vertices pruned.
    pub(super) sizes: [u64; 5],
}

/// A vertex of the model and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Life {
    /// The host's name; `None` for a switch.
    pub(super) host: Option<String>,
    /// The step that made it.
    pub(super) made: usize,
    /// The step that ended it.
    pub(super) gone: Option<usize>,
    /// The vertex that it was found to be.
    pub(super) into: Option<VertexId>,
    /// The step from which on its ports were asked.
    pub(super) explored: Option<usize>,
    /// The vertex that stands for it in the end.
    pub(super) home: VertexId,
}

/// A line of the drawing, from a step to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) a: VertexId,
    /// The other vertex; of a cable to a switch that is never identified: none.
    pub(super) b: Option<VertexId>,
    pub(super) from: usize,
    pub(super) to: Option<usize>,
}

/// A growing model as lives.
#[derive(Debug, Default)]
pub(super) struct Film {
    pub(super) rows: Vec<Row>,
    pub(super) vertices: Vec<Life>,
    /// Cables between vertices.
    pub(super) cables: Vec<Span>,
    /// Cables to some switch that is not identified yet.
    pub(super) stubs: Vec<Span>,
    /// The model, as the steps so far made it.
    model: Model,
    /// Cables that are seen, by both ends in either order, and from which step on.
    seen: BTreeMap<(Place, Place), usize>,
    /// Places where only some switch is known, and the stub there.
    open: BTreeMap<Place, usize>,
}

impl Film {
    /// The film of at most so many rows of a table, up to the first that makes no sense; with it, what is wrong
    /// with that.
    pub(super) fn of(table: &Csv, most: usize) -> (Film, Option<String>) {
        let mut film = Film::default();
        let mut complaint = None;
        for (nth, cells) in table.rows.iter().enumerate().take(most) {
            let taken = Row::read(table, cells).and_then(|row| {
                film.take(nth, &row)?;
                film.rows.push(row);
                Ok(())
            });
            if let Err(what) = taken {
                complaint =
                    Some(format!("growth-steps.csv, line {}: {what}; the drawing ends before it", nth + 2));
                break;
            }
        }
        film.end();
        (film, complaint)
    }

    /// The mapper's host: the first that was made.
    pub(super) fn mapper(&self) -> Option<&str> {
        self.vertices.iter().find_map(|life| life.host.as_deref())
    }

    /// Takes the step of a row: plays it, and notes what begins and ends with it.
    fn take(&mut self, nth: usize, row: &Row) -> Result<(), String> {
        let Some(change) = row.change()? else { return Ok(()) };
        // The vertex that goes, by the numbers before the step.
        let goes = match &change {
            Change::Merged { vertex, .. } if *vertex < self.vertices.len() => Some(self.stands_for(*vertex)),
            _ => None,
        };
        self.model.play(&change).map_err(|misfit| misfit.to_string())?;
        match change {
            Change::Host { from, name, .. } => self.make(nth, from, Some(name)),
            Change::Switch { from, .. } => self.make(nth, from, None),
            Change::Explored { vertex } => {
                for vertex in [vertex, self.stands_for(vertex)] {
                    self.vertices[vertex].explored.get_or_insert(nth);
                }
            }
            Change::Open { at } => self.open_stub(nth, at),
            Change::Cable { a, b } => self.lay(nth, a, b),
            Change::Merged { .. } => goes.into_iter().for_each(|goes| self.merge(nth, goes)),
            Change::Pruned { at } => self.prune(nth, at),
            Change::Forgotten => self.forget(nth),
            Change::Doubted(_) | Change::Finished => {}
        }
        Ok(())
    }

    /// The vertex that stands for a vertex's switch.
    fn stands_for(&mut self, vertex: VertexId) -> VertexId {
        self.model.resolve(Place { vertex, port: 0 }).vertex
    }

    fn make(&mut self, nth: usize, from: Option<Place>, host: Option<String>) {
        let vertex = self.vertices.len();
        let (gone, into, explored) = (None, None, None);
        self.vertices.push(Life { host, made: nth, gone, into, explored, home: vertex });
        if let Some(from) = from {
            self.lay(nth, from, Place { vertex, port: 0 });
        }
    }

    fn open_stub(&mut self, nth: usize, at: Place) {
        let at = self.model.resolve(at);
        if !self.open.contains_key(&at) {
            self.open.insert(at, self.stubs.len());
            self.stubs.push(Span { a: at.vertex, b: None, from: nth, to: None });
        }
    }

    fn lay(&mut self, nth: usize, a: Place, b: Place) {
        let (a, b) = (self.model.resolve(a), self.model.resolve(b));
        for (near, far) in [(a, b), (b, a)] {
            self.seen.entry((near, far)).or_insert(nth);
            if let Some(stub) = self.open.remove(&near) {
                let stub = &mut self.stubs[stub];
                (stub.to, stub.b) = (Some(nth), Some(far.vertex));
            }
        }
    }

    /// Takes a cable away.
    fn cut(&mut self, nth: usize, near: Place, far: Place) {
        self.seen.remove(&(far, near));
        if let Some(from) = self.seen.remove(&(near, far)).filter(|from| *from < nth) {
            self.cables.push(Span { a: near.vertex, b: Some(far.vertex), from, to: Some(nth) });
        }
    }

    /// The cables between two ports of a vertex, both included.
    fn cables_of(&self, from: Place, to: Place) -> Vec<(Place, Place)> {
        let (first, last) = (all_ports(0).0, all_ports(VertexId::MAX).1);
        self.seen.range((from, first)..=(to, last)).map(|(ends, _)| *ends).collect()
    }

    /// Ends a vertex that turned out to be another: its cables go on there.
    fn merge(&mut self, nth: usize, goes: VertexId) {
        let stays = self.stands_for(goes);
        if goes == stays {
            return;
        }
        (self.vertices[goes].gone, self.vertices[goes].into) = (Some(nth), Some(stays));
        if self.vertices[goes].explored.is_some() {
            self.vertices[stays].explored.get_or_insert(nth);
        }
        let (first, last) = all_ports(goes);
        for (near, far) in self.cables_of(first, last) {
            // A cable from the vertex to itself has been moved when it comes up a second time.
            if self.seen.contains_key(&(near, far)) {
                self.cut(nth, near, far);
                self.lay(nth, near, far);
            }
        }
    }

    fn prune(&mut self, nth: usize, at: Place) {
        let at = self.model.resolve(at);
        for (near, far) in self.cables_of(at, at) {
            self.cut(nth, near, far);
            let (first, last) = all_ports(far.vertex);
            let is_bare = self.cables_of(first, last).is_empty();
            if is_bare && self.vertices[far.vertex].host.is_none() {
                self.vertices[far.vertex].gone = Some(nth);
            }
        }
    }

    fn forget(&mut self, nth: usize) {
        self.vertices.iter_mut().for_each(|life| _ = life.gone.get_or_insert(nth));
        for ends in self.seen.keys().copied().collect::<Vec<_>>() {
            self.cut(nth, ends.0, ends.1);
        }
        for stub in std::mem::take(&mut self.open).into_values() {
            self.stubs[stub].to = Some(nth);
        }
    }

    /// What is seen to the end.
    fn end(&mut self) {
        for ((near, far), from) in std::mem::take(&mut self.seen) {
            if near <= far {
                self.cables.push(Span { a: near.vertex, b: Some(far.vertex), from, to: None });
            }
        }
        for vertex in 0..self.vertices.len() {
            self.vertices[vertex].home = self.stands_for(vertex);
        }
    }
}

/// The first and the last place of a vertex.
fn all_ports(vertex: VertexId) -> (Place, Place) {
    (Place { vertex, port: i32::MIN }, Place { vertex, port: i32::MAX })
}

impl Row {
    /// The change that the row records; `None` for a doubt and the end, which change no model.
    fn change(&self) -> Result<Option<Change>, String> {
        let event = EVENTS[self.event];
        let change = Change::of_cells(event, self.near, self.far, &self.name);
        if change.is_none() && !matches!(event, "doubted" | "finished") {
            return Err("no vertex is named".to_owned());
        }
        Ok(change)
    }

    fn read(table: &Csv, cells: &[String]) -> Result<Row, String> {
        let text = |column: &str| {
            let place = table.columns.iter().position(|name| name == column);
            place.and_then(|place| cells.get(place)).map(String::as_str).unwrap_or_default()
        };
        let number = |column: &str| {
            let value = text(column).parse::<f64>().ok().filter(|value| (0.0..1e12).contains(value));
            value.ok_or_else(|| format!("{column} is {:?}, not a number", text(column)))
        };
        let place = |vertex: &str, port: &str| -> Result<Option<Place>, String> {
            if text(vertex).is_empty() {
                return Ok(None);
            }
            let wrong = |column: &str| format!("{column} is {:?}, not a whole number", text(column));
            let vertex = text(vertex).parse::<u32>().map_err(|_| wrong(vertex))? as VertexId;
            let port = text(port).parse::<i32>().map_err(|_| wrong(port))?;
            Ok(Some(Place { vertex, port }))
        };
        let event = EVENTS.iter().position(|event| *event == text("event"));
        let mut sizes = [0; 5];
        for (size, column) in sizes.iter_mut().zip(["hosts", "switches", "cables", "merged", "pruned"]) {
            *size = text(column).parse().map_err(|_| format!("{column} is {:?}", text(column)))?;
        }
        Ok(Row {
            time_ns: number("time_ms")? * 1e6,
            probes: text("probes").parse().map_err(|_| format!("probes is {:?}", text("probes")))?,
            event: event.ok_or_else(|| format!("{:?} is no event", text("event")))?,
            near: place("vertex", "port")?,
            far: place("other", "other_port")?,
            name: text("name").to_owned(),
            sizes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &str =
        "step,time_ms,probes,event,vertex,port,other,other_port,name,hosts,switches,cables,merged,pruned";

    fn film(rows: &[&str]) -> (Film, Option<String>) {
        let columns = COLUMNS.split(',').map(str::to_owned).collect();
        let row = |(nth, row): (usize, &&str)| {
            let text = format!("{},0.5,2,{row},0,0,0,0,0", nth + 1);
            text.split(',').map(str::to_owned).collect()
        };
        let rows = rows.iter().enumerate().map(row).collect();
        Film::of(&Csv { columns, rows, ..Csv::default() }, MOST_STEPS)
    }

    #[test]
    fn a_replicate_lives_until_it_is_merged_and_its_cables_go_on_with_the_other() {
        // h - 1; 2 behind 1:2; 3 behind 2:-1; g behind 3:4; then 3 is 1 entered at its port -1.
        let rows = [
            "host,0,0,,,h",
            "switch,1,0,0,0,",
            "switch,2,0,1,2,",
            "switch,3,0,2,-1,",
            "host,4,0,3,4,g",
            "explored,3,0,,,",
            "merged,3,0,1,-1,",
            "pruned,1,2,,,",
            "pruned,1,-1,,,",
        ];
        let (film, complaint) = film(&rows);
        assert_eq!((film.rows.len(), complaint), (9, None));
        let lives: Vec<(Option<usize>, Option<usize>, usize)> =
            film.vertices.iter().map(|life| (life.gone, life.into, life.home)).collect();
        let stays = |vertex| (None, None, vertex);
        assert_eq!(lives, [stays(0), stays(1), (Some(8), None, 2), (Some(6), Some(1), 1), stays(4)]);
        assert_eq!(film.vertices[1].explored, Some(6), "as its replicate was");
        let mut spans: Vec<_> = film.cables.iter().map(|span| (span.a, span.b, span.from, span.to)).collect();
        spans.sort();
        let until = |a, b, from, to| (a, Some(b), from, Some(to));
        let expected = [
            (0, Some(1), 1, None),
            until(1, 2, 2, 7),
            until(1, 2, 6, 8),
            (1, Some(4), 6, None),
            until(3, 2, 3, 6),
            until(3, 4, 4, 6),
        ];
        assert_eq!(spans, expected);
    }

    #[test]
    fn rows_that_make_no_sense_end_the_film_with_a_sentence() {
        for (row, expected) in [
            ("switch,7,0,0,0,", "vertex 7 is made, where 1 would be next"),
            ("cable,0,0,9,1,", "vertex 9 has not been made"),
            ("merged,0,0,,,", "no vertex is named"),
            ("explored,x,0,,,", "vertex is \"x\", not a whole number"),
            ("explored,0,99999999999,,,", "port is \"99999999999\", not a whole number"),
            ("<script>,0,0,,,", "\"<script>\" is no event"),
        ] {
            let (film, complaint) = film(&["host,0,0,,,h", row, "finished,,,,,"]);
            assert_eq!(film.rows.len(), 1);
            let complaint = complaint.unwrap();
            assert!(complaint.contains(expected) && complaint.contains("line 3"), "{complaint}");
        }
    }

    #[test]
    fn a_stub_lasts_until_its_switch_is_identified() {
        let rows = ["host,0,0,,,h", "switch,1,0,0,0,", "open,1,2,,,", "open,1,3,,,", "switch,2,0,1,2,"];
        let stubs = film(&rows).0.stubs;
        assert_eq!(stubs[0], Span { a: 1, b: Some(2), from: 2, to: Some(4) });
        assert_eq!(stubs[1], Span { a: 1, b: None, from: 3, to: None });
    }
}
