//! What pointers point to: examples, adversaries, and a naive fixpoint as
//! referee on small random modules.

mod referee;

use opcost_ir::{Layout, Module, Value, parse_module};
use opcost_key::FunctionId;

use super::*;
use crate::memory::{Externals, Roots, World};
use opcost_library::Effects;

const LAYOUT: &str = "data_layout \"e-m:e-i64:64-i128:128-n8:16:32:64-S128\"\n";

fn solved(text: &str, world: World) -> (Module, Addresses) {
    let module = parse_module(&format!("{LAYOUT}{text}")).expect(text);
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let addresses =
        Addresses::compute(&module, &layout, &Externals::new(&module, &effects), &Roots::of(&module, world));
    (module, addresses)
}

fn function(module: &Module, name: &str) -> FunctionId {
    module.functions.iter().find(|(_, function)| function.name == name).expect(name).0
}

fn value(module: &Module, function: FunctionId, name: &str) -> Value {
    let names = &module.functions[function].names;
    let mut found: Vec<Value> = names.keys().filter(|value| &*names[value] == name).copied().collect();
    found.pop().expect(name)
}

fn show(module: &Module, addresses: &Addresses, targets: &Targets) -> String {
    let object = |id: ObjectId| match addresses.objects().kind(id) {
        ObjectKind::Global(global) => format!("@{}", module.globals[global].name),
        ObjectKind::Function(function) => format!("@{}()", module.functions[function].name),
        ObjectKind::Declaration(id) => format!("@{}()", module.declarations[id].name),
        ObjectKind::Alloca(function, at) | ObjectKind::Fresh(function, at) => {
            let name = module.functions[function].names.get(&Value::Instruction(at));
            format!("%{}", name.map_or("?", |name| name))
        }
        ObjectKind::Copy(_, position) => format!("copy{position}"),
        ObjectKind::Outside => "outside".to_owned(),
    };
    let mut parts: Vec<String> = targets
        .known
        .iter()
        .map(|target| {
            let offsets = match target.offsets.parts() {
                (first, _, 0) => format!("{first}"),
                (0, None, 1) => "?".to_owned(),
                (first, None, step) => format!("{first}+{step}*"),
                (first, Some(last), step) => format!("{first}+{step}*..{last}"),
            };
            format!("{}[{offsets}]", object(target.object))
        })
        .collect();
    parts.sort();
    if targets.is_unknown {
        parts.push("unknown".to_owned());
    }
    parts.join(" ")
}

/// Where `%name` of a function points in the closed world.
fn points(text: &str, place: &str) -> String {
    let (module, addresses) = solved(text, World::Closed);
    let (in_function, name) = place.split_once('%').expect("function%value");
    let id = function(&module, in_function);
    show(&module, &addresses, addresses.targets(id, value(&module, id, name)))
}

#[test]
fn fields_arrays_and_phis() {
    let text = "
type %s = { i32, [4 x i64], ptr }
global internal @g type %s = { }
define i32 @main(i64 %i, i1 %c) {
entry:
  %field = getelementptr %s, ptr @g, i64 0, i32 2
  %cell = getelementptr %s, ptr @g, i64 0, i32 1, i64 %i
  %same = getelementptr %s, ptr @g, i64 %i, i32 2
  %byte = getelementptr i8, ptr @g, i64 %i
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi ptr [ %field, %entry ], [ @g, %a ]
  %next = getelementptr i8, ptr %p, i64 4
  ret i32 0
}
";
    assert_eq!(points(text, "main%field"), "@g[40]");
    assert_eq!(points(text, "main%cell"), "@g[8+8*..32]");
    assert_eq!(points(text, "main%same"), "@g[40+48*]");
    assert_eq!(points(text, "main%byte"), "@g[?]");
    assert_eq!(points(text, "main%p"), "@g[0] @g[40]");
    assert_eq!(points(text, "main%next"), "@g[44] @g[4]");
}

#[test]
fn a_pointer_that_walks_becomes_a_stride() {
    let text = "
global internal @g type [100 x i32] = { }
define i32 @main(i1 %c) {
entry:
  br label %loop
loop:
  %p = phi ptr [ @g, %entry ], [ %next, %loop ]
  %next = getelementptr i8, ptr %p, i64 12
  br i1 %c, label %loop, label %end
end:
  ret i32 0
}
";
    assert_eq!(points(text, "main%p"), "@g[0+12*]");
}

