//! The sentences that stand in the sources: text in quotes, cut where a value comes in.

use std::fs;
use std::path::Path;

/// Files with the part of each that makes sentences: from the first text to the second.
const PARTS: [(&str, &str, &str); 6] = [
    ("src/cli/run/closing.rs", "\nfn map(", "\n/// Where the files are"),
    ("src/cli/run/limits.rs", "\npub(super) fn next(", ""),
    ("src/cli/run/compared.rs", "\npub(super) fn rows(", ""),
    ("src/cli/run/sweep.rs", "\nfn rows_next(", "\n}\n"),
    ("src/running/simulation/reason.rs", "\nimpl fmt::Display for Reason", "\n}\n"),
    ("src/output/page/summary/points.rs", "\nconst LOSSES", "];\n"),
];

/// The grades of a page's notices.
const GRADES: [&str; 4] = ["Grade::Good", "Grade::Sure", "Grade::Warn", "Grade::Bad"];

/// Every sentence with its file: texts of more than one word, without what surrounds their words.
pub(super) fn sentences(root: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut take = |file: &str, text: &str| {
        let pieces = quoted(text).into_iter().flat_map(|words| pieces(&words));
        all.extend(pieces.map(|piece| (file.to_owned(), piece)));
    };
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    for (file, from, to) in PARTS {
        let text = read(file);
        let start = text.find(from).unwrap_or_else(|| panic!("{file} has no {from:?}")) + from.len();
        let rest = &text[start..];
        let end = if to.is_empty() { rest.len() } else { rest.find(to).unwrap() };
        take(file, &rest[..end]);
    }
    let folder = "src/output/page/summary";
    let files = fs::read_dir(root.join(folder)).unwrap();
    let files = files.map(|file| format!("{folder}/{}", file.unwrap().file_name().to_str().unwrap()));
    for file in files.chain(["src/output/page/sweep.rs".to_owned()]) {
        let text = read(&file);
        for (at, _) in text.match_indices("Grade::") {
            let rest = &text[at..];
            assert!(GRADES.iter().any(|grade| rest.starts_with(grade)), "{file}: {}", &rest[..40]);
            let said = within(rest);
            assert!(!quoted(said).is_empty(), "{file}: a notice says its words beside its grade: {said}");
            take(&file, said);
        }
    }
    all
}

/// A text up to the end of the bracket that it stands in.
fn within(text: &str) -> &str {
    let (mut depth, mut in_quotes, mut escaped) = (0_usize, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = in_quotes,
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' if depth == 0 => return &text[..at],
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Texts in quotes, without line ends and escapes; comments are passed over.
fn quoted(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let (mut found, mut letters) = (Vec::new(), text.chars().peekable());
    while let Some(letter) = letters.next() {
        if letter != '"' {
            continue;
        }
        let mut words = String::new();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => break,
                '\\' if letters.peek() == Some(&'\n') => {
                    while letters.peek().is_some_and(|next| next.is_whitespace()) {
                        letters.next();
                    }
                }
                '\\' => words.extend(letters.next()),
                other => words.push(other),
            }
        }
        found.push(words);
    }
    found
}

/// The pieces of a text between the values that come in; those of one word say nothing alone.
fn pieces(words: &str) -> Vec<String> {
    let parts = words.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let parts = parts.map(|part| part.trim_matches(|c: char| c.is_whitespace() || ".,;:()".contains(c)));
    parts.filter(|part| part.contains(' ')).map(str::to_owned).collect()
}
