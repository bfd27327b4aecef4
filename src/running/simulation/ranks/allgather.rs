//! What every rank does to repeat an all-gather, and what is kept of it.

use simnet_base::des::process::Process;
use simnet_base::units::{Bytes, Time};
use simnet_media::host::collective::Contents;
use simnet_media::host::rank::{Member, Rank as _};

use super::kernel::{self, Program, RankProcess};
use super::{Job, Lap, Outcome};
use simnet_media::medium::Medium;

/// A repetition that is over.
pub(super) struct Finished {
    begun: Time,
    /// Whether the buffer holds what it should.
    right: bool,
}

/// A rank of an all-gather: its messages are blocks.
pub(super) type Gatherer = Member<Vec<Contents>, Finished>;

/// What is known of an all-gather's repetitions.
struct Record<'a> {
    job: &'a Job,
    outcome: Outcome,
}

impl Program for Record<'_> {
    type Data = Vec<Contents>;
    type Note = Finished;

    fn bytes(&self, blocks: &Vec<Contents>) -> Bytes {
        Bytes(self.job.block.0.saturating_mul(blocks.len() as u64))
    }

    fn hear(&mut self, rank: usize, Finished { begun, right }: Finished, now: Time) {
        self.outcome.laps[rank].push(Lap { begin: begun, end: now });
        *(if right { &mut self.outcome.right } else { &mut self.outcome.wrong }) += 1;
    }

    fn ended(&self, rank: usize) -> usize {
        self.outcome.laps[rank].len()
    }
}

/// Runs `program` on every rank of a job that has been checked.
pub(super) fn run<P>(medium: &mut impl Medium, job: &Job, program: &P) -> Outcome
where
    P: AsyncFn(&mut Gatherer, Contents) -> Vec<Option<Contents>>,
{
    let size = job.machines.len();
    let process =
        |rank| Process::new(move |world| live(Member::new(rank, size, Time::ZERO, world), job, program));
    let processes: Vec<RankProcess<'_, Record<'_>>> = (0..size).map(process).collect();
    let outcome = Outcome { laps: vec![Vec::new(); size], ..Outcome::default() };
    let (record, traffic) = kernel::run(medium, &job.cluster(), Record { job, outcome }, processes);
    Outcome {
        lost: traffic.lost,
        stuck: traffic.stuck,
        messages: traffic.messages,
        bytes: traffic.bytes,
        carried: traffic.carried,
        end: traffic.end,
        ..record.outcome
    }
}

/// What every rank does.
async fn live<P>(mut rank: Gatherer, job: &Job, program: &P)
where
    P: AsyncFn(&mut Gatherer, Contents) -> Vec<Option<Contents>>,
{
    let is_right = |gathered: &[Option<Contents>], round| {
        gathered.len() == job.machines.len()
            && (0..).zip(gathered).all(|(rank, block)| *block == Some(Contents::of(job.seed, rank, round)))
    };
    rank.barrier().await;
    for round in 0..job.iterations {
        let begun = rank.now();
        let own = Contents::of(job.seed, rank.rank(), round);
        let gathered = program(&mut rank, own).await;
        let right = is_right(&gathered, round);
        rank.note(Finished { begun, right }).await;
    }
}
