//! How many bits values need: told for programs where it is known, and held
//! against what they take.

use std::path::Path;

use serde_json::Value;

use super::{Source, against_schema, document, opcost};

/// The document of a question about widths, held against its schema.
fn bits(arguments: &[&str]) -> Value {
    document("bits", arguments)
}

/// The values of a function.
fn values<'a>(document: &'a Value, function: &str) -> Vec<&'a Value> {
    let functions = document["functions"].as_array().expect("functions");
    let found = functions.iter().find(|one| one["name"] == function).expect(function);
    found["values"].as_array().expect("values").iter().collect()
}

/// ADPCM's step index, clamped as in figure 3.1 of Antoniadis (2011).
const CLAMPED: &str =
    "static const int change[16] = {-1, -1, -1, -1, 2, 4, 6, 8, -1, -1, -1, -1, 2, 4, 6, 8};
int next_index(int index, unsigned char code) {
  if (index < 0 || index > 88)
    return 0;
  int next = index + change[code & 15];
  if (next < 0)
    next = 0;
  if (next > 88)
    next = 88;
  return next;
}
";

#[test]
fn a_clamped_index_needs_seven_bits_whoever_calls() {
    let source = Source::new("adpcm.c", CLAMPED);
    for level in ["-O1", "-O2"] {
        let document = bits(&[level, "--world", "open", &source.path]);
        assert_eq!(document["world"], "open");
        let all = values(&document, "next_index");
        let widest = |line: u64| {
            all.iter()
                .filter(|value| value["line"] == line && value["declared"] == 32)
                .map(|value| value["width"].as_u64().expect("a number"))
                .max()
        };
        // The sum is -1..96, behind the clamp 0..88.
        assert_eq!(widest(5), Some(8), "{level}: {all:#?}");
        assert!(all.iter().any(|value| value["range"] == "-1..96"), "{level}: {all:#?}");
        let index = all.iter().find(|value| value["opcode"] == "argument" && value["declared"] == 32);
        let index = index.expect("the parameter");
        assert_eq!((&index["width"], &index["key"]), (&32.into(), &"@next_index:argument0".into()));
        assert_eq!(index["because"], "a parameter that anyone may give");
    }
}

#[test]
fn what_main_gives_is_all_there_is_in_a_closed_world() {
    let text = "#include <stdio.h>\n__attribute__((noinline)) static int square(int x) {\n  return x * x;\n}\nint main(int argc, \
                char **argv) {\n  int sum = 0;\n  for (int i = 0; i < 16; i++)\n    sum += square(i * 3 & 15);\n  printf(\"%d\\n\", \
                sum);\n  return 0;\n}\n";
    let source = Source::new("square.c", text);
    let document = bits(&["-O1", &source.path]);
    let all = values(&document, "square");
    let product = all.iter().find(|value| value["opcode"] == "mul").expect("a product");
    assert_eq!(
        (&product["width"], &product["line"], &product["range"]),
        (&8.into(), &3.into(), &"0..225".into())
    );
    let total = |key: &str| document[key].as_u64().expect("a number");
    assert!(total("needed_slice") <= total("needed_type") && total("needed_type") < total("declared"));
}

#[test]
fn the_source_stands_beside_its_widths_and_functions_are_found_by_name() {
    let source = Source::new("adpcm.c", CLAMPED);
    let output = opcost(&["bits", "-O1", "--annotate", &source.path]);
    let text = &output.stdout;
    let line =
        text.lines().find(|line| line.contains("change[code & 15]")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("32→s8"), "{text}");
    let output = opcost(&["bits", "-O1", "--function", "next_index", &source.path]);
    let text = &output.stdout;
    assert!(text.contains("-1..96") && text.contains("a parameter that anyone may give"), "{text}");
    let output = opcost(&["bits", "-O1", "--function", "next", &source.path]);
    assert!(output.stderr.contains("next_index"), "{}", output.stderr);
    assert_eq!(output.status, 2);
}

