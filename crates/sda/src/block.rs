//! Macros, repetitions and inclusions: what opens a new feed of lines.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::diagnostic::Diagnostic;
use crate::directive::Directive;
use crate::expand::{Arguments, Feed, Macro, Text};
use crate::lex::{Kind, Token};
use crate::literal;
use crate::names::nearest;
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::symbols::Cause;

impl Pass<'_, '_> {
    /// `.macro NAME p, q`
    pub(crate) fn define_macro(&mut self, tokens: &[Token]) -> Parsed<()> {
        let open = tokens[0].span;
        let body = self.collect(Directive::Macro, Directive::Endm, open);
        let mut parser = self.parser_after_directive(tokens);
        let name = parser.name("the macro's name")?;
        let mut parameters = Vec::new();
        while !parser.is_at_end() {
            if !parameters.is_empty() {
                parser.expect(Kind::Comma, "`,` between parameters")?;
            }
            let parameter = parser.name("the name of a parameter")?;
            if parameters.contains(&parameter.name()) {
                return Err(Box::new(Diagnostic::error(
                    "E0504",
                    parameter.span,
                    "two parameters have this name",
                )));
            }
            parameters.push(parameter.name());
        }
        let text = self.session.names.text(name.name());
        if self.session.names.word(name.name()).is_some() {
            let error = format!("`{text}` is an instruction; a macro needs a name of its own");
            return Err(Box::new(Diagnostic::error("E0504", name.span, error)));
        }
        if let Some(first) = self.macros.get(&name.name()) {
            return Err(Box::new(
                Diagnostic::error("E0504", name.span, format!("the macro `{text}` exists already"))
                    .also(first.span, "it is first defined here"),
            ));
        }
        let body = body.unwrap_or_default();
        self.mention_in_body(&body);
        let (name, span) = (name.name(), name.span);
        for at in self.unknown_statements.remove(&name).unwrap_or_default() {
            if let Some(error) = self.diagnostics.get_mut(at) {
                error.helps = vec!["a macro is defined above its first use".into()];
                error.edit = None;
                error.related.push((span, "this macro is defined too late".into()));
            }
        }
        self.macros.insert(name, Rc::new(Macro { name, span, parameters, body }));
        Ok(())
    }

    /// `NAME arguments`
    pub(crate) fn call_macro(&mut self, tokens: &[Token], body: Rc<Macro>) -> Parsed<()> {
        let name = tokens[0];
        let arguments = arguments(&tokens[1..]);
        let wanted = body.parameters.len();
        if arguments.count() != wanted {
            let text = self.session.names.text(body.name);
            let count =
                |n: usize| if n == 1 { "1 argument".into() } else { format!("{n} arguments") };
            let message = format!("`{text}` takes {}, found {}", count(wanted), arguments.count());
            return Err(Box::new(
                Diagnostic::error("E0505", name.span, message)
                    .also(body.span, "it is defined here"),
            ));
        }
        if self.runaway.contains(&body.name) {
            return Ok(());
        }
        let context = match self.enter(Cause::Macro(body.name), name.span) {
            Ok(context) => context,
            Err(error) => {
                // Leave the whole expansion: every level would say the same.
                self.runaway.push(body.name);
                self.text_is_missing = true;
                self.report(*error);
                while matches!(
                    self.feeds.last(),
                    Some(Feed { text: Text::Macro { .. } | Text::Repeat { .. }, .. })
                ) {
                    if let Some(feed) = self.feeds.pop() {
                        self.conditions.truncate(feed.conditions);
                    }
                }
                return Ok(());
            }
        };
        self.unique += 1;
        let unique = self.unique;
        let conditions = self.conditions.len();
        let text = Text::Macro { body, arguments, at: 0, unique };
        self.feeds.push(Feed { text, context, conditions });
        Ok(())
    }

    /// `.rept N`
    pub(crate) fn repeat(&mut self, tokens: &[Token]) -> Parsed<()> {
        let span = tokens[0].span;
        let here = self.context;
        let body = self.collect(Directive::Rept, Directive::Endr, span);
        self.context = here;
        let mut parser = self.parser_after_directive(tokens);
        let expr = parser.expression()?;
        parser.end()?;
        let Some(value) = self.sizing(expr) else {
            self.layout.lose_place();
            return Ok(());
        };
        let Ok(left) = u64::try_from(value.number) else {
            let text = format!("{} is no number of repetitions", literal::show(value.number));
            return Err(Box::new(Diagnostic::error("E0607", expr.span, text)));
        };
        let Some(body) = body else { return Ok(()) };
        let context = self.enter(Cause::Repeat, span)?;
        let conditions = self.conditions.len();
        let at = body.len();
        let text = Text::Repeat { body: body.into(), at, left, unique: 0, span };
        self.feeds.push(Feed { text, context, conditions });
        Ok(())
    }

