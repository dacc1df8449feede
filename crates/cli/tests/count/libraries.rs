//! Programs of several images, and objects that were built apart.

use crate::harness::{Bench, Counted, corpus};

fn part(name: &str) -> std::path::PathBuf {
    corpus().join("parts").join(name)
}

fn build(bench: &Bench, arguments: &[&str]) {
    bench.opcost(arguments).expect(0);
}

/// By hand: sum 100 steps; throw: 2 of 5 throw, 5 + 3 steps; call: 3 of 6
/// throw, 3 steps; jump 4; exit 1.
fn check_plugin(counted: &Counted) {
    let counts = counted.counts();
    assert!(counts.is_exact(), "{:?}", counts.reasons());
    assert_eq!(counted.output.stdout, "4950 12\n");
    assert_eq!(counts.0["program_status"]["exit"].as_i64(), Some(7));
    let wanted = [
        ("plugin_sum", 1),
        ("plugin_throw", 5),
        ("plugin_call", 6),
        ("plugin_jump", 4),
        ("plugin_exit", 1),
        ("step()", 100 + 8 + 3 + 4 + 1),
        ("Guard::~Guard()", 11),
        ("back(int)", 6),
        ("caught()", 9),
    ];
    for (name, calls) in wanted {
        assert_eq!(counts.calls(name), calls, "{name}");
    }
}

fn loaded(placement: &str, anchor: &str) -> Counted {
    let bench = Bench::new();
    let plugin = part("plugin.cpp");
    let shape = ["--placement", placement, "--anchor", anchor];
    let mut emit = vec!["count", "--emit", "shared", "-o", "plugin.so"];
    emit.extend(shape);
    emit.push(plugin.to_str().expect("UTF-8"));
    build(&bench, &emit);
    let mut flags = vec!["-D", "LOADS"];
    flags.extend(shape);
    bench.count(&flags, &[part("host.cpp")], &[bench.path("plugin.so").display().to_string()])
}

#[test]
fn a_library_loaded_by_dlopen() {
    let counted = [loaded("chords", "source"), loaded("every-segment", "source")];
    for counted in &counted {
        check_plugin(counted);
    }
    let [chords, every] = counted.each_ref().map(Counted::counts);
    assert_eq!(chords.total(), every.total());
    assert_eq!(chords.functions(), every.functions());
    assert_eq!(chords.blocks(), every.blocks());
}

#[test]
fn a_library_linked_normally() {
    let bench = Bench::new();
    let plugin = part("plugin.cpp");
    let plugin = plugin.to_str().expect("UTF-8");
    build(&bench, &["count", "--emit", "shared", "--anchor", "source", "-o", "libplugin.so", plugin]);
    let path = format!("-Wl,-rpath,{}", bench.path("").display());
    let flags = ["--anchor", "source", "-L", ".", "-l", "plugin", "--cflag", &path];
    check_plugin(&bench.count(&flags, &[part("host.cpp")], &[]));
    // The library's file given as an input, like an object.
    let flags = ["--anchor", "source", "--cflag", &path];
    check_plugin(&bench.count(&flags, &[part("host.cpp"), bench.path("libplugin.so")], &[]));
}

/// The copy of an inline function that runs is not the one its caller was
/// compiled with: that one cannot throw, this one does.
#[test]
fn an_inline_function_of_another_object() {
    let mut totals = Vec::new();
    for placement in ["chords", "every-segment"] {
        let bench = Bench::new();
        for (name, level) in [("elided_a", "-O0"), ("elided_b", "-O2")] {
            let (source, object) = (part(&format!("{name}.cpp")), format!("{name}.o"));
            let source = source.to_str().expect("UTF-8");
            build(
                &bench,
                &["count", "--emit", "obj", "--placement", placement, level, "-o", &object, source],
            );
        }
        let plain = bench.path("main.cpp");
        std::fs::write(&plain, "").expect("an empty source makes the link a C++ one");
        let inputs = [bench.path("elided_a.o"), bench.path("elided_b.o"), plain];
        let counted = bench.count(&["--placement", placement], &inputs, &[]);
        let counts = counted.counts();
        assert!(counts.is_exact(), "{:?}", counts.reasons());
        // i = 0..4 are allocated, 5 is refused, 6 to 9 are allocated: 50 - 5 and 10 - 1.
        assert_eq!(counted.output.stdout, "49 109\n", "{}", counted.said());
        assert_eq!(counts.calls("use(int)"), 10);
        totals.push((counts.total(), counts.functions(), counts.blocks()));
    }
    assert_eq!(totals[0], totals[1]);
}

/// Only one module knows that there are threads; the counters of the other
/// are theirs too.
#[test]
fn threads_of_one_module_run_the_code_of_another() {
    let bench = Bench::new();
    let work = "volatile int n = 20000;\n\
                void *work(void *p) { for (int i = 0; i < n; i++) *(volatile int *)p += 1; return 0; }\n";
    let main = "#include <pthread.h>\nvoid *work(void *);\nint main(void) { pthread_t t[4]; int c[4];\n\
                for (int i = 0; i < 4; i++) pthread_create(t + i, 0, work, c + i);\n\
                for (int i = 0; i < 4; i++) pthread_join(t[i], 0); }\n";
    bench.write("work.c", work);
    bench.write("main.c", main);
    for order in [["work.c", "main.c"], ["main.c", "work.c"]] {
        let counted = bench.count(&["--repeat", "5"], &order.map(|name| bench.path(name)), &[]);
        assert!(counted.counts().is_exact(), "{:?}", counted.counts().reasons());
        assert_eq!(counted.counts().calls("work"), 4);
        let blocks = counted.counts().blocks();
        assert!(blocks.iter().any(|(_, _, count)| (80_000..=80_004).contains(count)), "{blocks:?}");
    }
}
