//! Which neighbours become one operation. Each pair saves a dispatch, the
//! dearest part of a short instruction.

use isa::Arg::{Imm, MemAbs, MemDisp, MemIndex, MemReg, Reg};
use isa::Instruction;

use super::arithmetic::{And, Immediate, Register, Sub};
use super::block::{Op, Run};
use super::control::condition::{CARRY, NO_CARRY, NOT_ZERO, ZERO};
use super::decode::Item;
use super::fused::{
    compare_and_jump, count_and_jump, count_compare_and_jump, count_down, load_and_jump,
    load_compare_and_jump,
};
use super::moves::{Absolute, Displaced, Indexed, Pointer};

/// A generic function for one of the widths that loops and comparisons are
/// made of.
macro_rules! at_width {
    ($width:expr, $function:ident $(, $generic:ty)*; $($constant:expr),*) => {
        match $width {
            1 => $function::<1 $(, $generic)* $(, { $constant })*> as Run,
            2 => $function::<2 $(, $generic)* $(, { $constant })*>,
            3 => $function::<3 $(, $generic)* $(, { $constant })*>,
            4 => $function::<4 $(, $generic)* $(, { $constant })*>,
            _ => return None,
        }
    };
}

/// A function for one of four conditions.
macro_rules! on_condition {
    ($condition:expr, $width:expr, $function:ident $(, $generic:ty)*; $($constant:expr),*) => {
        match $condition {
            ZERO => at_width!($width, $function $(, $generic)*; $($constant,)* ZERO),
            NOT_ZERO => at_width!($width, $function $(, $generic)*; $($constant,)* NOT_ZERO),
            CARRY => at_width!($width, $function $(, $generic)*; $($constant,)* CARRY),
            NO_CARRY => at_width!($width, $function $(, $generic)*; $($constant,)* NO_CARRY),
            _ => return None,
        }
    };
}

/// The same for a load of a byte or a word and the jump behind it.
macro_rules! load_and_jump {
    ($condition:expr, $width:expr, $addressing:ty) => {
        match ($condition, $width) {
            (ZERO, 1) => load_and_jump::<1, $addressing, ZERO>,
            (NOT_ZERO, 1) => load_and_jump::<1, $addressing, NOT_ZERO>,
            (ZERO, 2) => load_and_jump::<2, $addressing, ZERO>,
            (NOT_ZERO, 2) => load_and_jump::<2, $addressing, NOT_ZERO>,
            _ => return None,
        }
    };
}

/// The same with a comparison between them.
macro_rules! load_compare_and_jump {
    ($condition:expr, $width:expr, $addressing:ty) => {
        match ($condition, $width) {
            (ZERO, 1) => load_compare_and_jump::<1, $addressing, ZERO>,
            (NOT_ZERO, 1) => load_compare_and_jump::<1, $addressing, NOT_ZERO>,
            (CARRY, 1) => load_compare_and_jump::<1, $addressing, CARRY>,
            (NO_CARRY, 1) => load_compare_and_jump::<1, $addressing, NO_CARRY>,
            (ZERO, 2) => load_compare_and_jump::<2, $addressing, ZERO>,
            (NOT_ZERO, 2) => load_compare_and_jump::<2, $addressing, NOT_ZERO>,
            (CARRY, 2) => load_compare_and_jump::<2, $addressing, CARRY>,
            (NO_CARRY, 2) => load_compare_and_jump::<2, $addressing, NO_CARRY>,
            _ => return None,
        }
    };
}

/// One operation for two, the second right behind the first; `None` when they
/// aren't of those that fuse.
pub(super) fn fuse(first: &Item, second: &Item) -> Option<Item> {
    if first.jump != 0 || first.op.next != second.op.at {
        None
    } else if second.jump == 0 {
        with_jump(first, second)
    } else {
        with_comparison(first, second)
    }
}

