//! What does a program take, by what it did and what that takes?
//!
//! Three parts: its blocks, by one source; branches that are mispredicted; and calls of functions
//! outside of it. By `schedule` blocks take the cycles of their machine code. A conditional branch is
//! taken for mispredicted in a share ([`Factors::mispredicted`]) of the times that it does not go where it
//! goes most; counts tell how often that was, and not in which order. Targets of indirect jumps are
//! taken for predicted. By the other sources blocks take
//! what their operations take, and branches are among these.
//!
//! Input: work, a timing file, factors. Output: seconds, by part, function and source; and what has no
//! price, with how often it happened: such calls take no time here, so the answer is too little.
//! By `schedule` alone lines of memory are priced: those that strides and trip counts say a cache of
//! some size does not hold, by what such lines took when they were measured. A processor fetches them
//! while it works, so of what a loop computes and what it fetches the longer counts (the roofline of
//! Williams, Waterman and Patterson, 2009, for each innermost loop), and never the sum of both.
//! Cost: linear. Limits: addresses that are no sums of strides are taken to be in the first level.

use std::collections::BTreeMap;

use opcost_answer::work::{FunctionWork, LoopWork, ProgramWork};
use opcost_library::timed_as;

use crate::file::Timing;
use crate::source::{Table, TimeSource, is_floating, nanoseconds};

/// Of the times that a conditional branch does not go where it goes most, the share that is mispredicted.
/// By what zstd and SQLite take beyond all else it is 0.23 and 0.14. Neither is on the page of times.
const MISPREDICTED: f64 = 1.0 / 6.0;
/// Nanoseconds of a second.
const SECOND: f64 = 1e9;

/// What is in no table. Nothing here is fit on a program of `benchmarks/predict.md`, which shows
/// also what factors would be that are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// Cycles of the machine for one of the model.
    pub cycles: f64,
    /// Share of branches' rarer outcomes that are mispredicted.
    pub mispredicted: f64,
    /// Time of a line of memory in a program for what it took when nothing else was done.
    pub memory: f64,
}

impl Default for Factors {
    fn default() -> Factors {
        Factors { cycles: 1.0, mispredicted: MISPREDICTED, memory: 1.0 }
    }
}

/// Where time goes, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// Code of the program.
    pub blocks: f64,
    /// Branches that are mispredicted.
    pub mispredicted: f64,
    /// Calls of functions outside of it.
    pub calls: f64,
    /// Waiting for lines of memory from beyond the first level of the cache, while nothing is computed.
    pub memory: f64,
}

impl Parts {
    /// All of it.
    pub fn seconds(&self) -> f64 {
        self.blocks + self.mispredicted + self.calls + self.memory
    }

    fn add(&mut self, other: Parts) {
        self.blocks += other.blocks;
        self.mispredicted += other.mispredicted;
        self.calls += other.calls;
        self.memory += other.memory;
    }
}

/// The time of a function, without what it called in the program.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionTime {
    /// Linkage name.
    pub name: String,
    /// The module that holds it.
    pub module: String,
    /// How often it was called.
    pub entries: u64,
    /// Its time.
    pub parts: Parts,
}

/// The time of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// The source of blocks' time.
    pub source: TimeSource,
    /// All of it.
    pub parts: Parts,
    /// By source what all would take; of sources that the file has.
    pub by_source: Vec<(TimeSource, f64)>,
    /// Functions, the longest first.
    pub functions: Vec<FunctionTime>,
    /// Calls without a price, the most frequent first.
    pub unpriced_calls: Vec<(String, f64)>,
    /// Operations without a price under the source, the most frequent first.
    pub unpriced_operations: Vec<(String, f64)>,
    /// Of machine instructions, the share in blocks whose executions the counts did not decide.
    pub guessed: f64,
    /// The share that the processor's model does not know.
    pub strange: f64,
}

/// Works out the time.
pub fn price(work: &ProgramWork, timing: &Timing, factors: Factors, source: TimeSource) -> Predicted {
    let pricing = Pricing { work, timing, factors };
    let mut functions: Vec<FunctionTime> = work
        .functions
        .iter()
        .map(|function| FunctionTime {
            name: function.name.clone(),
            module: function.module.clone(),
            entries: function.entries,
            parts: pricing.function(function, source),
        })
        .collect();
    functions
        .sort_by(|a, b| b.parts.seconds().total_cmp(&a.parts.seconds()).then_with(|| a.name.cmp(&b.name)));
    let mut machine = opcost_answer::work::MachineWork::default();
    work.functions.iter().for_each(|function| machine.add(&function.machine));
    let share = |part: f64| if machine.instructions > 0.0 { part / machine.instructions } else { 0.0 };
    Predicted {
        source,
        parts: sum(functions.iter().map(|function| function.parts)),
        by_source: TimeSource::ALL
            .into_iter()
            .filter(|other| *other == TimeSource::Schedule || timing.tables.contains_key(other))
            .map(|other| {
                let parts = work.functions.iter().map(|function| pricing.function(function, other));
                (other, sum(parts).seconds())
            })
            .collect(),
        functions,
        unpriced_calls: pricing.unpriced_calls(),
        unpriced_operations: pricing.unpriced_operations(source),
        guessed: share(machine.guessed),
        strange: share(machine.strange),
    }
}

