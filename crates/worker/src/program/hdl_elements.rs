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

use std::collections::{BTreeMap, HashMap, HashSet};

use opcost_circuit::{
    Action, Claim, Design, DriverBooleans, DriverMember, Kernel, KernelOperand, MemoryId, MemoryKind, NodeId,
    Pieces,
};
use opcost_ir::{Function, Module, Type, Value};
use opcost_key::FunctionId;
use opcost_llvm::{FunctionShape, Session, ShapeMember};

use opcost_answer::contract::{ContractPiece, PortContract};

use super::contracts::port_of;
use crate::error::WorkError;

/// Contracts, by what they are about.
pub(crate) struct Split {
    /// Numbers.
    pub(crate) numbers: Vec<PortContract>,
    /// Elements that the pointer at this position leads to.
    pub(crate) elements: Vec<(u32, PortContract)>,
    /// Members of the word that is passed at this position.
    pub(crate) members: Vec<(u32, ShapeMember, PortContract)>,
}

/// How many elements are before those that pointers of parameters point to.
///
/// # Errors
/// No such function or parameter, or it is no pointer.
pub(crate) fn before(
    module: &Module,
    top: FunctionId,
    written: &[(String, u64)],
) -> Result<BTreeMap<u32, u64>, WorkError> {
    let body = &module.functions[top];
    let mut all = BTreeMap::new();
    for (port, count) in written {
        let (function, name) = port.rsplit_once('.').unwrap_or(("", port));
        let is_of_top = function == body.name || body.source_name.as_deref() == Some(function);
        let position = is_of_top.then(|| port_of(module, top, name)).flatten();
        let is_passed = |position: &u32| {
            let facts = body.parameter_facts.get(*position as usize);
            is_pointer(module, body, *position)
                && facts.is_none_or(|facts| facts.byval.is_none() && !facts.is_sret)
        };
        let Some(position) = position.filter(is_passed) else {
            return Err(WorkError::Usage(format!(
                "--before '{port}={count}' names no pointer that is a parameter; write FUNCTION.POINTER=ELEMENTS"
            )));
        };
        all.insert(position, *count);
    }
    Ok(all)
}

/// Contracts of numbers, of elements, and of members of words.
pub(crate) fn split(
    module: &Module,
    top: FunctionId,
    contracts: &[PortContract],
    shape: &FunctionShape,
) -> Split {
    let body = &module.functions[top];
    let mut split = Split { numbers: Vec::new(), elements: Vec::new(), members: Vec::new() };
    for contract in contracts {
        if let Some((position, member)) = member_of(module, top, contract, shape) {
            split.members.push((position, member.clone(), contract.clone()));
            continue;
        }
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

/// The member of a word that a contract is about, if no port by itself has that name.
fn member_of<'s>(
    module: &Module,
    top: FunctionId,
    contract: &PortContract,
    shape: &'s FunctionShape,
) -> Option<(u32, &'s ShapeMember)> {
    let body = &module.functions[top];
    let whole = format!("{}.{}", contract.function, contract.port);
    let names = [Some(&*body.name), body.source_name.as_deref()].into_iter().flatten();
    let name = names.filter_map(|name| whole.strip_prefix(name)?.strip_prefix('.')).next()?;
    if port_of(module, top, name).is_some() {
        return None;
    }
    let all =
        shape.words.iter().flat_map(|(&position, members)| members.iter().map(move |one| (position, one)));
    all.into_iter().find(|(_, member)| member.name == name)
}

/// What members of the design's words may be.
///
/// # Errors
/// A contract has numbers that a member cannot be.
pub(crate) fn members(design: &Design, split: &Split) -> Result<Vec<DriverMember>, WorkError> {
    let mut all = Vec::new();
    for (position, member, contract) in &split.members {
        let pieces = numbers(contract, member.bits)?;
        let scalar = design.scalars.iter().position(|scalar| scalar.parameter == *position);
        let (offset, bits) = (member.offset, member.bits);
        all.extend(scalar.map(|scalar| DriverMember { scalar, offset, bits, pieces }));
    }
    Ok(all)
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
            if memory.is_split {
                return Err(WorkError::Usage(format!(
                    "the contract '{}' is about a memory of numbers of several sizes, which are elements of {} bits; \
                     mask the numbers in the function",
                    contract.text, memory.bits
                )));
            }
            pieces.extend(numbers(contract, memory.bits)?);
        }
        if pieces.is_empty() && memory.parameter.is_some_and(|position| boolean.contains(&position)) {
            pieces.push((0, 1));
        }
        all.push(pieces);
    }
    Ok(all)
}

