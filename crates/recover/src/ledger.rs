//! Which facts do the counts of one run make?
//!
//! The total; per source line its cost and executions, and the same of each function's lines; per function its calls and cost; per
//! block and edge its count; per path that was taken its count; calls by what is called, those through
//! pointers by place; how the run ended. What a run cannot tell (edges under placement
//! every-segment) is absent. Functions stay apart by module here, so that
//! blocks keep their shape; `diff` brings them together by name.
//!
//! Cost: that of `summarize`, and one fact per block and edge. Limit: a value
//! of more than 64 bits is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use opcost_index::Id;
use opcost_key::{Callee, EdgeId, EdgeKind, FunctionMap, Hash128, ModuleMap, SegmentId};
use opcost_profile::{
    About, Called, Column, Fact, FunctionFacts, Ledger, LedgerError, LineTexts, ModuleFacts, Origin,
    ProcessEnding, Quality, SourcePlace, Subject, Way, World,
};

use crate::counted::CountedRun;
use crate::lines::{LineReader, Lines};
use crate::{CallTotals, CountedModule, ProgramSummary, RecoverError};

/// What is known of a run besides its counts.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// The machine it ran on.
    pub machine: String,
    /// The command, word by word.
    pub command: Vec<String>,
    /// How they were had.
    pub origin: Origin,
    /// How sure the counts are: exact after a synchronous end.
    pub quality: Quality,
    /// Under which assumption about callers.
    pub world: World,
    /// How it went.
    pub course: Course,
}

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// How the program ended, if that is known.
    pub ending: Option<ProcessEnding>,
    /// How many processes counted, if that is known.
    pub processes: Option<u64>,
    /// Whether its world was held fixed.
    pub is_held_fixed: bool,
    /// Why its counts are not exact, in words.
    pub doubts: Vec<String>,
}

