//! What the player has seen of the level: squares, things and monsters, put
//! together from a window that scrolls.

use std::collections::{BTreeMap, VecDeque};

use crate::screen::{DARK_GREY, Screen, VIEW};

/// Column and row, from a corner of our own choosing.
pub type Square = (i32, i32);

/// The eight steps, and the keys that make them; straight ones first.
pub const STEPS: [(i32, i32, u8); 8] = [
    (0, -1, b'k'),
    (0, 1, b'j'),
    (-1, 0, b'h'),
    (1, 0, b'l'),
    (-1, -1, b'y'),
    (1, -1, b'u'),
    (-1, 1, b'b'),
    (1, 1, b'n'),
];

const SIZE: (i32, i32) = (256, 128);
const ORIGIN: Square = (100, 50);
const UNSEEN: u8 = 0;

/// What is known of a square.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    glyph: u8,
    /// Somebody or something hides what the square is.
    assumed: bool,
    /// The player was here, so there is nothing more to see from it.
    stood: bool,
    /// A step onto it was refused.
    refused: bool,
    /// Turns that were spent searching from here.
    searched: u16,
}

/// Somebody in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Being {
    /// Where.
    pub at: Square,
    /// The letter, and its colour: together the kind.
    pub look: (u8, u8),
}

/// The level as far as it is known.
#[derive(Clone)]
pub struct Map {
    cells: Vec<Cell>,
    offset: (i32, i32),
    player: Square,
    beings: Vec<Being>,
    things: BTreeMap<Square, u8>,
    left_lying: Vec<Square>,
    /// Where the level's own 0,0 is, on levels that everybody knows.
    corner: Option<Square>,
}

/// How far everything is, and how to get there.
pub struct Ways {
    distance: Vec<u32>,
    from: Vec<u8>,
    start: Square,
}

impl Map {
    /// A level of which nothing is known but what is on the screen.
    pub fn new(screen: &Screen) -> Map {
        let mut map = Map {
            cells: vec![Cell::default(); (SIZE.0 * SIZE.1) as usize],
            offset: ORIGIN,
            player: ORIGIN,
            beings: Vec::new(),
            things: BTreeMap::new(),
            left_lying: Vec::new(),
            corner: None,
        };
        map.take(screen);
        map
    }

    /// Takes in the screen of the same level, some turns later. False when it
    /// can't be the same level.
    pub fn update(&mut self, screen: &Screen) -> bool {
        let Some(shift) = self.shift(screen) else { return false };
        self.offset = (self.offset.0 + shift.0, self.offset.1 + shift.1);
        self.take(screen);
        true
    }

    /// Takes in the screen on coming back to the level, wherever that is.
    pub fn come_back(&mut self, screen: &Screen) -> bool {
        let Some(shift) = self.best_shift(screen) else { return false };
        self.offset = (self.offset.0 + shift.0, self.offset.1 + shift.1);
        self.take(screen);
        true
    }

    fn take(&mut self, screen: &Screen) {
        self.beings.clear();
        let player = screen.player();
        let blind = screen.status().is("Blind");
        for (x, y) in window() {
            let (glyph, colour) = screen.cell(x, y);
            let at = self.square(x, y);
            let Some(index) = index(at) else { continue };
            let cell = &mut self.cells[index];
            if Some((x, y)) == player {
                self.player = at;
                cell.stood |= !blind;
            }
            match glyph {
                b' ' | 0 => {}
                _ if is_being(glyph) || is_thing(glyph) => {
                    if cell.glyph == UNSEEN {
                        *cell = Cell { glyph: b'.', assumed: true, ..*cell };
                    }
                    if is_thing(glyph) {
                        self.things.insert(at, glyph);
                    } else if Some((x, y)) != player {
                        self.beings.push(Being { at, look: (glyph, colour) });
                    }
                }
                _ => {
                    if cell.glyph != glyph {
                        cell.refused = false;
                    }
                    *cell = Cell { glyph, assumed: false, ..*cell };
                    if colour != DARK_GREY {
                        self.things.remove(&at);
                    }
                }
            }
        }
    }

