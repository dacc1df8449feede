//! How much room does a type take, by LLVM's own word?

/// Sizes of a type, as LLVM has them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LlvmSizes {
    /// Bytes that a store writes.
    pub size: u64,
    /// Bytes from one element of an array to the next.
    pub stride: u64,
    /// Bits of the value.
    pub bits: u64,
    /// Bytes that its address is a multiple of.
    pub alignment: u64,
}
