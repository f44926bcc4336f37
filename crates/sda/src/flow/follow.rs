//! How paths are followed: a worklist of addresses, with what AH is known to
//! hold there, until nothing new is reached.

use std::collections::BTreeSet;

use isa::memory_map::ADDRESS_MASK;
use isa::{Decoded, MAX_LENGTH, Operand};

use super::ways::Ways;
use super::{Flow, Image, Marks, Stop, Stray, Table, mark};

/// The interrupt whose function 0 ends the program.
const PROGRAMS: u64 = 0x20;
/// That function.
const EXIT: u8 = 0;
/// AH in the masks of [`Reg::halves`].
const AH: u32 = 2;
/// Entries of all jump tables together; tables beyond them are not followed.
const MOST_ENTRIES: usize = 1 << 20;

pub(super) fn follow<'a>(
    image: Image<'a>,
    entries: BTreeSet<u32>,
    may_be_code: &dyn Fn(u32) -> bool,
) -> Flow<'a> {
    let flow = Flow {
        image,
        marks: Marks::default(),
        tables: BTreeSet::new(),
        strays: Vec::new(),
        entries: entries.clone(),
        calls: Vec::new(),
        jumps: Vec::new(),
    };
    let mut work = Work {
        flow,
        may_be_code,
        waiting: Vec::new(),
        callers: Ways::default(),
        jumps: Ways::default(),
        table_entries: 0,
    };
    for entry in entries.into_iter().rev() {
        work.arrive(None, entry, None);
    }
    while let Some(address) = work.waiting.pop() {
        work.visit(address);
    }
    work.finish()
}

struct Work<'a, 'c> {
    flow: Flow<'a>,
    may_be_code: &'c dyn Fn(u32) -> bool,
    waiting: Vec<u32>,
    callers: Ways,
    jumps: Ways,
    table_entries: usize,
}

impl<'a> Work<'a, '_> {
    fn finish(self) -> Flow<'a> {
        let Work { mut flow, callers, jumps, .. } = self;
        flow.strays.sort_unstable();
        flow.strays.dedup();
        flow.calls = callers.targets().collect();
        drop(callers);
        flow.jumps = jumps.sorted();
        flow
    }

    /// A path comes to `address`.
    fn arrive(&mut self, from: Option<u32>, address: u32, ah: Option<u8>) {
        let marks = &mut self.flow.marks;
        if !marks.has(address, mark::MET) {
            marks.set(address, mark::MET);
            marks.set_ah(address, ah);
            match self.decode(address) {
                Ok(decoded) => {
                    let marks = &mut self.flow.marks;
                    marks.set(address, mark::STEP);
                    for at in 1..u32::from(decoded.length) {
                        marks.set(address + at, mark::INSIDE);
                    }
                    self.waiting.push(address);
                }
                Err(what) => {
                    self.flow.strays.push(Stray { from, to: address, what });
                }
            }
        } else if !marks.has(address, mark::STEP) {
            if let Err(what) = self.decode(address) {
                self.flow.strays.push(Stray { from, to: address, what });
            }
        } else if marks.ah(address).is_some_and(|known| ah != Some(known)) {
            marks.set_ah(address, None);
            self.waiting.push(address);
        }
    }

    fn decode(&self, address: u32) -> Result<Decoded, Stop> {
        let bytes = self.flow.image.from(address);
        if bytes.is_empty() || !(self.may_be_code)(address) {
            return Err(Stop::Outside);
        }
        if let Some(other) = covering(&self.flow.marks, address) {
            return Err(Stop::Within(other));
        }
        let decoded = isa::decode(bytes).map_err(|_| Stop::Undecodable)?;
        let end = address + u32::from(decoded.length);
        if let Some(other) = (address..end).find(|&at| self.flow.marks.has(at, mark::STEP)) {
            return Err(Stop::Within(other));
        }
        if (address..end).all(self.may_be_code) { Ok(decoded) } else { Err(Stop::Undecodable) }
    }

    fn visit(&mut self, address: u32) {
        let Ok(decoded) = isa::decode(self.flow.image.from(address)) else { return };
        let next = (address + u32::from(decoded.length)) & ADDRESS_MASK;
        let before = self.flow.marks.ah(address);
        let after = ah_after(&decoded, before);
        let target = target(&decoded, next);
        // Who comes twice has lost what AH was and leads where it did.
        let is_new = !self.flow.marks.has(address, mark::VISITED);
        self.flow.marks.set(address, mark::VISITED);
        match decoded.row.mnemonic {
            "RET" | "IRET" | "JMPR" => self.can_return(address),
            "JMP" | "BRA" => self.jump(address, target, after, is_new),
            "CALL" | "BSR" => {
                let Some(target) = target else { return };
                if is_new {
                    self.callers.add(target, address);
                }
                self.arrive(None, target, None);
                // What cannot be followed is taken to return.
                let marks = &self.flow.marks;
                if marks.has(target, mark::RETURNS) || !marks.has(target, mark::STEP) {
                    self.fall(address, next, None);
                }
            }
            "INT" => {
                let programs = Some(Operand::Imm { value: PROGRAMS, width: 1 });
                if decoded.operands[0] != programs || before != Some(EXIT) {
                    self.fall(address, next, after);
                }
            }
            "JTAB" => {
                self.follow_table(address, &decoded, after, is_new);
                self.fall(address, next, after);
            }
            _ => {
                self.jump(address, target, after, is_new);
                self.fall(address, next, after);
            }
        }
    }

    fn jump(&mut self, from: u32, target: Option<u32>, ah: Option<u8>, is_new: bool) {
        let Some(target) = target else { return };
        if is_new {
            self.jumps.add(target, from);
        }
        self.arrive(Some(from), target, ah);
        self.return_as(from, target);
    }

    fn fall(&mut self, from: u32, next: u32, ah: Option<u8>) {
        self.flow.marks.set(from, mark::FALLS);
        self.arrive(Some(from), next, ah);
        self.return_as(from, next);
    }

    /// `from` leads to `to`: it returns when that does, or when that cannot
    /// be followed.
    fn return_as(&mut self, from: u32, to: u32) {
        let marks = &self.flow.marks;
        if marks.has(to, mark::RETURNS) || !marks.has(to, mark::STEP) {
            self.can_return(from);
        }
    }

    fn follow_table(&mut self, from: u32, decoded: &Decoded, ah: Option<u8>, is_new: bool) {
        let Some(table) = table(&self.flow.image, from, decoded) else { return };
        if !self.flow.tables.contains(&table) {
            self.table_entries += usize::from(table.entries);
            if self.table_entries > MOST_ENTRIES {
                return;
            }
            self.flow.tables.insert(table);
        }
        let entries: Vec<u32> = entries(&self.flow.image, table).collect();
        for target in entries {
            self.jump(from, Some(target), ah, is_new);
        }
    }

    /// A path from `address` reaches a return: so does one from whatever
    /// leads there, and calls of it lead on.
    fn can_return(&mut self, address: u32) {
        let mut waiting = vec![address];
        while let Some(address) = waiting.pop() {
            if self.flow.marks.has(address, mark::RETURNS) {
                continue;
            }
            self.flow.marks.set(address, mark::RETURNS);
            waiting.extend(falling_into(&self.flow, address));
            waiting.extend(self.jumps.to(address));
            for caller in self.callers.to(address).collect::<Vec<_>>() {
                let Ok(call) = isa::decode(self.flow.image.from(caller)) else { continue };
                let next = (caller + u32::from(call.length)) & ADDRESS_MASK;
                self.flow.marks.set(caller, mark::FALLS);
                self.arrive(Some(caller), next, None);
                let marks = &self.flow.marks;
                if marks.has(next, mark::RETURNS) || !marks.has(next, mark::STEP) {
                    waiting.push(caller);
                }
            }
        }
    }
}

