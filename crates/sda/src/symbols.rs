//! The symbol table of one pass: labels, variables and constants of the
//! program and of every macro expansion.

use rustc_hash::FxHashMap;

use crate::expression::Expr;
use crate::lex::{Kind, Token};
use crate::names::{Name, Names};
use crate::source::Span;

/// The number of a symbol in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub u32);

/// One symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    pub name: Name,
    /// The expansion it belongs to; 0 is the program.
    pub scope: u32,
    pub span: Span,
    pub context: u32,
    pub kind: Defined,
}

/// A label or variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub name: Name,
    pub span: Span,
    pub context: u32,
    pub address: u32,
    pub sort: Sort,
}

/// What a symbol was defined as.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Defined {
    /// A place, and what sort of name it has.
    Label { address: u32, sort: Sort },
    /// An expression; `here` is the place of its `$`, `None` while the
    /// definition lies further down.
    Constant { expr: Expr, here: Option<u32> },
}

/// The sorts of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// `name:`
    Plain,
    /// `.name:`
    Local,
    /// `.var`
    Variable,
}

type Scoped<T> = FxHashMap<(u32, u32), T>;

/// A symbol as it is kept: there are many, and most are labels, for which an
/// expression would take room in vain.
struct Kept {
    name: Name,
    scope: u32,
    context: u32,
    /// The address of a label; of a constant its number among them.
    value: u32,
    /// Where its name is written, and the characters of it, as far as they count.
    lo: u32,
    length: u16,
    kind: KeptKind,
}

const _: () = assert!(size_of::<Kept>() == 24);

#[derive(Clone, Copy)]
enum KeptKind {
    Label(Sort),
    Constant,
}

impl Kept {
    fn span(&self) -> Span {
        Span { lo: self.lo, hi: self.lo + u32::from(self.length) }
    }
}

/// Names for which the list of the program's symbols grows at once.
const GLOBALS_ADDED: usize = 1024;

/// All symbols.
#[derive(Default)]
pub(crate) struct Symbols {
    list: Vec<Kept>,
    /// Of the constants, what they are and the place of their `$`.
    constants: Vec<(Expr, Option<u32>)>,
    /// By name: the program's symbol, one more than its number; 0 is none.
    globals: Vec<u32>,
    /// By scope and name: the symbols of expansions.
    scoped: Scoped<SymbolId>,
    /// Symbols whose definition lies further down, as the last pass met it.
    ahead: Scoped<SymbolId>,
}

impl Symbols {
    pub fn get(&self, id: SymbolId) -> Symbol {
        let kept = &self.list[id.0 as usize];
        let Kept { name, scope, context, .. } = *kept;
        Symbol { name, scope, span: kept.span(), context, kind: self.kind_of(kept) }
    }

    /// What the symbol was defined as.
    pub fn kind(&self, id: SymbolId) -> Defined {
        self.kind_of(&self.list[id.0 as usize])
    }

