//! May the program change the words of its command line?
//!
//! `argv`, its strings and the environment that `main` is passed are the program's own to change. Where it
//! may do that, `argv[1]` is not what it was when the program began. So every value is followed that may be an address
//! of them: through operations, calls, returns and memory. A store through such an address changes them, and so does
//! a library function that writes there, keeps the address or is not known.
//!
//! Input: what is known of the module. Output: whether nothing may change them. Cost: linear in the instructions,
//! times how often an object becomes one that holds such an address (a few). Limit: order and contexts do not
//! count, so a change of a copy of the vector is taken for one of it.

use opcost_index::IdSet;
use opcost_ir::{CalleeRef, Function, Opcode, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};
use opcost_library::LibraryStates;
use opcost_library::effect::{Effect, ResultKind, Touching};
use rustc_hash::FxHashSet;

use super::addresses::ObjectId;
use super::whole::MemoryModel;

/// Whether the words that `main` and constructors are passed stay as they were.
pub fn arguments_stay(memory: &MemoryModel<'_>) -> bool {
    let mut following = Following {
        memory,
        values: FxHashSet::default(),
        holders: IdSet::new(),
        returned: IdSet::new(),
        has_changed: true,
    };
    for &start in memory.roots.main.iter().chain(&memory.roots.constructors) {
        following.add_parameters(start);
    }
    while std::mem::take(&mut following.has_changed) {
        for (id, function) in memory.module.functions.iter() {
            for (at, _) in function.instructions.iter() {
                if following.instruction(id, function, at).is_err() {
                    return false;
                }
            }
        }
    }
    true
}

/// The words may be changed.
struct Changed;

struct Following<'a> {
    memory: &'a MemoryModel<'a>,
    /// Values that may be addresses of the words.
    values: FxHashSet<(FunctionId, Value)>,
    /// Objects that may hold such.
    holders: IdSet<ObjectId>,
    /// Functions that may return such.
    returned: IdSet<FunctionId>,
    has_changed: bool,
}

