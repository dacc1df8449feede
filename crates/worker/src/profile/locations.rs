//! From counts of instructions to profiles by function and line.
//!
//! What was inlined stands in its caller, as the debug information has it. Input: the
//! modules with the ledger's counts laid on them. Output: samples as LLVM reads
//! them, or stacks for viewers. Limit: a place is as good as the debug information of
//! optimised code; who called a function is not known.

use std::collections::BTreeMap;

use opcost_key::{CallMap, Callee, FunctionId, FunctionMap};
use opcost_llvm::Frame;
use opcost_profile::formats::llvm_sample::{DiscriminatedLine, PlacedCount, write_llvm_sample};
use opcost_profile::formats::stacks::{StackFrame, StackWork, Stacks};

use opcost_answer::names::demangle;

use super::laid::Laid;
use crate::error::WorkError;

/// The profile that `clang -fprofile-sample-use` reads.
///
/// # Errors
/// No module has debug information.
pub(crate) fn llvm_sample(laid: &[Laid]) -> Result<String, WorkError> {
    let (mut placed, mut entries) = (Vec::new(), BTreeMap::new());
    for module in laid {
        let first = placed.len();
        for (id, counts) in module.counted() {
            let function = &module.map.functions[id];
            let calls: BTreeMap<_, &CallMap> =
                function.calls.iter().map(|call| (call.instruction, call)).collect();
            *entries.entry(function.name.clone()).or_default() += counts.entries;
            for instruction in function.instructions.ids() {
                let frames = module.session.frames(id, instruction);
                if module.is_phi(id, instruction) || frames.first().is_none_or(|inner| inner.line == 0) {
                    continue;
                }
                let copies = u64::from(frames[0].copies.max(1));
                let callee = calls.get(&instruction).and_then(|call| callee(module, call));
                let count = counts.instruction(function, instruction).saturating_mul(copies);
                placed.push(PlacedCount { frames: locations(function, &frames), count, callee });
            }
        }
        if let Some(shared) = undistinguished(&placed[first..]) {
            return Err(WorkError::Refused(format!(
                "{}: {shared}. clang distinguishes blocks of one line by discriminators, and the module has none at \
                 the anchor {}; count it at --anchor pgo",
                module.map.module, module.map.anchor
            )));
        }
    }
    match placed.is_empty() {
        true => Err(WorkError::Refused(NO_LINES.to_owned())),
        false => Ok(write_llvm_sample(&placed, &entries)),
    }
}

/// A line whose code ran differently often, in a module without discriminators. clang gives its blocks some, and would take
/// the count of all for that of one.
fn undistinguished(placed: &[PlacedCount]) -> Option<String> {
    let mut frames = placed.iter().flat_map(|one| &one.frames);
    if frames.any(|(_, place)| place.discriminator != 0) {
        return None;
    }
    let mut counts: BTreeMap<&[(String, DiscriminatedLine)], u64> = BTreeMap::new();
    placed.iter().find_map(|one| {
        let first = *counts.entry(&one.frames).or_insert(one.count);
        let (function, place) = one.frames.last().filter(|_| first != one.count)?;
        let (more, less) = (first.max(one.count), first.min(one.count));
        let at = place.offset;
        Some(format!("line {at} below the first of {function} has code that ran {more} and {less} times"))
    })
}

const NO_LINES: &str = "there is no debug information, so nobody knows which lines ran: compile the bitcode with \
                        -gline-tables-only, and count it again";

/// From the function that holds an instruction inwards.
fn locations(function: &FunctionMap, frames: &[Frame]) -> Vec<(String, DiscriminatedLine)> {
    let place = |frame: &Frame| DiscriminatedLine::new(frame.line, frame.first_line, frame.discriminator);
    let mut all: Vec<_> = frames.iter().rev().map(|frame| (frame.function.clone(), place(frame))).collect();
    all[0].0.clone_from(&function.name);
    all
}

fn callee(module: &Laid, call: &CallMap) -> Option<String> {
    match &call.callee {
        Callee::Defined(id) => Some(module.map.functions[*id].name.clone()),
        Callee::Declared(name) if !name.starts_with("llvm.") => Some(name.clone()),
        Callee::Declared(_) | Callee::Memory(_) | Callee::Indirect | Callee::Assembly => None,
    }
}

/// What every stack of inlined functions did.
pub(crate) fn stacks(laid: &[Laid]) -> Stacks {
    let mut stacks = Stacks::default();
    for module in laid {
        for (id, counts) in module.counted() {
            let function = &module.map.functions[id];
            for (instruction, known) in function.instructions.iter() {
                let count = counts.instruction(function, instruction);
                if count == 0 || module.is_phi(id, instruction) {
                    continue;
                }
                let instructions = count.saturating_mul(known.weight.into());
                let stack = stack(module, id, &module.session.frames(id, instruction));
                stacks.add(stack, StackWork { executions: count, instructions });
            }
        }
    }
    stacks
}

fn stack(module: &Laid, id: FunctionId, frames: &[Frame]) -> Vec<StackFrame> {
    let function = &module.map.functions[id];
    let of_frame = |frame: &Frame| StackFrame {
        function: frame.function.clone(),
        shown: demangle(&frame.function),
        file: frame.file.clone(),
        line: frame.line,
        first_line: frame.first_line,
    };
    let mut all: Vec<StackFrame> = frames.iter().rev().map(of_frame).collect();
    if all.is_empty() {
        all.push(StackFrame {
            function: String::new(),
            shown: String::new(),
            file: String::new(),
            line: 0,
            first_line: 0,
        });
    }
    all[0].function.clone_from(&function.name);
    all[0].shown = demangle(&function.name);
    all
}
