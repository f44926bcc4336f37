//! Drawing into the framebuffer: the six PPU operations, clipped so that only
//! pixels inside the picture are visited (machine manual, section 7).

use super::Ppu;
use super::mode::Layout;
use crate::Memory;
use isa::memory_map::FRAMEBUFFER;

/// A PPU operation; the discriminant is the number that INT $03 takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// One pixel at X, Y.
    Pixel = 1,
    /// A line from X, Y to I, J, both ends drawn.
    Line = 2,
    /// The outline of the rectangle with corners X, Y and I, J.
    Rectangle = 3,
    /// The same rectangle, filled.
    Fill = 4,
    /// I × J pixels, one a byte, copied to X, Y.
    Blit = 5,
    /// The same, but pixels equal to `transparent` are skipped.
    Sprite = 6,
}

impl Operation {
    /// The operation with this number, 1–6.
    pub fn from_number(number: u8) -> Option<Operation> {
        use Operation::*;
        [Pixel, Line, Rectangle, Fill, Blit, Sprite].into_iter().find(|op| *op as u8 == number)
    }
}

/// The registers that the operations read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// Register X, signed.
    pub x: i16,
    /// Register Y, signed.
    pub y: i16,
    /// Register I, signed.
    pub i: i16,
    /// Register J, signed.
    pub j: i16,
    /// Register CL; its low nibble counts in 16 colours.
    pub colour: u8,
    /// Register ELM, 24 bits.
    pub source: u32,
    /// Register FL.
    pub transparent: u8,
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// No pixel lies inside the picture, or the mode is a text mode: carry.
    pub outside: bool,
    /// Pixels inside the picture, skipped ones included.
    pub touched: u64,
}

impl Drawn {
    fn pixels(touched: u64) -> Drawn {
        Drawn { outside: touched == 0, touched }
    }
}

impl Ppu {
    /// Performs a PPU operation.
    pub fn draw(&self, memory: &mut Memory, operation: Operation, operands: &Operands) -> Drawn {
        let Some(layout) = self.mode().layout() else { return Drawn::pixels(0) };
        let mut canvas = Canvas { layout, memory };
        let Operands { x, y, i, j, colour, .. } = *operands;
        let (from, to) = ((i32::from(x), i32::from(y)), (i32::from(i), i32::from(j)));
        Drawn::pixels(match operation {
            Operation::Pixel => canvas.fill(from, from, colour),
            Operation::Line => canvas.line(from, to, colour),
            Operation::Rectangle => canvas.rectangle(from, to, colour),
            Operation::Fill => canvas.fill(from, to, colour),
            Operation::Blit => canvas.blit(operands, None),
            Operation::Sprite => canvas.blit(operands, Some(operands.transparent)),
        })
    }

    /// Fills the whole graphics picture with a colour.
    pub fn clear_pixels(&self, memory: &mut Memory, colour: u8) -> Drawn {
        self.draw(
            memory,
            Operation::Fill,
            &Operands { i: i16::MAX, j: i16::MAX, colour, ..Operands::default() },
        )
    }

    /// The graphics picture, one palette index a byte, with width and height.
    pub(super) fn pixels_drawn(&self, memory: &Memory) -> (Vec<u8>, u16, u16) {
        let Some(layout) = self.mode().layout() else { return (Vec::new(), 0, 0) };
        let bytes = memory.slice(FRAMEBUFFER.start..FRAMEBUFFER.start + layout.size());
        let pixels = if layout.packed {
            bytes.iter().flat_map(|pair| [pair & 0x0F, pair >> 4]).collect()
        } else {
            bytes.to_vec()
        };
        (pixels, layout.width, layout.height)
    }
}

type Point = (i32, i32);

/// The framebuffer in the layout of the mode.
struct Canvas<'m> {
    layout: Layout,
    memory: &'m mut Memory,
}

