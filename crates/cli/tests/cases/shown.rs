//! Is what is shown in words right, too?

use super::{cases, json, opcost};

/// A source comes after those whose modules it uses, however they were named.
#[test]
fn modules_of_fortran_are_compiled_in_their_order() {
    let totals: Vec<u64> =
        ["uses_grid.f90 grid_steps.f90 grid_base.f90", "grid_base.f90 grid_steps.f90 uses_grid.f90"]
            .iter()
            .map(|sources| json(&format!("count --cflag=-w {sources}"))["total"].as_u64().expect("a total"))
            .collect();
    assert_eq!(totals[0], totals[1]);
    opcost(&cases(), "loops uses_grid.f90 grid_steps.f90 grid_base.f90").expect(0);
}

/// A budget ends in a function of the source, not in one that opcost put around it.
#[test]
fn a_budget_ends_in_a_function_of_the_source() {
    let place = cases();
    let said = opcost(&place, "fuel --limit 200k --json f.json through_pointer.c").expect(3);
    assert!(!said.all().contains("opc_") && !said.all().contains(":0"), "{}", said.all());
    said.expect_stderr(&["in memset"]);
    let stopped = &place.json("f.json")["stopped"];
    assert_eq!((&stopped["function"], &stopped["line"]), (&"memset".into(), &serde_json::Value::Null));
}

/// Runs that differ have no one exact total.
#[test]
fn runs_that_differ_have_a_range() {
    let place = cases();
    place.write(
        "grows.c",
        "#include <stdio.h>\nint main(void) {\n  FILE *f = fopen(\"n\", \"a+\");\n  fputc('x', f);\n  long n = ftell(f);\n  \
         for (volatile long i = 0; i < n; i++) {}\n  return 0;\n}\n",
    );
    let differing = opcost(&place, "count --repeat 3 --json - grows.c").expect(0).json();
    assert_eq!(differing["quality"]["kind"], "range", "{differing:#}");
    let range = &differing["range"];
    assert!(range["least"].as_u64() < range["most"].as_u64(), "{range}");
    let equal = opcost(&place, "count --repeat 2 --json - toy.c").expect(0).json();
    assert_eq!((&equal["quality"]["kind"], &equal["range"]), (&"exact".into(), &serde_json::Value::Null));
}

/// What was left out of a comparison is no ratio of it, and a small ratio is not zero.
#[test]
fn what_is_left_out_is_a_share_and_no_ratio() {
    let place = cases();
    let guessed = "#include <stdio.h>\nint main(void) {\n  int n, s = 0;\n  if (scanf(\"%d\", &n) != 1) return 1;\n  \
                   for (volatile int i = 0; i < n; i++) s += i;\n  return s == 1;\n}\n";
    let open = "__attribute__((noinline)) int f(int n) {\n  return n < 2 ? n : f(n - 1) + f(n - 2);\n}\n\
                int main(void) { return f(20) == 1; }\n";
    for (text, words) in [(guessed, "less than 0.001 × those of the run"), (open, "left out, as unknown: ")]
    {
        place.write("one.c", text);
        place.shell("echo 50000 | $OPCOST count -O1 --ledger o.opc one.c -- 50000").expect(0);
        let said = opcost(&place, "predict -O1 --against o.opc one.c").expect(0).stdout;
        assert!(said.contains(words) && !said.contains(" 0.000 ×"), "{said}");
    }
}
