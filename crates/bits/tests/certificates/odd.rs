//! Programs that were made so that a false certificate could pass, with the claim.
//!
//! Each is a program and a claim that its runs break, by hand: names that collide,
//! addresses that go where they are not followed, memory that is something at first,
//! values that come again. The checker must refuse each one.

use std::fmt::Write;

use opcost_analysis::memory::World;
use opcost_certificate::{
    Certificate, ClaimedWorld, ContentsClaim, FORMAT, FunctionClaims, GivenBy, GivenClaim, Misfit,
    ObjectName, RangeClaim, ValueClaim, ValueName, fingerprint,
};
use opcost_ir::parse_module;

use crate::{certificate_of, checked, is_accepted};

/// A certificate with claims about values of one function, and one object.
fn claiming(
    text: &str,
    function: &str,
    values: &[(ValueName, u32, u128)],
) -> (opcost_ir::Module, Certificate) {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let values = values
        .iter()
        .map(|&(value, width, word)| ValueClaim { value, range: RangeClaim::arc(width, word, 0) });
    let claims = FunctionClaims { name: function.to_owned(), values: values.collect(), ..Default::default() };
    let certificate = Certificate {
        schema: FORMAT.to_owned(),
        module: fingerprint(&module).to_string(),
        world: ClaimedWorld::Closed,
        assumes: Vec::new(),
        hindsight: true,
        one_word: true,
        no_overflow: false,
        in_bounds: false,
        written_first: false,
        functions: vec![claims],
        contents: Vec::new(),
        seal: String::new(),
    };
    (module, certificate)
}

fn holding(object: ObjectName, written_first: bool, word: u128) -> ContentsClaim {
    ContentsClaim { object, first: 0, step: 0, size: 4, written_first, range: RangeClaim::arc(32, word, 0) }
}

fn local(function: &str, at: usize) -> ObjectName {
    ObjectName::allocated(function, opcost_index::Id::new(at))
}

/// The name of the data is what a local was called: `forge.ll`.
const COLLISION: &str = r#"
global internal @"f:i0" type i32 = { 0: i32 0 }
define i32 @f(i32 %x) {
entry:
  %p = alloca i32
  store i32 0, ptr %p
  store i32 %x, ptr %p
  %v = load i32, ptr %p
  %w = load i32, ptr @"f:i0"
  %s = add i32 %v, %w
  ret i32 %s
}
define i32 @main(i32 %c, ptr %a) {
entry:
  %r = call i32 @f(i32 12345)
  ret i32 %r
}
"#;

#[test]
fn data_that_has_the_name_of_a_local_is_not_taken_for_it() {
    let i3 = (ValueName::Result(3), 32, 0);
    for object in [ObjectName::data("f:i0"), local("f", 0)] {
        let (module, mut certificate) = claiming(COLLISION, "f", &[i3]);
        certificate.contents.push(holding(object, true, 0));
        assert!(!is_accepted(&module, &certificate.sealed()));
    }
    // What is true of the data holds of the data.
    let (module, mut certificate) = claiming(COLLISION, "f", &[(ValueName::Result(4), 32, 0)]);
    certificate.contents.push(holding(ObjectName::data("f:i0"), false, 0));
    assert!(is_accepted(&module, &certificate.sealed()));
    let honest = certificate_of(&module, World::Closed);
    assert!(is_accepted(&module, &honest));
}

/// What is said to be written first, and is not.
const UNWRITTEN: &str = "
define i32 @main(i1 %c) {
entry:
  %p = alloca i32
  br i1 %c, label %put, label %get
put:
  store i32 5, ptr %p
  br label %get
get:
  %v = load i32, ptr %p
  ret i32 %v
}
";

#[test]
fn that_nothing_is_read_before_it_is_written_must_be_known() {
    let (module, mut certificate) = claiming(UNWRITTEN, "main", &[(ValueName::Result(4), 32, 5)]);
    certificate.contents.push(holding(local("main", 0), true, 5));
    assert!(!is_accepted(&module, &certificate.clone().sealed()));
    // Whoever believes it of all programs says so, and it is listed.
    certificate.written_first = true;
    assert!(is_accepted(&module, &certificate.sealed()));
}

