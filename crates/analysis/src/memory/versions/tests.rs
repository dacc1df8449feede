//! What loads read: examples, adversaries, mutations; and random programs that
//! an evaluator walks, holding every claim against what happens.

use opcost_index::Id;
use opcost_ir::{Layout, Module, Opcode, Value, parse_module};
use proptest::prelude::*;

use super::*;
use crate::memory::World;
use opcost_library::Effects;

mod evaluator;
mod programs;

const LAYOUT: &str = "data_layout \"e-m:e-i64:64-i128:128-n8:16:32:64-S128\"\n";

/// What a function's loads read, in words, by the loads' names.
fn told(text: &str, name: &str) -> Vec<String> {
    let module = parse_module(&format!("{LAYOUT}{text}")).expect(text);
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let memory = MemoryModel::of(&module, &layout, &effects, World::Closed);
    let (id, body) = module.functions.iter().find(|(_, function)| function.name == name).expect(name);
    let versions = MemoryVersions::compute(&memory, id, &Dominators::compute(body, BlockId::new(0)));
    let label = |value: Value| match body.names.get(&value) {
        Some(name) => name.to_string(),
        None => match value {
            Value::Constant(id) => module.constants[id].text.to_string(),
            other => format!("{other:?}"),
        },
    };
    let words = |version: CellVersion| match versions.definition(version) {
        CellDefinition::Stored { value, .. } => label(value),
        CellDefinition::Merge { block, incoming } => {
            format!("merge of {} at {}", incoming.len(), label(Value::Block(block)))
        }
        CellDefinition::Entry => "entry".to_owned(),
        CellDefinition::Changed(at) => format!("changed by {}", body.instructions[at].opcode),
        CellDefinition::Undefined => "undefined".to_owned(),
    };
    let loads = body.instructions.iter().filter(|(_, instruction)| instruction.opcode == Opcode::Load);
    let lines = loads.map(|(at, _)| {
        let Some(version) = versions.read_by(at) else {
            return format!("{}: not followed", label(Value::Instruction(at)));
        };
        let relies = versions.relies_on(version).join(", ");
        let relies = if relies.is_empty() { relies } else { format!(" ({relies})") };
        format!("{}: {version} {}{relies}", label(Value::Instruction(at)), words(version))
    });
    lines.collect()
}

/// Without the numbers of versions.
fn plain(text: &str, name: &str) -> Vec<String> {
    let drop = |line: String| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_number = |word: &str| word.starts_with('m') && word[1..].parse::<u32>().is_ok();
        words.into_iter().filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
    };
    told(text, name).into_iter().map(drop).collect()
}

/// A counter in memory, as at -O0, and an array beside it.
const COUNTER: &str = "
global internal @a type [100 x i32] = { }
define i32 @main(i32 %n) {
entry:
  %i = alloca i32, i32 1
  store i32 0, %i
  br label %head
head:
  %now = load i32, %i
  %c = icmp slt i32 %now, %n
  br i1 %c, label %body, label %end
body:
  %index = sext i64 %now
  %cell = getelementptr [100 x i32], ptr @a, i64 0, i64 %index
  store i32 7, %cell
  %again = load i32, %i
  %next = add i32 %again, 1
  store i32 %next, %i
  br label %head
end:
  ret i32 0
}
";

#[test]
fn a_counter_in_memory_is_as_good_as_a_phi() {
    assert_eq!(plain(COUNTER, "main"), ["now: merge of 2 at head", "again: merge of 2 at head"]);
    let with_numbers = told(COUNTER, "main");
    let number = |line: &String| line.split(' ').nth(1).map(str::to_owned);
    assert_eq!(number(&with_numbers[0]), number(&with_numbers[1]));
}

