//! Do numbers in debug locations change machine code, and does a snapshot's
//! text say all that the snapshot does?
//!
//! One test binary for the room, since it links all of LLVM. The large input
//! is SQLite from the corpus (`cargo xtask corpus`); the small ones are text.

#[path = "snapshot/facts.rs"]
mod facts;
#[path = "snapshot/profile.rs"]
mod profile;
#[path = "snapshot/referees.rs"]
mod referees;
#[path = "snapshot/schedule.rs"]
mod schedule;
#[path = "snapshot/text.rs"]
mod text;
#[path = "snapshot/touched.rs"]
mod touched;
#[path = "snapshot/versions.rs"]
mod versions;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use opcost_llvm::{Emission, LifeRequest, Maker, Session};

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Where `cargo xtask corpus` puts the real programs.
fn corpus() -> PathBuf {
    let fallback = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus");
    let folder = std::env::var_os("OPCOST_CORPUS").map_or(fallback, PathBuf::from);
    assert!(
        folder.join("corpus.json").exists(),
        "no corpus in {}: run `cargo xtask corpus`",
        folder.display()
    );
    folder
}

fn clang(arguments: &[&str], input: &Path, output: &Path) {
    let status = Command::new("clang-22").args(arguments).arg(input).arg("-o").arg(output).status();
    assert!(status.expect("clang-22 starts").success(), "clang-22 failed on {}", input.display());
}

/// What the sections of an object hold, without those that name no code.
fn sections(path: &Path) -> Vec<(String, Vec<u8>)> {
    use object::{Object, ObjectSection};
    let bytes = std::fs::read(path).expect("an object");
    let file = object::File::parse(&*bytes).expect("ELF");
    let kept = file.sections().filter(|section| {
        section.name().is_ok_and(|name| {
            name.starts_with(".text") || name.starts_with(".rodata") || name.starts_with(".data")
        })
    });
    kept.map(|section| (section.name().expect("a name").to_owned(), section.data().expect("data").to_owned()))
        .collect()
}

fn emit(bitcode: &Path, object: &Path, prepare: impl FnOnce(&Session)) {
    let session = Session::read(bitcode, Maker::FrontEnd).expect("our own bitcode");
    prepare(&session);
    session.emit(object, Emission { level: 2, ..Emission::default() }).expect("code generation");
}

/// SQLite as our front end leaves it, compiled once.
static SQLITE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = scratch();
    let source = corpus().join("libsqlite3-sys/sqlite3/sqlite3.c");
    let bitcode = folder.path().join("sqlite.bc");
    clang(&["-O2", "-gline-tables-only", "-c", "-emit-llvm", "-DSQLITE_THREADSAFE=0"], &source, &bitcode);
    folder
});

#[test]
fn sqlites_snapshot_comes_back_from_its_text() {
    let mut session =
        Session::read(&SQLITE.path().join("sqlite.bc"), Maker::FrontEnd).expect("our own bitcode");
    let module = session.snapshot();
    let instructions: usize = module.functions.values().map(|function| function.instructions.len()).sum();
    assert!(instructions > 200_000, "{instructions}");
    opcost_ir::verify(&module).expect("a snapshot keeps the rules");
    let text = opcost_ir::print_module(&module);
    let again = opcost_ir::parse_module(&text).expect("its own text");
    assert_eq!(opcost_ir::print_module(&again), text);
    for (left, right) in module.functions.values().zip(again.functions.values()) {
        assert!(left == right, "{} differs", left.name);
    }
    assert!(module == again, "something outside the functions differs");
}

#[test]
fn numbers_change_no_byte_of_sqlite() {
    let folder = scratch();
    let bitcode = SQLITE.path().join("sqlite.bc");
    let (plain, numbered) = (folder.path().join("plain.o"), folder.path().join("numbered.o"));
    emit(&bitcode, &plain, |session| session.strip_debug());
    emit(&bitcode, &numbered, |session| session.identify());
    let (plain, numbered) = (sections(&plain), sections(&numbered));
    let text: usize =
        plain.iter().filter(|(name, _)| name.starts_with(".text")).map(|(_, data)| data.len()).sum();
    assert!(text > 500_000, "SQLite's code is there: {text} bytes");
    assert_eq!(plain.len(), numbered.len());
    for (left, right) in plain.iter().zip(&numbered) {
        assert!(left == right, "section {} differs", left.0);
    }
}

/// A row of the table of machine code: offset, instruction, block, machine
/// instructions, factor, and whether a machine block begins.
type CodeRow = (u32, u32, u32, u16, u16, bool);

