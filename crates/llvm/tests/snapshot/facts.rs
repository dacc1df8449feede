//! Is what a snapshot says what the source means? Small modules, whose facts
//! are known, and real ones against their text.

use std::path::Path;

use opcost_index::Id;
use opcost_ir::{
    Access, CalleeRef, ConstantValue, Function, Global, MemoryEffects, Module, ScalarValue, Type, Value,
};
use opcost_key::FunctionId;
use opcost_llvm::{Maker, Session};

use crate::referees::{compare_contents, compare_tags, has_details};
use crate::text::{Seen, call_effects, compare};
use crate::{clang, corpus, emit, scratch};

fn read(folder: &Path, text: &str) -> Module {
    let path = folder.join("a.ll");
    std::fs::write(&path, text).expect("a file");
    detailed(&path)
}

fn detailed(path: &Path) -> Module {
    let mut session = Session::read(path, Maker::Anyone).expect("a module");
    let module = session.snapshot_in_detail();
    opcost_ir::verify(&module).expect("a snapshot keeps the rules");
    let again = opcost_ir::parse_module(&opcost_ir::print_module(&module)).expect("its own text");
    assert!(again == module, "{} does not come back from its text", path.display());
    module
}

fn function<'a>(module: &'a Module, name: &str) -> &'a Function {
    module.functions.values().find(|function| function.name == name).expect(name)
}

fn global<'a>(module: &'a Module, name: &str) -> &'a Global {
    module.globals.values().find(|global| global.name == name).expect(name)
}

const PROGRAM: &str = r#"
struct node { int key; float weight; struct node *next; };
struct tree { char mark; struct node root; union { int i; double d; } value; short tail[3]; };
static const char *const words[] = { "one", "two", 0, "four" };
static const double table[6] = { 1.5, 0, -2.25, 1e300, 0, 7 };
static const struct tree sample = { 'x', { 5, 0.5f, 0 }, { .d = 3.5 }, { 1, 0, -3 } };
static int twice(int x) { return x + x; }
static int thrice(int x) { return 3 * x; }
static int (*const functions[])(int) = { twice, 0, thrice, twice };
_Thread_local int own = 4;
int grid[100];
int *middle = &grid[50];
const char *word(unsigned n) { return words[n & 3]; }
double number(unsigned n) { return table[n % 6]; }
int apply(unsigned n, int x) { return functions[n & 3](x) + own; }
float walk(struct tree *restrict t, const float *restrict from, int count) {
  float total = 0;
  for (int i = 0; i < count; i++) { total += from[i]; t->root.key = i; t->value.i = i; t->tail[i & 1]++; }
  for (struct node *n = &t->root; n; n = n->next) total += n->weight;
  return total + sample.root.weight + (float)grid[7] + (float)*middle;
}
int pick(int n) {
  switch (n) { case 1: return 5; case -7: return twice(n); case 900: return 11; case 3000000: return n; default: return 12; }
}
unsigned half(unsigned x, _Atomic int *p, volatile int *q) { *p += 1; *q = 3; return (x & ~1u) / 2 + *p; }
"#;

#[test]
fn data_and_calls_of_a_small_program_are_told() {
    let folder = scratch();
    let (source, text) = (folder.path().join("a.c"), folder.path().join("a.ll"));
    std::fs::write(&source, PROGRAM).expect("a file");
    clang(&["-O0", "-g", "-S", "-emit-llvm"], &source, &text);
    let module = detailed(&text);
    let contents = |name: &str| global(&module, name).contents.as_ref().expect(name);
    let numbers: Vec<_> =
        contents("table").scalars.iter().map(|&(offset, _, value)| (offset, value)).collect();
    let double = |value: f64| ScalarValue::Constant(ConstantValue::Float(value.to_bits()));
    assert_eq!(numbers, [(0, double(1.5)), (16, double(-2.25)), (24, double(1e300)), (40, double(7.0))]);
    let called: Vec<_> = contents("functions").functions().collect();
    let id = |name: &str| {
        let (id, _) = module.functions.iter().find(|(_, function)| function.name == name).expect(name);
        Value::Function(id)
    };
    assert_eq!(called, [(0, id("twice")), (16, id("thrice")), (24, id("twice"))]);
    let words = &contents("words").scalars;
    assert_eq!(words.iter().map(|&(offset, ..)| offset).collect::<Vec<_>>(), [0, 8, 24]);
    assert!(contents("words").is_complete && contents("grid").is_complete);
    assert!(contents("grid").scalars.is_empty());
    let (_, middle) = contents("middle").at(0).expect("an address");
    let grid = module.globals.iter().find(|(_, global)| global.name == "grid").expect("grid").0;
    assert_eq!(middle, ScalarValue::Constant(ConstantValue::Global { global: grid, offset: 200 }));
    assert!(global(&module, "own").is_thread_local && global(&module, "table").is_constant);
    let names: std::collections::HashSet<&str> =
        function(&module, "walk").source_names.values().map(|name| &**name).collect();
    assert_eq!(names, ["t", "from", "count", "total", "i", "n"].into());
    assert_eq!(function(&module, "walk").source_name.as_deref(), Some("walk"));
    assert_eq!(global(&module, "grid").source_name.as_deref(), Some("grid"));
}

