//! One module, watched on its way to machine code.
//!
//! ```text
//! bitcode ─optimise, generate, watched▶ object + events ▶ Life
//!         ─the same, nobody watches───▶ object ┐
//! the user's compiler ────────────────▶ object ┴ compared
//! ```

use std::collections::{BTreeMap, HashMap};

use opcost_answer::life::{Life, SelfCheck, StageName};
use opcost_job::life::LifeJob;
use opcost_life::code::mark;
use opcost_life::encoding::Divider;
use opcost_life::graph::NODES;
use opcost_life::{
    RecordedFunction, alternative_paths, coverage_of, graphs, listings, reported_code, stages_of,
};
use opcost_llvm::{LifeRequest as Recorded, MachineProgram, ObjectCode, Session, Syntax};
use rustix::time::{ClockId, clock_gettime};

use super::selected::find;
use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;
use crate::read::maker_of_followed;

/// Back ends that are part of opcost.
const MACHINES: [&str; 4] = ["x86_64", "aarch64", "riscv64", "wasm32"];

/// Records the life.
///
/// # Errors
/// Nothing of the kind is there, or LLVM gives up.
pub(crate) fn record(job: &LifeJob, modules: &mut Modules) -> Result<Life, WorkError> {
    let LifeJob { module: followed, question, compiled } = job;
    let how = emission(&followed.code);
    let mut session = modules.module(&followed.bitcode, maker_of_followed(followed))?;
    let target = session.target();
    is_linked_in(&target)?;
    let module = session.snapshot();
    let chosen = find(&module, &question.selected)?;
    drop(module);
    session.identify();
    let object = followed.scratch.with_extension("o");
    let recorded = Recorded {
        numbers: chosen.numbers.clone(),
        // The last stages are told from the object.
        is_whole: question.graphs
            || matches!(question.stage, Some(StageName::Ir | StageName::Dag | StageName::Mir)),
        optimise: followed.optimise,
    };
    let before = cpu_milliseconds();
    let events = session.record(&object, how, followed.optimise, Some(&recorded))?;
    let milliseconds = cpu_milliseconds() - before;

    let code = ObjectCode::read(&object)?;
    let compiled = compiled.as_deref().map(ObjectCode::read).transpose()?;
    let is_compilers = |code: &ObjectCode| compiled.as_ref().map(|own| sections(own) == sections(code));

    let mut unwatched = Session::read(&followed.bitcode, maker_of_followed(followed))?;
    unwatched.strip_debug();
    if let Some(level) = followed.optimise {
        unwatched.optimise(how, level)?;
    }
    let optimised = followed.scratch.with_extension("optimised.bc");
    unwatched.write(&optimised)?;
    // What is the user's own compiler's was watched by nobody; only where it is
    // another, code generation without a look says whose fault that is.
    let mut self_check = if is_compilers(&code) == Some(true) {
        SelfCheck { text_identical: Some(true), compiler_identical: Some(true), ..SelfCheck::default() }
    } else {
        let plain = followed.scratch.with_extension("plain.o");
        unwatched.record(&plain, how, None, None)?;
        let ours = ObjectCode::read(&plain)?;
        SelfCheck {
            text_identical: Some(sections(&code) == sections(&ours)),
            compiler_identical: is_compilers(&ours),
            ..SelfCheck::default()
        }
    };
    let functions = RecordedFunction::of(&events, &code);
    let machine =
        MachineProgram::new(&target, &alternative_paths::features(&target, &code.features), Syntax::Usual)?;
    let original = alternative_paths::Original {
        functions: &functions,
        code: &code,
        triple: &target,
        machine: &machine,
        bitcode: &optimised,
        how,
    };
    alternative_paths::compare(original, &mut self_check);
    let is_code_whole = matches!(question.stage, Some(StageName::Mc | StageName::Bytes));
    let told = reported_code(&functions, &machine, &Divider::new(&machine, &target), is_code_whole);
    let mut stages = stages_of(&events, &bytes_of(&functions));
    mark(&mut stages, &told);
    let mut coverage = coverage_of(&events);
    coverage.work.milliseconds = milliseconds;
    Ok(Life {
        question: question.words.clone(),
        target,
        locations: chosen.locations,
        stages,
        code: told,
        graphs: if question.graphs { graphs(&events, NODES) } else { Vec::new() },
        ran: BTreeMap::new(),
        listings: question.stage.map(|stage| listings(&events, stage)).unwrap_or_default(),
        self_check,
        coverage,
    })
}

/// Of this process, user and system.
fn cpu_milliseconds() -> u64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(spent.tv_sec * 1000 + spent.tv_nsec / 1_000_000).unwrap_or(0)
}

/// Whether LLVM's back end for a machine is part of opcost.
fn is_linked_in(target: &str) -> Result<(), WorkError> {
    let machine = target.split('-').next().unwrap_or(target);
    // macOS's name of aarch64 is another.
    if machine.starts_with("arm64")
        || MACHINES.iter().any(|known| machine.starts_with(known))
        || (machine.starts_with('i') && machine.ends_with("86"))
    {
        return Ok(());
    }
    Err(WorkError::Refused(format!(
        "opcost has no code generation for {target}; it has {}: give one with --target, as {}-linux-gnu",
        MACHINES.join(", "),
        MACHINES[0]
    )))
}

/// Code of an object, section by section.
fn sections(code: &ObjectCode) -> Vec<(&str, &[u8])> {
    code.sections.iter().map(|section| (&*section.name, &*section.bytes)).collect()
}

/// By the functions' names.
fn bytes_of(functions: &[RecordedFunction<'_>]) -> HashMap<String, Vec<u8>> {
    functions.iter().map(|function| (function.name.to_owned(), function.bytes().to_owned())).collect()
}
