//! One pass: reads the statements of all files in order, expands, places and
//! defines. When something further down would have changed a size or a kind,
//! the pass is made again with what is known then.

use std::collections::HashMap;
use std::rc::Rc;

use isa::memory_map::USER_ORIGIN;

use crate::check::{Assertion, Entry, Expected};
use crate::condition::Condition;
use crate::contract::{Contract, Labelled};
use crate::diagnostic::{Diagnostic, Level};
use crate::evaluate::{Failure, Mode, Value, Values};
use crate::expand::{Feed, Macro};
use crate::expression::{Expr, Op};
use crate::layout::{Full, Layout};
use crate::lex::{Kind, Token};
use crate::limits::Spent;
use crate::names::Name;
use crate::operand::Operand;
use crate::parse::{Parsed, Parser};
use crate::record::{OpenPage, OpenStruct};
use crate::repeated::Repeated;
use crate::session::Session;
use crate::source::Span;
use crate::symbols::{Cause, Defined, Scopes, Sort, Symbol, SymbolId, Symbols};

/// Errors after which a run ends.
const MOST_ERRORS: usize = 10_000;
/// Warnings that are kept.
const MOST_WARNINGS: usize = 10_000;

/// The state of a pass.
pub(crate) struct Pass<'a, 'h> {
    pub session: &'a mut Session<'h>,
    /// The symbols of the pass before, if there was one.
    pub previous: Option<Symbols>,
    pub symbols: Symbols,
    pub scopes: Scopes,
    pub values: Values,
    pub layout: Layout,
    pub diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    /// Names whose kind was assumed: whether they are addresses.
    pub assumptions: Vec<(u32, Name, bool)>,
    /// Names that a size or place asked for and that nobody knew.
    pub unknown: Vec<(u32, Name)>,
    pub feeds: Vec<Feed>,
    /// Every reading of a file: its inclusion, its source, the number of the
    /// next statement then.
    pub readings: Vec<(u32, usize, u32)>,
    pub conditions: Vec<Condition>,
    pub macros: HashMap<Name, Rc<Macro>>,
    /// Messages about statements that nobody knows, by name, in case a macro
    /// of that name comes later.
    pub unknown_statements: HashMap<Name, Vec<usize>>,
    /// Macros that were nested too deep.
    pub runaway: Vec<Name>,
    pub structs: HashMap<Name, Span>,
    pub open_struct: Option<OpenStruct>,
    pub open_page: Option<OpenPage>,
    pub entry: Option<Entry>,
    pub assertions: Vec<Assertion>,
    pub expectations: Vec<Expected>,
    pub contracts: Vec<Contract>,
    /// The last label.
    pub labelled: Option<Labelled>,
    /// A capital letter is in the name of a label.
    pub labels_have_capitals: bool,
    /// The address of the first byte emitted.
    pub first_emitted: Option<u32>,
    /// The innermost inclusion or expansion being read.
    pub context: u32,
    /// The last number that `\@` gave.
    pub unique: u32,
    /// A file or a macro could not be read: names in it are missing, too.
    pub text_is_missing: bool,
    pub line: Vec<Token>,
    pub operands: Vec<Operand>,
    /// The bytes of the string that is being read.
    pub text: Vec<u8>,
    /// What the pass has cost so far.
    pub spent: Spent,
    pub stopped: bool,
    pub past_the_end: bool,
    pub repeated: Repeated,
}

impl<'a, 'h> Pass<'a, 'h> {
    pub fn new(session: &'a mut Session<'h>, previous: Option<Symbols>) -> Pass<'a, 'h> {
        Pass {
            session,
            previous,
            symbols: Symbols::default(),
            scopes: Scopes::default(),
            values: Values::default(),
            layout: Layout::new(USER_ORIGIN),
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            assumptions: Vec::new(),
            unknown: Vec::new(),
            feeds: Vec::new(),
            readings: Vec::new(),
            conditions: Vec::new(),
            macros: HashMap::new(),
            unknown_statements: HashMap::new(),
            runaway: Vec::new(),
            structs: HashMap::new(),
            open_struct: None,
            open_page: None,
            entry: None,
            assertions: Vec::new(),
            expectations: Vec::new(),
            contracts: Vec::new(),
            labelled: None,
            labels_have_capitals: false,
            first_emitted: None,
            context: 0,
            unique: 0,
            text_is_missing: false,
            line: Vec::new(),
            operands: Vec::new(),
            text: Vec::new(),
            spent: Spent::default(),
            stopped: false,
            past_the_end: false,
            repeated: Repeated::default(),
        }
    }

