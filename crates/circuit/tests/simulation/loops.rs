//! Loops at random, with branches, accesses and exits anywhere.

use std::fmt::Write;

use opcost_ir::parse_module;
use opcost_testkit::{Random, function_named};

use super::kernels::{LAYOUT, elements};
use super::{Given, Runs, cases, targets, try_all};
use opcost_circuit::{Action, lower, schedule};

/// A loop that is being written: its text, its block, and what three variables are.
struct Text<'r> {
    random: &'r mut Random,
    text: String,
    next: usize,
    block: String,
    variables: [String; 3],
    /// Blocks from which control leaves, to one of two blocks, with the variables.
    exits: [Vec<(String, [String; 3])>; 2],
}

impl Text<'_> {
    fn line(&mut self, words: &str) {
        writeln!(self.text, "  {words}").expect("a string");
    }

    fn value(&mut self, words: &str) -> String {
        self.next += 1;
        let name = format!("%v{}", self.next);
        self.line(&format!("{name} = {words}"));
        name
    }

    fn label(&mut self) -> String {
        self.next += 1;
        format!("b{}", self.next)
    }

    fn begin(&mut self, block: &str) {
        writeln!(self.text, "{block}:").expect("a string");
        self.block = block.to_owned();
    }

    fn variable(&mut self) -> String {
        let which = self.random.below(3) as usize;
        self.variables[which].clone()
    }

    fn set(&mut self, value: String) {
        let which = self.random.below(3) as usize;
        self.variables[which] = value;
    }

    fn condition(&mut self) -> String {
        let predicate = *self.random.of(&["eq", "ne", "slt", "ugt", "sge"]);
        let left = self.variable();
        let right = match self.random.below(2) {
            0 => self.variable(),
            _ => self.random.of(&["0", "1", "-3", "100", "2147483647"]).to_string(),
        };
        self.value(&format!("icmp {predicate} i32 {left}, {right}"))
    }

    /// The place of an element of an array.
    fn place(&mut self, array: &str) -> String {
        let of = self.variable();
        let low = self.value(&format!("and i32 {of}, 7"));
        let wide = self.value(&format!("zext i64 i32 {low}"));
        self.value(&format!("getelementptr inbounds i32, ptr %{array}, i64 {wide}"))
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth < 3 { 9 } else { 5 };
        match self.random.below(kinds) {
            0 | 1 => {
                let operation = *self.random.of(&["add", "sub", "mul", "xor", "and", "or"]);
                let (left, right) = (self.variable(), self.variable());
                let value = self.value(&format!("{operation} i32 {left}, {right}"));
                self.set(value);
            }
            2 => {
                let array = *self.random.of(&["x", "y"]);
                let place = self.place(array);
                let value = self.value(&format!("load i32, ptr {place}"));
                self.set(value);
            }
            3 | 4 => {
                let place = self.place("y");
                let value = self.variable();
                self.line(&format!("store i32 {value}, ptr {place}"));
            }
            5 => {
                let condition = self.condition();
                let (to, on) = (self.random.below(2) as usize, self.label());
                self.line(&format!("br i1 {condition}, label %out{to}, label %{on}"));
                self.exits[to].push((self.block.clone(), self.variables.clone()));
                self.begin(&on);
            }
            6 => {
                let by = self.variable();
                let condition = self.value(&format!("icmp ne i32 {by}, 0"));
                self.either(&condition, depth, Some(by));
            }
            _ => {
                let condition = self.condition();
                self.either(&condition, depth, None);
            }
        }
    }

    /// Two ways that meet again; on the first, something is divided by `by`.
    fn either(&mut self, condition: &str, depth: u32, by: Option<String>) {
        let (first, second, meet) = (self.label(), self.label(), self.label());
        self.line(&format!("br i1 {condition}, label %{first}, label %{second}"));
        let before = self.variables.clone();
        self.begin(&first);
        if let Some(by) = by {
            let of = self.variable();
            let operation = *self.random.of(&["udiv", "urem"]);
            let value = self.value(&format!("{operation} i32 {of}, {by}"));
            self.set(value);
        } else {
            self.statements(depth + 1);
        }
        let (end_of_first, on_first) = (self.block.clone(), self.variables.clone());
        self.line(&format!("br label %{meet}"));
        self.begin(&second);
        self.variables = before;
        if self.random.below(2) == 0 {
            self.statements(depth + 1);
        }
        let (end_of_second, on_second) = (self.block.clone(), self.variables.clone());
        self.line(&format!("br label %{meet}"));
        self.begin(&meet);
        for which in 0..3 {
            let (one, other) = (&on_first[which], &on_second[which]);
            let words = format!("phi i32 [ {one}, %{end_of_first} ], [ {other}, %{end_of_second} ]");
            self.variables[which] = self.value(&words);
        }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }
}

