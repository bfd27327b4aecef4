//! The drawing itself, as SVG: what stands where is the layout's, what it looks like the style's.
//!
//! Every direction of a cable is a path of the class `lane` and of a step of colour; boxes and dots come after all
//! cables, so that they lie above them.

use std::fmt::Write as _;

use maud::PreEscaped;

use crate::diagnostics::legible;
use crate::report::escaped;
use crate::topology::Network;

use super::layout::{DOT, Frame, LETTERS, Layout};
use super::loads::{Load, step};
use super::outages::Outage;

/// Drawings of more cables have thinner ones.
const DENSE: usize = 1_000;

/// Draws a network: at a load if there is one, in colours up to `top`.
pub(super) fn svg(
    network: &Network,
    layout: &Layout,
    load: Option<(&Load, f64)>,
    outages: &[Outage],
) -> PreEscaped<String> {
    let mut svg = String::new();
    draw(&mut svg, network, layout, load, outages).expect("a string takes what is written");
    PreEscaped(svg)
}

fn draw(
    svg: &mut String,
    network: &Network,
    layout: &Layout,
    load: Option<(&Load, f64)>,
    outages: &[Outage],
) -> std::fmt::Result {
    let Layout { width, height, .. } = layout;
    let dense = if layout.cables.len() > DENSE { " class=\"dense\"" } else { "" };
    write!(
        svg,
        "<svg id=\"network-drawing\" viewBox=\"0 0 {width} {height}\" role=\"group\" \
         aria-labelledby=\"network-caption\"><g id=\"network-world\"{dense}>"
    )?;
    let has_failed = |link: usize| outages.iter().any(|outage| outage.link == link);
    for (nth, cable) in layout.cables.iter().enumerate() {
        let failed = if has_failed(nth) { " failed" } else { "" };
        // What is pointed at lies below the lanes: it marks a cable that is chosen.
        write!(
            svg,
            "<g class=\"cable{failed}\" data-link=\"{nth}\"><path class=\"hit\" d=\"{}\"/>",
            cable.middle
        )?;
        for (channel, path) in [(2 * nth, &cable.forward), (2 * nth + 1, &cable.backward)] {
            let step = load.map_or(0, |(load, top)| step(load.value(0, channel), top));
            write!(svg, "<path class=\"lane q{step}\" d=\"{path}\"/>")?;
        }
        svg.push_str("</g>");
    }
    for (nth, (switch, frame)) in network.switches().iter().zip(&layout.boxes).enumerate() {
        let (Frame { at: (x, y), half, half_height }, row) = (*frame, layout.rows[nth]);
        let (left, top, wide, high) = (x - half, y - half_height, 2 * half, 2 * half_height);
        write!(
            svg,
            "<g class=\"node switch\" data-node=\"{nth}\" data-row=\"{row}\"><rect x=\"{left}\" y=\"{top}\" \
             width=\"{wide}\" height=\"{high}\" rx=\"4\"/><text x=\"{x}\" y=\"{}\">{}</text></g>",
            y + 5,
            escaped(&clipped(&switch.name))
        )?;
    }
    let switches = network.switches().len();
    for (nth, (x, y)) in layout.hosts.iter().enumerate() {
        let node = switches + nth;
        write!(
            svg,
            "<g class=\"node host\" data-node=\"{node}\"><circle cx=\"{x}\" cy=\"{y}\" r=\"{DOT}\"/></g>"
        )?;
    }
    svg.write_str("</g></svg>")
}

/// A name that has room in its box.
fn clipped(name: &str) -> String {
    let name = legible(name);
    if name.chars().count() <= LETTERS {
        return name.into_owned();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}
