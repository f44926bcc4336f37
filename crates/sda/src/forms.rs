//! What to say when an instruction's operands fit none of its forms: wrong
//! number, wrong shape, wrong width – and what would be right.

use isa::{Arg, Class, Instruction, Reg, View};

use crate::diagnostic::Diagnostic;
use crate::instruction::{accepts, statement_span};
use crate::lex::Token;
use crate::names::in_case_of;
use crate::operand::{Form, MEMORY_FORMS, Operand, same_shape};
use crate::source::Span;
use crate::words::Mnemonic;

/// The error for operands that fit no row of `mnemonic`, which the source
/// spells `written`.
pub(crate) fn mismatch(
    mnemonic: &Mnemonic,
    written: &str,
    glued: Option<Reg>,
    operands: &[Operand],
    tokens: &[Token],
) -> Diagnostic {
    let rows = &mnemonic.rows;
    let span = tokens[0].span;
    if rows[0].glued && glued.is_none() {
        let message = format!("`{written}` needs a register glued to it");
        return unglued(Diagnostic::error("E0402", span, message), written, operands, tokens);
    }
    let skip = usize::from(glued.is_some());
    let upper = written.to_ascii_uppercase();
    if let Some(error) = load_or_store(rows, glued, operands, &upper) {
        return match copy(glued, operands, rows[0].mnemonic == "LD") {
            Some(text) if is_written_here(tokens) => error.replace(statement_span(tokens), text),
            _ => error,
        };
    }
    let counted: Vec<&Instruction> =
        rows.iter().copied().filter(|row| row.args.len() - skip == operands.len()).collect();
    if counted.is_empty() {
        let wanted = wanted_counts(rows, skip);
        let found = match operands.len() {
            0 => "none".to_string(),
            n => n.to_string(),
        };
        let place = operands.last().map_or(span, |operand| operand.span);
        let message = format!("`{written}` takes {wanted}, found {found}");
        let error =
            Diagnostic::error("E0401", place, message).note(forms_that_exist(rows, &upper, glued));
        return match operands {
            [Operand { form: Form::Reg(reg), span: first }, second] if glued == Some(*reg) => {
                let error = error.help(format!("{} is the ending of `{written}`", reg.name()));
                edited(error, *first, second.span, "", tokens)
            }
            _ => error,
        };
    }
    let shaped: Vec<&Instruction> = counted
        .iter()
        .copied()
        .filter(|row| {
            row.args[skip..]
                .iter()
                .zip(operands)
                .all(|(arg, operand)| same_shape(*arg, operand.form))
        })
        .collect();
    if shaped.is_empty() {
        let error = wrong_shape(&counted, rows, written, glued, operands);
        return match operands {
            [Operand { form: Form::Reg(to), .. }, from] if upper == "MOV" => {
                let right = in_case_of(written, &format!("LD{}", to.name()));
                edited(error, span, from.span, &format!("{right} "), tokens)
            }
            _ => error,
        };
    }
    wrong_register(&shaped, rows, &upper, glued, operands)
}

/// `LD A, 5`, `ST A, [X]`, `LD A, B`
fn unglued(error: Diagnostic, written: &str, operands: &[Operand], tokens: &[Token]) -> Diagnostic {
    match operands {
        [Operand { form: Form::Reg(_), .. }, Operand { form: Form::Reg(_), .. }] => {
            let error = error.help("MOV copies a register");
            edited(error, tokens[0].span, tokens[0].span.end(), &in_case_of(written, "MOV"), tokens)
        }
        [Operand { form: Form::Reg(reg), .. }, other] => {
            let right = format!("{written}{}", in_case_of(written, reg.name()));
            let error = error.help(format!("the register is its ending: `{right}`"));
            edited(error, tokens[0].span, other.span, &format!("{right} "), tokens)
        }
        _ => error.help(format!("write `{written}A`, `{written}BL`, `{written}ELM` and so on")),
    }
}

/// The error with an edit: `text` for what stands from `first` up to `next`.
fn edited(error: Diagnostic, first: Span, next: Span, text: &str, tokens: &[Token]) -> Diagnostic {
    match is_written_here(tokens) {
        true => error.replace(Span { lo: first.lo, hi: next.lo }, text),
        false => error,
    }
}

/// Whether all of a statement is written in one place: no part of a macro's body
/// with an argument of one call in it.
pub(crate) fn is_written_here(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| token.scope == tokens[0].scope)
}

