//! Do circuits compute what the C functions compute, and are others refused?
//!
//! Kernels of `corpus/bits` and the sum of products of Antoniadis (2011) are compiled, made into
//! circuits with widths of types, as proven, and as certified, and simulated against the C function
//! with inputs at random. iverilog and verilator must be here; `./x test` installs them.

mod elements;
mod forms;
mod idioms;
mod replay;

use opcost_testkit::command::{ProgramOutput, Workplace, holds_to_schema};
use serde_json::Value;

const MAC: &str = "#include <stdint.h>
int32_t mac(const int16_t *x, const int16_t *h, unsigned n) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < n; i++) sum += (uint32_t)(x[i] * h[i]);
  return (int32_t)sum;
}
";

fn workplace() -> Workplace {
    Workplace::new(env!("CARGO_BIN_EXE_opcost"))
}

fn corpus(name: &str) -> String {
    format!("{}/../../corpus/bits/{name}.c", env!("CARGO_MANIFEST_DIR"))
}

/// Makes and simulates a circuit; its document.
fn made(place: &Workplace, source: &str, flags: &[&str]) -> Value {
    let all = ["hdl", "--json", "-", "-o", "out", source, "--cosimulate", "40"];
    let document = place.opcost(&[&all, flags].concat()).expect(0).json();
    holds_to_schema(&document);
    let simulation = &document["simulation"];
    assert_eq!((&simulation["wrong"], &simulation["runs"]), (&0.into(), &40.into()), "{document:#}");
    document
}

fn lint(place: &Workplace, name: &str) {
    let file = format!("out/{name}.v");
    let words = place.tool(
        "verilator",
        &[
            "--lint-only",
            "-Wall",
            "--language",
            "1364-2001",
            "-Wno-DECLFILENAME",
            "--top-module",
            name,
            &file,
        ],
    );
    assert_eq!((words.stdout.trim(), words.stderr.trim()), ("", ""), "verilator has nothing to say");
}

/// The same circuit with all kinds of widths: equal to C, in the same cycles, and never wider.
fn in_all_widths(source: &str, top: &str, flags: &[&str]) -> Vec<Value> {
    let place = workplace();
    let all: Vec<Value> = ["declared", "certified", "proven", "llvm"]
        .iter()
        .map(|kind| {
            let document = made(&place, source, &[&["--top", top, "--widths", kind], flags].concat());
            lint(&place, top);
            document
        })
        .collect();
    let bits = |document: &Value| document["modules"][0]["registers_bits"].as_u64().expect("a number");
    assert!(all.iter().all(|one| one["simulation"]["cycles"] == all[0]["simulation"]["cycles"]));
    assert!(bits(&all[2]) <= bits(&all[1]) && bits(&all[1]) <= bits(&all[0]), "{top}");
    assert!(bits(&all[2]) <= bits(&all[3]) && bits(&all[3]) <= bits(&all[0]), "{top}");
    all
}

#[test]
fn a_sum_of_products_is_a_pipeline_as_wide_as_its_contract() {
    let place = workplace();
    place.write("mac.c", MAC);
    let source = place.at("mac.c");
    let flags = ["--assume", "mac.n=0..99"];
    let all = in_all_widths(&source, "mac", &flags);
    let pipeline = &all[2]["modules"][0]["loops"][0];
    assert_eq!(
        (&pipeline["ii"], &pipeline["ii_bound"], &pipeline["limited_by"]),
        (&1.into(), &1.into(), &"nothing".into())
    );
    made(&place, &source, &[&flags[..], &["--top", "mac"]].concat());
    let verilog = place.read("out/mac.v");
    assert!(verilog.contains("input [6:0] n"), "{verilog}");
    // Whatever is declared with more than a bit says why, but for wires that only choose.
    let bare = |line: &&str| line.starts_with("  reg [") && !line.contains("//");
    assert_eq!(verilog.lines().find(bare), None);
    assert!(verilog.contains("assumes: each caller keeps the contract mac.n=0..99"), "{verilog}");
    let slower = made(&place, &source, &[&flags[..], &["--top", "mac", "--no-pipelines"]].concat());
    assert!(slower["simulation"]["cycles"].as_u64() > all[0]["simulation"]["cycles"].as_u64(), "{slower:#}");
}

