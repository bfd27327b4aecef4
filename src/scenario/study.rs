//! Mappings compared: which runs a scenario with `[study]` stands for.
//!
//! # Scope and limitations
//! A study varies the network, the mapper with its options, how many hosts answer, how often a question is
//! asked again, the load beside the mapper, and the seed. Every combination is a cell, and a cell an ordinary
//! mapping run as often as it says. Fabric and software costs are those of all.

use super::checked::{Checked, Routing, Topology, Traffic};
use super::expect::Expectations;
use super::mapping::Mapping;
use super::printed::{PaperNumber, Statistic};

/// Mappings compared.
#[derive(Clone, Debug)]
pub struct Study {
    /// What the variants are called, in the order of the file; at least one.
    pub names: Vec<String>,
    /// The networks; at least one, the scenario's own first.
    pub networks: Vec<StudiedNetwork>,
    /// How many hosts answer; empty: as the variants say.
    pub answering: Vec<u32>,
    /// How often a question is asked again; empty: as the variants say.
    pub retries: Vec<u32>,
    /// Loads beside the mapper, 0 among them; empty: as the variants say.
    pub loads: Vec<f64>,
    /// The figures to be drawn.
    pub figures: Vec<Plot>,
    /// The printed numbers that ours stand beside.
    pub references: Vec<Reference>,
    /// Whether the first variant's map of every network is drawn.
    pub draw_maps: bool,
}

/// One network of a study, with all that is resolved on it.
#[derive(Clone, Debug)]
pub struct StudiedNetwork {
    /// What results call it.
    pub name: String,
    /// The network.
    pub topology: Topology,
    /// The mappings, in the order of [`Study::names`].
    pub variants: Vec<Mapping>,
    /// Where the routes of the traffic come from, if there is any.
    pub routing: Option<Routing>,
    /// The traffic beside mappers, if any.
    pub traffic: Option<Traffic>,
}

/// One combination; positions in the lists of the [`Study`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The network.
    pub network: usize,
    /// The variant.
    pub variant: usize,
    /// How many answer, if that varies.
    pub answering: Option<usize>,
    /// How often a question is asked again, if that varies.
    pub retries: Option<usize>,
    /// The load, if that varies.
    pub load: Option<usize>,
}

/// A number that every cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Hosts on the map.
    Hosts,
    /// Switches on the map.
    Switches,
    /// Cables on the map.
    Links,
    /// Turns that found a host.
    HostHits,
    /// Turns that found a switch.
    SwitchHits,
    /// Turns that found nothing.
    Nothing,
    /// Host probes, one for each turn that found a host or nothing.
    HostProbes,
    /// Switch probes, one for each turn that found a switch or nothing.
    SwitchProbes,
    /// The share of these host probes that found a host, in per cent.
    HostHitRatio,
    /// The share of these switch probes that found a switch, in per cent.
    SwitchHitRatio,
    /// Probes as the papers count: by turns for mappers that try turns, else messages.
    Probes,
    /// These probes that found nothing.
    SilentProbes,
    /// Host probes truly sent.
    SentHost,
    /// Switch probes truly sent.
    SentSwitch,
    /// Loop probes sent.
    SentLoop,
    /// Compare probes sent.
    SentCompare,
    /// Scouts sent.
    SentScout,
    /// Guards sent.
    SentGuard,
    /// All messages sent by the mapper.
    Sent,
    /// Time of the mapping.
    Time,
    /// Switches explored, replicates counted.
    Explorations,
    /// The most nodes of the model at once.
    PeakNodes,
    /// Nodes of the finished map.
    FinalNodes,
    /// The most bytes of the model.
    PeakMemory,
    /// Share of runs with a true map, in per cent.
    Right,
    /// Share of runs with a wrong map that the mapper was sure of, in per cent.
    SurelyWrong,
    /// The fewest answering hosts with which mapping takes at most twice as long as with all.
    WithinTwice,
    /// The same for one and a half times as long.
    WithinHalfMore,
}

