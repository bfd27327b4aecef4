//! Random clusters recovered from made-up matrices: [`recovery`](super::super::recovery) for every size.

use crate::scenario::Checked;
use crate::scenario::discovery::{Discovery, Method};
use crate::units::Duration;

use super::super::Progress;
use super::super::recovery::{self, Study, Times, study};
use super::RecoveryReport;

/// Every size, then method, then noise. Methods have their own defaults, whatever the scenario tells them of matrices.
pub(super) fn all(checked: &Checked, discovery: &Discovery, progress: &dyn Progress) -> Vec<RecoveryReport> {
    let Some(recovery) = &discovery.recovery else { return Vec::new() };
    progress.stage("recovering", recovery.switches.len() as u64);
    let step = Times::GIGABIT.step.as_ps();
    let noise = |permille: &u32| Duration::from_ps(step * u64::from(*permille) / 1_000);
    let narrow = |number: u64| u32::try_from(number).expect("sizes were checked");
    let mut reports = Vec::new();
    for size in &recovery.switches {
        let machines = size * recovery.machines_per_switch;
        let rows = study(&Study {
            switches: (narrow(*size), narrow(*size)),
            machines: narrow(machines),
            clusters: recovery.instances,
            times: Times::GIGABIT,
            noises: recovery.noise_permille.iter().map(noise).collect(),
            outliers_ppm: 0,
            outlier_mean: Duration::ZERO,
            methods: discovery.methods.iter().copied().map(of).collect(),
            seed: checked.seed,
        });
        progress.step();
        let rows = rows.expect("there are clusters of all sizes that a scenario can ask for");
        for (nth, method) in discovery.methods.iter().enumerate() {
            let of_method = rows.iter().skip(nth).step_by(discovery.methods.len());
            reports.extend(recovery.noise_permille.iter().zip(of_method).map(|(permille, row)| {
                RecoveryReport {
                    id: format!("{size}/{}/noise-{permille}", method.name()),
                    method: method.name(),
                    switches: *size,
                    machines,
                    noise_permille: *permille,
                    clusters: row.clusters,
                    recovered: row.recovered,
                    refused: row.refused,
                    share: row.share(),
                }
            }));
        }
    }
    reports
}

/// What the study calls a method.
const fn of(method: Method) -> recovery::Method {
    match method {
        Method::Paper => recovery::Method::HalfRange,
        Method::PaperRange => recovery::Method::Range,
        Method::KMeans => recovery::Method::KMeans,
        Method::Sturdy => recovery::Method::Sturdy,
    }
}
