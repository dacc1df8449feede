//! Is all of a local written before it is read?
//!
//! Of a local whose address no memory holds, bytes that are surely written are followed through the
//! control flow graph: where ways meet, those of both; what a store, a fill or copy of a fixed
//! length writes at a place that is known; on the edge out of a loop what all its iterations have
//! written ([`filling`]); after a call what the callee writes on each way to its end. Where the
//! lifetime begins or ends nothing is written. Every load that may read the local, there or in what
//! is called meanwhile, must find all that it may read written, or be dominated by a store through
//! the same pointer.
//!
//! Reads by code that is not followed (a `memcpy` out of it) do not matter: of what they give
//! nothing is reported.
//!
//! [`filling`]: super::filling
//! Input: an `alloca`. Output: yes, or that it is not known. Cost: the blocks of
//! its function, and of those that are called with it, times its bytes by 64;
//! [`MOST_STEPS`] in all, and locals of at most [`LARGEST`] bytes.

use std::rc::Rc;

use opcost_index::{Graph, Id, IdMap, reverse, reverse_postorder};
use opcost_ir::{CalleeRef, ConstantValue, Function, Linkage, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::bytes::Bytes;
use super::filling::{Body, Filled, Filling};
use crate::memory::calls::Caller;
use crate::memory::{MemoryModel, ObjectId, ObjectKind, World};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;

/// Instructions and words of sets that are looked at, for all locals.
const MOST_STEPS: usize = 20_000_000;
/// The largest local, in bytes.
const LARGEST: u64 = 1 << 16;
/// Calls in calls that are followed.
const MOST_NESTED: u32 = 4;

/// What is known of locals.
pub(super) struct WrittenFirst<'a> {
    program: &'a MemoryModel<'a>,
    bodies: FxHashMap<FunctionId, Rc<Body<'a>>>,
    left: usize,
}

/// A local that is asked about.
#[derive(Clone, Copy)]
struct Asked {
    object: ObjectId,
    size: u64,
    /// Its `alloca`.
    site: (FunctionId, InstructionId),
}

/// What a function does to it.
#[derive(Clone)]
struct Doing {
    /// Bytes that it may read before it has written them.
    reads: Bytes,
    /// Bytes that are written when it returns.
    writes: Bytes,
}

impl<'a> WrittenFirst<'a> {
    pub(super) fn new(program: &'a MemoryModel<'a>) -> Self {
        WrittenFirst { program, bodies: FxHashMap::default(), left: MOST_STEPS }
    }

    /// Whether no load reads what the local held at first.
    pub(super) fn holds(&mut self, function: FunctionId, at: InstructionId) -> bool {
        let addresses = &self.program.addresses;
        let Some(object) = addresses.objects().of_site(function, at) else { return false };
        let is_local = addresses.objects().kind(object) == ObjectKind::Alloca(function, at);
        let body = &self.program.module.functions[function];
        let is_first_block = body.block_of(at).index() == 0;
        // No other activation has a pointer to the local of this one.
        let is_given = (0..)
            .take(body.parameter_facts.len().max(self.parameters(function)))
            .any(|position| self.leads_to(object, function, Value::Argument(position)));
        if !is_local || !is_first_block || is_given || addresses.is_shared(object) {
            return false;
        }
        match addresses.objects().size(object) {
            Some(size @ 1..=LARGEST) => {
                let asked = Asked { object, size, site: (function, at) };
                let doing = self.done(asked, function, &[(Value::Instruction(at), 0)], MOST_NESTED);
                doing.is_some_and(|doing| doing.reads.is_empty())
            }
            _ => false,
        }
    }

    fn parameters(&self, function: FunctionId) -> usize {
        let module = self.program.module;
        match &module.types[module.functions[function].ty] {
            Type::Function(_, parameters, _) => parameters.len(),
            _ => 0,
        }
    }

