//! All targets, by the crate whose readers they are.

mod base;
mod logs;
mod networks;
mod results;
mod routes;
mod scenarios;
mod sweeps;

use simnet_base::diagnostics::{Faults, Refusal, is_hidden};

use crate::Target;

/// Every reader.
pub const TARGETS: &[Target] = &[
    Target { name: "units", seeds: base::texts, read: base::units },
    Target { name: "csv", seeds: base::tables, read: base::csv },
    Target { name: "faults", seeds: base::texts, read: base::faults },
    Target { name: "network", seeds: networks::all, read: networks::recognised },
    Target { name: "json", seeds: networks::json, read: networks::read_json },
    Target { name: "toml", seeds: networks::toml, read: networks::read_toml },
    Target { name: "ibnetdiscover", seeds: networks::ibnetdiscover, read: networks::read_ibnetdiscover },
    Target { name: "slurm", seeds: networks::slurm, read: networks::read_slurm },
    Target { name: "graphml", seeds: networks::graphml, read: networks::read_graphml },
    Target { name: "anynet", seeds: networks::anynet, read: networks::read_anynet },
    Target { name: "gm", seeds: networks::gm, read: networks::read_gm },
    Target { name: "netloc", seeds: networks::netloc, read: networks::read_netloc },
    Target { name: "ibdm", seeds: networks::ibdm, read: networks::read_ibdm },
    Target { name: "subnet-lst", seeds: networks::subnet_lst, read: networks::read_subnet_lst },
    Target { name: "db-csv", seeds: networks::db_csv, read: networks::read_db_csv },
    Target { name: "slurm-yaml", seeds: networks::slurm_yaml, read: networks::read_slurm_yaml },
    Target { name: "netq", seeds: networks::netq, read: networks::read_netq },
    Target { name: "lldp", seeds: networks::lldp, read: networks::read_lldp },
    Target { name: "cabling-plan", seeds: networks::plans, read: networks::read_plan },
    Target { name: "routes", seeds: routes::files, read: routes::read_file },
    Target { name: "lfts", seeds: routes::dumps, read: routes::read_dump },
    Target { name: "sl2vl", seeds: routes::lane_tables, read: routes::read_lane_tables },
    Target { name: "levels", seeds: routes::levels, read: routes::read_levels },
    Target { name: "certificate", seeds: routes::certificates, read: routes::read_certificate },
    Target { name: "rtts", seeds: base::tables, read: routes::read_rtts },
    Target { name: "log", seeds: logs::logs, read: logs::read_log },
    Target { name: "log-parts", seeds: logs::parts, read: logs::read_parts },
    Target { name: "scenario", seeds: scenarios::files, read: scenarios::read },
    Target { name: "assignment", seeds: scenarios::assignments, read: scenarios::read_assignment },
    Target { name: "lengths", seeds: base::tables, read: scenarios::read_lengths },
    Target { name: "messages", seeds: base::tables, read: scenarios::read_messages },
    Target { name: "sweep", seeds: sweeps::files, read: sweeps::read },
    Target { name: "shard", seeds: sweeps::shards, read: sweeps::read_shard },
    Target { name: "results", seeds: results::folders, read: results::read },
];

/// Asserts that faults lie within their text, in order, and that nothing they print misleads a terminal.
fn located(faults: &Faults) {
    assert!(!faults.faults.is_empty(), "a refusal without a fault");
    for fault in &faults.faults {
        let (start, end) = (fault.span.start, fault.span.end);
        assert!(start <= end && end <= faults.text.len(), "{fault:?} beyond {} bytes", faults.text.len());
        assert!(
            faults.text.is_char_boundary(start) && faults.text.is_char_boundary(end),
            "{fault:?} cuts a character"
        );
        assert!(!fault.message.is_empty() && !fault.expected.is_empty(), "{fault:?} says nothing");
    }
    assert!(
        faults.faults.is_sorted_by_key(|fault| fault.span.start),
        "faults out of order: {:?}",
        faults.faults
    );
    let printed = faults.to_string();
    assert!(printed.chars().all(|c| c == '\n' || !is_hidden(c)), "printed: {printed:?}");
    assert!(printed.lines().all(|line| line.chars().count() <= 1_000), "a long line: {printed}");
}

/// [`located`] for several files.
fn refused(refusal: &Refusal) {
    assert!(!refusal.files.is_empty(), "a refusal without a file");
    refusal.files.iter().for_each(located);
}
