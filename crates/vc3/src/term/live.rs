//! The loop that plays: events in, keys to the machine, machine time at the
//! chosen speed, pictures out.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use isa::keys::BUFFER_SIZE;
use isa::time::frame_end;
use sd8516::{Key, Picture, Stop, Wait};
use signal_hook::consts::{SIGHUP, SIGQUIT, SIGTSTP};
use signal_hook::low_level::emulate_default_handler;

use crate::cli::Speed;
use crate::session::{PlaySession, Session};

use super::colour::Depth;
use super::decoder::Decoder;
use super::display::{Display, Stays};
use super::events::Event;
use super::guard::Guard;
use super::pacing::{Clock, DoublePress};
use super::strokes::Stroke;
use super::writer::Writer;

/// Units that are run before events are looked at: a fraction of a
/// millisecond, so that no key and no signal waits.
const SLICE: u64 = 64_000;
/// Host time after which events are looked at even so: between services that
/// take the host long.
const SLICE_TIME: Duration = Duration::from_millis(20);
/// Units of one frame, as the host paces them while the machine waits.
const FRAME: u64 = frame_end(3) / 3;
/// Events taken in one turn of the loop.
const MOST_EVENTS: usize = 64;
/// Keys held back while the machine's buffer is full. Pasting more than this
/// at once loses the rest, and memory stays bounded.
const MOST_HELD_KEYS: usize = 65_536;
/// Host time that a program has after it was asked to stop (machine manual,
/// section 5).
const GRACE: Duration = Duration::from_secs(2);
/// How long the notice of a fault stays.
const FAULT_NOTICE: Duration = Duration::from_secs(10);
/// Reports kept for after the terminal is restored: the last ones.
const MOST_REPORTS: usize = 8;

/// Exit code of a fault.
const FAULT: u8 = sd8516::STOPPED_BY_FAULT;
/// Exit code of a program that the user stopped, as a shell gives it.
const STOPPED: u8 = sd8516::STOPPED_BY_USER;

/// How playing ended.
pub struct Outcome {
    /// The exit code.
    pub code: u8,
    /// Reports of faults, oldest first; each ends with a line feed.
    pub reports: VecDeque<String>,
    /// What the screen showed when a program that was started without the
    /// shell ended by itself or by a fault.
    pub last_picture: Option<Picture>,
}

/// A session that is played.
pub struct Live<'a> {
    session: Session,
    /// A kernal, the shell, is the first program.
    has_kernal: bool,
    guard: &'a Guard,
    display: Display,
    events: Receiver<Event>,
    decoder: Decoder,
    /// When the decoder gives up waiting for the rest of a sequence.
    decoder_due: Option<Instant>,
    keys: VecDeque<Key>,
    presses: DoublePress<Meant>,
    stopping: Option<Stopping>,
    speed: Speed,
    clock: Clock,
    /// The machine waits for a key or the next frame.
    waiting: bool,
    reports: VecDeque<String>,
    last_picture: Option<Picture>,
}

/// A program has been asked to stop.
#[derive(Clone, Copy)]
struct Stopping {
    /// Suspended callers at that time: with fewer, it has ended.
    depth: usize,
    /// When its time is up; `None` when it was.
    deadline: Option<Instant>,
    /// vc3 ends after it, with this exit code.
    leave: Option<u8>,
}

/// What Ctrl-C twice means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meant {
    Leave,
    Stop,
}

/// What one turn of the loop did.
enum Turn {
    /// The machine ran; there may be more to do at once.
    Ran,
    /// Nothing to do before this time, but for events.
    Idle(Instant),
    /// The machine has ended; the exit code.
    Ended(u8),
}

