//! Does a slice do nothing undefined that its program does not do?
//!
//! Slices of the corpus run under memcheck and under sanitizers of addresses and of memory.

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};

use super::slice::{MEMBERS, input_of, sources};
use super::workplace;

/// A store that a slice lacks would be memory that nobody wrote: memcheck must find none that decides
/// anything, nor an access that is out of bounds.
#[test]
fn slices_run_clean_under_memcheck() {
    for (folder, names) in [("loops/c", ["cg", "mesh", "sort"]), ("loops/fortran", ["cg", "mg", "sort"])] {
        let [own, common] = [corpus(folder), corpus(folder) + "/common"].map(|folder| format!("-I{folder}"));
        for member in MEMBERS.iter().filter(|member| names.contains(&member.name)) {
            let work = workplace();
            work.write(member.file, member.small);
            let sources = sources(folder, member.name);
            let mut line = vec!["slice", "-O1", "--level", "3", "-o", "mini", &own, &common];
            line.extend(sources.iter().map(String::as_str));
            work.opcost(&line).expect(0);
            work.tool("valgrind", &["-q", "--error-exitcode=99", "./mini"]);
        }
    }
}

/// Runs bitcode under a sanitizer, and says what it found wrong.
fn sanitized(work: &Workplace, sanitizer: &str) -> ProgramOutput {
    let attribute = format!("-force-attribute=sanitize_{sanitizer}");
    work.tool("opt-22", &["-passes=forceattrs", &attribute, "mini.bc", "-o", "forced.bc"]);
    let flag = format!("-fsanitize={sanitizer}");
    work.tool("clang-22", &["-w", "-O0", "-g", &flag, "forced.bc", "-lm", "-o", "sanitized"]);
    // A slice that lacks something may never end.
    work.shell("timeout 20 ./sanitized")
}

fn is_clean(said: &ProgramOutput) -> bool {
    !said.stderr.contains("Sanitizer")
}

/// What stays reads nothing out of bounds, nothing freed, and decides nothing by memory that nobody wrote. The
/// sanitizers look at the slice itself, so the first two programs show that they would notice.
#[test]
fn slices_run_clean_under_sanitizers() {
    let work = workplace();
    let text = "#include <stdlib.h>
volatile int sink;
int main(int argc, char **argv) {
  int *limits = malloc(4 * sizeof *limits), n = 0;
  limits[1] = 5 * argc;
  limits[2] = 3 * argc;
  for (int i = 0; i < limits[argc]; i++) sink = i;
  for (int i = 0; i < limits[argc + 1]; i++) sink = i;
  return 0;
}
";
    let source = work.write("heap.c", text);
    work.opcost(&["slice", "-O0", "-o", "mini.bc", &source]).expect(0);
    assert!(is_clean(&sanitized(&work, "memory")) && is_clean(&sanitized(&work, "address")));
    let mutants = (0..30).filter(|number| {
        let line = ["slice", "-O0", "--without", &number.to_string(), "-o", "mini.bc", &source];
        let said = work.opcost(&line);
        said.status == 0 && said.stdout.contains("store at") && !is_clean(&sanitized(&work, "memory"))
    });
    assert!(mutants.count() >= 2, "a store that is missing is not noticed");
    let far = work.write("far.c", text.replace("limits[argc + 1]", "limits[argc + 3]"));
    work.opcost(&["slice", "-O0", "-o", "mini.bc", &far]).expect(0);
    assert!(!is_clean(&sanitized(&work, "address")));

    let [own, common] =
        [corpus("loops/c"), corpus("loops/c") + "/common"].map(|folder| format!("-I{folder}"));
    for member in &MEMBERS {
        let work = workplace();
        work.write(member.file, input_of(member));
        let sources = sources("loops/c", member.name);
        let mut line = vec!["slice", "-O1", "--level", "3", "--any-status", "-o", "mini.bc", &own, &common];
        line.extend(sources.iter().map(String::as_str));
        work.opcost(&line).expect(0);
        for sanitizer in ["address", "memory"] {
            let said = sanitized(&work, sanitizer);
            assert!(is_clean(&said), "{} {sanitizer}: {said:?}", member.name);
        }
    }
}
