//! Codes of keys that are no character, and the modifier flags that come
//! with a key (machine manual, section 7).

/// Codes as they arrive in the keyboard buffer.
pub mod code {
    #![allow(missing_docs)]
    pub const BACKSPACE: u8 = 8;
    pub const TAB: u8 = 9;
    pub const ENTER: u8 = 13;
    pub const ESCAPE: u8 = 27;
    pub const SPACE: u8 = 32;
    pub const DELETE: u8 = 127;
    pub const LEFT: u8 = 0x80;
    pub const DOWN: u8 = 0x81;
    pub const UP: u8 = 0x82;
    pub const RIGHT: u8 = 0x83;
    pub const HOME: u8 = 0x84;
    pub const END: u8 = 0x85;
    pub const PAGE_UP: u8 = 0x86;
    pub const PAGE_DOWN: u8 = 0x87;
    pub const INSERT: u8 = 0x88;
    /// F1; F2 to F12 follow.
    pub const F1: u8 = 0x90;
}

/// Modifier flags of a key.
pub mod modifier {
    /// Shift was held.
    pub const SHIFT: u8 = 0x10;
    /// Control was held.
    pub const CTRL: u8 = 0x20;
    /// Alt was held.
    pub const ALT: u8 = 0x40;
}

/// Keys that the buffer holds; further ones are dropped.
pub const BUFFER_SIZE: usize = 16;
