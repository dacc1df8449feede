//! Which calls may leave the frame for good?
//!
//! A call *leaves* when control never comes back to the code after it: an exception passes,
//! `longjmp`, `exit`, `exec`, the end of the thread, an endless wait. A call is proven to return
//! when LLVM marks it `nounwind` and `willreturn`, when it is an intrinsic that becomes no such
//! call, when it is inline assembly that surely comes out at its end
//! (`opcost_ir::inline_assembly_may_leave`), or when it calls a function of this module that no
//! other can replace and all of whose own calls are proven to return. The last is the greatest
//! fixed point over the call graph: a recursion that calls only itself returns or never ends, and
//! in both cases no frame is left in the middle at a synchronous end.
//!
//! Calling a function "not proven" costs nothing at run time; calling one
//! "proven" that is not would break the flow equations. So the analysis is
//! careful only in one direction. Cost: calls + functions, a worklist.
//!
//! Assembly can leave frames that nobody notes: it moves to another stack and never comes back.
//! Where a module has such code ([`Leaving::frames_can_vanish`]), nothing may be concluded after a
//! call that may leave.
//!
//! The second question here is which tail calls keep their meaning: a frame that a tail call takes
//! away cannot be noted when it is left. `musttail` must stay a jump, and so must a plain tail call
//! that can take part in a recursion (or the stack would grow where the program relies on it not
//! to); its `ret` is then charged with the call, also when it is in a block of its own after a
//! branch. All other tail calls that may leave keep their frame: calls of other modules among them,
//! so a recursion that runs through several modules takes stack.

