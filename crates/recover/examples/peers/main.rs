//! What do others get to see, and what is ours to be held against?
//!
//! `cargo xtask bench sampling` gives the same samples to LLVM's inference and to our
//! repair. This program makes of a sampled program's tables what it needs for that:
//!
//! | words | result |
//! |---|---|
//! | `observe PROGRAM PERF` | a line for each function: its name, a tab, for each block the count that its samples and cycles say, `-` of a block without code |
//! | `exact PROGRAM LEDGER` | the same with the counts of a counted run |
//! | `ranges mean\|raw\|exact PROGRAM PERF\|LEDGER` | address ranges with counts, as `llvm-profgen --unsymbolized-profile --use-offset` reads them: each machine block with the mean over its instructions, each address with its samples, or each piece of code with its block's exact count |
//! | `alone PROGRAM PERF OUT` | a ledger: our repair, each function by itself |
//! | `seconds PROGRAM PERF` | how long our repair of the program takes: seconds of the fastest of nine |
//! | `planted PROGRAM PERF LEDGER SEED OUT` | as `observe`, of made-up samples: as many as were taken, of exact counts, with no more noise than our repair takes them to have; and a ledger: our repair of them |
//! | `ceiling PROGRAM LEDGER OUT` | a ledger: our repair of observations that say the exact counts |
//! | `tell PROGRAM LINES OUT` | a ledger of somebody's counts: name, tab, entries, tab, counts of blocks |
//!
//! A program has one module here, so that names of functions are unique. A block of
//! several segments is observed as the mean over them. Exact counts of code of which
//! there are copies are shared out evenly, for nobody counted the copies.
//!
//! Cost: that of the repair.

mod planted;

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use object::{Object, ObjectSection, ObjectSegment, SegmentFlags};
use opcost_index::{Id, IdMap};
use opcost_key::{BlockId, EdgeId, FunctionId, FunctionMap, Hash128, ModuleMap, SegmentId};
use opcost_profile::formats::code::{CODE_SECTION, FunctionCode, ModuleCode, read_code};
use opcost_profile::formats::map::read_maps;
use opcost_profile::formats::opc::{load_ledger, save_ledger};
use opcost_profile::{Column, FunctionFacts, Ledger, Origin, Quality, Subject, World};
use opcost_recover::{
    CountedModule, Course, Cycles, FunctionCounts, MODEL_ERROR, ModuleCounts, ModuleObservations,
    Observation, RepairOptions, RepairSolver, RunFacts, SampledModule, Starts, make_ledger, observe, repair,
    summarize,
};
use opcost_sample::{Samples, USUAL_HERTZ, read_perf_data};

type Answer<T> = Result<T, Box<dyn Error>>;

/// Cycles of a sample where exact counts stand for samples: to be read as counts again,
/// and to be repaired. At a sample a cycle the repair's solver runs out of steps on
/// SQLite; at one in a thousand, still a thousand times as dense as a real one, it does
/// not.
const EXACT_CYCLES: f64 = 1.0;
const DENSE_CYCLES: f64 = 1000.0;

fn main() -> Answer<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["observe", program, perf] => {
            let built = Built::read(program)?;
            let (seen, cycles_per_sample) = built.observe(perf)?;
            print_observed(&built.map, &seen, cycles_per_sample);
        }
        ["exact", program, ledger] => {
            let built = Built::read(program)?;
            let exact = Exact::read(ledger, &built.map)?;
            // Whether a block has code is what the tables say of no samples.
            let nothing = observe(&built.map, &built.code, &BTreeMap::new(), Cycles::Model);
            let seen = exact.observations(&built.map, &nothing, EXACT_CYCLES);
            print_observed(&built.map, &seen, EXACT_CYCLES);
        }
        ["ranges", how, program, source] => print_ranges(&Built::read(program)?, how, source)?,
        ["alone", program, perf, out] => {
            let mut built = Built::read(program)?;
            let (seen, cycles_per_sample) = built.observe(perf)?;
            // Without calls no function says anything of another.
            built.map.functions.values_mut().for_each(|function| function.calls.clear());
            save(&built, &repaired(&built.map, &seen, cycles_per_sample)?, out)?;
        }
        ["seconds", program, perf] => {
            let built = Built::read(program)?;
            let (seen, cycles_per_sample) = built.observe(perf)?;
            print_seconds(&built.map, &seen, cycles_per_sample)?;
        }
        ["planted", program, perf, ledger, seed, out] => {
            let built = Built::read(program)?;
            let exact = Exact::read(ledger, &built.map)?;
            let (seen, cycles_per_sample) =
                planted::samples(&built, &built.observe(perf)?.0, &exact, seed.parse()?)?;
            print_observed(&built.map, &seen, cycles_per_sample);
            save(&built, &repaired(&built.map, &seen, cycles_per_sample)?, out)?;
        }
        ["ceiling", program, ledger, out] => {
            let built = Built::read(program)?;
            let exact = Exact::read(ledger, &built.map)?;
            let nothing = observe(&built.map, &built.code, &BTreeMap::new(), Cycles::Model);
            let seen = exact.observations(&built.map, &nothing, DENSE_CYCLES);
            save(&built, &repaired(&built.map, &seen, DENSE_CYCLES)?, out)?;
        }
        ["tell", program, lines, out] => {
            let built = Built::read(program)?;
            save(&built, &told(&built.map, &std::fs::read_to_string(lines)?)?, out)?;
        }
        _ => return Err("words as in the first lines of crates/recover/examples/peers/main.rs".into()),
    }
    Ok(())
}

