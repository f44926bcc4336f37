//! Which function executes an instruction: one for each opcode, width and kind
//! of operand, made by the compiler from a generic one.

use isa::flags::{C, I, S};
use isa::{Decoded, Operand, Reg};

use super::arithmetic::{self as compute, *};
use super::block::{Op, Run};
use super::control::{self, condition};
use super::decode::Kind;
use super::moves::{self, *};

/// What was chosen.
pub(super) struct Selected {
    pub(super) run: Run,
    pub(super) kind: Kind,
}

/// A generic function at a width that is known only here.
macro_rules! at_width {
    ($width:expr, $module:ident::$function:ident $(, $generic:ty)*) => {
        match $width {
            1 => $module::$function::<1 $(, $generic)*> as Run,
            2 => $module::$function::<2 $(, $generic)*>,
            3 => $module::$function::<3 $(, $generic)*>,
            4 => $module::$function::<4 $(, $generic)*>,
            _ => $module::$function::<8 $(, $generic)*>,
        }
    };
}

/// The same with a constant as the last generic.
macro_rules! with_constant {
    ($width:expr, $module:ident::$function:ident $(, $generic:ty)*; $($constant:expr),*) => {
        match $width {
            1 => $module::$function::<1 $(, $generic)* $(, { $constant })*> as Run,
            2 => $module::$function::<2 $(, $generic)* $(, { $constant })*>,
            3 => $module::$function::<3 $(, $generic)* $(, { $constant })*>,
            4 => $module::$function::<4 $(, $generic)* $(, { $constant })*>,
            _ => $module::$function::<8 $(, $generic)* $(, { $constant })*>,
        }
    };
}

/// Loads, which are quiet while FLAGS.S is set.
macro_rules! load {
    ($width:expr, $quiet:expr, $addressing:ty) => {
        if $quiet {
            with_constant!($width, moves::load, $addressing; true)
        } else {
            with_constant!($width, moves::load, $addressing; false)
        }
    };
}

/// INC and DEC, as loads.
macro_rules! count {
    ($width:expr, $quiet:expr, $step:expr) => {
        if $quiet {
            with_constant!($width, compute::count; $step, true)
        } else {
            with_constant!($width, compute::count; $step, false)
        }
    };
}

/// The function for a decoded instruction, whose operands `op` holds; may put
/// some together anew. `None`: it is the plain CPU's.
pub(super) fn select(decoded: &Decoded, op: &mut Op, quiet: bool) -> Option<Selected> {
    let opcode = decoded.row.opcode;
    let [first, second] = [0, 1].map(|at| match decoded.operands[at] {
        Some(Operand::Reg(reg)) => Some(reg),
        _ => None,
    });
    let width = first.map_or(0, Reg::width);
    let run: Run = match opcode {
        0 | 3 if quiet => with_constant!(width, moves::load_immediate; true),
        0 | 3 => with_constant!(width, moves::load_immediate; false),
        1 | 4 => load!(width, quiet, Absolute),
        2 | 5 => load!(width, quiet, Pointer),
        6 => at_width!(width, moves::store, Absolute),
        7 => at_width!(width, moves::store, Pointer),
        9 => at_width!(width, moves::copy),
        10 => at_width!(width, moves::exchange),
        11 => at_width!(width, moves::push),
        12 if first != Some(Reg::SP) => at_width!(width, moves::pop),
        13 => moves::push_all,
        14 => moves::pop_all,
        15 => moves::push_flags,
        16 => moves::pop_flags,
        21 => count!(width, quiet, 1),
        22 => count!(width, quiet, -1),
        23 => at_width!(width, compute::negate),
        30 => at_width!(width, compute::binary, Add, Register),
        31 => at_width!(width, compute::binary, Sub, Register),
        32 => at_width!(width, compute::binary, Mul, Register),
        33 => at_width!(width, compute::binary, Div, Register),
        34 => at_width!(width, compute::binary, Mod, Register),
        35 => at_width!(width, compute::binary, Add, Immediate),
        36 => at_width!(width, compute::binary, Sub, Immediate),
        37 => at_width!(width, compute::binary, Mul, Immediate),
        38 => at_width!(width, compute::binary, Div, Immediate),
        39 => at_width!(width, compute::binary, Mod, Immediate),
        40 => at_width!(width, compute::binary, AddCarry, Register),
        41 => at_width!(width, compute::binary, SubCarry, Register),
        42 => at_width!(width, compute::binary, AddCarry, Immediate),
        43 => at_width!(width, compute::binary, SubCarry, Immediate),
        50 => at_width!(width, compute::binary, And, Register),
        51 => at_width!(width, compute::binary, Or, Register),
        52 => at_width!(width, compute::binary, Xor, Register),
        53 => at_width!(width, compute::invert),
        54 => at_width!(width, compute::compare, And, Register),
        55 => at_width!(width, compute::binary, And, Immediate),
        56 => at_width!(width, compute::binary, Or, Immediate),
        57 => at_width!(width, compute::binary, Xor, Immediate),
        58 => at_width!(width, compute::compare, And, Immediate),
        60 | 61 => widen(opcode == 61, width, second?.width())?,
        70 => at_width!(width, compute::shift_once, Left),
        71 => at_width!(width, compute::shift_once, Right),
        72 => at_width!(width, compute::shift_once, Arithmetic),
        73 => at_width!(width, compute::shift_once, RotateLeft),
        74 => at_width!(width, compute::shift_once, RotateRight),
        75 => at_width!(width, compute::shift_by, Left),
        76 => at_width!(width, compute::shift_by, Right),
        77 => at_width!(width, compute::shift_by, Arithmetic),
        78 => at_width!(width, compute::shift_by, RotateLeft),
        79 => at_width!(width, compute::shift_by, RotateRight),
        80 => at_width!(width, compute::shift_by_register, Left),
        81 => at_width!(width, compute::shift_by_register, Right),
        82 => at_width!(width, compute::shift_by_register, Arithmetic),
        83 => at_width!(width, compute::through_carry_left),
        84 => at_width!(width, compute::through_carry_right),
        90 => at_width!(width, compute::compare, Sub, Register),
        91 => at_width!(width, compute::compare, Sub, Immediate),
        141 => moves::nothing,
        150 => load!(width, quiet, Indexed),
        151 => at_width!(width, moves::store, Indexed),
        152 => load!(width, quiet, Displaced),
        153 => at_width!(width, moves::store, Displaced),
        154 => moves::address::<Displaced>,
        155 => moves::address::<Indexed>,
        184 => control::test_flags,
        _ => return jump(opcode, op).or_else(|| flags(opcode, op)),
    };
    // POPF may turn on what loads do with flags, or interrupts.
    let kind = if opcode == 16 { Kind::Mode } else { Kind::Plain };
    Some(Selected { run, kind })
}

