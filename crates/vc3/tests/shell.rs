//! The shell, played by keys on the real binary, its screens compared:
//! commands on files and the machine, programs that end well and badly.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use insta::assert_snapshot;
use tempfile::TempDir;

mod support;

const VC3: &str = env!("CARGO_BIN_EXE_vc3");

fn shell_source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/shell/shell.sda")
}

/// A disk folder with a text and three programs on it.
fn disk() -> TempDir {
    let disk = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(disk.path().join(name), text).unwrap();
    write("README.TXT", "First line.\r\nSecond\tline.\n\x01 is no letter.\n");
    assemble(
        disk.path(),
        "HELLO.PRG",
        "    LDELM @text\n    LDAH $18\n    INT $10\n    LDELM $020000\n    LDAH $18\n    INT $10\n    \
         RET\ntext: .asciiz \"Hello, \"\n",
    );
    assemble(
        disk.path(),
        "BREAK.PRG",
        "    LDB $4711\n    LDAH $12\n    LDAL $4F\n    INT $10\n    .bytes 255\n",
    );
    // Leaves as much as it can changed: mode, palette, colour, cursor, VSTOP,
    // a vector, the character ROM.
    assemble(
        disk.path(),
        "MESS.PRG",
        "    LDAH 0\n    LDAL 6\n    INT $10\n    LDAH $1D\n    LDAL 4\n    INT $10\n    LDAH $12\n    \
         LDAL $1E\n    INT $10\n    LDAH 1\n    LDAL 0\n    INT $10\n    LDELM $123456\n    \
         STELM [$01E900 + 3 * $10]\n    STELM [$01E208]\n    LDAL 'm'\n    STAL [$F00000 + 81]\n    \
         LDA 7\n    INT $20\n",
    );
    disk
}

fn assemble(disk: &Path, name: &str, source: &str) {
    let file = TempDir::new().unwrap();
    let path = file.path().join("program.sda");
    std::fs::write(&path, source).unwrap();
    let output =
        Command::new(VC3).arg("asm").arg(&path).arg("-o").arg(disk.join(name)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Boots the shell on `disk`, types `keys`: the same is written to the screen and
/// to the disk on each engine.
fn run(disk: &Path, arguments: &[&str], keys: &str, print: &[&str]) -> Output {
    let before = files(disk);
    let (output, after) = support::on_each_engine(|engine| {
        let own = TempDir::new().unwrap();
        write_all(own.path(), &before);
        let output = run_on(engine, own.path(), arguments, keys, print);
        (output, files(own.path()))
    });
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        std::fs::remove_file(disk.join(name)).unwrap();
    }
    write_all(disk, &after);
    output
}

fn run_on(engine: &str, disk: &Path, arguments: &[&str], keys: &str, print: &[&str]) -> Output {
    Command::new(VC3)
        .args(["run", "--kernal", "--headless", "--keys", keys, "--max", "100000000", "--disk"])
        .arg(disk)
        .args(["--engine", engine])
        .args(print)
        .arg(shell_source())
        .arg("--")
        .args(arguments)
        .output()
        .unwrap()
}

/// The files of a disk, by their names.
fn files(disk: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = std::fs::read_dir(disk).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap())).collect()
}

fn write_all(disk: &Path, files: &BTreeMap<OsString, Vec<u8>>) {
    for (name, bytes) in files {
        std::fs::write(disk.join(name), bytes).unwrap();
    }
}

/// The screen after `keys`, trailing blanks and the rows below left out.
fn screen(disk: &Path, keys: &str) -> String {
    screen_with(disk, &[], keys)
}