/// The ledger of one run. `maps` are the hashes of the modules' maps, in order.
///
/// # Panics
/// When there are not as many hashes as modules.
pub fn make_ledger(
    modules: &[CountedModule<'_>],
    maps: &[Hash128],
    summary: &ProgramSummary,
    run: &RunFacts,
) -> Result<Ledger, RecoverError> {
    assert_eq!(modules.len(), maps.len(), "one hash per module");
    let cost = &modules.first().ok_or(RecoverError::NoModules)?.map.cost;
    if let Some(other) = modules.iter().find(|module| module.map.cost != *cost) {
        let module = other.map.module.clone();
        return Err(RecoverError::MixedCost {
            module,
            actual: other.map.cost.name.clone(),
            first: cost.name.clone(),
        });
    }
    let about = About {
        modules: modules.iter().zip(maps).map(|(module, &hash)| ModuleFacts::of(module.map, hash)).collect(),
        code: Vec::new(),
        cost: cost.clone(),
        machines: vec![run.machine.clone()],
        commands: vec![run.command.clone()],
        runs: 1,
        texts: texts(modules, summary),
    };
    let mut facts = Facts { run, facts: Vec::new() };
    facts.add(Subject::Program, Column::Instructions, summary.weight)?;
    for line in &summary.lines {
        let place = SourcePlace { file: Arc::from(line.at.file.as_str()), line: line.at.line };
        facts.add(Subject::Line(place.clone()), Column::Instructions, line.instructions)?;
        if let Some(executions) = line.executions {
            facts.add(Subject::Line(place), Column::Count, executions)?;
        }
    }
    facts.add_course(&run.course)?;
    facts.add_calls(&summary.calls)?;
    for module in modules {
        let mut reader = LineReader::new(module.map);
        for (id, function) in module.map.functions.iter() {
            let counted = CountedRun { map: module.map, function, counts: &module.counts.functions[id] };
            facts.add_function(&counted, reader.read(&counted))?;
        }
    }
    Ok(Ledger::new(about, facts.facts)?)
}

/// What is written on the lines that have a cost.
fn texts(modules: &[CountedModule<'_>], summary: &ProgramSummary) -> LineTexts {
    let lines: BTreeSet<(&str, u32)> =
        summary.lines.iter().map(|line| (line.at.file.as_str(), line.at.line)).collect();
    let texts = LineTexts::of(modules.iter().map(|module| module.map));
    texts.only(|place| lines.contains(&(&*place.file, place.line)))
}

struct Facts<'a> {
    run: &'a RunFacts,
    facts: Vec<Fact>,
}

impl Facts<'_> {
    fn add(&mut self, subject: Subject, column: Column, value: u128) -> Result<(), LedgerError> {
        let Ok(small) = u64::try_from(value) else {
            return Err(LedgerError::TooLarge { subject: subject.to_string(), column, value });
        };
        let (quality, world) = (self.run.quality.clone(), self.run.world);
        self.facts.push(Fact {
            subject,
            column,
            value: Some(small),
            origin: self.run.origin,
            quality,
            world,
        });
        Ok(())
    }

    fn add_course(&mut self, course: &Course) -> Result<(), LedgerError> {
        if let Some(processes) = course.processes {
            self.add(Subject::Program, Column::Processes, processes.into())?;
        }
        if course.is_held_fixed {
            self.add(Subject::Program, Column::HeldFixed, 1)?;
        }
        for (position, doubt) in (0..).zip(&course.doubts) {
            self.add(Subject::Doubt(position, doubt.as_str().into()), Column::Runs, 1)?;
        }
        course.ending.map_or(Ok(()), |ending| self.add(Subject::Ending(ending), Column::Runs, 1))
    }

    fn add_calls(&mut self, calls: &CallTotals) -> Result<(), LedgerError> {
        let external =
            calls.external.iter().map(|one| (Called::External(one.name.as_str().into()), one.calls));
        let memory = calls.memory.iter().map(|one| (Called::Memory(one.name.as_str().into()), one.calls));
        let others = [(Called::Assembly, calls.assembly), (Called::Internal, calls.internal)];
        for (called, count) in external.chain(memory).chain(others) {
            self.add(Subject::Called(called), Column::Calls, count)?;
        }
        Ok(())
    }

    /// Calls through pointers, by line.
    fn add_pointers(
        &mut self,
        counted: &CountedRun<'_>,
        facts: &Arc<FunctionFacts>,
    ) -> Result<(), LedgerError> {
        let mut sums: BTreeMap<Option<SourcePlace>, u128> = BTreeMap::new();
        for call in counted.function.calls.iter().filter(|call| call.callee == Callee::Indirect) {
            let line = counted.line(counted.function.instructions[call.instruction].place);
            let calls = counted.counts.instruction(counted.function, call.instruction);
            *sums.entry(source_place(line)).or_default() += u128::from(calls);
        }
        for (place, calls) in sums {
            self.add(Subject::Pointers { function: facts.clone(), place }, Column::Calls, calls)?;
        }
        Ok(())
    }

    fn add_function(&mut self, counted: &CountedRun<'_>, lines: Lines<'_>) -> Result<(), LedgerError> {
        let (map, function, counts) = (counted.map, counted.function, counted.counts);
        let facts = function_facts(map, function);
        let place = source_place(counted.line(function.place));
        let subject = Subject::Function { function: facts.clone(), place };
        self.add(subject.clone(), Column::Calls, counts.entries.into())?;
        self.add(subject, Column::Instructions, counts.weight(function, map.cost.charge))?;
        for block in function.blocks.ids() {
            let subject = Subject::Block {
                function: facts.clone(),
                block: number(block),
                place: source_place(counted.block_line(block)),
            };
            self.add(subject, Column::Count, counts.block(function, block).into())?;
        }
        for (edge, &count) in counts.edges.iter().flat_map(|edges| edges.iter()) {
            let subject = edge_subject(&facts, function, edge);
            // Only frames that a child inherited by fork stand below zero.
            let column = if count < 0 { Column::Inherited } else { Column::Count };
            self.add(subject, column, count.unsigned_abs().into())?;
        }
        for (line, sum) in lines.lines {
            let place = source_place(Some(line)).expect("a line was given");
            let subject = Subject::FunctionLine { function: facts.clone(), place };
            self.add(subject.clone(), Column::Instructions, sum.instructions)?;
            if let Some(executions) = sum.executions {
                self.add(subject, Column::Count, executions)?;
            }
        }
        self.add_pointers(counted, &facts)?;
        for path in &counts.paths {
            let edges = path.edges.iter().copied().map(number).collect();
            let subject = Subject::Path { function: facts.clone(), path: path.number, edges };
            self.add(subject, Column::Count, path.count.into())?;
        }
        Ok(())
    }
}

/// What a ledger says of a function.
pub(crate) fn function_facts(map: &ModuleMap, function: &FunctionMap) -> Arc<FunctionFacts> {
    Arc::new(FunctionFacts {
        name: function.name.clone(),
        module: map.module.clone(),
        is_local: function.is_local,
        shape: function.shape,
        body: function.body,
        home: function.home.clone(),
    })
}

pub(crate) fn number(id: impl Id) -> u32 {
    u32::try_from(id.index()).expect("ids are 32 bits wide")
}

pub(crate) fn source_place(line: Option<(&str, u32)>) -> Option<SourcePlace> {
    line.map(|(file, line)| SourcePlace { file: Arc::from(file), line })
}

/// The ledger's word for an edge's kind, and the slot of a branch.
pub(crate) fn kind_of(kind: EdgeKind) -> (Way, Option<u32>) {
    match kind {
        EdgeKind::Enter => (Way::Enter, None),
        EdgeKind::Branch { slot, .. } => (Way::Branch, Some(slot)),
        EdgeKind::Fall => (Way::Fall, None),
        EdgeKind::Return => (Way::Return, None),
        EdgeKind::Left(_) => (Way::Left, None),
        EdgeKind::Again => (Way::Again, None),
    }
}

