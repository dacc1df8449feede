//! Certificates that are of something else, edited, or none: `opcost bits --check`
//! never believes them, and says whose fault it is, where, and what to do next.
//!
//! The program has one claim of each kind: ranges, what is returned, distances,
//! turns, sums, contents of an array. Each edit stands in a table with the status
//! and the words that it must lead to.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Source, opcost};

const PROGRAM: &str = include_str!("odd/certified.ll");

/// A program, its certificate, and a file for edited ones.
struct Subject {
    source: Source,
    certificate: Value,
    file: PathBuf,
}

impl Subject {
    fn new() -> Subject {
        let source = Source::new("subject.ll", PROGRAM);
        let file = PathBuf::from(&source.path).with_file_name("edited.json");
        opcost(&["bits", "--certificate", &file.to_string_lossy(), &source.path]).expect(0);
        let text = std::fs::read(&file).expect("a certificate");
        Subject { certificate: serde_json::from_slice(&text).expect("JSON"), source, file }
    }

    /// Status and words of a check of what stands in the file.
    fn check(&self, text: &str) -> (i32, String) {
        self.check_with(&[], text)
    }

    fn check_with(&self, flags: &[&str], text: &str) -> (i32, String) {
        std::fs::write(&self.file, text).expect("written");
        let check = ["bits", "--check", &self.file.to_string_lossy(), &self.source.path];
        let output = opcost(&[&check, flags].concat());
        (output.status, output.stdout + &output.stderr)
    }
}

/// What is claimed of a function.
fn of<'c>(certificate: &'c mut Value, name: &str) -> &'c mut Value {
    let all = certificate["functions"].as_array_mut().expect("functions");
    all.iter_mut().find(|one| one["name"] == name).expect(name)
}

/// The range of a value.
fn range<'c>(certificate: &'c mut Value, function: &str, value: &str) -> &'c mut Value {
    let all = of(certificate, function)["values"].as_array_mut().expect("values");
    &mut all.iter_mut().find(|one| one["value"] == value).expect(value)["range"]
}

fn arc(width: u32, first: &str, span: &str) -> Value {
    json!({ "width": width, "first": first, "span": span })
}

fn push(list: &mut Value, claim: Value) {
    match list.as_array_mut() {
        Some(list) => list.push(claim),
        None => *list = json!([claim]),
    }
}

/// Claims that a value is at most so far from another.
fn apart(certificate: &mut Value, function: &str, [value, base]: [&str; 2], span: &str) {
    let claim = json!({ "value": value, "base": base, "range": arc(32, "0", span) });
    push(&mut of(certificate, function)["differences"], claim);
}

/// What is done to the certificate, the status that follows, and what is said.
type Edit = (&'static str, fn(&mut Value), i32, &'static str);

