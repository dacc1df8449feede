//! From a slice to plain answers, and to modules.
//!
//! The plan is made once. Each product is read anew, marked and edited: a module can be edited
//! once, and its instructions have the same numbers each time it is read.

use std::collections::BTreeMap;

use opcost_analysis::memory::MemoryModel;
use opcost_answer::slice::{
    BlockPosition, ConstantTrips, EvaluatedTrips, LoopFate, SliceAnswers, SliceCells, SlicedLine, SlicedLink,
    SlicedLocation, SlicedLoop, SlicedMark,
};
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{CalleeRef, EditPoint, EventMarks, Module, Opcode, Removal, RemovalEdit};
use opcost_job::program::{LineLocation, SliceEvents, SliceJob, SliceProduct};
use opcost_key::{BlockId, FunctionId, Part, PlaceId};
use opcost_llvm::{EventForm, Events, Session};
use opcost_slice::{
    Because, Criterion, How, Level, LoopNumber, MarkedLoop, Slice, SliceOptions, SliceSite, check,
};

use super::explanation::is_file;
use super::foreseen::Foreseen;
use crate::error::WorkError;

/// Comparisons of computed data that are listed.
const MOST_COMPUTED: usize = 8;

/// What is done to the modules.
pub(crate) struct SlicePlan {
    removal: Removal,
    events: EventMarks,
    /// Those of loops with a constant count, too: the whole program counts them in place.
    all_events: EventMarks,
    /// Blocks whose executions are counted; their events come after those of the loops.
    blocks: EventMarks,
    /// Of all loops, a line each.
    names: String,
    /// Of all loops, [`opcost_llvm::Events::constants`].
    constants: Vec<[u64; 3]>,
}

impl SlicePlan {
    /// Edits the module of the session and writes it.
    ///
    /// # Errors
    /// It does not verify, or cannot be written.
    pub(crate) fn make(&self, session: &mut Session, product: &SliceProduct) -> Result<(), WorkError> {
        let nothing = Removal::default();
        let removal = if product.is_whole { &nothing } else { &self.removal };
        let form = match product.events {
            SliceEvents::Absent => None,
            SliceEvents::Counted | SliceEvents::Blocks => Some(EventForm::Counted),
            SliceEvents::Called => Some(EventForm::Called),
        };
        let is_all = product.is_whole && form == Some(EventForm::Counted);
        let (marks, constants) = match is_all {
            true => (&self.all_events, vec![Events::MEASURED; self.constants.len()]),
            false => (&self.events, self.constants.clone()),
        };
        if product.events == SliceEvents::Blocks {
            return self.make_counting(session, product);
        }
        let names = &*self.names;
        let events = form.map(|form| Events { marks, form, names, constants: &constants });
        session.slice(removal, events)?;
        Ok(session.write(&product.output)?)
    }

    /// Cells come in pairs, as those of loops do: two blocks share a line.
    fn make_counting(&self, session: &mut Session, product: &SliceProduct) -> Result<(), WorkError> {
        let pairs = self.blocks.marks.len().div_ceil(2);
        let names = self.names.clone() + &TWO_BLOCKS.repeat(pairs);
        let mut constants = self.constants.clone();
        constants.resize(constants.len() + pairs, Events::MEASURED);
        let marks = EventMarks { marks: [&*self.events.marks, &self.blocks.marks].concat() };
        let events = Events { marks: &marks, form: EventForm::Counted, names: &names, constants: &constants };
        session.slice(&self.removal, Some(events))?;
        Ok(session.write(&product.output)?)
    }
}

/// What a line of the runtime is called that has the counts of two blocks.
const TWO_BLOCKS: &str = "blocks\n";

