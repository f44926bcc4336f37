//! The routines of a program and what they are like from outside.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use isa::Operand;

use super::value::{CELLS, Cells};
use crate::contract::Contract;
use crate::flow::{Flow, Image, Step};
use crate::program::{Program, Symbol, SymbolKind};

/// A routine: what its entry leads to without coming to another one.
pub(super) struct Routine {
    pub entry: u32,
    pub steps: BTreeMap<u32, Step>,
    /// It shares too much with too many others to be looked at.
    pub too_much: bool,
}

/// Instructions of all routines together, those that several share counted
/// each time: so many whatever the size of the program, and so many for each
/// of its own.
const MOST_STEPS: (usize, usize) = (100_000, 8);

/// What a call of a routine does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// Cells that it reads as its caller left them.
    pub inputs: Cells,
    /// Where it reads each of them first, and what it calls there.
    pub readers: BTreeMap<usize, (u32, Option<u32>)>,
    /// Nothing is known of it: its paths are too tangled.
    pub unknown: bool,
    /// A path returns.
    pub returns: bool,
    /// Each cell at its returns.
    pub cells: Vec<Outcome>,
    /// The same for the returns with carry clear and with carry set; empty
    /// where there are none.
    pub by_carry: [Vec<Outcome>; 2],
    /// The first instruction that does more than look: stores, draws, waits.
    pub acts: Option<u32>,
}

impl Summary {
    pub fn new() -> Summary {
        Summary { cells: vec![Outcome::default(); CELLS], ..Summary::default() }
    }

    /// Of a routine that was given up.
    pub fn unknown() -> Summary {
        Summary { unknown: true, returns: true, ..Summary::new() }
    }
}

/// A cell at the returns of a routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// On some path it is what it was.
    pub kept: bool,
    /// On some path it is something else.
    pub other: bool,
    /// On some path it is something that nobody meant.
    pub undefined: bool,
    /// On every path it is this.
    pub constant: Option<u8>,
    /// The cells that were written together with it.
    pub view: Cells,
}

/// The routines, and where everything is found.
pub(super) struct Routines<'a> {
    pub flow: Flow<'a>,
    /// Where routines begin.
    pub entries: BTreeSet<u32>,
    /// Those that are called or promise something: a path that comes to one
    /// goes on in another routine.
    pub bounds: BTreeSet<u32>,
    pub contracts: HashMap<u32, &'a Contract>,
}

