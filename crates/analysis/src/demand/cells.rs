//! Which bits of what is stored does a load need?
//!
//! An object is *followed* if each read of it is a plain load that is seen: it
//! is local, allocated, or data that nobody else reaches, its address does not
//! escape, and no library function reads through it. What is stored there is
//! demanded as far as the loads are that may read it, of the same type and of
//! the very place; what is read in another way, or by a part, is demanded whole.
//!
//! Cost: for each object its kinds of loads times its stores, [`MOST_PAIRS`] in
//! all; of what is left then everything is demanded.

use opcost_index::{IdMap, IdSet, define_id};
use opcost_ir::{CalleeRef, Flags, GlobalKind, Linkage, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use crate::memory::addresses::{Apart, Offsets, TargetsId};
use crate::memory::{MemoryModel, ObjectId, ObjectKind, World};
use crate::propagation::contents::is_same_or_apart;
use opcost_library::effect::{ResultKind, Touching};

/// Pairs of loads and stores that are looked at.
const MOST_PAIRS: usize = 20_000_000;

define_id!(
    /// A place that is loaded from: an object, offsets in it, and a type.
    pub(super) struct CellId, "cell"
);

/// Who reads what is stored.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Cells that a load reads.
    pub(super) of_load: FxHashMap<(FunctionId, InstructionId), Vec<CellId>>,
    /// Values that are stored to a cell, by function.
    pub(super) stored: IdMap<CellId, Vec<(FunctionId, Value)>>,
    /// Values of which everything is demanded where they are stored.
    pub(super) whole: Vec<(FunctionId, Value)>,
}

/// Cells while they are collected.
struct Collector<'a> {
    program: &'a MemoryModel<'a>,
    is_read_by_others: IdSet<ObjectId>,
    has_second_names: bool,
    cells: Cells,
    known: FxHashMap<(ObjectId, Offsets, TypeId), CellId>,
    of_object: FxHashMap<ObjectId, Vec<(CellId, Offsets, TypeId)>>,
    pairs: usize,
}

/// All cells of a module.
pub(super) fn collect(program: &MemoryModel<'_>) -> Cells {
    let mut names = program.module.globals.values().filter(|global| global.kind != GlobalKind::Variable);
    let mut collector = Collector {
        program,
        is_read_by_others: IdSet::new(),
        has_second_names: names.any(|global| !global.leads_into_code),
        cells: Cells::default(),
        known: FxHashMap::default(),
        of_object: FxHashMap::default(),
        pairs: 0,
    };
    let accesses: Vec<(FunctionId, InstructionId, Opcode)> = collector.read_by_others();
    for &(id, at, opcode) in &accesses {
        if opcode == Opcode::Load {
            collector.load(id, at);
        }
    }
    for &(id, at, opcode) in &accesses {
        if opcode == Opcode::Store {
            collector.store(id, at);
        }
    }
    collector.cells
}

