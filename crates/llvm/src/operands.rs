//! Types, constants and opcodes: LLVM's handles to the snapshot's values.
//!
//! Interned by pointer: LLVM uniques types and constants, so each is looked at
//! once. Integers are written by us; other constants by LLVM's printer, which
//! is slow, once each.

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMModuleRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, LLVMValueKind};
use opcost_index::IdMap;
use opcost_ir::{Constant, ConstantId, ConstantValue, GlobalId, Opcode, Predicate, Type, TypeId};
use rustc_hash::FxHashMap;

use crate::{facts_ffi, ffi};

/// Types and constants of a module, while they are collected.
pub(crate) struct Interned {
    /// The module's own.
    layout: LLVMTargetDataRef,
    /// Data and second names, numbered before the first constant is looked at.
    pub(crate) data: FxHashMap<LLVMValueRef, GlobalId>,
    pub(crate) types: IdMap<TypeId, Type>,
    pub(crate) constants: IdMap<ConstantId, Constant>,
    type_ids: FxHashMap<LLVMTypeRef, TypeId>,
    constant_ids: FxHashMap<LLVMValueRef, ConstantId>,
}

impl Interned {
    /// Nothing of this module yet.
    pub(crate) fn new(module: LLVMModuleRef) -> Self {
        Self {
            // SAFETY: the module is alive, and the layout with it.
            layout: unsafe { LLVMGetModuleDataLayout(module) },
            data: FxHashMap::default(),
            types: IdMap::new(),
            constants: IdMap::new(),
            type_ids: FxHashMap::default(),
            constant_ids: FxHashMap::default(),
        }
    }

    /// The type of a handle.
    pub(crate) fn ty(&mut self, handle: LLVMTypeRef) -> TypeId {
        if let Some(&known) = self.type_ids.get(&handle) {
            return known;
        }
        // SAFETY: all handles below are types of the live module.
        let ty = unsafe { self.read_type(handle) };
        let id = self.types.push(ty);
        self.type_ids.insert(handle, id);
        id
    }

    /// # Safety
    /// `handle` is a type of a live context.
    unsafe fn read_type(&mut self, handle: LLVMTypeRef) -> Type {
        // SAFETY: by this function's contract; each call fits the kind it is made under.
        unsafe {
            match LLVMGetTypeKind(handle) {
                LLVMTypeKind::LLVMVoidTypeKind => Type::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => Type::Integer(LLVMGetIntTypeWidth(handle)),
                LLVMTypeKind::LLVMHalfTypeKind => Type::Float("half"),
                LLVMTypeKind::LLVMBFloatTypeKind => Type::Float("bfloat"),
                LLVMTypeKind::LLVMFloatTypeKind => Type::Float("float"),
                LLVMTypeKind::LLVMDoubleTypeKind => Type::Float("double"),
                LLVMTypeKind::LLVMX86_FP80TypeKind => Type::Float("x86_fp80"),
                LLVMTypeKind::LLVMFP128TypeKind => Type::Float("fp128"),
                LLVMTypeKind::LLVMPPC_FP128TypeKind => Type::Float("ppc_fp128"),
                LLVMTypeKind::LLVMPointerTypeKind => Type::Pointer(LLVMGetPointerAddressSpace(handle)),
                LLVMTypeKind::LLVMArrayTypeKind => {
                    Type::Array(LLVMGetArrayLength2(handle), self.ty(LLVMGetElementType(handle)))
                }
                kind @ (LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind) => {
                    Type::Vector {
                        length: LLVMGetVectorSize(handle),
                        scalable: matches!(kind, LLVMTypeKind::LLVMScalableVectorTypeKind),
                        element: self.ty(LLVMGetElementType(handle)),
                    }
                }
                LLVMTypeKind::LLVMStructTypeKind => self.read_struct(handle),
                LLVMTypeKind::LLVMFunctionTypeKind => {
                    let mut parameters = vec![std::ptr::null_mut(); LLVMCountParamTypes(handle) as usize];
                    LLVMGetParamTypes(handle, parameters.as_mut_ptr());
                    let result = self.ty(LLVMGetReturnType(handle));
                    let parameters = parameters.into_iter().map(|parameter| self.ty(parameter)).collect();
                    Type::Function(result, parameters, LLVMIsFunctionVarArg(handle) != 0)
                }
                _ => Type::Other(ffi::take_llvm_message(LLVMPrintTypeToString(handle)).into()),
            }
        }
    }

