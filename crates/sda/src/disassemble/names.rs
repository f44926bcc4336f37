//! What addresses are called: by the names that were given, else by what
//! stands there and where (`sub_020100`, `text_0203F0`).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::address_set::AddressSet;
use super::data::{Data, parts};
use super::{Disassembly, code_at, references};
use crate::flow::{Flow, Image};

/// An address this far behind a name of data is written as the name and the
/// distance; further on it gets a name of its own.
const NEAR: u32 = 256;

/// The names of a program.
pub(super) struct Names {
    /// How labels are defined, without the colon.
    labels: BTreeMap<u32, String>,
    has_label: AddressSet,
    /// Addresses that are written as a label and a distance.
    distances: BTreeMap<u32, (u32, u32)>,
    /// Names of what is not in the image.
    outside: BTreeMap<u32, String>,
    /// What an address in data may point to.
    pointable: AddressSet,
}

impl Names {
    /// Names all that `source` refers to.
    pub fn of(source: &Disassembly<'_>, flow: &Flow<'_>) -> Names {
        let mut naming = Naming::new(source, flow);
        naming.collect_code(source.entry);
        naming.collect_data();
        naming.finish()
    }

    /// The label that stands at `address`.
    pub fn label(&self, address: u32) -> Option<&str> {
        let is_label = self.has_label.contains(address);
        is_label.then(|| self.labels.get(&address).map(String::as_str)).flatten()
    }

    /// How `address` is written, without the `@`.
    pub fn text(&self, address: u32) -> Option<String> {
        if let Some(label) = self.label(address) {
            return Some(label.into());
        }
        if let Some((base, distance)) = self.distances.get(&address) {
            return Some(format!("{} + {distance}", self.labels.get(base)?));
        }
        self.outside.get(&address).cloned()
    }

    /// Whether three bytes of data that are this address are meant as it.
    pub fn is_pointed(&self, address: u32) -> bool {
        self.pointable.contains(address) && self.has_label.contains(address)
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

/// Names in the making.
struct Naming<'a, 'i> {
    image: &'i Image<'a>,
    flow: &'i Flow<'a>,
    /// The names that were given, by address.
    given: BTreeMap<u32, &'i str>,
    wanted: AddressSet,
    distances: BTreeMap<u32, (u32, u32)>,
    outside: BTreeMap<u32, String>,
    pointable: AddressSet,
    texts: AddressSet,
    tables: BTreeSet<u32>,
    /// What refers to which label; `None` stands above all of them.
    references: BTreeSet<(Option<u32>, u32)>,
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
            given,
            wanted: AddressSet::new(),
            distances: BTreeMap::new(),
            outside: BTreeMap::new(),
            pointable: AddressSet::new(),
            texts: AddressSet::new(),
            tables: BTreeSet::new(),
            references: BTreeSet::new(),
        }
    }

