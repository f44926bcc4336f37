//! `lint`: follows every register, flag and byte of the stack through the
//! routines of a program, and says where what is read was never written, a
//! promise is broken, a path ends badly. It knows that all registers are
//! views of the same sixteen words.

mod analysis;
mod call;
mod finding;
mod notes;
mod paths;
mod promises;
mod reads;
mod routine;
mod shown;
mod step;
#[cfg(test)]
mod tests;
mod value;
mod walk;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::Assembly;
use crate::diagnostic::{Diagnostic, Diagnostics, Level};
use crate::program::{Program, Statement};
use crate::source::Span;

use analysis::summaries;
use finding::{Finding, Place};
use notes::Note;
use promises::Demands;
use routine::{Routine, Routines, Summary};
pub use shown::Shown;
use walk::Walk;

/// The codes of findings; `Explanation::of` says what each is about.
pub const CODES: [&str; 14] = [
    "L0101", "L0102", "L0103", "L0104", "L0201", "L0202", "L0203", "L0204", "L0301", "L0302",
    "L0401", "L0402", "L0501", "L0901",
];

/// What of the findings is wanted.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Codes that nobody wants to hear.
    pub allowed: Vec<String>,
    /// Codes that are errors, whatever a note in the source says.
    pub denied: Vec<String>,
}

impl Rules {
    fn has(list: &[String], code: &str) -> bool {
        list.iter().any(|one| one.eq_ignore_ascii_case(code))
    }
}

/// What lint has to say about a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, in the order of their places.
    pub findings: Diagnostics,
    /// Notes in the sources that this program does not need. A source that
    /// several programs include may need one for another of them.
    pub unused_notes: Diagnostics,
    /// File and line of the notes that it does need.
    pub used_notes: Vec<(String, u32)>,
    /// Routines whose paths are too tangled to be followed: nothing is said
    /// about their registers and their stack.
    pub given_up: Vec<String>,
}

/// Examines a program. What the assembler has warned of already is not said
/// again; without a program, because of errors, there is nothing to say.
pub fn lint(assembly: &Assembly, rules: &Rules) -> Report {
    let Some(program) = &assembly.program else { return Report::default() };
    let context = Context::of(program);
    let mut found = context.findings();
    found.sort_by(|a, b| (a.place, a.code).cmp(&(b.place, b.code)));
    found.dedup();
    report(&context, found, &assembly.diagnostics, rules)
}

/// What every routine that returns does in fact, in the order of their
/// labels: for promises to be written.
pub fn shown(program: &Program) -> Vec<Shown> {
    shown::shown(&Context::of(program))
}

/// A program with all that is known of it.
struct Context<'a> {
    program: &'a Program,
    routines: Routines<'a>,
    list: BTreeMap<u32, Routine>,
    summaries: BTreeMap<u32, Summary>,
    statements: HashMap<u32, &'a Statement>,
}

impl<'a> Context<'a> {
    fn of(program: &'a Program) -> Context<'a> {
        let routines = Routines::of(program);
        let list = routines.all();
        let (summaries, _) = summaries(&routines, &list);
        let statements = program.statements().iter().map(|one| (one.address, one)).collect();
        Context { program, routines, list, summaries, statements }
    }

    fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut demands = Demands::default();
        for routine in self.list.values() {
            if self.summaries[&routine.entry].unknown {
                continue;
            }
            let walk = Walk::through(routine, &self.routines, &self.summaries, usize::MAX);
            reads::undefined(self, &walk, &mut found);
            reads::aliases(self, &walk, &mut found);
            promises::clobbers(self, &walk, &mut found);
            promises::pure(self, &walk, &mut found);
            promises::results(self, &walk, &mut found);
            paths::stack(self, &walk, &mut found);
            demands.meet(&walk);
        }
        demands.check(self, &mut found);
        paths::strays(self, &mut found);
        paths::unreached(self, &mut found);
        paths::debugging(self, &mut found);
        found
    }

    /// The routine at `address` by its label.
    fn name(&self, address: u32) -> String {
        if let Some(contract) = self.routines.contracts.get(&address) {
            return contract.label.clone();
        }
        match self.program.symbols.nearest(address) {
            Some((name, 0)) => name.to_string(),
            _ => format!("${address:06X}"),
        }
    }

    /// The statement at `address`, or the one that it lies in.
    fn statement(&self, address: u32) -> Option<&'a Statement> {
        let before = (0..isa::MAX_LENGTH as u32).filter_map(|back| address.checked_sub(back));
        before.filter_map(|at| self.statements.get(&at)).copied().next()
    }

    /// The text of a place, without its comment.
    fn span(&self, place: Place) -> Span {
        let address = match place {
            Place::Span(span) => return span,
            Place::At(address) => address,
        };
        let Some(statement) = self.statement(address) else { return Span::default() };
        let source = self.program.sources.get(statement.source);
        let (text, start) = source.line(statement.line);
        let code = &text[..notes::comment(text).unwrap_or(text.len())];
        let indent = code.len() - code.trim_start().len();
        let lo = source.base + (start + indent) as u32;
        Span { lo, hi: lo + code.trim().len() as u32 }
    }
}

