//! The vc3 that was built beside an example, for what measures whole processes.

use std::env;
use std::path::PathBuf;

/// The command `vc3` of the same target folder and profile as this example.
///
/// # Errors
/// With what to do, when it hasn't been built.
pub fn built() -> Result<PathBuf, String> {
    let this = env::current_exe().map_err(|error| format!("where is this program? {error}"))?;
    // Examples lie in a folder of their own, one below the commands.
    let folder = this.ancestors().nth(2).unwrap_or(&this);
    usable(folder.join("vc3").with_extension(env::consts::EXE_EXTENSION))
}

/// A command that was named, if there is one there.
///
/// # Errors
/// With what to do, when there is none.
pub fn usable(command: PathBuf) -> Result<PathBuf, String> {
    if command.is_file() {
        Ok(command)
    } else {
        let place = command.display();
        Err(format!("there is no vc3 at {place}; `cargo build --release -p vc3` makes one"))
    }
}
