//! Writes frames to the terminal beside the machine: a slow terminal makes
//! frames be skipped, never keys or machine time (case 31).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use super::events::Event;
use super::guard::Terminal;

/// Takes one frame at a time.
pub struct Writer {
    frames: SyncSender<Vec<u8>>,
    busy: Arc<AtomicBool>,
}

impl Writer {
    /// Starts the thread that writes. It sends [`Event::Drained`] after each
    /// frame and [`Event::HungUp`] when the terminal is gone.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(terminal: Arc<Terminal>, events: SyncSender<Event>) -> io::Result<Writer> {
        let (frames, waiting) = mpsc::sync_channel::<Vec<u8>>(1);
        let busy = Arc::new(AtomicBool::new(false));
        let writing = busy.clone();
        thread::Builder::new().name("writer".into()).spawn(move || {
            for frame in waiting {
                let result = terminal.write(&frame);
                writing.store(false, Ordering::Release);
                if result.is_err() {
                    let _ = events.send(Event::HungUp);
                    return;
                }
                // When the queue is full the loop is awake anyway.
                let _ = events.try_send(Event::Drained);
            }
        })?;
        Ok(Writer { frames, busy })
    }

    /// Whether the last frame is not yet with the terminal.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Hands one frame over; only when not busy, and false when it was not
    /// taken.
    pub fn write(&self, frame: Vec<u8>) -> bool {
        self.busy.store(true, Ordering::Release);
        self.frames.try_send(frame).is_ok()
    }
}
