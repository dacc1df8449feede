//! Which functions called each other when a sample was taken?
//!
//! The kernel walks frame pointers and gives addresses; symbols of the images
//! give them names. A return address lies behind its call, so one byte before
//! it is looked up. Functions without a symbol are named by their image.
//!
//! Limits: a function that keeps no frame pointer hides its caller, and
//! functions that were inlined are part of the one that they went into.
//! Cost: one look-up for each frame of each distinct stack.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol, SymbolKind};
use opcost_sample::{ImageSamples, Samples};

use opcost_answer::run::CallStack;

use crate::image::SampledImage;

/// Symbols of one image by their addresses.
struct Symbols {
    /// Begin → end and name.
    by_address: BTreeMap<u64, (u64, String)>,
    /// What a function without a symbol is called.
    otherwise: String,
}

impl Symbols {
    fn read(image: &ImageSamples, images: &[PathBuf]) -> Symbols {
        let name = Path::new(&image.path).file_name().unwrap_or_default().to_string_lossy();
        let mut symbols = Symbols { by_address: BTreeMap::new(), otherwise: format!("[{name}]") };
        let is_it = |path: &Path| {
            image.build_id.is_none() || SampledImage::build_id(path).as_deref() == image.build_id.as_deref()
        };
        // A build as it was linked has more symbols than one that was stripped.
        let own = PathBuf::from(&image.path);
        let Some(path) = images.iter().chain([&own]).find(|path| is_it(path)) else { return symbols };
        let Ok(bytes) = std::fs::read(path) else { return symbols };
        let Ok(file) = object::File::parse(&*bytes) else { return symbols };
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0 {
                let name = symbol.name().unwrap_or_default().to_owned();
                symbols.by_address.insert(symbol.address(), (symbol.address() + symbol.size(), name));
            }
        }
        symbols
    }

    fn name(&self, address: u64) -> &str {
        match self.by_address.range(..=address).next_back() {
            Some((_, (end, name))) if address < *end => name,
            _ => &self.otherwise,
        }
    }
}

/// The stacks by names, those with most samples first; `images` are read in
/// place of others of the same build.
pub fn call_stacks(samples: &Samples, images: &[PathBuf]) -> Vec<CallStack> {
    if samples.stacks.is_empty() {
        return Vec::new();
    }
    let symbols: Vec<Symbols> = samples.images.iter().map(|image| Symbols::read(image, images)).collect();
    let mut merged: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for stack in &samples.stacks {
        let name = |(depth, frame): (usize, &Option<(usize, u64)>)| match frame {
            Some((image, address)) => symbols[*image].name(address - u64::from(depth > 0)).to_owned(),
            None => "[unknown]".to_owned(),
        };
        let mut frames: Vec<String> = stack.frames.iter().enumerate().map(name).collect();
        frames.reverse();
        *merged.entry(frames).or_default() += stack.hits;
    }
    let mut stacks: Vec<CallStack> =
        merged.into_iter().map(|(frames, samples)| CallStack { frames, samples }).collect();
    stacks.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.frames.cmp(&b.frames)));
    stacks
}

/// Functions with the samples in them and the file that they are in, those with most samples first.
pub fn hit_functions(samples: &Samples, images: &[PathBuf]) -> Vec<(String, String, u64)> {
    let mut merged: BTreeMap<(String, &str), u64> = BTreeMap::new();
    for image in &samples.images {
        let symbols = Symbols::read(image, images);
        for (address, hits) in &image.hits {
            *merged.entry((symbols.name(*address).to_owned(), &image.path)).or_default() += hits;
        }
    }
    let mut all: Vec<(String, String, u64)> =
        merged.into_iter().map(|((name, path), hits)| (name, path.to_owned(), hits)).collect();
    all.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
    all
}

/// One stack in a line, as tools for flame graphs read them: names from the
/// outermost to the innermost, joined by `;`, then the samples.
pub fn collapsed(stacks: &[CallStack], shown: impl Fn(&str) -> String) -> String {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for stack in stacks {
        let names: Vec<String> = stack.frames.iter().map(|name| shown(name).replace(';', ":")).collect();
        *lines.entry(names.join(";")).or_default() += stack.samples;
    }
    lines.into_iter().map(|(stack, samples)| format!("{stack} {samples}\n")).collect()
}
