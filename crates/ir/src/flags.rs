//! What does an instruction promise about itself? LLVM's flags, as one set.
//!
//! A flag narrows what the operands may be: where the promise is broken the
//! result is poison (`nsw`, `exact`, `inbounds`, …), so that an analysis may
//! take it as kept. `volatile` and `atomic` say the opposite: that an access
//! may not be looked through. Which flags an opcode can have, and the words
//! that LLVM writes for them, are [`Flags::words`]. Of the flags of floating point
//! arithmetic only is kept whether another number may be computed. Cost: two
//! bytes an instruction.
//! Source: LLVM's language reference.

use std::fmt;

use crate::Opcode;

/// A set of flags.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(u16);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// `nuw`: the result, taken as unsigned, does not wrap. Of a
    /// `getelementptr`: the offsets do not, added to the address as unsigned.
    pub const NUW: Flags = Flags(1);
    /// `nsw`: the result, taken as signed, does not wrap. Of a `getelementptr`
    /// (`nusw`): the offsets do not, added to the address as signed ones.
    pub const NSW: Flags = Flags(1 << 1);
    /// `exact`: no bit that is set is shifted or divided away.
    pub const EXACT: Flags = Flags(1 << 2);
    /// `inbounds`: the addresses are in the object that the first one is in, or at its end. Comes
    /// with [`Flags::NSW`].
    pub const INBOUNDS: Flags = Flags(1 << 3);
    /// `disjoint`: no bit is set in both operands, so `or` is `add`.
    pub const DISJOINT: Flags = Flags(1 << 4);
    /// `nneg`: the operand is not negative.
    pub const NNEG: Flags = Flags(1 << 5);
    /// `samesign`: both operands are negative or none is.
    pub const SAMESIGN: Flags = Flags(1 << 6);
    /// `volatile`: the access is seen from outside.
    pub const VOLATILE: Flags = Flags(1 << 7);
    /// The access is atomic: `load atomic`, `store atomic`, and always of
    /// `cmpxchg`, `atomicrmw` and `fence`.
    pub const ATOMIC: Flags = Flags(1 << 8);

    /// Another number may be computed than IEEE 754 says. The reason is `reassoc`, `contract`,
    /// `arcp` or `afn`, `!fpmath`, subnormal numbers that are taken for zero, or registers wider
    /// than the type. Written as `fast`, which is most of that. `nnan`, `ninf` and `nsz` say
    /// nothing of the kind.
    pub const RELAXED: Flags = Flags(1 << 9);

    /// Whether all of `flag` is in the set.
    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 == flag.0
    }

    /// This set and `flag`.
    #[must_use]
    pub fn with(self, flag: Flags) -> Flags {
        Flags(self.0 | flag.0)
    }

    /// The set of these bits, in the order of the constants above; others are
    /// dropped.
    pub fn from_bits(bits: u16) -> Flags {
        Flags(bits & ((1 << 10) - 1))
    }

    /// The flags that an instruction of this opcode may or may not have, in LLVM's order, with the
    /// word for each.
    pub fn words(opcode: Opcode) -> &'static [(Flags, &'static str)] {
        use Opcode::*;
        match opcode {
            Add | Sub | Mul | Shl | Trunc => &[(Flags::NUW, "nuw"), (Flags::NSW, "nsw")],
            UDiv | SDiv | LShr | AShr => &[(Flags::EXACT, "exact")],
            Or => &[(Flags::DISJOINT, "disjoint")],
            ZExt | UIToFP => &[(Flags::NNEG, "nneg")],
            ICmp => &[(Flags::SAMESIGN, "samesign")],
            GetElementPtr => &[(Flags::INBOUNDS, "inbounds"), (Flags::NSW, "nusw"), (Flags::NUW, "nuw")],
            Load | Store => &[(Flags::ATOMIC, "atomic"), (Flags::VOLATILE, "volatile")],
            FAdd | FSub | FMul | FDiv | FRem | Call => &[(Flags::RELAXED, "fast")],
            AtomicCmpXchg | AtomicRMW => &[(Flags::VOLATILE, "volatile")],
            _ => &[],
        }
    }

    /// The flags that every instruction of this opcode has.
    pub fn implied(opcode: Opcode) -> Flags {
        match opcode {
            Opcode::AtomicCmpXchg | Opcode::AtomicRMW | Opcode::Fence => Flags::ATOMIC,
            _ => Flags::NONE,
        }
    }

    /// Whether an instruction of this opcode can have this very set.
    pub fn fit(self, opcode: Opcode) -> bool {
        let implied = Flags::implied(opcode);
        let possible = Flags::words(opcode).iter().fold(implied, |all, &(flag, _)| all.with(flag));
        possible.has(self) && self.has(implied) && (!self.has(Flags::INBOUNDS) || self.has(Flags::NSW))
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 10] = [
            "nuw", "nsw", "exact", "inbounds", "disjoint", "nneg", "samesign", "volatile", "atomic",
            "relaxed",
        ];
        let present = NAMES.iter().enumerate().filter(|&(bit, _)| self.0 >> bit & 1 != 0);
        f.debug_set().entries(present.map(|(_, name)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Flags;
    use crate::Opcode;

    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else() {
        let both = Flags::NUW.with(Flags::NSW);
        assert!(both.has(Flags::NUW) && both.has(Flags::NSW) && both.has(Flags::NONE));
        assert!(!both.has(Flags::EXACT) && !Flags::NUW.has(both));
        assert_eq!(Flags::from_bits(u16::MAX).with(Flags::NONE), Flags::from_bits(0x3ff));
    }

    #[test]
    fn opcodes_have_their_own_flags_only() {
        assert!(Flags::NUW.fit(Opcode::Add) && !Flags::NUW.fit(Opcode::And));
        assert!(!Flags::INBOUNDS.fit(Opcode::GetElementPtr));
        assert!(Flags::INBOUNDS.with(Flags::NSW).fit(Opcode::GetElementPtr));
        assert!(Flags::ATOMIC.fit(Opcode::AtomicRMW) && !Flags::NONE.fit(Opcode::Fence));
        assert!(Opcode::ALL.iter().all(|&opcode| Flags::implied(opcode).fit(opcode)));
    }
}
