//! What did one function do, line by line and block by block?
//!
//! [`list_functions`] adds up chosen functions of a [`ProgramSummary`] once
//! more, in the detail that an annotated listing needs: what each source line
//! cost *within the function* (lines inlined into it stand under their own
//! file), and each instruction's text with its count. Modules that hold the
//! function in one form (equal body hash) are added; other forms are listed
//! behind each other, in the order of modules.
//!
//! Cost: one pass over the names of all functions, and over the instructions
//! of the chosen ones. Limit: texts are those of the first module of a form.

use std::collections::BTreeMap;

use opcost_key::{BlockId, Hash128};

use crate::counted::CountedRun;
use crate::lines::{LineReader, LineSum, Lines};
use crate::{CountedModule, FunctionTotal, LineTotal, ProgramSummary, SourceLine};

/// One function in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionListing {
    /// Position in [`ProgramSummary::functions`].
    pub function: usize,
    /// What its instructions cost by line, by file, then line.
    pub lines: Vec<LineTotal>,
    /// What its instructions without a line cost.
    pub without_line: u128,
    /// What its instructions cost by the lines that they were inlined through; none of a ledger,
    /// which does not have it.
    pub stacks: Vec<InlineStack>,
    /// Its blocks in program order; those of one form together.
    pub blocks: Vec<BlockListing>,
}

/// The lines of one inline stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineStack {
    /// Where the code is written, then where that was inlined, and so on outwards.
    pub lines: Vec<SourceLine>,
    /// What its instructions cost, in units of the cost model.
    pub instructions: u128,
}

/// One block with its instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockListing {
    /// The first module that has this form of the function.
    pub module: String,
    /// The block.
    pub block: BlockId,
    /// Where its first instruction with a line is written.
    pub place: Option<SourceLine>,
    /// How often it ran.
    pub count: u128,
    /// Its instructions in order.
    pub instructions: Vec<InstructionListing>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionListing {
    /// Its text in the IR.
    pub text: String,
    /// How often it started.
    pub count: u128,
    /// What it cost, in units of the cost model.
    pub cost: u128,
}

