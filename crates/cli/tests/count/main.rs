//! Is the count exact, whatever the program does?
//!
//! Each program of `corpus/hostile` says at its top what must come out, worked
//! out by hand (`directives`). The harness builds it with plain clang and with
//! opcost at several anchors, placements and levels of code generation, runs
//! all of them and compares (`harness`). `referee` asks LLVM's own counting
//! pass, `exported` the readers of profiles, `paths` a walker of paths; `bitcode`, `libraries`, `determinism` and
//! what is sampled (`sampled`, `recorded`, `branches`, `served`, `lost`, `earlier`) need more than one build or
//! run. `replaced` counts what is replaced while it runs. `placed` has counters where an earlier run did little, `iterations` makes loops that count themselves,
//! `vanishing` searches for programs whose frames vanish in assembly. `session` asks one process many times.
//!
//! One test binary, since it starts compilers and runs for a while.

mod bitcode;
mod branches;
mod cached;
mod calls;
mod copies;
mod determinism;
mod directives;
mod earlier;
mod exported;
mod fuel;
mod harness;
mod hostile;
mod iterations;
mod json;
mod lengths;
mod libraries;
mod loops;
mod lost;
mod noise;
mod paths;
mod placed;
mod pools;
mod recorded;
mod referee;
mod replaced;
mod sampled;
mod served;
mod session;
mod vanishing;
