//! Bad input: whose fault, where, and what to do.

use super::{Source, opcost};

const NEST: &str = "int a[100];\nvoid f(int n) {\n  for (int i = 0; i < n; i++)\n    a[i] = i;\n}\n";

/// Status and words of a wrong question.
fn fails(arguments: &[&str], status: i32, words: &[&str]) {
    let output = opcost(arguments);
    let said = &output.stderr;
    assert_eq!(output.status, status, "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: no '{word}' in: {said}");
    }
}

#[test]
fn a_name_that_no_formula_has_is_told_with_those_that_they_have() {
    let source = Source::new("nest.c", NEST);
    fails(&["loops", "-O1", "--set", "m=5", &source.path], 2, &["'m'", "n"]);
}

#[test]
fn a_function_without_loops_is_told_with_its_neighbours() {
    let source = Source::new("nest.c", NEST);
    fails(&["loops", "-O1", "--function", "g", &source.path], 2, &["'g'", "f"]);
}

#[test]
fn a_line_without_code_is_told_with_the_nearest_that_has() {
    let source = Source::new("nest.c", NEST);
    fails(&["explain", "-O1", &format!("{}:1", source.path)], 2, &["has no", "3"]);
    fails(&["explain", "-O1", &source.path], 2, &["give a line"]);
}

#[test]
fn an_error_in_a_table_of_effects_has_its_place() {
    let source = Source::new("nest.c", NEST);
    let table = Source::new("effects.txt", "sin reads nothing\nfrobnicate ???\n");
    let output = opcost(&["loops", "--effects", &table.path, &source.path]);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains(&table.path), "{}", output.stderr);
}

#[test]
fn a_program_is_no_source() {
    fails(&["loops", "/bin/true"], 2, &["/bin/true", ".bc"]);
    fails(&["loops", "/nowhere/at/all.c"], 1, &["/nowhere/at/all.c"]);
    let broken = Source::new("broken.c", "int f( {");
    fails(&["loops", &broken.path], 1, &["broken.c"]);
    let broken = Source::new("broken.bc", "BC\u{40}nothing");
    fails(&["loops", &broken.path], 1, &["broken.bc"]);
}

/// Without debug information functions and labels take the place of lines.
#[test]
fn bitcode_without_lines_is_told_by_function_and_label() {
    let source = Source::new(
        "nest.ll",
        "define void @f(i32 %n) {\nentry:\n  br label %turn\nturn:\n  %i = phi i32 [ 0, \
         %entry ], [ %next, %turn ]\n  %next = add nsw i32 %i, 1\n  %more = icmp slt i32 %next, 10\n  br i1 %more, \
         label %turn, label %done\ndone:\n  ret void\n}\n",
    );
    let output = opcost(&["loops", &source.path]);
    let told = &output.stdout;
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(told.contains("%turn") && told.contains("10"), "{told}");
}
