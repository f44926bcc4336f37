//! Takes the terminal over and gives it back on every way out: return, error,
//! panic, signal (case 28).

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::time::Duration;
use std::{panic, thread};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{Command, QueueableCommand};

/// How long giving the terminal back may take: a network may stall for a
/// while, but a terminal that takes nothing must not keep vc3 alive.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long to wait before a write that would block is tried again.
const RETRY: Duration = Duration::from_millis(2);

/// The terminal that a panic or a last signal has to give back.
static TAKEN: Mutex<Option<Arc<Terminal>>> = Mutex::new(None);

/// Holds the terminal: raw mode, the alternate screen, no cursor, bracketed
/// paste. Dropping it gives the terminal back.
pub struct Guard {
    terminal: Arc<Terminal>,
}

impl Guard {
    /// Takes the terminal on the standard output over.
    ///
    /// # Errors
    /// When there is none, or it cannot be switched to raw mode; it is then
    /// as it was.
    pub fn enter() -> io::Result<Guard> {
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let terminal = Arc::new(Terminal { output: Mutex::new(Output { file, taken: false }) });
        *lock(&TAKEN) = Some(terminal.clone());
        restore_on_panic();
        let guard = Guard { terminal };
        guard.terminal.take()?;
        Ok(guard)
    }

    /// The terminal, to be written to.
    pub fn terminal(&self) -> &Arc<Terminal> {
        &self.terminal
    }

    /// Gives the terminal back for a while, for instance to a shell that has
    /// suspended vc3.
    pub fn release(&self) {
        Terminal::give_back(&self.terminal);
    }

    /// Gives the terminal back for good and leaves `text` on it, as far as the
    /// terminal takes it.
    pub fn leave(self, text: &str) {
        Terminal::give_back_with(&self.terminal, text.as_bytes());
    }

    /// Takes it over again. Its content is unknown afterwards.
    ///
    /// # Errors
    /// As [`Guard::enter`].
    pub fn retake(&self) -> io::Result<()> {
        // Whatever the mode is now, it is the one to go back to.
        Terminal::give_back(&self.terminal);
        self.terminal.take()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        Terminal::give_back(&self.terminal);
        *lock(&TAKEN) = None;
    }
}

/// Gives the terminal back, whoever holds it and in whatever thread.
pub fn restore() {
    let taken = lock(&TAKEN).clone();
    if let Some(terminal) = taken {
        Terminal::give_back(&terminal);
    }
}

/// The terminal's output side.
pub struct Terminal {
    output: Mutex<Output>,
}

struct Output {
    file: File,
    taken: bool,
}

impl Terminal {
    /// Writes all of `bytes`, in one piece if the terminal takes them.
    /// Nothing is written while the terminal is given back.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut output = lock(&self.output);
        if output.taken { output.write_all_patiently(bytes) } else { Ok(()) }
    }

    fn take(&self) -> io::Result<()> {
        enable_raw_mode()?;
        let mut output = lock(&self.output);
        output.taken = true;
        output.write_all_patiently(&enter_bytes())
    }

    fn give_back(terminal: &Arc<Terminal>) {
        Terminal::give_back_with(terminal, &[]);
    }

    /// Gives it back and writes `last` behind that, unless it was given back
    /// before.
    fn give_back_with(terminal: &Arc<Terminal>, last: &[u8]) {
        // First what cannot block. A terminal that is gone is no news.
        let _ = disable_raw_mode();
        let (done, finished) = mpsc::channel();
        let writer = terminal.clone();
        let bytes = [&leave_bytes(), last].concat();
        let write = move || {
            let mut output = lock(&writer.output);
            if output.taken {
                output.taken = false;
                let _ = output.write_all_patiently(&bytes);
            }
            let _ = done.send(());
        };
        if thread::Builder::new().name("restore".into()).spawn(write).is_ok() {
            let _ = finished.recv_timeout(PATIENCE);
        }
    }
}

impl Output {
    /// As `write_all`, also when another program has made the terminal
    /// non-blocking.
    fn write_all_patiently(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn enter_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    queue(&mut bytes, EnterAlternateScreen);
    queue(&mut bytes, SetAttribute(Attribute::Reset));
    queue(&mut bytes, Clear(ClearType::All));
    queue(&mut bytes, Hide);
    queue(&mut bytes, EnableBracketedPaste);
    bytes
}

fn leave_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    queue(&mut bytes, EndSynchronizedUpdate);
    queue(&mut bytes, DisableBracketedPaste);
    queue(&mut bytes, SetAttribute(Attribute::Reset));
    queue(&mut bytes, LeaveAlternateScreen);
    queue(&mut bytes, Show);
    bytes
}

fn queue(bytes: &mut Vec<u8>, command: impl Command) {
    // Writing to a vector cannot fail.
    let _ = bytes.queue(command);
}

/// Gives the terminal back before a panic's message is printed, so that it
/// can be read.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            restore();
            print(panic);
        }));
    });
}

/// A panic in another thread does not make the terminal unusable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
