//! What does a built image (program or shared library) carry for us?
//!
//! Its maps (`.opcost.map`, one per module, concatenated by the linker) and
//! its tables of return addresses (`.debug_opcost_calls`, one per module:
//! `OPCCALLS`, map hash, number of entries, then address and call site, 8
//! bytes each). Neither section is loaded when the program runs.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol};
use opcost_index::Id;
use opcost_key::{CallSiteId, Hash128, ModuleMap};
use opcost_profile::formats::code::{CODE_SECTION, ModuleCode, read_code};
use opcost_profile::formats::map::read_maps;

use crate::deterministic::has_loader;
use opcost_answer::Failure;

pub(crate) const MAP_SECTION: &str = ".opcost.map";
const CALL_SECTION: &str = ".debug_opcost_calls";
const CALL_MAGIC: &[u8] = b"OPCCALLS";

/// A built image, as far as we put something into it.
pub struct Image {
    /// Maps in link order.
    pub maps: Vec<(Hash128, ModuleMap)>,
    /// Return address in the file → module and call site.
    /// (`None`: frames noted there are on their way out already).
    pub calls: HashMap<u64, (Hash128, Option<CallSiteId>)>,
    /// Start of each function symbol.
    symbols: BTreeMap<u64, (u64, String)>,
}

/// An image whose code is tabled, to be sampled.
pub struct SampledImage {
    /// Each module's map, with its hash and its code.
    pub modules: Vec<(Hash128, ModuleMap, ModuleCode)>,
}

impl SampledImage {
    /// Reads an image; none if it was not built to be sampled.
    ///
    /// # Errors
    /// It cannot be read, or what opcost put into it is damaged.
    pub fn read(path: &Path) -> Result<Option<SampledImage>, Failure> {
        let bytes = std::fs::read(path).map_err(Failure::file("read", path))?;
        let broken = |what: String| Failure::Counters(format!("{}: {what}", path.display()));
        let Ok(file) = object::File::parse(&*bytes) else { return Ok(None) };
        let section = |name| file.section_by_name(name).and_then(|section| section.data().ok());
        let (Some(map), Some(code)) = (section(MAP_SECTION), section(CODE_SECTION)) else { return Ok(None) };
        let maps = read_maps(map).map_err(|error| broken(error.to_string()))?;
        let codes = read_code(code).map_err(|error| broken(error.to_string()))?;
        let mut codes: HashMap<Hash128, ModuleCode> =
            codes.into_iter().map(|code| (code.map, code)).collect();
        let modules = maps.into_iter().map(|(hash, map)| {
            let code = codes.remove(&hash).unwrap_or(ModuleCode { map: hash, functions: Vec::new() });
            (hash, map, code)
        });
        Ok(Some(SampledImage { modules: modules.collect() }))
    }

    /// Why an image cannot be read as one to be sampled, and what to do.
    pub fn why_not(path: &Path) -> &'static str {
        let Ok(bytes) = std::fs::read(path) else { return "it cannot be read" };
        let Ok(file) = object::File::parse(&*bytes) else { return "it is no program" };
        let has = |name| file.section_by_name(name).is_some();
        match (has(MAP_SECTION), has(CALL_SECTION), has(".symtab")) {
            (_, true, _) => "it was built to be counted; build it with opcost sample --emit exe -o PROG",
            (true, false, _) => {
                "it was stripped, which took the table of its code; name the build as it was linked: --image FILE"
            }
            (false, false, false) => {
                "it was not built by opcost sample or was stripped, so nothing in it can be attributed; if opcost \
                 built it, name the build as it was linked: --image FILE; if not, build it with opcost sample --emit \
                 exe -o PROG"
            }
            (false, false, true) => {
                "it was not built by opcost sample, so nothing in it can be attributed; build it with opcost sample \
                 --emit exe -o PROG, or give its sources"
            }
        }
    }

    /// Linkage names of the functions of a program; none of one that was stripped or cannot be read.
    pub fn functions(path: &Path) -> Vec<String> {
        let bytes = std::fs::read(path).unwrap_or_default();
        let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
        let functions = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text);
        functions.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
    }

    /// The build-id of an image.
    pub fn build_id(path: &Path) -> Option<Vec<u8>> {
        let bytes = std::fs::read(path).ok()?;
        object::File::parse(&*bytes).ok()?.build_id().ok()?.map(<[u8]>::to_vec)
    }
}

