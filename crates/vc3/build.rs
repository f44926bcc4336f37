//! Assembles the programs that vc3 carries: every `programs/NAME/NAME.sda`.
//! The bytes and the symbols go into the binary; an error in a source fails
//! the build with the assembler's own message.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use sda::{HostFiles, Options, assemble};

/// The program that is a kernal: it is loaded below the others and starts
/// them.
const KERNAL: &str = "shell";

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // Paths in the symbols are relative to the workspace, whoever built it.
    let workspace = manifest.join("../..");
    env::set_current_dir(&workspace).expect("the workspace is there");
    println!("cargo::rerun-if-changed={}", workspace.join("programs").display());

    let mut table = String::from("&[\n");
    for (name, source) in sources(Path::new("programs")) {
        let program = program(&name, &source);
        let (image, symbols) = (out.join(format!("{name}.prg")), out.join(format!("{name}.json")));
        write(&image, &program.prg());
        write(&symbols, program.symbols_json().as_bytes());
        let _ = writeln!(
            table,
            "Shipped {{ name: {name:?}, kernal: {}, image: include_bytes!({image:?}), \
             symbols: include_str!({symbols:?}) }},",
            name == KERNAL,
        );
    }
    table.push(']');
    write(&out.join("shipped.rs"), table.as_bytes());
}

/// Names and root files of the programs, sorted by name.
fn sources(programs: &Path) -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir(programs).into_iter().flatten().flatten();
    let mut sources: Vec<(String, PathBuf)> = folders
        .filter_map(|folder| {
            let name = folder.file_name().into_string().ok()?;
            let source = programs.join(&name).join(format!("{name}.sda"));
            source.is_file().then_some((name, source))
        })
        .collect();
    sources.sort();
    sources
}

fn program(name: &str, source: &Path) -> sda::Program {
    let options = Options { kernal: name == KERNAL, ..Options::default() };
    let assembly = assemble(&[source.to_path_buf()], &HostFiles, &options);
    if let Some(program) = assembly.program {
        return program;
    }
    eprintln!("{}", assembly.diagnostics.render(false));
    process::exit(1)
}

fn write(path: &Path, bytes: &[u8]) {
    if let Err(error) = fs::write(path, bytes) {
        eprintln!("cannot write {}: {error}", path.display());
        process::exit(1)
    }
}