/// A sampled program of one module.
struct Built {
    path: String,
    hash: Hash128,
    map: ModuleMap,
    code: ModuleCode,
    /// Where its first segment that is executed begins.
    base: u64,
}

impl Built {
    fn read(path: &str) -> Answer<Built> {
        let path = std::fs::canonicalize(path)?.to_string_lossy().into_owned();
        let bytes = std::fs::read(&path)?;
        let file = object::File::parse(&*bytes)?;
        let section = |name: &str| -> Answer<Vec<u8>> {
            let section = file.section_by_name(name).ok_or_else(|| format!("{path} has no {name}"))?;
            Ok(section.data()?.to_vec())
        };
        let mut maps = read_maps(&section(".opcost.map")?)?;
        let mut codes = read_code(&section(CODE_SECTION)?)?;
        let (Some((hash, map)), Some(code), true) = (maps.pop(), codes.pop(), maps.is_empty()) else {
            return Err(format!("{path} is not of one module").into());
        };
        let executable =
            |flags: SegmentFlags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & 1 == 1);
        let starts = file.segments().filter(|segment| executable(segment.flags()));
        let base = starts.map(|segment| segment.address() & !0xfff).min().ok_or("nothing is executed")?;
        Ok(Built { path, hash, map, code, base })
    }

    fn hits(&self, samples: &Samples) -> Answer<BTreeMap<u64, u64>> {
        let image = samples.image(&self.path).ok_or_else(|| format!("no sample lies in {}", self.path))?;
        Ok(image.hits.iter().copied().collect())
    }

    /// What was seen, and the cycles of one sample.
    fn observe(&self, perf: &str) -> Answer<(ModuleObservations, f64)> {
        let samples = read_perf_data(Path::new(perf))?;
        let seen = observe(&self.map, &self.code, &self.hits(&samples)?, Cycles::Model);
        Ok((seen, (samples.seconds_per_sample() * USUAL_HERTZ).max(1.0)))
    }

    /// Function and block of a block's number in the module.
    fn blocks(&self) -> Vec<(FunctionId, BlockId)> {
        let functions = self.map.functions.iter();
        functions.flat_map(|(id, function)| function.blocks.ids().map(move |block| (id, block))).collect()
    }
}

