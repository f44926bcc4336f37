//! `vc3 shell`: the machine at its prompt.

use anyhow::Result;

use super::play;
use crate::cli::LiveArgs;

/// Boots the shell.
pub fn shell(live: &LiveArgs) -> Result<u8> {
    play::play_in_shell(live, "")
}
