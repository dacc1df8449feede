//! Is every way to ask answered, the wrong ones too?

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};

use crate::{is_checked, life, opcost, workplace};

/// `-Os` and `-Oz` have pipelines of their own.
#[test]
fn sizes_are_what_clang_makes_of_them() {
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"] {
        for level in ["-Os", "-Oz"] {
            for (name, line) in [("life/foo.c", 3), ("life/loop.c", 4), ("life/calls.c", 3)] {
                is_checked(&life(&["--target", target, level, &format!("{}:{line}", corpus(name))]));
            }
        }
    }
    is_checked(&life(&["-Oz", "--function", "main", &corpus("kernel/kn.c")]));
}

#[test]
fn a_failure_stands_where_the_document_was_asked_for() {
    let place = workplace();
    let output = place.opcost(&["life", "--json", "life.json", &format!("{}:4000", corpus("life/foo.c"))]);
    assert_eq!(output.status, 2);
    let document = place.json("life.json");
    assert_eq!(document["schema"], "opcost.error/1");
    let message = document["error"]["message"].as_str().expect("a text");
    assert!(message.contains("the nearest line that has is"), "{message}");
}

#[test]
fn a_stage_that_is_none_is_told_with_those_that_are() {
    let output = opcost(&["life", "--stage", "assembly", &corpus("life/foo.c")]);
    let said = &output.stderr;
    assert_eq!(output.status, 2, "{said}");
    assert!(said.contains("ast, ir, dag, mir, mc, bytes"), "{said}");
}

struct Case(Workplace);

impl Case {
    fn new() -> Case {
        Case(workplace())
    }

    /// A file of this text; its path.
    fn file(&self, name: &str, text: &str) -> String {
        self.0.at(&self.0.write(name, text))
    }

    /// What clang makes of a file, beside it.
    fn clang(&self, flags: &[&str], source: &str, name: &str) -> String {
        self.0.tool("clang-22", &[flags, &["-o", name, source]].concat());
        self.0.at(name)
    }
}

/// Nothing is shown, the status is this, and all of these words are said.
#[track_caller]
fn refused(arguments: &[&str], status: i32, words: &[&str]) {
    let output = opcost(&[&["life"], arguments].concat());
    let said = &output.stderr;
    assert_eq!(output.status, status, "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", output.stdout);
    for word in words {
        assert!(said.contains(word), "{arguments:?}: {word:?} is missing in\n{said}");
    }
}

const LINES: &str = "int f(int a) {\n  int b = a * 3;\n\n  // nothing here\n\n  return b / 7;\n}\n";

#[test]
fn a_line_without_code_names_those_around_it() {
    let case = Case::new();
    let source = case.file("a.c", LINES);
    refused(&[&format!("{source}:4")], 2, &["a.c:4 has no code", "before it 2, after it 6"]);
    refused(&[&format!("{source}:99")], 2, &["a.c:99 has no code", "a.c:7"]);
}

#[test]
fn files_with_nothing_in_them_and_files_that_do_not_compile() {
    let case = Case::new();
    refused(&[&format!("{}:1", case.file("empty.c", ""))], 2, &["empty.c", "it defines no function"]);
    let unused = case.file("unused.c", "static inline int f(int a) { return a; }\n");
    refused(&[&format!("{unused}:1")], 2, &["or only inline ones that nothing uses"]);
    let broken = case.file("broken.c", "int f( {\n");
    refused(&[&format!("{broken}:1")], 1, &["broken.c:1:8: error:", "clang-22 failed on"]);
    refused(&["nowhere.c:3"], 1, &["cannot read nowhere.c"]);
    refused(&[&case.file("a.txt", "words")], 2, &["neither a source"]);
    refused(&[&format!("{}:1", case.file("a.so", ""))], 2, &["give a source of C, C++, Fortran or Rust"]);
}

#[test]
fn machines_that_are_not_linked_in() {
    let case = Case::new();
    let source = case.file("a.c", LINES);
    let words = ["no code generation for", "x86_64, aarch64, riscv64", "--target"];
    refused(&["--target", "mips64-linux-gnu", &format!("{source}:2")], 1, &words);
}

