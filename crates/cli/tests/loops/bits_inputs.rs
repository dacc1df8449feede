//! Programs that are odd: each value is told, left out, or told to be unknown with
//! the reason, and nothing fails.
//!
//! Vectors, integers from 1 to 8,388,608 bits, undefined words, formats of floating
//! point, addresses of other spaces, control by assembly, by tables and by
//! exceptions, code that nobody gets to, and modules with nothing in them. What can
//! be run is run, before and after `--narrow`. The programs are in `odd/`.

use opcost_testkit::command::ProgramOutput;
use serde_json::Value;

use super::{Source, document, opcost};

/// A value: its key, and its bits with the end of its reason; none if it is left out.
type Told = (&'static str, Option<(u64, &'static str)>);

const ANY: &str = "a parameter that anyone may give";
const PART: &str = "a part of a vector or aggregate";
const UNSEEN: &str = "the result of code that is not seen";
const OPEN: &str = "an operation that is not followed";
const UNDEFINED: &str = "memory or a value that perhaps was never written";
const ASSEMBLY: &str = "inline assembly";
/// Of what is always the same, or never.
const NONE: &str = "null";

const VECTORS: &str = include_str!("odd/vectors.ll");

const WIDTHS: &str = include_str!("odd/widths.ll");

const STRANGE: &str = include_str!("odd/strange.ll");

const TOLD: &[(&str, &[Told])] = &[
    (
        VECTORS,
        &[
            ("fixed:argument0", None),
            ("fixed:i0", None),
            ("fixed:i4", Some((32, PART))),
            ("fixed:i5", Some((32, UNSEEN))),
            ("fixed:i6", Some((4, PART))),
            ("fixed:i7", Some((32, UNSEEN))),
            ("scalable:i0", Some((64, UNSEEN))),
            ("scalable:i1", Some((2, UNSEEN))),
            ("scalable:i4", Some((32, PART))),
        ],
    ),
    (
        WIDTHS,
        &[
            ("one:i0", Some((1, ANY))),
            ("one:i2", Some((0, NONE))),
            ("three:i1", Some((2, ANY))),
            ("three:i2", Some((4, ANY))),
            ("three:i3", Some((3, ANY))),
            ("i24:i1", Some((24, ANY))),
            ("i24:i3", Some((24, ANY))),
            ("i33:i1", Some((32, ANY))),
            ("i33:i2", Some((33, ANY))),
            ("i65:i1", Some((6, ANY))),
            ("i65:i2", Some((10, ANY))),
            ("i65:i3", Some((11, ANY))),
            ("i128:i2", Some((72, ANY))),
            ("i128:i3", Some((71, ANY))),
            ("i129:argument0", None),
            ("i129:i0", None),
            ("i129:i2", Some((64, OPEN))),
            ("i129:i3", Some((1, OPEN))),
            ("i1024:i1", None),
            ("greatest:argument0", None),
            ("greatest:i1", Some((32, OPEN))),
            ("greatest:i2", Some((2, OPEN))),
            ("floats:i0", Some((32, OPEN))),
            ("floats:i1", Some((8, OPEN))),
            ("floats:i2", Some((64, OPEN))),
            ("floats:i3", Some((128, OPEN))),
            ("floats:i4", Some((8, OPEN))),
        ],
    ),
    (
        STRANGE,
        &[
            ("undefined:i0", Some((32, UNDEFINED))),
            ("undefined:i1", Some((4, UNDEFINED))),
            ("undefined:i2", Some((32, "a freeze of what may be poison"))),
            ("undefined:i3", Some((2, "a freeze of what may be poison"))),
            ("undefined:i4", Some((5, UNDEFINED))),
            // Poison: it is no word.
            ("undefined:i5", Some((0, NONE))),
            ("frozen:i3", Some((32, UNDEFINED))),
            ("frozen:i4", Some((32, "a freeze of what may be poison"))),
            ("frozen:i5", Some((4, "a freeze of what may be poison"))),
            ("spaces:i0", Some((8, "memory that is not followed"))),
            ("spaces:i1", Some((8, "memory that is not followed"))),
            ("spaces:i4", Some((64, "an address as a number"))),
            ("assembly:i0", Some((32, ASSEMBLY))),
            ("assembly:i1", Some((1, ASSEMBLY))),
            ("invokes:i1", Some((32, UNSEEN))),
            ("invokes:i2", Some((3, UNSEEN))),
            ("invokes:i5", Some((32, PART))),
            ("goes:i0", Some((32, ASSEMBLY))),
            ("goes:i1", Some((3, ASSEMBLY))),
            ("jumps:i2", Some((0, NONE))),
            ("jumps:i4", Some((1, ANY))),
            ("callee:argument0", Some((8, ANY))),
            ("tail:i1", Some((5, ANY))),
            ("lost:i0", Some((2, ANY))),
            ("lost:i2", Some((0, NONE))),
            ("lost:i4", Some((0, NONE))),
            ("forever:i1", Some((32, "it grows in each iteration"))),
            ("twice:i2", Some((4, "computed from constants"))),
        ],
    ),
];

