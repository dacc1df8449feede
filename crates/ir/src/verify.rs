//! Is a module well-formed?
//!
//! What every reader of a snapshot relies on: ids in range, blocks that lie
//! one behind the other and end in their only terminator, successors and flow
//! that are the terminator's, phis first, an entry that nothing branches to,
//! calls that are noted. LLVM's own verifier has looked at what the `llvm` room
//! copies; this one is for modules made otherwise, and for the copying. Types
//! of operands are not checked. Cost: linear.

use std::collections::HashSet;

use opcost_index::Id;
use opcost_key::{BlockId, InstructionId, PlaceId};

use crate::malformed::{Malformed, WellFormed, demand, parameter_facts};
use crate::{Block, CalleeRef, Flow, Function, Instruction, Module, Opcode, TailKind, Type, TypeId, Value};

mod tables;

/// Looks at a whole module.
///
/// # Errors
/// The first thing that is wrong, in the order of ids.
pub fn verify(module: &Module) -> Result<(), Malformed> {
    tables::tables(module)?;
    let mut names = HashSet::new();
    let declared = module.declarations.values().map(|declaration| &declaration.name);
    for name in module.functions.values().map(|function| &function.name).chain(declared) {
        demand(names.insert(name), "functions of different names", || format!("two called '{name}'"))?;
    }
    for (id, function) in module.functions.iter() {
        let verifier = Verifier { module, function };
        verifier.function().map_err(|wrong| Malformed { function: Some(id), ..wrong })?;
    }
    Ok(())
}

