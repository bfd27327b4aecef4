//! Keys that scenarios had before `[sweep]` was the only place where anything varies, and how they are written now.
//!
//! A file with such a key gets one fault there; what it would miss besides is not told.

/// A key that is no more.
pub(super) struct Former {
    /// What messages call the table in which it stood.
    table: &'static str,
    /// The key.
    key: &'static str,
    /// What it said, in a sentence without a full stop.
    pub(super) was: &'static str,
    /// The same in today's form: lines of a scenario.
    pub(super) now: &'static str,
}

/// All of them.
const FORMER: &[Former] = &[
    Former {
        table: "the scenario",
        key: "study",
        was: "mappings were compared by [study]: its networks, variants, answering, retries and loads are axes",
        now: STUDY,
    },
    Former {
        table: "[mapping]",
        key: "runs",
        was: "a mapping was run with several seeds by `runs`",
        now: "[sweep]\nrepetitions = 10\nstatistics-over = [\"seed\"]",
    },
];

/// A study of mappings.
const STUDY: &str = "[[sweep.axes]]
name = \"network\"
labels = [\"C\", \"C+A\"]
topology.preset = [\"now-c\", \"now-ca\"]
[[sweep.axes]]
name = \"mapper\"
labels = [\"berkeley\", \"myricom\"]
mapping = [{}, { algorithm = \"myricom\" }]
[[sweep.axes]]
mapping.answering = [36, 18]
[[sweep.axes]]
mapping.retries = [0, 2]
[[sweep.axes]]
mapping.load = [0, 0.1]";

/// What a key of a table was, if it is no more.
pub(super) fn former(table: &str, key: &str) -> Option<&'static Former> {
    FORMER.iter().find(|former| former.table == table && former.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a message showed people a form that has faults of its own.
    #[test]
    fn what_is_shown_can_be_read() {
        for Former { table, key, now, .. } in FORMER {
            let read: Result<toml::Table, _> = toml::from_str(now);
            assert!(read.is_ok(), "{table} {key}: {read:?}");
        }
    }
}
