//! Networks built from a rule: one file per family, all of them listed in [`FAMILIES`].
//!
//! Every family has a plain struct of checked parameters with a `build` that cannot fail for want of ports;
//! [`FAMILIES`] describes the same parameters as a table, so that the command line and the scenario language
//! offer whatever stands here. Parameters are whole numbers.
//!
//! Names: switches are `s0`, `s1`, ..., hosts `h0`, `h1`, ... in the order of their switches. On every switch
//! the ports to other switches come first, those of its hosts after them.
//!
//! # Scope and limitations
//! Wiring only. Random families draw from ChaCha8 with the seed given, so that a seed names one network on
//! every machine.

mod clos;
mod decayed;
mod fat_tree;
mod grid;
mod gt_itm;
mod layout;
mod line;
mod random_irregular;
mod random_regular;
mod random_tree;
mod star;

use thiserror::Error;

use super::Network;

pub use clos::{Clos, Role};
pub use decayed::Decayed;
pub use fat_tree::{FatTree, LeafSpine};
pub use grid::{Grid, Hypercube};
pub use gt_itm::GtItm;
pub use line::Line;
pub use random_irregular::RandomIrregular;
pub use random_regular::RandomRegular;
pub use random_tree::RandomTree;
pub use star::{Star, Tree};

/// The most switches, and the most hosts, of a generated network.
pub const MOST_NODES: u64 = 1 << 20;
/// The most cables between switches of a generated network.
pub const MOST_LINKS: u64 = 1 << 23;
/// The most ports of a switch of a generated network.
pub const MOST_PORTS: u64 = 4096;

/// How large a network is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Switches.
    pub switches: u64,
    /// Hosts.
    pub hosts: u64,
    /// All cables, those of hosts among them.
    pub cables: u64,
    /// Ports of all switches together.
    pub ports: u64,
}

impl Size {
    /// The size of a network whose hosts have one cable each, with so many `cables` between switches.
    fn new(switches: u64, hosts: u64, cables: u64, ports: u64) -> Size {
        // A switch has a port at least.
        Size { switches, hosts, cables: cables + hosts, ports: ports.max(switches) }
    }

    /// The size of a network that is there.
    pub fn of(network: &Network) -> Size {
        Size {
            switches: network.switches().len() as u64,
            hosts: network.hosts().len() as u64,
            cables: network.links().len() as u64,
            ports: network.switches().iter().map(|switch| u64::from(switch.ports)).sum(),
        }
    }
}

/// A family of networks: what it is called and what it takes.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name, as in `[topology.random-regular]`.
    pub name: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether the seed matters.
    pub random: bool,
    size: fn(&Values<'_>) -> Result<Size, GenerateError>,
    build: fn(&Values<'_>, u64) -> Result<Network, GenerateError>,
}

/// A parameter of a family: a whole number.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name, as in `hosts-per-switch`.
    pub name: &'static str,
    /// What stands for it if it is not given; `None` if it must be.
    pub default: Option<u64>,
    /// The least value.
    pub least: u64,
    /// The greatest value.
    pub most: u64,
    /// What it says.
    pub about: &'static str,
}

/// Why no network can be generated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    /// No family of that name.
    #[error("no family of networks is called `{name}`{}", did_you_mean(.near))]
    UnknownFamily {
        /// The name as given.
        name: String,
        /// The nearest family.
        near: Option<&'static str>,
    },
    /// No parameter of that name in the family.
    #[error("`{family}` has no parameter `{name}`{}", did_you_mean(.near))]
    UnknownParameter {
        /// The family.
        family: &'static str,
        /// The name as given.
        name: String,
        /// The nearest parameter.
        near: Option<&'static str>,
    },
    /// A parameter that must be given is not.
    #[error("`{family}` needs `{parameter}`: {about}")]
    Missing {
        /// The family.
        family: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it says.
        about: &'static str,
    },
    /// A value for which there is no such network.
    #[error("`{parameter}` of `{family}` {reason}")]
    Invalid {
        /// The family.
        family: &'static str,
        /// The parameter at fault.
        parameter: &'static str,
        /// What it would have to be, as `must be ...`.
        reason: String,
    },
}

fn did_you_mean(near: &Option<&'static str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

impl GenerateError {
    /// The name of the parameter that is at fault, as the user wrote it, if one is.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            GenerateError::UnknownFamily { .. } => None,
            GenerateError::UnknownParameter { name, .. } => Some(name),
            GenerateError::Missing { parameter, .. } | GenerateError::Invalid { parameter, .. } => {
                Some(parameter)
            }
        }
    }
}

