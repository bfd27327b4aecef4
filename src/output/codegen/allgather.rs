//! A ring's all-gather for machines that exist, as C.
//!
//! # Scope and limitations
//! One rank a machine, a communicator of exactly the ring's size; any datatype, count and placement of the result
//! that MPI_Allgather takes. Rank r is machine r, machines being those of the ring in the order of the network's
//! file; a second routine matches them by the names of their hosts when it runs. C99, MPI 2.2, POSIX threads.
//!
//! # Source
//! faraj2008, section 4: the generator of customized routines, and the logical ring algorithm of section 3: block
//! by block, each machine passes on to its successor what it got from its predecessor. Departures: the paper's
//! routine is for one process a machine in the order of its topology file alone; messages here travel on a
//! communicator of their own.
//!
//! # Validation
//! tests/it/interop/codegen.rs: compiled with mpicc and run under mpirun, every result compared with MPI_Allgather's.

use simnet_base::ids::HostId;
use simnet_network::ring::Ring;
use simnet_network::topology::Network;

use super::text::{fill, literal, remark, table};
use super::{MAKEFILE, MARK, Prefix, Source};

/// An all-gather along a ring.
#[derive(Clone, Debug)]
pub struct Allgather<'a> {
    /// What names begin with.
    pub prefix: &'a Prefix,
    /// Whose machines they are.
    pub network: &'a Network,
    /// The ring; of at least two machines.
    pub ring: &'a Ring,
    /// How the ring was found, in a few words.
    pub found_by: &'a str,
}

impl Allgather<'_> {
    /// The routine's name.
    pub fn function(&self) -> String {
        format!("{}_allgather", self.prefix)
    }

    /// The machines in the order of their numbers: those of the ring, as the network's file lists them.
    pub fn machines(&self) -> Vec<HostId> {
        let mut machines = self.ring.hosts.clone();
        machines.sort_unstable();
        machines
    }

    /// Writes the routine, its header, its self-check and the Makefile; the same text for the same ring.
    ///
    /// # Panics
    /// If a machine is in the ring twice.
    pub fn files(&self) -> Vec<Source> {
        let machines = self.machines();
        let number = |host| machines.binary_search(host).expect("the machines are those of the ring");
        let numbers: Vec<usize> = self.ring.hosts.iter().map(number).collect();
        assert!(machines.windows(2).all(|pair| pair[0] < pair[1]), "a machine is in the ring once");

        let (prefix, capitals) = (self.prefix.to_string(), self.prefix.in_capitals());
        let indent = " ".repeat(prefix.len() + "int _allgather(".len());
        let names = machines.iter().map(|host| literal(&self.network.hosts()[host.index()].name));
        let values = [
            ("prefix", prefix.as_str()),
            ("PREFIX", &capitals),
            ("ranks", &machines.len().to_string()),
            ("ring", &table(numbers.iter().map(usize::to_string))),
            ("machines", &table(names)),
            ("origin", &self.origin()),
            ("indent", &indent),
            ("mark", MARK.trim_start_matches("# ")),
        ];
        let file = |name: String, template| Source { name, text: fill(template, &values) };
        let function = self.function();
        vec![
            file(format!("{function}.c"), include_str!("allgather/routine.c")),
            file(format!("{function}.h"), include_str!("allgather/routine.h")),
            file(format!("{function}_selfcheck.c"), include_str!("allgather/selfcheck.c")),
            file(MAKEFILE.to_owned(), include_str!("allgather/Makefile.txt")),
        ]
    }

    /// Where the ring comes from, as lines of a comment.
    fn origin(&self) -> String {
        let network = remark(&self.network.name);
        let (found_by, longest) = (remark(self.found_by), self.ring.max_path_length);
        let plural = if longest == 1 { "" } else { "es" };
        let path =
            format!("No message passes more than {longest} switch{plural}, and no two meet, on that tree.");
        format!(" * Network: {network}.\n * Ring: {found_by}.\n * {path}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str], ring: &[u32]) -> Vec<Source> {
        let mut network = Network::new("two */ words");
        for name in names {
            network.add_host(*name).unwrap();
        }
        let hosts = ring.iter().map(|host| HostId(*host)).collect();
        let ring = Ring { hosts, max_path_length: 1, bound: 1 };
        let prefix = Prefix::new("lab").unwrap();
        Allgather { prefix: &prefix, network: &network, ring: &ring, found_by: "LR1" }.files()
    }

    /// Wrong if hosts outside the ring were given numbers, or the ring named hosts instead of machines.
    #[test]
    fn machines_are_numbered_by_the_file_among_those_of_the_ring() {
        let files = texts(&["a", "loose", "b", "c"], &[3, 0, 2]);
        let routine = &files[0].text;
        assert!(routine.contains("ring[RANKS] = {\n    2, 0, 1,\n};"), "{routine}");
        assert!(routine.contains("machines[RANKS] = {\n    \"a\", \"b\", \"c\",\n};"), "{routine}");
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["lab_allgather.c", "lab_allgather.h", "lab_allgather_selfcheck.c", MAKEFILE]);
    }

    /// Wrong if a template kept a gap, or a name got into the text as it is.
    #[test]
    fn nothing_is_left_to_be_filled_in() {
        for file in texts(&["a\"; */", "@ring@"], &[0, 1]) {
            let gaps = ["prefix", "PREFIX", "ranks", "ring", "machines", "origin", "indent", "mark"];
            let allowed = if file.name == "lab_allgather.c" { 1 } else { 0 };
            let left: usize = gaps.iter().map(|gap| file.text.matches(&format!("@{gap}@")).count()).sum();
            assert_eq!(left, allowed, "{}", file.name);
            assert!(file.text.ends_with('\n') && file.text.lines().all(|line| line.len() <= 120));
            assert!(!file.text.contains("two */"));
        }
        assert_eq!(texts(&["a", "b"], &[0, 1])[3].text.lines().next(), Some(MARK));
    }
}
