//! Does every wrong input end in a clear answer?

use opcost_live::{
    FrameEntry, Frames, LinkRefused, LiveError, LiveProgram, SymbolLookup, frames::redirect, link,
};

use crate::tools::{Folder, Random, source, symbol};

/// A small dynamic program; its bytes and its facts.
fn program(folder: &Folder, extra: &str) -> (Vec<u8>, LiveProgram) {
    folder.object("arena.s", &source("arena.s"), "");
    folder.object("main.cpp", &source("main.cpp"), "-O1 -fno-pic");
    folder.object("work.cpp", &source("work.cpp"), "-O0 -fno-pic");
    folder.object("extra.c", extra, "-fno-pic");
    folder.run(
        "clang++-22 -no-pie -fuse-ld=lld -Wl,-z,now main.cpp.o work.cpp.o arena.s.o extra.c.o -o program",
    );
    let bytes = folder.read("program");
    let facts = LiveProgram::read(&bytes).unwrap();
    (bytes, facts)
}

/// Why assembly or C is refused; the name tells which it is.
fn refused(folder: &Folder, program: &LiveProgram, name: &str, text: &str) -> LinkRefused {
    let object = folder.object(name, text, if name.ends_with(".c") { "-O1 -fPIC -fcommon" } else { "" });
    let at = symbol(program, "arena").address;
    link(&object, program, at, 1 << 16).expect_err(text)
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let folder = Folder::new();
    let (_, program) = program(&folder, "");
    let of = |name: &str, text: &str| refused(&folder, &program, name, text).to_string();
    let c = |text: &str| of("v.c", text);
    let s = |text: &str| of("v.s", text);
    assert!(c("int x = 1; int work(void) { return x++; }").contains("section .data holds 4 bytes"));
    assert!(c("static int x; int work(void) { return x++; }").contains("section .bss holds 4 bytes"));
    assert!(c("int common; int work(void) { return common; }").contains("common is a common symbol"));
    assert!(c("static _Thread_local int x = 4; int *work(void) { return &x; }").contains("section .tdata"));
    assert!(
        c("extern _Thread_local int counted; int work(void) { return counted; }").contains("R_X86_64_TLSGD")
    );
    assert!(
        c("int helper(int); __attribute__((constructor)) void work(void) { helper(1); }")
            .contains("section .init_array")
    );
    assert!(c("int nowhere(void); int work(void) { return nowhere(); }").contains("does not define nowhere"));
    assert!(c("int g(void) { return 0; } void *r(void) { return g; } int f(void) __attribute__((ifunc(\"r\"))); \
               int work(void) { return f(); }").contains("f is chosen when the program starts"));
    assert!(
        c("extern int counted; int work(void) { return counted; }")
            .contains("whether counted is thread-local")
    );
    assert!(s(".text\nmovq %fs:helper@tpoff, %rax").contains("whether helper is thread-local"));
    assert!(s(".text\n.byte helper").contains("R_X86_64_8"));
    assert!(s(".text\n.long 5 + work@SIZE").contains("R_X86_64_SIZE32"));
    assert!(s(".text\nleaq _GLOBAL_OFFSET_TABLE_(%rip), %rax").contains("R_X86_64_GOTPC32"));
    assert!(
        s(".section .odd,\"a\",@0x60001234\n.long 1")
            .contains("section .odd has the unknown type 0x60001234")
    );
    assert!(s(".text\n.quad __cxa_get_globals + 0").contains("does not define"));
    assert!(s(".text\nleaq __cxa_throw(%rip), %rax").contains("needs the address of __cxa_throw"));
    assert!(s(".section .rodata.big,\"a\",@nobits\n.zero 1000000").contains("more than the 65536 bytes"));
    assert!(
        s(".section .note.x,\"a\",@note\nx: .long 1\n.text\n.long x - .")
            .contains("section .note.x, which has no place")
    );
    assert!(s(".section .eh_frame,\"a\",@unwind\n.long 100\n.long 0").contains("description of a frame"));
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let (_, program) = program(&folder, "");
    let text = [
        ".long helper + 0x81000000 - .",
        ".long helper - . - 0x80000000 - 0x1000000",
        ".long helper + 0xfffffff0",
        "movq $helper + 0x7fffffff, %rax",
        "movq counted@gottpoff + 0x7fffffff(%rip), %rax",
    ];
    for text in text {
        let refused = refused(&folder, &program, "v.s", &format!(".text\n{text}\n"));
        assert!(matches!(refused, LinkRefused::Overflow { .. }), "{text}: {refused}");
    }
    // Far away nothing near is in reach, neither code nor slots.
    let object = folder.object("v.s", ".text\ncall helper\n", "");
    let refused = link(&object, &program, 1 << 33, 4096).unwrap_err();
    assert!(matches!(&refused, LinkRefused::Overflow { symbol, .. } if symbol == "helper"), "{refused}");
    assert_eq!(link(&object, &program, u64::MAX - 8, 4096), Err(LinkRefused::Room { room: 4096 }));
    assert_eq!(link(&object, &program, u64::MAX - 20, 20), Err(LinkRefused::Room { room: 20 }));
}

