//! Which pointer gets what? The constraints that a module's code says.
//!
//! Every value that a pointer fits into is a node: pointers, integers of their
//! size (copies of memory are made through integers), wide floats, vectors and
//! aggregates. Arithmetic on such integers leads anywhere in the same object;
//! what is cut off or stored in parts is exposed and escapes, and an address
//! made of a number may be that of anything that escaped.
//!
//! Cost: linear in the instructions.

use opcost_index::{Id, IdMap};
use opcost_ir::{
    ConstantId, ConstantValue, Function, Instruction, Module, Opcode, ScalarValue, Type, TypeId, Value,
};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::displacement::move_of;
use super::graph::{AddressTarget, Graph, Node, Use};
use super::objects::{ObjectKind, alloca_size};
use super::offsets::{Move, Offsets};
use crate::memory::external::Externals;
use crate::memory::world::Roots;

/// A call that was met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) function: FunctionId,
    pub(super) call: InstructionId,
    /// Of what is called back: which callback of the callee's effect.
    pub(super) callback: Option<u32>,
}

/// Nodes of values.
pub(super) struct Collector<'a> {
    pub(super) graph: Graph<'a>,
    pub(super) externals: &'a Externals<'a>,
    pub(super) roots: &'a Roots,
    /// Node of each instruction's result.
    pub(super) results: IdMap<FunctionId, Vec<Option<Node>>>,
    pub(super) parameters: IdMap<FunctionId, Vec<Node>>,
    pub(super) returned: IdMap<FunctionId, Node>,
    constants: HashMap<ConstantId, Node>,
    code: HashMap<Value, Node>,
    pub(super) sites: Vec<Site>,
    /// What each site was found to call.
    pub(super) bound: HashSet<(u32, FunctionId)>,
    /// Sites that may call what is not seen.
    pub(super) open: HashSet<u32>,
    /// What the pointers lead to that are stored where an argument points.
    pub(super) behind: HashMap<(FunctionId, InstructionId, u32), Node>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(mut graph: Graph<'a>, externals: &'a Externals<'a>, roots: &'a Roots) -> Self {
        let module = graph.module;
        let mut parameters = IdMap::new();
        let mut returned = IdMap::new();
        let mut results = IdMap::new();
        for function in module.functions.values() {
            parameters.push((0..function.parameters).map(|_| graph.node()).collect());
            returned.push(graph.node());
            let holds = |instruction: &Instruction| can_hold_pointer(&graph, instruction.ty);
            let held: Vec<bool> = function.instructions.values().map(holds).collect();
            let nodes = held.into_iter().map(|is_held| is_held.then(|| graph.node()));
            results.push(nodes.collect());
        }
        Self {
            graph,
            externals,
            roots,
            results,
            parameters,
            returned,
            constants: HashMap::default(),
            code: HashMap::default(),
            sites: Vec::new(),
            bound: HashSet::default(),
            open: HashSet::default(),
            behind: HashMap::default(),
        }
    }

    /// The node of a constant that was met.
    pub(super) fn constant_node(&self, id: ConstantId) -> Option<Node> {
        self.constants.get(&id).copied()
    }

    /// Pairs of a site and a function of the module that it calls, sorted.
    pub(super) fn bound_sites(&self) -> Vec<(u32, FunctionId)> {
        let mut bound = Vec::from_iter(self.bound.iter().copied());
        bound.sort_unstable();
        bound
    }

    /// Nodes of what pointers lead to that are stored where arguments point, sorted.
    pub(super) fn behind_nodes(&self) -> Vec<((FunctionId, InstructionId, u32), Node)> {
        let mut behind = Vec::from_iter(self.behind.iter().map(|(&place, &node)| (place, node)));
        behind.sort_unstable();
        behind
    }

    /// Sites that may call what is not seen, sorted.
    pub(super) fn open_sites(&self) -> Vec<u32> {
        let mut open = Vec::from_iter(self.open.iter().copied());
        open.sort_unstable();
        open
    }

    /// Everything that is in the module.
    pub(super) fn collect(&mut self) {
        let module = self.graph.module;
        self.collect_data();
        for (id, function) in module.functions.iter() {
            for (instruction, facts) in function.instructions.iter() {
                self.instruction(id, function, instruction, facts);
            }
            self.parameters_from_outside(id, function);
        }
    }

    fn parameters_from_outside(&mut self, id: FunctionId, function: &Function) {
        if self.roots.called_from_outside.contains(id) {
            self.graph.escape(self.graph.objects.of_function(id));
        }
        let is_main = self.roots.main == Some(id);
        for (position, facts) in (0..).zip(&function.parameter_facts) {
            if facts.byval.is_some() && position < function.parameters {
                let size = facts.byval.and_then(|ty| self.graph.layout.size(ty));
                let copy = self.graph.objects.made_by(ObjectKind::Copy(id, position), size);
                let target = AddressTarget { object: copy, offsets: Offsets::exact(0) };
                self.graph.add(self.parameters[id][position as usize], target);
            }
        }
        if is_main {
            self.parameters[id].clone().into_iter().for_each(|node| self.graph.set_unknown(node));
        }
    }

    /// What data holds at the start, and what of it others reach.
    fn collect_data(&mut self) {
        let module = self.graph.module;
        let mut is_all_told = true;
        for (id, global) in module.globals.iter() {
            let object = self.graph.objects.of_global(id);
            if self.roots.reached_from_outside.contains(id) {
                self.graph.escape(object);
            }
            let is_vtable = global.name.starts_with("_ZT");
            match &global.contents {
                // What lies before a class in memory is a number in a pointer's place.
                Some(contents) if contents.is_complete || is_vtable => {
                    for &(offset, _, value) in &contents.scalars {
                        self.scalar(object, offset, value);
                    }
                }
                _ if global.is_declared || global.name.starts_with("llvm.") => {}
                _ => is_all_told &= !may_hold_address(module, global.ty),
            }
        }
        if !is_all_told {
            module.globals.ids().for_each(|id| self.graph.escape(self.graph.objects.of_global(id)));
            // What is not told is made of addresses that the module takes.
            let taken = module.functions.iter().filter(|(_, function)| function.is_address_taken);
            taken.for_each(|(id, _)| self.graph.escape(self.graph.objects.of_function(id)));
        }
    }

    fn scalar(&mut self, object: super::objects::ObjectId, offset: u64, value: ScalarValue) {
        let node = match value {
            ScalarValue::Function(code) => self.code_node(code),
            ScalarValue::Constant(ConstantValue::Global { global, offset }) => {
                let node = self.graph.node();
                let object = self.graph.objects.of_global(global);
                self.graph.add(node, AddressTarget { object, offsets: Offsets::exact(offset) });
                Some(node)
            }
            ScalarValue::Constant(_) => None,
        };
        if let (Some(from), Ok(offset)) = (node, i64::try_from(offset)) {
            let holder = self.graph.node();
            let size = self.graph.word();
            self.graph.add(holder, AddressTarget { object, offsets: Offsets::exact(offset) });
            self.graph.use_node(holder, Use::Store { from, at: 0, size });
        }
    }

    /// The node of an operand; none if it is no pointer to anything.
    pub(super) fn value(&mut self, function: FunctionId, value: Value) -> Option<Node> {
        match value {
            Value::Instruction(id) => self.results[function][id.index()],
            Value::Argument(position) => self.parameters[function].get(position as usize).copied(),
            Value::Function(_) | Value::Declaration(_) => self.code_node(value),
            Value::Constant(id) => self.constant(id),
            Value::Block(_) => None,
        }
    }

    fn code_node(&mut self, code: Value) -> Option<Node> {
        if let Some(&known) = self.code.get(&code) {
            return Some(known);
        }
        let object = match code {
            Value::Function(id) => self.graph.objects.of_function(id),
            Value::Declaration(id) => self.graph.objects.of_declaration(id),
            _ => return None,
        };
        let node = self.graph.node();
        self.graph.add(node, AddressTarget { object, offsets: Offsets::exact(0) });
        self.code.insert(code, node);
        Some(node)
    }

    fn constant(&mut self, id: ConstantId) -> Option<Node> {
        if let Some(&known) = self.constants.get(&id) {
            return Some(known);
        }
        let constant = &self.graph.module.constants[id];
        let node = match constant.value {
            ConstantValue::Global { global, offset } => {
                let node = self.graph.node();
                let object = self.graph.objects.of_global(global);
                self.graph.add(node, AddressTarget { object, offsets: Offsets::exact(offset) });
                node
            }
            ConstantValue::Other if constant.text.contains('@') || constant.text.contains("inttoptr") => {
                self.computed_constant(&constant.text)
            }
            _ => return None,
        };
        self.constants.insert(id, node);
        Some(node)
    }

    /// An expression: anywhere in what it names.
    fn computed_constant(&mut self, text: &str) -> Node {
        let node = self.graph.node();
        let module = self.graph.module;
        self.graph.set_unknown(node);
        for (id, _) in module.globals.iter().filter(|(_, global)| names(text, &global.name)) {
            let object = self.graph.objects.of_global(id);
            self.graph.add(node, AddressTarget { object, offsets: Offsets::ANY });
        }
        for (id, _) in module.functions.iter().filter(|(_, function)| names(text, &function.name)) {
            let object = self.graph.objects.of_function(id);
            self.graph.add(node, AddressTarget { object, offsets: Offsets::exact(0) });
        }
        node
    }

    fn instruction(
        &mut self,
        id: FunctionId,
        function: &Function,
        at: InstructionId,
        instruction: &Instruction,
    ) {
        let operands = function.operands_of(at);
        let result = self.results[id][at.index()];
        match instruction.opcode {
            Opcode::Alloca => self.alloca(id, at, result),
            Opcode::Load => self.load(id, operands[0], instruction.ty, result),
            Opcode::Store => self.store(id, operands[1], operands[0], instruction.second_type),
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                let written = operands.last().copied().filter(|_| operands.len() > 1);
                self.load(id, operands[0], instruction.ty, result);
                if let Some(written) = written {
                    self.store(id, operands[0], written, None);
                }
            }
            Opcode::GetElementPtr => {
                let by = move_of(self.graph.module, self.graph.layout, function, at);
                self.flow(id, operands[0], result, by);
            }
            Opcode::Ret => {
                let returned = self.returned[id];
                operands.iter().for_each(|&value| self.flow(id, value, Some(returned), Move::By(0)));
            }
            Opcode::LandingPad | Opcode::VAArg | Opcode::CatchPad => {
                if let Some(result) = result {
                    self.graph.set_unknown(result);
                }
            }
            Opcode::Resume => operands.iter().for_each(|&value| self.exposed(id, value)),
            opcode if opcode.is_call() => self.call(id, function, at),
            _ => self.plain(id, instruction.opcode, operands, result),
        }
    }

    /// What goes through registers.
    fn plain(&mut self, id: FunctionId, opcode: Opcode, operands: &[Value], result: Option<Node>) {
        let Some(result) = result else {
            let cuts = matches!(opcode, Opcode::Trunc | Opcode::BitCast | Opcode::ExtractElement);
            if cuts || opcode == Opcode::ExtractValue {
                operands.iter().for_each(|&value| self.exposed(id, value));
            }
            return;
        };
        let by = match opcode {
            Opcode::Phi | Opcode::Select | Opcode::Freeze | Opcode::BitCast | Opcode::AddrSpaceCast => {
                Move::By(0)
            }
            Opcode::PtrToInt | Opcode::PtrToAddr | Opcode::ExtractValue | Opcode::InsertValue => Move::By(0),
            Opcode::InsertElement | Opcode::ShuffleVector | Opcode::ExtractElement => Move::By(0),
            Opcode::IntToPtr => {
                self.graph.set_unknown(result);
                Move::By(0)
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor => {
                Move::Anywhere
            }
            Opcode::Shl | Opcode::LShr | Opcode::AShr | Opcode::UDiv | Opcode::SDiv => Move::Anywhere,
            Opcode::URem | Opcode::SRem | Opcode::Trunc | Opcode::ZExt | Opcode::SExt => Move::Anywhere,
            _ => return,
        };
        operands.iter().for_each(|&value| self.flow(id, value, Some(result), by));
    }

    pub(super) fn flow(&mut self, id: FunctionId, value: Value, to: Option<Node>, by: Move) {
        if let (Some(from), Some(to)) = (self.value(id, value), to) {
            self.graph.copy(from, to, by);
        }
    }

    /// The value goes where it is not followed.
    pub(super) fn exposed(&mut self, id: FunctionId, value: Value) {
        let escape = self.graph.escape_node();
        self.flow(id, value, Some(escape), Move::By(0));
    }

    fn alloca(&mut self, id: FunctionId, at: InstructionId, result: Option<Node>) {
        let size = alloca_size(self.graph.module, self.graph.layout, id, at);
        let object = self.graph.objects.made_by(ObjectKind::Alloca(id, at), size);
        if let Some(result) = result {
            self.graph.add(result, AddressTarget { object, offsets: Offsets::exact(0) });
        }
    }

    fn load(&mut self, id: FunctionId, address: Value, ty: TypeId, result: Option<Node>) {
        let Some(address) = self.value(id, address) else { return };
        let size = self.graph.layout.size(ty).unwrap_or(u64::MAX);
        // Parts of a pointer may become one again where nobody looks.
        let into = result.unwrap_or(self.graph.escape_node());
        self.graph.use_node(address, Use::Load { into, at: 0, size });
    }

    fn store(&mut self, id: FunctionId, address: Value, value: Value, ty: Option<TypeId>) {
        let size = ty.map_or(Some(self.graph.word()), |ty| self.graph.layout.size(ty)).unwrap_or(u64::MAX);
        let is_part = size < self.graph.word();
        let unknown = self.graph.unknown_node();
        let from = match self.value(id, value) {
            Some(node) if !is_part => Some(node),
            _ if is_part || ty.is_none() => Some(unknown),
            _ => None,
        };
        match (self.value(id, address), from) {
            (Some(address), Some(from)) => self.graph.use_node(address, Use::Store { from, at: 0, size }),
            // An address that is not followed: a number, perhaps.
            (None, Some(_)) => self.exposed(id, value),
            (_, None) => {}
        }
    }
}

/// Whether a value of this type may be a pointer, or hold one.
pub(super) fn can_hold_pointer(graph: &Graph<'_>, ty: TypeId) -> bool {
    match graph.module.types[ty] {
        Type::Pointer(_) => true,
        Type::Void | Type::Other(_) | Type::Function(..) => false,
        _ => graph.layout.size(ty).is_none_or(|size| size >= graph.word()),
    }
}

/// Whether data of this type may hold an address at the start: not floats and
/// small numbers.
fn may_hold_address(module: &Module, ty: TypeId) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match &module.types[ty] {
            Type::Integer(bits) if *bits < 32 => {}
            Type::Float(_) => {}
            Type::Array(_, element) | Type::Vector { element, .. } => work.push(*element),
            Type::Struct { fields, .. } => work.extend(fields),
            _ => return true,
        }
    }
    false
}

/// Whether an expression names this global.
fn names(text: &str, name: &str) -> bool {
    text.match_indices('@').any(|(at, _)| {
        let rest = text[at + 1..].trim_start_matches('"');
        let behind = rest.strip_prefix(name).map(|behind| behind.chars().next());
        behind.is_some_and(|next| next.is_none_or(|c| !c.is_ascii_alphanumeric() && !"_.$-".contains(c)))
    })
}
