//! Lists of what varies: all of a list, or its ends.

/// The positions of a list; one `None` for an empty one, which does not vary.
pub(super) fn positions(length: usize) -> Vec<Option<usize>> {
    if length == 0 { vec![None] } else { (0..length).map(Some).collect() }
}

/// Keeps the first and the last.
pub(super) fn ends<T>(list: &mut Vec<T>) {
    if list.len() > 2 {
        list.drain(1..list.len() - 1);
    }
}
