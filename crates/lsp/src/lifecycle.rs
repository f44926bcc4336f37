//! A session from `initialize` to `exit`: one thread reads, one answers, two
//! assemble and examine, and what is typed while they work is assembled once.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::framing::{self, Incoming};
use crate::server::{Next, Server};
use crate::worker::{Outcome, Task, Worker};

/// Messages that wait at most; a client that sends more has to wait itself.
const MOST_WAITING: usize = 64;

/// How long a question about the program waits for the assembler: most programs
/// take it a fraction of that. Behind it the last known program must do.
const PATIENCE: Duration = Duration::from_millis(250);

/// What the thread that answers is woken by.
pub(crate) enum Event {
    Message(Incoming),
    /// The client's stream has ended.
    End,
    /// A worker is idle again.
    Outcome(Outcome),
}

/// Serves one client until it says `exit`, its stream ends or it no longer
/// listens. The result is the exit code that the protocol asks for: 0 after
/// `shutdown`, else 1.
///
/// # Errors
/// The output cannot be written.
pub fn serve<R, W>(mut input: R, output: W) -> io::Result<u8>
where
    R: BufRead + Send + 'static,
    W: Write,
{
    let (sender, receiver) = sync_channel(MOST_WAITING);
    let assembler = Worker::start(Task::Assemble, SyncSender::clone(&sender))?;
    let examiner = Worker::start(Task::Examine, SyncSender::clone(&sender))?;
    thread::spawn(move || {
        // A stream that cannot be read has ended.
        while let Ok(Some(message)) = framing::read(&mut input) {
            if sender.send(Event::Message(message)).is_err() {
                return;
            }
        }
        // Whoever receives it may have gone.
        let _ = sender.send(Event::End);
    });
    let mut server = Server::new(output, assembler, examiner);
    match work(&mut server, &receiver) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(server.exit_code()),
    }
}

/// Handles what happens until there is no more.
fn work<W: Write>(server: &mut Server<W>, events: &Receiver<Event>) -> io::Result<()> {
    let mut behind = VecDeque::new();
    // When nobody waits for the program any more that is being assembled.
    let mut patience = None;
    loop {
        let event = behind.pop_front().map_or_else(|| events.try_recv(), Ok);
        let event = match event {
            Err(TryRecvError::Empty) => {
                // Nothing newer is known than what is there now.
                server.go_on()?;
                events.recv().ok()
            }
            received => received.ok(),
        };
        match event {
            Some(Event::Message(message)) => {
                if server.asks_about_program(&message) {
                    let until = *patience.get_or_insert_with(|| Instant::now() + PATIENCE);
                    wait_for_program(server, events, &mut behind, until)?;
                } else if matches!(message, Incoming::Notification(_)) {
                    patience = None;
                }
                if let Next::Exit = server.handle(message)? {
                    return Ok(());
                }
            }
            Some(Event::Outcome(outcome)) => server.take(outcome)?,
            Some(Event::End) | None => return Ok(()),
        }
    }
}

/// Has the texts as they are assembled, as far as that is done `until` then.
/// What happens meanwhile is appended to `behind`.
fn wait_for_program<W: Write>(
    server: &mut Server<W>,
    events: &Receiver<Event>,
    behind: &mut VecDeque<Event>,
    until: Instant,
) -> io::Result<()> {
    while !server.is_assembled() && behind.len() < MOST_WAITING {
        server.go_on()?;
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Event::Outcome(outcome)) => server.take(outcome)?,
            Ok(event) => behind.push_back(event),
            Err(_) => break,
        }
    }
    Ok(())
}