/// Vectors, wide and odd integers, `undef`, no debug information: each is
/// answered or left out, and nothing fails.
#[test]
fn unusual_types_are_answered_or_left_out() {
    let text = "define i7 @odd(i7 %a, <4 x i32> %v, i200 %w, i128 %x) {\n  %b = and i7 %a, 5\n  %s = add <4 x i32> %v, %v\n  \
                %e = extractelement <4 x i32> %s, i32 0\n  %t = trunc i200 %w to i7\n  %y = lshr i128 %x, 120\n  %z = trunc i128 \
                %y to i7\n  %u = add i7 %t, undef\n  %f = freeze i7 %u\n  %r = add i7 %b, %f\n  ret i7 %r\n}\n";
    let source = Source::new("odd.ll", text);
    let document = bits(&[&source.path]);
    let all = values(&document, "odd");
    let of = |name: &str| {
        let found = all.iter().find(|value| value["name"] == name);
        found.map(|value| (value["width"].as_u64(), value["dead_bits"].as_u64()))
    };
    assert_eq!(of("%b"), Some((Some(3), Some(1))));
    // What is made of it nobody reads.
    assert_eq!(of("%y"), Some((Some(8), Some(8))));
    assert_eq!(of("%u"), Some((Some(7), Some(0))));
    assert_eq!((of("%v"), of("%w"), of("%s")), (None, None, None));
    let output = opcost(&["bits", &source.path]);
    assert!(output.status == 0 && output.stdout.contains("odd"), "{}", output.stderr);
}

