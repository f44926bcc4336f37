//! How a diagnostic looks: the line that editors and scripts read, then the
//! source with the place underlined, drawn by annotate-snippets.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level as Tone, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Diagnostics, Level};
use crate::source::{Sources, Span};

/// Bytes of a source line that are shown at most; a longer one is cut.
const LONGEST_LINE: usize = 2000;

/// Every message of a run.
pub(crate) fn all(diagnostics: &Diagnostics, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut out = String::new();
    for diagnostic in &diagnostics.list {
        one(&mut out, diagnostic, &diagnostics.sources, &renderer, colour);
        out.push('\n');
    }
    out
}

fn one(
    out: &mut String,
    diagnostic: &Diagnostic,
    sources: &Sources,
    renderer: &Renderer,
    colour: bool,
) {
    let (word, tone, sgr) = match diagnostic.level {
        Level::Error => ("error", Tone::ERROR, "\x1b[1;91m"),
        Level::Warning => ("warning", Tone::WARNING, "\x1b[1;33m"),
    };
    let (on, bold, off) = if colour { (sgr, "\x1b[1m", "\x1b[0m") } else { ("", "", "") };
    let location = sources.location(diagnostic.span.lo);
    let message = printable(&diagnostic.message);
    *out += &format!(
        "{bold}{location}:{off} {on}{word}[{}]{off}{bold}: {message}{off}\n",
        diagnostic.code
    );

    let excerpt = Excerpt::of(sources, diagnostic.span);
    let mut snippet = excerpt.snippet(AnnotationKind::Primary, &diagnostic.label);
    let mut elsewhere = Vec::new();
    for (span, text) in &diagnostic.related {
        match excerpt.within(sources, *span) {
            Some(range) => {
                snippet =
                    snippet.annotation(AnnotationKind::Context.span(range).label(printable(text)));
            }
            None => elsewhere.push((Excerpt::of(sources, *span), text)),
        }
    }
    let mut main = Group::with_level(tone);
    let is_missing = sources.get(sources.place(diagnostic.span.lo).source).text.is_empty();
    if !is_missing {
        main = main.element(snippet);
    }
    for note in &diagnostic.notes {
        main = main.element(Tone::NOTE.message(printable(note)));
    }
    for help in &diagnostic.helps {
        main = main.element(Tone::HELP.message(printable(help)));
    }
    if is_missing && diagnostic.notes.is_empty() && diagnostic.helps.is_empty() {
        return;
    }
    let mut groups = vec![main];
    for (excerpt, text) in &elsewhere {
        let snippet = excerpt.snippet(AnnotationKind::Primary, "").path(excerpt.name.clone());
        groups.push(Tone::NOTE.secondary_title(printable(text)).element(snippet));
    }
    for line in renderer.render(&groups).lines() {
        *out += line.trim_end();
        out.push('\n');
    }
}

/// The line of a span, and where in it the span lies.
struct Excerpt<'a> {
    name: String,
    text: &'a str,
    line: u32,
    /// The position of the text's first byte.
    base: u32,
    lo: usize,
    hi: usize,
}

impl<'a> Excerpt<'a> {
    fn of(sources: &'a Sources, span: Span) -> Excerpt<'a> {
        let place = sources.place(span.lo);
        let source = sources.get(place.source);
        let (mut text, mut start) = source.line(place.line);
        let offset = (span.lo - source.base) as usize;
        let mut lo = offset.saturating_sub(start).min(text.len());
        if text.len() > LONGEST_LINE {
            let from = floor(text, lo.saturating_sub(LONGEST_LINE / 2));
            let to = floor(text, (from + LONGEST_LINE).min(text.len()));
            text = &text[from..to];
            start += from;
            lo -= from;
        }
        let length = (span.hi.saturating_sub(span.lo)) as usize;
        let hi = (lo + length).min(text.len()).max(lo);
        Excerpt {
            name: source.name.clone(),
            text,
            line: place.line,
            base: source.base + start as u32,
            lo: floor(text, lo),
            hi: floor(text, hi),
        }
    }

    fn snippet(
        &self,
        kind: AnnotationKind,
        label: &str,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let annotation = kind.span(self.lo..self.hi);
        let annotation =
            if label.is_empty() { annotation } else { annotation.label(printable(label)) };
        Snippet::source(self.text).line_start(self.line as usize).annotation(annotation)
    }

    /// Where `span` lies in this line, if it does.
    fn within(&self, sources: &Sources, span: Span) -> Option<std::ops::Range<usize>> {
        let place = sources.place(span.lo);
        let here = sources.place(self.base);
        let lo = span.lo.checked_sub(self.base)? as usize;
        let hi = (lo + (span.hi - span.lo) as usize).min(self.text.len());
        (place.source == here.source
            && place.line == here.line
            && lo < hi
            && self.text.is_char_boundary(lo)
            && self.text.is_char_boundary(hi))
        .then_some(lo..hi)
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The text with control characters made visible.
fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escape = c.is_control().then(|| c.escape_default());
            let plain = escape.is_none().then_some(c);
            escape.into_iter().flatten().chain(plain)
        })
        .collect()
}
