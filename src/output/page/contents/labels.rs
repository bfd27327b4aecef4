//! The summary as people read it: nodes, ports and messages by their labels.

use serde_json::Value;

use simnet_network::topology::Network;

/// The keys of a summary below which texts name nodes, ports and messages.
const NAMING: [&str; 6] = ["busiest_channels", "deadlocks", "map", "most_blocked_channels", "rings", "route"];

/// The summary with labels in place of names; none where every node's label is its name.
pub(super) fn labelled(summary: &Value, network: &Network) -> Option<Value> {
    if !network.has_labels() {
        return None;
    }
    let mut summary = summary.clone();
    for key in NAMING {
        if let Some(value) = summary.get_mut(key) {
            relabel(value, network);
        }
    }
    Some(summary)
}

/// Replaces every text that names something. A summary is no deeper than the reader of JSON allows.
fn relabel(value: &mut Value, network: &Network) {
    match value {
        Value::String(text) => *text = network.labelled(text),
        Value::Array(list) => list.iter_mut().for_each(|value| relabel(value, network)),
        Value::Object(table) => table.values_mut().for_each(|value| relabel(value, network)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
