//! How do versions come into a program: by the own linker, or by a linker of the system and the loader?
//!
//! Functions of SQLite are compiled as versions are: each by itself, with all else elsewhere. Such an object comes in by
//! two ways.
//!
//! - The own linker (`crates/live`) writes it into a file that the program has mapped.
//! - A linker of the system makes a shared object in a file of memory, of code that may be anywhere, and the program
//!   opens it. Two such linkers are tried.
//!
//! All is done in one running program, function by function, in interleaved rounds. Memory is what the program's
//! proportional set grows by when it has read all code of the function.
//!
//! Output: a table. Cost: a minute, most of it compilation. Limits: what code costs that may be anywhere is not here,
//! nor are names for debuggers, which both ways have.

use super::bench::Bench;
use crate::bench::figures;
use crate::bench::setup::{self, reason};
use crate::command::output_of;
use crate::failure::{Failure, Result};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// How many functions are versions.
const VERSIONS: usize = 48;
const FEW: usize = 4;

/// Where versions are in the program.
const ADDRESS: &str = "20000000";

/// What makes an object code of a program.
#[derive(Clone, Copy)]
enum Linker {
    Own,
    /// One of the system, of this name, makes a shared object.
    Shared(&'static str),
}

const LINKERS: [Linker; 3] = [Linker::Own, Linker::Shared("ld.lld-22"), Linker::Shared("ld.bfd")];

/// What the program of the measurement does.
const HOST: &str = include_str!("linkers.c");

/// The section.
pub(super) fn section(bench: &Bench) -> String {
    let mut text = "\n## How versions come in\n".to_owned();
    match measure(bench) {
        Ok(part) => text += &part,
        Err(failure) => _ = writeln!(text, "\nNot measured: {}.", reason(&failure)),
    }
    text
}

/// A function, as an object for each kind of linker.
struct Version {
    function: String,
    fixed: PathBuf,
    anywhere: PathBuf,
}

/// What one version took by one linker.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Milliseconds to link and write it.
    link: f64,
    /// Milliseconds in the program.
    load: f64,
    /// Kilobytes of the program.
    memory: f64,
}

impl Cost {
    fn both(&self) -> f64 {
        self.link + self.load
    }
}

fn measure(bench: &Bench) -> Result<String> {
    let folder = bench.folder.join("linkers");
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    let wanted = if bench.is_small { FEW } else { VERSIONS };
    let (program, versions) = prepare(&folder, wanted)?;
    let linker = setup::release(&["--package", "opcost-live", "--example", "linked"], "examples/linked")?;
    let mut costs = [const { Vec::new() }; LINKERS.len()];
    for round in 0..bench.rounds {
        let mut running = Running::start(&program, &linker, round)?;
        for (number, version) in versions.iter().enumerate() {
            for at in 0..LINKERS.len() {
                let linker = (at + round + number) % LINKERS.len();
                costs[linker].push(running.bring_in(LINKERS[linker], version)?);
            }
        }
    }
    Ok(table(&costs, versions.len()))
}

fn table(costs: &[Vec<Cost>; LINKERS.len()], versions: usize) -> String {
    let mut text = format!(
        "\n{versions} functions of SQLite, each compiled by itself at -O3, come into a running program. Figures are of one \
         version: times are medians, memory is the mean.\n\n\
         | | link, ms | in the program, ms | both, ms | memory of the program, KiB |\n|---|---:|---:|---:|---:|\n"
    );
    for (linker, costs) in LINKERS.iter().zip(costs) {
        let title = match linker {
            Linker::Own => "own linker, into a file that the program has mapped".to_owned(),
            Linker::Shared(linker) => format!("`{linker} -shared` into a file of memory, and `dlopen`"),
        };
        let (link, load) = (median(costs, |cost| cost.link), median(costs, |cost| cost.load));
        let (both, memory) = (median(costs, Cost::both), memory(costs));
        let _ = writeln!(text, "| {title} | {link:.3} | {load:.3} | {both:.3} | {memory:.1} |");
    }
    let [own, others @ ..] = costs;
    let least = |of: &dyn Fn(&[Cost]) -> f64| others.iter().map(|one| of(one)).fold(f64::INFINITY, f64::min);
    let times = least(&|costs| median(costs, Cost::both)) / median(own, Cost::both);
    let winner = if times > 1.0 { "The own linker wins" } else { "A linker of the system wins" };
    let _ = writeln!(
        text,
        "\n{winner}. The own one takes a part of 1/{times:.0} of the time of the fastest other, and of 1/{:.0} of the \
         memory. A shared object needs a process of a linker, and pages and tables of its own. The loader has to \
         be called in the program, where the own linker changes nothing but memory.",
        least(&|costs| memory(costs)) / memory(own)
    );
    text
}

