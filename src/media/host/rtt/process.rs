//! What an MPI process does that measures.

use crate::host::rank::Rank;
use simnet_base::units::{Bytes, Duration};

use super::stopping::Set;
use super::tournament::Tournament;
use super::{Plan, Schedule};

/// What ranks that measure send one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A ping, or the answer to one.
    Ping,
    /// Whether the one who pings takes another set.
    Another(bool),
    /// The receiver's turn has come: to measure, or to send its results.
    Turn,
    /// The sender has come to a barrier.
    Barrier,
    /// What a machine measured with each.
    Row(Vec<Duration>),
}

/// Bytes of a message that holds no more than a number: an MPI_INT.
const CONTROL: u64 = 4;
/// Bytes of a result: an MPI_DOUBLE.
const RESULT: u64 = 8;

impl Message {
    /// Its length.
    pub fn bytes(&self, plan: &Plan) -> Bytes {
        match self {
            Message::Ping => plan.message,
            Message::Another(_) | Message::Turn | Message::Barrier => Bytes(CONTROL),
            Message::Row(times) => Bytes(RESULT * times.len() as u64),
        }
    }
}

/// A measurement that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The partner.
    pub with: usize,
    /// The mean round trip of the last set.
    pub rtt: Duration,
    /// How many samples that set had.
    pub samples: u32,
}

/// What a rank that measures notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A measurement of its own is over.
    Measured(Measured),
    /// It is rank 0 and has what every rank measured with each.
    Gathered(Vec<Vec<Duration>>),
}

/// Measures with all other ranks by a plan that has been checked, working for `pause` before every ping; notes every
/// measurement as it ends, and on rank 0 the results of all.
pub async fn measure<R>(rank: &mut R, plan: &Plan, pause: Duration)
where
    R: Rank<Data = Message, Note = Note>,
{
    let row = match plan.schedule {
        Schedule::Sequence => in_turn(rank, plan, pause).await,
        Schedule::AtOnce(pairs) => at_once(rank, plan, pause, pairs).await,
    };
    if let Some(rows) = gather(rank, row).await {
        rank.note(Note::Gathered(rows)).await;
    }
}

/// One rank after the other measures with all, in their order.
async fn in_turn<R>(rank: &mut R, plan: &Plan, pause: Duration) -> Vec<Duration>
where
    R: Rank<Data = Message, Note = Note>,
{
    let (me, size) = (rank.rank(), rank.size());
    let mut row = vec![Duration::ZERO; size];
    for turn in 0..size {
        if turn != me {
            answer(rank, plan, turn).await;
            continue;
        }
        if me > 0 {
            rank.recv(me - 1).await;
        }
        for with in (0..size).filter(|with| *with != me) {
            row[with] = ping(rank, plan, pause, with).await;
        }
        // Back at rank 0, the turn says that everything has been measured.
        if size > 1 {
            rank.send((me + 1) % size, Message::Turn).await;
        }
    }
    // No rank sends results while others measure.
    if me == 0 && size > 1 {
        rank.recv(size - 1).await;
        let others: Vec<usize> = (1..size).collect();
        rank.send_all(&others, Message::Turn).await;
    } else if me > 0 {
        rank.recv(0).await;
    }
    row
}

/// Disjoint pairs measure at the same time, first in one direction, then in the other.
async fn at_once<R>(rank: &mut R, plan: &Plan, pause: Duration, pairs: u32) -> Vec<Duration>
where
    R: Rank<Data = Message, Note = Note>,
{
    let (me, size) = (rank.rank(), rank.size());
    let mut row = vec![Duration::ZERO; size];
    let tournament = Tournament::new(size, pairs);
    for round in 0..tournament.rounds() {
        let own = tournament.of(me, round);
        for group in 0..tournament.groups() {
            barrier(rank).await;
            let Some(with) = own.filter(|own| own.group == group).map(|own| own.with) else { continue };
            if me < with {
                row[with] = ping(rank, plan, pause, with).await;
                answer(rank, plan, with).await;
            } else {
                answer(rank, plan, with).await;
                row[with] = ping(rank, plan, pause, with).await;
            }
        }
    }
    barrier(rank).await;
    row
}

/// Measures with one rank; gives the mean round trip.
async fn ping<R>(rank: &mut R, plan: &Plan, pause: Duration, with: usize) -> Duration
where
    R: Rank<Data = Message, Note = Note>,
{
    let mut samples = plan.first;
    loop {
        let mut set = Set::default();
        for _ in 0..samples {
            let mut sum = Duration::ZERO;
            for _ in 0..plan.round_trips {
                if pause > Duration::ZERO {
                    rank.work(pause).await;
                }
                let begun = rank.now();
                rank.send(with, Message::Ping).await;
                rank.recv(with).await;
                sum += rank.now().since(begun);
            }
            set.add(sum);
        }
        let next = if set.is_consistent(plan.threshold_ppm) { None } else { plan.next(samples) };
        rank.send(with, Message::Another(next.is_some())).await;
        match next {
            Some(more) => samples = more,
            None => {
                let rtt = set.mean(plan.round_trips);
                rank.note(Note::Measured(Measured { with, rtt, samples })).await;
                return rtt;
            }
        }
    }
}

/// Answers the pings of one rank until it has measured.
async fn answer<R>(rank: &mut R, plan: &Plan, from: usize)
where
    R: Rank<Data = Message, Note = Note>,
{
    let mut samples = Some(plan.first);
    while let Some(set) = samples {
        for _ in 0..u64::from(set) * u64::from(plan.round_trips) {
            rank.recv(from).await;
            rank.send(from, Message::Ping).await;
        }
        let is_another = rank.recv(from).await == Message::Another(true);
        samples = if is_another { plan.next(set) } else { None };
    }
}

/// Waits for all ranks, by messages alone.
///
/// # Source
/// Hensgen, Finkel and Manber 1988, "Two algorithms for barrier synchronization": the dissemination barrier.
async fn barrier<R>(rank: &mut R)
where
    R: Rank<Data = Message>,
{
    let (me, size) = (rank.rank(), rank.size());
    let mut span = 1;
    while span < size {
        rank.exchange((me + span) % size, Message::Barrier, (me + size - span) % size).await;
        span *= 2;
    }
}

/// Brings every rank's row to rank 0, which receives them in the order of ranks.
async fn gather<R>(rank: &mut R, row: Vec<Duration>) -> Option<Vec<Vec<Duration>>>
where
    R: Rank<Data = Message>,
{
    if rank.rank() > 0 {
        rank.send(0, Message::Row(row)).await;
        return None;
    }
    let mut rows = vec![row];
    for from in 1..rank.size() {
        let Message::Row(row) = rank.recv(from).await else { return None };
        rows.push(row);
    }
    Some(rows)
}
