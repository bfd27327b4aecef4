//! What `[ethernet]` says of marks of congestion, and of the rates of flows.
//!
//! # Source
//! The usual numbers are those of Zhu et al. 2015, see `ethernet/ecn.rs` and `ethernet/transport/dcqcn/rate.rs`.

use simnet_base::units::Bytes;
use simnet_media::ethernet::EcnParameters;
use simnet_media::ethernet::transport::DcqcnParameters;

use super::check::{conflict, out_of_range, quantity};
use super::diagnostics::Diagnostics;
use super::ethernet::Transport;
use super::wire::{self, Given};

/// A certain mark, in millionths.
const CERTAIN: f64 = 1e6;

/// When frames are marked; the inner `None`: never. `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
pub(super) fn ecn(wire: &wire::Ethernet, diagnostics: &mut Diagnostics) -> Option<Option<EcnParameters>> {
    if let Given::Absent = wire.ecn {
        return Some(None);
    }
    let of = wire.ecn.value()?;
    let (kmin, kmax, pmax): (_, _, _) =
        (quantity::<Bytes>(&of.kmin)?, quantity::<Bytes>(&of.kmax)?, of.pmax.get()?);
    let are_in_order = kmin.value <= kmax.value;
    if !are_in_order {
        let message = format!("`kmin` of {} is above `kmax` of {}", kmin.value, kmax.value);
        out_of_range(kmin.place, message, format!("expected at most {}", kmax.value), diagnostics);
    }
    let is_share = pmax.value.0 <= 1.0;
    if !is_share {
        out_of_range(pmax.place, "more than every frame", "expected at most 100 %", diagnostics);
    }
    if !are_in_order || !is_share {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to a million")]
    let pmax = libm::round(pmax.value.0 * CERTAIN) as u32;
    Some(Some(EcnParameters { kmin: kmin.value, kmax: kmax.value, pmax }))
}

/// How rates are cut and raised. `None` after a fault.
pub(super) fn dcqcn(wire: &wire::Ethernet, diagnostics: &mut Diagnostics) -> Option<DcqcnParameters> {
    let is_used = wire.transport.value() == Some(&Transport::Dcqcn);
    if let Some(at) = wire.dcqcn.get().filter(|_| !is_used) {
        let message = "`dcqcn` means nothing to other transports";
        conflict(at.place, message, "belongs to transport = \"dcqcn\"", diagnostics);
        return None;
    }
    if let (true, Given::Absent, Some(at)) = (is_used, &wire.ecn, wire.transport.get()) {
        let message = "DCQCN without marks: nothing would ever slow a flow down";
        conflict(at.place, message, "expected [ethernet.ecn] as well", diagnostics);
        return None;
    }
    if let Given::Absent = wire.dcqcn {
        return Some(DcqcnParameters::PAPER);
    }
    let of = wire.dcqcn.value()?;
    Some(DcqcnParameters {
        notification_interval: quantity(&of.notification_interval)?.value,
        alpha_timer: quantity(&of.alpha_timer)?.value,
        rate_timer: quantity(&of.rate_timer)?.value,
        byte_counter: quantity(&of.byte_counter)?.value,
        additive: quantity(&of.additive)?.value,
        hyper: quantity(&of.hyper)?.value,
        least: quantity(&of.least)?.value,
    })
}
