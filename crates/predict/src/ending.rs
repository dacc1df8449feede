//! Can the program end, or start again, before its code is through?
//!
//! Counts of blocks are those of a program whose calls all return once. A block that ends in `exit`,
//! `abort`, `longjmp` or an exception is followed by nothing; a call of `fork` or `setjmp` returns twice.
//! If such a block may run, all that would come after it is a guess, and no number of the program is
//! exact. What `main` itself does at its end, once and outside of loops, cuts nothing off.
//!
//! What follows a call that never comes back does not run, in its block or later. That is the `unreachable`
//! after `exit`. It is also the `ret` after the end of a Fortran program, whose declaration does not say that it
//! ends; the table of effects does.
//!
//! Input: a module and its prediction. Output: the first such block, and where blocks stop. Cost: linear. Limit: a
//! library function that ends the process is recognised by its declaration or by name only.

use num_traits::{One, Zero};
use opcost_analysis::memory::MemoryModel;
use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Function, Module, Opcode};
use opcost_key::{BlockId, FunctionId, InstructionId};
use opcost_library::effect::Returns;
use opcost_library::{ControlEffect, control_effect, starts_threads};

use crate::fraction::Fraction;
use crate::prediction::{Class, FunctionPrediction};

/// By block the first instruction after a call that never comes back. From there on nothing of the block runs.
pub(crate) fn cut_offs(program: &MemoryModel<'_>, id: FunctionId) -> IdMap<BlockId, Option<InstructionId>> {
    let function = &program.module.functions[id];
    let never = |at: InstructionId| {
        let Some(call) = function.call(at) else { return false };
        call.is_noreturn
            || match call.callee {
                CalleeRef::Declaration(declared) => {
                    program.externals.effect(function, at, declared).returns == Returns::Never
                }
                CalleeRef::Function(_) | CalleeRef::Indirect | CalleeRef::Assembly => false,
            }
    };
    let cut_off = |block: BlockId| {
        let last = function.terminator_of(block);
        let call = function.instructions_of(block).find(|&at| at != last && never(at))?;
        Some(InstructionId::new(call.index() + 1))
    };
    function.blocks.ids().map(cut_off).collect()
}

/// The first block that may run and is not followed by what follows it in the code; not those that `is_let` names.
pub(crate) fn early_end(
    module: &Module,
    predictions: &IdMap<FunctionId, Option<FunctionPrediction>>,
    main: Option<FunctionId>,
    is_let: impl Fn(FunctionId, BlockId) -> bool,
) -> Option<(FunctionId, BlockId)> {
    for (id, function) in module.functions.iter() {
        let Some(prediction) = &predictions[id] else { continue };
        for block in function.blocks.ids() {
            let one = &prediction.blocks[block];
            let is_last = main == Some(id)
                && one.is_exact
                && one.class == Class::StaticBlock
                && one.least == Fraction::one()
                && function.blocks[block].successors.is_empty()
                && !calls_named(module, function, block);
            let never = one.is_exact && one.least.is_zero();
            let ends = ends(function, block) || prediction.cut_offs[block].is_some();
            if !never && !is_last && !is_let(id, block) && (ends || calls_named(module, function, block)) {
                return Some((id, block));
            }
        }
    }
    None
}

pub(crate) fn ends(function: &Function, block: BlockId) -> bool {
    let last = function.instructions_of(block).last();
    last.is_some_and(|at| matches!(function.instructions[at].opcode, Opcode::Unreachable | Opcode::Resume))
}

pub(crate) fn calls_named(module: &Module, function: &Function, block: BlockId) -> bool {
    let mut calls = function.instructions_of(block).filter_map(|at| function.call(at));
    calls.any(|call| match call.callee {
        CalleeRef::Declaration(id) => {
            call.returns_twice || may_not_return_once(&module.declarations[id].name)
        }
        _ => call.returns_twice,
    })
}

/// Whether a function of the system returns twice, or may end the process and return else.
fn may_not_return_once(name: &str) -> bool {
    let Some(effect) = control_effect(name) else { return false };
    match effect {
        ControlEffect::Forks
        | ControlEffect::BecomesProgram
        | ControlEffect::ReturnsTwice
        | ControlEffect::Jumps
        | ControlEffect::SwitchesStacks
        | ControlEffect::SendsSignal
        | ControlEffect::TimesSignal
        | ControlEffect::MayEndProcess
        | ControlEffect::LimitsProcess
        | ControlEffect::SystemCall => true,
        // The child of one may begin with the stack of its parent.
        ControlEffect::StartsThread { .. } => name.starts_with("clone"),
        ControlEffect::Notifies
        | ControlEffect::StartsProcess
        | ControlEffect::HandlesSignals
        | ControlEffect::LoadsCode
        | ControlEffect::FindsNames
        | ControlEffect::CallsAtEnd => false,
        // Their declarations say that they do not return.
        ControlEffect::EndsProcess | ControlEffect::EndsThread | ControlEffect::Throws => false,
    }
}

/// Whether a block starts a thread, which may not be through when the program ends.
pub(crate) fn starts_thread(module: &Module, function: &Function, block: BlockId) -> bool {
    let mut calls = function.instructions_of(block).filter_map(|at| function.call(at));
    calls.any(|call| match call.callee {
        CalleeRef::Declaration(id) => starts_threads(&module.declarations[id].name),
        _ => false,
    })
}
