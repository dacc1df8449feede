//! What do samples say of each segment?
//!
//! A sample is an address; the table of machine code says which block the code
//! there is executed for. A segment's samples are those of all its code; where
//! code knows its instruction and that stands in the same block, the segment is
//! the instruction's; else that of the code before it in the block, or the one behind
//! where that was the call which ends its segment; at the start, the block's first.
//!
//! How often that means that the segment ran, with several copies of it or one, is
//! said in `copies.rs`, how long its code takes in `duration.rs`, how long it waits for the
//! block before it in `arrival.rs`, and of which segments code stands for some executions only
//! in `left_over.rs`.
//!
//! Input: a map, its code, samples by address. Output: an [`Observation`] for each
//! segment, and what was not placed. Cost: linear, and a search for each address.

use std::collections::BTreeMap;
use std::ops::Range;

use opcost_index::{Id, IdMap, IdSet};
use opcost_key::{BlockId, FunctionId, InstructionId, ModuleMap, SegmentId};
use opcost_profile::formats::code::{CodeRow, FunctionCode, ModuleCode};

use crate::arrival::{Arrivals, ends_slowly, lengthen};
use crate::copies::{CopiedPiece, CopyRun, PieceKey, joined};
use crate::duration::{Cycles, regress};
use crate::left_over::left_over;
use crate::observation::Observation;

/// Observations of a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleObservations {
    /// By function and segment.
    pub functions: IdMap<FunctionId, IdMap<SegmentId, Observation>>,
    /// Samples in code of functions that is executed for no block: of edges that
    /// code generation made blocks of, of the ways into functions.
    pub without_block: u64,
}

impl ModuleObservations {
    /// Those of a module that nobody looked at.
    pub(crate) fn none(map: &ModuleMap) -> Self {
        let of = |segments: usize| IdMap::filled(segments, Observation::default());
        let functions = map.functions.values().map(|function| of(function.segments.len())).collect();
        Self { functions, without_block: 0 }
    }

    /// All that were placed.
    pub fn samples(&self) -> u64 {
        let all = self.functions.values().flat_map(|function| function.values());
        all.map(|observation| observation.samples).sum()
    }
}

/// Places samples of a module. `hits` are samples by address, as the file numbers
/// them; addresses of other modules are left alone.
pub fn observe(
    map: &ModuleMap,
    code: &ModuleCode,
    hits: &BTreeMap<u64, u64>,
    cycles: Cycles,
) -> ModuleObservations {
    let numbers = Numbers::of(map);
    let mut all = ModuleObservations::none(map);
    let mut copies: BTreeMap<(FunctionId, SegmentId), Vec<CopiedPiece>> = BTreeMap::new();
    for function in &code.functions {
        let mut pieces: BTreeMap<(FunctionId, SegmentId, PieceKey), CopiedPiece> = BTreeMap::new();
        let mut runs: BTreeMap<Option<(FunctionId, SegmentId)>, CopyRun<_>> = BTreeMap::new();
        let (mut before, mut block) = (None, 0);
        for (at, row) in function.rows.iter().enumerate() {
            if row.begins_block {
                before = None;
                block += 1;
                std::mem::take(&mut runs).into_values().for_each(|run| run.share(cycles, &mut pieces));
            }
            let hits = hits_of(function, at, hits);
            before = numbers.place(map, row, before);
            match before {
                Some(Place { function, segment, .. }) => {
                    // Where copies are told apart all of the machine block is one run.
                    let run = runs.entry(row.group.is_none().then_some((function, segment))).or_default();
                    run.add((function, segment, PieceKey::of(row, block)), row, hits, cycles);
                }
                None => all.without_block += hits.iter().sum::<u64>(),
            }
        }
        runs.into_values().for_each(|run| run.share(cycles, &mut pieces));
        for ((function, segment, _), piece) in pieces {
            copies.entry((function, segment)).or_default().push(piece);
        }
    }
    let mut multiplied: BTreeMap<FunctionId, IdSet<SegmentId>> = BTreeMap::new();
    for ((function, segment), pieces) in copies {
        all.functions[function][segment] = joined(&pieces);
        if pieces.iter().any(CopiedPiece::multiplies) {
            multiplied.entry(function).or_default().insert(segment);
        }
    }
    if cycles == Cycles::Model {
        for (function, arrivals) in arrivals(map, code, hits) {
            lengthen(&map.functions[function], &arrivals, &mut all.functions[function]);
        }
    }
    for (function, multiplied) in multiplied {
        for segment in left_over(&map.functions[function], &multiplied) {
            all.functions[function][segment].cycles = 0.0;
        }
    }
    if cycles == Cycles::Model {
        regress(&mut all.functions);
    }
    all
}

