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

impl Extend<u32> for AddressSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, addresses: I) {
        for address in addresses {
            self.insert(address);
        }
    }
}
