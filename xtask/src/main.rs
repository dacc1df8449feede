//! The chores of this repository: `cargo xtask VERB`.
//!
//! `corpus` prepares the real programs that tests and benchmarks run;
//! `bench count` and `bench fuel` measure what counting and metering cost them,
//! `bench life` what following an instruction costs the compiler, `bench loops`
//! sets trip counts beside LLVM's, over programs that `loops` looks after,
//! `bench bits` widths of values, over those of `bits`, `bench sampling` counts made
//! of samples beside LLVM's and exact ones, `bench training` the same on the programs
//! that constants were fit on, `bench pgo` what exported profiles are
//! worth, `bench predict` how right predicted counts and predicted time are, `bench slice` how small
//! the part of a program is that decides its loops, `bench tune` what each step of tuning is worth,
//! `bench run` what a program costs and brings that gets faster while it runs, `bench hdl` what proven widths are worth in hardware;
//! `calls` measures library functions, `charges` looks for their worst calls, `dist` makes what users install, and `guide` makes the book. None is part of
//! the tool: this crate imports
//! no room but `testkit` and knows opcost only as a command, so what it measures is what a
//! user gets. Few dependencies, because
//! `./x demo` builds it before anything else.

mod bench;
mod bits;
mod calls;
mod command;
mod corpus;
mod dist;
mod failure;
mod guide;
mod loops;
mod manifest;
mod pins;
mod root;

use failure::Failure;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB

  corpus [PROGRAM…]     fetch what the named programs (default: all) need and
                        describe them in corpus.json; where: target/corpus, or
                        the folder in OPCOST_CORPUS
  calls [NAME…]         what calls of library functions (default: all) cost,
                        under callgrind, into crates/library/src/charges.txt
  charges [NAME…]       the worst call of each of them, in times of what is charged,
                        and its argument; writes nothing
  dist [FLAGS]          a tarball and a Debian package of a release build, with
                        checksums, into target/dist; status 3 above 35 MB
    --opcost PATH         this opcost and the cargo-opcost beside it, not built
    --level N             of xz, from 0 (quick) to 9 (small) (6)
    --out FOLDER          make them here
  bench count [FLAGS]   what counting costs, into benchmarks/count.md
  bench fuel [FLAGS]    what fuel costs, into benchmarks/fuel.md
    --rounds N            timed runs of each program in each column (9)
    --programs A,B        of kernel, lua, zstd, sqlite, or any in C and C++
    --columns A,B         count: of plain, again, naive, opcost, threads, pgo;
                          fuel: of plain, again, fuel, unit, pgo, wasm, wasm-fuel
    --opcost PATH         this opcost, instead of building one
    --no-callgrind        leave out the instruction counts
    --as-built            take the programs that the last run built
    --no-building         leave out what counting costs the build
    --out FILE            write here
  bench life [FLAGS]    what following an instruction costs, into benchmarks/life.md
    --rounds N            timed runs of each column (5); 0 leaves them out
    --sweep A,B           also: is watched code clang's, in these programs
    --levels -O0,-O2      of the sweep (-O0,-O1,-O2,-O3)
    --opcost PATH, --out FILE  as above
  bench loops [FLAGS]   trip counts beside LLVM's, into benchmarks/loops.md;
                        status 3 if LLVM knows a count that we do not
    --sets A,B            of fortran, c, kernels, hard, sqlite, lua
    --levels -O0,-O2      (-O0,-O1,-O2,-O3; -O0 is promoted to registers)
    --no-verify           do not hold counts against runs
    --as-built            take the bitcode that the last run built
    --opcost PATH, --out FILE  as above
  bench bits [FLAGS]    how many bits values need by what LLVM and opcost know and
                        by runs, into benchmarks/bits.md; status 3 if a run
                        shows what opcost excludes
    --sets A,B            of programs, twins, hard (programs)
    --worlds A,B          of open, closed (both)
    --seeds N             runs of each program (20); 0 leaves them out
    --large no            leaves out SQLite and copies of it
    --rows FILE           also every value, a line of JSON each
    --opcost PATH, --out FILE  as above
  bench sampling [FLAGS]  counts made of samples by LLVM's inference and by opcost
                        against exact ones, into benchmarks/sampling.md; status 3
                        if a gate does not hold
    --only A,B            of sqlite, lua, zstd (all)
    --rates A,B           thousands of samples a second (1,4,10)
    --runs N              sampled runs at each rate (3)
    --rounds N            of what sampling costs (9); 0 leaves it out
    --take WHAT           builds, samples or results of earlier runs as they are,
                          each with those before it; page: nothing is measured
    --opcost PATH, --out FILE  as above
  bench training [FLAGS]  the same two solvers on the programs that ours was fit on,
                        into benchmarks/training.md
    --only A,B            of the programs of corpus/training.toml (all)
    --rates A,B           thousands of samples a second (1,10)
    --take WHAT           builds or samples of an earlier run as they are
    --opcost PATH, --out FILE  as above
  bench pgo [FLAGS]     what exported profiles are worth to clang, on SQLite, into
                        benchmarks/pgo.md
    --rounds N            timed runs of each build (41)
    --training N, --rows N  rows of the training (2000000) and of the judge (300000)
    --rate N              samples in a second (10000)
    --as-built            take the programs that the last run built
    --opcost PATH, --out FILE  as above
  bench predict [FLAGS] how right counts are that are predicted from the code, beside
                        LLVM's, and times, into benchmarks/predict.md
    --rounds N            timed runs on SQLite's bitcode (7); 0: none
    --runs N              timed runs of each program (9)
    --programs A,B        counted: fortran/adi and the like, or names of the corpus;
                          timed: adi and the like (all)
    --timing FILE         this timing file, instead of measuring
    --opcost PATH, --out FILE  as above
  bench slice [FLAGS]   how small and how fast the part of a program is that decides its
                        loops, into benchmarks/slice.md
    --rounds N            timed runs of each program (5)
    --programs A,B        fortran/adi and the like (all)
    --opcost PATH, --out FILE  as above
  bench suite [FLAGS]   how much sooner the same is asked a second time, into
                        benchmarks/suite.md
    --rounds N            of each question in each way (3)
    --opcost PATH, --out FILE  as above
  bench tune [FLAGS]    what each step of tuning is worth, beside clang's profile and BOLT,
                        into benchmarks/tune.md
    --runs N              timed runs of each program (15)
    --links N             layouts of each build, where these are measured (5)
    --parts A,B           of programs, copies, layouts, document (all)
    --programs A,B        names of corpus/programs.toml and tuned.toml
                          (sqlite,lua,zstd,kernel,clipper,wren,webp)
    --opcost PATH, --out FILE  as above
  bench run [FLAGS]     what a program costs that gets faster while it runs, and what it
                        brings, into benchmarks/run.md
    --rounds N            timed runs of each program by each compiler (3)
    --parts A,B           of kernels, document, programs, costs, linkers (all)
    --programs A,B        of filter-sum, filter-largest, sqlite, lua, zstd, clipper, and
                          rows of the paper's table, as matrix-normal (all)
    --small               little work: a try of the bench itself
    --opcost PATH, --out FILE  as above
  bench hdl [FLAGS]     what proven widths are worth in hardware, into benchmarks/hdl.md;
                        status 3 if a run of a circuit is not as in C
    --runs N              simulated runs of each circuit (100)
    --seeds N             placements of each circuit (5); 0 leaves them out
    --kernels A,B         functions, or hdl/A and bits/A (all)
    --as-built            take the circuits that earlier runs measured
    --others              also with own schedules, and with other resources
    --opcost PATH, --out FILE  as above
  loops [--marks] [PROGRAM…]  do the programs of corpus/loops verify at every
                        level, and do their marks hold? --marks: these alone
  bits [PROGRAM…]       the same of the programs and widths of corpus/bits, under
                        the sanitizers of addresses and undefined behaviour
  guide                 the guide as a book, in target/guide; status 3 if a link
                        leads nowhere";

