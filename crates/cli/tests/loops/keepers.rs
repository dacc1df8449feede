//! What a library keeps, a later call uses. Does a run contradict what is said of such programs?
//!
//! `corpus/cases/keepers.txt` has pairs of calls: one keeps a pointer or a callback, or gives memory of
//! the library, and a later one writes there or calls back. Each case becomes a program of its own,
//! since one that may be called back hides another. Every block that `predict` says is exact is held
//! against a counted run, and every claim on loops against the same of `values --verify`.
//! All cases together are one more program, which clang optimises.
//!
//! Limit: what is written by another process is in the cases only where it waits for it.

use std::collections::HashMap;

use opcost_testkit::command::corpus;
use serde_json::Value;

use super::slice::verified;
use super::{Source, workplace};

const HEADERS: &str = "aio.h arpa/inet.h dirent.h errno.h fcntl.h fenv.h ftw.h glob.h locale.h math.h obstack.h printf.h \
    pthread.h pwd.h regex.h search.h signal.h stdarg.h stdio.h stdlib.h string.h sys/mman.h sys/socket.h sys/stat.h \
    sys/uio.h sys/wait.h threads.h time.h ucontext.h unistd.h wchar.h xmmintrin.h";

/// A case of the file: its name, and what is outside and inside of its function.
struct Case {
    name: String,
    outside: String,
    inside: String,
}

fn all_cases() -> Vec<Case> {
    let text = std::fs::read_to_string(corpus("cases/keepers.txt")).expect("the cases");
    let paragraphs = text.split("\n\n").skip(1);
    paragraphs
        .map(|paragraph| {
            let (name, rest) = paragraph.split_once('\n').expect("a name");
            let (outside, inside) = rest
                .strip_prefix("-\n")
                .map_or_else(|| rest.split_once("\n-\n").expect("a dash"), |inside| ("", inside));
            Case { name: name.to_owned(), outside: outside.to_owned(), inside: inside.to_owned() }
        })
        .collect()
}

fn program(cases: &[Case]) -> String {
    let mut text = "#define _GNU_SOURCE\n".to_owned();
    for header in HEADERS.split_whitespace() {
        text += &format!("#include <{header}>\n");
    }
    text += "#define LOOP(n) for (int i = 0; i < (n); i++) s++;\n";
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let own = |text: &str| text.replace('$', &number.to_string());
        text += &format!("static int n{number};\n{}\n", own(&case.outside));
        text += &format!(
            "__attribute__((noinline)) static int case{number}(int s) {{\n{}\nreturn s; }}\n",
            own(&case.inside)
        );
        calls += &format!("s = case{number}(s); printf(\"{} %d\\n\", s);\n", case.name);
    }
    text + "int main(void) { int s = 0;\n" + &calls + "return 0; }\n"
}

/// Blocks that are said to be exact and ran otherwise, and how many are said to be exact.
fn contradicted(source: &Source, level: &str) -> (Vec<String>, usize) {
    let ledger = source.place.at("run.opc");
    source.place.opcost(&["count", "--threads", "--ledger", &ledger, level, &source.path]).expect(0);
    let list = ["report", "--list", "blocks", "--top", "100000", "--json", "-", &ledger];
    let listed = source.place.opcost(&list).expect(0).json();
    let rows = listed["rows"].as_array().expect("rows").iter();
    let counts: HashMap<(&str, &str), u64> = rows
        .filter_map(|row| {
            let block = row["what"].as_str()?.strip_prefix("block ")?;
            Some(((row["function"].as_str()?, block), row["count"].as_u64()?))
        })
        .collect();
    let predicted = source.place.opcost(&["predict", "--json", "-", level, &source.path]);
    let predicted = predicted.expect(0).json();
    let names: HashMap<&str, &str> = array(&predicted, "functions")
        .filter_map(|function| function["key"].as_str().zip(function["name"].as_str()))
        .collect();
    let exact: Vec<&Value> = array(&predicted, "blocks")
        .filter(|block| block["exact"] == true && !block["executions"].is_null())
        .collect();
    let wrong = exact.iter().filter_map(|block| {
        let (key, number) = (block["function"].as_str()?, block["block"].to_string());
        let name = names.get(key).copied().unwrap_or(key);
        let ran = counts.get(&(name, number.as_str())).copied().unwrap_or(0);
        (block["executions"].as_u64() != Some(ran))
            .then(|| format!("{level} {name} {number}: {ran} times, {block}"))
    });
    (wrong.collect(), exact.len())
}

fn array<'d>(document: &'d Value, name: &str) -> impl Iterator<Item = &'d Value> {
    document[name].as_array().expect("an array").iter()
}

/// Cases of one half; halves are tests of their own, so that they run side by side.
fn no_run_contradicts(half: usize) {
    let mut wrong = Vec::new();
    let mut exact = 0;
    for case in all_cases().into_iter().skip(half).step_by(2) {
        let name = case.name.clone();
        let source = Source::new("keeps.c", &program(&[case]));
        let (blocks, said) = contradicted(&source, "-O0");
        exact += said;
        wrong.extend(blocks.into_iter().map(|block| format!("{name}: {block}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(exact > 40, "of {exact} blocks a number was said");
}

#[test]
fn no_run_contradicts_what_is_said_of_one_keeper() {
    no_run_contradicts(0);
}

#[test]
fn no_run_contradicts_what_is_said_of_another_keeper() {
    no_run_contradicts(1);
}

#[test]
fn no_run_contradicts_what_is_said_of_all_keepers() {
    let cases = all_cases();
    assert!(cases.len() > 60, "only {} cases", cases.len());
    let source = Source::new("keeps.c", &program(&cases));
    for level in ["-O0", "-O2"] {
        let (wrong, _) = contradicted(&source, level);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        source.place.opcost(&["values", "--verify", level, &source.path]).expect(0);
    }
}

/// A library writes its variables: the sign of `lgamma`, the time zone, where `getopt` is.
#[test]
fn calls_stay_whose_variables_decide() {
    let work = workplace();
    let source = corpus("cases/library_variables.c");
    for case in 0..=11 {
        let case = format!("--cflag=-DCASE={case}");
        let document = verified(&work, &["-O1", "--level", "2", &case, &source, "-lm"], &[]);
        assert_ne!(document["loops"].as_array().map(Vec::len), Some(0), "{document}");
    }
}

/// A slice computes and allocates less, so what reads the flags of arithmetic or the heap has no slice. Nor has what may
/// end the process anywhere.
#[test]
fn what_observes_the_rest_is_not_sliced() {
    let work = workplace();
    let calls = [
        ("fenv.h", "fetestexcept(FE_INEXACT) ? 9 : 2"),
        ("xmmintrin.h", "_mm_getcsr() & 0x20 ? 9 : 2"),
        ("malloc.h", "(int)malloc_usable_size(0)"),
        ("sys/resource.h", "setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, 4})"),
    ];
    for (header, call) in calls {
        let text = format!(
            "#include <{header}>\nint main(int c, char **v) {{ double r = 1.0 / (c + 2); int n = {call}; \
             for (int i = 0; i < n; i++) __asm__ volatile(\"\"); return r > 2; }}\n"
        );
        let source = work.write("observes.c", &text);
        let refused = work.opcost(&["slice", "-O1", &source, "-lm"]).expect(1);
        assert!(refused.stderr.contains("cannot be sliced"), "{}", refused.stderr);
    }
}
