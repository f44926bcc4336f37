//! The language server, driven as an editor drives it: recorded sessions from
//! `tests/lsp`, each a list of what is sent and what must come back.
//!
//! ```text
//! # A remark.
//! file lib/text.sda           a file on the disk, with the lines below
//! | text: RET
//! start JSON                  initialize, with these parameters
//! open main.sda               an editor opens it as it is on the disk
//! change main.sda 1:5-1:8 X   replaces a piece; `\n` is a line's end
//! save, close, delete NAME    the same of what they say
//! -> METHOD [FILE[:LINE:COLUMN]] [JSON]   a request, with more parameters
//! ~> METHOD [JSON]            a notification
//! raw TEXT                    a message that need not be JSON
//! exit                        the last message
//! <- JSON   <! ERROR   <~ NOTIFICATION   <= EXIT CODE
//! ```
//!
//! Lines and columns count from 1; in what comes back they are written `1:5`
//! and `1:5-1:8`, texts of several lines as a list, and the folder as `$ROOT` (its URI) and
//! `$FOLDER` (its path).
//! `UPDATE_SESSIONS=1` writes what came back into the file; look at it.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Map, Value, json};

#[test]
fn recorded_sessions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/lsp");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 8, "the sessions are missing");
    let mut wrong = Vec::new();
    for path in paths {
        let recorded = fs::read_to_string(&path).unwrap();
        let played = Session::play(&recorded);
        if played != recorded {
            if std::env::var_os("UPDATE_SESSIONS").is_some() {
                fs::write(&path, &played).unwrap();
            }
            wrong.push(format!("{}\n{}", path.display(), difference(&recorded, &played)));
        }
    }
    assert!(wrong.is_empty(), "sessions went otherwise:\n{}", wrong.join("\n"));
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    drop(server.input.take());
    assert_eq!(server.child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_client_that_no_longer_listens_ends_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let Server { mut child, input, output } = Server::start(folder.path());
    drop(output);
    let mut input = input.unwrap();
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    // Whether it still takes the message or is gone already.
    let _ = write!(input, "Content-Length: {}\r\n\r\n{message}", message.len());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// A program of four million statements takes the assembler seconds. What is
/// asked meanwhile is answered first, and of everything that is typed in that
/// time only the last is assembled.
#[test]
fn a_question_does_not_wait_for_the_diagnosis_of_a_macro_bomb() {
    const LAST: i64 = 40;
    let mut text =
        String::from("; What it all starts with.\nstart:\n    NOP\n.macro m0\n    NOP\n.endm\n");
    for level in 1..=10 {
        let call = format!("    m{}\n", level - 1);
        text += &format!(".macro m{level}\n{}.endm\n", call.repeat(4));
    }
    let lines = text.lines().count();
    text += "    m10\n    m10\n    m10\n    JMP nowhere\n";
    let (mut session, uri) = Session::about(&text);
    for version in 2..=LAST {
        let place = json!({ "line": lines + 3, "character": 15 });
        let changes = json!([{ "range": { "start": place, "end": place }, "text": "x" }]);
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        session.send("textDocument/didChange", params);
    }
    let place = json!({ "line": 1, "character": 2 });
    let params = json!({ "textDocument": { "uri": uri }, "position": place });
    let answer = session.request("textDocument/hover", params);
    let said = answer["result"]["contents"]["value"].as_str().unwrap();
    assert!(said.contains("What it all starts with."), "{said}");
    assert!(!session.out.contains("publishDiagnostics"), "{}", session.out);
    // The first thing that is said is about the last text.
    let message = session.server.receive();
    assert_eq!(message["method"], "textDocument/publishDiagnostics");
    assert_eq!(message["params"]["version"], LAST);
    let found = message["params"]["diagnostics"].to_string();
    assert!(found.contains(&format!("nowhere{}", "x".repeat(LAST as usize - 1))), "{found}");
}

/// A client need not wait for anything: what it asks right behind a change is
/// answered of the changed program, in order.
#[test]
fn a_question_right_behind_a_change_is_about_the_changed_program() {
    let (mut session, uri) = Session::about(".equ SIZE 5\n    LDA SIZE\n    RET\n");
    for version in 2..6 {
        let place = json!({ "line": 0, "character": 11 });
        let changes = json!([{ "range": { "start": place, "end": place }, "text": "0" }]);
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        session.send("textDocument/didChange", params);
        let place = json!({ "line": 1, "character": 5 });
        let params = json!({ "textDocument": { "uri": uri }, "position": place });
        let hover = json!({
            "jsonrpc": "2.0", "id": format!("hover {version}"), "method": "textDocument/hover",
            "params": params
        });
        session.server.send(&hover);
    }
    session.server.send(&json!({ "jsonrpc": "2.0", "id": "end", "method": "shutdown" }));
    let mut answers = Vec::new();
    loop {
        let message = session.server.receive();
        match message["id"].as_str() {
            Some("end") => break,
            Some(_) => answers.push(message),
            None => {}
        }
    }
    assert_eq!(answers.len(), 4);
    for (answer, (version, low)) in answers.iter().zip([(2, "32"), (3, "F4"), (4, "88"), (5, "50")])
    {
        assert_eq!(answer["id"], format!("hover {version}"));
        let said = answer["result"]["contents"]["value"].as_str().unwrap();
        assert!(said.contains(&format!("Here: `00 00 {low} ")), "{version}: {said}");
    }
}

/// Code actions wait for what is found; when the text changes before that, the
/// client is told to ask again.
#[test]
fn what_was_asked_about_an_older_text_is_refused() {
    let (mut session, uri) = Session::about(".rept 4000000\n    NOP\n.endr\n");
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": start });
    let params = json!({
        "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] }
    });
    let mut ask = |id: &str| {
        let request = json!({
            "jsonrpc": "2.0", "id": id, "method": "textDocument/codeAction", "params": params
        });
        session.server.send(&request);
    };
    ask("cancelled");
    ask("outdated");
    session.send("$/cancelRequest", json!({ "id": "cancelled" }));
    let document = json!({ "uri": uri, "version": 2 });
    let changes = json!([{ "text": "    NOP\n" }]);
    let params = json!({ "textDocument": document, "contentChanges": changes });
    session.send("textDocument/didChange", params);
    for (id, code) in [("cancelled", -32800), ("outdated", -32801)] {
        let message = session.server.receive();
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(id), &json!(code)));
    }
}

