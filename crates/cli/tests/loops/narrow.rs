//! Does a program that was rewritten to proven widths do what it did?
//!
//! Every program of the corpus and its twin, whole; functions that published
//! tools got wrong and random ones, at the ends of their ports and in between,
//! against the originals in one executable.

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};

use super::{Source, opcost, workplace};

/// What the rewriting says, and the text of what it wrote.
fn narrowed(arguments: &[&str], place: &Workplace) -> (String, String) {
    let all = [&["bits", "--narrow", "-o", "narrow.bc"], arguments].concat();
    let said = place.opcost(&all).expect(0);
    (said.stdout, place.tool("llvm-dis-22", &["narrow.bc", "-o", "-"]).stdout)
}

/// A number of the words `(declared) -> (computed)`.
fn bits_of(said: &str) -> (u64, u64) {
    let line = said.lines().find(|line| line.contains(" -> ")).expect("a line of bits");
    let line = line.replace(',', "");
    let numbers: Vec<u64> = line.split([' ', ':']).filter_map(|word| word.parse().ok()).collect();
    (numbers[1], numbers[2])
}

#[test]
fn every_program_of_the_corpus_does_what_it_did() {
    let mut programs = Vec::new();
    for folder in [corpus("bits"), corpus("bits/twins")] {
        let files = std::fs::read_dir(folder).expect("corpus");
        programs.extend(files.filter_map(|file| Some(file.ok()?.path())));
    }
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    programs.sort();
    assert!(programs.len() >= 30, "{programs:?}");
    let place = workplace();
    let (mut declared, mut computed) = (0, 0);
    for path in programs.iter().map(|path| path.to_string_lossy()) {
        for level in ["-O0", "-O2"] {
            let (words, _) = narrowed(&[level, &path], &place);
            place.tool("clang-22", &[level, "-w", &path, "-o", "whole", "-lm"]);
            place.tool("clang-22", &["-O0", "-w", "narrow.bc", "-o", "narrow", "-lm"]);
            for seed in ["1", "77"] {
                let run = |name| ProgramOutput::of(place.program(place.path(name)).arg(seed));
                let (whole, narrow) = (run("whole"), run("narrow"));
                let is_same = (whole.status, whole.signal, &whole.stdout)
                    == (narrow.status, narrow.signal, &narrow.stdout);
                assert!(is_same, "{path} {level} {seed}: {whole:?} {narrow:?}\n{words}");
            }
            let (from, to) = bits_of(&words);
            assert!(to <= from, "{words}");
            (declared, computed) = (declared + from, computed + to);
        }
    }
    assert!(declared > 10_000 && computed * 3 < declared * 2, "{declared} -> {computed}");
}

/// Functions of two words, all of them defined for all words, held against what
/// they become; the text of that.
fn agree(text: &str, functions: &[String]) -> String {
    let source = Source::new("module.ll", text);
    let place = &source.place;
    let (_, narrow) = narrowed(&["--world", "open", &source.path], place);
    // The original goes by other names.
    place.write("whole.ll", text.replace("@f", "@whole_f"));
    let mut driver =
        String::from("#include <stdint.h>\n#include <stdio.h>\ntypedef uint32_t word(uint32_t, uint32_t);\n");
    for name in functions {
        driver += &format!("word {name}, whole_{name};\n");
    }
    let table = |prefix: &str| functions.iter().map(|name| format!("{prefix}{name},")).collect::<String>();
    driver +=
        &format!("word *const narrow[] = {{{}}}, *const whole[] = {{{}}};\n", table(""), table("whole_"));
    driver += DRIVER;
    place.write("driver.c", driver);
    for level in ["-O0", "-O2"] {
        place.tool("clang-22", &[level, "-w", "-o", "both", "driver.c", "whole.ll", "narrow.bc"]);
        let output = ProgramOutput::of(&mut place.program(place.path("both")));
        let words = &output.stdout;
        assert_eq!(output.status, 0, "{level}: {words}\n{text}\n{narrow}");
    }
    narrow
}

