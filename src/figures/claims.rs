//! What the papers say in words, or by two of their numbers at once, as rows made of a figure's other rows.
//!
//! A claim is a row of `papers/reference.csv` as any printed number is. It is made of rows alone, so that `data.csv`
//! and the page have it whether the figure was run now or its rows were read.

use super::Row;
use super::sancho2000::curves::OVER_H1;

/// Sizes of messages from which MPICH's all-gather is a ring: on 16 machines, on 32 (faraj2008, section 5).
const RING_FROM_KB: [f64; 2] = [32.0, 16.0];

/// The claims of a figure that its rows are enough for.
pub(super) fn claims(figure: &str, rows: &[Row]) -> Vec<Row> {
    let rows = Rows(rows);
    let made = match figure {
        "mainwaring1997/fig7" => elections(&rows),
        "mainwaring1997/fig9" => random_hosts(&rows),
        "faraj2008/table1" => path_lengths(&rows),
        "faraj2008/fig9" => topologies(&rows),
        "faraj2008/fig10" => vec![same_ring(&rows)],
        "hendriks2004/sizes" => orders_of_magnitude(&rows),
        "hendriks2004/time-outs" => under_traffic(&rows),
        "lawrence2008/fig6" => gaps(&rows),
        "lawrence2008/seeds" => vec![recovered(&rows)],
        "sancho2000/fig3a" => vec![lower_latency(&rows, "16 switches; uniform")],
        "sancho2000/fig3-64" => vec![lower_latency(&rows, "64 switches; uniform")],
        "sancho2000/fig3b" => vec![lower_latency(&rows, "32 switches; uniform")],
        "sancho2000/fig4a" => vec![lower_latency(&rows, "32 switches; bit reversal")],
        "sancho2000/fig4b" => vec![lower_latency(&rows, "32 switches; transpose")],
        "sancho2000/gains" => gains(&rows),
        _ => Vec::new(),
    };
    made.into_iter().flatten().collect()
}

/// Rows as claims are read off them.
struct Rows<'a>(&'a [Row]);

impl<'a> Rows<'a> {
    /// The rows of a quantity and configuration, in their order.
    fn of<'b>(
        &self,
        quantity: &'b str,
        configuration: &'b str,
    ) -> impl Iterator<Item = &'a Row> + use<'a, 'b> {
        self.0.iter().filter(move |row| row.quantity == quantity && row.configuration == configuration)
    }

    /// Ours of the first of them.
    fn ours(&self, quantity: &str, configuration: &str) -> Option<f64> {
        self.of(quantity, configuration).next()?.ours
    }

    /// Ours of the one at a place of the horizontal axis.
    fn at(&self, quantity: &str, configuration: &str, x: f64) -> Option<f64> {
        self.of(quantity, configuration).find(|row| row.x == Some(x))?.ours
    }

    /// Ours of all of them, by their places on the horizontal axis.
    fn curve(&self, quantity: &str, configuration: &str) -> Vec<(f64, f64)> {
        self.of(quantity, configuration).filter_map(|row| row.x.zip(row.ours)).collect()
    }

    /// One curve over another, wherever both have a value.
    fn over(&self, quantity: &str, configuration: &str, other: &str) -> Vec<(f64, f64)> {
        let ratio = |(x, ours)| Some((x, ours / self.at(quantity, other, x)?));
        self.curve(quantity, configuration).into_iter().filter_map(ratio).collect()
    }
}

/// Share of the greater of two values within which they tie: neither is then less. Means of simulated latencies are
/// known to some tenths of a per cent, and Table 1 of faraj2008 prints times to a tenth of a millisecond of 48.
const TIE: f64 = 0.005;

/// Whether one value is less than another by more than a tie.
fn is_less(one: f64, other: f64) -> bool {
    one < other * (1.0 - TIE)
}

fn least(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::min)
}

fn greatest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::max)
}

/// mainwaring1997, Fig. 7: how much longer the quickest election takes than the quickest master.
fn elections(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let ratio = |system: &&str| {
        let election = rows.ours("mapping time min, election", system)?;
        let master = rows.ours("mapping time min, one master", system)?;
        Row::printed(
            "000",
            "Fig7",
            "mapping time min, election over one master",
            system,
            Some(election / master),
        )
    };
    ["C", "C+A", "C+A+B"].iter().map(ratio).collect()
}