pub(crate) fn edge_subject(facts: &Arc<FunctionFacts>, function: &FunctionMap, id: EdgeId) -> Subject {
    let edge = &function.edges[id];
    let block = |segment: SegmentId| number(function.segments[segment].block);
    let (way, slot) = kind_of(edge.kind);
    let (from, to) = (edge.from.map(block), edge.to.map(block));
    Subject::Edge { function: facts.clone(), edge: number(id), edge_kind: way, from, to, slot }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{FunctionId, Hash128};
    use opcost_profile::diff::{DiffVerdict, diff};
    use opcost_profile::formats::opc::{read_ledger, write_ledger};
    use opcost_profile::{Column, Ledger, Subject, Way};

    use super::make_ledger;
    use crate::example::{call_left, counted_run, diamond, recovered, single_loop};
    use crate::{CountedModule, RecoverError, summarize};

    fn ledger_of(modules: &[CountedModule<'_>]) -> Result<Ledger, RecoverError> {
        let maps: Vec<_> = (0..modules.len() as u128).map(Hash128).collect();
        make_ledger(modules, &maps, &summarize(modules), &counted_run())
    }

    fn is_function(subject: &Subject) -> bool {
        matches!(subject, Subject::Function { .. })
    }

    #[test]
    fn a_ledger_holds_the_summarys_numbers() {
        let (choose, repeat) = (diamond(), single_loop());
        let (chosen, repeated) = (recovered(&choose, &[10, 3], &[]), recovered(&repeat, &[2, 14], &[]));
        let modules = [
            CountedModule { map: &choose, counts: &chosen },
            CountedModule { map: &repeat, counts: &repeated },
        ];
        let ledger = ledger_of(&modules).unwrap();
        assert_eq!(ledger.value(&Subject::Program, Column::Instructions), Some(126));
        assert_eq!(ledger.sum(Column::Instructions, is_function), 126);
        assert_eq!(ledger.sum(Column::Instructions, |s| matches!(s, Subject::Line(_))), 126);
        assert_eq!(ledger.sum(Column::Calls, is_function), 12);
        assert_eq!(ledger.sum(Column::Count, |s| matches!(s, Subject::Block { .. })), 30 + 20);
        assert_eq!(
            ledger.sum(Column::Count, |s| matches!(s, Subject::Edge { edge_kind: Way::Return, .. })),
            12
        );
        assert_eq!(read_ledger(&write_ledger(&ledger)).unwrap(), ledger);
    }

    #[test]
    fn inherited_frames_have_their_own_column() {
        let map = call_left();
        let counts = recovered(&map, &[0, 1], &[(0, -1)]);
        let ledger = ledger_of(&[CountedModule { map: &map, counts: &counts }]).unwrap();
        assert_eq!(
            ledger.sum(Column::Inherited, |s| matches!(s, Subject::Edge { edge_kind: Way::Left, .. })),
            1
        );
    }

    #[test]
    fn more_input_is_more_work() {
        let map = single_loop();
        let (few, many) = (recovered(&map, &[2, 14], &[]), recovered(&map, &[2, 15], &[]));
        let ledger = |counts| ledger_of(&[CountedModule { map: &map, counts }]).unwrap();
        let diff = diff(&ledger(&few), &ledger(&many), false).unwrap();
        assert_eq!(diff.functions[0].verdict, DiffVerdict::MoreWork);
        assert_eq!(diff.functions[0].blocks.as_ref().map(Vec::len), Some(1));
        assert_eq!((diff.total.before, diff.total.after), (Some(52), Some(55)));
    }

    #[test]
    fn modules_of_two_cost_models_make_no_ledger() {
        let (map, mut other) = (single_loop(), single_loop());
        other.cost.name = "block-size/1".into();
        let counts = recovered(&map, &[2, 14], &[]);
        let counted = |map| CountedModule { map, counts: &counts };
        let error = ledger_of(&[counted(&map), counted(&other)]).unwrap_err().to_string();
        assert!(error.contains("loop.c is weighted by block-size/1") && error.contains("unit/1"), "{error}");
        assert_eq!(ledger_of(&[]), Err(RecoverError::NoModules));
    }

    #[test]
    fn more_than_64_bits_are_an_error_that_names_the_subject() {
        let mut map = single_loop();
        let function = &mut map.functions[FunctionId::new(0)];
        function.segments.values_mut().for_each(|segment| segment.weight = 1 << 20);
        let counts = recovered(&map, &[1 << 50, 1], &[]);
        let error = ledger_of(&[CountedModule { map: &map, counts: &counts }]).unwrap_err();
        assert!(error.to_string().contains("instructions of the program is"), "{error}");
    }
}
