//! The computer that a measurement was made on.

use std::fs;
use std::thread;

use serde::Serialize;

/// What it is called and what vc3 was built for.
#[derive(Debug, Serialize)]
pub struct Host {
    /// The processor's name, when the system tells it.
    pub processor: Option<String>,
    /// Threads that can run at once.
    pub threads: usize,
    /// The system that vc3 was built for, such as `linux`.
    pub system: &'static str,
    /// The processor's kind that vc3 was built for, such as `x86_64`.
    pub architecture: &'static str,
    /// The version of vc3.
    pub version: &'static str,
    /// Whether vc3 was built without optimisation, which makes all figures
    /// worthless.
    pub debug_build: bool,
}

/// This computer.
pub fn describe() -> Host {
    Host {
        processor: processor(),
        threads: thread::available_parallelism().map_or(1, usize::from),
        system: std::env::consts::OS,
        architecture: std::env::consts::ARCH,
        version: env!("CARGO_PKG_VERSION"),
        debug_build: cfg!(debug_assertions),
    }
}

/// As Linux names it; other systems have no file for it.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}
