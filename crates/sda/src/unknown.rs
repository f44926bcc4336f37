//! Statements that begin with an unknown word: what was meant, by a slip on
//! the keyboard or by people who know another assembler.

use crate::diagnostic::Diagnostic;
use crate::directive::NAMES;
use crate::lex::{Kind, Token};
use crate::names::{in_case_of, nearest, nearest_register};
use crate::pass::Pass;
use crate::words;

/// What other assemblers call our directives, without the dot.
const DIRECTIVES_ELSEWHERE: &[(&str, &[&str])] = &[
    ("bytes", &["byte", "byt", "db", "dc", "defb"]),
    ("words", &["dw", "defw", "short", "half", "hword"]),
    ("ptrs", &["ptr", "faraddr"]),
    ("dwords", &["dword", "dd", "long", "int"]),
    ("ascii", &["str"]),
    ("asciiz", &["string", "asciz", "cstring"]),
    ("fill", &["zero"]),
    ("res", &["space", "skip", "ds", "defs", "resb", "rmb"]),
    ("align", &["balign", "p2align", "even"]),
    ("include", &["import", "src", "use"]),
    ("incbin", &["binary", "insert"]),
    ("macro", &["mac"]),
    ("endm", &["endmacro", "endmac"]),
    ("rept", &["repeat", "rep"]),
    ("endr", &["endrep", "endrept", "endrepeat"]),
    ("elif", &["elseif", "elsif"]),
    ("endif", &["fi", "endc"]),
    ("ends", &["endstruct", "endst"]),
    ("equ", &["const", "set", "define", "assign"]),
    ("address", &["origin"]),
    ("error", &["err", "cerror"]),
    ("warn", &["warning", "cwarn"]),
];

/// What other machines call our instructions.
const INSTRUCTIONS_ELSEWHERE: &[(&str, &[&str])] = &[
    ("ADDC", &["ADC"]),
    ("SUBC", &["SBC", "SBB"]),
    ("XOR", &["EOR"]),
    ("CMP", &["CP"]),
    ("TEST", &["TST", "BIT"]),
    ("SHL", &["ASL", "LSL", "SLA", "SAL"]),
    ("SHR", &["LSR", "SRL"]),
    ("SAR", &["ASR", "SRA"]),
    ("XCHG", &["EX", "SWAP"]),
    ("CALL", &["JSR", "BL"]),
    ("RET", &["RTS", "RTL", "RTN", "RETURN", "RETF"]),
    ("IRET", &["RTI", "RETI", "RTE"]),
    ("INT", &["SWI", "SYSCALL", "TRAP"]),
    ("JMP", &["JP", "GOTO"]),
    ("BRA", &["BR", "JR"]),
    ("PUSHA", &["PUSHALL", "PUSHAD"]),
    ("POPA", &["POPALL", "POPAD", "PULLALL"]),
    ("PUSHF", &["PHP"]),
    ("POPF", &["PLP"]),
    ("POP", &["PULL"]),
    ("BE", &["BEQ"]),
    ("BNC", &["BCC"]),
    ("BC", &["BCS"]),
    ("BN", &["BMI"]),
    ("BNN", &["BPL"]),
    ("BNV", &["BVC"]),
    ("BV", &["BVS"]),
    ("JE", &["JEQ"]),
    ("JNC", &["JCC"]),
    ("JC", &["JCS"]),
    ("JN", &["JMI", "JS"]),
    ("JNN", &["JPL", "JNS"]),
    ("JV", &["JO"]),
    ("JNV", &["JNO"]),
    ("MEMCOPY", &["LDIR", "MVN", "MOVSB"]),
    ("MEMFILL", &["STOSB"]),
    ("HALT", &["HLT", "STP", "WAI"]),
];

