//! The rate of one flow: cut when it meets congestion, raised by a timer and by bytes sent.
//!
//! ```text
//!   notification:  target = rate, rate = rate (1 - alpha / 2), alpha = (1 - g) alpha + g, all counts begin anew
//!   each K without one:  alpha = (1 - g) alpha
//!   each T, and each B bytes sent:  5 times  rate = (target + rate) / 2
//!                                   then  target += additive, or hyper once both counts are above 5, and the same
//! ```
//!
//! # Scope and limitations
//! Rates are whole bits a second, alpha is a multiple of 2^-32; divisions round down, but the mean of rate and target,
//! which rounds up so that it gets there. A flow begins at the rate of its cable and is not limited until it is first
//! notified, nor once rate and target are the cable's again. What is due at one instant happens in this order: alpha,
//! timer, what is sent or notified.
//!
//! # Source
//! Zhu et al. 2015, Congestion control for large-scale RDMA deployments, SIGCOMM, section 3 and figure 7, as from
//! memory: g = 1/256, K = T = 55 us, B = 10 MB, five steps of fast recovery, 40 Mb/s additive. The hyper increase is
//! our choice, ten times that, as is the least rate. A reading: of the five steps the fifth is still recovery.
//!
//! # Validation
//! Against the paper's pseudo-code with a clock that ticks, below; `tests/media/closed_forms/dcqcn.rs`.

use simnet_base::units::{BitRate, Bytes, Duration};

/// Steps of fast recovery.
const RECOVERY: u32 = 5;
/// One, as alpha has it.
const ONE: u64 = 1 << 32;
/// g is 2^-8.
const GAIN: u32 = 8;

/// How rates are cut and raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DcqcnParameters {
    /// The least time between two notifications of a flow.
    pub notification_interval: Duration,
    /// How long without a notification before alpha shrinks; above zero.
    pub alpha_timer: Duration,
    /// The time of a step upwards; above zero.
    pub rate_timer: Duration,
    /// The bytes of a step upwards, preambles and gaps counted in; above zero.
    pub byte_counter: Bytes,
    /// What is added to the target in a step after recovery.
    pub additive: BitRate,
    /// The same once timer and bytes both have counted past recovery.
    pub hyper: BitRate,
    /// No flow is slower.
    pub least: BitRate,
}

impl DcqcnParameters {
    /// The paper's.
    ///
    /// # Source
    /// See the module; notifications 50 us apart.
    pub const PAPER: DcqcnParameters = DcqcnParameters {
        notification_interval: Duration::from_us(50),
        alpha_timer: Duration::from_us(55),
        rate_timer: Duration::from_us(55),
        byte_counter: Bytes(10_000_000),
        additive: BitRate::new(40_000_000).expect("above zero"),
        hyper: BitRate::new(400_000_000).expect("above zero"),
        least: BitRate::new(10_000_000).expect("above zero"),
    };
}

/// The rate of a flow, in bits a second, as time goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    line: u64,
    current: u64,
    target: u64,
    alpha: u64,
    /// Steps since the last notification, by timer and by bytes.
    steps: [u32; 2],
    /// Bytes sent since the last step by bytes.
    bytes: u64,
    /// When alpha shrinks next, and when the timer steps.
    due: [u64; 2],
    is_limited: bool,
}

impl Rate {
    /// A flow that begins, on a cable of this rate.
    pub(super) fn new(line: BitRate) -> Rate {
        let line = line.as_bits_per_s();
        Rate {
            line,
            current: line,
            target: line,
            alpha: ONE,
            steps: [0; 2],
            bytes: 0,
            due: [0; 2],
            is_limited: false,
        }
    }

    /// How long so many bytes take at the rate that holds, in picoseconds, rounded up.
    pub(super) fn time(&self, bytes: u64) -> u64 {
        let exact = u128::from(bytes) * 8_000_000_000_000;
        u64::try_from(exact.div_ceil(u128::from(self.current))).unwrap_or(u64::MAX)
    }

    /// The flow is notified of congestion at `now`, in picoseconds.
    pub(super) fn notified(&mut self, now: u64, parameters: &DcqcnParameters) {
        self.advance(now, parameters);
        if !self.is_limited {
            self.alpha = ONE;
        }
        self.target = self.current;
        let cut = (u128::from(self.current) * u128::from(self.alpha)) >> 33;
        let cut = u64::try_from(cut).expect("half of the rate at most");
        self.current = (self.current - cut).max(parameters.least.as_bits_per_s().min(self.line));
        self.alpha = self.alpha - (self.alpha >> GAIN) + (ONE >> GAIN);
        self.steps = [0; 2];
        self.bytes = 0;
        self.due =
            [parameters.alpha_timer, parameters.rate_timer].map(|span| now.saturating_add(span.as_ps()));
        self.is_limited = true;
    }

    /// The flow sends so many bytes from `now` on.
    pub(super) fn sends(&mut self, now: u64, bytes: u64, parameters: &DcqcnParameters) {
        self.advance(now, parameters);
        if !self.is_limited {
            return;
        }
        self.bytes += bytes;
        while self.is_limited && self.bytes >= parameters.byte_counter.0 {
            self.bytes -= parameters.byte_counter.0;
            self.step(1, parameters);
        }
    }

    /// All that is due by `now`.
    pub(super) fn advance(&mut self, now: u64, parameters: &DcqcnParameters) {
        while self.is_limited && self.due.iter().any(|due| *due <= now) {
            let [alpha, timer] = self.due;
            if alpha <= timer {
                self.alpha -= self.alpha >> GAIN;
                self.due[0] = alpha.saturating_add(parameters.alpha_timer.as_ps());
            } else {
                self.due[1] = timer.saturating_add(parameters.rate_timer.as_ps());
                self.step(0, parameters);
            }
        }
    }

