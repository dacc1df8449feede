//! A link with functions in the order of a ledger's calls, and what is said of it.
//!
//! Objects and members of archives say in notes what was done to them ([`super::note`]). Of these the order of all
//! functions is worked out, those near to each other that call each other ([`function_order`]). The driver is asked
//! once more what it would do with lld and that order; of its answer the link is taken. `--trace` names the files
//! and members that were linked, so the report is of what is in the program.
//!
//! If lld cannot do this link, the linker that the driver would have used does it. So no build fails that would not
//! fail without.
//!
//! Limits: with a linker's script, with an order of the user's and with `-flto` functions stay where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use opcost_answer::Failure;

use super::call::Drive;
use super::note::Note;
use super::tuned::Tuning;
use crate::order::function_order;
use crate::plan::{DriverJob, Plan, Role};
use crate::running::pass_on;

/// A note, and the file that has it as a linker names it: `lib.a(member.o)`.
struct Noted {
    file: String,
    note: Note,
}

impl Drive {
    /// Links, with functions in order if that is possible.
    pub(crate) fn ordered_link(&self, tuning: &Tuning, plan: &Plan, job: &DriverJob) -> Result<u8, Failure> {
        let noted = noted(job);
        let order = function_order(noted.iter().map(|one| &one.note.arranged));
        let output = PathBuf::from(job.behind("-o").unwrap_or_else(|| OsStr::new("a.out")));
        let report = Report { tuning, output: &output };
        if order.is_empty() {
            let status = self.plain_link(job)?;
            return report.write(status, &noted, None);
        }
        if let Some(why) = self.other_order(job) {
            let status = self.plain_link(job)?;
            return report.write(status, &noted, Some(&why));
        }
        let Some(by_lld) = self.by_lld(plan, &order)? else {
            let status = self.plain_link(job)?;
            let why = "lld was not found (apt-get install lld-22)";
            return report.write(status, &noted, Some(why));
        };
        let mut command = Command::new(&by_lld.program);
        command.args(self.shortened(by_lld.arguments, "ordered")?);
        let linked = command.output().map_err(Failure::file("start", &by_lld.program))?;
        if !linked.status.success() {
            // Who ended it may be this process, on its way to its own end.
            opcost_interrupt::hold();
            let words = String::from_utf8_lossy(&linked.stderr);
            let why =
                format!("lld cannot link this: {}", words.lines().next().unwrap_or("it gives no reason"));
            let status = self.plain_link(job)?;
            return report.write(status, &noted, Some(&why));
        }
        pass_on(&linked.stderr);
        let traced = String::from_utf8_lossy(&linked.stdout).into_owned();
        let linked: BTreeSet<&str> = traced.lines().collect();
        if job.has("--trace") || job.has("-t") {
            print!("{traced}");
        } else {
            // What else the linker was asked to print.
            let is_other = |line: &&str| !is_input(line);
            traced.lines().filter(is_other).for_each(|line| println!("{line}"));
        }
        let in_program: Vec<Noted> =
            noted.into_iter().filter(|one| linked.contains(one.file.as_str())).collect();
        report.write(0, &in_program, None)
    }

    /// Why the order of functions is not opcost's to decide.
    fn other_order(&self, job: &DriverJob) -> Option<String> {
        if self.words.wants_lto() {
            return Some("-flto makes the code of all files at once".to_owned());
        }
        let orders = [
            "-T",
            "--script",
            "--symbol-ordering-file",
            "--section-ordering-file",
            "--call-graph-ordering-file",
        ];
        let words = job.arguments.iter().filter_map(|word| word.to_str());
        let is_order = |word: &&str| {
            orders.iter().any(|order| {
                word.strip_prefix(order)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || *order == "-T")
                    && !word.starts_with("-Ttext")
                    && !word.starts_with("-Tdata")
                    && !word.starts_with("-Tbss")
            })
        };
        words.into_iter().find(is_order).map(|word| format!("{word} decides the order of functions"))
    }

    /// The link by lld, with functions in order; none without lld.
    fn by_lld(&self, plan: &Plan, order: &[String]) -> Result<Option<DriverJob>, Failure> {
        let list = self.folder.path().join("order.txt");
        let lines: String = order.iter().flat_map(|name| [name, "\n"]).collect();
        std::fs::write(&list, lines).map_err(Failure::file("write", &list))?;
        let mut ordering = OsString::from("-Wl,--symbol-ordering-file=");
        ordering.push(&list);
        let flags =
            ["-fuse-ld=lld".into(), ordering, "-Wl,--no-warn-symbol-ordering".into(), "-Wl,--trace".into()];
        let Some(other) = self.planned(self.words.with(&flags))? else { return Ok(None) };
        let Some(link) = other.jobs.iter().find(|job| job.role == Role::Link) else { return Ok(None) };
        let is_lld = link.program.file_name().is_some_and(|name| name.to_string_lossy().contains("lld"));
        if !is_lld || other.jobs.len() != plan.jobs.len() {
            return Ok(None);
        }
        // Its objects have names of their own where the driver made them up.
        let outputs = |plan: &Plan| -> Vec<Option<OsString>> {
            plan.jobs.iter().map(|job| job.behind("-o").map(OsStr::to_owned)).collect()
        };
        let names: BTreeMap<OsString, OsString> = outputs(&other)
            .into_iter()
            .zip(outputs(plan))
            .filter_map(|(theirs, ours)| Some((theirs?, ours?)))
            .collect();
        let mut link = link.clone();
        for word in &mut link.arguments {
            if let Some(name) = names.get(word) {
                word.clone_from(name);
            }
        }
        Ok(Some(link))
    }
}

