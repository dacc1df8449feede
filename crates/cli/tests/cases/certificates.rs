//! Does making a certificate end, and is what others may write never claimed?
//!
//! Each line of the table is a word of LLVM's language by which another party fills, reads or
//! replaces data or enters code. The analysis must not believe its first value, and neither must
//! the checker: a certificate by hand says that it stays.

use opcost_testkit::command::Workplace;
use serde_json::{Value, json};

use super::{cases, opcost};

/// How many claims hold, how many questions were asked, and how many claims were made weaker.
fn made(line: &str) -> [u64; 3] {
    let place = cases();
    let said = opcost(&place, &format!("bits --certificate c.json {line}")).expect(0);
    let file = line.split(' ').next_back().expect("a file");
    let flags = line.strip_suffix(file).expect("flags");
    let checked = opcost(&place, &format!("bits --check c.json {flags}{file}")).expect(0);
    assert!(checked.stdout.starts_with("holds: "), "{}", checked.all());
    let line = said.stderr.lines().find(|line| line.starts_with("certificate: ")).expect("a line").to_owned();
    let numbers = line.split(|letter: char| !letter.is_ascii_digit() && letter != ',');
    let numbers: Vec<u64> = numbers.filter_map(|digits| digits.replace(',', "").parse().ok()).collect();
    numbers[..3].try_into().expect("three numbers")
}

/// Control comes a second time: nothing is claimed, at once.
#[test]
fn making_a_certificate_ends_where_control_comes_again() {
    for level in ["-O0", "-O1", "-O2"] {
        let [claims, questions, weaker] = made(&format!("{level} --world open jump_back.c"));
        assert!(claims <= 10 && questions <= 40 && weaker <= 40, "{claims} {questions} {weaker}");
    }
}

/// Products and quotients of 128 bits are asked about briefly.
#[test]
fn wide_arithmetic_is_asked_about_briefly() {
    for level in ["-O0", "-O1", "-O2"] {
        let [claims, questions, weaker] = made(&format!("{level} --world open wide_rest.c"));
        assert!(questions <= 150 && weaker <= 80, "{claims} {questions} {weaker}");
    }
}

/// A program that returns what is in `@g`, with more before it.
fn reader(global: &str, more: &str) -> String {
    format!("{more}{global}\ndefine i32 @main() {{\n  %a = load i32, ptr @g\n  ret i32 %a\n}}\n")
}

/// Bits that the analysis proves for a value; none if it is not listed.
fn width(place: &Workplace, world: &str, key: &str) -> Option<u64> {
    let document = opcost(place, &format!("bits --world {world} --json - given.ll")).expect(0).json();
    let functions = document["functions"].as_array().expect("functions").iter();
    let mut values = functions.flat_map(|one| one["values"].as_array().expect("values"));
    values.find(|value| value["key"] == key)?["width"].as_u64()
}

/// Whether the checker believes that `@g` stays 0.
fn is_believed(place: &Workplace, world: &str) -> bool {
    opcost(place, &format!("bits --world {world} --certificate forged.json given.ll")).expect(0);
    let mut forged = place.json("forged.json");
    let zero = || json!({ "width": 32, "first": "0", "span": "0" });
    forged["contents"] =
        json!([{ "object": { "global": "g" }, "first": 0, "step": 0, "size": 4, "range": zero() }]);
    for claims in forged["functions"].as_array_mut().expect("functions") {
        if claims["name"] == "main" {
            claims["values"] = json!([{ "value": "i0", "range": zero() }]);
            claims["returned"] = Value::Null;
        }
    }
    place.write("forged.json", forged.to_string());
    let said = opcost(place, &format!("bits --world {world} --check forged.json given.ll"));
    assert!(matches!(said.status, 0 | 1 | 3), "{}", said.all());
    said.status == 0
}

