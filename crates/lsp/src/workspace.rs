//! The files that the server knows: those that are open, those below the
//! workspace's folders, and what they say.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use lsp_types::{Range as Span, Uri};
use sda::{Files, HostFiles, LARGEST_FILE};

use crate::document::{Document, Text};
use crate::encoding::Encoding;
use crate::paths::uri_of;
use crate::programs::Programs;
use crate::settings::Settings;

/// Entries of folders that are looked at when sources are searched: enough
/// for any project, and an end when somebody opens a whole disk.
const MOST_ENTRIES: usize = 50_000;

/// What a file on the disk was like when it was read.
type Stamp = (u64, Option<SystemTime>);

/// What was read from the disk.
type Disk = HashMap<PathBuf, (Stamp, Arc<Text>)>;

/// The files and the settings.
#[derive(Default)]
pub(crate) struct Workspace {
    pub encoding: Encoding,
    pub settings: Settings,
    pub folders: Vec<PathBuf>,
    documents: BTreeMap<PathBuf, Document>,
    /// The sources that a search found.
    sources: Arc<BTreeSet<PathBuf>>,
    disk: Arc<Mutex<Disk>>,
    programs: RefCell<Option<Arc<Programs>>>,
}

impl Workspace {
    /// The workspace as it is now. What is read from the disk is shared.
    pub fn snapshot(&self) -> Workspace {
        let documents = self.documents.iter();
        Workspace {
            encoding: self.encoding,
            settings: self.settings.clone(),
            folders: self.folders.clone(),
            documents: documents.map(|(path, one)| (path.clone(), one.snapshot())).collect(),
            sources: Arc::clone(&self.sources),
            disk: Arc::clone(&self.disk),
            programs: RefCell::new(Some(self.programs())),
        }
    }

    /// Looks for sources again, and for who includes whom.
    pub fn search(&mut self) {
        let mut left = MOST_ENTRIES;
        let mut found = BTreeSet::new();
        for folder in &self.folders {
            search(folder, true, &mut left, &mut found);
        }
        for path in self.documents.keys().filter(|path| path.is_absolute()) {
            let is_inside = self.folders.iter().any(|folder| path.starts_with(folder));
            if let Some(folder) = path.parent().filter(|_| !is_inside) {
                search(folder, false, &mut left, &mut found);
            }
        }
        self.sources = Arc::new(found);
        self.forget_programs();
    }

    pub fn forget_programs(&self) {
        self.programs.replace(None);
    }

    pub fn open(&mut self, path: PathBuf, uri: Uri, version: i32, text: String) {
        self.documents.insert(path, Document::new(uri, version, text));
    }

    /// Whether the file was open.
    pub fn close(&mut self, path: &Path) -> bool {
        self.documents.remove(path).is_some()
    }

    pub fn document(&self, path: &Path) -> Option<&Document> {
        self.documents.get(path)
    }

    pub fn document_mut(&mut self, path: &Path) -> Option<&mut Document> {
        self.documents.get_mut(path)
    }

    /// The open files.
    pub fn documents(&self) -> impl Iterator<Item = (&PathBuf, &Document)> {
        self.documents.iter()
    }

    /// Every source that is known: found, or open.
    pub fn sources(&self) -> BTreeSet<PathBuf> {
        self.sources.iter().chain(self.documents.keys()).cloned().collect()
    }

    /// The text of a file, as an editor has it or as the disk does. Bytes
    /// that are no UTF-8 are replaced.
    pub fn text(&self, path: &Path) -> Option<Arc<Text>> {
        if let Some(document) = self.documents.get(path) {
            return Some(Arc::clone(&document.text));
        }
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let stamp = (metadata.len(), metadata.modified().ok());
        let disk = || self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, text)) = disk().get(path)
            && *known == stamp
        {
            return Some(Arc::clone(text));
        }
        let bytes = HostFiles.read(path).ok()?;
        let text = Arc::new(Text::new(String::from_utf8_lossy(&bytes).into_owned()));
        disk().insert(path.to_path_buf(), (stamp, Arc::clone(&text)));
        Some(text)
    }

    /// Which files are programs together.
    pub fn programs(&self) -> Arc<Programs> {
        if let Some(programs) = &*self.programs.borrow() {
            return Arc::clone(programs);
        }
        let programs = Arc::new(Programs::of(self));
        self.programs.replace(Some(Arc::clone(&programs)));
        programs
    }

    /// The URI by which the client knows a file.
    pub fn uri(&self, path: &Path) -> Option<Uri> {
        match self.documents.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => uri_of(path),
        }
    }

    /// Bytes of a file as the client counts.
    pub fn span(&self, path: &Path, range: std::ops::Range<usize>) -> Span {
        self.text(path).map(|text| text.span(range, self.encoding)).unwrap_or_default()
    }

    /// Where a file that `from` asks for is, if it is anywhere.
    pub fn find(&self, from: &Path, file: &str) -> Option<PathBuf> {
        let beside = from.parent().unwrap_or(Path::new(""));
        let folders =
            std::iter::once(beside).chain(self.settings.include_dirs.iter().map(PathBuf::as_path));
        let mut places = folders.map(|folder| sda::plain_path(&folder.join(file)));
        places.find(|path| self.exists(path))
    }
}

/// The assembler sees the open files where they differ from the disk.
impl Files for Workspace {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.documents.get(&sda::plain_path(path)) {
            Some(document) if document.text.text.len() as u64 > LARGEST_FILE => {
                Err(io::Error::new(io::ErrorKind::FileTooLarge, "a file is at most 128 MB"))
            }
            Some(document) => Ok(document.text.text.clone().into_bytes()),
            None => HostFiles.read(path),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        self.documents.contains_key(&sda::plain_path(path)) || HostFiles.exists(path)
    }

    fn no_file(&self, path: &Path) -> Option<&'static str> {
        HostFiles.no_file(path)
    }
}

/// The sources in a folder, and below it when `deep`. Links to folders are
/// not followed, and neither are hidden folders nor those of build tools.
fn search(folder: &Path, deep: bool, left: &mut usize, found: &mut BTreeSet<PathBuf>) {
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.filter_map(Result::ok) {
            let Some(rest) = left.checked_sub(1) else { return };
            *left = rest;
            let path = entry.path();
            let name = entry.file_name();
            let is_skipped = name.to_str().is_some_and(|name| {
                name.starts_with('.') || name == "target" || name == "node_modules"
            });
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    waiting.extend((deep && !is_skipped).then_some(path));
                }
                Ok(_) if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("sda")) => {
                    found.insert(sda::plain_path(&path));
                }
                _ => {}
            }
        }
    }
}
