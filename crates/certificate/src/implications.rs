//! What must a value be so that what is certainly done next is defined?
//!
//! An access keeps its address within the one object that it is made from. If,
//! from where a value is defined, control goes straight on to an access that is
//! made from it, then in an execution that does nothing undefined, later neither,
//! the value is one that leads into the object. Control goes straight on through
//! loads and stores that nobody watches, arithmetic and intrinsics that return,
//! to the end of the block, and on where there is only one way (not back to where
//! the value is computed from).
//!
//! Nothing is assumed of what is computed later but how: claims about it may rest
//! on the one that is asked for. Only for certificates that say that they are
//! about such executions ([`Certificate::hindsight`](crate::Certificate)).
//! Cost: at most so many instructions ahead, and one question.

use std::collections::{BTreeSet, HashSet};

use opcost_index::Id;
use opcost_ir::{Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::checker::Checker;
use crate::later::Later;
use crate::offsets::array_indices;
use crate::origins::Object;
use crate::question::{ALWAYS, Question};
use crate::range::{RangeClaim, bits};
use crate::shape::word;
use crate::verdict::{ClaimId, SolverVerdict, refused};

/// Instructions that are looked at after a value.
const MOST_AHEAD: usize = 400;
/// Accesses of which a question speaks.
const MOST_ACCESSES: usize = 4;
/// The longest chain of `getelementptr`s whose indices are believed.
const DEEPEST: usize = 8;

/// An access that is certainly made: its address, and the last byte where it may
/// begin; none if nobody knows how large the object is.
struct Ahead {
    address: Value,
    last: Option<u64>,
}

impl<'c> Checker<'c> {
    /// Whether accesses that are certainly made show a value to be in a range.
    pub(crate) fn hindsight_shows(
        &self,
        id: FunctionId,
        value: Value,
        range: &RangeClaim,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let function = &self.module.functions[id];
        if !self.certificate.hindsight || self.may_be_undefined(id, value) || self.comes_again(id) {
            return refused("nothing is known of what follows");
        }
        let first = |block: BlockId| InstructionId::new(function.blocks[block].instructions.start as usize);
        let (block, from, is_start) = match value {
            Value::Instruction(at) => {
                let block = self.shapes[id].block_of[at];
                let is_phi = function.instructions[at].opcode == Opcode::Phi;
                // All phis of a block are of one moment.
                (block, if is_phi { first(block) } else { at }, false)
            }
            _ => (BlockId::new(0), first(BlockId::new(0)), true),
        };
        let mut later = Later { block, from, is_start, blocks: HashSet::new() };
        let ahead = self.ahead(id, value, &mut later);
        if ahead.is_empty() {
            return refused("no access is made from it for certain");
        }
        self.follows(id, "what accesses demand", used, |question| {
            question.later = Some(later.clone());
            question.at_block(block);
            let operand = question.word(value)?;
            let is_counted = operand.base.is_none_or(|base| base.is_start);
            ahead.iter().for_each(|access| in_bounds(question, access));
            is_counted.then(|| range.conditions(&operand.term))
        })
    }

    /// Accesses made from the value to which control goes straight on.
    fn ahead(&self, id: FunctionId, value: Value, later: &mut Later) -> Vec<Ahead> {
        let function = &self.module.functions[id];
        let mut made_of_it = HashSet::from([value]);
        let (mut found, mut left, mut block) = (Vec::new(), MOST_AHEAD, later.block);
        loop {
            for at in function.blocks[block].instructions.clone() {
                let at = InstructionId::new(at as usize);
                let it = Value::Instruction(at);
                if it == value || !later.contains(it, &self.shapes[id]) {
                    continue;
                }
                left -= 1;
                if left == 0 || !self.goes_on(id, at) {
                    return found;
                }
                let operands = function.operands_of(at);
                let opcode = function.instructions[at].opcode;
                if opcode != Opcode::Phi && operands.iter().any(|operand| made_of_it.contains(operand)) {
                    made_of_it.insert(it);
                }
                let address = match opcode {
                    Opcode::Load => operands[0],
                    Opcode::Store => operands[1],
                    _ => continue,
                };
                let last = self.last_of(id, at, address);
                if made_of_it.contains(&address) && (last.is_some() || self.certificate.in_bounds) {
                    found.push(Ahead { address, last });
                }
                if found.len() == MOST_ACCESSES {
                    return found;
                }
            }
            let Some(next) = self.sole_successor(id, block) else { return found };
            // Where values are computed anew that others here were made from.
            if self.shapes[id].dominates(next, later.block) || !later.blocks.insert(next) {
                return found;
            }
            block = next;
        }
    }

    /// Whether control surely gets past an instruction, or out of its block, and nobody notices.
    fn goes_on(&self, id: FunctionId, at: InstructionId) -> bool {
        match self.module.functions[id].instructions[at].opcode {
            Opcode::Load | Opcode::Store => !self.is_shared(id, at),
            Opcode::Call => self.intrinsic_name(id, at).is_some_and(returns),
            Opcode::Invoke
            | Opcode::AtomicCmpXchg
            | Opcode::AtomicRMW
            | Opcode::Fence
            | Opcode::Unreachable => false,
            _ => true,
        }
    }

    /// Where a block goes, if there is one way only.
    fn sole_successor(&self, id: FunctionId, block: BlockId) -> Option<BlockId> {
        let function = &self.module.functions[id];
        let last = function.blocks[block].instructions.end.checked_sub(1)?;
        let is_branch = function.instructions[InstructionId::new(last as usize)].opcode == Opcode::Br;
        match function.blocks[block].successors[..] {
            [next] if is_branch => Some(next),
            _ => None,
        }
    }

    fn local_size(&self, owner: FunctionId, alloca: InstructionId) -> Option<u64> {
        let function = &self.module.functions[owner];
        let count = match function.operands_of(alloca).first() {
            None => 1,
            Some(&count) => u64::try_from(word(self.module, count)?).ok()?,
        };
        self.layout.stride(function.instructions[alloca].second_type?)?.checked_mul(count)
    }

    /// Where an access may begin at last: none if nobody knows how large the object is.
    fn last_of(&self, id: FunctionId, at: InstructionId, address: Value) -> Option<u64> {
        let function = &self.module.functions[id];
        let (object, _) = self.origins.origins(id, self.root(id, address)).single()?;
        let size = match self.origins.objects[object] {
            Object::Data(global) => {
                let data = &self.module.globals[global];
                let is_final = data.contents.is_some() && self.origins.is_final_data(global);
                self.layout.size(data.ty).filter(|_| is_final)?
            }
            Object::Local(owner, alloca) => self.local_size(owner, alloca)?,
            Object::Fresh(..) => return None,
        };
        let ty = match function.instructions[at].opcode {
            Opcode::Load => function.instructions[at].ty,
            _ => self.type_of(id, function.operands_of(at)[0])?,
        };
        size.checked_sub(self.layout.size(ty)?)
    }
}

/// That an access is made within its object.
fn in_bounds(question: &mut Question<'_, '_>, access: &Ahead) {
    if question.checker.certificate.in_bounds {
        in_arrays(question, access.address);
    }
    let Some(address) = question.value(access.address, ALWAYS) else { return };
    if let Some(last) = access.last
        && address.base.is_some_and(|base| base.is_start)
    {
        question.assume(&format!("(bvule {} {})", address.term, bits(64, last.into())));
    }
}

/// That each index of an address is in the array that it runs through: believed, not known.
fn in_arrays(question: &mut Question<'_, '_>, mut address: Value) {
    for _ in 0..DEEPEST {
        let Value::Instruction(at) = address else { return };
        if question.function.instructions[at].opcode != Opcode::GetElementPtr {
            return;
        }
        for (index, length) in array_indices(question.checker.module, question.function, at) {
            let Some(index) = question.value(index, ALWAYS) else { continue };
            // Where the length is a number of the index's type that is not below zero.
            if (1..=64).contains(&index.width) && length > 0 && length <= 1 << (index.width - 1) {
                question.assume(&format!("(bvult {} {})", index.term, bits(index.width, length.into())));
            }
        }
        address = question.function.operands_of(at)[0];
    }
}

/// Intrinsics that compute, mark or copy, and return.
fn returns(name: &str) -> bool {
    const ALL: [&str; 16] = [
        "lifetime.",
        "dbg.",
        "smin.",
        "smax.",
        "umin.",
        "umax.",
        "abs.",
        "fshl.",
        "fshr.",
        "bswap.",
        "bitreverse.",
        "ctpop.",
        "ctlz.",
        "cttz.",
        "memcpy.",
        "memset.",
    ];
    name.strip_prefix("llvm.").is_some_and(|name| ALL.iter().any(|start| name.starts_with(start)))
}
