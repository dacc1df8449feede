//! The cases of llvm-pred (Xie, 2014).

use super::*;

const USES: &[RuleSet] = &[RuleSet::UseOnly];

fn by_uses<'a>() -> Asking<'a> {
    Asking { rules: USES, ..Asking::default() }
}

/// `Δ:=1||{Δ#1+1}`
#[test]
fn a_value_that_is_one_or_itself_and_one_more() {
    let text = "
define i32 @f() {
entry:
  br label %head
head:
  %i = phi i32 [ 1, %entry ], [ %n, %head ]
  %n = add i32 %i, 1
  %c = icmp slt i32 %n, 10
  br i1 %c, label %head, label %end
end:
  ret i32 %n
}
";
    assert_eq!(ask(text, "f.i").text, "1||{Δ#1+1}");
    // An operation is never meant by itself: the phi in it is.
    assert_eq!(ask(text, "f.n").text, "{1||{Δ#1+1}}+1");
}

/// `Δ:=1||{2||{Δ#2+1}}`, and `Δ||X = X`.
const NESTED: &str = "
define i32 @f(i1 %c) {
entry:
  br label %outer
outer:
  %a = phi i32 [ 1, %entry ], [ %b, %inner ]
  br i1 %c, label %inner, label %other
other:
  %more = add i32 %a, 1
  br label %inner
inner:
  %b = phi i32 [ FIRST, %outer ], [ %more, %other ]
  %x = mul i32 %b, 2
  br i1 %c, label %outer, label %end
end:
  ret i32 %a
}
";

#[test]
fn the_scope_of_a_delta_is_counted_in_alternatives() {
    assert_eq!(ask(&NESTED.replace("FIRST", "2"), "f.a").text, "1||{2||{Δ#2+1}}");
}

#[test]
fn a_delta_among_alternatives_says_nothing() {
    let text = NESTED.replace("FIRST", "%a");
    assert_eq!(ask(&text, "f.a").text, "1||{Δ#1+1}");
    // Unless something is done to it on the way.
    let text = text.replace("[ 1, %entry ], [ %b, %inner ]", "[ 1, %entry ], [ %x, %inner ]");
    assert_eq!(ask(&text, "f.a").text, "1||{{Δ#2||{Δ#2+1}}*2}");
}

#[test]
fn equal_alternatives_are_one_and_constants_are_folded() {
    let text = "
define i32 @f(i32 %n, i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  br label %end
two:
  br label %end
end:
  %p = phi i32 [ %n, %one ], [ %n, %two ]
  %d = sub i32 %p, 2
  %e = sub i32 %d, 1
  %m = add i32 %e, -4
  %q = add i32 3, 4
  ret i32 %e
}
";
    let open = Asking { world: World::Open, ..Asking::default() };
    assert_eq!(ask_as(text, "f.e", &open).text, "%n-3");
    assert_eq!(ask_as(text, "f.m", &open).text, "%n-7");
    assert_eq!(ask_as(text, "f.q", &open).constant, Some(7));
    assert_eq!(ask_as(text, "f.e", &open).inputs, ["%n: a parameter of f"]);
}

/// Case 1: the callee stores through its parameter.
const OUT: &str = "
define internal void @get_param(ptr %to, ptr %other) {
  store i32 5, %to
  store i32 9, %other
  ret void
}
define i32 @main() {
  %x = alloca i32
  %y = alloca i32
  call void @get_param(%x, %y)
  %v = load i32, %x
  ret i32 %v
}
";

#[test]
fn get_param_a_store_in_the_callee_through_its_parameter() {
    let said = ask(OUT, "main.v");
    assert_eq!((said.text.as_str(), said.constant, said.quality), ("5", Some(5), ResolutionQuality::Exact));
    let said = ask_as(OUT, "main.v", &by_uses());
    assert_eq!((said.text.as_str(), said.constant, said.quality), ("5?", None, ResolutionQuality::Possible));
    // Without the store the answer must change.
    let said = ask(&OUT.replace("store i32 5, %to", "fence"), "main.v");
    assert_eq!((said.text.as_str(), said.constant), ("undefined", None));
}

