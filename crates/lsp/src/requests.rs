//! Requests: what the server can do, and which part answers what.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_server::ErrorCode;
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentHighlightRequest, DocumentSymbolRequest, Formatting,
    GotoDefinition, HoverRequest, PrepareRenameRequest, References, Rename, Request,
    WorkspaceSymbolRequest,
};
use lsp_types::{
    ClientCapabilities, DocumentHighlight, DocumentHighlightKind, GotoDefinitionResponse, Location,
    TextDocumentPositionParams, TextEdit, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::document::Text;
use crate::encoding::Encoding;
use crate::names::{self, Found, Target};
use crate::paths::path_of;
use crate::workspace::Workspace;
use crate::{actions, completion, hover, rename, symbols};

/// Why a request has no result.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub code: ErrorCode,
    pub message: String,
}

/// What answers are made from.
pub(crate) struct Context<'a> {
    pub workspace: &'a Workspace,
    pub analysis: &'a Analysis,
    pub client: &'a ClientCapabilities,
}

/// A place in a text that a client asks about.
pub(crate) struct Point {
    pub path: PathBuf,
    pub text: Arc<Text>,
    pub offset: usize,
}

/// What the server offers, as the answer to `initialize`.
pub(crate) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.kind(),
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "documentFormattingProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": [".", "@", "\\", "\"", "/"] },
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "workspace": {
                "workspaceFolders": { "supported": true, "changeNotifications": true },
            },
        },
        "serverInfo": { "name": "vc3 lsp", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Whether an answer has something from the assembled program in it, and not
/// from the texts alone.
pub(crate) fn needs_program(method: &str) -> bool {
    method == HoverRequest::METHOD
}

/// Whether an answer depends on everything that can be said of the programs as
/// they are now. Others are made from the texts and from what was last known.
pub(crate) fn needs_findings(method: &str) -> bool {
    method == CodeActionRequest::METHOD
}

/// The parameters of a request.
pub(crate) fn parse<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal {
        code: ErrorCode::InvalidParams,
        message: format!("the parameters are wrong: {error}"),
    })
}

/// The answer to a request.
pub(crate) fn answer(context: Context<'_>, method: &str, params: Value) -> Result<Value, Refusal> {
    let cx = &context;
    match method {
        HoverRequest::METHOD => reply::<HoverRequest>(params, |one| {
            let point = cx.point(&one.text_document_position_params)?;
            Some(hover::hover(cx, &point))
        }),
        GotoDefinition::METHOD => reply::<GotoDefinition>(params, |one| {
            Some(cx.definition(&cx.point(&one.text_document_position_params)?))
        }),
        References::METHOD => reply::<References>(params, |one| {
            let point = cx.point(&one.text_document_position)?;
            Some(cx.references(&point, one.context.include_declaration))
        }),
        DocumentHighlightRequest::METHOD => reply::<DocumentHighlightRequest>(params, |one| {
            Some(cx.highlights(&cx.point(&one.text_document_position_params)?))
        }),
        DocumentSymbolRequest::METHOD => reply::<DocumentSymbolRequest>(params, |one| {
            let (_, text) = cx.text(&one.text_document.uri)?;
            Some(Some(symbols::of_document(&text, cx.workspace.encoding)))
        }),
        WorkspaceSymbolRequest::METHOD => reply::<WorkspaceSymbolRequest>(params, |one| {
            Some(Some(symbols::of_workspace(cx.workspace, &one.query)))
        }),
        Formatting::METHOD => reply::<Formatting>(params, |one| {
            let (_, text) = cx.text(&one.text_document.uri)?;
            Some(Some(format(&text, cx.workspace.encoding)))
        }),
        Completion::METHOD => reply::<Completion>(params, |one| {
            let point = cx.point(&one.text_document_position)?;
            Some(Some(completion::complete(cx, &point)))
        }),
        PrepareRenameRequest::METHOD => {
            let one: TextDocumentPositionParams = parse(params)?;
            match cx.point(&one) {
                Some(point) => rename::prepare(cx, &point),
                None => Ok(Value::Null),
            }
        }
        Rename::METHOD => {
            let one: lsp_types::RenameParams = parse(params)?;
            match cx.point(&one.text_document_position) {
                Some(point) => rename::rename(cx, &point, &one.new_name),
                None => Ok(Value::Null),
            }
        }
        CodeActionRequest::METHOD => Ok(actions::actions(cx, &parse(params)?)),
        _ => Err(Refusal {
            code: ErrorCode::MethodNotFound,
            message: format!("there is no method {method}"),
        }),
    }
}

/// The answer of a method whose result may be nothing: of a file that is not
/// known there is nothing to say.
fn reply<R: Request>(
    params: Value,
    answer: impl FnOnce(R::Params) -> Option<R::Result>,
) -> Result<Value, Refusal> {
    let Some(result) = answer(parse(params)?) else { return Ok(Value::Null) };
    serde_json::to_value(result)
        .map_err(|error| Refusal { code: ErrorCode::InternalError, message: error.to_string() })
}