/// Slices the program.
///
/// # Errors
/// It is refused, with the place; a line that is asked for has nothing.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    job: &SliceJob,
) -> Result<(SliceAnswers, SlicePlan), WorkError> {
    let module = program.module;
    let level = match job.cut.level {
        0 => Level::Nothing,
        1 => Level::Flow,
        2 => Level::Calls,
        _ => Level::Needed,
    };
    let criterion = job.cut.criterion.as_ref().map(|line| in_line(module, line)).transpose()?;
    let mut options = SliceOptions {
        level,
        waived: IdSet::new(),
        unmarked: IdSet::new(),
        any_status: job.cut.any_status,
        counts_blocks: job.counts_blocks,
        criterion: criterion.map(|sites| Criterion { sites }),
    };
    let refused = |refused: opcost_slice::SliceRefusal| {
        WorkError::Refused(match refused.location() {
            Some((function, at)) => {
                let place = at.map_or_else(|| of_function(module, function), |at| location(module, at));
                format!("{}: the program cannot be sliced: {refused}", location_text(&place))
            }
            None => format!("the program cannot be sliced: {refused}"),
        })
    };
    if !job.cut.bounded.is_empty() {
        let loops = Slice::loops(program).map_err(refused)?;
        for line in &job.cut.bounded {
            waive(module, &loops, line, &mut options.waived)?;
        }
    }
    let mut facts = LoopFacts::default();
    if job.cut.level > EVALUATES_FROM {
        let loops = Slice::loops(program).map_err(refused)?;
        let foreseen = Foreseen::of(program, job)?;
        match job.cut.below {
            None => facts.evaluated = foreseen.evaluated(program, &loops),
            Some(below) => {
                let (light, share) = foreseen.light(program, &loops, below);
                (facts.dropped, facts.dropped_share) = (light, Some(share));
            }
        }
        options.unmarked = facts.evaluated.keys().copied().chain(facts.dropped.iter()).collect();
    }
    let mut slice = Slice::of(program, &options).map_err(refused)?;
    check(module, &slice.removal).map_err(|fault| {
        WorkError::Refused(format!("the slice is no program (a defect of opcost, please report it): {fault}"))
    })?;
    let shown = Shown { module, slice: &slice, facts: &facts };
    let mutants = mutants(&slice, module);
    let without = job.cut.without.map(|number| {
        mutants.get(number as usize).copied().ok_or_else(|| {
            WorkError::Usage(format!(
                "there are {} instructions to leave out, numbered from 0",
                mutants.len()
            ))
        })
    });
    let without = without.transpose()?;
    let why = job.cut.why.as_ref().map(|line| in_line(module, line)).transpose()?.unwrap_or_default();
    let chains = why.into_iter().map(|site| shown.chain(site)).filter(|chain| !chain.is_empty());
    let (instructions, retained) = slice.counts();
    let (branches, retained_branches) = branches(&slice, module);
    let answers = SliceAnswers {
        level: job.cut.level,
        dropped_share: facts.dropped_share,
        is_of_line: job.cut.criterion.is_some(),
        instructions: instructions as u64,
        retained: retained as u64,
        branches,
        retained_branches,
        loops: slice.loops.iter().map(|(number, one)| shown.marked_loop(number, one)).collect(),
        lines: shown.lines(),
        printing: slice.printing.iter().map(|&site| shown.printing(site)).collect(),
        why: chains.collect(),
        marks: if job.cut.marks { shown.marks() } else { Vec::new() },
        computed: shown.computed(),
        without: without.map(|site| shown.link(site, slice.because[site.function][site.instruction])),
        mutants: mutants.len() as u32,
        cells: if job.counts_blocks { cells(&slice) } else { SliceCells::default() },
        changes: slice.changes.iter().map(|&site| shown.changing(site)).collect(),
        code: opcost_certificate::fingerprint(module).to_string(),
    };
    let names = answers.loops.iter().map(|one| location_text(&one.location) + "\n").collect();
    if let Some(site) = without {
        leave_out(module, site, &mut slice.removal);
    }
    let constants = answers.loops.iter().map(constants).collect();
    let first = 2 * slice.loops.len() as u32;
    let block_marks = (first..).zip(&answers.cells.blocks).map(|(event, one)| {
        let (function, block) = (FunctionId::new(one.function as usize), BlockId::new(one.block as usize));
        (function, EditPoint::Start(block), event)
    });
    let blocks = EventMarks { marks: block_marks.collect() };
    let Slice { removal, events, all_events, .. } = slice;
    Ok((answers, SlicePlan { removal, events, all_events, blocks, names, constants }))
}