impl Image {
    /// Reads an image.
    ///
    /// # Errors
    /// It cannot be read, is no ELF file, has no map, or its map is damaged.
    pub fn read(path: &Path) -> Result<Image, Failure> {
        let bytes = std::fs::read(path).map_err(Failure::file("read", path))?;
        let broken = |what: String| Failure::Counters(format!("{}: {what}", path.display()));
        let file = object::File::parse(&*bytes).map_err(|error| broken(format!("not a program: {error}")))?;
        let Some(section) = file.section_by_name(MAP_SECTION) else {
            return Err(Failure::NotOurs(path.to_owned()));
        };
        let data = section.data().map_err(|error| broken(error.to_string()))?;
        let maps = read_maps(data).map_err(|error| broken(error.to_string()))?;
        let calls = match file.section_by_name(CALL_SECTION) {
            Some(section) => read_calls(section.data().map_err(|error| broken(error.to_string()))?)
                .ok_or_else(|| {
                    broken(format!("its section {CALL_SECTION} is damaged; build the program again"))
                })?,
            None => {
                return Err(broken(
                    "it was stripped, which took its table of calls; keep it as it was linked".to_owned(),
                ));
            }
        };
        let symbols = file
            .symbols()
            .filter(|symbol| symbol.kind() == object::SymbolKind::Text)
            .map(|symbol| (symbol.address(), (symbol.size(), symbol.name().unwrap_or_default().to_owned())))
            .collect();
        Ok(Image { maps, calls, symbols })
    }

    /// Reads the image of a program that is about to run. There is none of a program without counters that
    /// may load or start others that have some. That is a script, or a program that has a loader.
    ///
    /// # Errors
    /// As [`Image::read`].
    pub fn of_program(path: &Path) -> Result<Option<Image>, Failure> {
        let bytes = std::fs::read(path).map_err(Failure::file("read", path))?;
        if bytes.starts_with(b"#!") {
            return Ok(None);
        }
        match Image::read(path) {
            Err(Failure::NotOurs(_)) if has_loader(&bytes) => Ok(None),
            read => read.map(Some),
        }
    }

    /// Whether every function has a counter for each of its segments.
    pub fn counts_every_segment(&self) -> bool {
        let mut functions = self.maps.iter().flat_map(|(_, map)| map.functions.values());
        functions.all(|function| function.segments.is_empty() || function.segment_counters.is_some())
    }

    /// The function symbol that an address in the file is in, if no other has its name: local
    /// functions of several modules may.
    pub fn lone_symbol_at(&self, address: u64) -> Option<&str> {
        let (start, (size, name)) = self.symbols.range(..=address).next_back()?;
        let namesakes = self.symbols.values().filter(|(_, other)| other == name).count();
        (address - start < *size && namesakes == 1).then_some(name.as_str())
    }
}

/// Reads the concatenated tables; `None` when they are cut off.
fn read_calls(mut data: &[u8]) -> Option<HashMap<u64, (Hash128, Option<CallSiteId>)>> {
    let mut calls = HashMap::new();
    while let Some(position) = data.windows(CALL_MAGIC.len()).position(|window| window == CALL_MAGIC) {
        data = &data[position + CALL_MAGIC.len()..];
        let (hash, rest) = data.split_at_checked(16)?;
        let hash = Hash128(u128::from_le_bytes(hash.try_into().ok()?));
        let (count, mut rest) = take_number(rest)?;
        for _ in 0..count {
            let (address, site);
            (address, rest) = take_number(rest)?;
            (site, rest) = take_number(rest)?;
            // Functions that the linker dropped have address 0 (or 1).
            if address > 1 {
                let site = (site != u64::from(u32::MAX)).then(|| CallSiteId::new(site as usize));
                calls.insert(address, (hash, site));
            }
        }
        data = rest;
    }
    Some(calls)
}

fn take_number(data: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = data.split_at_checked(8)?;
    Some((u64::from_le_bytes(head.try_into().ok()?), rest))
}