#[test]
fn modules_that_say_nothing_of_lines() {
    let case = Case::new();
    let source = case.file("a.c", LINES);
    let module = case.clang(&["-O1", "-c", "-emit-llvm"], &source, "a.bc");
    refused(&[&format!("{module}:2")], 2, &["says nothing of lines", "-gline-tables-only", "--function"]);
    assert!(life(&["--function", "f", &module])["stages"].as_array().is_some_and(|all| all.len() > 3));
    refused(
        &["--target", "aarch64-linux-gnu", &format!("{module}:2")],
        2,
        &["is for its own machine already"],
    );
}

/// The opcodes of a stage as it is first told.
fn first(found: &serde_json::Value, stage: &str) -> Vec<String> {
    crate::opcodes(found, stage, "is").into_iter().map(str::to_owned).collect()
}

/// A module that was compiled has the lines of its source, whatever its own name is.
#[test]
fn lines_of_compiled_modules_are_those_of_their_source() {
    let case = Case::new();
    let source = case.file("a.c", LINES);
    for (flags, name) in [(["-O1", "-g", "-c"], "a.bc"), (["-O1", "-g", "-S"], "other.ll")] {
        let module = case.clang(&[&flags[..], &["-emit-llvm"]].concat(), &source, name);
        let found = life(&[&format!("{module}:2")]);
        assert_eq!(first(&found, "ir"), ["mul"], "{name}");
        let column = life(&[&format!("{module}:2:13")]);
        assert_eq!(first(&column, "ir"), ["mul"], "{name}");
        refused(&[&format!("{module}:4")], 2, &["has no code", "2, after it 6", "lines are those of", "a.c"]);
    }
}

/// Where a module is of several sources, a line of one alone is meant, and a line of two is asked about.
#[test]
fn lines_of_linked_modules_are_told_apart() {
    let case = Case::new();
    let one = case.file("one.c", LINES);
    let two = case.file("two.c", "\nint g(int a) { return a - 5; }\n\n\nint h(int a) { return a ^ 6; }\n");
    let parts = [
        case.clang(&["-O1", "-g", "-c", "-emit-llvm"], &one, "1.bc"),
        case.clang(&["-O1", "-g", "-c", "-emit-llvm"], &two, "2.bc"),
    ];
    case.0.tool("llvm-link-22", &[&parts[0], &parts[1], "-o", "both.bc"]);
    let linked = case.0.at("both.bc");
    assert!(first(&life(&[&format!("{linked}:5")]), "ir").contains(&"xor".to_owned()));
    refused(&[&format!("{linked}:2")], 2, &["several sources", "one.c", "two.c", "--function"]);
    refused(&[&format!("{linked}:90")], 2, &["no code in any of its sources", "one.c", "two.c"]);
}

#[test]
fn lines_of_rust_and_of_fortran() {
    let case = Case::new();
    let rust = case.file("a.rs", "pub fn third(n: i32) -> i32 {\n    n / 3\n}\n\nfn main() {\n    println!(\"{}\", third(std::env::args().count() as i32));\n}\n");
    let found = life(&["--cflag=-Cinline-threshold=0", &format!("{rust}:2")]);
    assert!(first(&found, "ir").contains(&"sdiv".to_owned()), "{found:#}");
    assert_eq!(found["self_check"]["text_identical"], true);
    let library = case.file("b.rs", "#[unsafe(no_mangle)]\npub fn third(n: i32) -> i32 {\n    n / 3\n}\n");
    assert!(first(&life(&[&format!("{library}:3")]), "ir").contains(&"sdiv".to_owned()));
    let found = life(&[&format!("{}:30", corpus("fortran/heat.f90"))]);
    assert!(!crate::steps(&found, "bytes").is_empty(), "{found:#}");
    assert_eq!(found["self_check"]["text_identical"], true);
    refused(
        &["--target", "aarch64-linux-gnu", &format!("{rust}:2")],
        2,
        &["--target and --format are for C and C++"],
    );
}

