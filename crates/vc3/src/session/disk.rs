//! A disk that remembers what it answered since the last snapshot, so that a
//! replay gets the same answers and leaves the real disk alone.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use bios::{Disk, DiskError, Entry, Name};

/// Bytes of answers that are remembered; beyond, there is no replay until
/// the next snapshot.
const MOST_BYTES: usize = 32 << 20;

/// What a call of a [`Disk`] answered.
#[derive(Clone)]
enum Answer {
    Bytes(Result<Vec<u8>, DiskError>),
    Done(Result<(), DiskError>),
    Size(Result<u32, DiskError>),
    Entries(Result<Arc<[Entry]>, DiskError>),
}

impl Answer {
    fn bytes(&self) -> usize {
        let held = match self {
            Answer::Bytes(Ok(bytes)) => bytes.len(),
            Answer::Entries(Ok(entries)) => entries.len() * (size_of::<Entry>() + 32),
            _ => 0,
        };
        held + size_of::<Answer>()
    }
}

/// The real disk, its answers written down.
pub struct RecordedDisk {
    disk: Box<dyn Disk + Send>,
    log: RefCell<Log>,
}

#[derive(Default)]
struct Log {
    answers: Vec<Answer>,
    bytes: usize,
    overflowed: bool,
    /// The last listing among them: the same one takes no room again.
    listing: Option<Arc<[Entry]>>,
}

impl Log {
    fn add(&mut self, answer: Answer) {
        self.bytes += match &answer {
            Answer::Entries(Ok(entries))
                if self.listing.as_ref().is_some_and(|last| Arc::ptr_eq(last, entries)) =>
            {
                size_of::<Answer>()
            }
            answer => answer.bytes(),
        };
        if let Answer::Entries(Ok(entries)) = &answer {
            self.listing = Some(Arc::clone(entries));
        }
        if self.bytes > MOST_BYTES {
            self.overflowed = true;
            self.answers = Vec::new();
        }
        if !self.overflowed {
            self.answers.push(answer);
        }
    }
}

impl RecordedDisk {
    /// Writes down what `disk` answers.
    pub fn new(disk: Box<dyn Disk + Send>) -> RecordedDisk {
        RecordedDisk { disk, log: RefCell::default() }
    }

    /// Forgets all answers: a snapshot has been taken.
    pub fn forget(&self) {
        *self.log.borrow_mut() = Log::default();
    }

    /// Whether there were too many answers to remember.
    pub fn has_overflowed(&self) -> bool {
        self.log.borrow().overflowed
    }

    /// A disk that gives the remembered answers again; `None` when there
    /// were too many.
    pub fn replay(&self) -> Option<ReplayedDisk> {
        let log = self.log.borrow();
        let answers = RefCell::new(log.answers.iter().cloned().collect());
        (!log.overflowed).then_some(ReplayedDisk { answers })
    }

    fn note(&self, answer: impl FnOnce() -> Answer) {
        self.log.borrow_mut().add(answer());
    }
}

impl Disk for RecordedDisk {
    fn load(&self, name: &Name, most: u32) -> Result<Vec<u8>, DiskError> {
        let result = self.disk.load(name, most);
        self.note(|| Answer::Bytes(result.clone()));
        result
    }

    fn save(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        let result = self.disk.save(name, bytes);
        self.note(|| Answer::Done(result));
        result
    }

    fn append(&mut self, name: &Name, bytes: &[u8]) -> Result<(), DiskError> {
        let result = self.disk.append(name, bytes);
        self.note(|| Answer::Done(result));
        result
    }

    fn delete(&mut self, name: &Name) -> Result<(), DiskError> {
        let result = self.disk.delete(name);
        self.note(|| Answer::Done(result));
        result
    }

    fn rename(&mut self, from: &Name, to: &Name) -> Result<(), DiskError> {
        let result = self.disk.rename(from, to);
        self.note(|| Answer::Done(result));
        result
    }

    fn size(&self, name: &Name) -> Result<u32, DiskError> {
        let result = self.disk.size(name);
        self.note(|| Answer::Size(result));
        result
    }

    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        let result = self.disk.entries();
        self.note(|| Answer::Entries(result.clone()));
        result
    }
}

/// Gives the answers of a [`RecordedDisk`] in the order in which they were
/// given first. A call that does not fit is a failure of the host.
pub struct ReplayedDisk {
    answers: RefCell<VecDeque<Answer>>,
}

impl ReplayedDisk {
    fn next(&self) -> Option<Answer> {
        self.answers.borrow_mut().pop_front()
    }

    fn done(&self) -> Result<(), DiskError> {
        match self.next() {
            Some(Answer::Done(result)) => result,
            _ => Err(DiskError::Host),
        }
    }
}

impl Disk for ReplayedDisk {
    fn load(&self, _: &Name, _: u32) -> Result<Vec<u8>, DiskError> {
        match self.next() {
            Some(Answer::Bytes(result)) => result,
            _ => Err(DiskError::Host),
        }
    }

    fn save(&mut self, _: &Name, _: &[u8]) -> Result<(), DiskError> {
        self.done()
    }

    fn append(&mut self, _: &Name, _: &[u8]) -> Result<(), DiskError> {
        self.done()
    }

    fn delete(&mut self, _: &Name) -> Result<(), DiskError> {
        self.done()
    }

    fn rename(&mut self, _: &Name, _: &Name) -> Result<(), DiskError> {
        self.done()
    }

    fn size(&self, _: &Name) -> Result<u32, DiskError> {
        match self.next() {
            Some(Answer::Size(result)) => result,
            _ => Err(DiskError::Host),
        }
    }

    fn entries(&self) -> Result<Arc<[Entry]>, DiskError> {
        match self.next() {
            Some(Answer::Entries(result)) => result,
            _ => Err(DiskError::Host),
        }
    }
}
