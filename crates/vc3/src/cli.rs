//! What can be typed after `vc3`: the commands, and the options that several
//! of them share.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use sd8516::{Engine, NoSuchEngine};

use crate::commands::{
    asm, bench, completions, disasm, explain, fmt, lint, play, run, test, trace,
};
use crate::number;
use crate::screen::ScreenFormat;

/// An SD-8516 in a VC-3: play, write, assemble, run and trace its programs.
///
/// Without a command, the machine boots its shell and starts ROGUEIMA.
#[derive(Debug, Parser)]
#[command(name = "vc3", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(flatten)]
    pub live: LiveArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a program that vc3 carries
    Play(play::PlayArgs),
    /// Boot to the shell's prompt
    Shell(LiveArgs),
    /// Assemble .sda sources into one program
    Asm(asm::AsmArgs),
    /// Say what a code of the assembler means, such as E0304
    Explain(explain::ExplainArgs),
    /// Show a program as source that assembles to the same bytes
    Disasm(disasm::DisasmArgs),
    /// Put sources into the one layout
    Fmt(fmt::FmtArgs),
    /// Say what in a program is hardly meant: lost registers, broken promises, stray paths
    Lint(lint::LintArgs),
    /// Serve an editor: the Language Server Protocol over the standard input and output
    Lsp,
    /// Run a .prg, a raw binary or a .sda source
    Run(run::RunArgs),
    /// Run a program and write one line for each instruction executed
    Trace(trace::TraceArgs),
    /// Assemble and run the unit programs test_*.sda
    Test(test::TestArgs),
    /// Measure how fast this computer runs the machine and the assembler
    Bench(bench::BenchArgs),
    /// Write the completions of a shell to the standard output
    Completions(completions::CompletionsArgs),
    /// Write the manual page (roff) to the standard output
    Man,
}

/// Options of everything that plays in the terminal.
#[derive(Debug, Clone, Args)]
pub struct LiveArgs {
    /// Seed of the random numbers; a new one each time unless given
    #[arg(long, value_name = "N", value_parser = number::argument32, allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Folder that is the machine's disk, instead of the one in your data folder
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    /// How fast machine time passes: auto, real, max, or N times real
    #[arg(long, value_name = "SPEED", default_value = "auto", allow_negative_numbers = true)]
    pub speed: Speed,
    /// Show no colours: bold, dim and underlined text instead, as with NO_COLOR
    #[arg(long, visible_alias = "no-color")]
    pub no_colour: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// How instructions are executed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct EngineArgs {
    /// How instructions are executed, which changes nothing but speed: plain, fast, jit, or auto,
    /// the fastest of them
    #[arg(long, value_name = "ENGINE", default_value_t, value_parser = engine)]
    pub engine: Engine,
    /// How many units jit lets pass in code for each of its instructions before it compiles it; 0
    /// compiles everything
    #[arg(long, value_name = "UNITS", hide = true)]
    pub patience: Option<u32>,
}

/// An engine for clap that this build has.
fn engine(text: &str) -> Result<Engine, String> {
    let engine: Engine = text.parse().map_err(|error: NoSuchEngine| error.to_string())?;
    match engine.is_built_in() {
        true => Ok(engine),
        false => Err(format!("this vc3 was built without the engine {engine}")),
    }
}

/// Options of every run that a script may begin.
#[derive(Debug, Clone, Args)]
pub struct MachineArgs {
    /// Keys that the program receives: `jjl<Left><Enter><Esc><C-p>`, `<<` for `<`
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub keys: Option<String>,
    /// Stop after N units of machine time (exit code 75)
    #[arg(long, value_name = "N", value_parser = number::argument, allow_negative_numbers = true)]
    pub max: Option<u64>,
    /// Seed of the random numbers; 1 unless given, another each time when `play` has a terminal
    #[arg(long, value_name = "N", value_parser = number::argument32, allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Folder that is the machine's disk; unless given none, and when `play` has a terminal the
    /// one in your data folder
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,
    /// Stop with a fault where bytes are executed that were never written or that the program
    /// wrote over, and where a queue's neighbours do not link back
    #[arg(long)]
    pub sanitize: bool,
}

