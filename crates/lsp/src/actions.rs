//! Code actions: the edits that the assembler's messages suggest.

use std::collections::BTreeMap;

use lsp_types::{CodeActionKind, CodeActionParams, Range as Span, TextEdit};
use serde_json::{Value, json};

use crate::analysis::Fix;
use crate::paths::path_of;
use crate::rename::workspace_edit;
use crate::requests::Context;

/// What can be done about the messages of a range.
pub(crate) fn actions(cx: &Context<'_>, params: &CodeActionParams) -> Value {
    let wanted = params.context.only.as_ref().is_none_or(|only| {
        only.iter().any(|kind| *kind == CodeActionKind::QUICKFIX || kind.as_str().is_empty())
    });
    let path = path_of(&params.text_document.uri);
    let fixes = cx.analysis.fixes.get(&path).map_or(&[][..], Vec::as_slice);
    let here = fixes.iter().filter(|fix| wanted && meet(fix.diagnostic.range, params.range));
    here.map(|fix| action(cx, fix)).collect()
}

fn action(cx: &Context<'_>, fix: &Fix) -> Value {
    let old = cx.workspace.text(&fix.path).map_or(String::new(), |text| {
        let start = text.offset(fix.span.start, cx.workspace.encoding);
        let end = text.offset(fix.span.end, cx.workspace.encoding);
        text.text.get(start..end).unwrap_or("").to_string()
    });
    let title = match (old.as_str(), fix.text.as_str()) {
        ("", new) => format!("Insert `{new}`"),
        (old, "") => format!("Remove `{old}`"),
        (_, new) => format!("Write `{new}`"),
    };
    let edit = TextEdit { range: fix.span, new_text: fix.text.clone() };
    json!({
        "title": title,
        "kind": CodeActionKind::QUICKFIX,
        "diagnostics": [fix.diagnostic],
        "isPreferred": true,
        "edit": workspace_edit(cx, BTreeMap::from([(fix.path.clone(), vec![edit])])),
    })
}

fn meet(a: Span, b: Span) -> bool {
    a.start <= b.end && b.start <= a.end
}
