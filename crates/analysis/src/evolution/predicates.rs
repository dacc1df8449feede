//! How are predicates read, and which is the opposite?

use opcost_ir::Predicate;

/// Whether a comparison reads its sides with sign.
pub(super) fn is_signed(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Slt | Predicate::Sle | Predicate::Sgt | Predicate::Sge)
}

/// The predicate that holds where this one does not; itself for floating ones.
pub(super) fn inverse(predicate: Predicate) -> Predicate {
    use Predicate::*;
    match predicate {
        Eq => Ne,
        Ne => Eq,
        Ugt => Ule,
        Uge => Ult,
        Ult => Uge,
        Ule => Ugt,
        Sgt => Sle,
        Sge => Slt,
        Slt => Sge,
        Sle => Sgt,
        other => other,
    }
}
