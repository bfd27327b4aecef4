//! A `[sweep]` for a document: axes of its keys, in lock-step or alone, ranges, constraints, seeds.

use serde_json::Value as Json;

use crate::bad_input::schema_cases::chance::Chance;
use crate::bad_input::schema_cases::document::{Node, quoted};
use crate::bad_input::schema_cases::keys::Key;
use crate::bad_input::schema_cases::values::{Mood, strange, value};

/// What a sweep is made for.
pub(super) struct Grounds<'a> {
    pub(super) root: &'a Json,
    pub(super) keys: &'a [Key<'a>],
    pub(super) mood: Mood,
}

/// The sections that cannot vary.
const FIXED: [&str; 6] = ["include", "profile", "sweep", "expect", "scenario.name", "scenario.description"];

impl Grounds<'_> {
    /// Adds a sweep to a document.
    pub(super) fn add(&self, document: &mut Node, chance: &mut Chance) {
        let count = if self.mood == Mood::Mild { 1 + chance.below(2) } else { chance.below(4) };
        let mut names = Vec::new();
        let mut axes: Vec<Node> = (0..count).map(|_| self.axis(document, &mut names, chance)).collect();
        if self.mood == Mood::Mild {
            axes.retain(|axis| axis.size() > 0);
        }
        let sweep = document.child("sweep");
        match sweep.entries().iter_mut().find(|(key, _)| key == "axes") {
            Some((_, before)) if self.mood == Mood::Mild => before.items().extend(axes),
            _ => sweep.entries().push(("axes".to_owned(), Node::List(axes))),
        }
        if chance.of(1, 2) {
            let count = 1 + chance.below(2);
            let texts = (0..count).map(|_| Node::text(&self.constraint(&names, chance))).collect();
            sweep.entries().push(("constraints".to_owned(), Node::List(texts)));
        }
        if chance.of(1, 4) {
            let many = ["1", "2", "3", "1000000"];
            let text = if self.mood == Mood::Mild { chance.pick(&many[..3]) } else { self.count(chance) };
            sweep.entries().push(("repetitions".to_owned(), Node::Raw(text.to_owned())));
        } else if chance.of(1, 4) {
            let seeds = (0..1 + chance.below(3)).map(|nth| match self.mood {
                Mood::Mild => Node::Raw((7 * nth).to_string()),
                _ => Node::Raw(self.count(chance).to_owned()),
            });
            let seeds = Node::List(seeds.collect());
            sweep.entries().push(("seeds".to_owned(), seeds));
        }
        if chance.of(1, 6) {
            sweep.entries().push(("vary".to_owned(), self.vary(chance)));
        }
    }

    /// The parts that seeds vary: of a mild document traffic alone, which most draw.
    fn vary(&self, chance: &mut Chance) -> Node {
        let parts = ["traffic", "routing", "topology", "traffik"];
        match self.mood {
            Mood::Mild => Node::List(vec![Node::text(parts[0])]),
            _ => Node::List((0..chance.below(3)).map(|_| Node::text(chance.pick(&parts))).collect()),
        }
    }

    fn count(&self, chance: &mut Chance) -> &'static str {
        chance.pick(&["0", "1", "2", "-1", "1000000", "1000001", "18446744073709551615", "4294967295", "1.5"])
    }

    /// Keys that vary in lock-step; their names are added to `names`.
    fn axis(&self, document: &Node, names: &mut Vec<String>, chance: &mut Chance) -> Node {
        let mut axis = Node::table();
        let length = match self.mood {
            Mood::Mild => 1 + chance.below(2),
            Mood::Wild if chance.of(1, 12) => 0,
            _ => 1 + chance.below(4),
        };
        for _ in 0..1 + chance.below(2) + chance.below(2) {
            let Some(key) = self.key(document, chance) else { continue };
            if self.mood == Mood::Mild && names.contains(&key.path) {
                continue;
            }
            let is_uneven = self.mood > Mood::Mild && chance.of(1, 5);
            let length = if is_uneven { chance.below(6) } else { length };
            let values = self.values(key, length, chance);
            names.push(key.path.clone());
            if chance.of(1, 2) {
                axis.entries().push((key.path.clone(), values));
            } else {
                let mut at = &mut axis;
                for part in key.path.split('.') {
                    at = at.child(part);
                }
                *at = values;
            }
        }
        if self.mood == Mood::Wild && chance.of(1, 10) {
            axis.entries().push((strange(chance).to_owned(), Node::List(vec![Node::Raw("1".to_owned())])));
        }
        axis
    }

    /// A key that can vary, most often one that the document or its sections have.
    fn key(&self, document: &Node, chance: &mut Chance) -> Option<&Key<'_>> {
        let (mut own, mut sections) = (Vec::new(), Vec::new());
        document.visit("", &mut |path| own.push(path.to_owned()));
        if let Node::Table(entries) = document {
            sections.extend(entries.iter().map(|(key, _)| format!("{key}.")));
        }
        let can_vary = |key: &&Key<'_>| {
            let is_fixed = FIXED.iter().any(|fixed| key.path.starts_with(fixed));
            !key.path.contains(['*', '[']) && !is_fixed
        };
        let of_document = |key: &&Key<'_>| own.contains(&key.path) && !key.schema["properties"].is_object();
        let of_section = |key: &&Key<'_>| sections.iter().any(|section| key.path.starts_with(section));
        let all = self.keys.iter().filter(can_vary);
        let among: Vec<&Key<'_>> = match chance.below(8) {
            0 if self.mood > Mood::Mild => self.keys.iter().collect(),
            1 if self.mood > Mood::Mild => all.collect(),
            2..=4 => all.filter(of_section).collect(),
            _ => all.filter(of_document).collect(),
        };
        (!among.is_empty()).then(|| among[chance.below(among.len())])
    }

    /// The values of a key: a list, or a range where it counts or measures.
    fn values(&self, key: &Key<'_>, length: usize, chance: &mut Chance) -> Node {
        let unit = key.schema["examples"][0].as_str().and_then(|example| example.split_once(' '));
        let is_number = ["integer", "number"].iter().any(|kind| key.schema["type"] == **kind);
        if (is_number || unit.is_some()) && chance.of(1, 4) {
            return self.range(unit.map_or("", |(_, unit)| unit), length, chance);
        }
        if self.mood == Mood::Wild && chance.of(1, 12) {
            return value(key.schema, &key.path, self.root, self.mood, chance);
        }
        let schema = if chance.of(1, 2) && key.schema["items"].is_object() {
            &key.schema["items"]
        } else {
            key.schema
        };
        let mut values: Vec<Node> = Vec::new();
        for _ in 0..length {
            let mut one = value(schema, &key.path, self.root, self.mood, chance);
            for _ in 0..4 {
                if self.mood < Mood::Wild && values.contains(&one) {
                    one = value(schema, &key.path, self.root, self.mood, chance);
                }
            }
            values.push(one);
        }
        Node::List(values)
    }

    fn range(&self, unit: &str, length: usize, chance: &mut Chance) -> Node {
        let number = |text: String| match unit {
            "" => Node::Raw(text),
            unit => Node::text(&format!("{text} {unit}")),
        };
        let length = length.max(1);
        let mut range = Node::table();
        let mut add = |key: &str, value: Node| range.entries().push((key.to_owned(), value));
        if self.mood > Mood::Mild && chance.of(1, 2) {
            let ends =
                ["0", "1", "-3", "0.1", "1e3", "123456789012345678901234567890", "0.3333333", "10000000"];
            add("from", number(chance.pick(&ends).to_owned()));
            add("to", number(chance.pick(&ends).to_owned()));
            let rule = chance.pick(&["step", "factor", "points", "scale"]);
            add(rule, number(chance.pick(&ends).to_owned()));
            return range;
        }
        add("from", number("1".to_owned()));
        match chance.below(3) {
            0 => {
                add("to", number(length.to_string()));
                add("step", number("1".to_owned()));
            }
            1 => {
                add("to", number((1 << (length - 1)).to_string()));
                add("factor", Node::Raw("2".to_owned()));
            }
            _ => {
                add("to", number((length + usize::from(length > 1)).to_string()));
                add("points", Node::Raw(length.to_string()));
                if length > 1 && chance.of(1, 2) {
                    add("scale", Node::text(chance.pick(&["linear", "log"])));
                }
            }
        }
        range
    }

    fn constraint(&self, names: &[String], chance: &mut Chance) -> String {
        if self.mood == Mood::Mild {
            return self.fair(names, chance);
        }
        let text = self.expression(names, 0, chance);
        if self.mood == Mood::Wild && chance.of(1, 4) {
            // Cut anywhere, or with something put in.
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places[chance.below(places.len())];
            let put = chance.pick(&["", "(", "\"", "not ", "é", "==", "in [", "\\", "\u{0}", " and "]);
            let rest = if chance.of(1, 2) { &text[at..] } else { "" };
            return format!("{}{put}{rest}", &text[..at]);
        }
        text
    }

    /// A constraint that some combination is likely to meet: a key is not one of its values.
    fn fair(&self, names: &[String], chance: &mut Chance) -> String {
        let Some(name) = names.first() else { return "not (1 > 2)".to_owned() };
        let key = self.keys.iter().find(|key| key.path == *name);
        let schema = key.map_or(&Json::Null, |key| key.schema);
        let literal = value(schema, name, self.root, Mood::Mild, chance).inline().replace('"', "'");
        if literal.contains(['{', ',']) || literal.is_empty() {
            return "scenario.seed >= 0".to_owned();
        }
        format!(
            "{name} != {} or {name} == {}",
            literal.trim_matches(['[', ']']),
            literal.trim_matches(['[', ']'])
        )
    }

    fn expression(&self, names: &[String], depth: usize, chance: &mut Chance) -> String {
        match chance.below(if depth > 3 { 3 } else { 7 }) {
            0 => {
                let relation = chance.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (left, right) = (self.operand(names, chance), self.operand(names, chance));
                format!("{left} {relation} {right}")
            }
            1 => {
                let left = self.operand(names, chance);
                let list: Vec<String> =
                    (0..1 + chance.below(3)).map(|_| self.operand(names, chance)).collect();
                format!("{left} {}in [{}]", chance.pick(&["", "not "]), list.join(", "))
            }
            2 => chance.pick(&["true", "true", "true", "false"]).to_owned(),
            3 => format!("not {}", self.expression(names, depth + 1, chance)),
            4 => format!("({})", self.expression(names, depth + 1, chance)),
            _ => {
                let word = chance.pick(&["and", "or", "or"]);
                let (left, right) =
                    (self.expression(names, depth + 1, chance), self.expression(names, depth + 1, chance));
                format!("{left} {word} {right}")
            }
        }
    }

    fn operand(&self, names: &[String], chance: &mut Chance) -> String {
        match chance.below(5) {
            0 | 1 if !names.is_empty() => names[chance.below(names.len())].clone(),
            0..=2 => {
                let key = &self.keys[chance.below(self.keys.len())];
                let plain = !key.path.contains(['*', '[']);
                let path = key.path.replace("[]", ".0");
                if plain || self.mood == Mood::Wild { path } else { "scenario.seed".to_owned() }
            }
            3 => chance.pick(&["0", "1", "2", "0.5", "-3", "1e9"]).to_owned(),
            _ => {
                let words = ["10 us", "64 B", "1.28 Gb/s", "never", "bfs", "6 %", "2.5 m", ""];
                quoted(chance.pick(&words)).replace('"', "'")
            }
        }
    }
}
