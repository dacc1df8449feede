//! What else does a module say, for those who ask for it? Contents of data,
//! alias tags, names of the source.
//!
//! Filled by [`Session::snapshot_in_detail`](crate::Session::snapshot_in_detail)
//! only, because it is linear in what initialisers hold and in debug records,
//! not in instructions. Of the names
//! of a value the first is kept, the function's own before those of functions
//! that were inlined into it. Where a module says nothing, nothing is filled.

use std::collections::HashMap;
use std::ffi::{c_char, c_void};

use llvm_sys::prelude::LLVMValueRef;
use opcost_ir::{ConstantValue, Contents, Global, ScalarValue, TypeId, Value};
use rustc_hash::FxHashMap;

use crate::operands::Interned;
use crate::reader::Reader;
use crate::{facts_ffi, ffi};

impl Reader {
    /// What data holds at the start.
    pub(crate) fn contents(&mut self, global: LLVMValueRef) -> Option<Contents> {
        let mut listing = Listing {
            interned: &mut self.interned,
            functions: &self.globals,
            scalars: Vec::new(),
            is_odd: false,
        };
        let context = (&raw mut listing).cast::<c_void>();
        // SAFETY: a global of the live module; the listing outlives the call.
        let found =
            unsafe { facts_ffi::opcost_contents(global, Contents::MOST as u64, context, list_scalar) };
        let is_complete = found == 1 && !listing.is_odd;
        (found != 0).then_some(Contents { scalars: listing.scalars, is_complete })
    }

    /// Names of a global in the source.
    pub(crate) fn name_data(&mut self, handle: LLVMValueRef, global: &mut Global) {
        let context = std::ptr::from_mut(global).cast::<c_void>();
        // SAFETY: a global of the live module; `global` outlives the call.
        unsafe { facts_ffi::opcost_data_names(handle, context, name_data) };
        global.members.sort_by_key(|&(offset, _)| offset);
    }

    /// Names of a function's values in the source.
    pub(crate) fn source_names(&self, function: LLVMValueRef) -> HashMap<Value, Box<str>> {
        let mut naming = Naming { locals: &self.locals, own: HashMap::new(), inlined: HashMap::new() };
        let context = (&raw mut naming).cast::<c_void>();
        // SAFETY: a function of the live module; the naming outlives the call.
        unsafe { facts_ffi::opcost_source_names(function, context, name_value) };
        let mut names = naming.inlined;
        names.extend(naming.own);
        names
    }
}

/// A function's name in the source.
pub(crate) fn source_name(function: LLVMValueRef) -> Option<Box<str>> {
    let mut length = 0;
    // SAFETY: a function of the live module; the name is copied at once.
    let name = unsafe { ffi::borrowed(facts_ffi::opcost_source_name(function, &mut length), length) };
    (!name.is_empty()).then(|| name.into())
}

/// Scalars of data, while they are listed.
struct Listing<'a> {
    interned: &'a mut Interned,
    functions: &'a FxHashMap<LLVMValueRef, Value>,
    scalars: Vec<(u64, TypeId, ScalarValue)>,
    /// Whether one could not be listed.
    is_odd: bool,
}

extern "C" fn list_scalar(context: *mut c_void, scalar: *const facts_ffi::RawScalar) {
    // SAFETY: the listing that `contents` handed over, and a scalar for this call.
    let (listing, scalar) = unsafe { (&mut *context.cast::<Listing<'_>>(), &*scalar) };
    let value = match listing.functions.get(&scalar.constant.base) {
        Some(&function) if scalar.constant.is_function() => ScalarValue::Function(function),
        _ => ScalarValue::Constant(listing.interned.value(&scalar.constant)),
    };
    listing.is_odd |= value == ScalarValue::Constant(ConstantValue::Other);
    listing.scalars.push((scalar.offset, listing.interned.ty(scalar.ty), value));
}

/// Names of values, while they are collected.
struct Naming<'a> {
    locals: &'a FxHashMap<LLVMValueRef, Value>,
    own: HashMap<Value, Box<str>>,
    inlined: HashMap<Value, Box<str>>,
}

extern "C" fn name_value(
    context: *mut c_void,
    handle: LLVMValueRef,
    name: *const c_char,
    length: usize,
    is_inlined: bool,
) {
    // SAFETY: the naming that `source_names` handed over.
    let naming = unsafe { &mut *context.cast::<Naming<'_>>() };
    let Some(&value) = naming.locals.get(&handle) else { return };
    let names = if is_inlined { &mut naming.inlined } else { &mut naming.own };
    // SAFETY: LLVM's text, copied at once.
    names.entry(value).or_insert_with(|| unsafe { ffi::borrowed(name, length) }.into());
}

extern "C" fn name_data(
    context: *mut c_void,
    is_member: bool,
    offset: u64,
    name: *const c_char,
    length: usize,
) {
    // SAFETY: the global that `name_data` handed over; LLVM's text, copied at once.
    let (global, name) = unsafe { (&mut *context.cast::<Global>(), ffi::borrowed(name, length)) };
    let name: Box<str> = name.into();
    if !is_member {
        global.source_name.get_or_insert(name);
        return;
    }
    let member = (offset, name);
    if !global.members.contains(&member) {
        global.members.push(member);
    }
}
