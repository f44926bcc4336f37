//! Evaluation: expressions to values, without recursion, in 128 bits. The
//! same walk tells sizes' arguments, types and final values apart by `Mode`.

use crate::diagnostic::Diagnostic;
use crate::expression::{Binary, Expr, Function, Op};
use crate::literal::show;
use crate::names::{Name, in_case_of, nearest, nearest_reg};
use crate::pass::Pass;
use crate::source::Span;
use crate::symbols::{Defined, SymbolId};

/// A number, and whether it is an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Value {
    pub number: i128,
    pub address: bool,
}

/// A value that needs no evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub number: u64,
    pub address: bool,
}

impl From<Known> for Value {
    fn from(known: Known) -> Value {
        Value { number: known.number.into(), address: known.address }
    }
}

/// Why there is no value.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something that has been reported already is behind it.
    Known,
    /// To be reported.
    New(Box<Diagnostic>),
}

/// How far the assembler knows the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Everything is placed.
    Final,
    /// Sizes and places are being found: labels count only when above.
    Placing,
    /// Only the types matter, not the values.
    Types,
}

/// What is known of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memo {
    Open,
    Busy,
    Done(Value),
    Failed,
}

/// Values of constants that were worked out, by symbol number.
#[derive(Default)]
pub(crate) struct Values {
    numbers: Vec<Memo>,
    types: Vec<Memo>,
    stack: Vec<Value>,
    frames: Vec<Frame>,
}

/// An expression under evaluation.
#[derive(Clone, Copy)]
struct Frame {
    /// The constant whose value it is.
    symbol: Option<SymbolId>,
    expr: Expr,
    here: Option<u32>,
    at: u32,
}

/// What a name turned out to be.
enum Meaning {
    Value(Value),
    /// A constant whose value is wanted first.
    Wanted(SymbolId, Expr, Option<u32>),
}

impl Values {
    /// The value of a symbol once every constant has been worked out; `None`
    /// when it went wrong.
    pub fn of(&self, id: SymbolId, kind: Defined) -> Option<Value> {
        match (kind, self.numbers.get(id.0 as usize)) {
            (Defined::Label { address, .. }, _) => Some(Value::address(address)),
            (Defined::Constant { .. }, Some(Memo::Done(value))) => Some(*value),
            (Defined::Constant { expr, .. }, _) => expr.literal().map(Value::number),
        }
    }
}

impl Value {
    fn number(number: u64) -> Value {
        Value { number: number.into(), address: false }
    }

    fn address(address: u32) -> Value {
        Value { number: address.into(), address: true }
    }
}

impl Pass<'_, '_> {
    /// The value of `expr` in a statement that stands at `here` and belongs
    /// to `context`.
    pub(crate) fn evaluate(
        &mut self,
        expr: Expr,
        here: u32,
        context: u32,
        mode: Mode,
    ) -> Result<Value, Failure> {
        let known = match mode {
            Mode::Final => expr.alone().and_then(|op| self.known(op)).map(Value::from),
            Mode::Placing | Mode::Types => expr.literal().map(Value::number),
        };
        if let Some(value) = known {
            return Ok(value);
        }
        self.walk(Frame { symbol: None, expr, here: Some(here), at: 0 }, context, mode)
    }

    /// The value of a number or a name that nothing further down can change:
    /// a plain literal, a label or plain constant defined above.
    pub(crate) fn known(&self, op: Op) -> Option<Known> {
        let number = |number| Known { number, address: false };
        match op {
            Op::Number(value) => Some(number(value)),
            Op::Name { name, scope, .. } => {
                match self.symbols.kind(self.symbols.exact(scope, name)?) {
                    Defined::Label { address, .. } => {
                        Some(Known { number: address.into(), address: true })
                    }
                    Defined::Constant { expr, .. } => expr.literal().map(number),
                }
            }
            _ => None,
        }
    }

