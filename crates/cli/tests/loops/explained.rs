//! What decides a value or a loop, told for programs where it is known.

use serde_json::Value;

use super::{Source, document, opcost};

const COMMON: &str = "program bt
  implicit none
  integer :: grid_points(3), steps, status
  common /constants/ grid_points, steps
  steps = 10
  grid_points(1) = 64
  grid_points(2) = 64
  grid_points(3) = 64
  open(unit=2, file='inputbt.data', status='old', iostat=status)
  if (status == 0) then
    read(2,*) grid_points(1)
    close(2)
  end if
  call adi
end program
subroutine adi
  implicit none
  integer :: grid_points(3), steps, i
  double precision :: u(102)
  common /constants/ grid_points, steps
  common /fields/ u
  do i = 1, grid_points(1)
    u(i) = u(i) * 2.0d0
  end do
end subroutine
";

/// The document of an explanation, held against its schema.
fn explained(arguments: &[&str]) -> Vec<Value> {
    document("explain", arguments)["things"].as_array().expect("things").clone()
}

/// A bound that arrives through COMMON and a READ ends at the file's name, and
/// at what it is if that cannot be read.
#[test]
fn a_bound_through_common_and_a_read_ends_at_the_file() {
    let source = Source::new("bt.f90", COMMON);
    for level in ["-O1", "-O2"] {
        let things = explained(&[level, &format!("{}:22", source.path)]);
        let ends = things.iter().find(|thing| thing["what"] == "what ends the loop").expect("a loop");
        let inputs = ends["inputs"].to_string();
        assert!(
            inputs.contains("the READ at line 11 of inputbt.data")
                && (level == "-O2" || inputs.contains("64, unless")),
            "{level}: {inputs}"
        );
    }
}

#[test]
fn a_number_of_the_command_line_is_told_with_the_way_it_came() {
    let text = "#include <stdlib.h>\nint g(int);\nint main(int argc, char **argv) {\n  int n = atoi(argv[1]);\n  for (int i = \
                0; i < n; i++)\n    g(i);\n  return 0;\n}\n";
    let source = Source::new("argument.c", text);
    let things = explained(&["-O0", &format!("{}:5", source.path)]);
    let ends = things.iter().find(|thing| thing["what"] == "what ends the loop").expect("a loop");
    assert_eq!(ends["inputs"], serde_json::json!(["argv[1]: through atoi"]), "{ends:#}");
    assert_eq!(ends["iterations"], "max(0, n)");
}

/// Graphs in which parts are shared are drawn too: every node once, every edge.
#[test]
fn a_graph_with_shared_parts_is_drawn_whole() {
    let text = "int g[1000];\nint main(int n, char **w) {\n  for (int k = 1; k < n; k *= 2) g[k % 1000] = k + n * k;\n  return \
                g[1];\n}\n";
    let source = Source::new("shared.c", text);
    let line = format!("{}:3", source.path);
    for level in ["-O0", "-O1", "-O2"] {
        let things = explained(&[level, &line]);
        let count =
            |key: &str| things.iter().map(|thing| thing[key].as_array().map_or(0, Vec::len)).sum::<usize>();
        let path = |name: &str| source.place.at(name);
        let (dot, svg) = (path("a.dot"), path("a.svg"));
        opcost(&["explain", level, "--dot", &dot, "--svg", &svg, &line]).expect(0);
        let (dot, svg) = (std::fs::read_to_string(dot).unwrap(), std::fs::read_to_string(svg).unwrap());
        assert_eq!(dot.matches(" -> ").count(), count("edges"), "{level}");
        assert_eq!(svg.matches("<path ").count(), count("edges"), "{level}");
        assert_eq!(svg.matches("class=\"box\"").count(), count("nodes"), "{level}");
    }
}

/// A function that was inlined is explained once.
#[test]
fn what_reads_the_same_is_told_once() {
    let text = "int g(int);\nint f(int n) {\n  for (int i = 0; i < 700; i++)\n    g(i);\n  return n;\n}\nint main(int argc, char \
                **argv) {\n  return f(argc);\n}\n";
    let source = Source::new("twice.c", text);
    let output = opcost(&["explain", "-O2", &format!("{}:3", source.path)]);
    let shown = &output.stdout;
    assert_eq!(shown.matches("what ends the loop").count(), 1, "{shown}");
    assert!(shown.contains("the same in ") && shown.contains("its body runs"), "{shown}");
}
