//! Which functions were hit, and in which version?

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use opcost_answer::Failure;
use opcost_key::live::FunctionWeights;
use opcost_key::{Callee, FunctionId, Hash128, ModuleMap};
use opcost_live::LinkedVersion;
use opcost_profile::Ledger;
use opcost_profile::formats::code::{FunctionCode, ModuleCode, read_code};
use opcost_recover::{
    Cycles, ModuleObservations, RecoverError, SampledModule, functions_at, observe, raw_ledger,
    raw_observations,
};
use opcost_run::image::SampledImage;
use opcost_runtime::live::SUFFIX;
use opcost_sample::{ImageSamples, Samples};
use opcost_toolchain::build::LiveModule;

use super::store::Store;
use super::weights::{ENOUGH, weights};
use crate::machine::machine;
use crate::sampling::locations::{ImageHits, ObservedModule, Placed, cycles_per_sample};

/// A function, by its module and its number there.
pub(super) type FunctionKey = (usize, usize);

/// The table of a module.
#[derive(Debug)]
struct Tabled {
    number: usize,
    hash: Hash128,
    map: ModuleMap,
    code: ModuleCode,
    /// Code of versions of its functions, each by the number of the function among those of the module.
    later: Vec<(usize, FunctionCode)>,
    /// By that number.
    ids: BTreeMap<usize, FunctionId>,
    numbers: BTreeMap<FunctionId, usize>,
}

impl Tabled {
    /// Functions that one of them calls, without itself.
    fn called(&self, number: usize) -> BTreeSet<usize> {
        let id = self.ids[&number];
        let called = self.map.functions[id].calls.iter().filter_map(|call| match &call.callee {
            Callee::Defined(callee) if *callee != id => self.numbers.get(callee).copied(),
            _ => None,
        });
        called.collect()
    }
}

/// Functions that were sampled, and what they call.
fn near_samples(one: &ObservedModule) -> BTreeSet<FunctionId> {
    let is_sampled = |id: &FunctionId| one.observed.functions[*id].values().any(|one| one.samples > 0);
    let sampled: Vec<FunctionId> = one.map.functions.ids().filter(is_sampled).collect();
    let calls = sampled.iter().flat_map(|id| &one.map.functions[*id].calls);
    let called = calls.filter_map(|call| match &call.callee {
        Callee::Defined(callee) => Some(*callee),
        _ => None,
    });
    called.chain(sampled.iter().copied()).collect()
}

/// Samples of earlier runs, by the number of the module.
#[derive(Debug)]
pub(super) struct StoredSamples {
    modules: BTreeMap<usize, ModuleObservations>,
}

/// Code of a program.
#[derive(Debug)]
pub(super) struct CodeRanges {
    tables: Vec<Tabled>,
    program: String,
    beside: String,
    first: Vec<(Range<u64>, FunctionKey)>,
    /// By where they begin; the number of the version.
    later: BTreeMap<u64, (u64, usize)>,
}

/// Samples by function of first versions, and by version of later ones.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub first: BTreeMap<FunctionKey, u64>,
    pub later: BTreeMap<usize, u64>,
}

impl CodeRanges {
    /// Those of first versions.
    pub(super) fn of(program: &Path, modules: &[LiveModule]) -> Result<CodeRanges, Failure> {
        let mut first = Vec::new();
        let mut tables = Vec::new();
        for (hash, map, code) in SampledImage::read(program)?.into_iter().flat_map(|image| image.modules) {
            let Some(number) = modules.iter().position(|module| module.name == map.module) else { continue };
            let names: BTreeMap<&str, usize> = modules[number]
                .functions
                .iter()
                .enumerate()
                .map(|(at, one)| (one.name.as_str(), at))
                .collect();
            let own = |id: FunctionId| names.get(map.functions[id].name.as_str()).copied();
            for (range, function) in functions_at(&map, &code) {
                first.extend(own(function).map(|at| (range, (number, at))));
            }
            let ids: BTreeMap<usize, FunctionId> =
                map.functions.ids().filter_map(|id| Some((own(id)?, id))).collect();
            let numbers = ids.iter().map(|(number, id)| (*id, *number)).collect();
            tables.push(Tabled { number, hash, map, code, later: Vec::new(), ids, numbers });
        }
        first.sort_by_key(|(range, _)| range.start);
        let program = program.canonicalize().map_err(Failure::file("find", program))?;
        let program = program.to_string_lossy().into_owned();
        Ok(CodeRanges {
            tables,
            beside: format!("{program}{SUFFIX}"),
            program,
            first,
            later: BTreeMap::new(),
        })
    }

