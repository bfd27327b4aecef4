//! Processes: async functions that ask their world by requests and are resumed with answers.
//!
//! A process is an `async fn` that holds a [`World`] handle. `world.ask(request).await` hands one request out
//! and suspends the process; whoever runs it takes the request from [`Step::Asks`], and goes on with
//! [`Process::resume`] when the answer is known. Nothing here has a clock or a queue: *when* a process is
//! resumed, and in which order several are, is decided by the agenda of the [executor](super::executor) alone, so
//! that a run is a function of its input.
//!
//! ```text
//!   process --ask(Q)--> [request cell] --> Step::Asks(Q) --> executor, kernel
//!           <----A----- [answer cell]  <-- resume(A)     <--
//! ```
//!
//! Invariants: at most one request of a process is out at any time (asking takes the handle by `&mut`); every
//! resumption answers exactly that request; a process that waits for anything but its world is a bug and
//! panics.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A process: asks `Q`, is answered `A`, ends with `T`.
pub struct Process<'a, Q, A, T> {
    future: Pin<Box<dyn Future<Output = T> + 'a>>,
    cells: Rc<Cells<Q, A>>,
}

/// The process's end of the line to its world.
pub struct World<Q, A> {
    cells: Rc<Cells<Q, A>>,
}

/// What a process did when it was last resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<Q, T> {
    /// It asks this, and waits for the answer.
    Asks(Q),
    /// It has ended.
    Done(T),
}

struct Cells<Q, A> {
    request: Cell<Option<Q>>,
    answer: Cell<Option<A>>,
}

impl<'a, Q: 'a, A: 'a, T> Process<'a, Q, A, T> {
    /// Makes a process of the async function `body`; it does nothing before [`Process::start`].
    pub fn new<F>(body: impl FnOnce(World<Q, A>) -> F) -> Process<'a, Q, A, T>
    where
        F: Future<Output = T> + 'a,
    {
        let cells = Rc::new(Cells { request: Cell::new(None), answer: Cell::new(None) });
        Process { future: Box::pin(body(World { cells: Rc::clone(&cells) })), cells }
    }

    /// Runs the process up to its first request or its end.
    ///
    /// # Panics
    /// If the process waits for something that is not its world.
    pub fn start(&mut self) -> Step<Q, T> {
        self.step()
    }

    /// Answers the request that is out and runs the process up to its next request or its end.
    ///
    /// # Panics
    /// If no request is out, if the process has ended, or if it waits for something that is not its world.
    pub fn resume(&mut self, answer: A) -> Step<Q, T> {
        debug_assert!(self.cells.request.take().is_none(), "its request was taken before it is answered");
        let unread = self.cells.answer.replace(Some(answer));
        assert!(unread.is_none(), "a process reads an answer before it is given the next");
        self.step()
    }

    fn step(&mut self) -> Step<Q, T> {
        let mut context = Context::from_waker(Waker::noop());
        match self.future.as_mut().poll(&mut context) {
            Poll::Ready(result) => {
                let unread = self.cells.answer.take();
                debug_assert!(unread.is_none(), "a process reads what it is answered");
                debug_assert!(self.cells.request.take().is_none(), "a process that has ended asks nothing");
                Step::Done(result)
            }
            Poll::Pending => {
                debug_assert!(self.cells.answer.take().is_none(), "a process reads an answer before it asks");
                Step::Asks(self.cells.request.take().expect("a process waits only for its world"))
            }
        }
    }
}

impl<Q, A> World<Q, A> {
    /// Hands `request` out and waits for its answer.
    pub async fn ask(&mut self, request: Q) -> A {
        debug_assert!(self.cells.answer.take().is_none(), "no answer comes before its question");
        let before = self.cells.request.replace(Some(request));
        debug_assert!(before.is_none(), "a process asks one thing at a time");
        poll_fn(|_| match self.cells.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        })
        .await
    }
}

/// Runs a future that never waits to its end: a process whose world answers at once, as in unit tests.
///
/// # Panics
/// If the future waits.
pub fn run_at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a future that was said never to wait has waited"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn sum(mut world: World<u32, u32>, rounds: u32) -> u32 {
        let mut total = 0;
        for round in 0..rounds {
            total += world.ask(round).await;
        }
        total
    }

    #[test]
    fn every_request_gets_its_own_answer_in_order() {
        let mut process = Process::new(|world| sum(world, 3));
        let mut step = process.start();
        let mut asked = Vec::new();
        let total = loop {
            match step {
                Step::Asks(question) => {
                    asked.push(question);
                    step = process.resume(question * 10);
                }
                Step::Done(total) => break total,
            }
        };
        assert_eq!((asked, total), (vec![0, 1, 2], 30));
    }

    #[test]
    fn processes_interleave_as_their_caller_decides() {
        // Wrong if a resumption of one process could be seen by another.
        let mut processes = [2, 5].map(|rounds| Process::new(move |world| sum(world, rounds)));
        let mut steps = processes.each_mut().map(Process::start).map(Some);
        let mut totals = [None, None];
        while totals.contains(&None) {
            for (nth, answer) in [(1, 2), (0, 1)] {
                match steps[nth].take() {
                    Some(Step::Asks(_)) => steps[nth] = Some(processes[nth].resume(answer)),
                    Some(Step::Done(total)) => totals[nth] = Some(total),
                    None => {}
                }
            }
        }
        assert_eq!(totals, [Some(2), Some(10)]);
    }

    #[test]
    fn a_process_may_borrow_from_its_surroundings() {
        let words = ["turn".to_owned()];
        let mut process: Process<'_, (), (), usize> = Process::new(|_| async { words[0].len() });
        assert_eq!(process.start(), Step::Done(4));
    }

    #[test]
    #[should_panic(expected = "a process waits only for its world")]
    fn waiting_for_anything_else_is_a_bug() {
        let mut process: Process<'_, (), (), ()> = Process::new(|_| std::future::pending());
        process.start();
    }
}
