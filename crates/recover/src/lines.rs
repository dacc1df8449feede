//! What did the lines of one function do?
//!
//! An instruction's line is that of its innermost place that has one. Its cost is the sum
//! over its instructions. How often its code was executed, several numbers say: code of one line may
//! be in several copies, each inlined at another place. Within a copy the most frequent instruction
//! decides, since others may follow a branch; copies add up, and so do functions, processes and
//! runs.
//!
//! That is how often the line ran only where its code is there once, as it was written
//! ([`opcost_key::BuildFacts::has_source_lines`]). Of all others it is marked as a number of code. Where
//! code was inlined all the same, copies of one line may be one, and there is no number.
//!
//! Input: a function with its counts. Output: [`Lines`]. Cost: one pass over the instructions, and
//! log of the lines for each place. Limit: of optimised code, copies that an unrolled loop has, or
//! that are inlined at one place of one line, are one.

use std::collections::BTreeMap;

use opcost_index::IdMap;
use opcost_key::{ModuleMap, PlaceId};

use crate::counted::{CountedRun, SourceLine};

/// One line of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTotal {
    /// Which.
    pub at: SourceLine,
    /// What its instructions cost, in units of the cost model.
    pub instructions: u128,
    /// How often its code was executed, over all copies of it. `None` where that is not known, and in
    /// a ledger of an earlier version.
    pub executions: Option<u128>,
    /// Whether that is how often the line itself ran. Optimised code has parts of lines, and several
    /// iterations in one: then it may be another number.
    pub is_of_line: bool,
}

/// What a function's instructions did, by line.
#[derive(Default)]
pub(crate) struct Lines<'a> {
    /// By file and line.
    pub(crate) lines: BTreeMap<(&'a str, u32), LineSum>,
    /// What instructions without a line cost.
    pub(crate) without_line: u128,
    /// What instructions cost by all lines on their inline stacks, the innermost first; of a reader
    /// that looks at stacks.
    pub(crate) stacks: BTreeMap<Vec<(&'a str, u32)>, u128>,
}

/// What the instructions of a line did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineSum {
    /// What they cost together.
    pub(crate) instructions: u128,
    /// How often the line's code was executed; none where that is not known.
    pub(crate) executions: Option<u128>,
    /// Whether that is how often the line ran.
    pub(crate) is_of_line: bool,
}

impl LineSum {
    /// A line of which nothing ran yet.
    pub(crate) fn none(is_of_line: bool) -> LineSum {
        LineSum { instructions: 0, executions: Some(0), is_of_line }
    }

    pub(crate) fn add(&mut self, other: LineSum) {
        self.instructions += other.instructions;
        self.executions = self.executions.zip(other.executions).map(|(one, two)| one + two);
        self.is_of_line &= other.is_of_line;
    }

    /// The total of a line.
    pub(crate) fn total(self, at: SourceLine) -> LineTotal {
        let LineSum { instructions, executions, is_of_line } = self;
        LineTotal { at, instructions, executions, is_of_line: is_of_line && executions.is_some() }
    }
}

/// Adds up the lines of one function after the other of a module.
pub(crate) struct LineReader<'a> {
    map: &'a ModuleMap,
    /// Cost and largest count of a place of the function at hand.
    used: IdMap<PlaceId, Option<(u128, u64)>>,
    touched: Vec<PlaceId>,
    with_stacks: bool,
    /// Whether the module has the lines of its source.
    has_source_lines: bool,
}

impl<'a> LineReader<'a> {
    pub(crate) fn new(map: &'a ModuleMap) -> Self {
        Self {
            map,
            used: IdMap::filled(map.places.len(), None),
            touched: Vec::new(),
            with_stacks: false,
            has_source_lines: map.build.has_source_lines(&map.module, map.anchor),
        }
    }

    /// One that looks at inline stacks, too.
    pub(crate) fn with_stacks(map: &'a ModuleMap) -> Self {
        Self { with_stacks: true, ..Self::new(map) }
    }

    /// The lines of a function of the module.
    pub(crate) fn read(&mut self, counted: &CountedRun<'a>) -> Lines<'a> {
        let mut lines = Lines::default();
        let (function, counts) = (counted.function, counted.counts);
        for (segment, &count) in counts.segments.iter() {
            for id in function.instructions_of(segment) {
                let cost = counts.cost(function, segment, id, self.map.cost.charge);
                let Some(place) = function.instructions[id].place else {
                    lines.without_line += cost;
                    continue;
                };
                match &mut self.used[place] {
                    Some((sum, largest)) => (*sum, *largest) = (*sum + cost, (*largest).max(count)),
                    none => {
                        *none = Some((cost, count));
                        self.touched.push(place);
                    }
                }
            }
        }
        self.by_line(&mut lines);
        lines
    }

    /// Brings the places together that are of one line, by copies.
    fn by_line(&mut self, lines: &mut Lines<'a>) {
        let mut copies: BTreeMap<(&str, u32, Option<PlaceId>), u64> = BTreeMap::new();
        for place in self.touched.drain(..) {
            let (cost, count) = self.used[place].take().expect("a place that was touched");
            if self.with_stacks && cost > 0 {
                *lines.stacks.entry(stack_of(self.map, place)).or_default() += cost;
            }
            match line_of(self.map, place) {
                Some((file, line, copy)) => {
                    let none = || LineSum::none(self.has_source_lines);
                    lines.lines.entry((file, line)).or_insert_with(none).instructions += cost;
                    let largest = copies.entry((file, line, copy)).or_default();
                    *largest = (*largest).max(count);
                }
                None => lines.without_line += cost,
            }
        }
        for ((file, line, copy), count) in copies {
            let is_known = !(self.has_source_lines && copy.is_some());
            let executions = is_known.then_some(u128::from(count));
            let sum = LineSum { instructions: 0, executions, is_of_line: self.has_source_lines };
            lines.lines.entry((file, line)).and_modify(|line| line.add(sum)).or_insert(sum);
        }
    }
}

/// The lines of a place and of those that it was inlined into, from the innermost outwards.
fn stack_of(map: &ModuleMap, place: PlaceId) -> Vec<(&str, u32)> {
    let places = std::iter::successors(Some(place), |&place| map.places[place].inlined_at);
    let places = places.map(|place| &map.places[place]);
    places.filter(|place| place.line != 0).map(|place| (&*map.files[place.file], place.line)).collect()
}

/// The line of a place, and where the code around it is inlined.
fn line_of(map: &ModuleMap, place: PlaceId) -> Option<(&str, u32, Option<PlaceId>)> {
    let mut place = &map.places[place];
    while place.line == 0 {
        place = &map.places[place.inlined_at?];
    }
    Some((&map.files[place.file], place.line, place.inlined_at))
}