    fn kind_of(&self, kept: &Kept) -> Defined {
        match kept.kind {
            KeptKind::Label(sort) => Defined::Label { address: kept.value, sort },
            KeptKind::Constant => {
                let (expr, here) = self.constants[kept.value as usize];
                Defined::Constant { expr, here }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Symbol> {
        self.ids().map(|id| self.get(id))
    }

    /// The labels and variables whose scope and name are wanted.
    pub fn labels(&self, is_wanted: impl Fn(u32, Name) -> bool) -> impl Iterator<Item = Label> {
        (0..).map(SymbolId).zip(&self.list).filter_map(move |(id, kept)| {
            let Kept { name, scope, context, value: address, .. } = *kept;
            match kept.kind {
                KeptKind::Label(sort) if is_wanted(scope, name) && !self.is_ahead(id) => {
                    Some(Label { name, span: kept.span(), context, address, sort })
                }
                _ => None,
            }
        })
    }

    /// Every number, also of symbols known from the last pass only.
    pub fn ids(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.list.len() as u32).map(SymbolId)
    }

    /// Makes room for so many more symbols.
    pub fn reserve(&mut self, count: usize) {
        self.list.reserve(count);
        self.constants.reserve(count / 2);
        self.globals.reserve(count);
    }

    /// Defines a symbol, or says which one has the name already.
    pub fn define(&mut self, symbol: Symbol) -> Result<SymbolId, SymbolId> {
        if let Some(other) = self.exact(symbol.scope, symbol.name) {
            return Err(other);
        }
        let id = self.push(symbol);
        if symbol.scope == 0 {
            let at = symbol.name.0 as usize;
            if self.globals.len() <= at {
                self.globals.resize((at + 1).next_multiple_of(GLOBALS_ADDED), 0);
            }
            self.globals[at] = id.0 + 1;
        } else {
            self.scoped.insert((symbol.scope, symbol.name.0), id);
        }
        Ok(id)
    }

    /// The symbol that `name` means in `scope`: the expansion's own, then
    /// the program's.
    pub fn lookup(&self, scope: u32, name: Name) -> Option<SymbolId> {
        self.exact(scope, name).or_else(|| if scope == 0 { None } else { self.exact(0, name) })
    }

    /// A symbol known from the last pass only.
    pub fn ahead(&self, scope: u32, name: Name) -> Option<SymbolId> {
        self.ahead.get(&(scope, name.0)).copied()
    }

    /// Notes a symbol whose definition is still to come.
    pub fn add_ahead(&mut self, scope: u32, name: Name, symbol: Symbol) -> SymbolId {
        let id = self.push(symbol);
        self.ahead.insert((scope, name.0), id);
        id
    }

    /// Every symbol taken from the last pass, by the name that asked for it.
    pub fn all_ahead(&self) -> impl Iterator<Item = (u32, Name, SymbolId)> {
        self.ahead.iter().map(|(&(scope, name), &id)| (scope, Name(name), id))
    }

    /// Whether a symbol is only known from the last pass.
    pub fn is_ahead(&self, id: SymbolId) -> bool {
        if self.ahead.is_empty() {
            return false;
        }
        let Kept { scope, name, .. } = self.list[id.0 as usize];
        self.exact(scope, name) != Some(id)
    }

    fn push(&mut self, symbol: Symbol) -> SymbolId {
        let Symbol { name, scope, span, context, kind } = symbol;
        let (kind, value) = match kind {
            Defined::Label { address, sort } => (KeptKind::Label(sort), address),
            Defined::Constant { expr, here } => {
                self.constants.push((expr, here));
                (KeptKind::Constant, self.constants.len() as u32 - 1)
            }
        };
        let length = u16::try_from(span.hi - span.lo).unwrap_or(u16::MAX);
        self.list.push(Kept { name, scope, context, value, lo: span.lo, length, kind });
        SymbolId(self.list.len() as u32 - 1)
    }

    /// The symbol of exactly this scope.
    pub fn exact(&self, scope: u32, name: Name) -> Option<SymbolId> {
        if scope == 0 {
            self.globals.get(name.0 as usize)?.checked_sub(1).map(SymbolId)
        } else {
            self.scoped.get(&(scope, name.0)).copied()
        }
    }
}

/// Why a statement stands where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A file given to the assembler.
    Root,
    /// `.include`.
    Include,
    /// A macro of this name was called.
    Macro(Name),
    /// `.rept`.
    Repeat,
}

/// One inclusion or expansion; its number is also the scope of a macro's
/// own labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub parent: u32,
    pub cause: Cause,
    /// The statement that asked for it.
    pub span: Span,
    /// How many stand within each other.
    pub depth: u32,
    /// The last plain label of the scope: local labels belong to it.
    pub plain: Option<Name>,
}

/// Every inclusion and expansion of a pass; number 0 is the program.
pub(crate) struct Scopes {
    list: Vec<Context>,
    /// Local names that were joined with their plain label lately.
    joined: Vec<Joined>,
}

struct Joined {
    plain: Name,
    local: Name,
    full: Name,
}

/// Joined names that are remembered at most.
const MOST_JOINED: usize = 16;

impl Default for Scopes {
    fn default() -> Scopes {
        let program =
            Context { parent: 0, cause: Cause::Root, span: Span::default(), depth: 0, plain: None };
        Scopes { list: vec![program], joined: Vec::new() }
    }
}

impl Scopes {
    pub fn get(&self, number: u32) -> &Context {
        &self.list[number as usize]
    }

    pub fn add(&mut self, parent: u32, cause: Cause, span: Span) -> u32 {
        let depth = self.list[parent as usize].depth + 1;
        self.list.push(Context { parent, cause, span, depth, plain: None });
        self.list.len() as u32 - 1
    }

    pub fn set_plain(&mut self, scope: u32, name: Name) {
        self.list[scope as usize].plain = Some(name);
        self.joined.clear();
    }

    /// The name that `token` writes as the symbol table has it: a local label with
    /// the plain label before it.
    #[inline]
    pub fn full_name(&mut self, token: Token, names: &mut Names) -> Name {
        if token.kind == Kind::DotIdent { self.local_name(token, names) } else { token.name() }
    }

    /// The full name of the local label that `token` writes.
    pub fn local_name(&mut self, token: Token, names: &mut Names) -> Name {
        let local = token.name();
        let Some(plain) = self.list[token.scope as usize].plain else { return local };
        let known = self.joined.iter().find(|one| one.local == local && one.plain == plain);
        if let Some(known) = known {
            return known.full;
        }
        if self.joined.len() == MOST_JOINED {
            self.joined.clear();
        }
        let full = names.join(plain, local);
        self.joined.push(Joined { plain, local, full });
        full
    }

    /// The statement at `span`, or the outermost macro call in the same file
    /// that it came from.
    pub fn caller_span(&self, span: Span, context: u32) -> Span {
        self.chain(context)
            .take_while(|context| context.cause != Cause::Include)
            .filter(|context| matches!(context.cause, Cause::Macro(_)))
            .last()
            .map_or(span, |context| context.span)
    }

    /// From the innermost cause outwards, without the program.
    pub fn chain(&self, mut number: u32) -> impl Iterator<Item = &Context> {
        std::iter::from_fn(move || {
            let context = &self.list[number as usize];
            (number != 0).then(|| {
                number = context.parent;
                context
            })
        })
    }
}