/// The program's arguments.
#[derive(Debug, Clone, Args)]
pub struct ProgramArgs {
    /// The program's arguments, such as -debug; put -- before those that begin with --
    #[arg(value_name = "ARGS", value_parser = program_argument)]
    pub args: Vec<String>,
}

/// Stands before a word that is the program's although it begins with `-`.
const PROGRAMS_OWN: char = '\u{1}';

/// The command line, with words such as `-debug` that are no options of vc3
/// marked as the program's own where a program takes arguments.
///
/// # Errors
/// An option with one `-` too few, which would else be the program's, or
/// `-h` with letters that nobody would look at.
pub fn with_program_words(
    args: impl Iterator<Item = OsString>,
) -> Result<Vec<OsString>, clap::Error> {
    let mut args: Vec<OsString> = args.collect();
    let mut cli = Cli::command();
    let subcommand = args.get(1).and_then(|name| cli.find_subcommand(name)).cloned();
    let start = if subcommand.is_some() { 2 } else { 1 };
    let command = subcommand.unwrap_or_else(|| cli.clone());
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    for at in start..end {
        let is_value = args[at - 1].to_str().is_some_and(|word| wants_value(&command, word));
        let Some(word) = args[at].to_str().filter(|_| !is_value) else { continue };
        if let Some(tip) = slip(&command, word) {
            let message = format!("unexpected argument '{word}' found\n\n  tip: {tip}");
            return Err(cli.error(ErrorKind::UnknownArgument, message));
        }
        if takes_program_words(&command) && is_no_option(&command, word) {
            args[at] = format!("{PROGRAMS_OWN}{word}").into();
        }
    }
    Ok(args)
}

/// What was meant by a word that begins with one `-`, if it is a slip.
fn slip(command: &clap::Command, word: &str) -> Option<String> {
    let name = word.strip_prefix('-').filter(|name| name.len() > 1 && !name.starts_with('-'))?;
    let own = if takes_program_words(command) {
        format!("; if it is the program's, put -- before it: '-- {word}'")
    } else {
        String::new()
    };
    let known = ["help", "version"].into_iter();
    let mut known = known.chain(command.get_arguments().filter_map(clap::Arg::get_long));
    let long = name.split_once('=').map_or(name, |(name, _)| name);
    if known.any(|known| known == long) {
        return Some(format!("write '-{word}'{own}"));
    }
    let first = &name[..name.chars().next()?.len_utf8()];
    let looks_alone = matches!(first, "h" | "V") && !takes_program_words(command);
    looks_alone.then(|| format!("'-{first}' stands by itself"))
}

fn takes_program_words(command: &clap::Command) -> bool {
    command.get_positionals().any(|arg| arg.get_id() == "args")
}

/// Whether the word after `word` is the value of an option.
fn wants_value(command: &clap::Command, word: &str) -> bool {
    let mut valued = command.get_arguments().filter(|arg| arg.get_action().takes_values());
    valued.any(|arg| {
        let long = arg.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long));
        long || arg.get_short().is_some_and(|short| word == format!("-{short}"))
    })
}

/// Whether a word begins with one `-` and a letter that is no short option.
fn is_no_option(command: &clap::Command, word: &str) -> bool {
    let first = word.strip_prefix('-').and_then(|rest| rest.chars().next());
    first.is_some_and(|letter| {
        let mut shorts = command.get_arguments().filter_map(clap::Arg::get_short);
        let is_ours = word.len() == 2 && "hV".contains(letter);
        letter != '-' && !is_ours && !shorts.any(|short| short == letter)
    })
}

fn program_argument(word: &str) -> Result<String, String> {
    Ok(word.strip_prefix(PROGRAMS_OWN).unwrap_or(word).to_string())
}

