//! How labels are spelled: which of them are local, and what those are called
//! that nobody has named. There may be millions of these, so a name that only
//! says what stands where (`loc_020100`) is not kept as text.

use std::collections::{BTreeMap, HashSet};

use super::address_set::{AddressSet, Ranked};
use super::reach::Reach;

/// What a label that nobody has named is called after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A routine.
    Sub,
    /// Other code: it may be local.
    Loc,
    Table,
    Text,
    Data,
    /// Its name is kept as text.
    Own,
}

/// Every label of a program.
pub(super) struct Labels {
    places: Ranked,
    /// By place.
    kinds: Vec<Kind>,
    own: BTreeMap<u32, Own>,
    /// Those that are written as local labels.
    local: AddressSet,
}

/// A name that the address does not tell.
struct Own {
    /// As a plain label.
    plain: String,
    local: Option<Local>,
}

/// A name as a local label.
struct Local {
    /// Without its dot.
    name: String,
    /// The plain label that it must stand below, if that matters.
    parent: Option<String>,
}

impl Labels {
    /// Labels for `addresses`, by the names that were given or else after
    /// their `kind`. The names of `outside` are made to differ from them.
    pub fn new(
        addresses: AddressSet,
        given: &BTreeMap<u32, &str>,
        outside: &mut BTreeMap<u32, String>,
        kind: &dyn Fn(u32) -> Kind,
    ) -> Labels {
        let given = || given.iter().filter(|(address, _)| addresses.contains(**address));
        // Names that were given come first: they stay as they are.
        let plain = given().filter(|(_, name)| !name.contains('.'));
        let mut used = Used(plain.map(|(_, name)| name.to_string()).collect());
        for name in outside.values_mut() {
            *name = used.unique(name);
        }
        let mut taken = HashSet::new();
        let mut own = BTreeMap::new();
        for (&address, name) in given() {
            let name = match name.split_once('.') {
                Some((parent, local)) => Own {
                    plain: used.unique(&format!("{parent}_{local}")),
                    local: Some(Local { name: local.into(), parent: Some(parent.into()) }),
                },
                None if taken.insert(*name) => Own { plain: name.to_string(), local: None },
                None => Own { plain: used.unique(name), local: None },
            };
            own.insert(address, name);
        }
        let locals = own.values().filter_map(|own| Some(own.local.as_ref()?.name.as_str()));
        let names = used.0.iter().map(String::as_str).chain(locals);
        let contested: AddressSet = names.filter_map(address_in).collect();
        let mut local = AddressSet::new();
        let mut kinds = Vec::new();
        for address in addresses.iter() {
            let mut kind = if own.contains_key(&address) { Kind::Own } else { kind(address) };
            if kind != Kind::Own && contested.contains(address) {
                let name = kind.name(address);
                let plain = used.unique(&name);
                let as_local = (kind == Kind::Loc).then_some(Local { name, parent: None });
                own.insert(address, Own { plain, local: as_local });
                kind = Kind::Own;
            }
            let may_be_local = match kind {
                Kind::Own => own.get(&address).is_some_and(|own| own.local.is_some()),
                kind => kind == Kind::Loc,
            };
            if may_be_local {
                local.insert(address);
            }
            kinds.push(kind);
        }
        Labels { places: addresses.ranked(), kinds, own, local }
    }

    pub fn contains(&self, address: u32) -> bool {
        self.places.contains(address)
    }

    /// The label at an address, without the colon.
    pub fn text(&self, address: u32) -> Option<String> {
        if !self.local.contains(address) {
            return self.plain(address);
        }
        let kind = self.kinds[self.places.place(address)?];
        let name = match kind {
            Kind::Own => self.own.get(&address)?.local.as_ref()?.name.clone(),
            kind => kind.name(address),
        };
        Some(format!(".{name}"))
    }

    /// Makes labels plain until every local one is only referred to below its
    /// plain label. `references` say from where and to which label; to
    /// `entry` there is one from above all labels.
    pub fn settle(&mut self, references: &[(u32, u32)], entry: u32) {
        let mut extents = Extents::new(&self.places, references);
        let mut lost = self.misplaced(&mut extents);
        lost.extend(self.places.place(entry).filter(|_| self.local.contains(entry)));
        let plain = self.places.iter().filter(|&address| !self.local.contains(address));
        let plain = plain.collect::<AddressSet>().ranked();
        for (place, address) in self.places.iter().enumerate() {
            let (low, high) = (extents.low[place], extents.high[place]);
            if self.local.contains(address) && plain.up_to(low) != plain.up_to(high) {
                lost.push(place);
            }
        }
        if !lost.is_empty() {
            self.make_plain(lost, extents);
        }
    }

    /// The places of local labels that have not their plain label above them,
    /// or a name that another has below the same one.
    fn misplaced(&self, extents: &mut Extents) -> Vec<usize> {
        let mut lost = Vec::new();
        let mut above = None;
        let mut met = HashSet::new();
        for (place, address) in self.places.iter().enumerate() {
            if !self.local.contains(address) {
                above = Some(address);
                met.clear();
                continue;
            }
            let Some(above) = above else {
                lost.push(place);
                continue;
            };
            let own = self.own.get(&address).filter(|_| self.kinds[place] == Kind::Own);
            let Some(local) = own.and_then(|own| own.local.as_ref()) else { continue };
            if local.parent.is_some() && local.parent != self.plain(above) {
                lost.push(place);
                continue;
            }
            if local.parent.is_some() {
                extents.widen(place, above);
            }
            if !met.insert(local.name.as_str()) {
                lost.push(place);
            }
        }
        lost
    }

