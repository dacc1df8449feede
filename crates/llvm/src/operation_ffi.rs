//! How is an operation of machine code laid out between the shim and us?
//! Mirrors `shim/life/operation.h`.

/// Mirrors `opcost_operand` in `operation.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawOperand {
    pub(crate) value: u64,
    pub(crate) kind: u8,
}

/// Mirrors `opcost_operation` in `operation.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawOperation {
    pub(crate) operands: *const RawOperand,
    pub(crate) operand_count: u32,
    pub(crate) opcode: u32,
    pub(crate) flags: u32,
    pub(crate) line: u32,
}
