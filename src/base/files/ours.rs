//! By what a file that simnet wrote is known: its first bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::open::open;

/// How much of a file is looked at, in bytes.
const LOOKED_AT: u64 = 4 << 10;

/// How a kind of file begins, and what stands in it soon after.
struct Beginning {
    first: &'static str,
    soon: &'static [&'static str],
}

/// Every kind of file that is written to a place a user names.
const BEGINNINGS: [Beginning; 18] = [
    // Networks and maps.
    Beginning { first: "{", soon: &["\"simnet-topology/"] },
    Beginning { first: "format = \"simnet-topology/", soon: &[] },
    Beginning { first: "#\n# Topology file: written by simnet", soon: &[] },
    Beginning { first: "graph ", soon: &[" {\n  node [shape=box];\n"] },
    // Routes.
    Beginning { first: "{", soon: &["\"src\":", "\"dst\":", "\"turns\":"] },
    Beginning { first: "{\"format\": \"simnet-certificate/", soon: &[] },
    // Tables for a subnet manager.
    Beginning { first: "# Written by simnet: ", soon: &["\n"] },
    // Drawings and reports.
    Beginning { first: "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", soon: &["role=\"img\""] },
    Beginning { first: "<!DOCTYPE html>", soon: &["<meta name=\"generator\" content=\"simnet "] },
    // Events, as log, NDJSON, CSV, Perfetto and pcapng.
    Beginning { first: "{\"scene\":\"", soon: &["\"time_ns\":"] },
    Beginning { first: "{\"point\":", soon: &["\"time_ns\":", "\"event\":"] },
    Beginning { first: "scene,nth,point,time_ns,event,", soon: &[] },
    Beginning { first: "\n", soon: &["simnet: ", "Simulated time"] },
    // A sweep's own files.
    Beginning { first: "{", soon: &["\"format\": \"simnet-sweep/"] },
    Beginning { first: "{", soon: &["\"version\": \"", "\"commit\": \"", "\"plan_hash\": \""] },
    Beginning { first: "point,key,", soon: &[] },
    Beginning { first: "#!/bin/sh\n# What `simnet sweep run ", soon: &[] },
    // The index of figures.
    Beginning { first: "<!-- Written by simnet figures; changes by hand are lost. -->\n", soon: &[] },
];

/// The same of files that are no text.
const BINARY: [(&[u8], &[u8]); 3] =
    [(b"\x89simlog\n", b""), (b"\x0a\x0d\x0d\x0a", b"\x04\x00\x06\x00simnet"), (b"PAR1", b"")];

/// Whether a file begins as one that simnet writes; what is no regular file does not.
///
/// # Errors
/// What the system says.
pub fn begins_like_ours(path: &Path) -> io::Result<bool> {
    let first = first_bytes(&open(path)?)?;
    let text = String::from_utf8_lossy(&first);
    let fits =
        |kind: &Beginning| text.starts_with(kind.first) && kind.soon.iter().all(|words| text.contains(words));
    let fits_bytes = |(head, soon): &(&[u8], &[u8])| {
        first.starts_with(head) && (soon.is_empty() || first.windows(soon.len()).any(|part| part == *soon))
    };
    Ok(BEGINNINGS.iter().any(fits) || BINARY.iter().any(fits_bytes) || is_gm(&text))
}

fn first_bytes(file: &File) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut first)?;
    Ok(first)
}

/// Whether a text begins as a map or the routes of Myricom's GM, which has no room for a name: two counts, then a node.
fn is_gm(text: &str) -> bool {
    let mut lines = text.lines();
    let counts = lines.next().is_some_and(|line| {
        let mut words = line.split(' ');
        let both = [words.next(), words.next()];
        words.next().is_none() && both.iter().all(|word| word.is_some_and(|word| word.parse::<u32>().is_ok()))
    });
    let node = |line: &str| ["s ", "h - \"", "\""].iter().any(|begin| line.starts_with(begin));
    counts && lines.next().is_some_and(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a user's file were taken for one of ours because it looks a little like one.
    #[test]
    fn what_others_wrote_is_not_ours() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("f");
        for text in [
            "dear diary",
            "{\"name\": \"my web app\", \"version\": \"1\"}",
            "<!DOCTYPE html><html><body>simnet</body></html>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\"/>",
            "graph \"g\" { a -- b }",
            "\nsimnet: a page",
            "36 13\nsome table",
            "36 13 4\ns 8",
            "\u{a}\r\r\nno capture of ours",
            "point,keys\n1,2\n",
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(!begins_like_ours(&path).unwrap(), "{text}");
        }
    }
}