const DRIVER: &str = "
int main(void) {
  static const uint32_t ends[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 129, 200, 255, 256, 257, 32767,
    32768, 65535, 65536, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffffff80, 0xffffff7f, 0xffffff00, 0xffff8000,
    0xfffffff0, 0xfffffffe, 0xffffffff};
  const unsigned count = sizeof ends / sizeof *ends;
  uint64_t state = 88172645463325252;
  for (unsigned f = 0; f < sizeof narrow / sizeof *narrow; f++)
    for (unsigned n = 0; n < count * count + 500; n++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      uint32_t a = n < count * count ? ends[n / count] : state >> (state & 31);
      uint32_t b = n < count * count ? ends[n % count] : state >> 32;
      uint32_t is = narrow[f](a, b), was = whole[f](a, b);
      if (is != was)
        return printf(\"function %u of %u, %u: %u, but was %u\\n\", f, a, b, is, was), 1;
    }
  return 0;
}
";

/// Each of these was wrong in a published tool, or easily is.
#[test]
fn what_others_got_wrong_is_right() {
    let cases: &[(&str, &str, Option<&str>)] = &[
        (
            "a char is promoted before a comparison: nine bits",
            "
  %x = trunc i32 %a to i8
  %y = trunc i32 %b to i8
  %p = zext i8 %x to i32
  %q = zext i8 %y to i32
  %s = add nuw nsw i32 %p, %q
  %c = icmp samesign ugt i32 %s, 255
  %r = zext i1 %c to i32
  ret i32 %r",
            Some("add i9"),
        ),
        (
            "and with the difference of two booleans",
            "
  %x = icmp slt i32 %a, 5
  %y = icmp sgt i32 %b, 9
  %p = zext i1 %x to i32
  %q = zext i1 %y to i32
  %d = sub nsw i32 %p, %q
  %r = and i32 %d, %a
  ret i32 %r",
            Some("sub i2"),
        ),
        (
            "a shift by the narrow width and more",
            "
  %x = and i32 %a, 15
  %n = and i32 %b, 31
  %r = lshr i32 %x, %n
  ret i32 %r",
            Some("lshr i32"),
        ),
        (
            "a shift to the left by as much",
            "
  %x = and i32 %a, 1
  %n = and i32 %b, 31
  %s = shl i32 %x, %n
  %r = and i32 %s, 7
  ret i32 %r",
            Some("shl i32"),
        ),
        (
            "a shift by a constant beyond the bits that are there",
            "
  %x = and i32 %a, 15
  %y = lshr i32 %x, 9
  %z = add i32 %y, %b
  ret i32 %z",
            None,
        ),
        (
            "one signed bit",
            "
  %c = icmp slt i32 %a, %b
  %s = sext i1 %c to i32
  %n = icmp slt i32 %s, 0
  %t = select i1 %n, i32 %s, i32 7
  %u = add nsw i32 %s, %t
  ret i32 %u",
            None,
        ),
        (
            "the least number by -1",
            "
  %x = trunc i32 %a to i8
  %p = sext i8 %x to i32
  %m = or i32 %b, -2
  %r = sdiv i32 %p, %m
  ret i32 %r",
            Some("sdiv i32"),
        ),
        (
            "a quotient that may be narrow",
            "
  %x = trunc i32 %a to i8
  %p = sext i8 %x to i32
  %m = and i32 %b, 7
  %n = add i32 %m, 1
  %q = sdiv i32 %p, %n
  %s = srem i32 %p, %n
  %t = mul i32 %s, 1000
  %r = add i32 %q, %t
  ret i32 %r",
            Some("sdiv i8"),
        ),
        (
            "flags that hold in the type only",
            "
  %x = and i32 %a, 15
  %y = and i32 %b, 15
  %m = mul nuw nsw i32 %x, %y
  %d = sub nsw i32 %x, %y
  %o = or disjoint i32 %m, 1024
  %e = shl nuw nsw i32 %o, 2
  %r = add nsw i32 %e, %d
  ret i32 %r",
            None,
        ),
        (
            "orders of what is sometimes negative",
            "
  %x = trunc i32 %a to i8
  %p = sext i8 %x to i32
  %y = trunc i32 %b to i5
  %q = sext i5 %y to i32
  %c = icmp ult i32 %p, %q
  %d = icmp slt i32 %p, %q
  %e = zext i1 %c to i32
  %f = select i1 %d, i32 2, i32 8
  %r = or i32 %e, %f
  ret i32 %r",
            None,
        ),
        (
            "a freeze, and an undefined way into a phi",
            "
entry:
  %c = icmp ult i32 %a, 4
  br i1 %c, label %then, label %join
then:
  %x = and i32 %b, 3
  br label %join
join:
  %u = phi i32 [ undef, %entry ], [ %x, %then ]
  %z = freeze i32 %u
  %k = select i1 %c, i32 %z, i32 9
  ret i32 %k",
            Some("phi i32"),
        ),
        (
            "what was known in the turn before",
            "
entry:
  %n = and i32 %a, 63
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %last = phi i32 [ 300, %entry ], [ %i, %more ]
  %sum = phi i32 [ 0, %entry ], [ %new, %more ]
  %c = icmp ult i32 %last, 10
  %k = select i1 %c, i32 %last, i32 11
  %new = add i32 %sum, %k
  %e = icmp uge i32 %i, %n
  br i1 %e, label %end, label %more
more:
  %next = add nuw nsw i32 %i, 1
  br label %loop
end:
  ret i32 %new",
            Some("phi i6"),
        ),
        (
            "a loop to a bound that is given must end",
            "
entry:
  %n = and i32 %a, 255
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ %b, %entry ], [ %t, %loop ]
  %t = xor i32 %s, %i
  %next = add nuw nsw i32 %i, 1
  %c = icmp ule i32 %next, %n
  br i1 %c, label %loop, label %end
end:
  ret i32 %t",
            Some("phi i8"),
        ),
    ];
    let mut module = String::new();
    let mut names = Vec::new();
    for (number, (what, body, _)) in cases.iter().enumerate() {
        module += &format!("; {what}\ndefine i32 @f{number}_(i32 noundef %a, i32 noundef %b) {{{body}\n}}\n");
        names.push(format!("f{number}_"));
    }
    let narrow = agree(&module, &names);
    for (number, (what, _, wanted)) in cases.iter().enumerate() {
        let start = narrow.find(&format!("@f{number}_(")).expect("the function");
        let body = &narrow[start..start + narrow[start..].find("\n}").expect("its end")];
        assert!(wanted.is_none_or(|wanted| body.contains(wanted)), "{what}: {body}");
    }
}