/// Whose contents are believed, by the analysis and by the checker.
#[test]
fn data_that_others_fill_or_write_is_not_believed() {
    const FUNCTION: &str = "define internal void @f()";
    let kept =
        |list: &str| format!("@{list} = appending global [1 x ptr] [ptr @g], section \"llvm.metadata\"\n");
    let before = |what: &str| format!("{FUNCTION} {what} ptr @g {{\n  ret void\n}}\n@t = global ptr @f\n");
    let plain = "@g = internal global i32 0";
    let none = String::new;
    let cases: [(&str, String, &str, bool); 26] = [
        (plain, none(), "closed", true),
        (plain, none(), "open", true),
        ("@g = private global i32 0", none(), "closed", true),
        ("@g = global i32 0", none(), "closed", true),
        ("@g = hidden global i32 0", none(), "closed", true),
        ("@g = weak global i32 0", none(), "closed", true),
        ("@g = common global i32 0", none(), "closed", true),
        ("@g = internal constant i32 0", none(), "open", true),
        ("@g = internal externally_initialized global i32 0", none(), "closed", false),
        ("@g = internal externally_initialized global i32 0", none(), "open", false),
        ("@g = internal externally_initialized constant i32 0", none(), "closed", false),
        ("@g = externally_initialized global i32 0", none(), "closed", false),
        ("@g = dllexport global i32 0", none(), "closed", false),
        ("@g = available_externally global i32 0", none(), "closed", false),
        ("@g = appending global [1 x i32] zeroinitializer", none(), "closed", false),
        ("@g = appending constant [1 x i32] zeroinitializer", none(), "closed", false),
        ("@g = extern_weak global i32", none(), "closed", false),
        ("@g = internal global i32 0, section \"tab\"", none(), "closed", false),
        (plain, kept("llvm.used"), "closed", false),
        (plain, kept("llvm.compiler.used"), "closed", false),
        (plain, before("prefix"), "closed", false),
        (plain, before("prologue"), "closed", false),
        ("@g = global i32 0", "@h = alias i32, ptr @g\n".to_owned(), "open", false),
        ("@g = hidden global i32 0", none(), "open", false),
        ("@g = weak constant i32 0", none(), "open", false),
        ("@g = global i32 0", none(), "open", false),
    ];
    let mut wrong = String::new();
    for (global, more, world, is_fixed) in cases {
        let place = cases_folder(&reader(global, &more));
        let proven = width(&place, world, "@main:i0");
        let by_hand = is_believed(&place, world);
        if (proven == Some(0)) != is_fixed || by_hand != is_fixed {
            wrong += &format!("{more}{global}, {world}: {proven:?} bits, checker: {by_hand}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A folder with one program.
fn cases_folder(text: &str) -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("given.ll", text);
    place
}

/// What others call is called with anything: a parameter that only one call gives.
#[test]
fn code_that_others_call_is_called_with_anything() {
    let used = "@llvm.used = appending global [1 x ptr] [ptr @f], section \"llvm.metadata\"\n";
    let signal = "declare ptr @signal(i32, ptr)\n";
    let at_exit = "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]\n";
    let personality = "declare void @g()\ndefine void @h() personality ptr @f {\n  invoke void @g() to label %a unwind label %b\na:\n  ret void\nb:\n  %l = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %l\n}\n";
    let cases: [(&str, &str, &str, &str, bool); 10] = [
        ("", "define internal i32 @f(i32 %x)", "", "closed", true),
        ("", "define i32 @f(i32 %x)", "", "closed", true),
        ("", "define i32 @f(i32 %x)", "", "open", false),
        ("", "define dllexport i32 @f(i32 %x)", "", "closed", false),
        ("", "define internal i32 @f(i32 %x) section \"start\"", "", "closed", false),
        (used, "define internal i32 @f(i32 %x)", "", "closed", false),
        (at_exit, "define internal i32 @f(i32 %x)", "", "closed", false),
        (personality, "define internal i32 @f(i32 %x)", "", "closed", false),
        (
            signal,
            "define internal i32 @f(i32 %x)",
            "  %s = call ptr @signal(i32 2, ptr @f)\n",
            "closed",
            false,
        ),
        ("@h = alias i32 (i32), ptr @f\n", "define i32 @f(i32 %x)", "", "open", false),
    ];
    let mut wrong = String::new();
    for (more, head, before, world, is_fixed) in cases {
        let text = format!(
            "{more}{head} {{\n  ret i32 %x\n}}\ndefine i32 @main() {{\n{before}  %a = call i32 @f(i32 7)\n  ret i32 %a\n}}\n"
        );
        let place = cases_folder(&text);
        let own = if head.starts_with("define internal") { "given.ll@f:argument0" } else { "@f:argument0" };
        let proven = width(&place, world, own);
        if (proven == Some(0)) != is_fixed || proven.is_none() {
            wrong += &format!("{more}{head} {world}: {proven:?} bits\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
