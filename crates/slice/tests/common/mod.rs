//! A removal, carried out on the snapshot itself: the referee of what LLVM is told to do.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashMap;

use opcost_index::{AdjacencyGraph, Graph, Id, IdMap, reachable_from};
use opcost_ir::{
    Block, Constant, ConstantId, ConstantValue, Flow, Function, Instruction, Module, Opcode, Removal,
    RemovalEdit, Type, TypeId, Value,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

/// The module without what the removal takes away. Blocks keep their numbers.
pub(crate) fn applied(module: &Module, removal: &Removal) -> Module {
    let mut made = module.clone();
    for edits in removal.edits.chunk_by(|a, b| a.0 == b.0) {
        let id = edits[0].0;
        made.functions[id] = edited(&mut made.clone(), &mut made, id, edits);
    }
    opcost_ir::verify(&made).unwrap_or_else(|wrong| panic!("{wrong}\n{}", opcost_ir::print_module(&made)));
    made
}

fn edited(
    old: &mut Module,
    made: &mut Module,
    id: FunctionId,
    edits: &[(FunctionId, RemovalEdit)],
) -> Function {
    let function = &old.functions[id];
    let mut ends: HashMap<BlockId, Option<BlockId>> = HashMap::new();
    for &(_, edit) in edits {
        match edit {
            RemovalEdit::Retarget { block, target } => _ = ends.insert(block, Some(target)),
            RemovalEdit::ReturnNothing { block } => _ = ends.insert(block, None),
            _ => {}
        }
    }
    let mut graph = AdjacencyGraph::new(function.blocks.len());
    for (block, shape) in function.blocks.iter() {
        let own = ends.get(&block).map_or(shape.successors.clone(), |end| end.iter().copied().collect());
        own.into_iter().for_each(|target| graph.add_edge(block, target));
    }
    let reached = reachable_from(&graph, BlockId::new(0));
    let mut rebuilt = Function {
        blocks: IdMap::new(),
        instructions: IdMap::new(),
        calls: Vec::new(),
        operands: Vec::new(),
        names: HashMap::new(),
        source_names: HashMap::new(),
        ..function.clone()
    };
    let is_deleted = |at| edits.contains(&(id, RemovalEdit::Delete { instruction: at }));
    let mut numbers: HashMap<InstructionId, InstructionId> = HashMap::new();
    let mut next = 0;
    for block in function.blocks.ids() {
        for at in function.instructions_of(block) {
            let is_last = at == function.terminator_of(block);
            if is_last || (reached.contains(block) && !is_deleted(at)) {
                numbers.insert(at, InstructionId::new(next));
                next += 1;
            }
        }
    }
    for (block, shape) in function.blocks.iter() {
        let start = rebuilt.instructions.len() as u32;
        let mut successors = shape.successors.clone();
        for at in function.instructions_of(block) {
            let is_last = at == function.terminator_of(block);
            let mut one = function.instructions[at].clone();
            let mut operands = function.operands_of(at).to_vec();
            if is_last && !reached.contains(block) {
                (one, operands) = (ended(made, &one, Opcode::Unreachable, None), Vec::new());
                successors.clear();
            } else if let (true, Some(end)) = (is_last, ends.get(&block)) {
                (one, operands) = match end {
                    Some(target) => (ended(made, &one, Opcode::Br, None), vec![Value::Block(*target)]),
                    None => {
                        let result = match &made.types[function.ty] {
                            Type::Function(result, ..) => *result,
                            _ => panic!("a function has a function type"),
                        };
                        let is_void = made.types[result] == Type::Void;
                        let value = if is_void { Vec::new() } else { vec![zero(made, result)] };
                        (ended(made, &one, Opcode::Ret, (!is_void).then_some(result)), value)
                    }
                };
                successors = end.iter().copied().collect();
            } else if !numbers.contains_key(&at) {
                continue;
            }
            for (position, operand) in (0u32..).zip(operands.iter_mut()) {
                if edits.contains(&(id, RemovalEdit::Zero { instruction: at, operand: position })) {
                    let ty = old.type_of(function, *operand).expect("a value");
                    *operand = zero(made, ty);
                }
            }
            if one.opcode == Opcode::Phi {
                let is_left = |pair: &&[Value]| match pair[1] {
                    Value::Block(from) => {
                        reached.contains(from) && graph.successors(from).any(|target| target == block)
                    }
                    _ => false,
                };
                operands = operands.chunks(2).filter(is_left).flatten().copied().collect();
            }
            for operand in &mut operands {
                if let Value::Instruction(definition) = operand {
                    *operand =
                        Value::Instruction(*numbers.get(definition).expect("what stays uses what stays"));
                }
            }
            let first = rebuilt.operands.len() as u32;
            rebuilt.operands.extend(operands);
            one.operands = first..rebuilt.operands.len() as u32;
            let number = rebuilt.instructions.push(one);
            if let Some(call) = function.call(at).filter(|_| rebuilt.instructions[number].opcode.is_call()) {
                rebuilt.calls.push((number, *call));
            }
        }
        let opcode = rebuilt.instructions.values().next_back().expect("a terminator").opcode;
        rebuilt.blocks.push(Block {
            instructions: start..rebuilt.instructions.len() as u32,
            weights: None,
            flow: Flow::of(opcode),
            successors,
            latch: shape.latch,
        });
    }
    rebuilt
}

fn ended(made: &mut Module, old: &Instruction, opcode: Opcode, second_type: Option<TypeId>) -> Instruction {
    let known = made.types.iter().find(|(_, ty)| **ty == Type::Void).map(|(id, _)| id);
    let ty = known.unwrap_or_else(|| made.types.push(Type::Void));
    Instruction { opcode, predicate: None, ty, second_type, ..old.clone() }
}

fn zero(made: &mut Module, ty: TypeId) -> Value {
    let (text, value) = match &made.types[ty] {
        Type::Integer(1) => ("false", ConstantValue::Integer(0)),
        Type::Integer(_) => ("0", ConstantValue::Integer(0)),
        Type::Pointer(_) => ("null", ConstantValue::Null),
        Type::Float(_) => ("0.000000e+00", ConstantValue::Float(0)),
        _ => ("zeroinitializer", ConstantValue::Zero),
    };
    let id: ConstantId = made.constants.push(Constant { ty, text: text.into(), value });
    Value::Constant(id)
}
