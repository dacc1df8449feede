//! What is recorded of poison, what are parameters called, and what do debug records say of numbers
//! in fewer bits?
//!
//! A value that a `select` discards may be poison: it is not recorded. A parameter that is passed
//! in another form than it is written keeps its name. A debug record of a value that was made
//! narrower speaks of the narrow one.

use opcost_testkit::command::Workplace;

use super::{cases, opcost};

const TRIPLE: &str = "target triple = \"x86_64-pc-linux-gnu\"\n";

/// Calls `@f` with 0 to 9, and keeps the sum of what it returns.
const CALLER: &str = "
define i32 @main() {
entry:
  br label %turn
turn:
  %x = phi i32 [ 0, %entry ], [ %next, %turn ]
  %sum = phi i32 [ 0, %entry ], [ %more, %turn ]
  %one = call i32 @f(i32 %x)
  %more = xor i32 %sum, %one
  %next = add i32 %x, 1
  %is_over = icmp eq i32 %next, 10
  br i1 %is_over, label %end, label %turn
end:
  %part = and i32 %more, 0
  ret i32 %part
}
";

/// Code that computes `%p` from `%x` of 0 to 9, its type, and what `%p` is wherever it is no
/// poison, by hand.
const POISON: &[(&str, &str, &str)] = &[
    ("%p = call i32 @llvm.ctlz.i32(i32 %x, i1 true)", "i32", "28..31"),
    ("%p = call i32 @llvm.cttz.i32(i32 %x, i1 true)", "i32", "0..3"),
    ("%y = shl i32 %x, 31\n  %p = call i32 @llvm.abs.i32(i32 %y, i1 true)", "i32", "0"),
    ("%p = add nsw i32 %x, 2147483640", "i32", "2147483640..2147483647"),
    ("%y = sub i32 0, %x\n  %p = add nuw i32 %y, 5", "i32", "-4..5"),
    ("%p = sub nuw i32 %x, 3", "i32", "0..6"),
    ("%y = add i32 %x, -2147483648\n  %p = sub nsw i32 %y, 4", "i32", "-2147483648..-2147483643"),
    ("%p = mul nsw i32 %x, 536870912", "i32", "0..1610612736"),
    ("%p = mul nuw i8 %b, 51", "i8", "-103..102"),
    ("%p = shl nsw i32 %x, 28", "i32", "0..1879048192"),
    ("%p = shl nuw i8 %b, 5", "i8", "-128..96"),
    ("%y = mul i32 %x, 5\n  %p = shl i32 1, %y", "i32", "1..1073741824"),
    ("%y = mul i32 %x, 5\n  %p = lshr i32 1024, %y", "i32", "0..1024"),
    ("%y = mul i32 %x, 5\n  %p = ashr i32 -1024, %y", "i32", "-1024..-1"),
    ("%p = lshr exact i32 %x, 1", "i32", "0..4"),
    ("%y = sub i32 0, %x\n  %p = ashr exact i32 %y, 2", "i32", "-2..0"),
    ("%p = udiv exact i32 %x, 3", "i32", "0..3"),
    ("%y = sub i32 0, %x\n  %p = sdiv exact i32 %y, 4", "i32", "-2..0"),
    ("%p = trunc nuw i32 %x to i3", "i3", "-4..3"),
    ("%p = trunc nsw i32 %x to i4", "i4", "0..7"),
    ("%y = trunc i32 %x to i3\n  %p = zext nneg i3 %y to i32", "i32", "0..3"),
    ("%p = or disjoint i32 %x, 4", "i32", "4..13"),
    ("%y = sub i32 %x, 5\n  %d = sitofp i32 %y to double\n  %p = fptoui double %d to i32", "i32", "0..4"),
    ("%y = shl i32 %x, 4\n  %d = sitofp i32 %y to float\n  %p = fptosi float %d to i8", "i8", "0..112"),
    ("%y = zext i32 %x to i33\n  %p = mul nsw i33 %y, 1073741824", "i33", "0..3221225472"),
    ("%y = trunc i32 %x to i5\n  %p = add nsw i5 %y, 10", "i5", "10..15"),
    // What is computed from poison, and what is chosen of it.
    ("%y = call i32 @llvm.ctlz.i32(i32 %x, i1 true)\n  %p = add i32 %y, 1", "i32", "29..32"),
    ("%y = sub nuw i32 %x, 3\n  %p = call i32 @llvm.umax.i32(i32 %y, i32 2)", "i32", "2..6"),
    (
        "%y = sub nuw i32 %x, 3\n  %c = icmp ult i32 %x, 5\n  %p = select i1 %c, i32 100, i32 %y",
        "i32",
        "2..100",
    ),
    (
        "%y = sub nuw i32 %x, 3\n  %c = icmp ult i32 %y, 5\n  %p = select i1 %c, i32 %x, i32 50",
        "i32",
        "3..50",
    ),
    (
        "%y = sub nuw i32 %x, 3\n  %c = icmp ult i32 %x, 5\n  br i1 %c, label %a, label %b1\n\
         a:\n  br label %b1\nb1:\n  %p = phi i32 [ 70, %a ], [ %y, %0 ]",
        "i32",
        "2..70",
    ),
];

