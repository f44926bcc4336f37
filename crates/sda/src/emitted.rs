//! What a line of a source became: address, bytes and machine time, for
//! whoever points at it.

use crate::listing::units;
use crate::program::Program;

/// The bytes that one line emitted, or that one of its expansions did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted<'a> {
    /// Where the first byte lies, 24 bits.
    pub address: u32,
    /// The bytes; none for what is only reserved.
    pub bytes: &'a [u8],
    /// Bytes emitted or reserved.
    pub size: u32,
    /// Units of machine time of an instruction, as the listing writes them:
    /// `1`, `1+` where it depends on an amount, `1-2` where it depends on the
    /// way. `None` for data.
    pub time: Option<String>,
}

impl Program {
    /// What line `line`, from 1, of the files that `is_file` knows by name
    /// became, in the order of reading: several pieces when it calls a macro
    /// or is read more than once.
    pub fn emitted(&self, is_file: impl Fn(&str) -> bool, line: u32) -> Vec<Emitted<'_>> {
        let files: Vec<bool> = self.sources.names().map(is_file).collect();
        let is_there = |place: (usize, u32)| place.1 == line && files[place.0];
        let statements = self.statements().iter();
        let here =
            statements.filter(|one| is_there((one.source, one.line)) || is_there(one.caller));
        here.map(|one| {
            let bytes = self.bytes_of(one);
            let time = one.code.then(|| units(bytes));
            Emitted { address: one.address, bytes, size: one.size, time }
        })
        .collect()
    }
}
