//! The index of a source: which names it defines and uses and which files it
//! asks for, read from the text alone – so it is there while a program has
//! errors, for editors.

mod cursor;
mod statement;
mod word;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use crate::lex;
use crate::names::Names;

pub use cursor::{Cursor, Place, cursor};
pub use word::{Word, WordKind, is_name, word_at};

use statement::Reader;

/// Where a name is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The program's labels, variables, constants and structures.
    Program,
    /// The labels and parameters of one macro's body, by the macro's number
    /// in its source, from 0.
    Body(u32),
    /// The macros.
    Macros,
}

/// What sort of name a definition gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// `name:`
    Label,
    /// `.name:`
    Local,
    /// `.var`
    Variable,
    /// `.equ` and `=`
    Constant,
    /// `.struct`
    Struct,
    /// A line of a structure; its size, too.
    Field,
    /// `.macro`
    Macro,
    /// A macro's parameter.
    Parameter,
}

/// What an occurrence of a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name is defined.
    Definition(NameKind),
    /// The name is used.
    Use,
    /// The name is a macro's argument: of this macro, as the index numbers
    /// names, and at this place, from 0.
    Argument(u32, u32),
}

/// A place at which a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its number in the index.
    pub name: u32,
    /// Where the name is looked for.
    pub space: Space,
    /// The bytes of its last part: `.loop` of `main.loop`, `hp` of `OBJ.hp`,
    /// without the `\@` behind it or the `\` before it.
    pub range: Range<usize>,
    /// What it is.
    pub role: Role,
}

/// A file that a source asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// The name as it is written.
    pub file: String,
    /// Its bytes, without the quotes.
    pub range: Range<usize>,
    /// `.include`, not `.incbin`.
    pub is_source: bool,
}

/// A macro as its source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroIndex {
    /// The number of its name.
    pub name: u32,
    /// Its parameters, in order.
    pub parameters: Vec<String>,
    /// The places of the parameters that the body defines as names: `\p:`.
    pub defines: Vec<u32>,
    /// The bytes from its name to the end of `.endm`.
    pub range: Range<usize>,
}

/// The names of one source.
#[derive(Clone, Debug, Default)]
pub struct Index {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    occurrences: Vec<Occurrence>,
    inclusions: Vec<Inclusion>,
    macros: Vec<MacroIndex>,
}

impl Index {
    /// Reads a source. Never fails: what makes no sense is left out. Time and
    /// memory are linear in its length, which is at most 4 GB.
    pub fn new(source: &str) -> Index {
        let mut reader = Reader::new(source);
        let mut names = Names::default();
        let mut tokens = Vec::new();
        let mut at = if source.starts_with('\u{FEFF}') { 3 } else { 0 };
        while at < source.len() {
            tokens.clear();
            at = lex::line(source, at, 0, &mut names, &mut tokens);
            reader.line(&tokens, &names);
        }
        reader.finish()
    }

    /// Every occurrence, in the order of places.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The occurrences at byte `offset`; the end of a name counts.
    pub fn at(&self, offset: usize) -> impl Iterator<Item = &Occurrence> {
        let first = self.occurrences.partition_point(|one| one.range.end < offset);
        self.occurrences[first..].iter().take_while(move |one| one.range.start <= offset)
    }

    /// The occurrences of the name with this text in a space.
    pub fn of<'a>(&'a self, text: &str, space: Space) -> impl Iterator<Item = &'a Occurrence> {
        let number = self.numbers.get(text).copied();
        let list: &[Occurrence] = if number.is_some() { &self.occurrences } else { &[] };
        list.iter().filter(move |one| Some(one.name) == number && one.space == space)
    }

    /// The text of a name, as symbol tables have it: `main`, `main.loop`,
    /// `OBJ.hp`; a parameter's begins with `\`, and a name made with `\@`
    /// ends in it.
    pub fn text(&self, name: u32) -> &str {
        &self.texts[name as usize]
    }

    /// The files that the source asks for, in order.
    pub fn inclusions(&self) -> &[Inclusion] {
        &self.inclusions
    }

    /// The macros that the source declares, in order.
    pub fn macros(&self) -> &[MacroIndex] {
        &self.macros
    }
}