    /// Reads everything.
    pub fn run(&mut self) {
        self.define_from_command_line();
        self.push_roots();
        while !self.stopped {
            self.repeat_statements();
            if self.stopped || !self.next_line() {
                break;
            }
            let line = std::mem::take(&mut self.line);
            let before = self.placed();
            self.statement(&line);
            self.remember_statement(&line, before);
            self.line = line;
        }
        self.layout.end_run();
        self.settle_spent();
        if self.check_names(self.layout.last_span()) {
            self.close_open_blocks();
        }
    }

    /// Whether something that was assumed turned out otherwise, so that
    /// another pass is needed.
    pub fn is_unsettled(&mut self) -> bool {
        let unknown = std::mem::take(&mut self.unknown);
        if self.previous.is_none() && !unknown.is_empty() {
            return true;
        }
        if unknown.iter().any(|&(scope, name)| self.symbols.lookup(scope, name).is_some()) {
            return true;
        }
        let ahead: Vec<_> = self.symbols.all_ahead().collect();
        for (scope, name, then) in ahead {
            let now = self.symbols.lookup(scope, name).map(|id| self.symbols.kind(id));
            let same = match (self.symbols.kind(then), now) {
                (Defined::Label { .. }, Some(Defined::Label { .. })) => true,
                (Defined::Constant { expr: a, .. }, Some(Defined::Constant { expr: b, .. })) => {
                    self.session.exprs.same(a, b)
                }
                _ => false,
            };
            if !same {
                return true;
            }
        }
        let assumptions = std::mem::take(&mut self.assumptions);
        assumptions.iter().any(|&(scope, name, address)| {
            let Some(id) = self.symbols.lookup(scope, name) else { return false };
            let Symbol { span, .. } = self.symbols.get(id);
            let expr = Expr::single(Op::Name { name, scope, at: true }, span);
            self.is_address(expr, 0) != address
        })
    }

    /// Constants that decide about each other without end.
    pub fn report_unsettled(&mut self) {
        let ahead: Vec<_> = self.symbols.all_ahead().map(|(.., id)| id).collect();
        let Some(&first) = ahead.first() else { return };
        let span = self.symbols.get(first).span;
        let text = self.session.names.text(self.symbols.get(first).name).to_string();
        let message = format!("`{text}` changes what it depends on, again and again");
        self.report(
            Diagnostic::error("E0311", span, message)
                .note("a size or condition above uses it, and its own value depends on that"),
        );
    }

    /// The constants that the command line gives.
    fn define_from_command_line(&mut self) {
        let options = self.session.options;
        let mut lo = 0;
        for (name, value) in &options.defines {
            let span = Span { lo, hi: lo + name.len() as u32 };
            lo += format!("{name}={value}").len() as u32 + 1;
            let mut valid = name.bytes();
            let first = valid
                .next()
                .is_some_and(|byte| byte.is_ascii_alphabetic() || b"_?".contains(&byte));
            if !first || !valid.all(|byte| byte.is_ascii_alphanumeric() || b"_?.".contains(&byte)) {
                let text = format!("`{name}` is no name for a constant");
                self.report(Diagnostic::error("E0201", span, text));
                continue;
            }
            let exprs = &mut self.session.exprs;
            let start = exprs.len();
            match u64::try_from(value.unsigned_abs()) {
                Ok(number) => exprs.push(Op::Number(number), span),
                Err(_) => {
                    exprs.push(Op::Poison, span);
                    let text = format!("the value of `{name}` is over 2^64 − 1");
                    self.report(Diagnostic::error("E0104", span, text));
                }
            }
            if *value < 0 {
                self.session.exprs.push(Op::Negate, span);
            }
            let expr = self.session.exprs.since(start, span);
            let value = self.session.names.intern(name).0;
            self.define_constant(Token { kind: Kind::Ident, span, value, scope: 0 }, expr);
        }
    }

    /// A message about the statement being read.
    pub fn report(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.level == Level::Warning {
            match self.session.options.level_of_warning(diagnostic.code) {
                Some(level) => diagnostic.level = level,
                None => return,
            }
        }
        // What a macro's body and one call make together is not to be edited.
        diagnostic.edit.take_if(|(span, _)| {
            let text = self.session.sources.text(*span);
            text.contains(['\\', '\r', '\n']) || text.is_empty() && span.lo < span.hi
        });
        let span = diagnostic.span;
        let is_error = diagnostic.level == Level::Error;
        let (count, most) = match is_error {
            true => (&mut self.errors, MOST_ERRORS),
            false => (&mut self.warnings, MOST_WARNINGS),
        };
        *count += 1;
        let count = *count;
        if count < most {
            let context = if diagnostic.context == 0 { self.context } else { diagnostic.context };
            self.diagnostics.push(diagnostic.within(context));
        } else if count == most && is_error {
            self.stopped = true;
            self.text_is_missing = true;
            let error = Diagnostic::error("E0509", span, "there are too many errors");
            let error = error.note(format!("a run ends after {most}"));
            self.diagnostics.push(error.at_the_end());
        } else if count == most {
            let warning = Diagnostic::warning("W0509", span, "there are more warnings");
            let warning = warning.note(format!("at most {most} are shown"));
            self.diagnostics.push(warning.at_the_end());
        }
    }

