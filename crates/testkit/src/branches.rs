//! Random functions of every operation on integers, with branches, switches,
//! selects and loops: as text, of two parameters of 8 bits.
//!
//! A program is a list of statements over the values in scope, of 4, 8 and 16
//! bits; `if` and `switch` join in phis, loops go round at most a few hundred
//! times before the referee stops them. Flags are set at random. The same text
//! for a seed, always.

use std::fmt::Write;

use crate::Random;

/// A program while it is written.
struct Text {
    random: Random,
    out: String,
    next: u32,
    /// The block that is written.
    block: String,
    /// Names and widths.
    scope: Vec<(String, u32)>,
}

/// The text of a seed: a function `run(i8, i8)`.
pub fn random_branches(seed: u64) -> String {
    let mut text = Text {
        random: Random::new(seed ^ 0x5bd1),
        out: String::new(),
        next: 0,
        block: "entry".into(),
        scope: vec![("%a".into(), 8), ("%b".into(), 8)],
    };
    let count = 3 + text.random.below(5);
    for _ in 0..count {
        text.statement(2);
    }
    let result = text.value(8);
    format!("{DECLARATIONS}define i8 @run(i8 %a, i8 %b) {{\nentry:\n{}  ret i8 {result}\n}}\n", text.out)
}

const DECLARATIONS: &str = "declare i8 @llvm.umin.i8(i8, i8) nounwind willreturn memory(none)
declare i8 @llvm.umax.i8(i8, i8) nounwind willreturn memory(none)
declare i8 @llvm.smin.i8(i8, i8) nounwind willreturn memory(none)
declare i8 @llvm.smax.i8(i8, i8) nounwind willreturn memory(none)
declare void @llvm.assume(i1)
";

const PREDICATES: [&str; 10] = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];

impl Text {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn label(&mut self) -> String {
        self.next += 1;
        format!("l{}", self.next)
    }

    fn line(&mut self, text: String) {
        writeln!(self.out, "  {text}").expect("writing to a string");
    }

    fn result(&mut self, width: u32, text: String) -> String {
        let name = self.name();
        self.line(format!("{name} = {text}"));
        self.scope.push((name.clone(), width));
        name
    }

    fn begin(&mut self, label: &str) {
        writeln!(self.out, "{label}:").expect("writing to a string");
        self.block = label.into();
    }

    fn constant(&mut self, width: u32) -> String {
        let corners = [0, 1, 2, 3, 7, 15, 1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 1];
        match self.random.one_in(2) {
            true => self.random.of(&corners).to_string(),
            false => self.random.below(1 << width).to_string(),
        }
    }

    /// A value of this width, made by a cast where there is none.
    fn value(&mut self, width: u32) -> String {
        let fit: Vec<String> =
            self.scope.iter().filter(|&&(_, other)| other == width).map(|(name, _)| name.clone()).collect();
        if fit.is_empty() || self.random.one_in(6) {
            return self.cast(width);
        }
        // The youngest are the most interesting.
        let from = fit.len().saturating_sub(6);
        self.random.of(&fit[from..]).clone()
    }

    fn cast(&mut self, width: u32) -> String {
        let others: Vec<(String, u32)> =
            self.scope.iter().filter(|&&(_, other)| other != width && other != 1).cloned().collect();
        let Some((name, from)) = (!others.is_empty()).then(|| self.random.of(&others).clone()) else {
            return self.constant(width);
        };
        let word = match (from < width, self.random.one_in(2)) {
            (true, true) => "zext",
            (true, false) => "sext",
            _ => "trunc",
        };
        self.result(width, format!("{word} i{width} i{from} {name}"))
    }

    fn operand(&mut self, width: u32) -> String {
        if self.random.one_in(2) { self.constant(width) } else { self.value(width) }
    }

    fn compute(&mut self) {
        let width = *self.random.of(&[8, 8, 8, 4, 16]);
        let left = self.value(width);
        let right = self.operand(width);
        if width == 8 && self.random.one_in(8) {
            let name = *self.random.of(&["umin", "umax", "smin", "smax"]);
            self.result(8, format!("call i8 @llvm.{name}.i8(i8 {left}, i8 {right})"));
            return;
        }
        let all: [(&str, &[&str]); 13] = [
            ("add", &["", " nsw", " nuw"]),
            ("sub", &["", " nsw", " nuw"]),
            ("mul", &["", " nsw", " nuw"]),
            ("and", &[""]),
            ("or", &[""]),
            ("xor", &[""]),
            ("lshr", &["", " exact"]),
            ("ashr", &["", " exact"]),
            ("shl", &["", " nsw", " nuw"]),
            ("udiv", &["", " exact"]),
            ("sdiv", &[""]),
            ("urem", &[""]),
            ("srem", &[""]),
        ];
        let (opcode, flags) = *self.random.of(&all);
        let flag = if self.random.one_in(2) { "" } else { self.random.of(flags) };
        let right = match opcode {
            "lshr" | "ashr" | "shl" => self.random.below(u64::from(width)).to_string(),
            "udiv" | "sdiv" | "urem" | "srem" => (1 + self.random.below(9).min((1 << width) - 2)).to_string(),
            _ => right,
        };
        self.result(width, format!("{opcode}{flag} i{width} {left}, {right}"));
    }