const HOSTS: Parameter = Parameter {
    name: "hosts-per-switch",
    default: Some(1),
    least: 0,
    most: MOST_PORTS,
    about: "hosts on every switch",
};

const fn needed(name: &'static str, least: u64, most: u64, about: &'static str) -> Parameter {
    Parameter { name, default: None, least, most, about }
}

const fn optional(name: &'static str, default: u64, least: u64, most: u64, about: &'static str) -> Parameter {
    Parameter { name, default: Some(default), least, most, about }
}

const SWITCHES: Parameter = needed("switches", 1, MOST_NODES, "how many switches");

const CLUSTER_SWITCHES: Parameter = needed("switches", 1, gt_itm::MOST_SWITCHES, "how many switches");
const MACHINES: Parameter =
    optional("machines", 0, 0, MOST_NODES, "how many hosts; 0 stands for five for every switch");
const DEGREE: Parameter = optional("degree", 4, 1, MOST_PORTS, "neighbours of a switch, in the mean");

const FAILED_SWITCHES: Parameter =
    optional("failed-switches", 0, 0, MOST_NODES, "switches that fail, with their hosts and cables");
const FAILED_LINKS: Parameter =
    optional("failed-links", 0, 0, MOST_LINKS, "cables that fail between the switches left");
const ADDED_SWITCHES: Parameter =
    optional("added-switches", 0, 0, MOST_NODES, "switches added in ports that others left free");