    pub fn parser<'p>(&'p mut self, tokens: &'p [Token]) -> Parser<'p> {
        Parser {
            tokens,
            at: 0,
            sources: &self.session.sources,
            names: &mut self.session.names,
            exprs: &mut self.session.exprs,
            scopes: &mut self.scopes,
            labels: false,
        }
    }

    /// The value of an argument that sets a size or a place.
    pub fn sizing(&mut self, expr: Expr) -> Option<Value> {
        match self.evaluate(expr, self.layout.here, self.context, Mode::Placing) {
            Ok(value) => Some(value),
            Err(failure) => {
                if let Failure::New(error) = failure {
                    self.report(*error);
                }
                None
            }
        }
    }

    /// Whether `size` more bytes fit; says so once when they don't.
    pub fn fits_memory(&mut self, size: usize, span: Span) -> bool {
        match self.layout.room(size) {
            Ok(()) => {
                self.past_the_end = false;
                true
            }
            Err(Full::Memory) => {
                if !self.past_the_end {
                    self.report(past_memory(span, "this"));
                }
                self.past_the_end = true;
                false
            }
            Err(Full::Bytes) => {
                self.stop(Diagnostic::error(
                    "E0603",
                    span,
                    "the program emits more bytes than the machine has memory, 16 MB",
                ));
                false
            }
        }
    }

    /// Defines a label, variable or constant; a second definition is an
    /// error that shows both.
    #[inline]
    pub fn define(&mut self, symbol: Symbol) -> Option<SymbolId> {
        if matches!(symbol.kind, Defined::Label { .. }) {
            self.labels_have_capitals |= self.session.names.has_capital(symbol.name);
        }
        let defined = self.symbols.define(symbol);
        defined.map_err(|other| self.defined_twice(symbol, other)).ok()
    }

    #[cold]
    fn defined_twice(&mut self, symbol: Symbol, other: SymbolId) {
        let first = self.symbols.get(other);
        let text = self.session.names.text(symbol.name);
        let error = Diagnostic::error("E0302", symbol.span, format!("`{text}` is defined twice"));
        self.report(if symbol.span.lo == first.span.lo {
            self.read_twice(error)
        } else {
            let text = format!("`{text}` is first defined here");
            error.also(first.span, text)
        });
    }

    /// An error of one line that is assembled more than once.
    fn read_twice(&self, error: Diagnostic) -> Diagnostic {
        let (source, _) = self.session.sources.line_at(error.span.lo);
        let file = &self.session.sources.get(source).name;
        match self.scopes.get(self.context).cause {
            Cause::Macro(name) => {
                let name = self.session.names.text(name);
                error.note(format!("every call of `{name}` defines it again"))
            }
            Cause::Repeat => error.note("every repetition defines it again"),
            Cause::Root | Cause::Include => {
                let readings = self.readings.iter().filter(|reading| reading.1 == source);
                let roots = readings.filter(|reading| reading.0 == 0).count();
                error.note(match roots {
                    0 => format!("`{file}` is included more than once"),
                    1 => format!("`{file}` is named on the command line and included, too"),
                    _ => format!("`{file}` is named more than once on the command line"),
                })
            }
        }
    }

    pub fn define_constant(&mut self, token: Token, expr: Expr) {
        let here = Some(self.layout.here);
        self.define(Symbol {
            name: token.name(),
            scope: 0,
            span: token.span,
            context: self.context,
            kind: Defined::Constant { expr, here },
        });
    }

    /// What the pass before knew of a name that is not defined above.
    pub fn look_ahead(&mut self, scope: u32, name: Name) -> Option<SymbolId> {
        if let Some(id) = self.symbols.ahead(scope, name) {
            return Some(id);
        }
        let previous = self.previous.as_ref()?;
        let mut symbol = previous.get(previous.lookup(scope, name)?);
        if let Defined::Constant { here, .. } = &mut symbol.kind {
            *here = None;
        }
        symbol.context = 0;
        Some(self.symbols.add_ahead(scope, name, symbol))
    }

