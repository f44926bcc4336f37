//! `vc3 explain [CODE]`: what a code of the assembler means, with a wrong and
//! a right example.

use anyhow::{Result, bail};
use clap::Args;
use sda::{EXPLANATIONS, Explanation};

use crate::output::print;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The codes, such as E0304; without any, all of them are listed
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

/// Writes the pages, or the list of them, to the standard output.
pub fn explain(args: &ExplainArgs) -> Result<u8> {
    if args.codes.is_empty() {
        let line = |page: &Explanation| format!("{}  {}\n", page.code, page.title());
        let list: String = EXPLANATIONS.iter().map(line).collect();
        print(list.as_bytes())?;
        return Ok(0);
    }
    let mut pages = Vec::new();
    for code in &args.codes {
        // As it stands in a message: error[E0304].
        let inner = code.rsplit_once('[').map_or(code.as_str(), |(_, rest)| rest);
        match Explanation::of(inner.trim_end_matches([']', ':'])) {
            Some(page) => pages.push(page.page),
            None => bail!("there is no code {code}; `vc3 explain` lists them all"),
        }
    }
    print(pages.join("\n").as_bytes())?;
    Ok(0)
}