#[test]
fn what_nobody_gives_is_refused() {
    let given = |value, by| GivenClaim { value, range: RangeClaim::arc(32, 7, 0), by };
    let values = [
        (ValueName::Result(3), GivenBy::Contract),
        (ValueName::Result(3), GivenBy::Library),
        (ValueName::Argument(0), GivenBy::Library),
        (ValueName::Result(0), GivenBy::Contract),
    ];
    for (value, by) in values {
        let (module, mut certificate) = claiming(COLLISION, "f", &[]);
        let mut given = given(value, by);
        given.range.width = if value == ValueName::Result(0) { 64 } else { 32 };
        certificate.functions[0].given.push(given);
        let misfit = checked(&module, certificate.sealed(), World::Closed).err();
        assert!(matches!(misfit, Some(Misfit::Given(_))), "{value} {by:?}: {misfit:?}");
    }
    // A port may be, but not against what the code certainly gives.
    let (module, mut certificate) = claiming(COLLISION, "f", &[]);
    certificate.functions[0].given.push(given(ValueName::Argument(0), GivenBy::Contract));
    assert!(!is_accepted(&module, &certificate.clone().sealed()), "main gives 12345");
    certificate.functions[0].given[0].range = RangeClaim::arc(32, 12345, 0);
    assert!(is_accepted(&module, &certificate.sealed()));
}

#[test]
fn things_that_share_a_name_have_no_claims() {
    let twice = |name: &str| {
        format!(
            "
global internal @\"{name}\" type i32 = {{ 0: i32 0 }}
global internal @\"{name}\" type i32 = {{ 0: i32 9 }}
define i32 @main() {{
entry:
  %v = load i32, ptr @\"{name}\"
  ret i32 %v
}}
"
        )
    };
    for name in ["x", ""] {
        let Ok(module) = parse_module(&twice(name)) else { continue };
        let (_, mut certificate) = claiming(&twice(name), "main", &[(ValueName::Result(0), 32, 0)]);
        certificate.contents.push(holding(ObjectName::data(name), false, 0));
        let misfit = checked(&module, certificate.sealed(), World::Closed).err();
        assert!(matches!(misfit, Some(Misfit::Unknown(_))), "{misfit:?}");
    }
}

#[test]
fn more_claims_than_there_can_be_are_refused_at_once() {
    let (module, certificate) = claiming(COLLISION, "f", &[(ValueName::Result(4), 32, 0)]);
    let mut many = certificate.clone();
    many.contents = vec![holding(ObjectName::data("f:i0"), false, 0); 10_000];
    assert!(matches!(checked(&module, many, World::Closed).err(), Some(Misfit::Many(_))));
    let mut twice = certificate;
    let again = twice.functions[0].values[0].clone();
    twice.functions[0].values.push(again);
    assert!(matches!(checked(&module, twice, World::Closed).err(), Some(Misfit::Unknown(_))));
}

/// Nothing of what makes two modules two is left out of the hash.
#[test]
fn modules_that_differ_in_what_is_believed_have_other_hashes() {
    let base = COLLISION;
    let others = [
        base.replace("type i32 = { 0: i32 0 }", "type i64 = { 0: i32 0 }"),
        base.replace("global internal", "global external"),
        base.replace("type i32 = { 0: i32 0 }", "type i32 constant = { 0: i32 0 }"),
        base.replace("@f(i32 %x)", "@f(i32 noundef %x)"),
        base.replace("define i32 @f", "define internal i32 @f"),
        format!("declare void @g()\n{base}"),
        base.replace("12345", "12346"),
    ];
    let of = |text: &str| parse_module(text).map(|module| fingerprint(&module).to_string()).ok();
    let (mut seen, mut told) = (vec![of(base).expect("a module")], String::new());
    for other in &others {
        match of(other) {
            Some(hash) if !seen.contains(&hash) => seen.push(hash),
            Some(_) => writeln!(told, "the same: {other}").expect("a string"),
            None => {}
        }
    }
    assert!(told.is_empty() && seen.len() > 4, "{told} {}", seen.len());
}