/// What a run of the slice counts.
fn cells(slice: &Slice) -> SliceCells {
    let at = |function: FunctionId, block: BlockId| BlockPosition {
        function: function.index() as u32,
        block: block.index() as u32,
    };
    SliceCells {
        loops: slice.loops.values().map(|one| at(one.function, one.header)).collect(),
        blocks: slice.counted.iter().map(|one| at(one.function, one.block)).collect(),
    }
}

/// What the runtime computes of a loop, and does not count.
fn constants(one: &SlicedLoop) -> [u64; 3] {
    if let Some(evaluated) = one.evaluated {
        return [evaluated.headers, Events::KNOWN, evaluated.entries];
    }
    let Some(constant) = one.constant else { return Events::MEASURED };
    match (constant.entries, one.parent) {
        (Some(entries), Some(parent)) => [constant.headers, entries, parent as u64],
        _ => [constant.headers, Events::COUNTED, 0],
    }
}

/// The loops that begin in a line.
fn waive(
    module: &Module,
    loops: &IdMap<LoopNumber, MarkedLoop>,
    line: &LineLocation,
    waived: &mut IdSet<LoopNumber>,
) -> Result<(), WorkError> {
    let is_there = |one: &MarkedLoop| {
        one.location.is_some_and(|place| {
            let place = &module.places[place];
            place.line == line.line && is_file(&module.files[place.file], &line.file)
        })
    };
    let found: Vec<LoopNumber> = loops.iter().filter(|(_, one)| is_there(one)).map(|(id, _)| id).collect();
    if found.is_empty() {
        return Err(WorkError::Usage(format!(
            "{}:{}: no loop begins in this line; opcost loops lists them",
            line.file, line.line
        )));
    }
    found.into_iter().for_each(|number| _ = waived.insert(number));
    Ok(())
}

/// Instructions of a line.
fn in_line(module: &Module, line: &LineLocation) -> Result<Vec<SliceSite>, WorkError> {
    let mut sites = Vec::new();
    for (function, body) in module.functions.iter() {
        for (instruction, one) in body.instructions.iter() {
            let Some(place) = one.place.map(|place| &module.places[place]) else { continue };
            let is_column = line.column.is_none_or(|column| column == place.column);
            if place.line == line.line && is_column && is_file(&module.files[place.file], &line.file) {
                sites.push(SliceSite { function, instruction });
            }
        }
    }
    if sites.is_empty() {
        return Err(WorkError::Usage(format!(
            "{}:{}: nothing is computed in this line; give a line with code, or compile with -O0 or -g",
            line.file, line.line
        )));
    }
    Ok(sites)
}

/// Branches with several ways, and how many of them stay.
fn branches(slice: &Slice, module: &Module) -> (u64, u64) {
    let mut counts = (0, 0);
    for (function, because) in slice.because.iter().filter(|(_, because)| !because.is_empty()) {
        let body = &module.functions[function];
        for (block, _) in body.blocks.iter().filter(|(_, shape)| shape.successors.len() > 1) {
            counts.0 += 1;
            counts.1 += u64::from(because[body.terminator_of(block)].is_some());
        }
    }
    counts
}

