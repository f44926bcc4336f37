//! What outlives a pass: the texts, the names, the expressions, and the
//! files that were read.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use crate::Options;
use crate::diagnostic::Diagnostic;
use crate::expression::Exprs;
use crate::files::Files;
use crate::names::Names;
use crate::source::{Sources, Span};

/// Bytes of all files of a run together.
const MOST_BYTES: u64 = 512 << 20;

/// A file as the source of this number names it.
type FileName = (usize, String);

/// The state of a run.
pub(crate) struct Session<'h> {
    pub host: &'h dyn Files,
    pub options: &'h Options,
    pub roots: &'h [PathBuf],
    pub sources: Sources,
    pub names: Names,
    pub exprs: Exprs,
    /// What is wrong with the texts themselves.
    pub diagnostics: Vec<Diagnostic>,
    /// Statements of all passes before.
    pub statements: u64,
    /// Characters of all files, as often as all passes read them.
    pub characters: u64,
    loaded: HashMap<PathBuf, Result<usize, String>>,
    binaries: HashMap<PathBuf, Result<Rc<[u8]>, String>>,
    /// Bytes of all files that were read.
    bytes: u64,
    found: HashMap<FileName, Result<PathBuf, Vec<PathBuf>>>,
    /// The names in folders in which something was missing.
    folders: HashMap<PathBuf, Rc<[String]>>,
}

impl<'h> Session<'h> {
    pub fn new(host: &'h dyn Files, options: &'h Options, roots: &'h [PathBuf]) -> Session<'h> {
        let mut sources = Sources::default();
        // Source 0 is the command line, so that its constants have a place.
        let defines: Vec<String> =
            options.defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
        sources.add("<command line>".into(), PathBuf::new(), defines.join("\n"), false);
        Session {
            host,
            options,
            roots,
            sources,
            names: Names::default(),
            exprs: Exprs::default(),
            diagnostics: Vec::new(),
            statements: 0,
            characters: 0,
            loaded: HashMap::new(),
            binaries: HashMap::new(),
            bytes: 0,
            found: HashMap::new(),
            folders: HashMap::new(),
        }
    }

    /// The source of the file at `path`, read at most once, or why there is
    /// none.
    pub fn load(&mut self, path: &Path) -> Result<usize, String> {
        let key = plain_path(path);
        if let Some(known) = self.loaded.get(&key) {
            return known.clone();
        }
        let loaded = self.read(path).and_then(|bytes| self.add_source(path, bytes));
        self.loaded.insert(key, loaded.clone());
        loaded
    }

    /// The content of a file of bytes, read at most once.
    pub fn load_binary(&mut self, path: &Path) -> Result<Rc<[u8]>, String> {
        let key = plain_path(path);
        if let Some(known) = self.binaries.get(&key) {
            return known.clone();
        }
        let content = self.read(path).map(Rc::from);
        self.binaries.insert(key, content.clone());
        content
    }

    fn read(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let bytes = self.host.read(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_string(),
            ErrorKind::IsADirectory => "it is a folder".to_string(),
            _ => error.to_string(),
        })?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(format!("the files together are over {} MB", MOST_BYTES >> 20));
        }
        Ok(bytes)
    }

    /// An empty source that stands for a file that cannot be read, to have
    /// a place for the message.
    pub fn missing(&mut self, path: &Path) -> Span {
        let name = path.display().to_string();
        let source = self.sources.add(name, path.into(), String::new(), false).unwrap_or(0);
        let base = self.sources.get(source).base;
        Span { lo: base, hi: base }
    }

    /// Where `file`, named in `source`, is: beside that source, then in the
    /// include folders; else every place that was tried. The host is asked
    /// once.
    pub fn find(&mut self, file: &str, source: usize) -> Result<PathBuf, Vec<PathBuf>> {
        let name = (source, file.to_string());
        if let Some(known) = self.found.get(&name) {
            return known.clone();
        }
        let found = self.search(file, source);
        self.found.insert(name, found.clone());
        found
    }

    fn search(&self, file: &str, source: usize) -> Result<PathBuf, Vec<PathBuf>> {
        let beside = self.sources.get(source).path.parent().unwrap_or(Path::new("")).join(file);
        let mut tried = Vec::new();
        for path in std::iter::once(beside)
            .chain(self.options.include_dirs.iter().map(|folder| folder.join(file)))
        {
            if self.host.exists(&path) {
                return Ok(path);
            }
            if !tried.contains(&path) {
                tried.push(path);
            }
        }
        Err(tried)
    }

    /// The files beside `path`, as many as are looked at for a message.
    pub fn files_beside(&mut self, path: &Path) -> Rc<[String]> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let host = self.host;
        let names = self.folders.entry(folder.into()).or_insert_with(|| {
            let mut names = host.names(folder);
            names.sort_unstable();
            names.into()
        });
        Rc::clone(names)
    }

    fn add_source(&mut self, path: &Path, bytes: Vec<u8>) -> Result<usize, String> {
        let name = path.display().to_string();
        let (text, wrong) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let at = error.utf8_error().valid_up_to() as u32;
                (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(at))
            }
        };
        let source = self
            .sources
            .add(name, path.into(), text, wrong.is_some())
            .ok_or("the sources together are over 4 GB")?;
        if let Some(at) = wrong {
            let lo = self.sources.get(source).base + at;
            self.diagnostics.push(
                Diagnostic::error("E0101", Span { lo, hi: lo + 3 }, "the source is not UTF-8")
                    .note("the first wrong byte is here; the file was not read any further"),
            );
        }
        Ok(source)
    }
}

/// The path without `.` and, where it can be seen from the text alone,
/// without `..`: the same file has the same plain path.
pub fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(plain.components().next_back(), Some(Component::Normal(_))) =>
            {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