/// Nothing follows, or it does not fit; either is told with the claim that is wrong.
const EDITS: &[Edit] = &[
    ("a range is smaller", |c| range(c, "counted", "i4")["span"] = "2bb".into(), 3, "counted:i4 is 0..699"),
    ("a range is none", |c| range(c, "quotient", "i0")["set"] = json!([]), 3, "quotient:i0 is never"),
    (
        "claims that others need are gone",
        |c| of(c, "counted")["turns"] = json!([]),
        3,
        "the loop is not claimed to iterate so seldom",
    ),
    ("what is returned is gone", |c| of(c, "low")["returned"] = Value::Null, 3, "twice:i0 is 0..31"),
    ("contents are gone", |c| c["contents"] = json!([]), 3, "what i2 reads of cells"),
    (
        "claims hold each other up in a circle",
        |c| {
            for claim in of(c, "counted")["values"].as_array_mut().expect("values") {
                claim["range"] = arc(claim["range"]["width"].as_u64().expect("a width") as u32, "0", "0");
            }
        },
        3,
        "counted:i5 is 0..0",
    ),
    (
        "two distances hold each other up",
        |c| {
            apart(c, "twice", ["i0", "i1"], "0");
            apart(c, "twice", ["i1", "i0"], "0");
        },
        3,
        "the other value changes",
    ),
    (
        "conditions of a divisor contradict each other",
        |c| *range(c, "quotient", "i0") = json!({ "width": 8, "first": "c8", "span": "a", "zeros": "ff" }),
        3,
        "quotient:i0 is 200..210",
    ),
    (
        "a loop turns less often",
        |c| of(c, "counted")["turns"][0]["most"] = 98.into(),
        3,
        "the counter has room for more",
    ),
    // As a word of eight bits the step is 0, and any counter makes that.
    (
        "a counter makes greater steps than it has words",
        |c| {
            let turns = &mut of(c, "counted")["turns"][0];
            (turns["most"], turns["step"]) = (1.into(), 256.into());
        },
        3,
        "the loop at block 1 goes back 1 times at most",
    ),
    (
        "a counter is moved by more places than it has",
        |c| {
            let turns = &mut of(c, "counted")["turns"][0];
            (turns["most"], turns["step"], turns["scales"]) = (1.into(), 256.into(), true.into());
            turns["range"] = arc(8, "1", "62");
        },
        3,
        "the loop at block 1 goes back 1 times at most",
    ),
    (
        "a step of nothing",
        |c| of(c, "counted")["turns"][0]["step"] = 0.into(),
        3,
        "the counter has room for more",
    ),
    (
        "there is no such block",
        |c| of(c, "counted")["turns"][0]["head"] = 4_000_000_000u32.into(),
        3,
        "the counter is at another head",
    ),
    (
        "a sum of numbers that are too large to multiply",
        |c| {
            let sum = &mut of(c, "counted")["sums"][0];
            (sum["turns"], sum["least"], sum["greatest"]) =
                ((u64::MAX - 1).into(), i64::MIN.into(), i64::MAX.into());
        },
        3,
        "counted:i2 changes by -9223372036854775808..9223372036854775807",
    ),
    (
        "a sum from its greatest to its least",
        |c| {
            let sum = &mut of(c, "counted")["sums"][1];
            (sum["least"], sum["greatest"]) = (7.into(), 0.into());
        },
        3,
        "what an iteration adds is no range",
    ),
    (
        "contents of every byte",
        |c| c["contents"][0]["step"] = 1.into(),
        3,
        "something else is stored there, too",
    ),
    (
        "contents from before the beginning",
        |c| c["contents"][0]["first"] = i64::MIN.into(),
        3,
        "it holds something else at first",
    ),
    (
        "contents far apart",
        |c| c["contents"][0]["step"] = u64::MAX.into(),
        3,
        "something else is stored there, too",
    ),
    ("a name is another", |c| of(c, "low")["name"] = "high".into(), 1, "no function is called high"),
    (
        "an object is another",
        |c| c["contents"][0]["object"]["global"] = "bells".into(),
        1,
        "nothing is called bells",
    ),
    (
        "a hash is another",
        |c| c["module"] = "00000000000000000000000000000000".into(),
        1,
        "it is of another module",
    ),
    (
        "a version is another",
        |c| c["schema"] = "opcost.certificate/1".into(),
        1,
        "opcost.certificate/2 is what",
    ),
    (
        "a function is there twice",
        |c| {
            let again = of(c, "low").clone();
            push(&mut c["functions"], again);
        },
        1,
        "low is there twice",
    ),
    (
        "there is no such result",
        |c| push(&mut of(c, "low")["values"], json!({ "value": "i99", "range": arc(32, "0", "0") })),
        1,
        "low:i99 has no such range",
    ),
    (
        "there is no such parameter",
        |c| push(&mut of(c, "low")["values"], json!({ "value": "argument9", "range": arc(32, "0", "0") })),
        1,
        "low:argument9 has no such range",
    ),
    ("no value", |c| of(c, "counted")["turns"][0]["counter"] = "q2".into(), 1, "q2 names no value"),
    ("a range of no bits", |c| range(c, "low", "i0")["width"] = 0.into(), 1, "low:i0 has no such range"),
    ("a range of other bits", |c| range(c, "low", "i0")["width"] = 31.into(), 1, "low:i0 has no such range"),
    ("a range beyond its bits", |c| range(c, "low", "i0")["span"] = "100000000".into(), 1, "no such range"),
    ("less than no bits", |c| range(c, "low", "i0")["width"] = (-1).into(), 1, "invalid value: integer `-1`"),
    (
        "2 to the power of 200",
        |c| range(c, "low", "i0")["span"] = ("1".to_owned() + &"0".repeat(50)).into(),
        1,
        "too large",
    ),
    ("returned of no bits", |c| of(c, "low")["returned"]["width"] = 0.into(), 1, "low returns no such range"),
    (
        "returned of 200 bits",
        |c| of(c, "low")["returned"]["width"] = 200.into(),
        1,
        "low returns no such range",
    ),
    (
        "returned of what returns nothing",
        |c| of(c, "put")["returned"] = arc(1, "0", "0"),
        1,
        "put returns no such range",
    ),
    (
        "a distance from what has other bits",
        |c| {
            apart(c, "counted", ["i4", "i2"], "5");
        },
        1,
        "counted:i2 has no such range",
    ),
    (
        "a distance from what is no word",
        |c| {
            apart(c, "counted", ["i4", "i1"], "5");
        },
        1,
        "counted:i1 has no such range",
    ),
    (
        "a sum on what has other bits",
        |c| of(c, "counted")["sums"][0]["base"] = "i0".into(),
        1,
        "counted:i0 has no such range",
    ),
    ("contents of no bytes", |c| c["contents"][0]["size"] = 0.into(), 1, "cells has no such contents"),
    (
        "contents of endlessly many bytes",
        |c| c["contents"][0]["size"] = u64::MAX.into(),
        1,
        "cells has no such contents",
    ),
    (
        "contents of 129 bits",
        |c| c["contents"][0]["range"]["width"] = 129.into(),
        1,
        "cells has no such contents",
    ),
    // Nobody calls anything in a program without a beginning.
    ("another world", |c| c["world"] = "closed".into(), 1, "anyone may call this one"),
    ("a name without a kind", |c| c["contents"][0]["object"] = "cells".into(), 1, "ObjectName"),
    ("a name of two kinds", |c| c["contents"][0]["object"]["function"] = "get".into(), 1, "ObjectName"),
    (
        "a range that a value has already",
        |c| {
            let again = of(c, "low")["values"][0].clone();
            push(&mut of(c, "low")["values"], again);
        },
        1,
        "a value of low has two ranges",
    ),
    (
        "a field of a range that nobody knows",
        |c| range(c, "low", "i0")["sapn"] = "0".into(),
        1,
        "unknown field `sapn`",
    ),
    (
        "a word with a sign",
        |c| range(c, "low", "i0")["span"] = "+1f".into(),
        1,
        "1f is how that word is written",
    ),
    (
        "a value by another spelling",
        |c| of(c, "low")["values"][0]["value"] = "i00".into(),
        1,
        "i00 is not how",
    ),
    (
        "a set of many words",
        |c| {
            range(c, "low", "i0")["set"] =
                (0..200_000).map(|word| format!("{word:x}")).collect::<Vec<_>>().into()
        },
        1,
        "a range lists more than 64 words",
    ),
    (
        "many claims",
        |c| c["contents"] = vec![c["contents"][0].clone(); 20_000].into(),
        1,
        "too many claims of contents of objects",
    ),
    (
        "a result that somebody gives",
        |c| {
            let given = json!({ "value": "i0", "range": arc(32, "0", "3"), "by": "contract" });
            push(&mut of(c, "low")["given"], given);
        },
        1,
        "low:i0 is said to be given as 0..3 of i32, and nobody says so",
    ),
    (
        "a library function that is none",
        |c| {
            let given = json!({ "value": "i0", "range": arc(32, "0", "3"), "by": "library" });
            push(&mut of(c, "low")["given"], given);
        },
        1,
        "nobody says so",
    ),
    (
        "a friend gives",
        |c| {
            let given = json!({ "value": "argument0", "range": arc(32, "0", "3"), "by": "a friend" });
            push(&mut of(c, "low")["given"], given);
        },
        1,
        "unknown variant `a friend`",
    ),
    ("a field that nobody knows", |c| c["no_overflows"] = true.into(), 1, "unknown field `no_overflows`"),
    ("no world", |c| c["world"] = "flat".into(), 1, "unknown variant `flat`"),
];

