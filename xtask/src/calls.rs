//! What does a call of a library function cost, in machine instructions?
//!
//! `cargo xtask calls [NAME…]` compiles the programs beside this file, runs them once
//! under callgrind and writes the table by which `fuel/1` charges such calls
//! (`crates/instrument/src/cost/calls.txt`). For each function NAME there is a
//! function `at_NAME` that calls it and nothing else; what callgrind says was
//! spent below it, divided by the calls, is the cost. Handlers call more by the
//! compiler's hand: where NAME itself is among the callees, it alone counts.
//!
//! The worst is looked for by the same programs, built another way: each call is
//! a part of callgrind's file of its own, with what is charged besides the weight
//! beside it: by lengths that are arguments, and by opcost's library, over lengths up
//! to 10^6, every kind of number and place (`worst_…` in the programs). Instructions
//! of opcost's library count as done and not as charged. A weight is raised where
//! more than [`WANTED`] times of the charge were found. Beside what each program knows to be
//! hard, `fields.cpp` draws every field and flag, and what the process has: 10^4 times each, by
//! a fixed seed. `cargo xtask charges [NAME…]` runs the same search, writes nothing, and prints
//! for each function the worst that it found and the argument that led there. What no program measures has
//! no worst in the table. By `compiled`, `once` and `frames` a hand wrote what a row
//! is; a test holds that what is `compiled` is. Another measures again, less of it,
//! and holds every worst.
//!
//! Limits: the mean over the arguments that the programs give, after one round
//! to warm up; the libraries and the processor of the machine it runs on (two
//! runs on one differ by one in a few lines); the kernel's work is not seen.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::output_of;
use crate::failure::{Failure, Result};

const SOURCES: &[(&str, &str)] = &[
    ("at.h", include_str!("calls/at.h")),
    ("main.cpp", include_str!("calls/main.cpp")),
    ("math.cpp", include_str!("calls/math.cpp")),
    ("c.cpp", include_str!("calls/c.cpp")),
    ("cxx.cpp", include_str!("calls/cxx.cpp")),
    ("text.cpp", include_str!("calls/text.cpp")),
    ("streams.cpp", include_str!("calls/streams.cpp")),
    ("small.cpp", include_str!("calls/small.cpp")),
    ("fields.cpp", include_str!("calls/fields.cpp")),
];

/// opcost's own library, which charges what goes with contents. It is used in place of the
/// functions that it replaces while the worst is looked for.
const LIBRARY: &str = "crates/runtime/src/c/library";
const LIBRARY_FILES: [&str; 8] =
    ["text.c", "sort.c", "format.c", "times.c", "containers.c", "throwing.c", "strings.c", "streams.c"];

/// Without optimisation nothing of the library is inlined; no debug
/// information, which this valgrind cannot always read.
const FLAGS: &[&str] = &["-std=c++20", "-O0", "-g0", "-fno-builtin", "-Wall"];

const TABLE: &str = "crates/instrument/src/cost/calls.txt";

/// What the library may take at most, in times of what is charged, before a weight is raised.
const WANTED: f64 = 3.5;

/// Measures and writes the table: all of it, or the rows of these names.
pub(crate) fn write(names: &[&str]) -> Result<()> {
    let root = crate::root::repository()?;
    let folder = root.join("target/calls");
    let table = root.join(TABLE);
    let old = fs::read_to_string(&table).map_err(|error| Failure::at("read", &table, error))?;
    let (header, mut rows) = read_table(&old);
    let weights = measure(&folder)?;
    let worst = worst(&root, &folder, Search { longest: LONGEST, thinness: 1, names })?;
    let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
    for (name, rest) in rows.iter_mut().filter(|(name, _)| is_wanted(name)) {
        if !is_unmeasured(rest) && !weights.contains_key(name) {
            rest.truncate(rest.find(' ').unwrap_or(rest.len()));
        }
    }
    for (name, mean) in weights.into_iter().filter(|(name, _)| is_wanted(name)) {
        if !rows.get(&name).is_some_and(|rest| is_unmeasured(rest)) {
            let row = row(&name, mean, worst.get(&name));
            rows.insert(name, row);
        }
    }
    let lines = rows.iter().map(|(name, rest)| format!("{name} {rest}\n"));
    fs::write(&table, header + &lines.collect::<String>())
        .map_err(|error| Failure::at("write", &table, error))?;
    println!("{}: {} functions", TABLE, rows.len());
    Ok(())
}

