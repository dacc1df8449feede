//! Is nothing read of a local before it is written, where that is said?
//!
//! Random nests of loops fill an array, or not quite: with other starts, strides
//! and bounds, tested before or behind, with no turn at all. In between control
//! may go to code that never comes back, to the next turn or out of any of the
//! loops, to where the array is read, or to the end. The nest stands where the
//! array is read, or in a function that is called for it. All inputs are run, and
//! nothing that is read may be undefined. No violation is excused.

use std::fmt::Write;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::external_facts::written_first;
use opcost_index::Id;
use opcost_ir::{Layout, Opcode, Value, parse_module};
use opcost_key::{FunctionId, InstructionId};
use opcost_library::Effects;
use opcost_testkit::{Interpreter, Memory, Random, Reply, Scalar, all_inputs, function_named};
use std::cell::Cell;

use crate::number_from;

/// A nest while it is written.
struct Nest {
    random: Random,
    text: String,
    /// The block that is written.
    block: String,
    names: usize,
    depth: usize,
    /// Blocks that stand beside the nest.
    beside: String,
    /// Elements of the array, and how far a turn of each loop moves.
    elements: u64,
    strides: Vec<u64>,
    turns: Vec<u64>,
    /// Ways of each kind out of the straight one.
    leaves_for_good: bool,
    leaves: bool,
}

impl Nest {
    fn new(seed: u64) -> Nest {
        let mut random = Random::new(seed ^ 0xf111);
        let depth = 1 + random.below(3) as usize;
        let turns: Vec<u64> = (0..depth).map(|_| 1 + random.below(4)).collect();
        // The last one moves by one element, and each by all of those inside.
        let mut strides = vec![1; depth];
        for at in (1..depth).rev() {
            strides[at - 1] = strides[at] * turns[at];
        }
        let elements = strides[0] * turns[0];
        Nest {
            random,
            text: String::new(),
            block: "entry".to_owned(),
            names: 0,
            depth,
            beside: String::new(),
            elements,
            strides,
            turns,
            leaves_for_good: false,
            leaves: false,
        }
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("writing to a string");
    }

    fn begin(&mut self, label: String) {
        writeln!(self.text, "{label}:").expect("writing to a string");
        self.block = label;
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    /// Almost always what it was.
    fn nearly(&mut self, number: u64) -> u64 {
        match self.random.below(24) {
            0 => number + 1,
            1 => number.saturating_sub(1),
            _ => number,
        }
    }

    fn loops(&mut self, level: usize) {
        let from = self.block.clone();
        let (turns, stride) = (self.turns[level], self.nearly(1).max(1));
        let (start, bound) = (self.nearly(0), self.nearly(turns));
        let is_tested_first = self.random.one_in(3);
        self.begin(format!("h{level}"));
        self.line(&format!("%i{level} = phi i64 [ {start}, %{from} ], [ %n{level}, %l{level} ]"));
        if is_tested_first {
            self.line(&format!("%t{level} = icmp ult i64 %i{level}, {bound}"));
            self.line(&format!("br i1 %t{level}, label %b{level}, label %e{level}"));
            self.begin(format!("b{level}"));
        }
        self.ways(level);
        if level + 1 < self.depth {
            self.line(&format!("br label %h{}", level + 1));
            self.loops(level + 1);
        } else {
            self.store();
        }
        self.ways(level);
        self.line(&format!("br label %l{level}"));
        self.begin(format!("l{level}"));
        self.line(&format!("%n{level} = add i64 %i{level}, {stride}"));
        if is_tested_first {
            self.line(&format!("br label %h{level}"));
        } else {
            self.line(&format!("%t{level} = icmp ult i64 %n{level}, {bound}"));
            self.line(&format!("br i1 %t{level}, label %h{level}, label %e{level}"));
        }
        self.begin(format!("e{level}"));
    }

    /// One element, where the counters say.
    fn store(&mut self) {
        let mut sum = self.nearly(0).to_string();
        for level in 0..self.depth {
            let (name, stride) = (self.name(), self.strides[level]);
            let stride = self.nearly(stride);
            self.line(&format!("%m{name} = mul i64 %i{level}, {stride}"));
            self.line(&format!("%s{name} = add i64 %m{name}, {sum}"));
            sum = format!("%s{name}");
        }
        let name = self.name();
        self.line(&format!("%p{name} = getelementptr inbounds i32 ptr %a, i64 {sum}"));
        self.line(&format!("store i32 7, ptr %p{name}"));
    }

    /// Perhaps a way out of the straight one, on a condition that some inputs keep.
    fn ways(&mut self, level: usize) {
        if !self.random.one_in(3) {
            return;
        }
        let name = self.name();
        let number = self.random.below(6);
        let target = format!("o{name}");
        match self.random.below(4) {
            0 => self.line(&format!("%q{name} = icmp eq i8 %x, {number}")),
            1 => self.line(&format!("%q{name} = icmp ult i8 %x, {number}")),
            2 => self.line(&format!("%q{name} = icmp uge i64 %i{level}, {number}")),
            _ => {
                self.line(&format!("%w{name} = trunc i8 i64 %i{level}"));
                self.line(&format!("%q{name} = icmp eq i8 %w{name}, %x"));
            }
        }
        self.line(&format!("br i1 %q{name}, label %{target}, label %g{name}"));
        self.begin(format!("g{name}"));
        let around = self.random.below(level as u64 + 1);
        let (code, is_for_good) = match self.random.below(12) {
            0..=2 => ("  call void @stop()\n  unreachable\n".to_owned(), true),
            3 | 4 => ("  unreachable\n".to_owned(), true),
            5 => (format!("  br label %{target}\n"), true),
            6 | 7 => (format!("  br label %l{around}\n"), false),
            8 | 9 => (format!("  br label %e{around}\n"), false),
            10 => ("  br label %read\n".to_owned(), false),
            _ => ("  br label %end\n".to_owned(), false),
        };
        self.leaves_for_good |= is_for_good;
        self.leaves |= !is_for_good;
        write!(self.beside, "{target}:\n{code}").expect("writing to a string");
    }
}

const READ: &str = "  br label %again
again:
  %j = phi i64 [ 0, %read ], [ %j1, %again ]
  %p = getelementptr inbounds i32 ptr %a, i64 %j
  %r = load i32, ptr %p
  %j1 = add i64 %j, 1
  %more = icmp ult i64 %j1, ELEMENTS
  br i1 %more, label %again, label %end
end:
  ret void
";

/// The module of a seed, and what it has: loops, ways that never come back, others.
fn random_nest(seed: u64) -> (String, Nest) {
    let mut nest = Nest::new(seed);
    nest.line("br label %h0");
    nest.loops(0);
    nest.line("br label %read");
    let elements = nest.elements.to_string();
    let read = READ.replace("ELEMENTS", &elements);
    let allocated = format!("  %a = alloca [{elements} x i32]\n");
    let (nested, beside) = (&nest.text, &nest.beside);
    let text = match seed % 3 {
        0 => {
            let ends = "read:\n  br label %end\nend:\n  ret void\n";
            // What is not seen may call `run` again, and so `fill`.
            let beside = beside.replace("  call void @stop()\n", "");
            format!(
                "define internal void @fill(ptr %a, i8 %x) {{
entry:
{nested}{ends}{beside}}}
define void @run(i8 %x) {{
entry:
{allocated}  call void @fill(ptr %a, i8 %x)
  br label %read
read:
{read}}}
"
            )
        }
        _ => format!(
            "declare void @stop() noreturn
define void @run(i8 %x) {{
entry:
{allocated}{nested}read:
{read}{beside}}}
"
        ),
    };
    (text, nest)
}