/// mainwaring1997, 5.3: how near to its least the time is with 15 and with 20 hosts at random places.
fn random_hosts(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let time = |hosts| rows.at("mapping time of the runs", "at random places", hosts);
    let over_least = |hosts: f64| {
        let quantity = format!("mapping time over its least, {hosts} random hosts");
        Row::printed("000", "Fig9", &quantity, "C+A+B", Some(time(hosts)? / time(100.0)?))
    };
    [15.0, 20.0].into_iter().map(over_least).collect()
}

/// faraj2008, Table 1: what two further switches on the longest path cost, and the order of its columns.
fn path_lengths(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let sizes = [32, 48, 64, 96, 128];
    let time = |ring: &str, topology: char, size: u32| {
        rows.ours(&format!("all-gather time {ring}"), &format!("topology ({topology}); {size} KB"))
    };
    let four_hops = |size| time("LR1 (4-hop)", 'd', size);
    let two_hops = |size| time("LR2 (2-hop)", 'd', size);
    let one_hop = |size| time("LR1 (1-hop)", 'a', size);
    let differences = sizes.into_iter().map(|size| {
        let place = format!("topology (d); {size} KB");
        let less = four_hops(size)? - two_hops(size)?;
        Row::printed("001", "Table1", "LR1 (4-hop) less LR2 (2-hop)", &place, Some(less))
    });
    type Time<'t> = &'t dyn Fn(u32) -> Option<f64>;
    let in_order = |quantity, place, faster: Time<'_>, slower: Time<'_>| {
        let orders = sizes.into_iter().map(|size| Some(is_less(faster(size)?, slower(size)?)));
        let count = orders.collect::<Option<Vec<bool>>>()?.into_iter().filter(|is_less| *is_less).count();
        Row::printed("001", "Table1", quantity, place, Some(count as f64))
    };
    let faster = "sizes at which LR2 (2-hop) is faster than LR1 (4-hop)";
    let slower = "sizes at which LR2 (2-hop) is slower than LR1 (1-hop)";
    let orders = [
        in_order(faster, "topology (d)", &two_hops, &four_hops),
        in_order(slower, "topologies (d) and (a)", &one_hop, &two_hops),
    ];
    differences.chain(orders).collect()
}

/// faraj2008, section 5, of Fig. 9: what is alike on topologies (a) to (d), and what is worse.
fn topologies(rows: &Rows<'_>) -> Vec<Option<Row>> {
    const TIME: &str = "all-gather time";
    let ring_from = RING_FROM_KB[0];
    let apart = |routine: &str, below: f64, sizes: &str| {
        let on = |topology: char| format!("topology ({topology}); {routine}");
        let spread = |(x, _): (f64, f64)| {
            let times = || {
                ['a', 'b', 'c', 'd'].into_iter().filter_map(move |topology| rows.at(TIME, &on(topology), x))
            };
            Some(greatest(times())? / least(times())?)
        };
        let below = rows.curve(TIME, &on('a')).into_iter().filter(|at| at.0 < below);
        let ours = greatest(below.filter_map(spread))?;
        let quantity = format!("slowest over fastest topology, {routine}");
        Row::printed("001", "Fig9", &quantity, &format!("(a) to (d); {sizes}"), Some(ours))
    };
    let worse = |topology| {
        let on = |topology| format!("topology ({topology}); MPICH-LAM");
        rows.over(TIME, &on(topology), &on('a')).into_iter().filter(|at| at.0 >= ring_from).map(|at| at.1)
    };
    let worse = least(['b', 'c', 'd'].into_iter().flat_map(worse));
    let others = ["topology (d); MPICH-LAM", "topology (d); LR1"];
    let lam = others.into_iter().flat_map(|other| rows.over(TIME, "topology (d); LAM", other));
    let lam = least(lam.map(|at| at.1));
    let printed = |quantity, place, ours| Row::printed("001", "Fig9", quantity, place, Some(ours));
    vec![
        apart("LAM", f64::INFINITY, "4 to 128 KB"),
        apart("LR1", f64::INFINITY, "4 to 128 KB"),
        apart("MPICH-LAM", ring_from, "4 to 24 KB"),
        worse.and_then(|ours| printed("(b) to (d) over (a), MPICH-LAM", "32 to 128 KB", ours)),
        lam.and_then(|ours| printed("LAM over the slower of MPICH-LAM and LR1", "topology (d)", ours)),
    ]
}

/// faraj2008, section 5, of Fig. 10: MPICH's ring on topology (e) is LR1's.
fn same_ring(rows: &Rows<'_>) -> Option<Row> {
    let ratios = rows.over("all-gather time", "topology (e); MPICH-LAM", "topology (e); LR1");
    let from_ring_on = ratios.into_iter().filter(|at| at.0 >= RING_FROM_KB[1]);
    let farthest =
        from_ring_on.map(|at| at.1).reduce(|a, b| if (a - 1.0).abs() < (b - 1.0).abs() { b } else { a });
    Row::printed("001", "Fig10", "MPICH-LAM over LR1", "topology (e); 16 to 128 KB", Some(farthest?))
}

