//! The study behind Fig. 11: the longest paths of rings on random clusters, by size, tree and algorithm.
//!
//! # Scope and limitations
//! A function of its parameters: no time passes and no message is sent. Cluster `k` of a size is the same for
//! every tree and every algorithm, and does not depend on the other sizes.
//!
//! # Source
//! faraj2008, section 5 ("Each point in the figure is the average of 50 random topologies").
//!
//! # Validation
//! `tests/it/ring_study.rs`: rows equal rings computed one by one; LR3 is about 3 whatever the tree, and LR1
//! grows from breadth-first over random to depth-first trees.

use rayon::prelude::*;
use thiserror::Error;

use crate::ring::{Algorithm, Kind, Tree, TreeError, judge};
use crate::topology::generate::{self, GenerateError};

/// What is studied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// The family of networks: `gt-itm` or `waxman`.
    pub family: &'static str,
    /// The mean number of neighbours of a switch.
    pub degree: u64,
    /// Machines for every switch, on average.
    pub machines_per_switch: u64,
    /// The sizes, in machines; each has a fifth as many switches where there are five machines a switch.
    pub sizes: Vec<u64>,
    /// Clusters of each size.
    pub instances: u32,
    /// How trees are found.
    pub trees: Vec<Kind>,
    /// How rings are found.
    pub algorithms: Vec<Algorithm>,
    /// The seed of clusters, roots and random trees.
    pub seed: u64,
}

/// What came of one size, tree and algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Machines of each cluster.
    pub machines: u64,
    /// Switches of each cluster.
    pub switches: u64,
    /// How the trees were found.
    pub tree: Kind,
    /// How the rings were found.
    pub algorithm: Algorithm,
    /// Clusters.
    pub instances: u32,
    /// Clusters on whose tree the algorithm finds a ring: all of them but for LR2.
    pub rings: u32,
    /// Rings found to be free of contention, message by message.
    pub contention_free: u32,
    /// Rings known to be the best of their tree.
    pub best: u32,
    /// Rings whose longest path has three switches at most.
    pub at_most_three: u32,
    /// The sum of the longest paths of all rings, in switches.
    pub total: u64,
    /// The shortest of the longest paths; 0 without a ring.
    pub min: u64,
    /// The longest of the longest paths; 0 without a ring.
    pub max: u64,
}

impl Row {
    /// The mean of the longest paths in switches, if there are rings.
    pub fn mean(&self) -> Option<f64> {
        (self.rings > 0).then(|| self.total as f64 / f64::from(self.rings))
    }
}

/// Why a study cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StudyError {
    /// No such cluster.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A cluster without a ring: fewer than two machines.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// One ring, or none, of one cluster: what of it goes into a row.
#[derive(Clone, Copy, Debug)]
struct Sample {
    length: u64,
    contention_free: bool,
    best: bool,
}

/// Makes the study, clusters in parallel; rows by size, then tree, then algorithm, each in the order given.
///
/// # Errors
/// [`StudyError`].
pub fn study(study: &Study) -> Result<Vec<Row>, StudyError> {
    let instances = study.instances as usize;
    let all: Vec<(u64, u32)> =
        study.sizes.iter().flat_map(|size| (0..study.instances).map(|k| (*size, k))).collect();
    let samples: Vec<Vec<Option<Sample>>> =
        all.into_par_iter().map(|(size, k)| study.cluster(size, k)).collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for (nth, size) in study.sizes.iter().enumerate() {
        let of_size = &samples[nth * instances..(nth + 1) * instances];
        for (cell, (tree, algorithm)) in study.cells().enumerate() {
            let sampled = of_size.iter().filter_map(|cluster| cluster[cell]);
            rows.push(study.row(*size, tree, algorithm, sampled));
        }
    }
    Ok(rows)
}

impl Study {
    fn cells(&self) -> impl Iterator<Item = (Kind, Algorithm)> + '_ {
        self.trees.iter().flat_map(|tree| self.algorithms.iter().map(|algorithm| (*tree, *algorithm)))
    }

    /// Switches of a cluster with so many machines: at least one.
    pub fn switches(&self, machines: u64) -> u64 {
        (machines / self.machines_per_switch.max(1)).max(1)
    }

    /// The seed of cluster `k` of a size: a number of its own whatever the other sizes are.
    fn seed_of(&self, size: u64, k: u32) -> u64 {
        use crate::des::random::{Purpose, Stream};
        const CLUSTERS: Purpose = Purpose(43);
        Stream::new(self.seed ^ size.rotate_left(32), CLUSTERS, k).bits()
    }

    /// The rings of one cluster, in the order of [`Study::cells`].
    fn cluster(&self, size: u64, k: u32) -> Result<Vec<Option<Sample>>, StudyError> {
        let seed = self.seed_of(size, k);
        let parameters = [("switches", self.switches(size)), ("machines", size), ("degree", self.degree)];
        let network = generate::build(self.family, &parameters, seed)?;
        let root = Tree::random_root(&network, seed)?;
        let mut samples = Vec::new();
        for kind in &self.trees {
            let tree = Tree::new(&network, *kind, root, seed)?;
            for algorithm in &self.algorithms {
                let ring = algorithm.ring(&tree).ok();
                samples.push(ring.map(|ring| Sample {
                    length: ring.max_path_length as u64,
                    contention_free: judge(&tree, &ring.hosts).contention_free,
                    best: ring.bound == ring.max_path_length,
                }));
            }
        }
        Ok(samples)
    }

    fn row(
        &self,
        machines: u64,
        tree: Kind,
        algorithm: Algorithm,
        samples: impl Iterator<Item = Sample>,
    ) -> Row {
        let mut row = Row {
            machines,
            switches: self.switches(machines),
            tree,
            algorithm,
            instances: self.instances,
            rings: 0,
            contention_free: 0,
            best: 0,
            at_most_three: 0,
            total: 0,
            min: 0,
            max: 0,
        };
        for sample in samples {
            row.min = if row.rings == 0 { sample.length } else { row.min.min(sample.length) };
            row.max = row.max.max(sample.length);
            row.total += sample.length;
            row.rings += 1;
            row.contention_free += u32::from(sample.contention_free);
            row.best += u32::from(sample.best);
            row.at_most_three += u32::from(sample.length <= 3);
        }
        row
    }
}