impl Canvas<'_> {
    fn width(&self) -> i32 {
        self.layout.width.into()
    }

    fn height(&self) -> i32 {
        self.layout.height.into()
    }

    /// Sets a pixel; 1 when it lies inside, else 0.
    fn set(&mut self, (x, y): Point, colour: u8) -> u64 {
        if !(0..self.width()).contains(&x) || !(0..self.height()).contains(&y) {
            return 0;
        }
        let (x, y) = (x as u32, y as u32);
        let row = FRAMEBUFFER.start + y * self.layout.stride();
        if self.layout.packed {
            let address = row + x / 2;
            let shift = 4 * (x % 2);
            let pair = self.memory.byte(address) & !(0x0F << shift);
            self.memory.set_byte(address, pair | (colour & 0x0F) << shift);
        } else {
            self.memory.set_byte(row + x, colour);
        }
        1
    }

    fn fill(&mut self, a: Point, b: Point, colour: u8) -> u64 {
        let (left, right) = (a.0.min(b.0).max(0), a.0.max(b.0).min(self.width() - 1));
        let (top, bottom) = (a.1.min(b.1).max(0), a.1.max(b.1).min(self.height() - 1));
        let mut touched = 0;
        for y in top..=bottom {
            for x in left..=right {
                touched += self.set((x, y), colour);
            }
        }
        touched
    }

    /// Four edges, each pixel once.
    fn rectangle(&mut self, a: Point, b: Point, colour: u8) -> u64 {
        let (left, right) = (a.0.min(b.0), a.0.max(b.0));
        let (top, bottom) = (a.1.min(b.1), a.1.max(b.1));
        let mut touched = self.fill((left, top), (right, top), colour);
        if bottom > top {
            touched += self.fill((left, bottom), (right, bottom), colour);
        }
        if bottom - top > 1 {
            touched += self.fill((left, top + 1), (left, bottom - 1), colour);
            if right > left {
                touched += self.fill((right, top + 1), (right, bottom - 1), colour);
            }
        }
        touched
    }

    /// Bresenham's line. The longer axis steps with every pixel; after n
    /// steps the shorter one, by the manual's error term, has stepped
    /// ⌊(2·n·short + long) / (2·long)⌋ times. So the steps outside the picture
    /// need not be walked.
    fn line(&mut self, from: Point, to: Point, colour: u8) -> u64 {
        let (dx, dy) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        let (sign_x, sign_y) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let steep = dy > dx;
        let (long, short) = if steep { (dy, dx) } else { (dx, dy) };
        let (start, sign, size) =
            if steep { (from.1, sign_y, self.height()) } else { (from.0, sign_x, self.width()) };
        // the steps n at which start + sign × n is inside
        let (first, last) = match sign {
            0 => (0, 0),
            1 => (-start, size - 1 - start),
            _ => (start - (size - 1), start),
        };
        let mut touched = 0;
        for n in first.max(0)..=last.min(long) {
            let minor = if long == 0 {
                0
            } else {
                let (n, short, long) = (i64::from(n), i64::from(short), i64::from(long));
                ((2 * n * short + long) / (2 * long)) as i32
            };
            let (step_x, step_y) = if steep { (minor, n) } else { (n, minor) };
            touched += self.set((from.0 + sign_x * step_x, from.1 + sign_y * step_y), colour);
        }
        touched
    }

    /// I × J source pixels to X, Y. All are read before one is written, as
    /// the source may lie in the framebuffer.
    fn blit(&mut self, operands: &Operands, transparent: Option<u8>) -> u64 {
        let (x, y) = (i32::from(operands.x), i32::from(operands.y));
        let (width, height) = (i32::from(operands.i), i32::from(operands.j));
        let columns = (-x).max(0)..width.min(self.width() - x);
        let rows = (-y).max(0)..height.min(self.height() - y);
        let mut pixels = Vec::new();
        for row in rows.clone() {
            for column in columns.clone() {
                let offset = (row * width + column) as u32;
                pixels.push(self.memory.byte(operands.source.wrapping_add(offset)));
            }
        }
        let mut pixels = pixels.into_iter();
        let mut touched = 0;
        for row in rows {
            for (column, pixel) in columns.clone().zip(&mut pixels) {
                touched += 1;
                if transparent != Some(pixel) {
                    self.set((x + column, y + row), pixel);
                }
            }
        }
        touched
    }
}
