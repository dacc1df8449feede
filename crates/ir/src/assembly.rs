//! Can assembly move the stack pointer, go elsewhere, or change how numbers are rounded?
//!
//! Three questions about text. Of inline assembly: does control surely come out at its end
//! (or at a label that it was given), on the stack that it went in on? Of assembly beside
//! the functions: is there code in it at all? Such code can do anything. Of both: may it write
//! the register that says how floating point numbers are rounded?
//!
//! The answer errs to one side. Inline assembly surely comes out only if nothing in it names a
//! register that holds the stack, the frame or the way back; no word calls, returns,
//! pushes, pops or asks the kernel; each jump leads to a label of the same text; and
//! no instruction is encoded by hand. The words are those of x86, ARM and RISC-V at
//! once: a word too many costs time, never a count.
//!
//! Input: text and constraints as LLVM has them. Cost: linear, times the number of jumps.
//! Limit: that the text does not overwrite the stack through a pointer is taken for granted, as it
//! is of C.

/// Whether control may leave this inline assembly otherwise than at its end (or at a label
/// that it was given), or on another stack.
pub fn inline_assembly_may_leave(text: &str, constraints: &str) -> bool {
    let mut registers = constraints.split(['{', '}']).skip(1).step_by(2);
    if registers.any(|register| FRAME_REGISTERS.contains(&register.to_lowercase().as_str())) {
        return true;
    }
    // A number of its own for each copy, which LLVM puts in.
    let text = text.to_lowercase().replace("${:uid}", "_");
    let statements = statements(&text);
    let mut sections = Sections::default();
    (0..statements.len()).any(|at| match sections.kind(statements[at]) {
        Kind::Silent => false,
        Kind::Encoded => true,
        Kind::Instruction => may_leave(&statements, at),
    })
}

/// Whether assembly outside of the functions holds code, not only names and data.
pub fn module_assembly_has_code(text: &str) -> bool {
    let mut sections = Sections::default();
    statements(text).into_iter().any(|statement| sections.kind(statement) != Kind::Silent)
}

/// Whether assembly, inline or outside of the functions, may change how numbers are rounded. What
/// is encoded by hand may.
pub fn assembly_may_round(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut sections = Sections::default();
    statements(&text).into_iter().any(|statement| match sections.kind(statement) {
        Kind::Silent => false,
        Kind::Encoded => true,
        Kind::Instruction => {
            let mut words = words(statement);
            let writes = |word: &str| ROUNDING_WRITES.iter().any(|name| word.starts_with(name));
            words.clone().any(writes)
                || (words.clone().any(|word| ROUNDING_REGISTERS.contains(&word))
                    && !words.any(|word| ROUNDING_READS.contains(&word)))
        }
    })
}

/// How the names of instructions and functions begin that set the rounding mode.
const ROUNDING_WRITES: &[&str] = &[
    "ldmxcsr",
    "vldmxcsr",
    "fldcw",
    "fldenv",
    "frstor",
    "fxrstor",
    "xrstor",
    "fninit",
    "finit",
    "fnsave",
    "fsave",
    "fsrm",
    "fscsr",
    "fesetround",
    "fesetenv",
    "feupdateenv",
    "fesetmode",
];

/// Registers that hold the mode on ARM and RISC-V.
const ROUNDING_REGISTERS: &[&str] = &["fpcr", "fpscr", "fcsr", "frm"];

/// Instructions that only read them.
const ROUNDING_READS: &[&str] = &["mrs", "vmrs", "csrr", "frrm", "frcsr"];

/// Registers that hold the stack pointer, a frame pointer or the way back.
const FRAME_REGISTERS: &[&str] = &[
    "rsp", "esp", "sp", "spl", "rbp", "ebp", "bp", "bpl", "wsp", "x29", "w29", "x30", "w30", "fp", "lr",
    "pc", "ra", "s0", "x1", "x2", "x8",
];

/// How the names of instructions begin that go elsewhere or move the stack.
const FAR: &[&str] = &[
    "call", "lcall", "ret", "lret", "iret", "uiret", "eret", "mret", "sret", "push", "pop", "enter", "leave",
    "sys", "svc", "hvc", "smc", "brk", "ecall", "ebreak", "tail", "xbegin", "xabort", "ud", "hlt", "rsm",
    "ljmp", "jr", "jal", "bl", "br", "bx", "rfe", "int3", "into",
];

/// Names that begin like one of those, and do neither.
const NEAR: &[&str] =
    &["popcnt", "blend", "blsr", "blsi", "blsmsk", "blcfill", "blci", "blcs", "udiv", "udot", "cbw", "cbtw"];

