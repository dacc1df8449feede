//! What did the program of a ledger do, as far as time is worked out from it?
//!
//! Each module is compiled to its anchor as when it was counted, and the ledger's counts are laid on
//! it function by function. Its machine code is generated as that of the program without counters
//! would be, and LLVM's simulator tells the cycles of each machine block
//! ([`Session::schedule`](opcost_llvm::Session::schedule)). Operations of the IR are
//! counted beside them, by opcode and type.
//!
//! Input: a ledger, bitcode of its modules, a processor. Output: [`ProgramWork`]. Cost: a code
//! generation of each module, and a simulation of each loop that ran. Limits: a function that the
//! ledger does not fit is in none of it, and is named.

use std::collections::BTreeMap;

use opcost_answer::work::{BlockWork, FunctionWork, LineWork, LoopWork, MachineWork, ProgramWork};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, IdMap};
use opcost_ir::{Function, Module, Opcode, Type, TypeId};
use opcost_job::work::{ProcessorAnswer, WorkJob, WorkModule};
use opcost_key::{BlockId, FunctionId};
use opcost_llvm::{Scheduled, host_processor, host_triple};
use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Ledger, Subject};
use opcost_recover::FunctionCounts;

use super::laid::{Laying, lay};
use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;

/// The processor that runs this.
pub(crate) fn processor() -> ProcessorAnswer {
    ProcessorAnswer { name: host_processor(), target: host_triple() }
}

/// What ran.
///
/// # Errors
/// Nothing of the ledger fits, a module cannot be read, or LLVM says no.
pub(crate) fn work(job: &WorkJob, modules: &mut Modules) -> Result<ProgramWork, WorkError> {
    let ledger = load_ledger(&job.ledger)?;
    let mut found = ProgramWork { processor: job.processor.clone(), ..ProgramWork::default() };
    let mut operations = Operations::default();
    for module in &job.modules {
        add_module(
            job,
            module,
            &ledger,
            Collected { work: &mut found, operations: &mut operations, modules },
        )?;
    }
    found.operations = operations.names;
    drop_internal_calls(&mut found, &ledger);
    match (found.functions.is_empty(), found.refused.first()) {
        (true, Some((name, why))) => Err(WorkError::Refused(format!(
            "the ledger is of another build: no function of the program is as it was counted ({name}: {why}); count it \
             again"
        ))),
        (true, None) => Err(WorkError::Refused("nothing in the ledger ran".to_owned())),
        (false, _) => Ok(found),
    }
}

/// What is being found.
struct Collected<'a> {
    work: &'a mut ProgramWork,
    operations: &'a mut Operations,
    modules: &'a mut Modules,
}

fn add_module(
    job: &WorkJob,
    wanted: &WorkModule,
    ledger: &Ledger,
    collected: Collected<'_>,
) -> Result<(), WorkError> {
    let how = Laying { root: &job.root, cost: &job.cost, is_alone: false };
    let mut laid = lay(&how, &wanted.module, ledger, collected.modules)?;
    let module = laid.session.snapshot();
    if !collected.work.targets.contains(&module.triple) {
        collected.work.targets.push(module.triple.clone());
    }
    let mut block_counts: Vec<u64> = Vec::new();
    let mut first_blocks: IdMap<FunctionId, u32> = IdMap::new();
    let mut functions: BTreeMap<FunctionId, FunctionWork> = BTreeMap::new();
    for (id, function) in module.functions.iter() {
        first_blocks.push(block_counts.len() as u32);
        let map = &laid.map.functions[id];
        match &laid.matched.functions[id] {
            Ok(counts) => {
                let of_block = |block| counts.block(map, block);
                block_counts.extend(function.blocks.ids().map(of_block));
                if of_block(BlockId::new(0)) > 0 {
                    let blocks = blocks_of(&module, function, of_block, collected.operations);
                    functions.insert(id, function_work(&wanted.module.name, &map.name, counts, blocks));
                }
            }
            Err(why) => {
                block_counts.extend(function.blocks.ids().map(|_| 0));
                collected.work.refused.push((map.name.clone(), why.to_string()));
            }
        }
    }
    let scheduled =
        laid.session.schedule(emission(&wanted.code), &job.processor, &block_counts, &job.capacities)?;
    add_machine_code(&scheduled, &first_blocks, &mut functions);
    add_lines(
        &Fetching { module: &module, first_blocks: &first_blocks, sizes: job.capacities.len() },
        &scheduled,
        &mut functions,
    );
    collected.work.functions.extend(functions.into_values());
    Ok(())
}

fn function_work(module: &str, name: &str, counts: &FunctionCounts, blocks: Vec<BlockWork>) -> FunctionWork {
    FunctionWork {
        name: name.to_owned(),
        module: module.to_owned(),
        entries: counts.entries,
        blocks,
        ..FunctionWork::default()
    }
}

