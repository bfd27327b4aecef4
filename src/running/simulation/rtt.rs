//! Round-trip times measured on a simulated cluster: an MPI process on every machine, over any medium.
//!
//! # Scope and limitations
//! As [`ranks`](super::ranks). A send is over when the message has been handed over ([`Protocol::EAGER`]), as that of a
//! short message is in every MPI library. All machines read one clock, which is exact to a picosecond; only the machine
//! that pings reads it. What disturbs software and network is in [`Noise`].
//!
//! # Source
//! lawrence2008, see [`host::rtt`](simnet_media::host::rtt).
//!
//! # Validation
//! `tests/running/processes/rtt.rs`: every round trip in closed form without noise; the totals of lawrence2008, Table
//! 1, with it.

pub mod lawrence;

use std::collections::BTreeSet;

use thiserror::Error;

use simnet_base::des::process::Process;
use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration, Time};
use simnet_media::host::rank::Member;
use simnet_media::host::rtt::{Measured, Message, Note, Plan, PlanError, measure};
use simnet_media::medium::Medium;
use simnet_network::discovery::Rtts;

use super::ranks::kernel::{self, Cluster, Program, RankProcess};
use super::ranks::{Protocol, Software, Stuck};

pub use super::ranks::Noise;

/// A measurement to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// By rank, its machine; each once, at least one.
    pub machines: Vec<HostId>,
    /// By rank, its machine's name.
    pub names: Vec<String>,
    /// How round-trip times are measured.
    pub plan: Plan,
    /// What software costs; its jitter is part of the noise.
    pub software: Software,
    /// What the tool itself does before every ping, on the machine that measures; not part of a round trip.
    pub pause: Duration,
    /// What disturbs measurements.
    pub noise: Noise,
    /// Machines whose software is slower or faster than the others', in thousandths of what it takes: 2000 is half as
    /// fast. Of a machine that stands here twice the last entry counts.
    pub paces: Vec<(HostId, u32)>,
    /// For chance.
    pub seed: u64,
}

/// What came of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was measured; `None` unless every machine's results reached machine 0.
    pub rtts: Option<Rtts>,
    /// By ordered pair as in [`Rtts`], row by row, how many samples its last set had; 0 where none ended.
    pub samples: Vec<u32>,
    /// From the start until the last pair was done.
    pub measuring: Duration,
    /// From then until machine 0 had all results.
    pub gathering: Duration,
    /// Messages between machines, background not counted in.
    pub messages: u64,
    /// Messages that the medium lost, as sender and receiver.
    pub lost: Vec<(usize, usize)>,
    /// Ranks that cannot go on; `iteration` is how many measurements a rank has made.
    pub stuck: Vec<Stuck>,
}

/// Why a measurement cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JobError {
    /// There is no machine.
    #[error("there are no machines")]
    NoMachines,
    /// More machines than a matrix of results can be kept of.
    #[error("{machines} machines are more than the {MOST_MACHINES} that can be measured")]
    TooMany {
        /// How many there are.
        machines: usize,
    },
    /// Machines and names are not equally many.
    #[error("{machines} machines have {names} names")]
    Names {
        /// How many machines.
        machines: usize,
        /// How many names.
        names: usize,
    },
    /// Two ranks on one machine, or two machines of one name.
    #[error("two ranks are on `{name}`")]
    Twice {
        /// The machine.
        name: String,
    },
    /// The plan is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A ping longer than can be simulated.
    #[error("a ping of {bytes} bytes is longer than the {MOST_BYTES} that can be simulated")]
    TooLong {
        /// Its bytes, the envelope counted in.
        bytes: u64,
    },
    /// A share of the whole that is above it.
    #[error("{what} is {given}, above {most}")]
    Share {
        /// Of what.
        what: &'static str,
        /// The share.
        given: u32,
        /// The most it can be.
        most: u32,
    },
}

/// The most machines: a matrix of their results takes 128 MiB.
pub const MOST_MACHINES: usize = 4_096;
/// The most bytes of a ping: at 1 Mb/s, so many take 2.4 simulated hours.
const MOST_BYTES: u64 = 1 << 30;