#[test]
fn what_is_odd_is_told_or_told_to_be_unknown() {
    let mut wrong = String::new();
    for (text, told) in TOLD {
        let source = Source::new("odd.ll", text);
        let document = document("bits", &[&source.path]);
        let functions = document["functions"].as_array().expect("functions");
        let values: Vec<&Value> =
            functions.iter().flat_map(|one| one["values"].as_array().expect("values")).collect();
        for &(key, wanted) in *told {
            let is_it =
                |value: &&&Value| value["key"].as_str().is_some_and(|one| one.ends_with(&format!("@{key}")));
            let value = values.iter().find(is_it);
            let is =
                value.map(|value| (value["width"].as_u64().expect("bits"), value["because"].to_string()));
            let is_right = match (&is, wanted) {
                (Some((bits, because)), Some((wanted, end))) => {
                    *bits == wanted && because.trim_matches('"').ends_with(end)
                }
                (None, None) => true,
                _ => false,
            };
            if !is_right {
                wrong += &format!("{key} is {is:?} and not {wanted:?}\n");
            }
        }
        // The same as a page, and rewritten: the verifier sees the result.
        let to = source.place.at("narrow.bc");
        for arguments in [&["--annotate"][..], &["--top", "0"], &["--narrow", "-o", &to]] {
            opcost(&[&["bits"], arguments, &[&source.path]].concat()).expect(0);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is left as it is, is told.
#[test]
fn what_is_not_rewritten_is_counted() {
    let source = Source::new("odd.ll", &(VECTORS.to_owned() + WIDTHS));
    let to = source.place.at("narrow.bc");
    let output = opcost(&["bits", "--narrow", "-o", &to, &source.path]);
    let text = &output.stdout;
    assert_eq!(output.status, 0, "{}", output.stderr);
    for words in ["left as they are: 7 vectors", "integers of more than 64 bits"] {
        assert!(text.contains(words), "no '{words}': {text}");
    }
}

#[test]
fn modules_with_nothing_in_them_need_nothing() {
    let texts = [
        "; nothing\n",
        "declare i32 @only(i32)\n",
        "define void @f() {\n  ret void\n}\n",
        "@data = global i32 3\n",
    ];
    for text in texts {
        let source = Source::new("nothing.ll", text);
        let told = document("bits", &[&source.path]);
        let numbers = ["declared", "needed_type", "needed_slice"].map(|key| told[key].as_u64());
        assert_eq!(numbers, [Some(0); 3], "{text}");
        let output = opcost(&["bits", &source.path]);
        let words = &output.stdout;
        assert!(output.status == 0 && words.starts_with("no integers\n"), "{text}: {words}");
        let path = |name: &str| source.place.at(name);
        opcost(&["bits", "--certificate", &path("c.json"), &source.path]).expect(0);
        let output = opcost(&["bits", "--check", &path("c.json"), &source.path]);
        let words = &output.stdout;
        assert!(output.status == 0 && words.starts_with("holds: each of 0 claims"), "{text}: {words}");
        let output = opcost(&["bits", "--narrow", "-o", &path("n.bc"), &source.path]);
        let words = &output.stdout;
        assert!(words.contains("0 values are computed in fewer bits"), "{text}: {words}");
        // No value, and no main.
        let output = opcost(&["bits", "--closed", &source.path]);
        assert_eq!(output.status, 1, "{}", output.stderr);
        assert!(output.stderr.contains("there is no main to begin with"), "{}", output.stderr);
    }
}

/// Ten thousand cases, and as many blocks in a row: in time, and what is known in
/// each is known where they meet.
#[test]
fn a_switch_of_ten_thousand_cases_is_no_burden() {
    let mut text = String::from("define i32 @many(i32 %a) {\n  switch i32 %a, label %other [\n");
    (0..10_000).for_each(|case| text += &format!("    i32 {}, label %b{}\n", case * 7, case % 50));
    text += "  ]\n";
    (0..50).for_each(|block| {
        text += &format!("b{block}:\n  %x{block} = and i32 %a, {block}\n  br label %join\n");
    });
    let each: String = (0..50).map(|block| format!("[ %x{block}, %b{block} ], ")).collect();
    text +=
        &format!("other:\n  br label %join\njoin:\n  %p = phi i32 {each}[ 1, %other ]\n  ret i32 %p\n}}\n");
    let source = Source::new("many.ll", &text);
    let begin = std::time::Instant::now();
    let told = document("bits", &[&source.path]);
    let values = told["functions"][0]["values"].as_array().expect("values");
    let joined = values.iter().find(|value| value["opcode"] == "phi").expect("a phi");
    assert_eq!((joined["width"].as_u64(), joined["range"].as_str()), (Some(6), Some("0..49")));
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

const MAIN: &str = include_str!("odd/main.ll");

#[test]
fn odd_widths_are_in_runs_what_is_told() {
    // The greatest type is for reading: no machine has code for it.
    let (widths, _) = WIDTHS.split_once("define i32 @greatest").expect("the greatest");
    let text = widths.to_owned() + MAIN;
    let bare = Source::new("bare.ll", &text);
    let refused = opcost(&["bits", "--observe", &bare.path, "--", "1"]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    let words = &refused.stderr;
    assert!(words.contains("bare.ll") && words.contains("give it one, as in: target triple = \""), "{words}");
    let host = bare.place.tool("clang-22", &["-print-target-triple"]).stdout;
    let source = Source::new("run.ll", &format!("target triple = \"{}\"\n{text}", host.trim()));
    let at = |name: &str| source.place.at(name);
    opcost(&["bits", "--narrow", "-o", &at("narrow.bc"), &source.path]).expect(0);
    for (code, program) in [(&source.path, at("whole")), (&at("narrow.bc"), at("narrow"))] {
        source.place.tool("clang-22", &["-O1", "-w", code, "-o", &program]);
    }
    for number in ["0", "1", "-1", "7", "255", "65535", "2147483647", "-2147483648", "-77777"] {
        let run = |name| ProgramOutput::of(source.place.program(at(name)).arg(number));
        let (whole, narrow) = (run("whole"), run("narrow"));
        assert!(whole.status == 0 && whole.stdout.split('\n').count() == 7, "{whole:?}");
        assert_eq!(whole.stdout, narrow.stdout, "{number}");
        let told = opcost(&["bits", "--observe", "--json", "-", &source.path, "--", number]);
        assert_eq!(told.status, 0, "{number}: {}", told.stderr);
        let told: Value = told.json();
        let values = told["functions"].as_array().expect("functions").iter();
        let seen = values.flat_map(|one| one["values"].as_array().expect("values"));
        assert!(seen.filter(|value| value["observed"].is_object()).count() > 10, "{number}");
    }
}