fn median(costs: &[Cost], value: impl Fn(&Cost) -> f64) -> f64 {
    let all: Vec<f64> = costs.iter().map(value).collect();
    figures::median(&all).unwrap_or(f64::NAN)
}

fn memory(costs: &[Cost]) -> f64 {
    costs.iter().map(|cost| cost.memory).sum::<f64>() / costs.len() as f64
}

/// SQLite in a program whose names all can be found, and objects of some of its functions.
fn prepare(folder: &Path, wanted: usize) -> Result<(PathBuf, Vec<Version>)> {
    let sqlite = setup::program_of_any_list("sqlite")?;
    let source = setup::source(&sqlite, "sqlite3.c")?;
    let path = |name: &str| folder.join(name);
    output_of(
        Command::new("clang-22")
            .args(["-O1", "-fno-pie", "-w", "-S", "-emit-llvm", "-o"])
            .arg(path("own.ll"))
            .args(&sqlite.flags)
            .arg(source),
    )?;
    let text =
        fs::read_to_string(path("own.ll")).map_err(|error| Failure::at("read", &path("own.ll"), error))?;
    let text = global(&text);
    // What is in another object of a program has an address there; that of a shared object is found when it is opened.
    for (name, text) in [("fixed.ll", &text), ("anywhere.ll", &text.replace(" dso_local ", " "))] {
        fs::write(path(name), text).map_err(|error| Failure::at("write", &path(name), error))?;
    }
    output_of(
        Command::new("clang-22")
            .args(["-O1", "-fno-pie", "-w", "-c"])
            .arg(path("fixed.ll"))
            .arg("-o")
            .arg(path("sqlite.o")),
    )?;
    fs::write(path("host.c"), HOST).map_err(|error| Failure::at("write", &path("host.c"), error))?;
    let mut link = Command::new("clang-22");
    link.args(["-O2", "-fuse-ld=lld", "-no-pie", "-rdynamic", "-Wl,-z,now"])
        .args([path("host.c"), path("sqlite.o")]);
    output_of(link.args(["-lm", "-o"]).arg(path("host")))?;
    let listed =
        output_of(Command::new("llvm-nm-22").args(["--size-sort", "--defined-only"]).arg(path("sqlite.o")))?;
    let functions: Vec<&str> =
        listed.lines().filter_map(|line| line.split_once(" T ").map(|(_, name)| name)).collect();
    // Small ones are inlined where they are called.
    let functions = &functions[functions.len() / 4..];
    let step = (functions.len() / wanted).max(1);
    let versions = functions.iter().step_by(step).take(wanted).map(|name| compiled(folder, name));
    Ok((path("host"), versions.collect::<Result<_>>()?))
}

/// A module of which other objects can name all.
fn global(text: &str) -> String {
    let line = |line: &str| {
        let (plain, is_named) = (line.replacen(" local_unnamed_addr", "", 1), line.starts_with('@'));
        match plain.strip_prefix("define internal ") {
            Some(rest) => format!("define {rest}"),
            None if is_named => plain.replacen(" = internal ", " = ", 1).replacen(" = private ", " = ", 1),
            None => plain,
        }
    };
    text.lines().map(|one| line(one) + "\n").collect()
}

/// One function by itself.
fn compiled(folder: &Path, function: &str) -> Result<Version> {
    let made = |module: &str, flags: &[&str]| -> Result<PathBuf> {
        let (alone, object) = (folder.join("alone.bc"), folder.join(format!("{function}.{module}.o")));
        let whole = folder.join(format!("{module}.ll"));
        output_of(
            Command::new("llvm-extract-22")
                .arg(format!("--func={function}"))
                .arg(whole)
                .arg("-o")
                .arg(&alone),
        )?;
        output_of(
            Command::new("clang-22").args(["-O3", "-w", "-c"]).args(flags).arg(alone).arg("-o").arg(&object),
        )?;
        Ok(object)
    };
    Ok(Version {
        function: function.to_owned(),
        fixed: made("fixed", &["-fno-pie"])?,
        anywhere: made("anywhere", &["-fPIC"])?,
    })
}

/// A program that versions come into.
struct Running {
    host: Helper,
    linker: Helper,
    memory: PathBuf,
    objects: usize,
    kilobytes: f64,
}

