//! The thread that assembles and examines, so that the one that answers never
//! waits for it: one job at a time, of the texts as they were when it began.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::{io, thread};

use crate::analysis::Analysis;
use crate::lifecycle::Event;
use crate::workspace::Workspace;

/// Bytes of the thread's stack: what a main thread usually has.
const STACK: usize = 8 << 20;

/// The thread, idle or at work.
pub(crate) struct Worker {
    jobs: Sender<Job>,
    /// Of the job that runs: somebody has changed what it is about.
    running: Option<Arc<AtomicBool>>,
}

struct Job {
    workspace: Workspace,
    lint: bool,
    is_outdated: Arc<AtomicBool>,
}

/// What came of a job.
pub(crate) struct Outcome {
    analysis: Option<Analysis>,
}

impl Worker {
    /// Starts the thread. It sends what comes of each job to `events`, and
    /// ends with the worker or with who receives them.
    ///
    /// # Errors
    /// The host has no thread left.
    pub fn start(events: SyncSender<Event>) -> io::Result<Worker> {
        let (jobs, receiver) = channel::<Job>();
        thread::Builder::new().name("assembler".into()).stack_size(STACK).spawn(move || {
            for job in receiver {
                let analysis = catch_unwind(AssertUnwindSafe(|| job.run())).ok();
                if events.send(Event::Outcome(Outcome { analysis })).is_err() {
                    break;
                }
            }
        })?;
        Ok(Worker { jobs, running: None })
    }

    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// Begins a job; there is none.
    pub fn begin(&mut self, workspace: Workspace, lint: bool) {
        let is_outdated = Arc::new(AtomicBool::new(false));
        self.running = Some(Arc::clone(&is_outdated));
        // The thread ends only when it can no longer send, and then nobody
        // is here.
        let _ = self.jobs.send(Job { workspace, lint, is_outdated });
    }

    /// What is being done need not be finished.
    pub fn outdate(&self) {
        if let Some(is_outdated) = &self.running {
            is_outdated.store(true, Ordering::Relaxed);
        }
    }

    /// The job has ended: what it has found, and whether that is still so.
    ///
    /// # Errors
    /// The assembler has panicked.
    pub fn end(&mut self, outcome: Outcome) -> io::Result<(Analysis, bool)> {
        let is_outdated = self.running.take().is_none_or(|one| one.load(Ordering::Relaxed));
        let analysis =
            outcome.analysis.ok_or_else(|| io::Error::other("the assembler panicked"))?;
        Ok((analysis, !is_outdated))
    }
}

impl Job {
    fn run(&self) -> Analysis {
        let is_outdated = || self.is_outdated.load(Ordering::Relaxed);
        Analysis::of(&self.workspace, self.lint, &is_outdated)
    }
}
