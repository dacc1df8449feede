//! Can the program end, or start again, before its code is through?
//!
//! Counts of blocks are those of a program whose calls all return once. A block that ends in `exit`,
//! `abort`, `longjmp` or an exception is followed by nothing; a call of `fork` or `setjmp` returns twice.
//! If such a block may run, all that would come after it is a guess, and no number of the program is
//! exact. What `main` itself does at its end, once and outside of loops, cuts nothing off.
//!
//! Input: a module and its prediction. Output: the first such block. Cost: linear. Limit: a library
//! function that ends the process without saying so in its declaration is recognised by name only.

use num_traits::{One, Zero};
use opcost_index::IdMap;
use opcost_ir::{CalleeRef, Function, Module, Opcode};
use opcost_key::{BlockId, FunctionId};

use crate::fraction::Fraction;
use crate::prediction::{Class, FunctionPrediction};

/// Functions of the system that return twice, or may end the process and return else.
const NAMED: &[&str] = &[
    "fork",
    "vfork",
    "_Fork",
    "clone",
    "getcontext",
    "makecontext",
    "swapcontext",
    "setcontext",
    "raise",
    "kill",
    "tgkill",
    "syscall",
    "execl",
    "execlp",
    "execle",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
];

/// The first block that may run and is not followed by what follows it in the code.
pub(crate) fn early_end(
    module: &Module,
    predictions: &IdMap<FunctionId, Option<FunctionPrediction>>,
    main: Option<FunctionId>,
) -> Option<(FunctionId, BlockId)> {
    for (id, function) in module.functions.iter() {
        let Some(prediction) = &predictions[id] else { continue };
        for block in function.blocks.ids() {
            let one = &prediction.blocks[block];
            let is_last = main == Some(id)
                && one.is_exact
                && one.class == Class::StaticBlock
                && one.least == Fraction::one()
                && !calls_named(module, function, block);
            let never = one.is_exact && one.least.is_zero();
            if !never && !is_last && (ends(function, block) || calls_named(module, function, block)) {
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
        CalleeRef::Declaration(id) => call.returns_twice || NAMED.contains(&&*module.declarations[id].name),
        _ => call.returns_twice,
    })
}
