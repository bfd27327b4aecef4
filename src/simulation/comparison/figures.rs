//! One figure a size: latency against accepted traffic, a curve a routing.

use crate::scenario::Checked;

use super::{ComparisonReport, Results};

/// The figure of every size whose nearest network has curves: name and SVG.
pub(super) fn all(
    _checked: &Checked,
    _results: &Results<'_>,
    _report: &ComparisonReport,
) -> Vec<(String, String)> {
    Vec::new()
}
