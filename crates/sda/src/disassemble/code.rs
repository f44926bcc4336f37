//! Which bytes are code: what the entry leads to, and what only pointers lead
//! to, when trying it out goes well.

use std::collections::BTreeSet;

use isa::memory_map::ADDRESS_MASK;
use isa::{Decoded, Operand};

use super::address_set::AddressSet;
use crate::flow::{Flow, Image};
use crate::limits::{MOST_NAMES, MOST_STATEMENTS};

/// How often what was found may lead to more, and in all how many bytes are
/// looked at for that.
const ROUNDS: usize = 16;
const MOST_BYTES: usize = 1 << 25;
/// Instructions at most: the assembler takes so many statements, of which
/// labels and data are some.
const MOST_INSTRUCTIONS: usize = (MOST_STATEMENTS - MOST_NAMES as u64) as usize * 3 / 4;
/// Instructions of one trial.
const TRIAL: usize = 2000;
/// Instructions of all trials.
const TRIALS: usize = 4_000_000;
/// Zeros from which on they are no `LDA $0000` that somebody wrote.
const EMPTY: usize = 8;
/// Instructions of the shortest routine that is believed.
const SHORTEST: usize = 2;

/// Follows the paths from `entry`, and from what else looks like a routine:
/// an address with a name, an address that code loads or that data holds.
pub(super) fn find<'a>(image: &Image<'a>, entry: u32, names: &[(u32, String)]) -> Flow<'a> {
    let opcode = |mnemonic| isa::by_mnemonic(mnemonic).next().map(|row| row.opcode);
    let mut search = Search {
        image,
        entries: BTreeSet::from([entry]),
        refused: AddressSet::new(),
        left: TRIALS,
        opcodes: Opcodes { ret: opcode("RET"), jmp: opcode("JMP") },
    };
    let mut flow = search.follow();
    let bytes: usize = image.pieces().map(|(_, bytes)| bytes.len()).sum();
    for _ in 0..ROUNDS.min(1 + MOST_BYTES / bytes.max(1)) {
        // What led nowhere may lead to what is known now.
        search.refused = AddressSet::new();
        let before = search.entries.len();
        for &(address, _) in names {
            search.try_out(&flow, address);
        }
        search.try_loaded(&flow);
        search.try_pointers(&flow);
        if search.entries.len() == before {
            break;
        }
        flow = search.follow();
    }
    // What is beyond that is data, of which a statement holds more.
    let end = flow.starts().nth(MOST_INSTRUCTIONS);
    if let Some(end) = end {
        flow = search.follow_below(end);
    }
    flow
}

struct Search<'a, 'i> {
    image: &'i Image<'a>,
    entries: BTreeSet<u32>,
    /// What was tried out in vain.
    refused: AddressSet,
    /// Instructions that may still be tried.
    left: usize,
    opcodes: Opcodes,
}

/// The opcodes that routines end in.
struct Opcodes {
    ret: Option<u8>,
    jmp: Option<u8>,
}

