//! Does who links learn that a run with threads would be refused?

use opcost_testkit::command::Workplace;

const STARTS: &str = "#include <pthread.h>\nvoid *work(void *);\nint main(void) {\n  pthread_t one;\n  \
    pthread_create(&one, 0, work, 0);\n  return pthread_join(one, 0);\n}\n";
const WORKS: &str = "void *work(void *p) {\n  for (volatile int i = 0; i < 9; i++) {}\n  return p;\n}\n";

/// Who links knows that a run would be refused.
#[test]
fn counters_that_threads_would_share_are_reported_at_the_link() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("starts.c", STARTS);
    place.write("works.c", WORKS);
    let build = |how: &str, link: &str| {
        format!("{how} $OPCOST cc -c starts.c works.c && {how} $OPCOST cc {link} starts.o works.o -o a")
    };
    let words = ["works.o count one thread only", "OPCOST_THREADS=1"];
    for link in ["-pthread", "-lpthread", ""] {
        place.shell(&build("", link)).expect(0).expect_stderr(&words);
        place.opcost(&["count", "./a"]).expect(1).expect_stderr(&["OPCOST_THREADS=1"]);
    }
    for how in ["OPCOST_THREADS=1", "CFLAGS= OPCOST_THREADS=1"] {
        let said = place.shell(&build(how, "-pthread")).expect(0);
        assert!(!said.all().contains("one thread only"), "{}", said.all());
        place.opcost(&["count", "./a"]).expect(0).expect_stderr(&["exact"]);
    }
    place.shell(&build("OPCOST_THREADS=0", "-pthread")).expect(0).expect_stderr(&words);
    place
        .shell(&build("OPCOST_THREADS=yes", "-pthread"))
        .expect(2)
        .expect_stderr(&["OPCOST_THREADS is 'yes'"]);
    // One thread: nothing is to be said.
    place.write("one.c", "void *work(void *);\nint main(void) { return work(0) != 0; }\n");
    for line in ["works.c -shared -fPIC -o w.so", "one.c works.c -o one", "one.c works.c -lm -static -o one"]
    {
        let quiet = place.shell(&format!("$OPCOST cc {line}")).expect(0);
        assert!(!quiet.all().contains("warning"), "{line}: {}", quiet.all());
    }
}

/// A timer may call the program in a thread, and `parallel if` starts threads by a function of its own.
#[test]
fn threads_that_begin_in_libraries_have_counters_of_their_own() {
    let document = super::json("count timer_thread.c");
    let functions = document["functions"].as_array().expect("functions");
    let work = functions.iter().find(|one| one["name"] == "work").expect("it ran");
    assert_eq!(work["calls"], 2, "{document}");

    let place = super::cases();
    let line = "$OPCOST cc -c parallel_if.ll -o p.o && $OPCOST cc p.o -fopenmp -o p";
    let said = place.shell(line).expect(0);
    assert!(!said.all().contains("one thread only"), "{}", said.all());
    place.shell("OMP_NUM_THREADS=2 $OPCOST count ./p").expect(0).expect_stderr(&["exact", "2 calls"]);
}
