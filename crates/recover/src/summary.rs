//! What did the program do in total, by function, by line, by block?
//!
//! Functions merge over modules by name, unless the name is local to its
//! module. An instruction's line is that of its innermost place that has one.
//! Input: maps with their counts. Output: plain data in a fixed order,
//! complete (zeros included): who reports may sort and cut. Sums are 128 bits
//! wide and cannot overflow: 2^32 instructions, each of a weight below 2^32,
//! each started less than 2^64 times.
//!
//! Cost: instructions + log of functions and lines. Limit: under a cost model
//! that charges a block when it is entered, an instruction behind a call that
//! did not return is charged too, so that lines add up to the total.

use std::collections::BTreeMap;

use opcost_index::IdMap;
use opcost_key::{BlockId, Hash128};

use crate::CallTotals;
use crate::calls::CallSums;
use crate::counted::{CountedModule, CountedRun, FunctionKey, Line, SourceLine};
use crate::lines::{LineReader, LineSum, LineTotal, Lines};

/// One function of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionTotal {
    /// Linkage name.
    pub name: String,
    /// Its module, when the name is local to it.
    pub module: Option<String>,
    /// Where it is written.
    pub place: Option<SourceLine>,
    /// How often it was called.
    pub calls: u128,
    /// What it cost itself, without what it calls, in units of the cost model.
    pub instructions: u128,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTotal {
    /// Position in [`ProgramSummary::functions`].
    pub function: usize,
    /// The first module that has this form of the function.
    pub module: String,
    /// The block.
    pub block: BlockId,
    /// Where its first instruction with a line is written.
    pub place: Option<SourceLine>,
    /// How often it ran.
    pub count: u128,
}

/// A program's totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSummary {
    /// What all of it cost, in units of the cost model.
    pub weight: u128,
    /// The share of `weight` that belongs to no line.
    pub weight_without_line: u128,
    /// Functions, by name, then module.
    pub functions: Vec<FunctionTotal>,
    /// Lines, by file, then line.
    pub lines: Vec<LineTotal>,
    /// Blocks, in the order of functions, modules and blocks. A function that
    /// several modules hold in one form (body hash) has its blocks once.
    pub blocks: Vec<BlockTotal>,
    /// What was called.
    pub calls: CallTotals,
}

/// Adds up the counts of all modules of a program.
pub fn summarize(modules: &[CountedModule<'_>]) -> ProgramSummary {
    let mut sums = Sums::default();
    let mut calls = CallSums::new(modules);
    for module in modules {
        let mut reader = LineReader::new(module.map);
        for (id, function) in module.map.functions.iter() {
            let counted = CountedRun { map: module.map, function, counts: &module.counts.functions[id] };
            sums.add(&counted);
            sums.add_lines(&counted, reader.read(&counted));
            calls.add(&counted);
        }
    }
    sums.finish(calls.finish())
}

#[derive(Default)]
struct FunctionSum<'a> {
    place: Option<Line<'a>>,
    calls: u128,
    instructions: u128,
}

#[derive(Default)]
struct BlockSums<'a> {
    module: &'a str,
    blocks: IdMap<BlockId, (Option<Line<'a>>, u128)>,
}

/// A line with the functions that have code of it.
#[derive(Clone, Copy)]
struct SharedLine<'a> {
    sum: LineSum,
    /// The first of the functions, and where it begins.
    function: &'a str,
    start: Option<Line<'a>>,
}

impl<'a> SharedLine<'a> {
    /// Adds the code of one more function. Instances of one template have each line once. But
    /// a lambda and the line around it are code of one line in two functions, one of which calls the
    /// other. So are the first and last lines of a destructor in two forms. The number is then unknown.
    fn add(&mut self, line: Line<'a>, other: SharedLine<'a>) {
        let is_same = self.function == other.function;
        let is_instance = self.start == other.start
            && self.start.is_some_and(|start| start != line)
            && !has_forms(self.function)
            && !has_forms(other.function);
        self.sum.add(other.sum);
        if self.sum.is_of_line && !is_same && !is_instance {
            self.sum.executions = None;
        }
    }
}

/// Whether this may be the mangled name of a constructor or destructor, of which there are several
/// forms (`C1`, `C2`, `D0`, …). A name that only looks so is taken for one.
fn has_forms(name: &str) -> bool {
    let pairs = name.as_bytes().windows(2);
    name.starts_with("_Z")
        && pairs.into_iter().any(|pair| matches!(pair, [b'C' | b'D', b'0'..=b'5'] | [b'C', b'I']))
}

#[derive(Default)]
struct Sums<'a> {
    without_line: u128,
    functions: BTreeMap<FunctionKey<'a>, FunctionSum<'a>>,
    lines: BTreeMap<Line<'a>, SharedLine<'a>>,
    /// By function and form.
    blocks: BTreeMap<(FunctionKey<'a>, Hash128), BlockSums<'a>>,
}

impl<'a> Sums<'a> {
    fn add(&mut self, counted: &CountedRun<'a>) {
        let sum = self.functions.entry(counted.key()).or_default();
        sum.place = sum.place.or(counted.line(counted.function.place));
        sum.calls += u128::from(counted.counts.entries);
        sum.instructions += counted.counts.weight(counted.function, counted.map.cost.charge);
        self.add_blocks(counted);
    }

    fn add_lines(&mut self, counted: &CountedRun<'a>, lines: Lines<'a>) {
        self.without_line += lines.without_line;
        let start = counted.line(counted.function.place);
        for (line, sum) in lines.lines {
            let one = SharedLine { sum, function: &counted.function.name, start };
            self.lines.entry(line).and_modify(|shared| shared.add(line, one)).or_insert(one);
        }
    }

    fn add_blocks(&mut self, counted: &CountedRun<'a>) {
        let blocks = counted.function.blocks.ids();
        let sums = self.blocks.entry((counted.key(), counted.function.body)).or_default();
        if sums.blocks.is_empty() {
            sums.module = &counted.map.module;
            let lines = counted.function.blocks.ids().map(|block| (counted.block_line(block), 0));
            sums.blocks = lines.collect();
        }
        // Equal body hashes mean as many blocks, unless a map lies.
        for (block, (_, sum)) in blocks.zip(sums.blocks.values_mut()) {
            *sum += u128::from(counted.counts.block(counted.function, block));
        }
    }

    fn finish(self, calls: CallTotals) -> ProgramSummary {
        let weight = self.functions.values().map(|sum| sum.instructions).sum();
        let position: BTreeMap<_, _> =
            self.functions.keys().enumerate().map(|(position, &key)| (key, position)).collect();
        let blocks = self.blocks.iter().flat_map(|((key, _), sums)| {
            let function = position[key];
            sums.blocks.iter().map(move |(block, &(line, count))| BlockTotal {
                function,
                module: sums.module.to_owned(),
                block,
                place: line.map(SourceLine::new),
                count,
            })
        });
        ProgramSummary {
            weight,
            weight_without_line: self.without_line,
            blocks: blocks.collect(),
            lines: self.lines.into_iter().map(|(at, shared)| shared.sum.total(SourceLine::new(at))).collect(),
            functions: self
                .functions
                .into_iter()
                .map(|((name, module), sum)| FunctionTotal {
                    name: name.clone(),
                    module: module.cloned(),
                    place: sum.place.map(SourceLine::new),
                    calls: sum.calls,
                    instructions: sum.instructions,
                })
                .collect(),
            calls,
        }
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
