//! Expansion: where the next line comes from – files, macros, repetitions –
//! and the conditions that leave lines out.

use std::path::PathBuf;
use std::rc::Rc;

use crate::diagnostic::Diagnostic;
use crate::directive::Directive;
use crate::lex::{self, Kind, Token};
use crate::names::Name;
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::session::Session;
use crate::source::Span;
use crate::symbols::Cause;

/// Inclusions and expansions within each other at most.
const DEEPEST: u32 = 100;
/// Tokens of one line as it is written.
const LONGEST_SOURCE_LINE: usize = lex::MOST_TOKENS;
/// Tokens of one line once parameters are replaced.
const LONGEST_LINE: usize = 100_000;

/// Something that lines are read from.
pub(crate) struct Feed {
    pub text: Text,
    /// The number of its inclusion or expansion.
    pub context: u32,
    /// How many conditions were open when it began.
    pub conditions: usize,
}

pub(crate) enum Text {
    /// The given files that are still to be read.
    Roots(usize),
    /// A source, and where its next line begins.
    File {
        source: usize,
        at: usize,
    },
    Macro {
        body: Rc<Macro>,
        arguments: Arguments,
        at: usize,
        unique: u32,
    },
    Repeat {
        body: Rc<[Token]>,
        at: usize,
        left: u64,
        unique: u32,
        span: Span,
    },
}

/// The arguments of a macro's call.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Their tokens, end to end.
    pub tokens: Vec<Token>,
    /// Where those of each one end.
    ends: Vec<usize>,
}

impl Arguments {
    /// Makes the tokens behind the last argument another one.
    pub fn end_one(&mut self) {
        self.ends.push(self.tokens.len());
    }

    pub fn count(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, number: usize) -> &[Token] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.tokens[start..self.ends[number]]
    }
}

/// A macro's definition.
pub(crate) struct Macro {
    pub name: Name,
    pub span: Span,
    pub parameters: Vec<Name>,
    /// Its lines, each with its `Newline`.
    pub body: Vec<Token>,
}

impl Pass<'_, '_> {
    pub(crate) fn push_roots(&mut self) {
        self.feeds.push(Feed { text: Text::Roots(0), context: 0, conditions: 0 });
    }

    /// Fills `self.line` with the next line's tokens; false at the end.
    pub(crate) fn next_line(&mut self) -> bool {
        self.line.clear();
        loop {
            let Some(feed) = self.feeds.last_mut() else { return false };
            self.context = feed.context;
            match &mut feed.text {
                Text::Roots(next) => {
                    let number = *next;
                    *next += 1;
                    let Some(path) = self.session.roots.get(number) else {
                        self.feeds.pop();
                        continue;
                    };
                    self.open_root(path.clone());
                }
                Text::File { source, at } => {
                    let Session { sources, names, .. } = &mut *self.session;
                    let file = sources.get(*source);
                    if *at < file.text.len() {
                        *at = lex::line(&file.text, *at, file.base, names, &mut self.line);
                        if self.line.len() > LONGEST_SOURCE_LINE {
                            let span = self.line[0].span;
                            self.line.clear();
                            self.report(
                                Diagnostic::error("E0509", span, "the line is too long")
                                    .note(format!("at most {LONGEST_SOURCE_LINE} words and signs")),
                            );
                        }
                        return true;
                    }
                    self.pop_feed();
                }
                Text::Macro { body, at, .. } => {
                    if *at < body.body.len() {
                        self.macro_line();
                        return true;
                    }
                    self.pop_feed();
                }
                Text::Repeat { body, at, left, span, unique } => {
                    if *at < body.len() {
                        let start = *at;
                        let length = line_length(&body[start..]);
                        *at += length + 1;
                        let (body, unique, context) = (Rc::clone(body), *unique, feed.context);
                        self.substitute(&body[start..start + length], unique, None, context);
                        return true;
                    }
                    if *left > 0 {
                        *left -= 1;
                        *at = 0;
                        self.unique += 1;
                        *unique = self.unique;
                        let span = *span;
                        if self.count_statement(span) {
                            continue;
                        }
                        return false;
                    }
                    self.pop_feed();
                }
            }
        }
    }

