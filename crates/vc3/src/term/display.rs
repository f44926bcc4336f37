//! The terminal's side of the picture: draws it when it is time, the writer
//! is free and something has changed.

use std::time::{Duration, Instant};

use crossterm::terminal;
use sd8516::Picture;

use super::canvas::{Canvas, Painter, Size};
use super::colour::Depth;
use super::diff;
use super::writer::Writer;

/// The shortest time between two frames; a little less than the machine's
/// frame, so that none is missed.
const BETWEEN_FRAMES: Duration = Duration::from_millis(15);
/// What is assumed of a terminal that does not know its size.
const UNKNOWN: Size = Size { columns: 80, rows: 25 };

/// Shows pictures in the terminal's window.
pub struct Display {
    writer: Writer,
    painter: Painter,
    window: Size,
    /// What the terminal shows once the writer is done; `None` when unknown.
    shown: Option<Canvas>,
    /// The picture that `shown` was made of, with nothing over it.
    pure: Option<Picture>,
    notice: Option<Notice>,
    next_frame: Instant,
    postponed: bool,
}

/// One line over the bottom row of the window.
struct Notice {
    text: String,
    stays: Stays,
    until: Instant,
}

/// How long a notice stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// As long as was said.
    UntilTime,
    /// No longer than to the next key: what it covers may be wanted.
    UntilKey,
}

impl Display {
    /// For a terminal that shows `depth`.
    pub fn new(writer: Writer, depth: Depth, now: Instant) -> Display {
        Display {
            writer,
            painter: Painter::new(depth),
            window: window_size(),
            shown: None,
            pure: None,
            notice: None,
            next_frame: now,
            postponed: false,
        }
    }

    /// Shows `text` over the bottom row for as long as `duration`.
    pub fn notify(&mut self, text: String, stays: Stays, now: Instant, duration: Duration) {
        self.notice = Some(Notice { text, stays, until: now + duration });
    }

    /// The user has typed something.
    pub fn key_came(&mut self) {
        self.notice.take_if(|notice| notice.stays == Stays::UntilKey);
    }

    /// Takes the notice away.
    pub fn clear_notice(&mut self) {
        self.notice = None;
    }

    /// The window's size or content is no longer what it was.
    pub fn forget(&mut self) {
        self.window = window_size();
        self.shown = None;
        self.pure = None;
        self.next_frame = Instant::now();
    }

    /// Whether a frame may be drawn now. When not, [`Display::wake`] or the
    /// writer says when.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let due = now >= self.next_frame && !self.writer.is_busy();
        self.postponed = !due;
        due
    }

    /// Draws what has changed.
    pub fn draw(&mut self, picture: Picture, now: Instant) {
        self.postponed = false;
        self.notice.take_if(|notice| notice.until <= now);
        let notice = self.notice.as_ref().map(|notice| notice.text.as_str());
        // A machine that waits shows the same again and again.
        if notice.is_none() && self.pure.as_ref() == Some(&picture) {
            return;
        }
        let canvas = self.painter.paint(&picture, self.window, notice);
        let is_pure = notice.is_none();
        let frame = diff::frame(self.shown.as_ref(), &canvas);
        if frame.is_empty() || self.writer.write(frame) {
            if self.shown.as_ref() != Some(&canvas) {
                self.next_frame = now + BETWEEN_FRAMES;
            }
            self.shown = Some(canvas);
            self.pure = is_pure.then_some(picture);
        }
    }

    /// When there is something to draw even if the machine does nothing. A
    /// busy writer sends an event when it is done.
    pub fn wake(&self) -> Option<Instant> {
        if self.writer.is_busy() {
            return None;
        }
        let postponed = self.postponed.then_some(self.next_frame);
        let notice = self.notice.as_ref().map(|notice| notice.until);
        [postponed, notice].into_iter().flatten().min()
    }
}

fn window_size() -> Size {
    match terminal::size() {
        Ok((columns, rows)) if columns > 0 && rows > 0 => Size { columns, rows },
        _ => UNKNOWN,
    }
}