/// LDBL AL, STB AL, STA 5: what LD and ST are not.
fn load_or_store(
    rows: &[&Instruction],
    glued: Option<Reg>,
    operands: &[Operand],
    upper: &str,
) -> Option<Diagnostic> {
    let reg = glued?;
    let [operand] = operands else { return None };
    let load = rows[0].mnemonic == "LD";
    match operand.form {
        Form::Reg(other) => {
            let (to, from) = if load { (reg, other) } else { (other, reg) };
            let copy = match to.width().cmp(&from.width()) {
                std::cmp::Ordering::Equal => {
                    format!("`MOV {}, {}` copies a register", to.name(), from.name())
                }
                std::cmp::Ordering::Greater => format!(
                    "`MOVZX {}, {}` copies a register and widens it",
                    to.name(),
                    from.name()
                ),
                std::cmp::Ordering::Less => narrowing(to, from),
            };
            let (message, what) = if load {
                (format!("{upper} loads an immediate or memory, not a register"), "loaded from")
            } else {
                (format!("{upper} stores to memory, not to a register"), "stored to")
            };
            let mut error = Diagnostic::error("E0404", operand.span, message).help(copy);
            if (2..=3).contains(&other.width()) {
                error = error.help(format!(
                    "memory at {} is {what} as `[{}]`",
                    other.name(),
                    other.name()
                ));
            }
            Some(error)
        }
        Form::Value(_) if !load => Some(
            Diagnostic::error("E0402", operand.span, format!("{upper} stores to memory"))
                .note(forms_that_exist(rows, upper, glued))
                .help("memory stands in brackets"),
        ),
        _ => None,
    }
}

/// The MOV or MOVZX that an LD or ST with a register was meant to be.
fn copy(glued: Option<Reg>, operands: &[Operand], load: bool) -> Option<String> {
    let reg = glued?;
    let [Operand { form: Form::Reg(other), .. }] = operands else { return None };
    let (to, from) = if load { (reg, *other) } else { (*other, reg) };
    let mnemonic = match to.width().cmp(&from.width()) {
        std::cmp::Ordering::Equal => "MOV",
        std::cmp::Ordering::Greater => "MOVZX",
        std::cmp::Ordering::Less => return None,
    };
    Some(format!("{mnemonic} {}, {}", to.name(), from.name()))
}

fn wrong_shape(
    counted: &[&Instruction],
    rows: &[&Instruction],
    written: &str,
    glued: Option<Reg>,
    operands: &[Operand],
) -> Diagnostic {
    let skip = usize::from(glued.is_some());
    let upper = written.to_ascii_uppercase();
    // The first operand that no form takes in its place.
    let at = (0..operands.len())
        .find(|&at| !counted.iter().any(|row| same_shape(row.args[at + skip], operands[at].form)))
        .unwrap_or(operands.len() - 1);
    let operand = operands[at];
    let message = format!("{upper} has no form with {} here", operand.form.describe());
    let mut error = Diagnostic::error("E0402", operand.span, message)
        .note(forms_that_exist(rows, &upper, glued));
    if let ("MOV", Some(help)) = (upper.as_str(), load_or_store_instead(operands)) {
        return error.help(help);
    }
    let takes = |arg: Arg| counted.iter().any(|row| row.args[at + skip] == arg);
    match operand.form {
        Form::Reg(from) if upper == "LEA" && at == 1 => {
            error = error.help(format!(
                "`[{0} + 3]` is the address 3 bytes on; MOV copies {0} itself",
                from.name()
            ));
        }
        Form::Indirect(base) if upper == "LEA" => {
            let right = format!("[{} + 0]", base.name());
            error = error
                .help(format!("LEA always has a displacement or an index: `{right}`"))
                .replace(operand.span, right);
        }
        Form::Absolute(_) | Form::Value(_) if upper == "LEA" && at == 1 => {
            let pointer = reg_of(operands[0].form).map_or("FLD", Reg::name);
            error =
                error.help(format!("LD loads an address as an immediate: `LD{pointer} @label`"));
        }
        Form::Indirect(base) if takes(Arg::Reg(Class::Address)) || takes(Arg::Reg(Class::Far)) => {
            error = error
                .help(format!("the pointer stands without brackets: `{}`", base.name()))
                .replace(operand.span, base.name());
        }
        Form::Absolute(_) | Form::Indirect(_) | Form::Index(..) | Form::Displacement(..)
            if takes(Arg::Addr) || takes(Arg::Rel16) =>
        {
            error = error
                .help("JMPR and CALLR go to the address in a register; load it from memory first");
        }
        Form::Absolute(_) | Form::Indirect(_) | Form::Index(..) | Form::Displacement(..) => {
            error = error.help("only LD and ST reach memory: load it into a register first");
        }
        Form::Value(_) if matches!(upper.as_str(), "JMPR" | "CALLR") => {
            let direct = upper.trim_end_matches('R');
            error = error.help(format!("`{direct} label` goes to a label"));
        }
        Form::Value(_) if takes(Arg::Reg(Class::SameAsFirst)) || takes(Arg::Reg(Class::Any)) => {
            error = error.help("a register is wanted: load the value with LD first");
        }
        Form::Value(_) if counted.iter().any(|row| matches!(row.args[at + skip], Arg::Reg(_))) => {
            error = error.help("a register is wanted here");
        }
        _ => {}
    }
    error
}

