//! What `[fabric]` says of packets that are stopped by credits: lanes, their buffers, and how outputs choose among
//! them.
//!
//! # Source
//! Lanes, tables of arbitration and limits on the life of packets: InfiniBand Architecture Specification, volume 1,
//! sections 3.5.7, 7.6.9 and 18.2.5.4. Departure: room is counted in bytes, not in blocks of 64.

use simnet_base::diagnostics::Fault;
use simnet_base::ids::{Node, Port, SwitchId};
use simnet_base::units::{Bytes, Duration, Flits};
use simnet_media::fabric::{
    CreditParameters, LaneArbitration, LaneWeight, MOST_MANAGEMENT, SERVICE_LEVELS, ServiceLanes,
};
use simnet_network::topology::Network;

use super::diagnostics::{Diagnostics, Place};
use super::wire::{self, FlowKind, Given, Located, MOST_BUFFER};

/// Credits in physical units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credits {
    /// How many lanes each channel has for data: 1 to 15.
    pub lanes: u8,
    /// Room for each lane of a switch's input port; at least `mtu`.
    pub buffer: Flits,
    /// The longest packet.
    pub mtu: Flits,
    /// How long after the arrival of its head a switch may pass a packet on; `None`: however late.
    pub packet_lifetime: Option<Duration>,
    /// Room of a switch's input port for the lane of management; it has one where processes run.
    pub management: Flits,
    /// How an output chooses among its lanes.
    pub arbitration: LaneArbitration,
    /// The lanes of service levels where tables say so; `None`: a lane has the number of the service level.
    pub service_lanes: Option<ServiceLanes>,
}

/// What a scenario's longest packet is unless it says otherwise: the most that InfiniBand has.
const USUAL_MTU: Flits = Flits(4096);

/// So many packets of the longest fit a lane's buffer where nothing is said of that.
const USUAL_PACKETS: u64 = 4;

/// What a scenario's room for management is unless it says otherwise: four datagrams.
///
/// # Source
/// The specification asks for room and says nothing of how much, as far as we remember; OpenSM has four datagrams under
/// way at a time (`max_wire_smps`), so that one such manager loses none.
const USUAL_MANAGEMENT: Flits = Flits(4 * MOST_MANAGEMENT as u64);

impl Credits {
    /// The same for an engine, without a lane of management; times by `cycles`.
    pub(super) fn parameters(
        &self,
        head_of_line_limit: Option<u64>,
        cycles: impl Fn(Duration) -> u64,
    ) -> CreditParameters {
        let small =
            |flits: Flits| u32::try_from(flits.0).expect("the reader refuses buffers of 2^16 flits and more");
        CreditParameters {
            lanes: self.lanes,
            buffer: small(self.buffer),
            mtu: small(self.mtu),
            head_of_line_limit,
            lifetime_limit: self.packet_lifetime.map(|time| cycles(time).max(1)),
            management: None,
            arbitration: self.arbitration.clone(),
            service_lanes: self.service_lanes.clone(),
        }
    }
}

/// What the keys say; `None` with STOP and GO. What nobody wrote stands at `silent`.
pub(super) fn credits(
    wire: &wire::Fabric,
    silent: Place,
    buffer: Option<Located<Flits>>,
    diagnostics: &mut Diagnostics,
) -> Option<Credits> {
    if wire.flow.value() != Some(&FlowKind::Credits) {
        only_credits(wire, diagnostics);
        return None;
    }
    only_stop_go(wire, silent, diagnostics);
    let given = buffer.filter(|buffer| buffer.place != silent);
    let mtu =
        super::check::quantity(&wire.mtu).map(|mtu| Located { value: Flits(mtu.value.0), place: mtu.place });
    let lanes = wire.lanes.value().copied().unwrap_or(1);
    let lanes = u8::try_from(lanes).expect("the reader refuses more than 15");
    let arbitration = match wire.lanes {
        Given::Faulty => None,
        _ => arbitration(&wire.lane_arbitration, lanes, diagnostics),
    };
    if let (Some(buffer), Some(mtu)) = (given, mtu)
        && buffer.value < mtu.value
    {
        let [room, packet] = [buffer, mtu].map(|amount| Bytes(amount.value.0));
        diagnostics.add(buffer.place.max(mtu.place), |span| {
            let message = format!("a lane's buffer of {room} has no room for a packet of {packet}");
            Fault::new("out-of-range", span, message, format!("expected `mtu` of at most `buffer`, {room}"))
        });
        return None;
    }
    let usual =
        |buffer: Option<Located<Flits>>| buffer.map_or(USUAL_MTU, |buffer| buffer.value.min(USUAL_MTU));
    let mtu = mtu.map_or(usual(given), |mtu| mtu.value);
    let roomy = Flits(mtu.0.saturating_mul(USUAL_PACKETS).min(MOST_BUFFER.0));
    Some(Credits {
        lanes,
        buffer: given.map_or(roomy, |buffer| buffer.value),
        mtu,
        packet_lifetime: wire.packet_lifetime.value().and_then(|time| time.0),
        management: super::check::quantity(&wire.management_buffer)
            .map_or(USUAL_MANAGEMENT, |room| Flits(room.value.0)),
        arbitration: arbitration?,
        service_lanes: None,
    })
}

