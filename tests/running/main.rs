//! What needs a whole run but no command: one binary, one folder per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

/// Whole runs against slow, plain simulators, proofs and formulas.
mod oracle {
    mod coverage;
    mod deadlock_proof;
    mod lane_files;
    mod measure;
    mod message_time;
    mod recovery;
}

/// Numbers that papers print.
mod papers {
    mod faraj_table1;
    mod mapper_myricom;
}

/// Mappers, daemons, ranks and their kernels on fabrics and Ethernets.
mod processes {
    pub(crate) mod allgather;
    mod allgather_fabric;
    mod closed_forms;
    mod daemon;
    mod election;
    mod guarded;
    mod kernel;
    mod loaded;
    mod losing;
    mod mapper_credits;
    mod mapper_fabric;
    mod mapper_load;
    mod parallel;
    mod rtt;
}