/// In bitcode of an optimiser the function is no more; its copies are.
#[test]
fn a_function_that_was_inlined_everywhere_is_followed_in_its_copies() {
    let case = Case::new();
    let source = corpus("life/calls.c");
    let module = case.clang(&["-O2", "-g", "-c", "-emit-llvm"], &source, "calls.bc");
    let found = life(&["--function", "cube", &module]);
    let places = found["places"].as_array().expect("places");
    assert!(!places.is_empty() && places.iter().all(|place| place["line"] == 3), "{found:#}");
    let stages = found["stages"].as_array().expect("stages");
    let steps =
        stages.iter().filter(|stage| stage["stage"] == "bytes").flat_map(|stage| stage["steps"].as_array());
    let functions: Vec<&str> =
        steps.flatten().map(|step| step["function"].as_str().expect("a name")).collect();
    assert!(functions.contains(&"first") && functions.contains(&"second"), "{found:#}");
    refused(&["--function", "cobe", &module], 2, &["no function is called 'cobe'", "first", "second"]);
}

#[test]
fn values_that_are_none_are_told_with_those_that_are() {
    let case = Case::new();
    let source = case.file("a.c", LINES);
    refused(&["--function", "f", "--value", "%sum", &source], 2, &["f has no value %sum", "%mul", "%div"]);
    let calls = case.file("c.c", "int g(int);\nint f(int a) { return g(a); }\n");
    refused(&["--function", "g", &calls], 2, &["g is only declared here"]);
}

#[test]
fn without_optimisation_there_is_no_graph_and_it_says_so() {
    let question = format!("{}:3:14", corpus("life/foo.c"));
    let output = opcost(&["life", "-O0", "--stage", "dag", &question]);
    let text = &output.stdout;
    assert_eq!(output.status, 0, "{text}");
    for words in ["dag: there was no graph", "FastISel", "--stage mir", "-O1"] {
        assert!(text.contains(words), "{words} is missing in\n{text}");
    }
    // What went before has no bytes either.
    let output = opcost(&["life", "--stage", "bytes", &format!("{}:9:18", corpus("life/calls.c"))]);
    let text = &output.stdout;
    assert!(text.contains("nothing of it is left there; its life ends in ir"), "{text}");
}

/// A function is found as its source writes it, in all instances.
#[test]
fn a_template_is_asked_for_by_its_name() {
    let case = Case::new();
    let text = "template <class T> T twice(T value) {\n  return value * value;\n}\n\
                int whole(int value) { return twice(value); }\n\
                double broken(double value) { return twice(value); }\n";
    let source = case.file("twice.cpp", text);
    let found = life(&["--function", "twice", "--value", "%mul", &source]);
    is_checked(&found);
    let opcodes: Vec<&str> =
        crate::opcodes(&found, "ir", "is").into_iter().filter(|one| one.contains("mul")).collect();
    assert!(opcodes.contains(&"mul") && opcodes.contains(&"fmul"), "{opcodes:?}");
    let names = case.file("none.cpp", text);
    refused(
        &["--function", "thrice", &names],
        2,
        &["no function is called 'thrice'", "twice<…>(int)", "twice<…>(double)"],
    );
}

/// However long the names, a line fits; in full, nothing is cut.
#[test]
fn lines_fit_the_terminal() {
    let question = format!("{}:4", corpus("life/loop.c"));
    for width in [80, 200] {
        let place = workplace();
        let text =
            ProgramOutput::of(place.command(&["life", &question]).env("COLUMNS", width.to_string())).stdout;
        let story = text.split("\nself-check").next().expect("a story");
        for line in story.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "{width}: {line}");
        }
        assert!(width > 80 || story.contains('…'), "{story}");
    }
    let output = opcost(&["life", "--stage", "mir", &question]);
    let text = &output.stdout;
    assert!(text.contains("implicit-def dead $eflags") && !text.contains('…'), "{text}");
}