impl<'a> Routines<'a> {
    pub fn of(program: &'a Program) -> Routines<'a> {
        let image = Image::of_segments(&program.segments);
        let code = Code::of(program);
        let labels: Vec<&Symbol> = program
            .symbols
            .iter()
            .filter(|symbol| symbol.kind != SymbolKind::Constant)
            .filter(|symbol| code.starts.contains(&(symbol.value as u32)))
            .collect();
        let mut named: HashMap<u32, Vec<&str>> = HashMap::new();
        for label in labels.iter().filter(|label| label.scope.is_empty()) {
            let local = label.name.rsplit('.').next().unwrap_or(&label.name);
            named.entry(label.value as u32).or_default().push(local);
        }
        let may_be_code = |address: u32| code.covers(address);
        let contracts: HashMap<u32, &Contract> =
            program.contracts.iter().map(|contract| (contract.address, contract)).collect();

        let mut roots = taken(program, &named, &BTreeSet::new());
        roots.insert(program.entry);
        let first = Flow::follow(&image, roots.iter().copied(), &may_be_code);
        // Labels that the program never comes to: routines for others.
        let plain =
            labels.iter().filter(|label| label.kind == SymbolKind::Label && label.scope.is_empty());
        let unused: Vec<u32> =
            plain.map(|label| label.value as u32).filter(|&at| first.at(at).is_none()).collect();
        let tables: BTreeSet<u32> = first
            .tables()
            .flat_map(|table| table.address..table.address + 3 * u32::from(table.entries))
            .collect();
        let flow = match unused.is_empty() {
            true => first,
            false => Flow::follow(&image, roots.iter().chain(&unused).copied(), &may_be_code),
        };
        let taken = taken(program, &named, &tables);
        let promised = contracts.keys().copied();
        let reached = |address: &u32| flow.at(*address).is_some();
        let bounds: BTreeSet<u32> =
            flow.calls().chain(promised).chain([program.entry]).filter(reached).collect();
        let mut entries: BTreeSet<u32> = taken.into_iter().filter(reached).collect();
        entries.extend(&bounds);
        let mut met: BTreeSet<u32> = BTreeSet::new();
        let mut left = most_steps(&flow);
        for label in unused.into_iter().collect::<BTreeSet<u32>>() {
            if !met.contains(&label) {
                let steps = flow.routine(label, &bounds, left).unwrap_or_default();
                left -= steps.len();
                met.extend(steps.iter().map(|step| step.address));
                entries.insert(label);
            }
        }
        Routines { flow, entries, bounds, contracts }
    }

    /// All of them, by their entries; those that are called or promise
    /// something before the others when they are too much together.
    pub fn all(&self) -> BTreeMap<u32, Routine> {
        let mut left = most_steps(&self.flow);
        let (first, others): (Vec<u32>, Vec<u32>) =
            self.entries.iter().partition(|entry| self.bounds.contains(entry));
        let routine = |entry: u32| {
            let steps = self.flow.routine(entry, &self.bounds, left);
            let too_much = steps.is_none();
            let steps = steps.into_iter().flatten().map(|step| (step.address, step));
            let steps: BTreeMap<u32, Step> = steps.collect();
            left -= steps.len();
            (entry, Routine { entry, steps, too_much })
        };
        first.into_iter().chain(others).map(routine).collect()
    }
}

fn most_steps(flow: &Flow<'_>) -> usize {
    let (always, for_each) = MOST_STEPS;
    always + for_each * flow.steps().count()
}

/// Where the program's instructions are, by its statements.
struct Code {
    starts: BTreeSet<u32>,
    /// First address and the one behind the last, ascending.
    pieces: Vec<(u32, u32)>,
}

impl Code {
    fn of(program: &Program) -> Code {
        let code = || program.statements().iter().filter(|one| one.code && !one.is_reserved);
        let mut pieces: Vec<(u32, u32)> =
            code().map(|one| (one.address, one.address + one.size)).collect();
        pieces.sort_unstable();
        pieces.dedup_by(|next, last| {
            let joined = next.0 <= last.1;
            if joined {
                last.1 = last.1.max(next.1);
            }
            joined
        });
        Code { starts: code().map(|one| one.address).collect(), pieces }
    }

    fn covers(&self, address: u32) -> bool {
        let behind = self.pieces.partition_point(|&(start, _)| start <= address);
        self.pieces[..behind].last().is_some_and(|&(_, end)| address < end)
    }
}

/// The labels of code whose address stands in data or in an immediate, the
/// bytes in `tables` left out. Bytes are an address when the line that made
/// them names the label.
fn taken(
    program: &Program,
    labels: &HashMap<u32, Vec<&str>>,
    tables: &BTreeSet<u32>,
) -> BTreeSet<u32> {
    let mut taken = BTreeSet::new();
    let mut lines: HashMap<(usize, u32), HashSet<&str>> = HashMap::new();
    for statement in program.statements() {
        let mut meet = |value: u32| {
            let Some(names) = labels.get(&value) else { return };
            let mut mentions = |(source, line)| {
                let words = || words(program.sources.get(source).line(line).0);
                let words = lines.entry((source, line)).or_insert_with(words);
                names.iter().any(|name| words.contains(name))
            };
            if mentions((statement.source, statement.line)) || mentions(statement.caller) {
                taken.insert(value);
            }
        };
        let bytes = program.bytes_of(statement);
        if statement.code {
            let operands = isa::decode(bytes).map_or([None; 4], |decoded| decoded.operands);
            for operand in operands.into_iter().flatten() {
                if let Operand::Imm { value, width: 3 } = operand {
                    meet(value as u32);
                }
            }
        } else {
            let outside = |at: &usize| !tables.contains(&(statement.address + *at as u32));
            for at in (0..bytes.len().saturating_sub(2)).filter(outside) {
                meet(u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0]));
            }
        }
    }
    taken
}

/// The names in a line of source, outside strings and comments.
fn words(line: &str) -> HashSet<&str> {
    let mut words = HashSet::new();
    let mut quote = None;
    let mut escaped = false;
    let mut start = 0;
    for (at, c) in line.char_indices().chain([(line.len(), '\n')]) {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c.is_ascii_alphanumeric() || c == '_' || c == '?' => continue,
            None => {
                if start < at {
                    words.insert(&line[start..at]);
                }
                match c {
                    ';' => break,
                    '"' | '\'' => quote = Some(c),
                    _ => {}
                }
            }
        }
        start = at + c.len_utf8();
    }
    words
}