/// What a headless run prints when it has ended.
#[derive(Debug, Clone, Args)]
pub struct PrintArgs {
    /// Print the screen afterwards
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub screen: Option<ScreenFormat>,
    /// Print the registers afterwards, as one line of JSON
    #[arg(long)]
    pub regs: bool,
    /// Print LEN bytes of memory from ADDR on afterwards; may be given several times
    #[arg(long, value_name = "ADDR:LEN", allow_hyphen_values = true)]
    pub dump: Vec<DumpRange>,
}

/// How sources are assembled before they run, and how an image may lie.
#[derive(Debug, Clone, Args)]
pub struct SourceArgs {
    /// Define a constant for the sources; 1 when no value is given
    #[arg(short = 'D', long = "define", value_name = "NAME=V", value_parser = define)]
    pub defines: Vec<(String, i128)>,
    /// Folder to search for included files, after the including file's own
    #[arg(short = 'I', long = "include", value_name = "DIR", value_parser = include_folder())]
    pub include_dirs: Vec<PathBuf>,
    /// Allow the image in the kernal's area, $010100 to $01DBFF
    #[arg(long)]
    pub kernal: bool,
}

/// A folder for clap that has to be there.
pub fn include_folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|folder| match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(folder),
        Ok(_) => Err("it is a file, not a folder".to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("there is no such folder".to_string())
        }
        Err(error) => Err(error.to_string()),
    })
}

impl SourceArgs {
    /// The assembler's options for these arguments.
    pub fn options(&self) -> sda::Options {
        sda::Options::of_sources(&self.defines, &self.include_dirs, self.kernal)
    }
}

/// How fast machine time passes in the terminal. It changes no result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// Computing runs flat out, waiting for keys and frames is in real time.
    Auto,
    /// Machine time passes at this multiple of the standard rate.
    Times(f64),
    /// Nothing is waited for but keys.
    Max,
}

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Speed, String> {
        match text {
            "auto" => Ok(Speed::Auto),
            "real" => Ok(Speed::Times(1.0)),
            "max" => Ok(Speed::Max),
            _ => {
                let times: Option<f64> = text.parse().ok();
                times.filter(|times| (0.01..=1000.0).contains(times)).map(Speed::Times).ok_or_else(
                    || "speeds are auto, real, max and numbers from 0.01 to 1000".into(),
                )
            }
        }
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Speed::Auto => f.write_str("auto"),
            Speed::Max => f.write_str("max"),
            Speed::Times(times) if *times == 1.0 => f.write_str("real"),
            Speed::Times(times) => write!(f, "{times}"),
        }
    }
}

/// Bytes of memory to print: where and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpRange {
    /// The first byte's address.
    pub start: u32,
    /// How many bytes; the last one lies below 2^24.
    pub length: u32,
}

impl FromStr for DumpRange {
    type Err = String;

    fn from_str(text: &str) -> Result<DumpRange, String> {
        let parts = text.split_once(':');
        let numbers = parts.and_then(|(a, l)| Some((number::parse(a)?, number::parse(l)?)));
        let (start, length) = numbers.ok_or("write ADDR:LEN, such as $020100:32 or 0xF00000:80")?;
        let end =
            start.checked_add(length).filter(|&end| end <= isa::memory_map::MEMORY_SIZE as u64);
        match end {
            Some(_) => Ok(DumpRange { start: start as u32, length: length as u32 }),
            None => Err("memory ends at $FFFFFF".to_string()),
        }
    }
}

