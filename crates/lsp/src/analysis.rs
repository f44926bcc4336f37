//! What assembling the open programs says: messages for each file, fixes, and
//! the last program that had no error.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Range as Span,
};
use sda::lint::Rules;
use sda::{Diagnostics, Level, Program};

use crate::document::Text;
use crate::workspace::Workspace;

/// A suggested edit.
#[derive(Clone, Debug)]
pub(crate) struct Fix {
    /// The message that it belongs to.
    pub diagnostic: Diagnostic,
    pub path: PathBuf,
    pub span: Span,
    pub text: String,
}

/// What is known of the open programs.
#[derive(Default)]
pub(crate) struct Analysis {
    pub messages: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// By the file that the message is in.
    pub fixes: HashMap<PathBuf, Vec<Fix>>,
    /// By the files to assemble: the last program without errors.
    programs: HashMap<Vec<PathBuf>, Assembled>,
    /// The programs that were looked at, with errors or without.
    roots: Vec<Vec<PathBuf>>,
}

/// A program without errors, and the open files that it was made from.
struct Assembled {
    program: Program,
    texts: Arc<HashMap<PathBuf, Arc<Text>>>,
}

impl Analysis {
    /// Assembles the programs of all open files; with `lint`, examines them.
    /// It may leave off before the next step once that `is_pointless`.
    pub fn of(workspace: &Workspace, lint: bool, is_pointless: &dyn Fn() -> bool) -> Analysis {
        let mut analysis = Analysis::default();
        let files = workspace.programs();
        let mut texts = HashMap::new();
        for (path, document) in workspace.documents() {
            analysis.messages.entry(path.clone()).or_default();
            texts.insert(path.clone(), Arc::clone(&document.text));
            if let Some(program) = files.main_of(path)
                && !analysis.roots.contains(&program.roots)
            {
                analysis.roots.push(program.roots.clone());
            }
        }
        let texts = Arc::new(texts);
        let options = workspace.settings.options();
        for roots in analysis.roots.clone() {
            if is_pointless() {
                break;
            }
            let assembly = sda::assemble(&roots, workspace, &options);
            analysis.add(workspace, &assembly.diagnostics);
            if lint && !is_pointless() {
                let report = sda::lint::lint(&assembly, &Rules::default());
                analysis.add(workspace, &report.findings);
            }
            if let Some(program) = assembly.program {
                let texts = Arc::clone(&texts);
                analysis.programs.insert(roots, Assembled { program, texts });
            }
        }
        analysis
    }

    /// Goes on with a newer analysis. If it `is_current`, all that is said is
    /// said by it; else only its programs are of use.
    pub fn advance(&mut self, newer: Analysis, is_current: bool) {
        let Analysis { messages, fixes, programs, roots } = newer;
        self.programs.extend(programs);
        if is_current {
            self.programs.retain(|known, _| roots.contains(known));
            (self.messages, self.fixes, self.roots) = (messages, fixes, roots);
        }
    }

    /// The last program without errors that a file is looked at in.
    pub fn program_of(&self, workspace: &Workspace, path: &Path) -> Option<&Program> {
        Some(&self.assembled(workspace, path)?.program)
    }

    /// The number of a line, from 0, when that program was assembled, unless
    /// the line has changed since.
    pub fn line_of(&self, workspace: &Workspace, path: &Path, line: usize) -> Option<usize> {
        let before = self.assembled(workspace, path)?.texts.get(path);
        match (before, workspace.document(path)) {
            (Some(before), Some(now)) => now.text.line_in(before, line),
            _ => Some(line),
        }
    }

    fn assembled(&self, workspace: &Workspace, path: &Path) -> Option<&Assembled> {
        self.programs.get(&workspace.programs().main_of(path)?.roots)
    }

    fn add(&mut self, workspace: &Workspace, diagnostics: &Diagnostics) {
        for one in diagnostics.iter() {
            let place = place(workspace, &diagnostics.location(one));
            // What the settings define has no file; it is said where it is
            // used or not at all.
            let Some((path, span)) = place else { continue };
            let mut text = one.message().to_string();
            for (word, lines) in [("note", one.notes()), ("help", one.helps())] {
                for line in lines {
                    text += &format!("\n{word}: {line}");
                }
            }
            let related = diagnostics.related(one).into_iter().filter_map(|(location, text)| {
                let (path, range) = self::place(workspace, &location)?;
                let location = Location { uri: workspace.uri(&path)?, range };
                Some(DiagnosticRelatedInformation { location, message: text.to_string() })
            });
            let related: Vec<_> = related.collect();
            let severity = match one.level() {
                Level::Error => DiagnosticSeverity::ERROR,
                Level::Warning => DiagnosticSeverity::WARNING,
            };
            let is_unused = matches!(one.code(), "W0301" | "W0801" | "L0402");
            let diagnostic = Diagnostic {
                range: span,
                severity: Some(severity),
                code: Some(NumberOrString::String(one.code().to_string())),
                code_description: None::<CodeDescription>,
                source: Some("vc3".into()),
                message: text,
                related_information: (!related.is_empty()).then_some(related),
                tags: is_unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
                data: None,
            };
            // A file of several programs has its error once, whoever includes it.
            let list = self.messages.entry(path.clone()).or_default();
            let is_same = |known: &Diagnostic| {
                (known.range, &known.code, &known.message)
                    == (diagnostic.range, &diagnostic.code, &diagnostic.message)
            };
            if list.iter().any(is_same) {
                continue;
            }
            list.push(diagnostic.clone());
            if let Some((location, text)) = diagnostics.edit(one)
                && let Some((edited, span)) = self::place(workspace, &location)
            {
                let fix = Fix { diagnostic, path: edited, span, text: text.into() };
                self.fixes.entry(path).or_default().push(fix);
            }
        }
    }
}

/// A piece of a source as the client counts. `None` for what is in no file.
fn place(workspace: &Workspace, location: &sda::Location) -> Option<(PathBuf, Span)> {
    if location.file.starts_with('<') {
        return None;
    }
    let path = sda::plain_path(Path::new(&location.file));
    let span = workspace.span(&path, location.bytes.clone());
    Some((path, span))
}