/// Every family.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "random-regular",
        about: "a random connected graph of switches, each cabled to `degree` different others",
        parameters: &[
            SWITCHES,
            needed("degree", 0, MOST_PORTS, "cables of a switch to other switches"),
            HOSTS,
        ],
        random: true,
        size: |v| Ok(v.random_regular()?.size()),
        build: |v, seed| v.random_regular()?.build(seed),
    },
    Family {
        name: "random-irregular",
        about: "a random connected network, cables in random ports",
        parameters: &[
            SWITCHES,
            needed("hosts", 0, MOST_NODES, "how many hosts"),
            needed("links", 0, MOST_LINKS, "cables between switches"),
            optional("ports", 8, 1, MOST_PORTS, "ports of a switch"),
            optional("multigraph", 0, 0, 1, "1: parallel cables and cables looped back are allowed"),
        ],
        random: true,
        size: |v| Ok(v.random_irregular()?.size()),
        build: |v, seed| v.random_irregular()?.build(seed),
    },
    Family {
        name: "gt-itm",
        about: "a random cluster: any two switches are neighbours by chance, and machines are at random switches",
        parameters: &[CLUSTER_SWITCHES, MACHINES, DEGREE],
        random: true,
        size: |v| Ok(v.gt_itm()?.size()),
        build: |v, seed| v.gt_itm()?.build(seed),
    },
    Family {
        name: "waxman",
        about: "a random cluster whose switches lie in a square and are neighbours rather when they are close",
        parameters: &[
            CLUSTER_SWITCHES,
            MACHINES,
            DEGREE,
            optional("beta", 20, 1, 10_000, "hundredths of the diagonal over which the chance falls by e"),
        ],
        random: true,
        size: |v| Ok(v.waxman()?.size()),
        build: |v, seed| v.waxman()?.build(seed),
    },
    Family {
        name: "mesh",
        about: "a grid of one to six dimensions without wrap-around",
        parameters: GRID,
        random: false,
        size: |v| Ok(v.mesh()?.size()),
        build: |v, _| Ok(v.mesh()?.build()),
    },
    Family {
        name: "torus",
        about: "a grid of one to six dimensions with wrap-around; a dimension of size 2 has one cable, not two",
        parameters: GRID,
        random: false,
        size: |v| Ok(v.torus()?.size()),
        build: |v, _| Ok(v.torus()?.build()),
    },
    Family {
        name: "hypercube",
        about: "2^dimensions switches, cabled where their numbers differ in one bit",
        parameters: &[needed("dimensions", 0, 20, "dimensions of the cube"), HOSTS],
        random: false,
        size: |v| Ok(v.hypercube()?.size()),
        build: |v, _| Ok(v.hypercube()?.build()),
    },
    Family {
        name: "decayed-hypercube",
        about: "a hypercube of which switches and cables failed, and to which others were added",
        parameters: &[
            needed("dimensions", 0, 12, "dimensions of the cube"),
            HOSTS,
            FAILED_SWITCHES,
            FAILED_LINKS,
            ADDED_SWITCHES,
        ],
        random: true,
        size: |v| v.decayed(v.hypercube()?.size()),
        build: |v, seed| {
            let sound = v.hypercube()?.build();
            Decayed::new(v.family.name, sound, v.u32("hosts-per-switch"), v.decay())?.build(seed)
        },
    },
    Family {
        name: "decayed-torus",
        about: "a torus of which switches and cables failed, and to which others were added",
        parameters: &[
            needed("x", 1, MOST_NODES, "size of the first dimension"),
            optional("y", 1, 1, MOST_NODES, "size of the second dimension"),
            FAILED_SWITCHES,
            FAILED_LINKS,
            ADDED_SWITCHES,
            optional("z", 1, 1, MOST_NODES, "size of the third dimension"),
            optional("u", 1, 1, MOST_NODES, "size of the fourth dimension"),
            optional("v", 1, 1, MOST_NODES, "size of the fifth dimension"),
            optional("w", 1, 1, MOST_NODES, "size of the sixth dimension"),
            HOSTS,
        ],
        random: true,
        size: |v| v.decayed(v.torus()?.size()),
        build: |v, seed| {
            let sound = v.torus()?.build();
            Decayed::new(v.family.name, sound, v.u32("hosts-per-switch"), v.decay())?.build(seed)
        },
    },
    Family {
        name: "ring",
        about: "switches in a circle",
        parameters: &[needed("switches", 3, MOST_NODES, "how many switches"), HOSTS],
        random: false,
        size: |v| Ok(v.ring()?.size()),
        build: |v, _| Ok(v.ring()?.build()),
    },
    Family {
        name: "chain",
        about: "switches in a row",
        parameters: &[SWITCHES, HOSTS],
        random: false,
        size: |v| Ok(v.chain()?.size()),
        build: |v, _| Ok(v.chain()?.build()),
    },
    Family {
        name: "star",
        about: "leaf switches round one hub",
        parameters: &[
            needed("leaves", 0, MOST_PORTS, "switches round the hub"),
            optional("hosts-per-switch", 1, 0, MOST_PORTS, "hosts on every leaf"),
            optional("hub-hosts", 0, 0, MOST_PORTS, "hosts on the hub"),
        ],
        random: false,
        size: |v| Ok(v.star()?.size()),
        build: |v, _| Ok(v.star()?.build()),
    },
    Family {
        name: "tree",
        about: "a complete tree of switches with hosts on the lowest level",
        parameters: &[
            needed("arity", 1, MOST_PORTS, "switches below each switch"),
            needed("depth", 1, MOST_NODES, "levels of switches"),
            optional("hosts-per-switch", 1, 0, MOST_PORTS, "hosts on every switch of the lowest level"),
        ],
        random: false,
        size: |v| Ok(v.tree()?.size()),
        build: |v, _| Ok(v.tree()?.build()),
    },
    Family {
        name: "random-tree",
        about: "a random tree of switches with hosts at random switches, at least one at every leaf",
        parameters: &[
            SWITCHES,
            needed(
                "machines",
                1,
                MOST_NODES,
                "how many hosts, at least two where there are several switches",
            ),
        ],
        random: true,
        size: |v| Ok(v.random_tree()?.size()),
        build: |v, seed| v.random_tree()?.build(seed),
    },
    Family {
        name: "fat-tree",
        about: "an arity-ary levels-tree: levels * arity^(levels-1) switches of 2 * arity ports",
        parameters: &[
            needed("arity", 1, MOST_PORTS / 2, "switches below, and above, each switch"),
            needed("levels", 1, 20, "levels of switches"),
            Parameter {
                name: "hosts-per-switch",
                default: Some(0),
                least: 0,
                most: MOST_PORTS,
                about: "hosts on every switch of the lowest level; 0 stands for `arity`",
            },
        ],
        random: false,
        size: |v| Ok(v.fat_tree()?.size()),
        build: |v, _| Ok(v.fat_tree()?.build()),
    },
    Family {
        name: "clos",
        about: "Clos64+64 units of 64 hosts under spines, all of 16-port switches; 16 units are Pink",
        parameters: &[needed("units", 1, 31, "units of 64 hosts")],
        random: false,
        size: |v| Ok(v.clos()?.size()),
        build: |v, _| Ok(v.clos()?.build()),
    },
    Family {
        name: "leaf-spine",
        about: "a folded Clos network of two levels: every leaf is cabled to every spine",
        parameters: &[
            needed("leaves", 1, MOST_PORTS, "switches with hosts"),
            needed("spines", 0, MOST_PORTS, "switches above them"),
            optional("hosts-per-switch", 1, 0, MOST_PORTS, "hosts on every leaf"),
            optional("cables", 1, 1, MOST_PORTS, "parallel cables between a leaf and a spine"),
        ],
        random: false,
        size: |v| Ok(v.leaf_spine()?.size()),
        build: |v, _| Ok(v.leaf_spine()?.build()),
    },
];

