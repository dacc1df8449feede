//! What is told of loops whose answer is known.

use super::{Source, loops, only, opcost};

/// llvm-pred (Xie, 2014): start 0, `next == 5`: four back edges, five bodies.
#[test]
fn the_loop_of_the_source_document() {
    let source = Source::new(
        "five.ll",
        "define void @f() {\nentry:\n  br label %turn\nturn:\n  %i = phi i32 [ 0, %entry ], [ %next, %turn ]\n  call \
         void @work()\n  %next = add i32 %i, 1\n  %done = icmp eq i32 %next, 5\n  br i1 %done, label %out, label \
         %turn\nout:\n  ret void\n}\ndeclare void @work()\n",
    );
    let all = loops(&[&source.path]);
    assert_eq!((&all[0]["back_edges"], &all[0]["body_iterations"]), (&"4".into(), &"5".into()), "{all:#?}");
}

/// The forms that compilers give a loop say the same of its body.
#[test]
fn every_level_says_the_same_of_a_body() {
    let text = "int a[1000];\nint main(int argc, char **argv) {\n  for (int i = 0; i < 7; i++) a[i * argc] = i;\n  int \
                s = 0;\n  for (int i = 100; i > 10; i -= 7) s += a[i];\n  return s & 1;\n}\n";
    let source = Source::new("levels.c", text);
    for level in ["-O0", "-O1"] {
        let all = loops(&[level, &source.path]);
        let counts: Vec<&str> = all.iter().filter_map(|one| one["body_iterations"].as_str()).collect();
        assert!(counts.ends_with(&["13"]), "{level}: {counts:?}");
        assert!(all.iter().all(|one| one["kind"] == "constant"), "{level}: {all:#?}");
    }
}

/// A formula and its value with a number in place of its name.
#[test]
fn names_take_numbers() {
    let text = "int g(int);\nvoid f(int n) {\n  for (int i = 0; i < n; i += 3)\n    g(i);\n}\n";
    let source = Source::new("ceiling.c", text);
    for (n, bodies) in [("10", "4"), ("9", "3"), ("0", "0"), ("-5", "0"), ("1", "1")] {
        for level in ["-O0", "-O1"] {
            let all = loops(&[level, "--set", &format!("n={n}"), &source.path]);
            let counts: Vec<&str> = all.iter().filter_map(|one| one["expression"].as_str()).collect();
            assert_eq!(counts, [bodies], "{level} n={n}");
        }
    }
}

/// In the open world an exported function's parameter is an input; of a
/// function of the program itself it is what its callers give.
#[test]
fn parameters_are_inputs_of_exported_functions_only() {
    let text = "int g(int);\nvoid f(int n) {\n  for (int i = 0; i < n; i++)\n    g(i);\n}\n";
    let (kind, expression) = only(&Source::new("open.c", text), &["-O0"]);
    assert_eq!(kind, "inputs", "{expression}");
    let closed = text.replace("void f", "static void f") + "int main(void) { f(11); return 0; }\n";
    let (kind, expression) = only(&Source::new("closed.c", &closed), &["-O0"]);
    assert_eq!((&*kind, &*expression), ("constant", "11"));
}

/// What the vectoriser split is one loop of the source: turns of the vector body
/// and what it leaves, and neither where the body is passed by.
#[test]
fn a_vector_body_and_its_remainder_are_one_loop() {
    let text = "float a[4096], b[4096];\nvoid add(int n) {\n  for (int i = 0; i < n; i++)\n    a[i] = a[i] + b[i];\n}\n";
    let source = Source::new("vector.c", text);
    for level in ["-O2", "-O3"] {
        for n in [1000, 1003, 5, 1] {
            let all = loops(&[level, "--set", &format!("n={n}"), &source.path]);
            let body = all.iter().find(|one| !one["vectorised"].is_null()).expect("a vector body");
            let whole = &body["vectorised"];
            assert_eq!(whole["source_iterations"], n.to_string(), "{level} n={n}: {body:#}");
            let rest = all.iter().find(|one| one["header"] == whole["remainder"]).expect("a remainder");
            assert_eq!(rest["remainder_of"], body["header"]);
        }
    }
    let output = opcost(&["loops", "-O2", "--set", "n=1003", &source.path]);
    let shown = &output.stdout;
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("vector.c:3 ")).collect();
    assert_eq!(rows.len(), 1, "{shown}");
    assert!(
        rows[0].ends_with("1003") && shown.contains("125 times 8 at once") && shown.contains("then 3"),
        "{shown}"
    );
}

/// The same in a triangle: what is known of the turns around takes the casts
/// away, and the turns are those of a line.
#[test]
fn a_triangle_that_was_vectorised_is_told_by_the_turn_around() {
    let text = "subroutine work(a, n)\n  integer :: n, i, j\n  real :: a(100,100)\n  do j = 1, n\n    do i = 1, j\n      \
                a(i,j) = real(i*j)\n    end do\n  end do\nend subroutine\n";
    let source = Source::new("triangle.f90", text);
    let all = loops(&["-O2", &source.path]);
    let body = all.iter().find(|one| !one["vectorised"].is_null()).expect("a vector body");
    assert_eq!(body["vectorised"]["source_iterations"], "turn of line 4 + 1", "{body:#}");
    let output = opcost(&["loops", "-O2", &source.path]);
    let shown = &output.stdout;
    assert_eq!(shown.lines().filter(|line| line.contains("triangle.f90:5 ")).count(), 1, "{shown}");
}

/// A condition is told until the number that was given makes it true.
#[test]
fn a_condition_that_a_number_makes_true_goes() {
    let text = "int g(int);\nvoid f(int n) {\n  for (int i = 0; i < n; i += 3)\n    g(i);\n}\n";
    let source = Source::new("condition.c", text);
    let assumes = |arguments: &[&str]| loops(arguments)[0]["assumes"].as_array().expect("a list").clone();
    assert_ne!(assumes(&["-O2", "--cflag=-fwrapv", &source.path]), Vec::<serde_json::Value>::new());
    assert_eq!(
        assumes(&["-O2", "--cflag=-fwrapv", "--set", "n=1000", &source.path]),
        Vec::<serde_json::Value>::new()
    );
}