    /// # Safety
    /// `handle` is a struct type of a live context.
    unsafe fn read_struct(&mut self, handle: LLVMTypeRef) -> Type {
        // SAFETY: by this function's contract.
        unsafe {
            if LLVMIsOpaqueStruct(handle) != 0 {
                let printed = ffi::take_llvm_message(LLVMPrintTypeToString(handle));
                // Its name, and then that it is opaque: it has no size.
                return Type::Other(printed.split(" = ").next().unwrap_or(&printed).into());
            }
            let name = LLVMGetStructName(handle);
            let name = (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into());
            let mut fields = vec![std::ptr::null_mut(); LLVMCountStructElementTypes(handle) as usize];
            if !fields.is_empty() {
                LLVMGetStructElementTypes(handle, fields.as_mut_ptr());
            }
            let fields = fields.into_iter().map(|field| self.ty(field)).collect();
            Type::Struct { name, fields, packed: LLVMIsPackedStruct(handle) != 0 }
        }
    }

    /// The constant (or global, assembly, metadata) of a handle.
    pub(crate) fn constant(&mut self, handle: LLVMValueRef) -> ConstantId {
        if let Some(&known) = self.constant_ids.get(&handle) {
            return known;
        }
        // SAFETY: the handle is an operand of a live instruction.
        let (ty, text) = unsafe { (LLVMTypeOf(handle), constant_text(handle)) };
        let ty = self.ty(ty);
        let mut facts = facts_ffi::RawConstant::default();
        // SAFETY: as above; the layout is that of the handle's module.
        unsafe { facts_ffi::opcost_constant(self.layout, handle, &mut facts) };
        let value = self.value(&facts);
        let id = self.constants.push(Constant { ty, text, value });
        self.constant_ids.insert(handle, id);
        id
    }

    /// What LLVM says that a constant is. A function is none.
    pub(crate) fn value(&self, facts: &facts_ffi::RawConstant) -> ConstantValue {
        match facts.kind {
            1 => ConstantValue::Integer(u128::from(facts.high) << 64 | u128::from(facts.low)),
            2 => ConstantValue::Float(facts.low),
            3 => ConstantValue::Null,
            4 => ConstantValue::Undef,
            5 => ConstantValue::Poison,
            6 => ConstantValue::Zero,
            7 => match self.data.get(&facts.base) {
                Some(&global) => ConstantValue::Global { global, offset: facts.offset },
                None => ConstantValue::Other,
            },
            _ => ConstantValue::Other,
        }
    }
}

/// # Safety
/// `handle` is a value of a live module that is no instruction.
unsafe fn constant_text(handle: LLVMValueRef) -> Box<str> {
    // SAFETY: by this function's contract; each call fits the kind it is made under.
    unsafe {
        match LLVMGetValueKind(handle) {
            LLVMValueKind::LLVMConstantIntValueKind if LLVMGetIntTypeWidth(LLVMTypeOf(handle)) == 1 => {
                if LLVMConstIntGetZExtValue(handle) == 1 {
                    "true".into()
                } else {
                    "false".into()
                }
            }
            LLVMValueKind::LLVMConstantIntValueKind if LLVMGetIntTypeWidth(LLVMTypeOf(handle)) <= 64 => {
                LLVMConstIntGetSExtValue(handle).to_string().into()
            }
            LLVMValueKind::LLVMConstantPointerNullValueKind => "null".into(),
            LLVMValueKind::LLVMPoisonValueKind => "poison".into(),
            LLVMValueKind::LLVMUndefValueValueKind => "undef".into(),
            LLVMValueKind::LLVMGlobalVariableValueKind
            | LLVMValueKind::LLVMGlobalAliasValueKind
            | LLVMValueKind::LLVMGlobalIFuncValueKind => {
                let mut length = 0;
                let name = LLVMGetValueName2(handle, &mut length);
                format!("@{}", ffi::borrowed(name, length)).into()
            }
            LLVMValueKind::LLVMInlineAsmValueKind => "asm".into(),
            LLVMValueKind::LLVMMetadataAsValueValueKind => "metadata".into(),
            _ => {
                let printed = ffi::take_llvm_message(LLVMPrintValueToString(handle));
                // The printer puts the type first; the type is kept apart.
                let ty = ffi::take_llvm_message(LLVMPrintTypeToString(LLVMTypeOf(handle)));
                printed.strip_prefix(&ty).unwrap_or(&printed).trim_start().into()
            }
        }
    }
}