use opcost_index::{AdjacencyGraph, IdMap, strongly_connected_components};
use opcost_ir::{Call, CalleeRef, DeclarationId, Function, Linkage, Module, Opcode, TailKind, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use opcost_library::{FuelClass, fuel_class};

/// What is known of the calls of a module.
pub(crate) struct Leaving {
    /// Functions whose calls are all proven to return.
    returns: IdMap<FunctionId, bool>,
    /// Component of the call graph.
    component_of: IdMap<FunctionId, usize>,
    frames_can_vanish: bool,
}

impl Leaving {
    /// Looks at all calls of a module.
    pub(crate) fn compute(module: &Module) -> Leaving {
        let mut returns: IdMap<FunctionId, bool> =
            module.functions.values().map(|function| runs_as_written(function.linkage)).collect();
        let mut callers: IdMap<FunctionId, Vec<FunctionId>> =
            IdMap::filled(module.functions.len(), Vec::new());
        let mut graph = AdjacencyGraph::new(module.functions.len());
        let mut worklist = Vec::new();
        for (id, function) in module.functions.iter() {
            let mut doubtful = !returns[id] || function.is_naked;
            for (_, call) in &function.calls {
                match call.callee {
                    CalleeRef::Function(callee) => {
                        graph.add_edge(id, callee);
                        if !returns_by_itself(module, call) {
                            callers[callee].push(id);
                        }
                    }
                    _ => doubtful |= !returns_by_itself(module, call),
                }
            }
            if doubtful {
                returns[id] = false;
                worklist.push(id);
            }
        }
        while let Some(callee) = worklist.pop() {
            for &caller in &callers[callee] {
                if returns[caller] {
                    returns[caller] = false;
                    worklist.push(caller);
                }
            }
        }
        let component_of = strongly_connected_components(&graph).component_of;
        Leaving { returns, component_of, frames_can_vanish: frames_can_vanish(module) }
    }

    /// Whether code of this module may leave frames that the runtime does not see:
    /// assembly that moves the stack pointer or goes elsewhere.
    pub(crate) fn frames_can_vanish(&self) -> bool {
        self.frames_can_vanish
    }

    /// Whether a call may leave the frame it is made from.
    pub(crate) fn may_leave(&self, module: &Module, call: &Call) -> bool {
        if returns_by_itself(module, call) {
            return false;
        }
        match call.callee {
            CalleeRef::Function(callee) => !self.returns[callee],
            _ => true,
        }
    }

    /// The call before the branch that ends a block, and the block that only
    /// returns its result, when the three are to become a jump.
    pub(crate) fn jump_to_return(
        &self,
        caller: FunctionId,
        function: &Function,
        block: BlockId,
    ) -> Option<(InstructionId, BlockId)> {
        let call = function.instructions_of(block).rev().nth(1)?;
        let target = return_block(function, block, call)?;
        self.is_jump(caller, function, block, call).then_some((call, target))
    }

    /// Whether a call stays a jump: its frame no longer exists while the callee runs.
    pub(crate) fn is_jump(
        &self,
        caller: FunctionId,
        function: &Function,
        block: BlockId,
        id: InstructionId,
    ) -> bool {
        let Some(call) = function.call(id) else { return false };
        match call.tail {
            TailKind::MustTail => true,
            TailKind::Tail
                if is_before_return(function, block, id) || return_block(function, block, id).is_some() =>
            {
                match call.callee {
                    CalleeRef::Function(callee) => self.component_of[callee] == self.component_of[caller],
                    CalleeRef::Indirect => true,
                    CalleeRef::Declaration(_) | CalleeRef::Assembly => false,
                }
            }
            _ => false,
        }
    }
}

/// Whether what is written here is what runs, to the letter.
fn runs_as_written(linkage: Linkage) -> bool {
    matches!(linkage, Linkage::Local | Linkage::Exact)
}

/// Whether the next instruction is the `ret` of the block.
fn is_before_return(function: &Function, block: BlockId, id: InstructionId) -> bool {
    let mut last_two = function.instructions_of(block).rev().take(2);
    let terminator = last_two.next();
    terminator.is_some_and(|last| function.instructions[last].opcode == Opcode::Ret)
        && last_two.next() == Some(id)
}

/// The block of phis and a `ret` that `block` leads to after the call `id`, when what it returns is
/// what the call gave. Code generation makes a jump of the call by giving `block` a `ret` of its
/// own.
fn return_block(function: &Function, block: BlockId, id: InstructionId) -> Option<BlockId> {
    let mut last_two = function.instructions_of(block).rev().take(2);
    let terminator = last_two.next()?;
    let [target] = function.blocks[block].successors[..] else { return None };
    if function.instructions[terminator].opcode != Opcode::Br || last_two.next() != Some(id) {
        return None;
    }
    let end = function.terminator_of(target);
    let only_phis = function
        .instructions_of(target)
        .all(|inner| inner == end || function.instructions[inner].opcode == Opcode::Phi);
    if function.instructions[end].opcode != Opcode::Ret || !only_phis {
        return None;
    }
    let returned = match function.operands_of(end) {
        [] => return Some(target),
        [Value::Instruction(phi)] if function.block_of(*phi) == target => {
            let incoming = function.operands_of(*phi).chunks_exact(2);
            incoming.filter(|pair| pair[1] == Value::Block(block)).map(|pair| pair[0]).next()?
        }
        [value] => *value,
        _ => return None,
    };
    (returned == Value::Instruction(id)).then_some(target)
}

/// Whether the call returns whatever its callee's body is.
fn returns_by_itself(module: &Module, call: &Call) -> bool {
    if call.is_noreturn {
        return false;
    }
    match call.callee {
        CalleeRef::Assembly => !call.assembly_may_leave,
        CalleeRef::Declaration(id) if is_opaque(module, id) => false,
        _ if call.is_nounwind && call.is_willreturn => true,
        callee => module.intrinsic_name(callee).is_some_and(|_| call.is_nounwind),
    }
}

/// Whether the call may lead to code that is not counted and that nothing is known of. Such
/// code may leave frames without a note: switch stacks, or jump in a way of its own.
pub(crate) fn is_doubtful(module: &Module, call: &Call) -> bool {
    match call.callee {
        CalleeRef::Function(id) => module.functions[id].linkage == Linkage::Elsewhere,
        CalleeRef::Declaration(id) => {
            let declaration = &module.declarations[id];
            let is_harmless = fuel_class(&declaration.name).is_some_and(FuelClass::is_understood);
            !declaration.is_intrinsic && !is_harmless
        }
        CalleeRef::Indirect => true,
        CalleeRef::Assembly => call.assembly_may_leave,
    }
}

/// Whether not even a name is known of what the call leads to.
pub(crate) fn is_unknown(module: &Module, call: &Call) -> bool {
    match call.callee {
        CalleeRef::Declaration(id) => {
            let declaration = &module.declarations[id];
            !declaration.is_intrinsic && fuel_class(&declaration.name).is_none()
        }
        _ => is_doubtful(module, call),
    }
}

/// Whether assembly outside of the functions may be what this declares: then what is promised of it
/// was written by hand.
fn is_opaque(module: &Module, id: DeclarationId) -> bool {
    let declaration = &module.declarations[id];
    let name = declaration.name.as_str();
    (declaration.is_intrinsic && moves_stack(name))
        || (module.module_assembly_has_code && !declaration.is_intrinsic && fuel_class(name).is_none())
}

/// Whether this intrinsic sets the stack pointer, or may.
fn moves_stack(intrinsic: &str) -> bool {
    ["llvm.write_register", "llvm.write_volatile_register", "llvm.eh.return"]
        .iter()
        .any(|start| intrinsic.starts_with(start))
}

fn frames_can_vanish(module: &Module) -> bool {
    let mut calls = module.functions.values().flat_map(|function| &function.calls);
    let mut declarations = module.declarations.values();
    module.module_assembly_has_code
        || calls.any(|(_, call)| call.assembly_may_leave)
        || declarations.any(|declaration| declaration.is_intrinsic && moves_stack(&declaration.name))
}
