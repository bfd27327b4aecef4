//! A scenario in layers: the files that it includes, its own keys, a profile, and what the command line sets.
//!
//! ```text
//!   included files, in order --< own keys --< the profile's ancestors --< the profile --< --set
//! ```
//! A later layer is laid over the earlier ones: tables merge key by key, everything else is replaced, and of choices
//! that exclude each other the later one stays.

use std::path::PathBuf;

use simnet_base::diagnostics::{Fault, MISSING_FILE, decode, quoted, shown};
use simnet_network::topology::generate::FAMILIES;

use super::diagnostics::{Diagnostics, Place};
use super::files;
use super::tree::{self, Assignment, Entry, Item, Value};
use super::wire::{Document, Include, Wire as _};

/// How deep files may include each other.
const DEEPEST: usize = 16;
/// How many inclusions a scenario may have.
const MOST_INCLUSIONS: usize = 256;
/// How long a chain of profiles may be.
const LONGEST_CHAIN: usize = 64;

/// The layers of a scenario.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// The included files and the file's own keys, without those that say how layers are made.
    own: Item,
    /// The name of the profile.
    pub(super) profile: Option<Item>,
    profiles: Vec<Entry>,
    /// What the command line sets of profiles; it has been laid over them.
    pub(super) chosen: Vec<Assignment>,
    /// What the command line sets, but for the keys that say how layers are made.
    pub(super) sets: Vec<Assignment>,
}

/// Reads the file that is source 0, and those that it includes; `None` after a fault that leaves nothing.
pub(super) fn read(diagnostics: &mut Diagnostics, path: PathBuf, sets: &[String]) -> Option<Layers> {
    let mut root = tree::parse(diagnostics, 0);
    let mut sets: Vec<Assignment> =
        sets.iter().filter_map(|text| tree::assignment(diagnostics, "--set", text)).collect();
    let root = root.as_mut()?;
    apply(&mut sets, &["include"], root, diagnostics);
    let mut inclusions = Inclusions { chain: vec![files::plain(&path)], count: 0, is_too_deep: false };
    inclusions.expand(root, diagnostics);
    let chosen = apply(&mut sets, &["profile", "profiles"], root, diagnostics);
    let profile = take(root, "profile").map(|entry| entry.item);
    let profiles = take(root, "profiles").map_or_else(Vec::new, |entry| profiles(entry.item, diagnostics));
    Some(Layers { own: root.clone(), profile, profiles, chosen, sets })
}

/// Lays the assignments to `keys` over the root and takes them off the list.
fn apply(
    sets: &mut Vec<Assignment>,
    keys: &[&str],
    root: &mut Item,
    diagnostics: &mut Diagnostics,
) -> Vec<Assignment> {
    let first = |set: &mut Assignment| set.path.first().is_some_and(|(key, _)| keys.contains(&key.as_str()));
    let applied: Vec<Assignment> = sets.extract_if(.., first).collect();
    applied.iter().for_each(|set| set.lay(root, diagnostics));
    applied
}

/// Takes a key out of a table.
pub(super) fn take(root: &mut Item, key: &str) -> Option<Entry> {
    let Value::Table(entries) = &mut root.value else { return None };
    let at = entries.iter().position(|entry| entry.key == key)?;
    Some(entries.remove(at))
}

/// The value of a key of a table.
pub(super) fn find<'a>(root: &'a Item, key: &str) -> Option<&'a Item> {
    let Value::Table(entries) = &root.value else { return None };
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.item)
}

/// The files that are being included, outermost first, and how many have been so far.
struct Inclusions {
    chain: Vec<PathBuf>,
    count: usize,
    /// Whether it was reported that they go too deep.
    is_too_deep: bool,
}

impl Inclusions {
    /// Lays the root over the files that it includes.
    fn expand(&mut self, root: &mut Item, diagnostics: &mut Diagnostics) {
        let Some(include) = take(root, "include") else { return };
        let Some(Include(names)) = Include::read(&include.item, diagnostics) else { return };
        let mut under = Item { place: root.place, value: Value::Table(Vec::new()) };
        for name in names {
            if let Some(file) = self.read(name.place, &name.value.0, diagnostics) {
                lay(&mut under, file, &mut Vec::new());
            }
        }
        let own = std::mem::replace(&mut root.value, Value::Table(Vec::new()));
        lay(&mut under, Item { place: root.place, value: own }, &mut Vec::new());
        *root = under;
    }