/// LLVM's opcode under its own name. The names agree word for word.
pub(crate) fn opcode(code: LLVMOpcode) -> Opcode {
    macro_rules! same { ($($llvm:ident => $ours:ident),* $(,)?) => {
        match code { $(LLVMOpcode::$llvm => Opcode::$ours),* }
    } }
    same! {
        LLVMRet => Ret, LLVMBr => Br, LLVMSwitch => Switch, LLVMIndirectBr => IndirectBr, LLVMInvoke => Invoke,
        LLVMUnreachable => Unreachable, LLVMCallBr => CallBr, LLVMFNeg => FNeg, LLVMAdd => Add, LLVMFAdd => FAdd,
        LLVMSub => Sub, LLVMFSub => FSub, LLVMMul => Mul, LLVMFMul => FMul, LLVMUDiv => UDiv, LLVMSDiv => SDiv,
        LLVMFDiv => FDiv, LLVMURem => URem, LLVMSRem => SRem, LLVMFRem => FRem, LLVMShl => Shl, LLVMLShr => LShr,
        LLVMAShr => AShr, LLVMAnd => And, LLVMOr => Or, LLVMXor => Xor, LLVMAlloca => Alloca, LLVMLoad => Load,
        LLVMStore => Store, LLVMGetElementPtr => GetElementPtr, LLVMTrunc => Trunc, LLVMZExt => ZExt,
        LLVMSExt => SExt, LLVMFPToUI => FPToUI, LLVMFPToSI => FPToSI, LLVMUIToFP => UIToFP, LLVMSIToFP => SIToFP,
        LLVMFPTrunc => FPTrunc, LLVMFPExt => FPExt, LLVMPtrToInt => PtrToInt, LLVMPtrToAddr => PtrToAddr,
        LLVMIntToPtr => IntToPtr, LLVMBitCast => BitCast, LLVMAddrSpaceCast => AddrSpaceCast, LLVMICmp => ICmp,
        LLVMFCmp => FCmp, LLVMPHI => Phi, LLVMCall => Call, LLVMSelect => Select, LLVMUserOp1 => UserOp,
        LLVMUserOp2 => UserOp, LLVMVAArg => VAArg, LLVMExtractElement => ExtractElement,
        LLVMInsertElement => InsertElement, LLVMShuffleVector => ShuffleVector, LLVMExtractValue => ExtractValue,
        LLVMInsertValue => InsertValue, LLVMFreeze => Freeze, LLVMFence => Fence,
        LLVMAtomicCmpXchg => AtomicCmpXchg, LLVMAtomicRMW => AtomicRMW, LLVMResume => Resume,
        LLVMLandingPad => LandingPad, LLVMCleanupRet => CleanupRet, LLVMCatchRet => CatchRet,
        LLVMCatchPad => CatchPad, LLVMCleanupPad => CleanupPad, LLVMCatchSwitch => CatchSwitch,
    }
}

/// The predicate of an `icmp`.
pub(crate) fn integer_predicate(predicate: LLVMIntPredicate) -> Predicate {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => Predicate::Eq,
        LLVMIntNE => Predicate::Ne,
        LLVMIntUGT => Predicate::Ugt,
        LLVMIntUGE => Predicate::Uge,
        LLVMIntULT => Predicate::Ult,
        LLVMIntULE => Predicate::Ule,
        LLVMIntSGT => Predicate::Sgt,
        LLVMIntSGE => Predicate::Sge,
        LLVMIntSLT => Predicate::Slt,
        LLVMIntSLE => Predicate::Sle,
    }
}

/// The predicate of an `fcmp`.
pub(crate) fn real_predicate(predicate: LLVMRealPredicate) -> Predicate {
    use LLVMRealPredicate::*;
    match predicate {
        LLVMRealPredicateFalse => Predicate::False,
        LLVMRealOEQ => Predicate::Oeq,
        LLVMRealOGT => Predicate::Ogt,
        LLVMRealOGE => Predicate::Oge,
        LLVMRealOLT => Predicate::Olt,
        LLVMRealOLE => Predicate::Ole,
        LLVMRealONE => Predicate::One,
        LLVMRealORD => Predicate::Ord,
        LLVMRealUNO => Predicate::Uno,
        LLVMRealUEQ => Predicate::Ueq,
        LLVMRealUGT => Predicate::FUgt,
        LLVMRealUGE => Predicate::FUge,
        LLVMRealULT => Predicate::FUlt,
        LLVMRealULE => Predicate::FUle,
        LLVMRealUNE => Predicate::Une,
        LLVMRealPredicateTrue => Predicate::True,
    }
}