const GRID: &[Parameter] = &[
    needed("x", 1, MOST_NODES, "size of the first dimension"),
    optional("y", 1, 1, MOST_NODES, "size of the second dimension"),
    optional("z", 1, 1, MOST_NODES, "size of the third dimension"),
    optional("u", 1, 1, MOST_NODES, "size of the fourth dimension"),
    optional("v", 1, 1, MOST_NODES, "size of the fifth dimension"),
    optional("w", 1, 1, MOST_NODES, "size of the sixth dimension"),
    HOSTS,
];

/// The family called `name`.
///
/// # Errors
/// [`GenerateError::UnknownFamily`].
pub fn family(name: &str) -> Result<&'static Family, GenerateError> {
    FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| GenerateError::UnknownFamily {
        name: name.to_owned(),
        near: simnet_base::diagnostics::nearest(name, FAMILIES.iter().map(|family| family.name)),
    })
}

/// Builds the network of a family from named parameters; those not given take their defaults.
///
/// The network is called after the family. A parameter given twice counts as given last.
///
/// # Errors
/// A [`GenerateError`] that names the parameter at fault.
pub fn build(family_name: &str, parameters: &[(&str, u64)], seed: u64) -> Result<Network, GenerateError> {
    let family = family(family_name)?;
    let values = Values::checked(family, parameters)?;
    let mut net = (family.build)(&values, seed)?;
    family.name.clone_into(&mut net.name);
    Ok(net)
}

/// How large the network of a family is that [`build`] would build, worked out from its parameters alone. Of random
/// clusters the cables are those of the mean; of decayed networks they are those before anything failed.
///
/// # Errors
/// As [`build`], as far as the parameters determine it.
pub fn size(family_name: &str, parameters: &[(&str, u64)]) -> Result<Size, GenerateError> {
    let family = family(family_name)?;
    (family.size)(&Values::checked(family, parameters)?)
}

/// The value of a parameter: the last one given, or its default.
///
/// # Errors
/// If it is missing or out of range.
fn value_of(family: &Family, parameter: &Parameter, given: &[(&str, u64)]) -> Result<u64, GenerateError> {
    let given = given.iter().rev().find(|(name, _)| *name == parameter.name).map(|(_, value)| *value);
    let value = given.or(parameter.default).ok_or(GenerateError::Missing {
        family: family.name,
        parameter: parameter.name,
        about: parameter.about,
    })?;
    if (parameter.least..=parameter.most).contains(&value) {
        return Ok(value);
    }
    let reason = format!("must be from {} to {}, not {value}", parameter.least, parameter.most);
    Err(invalid(family.name, parameter.name, reason))
}

/// A value for every parameter of a family, each within its range.
struct Values<'a> {
    family: &'a Family,
    values: Vec<u64>,
}