    fn leads_to(&self, object: ObjectId, function: FunctionId, value: Value) -> bool {
        let targets = self.program.addresses.targets(function, value);
        targets.known.iter().any(|target| target.object == object)
    }

    fn body(&mut self, id: FunctionId) -> Rc<Body<'a>> {
        let program = self.program;
        let made = self.bodies.entry(id).or_insert_with(|| {
            let function = &program.module.functions[id];
            let dominators = Dominators::compute(function, BlockId::new(0));
            let forest = LoopForest::compute(function, &dominators);
            let mut inside = IdMap::filled(forest.loops.len(), Vec::new());
            for (inner, natural) in forest.loops.iter() {
                natural.parent.iter().for_each(|&around| inside[around].push(inner));
            }
            let writes = writes(program, function);
            Rc::new(Body { function, dominators, forest, before: reverse(function), inside, writes })
        });
        made.clone()
    }

    /// What a function does that has these pointers to the local; none if that
    /// takes too long, or control may come back from anywhere.
    fn done(&mut self, asked: Asked, id: FunctionId, roots: &[(Value, i64)], depth: u32) -> Option<Doing> {
        let body = self.body(id);
        let function = body.function;
        let words = (asked.size / 64 + 2) as usize;
        self.left = self.left.checked_sub(function.instructions.len() + 8 * function.blocks.len() * words)?;
        if function.calls.iter().any(|(_, call)| call.returns_twice) {
            return None;
        }
        let is_to_it = |write: &&Filled| self.leads_to(asked.object, id, write.pointer);
        let writes: Vec<Filled> = body.writes.iter().filter(is_to_it).copied().collect();
        let mut walk = Walk {
            asked,
            id,
            body: &body,
            program: self.program,
            filling: Filling::new(self.program, &body, roots, asked.size, &writes),
            writes: writes.iter().map(|write| (write.at, *write)).collect(),
            calls: FxHashMap::default(),
            resets: self.resets(function, asked, id),
            edges: FxHashMap::default(),
        };
        for (at, instruction) in function.instructions.iter() {
            if instruction.opcode.is_call()
                && let Some(doing) = self.called(asked, &mut walk, at, depth)
            {
                walk.calls.insert(at, doing);
            }
        }
        walk.leave_loops();
        let entered = walk.entered();
        Some(walk.doing(&entered))
    }

    /// Where the local's lifetime begins or ends.
    fn resets(&self, function: &Function, asked: Asked, id: FunctionId) -> Vec<InstructionId> {
        if asked.site.0 != id {
            return Vec::new();
        }
        let calls = function.calls.iter().map(|(at, _)| *at);
        let is_marker = |at: &InstructionId| {
            intrinsic(self.program, function, *at).is_some_and(|name| name.starts_with("llvm.lifetime."))
                && function.operands_of(*at).iter().any(|&operand| self.leads_to(asked.object, id, operand))
        };
        calls.filter(is_marker).chain([asked.site.1]).collect()
    }

    /// What a call does; none if that is nothing.
    fn called(
        &mut self,
        asked: Asked,
        walk: &mut Walk<'_, 'a>,
        at: InstructionId,
        depth: u32,
    ) -> Option<Doing> {
        let program = self.program;
        let callees = program.addresses.callees(walk.id, at)?;
        let function = walk.body.function;
        let arguments = function.arguments_of(at).to_vec();
        let (nothing, all) = (Bytes::none(asked.size), Bytes::all(asked.size));
        let may_read = |&callee: &FunctionId| {
            let reads = &program.summaries.of(Caller::new(callee.index())).reads;
            reads.is_everything || !reads.spans(asked.object).is_empty()
        };
        let unknown = Some(Doing { reads: all, writes: nothing.clone() });
        if callees.callbacks.iter().any(|(callee, _)| may_read(callee)) {
            return unknown;
        }
        let is_direct = matches!(function.call(at).map(|call| call.callee), Some(CalleeRef::Function(_)));
        let &[callee] = &callees.functions[..] else {
            return if callees.functions.iter().any(may_read) { unknown } else { None };
        };
        let places = (0..).zip(&arguments).filter_map(|(position, &argument)| {
            let place =
                self.leads_to(asked.object, walk.id, argument).then(|| walk.filling.place(argument))??;
            Some((Value::Argument(position), place))
        });
        let roots: Vec<(Value, i64)> = places.collect();
        if roots.is_empty() && !may_read(&callee) {
            return None;
        }
        let body = &program.module.functions[callee];
        let is_final =
            matches!(body.linkage, Linkage::Local | Linkage::Exact) || program.roots.world == World::Closed;
        let has_copies = body.parameter_facts.iter().any(|facts| facts.byval.is_some());
        let is_plain = is_direct && !callees.is_open && is_final && !has_copies && !body.is_naked;
        if !is_plain || body.is_coroutine || depth == 0 || program.calls.is_recursive(callee) {
            return unknown;
        }
        let mut doing = match self.done(asked, callee, &roots, depth - 1) {
            Some(doing) => doing,
            None => return unknown,
        };
        // An exception comes out of the middle.
        if function.instructions[at].opcode != Opcode::Call {
            doing.writes = nothing;
        }
        Some(doing)
    }
}

