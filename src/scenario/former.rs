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
const FORMER: &[Former] = &[];

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
