//! Random functions over odd widths: do runs stay in the ranges that are told?
//!
//! Functions of 1 to 70 and 127 to 129 bits with arithmetic, shifts, divisions,
//! casts, comparisons, loops and intrinsics, without promises, so that no value is
//! ever poison. Each of their values goes to a function that writes it down; the
//! program is compiled and run on the ends of its arguments and words in between.
//! Every word must lie in the range that `opcost bits --json` tells, as text, as
//! ends and as width; and what the program becomes by `--narrow` must write the same.

use std::collections::HashMap;

use serde_json::Value;

use super::{Source, document, opcost};

const FUNCTIONS: usize = 150;

/// Words that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn width(&mut self) -> u32 {
        match self.below(8) {
            0 => self.of(&[127, 128, 129]),
            1 => self.of(&[1, 2, 3, 63, 64, 65, 70]),
            _ => 1 + self.below(70) as u32,
        }
    }
}

/// A module while it is written.
struct Writer {
    random: Random,
    text: String,
    /// Of the function: names with their bits.
    values: Vec<(String, u32)>,
    function: usize,
    count: usize,
    /// Intrinsics that are used.
    declared: std::collections::BTreeSet<String>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text += &format!("  {line}\n");
    }

    /// A new value, which is written down if it has 128 bits at most.
    fn value(&mut self, width: u32, what: &str) -> String {
        self.count += 1;
        let name = format!("%v{}", self.count);
        self.line(&format!("{name} = {what}"));
        self.values.push((name.clone(), width));
        if width <= 128 {
            let (at, id) = (self.count, self.function * 1000 + self.count);
            let cast = if width < 128 {
                format!("zext i{width} {name} to i128")
            } else {
                format!("or i128 {name}, 0")
            };
            self.line(&format!("%w{at} = {cast}\n  %l{at} = trunc i128 %w{at} to i64"));
            self.line(&format!("%s{at} = lshr i128 %w{at}, 64\n  %h{at} = trunc i128 %s{at} to i64"));
            self.line(&format!("call void @seen(i32 {id}, i64 %h{at}, i64 %l{at})"));
        }
        name
    }

    fn call(&mut self, result: &str, name: &str, types: &[String], arguments: &[String]) -> String {
        self.declared.insert(format!("declare {result} @llvm.{name}({})\n", types.join(", ")));
        let given: Vec<String> =
            types.iter().zip(arguments).map(|(ty, value)| format!("{ty} {value}")).collect();
        format!("call {result} @llvm.{name}({})", given.join(", "))
    }

    /// Rather what was made last.
    fn any(&mut self) -> (String, u32) {
        let of = self.values.len();
        let back = self.random.below(of).min(self.random.below(of));
        self.values[of - 1 - back].clone()
    }

    /// A value in so many bits.
    fn cast(&mut self, width: u32) -> String {
        let (name, from) = self.any();
        let extend = self.random.of(&["zext", "sext"]);
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => name,
            std::cmp::Ordering::Less => self.value(width, &format!("{extend} i{from} {name} to i{width}")),
            std::cmp::Ordering::Greater => self.value(width, &format!("trunc i{from} {name} to i{width}")),
        }
    }

    fn step(&mut self) {
        let width = if self.random.below(3) == 0 { self.random.width() } else { self.any().1 };
        let (x, y, ty) = (self.cast(width), self.cast(width), format!("i{width}"));
        let small = 1 + self.random.below(width.min(12) as usize);
        match self.random.below(14) {
            0 | 1 => {
                let plain = self.random.of(&["add", "sub", "mul", "and", "or", "xor"]);
                self.value(width, &format!("{plain} {ty} {x}, {y}"));
            }
            2 => {
                let plain = self.random.of(&["add", "sub", "mul", "and", "or", "xor"]);
                let number = self.random.of(&["3", "-1", "5", "100", "-7", "1"]);
                // A literal must fit its type.
                let number = if width < 8 { "-1" } else { number };
                self.value(width, &format!("{plain} {ty} {x}, {number}"));
            }
            3 | 4 => {
                let mask = (1u128 << (small.min(width as usize - 1))) - 1;
                self.value(width, &format!("and {ty} {x}, {mask}"));
            }
            5 => {
                let shift = self.random.of(&["shl", "lshr", "ashr"]);
                let by = self.random.below(width as usize);
                self.value(width, &format!("{shift} {ty} {x}, {by}"));
            }
            6 if width > 8 && width <= 128 => {
                let shift = self.random.of(&["shl", "lshr", "ashr"]);
                let by = self.value(width, &format!("urem {ty} {y}, {width}"));
                self.value(width, &format!("{shift} {ty} {x}, {by}"));
            }
            // Not every compiler divides more than 128 bits.
            7 if width > 2 && width <= 128 => {
                let divide = self.random.of(&["udiv", "urem", "sdiv", "srem"]);
                let half = self.value(width, &format!("lshr {ty} {y}, {}", small.min(width as usize - 1)));
                let by = self.value(width, &format!("or {ty} {half}, 1"));
                self.value(width, &format!("{divide} {ty} {x}, {by}"));
            }
            8 | 9 => {
                let orders = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];
                let order = self.random.of(&orders);
                let is = self.value(1, &format!("icmp {order} {ty} {x}, {y}"));
                self.value(width, &format!("select i1 {is}, {ty} {x}, {ty} {y}"));
            }
            10 => {
                self.value(width, &format!("freeze {ty} {x}"));
            }
            11 => {
                self.value(width, &format!("mul {ty} {x}, {x}"));
            }
            _ => self.intrinsic(width, x, y),
        }
    }

    fn intrinsic(&mut self, width: u32, x: String, y: String) {
        let ty = format!("i{width}");
        let two = [ty.clone(), ty.clone()];
        let what = match self.random.below(9) {
            0 | 1 => {
                let name = self.random.of(&["smax", "smin", "umax", "umin"]);
                self.call(&ty, &format!("{name}.{ty}"), &two, &[x, y])
            }
            2 | 3 => {
                let name = self.random.of(&["sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"]);
                self.call(&ty, &format!("{name}.{ty}"), &two, &[x, y])
            }
            4 => {
                let name = self.random.of(&["ctlz", "cttz", "abs"]);
                self.call(
                    &ty,
                    &format!("{name}.{ty}"),
                    &[ty.clone(), "i1".to_owned()],
                    &[x, "false".to_owned()],
                )
            }
            5 => {
                let name = self.random.of(&["ctpop", "bitreverse"]);
                self.call(&ty, &format!("{name}.{ty}"), std::slice::from_ref(&ty), &[x])
            }
            6 if width.is_multiple_of(16) => {
                self.call(&ty, &format!("bswap.{ty}"), std::slice::from_ref(&ty), &[x])
            }
            6 | 7 if width <= 128 => {
                let name = self.random.of(&["fshl", "fshr"]);
                let z = self.cast(width);
                self.call(&ty, &format!("{name}.{ty}"), &[ty.clone(), ty.clone(), ty.clone()], &[x, y, z])
            }
            _ => {
                let name = self.random.of(&["uadd", "usub", "sadd", "ssub", "umul"]);
                let both = format!("{{ {ty}, i1 }}");
                let pair = self.call(&both, &format!("{name}.with.overflow.{ty}"), &two, &[x, y]);
                self.count += 1;
                let at = self.count;
                self.line(&format!("%p{at} = {pair}"));
                self.value(1, &format!("extractvalue {both} %p{at}, 1"));
                format!("extractvalue {both} %p{at}, 0")
            }
        };
        self.value(width, &what);
    }

    fn function(&mut self, number: usize) {
        (self.function, self.count) = (number, 0);
        self.values = vec![("%a".to_owned(), 64), ("%b".to_owned(), 64)];
        self.text += &format!("define void @f{number}(i64 noundef %a, i64 noundef %b) {{\nentry:\n");
        // Both in one word.
        self.line("%a1 = zext i64 %a to i129\n  %a2 = shl i129 %a1, 65\n  %b1 = sext i64 %b to i129");
        self.line("%ab = xor i129 %a2, %b1");
        self.values.push(("%ab".to_owned(), 129));
        (0..7).for_each(|_| self.step());
        if self.random.below(2) == 0 {
            let (start, width) = self.any();
            let turns = 1 + self.random.below(9);
            self.line("br label %loop\nloop:");
            self.line("%i = phi i7 [ 0, %entry ], [ %i1, %loop ]");
            // All phis stand first; what comes back is made below.
            self.line(&format!("%p = phi i{width} [ {start}, %entry ], [ %back, %loop ]"));
            self.values.extend([("%p".to_owned(), width), ("%i".to_owned(), 7)]);
            self.value(width, &format!("freeze i{width} %p"));
            (0..5).for_each(|_| self.step());
            let last = self.cast(width);
            self.line(&format!("%back = lshr i{width} {last}, {}", self_shift(width)));
            self.line("%i1 = add i7 %i, 1");
            self.line(&format!(
                "%more = icmp ult i7 %i1, {turns}\n  br i1 %more, label %loop, label %end\nend:"
            ));
            (0..2).for_each(|_| self.step());
        }
        self.text += "  ret void\n}\n";
    }
}

