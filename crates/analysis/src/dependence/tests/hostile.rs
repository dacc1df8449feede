//! Programs that try to mislead: every answer must see the other writer.

use super::*;

/// Values of a module's `main.v` and whether it is certain.
fn numbers(text: &str) -> (Option<i128>, Option<Vec<i128>>) {
    let said = ask(text, "main.v");
    (said.constant, said.constants)
}

const ESCAPED: &str = "
global internal @keep type ptr = { }
define internal void @change() {
  %p = load ptr, @keep
  store i32 9, %p
  ret void
}
define i32 @main() {
  %x = alloca i32
  store i32 1, %x
  store ptr %x, @keep
  call void @change()
  %v = load i32, %x
  ret i32 %v
}
";

#[test]
fn a_store_through_a_pointer_that_was_kept() {
    // One variable, one pointer to it: the store certainly hits.
    assert_eq!(numbers(ESCAPED), (Some(9), Some(vec![9])));
    let two = ESCAPED.replace(
        "store ptr %x, @keep",
        "%y = alloca i32\n  %q = select ptr i1 undef, ptr %x, ptr %y\n  store ptr %q, @keep",
    );
    assert_eq!(numbers(&two), (None, Some(vec![1, 9])));
    let dropped = ESCAPED.replace("store i32 9, %p", "fence");
    assert_eq!(numbers(&dropped), (Some(1), Some(vec![1])));
}

#[test]
fn a_callback_of_a_library_function() {
    let text = "
declare @qsort
global internal @calls type i32 = { }
define internal i32 @compare(ptr %a, ptr %b) {
  %n = load i32, @calls
  %m = add i32 %n, 1
  store i32 %m, @calls
  ret i32 0
}
define i32 @main() {
  %x = alloca [4 x i32]
  call void @qsort(%x, i64 4, i64 4, ptr @compare)
  %v = load i32, @calls
  ret i32 %v
}
"
    .replace("ptr @compare", "@compare");
    let said = ask(&text, "main.v");
    assert_eq!(said.constant, None);
    assert!(said.text.contains("+1") && said.text.contains('0'), "{}", said.text);
    let without = text.replace("store i32 %m, @calls", "fence");
    assert_eq!(ask(&without, "main.v").constant, Some(0));
}

#[test]
fn recursion_has_a_variable_for_each_activation() {
    let text = "
define internal i32 @f(ptr %outer, i32 %n) {
entry:
  %x = alloca i32
  store i32 1, %x
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %again
again:
  %m = sub i32 %n, 1
  %r = call i32 @f(%x, %m)
  br label %end
end:
  store i32 2, %outer
  %v = load i32, %x
  ret i32 %v
}
define i32 @main() {
  %y = alloca i32
  store i32 5, %y
  %a = call i32 @f(%y, i32 3)
  %v = load i32, %y
  ret i32 %v
}
";
    // The inner activation wrote 2 to the outer one's variable, or there was none.
    assert_eq!(ask(text, "f.v").constants, Some(vec![1, 2]));
    assert_eq!(ask(text, "f.v").constant, None);
    let main = ask(text, "main.v");
    assert!(main.constants.as_ref().is_some_and(|all| all.contains(&2)), "{main:?}");
    // Passing nothing on, each sees its own.
    let own = text.replace("@f(%x, %m)", "@f(%outer, %m)");
    assert_eq!(ask(&own, "f.v").constant, Some(1));
}

#[test]
fn other_types_and_parts_of_the_bytes() {
    let text = "
define i32 @main() {
  %x = alloca i64
  store i64 4294967298, %x
  STORE
  %v = load i32, %x
  ret i32 %v
}
";
    // The low half of what was stored.
    assert_eq!(ask(&text.replace("STORE", "fence"), "main.v").constant, Some(2));
    assert_eq!(numbers(&text.replace("STORE", "store i32 7, %x")), (Some(7), Some(vec![7])));
    // Both lanes are the word.
    let lanes = text.replace("STORE", "store <2 x i16> zeroinitializer, %x");
    assert_eq!(ask(&lanes, "main.v").constant, Some(0));
    for part in ["store i8 1, %x", "store i16 0, %x", "store float 1.0, %x"] {
        let said = ask(&text.replace("STORE", part), "main.v");
        assert_eq!((said.constant, said.quality), (None, ResolutionQuality::Unknown), "{part}");
    }
    // Behind the cell.
    let behind = "%p = getelementptr i8, %x, i64 4\n  store i32 7, %p";
    let text = text.replace("store i64 4294967298, %x", "store i32 3, %x");
    assert_eq!(numbers(&text.replace("STORE", behind)).0, Some(3));
    let into = behind.replace("i64 4", "i64 3");
    assert_eq!(numbers(&text.replace("STORE", &into)), (None, None));
}

