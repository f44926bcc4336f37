//! `vc3 asm` and input that is no program: one clear error each, in bounded
//! time and memory, exit code 1, and no file left behind.

mod support;

use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use support::{Folder, Outcome};

/// Longer than any of these takes on a busy host, shorter than a hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// Assembles `a.sda`, which fails with `errors` errors and makes no file.
#[track_caller]
fn fails(folder: &Folder, errors: usize) -> Outcome {
    let before = folder.names();
    let begun = Instant::now();
    let outcome = folder.run(&["asm", "a.sda"]).ends_with(1);
    assert!(begun.elapsed() < PATIENCE, "it took {:?}", begun.elapsed());
    let said = outcome.err.lines().filter(|line| line.contains(": error[")).count();
    assert_eq!(said, errors, "{}", &outcome.err[..outcome.err.len().min(4000)]);
    assert_eq!(folder.names(), before);
    outcome
}

fn with(source: &str) -> Folder {
    Folder::with(&[("a.sda", source)])
}

#[test]
fn ten_thousand_parentheses() {
    let open = "(".repeat(10_000);
    let close = ")".repeat(10_000);
    fails(&with(&format!("    LDA {open}1{close}\n")), 1).says(&["E0205"]);
    fails(&with(&format!("    LDA {open}\n")), 1).says(&["E0205"]);
    fails(&with(&format!("    LDA {}1\n", "-".repeat(10_000))), 1).says(&["E0205"]);
    fails(&with(&format!("    LDA [{}", "[".repeat(10_000))), 1).says(&["E0201"]);
}

#[test]
fn ten_thousand_includes_within_each_other() {
    let folder = with("    .include \"1.sda\"\n");
    for number in 1..10_000 {
        folder.write(&format!("{number}.sda"), format!("    .include \"{}.sda\"\n", number + 1));
    }
    fails(&folder, 1).says(&["E0503", "99.sda", "included here", "more between"]);
}

#[test]
fn ten_thousand_includes_one_after_the_other_are_fine() {
    let folder = with(&"    .include \"one.sda\"\n".repeat(10_000));
    folder.write("one.sda", "    NOP\n");
    folder.run(&["asm", "a.sda", "--format", "raw"]).ends_with(0);
    assert_eq!(folder.read("a.bin").len(), 10_000);
}

#[test]
fn blocks_within_each_other_ten_thousand_times() {
    let ifs = ".if 1\n".repeat(10_000);
    folder_with_ends(&ifs, ".endif\n");
    fails(&with(&format!("{}.endr\n", ".rept 1\n".repeat(10_000))), 1).says(&["E0507"]);
    fails(&with(&".macro m\n".repeat(10_000)), 1).says(&["E0507"]);
}

/// What is closed again is fine.
fn folder_with_ends(begin: &str, end: &str) {
    let count = begin.lines().count();
    let folder = with(&format!("{begin}    NOP\n{}", end.repeat(count)));
    folder.run(&["asm", "a.sda"]).ends_with(0);
}

#[test]
fn macros_without_an_end() {
    fails(&with(".macro m\n    m\n.endm\n    m\n"), 1).says(&["E0503"]);
    fails(&with(".macro m\n    m\n    m\n.endm\n    m\n"), 1).says(&["E0503"]);
    fails(&with(".macro a\n    b\n.endm\n.macro b\n    a\n.endm\n    a\n"), 1).says(&["E0503"]);
    fails(&with(".macro m x\n    m \\x + \\x\n.endm\n    m 1\n"), 1);
    fails(&with(".rept 1 << 60\n    NOP\n.endr\n"), 1).says(&["E0509"]);
    let nested = format!("{}    NOP\n{}", ".rept 1000\n".repeat(9), ".endr\n".repeat(9));
    fails(&with(&nested), 1).says(&["E0509"]);
}

#[test]
fn constants_that_grow_without_an_end() {
    let mut chain = String::from("C0 = 1\n");
    for number in 1..100_000 {
        let _ = writeln!(chain, "C{number} = C{} + C{}", number - 1, number - 1);
    }
    fails(&with(&chain), 1).says(&["E0306"]);
    let ring: String = (0..50_000).map(|n| format!("C{n} = C{}\n", (n + 1) % 50_000)).collect();
    fails(&with(&ring), 1).says(&["E0303"]);
}

