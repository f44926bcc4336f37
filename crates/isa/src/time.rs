//! Machine time: counted units, never the host's clock (machine manual,
//! section 4).

/// Units in a second of the standard machine.
pub const UNITS_PER_SECOND: u64 = 1_280_000;
/// Units in a millisecond.
pub const UNITS_PER_MILLISECOND: u64 = 1_280;
/// Bytes, cells or pixels that one unit moves or looks at.
pub const TOUCHED_PER_UNIT: u64 = 4;
/// Units that a program has after it was asked to stop.
pub const STOP_UNITS: u64 = 1_280_000;

/// Where frame `n` ends, in units; frame 0 ends at 0.
pub const fn frame_end(n: u64) -> u64 {
    64_000 * n / 3
}

/// Units for `touched` bytes, cells, pixels or nodes' quarters, rounded up.
pub const fn units_for(touched: u64) -> u64 {
    touched.div_ceil(TOUCHED_PER_UNIT)
}
