//! What do callers of a circuit give as elements of its memories?
//!
//! A contract of a parameter that is a pointer is about each element that it leads to: `mm8.a=-100..100`.
//! Without one, elements are all numbers of their type, but for those that C does not allow there.
//! A `bool` is 0 or 1, and clang says so of each of its loads.
//!
//! Contracts of elements narrow what is loaded from a memory that the circuit never writes. No other
//! wire gets narrower by them.
//!
//! Input: contracts as written, the kernel, what LLVM knows. Output: contracts of numbers, and pieces of
//! elements. Cost: linear.

use std::collections::{HashMap, HashSet};

use opcost_analysis::memory::MemoryModel;
use opcost_circuit::{Action, Claim, Design, Kernel, MemoryId, MemoryKind, Pieces};
use opcost_ir::{Function, Module, Type, Value};
use opcost_key::FunctionId;
use opcost_llvm::Session;

use opcost_answer::contract::{ContractPiece, PortContract};

use super::contracts::port_of;
use crate::error::WorkError;

/// Contracts, by what they are about.
pub(crate) struct Split {
    /// Numbers.
    pub(crate) numbers: Vec<PortContract>,
    /// Elements that the pointer at this position leads to.
    pub(crate) elements: Vec<(u32, PortContract)>,
}

/// Contracts of numbers, and of elements.
pub(crate) fn split(program: &MemoryModel<'_>, top: FunctionId, contracts: &[PortContract]) -> Split {
    let module = program.module;
    let body = &module.functions[top];
    let mut split = Split { numbers: Vec::new(), elements: Vec::new() };
    for contract in contracts {
        let is_of_top =
            contract.function == body.name || body.source_name.as_deref() == Some(&*contract.function);
        let position = is_of_top.then(|| port_of(module, top, &contract.port)).flatten();
        match position.filter(|&position| is_pointer(module, body, position)) {
            Some(position) => split.elements.push((position, contract.clone())),
            None => split.numbers.push(contract.clone()),
        }
    }
    split
}

fn is_pointer(module: &Module, body: &Function, position: u32) -> bool {
    let Type::Function(_, parameters, _) = &module.types[body.ty] else { return false };
    parameters.get(position as usize).is_some_and(|&ty| matches!(module.types[ty], Type::Pointer(..)))
}

/// What the elements of each memory of the design may be, in its order.
///
/// # Errors
/// A contract has numbers that an element cannot be.
pub(crate) fn pieces(
    design: &Design,
    kernel: &Kernel,
    split: &Split,
    session: &Session,
) -> Result<Vec<Pieces>, WorkError> {
    let boolean = boolean(kernel, session);
    let mut all = Vec::new();
    for memory in &design.memories {
        let mut pieces = Pieces::new();
        for (_, contract) in split.elements.iter().filter(|(position, _)| memory.parameter == Some(*position))
        {
            pieces.extend(numbers(contract, memory.bits)?);
        }
        if pieces.is_empty() && memory.parameter.is_some_and(|position| boolean.contains(&position)) {
            pieces.push((0, 1));
        }
        all.push(pieces);
    }
    Ok(all)
}

/// Parameters whose memories have elements that are 0 or 1, by their loads.
fn boolean(kernel: &Kernel, session: &Session) -> HashSet<u32> {
    let mut known = HashMap::new();
    let mut found = HashSet::new();
    for node in kernel.nodes.values() {
        let (Action::Load(memory), Some(origin)) = (&node.action, &node.origin) else { continue };
        let MemoryKind::Port { parameter: Some(parameter) } = kernel.memories[*memory].kind else { continue };
        let bits = known
            .entry(origin.function)
            .or_insert_with(|| session.bits(origin.function, 0).into_iter().collect::<HashMap<_, _>>());
        if bits.get(&origin.value).is_some_and(|bits| bits.width == 1 && !bits.has_sign) {
            found.insert(parameter);
        }
    }
    found
}

/// The numbers of a contract, of elements of so many bits.
fn numbers(contract: &PortContract, bits: u32) -> Result<Pieces, WorkError> {
    let ends = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
    let one = |piece: &ContractPiece| match *piece {
        ContractPiece::Integers(low, high) if low >= ends.0 && high <= ends.1 => Ok((low, high)),
        ContractPiece::Integers(..) => Err(WorkError::Usage(format!(
            "the contract '{}' has numbers that elements of {bits} bits cannot be: these are {} to {}",
            contract.text, ends.0, ends.1
        ))),
        ContractPiece::Numbers(..) => Err(WorkError::Usage(format!(
            "the contract '{}' is about elements that are integers; give whole numbers",
            contract.text
        ))),
    };
    contract.pieces.iter().map(one).collect()
}

/// Claims of what is loaded from memories that only callers write.
///
/// # Errors
/// A contract has numbers that an element cannot be.
pub(crate) fn claims(
    kernel: &Kernel,
    split: &Split,
) -> Result<HashMap<(FunctionId, Value), Claim>, WorkError> {
    let mut all = HashMap::new();
    for (position, contract) in &split.elements {
        let is_it = |memory: &MemoryId| matches!(kernel.memories[*memory].kind, MemoryKind::Port { parameter: Some(parameter) } if parameter == *position);
        let is_written =
            kernel.nodes.values().any(|node| matches!(&node.action, Action::Store(memory) if is_it(memory)));
        for node in kernel.nodes.values() {
            let (Action::Load(memory), Some(origin)) = (&node.action, &node.origin) else { continue };
            if !is_it(memory) {
                continue;
            }
            let pieces = numbers(contract, kernel.memories[*memory].bits)?;
            let low = pieces.iter().map(|piece| piece.0).min().unwrap_or(0);
            let high = pieces.iter().map(|piece| piece.1).max().unwrap_or(0);
            let bits = width(low, high);
            if !is_written && bits < node.bits {
                let words = format!("elements are {low} to {high}, by contract");
                let claim = Claim { bits, signed: low < 0, demanded: node.bits, words };
                all.insert((origin.function, origin.value), claim);
            }
        }
    }
    Ok(all)
}

/// Bits that hold all numbers between two, with a sign where one is below zero.
fn width(low: i128, high: i128) -> u32 {
    let plain = |number: i128| 128 - number.leading_zeros();
    match low < 0 {
        true => 1 + plain(!low).max(plain(high.max(0))),
        false => plain(high).max(1),
    }
}

/// What elements are, in words.
pub(crate) fn assumed(split: &Split) -> impl Iterator<Item = String> {
    split
        .elements
        .iter()
        .map(|(_, contract)| format!("each element keeps the contract {} (--assume)", contract.text))
}
