//! A folder's listing, kept for a while: a program asks for one entry after
//! the other, and each time the whole folder would have to be read.

use super::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// How long a listing is kept at least. The host may change a file without
/// the folder showing it.
const SHORTEST: Duration = Duration::from_millis(100);
/// A listing is kept so many times as long as reading it took, so that
/// reading large folders again does not take all the time there is.
const TIMES: u32 = 10;
/// A folder that was changed as recently as this may be changed again at what
/// the host calls the same time.
const SETTLED: Duration = Duration::from_millis(50);

/// A listing with what tells whether it still holds.
#[derive(Debug)]
pub struct Kept {
    entries: Arc<[Entry]>,
    until: Instant,
    modified: SystemTime,
}

impl Kept {
    /// Keeps what has been read since `began` of a folder that was `modified`
    /// before, unless that is so recent that nothing can be said.
    pub fn new(
        entries: Arc<[Entry]>,
        began: Instant,
        modified: Option<SystemTime>,
    ) -> Option<Kept> {
        let modified = modified?;
        let age = SystemTime::now().duration_since(modified).ok()?.checked_sub(began.elapsed())?;
        let keep = SHORTEST.max(began.elapsed() * TIMES);
        (age >= SETTLED).then(|| Kept { entries, until: Instant::now() + keep, modified })
    }

    /// The listing, if it holds for a folder that was last `modified` then.
    pub fn entries(&self, modified: Option<SystemTime>) -> Option<Arc<[Entry]>> {
        let holds = modified == Some(self.modified) && Instant::now() < self.until;
        holds.then(|| Arc::clone(&self.entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_kept_while_it_holds() {
        let (began, long_ago) = (Instant::now(), SystemTime::now() - Duration::from_secs(9));
        let kept = Kept::new(Arc::from([]), began, Some(long_ago)).unwrap();
        assert!(kept.entries(Some(long_ago)).is_some());
        assert!(kept.entries(Some(long_ago + Duration::from_millis(1))).is_none());
        assert!(kept.entries(None).is_none());
        let over = Kept { until: Instant::now(), ..kept };
        assert!(over.entries(Some(long_ago)).is_none());
        // Changed just now, in the future, or nobody knows when.
        for modified in [Some(SystemTime::now()), Some(SystemTime::now() + SETTLED), None] {
            assert!(Kept::new(Arc::from([]), began, modified).is_none());
        }
    }
}