    /// How far the window has scrolled.
    fn shift(&self, screen: &Screen) -> Option<(i32, i32)> {
        const NEAR: [(i32, i32); 9] =
            [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];
        for allowed in [0, 2] {
            let fits = NEAR.into_iter().find(|&shift| {
                let (same, other) = self.likeness(screen, shift);
                same > 0 && other <= allowed
            });
            if fits.is_some() {
                return fits;
            }
        }
        self.best_shift(screen)
    }

    /// Carried off: the best place, if it is a good one.
    fn best_shift(&self, screen: &Screen) -> Option<(i32, i32)> {
        let all = (-30..=30).flat_map(|x| (-10..=10).map(move |y| (x, y)));
        let judged = all.map(|shift| (self.likeness(screen, shift), shift));
        let best = judged.max_by_key(|&((same, other), _)| same - 8 * other);
        best.filter(|&((same, other), _)| same >= 8 && other * 10 <= same).map(|(_, shift)| shift)
    }

    /// Squares that are what they were, and squares that are not.
    fn likeness(&self, screen: &Screen, (dx, dy): (i32, i32)) -> (i32, i32) {
        let (mut same, mut other) = (0, 0);
        for (x, y) in window() {
            let at = self.square(x, y);
            let Some(index) = index((at.0 + dx, at.1 + dy)) else { continue };
            let (glyph, cell) = (screen.cell(x, y).0, self.cells[index]);
            if cell.glyph == UNSEEN || cell.assumed || is_being(glyph) || is_thing(glyph) {
                continue;
            }
            let door = |glyph| glyph == b'+' || glyph == b'/';
            if glyph == cell.glyph || (door(glyph) && door(cell.glyph)) {
                same += i32::from(glyph != b'.');
            } else if !(glyph == b'/' && cell.glyph == b'#') {
                other += 1;
            }
        }
        (same, other)
    }

    fn square(&self, x: usize, y: usize) -> Square {
        (x as i32 + self.offset.0, y as i32 + self.offset.1)
    }

    /// Where the player is.
    pub fn player(&self) -> Square {
        self.player
    }

    /// Says where on the level the player is: it is one that people draw maps of.
    pub fn place_player(&mut self, at: Square) {
        self.corner = Some((self.player.0 - at.0, self.player.1 - at.1));
    }

    /// A square of a level that people draw maps of.
    pub fn known_square(&self, (x, y): Square) -> Option<Square> {
        self.corner.map(|corner| (corner.0 + x, corner.1 + y))
    }

    /// Squares around one that can be stood on: through so many it can be attacked.
    pub fn openings(&self, at: Square) -> usize {
        around(at).filter(|&(at, _)| self.is_walkable(at, true)).count()
    }

    /// Who is in sight.
    pub fn beings(&self) -> &[Being] {
        &self.beings
    }

    /// What a square looks like; 0 when it was never seen.
    pub fn glyph(&self, at: Square) -> u8 {
        index(at).map_or(UNSEEN, |index| self.cells[index].glyph)
    }