impl Values<'_> {
    fn checked<'a>(family: &'a Family, given: &[(&str, u64)]) -> Result<Values<'a>, GenerateError> {
        let names = || family.parameters.iter().map(|parameter| parameter.name);
        if let Some((name, _)) = given.iter().find(|(name, _)| !names().any(|known| known == *name)) {
            return Err(GenerateError::UnknownParameter {
                family: family.name,
                name: (*name).to_owned(),
                near: simnet_base::diagnostics::nearest(name, names()),
            });
        }
        let values = family.parameters.iter().map(|parameter| value_of(family, parameter, given));
        Ok(Values { family, values: values.collect::<Result<_, _>>()? })
    }

    fn get(&self, name: &str) -> u64 {
        let position = self.family.parameters.iter().position(|parameter| parameter.name == name);
        self.values[position.expect("a family asks for its own parameters")]
    }

    fn u32(&self, name: &str) -> u32 {
        u32::try_from(self.get(name)).expect("every range ends below 2^32")
    }

    /// The machines of a random cluster.
    fn machines(&self) -> u32 {
        match self.u32("machines") {
            0 => 5 * self.u32("switches"),
            machines => machines,
        }
    }

    fn random_regular(&self) -> Result<RandomRegular, GenerateError> {
        RandomRegular::new(self.u32("switches"), self.u32("degree"), self.u32(HOSTS.name))
    }

    fn random_irregular(&self) -> Result<RandomIrregular, GenerateError> {
        let [switches, hosts, links, ports] =
            ["switches", "hosts", "links", "ports"].map(|name| self.u32(name));
        RandomIrregular::new(switches, hosts, links, ports, self.get("multigraph") == 1)
    }

    fn gt_itm(&self) -> Result<GtItm, GenerateError> {
        GtItm::pure_random(self.u32("switches"), self.machines(), self.u32("degree"))
    }

    fn waxman(&self) -> Result<GtItm, GenerateError> {
        GtItm::waxman(self.u32("switches"), self.machines(), self.u32("degree"), self.u32("beta"))
    }

    fn mesh(&self) -> Result<Grid, GenerateError> {
        Grid::mesh(&self.sizes(), self.u32(HOSTS.name))
    }

    fn torus(&self) -> Result<Grid, GenerateError> {
        Grid::torus(&self.sizes(), self.u32(HOSTS.name))
    }

    fn hypercube(&self) -> Result<Hypercube, GenerateError> {
        Hypercube::new(self.u32("dimensions"), self.u32(HOSTS.name))
    }

    fn ring(&self) -> Result<Line, GenerateError> {
        Line::ring(self.u32("switches"), self.u32(HOSTS.name))
    }

    fn chain(&self) -> Result<Line, GenerateError> {
        Line::chain(self.u32("switches"), self.u32(HOSTS.name))
    }

    fn star(&self) -> Result<Star, GenerateError> {
        Star::new(self.u32("leaves"), self.u32(HOSTS.name), self.u32("hub-hosts"))
    }

    fn tree(&self) -> Result<Tree, GenerateError> {
        Tree::new(self.u32("arity"), self.u32("depth"), self.u32(HOSTS.name))
    }

    fn random_tree(&self) -> Result<RandomTree, GenerateError> {
        RandomTree::new(self.u32("switches"), self.u32("machines"))
    }

    fn fat_tree(&self) -> Result<FatTree, GenerateError> {
        FatTree::new(self.u32("arity"), self.u32("levels"), self.u32(HOSTS.name))
    }

    fn clos(&self) -> Result<Clos, GenerateError> {
        Clos::new(self.u32("units"))
    }

    fn leaf_spine(&self) -> Result<LeafSpine, GenerateError> {
        let [leaves, spines, cables] = ["leaves", "spines", "cables"].map(|name| self.u32(name));
        LeafSpine::new(leaves, spines, self.u32(HOSTS.name), cables)
    }

    /// What is left of a network of this size, and put in: the cables of switches put in are not known yet.
    fn decayed(&self, sound: Size) -> Result<Size, GenerateError> {
        let [failed, _, added] = self.decay().map(u64::from);
        if failed >= sound.switches {
            let reason = format!("must be below {}, or none is left", sound.switches);
            return Err(invalid(self.family.name, "failed-switches", reason));
        }
        let of_each = |count: u64| count / sound.switches;
        let switches = sound.switches - failed + added;
        let hosts = switches * of_each(sound.hosts);
        layout::check_size(self.family.name, "added-switches", sound.switches + added, hosts, 0)?;
        let cables = sound.cables + added * of_each(sound.ports);
        Ok(Size { switches, hosts, cables, ports: switches * of_each(sound.ports) })
    }

    fn decay(&self) -> [u32; 3] {
        ["failed-switches", "failed-links", "added-switches"].map(|name| self.u32(name))
    }

    fn sizes(&self) -> Vec<u32> {
        ["x", "y", "z", "u", "v", "w"]
            .map(|axis| self.u32(axis))
            .into_iter()
            .filter(|size| *size > 1)
            .collect()
    }
}

fn invalid(family: &'static str, parameter: &'static str, reason: impl Into<String>) -> GenerateError {
    GenerateError::Invalid { family, parameter, reason: reason.into() }
}
