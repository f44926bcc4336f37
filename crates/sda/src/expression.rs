//! Expressions as they are kept: postfix operations in one long list, so
//! that no expression, however long or deep, can exhaust the stack.

use crate::names::Name;
use crate::source::Span;

/// One step of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Number(u64),
    /// A label or a constant. `at` tells `@name` from a bare `name`.
    Name {
        name: Name,
        scope: u32,
        at: bool,
    },
    /// `$`: the statement's first byte.
    Here,
    Negate,
    Complement,
    Binary(Binary),
    Function(Function),
    /// The bank of `bank:address`, as the address at which it begins.
    BankNumber,
    /// The address within it, added to the bank's.
    WithinBank,
    /// An expression that was wrong and has been reported.
    Poison,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}

/// The functions that cut an address into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    /// Bits 0–7.
    Lo,
    /// Bits 8–15.
    Hi,
    /// Bits 16–23.
    Bank,
    /// Bits 0–15.
    Word,
}

/// One operation with the text it came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub span: Span,
}

/// An expression: a run of nodes, and its whole text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expr {
    pub start: u32,
    pub length: u32,
    pub span: Span,
}

/// Every expression of the run.
#[derive(Default)]
pub(crate) struct Exprs {
    nodes: Vec<Node>,
}

impl Exprs {
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub fn push(&mut self, op: Op, span: Span) {
        self.nodes.push(Node { op, span });
    }

    pub fn nodes(&self, expr: Expr) -> &[Node] {
        &self.nodes[expr.start as usize..(expr.start + expr.length) as usize]
    }

    pub fn node(&self, expr: Expr, at: u32) -> Node {
        self.nodes[(expr.start + at) as usize]
    }

    /// Everything from `start` to the end as one expression.
    pub fn since(&self, start: u32, span: Span) -> Expr {
        Expr { start, length: self.len() - start, span }
    }

    /// An expression of one operation.
    pub fn single(&mut self, op: Op, span: Span) -> Expr {
        let start = self.len();
        self.push(op, span);
        self.since(start, span)
    }

    /// Drops what was pushed since `start`: a number that needs no keeping,
    /// a line that went wrong.
    pub fn truncate(&mut self, start: u32) {
        self.nodes.truncate(start as usize);
    }

    /// The number, if that is all there is.
    pub fn literal(&self, expr: Expr) -> Option<u64> {
        match (expr.length, self.node(expr, 0).op) {
            (1, Op::Number(value)) => Some(value),
            _ => None,
        }
    }

    /// Every name that an expression of the run mentions.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.nodes.iter().filter_map(|node| match node.op {
            Op::Name { name, .. } => Some(name),
            _ => None,
        })
    }

    /// Whether two expressions are the same text with the same scopes.
    pub fn same(&self, a: Expr, b: Expr) -> bool {
        let (a, b) = (self.nodes(a), self.nodes(b));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.op == b.op)
    }
}

impl Binary {
    /// How tightly C binds it; more is tighter.
    pub fn precedence(self) -> u8 {
        use Binary::*;
        match self {
            Multiply | Divide | Remainder => 8,
            Add | Subtract => 7,
            ShiftLeft | ShiftRight => 6,
            Less | LessEqual | Greater | GreaterEqual => 5,
            Equal | NotEqual => 4,
            And => 3,
            Xor => 2,
            Or => 1,
        }
    }
}
