//! Every field of a certificate is changed: what is then believed is still true.
//!
//! A certificate is taken as the text that it is in a file, and each number, word,
//! flag, list and object in it is changed, dropped, doubled, reordered or swapped
//! with another of its kind, the seal made anew so that it is not what finds it.
//! What cannot be read is refused; what is read is refused or, as far as runs of the
//! program tell, true. A claim of values that a run breaks is never accepted.
//!
//! `PROPTEST_CASES=100000 cargo test -p opcost-bits --test certificates attack` goes
//! on for longer; `FIRST_SEED` begins elsewhere.

use opcost_analysis::memory::World;
use opcost_certificate::Certificate;
use opcost_ir::parse_module;
use opcost_testkit::Random;
use serde_json::{Value, json};

use crate::worked::SUMS;
use crate::{
    Subject, access_subject, branch_subject, certificate_of, checked, first_broken, loop_subject,
    number_from, random,
};

/// The ways to all parts of a document.
fn places(document: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut work = vec![(String::new(), document)];
    while let Some((at, value)) = work.pop() {
        match value {
            Value::Array(list) => {
                work.extend(list.iter().enumerate().map(|(place, one)| (format!("{at}/{place}"), one)));
            }
            Value::Object(map) => work.extend(map.iter().map(|(name, one)| (format!("{at}/{name}"), one))),
            _ => {}
        }
        all.push(at);
    }
    all.retain(|at| !at.is_empty() && at != "/seal");
    all.sort();
    all
}

fn last_name(at: &str) -> &str {
    at.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or("")
}

fn number(value: i128) -> Value {
    u64::try_from(value).map(Value::from).or(i64::try_from(value).map(Value::from)).unwrap_or(json!(1e300))
}

/// Another value in place of one that is no list.
fn other(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Bool(flag) => json!(!flag),
        Value::Number(was) => {
            let was = i128::from(was.as_i64().unwrap_or(i64::MAX));
            let all =
                [0, 1, -1, was + 1, was - 1, was * 2, 1 << 32, (1 << 64) - 1, i128::from(i64::MIN), 64, 8];
            number(*random.of(&all))
        }
        Value::String(text) => match u128::from_str_radix(text, 16) {
            Ok(word) => {
                let all =
                    [0, 1, word.wrapping_add(1), word.wrapping_sub(1), word / 2, word ^ 1, 0xff, u128::MAX];
                json!(format!("{:x}", random.of(&all)))
            }
            Err(_) => json!(*random.of(&[
                "i0",
                "i1",
                "i2",
                "i3",
                "i4",
                "i5",
                "argument0",
                "argument1",
                "run",
                "main",
                "closed",
                "open",
                "contract",
                "library",
                "",
            ])),
        },
        other => other.clone(),
    }
}

/// One change; none if there is nothing to be changed in that way.
fn change(document: &mut Value, random: &mut Random) -> Option<String> {
    let all = places(document);
    let at = random.of(&all).clone();
    let (above, name) = at.rsplit_once('/')?;
    let was = document.pointer(&at)?.clone();
    match random.below(8) {
        // Dropped.
        0 => match document.pointer_mut(above)? {
            Value::Array(list) => drop(list.remove(name.parse::<usize>().ok()?)),
            Value::Object(map) => drop(map.remove(name)),
            _ => return None,
        },
        // Doubled, or moved to the front.
        1 => match document.pointer_mut(above)? {
            Value::Array(list) => list.insert(0, was),
            _ => return None,
        },
        // Taken from elsewhere in the document.
        2 | 3 => {
            let same: Vec<&String> = all.iter().filter(|one| last_name(one) == last_name(&at)).collect();
            let from = (*random.of(&same)).clone();
            let found = document.pointer(&from)?.clone();
            *document.pointer_mut(&at)? = found;
            if random.one_in(2) {
                *document.pointer_mut(&from)? = was;
            }
        }
        4 => {
            let list = document.pointer_mut(&at)?.as_array_mut()?;
            list.reverse();
        }
        _ => *document.pointer_mut(&at)? = other(&was, random),
    }
    Some(at)
}