/// Where machine blocks begin and end, by the function whose code they are.
fn arrivals(map: &ModuleMap, code: &ModuleCode, hits: &BTreeMap<u64, u64>) -> BTreeMap<FunctionId, Arrivals> {
    let numbers = Numbers::of(map);
    let mut all: BTreeMap<FunctionId, Arrivals> = BTreeMap::new();
    for function in &code.functions {
        let mut before: Option<Place> = None;
        for (at, row) in function.rows.iter().enumerate() {
            if let Some(place) = before.filter(|_| row.begins_block && ends_slowly(&function.rows[..at])) {
                all.entry(place.function).or_default().waiting.insert(place.segment);
            }
            before = numbers.place(map, row, before.filter(|_| !row.begins_block));
            let Some(place) = before.filter(|_| row.begins_block && row.factor == 1) else { continue };
            let seen = hits.get(&(function.address + u64::from(row.offset))).copied().unwrap_or(0);
            *all.entry(place.function).or_default().first.entry(place.segment).or_default() += seen;
        }
    }
    all
}

/// In a block of which function of the map each piece of code is executed, by address.
pub fn functions_at(map: &ModuleMap, code: &ModuleCode) -> Vec<(Range<u64>, FunctionId)> {
    let numbers = Numbers::of(map);
    let mut all = Vec::new();
    for function in &code.functions {
        let mut before = None;
        for (at, row) in function.rows.iter().enumerate() {
            before = numbers.place(map, row, before.filter(|_| !row.begins_block));
            let end = function.rows.get(at + 1).map_or(function.bytes, |next| next.offset);
            let range = function.address + u64::from(row.offset)..function.address + u64::from(end);
            all.extend(before.map(|place| (range, place.function)));
        }
    }
    all.sort_by_key(|(range, _)| range.start);
    all
}

/// Samples of those instructions of a row that were hit.
fn hits_of(function: &FunctionCode, at: usize, hits: &BTreeMap<u64, u64>) -> Vec<u64> {
    let begin = function.address + u64::from(function.rows[at].offset);
    let end = function.rows.get(at + 1).map_or(function.bytes, |next| next.offset);
    hits.range(begin..function.address + u64::from(end)).map(|(_, &samples)| samples).collect()
}

/// Where functions begin in the module's numbers.
struct Numbers {
    blocks: Vec<usize>,
    instructions: Vec<usize>,
}

impl Numbers {
    fn of(map: &ModuleMap) -> Self {
        let (mut blocks, mut instructions) = (vec![0], vec![0]);
        for function in map.functions.values() {
            blocks.push(blocks[blocks.len() - 1] + function.blocks.len());
            instructions.push(instructions[instructions.len() - 1] + function.instructions.len());
        }
        Numbers { blocks, instructions }
    }

    /// Where a row's code is executed, after the code of the row before it.
    fn place(&self, map: &ModuleMap, row: &CodeRow, before: Option<Place>) -> Option<Place> {
        let (function, block) = within(&self.blocks, row.block?)?;
        let (function, block) = (FunctionId::new(function), BlockId::new(block));
        let body = map.functions.get(function)?;
        let own = row.instruction.and_then(|number| within(&self.instructions, number));
        let own = own.filter(|&(of, _)| of == function.index()).map(|(_, at)| InstructionId::new(at));
        if let Some(instruction) = own
            && body.segments[body.segment_of(instruction)].block == block
        {
            let segment = body.segment_of(instruction);
            let is_over = body.instructions_of(segment).last() == Some(instruction);
            return Some(Place { function, segment, is_over });
        }
        let before =
            before.filter(|place| place.function == function && body.segments[place.segment].block == block);
        let segment = match before {
            None => body.blocks[block].first_segment,
            Some(place) if !place.is_over => place.segment,
            Some(place) => {
                let next = SegmentId::new(place.segment.index() + 1);
                let is_there = body.segments.get(next).is_some_and(|next| next.block == block);
                if is_there { next } else { place.segment }
            }
        };
        Some(Place { function, segment, is_over: false })
    }
}

/// Where code is executed.
#[derive(Clone, Copy)]
struct Place {
    function: FunctionId,
    segment: SegmentId,
    /// Whether it is that of the segment's last instruction.
    is_over: bool,
}

/// Which function a number is in, and where in it; `starts` ends with the total.
fn within(starts: &[usize], number: u32) -> Option<(usize, usize)> {
    let number = number as usize;
    let behind = starts.partition_point(|&start| start <= number);
    (behind < starts.len()).then(|| (behind - 1, number - starts[behind - 1]))
}

#[cfg(test)]
mod tests {
    use opcost_key::Hash128;

    use super::*;
    use crate::example::{call_left, single_loop};

    fn row(offset: u32, instruction: Option<u32>, block: u32, begins_block: bool) -> CodeRow {
        let block = Some(block);
        let (instructions, throughput, latency) = (2, 16, 0);
        let (group, factor) = (None, 1);
        CodeRow { offset, instruction, block, instructions, throughput, latency, group, factor, begins_block }
    }

    fn code(rows: Vec<CodeRow>, bytes: u32) -> ModuleCode {
        ModuleCode { map: Hash128(0), functions: vec![FunctionCode { address: 0x100, bytes, rows }] }
    }

