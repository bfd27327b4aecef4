//! Whether load points have the time that they need: on the simulated clock, before the horizon, and for one message.

use simnet_base::diagnostics::Fault;
use simnet_base::numbers::{number, significant, time};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::Network;

use crate::checked::{Checked, Extent, Generated, Stages, Topology, Traffic, Work};
use crate::cost::{longest_without_loads, needed_ps};
use crate::diagnostics::{Diagnostics, Place};
use crate::fabric::flit_time;
use crate::wire::Document;

/// Warns of loads whose points cannot come to what they are to measure.
pub(super) fn check(checked: &Checked, document: &Document, diagnostics: &mut Diagnostics) {
    check_others(checked, document, diagnostics);
    let Work::Stages(Stages { traffic: Some(Traffic::Generated(generated)), .. }) = &checked.work else {
        return;
    };
    let patterns = document.traffic.value().map(|traffic| traffic.kinds.patterns()).unwrap_or_default();
    let list = patterns.first().and_then(|pattern| pattern.value()?.loads.get());
    let places: Vec<Place> = list.into_iter().flat_map(|list| &list.value).map(|at| at.place).collect();
    for (load, place) in generated.loads.iter().zip(places) {
        check_time(checked, generated, *load, place, diagnostics);
    }
    check_window(checked, generated, document, diagnostics);
}

/// Warns of all-gathers and of mappings that outlast the simulated clock.
fn check_others(checked: &Checked, document: &Document, diagnostics: &mut Diagnostics) {
    let section = document.allgather.get().map(|at| at.place).or(document.mapping.get().map(|at| at.place));
    let needed = longest_without_loads(checked);
    let clock = Time::END.as_ps() as f64;
    if let (Some(place), true) = (section, needed > clock) {
        let [needed, most] = [needed, clock].map(shown);
        let message = format!("this takes about {needed} of simulated time");
        let expected = format!("the simulated clock ends after {most}: what is not over then has no time");
        diagnostics.warn(place, |span| Fault::new("beyond-clock", span, message, expected));
    }
}

/// Warns of a load whose messages come too seldom for the time that there is. A network that falls behind or dies
/// ends in another way.
fn check_time(
    checked: &Checked,
    generated: &Generated,
    load: f64,
    place: Place,
    diagnostics: &mut Diagnostics,
) {
    let measure = &checked.measure;
    let needed = needed_ps(measure, &generated.workload, load, checked.load_flit_time());
    let clock = Time::END.as_ps() as f64;
    let (code, what, most) = match measure.horizon.map(|horizon| horizon.as_ps() as f64) {
        Some(horizon) if needed > horizon => ("beyond-horizon", "the horizon comes", horizon),
        None if needed > clock => ("beyond-clock", "the simulated clock ends", clock),
        _ => return,
    };
    let [needed, most] = [needed, most].map(shown);
    let load = number(load, 6);
    let message =
        format!("at the load {load}, what is to be measured takes at least {needed} of simulated time");
    let expected = format!("{what} after {most}: unless it saturates or dies, the point ends with `horizon`");
    diagnostics.warn(place, |span| Fault::new(code, span, message, expected));
}

/// Warns of a window that is shorter than the longest message takes over a host's cable.
fn check_window(
    checked: &Checked,
    generated: &Generated,
    document: &Document,
    diagnostics: &mut Diagnostics,
) {
    let Extent::Duration(window) = checked.measure.extent else { return };
    let wire = document.measure.value();
    let Some(place) = wire.and_then(|wire| wire.duration.get()).map(|at| at.place) else { return };
    let rate = slowest(&checked.topology, flit_time(checked.fabric.rate));
    let message = rate * u64::from(generated.workload.sizes.longest());
    if window < message {
        diagnostics.warn(place, |span| {
            let message = format!("a window of {window}, and a message takes {message} over a cable");
            Fault::new("short-window", span, message, "the points will not converge")
        });
    }
}

/// The longest flit time of the cables of hosts that take part.
fn slowest(topology: &Topology, usual: Duration) -> Duration {
    let network: &Network = &topology.network;
    let links = network.host_ids().filter_map(|host| Some(topology.attachment(host)?.1));
    let times = links.map(|link| network.link(link).rate.map_or(usual, flit_time));
    times.max().unwrap_or(usual)
}

/// A span in picoseconds as seconds or days.
fn shown(ps: f64) -> String {
    let seconds = ps / 1e12;
    match seconds {
        few if few < 86_400.0 => time(ps / 1e3),
        many => format!("{} days", number(significant(libm::floor(many / 86_400.0), 3), 3)),
    }
}
