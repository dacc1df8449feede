//! Does a program with a version in its arena do what one does that was linked with it?

use opcost_live::frames::redirect;

use crate::tools::{Folder, imports, replaced, source};

/// A program of `main.cpp` and one version of `work`.
struct Case<'a> {
    file: &'a str,
    /// How the first version is compiled, and the program is linked.
    first: &'a str,
    linking: &'a str,
}

fn compile(folder: &Folder, file: &str, version: u32, options: &str) -> Vec<u8> {
    folder.object(file, &source(file), &format!("-DV={version} {options}"))
}

/// Links `main.cpp` and the object `work`; the file of the program.
fn program(folder: &Folder, linking: &str, work: &[u8]) -> Vec<u8> {
    folder.write("work.o", work);
    let imports = (0..).map(|number| format!("imports{number}.s.o"));
    let imports: Vec<_> = imports.take_while(|name| folder.path(name).exists()).collect();
    let imports = imports.join(" ");
    folder.run(&format!("clang++-22 -no-pie main.cpp.o work.o arena.s.o {imports} {linking} -lm -o program"));
    folder.read("program")
}

fn said_by(folder: &Folder, program: &[u8]) -> String {
    folder.write_program("patched", program);
    folder.run("./patched")
}

/// Replaces `work` by the second version as each of `versions` compiles it.
fn check(case: &Case<'_>, versions: &[&str]) {
    let folder = Folder::new();
    folder.object("arena.s", &source("arena.s"), "");
    folder.object("main.cpp", &source("main.cpp"), case.first);
    let first = compile(&folder, case.file, 1, case.first);
    let second = compile(&folder, case.file, 2, case.first);
    let objects: Vec<_> = versions.iter().map(|options| compile(&folder, case.file, 2, options)).collect();
    for (number, object) in objects.iter().enumerate() {
        folder.object(&format!("imports{number}.s"), &imports(object), "");
    }
    let expected = {
        let program = program(&folder, case.linking, &second);
        said_by(&folder, &program)
    };
    let program = program(&folder, case.linking, &first);
    assert_ne!(said_by(&folder, &program), expected);
    // A version that is replaced at once, so that the other one is not the first.
    let third = compile(&folder, case.file, 3, versions[0]);
    for (object, options) in objects.iter().zip(versions) {
        let said = said_by(&folder, &replaced(&program, &[&third, object]));
        assert_eq!(said, expected, "{} {} / {options} / {}", case.file, case.first, case.linking);
    }
}

const LINKINGS: [&str; 3] = ["-fuse-ld=lld -Wl,-z,now", "-fuse-ld=bfd -Wl,-z,now", STATIC];
/// GNU ld puts some code of the static C library above the sections that it does not know.
const STATIC: &str = "-static -Wl,--section-start=.opcost.arena=0x10000000";

#[test]
fn versions_in_c() {
    for linking in LINKINGS {
        check(
            &Case { file: "work.c", first: "-O1 -fno-pic", linking },
            &[
                "-O0 -fno-pic",
                "-O2 -fno-pic -ffunction-sections",
                "-O3 -fPIE -march=native",
                "-O1 -fPIE",
                "-Os -fno-pic",
            ],
        );
    }
}

#[test]
fn versions_in_c_of_a_position_independent_program() {
    for linking in LINKINGS {
        let first = "-O1 -fPIE";
        check(&Case { file: "work.c", first, linking }, &["-O0 -fPIE", "-O3 -fPIE", "-O2 -fPIE -fno-plt"]);
        let first = "-O1 -fPIC -DNO_THREADS";
        let versions = ["-O2 -fPIC -DNO_THREADS", "-O0 -fPIC -fno-plt -DNO_THREADS"];
        check(&Case { file: "work.c", first, linking }, &versions);
    }
}

/// Without the table that grows, an exception does not find its way. So the other tests test it.
#[test]
fn exceptions_need_the_table_that_grows() {
    let folder = Folder::new();
    folder.object("arena.s", &source("arena.s"), "");
    folder.object("main.cpp", &source("main.cpp"), "-O1");
    let text =
        "extern \"C\" int work(int x) { try { if (x == 3) throw 1; } catch (int) { return V; } throw x; }";
    let objects = [1, 2].map(|version| folder.object("v.cpp", text, &format!("-DV={version} -O1 -fno-pic")));
    let file = program(&folder, "-Wl,-z,now", &objects[0]);
    let facts = opcost_live::LiveProgram::read(&file).unwrap();
    let mut version = replaced(&file, &[&objects[1]]);
    assert!(said_by(&folder, &version).contains("\n3: 2\n4: int 4\n"));
    let header = facts.exception_header().unwrap();
    redirect(&mut version, header.address, header.bytes.len() as u64).unwrap();
    folder.write_program("patched", &version);
    let output = std::process::Command::new(folder.path("patched")).output().unwrap();
    assert!(!output.status.success());
}

