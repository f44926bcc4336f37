//! A session from `initialize` to `exit`: one thread reads, one works, and
//! what is typed while it works is assembled once.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use crate::framing::{self, Incoming};
use crate::server::{Next, Server};

/// Messages that wait at most; a client that sends more has to wait itself.
const MOST_WAITING: usize = 64;

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
    let (sender, receiver) = sync_channel::<Incoming>(MOST_WAITING);
    thread::spawn(move || {
        // A stream that cannot be read has ended.
        while let Ok(Some(message)) = framing::read(&mut input) {
            if sender.send(message).is_err() {
                break;
            }
        }
    });
    let mut server = Server::new(output);
    match work(&mut server, &receiver) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(server.exit_code()),
    }
}

/// Handles messages until there are no more.
fn work<W: Write>(server: &mut Server<W>, receiver: &Receiver<Incoming>) -> io::Result<()> {
    loop {
        let message = match receiver.try_recv() {
            // Whoever waits for the errors need not wait for lint.
            Err(TryRecvError::Empty) if server.settle()? => continue,
            Err(TryRecvError::Empty) if server.examine()? => continue,
            Err(TryRecvError::Empty) => receiver.recv().ok(),
            received => received.ok(),
        };
        let Some(message) = message else { return Ok(()) };
        if let Next::Exit = server.handle(message)? {
            return Ok(());
        }
    }
}