/// A few places less each turn, if there are some.
fn self_shift(width: u32) -> u32 {
    (width / 5).min(width - 1)
}

/// `lo..hi`, `{a, b}`, one number, or these in steps; read as the page says.
fn is_in(text: &str, word: u128, width: u32) -> bool {
    let (ends, step) = match text.split_once(" in steps of ") {
        Some((ends, step)) => (ends, step.parse().expect("a step")),
        None => (text, 1u128),
    };
    // As a word of the type, whatever the sign it is written with.
    let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let number = |text: &str| {
        let word = text.parse::<i128>().map(|number| number as u128).or_else(|_| text.parse::<u128>());
        word.expect("a number") & mask
    };
    if let Some(list) = ends.strip_prefix('{') {
        return list.trim_end_matches('}').split(", ").any(|one| number(one) == word);
    }
    match ends.split_once("..") {
        None => ends != "never" && number(ends) == word,
        Some((low, high)) => {
            let (low, high) = (number(low), number(high));
            let ahead = word.wrapping_sub(low) & mask;
            ahead <= (high.wrapping_sub(low) & mask) && ahead.is_multiple_of(step)
        }
    }
}

/// Whether a word is what is told of a value: its text, its ends, its bits.
fn holds(value: &Value, word: u128) -> bool {
    let width = value["declared"].as_u64().expect("bits") as u32;
    let signed = (word << (128 - width)) as i128 >> (128 - width);
    let end = |key: &str| value[key].as_i64().map(i128::from);
    let bits = value["width"].as_u64().expect("bits") as u32;
    let fits = match (bits, value["signed"] == true) {
        // A constant needs none.
        (0, _) => true,
        (_, false) => bits == 128 || word >> bits == 0,
        (_, true) => signed >> (bits - 1) == 0 || signed >> (bits - 1) == -1,
    };
    let text = value["range"].as_str().expect("a range");
    fits && end("least").is_none_or(|least| least <= signed)
        && end("greatest").is_none_or(|greatest| signed <= greatest)
        && is_in(text, word, width)
}