#[test]
fn through_calls_memory_tables_and_callbacks() {
    let text = "
declare @qsort
declare @pthread_create
global internal @table type [2 x ptr] = { 0: ptr @set, 8: ptr @other }
global internal @kept type ptr = { }
global internal @n type i32 = { }
define internal void @set(ptr %to, ptr %from) {
  store ptr %from, %to
  ret void
}
define internal void @other(ptr %x, ptr %y) {
  ret void
}
define internal i32 @compare(ptr %left, ptr %right) {
  ret i32 0
}
define internal ptr @start(ptr %given) {
  ret ptr null
}
define i32 @main(i64 %i) {
entry:
  %slot = alloca ptr, i32 1
  %array = alloca [9 x i64], i32 1
  %thread = alloca i64, i32 1
  %where = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %code = load ptr, %where
  call void %code(ptr %slot, ptr @n)
  %read = load ptr, %slot
  call void @set(ptr @kept, ptr %array)
  %again = load ptr, @kept
  call void @qsort(ptr %array, i64 9, i64 8, ptr @compare)
  %r = call i32 @pthread_create(ptr %thread, ptr null, ptr @start, ptr %slot)
  ret i32 0
}
";
    assert_eq!(points(text, "main%code"), "@other()[0] @set()[0]");
    assert_eq!(points(text, "other%y"), "@n[0]");
    // Contexts are not told apart: both calls of @set meet.
    assert_eq!(points(text, "main%read"), "%array[0] @n[0]");
    assert_eq!(points(text, "main%again"), "%array[0] @n[0]");
    assert_eq!(points(text, "compare%left"), "%array[?]");
    assert_eq!(points(text, "start%given"), "%slot[0]");
    let (module, addresses) = solved(text, World::Closed);
    let main = function(&module, "main");
    let called: Vec<usize> = module.functions[main]
        .calls
        .iter()
        .map(|&(at, _)| addresses.callees(main, at).map_or(0, |c| c.functions.len() + c.callbacks.len()))
        .collect();
    assert_eq!(called, [2, 1, 1, 1]);
}

#[test]
fn allocated_memory_kept_in_a_global_and_its_alias() {
    let text = "
declare noalias ptr @malloc(i64)
global internal @gv type { i32, ptr } = { }
define i32 @main() {
  %ptr = call ptr @malloc(i64 80)
  store ptr %ptr, @gv+8
  %alias = load ptr, @gv+8
  %cell = getelementptr i64, ptr %alias, i64 3
  ret i32 0
}
";
    assert_eq!(points(text, "main%cell"), "%ptr[24]");
}

#[test]
fn what_gets_out_is_reached_by_unknown_pointers() {
    let text = "
declare @take
declare ptr @give()
global internal @in type i32 = { }
global internal @out type ptr = { }
define i32 @main() {
  %kept = alloca i64, i32 1
  %own = alloca i64, i32 1
  store ptr @in, @out
  call void @take(ptr @out)
  call void @take(ptr %kept)
  %p = call ptr @give()
  store ptr %p, @out
  %q = load ptr, @out
  ret i32 0
}
";
    let (module, addresses) = solved(text, World::Closed);
    // @in escaped: unknown says it.
    assert_eq!(points(text, "main%q"), "unknown");
    let main = function(&module, "main");
    let escaped = |name: &str| {
        let (object, _) = addresses.targets(main, value(&module, main, name)).single().expect(name);
        addresses.objects().is_escaped(object)
    };
    assert!(escaped("kept") && !escaped("own"));
    // What lies in escaped memory escapes too.
    assert!(module.globals.ids().all(|id| addresses.objects().is_escaped(addresses.objects().of_global(id))));
}