/// hendriks2004, section 1: between one and two orders of magnitude, depending on the size of the network.
fn orders_of_magnitude(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let ratios = || rows.curve("speed-up over size", "time-outs over guards").into_iter().map(|at| at.1);
    let row = |quantity, ours| Row::printed("002", "text", quantity, "64 to 1408 hosts", Some(ours));
    vec![
        least(ratios()).and_then(|ours| row("speed-up, least over sizes", ours)),
        greatest(ratios()).and_then(|ours| row("speed-up, greatest over sizes", ours)),
    ]
}

/// hendriks2004, sections 2 and 6: how many maps are true under traffic with guards, and how many more than without.
fn under_traffic(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let share = |mapper: &str| rows.at("true maps", &format!("{mapper}, load 0.15"), 1.0);
    let row = |quantity, ours| Row::printed("002", "text", quantity, "NOW C; load 0.15; time-out 1 ms", ours);
    let (guarded, timed) = (share("guarded"), share("timed"));
    let over = guarded.zip(timed).filter(|(_, timed)| *timed > 0.0).map(|(guarded, timed)| guarded / timed);
    vec![
        row("true maps under traffic, guarded", guarded),
        row("true maps under traffic, guarded over timed", over),
    ]
}

/// lawrence2008, section 3.2: how far the centres of the classes lie apart, here those of the simulated times.
fn gaps(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let centre = |class: u32| {
        let bound = |end| rows.ours(&format!("RTT class {end} bound, simulated"), &format!("class {class}"));
        Some((bound("lower")? + bound("upper")?) / 2.0)
    };
    let gap = |class: u32| {
        let (quantity, place) =
            ("gap between centres of classes, simulated", format!("classes {class} and {}", class + 1));
        Row::printed("003", "3.2", quantity, &place, Some(centre(class + 1)? - centre(class)?))
    };
    vec![gap(0), gap(1)]
}

/// lawrence2008, section 4: the tool recognises all clusters at both rates.
fn recovered(rows: &Rows<'_>) -> Option<Row> {
    let by_the_paper = |row: &&Row| row.configuration.ends_with("; the paper's");
    let sum = |quantity: &str| -> f64 {
        let own = rows.0.iter().filter(|row| row.quantity == quantity).filter(by_the_paper);
        own.filter_map(|row| row.ours).sum()
    };
    let (quantity, place) = ("clusters recovered by the paper's method", "topologies (1) to (5); both rates");
    Row::printed("003", "4", quantity, place, Some(sum("recovered") / sum("executions") * 100.0))
}

/// sancho2000, section 5.2: the share of loads at which `UD_DFS2` has a lower latency than `UD_DFS1` by more than a
/// tie, in the mean over the networks: the paper plots those with the average behaviour.
fn lower_latency(rows: &Rows<'_>, place: &str) -> Option<Row> {
    let ratios = rows.curve(OVER_H1, "UD_DFS2");
    let lower = ratios.iter().filter(|(_, ratio)| is_less(*ratio, 1.0)).count();
    let share = (!ratios.is_empty()).then(|| lower as f64 / ratios.len() as f64 * 100.0)?;
    let quantity = "loads at which UD_DFS2's latency is below UD_DFS1's";
    Row::printed("004", "Fig3/4 or 5.1 text", quantity, place, Some(share))
}

/// What long messages leave of a gain, as the paper says it of breadth-first trees.
const SHORTER: &str = "gain of UD_DFS2 over UD_BFS1, 512 flits over 32 flits";
/// The same read of the trees alone: both roots by the paper's own rule.
const SHORTER_SAME_ROOT: &str = "gain of UD_DFS2 over UD_BFS2, 512 flits over 32 flits";