/// The rows of each function, as the essay of `shim/code.cpp` says.
fn code_table(object: &Path) -> Vec<(u32, Vec<CodeRow>)> {
    use object::{Object, ObjectSection};
    let bytes = std::fs::read(object).expect("an object");
    let file = object::File::parse(&*bytes).expect("ELF");
    let section = file.section_by_name(".debug_opcost_code").expect("the table");
    let data = section.data().expect("data");
    let u16_at = |at: usize| u16::from_le_bytes(data[at..at + 2].try_into().expect("two bytes"));
    let u32_at = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"));
    let u64_at = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!((&data[..8], &data[8..24]), (&b"OPCCODE2"[..], &7u128.to_le_bytes()[..]));
    let (mut at, mut functions) = (40, Vec::new());
    for _ in 0..u64_at(32) {
        let (length, rows) = (u32_at(at + 8), u32_at(at + 12));
        at += 16;
        let row = |row: u32| {
            let at = at + 26 * row as usize;
            let begins = u16_at(at + 24) == 1;
            (u32_at(at), u32_at(at + 4), u32_at(at + 8), u16_at(at + 16), u16_at(at + 22), begins)
        };
        functions.push((length, (0..rows).map(row).collect()));
        at += 26 * rows as usize;
    }
    assert_eq!(at, data.len());
    assert_eq!(u64_at(24), functions.iter().map(|(_, rows): &(u32, Vec<CodeRow>)| rows.len() as u64).sum());
    functions
}

/// The table changes no byte, and nearly all code has a block.
#[test]
fn sqlites_code_is_tabled_and_not_changed() {
    let folder = scratch();
    let bitcode = SQLITE.path().join("sqlite.bc");
    for level in [0, 2] {
        let how = Emission { level, ..Emission::default() };
        let (plain, tabled) = (folder.path().join("plain.o"), folder.path().join("tabled.o"));
        let mut session = Session::read(&bitcode, Maker::FrontEnd).expect("our own bitcode");
        let module = session.snapshot();
        session.emit(&plain, how).expect("code generation");
        let session = Session::read(&bitcode, Maker::FrontEnd).expect("our own bitcode");
        session.identify_mapped(false);
        session.emit_sampled(&tabled, how, opcost_key::Hash128(7), &[]).expect("code generation");
        let (plain, sampled) = (sections(&plain), sections(&tabled));
        assert_eq!(plain.len(), sampled.len());
        for (left, right) in plain.iter().zip(&sampled) {
            assert!(left == right, "section {} differs at -O{level}", left.0);
        }
        let functions = code_table(&tabled);
        let instructions: usize = module.functions.values().map(|one| one.instructions.len()).sum();
        let blocks: usize = module.functions.values().map(|one| one.blocks.len()).sum();
        let (mut machine, mut without, mut unnumbered) = (0u64, 0u64, 0u64);
        for (length, rows) in &functions {
            assert!(
                rows.windows(2).all(|pair| pair[0].0 <= pair[1].0) && rows.iter().all(|row| row.0 <= *length)
            );
            assert!(rows[0].5, "a function begins with a block");
            for &(_, number, block, count, factor, _) in rows {
                assert!(number as usize <= instructions && block as usize <= blocks);
                assert_eq!(factor, 1, "no optimiser has run");
                machine += u64::from(count);
                without += if block == 0 { count.into() } else { 0 };
                unnumbered += if number == 0 { count.into() } else { 0 };
            }
        }
        assert!(machine > 200_000, "{machine}");
        assert!(without * 50 < machine, "{without} of {machine} without a block at -O{level}");
        // Without optimisation copies for phis, spills and constants have no place.
        let share = if level == 0 { 2 } else { 4 };
        assert!(
            unnumbered * share < machine,
            "{unnumbered} of {machine} without an instruction at -O{level}"
        );
    }
}

/// A function of which no code is made, and one in assembly, are in no map. So blocks of the function after them are
/// the first ones.
#[test]
fn code_of_no_map_has_no_numbers() {
    let folder = scratch();
    let (source, object) = (folder.path().join("a.ll"), folder.path().join("a.o"));
    let text = "target triple = \"x86_64-pc-linux-gnu\"\n\
                define available_externally i32 @elsewhere(i32 %a) {\n  br label %next\nnext:\n  ret i32 %a\n}\n\
                define void @written() naked {\n  call void asm sideeffect \"ret\", \"\"()\n  unreachable\n}\n\
                define i32 @own(i32 %a) {\n  %b = call i32 @elsewhere(i32 %a)\n  br label %next\nnext:\n  \
                ret i32 %b\n}\n";
    std::fs::write(&source, text).expect("a file");
    let how = Emission { level: 1, ..Emission::default() };
    for block_of in [&[][..], &[0, 0, 1]] {
        let mut session = Session::read(&source, Maker::Anyone).expect("a module");
        session.identify_mapped(!block_of.is_empty());
        if !block_of.is_empty() {
            session.optimise(how, 1).expect("passes");
        }
        session.emit_sampled(&object, how, opcost_key::Hash128(7), block_of).expect("code generation");
        let functions = code_table(&object);
        let rows: Vec<_> = functions.iter().flat_map(|(_, rows)| rows).collect();
        assert!(rows.iter().all(|row| row.1 <= 3 && row.2 <= 2), "{rows:?}");
        let last = functions.last().expect("it has code");
        assert!(last.1.iter().any(|row| row.2 > 0), "{last:?}");
    }
}