/// Words of others that are no single word here.
fn elsewhere_in_words(upper: &str) -> Option<&'static str> {
    Some(match upper {
        "CASE3" | "CASEB" => "`JTAB I, n, @table` jumps through a table of addresses",
        "LSTEP" | "PAB" | "UAB" => "the instruction is deprecated and was left out",
        "JG" | "JL" | "JGE" | "JLE" | "BG" | "BL" | "BGE" | "BLE" | "JGT" | "JLT" | "BGT"
        | "BLT" => {
            "there are no signed jumps: test N against V, or compare unsigned with JA, JAE, JB, JBE"
        }
        "LD" | "ST" => "the register is part of the mnemonic: `LDA 5`, `STELM [@place]`",
        "CLC" => "`CLRF $0020` clears carry",
        "SEC" | "STC" => "`SETF $0020` sets carry",
        "CLR" => "`LDA 0` or `XOR A, A` clears a register",
        "DJNZ" | "LOOP" => "`DEC I`, then `JNZ label`",
        _ => return None,
    })
}

/// Whether an instruction of this name has a form without operands.
fn stands_alone(name: &str) -> bool {
    isa::by_mnemonic(name).any(|row| row.args.is_empty())
}

/// Whether a word in upper case looks like an instruction, here or elsewhere,
/// that says nothing without operands: alone on its line it is rather a label
/// without its colon, such as `start`, `loop` or `swap`.
fn needs_operands(upper: &str) -> bool {
    const WITHOUT_OPERANDS: &[&str] = &["LDIR", "MOVSB", "STOSB", "STC", "STP"];
    let wants_some = ["LD", "ST"].iter().any(|stem| upper.starts_with(stem))
        || ["DJNZ", "LOOP", "CLR"].contains(&upper)
        || ours(INSTRUCTIONS_ELSEWHERE, upper).is_some_and(|own| !stands_alone(own));
    wants_some && !WITHOUT_OPERANDS.contains(&upper)
}