impl<'a> Search<'a, '_> {
    fn follow(&self) -> Flow<'a> {
        self.follow_below(u32::MAX)
    }

    fn follow_below(&self, end: u32) -> Flow<'a> {
        let inside = self.entries.iter().copied().filter(|&at| !self.image.from(at).is_empty());
        Flow::follow(self.image, inside, &|address| address < end)
    }

    /// The addresses that instructions load.
    fn try_loaded(&mut self, flow: &Flow<'_>) {
        for decoded in flow.starts().filter_map(|address| flow.decoded(address)) {
            for operand in decoded.operands.iter().flatten() {
                if let Operand::Imm { value, width: 3 } = *operand {
                    self.try_out(flow, value as u32);
                }
            }
        }
    }

    /// The addresses in data of what stands behind the end of a routine or of
    /// a string.
    fn try_pointers(&mut self, flow: &Flow<'_>) {
        let beginnings = self.beginnings(flow);
        for (start, bytes) in self.image.pieces() {
            for (at, window) in bytes.windows(3).enumerate() {
                let target = u32::from_le_bytes([window[0], window[1], window[2], 0]);
                if beginnings.contains(target) && flow.covering(start + at as u32).is_none() {
                    self.try_out(flow, target);
                }
            }
        }
    }

    /// Where something may begin that is not known to be code: what comes
    /// before it ends there, a routine in a return or jump, a string in its
    /// zero, a table in the address of a routine. Asked for every three bytes
    /// of a large image, this is better known of all addresses beforehand.
    fn beginnings(&self, flow: &Flow<'_>) -> AddressSet {
        let mut entered = AddressSet::new();
        entered.extend(self.entries.iter().copied().chain(flow.calls()).chain(flow.entries()));
        entered.extend(flow.jumps().map(|(to, _)| to));
        let mut beginnings = AddressSet::new();
        for (start, bytes) in self.image.pieces() {
            let mut before = start.checked_sub(1).and_then(|before| flow.covering(before));
            for at in 0..bytes.len() {
                let address = start + at as u32;
                let covering = flow.covering(address);
                let step = std::mem::replace(&mut before, covering);
                let begins = match step {
                    _ if covering.is_some() => false,
                    Some(step) => !flow.falls(step),
                    None => self.ends_before(address, &entered),
                };
                if begins {
                    beginnings.insert(address);
                }
            }
        }
        beginnings
    }

    /// Whether the data before `address` ends there; `entered` are the
    /// routines.
    fn ends_before(&self, address: u32, entered: &AddressSet) -> bool {
        const NEAR: u32 = 4;
        let from = address.saturating_sub(NEAR);
        let near = self.image.from(from).get(..(address - from) as usize);
        match near {
            Some(&[jump, low, high, bank]) => {
                bank == 0
                    || Some(bank) == self.opcodes.ret
                    || Some(jump) == self.opcodes.jmp
                    || entered.contains(u32::from_le_bytes([low, high, bank, 0]))
            }
            // The first bytes of a piece.
            _ => {
                let before = address.checked_sub(1).map(|before| self.image.from(before));
                let before = before.and_then(|bytes| bytes.first().copied());
                before.is_none_or(|byte| byte == 0) || before == self.opcodes.ret
            }
        }
    }

    /// Makes `address` an entry if it looks like the beginning of a routine.
    fn try_out(&mut self, flow: &Flow<'_>, address: u32) {
        if !self.is_open(flow, address) {
            return;
        }
        if self.is_routine(flow, address) {
            self.entries.insert(address);
        } else {
            self.refused.insert(address);
        }
    }

    /// Whether nothing is known yet of an address of the image.
    fn is_open(&self, flow: &Flow<'_>, address: u32) -> bool {
        self.left > 0
            && !self.image.from(address).is_empty()
            && !self.refused.contains(address)
            && flow.covering(address).is_none()
            && !self.entries.contains(&address)
    }

    /// Whether every path from `address` is made of instructions that somebody
    /// would write, and ends.
    fn is_routine(&mut self, flow: &Flow<'_>, address: u32) -> bool {
        let mut met = BTreeSet::new();
        let mut waiting = vec![address];
        let (mut ends, mut joins, mut falls) = (false, false, false);
        while let Some(at) = waiting.pop() {
            if !met.insert(at) {
                continue;
            }
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            if met.len() > TRIAL {
                return ends;
            }
            let bytes = self.image.from(at);
            let Ok(decoded) = isa::decode(bytes) else { return false };
            if bytes.len() >= EMPTY && bytes[..EMPTY].iter().all(|&byte| byte == 0) {
                return false;
            }
            let next = (at + u32::from(decoded.length)) & ADDRESS_MASK;
            for target in targets(&decoded, next) {
                if !self.may_lead_to(flow, target) {
                    return false;
                }
                let is_known = flow.covering(target).is_some();
                joins |= is_known;
                if !is_known && !matches!(decoded.row.mnemonic, "CALL" | "BSR") {
                    waiting.push(target);
                }
            }
            if ends_path(&decoded) {
                ends = true;
            } else if flow.covering(next).is_some_and(|start| start == next) {
                falls = true;
            } else {
                waiting.push(next);
            }
        }
        // Data, too, ends where a routine begins, but it calls none.
        let is_believed = if falls { joins } else { ends };
        is_believed && met.len() >= SHORTEST
    }

    /// Whether a jump or call may go there: to where an instruction begins.
    fn may_lead_to(&self, flow: &Flow<'_>, target: u32) -> bool {
        match flow.covering(target) {
            Some(start) => start == target,
            None => isa::decode(self.image.from(target)).is_ok(),
        }
    }
}

/// The addresses that an instruction goes to or takes for such.
fn targets(decoded: &Decoded, next: u32) -> impl Iterator<Item = u32> {
    let is_table = decoded.row.mnemonic == "JTAB";
    decoded.operands.into_iter().flatten().filter_map(move |operand| match operand {
        Operand::Addr(address) if !is_table => Some(address),
        Operand::Rel(offset) => Some(next.wrapping_add_signed(offset.into()) & ADDRESS_MASK),
        _ => None,
    })
}

/// Whether nothing need come behind the instruction.
fn ends_path(decoded: &Decoded) -> bool {
    match decoded.row.mnemonic {
        "RET" | "IRET" | "JMP" | "BRA" | "JMPR" => true,
        "INT" => matches!(decoded.operands[0], Some(Operand::Imm { value: 0x20, .. })),
        _ => false,
    }
}
