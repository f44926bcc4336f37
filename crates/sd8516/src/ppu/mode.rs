//! The video modes: sizes and default colours (machine manual, section 7).

use super::font;
use serde::{Deserialize, Serialize};

/// A video mode; its number is the manual's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// Mode 1: text, 40×25.
    Text40x25 = 1,
    /// Mode 2: text, 80×25. Every program starts in it.
    #[default]
    Text80x25 = 2,
    /// Mode 3: 320×200 pixels in 16 colours.
    Pixels320x200 = 3,
    /// Mode 4: 256×224 pixels in 256 colours.
    Pixels256x224 = 4,
    /// Mode 6: text, 80×50.
    Text80x50 = 6,
    /// Mode 8: 128×128 pixels in 16 colours.
    Pixels128x128 = 8,
}

/// How a graphics mode lies in the framebuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pixels in a row.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// 16 colours: two pixels a byte, the low nibble left. Else 256 colours,
    /// one pixel a byte.
    pub packed: bool,
}

impl Layout {
    /// Bytes from one row to the next.
    pub fn stride(self) -> u32 {
        u32::from(self.width) / if self.packed { 2 } else { 1 }
    }

    /// Bytes of the whole picture.
    pub fn size(self) -> u32 {
        self.stride() * u32::from(self.height)
    }
}

impl Mode {
    /// All modes, by number.
    pub const ALL: [Mode; 6] = [
        Mode::Text40x25,
        Mode::Text80x25,
        Mode::Pixels320x200,
        Mode::Pixels256x224,
        Mode::Text80x50,
        Mode::Pixels128x128,
    ];

    /// The mode of this number, or `None`.
    pub fn from_number(number: u8) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.number() == number)
    }

    /// The mode's number: 1, 2, 3, 4, 6 or 8.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The framebuffer's layout; `None` in a text mode.
    pub fn layout(self) -> Option<Layout> {
        let (width, height, packed) = match self {
            Mode::Pixels320x200 => (320, 200, true),
            Mode::Pixels256x224 => (256, 224, false),
            Mode::Pixels128x128 => (128, 128, true),
            Mode::Text40x25 | Mode::Text80x25 | Mode::Text80x50 => return None,
        };
        Some(Layout { width, height, packed })
    }

    /// Columns of text; in a graphics mode, whose text is not shown, as many
    /// as would fit.
    pub fn columns(self) -> u8 {
        match (self, self.layout()) {
            (_, Some(layout)) => (layout.width / u16::from(font::WIDTH)) as u8,
            (Mode::Text40x25, None) => 40,
            _ => 80,
        }
    }

    /// Rows of text, as [`Mode::columns`].
    pub fn rows(self) -> u8 {
        match (self, self.layout()) {
            (_, Some(layout)) => (layout.height / u16::from(font::HEIGHT)) as u8,
            (Mode::Text80x50, None) => 50,
            _ => 25,
        }
    }

    /// Cells of text: columns × rows, at most 4,000.
    pub fn cells(self) -> u32 {
        u32::from(self.columns()) * u32::from(self.rows())
    }

    /// The colour byte that clearing leaves: `$07` in text, 0 in graphics.
    pub fn default_colour(self) -> u8 {
        if self.layout().is_some() { 0x00 } else { 0x07 }
    }
}
