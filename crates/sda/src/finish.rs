//! The end of a run: overlaps and forbidden areas, segments, and the chains of
//! the messages – from a settled pass to a program.

use isa::memory_map::{self as map};

use crate::diagnostic::Diagnostic;
use crate::layout::{Record, Run};
use crate::pass::Pass;
use crate::program::Segment;
use crate::symbols::Cause;

/// Segments that a `.prg` can hold.
const MOST_SEGMENTS: usize = u16::MAX as usize;

/// What lies where no image may be, for messages.
const AREAS: [(u32, &str); 14] = [
    (map::KERNAL_VARIABLES.start, "the kernal's variables"),
    (map::KERNAL.start, "the kernal"),
    (map::STACK.start, "the stack"),
    (map::CHARACTER_ROM.start, "the character ROM"),
    (map::KERNAL_WORKSPACE.start, "the kernal's workspace"),
    (map::VECTORS.start, "the interrupt vectors"),
    (map::KERNAL_SCRATCH.start, "the kernal's scratch"),
    (map::KERNAL_SCRATCH.end, "the device cells"),
    (map::ARGUMENTS.start, "the argument string"),
    (map::USER_ORIGIN, "the program"),
    (map::FS_COMMAND_BLOCK.start, "the file system's command block"),
    (map::FS_COMMAND_BLOCK.end, "memory"),
    (map::TEXT_GLYPHS.start, "the video planes"),
    (map::FRAMEBUFFER.start, "the framebuffer and the palette"),
];

/// Emitted bytes that lie together, by ascending address: the address, where
/// they begin among all bytes, and how many there are.
#[derive(Default)]
pub(crate) struct Pieces(Vec<(u32, u32, u32)>);

impl Pieces {
    /// The segments, with their bytes out of all that were emitted.
    pub fn into_segments(self, all: Vec<u8>) -> Vec<Segment> {
        // Mostly everything lies together.
        if let [(address, 0, size)] = self.0[..]
            && size as usize == all.len()
        {
            return vec![Segment { address, bytes: all }];
        }
        let mut segments: Vec<Segment> = Vec::new();
        for (address, offset, size) in self.0 {
            let bytes = &all[offset as usize..(offset + size) as usize];
            match segments.last_mut() {
                Some(last) if last.end() == address => last.bytes.extend_from_slice(bytes),
                _ => segments.push(Segment { address, bytes: bytes.to_vec() }),
            }
        }
        segments
    }
}

/// A place that something takes: a run of statements or a variable.
struct Taken<'a> {
    address: u32,
    end: u32,
    run: Option<&'a Run>,
    variable: Option<&'a Record>,
}

