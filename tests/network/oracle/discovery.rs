//! Inferring switches from round-trip times as lawrence2008 prints it.

mod csv;
mod oracle;
mod readings;
mod trees;

use simnet_base::papers::reference;
use simnet_base::units::Duration;
use simnet_network::discovery::{
    Clustering, Discovery, Hops, Intra, NoTree, Options, Rtts, SwitchTree, discover,
};

use oracle::{homes_matched, same_tree};

/// Printed milliseconds as microseconds, a whole number each.
fn us_of(ms: f64) -> u64 {
    format!("{:.0}", ms * 1000.0).parse().unwrap()
}

/// The matrix of Fig. 6, in microseconds.
fn fig6() -> Rtts {
    let us = |a: usize, b: usize| {
        let ms =
            reference("003", "Fig6", "raw RTT", &format!("machine {a} to {b}")).expect("all are printed");
        Duration::from_us(us_of(ms))
    };
    let time = |at: usize| if at / 6 == at % 6 { Duration::ZERO } else { us(at / 6, at % 6) };
    Rtts::new((0..6).map(|nth| format!("n{nth}")).collect(), (0..36).map(time).collect()).unwrap()
}

/// The cluster of Fig. 1: two machines at each of three switches in a row.
fn fig1() -> SwitchTree {
    SwitchTree { homes: vec![0, 0, 1, 1, 2, 2], switches: 3, links: vec![(0, 1), (1, 2)] }
}

fn bounds(found: &Discovery) -> Vec<(u64, u64)> {
    let us = |time: Duration| time.as_ps() / 1_000_000;
    found.counted.classes.iter().map(|class| (us(class.low), us(class.high))).collect()
}

/// Wrong if classes, hop counts or tree were others than printed.
#[test]
fn fig_6_gives_fig_8_and_fig_1() {
    let printed = |which: &str, class: usize| {
        let ms =
            reference("003", "3.2", &format!("RTT class {which} bound"), &format!("class {class}")).unwrap();
        us_of(ms)
    };
    let found = discover(&fig6(), &Options::default());
    let want: Vec<_> = (0..3).map(|class| (printed("lower", class), printed("upper", class))).collect();
    assert_eq!(bounds(&found), want);
    let centers: Vec<u64> =
        found.counted.classes.iter().map(|class| class.center().as_ps() / 100_000).collect();
    assert_eq!(centers, [1_325, 1_575, 1_750], "the paper prints .132, .157 and .175");
    let fig8 = |a, b| reference("003", "Fig8", "hop count", &format!("machine {a} to {b}"));
    for a in 0..6 {
        for b in (0..6).filter(|b| *b != a) {
            assert_eq!(Some(f64::from(found.counted.hops.between(a, b))), fig8(a, b), "{a} to {b}");
        }
    }
    let tree = found.tree.unwrap();
    assert!(same_tree(&tree, &fig1()), "{tree:?}");
    assert!(found.findings.is_empty() && found.nearest.is_none(), "{:?}", found.findings);
}

/// What the paper's text says literally: the range within a class, which puts all times into one. Wrong if the option
/// were not that reading.
#[test]
fn the_range_puts_fig_6_into_one_class() {
    let clustering = Clustering::Paper(Intra::Range);
    let found = discover(&fig6(), &Options { clustering, ..Options::default() });
    assert_eq!(bounds(&found), [(131, 177)]);
    assert_eq!(found.counted.hops, Hops::new(6, |_, _| 1));
    assert_eq!(found.tree.unwrap().switches, 1);
}

/// What the listing's lines 18 and 19 say literally: merge where intra is *less* than inter / 4. Wrong if that reading
/// did not merge classes that are well apart, so that there would be two readings to choose from.
#[test]
fn the_listings_condition_merges_what_is_apart() {
    let mut classes = vec![(131, 134), (155, 160), (173, 177)];
    for range in [1.0, 0.5] {
        let mut at = 0;
        while at + 1 < classes.len() {
            let (left, right): ((u64, u64), (u64, u64)) = (classes[at], classes[at + 1]);
            let inter = (right.0 + right.1) as f64 / 2.0 - (left.0 + left.1) as f64 / 2.0;
            let intra = (left.1 - left.0).max(right.1 - right.0) as f64 * range;
            if intra < inter / 4.0 {
                classes[at] = (left.0, right.1);
                classes.remove(at + 1);
            }
            at += 1;
        }
    }
    assert!(classes.len() < 3, "{classes:?}");
}

/// Wrong if k-means needed to be given that Fig. 6 has three classes, or found others.
#[test]
fn kmeans_finds_the_classes_of_fig_6() {
    for classes in [None, Some(3)] {
        let clustering = Clustering::KMeans { classes };
        let found = discover(&fig6(), &Options { clustering, ..Options::default() });
        assert_eq!(bounds(&found), [(131, 134), (155, 160), (173, 177)]);
        assert!(same_tree(&found.tree.unwrap(), &fig1()));
    }
}

/// Wrong if one machine, or two, were an unhandled case.
#[test]
fn one_machine_and_two_have_a_tree() {
    let alone = Rtts::new(vec!["a".to_owned()], vec![Duration::ZERO]).unwrap();
    let found = discover(&alone, &Options::default());
    assert_eq!(found.tree, Ok(SwitchTree { homes: vec![0], switches: 1, links: vec![] }));
    let cells = [0, 100, 100, 0].map(Duration::from_us).to_vec();
    let two = Rtts::new(vec!["a".to_owned(), "b".to_owned()], cells).unwrap();
    assert_eq!(discover(&two, &Options::default()).tree.unwrap().homes, [0, 0]);
}

fn hops_of(rows: &[&[u32]]) -> Hops {
    Hops::new(rows.len(), |a, b| rows[a][b])
}

/// Wrong if the example by which the paper shows that networks with cycles cannot be recovered had a tree.
#[test]
fn the_cycle_of_fig_2_has_no_tree() {
    let why = simnet_network::discovery::tree(&hops_of(&[&[0, 2, 3], &[2, 0, 2], &[3, 2, 0]]));
    let tree = why.unwrap();
    assert!(homes_matched(&tree, &[0, 1, 2]), "a chain of three has the same hop counts: {tree:?}");
    let cycle = simnet_network::discovery::tree(&hops_of(&[&[0, 2, 2], &[2, 0, 2], &[2, 2, 0]]));
    assert_eq!(cycle, Err(NoTree::Parity { machines: [0, 1, 2], hops: [2, 2, 2] }));
}