#[test]
fn the_inverse_transform_keeps_what_is_between_its_passes_in_eighteen_bits() {
    let all = in_all_widths(&corpus("idct"), "idct", &[]);
    let memory = |document: &Value| document["modules"][0]["memories"][0]["bits"].as_u64();
    assert_eq!((memory(&all[0]), memory(&all[2])), (Some(32), Some(18)), "{:#}", all[2]);
    // LLVM knows nothing of what lies in an array.
    assert_eq!(memory(&all[3]), Some(32), "{:#}", all[3]);
}

#[test]
fn kernels_of_the_corpus_are_equal_to_their_circuits() {
    in_all_widths(&corpus("loops"), "reversed", &[]);
    in_all_widths(&corpus("loops"), "masked_contents", &[]);
    in_all_widths(&corpus("loops"), "energy", &[]);
}

/// A constant needs no bits to be told from others, and a port that carries it does.
#[test]
fn ports_that_are_always_one_number_carry_it() {
    let place = workplace();
    let source = place.write(
        "fixed.c",
        "int f(const int *a, int step, int low, unsigned n) {
  int sum = 0;
  for (unsigned i = 0; i < n; i++) sum = (int)((unsigned)sum + (unsigned)a[i * step]) | (low + (int)i);
  return sum;
}\n",
    );
    let flags = ["--assume", "f.step=8", "--assume", "f.low=-5", "--assume", "f.n=0..32"];
    for kind in ["proven", "certified"] {
        made(&place, &source, &[&flags[..], &["--top", "f", "--widths", kind]].concat());
        let verilog = place.read("out/f.v");
        assert!(verilog.contains("input [3:0] step") && verilog.contains("input [3:0] low"), "{verilog}");
    }
    let chroma = corpus("chroma");
    let of = |port: &str| format!("chroma_interpolate.{port}");
    let flags = [of("to_stride=8"), of("from_stride=12"), of("width=2,4,8"), of("height=2,4,8")];
    let mut all = vec!["--top", "chroma_interpolate"];
    flags.iter().for_each(|flag| all.extend(["--assume", flag]));
    in_all_widths(&chroma, "chroma_interpolate", &all[2..]);
}

/// yosys' netlist computes what the C function computes, and is smaller where widths are proven; what
/// cannot be placed here is named.
#[test]
fn netlists_are_equal_to_c_and_smaller_by_proven_widths() {
    let place = workplace();
    place.write("mac.c", MAC);
    let source = place.at("mac.c");
    let made = |kind: &str, chip: &[&str]| {
        let flags = ["--top", "mac", "--assume", "mac.n=0..99", "--widths", kind];
        made(&place, &source, &[&flags[..], &["--synthesise"], chip].concat())["synthesis"].clone()
    };
    let (declared, proven) =
        (made("declared", &["ice40", "--seeds", "0"]), made("proven", &["ice40", "--seeds", "2"]));
    for one in [&declared, &proven] {
        assert_eq!((&one["netlist"]["runs"], &one["netlist"]["wrong"]), (&40.into(), &0.into()), "{one:#}");
        assert_eq!(one["missing"], serde_json::json!([]), "{one:#}");
    }
    for figure in ["luts", "flip_flops", "carries", "switched_capacitance"] {
        let of = |one: &Value| one[figure].as_f64().expect("a number");
        assert!(0.0 < of(&proven) && of(&proven) < of(&declared), "{figure}: {proven:#} {declared:#}");
    }
    assert_eq!(proven["fmax_mhz"].as_array().map(Vec::len), Some(2), "{proven:#}");
    assert_eq!(declared["fmax_mhz"].as_array().map(Vec::len), Some(0), "{declared:#}");
    let xilinx = made("proven", &["xilinx"]);
    assert!(xilinx["luts"].as_u64() > Some(0) && xilinx["netlist"]["wrong"] == 0, "{xilinx:#}");
    assert!(xilinx["missing"][0].as_str().is_some_and(|words| words.contains("mac_frame.v")), "{xilinx:#}");
}

