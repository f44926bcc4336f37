//! What is visible: a copy of the planes, colours and cursor that a front end
//! can keep, compare and draw.

use super::mode::Mode;
use super::palette::ENTRIES;
use serde::{Deserialize, Serialize};

/// A picture of the screen at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The video mode it was made in.
    pub mode: Mode,
    /// Columns of text.
    pub columns: u8,
    /// Rows of text.
    pub rows: u8,
    /// Glyph codes, row × columns + column.
    pub glyphs: Vec<u8>,
    /// Colour bytes: high nibble background, low nibble foreground.
    pub colours: Vec<u8>,
    /// The active palette, (red, green, blue).
    #[serde(with = "palette_as_list")]
    pub palette: [[u8; 3]; ENTRIES],
    /// Column and row of the cursor when it is on.
    pub cursor: Option<(u8, u8)>,
    /// A graphics mode's pixels, one palette index a byte, row by row; empty
    /// in a text mode.
    pub pixels: Vec<u8>,
    /// Pixels in a row; 0 in a text mode.
    pub width: u16,
    /// Rows of pixels; 0 in a text mode.
    pub height: u16,
}

/// serde has arrays of up to 32 only.
mod palette_as_list {
    use super::ENTRIES;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(
        palette: &[[u8; 3]; ENTRIES],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        palette.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[[u8; 3]; ENTRIES], D::Error> {
        let list = Vec::<[u8; 3]>::deserialize(deserializer)?;
        list.try_into().map_err(|_| D::Error::custom("a palette has 256 entries"))
    }
}