/// What runs read.
struct Reads {
    /// Something that was never written.
    undefined: bool,
    /// Something that was.
    written: bool,
}

fn run(text: &str) -> Reads {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let id = function_named(&module, "run").expect("the function to be run");
    let (undefined, written) = (Cell::new(false), Cell::new(false));
    let rewriting = |of: FunctionId, value: Value, scalar: Scalar| {
        if let Value::Instruction(at) = value
            && module.functions[of].instructions[at].opcode == Opcode::Load
        {
            if scalar == Scalar::Undefined { &undefined } else { &written }.set(true);
        }
        scalar
    };
    let interpreter = Interpreter::new(&module).with_step_limit(2000).with_rewriting(rewriting);
    for input in all_inputs(&[8], 256) {
        let mut stops = |_: &mut Memory, _: &str, _: &[Scalar]| Reply::Stop;
        interpreter.run(id, &input, &mut stops);
    }
    Reads { undefined: undefined.get(), written: written.get() }
}

fn is_written_first(text: &str) -> bool {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Open);
    let id = function_named(&module, "run").expect("the function to be run");
    let local = (id, InstructionId::new(0));
    written_first(&program, [local]).contains(&local)
}

#[test]
fn nothing_is_read_of_filled_arrays_before_it_is_written() {
    let cases = number_from("PROPTEST_CASES", 1500);
    let first = number_from("FIRST_SEED", 0);
    // Of nests of each kind: how many are written where they are read, and are said to be.
    let mut tally = [[0u64; 2]; 4];
    for seed in first..first + cases {
        let (text, nest) = random_nest(seed);
        let (is_said, reads) = (is_written_first(&text), run(&text));
        assert!(!is_said || !reads.undefined, "seed {seed}\n{text}");
        if reads.undefined || !reads.written {
            continue;
        }
        let kind = usize::from(nest.leaves_for_good) + 2 * usize::from(nest.leaves);
        tally[kind][0] += 1;
        tally[kind][1] += u64::from(is_said);
    }
    println!("straight, with ends, with ways out, with both: {tally:?}");
    let [straight, with_ends, ..] = tally;
    for [all, said] in [straight, with_ends] {
        assert!(all * 10 > cases && said * 100 >= all * 97, "{tally:?}");
    }
}