    fn open_root(&mut self, path: PathBuf) {
        match self.session.load(&path) {
            Ok(source) => {
                let at = self.session.sources.get(source).base;
                if self.count_file(source, Span { lo: at, hi: at }) {
                    self.push_file(source, 0);
                }
            }
            Err(reason) => {
                let span = self.session.missing(&path);
                self.text_is_missing = true;
                let error = Diagnostic::error("E0109", span, format!("cannot be read: {reason}"));
                let host = self.session.host;
                let is_there = host.exists(&path) || host.no_file(&path).is_some();
                let near = if is_there { None } else { self.file_near(&path) };
                self.report(match near {
                    Some(near) => {
                        let near = path.with_file_name(near);
                        error.help(format!("there is `{}`", near.display()))
                    }
                    None => error,
                });
            }
        }
    }

    pub(crate) fn push_file(&mut self, source: usize, context: u32) {
        let file = self.session.sources.get(source);
        let at = match () {
            () if file.broken => file.text.len(),
            () if file.text.starts_with('\u{FEFF}') => 3,
            () => 0,
        };
        self.text_is_missing |= file.broken;
        // Lists that grow are copied: they get the room that a text of this
        // length takes as people write them.
        let length = file.text.len();
        self.layout.reserve_room(length / 24, length / 6);
        self.symbols.reserve(length / 50);
        self.session.names.reserve(length / 100);
        let conditions = self.conditions.len();
        self.readings.push((context, source, self.layout.next_order()));
        self.feeds.push(Feed { text: Text::File { source, at }, context, conditions });
    }

    fn pop_feed(&mut self) {
        let Some(feed) = self.feeds.pop() else { return };
        while self.conditions.len() > feed.conditions && !self.is_stopped() {
            if let Some(condition) = self.conditions.pop() {
                self.report(
                    Diagnostic::error("E0507", condition.span, "the condition is not closed")
                        .help("`.endif` ends it, in the same file or macro"),
                );
            }
        }
    }

    /// What is still open when everything has been read.
    pub(crate) fn close_open_blocks(&mut self) {
        self.context = 0;
        self.close_struct();
        if let Some(page) = &self.open_page {
            let span = page.span;
            self.report(
                Diagnostic::error("E0507", span, "the page is not closed").help("`.endp` ends it"),
            );
        }
    }

    /// The next line of the macro on top, with its parameters replaced.
    fn macro_line(&mut self) {
        let Some(Feed { text: Text::Macro { body, arguments, at, unique }, context, .. }) =
            self.feeds.last_mut()
        else {
            return;
        };
        let start = *at;
        let length = line_length(&body.body[start..]);
        *at += length + 1;
        let (body, unique, context) = (Rc::clone(body), *unique, *context);
        let arguments = std::mem::take(arguments);
        let line = &body.body[start..start + length];
        self.substitute(line, unique, Some((&body.parameters, &arguments)), context);
        if let Some(Feed { text: Text::Macro { arguments: place, .. }, .. }) = self.feeds.last_mut()
        {
            *place = arguments;
        }
    }

    /// Appends `line` to `self.line`: parameters replaced by their tokens,
    /// `\@` by its number, and a macro's own tokens in its own scope.
    fn substitute(
        &mut self,
        line: &[Token],
        unique: u32,
        parameters: Option<(&[Name], &Arguments)>,
        context: u32,
    ) {
        let mut end = u32::MAX;
        for &token in line {
            let joined = std::mem::replace(&mut end, token.span.hi) == token.span.lo;
            match (token.kind, parameters) {
                (Kind::Unique, _) => self.unique_token(token, unique, joined),
                (Kind::Param, Some((names, arguments))) => {
                    match names.iter().position(|&name| name == token.name()) {
                        Some(at) => self.line.extend_from_slice(arguments.get(at)),
                        None => self.line.push(token),
                    }
                }
                (_, Some(_)) => self.line.push(Token { scope: context, ..token }),
                (_, None) => self.line.push(token),
            }
            if self.line.len() > LONGEST_LINE {
                self.line.clear();
                let error = Diagnostic::error("E0509", token.span, "the line expands too far");
                self.stop(error.note(format!("at most {LONGEST_LINE} words and signs")));
                return;
            }
        }
        self.spent.count_text(&self.line);
    }

