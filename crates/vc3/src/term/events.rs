//! What the front end waits for: bytes from the terminal and signals, from
//! one thread each, in one queue.

use std::io::{self, ErrorKind, Read};
use std::process;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use super::guard;

/// Events that wait before their senders do.
const QUEUE: usize = 64;
/// Bytes read at once.
const CHUNK: usize = 4096;
/// Before reading is tried again on a terminal that another program has made
/// non-blocking.
const RETRY: Duration = Duration::from_millis(5);

/// Something happened outside of the machine.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// The terminal sent bytes.
    Input(Vec<u8>),
    /// The window has another size.
    Resized,
    /// A signal asks vc3 to end; its number.
    Terminate(i32),
    /// A signal asks vc3 to leave at once.
    Quit,
    /// A signal asks vc3 to suspend itself.
    Suspend,
    /// vc3 was suspended, and goes on.
    Continue,
    /// The terminal is gone.
    HungUp,
    /// A frame has been written.
    Drained,
}

/// The queue: where events are sent, and where they arrive.
pub fn queue() -> (SyncSender<Event>, Receiver<Event>) {
    sync_channel(QUEUE)
}

/// Starts the two threads.
///
/// # Errors
/// When a thread or a signal handler cannot be set up.
pub fn start(events: &SyncSender<Event>) -> io::Result<()> {
    let signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])?;
    let sender = events.clone();
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || forward_signals(signals, &sender))?;
    let sender = events.clone();
    thread::Builder::new().name("input".into()).spawn(move || forward_input(&sender))?;
    Ok(())
}

fn forward_signals(mut signals: Signals, events: &SyncSender<Event>) {
    let mut asked = 0;
    for signal in signals.forever() {
        let event = match signal {
            SIGWINCH => Event::Resized,
            SIGTSTP => Event::Suspend,
            SIGCONT => Event::Continue,
            SIGQUIT => Event::Quit,
            _ => Event::Terminate(signal),
        };
        if matches!(signal, SIGTERM | SIGINT | SIGQUIT) {
            asked += 1;
            // The third time: whatever the loop is doing, vc3 ends.
            if asked > 2 {
                guard::restore();
                process::exit(128 + signal);
            }
        }
        if events.send(event).is_err() {
            return;
        }
    }
}

fn forward_input(events: &SyncSender<Event>) {
    let mut input = io::stdin().lock();
    let mut chunk = [0; CHUNK];
    loop {
        let event = match input.read(&mut chunk) {
            Ok(0) => Event::HungUp,
            Ok(length) => Event::Input(chunk[..length].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(RETRY);
                continue;
            }
            Err(_) => Event::HungUp,
        };
        let over = event == Event::HungUp;
        if events.send(event).is_err() || over {
            return;
        }
    }
}
