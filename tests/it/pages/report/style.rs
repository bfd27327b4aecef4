//! The colours can be read, in the light and in the dark.

use std::collections::BTreeMap;
use std::fs;

/// The variables of the block that begins with `head`, by name.
fn variables(css: &str, head: &str) -> BTreeMap<String, String> {
    let start = css.find(head).unwrap_or_else(|| panic!("no {head}")) + head.len();
    let block = &css[start..start + css[start..].find('}').unwrap()];
    let pairs = block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

/// The relative luminance of `#rrggbb`, by the Web Content Accessibility Guidelines 2.
fn luminance(colour: &str) -> f64 {
    let parts = [1, 3, 5].map(|at| u8::from_str_radix(&colour[at..at + 2], 16).unwrap());
    let linear = parts.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Wrong if a text could not be read on its ground, or the dark colours depended on how dark was chosen.
#[test]
fn texts_have_contrast_in_both_themes() {
    let css = fs::read_to_string(super::root().join("src/output/page/assets/page.css")).unwrap();
    let light = variables(&css, ":root {\n  color-scheme: light;");
    let dark = variables(&css, ":root[data-theme=\"dark\"] {");
    assert_eq!(dark, variables(&css, ":root:not([data-theme=\"light\"]) {"));
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    for theme in [&light, &dark] {
        for text in ["ink", "soft", "accent", "good", "bad", "warn"] {
            for ground in ["paper", "raised"] {
                let contrast = contrast(&theme[text], &theme[ground]);
                assert!(contrast >= 4.5, "--{text} on --{ground}: {contrast:.2}");
            }
        }
        let colours: Vec<&String> = (1..=8).map(|nth| &theme[&format!("c{nth}")]).collect();
        assert!(colours.iter().all(|colour| colour.starts_with('#')));
    }
}

/// Wrong if motion could not be switched off, focus could not be seen, or paper got the screen's controls.
#[test]
fn wishes_about_motion_and_paper_are_honoured() {
    let css = fs::read_to_string(super::root().join("src/output/page/assets/page.css")).unwrap();
    for rule in [
        "prefers-reduced-motion: reduce",
        ":focus-visible { outline",
        "@media print",
        "prefers-color-scheme: dark",
    ] {
        assert!(css.contains(rule), "{rule}");
    }
}
