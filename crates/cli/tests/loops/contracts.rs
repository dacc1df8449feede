//! What callers promise of ports: what it makes narrower, where it stands, and
//! what is said of a contract that is wrong.

use opcost_testkit::command::ProgramOutput;
use serde_json::Value;

use super::{Source, document, opcost};

const PLANE: &str = "static const short weights[4] = {1, -5, 20, 7};
int pixel(const short *plane, int stride, unsigned char row, int column) {
  int at = row * stride;
  int weight = weights[column & 3];
  return plane[at] * weight;
}
";

fn value<'a>(document: &'a Value, opcode: &str) -> &'a Value {
    let functions = document["functions"].as_array().expect("functions");
    let mut values = functions.iter().flat_map(|function| function["values"].as_array().expect("values"));
    values.find(|value| value["opcode"] == opcode).unwrap_or_else(|| panic!("no {opcode}: {document:#}"))
}

fn refused(source: &Source, contracts: &[&str]) -> String {
    refused_at("-O0", source, contracts)
}

fn refused_at(level: &str, source: &Source, contracts: &[&str]) -> String {
    let flags = contracts.iter().flat_map(|contract| ["--assume", contract]);
    let arguments: Vec<&str> = ["bits", level].into_iter().chain(flags).chain([&*source.path]).collect();
    let output = opcost(&arguments);
    assert_eq!(output.status, 2, "{contracts:?}: {}", output.stderr);
    assert!(output.stdout.is_empty(), "nothing is told beside an error");
    output.stderr
}

#[test]
fn a_contract_for_the_stride_makes_the_product_narrow_and_is_listed() {
    let source = Source::new("plane.c", PLANE);
    let told = |contract: &str| {
        let told = document("bits", &["-O1", "--world", "open", "--assume", contract, &source.path]);
        let product = value(&told, "mul");
        (product["width"].as_u64().expect("bits"), product["range"].clone(), told["assumes"].clone())
    };
    // 255 * 64.
    let (width, range, assumes) = told("pixel.stride=64");
    assert_eq!((width, range), (14, "0..16320 in steps of 64".into()));
    assert_eq!(assumes[0], "each caller keeps the contract pixel.stride=64 (--assume)");
    assert_eq!(told("pixel.stride=-64..64").0, 15);
    assert_eq!(told("pixel.stride=16,0x20,64").0, 14);
    // By the number that keys have.
    assert_eq!(told("pixel.argument1=64").0, 14);
}

#[test]
fn a_contract_is_told_as_the_reason() {
    let source = Source::new("plane.c", PLANE);
    let place = format!("{}:3", source.path);
    let flags = ["-O1", "--world", "open", "--assume", "pixel.stride=0..600", &*place];
    let told = document("explain-width", &flags);
    let values = told["values"].as_array().expect("values");
    let product =
        values.iter().find(|one| one["value"]["text"].as_str().is_some_and(|text| text.contains("mul")));
    let product = product.unwrap_or_else(|| panic!("{told:#}"));
    assert_eq!(product["reason"], "what a contract leaves (--assume)", "{told:#}");
    assert_eq!(told["assumes"][0], "each caller keeps the contract pixel.stride=0..600 (--assume)");
}

