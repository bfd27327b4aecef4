//! The loop that runs processes at simulated instants.
//!
//! A [`Kernel`] says what requests mean and what happens around the processes; [`run`] does the rest, on one
//! [`Scheduler`]:
//!
//! ```text
//!          +--> advance: whatever lies around the processes runs up to the next instant of the agenda
//!   run ---+                                                           | schedules, wakes
//!          +--> next of the agenda --event--> handle -------------+    v
//!                        |                                        +-> Scheduler (agenda, one wake a process)
//!                        +---wake---> wake --answer--> process    |
//!                                     ask <--request--- process --+
//! ```
//! All happens in the order (instant, order of scheduling), on one thread: a run is a function of its input.
//!
//! # Validation
//! Unit tests: ties, a wake that is moved, a run that a process ends. Both kernels of `simulation` are held to closed
//! forms by their own tests.

use std::ops::ControlFlow;

use super::agenda::Agenda;
use super::process::{Process, Step};
use crate::units::Time;

/// What processes run on: what their requests mean, and what happens around them.
pub trait Kernel: Sized {
    /// What processes ask.
    type Request;
    /// What they are answered.
    type Answer;
    /// What a process returns in the end.
    type Output;
    /// What else is scheduled.
    type Event;

    /// Takes a request; its answer, if there is one at once. Otherwise the process waits until it is woken.
    fn ask(
        &mut self,
        scheduler: &mut Scheduler<Self::Event>,
        process: usize,
        request: Self::Request,
    ) -> Option<Self::Answer>;

    /// The answer for a process whose instant has come; `None` lets it wait on.
    fn wake(&mut self, scheduler: &mut Scheduler<Self::Event>, process: usize) -> Option<Self::Answer>;

    /// Does what was scheduled for this instant.
    fn handle(&mut self, scheduler: &mut Scheduler<Self::Event>, event: Self::Event);

    /// Hears what a process returned; `Break` ends the run.
    fn ended(&mut self, process: usize, output: Self::Output) -> ControlFlow<()>;

    /// Lets what lies around the processes run up to the next instant of `scheduler`, and no further. It may schedule
    /// and wake. `Break` ends the run.
    fn advance(&mut self, scheduler: &mut Scheduler<Self::Event>) -> ControlFlow<()>;
}

/// A process that runs on a kernel.
pub type ProcessOn<'a, K> = Process<'a, <K as Kernel>::Request, <K as Kernel>::Answer, <K as Kernel>::Output>;

/// The agenda of a run, and which processes it is to wake.
#[derive(Debug)]
pub struct Scheduler<E> {
    agenda: Agenda<Due<E>>,
    /// By process.
    states: Vec<ProcessState>,
    /// How often a process was set to be woken.
    wakes: u64,
    /// Processes that are to be woken.
    waking: usize,
}

/// What the scheduler knows of a process.
#[derive(Clone, Copy, Debug, Default)]
struct ProcessState {
    /// Whether there is a process that has not ended.
    runs: bool,
    /// When it is to be woken, and the number of that wake; the agenda's other wakes of it are void.
    wake: Option<(Time, u64)>,
}

#[derive(Debug)]
enum Due<E> {
    Wake { process: usize, nth: u64 },
    Event(E),
}

impl<E> Default for Scheduler<E> {
    fn default() -> Scheduler<E> {
        Scheduler { agenda: Agenda::new(), states: Vec::new(), wakes: 0, waking: 0 }
    }
}

impl<E> Scheduler<E> {
    /// The present instant.
    pub fn now(&self) -> Time {
        self.agenda.now()
    }

    /// The next instant of the agenda, that of a void wake counted in; `None` if nothing is scheduled.
    pub fn next(&self) -> Option<Time> {
        self.agenda.next()
    }

    /// Lets the present be `at`, as [`Agenda::advance_to`].
    ///
    /// # Panics
    /// If `at` lies behind the present, or after the next instant of the agenda.
    pub fn advance_to(&mut self, at: Time) {
        self.agenda.advance_to(at);
    }

    /// Schedules an event.
    ///
    /// # Panics
    /// If `at` lies behind the present.
    pub fn schedule(&mut self, at: Time, event: E) {
        self.agenda.schedule(at, Due::Event(event));
    }

    /// Lets `process` be woken at `at`, and not when it was to be before. One that was to be woken at `at` already
    /// keeps its place among the events of that instant.
    ///
    /// # Panics
    /// If `at` lies behind the present.
    pub fn wake(&mut self, process: usize, at: Time) {
        let state = &mut self.states[process];
        debug_assert!(state.runs, "only a process that has not ended is woken");
        debug_assert!(at >= self.agenda.now(), "and none behind the present");
        if state.wake.is_some_and(|(set, _)| set == at) {
            return;
        }
        // The wake that was set before stays in the agenda, void: its number is not the valid one any more.
        let nth = self.wakes;
        self.wakes += 1;
        self.waking += usize::from(state.wake.replace((at, nth)).is_none());
        debug_assert!(self.waking <= self.states.len(), "a process is woken once at a time");
        self.agenda.schedule(at, Due::Wake { process, nth });
        debug_assert!(self.next().is_some_and(|next| next <= at), "the agenda does not pass over a wake");
    }

