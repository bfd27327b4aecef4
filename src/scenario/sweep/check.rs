//! Checks of the points of a sweep: for every value of every axis, the first point that holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use simnet_base::diagnostics::{Fault, Faults, Refusal};

use super::axes::Axis;
use super::limits::{self, write_digits};
use super::{Base, Shared, Sweep};
use crate::cost;

/// The most points that are checked when a file is read; of longer axes, values evenly apart and both ends.
const MOST_CHECKED: usize = 500;

/// How many faults of a file are gathered.
const MOST_FAULTS: usize = 1_000;

/// How many combinations with a value are tried before it is refused.
const MOST_TRIED: usize = 24;

/// Where the axes stand at a point that is refused, and why it is.
type Refused = (Vec<usize>, Box<Refusal>);

/// For every axis and position, the first combination in which it stands, if there is one.
pub(super) struct Firsts(Vec<Vec<Option<u32>>>);

impl Firsts {
    pub(super) fn new(axes: &[Axis], kept: Option<&[u32]>) -> Firsts {
        let mut firsts: Vec<Vec<Option<u32>>> = axes.iter().map(|axis| vec![None; axis.len()]).collect();
        let mut digits = Vec::new();
        match kept {
            Some(kept) => {
                for combination in kept {
                    write_digits(axes, *combination as usize, &mut digits);
                    for (first, digit) in firsts.iter_mut().zip(&digits) {
                        first[*digit].get_or_insert(*combination);
                    }
                }
            }
            None => {
                // All other axes at their first values.
                let mut stride = 1;
                for (first, axis) in firsts.iter_mut().zip(axes).rev() {
                    for (position, first) in first.iter_mut().enumerate() {
                        *first = u32::try_from(position * stride).ok();
                    }
                    stride *= axis.len();
                }
            }
        }
        Firsts(firsts)
    }

    /// The positions of an axis whose points are checked, in order.
    fn chosen(&self, axis: usize) -> Vec<usize> {
        let length = self.0[axis].len();
        let most = (MOST_CHECKED / self.0.len()).max(2);
        if length <= most {
            return (0..length).collect();
        }
        (0..most).map(|nth| nth * (length - 1) / (most - 1)).collect()
    }

    fn combination(&self, axis: usize, position: usize) -> Option<usize> {
        self.0[axis][position].map(|combination| combination as usize)
    }
}

impl Sweep {
    /// Checks the points that hold each value first, and keeps what all points share; `values` are the faults of
    /// values alone.
    ///
    /// A value is refused if no point tried with it is sound; a combination that is not sound, of values that are
    /// sound with others, is a point that fails.
    pub(super) fn check_values(
        mut self,
        firsts: &Firsts,
        values: Option<Box<Refusal>>,
    ) -> Result<Sweep, Box<Refusal>> {
        let wanted: Vec<usize> = self.wanted(firsts).into_iter().collect();
        let judged: Vec<(usize, Result<f64, Refused>)> =
            wanted.into_par_iter().map(|combination| (combination, self.judge(combination))).collect();
        let (mut seconds, mut failed) = (BTreeMap::new(), Vec::new());
        for (combination, judgement) in judged {
            match judgement {
                Ok(cost) => drop(seconds.insert(combination, cost)),
                Err(refused) => failed.push((combination, refused)),
            }
        }
        let mut sound = seconds.keys().next().copied();
        let is_common = sound.is_none();
        let mut refusals: Vec<Refused> = values.into_iter().map(|refusal| (Vec::new(), refusal)).collect();
        for (combination, refused) in failed {
            match self.elsewhere(firsts, combination, &refused.0) {
                Some(other) => sound = sound.or(Some(other)),
                None => refusals.push(refused),
            }
        }
        let Some(sound) = sound.filter(|_| refusals.is_empty()) else {
            return Err(self.merged(refusals, is_common));
        };
        self.note(sound)?;
        let ratios = (0..self.axes.len()).map(|axis| self.ratios(axis, firsts, &seconds)).collect();
        self.base_mut().shared.ratios = ratios;
        Ok(self)
    }

    /// The combinations that are checked: for every value, as far as those of its axis are chosen, the first with it.
    pub(super) fn wanted(&self, firsts: &Firsts) -> BTreeSet<usize> {
        (0..self.axes.len())
            .flat_map(|axis| firsts.chosen(axis).into_iter().map(move |position| (axis, position)))
            .filter_map(|(axis, position)| firsts.combination(axis, position))
            .chain([self.combination_of(0)])
            .collect()
    }

    /// Keeps what a sound combination shows of all.
    fn note(&mut self, combination: usize) -> Result<(), Box<Refusal>> {
        let mut digits = Vec::new();
        write_digits(&self.axes, combination, &mut digits);
        let seeds = self.with_template(&digits, |template| self.seeds_at(0, &digits, template));
        let checked = self.checked_at(&digits, seeds)?;
        self.base_mut().shared = Shared {
            name: checked.name.clone(),
            warnings: checked.warnings.clone(),
            seconds: [cost::seconds(&checked), cost::seconds(&checked.small())],
            ratios: Vec::new(),
        };
        Ok(())
    }