fn report(
    context: &Context<'_>,
    found: Vec<Finding>,
    warnings: &Diagnostics,
    rules: &Rules,
) -> Report {
    let sources = &context.program.sources;
    let mut notes = notes::notes(sources);
    let said: HashSet<(usize, u32, &str)> = warnings
        .list
        .iter()
        .map(|one| {
            let (source, line) = sources.line_at(one.span.lo);
            (source, line, one.code)
        })
        .collect();
    let mut list = Vec::new();
    for finding in found {
        let span = context.span(finding.place);
        let (source, line) = sources.line_at(span.lo);
        let known = match finding.code {
            "L0401" => said.contains(&(source, line, "W0802")),
            "L0402" => said.contains(&(source, line, "W0801")),
            _ => false,
        };
        let denied = Rules::has(&rules.denied, finding.code);
        if known || Rules::has(&rules.allowed, finding.code) {
            continue;
        }
        let note = notes.iter_mut().find(|note| {
            note.covers(source, line) && note.codes.iter().any(|code| code == finding.code)
        });
        if let Some(note) = note {
            note.used = true;
            if !denied {
                continue;
            }
        }
        let mut diagnostic = message(context, &finding, span);
        if denied {
            diagnostic.level = Level::Error;
        }
        list.push(diagnostic);
    }
    list.sort_by_key(|one| one.span.lo);
    list.dedup_by(|b, a| (a.code, a.span, &a.message) == (b.code, b.span, &b.message));
    let mut unused = Vec::new();
    if !Rules::has(&rules.allowed, "L0901") {
        for note in &notes {
            let complaint = complaint(note, &rules.allowed);
            let Some(text) = complaint else { continue };
            let mut diagnostic = Diagnostic::warning("L0901", note.span, text);
            if Rules::has(&rules.denied, "L0901") {
                diagnostic.level = Level::Error;
            }
            if note.used { list.push(diagnostic) } else { unused.push(diagnostic) }
        }
    }
    let used = notes.iter().filter(|note| note.used);
    let used_notes = used.map(|note| (sources.get(note.source).name.clone(), note.line)).collect();
    let diagnostics = |list| Diagnostics { list, sources: sources.clone() };
    let unknown = context.summaries.iter().filter(|(_, summary)| summary.unknown);
    Report {
        findings: diagnostics(list),
        unused_notes: diagnostics(unused),
        used_notes,
        given_up: unknown.map(|(&entry, _)| context.name(entry)).collect(),
    }
}

/// What is wrong with a note, if anything is.
fn complaint(note: &Note, allowed: &[String]) -> Option<&'static str> {
    let silenced = note.codes.iter().any(|code| Rules::has(allowed, code));
    match () {
        () if note.codes.is_empty() => Some("this note names no code, such as L0301"),
        () if !note.has_reason => Some("this note does not say why"),
        () if !note.used && !silenced => Some("this note allows nothing: nothing is found here"),
        () => None,
    }
}

fn message(context: &Context<'_>, finding: &Finding, span: Span) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::warning(finding.code, span, finding.message.clone()).label(&finding.label);
    for (place, text) in &finding.related {
        let other = context.span(*place);
        if other != span {
            diagnostic = diagnostic.also(other, text.clone());
        } else {
            diagnostic = diagnostic.note(text.clone());
        }
    }
    if let Place::At(address) = finding.place
        && let Some(statement) = context.statement(address).filter(|one| one.expanded)
    {
        let (source, line) = statement.caller;
        let source = context.program.sources.get(source);
        let (text, start) = source.line(line);
        let lo = source.base + (start + text.len() - text.trim_start().len()) as u32;
        let code = text[..notes::comment(text).unwrap_or(text.len())].trim().len() as u32;
        diagnostic = diagnostic.also(Span { lo, hi: lo + code }, "in this expansion");
    }
    diagnostic.notes.extend(finding.notes.iter().cloned());
    diagnostic.helps.extend(finding.helps.iter().cloned());
    diagnostic
}

impl Diagnostics {
    /// Makes errors of the warnings whose codes are `denied`.
    pub fn deny(&mut self, denied: impl Fn(&str) -> bool) {
        for one in self.list.iter_mut().filter(|one| denied(one.code)) {
            one.level = Level::Error;
        }
    }

    /// Keeps the messages that `keep` wants, by file, line, column and the
    /// message.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, u32, u32, &Diagnostic) -> bool) {
        let sources = self.sources.clone();
        self.list.retain(|one| {
            let place = sources.place(one.span.lo);
            keep(&sources.get(place.source).name, place.line, place.column, one)
        });
    }
}
