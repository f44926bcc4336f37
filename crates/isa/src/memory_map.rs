//! Addresses and sizes of the machine: the memory map, the device cells and
//! the areas that a program image may cover (machine manual, sections 5–8).

use std::ops::Range;

/// Bytes of memory: 16 MB, addresses of 24 bits.
pub const MEMORY_SIZE: usize = 1 << 24;
/// The bits of an address; address arithmetic wraps here and nowhere else.
pub const ADDRESS_MASK: u32 = 0xFF_FFFF;

/// Kernal variables.
pub const KERNAL_VARIABLES: Range<u32> = 0x01_0000..0x01_0100;
/// Where a kernal, such as the shell, is loaded.
pub const KERNAL: Range<u32> = 0x01_0100..0x01_DC00;
/// The stack; SP starts at the end and grows down.
pub const STACK: Range<u32> = 0x01_DC00..0x01_E000;
/// Character ROM copy: 256 glyphs of 8 rows, bit 7 leftmost.
pub const CHARACTER_ROM: Range<u32> = 0x01_E000..0x01_E800;
/// Kernal workspace, with the exit stub in it.
pub const KERNAL_WORKSPACE: Range<u32> = 0x01_E800..0x01_E900;
/// `LDA $0000`, `INT $20`: where the first RET of a program goes.
pub const EXIT_STUB: u32 = 0x01_E8F0;
/// The bytes of the exit stub.
pub const EXIT_STUB_CODE: [u8; 6] = [0x00, 0x00, 0x00, 0x00, 0x88, 0x20];
/// 256 interrupt vectors of 3 bytes.
pub const VECTORS: Range<u32> = 0x01_E900..0x01_EC00;
/// Bytes of one interrupt vector.
pub const VECTOR_SIZE: u32 = 3;
/// The vector called at the end of a frame.
pub const FRAME_VECTOR: u8 = 8;
/// The vector called when the user or the host asks the program to stop.
pub const STOP_VECTOR: u8 = 9;
/// Kernal scratch and input buffer.
pub const KERNAL_SCRATCH: Range<u32> = 0x01_EC00..0x01_EE00;

/// Device cells: RAM that the machine samples and rewrites.
pub mod device {
    use core::ops::Range;

    /// All device cells.
    pub const CELLS: Range<u32> = 0x01_EF00..0x01_EFC0;
    /// Current video mode, a copy to read; 1 byte, as the five after it.
    pub const VIDEO_MODE: u32 = 0x01_EF00;
    /// Text columns of the mode.
    pub const COLUMNS: u32 = 0x01_EF01;
    /// Text rows of the mode.
    pub const ROWS: u32 = 0x01_EF02;
    /// Width of a character in pixels.
    pub const CHAR_WIDTH: u32 = 0x01_EF03;
    /// Height of a character in pixels.
    pub const CHAR_HEIGHT: u32 = 0x01_EF04;
    /// Number of the palette last chosen.
    pub const VIDEO_PALETTE: u32 = 0x01_EF05;
    /// Colour byte of the next glyph written; sampled.
    pub const VIDEO_CHAR_COLOR: u32 = 0x01_EF06;
    /// Bit 0: VSTOP, the visible picture is held; sampled.
    pub const VIDEO_FLAGS: u32 = 0x01_EF07;
    /// Bit of [`VIDEO_FLAGS`] that holds the visible picture.
    pub const VSTOP: u8 = 1;
    /// Machine time in milliseconds, 4 bytes.
    pub const VIDEO_CLOCK: u32 = 0x01_EF08;
    /// 1 while a blinking cursor is in its visible half.
    pub const CURSOR_BLINK: u32 = 0x01_EF0C;
    /// 1 when the cursor is on; sampled.
    pub const CURSOR_STATE: u32 = 0x01_EF0D;
    /// Cursor column, at most COLUMNS; sampled.
    pub const CURSOR_X: u32 = 0x01_EF0E;
    /// Cursor row, at most ROWS − 1; sampled.
    pub const CURSOR_Y: u32 = 0x01_EF0F;
    /// Modifier flags of the last key.
    pub const KBD_STATUS_FLAGS: u32 = 0x01_EF10;
    /// Keys waiting, 0–16.
    pub const KEYBOARD_COUNT: u32 = 0x01_EF11;
    /// 16 × (code, flags) of the keys waiting, for reading.
    pub const KEYBOARD_BUFFER: u32 = 0x01_EF12;
    /// State of the random number generator, 4 bytes.
    pub const RNG_STATE: u32 = 0x01_EF34;
    /// Frames that have ended, 4 bytes.
    pub const FRAME_COUNTER: u32 = 0x01_EF38;
    /// Sound, 4 voices of 16 bytes; sampled.
    pub const SOUND: Range<u32> = 0x01_EF80..0x01_EFC0;
    /// Bytes of one voice.
    pub const VOICE_SIZE: u32 = 16;
}

/// Argument string of the program, zero-terminated.
pub const ARGUMENTS: Range<u32> = 0x02_0000..0x02_0100;
/// Where a program's code and data start.
pub const USER_ORIGIN: u32 = 0x02_0100;
/// The file system's command block: shows the last INT $15 call.
pub const FS_COMMAND_BLOCK: Range<u32> = 0x02_DD00..0x02_DF00;
/// Text glyph plane: row × columns + column.
pub const TEXT_GLYPHS: Range<u32> = 0xF0_0000..0xF0_1000;
/// Text colour plane: high nibble background, low nibble foreground.
pub const TEXT_COLOURS: Range<u32> = 0xF0_1000..0xF0_2000;
/// Graphics framebuffer.
pub const FRAMEBUFFER: Range<u32> = 0xF1_0000..0xF3_0000;
/// Active palette, 256 × (red, green, blue).
pub const PALETTE: Range<u32> = 0xF3_0000..0xF3_0300;

/// What a program's image may cover.
pub const PROGRAM_AREAS: [Range<u32>; 3] =
    [0x00_0000..0x01_0000, USER_ORIGIN..0x02_DD00, 0x02_DF00..0xF0_0000];
/// What the image of a program may cover when it is built as a kernal.
pub const KERNAL_AREAS: [Range<u32>; 4] =
    [0x00_0000..0x01_0000, KERNAL, USER_ORIGIN..0x02_DD00, 0x02_DF00..0xF0_0000];
/// What a raw binary, loaded at [`USER_ORIGIN`], may cover.
pub const RAW_AREA: Range<u32> = USER_ORIGIN..0x02_DD00;
/// The first bytes of a `.prg` file.
pub const IMAGE_MAGIC: [u8; 4] = *b"SDX1";

/// What the BIOS zeroes before it runs a program (INT $20 $01), with bank 0.
pub const PROGRAM_MEMORY: Range<u32> = 0x02_0000..0xF0_0000;
