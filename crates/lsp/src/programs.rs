//! Which files are a program together: the settings say so, or the sources'
//! own `.include` do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// A program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProgramFiles {
    /// The files to assemble, in order.
    pub roots: Vec<PathBuf>,
    /// All its sources, each with the number of inclusions that lead to it.
    files: BTreeMap<PathBuf, usize>,
}

impl ProgramFiles {
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    pub fn has(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }
}

/// Every program of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    list: Vec<ProgramFiles>,
    /// The first of the list is what the settings name.
    is_set: bool,
}

impl Programs {
    pub fn of(workspace: &Workspace) -> Programs {
        let sources = workspace.sources();
        let mut includes: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        let mut waiting: Vec<PathBuf> = sources.iter().cloned().collect();
        waiting.extend(workspace.settings.root.iter().cloned());
        while let Some(path) = waiting.pop() {
            if includes.contains_key(&path) {
                continue;
            }
            let text = workspace.text(&path);
            let asked = text.iter().flat_map(|text| text.index().inclusions());
            let asked = asked.filter(|one| one.is_source);
            let list: Vec<PathBuf> =
                asked.filter_map(|one| workspace.find(&path, &one.file)).collect();
            waiting.extend(list.iter().cloned());
            includes.insert(path, list);
        }
        let included: BTreeSet<&PathBuf> = includes
            .iter()
            .flat_map(|(path, list)| list.iter().filter(move |other| *other != path))
            .collect();
        let mut list = Vec::new();
        let root = &workspace.settings.root;
        if !root.is_empty() {
            list.push(program(root.clone(), &includes));
        }
        for path in includes.keys().filter(|path| !included.contains(path) && !root.contains(path))
        {
            list.push(program(vec![path.clone()], &includes));
        }
        // A ring of inclusions has no first file: each of its files is one.
        for path in includes.keys() {
            if !list.iter().any(|program| program.has(path)) {
                list.push(program(vec![path.clone()], &includes));
            }
        }
        Programs { list, is_set: !root.is_empty() }
    }

    /// The program that a file is looked at in: that of the settings, or else
    /// the one whose first file is nearest – in the same folder, no unit
    /// program, by the fewest inclusions.
    pub fn main_of(&self, path: &Path) -> Option<&ProgramFiles> {
        if let Some(set) = self.list.first().filter(|set| self.is_set && set.has(path)) {
            return Some(set);
        }
        self.with(path).min_by_key(|program| {
            let root = &program.roots[0];
            let name = root.file_name().and_then(|name| name.to_str()).unwrap_or("");
            let is_elsewhere = root.parent() != path.parent();
            (is_elsewhere, name.starts_with("test_"), program.files.get(path), root)
        })
    }

    /// The programs that a file belongs to.
    pub fn with(&self, path: &Path) -> impl Iterator<Item = &ProgramFiles> {
        self.list.iter().filter(move |program| program.has(path))
    }

    pub fn iter(&self) -> impl Iterator<Item = &ProgramFiles> {
        self.list.iter()
    }
}

fn program(roots: Vec<PathBuf>, includes: &BTreeMap<PathBuf, Vec<PathBuf>>) -> ProgramFiles {
    let mut files = BTreeMap::new();
    let mut level = roots.clone();
    let mut steps = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for path in level {
            let list = includes.get(&path).into_iter().flatten();
            files.entry(path).or_insert_with(|| {
                next.extend(list.cloned());
                steps
            });
        }
        level = next;
        steps += 1;
    }
    ProgramFiles { roots, files }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::settings::Settings;

    fn workspace(files: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut workspace = Workspace::default();
        workspace.folders.push(sda::plain_path(folder.path()));
        workspace.search();
        (folder, workspace)
    }

    fn root_of(workspace: &Workspace, name: &str) -> String {
        let path = workspace.folders[0].join(name);
        let programs = workspace.programs();
        let roots = &programs.main_of(&path).unwrap().roots;
        let names = roots.iter().map(|root| root.strip_prefix(&workspace.folders[0]).unwrap());
        names.map(|name| name.display().to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_root_is_the_file_that_includes() {
        let (_folder, mut workspace) = workspace(&[
            ("game/game.sda", ".include \"all.sda\"\n"),
            ("game/test_a.sda", ".include \"all.sda\"\n"),
            ("game/all.sda", ".include \"a.sda\"\n.include \"../lib/text.sda\"\n"),
            ("game/a.sda", "NOP\n"),
            ("lib/text.sda", "NOP\n"),
            ("lib/test_text.sda", ".include \"text.sda\"\n.include \"none.sda\"\n"),
            ("ring/a.sda", ".include \"b.sda\"\n"),
            ("ring/b.sda", ".include \"a.sda\"\n"),
            ("own.sda", ".include \"own.sda\"\n"),
        ]);
        assert_eq!(root_of(&workspace, "game/a.sda"), "game/game.sda");
        assert_eq!(root_of(&workspace, "game/test_a.sda"), "game/test_a.sda");
        assert_eq!(root_of(&workspace, "lib/text.sda"), "lib/test_text.sda");
        assert_eq!(root_of(&workspace, "ring/b.sda"), "ring/a.sda");
        assert_eq!(root_of(&workspace, "own.sda"), "own.sda");
        let root = ["own.sda", "lib/text.sda"].map(|name| workspace.folders[0].join(name));
        workspace.settings = Settings { root: root.to_vec(), ..Settings::default() };
        workspace.forget_programs();
        assert_eq!(root_of(&workspace, "lib/text.sda"), "own.sda lib/text.sda");
        assert_eq!(root_of(&workspace, "game/a.sda"), "game/game.sda");
    }
}