#[test]
fn what_is_poison_in_an_execution_is_not_recorded() {
    let declared =
        ["ctlz.i32", "cttz.i32", "abs.i32"].map(|name| format!("declare i32 @llvm.{name}(i32, i1)\n"));
    let mut wrong = String::new();
    // All at once: a program is built and run for each call of the command.
    for &(code, ty, range) in POISON {
        let back = match ty {
            "i32" => "  %r = and i32 %p, 0".to_owned(),
            "i33" => "  %q = trunc i33 %p to i32\n  %r = and i32 %q, 0".to_owned(),
            _ => format!("  %q = zext {ty} %p to i32\n  %r = and i32 %q, 0"),
        };
        let byte = if code.contains("%b,") { "  %b = trunc i32 %x to i8\n" } else { "" };
        let body = format!("define i32 @f(i32 %x) noinline {{\n{byte}  {code}\n{back}\n  ret i32 0\n}}\n");
        let text =
            format!("{TRIPLE}{}declare i32 @llvm.umax.i32(i32, i32)\n{body}{CALLER}", declared.concat());
        let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
        place.write("given.ll", text);
        let said = opcost(&place, "bits --world closed --observe --json - given.ll");
        if said.status != 0 {
            wrong += &format!("{code}: {}\n", said.all());
            continue;
        }
        let document = said.json();
        let functions = document["functions"].as_array().expect("functions").iter();
        let values = functions.flat_map(|one| one["values"].as_array().expect("values"));
        let observed: Vec<_> = values
            .filter(|value| value["name"] == "%p" || value["name"] == "p")
            .map(|value| value["observed"]["range"].clone())
            .collect();
        if observed != [range] {
            wrong += &format!("{code}: {observed:?} and not {range}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Poison goes through a call whose parameter may be poison, and comes back.
#[test]
fn an_observed_word_of_discarded_poison_is_no_contradiction() {
    for level in ["-O0", "-O1", "-O2"] {
        for source in ["observed_log.c", "observed_passed.ll"] {
            let place = cases();
            let said = opcost(&place, &format!("bits {level} --observe {source}")).expect(0);
            assert!(!said.all().contains("wrong:"), "{}", said.all());
        }
    }
}

/// Sources, and what their parameters are called. A register that holds all fields is the variable.
const PARAMETERS: &[(&str, &str)] = &[
    ("#include <stdbool.h>\nint f(int v, bool enable) { return enable ? (v & 255) : 0; }", "v, enable"),
    ("#include <stdbool.h>\nint f(bool a, bool b, bool c) { return a + 2 * b + 4 * c; }", "a, b, c"),
    ("float f(float x, double y, char c, unsigned short s) { return x * (float)y + c * s; }", "x, y, c, s"),
    (
        "enum e { A, B }; int f(enum e kind, const int *from, int *to) { *to = *from; return kind == B; }",
        "kind, from, to",
    ),
    ("struct p { int x, y; }; int f(struct p at, int k) { return at.x + at.y * k; }", "at, k"),
    ("struct p { long x, y; }; long f(struct p at, int k) { return at.x + at.y * k; }", "at.x, at.y, k"),
    ("struct p { int a, b; long c; }; long f(struct p at) { return at.a + at.b * at.c; }", "at[0], at.c"),
    ("struct i { double x, y; }; double f(struct i at) { return at.x * at.y; }", "at.x, at.y"),
    ("__int128 f(__int128 wide, char c) { return wide * c; }", "wide, c"),
    ("int f(_Complex float z, int k) { return (int)__real__ z + k; }", "z, k"),
];

#[test]
fn parameters_have_their_names_however_they_are_passed() {
    let mut wrong = String::new();
    for (source, names) in PARAMETERS {
        for level in ["-O0", "-O1", "-O2"] {
            let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
            place.write("given.c", source);
            let said = opcost(&place, &format!("bits {level} --world open --assume f.none=1 given.c"));
            if said.status != 2 || !said.stderr.contains(&format!("its parameters are {names}\n")) {
                wrong += &format!("{level} {source}: not {names}: {}\n", said.stderr);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    // A name is taken, that of a part, too.
    for port in ["enable", "x", "y"] {
        let (line, source) = match port {
            "enable" => ("f.enable=1".to_owned(), PARAMETERS[0].0),
            _ => (format!("f.at.{port}=7"), PARAMETERS[5].0),
        };
        let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
        place.write("given.c", source);
        let said =
            opcost(&place, &format!("bits -O1 --world open --assume {line} --json - given.c")).expect(0);
        assert!(said.stdout.contains("(--assume)"), "{port} {}", said.stdout);
    }
}

/// No record of a variable is lost, and the narrow number is widened in the record.
#[test]
fn debug_records_speak_of_the_narrow_number() {
    for (source, level) in [("narrowed_mean.c", "-O1"), ("narrowed_mean.c", "-O2")] {
        let place = cases();
        let records = |text: &str, what: &str| {
            text.lines().filter(|line| line.contains("#dbg_value(") && line.contains(what)).count()
        };
        let plain = place.tool("clang-22", &["-g", level, "-S", "-emit-llvm", "-o", "-", source]).stdout;
        opcost(&place, &format!("bits {level} --world open --cflag=-g --narrow -o narrow.bc {source}"))
            .expect(0);
        let narrow = place.tool("llvm-dis-22", &["-o", "-", "narrow.bc"]).stdout;
        assert_eq!(records(&narrow, "poison"), records(&plain, "poison"), "{narrow}");
        assert_eq!(records(&narrow, ""), records(&plain, ""), "{narrow}");
        let is_widened = |sign: &str| records(&narrow, &format!("DW_OP_LLVM_convert, 32, {sign}")) > 0;
        assert!(is_widened("DW_ATE_unsigned"), "{narrow}");
    }
}
