//! What Linux tells of a process: its memory and the processor's time.

use std::fmt::Display;
use std::fs;
use std::io;

/// The clock ticks in which it tells time, in a second.
const TICKS: f64 = 100.0;

/// A process.
#[derive(Clone, Debug)]
pub struct Process(String);

impl Process {
    /// This one.
    pub fn this() -> Process {
        Process("self".into())
    }

    /// The one with this number.
    pub fn numbered(id: impl Display) -> Process {
        Process(id.to_string())
    }

    /// The most bytes of memory that it held since it began or
    /// [`Process::forget_peak`].
    ///
    /// # Errors
    /// When it is gone, or the system isn't Linux.
    pub fn peak(&self) -> io::Result<u64> {
        self.kilobytes("VmHWM:").map(|kilobytes| kilobytes << 10)
    }

    /// Sets the peak back to what is held now.
    ///
    /// # Errors
    /// As [`Process::peak`].
    pub fn forget_peak(&self) -> io::Result<()> {
        fs::write(self.file("clear_refs"), "5")
    }

    /// Seconds that it has had of the processor, in hundredths.
    ///
    /// # Errors
    /// As [`Process::peak`].
    pub fn processor_seconds(&self) -> io::Result<f64> {
        self.seconds(14)
    }

    /// Seconds that its children had which have ended, in hundredths.
    ///
    /// # Errors
    /// As [`Process::peak`].
    pub fn children_seconds(&self) -> io::Result<f64> {
        self.seconds(16)
    }

    /// The sum of two fields of `stat`, user and system; the first is number 1.
    fn seconds(&self, first: usize) -> io::Result<f64> {
        let stat = fs::read_to_string(self.file("stat"))?;
        // The second is a name in brackets, which may hold blanks.
        let (_, fields) = stat.rsplit_once(')').ok_or(io::ErrorKind::InvalidData)?;
        let fields = fields.split_whitespace().skip(first - 3).take(2);
        Ok(fields.flat_map(str::parse::<u64>).sum::<u64>() as f64 / TICKS)
    }

    fn kilobytes(&self, field: &str) -> io::Result<u64> {
        let status = fs::read_to_string(self.file("status"))?;
        let told = status.lines().find_map(|line| line.strip_prefix(field));
        let number = told.and_then(|told| told.trim().trim_end_matches(" kB").parse().ok());
        number.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn file(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.0)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_memory_and_its_time() {
        let this = Process::this();
        assert!(this.peak().unwrap() > 100_000);
        assert!(this.processor_seconds().unwrap() < 1e6);
        assert_eq!(this.children_seconds().unwrap(), 0.0);
        assert!(Process::numbered(u32::MAX).peak().is_err());
    }
}
