//! Which instructions are compiled together: from an address on, everything
//! that can be reached by jumps and by calls, which are taken in as often as
//! they are made, up to a limit.

use std::collections::HashMap;
use std::rc::Rc;

use isa::memory_map::{ADDRESS_MASK, MEMORY_SIZE, STACK};
use isa::{Decoded, MAX_LENGTH, Operand, Reg};

/// Most instructions of a region.
const MOST_STEPS: usize = 384;
/// Most instructions of a block.
const MOST_IN_BLOCK: usize = 48;
/// Most calls within calls that are taken in.
const DEEPEST: usize = 6;

/// The most instructions for which there must be time at once.
const LONGEST_WAY: u64 = 256;

/// All of memory.
pub type Bytes = [u8; MEMORY_SIZE];

/// Blocks that are compiled to one function; the first is its entry.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) blocks: Vec<Block>,
}

/// Instructions that are always executed one after the other.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) at: u32,
    /// Whether a control instruction leads here.
    pub(crate) after_control: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) end: End,
    /// The time to ask for before it: enough for all until the next block that
    /// asks. 0 when another has asked for it.
    pub(crate) asks: u64,
}

/// An instruction and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) at: u32,
    pub(crate) decoded: Decoded,
    /// FLAGS.S, which is known: loads and counts leave the flags alone.
    pub(crate) fast: bool,
}

impl Step {
    /// The address of the instruction behind this one.
    pub(crate) fn next(&self) -> u32 {
        self.at.wrapping_add(self.decoded.length.into()) & ADDRESS_MASK
    }
}

/// How a block ends. The control instruction, if there is one, is its last
/// step.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// It goes on there, whatever the last step.
    Next(Target),
    /// A condition of the last step: taken, not taken.
    Branch(Condition, Target, Target),
    /// The last step is a call of an address that is known.
    Call(Target),
    /// The last step is a call of what is in a register.
    CallRegister(Reg),
    /// The last step is a jump to what is in a register.
    JumpRegister(Reg),
    /// The last step is RET. The call that was taken in would have it come
    /// back to the address and block.
    Return(Option<(u32, Target)>),
    /// The last step is JTAB: the index, entries, the table, and where it goes
    /// when the index is too high.
    Table { index: Reg, count: u16, table: u32, beyond: Target },
    /// The instruction at this address is left to the interpreter.
    Interpret(u32),
}

impl End {
    /// The blocks that it goes on in.
    fn blocks(&self) -> Vec<usize> {
        let targets = match self {
            End::Next(target) | End::Call(target) | End::Table { beyond: target, .. } => {
                [Some(*target), None]
            }
            End::Return(Some((_, target))) => [Some(*target), None],
            End::Branch(_, taken, not_taken) => [Some(*taken), Some(*not_taken)],
            End::Return(None) | End::CallRegister(_) | End::JumpRegister(_) | End::Interpret(_) => {
                [None, None]
            }
        };
        let block = |target| match target {
            Target::Block(number) => Some(number),
            Target::Leave(_) => None,
        };
        targets.into_iter().flatten().filter_map(block).collect()
    }
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// To a block of the region.
    Block(usize),
    /// To an address outside of it.
    Leave(u32),
}

/// What a conditional jump asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) flag: Flag,
    pub(crate) set: bool,
}

/// The flags that jumps ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    Zero,
    Carry,
    Negative,
    Overflow,
}

/// What makes a block another than that at the same address: the calls that
/// it returns to, and what is known of the flags.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    at: u32,
    fast: bool,
    after_control: bool,
    calls: Option<Rc<Call>>,
}

/// A call that was taken in, and the ones around it.
#[derive(PartialEq, Eq, Hash)]
struct Call {
    back: u32,
    depth: usize,
    outer: Option<Rc<Call>>,
}

impl Region {
    /// The region that begins at `at`, of blocks of which `is_warm` says by the
    /// addresses of their instructions that they are executed often enough.
    /// `None` when the first instruction can't be compiled.
    pub(crate) fn find(
        memory: &Bytes,
        at: u32,
        fast: bool,
        is_warm: &dyn Fn(&[u32]) -> bool,
    ) -> Option<Region> {
        let entry = Place { at, fast, after_control: true, calls: None };
        let numbers = HashMap::from([(entry.clone(), 0)]);
        let (places, warm) = (vec![entry], HashMap::new());
        let mut search = Search { memory, is_warm, warm, places, numbers, steps: 0 };
        let mut blocks = Vec::new();
        while let Some(place) = search.places.get(blocks.len()).cloned() {
            blocks.push(search.block(place));
        }
        let is_empty = blocks.first().is_none_or(|block| block.steps.is_empty());
        let mut region = Region { blocks };
        region.ask_for_time();
        (!is_empty).then_some(region)
    }