/// Stores and branches that stay: each must be missed by a verification.
fn mutants(slice: &Slice, module: &Module) -> Vec<SliceSite> {
    let mut all = Vec::new();
    for (function, because) in slice.because.iter().filter(|(_, because)| !because.is_empty()) {
        let body = &module.functions[function];
        for (block, shape) in body.blocks.iter() {
            for instruction in body.instructions_of(block) {
                let opcode = body.instructions[instruction].opcode;
                let is_branch = matches!(opcode, Opcode::Br | Opcode::Switch) && shape.successors.len() > 1;
                if because[instruction].is_some() && (is_branch || opcode == Opcode::Store) {
                    all.push(SliceSite { function, instruction });
                }
            }
        }
    }
    all
}

/// A store goes; the condition of a branch is always false.
fn leave_out(module: &Module, site: SliceSite, removal: &mut Removal) {
    let instruction = site.instruction;
    let edit = match module.functions[site.function].instructions[instruction].opcode {
        Opcode::Store => RemovalEdit::Delete { instruction },
        _ => RemovalEdit::Zero { instruction, operand: 0 },
    };
    removal.edits.push((site.function, edit));
    removal.edits.sort_by_key(|(function, _)| *function);
}

fn source_location(module: &Module, place: Option<PlaceId>, function: FunctionId) -> SlicedLocation {
    let known = place.map(|place| &module.places[place]);
    SlicedLocation {
        file: known.map(|place| module.files[place.file].clone()),
        line: known.map(|place| place.line),
        function: module.key(function).name.into(),
    }
}

fn of_function(module: &Module, function: FunctionId) -> SlicedLocation {
    source_location(module, module.functions[function].place, function)
}

fn location(module: &Module, site: SliceSite) -> SlicedLocation {
    let body = &module.functions[site.function];
    source_location(module, body.instructions[site.instruction].place, site.function)
}

/// `file:line function`
fn location_text(place: &SlicedLocation) -> String {
    match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("{file}:{line} {}", place.function),
        _ => place.function.clone(),
    }
}

/// Instructions of a line, those that stay, and the first of these.
type LineCounts = (u64, u64, Option<SliceSite>);

/// The last level at which no prediction is needed.
const EVALUATES_FROM: u8 = 3;

/// What is known of loops without a run.
#[derive(Default)]
struct LoopFacts {
    evaluated: BTreeMap<LoopNumber, EvaluatedTrips>,
    dropped: IdSet<LoopNumber>,
    dropped_share: Option<f64>,
}

/// A slice in the words of its source.
struct Shown<'a> {
    module: &'a Module,
    slice: &'a Slice,
    facts: &'a LoopFacts,
}

