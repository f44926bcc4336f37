//! Jumps or calls by where they lead, as they are found: millions of them,
//! each in a few bytes, and nothing is moved to add one.

/// Addresses of a page.
const PAGE: usize = 1 << 10;
/// No way, in the lists of them.
const NONE: u32 = u32::MAX;

/// Pairs of addresses, each added once.
#[derive(Default)]
pub(super) struct Ways {
    /// Where each comes from, and the number of the one before it that leads
    /// to the same.
    list: Vec<(u32, u32)>,
    /// For each address, by pages as far as one was needed, the number of the
    /// last that leads there.
    last: Vec<Option<Box<[u32]>>>,
}

impl Ways {
    pub fn add(&mut self, to: u32, from: u32) {
        let to = to as usize;
        if to / PAGE >= self.last.len() {
            self.last.resize(to / PAGE + 1, None);
        }
        let page = self.last[to / PAGE].get_or_insert_with(|| vec![NONE; PAGE].into());
        let number = self.list.len() as u32;
        let before = std::mem::replace(&mut page[to % PAGE], number);
        self.list.push((from, before));
    }

    /// Where those come from that lead to `to`, the last first.
    pub fn to(&self, to: u32) -> impl Iterator<Item = u32> + '_ {
        let page = self.last.get(to as usize / PAGE).and_then(Option::as_ref);
        self.from(page.map_or(NONE, |page| page[to as usize % PAGE]))
    }

    /// Where they lead, ascending.
    pub fn targets(&self) -> impl Iterator<Item = u32> + '_ {
        self.lasts().map(|(to, _)| to)
    }

    /// Where each leads and comes from, ascending.
    pub fn sorted(&self) -> Vec<(u32, u32)> {
        let mut sorted = Vec::with_capacity(self.list.len());
        for (to, last) in self.lasts() {
            let first = sorted.len();
            sorted.extend(self.from(last).map(|from| (to, from)));
            sorted[first..].sort_unstable();
        }
        sorted.dedup();
        sorted
    }

    /// Addresses that a way leads to, with the last one.
    fn lasts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let pages = self.last.iter().enumerate();
        let pages = pages.filter_map(|(number, page)| Some((number, page.as_deref()?)));
        pages.flat_map(|(page, lasts)| {
            let lasts = lasts.iter().enumerate().filter(|&(_, &last)| last != NONE);
            lasts.map(move |(at, &last)| ((page * PAGE + at) as u32, last))
        })
    }

    fn from(&self, last: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.list.get(last as usize);
        std::iter::successors(first, |&&(_, before)| self.list.get(before as usize))
            .map(|&(from, _)| from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_found_by_where_they_lead() {
        let mut ways = Ways::default();
        for (to, from) in [(0xFF_FFFF, 3), (5, 9), (5, 1), (0xFF_FFFF, 2), (0, 0)] {
            ways.add(to, from);
        }
        assert_eq!(ways.to(5).collect::<Vec<_>>(), [1, 9]);
        assert_eq!(ways.to(6).count() + ways.to(0x80_0000).count(), 0);
        assert_eq!(ways.targets().collect::<Vec<_>>(), [0, 5, 0xFF_FFFF]);
        assert_eq!(ways.sorted(), [(0, 0), (5, 1), (5, 9), (0xFF_FFFF, 2), (0xFF_FFFF, 3)]);
    }
}