impl<'a> Live<'a> {
    /// Ready to run.
    ///
    /// # Errors
    /// When the thread that writes cannot be started.
    pub fn new(
        play: PlaySession,
        guard: &'a Guard,
        depth: Depth,
        sender: SyncSender<Event>,
        events: Receiver<Event>,
    ) -> io::Result<Live<'a>> {
        let now = Instant::now();
        let writer = Writer::start(guard.terminal().clone(), sender)?;
        let clock = match play.speed {
            Speed::Times(times) => Clock::new(times, Duration::from_millis(100), now),
            // Only waiting is paced: a frame that comes late because of
            // computing is not made up for by shorter ones.
            Speed::Auto | Speed::Max => Clock::new(1.0, Duration::from_millis(5), now),
        };
        Ok(Live {
            session: play.session,
            has_kernal: play.kernal,
            guard,
            display: Display::new(writer, depth, now),
            events,
            decoder: Decoder::default(),
            decoder_due: None,
            keys: VecDeque::new(),
            presses: DoublePress::new(),
            stopping: None,
            speed: play.speed,
            clock,
            waiting: false,
            reports: VecDeque::new(),
            last_picture: None,
        })
    }

    /// Plays to the end.
    pub fn run(mut self) -> Outcome {
        let code = loop {
            if let Some(code) = self.turn() {
                break code;
            }
        };
        Outcome { code, reports: self.reports, last_picture: self.last_picture }
    }

    /// One turn of the loop; the exit code when it was the last.
    fn turn(&mut self) -> Option<u8> {
        let now = Instant::now();
        if let Some(code) = self.take_events(now).or_else(|| self.follow_stopping(now)) {
            return Some(code);
        }
        let keys_came = self.feed_keys();
        let turn = self.advance(now, keys_came);
        self.take_fault_reports(now);
        match turn {
            Turn::Ended(code) => {
                if !self.has_kernal && self.stopping.is_none() {
                    self.last_picture = Some(self.session.picture());
                }
                Some(code)
            }
            Turn::Ran => {
                if self.display.is_due(now) {
                    self.display.draw(self.session.picture(), now);
                }
                None
            }
            Turn::Idle(until) => {
                if self.display.is_due(now) {
                    self.display.draw(self.session.picture(), now);
                }
                self.wait(until)
            }
        }
    }

    /// Lets the machine go on, unless it is not yet time to.
    fn advance(&mut self, now: Instant, keys_came: bool) -> Turn {
        let paced = matches!(self.speed, Speed::Times(_));
        if self.waiting && !keys_came {
            let rest = frame_end(self.machine_frames() + 1).saturating_sub(self.units());
            let until = match self.speed {
                Speed::Times(_) => self.clock.due_after(rest),
                Speed::Max if self.session.machine().waiting() == Some(Wait::Frame) => now,
                Speed::Auto | Speed::Max => self.clock.due_after(FRAME),
            };
            if now < until {
                return Turn::Idle(until);
            }
            self.session.end_frame();
            self.clock.pass(if paced { rest } else { FRAME }, now);
        } else if paced && now < self.clock.due() {
            return Turn::Idle(self.clock.due());
        }
        let before = self.units();
        let until = if paced { frame_end(self.machine_frames() + 1) } else { before + SLICE };
        let stop = self.session.run_within(until, SLICE_TIME);
        if paced {
            self.clock.pass(self.units() - before, now);
        }
        self.waiting = matches!(stop, Stop::Wait);
        match stop {
            Stop::Budget | Stop::Wait => Turn::Ran,
            Stop::Exit(code) => Turn::Ended(code),
            Stop::KeysUsedUp => Turn::Ended(0),
            Stop::Stopped => {
                Turn::Ended(self.stopping.and_then(|stopping| stopping.leave).unwrap_or(STOPPED))
            }
            Stop::Break => Turn::Ended(FAULT),
            Stop::Fault(fault) => {
                let report = self.session.report(&fault);
                self.keep_report(report);
                Turn::Ended(FAULT)
            }
        }
    }

    /// Sleeps until `until`, or something happens.
    fn wait(&mut self, until: Instant) -> Option<u8> {
        let deadline = self.stopping.and_then(|stopping| stopping.deadline);
        let wakes = [Some(until), self.display.wake(), self.decoder_due, deadline];
        let until = wakes.into_iter().flatten().min().unwrap_or(until);
        let now = Instant::now();
        match self.events.recv_timeout(until.saturating_duration_since(now)) {
            Ok(event) => self.take_event(event, Instant::now()),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(128 + SIGHUP as u8),
        }
    }

    /// The shell runs itself, and no program under it.
    fn is_at_prompt(&self) -> bool {
        self.has_kernal && self.session.machine().program_depth() == 0
    }

    fn units(&self) -> u64 {
        self.session.machine().units()
    }

    fn machine_frames(&self) -> u64 {
        self.session.machine().frames()
    }
}

