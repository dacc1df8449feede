//! What goes into calls and comes out of them? Constraints of call sites.
//!
//! A call of a function of the module binds arguments to parameters; a call
//! through a pointer does so with each function that the pointer is found to
//! point to, while the solution grows; a call of a declared function does what
//! [`Externals`](crate::memory::external::Externals) says. Functions that are
//! called back are bound like those that are called. Where the callee is not
//! known, arguments escape and the result is unknown.
//!
//! Cost: arguments of each pair of site and callee, once.

use opcost_index::Id;
use opcost_ir::{CalleeRef, ConstantValue, DeclarationId, Function, Type, Value};
use opcost_key::{FunctionId, InstructionId};

use super::collect::{Collector, Site};
use super::graph::{AddressTarget, Node, Use};
use super::objects::{ObjectId, ObjectKind};
use super::offsets::{Move, Offsets};
use opcost_library::effect::*;

/// The most words of a copied block that are distinguished.
const MOST_WORDS: u64 = 16;

impl Collector<'_> {
    pub(super) fn call(&mut self, id: FunctionId, function: &Function, at: InstructionId) {
        let Some(call) = function.call(at) else { return };
        let site = self.site(Site { function: id, call: at, callback: None });
        match call.callee {
            CalleeRef::Function(callee) => self.bind(site, callee),
            CalleeRef::Declaration(callee) => self.external(site, callee),
            CalleeRef::Assembly => self.unknown_call(site),
            CalleeRef::Indirect => {
                let callee = function.operands_of(at).last().copied();
                match callee.and_then(|callee| self.value(id, callee)) {
                    Some(node) => self.graph.use_node(node, Use::Called { site }),
                    None => self.unknown_call(site),
                }
            }
        }
    }

    fn site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    /// Runs until nothing changes.
    pub(super) fn solve(&mut self) {
        loop {
            while self.graph.step() {}
            let found = std::mem::take(&mut self.graph.found);
            let escaped = std::mem::take(&mut self.graph.escaped_functions);
            if found.is_empty() && escaped.is_empty() {
                return;
            }
            found.into_iter().for_each(|(site, object)| self.found(site, object));
            for function in escaped {
                self.parameters[function].clone().into_iter().for_each(|node| self.graph.set_unknown(node));
                self.graph.copy(self.returned[function], self.graph.escape_node(), Move::By(0));
            }
        }
    }

    fn found(&mut self, site: u32, object: Option<ObjectId>) {
        let is_callback = self.sites[site as usize].callback.is_some();
        match object.map(|object| self.graph.objects.kind(object)) {
            None if is_callback => self.unknown_callback(site),
            None => self.unknown_call(site),
            Some(ObjectKind::Function(callee)) if is_callback => self.bind_callback(site, callee),
            Some(ObjectKind::Function(callee)) => self.bind(site, callee),
            Some(ObjectKind::Declaration(callee)) if !is_callback => self.external(site, callee),
            Some(ObjectKind::Declaration(_)) => self.unknown_callback(site),
            // Data is no code.
            Some(_) => {}
        }
    }

    fn arguments(&self, site: u32) -> (FunctionId, InstructionId, Vec<Value>) {
        let Site { function, call, .. } = self.sites[site as usize];
        let arguments = self.graph.module.functions[function].arguments_of(call).to_vec();
        (function, call, arguments)
    }

    fn unknown_call(&mut self, site: u32) {
        let (id, call, arguments) = self.arguments(site);
        arguments.into_iter().for_each(|argument| self.exposed(id, argument));
        if let Some(result) = self.results[id][call.index()] {
            self.graph.set_unknown(result);
        }
        self.open.insert(site);
    }

    /// Arguments to parameters, returns to the result.
    fn bind(&mut self, site: u32, callee: FunctionId) {
        if !self.bound.insert((site, callee)) {
            return;
        }
        let (id, call, arguments) = self.arguments(site);
        let module = self.graph.module;
        let facts = &module.functions[callee].parameter_facts;
        for (position, &argument) in arguments.iter().enumerate() {
            match self.parameters[callee].get(position).copied() {
                Some(parameter) => match facts.get(position).and_then(|facts| facts.byval) {
                    Some(ty) => {
                        let size = self.graph.layout.size(ty);
                        if let Some(from) = self.value(id, argument) {
                            self.copy_memory(parameter, from, size);
                        }
                    }
                    None => self.flow(id, argument, Some(parameter), Move::By(0)),
                },
                // Variable arguments are not followed.
                None => self.exposed(id, argument),
            }
        }
        if let Some(result) = self.results[id][call.index()] {
            self.graph.copy(self.returned[callee], result, Move::By(0));
        }
    }

    fn bind_callback(&mut self, site: u32, callee: FunctionId) {
        if !self.bound.insert((site, callee)) {
            return;
        }
        let (id, _, arguments) = self.arguments(site);
        let Some(callback) = self.callback(site) else { return };
        let parameters = self.parameters[callee].clone();
        let mut passed: Vec<(Option<Value>, Move)> = Vec::new();
        for argument in callback.arguments {
            match argument {
                CallbackArgument::Outside => passed.push((None, Move::Anywhere)),
                CallbackArgument::Parameter(position) => {
                    passed.push((arguments.get(position as usize).copied(), Move::By(0)));
                }
                CallbackArgument::Inside(position) => {
                    passed.push((arguments.get(position as usize).copied(), Move::Anywhere));
                }
                CallbackArgument::From(position) => {
                    let rest = arguments.iter().skip(position as usize);
                    passed.extend(rest.map(|&value| (Some(value), Move::By(0))));
                }
            }
        }
        for (position, parameter) in parameters.into_iter().enumerate() {
            match passed.get(position) {
                Some(&(Some(value), by)) => self.flow(id, value, Some(parameter), by),
                _ => self.graph.set_unknown(parameter),
            }
        }
        // The library may do with the result what it wants.
        self.graph.copy(self.returned[callee], self.graph.escape_node(), Move::By(0));
    }

    fn unknown_callback(&mut self, site: u32) {
        let (id, _, arguments) = self.arguments(site);
        arguments.into_iter().for_each(|argument| self.exposed(id, argument));
        self.open.insert(site);
    }

    fn callback(&self, site: u32) -> Option<Callback> {
        let Site { function, call, callback } = self.sites[site as usize];
        let function = &self.graph.module.functions[function];
        let CalleeRef::Declaration(callee) = function.call(call)?.callee else { return None };
        let effect = self.externals.effect(function, call, callee);
        effect.callbacks.get(callback? as usize).cloned()
    }

    /// What a function that is not here does.
    fn external(&mut self, site: u32, callee: DeclarationId) {
        let (id, call, arguments) = self.arguments(site);
        let function = &self.graph.module.functions[id];
        let effect = self.externals.effect(function, call, callee);
        if effect.does_anything {
            return self.unknown_call(site);
        }
        for (position, &argument) in (0..).zip(&arguments) {
            for touched in effect.touches_of(position) {
                self.touch(Site { function: id, call, callback: None }, argument, &arguments, touched);
                if touched.is_deep {
                    self.load_through_argument(id, call, position, argument);
                }
            }
        }
        for copied in &effect.copies {
            let ends = [copied.to, copied.from].map(|position| arguments.get(position as usize).copied());
            if let [Some(to), Some(from)] = ends
                && let (Some(to), Some(from)) = (self.value(id, to), self.value(id, from))
            {
                let size = self.extent(&arguments, copied.extent);
                self.copy_memory(to, from, size);
            }
        }
        self.external_result(id, call, &arguments, effect.result);
        for (position, callback) in (0..).zip(&effect.callbacks) {
            let code = arguments.get(callback.function as usize).copied();
            if let Some(node) = code.and_then(|code| self.value(id, code)) {
                let site = self.site(Site { function: id, call, callback: Some(position) });
                self.graph.use_node(node, Use::Called { site });
            }
        }
    }

    fn touch(
        &mut self,
        Site { function: id, call, .. }: Site,
        argument: Value,
        arguments: &[Value],
        touched: &Touched,
    ) {
        let Some(node) = self.value(id, argument) else { return };
        let (unknown, escape) = (self.graph.unknown_node(), self.graph.escape_node());
        match touched.how {
            Touching::Retains => self.graph.copy(node, escape, Move::By(0)),
            Touching::RetainsPointees => {
                self.graph.use_node(node, Use::Load { into: escape, at: 0, size: u64::MAX });
            }
            Touching::Writes => {
                let size = self.extent(arguments, touched.extent).unwrap_or(u64::MAX);
                self.graph.use_node(node, Use::Store { from: unknown, at: 0, size });
                if touched.is_deep {
                    let behind = self.graph.node();
                    self.graph.use_node(node, Use::Load { into: behind, at: 0, size: u64::MAX });
                    self.graph.use_node(behind, Use::Store { from: unknown, at: 0, size: u64::MAX });
                }
            }
            Touching::FreshInto => {
                let from = self.fresh(id, call);
                let size = self.graph.word();
                self.graph.use_node(node, Use::Store { from, at: 0, size });
            }
            // What comes in may be an address that went out: through a pipe, or as text.
            Touching::Input(_) => {
                let size = self.extent(arguments, touched.extent).unwrap_or(u64::MAX);
                self.graph.use_node(node, Use::Store { from: unknown, at: 0, size });
            }
            // Zeros are no addresses.
            Touching::Reads | Touching::Zeroes | Touching::Frees => {}
        }
    }

    /// Remembers what the pointers lead to that are stored where an argument points.
    fn load_through_argument(&mut self, id: FunctionId, call: InstructionId, position: u32, argument: Value) {
        if self.behind.contains_key(&(id, call, position)) {
            return;
        }
        if let Some(node) = self.value(id, argument) {
            let behind = self.graph.node();
            self.graph.use_node(node, Use::Load { into: behind, at: 0, size: u64::MAX });
            self.behind.insert((id, call, position), behind);
        }
    }

    fn fresh(&mut self, id: FunctionId, call: InstructionId) -> Node {
        let object = self.graph.objects.made_by(ObjectKind::Fresh(id, call), None);
        let node = self.graph.node();
        self.graph.add(node, AddressTarget { object, offsets: Offsets::exact(0) });
        node
    }

    fn external_result(
        &mut self,
        id: FunctionId,
        call: InstructionId,
        arguments: &[Value],
        kind: ResultKind,
    ) {
        let Some(result) = self.results[id][call.index()] else { return };
        let ty = self.graph.module.functions[id].instructions[call].ty;
        let is_number = matches!(self.graph.module.types[ty], Type::Integer(_) | Type::Float(_));
        let mut flow = |position: u32, by: Move| {
            if let Some(&value) = arguments.get(position as usize) {
                self.flow(id, value, Some(result), by);
            }
        };
        match kind {
            ResultKind::Parameter(position) => flow(position, Move::By(0)),
            ResultKind::Inside(position) => flow(position, Move::Anywhere),
            ResultKind::Moved(position) => {
                flow(position, Move::By(0));
                let fresh = self.fresh(id, call);
                self.graph.copy(fresh, result, Move::By(0));
            }
            ResultKind::Fresh { .. } => {
                let fresh = self.fresh(id, call);
                self.graph.copy(fresh, result, Move::By(0));
            }
            ResultKind::Pure => {
                (0..arguments.len() as u32).for_each(|position| flow(position, Move::Anywhere));
                if !is_number {
                    self.graph.set_unknown(result);
                }
            }
            ResultKind::Input
            | ResultKind::InputFrom(_)
            | ResultKind::Environment(_)
            | ResultKind::Outside => {
                if !is_number {
                    self.graph.set_unknown(result);
                }
            }
        }
    }

    /// Bytes, if they are constant.
    fn extent(&self, arguments: &[Value], extent: Extent) -> Option<u64> {
        let number = |position: u32| match arguments.get(position as usize) {
            Some(&Value::Constant(id)) => match self.graph.module.constants[id].value {
                ConstantValue::Integer(value) => u64::try_from(value).ok(),
                _ => None,
            },
            _ => None,
        };
        match extent {
            Extent::Unknown => None,
            Extent::Bytes(bytes) => Some(bytes),
            Extent::Parameter(position) => number(position),
            Extent::Product(left, right) => number(left)?.checked_mul(number(right)?),
        }
    }

    /// What is at `from` is at `to` too: word for word where that is few.
    fn copy_memory(&mut self, to: Node, from: Node, size: Option<u64>) {
        let word = self.graph.word();
        let words = size.map(|size| size.div_ceil(word)).filter(|&words| words <= MOST_WORDS);
        let pieces = match words {
            Some(words) => (0..words).map(|position| ((position * word) as i64, word)).collect(),
            None => vec![(0, size.unwrap_or(u64::MAX))],
        };
        for (at, size) in pieces {
            let between = self.graph.node();
            self.graph.use_node(from, Use::Load { into: between, at, size });
            self.graph.use_node(to, Use::Store { from: between, at, size });
        }
    }
}