const DRIVER: &str = "
#include <stdint.h>
#include <stdio.h>
void seen(uint32_t id, uint64_t high, uint64_t low) { printf(\"%u %llx %llx\\n\", id, (long long)high, (long long)low); }
int main(void) {
  static const uint64_t ends[] = {0, 1, ~0ull, 1ull << 63, ~0ull >> 1, 0x5555555555555555};
  uint64_t state = 88172645463325252;
  for (unsigned f = 0; f < sizeof all / sizeof *all; f++)
    for (unsigned n = 0; n < 36 + 12; n++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      uint64_t a = n < 36 ? ends[n / 6] : state >> (state & 63), b = n < 36 ? ends[n % 6] : state * 77;
      all[f](a, b);
    }
  return 0;
}
";

#[test]
fn random_functions_of_odd_widths_stay_in_their_ranges() {
    let mut writer = Writer {
        random: Random(0x9e37_79b9_7f4a_7c15),
        text: "declare void @seen(i32, i64, i64)\n".to_owned(),
        values: Vec::new(),
        function: 0,
        count: 0,
        declared: std::collections::BTreeSet::new(),
    };
    (0..FUNCTIONS).for_each(|number| writer.function(number));
    let text = writer.declared.iter().map(String::as_str).collect::<String>() + &writer.text;
    let source = Source::new("odd.ll", &text);
    let told = document("bits", &["--world", "open", &source.path]);
    let mut by_name = HashMap::new();
    for function in told["functions"].as_array().expect("functions") {
        for value in function["values"].as_array().expect("values") {
            by_name.insert((function["name"].as_str(), value["name"].as_str()), value);
        }
    }
    let place = &source.place;
    let at = |name: &str| place.at(name);
    let names: String = (0..FUNCTIONS).map(|number| format!("f{number}, ")).collect();
    let declared: String = (0..FUNCTIONS).map(|number| format!("function f{number};\n")).collect();
    let driver = format!(
        "#include <stdint.h>\ntypedef void function(uint64_t, uint64_t);\n{declared}function *const all[] = {{{names}}};\n{DRIVER}"
    );
    place.write("driver.c", driver);
    opcost(&["bits", "--narrow", "--world", "open", "-o", &at("narrow.bc"), &source.path]).expect(0);
    let run = |code: &str, program: &str| {
        place.tool("clang-22", &["-O0", "-w", "-o", program, "driver.c", code]);
        place.tool(program, &[]).stdout
    };
    let words = run(&source.path, &at("whole"));
    let (mut seen, mut narrow) = (0, 0);
    for line in words.lines() {
        let mut parts = line.split(' ');
        let id: usize = parts.next().expect("an id").parse().expect("a number");
        let mut half = || u128::from_str_radix(parts.next().expect("a half"), 16).expect("hexadecimal");
        let word = half() << 64 | half();
        let (function, name) = (format!("f{}", id / 1000), format!("%v{}", id % 1000));
        let value = by_name[&(Some(&*function), Some(&*name))];
        assert!(holds(value, word), "{function}: {name} is {word}, {value:#}");
        seen += 1;
        narrow += usize::from(value["width"].as_u64() < value["declared"].as_u64());
    }
    assert!(seen > 50_000 && narrow * 5 > seen, "{seen} seen, {narrow} narrower than their types");
    let same = run(&at("narrow.bc"), &at("narrow"));
    if same != words {
        let line = words.lines().zip(same.lines()).find(|(was, is)| was != is);
        panic!("not what it was: {line:?}");
    }
}
