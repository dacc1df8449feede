//! How often did each instruction of a module start, by a ledger?
//!
//! A ledger has counts of blocks and edges; the module's map says which
//! instructions stand in which segment. A block's first segment starts as often
//! as the block, a later one as often as the edges that lead to it are taken.
//! Map and ledger must be of one build: their hashes are compared, and where they
//! differ it is said what does.
//!
//! Input: a map with its hash, a ledger. Output: a count for each instruction, in
//! program order over the module; none where the ledger does not tell (edges
//! under placement every-segment). Cost: one pass over the ledger's facts.

use std::collections::HashMap;

use opcost_index::Id;
use opcost_key::{BlockId, FunctionId, FunctionMap, Hash128, InstructionId, ModuleMap};
use opcost_profile::{Column, Ledger, ModuleFacts, Subject};
use thiserror::Error;

use crate::{BlockListing, InstructionListing, SourceLine};

/// Why a ledger says nothing of a module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OtherModule {
    /// No module of the ledger has this name.
    #[error("it has no module {module}; it has {available}")]
    Unknown {
        /// The name that was looked for.
        module: String,
        /// The names that there are.
        available: String,
    },
    /// The module was built otherwise, or is another now.
    #[error("{module} is not as it was counted: {what}; count it again, or take what was counted")]
    Changed {
        /// The module.
        module: String,
        /// What differs.
        what: String,
    },
}

/// What a ledger knows of the module of this name.
///
/// # Errors
/// It knows no such module.
pub fn module_of<'a>(ledger: &'a Ledger, module: &str) -> Result<&'a ModuleFacts, OtherModule> {
    let modules = &ledger.about.modules;
    modules.iter().find(|facts| facts.module == module).ok_or_else(|| {
        let known: Vec<&str> = modules.iter().map(|facts| facts.module.as_str()).collect();
        OtherModule::Unknown { module: module.to_owned(), available: known.join(", ") }
    })
}

/// The counts of all instructions of a module, in program order.
///
/// # Errors
/// The ledger is of another build.
pub fn count_instructions(
    map: &ModuleMap,
    hash: Hash128,
    ledger: &Ledger,
) -> Result<Vec<Option<u64>>, OtherModule> {
    let facts = module_of(ledger, &map.module)?;
    if facts.map != map.by_code.unwrap_or(hash) {
        let what = difference(map, facts, ledger);
        return Err(OtherModule::Changed { module: map.module.clone(), what });
    }
    let mut blocks: HashMap<(&str, u32), u64> = HashMap::new();
    let mut edges: HashMap<(&str, u32), i128> = HashMap::new();
    for fact in ledger.facts() {
        let Some(value) = fact.value else { continue };
        match (&fact.subject, fact.column) {
            (Subject::Block { function, block, .. }, Column::Count) if function.module == map.module => {
                blocks.insert((&function.name, *block), value);
            }
            (Subject::Edge { function, edge, .. }, column @ (Column::Count | Column::Inherited))
                if function.module == map.module =>
            {
                // Frames that a child inherited stand below zero.
                let sign = if column == Column::Inherited { -1 } else { 1 };
                *edges.entry((&function.name, *edge)).or_default() += sign * i128::from(value);
            }
            _ => {}
        }
    }
    Ok(map.functions.values().flat_map(|function| of_function(function, &blocks, &edges)).collect())
}

/// The blocks of one function with their instructions, for a listing: `counts`
/// are those of [`count_instructions`]. What is not known counts as none.
pub fn list_blocks(map: &ModuleMap, counts: &[Option<u64>], wanted: FunctionId) -> Vec<BlockListing> {
    let function = &map.functions[wanted];
    let before: usize =
        map.functions.iter().take_while(|(id, _)| *id != wanted).map(|(_, f)| f.instructions.len()).sum();
    let count = |id: InstructionId| u128::from(counts[before + id.index()].unwrap_or(0));
    let listing = |id: InstructionId| {
        let instruction = &function.instructions[id];
        let cost = count(id) * u128::from(instruction.weight);
        InstructionListing { text: instruction.text.clone(), count: count(id), cost }
    };
    let block = |block: BlockId| {
        let own: Vec<InstructionId> =
            function.segments_of(block).flat_map(|segment| function.instructions_of(segment)).collect();
        let places = own.iter().filter_map(|&id| function.instructions[id].place);
        let place = places.filter_map(|place| map.file_and_line(place)).next();
        BlockListing {
            module: map.module.clone(),
            block,
            place: place.map(SourceLine::new),
            count: own.first().map_or(0, |&id| count(id)),
            instructions: own.into_iter().map(listing).collect(),
        }
    };
    function.blocks.ids().map(block).collect()
}