    /// `\@` directly behind a name joins it; else it is a number.
    fn unique_token(&mut self, token: Token, unique: u32, joined: bool) {
        let scope = token.scope;
        match self.line.last_mut() {
            Some(last) if joined && matches!(last.kind, Kind::Ident | Kind::DotIdent) => {
                last.value = self.session.names.numbered(last.name(), unique).0;
                last.span = last.span.to(token.span);
            }
            _ => self.line.push(Token { value: unique, scope, ..token }),
        }
    }

    /// The lines up to the directive `end`, with `begin` nesting.
    pub(crate) fn collect(
        &mut self,
        begin: Directive,
        end: Directive,
        open: Span,
    ) -> Option<Vec<Token>> {
        let feeds = self.feeds.len();
        let context = self.context;
        let mut body = Vec::new();
        let mut depth = 0;
        loop {
            let ended = self.feeds.len() < feeds || !self.next_line_of(feeds);
            if ended {
                self.context = context;
                let (what, close) = match begin {
                    Directive::Macro => ("macro", ".endm"),
                    _ => ("repetition", ".endr"),
                };
                if !self.is_stopped() {
                    self.report(
                        Diagnostic::error("E0507", open, format!("the {what} is not closed"))
                            .help(format!("`{close}` ends it, in the same file or macro")),
                    );
                }
                return None;
            }
            let line = std::mem::take(&mut self.line);
            if line.first().is_some_and(|first| !self.count_statement(first.span)) {
                return None;
            }
            let labels = label_prefix(&line);
            let directive = line
                .get(labels)
                .filter(|token| token.kind == Kind::DotIdent)
                .and_then(|token| self.session.names.directive(token.name()));
            if directive == Some(begin) {
                depth += 1;
            } else if directive == Some(end) {
                if depth == 0 {
                    if labels > 0 {
                        body.extend_from_slice(&line[..labels]);
                        body.push(Token { kind: Kind::Newline, ..line[labels] });
                    }
                    if let Some(extra) = line.get(labels + 1) {
                        let name = if end == Directive::Endm { ".endm" } else { ".endr" };
                        let text = format!("nothing stands behind `{name}`");
                        self.report(Diagnostic::error("E0206", extra.span, text));
                    }
                    self.line = line;
                    return Some(body);
                }
                depth -= 1;
            }
            if let Some(&last) = line.last() {
                body.extend_from_slice(&line);
                body.push(Token { kind: Kind::Newline, ..last });
            }
            self.line = line;
        }
    }

    /// The next line, as long as it comes from the feed on top.
    fn next_line_of(&mut self, feeds: usize) -> bool {
        let more = match self.feeds.last().map(|feed| &feed.text) {
            Some(Text::File { source, at }) => *at < self.session.sources.get(*source).text.len(),
            Some(Text::Macro { body, at, .. }) => *at < body.body.len(),
            Some(Text::Repeat { body, at, .. }) => *at < body.len(),
            Some(Text::Roots(_)) | None => false,
        };
        more && self.feeds.len() == feeds && self.next_line()
    }

    /// Opens an inclusion or expansion that the statement at `span` asks for.
    pub(crate) fn enter(&mut self, cause: Cause, span: Span) -> Parsed<u32> {
        if self.scopes.get(self.context).depth >= DEEPEST {
            let what = match cause {
                Cause::Include => "includes are nested too deep",
                Cause::Macro(_) => "macros are nested too deep",
                _ => "repetitions are nested too deep",
            };
            return Err(Box::new(
                Diagnostic::error("E0503", span, what)
                    .note(format!("at most {DEEPEST} inclusions and expansions within each other")),
            ));
        }
        Ok(self.scopes.add(self.context, cause, span))
    }
}

/// The tokens before the line's `Newline`.
fn line_length(tokens: &[Token]) -> usize {
    tokens.iter().position(|token| token.kind == Kind::Newline).unwrap_or(tokens.len())
}

/// The tokens of the labels that a line begins with, as a body writes them.
fn label_prefix(line: &[Token]) -> usize {
    let mut at = 0;
    while let [name, rest @ ..] = &line[at..]
        && matches!(name.kind, Kind::Ident | Kind::DotIdent | Kind::Param)
    {
        let unique = rest.iter().take_while(|token| token.kind == Kind::Unique).count();
        if rest.get(unique).is_none_or(|token| token.kind != Kind::Colon) {
            break;
        }
        at += unique + 2;
    }
    at
}
