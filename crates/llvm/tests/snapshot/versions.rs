//! What versions of functions are made of: sums side by side, objects that moved, recursions that were inlined.
//!
//! That results stay what they were is tested with whole programs (`opcost run --stress`). This shows that there is
//! something to test: the text of a version says what was done, and to which functions it was not.

use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_key::live::{ReplaceableFunction, VersionPlan};
use opcost_llvm::{Basis, Emission, Maker, Position, Session};

use super::{clang, scratch};

const HOW: Emission = Emission {
    level: 3,
    position: Position::Fixed,
    function_sections: false,
    data_sections: false,
    allocate_registers: false,
};

/// A sum of products, of a vector.
const ADDITION: &str = "@llvm.fmuladd.v";

/// A program of `corpus/run` of which versions can be made.
struct Prepared {
    folder: tempfile::TempDir,
    functions: Vec<ReplaceableFunction>,
}

impl Prepared {
    fn of(name: &str) -> Prepared {
        let folder = scratch();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/run").join(name);
        let bitcode = folder.path().join("front.bc");
        clang(&["-O2", "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm"], &source, &bitcode);
        let mut session = Session::read(&bitcode, Maker::FrontEnd).expect("a module");
        session.simplify(HOW).expect("a machine");
        session.share(0);
        session.write(&folder.path().join("basis.bc")).expect("room");
        let functions = session.add_checks(true).expect("checks");
        Prepared { folder, functions }
    }

    fn function(&self, name: &str) -> &ReplaceableFunction {
        let symbol = |one: &&ReplaceableFunction| one.symbol.contains(name);
        self.functions.iter().find(symbol).unwrap_or_else(|| panic!("there is no {name}"))
    }

    /// The text of a version, at a level of the optimiser; 0 is before it.
    fn version(&self, plan: &VersionPlan, level: u8) -> String {
        let basis = Basis::read(&self.folder.path().join("basis.bc")).expect("its names");
        let mut session = basis.version(plan).expect("a version").session;
        if level > 0 {
            session.optimise_version(HOW, level).expect("a machine");
        }
        text(&session, self.folder.path().join("version.bc"))
    }

    fn entry(&self, name: &str, level: u8) -> String {
        let symbol = self.function(name).symbol.clone();
        self.version(&VersionPlan { symbol, has_entry: true, ..VersionPlan::default() }, level)
    }

    /// Objects that the continuation from a function's first header has for itself.
    fn moved(&self, name: &str) -> usize {
        let function = self.function(name);
        let header = function.loops.iter().find(|one| one.depth == 1).expect("a loop").block;
        let plan =
            VersionPlan { symbol: function.symbol.clone(), headers: vec![header], ..VersionPlan::default() };
        self.version(&plan, 0).matches("llvm.memcpy.p0.p0.i64(ptr align").count()
    }
}

fn text(session: &Session, bitcode: PathBuf) -> String {
    session.write(&bitcode).expect("room");
    let written =
        Command::new("llvm-dis-22").arg(&bitcode).args(["-o", "-"]).output().expect("llvm-dis starts");
    String::from_utf8(written.stdout).expect("text")
}

#[test]
fn sums_are_made_of_vectors_where_nothing_is_written_that_they_read() {
    let program = Prepared::of("sums.c");
    for name in ["product", "by_pointers", "single"] {
        let version = program.entry(name, 3);
        assert!(version.contains(ADDITION) || version.contains("fadd <"), "{name}: {version}");
        assert!(!version.contains("unroll_and_jam"), "{name} still has the request");
    }
    // Later rows read what earlier ones wrote.
    let version = program.entry("in_itself", 3);
    assert!(!version.contains(ADDITION) && !version.contains("fadd <"), "{version}");
}

#[test]
fn objects_move_whose_address_nobody_else_has() {
    let program = Prepared::of("frames.c");
    let moved = ["alone", "captured", "pointed", "linked", "nested"].map(|name| program.moved(name));
    assert_eq!(moved, [2, 1, 1, 0, 2]);
}

#[test]
fn recursions_hold_themselves() {
    let program = Prepared::of("recursion.cpp");
    // f(n - 1) + f(n - 2) is f(n - 2) + 2 f(n - 3) + f(n - 4): three calls, after the line that defines it.
    let version = program.entry("fibonacci", 3);
    assert_eq!(version.matches("@opc.entry(").count(), 1 + 3, "{version}");
    for (name, levels) in [("fibonacci", 1), ("ackermann", 1), ("hanoi", 2), ("is_odd", 0)] {
        let made = program.entry(name, 0).matches("define internal").count();
        assert_eq!(made, levels, "{name}");
    }
}