/// What machine blocks did, by function and by block of the module.
fn add_machine_code(
    scheduled: &Scheduled,
    first_blocks: &IdMap<FunctionId, u32>,
    functions: &mut BTreeMap<FunctionId, FunctionWork>,
) {
    for row in &scheduled.blocks {
        let Some(function) = functions.get_mut(&row.function) else { continue };
        let instructions = f64::from(row.instructions) * row.executions;
        function.machine.add(&MachineWork {
            cycles: row.cycles * row.executions,
            instructions,
            strange: f64::from(row.strange) * row.executions,
            guessed: if row.is_guess { instructions } else { 0.0 },
            rare: row.rare,
        });
        let own = row.block.map(|block| block - first_blocks[row.function]);
        if let Some(block) = function.blocks.iter_mut().find(|block| Some(block.block) == own) {
            block.cycles += row.cycles * row.executions;
        }
    }
    for call in &scheduled.calls {
        let Some(function) = functions.get_mut(&call.function) else { continue };
        match function.calls.iter_mut().find(|(name, _)| *name == call.name) {
            Some((_, times)) => *times += call.executions,
            None => function.calls.push((call.name.clone(), call.executions)),
        }
    }
}

/// What says which loop a line belongs to.
struct Fetching<'a> {
    module: &'a Module,
    first_blocks: &'a IdMap<FunctionId, u32>,
    sizes: usize,
}

/// Lines of memory, by loop and size of the cache, with the cycles of the loop's own blocks.
fn add_lines(how: &Fetching<'_>, scheduled: &Scheduled, functions: &mut BTreeMap<FunctionId, FunctionWork>) {
    let mut by_loop: BTreeMap<(FunctionId, u32), Vec<LineWork>> = BTreeMap::new();
    for row in &scheduled.lines {
        let lines = by_loop.entry((row.function, row.first)).or_default();
        lines.resize(how.sizes, LineWork::default());
        lines[row.level as usize] = LineWork { near: row.near, far: row.far };
    }
    let mut forests: BTreeMap<FunctionId, LoopForest<BlockId>> = BTreeMap::new();
    for ((id, first), lines) in by_loop {
        let Some(work) = functions.get_mut(&id) else { continue };
        let forest = forests.entry(id).or_insert_with(|| {
            let function = &how.module.functions[id];
            LoopForest::compute(function, &Dominators::compute(function, BlockId::new(0)))
        });
        let own = forest.loop_with_header(BlockId::new((first - how.first_blocks[id]) as usize));
        let is_own =
            |block: &&BlockWork| own.is_some() && forest.innermost[BlockId::new(block.block as usize)] == own;
        let cycles = work.blocks.iter().filter(is_own).map(|block| block.cycles).sum();
        work.loops.push(LoopWork { cycles, lines });
    }
}

/// A function that another module defines is no call out of the program.
fn drop_internal_calls(work: &mut ProgramWork, ledger: &Ledger) {
    let mut names: Vec<&str> = ledger
        .facts()
        .iter()
        .filter_map(|fact| match &fact.subject {
            Subject::Function { function, .. } => Some(function.name.as_str()),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    for function in &mut work.functions {
        function.calls.retain(|(name, _)| names.binary_search(&name.as_str()).is_err());
    }
}

/// Operations by name, numbered as they come.
#[derive(Default)]
struct Operations {
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Operations {
    fn number(&mut self, name: String) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}

/// The operations of blocks that ran.
fn blocks_of(
    module: &Module,
    function: &Function,
    executions: impl Fn(BlockId) -> u64,
    operations: &mut Operations,
) -> Vec<BlockWork> {
    let mut blocks = Vec::new();
    for block in function.blocks.ids() {
        let executions = executions(block);
        if executions == 0 {
            continue;
        }
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for id in function.instructions_of(block) {
            let one = &function.instructions[id];
            let is_intrinsic =
                function.call(id).is_some_and(|call| module.intrinsic_name(call.callee).is_some());
            if is_intrinsic {
                // What becomes of it is told by machine code alone.
                continue;
            }
            // Of a comparison and a store the type of what is compared or stored.
            let typed = match one.opcode {
                Opcode::ICmp | Opcode::FCmp | Opcode::Store => one.second_type,
                Opcode::GetElementPtr => None,
                opcode if opcode.is_call() || opcode.is_terminator() => None,
                _ => Some(one.ty),
            };
            let ty = typed.map_or_else(String::new, |ty| type_text(&module.types, ty));
            let name =
                if ty.is_empty() { one.opcode.name().to_owned() } else { format!("{} {ty}", one.opcode) };
            *counts.entry(operations.number(name)).or_default() += 1;
        }
        blocks.push(BlockWork {
            block: block.index() as u32,
            executions,
            cycles: 0.0,
            operations: counts.into_iter().collect(),
        });
    }
    blocks
}

/// A type as timing files write it; empty of what has no size of its own.
fn type_text(types: &IdMap<TypeId, Type>, ty: TypeId) -> String {
    match &types[ty] {
        Type::Integer(bits) => format!("i{bits}"),
        Type::Float(name) => (*name).to_owned(),
        Type::Pointer(_) => "ptr".to_owned(),
        Type::Vector { length, element, .. } => format!("<{length} x {}>", type_text(types, *element)),
        Type::Void | Type::Array(..) | Type::Struct { .. } | Type::Function(..) | Type::Other(_) => {
            String::new()
        }
    }
}
