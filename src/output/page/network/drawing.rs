//! The drawing itself: what stands where is the layout's, what it looks like the style sheet's.
//!
//! Every direction of a cable is a line of the class `lane` and of a step of colour; boxes and dots come after all
//! cables, so that they lie above them.

use maud::PreEscaped;

use crate::report::{Pen, Stroke, Words};
use simnet_base::diagnostics::legible;
use simnet_base::ids::Node;
use simnet_network::topology::Network;

use super::layout::{DOT, Frame, LETTERS, Layout, Way};
use super::loads::{Load, step};
use super::outages::Outage;

/// Drawings of more cables have thinner ones.
const DENSE: usize = 1_000;

/// Draws a network: at a load if there is one, in colours up to `top`.
pub(super) fn svg(
    id: &str,
    network: &Network,
    layout: &Layout,
    load: Option<(&Load, f64)>,
    outages: &[Outage],
) -> PreEscaped<String> {
    let mut pen = Pen::on_page(id, "The network; what its colours mean is said below");
    pen.begin_class(if layout.cables.len() > DENSE { "world dense" } else { "world" }, &[]);
    cables(&mut pen, layout, load, outages);
    nodes(&mut pen, network, layout);
    pen.end();
    PreEscaped(pen.finish((layout.width as f64, layout.height as f64)))
}

fn cables(pen: &mut Pen, layout: &Layout, load: Option<(&Load, f64)>, outages: &[Outage]) {
    let has_failed = |link: usize| outages.iter().any(|outage| outage.link == link);
    for (nth, cable) in layout.cables.iter().enumerate() {
        pen.begin_class(if has_failed(nth) { "cable failed" } else { "cable" }, &[("link", nth)]);
        // What is pointed at lies below the lanes: it marks a cable that is chosen.
        along(pen, &cable.middle, "hit");
        for (channel, way) in [(2 * nth, &cable.forward), (2 * nth + 1, &cable.backward)] {
            let step = load.map_or(0, |(load, top)| step(load.value(0, channel), top));
            along(pen, way, &format!("lane q{step}"));
        }
        pen.end();
    }
}

fn along(pen: &mut Pen, way: &Way, class: &str) {
    match way {
        Way::Straight(ends) => pen.path(ends, Stroke::styled(class)),
        Way::Curved(spots) => pen.curve(*spots, Stroke::styled(class)),
    }
}

fn nodes(pen: &mut Pen, network: &Network, layout: &Layout) {
    let real = |(x, y): (i64, i64)| (x as f64, y as f64);
    for (nth, (switch, frame)) in network.switch_ids().zip(&layout.boxes).enumerate() {
        let Frame { at: (x, y), half, half_height } = *frame;
        pen.begin_class("node switch", &[("node", nth), ("row", layout.rows[nth])]);
        let corners = [(x - half, y - half_height), (x + half, y + half_height)].map(real);
        pen.rectangle(corners[0], corners[1], true, "", "");
        pen.text(real((x, y + 5)), Words::styled(), &clipped(network.label(Node::Switch(switch))));
        pen.end();
    }
    for (nth, dot) in layout.hosts.iter().enumerate() {
        pen.begin_class("node host", &[("node", network.switches().len() + nth)]);
        pen.circle(real(*dot), DOT as f64, "", None);
        pen.end();
    }
}

/// A name that has room in its box.
fn clipped(name: &str) -> String {
    let name = legible(name);
    if name.chars().count() <= LETTERS {
        return name.into_owned();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}
