//! What `simnet discover` says.

use std::iter::repeat;

use crate::cli::output::Table;
use serde::Serialize;
use serde_json::{Value, json};
use simnet_base::numbers::fixed;

use simnet_base::diagnostics::{legible, quoted, shown};
use simnet_base::units::Duration;
use simnet_network::discovery::{
    Class, Discovery, Finding, Hops, Nearest, Rival, Rtts, Sturdy, SturdyOptions, SwitchTree, sturdy_beside,
};
use simnet_network::topology::Network;
use simnet_network::topology::formats::{self, Format as FileFormat};

use super::Options;
use super::arguments::{Method, Plan};
use super::drawing::draw;
use crate::cli::Failure;
use crate::cli::output::columns;

/// The other method is asked as well where that takes no time: for up to so many machines ...
const CROSS_CHECKED: usize = 64;
/// ... that seem so many switches apart at most.
const CROSS_CHECKED_HOPS: u32 = 16;
/// The most pairs of machines that are listed; their whole number is printed too.
const PAIRS: usize = 1_000;
/// Names that a line lists, at most.
const NAMES: usize = 12;

/// What was inferred, and remarks on it.
pub(super) struct Report<'a> {
    options: &'a Options,
    rtts: &'a Rtts,
    method: Method,
    found: &'a Discovery,
    /// What the sturdy method says, where it was asked.
    sturdy: Option<Sturdy>,
    /// Of the requested method, or the nearest to its hop counts.
    tree: SwitchTree,
    network: Network,
    findings: Vec<Remark>,
}

/// Something that the user should know.
#[derive(Serialize)]
struct Remark {
    code: &'static str,
    /// The method that found it.
    method: &'static str,
    text: String,
    machines: Vec<String>,
}

#[derive(Serialize)]
struct ClassReport {
    low_ms: f64,
    high_ms: f64,
    center_ms: f64,
    /// Of both directions.
    count: u64,
    hops: u32,
}