/// The instruction, a few bytes before `address`, that leads on to it.
fn falling_into(flow: &Flow<'_>, address: u32) -> Option<u32> {
    let before = (1..=MAX_LENGTH as u32).filter_map(|back| address.checked_sub(back));
    before.filter(|&from| flow.marks.has(from, mark::STEP | mark::FALLS)).find(|&from| {
        isa::decode(flow.image.from(from)).is_ok_and(|one| from + u32::from(one.length) == address)
    })
}

/// Where the instruction begins that the byte at `address` belongs to.
pub(super) fn covering(marks: &Marks, address: u32) -> Option<u32> {
    if marks.has(address, mark::STEP) {
        return Some(address);
    }
    if !marks.has(address, mark::INSIDE) {
        return None;
    }
    (1..MAX_LENGTH as u32)
        .filter_map(|back| address.checked_sub(back))
        .find(|&at| marks.has(at, mark::STEP))
}

/// Where a jump, branch or call leads.
pub(super) fn target(decoded: &Decoded, next: u32) -> Option<u32> {
    decoded.operands.iter().flatten().find_map(|operand| match *operand {
        Operand::Addr(address) if decoded.row.mnemonic != "JTAB" => Some(address),
        Operand::Rel(offset) => Some(next.wrapping_add_signed(offset.into()) & ADDRESS_MASK),
        _ => None,
    })
}

/// The table of a `JTAB`, cut at the end of the image.
pub(super) fn table(image: &Image<'_>, user: u32, decoded: &Decoded) -> Option<Table> {
    let [_, Some(Operand::Imm { value, .. }), Some(Operand::Addr(address)), _] = decoded.operands
    else {
        return None;
    };
    let room = image.from(address).len() / 3;
    let entries = (value as u16).min(u16::try_from(room).unwrap_or(u16::MAX));
    (entries > 0).then_some(Table { address, entries, user })
}

/// Where a table leads.
pub(super) fn entries<'a>(image: &'a Image<'_>, table: Table) -> impl Iterator<Item = u32> + 'a {
    (0..u32::from(table.entries)).filter_map(move |at| image.pointer(table.address + 3 * at))
}

/// What AH holds behind an instruction.
fn ah_after(decoded: &Decoded, before: Option<u8>) -> Option<u8> {
    if let ("LD", [Some(Operand::Reg(reg)), Some(Operand::Imm { value, .. }), ..]) =
        (decoded.row.mnemonic, decoded.operands)
        && reg.halves() & AH != 0
    {
        // AH is the second byte of every register that has it and AL.
        let below = (reg.halves() & (AH - 1)).count_ones();
        return Some((value >> (8 * below)) as u8);
    }
    if let ("XOR" | "SUB", [Some(Operand::Reg(to)), Some(Operand::Reg(from)), ..]) =
        (decoded.row.mnemonic, decoded.operands)
        && to == from
        && to.halves() & AH != 0
    {
        return Some(0);
    }
    let served = matches!(decoded.row.mnemonic, "CALLR" | "INT");
    if served || decoded.writes() & AH != 0 { None } else { before }
}
