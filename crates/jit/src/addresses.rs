//! What is known of each address of memory: how much time an interpreter has
//! spent there, and what is compiled from there on.

use crate::watch::{LINE_BITS, LINES};

/// Two numbers for each address; addresses that nothing is known of cost
/// nothing.
#[derive(Clone, Default)]
pub(crate) struct Addresses {
    /// For each line 0, or one more than its place in `slots`. Empty at first.
    lines: Vec<u16>,
    slots: Vec<[Slot; 1 << LINE_BITS]>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// How often something has been seen there.
    seen: u16,
    /// The same, since it was compiled last.
    unpaid: u16,
    /// 0, [`REFUSED`], or one more than the number of the region that begins
    /// there.
    region: u16,
}

/// No region is to begin there.
const REFUSED: u16 = u16::MAX;

impl Addresses {
    /// The number of the region that begins at an address.
    #[inline]
    pub(crate) fn region(&self, address: u32) -> Option<usize> {
        let region = self.slot(address)?.region;
        if region == REFUSED { None } else { usize::from(region).checked_sub(1) }
    }

    /// Whether numbers may be as high as this.
    pub(crate) const fn has_room_for(number: usize) -> bool {
        number + 1 < REFUSED as usize
    }

    /// A region begins at an address, or none any more.
    pub(crate) fn set_region(&mut self, address: u32, number: Option<usize>) {
        if let Some(slot) = self.slot_mut(address) {
            slot.region = number.map_or(0, |number| u16::try_from(number + 1).unwrap_or(0));
        }
    }

    /// No region is to begin at an address as long as its code is the same.
    pub(crate) fn refuse(&mut self, address: u32) {
        if let Some(slot) = self.slot_mut(address) {
            slot.region = REFUSED;
        }
    }

    /// Whether that has been said.
    pub(crate) fn is_refused(&self, address: u32) -> bool {
        self.slot(address).is_some_and(|slot| slot.region == REFUSED)
    }

    /// How often something was seen at an address.
    pub(crate) fn seen(&self, address: u32) -> u16 {
        self.slot(address).map_or(0, |slot| slot.seen)
    }

    /// The same, since what was seen there has been paid for.
    pub(crate) fn unpaid(&self, address: u32) -> u16 {
        self.slot(address).map_or(0, |slot| slot.unpaid)
    }

    /// It is seen once more.
    pub(crate) fn see(&mut self, address: u32) {
        if let Some(slot) = self.slot_mut(address) {
            slot.seen = slot.seen.saturating_add(1);
            slot.unpaid = slot.unpaid.saturating_add(1);
        }
    }

    /// What was seen there is paid for.
    pub(crate) fn pay(&mut self, address: u32) {
        if self.unpaid(address) > 0
            && let Some(slot) = self.slot_mut(address)
        {
            slot.unpaid = 0;
        }
    }

    /// Its code has changed: as if nothing had ever been seen there.
    pub(crate) fn forget(&mut self, address: u32) {
        if self.slot(address).is_some_and(|slot| slot.seen > 0 || slot.region == REFUSED)
            && let Some(slot) = self.slot_mut(address)
        {
            (slot.seen, slot.unpaid) = (0, 0);
            if slot.region == REFUSED {
                slot.region = 0;
            }
        }
    }

    #[inline]
    fn slot(&self, address: u32) -> Option<Slot> {
        let line = *self.lines.get((address >> LINE_BITS) as usize)?;
        let slots = self.slots.get(usize::from(line).wrapping_sub(1))?;
        Some(slots[address as usize % slots.len()])
    }

    fn slot_mut(&mut self, address: u32) -> Option<&mut Slot> {
        if self.lines.is_empty() {
            self.lines = vec![0; LINES];
        }
        let line = self.lines.get_mut((address >> LINE_BITS) as usize)?;
        if *line == 0 {
            let next = u16::try_from(self.slots.len() + 1).ok()?;
            self.slots.push([Slot::default(); 1 << LINE_BITS]);
            *line = next;
        }
        let slots = self.slots.get_mut(usize::from(*line) - 1)?;
        Some(&mut slots[address as usize % (1 << LINE_BITS)])
    }
}
