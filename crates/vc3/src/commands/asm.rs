//! `vc3 asm FILE...`: sources to one program file.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use sda::{Assembly, Explanation, Program};

use crate::cli::SourceArgs;
use crate::failure::{self, Failure};
use crate::files_read::{FilesRead, STANDARD_INPUT};
use crate::output::{Outputs, print};
use crate::{SOURCE_ERRORS, make_rule, watching};

#[derive(Debug, Args)]
pub struct AsmArgs {
    /// The sources; together they are one program. `-` is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The program file; unless given, the first FILE with .prg, .bin or .hex
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// What the program file is
    #[arg(long, value_enum, default_value_t = Format::Prg)]
    format: Format,
    /// Write a listing: addresses, bytes, machine time, source
    #[arg(long, value_name = "F")]
    list: Option<PathBuf>,
    /// Write symbols and lines as JSON, for run, trace and other tools
    #[arg(long, value_name = "F")]
    sym: Option<PathBuf>,
    /// Write a map of the banks and their use
    #[arg(long, value_name = "F")]
    map: Option<PathBuf>,
    /// Make warnings errors: `error` for all, or the code of one
    #[arg(short = 'W', value_name = "CODE|error", value_parser = denied, value_delimiter = ',')]
    deny: Vec<String>,
    /// Leave out the warnings with this code
    #[arg(short = 'A', value_name = "CODE", value_parser = warning, value_delimiter = ',')]
    allow: Vec<String>,
    /// How errors and warnings are written to the standard error
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
    /// Write a rule for make, with every file that was read, to the standard output instead of the
    /// program; `-MF F` writes it to F beside the program
    #[arg(short = 'M', overrides_with = "rule")]
    rule: bool,
    /// As -MF: the file that the rule is written to
    #[arg(short = 'F', value_name = "F", requires = "rule")]
    rule_file: Option<PathBuf>,
    /// Assemble again whenever one of the files that were read changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// An image with its entry and segments
    Prg,
    /// The bytes alone, from the lowest to the highest
    Raw,
    /// Intel HEX
    Ihex,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Format::Prg => "prg",
            Format::Raw => "bin",
            Format::Ihex => "hex",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// For people, with the place underlined
    Text,
    /// For tools: one JSON object a line
    Json,
}

/// Every warning is an error.
const ALL: &str = "error";

/// Assembles, then writes every file that was asked for, or none.
pub fn asm(args: &AsmArgs) -> Result<u8> {
    let job = Job::new(args)?;
    if args.watch {
        return watching::watch(|files| job.run(files), |error| job.say_failure(error));
    }
    match job.run(&FilesRead::default()) {
        Err(error) if args.message_format == MessageFormat::Json && failure::is_output(&error) => {
            job.say_failure(&error);
            Ok(SOURCE_ERRORS)
        }
        done => done.map(|done| done.code),
    }
}

/// What came of one run.
pub struct Done {
    /// The exit code.
    pub code: u8,
    /// In a few words, for people who watch.
    pub summary: String,
}

/// A command line that makes sense.
struct Job<'a> {
    args: &'a AsmArgs,
    sources: Vec<PathBuf>,
    output: PathBuf,
    options: sda::Options,
}

impl<'a> Job<'a> {
    fn new(args: &'a AsmArgs) -> Result<Job<'a>> {
        let stdin = args.files.iter().filter(|file| is_dash(file)).count();
        if stdin > 1 {
            bail!("the standard input can be read only once");
        }
        if stdin > 0 && args.watch {
            bail!("--watch needs files; the standard input does not change");
        }
        let output = match &args.output {
            Some(output) => output.clone(),
            None if is_dash(&args.files[0]) && !(args.rule && args.rule_file.is_none()) => {
                bail!("the standard input has no name to call the program after; say -o OUT")
            }
            // A folder such as `..` is an error of its own.
            None if is_dash(&args.files[0]) || args.files[0].file_name().is_none() => {
                PathBuf::from("a.prg")
            }
            None => args.files[0].with_extension(args.format.extension()),
        };
        let options = sda::Options {
            warnings_are_errors: args.deny.iter().any(|code| code == ALL),
            denied: args.deny.clone(),
            allowed: args.allow.clone(),
            ..args.source.options()
        };
        let name = |file: &PathBuf| match is_dash(file) {
            true => PathBuf::from(STANDARD_INPUT),
            false => file.clone(),
        };
        let sources = args.files.iter().map(name).collect();
        let job = Job { args, sources, output, options };
        job.check_outputs()?;
        Ok(job)
    }

    fn run(&self, host: &FilesRead) -> Result<Done> {
        let args = self.args;
        let assembly = sda::assemble(&self.sources, host, &self.options);
        self.say(&assembly);
        let Some(program) = assembly.program else {
            let count = assembly.diagnostics.error_count();
            let errors = if count == 1 { "error" } else { "errors" };
            return Ok(Done { code: SOURCE_ERRORS, summary: format!("{count} {errors}") });
        };
        self.check_sources_stay(host.read_paths().iter())?;
        if args.rule && args.rule_file.is_none() {
            print(self.rule(host).as_bytes())?;
            return Ok(Done { code: 0, summary: "the rule is written".into() });
        }
        self.write(&program, host).map_err(|error| match failure::is_broken_pipe(&error) {
            true => error,
            false => Failure::Output(format!("{error:#}")).into(),
        })?;
        let size: usize = program.segments.iter().map(|segment| segment.bytes.len()).sum();
        let bytes = if size == 1 { "byte" } else { "bytes" };
        let summary = format!("{}: {size} {bytes}", self.output.display());
        Ok(Done { code: 0, summary })
    }

    fn write(&self, program: &Program, host: &FilesRead) -> Result<()> {
        let args = self.args;
        let mut outputs = Outputs::default();
        outputs.add(&self.output, image(program, args.format)?)?;
        let mut add = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
            Some(path) => outputs.add(path, text().into_bytes()),
            None => Ok(()),
        };
        add(&args.list, &|| program.listing())?;
        add(&args.sym, &|| program.symbols_json())?;
        add(&args.map, &|| program.map())?;
        add(&args.rule_file, &|| self.rule(host))?;
        outputs.commit()
    }

