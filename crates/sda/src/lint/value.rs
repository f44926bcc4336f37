//! What a byte of a register or a flag may hold: where it was written, and
//! whether it is still what the routine was called with.

use isa::flags;
use rustc_hash::FxHashMap;

/// Bytes of registers as in [`isa::Reg::halves`], then four flags.
pub(super) const CELLS: usize = 36;
/// The cell of AL.
pub(super) const AL: usize = 0;
/// The cell of AH.
pub(super) const AH: usize = 1;
/// The first flag's cell.
pub(super) const FIRST_FLAG: usize = 32;
/// The cell of carry.
pub(super) const CARRY: usize = 32;
/// The cell of Z.
pub(super) const ZERO: usize = 33;

/// The flags that have cells, in their order.
pub(super) const FLAG_CELLS: [(u16, &str); 4] =
    [(flags::C, "carry"), (flags::Z, "Z"), (flags::N, "N"), (flags::V, "V")];

/// A set of cells.
pub(super) type Cells = u64;

/// The cells of flags that are given by their bits in FLAGS.
pub(super) fn flag_cells(bits: u16) -> Cells {
    let cells = FLAG_CELLS.iter().enumerate().filter(|(_, (bit, _))| bits & bit != 0);
    cells.fold(0, |all, (at, _)| all | 1 << (FIRST_FLAG + at))
}

/// The numbers of the cells in a set.
pub(super) fn each(cells: Cells) -> impl Iterator<Item = usize> {
    (0..CELLS).filter(move |cell| cells >> cell & 1 != 0)
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Def {
    /// The routine was called with it.
    Entry(u8),
    /// An instruction wrote it, as a part of these cells.
    Write { at: u32, view: Cells },
    /// A call gave it back, as a part of these cells.
    Given { at: u32, view: Cells },
    /// A call left it, and the routine called does not say what it is.
    Left { at: u32, cell: u8 },
    /// A comparison set carry, but a jump has used the comparison for Z or N; or
    /// moving SP set the flags.
    Spent { at: u32 },
    /// Too many places to keep.
    Many,
}

/// A set of [`Def`], by number. A set with [`Def::Many`] keeps only what was
/// there at the entry and what calls left, and stays so: sets only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Set(u32);

/// Places that are kept for one value.
const MOST: usize = 16;

/// All sets of one routine.
#[derive(Default)]
pub(super) struct Sets {
    list: Vec<Box<[Def]>>,
    ids: FxHashMap<Box<[Def]>, Set>,
    singles: FxHashMap<Def, Set>,
    unions: FxHashMap<(Set, Set), Set>,
}

impl Sets {
    pub fn of(&mut self, mut defs: Vec<Def>) -> Set {
        defs.sort_unstable();
        defs.dedup();
        if defs.len() > MOST || defs.last() == Some(&Def::Many) {
            defs.retain(|def| matches!(def, Def::Entry(_) | Def::Left { .. }));
            defs.truncate(MOST - 1);
            defs.push(Def::Many);
        }
        let defs = defs.into_boxed_slice();
        if let Some(&id) = self.ids.get(&defs) {
            return id;
        }
        let id = Set(self.list.len() as u32);
        self.list.push(defs.clone());
        self.ids.insert(defs, id);
        id
    }

    pub fn one(&mut self, def: Def) -> Set {
        if let Some(&known) = self.singles.get(&def) {
            return known;
        }
        let id = self.of(vec![def]);
        self.singles.insert(def, id);
        id
    }

    pub fn get(&self, set: Set) -> &[Def] {
        &self.list[set.0 as usize]
    }

    pub fn union(&mut self, a: Set, b: Set) -> Set {
        if a == b {
            return a;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let all = self.get(a).iter().chain(self.get(b)).copied().collect();
        let union = self.of(all);
        self.unions.insert(key, union);
        union
    }

    /// The set as if there were too many places to keep.
    fn widened(&mut self, set: Set) -> Set {
        let many = self.one(Def::Many);
        self.union(set, many)
    }
}

/// What one cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The cell whose value at the routine's entry this surely is.
    pub origin: Option<u8>,
    /// The number it surely is.
    pub constant: Option<u8>,
    /// Where it may come from.
    pub defs: Set,
}

impl Value {
    pub fn join(self, other: Value, sets: &mut Sets) -> Value {
        Value {
            origin: self.origin.filter(|_| self.origin == other.origin),
            constant: self.constant.filter(|_| self.constant == other.constant),
            defs: sets.union(self.defs, other.defs),
        }
    }
}

/// One byte on the stack, and the instruction that pushed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub at: u32,
    pub held: Held,
}

/// What a byte on the stack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Byte(Value),
    /// The byte of FLAGS that has Z, N, C and V.
    Flags([Value; 4]),
    /// Nothing that a register held.
    Other,
}

/// Registers, flags and stack at one place of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub cells: [Value; CELLS],
    /// What the routine has pushed, the last byte last; `None` when SP can no
    /// longer be followed.
    pub stack: Option<Vec<Slot>>,
}

impl State {
    /// At the entry of a routine.
    pub fn entry(sets: &mut Sets) -> State {
        let cells = std::array::from_fn(|cell| Value {
            origin: Some(cell as u8),
            constant: None,
            defs: sets.one(Def::Entry(cell as u8)),
        });
        State { cells, stack: Some(Vec::new()) }
    }

    /// Takes in another path; whether that changed anything, and, when the
    /// two have different amounts on the stack, what pushed the last byte of
    /// the larger one. When `widen` is true a set that grows is too large at
    /// once, so that it soon stops.
    pub fn join(&mut self, other: &State, sets: &mut Sets, widen: bool) -> (bool, Option<u32>) {
        let mut changed = false;
        for (cell, &value) in self.cells.iter_mut().zip(&other.cells) {
            changed |= update(cell, value, |mine, theirs| {
                let joined = mine.join(theirs, sets);
                let grown = widen && joined.defs != mine.defs;
                Value {
                    defs: if grown { sets.widened(joined.defs) } else { joined.defs },
                    ..joined
                }
            });
        }
        let mut uneven = None;
        match (&mut self.stack, &other.stack) {
            (Some(mine), Some(theirs)) if mine.len() == theirs.len() => {
                for (mine, &theirs) in mine.iter_mut().zip(theirs) {
                    changed |= update(mine, theirs, |mine, theirs| join_slots(mine, theirs, sets));
                }
            }
            (Some(mine), theirs) => {
                if let Some(theirs) = theirs {
                    let larger = if mine.len() > theirs.len() { mine } else { theirs };
                    uneven = larger.last().map(|slot| slot.at);
                }
                self.stack = None;
                changed = true;
            }
            (None, _) => {}
        }
        (changed, uneven)
    }
}

/// Takes in `theirs`; whether that changed anything.
fn update<T: Copy + PartialEq>(mine: &mut T, theirs: T, join: impl FnOnce(T, T) -> T) -> bool {
    if *mine == theirs {
        return false;
    }
    let joined = join(*mine, theirs);
    let changed = joined != *mine;
    *mine = joined;
    changed
}

fn join_slots(mine: Slot, theirs: Slot, sets: &mut Sets) -> Slot {
    let held = match (mine.held, theirs.held) {
        (Held::Byte(a), Held::Byte(b)) => Held::Byte(a.join(b, sets)),
        (Held::Flags(a), Held::Flags(b)) => {
            Held::Flags(std::array::from_fn(|at| a[at].join(b[at], sets)))
        }
        _ => Held::Other,
    };
    Slot { at: mine.at.min(theirs.at), held }
}
