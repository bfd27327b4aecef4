//! Points by what they have in common: those that hold some values, and that which differs from another in some.

use super::axes::Axis;
use super::{Pins, SEED, Seeds, Sweep};

impl Sweep {
    /// Whether a point has these values on these axes.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn holds(&self, point: usize, pins: &Pins) -> bool {
        let digits = self.digits(point);
        let on_axes = self.axes.iter().zip(&digits).all(|(axis, digit)| axis.holds(*digit, pins));
        let seed = pins.0.iter().find(|(name, _)| name == SEED);
        on_axes && seed.is_none_or(|(_, text)| *text == self.seed(point).to_string())
    }

    /// What stands under the name of an axis at a point, printed; `seed` is one. None of an axis that is not there.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn text(&self, point: usize, axis: &str) -> Option<String> {
        if axis == SEED {
            return Some(self.seed(point).to_string());
        }
        let position = self.axes().iter().position(|name| name == axis)?;
        self.values(point).into_iter().nth(position)
    }

    /// The point that has these values on these axes and stands where `point` does on all others; none if constraints
    /// leave it out.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn other(&self, point: usize, pins: &Pins) -> Option<usize> {
        let moved = self.axes.iter().zip(self.digits(point)).map(|(axis, digit)| axis.moved(digit, pins));
        let digits: Vec<usize> = moved.collect::<Option<_>>()?;
        let whole = self.axes.iter().zip(&digits).fold(0, |sum, (axis, digit)| sum * axis.len() + digit);
        let combination = match &self.kept {
            Some(kept) => kept.binary_search(&u32::try_from(whole).ok()?).ok()?,
            None => whole,
        };
        debug_assert!(combination < self.combinations(), "a combination of values of the axes");
        let first = combination * self.seeds();
        match pins.0.iter().find(|(name, _)| name == SEED) {
            None => Some(first + point % self.seeds()),
            Some((_, text)) => {
                let seed: u64 = text.parse().ok()?;
                let nth = match &self.seeds {
                    Seeds::Repetitions(_) => usize::try_from(seed.checked_sub(self.seed(first))?).ok()?,
                    Seeds::Listed(all) => all.iter().position(|other| *other == seed)?,
                };
                (nth < self.seeds()).then_some(first + nth)
            }
        }
    }
}

impl Axis {
    /// Whether a position holds those of the values that are this axis's.
    fn holds(&self, position: usize, pins: &Pins) -> bool {
        let texts: Vec<String> = self.texts(position).collect();
        let own = self.names().zip(&texts);
        own.into_iter()
            .all(|(name, text)| pins.0.iter().all(|(pinned, value)| pinned != name || value == text))
    }

    /// The position that holds those of the values that are this axis's: the same where none is; none where none does.
    fn moved(&self, position: usize, pins: &Pins) -> Option<usize> {
        if self.names().all(|name| pins.0.iter().all(|(pinned, _)| pinned != name)) {
            return Some(position);
        }
        (0..self.len()).find(|position| self.holds(*position, pins))
    }
}
