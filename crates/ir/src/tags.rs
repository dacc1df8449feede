//! May two accesses touch the same bytes, by the types that they are made
//! under? Type-based alias tags (`!tbaa`), and LLVM's rule for them.
//!
//! A tag says: a scalar of the access type, at an offset in an object of the
//! base type. What decides is the way from the base type through the fields at
//! the offset to the access type, and on through its more general types up to
//! the root (`int`, `omnipotent char`, the language); that way is kept as
//! [`Tag::steps`]. Two accesses may overlap if
//! - their access types have no common root (two languages: nothing is known), or
//! - one is to the common type itself (`char`), as no field of anything, or
//! - the base type of one lies on the way of the other, at the same offset, or
//!   as what is accessed there.
//!
//! Everything else cannot overlap in a program that keeps its language's
//! rules. The method is `matchAccessTags` of LLVM's `TypeBasedAliasAnalysis`,
//! which is the referee in the tests of the `llvm` room. An access without a
//! tag may overlap with any. Tags of the format with sizes, which no compiler
//! writes unasked, are not kept. Cost: linear in the ways, which are as long
//! as structs lie in structs.

use crate::ids::TagTypeId;

/// An access of a type, in an object of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    /// From the base type to the root: each type, and the offset of the access
    /// in an object of it, in bytes.
    pub steps: Vec<(TagTypeId, u64)>,
    /// Which step is the access type.
    pub access: u32,
    /// What is accessed never changes.
    pub is_constant: bool,
}

impl Tag {
    /// The access type and its more general types up to the root.
    pub(crate) fn general(&self) -> impl DoubleEndedIterator<Item = TagTypeId> {
        self.steps.iter().skip(self.access as usize).map(|&(ty, _)| ty)
    }

    /// The most special type that both access types belong to.
    fn common(&self, other: &Tag) -> Option<TagTypeId> {
        let from_root = self.general().rev().zip(other.general().rev());
        from_root.take_while(|(left, right)| left == right).last().map(|(ty, _)| ty)
    }

    /// Whether `part` may be an access to a part of what this one is to;
    /// `None` if this way round says nothing.
    fn may_hold(&self, part: &Tag, common: TagTypeId) -> Option<bool> {
        let access = self.steps.get(self.access as usize)?.0;
        if self.access == 0 && access == common {
            return Some(true);
        }
        let &(base, offset) = part.steps.first()?;
        let &(_, here) = self.steps.iter().find(|&&(ty, _)| ty == base)?;
        Some(here == offset || base == access || part.access == 0)
    }

    /// Whether accesses with these tags may overlap.
    pub(crate) fn may_overlap(&self, other: &Tag) -> bool {
        let Some(common) = self.common(other) else { return true };
        if self == other {
            return true;
        }
        self.may_hold(other, common).or_else(|| other.may_hold(self, common)).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;

    use crate::{TagId, parse_module};

    /// Table of LLVM's own documentation: `struct S { float f; int i; }` and so on.
    const TAGS: &str = r#"
tag "int", "char", "C"
tag "float", "char", "C"
tag "char", "C"
tag "S" 4, "int" access, "char", "C"
tag "S", "float" access, "char", "C"
tag "T" 4, "int" access, "char", "C"
tag "Outer" 12, "S" 4, "int" access, "char", "C"
tag "integer", "other language"
"#;

    #[test]
    fn accesses_overlap_as_the_language_says() {
        let module = parse_module(TAGS).expect("tags are well-formed");
        let overlap = |left, right| {
            let (left, right) = (TagId::new(left), TagId::new(right));
            let found = module.may_overlap_by_type(left, right);
            assert_eq!(found, module.may_overlap_by_type(right, left));
            found
        };
        let (int, float, char, s_int, s_float, t_int, outer, other) = (0, 1, 2, 3, 4, 5, 6, 7);
        for tag in 0..8 {
            assert!(overlap(tag, tag));
            assert!(overlap(tag, char) && overlap(tag, other));
        }
        assert!(!overlap(int, float) && overlap(int, s_int) && !overlap(int, s_float));
        assert!(!overlap(s_int, s_float) && !overlap(s_int, t_int));
        assert!(overlap(s_int, outer) && !overlap(s_float, outer) && !overlap(t_int, outer));
        assert_eq!(module.tag_path(TagId::new(6)), ["int", "char", "C"]);
    }
}