fn sum(parts: impl Iterator<Item = Parts>) -> Parts {
    parts.fold(Parts::default(), |mut sum, part| {
        sum.add(part);
        sum
    })
}

struct Pricing<'a> {
    work: &'a ProgramWork,
    timing: &'a Timing,
    factors: Factors,
}

impl Pricing<'_> {
    fn function(&self, function: &FunctionWork, source: TimeSource) -> Parts {
        let calls = function.calls.iter().map(|(name, times)| self.call(name).unwrap_or(0.0) * times);
        let calls = calls.sum::<f64>() / SECOND;
        let machine = &function.machine;
        match source {
            TimeSource::Schedule => Parts {
                blocks: self.cycles(function),
                mispredicted: machine.rare * self.factors.mispredicted * self.timing.mispredicted / SECOND,
                calls,
                memory: self.memory(function) / SECOND,
            },
            other => Parts { blocks: self.operations(function, other) / SECOND, calls, ..Parts::default() },
        }
    }

    /// Seconds of the machine code of a function.
    fn cycles(&self, function: &FunctionWork) -> f64 {
        function.machine.cycles * self.factors.cycles * self.timing.processor.cycle / SECOND
    }

    /// Nanoseconds of a call of a function outside of the program.
    fn call(&self, name: &str) -> Option<f64> {
        let table = &self.timing.libfn;
        let look = |name: &str| table.get(name).copied();
        // `log` of glibc's headers for finite numbers, and of others for checked buffers.
        let plain = name
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("_finite").or(name.strip_suffix("_chk")));
        look(name).or_else(|| plain.and_then(look)).or_else(|| look(timed_as(name)?))
    }

    /// Nanoseconds that loops wait for lines of memory, beyond what their code takes: lines are fetched
    /// while it works.
    fn memory(&self, function: &FunctionWork) -> f64 {
        let (near, far) = (self.timing.memory.near(), self.timing.memory.far());
        let cycle = self.factors.cycles * self.timing.processor.cycle;
        let of_loop = |one: &LoopWork| {
            let sizes = one.lines.iter().zip(&near).zip(&far);
            let time = sizes.map(|((lines, near), far)| lines.near * near + lines.far * far);
            (time.sum::<f64>() * self.factors.memory - one.cycles * cycle).max(0.0)
        };
        function.loops.iter().map(of_loop).sum()
    }

    fn operations(&self, function: &FunctionWork, source: TimeSource) -> f64 {
        let Some(table) = self.timing.tables.get(&source) else { return 0.0 };
        let of_block = |block: &opcost_answer::work::BlockWork| {
            let (mut floating, mut others) = (0.0, 0.0);
            for &(operation, count) in &block.operations {
                let name = &self.work.operations[operation as usize];
                let time = self.operation(table, source, name).unwrap_or(0.0) * f64::from(count);
                *(if is_floating(name) { &mut floating } else { &mut others }) += time;
            }
            let one =
                if source == TimeSource::IrinstMax { f64::max(floating, others) } else { floating + others };
            one * block.executions as f64
        };
        function.blocks.iter().map(of_block).sum()
    }

    /// What a source says of an operation; lmbench takes all but arithmetic for nothing.
    fn operation(&self, table: &Table, source: TimeSource, name: &str) -> Option<f64> {
        match source {
            TimeSource::Lmbench => Some(table.get(name).copied().unwrap_or(0.0)),
            _ => nanoseconds(table, name),
        }
    }

    fn unpriced_calls(&self) -> Vec<(String, f64)> {
        let calls = self.work.functions.iter().flat_map(|function| &function.calls);
        by_frequency(
            calls.filter(|(name, _)| self.call(name).is_none()).map(|(name, times)| (name.as_str(), *times)),
        )
    }

    fn unpriced_operations(&self, source: TimeSource) -> Vec<(String, f64)> {
        let Some(table) = self.timing.tables.get(&source) else { return Vec::new() };
        let blocks = self.work.functions.iter().flat_map(|function| &function.blocks);
        by_frequency(blocks.flat_map(|block| {
            block.operations.iter().filter_map(|&(operation, count)| {
                let name = self.work.operations[operation as usize].as_str();
                let is_unpriced = self.operation(table, source, name).is_none();
                is_unpriced.then(|| (name, f64::from(count) * block.executions as f64))
            })
        }))
    }
}

/// Sums by name, the greatest first.
fn by_frequency<'a>(all: impl Iterator<Item = (&'a str, f64)>) -> Vec<(String, f64)> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, times) in all.filter(|(_, times)| *times > 0.0) {
        *sums.entry(name).or_default() += times;
    }
    let mut sums: Vec<_> = sums.into_iter().map(|(name, times)| (name.to_owned(), times)).collect();
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    sums
}

#[cfg(test)]
mod tests {
    use super::{Factors, price};
    use crate::file::{Timing, read};
    use crate::source::TimeSource;
    use opcost_answer::work::{BlockWork, FunctionWork, LineWork, LoopWork, MachineWork, ProgramWork};