/// The first lines that differ.
fn difference(recorded: &str, played: &str) -> String {
    let mut lines = recorded.lines().zip(played.lines()).enumerate();
    let at = lines.find(|(_, (a, b))| a != b).map_or(0, |(at, _)| at);
    let show = |text: &str| text.lines().skip(at).take(12).collect::<Vec<_>>().join("\n");
    format!("line {}\nrecorded:\n{}\nplayed:\n{}", at + 1, show(recorded), show(played))
}

/// A running server, with what a session needs to talk to it.
struct Session {
    folder: tempfile::TempDir,
    root: String,
    server: Server,
    id: i64,
    version: i64,
    /// What the session says, with what came back.
    out: String,
}

impl Session {
    fn new(folder: tempfile::TempDir) -> Session {
        let path = folder.path().canonicalize().unwrap();
        let root = format!("file://{}", path.display());
        let server = Server::start(&path);
        Session { folder, root, server, id: 0, version: 1, out: String::new() }
    }

    /// A session in which one file is open, and that file.
    fn about(text: &str) -> (Session, String) {
        let mut session = Session::new(tempfile::tempdir().unwrap());
        session.request("initialize", json!({ "capabilities": {} }));
        let uri = session.uri("a.sda");
        let document = json!({ "uri": uri, "languageId": "sda", "version": 1, "text": text });
        session.send("textDocument/didOpen", json!({ "textDocument": document }));
        (session, uri)
    }

    /// Plays what a session sends; the result is the session as it went.
    fn play(recorded: &str) -> String {
        let mut session = Session::new(tempfile::tempdir().unwrap());
        let mut lines = recorded.lines().peekable();
        while let Some(line) = lines.next() {
            if line.starts_with('<') {
                while lines.next_if(|line| line.starts_with(' ')).is_some() {}
                continue;
            }
            writeln!(session.out, "{line}").unwrap();
            let mut body = String::new();
            while let Some(text) = lines.next_if(|line| line.starts_with('|')) {
                writeln!(session.out, "{text}").unwrap();
                body += text[1..].strip_prefix(' ').unwrap_or(&text[1..]);
                body.push('\n');
            }
            session.step(line, &body);
        }
        session.out
    }