/// Searches for the worst, and prints it for each function with the argument, the worst first.
pub(crate) fn search(names: &[&str]) -> Result<()> {
    let root = crate::root::repository()?;
    let folder = root.join("target/calls");
    write_sources(&folder)?;
    let table = root.join(TABLE);
    let text = fs::read_to_string(&table).map_err(|error| Failure::at("read", &table, error))?;
    let (_, rows) = read_table(&text);
    let measured = worst(&root, &folder, Search { longest: LONGEST, thinness: 1, names })?;
    let path = folder.join("notes.txt");
    let notes = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
    let notes: Vec<&str> = notes.lines().collect();
    let mut found: Vec<(f64, String)> = Vec::new();
    for (name, samples) in &measured {
        let weight = rows.get(name).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        let Some(weight) = weight else { continue };
        let times = |one: &Sample| one.done as f64 / (weight + one.charged) as f64;
        let Some(most) = samples.iter().max_by(|a, b| times(a).total_cmp(&times(b))) else { continue };
        let argument = notes[most.note].split_once(" of ").map_or("", |(_, words)| words);
        let words = format!(
            "{:.1} {name}: {} done, {} charged, {} draws   {argument}",
            times(most),
            most.done,
            weight + most.charged,
            samples.len()
        );
        found.push((times(most), words));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.iter().for_each(|(_, words)| println!("{words}"));
    Ok(())
}

/// The longest text or memory that the worst is looked for on, in bytes.
const LONGEST: usize = 1_000_000;

/// Words of rows that are not measured.
const WORDS: [&str; 3] = ["compiled", "once", "frames"];

fn is_unmeasured(rest: &str) -> bool {
    rest.split(' ').any(|word| WORDS.contains(&word))
}

/// What one call of an allocator puts in order, others have left: all calls of one length together count.
fn is_allocation(name: &str) -> bool {
    ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|start| name.starts_with(start))
        || "malloc free calloc realloc reallocarray memalign aligned_alloc posix_memalign atexit __cxa_atexit"
            .split(' ')
            .any(|known| known == name)
}

/// The lines at the start, and what follows each name.
fn read_table(text: &str) -> (String, BTreeMap<String, String>) {
    let (header, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let rows = lines.iter().filter_map(|line| line.split_once(' '));
    let header = header.iter().map(|line| format!("{line}\n")).collect();
    (header, rows.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect())
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    /// Its instructions.
    done: u64,
    /// What was charged besides the weight.
    charged: u64,
    /// Whether its arguments are those that the weight is the mean of.
    is_usual: bool,
    /// Its line of the notes.
    note: usize,
}

/// The weight, raised where the worst asks for it, and the worst in times of the charge. What is charged besides
/// is no part of the weight.
fn row(name: &str, mean: u64, samples: Option<&Vec<Sample>>) -> String {
    let Some(samples) = samples else { return mean.to_string() };
    let usual: Vec<u64> = samples.iter().filter(|one| one.is_usual).map(|one| one.charged).collect();
    let besides = usual.iter().sum::<u64>().checked_div(usual.len() as u64).unwrap_or(0);
    let mean = mean.saturating_sub(besides).max(1);
    let groups = groups(name, samples);
    let needed = groups.iter().map(|group| (group.done / WANTED - group.charged) / group.calls);
    let needed = needed.fold(0.0, f64::max).ceil() as u64;
    // What would cost usual calls more than sixteen times is not charged so.
    let weight = if needed > mean && needed <= 16 * mean + 200 { needed } else { mean };
    format!("{weight} {:.1}", (times(weight, &groups) * 10.0).ceil() / 10.0)
}

/// Calls that are charged together.
#[derive(Clone, Copy, Default)]
struct Group {
    calls: f64,
    done: f64,
    charged: f64,
}

/// Each call alone; of an allocator all on short lengths together, and those on each longer one.
fn groups(name: &str, samples: &[Sample]) -> Vec<Group> {
    let alone = |one: &Sample| Group { calls: 1.0, done: one.done as f64, charged: one.charged as f64 };
    if !is_allocation(name) {
        return samples.iter().map(alone).collect();
    }
    let mut by_length: BTreeMap<u64, Group> = BTreeMap::new();
    for one in samples {
        let length = if one.charged < LONG { 0 } else { one.charged };
        let group = by_length.entry(length).or_default();
        group.calls += 1.0;
        group.done += one.done as f64;
        group.charged += one.charged as f64;
    }
    by_length.into_values().collect()
}

/// Charged for more than a length that is copied in any other way than word by word.
const LONG: u64 = 128;

/// The worst, in times of what is charged.
fn times(weight: u64, groups: &[Group]) -> f64 {
    let times = groups.iter().map(|group| group.done / (weight as f64 * group.calls + group.charged));
    times.fold(0.0, f64::max)
}

/// Memory functions whose lengths are charged where opcost's library calls them.
const CHARGED_BY_LENGTH: [&str; 6] = ["memcpy", "memset", "memcmp", "memchr", "strncmp", "strncasecmp"];

/// What the worst is looked for in. Lengths go up to `longest`, and of most functions it is one call in
/// `thinness`. It is all functions, or those of some names.
#[derive(Clone, Copy)]
struct Search<'a> {
    longest: usize,
    thinness: usize,
    names: &'a [&'a str],
}

