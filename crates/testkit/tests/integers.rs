//! Do integer operations give what they must? Every one at one to five bits
//! with all operands and all flags, against the definition in exact numbers.
//!
//! The other side shares nothing with the interpreter: values are mathematical
//! integers, an operation is what it is there, and only at the end it is asked
//! which number of so many bits that is, and whether a promise is broken.

use opcost_testkit::{Ended, Interpreter, Random, Scalar, Trap, function_named, nothing_known};

/// What a definition says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    Number(i128),
    Poison,
    Trap(Trap),
}

/// The operands of one execution, as numbers of both kinds.
#[derive(Clone, Copy)]
struct Operands {
    width: u32,
    left: i128,
    right: i128,
}

impl Operands {
    fn range(self) -> i128 {
        (0..self.width).fold(1, |range, _| range * 2)
    }

    fn signed(self, number: i128) -> i128 {
        if number >= self.range() / 2 { number - self.range() } else { number }
    }

    fn is_unsigned(self, exact: i128) -> bool {
        (0..self.range()).contains(&exact)
    }

    fn is_signed(self, exact: i128) -> bool {
        (-self.range() / 2..self.range() / 2).contains(&exact)
    }

    /// Bit by bit.
    fn bits(self, one: impl Fn(i128, i128) -> i128) -> i128 {
        let mut place = 1;
        let mut sum = 0;
        while place < self.range() {
            sum += place * one(self.left / place % 2, self.right / place % 2);
            place *= 2;
        }
        sum
    }
}

/// By definition; `nuw`, `nsw` and `exact` as they are promised (`disjoint` is
/// `exact` of an `or`).
fn define(word: &str, operands: Operands, nuw: bool, nsw: bool, exact: bool) -> Says {
    let Operands { width, left, right } = operands;
    let (signed_left, signed_right) = (operands.signed(left), operands.signed(right));
    let promised = |unsigned: i128, signed: i128| {
        let is_broken = (nuw && !operands.is_unsigned(unsigned)) || (nsw && !operands.is_signed(signed));
        if is_broken { Says::Poison } else { Says::Number(unsigned) }
    };
    let power = |exponent: i128| (0..exponent).fold(1, |power: i128, _| power * 2);
    match word {
        "add" => promised(left + right, signed_left + signed_right),
        "sub" => promised(left - right, signed_left - signed_right),
        "mul" => promised(left * right, signed_left * signed_right),
        "shl" | "lshr" | "ashr" if right >= i128::from(width) => Says::Poison,
        "shl" => promised(left * power(right), signed_left * power(right)),
        "lshr" | "ashr" if exact && left % power(right) != 0 => Says::Poison,
        "lshr" => Says::Number(left / power(right)),
        "ashr" => Says::Number(signed_left.div_euclid(power(right))),
        "udiv" | "sdiv" | "urem" | "srem" if right == 0 => Says::Trap(Trap::DivisionByZero),
        "sdiv" | "srem" if !operands.is_signed(signed_left / signed_right) => {
            Says::Trap(Trap::DivisionOverflow)
        }
        "udiv" if exact && left % right != 0 => Says::Poison,
        "sdiv" if exact && signed_left % signed_right != 0 => Says::Poison,
        "udiv" => Says::Number(left / right),
        "sdiv" => Says::Number(signed_left / signed_right),
        "urem" => Says::Number(left % right),
        "srem" => Says::Number(signed_left % signed_right),
        "or" if exact && operands.bits(|left, right| left * right) != 0 => Says::Poison,
        "or" => Says::Number(operands.bits(|left, right| left.max(right))),
        "and" => Says::Number(operands.bits(|left, right| left * right)),
        "xor" => Says::Number(operands.bits(|left, right| (left + right) % 2)),
        other => panic!("{other}"),
    }
}

/// What the interpreter says of a function of two integers.
fn run(interpreter: &Interpreter<'_>, function: opcost_key::FunctionId, operands: Operands) -> Says {
    let Operands { width, left, right } = operands;
    let arguments = [left, right].map(|number| Scalar::integer(width, number as u128));
    match interpreter.run(function, &arguments, &mut nothing_known).ended {
        Ended::Returned(Some(Scalar::Poison)) => Says::Poison,
        Ended::Returned(Some(value)) => Says::Number(value.bits().expect("an integer") as i128),
        Ended::Trapped { trap, .. } => Says::Trap(trap),
        other => panic!("{other:?}"),
    }
}

fn check(word: &str, flags: &str, widths: &[u32], inputs: impl Fn(u32) -> Vec<(i128, i128)>) -> u64 {
    let mut checked = 0;
    for &width in widths {
        let text = format!(
            "define i{width} @f(i{width} %a, i{width} %b) {{\n\
                 %r = {word} {flags} i{width} %a, %b\n\
                 ret i{width} %r\n\
                 }}"
        );
        let module = opcost_ir::parse_module(&text).expect("well-formed");
        let interpreter = Interpreter::new(&module);
        let function = function_named(&module, "f").expect("defined");
        for (left, right) in inputs(width) {
            let operands = Operands { width, left, right };
            let has = |flag: &str| flags.contains(flag);
            let expected =
                match define(word, operands, has("nuw"), has("nsw"), has("exact") || has("disjoint")) {
                    Says::Number(exact) => Says::Number(exact.rem_euclid(operands.range())),
                    other => other,
                };
            let found = run(&interpreter, function, operands);
            assert_eq!(found, expected, "{word} {flags} i{width} {left}, {right}");
            checked += 1;
        }
    }
    checked
}