/// Parameters and results are handed over by valid and ready; a caller that hesitates changes nothing, and
/// parameters need not stay.
#[test]
fn a_circuit_is_called_by_valid_and_ready() {
    let place = workplace();
    place.write("mac.c", MAC);
    // Ports that are called as those of the handshake are.
    let odd = "int odd(int call_ready, int is_busy, const int *return_valid) {
  return call_ready - is_busy * 3 + return_valid[is_busy & 15];
}\n";
    place.write("odd.c", odd);
    let kernels: [(&str, &[&str]); 2] = [("mac", &["--assume", "mac.n=0..99"]), ("odd", &[])];
    for (top, flags) in kernels {
        let source = place.at(&format!("{top}.c"));
        let flags = [&["--top", top, "--interface", "stream", "--cflag=-fwrapv"], flags].concat();
        made(&place, &source, &flags);
        let names = [format!("{top}_stream"), format!("out/{top}_stream.v"), format!("out/{top}.v")];
        let [module, shell, circuit] = &names;
        let flags = ["--lint-only", "-Wall", "--language", "1364-2001", "-Wno-DECLFILENAME", "--top-module"];
        let words = place.tool("verilator", &[&flags[..], &[module, shell, circuit]].concat());
        assert_eq!((words.stdout.trim(), words.stderr.trim()), ("", ""), "verilator has nothing to say");
    }
    // A result that does not wait for its taker is noticed.
    let right = place.read("out/odd_stream.v");
    let wrong = right.replacen("(return_valid & return_ready)", "(return_valid)", 1);
    assert_ne!(wrong, right);
    place.write("out/odd_stream.v", wrong);
    let words = place.shell(
        "cd out && iverilog -g2005 -o s.vvp odd_stream.v odd.v odd_stream_testbench.v && vvp -n s.vvp",
    );
    let last = words.stdout.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("runs 40 wrong ") && !last.starts_with("runs 40 wrong 0"), "{last}");
}

