//! Are the weights of library calls what such calls cost?
//!
//! An ordinary program (`corpus/metered/calls.cpp`) runs under callgrind; for
//! a sample of functions, the instructions per call must lie within a factor
//! of three of `charges.txt`: arguments, processors and versions differ. And a
//! host's own table goes before it.

use std::collections::BTreeMap;

use crate::fuel::{PAYING, metered, run, spend};
use crate::harness::{Bench, corpus};

const TABLE: &str = include_str!("../../../library/src/charges.txt");

const SAMPLE: &[&str] = &[
    "malloc",
    "free",
    "sin",
    "exp",
    "log",
    "pow",
    "atan2",
    "cbrt",
    "fmod",
    "hypot",
    "cosf",
    "expl",
    "putchar",
    "fgetc",
    "rand",
    "strtod",
    "fopen",
    "fclose",
    "_Znwm",
    "_ZdlPvm",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    "_ZSt11_Hash_bytesPKvmm",
    "_ZNSolsEi",
    "_ZNSolsEd",
    "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
    "_ZNSirsERi",
    "__cxa_allocate_exception",
    "__cxa_throw",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__dynamic_cast",
    "_ZNSt12out_of_rangeC1EPKc",
];

/// Calls, and instructions below them.
#[derive(Default)]
struct Cost(u64, u64);

/// By the function called, and for `at_NAME` what it spends in others.
fn costs(text: &str) -> BTreeMap<String, Cost> {
    let mut costs: BTreeMap<String, Cost> = BTreeMap::new();
    let (mut caller, mut callee, mut lines) = (String::new(), String::new(), text.lines());
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("fn=") {
            name.clone_into(&mut caller);
        } else if let Some(name) = line.strip_prefix("cfn=") {
            name.clone_into(&mut callee);
        } else if let Some(rest) = line.strip_prefix("calls=") {
            let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).expect("a number");
            let calls: u64 = number(rest.split(' ').next());
            let spent: u64 = number(lines.next().and_then(|line| line.split(' ').nth(1)));
            let names = [&callee].into_iter().filter(|name| !name.starts_with("at_"));
            for name in names.chain([&caller].into_iter().filter(|name| name.starts_with("at_"))) {
                let cost = costs.entry(name.clone()).or_default();
                cost.0 += calls;
                cost.1 += spent;
            }
        }
    }
    costs
}