/// All writes of known length.
fn writes(program: &MemoryModel<'_>, function: &Function) -> Vec<Filled> {
    let module = program.module;
    let mut found = Vec::new();
    for (at, instruction) in function.instructions.iter() {
        let operands = function.operands_of(at);
        if instruction.opcode == Opcode::Store {
            let size = instruction.second_type.and_then(|ty| program.layout.size(ty));
            found.extend(size.map(|length| Filled { at, pointer: operands[1], length }));
        } else if let Some(name) = intrinsic(program, function, at) {
            let is_fill = ["memset", "memcpy", "memmove"]
                .iter()
                .any(|fill| name.strip_prefix("llvm.").is_some_and(|rest| rest.starts_with(fill)));
            if let (true, Some(&Value::Constant(length))) = (is_fill, operands.get(2))
                && let ConstantValue::Integer(length) = module.constants[length].value
                && let Ok(length) = u64::try_from(length)
            {
                found.push(Filled { at, pointer: operands[0], length });
            }
        }
    }
    found
}

fn intrinsic<'a>(program: &MemoryModel<'a>, function: &Function, at: InstructionId) -> Option<&'a str> {
    program.module.intrinsic_name(function.call(at)?.callee)
}

/// One function, while bytes are followed.
struct Walk<'w, 'a> {
    asked: Asked,
    id: FunctionId,
    body: &'w Body<'a>,
    program: &'a MemoryModel<'a>,
    filling: Filling<'w, 'a>,
    writes: FxHashMap<InstructionId, Filled>,
    calls: FxHashMap<InstructionId, Doing>,
    resets: Vec<InstructionId>,
    /// What is written besides where an edge leads out of a loop.
    edges: FxHashMap<(BlockId, BlockId), Bytes>,
}

impl Walk<'_, '_> {
    fn leave_loops(&mut self) {
        for (id, natural) in self.body.forest.loops.iter() {
            let is_reset =
                |at: &InstructionId| self.body.forest.contains(id, self.body.function.block_of(*at));
            if self.resets.iter().any(is_reset) {
                continue;
            }
            for exit in &natural.exits {
                if let Some(written) = self.filling.left_by(id, *exit)
                    && !written.is_empty()
                {
                    match self.edges.get_mut(&(exit.from, exit.to)) {
                        Some(known) => known.join(&written),
                        None => _ = self.edges.insert((exit.from, exit.to), written),
                    }
                }
            }
        }
    }

