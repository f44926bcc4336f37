//! The blocks that are open at a line: how far it is indented, and whether it
//! is a field.

use crate::directive::Directive;

/// Columns of one step.
const STEP: usize = 4;
/// Blocks within each other that are still indented.
const DEEPEST: usize = 16;

/// What indents the lines up to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Macro,
    Repeat,
    Condition,
}

/// The open blocks.
#[derive(Default)]
pub(super) struct Blocks {
    open: Vec<Block>,
    /// Whether the lines are fields of a `.struct`.
    pub in_struct: bool,
}

impl Blocks {
    /// How deep the line of a directive stands; what follows it may be deeper.
    pub fn directive(&mut self, directive: Directive) -> Depth {
        use Directive::*;
        match directive {
            Endm => self.close(Block::Macro),
            Endr => self.close(Block::Repeat),
            Endif => self.close(Block::Condition),
            Struct => self.in_struct = true,
            Ends => self.in_struct = false,
            _ => {}
        }
        let here = self.depth();
        match directive {
            Macro => self.open.push(Block::Macro),
            Rept => self.open.push(Block::Repeat),
            If | Ifdef | Ifndef => self.open.push(Block::Condition),
            Elif | Else if self.open.last() == Some(&Block::Condition) => {
                return Depth(here.0 - 1);
            }
            _ => {}
        }
        here
    }

    /// How deep any other line stands.
    pub fn depth(&self) -> Depth {
        Depth(self.open.len())
    }

    /// Closes the innermost block of this kind and all within; an end without
    /// a beginning closes nothing.
    fn close(&mut self, block: Block) {
        if let Some(at) = self.open.iter().rposition(|&open| open == block) {
            self.open.truncate(at);
        }
    }
}

/// How many blocks a line is in.
#[derive(Clone, Copy)]
pub(super) struct Depth(usize);

impl Depth {
    /// Columns before a statement that declares.
    pub fn outer(self) -> usize {
        self.0.min(DEEPEST) * STEP
    }

    /// Columns before a statement that emits.
    pub fn inner(self) -> usize {
        self.outer().max(STEP)
    }
}