impl Job {
    /// Looks for what makes the measurement impossible. Costs O(machines log machines).
    ///
    /// # Errors
    /// [`JobError`].
    pub fn check(&self) -> Result<(), JobError> {
        let (machines, names) = (self.machines.len(), self.names.len());
        let bytes = self.plan.message.0.max(self.noise.background_message.0);
        let bytes = bytes.saturating_add(self.software.envelope.0);
        self.plan.check()?;
        match () {
            () if machines == 0 => return Err(JobError::NoMachines),
            () if machines > MOST_MACHINES => return Err(JobError::TooMany { machines }),
            () if machines != names => return Err(JobError::Names { machines, names }),
            () if bytes > MOST_BYTES => return Err(JobError::TooLong { bytes }),
            () => {}
        }
        let (mut hosts, mut called) = (BTreeSet::new(), BTreeSet::new());
        let mut is_new = |rank: usize| hosts.insert(self.machines[rank]) && called.insert(&self.names[rank]);
        if let Some(twice) = (0..machines).find(|rank| !is_new(*rank)) {
            return Err(JobError::Twice { name: self.names[twice].clone() });
        }
        self.check_noise()
    }

    fn check_noise(&self) -> Result<(), JobError> {
        let shares = [
            ("the jitter of software", self.software.jitter, 1_000),
            ("how often work is interrupted", self.noise.outliers_ppm, 1_000_000),
            ("how far the pace drifts", self.noise.drift, 1_000),
            ("how busy background traffic keeps a cable", self.noise.background_ppm, 999_999),
        ];
        let too_much = shares.into_iter().find(|(_, given, most)| given > most);
        too_much.map_or(Ok(()), |(what, given, most)| Err(JobError::Share { what, given, most }))
    }
}

/// What is known of the measurements.
struct Record<'a> {
    plan: &'a Plan,
    machines: usize,
    samples: Vec<u32>,
    ended: Vec<usize>,
    measuring: Time,
    /// The whole result, and when machine 0 had it.
    gathered: Option<(Vec<Vec<Duration>>, Time)>,
}

impl Program for Record<'_> {
    type Data = Message;
    type Note = Note;

    fn bytes(&self, message: &Message) -> Bytes {
        message.bytes(self.plan)
    }

    fn hear(&mut self, rank: usize, note: Note, now: Time) {
        match note {
            Note::Measured(Measured { with, samples, .. }) => {
                self.samples[rank * self.machines + with] = samples;
                self.ended[rank] += 1;
                self.measuring = now;
            }
            Note::Gathered(rows) => self.gathered = Some((rows, now)),
        }
    }

    fn ended(&self, rank: usize) -> usize {
        self.ended[rank]
    }
}

impl Job {
    fn cluster(&self) -> Cluster<'_> {
        Cluster {
            machines: &self.machines,
            software: &self.software,
            protocol: &Protocol::EAGER,
            noise: &self.noise,
            paces: &self.paces,
            seed: self.seed,
        }
    }
}

/// Measures the round-trip times of all ordered pairs of machines over a medium, from the start of its clock, until
/// machine 0 has all results or some rank cannot go on.
///
/// # Errors
/// [`JobError`]; nothing has been sent then.
pub fn run(medium: &mut impl Medium, job: &Job) -> Result<Outcome, JobError> {
    job.check()?;
    let machines = job.machines.len();
    let record = Record {
        plan: &job.plan,
        machines,
        samples: vec![0; machines * machines],
        ended: vec![0; machines],
        measuring: Time::ZERO,
        gathered: None,
    };
    let process = |rank| {
        Process::new(async move |world| {
            let mut member = Member::new(rank, machines, Time::ZERO, world);
            measure(&mut member, &job.plan, job.pause).await;
        })
    };
    let processes: Vec<RankProcess<'_, Record<'_>>> = (0..machines).map(process).collect();
    let (record, traffic) = kernel::run(medium, &job.cluster(), record, processes);
    let Record { samples, measuring, gathered, .. } = record;
    let end = gathered.as_ref().map_or(measuring, |(_, at)| *at);
    Ok(Outcome {
        rtts: gathered.and_then(|(rows, _)| matrix(&job.names, &rows)),
        samples,
        measuring: measuring.since(Time::ZERO),
        gathering: end.since(measuring),
        messages: traffic.messages,
        lost: traffic.lost,
        stuck: traffic.stuck,
    })
}

/// The matrix of results. A round trip that took no time on a network without any is reported as a picosecond.
fn matrix(names: &[String], rows: &[Vec<Duration>]) -> Option<Rtts> {
    let least = Duration::from_ps(1);
    let cell = |from: usize, to: usize, time: Duration| if from == to { time } else { time.max(least) };
    let of_row = |(from, row): (usize, &Vec<Duration>)| {
        row.iter().enumerate().map(move |(to, time)| cell(from, to, *time)).collect::<Vec<_>>()
    };
    Rtts::new(names.to_vec(), rows.iter().enumerate().flat_map(of_row).collect()).ok()
}
