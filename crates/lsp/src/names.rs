//! What a name means: where it is defined, and every place that means the
//! same – in all programs that its files belong to.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sda::index::{Index, NameKind, Occurrence, Role, Space};

use crate::document::Text;
use crate::workspace::Workspace;

/// A name, and where it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// As the symbol table has it.
    pub text: String,
    pub space: Space,
    /// The file that the name was found in.
    pub file: PathBuf,
    /// Its last part there.
    pub range: Range<usize>,
}

/// A place that means a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub path: PathBuf,
    pub range: Range<usize>,
    /// What is defined there; `None` for a use.
    pub kind: Option<NameKind>,
}

impl Target {
    /// Whether nothing outside of the file can mean it: a macro's own name,
    /// or a local label that follows no plain one.
    fn is_of_one_file(&self) -> bool {
        matches!(self.space, Space::Body(_)) || self.text.starts_with('.')
    }
}

/// What stands at byte `offset` of a file, if it is a name.
pub(crate) fn target_at(workspace: &Workspace, path: &Path, offset: usize) -> Option<Target> {
    let text = workspace.text(path)?;
    let index = text.index();
    let target = |one: &Occurrence| Target {
        text: index.text(one.name).to_string(),
        space: one.space,
        file: path.to_path_buf(),
        range: one.range.clone(),
    };
    // Of two that meet, such as `OBJ` and `hp`, the one behind is meant; a
    // question may be about a label or about a macro.
    let mut list: Vec<Target> = index.at(offset).map(target).collect();
    list.sort_by_key(|target| {
        (!target.range.contains(&offset), definitions(workspace, target).is_empty())
    });
    list.into_iter().next()
}

/// Where a name is defined: in the program that its file is looked at in, or
/// else in another one that the file belongs to.
pub(crate) fn definitions(workspace: &Workspace, target: &Target) -> Vec<Found> {
    let defined = |files: &BTreeSet<PathBuf>| -> Vec<Found> {
        let found = places(workspace, target, files);
        found.into_iter().filter(|one| one.kind.is_some()).collect()
    };
    if target.is_of_one_file() {
        return defined(&BTreeSet::from([target.file.clone()]));
    }
    let programs = workspace.programs();
    let main = programs.main_of(&target.file);
    let main = main.map(|program| defined(&program.files().cloned().collect()));
    if let Some(found) = main.filter(|found| !found.is_empty()) {
        return found;
    }
    defined(&programs.with(&target.file).flat_map(|program| program.files()).cloned().collect())
}

/// Every place that means the name, by file and place.
pub(crate) fn occurrences(workspace: &Workspace, target: &Target) -> Vec<Found> {
    places(workspace, target, &family(workspace, target))
}

/// The files in which the name has to mean the same thing: those that have
/// it and are in one program with one that is known to.
pub(crate) fn family(workspace: &Workspace, target: &Target) -> BTreeSet<PathBuf> {
    let mut family = BTreeSet::from([target.file.clone()]);
    if target.is_of_one_file() {
        return family;
    }
    let programs = workspace.programs();
    let has = |path: &Path| {
        let text = workspace.text(path);
        text.is_some_and(|text| text.index().of(&target.text, target.space).next().is_some())
    };
    let with_name: HashSet<PathBuf> =
        workspace.sources().into_iter().filter(|path| has(path)).collect();
    let mut left: Vec<_> = programs.iter().collect();
    loop {
        let before = left.len();
        left.retain(|program| {
            let meets = program.files().any(|path| family.contains(path));
            if meets {
                let files = program.files();
                let more: Vec<_> =
                    files.filter(|path| with_name.contains(*path) || has(path)).cloned().collect();
                family.extend(more);
            }
            !meets
        });
        if left.len() == before {
            return family;
        }
    }
}

/// The places of a name in some files.
fn places(workspace: &Workspace, target: &Target, files: &BTreeSet<PathBuf>) -> Vec<Found> {
    let texts: Vec<(&PathBuf, Arc<Text>)> =
        files.iter().filter_map(|path| Some((path, workspace.text(path)?))).collect();
    let defining = defining_parameters(texts.iter().map(|(_, text)| text.index()));
    let mut found = Vec::new();
    for (path, text) in &texts {
        let index = text.index();
        for one in index.of(&target.text, target.space) {
            let kind = match one.role {
                Role::Definition(kind) => Some(kind),
                Role::Use => None,
                Role::Argument(called, place) => defining
                    .contains(&(index.text(called).to_string(), place))
                    .then_some(NameKind::Label),
            };
            found.push(Found { path: path.to_path_buf(), range: one.range.clone(), kind });
        }
    }
    found
}

/// The parameters, by macro and place, that a body defines as a label.
fn defining_parameters<'a>(indexes: impl Iterator<Item = &'a Index>) -> HashSet<(String, u32)> {
    let of_one = |index: &'a Index| {
        index.macros().iter().flat_map(|one| {
            let name = index.text(one.name);
            one.defines.iter().map(move |&place| (name.to_string(), place))
        })
    };
    indexes.flat_map(of_one).collect()
}
