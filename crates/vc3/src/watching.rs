//! Running again and again: whenever a file that the last run depended on
//! changes, until Ctrl-C or a signal ends it.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use notify::event::EventKind;
use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

use crate::commands::asm::Done;
use crate::files_read::{FilesRead, stamp};

/// Editors write in several steps: a change counts when nothing has happened
/// for so long …
const QUIET: Duration = Duration::from_millis(60);
/// … or when things have gone on happening for so long.
const LONGEST: Duration = Duration::from_secs(1);
/// How often Ctrl-C is looked for.
const BREATH: Duration = Duration::from_millis(50);
/// How often files are looked at where the host does not tell of changes.
const POLL: Duration = Duration::from_millis(500);

/// Calls `run` at once and after each change; `fail` says what kept a run from
/// writing its files, which does not end the watching.
pub fn watch(
    mut run: impl FnMut(&FilesRead) -> Result<Done>,
    fail: impl Fn(&anyhow::Error),
) -> Result<u8> {
    let ended = ended_by_signal().context("cannot wait for Ctrl-C")?;
    let mut folders = Folders::new()?;
    loop {
        // What was told so far is what this run reads.
        while folders.events.try_recv().is_ok() {}
        let host = FilesRead::default();
        let done = run(&host);
        let stamps = host.stamps();
        let files: Vec<PathBuf> = stamps.iter().map(|(file, _)| file.clone()).collect();
        let summary = match &done {
            Ok(done) => done.summary.clone(),
            Err(error) => {
                fail(error);
                "nothing written".into()
            }
        };
        let watched = folders.follow(&files);
        let count = files.len();
        let plural = if count == 1 { "" } else { "s" };
        say(&format!("{summary}; watching {count} file{plural}"));
        if !watched {
            say("some of the files lie in a folder that cannot be watched");
        }
        // What changes from here on is told; what changed before is seen.
        let changed = stamps.into_iter().find(|(file, then)| stamp(file) != *then);
        let changed = changed.map(|(file, _)| file);
        match folders.next_change(&files, changed, &ended) {
            Some(file) if !ended.load(Ordering::Relaxed) => {
                say(&format!("{} changed", file.display()));
            }
            _ => return Ok(0),
        }
    }
}

fn say(text: &str) {
    let _ = writeln!(io::stderr(), "vc3: {text}");
}

/// Becomes true with the first Ctrl-C or termination signal; the second ends
/// vc3 at once.
fn ended_by_signal() -> io::Result<Arc<AtomicBool>> {
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let at_once = 128 + signal;
        signal_hook::flag::register_conditional_shutdown(signal, at_once, Arc::clone(&ended))?;
        signal_hook::flag::register(signal, Arc::clone(&ended))?;
    }
    Ok(ended)
}

/// The folders in which files are watched: a file that an editor replaces is
/// another one, its folder stays.
struct Folders {
    watcher: Box<dyn Watcher>,
    events: Receiver<notify::Result<Event>>,
    watched: BTreeSet<PathBuf>,
}

impl Folders {
    fn new() -> Result<Folders> {
        let (sender, events) = mpsc::channel();
        let watcher: Box<dyn Watcher> =
            match RecommendedWatcher::new(sender.clone(), Config::default()) {
                Ok(watcher) => Box::new(watcher),
                Err(_) => {
                    let config = Config::default().with_poll_interval(POLL);
                    Box::new(PollWatcher::new(sender, config).context("cannot watch files")?)
                }
            };
        Ok(Folders { watcher, events, watched: BTreeSet::new() })
    }

    /// Watches the folders of `files`, and no others; false when one of them
    /// cannot be watched.
    fn follow(&mut self, files: &[PathBuf]) -> bool {
        let mut wanted = BTreeSet::new();
        for file in files {
            // A folder that is still missing is awaited in the next one above.
            let mut above = place(file).0.ancestors().map(Path::to_path_buf).collect::<Vec<_>>();
            above.retain(|folder| folder.is_dir());
            wanted.extend(above.into_iter().next());
        }
        for folder in self.watched.difference(&wanted) {
            let _ = self.watcher.unwatch(folder);
        }
        self.watched.retain(|folder| wanted.contains(folder));
        for folder in wanted {
            if !self.watched.contains(&folder)
                && self.watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok()
            {
                self.watched.insert(folder);
            }
        }
        files
            .iter()
            .all(|file| place(file).0.ancestors().any(|folder| self.watched.contains(folder)))
    }

    /// Waits until one of `files` has changed – or `changed` says that one has
    /// already – and calm has returned; `None` when the watching is to end.
    fn next_change(
        &self,
        files: &[PathBuf],
        mut changed: Option<PathBuf>,
        ended: &AtomicBool,
    ) -> Option<PathBuf> {
        let places: Vec<(PathBuf, PathBuf)> = files
            .iter()
            .map(|file| {
                let (folder, name) = place(file);
                (folder.join(name), file.clone())
            })
            .collect();
        let mut begun = Instant::now();
        while !ended.load(Ordering::Relaxed) {
            if changed.is_some() && begun.elapsed() > LONGEST {
                return changed;
            }
            match self.events.recv_timeout(if changed.is_some() { QUIET } else { BREATH }) {
                Ok(event) => {
                    let first = changed.is_none();
                    changed = changed.or(event.map_or(None, |event| touched(&event, &places)));
                    if first && changed.is_some() {
                        begun = Instant::now();
                    }
                }
                Err(RecvTimeoutError::Timeout) if changed.is_some() => return changed,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

/// Which of the files an event is about, by the name that it was given by.
fn touched(event: &Event, places: &[(PathBuf, PathBuf)]) -> Option<PathBuf> {
    // That it was opened or read is no change.
    if matches!(event.kind, EventKind::Access(_)) {
        return None;
    }
    let is_it = |path: &Path, place: &Path| path == place || place.starts_with(path);
    places
        .iter()
        .find(|(place, _)| event.paths.iter().any(|path| is_it(path, place)))
        .map(|(_, file)| file.clone())
}

/// The folder of a file, by its one name, and the file's own name.
fn place(file: &Path) -> (PathBuf, PathBuf) {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let name = file.file_name().map(PathBuf::from).unwrap_or_default();
    let whole = folder.canonicalize().or_else(|_| std::path::absolute(folder));
    (whole.unwrap_or_else(|_| folder.to_path_buf()), name)
}
