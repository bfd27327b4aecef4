//! What moves messages over a network: the wormhole fabric, Ethernet, hosts and their processes, traffic, event logs.
//!
//! # The guided tour
//!
//! The fabric is exact to the flit. The owner of the hosts implements [`fabric::Endpoint`]: it gives messages with
//! their routes, and hears what became of them. Here one worm of 32 flits passes two switches on its way:
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use simnet_base::ids::{HostId, Port, Turn};
//! use simnet_base::units::{Cycle, Duration};
//! use simnet_media::fabric::{
//!     Ended, Endpoint, Fabric, Fate, FlowControl, HostParameters, LinkTiming, Outgoing, Parameters, Pause,
//!     RouteBuffer, SwitchParameters,
//! };
//! use simnet_network::topology::{End, Network};
//!
//! // h0 - s0 port 0; s0 port 1 - s1 port 4; s1 port 6 - h1.
//! let mut network = Network::new("two switches");
//! let (s0, s1) = (network.add_switch("s0", 8)?, network.add_switch("s1", 8)?);
//! let (h0, h1) = (network.add_host("h0")?, network.add_host("h1")?);
//! network.connect(End::host(h0, 0), End::switch(s0, 0))?;
//! network.connect(End::switch(s0, 1), End::switch(s1, 4))?;
//! network.connect(End::switch(s1, 6), End::host(h1, 0))?;
//!
//! struct OneWorm { sent: bool, arrived: Option<(Cycle, Cycle)> }
//!
//! impl Endpoint for OneWorm {
//!     fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
//!         if host != HostId(0) || std::mem::replace(&mut self.sent, true) {
//!             return None;
//!         }
//!         route.extend([Turn(1), Turn(2)]);       // relative: from port 0 to 1, from port 4 to 6
//!         Some(Outgoing { created: Cycle(0), payload: 32, tag: 0, time_to_live: None, service_level: 0 })
//!     }
//!
//!     fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
//!         let Fate::Delivered { head, tail, .. } = message.fate else { panic!("nothing is in its way") };
//!         self.arrived = Some((head, tail));
//!         ControlFlow::Break(())
//!     }
//! }
//!
//! let parameters = Parameters {
//!     base_cycle: Duration::from_ps(6_250),                       // a flit at 1.28 Gb/s
//!     switch: SwitchParameters::default(),
//!     host: HostParameters::default(),
//!     links: vec![LinkTiming { period: 1, delay: 2 }; network.links().len()],
//!     flow: FlowControl::StopGo,
//! };
//! let mut fabric = Fabric::new(&network, &parameters, &[Some(Port(0)); 2])?;
//! let mut hosts = OneWorm { sent: false, arrived: None };
//! assert_eq!(fabric.run_until(Cycle(1_000), &mut hosts, &mut ()), Pause::Break);
//!
//! // Three cables of 2 cycles and two switches of 24 before the head; 31 flits behind it.
//! let (head, tail) = hosts.arrived.unwrap();
//! assert_eq!(tail.0 - head.0, 31);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ethernet`] moves frames instead, one event a frame and hop. [`medium::Medium`] is what both have in common for
//! those who only send messages; the two do not know each other, and [`host`] knows neither. [`traffic`] says who sends
//! how much to whom; [`trace`] records all events.

pub mod ethernet;
pub mod fabric;
pub mod host;
pub mod medium;
pub mod trace;
pub mod traffic;