/// Whether a line names a file, or a member of one.
fn is_input(line: &str) -> bool {
    let archive = line.strip_suffix(')').and_then(|line| line.rsplit_once('(')).map(|(archive, _)| archive);
    Path::new(line).is_file() || archive.is_some_and(|archive| Path::new(archive).is_file())
}

/// The notes of all files that a link may read.
fn noted(job: &DriverJob) -> Vec<Noted> {
    let mut all = Vec::new();
    for path in inputs(job) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let file = path.display().to_string();
        let Ok(archive) = ArchiveFile::parse(&*bytes) else {
            all.extend(Note::all_of(&bytes).into_iter().map(|note| Noted { file: file.clone(), note }));
            continue;
        };
        for member in archive.members().filter_map(Result::ok) {
            let name = String::from_utf8_lossy(member.name()).into_owned();
            // A thin archive has names alone. Others' members are copied, to be aligned.
            let data = match archive.is_thin() {
                true => std::fs::read(path.parent().unwrap_or(Path::new("")).join(&name)).ok(),
                false => member.data(&*bytes).ok().map(<[u8]>::to_vec),
            };
            let notes = data.iter().flat_map(|data| Note::all_of(data));
            let named = notes.map(|note| Noted { file: format!("{file}({name})"), note });
            all.extend(named);
        }
    }
    all
}

/// Objects and archives among a linker's words.
fn inputs(job: &DriverJob) -> Vec<PathBuf> {
    const WITH_VALUE: &[&str] =
        &["-o", "-dynamic-linker", "-z", "-m", "-plugin", "-rpath", "-soname", "-h", "-e", "-u", "-T"];
    let mut folders = Vec::new();
    let mut libraries = Vec::new();
    let mut all = Vec::new();
    let mut words = job.arguments.iter();
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        if WITH_VALUE.iter().any(|flag| word == flag) {
            words.next();
        } else if let Some(folder) = bytes.strip_prefix(b"-L") {
            folders.push(PathBuf::from(OsStr::from_bytes(folder)));
        } else if let Some(library) = bytes.strip_prefix(b"-l") {
            let mut name = OsString::from("lib");
            name.push(OsStr::from_bytes(library));
            name.push(".a");
            libraries.push(match library.strip_prefix(b":") {
                Some(exact) => OsStr::from_bytes(exact).to_owned(),
                None => name,
            });
        } else if !bytes.starts_with(b"-") && Path::new(word).is_file() {
            all.push(PathBuf::from(word));
        }
    }
    let of_library =
        |name: OsString| folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file());
    all.extend(libraries.into_iter().filter_map(of_library));
    let mut seen = BTreeSet::new();
    all.retain(|path| seen.insert(path.clone()));
    all
}

/// What is said of a link.
struct Report<'a> {
    tuning: &'a Tuning,
    output: &'a Path,
}

