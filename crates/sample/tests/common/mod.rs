//! Programs to sample: small C sources, compiled here and now.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use opcost_sample::{Error, Event, Pace, ProcessSamples, Sampler, Samples, SessionOptions};
use tempfile::TempDir;

/// A function that takes time in proportion to its argument and that no
/// compiler takes apart.
pub(crate) const WORK: &str = "
__attribute__((noinline)) unsigned long hot(unsigned long n) {
    unsigned long x = n | 1;
    for (unsigned long i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; __asm__ volatile(\"\"); }
    return x;
}
__attribute__((noinline)) unsigned long cold(unsigned long n) {
    unsigned long x = n | 3;
    for (unsigned long i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; __asm__ volatile(\"\"); }
    return x;
}
";

/// Ninety turns of work in one function, ten in another; about 0.3 s.
pub(crate) const NINE_TO_ONE: &str = "
volatile unsigned long sink;
int main(void) {
    for (int i = 0; i < 40; i++) { sink += hot(9 * 300000); sink += cold(300000); }
    return 3;
}
";

/// A program with two named threads, a child that only forks and one that
/// becomes the program of its argument; the first thread does nothing.
pub(crate) const FAMILY: &str = "
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
static void *thread(void *turns) {
    prctl(PR_SET_NAME, (long)turns > 180 ? \"diligent\" : \"idle one\");
    for (long i = 0; i < (long)turns; i++) sink += hot(1000000);
    return 0;
}
int main(int count, char **arguments) {
    pthread_t threads[2];
    if (fork() == 0) { prctl(PR_SET_NAME, \"child\"); for (int i = 0; i < 180; i++) sink += cold(1000000); _exit(0); }
    if (fork() == 0) { execv(arguments[1], arguments + 1); _exit(1); }
    pthread_create(&threads[0], 0, thread, (void *)90);
    pthread_create(&threads[1], 0, thread, (void *)360);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    while (wait(0) > 0) {}
    return count - 2;
}";

/// The process that is called `name`; all samples are in processes and threads.
pub(crate) fn process<'s>(samples: &'s Samples, name: &str) -> &'s ProcessSamples {
    let all = &samples.by_process;
    assert_eq!(all.iter().map(|process| process.hits).sum::<u64>(), samples.total);
    assert!(all.is_sorted_by(|a, b| a.hits >= b.hits), "{all:?}");
    let is_it = |process: &&ProcessSamples| process.name.as_deref() == Some(name) && process.hits > 20;
    let found = all.iter().find(is_it).unwrap_or_else(|| panic!("no {name}: {all:?}"));
    assert_eq!(found.threads.iter().map(|thread| thread.hits).sum::<u64>(), found.hits);
    found
}

/// What must be told of a [`FAMILY`] whose child becomes `other`.
pub(crate) fn is_the_family(samples: &Samples) {
    let [child, other, family] = ["child", "other", "family"].map(|name| process(samples, name));
    assert!(child.pid != other.pid && child.pid != family.pid && other.pid != family.pid);
    let threads = family.threads.iter().filter(|thread| thread.hits > 10);
    let threads: Vec<(&str, u64)> =
        threads.map(|thread| (thread.name.as_deref().unwrap_or("?"), thread.hits)).collect();
    let [("diligent", more), ("idle one", less)] = threads[..] else { panic!("{threads:?}") };
    assert!(more > 2 * less && more < 8 * less, "360 turns of {more} and 90 of {less}");
    assert!(family.threads.iter().all(|thread| thread.tid != family.pid || thread.hits < more / 4));
}

/// A folder of programs.
pub(crate) struct Shop {
    folder: TempDir,
}

impl Shop {
    pub(crate) fn new() -> Self {
        Shop { folder: TempDir::new().expect("a folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join(name)
    }

    /// Compiles and links `source` with these flags.
    pub(crate) fn build(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let (text, program) = (self.path(&format!("{name}.c")), self.path(name));
        std::fs::write(&text, source).expect("the source is written");
        let output = Command::new("cc")
            .args(["-O1", "-g0", "-fno-omit-frame-pointer", "-Wl,--build-id", "-o"])
            .arg(&program)
            .arg(&text)
            .args(flags)
            .output()
            .expect("cc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        program
    }
}

/// Addresses of a function in the numbering of its file.
pub(crate) fn function(file: &Path, name: &str) -> std::ops::Range<u64> {
    let bytes = std::fs::read(file).expect("the program is there");
    let image = object::File::parse(&*bytes).expect("an ELF file");
    let mut symbols = image.symbols().chain(image.dynamic_symbols());
    let symbol = symbols.find(|symbol| symbol.name() == Ok(name)).expect("the function is there");
    symbol.address()..symbol.address() + symbol.size()
}

pub(crate) fn options(rate: u64) -> SessionOptions {
    SessionOptions { pace: Pace::PerSecond(rate), ..SessionOptions::default() }
}

/// Whether this machine lets us sample. If not, the refusal itself is what is
/// tested, and the test says so.
pub(crate) fn may_sample() -> bool {
    let refused = Sampler::start(Command::new("true"), &options(1000)).err();
    match refused {
        None => true,
        Some(error @ Error::NotPermitted { .. }) => {
            let told = error.to_string();
            assert!(told.contains("perf_event_paranoid"), "{told}");
            eprintln!("not sampled: {told}");
            false
        }
        Some(other) => panic!("neither permitted nor refused: {other}"),
    }
}

pub(crate) fn has_event(name: &str) -> bool {
    let event = Event::named(name).expect("it has a name");
    Sampler::start(Command::new("true"), &SessionOptions { event, ..options(1000) }).is_ok()
}

/// Samples in the file as another reader counts them.
pub(crate) fn referee(file: &Path) -> u64 {
    use linux_perf_data::{PerfFileReader, PerfFileRecord, linux_perf_event_reader::EventRecord};
    let reader = std::io::BufReader::new(std::fs::File::open(file).expect("it was written"));
    let PerfFileReader { mut perf_file, mut record_iter } =
        PerfFileReader::parse_file(reader).expect("it is read");
    let mut samples = 0;
    while let Some(record) = record_iter.next_record(&mut perf_file).expect("it is read") {
        if let PerfFileRecord::EventRecord { record, .. } = record
            && let EventRecord::Sample(_) = record.parse().expect("it is read")
        {
            samples += 1;
        }
    }
    samples
}