    /// The number that a longer expression is worth, if everything in it is
    /// known already. One that is an address or a part of it has more to it
    /// than its value.
    pub(crate) fn known_number(&self, expr: Expr) -> Option<Value> {
        /// Values that wait for an operator at most; of more, nothing is known.
        const DEEPEST: usize = 8;
        let mut stack = [Value::default(); DEEPEST];
        let mut depth = 0usize;
        for at in 0..expr.length() {
            let op = self.session.exprs.node(expr, at).op;
            let value = match op {
                Op::Number(number) => Value::number(number),
                Op::Name { .. } => self.known(op)?.into(),
                Op::Here => Value::address(self.layout.here),
                Op::Negate | Op::Complement => {
                    depth = depth.checked_sub(1)?;
                    Value { number: changed(op, stack.get(depth)?.number)?, address: false }
                }
                Op::Binary(operator) => {
                    depth = depth.checked_sub(2)?;
                    let [left, right] = *stack.get(depth..)?.first_chunk()?;
                    joined(operator, left, right)?
                }
                Op::Function(_) | Op::BankNumber | Op::WithinBank | Op::Poison => return None,
            };
            *stack.get_mut(depth)? = value;
            depth += 1;
        }
        Some(stack[0]).filter(|value| !value.address)
    }

    /// The value of a constant.
    pub(crate) fn constant(&mut self, id: SymbolId) -> Result<Value, Failure> {
        match self.memo(id, Mode::Final) {
            Memo::Done(value) => return Ok(value),
            Memo::Failed => return Err(Failure::Known),
            Memo::Open | Memo::Busy => {}
        }
        let symbol = self.symbols.get(id);
        match symbol.kind {
            Defined::Label { address, .. } => Ok(Value::address(address)),
            Defined::Constant { expr, here } => {
                if let Some(number) = expr.literal() {
                    return Ok(Value::number(number));
                }
                let frame = Frame { symbol: Some(id), expr, here, at: 0 };
                self.set_memo(id, Mode::Final, Memo::Busy);
                self.walk(frame, symbol.context, Mode::Final)
            }
        }
    }

    /// Whether the value of `expr` is an address, however its symbols are
    /// placed.
    pub(crate) fn is_address(&mut self, expr: Expr, here: u32) -> bool {
        self.evaluate(expr, here, 0, Mode::Types).is_ok_and(|value| value.address)
    }

    fn walk(&mut self, first: Frame, context: u32, mode: Mode) -> Result<Value, Failure> {
        let mut frames = std::mem::take(&mut self.values.frames);
        let mut stack = std::mem::take(&mut self.values.stack);
        frames.clear();
        stack.clear();
        frames.push(first);
        let result = self.follow(&mut frames, &mut stack, mode);
        let result = result.map_err(|failure| {
            // A constant above its labels' places may still come right.
            let outcome = if mode == Mode::Placing { Memo::Open } else { Memo::Failed };
            let constant = frames.iter().rev().find_map(|frame| frame.symbol);
            for symbol in frames.iter().filter_map(|frame| frame.symbol) {
                self.set_memo(symbol, mode, outcome);
            }
            match failure {
                // A constant may well depend on a later place; using it for
                // a size is what is wrong.
                Failure::New(mut error) if error.code == "E0309" && constant.is_some() => {
                    let node = self.session.exprs.node(first.expr, frames[0].at);
                    let cause = std::mem::replace(&mut error.span, node.span);
                    Failure::New(Box::new(error.also(cause, "this is placed later")))
                }
                Failure::New(error) if error.context == 0 => {
                    let context = constant.map_or(context, |id| self.symbols.get(id).context);
                    Failure::New(Box::new(error.within(context)))
                }
                failure => failure,
            }
        });
        self.values.frames = frames;
        self.values.stack = stack;
        result
    }

