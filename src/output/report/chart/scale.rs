//! From values to places along an axis, and the ticks between.

use super::Axis;

/// An axis with its ends and ticks.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Value and label, ascending.
    pub(super) ticks: Vec<(f64, String)>,
}

/// About how many steps an axis has.
const STEPS: f64 = 5.0;

impl Scale {
    /// The scale on which all these values have room.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Scale {
        let fits = |value: &f64| value.is_finite() && (!axis.log || *value > 0.0);
        let values: Vec<f64> = values.chain(axis.room_for.iter().copied()).filter(fits).collect();
        let low = values.iter().copied().reduce(f64::min);
        let high = values.iter().copied().reduce(f64::max);
        let ends = low.zip(high);
        if !axis.categories.is_empty() {
            Scale::of_names(&axis.categories)
        } else if axis.log {
            Scale::of_factors(ends.unwrap_or((1.0, 10.0)))
        } else {
            let (low, high) = ends.unwrap_or((0.0, 1.0));
            Scale::of_numbers(low, high)
        }
    }

    /// The values at its ends.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    fn of_names(names: &[String]) -> Scale {
        let ticks = names.iter().enumerate().map(|(place, name)| (place as f64, name.clone())).collect();
        Scale { low: -0.5, high: names.len() as f64 - 0.5, log: false, ticks }
    }

    /// Ends at whole steps of 1, 2 or 5 times a power of ten.
    fn of_numbers(low: f64, high: f64) -> Scale {
        let span = high - low;
        let (low, high) = match span > 0.0 && span.is_finite() {
            true => (low, high),
            false if low == 0.0 || !span.is_finite() => (0.0, 1.0),
            false => (low - low.abs() * 0.1, high + high.abs() * 0.1),
        };
        let step = round_above((high - low) / STEPS);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let digits = (-decade(step)).clamp(0, 12);
        let mut ticks = Vec::new();
        let mut tick = first;
        while tick <= last && ticks.len() < 30 {
            // Adding zero makes a zero of a negative zero.
            ticks.push((tick * step + 0.0, label(tick * step + 0.0, digits)));
            tick += 1.0;
        }
        Scale { low: first * step, high: last * step, log: false, ticks }
    }

    /// Ends and ticks at 1, 2 or 5 times powers of ten; over many decades at powers alone.
    fn of_factors((low, high): (f64, f64)) -> Scale {
        let (first, last) = (decade(low), decade(high) + 1);
        let fine = last - first <= 3;
        let steps: &[f64] = if fine { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all =
            (first..=last).flat_map(|power| steps.iter().map(move |step| (step * ten_to(power), power)));
        let all: Vec<(f64, i32)> = all.collect();
        let from = all.iter().rposition(|(value, _)| *value <= low * (1.0 + 1e-9)).unwrap_or(0);
        let to = all.iter().position(|(value, _)| *value >= high * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
        // A single value has room on both sides.
        let (from, to) =
            if from < to { (from, to) } else { (from.saturating_sub(1), (to + 1).min(all.len() - 1)) };
        let kept = &all[from..=to];
        let every = kept.len().div_ceil(12);
        let ticks =
            kept.iter().step_by(every).map(|(value, power)| (*value, label(*value, (-power).clamp(0, 12))));
        Scale { low: kept[0].0, high: kept[kept.len() - 1].0, log: true, ticks: ticks.collect() }
    }

    /// How far along the axis a value stands: 0 at its beginning, 1 at its end; none for what is no number on it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = if self.log {
            let (low, high) = (libm::log10(self.low), libm::log10(self.high));
            (value > 0.0).then(|| (libm::log10(value) - low) / (high - low))?
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // Beyond that, drawing programs give up.
        place.is_finite().then(|| place.clamp(-50.0, 50.0))
    }

    /// Where the axis begins.
    pub(super) fn low(&self) -> f64 {
        self.low
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least this.
fn round_above(value: f64) -> f64 {
    let power = decade(value);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * ten_to(power));
    steps.into_iter().find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(steps[3])
}

/// The power of ten at or below a value above zero.
fn decade(value: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "logarithms of floats are small")]
    let power = (libm::log10(value) + 1e-9).floor() as i32;
    power.clamp(-300, 300)
}

fn ten_to(power: i32) -> f64 {
    libm::pow(10.0, f64::from(power))
}

/// A tick's label with as many digits after the point as its step has.
fn label(value: f64, digits: i32) -> String {
    if value != 0.0 && (value.abs() >= 1e7 || digits > 5) {
        return format!("{value:.1e}").replace(".0e", "e");
    }
    format!("{value:.*}", usize::try_from(digits).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64]) -> String {
        let scale = Scale::new(axis, values.iter().copied());
        let labels: Vec<String> = scale.ticks.into_iter().map(|(_, label)| label).collect();
        labels.join(" ")
    }

    /// Wrong if ticks were not round numbers, or did not hold all values between them.
    #[test]
    fn ticks_are_round_and_hold_all_values() {
        let (plain, zero, log) = (Axis::of(""), Axis::from_zero(""), Axis::log(""));
        assert_eq!(labels(&plain, &[0.002, 0.040]), "0.00 0.01 0.02 0.03 0.04");
        assert_eq!(labels(&zero, &[37.0, 173.0]), "0 50 100 150 200");
        assert_eq!(labels(&zero, &[-3.0, 2.0]), "-3 -2 -1 0 1 2");
        assert_eq!(labels(&plain, &[5.0]), "4.4 4.6 4.8 5.0 5.2 5.4 5.6");
        assert_eq!(labels(&log, &[4.0, 128.0]), "2 5 10 20 50 100 200");
        assert_eq!(labels(&log, &[0.3, 20_000.0]), "0.1 1 10 100 1000 10000 100000");
        assert_eq!(labels(&log, &[7.0]), "5 10");
        assert_eq!(labels(&plain, &[]), "0.0 0.2 0.4 0.6 0.8 1.0");
    }
}
