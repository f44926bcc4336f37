//! A set of 24-bit addresses.

use isa::memory_map::MEMORY_SIZE;

/// One bit for each address; 2 MB.
pub(super) struct AddressSet(Vec<u64>);

impl AddressSet {
    pub fn new() -> AddressSet {
        AddressSet(vec![0; MEMORY_SIZE / 64])
    }

    /// Adds an address; false when it was there, or is none.
    pub fn insert(&mut self, address: u32) -> bool {
        let Some(bits) = self.0.get_mut(address as usize / 64) else { return false };
        let bit = 1 << (address % 64);
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// Takes an address out; false when it was not there.
    pub fn remove(&mut self, address: u32) -> bool {
        let was_there = self.contains(address);
        if was_there {
            self.0[address as usize / 64] &= !(1 << (address % 64));
        }
        was_there
    }

    pub fn contains(&self, address: u32) -> bool {
        self.0.get(address as usize / 64).is_some_and(|bits| bits >> (address % 64) & 1 == 1)
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.0.iter().enumerate().filter(|&(_, &bits)| bits != 0);
        words.flat_map(|(at, &bits)| {
            let is_set = move |bit: &u32| bits >> bit & 1 == 1;
            (0..u64::BITS).filter(is_set).map(move |bit| at as u32 * u64::BITS + bit)
        })
    }
}

/// A set that is only asked from now on: how many addresses lie in front of
/// another one.
pub(super) struct Ranked {
    set: AddressSet,
    /// The addresses in all words before each.
    before: Vec<u32>,
}

impl AddressSet {
    pub fn ranked(self) -> Ranked {
        let counts = self.0.iter().scan(0, |sum, bits| {
            let before = *sum;
            *sum += bits.count_ones();
            Some(before)
        });
        Ranked { before: counts.collect(), set: self }
    }
}

impl Ranked {
    /// The number of addresses below `address`; its place, if it is one.
    pub fn below(&self, address: u32) -> usize {
        let word = address as usize / 64;
        let (Some(before), Some(bits)) = (self.before.get(word), self.set.0.get(word)) else {
            return 0;
        };
        let lower = bits & ((1 << (address % 64)) - 1);
        *before as usize + lower.count_ones() as usize
    }

    /// All of them, ascending: each at its place.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.set.iter()
    }

    pub fn contains(&self, address: u32) -> bool {
        self.set.contains(address)
    }

    /// The place of an address.
    pub fn place(&self, address: u32) -> Option<usize> {
        self.set.contains(address).then(|| self.below(address))
    }

    /// The number of addresses up to `address`, itself counted.
    pub fn up_to(&self, address: u32) -> usize {
        self.below(address) + usize::from(self.set.contains(address))
    }
}

impl FromIterator<u32> for AddressSet {
    fn from_iter<I: IntoIterator<Item = u32>>(addresses: I) -> AddressSet {
        let mut set = AddressSet::new();
        set.extend(addresses);
        set
    }
}

impl Extend<u32> for AddressSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, addresses: I) {
        for address in addresses {
            self.insert(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_what_lies_below() {
        let ranked = AddressSet::from_iter([0, 63, 64, 200, 0xFF_FFFF]).ranked();
        let below = [0, 1, 63, 64, 65, 200, 201, 0xFF_FFFF].map(|address| ranked.below(address));
        assert_eq!(below, [0, 1, 1, 2, 3, 3, 4, 4]);
        assert_eq!((ranked.place(200), ranked.place(201)), (Some(3), None));
        assert_eq!((ranked.up_to(199), ranked.up_to(200)), (3, 4));
    }
}
