//! Renaming: every place that means the name, in all files, or a reason why
//! not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_server::ErrorCode;
use lsp_types::TextEdit;
use sda::index::{Index, NameKind, Role, Space, is_name};
use serde_json::{Map, Value, json};

use crate::names::{self, Found, Target};
use crate::requests::{Context, Point, Refusal};

/// Whether what stands at a point can be renamed: its range, and its name.
pub(crate) fn prepare(cx: &Context<'_>, point: &Point) -> Result<Value, Refusal> {
    let Some(target) = cx.target(point) else { return Ok(Value::Null) };
    found(cx, &target)?;
    let range = point.text.span(target.range.clone(), cx.workspace.encoding);
    Ok(json!({ "range": range, "placeholder": &point.text.text[target.range] }))
}

/// The edit that renames what stands at a point.
pub(crate) fn rename(cx: &Context<'_>, point: &Point, new: &str) -> Result<Value, Refusal> {
    let target =
        cx.target(point).ok_or_else(|| refusal("there is no name here to rename".to_string()))?;
    let found = found(cx, &target)?;
    let is_local = found.iter().any(|(one, _)| one.kind == Some(NameKind::Local));
    let new = new.trim();
    let new = if is_local { new.strip_prefix('.').unwrap_or(new) } else { new };
    check_name(new, is_local)?;
    let full = full_name(&target, new);
    if full != target.text {
        check_free(cx, &target, &full)?;
    }
    let mut edits: BTreeMap<PathBuf, Vec<TextEdit>> = BTreeMap::new();
    for (one, has_dot) in found {
        let range = cx.workspace.span(&one.path, one.range);
        let new_text = format!("{}{new}", if has_dot { "." } else { "" });
        edits.entry(one.path).or_default().push(TextEdit { range, new_text });
    }
    Ok(workspace_edit(cx, edits))
}

/// Edits of several files, in the form that the client understands.
pub(crate) fn workspace_edit(cx: &Context<'_>, edits: BTreeMap<PathBuf, Vec<TextEdit>>) -> Value {
    let edits = edits.into_iter().filter_map(|(path, list)| {
        let version = cx.workspace.document(&path).map(|document| document.version);
        Some((cx.workspace.uri(&path)?, version, list))
    });
    let workspace = cx.client.workspace.as_ref();
    let versioned = workspace
        .and_then(|one| one.workspace_edit.as_ref())
        .and_then(|one| one.document_changes)
        .unwrap_or(false);
    if versioned {
        let changes: Vec<Value> = edits
            .map(|(uri, version, list)| {
                json!({ "textDocument": { "uri": uri, "version": version }, "edits": list })
            })
            .collect();
        json!({ "documentChanges": changes })
    } else {
        let changes: Map<String, Value> =
            edits.map(|(uri, _, list)| (uri.to_string(), json!(list))).collect();
        json!({ "changes": changes })
    }
}

/// Every place of a name that the sources give, and whether it is written
/// with a dot before it there; what only the assembler or the settings give
/// cannot change its name.
fn found(cx: &Context<'_>, target: &Target) -> Result<Vec<(Found, bool)>, Refusal> {
    let found = names::occurrences(cx.workspace, target);
    if !found.iter().any(|one| one.kind.is_some()) {
        return Err(refusal(format!("`{}` is defined nowhere", target.text)));
    }
    let part = last_part(&target.text);
    let written = |one: Found| {
        let text = cx.workspace.text(&one.path)?;
        let text = text.text.get(one.range.clone())?;
        let bare = text.strip_prefix('.').unwrap_or(text);
        (bare == part).then_some((one, bare.len() < text.len()))
    };
    let found: Option<Vec<_>> = found.into_iter().map(written).collect();
    found.ok_or_else(|| refusal(format!("`{}` has its name from the assembler", target.text)))
}

/// Only what the assembler takes for a name is one.
fn check_name(name: &str, is_local: bool) -> Result<(), Refusal> {
    if is_local && sda::directives().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Err(refusal(format!("`.{name}` is a directive")));
    }
    if is_name(name) {
        return Ok(());
    }
    Err(refusal(match isa::Reg::by_name(name) {
        Some(reg) => format!("`{name}` is the register {}", reg.name()),
        None if name.is_empty() => "a name has at least one letter".into(),
        None => format!(
            "`{name}` is no name: letters, digits, `_` and `?`, no digit first, no word of the language"
        ),
    }))
}

fn full_name(target: &Target, new: &str) -> String {
    let end = if target.text.ends_with(UNIQUE) { UNIQUE } else { "" };
    let body = &target.text[..target.text.len() - end.len()];
    format!("{}{new}{end}", &body[..body.len() - last_part(body).len()])
}

/// The part of a name that its places write.
fn last_part(text: &str) -> &str {
    let body = text.strip_suffix(UNIQUE).unwrap_or(text);
    body.rsplit(['.', '\\']).next().unwrap_or(body)
}

/// What ends a name that is made with a macro's number.
const UNIQUE: &str = "\\@";

/// Nothing else may have the new name, or come to mean it.
fn check_free(cx: &Context<'_>, target: &Target, full: &str) -> Result<(), Refusal> {
    let taken = |path: &Path, index: &Index, space: Space| {
        let defined = index.of(full, space).find(|one| matches!(one.role, Role::Definition(_)))?;
        let text = cx.workspace.text(path)?;
        let line = text.lines.line_of(defined.range.start) + 1;
        let file = path.file_name().map(|name| name.display().to_string()).unwrap_or_default();
        Some(refusal(format!("`{}` is taken: {file}:{line}", full.trim_start_matches('\\'))))
    };
    if let Space::Body(number) = target.space {
        let Some(text) = cx.workspace.text(&target.file) else { return Ok(()) };
        let index = text.index();
        if let Some(refusal) = taken(&target.file, index, target.space) {
            return Err(refusal);
        }
        let body = &index.macros()[number as usize].range;
        return match index.of(full, Space::Program).find(|one| body.contains(&one.range.start)) {
            Some(_) => Err(refusal(format!("the macro uses another `{full}`"))),
            None => Ok(()),
        };
    }
    let family = names::family(cx.workspace, target);
    let programs = cx.workspace.programs();
    let meeting = programs.iter().filter(|one| one.files().any(|path| family.contains(path)));
    for path in meeting.flat_map(|program| program.files()) {
        let Some(text) = cx.workspace.text(path) else { continue };
        let index = text.index();
        if let Some(refusal) = taken(path, index, target.space) {
            return Err(refusal);
        }
        for (number, body) in index.macros().iter().enumerate() {
            let uses_old = || {
                let mut uses = index.of(&target.text, target.space);
                uses.any(|one| body.range.contains(&one.range.start))
            };
            if let Some(refusal) = taken(path, index, Space::Body(number as u32))
                && uses_old()
            {
                return Err(refusal);
            }
        }
    }
    Ok(())
}

fn refusal(message: String) -> Refusal {
    Refusal { code: ErrorCode::RequestFailed, message }
}