/// Registers and memories by AXI: equal to C with channels that hesitate at random. That is for all sizes of
/// elements, for two memories, one port, and none. A shell that breaks the protocol is noticed.
#[test]
fn a_circuit_is_called_by_registers_and_reads_its_memories_by_itself() {
    let place = workplace();
    place.write("mac.c", MAC);
    let mixed = "void mixed(const unsigned char *a, long *b, short k, unsigned n, long wide) {
  for (unsigned i = 0; i < n; i++) b[i] = b[i] * k + a[i] + wide;
}\n";
    place.write("mixed.c", mixed);
    place.write("plain.c", "int plain(signed char a, int b) { return a * 3 + b; }\n");
    place.write(
        "fill.c",
        "void fill(short *a, unsigned n) { for (unsigned i = 0; i < n; i++) a[i] = (short)i; }\n",
    );
    let kernels: [(&str, &[&str]); 6] = [
        ("mac", &["--assume", "mac.n=0..99"]),
        ("mac", &["--assume", "mac.n=0..99", "--memory-ports", "1", "--no-pipelines"]),
        ("mixed", &["--cflag=-fwrapv", "--assume", "mixed.n=0..40"]),
        ("mixed", &["--cflag=-fwrapv", "--assume", "mixed.n=0..40", "--memory-ports", "4"]),
        ("plain", &["--cflag=-fwrapv"]),
        ("fill", &["--assume", "fill.n=0..40"]),
    ];
    for (top, flags) in kernels {
        let source = place.at(&format!("{top}.c"));
        made(&place, &source, &[&["--top", top, "--interface", "axi"], flags].concat());
        let names = [format!("{top}_axi"), format!("out/{top}_axi.v")];
        let flags = ["--lint-only", "-Wall", "--language", "1364-2001", "-Wno-DECLFILENAME", "--top-module"];
        let words = place.tool("verilator", &[&flags[..], &[&names[0], &names[1]]].concat());
        assert_eq!((words.stdout.trim(), words.stderr.trim()), ("", ""), "verilator has nothing to say");
        // The header is C, and each of its offsets is one of a register.
        let header = place.read(&format!("out/{top}_axi.h"));
        assert!(header.contains("_CONTROL 0x00u"), "{header}");
        place
            .tool("clang-22", &["-fsyntax-only", "-Wall", "-Werror", "-x", "c", &format!("out/{top}_axi.h")]);
    }
    // The circuit itself is the one of other interfaces.
    let circuit = place.read("out/fill.v");
    assert!(!circuit.contains("clock_EN"), "{circuit}");
    let right = place.read("out/fill_axi.v");
    let wrong = |from: &str, to: &str| {
        let wrong = right.replacen(from, to, 1);
        assert_ne!(wrong, right, "{from}");
        place.write("out/fill_axi.v", wrong);
        let tools = "iverilog -g2005 -o a.vvp fill_axi.v fill_axi_testbench.v && timeout 60 vvp -n a.vvp";
        let words = place.shell(&format!("cd out && {tools}"));
        let last = words.stdout.lines().last().unwrap_or_default().to_owned();
        assert!(!last.contains(" wrong 0 ") || last.contains(" outside 4"), "{from} → {to}: {last}");
        words.stdout
    };
    let words = wrong("if (m_axi_awready) m_axi_awvalid <= 1'b0;", "m_axi_awvalid <= 1'b0;");
    assert!(words.contains("does not stay") || words.contains("takes more than"), "{words}");
    wrong("m_axi_awsize <= 3'd1", "m_axi_awsize <= 3'd2");
    wrong("m_axi_wstrb <= 4'd3 <<", "m_axi_wstrb <= 4'd1 <<");
    wrong("assign tick = ~|open;", "assign tick = 1'b1;");
    wrong("s_axi_bresp <= is_busy ? 2'b10 : 2'b00;", "s_axi_bresp <= 2'b00;");
    // A memory that answers with an error is seen in the control register, which the testbench reads.
    let bench = place.read("out/fill_axi_testbench.v");
    let failing = bench.replacen("m_axi_bresp <= 2'b00;", "m_axi_bresp <= 2'b10;", 1);
    assert_ne!(bench, failing);
    place.write("out/fill_axi_testbench.v", failing);
    wrong("module fill_axi (", "module fill_axi  (");
}

/// With a schedule of its own, a narrow circuit takes fewer cycles, and declared widths take the same.
#[test]
fn narrow_circuits_do_more_in_a_cycle_of_their_own_schedule() {
    let place = workplace();
    let text = "int chain(unsigned char a, unsigned char b, unsigned char c, unsigned char d, const unsigned char *t) {
  int x = a + b, y = x + c, z = y + d, w = z * 3 + t[z & 15];
  return w * 5 + x * y + (z ^ w);
}\n";
    let source = place.write("chain.c", text);
    let cycles = |kind: &str, schedule: &str| {
        let flags = ["--top", "chain", "--widths", kind, "--schedule", schedule, "--clock", "100MHz"];
        let document = made(&place, &source, &flags);
        lint(&place, "chain");
        document["simulation"]["cycles"].as_u64().expect("cycles")
    };
    let declared = cycles("declared", "common");
    assert_eq!((cycles("declared", "own"), cycles("proven", "common")), (declared, declared));
    assert!(cycles("proven", "own") < declared);
    // A pipeline, and a loop of several blocks.
    for top in ["energy", "masked_contents"] {
        made(&place, &corpus("loops"), &["--top", top, "--schedule", "own"]);
    }
}

