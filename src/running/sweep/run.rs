//! Computing what the shards do not have: the costly points first, on every core.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration as WallTime;

use blake3::Hash;
use rayon::prelude::*;
use tracing::debug;

use super::known::{Damage, Known};
use super::line::{self, LONGEST, Outcome};
use super::points::Points;
use super::shard::Shard;
use super::store::{Store, StoreError};

/// What a point has come to that is not done, as the run was interrupted.
pub const INTERRUPTED: &str = "interrupted before it was done";

/// How often lines are made to reach the disk.
const SYNC_EVERY: WallTime = WallTime::from_secs(1);

/// The most threads that are begun.
pub const MOST_THREADS: usize = 1_024;

/// Hears how far a sweep has come. May be called from several threads.
pub trait Progress: Sync {
    /// It begins: of `points` points `kept` are done already, and the others cost so many seconds of one core.
    fn begin(&self, points: usize, kept: usize, cost: f64);
    /// A point that was estimated at `cost` seconds is done.
    fn done(&self, cost: f64, failed: bool);
    /// A shard is not as it was written; what is damaged is computed again.
    fn damaged(&self, damage: &Damage);
}

impl Progress for () {
    fn begin(&self, _points: usize, _kept: usize, _cost: f64) {}
    fn done(&self, _cost: f64, _failed: bool) {}
    fn damaged(&self, _damage: &Damage) {}
}

/// A share of a sweep's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which share, from 0.
    pub task: usize,
    /// Of how many; above `task`.
    pub of: usize,
}

/// How points are computed.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The number of threads; 0 for one a core.
    pub jobs: usize,
    /// Only this share of the points.
    pub part: Option<Part>,
    /// Whether points that failed are computed again.
    pub retry: bool,
    /// Hears how far it has come.
    pub progress: &'a dyn Progress,
    /// No point is begun once this is set.
    pub stop: &'a AtomicBool,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// How many points were requested.
    pub points: usize,
    /// How many of them the shards had.
    pub kept: usize,
    /// How many were computed, failed ones included.
    pub computed: usize,
    /// How many failed, now or earlier.
    pub failed: usize,
    /// Whether it was stopped before all were done.
    pub interrupted: bool,
}

/// Computes all points that the folder does not have; see [`run_as`].
///
/// # Errors
/// As [`run_as`].
pub fn run<P: Points + ?Sized>(
    points: &P,
    store: &Store,
    jobs: usize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Ran, StoreError> {
    run_as(points, store, &RunOptions { jobs, part: None, retry: false, progress, stop })
}

/// Computes all points in this process and keeps nothing on the disk: what each came to, in order. Costly points are
/// begun first; `done` hears of each that is done.
pub fn run_together<P: Points + ?Sized>(points: &P, done: impl Fn() + Sync) -> Vec<Outcome> {
    let outcomes = Outcomes::of(points.len());
    run_until(points, &outcomes, &AtomicBool::new(false), done);
    outcomes.now()
}

/// The same into `outcomes`, one by one, and no point is begun once `stop` is set.
pub fn run_until<P: Points + ?Sized>(
    points: &P,
    outcomes: &Outcomes,
    stop: &AtomicBool,
    done: impl Fn() + Sync,
) {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|point| Reverse(microseconds(points.cost(*point))));
    order.into_par_iter().with_max_len(1).for_each(|point| {
        if !stop.load(Ordering::SeqCst) {
            outcomes.set(point, outcome(points, point));
            done();
        }
    });
}

/// What the points of a sweep have come to so far, in plan order.
#[derive(Debug)]
pub struct Outcomes(Mutex<Vec<Outcome>>);

impl Outcomes {
    /// Of so many points, none of which is done.
    pub fn of(points: usize) -> Outcomes {
        Outcomes(Mutex::new(vec![Err(INTERRUPTED.to_owned()); points]))
    }

    fn set(&self, point: usize, outcome: Outcome) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[point] = outcome;
    }

    /// What they have come to by now; [`INTERRUPTED`] where that is nothing yet.
    pub fn now(&self) -> Vec<Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Computes the points that the folder does not have, costly ones first, each on a thread of its own; threads without a
