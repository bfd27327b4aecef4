//! What pages of results and reasons of rules quote stands in the paper, word for word; needs the papers' texts.

use std::fs;
use std::path::{Path, PathBuf};

use simnet::papers::stated_tolerances;
use support_network::shared;

/// The folders of the papers with a full text, in the order of their numbers.
const PAPERS: [&str; 5] = ["mainwaring1997", "faraj2008", "hendriks2004", "lawrence2008", "sancho2000"];

/// Returns the letters, digits and signs of a text in lower case, without blanks, hyphens and the marks of Markdown and
/// TeX: lines are broken, and words divided, at other places.
fn plain(text: &str) -> String {
    let is_left_out = |letter: &char| letter.is_whitespace() || "-*$\\_{}".contains(*letter);
    text.chars().filter(|letter| !is_left_out(letter)).flat_map(char::to_lowercase).collect()
}

/// Returns what stands in double quotes, code aside.
fn quotations(text: &str) -> Vec<String> {
    let words: String = text.split('`').step_by(2).collect();
    assert_eq!(words.matches('"').count() % 2, 0, "a quotation without an end: {text}");
    words.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns whether a plain text has a quotation; a sign at its end may be ours.
fn has(plain_text: &str, quotation: &str) -> bool {
    plain_text.contains(plain(quotation).trim_end_matches(['.', ',', ';', ':']))
}

/// Returns the text of a paper, by its number; none where the texts are not at hand.
fn paper(number: usize) -> Option<String> {
    let files = fs::read_dir(shared("papers")?).unwrap().map(|entry| entry.unwrap().path());
    let is_text = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(&format!("{number:03}_")) && name.ends_with(".txt")
    };
    Some(fs::read_to_string(files.into_iter().find(is_text)?).unwrap())
}

/// Returns the pages of a paper and the reasons of its rules, by names for people.
fn texts(name: &str) -> Vec<(String, String)> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(name);
    let folders = fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path().join("README.md"));
    let pages = folders.map(|page| (page.display().to_string(), fs::read_to_string(&page).unwrap()));
    let rules = stated_tolerances(name).into_iter();
    pages.chain(rules.map(|line| (format!("{name}: {:?}", line.names), line.tolerance.why))).collect()
}

/// Wrong if a page or a reason put words into a paper's mouth.
#[test]
fn quotations_stand_in_the_paper() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (number, name) in PAPERS.iter().enumerate() {
        let Some(text) = paper(number).map(|text| plain(&text)) else { return };
        for (place, own) in texts(name) {
            let quoted = quotations(&own);
            count += quoted.len();
            wrong.extend(
                quoted.into_iter().filter(|words| !has(&text, words)).map(|words| (place.clone(), words)),
            );
        }
    }
    assert!(wrong.is_empty(), "not in the paper's text: {wrong:#?}");
    assert!(count > 50, "{count} quotations");
}

/// Wrong if a quotation were missed, code were taken for one, or another word were found in a text.
#[test]
fn quotations_are_recognized_and_words_compared() {
    let page = "It says \"port\naddresses\" and `\"code\"`, then \"16 *ms*.\"";
    assert_eq!(quotations(page), ["port\naddresses", "16 *ms*."]);
    let text = plain("relative port ad-\n\ndresses, in $16$ _ms_");
    assert!(quotations(page).iter().all(|words| has(&text, words)));
    assert!(!has(&text, "absolute port addresses") && !has(&text, "17 ms"));
}