#[test]
fn files_that_are_no_text() {
    let folder = Folder::new();
    folder.write("a.sda", [0x7F, b'E', b'L', b'F', 2, 1, 1, 0, 0xFF, 0xFE, 0, 0]);
    fails(&folder, 1).says(&["a.sda:1:9: error[E0101]: the source is not UTF-8"]);
    let utf16: Vec<u8> = "\u{FEFF}    NOP\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("a.sda", utf16);
    fails(&folder, 1).says(&["E0101"]);
    folder.write("a.sda", [0; 100_000]);
    fails(&folder, 1).says(&["E0102", "U+0000"]);
    folder.write("a.sda", vec![b'A'; 5 << 20]);
    fails(&folder, 1).says(&["E0202"]);
    folder.write("a.sda", vec![0; (128 << 20) + 1]);
    fails(&folder, 1).says(&["E0109", "128 MB"]);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    fails(&folder, 1).says(&["a.sda:1:1: error[E0109]: cannot be read: there is no such file"]);
    std::fs::create_dir(folder.path("a.sda")).expect("a folder");
    fails(&folder, 1).says(&["error[E0109]: cannot be read: it is a folder"]);
    for name in [".", "..", "/"] {
        folder.run(&["asm", name]).ends_with(1).says(&["error[E0109]", "it is a folder"]);
    }
    let folder = with("    .include \"folder\"\n    .incbin \"none\"\n");
    std::fs::create_dir(folder.path("folder")).expect("a folder");
    fails(&folder, 2).says(&["`folder` is a folder", "there is no file `none`"]);
}

#[test]
#[cfg(unix)]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with("    NOP\n");
    let nobody = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(folder.path("a.sda"), nobody).expect("permissions");
    // The superuser reads everything.
    if std::fs::read(folder.path("a.sda")).is_err() {
        fails(&folder, 1).says(&["error[E0109]: cannot be read: "]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn files_without_an_end_and_full_disks() {
    let folder = with("    .incbin \"/dev/zero\"\n");
    fails(&folder, 1).says(&["`/dev/zero` is no ordinary file"]);
    folder.run(&["asm", "/dev/zero", "-o", "x"]).ends_with(1).says(&["E0109", "128 MB"]);
    folder.write("a.sda", "    NOP\n");
    let outcome = folder.run(&["asm", "a.sda", "-o", "/dev/full"]).ends_with(1);
    outcome.says(&["vc3: cannot write /dev/full: No space left on device"]);
    assert_eq!(folder.names(), ["a.sda"]);
}

/// Opening it would wait for a writer without an end.
#[test]
#[cfg(target_os = "linux")]
fn a_pipe_is_read_when_somebody_writes_to_it() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path("a.sda")).status().expect("mkfifo");
    assert!(made.success());
    fails(&folder, 1).says(&["error[E0109]: cannot be read: it is a pipe that nobody writes to"]);
    let writing = "(echo '    NOP' > a.sda) & exec \"$0\" asm a.sda";
    let mut command = Command::new("sh");
    command.args(["-c", writing, env!("CARGO_BIN_EXE_vc3")]).current_dir(folder.root());
    support::outcome(&command.output().expect("sh")).ends_with(0);
    assert!(folder.read("a.prg").ends_with(&[0x8D]));
}

/// A file that grows beyond what the process may write stands for a disk that
/// is full half-way.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_is_full_half_way_leaves_the_old_file() {
    let folder = with("    .address $030000\n    .fill 900_000, 1\n");
    folder.write("a.prg", "old");
    let limited =
        format!("ulimit -f 100; trap '' XFSZ; exec {} asm a.sda", env!("CARGO_BIN_EXE_vc3"));
    let mut command = Command::new("sh");
    let output = command.args(["-c", &limited]).current_dir(folder.root()).output().expect("sh");
    support::outcome(&output).ends_with(1).says(&["vc3: cannot write a.prg: "]);
    assert_eq!(folder.text("a.prg"), "old");
    assert_eq!(folder.names(), ["a.prg", "a.sda"]);
}

#[test]
fn lines_of_any_length() {
    let many = format!("    .bytes {}1\n", "1, ".repeat(400_000));
    let folder = with(&format!("    .address $030000\n{many}"));
    folder.run(&["asm", "a.sda", "--format", "raw"]).ends_with(0);
    assert_eq!(folder.read("a.bin").len(), 400_001);
    fails(&with(&format!("    .bytes {}1\n", "1, ".repeat(600_000))), 1).says(&["E0509"]);
    let long = with(&format!("{}: NOP\n    JMP {}\n", "x".repeat(1 << 20), "x".repeat(1 << 20)));
    long.run(&["asm", "a.sda"]).ends_with(0);
}

#[test]
fn very_many_errors_are_cut_off() {
    let folder = with(&"    LDAL 300\n".repeat(30_000));
    let outcome = fails(&folder, 10_000);
    outcome.says(&["there are too many errors"]);
}
