//! The kernel that couples the processes on hosts to a fabric, on one clock.
//!
//! Every host may run a process; applications may send messages on given routes too ([`Load`]).
//! What a process does at an instant takes effect in the first cycle that does not begin before it; a message
//! whose last flit arrives in cycle t is there at the end of t, so that an answer cannot start before t + 1.
//!
//! ```text
//!   process --Send--> (software) --> queue ---next_message--> Fabric
//!           <-Received-- (software) <-- mailbox <---ended--------+
//!   application --(its clock)------> queue                       |
//!           counts <-------------------------------ended--------+
//! ```
//!
//! A run ends when a process returns [`ControlFlow::Break`], at the instant [`Setup::until`], or when no
//! process can ever go on, whichever comes first: it never hangs unless processes wake up for ever and there
//! is no such instant.
//!
//! # Scope and limitations
//! Software on a host does one thing at a time; only its costs are modelled, not the sharing of its processor
//! or bus (on an interface's own processor, applications go first: [`Residence`]). A message that is
//! destroyed, or whose CRC is wrong when it arrives, is gone without a word, unless hosts read early.
//!
//! # Validation
//! `tests/running/processes/closed_forms.rs`: the time of an exchange in closed form; stamps, early reading, faults,
//! failures and application traffic, each against what it must be on a small network. The mapper's tests
//! compare counts and maps with those on a plain graph.

mod application;
mod attached;
mod faults;
mod interfaces;
mod kernel;
mod record;

use std::ops::ControlFlow;

use simnet_base::des::process::Process;
use simnet_base::ids::{HostId, LinkId, Port};
use simnet_base::units::Time;
use simnet_media::fabric::{BuildError, Deadlock, Fabric, Fates, Parameters};
use simnet_media::host::passive::{self, Memory};
use simnet_media::host::{Address, Costs, Hardware, Station};
use simnet_media::trace::Scene;
use simnet_network::topology::Network;

pub(in crate::simulation) use application::jittered;
pub use application::{Interval, Load, Restraint, Traffic};
pub use attached::addresses;
pub use faults::{Faults, chance};
pub use interfaces::Losses;
pub use record::Recorded;

use super::progress::Listener;
use kernel::HostKernel;

/// All that a run needs but the processes.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The network.
    pub network: &'a Network,
    /// The fabric's parameters for it.
    pub parameters: &'a Parameters,
    /// Per host, the port that it uses, its only one as far as processes are concerned; `None`: the
    /// lowest-numbered cabled one.
    pub attachments: &'a [Option<Port>],
    /// What software costs.
    pub costs: Costs,
    /// How far each single cost of software may lie above or below its value, in thousandths of it, all
    /// values in between equally likely; at most 1,000.
    pub jitter: u32,
    /// Which processor the software runs on.
    pub residence: Residence,
    /// What interfaces and switches can do.
    pub hardware: Hardware,
    /// Who has which address.
    pub addresses: Addresses,
    /// The mean number of bits between two bit errors; `None`: no errors.
    pub bits_between_errors: Option<u64>,
    /// Failures of cables.
    pub failures: &'a [Failure],
    /// What goes wrong with messages of processes, other than bit errors.
    pub faults: Faults,
    /// The messages of applications, if there are any.
    pub load: Option<Load<'a>>,
    /// When the run ends at the latest.
    pub until: Option<Time>,
    /// The seed of everything that chance decides.
    pub seed: u64,
    /// Who records what happens, if anybody does.
    pub recorded: Option<Recorded<'a>>,
    /// Who hears how far it has come.
    pub listener: Listener<'a>,
}

impl<'a> Setup<'a> {
    /// A quiet network without faults, hosts with the default costs, no end but that of the processes, seed 0.
    pub fn new(network: &'a Network, parameters: &'a Parameters) -> Setup<'a> {
        Setup {
            network,
            parameters,
            attachments: &[],
            costs: Costs::default(),
            jitter: 0,
            residence: Residence::Host,
            hardware: Hardware::default(),
            addresses: Addresses::ByPosition,
            bits_between_errors: None,
            failures: &[],
            faults: Faults::NONE,
            load: None,
            until: None,
            seed: 0,
            recorded: None,
            listener: Listener::default(),
        }
    }
}

/// Which processor the software of processes runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Residence {
    /// The host's own, which has enough time for it.
    #[default]
    Host,
    /// The interface's, in the background: while the interface is busy with a message of an application, the
    /// software waits, though never longer than a millisecond on end.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 4.2: Myricom's mapper runs on the interface, where routing messages
    /// comes first. An interface is taken to be busy for as long as a message's flits take on its cable,
    /// from when it may begin to leave and from when it has arrived. The millisecond is our choice: without
    /// a bound a mapper on a busy interface would wait for ever.
    Nic,
}

