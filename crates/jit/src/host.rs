//! Host code: made by Cranelift, kept in pages that are never writable and
//! executable at once, and called. The only module with `unsafe`.
//!
//! What makes it sound:
//!
//! * Pages. `cranelift-jit` writes code into fresh pages and makes them
//!   readable and executable before it gives a pointer to them; nothing makes
//!   them writable again. They are freed with the [`Code`] that owns them, and
//!   a function is known by its number in that [`Code`], so none outlives its
//!   pages and none runs while they are freed.
//! * The signature. Every function is declared by [`Code::add`] with the one
//!   signature that [`Function`] has, and translated by
//!   [`crate::translate::translate`] alone.
//! * What functions reach. `state` is only accessed at the offsets that the
//!   compiler of this crate takes from [`State`] itself. `memory` is accessed
//!   at addresses that are masked to 24 bits or compared with the top before,
//!   so all bytes lie in [`Bytes`]. `marks` is read at an address shifted down
//!   to a line, `decoded` only below its length, which [`Code::call`] puts in
//!   the state. All four are borrowed for the
//!   whole call, and only `state` and `memory`, which are borrowed mutably,
//!   are written to.
//! * Nothing else. Functions call nothing, don't unwind and keep no pointer.
#![allow(unsafe_code)]

use std::mem;
use std::sync::Mutex;

use cranelift_codegen::Context;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use crate::region::{Bytes, Region};
use crate::state::State;
use crate::translate::translate;
use crate::watch::Watch;

type Function = extern "C" fn(
    state: *mut State,
    memory: *mut u8,
    marks: *const u16,
    decoded: *const u64,
) -> i64;

/// Bytes of a page on most hosts: every function has its own.
const PAGE: usize = 4096;

/// Functions compiled for one memory.
pub(crate) struct Code {
    /// There until it is dropped. Never locked: it is `Sync` this way.
    module: Mutex<Option<JITModule>>,
    context: Context,
    builder: FunctionBuilderContext,
    functions: Vec<Function>,
    /// Bytes of the pages.
    bytes: usize,
}

impl Code {
    /// No functions yet. `None` when the host's code can't be made.
    pub(crate) fn new() -> Option<Self> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").ok()?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
        flags.set("unwind_info", "false").ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        let builder = FunctionBuilderContext::new();
        Some(Code {
            module: Mutex::new(Some(module)),
            context,
            builder,
            functions: Vec::new(),
            bytes: 0,
        })
    }

    /// Compiles a region; answers its number. `None` when Cranelift refuses it
    /// or there is no memory.
    pub(crate) fn add(&mut self, region: &Region, own_stack: bool) -> Option<usize> {
        let module = self.module.get_mut().ok()?.as_mut()?;
        let target = module.target_config();
        let mut signature = Signature::new(target.default_call_conv);
        signature.params = vec![AbiParam::new(I64); 4];
        signature.returns = vec![AbiParam::new(I64)];
        self.context.clear();
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, self.functions.len() as u32);
        translate(region, own_stack, &mut self.context.func, &mut self.builder, target);
        let id = module.declare_anonymous_function(&self.context.func.signature).ok()?;
        module.define_function(id, &mut self.context).ok()?;
        let length = self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        self.bytes += length.next_multiple_of(PAGE);
        module.finalize_definitions().ok()?;
        let pointer = module.get_finalized_function(id);
        // SAFETY: the pointer is to a function of this signature, in pages
        // that live as long as `self`.
        let function = unsafe { mem::transmute::<*const u8, Function>(pointer) };
        self.functions.push(function);
        Some(self.functions.len() - 1)
    }

    /// Bytes of memory that the functions take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Runs a function; answers how it was left, by the bits of
    /// [`crate::left`].
    pub(crate) fn call(
        &self,
        number: usize,
        state: &mut State,
        memory: &mut Bytes,
        watch: Watch<'_>,
    ) -> i64 {
        let function = self.functions[number];
        state.lines = watch.decoded.len() as u64;
        function(state, memory.as_mut_ptr(), watch.marks.as_ptr(), watch.decoded.as_ptr().cast())
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.get_mut().ok().and_then(Option::take) {
            // SAFETY: no function runs, as `self` is borrowed for every call,
            // and the pointers to them are dropped with `self`.
            unsafe { module.free_memory() }
        }
    }
}