/// Calls of every function, by name.
fn worst(root: &Path, folder: &Path, search: Search) -> Result<BTreeMap<String, Vec<Sample>>> {
    let unit: String = LIBRARY_FILES.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    let path = folder.join("library.c");
    fs::write(&path, unit).map_err(|error| Failure::at("write", &path, error))?;
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-c", "-fno-builtin", "-fexceptions", "-fPIC", "-std=gnu11", "library.c"]);
    output_of(clang.arg("-I").arg(root.join(LIBRARY)).current_dir(folder))?;
    let mut objcopy = Command::new("objcopy");
    for name in CHARGED_BY_LENGTH {
        objcopy.arg("--redefine-sym").arg(format!("{name}=opc_{name}"));
    }
    output_of(objcopy.arg("library.o").current_dir(folder))?;
    let symbols = output_of(Command::new("nm").arg("library.o").current_dir(folder))?;
    let defined = symbols.lines().filter_map(|line| line.split_once(" T opc_libc_"));
    let renamed: String = defined.map(|(_, name)| format!("{name} opc_libc_{name}\n")).collect();
    let path = folder.join("renamed");
    fs::write(&path, renamed).map_err(|error| Failure::at("write", &path, error))?;
    let sources = SOURCES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".cpp"));
    let mut objects = Vec::new();
    for source in sources {
        let object = source.replace(".cpp", ".o");
        let mut clang = Command::new("clang++-22");
        clang.args(FLAGS).args(["-DWORST", "-c", source, "-o", &object]);
        output_of(clang.current_dir(folder))?;
        if source != "main.cpp" {
            let renaming = ["--redefine-syms=renamed", &object];
            output_of(Command::new("objcopy").args(renaming).current_dir(folder))?;
        }
        objects.push(object);
    }
    let mut clang = Command::new("clang++-22");
    output_of(clang.args(objects).args(["library.o", "-lm", "-o", "worst"]).current_dir(folder))?;
    output_of(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=worst.out", "--combine-dumps=yes", "./worst"])
            .args([search.longest, search.thinness].map(|number| number.to_string()))
            .args(search.names)
            .env("LD_BIND_NOW", "1")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .current_dir(folder),
    )?;
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))
    };
    Ok(samples_of(&read("worst.out")?, &read("notes.txt")?))
}

/// The function that does nothing: what it takes is the measuring's own.
const NOTHING: &str = "opc_nothing";

