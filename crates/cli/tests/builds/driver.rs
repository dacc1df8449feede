//! One command line of a compiler: does opcost do what clang does?

use opcost_testkit::command::ProgramOutput;

use crate::support::{ADD, Bench, MAIN};

/// Runs the same words by clang and by opcost in two equal folders.
fn both(files: &[(&str, &str)], words: &[&str]) -> [(Bench, ProgramOutput); 2] {
    let (clang, ours) = (Bench::new(files), Bench::new(files));
    let by_clang = ProgramOutput::of(clang.program("clang-22").args(words));
    let mut arguments = vec!["cc"];
    arguments.extend(words);
    let by_us = ours.opcost(&arguments);
    [(clang, by_clang), (ours, by_us)]
}

fn names(bench: &Bench) -> Vec<String> {
    let entries = std::fs::read_dir(bench.path("")).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn files_status_and_words_are_clangs() {
    let broken = ("broken.c", "int main(void) { return nope; }\n");
    let files = [ADD, MAIN, broken, ("words.rsp", "-c \"main.c\" -MD\n"), ("s.s", ".text\nnop\n")];
    let lines: &[&[&str]] = &[
        &["-c", "add.c"],
        &["-c", "add.c", "main.c"],
        &["-c", "main.c", "-o", "m.o", "-MD"],
        &["-c", "main.c", "-MMD", "-MF", "m.dep", "-MT", "here", "-MP"],
        &["add.c", "main.c", "-O2", "-MD", "-o", "prog"],
        &["add.c", "main.c"],
        &["-E", "add.c", "-o", "add.i"],
        &["-S", "add.c"],
        &["-M", "add.c"],
        &["-c", "-emit-llvm", "add.c"],
        &["-fsyntax-only", "add.c"],
        &["@words.rsp"],
        &["-c", "s.s"],
        &["-c", "broken.c"],
        &["-c", "missing.c"],
        &["-c", "broken.c", "add.c"],
        &["main.c", "-o", "unresolved"],
        &["-c", "add.c", "-Wno-nonsense-at-all"],
        &["-c", "add.c", "-fno-such-flag"],
        &["-c", "add.c", "-o", "no/such/folder.o"],
        &["-dumpversion"],
        &["-print-file-name=libc.so"],
        &[],
    ];
    for words in lines {
        let [(clang, by_clang), (ours, by_us)] = both(&files, words);
        assert_eq!(by_us.status, by_clang.status, "{words:?}\n{}", by_us.stderr);
        assert_eq!(by_us.stdout, by_clang.stdout, "{words:?}");
        assert_eq!(names(&ours), names(&clang), "{words:?}");
        for name in names(&clang).iter().filter(|name| name.ends_with(".d") || name.ends_with(".dep")) {
            assert_eq!(ours.read(name), clang.read(name), "{words:?}");
        }
        let is_frontend =
            by_clang.stderr.contains("error: use of") || by_clang.stderr.contains("no such file");
        if is_frontend || by_clang.stderr.is_empty() || by_clang.stderr.contains("-Wunknown-warning-option") {
            assert_eq!(by_us.stderr, by_clang.stderr, "{words:?}");
        }
    }
}

#[test]
fn what_is_compiled_apart_is_counted_together() {
    let bench = Bench::new(&[ADD, MAIN]);
    bench.shell(
        "$OPCOST cc -O1 -c add.c; $OPCOST cc -O1 -c main.c -o deep.o; ar rcs libadd.a add.o; \
         $OPCOST cc -r deep.o -o whole.o; $OPCOST cc whole.o -L. -ladd -o prog; \
         $OPCOST cc -O1 -static main.c add.c -o fixed; $OPCOST cc -O1 -no-pie -fno-pie main.c add.c -o low; \
         $OPCOST cc -O1 -fPIC -shared add.c -o libdyn.so; $OPCOST cc -O1 main.c -L. -ldyn -Wl,-rpath,$PWD -o dyn",
    );
    for program in ["./prog", "./fixed", "./low", "./dyn"] {
        let count = bench.count(&[program]);
        assert_eq!(Bench::calls(&count, "add"), 1, "{program}");
        assert_eq!(count["total"], 5, "{program}");
    }
}

#[test]
fn input_can_be_a_stream_and_output_none() {
    let bench = Bench::new(&[ADD]);
    bench.shell("echo 'int main(void){return 0;}' | $OPCOST cc -x c - -o prog && ./prog");
    bench.shell("$OPCOST cc -c add.c -o /dev/null && test -c /dev/null");
    bench.shell("$OPCOST cc -c add.c -o - > piped.o && $OPCOST cc -r piped.o -o again.o");
    bench.shell(
        "ln -s real.o link.o; touch real.o; $OPCOST cc -c add.c -o link.o; test -L link.o; test -s real.o",
    );
}

#[test]
fn levels_sections_and_debug_information_are_as_asked() {
    let bench = Bench::new(&[ADD, MAIN]);
    bench.shell("$OPCOST cc -O0 add.c main.c -o plain; $OPCOST cc -O1 -g0 add.c main.c -o bare");
    let plain = bench.count(&["./plain"]);
    assert!(plain["total"].as_u64() > Some(5), "-O0 keeps its loads and stores");
    let bare = bench.count(&["./bare"]);
    assert_eq!(bare["total"], 5);
    assert!(bare["lines"].as_array().is_none_or(Vec::is_empty), "-g0 has no lines");
    bench.shell("$OPCOST cc -O1 -ffunction-sections -c add.c && readelf -SW add.o | grep -q '\\.text\\.add'");
    bench.shell("$OPCOST cc -O1 -flto -c add.c && $OPCOST cc -O1 -flto main.c add.o -s -o small 2> notes");
    assert_eq!(bench.count(&["./small"])["total"], 5);
    let notes = bench.read("notes");
    assert!(notes.contains("-flto is not done") && notes.contains("not stripped"), "{notes}");
}

#[test]
fn threads_count_apart_whoever_starts_them() {
    let work = "#include <pthread.h>\nvolatile int n = 2000;\nvoid *work(void *p) { for (int i = 0; i < n; i++) \
                *(volatile int *)p += 1; return 0; }\nint main(void) { pthread_t t[4]; int c[4]; for (int i = 0; i < 4; \
                i++) pthread_create(t + i, 0, work, c + i); for (int i = 0; i < 4; i++) pthread_join(t[i], 0); }\n";
    let bench = Bench::new(&[("work.c", work)]);
    bench.shell("$OPCOST cc -O1 work.c -o declared; $OPCOST cc -O1 -pthread work.c -o asked");
    let totals = ["./declared", "./asked"].map(|program| {
        let count = bench.count(&["--repeat", "3", program]);
        assert_eq!(Bench::calls(&count, "work"), 4);
        count["total"].clone()
    });
    assert_eq!(totals[0], totals[1]);
}

/// Objects built apart cannot know of each other: counts may be lost, so none
/// are given.
#[test]
fn counters_that_threads_share_are_refused() {
    let bench = Bench::new(&[
        (
            "work.c",
            "void *work(void *p) { for (int i = 0; i < 99; i++) *(volatile int *)p += 1; return 0; }\n",
        ),
        (
            "main.c",
            "#include <pthread.h>\nvoid *work(void *);\nint main(void) { pthread_t t; int c; \
             pthread_create(&t, 0, work, &c); pthread_join(t, 0); }\n",
        ),
    ]);
    bench.shell("$OPCOST cc -c work.c; $OPCOST cc -c main.c; $OPCOST cc work.o main.o -o prog");
    let said = bench.opcost(&["count", "./prog"]);
    assert!(said.status == 1 && said.stderr.contains("--threads"), "{}", said.stderr);
    bench.shell("$OPCOST cc -pthread -c work.c; $OPCOST cc work.o main.o -o prog");
    assert_eq!(Bench::calls(&bench.count(&["./prog"]), "work"), 1);
}

#[test]
fn a_named_compiler_is_launched_and_a_name_is_a_compiler() {
    let bench = Bench::new(&[ADD, MAIN]);
    bench.shell("$OPCOST cc gcc -O1 -c add.c; $OPCOST launcher /usr/bin/cc -O1 -c main.c; $OPCOST cc cc add.o main.o -o prog");
    let count = bench.count(&["./prog"]);
    assert_eq!(count["total"], 5);
    assert!(count.to_string().contains("in place of"), "{count}");
    bench.shell(
        "$OPCOST doctor --links bin; bin/opcost-cc -O1 add.c main.c -o named; bin/opcost-c++ --version",
    );
    assert_eq!(bench.count(&["./named"])["total"], 5);
}

#[test]
fn builds_side_by_side_do_not_meet() {
    let sources: Vec<(String, String)> = (0..12)
        .map(|n| (format!("f{n}.c"), format!("int f{n}(int x) {{ return x * {n} + 1; }}\n")))
        .collect();
    let files: Vec<(&str, &str)> =
        sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let bench = Bench::new(&files);
    let calls: String = (0..12).map(|n| format!("int f{n}(int); ")).collect();
    let sum: String = (0..12).map(|n| format!("+ f{n}(1)")).collect();
    bench.write("main.c", format!("{calls}\nint main(void) {{ return 0 {sum} != 78; }}\n").as_bytes());
    bench.write("Makefile", b"prog: $(patsubst %.c,%.o,$(wildcard *.c))\n\t$(CC) $^ -o $@\n");
    bench.shell("make -j8 CC=\"$OPCOST cc\" CFLAGS=-O2");
    let count = bench.count(&["./prog"]);
    assert!((0..12).all(|n| Bench::calls(&count, &format!("f{n}")) == 1));
}
