//! What the keys of `[mapping]` may say: masters, models, orders, depths.

use serde_json::{Value as Schema, json as json_schema};

use super::canonical::{Canonical, put};
use super::kinds::Choice;
use super::table::{Located, Wire, wrong_type};
use crate::diagnostics::Diagnostics;
use crate::mapping::{Computer, Direction, MapModel};
use crate::tree::{Item, Value};
use simnet_base::diagnostics::Fault;
use simnet_media::host::mapper::{self, Order};

/// The name of the one host that maps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Master(pub(crate) Located<String>);

impl Wire for Master {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Master> {
        match &item.value {
            Value::List(masters) if masters.len() > 1 => {
                diagnostics.add(masters[1].place, |span| {
                    let message = format!("{} masters where one is asked for", masters.len());
                    let expected = "expected one host, or mode = \"election\" without `mapper`";
                    Fault::new("two-masters", span, message, expected)
                });
                None
            }
            _ => String::read(item, diagnostics).map(|value| Master(Located { value, place: item.place })),
        }
    }

    fn schema() -> Schema {
        String::schema()
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.list_or_one(item, put::<String>);
    }
}

/// Who maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Master,
    Election,
}

impl Choice for Mode {
    const CHOICES: &'static [(&'static str, Mode)] =
        &[("master", Mode::Master), ("election", Mode::Election)];
}

impl Choice for MapModel {
    const CHOICES: &'static [(&'static str, MapModel)] = &[
        ("cut-through", MapModel::CutThrough),
        ("circuit", MapModel::Circuit),
        ("packet", MapModel::Packet),
    ];
}

impl Choice for Computer {
    const CHOICES: &'static [(&'static str, Computer)] = &[("host", Computer::Host), ("nic", Computer::Nic)];
}

impl Choice for Direction {
    const CHOICES: &'static [(&'static str, Direction)] =
        &[("listed", Direction::Listed), ("random", Direction::Random)];
}

impl Choice for Order {
    const CHOICES: &'static [(&'static str, Order)] = &[
        ("outwards", Order::Outwards),
        ("outwards-up", Order::OutwardsUp),
        ("ascending", Order::Ascending),
        ("alternating", Order::Alternating),
        ("one-side", Order::OneSide),
    ];
}

/// A search depth: so many turns, or what the network's oracle makes of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Depth(pub(crate) mapper::Depth);

/// The formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Formula(mapper::Depth);

impl Choice for Formula {
    const CHOICES: &'static [(&'static str, Formula)] = &[
        ("q+d+1", Formula(mapper::Depth::QPlusDPlusOne)),
        ("q+d", Formula(mapper::Depth::QPlusD)),
        ("2d+1", Formula(mapper::Depth::TwiceDPlusOne)),
    ];
}

impl Wire for Depth {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Depth> {
        match &item.value {
            Value::Integer(_) => match u32::read(item, diagnostics)? {
                turns @ 1..=1000 => Some(Depth(mapper::Depth::Turns(turns as usize))),
                _ => {
                    diagnostics.add(item.place, |span| {
                        let message = "no depth that a search can have";
                        Fault::new("out-of-range", span, message, "expected 1 to 1000 turns")
                    });
                    None
                }
            },
            Value::Text(_) => Formula::read(item, diagnostics).map(|formula| Depth(formula.0)),
            _ => {
                wrong_type(item, "1 to 1000 turns, or \"q+d+1\", \"q+d\" or \"2d+1\"", diagnostics);
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": 1000 },
            Formula::schema(),
        ] })
    }
}
