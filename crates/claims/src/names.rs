//! What is a symbol of a formula called, and is it an input?
//!
//! A name is that of the source where debug information knows one: of the
//! variable, of the parameter, of the data that is read; else that of the
//! module's text. The resolver says what decides it: where that is one number,
//! the number takes its place; where all of it comes from outside by names, it
//! is an input, called as the resolver calls it if that is one name. Two
//! different values that would share a name get a number behind it (`n#2`).
//! Cost: each symbol is resolved once.

use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;

use opcost_ir::{ConstantValue, Function, FunctionText, Module, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId, Key, Part, PlaceId};

use opcost_analysis::cells::{CellDefinition, CellVersion, Cells};
use opcost_analysis::expression::Symbol;
use opcost_analysis::memory::MemoryModel;
use opcost_graph::loops::{LoopForest, LoopId};

/// A symbol as a user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The number that it is.
    pub value: Option<i128>,
    /// Whether it comes from outside, and by a name.
    pub is_input: bool,
    /// What an input is called where it comes from, if that is no memory.
    pub word: Option<String>,
    /// What is known of an input.
    pub about: String,
}

impl Named {
    /// What has a name, and nothing else is known of it.
    fn plain(name: String) -> Named {
        Named { name, value: None, is_input: false, word: None, about: String::new() }
    }
}

/// What decides a value.
pub(super) enum Decided {
    /// It is always this number.
    Number(i128),
    /// All of it comes from outside, by names.
    Input {
        /// What it may be called: all of it, if that is short.
        called: Option<String>,
        /// What is known of it.
        about: String,
        /// Whether some of it is memory, whose name the program chose.
        is_memory: bool,
    },
    /// Something else.
    Open,
}

/// What is to be decided.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueQuery<'c> {
    /// A value of a function.
    Value(FunctionId, Value),
    /// The same where it was called by these calls, outermost first.
    Called(FunctionId, Value, &'c [(FunctionId, InstructionId)]),
    /// What a load reads would hold right after an instruction of its function.
    Behind(FunctionId, InstructionId, InstructionId),
}

/// Says what decides it.
pub(super) type Decide<'a> = &'a dyn Fn(ValueQuery<'_>) -> Decided;

/// The function whose loops are described.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The program.
    pub program: &'a MemoryModel<'a>,
    /// The function.
    pub id: FunctionId,
    /// Its loops.
    pub forest: &'a LoopForest<BlockId>,
    /// Which cells its loads read.
    pub cells: &'a dyn Cells,
    /// Its text.
    pub text: &'a FunctionText<'a>,
}

impl<'a> Scope<'a> {
    pub(super) fn function(&self) -> &'a Function {
        &self.program.module.functions[self.id]
    }

    /// Where a loop is written.
    pub(super) fn location(&self, id: LoopId) -> Option<PlaceId> {
        loop_location(self.program.module, self.function(), self.forest, id)
    }
}

