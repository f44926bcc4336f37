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

/// An expression, and its whole text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expr {
    pub span: Span,
    steps: Steps,
}

/// Most expressions are a number or a name: those need no place in the list. A
/// program keeps many of them, so that they are made of halves of 32 bits.
#[derive(Clone, Copy, Debug)]
enum Steps {
    /// Its lower half, and its upper one.
    Number([u32; 2]),
    Name {
        name: Name,
        scope: u32,
        at: bool,
    },
    Here,
    Poison,
    Many {
        start: u32,
        length: u32,
    },
}

const _: () = assert!(size_of::<Expr>() == 20);

impl Steps {
    /// The operation that stands for a value by itself.
    fn of(op: Op) -> Option<Steps> {
        Some(match op {
            Op::Number(value) => Steps::Number([value as u32, (value >> 32) as u32]),
            Op::Name { name, scope, at } => Steps::Name { name, scope, at },
            Op::Here => Steps::Here,
            Op::Poison => Steps::Poison,
            _ => return None,
        })
    }
}

impl Expr {
    /// An expression of one operation, which takes no operands.
    pub fn single(op: Op, span: Span) -> Expr {
        Expr { span, steps: Steps::of(op).unwrap_or(Steps::Poison) }
    }

    /// The operation, if that is all there is.
    pub fn alone(self) -> Option<Op> {
        Some(match self.steps {
            Steps::Number([low, high]) => Op::Number(u64::from(high) << 32 | u64::from(low)),
            Steps::Name { name, scope, at } => Op::Name { name, scope, at },
            Steps::Here => Op::Here,
            Steps::Poison => Op::Poison,
            Steps::Many { .. } => return None,
        })
    }

    /// The number, if that is all there is.
    pub fn literal(self) -> Option<u64> {
        match self.alone() {
            Some(Op::Number(value)) => Some(value),
            _ => None,
        }
    }

    /// The number of its operations.
    pub fn length(self) -> u32 {
        match self.steps {
            Steps::Many { length, .. } => length,
            _ => 1,
        }
    }
}

/// Every longer expression of the run.
#[derive(Default)]
pub(crate) struct Exprs {
    nodes: Vec<Node>,
    references: u32,
}

impl Exprs {
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Notes that the source says something whose value depends on the
    /// program: a name or `$`.
    pub fn refer(&mut self) {
        self.references = self.references.wrapping_add(1);
    }

    /// How many of those there have been, to compare with.
    pub fn references(&self) -> u32 {
        self.references
    }

    pub fn push(&mut self, op: Op, span: Span) {
        self.nodes.push(Node { op, span });
    }

    /// The operation number `at`, from 0.
    pub fn node(&self, expr: Expr, at: u32) -> Node {
        match expr.steps {
            Steps::Many { start, .. } => self.nodes[(start + at) as usize],
            _ => Node { op: expr.alone().unwrap_or(Op::Poison), span: expr.span },
        }
    }

    /// The operation that gives the value.
    pub fn outermost(&self, expr: Expr) -> Op {
        self.node(expr, expr.length() - 1).op
    }

    /// What the outermost operation, which takes one operand, is done to.
    pub fn operand(&self, expr: Expr) -> Expr {
        match expr.steps {
            Steps::Many { start, length } if length > 1 => {
                Expr { span: expr.span, steps: Steps::Many { start, length: length - 1 } }
            }
            _ => expr,
        }
    }

    /// The text of the operation pushed as number `at`.
    pub fn span_at(&self, at: u32) -> Span {
        self.nodes[at as usize].span
    }

    /// Everything from `start` to the end as one expression.
    pub fn since(&mut self, start: u32, span: Span) -> Expr {
        if let [node] = self.nodes[start as usize..]
            && node.span == span
            && let Some(steps) = Steps::of(node.op)
        {
            self.nodes.pop();
            return Expr { span, steps };
        }
        Expr { span, steps: Steps::Many { start, length: self.len() - start } }
    }

    /// Drops what was pushed since `start`: values that need no keeping, a
    /// line that went wrong.
    pub fn truncate(&mut self, start: u32) {
        self.nodes.truncate(start as usize);
    }

    /// Whether two expressions are the same text with the same scopes.
    pub fn same(&self, a: Expr, b: Expr) -> bool {
        a.length() == b.length()
            && (0..a.length()).all(|at| self.node(a, at).op == self.node(b, at).op)
    }
}

impl Function {
    /// The functions with their names.
    pub const ALL: [(&str, Function); 4] = [
        ("lo", Function::Lo),
        ("hi", Function::Hi),
        ("bank", Function::Bank),
        ("word", Function::Word),
    ];
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