#[test]
fn stores_that_may_hit_it_change_it_and_others_do_not() {
    let text = |line: &str| {
        format!(
            "
declare @unknown
declare @strlen
global internal @n type i32 = {{ }}
global internal @other type [4 x i32] = {{ }}
global internal @s type {{ i32, i32, [4 x i32] }} = {{ }}
define internal void @sets(ptr %p) {{
  store i32 3, %p
  ret void
}}
define internal void @quiet(ptr %p) {{
  store i32 3, @other
  ret void
}}
define i32 @main(i64 %i, ptr %argv) {{
  %x = alloca i32, i32 1
  store i32 1, @n
  {line}
  %r = load i32, @n
  ret i32 %r
}}
"
        )
    };
    let after = |line: &str| plain(&text(line), "main").remove(0);
    assert_eq!(after("store i32 2, @other+4"), "r: 1");
    assert_eq!(after("store i32 2, @n"), "r: 2");
    assert_eq!(after("store i8 2, @n+1"), "r: changed by store");
    assert_eq!(after("store i64 2, @n"), "r: changed by store");
    assert_eq!(after("store i32 2, %x"), "r: 1");
    assert_eq!(after("store float 2.0, @n"), "r: changed by store");
    assert_eq!(after("call void @unknown()"), "r: 1");
    assert_eq!(after("call void @unknown(ptr @n)"), "r: changed by call");
    assert_eq!(after("call void @sets(ptr @n)"), "r: changed by call");
    assert_eq!(after("call void @sets(ptr @other)"), "r: 1");
    assert_eq!(after("call void @quiet(ptr @n)"), "r: 1");
    assert_eq!(after("%l = call i64 @strlen(ptr @n)"), "r: 1");
    assert_eq!(after("store volatile i32 2, @n"), "r: changed by store");
    assert_eq!(after("fence"), "r: 1");
    let unknown_pointer = text("store i32 5, %argv");
    assert_eq!(plain(&unknown_pointer, "main"), ["r: 1"]);
    // Where it got out, anything unknown may write to it.
    let escaped = text("call void @unknown(ptr @n)\n  store i32 9, @n\n  store i32 5, %argv");
    assert_eq!(plain(&escaped, "main"), ["r: changed by store"]);
}

#[test]
fn indices_and_fields() {
    let text = "
global internal @s type { i32, [8 x i32], i32 } = { }
define i32 @main(i64 %i, i64 %j) {
  %j1 = add i64 %i, 1
  %here = getelementptr [8 x i32], ptr @s+4, i64 0, i64 %i
  %next = getelementptr [8 x i32], ptr @s+4, i64 0, i64 %j1
  %other = getelementptr [8 x i32], ptr @s+4, i64 0, i64 %j
  store i32 1, %here
  store i32 2, %next
  store i32 3, @s
  store i32 4, @s+36
  %one = load i32, %here
  store i32 5, %other
  %two = load i32, %next
  %three = load i32, @s+36
  %four = load volatile i32, @s
  ret i32 0
}
";
    assert_eq!(
        plain(text, "main"),
        [
            "one: 1 (indices stay inside their array)",
            "two: changed by store (indices stay inside their array)",
            "three: 4 (indices stay inside their array)",
            "four: not followed"
        ]
    );
}

#[test]
fn pointers_that_live_in_memory_are_followed() {
    let text = "
define internal i32 @f(ptr %p, i64 %i) {
  %p.addr = alloca ptr, i32 1
  %i.addr = alloca i64, i32 1
  store ptr %p, %p.addr
  store i64 %i, %i.addr
  %p1 = load ptr, %p.addr
  %i1 = load i64, %i.addr
  %cell = getelementptr i32, ptr %p1, i64 %i1
  store i32 5, %cell
  %p2 = load ptr, %p.addr
  %i2 = load i64, %i.addr
  %same = getelementptr i32, ptr %p2, i64 %i2
  %r = load i32, %same
  ret i32 %r
}
define i32 @main(i64 %i, ptr %argv) {
  %r = call i32 @f(ptr %argv, i64 %i)
  ret i32 %r
}
";
    assert_eq!(plain(text, "f")[4..], ["r: 5"]);
}