fn wrong_register(
    shaped: &[&Instruction],
    rows: &[&Instruction],
    upper: &str,
    glued: Option<Reg>,
    operands: &[Operand],
) -> Diagnostic {
    let skip = usize::from(glued.is_some());
    let first = glued.or(operands.iter().find_map(|operand| reg_of(operand.form)));
    let row = shaped[0];
    let wrong = operands
        .iter()
        .enumerate()
        .find(|(at, operand)| !accepts(row.args[at + skip], operand.form, first));
    let Some((at, operand)) = wrong else {
        return Diagnostic::error("E0402", operands[0].span, format!("{upper} has no such form"))
            .note(forms_that_exist(rows, upper, glued));
    };
    match (row.args[at + skip], operand.form) {
        (Arg::Reg(Class::SameAsFirst), Form::Reg(second)) => {
            let first = first.unwrap_or(second);
            width_mismatch(upper, first, second, *operand)
        }
        (Arg::Reg(Class::NarrowerThanFirst), Form::Reg(second)) => {
            let first = first.unwrap_or(second);
            let error = Diagnostic::error(
                "E0403",
                operand.span,
                format!(
                    "{upper} widens: {} ({}) is not narrower than {} ({})",
                    second.name(),
                    bits(second),
                    first.name(),
                    bits(first)
                ),
            );
            if first.width() == second.width() {
                error.help(format!(
                    "`MOV {}, {}` copies a register of the same width",
                    first.name(),
                    second.name()
                ))
            } else {
                error.help(narrowing(first, second))
            }
        }
        (Arg::Reg(class), Form::Reg(reg)) => {
            let message = format!(
                "{} has {}, {upper} needs {} here",
                reg.name(),
                bits(reg),
                class.describe()
            );
            let error = Diagnostic::error("E0403", operand.span, message);
            match class {
                Class::Byte if reg.width() == 2 => {
                    error.help(format!("its low byte is {}L", reg.name()))
                }
                Class::Far | Class::Address => error.help("pointers are a bank register B E F G, an L and an offset register X Y I J K M D T: ELM, FLD, BLX"),
                _ => error,
            }
        }
        (_, Form::Index(base, index)) if Class::Address.accepts(base, None) => Diagnostic::error(
            "E0403",
            operand.span,
            format!("the index {} has {}, an index is a word register", index.name(), bits(index)),
        )
        .help("widen a byte first: `MOVZX I, AL`, then `[ELM + I]`"),
        (_, form) => {
            let base = match form {
                Form::Indirect(base) | Form::Displacement(base, _) | Form::Index(base, _) => base,
                _ => Reg::SP,
            };
            Diagnostic::error(
                "E0403",
                operand.span,
                format!(
                    "{} has {}, an address is {}",
                    base.name(),
                    bits(base),
                    Class::Address.describe()
                ),
            )
            .note(MEMORY_FORMS)
        }
    }
}

/// `MOV B, KL`, `MOD B, KL`: two registers that differ in width.
fn width_mismatch(upper: &str, first: Reg, second: Reg, operand: Operand) -> Diagnostic {
    let message = format!(
        "{upper} needs two registers of one width: {} has {}, {} has {}",
        first.name(),
        bits(first),
        second.name(),
        bits(second)
    );
    let error = Diagnostic::error("E0403", operand.span, message);
    let (to, from) = (first.name(), second.name());
    if first.width() > second.width() {
        if upper == "MOV" {
            return error.help(format!(
                "`MOVZX {to}, {from}` widens with zeros, `MOVSX {to}, {from}` with the sign"
            ));
        }
        if upper == "ADD" && first.width() == 3 && second.width() == 2 {
            return error.help(format!("`LEA {to}, [{to} + {from}]` adds a word to a pointer"));
        }
        return match spare(first, second) {
            Some(spare) => error.help(format!(
                "widen it first: `MOVZX {}, {from}`, then `{upper} {to}, {}`",
                spare.name(),
                spare.name()
            )),
            None => {
                error.help(format!("widen it first: `MOVZX` into a register of {}", bits(first)))
            }
        };
    }
    match part(second, first).filter(|&part| part != first) {
        Some(part) if upper == "MOV" => error
            .help(format!("`MOV {to}, {}` copies its low part", part.name()))
            .replace(operand.span, part.name()),
        Some(part) => error
            .help(format!("its low part is {}: `{upper} {to}, {}`", part.name(), part.name()))
            .replace(operand.span, part.name()),
        None if part(second, first).is_some() => error.help(format!(
            "{to} is the low part of {from}; widen another register to {} instead",
            bits(second)
        )),
        None => error
            .help(format!("copy the part that counts into a register of {} first", bits(first))),
    }
}

