//! Why values are as wide as they are, and what would make them narrower.

use serde_json::Value;

use super::{Source, document, opcost};

/// The stride is anybody's; row and column are clamped.
const PLANE: &str = "static const short weights[4] = {1, -5, 20, 7};
int pixel(const short *plane, int stride, unsigned char row, int column) {
  int at = row * stride;
  int weight = weights[column & 3];
  return plane[at] * weight;
}
";

fn explained(line: &str, source: &Source) -> Vec<Value> {
    let place = format!("{}:{line}", source.path);
    let document = document("explain-width", &["-O1", "--world", "open", &place]);
    document["values"].as_array().expect("values").clone()
}

fn of<'a>(values: &'a [Value], opcode: &str) -> &'a Value {
    let is_it = |value: &&Value| value["value"]["text"].as_str().is_some_and(|text| text.contains(opcode));
    values.iter().find(is_it).unwrap_or_else(|| panic!("no {opcode}: {values:#?}"))
}

#[test]
fn a_product_is_as_wide_as_a_parameter_lets_it() {
    let source = Source::new("plane.c", PLANE);
    let values = explained("3", &source);
    let product = of(&values, "mul");
    assert_eq!((&product["declared"], &product["value"]["width"]), (&32.into(), &32.into()));
    assert_eq!(product["reason"], "a parameter that anyone may give");
    let chain = product["chain"].as_array().expect("a chain");
    let last = chain.last().expect("a link");
    assert_eq!(
        (&last["name"], &last["key"], &last["line"]),
        (&"stride".into(), &"@pixel:argument1".into(), &2.into())
    );
    // 255 * 64 = 16320.
    let best = &product["would_help"][0];
    assert_eq!((&best["input"], &best["given"]), (&"stride".into(), &"0..64".into()), "{product:#}");
    assert_eq!((&best["width"], &best["signed"]), (&14.into(), &false.into()), "{product:#}");
    let helps = product["would_help"].as_array().expect("facts");
    let of_stride: Vec<u64> = helps.iter().filter_map(|help| help["width"].as_u64()).take(3).collect();
    assert_eq!(of_stride, [14, 16, 24]);
}

/// What is said would help is what `opcost bits` then says.
#[test]
fn what_would_help_does() {
    let fact = PLANE.replace("  int at", "  if (stride < 0 || stride > 64) return 0;\n  int at");
    let source = Source::new("plane.c", &fact);
    let product = of(&explained("4", &source), "mul").clone();
    assert_eq!(product["value"]["width"], 14, "{product:#}");
    assert!(product["would_help"][0]["width"].as_u64() < Some(14), "{product:#}");
}

#[test]
fn what_comes_from_a_table_says_so_and_rests_on_no_input() {
    let source = Source::new("plane.c", PLANE);
    let values = explained("4", &source);
    let weight = of(&values, "load");
    assert_eq!(weight["value"]["range"], "{-5, 1, 7, 20}");
    assert_eq!(weight["reason"], "an element of a constant table");
    let text = opcost(&["explain", "-O1", "--width", "--world", "open", &format!("{}:3", source.path)]);
    let text = &text.stdout;
    for words in [
        "int at = row * stride;",
        "from stride, line 2: s32",
        "if stride of pixel (line 2) were 0..64: 14 bits instead of 32",
    ] {
        let words = words.replace("s32", if text.contains("u32  0..") { "u32" } else { "s32" });
        assert!(text.contains(&words), "{words}\n{text}");
    }
}

#[test]
fn a_line_without_integers_is_told_with_the_nearest_that_has_some() {
    let source = Source::new("plane.c", PLANE);
    let asked = |what: &str, flags: &[&str]| {
        let place = format!("{}{what}", source.path);
        let all: Vec<&str> =
            ["explain", "-O1", "--width"].iter().chain(flags).copied().chain([&*place]).collect();
        let output = opcost(&all);
        (output.status, output.stderr)
    };
    let (status, words) = asked(":1", &[]);
    assert!(
        status == 2
            && words.contains("computes no integer; the nearest line that does is ")
            && words.contains("plane.c:2"),
        "{words}"
    );
    let (status, words) = asked(":3:77", &[]);
    assert!(status == 2 && words.contains("no integer at column 77"), "{words}");
    let (status, words) = asked("", &[]);
    assert!(status == 2 && words.contains("give a line"), "{words}");
    let (status, words) = asked(":3", &["--dot", "x.dot"]);
    assert!(status == 2 && words.contains("cannot be used with"), "{words}");
}

#[test]
fn a_page_has_the_source_and_the_widths() {
    let source = Source::new("plane.c", PLANE);
    let output = opcost(&["bits", "-O1", "--world", "open", "--html", "-", &source.path]);
    let page = &output.stdout;
    assert!(output.status == 0 && page.starts_with("<!DOCTYPE html>"), "{}", output.stderr);
    assert!(page.ends_with("</html>\n") && page.contains("int at = row * stride;"), "{page}");
    assert!(page.contains("weight 32→s6") || page.contains("32→s6"), "{page}");
}
