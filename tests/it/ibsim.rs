//! The real InfiniBand tools and simnet on the same networks; skipped, saying so, where they are not installed.

use crate::support::subnet::Subnet;

/// A switch with two hosts in the notation of ibsim's own examples.
const PAIR: &str = "Switch\t4 \"S\"\n[1]\t\"A\"[1]\n[3]\t\"B\"[1]\n\n\
                    Hca\t1 \"A\"\n[1]\t\"S\"[1]\n\nHca\t1 \"B\"\n[1]\t\"S\"[3]\n";

/// Wrong if the tools could not be driven: every other test here would then test nothing.
#[test]
fn the_tools_run() {
    let folder = tempfile::tempdir().unwrap();
    let net = folder.path().join("pair.topo");
    std::fs::write(&net, PAIR).unwrap();
    let Some(subnet) = Subnet::start(&net) else { return };
    let Some(dump) = subnet.dumped() else { return };
    let dump = String::from_utf8(dump).unwrap();
    assert_eq!((dump.matches("\nSwitch\t4").count(), dump.matches("\nCa\t1").count()), (1, 2), "{dump}");
}
