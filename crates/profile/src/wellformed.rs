//! Does every id of a map lead somewhere?
//!
//! A map comes from a file. Its hash tells accidents; this check tells faults
//! of the writer, and makes a promise to everything that uses a map: each id
//! is in range, the entry block starts the function, blocks, segments and
//! instructions are cut in order and without gaps, a segment weighs
//! what its instructions weigh, chains of inlining end, counters lie in the
//! module's array and no two meters share one. Cost: one pass over the map.

use opcost_index::{Id, IdMap, IdSet};
use opcost_key::{
    BlockId, Callee, CounterId, EdgeId, EdgeKind, EdgeMap, FileId, FunctionMap, InstructionId, Meter,
    ModuleMap, PathsMap, PlaceId, SegmentId,
};
use thiserror::Error;

/// What is wrong with a map.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum IllFormed {
    /// An id refers to nothing.
    #[error("{holder} refers to {id}, which does not exist")]
    Dangling {
        /// Who refers.
        holder: String,
        /// To what.
        id: String,
    },
    /// Blocks, segments and instructions do not divide the function.
    #[error("{what} of function {function} are not in order")]
    Disordered {
        /// Linkage name.
        function: String,
        /// Which parts.
        what: &'static str,
    },
    /// The weight of a segment is not that of its instructions.
    #[error("the weight of {segment} of function {function} is not the sum of its instructions' weights")]
    WrongWeight {
        /// Linkage name.
        function: String,
        /// The segment.
        segment: SegmentId,
    },
    /// Texts of lines are not those of files, line by line.
    #[error("the texts of lines of {file} are not in order")]
    DisorderedTexts {
        /// The file.
        file: FileId,
    },
    /// A place is inlined into itself.
    #[error("{place} is inlined into itself")]
    EndlessInlining {
        /// The place.
        place: PlaceId,
    },
    /// Two meters have one counter.
    #[error("{counter} has two meanings in function {function}")]
    SharedCounter {
        /// The counter.
        counter: CounterId,
        /// Where its second meaning is.
        function: String,
    },
}

type Check = Result<(), IllFormed>;

fn refers<I: Id, T>(holder: impl FnOnce() -> String, id: I, to: &IdMap<I, T>) -> Check {
    if id.index() < to.len() {
        Ok(())
    } else {
        Err(IllFormed::Dangling { holder: holder(), id: id.to_string() })
    }
}

/// Checks all ids of a map.
pub fn check_map(map: &ModuleMap) -> Check {
    check_places(map)?;
    check_texts(map)?;
    let mut counters = IdSet::new();
    for function in map.functions.values() {
        check_order(function)?;
        check_weights(function)?;
        check_references(map, function)?;
        check_expected(map, function)?;
        check_counters(map, function, &mut counters)?;
    }
    for (site, &(function, edge)) in map.call_sites.iter() {
        refers(|| site.to_string(), function, &map.functions)?;
        refers(|| site.to_string(), edge, &map.functions[function].edges)?;
    }
    Ok(())
}

fn check_places(map: &ModuleMap) -> Check {
    for (id, place) in map.places.iter() {
        refers(|| id.to_string(), place.file, &map.files)?;
        if let Some(outer) = place.inlined_at {
            refers(|| id.to_string(), outer, &map.places)?;
        }
    }
    // Follow every chain until it ends or meets an earlier one, which ends.
    let mut walked_from: IdMap<PlaceId, Option<PlaceId>> = IdMap::filled(map.places.len(), None);
    for start in map.places.ids() {
        let mut next = Some(start);
        while let Some(place) = next
            && walked_from[place].is_none()
        {
            walked_from[place] = Some(start);
            next = map.places[place].inlined_at;
        }
        if let Some(place) = next
            && walked_from[place] == Some(start)
        {
            return Err(IllFormed::EndlessInlining { place });
        }
    }
    Ok(())
}

fn check_texts(map: &ModuleMap) -> Check {
    for texts in &map.texts {
        let file = texts.file;
        refers(|| "a text".to_owned(), file, &map.files)?;
        if !texts.lines.is_sorted_by(|one, next| one.line < next.line) {
            return Err(IllFormed::DisorderedTexts { file });
        }
    }
    Ok(())
}

/// Whether `starts` begin at 0, never fall, and stay within `length`.
fn ascends(starts: impl Iterator<Item = usize>, length: usize) -> bool {
    let mut last = None;
    for start in starts {
        if start > length || last.map_or(start != 0, |last| start < last) {
            return false;
        }
        last = Some(start);
    }
    last.is_some() || length == 0
}

