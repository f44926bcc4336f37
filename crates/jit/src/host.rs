//! Host code: made by Cranelift, kept in pages that are never writable and
//! executable at once, and called. The only module with `unsafe`.
//!
//! What makes it sound:
//!
//! * Pages. `cranelift-jit` writes code into fresh pages and makes them
//!   readable and executable before it gives a pointer to them; nothing makes
//!   them writable again. They are freed with the [`Function`] that owns them
//!   and its pointer, so it doesn't outlive its pages and doesn't run while
//!   they are freed.
//! * The signature. Every function is declared by [`Host::compile`] with the
//!   one signature that [`Entry`] has, and translated by
//!   [`crate::translate::translate`] alone.
//! * What functions reach. `state` is only accessed at the offsets that the
//!   compiler of this crate takes from [`State`] itself. `memory` is accessed
//!   at addresses that are masked to 24 bits or compared with the top before,
//!   so all bytes lie in [`Bytes`]. `marks` is read at an address shifted down
//!   to a line, `decoded` at the line with the number there or, if that is less,
//!   at its last line, which [`enter`] puts in the state. All four are borrowed for the whole call, and only `state`
//!   and `memory`, which are borrowed mutably, are written to.
//! * Nothing else. Functions call nothing, don't unwind and keep no pointer;
//!   so one may run in many threads at once.
#![allow(unsafe_code)]

use std::fmt;
use std::mem;
use std::sync::{Mutex, OnceLock};

use cranelift_codegen::Context;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use crate::region::{Bytes, Region};
use crate::state::State;
use crate::translate::translate;
use crate::watch::{LINE_BYTES, Watch};

type Entry = extern "C" fn(
    state: *mut State,
    memory: *mut u8,
    marks: *const u16,
    decoded: *const u64,
) -> i64;

/// For a memory without decoded code: there is always a line to look at.
const NO_LINE: &[[u64; LINE_BYTES as usize / 64]] = &[[0; LINE_BYTES as usize / 64]];

/// Bytes of a page on most hosts: every function has its own.
const PAGE: usize = 4096;

/// What compiles, for one function after the other.
pub(crate) struct Host {
    isa: OwnedTargetIsa,
    context: Context,
    builder: FunctionBuilderContext,
}

/// A compiled region.
pub(crate) struct Function {
    entry: Entry,
    /// The owner of the pages; there until it is dropped. Never locked: it is
    /// `Sync` this way.
    module: Mutex<Option<JITModule>>,
    /// Bytes of the pages.
    bytes: usize,
}

impl Host {
    /// `None` when code for this host can't be made.
    pub(crate) fn new() -> Option<Self> {
        static ISA: OnceLock<Option<OwnedTargetIsa>> = OnceLock::new();
        let isa = ISA.get_or_init(isa).clone()?;
        Some(Host { isa, context: Context::new(), builder: FunctionBuilderContext::new() })
    }

    /// Compiles a region. `None` when Cranelift refuses it or there is no
    /// memory.
    pub(crate) fn compile(&mut self, region: &Region, own_stack: bool) -> Option<Function> {
        let builder = JITBuilder::with_isa(self.isa.clone(), default_libcall_names());
        let mut module = JITModule::new(builder);
        let target = module.target_config();
        let mut signature = Signature::new(target.default_call_conv);
        signature.params = vec![AbiParam::new(I64); 4];
        signature.returns = vec![AbiParam::new(I64)];
        self.context.clear();
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, 0);
        translate(region, own_stack, &mut self.context.func, &mut self.builder, target);
        let id = module.declare_anonymous_function(&self.context.func.signature).ok()?;
        module.define_function(id, &mut self.context).ok()?;
        let length = self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        module.finalize_definitions().ok()?;
        let pointer = module.get_finalized_function(id);
        // SAFETY: the pointer is to a function of this signature, in pages
        // that live as long as `module`.
        let entry = unsafe { function_at(pointer) };
        let bytes = length.next_multiple_of(PAGE);
        Some(Function { entry, module: Mutex::new(Some(module)), bytes })
    }
}

/// The host's instruction set, looked at once.
fn isa() -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    flags.set("opt_level", "speed").ok()?;
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
    flags.set("unwind_info", "false").ok()?;
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}

