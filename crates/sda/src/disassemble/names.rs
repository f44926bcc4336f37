//! What addresses are called: by the names that were given, else by what
//! stands there and where (`sub_020100`, `text_0203F0`).

use std::collections::BTreeMap;

use super::address_set::AddressSet;
use super::data::{Data, parts};
use super::labels::{Kind, Labels};
use super::{Disassembly, code_at, references};
use crate::flow::{Flow, Image};
use crate::limits::MOST_NAMES;

/// An address this far behind a name of data is written as the name and the
/// distance; further on it gets a name of its own.
const NEAR: u32 = 256;

/// Labels at most: a local one is a name by itself and one with its plain
/// label, and other words are names, too.
const MOST_LABELS: usize = (MOST_NAMES - 10_000) / 2;

/// The names of a program.
pub(super) struct Names<'a, 'i> {
    bases: Bases<'a, 'i>,
    labels: Labels,
    /// Names of what is not in the image.
    outside: BTreeMap<u32, String>,
    /// What an address in data may point to.
    pointable: AddressSet,
}

impl<'a, 'i> Names<'a, 'i> {
    /// Names all that `source` refers to.
    pub fn of(source: &'i Disassembly<'a>, flow: &'i Flow<'a>) -> Names<'a, 'i> {
        let mut naming = Naming::new(source, flow);
        naming.collect_code();
        naming.collect_data();
        naming.finish()
    }

    /// Whether a label stands at `address`.
    pub fn has_label(&self, address: u32) -> bool {
        self.labels.contains(address)
    }

    /// The label that stands at `address`, without the colon.
    pub fn label(&self, address: u32) -> Option<String> {
        self.labels.text(address)
    }

    /// How `address` is written, without the `@`.
    pub fn text(&self, address: u32) -> Option<String> {
        if let Some(label) = self.labels.text(address) {
            return Some(label);
        }
        if !self.bases.is_inside(address) {
            return self.outside.get(&address).cloned();
        }
        let (base, distance) = self.bases.base(address);
        let label = self.labels.text(base).filter(|_| distance > 0)?;
        Some(format!("{label} + {distance}"))
    }

    /// Whether three bytes of data that are this address are meant as it.
    pub fn is_pointed(&self, address: u32) -> bool {
        self.pointable.contains(address) && self.labels.contains(address)
    }

    /// Addresses outside of the image that are referred to, with their names.
    pub fn outside(&self) -> impl Iterator<Item = (u32, &str)> {
        self.outside.iter().map(|(&address, name)| (address, name.as_str()))
    }
}

/// The bytes from `address` on up to the next label or instruction.
pub(super) fn stretch<'a>(
    address: u32,
    bytes: &'a [u8],
    flow: &Flow<'_>,
    has_label: &dyn Fn(u32) -> bool,
) -> &'a [u8] {
    let ends = |&at: &usize| {
        let address = address + at as u32;
        has_label(address) || flow.covering(address) == Some(address)
    };
    let end = (1..bytes.len()).find(ends).unwrap_or(bytes.len());
    &bytes[..end]
}

/// What addresses can be named by.
struct Bases<'a, 'i> {
    image: &'i Image<'a>,
    flow: &'i Flow<'a>,
    /// The names that were given, by address.
    given: BTreeMap<u32, &'i str>,
}

impl Bases<'_, '_> {
    fn is_inside(&self, address: u32) -> bool {
        !self.image.from(address).is_empty()
    }

    /// The label for an address of the image, and how far behind it that is.
    fn base(&self, address: u32) -> (u32, u32) {
        let covering = self.flow.covering(address);
        if let Some(step) = covering.filter(|&start| code_at(self.flow, start).is_some()) {
            return (step, address - step);
        }
        let below = self.given.range(..=address).next_back();
        let near = below.map(|(&at, _)| at).filter(|&at| {
            let is_data = |at| self.is_inside(at) && self.flow.covering(at).is_none();
            address - at < NEAR && (at..address).all(is_data)
        });
        near.map_or((address, 0), |at| (at, address - at))
    }
}

/// Names in the making.
struct Naming<'a, 'i> {
    image: &'i Image<'a>,
    flow: &'i Flow<'a>,
    entry: u32,
    bases: Bases<'a, 'i>,
    wanted: AddressSet,
    outside: BTreeMap<u32, String>,
    pointable: AddressSet,
    texts: AddressSet,
    /// From where, to which label.
    references: Vec<(u32, u32)>,
}

impl<'a, 'i> Naming<'a, 'i> {
    fn new(source: &'i Disassembly<'a>, flow: &'i Flow<'a>) -> Naming<'a, 'i> {
        let mut given: BTreeMap<u32, &str> = BTreeMap::new();
        for (address, name) in source.names.iter().filter(|(_, name)| is_name(name)) {
            let known = given.entry(*address).or_insert(name);
            if known.contains('.') && !name.contains('.') {
                *known = name;
            }
        }
        Naming {
            image: &source.image,
            flow,
            entry: source.entry,
            bases: Bases { image: &source.image, flow, given },
            wanted: AddressSet::new(),
            outside: BTreeMap::new(),
            pointable: AddressSet::new(),
            texts: AddressSet::new(),
            references: Vec::new(),
        }
    }