#[test]
fn a_module_that_says_nothing_is_told_as_one() {
    let folder = scratch();
    let module = read(folder.path(), "define i32 @f(i32 %a) {\n  ret i32 %a\n}\n");
    let function = function(&module, "f");
    assert!(function.source_names.is_empty() && function.source_name.is_none());
    assert!(module.tags.is_empty() && module.data_layout.is_empty());
    assert_eq!(function.memory, MemoryEffects::UNKNOWN);
}

#[test]
fn only_a_snapshot_in_detail_looks_into_data() {
    let folder = scratch();
    let (source, bitcode) = (folder.path().join("a.c"), folder.path().join("a.bc"));
    std::fs::write(&source, PROGRAM).expect("a file");
    clang(&["-O2", "-g", "-c", "-emit-llvm"], &source, &bitcode);
    let mut session = Session::read(&bitcode, Maker::FrontEnd).expect("our own bitcode");
    assert_eq!(has_details(&session.snapshot()), (false, false));
    assert_eq!(has_details(&session.snapshot_in_detail()), (true, true));
}

#[test]
fn effects_of_calls_are_those_of_call_and_callee() {
    let folder = scratch();
    let module = read(
        folder.path(),
        r#"
declare void @unknown(ptr)
declare void @reads(ptr readonly captures(none)) memory(argmem: read)
declare noalias ptr @fresh(i64 noundef) nounwind willreturn memory(inaccessiblemem: readwrite, errnomem: write)
declare void @state() memory(target_mem0: write)
declare void @gone() noreturn memory(none)
define void @f(ptr noalias noundef %p, ptr sret(i32) %r, ptr byval({ i64, i8 }) %q) memory(read, argmem: none) {
  call void @unknown(ptr %p)
  call void @reads(ptr %p)
  call void @unknown(ptr %p) memory(inaccessiblemem: write)
  call void @state()
  call void %p() memory(none)
  ret void
}
"#,
    );
    let read_arguments = MemoryEffects { argument: Access::READ, ..MemoryEffects::NONE };
    let write_hidden = MemoryEffects { inaccessible: Access::WRITE, ..MemoryEffects::NONE };
    let write_other = MemoryEffects { other: Access::WRITE, ..MemoryEffects::NONE };
    let expected = [MemoryEffects::UNKNOWN, read_arguments, write_hidden, write_other, MemoryEffects::NONE];
    assert_eq!(call_effects(&module, FunctionId::new(0)), expected);
    let declared = |name: &str| module.declarations.values().find(|one| one.name == name).expect(name);
    let fresh = declared("fresh");
    assert!(fresh.returns_noalias && fresh.is_willreturn && fresh.is_nounwind && !fresh.is_noreturn);
    assert_eq!((fresh.memory.inaccessible, fresh.memory.errno), (Access::BOTH, Access::WRITE));
    assert_eq!((fresh.memory.argument, fresh.memory.other), (Access::NONE, Access::NONE));
    assert!(fresh.parameter_facts[0].is_noundef && declared("gone").is_noreturn);
    let reads = declared("reads").parameter_facts[0];
    assert!(reads.is_readonly && reads.is_nocapture && !reads.is_noalias);
    let [p, r, q] = function(&module, "f").parameter_facts[..] else { panic!("three parameters") };
    assert!(p.is_noalias && p.is_noundef && r.is_sret && !q.is_sret);
    assert_eq!(q.byval.map(|ty| module.type_text(ty)).as_deref(), Some("{ i64, i8 }"));
    assert_eq!(function(&module, "f").calls[4].1.callee, CalleeRef::Indirect);
}