    /// Squares that look so, where a step was not refused.
    pub fn find(&self, glyph: u8) -> impl Iterator<Item = Square> + '_ {
        let cells = self.cells.iter().enumerate();
        cells.filter(move |(_, cell)| cell.glyph == glyph).map(|(index, _)| square(index))
    }

    /// Where something lies that is worth a walk.
    pub fn things(&self) -> impl Iterator<Item = Square> + '_ {
        self.things.keys().copied().filter(|at| !self.left_lying.contains(at))
    }

    /// Does something lie there that was not left on purpose?
    pub fn thing_at(&self, at: Square) -> bool {
        self.things.contains_key(&at) && !self.left_lying.contains(&at)
    }

    /// What lies there is not wanted, or is gone.
    pub fn leave_lying(&mut self, at: Square) {
        self.left_lying.push(at);
    }

    /// A step onto a square was refused.
    pub fn refuse(&mut self, at: Square) {
        if let Some(index) = index(at) {
            self.cells[index].refused = true;
        }
    }

    /// Forgets all refusals: another try.
    pub fn forgive(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.refused = false);
    }

    /// One more turn spent searching from where the player is.
    pub fn searched(&mut self) {
        if let Some(index) = index(self.player) {
            self.cells[index].searched += 1;
        }
    }

    /// How often was searched from a square.
    pub fn searches(&self, at: Square) -> u16 {
        index(at).map_or(u16::MAX, |index| self.cells[index].searched)
    }

    /// Walls around a square: many of them are where a secret door may be.
    pub fn walls_around(&self, at: Square) -> usize {
        around(at).filter(|&(at, _)| self.glyph(at) == b'#').count()
    }

    /// Is there more to see from there?
    pub fn is_frontier(&self, at: Square) -> bool {
        let Some(index) = index(at) else { return false };
        !self.cells[index].stood && around(at).any(|(at, _)| self.glyph(at) == UNSEEN)
    }

    /// May one walk there?
    fn is_walkable(&self, at: Square, traps: bool) -> bool {
        let Some(index) = index(at) else { return false };
        let cell = self.cells[index];
        let kind = matches!(cell.glyph, b'.' | b'/' | b'+' | b'<' | b'>' | b'=' | b'"');
        (kind || (traps && cell.glyph == b'^')) && !cell.refused
    }

    /// The ways from the player to everywhere, around everybody in sight but
    /// those in `past`.
    pub fn ways(&self, past: &[Square], traps: bool) -> Ways {
        let size = self.cells.len();
        let mut ways =
            Ways { distance: vec![u32::MAX; size], from: vec![0; size], start: self.player };
        let Some(start) = index(self.player) else { return ways };
        ways.distance[start] = 0;
        let mut waiting = VecDeque::from([self.player]);
        let held: Vec<Square> =
            self.beings.iter().map(|being| being.at).filter(|at| !past.contains(at)).collect();
        while let Some(at) = waiting.pop_front() {
            let Some(here) = index(at) else { continue };
            if past.contains(&at) {
                continue; // one goes to them, not through them
            }
            for (number, (to, _)) in around(at).enumerate() {
                let Some(there) = index(to) else { continue };
                if ways.distance[there] == u32::MAX
                    && (self.is_walkable(to, traps) || past.contains(&to))
                    && !held.contains(&to)
                {
                    ways.distance[there] = ways.distance[here] + 1;
                    ways.from[there] = number as u8;
                    waiting.push_back(to);
                }
            }
        }
        ways
    }

    /// Squares that can be reached.
    pub fn reached<'a>(&'a self, ways: &'a Ways) -> impl Iterator<Item = Square> + 'a {
        let cells = ways.distance.iter().enumerate();
        cells.filter(|(_, distance)| **distance != u32::MAX).map(|(index, _)| square(index))
    }
}

impl Ways {
    /// Steps to a square, if there is a way.
    pub fn distance(&self, to: Square) -> Option<u32> {
        index(to).map(|index| self.distance[index]).filter(|&distance| distance != u32::MAX)
    }

    /// The first step to a square: where it leads, and its key.
    pub fn first_step(&self, to: Square) -> Option<(Square, u8)> {
        let mut at = to;
        loop {
            self.distance(at).filter(|&distance| distance > 0)?;
            let (dx, dy, key) = STEPS[usize::from(self.from[index(at)?])];
            let before = (at.0 - dx, at.1 - dy);
            if before == self.start {
                return Some((at, key));
            }
            at = before;
        }
    }
}

/// The eight squares around one, with the keys that lead there.
pub fn around((x, y): Square) -> impl Iterator<Item = (Square, u8)> {
    STEPS.into_iter().map(move |(dx, dy, key)| ((x + dx, y + dy), key))
}

/// Steps between two squares when nothing is in the way.
pub fn apart(one: Square, other: Square) -> i32 {
    (one.0 - other.0).abs().max((one.1 - other.1).abs())
}

fn window() -> impl Iterator<Item = (usize, usize)> {
    let (left, top, width, height) = VIEW;
    (top..top + height).flat_map(move |y| (left..left + width).map(move |x| (x, y)))
}

fn index((x, y): Square) -> Option<usize> {
    ((0..SIZE.0).contains(&x) && (0..SIZE.1).contains(&y)).then_some((y * SIZE.0 + x) as usize)
}

fn square(index: usize) -> Square {
    (index as i32 % SIZE.0, index as i32 / SIZE.0)
}

/// Letters are somebody, but for the trees.
fn is_being(glyph: u8) -> bool {
    glyph == b'@' || (glyph.is_ascii_alphabetic() && glyph != b'T')
}

fn is_thing(glyph: u8) -> bool {
    b"$)[%!?".contains(&glyph)
}