    const FILE: &str = "format = \"opcost.timing/1\"\n[processor]\nname = \"P\"\nmodel = \"znver4\"\ntarget = \
        \"x86_64\"\ncycle = 0.5\n[schedule]\nmispredicted = 8\n[irinst]\n\"add i64\" = 1\n\"fadd double\" = 3\n\
        [irinst-max]\n\"add i64\" = 0.5\n\"fadd double\" = 2\n[lmbench]\n\"add i64\" = 1\n[libfn]\nlog = 10\n\
        malloc = 4\n";

    fn timing() -> Timing {
        read(FILE).expect("a timing file")
    }

    fn work() -> ProgramWork {
        ProgramWork {
            operations: ["add i64", "fadd double", "cmpxchg"].map(str::to_owned).to_vec(),
            functions: vec![
                FunctionWork {
                    name: "cold".to_owned(),
                    entries: 1,
                    calls: vec![
                        ("log".to_owned(), 1e8),
                        ("_Znwm".to_owned(), 1e8),
                        ("strange".to_owned(), 7.0),
                    ],
                    ..FunctionWork::default()
                },
                FunctionWork {
                    name: "hot".to_owned(),
                    entries: 2,
                    machine: MachineWork {
                        cycles: 4e9,
                        rare: 1e9,
                        instructions: 8e9,
                        strange: 2e9,
                        guessed: 4e9,
                    },
                    blocks: vec![BlockWork {
                        block: 0,
                        executions: 1_000_000_000,
                        cycles: 4e9,
                        operations: vec![(0, 2), (1, 1), (2, 1)],
                    }],
                    ..FunctionWork::default()
                },
            ],
            ..ProgramWork::default()
        }
    }

    #[test]
    fn each_source_has_its_own_answer() {
        let factors = Factors { cycles: 1.5, mispredicted: 0.5, memory: 1.0 };
        let found = price(&work(), &timing(), factors, TimeSource::Schedule);
        // 4e9 cycles × 1.5 × 0.5 ns; 1e9 × 0.5 × 8 ns; 1e8 × (10 + 4) ns.
        assert_eq!((found.parts.blocks, found.parts.mispredicted), (3.0, 4.0));
        assert!((found.parts.calls - 1.4).abs() < 1e-12);
        assert_eq!(found.functions.iter().map(|one| &*one.name).collect::<Vec<_>>(), ["hot", "cold"]);
        let by_source: Vec<f64> = found.by_source.iter().map(|(_, seconds)| *seconds).collect();
        // irinst: 2 × 1 + 3; irinst-max: the larger of 2 × 0.5 and 2; lmbench: 2 × 1; each with the calls.
        for (seconds, expected) in by_source.iter().zip([8.4, 6.4, 3.4, 3.4]) {
            assert!((seconds - expected).abs() < 1e-9, "{by_source:?}");
        }
    }

    #[test]
    fn what_has_no_price_is_said() {
        let found = price(&work(), &timing(), Factors::default(), TimeSource::Irinst);
        assert_eq!(found.unpriced_calls, [("strange".to_owned(), 7.0)]);
        assert_eq!(found.unpriced_operations, [("cmpxchg".to_owned(), 1e9)]);
        assert_eq!((found.guessed, found.strange), (0.5, 0.25));
    }

    #[test]
    fn lines_of_memory_take_what_they_took_when_they_were_measured() {
        let text = "\n[memory.streamed]\n16 = 1\n32 = 2\n64 = 4\n128 = 8\n[memory.random]\n16 = 1\n32 = 9\n64 = 9\n128 = 9\n";
        let mut timing = timing();
        timing.memory = read(&(FILE.to_owned() + text)).expect("a timing file").memory;
        assert_eq!(timing.memory.capacities(), [22, 45, 90]);
        let mut work = work();
        let line = |near, far| LineWork { near, far };
        // 3e9 × 1 ns from the second level, 1e9 × 4 ns from beyond the third; 1e9 × 8 ns, eight at once.
        let lines = vec![line(3e9, 1e9), line(0.0, 0.0), line(1e9, 0.0)];
        work.functions[1].loops = vec![LoopWork { cycles: 0.0, lines: lines.clone() }];
        let found = price(&work, &timing, Factors::default(), TimeSource::Schedule);
        assert_eq!(found.parts.memory, 3.0 + 4.0 + 1.0);
        // 6 s of lines are fetched in 6 s of work; the other loop waits for 8 s.
        work.functions[1].loops.push(LoopWork { cycles: 12e9, lines });
        let found = price(&work, &timing, Factors::default(), TimeSource::Schedule);
        assert_eq!(found.parts.memory, 8.0 + 2.0);
        let free = price(&work, &timing, Factors { memory: 0.0, ..Factors::default() }, TimeSource::Schedule);
        assert_eq!(free.parts.memory, 0.0);
    }

    #[test]
    fn nothing_takes_no_time() {
        let found = price(&ProgramWork::default(), &timing(), Factors::default(), TimeSource::Schedule);
        assert_eq!((found.parts.seconds(), found.guessed), (0.0, 0.0));
    }
}
