//! Every reader of simnet under coverage-guided fuzzing: README.md says how to run it.
//!
//! A [`Target`] is a reader and what must hold whatever its input: no panic, faults that lie within the text and print
//! legibly, and, where there is a writer, that what was read comes back from what is written of it. `cargo test` reads
//! the corpora and a few changed inputs; `tests/fuzz/run` searches on, guided by the branches that inputs take.

mod coverage;
mod fuzzer;
mod seeds;
mod targets;

pub use fuzzer::{Found, search};
pub use targets::TARGETS;

/// A reader and what must hold of it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// Its corpus, from files of the tree.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input, and panics if something does not hold; whether the reader took it.
    pub read: fn(&[u8]) -> bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a reader panicked, lost a place or did not read back what is written, on its corpus or on inputs near
    /// it; or if a corpus were empty or held nothing that its reader takes.
    #[test]
    fn every_reader_stands_its_corpus() {
        for target in TARGETS {
            let found = search(target, 1, std::time::Duration::from_millis(100), 4_000, None);
            let findings: Vec<String> = found
                .findings
                .iter()
                .map(|(why, input)| format!("{why}\n{}", input.escape_ascii()))
                .collect();
            assert!(findings.is_empty(), "{}:\n{}", target.name, findings.join("\n"));
            assert!(found.taken > 0, "{}: nothing is taken", target.name);
        }
    }

    /// Wrong if a finding were missed, reported twice for one place, or kept longer than it need be.
    #[test]
    fn a_panic_is_found_once_and_made_short() {
        let read = |input: &[u8]| {
            assert!(!input.windows(2).any(|pair| pair == b"bc"), "it has bc");
            true
        };
        let target = Target { name: "made up", seeds: || vec![b"a b c d".to_vec()], read };
        let found = search(&target, 1, std::time::Duration::from_secs(60), 20_000, None);
        assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
        assert!(found.findings[0].0.contains("it has bc"));
        assert_eq!(found.findings[0].1, b"bc");
        assert_eq!(found.executions, 20_000);
    }
}
