//! What a run has found out, kept as it is: symbols, lines and statements are
//! made from it when somebody asks, for most runs want bytes only.

use std::fmt;
use std::sync::Arc;

use crate::evaluate::Values;
use crate::layout::{Record, Variable};
use crate::names::Names;
use crate::program::{Anchor, Reading, Statement, Symbol, SymbolKind};
use crate::source::{LineFinder, Sources, Span};
use crate::statements::Statements;
use crate::symbols::{Cause, Defined, Scopes, Sort, Symbols};

/// The state of a settled pass that led to no error.
#[derive(Default)]
pub(crate) struct Facts {
    pub sources: Arc<Sources>,
    pub names: Names,
    pub symbols: Symbols,
    pub values: Values,
    pub scopes: Scopes,
    pub records: Statements,
    pub variables: Vec<Variable>,
    /// Every reading of a file: its inclusion, its source, the number of the
    /// next statement then.
    pub readings: Vec<(u32, usize, u32)>,
}

impl Facts {
    /// The symbols of the program and of its expansions, with their values,
    /// in the order of definition.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut lines = self.sources.line_finder();
        let mut list = Vec::new();
        for id in self.symbols.ids().filter(|&id| !self.symbols.is_ahead(id)) {
            let symbol = self.symbols.get(id);
            let kind = match symbol.kind {
                Defined::Label { sort: Sort::Plain, .. } => SymbolKind::Label,
                Defined::Label { sort: Sort::Local, .. } => SymbolKind::Local,
                Defined::Label { sort: Sort::Variable, .. } => SymbolKind::Variable,
                Defined::Constant { .. } => SymbolKind::Constant,
            };
            let Some(value) = self.values.of(id, symbol.kind) else { continue };
            let (source, line) = lines.line_at(symbol.span.lo);
            list.push(Symbol {
                name: self.names.text(symbol.name).into(),
                scope: self.scope_name(symbol.scope),
                value: value.number,
                address: value.address,
                kind,
                file: self.sources.get(source).name.clone(),
                line,
            });
        }
        list
    }

    /// How listings name an expansion: `name#12`; the program is empty.
    fn scope_name(&self, scope: u32) -> String {
        match self.scopes.get(scope).cause {
            Cause::Macro(name) => format!("{}#{scope}", self.names.text(name)),
            _ => String::new(),
        }
    }

    /// Every statement that emitted or reserved something, in source order;
    /// variables come last.
    pub fn statements(&self) -> Vec<Statement> {
        let mut lines = self.sources.line_finder();
        let mut list = Vec::with_capacity(self.records.len() + self.variables.len());
        let mut before = 0;
        for (at, record) in (0..).zip(self.records.iter()) {
            let variables = &self.variables[before..];
            before += variables.iter().take_while(|variable| variable.behind <= at).count();
            list.push(self.statement(&record, at + before as u32, &mut lines));
        }
        for (at, variable) in (0..).zip(&self.variables) {
            list.push(self.statement(&variable.record, variable.behind + at, &mut lines));
        }
        list
    }

    /// `order` is the statement's number in the order of reading.
    fn statement(&self, record: &Record, order: u32, lines: &mut LineFinder<'_>) -> Statement {
        let causes = || self.scopes.chain(record.context).map(|context| context.cause);
        let caller = self.scopes.caller_span(record.span(), record.context);
        let (source, line) = lines.line_at(record.span().lo);
        Statement {
            address: record.address,
            size: record.size,
            is_reserved: record.is_reserved(),
            source,
            line,
            caller: lines.line_at(caller.lo),
            anchor: self.anchor(lines, record.span(), record.context),
            expanded: causes()
                .take_while(|&cause| cause != Cause::Include)
                .any(|cause| matches!(cause, Cause::Macro(_) | Cause::Repeat)),
            included: causes().any(|cause| cause == Cause::Include),
            code: record.is_code(),
            order,
        }
    }

    /// For each statement that emitted something: its address, its bytes, and
    /// the source and line of the outermost macro call that it came from.
    pub fn lines(&self) -> Vec<(u32, u32, u32, u32)> {
        let mut lines = self.sources.line_finder();
        let emitted = self.records.iter().filter(|record| !record.is_reserved());
        emitted
            .map(|record| {
                let span = self.scopes.caller_span(record.span(), record.context);
                let (source, line) = lines.line_at(span.lo);
                (record.address, record.size, source as u32, line)
            })
            .collect()
    }

    /// Every reading of a file, in order, with the line that asked for it.
    pub fn readings(&self) -> Vec<Reading> {
        let mut lines = self.sources.line_finder();
        self.readings
            .iter()
            .map(|&(context, source, order)| {
                let cause = *self.scopes.get(context);
                let from =
                    (context != 0).then(|| self.anchor(&mut lines, cause.span, cause.parent));
                Reading { context, source, order, from }
            })
            .collect()
    }

    /// What a file itself says: a statement, or the macro call or repetition
    /// that it comes from.
    fn anchor(&self, lines: &mut LineFinder<'_>, span: Span, context: u32) -> Anchor {
        let (span, context) = self
            .scopes
            .chain(context)
            .take_while(|context| context.cause != Cause::Include)
            .last()
            .map_or((span, context), |outer| (outer.span, outer.parent));
        let (source, line) = lines.line_at(span.lo);
        Anchor { context, source, line }
    }

    /// The places that are reserved, by `.res` and `.var`: first address, and
    /// the first behind it.
    pub fn reserved(&self) -> impl Iterator<Item = (u32, u32)> {
        let reserved = self.records.iter().filter(|record| record.is_reserved());
        let variables = self.variables.iter().map(|variable| variable.record);
        reserved.chain(variables).map(|record| (record.address, record.end()))
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Facts").finish_non_exhaustive()
    }
}