/// Words that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// A function without undefined results: masks make ranges, divisors are not
    /// 0 nor -1, shifts are short; half of them turn in a loop.
    fn function(&mut self, name: &str) -> String {
        let is_loop = self.below(2) == 0;
        let mut values = vec!["%a".to_owned(), "%b".to_owned()];
        let mut text = format!("define i32 @{name}(i32 noundef %a, i32 noundef %b) {{\nentry:\n");
        let mut number = 0;
        self.steps(&mut text, &mut values, &mut number, 8);
        if is_loop {
            let (start, mask) = (values[self.below(values.len())].clone(), (1 << self.below(12)) - 1);
            let turns = 1 + self.below(300);
            text += &format!(
                "  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]\n  %p = phi i32 [ {start}, %entry ], [ %p1, \
                 %loop ]\n"
            );
            values.extend(["%i".to_owned(), "%p".to_owned()]);
            self.steps(&mut text, &mut values, &mut number, 10);
            let last = values[values.len() - 1].clone();
            text += &format!(
                "  %p1 = and i32 {last}, {mask}\n  %i1 = add nuw nsw i32 %i, 1\n  %go = icmp ult i32 %i1, {turns}\n  br i1 %go, \
                 label %loop, label %end\nend:\n"
            );
            values.push("%p1".to_owned());
            self.steps(&mut text, &mut values, &mut number, 3);
        }
        let mut sum = values[values.len() - 1].clone();
        for at in 1..4.min(values.len()) {
            text += &format!("  %r{at} = add i32 {sum}, {}\n", values[values.len() - 1 - at]);
            sum = format!("%r{at}");
        }
        text + &format!("  ret i32 {sum}\n}}\n")
    }

    fn steps(&mut self, text: &mut String, values: &mut Vec<String>, number: &mut usize, count: usize) {
        for _ in 0..count {
            *number += 1;
            let (n, of) = (*number, values.len());
            // Rather what was made last.
            let pick = |random: &mut Self| of - 1 - random.below(of).min(random.below(of));
            let (x, y) = (values[pick(self)].clone(), values[pick(self)].clone());
            let (mask, shift) = ((1u64 << self.below(17)) - 1, self.below(12));
            let bits = 1 + self.below(16);
            let predicates = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];
            let predicate = predicates[self.below(predicates.len())];
            let plain = ["add", "sub", "mul", "and", "or", "xor"][self.below(6)];
            *text += &match self.below(16) {
                0..=4 => format!("  %v{n} = {plain} i32 {x}, {y}\n"),
                5 | 6 => format!("  %v{n} = and i32 {x}, {mask}\n"),
                7 => format!("  %t{n} = trunc i32 {x} to i{bits}\n  %v{n} = sext i{bits} %t{n} to i32\n"),
                8 => format!("  %t{n} = trunc i32 {x} to i{bits}\n  %v{n} = zext i{bits} %t{n} to i32\n"),
                9 => format!("  %n{n} = and i32 {y}, 7\n  %v{n} = shl i32 {x}, %n{n}\n"),
                10 => format!("  %v{n} = ashr i32 {x}, {shift}\n"),
                11 => format!("  %n{n} = and i32 {y}, 15\n  %v{n} = lshr i32 {x}, %n{n}\n"),
                12 => {
                    let operation = ["udiv", "urem", "sdiv", "srem"][self.below(4)];
                    format!(
                        "  %m{n} = and i32 {y}, {mask}\n  %n{n} = add i32 %m{n}, 1\n  %v{n} = {operation} i32 {x}, %n{n}\n"
                    )
                }
                13 => format!("  %v{n} = ashr i32 {x}, {}\n", 16 + shift),
                _ => format!(
                    "  %c{n} = icmp {predicate} i32 {x}, {y}\n  %v{n} = select i1 %c{n}, i32 {x}, i32 {y}\n"
                ),
            };
            values.push(format!("%v{n}"));
        }
    }
}