    /// Whether any process is to be woken.
    pub fn wakes_any(&self) -> bool {
        debug_assert!(self.waking <= self.states.len(), "a process is woken once at a time");
        self.waking > 0
    }

    /// Whether `process` is there and has not ended.
    pub fn runs(&self, process: usize) -> bool {
        self.states[process].runs
    }

    /// Whether all wakes that are set are counted. Costs O(processes).
    fn is_counted(&self) -> bool {
        self.states.iter().filter(|state| state.wake.is_some()).count() == self.waking
    }

    /// Takes back what was set by [`Scheduler::wake`], if it is wake number `nth`; whether it was.
    fn take_wake(&mut self, process: usize, nth: u64) -> bool {
        let wake = &mut self.states[process].wake;
        debug_assert!(nth < self.wakes, "a wake that goes off was set");
        debug_assert!(wake.is_none_or(|(_, valid)| valid >= nth), "what was set last is valid");
        let is_valid = wake.is_some_and(|(_, valid)| valid == nth);
        if is_valid {
            debug_assert!(
                wake.is_some_and(|(at, _)| at == self.agenda.now()),
                "a wake goes off at its instant"
            );
            debug_assert!(self.waking > 0, "a wake that is set is counted");
            *wake = None;
            self.waking -= 1;
        }
        is_valid
    }
}

/// Runs processes, by their numbers, from the present of `scheduler` on, until the kernel ends the run or nothing is
/// scheduled. All begin at once, in the order of their numbers.
///
/// # Panics
/// If a process waits for something that is not its world, or a kernel schedules behind the present.
pub fn run<'a, K: Kernel>(
    kernel: &mut K,
    scheduler: &mut Scheduler<K::Event>,
    processes: Vec<Option<ProcessOn<'a, K>>>,
) where
    K::Request: 'a,
    K::Answer: 'a,
{
    debug_assert!(scheduler.waking == 0, "wakes of processes that are gone");
    scheduler.states =
        processes.iter().map(|process| ProcessState { runs: process.is_some(), wake: None }).collect();
    _ = Executor { kernel, scheduler, processes }.run();
}

/// A run.
struct Executor<'r, 'a, K: Kernel> {
    kernel: &'r mut K,
    scheduler: &'r mut Scheduler<K::Event>,
    /// `None` for one that was never there, or has ended.
    processes: Vec<Option<ProcessOn<'a, K>>>,
}

