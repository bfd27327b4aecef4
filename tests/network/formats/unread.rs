//! Formats that are known and not read: named, with a way out.

use simnet_network::topology::formats::{Format, ReadOptions, read};

use support_network::shared;

fn refusal(text: &str, from: Option<Format>) -> String {
    read("net", text.as_bytes(), &ReadOptions { from, ..ReadOptions::default() }).unwrap_err().to_string()
}

/// Wrong if a file were refused for what it is not, or without saying what it is.
#[test]
fn formats_that_are_not_read_are_named() {
    let simgrid = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
                   <platform version=\"4.1\">\n</platform>\n";
    let netloc = "2\n0002:c903:0000:0001,4,1,,spine,spine\n0002:c903:0000:0002,5,0,,n1 mlx5_0,n1\n";
    for (text, what) in [
        (simgrid, "a platform of SimGrid"),
        (netloc, "what netloc_ib_extract_dats of hwloc makes"),
        ("TOPSYSTEM Lion\n\nNODE SW 8 MT43132 U1\n  1 -> P1\n", "a description of a system for ibdm"),
    ] {
        let refused = refusal(text, None);
        assert!(refused.starts_with("error[format-not-read]: this is "), "{refused}");
        assert!(refused.contains(what) && refused.contains("help: "), "{what}: {refused}");
        assert!(!refusal(text, Some(Format::Json)).contains("format-not-read"), "--from has its way");
    }
}

/// Wrong if a file of a format that is read were taken for one of these.
#[test]
fn formats_that_are_read_are_not_refused_so() {
    let anynet = "router 0 node 0 router 1\nrouter 1 node 1\n";
    let slurm = "SwitchName=s0 Nodes=n[0-3]\n  # indented -> remark of four words\n";
    for text in [anynet, slurm, "{\"format\": \"simnet-topology/1\"", "x", "a b\n c d e f g\n"] {
        let outcome = read("net", text.as_bytes(), &ReadOptions::default());
        assert!(outcome.is_ok() || !outcome.unwrap_err().to_string().contains("format-not-read"), "{text}");
    }
}

/// Wrong if a real file were not recognised.
#[test]
fn real_files_are_named() {
    let Some(folder) = shared("topologies") else { return };
    let text = std::fs::read_to_string(folder.join("simgrid/griffon.xml")).unwrap();
    assert!(refusal(&text, None).contains("a platform of SimGrid"));
}