impl Report<'_> {
    /// Reports a link that ended with `status`; `unordered` says why functions are not in order.
    fn write(&self, status: u8, noted: &[Noted], unordered: Option<&str>) -> Result<u8, Failure> {
        if status != 0 || self.is_of_configuration() {
            return Ok(status);
        }
        let (program, ledger) = (self.output.display(), self.tuning.shown.display());
        let placed = function_order(noted.iter().map(|one| &one.note.arranged));
        let reasons = reasons(noted);
        let left: usize = reasons.iter().map(|(_, names)| names.len()).sum();
        let fitting: usize = noted.iter().map(|one| one.note.arranged.fitting).sum();
        if noted.is_empty() {
            opcost_answer::tell!(
                "opcost: {program}: nothing is put in order by {ledger}, since no object in it was compiled by opcost \
                 --opcost-tune"
            );
        } else if fitting == 0 {
            opcost_answer::tell!(
                "opcost: {program}: {ledger} is of another build: no function is as it was counted{}; the program is as \
                 it would be without. Count this build again",
                shown(&reasons)
            );
        } else {
            let functions = |count: usize| {
                if count == 1 { "1 function".to_owned() } else { format!("{count} functions") }
            };
            let left = match left {
                0 => String::new(),
                _ => format!("; {} left as compiled{}", functions(left), shown(&reasons)),
            };
            match unordered {
                None => opcost_answer::tell!(
                    "opcost: {program}: {} in order by {ledger}{left}",
                    functions(placed.len())
                ),
                Some(why) => opcost_answer::tell!(
                    "opcost: {program}: blocks of {} in order by {ledger}, and not the functions themselves: {why}{left}",
                    functions(placed.len())
                ),
            }
        }
        self.explain(noted, unordered)?;
        Ok(status)
    }

    /// Programs that `configure` and the like make are nobody's programs.
    fn is_of_configuration(&self) -> bool {
        let path = std::path::absolute(self.output).unwrap_or_else(|_| self.output.to_owned());
        let is_scratch =
            |part: &OsStr| ["CMakeScratch", "CMakeTmp", "meson-private"].iter().any(|folder| part == *folder);
        let name = path.file_name().unwrap_or_default();
        name.as_bytes().starts_with(b"conftest") || path.iter().any(is_scratch)
    }

    /// Appends what was done to each function to the file that was asked for.
    fn explain(&self, noted: &[Noted], unordered: Option<&str>) -> Result<(), Failure> {
        let Some(path) = &self.tuning.explain else { return Ok(()) };
        let mut text = format!("{}\n", self.output.display());
        if let Some(why) = unordered {
            let _ = writeln!(text, "  functions not in order: {why}");
        }
        for Noted { note, .. } in noted {
            let module = &note.module;
            if let Some(why) = &note.left {
                let _ = writeln!(text, "  left    {module}: {why}");
            }
            for one in &note.arranged.functions {
                let _ = writeln!(
                    text,
                    "  placed  {} ({module}): {} of {} blocks ran, jumps taken {} → {}",
                    one.name, one.executed_blocks, one.blocks, one.taken.before, one.taken.after
                );
            }
            for one in &note.arranged.straight {
                let _ = writeln!(text, "  placed  {} ({module}): one block", one.name);
            }
            for one in &note.arranged.left {
                let _ = writeln!(text, "  left    {} ({module}): {}", one.name, one.why);
            }
        }
        // Links that run at the same time write one after the other.
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(Failure::file("write", path))
    }
}

/// Why functions and modules are left as they are, the commonest reason first.
fn reasons(noted: &[Noted]) -> Vec<(String, BTreeSet<String>)> {
    let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for Noted { note, .. } in noted {
        if let Some(why) = &note.left {
            all.entry(why).or_default().insert(note.module.clone());
        }
        for one in &note.arranged.left {
            all.entry(&one.why).or_default().insert(one.name.clone());
        }
    }
    let mut all: Vec<_> = all.into_iter().map(|(why, names)| (why.to_owned(), names)).collect();
    all.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    all
}

/// ` (odd, even: its flow is another now; …)`
fn shown(reasons: &[(String, BTreeSet<String>)]) -> String {
    const NAMES: usize = 3;
    if reasons.is_empty() {
        return String::new();
    }
    let one = |(why, names): &(String, BTreeSet<String>)| {
        let mut first: Vec<String> =
            names.iter().take(NAMES).map(|name| opcost_answer::names::demangle(name)).collect();
        if names.len() > NAMES {
            first.push(format!("{} more", names.len() - NAMES));
        }
        format!("{}: {why}", first.join(", "))
    };
    format!(" ({})", reasons.iter().map(one).collect::<Vec<_>>().join("; "))
}