    fn condition(&mut self) -> String {
        if self.random.one_in(6) {
            let (one, two) = (self.comparison(), self.comparison());
            let word = *self.random.of(&["and", "or"]);
            return self.result(1, format!("{word} i1 {one}, {two}"));
        }
        if self.random.one_in(10) {
            let value = self.value(8);
            return self.result(1, format!("trunc i1 i8 {value}"));
        }
        let test = self.comparison();
        if self.random.one_in(8) { self.result(1, format!("xor i1 {test}, true")) } else { test }
    }

    fn comparison(&mut self) -> String {
        let width = *self.random.of(&[8, 8, 8, 4, 16]);
        let (left, right) = (self.value(width), self.operand(width));
        let predicate = *self.random.of(&PREDICATES);
        self.result(1, format!("icmp {predicate} i{width} {left}, {right}"))
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            0..=3 => self.compute(),
            4 => {
                let test = self.condition();
                let (then, otherwise) = (self.value(8), self.operand(8));
                self.result(8, format!("select i8 i1 {test}, {then}, {otherwise}"));
            }
            5 if self.random.one_in(3) => {
                let test = self.condition();
                self.line(format!("call void @llvm.assume(i1 {test})"));
            }
            5 => self.compute(),
            6 | 7 => self.branch(depth - 1),
            8 => self.switch(depth - 1),
            _ => self.repeat(depth - 1),
        }
    }

    /// Statements of a block of its own: where it ends, and a value of it.
    fn arm(&mut self, label: &str, depth: u32) -> (String, String) {
        let before = self.scope.len();
        self.begin(label);
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        let value = self.value(8);
        self.scope.truncate(before);
        (self.block.clone(), value)
    }

    fn join(&mut self, arms: &[(String, String)], end: &str) {
        self.begin(end);
        let arms: Vec<String> = arms.iter().map(|(from, value)| format!("[ {value}, %{from} ]")).collect();
        self.result(8, format!("phi i8 {}", arms.join(", ")));
    }

    fn branch(&mut self, depth: u32) {
        let test = self.condition();
        let (yes, no, end) = (self.label(), self.label(), self.label());
        let own = (self.block.clone(), self.value(8));
        let is_short = self.random.one_in(2);
        let other = if is_short { &end } else { &no };
        self.line(format!("br i1 {test}, label %{yes}, label %{other}"));
        let mut arms = vec![self.arm(&yes, depth)];
        self.line(format!("br label %{end}"));
        if is_short {
            arms.push(own);
        } else {
            arms.push(self.arm(&no, depth));
            self.line(format!("br label %{end}"));
        }
        self.join(&arms, &end);
    }

    fn switch(&mut self, depth: u32) {
        let value = self.value(8);
        let (one, otherwise, end) = (self.label(), self.label(), self.label());
        let mut cases = String::new();
        let mut words: Vec<u64> = (0..1 + self.random.below(5)).map(|_| self.random.below(12)).collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            write!(cases, " i8 {word}, label %{one}").expect("writing to a string");
        }
        self.line(format!("switch i8 {value}, label %{otherwise} [{cases} ]"));
        let mut arms = vec![self.arm(&one, depth)];
        self.line(format!("br label %{end}"));
        arms.push(self.arm(&otherwise, depth));
        self.line(format!("br label %{end}"));
        self.join(&arms, &end);
    }

    fn repeat(&mut self, depth: u32) {
        let (head, end) = (self.label(), self.label());
        let (counter, state, next, new) = (self.name(), self.name(), self.name(), self.name());
        let (start, other) = (self.operand(8), self.operand(8));
        let from = self.block.clone();
        let at = self.out.len();
        self.line(format!("br label %{head}"));
        self.begin(&head);
        let phis = self.out.len();
        let before = self.scope.len();
        self.scope.extend([(counter.clone(), 8), (state.clone(), 8)]);
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        let value = self.value(8);
        let flag = *self.random.of(&["", " nuw", " nsw"]);
        let step = *self.random.of(&["1", "1", "2", "3", "255"]);
        self.line(format!("{next} = add{flag} i8 {counter}, {step}"));
        let word = *self.random.of(&["add", "add", "sub", "xor", "mul"]);
        self.line(format!("{new} = {word} i8 {state}, {value}"));
        self.scope.extend([(next.clone(), 8), (new.clone(), 8)]);
        let test = match self.random.one_in(3) {
            true => self.condition(),
            false => {
                let predicate = *self.random.of(&PREDICATES);
                let (side, limit) =
                    (self.random.of(&[next.clone(), counter.clone()]).clone(), self.operand(8));
                self.result(1, format!("icmp {predicate} i8 {side}, {limit}"))
            }
        };
        let back = self.block.clone();
        let lines = format!(
            "  {counter} = phi i8 [ {start}, %{from} ], [ {next}, %{back} ]\n  {state} = phi i8 [ {other}, %{from} ], [ {new}, %{back} ]\n"
        );
        self.out.insert_str(phis, &lines);
        debug_assert!(at < phis);
        self.line(format!("br i1 {test}, label %{head}, label %{end}"));
        self.begin(&end);
        // All of the body dominates what is behind it, but what lay in arms.
        let _ = before;
    }
}
