//! Is only admitted what is on the list? Text in, rules out, without LLVM.

use opcost_instrument::{Library, Rule, admit};
use opcost_ir::parse_module;

/// The rules by which a module is objected to.
fn rules(text: &str) -> Vec<Rule> {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let objections = admit(&module, &Library::with(["game_turn".to_owned()])).objections;
    objections.into_iter().map(|objection| objection.rule).collect()
}

/// A function of these lines, and what stands before it.
fn body(before: &str, lines: &[&str]) -> String {
    format!("{before}\ndefine i32 @main(i32 %n, ptr %p) {{\nentry:\n  {}\n}}\n", lines.join("\n  "))
}

const CASES: &[(&str, &[&str], &[Rule])] = &[
    ("", &["%a = add i32 %n, 1", "ret i32 %a"], &[]),
    ("declare @strlen", &["%a = call i64 @strlen(ptr %p)", "ret i32 0"], &[]),
    ("declare @game_turn", &["call void @game_turn()", "ret i32 0"], &[]),
    ("declare @other_turn", &["call void @other_turn()", "ret i32 0"], &[Rule::OutsideFunction]),
    ("declare @system", &["store ptr -> void, ptr @system, ptr %p", "ret i32 0"], &[Rule::OutsideFunction]),
    ("declare @opc_fuel_used_up", &["ret i32 0"], &[Rule::ReservedName]),
    ("declare @llvm.x86.rdtsc", &["%a = call i64 @llvm.x86.rdtsc()", "ret i32 0"], &[Rule::Intrinsic]),
    ("declare @llvm.unheard.of", &["call void @llvm.unheard.of()", "ret i32 0"], &[Rule::Intrinsic]),
    ("", &["call void ptr asm()", "ret i32 0"], &[Rule::InlineAssembly]),
    ("", &["call void ptr asm() empty", "ret i32 0"], &[]),
    ("", &["%f = load ptr, ptr %p", "call void %f()", "ret i32 0"], &[]),
    ("", &["call void %p()", "ret i32 0"], &[]),
    ("", &["%f = inttoptr ptr i32 %n", "call void %f()", "ret i32 0"], &[]),
    ("", &["%m = add i32 %n, 5", "%f = inttoptr ptr %m", "call void %f()", "ret i32 0"], &[Rule::NoFunction]),
    ("", &["%f = getelementptr i8, ptr %p, i32 %n", "call void %f()", "ret i32 0"], &[Rule::NoFunction]),
    (
        "",
        &[
            "%g = getelementptr i8, ptr %p, i32 %n",
            "%f = select ptr true, %p, %g",
            "call void %f()",
            "ret i32 0",
        ],
        &[Rule::NoFunction],
    ),
    ("", &["call void ptr c\"inttoptr (i64 64 to ptr)\"()", "ret i32 0"], &[Rule::NoFunction]),
    (
        "",
        &["store ptr -> void, ptr c\"getelementptr (i8, ptr @main, i64 5)\", ptr %p", "ret i32 0"],
        &[Rule::CodeAddress],
    ),
    (
        "",
        &["store ptr -> void, ptr c\"blockaddress(@main, %entry)\", ptr %p", "ret i32 0"],
        &[Rule::BlockAddress],
    ),
    ("", &["%a = load i129, ptr %p", "ret i32 0"], &[Rule::Size]),
    ("", &["%a = load <200 x i32>, ptr %p", "ret i32 0"], &[Rule::Size]),
    ("", &["%a = load <128 x i32>, ptr %p", "ret i32 0"], &[]),
    ("", &["%a = load [65 x i8], ptr %p", "ret i32 0"], &[Rule::Size]),
    ("", &["%a = alloca [9000000 x i8], i32 1", "ret i32 0"], &[Rule::Size]),
    ("", &["%a = alloca i8, i32 %n", "ret i32 0"], &[]),
    (
        "",
        &["%a = addrspacecast ptr addrspace(256) %p", "ret i32 0"],
        &[Rule::Instruction, Rule::AddressSpace],
    ),
    ("declare @game_turn", &["call void @game_turn(ptr %p) copies 5000", "ret i32 0"], &[Rule::Size]),
    ("assembly", &["ret i32 0"], &[Rule::ModuleAssembly]),
    ("metadata \"llvm.linker.options\"", &["ret i32 0"], &[Rule::Metadata]),
    ("metadata \"llvm.ident\"", &["ret i32 0"], &[]),
    ("ifunc \"work\"", &["ret i32 0"], &[Rule::Ifunc]),
    ("global internal \"a\" section \".init_array\"", &["ret i32 0"], &[Rule::Section]),
    ("global internal \"a\" section \".rodata.cst8\"", &["ret i32 0"], &[]),
    ("global internal \"a\" section \".text\"", &["ret i32 0"], &[Rule::Section]),
    ("global internal \"a\" into_code", &["ret i32 0"], &[Rule::CodeAddress]),
    ("global internal \"a\" blocks", &["ret i32 0"], &[Rule::BlockAddress]),
    ("global external \"stdout\"", &["ret i32 0"], &[]),
    ("global external \"etext\"", &["ret i32 0"], &[Rule::OutsideData]),
    ("global external \"opc_fuel\"", &["ret i32 0"], &[Rule::ReservedName]),
    ("global \"malloc\"", &["ret i32 0"], &[Rule::ReservedName]),
    ("constructor 65535 @main", &["ret i32 0"], &[]),
    ("constructor 101 @main", &["ret i32 0"], &[Rule::Constructor]),
    ("destructor 0 @main", &["ret i32 0"], &[]),
    ("constructor 65535 none", &["ret i32 0"], &[Rule::Constructor]),
];

