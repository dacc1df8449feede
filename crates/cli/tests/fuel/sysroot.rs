//! Is a portable program made of its own text and what opcost brings, and of nothing else?
//!
//! clang lists the headers that it read. Which headers and which library it was is one
//! hash, the sysroot's, which is told with the number.

use std::path::Path;

use opcost_testkit::command::ProgramOutput;

use crate::bench::{Answer, Bench};
use crate::portable::{Case, LIST, folder, here, outcome, programs};

/// What clang read besides the program itself, opcost's headers and its own.
fn foreign(read: &str, program: &str) -> Vec<String> {
    let own = Bench::new().tool("clang-22", &["-print-resource-dir"]);
    let own = own.stdout.trim().to_owned();
    let (_, files) = read.split_once(": ").expect("a rule of make");
    let files: Vec<&str> = files.split_whitespace().filter(|word| *word != "\\").collect();
    assert!(files.len() > 1, "{read}");
    // In the build's folder, or in a cache.
    let is_ours = |path: &str| {
        let folder = path.strip_prefix(&format!("{}/opcost-", std::env::temp_dir().display()));
        let folder = folder.and_then(|path| path.split('/').nth(1));
        let is_built =
            folder.is_some_and(|it| ["portable-include", "portable-headers", "libstdc++"].contains(&it));
        is_built || path.contains("/libstdc++-")
    };
    let is_foreign = |path: &&str| *path != program && !path.starts_with(&own) && !is_ours(path);
    files.into_iter().filter(is_foreign).map(str::to_owned).collect()
}

/// C programs, and the library, are compiled without a header of the system's.
#[test]
fn no_header_of_the_system_shapes_a_program_in_c() {
    let bench = Bench::new();
    let headers =
        ["assert", "ctype", "errno", "float", "inttypes", "limits", "math", "stdarg", "stdbool", "stddef"];
    let headers = headers.iter().chain(&["stdint", "stdio", "stdlib", "string", "strings"]);
    let headers =
        headers.chain(&["alloca", "complex", "fenv", "locale", "malloc", "memory", "pthread", "sched"]);
    let headers =
        headers.chain(&["semaphore", "setjmp", "signal", "sys/time", "sys/types", "tgmath", "time"]);
    let headers = headers.chain(&["uchar", "unistd", "wchar", "wctype"]);
    let text: String = headers.map(|name| format!("#include <{name}.h>\n")).collect();
    bench.write("a.c", format!("{text}int main(void) {{ assert(INT_MAX > 0); return 0; }}\n"));
    let answer = bench.fuel(&[["--portable"].as_slice(), &LIST, &["a.c"]].concat());
    assert_eq!(answer.status, 0, "{}", answer.said());
    assert_eq!(foreign(&bench.read("headers"), "a.c"), [""; 0]);
}