/// `MOV A, 5`, `MOV A, [X]`, `MOV [X], A`: what LD and ST do.
fn load_or_store_instead(operands: &[Operand]) -> Option<String> {
    match operands {
        [Operand { form: Form::Reg(reg), .. }, Operand { form: Form::Value(_), .. }] => {
            Some(format!("`LD{}` loads a number", reg.name()))
        }
        [Operand { form: Form::Reg(reg), .. }, _] => {
            Some(format!("`LD{}` loads from memory", reg.name()))
        }
        [_, Operand { form: Form::Reg(reg), .. }] => {
            Some(format!("`ST{}` stores to memory", reg.name()))
        }
        _ => None,
    }
}

fn narrowing(to: Reg, from: Reg) -> String {
    match part(from, to) {
        Some(part) => {
            format!("`MOV {}, {}` copies the low part of {}", to.name(), part.name(), from.name())
        }
        None => format!("{} is wider than {}: copy a part of it", from.name(), to.name()),
    }
}

/// The low part of `reg` that is as wide as `like`.
fn part(reg: Reg, like: Reg) -> Option<Reg> {
    let word = match reg.view() {
        View::Word(word) => word,
        View::Pair(low, _) => low,
        View::Quad => 0,
        View::Pointer { offset, .. } => offset,
        View::Low(_) | View::High(_) | View::Sp => return None,
    };
    match like.width() {
        1 => Reg::from_id(16 + 2 * word),
        2 => Reg::from_id(word),
        4 if reg.width() == 8 => Reg::by_name("AB"),
        _ => None,
    }
}

/// A register as wide as `like` that shares nothing with the two.
fn spare(like: Reg, other: Reg) -> Option<Reg> {
    ["I", "J", "K", "CD", "IJ", "XY", "BLX", "GLK", "FLD"]
        .iter()
        .filter_map(|name| Reg::by_name(name))
        .find(|reg| {
            reg.width() == like.width() && reg.halves() & (like.halves() | other.halves()) == 0
        })
}

fn reg_of(form: Form) -> Option<Reg> {
    match form {
        Form::Reg(reg) => Some(reg),
        _ => None,
    }
}

fn bits(reg: Reg) -> String {
    format!("{} bits", 8 * reg.width())
}

fn wanted_counts(rows: &[&Instruction], skip: usize) -> String {
    let mut counts: Vec<usize> = rows.iter().map(|row| row.args.len() - skip).collect();
    counts.sort_unstable();
    counts.dedup();
    let list: Vec<String> = counts
        .iter()
        .map(|count| match count {
            0 => "no operand".to_string(),
            1 => "1 operand".to_string(),
            n => format!("{n} operands"),
        })
        .collect();
    list.join(" or ")
}

/// The forms of an instruction as they are written, for a note.
fn forms_that_exist(rows: &[&Instruction], upper: &str, glued: Option<Reg>) -> String {
    let mut forms: Vec<String> = Vec::new();
    for row in rows {
        if let (Some(reg), Some(Arg::Reg(class))) = (glued, row.args.first())
            && !class.accepts(reg, None)
        {
            continue;
        }
        let args = &row.args[usize::from(glued.is_some())..];
        let list: Vec<&str> = args.iter().map(|arg| placeholder(*arg)).collect();
        let form = if list.is_empty() {
            upper.to_string()
        } else {
            format!("{upper} {}", list.join(", "))
        };
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    let quoted: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
    match &quoted[..] {
        [one] => format!("the form is {one}"),
        [first @ .., last] => format!("the forms are {} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

fn placeholder(arg: Arg) -> &'static str {
    match arg {
        Arg::Reg(Class::Any) => "r",
        Arg::Reg(Class::Byte) => "r8",
        Arg::Reg(Class::Word) => "r16",
        Arg::Reg(Class::ByteOrWord) => "r8/r16",
        Arg::Reg(Class::Wide) => "r",
        Arg::Reg(Class::Address) => "p",
        Arg::Reg(Class::Far) => "pointer",
        Arg::Reg(Class::SameAsFirst) => "r of that width",
        Arg::Reg(Class::NarrowerThanFirst) => "narrower r",
        Arg::Imm | Arg::Imm8 | Arg::Imm16 => "number",
        Arg::Addr | Arg::Rel16 => "label",
        Arg::MemAbs => "[address]",
        Arg::MemReg => "[p]",
        Arg::MemIndex => "[p + r16]",
        Arg::MemDisp => "[p + number]",
    }
}
