//! The squares of one level, as a test sees them.

use std::collections::{BTreeSet, VecDeque};

/// Column and row.
pub type Square = (usize, usize);

/// What a square is: the game's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(pub u8);

impl Kind {
    pub const ROCK: Kind = Kind(0);
    pub const FLOOR: Kind = Kind(1);
    pub const WALL: Kind = Kind(2);
    pub const DOOR: Kind = Kind(3);
    pub const SECRET_DOOR: Kind = Kind(5);
    pub const UP: Kind = Kind(6);
    pub const DOWN: Kind = Kind(7);
    pub const WATER: Kind = Kind(11);
    pub const TREE: Kind = Kind(12);
    pub const TABLE: Kind = Kind(15);
    pub const COUNTER: Kind = Kind(17);
}

/// A level read out of the machine's memory.
#[derive(Clone)]
pub struct Level {
    pub width: usize,
    pub height: usize,
    pub kinds: Vec<Kind>,
    /// The stairs that the level's row has, and their kinds.
    pub stairs: Vec<(Square, Kind)>,
}

impl Level {
    pub fn kind(&self, (x, y): Square) -> Kind {
        self.kinds[y * self.width + x]
    }

    /// The same level with one square walled up.
    pub fn without(&self, (x, y): Square) -> Level {
        let mut walled = self.clone();
        walled.kinds[y * self.width + x] = Kind::WALL;
        walled
    }

    pub fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        let width = self.width;
        (0..self.width * self.height).map(move |at| (at % width, at / width))
    }

    pub fn border(&self) -> impl Iterator<Item = Square> + '_ {
        self.squares()
            .filter(|&(x, y)| x == 0 || y == 0 || x == self.width - 1 || y == self.height - 1)
    }

    pub fn is_solid(&self, at: Square) -> bool {
        [Kind::ROCK, Kind::WALL].contains(&self.kind(at))
    }

    pub fn is_opaque(&self, at: Square) -> bool {
        let opaque = [Kind::ROCK, Kind::WALL, Kind::DOOR, Kind::SECRET_DOOR, Kind::TREE];
        opaque.contains(&self.kind(at))
    }

    pub fn is_walkable(&self, at: Square) -> bool {
        let barred = [Kind::WATER, Kind::TABLE, Kind::COUNTER];
        !self.is_opaque(at) && !barred.contains(&self.kind(at))
    }

    /// Floor with exactly two floor squares beside it, opposite ones.
    pub fn is_corridor(&self, at: Square) -> bool {
        let floor = |x, y| self.kind((x, y)) == Kind::FLOOR;
        let (x, y) = at;
        self.kind(at) == Kind::FLOOR && {
            let beside = [floor(x, y - 1), floor(x + 1, y), floor(x, y + 1), floor(x - 1, y)];
            beside == [true, false, true, false] || beside == [false, true, false, true]
        }
    }

    /// The eight squares around one that is not on the border.
    pub fn around(&self, (x, y): Square) -> Vec<Square> {
        (y - 1..=y + 1)
            .flat_map(|row| (x - 1..=x + 1).map(move |column| (column, row)))
            .filter(|&at| at != (x, y))
            .collect()
    }

    /// The squares as the game draws them, rock blank.
    pub fn drawn(&self) -> String {
        let glyph = |kind: &Kind| char::from(b" .#+/#<>.==~T\"===-#=^^^^^^"[usize::from(kind.0)]);
        let rows = self.kinds.chunks(self.width);
        let drawn = rows.map(|row| row.iter().map(glyph).collect::<String>());
        drawn.map(|row| format!("{}\n", row.trim_end())).collect()
    }

    /// Everything that can be walked to in steps north, east, south and west,
    /// through doors.
    pub fn reachable_from(&self, start: Square) -> BTreeSet<Square> {
        let mut reached = BTreeSet::from([start]);
        let mut waiting = vec![start];
        while let Some((x, y)) = waiting.pop() {
            for at in [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)] {
                if !self.is_solid(at) && reached.insert(at) {
                    waiting.push(at);
                }
            }
        }
        reached
    }

    /// Steps north, east, south and west from one square to another, through doors
    /// and around water, if there is a way.
    pub fn steps_between(&self, start: Square, end: Square) -> Option<usize> {
        let mut reached = BTreeSet::from([start]);
        let mut waiting = VecDeque::from([(start, 0)]);
        while let Some(((x, y), steps)) = waiting.pop_front() {
            if (x, y) == end {
                return Some(steps);
            }
            for at in [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)] {
                let open = !self.is_solid(at) && self.kind(at) != Kind::WATER;
                if open && reached.insert(at) {
                    waiting.push_back((at, steps + 1));
                }
            }
        }
        None
    }
}
