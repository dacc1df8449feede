//! What is a counted function, and what is it and its lines called over all modules?

use opcost_key::{BlockId, FunctionMap, ModuleMap, PlaceId};

use crate::{FunctionCounts, ModuleCounts};

/// A module with the counts of one run.
#[derive(Clone, Copy, Debug)]
pub struct CountedModule<'a> {
    /// Its map.
    pub map: &'a ModuleMap,
    /// Its counts; as many functions as the map.
    pub counts: &'a ModuleCounts,
}

/// A line of a source file, as the debug information names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// Why there is no machine code of a function, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoMachineCode(pub String);

/// A machine instruction with its count.
#[derive(Clone, Debug)]
pub struct MachineLine {
    /// The line that it comes from, if one is known.
    pub at: Option<SourceLine>,
    /// From the function's first byte.
    pub offset: u64,
    /// As the disassembler writes it.
    pub text: String,
    /// How often the instruction started that it comes from.
    pub count: Option<u64>,
}

/// A function with its counts and its module.
pub(crate) struct CountedRun<'a> {
    pub(crate) map: &'a ModuleMap,
    pub(crate) function: &'a FunctionMap,
    pub(crate) counts: &'a FunctionCounts,
}

impl<'a> CountedRun<'a> {
    /// The line of a place, when it has one.
    pub(crate) fn line(&self, place: Option<PlaceId>) -> Option<Line<'a>> {
        self.map.file_and_line(place?)
    }

    /// What makes it one function over all modules.
    pub(crate) fn key(&self) -> FunctionKey<'a> {
        (&self.function.name, self.function.is_local.then_some(&self.map.module))
    }

    /// The first line of a block.
    pub(crate) fn block_line(&self, block: BlockId) -> Option<Line<'a>> {
        let mut instructions =
            self.function.segments_of(block).flat_map(|segment| self.function.instructions_of(segment));
        instructions.find_map(|id| self.line(self.function.instructions[id].place))
    }
}

/// Name, and module when the name is local to it.
pub(crate) type FunctionKey<'a> = (&'a String, Option<&'a String>);

/// File and line.
pub(crate) type Line<'a> = (&'a str, u32);

impl SourceLine {
    pub(crate) fn new(line: Line<'_>) -> Self {
        let (file, line) = line;
        Self { file: file.to_owned(), line }
    }
}