#[test]
fn a_certificate_lists_contracts_as_given_and_needs_them() {
    let source = Source::new("plane.c", PLANE);
    let certificate = source.path.replace(".c", ".json");
    let flags = ["bits", "-O1", "--world", "open", "--assume", "pixel.stride=0..64"];
    opcost(&[&flags[..], &["--certificate", &certificate, &source.path]].concat()).expect(0);
    let check = ["bits", "-O1", "--world", "open", "--check", &certificate, &source.path];
    let with = |contract: &str| opcost(&[&check[..], &["--assume", contract]].concat());
    let output = with("pixel.stride=0..64");
    let told = &output.stdout;
    assert_eq!(output.status, 0, "{told}");
    assert!(told.contains("pixel:argument1 is 0..64 of i32 (a contract)"), "{told}");
    // Fewer words promise that, too. More do not, and neither does another port.
    for fewer in ["pixel.stride=3", "pixel.stride=1,2,64", "pixel.stride=7..63", "pixel.argument1=0..64"] {
        assert_eq!(with(fewer).status, 0, "{fewer}");
    }
    let mut refused = vec![opcost(&check)];
    let more = ["pixel.stride=0..65", "pixel.stride=-1..64", "pixel.stride=3,65", "pixel.column=0..64"];
    refused.extend(more.map(with));
    for output in refused {
        let is_told =
            output.stdout.starts_with("does not hold: it takes as given what --check was not given")
                && output.stdout.contains("add --assume 'pixel.stride=0..64'");
        assert!(output.status == 3 && is_told, "{} {}", output.stdout, output.stderr);
    }
    // The same claims without it do not follow.
    let text = std::fs::read_to_string(&certificate).expect("the certificate");
    let mut edited: Value = serde_json::from_str(&text).expect("JSON");
    let given = edited["functions"][0]["given"].as_array_mut().expect("what is given");
    assert_eq!(given.len(), 1, "{given:?}");
    given.clear();
    std::fs::write(&certificate, edited.to_string()).expect("written");
    let output = opcost(&check);
    let told = &output.stdout;
    assert_eq!(output.status, 3, "{told}");
    assert!(told.contains("anyone may call it with anything"), "{told}");
    // What is promised and not taken as given proves nothing.
    assert_eq!(with("pixel.stride=0..64").status, 3);
}