    /// Adds code of a version of a function.
    pub(super) fn add(&mut self, (module, number): FunctionKey, version: usize, linked: &LinkedVersion) {
        for one in &linked.symbols {
            self.later.insert(one.address, (one.address + one.size, version));
        }
        // What the worker writes can be read. If not, samples of the version are those of no block.
        let code = read_code(&linked.table).unwrap_or_default();
        if let Some(table) = self.tables.iter_mut().find(|table| table.number == module) {
            let functions = code.into_iter().flat_map(|code| code.functions);
            table.later.extend(functions.map(|one| (number, one)));
        }
    }

    /// Where samples are, in first versions and in later ones.
    pub(super) fn placed(&self, samples: &Samples) -> Placed {
        let (own, others): (Vec<&ImageSamples>, Vec<&ImageSamples>) =
            samples.images.iter().partition(|image| [&self.program, &self.beside].contains(&&image.path));
        let mut placed = Placed::default();
        let hits: BTreeMap<u64, u64> = own.iter().flat_map(|image| image.hits.iter().copied()).collect();
        let threads: BTreeSet<(u64, u32)> =
            own.iter().flat_map(|image| image.threads.iter().copied()).collect();
        let threads: Vec<(u64, u32)> = threads.into_iter().collect();
        for table in &self.tables {
            let functions =
                table.code.functions.iter().chain(table.later.iter().map(|(_, one)| one)).cloned().collect();
            let code = ModuleCode { map: table.hash, functions };
            placed.add(table.hash, table.map.clone(), &code, &ImageHits { hits: &hits, threads: &threads });
        }
        let rest = own.iter().map(|image| image.total()).sum::<u64>().saturating_sub(placed.own);
        if rest > 0 {
            *placed.elsewhere.entry("code of no block in the program".to_owned()).or_default() += rest;
        }
        for image in others {
            *placed.elsewhere.entry(image.path.clone()).or_default() += image.total();
        }
        placed
    }

    /// What earlier runs sampled.
    pub(super) fn stored(&self, store: &Store) -> StoredSamples {
        let of_map = |table: &Tabled| {
            let raw = raw_observations(&store.load(table.hash)?, &[&table.map])?;
            Some((table.number, raw.modules.into_iter().next()?))
        };
        StoredSamples { modules: self.tables.iter().filter_map(of_map).collect() }
    }

    /// Functions that were hot in earlier runs, each with its samples.
    pub(super) fn hot(&self, stored: &StoredSamples) -> Vec<(FunctionKey, u64)> {
        let tables = self.tables.iter().filter_map(|table| Some((table, stored.modules.get(&table.number)?)));
        let functions = tables.flat_map(|(table, observed)| {
            let samples = |id| observed.functions[id].values().map(|one| one.samples).sum();
            table.ids.iter().map(move |(&number, &id)| ((table.number, number), samples(id)))
        });
        functions.filter(|(_, samples)| *samples >= ENOUGH).collect()
    }

    /// How often branches of a function were taken in earlier runs, and those of functions that it calls.
    pub(super) fn stored_weights(
        &self,
        stored: &StoredSamples,
        (module, number): FunctionKey,
        modules: &[LiveModule],
    ) -> Vec<FunctionWeights> {
        let table = self.tables.iter().find(|table| table.number == module);
        let Some((table, observed)) = table.zip(stored.modules.get(&module)) else { return Vec::new() };
        let all = std::iter::once(number).chain(table.called(number));
        let weights = all.filter_map(|one| {
            let id = table.ids[&one];
            let samples: u64 = observed.functions[id].values().map(|one| one.samples).sum();
            let symbol = &modules[module].functions[one].symbol;
            if samples >= ENOUGH { weights(&table.map, observed, id, symbol) } else { None }
        });
        weights.collect()
    }