/// What a figure's horizontal axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Hosts of the network.
    Hosts,
    /// Switches of the network.
    Switches,
    /// Hosts that answer.
    Answering,
    /// How often a question is asked again.
    Retries,
    /// The load beside the mapper.
    Load,
    /// Explorations so far in the first run of each variant: the growth of the model.
    Explorations,
}

/// A figure to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Its file's name without `.svg`.
    pub name: String,
    /// What stands above it.
    pub title: Option<String>,
    /// What the horizontal axis shows.
    pub x: Axis,
    /// What the vertical axis shows; nothing of the axis of explorations.
    pub y: Quantity,
    /// Whether least and greatest of the runs are drawn beside the mean.
    pub spread: bool,
    /// The variants shown, by position; empty: all.
    pub variants: Vec<usize>,
}

/// A printed number and the quantity of ours that stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What the paper prints.
    pub number: PaperNumber,
    /// What of ours.
    pub measure: Quantity,
    /// Of which cell.
    pub cell: Cell,
    /// The cell and the quantity that it is divided by.
    pub over: Option<(Cell, Quantity)>,
    /// The network whose number is taken off, for parts of networks.
    pub minus: Option<usize>,
    /// What is taken over the runs.
    pub of: Statistic,
}

/// With `--quick`, so many networks, values of an axis and runs.
const QUICK: (usize, usize, u32) = (2, 2, 2);

impl Study {
    /// Every combination: networks, then variants, answering hosts, retries and loads.
    pub fn cells(&self) -> Vec<Cell> {
        let positions = |length: usize| -> Vec<Option<usize>> {
            if length == 0 { vec![None] } else { (0..length).map(Some).collect() }
        };
        let (answering, retries) = (positions(self.answering.len()), positions(self.retries.len()));
        let loads = positions(self.loads.len());
        let mut cells = Vec::new();
        for network in 0..self.networks.len() {
            for variant in 0..self.names.len() {
                for &answering in &answering {
                    for &retries in &retries {
                        let cell =
                            |load: &Option<usize>| Cell { network, variant, answering, retries, load: *load };
                        cells.extend(loads.iter().map(cell));
                    }
                }
            }
        }
        cells
    }

    /// The mapping of a cell.
    pub fn mapping(&self, cell: Cell) -> Mapping {
        let mut mapping = self.networks[cell.network].variants[cell.variant].clone();
        if let Some(nth) = cell.answering {
            mapping.silence.answering = Some(self.answering[nth]);
        }
        if let Some(nth) = cell.retries {
            mapping.brief.retries = self.retries[nth];
        }
        if let Some(nth) = cell.load {
            mapping.load = Some(self.loads[nth]).filter(|load| *load > 0.0);
        }
        mapping
    }

    /// Two networks, the ends of every axis, two runs, without references.
    pub(super) fn quick(mut self) -> Study {
        self.networks.truncate(QUICK.0);
        let ends = |length: usize| move |nth: usize| length <= QUICK.1 || nth == 0 || nth + 1 == length;
        keep(&mut self.answering, ends);
        keep(&mut self.retries, ends);
        keep(&mut self.loads, ends);
        for network in &mut self.networks {
            for mapping in &mut network.variants {
                mapping.runs = mapping.runs.min(QUICK.2);
            }
        }
        self.references.clear();
        self
    }
}

/// Keeps the items at the positions that `chosen` names for the list's length.
fn keep<T, P: Fn(usize) -> bool>(list: &mut Vec<T>, chosen: impl Fn(usize) -> P) {
    let (wanted, mut nth) = (chosen(list.len()), 0);
    list.retain(|_| {
        nth += 1;
        wanted(nth - 1)
    });
}

impl Checked {
    /// A cell of a study: an ordinary scenario that expects nothing.
    #[must_use]
    pub fn cell(&self, study: &Study, cell: Cell) -> Checked {
        let network = &study.networks[cell.network];
        Checked {
            topology: network.topology.clone(),
            mapping: Some(study.mapping(cell)),
            routing: network.routing.clone(),
            traffic: network.traffic.clone(),
            study: None,
            expect: Expectations::default(),
            warnings: Vec::new(),
            ..self.clone()
        }
    }
}