/// Each wire, register and port of several bits says why it has them.
#[test]
fn every_declared_width_has_a_reason() {
    let place = workplace();
    let idct = corpus("idct");
    let text = "int g(const int *a, unsigned n, int d) {
  int t[16], sum = 0;
  for (unsigned i = 0; i < 16; i++) t[i] = a[i] & 1023;
  for (unsigned i = 0; i < n; i++) sum += t[i & 15] * (t[i + 1 & 15] >> (i & 3)) / (d | 1);
  return sum;
}\n";
    let own = place.write("g.c", text);
    for (top, source, flags) in [("idct", &idct, "--memory-ports=1"), ("g", &own, "--multipliers=1")] {
        for kind in ["proven", "certified", "llvm", "declared"] {
            place.opcost(&["hdl", "--top", top, "-o", "out", "--widths", kind, flags, source]).expect(0);
            let verilog = place.read(&format!("out/{top}.v"));
            let declares = |line: &&str| {
                let kinds = ["  reg [", "  wire [", "  input [", "  output [", "  output reg ["];
                kinds.iter().any(|kind| line.starts_with(kind)) && !line.contains(" // ")
            };
            assert_eq!(verilog.lines().find(declares), None, "{top} {kind}");
        }
    }
}

/// A waveform has the circuit's signals by their names in the source.
#[test]
fn a_simulation_leaves_a_waveform() {
    let place = workplace();
    let source = place.write("mac.c", MAC);
    let flags = ["--top", "mac", "--assume", "mac.n=0..99", "--waveform", "wave.vcd"];
    made(&place, &source, &flags);
    let waveform = place.read("wave.vcd");
    assert!(waveform.contains("$scope module circuit $end"), "no circuit");
    for signal in ["clk", "start", "done", "result", "x_read0_address"] {
        assert!(waveform.contains(&format!(" {signal} ")), "{signal} is missing");
    }
}

/// Without yosys the Verilog is written all the same.
#[test]
fn without_synthesis_tools_it_is_said_what_is_missing() {
    let place = workplace();
    let source = place.write("mac.c", MAC);
    let tools = place.path("tools");
    std::fs::create_dir(&tools).expect("a folder");
    std::os::unix::fs::symlink("/usr/bin/clang-22", tools.join("clang-22")).expect("a link");
    let mut command = place.command(&["hdl", "--top", "mac", "-o", "out", &source, "--synthesise", "ice40"]);
    let answer = ProgramOutput::of(command.env("PATH", &tools)).expect(0);
    assert!(answer.stdout.contains("missing: yosys: apt-get install yosys"), "{}", answer.stdout);
    assert!(place.read("out/mac.v").contains("module mac"));
}

/// A call that takes too long is neither right nor wrong.
#[test]
fn calls_without_an_end_are_no_verdict() {
    let place = workplace();
    let text = "unsigned f(unsigned n) { unsigned x = 1; do x = x * 5 + 1; while (--n); return x; }\n";
    let source = place.write("long.c", text);
    let all = ["hdl", "--top", "f", "-o", "out", &source, "--cosimulate", "4"];
    place.opcost(&all).expect(1).expect_stderr(&["takes more than 1000000 cycles"]);
}

