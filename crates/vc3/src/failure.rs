//! Errors that end vc3 with an exit code of their own. Every other error is
//! one of the command line or of the host, exit code 2.

use std::io;

use thiserror::Error;

/// What went wrong, as far as the exit code and the message's form depend
/// on it.
#[derive(Debug, Error)]
pub enum Failure {
    /// Errors in the source, in the assembler's own words: exit code 1.
    #[error("{0}")]
    Source(String),
    /// What the assembler made cannot be written: exit code 1.
    #[error("{0}")]
    Output(String),
}

/// Whether it is only that nobody reads the standard output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Whether what was made cannot be written.
pub fn is_output(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Failure::Output(_)))
}
