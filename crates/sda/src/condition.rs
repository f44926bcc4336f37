//! Conditions: `.if` and its kin, which leave lines out.

use crate::diagnostic::Diagnostic;
use crate::directive::Directive;
use crate::lex::{Kind, Token};
use crate::parse::Parsed;
use crate::pass::Pass;
use crate::source::Span;

/// An open `.if`.
pub(crate) struct Condition {
    pub span: Span,
    state: Branch,
    /// Where `.else` was, once it was.
    otherwise: Option<Span>,
}

#[derive(Clone, Copy, PartialEq)]
enum Branch {
    /// Lines count.
    Taken,
    /// A later branch may count.
    Waiting,
    /// No later branch counts.
    Over,
}

impl Pass<'_, '_> {
    pub(crate) fn is_skipping(&self) -> bool {
        self.conditions.last().is_some_and(|condition| condition.state != Branch::Taken)
    }

    /// A statement in a branch that does not count: only what ends the
    /// branch matters, and which names it mentions.
    pub(crate) fn skipped(&mut self, tokens: &[Token]) -> Parsed<()> {
        self.mention(tokens);
        if tokens[0].kind != Kind::DotIdent {
            return Ok(());
        }
        use Directive::{Elif, Else, Endif, If, Ifdef, Ifndef};
        match self.session.names.directive(tokens[0].name()) {
            Some(If | Ifdef | Ifndef) => {
                let span = tokens[0].span;
                self.conditions.push(Condition { span, state: Branch::Over, otherwise: None });
                Ok(())
            }
            Some(directive @ (Elif | Else | Endif)) => self.condition(tokens, directive),
            _ => Ok(()),
        }
    }

    /// `.if`, `.elif`, `.else`, `.endif`, `.ifdef`, `.ifndef`
    pub(crate) fn condition(&mut self, tokens: &[Token], directive: Directive) -> Parsed<()> {
        let span = tokens[0].span;
        match directive {
            Directive::If | Directive::Ifdef | Directive::Ifndef => {
                // Open even when its test is wrong: the `.endif` is right.
                self.conditions.push(Condition { span, state: Branch::Over, otherwise: None });
                let state = self.test(tokens, directive)?;
                if let Some(condition) = self.conditions.last_mut() {
                    condition.state = state;
                }
                Ok(())
            }
            Directive::Endif => {
                self.parser_after_directive(tokens).end()?;
                self.open_condition(span)?;
                self.conditions.pop();
                Ok(())
            }
            Directive::Else => {
                self.parser_after_directive(tokens).end()?;
                let condition = self.open_condition(span)?;
                if let Some(first) = condition.otherwise {
                    return Err(Box::new(
                        Diagnostic::error("E0508", span, "the condition has an `.else` already")
                            .also(first, "the first `.else`"),
                    ));
                }
                condition.otherwise = Some(span);
                condition.state = match condition.state {
                    Branch::Waiting => Branch::Taken,
                    _ => Branch::Over,
                };
                Ok(())
            }
            _ => {
                let condition = self.open_condition(span)?;
                if let Some(first) = condition.otherwise {
                    return Err(Box::new(
                        Diagnostic::error("E0508", span, "`.elif` stands behind `.else`")
                            .also(first, "the `.else`"),
                    ));
                }
                if condition.state != Branch::Waiting {
                    condition.state = Branch::Over;
                    return Ok(());
                }
                condition.state = Branch::Over;
                let state = self.test(tokens, Directive::If)?;
                if let Some(condition) = self.conditions.last_mut() {
                    condition.state = state;
                }
                Ok(())
            }
        }
    }

    /// The innermost condition that was opened in this file or macro.
    fn open_condition(&mut self, span: Span) -> Parsed<&mut Condition> {
        let below = self.feeds.last().map_or(0, |feed| feed.conditions);
        if self.conditions.len() <= below {
            return Err(Box::new(
                Diagnostic::error("E0508", span, "no condition is open here")
                    .note("a condition begins with `.if`, `.ifdef` or `.ifndef`, in the same file or macro"),
            ));
        }
        self.conditions
            .last_mut()
            .ok_or_else(|| Box::new(Diagnostic::error("E0508", span, "no condition is open here")))
    }

    fn test(&mut self, tokens: &[Token], directive: Directive) -> Parsed<Branch> {
        let mut parser = self.parser_after_directive(tokens);
        let holds = if directive == Directive::If {
            let expr = parser.expression()?;
            parser.end()?;
            match self.sizing(expr) {
                Some(value) => value.number != 0,
                None => {
                    self.layout.lose_place();
                    return Ok(Branch::Over);
                }
            }
        } else {
            parser.take(Kind::At);
            let Some(token) = parser.take(Kind::DotIdent).or_else(|| parser.take(Kind::Ident))
            else {
                return Err(parser.unexpected("a name"));
            };
            parser.end()?;
            let name = parser.scopes.full_name(token, parser.names);
            let defined = self.symbols.lookup(token.scope, name).is_some()
                || self.macros.contains_key(&name)
                || self.structs.contains_key(&name);
            defined == (directive == Directive::Ifdef)
        };
        Ok(if holds { Branch::Taken } else { Branch::Waiting })
    }
}