/// The tables of service levels for an engine with so many `lanes`, as `lane(switch, input, output, level)` has them; 0
/// where that is none of them, which no packet needs. A host sends a level on the lane of that number, modulo `lanes`.
pub(super) fn service_lanes(
    network: &Network,
    lanes: u8,
    lane: impl Fn(SwitchId, Port, Port, u8) -> u8,
) -> ServiceLanes {
    let levels = |of: &dyn Fn(u8) -> u8| {
        let mut row = [0; SERVICE_LEVELS];
        row.iter_mut().zip(0..).for_each(|(lane, level)| *lane = of(level));
        row
    };
    let of_switch = |switch: SwitchId| {
        let (first, ports) = network.port_range(Node::Switch(switch));
        let ports = || (first..first + ports).map(Port);
        let pairs = ports().flat_map(|input| ports().map(move |output| (input, output)));
        let within = |at| if at < lanes { at } else { 0 };
        pairs.map(|(input, output)| levels(&|level| within(lane(switch, input, output, level)))).collect()
    };
    ServiceLanes {
        hosts: vec![levels(&|level| level % lanes); network.hosts().len()],
        switches: network.switch_ids().map(of_switch).collect(),
    }
}

/// The most pairs of ports for which service levels are put into tables: 256 MiB of them.
const MOST_PAIRS_OF_PORTS: u64 = 1 << 24;

/// Whether the tables of service levels are too large to be made.
pub(super) fn has_too_many_ports(network: &Network) -> bool {
    let pairs = network.switches().iter().map(|switch| u64::from(switch.ports).pow(2));
    pairs.sum::<u64>() > MOST_PAIRS_OF_PORTS
}

/// Notes keys that belong to credits alone.
fn only_credits(wire: &wire::Fabric, diagnostics: &mut Diagnostics) {
    let given = [
        ("lanes", wire.lanes.get().filter(|lanes| lanes.value != 1).map(|at| at.place)),
        ("mtu", wire.mtu.get().map(|at| at.place)),
        ("packet-lifetime", wire.packet_lifetime.get().map(|at| at.place)),
        ("management-buffer", wire.management_buffer.get().map(|at| at.place)),
        ("lane-arbitration", wire.lane_arbitration.get().map(|at| at.place)),
    ];
    for (key, place) in given {
        let Some(place) = place else { continue };
        let message = format!("`{key}` means nothing to STOP and GO");
        super::check::conflict(place, message, "belongs to flow = \"credits\"", diagnostics);
    }
}

/// Notes keys that belong to STOP and GO alone, where somebody wrote them.
fn only_stop_go(wire: &wire::Fabric, silent: Place, diagnostics: &mut Diagnostics) {
    let given = [
        ("stop", wire.stop.get().map(|at| at.place)),
        ("go", wire.go.get().map(|at| at.place)),
        ("arbitration", wire.arbitration.get().map(|at| at.place)),
        ("routing-interval", wire.routing_interval.get().map(|at| at.place)),
    ];
    for (key, place) in given {
        let Some(place) = place.filter(|place| *place != silent) else { continue };
        let message = format!("`{key}` means nothing to credits");
        super::check::conflict(place, message, "belongs to flow = \"stop-go\"", diagnostics);
    }
}

/// The tables of arbitration: those that are given, or one packet of each lane in turn.
fn arbitration(
    given: &Given<wire::LaneArbitration>,
    lanes: u8,
    diagnostics: &mut Diagnostics,
) -> Option<LaneArbitration> {
    let Some(wire) = given.get() else {
        return given.is_absent().then(|| LaneArbitration::round_robin(lanes));
    };
    let section = wire.place;
    let wire = &wire.value;
    let mut table = |rows: &Given<Vec<Located<wire::LaneWeight>>>| -> Option<Vec<LaneWeight>> {
        rows.value()
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .map(|row| weight(row, lanes, diagnostics))
            .collect()
    };
    let (high, low) = (table(&wire.high)?, table(&wire.low)?);
    let serves = |lane: u8| high.iter().chain(&low).any(|entry| entry.lane == lane && entry.weight > 0);
    if let Some(lane) = (0..lanes).find(|lane| !serves(*lane)) {
        let message = format!("neither table lets lane {lane} send");
        let expected =
            format!("expected each of the {lanes} lanes, with a weight above 0, in `high` or `low`");
        super::check::conflict(section, message, expected, diagnostics);
        return None;
    }
    let high_limit = wire.high_limit.value().copied().unwrap_or(0);
    let high_limit = u8::try_from(high_limit).expect("the reader refuses more than 255");
    Some(LaneArbitration { high, low, high_limit })
}

/// An entry of a table.
fn weight(row: &Located<wire::LaneWeight>, lanes: u8, diagnostics: &mut Diagnostics) -> Option<LaneWeight> {
    let lane = row.value.lane.get()?;
    let weight = *row.value.weight.value()?;
    if lane.value >= u32::from(lanes) {
        let message = format!("there is no lane {}", lane.value);
        let expected = format!("expected 0 to {}, as `lanes` is {lanes}", lanes - 1);
        super::check::out_of_range(lane.place, message, expected, diagnostics);
        return None;
    }
    let small = |number: u32| u8::try_from(number).expect("the reader refuses more than 255");
    Some(LaneWeight { lane: small(lane.value), weight: small(weight) })
}
