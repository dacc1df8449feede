//! Fortran, Rust, several languages at once, and weights from a file.

use opcost_testkit::command::ProgramOutput;

use crate::support::{Bench, needs};

const SUM: (&str, &str) = (
    "sum.f90",
    "program p\n  integer :: i, s, twice\n  s = 0\n  do i = 1, 10\n    s = s + twice(i)\n  end do\n  print *, s\nend program\n",
);
const TWICE: (&str, &str) = ("twice.c", "int twice_(int *x) { return *x * 2; }\n");

#[test]
fn fortran_calls_c() {
    needs("flang-22", "flang-22");
    let bench = Bench::new(&[SUM, TWICE]);
    let count = bench.count(&["sum.f90", "twice.c"]);
    assert_eq!(Bench::calls(&count, "twice_"), 10);
    bench.shell(
        "$OPCOST flang -O2 -c sum.f90; $OPCOST cc -O2 -c twice.c; $OPCOST flang sum.o twice.o -o prog",
    );
    assert_eq!(bench.count(&["./prog"])["total"], count["total"]);
}

/// The groups of a count: modules, compiler, flags.
fn groups(count: &serde_json::Value) -> Vec<(String, String, String)> {
    let words = |list: &serde_json::Value| {
        let list = list.as_array().expect("a list").iter();
        list.map(|word| word.as_str().expect("a word").to_owned()).collect::<Vec<_>>().join(" ")
    };
    let group = |group: &serde_json::Value| {
        let compiler = group["compiler"].as_str().expect("a compiler").split('.').next().expect("a word");
        (words(&group["modules"]), compiler.to_owned(), words(&group["flags"]))
    };
    count["build"]["groups"].as_array().expect("groups").iter().map(group).collect()
}

fn group(modules: &str, compiler: &str, flags: &str) -> (String, String, String) {
    (modules.to_owned(), compiler.to_owned(), flags.to_owned())
}

#[test]
fn each_module_is_told_with_its_own_compiler() {
    needs("flang-22", "flang-22");
    let bench = Bench::new(&[SUM, TWICE]);
    let count = bench.count(&["sum.f90", "twice.c", "--ledger", "run.opc"]);
    assert_eq!(groups(&count), [group("sum.f90", "flang 22", "-O2"), group("twice.c", "clang 22", "-O2")]);
    let lines = [" instructions   unit/1 · exact\n  sum.f90: flang 22.", "\n  twice.c: clang 22."];
    bench.opcost(&["count", "sum.f90", "twice.c"]).expect(0).expect_stderr(&lines);
    let said = bench.opcost(&["report", "run.opc", "--json", "report.json", "--html", "page.html"]).expect(0);
    assert!(lines.iter().all(|words| said.stdout.contains(words)), "{}", said.stdout);
    assert_eq!(bench.json("report.json")["build"], count["build"]);
    let page = bench.read("page.html");
    assert!(page.contains("sum.f90: flang 22.") && page.contains("twice.c: clang 22."), "{page}");
    // One way is told in one line.
    bench.opcost(&["count", "sum.f90", "twice.c", "--emit", "exe", "-o", "both"]).expect(0);
    bench.write("one.c", "int main(void) { return 0; }\n");
    bench.opcost(&["count", "one.c"]).expect(0).expect_stderr(&["unit/1 · clang 22.", " -O2 · exact\n"]);
}

/// Drivers hand a source of another language to that language's compiler.
#[test]
fn a_build_of_many_flags_is_told_by_groups() {
    needs("flang-22", "flang-22");
    let bench = Bench::new(&[SUM, TWICE]);
    let mut objects = String::new();
    for at in 0..7 {
        bench.write(&format!("part{at}.c"), format!("int part{at}(void) {{ return {at}; }}\n"));
        let flags = if at == 6 { "-O1 -DODD" } else { "-O2 -g" };
        bench.shell(&format!("$OPCOST cc {flags} -c part{at}.c"));
        objects += &format!("part{at}.o ");
    }
    bench.shell(&format!(
        "$OPCOST flang -O3 -c sum.f90 twice.c; $OPCOST flang {objects} sum.o twice.o -o prog"
    ));
    let count = bench.count(&["./prog"]);
    let parts = (0..6).map(|at| format!("part{at}.c")).collect::<Vec<_>>().join(" ");
    assert_eq!(
        groups(&count),
        [
            group(&parts, "clang 22", "-O2"),
            group("part6.c", "clang 22", "-O1 -DODD"),
            group("sum.f90", "flang 22", "-O3"),
            group("twice.c", "clang 22", "-O3"),
        ]
    );
    let said = bench.opcost(&["count", "./prog"]).expect(0);
    said.expect_stderr(&["  part6.c: clang 22.", " -O1 -DODD\n"]);
    let mut narrow = bench.command(&["count", "./prog"]);
    let said = opcost_testkit::command::ProgramOutput::of(narrow.env("COLUMNS", "60")).expect(0);
    said.expect_stderr(&["  part0.c, ", " more: clang 22."]);
    bench.opcost(&["count", "--full", "./prog"]).expect(0).expect_stderr(&["part4.c, part5.c: clang 22."]);
}

