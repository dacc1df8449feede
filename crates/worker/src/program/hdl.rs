//! A function as a circuit: its widths, its schedule, its Verilog.
//!
//! The kernel and its schedule are made of the function alone; claims decide how wide wires are. Where each
//! circuit gets a schedule of its own, delays are from its wires. The
//! schedule is checked before anything is written.

use opcost_analysis::memory::MemoryModel;
use opcost_circuit::{
    Claim, Design, DriverFunction, DriverInputs, IntervalLimit, Kernel, LowerOptions, NodeOrigin, Resources,
    Schedule, StateLoop, StateReason, Target, axi, axi_header, axi_testbench, check, contract, declared,
    design, driver, frame, lower_with, replay, schedule, stream, stream_testbench, testbench, widths,
};
use opcost_index::Id;
use opcost_ir::{Function, Linkage, Module};
use opcost_key::FunctionId;

use opcost_answer::hdl::{HdlAnswers, HdlCircuit, HdlLoop, HdlMemory, HdlOperator, HdlPort};
use opcost_job::program::{CircuitWish, HdlJob, HdlSchedule, HdlWidths};
use opcost_llvm::Session;

use super::hdl_claims::{claimed, pieces};
use super::{hdl_elements, hdl_shape};
use crate::error::WorkError;

/// The circuit of a function.
///
/// # Errors
/// The function is not there, or cannot be a circuit; a contract names nothing or contradicts the
/// code; there is no solver for a certificate.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    session: &mut Session,
    job: &HdlJob,
) -> Result<HdlAnswers, WorkError> {
    let module = program.module;
    let function = top_function(module, &job.wish.top)?;
    let limits = &job.wish.limits;
    let refuse = |refusal: opcost_circuit::CircuitRefusal| {
        WorkError::Refused(format!("{} is no circuit: {refusal}", job.wish.top))
    };
    let options = LowerOptions {
        position_bits: limits.address_bits,
        indices: &|function, at| session.indices(function, at),
        before: hdl_elements::before(module, function, &job.wish.before)?,
    };
    let mut kernel = lower_with(module, function, &options).map_err(refuse)?;
    let body = &module.functions[function];
    hdl_shape::refuse_written(&kernel, body).map_err(refuse)?;
    let shape = session.shape(function);
    let resources =
        Resources { multipliers: limits.multipliers, dividers: 1, memory_ports: limits.memory_ports };
    let target = Target::ice40(limits.period, resources);
    let split = hdl_elements::split(module, function, &job.wish.contracts, &shape);
    let job =
        &HdlJob { wish: CircuitWish { contracts: split.numbers.clone(), ..job.wish.clone() }, ..job.clone() };
    let mut claimed = claimed(program, session, job)?;
    claimed.assumes.extend(hdl_elements::assumed(&split));
    let elements = hdl_elements::claims(&kernel, &split)?;
    let claims = |origin: NodeOrigin| {
        let value = (origin.function, origin.value);
        let own = elements.get(&value).filter(|_| job.wish.widths == HdlWidths::Proven);
        let known = claimed.of.get(&value);
        match (own, known) {
            (Some(own), Some(known)) if own.bits < known.bits => {
                Some(Claim { demanded: known.demanded, ..own.clone() })
            }
            (own, known) => known.or(own).cloned(),
        }
    };
    let wires_of = |kernel: &Kernel| match job.wish.widths {
        HdlWidths::Declared => declared(kernel),
        // LLVM's analyses know nothing of what a memory holds.
        HdlWidths::Llvm => widths(kernel, &claims, false),
        HdlWidths::Proven | HdlWidths::Certified => widths(kernel, &claims, true),
    };
    if job.wish.schedule == HdlSchedule::Own {
        kernel.delay_bits = wires_of(&kernel).nodes.values().map(|wire| wire.bits).collect();
    }
    let schedule = schedule(&mut kernel, &target, limits.pipelines);
    if let Some(wrong) = check(&kernel, &target, &schedule).first() {
        return Err(WorkError::Refused(format!(
            "an error of opcost: the schedule of {}: {wrong}",
            job.wish.top
        )));
    }
    let wires = wires_of(&kernel);
    let mut about = about(job, &claimed.assumes);
    about.extend(hdl_shape::explained(body, &shape));
    let mut design = design(&kernel, &schedule, &wires, &target, &about);
    design.result_mask = hdl_shape::result_mask(&shape);
    let mut answers = made(&kernel, &schedule, &target, &design);
    let lengths: Vec<u64> = design
        .memories
        .iter()
        .map(|memory| memory.length.unwrap_or(limits.elements + memory.before))
        .collect();
    answers.circuit.ports = design
        .memories
        .iter()
        .zip(&lengths)
        .map(|(memory, &elements)| HdlPort {
            name: memory.name.clone(),
            bits: memory.bits,
            address_bits: memory.address_bits,
            elements,
        })
        .collect();
    answers.frame = frame(&design);
    answers.stream = stream(&design);
    let vectors = format!("{}.vectors", design.name);
    answers.stream_testbench = stream_testbench(&design, &vectors, &lengths);
    // Registers of the bus have at most two words.
    if !design.scalars.iter().chain(&design.result).any(|scalar| scalar.declared > 64) {
        answers.axi = axi(&design);
        answers.axi_header = axi_header(&design);
        answers.axi_testbench = axi_testbench(&design, &vectors, &lengths);
    }
    answers.testbench = testbench(&design, &vectors, &lengths);
    let is_named =
        |memory: &opcost_circuit::MemoryPort| memory.parameter.is_some() || !memory.source_name.contains('.');
    // What static data holds is known from the program that writes it.
    let can_be_written = |memory: &opcost_circuit::MemoryPort| {
        memory.parameter.is_some()
            || !module.globals.values().any(|data| {
                data.name == memory.source_name && (data.is_constant || data.linkage == Linkage::Local)
            })
    };
    let given = DriverInputs {
        scalars: pieces(&design, body, &job.wish.contracts),
        elements: hdl_elements::pieces(&design, &kernel, &split, session)?,
        allowed: hdl_shape::allowed(&design, &shape),
        members: hdl_elements::members(&design, &split)?,
        booleans: hdl_elements::booleans(&design, &kernel, session),
    };
    if design.memories.iter().all(|memory| is_named(memory) && can_be_written(memory)) {
        let called = DriverFunction {
            source: job.source.display().to_string(),
            // C++ calls it by the name that it has there, and not by the linker's.
            function: if job.is_cpp { name_in_source(&job.wish.top, body) } else { body.name.clone() },
            is_cpp: job.is_cpp,
            by_words: hdl_shape::by_words(module, body, &shape),
        };
        answers.driver = Some(driver(&design, &called, &lengths, &given));
        match unreplayed(&design, body) {
            None => answers.replay = Some(replay(&design, &body.name, &lengths, &given.scalars)),
            unreplayed => answers.unreplayed = unreplayed,
        }
    }
    answers.contract = contract(&design, &given.scalars);
    answers.certificate = claimed.certificate;
    answers.assumes = claimed.assumes;
    Ok(answers)
}

