//! The PPU's operations (section 7): each is a set of points with colours, of
//! which those inside the picture are drawn.

use crate::flags::C;
use crate::memory::wrap;
use crate::{Cost, Oracle};

/// The framebuffer.
const PIXELS: u64 = 0xF1_0000;

/// Numbers of the registers that the operations take.
const X: u8 = 2;
const Y: u8 = 3;
const I: u8 = 5;
const J: u8 = 6;
const CL: u8 = 16 + 2 * 4;
const FL: u8 = 16 + 2 * 12;
const ELM: u8 = 64 + 8 + 5;

type Point = (i64, i64);

impl Oracle {
    /// The picture's size in pixels, in graphics modes.
    pub(crate) fn size(&self) -> Option<Point> {
        match self.mode {
            3 => Some((320, 200)),
            4 => Some((256, 224)),
            8 => Some((128, 128)),
            _ => None,
        }
    }

    /// Executes an instruction of this file. It touches the pixels inside the
    /// picture; if there are none, and in text modes, the carry is set.
    pub(crate) fn draw(&mut self, opcode: u8) -> Cost {
        let Some((width, height)) = self.size() else {
            self.set_flag(C, true);
            return Cost::Units(1);
        };
        let inside = |&(x, y): &Point| (0..width).contains(&x) && (0..height).contains(&y);
        let (colour, skipped) = (self.registers.read(CL) as u8, self.registers.read(FL) as u8);
        let (from, to) = ((self.word(X), self.word(Y)), (self.word(I), self.word(J)));
        let points: Vec<Point> = match opcode {
            190 => vec![from],
            191 => line(from, to),
            192 => rectangle(from, to, inside),
            193 => area(from, to, (width, height)).collect(),
            _ if to.0 <= 0 || to.1 <= 0 => Vec::new(),
            _ => {
                let last = (from.0 + to.0 - 1, from.1 + to.1 - 1);
                area(from, last, (width, height)).collect()
            }
        };
        let points: Vec<Point> = points.into_iter().filter(inside).collect();
        // All is read before anything is written: the source may be the picture.
        let colours: Vec<Option<u8>> = points
            .iter()
            .map(|&point| match opcode {
                194 => Some(self.source(point, from, to.0)),
                195 => Some(self.source(point, from, to.0)).filter(|&colour| colour != skipped),
                _ => Some(colour),
            })
            .collect();
        for (&point, colour) in points.iter().zip(colours) {
            if let Some(colour) = colour {
                self.set_pixel(point, colour);
            }
        }
        self.set_flag(C, points.is_empty());
        Cost::Units(1 + (points.len() as u64).div_ceil(4))
    }

    /// A coordinate is signed.
    fn word(&self, register: u8) -> i64 {
        i64::from(self.registers.read(register) as i16)
    }

    /// A pixel of PBLIT and PSPRITE: rows of I bytes from ELM on.
    fn source(&mut self, (x, y): Point, origin: Point, row: i64) -> u8 {
        let offset = (y - origin.1) * row + x - origin.0;
        self.memory.byte(wrap(self.registers.read(ELM) + offset as u64))
    }

    /// A byte in mode 4; elsewhere half a byte, the low one left.
    fn set_pixel(&mut self, (x, y): Point, colour: u8) {
        let (width, _) = self.size().expect("only graphics modes draw");
        let pixel = (y * width + x) as u64;
        if self.mode == 4 {
            self.memory.set_byte(wrap(PIXELS + pixel), colour);
            return;
        }
        let place = wrap(PIXELS + pixel / 2);
        let both = self.memory.byte(place);
        let new = if x % 2 == 0 { both & 0xF0 | colour & 0x0F } else { both & 0x0F | colour << 4 };
        self.memory.set_byte(place, new);
    }
}

/// PLINE, as the manual's sentence has it.
fn line((mut x, mut y): Point, to: Point) -> Vec<Point> {
    let (dx, dy) = ((to.0 - x).abs(), (to.1 - y).abs());
    let (step_x, step_y) = ((to.0 - x).signum(), (to.1 - y).signum());
    let mut points = vec![(x, y)];
    let mut e = dx - dy;
    while (x, y) != to {
        let t = 2 * e;
        if t >= -dy {
            e -= dy;
            x += step_x;
        }
        if t <= dx {
            e += dx;
            y += step_y;
        }
        points.push((x, y));
    }
    points
}

/// The points of a box between two corners, in rows, as far as they can be in
/// a picture of that size.
fn area(a: Point, b: Point, size: Point) -> impl Iterator<Item = Point> {
    let (left, right) = (a.0.min(b.0).max(0), a.0.max(b.0).min(size.0 - 1));
    let (top, bottom) = (a.1.min(b.1).max(0), a.1.max(b.1).min(size.1 - 1));
    (top..=bottom).flat_map(move |y| (left..=right).map(move |x| (x, y)))
}

/// The outline of a box, each point once.
fn rectangle(a: Point, b: Point, inside: impl Fn(&Point) -> bool) -> Vec<Point> {
    let (left, right, top, bottom) = (a.0.min(b.0), a.0.max(b.0), a.1.min(b.1), a.1.max(b.1));
    let mut points: Vec<Point> = (left..=right).flat_map(|x| [(x, top), (x, bottom)]).collect();
    points.extend((top..=bottom).flat_map(|y| [(left, y), (right, y)]));
    points.retain(inside);
    points.sort_unstable_by_key(|&(x, y)| (y, x));
    points.dedup();
    points
}