/// sancho2000, section 5.2: how much more UD_DFS2 brings over UD_DFS1 in large networks, and how much less depth-first
/// trees gain with messages of 512 flits.
fn gains(rows: &Rows<'_>) -> Vec<Option<Row>> {
    let gain =
        |case: &str, routing: &str| rows.ours("throughput over UD_BFS1", &format!("{case}; {routing}"));
    let over_h1 = |switches: u32| {
        let case = format!("{switches} uniform");
        Some(gain(&case, "UD_DFS2")? / gain(&case, "UD_DFS1")?)
    };
    // The paper says of latency, not of throughput, that the improvement is higher in large networks.
    let growth = over_h1(64).zip(over_h1(16)).map(|(large, small)| {
        let quantity = "throughput of UD_DFS2 over UD_DFS1, 64 switches over 16";
        Row::ours(quantity, "uniform", "factor", Some(large / small))
    });
    let shorter = |switches: u32, over: &str| {
        let gain = |pattern: &str| {
            let case = format!("{switches} {pattern}");
            Some(gain(&case, "UD_DFS2")? / if over == "UD_BFS1" { 1.0 } else { gain(&case, over)? })
        };
        Some(gain("long")? / gain("uniform")?)
    };
    let claimed = |switches: u32| {
        let place = format!("{switches} switches");
        Row::printed("004", "Fig3/4 or 5.1 text", SHORTER, &place, Some(shorter(switches, "UD_BFS1")?))
    };
    let same_root = |switches: u32| {
        let ours = Some(shorter(switches, "UD_BFS2")?);
        Some(Row::ours(SHORTER_SAME_ROOT, &format!("{switches} switches"), "factor", ours))
    };
    let sizes = [16, 32, 64];
    [growth].into_iter().chain(sizes.map(claimed)).chain(sizes.map(same_root)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of a curve.
    fn at(quantity: &str, configuration: &str, x: f64, ours: f64) -> Row {
        Row::ours(quantity, configuration, "ms", Some(ours)).at(x)
    }

    fn ours(figure: &str, rows: &[Row]) -> Vec<Option<f64>> {
        claims(figure, rows).into_iter().map(|row| row.ours).collect()
    }

    /// Wrong if a claim were made of other rows than it names, or where one of them is missing.
    #[test]
    fn claims_are_made_of_the_rows_that_they_name() {
        let sizes = |ratios: [f64; 2]| {
            ratios.map(|ratio| at("speed-up over size", "time-outs over guards", ratio, ratio))
        };
        assert_eq!(ours("hendriks2004/sizes", &sizes([12.0, 7.0])), [Some(7.0), Some(12.0)]);
        let time = "all-gather time";
        let on_e = |x, mpich, lr1| {
            [at(time, "topology (e); MPICH-LAM", x, mpich), at(time, "topology (e); LR1", x, lr1)]
        };
        let rows = [on_e(8.0, 9.0, 3.0), on_e(16.0, 4.0, 4.0), on_e(32.0, 9.0, 6.0)].concat();
        assert_eq!(ours("faraj2008/fig10", &rows), [Some(1.5)]);
        assert_eq!(ours("faraj2008/fig10", &rows[..2]), []);
        assert_eq!(ours("mainwaring1997/fig5", &rows), []);
        let random = |hosts, ms| at("mapping time of the runs", "at random places", hosts, ms);
        let rows = [random(100.0, 2.0), random(15.0, 5.0)];
        assert_eq!(ours("mainwaring1997/fig9", &rows), [Some(2.5)]);
    }

    /// Wrong if a tie counted as lower.
    #[test]
    fn ties_are_not_lower() {
        let ratios = |ratios: [f64; 4]| ratios.map(|ratio| at(OVER_H1, "UD_DFS2", ratio, ratio));
        assert_eq!(ours("sancho2000/fig3a", &ratios([0.9, 0.996, 1.004, 1.02])), [Some(25.0)]);
        assert_eq!(ours("sancho2000/fig3a", &ratios([0.9, 0.8, 0.98, 0.95])), [Some(100.0)]);
        assert_eq!(ours("sancho2000/fig3a", &[]), []);
    }

    /// Wrong if two times that tie were in an order.
    #[test]
    fn times_that_tie_are_in_no_order() {
        let cell = |ring: &str, topology: char, size: u32, ms: f64| {
            Row::ours(
                &format!("all-gather time {ring}"),
                &format!("topology ({topology}); {size} KB"),
                "ms",
                Some(ms),
            )
        };
        let sizes = [(32, 47.82), (48, 69.2), (64, 94.4), (96, 178.3), (128, 240.0)];
        let rows: Vec<Row> = sizes
            .into_iter()
            .flat_map(|(size, four)| {
                let two = if size < 96 { four * 0.998 } else { four * 0.9 };
                let cells =
                    [("LR1 (4-hop)", 'd', four), ("LR2 (2-hop)", 'd', two), ("LR1 (1-hop)", 'a', two / 2.0)];
                cells.map(|(ring, topology, ms)| cell(ring, topology, size, ms))
            })
            .collect();
        assert_eq!(ours("faraj2008/table1", &rows)[5..], [Some(2.0), Some(5.0)]);
    }
}
