//! A tree of switches as indented text.

use std::fmt::Write as _;

use simnet_base::diagnostics::quoted;
use simnet_network::discovery::SwitchTree;

/// The columns that lists of machines fill.
const COLUMNS: usize = 100;
/// The deepest switch that is drawn further in than the one above it.
const DEEPEST: usize = 24;

/// Draws a tree from one of its middle switches; `switches` and `machines` are their names.
///
/// Costs O(switches + machines).
pub(super) fn draw(tree: &SwitchTree, switches: &[String], machines: &[String]) -> String {
    let near = tree.neighbours();
    let mut at_home = vec![Vec::new(); tree.switches as usize];
    for (machine, home) in tree.homes.iter().enumerate() {
        at_home[*home as usize].push(quoted(&machines[machine]));
    }
    let mut text = String::new();
    let mut open = vec![(middle(&near), None, 0)];
    while let Some((switch, above, depth)) = open.pop() {
        let indent = "  ".repeat(depth.min(DEEPEST) + 1);
        let level = if depth > DEEPEST { format!(" (level {depth})") } else { String::new() };
        writeln!(text, "{indent}{}{level}", quoted(&switches[switch as usize])).expect("a String takes all");
        list(&mut text, &format!("{indent}    "), &at_home[switch as usize]);
        let below = near[switch as usize].iter().rev().filter(|next| Some(**next) != above);
        open.extend(below.map(|next| (*next, Some(switch), depth + 1)));
    }
    text
}

/// Names, as many a line as fit.
fn list(text: &mut String, indent: &str, names: &[String]) {
    let mut column = 0;
    for name in names {
        let width = name.chars().count() + 1;
        if column == 0 || column + width > COLUMNS {
            text.push_str(if column == 0 { "" } else { "\n" });
            text.push_str(indent);
            column = indent.len();
        } else {
            text.push(' ');
        }
        text.push_str(name);
        column += width;
    }
    if column > 0 {
        text.push('\n');
    }
}

/// The first of the switches from which the farthest is nearest: leaves are taken off, all at a time, until one or two
/// switches are left.
fn middle(near: &[Vec<u32>]) -> u32 {
    let mut degree: Vec<usize> = near.iter().map(Vec::len).collect();
    let numbers = 0..u32::try_from(near.len()).unwrap_or(u32::MAX);
    let mut left = near.len();
    let mut outer: Vec<u32> = numbers.filter(|switch| degree[*switch as usize] <= 1).collect();
    while left > 2 {
        left -= outer.len();
        let mut next = Vec::new();
        for switch in outer {
            for inner in &near[switch as usize] {
                degree[*inner as usize] -= 1;
                if degree[*inner as usize] == 1 {
                    next.push(*inner);
                }
            }
        }
        outer = next;
    }
    outer.into_iter().min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(homes: &[u32], links: &[(u32, u32)]) -> String {
        let switches = u32::try_from(links.len()).unwrap() + 1;
        let tree = SwitchTree { homes: homes.to_vec(), switches, links: links.to_vec() };
        let names =
            |letter: &str, count: usize| (0..count).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
        draw(&tree, &names("s", switches as usize), &names("n", homes.len()))
    }

    /// Wrong if a switch or a machine were missing or drawn below another, or a tree were drawn from its end.
    #[test]
    fn trees_are_drawn_from_the_middle() {
        assert_eq!(drawn(&[0], &[]), "  s0\n      n0\n");
        let chain = "  s1\n      n2\n    s0\n        n0 n1\n    s2\n        n3\n";
        assert_eq!(drawn(&[0, 0, 1, 2], &[(0, 1), (1, 2)]), chain);
        let empty_hub = "  s3\n    s0\n        n0\n    s1\n        n1\n    s2\n        n2\n";
        assert_eq!(drawn(&[0, 1, 2], &[(3, 0), (3, 1), (3, 2)]), empty_hub);
    }

    /// Wrong if a deep tree took more text than it has switches, or a long list one line.
    #[test]
    fn drawings_stay_narrow() {
        let links: Vec<(u32, u32)> = (1..2_000).map(|n| (n - 1, n)).collect();
        let text = drawn(&[0, 1_999], &links);
        assert!(text.lines().count() == 2_002 && text.lines().all(|line| line.len() < 80));
        assert!(text.contains("s1999 (level 1000)"), "{text}");
        let text = drawn(&[0; 200], &[]);
        assert!(text.lines().count() > 7 && text.lines().all(|line| line.len() <= 100), "{text}");
        assert_eq!(text.split_whitespace().count(), 201);
    }
}