#[test]
fn addresses_are_folded_to_data_and_bytes() {
    let folder = scratch();
    let module = read(
        folder.path(),
        r#"
target datalayout = "e-i64:64"
%opaque = type opaque
@a = global [4 x { i32, i64 }] zeroinitializer
@elsewhere = external global %opaque
@filled = externally_initialized global i32 5
@second = alias i64, getelementptr inbounds ({ i32, i64 }, ptr @a, i64 1, i32 1)
@weak = weak alias i64, ptr @a
@code = alias void (ptr), ptr @f
@table = constant [3 x ptr] [ptr @code, ptr @second, ptr inttoptr (i64 16 to ptr)]
@bits = constant <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>
@lanes = constant <4 x i16> <i16 1, i16 0, i16 -3, i16 undef>
define void @f(ptr %p) {
  store ptr getelementptr ([4 x { i32, i64 }], ptr @a, i64 0, i64 2, i32 1), ptr %p
  store ptr getelementptr (i8, ptr @second, i64 -40), ptr %p
  store ptr getelementptr (i8, ptr @weak, i64 4), ptr %p
  store ptr @code, ptr %p
  store ptr inttoptr (i64 16 to ptr), ptr %p
  store ptr @elsewhere, ptr %p
  store i128 -1, ptr %p
  store half 0xH3C00, ptr %p
  ret void
}
"#,
    );
    let function = function(&module, "f");
    let value = |position: usize| {
        let id = function.instructions.ids().nth(position).expect("a store");
        match function.operands_of(id)[0] {
            Value::Constant(id) => module.constants[id].value,
            other => panic!("{other:?}"),
        }
    };
    let at = |name: &str, offset| {
        let global = module.globals.iter().find(|(_, global)| global.name == name).expect(name).0;
        ConstantValue::Global { global, offset }
    };
    assert_eq!(value(0), at("a", 40));
    assert_eq!(value(1), at("a", -16));
    assert_eq!(value(2), at("weak", 4));
    assert_eq!((value(3), value(4)), (ConstantValue::Other, ConstantValue::Other));
    assert_eq!(value(5), at("elsewhere", 0));
    assert_eq!(
        (value(6), value(7)),
        (ConstantValue::Integer(u128::MAX), ConstantValue::Float(1.0f64.to_bits()))
    );
    let layout = opcost_ir::Layout::of(&module);
    assert_eq!(layout.size(global(&module, "elsewhere").ty), None);
    assert!(global(&module, "elsewhere").contents.is_none() && global(&module, "filled").contents.is_none());
    let table = global(&module, "table").contents.as_ref().expect("contents");
    let f = Value::Function(FunctionId::new(0));
    let values: Vec<ScalarValue> = table.scalars.iter().map(|&(_, _, value)| value).collect();
    let odd = ScalarValue::Constant(ConstantValue::Other);
    assert_eq!(values, [ScalarValue::Function(f), ScalarValue::Constant(at("a", 24)), odd]);
    assert!(!table.is_complete);
    assert!(!global(&module, "bits").contents.as_ref().expect("contents").is_complete);
    let lanes = global(&module, "lanes").contents.as_ref().expect("contents");
    let lanes: Vec<_> = lanes.scalars.iter().map(|&(offset, _, value)| (offset, value)).collect();
    let integer = |value| ScalarValue::Constant(ConstantValue::Integer(value));
    assert_eq!(
        lanes,
        [(0, integer(1)), (4, integer(0xfffd)), (6, ScalarValue::Constant(ConstantValue::Undef))]
    );
}