/// Every integer of every program of the corpus, each time that it is defined.
#[test]
fn what_runs_of_the_corpus_take_is_what_is_proven() {
    let folder = opcost_testkit::command::corpus("bits");
    let mut programs: Vec<_> =
        std::fs::read_dir(&folder).expect("corpus").filter_map(|file| Some(file.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    programs.sort();
    assert!(programs.len() >= 15, "{programs:?}");
    let (mut seen, mut poison, mut mantissas) = (0, 0, 0);
    for path in programs {
        for level in ["-O0", "-O2"] {
            let document = bits(&[level, "--observe", &path.to_string_lossy()]);
            let functions = document["functions"].as_array().expect("functions");
            for value in functions.iter().flat_map(|one| one["values"].as_array().expect("values")) {
                let Some(observed) = value["observed"].as_object() else { continue };
                let is_outside = observed["is_outside"] == true;
                assert!(!is_outside || value["may_be_poison"] == true, "{}: {value:#}", path.display());
                seen += 1;
                poison += u32::from(is_outside);
            }
            for float in functions.iter().flat_map(|one| one["floats"].as_array().expect("floats")) {
                let Some(observed) = float["observed"].as_object() else { continue };
                let is_allowed = observed["is_outside"] == false || float["may_be_poison"] == true;
                assert!(is_allowed, "{}: {float:#}", path.display());
                mantissas += 1;
            }
        }
    }
    assert!(seen > 10_000 && poison * 200 < seen, "{seen} seen, {poison} outside");
    assert!(mantissas >= 25, "{mantissas} mantissas seen");
}

#[test]
fn a_certificate_holds_until_it_is_edited_or_the_program_changes() {
    let source = Source::new("adpcm.c", CLAMPED);
    let at = Path::new(&source.path).with_file_name("c.json");
    let path = at.to_str().expect("a path");
    opcost(&["bits", "-O2", "--world", "open", "--certificate", path, &source.path]).expect(0);
    let check = |arguments: &[&str]| {
        let all = [&["bits", "-O2", "--world", "open", "--check", path][..], arguments].concat();
        opcost(&all)
    };
    let held = check(&[&source.path]);
    assert_eq!(held.status, 0, "{}", held.stderr);
    let told = &held.stdout;
    assert!(told.starts_with("holds: each of "), "{told}");
    // The sum in a range that is too small: what it is for such operands is told.
    let certificate: Value =
        serde_json::from_slice(&std::fs::read(&at).expect("a certificate")).expect("JSON");
    against_schema("certificate", &certificate);
    let narrower = narrow_last_arc(certificate);
    std::fs::write(&at, narrower.to_string()).expect("a file");
    let broken = check(&["--json", "-", &source.path]);
    assert_eq!(broken.status, 3, "{}", broken.stderr);
    let answer: Value = broken.json();
    against_schema("bits-check", &answer);
    assert_eq!((&answer["holds"], &answer["is_edited"]), (&false.into(), &true.into()));
    assert!(!answer["failed"][0]["example"].as_array().expect("examples").is_empty(), "{answer:#}");
    // Of another program, and no certificate at all.
    let other = Source::new("other.c", &CLAMPED.replace("88", "87"));
    let refused = check(&[&other.path]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("another module"), "{}", refused.stderr);
    std::fs::write(&at, "{}").expect("a file");
    let refused = check(&[&source.path]);
    assert!(refused.stderr.contains("this is no certificate"), "{}", refused.stderr);
}

/// Nests that fill an array, as given and with ways out of them; in each function the
/// only words of 32 bits that are loaded are those of the array.
const FILLED: &str = r#"
#include <assert.h>
#include <setjmp.h>
extern void stop(void) __attribute__((noreturn));
extern void seen(const int *);
extern jmp_buf where;
int nest_plain(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) t[y*8+x] = s[y*8+x];
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int nest_stop(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) {
    if (s[y+x] == m) __builtin_unreachable();
    if (s[y*8+x] == 77) stop();
    t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int flat_stop(const unsigned char *s, int m) { int t[64], r = 0;
  for (int x = 0; x < 64; x++) { if (s[x] == 77) stop(); t[x] = s[x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int late_stop(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) { for (int x = 0; x < 8; x++) {
    t[y*8+x] = s[y*8+x];
    if (s[y*8+x] == m) stop(); } if (s[y] == 99) __builtin_trap(); }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int deep_stop(const unsigned char *s, int m) { int t[4*4*4], r = 0;
  for (int z = 0; z < 4; z++) { if (s[z] == m) stop();
    for (int y = 0; y < 4; y++) { for (int x = 0; x < 4; x++) {
      if (s[x] == m) stop(); t[(z*4+y)*4+x] = s[x+y*z]; } if (s[y] == 1) stop(); } }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int asserted(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) { assert(s[y*8+x] != m); t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int leap(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) {
    if (s[y*8+x] == 77) longjmp(where, 1); t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int skips(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) { if (s[y*8+x] == 77) break; t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int leaves(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) {
    if (s[y*8+x] == 77) goto read; t[y*8+x] = s[y*8+x]; }
read:
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int comes_again(const unsigned char *s, int m) { int t[64], r = 0;
  if (!setjmp(where)) for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) {
    if (s[y*8+x] == 77) longjmp(where, 1); t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int shown(const unsigned char *s, int m) { int t[64], r = 0; seen(t);
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) {
    if (s[y*8+x] == 77) stop(); t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) { r ^= t[i] * 3; seen(t); } return r; }
int strides(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x += 2) { if (s[y*8+x] == 77) stop(); t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
int none(const unsigned char *s, int m) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) for (int x = m; x < 8; x++) { if (s[y*8+x] == 77) stop(); t[y*8+x] = s[y*8+x]; }
  for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r; }
"#;

/// Bits of the widest word of 32 bits that a function loads.
fn widest_word(document: &Value, function: &str) -> Option<u64> {
    let all = values(document, function);
    let loads = all.iter().filter(|value| value["opcode"] == "load" && value["declared"] == 32);
    loads.map(|load| load["width"].as_u64().expect("bits")).max()
}

/// Loops as they stand in the source.
const LOOPS: [&str; 4] = ["-O1", "--cflag=-fno-unroll-loops", "--cflag=-fno-vectorize", "--cflag=-w"];

#[test]
fn a_nest_that_may_stop_fills_its_array() {
    let source = Source::new("filled.c", FILLED);
    let document = bits(&[&LOOPS[..], &["--world", "open", &source.path]].concat());
    let widest = |function: &str| widest_word(&document, function);
    for function in ["nest_plain", "nest_stop", "flat_stop", "late_stop", "deep_stop", "asserted", "leap"] {
        assert_eq!(widest(function), Some(8), "{function}");
    }
    // Control comes to the read all the same, or the array is not filled.
    for function in ["skips", "leaves", "comes_again", "shown", "strides", "none"] {
        assert_eq!(widest(function), Some(32), "{function}");
    }
}

/// The same with exceptions.
const THROWN: &str = r#"
extern void perhaps();
#define NEST(WHAT) for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) { WHAT; t[y*8+x] = s[y*8+x]; }
#define READ for (int i = 0; i < 64; i++) r ^= t[i] * 3; return r;
extern "C" int throws(const unsigned char *s) { int t[64], r = 0; NEST(if (s[y*8+x] == 77) throw 1) READ }
extern "C" int passes(const unsigned char *s) { int t[64], r = 0;
  try { NEST(perhaps()) } catch (...) { throw; } READ }
extern "C" int returns(const unsigned char *s) { int t[64], r = 0;
  try { NEST(perhaps()) } catch (int) { return 0; } READ }
extern "C" int caught(const unsigned char *s) { int t[64], r = 0;
  try { NEST(perhaps()) } catch (int) { } READ }
extern "C" int goes_on(const unsigned char *s) { int t[64], r = 0;
  for (int y = 0; y < 8; y++) try {
    for (int x = 0; x < 8; x++) { perhaps(); t[y*8+x] = s[y*8+x]; } } catch (int) { } READ }
"#;

#[test]
fn a_nest_that_throws_fills_its_array_where_nobody_catches() {
    let source = Source::new("thrown.cpp", THROWN);
    let document = bits(&[&LOOPS[..], &["--world", "open", &source.path]].concat());
    for (function, width) in [("throws", 8), ("passes", 8), ("returns", 8), ("caught", 32), ("goes_on", 32)] {
        assert_eq!(widest_word(&document, function), Some(width), "{function}");
    }
}

/// `x * x` of one value, and of two.
const SQUARES: &str = "
short given(void);
int square(const short *s) { int r = 0; for (int i = 0; i < 4; i++) { int x = s[i]; r |= x * x; } return r; }
long squares(const short *s) { long r = 0; for (int i = 0; i < 100; i++) { long x = s[i]; r += x * x; } return r; }
int argument(short x) { return x * x; }
int result(void) { int x = given(); return x * x; }
int either(int n, short a, short b) { int x = n ? a : b - 1; return x * x + 1; }
int distance(short a, short b, short c, short d) { long x = a - c, y = b - d; return (x * x + y * y) >> 16; }
int two(const short *s) { int x = s[0], y = s[1]; return x * y; }
";

#[test]
fn a_square_has_no_sign() {
    let source = Source::new("squares.c", SQUARES);
    let products = |document: &Value, function: &str| -> Vec<String> {
        let all = values(document, function);
        let products = all.iter().filter(|value| value["opcode"] == "mul");
        products.map(|value| value["range"].as_str().expect("a range").to_owned()).collect()
    };
    // At -O0 both factors are read from the same local.
    for level in [&LOOPS[..], &["-O0"]] {
        let document = bits(&[level, &["--world", "open", &source.path]].concat());
        for function in ["square", "squares", "argument", "result"] {
            assert_eq!(products(&document, function), ["0..1073741824"], "{level:?}: {function}");
        }
        assert_eq!(products(&document, "either"), ["0..1073807361"], "{level:?}");
        assert_eq!(products(&document, "distance"), ["0..4294836225", "0..4294836225"], "{level:?}");
        assert_eq!(products(&document, "two"), ["-1073709056..1073741824"], "{level:?}");
    }
    let document = bits(&[&LOOPS[..], &["--world", "open", &source.path]].concat());
    let sums = values(&document, "squares");
    let sum = sums.iter().find(|value| value["opcode"] == "add" && value["width"] == 37).expect("the sum");
    assert_eq!(sum["range"], "0..107374182400");
}

/// What is told of both is certified, and the certificate is about just these.
#[test]
fn squares_and_filled_nests_are_certified() {
    for (name, text) in [("filled.c", FILLED), ("squares.c", SQUARES)] {
        let source = Source::new(name, text);
        let at = source.place.at("c.json");
        let arguments = [&LOOPS[..], &["--world", "open", &source.path]].concat();
        let told = bits(&arguments);
        let certified = bits(&[&["--certificate", &at][..], &arguments].concat());
        // A certificate may be weaker than what is told, and is never stronger.
        let [told, certified] = [told, certified].map(|document| document["needed_type"].as_u64());
        assert!(told <= certified && certified < Some(4000), "{name}: {told:?}, {certified:?}");
        opcost(&[&["bits", "--check", &at][..], &arguments].concat()).expect(0);
    }
    // Of what two loads read a claim says less; what is left holds.
    let source = Source::new("squares.c", SQUARES);
    let at = source.place.at("c.json");
    let arguments = ["-O0", "--world", "open", &*source.path];
    let needed = |document: Value| document["needed_type"].as_u64().expect("bits");
    let told = needed(bits(&arguments));
    let certified = needed(bits(&[&["--certificate", &at][..], &arguments].concat()));
    assert!(told < certified, "{told} {certified}");
    opcost(&[&["bits", "--check", &at][..], &arguments].concat()).expect(0);
}

/// Takes the last word off an arc of 32 bits that is claimed of a sum: -1..96.
fn narrow_last_arc(mut certificate: Value) -> Value {
    let claims = certificate["functions"][0]["values"].as_array_mut().expect("claims");
    let sum = claims.iter_mut().find(|claim| claim["range"]["span"] == "61").expect("the sum");
    sum["range"]["span"] = "60".into();
    certificate
}

/// A square that may be negative as a signed number, a row of a table, an index
/// that is never in its table.
const BELIEVED: &str = "
@grid = internal global [4 x [8 x i32]] zeroinitializer
@short = internal global [4 x i8] zeroinitializer
define i32 @square(i32 noundef %n) {
  %a = and i32 %n, 65535
  %b = mul i32 %a, %a
  ret i32 %b
}
define i32 @cell(i64 noundef %row, i64 noundef %column) {
  %at = getelementptr inbounds [4 x [8 x i32]], ptr @grid, i64 0, i64 %row, i64 %column
  store i32 7, ptr %at
  ret i32 0
}
define i8 @outside(i64 noundef %n) {
  %i = or i64 %n, 16
  %at = getelementptr inbounds [4 x i8], ptr @short, i64 0, i64 %i
  %value = load i8, ptr %at
  ret i8 %value
}
";

#[test]
fn what_is_believed_is_asked_for_and_listed() {
    let source = Source::new("believed.ll", BELIEVED);
    let width = |flags: &[&str], function: &str, key: &str| {
        let all: Vec<&str> = flags.iter().copied().chain([&*source.path]).collect();
        let document = bits(&all);
        let found = values(&document, function)
            .iter()
            .find(|value| value["key"] == key)
            .map(|value| &value["width"])
            .cloned();
        (found.and_then(|width| width.as_u64()), document["assumes"].to_string())
    };
    assert_eq!(width(&[], "square", "@square:i1"), (Some(32), "[]".to_owned()));
    let (square, assumes) = width(&["--assume-no-overflow"], "square", "@square:i1");
    assert!(square == Some(31) && assumes.contains("--assume-no-overflow"), "{square:?} {assumes}");
    // The whole object, and only if it is asked for the row.
    let (column, assumes) = width(&[], "cell", "@cell:argument1");
    assert!(column > Some(5) && !assumes.contains("inbounds"), "{column:?} {assumes}");
    let (column, assumes) = width(&["--assume-inbounds"], "cell", "@cell:argument1");
    assert!(column == Some(3) && assumes.contains("--assume-inbounds"), "{column:?} {assumes}");
}

/// What a certificate says that believes more, and the one without.
#[test]
fn a_certificate_lists_what_it_believes_and_holds_by_that_only() {
    let source = Source::new("believed.ll", BELIEVED);
    let file = Path::new(&source.path).with_file_name("believed.json");
    let at = file.to_str().expect("a path");
    let cases = [
        ("--assume-no-overflow", "no_overflow", "square", "@square:i1", 31),
        ("--assume-inbounds", "in_bounds", "cell", "@cell:argument1", 3),
    ];
    for (flag, field, function, key, width) in cases {
        let document = bits(&[flag, "--certificate", at, &source.path]);
        let all = values(&document, function);
        let value = all.iter().find(|value| value["key"] == key).expect(key);
        assert_eq!(value["width"], width, "{value:#}");
        let check = || opcost(&["bits", flag, "--json", "-", "--check", at, &source.path]);
        let held = check();
        assert_eq!(held.status, 0, "{}", held.stderr);
        // Only the certificate says so: that is not enough.
        let refused = opcost(&["bits", "--json", "-", "--check", at, &source.path]).expect(3).json();
        against_schema("bits-check", &refused);
        let not_given = &refused["not_given"];
        assert_eq!((&not_given[0]["flag"], &not_given[1]), (&flag.into(), &Value::Null), "{refused:#}");
        assert_eq!(refused["holds"], false, "{refused:#}");
        let answer: Value = held.json();
        assert!(answer["assumes"].to_string().contains(flag), "{answer:#}");
        // Believing no more, the same claims do not follow.
        let text = std::fs::read(&file).expect("a certificate");
        let mut certificate: Value = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(certificate[field], true);
        certificate[field] = false.into();
        std::fs::write(&file, certificate.to_string()).expect("a file");
        check().expect(3);
    }
}

#[test]
fn an_access_that_is_never_in_bounds_is_told_with_its_place() {
    let source = Source::new("believed.ll", BELIEVED);
    let findings = bits(&[&source.path])["findings"].as_array().expect("findings").clone();
    assert!(
        findings.iter().any(|one| one["kind"] == "out-of-bounds" && one["key"] == "@outside:i2"),
        "{findings:?}"
    );
    let output = opcost(&["bits", &source.path]);
    let text = &output.stdout;
    assert!(text.contains("outside:i2: this access is never within its object: %value = load i8"), "{text}");
}

#[test]
fn flags_that_say_too_much_are_refused() {
    let source = Source::new("believed.ll", BELIEVED);
    let refused = opcost(&["bits", "--closed", &source.path]);
    assert!(refused.stderr.contains("there is no main to begin with"), "{}", refused.stderr);
    for flag in ["--assume-inbounds", "--assume-no-overflow", "--assume-written-first"] {
        let refused = opcost(&["bits", flag, "--narrow", "-o", "out.bc", &source.path]);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
    }
    let refused = opcost(&["bits", "--closed", "--world", "open", &source.path]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
}

/// Halves of numbers of four bits, of which the run takes those up to eight.
const HALVES: &str = "__attribute__((noinline)) double half(int x) {
  return (x & 15) * 0.5;
}
__attribute__((noinline)) double third(int x) {
  return half(x) / 3;
}
int main(int argc, char **argv) {
  double sum = 0;
  for (int i = 0; i <= 7 + argc; i++)
    sum += third(i);
  return sum < 0;
}
";

/// The bits from the highest to the lowest that is set, as the definition says: by halving.
fn significant_bits(number: f64) -> u64 {
    if !number.is_finite() || number == 0.0 {
        return 0;
    }
    let (mut word, exponent) = (number.to_bits() & ((1 << 52) - 1), number.to_bits() >> 52 & 0x7ff);
    word |= u64::from(exponent > 0) << 52;
    while word % 2 == 0 {
        word /= 2;
    }
    let mut bits = 0;
    while word > 0 {
        (word, bits) = (word / 2, bits + 1);
    }
    bits
}

#[test]
fn the_recorder_counts_the_bits_of_unusual_numbers() {
    let tiny = f64::from_bits(1);
    let numbers =
        [0.1, -2.5, 0.0, -0.0, 1.0, tiny, 3.0 * tiny, f64::from_bits((1 << 52) - 1), f64::MIN_POSITIVE];
    let numbers =
        [&numbers[..], &[f64::MAX, f64::INFINITY, f64::NAN, 1.0 + f64::EPSILON, 12_345_678.0]].concat();
    let mut program = "volatile unsigned long word;\n".to_owned();
    let mut main = "int main(void) {\n".to_owned();
    for (at, number) in numbers.iter().enumerate() {
        let body = format!("union {{ unsigned long w; double d; }} u; u.w = word; return u.d < {at};");
        program += &format!("__attribute__((noinline)) int f{at}(void) {{ {body} }}\n");
        main += &format!("  word = {:#x}ul;\n  f{at}();\n", number.to_bits());
    }
    let source = Source::new("unusual.c", &(program + &main + "  return 0;\n}\n"));
    let document = bits(&["-O1", "--observe", &source.path]);
    let functions = document["functions"].as_array().expect("functions");
    for (at, &number) in numbers.iter().enumerate() {
        let name = format!("f{at}");
        let function = functions.iter().find(|one| one["name"] == *name).expect("each of them");
        let floats = function["floats"].as_array().expect("floats");
        assert_eq!(floats.len(), 1, "{function:#}");
        assert_eq!(floats[0]["observed"]["needed"], significant_bits(number), "{number:e}: {function:#}");
    }
}

#[test]
fn mantissas_are_told_and_seen() {
    let source = Source::new("halves.c", HALVES);
    let document = bits(&["-O1", "--observe", &source.path]);
    let functions = document["functions"].as_array().expect("functions");
    let float = |function: &str, opcode: &str| {
        let found = functions.iter().find(|one| one["name"] == function).expect(function);
        let floats = found["floats"].as_array().expect("floats");
        let float = floats.iter().find(|float| float["opcode"] == opcode);
        let float = float.unwrap_or_else(|| panic!("{opcode} of {function}: {floats:#?}"));
        let observed = &float["observed"];
        assert_eq!((&observed["times"], &observed["is_outside"]), (&9.into(), &false.into()), "{float:#?}");
        [&float["declared"], &float["needed"], &observed["needed"]]
            .map(|bits| bits.as_u64().expect("a number"))
    };
    // 15 needs four bits, 7 three: as much as 3.5.
    assert_eq!(float("half", "uitofp"), [53, 4, 3]);
    let [declared, needed, seen] = float("half", "fmul");
    assert!(declared == 53 && (4..=5).contains(&needed) && seen == 3, "{needed}, {seen}");
    assert_eq!(float("third", "fdiv"), [53, 53, 53]);
    let output = opcost(&["bits", "-O1", "--observe", "--function", "half", &source.path]);
    let text = &output.stdout;
    assert!(text.contains("seen 3 in 9 times"), "{text}");
}