/// Lists the functions at these positions of the summary of `modules`, in the
/// order given.
pub fn list_functions(
    modules: &[CountedModule<'_>],
    summary: &ProgramSummary,
    wanted: &[usize],
) -> Vec<FunctionListing> {
    let key = |total: &FunctionTotal| (total.name.clone(), total.module.clone());
    let mut sums: BTreeMap<_, Listing<'_>> =
        wanted.iter().map(|&position| (key(&summary.functions[position]), Listing::default())).collect();
    for module in modules {
        let mut reader = LineReader::with_stacks(module.map);
        for (id, function) in module.map.functions.iter() {
            let name = (function.name.clone(), function.is_local.then(|| module.map.module.clone()));
            if let Some(sum) = sums.get_mut(&name) {
                let counted = CountedRun { map: module.map, function, counts: &module.counts.functions[id] };
                sum.add(&counted, reader.read(&counted));
            }
        }
    }
    let listing = |&position: &usize| {
        let sum = sums.get(&key(&summary.functions[position])).expect("every wanted function has a sum");
        sum.finish(position)
    };
    wanted.iter().map(listing).collect()
}

#[derive(Default)]
struct Listing<'a> {
    lines: BTreeMap<(&'a str, u32), LineSum>,
    without_line: u128,
    stacks: BTreeMap<Vec<(&'a str, u32)>, u128>,
    forms: Vec<(Hash128, Vec<BlockListing>)>,
}

impl<'a> Listing<'a> {
    fn add(&mut self, counted: &CountedRun<'a>, lines: Lines<'a>) {
        self.without_line += lines.without_line;
        for (line, sum) in lines.lines {
            self.lines.entry(line).and_modify(|known| known.add(sum)).or_insert(sum);
        }
        for (stack, cost) in lines.stacks {
            *self.stacks.entry(stack).or_default() += cost;
        }
        let blocks = blocks(counted);
        match self.forms.iter_mut().find(|(body, _)| *body == counted.function.body) {
            Some((_, sums)) => sums.iter_mut().zip(blocks).for_each(|(sum, block)| sum.add(&block)),
            None => self.forms.push((counted.function.body, blocks)),
        }
    }

    fn finish(&self, function: usize) -> FunctionListing {
        let lines = self.lines.iter().map(|(&line, sum)| sum.total(SourceLine::new(line)));
        let stacks = self.stacks.iter().map(|(lines, &instructions)| InlineStack {
            lines: lines.iter().map(|&line| SourceLine::new(line)).collect(),
            instructions,
        });
        FunctionListing {
            function,
            lines: lines.collect(),
            without_line: self.without_line,
            stacks: stacks.collect(),
            blocks: self.forms.iter().flat_map(|(_, blocks)| blocks.iter().cloned()).collect(),
        }
    }
}

impl BlockListing {
    fn add(&mut self, other: &BlockListing) {
        self.count += other.count;
        for (sum, instruction) in self.instructions.iter_mut().zip(&other.instructions) {
            sum.count += instruction.count;
            sum.cost += instruction.cost;
        }
    }
}

fn blocks(counted: &CountedRun<'_>) -> Vec<BlockListing> {
    let (function, counts) = (counted.function, counted.counts);
    let instructions = |block| {
        let segments = function.segments_of(block);
        let all = segments.flat_map(|segment| function.instructions_of(segment).map(move |id| (segment, id)));
        all.map(|(segment, id)| InstructionListing {
            text: function.instructions[id].text.clone(),
            count: counts.segments[segment].into(),
            cost: counts.cost(function, segment, id, counted.map.cost.charge),
        })
        .collect()
    };
    let blocks = function.blocks.ids().map(|block| BlockListing {
        module: counted.map.module.clone(),
        block,
        place: counted.block_line(block).map(SourceLine::new),
        count: counts.block(function, block).into(),
        instructions: instructions(block),
    });
    blocks.collect()
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::PlaceId;

    use super::list_functions;
    use crate::example::{diamond, recovered};
    use crate::{CountedModule, summarize};

    #[test]
    fn work_stands_by_its_inline_stack() {
        let mut map = diamond();
        // Line 11 was inlined at line 13, through a place that has no line.
        map.places[PlaceId::new(1)].inlined_at = Some(PlaceId::new(9));
        map.places[PlaceId::new(9)].inlined_at = Some(PlaceId::new(3));
        let counts = recovered(&map, &[10, 3], &[]);
        let modules = [CountedModule { map: &map, counts: &counts }];
        let listings = list_functions(&modules, &summarize(&modules), &[0]);
        let stacks: Vec<_> = listings[0]
            .stacks
            .iter()
            .map(|stack| (stack.lines.iter().map(|at| at.line).collect::<Vec<_>>(), stack.instructions))
            .collect();
        assert_eq!(stacks, [(vec![10], 20), (vec![11, 13], 9), (vec![12], 35), (vec![13], 10)]);
        let all: u128 = listings[0].stacks.iter().map(|stack| stack.instructions).sum();
        assert_eq!(all, listings[0].lines.iter().map(|line| line.instructions).sum::<u128>());
    }

    #[test]
    fn a_listing_adds_up_to_its_function() {
        let map = diamond();
        let counts = recovered(&map, &[10, 3], &[]);
        let twice =
            [CountedModule { map: &map, counts: &counts }, CountedModule { map: &map, counts: &counts }];
        let summary = summarize(&twice);
        let listings = list_functions(&twice, &summary, &[0]);
        let listing = &listings[0];
        assert_eq!(listing.lines.iter().map(|line| line.instructions).sum::<u128>(), 148);
        let costs = listing.blocks.iter().flat_map(|block| &block.instructions);
        assert_eq!(costs.map(|instruction| instruction.cost).sum::<u128>(), 148);
        let counts: Vec<_> = listing.blocks.iter().map(|block| block.count).collect();
        assert_eq!(counts, [20, 6, 14, 20], "one form, both modules added");
        assert_eq!(listing.lines[0].executions, Some(20));
    }
}
