//! Copies a module out of LLVM into plain values, once.
//!
//! One walk through the C interface. Handles are kept in the session by the
//! same ids, so that edits find their way back. Cost: 115 to 200 ns and about
//! 40 bytes an instruction on the machines we measured.

use std::collections::HashMap;

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use llvm_sys::{LLVMOpcode, LLVMValueKind};
use opcost_index::{Id, IdMap};
use opcost_ir::{Block, Flow, Function, Instruction, LatchFacts, Module, Opcode, Value};
use opcost_key::{BlockId, FunctionId, FunctionKey, InstructionId};

use crate::detail::source_name;
use crate::facts::{FunctionFacts, flags_of, has_attribute, latch_of, linkage, name_of};
use crate::globals::{marks_of, section_of};
use crate::operands::{integer_predicate, opcode, real_predicate};
use crate::reader::Reader;
use crate::session::{FunctionHandles, Session};
use crate::{facts_ffi, ffi};

impl Session {
    /// The module as plain values, before any edit. Ids are those of the last
    /// snapshot.
    pub fn snapshot(&mut self) -> Module {
        self.read_out(false)
    }

    /// A snapshot that also holds contents of data, alias tags and names of the
    /// source. Cost: linear in these, too; about a fifth more for SQLite.
    pub fn snapshot_in_detail(&mut self) -> Module {
        self.read_out(true)
    }

    fn read_out(&mut self, is_in_detail: bool) -> Module {
        self.functions = IdMap::new();
        self.declarations = IdMap::new();
        let mut reader = Reader::new(self.module, is_in_detail);
        let mut module = Module::default();
        // SAFETY: the module is alive; texts are copied at once.
        unsafe {
            let mut length = 0;
            let name = LLVMGetSourceFileName(self.module, &mut length);
            module.source_name = ffi::borrowed(name, length);
            let triple = LLVMGetTarget(self.module);
            module.triple = std::ffi::CStr::from_ptr(triple).to_string_lossy().into_owned();
            let layout = LLVMGetDataLayoutStr(self.module);
            module.data_layout = std::ffi::CStr::from_ptr(layout).to_string_lossy().into();
            let assembly = ffi::opcost_module_assembly(self.module, &mut length);
            let assembly = ffi::borrowed(assembly, length);
            module.has_module_assembly = !assembly.is_empty();
            module.module_assembly_has_code = opcost_ir::module_assembly_has_code(&assembly);
            module.module_assembly_may_round = opcost_ir::assembly_may_round(&assembly);
        }
        reader.number_globals(self.module);
        let defined = self.number_functions(&mut reader, &mut module);
        for handle in defined {
            let (function, handles) = reader.function(handle);
            let id = module.functions.push(function);
            module.homes.extend(home_of(handle).map(|home| (id, home)));
            self.functions.push(handles);
        }
        reader.beside_functions(self.module, &mut module);
        module.types = reader.interned.types;
        module.constants = reader.interned.constants;
        module.files = reader.places.files;
        module.checksums = reader.places.checksums;
        module.producers = producers(self.module);
        module.places = reader.places.places;
        module.tags = reader.tags.tags;
        module.tag_types = reader.tags.types;
        module
    }

    /// Gives every function its id before bodies refer to it.
    fn number_functions(&mut self, reader: &mut Reader, module: &mut Module) -> Vec<LLVMValueRef> {
        let mut defined = Vec::new();
        // SAFETY: iteration over the functions of the live module.
        let mut handle = unsafe { LLVMGetFirstFunction(self.module) };
        while !handle.is_null() {
            // SAFETY: `handle` is a function of the module.
            let (is_declaration, is_intrinsic, next) = unsafe {
                (LLVMIsDeclaration(handle) != 0, LLVMGetIntrinsicID(handle) != 0, LLVMGetNextFunction(handle))
            };
            let value = if is_declaration {
                self.declarations.push(handle);
                Value::Declaration(module.declarations.push(reader.declaration(handle, is_intrinsic)))
            } else {
                defined.push(handle);
                Value::Function(FunctionId::new(defined.len() - 1))
            };
            reader.globals.insert(handle, value);
            handle = next;
        }
        defined
    }
}