/// Parts of callgrind's file and lines of the notes come in the same order.
fn samples_of(parts: &str, notes: &str) -> BTreeMap<String, Vec<Sample>> {
    let mut done = Vec::new();
    let mut name = None;
    for line in parts.lines() {
        if let Some(label) = line.strip_prefix("desc: Trigger: Client Request: ") {
            name = Some(label.trim());
        } else if let Some(total) = line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: "))
            && let Some(name) = name.take()
        {
            done.push((name, total.trim().parse::<u64>().unwrap_or(0)));
        }
    }
    let own = done.iter().filter(|(name, _)| *name == NOTHING).map(|&(_, done)| done).min().unwrap_or(0);
    let mut samples: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for (line, (&(name, instructions), note)) in done.iter().zip(notes.lines()).enumerate() {
        let mut words = note.strip_prefix(name).into_iter().flat_map(|rest| rest.split_whitespace());
        let charged = words.next().and_then(|word| word.parse().ok());
        if let Some(charged) = charged.filter(|_| name != NOTHING) {
            let done = instructions.saturating_sub(own).max(1);
            let sample = Sample { done, charged, is_usual: words.next() == Some("usual"), note: line };
            samples.entry(name.to_owned()).or_default().push(sample);
            if let Some(twin) = twin(name) {
                samples.entry(twin).or_default().push(sample);
            }
        }
    }
    samples
}

fn write_sources(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("make", folder, error))?;
    for (name, text) in SOURCES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    Ok(())
}

/// The weight of each function.
fn measure(folder: &Path) -> Result<BTreeMap<String, u64>> {
    write_sources(folder)?;
    let sources = SOURCES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".cpp"));
    output_of(
        Command::new("clang++-22")
            .args(FLAGS)
            .args(sources)
            .args(["-lm", "-o", "measure"])
            .current_dir(folder),
    )?;
    // Costs of the round to warm up are thrown away; the loader binds at once.
    output_of(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=callgrind.out", "--zero-before=measured"])
            .args(["--compress-strings=no", "--compress-pos=no", "./measure"])
            .env("LD_BIND_NOW", "1")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .current_dir(folder),
    )?;
    let out = folder.join("callgrind.out");
    let text = fs::read_to_string(&out).map_err(|error| Failure::at("read", &out, error))?;
    let mut weights = BTreeMap::new();
    for (name, weight) in weights_of(&text) {
        if let Some(twin) = twin(&name) {
            weights.insert(twin, weight);
        }
        weights.insert(name, weight);
    }
    Ok(weights)
}

/// The name under which a compiler may call the same constructor or destructor.
fn twin(name: &str) -> Option<String> {
    let is_member = name.starts_with("_ZN");
    let twin = [("C1E", "C2E"), ("D1E", "D2E")].into_iter().find(|(whole, _)| name.contains(whole));
    // Where there is a virtual base, the twin takes another argument.
    let has_virtual_base = name.contains("stream");
    twin.filter(|_| is_member && !has_virtual_base).map(|(whole, base)| name.replacen(whole, base, 1))
}

/// Calls of one function, and instructions below them.
#[derive(Clone, Copy, Default)]
struct Below {
    calls: u64,
    instructions: u64,
}