#[test]
fn copies_and_fillings_of_memory() {
    let text = "
declare @llvm.memcpy.p0.p0.i64
declare @llvm.memset.p0.i64
define i32 @main() {
  %x = alloca [4 x i32]
  %y = alloca [4 x i32]
  %at = getelementptr i32, %x, i64 1
  store i32 6, %at
  DO
  %from = getelementptr i32, %y, i64 1
  %v = load i32, %from
  ret i32 %v
}
";
    let copy = "call void @llvm.memcpy.p0.p0.i64(%y, %x, i64 16, i1 false)";
    assert_eq!(numbers(&text.replace("DO", copy)).0, Some(6));
    let short = copy.replace("i64 16", "i64 4");
    assert_eq!(ask(&text.replace("DO", &short), "main.v").text, "undefined");
    let moved = text.replace("DO", copy).replace("i32, %x, i64 1", "i32, %x, i64 2");
    assert_eq!(numbers(&moved).0, None);
    let fill = "call void @llvm.memset.p0.i64(%y, i8 1, i64 16, i1 false)";
    assert_eq!(numbers(&text.replace("DO", fill)).0, Some(0x0101_0101));
    let both = format!("{fill}\n  {short}");
    assert_eq!(numbers(&text.replace("DO", &both)).0, Some(0x0101_0101));
    // A length that nobody knows: perhaps.
    let open = format!("%n = call i64 @mystery()\n  {fill}\n  {}", copy.replace("i64 16", "%n"));
    let open = format!("declare @mystery\n{}", text.replace("DO", &open));
    assert_eq!(numbers(&open), (None, Some(vec![6, 0x0101_0101])));
}

#[test]
fn a_thread_writes_at_any_time() {
    let text = "
declare @pthread_create
global internal @flag type i32 = { }
define internal ptr @run(ptr %p) {
  store i32 5, @flag
  ret ptr null
}
define i32 @main() {
  %t = alloca i64
  store i32 1, @flag
  %r = call i32 @pthread_create(%t, ptr null, @run, ptr null)
  store i32 2, @flag
  %v = load i32, @flag
  ret i32 %v
}
";
    let (constant, constants) = numbers(text);
    assert_eq!(constant, None);
    assert!(constants.is_some_and(|all| all.contains(&5) && all.contains(&2)));
    assert_eq!(numbers(&text.replace("store i32 5, @flag", "fence")).0, Some(2));
}

#[test]
fn volatile_and_atomic_memory_is_opaque() {
    let text = "
global internal @g type i32 = { }
define i32 @main() {
  store i32 1, @g
  %v = load volatile i32, @g
  ret i32 %v
}
";
    let said = ask(text, "main.v");
    assert_eq!((said.constant, said.blockers), (None, vec!["volatile or atomic memory".to_owned()]));
    assert_eq!(numbers(&text.replace("volatile ", "")).0, Some(1));
}

#[test]
fn an_address_that_was_a_number() {
    let text = "
define i32 @main() {
  %x = alloca i32
  store i32 1, %x
  %n = ptrtoint ptr %x to i64
  %m = add i64 %n, 0
  %p = inttoptr i64 %m to ptr
  store i32 3, %p
  %v = load i32, %x
  ret i32 %v
}
"
    .replace("ptrtoint ptr %x to i64", "ptrtoint i64 %x")
    .replace("inttoptr i64 %m to ptr", "inttoptr ptr %m");
    let (constant, constants) = numbers(&text);
    assert_eq!(constant, None);
    assert!(constants.is_none_or(|all| all.contains(&3)));
    assert_eq!(numbers(&text.replace("store i32 3, %p", "fence")).0, Some(1));
}

#[test]
fn behind_setjmp_every_write_counts() {
    let text = "
declare @setjmp
define i32 @main() {
  %b = alloca [32 x i64]
  %x = alloca i32
  store i32 1, %x
  %r = call i32 @setjmp(%b) returns_twice
  %v = load i32, %x
  store i32 2, %x
  ret i32 %v
}
";
    assert_eq!(numbers(text), (None, Some(vec![1, 2])));
    assert_eq!(numbers(&text.replace("returns_twice", "")).0, Some(1));
}

#[test]
fn an_exception_comes_out_in_the_middle_of_a_callee() {
    let text = "
declare @personality
declare @may_throw
global internal @g type i32 = { }
define internal void @work() {
  store i32 1, @g
  call void @may_throw()
  store i32 2, @g
  ret void
}
define i32 @main() {
entry:
  invoke void @work() to label %fine unwind label %caught
fine:
  %w = load i32, @g
  ret i32 %w
caught:
  %p = landingpad { ptr, i32 } cleanup
  %v = load i32, @g
  ret i32 %v
}
";
    assert_eq!(ask(text, "main.w").constant, Some(2));
    let caught = ask(text, "main.v");
    assert_eq!(caught.constant, None);
    assert!(caught.constants.is_some_and(|all| all.contains(&1)));
}

#[test]
fn variable_arguments_are_not_followed() {
    let text = "
declare @llvm.va_start
define internal void @set(i32 %n, ...) {
  %list = alloca [24 x i8]
  call void @llvm.va_start(%list)
  %p = va_arg ptr, %list
  store i32 8, %p
  ret void
}
define i32 @main() {
  %x = alloca i32
  store i32 1, %x
  call void @set(i32 1, %x)
  %v = load i32, %x
  ret i32 %v
}
";
    let text = text.replace("va_arg ptr, %list", "va_arg ptr %list");
    let (constant, constants) = numbers(&text);
    assert_eq!(constant, None);
    assert!(constants.is_none_or(|all| all.contains(&8)));
}

#[test]
fn an_answer_that_is_cut_off_says_so() {
    let steps: String = (0..300).map(|n| format!("  %v{} = mul i32 %v{n}, 3\n", n + 1)).collect();
    let text = format!("define i32 @main(i32 %v0, ptr %argv) {{\n{steps}  ret i32 %v300\n}}\n");
    let said = ask(&text, "main.v300");
    assert!(said.is_cut && said.text.contains("deeper than looked"), "{}", said.text);
    assert_eq!(said.quality, ResolutionQuality::Unknown);
    assert!(!ask(&text, "main.v20").is_cut);
}