impl<'a, K: Kernel> Executor<'_, 'a, K>
where
    K::Request: 'a,
    K::Answer: 'a,
{
    fn run(&mut self) -> ControlFlow<()> {
        for process in 0..self.processes.len() {
            if let Some(step) = self.processes[process].as_mut().map(Process::start) {
                self.go_on(process, step)?;
            }
        }
        loop {
            let (now, next) = (self.scheduler.now(), self.scheduler.next());
            self.kernel.advance(self.scheduler)?;
            debug_assert!(self.scheduler.now() >= now, "time goes on");
            debug_assert!(
                next.is_none_or(|next| self.scheduler.now() <= next),
                "what lies around the processes runs no further than to their next instant"
            );
            match self.scheduler.agenda.pop() {
                Some(due) => self.act(due.event)?,
                None => {
                    debug_assert!(self.scheduler.is_counted(), "wakes that are set are counted");
                    // Stays on: a process that waited for ever would be missing from the results.
                    assert!(!self.scheduler.wakes_any(), "a wake that is set is in the agenda");
                    return ControlFlow::Break(());
                }
            }
        }
    }

    fn act(&mut self, due: Due<K::Event>) -> ControlFlow<()> {
        match due {
            Due::Event(event) => self.kernel.handle(self.scheduler, event),
            Due::Wake { process, nth } => {
                if self.scheduler.take_wake(process, nth)
                    && let Some(answer) = self.kernel.wake(self.scheduler, process)
                {
                    let step = self.resume(process, answer);
                    return self.go_on(process, step);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes what a process has done, up to where it waits or ends.
    fn go_on(&mut self, process: usize, mut step: Step<K::Request, K::Output>) -> ControlFlow<()> {
        debug_assert!(self.scheduler.runs(process), "only a process that runs does anything");
        debug_assert!(self.processes[process].is_some(), "and one that runs is there");
        loop {
            match step {
                Step::Asks(request) => match self.kernel.ask(self.scheduler, process, request) {
                    Some(answer) => step = self.resume(process, answer),
                    None => return ControlFlow::Continue(()),
                },
                Step::Done(output) => {
                    let wake = self.scheduler.states[process].wake;
                    debug_assert!(wake.is_none(), "a process that has ended is not woken");
                    self.processes[process] = None;
                    self.scheduler.states[process].runs = false;
                    return self.kernel.ended(process, output);
                }
            }
        }
    }

    fn resume(&mut self, process: usize, answer: K::Answer) -> Step<K::Request, K::Output> {
        debug_assert!(
            self.scheduler.runs(process) && self.scheduler.states[process].wake.is_none(),
            "a process that is answered waits for nothing else"
        );
        let asks = self.processes[process].as_mut();
        asks.expect("only a process that has asked is answered").resume(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::process::World;
    use crate::units::Duration;

    /// Processes that sleep; every event wakes process 0 at once.
    #[derive(Default)]
    struct Sleepers {
        /// The picosecond and the process that was woken; `None` for an event.
        log: Vec<(u64, Option<usize>)>,
    }

    impl Kernel for Sleepers {
        type Request = u64;
        type Answer = ();
        type Output = ControlFlow<()>;
        type Event = ();

        fn ask(&mut self, scheduler: &mut Scheduler<()>, process: usize, span: u64) -> Option<()> {
            if span == 0 {
                return Some(());
            }
            scheduler.wake(process, scheduler.now() + Duration::from_ps(span));
            None
        }

        fn wake(&mut self, scheduler: &mut Scheduler<()>, process: usize) -> Option<()> {
            self.log.push((scheduler.now().as_ps(), Some(process)));
            Some(())
        }

        fn handle(&mut self, scheduler: &mut Scheduler<()>, (): ()) {
            self.log.push((scheduler.now().as_ps(), None));
            if scheduler.runs(0) {
                scheduler.wake(0, scheduler.now());
            }
        }

        fn ended(&mut self, _process: usize, output: ControlFlow<()>) -> ControlFlow<()> {
            output
        }

        fn advance(&mut self, _scheduler: &mut Scheduler<()>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    /// Runs processes that take these naps, the last of which ends the run, with events at these instants; what
    /// happened, and when it ended.
    fn run_naps(naps: &[&[u64]], events: &[u64]) -> (Vec<(u64, Option<usize>)>, u64) {
        let (mut kernel, mut scheduler) = (Sleepers::default(), Scheduler::default());
        for at in events {
            scheduler.schedule(Time::from_ps(*at), ());
        }
        let last = naps.len() - 1;
        let process = |(nth, naps): (usize, &&[u64])| {
            let naps = naps.to_vec();
            let body = async move |mut world: World<u64, ()>| {
                for nap in naps {
                    world.ask(nap).await;
                }
                if nth == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            Some(Process::new(body))
        };
        let processes = naps.iter().enumerate().map(process).collect();
        run(&mut kernel, &mut scheduler, processes);
        (kernel.log, scheduler.now().as_ps())
    }

    #[test]
    fn what_is_due_at_one_instant_happens_in_the_order_of_scheduling() {
        let (log, _) = run_naps(&[&[5, 0, 5], &[5], &[0, 10]], &[10]);
        let ten = [(10, None), (10, Some(2))];
        assert_eq!(
            log,
            [[(5, Some(0)), (5, Some(1))], ten].concat(),
            "process 0 would be next, but the run is over"
        );
    }

    /// Wrong if a wake that was moved went off at its old instant too, or if one that is set again to its instant lost
    /// its place.
    #[test]
    fn a_process_is_woken_when_it_was_last_set_to_be() {
        let (log, end) = run_naps(&[&[9, 9], &[20]], &[3, 12]);
        let moved = [(3, None), (3, Some(0)), (12, None), (12, Some(0)), (20, Some(1))];
        assert_eq!((log, end), (moved.to_vec(), 20));
        let (log, _) = run_naps(&[&[7], &[7]], &[7]);
        assert_eq!(log, [(7, None), (7, Some(0)), (7, Some(1))]);
    }

    #[test]
    fn a_run_ends_when_nothing_is_scheduled() {
        let (mut kernel, mut scheduler) = (Sleepers::default(), Scheduler::default());
        let body = async |mut world: World<u64, ()>| {
            world.ask(4).await;
            ControlFlow::Continue(())
        };
        run(&mut kernel, &mut scheduler, vec![None, Some(Process::new(body))]);
        assert_eq!((scheduler.now().as_ps(), scheduler.runs(1), scheduler.wakes_any()), (4, false, false));
        assert_eq!(kernel.log, [(4, Some(1))]);
    }
}