/// A certificate with changes, sealed; none if it cannot be read.
fn forged(document: &Value) -> Option<Certificate> {
    Certificate::read(document.to_string().as_bytes()).ok().map(Certificate::sealed)
}

/// Judges one forged certificate: whether it is believed.
fn judge(subject: &Subject, certificate: Certificate, what: &str) -> bool {
    // What is believed of the program besides is not what a run shows.
    if certificate.no_overflow || certificate.in_bounds || certificate.written_first {
        return false;
    }
    if certificate.hindsight && !subject.hindsight || certificate.world != subject.claimed_world() {
        return false;
    }
    let is_given = certificate.functions.iter().any(|claims| !claims.given.is_empty());
    let (module, world) = (&subject.module, subject.world);
    let Ok(verdicts) = checked(module, certificate.clone(), world) else { return false };
    let verdicts = verdicts.unwrap_or_else(|error| panic!("{what}: {error} of {}", subject.what));
    let is_believed = verdicts.failed.is_empty();
    if is_believed && !is_given {
        let broken = first_broken(subject, &certificate);
        assert_eq!(broken, None, "{what} was accepted of {}", subject.what);
    }
    is_believed
}

/// Programs with loops, branches and accesses, one after the other.
fn subject(seed: u64) -> Option<Subject> {
    let world = if seed.is_multiple_of(2) { World::Open } else { World::Closed };
    match seed % 4 {
        0 => Some(branch_subject(seed)),
        1 => Some(access_subject(seed)),
        _ => loop_subject(seed, world),
    }
}

#[test]
fn attack_no_changed_certificate_is_believed_against_a_run() {
    let wanted = number_from("PROPTEST_CASES", 150);
    let (mut tried, mut read, mut believed, mut seed) = (0, 0, 0, number_from("FIRST_SEED", 0));
    while tried < wanted {
        seed += 1;
        let Some(subject) = subject(seed) else { continue };
        let whole = serde_json::to_value(subject.certificate()).expect("plain data");
        let mut random = random(seed);
        for _ in 0..30 {
            let mut document = whole.clone();
            let mut changed = Vec::new();
            for _ in 0..=random.below(3) {
                changed.extend(change(&mut document, &mut random));
            }
            tried += 1;
            let Some(certificate) = forged(&document).filter(|_| document != whole) else { continue };
            read += 1;
            if certificate.module != whole["module"] {
                continue;
            }
            let what = format!("seed {seed}, {changed:?}");
            believed += u64::from(judge(&subject, certificate, &what));
        }
    }
    println!("{tried} changed, {read} could be read, {believed} were believed and true, {seed} programs");
    assert!(read > wanted / 4 && believed > 0, "{read} {believed}");
}

/// Of one function with every kind of claim: each place is dropped and doubled, and
/// each field that is not known is refused wherever it stands.
#[test]
fn attack_unknown_fields_are_refused_at_every_place() {
    let module = parse_module(SUMS).expect("a module");
    let certificate = certificate_of(&module, World::Open);
    let claims = &certificate.functions[0];
    assert!(!claims.sums.is_empty() && !claims.turns.is_empty() && claims.returned.is_some());
    let whole = serde_json::to_value(certificate).expect("plain data");
    let mut objects: Vec<String> = places(&whole);
    objects.push(String::new());
    objects.retain(|at| whole.pointer(at).is_some_and(Value::is_object));
    assert!(objects.len() > 10, "{objects:?}");
    for at in objects {
        let mut document = whole.clone();
        let map = document.pointer_mut(&at).and_then(Value::as_object_mut).expect("an object");
        map.insert("comment".to_owned(), json!(null));
        assert!(forged(&document).is_none(), "{at}");
    }
}
