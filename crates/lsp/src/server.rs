//! The server's state, and what each notification does to it; requests are
//! answered in `requests`, from what is known.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles,
    DidChangeWorkspaceFolders, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Exit, Initialized, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{Initialize, RegisterCapability, Request as _, Shutdown};
use lsp_types::{
    ClientCapabilities, Diagnostic, InitializeParams, PublishDiagnosticsParams, WorkspaceFolder,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::document::Text;
use crate::encoding::Encoding;
use crate::framing::{self, Incoming};
use crate::paths::path_of;
use crate::requests::{self, Refusal};
use crate::settings::Settings;
use crate::worker::{Outcome, Task, Worker};
use crate::workspace::Workspace;

/// Requests at most that wait for the worker; of more the first is refused.
const MOST_WAITING: usize = 64;

/// What to do behind a message.
pub(crate) enum Next {
    Go,
    Exit,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// `initialize` is still to come.
    Born,
    Serving,
    /// After `shutdown`.
    Ending,
}

/// What was last said about a file: its version and the messages.
type Published = (Option<i32>, Vec<Diagnostic>);

/// A server for one client.
pub(crate) struct Server<W> {
    output: W,
    state: State,
    pub client: ClientCapabilities,
    pub workspace: Workspace,
    pub analysis: Analysis,
    assembler: Worker,
    examiner: Worker,
    /// Something changed since the last job of the assembler began.
    is_stale: bool,
    /// A file was opened or saved since lint last looked.
    is_unexamined: bool,
    /// What cannot be answered before the workers are done.
    waiting: VecDeque<Request>,
    published: BTreeMap<PathBuf, Published>,
}

impl<W: Write> Server<W> {
    pub fn new(output: W, assembler: Worker, examiner: Worker) -> Server<W> {
        Server {
            output,
            state: State::Born,
            client: ClientCapabilities::default(),
            workspace: Workspace::default(),
            analysis: Analysis::default(),
            assembler,
            examiner,
            is_stale: false,
            is_unexamined: false,
            waiting: VecDeque::new(),
            published: BTreeMap::new(),
        }
    }

    pub fn exit_code(&self) -> u8 {
        if self.state == State::Ending { 0 } else { 1 }
    }

    /// Does what a message asks for.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn handle(&mut self, message: Incoming) -> io::Result<Next> {
        match message {
            Incoming::Request(request) => self.request(request)?,
            Incoming::Notification(one) if one.method == Exit::METHOD => return Ok(Next::Exit),
            Incoming::Notification(one) if self.state == State::Serving => {
                self.notification(one)?
            }
            Incoming::Notification(_) | Incoming::Response => {}
            Incoming::Malformed { code, message } => {
                framing::refuse(&mut self.output, code, &message)?;
            }
        }
        Ok(Next::Go)
    }

    /// Whether a message asks for what the assembler makes of the texts.
    pub fn asks_about_program(&self, message: &Incoming) -> bool {
        let Incoming::Request(request) = message else { return false };
        self.state == State::Serving && requests::needs_program(&request.method)
    }

    /// Whether what the assembler makes of the texts as they are is known.
    pub fn is_assembled(&self) -> bool {
        self.assembler.is_idle() && !self.is_stale
    }

    /// Gives the workers what is to be done: the newest texts, and only when
    /// their errors are known those that lint is to look at. When nothing is
    /// left, what has waited is answered.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn go_on(&mut self) -> io::Result<()> {
        if !self.assembler.is_idle() || self.state != State::Serving {
            return Ok(());
        }
        if std::mem::take(&mut self.is_stale) {
            self.assembler.begin(self.workspace.snapshot());
        } else if self.is_to_be_examined() && self.examiner.is_idle() {
            self.is_unexamined = false;
            self.examiner.begin(self.workspace.snapshot());
        } else if self.is_settled() {
            while let Some(request) = self.waiting.pop_front() {
                self.answer(request)?;
            }
        }
        Ok(())
    }

    /// Takes what a worker has found. What is said about texts that have
    /// changed since is passed over: the next job is about the new ones.
    ///
    /// # Errors
    /// The output cannot be written, or the assembler has panicked.
    pub fn take(&mut self, outcome: Outcome) -> io::Result<()> {
        let task = outcome.task;
        let worker = match task {
            Task::Assemble => &mut self.assembler,
            Task::Examine => &mut self.examiner,
        };
        let (analysis, is_current) = worker.end(outcome)?;
        // A program that lint looked at longer than its text lasted may be
        // older than the one that is known.
        if is_current || task == Task::Assemble {
            self.analysis.advance(analysis, is_current);
        }
        if is_current && self.state == State::Serving { self.publish() } else { Ok(()) }
    }

    fn is_to_be_examined(&self) -> bool {
        self.is_unexamined && self.workspace.settings.lint
    }

    /// Whether all is known that can be said of the programs.
    fn is_settled(&self) -> bool {
        self.is_assembled() && !self.examiner.is_useful() && !self.is_to_be_examined()
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let answer = match (self.state, method.as_str()) {
            (State::Born, Initialize::METHOD) => self.initialize(params),
            (State::Born, _) => Err(Refusal {
                code: ErrorCode::ServerNotInitialized,
                message: "`initialize` comes first".into(),
            }),
            (State::Ending, _) => Err(Refusal {
                code: ErrorCode::InvalidRequest,
                message: "the server was shut down".into(),
            }),
            (State::Serving, Initialize::METHOD) => Err(Refusal {
                code: ErrorCode::InvalidRequest,
                message: "`initialize` comes once".into(),
            }),
            (State::Serving, Shutdown::METHOD) => {
                self.state = State::Ending;
                self.refuse_waiting(ErrorCode::RequestCanceled, "the server is shut down")?;
                Ok(Value::Null)
            }
            (State::Serving, method) if requests::needs_findings(method) && !self.is_settled() => {
                self.waiting.push_back(Request { id, method: method.into(), params });
                if self.waiting.len() <= MOST_WAITING {
                    return Ok(());
                }
                let first = self.waiting.pop_front();
                return self.refuse(first, ErrorCode::ServerCancelled, "too many requests");
            }
            (State::Serving, _) => return self.answer(Request { id, method, params }),
        };
        self.respond(id, answer)
    }

    fn answer(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let answer = requests::answer(self.as_context(), &method, params);
        self.respond(id, answer)
    }

    fn respond(&mut self, id: RequestId, answer: Result<Value, Refusal>) -> io::Result<()> {
        self.send(match answer {
            Ok(result) => Response { id, response_result: Ok(result) },
            Err(Refusal { code, message }) => Response::new_err(id, code as i32, message),
        })
    }

    /// Refuses all requests that wait.
    fn refuse_waiting(&mut self, code: ErrorCode, message: &str) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().try_for_each(|request| self.refuse(Some(request), code, message))
    }

    fn refuse(
        &mut self,
        request: Option<Request>,
        code: ErrorCode,
        message: &str,
    ) -> io::Result<()> {
        let Some(Request { id, .. }) = request else { return Ok(()) };
        self.respond(id, Err(Refusal { code, message: message.into() }))
    }

    fn send(&mut self, message: impl Into<Message>) -> io::Result<()> {
        message.into().write(&mut self.output)
    }

    fn as_context(&self) -> requests::Context<'_> {
        requests::Context {
            workspace: &self.workspace,
            analysis: &self.analysis,
            client: &self.client,
        }
    }

    fn initialize(&mut self, params: Value) -> Result<Value, Refusal> {
        let params: InitializeParams = requests::parse(params)?;
        self.client = params.capabilities;
        let offered = self.client.general.as_ref().and_then(|one| one.position_encodings.clone());
        self.workspace.encoding = Encoding::negotiate(&offered.unwrap_or_default());
        let folders = params.workspace_folders.unwrap_or_default();
        let mut folders: Vec<PathBuf> = folders.iter().map(folder_path).collect();
        #[expect(deprecated, reason = "older clients send nothing else")]
        if let (true, Some(root)) = (folders.is_empty(), &params.root_uri) {
            folders.push(path_of(root));
        }
        self.workspace.folders = folders;
        let options = params.initialization_options.unwrap_or_default();
        self.workspace.settings = self.settings(&options);
        self.workspace.search();
        self.state = State::Serving;
        Ok(requests::capabilities(self.workspace.encoding))
    }

    fn settings(&self, value: &Value) -> Settings {
        Settings::read(value, self.workspace.folders.first().map(PathBuf::as_path))
    }

    fn notification(&mut self, one: Notification) -> io::Result<()> {
        let Notification { method, params } = one;
        match method.as_str() {
            Initialized::METHOD => return self.watch(),
            DidOpenTextDocument::METHOD => {
                self.with::<DidOpenTextDocument>(params, |server, one| {
                    let document = one.text_document;
                    let path = path_of(&document.uri);
                    server.workspace.open(path, document.uri, document.version, document.text);
                    server.look_again();
                })
            }
            DidChangeTextDocument::METHOD => {
                self.with::<DidChangeTextDocument>(params, |server, one| {
                    let path = path_of(&one.text_document.uri);
                    let encoding = server.workspace.encoding;
                    let Some(document) = server.workspace.document_mut(&path) else { return };
                    let old = Arc::clone(&document.text);
                    document.change(one.text_document.version, one.content_changes, encoding);
                    let includes = |text: &Text| {
                        let list = text.index().inclusions().iter();
                        list.map(|one| one.file.clone()).collect::<Vec<_>>()
                    };
                    let is_same = includes(&old) == includes(&document.text);
                    server.outdate();
                    // Findings would be of another text.
                    server.is_unexamined = false;
                    if !is_same {
                        server.workspace.forget_programs();
                    }
                });
                // What was asked was about another text, too.
                return self.refuse_waiting(ErrorCode::ContentModified, "the text has changed");
            }
            DidSaveTextDocument::METHOD => {
                self.with::<DidSaveTextDocument>(params, |server, _| server.look_again());
            }
            DidCloseTextDocument::METHOD => {
                self.with::<DidCloseTextDocument>(params, |server, one| {
                    if server.workspace.close(&path_of(&one.text_document.uri)) {
                        server.look_again();
                    }
                });
            }
            DidChangeWatchedFiles::METHOD => {
                self.with::<DidChangeWatchedFiles>(params, |server, _| server.look_again());
            }
            DidChangeConfiguration::METHOD => {
                self.with::<DidChangeConfiguration>(params, |server, one| {
                    let own = one.settings.get("vc3").cloned().unwrap_or_default();
                    if own.is_object() {
                        server.workspace.settings = server.settings(&own);
                        server.look_again();
                    }
                });
            }
            DidChangeWorkspaceFolders::METHOD => {
                self.with::<DidChangeWorkspaceFolders>(params, |server, one| {
                    let removed: Vec<_> = one.event.removed.iter().map(folder_path).collect();
                    let folders = &mut server.workspace.folders;
                    folders.retain(|folder| !removed.contains(folder));
                    folders.extend(one.event.added.iter().map(folder_path));
                    server.look_again();
                });
            }
            // Most requests are answered before this could matter.
            Cancel::METHOD => {
                let is_meant = |one: &Request| Some(&json!(one.id)) == params.get("id");
                if let Some(at) = self.waiting.iter().position(is_meant) {
                    let request = self.waiting.remove(at);
                    return self.refuse(request, ErrorCode::RequestCanceled, "canceled");
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A notification with wrong parameters has no answer, and no effect.
    fn with<N: lsp_types::notification::Notification>(
        &mut self,
        params: Value,
        act: impl FnOnce(&mut Server<W>, N::Params),
    ) where
        N::Params: DeserializeOwned,
    {
        if let Ok(params) = serde_json::from_value(params) {
            act(self, params);
        }
    }

    /// Files may have come, gone or changed.
    fn look_again(&mut self) {
        self.workspace.search();
        self.outdate();
        self.is_unexamined = true;
    }

    /// What the workers do is no longer about the texts as they are.
    fn outdate(&mut self) {
        self.assembler.outdate();
        self.examiner.outdate();
        self.is_stale = true;
    }

    /// Asks to be told of files that change on the disk.
    fn watch(&mut self) -> io::Result<()> {
        let watched = self.client.workspace.as_ref().and_then(|one| one.did_change_watched_files);
        if watched.and_then(|one| one.dynamic_registration) != Some(true) {
            return Ok(());
        }
        let registration = json!({
            "id": "sources",
            "method": DidChangeWatchedFiles::METHOD,
            "registerOptions": { "watchers": [{ "globPattern": "**/*.sda" }] },
        });
        let params = json!({ "registrations": [registration] });
        self.send(Request::new(1.into(), RegisterCapability::METHOD.into(), params))
    }

    /// Says what is new about each file, and that nothing is wrong any more
    /// where something was.
    fn publish(&mut self) -> io::Result<()> {
        let mut old = std::mem::take(&mut self.published);
        let mut messages: BTreeMap<PathBuf, Vec<Diagnostic>> = self.analysis.messages.clone();
        for path in old.keys() {
            messages.entry(path.clone()).or_default();
        }
        for (path, list) in messages {
            let document = self.workspace.document(&path);
            let version = document.map(|document| document.version);
            let is_open = document.is_some();
            let new: Published = (version, list);
            let before = old.remove(&path);
            let is_known =
                before.as_ref() == Some(&new) || before.is_none() && new.1.is_empty() && !is_open;
            if !is_known && let Some(uri) = self.workspace.uri(&path) {
                let params = PublishDiagnosticsParams { uri, diagnostics: new.1.clone(), version };
                self.send(Notification::new(PublishDiagnostics::METHOD.into(), params))?;
            }
            if is_open || !new.1.is_empty() {
                self.published.insert(path, new);
            }
        }
        Ok(())
    }
}

fn folder_path(folder: &WorkspaceFolder) -> PathBuf {
    path_of(&folder.uri)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;
    use crate::lifecycle::Event;

    fn tell(server: &mut Server<Vec<u8>>, method: &str, params: Value) {
        let one = Notification { method: method.into(), params };
        server.handle(Incoming::Notification(one)).unwrap();
    }

    /// Takes one outcome; the versions that were told about.
    fn take(server: &mut Server<Vec<u8>>, events: &Receiver<Event>) -> Vec<String> {
        server.output.clear();
        let Event::Outcome(outcome) = events.recv().unwrap() else { panic!("no outcome") };
        server.take(outcome).unwrap();
        let said = String::from_utf8(server.output.clone()).unwrap();
        let versions = said.split("\"version\":").skip(1);
        versions.map(|text| text.chars().take_while(char::is_ascii_digit).collect()).collect()
    }

    #[test]
    fn one_run_goes_on_and_one_waits_and_lint_delays_neither() {
        let (sender, events) = sync_channel(4);
        let assembler = Worker::start(Task::Assemble, sender.clone()).unwrap();
        let examiner = Worker::start(Task::Examine, sender).unwrap();
        let mut server = Server::new(Vec::new(), assembler, examiner);
        let params = json!({ "capabilities": {} });
        let id = RequestId::from(1);
        let method = Initialize::METHOD.into();
        server.handle(Incoming::Request(Request { id, method, params })).unwrap();
        let uri = "untitled:a";
        let document = json!({ "uri": uri, "languageId": "sda", "version": 1, "text": "a:\n" });
        tell(&mut server, DidOpenTextDocument::METHOD, json!({ "textDocument": document }));
        server.go_on().unwrap();
        assert!(server.examiner.is_idle(), "lint comes behind the errors");
        for version in 2..100 {
            let document = json!({ "uri": uri, "version": version });
            let changes = json!([{ "text": format!("a{version}:\n") }]);
            let params = json!({ "textDocument": document, "contentChanges": changes });
            tell(&mut server, DidChangeTextDocument::METHOD, params);
            server.go_on().unwrap();
        }
        assert_eq!(take(&mut server, &events), [""; 0], "the text has changed since");
        server.go_on().unwrap();
        assert_eq!(take(&mut server, &events), ["99"]);
        let saved = json!({ "textDocument": { "uri": uri } });
        tell(&mut server, DidSaveTextDocument::METHOD, saved);
        server.go_on().unwrap();
        take(&mut server, &events);
        server.go_on().unwrap();
        assert!(!server.examiner.is_idle());
        let document = json!({ "uri": uri, "version": 100 });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": "b:\n" }] });
        tell(&mut server, DidChangeTextDocument::METHOD, params);
        server.go_on().unwrap();
        assert!(!server.examiner.is_idle() && !server.assembler.is_idle());
        // In whichever order they end, only the new text is told about.
        let mut said = take(&mut server, &events);
        said.extend(take(&mut server, &events));
        assert_eq!(said, ["100"]);
        assert!(server.is_settled());
    }
}