/// Events.
impl Live<'_> {
    /// Takes what has happened by now; the exit code when vc3 is to end.
    fn take_events(&mut self, now: Instant) -> Option<u8> {
        // A flood of events does not keep the machine from its turn.
        for _ in 0..MOST_EVENTS {
            match self.events.try_recv() {
                Ok(event) => {
                    if let Some(code) = self.take_event(event, now) {
                        return Some(code);
                    }
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Some(128 + SIGHUP as u8),
            }
        }
        if self.decoder_due.is_some_and(|due| due <= now) {
            self.decoder_due = None;
            let mut strokes = Vec::new();
            self.decoder.flush(&mut strokes);
            return self.take_strokes(&strokes, now);
        }
        None
    }

    fn take_event(&mut self, event: Event, now: Instant) -> Option<u8> {
        match event {
            Event::Input(bytes) => {
                let mut strokes = Vec::new();
                self.decoder.push(&bytes, &mut strokes);
                self.decoder_due = self.decoder.patience().map(|patience| now + patience);
                self.take_strokes(&strokes, now)
            }
            Event::Resized => {
                self.display.forget();
                None
            }
            Event::Terminate(signal) => self.end(signal, now),
            // Also comes with a signal; the program has its time all the same.
            Event::HungUp => self.end(SIGHUP, now),
            Event::Quit => Some(128 + SIGQUIT as u8),
            Event::Suspend => {
                self.guard.release();
                // Stops here until somebody sends SIGCONT, which is an event.
                let _ = emulate_default_handler(SIGTSTP);
                None
            }
            Event::Continue => {
                if self.guard.retake().is_err() {
                    return self.end(SIGHUP, now);
                }
                self.display.forget();
                None
            }
            Event::Drained => None,
        }
    }

    fn take_strokes(&mut self, strokes: &[Stroke], now: Instant) -> Option<u8> {
        if !strokes.is_empty() {
            self.display.key_came();
        }
        for stroke in strokes {
            match *stroke {
                Stroke::Key(key) if self.keys.len() < MOST_HELD_KEYS => self.keys.push_back(key),
                Stroke::Key(_) => {}
                Stroke::Leave => return Some(0),
                Stroke::Stop => {
                    // What was typed before is not wanted any more.
                    self.keys.clear();
                    if let Some(code) = self.press_stop(now) {
                        return Some(code);
                    }
                }
            }
        }
        None
    }

    /// Ctrl-C: the second within two seconds stops the program, or leaves
    /// vc3 at the shell's prompt.
    fn press_stop(&mut self, now: Instant) -> Option<u8> {
        let at_prompt = self.is_at_prompt();
        let meant = if at_prompt { Meant::Leave } else { Meant::Stop };
        if self.presses.press(meant, now) {
            self.display.clear_notice();
            return if at_prompt { Some(0) } else { self.stop_program(None, now) };
        }
        let text = match meant {
            Meant::Leave => "Ctrl-C once more leaves vc3",
            Meant::Stop => "Ctrl-C once more stops the program",
        };
        self.display.notify(text.into(), Stays::UntilTime, now, DoublePress::<Meant>::WITHIN);
        None
    }

    /// Moves held keys into the machine's buffer; whether any went.
    fn feed_keys(&mut self) -> bool {
        let before = self.keys.len();
        while self.session.machine().devices().keyboard.len() < BUFFER_SIZE {
            let Some(key) = self.keys.pop_front() else { break };
            self.session.key(key);
        }
        self.keys.len() < before
    }
}

/// Stopping programs, and what they leave behind.
impl Live<'_> {
    /// vc3 is to end because of `signal`, after its programs.
    fn end(&mut self, signal: i32, now: Instant) -> Option<u8> {
        let code = 128 + signal as u8;
        match self.stopping {
            // A closed window says so in several ways; anything else that
            // comes again wants the end at once.
            Some(Stopping { leave: Some(code), .. }) => (signal != SIGHUP).then_some(code),
            _ if self.is_at_prompt() => Some(code),
            _ => self.stop_program(Some(code), now),
        }
    }

    /// Asks the running program to stop. One that was asked before and has
    /// not ended is stopped at once.
    fn stop_program(&mut self, leave: Option<u8>, now: Instant) -> Option<u8> {
        let depth = self.session.machine().program_depth();
        match self.stopping {
            Some(asked) if asked.depth == depth && leave.is_none() => self.force(),
            asked => {
                let deadline = asked.and_then(|asked| asked.deadline).unwrap_or(now + GRACE);
                self.ask(Stopping { depth, deadline: Some(deadline), leave });
                None
            }
        }
    }

    /// Looks after a program that was asked to stop.
    fn follow_stopping(&mut self, now: Instant) -> Option<u8> {
        let stopping = self.stopping?;
        let depth = self.session.machine().program_depth();
        if depth < stopping.depth {
            if stopping.leave.is_none() {
                self.stopping = None;
                return None;
            }
            // Its caller is next, in what is left of the time.
            if self.is_at_prompt() {
                return stopping.leave;
            }
            self.ask(Stopping { depth, ..stopping });
        } else if stopping.deadline.is_some_and(|deadline| deadline <= now) {
            return self.force();
        }
        None
    }

    /// The time is up: a second request ends the program without asking. When
    /// vc3 is to end, it just does.
    fn force(&mut self) -> Option<u8> {
        let stopping = self.stopping?;
        if stopping.leave.is_none() && stopping.deadline.is_some() {
            self.ask(Stopping { deadline: None, ..stopping });
        }
        stopping.leave
    }

    fn ask(&mut self, stopping: Stopping) {
        self.session.request_stop();
        // What it waits for does not come; it goes on to its end.
        self.waiting = false;
        self.stopping = Some(stopping);
    }

    /// Shows what programs faulted under the shell, and keeps the reports.
    fn take_fault_reports(&mut self, now: Instant) {
        for fault in self.session.take_faults() {
            let text = format!("The program was stopped: {fault}");
            self.display.notify(text, Stays::UntilKey, now, FAULT_NOTICE);
            let report = self.session.report(&fault);
            self.keep_report(report);
        }
    }

    fn keep_report(&mut self, report: String) {
        if self.reports.len() == MOST_REPORTS {
            self.reports.pop_front();
        }
        self.reports.push_back(report);
    }
}
