//! Keys that scenarios had before `[sweep]` was the only place where anything varies, and how they are written now.
//!
//! A file with such a key gets one fault there; what else it would miss is not reported.

/// A key that scenarios once had.
pub(super) struct RemovedKey {
    /// What messages call the table in which it stood.
    table: &'static str,
    /// The key.
    key: &'static str,
    /// What it meant, in a sentence without a full stop.
    pub(super) was: &'static str,
    /// The same in today's form: lines of a scenario.
    pub(super) now: &'static str,
}

/// All of them.
const REMOVED: &[RemovedKey] = &[
    RemovedKey {
        table: "the scenario",
        key: "comparison",
        was: "routings were compared by [comparison]: its networks, switches and routings are axes",
        now: COMPARISON,
    },
    RemovedKey {
        table: "the scenario",
        key: "study",
        was: "mappings were compared by [study]: its networks, variants, answering, retries and loads are axes",
        now: STUDY,
    },
    RemovedKey {
        table: "[mapping]",
        key: "runs",
        was: "a mapping was run with several seeds by `runs`",
        now: "[sweep]\nrepetitions = 10\nstatistics-over = [\"seed\"]",
    },
    gathers("algorithms"),
    gathers("sizes"),
    gathers("networks"),
    gathers("media"),
    gathers("rates"),
    gathers("transports"),
    gathers("protocols"),
    gathers("figures"),
    gathers("references"),
    rings("algorithms"),
    rings("trees"),
    rings("families"),
    rings("machines"),
    rings("machines-per-switch"),
    rings("degree"),
    rings("instances"),
    rings("references"),
    RemovedKey {
        table: "[discovery]",
        key: "networks",
        was: "further networks, each measured",
        now: "[[sweep.axes]]\ntopology.preset = [\"lawrence-1\", \"lawrence-2\"]",
    },
    RemovedKey {
        table: "[discovery]",
        key: "rates",
        was: "rates of all cables",
        now: "[[sweep.axes]]\nethernet.rate = [\"100 Mb/s\", \"1 Gb/s\"]",
    },
    RemovedKey {
        table: "[discovery]",
        key: "executions",
        was: "how often each combination is measured",
        now: "[sweep]\nrepetitions = 5\nstatistics-over = [\"seed\"]",
    },
    RemovedKey {
        table: "[discovery]",
        key: "recovery",
        was: "random clusters and times that are made up",
        now: "[topology.random-tree]\nswitches = 4\nmachines = 16\n\n[discovery.made-up]\nnoise = \"5 %\"",
    },
    RemovedKey {
        table: "[discovery]",
        key: "references",
        was: "printed numbers beside ours",
        now: "[[reference]]\npaper = \"003\"\nfigure = \"Table1\"\n\
              quantities = { \"total run time, 1 Gb/s\" = { column = \"discovery.total_s\" } }",
    },
];

/// Routings compared on several networks.
const COMPARISON: &str = "[sweep]
statistics-over = [\"topology.random-regular.seed\"]
[[sweep.axes]]
name = \"routing\"
labels = [\"BFS\", \"DFS\"]
routing = [{ algorithm = \"updown\" }, { algorithm = \"updown\", tree = \"dfs\" }]
[[sweep.axes]]
topology.random-regular.switches = [16, 32]
[[sweep.axes]]
topology.random-regular.seed = { from = 0, to = 9, step = 1 }
[[sweep.ratios]]
name = \"gain\"
column = \"throughput_flits_per_cycle_per_host\"
over = { routing = \"BFS\" }";

/// A study of mappings.
const STUDY: &str = "[[sweep.axes]]
name = \"network\"
labels = [\"C\", \"C+A\"]
topology.preset = [\"now-c\", \"now-ca\"]
[[sweep.axes]]
name = \"mapper\"
labels = [\"berkeley\", \"myricom\"]
mapping = [{}, { algorithm = \"myricom\" }]
[[sweep.axes]]
mapping.answering = [36, 18]
[[sweep.axes]]
mapping.retries = [0, 2]
[[sweep.axes]]
mapping.load = [0, 0.1]";

/// A key of `[allgather]` when it had lists.
const fn gathers(key: &'static str) -> RemovedKey {
    let now = "\
[allgather]                             # one all-gather
algorithm = \"lr1\"
size = \"4 KiB\"
medium = \"ethernet\"
protocol = \"rendezvous\"

[sweep]
[[sweep.axes]]
name = \"network\"
labels = [\"e\", \"f\"]
topology.preset = [\"faraj-e\", \"faraj-f\"]
[[sweep.axes]]
allgather.algorithm = [\"lr1\", \"mpich\"]
[[sweep.axes]]
allgather.size = [\"4 KiB\", \"128 KiB\"]
[[sweep.axes]]                          # and ethernet.transport, allgather.medium, allgather.protocol
ethernet.rate = [\"100 Mb/s\", \"1 Gb/s\"]

[[figure]]                              # [[reference]]: docs/SCENARIO.md, Sweeps
name = \"time\"
x = \"allgather.size_bytes\"
y = \"allgather.time_mean_ms\"
lines = \"allgather.algorithm\"
";
    RemovedKey {
        table: "[allgather]",
        key,
        was: "it had lists of what is one all-gather now, and axes over what varies",
        now,
    }
}

/// A key of `[rings]` when it had lists and clusters of its own.
const fn rings(key: &'static str) -> RemovedKey {
    let now = "\
[topology.gt-itm]                       # the network on which the ring is found
switches = 10
machines = 50
[rings]                                 # one ring
algorithm = \"lr3\"
tree = \"bfs\"
root = \"random\"

[sweep]
statistics-over = [\"scenario.seed\"]
[[sweep.axes]]
topology.gt-itm.machines = [50, 100, 200]
topology.gt-itm.switches = [10, 20, 40]
[[sweep.axes]]
rings.tree = [\"bfs\", \"random\", \"dfs\"]
[[sweep.axes]]
rings.algorithm = [\"lr1\", \"lr3\"]
[[sweep.axes]]
scenario.seed = { from = 1, to = 50, step = 1 }
topology.gt-itm.seed = { from = 1, to = 50, step = 1 }
";
    RemovedKey {
        table: "[rings]",
        key,
        was: "it had lists of what is one ring now, and axes over what varies",
        now,
    }
}

/// What a key of a table was, if it is no more.
pub(super) fn removed(table: &str, key: &str) -> Option<&'static RemovedKey> {
    REMOVED.iter().find(|removed| removed.table == table && removed.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a message showed people a form that has faults of its own.
    #[test]
    fn what_is_shown_can_be_read() {
        for RemovedKey { table, key, now, .. } in REMOVED {
            let read: Result<toml::Table, _> = toml::from_str(now);
            assert!(read.is_ok(), "{table} {key}: {read:?}");
        }
    }
}