/// The fastest of some repairs: what else runs on the machine makes it slower, nothing
/// makes it faster.
fn print_seconds(map: &ModuleMap, seen: &ModuleObservations, cycles_per_sample: f64) -> Answer<()> {
    let mut fastest = f64::INFINITY;
    for _ in 0..9 {
        let start = Instant::now();
        repaired(map, seen, cycles_per_sample)?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("{fastest:.3} s");
    Ok(())
}

/// Counts of a counted run.
struct Exact {
    blocks: HashMap<(FunctionId, BlockId), u64>,
    segments: HashMap<(FunctionId, SegmentId), u64>,
}

impl Exact {
    fn read(path: &str, map: &ModuleMap) -> Answer<Exact> {
        let ledger = load_ledger(Path::new(path))?;
        let ids: HashMap<(&str, Hash128), FunctionId> =
            map.functions.iter().map(|(id, one)| ((&*one.name, one.body), id)).collect();
        let known = |function: &FunctionFacts| ids.get(&(&*function.name, function.body)).copied();
        let mut exact = Exact { blocks: HashMap::new(), segments: HashMap::new() };
        for fact in ledger.facts().iter().filter(|fact| fact.column == Column::Count) {
            let count = fact.value.unwrap_or(0);
            match &fact.subject {
                Subject::Block { function, block, .. } => {
                    if let Some(id) = known(function) {
                        exact.blocks.insert((id, BlockId::new(*block as usize)), count);
                    }
                }
                Subject::Edge { function, edge, .. } => {
                    if let Some(id) = known(function) {
                        let to = map.functions[id].edges[EdgeId::new(*edge as usize)].to;
                        to.iter().for_each(|&to| *exact.segments.entry((id, to)).or_default() += count);
                    }
                }
                _ => {}
            }
        }
        match exact.blocks.values().any(|&count| count > 0) {
            true => Ok(exact),
            false => Err(format!("{path} is of another program").into()),
        }
    }

    /// What would have been seen without any noise, at a sample in so many cycles.
    fn observations(
        &self,
        map: &ModuleMap,
        code: &ModuleObservations,
        cycles_per_sample: f64,
    ) -> ModuleObservations {
        let mut all = code.clone();
        for id in map.functions.ids() {
            for segment in map.functions[id].segments.ids() {
                let count = self.segments.get(&(id, segment)).copied().unwrap_or(0);
                let one = &mut all.functions[id][segment];
                one.samples = (count as f64 * one.cycles / cycles_per_sample).round() as u64;
            }
        }
        all
    }
}

/// A block's count by what was seen of its segments; none of a block without code.
fn of_block(
    map: &FunctionMap,
    seen: &IdMap<SegmentId, Observation>,
    block: BlockId,
    cycles_per_sample: f64,
) -> Option<u64> {
    let segments = map.segments_of(block).map(|segment| seen[segment]).filter(|one| one.cycles > 0.0);
    let (samples, cycles) =
        segments.fold((0, 0.0), |(samples, cycles), one| (samples + one.samples, cycles + one.cycles));
    (cycles > 0.0).then(|| (samples as f64 * cycles_per_sample / cycles).round() as u64)
}

fn print_observed(map: &ModuleMap, seen: &ModuleObservations, cycles_per_sample: f64) {
    for (id, function) in map.functions.iter().filter(|(_, function)| !function.blocks.is_empty()) {
        let of = |block| of_block(function, &seen.functions[id], block, cycles_per_sample);
        let counts =
            function.blocks.ids().map(|block| of(block).map_or("-".to_owned(), |one| one.to_string()));
        println!("{}\t{}", function.name, counts.collect::<Vec<_>>().join(" "));
    }
}

/// Means are given in parts, lest small ones become 0.
const PARTS: f64 = 1000.0;

fn print_ranges(built: &Built, how: &str, source: &str) -> Answer<()> {
    let mut ranges: Vec<(u64, u64, u64)> = Vec::new();
    let mut add = |begin: u64, end: u64, count: f64| {
        if begin < end {
            ranges.push((begin - built.base, end - 1 - built.base, count.round() as u64));
        }
    };
    match how {
        "mean" | "raw" => {
            let hits = built.hits(&read_perf_data(Path::new(source))?)?;
            for function in &built.code.functions {
                let range = function.address..function.address + u64::from(function.bytes);
                if hits.range(range.clone()).next().is_none() {
                    continue;
                }
                for (begin, end, instructions) in machine_blocks(function) {
                    let samples: u64 = hits.range(begin..end).map(|(_, samples)| samples).sum();
                    if how == "mean" || samples == 0 {
                        add(begin, end, PARTS * samples as f64 / instructions.max(1) as f64);
                    }
                }
                if how == "raw" {
                    hits.range(range).for_each(|(&address, &samples)| {
                        add(address, address + 1, PARTS * samples as f64);
                    });
                }
            }
        }
        "exact" => {
            let exact = Exact::read(source, &built.map)?;
            let blocks = built.blocks();
            let mut copies: HashMap<u32, u64> = HashMap::new();
            for_each_piece(built, |block, is_new, _, _| {
                *copies.entry(block).or_default() += u64::from(is_new);
            });
            for_each_piece(built, |block, _, begin, end| {
                let count = blocks.get(block as usize).and_then(|place| exact.blocks.get(place));
                add(begin, end, *count.unwrap_or(&0) as f64 / copies[&block] as f64);
            });
        }
        _ => return Err("ranges are mean, raw or exact".into()),
    }
    println!("{}", ranges.len());
    ranges.iter().for_each(|(begin, end, count)| println!("{begin:x}-{end:x}:{count}"));
    println!("0");
    Ok(())
}

/// Begin, end and instructions of a function's machine blocks.
fn machine_blocks(function: &FunctionCode) -> Vec<(u64, u64, u64)> {
    let mut blocks: Vec<(u64, u64, u64)> = Vec::new();
    for (at, row) in function.rows.iter().enumerate() {
        let begin = function.address + u64::from(row.offset);
        let end = function.rows.get(at + 1).map_or(function.bytes, |next| next.offset);
        let end = function.address + u64::from(end);
        match blocks.last_mut() {
            Some(last) if !row.begins_block => {
                last.1 = end;
                last.2 += u64::from(row.instructions);
            }
            _ => blocks.push((begin, end, u64::from(row.instructions))),
        }
    }
    blocks
}

/// Calls for each row that is executed for a block: the block's number, whether a
/// machine block's first row for it, where it begins and ends.
fn for_each_piece(built: &Built, mut job: impl FnMut(u32, bool, u64, u64)) {
    for function in &built.code.functions {
        let mut here = Vec::new();
        for (at, row) in function.rows.iter().enumerate() {
            if row.begins_block {
                here.clear();
            }
            let Some(block) = row.block else { continue };
            let is_new = !here.contains(&block);
            if is_new {
                here.push(block);
            }
            let end = function.rows.get(at + 1).map_or(function.bytes, |next| next.offset);
            let address = |offset: u32| function.address + u64::from(offset);
            job(block, is_new, address(row.offset), address(end));
        }
    }
}

fn repaired(map: &ModuleMap, seen: &ModuleObservations, cycles_per_sample: f64) -> Answer<ModuleCounts> {
    let options = RepairOptions {
        cycles_per_sample,
        error: MODEL_ERROR,
        solver: RepairSolver::Likeliest,
        starts: Starts::ONCE,
    };
    let repaired = repair(&[SampledModule { map, observed: seen }], options)?;
    if !repaired.is_optimal {
        eprintln!("not optimal: gap {:.3} of {:.3}", repaired.gap, repaired.deviance);
    }
    repaired.counts.into_iter().next().ok_or_else(|| "one module gives one".into())
}

/// Somebody's counts; functions that are not named have none.
fn told(map: &ModuleMap, lines: &str) -> Answer<ModuleCounts> {
    let mut by_name: HashMap<&str, (u64, Vec<u64>)> = HashMap::new();
    for line in lines.lines() {
        let mut parts = line.split('\t');
        let (Some(name), Some(entries), Some(counts)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("a line without three parts: {line}").into());
        };
        let counts = counts.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        by_name.insert(name, (entries.parse()?, counts));
    }
    let mut functions = IdMap::new();
    for function in map.functions.values() {
        // A body that only the optimiser sees (`available_externally`) is none here.
        let given = by_name.remove(&*function.name).filter(|_| !function.blocks.is_empty());
        let (entries, blocks) = given.unwrap_or_default();
        if !blocks.is_empty() && blocks.len() != function.blocks.len() {
            return Err(format!("{} has {} blocks", function.name, function.blocks.len()).into());
        }
        let of = |segment: SegmentId| blocks.get(function.segments[segment].block.index()).copied();
        functions.push(FunctionCounts {
            segments: function.segments.ids().map(|segment| of(segment).unwrap_or(0)).collect(),
            edges: None,
            entries,
            returns: None,
            left: None,
            lengths: BTreeMap::new(),
            paths: Vec::new(),
        });
    }
    match by_name.keys().next() {
        Some(name) => Err(format!("no function is called {name}").into()),
        None => Ok(ModuleCounts { functions }),
    }
}

fn save(built: &Built, counts: &ModuleCounts, out: &str) -> Answer<()> {
    let run = RunFacts {
        machine: "this".to_owned(),
        command: vec![built.path.clone()],
        origin: Origin::Repaired,
        quality: Quality::Estimate,
        world: World::Open,
        course: Course::default(),
    };
    let counted = [CountedModule { map: &built.map, counts }];
    let ledger: Ledger = make_ledger(&counted, &[built.hash], &summarize(&counted), &run)?;
    Ok(save_ledger(Path::new(out), &ledger)?)
}
