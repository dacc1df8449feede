//! Files that are cut off, of another build, or none; and wrong use.

use super::{Place, histogram, the_loop};

const SOURCE: &str = "volatile int sink;\nint main(void) {\n  for (int k = 0; k < 5; k++)\n    for (int i = 0; i < k; i++) sink = i;\n}\n";

fn built(place: &Place, source: &str, program: &str) {
    place.opcost(&["values", "--trip-counts", "-O0", "--emit", "exe", "-o", program, source]).expect(0);
}

#[test]
fn what_was_kept_is_read_again() {
    let place = Place::new();
    let source = place.write("a.c", SOURCE);
    built(&place, &source, "a");
    let (first, _) = place.values(&["--keep", "run", "./a"]);
    let (again, _) = place.values(&["--read", "run", "./a"]);
    assert_eq!(first["loops"], again["loops"]);
    assert_eq!(histogram(the_loop(&again, 4)), [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]);
}

#[test]
fn a_file_of_another_build_is_refused() {
    let place = Place::new();
    let source = place.write("a.c", SOURCE);
    built(&place, &source, "a");
    let (_, status) = place.values(&["--keep", "run", "./a"]);
    assert_eq!(status, 0);
    let other = place.write("a.c", SOURCE.replace("int main", "\nint main"));
    built(&place, &other, "b");
    let refused = place.opcost(&["values", "--read", "run", "./b"]);
    assert_eq!(refused.status, 1);
    let said = &refused.stderr;
    assert!(said.contains("another build of ./b") && said.contains("record it again"), "{said}");
}

#[test]
fn a_file_that_is_cut_off_says_so_or_is_refused() {
    let place = Place::new();
    let source = place.write("a.c", SOURCE);
    built(&place, &source, "a");
    place.values(&["--keep", "run", "./a"]);
    let file = std::fs::read_dir(place.path("run")).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    for length in [0, 7, 100, 8191, 8200, 9000, 20_000, 50_000] {
        place.write("cut.opcval", &whole[..length]);
        let output = place.opcost(&["values", "--read", "cut.opcval", "./a"]);
        let said = &output.stderr;
        match output.status {
            0 => assert!(said.contains("cut off"), "{length}: {said}"),
            1 => assert!(said.contains("cut.opcval: ") && said.contains("it"), "{length}: {said}"),
            other => panic!("{length}: {other:?} {said}"),
        }
        assert!(!said.contains("panicked"), "{length}: {said}");
    }
}

#[test]
fn wrong_use_says_what_to_do() {
    let place = Place::new();
    let source = place.write("a.c", SOURCE);
    let cases: [(&[&str], &str); 4] = [
        (&["values", &source], "--trip-counts"),
        (&["values", "--read", "run", "--trip-counts", &source], "--emit exe"),
        (&["values", "--function", "nothing", &source], "no function is called 'nothing'"),
        (&["values", "--trip-counts", "/bin/true"], "records no values"),
    ];
    for (arguments, expected) in cases {
        let output = place.opcost(arguments);
        let said = &output.stderr;
        assert_eq!(output.status, 2, "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn a_program_without_lines_is_told_by_its_blocks() {
    let place = Place::new();
    let source = place.write("a.c", SOURCE);
    place.tool("clang-22", &["-O1", "-c", "-emit-llvm", "-o", "a.bc", &source]);
    let (document, status) = place.values(&["--trip-counts", "a.bc"]);
    assert_eq!(status, 0);
    for one in document["loops"].as_array().unwrap() {
        assert!(one["line"].is_null() && !one["header"].as_str().unwrap().is_empty(), "{one:#}");
    }
}