/// Why calls of a run cannot be written down, if that is so.
fn unreplayed(design: &Design, body: &Function) -> Option<String> {
    let is_wide = |scalar: &opcost_circuit::ScalarPort| scalar.declared > 64;
    if design.scalars.iter().chain(&design.result).any(is_wide) {
        return Some("has numbers of more than 64 bits".to_owned());
    }
    if body.parameter_facts.iter().any(|facts| facts.byval.is_some()) {
        return Some("takes a struct by value that is passed on the stack".to_owned());
    }
    let mut memories = design.memories.iter();
    memories.any(|memory| memory.before > 0).then(|| "uses elements before a pointer (--before)".to_owned())
}

/// The function of a name.
fn top_function(module: &Module, name: &str) -> Result<FunctionId, WorkError> {
    // Names in debug data have no namespace.
    let plain = name.rsplit("::").next().unwrap_or(name);
    let is_it = |body: &Function| body.name == name || body.source_name.as_deref() == Some(plain);
    let mut matching = module.functions.iter().filter(|(_, body)| !body.blocks.is_empty() && is_it(body));
    match (matching.next(), matching.next()) {
        (Some((id, body)), None) => called_by_anyone(id, body, name),
        (Some(_), Some(_)) => {
            Err(WorkError::Usage(format!("several functions are called {name}; give one file")))
        }
        (None, _) => {
            let names: Vec<&str> = module
                .functions
                .values()
                .filter(|body| !body.blocks.is_empty())
                .map(|body| body.source_name.as_deref().unwrap_or(&body.name))
                .take(12)
                .collect();
            Err(WorkError::Usage(format!(
                "no function {name} is left after optimisation; there are: {}. A static function must be \
                 called, or not be static",
                names.join(", ")
            )))
        }
    }
}

/// What the source calls the function that was asked for by either name.
fn name_in_source(top: &str, body: &Function) -> String {
    match &body.source_name {
        Some(name) if top == body.name => name.to_string(),
        _ => top.to_owned(),
    }
}

