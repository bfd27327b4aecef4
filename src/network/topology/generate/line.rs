//! Rings and chains.

use crate::topology::Network;

use super::layout::{add_hosts, add_switches, cable, check_size};
use super::{GenerateError, Size};

/// Switches in a row, whose ends may be joined: port 0 leads to the switch before, port 1 to the one after,
/// hosts follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    switches: u64,
    hosts_per_switch: u64,
    closed: bool,
}

impl Line {
    /// A row of switches.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] for no switch at all or more than the size limits.
    pub fn chain(switches: u32, hosts_per_switch: u32) -> Result<Line, GenerateError> {
        Line::new("chain", 1, switches, hosts_per_switch)
    }

    /// A circle of three switches or more.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] for fewer than three switches or more than the size limits.
    pub fn ring(switches: u32, hosts_per_switch: u32) -> Result<Line, GenerateError> {
        Line::new("ring", 3, switches, hosts_per_switch)
    }

    fn new(family: &'static str, least: u32, switches: u32, hosts: u32) -> Result<Line, GenerateError> {
        if switches < least {
            return Err(super::invalid(family, "switches", format!("must be at least {least}")));
        }
        let (switches, hosts_per_switch) = (u64::from(switches), u64::from(hosts));
        check_size(family, "switches", switches, 0, 2)?;
        check_size(family, "hosts-per-switch", switches, switches * hosts_per_switch, 2 + hosts_per_switch)?;
        Ok(Line { switches, hosts_per_switch, closed: least > 1 })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let cables = if self.closed { self.switches } else { self.switches - 1 };
        let ports = self.switches * (2 + self.hosts_per_switch);
        Size::new(self.switches, self.switches * self.hosts_per_switch, cables, ports)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let mut net = Network::new(if self.closed { "ring" } else { "chain" });
        let switches = add_switches(&mut net, self.switches, 2 + self.hosts_per_switch);
        for pair in switches.windows(2) {
            cable(&mut net, (pair[0], 1), (pair[1], 0));
        }
        if self.closed {
            cable(&mut net, (switches[switches.len() - 1], 1), (switches[0], 0));
        }
        for switch in switches {
            add_hosts(&mut net, switch, 2, self.hosts_per_switch);
        }
        net
    }
}
