//! Does making a certificate end? By a bound on work, after which claims become weaker.

use super::{cases, opcost};

/// How many claims hold, how many questions were asked, and how many claims were made weaker.
fn made(line: &str) -> [u64; 3] {
    let place = cases();
    let said = opcost(&place, &format!("bits --certificate c.json {line}")).expect(0);
    let file = line.split(' ').next_back().expect("a file");
    let flags = line.strip_suffix(file).expect("flags");
    let checked = opcost(&place, &format!("bits --check c.json {flags}{file}")).expect(0);
    assert!(checked.stdout.starts_with("holds: "), "{}", checked.all());
    let line = said.stderr.lines().find(|line| line.starts_with("certificate: ")).expect("a line").to_owned();
    let numbers = line.split(|letter: char| !letter.is_ascii_digit() && letter != ',');
    let numbers: Vec<u64> = numbers.filter_map(|digits| digits.replace(',', "").parse().ok()).collect();
    numbers[..3].try_into().expect("three numbers")
}

/// Control comes a second time: nothing is claimed, at once.
#[test]
fn making_a_certificate_ends_where_control_comes_again() {
    for level in ["-O0", "-O1", "-O2"] {
        let [claims, questions, weaker] = made(&format!("{level} --world open jump_back.c"));
        assert!(claims <= 10 && questions <= 40 && weaker <= 40, "{claims} {questions} {weaker}");
    }
}

/// Products and quotients of 128 bits are asked about briefly.
#[test]
fn wide_arithmetic_is_asked_about_briefly() {
    for level in ["-O0", "-O1", "-O2"] {
        let [claims, questions, weaker] = made(&format!("{level} --world open wide_rest.c"));
        assert!(questions <= 150 && weaker <= 80, "{claims} {questions} {weaker}");
    }
}