#[test]
fn what_is_on_the_list_is_admitted_and_nothing_else() {
    for (before, lines, wanted) in CASES {
        let text = body(before, lines);
        assert_eq!(rules(&text), *wanted, "{text}");
    }
}

#[test]
fn what_stands_at_functions_is_looked_at() {
    let function = |words: &str| rules(&format!("define void @f(){words} {{\nentry:\n  ret\n}}\n"));
    assert_eq!(function(""), []);
    assert_eq!(function(" marks \"frame-pointer\" \"no-builtin-memcpy\""), []);
    assert_eq!(function(" naked"), [Rule::Naked]);
    assert_eq!(function(" presplitcoroutine"), [Rule::Coroutine]);
    assert_eq!(function(" section \".init\""), [Rule::Section]);
    assert_eq!(function(" section \".text.hot\""), []);
    assert_eq!(function(" marks \"patchable-function\""), [Rule::Attribute]);
    assert_eq!(function(" marks \"prologue\""), [Rule::Attribute]);
    let named =
        |name: &str, linkage: &str| rules(&format!("define {linkage}void @{name}() {{\nentry:\n  ret\n}}\n"));
    assert_eq!(named("opc_fuel_used_up", ""), [Rule::ReservedName]);
    assert_eq!(named("getenv", ""), [Rule::ReservedName]);
    assert_eq!(named("getenv", "internal "), []);
    assert_eq!(named("_Znwm", "weak "), []);
    assert_eq!(named("__wrap_exit", ""), [Rule::ReservedName]);
    // A copy for the optimiser: what runs is another's.
    assert_eq!(named("somewhere", "available_externally "), [Rule::OutsideFunction]);
    assert_eq!(named("strlen", "available_externally "), []);
}

/// Two hosts compare hashes: who compiled the module, and of which bytes, is not part of what runs.
#[test]
fn the_hash_of_code_does_not_depend_on_who_compiled_it() {
    let hash = |before: &str, result: &str| {
        let text = body(before, &[result]);
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        admit(&module, &Library::with([])).hash
    };
    let plain = hash("", "ret i32 0");
    let files = "file \"a.c\" md5 \"0123456789abcdef0123456789abcdef\"\nplace 0 1:1\n";
    for before in ["source \"a.c\"\n", "producer \"another clang 22\"\n", files] {
        assert_eq!(hash(before, "ret i32 0"), plain, "{before}");
    }
    assert_ne!(hash("", "ret i32 1"), plain);
}
