//! All-gathers by ranks over media: closed forms, loss, several ranks a machine, chance.

mod arithmetic;
mod ideal;
mod loss;

use simnet_base::ids::HostId;
use simnet_base::units::{BitRate, Bytes, Duration};
use simnet_media::host::collective::Algorithm;
use simnet_media::medium::Medium;
use simnet_running::simulation::ranks::{self, Job, Outcome, Protocol, Software};

/// A job of one rank a machine, software for nothing.
pub(crate) fn job(algorithm: Algorithm, ranks: usize, block: u64, protocol: Protocol) -> Job {
    Job {
        machines: (0..ranks).map(HostId::new).collect(),
        block: Bytes(block),
        algorithm,
        order: None,
        software: Software::NONE,
        protocol,
        iterations: 1,
        seed: 1,
    }
}

/// Runs a job; every rank must end with the right buffer.
pub(crate) fn run(medium: &mut impl Medium, job: &Job) -> Outcome {
    let outcome = ranks::run(medium, job).expect("a job that can be run");
    let buffers = job.machines.len() as u64 * u64::from(job.iterations);
    assert_eq!((outcome.right, outcome.wrong, outcome.stuck.len()), (buffers, 0, 0), "{job:?}");
    outcome
}

pub(crate) fn megabits(rate: u64) -> BitRate {
    BitRate::new(rate * 1_000_000).unwrap()
}

/// The time of the first repetition, from the first begin to the last end.
pub(crate) fn time(outcome: &Outcome) -> Duration {
    outcome.lap(0).expect("a repetition that ended")
}
