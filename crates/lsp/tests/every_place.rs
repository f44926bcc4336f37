//! Our own library under the server: a question about every place has an
//! answer, and a program whose names are changed assembles to the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use sda::index::{Index, Role};
use serde_json::{Value, json};

/// A unit program that uses much of the language.
const PROGRAM: &str = "programs/lib/test_strings.sda";

#[test]
fn every_place_has_an_answer() {
    let folder = library();
    let mut client = Client::start(folder.path());
    let uri = uri(&folder.path().join("programs/lib/strings.sda"));
    let text = fs::read_to_string(folder.path().join("programs/lib/strings.sda")).unwrap();
    // Something unfinished at the end of every line.
    let broken: String = text.lines().map(|line| format!("{line} @.\\\"é\n")).collect();
    for text in [text, broken] {
        client.open(&uri, &text);
        for (line, words) in text.lines().enumerate().take(30) {
            for character in (0..=words.len() + 1).step_by(3) {
                let position = json!({ "line": line, "character": character });
                let place = json!({ "textDocument": { "uri": uri }, "position": position });
                for method in ["hover", "definition", "completion", "prepareRename"] {
                    client.ask(&format!("textDocument/{method}"), place.clone());
                }
            }
        }
    }
}

#[test]
fn a_program_with_other_names_has_the_same_bytes() {
    let folder = library();
    let root = folder.path().join(PROGRAM);
    let before = bytes(&root);
    let mut client = Client::start(folder.path());
    let mut renamed = 0;
    for file in ["strings.sda", "print.sda", "numbers.sda", "bios.sda"] {
        let path = folder.path().join("programs/lib").join(file);
        // Every third, to see all kinds of names; their places move.
        for at in (0..).step_by(3) {
            let text = fs::read_to_string(&path).unwrap();
            let index = Index::new(&text);
            let mut definitions =
                index.occurrences().iter().filter(|one| matches!(one.role, Role::Definition(_)));
            let Some(one) = definitions.nth(at) else { break };
            let start = text[..one.range.start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[..start].matches('\n').count();
            let position = json!({ "line": line, "character": one.range.start - start });
            let answer = client.ask(
                "textDocument/rename",
                json!({
                    "textDocument": { "uri": uri(&path) },
                    "position": position,
                    "newName": format!("renamed_{renamed}"),
                }),
            );
            if let Some(changes) = answer["result"]["changes"].as_object() {
                apply(changes);
                client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
                renamed += 1;
            }
        }
    }
    assert!(renamed >= 40, "only {renamed} names were changed");
    assert!(bytes(&root) == before, "renaming changed the program");
}

/// A copy of the library and of what its unit programs need.
fn library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let to = folder.path();
    fs::create_dir_all(to.join("programs/lib")).unwrap();
    fs::create_dir(to.join("tests")).unwrap();
    for entry in fs::read_dir(from.join("programs/lib")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join("programs/lib").join(path.file_name().unwrap())).unwrap();
    }
    fs::copy(from.join("tests/check.sda"), to.join("tests/check.sda")).unwrap();
    folder
}

fn bytes(root: &Path) -> Vec<u8> {
    let files = [root.to_path_buf()];
    let assembly = sda::assemble(&files, &sda::HostFiles, &sda::Options::default());
    let program = assembly.program;
    program.unwrap_or_else(|| panic!("{}", assembly.diagnostics.render(false))).prg()
}

/// Applies edits to the files on the disk; these are ASCII.
fn apply(changes: &serde_json::Map<String, Value>) {
    for (uri, edits) in changes {
        let path = uri.strip_prefix("file://").unwrap();
        let text = fs::read_to_string(path).unwrap();
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|one| one.1 == b'\n').map(|one| one.0 + 1))
            .collect();
        let offset = |place: &Value| {
            let number = |key| place[key].as_u64().unwrap() as usize;
            starts[number("line")] + number("character")
        };
        let mut pieces: BTreeMap<usize, (usize, &str)> = BTreeMap::new();
        for edit in edits.as_array().unwrap() {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            pieces.insert(offset(&range["start"]), (offset(&range["end"]), new));
        }
        let mut changed = text.clone();
        for (start, (end, new)) in pieces.into_iter().rev() {
            changed.replace_range(start..end, new);
        }
        fs::write(path, changed).unwrap();
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A client of a server in a thread of its own.
struct Client {
    to: Sender<Vec<u8>>,
    from: BufReader<Incoming>,
    id: i32,
}

impl Client {
    fn start(folder: &Path) -> Client {
        let (to, input) = channel();
        let (output, from) = channel();
        thread::spawn(move || {
            lsp::serve(BufReader::new(Incoming::new(input)), Outgoing(output)).unwrap()
        });
        let mut client = Client { to, from: BufReader::new(Incoming::new(from)), id: 0 };
        let options = json!({ "lint": false });
        let folder = uri(&PathBuf::from(folder));
        client.ask(
            "initialize",
            json!({ "rootUri": folder, "capabilities": {}, "initializationOptions": options }),
        );
        client
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "sda", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == self.id {
                return message;
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.to.send(message.into_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut header = Vec::new();
        while !header.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.from.read_exact(&mut byte).expect("the server goes on");
            header.push(byte[0]);
        }
        let header = String::from_utf8(header).unwrap();
        let length = header.trim().rsplit(' ').next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

/// The reading end of a stream of bytes.
struct Incoming {
    receiver: Receiver<Vec<u8>>,
    rest: io::Cursor<Vec<u8>>,
}

impl Incoming {
    fn new(receiver: Receiver<Vec<u8>>) -> Incoming {
        Incoming { receiver, rest: io::Cursor::default() }
    }
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(buffer)?;
        match read {
            0 => match self.receiver.recv() {
                Ok(more) => {
                    self.rest = io::Cursor::new(more);
                    self.rest.read(buffer)
                }
                Err(_) => Ok(0),
            },
            read => Ok(read),
        }
    }
}

/// The writing end.
struct Outgoing(Sender<Vec<u8>>);

impl Write for Outgoing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send(bytes.to_vec()).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
