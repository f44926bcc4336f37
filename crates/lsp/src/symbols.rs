//! Outlines: the names of one file as a tree, and those of all files by what
//! is typed.

use std::ops::Range;

use lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, OneOf, SymbolKind, WorkspaceSymbol,
    WorkspaceSymbolResponse,
};
use sda::index::{NameKind, Role, Space};

use crate::document::Text;
use crate::encoding::Encoding;
use crate::workspace::Workspace;

/// Names that are listed at most.
const MOST_SYMBOLS: usize = 2_000;

/// The outline of a file: locals within their label, fields within their
/// structure, a body's labels within its macro.
pub(crate) fn of_document(text: &Text, encoding: Encoding) -> DocumentSymbolResponse {
    let index = text.index();
    let mut roots: Vec<(Range<usize>, DocumentSymbol)> = Vec::new();
    let mut spaces = Vec::new();
    for one in index.occurrences() {
        let Role::Definition(kind) = one.role else { continue };
        let full = index.text(one.name);
        let is_end = kind == NameKind::Field && full.ends_with(".size");
        if is_end && let Some((range, symbol)) = roots.last_mut() {
            // Its size stands where the structure ends.
            range.end = one.range.end;
            symbol.range = text.span(range.clone(), encoding);
        }
        if is_end || kind == NameKind::Parameter {
            continue;
        }
        let is_child = match (kind, one.space) {
            (NameKind::Macro, _) => false,
            (_, Space::Body(_)) => true,
            (kind, _) => matches!(kind, NameKind::Local | NameKind::Field),
        };
        let symbol = symbol(text, encoding, full, kind, one.range.clone());
        let parent = match one.space {
            Space::Body(number) if is_child => {
                spaces.iter().rposition(|space| *space == Some(number))
            }
            _ if is_child => roots.len().checked_sub(1),
            _ => None,
        };
        match parent {
            Some(parent) => {
                roots[parent].1.children.get_or_insert_default().push(symbol);
                roots[parent].0.end = one.range.end;
            }
            None => {
                let number = index.macros().iter().position(|known| {
                    kind == NameKind::Macro && known.range.start == one.range.start
                });
                spaces.push(number.map(|number| number as u32));
                roots.push((one.range.clone(), symbol));
            }
        }
    }
    extend(text, encoding, &mut roots);
    DocumentSymbolResponse::Nested(roots.into_iter().map(|(_, symbol)| symbol).collect())
}

/// A label covers what stands below it, up to the next name.
fn extend(text: &Text, encoding: Encoding, roots: &mut [(Range<usize>, DocumentSymbol)]) {
    let starts: Vec<usize> = roots.iter().map(|(range, _)| range.start).collect();
    for (at, (range, symbol)) in roots.iter_mut().enumerate() {
        if !matches!(symbol.kind, SymbolKind::FUNCTION | SymbolKind::METHOD) {
            continue;
        }
        let end = starts.get(at + 1).copied().unwrap_or(text.text.len());
        let first = text.lines.line_of(range.end);
        // The comment before the next name is that name's.
        let behind = text.lines.line_of(end) + usize::from(at + 1 == starts.len());
        let is_code = |line: &usize| {
            let line = text.line(*line).trim_start();
            !line.is_empty() && !line.starts_with(';') && !line.starts_with("//")
        };
        let last = (first..behind.min(text.lines.count())).rev().find(is_code).unwrap_or(first);
        let last_byte = text.lines.range(&text.text, last).end;
        symbol.range = text.span(range.start..last_byte.max(range.end), encoding);
    }
}

fn symbol(
    text: &Text,
    encoding: Encoding,
    full: &str,
    kind: NameKind,
    range: Range<usize>,
) -> DocumentSymbol {
    let name = match kind {
        NameKind::Local => full.rfind('.').map_or(full, |at| &full[at..]),
        NameKind::Field => full.split_once('.').map_or(full, |(_, field)| field),
        _ => full,
    };
    let span = text.span(range, encoding);
    #[expect(deprecated, reason = "the type has the field")]
    DocumentSymbol {
        name: name.to_string(),
        detail: None,
        kind: symbol_kind(kind),
        tags: None,
        deprecated: None,
        range: span,
        selection_range: span,
        children: None,
    }
}

/// The names of all files that have the letters of `query` in this order.
pub(crate) fn of_workspace(workspace: &Workspace, query: &str) -> WorkspaceSymbolResponse {
    let mut list = Vec::new();
    for path in workspace.sources() {
        let (Some(text), Some(uri)) = (workspace.text(&path), workspace.uri(&path)) else {
            continue;
        };
        let index = text.index();
        for one in index.occurrences() {
            let Role::Definition(kind) = one.role else { continue };
            let name = index.text(one.name);
            let is_local = matches!(one.space, Space::Body(_))
                || kind == NameKind::Local && !query.contains('.');
            if is_local || !matches(query, name) {
                continue;
            }
            let range = text.span(one.range.clone(), workspace.encoding);
            let container = path.file_name().map(|name| name.display().to_string());
            list.push(WorkspaceSymbol {
                name: name.to_string(),
                kind: symbol_kind(kind),
                tags: None,
                container_name: container,
                location: OneOf::Left(Location { uri: uri.clone(), range }),
                data: None,
            });
        }
    }
    // The shortest that match are the likeliest.
    list.sort_by_key(|one| one.name.len());
    list.truncate(MOST_SYMBOLS);
    WorkspaceSymbolResponse::Nested(list)
}

/// Whether `name` has the letters of `query` in this order, in any case.
pub(crate) fn matches(query: &str, name: &str) -> bool {
    let mut letters = name.chars().map(|c| c.to_ascii_lowercase());
    query.chars().all(|wanted| letters.any(|c| c == wanted.to_ascii_lowercase()))
}

fn symbol_kind(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::Label => SymbolKind::FUNCTION,
        NameKind::Local => SymbolKind::KEY,
        NameKind::Variable => SymbolKind::VARIABLE,
        NameKind::Constant => SymbolKind::CONSTANT,
        NameKind::Struct => SymbolKind::STRUCT,
        NameKind::Field => SymbolKind::FIELD,
        NameKind::Macro => SymbolKind::METHOD,
        NameKind::Parameter => SymbolKind::TYPE_PARAMETER,
    }
}