#[test]
fn what_was_edited_is_not_believed() {
    let subject = Subject::new();
    let (status, words) = subject.check(&subject.certificate.to_string());
    assert!(status == 0 && words.starts_with("holds: each of 27 claims"), "{words}");
    assert!(!words.contains("changed since"), "{words}");
    let mut wrong = String::new();
    for &(what, edit, status, said) in EDITS {
        let mut edited = subject.certificate.clone();
        edit(&mut edited);
        assert_ne!(edited, subject.certificate, "{what}");
        let (is, words) = subject.check(&edited.to_string());
        let is_told = words.contains(said)
            && !words.contains("panicked")
            && !words.contains("z3 failed")
            && !words.starts_with("holds")
            // Where: the claims that fail, or the file.
            && (status == 3) == words.starts_with("does not hold:")
            && (status == 3) == words.contains("it was changed since it was written")
            && (status == 3 || words.contains("edited.json") && words.contains("write"));
        if is != status || !is_told {
            wrong += &format!("{what}: {is:?} and not {status} with '{said}':\n{words}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is taken as given is not proven: it is listed, and what rests on it fails
/// without it.
#[test]
fn what_is_taken_as_given_is_listed_whoever_wrote_it() {
    let subject = Subject::new();
    let mut edited = subject.certificate.clone();
    push(
        &mut of(&mut edited, "low")["given"],
        json!({ "value": "argument0", "range": arc(32, "0", "3"), "by": "contract" }),
    );
    range(&mut edited, "low", "i0")["span"] = "3".into();
    // That it is in the certificate is not enough.
    let (status, words) = subject.check(&edited.to_string());
    let is_listed =
        words.contains("low:argument0 is 0..3 of i32 (a contract): if that is so, add --assume 'low.");
    assert!(status == 3 && is_listed && words.contains("it was changed since"), "{words}");
    let (status, words) = subject.check_with(&["--assume", "low.argument0=0..3"], &edited.to_string());
    let is_listed = words.contains("taken as given: low:argument0 is 0..3 of i32 (a contract)");
    assert!(status == 0 && is_listed && words.contains("it was changed since"), "{words}");
    of(&mut edited, "low")["given"] = json!([]);
    let (status, words) = subject.check(&edited.to_string());
    assert!(status == 3 && words.contains("low:i0 is 0..3"), "{words}");
}

/// Everything follows from what never is: who may say so, and what names it.
#[test]
fn what_only_the_certificate_assumes_is_refused_with_the_flag_that_gives_it() {
    type Forgery = fn(&mut Value);
    let subject = Subject::new();
    let never = |c: &mut Value| {
        let given = json!({ "value": "argument0", "range": { "width": 32, "first": "0", "span": "ffffffff", "set": [] },
            "by": "contract" });
        push(&mut of(c, "low")["given"], given);
    };
    let cases: [(Forgery, &str); 5] = [
        (never, "low:argument0 is never (a contract): nobody says so"),
        (
            |c| c["no_overflow"] = true.into(),
            "do not overflow (--assume-no-overflow): if that is so, add --assume-no-overflow",
        ),
        (|c| c["in_bounds"] = true.into(), "if that is so, add --assume-inbounds"),
        (|c| c["written_first"] = true.into(), "if that is so, add --assume-written-first"),
        (|c| c["assumes"] = json!(["n is never 5"]), "n is never 5: nobody says so"),
    ];
    for (edit, said) in cases {
        let mut edited = subject.certificate.clone();
        edit(&mut edited);
        let (status, words) = subject.check(&edited.to_string());
        assert!(status == 3 && words.contains(said) && !words.starts_with("holds"), "{said}: {words}");
    }
    let mut edited = subject.certificate.clone();
    for field in ["no_overflow", "in_bounds", "written_first"] {
        edited[field] = true.into();
    }
    let flags = ["--assume-no-overflow", "--assume-inbounds", "--assume-written-first"];
    let (status, words) = subject.check_with(&flags, &edited.to_string());
    assert!(status == 0 && words.starts_with("holds: "), "{words}");
    let (status, words) = subject.check_with(&flags[1..], &edited.to_string());
    assert!(status == 3 && words.contains("add --assume-no-overflow"), "{words}");
}

/// Characters that end a line, hide it or turn it: each is written out.
#[test]
fn no_text_of_a_certificate_prints_a_line_of_its_own() {
    let subject = Subject::new();
    let signs =
        ["\n", "\r\n", "\u{1b}[2J\u{1b}[1;1H", "\u{1b}[8m", "\u{85}", "\u{2028}", "\u{9b}2J", "\u{202e}"];
    for sign in signs {
        let false_line = format!("x{sign}holds: each of 27 claims follows");
        type Put = fn(&mut Value, &str);
        let puts: [Put; 7] = [
            |c, text| c["assumes"] = json!([text]),
            |c, text| of(c, "low")["name"] = text.into(),
            |c, text| c["contents"][0]["object"]["global"] = text.into(),
            |c, text| c["schema"] = text.into(),
            |c, text| c["module"] = text.into(),
            |c, text| of(c, "low")["values"][0]["value"] = text.into(),
            |c, text| c[text] = 1.into(),
        ];
        for put in puts {
            let mut edited = subject.certificate.clone();
            put(&mut edited, &false_line);
            let (status, words) = subject.check(&edited.to_string());
            let is_one = words.lines().all(|line| !line.trim_start().starts_with("holds"));
            let is_plain = !words.contains(|letter: char| {
                letter != '\n' && sign.contains(letter) && !letter.is_ascii_graphic()
            });
            assert!(status != 0 && is_one && is_plain, "{sign:?}: {words:?}");
        }
    }
}

/// Files that are no certificate: the file is at fault and not the program.
#[test]
fn what_is_no_certificate_is_told_with_its_name() {
    let subject = Subject::new();
    let whole = subject.certificate.to_string();
    let bits = json!({ "schema": "opcost.bits/1", "world": "open", "functions": [] }).to_string();
    let newer = json!({ "schema": "opcost.certificate/3", "rules": {} }).to_string();
    let large = whole.replacen("\"width\":32", "\"width\":1e400", 1);
    let twice = whole.replacen("\"schema\":", "\"schema\":\"opcost.certificate/2\",\"schema\":", 1);
    let deep = "[".repeat(100_000);
    let deeper = whole.replacen("\"assumes\":[", &format!("\"assumes\":[{deep}"), 1);
    let cases: &[(&str, &str)] = &[
        ("", "EOF while parsing a value at line 1 column 0"),
        ("define i32 @f() {\n  ret i32 0\n}\n", "expected value at line 1 column 1"),
        (&whole[..whole.len() / 2], "EOF while parsing"),
        ("{}", "missing field `schema`"),
        ("null", "invalid type: null"),
        ("[]", "invalid length 0"),
        (&bits, "it says that it is opcost.bits/1"),
        (&newer, "it says that it is opcost.certificate/3"),
        (&large, "number out of range"),
        (&twice, "duplicate field `schema`"),
        (&deep, "invalid type: sequence"),
        (&deeper, "invalid type: sequence"),
        ("\u{0}\u{fffd}\u{1}", "expected value"),
    ];
    for (text, told) in cases {
        let (status, words) = subject.check(text);
        let start: String = text.chars().take(40).collect();
        let is_told = words
            .starts_with(&format!("opcost: {}: this is no certificate (", subject.file.display()))
            && words.contains(told)
            && words.contains("opcost bits --certificate FILE writes one");
        assert!(status == 1 && is_told, "{start}: {status:?} {words}");
    }
    let check = |file: &str| {
        let output = opcost(&["bits", "--check", file, &subject.source.path]);
        (output.status, output.stderr)
    };
    let folder = subject.file.parent().expect("a folder").to_string_lossy().into_owned();
    let (status, words) = check(&folder);
    assert!(status == 2 && words.contains(&format!("{folder} is a folder")), "{words}");
    let (status, words) = check("/nowhere/c.json");
    assert!(
        status == 1 && words.contains("cannot read /nowhere/c.json: there is no folder /nowhere"),
        "{words}"
    );
}

/// The same source at other flags is another module.
#[test]
fn a_certificate_is_of_one_module_at_its_flags() {
    let text = "int f(int a) {\n  int sum = 0;\n  for (int i = 0; i < 9; i++)\n    sum += a & i;\n  return sum;\n}\n";
    let source = Source::new("flags.c", text);
    let file = PathBuf::from(&source.path).with_file_name("c.json").to_string_lossy().into_owned();
    opcost(&["bits", "-O1", "--certificate", &file, &source.path]).expect(0);
    let check = |flags: &[&str]| {
        let output = opcost(&[&["bits", "--check", &file], flags, &[&source.path]].concat());
        (output.status, output.stdout + &output.stderr)
    };
    let (status, words) = check(&["-O1"]);
    assert!(status == 0 && words.starts_with("holds: "), "{words}");
    for flags in [&["-O0"][..], &["-O2"], &["-O1", "-Df=g"]] {
        let (status, words) = check(flags);
        let is_told = words.contains("c.json does not fit: it is of another module")
            && words.contains("write it again");
        assert!(status == 1 && is_told, "{flags:?}: {words}");
    }
    // Rewriting does not check: one or the other.
    let refused = opcost(&["bits", "--narrow", "-o", "n.bc", "--check", &file, &source.path]);
    assert!(refused.status == 2 && refused.stderr.contains("--check"), "{}", refused.stderr);
}