    /// A step upwards, by timer or by bytes.
    fn step(&mut self, which: usize, parameters: &DcqcnParameters) {
        self.steps[which] += 1;
        let [by_timer, by_bytes] = self.steps;
        if by_timer.min(by_bytes) > RECOVERY {
            self.target += parameters.hyper.as_bits_per_s();
        } else if by_timer.max(by_bytes) > RECOVERY {
            self.target += parameters.additive.as_bits_per_s();
        }
        self.target = self.target.min(self.line);
        self.current = (self.target + self.current).div_ceil(2);
        self.is_limited = self.current < self.line || self.target < self.line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::des::random::{Purpose, Stream};

    /// Bits a second now.
    fn rate(of: &Rate) -> u64 {
        of.current
    }

    /// The paper's figure 7 with a clock of microseconds: counters that run out, one thing after the other.
    struct Literal {
        line: u64,
        rc: u64,
        rt: u64,
        alpha: u64,
        alpha_clock: u64,
        timer_clock: u64,
        byte_counter: u64,
        t: u32,
        bc: u32,
        limited: bool,
    }

    impl Literal {
        fn tick(&mut self, k: u64, timer: u64) {
            if !self.limited {
                return;
            }
            self.alpha_clock += 1;
            self.timer_clock += 1;
            if self.alpha_clock == k {
                self.alpha_clock = 0;
                self.alpha -= self.alpha / 256;
            }
            if self.timer_clock == timer {
                self.timer_clock = 0;
                self.t += 1;
                self.increase();
            }
        }

        fn increase(&mut self) {
            if self.t.max(self.bc) <= 5 {
                // Fast recovery: the target stays.
            } else if self.t.min(self.bc) > 5 {
                self.rt += 400_000_000;
            } else {
                self.rt += 40_000_000;
            }
            self.rt = self.rt.min(self.line);
            self.rc = (self.rt + self.rc).div_ceil(2);
            self.limited = !(self.rc == self.line && self.rt == self.line);
        }

        fn cut(&mut self) {
            if !self.limited {
                self.alpha = 1 << 32;
            }
            self.rt = self.rc;
            let cut = u128::from(self.rc) * u128::from(self.alpha) / (1 << 33);
            self.rc = (self.rc - u64::try_from(cut).unwrap()).max(10_000_000);
            self.alpha = self.alpha - self.alpha / 256 + (1 << 32) / 256;
            (self.alpha_clock, self.timer_clock, self.byte_counter, self.t, self.bc) = (0, 0, 0, 0, 0);
            self.limited = true;
        }

        fn send(&mut self, bytes: u64, counter: u64) {
            if !self.limited {
                return;
            }
            self.byte_counter += bytes;
            while self.limited && self.byte_counter >= counter {
                self.byte_counter -= counter;
                self.bc += 1;
                self.increase();
            }
        }
    }

    /// Wrong if a rate, or alpha, were at any microsecond another than that of the pseudo-code, whatever is sent and
    /// notified in whatever order.
    #[test]
    fn rates_are_those_of_the_pseudo_code() {
        for seed in 0..200 {
            let mut dice = Stream::new(seed, Purpose(9_996), 0);
            let line = [1, 10, 100][usize::try_from(dice.below(3)).unwrap()] * 1_000_000_000;
            let [k, timer] = [1 + dice.below(60), 1 + dice.below(60)];
            let parameters = DcqcnParameters {
                alpha_timer: Duration::from_us(k),
                rate_timer: Duration::from_us(timer),
                byte_counter: Bytes(1 + dice.below(200_000)),
                ..DcqcnParameters::PAPER
            };
            let mut fast = Rate::new(BitRate::new(line).unwrap());
            let (rc, rt, alpha) = (line, line, 1 << 32);
            let mut slow = Literal {
                line,
                rc,
                rt,
                alpha,
                alpha_clock: 0,
                timer_clock: 0,
                byte_counter: 0,
                t: 0,
                bc: 0,
                limited: false,
            };
            for us in 1..3_000 {
                slow.tick(k, timer);
                if dice.below(200) == 0 {
                    fast.notified(us * 1_000_000, &parameters);
                    slow.cut();
                }
                if dice.below(4) == 0 {
                    let bytes = 84 + dice.below(1_455);
                    fast.sends(us * 1_000_000, bytes, &parameters);
                    slow.send(bytes, parameters.byte_counter.0);
                }
                if dice.below(16) == 0 {
                    fast.advance(us * 1_000_000, &parameters);
                    assert_eq!((rate(&fast), fast.target), (slow.rc, slow.rt), "seed {seed}, {us} us");
                    let alpha = if slow.limited { slow.alpha } else { fast.alpha };
                    assert_eq!(fast.alpha, alpha, "seed {seed}, {us} us");
                }
            }
        }
    }

    /// Wrong if the first notification did not halve the rate, or five steps of recovery did not come back to within a
    /// 32nd of what was cut.
    #[test]
    fn the_first_cut_is_a_half_and_recovery_halves_it_five_times() {
        let parameters = DcqcnParameters::PAPER;
        let mut of = Rate::new(BitRate::new(40_000_000_000).unwrap());
        of.notified(0, &parameters);
        assert_eq!(rate(&of), 20_000_000_000);
        for step in 1..=5 {
            of.advance(step * 55_000_000, &parameters);
            assert_eq!(rate(&of), 40_000_000_000 - (20_000_000_000 >> step));
        }
        assert_eq!(of.time(1_000), 8_000_000_000_000u64.div_ceil(39_375_000));
    }
}