    /// One line: labels, then what they stand before.
    fn statement(&mut self, line: &[Token]) {
        if line.first().is_none_or(|first| !self.count_statement(first.span)) {
            return;
        }
        let mut tokens = line;
        let skipping = self.is_skipping();
        while let [name, colon, rest @ ..] = tokens
            && matches!(name.kind, Kind::Ident | Kind::DotIdent)
            && colon.kind == Kind::Colon
            && !self.is_field_with_colon(*name, rest)
        {
            if !skipping {
                self.label_in_struct(*name);
                self.label(*name);
            }
            tokens = rest;
        }
        if tokens.is_empty() {
            return;
        }
        let result = if skipping { self.skipped(tokens) } else { self.dispatch(tokens) };
        if let Err(error) = result {
            let error = self.used_in(tokens[0].span, *error);
            self.report(error);
        }
    }

    /// An error in a macro's argument also shows the statement of the body
    /// that the argument ended up in.
    pub fn used_in(&self, statement: Span, error: Diagnostic) -> Diagnostic {
        let sources = &self.session.sources;
        if sources.line_at(statement.lo) == sources.line_at(error.span.lo) {
            error
        } else {
            error.also(statement, "used here")
        }
    }

    fn dispatch(&mut self, tokens: &[Token]) -> Parsed<()> {
        let first = tokens[0];
        match first.kind {
            Kind::DotIdent => return self.directive(tokens),
            Kind::Ident if self.is_field(&tokens[1..]) => return self.struct_field(tokens),
            Kind::Ident => {}
            Kind::Number | Kind::Here => {
                let error = self.parser(tokens).unexpected("a statement");
                return Err(Box::new(error.help("a name begins with a letter, `_` or `?`")));
            }
            Kind::At if tokens.get(2).is_some_and(|token| token.kind == Kind::Colon) => {
                let error = self.parser(tokens).unexpected("a statement");
                return Err(Box::new(error.help("a label is defined without the `@`")));
            }
            _ => return Err(self.parser(tokens).unexpected("a statement")),
        }
        let name = first.name();
        if tokens.get(1).is_some_and(|token| token.kind == Kind::Assign) {
            return self.constant_definition(tokens, 2);
        }
        if let Some(word) = self.session.names.word(name) {
            return self.instruction(tokens, word);
        }
        if let Some(body) = self.macros.get(&name) {
            let body = Rc::clone(body);
            return self.call_macro(tokens, body);
        }
        if self.text_is_missing && self.unknown_statements.contains_key(&name) {
            // Once is enough: it is probably in the file that is missing.
            return Ok(());
        }
        let error = self.unknown_statement(tokens);
        self.unknown_statements.entry(name).or_default().push(self.diagnostics.len());
        Err(Box::new(error))
    }

    /// `NAME EXPR` of `.equ` and `NAME = EXPR`; the value begins at token
    /// `value`.
    pub fn constant_definition(&mut self, tokens: &[Token], value: usize) -> Parsed<()> {
        let name = tokens[value - if tokens[0].kind == Kind::DotIdent { 1 } else { 2 }];
        let mut parser = self.parser(tokens);
        parser.at = value;
        let parsed = parser.expression().and_then(|expr| parser.end().map(|()| expr));
        let (expr, error) = match parsed {
            Ok(expr) => (expr, None),
            // The name exists all the same: its uses are no further errors.
            Err(error) => (Expr::single(Op::Poison, name.span), Some(error)),
        };
        self.define_constant(name, expr);
        error.map_or(Ok(()), Err)
    }

    fn label(&mut self, token: Token) {
        if token.kind == Kind::Ident && self.session.names.text(token.name()).contains('.') {
            self.report(
                Diagnostic::error("E0201", token.span, "a label's name has no dot")
                    .help("a local label is written `.name:` below its plain label"),
            );
            return;
        }
        self.define_label(token);
    }

    /// Defines the label that `token`, in which no second dot is, names here.
    pub fn define_label(&mut self, token: Token) {
        let (name, sort) = if token.kind == Kind::DotIdent {
            (self.scopes.local_name(token, &mut self.session.names), Sort::Local)
        } else {
            (token.name(), Sort::Plain)
        };
        let address = self.layout.here;
        self.labelled = Some(Labelled { name, span: token.span, address });
        let kind = Defined::Label { address, sort };
        let scope = token.scope;
        self.layout.labelled = true;
        self.define(Symbol { name, scope, span: token.span, context: self.context, kind });
        if sort == Sort::Plain {
            self.scopes.set_plain(scope, name);
        }
        self.check_names(token.span);
    }
}

/// `what` would need addresses that do not exist.
pub(crate) fn past_memory(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("E0603", span, format!("{what} goes past the end of memory"))
        .note("the last address is $FFFFFF")
}