#[test]
fn random_functions_are_what_they_were() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let names: Vec<String> = (0..400).map(|number| format!("f{number}_")).collect();
    let module: String = names.iter().map(|name| random.function(name)).collect();
    let narrow = agree(&module, &names);
    // Something is narrow in it, of each kind.
    for wanted in ["phi i", "icmp ", "select i1", " add i", " mul i", " ashr i", " udiv i", " srem i"] {
        let is_odd =
            |line: &&str| line.contains(wanted) && !line.contains("i32") && !line.contains("declare");
        assert!(narrow.lines().any(|line| is_odd(&line)), "no narrow {wanted}");
    }
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let source = Source::new("f.c", "int f(int a) { return (a & 3) + 1; }\n");
    let place = workplace();
    let at = |name: &str| place.at(name);
    let status = |arguments: &[&str]| {
        let output = opcost(arguments);
        (output.status, output.stderr)
    };
    let (code, words) = status(&["bits", "--narrow", &source.path]);
    assert!(code == 2 && words.contains("--output"), "{words}");
    let (code, words) = status(&["bits", "--narrow", "-o", &at("out.txt"), &source.path]);
    assert!(code == 2 && words.contains(".bc"), "{words}");
    let (code, words) = status(&["bits", "--narrow", "-o", &at("none/out.bc"), &source.path]);
    assert!(code == 1 && words.contains("cannot"), "{words}");
    place.write("old.bc", "old");
    place.write("no.bc", "no bitcode");
    let (code, words) = status(&["bits", "--narrow", "-o", &at("old.bc"), &at("no.bc")]);
    assert!(code == 1 && words.contains("no.bc"), "{words}");
    assert_eq!(place.read("old.bc"), "old");
    assert_eq!(std::fs::read_dir(place.path("")).expect("a folder").count(), 2);
}