#[test]
fn a_place_that_a_loop_renames_is_another_place() {
    let text = "
define internal i32 @f(ptr %p, i1 %c) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %seen = load i32, %at
  store i32 1, %at
  %after = load i32, %at
  %next = getelementptr i32, ptr %at, i64 1
  %ahead = load i32, %next
  br i1 %c, label %loop, label %end
end:
  ret i32 0
}
define i32 @main(i1 %c) {
  %a = alloca [4 x i32], i32 1
  %r = call i32 @f(ptr %a, i1 %c)
  ret i32 0
}
";
    assert_eq!(plain(text, "f"), ["seen: changed by phi", "after: 1", "ahead: changed by phi"]);
}

#[test]
fn promises_are_used_and_told() {
    let text = |facts: &str, tag: &str| {
        format!(
            "
tag \"int\", \"char\", \"C\"
tag \"float\", \"char\", \"C\"
define internal i32 @f(ptr {facts} %p, ptr %q) {{
  store i32 1, %p !tag 0
  store i32 2, %q !tag {tag}
  %r = load i32, %p !tag 0
  ret i32 %r
}}
define i32 @main(i32 %n, ptr %argv) {{
  %r = call i32 @f(ptr %argv, ptr %argv)
  ret i32 %r
}}
"
        )
    };
    assert_eq!(plain(&text("", "0"), "f"), ["r: changed by store"]);
    assert_eq!(plain(&text("", "1"), "f"), ["r: 1 (no alias by type)"]);
    assert_eq!(plain(&text("noalias", "0"), "f"), ["r: 1 (no alias through noalias parameters)"]);
    // A copy of the pointer that is kept may come back.
    let kept = text("noalias", "0").replace("  store i32 2", "  store ptr %p, %q\n  store i32 2");
    assert_eq!(plain(&kept, "f"), ["r: changed by store"]);
}

#[test]
fn threads_jumps_and_recursion() {
    let thread = "
declare @pthread_create
declare @pthread_join
global internal @n type i32 = { }
define internal ptr @start(ptr %given) {
  store i32 5, @n
  ret ptr null
}
define i32 @main(i64 %id) {
  store i32 1, @n
  %before = load i32, @n
  %r = call i32 @pthread_create(ptr null, ptr null, ptr @start, ptr null)
  store i32 2, @n
  %j = call i32 @pthread_join(i64 %id, ptr null)
  %after = load i32, @n
  ret i32 0
}
";
    assert_eq!(plain(thread, "main"), ["before: 1", "after: changed by call"]);
    // Without the store in the thread nothing changes it.
    assert_eq!(plain(&thread.replace("  store i32 5, @n\n", ""), "main")[1], "after: 2");
    let jump = "
declare @setjmp
declare @longjmp
global internal @env type [200 x i8] = { }
define i32 @main() {
entry:
  %x = alloca i32, i32 1
  store i32 1, %x
  %again = call i32 @setjmp(ptr @env) returns_twice
  %seen = load i32, %x
  store i32 2, %x
  call void @longjmp(ptr @env, i32 1)
  unreachable
}
";
    assert_eq!(plain(jump, "main"), ["seen: changed by call"]);
    let recursion = "
define internal void @f(ptr %mine, i1 %c) {
entry:
  %x = alloca i32, i32 1
  store i32 1, %x
  call void @f(ptr %x, i1 %c)
  %seen = load i32, %x
  store i32 2, %mine
  ret void
}
define i32 @main(i1 %c) {
  %y = alloca i32, i32 1
  call void @f(ptr %y, i1 %c)
  %r = load i32, %y
  ret i32 0
}
";
    assert_eq!(plain(recursion, "f"), ["seen: changed by call"]);
    assert_eq!(plain(recursion, "main"), ["r: changed by call"]);
    assert_eq!(plain(&recursion.replace("  store i32 2, %mine\n", ""), "f"), ["seen: 1"]);
}