/// Parameters whose memories have elements that are all 0 or 1, by their loads.
fn boolean(kernel: &Kernel, session: &Session) -> HashSet<u32> {
    let loads = boolean_loads(kernel, session);
    let mut all: HashSet<u32> = loads.iter().map(|&(parameter, _)| parameter).collect();
    // Of a struct with a `bool` some elements are other numbers.
    for (id, node) in kernel.nodes.iter() {
        let Action::Load(memory) = node.action else { continue };
        let MemoryKind::Port { parameter: Some(parameter) } = kernel.memories[memory].kind else { continue };
        if !loads.contains(&(parameter, id)) {
            all.remove(&parameter);
        }
    }
    all
}

/// Elements of the design's memories that are 0 or 1, where others of the memory are not.
pub(crate) fn booleans(design: &Design, kernel: &Kernel, session: &Session) -> Vec<Vec<DriverBooleans>> {
    let (loads, whole) = (boolean_loads(kernel, session), boolean(kernel, session));
    let of_one = |memory: &opcost_circuit::MemoryPort| {
        let parameter = memory.parameter?;
        let own = loads.iter().filter(|&&(one, _)| one == parameter && !whole.contains(&parameter));
        let mut all: Vec<DriverBooleans> = own.filter_map(|&(_, load)| strided(kernel, load)).collect();
        all.sort_unstable();
        all.dedup();
        Some(all)
    };
    design.memories.iter().map(|memory| of_one(memory).unwrap_or_default()).collect()
}

/// The elements that a load may read, if its position is made of indices times sizes.
fn strided(kernel: &Kernel, load: NodeId) -> Option<DriverBooleans> {
    let (mut first, mut stride) = (0i64, 0u64);
    let mut position = kernel.nodes[load].operands[0];
    loop {
        let node = match position {
            KernelOperand::Constant { value, .. } => {
                first = first.checked_add(i64::try_from(value).ok()?)?;
                break;
            }
            KernelOperand::Node(node) => &kernel.nodes[node],
        };
        let Action::Address { has_base, offset, factors } = &node.action else { return None };
        first = first.checked_add(*offset)?;
        for factor in factors {
            stride = gcd(stride, factor.times.unsigned_abs());
        }
        if !has_base {
            break;
        }
        position = node.operands[0];
    }
    let first = match stride {
        0 => u64::try_from(first).ok()?,
        _ => u64::try_from(first.rem_euclid(i64::try_from(stride).ok()?)).ok()?,
    };
    Some(DriverBooleans { first, stride })
}

fn gcd(left: u64, right: u64) -> u64 {
    if right == 0 { left } else { gcd(right, left % right) }
}

/// Loads of memories of parameters that give 0 or 1.
fn boolean_loads(kernel: &Kernel, session: &Session) -> HashSet<(u32, NodeId)> {
    let mut known = HashMap::new();
    let mut found = HashSet::new();
    for (id, node) in kernel.nodes.iter() {
        let (Action::Load(memory), Some(origin)) = (&node.action, &node.origin) else { continue };
        let MemoryKind::Port { parameter: Some(parameter) } = kernel.memories[*memory].kind else { continue };
        let bits = known
            .entry(origin.function)
            .or_insert_with(|| session.bits(origin.function, 0).into_iter().collect::<HashMap<_, _>>());
        if bits.get(&origin.value).is_some_and(|bits| bits.width == 1 && !bits.has_sign) {
            found.insert((parameter, id));
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
    let elements = split.elements.iter();
    let elements =
        elements.map(|(_, contract)| format!("each element keeps the contract {} (--assume)", contract.text));
    let members = split.members.iter();
    let members = members.map(|(_, _, contract)| {
        format!(
            "each caller keeps the contract {} (--assume), of a member, which narrows no wire",
            contract.text
        )
    });
    elements.chain(members)
}
