//! Sums by function, line, block and callee, by hand.

use opcost_index::{Id, IdMap};
use opcost_key::{Callee, Charge, FunctionId, ModuleMap, PlaceId};

use super::{CountedModule, ProgramSummary, SourceLine, summarize};
use crate::ModuleCounts;
use crate::example::{call_left, diamond, recovered, single_loop, with_call};

fn line(line: u32) -> SourceLine {
    SourceLine { file: "src.c".into(), line }
}

fn summary(modules: &[(&ModuleMap, &ModuleCounts)]) -> ProgramSummary {
    let modules: Vec<_> = modules.iter().map(|&(map, counts)| CountedModule { map, counts }).collect();
    summarize(&modules)
}

#[test]
fn functions_lines_and_blocks_add_up() {
    let (choose, repeat) = (diamond(), single_loop());
    let (chosen, repeated) = (recovered(&choose, &[10, 3], &[]), recovered(&repeat, &[2, 14], &[]));
    let summary = summary(&[(&choose, &chosen), (&repeat, &repeated)]);
    assert_eq!(summary.weight, 74 + (2 + 16 * 3 + 2));
    let functions: Vec<_> =
        summary.functions.iter().map(|f| (f.name.as_str(), f.calls, f.instructions)).collect();
    assert_eq!(functions, [("choose", 10, 74), ("repeat", 2, 52)]);
    let lines: Vec<_> =
        summary.lines.iter().map(|l| (l.at.line, l.instructions, l.executions.unwrap())).collect();
    // Both functions stand on lines 10 to 12, and each executes them.
    assert_eq!(lines, [(10, 20 + 2, 10 + 2), (11, 9 + 48, 3 + 16), (12, 35 + 2, 7 + 2), (13, 10, 10)]);
    assert_eq!(summary.weight_without_line, 0);
    let blocks: Vec<_> = summary.blocks.iter().map(|b| (b.function, b.block.index(), b.count)).collect();
    assert_eq!(blocks, [(0, 0, 10), (0, 1, 3), (0, 2, 7), (0, 3, 10), (1, 0, 2), (1, 1, 16), (1, 2, 2)]);
    assert_eq!(summary.blocks[1].place, Some(line(11)));
}

#[test]
fn weight_without_a_line_is_told_apart() {
    let mut map = diamond();
    for (position, instruction) in map.functions[FunctionId::new(0)].instructions.values_mut().enumerate() {
        match position {
            5 => instruction.place = None,
            6 => instruction.place = Some(PlaceId::new(9)),
            _ => {}
        }
    }
    let counts = recovered(&map, &[10, 3], &[]);
    let summary = summary(&[(&map, &counts)]);
    assert_eq!(summary.weight_without_line, 35 + 10);
    assert_eq!(summary.lines.iter().map(|l| l.instructions).sum::<u128>() + 45, summary.weight);
}

#[test]
fn functions_merge_by_name_unless_local() {
    let (mut map, mut other) = (diamond(), diamond());
    other.module = "other.c".into();
    let (counts, more) = (recovered(&map, &[10, 3], &[]), recovered(&other, &[1, 1], &[]));
    let merged = summary(&[(&map, &counts), (&other, &more)]);
    assert_eq!(merged.functions.len(), 1);
    assert_eq!((merged.functions[0].calls, merged.functions[0].module.as_ref()), (11, None));
    assert_eq!(merged.blocks.iter().map(|b| b.count).collect::<Vec<_>>(), [11, 4, 7, 11]);

    for map in [&mut map, &mut other] {
        map.functions[FunctionId::new(0)].is_local = true;
    }
    let apart = summary(&[(&map, &counts), (&other, &more)]);
    let functions: Vec<_> = apart.functions.iter().map(|f| (f.module.as_deref(), f.calls)).collect();
    assert_eq!(functions, [(Some("diamond.c"), 10), (Some("other.c"), 1)]);
    assert_eq!(apart.blocks.len(), 8);
}

/// block-size/1: the entry pays for the whole block, even where a call left.
#[test]
fn a_block_charged_at_its_entry_adds_up_too() {
    let mut map = call_left();
    map.cost.charge = Charge::Block;
    let counts = recovered(&map, &[5, 4], &[(0, 1)]);
    let summary = summary(&[(&map, &counts)]);
    assert_eq!(summary.weight, 25);
    assert_eq!(summary.lines.iter().map(|l| l.instructions).sum::<u128>(), 25);
}

#[test]
fn calls_are_counted_by_callee() {
    let mut map = call_left();
    let mut function = map.functions[FunctionId::new(0)].clone();
    for (position, callee) in [
        (0, Callee::Memory("memcpy".into())),
        (2, Callee::Indirect),
        (3, Callee::Indirect),
        (3, Callee::Assembly),
        (4, Callee::Declared("choose".into())),
        (4, Callee::Declared("puts".into())),
        (4, Callee::Defined(FunctionId::new(0))),
    ] {
        function = with_call(function, position, callee);
    }
    map.functions = IdMap::from_vec(vec![function]);
    let choose = diamond();
    let (counts, chosen) = (recovered(&map, &[5, 4], &[(0, 1)]), recovered(&choose, &[4, 0], &[]));
    let calls = summary(&[(&map, &counts), (&choose, &chosen)]).calls;
    let named = |calls: &[crate::NamedCalls]| {
        calls.iter().map(|call| (call.name.clone(), call.calls)).collect::<Vec<_>>()
    };
    assert_eq!(named(&calls.external), [("exit".into(), 5), ("puts".into(), 4)]);
    assert_eq!(named(&calls.memory), [("memcpy".into(), 5)]);
    assert_eq!((calls.assembly, calls.internal), (4, 8));
    assert_eq!(calls.indirect.len(), 1);
    assert_eq!((calls.indirect[0].calls, calls.indirect[0].place.clone()), (8, Some(line(10))));
    // Alone, the module calls choose from outside.
    let alone = summary(&[(&map, &counts)]).calls;
    assert!(alone.external.iter().any(|call| call.name == "choose" && call.calls == 4));
}

#[test]
fn no_modules_are_an_empty_program() {
    let empty = summary(&[]);
    assert_eq!((empty.weight, empty.functions.len(), empty.blocks.len()), (0, 0, 0));
}