impl<'a> Report<'a> {
    /// Gathers what there is to say, and asks the other method where that does not take long.
    ///
    /// # Errors
    /// [`Failure::Scenario`] if the tree is no network.
    pub(super) fn new(
        options: &'a Options,
        rtts: &'a Rtts,
        plan: &Plan,
        found: &'a Discovery,
    ) -> Result<Report<'a>, Failure> {
        let farthest = found.counted.classes.iter().map(|class| class.hops).max().unwrap_or(0);
        let is_quick = rtts.machines() <= CROSS_CHECKED && farthest <= CROSS_CHECKED_HOPS;
        let is_asked = plan.method == Method::Sturdy || is_quick;
        let beside = found.tree.as_ref().map_or(&[][..], std::slice::from_ref);
        let step = SturdyOptions { step: plan.options.step };
        let other = is_asked.then(|| sturdy_beside(rtts, &step, beside));
        let tree = match (plan.method, &other, &found.tree, &found.nearest) {
            // Times that are not those of any place, and hop counts of no tree: the nearest to the hop counts is shown.
            (Method::Sturdy, Some(sturdy), Err(_), Some(nearest)) if sturdy.has_misfits => {
                nearest.tree.clone()
            }
            (Method::Sturdy, Some(sturdy), ..) => sturdy.tree.clone(),
            (_, _, Ok(tree), _) => tree.clone(),
            (.., Some(nearest)) => nearest.tree.clone(),
            (.., Err(_), None) => return Err(Failure::Scenario("no tree comes near these times".to_owned())),
        };
        let network = options.network(&tree, rtts)?;
        let mut report = Report {
            options,
            rtts,
            method: plan.method,
            found,
            sturdy: other,
            tree,
            network,
            findings: Vec::new(),
        };
        report.findings = report.remarks();
        Ok(report)
    }

    /// Returns whether there is one tree, and no other that fits nearly as well.
    pub(super) fn is_settled(&self) -> bool {
        self.fits() && self.rival().is_none()
    }

    /// Returns whether a tree fits: with the paper's method, has the hop counts; with the sturdy one, leaves no time
    /// that is of no place.
    fn fits(&self) -> bool {
        let is_robust =
            self.method == Method::Sturdy && !self.sturdy.as_ref().is_some_and(|sturdy| sturdy.has_misfits);
        is_robust || self.found.tree.is_ok()
    }

    /// The other tree that fits nearly as well.
    fn rival(&self) -> Option<&Rival> {
        let sturdy = self.sturdy.as_ref().filter(|_| self.method == Method::Sturdy && self.fits())?;
        sturdy.doubt()
    }

    /// By switch of the tree how sure it is, in thousandths, where that was computed.
    fn confidence(&self) -> Option<&[u32]> {
        let sturdy = self.sturdy.as_ref().filter(|_| self.method == Method::Sturdy && self.fits())?;
        Some(&*sturdy.confidence).filter(|all| !all.is_empty())
    }

    /// Why none has, if that is so.
    fn reason(&self) -> Option<String> {
        let why = self.found.tree.as_ref().err().filter(|_| !self.fits())?;
        Some(why.describe(self.rtts.names()))
    }

    /// The tree, or the nearest one.
    pub(super) fn best(&self) -> &Network {
        &self.network
    }

    /// The hop counts of the requested method, and the times of each.
    fn hops(&self) -> (&Hops, &[Class]) {
        match &self.sturdy {
            Some(sturdy) if self.method == Method::Sturdy && self.fits() => (&sturdy.hops, &sturdy.classes),
            _ => (&self.found.counted.hops, &self.found.counted.classes),
        }
    }

    /// The pairs for which the two methods have different hop counts; `None` where only one was asked.
    fn differing(&self) -> Option<Vec<(usize, usize)>> {
        let sturdy = self.sturdy.as_ref()?;
        let paper = &self.found.counted.hops;
        let pairs = (0..paper.machines()).flat_map(|a| (a + 1..paper.machines()).map(move |b| (a, b)));
        Some(pairs.filter(|(a, b)| paper.between(*a, *b) != sturdy.hops.between(*a, *b)).collect())
    }

    fn names(&self, machines: &[usize]) -> Vec<String> {
        machines.iter().map(|machine| self.rtts.names()[*machine].clone()).collect()
    }

    /// The pairs' names, as many as are listed.
    fn pairs(&self, pairs: &[(usize, usize)]) -> Vec<[String; 2]> {
        let name = |machine: &usize| self.rtts.names()[*machine].clone();
        pairs.iter().take(PAIRS).map(|(a, b)| [name(a), name(b)]).collect()
    }

    fn remarks(&self) -> Vec<Remark> {
        let remark = |finding: &Finding, method: Method| Remark {
            code: finding.code(),
            method: method.name(),
            text: finding.describe(self.rtts.names()),
            machines: self.names(&finding.machines()),
        };
        let paper = self.found.findings.iter().map(|finding| remark(finding, Method::Paper));
        let sturdy = self.sturdy.iter().flat_map(|sturdy| &sturdy.findings);
        let sturdy = sturdy.map(|finding| remark(finding, Method::Sturdy));
        let mut remarks: Vec<Remark> = match self.method {
            Method::Paper => paper.chain(sturdy).collect(),
            Method::Sturdy if self.fits() => sturdy.collect(),
            Method::Sturdy => sturdy.chain(paper).collect(),
        };
        remarks.extend(self.rival().map(|rival| self.two_trees(rival)));
        remarks.extend(self.difference());
        remarks
    }

    /// That another tree fits nearly as well.
    fn two_trees(&self, rival: &Rival) -> Remark {
        let switches = rival.tree.switches;
        let how = match rival.share {
            Some(share) => format!(
                "fits nearly as well: of the likelihood of the two it has {} %",
                fixed(f64::from(share) / 1e4, 1)
            ),
            None => "leaves less than twice the squares of this one".to_owned(),
        };
        let many = if switches == 1 { "" } else { "es" };
        let text = format!("another tree, of {switches} switch{many}, {how}");
        Remark { code: "two-trees", method: self.method.name(), text, machines: Vec::new() }
    }

    /// What the other method says, if it is something else.
    fn difference(&self) -> Option<Remark> {
        let pairs = self.differing().filter(|pairs| !pairs.is_empty())?;
        let other = match self.method {
            Method::Paper => Method::Sturdy,
            Method::Sturdy => Method::Paper,
        };
        let mut machines: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        machines.sort_unstable();
        machines.dedup();
        let text = format!(
            "the two methods disagree about the hop counts of {}: `--method {}` gives the other tree",
            counted_pairs(pairs.len()),
            other.name()
        );
        let machines = self.names(&machines);
        Some(Remark { code: "methods-differ", method: self.method.name(), text, machines })
    }

    /// What should be looked at before the result is trusted.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(why) = self.reason() {
            let written = match &self.options.topology {
                Some(path) => format!("; {} has the nearest tree", shown(path)),
                None => String::new(),
            };
            warnings.push(
                legible(&format!("warning: no tree has these hop counts: {why}{written}")).into_owned(),
            );
        }
        let is_told = |remark: &&Remark| match self.method {
            Method::Paper => remark.code == "methods-differ",
            Method::Sturdy => remark.code == "two-trees",
        };
        let told = self.findings.iter().filter(is_told);
        warnings.extend(told.map(|remark| legible(&format!("warning: {}", remark.text)).into_owned()));
        warnings
    }

    /// The whole result as an object.
    pub(super) fn json(&self) -> Value {
        let asymmetric = &self.found.counted.asymmetric;
        json!({
            "machines": self.rtts.names(),
            "method": self.method.name(),
            "hop_counts": matrix(self.hops().0),
            "topology": self.fits().then(|| as_json(&self.network)),
            "other_topology": self.other_network().map(|network| as_json(&network)),
            "other_share": self.rival().and_then(|rival| rival.share).map(|share| f64::from(share) / 1e6),
            "confidence": self.confidence().map(shares),
            "switches": self.tree.switches,
            "classes": self.classes(),
            "asymmetric": self.pairs(asymmetric),
            "asymmetric_pairs": asymmetric.len(),
            "findings": self.findings,
            "no_tree": self.reason(),
            "nearest": self.nearest().map(|nearest| self.nearest_json(nearest)),
            "methods_agree": self.differing().map(|pairs| pairs.is_empty()),
            "sturdy": self.sturdy_json(),
        })
    }

    fn classes(&self) -> Vec<ClassReport> {
        let classes = self.hops().1.iter().map(|class| ClassReport {
            low_ms: class.low.as_ms_f64(),
            high_ms: class.high.as_ms_f64(),
            center_ms: class.center().as_ms_f64(),
            count: class.count,
            hops: class.hops,
        });
        classes.collect()
    }

    /// The other tree that fits nearly as well, as a network.
    fn other_network(&self) -> Option<Network> {
        self.options.network(&self.rival()?.tree, self.rtts).ok()
    }

    /// The nearest tree, where it is what there is.
    fn nearest(&self) -> Option<&Nearest> {
        self.found.nearest.as_ref().filter(|_| !self.fits())
    }

    fn nearest_json(&self, nearest: &Nearest) -> Value {
        json!({
            "topology": as_json(&self.network),
            "wrong": self.pairs(&nearest.wrong),
            "wrong_pairs": nearest.wrong.len(),
            "machines": self.names(&nearest.machines),
        })
    }

    /// What the sturdy method says, where it was requested or says something else.
    fn sturdy_json(&self) -> Option<Value> {
        let pairs = self.differing()?;
        let sturdy = self.sturdy.as_ref()?;
        if self.method == Method::Paper && pairs.is_empty() {
            return None;
        }
        let network = self.options.network(&sturdy.tree, self.rtts).ok()?;
        Some(json!({
            "hop_counts": matrix(&sturdy.hops),
            "topology": as_json(&network),
            "pairs_that_differ": pairs.len(),
            "step_us": as_us(sturdy.step),
            "base_us": as_us(sturdy.base),
            "spread_us": as_us(sturdy.spread),
        }))
    }

    /// The whole result for people.
    pub(super) fn human(&self) -> String {
        let mut text = columns(self.rows());
        text.push_str(&format!("\nClasses of times\n{}\n", self.class_table()));
        let switches: Vec<String> =
            self.network.switches().iter().map(|switch| switch.name.clone()).collect();
        let plural = if switches.len() == 1 { "" } else { "es" };
        let title = match self.nearest() {
            None => format!("Tree of {} switch{plural}", switches.len()),
            Some(nearest) => {
                let names = list(&self.names(&nearest.machines));
                let wrong = counted_pairs(nearest.wrong.len());
                format!(
                    "Nearest tree, of {} switch{plural}, but for {wrong}, all with one of {names}",
                    switches.len()
                )
            }
        };
        let sure = self.confidence().unwrap_or_default().iter().map(|sure| percent(*sure));
        let labels = switches.iter().zip(sure.map(Some).chain(repeat(None)));
        let label = |(name, sure): (&String, Option<String>)| match sure {
            Some(sure) => format!("{name} ({sure})"),
            None => name.clone(),
        };
        let labels: Vec<String> = labels.map(label).collect();
        text.push_str(&format!("\n{title}\n{}", draw(&self.tree, &labels, self.rtts.names())));
        if let (Some(rival), Some(network)) = (self.rival(), self.other_network()) {
            let names: Vec<String> = network.switches().iter().map(|switch| switch.name.clone()).collect();
            let other = draw(&rival.tree, &names, self.rtts.names());
            text.push_str(&format!("\nThe other tree that fits\n{other}"));
        }
        if !self.findings.is_empty() {
            text.push_str("\nFindings\n");
        }
        for remark in &self.findings {
            text.push_str(&format!("  {} ({}): {}\n", remark.code, remark.method, legible(&remark.text)));
        }
        text.push_str(&format!("\n{}", self.next()));
        text
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let machines = self.rtts.machines();
        let mut rows = vec![
            ("machines", machines.to_string()),
            ("round-trip times", (machines * (machines - 1)).to_string()),
            ("method", self.method.name().to_owned()),
        ];
        if let (Method::Sturdy, Some(sturdy)) = (self.method, &self.sturdy) {
            rows.push(("a switch adds", format!("{:.3} us", as_us(sturdy.step))));
            rows.push(("noise", format!("{:.3} us", as_us(sturdy.spread))));
            let least = self.confidence().into_iter().flatten().min();
            let least = least.map_or("not computed".to_owned(), |sure| format!("{} or more", percent(*sure)));
            rows.push(("each switch is sure to", least));
        }
        let agree = match self.differing() {
            None => "not asked, since it may take long".to_owned(),
            Some(pairs) if pairs.is_empty() => "has the same hop counts".to_owned(),
            Some(pairs) => format!("has other hop counts for {}", counted_pairs(pairs.len())),
        };
        rows.push(("the other method", agree));
        rows.extend(self.reason().map(|why| ("tree", format!("none: {}", legible(&why)))));
        rows
    }

    fn class_table(&self) -> String {
        let mut table = Table::new();
        table.add_row(["from, ms", "to, ms", "centre, ms", "times", "switches"]);
        for class in self.classes() {
            table.add_row([
                fixed(class.low_ms, 4),
                fixed(class.high_ms, 4),
                fixed(class.center_ms, 4),
                class.count.to_string(),
                class.hops.to_string(),
            ]);
        }
        table.trim_fmt()
    }

    /// What to do with it.
    fn next(&self) -> String {
        match &self.options.topology {
            _ if !self.is_settled() => {
                "Next: measure again, longer, or tell what is known: --rate, --known A,B=HOPS\n".to_owned()
            }
            None => "Next: --topology FILE writes the tree for simnet ring, run and codegen\n".to_owned(),
            Some(path) => {
                let file = quoted(&shown(path).to_string());
                format!(
                    "Next: simnet ring {file} --algorithm lr3\n      \
                     simnet codegen allgather {file} --algorithm lr3 --out DIR\n"
                )
            }
        }
    }
}

/// Thousandths as parts of one.
fn shares(all: &[u32]) -> Vec<f64> {
    all.iter().map(|sure| f64::from(*sure) / 1e3).collect()
}

/// Thousandths in percent.
fn percent(sure: u32) -> String {
    format!("{} %", fixed(f64::from(sure) / 10.0, 1))
}

fn as_json(network: &Network) -> Value {
    let text = formats::write(network, FileFormat::Json);
    serde_json::from_str(&text).expect("what is written is JSON")
}

fn matrix(hops: &Hops) -> Vec<&[u32]> {
    (0..hops.machines()).map(|machine| hops.row(machine)).collect()
}

fn as_us(time: Duration) -> f64 {
    time.as_ns_f64() / 1e3
}

fn counted_pairs(pairs: usize) -> String {
    format!("{pairs} pair{} of machines", if pairs == 1 { "" } else { "s" })
}

/// The first few of some names.
fn list(names: &[String]) -> String {
    let mut text = names.iter().take(NAMES).map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    if names.len() > NAMES {
        text.push_str(&format!(" and {} more", names.len() - NAMES));
    }
    text
}
