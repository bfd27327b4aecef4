//! Meshes, tori and hypercubes.

use crate::topology::Network;

use super::layout::{add_hosts, add_switches, cable, check_links, check_size, nth};
use super::{GenerateError, Size};

/// A mesh or a torus of any number of dimensions.
///
/// Switches are numbered with the first dimension running fastest. In dimension `d` port `2d` leads to the
/// next lower coordinate and port `2d + 1` to the next higher one; hosts follow. Ports at the rim of a mesh
/// stay free.
///
/// # Source
/// Dally and Towles 2004, *Principles and Practices of Interconnection Networks*, chapter 5. A torus dimension
/// of size 2 has one cable, not two parallel ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    sizes: Vec<u64>,
    hosts_per_switch: u64,
    wraps: bool,
}

impl Grid {
    /// A grid without wrap-around.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a size is 0 or the grid exceeds the size limits.
    pub fn mesh(sizes: &[u32], hosts_per_switch: u32) -> Result<Grid, GenerateError> {
        Grid::new("mesh", sizes, hosts_per_switch, false)
    }

    /// A grid with wrap-around.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a size is 0 or the grid exceeds the size limits.
    pub fn torus(sizes: &[u32], hosts_per_switch: u32) -> Result<Grid, GenerateError> {
        Grid::new("torus", sizes, hosts_per_switch, true)
    }

    fn new(family: &'static str, sizes: &[u32], hosts: u32, wraps: bool) -> Result<Grid, GenerateError> {
        let sizes: Vec<u64> = sizes.iter().map(|size| u64::from(*size)).collect();
        if sizes.contains(&0) {
            return Err(super::invalid(family, "x", "must be at least 1 in every dimension"));
        }
        let switches = sizes.iter().fold(1, |product: u64, size| product.saturating_mul(*size));
        let hosts_per_switch = u64::from(hosts);
        let ports = 2 * sizes.len() as u64 + hosts_per_switch;
        check_size(family, "x", switches, switches.saturating_mul(hosts_per_switch), 0)?;
        check_links(family, "x", switches * sizes.len() as u64)?;
        check_size(family, "hosts-per-switch", switches, 0, ports)?;
        Ok(Grid { sizes, hosts_per_switch, wraps })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let switches: u64 = self.sizes.iter().product();
        let across = |size: &u64| {
            let wraps = self.wraps && *size > 2;
            switches / size * (if wraps { *size } else { size - 1 })
        };
        let ports = switches * (2 * self.sizes.len() as u64 + self.hosts_per_switch);
        let cables = self.sizes.iter().map(across).sum();
        Size::new(switches, switches * self.hosts_per_switch, cables, ports)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let count = self.sizes.iter().product();
        let link_ports = 2 * self.sizes.len() as u64;
        let mut net = Network::new(if self.wraps { "torus" } else { "mesh" });
        let switches = add_switches(&mut net, count, link_ports + self.hosts_per_switch);
        for (number, switch) in (0..count).zip(&switches) {
            let mut stride = 1;
            for (lower_port, size) in (0..).step_by(2).zip(&self.sizes) {
                let coordinate = number / stride % size;
                let next = if coordinate + 1 < *size {
                    Some(number + stride)
                } else {
                    (self.wraps && *size > 2).then(|| number - coordinate * stride)
                };
                if let Some(next) = next {
                    cable(&mut net, (*switch, lower_port + 1), (nth(&switches, next), lower_port));
                }
                stride *= size;
            }
        }
        for switch in switches {
            add_hosts(&mut net, switch, link_ports, self.hosts_per_switch);
        }
        net
    }
}

/// A hypercube: port `d` of a switch leads to the one whose number differs in bit `d`; hosts follow.
///
/// # Source
/// Dally and Towles 2004, section 5.1 (the 2-ary n-cube).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypercube {
    dimensions: u64,
    hosts_per_switch: u64,
}

impl Hypercube {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if the cube exceeds the size limits.
    pub fn new(dimensions: u32, hosts_per_switch: u32) -> Result<Hypercube, GenerateError> {
        let (dimensions, hosts_per_switch) = (u64::from(dimensions), u64::from(hosts_per_switch));
        let switches = 1_u64.checked_shl(u32::try_from(dimensions).unwrap_or(64)).unwrap_or(u64::MAX);
        check_size("hypercube", "dimensions", switches, 0, dimensions)?;
        check_links("hypercube", "dimensions", switches / 2 * dimensions)?;
        let hosts = switches * hosts_per_switch;
        check_size("hypercube", "hosts-per-switch", switches, hosts, dimensions + hosts_per_switch)?;
        Ok(Hypercube { dimensions, hosts_per_switch })
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let switches = 1 << self.dimensions;
        let ports = switches * (self.dimensions + self.hosts_per_switch);
        Size::new(switches, switches * self.hosts_per_switch, switches / 2 * self.dimensions, ports)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        let mut net = Network::new("hypercube");
        let switches = add_switches(&mut net, 1 << self.dimensions, self.dimensions + self.hosts_per_switch);
        for (number, switch) in switches.iter().enumerate() {
            for bit in 0..self.dimensions {
                let other = number ^ (1 << bit);
                if number < other {
                    cable(&mut net, (*switch, bit), (switches[other], bit));
                }
            }
        }
        for switch in switches {
            add_hosts(&mut net, switch, self.dimensions, self.hosts_per_switch);
        }
        net
    }
}