/// point help the others where computing a point is parallel in itself. Points of one key are computed once. A point
/// that fails does not stop the others.
///
/// When it returns, every line it wrote has reached the disk.
///
/// # Errors
/// If the shards cannot be read or disagree, or the system refuses to write them; what was written before is kept.
pub fn run_as<P: Points + ?Sized>(
    points: &P,
    store: &Store,
    options: &RunOptions<'_>,
) -> Result<Ran, StoreError> {
    let jobs = if options.jobs == 0 { cores() } else { options.jobs }.min(MOST_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|_| StoreError::Threads(jobs))?;
    let known = store.known()?;
    known.damage().iter().for_each(|damage| options.progress.damaged(damage));
    let work = pool.install(|| Work::new(points, &known, options));
    drop(known);
    options.progress.begin(work.points, work.kept, work.pending.iter().map(|job| job.cost()).sum());
    let crew =
        Crew { points, store, options, work: &work, next: AtomicUsize::new(0), failure: Failure::default() };
    let (shards, computed, failed) = crew.run(&pool);
    for shard in shards {
        crew.failure.note(shard.sync());
    }
    if let Some(error) = crew.failure.into_inner() {
        return Err(error);
    }
    Ok(Ran {
        points: work.points,
        kept: work.kept,
        computed,
        failed: work.failed + failed,
        interrupted: computed < work.pending.iter().map(|job| job.twins).sum(),
    })
}

/// The task of each point, by its place, so that the tasks of a sweep cost about alike: the costliest point that is
/// left goes to the task that has least to do.
///
/// A function of the costs alone: every task finds the same on its own.
pub fn assign(costs: &[f64], tasks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|point| Reverse(microseconds(costs[*point])));
    // More tasks than points have nothing to do.
    let tasks = tasks.min(costs.len());
    let mut loads: BinaryHeap<Reverse<(u64, usize)>> = (0..tasks).map(|task| Reverse((0, task))).collect();
    let mut task_of = vec![0; costs.len()];
    for point in order {
        let Some(Reverse((load, task))) = loads.pop() else { break };
        task_of[point] = task;
        loads.push(Reverse((load.saturating_add(microseconds(costs[point])), task)));
    }
    task_of
}

/// A cost as an integer of at least one, which has an order.
fn microseconds(seconds: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and takes what is no number as 0"
    )]
    let cost = (seconds * 1e6) as u64;
    cost.max(1)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A point to compute.
#[derive(Clone, Copy, Debug)]
struct Job {
    key: Hash,
    point: usize,
    /// How many points have this key.
    twins: usize,
    microseconds: u64,
    again: u32,
}

impl Job {
    fn cost(&self) -> f64 {
        self.microseconds as f64 / 1e6
    }
}

/// What there is to do.
struct Work {
    points: usize,
    kept: usize,
    failed: usize,
    /// Costly ones first.
    pending: Vec<Job>,
}

impl Work {
    fn new<P: Points + ?Sized>(points: &P, known: &Known, options: &RunOptions<'_>) -> Work {
        let keys: Vec<(usize, Hash)> = match options.part {
            None => points.keys(0..points.len()).into_iter().enumerate().collect(),
            Some(part) => {
                let costs: Vec<f64> = (0..points.len()).into_par_iter().map(|n| points.cost(n)).collect();
                let task_of = assign(&costs, part.of);
                let mine = (0..points.len()).into_par_iter().filter(|point| task_of[*point] == part.task);
                mine.map(|point| (point, points.key(point))).collect()
            }
        };
        let mut work = Work { points: keys.len(), kept: 0, failed: 0, pending: Vec::new() };
        for (point, key) in keys {
            let record = known.find(&key);
            let again = match record {
                Some(record) if record.failed && options.retry => record.again().saturating_add(1),
                Some(record) => {
                    work.kept += 1;
                    work.failed += usize::from(record.failed);
                    continue;
                }
                None => 0,
            };
            let microseconds = microseconds(points.cost(point));
            work.pending.push(Job { key, point, twins: 1, microseconds, again });
        }
        work.pending.sort_by(|a, b| a.key.as_bytes().cmp(b.key.as_bytes()).then(a.point.cmp(&b.point)));
        work.pending.dedup_by(|later, first| {
            let same = later.key == first.key;
            first.twins += usize::from(same);
            same
        });
        work.pending.sort_by_key(|job| (Reverse(job.microseconds), job.point));
        work
    }
}