/// What the optimiser does behind the numbers it does without them, byte for byte;
/// of SQLite's loops it unrolls and vectorises some.
#[test]
fn sqlites_code_is_optimised_behind_its_numbers_and_not_changed() {
    let folder = scratch();
    let source = corpus().join("libsqlite3-sys/sqlite3/sqlite3.c");
    let front = folder.path().join("front.bc");
    let flags = ["-O2", "-c", "-emit-llvm", "-DSQLITE_THREADSAFE=0", "-Xclang", "-disable-llvm-passes"];
    clang(&flags, &source, &front);
    let how = Emission { level: 2, ..Emission::default() };
    let (plain, tabled) = (folder.path().join("plain.o"), folder.path().join("tabled.o"));
    let mut session = Session::read(&front, Maker::FrontEnd).expect("our own bitcode");
    session.strip_debug();
    session.optimise(how, 2).expect("passes");
    session.emit(&plain, how).expect("code generation");
    let mut session = Session::read(&front, Maker::FrontEnd).expect("our own bitcode");
    let module = session.snapshot();
    let blocks = module.functions.values().flat_map(|function| function.blocks.values());
    let block_of: Vec<u32> = (blocks.zip(0..))
        .flat_map(|(block, number)| std::iter::repeat_n(number, block.instructions.len()))
        .collect();
    session.identify_mapped(true);
    session.optimise(how, 2).expect("passes");
    session.emit_sampled(&tabled, how, opcost_key::Hash128(7), &block_of).expect("code generation");
    let (plain, sampled) = (sections(&plain), sections(&tabled));
    assert_eq!(plain.len(), sampled.len());
    for (left, right) in plain.iter().zip(&sampled) {
        assert!(left == right, "section {} differs", left.0);
    }
    let (mut machine, mut without, mut copied) = (0u64, 0u64, 0u64);
    for (_, rows) in code_table(&tabled) {
        for (_, number, block, count, factor, _) in rows {
            assert!(number == 0 || block == block_of[number as usize - 1] + 1);
            machine += u64::from(count);
            without += if block == 0 { count.into() } else { 0 };
            copied += if factor > 1 { count.into() } else { 0 };
        }
    }
    assert!(machine > 150_000 && copied > 200, "{copied} of {machine}");
    assert!(without * 10 < machine, "{without} of {machine} without a block");
}

#[test]
fn our_machine_code_is_clangs() {
    let folder = scratch();
    let source = folder.path().join("a.c");
    let text = "double f(double a, double b, double c) { return a * b + c; }\n\
                int g(const char *s) { int n = 0; while (*s++) n++; return n; }\n\
                int h(int k) { switch (k) { case 1: return 7; case 2: return 9; case 3: return 4; case 9: return 1; } return k; }\n";
    std::fs::write(&source, text).expect("written");
    let (bitcode, theirs, ours) =
        (folder.path().join("a.bc"), folder.path().join("theirs.o"), folder.path().join("ours.o"));
    clang(&["-O2", "-c", "-emit-llvm"], &source, &bitcode);
    clang(&["-O2", "-c"], &source, &theirs);
    emit(&bitcode, &ours, |_| {});
    assert_eq!(sections(&theirs), sections(&ours));
}

/// Vectors, libraries, jump tables, calls to `memset`: all that a small source
/// does not ask for.
#[test]
fn sqlites_machine_code_is_clangs() {
    let folder = scratch();
    let bitcode = SQLITE.path().join("sqlite.bc");
    let (theirs, ours) = (folder.path().join("theirs.o"), folder.path().join("ours.o"));
    // No pass of -O2 runs twice: only code generation is clang's here.
    clang(&["-O2", "-c", "-Xclang", "-disable-llvm-passes"], &bitcode, &theirs);
    emit(&bitcode, &ours, |_| {});
    let (theirs, ours) = (sections(&theirs), sections(&ours));
    assert_eq!(theirs.len(), ours.len());
    for (left, right) in theirs.iter().zip(&ours) {
        assert!(left == right, "section {} differs", left.0);
    }
}

/// This program is linked with all hooks but one (`build.rs`).
#[test]
fn a_hook_that_does_not_fire_is_an_error_and_is_named() {
    let folder = scratch();
    let (source, object) = (folder.path().join("f.ll"), folder.path().join("f.o"));
    let text = "target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @f(i32 %a) {\n  ret i32 %a\n}\n";
    std::fs::write(&source, text).expect("a file");
    let session = Session::read(&source, Maker::Anyone).expect("a module");
    session.identify();
    let request = LifeRequest { numbers: vec![1], ..LifeRequest::default() };
    let how = Emission { level: 2, ..Emission::default() };
    let error = session.record(&object, how, Some(2), Some(&request)).expect_err("a hook is silent");
    let said = error.to_string();
    assert!(
        said.contains("do not fire, and stages would be empty: SelectionDAG::LegalizeVectors ("),
        "{said}"
    );
    assert!(!object.exists(), "nothing is half-written");
}
