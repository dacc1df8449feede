//! Is everything of a program's build counted, or said not to be?
//!
//! Parts are built by other compilers and linkers, as builds in the world are: an object, a library, a
//! library whose objects have counters, one of libtool, C code of a build script. What is complete says
//! nothing.

use opcost_testkit::command::{ProgramOutput, Workplace};
use serde_json::Value;

const UTIL: &str = "unsigned mix(unsigned n) {\n  unsigned s = 1;\n  for (unsigned i = 0; i < n; i++) s = s * 31 + (i ^ s >> 3);\n  return s;\n}\n";
const MAIN: &str = "#include <stdio.h>\nunsigned mix(unsigned n);\nint main(void) {\n  printf(\"%u\\n\", mix(1000));\n  return 0;\n}\n";

fn parts() -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("util.c", UTIL);
    place.write("main.c", MAIN);
    place
}

/// Runs lines of a shell, in which `opcost` is ours.
fn shell(place: &Workplace, lines: &str) {
    place.shell(&lines.replace("opcost", env!("CARGO_BIN_EXE_opcost"))).expect(0);
}

/// What a count says is missing: names and reasons.
fn missing(document: &Value) -> Vec<(String, String)> {
    let parts = document["not_counted"].as_array().cloned().unwrap_or_default();
    let text = |part: &Value, name: &str| part[name].as_str().expect("a text").to_owned();
    parts.iter().map(|part| (text(part, "what"), text(part, "reason"))).collect()
}

fn counted(place: &Workplace, words: &[&str]) -> (ProgramOutput, Value) {
    let said = place.opcost(&[&["count", "--json", "a.json"], words].concat()).expect(0);
    (said, place.json("a.json"))
}

#[test]
fn an_object_of_another_compiler() {
    let place = parts();
    let (_, whole) = counted(&place, &["main.c", "util.c"]);
    assert_eq!(missing(&whole), [], "all of it is counted");
    shell(&place, "cc -O2 -c util.c");
    let (said, part) = counted(&place, &["main.c", "util.o"]);
    let [(what, reason)] = &missing(&part)[..] else { panic!("{part:#}") };
    assert!(what.contains("mix (1 call)") && reason.contains("compiled without counters"), "{part:#}");
    said.expect_stderr(&["not counted: mix (1 call): ", "give its source"]);
    assert!(part["total"].as_u64() < whole["total"].as_u64());
}

#[test]
fn a_library_without_counters() {
    let place = parts();
    shell(
        &place,
        "cc -O2 -fPIC -shared -o libmix.so util.c && opcost cc main.c -L. -lmix -Wl,-rpath,'$ORIGIN' -o prog",
    );
    let (_, json) = counted(&place, &["./prog"]);
    let [(what, reason)] = &missing(&json)[..] else { panic!("{json:#}") };
    assert!(what == "libmix.so" && reason.contains("was built without counters"), "{json:#}");
    // The same with counters, by opcost's linker.
    shell(&place, "opcost cc -O2 -fPIC -shared -o libmix.so util.c");
    let (_, json) = counted(&place, &["./prog"]);
    assert_eq!(missing(&json), []);
}

#[test]
fn a_library_that_another_linker_made_of_counted_objects() {
    let place = parts();
    shell(&place, "opcost cc -O2 -fPIC -c util.c && cc -shared -o libmix.so util.o");
    shell(&place, "opcost cc main.c -L. -lmix -Wl,-rpath,'$ORIGIN' -o prog");
    let (said, json) = counted(&place, &["./prog"]);
    let [(what, reason)] = &missing(&json)[..] else { panic!("{json:#}") };
    assert!(what == "libmix.so" && reason.contains("has counters and wrote none"), "{json:#}");
    said.expect_stderr(&["link it by opcost cc -shared"]);
}

/// The folders that libtool makes, with the library of the system in another one.
#[test]
fn a_library_that_ran_in_place_of_the_one_that_was_built() {
    let place = parts();
    shell(
        &place,
        "mkdir -p lib/.libs src/.libs system && cc -O2 -fPIC -shared -o system/libmix.so.1 util.c -Wl,-soname,libmix.so.1",
    );
    shell(&place, "opcost cc -O2 -fPIC -shared -o lib/.libs/libmix.so.1 util.c -Wl,-soname,libmix.so.1");
    shell(&place, "opcost cc main.c lib/.libs/libmix.so.1 -Wl,-rpath,$PWD/system -o src/.libs/prog");
    let (said, json) = counted(&place, &["src/.libs/prog"]);
    let [(what, reason)] = &missing(&json)[..] else { panic!("{json:#}") };
    assert!(what.ends_with("lib/.libs/libmix.so.1") && reason.contains("ran in its place"), "{json:#}");
    said.expect_stderr(&["libtool --mode=execute opcost count"]);
}

#[test]
fn c_code_of_a_build_script() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let manifest =
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n";
    place.write("Cargo.toml", manifest);
    std::fs::create_dir_all(place.path("src")).expect("a folder");
    place.write("src/mix.c", UTIL);
    place.write(
        "src/main.rs",
        "unsafe extern \"C\" { fn mix(n: u32) -> u32; }\nfn main() { println!(\"{}\", unsafe { mix(1000) }); }\n",
    );
    place.write(
        "build.rs",
        "use std::process::Command;
fn main() {
    let out = std::env::var(\"OUT_DIR\").unwrap();
    let compiler = std::env::var(\"CC\").unwrap_or(\"cc\".to_owned());
    let mut words = compiler.split(' ');
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args([\"-O2\", \"-fPIC\", \"-c\", \"src/mix.c\", \"-o\"]).arg(format!(\"{out}/mix.o\"));
    assert!(command.status().unwrap().success());
    let archive = Command::new(\"ar\").arg(\"crs\").args([format!(\"{out}/libmix.a\"), format!(\"{out}/mix.o\")]).status();
    assert!(archive.unwrap().success());
    println!(\"cargo:rustc-link-search=native={out}\\ncargo:rustc-link-lib=static=mix\");
    println!(\"cargo:rerun-if-env-changed=CC\");
}
",
    );
    let cargo = |compiler: Option<&str>| {
        let mut command = place.program(env!("CARGO_BIN_EXE_cargo-opcost"));
        if let Some(compiler) = compiler {
            command.env("CC", compiler);
        }
        let words = ["opcost", "count", "--offline", "--json", "a.json"];
        let said = ProgramOutput::of(command.current_dir(place.path("")).args(words)).expect(0);
        (said, place.json("a.json"))
    };
    let (said, part) = cargo(None);
    let [(what, reason)] = &missing(&part)[..] else { panic!("{part:#}") };
    assert!(what.contains("mix (1 call)") && reason.contains("build script"), "{part:#}");
    said.expect_stderr(&["not counted: mix (1 call)", "CC=\"opcost cc\""]);
    let (_, whole) = cargo(Some(&format!("{} cc", env!("CARGO_BIN_EXE_opcost"))));
    assert_eq!(missing(&whole), [], "{whole:#}");
    assert!(whole["total"].as_u64() > part["total"].as_u64().map(|total| total + 1000));
}