    fn rule(&self, host: &FilesRead) -> String {
        let read = host.read_paths();
        make_rule::rule(&self.output, read.iter().map(PathBuf::as_path))
    }

    /// Errors and warnings to the standard error.
    fn say(&self, assembly: &Assembly) {
        let diagnostics = &assembly.diagnostics;
        let text = match self.args.message_format {
            MessageFormat::Json => diagnostics.json(),
            MessageFormat::Text => {
                let is_terminal = io::stderr().is_terminal();
                let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let mut text = diagnostics.render(is_terminal && !no_colour);
                if let (true, Some(first)) = (is_terminal, diagnostics.iter().next()) {
                    text += &format!("vc3: more about {0}: vc3 explain {0}\n", first.code());
                }
                text
            }
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// What kept a run from writing its files.
    fn say_failure(&self, error: &anyhow::Error) {
        let text = match self.args.message_format {
            MessageFormat::Text => format!("vc3: {error:#}"),
            MessageFormat::Json => serde_json::json!({
                "code": null,
                "severity": "error",
                "message": format!("{error:#}"),
                "spans": [],
                "notes": [],
                "helps": [],
                "edit": null,
            })
            .to_string(),
        };
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Two names for one file, or an output over a source, are slips.
    fn check_outputs(&self) -> Result<()> {
        self.check_sources_stay(self.sources.iter())?;
        let outputs = self.outputs();
        for (at, path) in outputs.iter().enumerate() {
            if outputs[..at].iter().any(|other| same_file(other, path)) {
                bail!("{} is named twice as a file to write", path.display());
            }
        }
        Ok(())
    }

    /// No output is one of `sources`. What is included and embedded is known
    /// only after assembling.
    fn check_sources_stay<'s>(
        &self,
        sources: impl Iterator<Item = &'s PathBuf> + Clone,
    ) -> Result<()> {
        for path in self.outputs() {
            if sources.clone().any(|source| same_file(source, path)) {
                bail!("{} is a source; name another file to write", path.display());
            }
        }
        Ok(())
    }

    /// The files to write; `-`, the standard output, is none.
    fn outputs(&self) -> Vec<&Path> {
        let args = self.args;
        let extra = [&args.list, &args.sym, &args.map, &args.rule_file];
        let extra = extra.into_iter().flatten().map(PathBuf::as_path);
        [self.output.as_path()].into_iter().chain(extra).filter(|path| !is_dash(path)).collect()
    }
}

fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || resolved(one).is_some_and(|one| resolved(other) == Some(one))
}

/// The file's one name, whether it exists yet or not.
fn resolved(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

fn image(program: &Program, format: Format) -> Result<Vec<u8>> {
    match format {
        Format::Prg => Ok(program.prg()),
        Format::Raw => program.raw().context("cannot make a raw binary"),
        Format::Ihex => Ok(program.ihex().into_bytes()),
    }
}

/// `error`, or the code of a warning.
fn denied(word: &str) -> Result<String, String> {
    if word == ALL {
        return Ok(word.to_string());
    }
    warning(word).map_err(|error| format!("{error}; `error` means all of them"))
}

/// The code of a warning.
fn warning(word: &str) -> Result<String, String> {
    match Explanation::of(word) {
        Some(page) if page.is_warning() => Ok(page.code.to_string()),
        Some(page) => Err(format!("{} is no warning but an error", page.code)),
        None => Err(format!("no warning has the code `{word}`, `vc3 explain` lists them")),
    }
}