#[test]
fn local_names_of_two_things_are_ambiguous() {
    let folder = Folder::new();
    folder.object("one.c", "static __attribute__((noinline,used)) int same(void) { return 1; }", "");
    folder.object("two.c", "static __attribute__((noinline,used)) int same(void) { return 2; } \
                            static __attribute__((used)) int alone(void) { return 3; } int main(void) { return 0; }", "");
    folder.run("clang-22 -no-pie one.c.o two.c.o -o program");
    let program = LiveProgram::read(&folder.read("program")).unwrap();
    assert_eq!(program.find("same"), SymbolLookup::Ambiguous);
    assert!(matches!(program.find("alone"), SymbolLookup::Local(_)));
    let object = folder.object("v.s", ".text\ncall same\n", "");
    assert_eq!(
        link(&object, &program, 0x400000, 4096),
        Err(LinkRefused::Ambiguous { symbol: "same".to_owned() })
    );
    // Weak or not: nobody can say which one is meant.
    let object = folder.object("v.s", ".weak same\n.text\ncall same\n", "");
    assert_eq!(
        link(&object, &program, 0x400000, 4096),
        Err(LinkRefused::Ambiguous { symbol: "same".to_owned() })
    );
    // A global of the name is the one that is meant.
    folder.object("three.c", "int same(void) { return 4; }", "");
    folder.run("clang-22 -no-pie one.c.o two.c.o three.c.o -o program");
    let program = LiveProgram::read(&folder.read("program")).unwrap();
    assert!(matches!(program.find("same"), SymbolLookup::Shared(_)));
}

#[test]
fn weak_symbols_are_the_programs() {
    let folder = Folder::new();
    let (_, program) =
        program(&folder, "int variable = 3; __attribute__((weak)) int function(void) { return 1; }");
    let text = ".text\n.globl work\nwork:\n.quad variable\n.quad function\n.quad nobody\n.quad own\n\
                .weak nobody\n.weak variable\n.weak function\n.weak own\nfunction: ret\nown: ret\n\
                .section .rodata\nvariable: .long 4\n";
    let object = folder.object("v.s", text, "");
    let linked = link(&object, &program, 0x10000, 4096).unwrap();
    let words: Vec<_> =
        linked.bytes.chunks(8).take(4).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    let expected = [symbol(&program, "variable").address, symbol(&program, "function").address, 0, 0x10021];
    assert_eq!(words, expected);
}

#[test]
fn programs_that_cannot_be_used_say_why() {
    let folder = Folder::new();
    folder.object("main.c", "int main(void) { return 0; }", "-fPIE");
    folder.run("clang-22 -pie main.c.o -o pie");
    folder.run("clang-22 -no-pie -s main.c.o -o stripped");
    let read = |name: &str| LiveProgram::read(&folder.read(name)).unwrap_err();
    assert_eq!(read("pie"), LiveError::NotFixed);
    assert_eq!(read("stripped"), LiveError::NoSymbols);
    assert_eq!(read("main.c.o"), LiveError::NotFixed);
    assert_eq!(read("main.c"), LiveError::Machine);
}

/// Slots are for good only if they are bound at the start.
#[test]
fn slots_of_lazily_bound_functions_do_not_count() {
    let folder = Folder::new();
    folder.object("main.c", "#include <stdio.h>\nint main(void) { puts(\"\"); return 0; }", "-fno-pic");
    for (binding, known) in [("now", true), ("lazy", false)] {
        folder.run(&format!("clang-22 -no-pie -Wl,-z,{binding} main.c.o -o program"));
        let program = LiveProgram::read(&folder.read("program")).unwrap();
        assert_eq!(program.slot("puts").is_some(), known, "{binding}");
    }
}