    fn follow(
        &mut self,
        frames: &mut Vec<Frame>,
        stack: &mut Vec<Value>,
        mode: Mode,
    ) -> Result<Value, Failure> {
        loop {
            let Some(frame) = frames.last_mut() else { return Ok(Value::default()) };
            if frame.at == frame.expr.length() {
                let value = stack.last().copied().unwrap_or_default();
                let done = frames.pop().and_then(|frame| frame.symbol);
                if let Some(symbol) = done {
                    self.set_memo(symbol, mode, Memo::Done(value));
                }
                if frames.is_empty() {
                    return Ok(value);
                }
                // The one who wanted it finds it in the memo.
                stack.pop();
                continue;
            }
            let node = self.session.exprs.node(frame.expr, frame.at);
            let here = frame.here;
            match node.op {
                Op::Number(value) => stack.push(Value::number(value)),
                Op::Poison => return Err(Failure::Known),
                Op::Here => match here {
                    Some(here) => stack.push(Value::address(here)),
                    None if mode == Mode::Types => {
                        stack.push(Value { number: 0, address: true });
                    }
                    None => return Err(self.later(node.span, "the place of a later statement")),
                },
                Op::Name { name, scope, at } => {
                    match self.meaning(name, scope, at, node.span, mode)? {
                        Meaning::Value(value) => stack.push(value),
                        Meaning::Wanted(id, expr, here) => {
                            if self.memo(id, mode) == Memo::Busy {
                                if mode == Mode::Types {
                                    stack.push(Value::default());
                                    if let Some(frame) = frames.last_mut() {
                                        frame.at += 1;
                                    }
                                    continue;
                                }
                                return Err(self.cycle(frames, id));
                            }
                            self.set_memo(id, mode, Memo::Busy);
                            frames.push(Frame { symbol: Some(id), expr, here, at: 0 });
                            continue;
                        }
                    }
                }
                Op::Negate | Op::Complement | Op::Function(_) => {
                    let value = stack.pop().unwrap_or_default();
                    stack.push(unary(node.op, value, node.span, mode)?);
                }
                Op::Binary(operator) => {
                    let right = stack.pop().unwrap_or_default();
                    let left = stack.pop().unwrap_or_default();
                    stack.push(binary(operator, left, right, node.span, mode)?);
                }
                Op::BankNumber => {
                    let bank = stack.pop().unwrap_or_default();
                    let number = part(bank, 8, "bank", "bank(x)", node.span, mode)? << 16;
                    stack.push(Value { number, address: true });
                }
                Op::WithinBank => {
                    let offset = stack.pop().unwrap_or_default();
                    let bank = stack.pop().unwrap_or_default().number;
                    let what = "address within a bank";
                    let number = bank | part(offset, 16, what, "word(x)", node.span, mode)?;
                    stack.push(Value { number, address: true });
                }
            }
            if let Some(frame) = frames.last_mut() {
                frame.at += 1;
            }
        }
    }

    fn meaning(
        &mut self,
        name: Name,
        scope: u32,
        at: bool,
        span: Span,
        mode: Mode,
    ) -> Result<Meaning, Failure> {
        let found = self.symbols.lookup(scope, name);
        let found = match mode {
            Mode::Final => found,
            _ => found.or_else(|| self.look_ahead(scope, name)),
        };
        let Some(id) = found else {
            if mode == Mode::Types {
                self.assumptions.push((scope, name, at));
                return Ok(Meaning::Value(Value { number: 0, address: at }));
            }
            if mode == Mode::Placing {
                self.unknown.push((scope, name));
                if self.previous.is_none() {
                    // The next pass will know it, or say what is wrong.
                    return Err(Failure::Known);
                }
            }
            return Err(self.undefined(scope, name, span));
        };
        let kind = self.symbols.kind(id);
        if let Defined::Constant { expr, .. } = kind
            && let Some(number) = expr.literal()
        {
            return Ok(Meaning::Value(Value::number(number)));
        }
        match self.memo(id, mode) {
            Memo::Done(value) => return Ok(Meaning::Value(value)),
            Memo::Failed => return Err(Failure::Known),
            Memo::Open | Memo::Busy => {}
        }
        match kind {
            Defined::Label { .. } if mode == Mode::Placing && self.symbols.is_ahead(id) => {
                let text = self.session.names.text(name);
                let what = format!("`{text}`, a label that is placed later");
                Err(self.later(span, &what))
            }
            Defined::Label { address, .. } => Ok(Meaning::Value(Value::address(address))),
            Defined::Constant { expr, here } => Ok(Meaning::Wanted(id, expr, here)),
        }
    }

