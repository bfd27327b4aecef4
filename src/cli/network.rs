//! The arguments of every verb that takes a network, and how it is loaded.

use clap::Args;

use crate::topology::Network;

use super::Failure;

/// The network that a verb works on.
#[derive(Args)]
pub(super) struct NetworkArguments {
    /// A preset (now-c, now-ca, now-cab, pink) or a file
    pub(super) topology: String,
}

impl NetworkArguments {
    /// Loads the network.
    pub(super) fn load(&self) -> Result<Network, Failure> {
        Err(Failure::Usage(format!("no network called `{}`", self.topology)))
    }
}
