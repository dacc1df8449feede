//! What else must stay, so that what stays computes what it computed?
//!
//! Weiser, "Program Slicing" (1984), as a reachability question (Ottenstein and
//! Ottenstein, 1984): from the roots, backwards along operands, control
//! dependence, memory, arguments and results, until nothing is added.
//!
//! - An instruction needs its operands, and the branches that decide its block.
//! - A phi also needs those that decide the blocks it is entered from.
//! - What reads memory needs every write that may go there, wherever it is.
//! - A parameter needs the argument of every call; a call whose result is used
//!   needs what its callees return.
//!
//! Roots are given by `roots`. Nothing depends on the order; the reason that an instruction stays
//! for is the first that was found.
//!
//! Input: memory model, loops. Output: [`Stays`]. Cost: linear in instructions,
//! control dependences, and the writes that reads may see.

use opcost_analysis::memory::addresses::{Offsets, TargetsId};
use opcost_analysis::memory::{MemoryModel, ObjectId, ObjectKind, Writers};
use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Opcode, TailKind, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use opcost_library::effect::Touching;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::control::Control;
use crate::library::{Fate, Library, State};
use crate::reason::{Because, How};
use crate::site::SliceSite;

/// What stays of one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionStays {
    /// Why each instruction stays; none of what goes.
    pub(crate) because: IdMap<InstructionId, Option<Because>>,
    /// Calls whose result is looked at.
    results: FxHashSet<InstructionId>,
    /// Parameters that are looked at.
    pub(crate) parameters: Vec<bool>,
    /// Whether anybody looks at what it returns.
    pub(crate) returned: bool,
    blocks: IdMap<BlockId, bool>,
    pub(crate) block_of: IdMap<InstructionId, BlockId>,
    /// None of functions that nothing runs.
    pub(crate) control: Option<Control>,
}

/// What stays of a program.
pub(crate) struct Closure<'a> {
    pub(crate) memory: &'a MemoryModel<'a>,
    pub(crate) library: Library<'a>,
    pub(crate) functions: IdMap<FunctionId, FunctionStays>,
    pub(crate) fates: FxHashMap<SliceSite, Fate>,
    /// Calls of functions that are not here, in program order.
    pub(crate) outside: Vec<SliceSite>,
    /// Whether a call stays where anything of its callee stays, and not for itself.
    pub(crate) calls_follow: bool,
    writers: Writers,
    read: FxHashSet<(TargetsId, u64)>,
    copied: FxHashSet<ObjectId>,
    has_read_unknown: bool,
    has_errors: bool,
    shared: FxHashMap<State, Vec<SliceSite>>,
    printing: FxHashMap<SliceSite, Vec<SliceSite>>,
    work: Vec<SliceSite>,
}

