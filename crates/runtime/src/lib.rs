//! What is linked into a counted or metered program? C source, as text.
//!
//! A runtime in Rust could not be linked into a Rust program
//! (`rust_begin_unwind` twice), and one Rust toolchain has one target; the
//! clang at hand compiles C for all of them. So this crate only carries the
//! text: the build room writes [`SOURCES`] into one folder, compiles each of
//! [`UNITS`] with [`FLAGS`], and links the three objects in this order around
//! the counted ones:
//!
//! ```text
//! begin.o  counted objects and archives…  runtime.o  end.o  other libraries…
//! ```
//!
//! once per image (executable or shared object). A section of counters that
//! does not lie between the two pads still counts, but privately: it is
//! copied out at the end and lost by a signal. Needs glibc on Linux and the
//! unwinder that clang links by itself (`-lgcc_s`, or `-lgcc_eh` when
//! static); before glibc 2.34 also `-lpthread`.
//!
//! What the C files answer, in the order in which a reader should open them:
//! `mapping.c` where counters live, `left.c` which frames never return,
//! `wrap.c` how programs end, `jump.c` what a longjmp leaves, `fork.c` and
//! `threads.c` who counts where, `others.c` whether another thread is cut short
//! at the end, `process.c` how several images of a process
//! find each other, `start.c` when all this begins and ends.
//!
//! A metered program gets [`fuel::SOURCE`] instead, one object, anywhere; a
//! metered plug-in [`plugin::SOURCES`]. With a cost model that charges by
//! length, all get [`library`]. A program that runs in a deterministic world
//! meets [`deterministic`] when it is loaded.
//!
//! # What instrumented code must keep to
//!
//! - Counters: 64-bit cells in section [`COUNTERS_SECTION`]; per module one
//!   `{ [16 x i8] map hash (low byte first), ptr counters, i64 count }` in
//!   section [`DESCRIPTORS_SECTION`], kept by `llvm.used` (else
//!   `--gc-sections` drops it, as nothing refers to it).
//! - Calls of the [`WRAPPED`] functions are renamed by [`wrapped`], and are
//!   never tail calls: the caller's frame must be on the stack.
//! - Functions have unwind tables (`uwtable`) and a personality:
//!   [`PERSONALITY`] where they had none, else a thunk that passes the result
//!   of the former one through [`PERSONALITY_RESULT`].
//! - Behind each second return of a `setjmp`: [`SETTLE`] with
//!   `llvm.frameaddress(0)`.
//! - In thread mode each module has one byte in section [`THREADS_SECTION`],
//!   kept by `llvm.used`, by which the runtime sees that none is left out, and
//!   each function loads [`THREAD_DELTA`] at entry, calls
//!   [`THREAD_START`] if it is `i64::MIN`, and adds it to its cells' addresses.

pub mod deterministic;
mod digest;
pub mod fuel;
pub mod huge;
pub mod library;
pub mod live;
pub mod plugin;
pub mod portable;
pub mod predict;
pub mod slice;
pub mod values;
pub mod wasi;

/// All files, by name; they include each other by these names.
pub const SOURCES: &[(&str, &str)] = &[
    ("begin.c", include_str!("c/begin.c")),
    ("runtime.c", include_str!("c/runtime.c")),
    ("end.c", include_str!("c/end.c")),
    ("layout.h", include_str!("c/layout.h")),
    ("opcost.h", include_str!("c/opcost.h")),
    ("own.h", include_str!("c/own.h")),
    ("process.c", include_str!("c/process.c")),
    ("left.c", include_str!("c/left.c")),
    ("jump.c", include_str!("c/jump.c")),
    ("wrap.c", include_str!("c/wrap.c")),
    ("mapping.c", include_str!("c/mapping.c")),
    ("threads.c", include_str!("c/threads.c")),
    ("others.c", include_str!("c/others.c")),
    ("fork.c", include_str!("c/fork.c")),
    ("start.c", include_str!("c/start.c")),
];

/// The files to compile: the first is linked before the counted objects, the others after them.
pub const UNITS: [&str; 3] = ["begin.c", "runtime.c", "end.c"];

/// How clang must compile them. The unwind tables are for traversals of the stack that begin in the
/// runtime.
pub const FLAGS: &[&str] =
    &["-O2", "-c", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-fasynchronous-unwind-tables"];

/// Functions whose calls are renamed: ends of the program, jumps, and what
/// makes stacks, threads and processes.
pub const WRAPPED: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "execl",
    "execlp",
    "execle",
    "fexecve",
    "posix_spawn",
    "posix_spawnp",
    "vfork",
    "daemon",
    "syscall",
    "swapcontext",
    "setcontext",
    "makecontext",
    "pthread_create",
    "pthread_exit",
    "thrd_exit",
];

/// The name that calls of a [`WRAPPED`] function get.
pub fn wrapped(name: &str) -> String {
    format!("opc_wrap_{name}")
}

/// Section of the counters.
pub const COUNTERS_SECTION: &str = "opc_cnt";
/// Section of the descriptors, one per module.
pub const DESCRIPTORS_SECTION: &str = "opc_dsc";
/// Section of the bytes of modules that count in thread mode.
pub const THREADS_SECTION: &str = "opc_thr";
/// Personality of functions that had none.
pub const PERSONALITY: &str = "opc_personality";
/// `i32 (i32 result, i32 actions, ptr context)`: returns `result`.
pub const PERSONALITY_RESULT: &str = "opc_personality_result";
/// `void (ptr frame_address)`.
pub const SETTLE: &str = "opc_settle";
/// Thread-local `i64`, hidden, initial-exec.
pub const THREAD_DELTA: &str = "opc_thread_delta";
/// `i64 ()`: the thread's distance, which is stored in [`THREAD_DELTA`] too.
pub const THREAD_START: &str = "opc_thread_start";
/// Environment variable: absolute path of the directory for counter files.
pub const DIRECTORY_VARIABLE: &str = "OPCOST_RAW";

#[cfg(test)]
mod tests {
    use super::{SOURCES, UNITS, WRAPPED, wrapped};

    fn defines(name: &str) -> bool {
        SOURCES.iter().any(|(_, text)| {
            text.lines().any(|line| line.starts_with("OPC_HIDDEN") && line.contains(&format!(" {name}(")))
        })
    }

    #[test]
    fn every_wrapped_function_is_defined() {
        let missing: Vec<_> = WRAPPED.iter().filter(|name| !defines(&wrapped(name))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn every_included_file_is_carried() {
        let carried = |name: &str| SOURCES.iter().any(|(file, _)| *file == name);
        for (_, text) in SOURCES {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include \"")) {
                assert!(carried(line.trim_end_matches('"')), "{line}");
            }
        }
        assert!(UNITS.iter().all(|unit| carried(unit)));
    }
}
