//! The real `vc3` in a folder of its own, and what it says.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder with files, in which commands are run.
pub struct Folder(TempDir);

/// How a command ended and what it wrote.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The names of the engines that this build has.
pub fn engines() -> impl Iterator<Item = &'static str> {
    let built_in = sd8516::Engine::ALL.into_iter().filter(|engine| engine.is_built_in());
    built_in.map(sd8516::Engine::name)
}

/// What is the same on each engine.
#[track_caller]
pub fn on_each_engine<T: PartialEq + std::fmt::Debug>(run: impl Fn(&'static str) -> T) -> T {
    let mut answers = engines().map(|engine| (engine, run(engine)));
    let (_, first) = answers.next().expect("the plain engine");
    for (engine, answer) in answers {
        assert_eq!(answer, first, "{engine}");
    }
    first
}

/// Options for each engine; the one that compiles compiles everything.
pub fn engine_options() -> impl Iterator<Item = Vec<&'static str>> {
    engines().map(|engine| match engine {
        "jit" => vec!["--engine", engine, "--patience", "0"],
        _ => vec!["--engine", engine],
    })
}

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (name, content) in files {
            folder.write(name, content);
        }
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).expect("the folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        names.sort();
        names
    }

    /// `vc3` with these arguments, in this folder, without a terminal.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vc3"));
        command
            .args(args)
            .current_dir(self.root())
            .env("XDG_DATA_HOME", self.path("data"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Outcome {
        let output = self.command(args).output().expect("vc3 starts");
        outcome(&output)
    }
}

pub fn outcome(output: &Output) -> Outcome {
    Outcome {
        code: output.status.code().expect("vc3 ends by itself"),
        out: String::from_utf8(output.stdout.clone()).expect("UTF-8 on the standard output"),
        err: String::from_utf8(output.stderr.clone()).expect("UTF-8 on the standard error"),
    }
}

impl Outcome {
    /// Checks the exit code, showing what was said when it is another.
    #[track_caller]
    pub fn ends_with(self, code: i32) -> Outcome {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Checks that the standard error has all of these in it.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Outcome {
        for text in texts {
            assert!(self.err.contains(text), "no {text:?} in:\n{}", self.err);
        }
        self
    }
}