    /// What instructions refer to, and the names that were given.
    fn collect_code(&mut self, entry: u32) {
        for address in self.given.keys().copied().collect::<Vec<_>>() {
            if self.is_inside(address) && self.base(address) == (address, 0) {
                self.wanted.insert(address);
                self.pointable.insert(address);
            }
        }
        self.refer(None, entry);
        for step in self.flow.steps().filter(|step| code_at(self.flow, step.address).is_some()) {
            for address in references(&step) {
                self.refer(Some(step.address), address);
            }
        }
        for table in self.flow.tables() {
            self.tables.insert(table.address);
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
            if self.is_inside(to) && self.base(to) == (to, 0) {
                self.wanted.insert(to);
                self.pointable.insert(to);
            }
        }
        let mut found = Vec::new();
        let is_pointed =
            |address| self.pointable.contains(address) && self.wanted.contains(address);
        self.each_part(&is_pointed, &mut |address, data| {
            if let Data::Pointer(to) = data {
                found.push((Some(address), to));
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
                    at += usize::from(step.decoded.length);
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

    fn refer(&mut self, from: Option<u32>, to: u32) {
        if !self.is_inside(to) {
            if let Some(name) = self.given.get(&to) {
                self.outside.insert(to, name.replace('.', "_"));
            }
            return;
        }
        let (base, distance) = self.base(to);
        self.wanted.insert(base);
        if distance > 0 {
            self.distances.insert(to, (base, distance));
        } else if self.flow.covering(base).is_none() {
            self.pointable.insert(base);
        }
        self.references.insert((from, base));
    }

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

    fn finish(self) -> Names {
        let mut outside = self.outside.clone();
        let mut labels = Labels::new(&self, &mut outside);
        labels.settle(&self.references);
        let labels = labels.finish();
        let mut has_label = AddressSet::new();
        has_label.extend(labels.keys().copied());
        Names { labels, has_label, distances: self.distances, outside, pointable: self.pointable }
    }

    /// The labels that are wanted, by ascending address.
    fn wanted(&self) -> impl Iterator<Item = u32> + '_ {
        self.wanted.iter().filter(|&address| self.is_inside(address))
    }

    /// A name for an address that has none; whether it may be a local one.
    fn made(&self, address: u32, routines: &BTreeSet<u32>) -> (String, bool) {
        let is_code = code_at(self.flow, address).is_some();
        let kind = match () {
            () if is_code && routines.contains(&address) => "sub",
            () if is_code => "loc",
            () if self.tables.contains(&address) => "table",
            () if self.texts.contains(address) => "text",
            () => "data",
        };
        (format!("{kind}_{address:06X}"), kind == "loc")
    }
}

/// Labels on their way to be plain or local.
struct Labels {
    list: Vec<Label>,
    used: HashSet<String>,
}

struct Label {
    address: u32,
    /// The name as a plain label.
    plain: String,
    /// The name as a local label, with its dot, and the plain label that it
    /// must stand below, if that matters.
    local: Option<(String, Option<String>)>,
}

impl Labels {
    fn new(naming: &Naming<'_, '_>, outside: &mut BTreeMap<u32, String>) -> Labels {
        let routines: BTreeSet<u32> = naming.flow.calls().chain(naming.flow.entries()).collect();
        let mut labels = Labels { list: Vec::new(), used: HashSet::new() };
        // Names that were given come first: they stay as they are.
        let given = |address| naming.given.get(&address).filter(|name| !name.contains('.'));
        for address in naming.wanted() {
            labels.used.extend(given(address).map(|name| name.to_string()));
        }
        for name in outside.values_mut() {
            *name = labels.unique(name);
        }
        let mut taken = HashSet::new();
        for address in naming.wanted() {
            let label = match naming.given.get(&address) {
                Some(name) => match name.split_once('.') {
                    Some((parent, local)) => Label {
                        address,
                        plain: labels.unique(&format!("{parent}_{local}")),
                        local: Some((format!(".{local}"), Some(parent.into()))),
                    },
                    None if taken.insert(*name) => {
                        Label { address, plain: name.to_string(), local: None }
                    }
                    None => Label { address, plain: labels.unique(name), local: None },
                },
                None => {
                    let (name, may_be_local) = naming.made(address, &routines);
                    let local = may_be_local.then(|| (format!(".{name}"), None));
                    Label { address, plain: labels.unique(&name), local }
                }
            };
            labels.list.push(label);
        }
        labels
    }

    fn unique(&mut self, name: &str) -> String {
        let mut name = name.to_string();
        while !self.used.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// Makes labels plain until every local one is only referred to below its
    /// plain label.
    fn settle(&mut self, references: &BTreeSet<(Option<u32>, u32)>) {
        let places = AddressSet::from_iter(self.list.iter().map(|label| label.address)).ranked();
        loop {
            let plain = || self.list.iter().filter(|label| label.local.is_none());
            let names: Vec<&str> = plain().map(|label| label.plain.as_str()).collect();
            let plain = AddressSet::from_iter(plain().map(|label| label.address)).ranked();
            let scope = |address| plain.up_to(address);
            let mut lost = BTreeSet::new();
            let mut met = HashSet::new();
            for (at, label) in self.list.iter().enumerate() {
                let Some((local, parent)) = &label.local else { continue };
                let own = scope(label.address);
                let above = own.checked_sub(1).map(|above| names[above]);
                let fits = above.is_some_and(|above| {
                    parent.as_ref().is_none_or(|parent| parent.as_str() == above)
                });
                if !fits || !met.insert((own, local.as_str())) {
                    lost.insert(at);
                }
            }
            for &(from, to) in references {
                let Some(at) = places.place(to) else { continue };
                if self.list[at].local.is_some() && from.map_or(0, scope) != scope(to) {
                    lost.insert(at);
                }
            }
            if lost.is_empty() {
                return;
            }
            for at in lost {
                self.list[at].local = None;
            }
        }
    }

    fn finish(self) -> BTreeMap<u32, String> {
        let spelled =
            |label: Label| (label.address, label.local.map_or(label.plain, |(name, _)| name));
        self.list.into_iter().map(spelled).collect()
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