fn check_order(function: &FunctionMap) -> Check {
    let segments = function.segments.len();
    let instructions = function.instructions.len();
    let disordered = |what| Err(IllFormed::Disordered { function: function.name.clone(), what });
    if function.blocks.is_empty() && segments == 0 && instructions == 0 {
        return Ok(()); // its body is not counted here
    }
    if function.blocks.is_empty() || segments == 0 {
        return disordered("the blocks");
    }
    if !ascends(function.blocks.values().map(|block| block.first_segment.index()), segments)
        || !ascends(function.blocks.values().map(|block| block.first_instruction.index()), instructions)
    {
        return disordered("the blocks");
    }
    if !ascends(function.segments.values().map(|segment| segment.first_instruction.index()), instructions) {
        return disordered("the segments");
    }
    for block in function.blocks.ids() {
        let mut segments = function.segments_of(block).peekable();
        let first = segments.peek().map(|&segment| function.segments[segment].first_instruction);
        if first != Some(function.blocks[block].first_instruction)
            || segments.any(|segment| function.segments[segment].block != block)
        {
            return disordered("the segments");
        }
    }
    Ok(())
}

fn check_weights(function: &FunctionMap) -> Check {
    for (segment, claimed) in function.segments.iter() {
        let instructions = function.instructions_of(segment);
        // 2^32 weights below 2^32 at most: no overflow.
        let sum: u64 = instructions.map(|id| u64::from(function.instructions[id].weight)).sum();
        if sum != claimed.weight {
            return Err(IllFormed::WrongWeight { function: function.name.clone(), segment });
        }
    }
    Ok(())
}

fn check_references(map: &ModuleMap, function: &FunctionMap) -> Check {
    let name = || format!("function {}", function.name);
    for edge in function.edges.values() {
        check_edge(map, function, edge)?;
    }
    for place in function.place.iter().chain(function.instructions.values().filter_map(|i| i.place.as_ref()))
    {
        refers(name, *place, &map.places)?;
    }
    for call in &function.calls {
        refers::<InstructionId, _>(name, call.instruction, &function.instructions)?;
        if let Callee::Defined(callee) = call.callee {
            refers(name, callee, &map.functions)?;
        }
    }
    Ok(())
}

fn check_expected(map: &ModuleMap, function: &FunctionMap) -> Check {
    let name = || format!("function {}", function.name);
    let loops = &function.expected.loops;
    for edge in loops.iter().flat_map(|known| known.entering.iter().chain(&known.back)) {
        refers(name, *edge, &function.edges)?;
    }
    if let Some(pointers) = &function.expected.pointers {
        for (call, _) in &pointers.calls {
            refers(name, *call, &function.instructions)?;
        }
        for (call, begins) in &pointers.threads {
            refers(name, *call, &function.instructions)?;
            if let Callee::Defined(begins) = begins {
                refers(name, *begins, &map.functions)?;
            }
        }
    }
    let frequencies = function.expected.frequencies.len();
    if frequencies > 0 && frequencies != function.edges.len() {
        let last = EdgeId::new(frequencies.max(function.edges.len()) - 1);
        return Err(IllFormed::Dangling { holder: name(), id: last.to_string() });
    }
    Ok(())
}

fn check_edge(map: &ModuleMap, function: &FunctionMap, edge: &EdgeMap) -> Check {
    let name = || format!("function {}", function.name);
    for segment in edge.from.iter().chain(&edge.to) {
        refers::<SegmentId, _>(name, *segment, &function.segments)?;
    }
    match edge.kind {
        EdgeKind::Branch { block, .. } => refers::<BlockId, _>(name, block, &function.blocks),
        EdgeKind::Left(site) => refers(name, site, &map.call_sites),
        EdgeKind::Enter | EdgeKind::Fall | EdgeKind::Return | EdgeKind::Again => Ok(()),
    }
}

fn check_counters(map: &ModuleMap, function: &FunctionMap, seen: &mut IdSet<CounterId>) -> Check {
    let metered = function.edges.values().filter_map(|edge| match edge.meter {
        Meter::Counter(counter) => Some(counter),
        Meter::LeftFrames | Meter::Derived => None,
    });
    let first = function.segment_counters.map(Id::index);
    let per_segment = first.into_iter().flat_map(|first| first..first + function.segments.len());
    let lengths = function.instructions.values().filter_map(|instruction| instruction.length);
    let paths = match &function.paths {
        PathsMap::Counted { first, count, cut } => {
            if let Some(edge) = cut.iter().find(|edge| edge.index() >= function.edges.len()) {
                let holder = format!("function {}", function.name);
                return Err(IllFormed::Dangling { holder, id: edge.to_string() });
            }
            first.index()..first.index().saturating_add(*count as usize)
        }
        PathsMap::None | PathsMap::Refused(_) => 0..0,
    };
    for counter in metered.chain(lengths).map(Id::index).chain(per_segment).chain(paths) {
        if counter >= map.counter_count as usize {
            let holder = format!("function {}", function.name);
            return Err(IllFormed::Dangling { holder, id: format!("counter{counter}") });
        }
        let counter = CounterId::new(counter);
        if !seen.insert(counter) {
            return Err(IllFormed::SharedCounter { counter, function: function.name.clone() });
        }
    }
    Ok(())
}
