//! How fast the host lets machine time pass. It changes no result (machine
//! manual, section 4).

use std::time::{Duration, Instant};

use isa::time::UNITS_PER_SECOND;

/// The longest step; a wait beyond it is as good as forever.
const LONGEST: Duration = Duration::from_secs(3600);

/// Ties machine time to the host's: says when the units that have passed are
/// due.
#[derive(Debug, Clone)]
pub struct Clock {
    seconds_per_unit: f64,
    lateness: Duration,
    due: Instant,
}

impl Clock {
    /// `times` the standard rate, from `now` on. Time lost is caught up with
    /// when it is not more than `lateness`.
    pub fn new(times: f64, lateness: Duration, now: Instant) -> Clock {
        Clock { seconds_per_unit: 1.0 / (UNITS_PER_SECOND as f64 * times), lateness, due: now }
    }

    /// When the units passed so far are due.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// When `units` more are due.
    pub fn due_after(&self, units: u64) -> Instant {
        self.due + self.length(units)
    }

    /// `units` have passed by `now`. A host that cannot keep up, or was
    /// suspended, does not hurry afterwards.
    pub fn pass(&mut self, units: u64, now: Instant) {
        self.due = self.due_after(units);
        if self.due + self.lateness < now {
            self.due = now;
        }
    }

    fn length(&self, units: u64) -> Duration {
        let seconds = units as f64 * self.seconds_per_unit;
        // Not a number, when a rate is beyond all bounds: nothing is waited for.
        if seconds.is_nan() {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST)
    }
}

/// Tells a second press within two seconds from a first one. Both have to
/// mean the same, a `T`: when the program has ended between them, the second
/// is a first again.
#[derive(Debug)]
pub struct DoublePress<T> {
    first: Option<(T, Instant)>,
}

impl<T: PartialEq> DoublePress<T> {
    /// How long after the first the second press may come.
    pub const WITHIN: Duration = Duration::from_secs(2);

    /// Nothing was pressed yet.
    pub fn new() -> DoublePress<T> {
        DoublePress { first: None }
    }

    /// Whether this press is a second one; the next is then a first again.
    pub fn press(&mut self, meant: T, now: Instant) -> bool {
        if let Some((first, at)) = self.first.take()
            && first == meant
            && now.saturating_duration_since(at) <= Self::WITHIN
        {
            return true;
        }
        self.first = Some((meant, now));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);
    const LATENESS: Duration = Duration::from_millis(100);

    #[test]
    fn a_second_of_units_is_a_second() {
        let start = Instant::now();
        let mut clock = Clock::new(1.0, LATENESS, start);
        for frame in 1..=60u64 {
            let units = isa::time::frame_end(frame) - isa::time::frame_end(frame - 1);
            clock.pass(units, start);
        }
        let off = clock.due().duration_since(start).abs_diff(Duration::from_secs(1));
        assert!(off < MILLISECOND, "{off:?}");
    }

    #[test]
    fn a_multiple_is_that_much_shorter() {
        let start = Instant::now();
        let clock = Clock::new(4.0, LATENESS, start);
        let off =
            clock.due_after(UNITS_PER_SECOND).duration_since(start).abs_diff(250 * MILLISECOND);
        assert!(off < MILLISECOND, "{off:?}");
    }

    #[test]
    fn a_little_lateness_is_caught_up_with_and_a_lot_is_not() {
        let start = Instant::now();
        let mut clock = Clock::new(1.0, LATENESS, start);
        clock.pass(12_800, start + 50 * MILLISECOND);
        assert_eq!(clock.due(), start + 10 * MILLISECOND);
        let late = start + Duration::from_secs(9);
        clock.pass(12_800, late);
        assert_eq!(clock.due(), late);
    }

    #[test]
    fn no_multiple_and_no_units_overflow() {
        let start = Instant::now();
        for times in [f64::MIN_POSITIVE, 1e-300, 1e300, f64::INFINITY] {
            let mut clock = Clock::new(times, LATENESS, start);
            clock.pass(u64::MAX, start);
            assert!(clock.due() <= start + LONGEST);
        }
    }

    #[test]
    fn two_presses_within_two_seconds_are_a_double() {
        let start = Instant::now();
        let mut presses = DoublePress::new();
        assert!(!presses.press('a', start));
        assert!(presses.press('a', start + 1_999 * MILLISECOND));
        assert!(!presses.press('a', start + 2_000 * MILLISECOND), "the third is a first");
        assert!(!presses.press('a', start + 4_500 * MILLISECOND), "too late, a first again");
        assert!(presses.press('a', start + 4_600 * MILLISECOND));
        assert!(!presses.press('a', start + 4_700 * MILLISECOND));
        assert!(!presses.press('b', start + 4_800 * MILLISECOND), "it means something else now");
        assert!(presses.press('b', start + 4_900 * MILLISECOND));
    }
}