    fn step(&mut self, line: &str, body: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" | "#" => {}
            "file" => {
                let path = self.folder.path().join(rest);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, body).unwrap();
            }
            "delete" => fs::remove_file(self.folder.path().join(rest)).unwrap(),
            "open" => {
                let text = fs::read_to_string(self.folder.path().join(rest)).unwrap();
                let document = json!({
                    "uri": self.uri(rest), "languageId": "sda", "version": 1, "text": text
                });
                self.notify("textDocument/didOpen", json!({ "textDocument": document }));
            }
            "change" => {
                let mut words = rest.splitn(3, ' ');
                let (name, range) = (words.next().unwrap(), words.next().unwrap());
                let text = words.next().unwrap_or("").replace("\\n", "\n");
                let (start, end) = range.split_once('-').unwrap();
                let range = json!({ "start": position(start), "end": position(end) });
                self.version += 1;
                let document = json!({ "uri": self.uri(name), "version": self.version });
                let changes = json!([{ "range": range, "text": text }]);
                let params = json!({ "textDocument": document, "contentChanges": changes });
                self.notify("textDocument/didChange", params);
            }
            "save" => {
                let params = json!({ "textDocument": { "uri": self.uri(rest) } });
                self.notify("textDocument/didSave", params);
            }
            "close" => {
                let params = json!({ "textDocument": { "uri": self.uri(rest) } });
                self.notify("textDocument/didClose", params);
            }
            "~>" => {
                let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
                let params = self.parse(params);
                self.notify(method, params);
            }
            "raw" => {
                self.server.send_text(rest);
                self.barrier();
            }
            "start" => {
                let params = self.parse(rest);
                self.request("initialize", params);
            }
            "->" => self.ask(rest),
            "exit" => {
                self.server.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
                let code = self.server.child.wait().unwrap().code().unwrap();
                writeln!(self.out, "<= {code}").unwrap();
            }
            _ => panic!("no step of a session: {line}"),
        }
    }

    /// `METHOD [FILE[:LINE:COLUMN]] [JSON]`
    fn ask(&mut self, rest: &str) {
        let (method, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (place, more) = match rest.starts_with('{') || rest.is_empty() {
            true => ("", rest),
            false => rest.split_once(' ').unwrap_or((rest, "")),
        };
        let mut params = Map::new();
        if !place.is_empty() {
            let (name, at) = place.split_once(':').unwrap_or((place, ""));
            params.insert("textDocument".into(), json!({ "uri": self.uri(name) }));
            if !at.is_empty() {
                params.insert("position".into(), position(at));
            }
        }
        if !more.is_empty() {
            params.extend(self.parse(more).as_object().unwrap().clone());
        }
        let answer = self.request(method, Value::Object(params));
        match (answer.get("result"), answer.get("error")) {
            (Some(result), None) => self.came("<-", result),
            (None, Some(error)) => self.came("<!", error),
            _ => panic!("an answer has a result or an error: {answer}"),
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(method, params);
        self.barrier();
    }

    fn send(&mut self, method: &str, params: Value) {
        self.server.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Waits until the server has said all that it has to say: the answer to
    /// a question for actions comes behind the messages of the program.
    fn barrier(&mut self) {
        let start = json!({ "line": 0, "character": 0 });
        let nowhere = json!({
            "textDocument": { "uri": "file:///none" },
            "range": { "start": start, "end": start },
            "context": { "diagnostics": [] },
        });
        self.request("textDocument/codeAction", nowhere);
    }

    /// The answer to a request; what comes before it is written down.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.server.send(&request);
        loop {
            let message = self.server.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            let sign = if message.get("error").is_some() { "<!" } else { "<~" };
            let mut message = message;
            message.as_object_mut().unwrap().remove("jsonrpc");
            self.came(sign, &message);
        }
    }

    fn came(&mut self, sign: &str, value: &Value) {
        let text = serde_json::to_string_pretty(&self.simple(value)).unwrap();
        // Short lists of numbers and words fit on one line.
        let text = compact(&text);
        let mut lines = text.lines();
        writeln!(self.out, "{sign} {}", lines.next().unwrap()).unwrap();
        for line in lines {
            writeln!(self.out, "   {line}").unwrap();
        }
    }

    /// A value as sessions write it.
    fn simple(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let folder = &self.root["file://".len()..];
                let text = text.replace(&self.root, "$ROOT").replace(folder, "$FOLDER");
                if text.contains('\n') {
                    text.lines().map(String::from).collect()
                } else {
                    text.into()
                }
            }
            Value::Array(list) => list.iter().map(|one| self.simple(one)).collect(),
            Value::Object(map) => {
                let at = |key| map.get(key).map(|one| self.simple(one));
                if let (2, Some(line), Some(column)) =
                    (map.len(), map.get("line"), map.get("character"))
                {
                    let (line, column) = (line.as_u64().unwrap(), column.as_u64().unwrap());
                    return format!("{}:{}", line + 1, column + 1).into();
                }
                if let (2, Some(Value::String(start)), Some(Value::String(end))) =
                    (map.len(), at("start"), at("end"))
                {
                    return format!("{start}-{end}").into();
                }
                let simple = |(key, one): (&String, &Value)| {
                    (key.replace(&self.root, "$ROOT"), self.simple(one))
                };
                Value::Object(map.iter().map(simple).collect())
            }
            other => other.clone(),
        }
    }

    fn parse(&self, text: &str) -> Value {
        let text = text.replace("$ROOT", &self.root);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn uri(&self, name: &str) -> String {
        if name.contains(':') { name.to_string() } else { format!("{}/{name}", self.root) }
    }
}

/// Objects and lists that are short stand on one line.
fn compact(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        lines.push(line.to_string());
        let closes = line.trim_start().starts_with(['}', ']']);
        let Some(open) = lines.iter().rposition(|line| line.ends_with(['{', '['])) else {
            continue;
        };
        if !closes {
            continue;
        }
        let joined: Vec<&str> = lines[open + 1..].iter().map(|line| line.trim()).collect();
        let joined = format!("{} {}", lines[open], joined.join(" "));
        if joined.len() <= 110 {
            lines.truncate(open);
            lines.push(joined);
        } else {
            // What is around it is longer still: it must not be tried again.
            lines[open].push(' ');
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// `LINE:COLUMN`, from 1.
fn position(text: &str) -> Value {
    let (line, column) = text.split_once(':').unwrap();
    let number = |text: &str| text.parse::<u64>().unwrap() - 1;
    json!({ "line": number(line), "character": number(column) })
}

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(folder: &Path) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vc3"))
            .arg("lsp")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Server { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(text) => length = text.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}