/// Kernels after Antoniadis (2011): equal to C with all kinds of widths, where the gain is expected
/// and where it is not.
#[test]
fn kernels_of_the_document_are_equal_to_their_circuits() {
    let kernel = |name: &str| format!("{}/../../corpus/hdl/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let bits = |all: &[Value], kind: usize| all[kind]["modules"][0]["registers_bits"].as_u64();
    let luminance = in_all_widths(&kernel("lum_interpol"), "lum_interpol", &[]);
    assert_eq!(luminance[1]["modules"][0]["memories"][0]["bits"], 17, "{:#}", luminance[1]);
    let transform = in_all_widths(&kernel("idct"), "inverse_transform", &[]);
    assert_eq!(transform[1]["modules"][0]["memories"][0]["bits"], 15, "{:#}", transform[1]);
    let filter = in_all_widths(&kernel("db_filter"), "db_filter", &[]);
    assert!(bits(&filter, 1) < bits(&filter, 0), "{filter:#?}");
    in_all_widths(&kernel("chrom_interpol"), "chrom_interpol", &[]);
    in_all_widths(&kernel("jacobi"), "jacobi", &[]);
}

/// Loops with branches become one block where that is not slower; what stays as it is says why.
#[test]
fn loops_with_branches_are_pipelines_or_say_why_not() {
    let place = workplace();
    let kernels: [(&str, &str, &[&str]); 3] = [
        (
            "filter",
            "void filter(const short *x, unsigned *y, unsigned n) {
  int sum = 0;
  for (unsigned i = 0; i < n; i++) {
    sum = sum / 2 + x[i];
    if (sum > 20000) { sum = 20000; y[i & 3]++; }
    else if (sum < -20000) sum = -20000;
    y[i] = (unsigned)sum;
  }
}\n",
            &["--assume", "filter.n=0..64"],
        ),
        (
            "count",
            "void count(const unsigned char *x, unsigned *h, unsigned n, unsigned least) {
  for (unsigned i = 0; i < n; i++)
    if (x[i] >= least && x[i] % 3) h[x[i]]++;
}\n",
            &["--assume", "count.n=0..200"],
        ),
        (
            "search",
            "int search(const short *x, short *y, unsigned n, short wanted, short bad) {
  for (unsigned i = 0; i < n; i++) {
    if (x[i] == wanted) return (int)i;
    y[i] = (short)(x[i] + 1);
    if (x[i] == bad) return -2;
  }
  return -1;
}\n",
            &["--assume", "search.n=0..200"],
        ),
    ];
    for (top, text, flags) in kernels {
        place.write(&format!("{top}.c"), text);
        let source = place.at(&format!("{top}.c"));
        for document in in_all_widths(&source, top, flags) {
            let loops = document["modules"][0]["loops"].as_array().expect("loops");
            assert!(!loops.is_empty(), "{document:#}");
            // A search knows late whether it goes on; its loop is one block all the same.
            assert!(loops.iter().all(|one| one["ii_bound"].is_u64() || top == "search"), "{document:#}");
            assert!(loops.iter().all(|one| one["ii"].as_u64() <= Some(3)), "{document:#}");
        }
        let as_states = made(&place, &source, &[&["--top", top, "--no-pipelines"], flags].concat());
        let merged = made(&place, &source, &[&["--top", top], flags].concat());
        let cycles = |document: &Value| document["simulation"]["cycles"].as_u64().expect("cycles");
        assert!(cycles(&merged) < cycles(&as_states), "{merged:#} {as_states:#}");
    }
    let text = "unsigned seldom(const unsigned *x, unsigned n) {
  unsigned sum = 1;
  for (unsigned i = 0; i < n; i++) {
    if ((x[i] & 31) == 31) { sum = sum * sum * sum / (x[i] | 1); sum = sum * sum % (x[i] | 1); }
    sum += x[i];
  }
  return sum;
}\n";
    let source = place.write("seldom.c", text);
    let document = made(&place, &source, &["--top", "seldom", "--assume", "seldom.n=0..200"]);
    let states = &document["modules"][0]["loops"][0];
    let words = states["limited_by"].as_str().expect("words");
    assert!(words.starts_with("its branches: made one block, an iteration would begin every"), "{states:#}");
    assert_eq!(states["ii_bound"], Value::Null, "{states:#}");
}

#[test]
fn resources_are_kept_to() {
    let place = workplace();
    let source = corpus("idct");
    let flags = ["--top", "idct", "--memory-ports", "1", "--clock", "100MHz"];
    made(&place, &source, &flags);
    lint(&place, "idct");
    let verilog = place.read("out/idct.v");
    assert!(verilog.contains("block_address") && !verilog.contains("block_read0_address"), "{verilog}");
}

#[test]
fn what_cannot_be_a_circuit_names_its_place_and_a_way_out() {
    let place = workplace();
    let refused = |text: &str, status: i32, words: &[&str]| {
        let source = place.write("k.c", text);
        let answer: ProgramOutput = place.opcost(&["hdl", "--top", "f", "-o", "out", &source]).expect(status);
        answer.expect_stderr(words);
    };
    refused(
        "int f(int n) { return n < 2 ? 1 : n * f(n - 2) + f(n - 1); }\n",
        1,
        &["k.c:1", "calls itself", "loop"],
    );
    refused("int g(int);\nint f(int n) { return g(n); }\n", 1, &["k.c:2", "g is called", "give the file"]);
    refused("int f(int (*g)(void)) { return g(); }\n", 1, &["k.c:1", "through a pointer"]);
    refused("float f(float a) { return a * 2; }\n", 1, &["k.c:1", "float", "fixed point"]);
    refused("static int f(int a) { return a; }\nint g(int a) { return f(a); }\n", 2, &["static"]);
    refused("int g(int a) { return a; }\n", 2, &["no function f", "g"]);
    refused("int f(volatile int *a) { return *a; }\n", 1, &["k.c:1", "volatile"]);
}

