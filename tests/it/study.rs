//! Studies: cells are ordinary mappings, and what they come to together is what they come to alone.

use serde_json::{Value, json};
use simnet::scenario::study::Cell;
use simnet::scenario::{Checked, Overrides, read};
use simnet::simulation::{self, Run};

fn checked(text: &str) -> Checked {
    read("s.toml", text.as_bytes(), &Overrides::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

fn run(checked: &Checked) -> Run {
    simulation::run(checked, &(), None).unwrap()
}

fn summary(checked: &Checked) -> Value {
    serde_json::to_value(&run(checked).summary).unwrap()
}

const HEAD: &str = "[scenario]\nname = 's'\nseed = 4\n[topology.random-regular]\nswitches = 6\ndegree = 3\n\
                    hosts-per-switch = 2\n[mapping]\nmapper = 'h0'\n";

/// Wrong if a cell ran otherwise than the same mapping in a scenario of its own, or in another order.
#[test]
fn cells_are_ordinary_mappings() {
    let study = checked(&format!(
        "{HEAD}retries = 1\njitter = '1 %'\nruns = 2\n[study]\ninstances = 2\nanswering = [3, 12]\n\
         [[study.variants]]\nname = 'a'\n[[study.variants]]\nname = 'b'\nalgorithm = 'guarded'\nretries = 0\n"
    ));
    let told = summary(&study);
    let alone = Checked { study: None, ..study.clone() };
    let asked = study.study.as_ref().unwrap();
    let cells = asked.cells();
    assert_eq!(cells.len(), 2 * 2 * 2);
    for cell in cells {
        let Cell { network, variant, answering, .. } = cell;
        let at = &told["study"]["networks"][&asked.networks[network].name][&asked.names[variant]];
        let at = &at[answering.unwrap()];
        let own = summary(&alone.cell(asked, cell));
        assert_eq!(own["maps"]["time_ms"], at["time_ms"], "{cell:?}");
        assert_eq!(own["maps"]["sent"], at["sent"], "{cell:?}");
        assert_eq!(own["maps"]["right_and_sure"], at["right_and_sure"], "{cell:?}");
        assert_eq!(
            (at["runs"].as_u64(), at["answering"].as_u64()),
            (Some(2), [Some(3), Some(12)][answering.unwrap()])
        );
    }
    let [a, b] = ["a", "b"].map(|name| &told["study"]["networks"][&asked.networks[0].name][name][1]);
    assert_eq!((&a["right_and_sure"], &b["right_and_sure"]), (&json!(2), &json!(2)), "{told}");
    assert!(a["time_ms"]["min"].as_f64() < a["time_ms"]["max"].as_f64(), "jitter varies with the seed");
}

/// Wrong if variants did not take over what `[mapping]` gives, or took options of another algorithm.
#[test]
fn variants_inherit_what_they_do_not_give() {
    let study = checked(&format!(
        "{HEAD}probe-timeout = '3 ms'\nexplorations = 77\n[mapping.guarded]\nburst = 4\n\
         [[study.variants]]\nname = 'a'\nprobe-timeout = '2 ms'\nalgorithm = 'myricom'\n\
         [[study.variants]]\nname = 'b'\nalgorithm = 'guarded'\n"
    ));
    let variants = &study.study.as_ref().unwrap().networks[0].variants;
    assert_eq!(variants[0].brief.timeout.as_ms_f64().to_bits(), 2.0_f64.to_bits());
    assert_eq!(variants[1].brief.timeout.as_ms_f64().to_bits(), 3.0_f64.to_bits());
    assert!(variants.iter().all(|variant| variant.brief.explorations == 77));
    assert!(format!("{:?}", variants[1].algorithm).contains("burst: 4"));
    assert_eq!(variants[0].algorithm.name(), "myricom");
}

/// Wrong if a printed number stood beside another quantity, or its deviation were reckoned otherwise.
#[test]
fn printed_numbers_stand_beside_ours() {
    let head = "[scenario]\nname = 's'\n[topology]\npreset = 'now-c'\n[mapping]\nmapper = 'c-util'\n[study]\n\
                networks = [{ preset = 'now-ca' }]\n[[study.variants]]\nname = 'b'\nmodel = 'packet'\n\
                [[study.variants]]\nname = 'm'\nmodel = 'circuit'\nalgorithm = 'myricom'\n";
    let reference = |figure: &str, quantity: &str, configuration: &str, rest: &str| {
        format!(
            "[[study.references]]\npaper = '000'\nfigure = '{figure}'\nquantity = '{quantity}'\n\
             configuration = '{configuration}'\n{rest}\n"
        )
    };
    let references = [
        reference("Fig3", "switches", "A", "ours = 'switches'\nnetwork = 'now-ca'\nminus = 'now-c'"),
        reference("Fig10", "Myricom compare probes", "C", "ours = 'sent-compare'\nvariant = 'm'"),
        reference(
            "5.4",
            "Myricom/Berkeley message ratio (text)",
            "C",
            "ours = 'probes'\nvariant = 'm'\nover = 'b'",
        ),
    ];
    let study = checked(&format!("{head}{}", references.concat()));
    let told = summary(&study);
    let rows = told["study"]["paper"].as_array().unwrap();
    assert_eq!((rows[0]["ours"].as_f64(), rows[0]["printed"].as_f64()), (Some(13.0), Some(13.0)));
    let at = |variant: &str, key: &str| {
        told["study"]["networks"]["now-c"][variant][0][key]["mean"].as_f64().unwrap()
    };
    let (ours, printed) = (rows[1]["ours"].as_f64().unwrap(), 450.0);
    let deviation = rows[1]["deviation_percent"].as_f64().unwrap();
    assert!((deviation - (ours / printed - 1.0) * 100.0).abs() < 1e-9 && ours > 300.0, "{ours} {deviation}");
    let ratio = rows[2]["ours"].as_f64().unwrap();
    assert!((ratio - at("m", "probes") / at("b", "probes")).abs() < 1e-12, "{ratio}");
    assert!(at("m", "sent") >= at("m", "probes") && at("b", "sent") > at("b", "probes"));
}

/// Wrong if the files of a study lacked a header, a row a cell, or a figure that was asked for.
#[test]
fn a_study_leaves_tables_figures_and_a_page() {
    let study = checked(&format!(
        "{HEAD}runs = 2\n[study]\nanswering = [1, 6, 12]\ndraw-maps = true\n[[study.variants]]\nname = 'a'\n\
         [[study.figures]]\nname = 'time'\nx = 'answering'\nspread = true\n\
         [[study.figures]]\nname = 'growth'\nx = 'explorations'\n"
    ));
    let run = run(&study);
    let file = |name: &str| {
        let found = run.files.iter().find(|(own, _)| own == name);
        found.map(|(_, text)| text.as_str()).unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(file("mappings.csv").lines().count(), 1 + 3);
    assert_eq!(file("runs.csv").lines().count(), 1 + 6);
    assert!(file("growth.csv").lines().count() > 6);
    for figure in ["time.svg", "growth.svg"] {
        assert!(file(figure).starts_with("<svg"), "{figure}");
    }
    assert!(run.files.iter().any(|(name, text)| name.starts_with("map-") && text.contains("<svg")));
    let page = file("README.md");
    assert!(page.contains("`time.svg`") && page.contains("| a | 6 |"), "{page}");
    assert!(file("time.svg").contains("least") && file("time.svg").contains("greatest"));
}

/// Wrong if the quick form of a study ran more than the ends of its axes.
#[test]
fn the_quick_form_keeps_the_ends_of_axes() {
    let study = checked(&format!(
        "{HEAD}runs = 9\n[study]\ninstances = 5\nanswering = [1, 2, 3, 12]\nretries = [0, 1, 2]\n\
         [[study.variants]]\nname = 'a'\n"
    ));
    let quick = study.quick().study.unwrap();
    assert_eq!((quick.networks.len(), &quick.answering, &quick.retries), (2, &vec![1, 12], &vec![0, 2]));
    assert_eq!(quick.networks[0].variants[0].runs, 2);
}
