//! What needs nothing above `simnet-media`: one binary, one folder per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

/// Latency, goodput and queues against what can be calculated by hand.
mod closed_forms {
    mod credits;
    mod datagrams;
    mod dcqcn;
    mod ethernet;
    mod fabric;
    mod management;
    mod pfc;
    mod routing_loop;
    mod tcp;
    mod traffic;
}

/// The engines against slow, plain simulators of the same semantics, on random networks.
mod oracle {
    mod credits;
    mod differential;
    mod ethernet;
    mod hand_checked;
    mod pfc;
    mod watching;
}

/// Numbers that papers print.
mod papers {
    mod mapper;
}

/// What holds of the maps of random networks.
mod properties {
    mod equal_cost;
    mod growth;
    mod mapper_doubt;
    mod mapper_future;
    mod mapper_random;
    mod mapper_simplified;
    mod theory;
}
