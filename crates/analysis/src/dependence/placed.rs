//! Where does a pointer point? The answer: an object and a way into it.

use opcost_ir::Value;
use opcost_key::FunctionId;

use super::contexts::ContextId;
use super::memory::Object;

/// Where a pointer points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    /// To this byte of this object. Whether the object is that of the very
    /// activation in which the pointer is.
    At { object: Object, offset: i64, is_own: bool },
    /// To an element of the object.
    Elements { object: Object, way: IndexedWay },
    /// So many bytes after what this parameter of the outermost known function points to.
    Parameter { function: FunctionId, position: u32, offset: i64 },
    /// To memory that is not the module's.
    Foreign,
    /// To nothing.
    Null,
    /// There are several ways, or one that is not followed.
    Several,
}

/// Bytes, and indices that are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexedWay {
    pub(super) bytes: i64,
    pub(super) indices: Vec<Index>,
}

/// An index, where it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Index {
    pub(super) function: FunctionId,
    pub(super) context: ContextId,
    pub(super) value: Value,
    pub(super) stride: u64,
}