fn ours(table: &[(&'static str, &[&str])], theirs: &str) -> Option<&'static str> {
    let has = |list: &[&str]| list.iter().any(|one| one.eq_ignore_ascii_case(theirs));
    table.iter().find(|(_, list)| has(list)).map(|(own, _)| *own)
}

/// The directive that a word at the beginning of a statement is, without its
/// dot; alone on its line it is rather a label.
fn directive_without_dot(word: &str, has_arguments: bool) -> Option<&'static str> {
    const USUAL: &[&str] = &["db", "dc", "dw", "dd", "ds", "defb", "defw", "defs", "resb"];
    const ALONE: &[&str] = &["endm", "endr", "else", "endif", "ends", "endp"];
    let is_own = NAMES.iter().any(|(own, _)| own.eq_ignore_ascii_case(word));
    let is_usual = USUAL.iter().any(|usual| usual.eq_ignore_ascii_case(word));
    let directive = directive_called(word).filter(|_| is_own || is_usual);
    directive.filter(|directive| has_arguments || ALONE.contains(directive))
}

/// Our directive for a name without its dot, here or elsewhere.
fn directive_called(name: &str) -> Option<&'static str> {
    let own = NAMES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    own.map(|(own, _)| *own).or_else(|| ours(DIRECTIVES_ELSEWHERE, name))
}

impl Pass<'_, '_> {
    /// `tokens` begin with a word that is no instruction, macro or label.
    pub(crate) fn unknown_statement(&mut self, tokens: &[Token]) -> Diagnostic {
        let (token, next) = (tokens[0], tokens.get(1).copied());
        let may_suggest = self.may_suggest(self.macros.len());
        let names = &self.session.names;
        let text = names.text(token.name());
        let upper = text.to_ascii_uppercase();
        let error =
            Diagnostic::error("E0202", token.span, format!("`{text}` is no instruction or macro"));
        if let Some(next) = next.filter(|next| matches!(next.kind, Kind::Ident | Kind::DotIdent)) {
            let word = names.text(next.name());
            match directive_called(word.trim_start_matches('.')) {
                Some("equ") => return error.help(format!("a constant is written `{text} = 5`")),
                Some("macro") => return error.help(format!("a macro begins `.macro {text}`")),
                Some("struct") => return error.help(format!("a record begins `.struct {text}`")),
                _ => {}
            }
            let is_statement = names.word(next.name()).is_some()
                || names.directive(next.name()).is_some() && next.kind == Kind::DotIdent;
            if is_statement {
                return error
                    .help("a label before a statement is followed by a colon")
                    .replace(token.span.end(), ":");
            }
        }
        let is_alone = next.is_none();
        let colon = |error: Diagnostic| {
            error.help("a label is followed by a colon").replace(token.span.end(), ":")
        };
        if is_alone && needs_operands(&upper) {
            return colon(error);
        }
        if let Some(help) = elsewhere_in_words(&upper) {
            return error.help(help);
        }
        if let Some(own) = ours(INSTRUCTIONS_ELSEWHERE, &upper) {
            let right = in_case_of(text, own);
            return error.help(format!("here it is `{own}`")).replace(token.span, right);
        }
        if names.reg(token.name()).is_some() {
            return error.help("it is a register; an instruction comes first, as in `INC A`");
        }
        if let Some(directive) = directive_without_dot(text, next.is_some()) {
            let right = format!(".{directive}");
            return error
                .help(format!("directives begin with a dot: `{right}`"))
                .replace(token.span, right);
        }
        if let Some(stem) = ["LD", "ST"].iter().find(|stem| upper.starts_with(**stem))
            && (3..=6).contains(&upper.len())
        {
            let error = error.note(format!("`{}` is no register", &text[2..]));
            return match nearest_register(&upper[2..]) {
                Some(near) => error
                    .help(format!("there is `{stem}{near}`"))
                    .replace(token.span, in_case_of(text, &format!("{stem}{near}"))),
                None => error
                    .help(format!("a register's name ends it: `{stem}A`, `{stem}BL`, `{stem}ELM`")),
            };
        }
        let macros = self.macros.keys().map(|&name| names.text(name)).filter(|_| may_suggest);
        if let Some(near) = nearest(text, words::mnemonic_names().chain(macros)) {
            let is_mnemonic = words::mnemonic_names().any(|name| name == near);
            let right = if is_mnemonic { in_case_of(text, near) } else { near.to_string() };
            let error = error.help(format!("there is `{near}`"));
            return match is_alone && is_mnemonic && !stands_alone(near) {
                true => colon(error),
                false => error.replace(token.span, right),
            };
        }
        if self.text_is_missing {
            return error.note("it may be a macro of the file that cannot be read");
        }
        match next {
            None => colon(error),
            Some(_) => error.help("a macro is defined above its first use"),
        }
    }

    /// `tokens` begin with a word with a dot that is no directive.
    pub(crate) fn unknown_directive(&self, tokens: &[Token]) -> Diagnostic {
        let token = tokens[0];
        let text = self.session.names.text(token.name());
        let error = Diagnostic::error("E0203", token.span, format!("`{text}` is no directive"));
        let name = text.trim_start_matches('.');
        let usual = match name.to_ascii_lowercase().as_str() {
            "text" if tokens.get(1).is_some_and(|next| next.kind == Kind::Text) => Some("ascii"),
            "global" | "globl" | "export" | "exportzp" | "public" | "extern" | "xdef" | "xref" => {
                return error.help("every file of a program sees every label: it can be left out");
            }
            "text" | "data" | "bss" | "code" | "rodata" | "section" | "segment" => {
                return error.help(
                    "`.address N` says where the next byte goes; variables stand in a `.page`",
                );
            }
            _ => ours(DIRECTIVES_ELSEWHERE, name),
        };
        let known = || NAMES.iter().map(|(name, _)| *name);
        match usual.or_else(|| nearest(name, known())) {
            Some(near) => {
                error.help(format!("there is `.{near}`")).replace(token.span, format!(".{near}"))
            }
            None if tokens.len() == 1 => error
                .help("a local label is followed by a colon: `.name:`")
                .replace(token.span.end(), ":"),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suggested_word_exists_and_no_word_of_others_is_ours() {
        let mnemonics: Vec<&str> = words::mnemonic_names().collect();
        for (own, theirs) in INSTRUCTIONS_ELSEWHERE {
            assert!(mnemonics.contains(own), "{own}");
            for word in *theirs {
                assert!(!mnemonics.contains(word), "{word}");
            }
        }
        for (own, theirs) in DIRECTIVES_ELSEWHERE {
            assert!(NAMES.iter().any(|(name, _)| name == own), "{own}");
            for word in *theirs {
                assert!(NAMES.iter().all(|(name, _)| name != word), "{word}");
            }
        }
    }
}
