//! Where is a check, in words of the source?
//!
//! It is the first frame with a line. The instructions of the stretch are asked first. Where they have none
//! (merged code has line 0), those are asked that ran before in any case, the nearest first: before the
//! stretch in its block, and in the blocks that dominate it. What was inlined and has no line itself is
//! told as the frame that it was inlined into. So name and line are of one frame. Where nothing has a
//! line, the file is told, or where the function begins if no instruction has a place at all.
//!
//! Input: a function, the first and the last instruction of a stretch. Output: a site. Cost: dominators
//! once for a function that needs them, and linear in the way back. Limit: by whom a library function
//! without lines is called is not known in its code.

use std::cell::OnceCell;

use opcost_graph::dominators::Dominators;
use opcost_index::Id;
use opcost_ir::{Function, MeteredSite, Module};
use opcost_key::{BlockId, FunctionId, InstructionId, PlaceId};

/// Sites of one function.
pub(super) struct Sites<'a> {
    module: &'a Module,
    id: FunctionId,
    dominators: OnceCell<Dominators<BlockId>>,
}

impl<'a> Sites<'a> {
    pub(super) fn of(module: &'a Module, id: FunctionId) -> Sites<'a> {
        Sites { module, id, dominators: OnceCell::new() }
    }

    /// That of a stretch, from its first instruction to its last.
    pub(super) fn site(&self, first: InstructionId, last: InstructionId) -> MeteredSite {
        let (module, function) = (self.module, &self.module.functions[self.id]);
        let mut own = (first.index()..=last.index()).filter_map(|at| location_of(function, at));
        let place = own
            .clone()
            .find_map(|place| frame_with_line(module, place))
            .or_else(|| self.before(first))
            .or_else(|| own.next())
            .or(function.place)
            .map(|place| &module.places[place]);
        MeteredSite {
            function: place.and_then(|place| place.inlined_function.clone()).unwrap_or(function.name.clone()),
            file: place.map(|place| module.files[place.file].clone()).unwrap_or_default(),
            line: place.map_or(0, |place| place.line),
        }
    }

    /// The last frame with a line that there was before an instruction. A function that was compiled
    /// without lines has none.
    fn before(&self, first: InstructionId) -> Option<PlaceId> {
        let function = &self.module.functions[self.id];
        function.place?;
        let holds = |block: &BlockId| function.blocks[*block].instructions.contains(&(first.index() as u32));
        let own = function.blocks.ids().find(holds)?;
        let dominators = self.dominators.get_or_init(|| Dominators::compute(function, BlockId::new(0)));
        let mut ways = std::iter::successors(Some(own), |block| dominators.immediate(*block));
        ways.find_map(|block| {
            let within = &function.blocks[block].instructions;
            let end = if block == own { first.index() as u32 } else { within.end };
            let mut places = (within.start..end).rev().filter_map(|at| location_of(function, at as usize));
            places.find_map(|place| frame_with_line(self.module, place))
        })
    }
}

fn location_of(function: &Function, at: usize) -> Option<PlaceId> {
    function.instructions[InstructionId::new(at)].place
}

/// The innermost frame of a place that has a line.
fn frame_with_line(module: &Module, place: PlaceId) -> Option<PlaceId> {
    let frames = std::iter::successors(Some(place), |place| module.places[*place].inlined_at);
    frames.take(module.places.len()).find(|place| module.places[*place].line > 0)
}
