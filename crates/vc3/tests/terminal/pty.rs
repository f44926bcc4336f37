//! A pseudo-terminal with a program in it and a terminal emulator behind it.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

/// Longest time that anything may take on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(5);

/// What the emulator has been sent, and made of it.
struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

/// A program that runs in a pseudo-terminal.
pub struct Session {
    child: Box<dyn Child + Send + Sync>,
    /// `None` once it is closed.
    terminal: Option<Terminal>,
    seen: Arc<Mutex<Seen>>,
    reading: Arc<Reading>,
    modes_before: String,
}

/// The two ends of the pseudo-terminal.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    /// Kept so that the terminal's modes can be asked after the program.
    _slave: Box<dyn SlavePty + Send>,
}

/// Whether what the program writes is read.
#[derive(Default)]
struct Reading {
    paused: AtomicBool,
    over: AtomicBool,
}

impl Session {
    /// Starts `program` in a terminal of 80 columns and 25 rows that shows
    /// true colour.
    pub fn start<A: AsRef<OsStr>>(program: &Path, args: impl IntoIterator<Item = A>) -> Session {
        Session::start_with(program, args, (80, 25), &[("COLORTERM", "truecolor")])
    }

    /// As [`Session::start`], of another size and with other variables than
    /// `TERM=xterm-256color`.
    pub fn start_with<A: AsRef<OsStr>>(
        program: &Path,
        args: impl IntoIterator<Item = A>,
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Session {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let modes_before = modes(&*pair.master);
        let mut command = CommandBuilder::new(program);
        command.args(args);
        for name in ["NO_COLOR", "COLORTERM", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = vt100::Parser::new(cells(rows), cells(columns), 0);
        let seen = Arc::new(Mutex::new(Seen { parser, bytes: Vec::new() }));
        let reading = Arc::new(Reading::default());
        let output = pair.master.try_clone_reader().unwrap();
        let (sink, switch) = (seen.clone(), reading.clone());
        thread::spawn(move || read_all(output, &sink, &switch));
        let keyboard = pair.master.take_writer().unwrap();
        let terminal = Terminal { master: pair.master, keyboard, _slave: pair.slave };
        Session { child, terminal: Some(terminal), seen, reading, modes_before }
    }

    /// Sends bytes as the terminal would for keys.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let keyboard = &mut self.terminal.as_mut().unwrap().keyboard;
        keyboard.write_all(bytes.as_ref()).unwrap();
        keyboard.flush().unwrap();
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Gives the window another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.seen.lock().unwrap().parser.set_size(cells(rows), cells(columns));
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.terminal().master.resize(size).unwrap();
    }

    /// Looks at the emulator's screen.
    pub fn screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.seen.lock().unwrap().parser.screen())
    }

    /// The text on the screen, a line a row, without trailing spaces.
    pub fn text(&self) -> String {
        let text = self.screen(|screen| screen.contents());
        text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
    }

    /// Everything the program has written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?} is shown"), |session| session.text().contains(text));
    }

    /// Waits until `text` is not on the screen any more.
    #[track_caller]
    pub fn wait_without(&self, text: &str) {
        self.wait_until(&format!("{text:?} is gone"), |session| !session.text().contains(text));
    }

    /// Waits until `holds`.
    #[track_caller]
    pub fn wait_until(&self, what: &str, holds: impl Fn(&Session) -> bool) {
        let start = Instant::now();
        while !holds(self) {
            assert!(start.elapsed() < PATIENCE, "never: {what}\n{}", self.text());
            thread::sleep(POLL);
        }
    }

    /// Waits for the end of the program; its exit code.
    #[track_caller]
    pub fn wait_exit(&mut self) -> u32 {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "still running\n{}", self.text());
            thread::sleep(POLL);
        };
        assert_eq!(status.signal(), None, "ended by a signal");
        // What it wrote last may still be on its way.
        self.wait_settled();
        status.exit_code()
    }

    /// Waits for the end of the program, and for nothing of its terminal.
    #[track_caller]
    pub fn wait_until_ended(&mut self) {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "still running");
            thread::sleep(POLL);
        }
    }

    /// The processor time that the program has used, in hundredths of a
    /// second.
    #[cfg(target_os = "linux")]
    pub fn processor_ticks(&self) -> u64 {
        let id = self.child.process_id().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        // Behind the name, which is in brackets: the 12th and 13th fields.
        let fields = stat.rsplit(") ").next().unwrap().split(' ').skip(11).take(2);
        fields.map(|field| field.parse::<u64>().unwrap()).sum()
    }

    /// Waits until nothing has been written for a while.
    pub fn wait_settled(&self) {
        let mut length = self.bytes().len();
        let mut quiet = Instant::now();
        while quiet.elapsed() < Duration::from_millis(200) {
            thread::sleep(POLL);
            let now = self.bytes().len();
            if now != length {
                length = now;
                quiet = Instant::now();
            }
        }
    }

    /// Whether raw mode is on.
    pub fn is_raw(&self) -> bool {
        modes(&*self.terminal().master) != self.modes_before
    }

    /// The terminal is as it was before the program.
    #[track_caller]
    pub fn assert_restored(&self) {
        assert_eq!(modes(&*self.terminal().master), self.modes_before, "the modes");
        self.screen(|screen| {
            assert!(!screen.alternate_screen(), "still on the other screen");
            assert!(!screen.hide_cursor(), "no cursor");
            assert!(!screen.bracketed_paste(), "paste still bracketed");
            assert_eq!(screen.fgcolor(), vt100::Color::Default);
            assert_eq!(screen.bgcolor(), vt100::Color::Default);
            assert!(!screen.bold() && !screen.inverse());
        });
    }

    /// The terminal takes nothing of what the program writes until
    /// [`Session::resume_reading`].
    pub fn pause_reading(&self) {
        self.reading.paused.store(true, Ordering::SeqCst);
    }

    /// The terminal takes everything again.
    pub fn resume_reading(&self) {
        self.reading.paused.store(false, Ordering::SeqCst);
    }

    /// The terminal's window is closed. `key` has to make the program write
    /// something, which ends the reading.
    pub fn hang_up(&mut self, key: &str) {
        self.reading.over.store(true, Ordering::SeqCst);
        self.send(key);
        let reading = self.reading.clone();
        self.wait_until("reading has ended", |_| reading.paused.load(Ordering::SeqCst));
        self.terminal = None;
    }

    fn terminal(&self) -> &Terminal {
        self.terminal.as_ref().unwrap()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_all(mut output: Box<dyn Read + Send>, sink: &Mutex<Seen>, reading: &Reading) {
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = output.read(&mut chunk) {
        if reading.over.load(Ordering::SeqCst) {
            drop(output);
            reading.paused.store(true, Ordering::SeqCst);
            return;
        }
        let mut seen = sink.lock().unwrap();
        seen.parser.process(&chunk[..length]);
        seen.bytes.extend_from_slice(&chunk[..length]);
        drop(seen);
        while reading.paused.load(Ordering::SeqCst) {
            thread::sleep(POLL);
        }
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

/// The terminal's modes as a text to compare.
fn modes(master: &dyn MasterPty) -> String {
    let modes = master.get_termios().unwrap();
    let show = |part: &dyn Debug| format!("{part:?}");
    [
        show(&modes.input_flags),
        show(&modes.output_flags),
        show(&modes.control_flags),
        show(&modes.local_flags),
    ]
    .join(" ")
}