#[test]
fn no_header_of_the_system_shapes_a_program_in_cxx() {
    let mut seen = 0;
    for program in programs(&folder()).iter().chain(&programs(&folder().join("rejected"))) {
        if program.extension().is_some_and(|extension| extension == "cpp") {
            let name = program.file_name().and_then(|name| name.to_str()).expect("UTF-8");
            assert_eq!(foreign(&here(program).headers, name), [""; 0], "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen}");
}

/// What contests use of the C++ library and of the compiler's own, and headers that need only be read.
const CONTEST: &str = r#"
#include <bits/stdc++.h>
#include <chrono>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <mutex>
#include <random>
#include <thread>
namespace ds = __gnu_pbds;
using tree = ds::tree<int, ds::null_type, std::less<int>, ds::rb_tree_tag, ds::tree_order_statistics_node_update>;
std::mutex never_locked;
int main() {
  tree numbers;
  ds::gp_hash_table<int, int> table;
  std::mt19937 next(1);
  static_assert(sizeof(std::mt19937::result_type) == 8, "as on the reference machine");
  for (int i = 0; i < 1000; i++) table[int(next() % 50)] += i, numbers.insert(int(next() % 10000));
  const char *word = "text";
  const char *found = strchr(word, 'x');
  std::cout << numbers.size() << ' ' << *numbers.find_by_order(100) << ' ' << numbers.order_of_key(5000) << ' '
            << table.size() << ' ' << table[7] << ' ' << found << ' ' << std::strtold("0.5", nullptr) << '\n';
  for (int c; (c = getchar_unlocked()) != EOF;) putchar_unlocked(c);
}
"#;

/// Under each C++, the machine's own variables for headers notwithstanding.
#[test]
fn all_of_the_cxx_library_is_carried() {
    let bench = Bench::new();
    bench.write("a.cpp", CONTEST);
    bench.write("input", "read on\n");
    std::fs::create_dir(bench.path("evil")).expect("made");
    bench.write("evil/vector", "#error \"a header of the machine\"\n");
    bench.tool("clang++-22", &["-w", "-O1", "a.cpp", "-o", "native"]);
    let input = std::fs::File::open(bench.path("input")).expect("the input");
    let wanted = ProgramOutput::of(bench.program(bench.path("native")).stdin(input)).stdout;
    for standard in ["c++17", "gnu++20", "c++23"] {
        let mut command = bench.command(&["fuel", "--portable", "--stdin", "input", "--stdout", "output"]);
        command.envs(["CPATH", "CPLUS_INCLUDE_PATH"].map(|name| (name, bench.path("evil"))));
        command.args(LIST).arg(format!("--cflag=-std={standard}")).arg("a.cpp");
        ProgramOutput::of(&mut command).expect(0);
        assert_eq!(bench.read("output"), wanted, "{standard}");
        assert_eq!(foreign(&bench.read("headers"), "a.cpp"), [""; 0], "{standard}");
    }
}

/// The bodies of two programs that differ in one function.
const TWO: [&str; 2] = [
    "int twice(int x);\n__attribute__((noinline)) int twice(int x) { return x * 2; }\nint main(void) { return twice(0); }\n",
    "int twice(int x);\n__attribute__((noinline)) int twice(int x) { return x * 2 + x / 3; }\nint main(void) { return twice(0); }\n",
];

#[test]
fn other_code_is_told_by_its_first_function() {
    let bench = Bench::new();
    bench.write("a.c", TWO[0]);
    let first = bench.fuel(&["--portable", "a.c"]);
    assert_eq!(first.status, 0, "{}", first.said());
    std::fs::rename(bench.path("answer.json"), bench.path("there.json")).expect("kept");
    let same = bench.fuel(&["--portable", "--same-as", "there.json", "a.c"]);
    assert_eq!(same.status, 0, "{}", same.said());
    assert!(!same.stderr.contains("another sysroot"), "{}", same.said());
    bench.write("a.c", TWO[1]);
    let other = bench.fuel(&["--portable", "--same-as", "there.json", "a.c"]);
    assert_eq!(other.status, 3, "{}", other.said());
    assert!(other.stderr.contains("the first function that differs is twice, a.c:2"), "{}", other.said());
    bench.write("there.json", "{}");
    let wrong = bench.fuel(&["--portable", "--same-as", "there.json", "a.c"]);
    assert_eq!(wrong.status, 2, "{}", wrong.said());
    assert!(wrong.stderr.contains("it names no code"), "{}", wrong.said());
}

/// The hash of headers and library, in full.
fn sysroot(answer: &Answer) -> String {
    let text = answer.json["portable"]["sysroot"].as_str().unwrap_or_else(|| panic!("{}", answer.said()));
    assert!(text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
    text.to_owned()
}

#[test]
fn the_sysroot_is_told_with_the_number_and_compared_first() {
    let bench = Bench::new();
    bench.write("a.c", TWO[0]);
    bench.write("b.cpp", "#include <vector>\nint main() { return std::vector<int>(3)[1]; }\n");
    let first = bench.fuel(&["--portable", "a.c"]);
    let hash = sysroot(&first);
    assert!(first.stderr.contains(&format!(", sysroot {}", &hash[..12])), "{}", first.said());
    let text = bench.read("answer.json");
    assert_eq!(sysroot(&bench.fuel(&["--portable", "--machine", "riscv64-linux", "b.cpp"])), hash);
    // Of another opcost: the code may be the same for all that.
    bench.write("there.json", text.replace(&hash, &"0".repeat(64)));
    let same = bench.fuel(&["--portable", "--same-as", "there.json", "a.c"]);
    let words = format!("another sysroot than in there.json (000000000000 there, {} here)", &hash[..12]);
    assert!(same.status == 0 && same.stderr.starts_with(&words), "{}", same.said());
    bench.write("a.c", TWO[1]);
    let other = bench.fuel(&["--portable", "--same-as", "there.json", "a.c"]);
    let (sysroot, code) = other.stderr.split_once('\n').unwrap_or_else(|| panic!("{}", other.said()));
    assert!(other.status == 3 && sysroot.starts_with(&words), "{}", other.said());
    assert!(code.starts_with("other code than in there.json"), "{}", other.said());
}

/// A program that was built earlier says which sysroot it was built with.
#[test]
fn a_built_program_keeps_its_sysroot() {
    let case = Case::new(&Path::new(&folder()).join("bot.cpp"));
    let first = &here(&folder().join("bot.cpp")).answer;
    case.bench.build(&["--portable", "--emit", "exe", "-o", "built", "bot.cpp"]);
    let answer = case.bench.fuel(&["--stdin", "input", "--stdout", "output", "./built"]);
    assert_eq!((outcome(&answer), sysroot(&answer)), (outcome(first), sysroot(first)));
}