    fn undefined(&mut self, scope: u32, name: Name, span: Span) -> Failure {
        if self.text_is_missing {
            return Failure::Known;
        }
        let may_suggest = self.may_suggest(self.symbols.len());
        let text = self.session.names.text(name);
        let mut error = Diagnostic::error("E0301", span, format!("`{text}` is not defined"));
        let candidates = || {
            let program = self.symbols.iter().filter(|symbol| may_suggest && symbol.scope == 0);
            program.map(|symbol| self.session.names.text(symbol.name))
        };
        let mut near = None;
        if let Some((plain, local)) = text.rsplit_once('.') {
            error = self.where_it_was_looked_for(error, scope, plain, local);
            near = candidates().find(|name| name.rsplit_once('.').is_some_and(|it| it.1 == local));
        } else if let Some(reg) = self.session.names.reg(name) {
            error = error.note(format!(
                "in a jump a bare name is a label; {} is also a register: JMPR and CALLR take registers",
                reg.name()
            ));
        } else if self.structs.contains_key(&name) {
            let note = format!("`{text}` is a structure; its length is `{text}.size`");
            return Failure::New(Box::new(error.note(note)));
        } else if self.macros.contains_key(&name) {
            let note = format!("`{text}` is a macro, which only begins statements");
            return Failure::New(Box::new(error.note(note)));
        }
        if let Some(near) = near.or_else(|| nearest(text, candidates())) {
            error = error.help(format!("there is `{near}`"));
            if !text.contains('.') {
                let at = self.session.sources.text(span).starts_with('@');
                error = error.replace(span, format!("{}{near}", if at { "@" } else { "" }));
            }
        } else if let Some(reg) = nearest_reg(text)
            && self.session.names.reg(name).is_none()
            && self.session.sources.text(span) == text
        {
            error = error
                .help(format!("there is the register {reg}"))
                .replace(span, in_case_of(text, reg));
        }
        Failure::New(Box::new(error))
    }

    /// The scopes of the local label or field `plain.local`.
    fn where_it_was_looked_for(
        &self,
        error: Diagnostic,
        scope: u32,
        plain: &str,
        local: &str,
    ) -> Diagnostic {
        let name = self.session.names.find(plain);
        if name.is_some_and(|name| self.structs.contains_key(&name)) {
            error.note(format!("`{plain}` is a structure without a field `{local}`"))
        } else if scope != 0 {
            error
                .note("it was looked for among the labels of the macro, then in the program")
                .help("a local label outside of the macro is written `plain.local`, or passed as an argument")
        } else if plain.is_empty() {
            error.note(format!(
                "no plain label stands before it, and there is no `.{local}` before the first one"
            ))
        } else {
            error.note(format!("it was looked for among the local labels of `{plain}`"))
        }
    }

    fn later(&self, span: Span, what: &str) -> Failure {
        Failure::New(Box::new(
            Diagnostic::error("E0309", span, format!("a size or place depends on {what}"))
                .note("`.address .fill .res .align .rept .if .page .var` may use constants in any order, and labels placed above"),
        ))
    }

    fn cycle(&mut self, frames: &[Frame], id: SymbolId) -> Failure {
        let symbol = self.symbols.get(id);
        let members: Vec<SymbolId> = frames
            .iter()
            .filter_map(|frame| frame.symbol)
            .skip_while(|&member| member != id)
            .collect();
        let text = |id: SymbolId| self.session.names.text(self.symbols.get(id).name).to_string();
        let mut chain: Vec<String> =
            members.iter().take(8).map(|&member| format!("`{}`", text(member))).collect();
        if members.len() > 8 {
            chain.push("…".into());
        }
        chain.push(format!("`{}`", text(id)));
        let message = if members.len() == 1 {
            format!("the constant `{}` is defined by itself", text(id))
        } else {
            format!("constants are defined by each other: {}", chain.join(" needs "))
        };
        let mut error = Diagnostic::error("E0303", symbol.span, message);
        for &member in members.iter().skip(1).take(8) {
            error = error
                .also(self.symbols.get(member).span, format!("`{}` is defined here", text(member)));
        }
        Failure::New(Box::new(error.within(symbol.context)))
    }

    fn memo(&self, id: SymbolId, mode: Mode) -> Memo {
        let list = if mode == Mode::Types { &self.values.types } else { &self.values.numbers };
        list.get(id.0 as usize).copied().unwrap_or(Memo::Open)
    }

    fn set_memo(&mut self, id: SymbolId, mode: Mode, memo: Memo) {
        let list =
            if mode == Mode::Types { &mut self.values.types } else { &mut self.values.numbers };
        let at = id.0 as usize;
        if list.len() <= at {
            list.resize(self.symbols.len().max(at + 1), Memo::Open);
        }
        list[at] = memo;
    }
}