    /// `.include "F"`
    pub(crate) fn include(&mut self, tokens: &[Token]) -> Parsed<()> {
        let mut parser = self.parser_after_directive(tokens);
        let name = parser.expect(Kind::Text, "the file's name in quotes")?;
        parser.end()?;
        let path = self.find_file(name).inspect_err(|_| self.text_is_missing = true)?;
        let source = self.session.load(&path).map_err(|reason| {
            self.text_is_missing = true;
            let text = format!("cannot read `{}`: {reason}", path.display());
            Box::new(Diagnostic::error("E0501", name.span, text))
        })?;
        let open = self.feeds.iter().filter_map(|feed| match feed.text {
            Text::File { source, .. } => Some(source),
            _ => None,
        });
        let circle: Vec<usize> = open.skip_while(|&open| open != source).collect();
        if !circle.is_empty() {
            let names = circle.iter().chain([&source]);
            let names: Vec<&str> =
                names.map(|&source| self.session.sources.get(source).name.as_str()).collect();
            let text = format!("a file includes itself: {}", names.join(" → "));
            return Err(Box::new(Diagnostic::error("E0502", name.span, text)));
        }
        let span = tokens[0].span;
        if !self.count_inclusion(span) || !self.count_file(source, span) {
            return Ok(());
        }
        let context = self.enter(Cause::Include, span)?;
        self.push_file(source, context);
        Ok(())
    }

    /// The path of the file that a string names.
    pub(crate) fn find_file(&mut self, name: Token) -> Parsed<PathBuf> {
        let sources = &self.session.sources;
        let written = sources.text(name.span);
        let inner = written[1..written.len() - 1].to_string();
        let source = sources.source_of(name.span.lo);
        self.session.find(&inner, source).map_err(|tried| {
            let list: Vec<String> =
                tried.iter().map(|path| format!("`{}`", path.display())).collect();
            let host = self.session.host;
            let other = tried.iter().find_map(|path| Some((path, host.no_file(path)?)));
            let text = match other {
                Some((path, what)) => format!("`{}` is {what}", path.display()),
                None => format!("there is no file `{inner}`"),
            };
            let mut error = Diagnostic::error("E0501", name.span, text);
            if other.is_none() || list.len() > 1 {
                error = error.note(format!("looked for {}", list.join(", then ")));
            }
            if let Some(near) = tried.iter().find_map(|path| self.file_near(path)) {
                let right = Path::new(&inner).with_file_name(near).display().to_string();
                error = error
                    .help(format!("there is `{right}`"))
                    .replace(name.span, format!("\"{right}\""));
            }
            Box::new(error)
        })
    }

    /// The file beside the one at `path`, which is not there, that may be
    /// meant: a source with that stem, or a name that is a slip away.
    pub(crate) fn file_near(&mut self, path: &Path) -> Option<String> {
        let wanted = path.file_name()?.to_str()?;
        let names = self.session.files_beside(path);
        if !self.may_suggest(names.len()) {
            return None;
        }
        let (source, wanted) = (Path::new(wanted).with_extension("sda"), Path::new(wanted));
        let names = || names.iter().map(|name| Path::new(name.as_str()));
        let slip = |part: fn(&Path) -> Option<&OsStr>, other: fn(&Path) -> Option<&OsStr>| {
            let alike = names().filter(|&name| name != wanted && other(name) == other(wanted));
            let parts = alike.clone().filter_map(|name| part(name)?.to_str());
            let wanted = part(wanted)?.to_str()?;
            let right = nearest(wanted, parts)?;
            alike.into_iter().find(|&name| part(name).is_some_and(|it| it == right))
        };
        let near = names()
            .find(|&name| name == source && name != wanted)
            .or_else(|| slip(Path::file_stem, Path::extension))
            .or_else(|| slip(Path::extension, Path::file_stem))?;
        near.to_str().map(String::from)
    }
}

/// The arguments of a call: split at commas outside of brackets.
fn arguments(tokens: &[Token]) -> Arguments {
    let mut arguments = Arguments::default();
    if tokens.is_empty() {
        return arguments;
    }
    arguments.tokens.reserve_exact(tokens.len());
    let mut depth = 0i32;
    for &token in tokens {
        match token.kind {
            Kind::OpenParen | Kind::OpenBracket => depth += 1,
            Kind::CloseParen | Kind::CloseBracket => depth -= 1,
            Kind::Comma if depth <= 0 => {
                arguments.end_one();
                continue;
            }
            _ => {}
        }
        arguments.tokens.push(token);
    }
    arguments.end_one();
    arguments
}