    #[test]
    fn samples_go_to_the_block_that_runs() {
        let map = single_loop();
        let blocks = map.functions[FunctionId::new(0)].blocks.len();
        let rows = (0..blocks as u32).map(|block| row(block * 8, None, block, true)).collect();
        let code = code(rows, 8 * blocks as u32);
        let hits =
            BTreeMap::from([(0xff, 9), (0x100, 1), (0x107, 2), (0x108, 5), (0x100 + 8 * blocks as u64, 9)]);
        let seen = observe(&map, &code, &hits, Cycles::Mean);
        let function = &seen.functions[FunctionId::new(0)];
        let body = &map.functions[FunctionId::new(0)];
        let of = |block: usize| function[body.blocks[BlockId::new(block)].first_segment];
        assert_eq!(of(0), Observation::busy(3, 2.0));
        assert_eq!(of(1), Observation::busy(5, 2.0));
        assert_eq!((seen.samples(), seen.without_block), (8, 0), "bytes around are others'");
    }

    #[test]
    fn copies_add_and_pieces_of_one_copy_are_one() {
        let map = single_loop();
        // Two machine blocks of block 1: one of two rows, one of half as many instructions.
        let mut half = row(8, None, 1, true);
        half.instructions = 1;
        let rows = vec![row(0, None, 1, true), row(4, None, 1, false), half];
        let hits = BTreeMap::from([(0x101, 4), (0x105, 4), (0x109, 3)]);
        let seen = observe(&map, &code(rows, 16), &hits, Cycles::Mean);
        let segment = map.functions[FunctionId::new(0)].blocks[BlockId::new(1)].first_segment;
        let Observation { samples, cycles, .. } = seen.functions[FunctionId::new(0)][segment];
        // 8 samples by 4 cycles and 3 by 1.
        assert_eq!(samples, 11);
        assert!((samples as f64 / cycles - 5.0).abs() < 1e-12, "{cycles}");
    }

    #[test]
    fn code_of_an_unrolled_loop_is_one_piece_wherever_it_lies() {
        let map = single_loop();
        let copied =
            |offset, group, factor| CodeRow { group: Some(group), factor, ..row(offset, None, 1, true) };
        // Two copies in machine blocks of their own, and a loop for what is left over.
        let rows = vec![copied(0, 0, 2), copied(4, 0, 2), copied(8, 1, 1)];
        let hits = BTreeMap::from([(0x100, 6), (0x104, 4), (0x108, 2)]);
        let seen = observe(&map, &code(rows, 12), &hits, Cycles::Mean);
        let segment = map.functions[FunctionId::new(0)].blocks[BlockId::new(1)].first_segment;
        let found = seen.functions[FunctionId::new(0)][segment];
        assert_eq!(found.samples, 12);
        // 10 samples by 4 cycles, twice; 2 by 2.
        assert!((found.count(1.0) - 6.0).abs() < 1e-12, "{}", found.count(1.0));
    }

    #[test]
    fn what_stands_behind_a_call_is_another_segment() {
        let map = call_left();
        let body = &map.functions[FunctionId::new(0)];
        let last = body.instructions.len() as u32 - 1;
        let segment = body.segment_of(InstructionId::new(last as usize));
        let block = body.segments[segment].block;
        assert_ne!(body.blocks[block].first_segment, segment, "the example has a call that may leave");
        let rows = vec![
            row(0, Some(0), block.index() as u32, true),
            row(4, Some(last), block.index() as u32, false),
        ];
        let hits = BTreeMap::from([(0x100, 1), (0x104, 2)]);
        let seen = observe(&map, &code(rows, 8), &hits, Cycles::Model);
        assert_eq!(seen.functions[FunctionId::new(0)][segment].samples, 2);
    }

    #[test]
    fn code_behind_a_call_belongs_to_what_the_call_returns_to() {
        let map = call_left();
        let body = &map.functions[FunctionId::new(0)];
        let call = body.calls[0].instruction;
        let (own, next) = (body.segment_of(call), SegmentId::new(body.segment_of(call).index() + 1));
        let block = body.segments[own].block.index() as u32;
        let rows = vec![
            row(0, None, block, true),
            row(4, Some(call.index() as u32), block, false),
            row(8, None, block, false),
            row(12, None, block, true),
        ];
        let hits = BTreeMap::from([(0x100, 1), (0x104, 2), (0x108, 4), (0x10c, 8)]);
        let seen = observe(&map, &code(rows, 16), &hits, Cycles::Mean);
        let of = |segment| seen.functions[FunctionId::new(0)][segment].samples;
        assert_eq!((of(own), of(next)), (1 + 2 + 8, 4));
    }

    #[test]
    fn code_of_no_block_is_told() {
        let map = single_loop();
        let mut edge = row(0, None, 0, true);
        edge.block = None;
        let seen = observe(&map, &code(vec![edge], 8), &BTreeMap::from([(0x101, 7)]), Cycles::Model);
        assert_eq!((seen.samples(), seen.without_block), (0, 7));
    }
}
