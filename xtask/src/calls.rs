//! What does a call of a library function cost, in machine instructions?
//!
//! `cargo xtask calls` compiles the programs beside this file, runs them once
//! under callgrind and writes the table by which `fuel/1` charges such calls
//! (`crates/instrument/src/cost/calls.txt`). For each function NAME there is a
//! function `at_NAME` that calls it and nothing else; what callgrind says was
//! spent below it, divided by the calls, is the cost. Handlers call more by the
//! compiler's hand: where NAME itself is among the callees, it alone counts.
//!
//! The worst is looked for by the same programs, built another way: each call is
//! a part of callgrind's file of its own, with what opcost's library charged for
//! it beside, over every length up to 10^5 or 10^6, every kind of number and place
//! (`worst_…` in the programs). A weight is raised where more than [`WANTED`] times
//! of the charge were found. Rows that no program measures keep what the table says
//! of them: by `compiled`, `once` and `frames` a hand wrote what they are.
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
];

/// opcost's own library, which charges what goes with contents; it stands in place of the functions that it
/// replaces while the worst is looked for.
const LIBRARY: &str = "crates/runtime/src/c/library";
const LIBRARY_FILES: [&str; 6] = ["text.c", "sort.c", "format.c", "containers.c", "strings.c", "streams.c"];

/// Without optimisation nothing of the library is inlined; no debug
/// information, which this valgrind cannot always read.
const FLAGS: &[&str] = &["-std=c++20", "-O0", "-g0", "-fno-builtin", "-Wall"];

const TABLE: &str = "crates/instrument/src/cost/calls.txt";

/// What the library may take at most, in times of what is charged, before a weight is raised.
const WANTED: f64 = 3.5;

/// Measures and writes the table.
pub(crate) fn write() -> Result<()> {
    let root = crate::repository()?;
    let folder = root.join("target/calls");
    let table = root.join(TABLE);
    let old = fs::read_to_string(&table).map_err(|error| Failure::at("read", &table, error))?;
    let (header, mut rows) = read_table(&old);
    let weights = measure(&folder)?;
    let worst = worst(&root, &folder)?;
    for (name, mean) in weights {
        let is_told = rows.get(&name).is_some_and(|rest| rest.split(' ').any(|word| WORDS.contains(&word)));
        if !is_told && !(rows.contains_key(&name) && is_charged_elsewhere(&name)) {
            let samples = worst.get(&name);
            rows.insert(
                name.clone(),
                if is_allocation(&name) { row_of_all(mean, samples) } else { row(mean, samples) },
            );
        }
    }
    let lines = rows.iter().map(|(name, rest)| format!("{name} {rest}\n"));
    fs::write(&table, header + &lines.collect::<String>())
        .map_err(|error| Failure::at("write", &table, error))?;
    println!("{}: {} functions", TABLE, rows.len());
    Ok(())
}

/// Words of rows that are not measured.
const WORDS: [&str; 3] = ["compiled", "once", "frames"];

/// Whether part of the charge is none that the programs see: by an argument (lengths.rs), or for the search of
/// a text's end. Such rows are made by hand, with that part added.
fn is_charged_elsewhere(name: &str) -> bool {
    let by_argument = "memcpy memmove mempcpy memset memcmp bcmp fread fwrite fread_unlocked fwrite_unlocked calloc \
                       realloc reallocarray puts fputs";
    by_argument.split(' ').any(|known| known == name)
        || name.ends_with("PKc")
        || name.ends_with("EPKcRKS3_")
        || name.contains("from_chars")
}

/// What one call of an allocator puts in order, others have left: all calls together count.
fn is_allocation(name: &str) -> bool {
    ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|start| name.starts_with(start))
        || ["malloc", "free", "memalign", "aligned_alloc", "posix_memalign"].contains(&name)
}

/// The row of what is paid for by all calls together.
fn row_of_all(mean: u64, samples: Option<&Vec<Sample>>) -> String {
    let sums = samples.map(|all| all.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + mean + one.1)));
    match sums {
        Some((done, charged)) => {
            format!("{mean} {:.1}", (done as f64 / charged as f64 * 10.0).ceil().max(10.0) / 10.0)
        }
        None => mean.to_string(),
    }
}