/// The first thing that went wrong with the folder.
#[derive(Default)]
struct Failure {
    struck: AtomicBool,
    first: Mutex<Option<StoreError>>,
}

impl Failure {
    fn note(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.struck.store(true, Ordering::SeqCst);
            self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn into_inner(self) -> Option<StoreError> {
        self.first.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads that compute, and the one that syncs.
struct Crew<'a, P: ?Sized> {
    points: &'a P,
    store: &'a Store,
    options: &'a RunOptions<'a>,
    work: &'a Work,
    next: AtomicUsize,
    failure: Failure,
}

impl<P: Points + ?Sized> Crew<'_, P> {
    /// Gives the shards that were written, how many points were computed and how many of those failed.
    fn run(&self, pool: &rayon::ThreadPool) -> (Vec<Arc<Shard>>, usize, usize) {
        let shards = Mutex::new(Vec::new());
        let (done, wait) = mpsc::channel::<()>();
        let counts = std::thread::scope(|scope| {
            let begun = &shards;
            // Without a thread for it, shards reach the disk when all is done.
            let _watch = std::thread::Builder::new().spawn_scoped(scope, move || self.sync(begun, &wait));
            let counts = pool.broadcast(|_| self.compute(&shards));
            drop(done);
            counts
        });
        let (computed, failed) = counts.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (shards.into_inner().unwrap_or_else(PoisonError::into_inner), computed, failed)
    }

    /// Syncs every shard now and then, until all threads are done.
    fn sync(&self, shards: &Mutex<Vec<Arc<Shard>>>, wait: &mpsc::Receiver<()>) {
        while wait.recv_timeout(SYNC_EVERY) == Err(RecvTimeoutError::Timeout) {
            let begun = shards.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for shard in begun {
                self.failure.note(shard.sync());
            }
        }
    }

    /// Computes one point after the other, on one thread.
    fn compute(&self, shards: &Mutex<Vec<Arc<Shard>>>) -> (usize, usize) {
        let mut shard: Option<Arc<Shard>> = None;
        let (mut computed, mut failed) = (0, 0);
        while !self.options.stop.load(Ordering::SeqCst) && !self.failure.struck.load(Ordering::SeqCst) {
            let Some(job) = self.work.pending.get(self.next.fetch_add(1, Ordering::SeqCst)) else { break };
            let outcome = outcome(self.points, job.point);
            let mut line = line::encode(&job.key, job.again, &outcome);
            let mut is_failure = outcome.is_err();
            if line.len() > LONGEST {
                is_failure = true;
                let error = format!("the result has {} bytes; at most {LONGEST} are kept", line.len());
                line = line::encode(&job.key, job.again, &Err(error));
            }
            if let Err(error) = self.append(&mut shard, shards, &line) {
                self.failure.note(Err(error));
                break;
            }
            debug!(point = job.point, failed = is_failure, "a point is done");
            computed += job.twins;
            failed += if is_failure { job.twins } else { 0 };
            for _ in 0..job.twins {
                self.options.progress.done(job.cost() / job.twins as f64, is_failure);
            }
        }
        (computed, failed)
    }

    /// Appends a line to this thread's shard, which is begun with its first line.
    fn append(
        &self,
        own: &mut Option<Arc<Shard>>,
        shards: &Mutex<Vec<Arc<Shard>>>,
        line: &[u8],
    ) -> Result<(), StoreError> {
        let shard = match own {
            Some(shard) => shard,
            None => {
                let worker = match self.options.part {
                    None => "run".to_owned(),
                    Some(part) => format!("task-{}-of-{}", part.task, part.of),
                };
                let begun = Arc::new(self.store.begin_shard(&worker)?);
                shards.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&begun));
                own.insert(begun)
            }
        };
        shard.append(line)
    }
}

/// Computes a point; a panic is a failure like any other, where the program unwinds.
pub(super) fn outcome<P: Points + ?Sized>(points: &P, point: usize) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| points.compute(point))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("a fault of simnet: it panicked: {}", text.unwrap_or("for no reason given")))
    })
}