    /// Reads an included file and those that it includes itself.
    fn read(&mut self, place: Place, name: &str, diagnostics: &mut Diagnostics) -> Option<Item> {
        let path = diagnostics.path(place, name);
        let plain = files::plain(&path);
        self.count += 1;
        let excess = match self.chain.iter().position(|outer| *outer == plain) {
            Some(at) if at + 1 == self.chain.len() => Some("a file that includes itself".to_owned()),
            Some(at) => {
                let way: Vec<String> =
                    self.chain[at + 1..].iter().map(|path| quoted(&shown(path).to_string())).collect();
                Some(format!("a file that includes itself by way of {}", way.join(", ")))
            }
            None if self.count > MOST_INCLUSIONS => Some(format!("more than {MOST_INCLUSIONS} inclusions")),
            None if self.chain.len() > DEEPEST => {
                Some(format!("files that include each other deeper than {DEEPEST}"))
            }
            None => None,
        };
        if let Some(message) = excess {
            // Beyond a bound, one fault says it all.
            let is_too_deep = self.chain.len() > DEEPEST && self.count <= MOST_INCLUSIONS;
            let was_said = is_too_deep && std::mem::replace(&mut self.is_too_deep, true);
            if self.count <= MOST_INCLUSIONS + 1 && !was_said {
                let expected = "expected files that do not include each other in a circle";
                diagnostics.add(place, |span| Fault::new("include-cycle", span, message, expected));
            }
            return None;
        }
        let taken = match diagnostics.files().read(&path) {
            Ok(taken) => taken,
            Err(error) => {
                diagnostics.add(place, |span| {
                    let message = format!("cannot read {}: {error}", quoted(&shown(&path).to_string()));
                    let expected = "expected a scenario file, relative to the folder of this one";
                    Fault::new(MISSING_FILE, span, message, expected)
                });
                return None;
            }
        };
        let text = match decode(&shown(&path).to_string(), &taken.bytes) {
            Ok(text) => text,
            Err(faults) => {
                diagnostics.add_file(*faults);
                return None;
            }
        };
        let source = diagnostics.add_scenario(&path, text);
        let mut root = tree::parse(diagnostics, source)?;
        self.chain.push(plain);
        self.expand(&mut root, diagnostics);
        self.chain.pop();
        Some(root)
    }
}

/// The profiles, each checked as far as it can be alone.
fn profiles(item: Item, diagnostics: &mut Diagnostics) -> Vec<Entry> {
    let expected = "a table of profiles, each written [profiles.NAME]";
    let Value::Table(mut profiles) = item.value else {
        diagnostics.add(item.place, |span| {
            let message = format!("this is {}", item.value.kind());
            Fault::new("wrong-type", span, message, format!("expected {expected}"))
        });
        return Vec::new();
    };
    for profile in &mut profiles {
        for key in ["include", "profile", "profiles", "sweep", "reference", "figure"] {
            if let Some(entry) = take(&mut profile.item, key) {
                diagnostics.add(entry.place, |span| {
                    let message = format!("`{key}` in a profile");
                    Fault::new(
                        "unknown-key",
                        span,
                        message,
                        "expected the sections of a scenario, or extends",
                    )
                });
            }
        }
        let mut keys = profile.item.clone();
        take(&mut keys, "extends");
        diagnostics.partially(|diagnostics| Document::read(&keys, diagnostics));
    }
    for profile in &profiles {
        chain(&profiles, &profile.key, profile.place, diagnostics);
    }
    profiles
}

/// A profile and those that it extends, itself first; `None` after a fault.
fn chain<'a>(
    profiles: &'a [Entry],
    name: &str,
    place: Place,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<&'a Entry>> {
    let mut chain: Vec<&Entry> = Vec::new();
    let (mut name, mut place) = (name.to_owned(), place);
    loop {
        let Some(profile) = profiles.iter().find(|profile| profile.key == name) else {
            diagnostics.add(place, |span| {
                let all: Vec<String> = profiles.iter().take(12).map(|entry| quoted(&entry.key)).collect();
                let expected = match all.as_slice() {
                    [] => "expected a [profiles.NAME] of that name".to_owned(),
                    all => format!("expected one of {}", all.join(", ")),
                };
                let message = format!("no profile is called `{}`", quoted(&name));
                Fault::new("unknown-profile", span, message, expected)
                    .with_nearest(&name, profiles.iter().map(|entry| entry.key.as_str()))
            });
            return None;
        };
        let again = chain.iter().any(|other| other.key == profile.key);
        if again || chain.len() >= LONGEST_CHAIN {
            diagnostics.add(place, |span| {
                let message = match again {
                    true => format!("the profile `{}` extends itself", quoted(&profile.key)),
                    false => format!("a profile behind more than {LONGEST_CHAIN} others"),
                };
                Fault::new("profile-cycle", span, message, "expected profiles that end with one of their own")
            });
            return None;
        }
        chain.push(profile);
        let extends = find(&profile.item, "extends");
        match extends.map(|item| (&item.value, item)) {
            None => return Some(chain),
            Some((Value::Text(next), item)) => (name, place) = (next.clone(), item.place),
            Some((other, item)) => {
                diagnostics.add(item.place, |span| {
                    let message = format!("this is {}", other.kind());
                    Fault::new("wrong-type", span, message, "expected the name of a profile")
                });
                return None;
            }
        }
    }
}