/// As flang writes it: dummies by reference, a COMMON block, lower case.
const COMMON: &str = r#"
@global_ = common global [24 x i8] zeroinitializer, align 8, !dbg !0, !dbg !3, !dbg !30
define void @init_(ptr noalias %0) !dbg !10 {
    #dbg_declare(ptr %0, !11, !DIExpression(), !13)
  %2 = load i32, ptr %0, align 4, !dbg !13
    #dbg_value(i32 %2, !14, !DIExpression(), !13)
    #dbg_value(i32 %2, !15, !DIExpression(), !13)
    #dbg_value(i32 %2, !16, !DIExpression(DW_OP_constu, 1, DW_OP_plus, DW_OP_stack_value), !13)
  %3 = add i32 %2, 1, !dbg !13
    #dbg_value(i32 %3, !17, !DIExpression(), !19)
    #dbg_value(i32 %3, !16, !DIExpression(), !13)
    #dbg_value(i32 poison, !14, !DIExpression(), !13)
  ret void, !dbg !13
}
!llvm.dbg.cu = !{!5}
!llvm.module.flags = !{!9}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_plus_uconst, 16))
!1 = distinct !DIGlobalVariable(name: "dt", linkageName: "_QFinitEdt", scope: !2, file: !6, line: 5, type: !7, isLocal: false, isDefinition: true)
!2 = !DICommonBlock(scope: !10, declaration: null, name: "global", file: !6, line: 6)
!3 = !DIGlobalVariableExpression(var: !4, expr: !DIExpression())
!4 = distinct !DIGlobalVariable(name: "grid_points", linkageName: "_QFinitEgrid_points", scope: !2, file: !6, line: 4, type: !7, isLocal: false, isDefinition: true)
!5 = distinct !DICompileUnit(language: DW_LANG_Fortran95, file: !6, isOptimized: false, emissionKind: FullDebug)
!6 = !DIFile(filename: "c.f90", directory: "/src")
!7 = !DIBasicType(name: "integer", size: 32, encoding: DW_ATE_signed)
!8 = !DISubroutineType(types: !12)
!9 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "init", linkageName: "init_", scope: !5, file: !6, line: 1, type: !8, spFlags: DISPFlagDefinition, unit: !5)
!11 = !DILocalVariable(name: "n", arg: 1, scope: !10, file: !6, line: 2, type: !7)
!12 = !{null}
!13 = !DILocation(line: 2, column: 1, scope: !10)
!14 = !DILocalVariable(name: "first", scope: !10, file: !6, line: 2, type: !7)
!15 = !DILocalVariable(name: "second", scope: !10, file: !6, line: 2, type: !7)
!16 = !DILocalVariable(name: "own", scope: !10, file: !6, line: 2, type: !7)
!17 = !DILocalVariable(name: "inlined", scope: !18, file: !6, line: 9, type: !7)
!18 = distinct !DISubprogram(name: "callee", scope: !6, file: !6, line: 9, type: !8, spFlags: DISPFlagDefinition, unit: !5)
!19 = !DILocation(line: 9, column: 1, scope: !18, inlinedAt: !13)
!30 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_plus_uconst, 16))
"#;

#[test]
fn names_of_the_source_are_those_of_debug_records() {
    let folder = scratch();
    let module = read(folder.path(), COMMON);
    let function = function(&module, "init_");
    assert_eq!(function.source_name.as_deref(), Some("init"));
    let name = |value: Value| function.source_names.get(&value).map(|name| &**name);
    assert_eq!(name(Value::Argument(0)), Some("n"));
    let results: Vec<_> =
        function.instructions.ids().take(2).map(|id| name(Value::Instruction(id))).collect();
    assert_eq!(results, [Some("first"), Some("own")]);
    assert_eq!(function.source_names.len(), 3);
    let common = global(&module, "global_");
    assert_eq!(common.source_name.as_deref(), Some("global"));
    assert!(common.contents.is_none(), "another module may fill it");
    assert_eq!(common.members, [(0, "grid_points".into()), (16, "dt".into())]);
}

/// What must be seen, lest the comparison says nothing.
const WANTED: &[&str] = &[
    "nuw",
    "nsw",
    "exact",
    "disjoint",
    "nneg",
    "samesign",
    "inbounds",
    "atomic",
    "volatile",
    "tag",
    "latch",
    "case",
    "memory",
    "noalias",
    "captures(none)",
    "readonly",
    "writeonly",
    "noundef",
    "integer",
    "double",
    "null",
    "address",
    "address and bytes",
    "overlapping",
    "apart",
    "data",
    "scalar",
];

