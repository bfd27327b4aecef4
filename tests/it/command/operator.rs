//! docs/OPERATOR.md: its commands, run one block after the other.

use super::shown::{followed, page, texts};

/// Wrong if a command of the page failed, or did not print what the page says of it.
#[test]
fn the_hour_of_an_operator_is_as_told() {
    let room = tempfile::tempdir().unwrap();
    // A variable of one block is used in the next.
    let mut before = String::new();
    let mut printed = Vec::new();
    let page = page("docs/OPERATOR.md");
    for block in texts(&page, "sh operator") {
        printed.push(followed("docs/OPERATOR.md", &format!("{before}{block}"), room.path()));
        before = block
            .lines()
            .filter(|line| line.starts_with("worst="))
            .map(|line| format!("{line}\n"))
            .chain([before])
            .collect();
    }
    let [_, ranked, one, required, roots, file, ring, judged, left] = &printed[..] else {
        panic!("nine blocks")
    };
    let mut lines = ranked.lines();
    let (cable, switch) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(cable.starts_with("worst cable: ") && cable.contains("no pair loses its route"), "{ranked}");
    assert!(cable.contains("busiest channel 60.0 -> 80.0 routes; no deadlock"), "{ranked}");
    assert!(
        switch.starts_with("worst switch: ") && switch.contains("492 pairs lose their route"),
        "{ranked}"
    );
    assert!(one.contains("\nwithout ") && one.contains("whole"), "{one}");
    assert!(required.contains("sound as it is") && required.contains("\nreachable without S-"), "{required}");
    assert!(roots.contains("all 16 spines of a levelled tree"), "{roots}");
    assert!(file.contains("root"), "{file}");
    assert!(
        ring.contains("a cycle of 4 channels") && ring.contains("other rules end the deadlock"),
        "{ring}"
    );
    assert!(judged.contains("sound as a file") && judged.contains("pairs wait for new tables"), "{judged}");
    assert!(
        judged.contains("unreachable pairs                0                                 "),
        "{judged}"
    );
    assert!(left.contains("unreachable pairs                0\n"), "{left}");
}