/// Extremes of both ports, inside of what is promised.
#[test]
fn a_program_narrowed_under_contracts_does_the_same_where_they_are_kept() {
    const DRIVER: &str = "#include <stdio.h>
unsigned mix(unsigned, int);
int main(void) {
  for (unsigned n = 0; n < 100; n++)
    for (int m = -7; m <= 1000; m += m < 0 || m > 992 ? 1 : 31) printf(\"%u\\n\", mix(n, m));
}
";
    let source = Source::new(
        "mix.c",
        "unsigned mix(unsigned n, int m) { int product = (int)n * m; return (product >> 3) % 97 ^ (n * 41 >> 2); }\n",
    );
    let at = |name: &str| source.place.at(name);
    source.place.write("driver.c", DRIVER);
    let narrow = |flags: &[&str]| {
        let all = ["bits", "-O1", "--world", "open", "--narrow", "-o", &at("narrow.bc"), &source.path];
        let output = opcost(&[&all, flags].concat()).expect(0);
        output.stdout
    };
    let run = |other: &str| {
        source.place.tool("clang-22", &["-O1", "-w", "driver.c", other, "-o", "program"]);
        ProgramOutput::of(&mut source.place.program(at("program"))).stdout
    };
    let without = narrow(&[]);
    let values = |told: &str| -> u64 {
        let line = told.lines().find(|line| line.contains("values are computed")).expect("it is told");
        line.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
    };
    let told = narrow(&["--assume", "mix.n=0..99", "--assume", "mix.m=-7..1000"]);
    assert!(values(&told) > values(&without) + 2 && told.contains("mix.m=-7..1000"), "{without}{told}");
    let json = at("narrow.json");
    narrow(&["--assume", "mix.n=0..99", "--assume", "mix.m=-7..1000", "--json", &json]);
    let document = source.place.json("narrow.json");
    super::against_schema("bits-narrow", &document);
    assert_eq!(
        (&document["values"], &document["world"]),
        (&values(&told).into(), &"open".into()),
        "{document:#}"
    );
    assert!(document["computed"].as_u64() < document["declared"].as_u64(), "{document:#}");
    assert_eq!(document["assumes"].as_array().map(Vec::len), Some(2), "{document:#}");
    let (original, narrowed) = (run(&source.path), run(&at("narrow.bc")));
    assert!(original.len() > 10_000 && original == narrowed, "{told}");
}

#[test]
fn a_contract_that_a_call_breaks_is_refused_with_the_value() {
    let source = Source::new(
        "calls.c",
        "int __attribute__((noinline)) f(int stride) { return stride * 3; }
int main(int argc, char **argv) {
  return f(65);
}
",
    );
    let told = refused(&source, &["f.stride=64"]);
    assert!(
        told.contains("the contract 'f.stride=64' contradicts the code: main calls f with stride = 65"),
        "{told}"
    );
    assert!(told.contains("calls.c:3"), "{told}");
    let told = refused(&source, &["f.stride=0..64"]);
    assert!(told.contains("stride = 65"), "{told}");
}

#[test]
fn a_call_that_perhaps_breaks_a_contract_is_a_finding() {
    let source = Source::new(
        "calls.c",
        "int __attribute__((noinline)) f(int n) { return n * 3; }
int g(int n) {
  return n > 9 ? f(n) : 0; }
int h(int n) { return f(n & 7); }
",
    );
    let told = document("bits", &["-O1", "--world", "open", "--assume", "f.n=0..20", &source.path]);
    let findings = told["findings"].as_array().expect("findings");
    let of_contract: Vec<&Value> = findings.iter().filter(|one| one["kind"] == "contract").collect();
    // The other call keeps it.
    assert_eq!(of_contract.len(), 1, "{findings:#?}");
    assert_eq!(of_contract[0]["line"], 3);
    let words = "n is 10..2147483647 here, as far as the code says: f.n=0..20";
    assert_eq!(of_contract[0]["text"], words);
    assert_eq!(value(&told, "mul")["range"], "0..60 in steps of 3");
}

#[test]
fn a_contract_under_which_every_access_is_outside_is_refused() {
    let source = Source::new(
        "table.c",
        "static const int table[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
int f(int n) { return table[n]; }
",
    );
    let told = refused_at("-O1", &source, &["f.n=20..30"]);
    assert!(told.contains("the contract 'f.n=20..30' contradicts the code: without it n is 0..9"), "{told}");
}

#[test]
fn a_run_that_breaks_a_contract_is_a_verdict() {
    let source = Source::new(
        "run.c",
        "#include <stdlib.h>
int __attribute__((noinline)) f(int n) { return n * 7; }
int main(int argc, char **argv) { return f(atoi(argv[1])) == 5; }
",
    );
    let observe =
        |n: &str| opcost(&["bits", "-O1", "--assume", "f.n=0..9", "--observe", &source.path, "--", n]);
    assert_eq!(observe("9").status, 0);
    let output = observe("50");
    let told = &output.stdout;
    assert_eq!(output.status, 3, "{told}");
    assert!(
        told.contains("f:argument0 was 50, which it cannot be (0..9) if what is assumed holds"),
        "{told}"
    );
}

#[test]
fn floating_point_ports_have_contracts_too() {
    let source = Source::new(
        "gain.c",
        "int f(float gain, double x) { return (int)gain + (int)x; }
",
    );
    let contracts = ["--assume", "f.gain=0..4", "--assume", "f.x=-0.5..2e1"];
    let flags = ["-O1", "--world", "open"];
    let told = document("bits", &[&flags[..], &contracts, &[&source.path]].concat());
    assert_eq!(value(&told, "add")["range"], "0..24", "{told:#}");
}

#[test]
fn a_contract_that_does_not_fit_says_what_would() {
    let source = Source::new(
        "ports.c",
        "int f(const int *in, int n, unsigned char flag) { return in[n] + flag; }
int g(void) { return 1; }
",
    );
    for (contract, words) in [
        ("f.m=4", "names no port: f has no parameter m; its parameters are in, n, flag"),
        ("g.n=4", "names no port: g has no parameter n; its parameters are none"),
        ("h.n=4", "names no function of the program: there are"),
        ("f.in=4", "is about a parameter that is no number"),
        ("f.flag=-1..200", "does not fit: flag is an i8, -128..127 or 0..255"),
        ("f.n=99999999999", "does not fit: n is an i32"),
        ("f.n=0.5", "does not fit: n is an i32, write whole numbers"),
        ("f.n", "it is no contract; write FUNCTION.PORT=NUMBER"),
        ("f.n=5..1", "no number is in 5..1"),
    ] {
        let told = refused(&source, &[contract]);
        assert!(told.contains(words) && told.contains(contract), "{contract}: {told}");
    }
    let output = opcost(&["explain", "--assume", "f.n=4", &format!("{}:1", source.path)]);
    assert_eq!(output.status, 2, "{}", output.stderr);
}
