//! Machine time: units, and the frames they fill (machine manual, section 4).

use isa::time::frame_end;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Units since the start. Frames follow from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) units: u64,
    frames: u64,
    /// Where the frame after `frames` ends; after `units` except while an
    /// instruction that has passed it is being finished.
    next: u64,
}

/// The latest time a snapshot may claim: some 50,000 years.
const LATEST: u64 = 1 << 61;

impl Clock {
    /// Time 0.
    pub(crate) fn new() -> Self {
        Clock { units: 0, frames: 0, next: frame_end(1) }
    }

    /// Frames that have ended.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// When the current frame ends.
    pub(crate) fn frame_end(&self) -> u64 {
        self.next
    }

    /// Moves time to the end of the current frame.
    pub(crate) fn skip_frame(&mut self) {
        self.units = self.units.max(self.next);
    }

    /// Counts the frames that have ended since it was asked last; whether
    /// there are any.
    pub(crate) fn pass_frames(&mut self) -> bool {
        if self.units < self.next {
            return false;
        }
        while self.units >= self.next {
            self.frames += 1;
            self.next = frame_end(self.frames + 1);
        }
        true
    }
}

impl Serialize for Clock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.units.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let units = u64::deserialize(deserializer)?;
        if units > LATEST {
            return Err(serde::de::Error::custom("machine time is out of range"));
        }
        // The last n with frame_end(n) <= units: 64000 n < 3 units + 3.
        let frames = ((u128::from(units) * 3 + 2) / 64_000) as u64;
        let next = |frames: u64| (64_000 * u128::from(frames + 1) / 3) as u64;
        Ok(Clock { units, frames, next: next(frames) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_frames_are_64000_units() {
        let mut clock = Clock::new();
        let ends = [21_333, 42_666, 64_000, 85_333];
        for (frame, end) in (1..).zip(ends) {
            clock.units = end - 1;
            assert!(!clock.pass_frames());
            clock.units = end;
            assert!(clock.pass_frames());
            assert_eq!(clock.frames(), frame);
        }
        clock.units = 1_280_000;
        assert!(clock.pass_frames());
        assert_eq!(clock.frames(), 60);
    }

    #[test]
    fn a_snapshot_says_the_units_and_the_frames_follow() {
        for units in (0..130_000).chain([LATEST]) {
            let clock: Clock = serde_json::from_str(&units.to_string()).unwrap();
            assert!(frame_end_wide(clock.frames()) <= units.into());
            assert!(frame_end_wide(clock.frames() + 1) > units.into());
            assert_eq!(u128::from(clock.frame_end()), frame_end_wide(clock.frames() + 1));
        }
        assert!(serde_json::from_str::<Clock>(&u64::MAX.to_string()).is_err());
    }

    fn frame_end_wide(frame: u64) -> u128 {
        64_000 * u128::from(frame) / 3
    }
}
