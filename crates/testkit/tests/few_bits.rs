//! Do casts, comparisons and intrinsics give what they must? At few bits with all
//! operands, against definitions in exact numbers that share nothing with the
//! interpreter.

use opcost_testkit::{Ended, Interpreter, Scalar, function_named, nothing_known};

/// Calls `f` of a module with these integers of `width` bits; `None` is poison.
fn results(text: &str, width: u32, inputs: &[Vec<i128>]) -> Vec<Option<i128>> {
    let module = opcost_ir::parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let interpreter = Interpreter::new(&module);
    let function = function_named(&module, "f").expect("a function f");
    let result = |input: &Vec<i128>| {
        let arguments: Vec<Scalar> = input.iter().map(|&one| Scalar::integer(width, one as u128)).collect();
        match interpreter.run(function, &arguments, &mut nothing_known).ended {
            Ended::Returned(Some(Scalar::Poison)) => None,
            Ended::Returned(Some(value)) => Some(value.bits().expect("an integer") as i128),
            other => panic!("{other:?}\n{text}"),
        }
    };
    inputs.iter().map(result).collect()
}

fn range(width: u32) -> i128 {
    1 << width
}

fn signed(number: i128, width: u32) -> i128 {
    if number >= range(width) / 2 { number - range(width) } else { number }
}

fn is_signed(number: i128, width: u32) -> bool {
    (-range(width) / 2..range(width) / 2).contains(&number)
}

fn pairs(width: u32) -> Vec<Vec<i128>> {
    (0..range(width)).flat_map(|left| (0..range(width)).map(move |right| vec![left, right])).collect()
}

#[test]
fn casts() {
    for flags in ["", "nuw", "nsw", "nuw nsw"] {
        for (from, to) in [(2, 1), (5, 1), (5, 3), (6, 5)] {
            let text = format!(
                "define i{to} @f(i{from} %a) {{\n\
                     %r = trunc {flags} i{to} %a\n\
                     ret i{to} %r\n\
                     }}"
            );
            let inputs: Vec<Vec<i128>> = (0..range(from)).map(|a| vec![a]).collect();
            for (input, found) in inputs.iter().zip(results(&text, from, &inputs)) {
                let a = input[0];
                let is_kept = (!flags.contains("nuw") || a < range(to))
                    && (!flags.contains("nsw") || is_signed(signed(a, from), to));
                assert_eq!(found, is_kept.then_some(a % range(to)), "trunc {flags} {from} {to} {a}");
            }
        }
    }
    for (word, from, to) in [("zext", 1, 3), ("zext nneg", 4, 7), ("sext", 1, 3), ("sext", 4, 70)] {
        let text = format!(
            "define i{to} @f(i{from} %a) {{\n\
             %r = {word} i{to} %a\n\
             ret i{to} %r\n\
             }}"
        );
        let inputs: Vec<Vec<i128>> = (0..range(from)).map(|a| vec![a]).collect();
        for (input, found) in inputs.iter().zip(results(&text, from, &inputs)) {
            let (a, number) = (input[0], signed(input[0], from));
            let expected = match word {
                "zext" => Some(a),
                "sext" => Some(number.rem_euclid(range(to))),
                _ => (number >= 0).then_some(a),
            };
            assert_eq!(found, expected, "{word} {from} {to} {a}");
        }
    }
}

#[test]
fn comparisons() {
    type Holds = fn(i128, i128) -> bool;
    let words: [(&str, bool, Holds); 10] = [
        ("eq", false, |a, b| a == b),
        ("ne", false, |a, b| a != b),
        ("ult", false, |a, b| a < b),
        ("ule", false, |a, b| a <= b),
        ("ugt", false, |a, b| a > b),
        ("uge", false, |a, b| a >= b),
        ("slt", true, |a, b| a < b),
        ("sle", true, |a, b| a <= b),
        ("sgt", true, |a, b| a > b),
        ("sge", true, |a, b| a >= b),
    ];
    for width in [1, 4] {
        for (word, is_signed, holds) in words {
            for flag in ["", "samesign "] {
                let text = format!(
                    "define i1 @f(i{width} %a, i{width} %b) {{\n\
                         %r = icmp {flag}{word} i{width} %a, %b\n\
                         ret i1 %r\n\
                         }}"
                );
                for (input, found) in pairs(width).iter().zip(results(&text, width, &pairs(width))) {
                    let both =
                        [input[0], input[1]].map(|one| if is_signed { signed(one, width) } else { one });
                    let signs = [input[0], input[1]].map(|one| one >= range(width) / 2);
                    let is_kept = flag.is_empty() || signs[0] == signs[1];
                    let expected = is_kept.then_some(i128::from(holds(both[0], both[1])));
                    assert_eq!(found, expected, "{flag}{word} {width} {input:?}");
                }
            }
        }
    }
}

/// By definition; the second number as unsigned and as signed. `None` for a
/// name of another form.
fn define(name: &str, a: i128, b: i128, width: u32) -> i128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let (least, most) = (-range(width) / 2, range(width) / 2 - 1);
    let result = match name {
        "umin" => a.min(b),
        "umax" => a.max(b),
        "smin" => sa.min(sb),
        "smax" => sa.max(sb),
        "uadd.sat" => (a + b).min(range(width) - 1),
        "usub.sat" => (a - b).max(0),
        "sadd.sat" => (sa + sb).clamp(least, most),
        "ssub.sat" => (sa - sb).clamp(least, most),
        "ucmp" => (a - b).signum(),
        "scmp" => (sa - sb).signum(),
        other => panic!("{other}"),
    };
    result.rem_euclid(range(width))
}