#[test]
fn calls_weigh_what_they_cost() {
    let bench = Bench::new();
    let source = corpus().join("../metered/calls.cpp");
    let source = source.to_str().expect("UTF-8");
    // As it is written: nothing of the library inlined.
    bench.tool("clang++-22", &["-std=c++20", "-O0", "-g0", "-fno-builtin", "-o", "calls", source]);
    bench.tool(
        "env",
        &[
            "LD_BIND_NOW=1",
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=out",
            "--compress-strings=no",
            "--compress-pos=no",
            "--demangle=no",
            "./calls",
        ],
    );
    let costs = costs(&bench.read("out"));
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let table: BTreeMap<&str, u64> = lines
        .map(|line| line.split_once(' ').expect("a name and a weight"))
        // What is compiled with the program has no weight.
        .filter_map(|(name, rest)| Some((name, rest.split(' ').next()?.parse().ok()?)))
        .collect();
    let mut wrong = Vec::new();
    for &name in SAMPLE {
        let weight = *table.get(name).unwrap_or_else(|| panic!("{name} has no weight"));
        let cost = costs.get(&format!("at_{name}")).or_else(|| costs.get(name));
        let Cost(calls, spent) = cost.unwrap_or_else(|| panic!("{name} is not called"));
        let cost = *spent as f64 / *calls as f64;
        println!("{name}: weight {weight}, cost {cost:.1} in {calls} calls");
        if cost > 3.0 * weight as f64 || 3.0 * cost < weight as f64 {
            wrong.push(format!("{name}: weight {weight}, cost {cost:.1} in {calls} calls"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a hundred calls add by a cost model, for `fuel` and for `count`.
fn hundred(bench: &Bench, model: &str, flags: &[&str], body: &str) -> u64 {
    let text = format!(
        "#include <math.h>\n#include <stdlib.h>\nvolatile double x = 0.5; void *volatile p;\n\
         int main(int c, char **v) {{ for (int i = 0, n = atoi(v[1]); i < n; i++) {{ {body}; }} }}\n"
    );
    bench.write("a.c", text);
    let flags: Vec<&str> = flags.iter().copied().chain(["-O0", "-lm", "--cost", model]).collect();
    let spending = [metered(bench, &[&["--audit"], &flags[..]].concat(), &[bench.path("a.c")])];
    bench.opcost(&[&["count", "--emit", "exe", "-o", "counted"], &flags[..], &["a.c"]].concat()).expect(0);
    let counting = [bench.path("counted")];
    let cost = |times: u32| {
        let arguments = [times.to_string()];
        let spent = run(bench, &[], &spending, &arguments);
        assert_eq!(spent.verdict(), "finished", "{}", spent.1);
        let counted = bench.count(&[], &counting, &arguments);
        assert_eq!(spent.amount(), counted.counts().total(), "{model} {body}");
        spent.amount()
    };
    cost(200) - cost(100)
}

#[test]
fn a_host_changes_weights_of_calls() {
    let bench = Bench::new();
    let model = |calls: &str| {
        let text = format!("name = \"my/1\"\nbased-on = \"fuel/1\"\n[calls]\n{calls}\n");
        bench.write("my.toml", text);
    };
    let own = hundred(&bench, PAYING[1], &[], "x = sin(x)");
    model("sin = 1");
    let lower = hundred(&bench, "my.toml", &[], "x = sin(x)");
    model("sin = 1001");
    assert_eq!(hundred(&bench, "my.toml", &[], "x = sin(x)") - lower, 100_000);
    assert!(own > lower && own < lower + 100_000, "{own} {lower}");
    // Other entries stay.
    assert_eq!(
        hundred(&bench, "my.toml", &[], "p = malloc(9)"),
        hundred(&bench, PAYING[1], &[], "p = malloc(9)")
    );
    model("sin = 0");
    let refused = bench.opcost(&["fuel", "--cost", "my.toml", "a.c"]);
    let said = &refused.stderr;
    assert!(refused.status == 2 && said.contains("sin weighs 0"), "{said}");
}

/// Whether clang makes a call of it or an intrinsic is no difference.
#[test]
fn what_becomes_a_call_weighs_the_same() {
    let bench = Bench::new();
    for body in ["x = sin(x)", "x = pow(x, 0.3)", "x = fmod(x, 0.3)", "x = floor(x)"] {
        let call = hundred(&bench, PAYING[1], &["--cflag", "-fno-builtin"], body);
        let intrinsic = hundred(&bench, PAYING[1], &["--cflag", "-fno-math-errno"], body);
        assert_eq!(call, intrinsic, "{body}");
    }
}

/// The last case of `corpus/metered/worst.cpp`.
const LAST_CASE: u32 = 17;

/// Lengths, places and numbers on which the library does much, and no call says it.
#[test]
fn what_goes_with_contents_is_charged_within_four_times() {
    let bench = Bench::new();
    let source = corpus().join("../metered/worst.cpp");
    let text = source.to_str().expect("UTF-8");
    bench.tool("clang++-22", &["-std=c++20", "-O2", "-w", "-o", "worst", text]);
    let flags = ["--audit", "--cflag=-std=c++20", "--cflag=-w"];
    let program = [metered(&bench, &flags, std::slice::from_ref(&source))];
    let mut wrong = Vec::new();
    for case in (0..=LAST_CASE).map(|case| case.to_string()) {
        let tool = ["--tool=callgrind", "--toggle-collect=work", "--callgrind-out-file=out"];
        bench.tool("env", &[&["LD_BIND_NOW=1", "valgrind"][..], &tool, &["./worst", &case]].concat());
        let out = bench.read("out");
        let totals = out.lines().find_map(|line| line.strip_prefix("totals: ")).expect("totals");
        let done: f64 = totals.trim().parse().expect("a number");
        let spent = run(&bench, &[], &program, std::slice::from_ref(&case));
        assert_eq!(spent.verdict(), "finished", "{}", spent.1);
        let times = done / spent.amount() as f64;
        println!("case {case}: done {done}, charged {}, {times:.2} times", spent.amount());
        if !(0.25..=4.0).contains(&times) {
            wrong.push(format!("case {case}: done {done}, charged {}", spent.amount()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Members of strings, streams and containers do what the library's do, and cost the same in `fuel` and `count`.
#[test]
fn strings_and_streams_that_pay_do_what_the_library_does() {
    let source = corpus().join("../metered/strings.cpp");
    let bench = Bench::new();
    bench.tool("clang++-22", &["-std=c++20", "-O1", "-w", "-o", "plain", source.to_str().expect("UTF-8")]);
    let plain = bench.tool("./plain", &[]).stdout;
    assert!(plain.len() > 300, "it prints");
    // The compiler makes some members of strings anew, and the library calls those: both count them.
    for level in ["-O0", "-O2"] {
        let out = bench.path("out").to_str().expect("UTF-8").to_owned();
        let flags = [level, "--cflag=-std=c++20", "--cflag=-w"];
        let spent =
            spend(&bench, &[&flags[..], &["--stdout", &out]].concat(), std::slice::from_ref(&source), &[]);
        assert_eq!(spent.verdict(), "finished", "{}", spent.1);
        assert!(bench.read("out") == plain, "{level}: another output");
        let counted = bench.count(&[&flags[..], &PAYING].concat(), std::slice::from_ref(&source), &[]);
        assert_eq!(spent.amount(), counted.counts().total(), "{level}");
    }
}

/// What a program does under callgrind, in millions of instructions.
fn done(bench: &Bench, program: &str, arguments: &[&str]) -> f64 {
    let valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program];
    let output = bench.tool("valgrind", &[&valgrind, arguments].concat());
    let text = &output.stderr;
    let number = text.lines().find_map(|line| line.split_once("Collected : ")).expect("callgrind's sum").1;
    number.trim().parse::<f64>().expect("a number") / 1e6
}

/// Thrown by the program and by the library, through plain frames and frames that are landed in, thrown
/// again in the middle: what is charged lies within four times of what callgrind counts.
#[test]
fn frames_that_an_exception_passes_are_paid_for() {
    let bench = Bench::new();
    let source = corpus().join("../metered/throwing.cpp");
    let name = source.to_str().expect("UTF-8");
    bench.tool("clang++-22", &["-O2", "-g0", "-o", "throwing", name]);
    let paying = metered(&bench, &["--audit"], std::slice::from_ref(&source));
    let counting = [&["count", "--emit", "exe", "-o", "counted", name][..], &PAYING].concat();
    bench.opcost(&counting).expect(0);
    let counting = bench.path("counted");
    let mut wrong = Vec::new();
    for how in ["t", "a", "s", "i", "c", "g", "m"] {
        for frames in ["0", "300"] {
            let spent = |times: &str| {
                let arguments = [how, frames, times].map(str::to_owned);
                let spent = run(&bench, &[], std::slice::from_ref(&paying), &arguments);
                assert_eq!(spent.verdict(), "finished", "{}", spent.1);
                let counted = bench.count(&[], std::slice::from_ref(&counting), &arguments);
                assert_eq!(spent.amount(), counted.counts().total(), "{how} {frames} {times}");
                spent.amount() as f64 / 1e6
            };
            let done = |times: &str| done(&bench, "./throwing", &[how, frames, times]);
            let times = if frames == "0" { ("5", "25") } else { ("1", "5") };
            let (charged, done) = (spent(times.1) - spent(times.0), done(times.1) - done(times.0));
            println!("{how} {frames}: {charged:.3} charged, {done:.3} done, {:.2} times", done / charged);
            if !(0.25..=4.0).contains(&(done / charged)) {
                wrong.push(format!("{how} {frames}: {charged:.3} charged, {done:.3} done"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
