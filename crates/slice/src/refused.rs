//! Which programs are not sliced? Those whose control goes where no graph shows it.
//!
//! A second return of `setjmp`, a handler of signals, another thread, and another
//! process are ways of control that control dependence does not know. A slice that
//! overlooks one would run and be wrong. So the program is refused, with the
//! place. Exceptions are no such thing: every call that may throw stays, and
//! so do handlers.

use opcost_analysis::memory::MemoryModel;
use opcost_ir::{CalleeRef, Instruction, Opcode};
use opcost_key::FunctionId;
use opcost_library::{ControlEffect, SystemEffect, control_effect, system_effects};

use crate::site::SliceSite;

/// Why a program is not sliced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SliceRefusal {
    /// It has no beginning.
    #[error(
        "there is no main to begin with, so nothing says which calls there are; give all files of the program"
    )]
    NoMain,
    /// Others may call into it.
    #[error("others may call into it (--open, --world open); a slice is of a whole program")]
    Open,
    /// The module has assembly of its own.
    #[error("it has assembly at top level, which may do anything to control and memory")]
    ModuleAssembly,
    /// An instruction goes where the graph does not show.
    #[error("{what}")]
    Control {
        /// Where.
        at: SliceSite,
        /// What it does, and what to do about it.
        what: String,
    },
    /// A function that is not compiled code.
    #[error("{what}")]
    Function {
        /// Which.
        function: FunctionId,
        /// What it is.
        what: &'static str,
    },
}

impl SliceRefusal {
    /// Where that is, if it is anywhere: the function, and the instruction.
    pub fn location(&self) -> Option<(FunctionId, Option<SliceSite>)> {
        match self {
            SliceRefusal::NoMain | SliceRefusal::Open | SliceRefusal::ModuleAssembly => None,
            SliceRefusal::Control { at, .. } => Some((at.function, Some(*at))),
            SliceRefusal::Function { function, .. } => Some((*function, None)),
        }
    }
}

/// Looks for what cannot be sliced.
///
/// # Errors
/// The first such thing.
pub(crate) fn check(memory: &MemoryModel<'_>) -> Result<(), SliceRefusal> {
    let module = memory.module;
    if memory.roots.main.is_none() {
        return Err(SliceRefusal::NoMain);
    }
    if memory.roots.world != opcost_analysis::memory::World::Closed {
        return Err(SliceRefusal::Open);
    }
    if module.module_assembly_has_code {
        return Err(SliceRefusal::ModuleAssembly);
    }
    for (id, function) in module.functions.iter().filter(|&(id, _)| memory.calls.is_reachable(id)) {
        if function.is_naked {
            return Err(SliceRefusal::Function { function: id, what: "its body is assembly (naked)" });
        }
        if function.is_coroutine {
            return Err(SliceRefusal::Function {
                function: id,
                what: "it is a coroutine that is not split yet",
            });
        }
        for (at, instruction) in function.instructions.iter() {
            let what = match control(instruction) {
                Some(what) => Some(what.to_owned()),
                None => call(memory, SliceSite { function: id, instruction: at }),
            };
            if let Some(what) = what {
                return Err(SliceRefusal::Control { at: SliceSite { function: id, instruction: at }, what });
            }
        }
    }
    Ok(())
}

fn control(instruction: &Instruction) -> Option<&'static str> {
    match instruction.opcode {
        Opcode::IndirectBr => Some("it jumps to an address that it computes (indirectbr)"),
        Opcode::CallBr => Some("it is assembly that jumps (callbr)"),
        Opcode::CatchSwitch
        | Opcode::CatchRet
        | Opcode::CleanupRet
        | Opcode::CatchPad
        | Opcode::CleanupPad => Some("it handles exceptions as Windows does"),
        _ => None,
    }
}

fn call(memory: &MemoryModel<'_>, site: SliceSite) -> Option<String> {
    let function = &memory.module.functions[site.function];
    let call = function.call(site.instruction)?;
    let declared = match call.callee {
        CalleeRef::Assembly if !call.is_empty_assembly => {
            return Some("it is inline assembly, whose effects are not known".to_owned());
        }
        CalleeRef::Declaration(declared) => declared,
        _ if call.returns_twice => return Some("it may return twice".to_owned()),
        _ => return None,
    };
    let name = &*memory.module.declarations[declared].name;
    if system_effects(name).contains(&SystemEffect::Observes) {
        return Some(format!(
            "{name} reads flags of exceptions or the state of the heap, and a slice computes and allocates less"
        ));
    }
    if memory.module.declarations[declared].is_intrinsic {
        return control_effect(name).and_then(refused).map(|what| format!("{name} {what}"));
    }
    let effect = memory.externals.effect(function, site.instruction, declared);
    let control = control_effect(name);
    if let Some(what) = control.and_then(refused) {
        return Some(format!("{name} {what}"));
    }
    if call.returns_twice {
        return Some(format!("{name} may return twice"));
    }
    let is_later = effect.callbacks.iter().any(|callback| callback.is_later);
    // What runs at the end does so in the order of the program.
    (is_later && control != Some(ControlEffect::CallsAtEnd))
        .then(|| format!("{name} calls a function of the program at any time"))
}

/// What is said of control that no graph shows.
fn refused(effect: ControlEffect) -> Option<&'static str> {
    match effect {
        ControlEffect::ReturnsTwice | ControlEffect::Jumps | ControlEffect::SwitchesStacks => {
            Some("jumps over the calls that are running")
        }
        ControlEffect::StartsThread { .. } => Some("starts a thread, and threads are not sliced"),
        ControlEffect::Forks | ControlEffect::StartsProcess | ControlEffect::BecomesProgram => {
            Some("starts a process, and only one process is sliced")
        }
        ControlEffect::HandlesSignals | ControlEffect::TimesSignal | ControlEffect::Notifies => {
            Some("has signals delivered, whose handlers run at any time")
        }
        ControlEffect::LoadsCode => Some("loads code while the program runs"),
        ControlEffect::LimitsProcess => Some("may have the process ended anywhere, by what it does there"),
        ControlEffect::EndsProcess | ControlEffect::EndsThread | ControlEffect::Throws => None,
        ControlEffect::MayEndProcess => None,
        ControlEffect::SendsSignal | ControlEffect::CallsAtEnd | ControlEffect::SystemCall => None,
        ControlEffect::FindsNames => None,
    }
}
