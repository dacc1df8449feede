//! Certificates that were made to be believed and are false: each is refused.
//!
//! And code in plain sight that makes ranges of floating point numbers false: a call
//! that changes how they are rounded is told, and nothing is said of what is rounded.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Source, opcost};

/// The data has the name that a local had in certificates of the first version.
const COLLISION: &str = include_str!("odd/forge.ll");

fn certificate_of(source: &Source, flags: &[&str]) -> (PathBuf, Value) {
    let file = PathBuf::from(&source.path).with_file_name("c.json");
    let name = file.to_string_lossy().into_owned();
    opcost(&[&["bits", "--certificate", &name], flags, &[&source.path]].concat()).expect(0);
    let text = std::fs::read(&file).expect("a certificate");
    (file, serde_json::from_slice(&text).expect("JSON"))
}

fn check(file: &Path, text: &str, source: &Source, flags: &[&str]) -> (i32, String) {
    std::fs::write(file, text).expect("written");
    let output = opcost(&[&["bits", "--check", &file.to_string_lossy()], flags, &[&source.path]].concat());
    (output.status, output.stdout + &output.stderr)
}

#[test]
fn a_name_of_data_is_not_taken_for_a_local() {
    let source = Source::new("forge.ll", COLLISION);
    let (file, honest) = certificate_of(&source, &["--closed"]);
    let (status, words) = check(&file, &honest.to_string(), &source, &["--closed"]);
    assert!(status == 0 && words.starts_with("holds: "), "{words}");
    let zero = |width: u32| json!({ "width": width, "first": "0", "span": "0", "set": ["0"] });
    for object in [json!({ "global": "f:i0" }), json!({ "function": "f", "instruction": 0 })] {
        let mut forged = honest.clone();
        let contents = json!({ "object": object, "first": 0, "step": 0, "size": 4, "written_first": true,
            "range": zero(32) });
        forged["contents"] = json!([contents]);
        for claims in forged["functions"].as_array_mut().expect("functions") {
            claims["returned"] = zero(32);
            let values = if claims["name"] == "f" { vec!["i3", "i4", "i5"] } else { vec!["i0"] };
            claims["values"] =
                values.iter().map(|value| json!({ "value": value, "range": zero(32) })).collect();
        }
        let (status, words) = check(&file, &forged.to_string(), &source, &["--closed"]);
        assert!(status == 3 && words.starts_with("does not hold"), "{words}");
    }
    // The first version, as it was made: refused, with the command that makes it anew.
    let old = json!({ "schema": "opcost.certificate/1", "contents": [{ "object": "f:i0" }] });
    let (status, words) = check(&file, &old.to_string(), &source, &["--closed"]);
    let is_told =
        words.contains("opcost.certificate/1, and") && words.contains("--certificate FILE writes one");
    assert!(status == 1 && is_told, "{words}");
}

/// Of a vector of addresses each one leads into the object.
#[test]
fn addresses_in_a_vector_are_not_lost() {
    let text = "
@g = internal global [4 x i32] zeroinitializer
define i32 @main() {
  %all = getelementptr i32, ptr @g, <2 x i64> <i64 0, i64 1>
  %one = extractelement <2 x ptr> %all, i32 1
  store i32 7, ptr %one
  %at = getelementptr i32, ptr @g, i64 1
  %v = load i32, ptr %at
  ret i32 %v
}
";
    let source = Source::new("vector.ll", text);
    let (file, mut forged) = certificate_of(&source, &["--closed"]);
    let zero = json!({ "width": 32, "first": "0", "span": "0" });
    forged["contents"] =
        json!([{ "object": { "global": "g" }, "first": 4, "step": 0, "size": 4, "range": zero }]);
    let (status, words) = check(&file, &forged.to_string(), &source, &["--closed"]);
    assert!(status == 3 && words.contains("others may write to it"), "{words}");
}

/// Checked, the set would take over a minute: it is refused while it is read.
#[test]
fn what_is_too_large_is_refused_before_it_is_looked_at() {
    let source = Source::new("forge.ll", COLLISION);
    let (file, honest) = certificate_of(&source, &["--closed"]);
    let words: Vec<String> = (0..200_000).map(|word| format!("{word:x}")).collect();
    let mut forged = honest.clone();
    forged["functions"][0]["values"][0]["range"]["set"] = json!(words);
    let (status, said) = check(&file, &forged.to_string(), &source, &["--closed"]);
    assert!(status == 1 && said.contains("more than 64 words"), "{said}");
    let padded = format!("{}{}", " ".repeat(65 << 20), honest);
    let (status, said) = check(&file, &padded, &source, &["--closed"]);
    assert!(status == 1 && said.contains("a certificate has at most 67108864"), "{said}");
    std::fs::remove_file(&file).expect("it is there");
}

/// Rounded upwards a tenth ten times is more than one.
#[test]
fn code_that_changes_how_numbers_are_rounded_is_told() {
    let with = |call: &str| {
        format!(
            "#include <fenv.h>
volatile double a;
int main(void) {{
  {call}
  double x = 1.0, y = 3.0;
  a = 0.5;
  double z = (double)(int)a / y;
  return (int)(x / y * 3.0 + z) & 15;
}}
"
        )
    };
    let of = |call: &str| {
        let source = Source::new("round.c", &with(call));
        let output = opcost(&["bits", "--closed", "--json", "-", &source.path]).expect(0);
        output.json()
    };
    let rounding = |document: &Value| {
        let all = document["findings"].as_array().expect("findings");
        all.iter().filter(|finding| finding["kind"] == "rounding").count()
    };
    let mut calls =
        vec!["fesetround(FE_UPWARD);", "fenv_t e; fegetenv(&e); fesetenv(&e);", "fesetround(FE_TONEAREST);"];
    if cfg!(target_arch = "x86_64") {
        calls.push("unsigned m = 0x5f80; __asm__ volatile(\"ldmxcsr %0\" : : \"m\"(m));");
        calls.push("unsigned short w; __asm__ volatile(\"fnstcw %0; fldcw %0\" : \"=m\"(w));");
        calls.push("__asm__ volatile(\".byte 0x90\");");
    }
    for call in calls {
        let document = of(call);
        assert_eq!(rounding(&document), 1, "{call}: {document:#}");
        let assumes = document["assumes"].to_string();
        assert!(!assumes.contains("rounded to the nearest"), "{assumes}");
    }
    let document = of("");
    assert_eq!(rounding(&document), 0);
    assert!(
        document["assumes"].to_string().contains("nothing that is not seen changes that"),
        "{document:#}"
    );
    assert_eq!(rounding(&of("(void)fegetround();")), 0);
    assert_eq!(rounding(&of("__asm__ volatile(\"nop\");")), 0);
}