fn of_function(
    function: &FunctionMap,
    blocks: &HashMap<(&str, u32), u64>,
    edges: &HashMap<(&str, u32), i128>,
) -> Vec<Option<u64>> {
    let name = function.name.as_str();
    let number = |id: usize| u32::try_from(id).expect("ids are 32 bits wide");
    let mut counts = Vec::with_capacity(function.instructions.len());
    for (id, segment) in function.segments.iter() {
        let is_first = function.blocks[segment.block].first_segment == id;
        let count = if is_first {
            blocks.get(&(name, number(segment.block.index()))).copied()
        } else {
            let into = function.edges.iter().filter(|(_, edge)| edge.to == Some(id));
            let taken: Option<i128> =
                into.map(|(edge, _)| edges.get(&(name, number(edge.index()))).copied()).sum();
            taken.and_then(|taken| u64::try_from(taken).ok())
        };
        counts.extend(function.instructions_of(id).map(|_| count));
    }
    counts
}

/// What makes the hashes differ, as far as a ledger shows it.
fn difference(map: &ModuleMap, facts: &ModuleFacts, ledger: &Ledger) -> String {
    let (now, then) = (&map.build, &facts.build);
    let pairs = [
        ("the compiler", now.compiler.clone(), then.compiler.clone()),
        ("the flags", now.flags.join(" "), then.flags.join(" ")),
        ("the target", now.target.clone(), then.target.clone()),
        ("opcost", now.opcost.clone(), then.opcost.clone()),
        ("the anchor", map.anchor.to_string(), facts.anchor.to_string()),
        ("the cost model", map.cost.name.clone(), ledger.about.cost.name.clone()),
    ];
    for (what, now, then) in pairs {
        if now != then {
            return format!("{what} was {then} and is {now}");
        }
    }
    for fact in ledger.facts() {
        let Subject::Function { function, .. } = &fact.subject else { continue };
        if function.module != map.module {
            continue;
        }
        match map.functions.values().find(|known| known.name == function.name) {
            None => return format!("function {} is no more", function.name),
            Some(known) if known.body != function.body => {
                return format!("function {} has other instructions now", function.name);
            }
            Some(_) => {}
        }
    }
    "operands, lines or headers changed".to_owned()
}

#[cfg(test)]
mod tests {
    use opcost_key::Hash128;

    use super::{OtherModule, count_instructions};
    use crate::CountedModule;
    use crate::example::{call_left, diamond, ledger_of, recovered};

    #[test]
    fn a_ledger_gives_each_instruction_the_count_of_the_run() {
        let map = call_left();
        let counts = recovered(&map, &[5, 3], &[(0, 2)]);
        let ledger = ledger_of(CountedModule { map: &map, counts: &counts });
        let found = count_instructions(&map, Hash128(7), &ledger).expect("it fits");
        let all: Vec<Option<u64>> = map
            .functions
            .iter()
            .flat_map(|(id, function)| counts.functions[id].instructions(function).as_slice().to_vec())
            .map(Some)
            .collect();
        assert_eq!(found, all);
        assert!(found.contains(&Some(5)) && found.contains(&Some(3)), "two frames were left: {found:?}");
    }

    #[test]
    fn another_build_is_refused_with_what_differs() {
        let map = diamond();
        let counts = recovered(&map, &[10, 3], &[]);
        let ledger = ledger_of(CountedModule { map: &map, counts: &counts });
        let mut other = map.clone();
        other.functions.values_mut().for_each(|function| function.body = Hash128(99));
        let error = count_instructions(&other, Hash128(8), &ledger).expect_err("another hash");
        assert!(error.to_string().contains("has other instructions now"), "{error}");
        other.build.flags = vec!["-O3".to_owned()];
        let error = count_instructions(&other, Hash128(8), &ledger).expect_err("another hash");
        assert!(error.to_string().contains("the flags was"), "{error}");
        other.module = "b.c".to_owned();
        let error = count_instructions(&other, Hash128(8), &ledger).expect_err("another module");
        assert!(matches!(error, OtherModule::Unknown { .. }), "{error}");
    }
}