/// Names of one function's symbols.
pub struct Names<'a> {
    scope: Scope<'a>,
    decide: Decide<'a>,
    /// A load that reads a version.
    loads: HashMap<CellVersion, InstructionId>,
    /// Names of variables that values are kept in from where they are made.
    stored_names: HashMap<Value, &'a str>,
    cache: RefCell<HashMap<Symbol, Named>>,
    /// Whose name it is.
    taken: RefCell<HashMap<String, Symbol>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(scope: Scope<'a>, decide: Decide<'a>) -> Names<'a> {
        let function = scope.function();
        let (mut loads, mut kept) = (HashMap::default(), HashMap::default());
        for (at, instruction) in function.instructions.iter() {
            if instruction.opcode == Opcode::Load
                && let Some(version) = scope.cells.read_by(at)
            {
                loads.entry(version).or_insert(at);
            }
            if instruction.opcode == Opcode::Store {
                let [value, address] = function.operands_of(at)[..] else { continue };
                if let Some(name) = function.source_names.get(&address) {
                    kept.entry(value).or_insert(&**name);
                }
            }
        }
        Names {
            scope,
            decide,
            loads,
            stored_names: kept,
            cache: RefCell::default(),
            taken: RefCell::default(),
        }
    }

    /// Names by the code alone: nothing is resolved.
    pub fn plain(scope: Scope<'a>) -> Names<'a> {
        Names::new(scope, &|_| Decided::Open)
    }

    /// What a symbol is called and known to be.
    pub fn of(&self, symbol: &Symbol) -> Named {
        if let Some(named) = self.cache.borrow().get(symbol) {
            return named.clone();
        }
        let mut named = self.lookup(symbol);
        let mut taken = self.taken.borrow_mut();
        let is_same =
            |other: &Symbol| other == symbol || (named.is_input && self.cache.borrow()[other] == named);
        if taken.get(&named.name).is_some_and(|other| !is_same(other)) {
            let number = (2..).find(|number| !taken.contains_key(&format!("{}#{number}", named.name)));
            named.name = format!("{}#{}", named.name, number.unwrap_or(0));
        }
        taken.insert(named.name.clone(), symbol.clone());
        self.cache.borrow_mut().insert(symbol.clone(), named.clone());
        named
    }

    /// All names that were asked for and are no numbers.
    pub(super) fn used(&self) -> Vec<String> {
        let known = self.cache.borrow();
        let is_free = |symbol: &&Symbol| !matches!(symbol, Symbol::Turn(_) | Symbol::Index(_));
        known
            .iter()
            .filter(|(symbol, named)| is_free(symbol) && named.value.is_none())
            .map(|(_, named)| named.name.clone())
            .collect()
    }

    /// `%add (line 4)`
    pub(super) fn instruction(&self, at: InstructionId) -> String {
        let text = self.scope.text.instruction(at);
        let name = text.split(" = ").next().unwrap_or(&text);
        match self.scope.function().instructions[at].place {
            Some(place) => format!("{name} (line {})", self.scope.program.module.places[place].line),
            None => name.to_owned(),
        }
    }

    /// The key of a part of the function.
    pub(super) fn key(&self, part: Part) -> Key {
        self.scope.program.module.key(self.scope.id).part(part)
    }

    /// The label of a block.
    pub(super) fn block(&self, block: BlockId) -> String {
        self.scope.text.block(block)
    }

    fn lookup(&self, symbol: &Symbol) -> Named {
        let plain = Named::plain;
        match symbol {
            Symbol::Argument(position) => self.resolved(Value::Argument(*position)),
            Symbol::Result(at) => self.resolved(Value::Instruction(*at)),
            // What a phi holds first is not what it holds.
            Symbol::AtEntry(at) => plain(format!("first {}", self.value(Value::Instruction(*at)))),
            Symbol::Cell(version) => match self.loads.get(version) {
                Some(&load) => self.resolved(Value::Instruction(load)),
                None => self.written(*version),
            },
            Symbol::CellAtEntry(version) => match self.loads.get(version) {
                Some(&load) => plain(format!("first {}", self.value(Value::Instruction(load)))),
                None => plain(format!("{version}")),
            },
            Symbol::Turn(id) => plain(self.iteration_name(*id)),
            Symbol::Index(number) => plain(if *number == 0 { "k".to_owned() } else { format!("k{number}") }),
            Symbol::Global(global) => plain(format!("&{}", self.scope.program.module.globals[*global].name)),
            Symbol::Code(value) => plain(self.value(*value)),
            Symbol::Constant(constant) => {
                plain(self.scope.program.module.constants[*constant].text.to_string())
            }
            Symbol::Undefined(_) => plain("an undefined value".to_owned()),
            Symbol::Named(name) => plain(name.to_string()),
        }
    }

    /// What an instruction leaves in a cell that is read after others changed it.
    fn written(&self, version: CellVersion) -> Named {
        let (Some(load), CellDefinition::Changed(at)) =
            (self.scope.cells.slot_by(version), self.scope.cells.definition(version))
        else {
            return Named::plain(format!("{version}"));
        };
        self.named(Value::Instruction(load), ValueQuery::Behind(self.scope.id, load, at))
    }

    /// What decides a value, and what it is called then.
    fn resolved(&self, value: Value) -> Named {
        self.named(value, ValueQuery::Value(self.scope.id, value))
    }

    fn named(&self, value: Value, wanted: ValueQuery<'_>) -> Named {
        let own = || self.value(value);
        match (self.decide)(wanted) {
            Decided::Number(number) => Named { value: Some(number), ..Named::plain(own()) },
            Decided::Input { called, about, is_memory } => {
                let mut name = own();
                // What the module's text calls it tells nobody anything.
                if name.starts_with('%') {
                    name = called.clone().unwrap_or(name);
                }
                let word = called.filter(|_| !is_memory);
                Named { is_input: true, about, word, ..Named::plain(name) }
            }
            Decided::Open => Named::plain(own()),
        }
    }

    /// `turn of line 12`
    fn iteration_name(&self, id: LoopId) -> String {
        match self.scope.location(id) {
            Some(place) => format!("turn of line {}", self.scope.program.module.places[place].line),
            None => format!("turn of %{}", self.scope.text.block(self.scope.forest.loops[id].header)),
        }
    }

    /// The name of a value: the source's, that of what it is read from, the text's.
    fn value(&self, value: Value) -> String {
        let function = self.scope.function();
        let mut value = value;
        // A conversion does not change what it is called; chains of them are short.
        for _ in 0..8 {
            let kept = self.stored_names.get(&value).copied();
            if let Some(name) = function.source_names.get(&value).map(|name| &**name).or(kept) {
                return name.to_owned();
            }
            let Value::Instruction(at) = value else { break };
            match function.instructions[at].opcode {
                Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::Freeze => {
                    value = function.operands_of(at)[0]
                }
                Opcode::Load => {
                    if let Some(name) = self.name_at(function.operands_of(at)[0], at) {
                        return name;
                    }
                    break;
                }
                _ => break,
            }
        }
        self.label(value)
    }

    fn label(&self, value: Value) -> String {
        match value {
            Value::Instruction(at) => {
                let text = self.scope.text.instruction(at);
                text.split(" = ").next().unwrap_or("").to_owned()
            }
            Value::Argument(position) => match self.scope.function().names.get(&value) {
                Some(name) => format!("%{name}"),
                None => format!("%{position}"),
            },
            Value::Function(id) => self.scope.program.module.functions[id].name.clone(),
            Value::Declaration(id) => self.scope.program.module.declarations[id].name.clone(),
            Value::Constant(id) => self.scope.program.module.constants[id].text.to_string(),
            Value::Block(block) => self.scope.text.block(block),
        }
    }

    /// What is at an address, if it has a name.
    fn name_at(&self, address: Value, load: InstructionId) -> Option<String> {
        let function = self.scope.function();
        if let Some(name) = function.source_names.get(&address) {
            return Some(name.to_string());
        }
        let Value::Constant(constant) = address else { return None };
        let module = self.scope.program.module;
        let ConstantValue::Global { global, offset } = module.constants[constant].value else { return None };
        let data = &module.globals[global];
        let offset = u64::try_from(offset).ok()?;
        let size = self.scope.program.layout.size(function.instructions[load].ty)?.max(1);
        let all = self.scope.program.layout.size(data.ty)?;
        let behind = data.members.partition_point(|(start, _)| *start <= offset);
        let (start, name) = match behind.checked_sub(1) {
            Some(at) => (data.members[at].0, data.members[at].1.to_string()),
            None => (0, data.source_name.as_deref().unwrap_or(&data.name).to_owned()),
        };
        let end = data.members.get(behind).map_or(all, |(next, _)| *next);
        if end - start <= size {
            return Some(name);
        }
        // Fortran counts from 1 and writes round brackets.
        let is_fortran =
            module.metadata.iter().any(|word| &**word == "llvm.ident") && !data.members.is_empty();
        let index = (offset - start) / size;
        Some(if is_fortran { format!("{name}({})", index + 1) } else { format!("{name}[{index}]") })
    }
}