/// How the names of jumps begin whose target is written last.
const JUMPS: &[&str] = &[
    "j", "loop", "b.", "beq", "bne", "blt", "bge", "ble", "bgt", "bhi", "blo", "bcs", "bcc", "bmi", "bpl",
    "cb", "tbz", "tbnz", "c.j", "c.b",
];

/// Directives that make nothing that runs.
const NAMING: &[&str] = &[
    ".globl",
    ".global",
    ".weak",
    ".hidden",
    ".protected",
    ".internal",
    ".local",
    ".type",
    ".size",
    ".symver",
    ".ident",
    ".file",
    ".loc",
    ".comm",
    ".lcomm",
    ".addrsig",
    ".addrsig_sym",
    ".p2align",
    ".align",
    ".balign",
    ".att_syntax",
    ".intel_syntax",
    ".arch",
    ".cpu",
    ".code64",
];

/// Statements, with each label as one of its own that ends in `:`.
fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    for mut rest in lines.flat_map(|line| line.split(';')).map(str::trim) {
        while let Some(colon) = rest.find(':').filter(|&colon| is_label(&rest[..colon])) {
            found.push(&rest[..=colon]);
            rest = rest[colon + 1..].trim();
        }
        if !rest.is_empty() {
            found.push(rest);
        }
    }
    found
}

/// Whether this can be the name of a label.
fn is_label(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || "_.$@\"".contains(one))
}

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing that runs: a name, a label, data.
    Silent,
    /// Bytes that run, or a directive that may make some.
    Encoded,
    Instruction,
}

/// Into which kind of section what follows goes; the last is the present one.
struct Sections(Vec<bool>);

impl Default for Sections {
    fn default() -> Self {
        Sections(vec![true])
    }
}

impl Sections {
    /// What the statement is; enters the section that it names.
    fn kind(&mut self, statement: &str) -> Kind {
        let statement = statement.to_lowercase();
        let first = statement.split_whitespace().next().unwrap_or_default();
        let entered = match first {
            ".section" | ".pushsection" => Some(is_run(&statement)),
            ".text" | ".previous" | ".subsection" => Some(true),
            ".data" | ".bss" | ".rodata" => Some(false),
            _ => None,
        };
        match (first, entered) {
            (".pushsection", Some(is_code)) => self.0.push(is_code),
            (".popsection", _) if self.0.len() > 1 => _ = self.0.pop(),
            (".popsection", _) => {}
            (_, Some(is_code)) => *self.0.last_mut().expect("one is always open") = is_code,
            _ if statement.ends_with(':') || NAMING.contains(&first) || first.starts_with(".cfi_") => {}
            _ if !self.0.last().copied().unwrap_or(true) => {}
            _ if first.starts_with('.') => return Kind::Encoded,
            _ => return Kind::Instruction,
        }
        Kind::Silent
    }
}

/// Whether what is put into this section may run.
fn is_run(directive: &str) -> bool {
    let operands = directive.split_once(char::is_whitespace).map_or("", |(_, operands)| operands).trim();
    let known = [
        ".data",
        ".rodata",
        ".bss",
        ".note",
        ".debug",
        ".comment",
        "\".data",
        "\".rodata",
        "\".note",
        "\".debug",
    ];
    let flags = operands.split_once(',').map_or("", |(_, flags)| flags);
    flags.contains('x') || !known.iter().any(|start| operands.starts_with(start))
}

/// The names in a statement: of its instruction, of registers, of functions.
fn words(statement: &str) -> impl Iterator<Item = &str> + Clone {
    statement.split(|one: char| !(one.is_alphanumeric() || one == '.' || one == '_'))
}

/// Whether control may go elsewhere at this instruction.
fn may_leave(statements: &[&str], at: usize) -> bool {
    let statement = statements[at];
    words(statement).any(|word| {
        let begins = |names: &[&str]| names.iter().any(|name| word.starts_with(name));
        FRAME_REGISTERS.contains(&word)
            || matches!(word, "int" | "b" | "xsave")
            || (begins(FAR) && !begins(NEAR) && !begins(JUMPS))
            || (begins(JUMPS) && !begins(NEAR) && !is_near(statements, at))
    })
}