    /// What the samples of a run say of each module, as a ledger of functions that were sampled and of those that these
    /// call. `command` is what ran.
    ///
    /// # Errors
    /// The observations do not fit their map.
    pub(super) fn ledgers(
        &self,
        samples: &Samples,
        command: &[String],
    ) -> Result<Vec<(Hash128, Ledger)>, RecoverError> {
        let between = cycles_per_sample(samples, None);
        let modules = self.placed(samples).modules.into_iter().filter(|one| one.observed.samples() > 0);
        let ledger = |mut one: ObservedModule| {
            let near = near_samples(&one);
            let is_near = |id: &FunctionId| near.contains(id);
            let ids = || one.map.functions.ids().filter(is_near);
            let observed = ids().map(|id| one.observed.functions[id].clone()).collect();
            let functions = ids().map(|id| one.map.functions[id].clone()).collect();
            one.observed.functions = observed;
            one.map.functions = functions;
            let sampled = [SampledModule { map: &one.map, observed: &one.observed }];
            Ok((one.hash, raw_ledger(&sampled, &[one.hash], &machine(), command.to_vec(), between)?))
        };
        modules.map(ledger).collect()
    }

    /// How often branches of a function were taken, and those of functions that it calls: nothing of what is not known.
    pub(super) fn weights(
        &self,
        samples: &Samples,
        (module, number): FunctionKey,
        modules: &[LiveModule],
    ) -> Vec<FunctionWeights> {
        let Some(table) = self.tables.iter().find(|table| table.number == module) else { return Vec::new() };
        if !table.ids.contains_key(&number) {
            return Vec::new();
        }
        let functions = &modules[module].functions;
        let own = self.weights_of(samples, table, number, &functions[number].symbol).map(|own| own.0);
        let others = table.called(number).into_iter().filter_map(|one| {
            let (weights, hits) = self.weights_of(samples, table, one, &functions[one].symbol)?;
            (hits >= ENOUGH).then_some(weights)
        });
        own.into_iter().chain(others).collect()
    }

    /// That of one function, by samples in its first version and in later ones, and their number.
    fn weights_of(
        &self,
        samples: &Samples,
        table: &Tabled,
        number: usize,
        symbol: &str,
    ) -> Option<(FunctionWeights, u64)> {
        let key = (table.number, number);
        let first: BTreeSet<u64> =
            self.first.iter().filter(|(_, of)| *of == key).map(|(range, _)| range.start).collect();
        let is_first = |one: &&FunctionCode| {
            first.range(one.address..one.address + u64::from(one.bytes)).next().is_some()
        };
        let first = table.code.functions.iter().filter(is_first);
        let later = table.later.iter().filter(|(of, _)| *of == number).map(|(_, one)| one);
        let functions: Vec<FunctionCode> = first.chain(later).cloned().collect();
        let is_own = |address: u64| {
            functions.iter().any(|one| (one.address..one.address + u64::from(one.bytes)).contains(&address))
        };
        let images = [&self.program, &self.beside].into_iter().filter_map(|path| samples.image(path));
        let hits = images.flat_map(|image| &image.hits).copied();
        let hits: BTreeMap<u64, u64> = hits.filter(|(address, _)| is_own(*address)).collect();
        let code = ModuleCode { map: table.hash, functions };
        let observed = observe(&table.map, &code, &hits, Cycles::Model);
        let weights = weights(&table.map, &observed, *table.ids.get(&number)?, symbol)?;
        Some((weights, hits.values().sum()))
    }

    /// Samples so far.
    pub(super) fn hits(&self, samples: &Samples) -> Hits {
        let mut hits = Hits::default();
        for &(address, count) in samples.image(&self.program).iter().flat_map(|image| &image.hits) {
            let behind = self.first.partition_point(|(range, _)| range.start <= address);
            if let Some((_, key)) = self.first[..behind].last().filter(|(range, _)| range.contains(&address))
            {
                *hits.first.entry(*key).or_default() += count;
            }
        }
        for &(address, count) in samples.image(&self.beside).iter().flat_map(|image| &image.hits) {
            if let Some((_, &(end, version))) = self.later.range(..=address).next_back()
                && address < end
            {
                *hits.later.entry(version).or_default() += count;
            }
        }
        hits
    }
}