impl Following<'_> {
    fn add(&mut self, function: FunctionId, value: Value) {
        self.has_changed |= self.values.insert((function, value));
    }

    fn add_parameters(&mut self, function: FunctionId) {
        for position in 0..self.memory.module.functions[function].parameters {
            if position > 0 {
                self.add(function, Value::Argument(position));
            }
        }
    }

    fn is_one(&self, function: FunctionId, value: Value) -> bool {
        self.values.contains(&(function, value))
    }

    /// Whether a value of the type has room for an address.
    fn has_room(&self, ty: TypeId) -> bool {
        let size = self.memory.layout.size(ty);
        !matches!(self.memory.module.types[ty], Type::Void)
            && size.is_none_or(|size| size * 8 >= u64::from(self.memory.layout.pointer_bits(0)))
    }

    /// The objects where a pointer points hold such an address.
    fn hold(&mut self, function: FunctionId, pointer: Value) -> Result<(), Changed> {
        let addresses = &self.memory.addresses;
        let targets = addresses.targets(function, pointer);
        if targets.is_unknown {
            return Err(Changed);
        }
        for target in &targets.known {
            if addresses.objects().is_escaped(target.object) {
                return Err(Changed);
            }
            self.has_changed |= self.holders.insert(target.object);
        }
        Ok(())
    }

    fn holds(&self, function: FunctionId, pointer: Value) -> bool {
        let targets = self.memory.addresses.targets(function, pointer);
        targets.known.iter().any(|target| self.holders.contains(target.object))
    }

    fn instruction(&mut self, id: FunctionId, function: &Function, at: InstructionId) -> Result<(), Changed> {
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        let own = Value::Instruction(at);
        match instruction.opcode {
            Opcode::Store if self.is_one(id, operands[1]) => return Err(Changed),
            Opcode::Store if self.is_one(id, operands[0]) => self.hold(id, operands[1])?,
            Opcode::Store | Opcode::ICmp | Opcode::FCmp => {}
            Opcode::Load => {
                let is_there = self.is_one(id, operands[0]) || self.holds(id, operands[0]);
                if is_there && self.has_room(instruction.ty) {
                    self.add(id, own);
                }
            }
            // An index is a distance.
            Opcode::GetElementPtr => {
                if self.is_one(id, operands[0]) {
                    self.add(id, own);
                }
            }
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg => {
                let is_there = operands.iter().any(|&value| self.is_one(id, value));
                if is_there || self.holds(id, operands[0]) {
                    return Err(Changed);
                }
            }
            Opcode::Ret => {
                if operands.iter().any(|&value| self.is_one(id, value)) {
                    self.has_changed |= self.returned.insert(id);
                }
            }
            opcode if opcode.is_call() => self.call(id, function, at)?,
            _ => {
                let is_made = operands.iter().any(|&value| self.is_one(id, value));
                if is_made && self.has_room(instruction.ty) {
                    self.add(id, own);
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, id: FunctionId, function: &Function, at: InstructionId) -> Result<(), Changed> {
        let Some(call) = function.call(at) else { return Err(Changed) };
        let arguments = function.arguments_of(at);
        let is_passed = arguments.iter().any(|&value| self.is_one(id, value));
        let known = self.memory.addresses.callees(id, at);
        let mut callees = known.map(|callees| callees.functions.clone()).unwrap_or_default();
        if let CalleeRef::Function(callee) = call.callee {
            callees.push(callee);
        }
        for callee in callees {
            let parameters = self.memory.module.functions[callee].parameters;
            for (position, &argument) in (0..).zip(arguments).filter(|_| is_passed) {
                if self.is_one(id, argument) {
                    if position >= parameters {
                        return Err(Changed);
                    }
                    self.add(callee, Value::Argument(position));
                }
            }
            if self.returned.contains(callee) {
                self.add(id, Value::Instruction(at));
            }
        }
        for &(callee, _) in
            known.map(|callees| &callees.callbacks[..]).filter(|_| is_passed).unwrap_or_default()
        {
            let parameters = self.memory.module.functions[callee].parameters;
            (0..parameters).for_each(|position| self.add(callee, Value::Argument(position)));
        }
        let is_open = known.is_some_and(|callees| callees.is_open);
        match call.callee {
            _ if is_passed && is_open => Err(Changed),
            CalleeRef::Assembly if is_passed => Err(Changed),
            CalleeRef::Declaration(declared) => {
                let effect = self.memory.externals.effect(function, at, declared).into_owned();
                self.library(id, at, &effect)
            }
            CalleeRef::Assembly | CalleeRef::Function(_) | CalleeRef::Indirect => Ok(()),
        }
    }

    /// A call of a function that is not here.
    fn library(&mut self, id: FunctionId, at: InstructionId, effect: &Effect) -> Result<(), Changed> {
        let function = &self.memory.module.functions[id];
        let arguments = function.arguments_of(at);
        for copied in &effect.copies {
            let (from, to) = (arguments.get(copied.from as usize), arguments.get(copied.to as usize));
            let (Some(&from), Some(&to)) = (from, to) else { continue };
            if self.is_one(id, from) || self.holds(id, from) {
                self.hold(id, to)?;
            }
            if self.is_one(id, to) {
                return Err(Changed);
            }
        }
        let mut is_passed = false;
        for (position, &argument) in (0..).zip(arguments) {
            if !self.is_one(id, argument) {
                // What is deep there may be the words.
                let mut touches = effect.touches_of(position);
                let is_deep = touches.any(|touched| touched.is_deep && touched.how != Touching::Reads);
                if self.holds(id, argument) && (effect.does_anything || is_deep) {
                    return Err(Changed);
                }
                continue;
            }
            is_passed = true;
            if effect.does_anything {
                return Err(Changed);
            }
            for touched in effect.touches_of(position) {
                match touched.how {
                    Touching::Reads => {}
                    Touching::Retains if effect.holds == LibraryStates::NONE => {
                        self.hold_beside(id, at, effect)?
                    }
                    _ => return Err(Changed),
                }
            }
        }
        let ty = function.instructions[at].ty;
        let is_new = matches!(effect.result, ResultKind::Fresh { .. } | ResultKind::Environment(_));
        let is_number = !matches!(self.memory.module.types[ty], Type::Pointer(..));
        if is_passed && !is_new && !is_number {
            self.add(id, Value::Instruction(at));
        }
        Ok(())
    }

    /// An address is left where another argument points, as the end of a number is.
    fn hold_beside(&mut self, id: FunctionId, at: InstructionId, effect: &Effect) -> Result<(), Changed> {
        let arguments = self.memory.module.functions[id].arguments_of(at);
        for (position, &argument) in (0..).zip(arguments) {
            let is_written = effect.touches_of(position).any(|touched| touched.how == Touching::Writes);
            if is_written {
                self.hold(id, argument)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use opcost_ir::{Layout, parse_module};
    use opcost_library::Effects;

    use super::super::world::World;
    use super::*;

    fn stay(body: &str) -> bool {
        let text = format!(
            "
global internal @kept type ptr = {{ }}
declare @atoi
declare @strtol
declare @strcpy
declare @strchr
declare @qsort
declare @getopt
declare @stranger
declare @puts
define internal i32 @order(ptr %a, ptr %b) {{
  ret i32 0
}}
define internal void @change() {{
  %vector = load ptr, @kept
  store ptr null, %vector
  ret void
}}
define i32 @main(i32 %argc, ptr %argv) {{
  %own = alloca ptr
  %buffer = alloca [64 x i8]
  %at = getelementptr ptr, %argv, i64 1
  %word = load ptr, %at
{body}
  ret i32 0
}}
"
        );
        let module = parse_module(&text).expect("a module");
        let (layout, effects) = (Layout::of(&module), Effects::built_in());
        arguments_stay(&MemoryModel::of(&module, &layout, &effects, World::Closed))
    }

    #[test]
    fn what_is_only_read_stays() {
        assert!(stay("%n = call i32 @atoi(%word)"));
        assert!(stay("store ptr %argv, %own\n%v = load ptr, %own\n%n = call i32 @atoi(%v)"));
        assert!(stay("%n = call i64 @strtol(%word, %own, i32 10)"));
        assert!(stay("%c = call ptr @strcpy(%buffer, %word)\nstore i8 0, %buffer"));
        assert!(stay("store i32 7, %buffer\n%n = call i32 @puts(%word)"));
        // A distance is no address.
        let distance = "%dot = call ptr @strchr(%word, i32 46)
  %end = ptrtoint i64 %dot
  %start = ptrtoint i64 %word
  %length = sub i64 %end, %start
  %there = getelementptr i8, %buffer, i64 %length
  store i8 0, %there";
        assert!(stay(distance));
    }

    #[test]
    fn what_may_be_written_does_not_stay() {
        assert!(!stay("store ptr null, %at"));
        assert!(!stay("store i8 51, %word"));
        assert!(!stay("%c = call ptr @strcpy(%word, %buffer)"));
        assert!(!stay("%dot = call ptr @strchr(%word, i32 46)\nstore i8 0, %dot"));
        assert!(!stay("call void @qsort(%at, i64 2, i64 8, @order)"));
        assert!(!stay("%n = call i32 @getopt(i32 %argc, %argv, %buffer)"));
        assert!(!stay("%n = call i32 @stranger(%argv)"));
        assert!(!stay("store ptr %argv, @kept\ncall void @change()"));
        assert!(!stay("store ptr %argv, %own\n%v = load ptr, %own\nstore ptr null, %v"));
        assert!(!stay("store ptr %argv, %own\n%n = call i32 @stranger(%own)"));
        assert!(!stay("%n = call i64 @strtol(%word, %own, i32 10)\n%end = load ptr, %own\nstore i8 0, %end"));
    }
}