/// A module says who made it; opcost does not claim to have compiled it.
#[test]
fn bitcode_is_told_by_who_made_it() {
    let bench = Bench::new(&[
        TWICE,
        ("main.c", "int twice_(int *); int main(void) { int x = 2; return twice_(&x) - 4; }\n"),
        ("lib.rs", "#[unsafe(no_mangle)] pub extern \"C\" fn twice_(x: &i32) -> i32 { *x * 2 }\n"),
        (
            "bare.ll",
            "target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @twice_(ptr %x) {\n  %v = load i32, ptr %x\n  %r = add i32 %v, %v\n  ret i32 %r\n}\n",
        ),
    ]);
    bench.shell("rustc --crate-type=lib -O --emit=llvm-bc -Ccodegen-units=1 lib.rs -o lib.bc");
    let count = bench.count(&["main.c", "lib.bc"]);
    assert_eq!(groups(&count), [group("lib.bc", "rustc 1", "-O2"), group("main.c", "clang 22", "-O2")]);
    let count = bench.count(&["main.c", "bare.ll"]);
    assert_eq!(groups(&count)[0], group("bare.ll", "an unknown compiler", "-O2"));
    bench.shell("clang-22 -O1 -c -emit-llvm main.c twice.c");
    let said = bench.opcost(&["count", "main.bc", "twice.bc"]).expect(0);
    said.expect_stderr(&["unit/1 · bitcode of clang 22.", ", codegen -O2 · exact"]);
}

