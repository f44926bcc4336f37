//! The cross-assembler for the `.sda` language: source text in, program
//! image out, with every error of a run shown in its place.
//!
//! The stages are `lex` → `parse` → `expand` → `layout` → `encode`; the
//! instruction table is the `isa` crate's. Nothing here knows a machine.

mod block;
mod check;
mod condition;
mod contract;
mod data;
mod diagnostic;
mod directive;
pub mod disassemble;
mod emitted;
mod encode;
mod evaluate;
mod expand;
mod explain;
mod expression;
mod facts;
mod files;
mod finish;
mod fixups;
pub mod flow;
pub mod fmt;
mod forms;
pub mod index;
mod instruction;
mod json;
mod lanes;
mod layout;
mod lex;
mod limits;
pub mod lint;
mod listing;
mod literal;
mod map;
mod names;
mod operand;
mod output;
mod parse;
mod pass;
mod plain;
mod program;
mod record;
mod render;
mod repeated;
mod report;
mod session;
mod source;
mod statements;
mod sum;
mod symbols;
mod text;
mod unknown;
mod warnings;
mod words;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use contract::Contract;
pub use diagnostic::{Diagnostic, Diagnostics, Level, Location};
pub use directive::directives;
pub use emitted::Emitted;
pub use explain::{EXPLANATIONS, Explanation};
pub use files::{Files, HostFiles, LARGEST_FILE};
pub use listing::time_of;
pub use output::OutputError;
pub use program::{Expectation, LineTable, Program, Segment, Symbol, SymbolKind, Symbols};
pub use session::plain_path;

use facts::Facts;
use finish::Pieces;
use pass::Pass;
use session::Session;

/// How to assemble.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Constants that exist from the start, `-D NAME=VALUE`.
    pub defines: Vec<(String, i128)>,
    /// Folders for `.include` and `.incbin` after the including file's own.
    pub include_dirs: Vec<PathBuf>,
    /// Whether the kernal's area, $010100–$01DBFF, may be covered.
    pub kernal: bool,
    /// Whether a warning is as bad as an error.
    pub warnings_are_errors: bool,
    /// The warnings, by code, that are as bad as errors.
    pub denied: Vec<String>,
    /// The warnings, by code, that nobody wants to hear. They win over the
    /// two above.
    pub allowed: Vec<String>,
}

impl Options {
    /// What a command line or an editor says about the sources; every warning
    /// is wanted, and is one.
    pub fn of_sources(
        defines: &[(String, i128)],
        include_dirs: &[PathBuf],
        kernal: bool,
    ) -> Options {
        Options {
            defines: defines.to_vec(),
            include_dirs: include_dirs.to_vec(),
            kernal,
            ..Options::default()
        }
    }

    /// How bad a warning of this code is; `None` when it is not wanted.
    fn level_of_warning(&self, code: &str) -> Option<Level> {
        let has = |list: &[String]| list.iter().any(|one| one.eq_ignore_ascii_case(code));
        match () {
            () if has(&self.allowed) => None,
            () if self.warnings_are_errors || has(&self.denied) => Some(Level::Error),
            () => Some(Level::Warning),
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The program; `None` when there were errors.
    pub program: Option<Program>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
}

/// Passes after which constants that change each other are given up.
const MOST_PASSES: usize = 64;

/// Assembles `files`, which together are one program, each going on where
/// the last ended.
pub fn assemble(files: &[PathBuf], host: &dyn Files, options: &Options) -> Assembly {
    let mut session = Session::new(host, options, files);
    let mut previous = None;
    for _ in 0..MOST_PASSES {
        let mut pass = Pass::new(&mut session, previous);
        pass.run();
        if pass.is_stopped() || !pass.is_unsettled() {
            return finish(pass);
        }
        previous = Some(pass.symbols);
    }
    let mut pass = Pass::new(&mut session, previous);
    pass.run();
    pass.report_unsettled();
    finish(pass)
}

fn finish(mut pass: Pass<'_, '_>) -> Assembly {
    pass.resolve_fixups();
    pass.resolve_constants();
    pass.check_assertions();
    let entry = pass.entry_address();
    let expectations = pass.finish_expectations();
    pass.check_overlaps();
    pass.check_areas();
    let failed = |pass: &Pass<'_, '_>| {
        let mut list = pass.session.diagnostics.iter().chain(&pass.diagnostics);
        list.any(|one| one.level == Level::Error)
    };
    let pieces = if failed(&pass) { Pieces::default() } else { pass.pieces() };
    if !failed(&pass) {
        pass.warn(entry);
    }
    let failed = failed(&pass);
    pass.add_chains();
    let mut list = std::mem::take(&mut pass.session.diagnostics);
    list.append(&mut pass.diagnostics);
    list.sort_by_key(|one| (one.last, one.span.lo));
    // The rounds of a repetition say the same with the same chain.
    let mut said = HashSet::new();
    list.retain(|one| said.insert((one.code, one.span, one.message.clone(), one.related.clone())));
    let sources = Arc::new(std::mem::take(&mut pass.session.sources));
    let diagnostics = Diagnostics { list, sources: Arc::clone(&sources) };
    if failed {
        return Assembly { program: None, diagnostics };
    }
    let facts = Arc::new(Facts {
        sources,
        names: std::mem::take(&mut pass.session.names),
        symbols: pass.symbols,
        values: pass.values,
        scopes: pass.scopes,
        records: pass.layout.records,
        variables: pass.layout.variables,
        readings: pass.readings,
    });
    let segments = pieces.into_segments(std::mem::take(&mut pass.layout.bytes));
    let mut contracts = pass.contracts;
    contracts.sort_by_key(|contract| contract.address);
    let program = Program {
        entry,
        segments,
        symbols: Symbols::new(Arc::clone(&facts)),
        lines: LineTable::new(Arc::clone(&facts)),
        expectations,
        contracts,
        sources: Arc::clone(&diagnostics.sources),
        facts,
        statements: OnceLock::new(),
    };
    Assembly { program: Some(program), diagnostics }
}