/// 10,000 damaged objects, the same ones each time, and the object cut at each length.
#[test]
fn damaged_objects_are_never_a_panic() {
    let folder = Folder::new();
    let (_, program) = program(&folder, "");
    let mut objects = vec![folder.object("v.cpp", &source("work.cpp"), "-O1 -fPIC")];
    objects.push(folder.object("v.c", &source("work.c"), "-O1 -fno-pic -DNO_THREADS"));
    let small = "void may_throw(int); int helper(int); int work(int x) { try { return helper(x); } catch (int y) { return y; } }";
    objects.push(folder.object("v.cpp", small, "-O1 -fPIC"));
    let at = symbol(&program, "arena").address;
    for length in 0..objects[2].len() {
        assert!(link(&objects[2][..length], &program, at, 1 << 18).is_err(), "cut at {length}");
    }
    let (mut random, mut refused) = (Random(0x1234_5678_9abc_def1), 0);
    for case in 0..10_000 {
        let mut bytes = objects[case % 3].clone();
        // Half of the damage is in the last part, where tables are.
        for _ in 0..=random.below(6) {
            let end = bytes.len();
            let start = if random.below(2) == 0 { 0 } else { end / 2 };
            bytes[start + random.below(end - start)] = u8::try_from(random.below(256)).unwrap();
        }
        if let Err(problem) = link(&bytes, &program, at, 1 << 18) {
            assert!(!problem.to_string().is_empty());
            refused += 1;
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn damaged_programs_are_never_a_panic() {
    let folder = Folder::new();
    let (whole, _) = program(&folder, "");
    let mut random = Random(77);
    let (headers, end) = (2000, whole.len());
    for case in 0..2000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(4) {
            // Headers of segments are at the start, those of sections at the end.
            let place = if case % 2 == 0 { random.below(headers) } else { end - 1 - random.below(headers) };
            bytes[place] = u8::try_from(random.below(256)).unwrap();
        }
        let _ = redirect(&mut bytes, random.below(1 << 23) as u64, 100);
        if let Ok(program) = LiveProgram::read(&bytes) {
            let _ = Frames::of(&program, 0x400000, 10);
        }
    }
    for _ in 0..300 {
        let length = random.below(end);
        let _ = LiveProgram::read(&whole[..length - length % 8]);
    }
}

/// Whoever reads between two writes sees a sorted table.
#[test]
fn tables_grow_and_are_sorted_at_each_moment() {
    let folder = Folder::new();
    let (mut bytes, program) = program(&folder, "");
    let at = symbol(&program, "frames").address;
    let mut frames = Frames::of(&program, at, 3).unwrap();
    let mut memory = frames.bytes().to_vec();
    let (before, last) = (frames.count(), frames.last().unwrap());
    let sorted = |memory: &[u8]| {
        let word = |offset: usize| i32::from_le_bytes(memory[offset..offset + 4].try_into().unwrap());
        let count = usize::try_from(word(8)).unwrap();
        assert!((0..count).map(|entry| word(12 + 8 * entry)).is_sorted());
        count
    };
    assert_eq!(sorted(&memory), before);
    let frame = |start: u64| FrameEntry { start, entry: start + 8 };
    let wrong = frames.appended(&[frame(last)]);
    assert_eq!(wrong, Err(LiveError::FramesOrder { start: last, last }));
    let wrong = frames.appended(&[frame(last + 2), frame(last + 1)]);
    assert_eq!(wrong, Err(LiveError::FramesOrder { start: last + 1, last: last + 2 }));
    assert_eq!(frames.appended(&[]), Ok(Vec::new()));
    for (start, expected) in [(last + 16, before + 1), (last + 32, before + 2), (last + 48, before + 3)] {
        let writes = frames.appended(&[frame(start)]).unwrap();
        for (number, write) in writes.iter().enumerate() {
            memory[write.offset..write.offset + write.bytes.len()].copy_from_slice(&write.bytes);
            assert_eq!(sorted(&memory), expected - usize::from(number == 0));
        }
    }
    assert_eq!(memory, frames.bytes());
    assert_eq!(frames.appended(&[frame(last + 64)]), Err(LiveError::FramesFull { room: 0, needed: 1 }));
    assert_eq!(Frames::of(&program, at + 2, 3), Err(LiveError::FramesAlignment { at: at + 2 }));
    assert!(matches!(Frames::of(&program, 1 << 40, 3), Err(LiveError::FramesReach { .. })));
    assert!(matches!(Frames::of(&program, u64::MAX - 3, 3), Err(LiveError::FramesReach { .. })));
    assert_eq!(redirect(&mut bytes, 4, 8), Err(LiveError::NotInFile { at: 4, size: 8 }));
}