    /// What is written when control comes into each block; none where it never
    /// does.
    fn entered(&mut self) -> Vec<Option<Bytes>> {
        let function = self.body.function;
        let before = &self.body.before;
        let order = reverse_postorder(function, BlockId::new(0));
        let mut entered: Vec<Option<Bytes>> = vec![None; function.blocks.len()];
        let mut left = entered.clone();
        let mut is_news = true;
        while std::mem::take(&mut is_news) {
            for &block in &order {
                let mut state = (block.index() == 0).then(|| Bytes::none(self.asked.size));
                for from in before.successors(block) {
                    let Some(mut way) = left[from.index()].clone() else { continue };
                    if let Some(more) = self.edges.get(&(from, block)) {
                        way.join(more);
                    }
                    match &mut state {
                        Some(state) => state.meet(&way),
                        None => state = Some(way),
                    }
                }
                let Some(mut state) = state else { continue };
                if entered[block.index()].as_ref() == Some(&state) {
                    continue;
                }
                is_news = true;
                entered[block.index()] = Some(state.clone());
                for at in function.instructions_of(block) {
                    self.pass(at, &mut state);
                }
                left[block.index()] = Some(state);
            }
        }
        entered
    }

    /// What one instruction does to what is written.
    fn pass(&mut self, at: InstructionId, written: &mut Bytes) {
        if self.resets.contains(&at) {
            written.clear();
        } else if let Some(&Filled { pointer, length, .. }) = self.writes.get(&at) {
            if let Some(place) = self.filling.place(pointer) {
                written.add(place, length);
            }
        } else if let Some(doing) = self.calls.get(&at) {
            written.join(&doing.writes);
        }
    }

    fn doing(&mut self, entered: &[Option<Bytes>]) -> Doing {
        let size = self.asked.size;
        let mut doing = Doing { reads: Bytes::none(size), writes: Bytes::all(size) };
        for (block, state) in self.body.function.blocks.ids().zip(entered) {
            let Some(mut written) = state.clone() else { continue };
            for at in self.body.function.instructions_of(block) {
                match self.body.function.instructions[at].opcode {
                    Opcode::Load if !self.is_stored_before(at) => {
                        doing.reads.join(&self.read_by(at).without(&written));
                    }
                    Opcode::Ret => doing.writes.meet(&written),
                    _ => {}
                }
                if let Some(called) = self.calls.get(&at) {
                    doing.reads.join(&called.reads.clone().without(&written));
                }
                self.pass(at, &mut written);
            }
        }
        doing
    }

    /// Bytes that a load may read.
    fn read_by(&self, at: InstructionId) -> Bytes {
        let Asked { object, size, .. } = self.asked;
        let function = self.body.function;
        let targets = self.program.addresses.targets(self.id, function.operands_of(at)[0]);
        let mut bytes = Bytes::none(size);
        for target in targets.known.iter().filter(|target| target.object == object) {
            let length = self.program.layout.size(function.instructions[at].ty);
            let (Some(length), false) = (length, size > LARGEST) else { return Bytes::all(size) };
            match target.offsets.without_end().parts() {
                (first, _, 0) => bytes.add(first, length),
                (first, _, step) => {
                    let step = i64::try_from(step).unwrap_or(i64::MAX);
                    let mut place = first.rem_euclid(step);
                    while place < size as i64 {
                        bytes.add(place, length);
                        place = place.saturating_add(step);
                    }
                }
            }
        }
        bytes
    }

    /// Whether a store through the same pointer dominates the load, and every begin of the lifetime
    /// dominates the store.
    fn is_stored_before(&self, load: InstructionId) -> bool {
        let function = self.body.function;
        let pointer = function.operands_of(load)[0];
        let size = |ty| self.program.layout.size(ty);
        let Some(length) = size(function.instructions[load].ty) else { return false };
        let dominates = |one: InstructionId, two: InstructionId| {
            let (above, below) = (function.block_of(one), function.block_of(two));
            if above == below { one < two } else { self.body.dominators.dominates(above, below) }
        };
        self.writes.values().any(|write| {
            write.pointer == pointer
                && write.length >= length
                && dominates(write.at, load)
                && self.resets.iter().all(|&reset| dominates(reset, write.at))
        })
    }
}
