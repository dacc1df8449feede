//! Are the bytes, what they say and what a linker fills what other tools read in
//! clang's own object? The referee is llvm-objdump.

use opcost_testkit::command::corpus;
use serde_json::Value;

use crate::{life, opcost, workplace};

/// One instruction as objdump prints it.
#[derive(Debug, PartialEq)]
struct Line {
    offset: u64,
    bytes: String,
    /// Without what is a name of an address.
    text: String,
    relocations: Vec<String>,
}

/// What objdump reads of a function in clang's object.
fn objdump(source: &str, target: &str, level: &str, function: &str) -> Vec<Line> {
    let place = workplace();
    let compiler = if source.ends_with(".cpp") { "clang++-22" } else { "clang-22" };
    let target_flag = format!("--target={target}");
    place.tool(compiler, &[&target_flag, level, "-w", "-c", "-o", "a.o", source]);
    // Mach-O puts a sign before every name.
    let sign = if target.contains("apple") { "_" } else { "" };
    let name = format!("{sign}{function}");
    let text = place.tool("llvm-objdump-22", &["-d", "-r", "--no-print-imm-hex", "a.o"]).stdout;
    let mut lines: Vec<Line> = Vec::new();
    let mut start = None;
    let mut is_own = false;
    for line in text.lines() {
        if let Some((_, label)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            // Labels kept for a relocation stand within a function.
            is_own = label == name || label == "ltmp0" || (is_own && label.starts_with(".L"));
            continue;
        }
        if !is_own {
            continue;
        }
        let Some((place, rest)) = line.trim_start().split_once(':') else { continue };
        let Ok(place) = u64::from_str_radix(place, 16) else { continue };
        let first = *start.get_or_insert(place);
        if line.contains("R_") || line.contains("IMAGE_REL_") || line.contains("_RELOC_") {
            let words: Vec<&str> = rest.split_whitespace().filter(|word| *word != "*ABS*").collect();
            let last = lines.last_mut().expect("an instruction");
            let words = words.join(" ").replace("@GOTPCREL", "");
            last.relocations.push(format!("{words} at {}", place - first - last.offset));
        } else {
            let (bytes, text) = rest.trim().split_once('\t').unwrap_or((rest.trim(), ""));
            lines.push(Line {
                offset: place - first,
                bytes: in_order(bytes.trim()),
                text: without_remark(text),
                relocations: Vec::new(),
            });
        }
    }
    lines
}

/// Without numbers that a remark tells in another way. What follows `#` on x86 is where an operand leads.
fn without_remark(text: &str) -> String {
    let text = text.split("//").next().unwrap_or("").split("# imm =").next().unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words are printed from their highest byte on.
fn in_order(bytes: &str) -> String {
    let words = bytes.split(' ').map(|word| {
        let mut pairs: Vec<&str> = (0..word.len()).step_by(2).map(|at| &word[at..at + 2]).collect();
        pairs.reverse();
        pairs.join(" ")
    });
    words.collect::<Vec<_>>().join(" ")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key}: {value}"))
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number")).collect()
}

/// What the life says of the same function.
fn told(life: &Value, function: &str) -> Vec<Line> {
    let code = life["code"].as_array().expect("code");
    let found = code.iter().find(|one| one["function"] == function).expect("the function");
    let line = |one: &Value| Line {
        offset: one["offset"].as_u64().expect("an offset"),
        bytes: text(one, "bytes").to_owned(),
        text: text(one, "text").to_owned(),
        relocations: one["relocations"].as_array().expect("a list").iter().map(relocation).collect(),
    };
    found["instructions"].as_array().expect("a list").iter().map(line).collect()
}

/// As objdump writes it.
fn relocation(one: &Value) -> String {
    let addend = match one["addend"].as_i64() {
        Some(addend) if addend != 0 => {
            format!("{}{:#x}", if addend < 0 { '-' } else { '+' }, addend.unsigned_abs())
        }
        _ => String::new(),
    };
    let words = format!("{} {}{addend}", text(one, "type"), text(one, "symbol"));
    format!("{} at {}", words.trim(), one["offset"])
}

/// Compares all of a function, texts where no linker fills something in.
fn agree(source: &str, target: &str, level: &str, function: &str) -> Value {
    agree_in(source, &["--target", target], target, level, function)
}