/// Who has which address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    /// Addresses rise with the position in the list of hosts.
    #[default]
    ByPosition,
    /// The seed shuffles the addresses.
    Shuffled,
    /// This number shuffles them, the same in every run.
    Drawn(u64),
}

/// A cable that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The cable.
    pub link: LinkId,
    /// When.
    pub at: Time,
    /// When it returns; `None`: never.
    pub until: Option<Time>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The process of this host asked for it.
    Process(HostId),
    /// It came to [`Setup::until`].
    Horizon,
    /// No process could ever have gone on.
    Nothing,
}

/// A deadlock, and what the worms that took part are called, in the order of its members.
#[derive(Clone, Debug)]
pub struct Locked {
    /// The deadlock.
    pub deadlock: Deadlock,
    /// `host#number` for messages of applications, `host kind nonce` for those of processes.
    pub worms: Vec<String>,
}

/// What came of a run of processes.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// What the process that ended the run returned; `None` if none did.
    pub result: Option<T>,
    /// Why it ended.
    pub end: End,
    /// When it ended.
    pub time: Time,
    /// Per host, the routes last installed at its interface.
    pub memories: Vec<Memory>,
    /// What became of the messages of processes that began to leave and are over.
    pub fates: Fates,
    /// Messages of processes lost at the sender's interface ([`Faults::loss`]).
    pub lost: u64,
    /// What became of the messages of applications.
    pub traffic: Traffic,
    /// The deadlocks that formed.
    pub deadlocks: Vec<Deadlock>,
    /// The same with names.
    pub locked: Vec<Locked>,
    /// Messages of processes that began to leave.
    pub messages: u64,
    /// Events that the fabric handled.
    pub events: u64,
}

/// Runs `program` on the host `master` until it ends, and a daemon on every other host for which `serves`
/// holds.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
///
/// # Panics
/// Never: there is one master.
pub fn run<'a, T, F>(
    setup: &Setup<'a>,
    master: HostId,
    program: impl FnOnce(Station) -> F,
    serves: impl Fn(HostId) -> bool,
) -> Result<Outcome<T>, BuildError>
where
    T: 'a,
    F: Future<Output = T> + 'a,
{
    let work = setup.costs.reply;
    let mut program = Some(program);
    run_all(
        setup,
        |host| host == master || serves(host),
        |host, station| {
            let master = (host == master).then(|| program.take().expect("each host is asked once"));
            let seat = match master {
                Some(program) => Ok(program(station)),
                None => Err(station),
            };
            async move {
                match seat {
                    Ok(program) => ControlFlow::Break(program.await),
                    Err(mut station) => {
                        passive::serve(&mut station, &mut Memory::default(), work).await;
                        ControlFlow::Continue(())
                    }
                }
            }
        },
    )
}

/// Runs on every host for which `runs` holds the process that `program` makes for it, all from instant zero on.
///
/// The first process that returns [`ControlFlow::Break`] ends the run with its result; one that returns
/// [`ControlFlow::Continue`] only ends itself.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
pub fn run_all<'a, T, F>(
    setup: &Setup<'a>,
    runs: impl Fn(HostId) -> bool,
    mut program: impl FnMut(HostId, Station) -> F,
) -> Result<Outcome<T>, BuildError>
where
    T: 'a,
    F: Future<Output = ControlFlow<T>> + 'a,
{
    let attached = attached::Attached::new(setup);
    let ports: Vec<Option<Port>> =
        attached.network.host_ids().map(|host| Some(attached.network.attachment(host)?.0)).collect();
    let mut fabric = Fabric::new(&attached.network, &attached.parameters, &ports)?;
    attached.schedule(setup, &mut fabric);
    let addresses = addresses(setup);
    let process = |host: HostId| {
        let name = attached.network.hosts()[host.index()].name.clone();
        let station = |world| Station::new(name, addresses[host.index()], Time::ZERO, world);
        runs(host).then(|| Process::new(|world| program(host, station(world))))
    };
    let processes = attached.network.host_ids().map(process).collect();
    let Some(recorded) = setup.recorded else {
        return Ok(HostKernel::new(setup, &attached.network, fabric, &mut ()).run(processes));
    };
    let (names, sender) = record::names();
    let scene = Scene::of(recorded.nth, recorded.kind);
    let mut observer = record::Whole::new(recorded.recorder.open(scene, names), attached.whole());
    let mut kernel = HostKernel::new(setup, &attached.network, fabric, &mut observer);
    kernel.send_names(sender);
    let outcome = kernel.run(processes);
    recorded.recorder.close(observer.into_inner());
    Ok(outcome)
}

/// The address of each host of a network of so many.
pub(super) fn by_position(hosts: usize) -> Vec<Address> {
    (0..hosts).map(|nth| Address(nth as u64)).collect()
}
