//! What BIOS services that wait remember between two tries. It belongs to the
//! machine, so a snapshot taken while waiting is an ordinary one (machine
//! manual, section 5).

use serde::{Deserialize, Serialize};

/// Frame waits remembered at once; one for each level of nested handlers.
const MOST_FRAME_WAITS: usize = 8;

/// A line of 65,535 characters has scrolled less far than this.
const FARTHEST_ORIGIN: u32 = 1 << 20;
/// More cells than anybody will ever write by typing.
const MOST_TOUCHED: u64 = 1 << 48;

/// Which wait it is: the INT and the stack depth it was reached with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// IP, 24 bits.
    pub ip: u32,
    /// SP, 24 bits.
    pub sp: u32,
}

/// A line being edited (INT $10 $1E). Its text is in the program's memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEdit {
    /// Where the service was called.
    pub place: Place,
    /// Where the text goes, 24 bits.
    pub text: u32,
    /// The most characters, without the zero.
    pub limit: u16,
    /// Characters typed so far.
    pub length: u16,
    /// The caret, 0 to `length`.
    pub caret: u16,
    /// The cell of the first character, row × columns + column; below 0 when
    /// it has scrolled off the screen.
    pub origin: i32,
    /// Cells written so far; counted when the service has been served.
    pub touched: u64,
}

impl LineEdit {
    /// Whether it can have been kept by the service: a snapshot may come
    /// damaged.
    fn is_sound(&self) -> bool {
        self.caret <= self.length
            && self.length <= self.limit
            && self.origin.unsigned_abs() <= FARTHEST_ORIGIN
            && self.touched <= MOST_TOUCHED
    }
}

/// A wait for a frame (INT $10 $07).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FrameWait {
    place: Place,
    until: u64,
}

/// Everything that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    edit: Option<LineEdit>,
    frames: Vec<FrameWait>,
}

impl Waiting {
    /// Forgets every wait: a program starts or has ended.
    pub fn clear(&mut self) {
        *self = Waiting::default();
    }

    /// Takes the line edit that was begun by this very call.
    pub fn take_edit(&mut self, place: Place, text: u32, limit: u16) -> Option<LineEdit> {
        let edit = self.edit.take()?;
        let same = edit.place == place && edit.text == text && edit.limit == limit;
        (same && edit.is_sound()).then_some(edit)
    }

    /// Keeps a line edit for the next try.
    pub fn keep_edit(&mut self, edit: LineEdit) {
        self.edit = Some(edit);
    }

    /// Whether a wait of `count` frames, tried at `place` when `now` frames
    /// have ended, is over. The first try sets when that will be.
    pub fn frames_over(&mut self, place: Place, count: u16, now: u64) -> bool {
        let found = self.frames.iter().position(|wait| wait.place == place);
        let until = match found {
            Some(at) => self.frames[at].until,
            None => now + u64::from(count),
        };
        if now >= until {
            self.frames.retain(|wait| wait.place != place);
            return true;
        }
        if found.is_none() {
            if self.frames.len() >= MOST_FRAME_WAITS {
                self.frames.remove(0);
            }
            self.frames.push(FrameWait { place, until });
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_that_waits_does_not_disturb_the_wait_it_interrupts() {
        let mut waiting = Waiting::default();
        let main = Place { ip: 100, sp: 50 };
        let handler = Place { ip: 200, sp: 45 };
        assert!(!waiting.frames_over(main, 3, 10));
        assert!(!waiting.frames_over(handler, 1, 11));
        assert!(waiting.frames_over(handler, 1, 12));
        assert!(!waiting.frames_over(main, 3, 12));
        assert!(waiting.frames_over(main, 3, 13));
        assert_eq!(waiting, Waiting::default());
        assert!(waiting.frames_over(main, 0, 13));
    }

    #[test]
    fn an_edit_goes_on_only_in_the_call_that_began_it() {
        let place = Place { ip: 1, sp: 2 };
        let edit =
            LineEdit { place, text: 3, limit: 10, length: 5, caret: 5, origin: -80, touched: 7 };
        let take = |kept: &LineEdit, place, text, limit| {
            let mut waiting = Waiting::default();
            waiting.keep_edit(kept.clone());
            let taken = waiting.take_edit(place, text, limit);
            assert_eq!(waiting, Waiting::default());
            taken
        };
        assert_eq!(take(&edit, place, 3, 10), Some(edit.clone()));
        assert_eq!(take(&edit, Place { ip: 9, ..place }, 3, 10), None);
        assert_eq!(take(&edit, Place { sp: 9, ..place }, 3, 10), None);
        assert_eq!(take(&edit, place, 4, 10), None);
        assert_eq!(take(&edit, place, 3, 11), None);
        for damaged in [
            LineEdit { caret: 6, ..edit.clone() },
            LineEdit { length: 11, ..edit.clone() },
            LineEdit { origin: i32::MIN, ..edit.clone() },
            LineEdit { touched: u64::MAX, ..edit.clone() },
        ] {
            assert_eq!(take(&damaged, place, 3, 10), None);
        }
    }

    #[test]
    fn remembered_waits_are_bounded() {
        let mut waiting = Waiting::default();
        for ip in 0..1000 {
            assert!(!waiting.frames_over(Place { ip, sp: 0 }, 9, 0));
        }
        assert_eq!(waiting.frames.len(), MOST_FRAME_WAITS);
    }
}