const OPERATIONS: &[(&str, &[&str])] = &[
    ("add", &["", "nuw", "nsw", "nuw nsw"]),
    ("sub", &["", "nuw", "nsw", "nuw nsw"]),
    ("mul", &["", "nuw", "nsw", "nuw nsw"]),
    ("shl", &["", "nuw", "nsw", "nuw nsw"]),
    ("lshr", &["", "exact"]),
    ("ashr", &["", "exact"]),
    ("udiv", &["", "exact"]),
    ("sdiv", &["", "exact"]),
    ("urem", &[""]),
    ("srem", &[""]),
    ("and", &[""]),
    ("or", &["", "disjoint"]),
    ("xor", &[""]),
];

#[test]
fn operations_at_few_bits_with_all_operands() {
    let mut checked = 0;
    for (word, flags) in OPERATIONS {
        for flags in *flags {
            checked += check(word, flags, &[1, 2, 3, 5], |width| {
                let end = 1i128 << width;
                (0..end).flat_map(|left| (0..end).map(move |right| (left, right))).collect()
            });
        }
    }
    assert_eq!(checked, 30 * (4 + 16 + 64 + 1024));
}

#[test]
fn operations_at_many_bits_with_corners_and_random_operands() {
    for (word, flags) in OPERATIONS {
        for flags in *flags {
            check(word, flags, &[8, 16, 31, 32, 60], |width| {
                let mut random = Random::new(u64::from(width));
                let end = 1i128 << width;
                let corners = [0, 1, 2, end - 1, end - 2, end / 2, end / 2 - 1, end / 2 + 1];
                let mut any = |_| {
                    let number =
                        i128::from(random.number() >> (64 - width)) >> random.below(u64::from(width));
                    if random.one_in(3) { *random.of(&corners) } else { number }
                };
                // Exact results of shifts of 60 bits by 59 leave 128 bits of nothing.
                (0..200)
                    .map(|number| (any(number), any(number)))
                    .map(|(left, right)| {
                        let is_shift = word.ends_with("shl") || word.ends_with("shr");
                        (left, if is_shift { right % i128::from(width + 2) } else { right })
                    })
                    .collect()
            });
        }
    }
}

/// A tree of operations as text, evaluated here at once: `None` is poison.
fn expression(
    random: &mut Random,
    lines: &mut Vec<String>,
    depth: u32,
    inputs: [i128; 2],
) -> (String, Option<i128>) {
    const WIDTH: u32 = 8;
    if depth == 0 || random.one_in(6) {
        let constant = random.below(256) as i128;
        return match random.below(3) {
            0 => ("%a".into(), Some(inputs[0])),
            1 => ("%b".into(), Some(inputs[1])),
            _ => (constant.to_string(), Some(constant)),
        };
    }
    let words = ["add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor"];
    let word = *random.of(&words);
    let flags = match word {
        "add" | "sub" | "mul" | "shl" => *random.of(&["", "", "", "nsw", "nuw"]),
        _ => "",
    };
    let (left_name, left) = expression(random, lines, depth - 1, inputs);
    let (right_name, right) = expression(random, lines, depth - 1, inputs);
    let name = format!("%t{}", lines.len());
    lines.push(format!("  {name} = {word} {flags} i{WIDTH} {left_name}, {right_name}"));
    let value = left.zip(right).and_then(|(left, right)| {
        let operands = Operands { width: WIDTH, left, right };
        match define(word, operands, flags == "nuw", flags == "nsw", false) {
            Says::Number(exact) => Some(exact.rem_euclid(256)),
            _ => None,
        }
    });
    (name, value)
}

#[test]
fn random_expressions_are_what_their_definition_says() {
    let mut poison = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let inputs = [random.below(256) as i128, random.below(256) as i128];
        let mut lines = Vec::new();
        let (name, value) = expression(&mut random, &mut lines, 5, inputs);
        let text = format!("define i8 @f(i8 %a, i8 %b) {{\n{}\n  ret i8 {name}\n}}", lines.join("\n"));
        let module = opcost_ir::parse_module(&text).expect("well-formed");
        let found = run(
            &Interpreter::new(&module),
            function_named(&module, "f").expect("defined"),
            Operands { width: 8, left: inputs[0], right: inputs[1] },
        );
        poison += u32::from(value.is_none());
        assert_eq!(found, value.map_or(Says::Poison, Says::Number), "{text}\n{inputs:?}");
    }
    assert!((200..1900).contains(&poison), "both kinds are tried: {poison} of 2000 are poison");
}