struct Verifier<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl Verifier<'_> {
    fn function(&self) -> WellFormed {
        let function = self.function;
        self.place(function.place)?;
        let fits = match self.module.types.get(function.ty) {
            Some(Type::Function(_, parameters, _)) => parameters.len() == function.parameters as usize,
            _ => false,
        };
        demand(fits, "a function type with as many parameters", || function.ty.to_string())?;
        let facts = &function.parameter_facts;
        let is_all = facts.len() == function.parameters as usize;
        demand(is_all, "facts for each parameter", || facts.len().to_string())?;
        parameter_facts(self.module, facts)?;
        demand(!function.blocks.is_empty(), "a block", || "none".into())?;
        let mut end = 0;
        for (id, block) in function.blocks.iter() {
            let follows = block.instructions.start == end && block.instructions.end > end;
            demand(follows, "blocks of instructions, one after the other", || id.to_string())?;
            end = block.instructions.end;
        }
        let count = function.instructions.len();
        demand(end as usize == count, "blocks that hold all instructions", || end.to_string())?;
        self.calls()?;
        self.names()?;
        let mut end = 0;
        for (id, instruction) in function.instructions.iter() {
            let operands = &instruction.operands;
            let is_in_pool = operands.start == end
                && operands.end >= end
                && operands.end as usize <= function.operands.len();
            end = operands.end;
            demand(is_in_pool, "operands one after the other", || format!("{operands:?}"))
                .and_then(|()| self.instruction(id, instruction))
                .map_err(|wrong| Malformed { instruction: Some(id), ..wrong })?;
        }
        demand(end as usize == function.operands.len(), "instructions that hold all operands", || {
            end.to_string()
        })?;
        function.blocks.iter().try_for_each(|(id, block)| self.block(id, block))
    }

    fn calls(&self) -> WellFormed {
        let instructions = self.function.instructions.iter();
        let calling = instructions.filter(|(_, instruction)| instruction.opcode.is_call()).map(|(id, _)| id);
        let noted = self.function.calls.iter().map(|&(id, _)| id);
        demand(calling.eq(noted), "all calls noted, in order, and nothing else", || "others".into())
    }

    fn names(&self) -> WellFormed {
        let mut seen = HashSet::new();
        let mut names: Vec<(&Value, &str)> =
            self.function.names.iter().map(|(value, name)| (value, &**name)).collect();
        names.sort_by_key(|&(_, name)| name);
        for (value, name) in names {
            let can_have = matches!(value, Value::Instruction(_) | Value::Argument(_) | Value::Block(_));
            demand(
                can_have && !name.is_empty() && seen.insert(name),
                "local values of different names",
                || format!("'{name}'"),
            )?;
            self.value(*value)?;
        }
        // In any order: only whether there is a wrong one is asked.
        let is_local = |value: &Value| matches!(value, Value::Instruction(_) | Value::Argument(_));
        let wrong = self
            .function
            .source_names
            .keys()
            .filter(|value| !is_local(value) || self.value(**value).is_err());
        demand(wrong.count() == 0, "names of the source for local values only", || "others".into())
    }

    fn block(&self, id: BlockId, block: &Block) -> WellFormed {
        let function = self.function;
        let last = function.terminator_of(id);
        let opcode = function.instructions[last].opcode;
        let mut phis_are_over = false;
        for instruction in function.instructions_of(id) {
            let opcode = function.instructions[instruction].opcode;
            let is_last = instruction == last;
            demand(opcode.is_terminator() == is_last, "one terminator, at the end of the block", || {
                opcode.to_string()
            })
            .and_then(|()| {
                demand(opcode != Opcode::Phi || !phis_are_over, "phis first", || "a late one".into())
            })
            .map_err(|wrong| Malformed { instruction: Some(instruction), ..wrong })?;
            phis_are_over |= opcode != Opcode::Phi;
        }
        let targets = function.operands_of(last).iter().filter_map(|operand| match operand {
            Value::Block(target) => Some(*target),
            _ => None,
        });
        let entry = BlockId::new(0);
        let weights = block.weights.as_ref().map_or(block.successors.len(), Vec::len);
        demand(targets.eq(block.successors.iter().copied()), "successors as the terminator has them", || {
            id.to_string()
        })
        .and_then(|()| {
            demand(block.flow == Flow::of(opcode), "the flow of the terminator", || id.to_string())
        })
        .and_then(|()| {
            demand(!block.successors.contains(&entry), "no branch to the entry", || id.to_string())
        })
        .and_then(|()| {
            demand(weights == block.successors.len(), "a weight a successor", || weights.to_string())
        })
        .and_then(|()| {
            demand(
                successors_fit(opcode, block.successors.len()),
                "as many successors as the terminator has",
                || block.successors.len().to_string(),
            )
        })
        .map_err(|wrong| Malformed { instruction: Some(last), ..wrong })
    }

    fn place(&self, place: Option<PlaceId>) -> WellFormed {
        let is_known = place.is_none_or(|place| place.index() < self.module.places.len());
        demand(is_known, "a place of the table", || format!("{place:?}"))
    }

    fn ty(&self, ty: Option<TypeId>) -> WellFormed {
        let is_known = ty.is_none_or(|ty| ty.index() < self.module.types.len());
        demand(is_known, "a type of the table", || format!("{ty:?}"))
    }

    fn instruction(&self, id: InstructionId, instruction: &Instruction) -> WellFormed {
        let Instruction { opcode, predicate, ty, second_type, .. } = *instruction;
        self.place(instruction.place)?;
        self.ty(Some(ty)).and_then(|()| self.ty(second_type))?;
        let operands = self.function.operands_of(id);
        operands.iter().try_for_each(|&operand| self.value(operand))?;
        let needs_second = match opcode {
            Opcode::Ret => !operands.is_empty(),
            _ => opcode.has_second_type(),
        };
        demand(second_type.is_some() == needs_second, "a second type where the opcode has one", || {
            format!("{second_type:?}")
        })?;
        let is_void = self.module.types[ty] == Type::Void;
        let must_be_void = !needs_second && !opcode.has_type();
        demand(is_void || !must_be_void, "type void", || self.module.type_text(ty))?;
        let is_compare = match opcode {
            Opcode::ICmp => predicate.is_some_and(|predicate| !predicate.is_float()),
            Opcode::FCmp => predicate.is_some_and(|predicate| predicate.is_float()),
            _ => predicate.is_none(),
        };
        demand(is_compare, "a predicate of the opcode's kind", || format!("{predicate:?}"))?;
        demand(instruction.flags.fit(opcode), "flags of the opcode", || format!("{:?}", instruction.flags))?;
        let can_have_tag = matches!(opcode, Opcode::Load | Opcode::Store);
        let is_tag = instruction.tag.is_none_or(|tag| can_have_tag && tag.index() < self.module.tags.len());
        demand(is_tag, "a tag of the table, at an access", || format!("{:?}", instruction.tag))?;
        match opcode {
            Opcode::Phi => {
                let are_pairs = operands.chunks(2).all(|pair| matches!(pair, [_, Value::Block(_)]));
                demand(are_pairs, "pairs of value and block", || "others".into())
            }
            _ if opcode.is_call() => self.call(id, opcode, operands),
            _ if opcode.is_terminator() || opcode == Opcode::CatchSwitch => Ok(()),
            _ => {
                let has_block = operands.iter().any(|operand| matches!(operand, Value::Block(_)));
                demand(!has_block, "blocks in terminators and phis only", || "a block".into())
            }
        }
    }

    fn call(&self, id: InstructionId, opcode: Opcode, operands: &[Value]) -> WellFormed {
        let is_block = |operand: &Value| matches!(operand, Value::Block(_));
        let Some((callee, rest)) = operands.split_last() else {
            return demand(false, "a callee as last operand", || "no operands".into());
        };
        let blocks = rest.iter().rev().take_while(|operand| is_block(operand)).count();
        let in_place = !is_block(callee) && rest.iter().filter(|operand| is_block(operand)).count() == blocks;
        demand(in_place, "arguments, then blocks, then the callee", || "another order".into())?;
        demand(opcode != Opcode::Call || blocks == 0, "no blocks", || "a block".into())?;
        let Some(call) = self.function.call(id) else { return Ok(()) };
        let is_known = match call.callee {
            CalleeRef::Function(id) => id.index() < self.module.functions.len(),
            CalleeRef::Declaration(id) => id.index() < self.module.declarations.len(),
            CalleeRef::Indirect | CalleeRef::Assembly => true,
        };
        demand(is_known, "a callee in range", || format!("{:?}", call.callee))?;
        demand(opcode == Opcode::Call || call.tail == TailKind::None, "a tail marker on 'call' only", || {
            opcode.to_string()
        })
    }

    fn value(&self, value: Value) -> WellFormed {
        let (module, function) = (self.module, self.function);
        let is_known = match value {
            Value::Instruction(id) => function
                .instructions
                .get(id)
                .and_then(|instruction| module.types.get(instruction.ty))
                .is_some_and(|ty| *ty != Type::Void),
            Value::Argument(position) => position < function.parameters,
            Value::Block(id) => id.index() < function.blocks.len(),
            Value::Function(id) => id.index() < module.functions.len(),
            Value::Declaration(id) => id.index() < module.declarations.len(),
            Value::Constant(id) => id.index() < module.constants.len(),
        };
        demand(is_known, "a value that there is", || format!("{value:?}"))
    }
}

fn successors_fit(opcode: Opcode, count: usize) -> bool {
    match opcode {
        Opcode::Ret | Opcode::Resume | Opcode::Unreachable => count == 0,
        Opcode::Br => count == 1 || count == 2,
        Opcode::Invoke => count == 2,
        Opcode::Switch | Opcode::CallBr | Opcode::CatchRet => count >= 1,
        _ => true,
    }
}