#[test]
fn inputs_with_which_c_is_undefined_are_no_verdict() {
    let place = workplace();
    let source = place.write("far.c", "int f(const int *a, unsigned n) { return a[n]; }\n");
    let all = ["hdl", "--top", "f", "-o", "out", &source, "--cosimulate", "20"];
    place.opcost(&all).expect(2).expect_stderr(&["undefined", "--assume"]);
    let fine = place.opcost(&[&all[..], &["--assume", "f.n=0..255"]].concat()).expect(0);
    assert!(fine.stdout.contains("20 runs, 0 wrong"), "{}", fine.stdout);
}

/// Assertions are silent while callers keep their contract, and each tells what is broken. yosys reads
/// them for proofs.
#[test]
fn assertions_tell_what_callers_break() {
    let place = workplace();
    let text = "int f(const int *a, int low, unsigned n, short s) {
  unsigned sum = (unsigned)low;
  for (unsigned i = 0; i < n; i++) sum += (unsigned)a[i] ^ (unsigned)s;
  return (int)sum;
}\n";
    place.write("f.c", text);
    let source = place.at("f.c");
    let flags = ["--top", "f", "--assume", "f.n=0..99", "--assume", "f.low=-5..3,9"];
    made(&place, &source, &flags);
    let simulated = || {
        let tools = "iverilog -g2012 -DCONTRACT -o c.vvp f.v f_contract.sv f_testbench.v && vvp -n c.vvp";
        let words = place.shell(&format!("cd out && {tools}"));
        words.stdout + &words.stderr
    };
    let fine = simulated();
    assert!(fine.contains("runs 40 wrong 0") && !fine.contains("ERROR"), "{fine}");
    // Of the first run: what is given for low, n and s are the lines after the count of runs.
    let vectors = place.read("out/f.vectors");
    let with = |line: usize, number: &str| {
        let mut lines: Vec<&str> = vectors.lines().collect();
        lines[line] = number;
        place.write("out/f.vectors", lines.join("\n") + "\n");
        simulated()
    };
    let broken = with(1, "5");
    assert!(broken.contains("low is outside of its contract -5..3, 9..9"), "{broken}");
    let broken = with(2, "64");
    assert!(broken.contains("n is outside of its contract 0..99"), "{broken}");
    assert!(!broken.contains("does not fit"), "100 fits 7 bits: {broken}");
    let broken = with(2, "80");
    assert!(broken.contains("n does not fit the 7 bits of its port"), "{broken}");
    let read = "read_verilog -sv -formal out/f_contract.sv; hierarchy -check -top f_contract; proc; \
                select -assert-min 5 t:$assert";
    place.tool("yosys", &["-q", "-p", read]);
}

/// The certificate lies beside the circuit, and its checker accepts it for the program.
#[test]
fn the_certificate_of_a_circuit_is_checked() {
    let place = workplace();
    place.write("mac.c", MAC);
    let source = place.at("mac.c");
    let flags = ["--top", "mac", "--assume", "mac.n=0..99", "--widths", "certified"];
    made(&place, &source, &flags);
    let check = || {
        place.opcost(&[
            "bits",
            "--world",
            "open",
            "--cflag=-fno-vectorize",
            "--cflag=-fno-slp-vectorize",
            "--cflag=-fno-unroll-loops",
            "--cflag=-mllvm",
            "--cflag=-force-attribute=mac:noinline",
            "--assume",
            "mac.n=0..99",
            "--check",
            "out/mac_certificate.json",
            &source,
        ])
    };
    let answer = check().expect(0);
    assert!(answer.stdout.contains("mac:argument2 is 0..99 of i32 (a contract)"), "{}", answer.stdout);
    // What is edited is not believed.
    let right = place.read("out/mac_certificate.json");
    let wrong = right.replacen("\"span\": \"62\"", "\"span\": \"61\"", 1);
    assert_ne!(right, wrong);
    place.write("out/mac_certificate.json", wrong);
    check().expect(3);
    // Widths that rest on no certificate have none beside them.
    place.opcost(&["hdl", "--top", "mac", "-o", "other", &source]).expect(0);
    assert!(!place.path("other/mac_certificate.json").exists());
}

