//! Which memory and which functions do random loops use?
//!
//! One frame for all cases: data of both widths that is bound or counter, a
//! struct, a table, own functions that write and others that do not, and
//! declared functions of which [`Case::externals`](super::Case::externals) says
//! what they do.

use super::feature::Feature;
use super::text::{IntegerOperand, Scope, Text};

/// Data that every case has, by the number of the global. `{export}` is empty
/// or `internal`.
pub(super) const DATA: &[&str] = &[
    "@bound8 type i8 = { 0: i8 9 }",
    "@bound16 type i16 = { 0: i16 300 }",
    "@cell8 type i8 = { 0: i8 1 }",
    "@cell16 type i16 = { 0: i16 1 }",
    "@pair type { i8, i16, i8 } = { 2: i16 5, 4: i8 3 }",
    "@table type [16 x i8] = { 0: i8 7, 3: i8 1, 5: i8 200, 9: i8 13, 12: i8 2, 15: i8 90 }",
];

/// Position and width of data that functions outside may write, if it is seen
/// there.
pub(super) const WRITABLE: &[(usize, u32)] = &[(0, 8), (1, 16), (2, 8), (3, 16)];

/// What is declared, and functions that are called.
pub(super) const FUNCTIONS: &str = "
declare i8 @pure8(i8) nounwind willreturn memory(none)
declare i16 @pure16(i16) nounwind willreturn memory(none)
declare void @unknown(i8)
declare void @leave(i8)
declare void @keep(ptr)
declare void @touch()
declare i8 @llvm.umin.i8(i8, i8) nounwind willreturn memory(none)
declare i8 @llvm.umax.i8(i8, i8) nounwind willreturn memory(none)
declare i8 @llvm.smin.i8(i8, i8) nounwind willreturn memory(none)
declare i8 @llvm.smax.i8(i8, i8) nounwind willreturn memory(none)
declare i16 @llvm.umin.i16(i16, i16) nounwind willreturn memory(none)
declare i16 @llvm.umax.i16(i16, i16) nounwind willreturn memory(none)
declare i16 @llvm.smin.i16(i16, i16) nounwind willreturn memory(none)
declare i16 @llvm.smax.i16(i16, i16) nounwind willreturn memory(none)
define internal i8 @own_pure(i8 %x) nounwind {
  %y = mul i8 %x, 3
  %z = and i8 %y, 31
  ret i8 %z
}
define internal void @clobber(i8 %x) nounwind {
  store i8 %x, ptr @bound8
  %y = zext i16 i8 %x
  store i16 %y, ptr @cell16
  ret void
}
define internal void @write8(ptr %p, i8 %x) nounwind {
  store i8 %x, ptr %p
  ret void
}
define internal void @write16(ptr %p, i16 %x) nounwind {
  store i16 %x, ptr %p
  ret void
}
define internal void @look(ptr %p, i8 %x) nounwind {
  %y = load i8, ptr %p
  %z = add i8 %x, %y
  ret void
}
";

/// Memory for a counter or a bound.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) pointer: String,
    pub(super) width: u32,
}

/// What a counter is in when it is in memory: the pointer is computed here.
pub(super) fn counter_slot(text: &mut Text, width: u32) -> Slot {
    let pointer = match text.random.below(4) {
        0 => {
            text.has(Feature::CounterInGlobal);
            format!("@cell{width}")
        }
        1 => {
            text.has(Feature::CounterInField);
            let field = if width == 16 { 1 } else { *text.random.of(&[0, 2]) };
            let line = format!("getelementptr inbounds {{ i8, i16, i8 }}, ptr @pair, i32 0, i32 {field}");
            text.result("f", 64, line).name
        }
        _ => {
            text.has(Feature::CounterInAlloca);
            format!("%slot{width}")
        }
    };
    Slot { pointer, width }
}

/// What a bound is in.
pub(super) fn bound_slot(text: &mut Text, width: u32) -> Slot {
    let name = *text.random.of(&["@bound", "@bound", "%limit"]);
    Slot { pointer: format!("{name}{width}"), width }
}

pub(super) fn load(text: &mut Text, slot: &Slot) -> IntegerOperand {
    text.result("m", slot.width, format!("load i{}, ptr {}", slot.width, slot.pointer))
}

pub(super) fn store(text: &mut Text, slot: &Slot, value: &IntegerOperand) {
    text.line(format!("store i{} {}, ptr {}", slot.width, value.name, slot.pointer));
}

/// The entry: local memory, its first contents, and who else knows of it.
pub(super) fn write_entry(text: &mut Text, scope: &Scope) {
    for width in [8, 16] {
        for name in ["slot", "limit"] {
            text.line(format!("%{name}{width} = alloca i{width}"));
            let value = if text.random.one_in(2) { text.number(width) } else { text.pick(scope) };
            let value = text.fit(&value, width);
            store(text, &Slot { pointer: format!("%{name}{width}"), width }, &value);
        }
    }
}