impl Collector<'_> {
    /// Finds what is read in other ways than by plain loads; all plain accesses.
    fn read_by_others(&mut self) -> Vec<(FunctionId, InstructionId, Opcode)> {
        use Opcode::*;
        let (program, mut accesses) = (self.program, Vec::new());
        for (id, body) in program.module.functions.iter() {
            for (at, instruction) in body.instructions.iter() {
                let flags = instruction.flags;
                let is_plain = !flags.has(Flags::VOLATILE) && !flags.has(Flags::ATOMIC);
                match instruction.opcode {
                    Load | Store if is_plain => accesses.push((id, at, instruction.opcode)),
                    GetElementPtr | Phi | Select | ICmp | Freeze | BitCast | AddrSpaceCast | Alloca | Ret => {
                    }
                    opcode if opcode.is_call() => self.call(id, at),
                    _ => {
                        for &operand in body.operands_of(at) {
                            self.open(program.addresses.targets_id(id, operand));
                        }
                    }
                }
            }
        }
        accesses
    }

    /// What is there is read by others.
    fn open(&mut self, targets: TargetsId) {
        for target in &self.program.addresses.answer(targets).known {
            self.is_read_by_others.insert(target.object);
        }
    }

    fn open_argument(&mut self, id: FunctionId, at: InstructionId, position: u32) {
        let addresses = &self.program.addresses;
        let arguments = self.program.module.functions[id].arguments_of(at);
        if let Some(&argument) = arguments.get(position as usize) {
            self.open(addresses.targets_id(id, argument));
        }
        self.open(addresses.behind(id, at, position));
    }

    /// What a call reads itself.
    fn call(&mut self, id: FunctionId, at: InstructionId) {
        let program = self.program;
        let body = &program.module.functions[id];
        let Some(call) = body.call(at) else { return };
        let name = program.module.intrinsic_name(call.callee).unwrap_or("");
        let reads_nothing = ["llvm.lifetime.", "llvm.memset.", "llvm.dbg.", "llvm.assume"];
        if reads_nothing.iter().any(|start| name.starts_with(start)) {
            return;
        }
        let count = body.arguments_of(at).len() as u32;
        if final_callees(program, id, at).is_some() && call.copied_bytes == 0 {
            return;
        }
        let CalleeRef::Declaration(declared) = call.callee else {
            return (0..count).for_each(|position| self.open_argument(id, at, position));
        };
        let effect = program.externals.effect(body, at, declared);
        let is_anything = effect.does_anything || !effect.callbacks.is_empty();
        let moved = match effect.result {
            ResultKind::Moved(from) => Some(from),
            _ => None,
        };
        for position in 0..count {
            let reads = effect.touches_of(position).any(|touched| {
                use Touching::*;
                !matches!(touched.how, Writes | Zeroes | Input(_) | Frees) || touched.is_deep
            });
            let is_copied = effect.copies.iter().any(|copied| copied.from == position);
            if is_anything || reads || is_copied || moved == Some(position) {
                self.open_argument(id, at, position);
            }
        }
    }

    /// Whether each read of an object is a plain load that is seen.
    fn is_followed(&self, object: ObjectId) -> bool {
        let program = self.program;
        let objects = program.addresses.objects();
        let is_own = match objects.kind(object) {
            ObjectKind::Global(global) => {
                let data = &program.module.globals[global];
                !self.has_second_names
                    && !data.is_declared
                    && !program.roots.reached_from_outside.contains(global)
            }
            ObjectKind::Alloca(..) | ObjectKind::Fresh(..) => true,
            _ => false,
        };
        is_own && !objects.is_escaped(object) && !self.is_read_by_others.contains(object)
    }

    fn load(&mut self, id: FunctionId, at: InstructionId) {
        let program = self.program;
        let body = &program.module.functions[id];
        let (pointer, ty) = (body.operands_of(at)[0], body.instructions[at].ty);
        let mut cells = Vec::new();
        for target in &program.addresses.targets(id, pointer).known {
            if !self.is_followed(target.object) {
                continue;
            }
            let offsets = target.offsets.without_end();
            let key = (target.object, offsets, ty);
            let (all, of_object) = (&mut self.cells.stored, &mut self.of_object);
            cells.push(*self.known.entry(key).or_insert_with(|| {
                let cell = all.push(Vec::new());
                of_object.entry(target.object).or_default().push((cell, offsets, ty));
                cell
            }));
        }
        self.cells.of_load.insert((id, at), cells);
    }

    fn store(&mut self, id: FunctionId, at: InstructionId) {
        let body = &self.program.module.functions[id];
        let value = body.operands_of(at)[0];
        if !matches!(value, Value::Instruction(_) | Value::Argument(_)) {
            return;
        }
        match self.readers(id, at) {
            Some(mut readers) => {
                readers.sort_unstable();
                readers.dedup();
                readers.into_iter().for_each(|cell| self.cells.stored[cell].push((id, value)));
            }
            None => self.cells.whole.push((id, value)),
        }
    }

    /// The cells that read what a store writes; none if others do, or parts.
    fn readers(&mut self, id: FunctionId, at: InstructionId) -> Option<Vec<CellId>> {
        let program = self.program;
        let module = program.module;
        let body = &module.functions[id];
        let ty = body.instructions[at].second_type?;
        let Type::Integer(_) = module.types[ty] else { return None };
        let size = program.layout.size(ty)?;
        let targets = program.addresses.targets(id, body.operands_of(at)[1]);
        if targets.is_unknown {
            return None;
        }
        let mut readers = Vec::new();
        for target in &targets.known {
            if !self.is_followed(target.object) {
                return None;
            }
            let to = target.offsets.without_end();
            let Some(cells) = self.of_object.get(&target.object) else { continue };
            self.pairs += cells.len();
            if self.pairs > MOST_PAIRS {
                return None;
            }
            for &(cell, from, other) in cells {
                let length = program.layout.size(other)?;
                if to.apart(size, from, length) == Some(Apart::Always) {
                    continue;
                }
                if module.types[other] != module.types[ty] || !is_same_or_apart(to, from, size) {
                    return None;
                }
                readers.push(cell);
            }
        }
        Some(readers)
    }
}

/// The functions that a call calls, if their bodies are seen, are what runs, and
/// nothing else may be called.
pub(super) fn final_callees<'a>(
    program: &'a MemoryModel<'_>,
    id: FunctionId,
    at: InstructionId,
) -> Option<&'a [FunctionId]> {
    let call = program.module.functions[id].call(at)?;
    if !matches!(call.callee, CalleeRef::Function(_) | CalleeRef::Indirect) {
        return None;
    }
    let callees = program.addresses.callees(id, at)?;
    let is_final = |&callee: &FunctionId| {
        let body = &program.module.functions[callee];
        let is_own = matches!(body.linkage, Linkage::Local | Linkage::Exact);
        let is_body = !body.blocks.is_empty() && !body.is_naked && !body.is_coroutine;
        is_body && (is_own || program.roots.world == World::Closed)
    };
    let is_whole = !callees.is_open && callees.callbacks.is_empty() && !callees.functions.is_empty();
    (is_whole && callees.functions.iter().all(is_final)).then_some(&callees.functions)
}
