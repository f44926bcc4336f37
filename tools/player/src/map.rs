//! What the player has seen of the level: squares, things and monsters, put
//! together from a window that scrolls.

use std::collections::BTreeMap;
use std::ops::Range;

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
const AREA: usize = (SIZE.0 * SIZE.1) as usize;
const ORIGIN: Square = (100, 50);
const UNSEEN: u8 = 0;
const HIDDEN: u8 = 0xFF;
const NO_WAY: u16 = u16::MAX;

/// What is known of a square besides what it looks like.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
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
    glyphs: Vec<u8>,
    /// The glyphs that were seen, doors all closed: [`UNSEEN`] where somebody or
    /// something hides what the square is.
    sure: Vec<u8>,
    cells: Vec<Cell>,
    /// The columns and rows that were in the window so far; ends not included.
    columns: Range<i32>,
    rows: Range<i32>,
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
    distance: Vec<u16>,
    from: Vec<u8>,
    /// In the order of their distance.
    reached: Vec<Square>,
    start: Square,
}

impl Map {
    /// A level of which nothing is known but what is on the screen.
    pub fn new(screen: &Screen) -> Map {
        let mut map = Map {
            glyphs: vec![UNSEEN; AREA],
            sure: vec![UNSEEN; AREA],
            cells: vec![Cell::default(); AREA],
            columns: ORIGIN.0..ORIGIN.0,
            rows: ORIGIN.1..ORIGIN.1,
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
        let (left, top, width, height) = VIEW;
        let ((x, y), (right, bottom)) =
            (self.square(left, top), self.square(left + width, top + height));
        self.columns = self.columns.start.min(x)..self.columns.end.max(right);
        self.rows = self.rows.start.min(y)..self.rows.end.max(bottom);
        let player = screen.player();
        let blind = screen.status().is("Blind");
        for (x, y) in window() {
            let (glyph, colour) = screen.cell(x, y);
            if glyph == b' ' || glyph == 0 {
                continue;
            }
            let at = self.square(x, y);
            let Some(index) = index(at) else { continue };
            if Some((x, y)) == player {
                self.player = at;
                self.cells[index].stood |= !blind;
            }
            if is_being(glyph) || is_thing(glyph) {
                if self.glyphs[index] == UNSEEN {
                    self.glyphs[index] = b'.';
                }
                if is_thing(glyph) {
                    self.things.insert(at, glyph);
                } else if Some((x, y)) != player {
                    self.beings.push(Being { at, look: (glyph, colour) });
                }
                continue;
            }
            if self.glyphs[index] != glyph {
                self.cells[index].refused = false;
            }
            self.glyphs[index] = glyph;
            self.sure[index] = closed(glyph);
            if colour != DARK_GREY && !self.things.is_empty() {
                self.things.remove(&at);
            }
        }
    }

    /// How far the window has scrolled.
    fn shift(&self, screen: &Screen) -> Option<(i32, i32)> {
        const NEAR: [(i32, i32); 9] =
            [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];
        let shown = Shown::of(screen);
        for allowed in [0, 2] {
            let fits = NEAR.into_iter().find(|&shift| {
                let (same, other) = self.likeness(&shown, shift, allowed);
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
        let shown = Shown::of(screen);
        let all = (-30..=30).flat_map(|x| (-10..=10).map(move |y| (x, y)));
        let judged = all.map(|shift| (self.likeness(&shown, shift, i32::MAX), shift));
        let best = judged.max_by_key(|&((same, other), _)| same - 8 * other);
        best.filter(|&((same, other), _)| same >= 8 && other * 10 <= same).map(|(_, shift)| shift)
    }

    /// Squares that are what they were, and squares that are not, up to more of them
    /// than are allowed.
    fn likeness(&self, shown: &Shown, (dx, dy): (i32, i32), allowed: i32) -> (i32, i32) {
        let (mut same, mut other) = (0, 0);
        let (x, y) = self.square(VIEW.0, VIEW.1);
        let x = x + dx;
        let known = x.max(0)..(x + VIEW.2 as i32).min(SIZE.0);
        for (row, shown) in shown.0.iter().enumerate() {
            let (Some(start), Some(end)) = (
                index((known.start, y + dy + row as i32)),
                index((known.end - 1, y + dy + row as i32)),
            ) else {
                continue;
            };
            if end < start {
                return (0, 0); // nothing of it was ever in the window
            }
            let shown = &shown[(known.start - x) as usize..];
            let (mut alike, mut unlike) = (0u8, 0u8); // no row has more
            for (&sure, &shown) in self.sure[start..=end].iter().zip(shown) {
                let equal = closed(shown) == sure;
                let judged = sure != UNSEEN && shown != HIDDEN;
                let found = shown == b'/' && sure == b'#'; // a door that was secret
                alike += u8::from(judged & equal & (shown != b'.'));
                unlike += u8::from(judged & !equal & !found);
            }
            same += i32::from(alike);
            other += i32::from(unlike);
            if other > allowed {
                break;
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
        index(at).map_or(UNSEEN, |index| self.glyphs[index])
    }

    /// Squares that look so, where a step was not refused.
    pub fn find(&self, glyph: u8) -> impl Iterator<Item = Square> + '_ {
        self.rows.clone().flat_map(move |y| {
            let (start, end) = (self.columns.start.max(0), self.columns.end.min(SIZE.0));
            let row = index((start, y)).map_or(&[][..], |from| {
                &self.glyphs[from..from + (end - start).max(0) as usize] //
            });
            let here = row.iter().enumerate().filter(move |&(_, &known)| known == glyph);
            here.map(move |(x, _)| (start + x as i32, y))
        })
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
        let glyph = self.glyphs[index];
        let kind = matches!(glyph, b'.' | b'/' | b'+' | b'<' | b'>' | b'=' | b'"');
        (kind || (traps && glyph == b'^')) && !self.cells[index].refused
    }

    /// The ways from the player to everywhere, around everybody in sight but
    /// those in `past`.
    pub fn ways(&self, past: &[Square], traps: bool) -> Ways {
        let mut ways = Ways {
            distance: vec![NO_WAY; AREA],
            from: vec![0; AREA],
            reached: Vec::with_capacity(1000),
            start: self.player,
        };
        let Some(start) = index(self.player) else { return ways };
        ways.distance[start] = 0;
        ways.reached.push(self.player);
        let held: Vec<Square> =
            self.beings.iter().map(|being| being.at).filter(|at| !past.contains(at)).collect();
        let mut next = 0;
        while let Some(&at) = ways.reached.get(next) {
            next += 1;
            let Some(here) = index(at) else { continue };
            if past.contains(&at) {
                continue; // one goes to them, not through them
            }
            for (number, (to, _)) in around(at).enumerate() {
                let Some(there) = index(to) else { continue };
                if ways.distance[there] == NO_WAY
                    && (self.is_walkable(to, traps) || past.contains(&to))
                    && !held.contains(&to)
                {
                    ways.distance[there] = ways.distance[here] + 1;
                    ways.from[there] = number as u8;
                    ways.reached.push(to);
                }
            }
        }
        ways
    }
}

impl Ways {
    /// Squares that can be reached, the nearest first.
    pub fn reached(&self) -> impl Iterator<Item = Square> + '_ {
        self.reached.iter().copied()
    }

    /// Steps to a square, if there is a way.
    pub fn distance(&self, to: Square) -> Option<u32> {
        let distance = index(to).map(|index| self.distance[index]);
        distance.filter(|&distance| distance != NO_WAY).map(u32::from)
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

/// What is in the window now, row by row; [`HIDDEN`] where somebody or something is.
struct Shown([[u8; VIEW.2]; VIEW.3]);

impl Shown {
    fn of(screen: &Screen) -> Shown {
        let mut rows = [[HIDDEN; VIEW.2]; VIEW.3];
        for (y, row) in rows.iter_mut().enumerate() {
            for (x, shown) in row.iter_mut().enumerate() {
                let (glyph, _) = screen.cell(x + VIEW.0, y + VIEW.1);
                if !is_being(glyph) && !is_thing(glyph) {
                    *shown = glyph;
                }
            }
        }
        Shown(rows)
    }
}

/// An open door counts as a closed one.
fn closed(glyph: u8) -> u8 {
    if glyph == b'/' { b'+' } else { glyph }
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

/// Letters are somebody, but for the trees.
fn is_being(glyph: u8) -> bool {
    glyph == b'@' || (glyph.is_ascii_alphabetic() && glyph != b'T')
}

fn is_thing(glyph: u8) -> bool {
    b"$)[%!?".contains(&glyph)
}
