//! Do assembly text and raw bytes say what assembler and disassembler make of them?

use std::io::Write;
use std::process::Stdio;

use opcost_testkit::command::{ProgramOutput, Workplace};
use serde_json::Value;

use crate::{life, opcost, steps, workplace};

/// Code that is always there, of a document.
fn texts(life: &Value) -> Vec<&str> {
    let code = life["code"].as_array().expect("code").iter();
    let all = code.flat_map(|function| function["instructions"].as_array().expect("a list"));
    all.map(|one| one["text"].as_str().expect("a text")).collect()
}

fn bytes(life: &Value) -> String {
    steps(life, "bytes").iter().map(|step| step[3]).collect::<Vec<_>>().join(" ")
}

struct Written {
    place: Workplace,
    name: String,
}

impl Written {
    fn new(name: &str, text: &[u8]) -> Written {
        let place = workplace();
        Written { name: place.write(name, text), place }
    }

    fn at(&self, rest: &str) -> String {
        self.place.at(&self.name) + rest
    }
}

const ATT: &[u8] = b"\t.text\n\t.p2align 4\nfoo:\n\tmovl %edx, %ecx\n\tleal (%rdi,%rsi), %eax\n\tcltd\n\
    \tidivl %ecx\n\tcallq bar@PLT\n\tje foo\n\tret\n";
const INTEL: &[u8] = b"\t.intel_syntax noprefix\nfoo:\n\tmov ecx, edx\n\tlea eax, [rdi + rsi]\n\tcdq\n\
    \tidiv ecx\n\tret\n";

#[test]
fn assembly_text_of_both_syntaxes() {
    let text = Written::new("a.s", ATT);
    let found = life(&[&text.at("")]);
    assert_eq!(bytes(&found), "89 d1 8d 04 37 99 f7 f9 e8 00 00 00 00 74 f1 c3");
    let operations = steps(&found, "mc");
    assert_eq!(operations[1][0], "line 5");
    assert_eq!(operations[1][3], "LEA64_32r %eax, %rdi, 1, %rsi, 0, -");
    assert_eq!(operations[4][3], "CALL64pcrel32 symbol");
    assert_eq!(found["self_check"]["text_identical"], true);
    assert_eq!(found["self_check"]["disassembly_identical"], true);
    let call = &found["code"][0]["instructions"][4]["relocations"][0];
    assert_eq!(
        (&call["type"], &call["symbol"], &call["addend"]),
        (&"R_X86_64_PLT32".into(), &"bar".into(), &(-4).into())
    );
    assert_eq!(call["placeholder"], "ffffffff");

    let one = life(&[&text.at(":7")]);
    assert_eq!(texts(&one), ["idivl %ecx"]);
    assert_eq!(bytes(&one), "f7 f9");

    let text = Written::new("b.s", INTEL);
    let found = life(&[&text.at("")]);
    assert_eq!(bytes(&found), "89 d1 8d 04 37 99 f7 f9 c3");
    assert_eq!(texts(&found)[1], "lea eax, [rdi + rsi]");
}

#[test]
fn assembly_text_of_other_machines() {
    let text = Written::new("a.s", b"foo:\n\tsdiv w0, w8, w2\n\tbl bar\n\tret\n");
    let found = life(&["--target", "aarch64-linux-gnu", &text.at("")]);
    assert_eq!(bytes(&found), "00 0d c2 1a 00 00 00 94 c0 03 5f d6");
    let text = Written::new("a.s", b"foo:\n\tdivw a0, a0, a2\n\tcall bar\n\tret\n");
    let found = life(&["--target", "riscv64-linux-gnu", &text.at("")]);
    assert_eq!(found["code"][0]["function"], "foo");
    assert_eq!(texts(&found), ["divw a0, a0, a2", "auipc ra, 0", "jalr ra", "ret"]);
    let text = Written::new("a.s", b"_foo:\n\tcallq _bar\n\tretq\n");
    let found = life(&["--target", "x86_64-linux-gnu", "--format", "macho", &text.at(":2")]);
    assert_eq!(found["code"][0]["instructions"][0]["relocations"][0]["type"], "X86_64_RELOC_BRANCH");
}

#[test]
fn what_is_wrong_with_text_stands_with_line_and_caret() {
    let text = Written::new("a.s", b"foo:\n\tmovl %edx, %eex\n\tret\n");
    let output = opcost(&["life", &text.at("")]);
    let said = &output.stderr;
    assert_eq!(output.status, 1, "{said}");
    assert!(said.contains("a.s:2:13: error: invalid register name"), "{said}");
    assert!(said.contains("movl %edx, %eex") && said.contains('^'), "{said}");
    let text = Written::new("a.s", ATT);
    let cases = [(":3", 2, "the nearest line that has is"), (":4:2", 2, "of assembly text give a line")];
    for (rest, status, words) in cases {
        let output = opcost(&["life", &text.at(rest)]);
        let said = &output.stderr;
        assert_eq!(output.status, status, "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn bytes_are_told_from_the_line_a_file_and_a_pipe() {
    let nine = "89 d1 8d 04 37 99 f7 f9 c3";
    let found = life(&["--bytes", nine, "--target", "x86_64-linux-gnu"]);
    assert_eq!(texts(&found), ["movl %edx, %ecx", "leal (%rdi,%rsi), %eax", "cltd", "idivl %ecx", "retq"]);
    assert_eq!(found["self_check"]["disassembly_identical"], true);
    assert_eq!(found["self_check"]["text_identical"], Value::Null);
    let raw = [0x89, 0xd1, 0x8d, 0x04, 0x37, 0x99, 0xf7, 0xf9, 0xc3];
    for text in [&raw[..], nine.as_bytes()] {
        let file = Written::new("code", text);
        assert_eq!(bytes(&life(&["--bytes", &file.at("")])), nine);
    }
    let place = workplace();
    let mut child = place
        .command(&["life", "--bytes", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("opcost starts");
    child.stdin.take().expect("a pipe").write_all(b"f7 f9").expect("written");
    let said = ProgramOutput::from(child.wait_with_output().expect("it ends")).stdout;
    assert!(said.contains("opcode f7 · ModRM mod 3 register, reg 7 /7, rm 1 %ecx"), "{said}");
}

/// Padding has more bytes than it needs: told, and no failure.
#[test]
fn a_form_that_no_encoder_chooses_is_told() {
    let found = life(&["--bytes", "0f 1f 80 00 00 00 00", "--target", "x86_64-linux-gnu"]);
    assert_eq!(found["self_check"]["disassembly_identical"], false);
    let said = found["self_check"]["remarks"]["disassembly_identical"].as_str().expect("a remark");
    assert!(said.contains("is encoded as 0f 1f 00"), "{said}");
}

#[test]
fn bytes_that_are_none_say_how_far_it_got() {
    let cases: [(&[&str], i32, &str); 5] = [
        (&["--bytes", "99 f7 f9 06"], 1, "at offset 0x3 (06); 2 instructions were read before it"),
        (&["--bytes", "99 f"], 2, "'f' is no byte in hexadecimal"),
        (&["--bytes", ""], 2, "there are no bytes"),
        (&["--bytes", "99", "--target", "nowhere-unknown-none"], 1, "there are x86_64, aarch64 and riscv64"),
        (&["--bytes", "99", "--function", "f"], 2, "cannot be used with"),
    ];
    for (arguments, status, words) in cases {
        let all: Vec<&str> = ["life"].iter().chain(arguments).copied().collect();
        let output = opcost(&all);
        let said = &output.stderr;
        assert_eq!(output.status, status, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