impl Shown<'_> {
    fn marked_loop(&self, number: LoopNumber, one: &MarkedLoop) -> SlicedLoop {
        let body = &self.module.functions[one.function];
        let because = &self.slice.because[one.function];
        let members = one.members.iter().flat_map(|&block| body.instructions_of(block));
        let (mut instructions, mut retained) = (0u64, 0u64);
        let inside = self.slice.loops.values().filter(|inner| inner.parent == Some(number));
        let inside: IdSet<BlockId> = inside.flat_map(|inner| inner.members.iter().copied()).collect();
        let own = one.members.iter().filter(|&&block| !inside.contains(block));
        let own_instructions = own.map(|&block| body.instructions_of(block).count() as u64).sum();
        let mut computed: Option<SliceSite> = None;
        for at in members {
            instructions += 1;
            if because[at].is_none() {
                continue;
            }
            retained += 1;
            let is_first =
                computed.is_none_or(|first| body.instructions[first.instruction].opcode != Opcode::FCmp);
            if is_first
                && (body.instructions[at].opcode == Opcode::FCmp
                    || computed.is_none() && computes(body.instructions[at].opcode))
            {
                computed = Some(SliceSite { function: one.function, instruction: at });
            }
        }
        let is_waived = self.slice.waived.contains(number);
        let constant = self.slice.constants.get(&number);
        let evaluated = self.facts.evaluated.get(&number).copied().filter(|_| !is_waived);
        let fate = match constant {
            _ if is_waived => LoopFate::Waived,
            _ if evaluated.is_some() => LoopFate::Evaluated,
            _ if self.facts.dropped.contains(number) => LoopFate::Dropped,
            Some(_) => LoopFate::Constant,
            None if retained * 10 >= instructions * 9 => LoopFate::Whole,
            None => LoopFate::Thinned,
        };
        SlicedLoop {
            key: self.module.key(one.function).part(Part::Loop(one.header)),
            location: source_location(self.module, one.location, one.function),
            depth: one.depth,
            parent: one.parent.map(|parent| parent.index()),
            constant: constant
                .map(|constant| ConstantTrips { headers: constant.headers, entries: constant.entries }),
            evaluated,
            fate,
            instructions,
            own_instructions,
            retained,
            why: computed.map(|site| self.sentence(site)),
        }
    }

    /// Why an instruction stays, with the end of its chain.
    fn sentence(&self, site: SliceSite) -> String {
        let chain = self.slice.chain(site);
        let here = self.link(site, self.slice.because[site.function][site.instruction]);
        let Some(&(end, because)) = chain.last() else { return String::new() };
        if end == site {
            return format!("{} at {}: {}", here.what, location_text(&here.location), here.why);
        }
        let last = self.link(end, Some(because));
        format!(
            "{} at {} stays: it leads to {} at {}, and {}",
            here.what,
            location_text(&here.location),
            last.what,
            location_text(&last.location),
            last.why
        )
    }

    fn link(&self, site: SliceSite, because: Option<Because>) -> SlicedLink {
        SlicedLink {
            location: location(self.module, site),
            what: self.what(site),
            why: because.map_or_else(|| "it goes".to_owned(), |because| self.words(because)),
        }
    }

    fn chain(&self, site: SliceSite) -> Vec<SlicedLink> {
        let chain = self.slice.chain(site);
        chain.into_iter().map(|(site, because)| self.link(site, Some(because))).collect()
    }

    fn printing(&self, site: SliceSite) -> SlicedLink {
        SlicedLink { why: "it prints, and nothing reads that again".to_owned(), ..self.link(site, None) }
    }

    fn changing(&self, site: SliceSite) -> SlicedLink {
        SlicedLink { why: "it may change files, or what else others see".to_owned(), ..self.link(site, None) }
    }

    /// An instruction by its callee or opcode.
    fn what(&self, site: SliceSite) -> String {
        let body = &self.module.functions[site.function];
        let callee = body.call(site.instruction).map(|call| call.callee);
        match callee {
            Some(CalleeRef::Indirect) => "a call through a pointer".to_owned(),
            Some(callee) => match self.module.callee_name(callee) {
                Some(name) => format!("call of {name}"),
                None => "assembly".to_owned(),
            },
            None => body.instructions[site.instruction].opcode.name().to_owned(),
        }
    }

    fn words(&self, because: Because) -> String {
        let of = because.of.map(|of| location_text(&location(self.module, of))).unwrap_or_default();
        let what = because.of.map(|of| self.what(of)).unwrap_or_default();
        match because.how {
            How::Loop(number) => {
                let one = &self.slice.loops[number];
                let place = source_location(self.module, one.location, one.function);
                format!("it decides when the loop at {} is entered, or iterates", location_text(&place))
            }
            How::Line => "it was asked for".to_owned(),
            How::Call => "every call of a function of the program stays".to_owned(),
            How::Counted => "how often it runs is counted, as no formula gives that".to_owned(),
            How::Library => "it reaches code outside of the program".to_owned(),
            How::Unknown => {
                "opcost does not know what it does, so it stays with all that it may read (--effects FILE can say)"
                    .to_owned()
            }
            How::Observed => "it is volatile or atomic".to_owned(),
            How::Exception => "it is on the way of an exception".to_owned(),
            How::Status => "it decides the exit status".to_owned(),
            How::Cycle => "it decides a cycle that has several entries".to_owned(),
            How::Level => "at this level all control flow stays".to_owned(),
            How::Decides => format!("it decides whether {what} at {of} runs"),
            How::Operand => format!("{what} at {of} uses its result"),
            How::Writes => format!("it may write what {what} at {of} reads"),
            How::Argument => format!("it is passed to what decides {what} at {of}"),
            How::Returned => format!("{what} at {of} uses what it returns"),
            How::Shared if because.of.is_some() => {
                format!("it shares a state of the library with {what} at {of}")
            }
            How::Shared => "it gives back memory that stays".to_owned(),
        }
    }

    /// Lines, in the order of files and lines.
    fn lines(&self) -> Vec<SlicedLine> {
        let mut lines: BTreeMap<(String, u32, String), LineCounts> = BTreeMap::new();
        for (function, because) in self.slice.because.iter().filter(|(_, because)| !because.is_empty()) {
            for (instruction, reason) in because.iter() {
                let site = SliceSite { function, instruction };
                let SlicedLocation { file: Some(file), line: Some(line), function: name } =
                    location(self.module, site)
                else {
                    continue;
                };
                let entry = lines.entry((file, line, name)).or_default();
                entry.0 += 1;
                entry.1 += u64::from(reason.is_some());
                if reason.is_some() && entry.2.is_none() {
                    entry.2 = Some(site);
                }
            }
        }
        let line = |((file, line, function), (instructions, retained, first)): (
            _,
            (u64, u64, Option<SliceSite>),
        )| {
            SlicedLine {
                location: SlicedLocation { file: Some(file), line: Some(line), function },
                instructions,
                retained,
                why: first
                    .map(|site| self.link(site, self.slice.because[site.function][site.instruction]).why),
            }
        };
        lines.into_iter().map(line).collect()
    }

    /// All instructions that stay, in program order.
    fn marks(&self) -> Vec<SlicedMark> {
        let mut sites: Vec<(SliceSite, Because)> = Vec::new();
        for (function, because) in self.slice.because.iter() {
            let stays = because.iter().filter_map(|(instruction, reason)| Some((instruction, (*reason)?)));
            sites.extend(stays.map(|(instruction, reason)| (SliceSite { function, instruction }, reason)));
        }
        let positions: BTreeMap<SliceSite, usize> =
            sites.iter().enumerate().map(|(position, &(site, _))| (site, position)).collect();
        let mark = |&(site, because): &(SliceSite, Because)| SlicedMark {
            link: self.link(site, Some(because)),
            relation: relation(because.how).to_owned(),
            of: because.of.and_then(|of| positions.get(&of).copied()),
        };
        sites.iter().map(mark).collect()
    }

    /// Comparisons of floating point numbers that stay.
    fn computed(&self) -> Vec<SlicedLink> {
        let mut all = Vec::new();
        for (function, because) in self.slice.because.iter() {
            for (instruction, reason) in because.iter().filter(|(_, reason)| reason.is_some()) {
                if self.module.functions[function].instructions[instruction].opcode == Opcode::FCmp {
                    all.push(self.link(SliceSite { function, instruction }, *reason));
                }
            }
        }
        all.truncate(MOST_COMPUTED);
        all
    }
}

/// In which way an instruction is needed, in a word.
fn relation(how: How) -> &'static str {
    match how {
        How::Loop(_) => "loop",
        How::Line => "asked for",
        How::Call => "call",
        How::Counted => "counted",
        How::Library => "library",
        How::Unknown => "unknown",
        How::Observed => "observed",
        How::Exception => "exception",
        How::Status => "exit status",
        How::Cycle => "cycle",
        How::Level => "control flow",
        How::Decides => "decides",
        How::Operand => "operand",
        How::Writes => "memory",
        How::Argument => "argument",
        How::Returned => "returned",
        How::Shared => "shared state",
    }
}

/// Whether an instruction computes with floating point numbers.
fn computes(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FDiv | Opcode::FRem | Opcode::FNeg)
}