impl Layers {
    /// The scenario with a profile and what the command line sets laid over its own keys.
    pub(super) fn flatten(&self, profile: Option<&Item>, diagnostics: &mut Diagnostics) -> Item {
        let mut root = self.own.clone();
        match profile.map(|item| (&item.value, item.place)) {
            None => {}
            Some((Value::Text(name), place)) => {
                for profile in chain(&self.profiles, name, place, diagnostics).iter().flatten().rev() {
                    let mut keys = profile.item.clone();
                    take(&mut keys, "extends");
                    let place = root.place;
                    lay(&mut root, keys, &mut Vec::new());
                    root.place = place;
                }
            }
            Some((other, place)) => diagnostics.add(place, |span| {
                let message = format!("this is {}", other.kind());
                Fault::new("wrong-type", span, message, "expected the name of a profile")
            }),
        }
        self.sets.iter().for_each(|set| set.lay(&mut root, diagnostics));
        root
    }
}

/// Lays one tree over another; `path` is where both stand.
///
/// It goes no deeper than the parser of TOML does.
fn lay(under: &mut Item, over: Item, path: &mut Vec<String>) {
    let Item { place, value } = over;
    match (&mut under.value, value) {
        (Value::Table(old), Value::Table(new)) => {
            displace(old, path, new.iter().map(|entry| entry.key.as_str()));
            for entry in new {
                match old.iter_mut().find(|other| other.key == entry.key) {
                    Some(other) => {
                        other.place = entry.place;
                        path.push(entry.key);
                        lay(&mut other.item, entry.item, path);
                        path.pop();
                    }
                    None => old.push(entry),
                }
            }
        }
        (old, new) => *old = new,
    }
    under.place = place;
}

/// Lays a value over what stands where a path leads, making tables on the way; a position leads into a list, and what
/// excludes the value goes. Says how much of the path could be followed.
///
/// # Errors
/// The length of the list in which there is no such place, and which key that is.
pub(super) fn assign(root: &mut Item, path: &[(String, Place)], value: Item) -> Result<(), (usize, usize)> {
    let mut at = root;
    for (depth, (key, place)) in path.iter().enumerate() {
        if !matches!(at.value, Value::Table(_) | Value::List(_)) {
            at.value = Value::Table(Vec::new());
        }
        let here: Vec<String> = path[..depth].iter().map(|(key, _)| key.clone()).collect();
        at = match &mut at.value {
            Value::List(items) => {
                let length = items.len();
                let found = key.parse::<usize>().ok().and_then(|nth| items.get_mut(nth));
                found.ok_or((length, depth))?
            }
            Value::Table(entries) => {
                displace(entries, &here, std::iter::once(key.as_str()));
                let position = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
                    let item = Item { place: *place, value: Value::Table(Vec::new()) };
                    entries.push(Entry { key: key.clone(), place: *place, item });
                    entries.len() - 1
                });
                entries[position].place = *place;
                &mut entries[position].item
            }
            _ => unreachable!("it was made a table"),
        };
    }
    lay(at, value, &mut path.iter().map(|(key, _)| key.clone()).collect());
    Ok(())
}

/// Takes out of a table what excludes the keys that are laid over it.
fn displace<'a>(old: &mut Vec<Entry>, path: &[String], new: impl Iterator<Item = &'a str> + Clone) {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let is_among = |keys: &'static [&'static str]| move |key: &str| keys.contains(&key);
    let mut sides = |one: &dyn Fn(&str) -> bool, other: &dyn Fn(&str) -> bool| {
        if new.clone().any(one) {
            old.retain(|entry| !other(&entry.key));
        }
    };
    match path.as_slice() {
        ["topology"] => {
            let is_source =
                |key: &str| key == "preset" || key == "file" || FAMILIES.iter().any(|f| f.name == key);
            let mut others = old.iter().filter(|entry| is_source(&entry.key));
            let changes = others.any(|entry| new.clone().all(|key| key != entry.key));
            if changes && new.clone().any(is_source) {
                old.clear();
            }
        }
        ["traffic"] => {
            let stays = |entry: &Entry| new.clone().any(|key| key == entry.key);
            if new.clone().next().is_some() {
                old.retain(stays);
            }
        }
        ["traffic", _, "payload"] => {
            sides(&is_among(&["file"]), &is_among(&["short", "long", "long-share"]));
            sides(&is_among(&["short", "long", "long-share"]), &is_among(&["file"]));
        }
        ["routing"] => {
            let computed = is_among(&["algorithm", "tree", "heuristic", "root", "select", "seed"]);
            let read = is_among(&["file", "lfts"]);
            sides(&read, &computed);
            sides(&computed, &read);
            sides(&is_among(&["file"]), &is_among(&["lfts"]));
            sides(&is_among(&["lfts"]), &is_among(&["file"]));
        }
        ["measure"] => {
            sides(&is_among(&["messages"]), &is_among(&["duration"]));
            sides(&is_among(&["duration"]), &is_among(&["messages"]));
        }
        _ => {}
    }
}