/// All widths give one circuit: yosys finds no inputs within eight cycles with which they differ, and a
/// call takes fewer. It finds some if one of them is changed.
#[test]
fn widths_are_proven_equal_by_yosys() {
    let place = workplace();
    let text = "int blend(unsigned char a, unsigned char b, signed char c) {
  int d = a - b;
  if (d < 0) d = -d;
  d = d * 3 + c;
  if (d > 255) d = 255;
  if (d < 0) d = 0;
  return (d << 1 | 1) - (c & 7);
}\n";
    let source = place.write("blend.c", text);
    let circuit = |kind: &str| {
        place.opcost(&["hdl", "--top", "blend", "-o", "out", "--widths", kind, &source]).expect(0);
        place.read("out/blend.v").replace("module blend ", &format!("module {kind} "))
    };
    place.write("declared.v", circuit("declared"));
    let proves = |kind: &str| {
        let bits = place.read(&format!("{kind}.v"));
        let bits =
            bits.split("output reg [").nth(1).and_then(|rest| rest.split(':').next()).expect("a result");
        let last: u32 = bits.parse().expect("a number");
        assert!(last < 31, "{kind} is as wide as its type");
        let above = 31 - last;
        let both = format!(
            "module both(input clk, input rst, input start, input [7:0] a, input [7:0] b, input [7:0] c, output wrong);
  wire d0, d1; wire [31:0] r0; wire [{last}:0] r1;
  declared one (.clk(clk), .rst(rst), .start(start), .done(d0), .a(a), .b(b), .c(c), .result(r0));
  {kind} other (.clk(clk), .rst(rst), .start(start), .done(d1), .a(a), .b(b), .c(c), .result(r1));
  assign wrong = (d0 ^ d1) | (d0 & (r0 != {{{{{above}{{r1[{last}]}}}}, r1}}));
endmodule\n"
        );
        place.write("both.v", both);
        let prove = format!(
            "read_verilog declared.v {kind}.v both.v; hierarchy -check -top both; proc; flatten; opt; sat -verify -seq 8 \
             -set-at 1 rst 1 -set-init-undef -set-def-inputs -prove-skip 2 -prove wrong 0"
        );
        place.shell(&format!("yosys -q -p '{prove}'")).status == 0
    };
    for kind in ["proven", "certified", "llvm"] {
        place.write(&format!("{kind}.v"), circuit(kind));
        assert!(proves(kind), "{kind} differs");
    }
    let right = place.read("certified.v");
    let wrong = right.replacen(" - ", " + ", 1);
    assert_ne!(right, wrong);
    place.write("certified.v", wrong);
    assert!(!proves("certified"), "a changed circuit is proven equal");
}

/// A circuit that is changed by hand is noticed.
#[test]
fn the_testbench_notices_a_wrong_circuit() {
    let place = workplace();
    let source = place.write("sum.c", "int f(int a, int b) { return (int)((unsigned)a + (unsigned)b); }\n");
    place.opcost(&["hdl", "--top", "f", "-o", "out", &source, "--cosimulate", "20"]).expect(0);
    let wrong = place.read("out/f.v").replacen(" + ", " | ", 1);
    place.write("out/f.v", wrong);
    let words = place.shell("cd out && iverilog -g2001 -o f.vvp f.v f_testbench.v && vvp -n f.vvp");
    let last = words.stdout.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("runs 20 wrong ") && !last.starts_with("runs 20 wrong 0"), "{last}");
}