#[test]
fn what_is_said_of_real_modules_is_what_their_text_says() {
    let folder = scratch();
    let small = folder.path().join("small.c");
    std::fs::write(&small, PROGRAM).expect("a file");
    let mut seen = Seen::new();
    let sqlite = corpus().join("libsqlite3-sys/sqlite3/sqlite3.c");
    for (source, level) in [(&small, "-O0"), (&small, "-O3"), (&sqlite, "-O2")] {
        let (text, object) = (folder.path().join("a.ll"), folder.path().join("a.o"));
        clang(&[level, "-S", "-emit-llvm", "-fno-discard-value-names"], source, &text);
        let mut session = Session::read(&text, Maker::FrontEnd).expect("clang's text");
        let module = session.snapshot_in_detail();
        compare(&module, &std::fs::read_to_string(&text).expect("clang's text"), &mut seen);
        let (overlapping, apart) = compare_tags(&module, &session);
        *seen.entry("overlapping").or_default() += overlapping;
        *seen.entry("apart").or_default() += apart;
        emit(&text, &object, |_| {});
        let (data, scalars) = compare_contents(&module, &object);
        *seen.entry("data").or_default() += data;
        *seen.entry("scalar").or_default() += scalars;
    }
    let missing: Vec<_> =
        WANTED.iter().filter(|kind| seen.get(**kind).is_none_or(|&count| count == 0)).collect();
    assert!(missing.is_empty(), "never seen: {missing:?} of {seen:?}");
    println!("compared: {:?}", seen.iter().collect::<std::collections::BTreeMap<_, _>>());
}

/// Types of scalars are those of the data, whatever its nesting.
#[test]
fn scalars_of_data_have_the_types_that_lie_there() {
    let folder = scratch();
    let module = read(
        folder.path(),
        "@x = constant { i8, [2 x { float, ptr }], i16 } { i8 1, [2 x { float, ptr }] [{ float, ptr } { float 0.5, ptr @x }, { float, ptr } zeroinitializer], i16 7 }\n",
    );
    let contents = global(&module, "x").contents.as_ref().expect("contents");
    let scalars: Vec<_> =
        contents.scalars.iter().map(|&(offset, ty, _)| (offset, &module.types[ty])).collect();
    let expected = [
        (0, &Type::Integer(8)),
        (8, &Type::Float("float")),
        (16, &Type::Pointer(0)),
        (40, &Type::Integer(16)),
    ];
    assert_eq!(scalars, expected);
}

/// A module with debug information, whose function ends with `last`, and whose
/// location's scope is `scope`.
fn with_debug_information(version: u32, scope: &str, last: &str) -> String {
    format!(
        r#"define i32 @f(i32 %a) !dbg !4 {{
entry:
  br i1 true, label %then, label %join
then:
  %twice = add i32 %a, %a, !dbg !5
  br label %join
join:
  {last}
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2}}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{{i32 2, !"Debug Info Version", i32 {version}}}
!3 = !DISubroutineType(types: !{{}})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 1, scope: !{scope})
"#
    )
}

/// What anyone made is verified once, and told; LLVM's reader alone would end
/// the process.
#[test]
fn a_malformed_module_with_debug_information_is_an_error() {
    let folder = scratch();
    let path = folder.path().join("a.ll");
    let text = |last| with_debug_information(3, "4", last);
    std::fs::write(&path, text("ret i32 %twice")).expect("a file");
    let error = Session::read(&path, Maker::Anyone).err().expect("not every use is dominated").to_string();
    assert!(error.contains("not well-formed") && error.contains("does not dominate all uses"), "{error}");
    let whole = folder.path().join("b.ll");
    std::fs::write(&whole, text("ret i32 %a").replace("@f", "@g")).expect("a file");
    let mut session = Session::read(&whole, Maker::Anyone).expect("a module");
    let error = session.link(&path).expect_err("the other one is malformed").to_string();
    assert!(error.contains("does not dominate all uses"), "{error}");
}

/// Debug information that is broken, or of another version, is as if it were
/// not there.
#[test]
fn debug_information_that_cannot_be_used_goes() {
    let folder = scratch();
    let lines = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let module = detailed(&path);
        let body = function(&module, "f");
        body.instructions.values().filter(|instruction| instruction.place.is_some()).count()
    };
    assert_eq!(lines("fine.ll", with_debug_information(3, "4", "ret i32 %a")), 1);
    assert_eq!(lines("broken.ll", with_debug_information(3, "1", "ret i32 %a")), 0);
    assert_eq!(lines("old.ll", with_debug_information(2, "4", "ret i32 %a")), 0);
}