/// The lines at the start, and what stands behind each name.
fn read_table(text: &str) -> (String, BTreeMap<String, String>) {
    let (header, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let rows = lines.iter().filter_map(|line| line.split_once(' '));
    let header = header.iter().map(|line| format!("{line}\n")).collect();
    (header, rows.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect())
}

/// One call: instructions, and what was charged besides the weight.
type Sample = (u64, u64);

/// The weight, raised where the worst asks for it, and the worst in times of the charge.
fn row(mean: u64, samples: Option<&Vec<Sample>>) -> String {
    let Some(samples) = samples else { return mean.to_string() };
    let needed = samples.iter().map(|&(done, charged)| (done as f64 / WANTED - charged as f64).ceil());
    let needed = needed.fold(0.0, f64::max) as u64;
    // What would cost usual calls more than sixteen times is not charged so.
    let weight = if needed > mean && needed <= 16 * mean + 200 { needed } else { mean };
    let times = samples.iter().map(|&(done, charged)| done as f64 / (weight + charged) as f64);
    let worst = times.fold(0.0, f64::max);
    format!("{weight} {:.1}", (worst * 10.0).ceil() / 10.0)
}

/// Every call of every function, by name.
fn worst(root: &Path, folder: &Path) -> Result<BTreeMap<String, Vec<Sample>>> {
    let unit: String = LIBRARY_FILES.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    let path = folder.join("library.c");
    fs::write(&path, unit).map_err(|error| Failure::at("write", &path, error))?;
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-c", "-fno-builtin", "-fexceptions", "-fPIC", "-std=gnu11", "library.c"]);
    output_of(clang.arg("-I").arg(root.join(LIBRARY)).current_dir(folder))?;
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
        output_of(Command::new("objcopy").args(["--redefine-syms=renamed", &object]).current_dir(folder))?;
        objects.push(object);
    }
    let mut clang = Command::new("clang++-22");
    output_of(clang.args(objects).args(["library.o", "-lm", "-o", "worst"]).current_dir(folder))?;
    output_of(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=worst.out", "--combine-dumps=yes", "./worst"])
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
    for (&(name, instructions), note) in done.iter().zip(notes.lines()) {
        let charged = note.strip_prefix(name).and_then(|rest| rest.trim().parse().ok());
        if let Some(charged) = charged.filter(|_| name != NOTHING) {
            let sample = (instructions.saturating_sub(own).max(1), charged);
            samples.entry(name.to_owned()).or_default().push(sample);
            if let Some(twin) = twin(name) {
                samples.entry(twin).or_default().push(sample);
            }
        }
    }
    samples
}

/// The weight of each function.
fn measure(folder: &Path) -> Result<BTreeMap<String, u64>> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("make", folder, error))?;
    for (name, text) in SOURCES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
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

/// Reads callgrind's file: `fn=` says who runs, `cfn=` and `calls=` whom it
/// calls, and the line behind that how much was spent there.
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
        let samples = samples_of(parts, "opc_nothing 0\nf 60\nf 0\n");
        assert_eq!(samples.into_iter().collect::<Vec<_>>(), [("f".to_owned(), vec![(400, 60), (10, 0)])]);
        assert_eq!(row(20, Some(&vec![(400, 60), (10, 0)])), "55 3.5");
        assert_eq!(row(200, Some(&vec![(400, 60)])), "200 1.6");
        assert_eq!(row(10, Some(&vec![(4000, 0)])), "10 400.0");
        assert_eq!(row(10, None), "10");
        assert_eq!(row_of_all(100, Some(&vec![(150, 0), (350, 0)])), "100 2.5");
    }

    #[test]
    fn constructors_have_two_names() {
        assert_eq!(twin("_ZNSt11logic_errorC1EPKc").as_deref(), Some("_ZNSt11logic_errorC2EPKc"));
        assert_eq!(twin("_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1Ev"), None);
        assert_eq!(twin("_Znwm"), None);
    }
}