/// A constant `NAME=V` for clap.
pub fn define(text: &str) -> Result<(String, i128), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '?');
    if !starts || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '?') {
        return Err("write NAME=V, where NAME is letters, digits, `_`, `?`, no digit first".into());
    }
    let (negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let magnitude = number::parse(digits)
        .map(i128::from)
        .ok_or_else(|| format!("`{value}` is no number; write 255, $FF, 0xFF, %11111111 or -1"))?;
    Ok((name.to_string(), if negative { -magnitude } else { magnitude }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn words_of_the_program() {
        let parse = |line: &str| {
            let words = line.split(' ').map(OsString::from);
            match with_program_words(words).and_then(Cli::try_parse_from) {
                Ok(Cli { command: Some(Command::Run(run)), .. }) => Ok(run.args.args),
                Ok(_) => panic!("{line} is no run"),
                Err(error) => Err(error.kind()),
            }
        };
        let words = |line: &str| Ok(line.split(' ').map(String::from).collect());
        assert_eq!(parse("vc3 run a -debug --headless x -y"), words("-debug x -y"));
        assert_eq!(parse("vc3 run --headless a -d --seed 3 -DX -I ."), words("-d"));
        assert_eq!(parse("vc3 run a -1 -- --x -y"), words("-1 --x -y"));
        assert_eq!(parse("vc3 run --keys -x a -z"), words("-z"));
        assert_eq!(parse("vc3 run a -hard -Vx"), words("-hard -Vx"));
        assert_eq!(parse("vc3 run a -- -headless"), words("-headless"));
        assert_eq!(parse("vc3 run --keys -headless a -z"), words("-z"));
        assert_eq!(parse("vc3 run a --seed -3"), Err(ErrorKind::ValueValidation));
        assert_eq!(parse("vc3 run a --headles"), Err(ErrorKind::UnknownArgument));
        assert_eq!(parse("vc3 run a -h"), Err(ErrorKind::DisplayHelp));
    }

    #[test]
    fn one_dash_before_a_long_option_is_a_slip() {
        let slip = |line: &str| {
            let error = with_program_words(line.split(' ').map(OsString::from)).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        };
        let text = slip("vc3 run a -headless");
        assert!(text.contains("write '--headless'; if it is the program's"), "{text}");
        assert!(slip("vc3 run a -seed=3").contains("write '--seed=3'"));
        assert!(slip("vc3 asm a -list x").contains("write '--list'\n"));
        assert!(slip("vc3 asm -hx").contains("'-h' stands by itself"));
        assert!(slip("vc3 -help").contains("write '--help'"));
        assert!(slip("vc3 -Version").contains("'-V' stands by itself"));
    }

    #[test]
    fn speeds() {
        assert_eq!("auto".parse(), Ok(Speed::Auto));
        assert_eq!("real".parse(), Ok(Speed::Times(1.0)));
        assert_eq!("2.5".parse(), Ok(Speed::Times(2.5)));
        for wrong in ["", "0", "-1", "fast", "NaN", "inf", "1001"] {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn engines() {
        assert_eq!(engine("plain"), Ok(Engine::Plain));
        assert_eq!(engine("auto"), Ok(Engine::default()));
        assert!(engine("quick").unwrap_err().contains("plain, fast, jit and auto"));
        match Engine::Jit.is_built_in() {
            true => assert_eq!(engine("jit"), Ok(Engine::Jit)),
            false => assert!(engine("jit").unwrap_err().contains("built without")),
        }
    }

    #[test]
    fn dump_ranges() {
        let range = |start, length| Ok(DumpRange { start, length });
        assert_eq!("$020100:32".parse(), range(0x020100, 32));
        assert_eq!("0xFFFFF0:0x10".parse(), range(0xFFFFF0, 16));
        assert_eq!("0:0".parse(), range(0, 0));
        for wrong in ["", "1", "1:", ":1", "1:2:3", "$FFFFFF:2", "0:$1000001", "-1:2"] {
            assert!(wrong.parse::<DumpRange>().is_err(), "{wrong}");
        }
        let overflow = format!("{}:{}", u64::MAX, u64::MAX);
        assert!(overflow.parse::<DumpRange>().is_err());
    }

    #[test]
    fn defines() {
        assert_eq!(define("A=$10"), Ok(("A".into(), 16)));
        assert_eq!(define("DEBUG"), Ok(("DEBUG".into(), 1)));
        assert_eq!(define("_x?=-5"), Ok(("_x?".into(), -5)));
        for wrong in ["", "=1", "1A=2", "A B=1", "A=", "A=x", "A=--1"] {
            assert!(define(wrong).is_err(), "{wrong}");
        }
    }
}
