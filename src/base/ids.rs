//! Small ids that index arenas. An id is a position: the nth switch or host in the order of its file.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of position `index`.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits.
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("fewer than 2^32 of a kind"))
            }
            /// The position that it stands for.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A switch: its position in the network's list of switches.
    SwitchId
}
id! {
    /// A host: its position in the network's list of hosts.
    HostId
}
id! {
    /// A cable: its position in the network's list of links.
    LinkId
}
id! {
    /// One direction of a cable. Link `l` has the channels `2l` (from its end `a`) and `2l + 1` (from `b`).
    ChannelId
}

/// A port's number at its node, as printed on the box or in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u16);

/// A relative output at one switch: output port minus input port, never taken modulo the ports.
///
/// # Source
/// Mainwaring et al. 1997, section 2.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(pub i16);

/// A switch or a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// The switch with this id.
    Switch(SwitchId),
    /// The host with this id.
    Host(HostId),
}

impl Port {
    /// The output port reached by `turn` from this input port; `None` below 0 or above 65535.
    pub fn turned(self, turn: Turn) -> Option<Port> {
        self.0.checked_add_signed(turn.0).map(Port)
    }
    /// The turn that leads from this input port to `output`.
    ///
    /// # Panics
    /// If the two are 32768 or more apart, which no switch has.
    pub fn turn_to(self, output: Port) -> Turn {
        Turn(i16::try_from(i32::from(output.0) - i32::from(self.0)).expect("a switch has few ports"))
    }
}

impl Turn {
    /// The turn that undoes this one on the way back.
    #[must_use]
    pub fn back(self) -> Turn {
        Turn(-self.0)
    }
}

impl LinkId {
    /// The channel from the link's end `a` to its end `b`.
    pub const fn forward(self) -> ChannelId {
        ChannelId(self.0 * 2)
    }
    /// The channel from the link's end `b` to its end `a`.
    pub const fn backward(self) -> ChannelId {
        ChannelId(self.0 * 2 + 1)
    }
}

impl ChannelId {
    /// The cable that this is a direction of.
    pub const fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