/// What compilers call themselves that made the module, each once, in the module's order.
fn producers(module: LLVMModuleRef) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for position in 0.. {
        let mut length = 0;
        // SAFETY: the module is alive; null ends the list.
        let text = unsafe { ffi::opcost_producer(module, position, &mut length) };
        if text.is_null() {
            break;
        }
        // SAFETY: as LLVM gave it; the text is copied at once.
        let name = unsafe { ffi::borrowed(text, length) };
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Where a local function is from, if modules were linked.
fn home_of(function: LLVMValueRef) -> Option<FunctionKey> {
    let part = |part| {
        let mut length = 0;
        // SAFETY: a function of the live module; the text is copied at once.
        let text = unsafe { ffi::opcost_home(function, part, &mut length) };
        // SAFETY: as LLVM gave it.
        (!text.is_null()).then(|| unsafe { ffi::borrowed(text, length) }.into())
    };
    Some(FunctionKey { module: Some(part(0)?), name: part(1)? })
}

impl Reader {
    fn function(&mut self, handle: LLVMValueRef) -> (Function, FunctionHandles) {
        self.locals.clear();
        self.block_ids.clear();
        let mut function = self.bare_function(handle);
        for position in 0..function.parameters {
            // SAFETY: within the parameter count.
            let argument = unsafe { LLVMGetParam(handle, position) };
            self.enter_local(argument, Value::Argument(position), &mut function);
        }
        let handles = self.number_body(handle, &mut function);
        for block in handles.blocks.ids() {
            self.block(block, &handles, &mut function);
        }
        if self.is_in_detail {
            function.source_names = self.source_names(handle);
            function.source_name = source_name(handle);
        }
        (function, handles)
    }

    /// A function without its body.
    fn bare_function(&mut self, handle: LLVMValueRef) -> Function {
        // SAFETY: `handle` is a defined function of the live module, here and below.
        let (parameters, ty) = unsafe { (LLVMCountParams(handle), LLVMGlobalGetValueType(handle)) };
        let facts = FunctionFacts::of(handle);
        Function {
            name: name_of(handle),
            linkage: linkage(handle),
            ty: self.interned.ty(ty),
            place: self.places.of_function(handle),
            is_nounwind: facts.is_nounwind,
            is_naked: has_attribute(handle, "naked"),
            is_coroutine: has_attribute(handle, "presplitcoroutine"),
            is_cold: has_attribute(handle, "cold"),
            is_must_progress: facts.is_must_progress,
            is_willreturn: facts.is_willreturn,
            memory: facts.memory,
            // SAFETY: as above.
            is_address_taken: unsafe { ffi::opcost_is_address_taken(handle) },
            // SAFETY: as above.
            is_called_oddly: unsafe { ffi::opcost_is_called_oddly(handle) },
            section: section_of(handle),
            marks: marks_of(handle),
            parameters,
            parameter_facts: self.parameter_facts(handle),
            blocks: IdMap::new(),
            instructions: IdMap::new(),
            calls: Vec::new(),
            operands: Vec::new(),
            names: HashMap::new(),
            source_names: HashMap::new(),
            source_name: None,
        }
    }

    fn enter_local(&mut self, handle: LLVMValueRef, value: Value, function: &mut Function) {
        let mut length = 0;
        // SAFETY: the value is alive; its name is copied.
        let name = unsafe { LLVMGetValueName2(handle, &mut length) };
        if length > 0 {
            // SAFETY: as LLVM gave it.
            function.names.insert(value, unsafe { ffi::borrowed(name, length) }.into());
        }
        self.locals.insert(handle, value);
    }

    /// Numbers blocks and instructions, so that operands may point ahead.
    fn number_body(&mut self, handle: LLVMValueRef, function: &mut Function) -> FunctionHandles {
        let mut handles =
            FunctionHandles { function: handle, blocks: IdMap::new(), instructions: IdMap::new() };
        // SAFETY: iteration over blocks and instructions of a live function.
        let mut block = unsafe { LLVMGetFirstBasicBlock(handle) };
        while !block.is_null() {
            let id = handles.blocks.push(block);
            self.block_ids.insert(block, id);
            // SAFETY: as above.
            let (as_value, mut instruction) =
                unsafe { (LLVMBasicBlockAsValue(block), LLVMGetFirstInstruction(block)) };
            self.enter_local(as_value, Value::Block(id), function);
            let start = handles.instructions.len() as u32;
            while !instruction.is_null() {
                let number = handles.instructions.push(instruction);
                self.enter_local(instruction, Value::Instruction(number), function);
                // SAFETY: as above.
                instruction = unsafe { LLVMGetNextInstruction(instruction) };
            }
            let end = handles.instructions.len() as u32;
            function.blocks.push(Block {
                instructions: start..end,
                successors: Vec::new(),
                flow: Flow::None,
                weights: None,
                latch: LatchFacts::default(),
            });
            // SAFETY: as above.
            block = unsafe { LLVMGetNextBasicBlock(block) };
        }
        handles
    }

    fn block(&mut self, id: BlockId, handles: &FunctionHandles, function: &mut Function) {
        for number in function.instructions_of(id) {
            let instruction = self.instruction(number, handles.instructions[number], function);
            let pushed = function.instructions.push(instruction);
            debug_assert_eq!(pushed, number);
        }
        let terminator = handles.instructions[function.terminator_of(id)];
        // SAFETY: the terminator of a verified block, here and below.
        let successors = unsafe { LLVMGetNumSuccessors(terminator) };
        let block = &mut function.blocks[id];
        for slot in 0..successors {
            // SAFETY: below the number of successors.
            let successor = unsafe { LLVMGetSuccessor(terminator, slot) };
            block.successors.push(self.block_ids[&successor]);
        }
        // SAFETY: a terminator.
        block.flow = match unsafe { ffi::opcost_flow(terminator) } {
            0 => Flow::Splittable,
            1 => Flow::Invoke,
            2 => Flow::Unsplittable,
            _ => Flow::None,
        };
        block.latch = latch_of(terminator);
        if successors > 1 {
            let mut weights = vec![0; successors as usize];
            // SAFETY: room for as many weights as said.
            let found = unsafe { ffi::opcost_branch_weights(terminator, weights.as_mut_ptr(), successors) };
            block.weights = (found == successors).then_some(weights);
        }
    }

    fn instruction(
        &mut self,
        id: InstructionId,
        handle: LLVMValueRef,
        function: &mut Function,
    ) -> Instruction {
        // SAFETY: a live instruction, here and below.
        let (code, ty) =
            unsafe { (opcode(LLVMGetInstructionOpcode(handle)), self.interned.ty(LLVMTypeOf(handle))) };
        let start = function.operands.len() as u32;
        match code {
            Opcode::Phi => self.phi_operands(handle, function),
            _ => self.plain_operands(code, handle, function),
        }
        if code.is_call() {
            function.calls.push((id, self.call(handle)));
        }
        let predicate = match code {
            // SAFETY: a comparison of the kind asked about.
            Opcode::ICmp => Some(integer_predicate(unsafe { LLVMGetICmpPredicate(handle) })),
            // SAFETY: as above.
            Opcode::FCmp => Some(real_predicate(unsafe { LLVMGetFCmpPredicate(handle) })),
            _ => None,
        };
        let second_type = self.second_type(code, handle);
        let place = self.places.of_instruction(handle);
        let is_tagged = self.is_in_detail && matches!(code, Opcode::Load | Opcode::Store);
        Instruction {
            opcode: code,
            predicate,
            ty,
            second_type,
            operands: start..function.operands.len() as u32,
            flags: flags_of(handle),
            tag: if is_tagged { self.tags.of_instruction(handle) } else { None },
            place,
        }
    }

    fn second_type(&mut self, code: Opcode, handle: LLVMValueRef) -> Option<opcost_ir::TypeId> {
        // SAFETY: each call fits the opcode it is made under.
        let ty = unsafe {
            match code {
                Opcode::Alloca => LLVMGetAllocatedType(handle),
                Opcode::GetElementPtr => LLVMGetGEPSourceElementType(handle),
                Opcode::ICmp | Opcode::FCmp | Opcode::Store | Opcode::Switch => {
                    LLVMTypeOf(LLVMGetOperand(handle, 0))
                }
                Opcode::Ret if LLVMGetNumOperands(handle) == 1 => LLVMTypeOf(LLVMGetOperand(handle, 0)),
                _ => return None,
            }
        };
        Some(self.interned.ty(ty))
    }

    fn phi_operands(&mut self, handle: LLVMValueRef, function: &mut Function) {
        // SAFETY: a phi; indices run below the incoming count.
        unsafe {
            for position in 0..LLVMCountIncoming(handle) {
                let value = self.value(LLVMGetIncomingValue(handle, position));
                let block = self.block_ids[&LLVMGetIncomingBlock(handle, position)];
                function.operands.extend([value, Value::Block(block)]);
            }
        }
    }

    /// Operands in LLVM's order, except that a branch names its successors in
    /// the order of its edges, and a switch its cases' values before them.
    fn plain_operands(&mut self, code: Opcode, handle: LLVMValueRef, function: &mut Function) {
        // SAFETY: indices run below the counts that LLVM gives.
        unsafe {
            let count = match code {
                // Behind the condition come blocks only; values of cases are no operands.
                Opcode::Switch => 1,
                _ => LLVMGetNumOperands(handle) as u32,
            };
            for position in 0..count {
                let operand = LLVMGetOperand(handle, position);
                if code != Opcode::Br || LLVMGetValueKind(operand) != LLVMValueKind::LLVMBasicBlockValueKind {
                    let value = self.value(operand);
                    function.operands.push(value);
                }
            }
            if !matches!(code, Opcode::Br | Opcode::Switch) {
                return;
            }
            for slot in 0..LLVMGetNumSuccessors(handle) {
                if code == Opcode::Switch && slot > 0 {
                    let value = self.value(facts_ffi::opcost_case_value(handle, slot - 1));
                    function.operands.push(value);
                }
                function.operands.push(Value::Block(self.block_ids[&LLVMGetSuccessor(handle, slot)]));
            }
        }
    }
}

/// Kept here so that a new opcode in LLVM is noticed by the compiler: the match
/// in `operands::opcode` has no catch-all.
const _: fn(LLVMOpcode) -> Opcode = opcode;