    /// Makes these labels plain, and every one that is then on the other side
    /// of a plain label than something that refers to it.
    fn make_plain(&mut self, lost: Vec<usize>, extents: Extents) {
        let addresses: Vec<u32> = self.places.iter().collect();
        let Extents { mut low, mut high } = extents;
        for (place, &address) in addresses.iter().enumerate() {
            let is_local = self.local.contains(address);
            low[place] = if is_local { !low[place] } else { 0 };
            high[place] = if is_local { high[place] } else { 0 };
        }
        // What reaches far up, and what reaches far down.
        let (mut up, mut down) = (Reach::new(&low), Reach::new(&high));
        drop((low, high));
        let mut waiting = Vec::new();
        let mut lose = |place: usize, up: &mut Reach, down: &mut Reach, waiting: &mut Vec<_>| {
            up.remove(place);
            down.remove(place);
            if self.local.remove(addresses[place]) {
                waiting.push(place);
            }
        };
        for place in lost {
            lose(place, &mut up, &mut down, &mut waiting);
        }
        while let Some(place) = waiting.pop() {
            let address = addresses[place];
            // It divides the extent of one behind it that begins before it…
            while let Some(other) =
                up.find(place + 1..addresses.len(), (!address).saturating_add(1))
            {
                lose(other, &mut up, &mut down, &mut waiting);
            }
            // …and of one before it that does not end there.
            while let Some(other) = down.find(0..place, address) {
                lose(other, &mut up, &mut down, &mut waiting);
            }
        }
    }

    /// The label at an address as a plain one.
    fn plain(&self, address: u32) -> Option<String> {
        match self.kinds[self.places.place(address)?] {
            Kind::Own => Some(self.own.get(&address)?.plain.clone()),
            kind => Some(kind.name(address)),
        }
    }
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Kind::Sub => "sub",
            Kind::Loc => "loc",
            Kind::Table => "table",
            Kind::Text => "text",
            Kind::Data => "data",
            Kind::Own => "own",
        }
    }

    fn name(self, address: u32) -> String {
        format!("{}_{address:06X}", self.word())
    }
}

/// The address of the only label that could be called `name` after its kind.
fn address_in(name: &str) -> Option<u32> {
    let (_, digits) = name.rsplit_once('_').filter(|(_, digits)| digits.len() == 6)?;
    u32::from_str_radix(digits, 16).ok()
}

/// The names of plain labels and constants.
struct Used(HashSet<String>);

impl Used {
    fn unique(&mut self, name: &str) -> String {
        let mut name = name.to_string();
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// From where to where each label and all that refers to it stand, by place.
struct Extents {
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Extents {
    fn new(places: &Ranked, references: &[(u32, u32)]) -> Extents {
        let low: Vec<u32> = places.iter().collect();
        let mut extents = Extents { high: low.clone(), low };
        for &(from, to) in references {
            if let Some(place) = places.place(to) {
                extents.widen(place, from);
            }
        }
        extents
    }

    fn widen(&mut self, place: usize, address: u32) {
        self.low[place] = self.low[place].min(address);
        self.high[place] = self.high[place].max(address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each label is referred to from just behind the next: when the last one
    /// becomes plain, one after the other does, and looking at all of them
    /// each time would not end.
    #[test]
    fn a_chain_of_labels_that_lose_one_another_is_settled() {
        const COUNT: u32 = 1_000_000;
        let addresses: AddressSet = (0..COUNT).map(|number| 10 * number).collect();
        let kind = |address| if address == 0 { Kind::Sub } else { Kind::Loc };
        let mut labels = Labels::new(addresses, &BTreeMap::new(), &mut BTreeMap::new(), &kind);
        let references: Vec<_> =
            (2..COUNT).map(|number| (10 * number + 1, 10 * (number - 1))).collect();
        assert_eq!(labels.text(10).as_deref(), Some(".loc_00000A"));
        labels.settle(&references, 10 * (COUNT - 1));
        assert!((1..COUNT).all(|number| labels.text(10 * number).unwrap().starts_with("loc_")));
    }

    #[test]
    fn names_that_others_would_get_are_theirs() {
        let addresses: AddressSet = [0, 1, 2, 3].into_iter().collect();
        let given = BTreeMap::from([(0, "loc_000001"), (2, "loc_000001.loc_000003")]);
        let mut outside = BTreeMap::from([(9, "loc_000001".to_string())]);
        let mut labels = Labels::new(addresses, &given, &mut outside, &|_| Kind::Loc);
        labels.settle(&[(2, 1)], 0);
        let texts: Vec<_> = (0..4).filter_map(|address| labels.text(address)).collect();
        assert_eq!(texts, ["loc_000001", ".loc_000001", ".loc_000003", "loc_000003"]);
        assert_eq!(outside[&9], "loc_000001_");
    }
}
