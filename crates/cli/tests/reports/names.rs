//! Can people read the names of functions, and write what they read?

use opcost_testkit::command::Workplace;

/// Sorts two kinds of vectors by templates that stay functions of their own; nearly all that main
/// does is inlined from headers.
const SORTS: &str = r#"#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
template <class T> __attribute__((noinline)) void order(std::vector<T> &all) { std::sort(all.begin(), all.end()); }
__attribute__((noinline)) int size(std::string const &text) { return text.size(); }
__attribute__((noinline)) int size(std::vector<int> const &all) {
  int sum = 0;
  for (int one : all)
    sum += one & 1;
  return sum;
}
int main() {
  std::vector<int> numbers;
  std::vector<double> parts;
  for (int i = 0; i < 3000; i++) {
    numbers.push_back(i * 7919 % 3001);
    parts.push_back(i * 7919 % 3001);
  }
  order(numbers);
  order(parts);
  std::string text(static_cast<std::size_t>(numbers[7]), 'x');
  std::printf("%d %d %g\n", size(text), size(numbers), parts[5]);
}
"#;

fn workplace() -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("s.cpp", SORTS);
    place.opcost(&["count", "--emit", "exe", "-o", "s", "s.cpp"]).expect(0);
    place
}

#[test]
fn template_arguments_are_folded_in_every_verb_and_whole_on_demand() {
    let place = workplace();
    let run = ["count", "./s", "--top", "40", "--json", "s.json", "--html", "s.html", "--ledger", "s.opc"];
    let counted = place.opcost(&run).expect(0).stderr;
    let reported = place.opcost(&["report", "s.opc", "--top", "40"]).expect(0).all();
    let listed = place.opcost(&["report", "s.opc", "--list", "functions", "--top", "40"]).expect(0).all();
    for text in [&counted, &reported, &listed] {
        // Two functions that would look alike differ by what they are templates of.
        for words in
            ["order<int>(std::vector<…>&)", "order<double>(std::vector<…>&)", "size(std::string const&)"]
        {
            assert!(text.contains(words), "{words} in\n{text}");
        }
        assert!(!text.contains("std::allocator<") && !text.contains("__cxx11"), "{text}");
    }
    let loops = place.opcost(&["loops", "s.cpp"]).expect(0).stdout;
    assert!(
        loops.contains("\nsize(std::vector<…> const&)\n") && !loops.contains("std::allocator<"),
        "{loops}"
    );
    let page = place.read("s.html");
    assert!(page.contains("order&lt;int&gt;(std::vector&lt;…&gt;&amp;)"), "the page has folded names");

    let whole = "void order<int>(std::vector<int, std::allocator<int> >&)";
    let document = place.json("s.json");
    let functions = document["functions"].as_array().expect("functions");
    assert!(functions.iter().any(|function| function["name"] == whole), "documents have whole names");
    let everything = place.opcost(&["count", "./s", "--top", "40", "--full-names"]).expect(0).stderr;
    assert!(everything.contains(whole) && !everything.contains('…'), "{everything}");
    let loops = place.opcost(&["--full-names", "loops", "s.cpp"]).expect(0).stdout;
    assert!(loops.contains("size(std::vector<int, std::allocator<int> > const&)\n"), "{loops}");
}

#[test]
fn what_is_shown_names_a_function() {
    let place = workplace();
    for name in ["size(std::vector<…> const&)", "size(std::vector<...> const&)"] {
        let said = place.opcost(&["count", "./s", "--function", name]).expect(0).stderr;
        assert!(said.contains("sum += one & 1;") && !said.contains("return text.size();"), "{said}");
        let loops = place.opcost(&["loops", "s.cpp", "--function", name]).expect(0).stdout;
        assert!(loops.contains("\nsize(std::vector<…> const&)\n"), "{loops}");
        place.opcost(&["explain", "s.cpp", "--function", name]).expect(0);
    }
    // One name in the source is several functions.
    let said = place.opcost(&["count", "./s", "--function", "size"]).expect(0).stderr;
    assert!(said.contains("sum += one & 1;") && said.contains("return text.size();"), "{said}");
    let said = place.opcost(&["count", "./s", "--function", "order<…>"]).expect(0).stderr;
    assert!(said.contains("order<int>(") && said.contains("order<double>("), "{said}");
    place.opcost(&["count", "./s", "--function", "order<…>x"]).expect(2);
}

#[test]
fn loops_of_a_header_heavy_program_fit_eighty_columns_and_explain_their_signs() {
    let place = workplace();
    let said =
        place.program(env!("CARGO_BIN_EXE_opcost")).env("COLUMNS", "80").args(["loops", "s.cpp"]).output();
    let text = String::from_utf8(said.expect("it runs").stdout).expect("text");
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let formulas = text.split("\nsigns\n").collect::<Vec<_>>();
    let has_sign = formulas[0].contains("||{") || formulas[0].contains('Δ');
    assert_eq!(formulas.len() == 2, has_sign || formulas[0].contains("%1"), "{text}");
}

#[test]
fn work_that_was_inlined_stands_at_own_lines() {
    let place = workplace();
    let said = |flags: &[&str]| {
        let all = [&["count", "./s", "--function", "main"], flags].concat();
        place.opcost(&all).expect(0).stderr
    };
    let written = said(&["--mine=never"]);
    assert!(written.contains("inlined from"), "{written}");
    let mine = said(&["--mine"]);
    assert!(!mine.contains("inlined from") && !mine.contains("stl_vector.h"), "{mine}");
    let share = |text: &str, line: &str| {
        let row = text.lines().find(|row| row.contains(line)).unwrap_or_else(|| panic!("{line} in\n{text}"));
        let before = row.split(" %").next().expect("a row").rsplit(' ').next().expect("a number");
        before.parse::<f64>().unwrap_or(0.0)
    };
    let line = "parts.push_back(i";
    assert!(share(&mine, line) > share(&written, line), "{mine}\n{written}");
    assert!(mine.contains("with what was inlined into your lines"), "{mine}");
    // A ledger has no inline stacks, and says so.
    place.opcost(&["count", "./s", "--ledger", "s.opc"]).expect(0);
    let of_ledger = place.opcost(&["report", "s.opc", "--mine"]).expect(0).all();
    assert!(of_ledger.contains("a ledger does not record through which lines"), "{of_ledger}");
}

#[test]
fn own_files_come_first_on_the_page() {
    let place = workplace();
    place.opcost(&["count", "./s", "--html", "s.html"]).expect(0);
    let page = place.read("s.html");
    let files: Vec<&str> = page.split("<summary title=\"").skip(1).collect();
    assert!(page.contains("<h2>Source</h2>") && files.len() > 2, "{} files", files.len());
    assert!(files[0].contains(">s.cpp</bdi>"), "{}", &files[0][..80]);
    assert_eq!(page.matches("<details open>").count(), 1);
    let header = files.iter().find(|file| file.contains("stl_algo.h")).expect("a header");
    assert!(header.contains(">bits/stl_algo.h</bdi>"), "{}", &header[..120]);
}