    /// Whether control can come back to a block that it has been in.
    pub(crate) fn has_loop(&self) -> bool {
        !self.loops().is_empty()
    }

    /// The blocks that begin a loop: without the ways back to them control
    /// would never come back to any block.
    fn loops(&self) -> Vec<usize> {
        let mut loops = Vec::new();
        self.walk(|_, _| {}, |to| loops.push(to));
        loops
    }

    /// Depth first from the entry: `done` for each block and the blocks that it
    /// leads to, after those; `back` for each that leads back to itself.
    fn walk(&self, mut done: impl FnMut(usize, &[usize]), mut back: impl FnMut(usize)) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.blocks.len()];
        let mut open: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        let enter = |number: usize| (number, self.blocks[number].end.blocks(), 0);
        if !self.blocks.is_empty() {
            marks[0] = Mark::Open;
            open.push(enter(0));
        }
        while let Some((number, to, next)) = open.last_mut() {
            let Some(&target) = to.get(*next) else {
                marks[*number] = Mark::Done;
                done(*number, to);
                open.pop();
                continue;
            };
            *next += 1;
            match marks[target] {
                Mark::Done => {}
                Mark::Open => back(target),
                Mark::New => {
                    marks[target] = Mark::Open;
                    open.push(enter(target));
                }
            }
        }
    }

    /// Decides where it is asked whether there is time: at the entry, where
    /// loops begin, and after long ways.
    fn ask_for_time(&mut self) {
        let mut asks = vec![false; self.blocks.len()];
        if let Some(entry) = asks.first_mut() {
            *entry = true;
        }
        self.loops().into_iter().for_each(|number| asks[number] = true);
        // From each block on, until the next that asks.
        let mut needs = vec![0; self.blocks.len()];
        let lengths: Vec<u64> = self.blocks.iter().map(|block| block.steps.len() as u64).collect();
        self.walk(
            |number, to| {
                let after = to.iter().filter(|&&next| !asks[next]).map(|&next| needs[next]).max();
                needs[number] = lengths[number] + after.unwrap_or(0);
                asks[number] |= needs[number] > LONGEST_WAY;
            },
            |_| {},
        );
        for (block, (asks, needs)) in self.blocks.iter_mut().zip(asks.into_iter().zip(needs)) {
            block.asks = if asks { needs } else { 0 };
        }
    }

    /// The bytes of the instructions, as address and length.
    pub(crate) fn code(&self) -> impl Iterator<Item = (u32, u32)> {
        let steps = self.blocks.iter().flat_map(|block| &block.steps);
        steps.map(|step| (step.at, step.decoded.length.into()))
    }
}

/// The places found so far; blocks are made of them in the same order.
struct Search<'a> {
    memory: &'a Bytes,
    is_warm: &'a dyn Fn(&[u32]) -> bool,
    /// What `is_warm` has said of the block at an address.
    warm: HashMap<u32, bool>,
    places: Vec<Place>,
    numbers: HashMap<Place, usize>,
    steps: usize,
}

