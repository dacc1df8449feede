//! What does an instruction do? LLVM's opcodes, under the names the text uses.

use std::fmt;

macro_rules! opcodes {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// An LLVM opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Opcode {
            /// Every opcode.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name),*];

            /// The word in LLVM's text form.
            pub fn name(self) -> &'static str {
                match self { $(Opcode::$name => $text),* }
            }

            /// The opcode of this name.
            pub fn from_name(name: &str) -> Option<Opcode> {
                match name { $($text => Some(Opcode::$name),)* _ => None }
            }
        }
    };
}

opcodes! {
    Ret = "ret", Br = "br", Switch = "switch", IndirectBr = "indirectbr", Invoke = "invoke",
    Resume = "resume", Unreachable = "unreachable", CleanupRet = "cleanupret",
    CatchRet = "catchret", CatchSwitch = "catchswitch", CallBr = "callbr",
    FNeg = "fneg",
    Add = "add", FAdd = "fadd", Sub = "sub", FSub = "fsub", Mul = "mul", FMul = "fmul",
    UDiv = "udiv", SDiv = "sdiv", FDiv = "fdiv", URem = "urem", SRem = "srem", FRem = "frem",
    Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
    Alloca = "alloca", Load = "load", Store = "store", GetElementPtr = "getelementptr",
    Fence = "fence", AtomicCmpXchg = "cmpxchg", AtomicRMW = "atomicrmw",
    Trunc = "trunc", ZExt = "zext", SExt = "sext", FPToUI = "fptoui", FPToSI = "fptosi",
    UIToFP = "uitofp", SIToFP = "sitofp", FPTrunc = "fptrunc", FPExt = "fpext",
    PtrToInt = "ptrtoint", PtrToAddr = "ptrtoaddr", IntToPtr = "inttoptr", BitCast = "bitcast",
    AddrSpaceCast = "addrspacecast", CleanupPad = "cleanuppad", CatchPad = "catchpad",
    ICmp = "icmp", FCmp = "fcmp", Phi = "phi", Call = "call", Select = "select",
    UserOp = "userop", VAArg = "va_arg", ExtractElement = "extractelement",
    InsertElement = "insertelement", ShuffleVector = "shufflevector",
    ExtractValue = "extractvalue", InsertValue = "insertvalue", LandingPad = "landingpad",
    Freeze = "freeze",
}

impl Opcode {
    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self <= Opcode::CallBr
    }

    /// Whether it calls: `call`, `invoke`, `callbr`.
    pub fn is_call(self) -> bool {
        matches!(self, Opcode::Call | Opcode::Invoke | Opcode::CallBr)
    }

    /// Whether the snapshot has a second type for it. Then the text says that one, and the result's
    /// only if it is not the usual one.
    pub(crate) fn has_second_type(self) -> bool {
        matches!(
            self,
            Opcode::Alloca
                | Opcode::GetElementPtr
                | Opcode::ICmp
                | Opcode::FCmp
                | Opcode::Store
                | Opcode::Switch
                | Opcode::Ret
        )
    }

    /// Whether the text says the type of the result. Of others it is `void`, or the second
    /// type is said.
    pub(crate) fn has_type(self) -> bool {
        let is_void = matches!(
            self,
            Opcode::Br
                | Opcode::IndirectBr
                | Opcode::Resume
                | Opcode::Unreachable
                | Opcode::CleanupRet
                | Opcode::CatchRet
                | Opcode::Fence
        );
        !is_void && !self.has_second_type()
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! predicates {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// The predicate of an `icmp` or `fcmp`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Predicate {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Predicate {
            /// Every predicate; those of `icmp` come first.
            pub const ALL: &'static [Predicate] = &[$(Predicate::$name),*];

            /// The word in LLVM's text form.
            pub fn name(self) -> &'static str {
                match self { $(Predicate::$name => $text),* }
            }
        }
    };
}

predicates! {
    Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
    Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole",
    One = "one", Ord = "ord", Uno = "uno", Ueq = "ueq", FUgt = "ugt", FUge = "uge",
    FUlt = "ult", FUle = "ule", Une = "une", True = "true",
}

impl Predicate {
    /// Whether it compares floating point numbers.
    pub fn is_float(self) -> bool {
        self as u8 >= Predicate::False as u8
    }

    /// Whether it holds between two integers of `width` bits, 1 to 64; what is above these does not
    /// matter. None of an `fcmp`.
    pub fn holds(self, left: u64, right: u64, width: u32) -> Option<bool> {
        let (left, right) = (left << (64 - width), right << (64 - width));
        let (signed_left, signed_right) = (left as i64, right as i64);
        Some(match self {
            Predicate::Eq => left == right,
            Predicate::Ne => left != right,
            Predicate::Ugt => left > right,
            Predicate::Uge => left >= right,
            Predicate::Ult => left < right,
            Predicate::Ule => left <= right,
            Predicate::Sgt => signed_left > signed_right,
            Predicate::Sge => signed_left >= signed_right,
            Predicate::Slt => signed_left < signed_right,
            Predicate::Sle => signed_left <= signed_right,
            _ => return None,
        })
    }

    /// The predicate of this name, of an `fcmp` or an `icmp`.
    pub fn from_name(name: &str, is_float: bool) -> Option<Predicate> {
        let mut all = Self::ALL.iter().copied();
        all.find(|predicate| predicate.is_float() == is_float && predicate.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Opcode, Predicate};

    #[test]
    fn integers_are_compared_at_their_width_and_sign() {
        let holds =
            |predicate: Predicate, left: i64, right: i64| predicate.holds(left as u64, right as u64, 8);
        assert_eq!(holds(Predicate::Ult, 1, -1), Some(true));
        assert_eq!(holds(Predicate::Slt, 1, -1), Some(false));
        assert_eq!(holds(Predicate::Eq, 256, 0), Some(true));
        assert_eq!(holds(Predicate::Sge, 127, 128), Some(true));
        assert_eq!(holds(Predicate::Uge, 127, 128), Some(false));
        assert_eq!(holds(Predicate::Oeq, 1, 1), None);
    }

    #[test]
    fn names_lead_back_to_their_opcodes() {
        for &opcode in Opcode::ALL {
            assert_eq!(Opcode::from_name(opcode.name()), Some(opcode));
        }
    }

    #[test]
    fn terminators_are_the_first_eleven() {
        let terminators = Opcode::ALL.iter().filter(|opcode| opcode.is_terminator()).count();
        assert_eq!(terminators, 11);
        assert!(Opcode::Invoke.is_terminator() && Opcode::CallBr.is_terminator());
        assert!(!Opcode::FNeg.is_terminator());
    }
}