#[test]
fn copies_fills_and_bytes_over_a_cell_change_it() {
    let text = |line: &str| {
        format!(
            "
declare @llvm.memcpy.p0.p0.i64
declare @llvm.memset.p0.i64
declare @llvm.lifetime.start.p0
global internal @from type [16 x i8] = {{ }}
define i32 @main(i64 %n) {{
  %s = alloca {{ i32, i32, i64 }}, i32 1
  %at = getelementptr i8, ptr %s, i64 4
  store i32 1, %at
  {line}
  %r = load i32, %at
  ret i32 %r
}}
"
        )
    };
    let after = |line: &str| plain(&text(line), "main").remove(0);
    let copy = |to: &str, length: &str| {
        after(&format!("call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr @from, i64 {length}, i1 false)"))
    };
    assert_eq!(copy("%s", "8"), "r: changed by call");
    assert_eq!(copy("%s", "4"), "r: 1");
    assert_eq!(copy("%s", "%n"), "r: changed by call");
    assert_eq!(copy("%at", "1"), "r: changed by call");
    assert_eq!(after("call void @llvm.memset.p0.i64(ptr %s, i8 0, i64 5, i1 false)"), "r: changed by call");
    assert_eq!(after("call void @llvm.memset.p0.i64(ptr %s, i8 0, i64 4, i1 false)"), "r: 1");
}

#[test]
fn what_was_never_written_is_undefined_and_constants_never_change() {
    let text = "
declare noalias ptr @malloc(i64)
declare @unknown
global @table type [2 x i32] constant = { 0: i32 3, 4: i32 4 }
define i32 @main(ptr %p) {
  %x = alloca i32, i32 1
  %h = call ptr @malloc(i64 8)
  %u = load i32, %x
  %v = load i32, %h
  store i32 1, %p
  call void @unknown(ptr @table)
  %t = load i32, @table+4
  ret i32 0
}
";
    assert_eq!(plain(text, "main"), ["u: undefined", "v: undefined", "t: entry"]);
}

/// Every place in a big function is followed, in little time.
#[test]
fn thousands_of_cells_and_blocks_end() {
    let mut text = "global internal @g type [4096 x i32] = { }\ndefine i32 @main(i32 %n, ptr %p) {\nentry:\n  br label %head\nhead:\n  switch i32 %n, label %end [".to_owned();
    for case in 0..2000 {
        text += &format!(" i32 {case}, label %b{case}");
    }
    text += " ]\n";
    for case in 0..2000 {
        text += &format!(
            "b{case}:\n  %v{case} = load i32, @g+{}\n  store i32 %v{case}, @g+{}\n  br label %head\n",
            case * 4,
            (case * 7 % 2000) * 4
        );
    }
    text += "end:\n  ret i32 0\n}\n";
    let lines = plain(&text, "main");
    assert_eq!(lines.len(), 2000);
    let count = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    let (merges, others) = (count("merge of 2001 at head"), count("not followed"));
    assert!(merges > 500 && merges + others == 2000, "{merges} and {others}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_claim_is_ever_wrong(plan in programs::plans(), turns in prop::collection::vec(any::<u8>(), 60)) {
        let text = programs::text(&plan);
        let module = parse_module(&format!("{LAYOUT}{text}")).expect(&text);
        let wrong = check(&module, &turns);
        prop_assert!(wrong.is_none(), "{}\n{text}", wrong.unwrap_or_default());
    }
}

/// Walks the program and holds the claims about `@f` against it.
fn check(module: &Module, turns: &[u8]) -> Option<String> {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let memory = MemoryModel::of(module, &layout, &effects, World::Closed);
    let (id, body) = module.functions.iter().find(|(_, function)| function.name == "f").expect("@f");
    let versions = MemoryVersions::compute(&memory, id, &Dominators::compute(body, BlockId::new(0)));
    evaluator::Evaluator::new(module, &layout, turns).hold(id, &versions)
}