impl Search<'_> {
    fn block(&mut self, place: Place) -> Block {
        let Place { at, mut fast, after_control, calls } = place;
        let mut steps: Vec<Step> = Vec::new();
        let mut next = at;
        let end = loop {
            let Some(decoded) = decode(self.memory, next) else { break End::Interpret(next) };
            if steps.len() >= MOST_IN_BLOCK {
                let place = Place { at: next, fast, after_control: false, calls };
                break End::Next(self.target(place));
            }
            let step = Step { at: next, decoded, fast };
            next = step.next();
            fast = match decoded.row.opcode {
                145 => true,
                146 => false,
                _ => fast,
            };
            let end = decoded.row.control.then(|| self.end(&step, calls.clone()));
            steps.push(step);
            self.steps += 1;
            if let Some(end) = end {
                break end;
            }
        };
        Block { at, after_control, steps, end, asks: 0 }
    }

    fn end(&mut self, step: &Step, calls: Option<Rc<Call>>) -> End {
        let (fast, next) = (step.fast, step.next());
        let opcode = step.decoded.row.opcode;
        let [first, second, third, _] = step.decoded.operands;
        let to = match (first, third) {
            (Some(Operand::Addr(to)), _) | (_, Some(Operand::Addr(to))) => to,
            (Some(Operand::Rel(offset)), _) => next.wrapping_add_signed(offset.into()),
            _ => 0,
        } & ADDRESS_MASK;
        let mut go = |at, calls: &Option<Rc<Call>>| {
            let place = Place { at, fast, after_control: true, calls: calls.clone() };
            self.target(place)
        };
        if let Some(condition) = condition(opcode) {
            return End::Branch(condition, go(to, &calls), go(next, &calls));
        }
        match (opcode, first, second) {
            (132 | 135, ..) => {
                let depth = calls.as_ref().map_or(0, |call| call.depth) + 1;
                if depth > DEEPEST {
                    return End::Call(Target::Leave(to));
                }
                let call = Call { back: next, depth, outer: calls };
                End::Call(go(to, &Some(Rc::new(call))))
            }
            (133, ..) => End::Return(calls.map(|call| (call.back, go(call.back, &call.outer)))),
            (134, Some(Operand::Reg(reg)), _) => End::CallRegister(reg),
            (109, Some(Operand::Reg(reg)), _) => End::JumpRegister(reg),
            (175, Some(Operand::Reg(index)), Some(Operand::Imm { value, .. })) => {
                let beyond = go(next, &calls);
                End::Table { index, count: value as u16, table: to, beyond }
            }
            _ => End::Next(go(to, &calls)),
        }
    }

    fn target(&mut self, place: Place) -> Target {
        if let Some(&number) = self.numbers.get(&place) {
            return Target::Block(number);
        }
        let is_full = self.steps >= MOST_STEPS;
        let is_cold = |search: &mut Self| place.after_control && !search.is_warm(place.at);
        if is_full || decode(self.memory, place.at).is_none() || is_cold(self) {
            return Target::Leave(place.at);
        }
        let number = self.places.len();
        self.places.push(place.clone());
        self.numbers.insert(place, number);
        Target::Block(number)
    }
}

impl Search<'_> {
    /// Whether the block at `at` is to be compiled.
    fn is_warm(&mut self, at: u32) -> bool {
        if let Some(&warm) = self.warm.get(&at) {
            return warm;
        }
        let (mut addresses, mut next, mut ends_in_control) = (Vec::new(), at, false);
        while addresses.len() < MOST_IN_BLOCK
            && let Some(decoded) = decode(self.memory, next)
        {
            addresses.push(next);
            next = next.wrapping_add(decoded.length.into()) & ADDRESS_MASK;
            ends_in_control = decoded.row.control;
            if ends_in_control {
                break;
            }
        }
        // A jump alone costs little, and who samples what is executed may miss it.
        let is_jump = addresses.len() == 1 && ends_in_control;
        let warm = is_jump || (self.is_warm)(&addresses);
        self.warm.insert(at, warm);
        warm
    }
}

/// The instruction at `at`, when compiled code can do it. Code in the stack is
/// not compiled, so that pushes and pops need not look for it, nor is an
/// instruction that wraps at the top.
fn decode(memory: &Bytes, at: u32) -> Option<Decoded> {
    let bytes = memory.get(at as usize..)?;
    let decoded = isa::decode(&bytes[..bytes.len().min(MAX_LENGTH)]).ok()?;
    let end = at + u32::from(decoded.length);
    let in_stack = at < STACK.end + 32 && end > STACK.start;
    (is_compiled(&decoded) && !in_stack).then_some(decoded)
}

fn is_compiled(decoded: &Decoded) -> bool {
    match decoded.row.opcode {
        0..=7 | 9..=15 | 21..=23 | 30..=43 | 50..=58 | 60 | 61 | 70..=84 | 90 | 91 => true,
        100..=118 | 132..=135 | 139 | 141 | 143..=146 | 150..=155 | 175 | 184 => true,
        182 | 183 => match decoded.operands[0] {
            // Left to the interpreter: interrupts and fast flags, and Z and N,
            // which only this way can be set both.
            Some(Operand::Imm { value, .. }) => {
                use isa::flags::{I, N, S, Z};
                value as u16 & (I | S | Z | N) == 0
            }
            _ => false,
        },
        _ => false,
    }
}

fn condition(opcode: u8) -> Option<Condition> {
    let number = match opcode {
        101..=108 => opcode - 101,
        111..=118 => opcode - 111,
        _ => return None,
    };
    let flag = match number / 2 {
        0 => Flag::Zero,
        1 => Flag::Carry,
        2 => Flag::Negative,
        _ => Flag::Overflow,
    };
    Some(Condition { flag, set: number % 2 == 0 })
}
