//! A pipeline of headers at every input: decoding one takes the routing latency, and the next begins an interval later.
//!
//! ```text
//!   heads arrive   a1   a2                       a3
//!   decoding       |-----latency-----|
//!                  |<-interval->|-----latency-----|
//!                                                |-----latency-----|
//! ```
//! A head begins as it comes into the buffer, behind another worm or not, but no earlier than an interval after the one
//! before it. It asks for its output once it is decoded and in front. A head that is destroyed before it begins gives
//! its turn back; after that it keeps it.
//!
//! # Source
//! Ours: the papers give the latency of a switch and not how many headers it decodes at a time.

/// When the heads at the inputs of switches begin to be decoded. Each operation costs O(1).
#[derive(Clone, Debug)]
pub(super) struct Headers {
    latency: u64,
    interval: u64,
    /// Per input port, the first cycle in which another head may begin.
    free: Vec<u64>,
    /// Per worm, the cycle in which its head begins where it has arrived last.
    begins: Vec<u64>,
}

impl Headers {
    pub(super) fn new(latency: u64, interval: u64, ports: usize) -> Headers {
        Headers { latency, interval, free: vec![0; ports], begins: Vec::new() }
    }

    /// The head of `worm` comes to `port` in cycle `arrival`, the last of its buffer; gives the cycle in which it will
    /// have been decoded.
    pub(super) fn enter(&mut self, port: u32, worm: u32, arrival: u64) -> u64 {
        let free = &mut self.free[port as usize];
        let begin = arrival.max(*free);
        *free = begin + self.interval;
        let worm = worm as usize;
        if self.begins.len() <= worm {
            self.begins.resize(worm + 1, 0);
        }
        self.begins[worm] = begin;
        begin + self.latency
    }

    /// The cycle in which the head of `worm` has been decoded, or will have been.
    pub(super) fn decoded(&self, worm: u32) -> u64 {
        self.begins[worm as usize] + self.latency
    }

    /// The head of `worm`, the last at `port`, is destroyed at the end of cycle `t`.
    pub(super) fn destroy(&mut self, port: u32, worm: u32, t: u64) {
        if self.begins[worm as usize] > t {
            self.take_back(port, worm);
        }
    }

    /// The head of `worm`, the last that was to come to `port`, has not begun and will not.
    pub(super) fn take_back(&mut self, port: u32, worm: u32) {
        let begin = self.begins[worm as usize];
        debug_assert!(self.free[port as usize] == begin + self.interval, "nobody came after it");
        // If it was to begin as it arrived, whoever comes next arrives after that.
        self.free[port as usize] = begin;
    }
}
