//! Programs that were built before they are sampled: by the compilers' stand-ins
//! (`opcost cc`), and of Rust.

use opcost_testkit::command::ProgramOutput;

use super::sampled::{Place, fine, function, opcost};

const MAIN: &str = "
#include <stdio.h>
unsigned hot(unsigned), cold(unsigned);
int main(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 400; i++)
    sum += hot(1000000 + i) + cold(50000 + i);
  printf(\"%u\\n\", sum);
  return 0;
}
";

const PARTS: &str = "
unsigned hot(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; i++)
    x = x * 1664525u + 1013904223u;
  return x;
}
unsigned cold(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; i++)
    x = x * 22695477u + 1u;
  return x;
}
";

fn compiled(place: &Place, arguments: &[&str], purpose: Option<&str>) -> ProgramOutput {
    let mut command = place.command(&["cc"]);
    command.args(arguments).env_remove("OPCOST_PURPOSE");
    if let Some(purpose) = purpose {
        command.env("OPCOST_PURPOSE", purpose);
    }
    ProgramOutput::of(&mut command)
}

/// Sections of machine code of a program.
fn code(program: &str) -> Vec<u8> {
    use object::{Object, ObjectSection};
    let bytes = std::fs::read(program).expect("a program");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    file.section_by_name(".text").expect("code").data().expect("bytes").to_vec()
}

#[test]
fn a_build_of_many_steps_is_sampled() {
    let place = Place::new();
    let main = place.source(MAIN);
    let parts = place.file("parts.c");
    std::fs::write(&parts, PARTS).expect("a source");
    let [a, b, plain] = ["a.o", "b.o", "plain"].map(|name| place.file(name));
    let steps = [vec!["-O2", "-c", &main, "-o", &a], vec!["-O2", "-c", &parts, "-o", &b]];
    for (name, flag, purpose) in
        [("by-setting", None, Some("sample")), ("by-flag", Some("--opcost-sample"), None)]
    {
        let program = place.file(name);
        for step in steps.iter().chain([&vec!["-s", "-o", &program, &a, &b]]) {
            let line: Vec<&str> = flag.iter().copied().chain(step.iter().copied()).collect();
            let output = compiled(&place, &line, purpose);
            assert_eq!(output.status, 0, "{line:?}: {}", output.stderr);
        }
        let told = fine(&["sample", "--json", "-", &program]).json();
        let work = |name: &str| function(&told, name)["instructions"].as_u64().expect("a number");
        assert!(work("hot") > 4 * work("cold"), "{} and {}", work("hot"), work("cold"));
        // Nothing of opcost's runs in it.
        place.tool("clang-22", &["-O2", &main, &parts, "-o", &plain]);
        assert_eq!(code(&program), code(&plain), "{name}");
    }
    let refused = compiled(&place, &["-c", &parts, "-o", &b], Some("sampling"));
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("it can be count or sample"), "{}", refused.stderr);
    // Without either it is counted, as ever.
    let counted = place.file("counted");
    let output = compiled(&place, &["-O2", &main, &parts, "-o", &counted], None);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(opcost(&["sample", &counted]).stderr.contains("it was built to be counted"));
}

#[test]
fn a_rust_program_is_sampled() {
    let place = Place::new();
    let (source, program) = (place.file("work.rs"), place.file("work"));
    let text = "
#[inline(never)]
fn hot(n: u32) -> u32 {
    let mut x = n;
    for _ in 0..n { x = x.wrapping_mul(1664525).wrapping_add(1013904223); }
    x
}
fn main() {
    let rounds: u32 = std::env::args().nth(1).map_or(400, |text| text.parse().unwrap());
    println!(\"{}\", (0..rounds).fold(0u32, |sum, i| sum.wrapping_add(hot(1_000_000 + i))));
}
";
    std::fs::write(&source, text).expect("a source");
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    let told = fine(&["sample", "--json", "-", &program, "--", "800"]).json();
    let all = told["functions"].as_array().expect("functions");
    let hot = all.iter().find(|one| one["name"].as_str().is_some_and(|name| name.ends_with("hot")));
    let hot = hot.unwrap_or_else(|| panic!("{all:#?}"));
    assert!(hot["instructions"].as_u64().expect("a number") > 100_000, "{hot:#}");
}