/// The same where the flags name the target in another way.
fn agree_in(source: &str, flags: &[&str], target: &str, level: &str, function: &str) -> Value {
    let found = life(&[flags, &[level, "--function", function, "--stage", "bytes", source]].concat());
    let (ours, theirs) = (told(&found, function), objdump(source, target, level, function));
    let at = format!("{source} {target} {level} {function}");
    assert!(!theirs.is_empty(), "{at}");
    // What only fills up to the next function is no instruction of this one.
    assert!(ours.len() <= theirs.len(), "{at}: {ours:#?}\n{theirs:#?}");
    let mut is_second = false;
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!((ours.offset, &ours.bytes), (theirs.offset, &theirs.bytes), "{at}");
        assert_eq!(ours.relocations, theirs.relocations, "{at}: {}", ours.text);
        // RISC-V calls in two instructions, and the relocation stands at the first.
        let is_filled = is_second || !theirs.relocations.is_empty();
        is_second = theirs.relocations.iter().any(|one| one.starts_with("R_RISCV_CALL"));
        match () {
            // A distance that a linker fills is none yet: objdump makes an address of the placeholder.
            () if is_filled => {
                assert!(!ours.text.contains("0x") || ours.text.contains('<'), "{at}: {ours:?}")
            }
            () => assert_eq!(ours.text, theirs.text, "{at}"),
        }
    }
    for one in &theirs[ours.len()..] {
        assert!(one.text.contains("nop") || one.text.contains("int3"), "{at}: {one:?}");
    }
    found
}

/// All three comparisons of ways; of the just-in-time compiler here only.
fn is_the_same_everywhere(life: &Value, target: &str) {
    let check = &life["self_check"];
    for name in ["text_identical", "compiler_identical", "assembler_identical", "disassembly_identical"] {
        assert_eq!(check[name], true, "{target}: {check:#}");
    }
    let is_here = target.starts_with(std::env::consts::ARCH) && target.contains("linux");
    if is_here {
        assert_eq!(check["jit_identical"], true, "{check:#}");
    } else {
        assert_eq!(check["jit_identical"], Value::Null, "{check:#}");
        assert!(text(&check["remarks"], "jit_identical").starts_with("the code is for "), "{check:#}");
    }
}

#[test]
fn objdump_reads_the_same_in_clangs_object() {
    let calls = corpus("life/calls.c");
    let (foo, add) = (corpus("life/foo.c"), corpus("life/loop.c"));
    let relocated = corpus("life/outside.c");
    let program = corpus("portable/contest.cpp");
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"] {
        for level in ["-O0", "-O2"] {
            let small = [(&foo, "foo"), (&add, "add"), (&calls, "second"), (&relocated, "outside")];
            for (source, function) in small {
                let found = agree(source, target, level, function);
                is_the_same_everywhere(&found, target);
            }
        }
    }
    let found = agree(&program, "x86_64-linux-gnu", "-O2", "main");
    is_the_same_everywhere(&found, "x86_64-linux-gnu");
}

/// The bytes of Bendersky (2012), as the article reads them.
#[test]
fn the_source_documents_nine_bytes() {
    let found = life(&["--function", "foo", "--stage", "bytes", &corpus("life/foo.c")]);
    let instructions = found["code"][0]["instructions"].as_array().expect("a list");
    let column = |key: &str| instructions.iter().map(|one| text(one, key)).collect::<Vec<_>>();
    assert_eq!(column("bytes").join(" "), "89 d1 8d 04 37 99 f7 f9 c3");
    assert_eq!(column("opcode"), ["MOV32rr", "LEA64_32r", "CDQ", "IDIV32r", "RET64"]);
    assert_eq!(column("text"), ["movl %edx, %ecx", "leal (%rdi,%rsi), %eax", "cltd", "idivl %ecx", "retq"]);
    let operands: Vec<&str> = instructions[1]["operands"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one.as_str().expect("a text"))
        .collect();
    assert_eq!(operands, ["%eax", "%rdi", "1", "%rsi", "0", ""]);
    let fields = instructions[3]["fields"].as_array().expect("a list");
    let fields: Vec<[&str; 3]> =
        fields.iter().map(|one| ["name", "value", "meaning"].map(|key| text(one, key))).collect();
    assert_eq!(
        fields,
        [
            ["opcode", "f7", ""],
            ["ModRM.mod", "3", "register"],
            ["ModRM.reg", "7", "/7"],
            ["ModRM.rm", "1", "%ecx"]
        ]
    );
    is_the_same_everywhere(&found, "x86_64-linux-gnu");
}