/// Cases 2 and 3: the callee loads through its parameter; the caller's pointer
/// is a cast, or a variable that was stored to.
const IN: &str = "
define internal i32 @get_param(ptr %from) {
  %v = load i32, %from
  ret i32 %v
}
define i32 @main() {
  %x = alloca i32
  store i32 7, %x
  %cast = bitcast ptr %x
  %r = call i32 @get_param(%cast)
  ret i32 %r
}
";

#[test]
fn get_param_a_load_in_the_callee_of_a_cast_or_a_variable_of_the_caller() {
    for text in [IN.to_owned(), IN.replace("@get_param(%cast)", "@get_param(%x)")] {
        for path in ["get_param.v", "main.r"] {
            let said = ask(&text, path);
            assert_eq!((said.text.as_str(), said.constant), ("7", Some(7)), "{path}");
            assert_eq!(ask_as(&text, path, &by_uses()).text, "7?", "{path}");
        }
    }
    let dropped = IN.replace("store i32 7, %x", "fence");
    assert_eq!(ask(&dropped, "main.r").text, "undefined");
}

/// The document lost data by keying on the variable: it is stored to several
/// times, and each call must see its own store.
const TWICE: &str = "
define internal i32 @get(ptr %from) {
  %v = load i32, %from
  ret i32 %v
}
define i32 @main() {
  %x = alloca i32
  %y = alloca i32
  store i32 1, %x
  %a = call i32 @get(%x)
  store i32 2, %x
  %b = call i32 @get(%x)
  store i32 3, %y
  %c = call i32 @get(%y)
  ret i32 %a
}
";

#[test]
fn each_call_sees_what_was_stored_before_it() {
    assert_eq!(ask(TWICE, "main.a").constant, Some(1));
    assert_eq!(ask(TWICE, "main.b").constant, Some(2));
    assert_eq!(ask(TWICE, "main.c").constant, Some(3));
    let any = ask(TWICE, "get.v");
    assert_eq!((any.constant, any.constants), (None, Some(vec![1, 2, 3])));
    assert_eq!(any.text, "1||2||3");
    let second = [("main", 5)];
    let asking = Asking { calls: &second, ..Asking::default() };
    assert_eq!(ask_as(TWICE, "get.v", &asking).constant, Some(2));
    // The edges say which call each comes from.
    assert!(any.edges.iter().any(|edge| edge.contains("called by main at %b in @main")), "{:#?}", any.edges);
}

#[test]
fn rules_take_over_what_others_leave_and_full_dependence_closes() {
    let text = "
global @g type i32 = { }
define internal void @set(i32 %n) {
  store i32 %n, @g
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
  %p = call ptr @choose()
  %v = load i32, %p
  %w = load i32, @g
  %s = add i32 %v, %w
  ret i32 %s
}
declare @choose
";
    let full = Asking { rules: &[RuleSet::Full], ..Asking::default() };
    let said = ask_as(text, "main.s", &full);
    assert_eq!(said.text, "*choose()+*@g");
    assert_eq!(said.quality, ResolutionQuality::Unknown);
    let both = Asking { rules: &[RuleSet::UseOnly, RuleSet::Full], ..Asking::default() };
    assert_eq!(ask_as(text, "main.s", &both).text, "*choose()+%n?");
    let seen = [(("main", 2), ("set", 0))];
    let profiled = Asking { rules: &[RuleSet::Profile, RuleSet::Full], profile: &seen, ..Asking::default() };
    let said = ask_as(&text.replace("store i32 %n", "store i32 12"), "main.s", &profiled);
    assert_eq!((said.text.as_str(), said.constant), ("*choose()+12?", None));
    assert!(said.blockers.iter().any(|line| line.contains("one run")));
}