impl Running {
    fn start(program: &Path, linker: &Path, round: usize) -> Result<Running> {
        let memory = PathBuf::from(format!("/dev/shm/opcost-linkers-{}-{round}", std::process::id()));
        fs::create_dir_all(&memory).map_err(|error| Failure::at("create", &memory, error))?;
        let file = memory.join("arena");
        let sized = fs::File::create(&file).and_then(|file| file.set_len(32 << 20));
        sized.map_err(|error| Failure::at("create", &file, error))?;
        let mut host = Helper::start(Command::new(program).arg(&file).arg(ADDRESS))?;
        let linker = Helper::start(Command::new(linker).arg(program).arg(&file).arg(ADDRESS))?;
        let [_, kilobytes] = host.numbers("touch 0 0")?;
        Ok(Running { host, linker, memory, objects: 0, kilobytes })
    }

    fn bring_in(&mut self, linker: Linker, version: &Version) -> Result<Cost> {
        let (link, request) = match linker {
            Linker::Own => {
                let linked = self.linker.request(&version.fixed.display().to_string())?;
                let words: Vec<&str> = linked.split(' ').collect();
                let [took, address, bytes] = words.as_slice() else {
                    return Err(Failure::new(format!("{}: {linked}", version.function)));
                };
                let took: f64 =
                    took.parse().map_err(|_| Failure::new(format!("{}: {linked}", version.function)))?;
                (took / 1e6, format!("touch {address} {bytes}"))
            }
            Linker::Shared(linker) => {
                self.objects += 1;
                let object = self.memory.join(format!("{}.so", self.objects));
                let begun = Instant::now();
                output_of(Command::new(linker).arg("-shared").arg(&version.anywhere).arg("-o").arg(&object))?;
                let took = begun.elapsed().as_secs_f64() * 1e3;
                (took, format!("open {} {}", object.display(), version.function))
            }
        };
        let [took, kilobytes] = self.host.numbers(&request)?;
        let memory = kilobytes - std::mem::replace(&mut self.kilobytes, kilobytes);
        Ok(Cost { link, load: took / 1e6, memory })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What stays there is memory.
        let _ = fs::remove_dir_all(&self.memory);
    }
}

/// A process that answers each line by one.
struct Helper {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Helper {
    fn start(command: &mut Command) -> Result<Helper> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| Failure::new(format!("`{name}` does not start: {error}")))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| Failure::new(format!("`{name}` has no output")))?;
        Ok(Helper { child, input, output: BufReader::new(output) })
    }

    fn request(&mut self, line: &str) -> Result<String> {
        let lost = |error| Failure::new(format!("`{line}` has no answer: {error}"));
        if let Some(input) = &mut self.input {
            writeln!(input, "{line}").map_err(lost)?;
        }
        let mut answer = String::new();
        self.output.read_line(&mut answer).map_err(lost)?;
        if answer.is_empty() {
            Err(Failure::new(format!("`{line}` has no answer")))
        } else {
            Ok(answer.trim().to_owned())
        }
    }

    /// The two numbers of the program's answer.
    fn numbers(&mut self, line: &str) -> Result<[f64; 2]> {
        let answer = self.request(line)?;
        let numbers: Vec<f64> = answer.split(' ').filter_map(|word| word.parse().ok()).collect();
        <[f64; 2]>::try_from(numbers).map_err(|_| Failure::new(format!("`{line}`: {answer}")))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It ends when there are no more lines.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_of_a_module_are_global() {
        let text = "@.str = private unnamed_addr constant [2 x i8] c\"a\\00\"\n@v = internal global i32 0\n\
                    define internal fastcc void @f() unnamed_addr {\ndefine dso_local i32 @g() local_unnamed_addr {\n";
        let expected = "@.str = unnamed_addr constant [2 x i8] c\"a\\00\"\n@v = global i32 0\n\
                        define fastcc void @f() unnamed_addr {\ndefine dso_local i32 @g() {\n";
        assert_eq!(global(text), expected);
    }

    #[test]
    fn the_table_has_all_linkers() {
        let cost = |link| Cost { link, load: 0.5, memory: 4.0 };
        let own = vec![cost(0.5), cost(0.25), cost(9.0)];
        let text = table(&[own, vec![cost(9.5)], vec![cost(20.0)]], 3);
        assert!(
            text.contains("| 0.500 | 0.500 | 1.000 | 4.0 |")
                && text.contains("wins. The own one takes a part of 1/10 "),
            "{text}"
        );
    }
}