    /// What instructions refer to, and the names that were given.
    fn collect_code(&mut self) {
        for &address in self.bases.given.keys() {
            if self.bases.is_inside(address) && self.bases.base(address) == (address, 0) {
                self.wanted.insert(address);
                self.pointable.insert(address);
            }
        }
        self.refer(self.entry);
        for from in self.flow.starts() {
            let Some(decoded) = code_at(self.flow, from) else { continue };
            for address in references(from, &decoded) {
                let base = self.refer(address);
                self.references.extend(base.map(|base| (from, base)));
            }
        }
        for table in self.flow.tables() {
            for at in 0..u32::from(table.entries) {
                self.pointable.extend(self.image.pointer(table.address + 3 * at));
            }
        }
        self.pointable.extend(self.flow.calls().chain(self.flow.entries()));
    }

    /// What data points to: first it is seen where strings begin, then which
    /// of them are pointed to, and then, with those divided, everything.
    fn collect_data(&mut self) {
        let mut texts = AddressSet::new();
        self.each_part(&|_| false, &mut |address, data| {
            if matches!(data, Data::Text { .. }) {
                texts.insert(address);
            }
        });
        let mut found = Vec::new();
        let is_pointed = |address| self.pointable.contains(address) || texts.contains(address);
        self.each_part(&is_pointed, &mut |_, data| {
            if let Data::Pointer(to) = data {
                found.push(to);
            }
        });
        for to in found {
            // No label stands within an instruction.
            if self.bases.is_inside(to) && self.bases.base(to) == (to, 0) {
                self.wanted.insert(to);
                self.pointable.insert(to);
            }
        }
        let mut found = Vec::new();
        let is_pointed =
            |address| self.pointable.contains(address) && self.wanted.contains(address);
        self.each_part(&is_pointed, &mut |address, data| {
            if let Data::Pointer(to) = data {
                found.push((address, to));
            }
        });
        self.references.extend(found);
        self.texts = texts;
    }

    /// Takes all data apart.
    fn each_part(&self, is_pointed: &dyn Fn(u32) -> bool, each: &mut dyn FnMut(u32, Data)) {
        for (start, bytes) in self.image.pieces() {
            let mut at = 0;
            while at < bytes.len() {
                let address = start + at as u32;
                if let Some(step) = code_at(self.flow, address) {
                    at += usize::from(step.length);
                    continue;
                }
                let has_label = |address| self.wanted.contains(address);
                let data = stretch(address, &bytes[at..], self.flow, &has_label);
                let mut address = address;
                for (part, own) in parts(data, is_pointed) {
                    each(address, part);
                    address += own.len() as u32;
                }
                at += data.len();
            }
        }
    }

    /// Something refers to `to`: the label that it is written with.
    fn refer(&mut self, to: u32) -> Option<u32> {
        if !self.bases.is_inside(to) {
            if let Some(name) = self.bases.given.get(&to) {
                self.outside.insert(to, name.replace('.', "_"));
            }
            return None;
        }
        let (base, distance) = self.bases.base(to);
        self.wanted.insert(base);
        if distance == 0 && self.flow.covering(base).is_none() {
            self.pointable.insert(base);
        }
        Some(base)
    }

    /// Leaves as many labels as the assembler takes: those that were given,
    /// then the first ones. Other addresses are written as numbers.
    fn leave(&mut self, most: usize) {
        let given = |address: &u32| self.bases.given.contains_key(address);
        let count = self.wanted.iter().count();
        if count > most {
            let own = self.wanted.iter().filter(given).count();
            let left = most.saturating_sub(own);
            let made = self.wanted.iter().filter(|address| !given(address)).take(left);
            self.wanted = made.chain(self.wanted.iter().filter(given)).collect();
        }
    }

    fn finish(mut self) -> Names<'a, 'i> {
        let flow = self.flow;
        self.leave(MOST_LABELS.saturating_sub(self.outside.len()));
        let routines: AddressSet = flow.calls().chain(flow.entries()).collect();
        let tables: AddressSet = flow.tables().map(|table| table.address).collect();
        let kind = |address| match code_at(flow, address).is_some() {
            true if routines.contains(address) => Kind::Sub,
            true => Kind::Loc,
            false if tables.contains(address) => Kind::Table,
            false if self.texts.contains(address) => Kind::Text,
            false => Kind::Data,
        };
        let mut labels = Labels::new(self.wanted, &self.bases.given, &mut self.outside, &kind);
        labels.settle(&self.references, self.bases.base(self.entry).0);
        Names { bases: self.bases, labels, outside: self.outside, pointable: self.pointable }
    }
}

/// Whether a label can have this name: `plain` or `plain.local`.
fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || b"_?".contains(&byte);
        word.bytes().next().is_some_and(is_letter)
            && word.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
    };
    let mut words = name.split('.');
    let depth = words.clone().count();
    depth <= 2 && words.all(is_word)
}