#[test]
fn rust_with_its_library_calls_c() {
    let bench = Bench::new(&[
        ("twice.c", "int twice(int x) { return x * 2; }\n"),
        (
            "main.rs",
            "unsafe extern \"C\" { fn twice(x: i32) -> i32; }
use std::collections::BTreeMap;
fn main() {
    let map: BTreeMap<i32, i32> = (0..50).map(|i| (i, unsafe { twice(i) })).collect();
    // One after the other: Rust's library spins on a lock where threads end at once.
    let sum: u64 = (0..3).map(|n| std::thread::spawn(move || (0..n).sum::<u64>()).join().unwrap()).sum();
    println!(\"{} {} {sum}\", map[&49], map.len() == 50);
}
",
        ),
    ]);
    let count = bench.count(&["main.rs", "twice.c"]);
    assert_eq!(Bench::calls(&count, "twice"), 50);
    let library = count["functions"].as_array().expect("functions").iter();
    assert!(
        library.into_iter().any(|f| f["name"].as_str().is_some_and(|name| name.contains("alloc::"))),
        "{count}"
    );
    let naive = bench.count(&["--placement", "every-segment", "main.rs", "twice.c"]);
    let (naive, cheap) = (per_function(&naive), per_function(&count));
    let apart: Vec<_> = naive.iter().zip(&cheap).filter(|(a, b)| a != b).collect();
    assert!(naive.len() == cheap.len() && apart.is_empty(), "two placements disagree: {apart:?}");
}

/// Instructions by function, but for the one that reads the exception tables of
/// the machine code, which are not the same for two placements.
fn per_function(count: &serde_json::Value) -> Vec<(String, u64)> {
    let functions = count["functions"].as_array().expect("functions").iter();
    let mut list: Vec<(String, u64)> = functions
        .map(|f| {
            (
                f["linkage_name"].as_str().expect("a name").to_owned(),
                f["instructions"].as_u64().expect("a number"),
            )
        })
        .filter(|(name, _)| name != "rust_eh_personality")
        .collect();
    list.sort();
    list
}

#[test]
fn a_crate_with_a_dependency_and_a_build_script() {
    let bench = Bench::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\ndep = { path = \"dep\" }\n[profile.release]\nstrip = true\n[workspace]\n",
        ),
        (
            "build.rs",
            "fn main() { println!(\"cargo::rustc-env=STEP=3\\ncargo::rerun-if-changed=build.rs\"); }\n",
        ),
        (
            "src/main.rs",
            "fn main() {\n    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();\n    let step: u64 = env!(\"STEP\").parse().unwrap();\n    println!(\"{}\", (0..n).map(|i| dep::far(i * step)).sum::<u64>());\n}\n",
        ),
        ("dep/Cargo.toml", "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("dep/src/lib.rs", "#[inline(never)]\npub fn far(x: u64) -> u64 { std::hint::black_box(x) + 1 }\n"),
    ]);
    let cargo = env!("CARGO_BIN_EXE_cargo-opcost");
    let counted = |extra: &[&str]| {
        let mut command = bench.program(cargo);
        command.args(["opcost", "count", "--bin", "app", "--offline", "--json", "counts.json"]);
        let said = ProgramOutput::of(command.args(extra).args(["--", "40"]));
        assert_eq!((said.status, said.stdout.as_str()), (0, "2380\n"), "{}", said.stderr);
        bench.json("counts.json")
    };
    let count = counted(&[]);
    assert_eq!(Bench::calls(&count, "dep::far"), 40);
    assert_eq!(count["quality"]["kind"], "exact");
    assert!(bench.path("target/opcost/release/app").is_file());
    // Nothing changed: cargo does not build again, and the count is the same.
    let again =
        ProgramOutput::of(bench.program(cargo).args(["opcost", "build", "--bin", "app", "--offline"]));
    assert!(!again.stderr.contains("Compiling"), "{}", again.stderr);
    assert_eq!(Bench::calls(&counted(&[]), "dep::far"), 40);
    // The same to be sampled: as it is, and only built.
    let sample = |extra: &[&str]| {
        let mut command = bench.program(cargo);
        ProgramOutput::of(command.args(["opcost", "sample", "--bin", "app", "--offline"]).args(extra))
    };
    let said = sample(&["--json", "sampled.json", "--", "300000000"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let sampled = bench.json("sampled.json");
    assert_eq!(sampled["quality"]["kind"], "estimate");
    let functions = sampled["functions"].as_array().expect("functions");
    let is_far =
        |one: &&serde_json::Value| one["name"].as_str().is_some_and(|name| name.contains("dep::far"));
    assert!(functions.iter().any(|one| is_far(&one)), "{functions:#?}");
    let said = sample(&["--emit", "exe", "-o", "app-to-sample"]);
    assert!(said.status == 0 && said.stderr.contains("opcost sample ./app-to-sample"), "{}", said.stderr);
    assert!(bench.path("app-to-sample").is_file());
    let wrong = ProgramOutput::of(bench.program(cargo).args(["opcost", "fly"]));
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
}

#[test]
fn weights_come_from_a_file() {
    let bench = Bench::new(&[
        ("w.c", "int main(int argc, char **argv) { long a = argc; return a * a * 3 != 3; }\n"),
        ("my.toml", "name = \"my/1\"\n[weights]\n\"mul.i64\" = 100\nret = 0\n"),
    ]);
    let unit = bench.count(&["w.c"]);
    let mine = bench.count(&["--cost", "my.toml", "w.c"]);
    assert!(mine["cost_model"].as_str().is_some_and(|name| name.starts_with("my/1#")), "{mine}");
    assert_ne!(unit["total"], mine["total"]);
    bench.shell("OPCOST_COST=my.toml $OPCOST cc -O2 w.c -o prog");
    assert_eq!(bench.count(&["./prog"])["total"], mine["total"]);
    bench.write("bad.toml", b"name = \"my/1\"\n\n[weights]\nfdvi = 2\n");
    let said = bench.opcost(&["count", "--cost", "bad.toml", "w.c"]);
    assert_eq!(said.status, 2);
    assert!(
        said.stderr.contains("bad.toml:4: 'fdvi' is no opcode of LLVM; did you mean fdiv?"),
        "{}",
        said.stderr
    );
    let said = bench.opcost(&["count", "--cost", "none/1", "w.c"]);
    assert_eq!(said.status, 2);
    let said = bench.opcost(&["count", "--cost", "none.toml", "w.c"]);
    assert_eq!(said.status, 1);
    assert!(said.stderr.contains("none.toml"), "{}", said.stderr);
}

#[test]
fn the_library_of_mathematics_is_found_by_every_verb() {
    let bench = Bench::new(&[(
        "wave.c",
        "#include <math.h>\n#include <stdlib.h>\nint main(int count, char **words) {\n  \
         double sum = 0;\n  for (int i = 0; i < 9 * count; i++) sum += sin(i) + pow(i, 3);\n  \
         return sum + atof(words[0]) > 1e9;\n}\n",
    )]);
    let verbs: [&[&str]; 5] = [
        &["count"],
        &["fuel", "--limit", "1M"],
        &["values", "--trip-counts"],
        &["bits", "--observe"],
        &["sample", "--emit", "exe", "-o", "wave"],
    ];
    for verb in verbs {
        bench.opcost(&[verb, &["wave.c"]].concat()).expect(0);
    }
    // What calls nothing in it does not load it.
    bench.write("plain.c", "int main(void) { return 0; }\n");
    bench.opcost(&["count", "--emit", "exe", "-o", "plain", "plain.c"]).expect(0);
    let loaded = bench.shell("readelf -d plain");
    assert!(!loaded.stdout.contains("libm.so"), "{}", loaded.stdout);
}

#[test]
fn bitcode_of_rust_gets_the_library_of_rust() {
    let bench = Bench::new(&[(
        "main.rs",
        "fn main() {\n    let n = std::env::args().count() as u64 * 10;\n    let mut sum = 0u64;\n    \
         for i in 0..n {\n        sum = sum.wrapping_mul(31) + i;\n    }\n    println!(\"{sum}\");\n}\n",
    )]);
    bench.shell("rustc -O -g --emit=llvm-bc main.rs -o main.bc");
    for verb in [&["count"][..], &["values", "--trip-counts"], &["bits", "--observe"]] {
        bench.opcost(&[verb, &["main.bc"]].concat()).expect(0);
    }
    // Without a rustc the message says what would help.
    let said = ProgramOutput::of(bench.command(&["count", "main.bc"]).env("PATH", "/usr/bin:/bin")).expect(1);
    said.expect_stderr(&["Rust's library, which main.bc needs", "cargo opcost"]);
}
