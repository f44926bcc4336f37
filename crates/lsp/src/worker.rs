//! A thread that assembles, or examines, so that the one that answers never
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

/// What a worker is for: lint of a large program takes far longer than
/// assembling it, and new texts need not wait for what it says of old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// To assemble.
    Assemble,
    /// To assemble and examine.
    Examine,
}

/// The thread, idle or at work.
pub(crate) struct Worker {
    jobs: Sender<Job>,
    /// Of the job that runs: somebody has changed what it is about.
    running: Option<Arc<AtomicBool>>,
}

struct Job {
    workspace: Workspace,
    is_outdated: Arc<AtomicBool>,
}

/// What came of a job.
pub(crate) struct Outcome {
    /// Whose it was.
    pub task: Task,
    analysis: Option<Analysis>,
}

impl Worker {
    /// Starts the thread. It sends what comes of each job to `events`, and
    /// ends with the worker or with who receives them.
    ///
    /// # Errors
    /// The host has no thread left.
    pub fn start(task: Task, events: SyncSender<Event>) -> io::Result<Worker> {
        let (jobs, receiver) = channel::<Job>();
        let name = format!("{task:?}").to_lowercase();
        thread::Builder::new().name(name).stack_size(STACK).spawn(move || {
            for job in receiver {
                let analysis = catch_unwind(AssertUnwindSafe(|| job.run(task))).ok();
                if events.send(Event::Outcome(Outcome { task, analysis })).is_err() {
                    break;
                }
            }
        })?;
        Ok(Worker { jobs, running: None })
    }

    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// Whether something is being done that is still wanted.
    pub fn is_useful(&self) -> bool {
        self.running.as_ref().is_some_and(|one| !one.load(Ordering::Relaxed))
    }

    /// Begins a job; there is none.
    pub fn begin(&mut self, workspace: Workspace) {
        let is_outdated = Arc::new(AtomicBool::new(false));
        self.running = Some(Arc::clone(&is_outdated));
        // The thread ends only when it can no longer send, and then nobody
        // is here.
        let _ = self.jobs.send(Job { workspace, is_outdated });
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
    fn run(&self, task: Task) -> Analysis {
        let is_outdated = || self.is_outdated.load(Ordering::Relaxed);
        Analysis::of(&self.workspace, task == Task::Examine, &is_outdated)
    }
}
