//! Which branches an input took: the counters that LLVM's `sancov-module` pass adds to every edge of the control flow.
//!
//! `tests/fuzz/run` builds with them, on the stable toolchain. A build without them has no counters and finds nothing
//! new in any input.

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Counters of object files, all in one section that the linker puts together.
static FIRST: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Receives the section of counters from the constructors of instrumented object files, which all give the same.
///
/// # Source
/// LLVM, "SanitizerCoverage", section "Inline 8bit-counters".
#[expect(unsafe_code, reason = "the name by which LLVM calls it")]
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(first: *mut u8, end: *mut u8) {
    FIRST.store(first, Ordering::Relaxed);
    COUNT.store(end.addr() - first.addr(), Ordering::Relaxed);
}

/// Counters of edges that were not taken. Most are not, and slices are compared fast.
const UNUSED: [u8; 256] = [0; 256];

/// The edges that were seen, each with the magnitudes of how often one input took it.
#[derive(Debug)]
pub(crate) struct Seen {
    magnitudes: Vec<u8>,
    edges: usize,
}

impl Seen {
    /// Nothing seen yet.
    pub(crate) fn new() -> Seen {
        Seen { magnitudes: vec![0; COUNT.load(Ordering::Relaxed)], edges: 0 }
    }

    /// How many edges were seen.
    pub(crate) fn edges(&self) -> usize {
        self.edges
    }

    /// Runs `input` alone; gives its result, and whether it took an edge, or took one so often, as none before did.
    /// Costs a walk through the counters, a few microseconds per 100,000 edges.
    pub(crate) fn watch<T>(&mut self, input: impl FnOnce() -> T) -> (T, bool) {
        counters().fill(0);
        let result = input();
        let mut is_new = false;
        for (counts, seen) in counters().chunks(UNUSED.len()).zip(self.magnitudes.chunks_mut(UNUSED.len())) {
            if counts == &UNUSED[..counts.len()] {
                continue;
            }
            for (count, seen) in counts.iter().zip(seen) {
                let magnitude = magnitude(*count);
                if magnitude & !*seen != 0 {
                    self.edges += usize::from(*seen == 0);
                    *seen |= magnitude;
                    is_new = true;
                }
            }
        }
        (result, is_new)
    }
}

/// A bit that says how often an edge was taken: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, 128 and more times.
fn magnitude(count: u8) -> u8 {
    match count {
        0 => 0,
        1..=3 => 1 << (count - 1),
        4..=7 => 1 << 3,
        8..=15 => 1 << 4,
        16..=31 => 1 << 5,
        32..=127 => 1 << 6,
        128..=255 => 1 << 7,
    }
}

/// The counters of the whole program.
#[expect(unsafe_code, reason = "LLVM's counters are memory without an owner")]
fn counters() -> &'static mut [u8] {
    let count = COUNT.load(Ordering::Relaxed);
    if count == 0 {
        return &mut [];
    }
    // SAFETY: the linker's section of counters lives as long as the program, and any bytes are counters. Instrumented
    // code writes to them while the slice lives, each counter by itself, which at worst miscounts a branch.
    unsafe { std::slice::from_raw_parts_mut(FIRST.load(Ordering::Relaxed), count) }
}