#[test]
fn numbers_parts_and_unions_do_not_lose_pointers() {
    let round_trip = "
global internal @g type [8 x i8] = { }
define i32 @main() {
  %n = ptrtoint i64, ptr @g
  %m = add i64 %n, 4
  %p = inttoptr ptr, i64 %m
  ret i32 0
}
";
    assert_eq!(points(round_trip, "main%p"), "@g[?] unknown");
    let by_numbers = "
global internal @g type i32 = { }
define i32 @main() {
  %from = alloca ptr, i32 1
  %to = alloca ptr, i32 1
  store ptr @g, %from
  %n = load i64, %from
  store i64 %n, %to
  %p = load ptr, %to
  ret i32 0
}
";
    assert_eq!(points(by_numbers, "main%p"), "@g[0]");
    // A pointer copied byte by byte: what is read is anything that was taken apart.
    let by_bytes = "
global internal @g type i32 = { }
define i32 @main(i64 %i) {
  %from = alloca ptr, i32 1
  %to = alloca ptr, i32 1
  store ptr @g, %from
  %f = getelementptr i8, ptr %from, i64 %i
  %t = getelementptr i8, ptr %to, i64 %i
  %b = load i8, %f
  store i8 %b, %t
  %p = load ptr, %to
  ret i32 0
}
";
    assert_eq!(points(by_bytes, "main%p"), "unknown");
    let (module, addresses) = solved(by_bytes, World::Closed);
    assert!(
        addresses
            .objects()
            .is_escaped(addresses.objects().of_global(module.globals.ids().next().expect("@g")))
    );
}

#[test]
fn copies_of_structs_keep_their_fields() {
    let text = "
declare @llvm.memcpy.p0.p0.i64
global internal @a type i32 = { }
global internal @b type i32 = { }
global internal @pair type { ptr, ptr } constant = { 0: ptr @a, 8: ptr @b }
define i32 @main(i64 %n) {
  %copy = alloca { ptr, ptr }, i32 1
  %whole = alloca { ptr, ptr }, i32 1
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr @pair, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %whole, ptr @pair, i64 %n, i1 false)
  %at = getelementptr i8, ptr %copy, i64 8
  %second = load ptr, %at
  %first = load ptr, %copy
  %mixed = load ptr, %whole
  ret i32 0
}
";
    assert_eq!(points(text, "main%second"), "@b[0]");
    assert_eq!(points(text, "main%first"), "@a[0]");
    assert_eq!(points(text, "main%mixed"), "@a[0] @b[0]");
}

#[test]
fn the_open_world_gives_exported_functions_anything() {
    let text = "
global internal @hidden type i32 = { }
global @seen type i32 = { }
define void @exported(ptr %p) {
  ret void
}
define internal void @inner(ptr %p) {
  ret void
}
define i32 @main() {
  call void @exported(ptr @hidden)
  call void @inner(ptr @hidden)
  ret i32 0
}
";
    assert_eq!(points(text, "exported%p"), "@hidden[0]");
    let (module, addresses) = solved(text, World::Open);
    let exported = function(&module, "exported");
    let targets = addresses.targets(exported, Value::Argument(0));
    assert_eq!(show(&module, &addresses, targets), "@hidden[0] unknown");
    let inner = addresses.targets(function(&module, "inner"), Value::Argument(0));
    assert!(!inner.is_unknown);
}

#[test]
fn variable_arguments_and_too_many_targets_are_given_up_safely() {
    let many: String = (0..80).map(|n| format!("global internal @g{n} type i32 = {{ }}\n")).collect();
    let calls: String = (0..80).map(|n| format!("  call void @f(ptr @g{n})\n")).collect();
    let text = format!(
        "{many}global internal @v type i32 = {{ }}
define internal void @f(ptr %p) {{\n  ret void\n}}
define internal void @variadic(i32 %n, ...) {{\n  ret void\n}}
define i32 @main() {{\n{calls}  call void @variadic(i32 1, ptr @v)\n  ret i32 0\n}}\n"
    );
    let (module, addresses) = solved(&text, World::Closed);
    let parameter = addresses.targets(function(&module, "f"), Value::Argument(0));
    assert!(parameter.is_unknown);
    for (id, global) in module.globals.iter() {
        let object = addresses.objects().of_global(id);
        let is_listed = parameter.known.iter().any(|target| target.object == object);
        assert!(addresses.objects().is_escaped(object) || is_listed, "{}", global.name);
    }
}

// --- the referee ---
