//! Sums: what plain numbers and known constants are worth together, read from the
//! text at once. Whatever else stands in an expression is left to the parser.

use crate::evaluate::Known;
use crate::expression::Op;
use crate::lex;
use crate::pass::Pass;

/// Parentheses within each other at most; of more, nothing is known.
const DEEPEST: usize = 4;

/// What stands before an operand, within the same parentheses.
#[derive(Clone, Copy)]
struct Before {
    sum: i64,
    /// To be multiplied by the operand and added to the sum.
    factor: i64,
}

impl Before {
    const NOTHING: Before = Before { sum: 0, factor: 1 };

    fn multiply(&mut self, value: i64) -> Option<()> {
        self.factor = self.factor.checked_mul(value)?;
        Some(())
    }

    /// What all of it is worth.
    fn all(self) -> Option<i64> {
        self.sum.checked_add(self.factor)
    }
}

impl Pass<'_, '_> {
    /// What the number or the sum that begins at `at` is worth, and where it ends,
    /// if [`Pass::known_sum`] knows it.
    pub(crate) fn known_value(&mut self, text: &str, at: usize) -> Option<(Known, usize)> {
        let bytes = text.as_bytes();
        if let Some((number, end)) = lex::plain_number(bytes, at)
            && !matches!(bytes.get(lex::few_blanks_end(bytes, end)), Some(b'+' | b'-' | b'*'))
        {
            return Some((Known { number: number.into(), address: false }, end));
        }
        self.known_sum(text, at)
    }

    /// What the sum that begins at `at` is worth, and where it ends, if all of it is
    /// made of plain numbers and constants that are known, of `+`, `-`, `*` and
    /// parentheses. What follows the end may make another expression of it.
    pub(crate) fn known_sum(&mut self, text: &str, mut at: usize) -> Option<(Known, usize)> {
        let bytes = text.as_bytes();
        let mut outer = [Before::NOTHING; DEEPEST];
        let mut depth = 0;
        let mut before = Before::NOTHING;
        loop {
            at = lex::few_blanks_end(bytes, at);
            if bytes.get(at) == Some(&b'(') {
                *outer.get_mut(depth)? = before;
                depth += 1;
                before = Before::NOTHING;
                at += 1;
                continue;
            }
            let (value, mut end) = match lex::plain_number(bytes, at) {
                Some((number, end)) => (number.into(), end),
                None => self.known_constant(text, at)?,
            };
            before.multiply(value)?;
            at = lex::few_blanks_end(bytes, end);
            while bytes.get(at) == Some(&b')') {
                depth = depth.checked_sub(1)?;
                let inner = before.all()?;
                before = outer[depth];
                before.multiply(inner)?;
                end = at + 1;
                at = lex::few_blanks_end(bytes, end);
            }
            before = match bytes.get(at) {
                Some(b'*') => before,
                Some(b'+') => Before { sum: before.all()?, factor: 1 },
                Some(b'-') => Before { sum: before.all()?, factor: -1 },
                _ if depth == 0 => {
                    let number = u64::try_from(before.all()?).ok()?;
                    return Some((Known { number, address: false }, end));
                }
                _ => return None,
            };
            at += 1;
        }
    }

    /// The value and the end of the constant whose bare name begins at `at`.
    // Its looks at text by the block would burden the loop above.
    #[inline(never)]
    fn known_constant(&mut self, text: &str, at: usize) -> Option<(i64, usize)> {
        if !lex::is_letter(text.as_bytes(), at) {
            return None;
        }
        let names = &mut self.session.names;
        let (name, end) = lex::name(text, at, 0, names);
        if names.reg(name).is_some() {
            return None;
        }
        // An address would have more to it, and the label be mentioned.
        let known = self.known(Op::Name { name, scope: 0, at: false });
        let known = known.filter(|known| !known.address)?;
        self.session.names.mention(name);
        Some((i64::try_from(known.number).ok()?, end))
    }
}