impl Context<'_> {
    fn text(&self, uri: &Uri) -> Option<(PathBuf, Arc<Text>)> {
        let path = path_of(uri);
        let text = self.workspace.text(&path)?;
        Some((path, text))
    }

    fn point(&self, params: &TextDocumentPositionParams) -> Option<Point> {
        let (path, text) = self.text(&params.text_document.uri)?;
        let offset = text.offset(params.position, self.workspace.encoding);
        Some(Point { path, text, offset })
    }

    pub fn target(&self, point: &Point) -> Option<Target> {
        names::target_at(self.workspace, &point.path, point.offset)
    }

    pub fn location(&self, path: &Path, range: std::ops::Range<usize>) -> Option<Location> {
        let range = self.workspace.span(path, range);
        Some(Location { uri: self.workspace.uri(path)?, range })
    }

    fn definition(&self, point: &Point) -> Option<GotoDefinitionResponse> {
        let asked = point.text.index().inclusions().iter();
        let mut asked =
            asked.filter(|one| (one.range.start..=one.range.end).contains(&point.offset));
        if let Some(one) = asked.next() {
            let path = self.workspace.find(&point.path, &one.file)?;
            let range = lsp_types::Range::default();
            let location = Location { uri: self.workspace.uri(&path)?, range };
            return Some(GotoDefinitionResponse::Scalar(location));
        }
        let target = self.target(point)?;
        let found = names::definitions(self.workspace, &target);
        let mut list: Vec<Location> =
            found.into_iter().filter_map(|one| self.location(&one.path, one.range)).collect();
        match list.len() {
            0 => None,
            1 => Some(GotoDefinitionResponse::Scalar(list.remove(0))),
            _ => Some(GotoDefinitionResponse::Array(list)),
        }
    }

    fn references(&self, point: &Point, with_definitions: bool) -> Option<Vec<Location>> {
        let target = self.target(point)?;
        let found = names::occurrences(self.workspace, &target);
        let wanted = found.into_iter().filter(|one| with_definitions || one.kind.is_none());
        Some(wanted.filter_map(|one| self.location(&one.path, one.range)).collect())
    }

    fn highlights(&self, point: &Point) -> Option<Vec<DocumentHighlight>> {
        let target = self.target(point)?;
        let found = names::occurrences(self.workspace, &target).into_iter();
        let here = found.filter(|one| one.path == point.path);
        let highlight = |one: Found| DocumentHighlight {
            range: point.text.span(one.range, self.workspace.encoding),
            kind: Some(match one.kind {
                Some(_) => DocumentHighlightKind::WRITE,
                None => DocumentHighlightKind::READ,
            }),
        };
        Some(here.map(highlight).collect())
    }
}

/// The edit that puts a text into the one layout: the lines from the first to
/// the last that change.
fn format(text: &Text, encoding: Encoding) -> Vec<TextEdit> {
    let old = &text.text;
    let new = sda::fmt::format(old);
    if *old == new {
        return Vec::new();
    }
    let ends = |text: &str| -> Vec<usize> {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        ends.map(|(at, _)| at + 1).collect()
    };
    let (old_ends, new_ends) = (ends(old), ends(&new));
    let head = (old_ends.iter().zip(&new_ends))
        .take_while(|&(&a, &b)| a == b && old[..a].ends_with(last_line(&new[..b])))
        .last()
        .map_or(0, |(&at, _)| at);
    let mut tail = 0;
    for (&a, &b) in old_ends.iter().rev().zip(new_ends.iter().rev()) {
        let same = old.len() - a == new.len() - b && old[a..] == new[b..];
        if !same || a < head || b < head {
            break;
        }
        tail = old.len() - a;
    }
    let range = text.span(head..old.len() - tail, encoding);
    vec![TextEdit { range, new_text: new[head..new.len() - tail].to_string() }]
}

/// The last line of a text that ends with one, and its end.
fn last_line(text: &str) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    &text[body.rfind('\n').map_or(0, |at| at + 1)..]
}

/// Words on a position that the client shows before it asks for more.
impl Point {
    /// The line that holds the point, and the point's byte in it.
    pub fn line(&self) -> (&str, usize) {
        let line = self.text.lines.line_of(self.offset);
        let range = self.text.lines.range(&self.text.text, line);
        (&self.text.text[range.clone()], self.offset.saturating_sub(range.start).min(range.len()))
    }

    /// The number of its line, from 0.
    pub fn line_number(&self) -> usize {
        self.text.lines.line_of(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(source: &str) -> (usize, String) {
        let mut text = Text::new(source.to_string());
        let edits = format(&text, Encoding::Utf16);
        let lines =
            edits.first().map_or(0, |edit| (edit.range.end.line - edit.range.start.line) as usize);
        for edit in edits {
            let change = lsp_types::TextDocumentContentChangeEvent {
                range: Some(edit.range),
                range_length: None,
                text: edit.new_text,
            };
            text.change(&change, Encoding::Utf16);
        }
        (lines, text.text)
    }

    #[test]
    fn formatting_edits_what_changes_only() {
        let source = "; one\nmain:\n    NOP\nnop\n    RET\n; end\n";
        assert_eq!(formatted(source), (1, sda::fmt::format(source)));
        for source in
            ["", "nop", "\n\n\n", "a:\r\n nop\r\n", "    NOP\n    NOP\n", "\n    NOP\n\n\n    NOP"]
        {
            assert_eq!(formatted(source).1, sda::fmt::format(source), "{source:?}");
        }
    }
}
