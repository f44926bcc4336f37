//! Numbers in a row, of which one that is large enough is found without
//! looking at all: the tree of their maxima.

use std::ops::Range;

/// A row of numbers; 0 is none.
pub(super) struct Reach {
    /// The maximum of each two below it; the numbers are the second half.
    tree: Vec<u32>,
}

impl Reach {
    pub fn new(numbers: &[u32]) -> Reach {
        let leaves = numbers.len();
        let mut tree = Vec::with_capacity(2 * leaves);
        tree.resize(leaves, 0);
        tree.extend(numbers);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Reach { tree }
    }

    /// A place in `range` whose number is `least` or more, which is not 0.
    pub fn find(&self, range: Range<usize>, least: u32) -> Option<usize> {
        let leaves = self.tree.len() / 2;
        let (mut low, mut high) = (range.start + leaves, range.end + leaves);
        while low < high {
            if low % 2 == 1 {
                if self.tree[low] >= least {
                    return Some(self.below(low, least));
                }
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                if self.tree[high] >= least {
                    return Some(self.below(high, least));
                }
            }
            (low, high) = (low / 2, high / 2);
        }
        None
    }

    /// Forgets a number.
    pub fn remove(&mut self, place: usize) {
        let mut node = place + self.tree.len() / 2;
        self.tree[node] = 0;
        while node > 1 {
            node /= 2;
            let most = self.tree[2 * node].max(self.tree[2 * node + 1]);
            if std::mem::replace(&mut self.tree[node], most) == most {
                break;
            }
        }
    }

    /// The place below a node whose maximum is large enough.
    fn below(&self, mut node: usize, least: u32) -> usize {
        let leaves = self.tree.len() / 2;
        while node < leaves {
            node = 2 * node + usize::from(self.tree[2 * node] < least);
        }
        node - leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_looking_at_all_finds() {
        let mut seed = 1_u32;
        let mut next = move || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 16
        };
        for count in [0, 1, 2, 3, 7, 8, 100] {
            let mut numbers: Vec<u32> = (0..count).map(|_| 1 + next() % 50).collect();
            let mut reach = Reach::new(&numbers);
            for _ in 0..500 {
                let end = next() as usize % (numbers.len() + 1);
                let range = next() as usize % (end + 1)..end;
                let least = 1 + next() % 50;
                match reach.find(range.clone(), least) {
                    Some(place) => {
                        assert!(range.contains(&place) && numbers[place] >= least);
                        reach.remove(place);
                        numbers[place] = 0;
                    }
                    None => assert!(numbers[range].iter().all(|&number| number < least)),
                }
            }
        }
    }
}
