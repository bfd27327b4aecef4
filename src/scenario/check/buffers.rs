//! Whether buffers hold what still arrives after a STOP.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::{LinkId, Node};
use simnet_base::units::Flits;
use simnet_network::topology::Network;

use super::names;
use crate::diagnostics::{Diagnostics, Place};
use crate::fabric::{Fabric, Hosts, base_cycle, overshoot, timing};
use crate::generation;
use crate::wire::Document;

/// A cable and the flits that still arrive over it after a STOP.
struct Worst {
    link: LinkId,
    arriving: u64,
    /// How many cables break the rule.
    count: usize,
}

impl Worst {
    /// The worst of those cables, each with the flits that still arrive over it, that are at fault; of several the
    /// first.
    fn among(
        cables: impl Iterator<Item = (LinkId, u64)>,
        is_at_fault: &dyn Fn(LinkId, u64) -> bool,
    ) -> Option<Worst> {
        let bad: Vec<(LinkId, u64)> = cables.filter(|(link, over)| is_at_fault(*link, *over)).collect();
        let (link, arriving) = *bad.iter().max_by_key(|(link, over)| (*over, std::cmp::Reverse(*link)))?;
        Some(Worst { link, arriving, count: bad.len() })
    }
}

/// Notes cables over which more arrives after a STOP than a buffer has room for, and those that leave a
/// bubble after a GO.
///
/// # Source
/// With a delay of `d` cycles, `2d - 1` flits are under way when STOP takes effect: a buffer needs
/// `stop + 2d - 1` flits, and flows without a pause after GO from `go = 2d - 1` on.
pub(super) fn check(
    document: &Document,
    fabric: &Fabric,
    hosts: &Hosts,
    network: &Network,
    diagnostics: &mut Diagnostics,
) {
    let base = base_cycle(fabric, hosts, network);
    let arriving = |link: LinkId| overshoot(timing(fabric, network.link(link), base));
    let arriving = || (0..network.links().len()).map(LinkId::new).map(|link| (link, arriving(link)));
    let worst = |is_at_fault: &dyn Fn(LinkId, u64) -> bool| Worst::among(arriving(), is_at_fault);
    let ends_at = |link: LinkId, hosts_too: bool| {
        let link = network.link(link);
        [link.a, link.b].iter().any(|end| matches!(end.node, Node::Host(_)) == hosts_too)
    };
    let wire = document.fabric.value();
    let section = document.fabric.get().map(|at| at.place);
    let preset = wire.and_then(|wire| wire.preset.get()).map(|at| at.place);
    // A default stands at its section, what a preset gives at the preset; point at the first of these that the user
    // wrote instead.
    let written = |places: &[Option<Place>]| {
        let own = places.iter().flatten().copied();
        own.clone().find(|place| ![section, preset].contains(&Some(*place))).or(preset).or(section)
    };
    let over = |stop: Flits, buffer: Flits| move |arriving: u64| stop.0.saturating_add(arriving) > buffer.0;
    let fits_not = over(fabric.stop, fabric.buffer);
    let in_order = fabric.stop.0 <= fabric.buffer.0;
    if let Some(worst) = worst(&|link, arriving| in_order && ends_at(link, false) && fits_not(arriving)) {
        let at = wire.and_then(|wire| {
            let [stop, buffer] = [&wire.stop, &wire.buffer].map(|given| given.get().map(|at| at.place));
            let from_scenario = network.link(worst.link).length.is_none();
            let length = wire.cable_length.get().filter(|_| from_scenario).map(|at| at.place);
            written(&[stop, buffer, length])
        });
        // A preset's rate would be taken by cables that have none: their overrun is another one then.
        let rate = network.link(worst.link).rate.filter(|_| at == section);
        let preset = rate.and_then(|rate| generation::that_holds(rate, worst.arriving)).map(|it| it.name);
        overrun(at, ["stop", "buffer"], (fabric.stop, fabric.buffer), (&worst, preset), network, diagnostics);
    }
    if let Some(receive) = hosts.receive {
        let fits_not = over(receive.stop, receive.buffer);
        let in_order = receive.stop.0 <= receive.buffer.0;
        if let Some(worst) = worst(&|link, arriving| in_order && ends_at(link, true) && fits_not(arriving)) {
            let at = document.hosts.value().and_then(|wire| wire.receive_buffer.get()).map(|at| at.place);
            let keys = ["receive-stop", "receive-buffer"];
            overrun(at, keys, (receive.stop, receive.buffer), (&worst, None), network, diagnostics);
        }
    }
    let bubble = worst(&|link, arriving| ends_at(link, false) && fabric.go.0 < arriving);
    if let (Some(worst), Some(at)) =
        (bubble, wire.and_then(|wire| written(&[wire.go.get().map(|at| at.place)])))
    {
        diagnostics.warn(at, |span| {
            let message = format!(
                "after a GO at {} B the flow pauses on {} of {} cables",
                fabric.go.0,
                worst.count,
                network.links().len()
            );
            let expected = format!(
                "{} B arrive late over the cable {}",
                worst.arriving,
                names::link_name(network, worst.link)
            );
            Fault::new("bubble", span, message, expected)
        });
    }
}

fn overrun(
    place: Option<Place>,
    [stop_key, buffer_key]: [&str; 2],
    (stop, buffer): (Flits, Flits),
    (worst, preset): (&Worst, Option<&str>),
    network: &Network,
    diagnostics: &mut Diagnostics,
) {
    let Some(place) = place else { return };
    let cable = names::link_name(network, worst.link);
    let message = format!(
        "after a STOP at {} B another {} B arrive over the cable {cable}: a buffer of {} B overruns",
        stop.0, worst.arriving, buffer.0
    );
    let expected = match buffer.0.checked_sub(worst.arriving) {
        Some(room @ 1..) => format!("expected {stop_key} of at most {room} B, or a larger {buffer_key}"),
        _ => format!("expected a {buffer_key} above {} B", worst.arriving),
    };
    let others = match worst.count {
        1 => "no other cable is that long or fast".to_owned(),
        count => format!("so it is on {} of {} cables", count, network.links().len()),
    };
    let preset = preset.map(|name| format!("; preset = \"{name}\" in [fabric] has buffers for such cables"));
    let help = others + &preset.unwrap_or_default();
    diagnostics.add(place, |span| Fault::new("buffer-overrun", span, message, expected).with_help(help));
}