/// A comparison, a count or a load, and a conditional jump.
fn with_jump(first: &Item, second: &Item) -> Option<Item> {
    let jump = condition(second.row?)?;
    let Item { row, width, .. } = *first;
    let run = match (row?.mnemonic, row?.args) {
        ("CMP", [_, Reg(_)]) => on_condition!(jump, width, compare_and_jump, Sub, Register;),
        ("CMP", [_, Imm]) => on_condition!(jump, width, compare_and_jump, Sub, Immediate;),
        ("TEST", [_, Reg(_)]) => on_condition!(jump, width, compare_and_jump, And, Register;),
        ("TEST", [_, Imm]) => on_condition!(jump, width, compare_and_jump, And, Immediate;),
        ("INC", _) => on_condition!(jump, width, count_and_jump; 1),
        ("DEC", _) => on_condition!(jump, width, count_and_jump; -1),
        ("LD", [_, MemAbs]) => load_and_jump!(jump, width, Absolute),
        ("LD", [_, MemReg]) => load_and_jump!(jump, width, Pointer),
        ("LD", [_, MemIndex]) => load_and_jump!(jump, width, Indexed),
        ("LD", [_, MemDisp]) => load_and_jump!(jump, width, Displaced),
        _ => return None,
    };
    Some(Item { op: Op { run, ..joined(&first.op, &second.op) }, row, width, jump })
}

/// What a whole loop is made of, when an operation that ends its block jumps to
/// itself.
pub(super) fn as_loop(item: &Item) -> Option<Op> {
    let Item { op, row, width, jump } = item;
    if *jump == 0 || op.target != op.at {
        return None;
    }
    let run = match ((*row)?.mnemonic, *jump) {
        ("INC", ZERO) => at_width!(*width, count_down; 1, ZERO),
        ("INC", NOT_ZERO) => at_width!(*width, count_down; 1, NOT_ZERO),
        ("DEC", ZERO) => at_width!(*width, count_down; -1, ZERO),
        ("DEC", NOT_ZERO) => at_width!(*width, count_down; -1, NOT_ZERO),
        _ => return None,
    };
    Some(Op { run, is_count: true, ..*op })
}

/// What sets a register, and the comparison of it with a number, which has a
/// jump already.
fn with_comparison(first: &Item, second: &Item) -> Option<Item> {
    let (a, b) = (&first.op, &second.op);
    let is_same = (a.a, a.a_bank, first.width) == (b.a, b.a_bank, second.width);
    let compares_a_number =
        matches!(second.row?, Instruction { mnemonic: "CMP", args: [_, Imm], .. });
    if !compares_a_number || !is_same {
        return None;
    }
    let Item { row, width, .. } = *first;
    let (jump, row) = (second.jump, row?);
    let mut op = joined(a, b);
    op.run = match (row.mnemonic, row.args) {
        ("INC", _) => on_condition!(jump, width, count_compare_and_jump; 1),
        ("DEC", _) => on_condition!(jump, width, count_compare_and_jump; -1),
        ("LD", [_, MemAbs]) => load_compare_and_jump!(jump, width, Absolute),
        ("LD", [_, MemReg]) => load_compare_and_jump!(jump, width, Pointer),
        ("LD", [_, MemIndex]) => load_compare_and_jump!(jump, width, Indexed),
        ("LD", [_, MemDisp]) => load_compare_and_jump!(jump, width, Displaced),
        _ => return None,
    };
    // Only loads have a number of their own.
    op.imm = if row.mnemonic == "LD" { a.imm | b.imm << 32 } else { b.imm };
    Some(Item { op, row: None, width, jump })
}

/// What a conditional jump or branch asks.
fn condition(row: &Instruction) -> Option<u8> {
    match row.mnemonic {
        _ if !row.control => None,
        "JZ" | "BZ" => Some(ZERO),
        "JNZ" | "BNZ" => Some(NOT_ZERO),
        "JC" | "BC" => Some(CARRY),
        "JNC" | "BNC" => Some(NO_CARRY),
        _ => None,
    }
}

/// The operands of the first with the end of the second.
fn joined(first: &Op, second: &Op) -> Op {
    let Op { target, next, count, is_control, .. } = *second;
    Op { target, next, count, is_control, ..*first }
}