#[test]
fn intrinsics_of_two_numbers() {
    let names =
        ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat", "ucmp", "scmp"];
    for name in names {
        for width in [2, 5] {
            let types =
                if name.ends_with("cmp") { format!("i{width}.i{width}") } else { format!("i{width}") };
            let text = format!(
                "declare i{width} @llvm.{name}.{types}(i{width}, i{width})\n\
                     define i{width} @f(i{width} %a, i{width} %b) {{\n\
                     %r = call i{width} @llvm.{name}.{types}(i{width} %a, i{width} %b)\n\
                     ret i{width} %r\n\
                     }}"
            );
            for (input, found) in pairs(width).iter().zip(results(&text, width, &pairs(width))) {
                assert_eq!(found, Some(define(name, input[0], input[1], width)), "{name} {width} {input:?}");
            }
        }
    }
}

#[test]
fn overflows_are_told_beside_the_result() {
    for name in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
        for part in ["i4", "i1"] {
            let text = format!(
                "declare {{ i4, i1 }} @llvm.{name}.with.overflow.i4(i4, i4)\n\
                     define {part} @f(i4 %a, i4 %b) {{\n\
                     %r = call {{ i4, i1 }} @llvm.{name}.with.overflow.i4(i4 %a, i4 %b)\n\
                     %p = extractvalue {part} %r\n\
                     ret {part} %p\n\
                     }}"
            );
            for (input, found) in pairs(4).iter().zip(results(&text, 4, &pairs(4))) {
                let is_signed_one = name.starts_with('s');
                let [a, b] = [input[0], input[1]].map(|one| if is_signed_one { signed(one, 4) } else { one });
                let exact = match &name[1..] {
                    "add" => a + b,
                    "sub" => a - b,
                    _ => a * b,
                };
                let fits = if is_signed_one { is_signed(exact, 4) } else { (0..16).contains(&exact) };
                let expected = if part == "i4" { exact.rem_euclid(16) } else { i128::from(!fits) };
                assert_eq!(found, Some(expected), "{name} {part} {input:?}");
            }
        }
    }
}

#[test]
fn intrinsics_of_bits() {
    let digits = |a: i128| -> Vec<i128> { (0..16).map(|place| a >> place & 1).collect() };
    let number = |digits: Vec<i128>| digits.iter().rev().fold(0, |sum, digit| sum * 2 + digit);
    for name in ["ctpop", "bitreverse", "bswap"] {
        let text = format!(
            "declare i16 @llvm.{name}.i16(i16)\n\
                 define i16 @f(i16 %a) {{\n\
                 %r = call i16 @llvm.{name}.i16(i16 %a)\n\
                 ret i16 %r\n\
                 }}"
        );
        let inputs: Vec<Vec<i128>> = (0..65536).step_by(37).map(|a| vec![a]).collect();
        for (input, found) in inputs.iter().zip(results(&text, 16, &inputs)) {
            let mut own = digits(input[0]);
            let expected = match name {
                "ctpop" => own.iter().sum(),
                "bitreverse" => {
                    own.reverse();
                    number(own)
                }
                _ => {
                    own.rotate_left(8);
                    number(own)
                }
            };
            assert_eq!(found, Some(expected), "{name} {input:?}");
        }
    }
    for (name, promised) in [("ctlz", 0), ("ctlz", 1), ("cttz", 0), ("cttz", 1), ("abs", 0), ("abs", 1)] {
        let text = format!(
            "declare i5 @llvm.{name}.i5(i5, i1)\n\
                 define i5 @f(i5 %a) {{\n\
                 %r = call i5 @llvm.{name}.i5(i5 %a, i1 {promised})\n\
                 ret i5 %r\n\
                 }}"
        );
        let inputs: Vec<Vec<i128>> = (0..32).map(|a| vec![a]).collect();
        for (input, found) in inputs.iter().zip(results(&text, 5, &inputs)) {
            let a = input[0];
            let expected = match name {
                "ctlz" => (0..5).take_while(|place| a < 16 >> place).count() as i128,
                "cttz" => (1..=5).take_while(|&place| a % (1 << place) == 0).count() as i128,
                _ => signed(a, 5).abs(),
            };
            let is_hopeless = if name == "abs" { a == 16 } else { a == 0 };
            let expected = (promised == 0 || !is_hopeless).then_some(expected);
            assert_eq!(found, expected, "{name} {promised} {a}");
        }
    }
}

#[test]
fn funnels() {
    for name in ["fshl", "fshr"] {
        for amount in 0..10 {
            let text = format!(
                "declare i4 @llvm.{name}.i4(i4, i4, i4)\n\
                     define i4 @f(i4 %a, i4 %b) {{\n\
                     %r = call i4 @llvm.{name}.i4(i4 %a, i4 %b, i4 {amount})\n\
                     ret i4 %r\n\
                     }}"
            );
            for (input, found) in pairs(4).iter().zip(results(&text, 4, &pairs(4))) {
                let both = input[0] * 16 + input[1];
                let by = amount % 4;
                let expected = if name == "fshl" { (both << by) / 16 % 16 } else { (both >> by) % 16 };
                assert_eq!(found, Some(expected), "{name} {amount} {input:?}");
            }
        }
    }
}