impl Pass<'_, '_> {
    /// Two things at one address are an error that shows both.
    pub(crate) fn check_overlaps(&mut self) {
        if self.is_stopped() {
            return;
        }
        let layout = &self.layout;
        let runs = layout.runs.iter().map(|run| Taken {
            address: run.address,
            end: run.end,
            run: Some(run),
            variable: None,
        });
        let variables = layout.variables.iter().map(|variable| &variable.record);
        let variables = variables.map(|record| Taken {
            address: record.address,
            end: record.end(),
            run: None,
            variable: Some(record),
        });
        let mut taken: Vec<Taken<'_>> = runs.chain(variables).collect();
        taken.sort_by_key(|one| (one.address, one.end));
        let record = |taken: &Taken<'_>, address: u32| {
            taken.variable.copied().or_else(|| layout.record_at(taken.run?, address))
        };
        let mut errors = Vec::new();
        let mut furthest: Option<&Taken<'_>> = None;
        for next in &taken {
            if let Some(before) = furthest
                && next.address < before.end
                && let (Some(a), Some(b)) =
                    (record(before, next.address), record(next, next.address))
            {
                // The later one in the source is the one to blame.
                let (first, second) = if a.span().lo <= b.span().lo { (a, b) } else { (b, a) };
                let text = format!("two things lie at ${:06X}", next.address);
                errors.push(
                    Diagnostic::error("E0601", second.span(), text)
                        .also(first.span(), "this lies there, too")
                        .within(second.context),
                );
            }
            if furthest.is_none_or(|before| next.end > before.end) {
                furthest = Some(next);
            }
        }
        for error in errors {
            self.report(error);
        }
    }

    /// Bytes outside the areas that an image may cover are an error.
    pub(crate) fn check_areas(&mut self) {
        if self.is_stopped() {
            return;
        }
        let kernal = self.session.options.kernal;
        let areas: &[_] = if kernal { &map::KERNAL_AREAS } else { &map::PROGRAM_AREAS };
        let mut errors = Vec::new();
        let lies_inside =
            |run: &&Run| areas.iter().any(|area| area.start <= run.address && run.end <= area.end);
        for run in self.layout.runs.iter().filter(|run| !lies_inside(run)) {
            let bad = self.layout.records_of(run).filter(|record| !record.is_reserved()).find_map(
                |record| {
                    let inside = areas
                        .iter()
                        .find(|area| (area.start..area.end).contains(&record.address))
                        .map_or(record.address, |area| area.end.min(record.end()));
                    (inside < record.end()).then_some((record, inside))
                },
            );
            let Some((record, address)) = bad else { continue };
            let what = AREAS
                .iter()
                .rev()
                .find(|(start, _)| *start <= address)
                .map_or("reserved memory", |&(_, what)| what);
            let text = format!("no program may be loaded over {what}, ${address:06X}");
            let mut error = Diagnostic::error("E0602", record.span(), text)
                .note("an image may cover $000000–$00FFFF, $020100–$02DCFF and $02DF00–$EFFFFF");
            if map::KERNAL.contains(&address) {
                error = error.help("`--kernal` allows $010100–$01DBFF");
            } else {
                error = error.help("`.res` and `.var` name places there without loading anything");
            }
            errors.push(error.within(record.context));
        }
        for error in errors {
            self.report(error);
        }
    }

    /// Where the emitted bytes lie, touching pieces joined, if an image can hold
    /// so many.
    pub(crate) fn pieces(&mut self) -> Pieces {
        let mut pieces = Pieces(Vec::new());
        for run in &self.layout.runs {
            let mut emitted = self.layout.records_of(run).filter(|record| !record.is_reserved());
            if run.has_holes {
                pieces.0.extend(emitted.map(|record| (record.address, record.offset, record.size)));
            } else if let Some(first) = emitted.next() {
                pieces.0.push((run.address, first.offset, run.end - run.address));
            }
        }
        pieces.0.sort_unstable();
        let begins_segment = |pair: &&[(u32, u32, u32)]| pair[0].0 + pair[0].2 != pair[1].0;
        let segments = 1 + pieces.0.windows(2).filter(begins_segment).count();
        if segments > MOST_SEGMENTS {
            let span = self.layout.last_span();
            self.report(
                Diagnostic::error("E0606", span, "the program lies in too many separate pieces")
                    .note(format!(
                        "an image holds at most {MOST_SEGMENTS} segments, this one has {segments}"
                    )),
            );
        }
        pieces
    }

    /// Adds the chain of inclusions and expansions to every message.
    pub(crate) fn add_chains(&mut self) {
        const SHOWN: usize = 6;
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        for diagnostic in &mut diagnostics {
            let chain: Vec<_> = self.scopes.chain(diagnostic.context).collect();
            let hidden = chain.len().saturating_sub(SHOWN);
            for (at, context) in chain.iter().enumerate() {
                if hidden > 0 && at == SHOWN / 2 {
                    diagnostic.related.push((context.span, format!("… and {hidden} more between")));
                }
                if hidden > 0 && (SHOWN / 2..SHOWN / 2 + hidden).contains(&at) {
                    continue;
                }
                let text = match context.cause {
                    Cause::Include => "included here".into(),
                    Cause::Macro(name) => {
                        format!("in the expansion of `{}`", self.session.names.text(name))
                    }
                    Cause::Repeat | Cause::Root => "in this repetition".into(),
                };
                diagnostic.related.push((context.span, text));
            }
        }
        self.diagnostics = diagnostics;
    }
}