/// Why the process ends with a status other than 0: 2 for a wrong command
/// line, 1 for everything else.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if words.first() == Some(&"bench") {
        bench::without_cache();
    }
    let outcome = match words.as_slice() {
        ["corpus", names @ ..] if !names.iter().any(|name| name.starts_with('-')) => corpus::prepare(names),
        ["calls", names @ ..] if !names.iter().any(|name| name.starts_with('-')) => calls::write(names),
        ["charges", names @ ..] if !names.iter().any(|name| name.starts_with('-')) => calls::search(names),
        ["dist", flags @ ..] => dist::run(flags),
        ["bench", "count", flags @ ..] => bench::run(bench::Question::Count, flags),
        ["bench", "fuel", flags @ ..] => bench::run(bench::Question::Fuel, flags),
        ["bench", "life", flags @ ..] => bench::life::run(flags),
        ["bench", "loops", flags @ ..] => bench::loops::run(flags),
        ["bench", "bits", flags @ ..] => bench::bits::run(flags),
        ["bench", "sampling", flags @ ..] => bench::sampling::run(flags),
        ["bench", "training", flags @ ..] => bench::sampling::training::run(flags),
        ["bench", "pgo", flags @ ..] => bench::pgo::run(flags),
        ["bench", "predict", flags @ ..] => bench::predict::run(flags),
        ["bench", "slice", flags @ ..] => bench::slice::run(flags),
        ["bench", "suite", flags @ ..] => bench::suite::run(flags),
        ["bench", "tune", flags @ ..] => bench::tune::run(flags),
        ["bench", "run", flags @ ..] => bench::running::run(flags),
        ["bench", "hdl", flags @ ..] => bench::hdl::run(flags),
        ["loops", flags @ ..] => loops::run(flags),
        ["bits", names @ ..] if !names.iter().any(|name| name.starts_with('-')) => bits::run(names),
        ["guide"] => guide::build(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(Failure::usage(USAGE)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(failure.status())
        }
    }
}