impl<'a> Closure<'a> {
    /// Nothing stays yet.
    pub(crate) fn new(memory: &'a MemoryModel<'a>) -> Closure<'a> {
        let library = Library::of(memory);
        let functions = memory.module.functions.iter().map(|(id, function)| {
            let mut block_of = IdMap::filled(function.instructions.len(), BlockId::new(0));
            for block in function.blocks.ids() {
                function.instructions_of(block).for_each(|at| block_of[at] = block);
            }
            FunctionStays {
                because: IdMap::filled(function.instructions.len(), None),
                results: FxHashSet::default(),
                parameters: vec![false; function.parameters as usize],
                returned: false,
                blocks: IdMap::filled(function.blocks.len(), false),
                block_of,
                control: memory.calls.is_reachable(id).then(|| Control::of(function)),
            }
        });
        let mut closure = Closure {
            memory,
            library,
            functions: functions.collect(),
            fates: FxHashMap::default(),
            outside: Vec::new(),
            calls_follow: false,
            writers: Writers::compute(memory),
            read: FxHashSet::default(),
            copied: FxHashSet::default(),
            has_read_unknown: false,
            has_errors: false,
            shared: FxHashMap::default(),
            printing: FxHashMap::default(),
            work: Vec::new(),
        };
        closure.inspect_calls();
        closure
    }

    fn inspect_calls(&mut self) {
        let module = self.memory.module;
        for (id, function) in module.functions.iter().filter(|&(id, _)| self.memory.calls.is_reachable(id)) {
            for &(at, ref call) in &function.calls {
                let CalleeRef::Declaration(declared) = call.callee else { continue };
                let site = SliceSite { function: id, instruction: at };
                let fate = self.library.fate(id, at, declared);
                match &fate {
                    Fate::Shared(state) => self.shared.entry(*state).or_default().push(site),
                    Fate::Printing(begins) => {
                        begins.iter().for_each(|&begin| self.printing.entry(begin).or_default().push(site));
                    }
                    _ => {}
                }
                self.fates.insert(site, fate);
                self.outside.push(site);
            }
        }
    }

    /// What code outside of the program may read by name stays as it is.
    pub(crate) fn need_outside_data(&mut self) {
        let objects = self.memory.addresses.objects();
        for global in self.memory.roots.reached_from_outside.iter() {
            let writers = self.writers.of(self.memory, objects.of_global(global), Offsets::ANY, u64::MAX);
            let writers: Vec<SliceSite> = writers.map(|(writer, _)| writer.at.into()).collect();
            writers.into_iter().for_each(|writer| self.need(writer, Because::root(How::Library)));
        }
    }

    /// Whether an instruction stays.
    pub(crate) fn stays(&self, site: SliceSite) -> bool {
        self.functions[site.function].because[site.instruction].is_some()
    }

    /// The instruction stays.
    pub(crate) fn need(&mut self, site: SliceSite, because: Because) {
        let slot = &mut self.functions[site.function].because[site.instruction];
        if slot.is_none() {
            *slot = Some(because);
            self.work.push(site);
        }
    }

    /// The value is needed as it is.
    pub(crate) fn need_value(&mut self, function: FunctionId, value: Value, because: Because) {
        match value {
            Value::Instruction(at) => {
                let site = SliceSite { function, instruction: at };
                self.need(site, because);
                let body = &self.memory.module.functions[function];
                if body.instructions[at].opcode.is_call() && self.functions[function].results.insert(at) {
                    for callee in self.callees(site) {
                        self.need_returned(callee, Because::of(How::Returned, site));
                    }
                }
            }
            Value::Argument(position) => self.need_parameter(function, position, because),
            Value::Block(_) | Value::Function(_) | Value::Declaration(_) | Value::Constant(_) => {}
        }
    }

    /// What the function returns is needed.
    pub(crate) fn need_returned(&mut self, function: FunctionId, because: Because) {
        if std::mem::replace(&mut self.functions[function].returned, true) {
            return;
        }
        let body = &self.memory.module.functions[function];
        for block in body.blocks.ids() {
            let last = body.terminator_of(block);
            if body.instructions[last].opcode == Opcode::Ret {
                let site = SliceSite { function, instruction: last };
                // One that stayed for another reason was followed without what it returns.
                match self.stays(site) {
                    true => self.work.push(site),
                    false => self.need(site, because),
                }
            }
        }
    }

    fn need_parameter(&mut self, function: FunctionId, position: u32, because: Because) {
        if std::mem::replace(&mut self.functions[function].parameters[position as usize], true) {
            return;
        }
        for call in self.memory.calls.callers(function).to_vec() {
            if !self.memory.calls.is_reachable(call.function) {
                continue;
            }
            let body = &self.memory.module.functions[call.function];
            let Some(&argument) = body.arguments_of(call.call).get(position as usize) else { continue };
            let of = because.of.unwrap_or_else(|| call.into());
            self.need_value(call.function, argument, Because::of(How::Argument, of));
        }
    }

    /// What decides whether the block runs is needed.
    pub(crate) fn need_block(&mut self, function: FunctionId, block: BlockId, because: Because) {
        if std::mem::replace(&mut self.functions[function].blocks[block], true) {
            return;
        }
        let Some(control) = &self.functions[function].control else { return };
        let body = &self.memory.module.functions[function];
        for decider in control.deciders(block).to_vec() {
            self.need(SliceSite { function, instruction: body.terminator_of(decider) }, because);
        }
    }

    /// Adds what is needed until nothing is.
    pub(crate) fn run(&mut self) {
        loop {
            while let Some(site) = self.work.pop() {
                self.follow(site);
            }
            self.follow_states();
            if self.work.is_empty() {
                return;
            }
        }
    }

    fn follow(&mut self, site: SliceSite) {
        let SliceSite { function, instruction } = site;
        let body = &self.memory.module.functions[function];
        let block = self.functions[function].block_of[instruction];
        self.need_block(function, block, Because::of(How::Decides, site));
        if self.calls_follow {
            for call in self.memory.calls.callers(function).to_vec() {
                self.need(call.into(), Because::of(How::Decides, site));
            }
        }
        let operand = Because::of(How::Operand, site);
        match body.instructions[instruction].opcode {
            Opcode::Phi => self.follow_phi(site),
            opcode if opcode.is_call() => self.follow_call(site),
            Opcode::Ret if !self.functions[function].returned => {}
            _ => body
                .operands_of(instruction)
                .iter()
                .for_each(|&value| self.need_value(function, value, operand)),
        }
        let ty = body.instructions[instruction].ty;
        match body.instructions[instruction].opcode {
            Opcode::Load | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                let size = self.memory.layout.size(ty).unwrap_or(u64::MAX);
                self.read(site, body.operands_of(instruction)[0], size);
            }
            Opcode::VAArg => self.read(site, body.operands_of(instruction)[0], u64::MAX),
            _ => {}
        }
    }

    fn follow_phi(&mut self, site: SliceSite) {
        let SliceSite { function, instruction } = site;
        let body = &self.memory.module.functions[function];
        for pair in body.operands_of(instruction).chunks(2) {
            let &[value, Value::Block(from)] = pair else { continue };
            self.need_value(function, value, Because::of(How::Operand, site));
            self.need_block(function, from, Because::of(How::Decides, site));
            if body.blocks[from].successors.len() > 1 {
                let last = SliceSite { function, instruction: body.terminator_of(from) };
                self.need(last, Because::of(How::Decides, site));
            }
        }
    }

    /// Functions of the program that a call calls; not those that a library calls back.
    fn callees(&self, site: SliceSite) -> Vec<FunctionId> {
        let known = self.memory.addresses.callees(site.function, site.instruction);
        let mut callees = known.map(|callees| callees.functions.clone()).unwrap_or_default();
        let call = self.memory.module.functions[site.function].call(site.instruction);
        if let Some(CalleeRef::Function(callee)) = call.map(|call| call.callee)
            && !callees.contains(&callee)
        {
            callees.push(callee);
        }
        callees
    }

    /// Whether the argument of a call that stays must be what it was.
    pub(crate) fn needs_argument(&self, site: SliceSite, position: usize) -> bool {
        let body = &self.memory.module.functions[site.function];
        let Some(call) = body.call(site.instruction) else { return true };
        let callees = self.memory.addresses.callees(site.function, site.instruction);
        let Some(callees) = callees.filter(|callees| !callees.is_open && callees.callbacks.is_empty()) else {
            return true;
        };
        if matches!(call.callee, CalleeRef::Declaration(_) | CalleeRef::Assembly)
            || callees.functions.is_empty()
        {
            return true;
        }
        callees.functions.iter().any(|&callee| {
            let function = &self.memory.module.functions[callee];
            let facts = function.parameter_facts.get(position);
            let is_passed = facts.is_none_or(|facts| facts.is_sret || facts.byval.is_some());
            let is_needed = self.functions[callee].parameters.get(position).copied().unwrap_or(true);
            function.is_called_oddly || is_passed || is_needed
        })
    }

    fn follow_call(&mut self, site: SliceSite) {
        let SliceSite { function, instruction } = site;
        let body = &self.memory.module.functions[function];
        let call = *body.call(instruction).expect("a call");
        let arguments = body.arguments_of(instruction);
        let operands = body.operands_of(instruction);
        let because = Because::of(How::Operand, site);
        for (position, &value) in operands.iter().enumerate() {
            if position >= arguments.len() || self.needs_argument(site, position) {
                self.need_value(function, value, because);
            }
        }
        if call.tail == TailKind::MustTail {
            self.need_returned(function, because);
        }
        let callees = self.memory.addresses.callees(function, instruction);
        if callees.is_some_and(|callees| callees.is_open) {
            self.read_unknown(site);
        }
        for (callee, _) in callees.map(|callees| callees.callbacks.clone()).unwrap_or_default() {
            self.need_returned(callee, Because::of(How::Returned, site));
        }
        if let CalleeRef::Declaration(declared) = call.callee {
            let effect = self.memory.externals.effect(body, instruction, declared);
            if effect.does_anything || effect.reaches_others || effect.synchronises {
                self.read_unknown(site);
            }
            for (position, &argument) in (0..).zip(arguments) {
                for touched in effect.touches_of(position) {
                    let reads = match touched.how {
                        Touching::Reads | Touching::RetainsPointees => true,
                        // What is kept is read later, at a time that is not seen.
                        Touching::Retains => !self.is_let_go(site),
                        _ => false,
                    };
                    if reads {
                        self.read(site, argument, self.memory.extent(arguments, touched.extent));
                    }
                    if touched.is_deep {
                        self.read_targets(
                            site,
                            self.memory.addresses.behind(function, instruction, position),
                            u64::MAX,
                        );
                    }
                }
            }
            for copied in &effect.copies {
                if let Some(&from) = arguments.get(copied.from as usize) {
                    self.read(site, from, self.memory.extent(arguments, copied.extent));
                }
            }
            self.follow_fate(site);
        } else if call.callee == CalleeRef::Assembly {
            self.read_unknown(site);
        }
    }

    /// Whether a call of the library would go if nobody needed it.
    fn is_let_go(&self, site: SliceSite) -> bool {
        self.fates.get(&site).is_some_and(|fate| *fate != Fate::Stays)
    }

    /// What shares a state with a call that stays, stays.
    fn follow_fate(&mut self, site: SliceSite) {
        let others = match self.fates.get(&site) {
            Some(Fate::Shared(state)) => self.shared.remove(state),
            Some(Fate::Printing(begins)) => {
                Some(begins.iter().filter_map(|begin| self.printing.remove(begin)).flatten().collect())
            }
            _ => None,
        };
        for other in others.unwrap_or_default() {
            self.need(other, Because::of(How::Shared, site));
        }
    }

    fn follow_states(&mut self) {
        let frees = self.outside.iter().copied().filter(|site| self.fates[site] == Fate::Free);
        let frees = frees.filter(|&site| !self.stays(site));
        let mut needed: Vec<SliceSite> =
            frees.filter(|&site| self.library.frees_any(site, |made| self.stays(made))).collect();
        let observed = self.library.errors().iter().copied().find(|&site| self.stays(site));
        if observed.is_some() && !std::mem::replace(&mut self.has_errors, true) {
            let module = self.memory.module;
            needed.extend(self.outside.iter().copied().filter(|site| {
                let callee = module.functions[site.function].call(site.instruction).map(|call| call.callee);
                matches!(callee, Some(CalleeRef::Declaration(id)) if !module.declarations[id].is_intrinsic)
            }));
        }
        for site in needed {
            self.need(site, Because { how: How::Shared, of: observed });
        }
        for site in self.needed_ends() {
            self.need(site, Because::root(How::Status));
        }
    }

    fn read(&mut self, reader: SliceSite, pointer: Value, size: u64) {
        let targets = self.memory.addresses.targets_id(reader.function, pointer);
        self.read_targets(reader, targets, size);
    }

    /// Everything that may write where this reads is needed.
    fn read_targets(&mut self, reader: SliceSite, targets: TargetsId, size: u64) {
        if !self.read.insert((targets, size)) {
            return;
        }
        let answer = self.memory.addresses.answer(targets).clone();
        for target in &answer.known {
            self.read_object(reader, target.object, target.offsets, size);
        }
        if answer.is_unknown {
            self.read_unknown(reader);
        }
    }

    fn read_object(&mut self, reader: SliceSite, object: ObjectId, offsets: Offsets, size: u64) {
        let writers = self.writers.of(self.memory, object, offsets, size);
        let writers: Vec<SliceSite> = writers.map(|(writer, _)| writer.at.into()).collect();
        for writer in writers {
            self.need(writer, Because::of(How::Writes, reader));
        }
        // A copy that is passed holds what the caller's memory holds at the call.
        if let ObjectKind::Copy(function, position) = self.memory.addresses.objects().kind(object)
            && self.copied.insert(object)
        {
            self.need_parameter(function, position, Because::of(How::Operand, reader));
            for call in self.memory.calls.callers(function).to_vec() {
                let body = &self.memory.module.functions[call.function];
                if let Some(&argument) = body.arguments_of(call.call).get(position as usize) {
                    self.read(call.into(), argument, u64::MAX);
                }
            }
        }
    }

    /// What may be anywhere that others reach is read.
    fn read_unknown(&mut self, reader: SliceSite) {
        if std::mem::replace(&mut self.has_read_unknown, true) {
            return;
        }
        let objects = self.memory.addresses.objects();
        for object in (0..objects.len()).map(opcost_index::Id::new) {
            if objects.is_escaped(object) && (objects.is_memory(object) || object == outside()) {
                self.read_object(reader, object, Offsets::ANY, u64::MAX);
            }
        }
    }
}

fn outside() -> ObjectId {
    opcost_analysis::memory::addresses::Objects::outside()
}