/// With exceptions of the version, of the program and of the library, through all of them.
#[test]
fn versions_in_cpp_throw_and_catch() {
    for linking in LINKINGS {
        check(
            &Case { file: "work.cpp", first: "-O0 -fno-pic", linking },
            &["-O0 -fno-pic", "-O2 -fno-pic -ffunction-sections", "-O3 -fno-pic"],
        );
        check(
            &Case { file: "work.cpp", first: "-O0 -fPIC", linking },
            &["-O0 -fPIC", "-O1 -fPIE -ffunction-sections", "-O3 -fPIC", "-O2 -fPIC -fno-plt"],
        );
    }
}

#[test]
fn versions_in_fortran() {
    let resources = Folder::new().run("clang-22 -print-resource-dir");
    let library = format!("{}/lib/x86_64-pc-linux-gnu/libflang_rt.runtime.a", resources.trim());
    for linking in ["-fuse-ld=lld -Wl,-z,now", STATIC] {
        let linking = &format!("{library} {linking}");
        let versions = ["-O0", "-O2", "-O3", "-O3 -fno-pic"];
        check(&Case { file: "work.f90", first: "-O1", linking }, &versions);
    }
}

/// Rust compiles a library for the first version, and an object for the second.
#[test]
fn versions_in_rust_panic_and_catch() {
    let compile = |folder: &Folder, version: &str, options: &str| {
        folder.write("work.rs", source("work.rs").replace("VERSION", version));
        folder.run(&format!("rustc --edition 2024 --crate-name work --crate-type staticlib -Ccodegen-units=1 {options} work.rs"));
    };
    for (linking, model) in LINKINGS.iter().flat_map(|&linking| [(linking, "static"), (linking, "pic")]) {
        let folder = Folder::new();
        folder.object("arena.s", &source("arena.s"), "");
        folder.object("main.cpp", &source("main.cpp"), "-O1 -fPIE");
        let model = format!("-Crelocation-model={model}");
        compile(&folder, "2", &format!("-O {model} -o work.o"));
        let expected = {
            let program = program(&folder, linking, &folder.read("work.o"));
            said_by(&folder, &program)
        };
        compile(&folder, "1", &format!("-O {model} -o work.o"));
        let program = program(&folder, linking, &folder.read("work.o"));
        assert_ne!(said_by(&folder, &program), expected);
        for level in ["-Copt-level=1", "-Copt-level=3"] {
            compile(&folder, "2", &format!("{level} {model} --emit obj -o version.o"));
            let said = said_by(&folder, &replaced(&program, &[&folder.read("version.o")]));
            assert_eq!(said, expected, "{linking} {model} {level}");
        }
    }
}

/// Only the loader knows where a library's thread-local variables are.
#[test]
fn thread_locals_of_libraries() {
    let folder = Folder::new();
    folder.object("library.c", "_Thread_local int far = 9;", "-fPIC");
    folder.run("clang-22 -shared library.c.o -o library.so");
    folder.object("arena.s", &source("arena.s"), "");
    folder.object("main.cpp", &source("main.cpp"), "-O1");
    let text = "extern _Thread_local int far; int work(int x) { return far += x + V; }";
    let first = folder.object("far.c", text, "-DV=1 -O1 -fPIE");
    let second = folder.object("far.c", text, "-DV=2 -O0 -fPIE");
    for linker in ["lld", "bfd"] {
        let linking = format!("library.so -Wl,-rpath,{} -fuse-ld={linker}", folder.path("").display());
        let expected = {
            let program = program(&folder, &linking, &second);
            said_by(&folder, &program)
        };
        let program = program(&folder, &linking, &first);
        assert_ne!(said_by(&folder, &program), expected);
        assert_eq!(said_by(&folder, &replaced(&program, &[&second])), expected);
    }
}
