//! The steps of `growth-steps.csv` as lives: which vertex and which cable is seen from which step to which.
//!
//! A drawing that knows the lives needs no history: at step n it shows what lives at step n, so that any step costs the
//! same and seeking is free.

use std::collections::BTreeMap;

use crate::page::Csv;

/// Steps beyond these are not drawn.
pub(super) const MOST_STEPS: usize = 30_000;

/// The kinds of steps, as the file spells them; the script knows them by their place here.
pub(super) const EVENTS: [&str; 10] =
    ["host", "switch", "explored", "open", "cable", "merged", "pruned", "forgotten", "doubted", "finished"];

/// A port of a vertex.
type Place = (usize, i64);

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
    pub(super) into: Option<usize>,
    /// The step from which on its ports were asked.
    pub(super) explored: Option<usize>,
    /// The vertex that stands for it in the end.
    pub(super) home: usize,
    parent: Place,
}

/// A line of the drawing, from a step to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) a: usize,
    /// The other vertex; of a cable to a switch that is never told: none.
    pub(super) b: Option<usize>,
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
    /// Cables to some switch that is not told yet.
    pub(super) stubs: Vec<Span>,
    /// Cables that are seen, by both ends in either order, and from which step on.
    seen: BTreeMap<(Place, Place), usize>,
    /// Places of which only some switch is known, and the stub there.
    open: BTreeMap<Place, usize>,
}

impl Film {
    /// The film of at most so many rows of a table, up to the first that makes no sense; beside it, what is wrong
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

    fn take(&mut self, nth: usize, row: &Row) -> Result<(), String> {
        match EVENTS[row.event] {
            "host" | "switch" => self.make(nth, row),
            "explored" => {
                let vertex = self.vertex(row.near)?.0;
                let stands = self.find((vertex, 0)).0;
                for vertex in [vertex, stands] {
                    self.vertices[vertex].explored.get_or_insert(nth);
                }
                Ok(())
            }
            "open" => {
                let at = self.vertex(row.near)?;
                let at = self.find(at);
                if !self.open.contains_key(&at) {
                    self.open.insert(at, self.stubs.len());
                    self.stubs.push(Span { a: at.0, b: None, from: nth, to: None });
                }
                Ok(())
            }
            "cable" => {
                let (a, b) = (self.vertex(row.near)?, self.vertex(row.far)?);
                self.lay(nth, a, b);
                Ok(())
            }
            "merged" => {
                let (gone, into) = (self.vertex(row.near)?, self.vertex(row.far)?);
                self.merge(nth, gone, into);
                Ok(())
            }
            "pruned" => {
                let at = self.vertex(row.near)?;
                self.prune(nth, at);
                Ok(())
            }
            "forgotten" => {
                self.forget(nth);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A place of a vertex that is known.
    fn vertex(&self, place: Option<Place>) -> Result<Place, String> {
        let place = place.ok_or("no vertex is named")?;
        if place.0 >= self.vertices.len() {
            return Err(format!("vertex {} has not been made", place.0));
        }
        Ok(place)
    }

    fn make(&mut self, nth: usize, row: &Row) -> Result<(), String> {
        let vertex = row.near.ok_or("no vertex is named")?.0;
        if vertex != self.vertices.len() {
            return Err(format!("vertex {vertex} is made, where {} would be next", self.vertices.len()));
        }
        let from = row.far.map(|from| self.vertex(Some(from))).transpose()?;
        let host = (EVENTS[row.event] == "host").then(|| row.name.clone());
        let (gone, into, explored) = (None, None, None);
        let parent = (vertex, 0);
        self.vertices.push(Life { host, made: nth, gone, into, explored, home: vertex, parent });
        if let Some(from) = from {
            self.lay(nth, from, (vertex, 0));
        }
        Ok(())
    }

    /// The port as the vertex that stands for its own numbers it.
    fn find(&mut self, place: Place) -> Place {
        let (mut vertex, mut port) = place;
        while self.vertices[vertex].parent.0 != vertex {
            let (parent, shift) = self.vertices[vertex].parent;
            let (above, further) = self.vertices[parent].parent;
            let short = if above == parent { (parent, shift) } else { (above, shift + further) };
            self.vertices[vertex].parent = short;
            (vertex, port) = (short.0, port + short.1);
        }
        (vertex, port)
    }

    fn lay(&mut self, nth: usize, a: Place, b: Place) {
        let (a, b) = (self.find(a), self.find(b));
        for (near, far) in [(a, b), (b, a)] {
            self.seen.entry((near, far)).or_insert(nth);
            if let Some(stub) = self.open.remove(&near) {
                let stub = &mut self.stubs[stub];
                (stub.to, stub.b) = (Some(nth), Some(far.0));
            }
        }
    }

    /// Takes a cable away.
    fn cut(&mut self, nth: usize, near: Place, far: Place) {
        self.seen.remove(&(far, near));
        if let Some(from) = self.seen.remove(&(near, far)).filter(|from| *from < nth) {
            self.cables.push(Span { a: near.0, b: Some(far.0), from, to: Some(nth) });
        }
    }

    /// The cables of a vertex, or of a port of it.
    fn cables_of(&self, from: Place, to: Place) -> Vec<(Place, Place)> {
        let range = (from, (0, i64::MIN))..=(to, (usize::MAX, i64::MAX));
        self.seen.range(range).map(|(ends, _)| *ends).collect()
    }

    fn merge(&mut self, nth: usize, gone: Place, into: Place) {
        let (gone, into) = (self.find(gone), self.find(into));
        if gone.0 == into.0 {
            return;
        }
        let shift = into.1 - gone.1;
        self.vertices[gone.0].parent = (into.0, shift);
        (self.vertices[gone.0].gone, self.vertices[gone.0].into) = (Some(nth), Some(into.0));
        if self.vertices[gone.0].explored.is_some() {
            self.vertices[into.0].explored.get_or_insert(nth);
        }
        for (near, far) in self.cables_of((gone.0, i64::MIN), (gone.0, i64::MAX)) {
            // A cable from the vertex to itself has been moved when it comes up a second time.
            if self.seen.contains_key(&(near, far)) {
                self.cut(nth, near, far);
                self.lay(nth, near, far);
            }
        }
    }

    fn prune(&mut self, nth: usize, at: Place) {
        let at = self.find(at);
        for (near, far) in self.cables_of(at, at) {
            self.cut(nth, near, far);
            let is_bare = self.cables_of((far.0, i64::MIN), (far.0, i64::MAX)).is_empty();
            if is_bare && self.vertices[far.0].host.is_none() {
                self.vertices[far.0].gone = Some(nth);
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
                self.cables.push(Span { a: near.0, b: Some(far.0), from, to: None });
            }
        }
        for vertex in 0..self.vertices.len() {
            self.vertices[vertex].home = self.find((vertex, 0)).0;
        }
    }
}

impl Row {
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
            let vertex = text(vertex).parse::<u32>().map_err(|_| wrong(vertex))?;
            let port = text(port).parse::<i32>().map_err(|_| wrong(port))?;
            Ok(Some((vertex as usize, i64::from(port))))
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
    fn a_stub_lasts_until_its_switch_is_told() {
        let rows = ["host,0,0,,,h", "switch,1,0,0,0,", "open,1,2,,,", "open,1,3,,,", "switch,2,0,1,2,"];
        let stubs = film(&rows).0.stubs;
        assert_eq!(stubs[0], Span { a: 1, b: Some(2), from: 2, to: Some(4) });
        assert_eq!(stubs[1], Span { a: 1, b: None, from: 3, to: None });
    }
}
