//! How are the parts of a module numbered that no key names?
//!
//! Dense, each in the module's order. Functions, blocks and instructions have
//! the numbers of `key`; types have theirs beside them.

use opcost_index::define_id;

define_id!(
    /// A function that the module declares and does not define.
    pub struct DeclarationId, "declaration"
);
define_id!(
    /// A constant operand of the module.
    pub struct ConstantId, "constant"
);
define_id!(
    /// Data or a second name of the module.
    pub struct GlobalId, "global"
);
define_id!(
    /// A type-based alias tag of the module.
    pub struct TagId, "tag"
);
define_id!(
    /// A type that tags describe: of the source language, not of LLVM.
    pub struct TagTypeId, "tag_type"
);