fn unary(op: Op, value: Value, span: Span, mode: Mode) -> Result<Value, Failure> {
    let number = match mode {
        Mode::Types => 0,
        _ => changed(op, value.number).ok_or_else(|| overflow(span))?,
    };
    Ok(Value { number, address: false })
}

/// What an operator or function with one operand makes of `n`; `None` when it
/// does not fit.
fn changed(op: Op, n: i128) -> Option<i128> {
    Some(match op {
        Op::Negate => return n.checked_neg(),
        Op::Complement => !n,
        Op::Function(Function::Lo) => n & 0xFF,
        Op::Function(Function::Hi) => n >> 8 & 0xFF,
        Op::Function(Function::Bank) => n >> 16 & 0xFF,
        Op::Function(Function::Word) => n & 0xFFFF,
        _ => n,
    })
}

fn binary(
    operator: Binary,
    left: Value,
    right: Value,
    span: Span,
    mode: Mode,
) -> Result<Value, Failure> {
    if mode == Mode::Types {
        return Ok(Value { number: 0, address: is_address(operator, left, right) });
    }
    joined(operator, left, right).ok_or_else(|| match operator {
        Binary::Divide | Binary::Remainder if right.number == 0 => {
            Failure::New(Box::new(Diagnostic::error("E0307", span, "division by zero")))
        }
        Binary::ShiftLeft | Binary::ShiftRight if shift_count(right.number).is_none() => {
            let text = format!("a shift count of {}", show(right.number));
            Failure::New(Box::new(
                Diagnostic::error("E0308", span, text).note("a shift count is 0–127"),
            ))
        }
        _ => overflow(span),
    })
}

/// What an operator makes of two values; `None` when there is no such value, or
/// it does not fit.
fn joined(operator: Binary, left: Value, right: Value) -> Option<Value> {
    let (a, b) = (left.number, right.number);
    let number = match operator {
        Binary::Multiply => a.checked_mul(b)?,
        Binary::Divide => a.checked_div(b)?,
        Binary::Remainder if b == 0 => return None,
        Binary::Remainder => a.checked_rem(b).unwrap_or(0),
        Binary::Add => a.checked_add(b)?,
        Binary::Subtract => a.checked_sub(b)?,
        Binary::ShiftLeft => {
            let count = shift_count(b)?;
            Some(a << count).filter(|shifted| shifted >> count == a)?
        }
        Binary::ShiftRight => a >> shift_count(b)?,
        Binary::Less => (a < b).into(),
        Binary::LessEqual => (a <= b).into(),
        Binary::Greater => (a > b).into(),
        Binary::GreaterEqual => (a >= b).into(),
        Binary::Equal => (a == b).into(),
        Binary::NotEqual => (a != b).into(),
        Binary::And => a & b,
        Binary::Xor => a ^ b,
        Binary::Or => a | b,
    };
    Some(Value { number, address: is_address(operator, left, right) })
}

/// An address plus or minus a number is one; all else is a number.
fn is_address(operator: Binary, left: Value, right: Value) -> bool {
    match operator {
        Binary::Add => left.address != right.address,
        Binary::Subtract => left.address && !right.address,
        _ => false,
    }
}

fn shift_count(number: i128) -> Option<u32> {
    u32::try_from(number).ok().filter(|&count| count <= 127)
}

/// One side of `[bank:address]`, which has so many bits; `function` takes it
/// out of a whole address.
fn part(
    value: Value,
    bits: u32,
    what: &str,
    function: &str,
    span: Span,
    mode: Mode,
) -> Result<i128, Failure> {
    if mode == Mode::Types {
        return Ok(0);
    }
    let range = 0..1i128 << bits;
    if range.contains(&value.number) {
        return Ok(value.number);
    }
    let text = format!("{} is no {what}", show(value.number));
    let note = format!("`[bank:address]` takes 0 to {} here", range.end - 1);
    let help = format!("`{function}` takes this part of an address");
    Err(Failure::New(Box::new(Diagnostic::error("E0304", span, text).note(note).help(help))))
}

fn overflow(span: Span) -> Failure {
    Failure::New(Box::new(
        Diagnostic::error("E0306", span, "the result does not fit 128 bits")
            .note("expressions are evaluated in 128-bit signed arithmetic"),
    ))
}
