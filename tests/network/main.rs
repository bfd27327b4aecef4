//! What needs nothing above `simnet-network`: one binary, one folder per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

/// Files of networks, routes and tables: what is read, what is refused and where, what is written.
mod formats {
    mod certificates;
    mod foreign;
    mod ibnetdiscover;
    mod lanes;
    mod root_guids;
    mod routes;
    mod unread;
}

/// What is fast against what is slow and obvious, on random networks.
mod oracle {
    mod balance;
    mod certificates;
    mod datelines;
    mod destination;
    mod dimension_order;
    mod discovery;
    mod exceptions;
    mod exceptions_load;
    mod failures;
    mod folded_clos;
    mod in_transit;
    mod judged;
    mod lanes;
    mod lfts;
    mod lids;
    mod planes;
    mod ring;
    mod routing;
    mod routing_trees;
    mod skyline;
    mod smart;
    mod spines;
    mod sturdy;
    mod suggest;
}

/// Numbers that papers print.
mod papers {
    mod ring_study;
    mod routing_figures;
}

/// What holds of every network, and that random networks have all that is difficult.
mod properties {
    mod networks;
    mod topology;
}