/// Where a loop is written. It is the place of a branch back, else of the header's branch. Where
/// these have none it is the first place in the header.
///
/// A jump back after the last statement of a body has that statement's line in Fortran. The test in
/// the header has the line of `do`, which is the earlier one. In C the jump has the loop's own line.
pub(super) fn loop_location(
    module: &Module,
    function: &Function,
    forest: &LoopForest<BlockId>,
    id: LoopId,
) -> Option<PlaceId> {
    let natural = &forest.loops[id];
    let said = |at| function.instructions[at].place;
    let of_end = |block| said(function.terminator_of(block));
    let of_header = of_end(natural.header);
    let latches = || natural.back_edges.iter().map(|edge| edge.from);
    let is_jump = |block: &BlockId| function.blocks[*block].successors.len() == 1;
    let jump = latches().find(is_jump).filter(|_| !is_jump(&natural.header)).and_then(of_end);
    if let Some((top, back)) = of_header.zip(jump) {
        let [top, back] = [top, back].map(|place| &module.places[place]);
        let is_fortran =
            module.files[back.file].rsplit('.').next().is_some_and(|end| end.starts_with(['f', 'F']));
        if is_fortran && top.line < back.line && (top.file, top.inlined_at) == (back.file, back.inlined_at) {
            return of_header;
        }
    }
    let first = || function.instructions_of(natural.header).find_map(said);
    latches().find_map(of_end).or(of_header).or_else(first)
}
