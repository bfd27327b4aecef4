//! Columns of tables in words: what they show, and in which unit.

/// A unit that a column's name ends with, as people write it, and how many of it are one of theirs.
const UNITS: [(&str, &str); 12] = [
    ("_flits_per_cycle_per_host", "flits / cycle / host"),
    ("_flits_per_cycle_per_sender", "flits / cycle / sender"),
    ("_bits_per_s", "bit/s"),
    ("_per_ns_per_switch", "flits / ns / switch"),
    ("_bytes", "bytes"),
    ("_percent", "%"),
    ("_permille", "‰"),
    ("_ns", "ns"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_share", "share"),
];

/// Where a sweep's table has the load point of each of its points, which mostly has no other.
const ONLY_POINT: &str = "points.0.";

/// How a column is called at an axis, and by how much its numbers are divided there.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What it shows.
    pub name: String,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// How many units of the table are one of the axis.
    pub scale: f64,
}

impl Label {
    /// The label of a column whose largest drawn number is this.
    pub fn new(column: &str, largest: f64) -> Label {
        let column = column.strip_prefix(ONLY_POINT).unwrap_or(column);
        let known = UNITS.iter().find(|(end, _)| column.ends_with(end));
        let (stem, unit) = match known {
            Some((end, unit)) => (&column[..column.len() - end.len()], *unit),
            None => (column, ""),
        };
        let (unit, scale) = match (unit, largest) {
            ("ns", 2e9..) => ("s", 1e9),
            ("ns", 2e6..) | ("µs", 2e3..2e6) => ("ms", if unit == "ns" { 1e6 } else { 1e3 }),
            ("ns", 2e3..) => ("µs", 1e3),
            ("ms", 2e3..) => ("s", 1e3),
            ("bit/s", 2e9..) => ("Gbit/s", 1e9),
            ("bit/s", 2e6..) => ("Mbit/s", 1e6),
            _ => (unit, 1.0),
        };
        Label { name: phrase(stem), unit, scale }
    }

    /// As it stands at an axis.
    pub fn axis(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
    }
}

/// A column's stem in words: `latency_p99` is `latency, 99th percentile`.
fn phrase(stem: &str) -> String {
    let ends = [
        ("_mean", ", mean"),
        ("_p50", ", median"),
        ("_p90", ", 90th percentile"),
        ("_p99", ", 99th percentile"),
        ("_p999", ", 99.9th percentile"),
        ("_max", ", longest"),
        ("_min", ", shortest"),
    ];
    let special = [
        ("accepted", "accepted traffic"),
        ("offered", "offered traffic"),
        ("from", "time"),
        ("begin", "time"),
        ("at", "time"),
        ("size", "size a rank"),
        ("recovered", "recovered"),
    ];
    if let Some((_, words)) = special.iter().find(|(key, _)| *key == stem) {
        return (*words).to_owned();
    }
    let (head, tail) =
        ends.iter().find_map(|(end, words)| Some((stem.strip_suffix(end)?, *words))).unwrap_or((stem, ""));
    format!("{}{tail}", head.replace(['_', '.'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_units_and_sizes_for_people() {
        let cases = [
            ("latency_mean_ns", 950.0, "latency, mean (ns)", 1.0),
            ("latency_p99_ns", 57_000.0, "latency, 99th percentile (µs)", 1e3),
            ("accepted_flits_per_cycle_per_host", 0.1, "accepted traffic (flits / cycle / host)", 1.0),
            ("total_mean_s", 33.0, "total, mean (s)", 1.0),
            ("from_ms", 90_000.0, "time (s)", 1e3),
            ("sent", 7.0, "sent", 1.0),
            ("points.0.load", 7.0, "load", 1.0),
            ("points.1.load", 7.0, "points 1 load", 1.0),
        ];
        for (column, largest, axis, scale) in cases {
            let label = Label::new(column, largest);
            assert_eq!((label.axis().as_str(), label.scale), (axis, scale), "{column}");
        }
    }
}