fn screen_with(disk: &Path, arguments: &[&str], keys: &str) -> String {
    let output = run(disk, arguments, keys, &["--screen", "text"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
    rows.join("\n").trim_end().to_string()
}

#[test]
fn boots_to_a_banner_and_a_prompt() {
    assert_snapshot!(screen(disk().path(), ""));
}

#[test]
fn lists_the_commands() {
    assert_snapshot!(screen(disk().path(), "help<Enter>help dir<Enter>help me<Enter>"));
}

#[test]
fn lists_the_files() {
    assert_snapshot!(screen(disk().path(), "dir<Enter>dir *.txt<Enter>DIR ?e*<Enter>dir x<Enter>"));
}

#[test]
fn shows_a_text() {
    assert_snapshot!(screen(disk().path(), "type readme.txt<Enter>type none<Enter>type<Enter>"));
}

#[test]
fn a_long_text_waits_after_each_screenful() {
    let disk = disk();
    let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
    std::fs::write(disk.path().join("LONG.TXT"), text).unwrap();
    let first = screen(disk.path(), "type long.txt<Enter>");
    assert!(first.ends_with("line 24\n-- more --"), "{first}");
    let second = screen(disk.path(), "type long.txt<Enter> ");
    assert!(second.ends_with("line 48\n-- more --"), "{second}");
    let one_more = screen(disk.path(), "type long.txt<Enter><Enter>");
    assert!(one_more.ends_with("line 25\n-- more --"), "{one_more}");
    let stopped = screen(disk.path(), "type long.txt<Enter>q");
    assert!(stopped.ends_with("line 24\n>"), "{stopped}");
    let all = screen(disk.path(), "type long.txt<Enter>  ver<Enter>");
    assert!(all.contains("line 60\n> ver\n"), "{all}");
}

#[test]
fn a_long_directory_waits_too() {
    let disk = TempDir::new().unwrap();
    for number in 0..30 {
        std::fs::write(disk.path().join(format!("F{number:02}")), "").unwrap();
    }
    let first = screen(disk.path(), "dir<Enter>");
    assert!(first.lines().nth(23).unwrap().starts_with("F23 "), "{first}");
    assert!(first.ends_with("-- more --"), "{first}");
    let rest = screen(disk.path(), "dir<Enter> ");
    assert!(rest.ends_with("30 files, 0 bytes\n>"), "{rest}");
    let stopped = screen(disk.path(), "dir<Enter><Esc>ver<Enter>");
    assert!(!stopped.contains("F24") && stopped.ends_with("shell 1.0\n>"), "{stopped}");
}

#[test]
fn a_row_that_is_full_counts_once() {
    let disk = disk();
    // 23 rows of 80 characters without a line end, then a short one.
    std::fs::write(disk.path().join("WIDE.TXT"), "w".repeat(80 * 23) + "end\n").unwrap();
    let shown = screen(disk.path(), "type wide.txt<Enter>");
    assert!(shown.ends_with("end\n-- more --"), "{shown}");
}

#[test]
fn deletes_renames_and_copies() {
    let disk = disk();
    assert_snapshot!(screen(
        disk.path(),
        "copy readme.txt a.txt<Enter>copy readme.txt A.TXT<Enter>ren a.txt b.txt<Enter>\
         ren readme.txt B.txt<Enter>ren b.txt B.TXT<Enter>del hello.prg<Enter>del hello.prg<Enter>\
         del b/c<Enter>del<Enter>copy x y<Enter>copy x<Enter>ren B.TXT c/d<Enter>del a b<Enter>"
    ));
    let mut names: Vec<_> = std::fs::read_dir(disk.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["B.TXT", "BREAK.PRG", "MESS.PRG", "README.TXT"]);
    let read = |name: &str| std::fs::read(disk.path().join(name)).unwrap();
    assert_eq!(read("B.TXT"), read("README.TXT"));
}

#[test]
fn runs_programs_by_name() {
    assert_snapshot!(screen(disk().path(), "hello big world<Enter>"));
    assert_snapshot!(screen(disk().path(), "run HELLO.PRG you<Enter>run<Enter>run nothing<Enter>"));
}

#[test]
fn an_unknown_name_says_so() {
    assert_snapshot!(screen(disk().path(), "frobnicate 3<Enter>a/b<Enter>"));
}

#[test]
fn a_program_with_a_fault_returns_to_the_prompt() {
    let disk = disk();
    assert_snapshot!(screen(disk.path(), "break<Enter>ver<Enter>"));
}

#[test]
fn a_program_that_leaves_a_mess_returns_to_the_shells_screen() {
    let disk = disk();
    assert_snapshot!(screen(disk.path(), "mess<Enter>palette<Enter>mode<Enter>"));
    let planes = run(disk.path(), &[], "mess<Enter>ver<Enter>", &["--screen", "planes"]);
    let text = String::from_utf8(planes.stdout).unwrap();
    let colours = text.lines().skip_while(|line| *line != "colours").nth(3).unwrap();
    assert!(colours.starts_with("07 07 07"), "{colours}");
    // cursor on, glyph 65 as it was, the vector gone
    let cells = run(
        disk.path(),
        &[],
        "mess<Enter>",
        &["--dump", "$01EF0D:1", "--dump", "$01E930:3", "--dump", "$01E208:3"],
    );
    let cells = String::from_utf8(cells.stdout).unwrap();
    assert!(cells.contains("01EF0D: 01"), "{cells}");
    assert!(cells.contains("01E930: 00 00 00"), "{cells}");
    assert!(!cells.contains("56 34 12"), "{cells}");
}

#[test]
fn the_hosts_command_comes_first() {
    let disk = disk();
    assert_snapshot!(screen_with(disk.path(), &["RUN", "HELLO", "-debug"], ""));
    // and can be brought back
    let again = screen_with(disk.path(), &["HELLO", "1"], "<Up>2<Enter>");
    assert!(again.starts_with("Hello, 12\nHELP lists"), "{again}");
}

/// It was said once, after the host's first command.
#[test]
fn after_every_program_the_shell_says_how_to_go_on() {
    let screen = screen_with(disk().path(), &["HELLO"], "hello again<Enter>");
    let rows: Vec<&str> = screen.lines().collect();
    let how = "HELP lists the commands, EXIT leaves.";
    assert_eq!(rows, ["Hello, again", how, ">"]);
}

#[test]
fn looks_at_memory() {
    assert_snapshot!(screen(
        disk().path(),
        "dump $01E8F0 6<Enter>dump 0xF00000 20<Enter>dump x<Enter>dump<Enter>dump $1000000<Enter>\
         dump $FFFFFE 3<Enter>dump 0 0<Enter>dump 1 2 3<Enter>"
    ));
    assert_snapshot!(screen(disk().path(), "mem<Enter>"));
}

#[test]
fn changes_mode_and_palette() {
    let disk = disk();
    let narrow = screen(disk.path(), "mode 1<Enter>mode<Enter>dump 0 9<Enter>");
    assert_snapshot!(narrow);
    assert_snapshot!(screen(
        disk.path(),
        "mode 4<Enter>mode x<Enter>mode 1 2<Enter>palette 3<Enter>palette<Enter>palette 9<Enter>\
         palette 300<Enter>"
    ));
    let rows = |keys: &str| screen_rows(disk.path(), keys);
    assert_eq!(rows("mode 6<Enter>"), 50);
    assert_eq!(rows("mode 6<Enter>mode 2<Enter>"), 25);
    assert_eq!(screen(disk.path(), "dir<Enter>cls<Enter>"), ">");
}

fn screen_rows(disk: &Path, keys: &str) -> usize {
    let output = run(disk, &[], keys, &["--screen", "text"]);
    String::from_utf8(output.stdout).unwrap().lines().count()
}

#[test]
fn a_text_program_in_another_mode_keeps_its_text() {
    let disk = disk();
    for mode in [1, 6] {
        let shown = screen(disk.path(), &format!("mode {mode}<Enter>hello there<Enter>"));
        let rows: Vec<&str> = shown.lines().collect();
        assert_eq!(rows, ["Hello, there", "HELP lists the commands, EXIT leaves.", ">"]);
    }
}

#[test]
fn shows_the_scores() {
    let disk = disk();
    let none = screen(disk.path(), "scores<Enter>");
    assert!(none.contains("> scores\nNo scores yet"), "{none}");
    std::fs::write(disk.path().join("ROGUEIMA.SCO"), " 1  1234  Ann\n").unwrap();
    let some = screen(disk.path(), "scores<Enter>");
    assert!(some.contains("> scores\n 1  1234  Ann\n>"), "{some}");
}

#[test]
fn edits_lines_over_two_rows_at_the_bottom() {
    let disk = disk();
    let long = "x".repeat(90);
    // the prompt goes to the last row first
    let shown = screen(disk.path(), &format!("mem<Enter>mem<Enter> ver{long}"));
    let rows: Vec<&str> = shown.lines().collect();
    assert_eq!(rows.len(), 25);
    assert_eq!(rows[23], format!(">  ver{}", "x".repeat(74)));
    assert_eq!(rows[24], "x".repeat(16));
    let shown = screen(disk.path(), &format!("mem<Enter>mem<Enter>{long}<Esc>ver<Enter>"));
    assert!(shown.ends_with("> ver\nVC-3  SD-8516  shell 1.0\n>"), "{shown}");
}

#[test]
fn exits_with_a_code() {
    let disk = disk();
    let code = |keys: &str| run(disk.path(), &[], keys, &[]).status.code();
    assert_eq!(code("exit<Enter>"), Some(0));
    assert_eq!(code("exit 42<Enter>"), Some(42));
    let shown = screen(disk.path(), "exit 256<Enter>exit now<Enter>");
    assert_snapshot!(shown);
}

#[test]
fn without_a_disk_nothing_is_lost_but_files() {
    let output = Command::new(VC3)
        .args(["run", "--kernal", "--headless", "--screen", "text", "--keys"])
        .arg("dir<Enter>type a<Enter>del a<Enter>rogueima<Enter>")
        .arg(shell_source())
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert_snapshot!(rows.join("\n").trim_end());
}