impl Function {
    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Runs it; answers how it was left, by the bits of [`crate::left`].
    #[inline]
    pub(crate) fn call(&self, state: &mut State, memory: &mut Bytes, watch: Watch<'_>) -> i64 {
        enter(self.entry, state, memory, watch)
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if let Some(module) = self.module.get_mut().ok().and_then(Option::take) {
            // SAFETY: the function doesn't run, as `self` is borrowed for
            // every call, and the pointer to it is dropped with `self`.
            unsafe { module.free_memory() }
        }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({} bytes)", self.bytes)
    }
}

/// The function that begins at a place.
///
/// # Safety
/// There is one, of this signature, and it stays there while it is called.
unsafe fn function_at(pointer: *const u8) -> Entry {
    // SAFETY: as the caller promises.
    unsafe { mem::transmute::<*const u8, Entry>(pointer) }
}

/// Calls a function with all that it may reach, and no more.
#[inline]
fn enter(entry: Entry, state: &mut State, memory: &mut Bytes, watch: Watch<'_>) -> i64 {
    let decoded = if watch.decoded.is_empty() { NO_LINE } else { watch.decoded };
    state.last_line = decoded.len() as u64 - 1;
    entry(state, memory.as_mut_ptr(), watch.marks.as_ptr(), decoded.as_ptr().cast())
}

/// Miri can't execute the host's code, but functions of Rust's that reach for
/// what compiled code does: whether they may is what it checks here.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::offset;
    use crate::watch::LINES;

    /// Every part of the state, both ends of memory and of what is watched.
    extern "C" fn reach(
        state: *mut State,
        memory: *mut u8,
        marks: *const u16,
        decoded: *const u64,
    ) -> i64 {
        // SAFETY: offsets are those of the state's parts with their widths, and
        // everything else lies in the arrays that `enter` passes.
        unsafe {
            for number in 0..16 {
                let word = state.byte_offset(offset::word(number) as isize).cast::<u16>();
                word.write(word.read() + 1);
            }
            for offset in [offset::SP, offset::IP] {
                let part = state.byte_offset(offset as isize).cast::<u32>();
                part.write(part.read() + 2);
            }
            for offset in [
                offset::OTHER_FLAGS,
                offset::RESULT,
                offset::CARRY,
                offset::OVERFLOW,
                offset::REMAINING,
            ] {
                let part = state.byte_offset(offset as isize).cast::<u64>();
                part.write(part.read());
            }
            memory.write(memory.read() + 3);
            let top = memory.add(size_of::<Bytes>() - 8).cast::<u64>();
            top.write_unaligned(top.read_unaligned() + 4);
            let last_line = state.byte_offset(offset::LAST_LINE as isize).cast::<u64>().read();
            let last = decoded.add((last_line as usize + 1) * LINE_WORDS - 1).read();
            i64::from(marks.read()) + i64::from(marks.add(LINES - 1).read()) + last as i64
        }
    }

    const LINE_WORDS: usize = 4;

    #[test]
    fn a_function_reaches_all_that_it_is_given_and_nothing_else() {
        let mut memory: Box<Bytes> = vec![0; size_of::<Bytes>()].try_into().unwrap();
        let mut marks: Box<[u16; LINES]> = vec![0; LINES].try_into().unwrap();
        (marks[0], marks[LINES - 1]) = (10, 20);
        let decoded: Vec<[u64; LINE_WORDS]> = vec![[0; LINE_WORDS], [0, 0, 0, 30]];
        // SAFETY: it is a function of this signature.
        let function = unsafe { function_at(reach as *const u8) };
        for decoded in [&decoded[..0], &decoded] {
            let mut state = State::new([7; 16], 100, 200, isa::flags::C, 5).unwrap();
            let watch = Watch { marks: &marks, decoded };
            let before = (memory[0], memory[size_of::<Bytes>() - 8]);
            let answer = enter(function, &mut state, &mut memory, watch);
            assert_eq!(answer, if decoded.is_empty() { 30 } else { 60 });
            assert_eq!((state.words, state.sp, state.ip), ([8; 16], 102, 202));
            assert_eq!((state.flags(), state.remaining), (isa::flags::C, 5));
            assert_eq!((memory[0], memory[size_of::<Bytes>() - 8]), (before.0 + 3, before.1 + 4));
        }
    }
}
