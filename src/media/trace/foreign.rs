//! What a file seems to be that is no event log.

/// First bytes that identify a file's format.
const MAGICS: [(&[u8], &str); 10] = [
    (b"\x0a\x0d\x0d\x0a", "it seems to be a pcapng capture"),
    (b"\xd4\xc3\xb2\xa1", "it seems to be a pcap capture"),
    (b"\xa1\xb2\xc3\xd4", "it seems to be a pcap capture"),
    (b"\x1f\x8b", "it seems to be compressed by gzip"),
    (b"\x28\xb5\x2f\xfd", "it seems to be compressed by zstd"),
    (b"\xfd7zXZ\x00", "it seems to be compressed by xz"),
    (b"PK\x03\x04", "it seems to be a zip archive"),
    (b"PAR1", "it seems to be a Parquet table"),
    (b"\x7fELF", "it seems to be a program"),
    (b"\x89PNG", "it seems to be a picture"),
];

/// In words, what a file with these first bytes seems to be.
pub(super) fn seems(first: &[u8]) -> String {
    if first.is_empty() {
        return "the file is empty".to_owned();
    }
    if let Some((_, name)) = MAGICS.iter().find(|(magic, _)| first.starts_with(magic)) {
        return (*name).to_owned();
    }
    let text = match str::from_utf8(first) {
        Ok(text) => text,
        // The end may lie within a character.
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&first[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return of_binary(first).to_owned(),
    };
    if text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
        return of_binary(first).to_owned();
    }
    of_text(text.trim_start_matches('\u{feff}').trim_start()).to_owned()
}

fn of_binary(first: &[u8]) -> &'static str {
    // A Perfetto trace is a sequence of packets: field 1, of some length.
    if first.starts_with(b"\x0a") {
        "it seems to be a Perfetto trace"
    } else {
        "it is of no kind that simnet knows"
    }
}

fn of_text(text: &str) -> &'static str {
    let line = text.lines().next().unwrap_or_default();
    if text.is_empty() {
        "the file is blank"
    } else if line.starts_with('{') && line.ends_with('}') && line.contains("\"event\"") {
        "it seems to be events as NDJSON already"
    } else if line.starts_with("scene,") && line.contains(",event,") {
        "it seems to be events as CSV already"
    } else if text.starts_with(['{', '[']) && (text.contains('"') || text.len() < 3) {
        // A table of TOML begins so, too.
        if text.starts_with('[') && line.ends_with(']') && !line.contains('"') {
            "it seems to be TOML, as scenarios are"
        } else {
            "it seems to be JSON"
        }
    } else if text.starts_with('<') {
        "it seems to be HTML or XML"
    } else if line.contains(" = ") || line.starts_with(['#', '[']) {
        "it seems to be TOML, as scenarios are"
    } else if line.contains(',') {
        "it seems to be a CSV table"
    } else {
        "it seems to be text"
    }
}