/// A function that anyone may call: what is known of its parameters are contracts, and no habits of its
/// callers.
fn called_by_anyone(id: FunctionId, body: &Function, name: &str) -> Result<FunctionId, WorkError> {
    if body.linkage != Linkage::Exact {
        return Err(WorkError::Usage(format!(
            "{name} is static or may be replaced; leave the word out, so that a circuit of it can be called by anyone"
        )));
    }
    Ok(id)
}

/// The head of the module.
fn about(job: &HdlJob, assumes: &[String]) -> Vec<String> {
    let widths = match job.wish.widths {
        HdlWidths::Declared => "as wide as their types",
        HdlWidths::Llvm => "as wide as LLVM's own analyses say",
        HdlWidths::Proven => "as wide as opcost bits proves",
        HdlWidths::Certified => "as wide as the checker of certificates follows",
    };
    let mut lines = vec![format!("{} as a circuit, by opcost hdl; wires are {widths}", job.wish.top)];
    lines.extend(assumes.iter().map(|fact| format!("assumes: {fact}")));
    lines
}

/// What the circuit is made of.
fn made(kernel: &Kernel, schedule: &Schedule, target: &Target, design: &Design) -> HdlAnswers {
    let report = &design.report;
    let mut loops = Vec::new();
    for (id, block) in kernel.blocks.iter() {
        if !block.end.successors().contains(&id) {
            continue;
        }
        let scheduled = &schedule.blocks[id];
        let location = block.location.as_ref().map(ToString::to_string);
        loops.push(match &scheduled.pipeline {
            Some(pipeline) => HdlLoop {
                location,
                interval: pipeline.interval,
                bound: Some(pipeline.bound),
                limited_by: limit(&pipeline.limited_by, pipeline.interval > pipeline.bound),
                depth: scheduled.length,
            },
            None => HdlLoop {
                location,
                interval: scheduled.length,
                bound: None,
                limited_by: "iterations do not overlap".to_owned(),
                depth: scheduled.length,
            },
        });
    }
    for states in &schedule.states {
        loops.push(HdlLoop {
            location: kernel.blocks[states.block].location.as_ref().map(ToString::to_string),
            interval: states.shortest.unwrap_or(0),
            bound: None,
            limited_by: why_states(states),
            depth: states.longest.unwrap_or(0),
        });
    }
    let mut slow = Vec::new();
    for (node, of) in kernel.nodes.iter() {
        let wanted = target.full_delay(kernel, node);
        if wanted > target.period && schedule.slots.get(node).is_some_and(|slot| slot.is_some()) {
            let location = of
                .location
                .as_ref()
                .map_or_else(|| format!("operation {}", node.index()), ToString::to_string);
            slow.push(format!("{location}: {} ns in {} ns", wanted / 1000, target.period / 1000));
        }
    }
    let circuit = HdlCircuit {
        name: design.name.clone(),
        states: report.states,
        loops,
        operators: report
            .operators
            .iter()
            .map(|one| HdlOperator { kind: one.kind.to_owned(), bits: one.bits, count: one.count })
            .collect(),
        register_bits: report.register_bits,
        memories: report
            .memories
            .iter()
            .map(|one| HdlMemory {
                name: one.name.clone(),
                length: one.length,
                bits: one.bits,
                is_table: one.is_table,
            })
            .collect(),
        ports: Vec::new(),
        slow,
    };
    HdlAnswers { circuit, verilog: design.verilog.clone(), ..HdlAnswers::default() }
}

/// Why a loop of several blocks stays so many states.
fn why_states(states: &StateLoop) -> String {
    match states.reason {
        StateReason::Entries => {
            "its branches, which come back to the middle of it: iterations do not overlap".to_owned()
        }
        StateReason::Large => "its size: iterations of so many operations do not overlap".to_owned(),
        StateReason::Endless => "nothing ends it: iterations do not overlap".to_owned(),
        StateReason::Slower(cycles) => format!(
            "its branches: made one block, an iteration would begin every {cycles} cycles, and on its shortest way it \
             takes {}",
            states.shortest.unwrap_or(0)
        ),
    }
}

fn limit(limit: &IntervalLimit, is_above: bool) -> String {
    let words = match limit {
        IntervalLimit::Nothing => "nothing".to_owned(),
        IntervalLimit::Recurrence => "what an iteration needs of an earlier one".to_owned(),
        IntervalLimit::Condition => "when it is known whether another iteration follows".to_owned(),
        IntervalLimit::Ports(memory) => format!("ports of {memory}"),
        IntervalLimit::Multipliers => "shared multipliers".to_owned(),
        IntervalLimit::Dividers => "the shared divider".to_owned(),
    };
    if is_above { format!("the scheduler, above its bound ({words})") } else { words }
}
