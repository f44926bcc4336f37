//! Directives: their names, and which part of the assembler serves each.

use crate::diagnostic::Diagnostic;
use crate::expression::{Expr, Op};
use crate::forms;
use crate::lex::{Kind, Token};
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::source::Span;

macro_rules! directives {
    ($($variant:ident $name:literal $text:literal,)*) => {
        /// A directive; `.org` is `.address`, `.word` is `.words`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Directive {
            $(#[doc = $text] $variant,)*
        }

        /// Names without the dot.
        pub(crate) const NAMES: &[(&str, Directive)] = &[
            $(($name, Directive::$variant),)*
            ("org", Directive::Address),
            ("word", Directive::Words),
        ];

        impl Directive {
            const fn description(self) -> &'static str {
                match self {
                    $(Directive::$variant => $text,)*
                }
            }
        }
    };
}

/// Every directive, without its dot and in lower case, with what it does in a
/// few words; other spellings stand at the end.
pub fn directives() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.iter().map(|&(name, directive)| (name, directive.description()))
}

directives! {
    Address "address" "Where the next byte goes.",
    Equ "equ" "A constant.",
    Bytes "bytes" "Bytes; addresses take three, strings one for each character.",
    Words "words" "Two bytes each.",
    Ptrs "ptrs" "Three bytes each.",
    Dwords "dwords" "Four bytes each.",
    Ascii "ascii" "A string.",
    Asciiz "asciiz" "A string and a zero byte.",
    Fill "fill" "The same byte many times.",
    Res "res" "Places without bytes.",
    Align "align" "Bytes up to the next multiple.",
    Include "include" "Another source.",
    Incbin "incbin" "The bytes of a file.",
    Macro "macro" "Begins a macro.",
    Endm "endm" "Ends it.",
    Rept "rept" "Begins a repetition.",
    Endr "endr" "Ends it.",
    If "if" "Begins a condition.",
    Elif "elif" "Else if.",
    Else "else" "Else.",
    Endif "endif" "Ends the condition.",
    Ifdef "ifdef" "Begins a condition: a name is defined above.",
    Ifndef "ifndef" "Begins a condition: a name is not defined above.",
    Struct "struct" "Begins a record's layout.",
    Ends "ends" "Ends it.",
    Var "var" "A variable in a page.",
    Page "page" "Begins a page of variables.",
    Endp "endp" "Ends it.",
    Assert "assert" "What must hold.",
    Error "error" "An error of the program's own.",
    Warn "warn" "A warning of the program's own.",
    Entry "entry" "Where the program starts.",
    Expect "expect" "What memory must hold after the run.",
    Pure "pure" "The routine changes nothing.",
    Clobbers "clobbers" "The registers that the routine changes.",
    Returns "returns" "The registers and flags that the routine returns.",
}

impl Directive {
    /// Every name of a directive, without the dot.
    pub fn all() -> impl Iterator<Item = (&'static str, Directive)> {
        NAMES.iter().copied()
    }
}

impl Pass<'_, '_> {
    /// The statement that begins with the directive `tokens[0]`.
    pub(crate) fn directive(&mut self, tokens: &[Token]) -> Parsed<()> {
        let Some(directive) = self.session.names.directive(tokens[0].name()) else {
            return Err(Box::new(self.unknown_directive(tokens)));
        };
        use Directive::*;
        if let Some(result) = self.directive_in_struct(directive, tokens) {
            return result;
        }
        let result = match directive {
            Address => self.address(tokens),
            Equ => self.equ(tokens),
            Bytes => self.bytes(tokens),
            Words => self.numbers(tokens, 2),
            Ptrs => self.numbers(tokens, 3),
            Dwords => self.numbers(tokens, 4),
            Ascii => self.ascii(tokens, false),
            Asciiz => self.ascii(tokens, true),
            Fill => self.fill(tokens),
            Res => self.reserve(tokens),
            Align => self.align(tokens),
            Include => self.include(tokens),
            Incbin => self.incbin(tokens),
            Macro => self.define_macro(tokens),
            Rept => self.repeat(tokens),
            If | Ifdef | Ifndef | Elif | Else | Endif => self.condition(tokens, directive),
            Struct => self.begin_struct(tokens),
            Ends => self.end_struct(tokens),
            Var => self.variable(tokens),
            Page => self.begin_page(tokens),
            Endp => self.end_page(tokens),
            Assert => self.assert(tokens),
            Error | Warn => self.say(tokens, directive == Error),
            Entry => self.entry(tokens),
            Expect => self.expect(tokens),
            Pure | Clobbers | Returns => self.promise(tokens, directive),
            Endm | Endr => {
                let (what, open) =
                    if directive == Endm { ("macro", ".macro") } else { ("repetition", ".rept") };
                Err(Box::new(
                    Diagnostic::error("E0508", tokens[0].span, format!("no {what} is open here"))
                        .note(format!("it would begin with `{open}`")),
                ))
            }
        };
        if matches!(directive, Address | Fill | Res | Align | Incbin | Rept | If | Elif) {
            // What it would have placed, or where, is not known.
            result.inspect_err(|_| self.layout.lose_place())
        } else {
            result
        }
    }

    /// A parser that stands behind the directive's name.
    pub(crate) fn parser_after_directive<'p>(
        &'p mut self,
        tokens: &'p [Token],
    ) -> crate::parse::Parser<'p> {
        let mut parser = self.parser(tokens);
        parser.at = 1;
        parser
    }

    fn equ(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let name = parser.name("the constant's name")?;
        let error = match parser.peek() {
            None => parser.unexpected("the constant's value"),
            Some(separator) if matches!(separator.kind, Kind::Assign | Kind::Comma) => {
                let (form, blank) = match separator.kind {
                    Kind::Assign => ("NAME = EXPR", ""),
                    _ => (".equ NAME EXPR", " "),
                };
                let error = parser.unexpected("the value");
                let error = error.help(format!("a constant is written `{form}`"));
                Box::new(match tokens.get(3) {
                    Some(value) if forms::is_written_here(tokens) => {
                        let span = Span { lo: separator.span.lo, hi: value.span.lo };
                        error.replace(span, blank)
                    }
                    _ => error,
                })
            }
            Some(_) => return self.constant_definition(tokens, 2),
        };
        // The name exists all the same: its uses are no further errors.
        self.define_constant(name, Expr::single(Op::Poison, name.span));
        Err(error)
    }
}
