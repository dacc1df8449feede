//! Does every kind of flag do what clang does, or is it refused by name?
//!
//! Four kinds: flags that print in place of compiling, flags whose instrumentation needs a library at the
//! link, flags that change code after it was counted, and flags that cannot be kept. clang itself is the
//! referee of the first three.

use opcost_testkit::command::{ProgramOutput, Workplace};
use serde_json::Value;

use super::{cases, opcost};

#[test]
fn what_prints_compiles_nothing() {
    let place = cases();
    for words in [
        "-### toy.c",
        "-### -c toy.c",
        "-### toy.c -o made",
        "-fdriver-only toy.c",
        "-ccc-print-phases toy.c",
        "--version",
        "--version toy.c",
        "-dumpmachine",
        "-dumpversion",
        "-print-search-dirs",
        "-print-file-name=libc.so toy.c",
        "--print-supported-cpus",
        "--help",
        "-v",
        "-E toy.c",
        "-M toy.c",
        "-MM toy.c",
        "-fsyntax-only toy.c",
    ] {
        let all: Vec<&str> = words.split(' ').collect();
        let [own, theirs] = [place.opcost(&[&["cc"][..], &all].concat()), place.tool("clang-22", &all)]
            .map(|said| said.expect(0));
        assert_eq!(own.stdout, theirs.stdout, "{words}");
        // The names of temporary files differ.
        assert_eq!(own.stderr.lines().count(), theirs.stderr.lines().count(), "{words}: {}", own.stderr);
        assert!(!["a.out", "made", "toy.o"].iter().any(|name| place.path(name).exists()), "{words}");
    }
}

fn counted(place: &Workplace, source: &str, flags: &str) -> Value {
    let flags = flags.split(' ').filter(|flag| !flag.is_empty()).map(|flag| format!("--cflag={flag}"));
    let words: Vec<String> = flags.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = place.opcost(&[&["count", "--json", "c.json"][..], &words, &[source]].concat()).expect(0);
    assert_eq!(
        said.stdout,
        place.shell(&format!("clang++-22 -x c++ {source} -o plain && ./plain")).expect(0).stdout
    );
    place.json("c.json")
}

/// What a compiler's instrumentation calls is linked, as the compiler would.
#[test]
fn instrumentation_is_linked() {
    let place = cases();
    for flags in
        ["--coverage", "-fprofile-arcs -ftest-coverage", "-fprofile-generate", "-fprofile-instr-generate"]
    {
        let document = counted(&place, "late_flags.cpp", flags);
        assert_eq!(document["quality"]["kind"], "exact", "{flags}");
    }
    let built = "$OPCOST c++ --coverage late_flags.cpp -o covered && $OPCOST count --json - ./covered 2>&1 >/dev/null";
    place.shell(built).expect(0);
}

/// Such flags change machine code alone.
#[test]
fn flags_of_machine_code_keep_the_number() {
    let place = cases();
    let plain = counted(&place, "late_flags.cpp", "")["total"].clone();
    for flags in [
        "-fstack-protector-all",
        "-fstack-clash-protection",
        "-fcf-protection=full",
        "-mretpoline",
        "-fzero-call-used-regs=all",
        "-fpatchable-function-entry=5",
        "-fxray-instrument -fxray-instruction-threshold=1",
        "-fbasic-block-sections=all",
        "-fsanitize=safe-stack",
        "-flto",
    ] {
        assert_eq!(counted(&place, "late_flags.cpp", flags)["total"], plain, "{flags}");
    }
}

#[test]
fn what_cannot_be_kept_is_refused_by_name() {
    let place = cases();
    for line in
        ["cc -c -fembed-bitcode toy.c", "cc -fembed-bitcode=all toy.c", "count --cflag=-fembed-bitcode toy.c"]
    {
        opcost(&place, line).expect(2).expect_stderr(&["-fembed-bitcode", "compile without it"]);
        assert!(!place.path("toy.o").exists() && !place.path("a.out").exists(), "{line}");
    }
    opcost(&place, "cc -c -fembed-bitcode=off toy.c").expect(0);
    for flag in ["-###", "--version", "-E", "-MM", "-print-search-dirs"] {
        opcost(&place, &format!("count --cflag={flag} toy.c"))
            .expect(2)
            .expect_stderr(&[flag, "compiles nothing"]);
    }
    for sanitizer in ["safe-stack", "dataflow"] {
        let line = format!("fuel --limit 100M --cflag=-fsanitize={sanitizer} toy.c");
        opcost(&place, &line)
            .expect(2)
            .expect_stderr(&[&format!("-fsanitize={sanitizer}"), "cannot be metered"]);
    }
}

/// Where fast mathematics is linked, subnormal numbers are zero from the start on. So the program iterates less often, and
/// nothing is claimed of loops that compute so.
#[test]
fn fast_mathematics_is_that_of_clang() {
    let place = cases();
    let text = "#include <stdio.h>
int main(void) {
  int n = 0;
  for (double x = 1e-300; x > 0; x /= 1024) n++;
  printf(\"%d\\n\", n);
  return 0;
}
";
    place.write("fast.c", text);
    for flags in [
        "",
        "-ffast-math",
        "-funsafe-math-optimizations",
        "-ffast-math -fno-fast-math",
        "-mdaz-ftz",
        "-ffp-model=fast",
        "-ffp-model=fast -ffp-model=precise",
        "-ffast-math -mno-daz-ftz",
        "-mno-daz-ftz -mdaz-ftz",
    ] {
        let words: Vec<&str> = flags.split_whitespace().collect();
        place.tool("clang-22", &[&words[..], &["-O0", "fast.c", "-o", "fast"]].concat()).expect(0);
        let theirs = ProgramOutput::of(&mut place.program(place.path("fast"))).stdout;
        let own: Vec<String> = words.iter().map(|flag| format!("--cflag={flag}")).collect();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let counted = place.opcost(&[&["count", "-O0"], &own[..], &["fast.c"]].concat()).expect(0);
        assert!(counted.stdout.starts_with(&theirs), "{flags}: {}", counted.stdout);
        let loops = place.opcost(&[&["loops", "--json", "-", "-O0"], &own[..], &["fast.c"]].concat());
        let number = &loops.expect(0).json()["loops"][0]["expression"];
        let is_plain = flags.is_empty() || flags.ends_with("-fno-fast-math") || flags.ends_with("=precise");
        assert_eq!(number.as_str(), is_plain.then(|| theirs.trim()), "{flags}");
    }
}

/// So is what is compared with such a number: then it is not known which bit is set.
#[test]
fn subnormal_numbers_may_be_zero() {
    let place = cases();
    let text = "int main(int argc, char **argv) {
  double x = argc > 9 ? 2e-310 : 1e-310;
  return x == 0;
}
";
    place.write("small.c", text);
    for (flag, ranges) in [("-mno-daz-ftz", ["0", "0"]), ("-mdaz-ftz", ["0..1", "{0, 1}"])] {
        let flag = format!("--cflag={flag}");
        let said = place.opcost(&["bits", "--json", "-", "-O0", &flag, "small.c"]).expect(0).json();
        let values = said["functions"][0]["values"].as_array().expect("values");
        let of_line: Vec<&Value> = values.iter().filter(|value| value["line"] == 3).collect();
        assert!(ranges.iter().all(|range| of_line.iter().any(|value| value["range"] == *range)), "{said:#}");
        place.opcost(&["bits", "--observe", "-O0", &flag, "small.c"]).expect(if ranges[0] == "0" {
            0
        } else {
            4
        });
    }
}