/// MOVZX and MOVSX, from a narrower register.
fn widen(signed: bool, width: u8, from: u8) -> Option<Run> {
    macro_rules! pairs {
        ($($width:literal <- $from:literal),*) => {
            match (signed, width, from) {
                $((false, $width, $from) => moves::zero_extend::<$width, $from> as Run,
                (true, $width, $from) => moves::sign_extend::<$width, $from>,)*
                _ => return None,
            }
        };
    }
    Some(pairs!(2 <- 1, 3 <- 1, 4 <- 1, 8 <- 1, 3 <- 2, 4 <- 2, 8 <- 2, 4 <- 3, 8 <- 3, 8 <- 4))
}

/// The control instructions that aren't the machine's.
fn jump(opcode: u8, op: &mut Op) -> Option<Selected> {
    let chosen = |run: Run, kind| Some(Selected { run, kind });
    match opcode {
        100 | 110 => chosen(moves::nothing, Kind::Goto),
        101 | 111 => chosen(control::jump_if::<{ condition::ZERO }>, Kind::Branch),
        102 | 112 => chosen(control::jump_if::<{ condition::NOT_ZERO }>, Kind::Branch),
        103 | 113 => chosen(control::jump_if::<{ condition::CARRY }>, Kind::Branch),
        104 | 114 => chosen(control::jump_if::<{ condition::NO_CARRY }>, Kind::Branch),
        105 | 115 => chosen(control::jump_if::<{ condition::NEGATIVE }>, Kind::Branch),
        106 | 116 => chosen(control::jump_if::<{ condition::NOT_NEGATIVE }>, Kind::Branch),
        107 | 117 => chosen(control::jump_if::<{ condition::OVERFLOW }>, Kind::Branch),
        108 | 118 => chosen(control::jump_if::<{ condition::NO_OVERFLOW }>, Kind::Branch),
        109 => chosen(control::jump_to_register, Kind::Jump),
        132 | 135 => chosen(control::call, Kind::Call),
        133 => chosen(control::ret, Kind::Return),
        134 => chosen(control::call_register, Kind::Jump),
        137 => chosen(control::iret, Kind::Jump),
        175 => {
            op.imm = op.imm << 32 | u64::from(op.target);
            chosen(control::jump_by_table, Kind::Jump)
        }
        _ => None,
    }
}

/// The instructions that write bits of FLAGS by name.
fn flags(opcode: u8, op: &mut Op) -> Option<Selected> {
    let (mask, on) = match opcode {
        138 => (I, true),
        139 => (I, false),
        143 => (isa::flags::T, true),
        144 => (isa::flags::T, false),
        145 => (S, true),
        146 => (S, false),
        182 => (op.imm as u16, true),
        183 => (op.imm as u16, false),
        _ => return None,
    };
    let kind = if mask & (S | I) != 0 { Kind::Mode } else { Kind::Plain };
    let run: Run = match (mask, on) {
        (C, true) => control::write_carry::<true>,
        (C, false) => control::write_carry::<false>,
        _ => {
            op.imm = u64::from(mask) | if on { u64::from(mask) << 32 } else { 0 };
            control::write_flags
        }
    };
    Some(Selected { run, kind })
}