    /// For a combination that is not sound: a sound one with each value that stands in it first; `None` if some such
    /// value has none among those tried.
    fn elsewhere(&self, firsts: &Firsts, combination: usize, digits: &[usize]) -> Option<usize> {
        let mut found = None;
        for (axis, position) in digits.iter().enumerate() {
            if firsts.combination(axis, *position) == Some(combination) {
                let tried = self.with_value(axis, *position);
                found = Some(tried.into_iter().find(|other| self.judge(*other).is_ok())?);
            }
        }
        found
    }

    /// Some combinations with a value, far apart.
    fn with_value(&self, axis: usize, position: usize) -> Vec<usize> {
        let stride: usize = self.axes[axis + 1..].iter().map(Axis::len).product();
        let length = self.axes[axis].len();
        if let Some(kept) = &self.kept {
            let holds = |combination: &&u32| **combination as usize / stride % length == position;
            let all: Vec<usize> =
                kept.iter().filter(holds).map(|combination| *combination as usize).collect();
            let apart = all.len().div_ceil(MOST_TRIED).max(1);
            return all.into_iter().step_by(apart).collect();
        }
        let others = limits::product(&self.axes) / length;
        let combination = |other: usize| (other / stride * length + position) * stride + other % stride;
        if others <= MOST_TRIED {
            return (0..others).map(combination).collect();
        }
        // A step more each time, so that no axis stands at the same value in all of them.
        (0..MOST_TRIED).map(|nth| combination((nth * (others / MOST_TRIED) + nth) % others)).collect()
    }

    fn base_mut(&mut self) -> &mut Base {
        Arc::get_mut(&mut self.base).expect("nothing else has the sweep yet")
    }

    /// What the first point of a combination takes, or its faults and where its axes stand.
    fn judge(&self, combination: usize) -> Result<f64, Refused> {
        let mut digits = Vec::new();
        write_digits(&self.axes, combination, &mut digits);
        let seeds = self.with_template(&digits, |template| self.seeds_at(0, &digits, template));
        match self.checked_at(&digits, seeds) {
            Ok(checked) => Ok(cost::seconds(&checked)),
            Err(refusal) => Err((digits, refusal)),
        }
    }

    /// By how much each position of an axis changes the seconds of the first point: as checked, or as the checked
    /// position before it.
    fn ratios(&self, axis: usize, firsts: &Firsts, seconds: &BTreeMap<usize, f64>) -> Vec<f64> {
        let first = self.base.shared.seconds[0];
        let mut ratios = vec![1.0; self.axes[axis].len()];
        let mut from = 0;
        for position in firsts.chosen(axis) {
            let known = firsts.combination(axis, position).and_then(|combination| seconds.get(&combination));
            if let Some(seconds) = known.filter(|_| first > 0.0) {
                let before = if from == 0 { seconds / first } else { ratios[from - 1] };
                ratios[from..position].fill(before);
                ratios[position] = seconds / first;
                from = position + 1;
            }
        }
        if let Some(last) = from.checked_sub(1).map(|last| ratios[last]) {
            ratios[from..].fill(last);
        }
        ratios
    }

    /// The faults of several points as one refusal: each once, with the point where that is not plain from its place,
    /// unless all points have them in common.
    fn merged(&self, refusals: Vec<Refused>, is_common: bool) -> Box<Refusal> {
        let mut files: Vec<Faults> = Vec::new();
        let places: Vec<(String, std::ops::Range<usize>)> = {
            let sources = self.base.diagnostics.sources();
            let keys = self.axes.iter().flat_map(|axis| &axis.keys);
            keys.map(|key| (sources[key.place.source].0.clone(), key.place.start..key.place.end)).collect()
        };
        for (digits, refusal) in refusals {
            for Faults { file, text, faults } in refusal.files {
                let position = files.iter().position(|other| other.file == file && other.text == text);
                let position = position.unwrap_or_else(|| {
                    files.push(Faults { file: file.clone(), text, faults: Vec::new() });
                    files.len() - 1
                });
                for mut fault in faults {
                    let same = |other: &Fault| {
                        other.span == fault.span && other.code == fault.code && other.message == fault.message
                    };
                    if files[position].faults.len() >= MOST_FAULTS || files[position].faults.iter().any(same)
                    {
                        continue;
                    }
                    let is_of_axis = places.iter().any(|(other, span)| {
                        *other == file && span.start <= fault.span.start && fault.span.end <= span.end
                    });
                    if !is_of_axis && !is_common && fault.help.is_none() {
                        fault.help = self.point_name(&digits).map(|point| format!("at the point {point}"));
                    }
                    files[position].faults.push(fault);
                }
            }
        }
        for faults in &mut files {
            faults.faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        }
        Box::new(Refusal { files })
    }

    /// The values at which the axes stand, in words; `None` if there are no axes.
    fn point_name(&self, digits: &[usize]) -> Option<String> {
        let of_axis = |(axis, digit): (&Axis, &usize)| {
            let value = |key: usize| format!("{} = {}", axis.keys[key].name, axis.printed(key, *digit));
            (0..axis.keys.len()).map(value).collect::<Vec<_>>()
        };
        let all: Vec<String> = self.axes.iter().zip(digits).flat_map(of_axis).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}