/// Whether what the instruction names last is a label of this text, or one that the
/// program gave to it.
fn is_near(statements: &[&str], at: usize) -> bool {
    let last = statements[at].rsplit([',', ' ', '\t']).next().unwrap_or_default();
    if last.strip_prefix("${").and_then(|rest| rest.strip_suffix(":l}")).is_some_and(is_number) {
        return true;
    }
    let is_there = |name: &str, among: &[&str]| among.iter().any(|one| one.strip_suffix(':') == Some(name));
    match (last.strip_suffix('f'), last.strip_suffix('b')) {
        (Some(number), _) if is_number(number) => is_there(number, &statements[at..]),
        (_, Some(number)) if is_number(number) => is_there(number, &statements[..at]),
        _ => last.starts_with(".l") && is_there(last, statements),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|one| one.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_assembly_comes_out_at_its_end() {
        for text in [
            "",
            "nop",
            "rdtsc",
            "lock; cmpxchgq $2, $1",
            "cpuid\n\tmovl %ebx, $0",
            "popcntq $1, $0",
            "1: dec $0; jnz 1b",
            "test $0, $0; jz 1f; inc $0; 1:",
            ".Lagain${:uid}: decl $0; jne .Lagain${:uid}",
            "# of the kind of call\nnop",
            "testl $0, $0; jne ${1:l}",
            ".pushsection .rodata.x,\"a\"; .long 3; .popsection; nop",
            "dmb ish",
            "1: ldxr w9, [$1]; stxr w10, w9, [$1]; cbnz w10, 1b",
        ] {
            assert!(!inline_assembly_may_leave(text, "=r,r,~{memory},~{dirflag}"), "{text}");
        }
    }

    #[test]
    fn what_can_go_elsewhere_is_seen() {
        for text in [
            "movq $0, %rsp",
            "MOV RSP, $0",
            "xchgq ($0), %rsp",
            "movq %rsp, $0",
            "pushq $0; popfq",
            "call sw",
            "nop; jmp *$0",
            "jmp ${0:P}",
            "jmp 1f",
            "1: jmp 1f",
            "jne 1b; 1:",
            "ret",
            "rep; ret",
            "movq $0, %rbp",
            "leave",
            "syscall",
            "int $$0x80",
            ".byte 0x0f, 0x05",
            ".section .text.far,\"ax\"; nop; .long 3",
            "mov sp, $0",
            "br $0",
            "bl away",
            "b away",
            "svc #0",
            "ecall",
            "jr t0",
            "{movq $0, %rsp|mov rsp, $0}",
            "loop away",
            ".macro m; nop; .endm; m",
        ] {
            assert!(inline_assembly_may_leave(text, "=r,r"), "{text}");
        }
        assert!(inline_assembly_may_leave("movq $1, $0", "={rsp},r"));
        assert!(inline_assembly_may_leave("nop", "~{rbp}"));
    }

    #[test]
    fn what_may_change_the_rounding_is_seen() {
        for text in [
            "ldmxcsr $0",
            "stmxcsr $0; orl $$0x6000, $0; ldmxcsr $0",
            "VLDMXCSR $0",
            "fldcw $0",
            "fldenv ($0)",
            "xrstor64 $0",
            "call fesetround",
            "msr fpcr, $0",
            "vmsr fpscr, r0",
            "csrw fcsr, a0",
            "csrrw a0, frm, a1",
            "fsrmi 1",
            ".byte 0x0f, 0xae, 0x10",
            ".globl up\nup: ldmxcsr (%rdi)\n ret",
        ] {
            assert!(assembly_may_round(text), "{text}");
        }
        for text in [
            "",
            "stmxcsr $0",
            "fnstcw $0",
            "mrs $0, fpcr",
            "csrr a0, fcsr",
            "frrm a0",
            "addsd $1, $0",
            "# ldmxcsr\nnop",
            ".globl ldmxcsr_is_a_name",
        ] {
            assert!(!assembly_may_round(text), "{text}");
        }
    }

    #[test]
    fn names_and_data_are_no_code() {
        for text in [
            "",
            ".symver a, a@V1\n.globl a\n.hidden a",
            ".section .note.x,\"a\",@note\n.long 1\n.asciz \"x\"\n.text",
            ".pushsection \".debug_gdb_scripts\", \"MS\",@progbits,1\n.byte 1\n.popsection",
            ".data\nx: .quad 3\n",
        ] {
            assert!(!module_assembly_has_code(text), "{text}");
        }
        for text in [
            "sw: ret",
            ".text\n.globl sw\nsw:\n movq %rsp,(%rdi)\n ret\n",
            ".section .own,\"ax\"\nf: .byte 0xc3",
            ".section unheard_of\nf: .byte 0xc3",
            ".set f, 0x1000",
            ".incbin \"code\"",
        ] {
            assert!(module_assembly_has_code(text), "{text}");
        }
    }
}
