//! `vc3 asm --watch`: assembling again when a file changes, until Ctrl-C.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::Folder;

/// A watching assembler with what it says, line by line.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(folder: &Folder, args: &[&str]) -> Watching {
        let mut command = folder.command(args);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("vc3 starts");
        let (sender, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Watching { child, lines }
    }

    /// The lines up to one that has `text` in it.
    fn until(&self, text: &str) -> String {
        let mut seen = String::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(30));
            let line = line.unwrap_or_else(|_| panic!("no {text:?} in:\n{seen}"));
            seen += &line;
            seen.push('\n');
            if line.contains(text) {
                return seen;
            }
        }
    }

    fn interrupt(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
        self.child.wait().expect("vc3 ends").code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_file_that_was_read_is_watched_and_errors_end_nothing() {
    let folder = Folder::with(&[
        ("a.sda", "    .include \"lib/inc.sda\"\n    .incbin \"data.bin\"\n"),
        ("lib/inc.sda", "    .bytes 1\n"),
        ("data.bin", "xy"),
    ]);
    let watching = Watching::start(&folder, &["asm", "a.sda", "--format", "raw"]);
    drop(watching);
    let watching = Watching::start(&folder, &["asm", "a.sda", "--format", "raw", "--watch"]);
    watching.until("vc3: a.bin: 3 bytes; watching 3 files");
    assert_eq!(folder.read("a.bin"), b"\x01xy");

    folder.write("lib/inc.sda", "    .bytes 1, 2\n");
    let said = watching.until("a.bin: 4 bytes");
    assert!(said.starts_with("vc3: lib/inc.sda changed\n"), "{said}");
    assert_eq!(folder.read("a.bin"), b"\x01\x02xy");

    folder.write("data.bin", "z");
    watching.until("data.bin changed");
    watching.until("a.bin: 3 bytes");

    // An error leaves the program as it was, and a missing file is awaited.
    folder.write("lib/inc.sda", "    .bytes 300\n    .include \"new.sda\"\n");
    let said = watching.until("vc3: 2 errors; watching");
    assert!(said.contains("error[E0304]") && said.contains("error[E0501]"), "{said}");
    assert_eq!(folder.read("a.bin"), b"\x01\x02z");
    folder.write("lib/new.sda", "    .bytes 3\n");
    watching.until("vc3: 1 error; watching");

    // Editors write another file and rename it.
    folder.write("lib/inc.tmp", "    .bytes 7\n");
    std::fs::rename(folder.path("lib/inc.tmp"), folder.path("lib/inc.sda")).expect("renamed");
    watching.until("a.bin: 2 bytes");
    assert_eq!(folder.read("a.bin"), b"\x07z");

    assert_eq!(watching.interrupt(), Some(0));
    assert_eq!(folder.names(), ["a.bin", "a.sda", "data.bin", "lib"]);
}

#[test]
fn an_output_that_cannot_be_written_ends_nothing() {
    let folder = Folder::with(&[("a.sda", "    RET\n")]);
    let watching = Watching::start(&folder, &["asm", "a.sda", "-o", "out/a.prg", "--watch"]);
    watching.until("cannot write out/a.prg: there is no folder out");
    watching.until("nothing written; watching 1 file");
    std::fs::create_dir(folder.path("out")).expect("a folder");
    folder.write("a.sda", "    NOP\n    RET\n");
    watching.until("out/a.prg: 2 bytes");
    assert_eq!(watching.interrupt(), Some(0));
}