/// Every bit of every instruction belongs to exactly one field.
#[test]
fn fields_cover_every_bit_once() {
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"] {
        for (source, function) in [("life/outside.c", "outside"), ("kernel/kn.c", "main")] {
            if target != "x86_64-linux-gnu" && source.starts_with("kernel") {
                continue;
            }
            let source = corpus(source);
            let found = life(&["--target", target, "--function", function, "--stage", "bytes", &source]);
            for one in found["code"][0]["instructions"].as_array().expect("a list") {
                let fields = one["fields"].as_array().expect("a list");
                let mut bits: Vec<u64> = Vec::new();
                for run in fields.iter().flat_map(|field| field["bits"].as_array().expect("a list")) {
                    let ends = numbers(run);
                    bits.extend(ends[0]..ends[1]);
                }
                bits.sort_unstable();
                let all = text(one, "bytes").split(' ').count() as u64 * 8;
                assert_eq!(bits, (0..all).collect::<Vec<_>>(), "{one:#}");
                assert!(fields.iter().all(|field| field["name"] != "instruction"), "{one:#}");
            }
        }
    }
}

#[test]
fn a_jump_that_does_not_reach_says_so() {
    let found = life(&["--function", "far", "--stage", "bytes", &corpus("life/far.c")]);
    let instructions = found["code"][0]["instructions"].as_array().expect("a list");
    let relaxed: Vec<(&str, &str)> = instructions
        .iter()
        .filter_map(|one| Some((one["relaxed_from"].as_str()?, text(one, "opcode"))))
        .collect();
    assert!(relaxed.contains(&("JCC_1", "JCC_4")), "{relaxed:?}");
    is_the_same_everywhere(&found, "x86_64-linux-gnu");
}

#[test]
fn the_terminal_says_what_is_relocated_and_compared() {
    let output = opcost(&["life", "--function", "outside", &corpus("life/outside.c")]);
    let said = &output.stdout;
    assert_eq!(output.status, 0, "{said}");
    assert!(said.contains("R_X86_64_PLT32 given-0x4 at byte 1"), "{said}");
    assert!(said.contains("the assembler's, the JIT's in memory, what the disassembler reads"), "{said}");
}

#[test]
fn other_formats_have_relocations_of_their_own() {
    let source = corpus("life/outside.c");
    let cases = [
        ("x86_64-linux-gnu", "coff", "x86_64-w64-windows-gnu", "IMAGE_REL_AMD64_REL32 given at byte 1"),
        ("x86_64-linux-gnu", "macho", "x86_64-apple-macosx", "X86_64_RELOC_BRANCH _given at byte 1"),
        ("aarch64-linux-gnu", "coff", "aarch64-w64-windows-gnu", "IMAGE_REL_ARM64_BRANCH26 given at byte 0"),
        ("aarch64-linux-gnu", "macho", "arm64-apple-macosx", "ARM64_RELOC_BRANCH26 _given at byte 0"),
        ("aarch64-linux-gnu", "elf", "aarch64-linux-gnu", "R_AARCH64_CALL26 given at byte 0"),
    ];
    for (target, format, triple, call) in cases {
        for level in ["-O0", "-O2"] {
            let flags = ["--target", target, "--format", format];
            let found = agree_in(&source, &flags, triple, level, "outside");
            is_the_same_everywhere(&found, triple);
            let stages = found["stages"].as_array().expect("stages");
            let bytes = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes");
            let notes: Vec<&str> = bytes["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .filter_map(|step| step["because"].as_str())
                .collect();
            assert!(notes.contains(&call), "{triple}: {notes:?}");
        }
    }
}

#[test]
fn a_format_that_cannot_be_says_so() {
    let source = corpus("life/outside.c");
    let output =
        opcost(&["life", "--target", "riscv64-linux-gnu", "--format", "coff", &format!("{source}:8")]);
    let said = &output.stderr;
    assert_eq!(output.status, 2, "{said}");
    assert!(said.contains("for riscv64 there is ELF alone"), "{said}");

    let place = workplace();
    place.write("mac.c", "#include <mach/mach.h>\nint f(int a) {\n  return a + 1;\n}\n");
    let output = place.opcost(&["life", "--format", "macho", "mac.c:3"]);
    let said = &output.stderr;
    assert_eq!(output.status, 1, "{said}");
    assert!(said.contains("give a source that was preprocessed"), "{said}");
}