/// A function with one loop.
fn random_loop(random: &mut Random) -> String {
    let mut text = Text {
        random,
        text: String::new(),
        next: 0,
        block: "loop".to_owned(),
        variables: ["%a", "%b", "%c"].map(str::to_owned),
        exits: [Vec::new(), Vec::new()],
    };
    text.statements(0);
    text.statements(0);
    text.line("%in = add i32 %i, 1");
    text.line("%more = icmp ult i32 %in, %n");
    text.line("br i1 %more, label %loop, label %out0");
    text.exits[0].push((text.block.clone(), text.variables.clone()));
    let (body, latch, last) = (text.text.clone(), text.block.clone(), text.variables.clone());
    let mut all = format!(
        "{LAYOUT}define i32 @run(ptr %x, ptr %y, i32 %p, i32 %n) {{\nentry:\n  br label %loop\nloop:\n"
    );
    writeln!(all, "  %i = phi i32 [ 0, %entry ], [ %in, %{latch} ]").expect("a string");
    for (name, (start, value)) in ["a", "b", "c"].iter().zip(["%p", "7", "%n"].iter().zip(&last)) {
        writeln!(all, "  %{name} = phi i32 [ {start}, %entry ], [ {value}, %{latch} ]").expect("a string");
    }
    all += &body;
    let exits = std::mem::take(&mut text.exits);
    let mut results = Vec::new();
    for (number, exits) in exits.iter().enumerate().filter(|(_, exits)| !exits.is_empty()) {
        writeln!(all, "out{number}:").expect("a string");
        for which in 0..3 {
            let arms: Vec<String> =
                exits.iter().map(|(block, values)| format!("[ {}, %{block} ]", values[which])).collect();
            writeln!(all, "  %r{number}{which} = phi i32 {}", arms.join(", ")).expect("a string");
        }
        writeln!(all, "  %s{number} = mul i32 %r{number}0, {}\n  %t{number} = xor i32 %s{number}, %r{number}1\n  %u{number} = sub i32 %t{number}, %r{number}2\n  br label %end", 2 * number + 3).expect("a string");
        results.push(format!("[ %u{number}, %out{number} ]"));
    }
    writeln!(all, "end:\n  %result = phi i32 {}\n  ret i32 %result\n}}", results.join(", "))
        .expect("a string");
    all
}

#[test]
fn random_loops_compute_what_they_say() {
    let mut random = Random::new(11);
    let (mut tried, mut merged, mut predicated) = (0, 0, 0);
    for case in 0..cases() {
        let text = random_loop(&mut random);
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = function_named(&module, "run").expect("run");
        let mut kernel = lower(&module, function, 16).expect("a kernel");
        let has_memories = [0, 1].map(|parameter| {
            let is_it = |kind| kind == opcost_circuit::MemoryKind::Port { parameter: Some(parameter) };
            let memory = kernel.memories.iter().find(|(_, memory)| is_it(memory.kind.clone()));
            memory.is_some_and(|(id, _)| {
                kernel.nodes.values().any(|node| [Action::Load(id), Action::Store(id)].contains(&node.action))
            })
        });
        let mut runs = Runs::default();
        for _ in 0..25 {
            // A memory that nothing accesses has no port, and so no lines for the testbench.
            let memories = has_memories.map(|has| elements(&mut random, 32, if has { 8 } else { 0 }));
            let [x, y] = memories;
            let p = u128::from(random.number() as u32 >> random.below(32));
            let n = u128::from(random.below(9));
            runs.run(&module, function, &[x, y, Given::Number(32, p), Given::Number(32, n)]);
        }
        let lengths: Vec<u64> = has_memories.iter().filter(|&&has| has).map(|_| 8).collect();
        if runs.count > 0 {
            try_all(&text, &runs, &lengths, case < 4);
            tried += 1;
        }
        let schedule = schedule(&mut kernel, &targets()[0], true);
        merged += usize::from(schedule.states.is_empty());
        predicated += kernel.nodes.ids().filter(|&node| kernel.predicate(node).is_some()).count();
    }
    assert!(tried > 8 && merged > 3 && predicated > 3, "{tried} tried, {merged} merged, {predicated}");
}