/// Reads callgrind's file: `fn=` says who runs, `cfn=` and `calls=` whom it calls, and the line
/// after that how much was spent there.
fn weights_of(text: &str) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<&str, BTreeMap<&str, Below>> = BTreeMap::new();
    let (mut caller, mut callee, mut calls) = ("", "", None);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=at_") {
            caller = name;
        } else if line.starts_with("fn=") {
            caller = "";
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = name;
        } else if let Some(rest) = line.strip_prefix("calls=") {
            calls = rest.split(' ').next().and_then(|number| number.parse::<u64>().ok());
        } else if let Some(times) = calls.take()
            && !caller.is_empty()
        {
            let spent = line.split(' ').nth(1).and_then(|number| number.parse::<u64>().ok());
            let below = found.entry(caller).or_default().entry(callee).or_default();
            below.calls += times;
            below.instructions += spent.unwrap_or(0);
        }
    }
    let cost = |(name, callees): (&str, BTreeMap<&str, Below>)| {
        let all = callees.values().fold(Below::default(), |sum, below| Below {
            calls: sum.calls + below.calls,
            instructions: sum.instructions + below.instructions,
        });
        let below = callees.get(name).copied().unwrap_or(all);
        let mean = (below.instructions + below.calls / 2).checked_div(below.calls)?;
        Some((name.to_owned(), mean.max(1)))
    };
    found.into_iter().filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_below_a_call_is_its_cost() {
        let text = "fn=at_sin\n3 2\ncob=libm\ncfn=0x00a0\ncalls=4 0 \n3 50\n\n\
                    fn=at___cxa_end_catch\n7 9\ncfn=thrower\ncalls=2 0 \n7 900\ncfn=__cxa_end_catch\n\
                    calls=2 0 \n7 61\n\nfn=main\ncfn=at_sin\ncalls=4 3 \n9 58\n";
        let weights = weights_of(text);
        assert_eq!(
            weights.into_iter().collect::<Vec<_>>(),
            [("__cxa_end_catch".to_owned(), 31), ("sin".to_owned(), 13)]
        );
    }

    #[test]
    fn the_worst_raises_a_weight() {
        let parts = "desc: Trigger: Client Request: opc_nothing\nsummary: 30\n\
                     desc: Trigger: Client Request: f\nsummary: 430\ntotals: 430\n\
                     desc: Trigger: Client Request: f\ntotals: 40\n";
        let samples = samples_of(parts, "opc_nothing 0\nf 60 of 7 letters\nf 0 usual\n");
        let sample = |done, charged| Sample { done, charged, is_usual: false, note: 1 };
        let usual = Sample { done: 10, charged: 0, is_usual: true, note: 2 };
        assert_eq!(samples.into_iter().collect::<Vec<_>>(), [("f".to_owned(), vec![sample(400, 60), usual])]);
        assert_eq!(row("f", 20, Some(&vec![sample(400, 60), usual])), "55 3.5");
        assert_eq!(row("f", 200, Some(&vec![sample(400, 60)])), "200 1.6");
        assert_eq!(row("f", 10, Some(&vec![sample(4000, 0)])), "10 400.0");
        assert_eq!(row("f", 60, Some(&vec![Sample { charged: 20, ..usual }])), "40 0.2");
        assert_eq!(row("f", 10, None), "10");
        let calls = vec![sample(150, 0), sample(350, 0), sample(900, 200)];
        assert_eq!(row("malloc", 100, Some(&calls)), "100 3.0");
    }

    /// What a row says to be compiled with the program is.
    #[test]
    fn what_is_compiled_is_in_the_library() {
        let root = crate::root::repository().expect("the repository");
        let (_, rows) = read_table(&fs::read_to_string(root.join(TABLE)).expect("the table"));
        let listed = fs::read_to_string(root.join("crates/runtime/src/library.rs")).expect("the list");
        let compiled: Vec<&String> =
            rows.iter().filter(|(_, rest)| *rest == "compiled").map(|(name, _)| name).collect();
        assert!(compiled.len() > 50);
        let missing: Vec<_> =
            compiled.iter().filter(|name| !listed.contains(&format!("\"{name}\""))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// Measured again, on shorter lengths and fewer arguments: every row that says a worst was measured, and no
    /// call does more than four times of what is charged where the table says so.
    #[test]
    fn the_worst_of_the_table_holds() {
        let root = crate::root::repository().expect("the repository");
        let folder = root.join("target/tmp/calls-held");
        write_sources(&folder).unwrap_or_else(|error| panic!("{error}"));
        let (_, rows) = read_table(&fs::read_to_string(root.join(TABLE)).expect("the table"));
        let measured = worst(&root, &folder, Search { longest: 10_000, thinness: 40, names: &[] })
            .unwrap_or_else(|error| panic!("{error}"));
        let (mut held, mut wrong) = (0, Vec::new());
        for (name, rest) in rows.iter().filter(|(_, rest)| !is_unmeasured(rest)) {
            let Some((weight, worst)) = rest.split_once(' ') else { continue };
            let (weight, worst): (u64, f64) =
                (weight.parse().expect("a weight"), worst.parse().expect("a worst"));
            let Some(samples) = measured.get(name) else {
                wrong.push(format!("{name}: its worst is not measured"));
                continue;
            };
            // Of an allocator's calls a few say nothing of their mean.
            let times = if is_allocation(name) { worst } else { times(weight, &groups(name, samples)) };
            if worst <= 4.0 && times > 4.0 {
                wrong.push(format!("{name} {rest}: {times:.1} times"));
            }
            held += 1;
        }
        assert!(wrong.is_empty() && held > 450, "{held} held; {}", wrong.join("\n"));
    }

    #[test]
    fn constructors_have_two_names() {
        assert_eq!(twin("_ZNSt11logic_errorC1EPKc").as_deref(), Some("_ZNSt11logic_errorC2EPKc"));
        assert_eq!(twin("_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1Ev"), None);
        assert_eq!(twin("_Znwm"), None);
    }
}
