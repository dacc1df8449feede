//! What does every way of building a module need: the plan's wishes, the map's file, how code is generated?

use opcost_instrument::InstrumentRequest;
use opcost_ir::Module;
use opcost_job::module::{CodeOptions, LiveWish, ModuleJob, ModulePurpose, ThreadMode};
use opcost_key::{BuildFacts, Placement};
use opcost_llvm::{Emission, Position};

use crate::error::WorkError;
use crate::names::name_files;

/// What the plan must know besides the module.
pub(crate) fn plan_request(module: &mut Module, job: &ModuleJob) -> InstrumentRequest<'static> {
    name_files(module, &job.root);
    InstrumentRequest {
        module: job.module.clone(),
        anchor: job.anchor,
        build: BuildFacts {
            compiler: job.compiler.clone().unwrap_or_else(|| makers(&module.producers)),
            flags: job.flags.clone(),
            target: module.triple.clone(),
            opcost: env!("CARGO_PKG_VERSION").to_owned(),
            placement: None,
            has_debug_lines: false,
        },
        cost: job.cost.clone(),
        placement: match job.purpose {
            ModulePurpose::Count { placement } => placement,
            // Nothing follows from frames that were left: those of versions are in no table of calls.
            ModulePurpose::Live(LiveWish { is_counted: true, .. }) => Placement::EverySegment,
            ModulePurpose::Meter(_)
            | ModulePurpose::Values(_)
            | ModulePurpose::Predict { .. }
            | ModulePurpose::Sample { .. }
            | ModulePurpose::Live(_) => Placement::Chords,
        },
        per_thread: job.threads == ThreadMode::Always || starts_threads(module),
        wrapped: opcost_runtime::WRAPPED,
    }
}

/// Who made a module, as it says: `clang 22.1.8 and rustc 1.95.0`.
fn makers(producers: &[String]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in producers.iter().map(|words| compiler_name(words)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { "an unknown compiler".to_owned() } else { names.join(" and ") }
}

/// Letters of the words of a compiler that does not report its version in the usual way.
const LONGEST_NAME: usize = 40;

/// `Debian clang version 22.1.8 (1~deb12u1)` → `clang 22.1.8`, as the compiler's own `--version` is
/// read. Apple numbers its versions by itself, so its name stays.
fn compiler_name(words: &str) -> String {
    let Some((before, behind)) = words.rsplit_once(" version ") else {
        return words.chars().take(LONGEST_NAME).collect();
    };
    let name = before.rsplit([' ', '(']).next().unwrap_or(before);
    let vendor = if before.starts_with("Apple ") { "Apple " } else { "" };
    let ends = |letter: char| match name {
        "rustc" => letter == ' ' || letter == ')',
        _ => !letter.is_ascii_digit() && letter != '.',
    };
    format!("{vendor}{name} {}", behind.split(ends).next().unwrap_or(behind))
}

/// Writes the map's bytes where they are wanted.
pub(crate) fn write_map_file(job: &ModuleJob, bytes: &[u8]) -> Result<(), WorkError> {
    std::fs::write(&job.map, bytes).map_err(WorkError::file("write", &job.map))
}

/// How code is generated, in LLVM's words.
pub(crate) fn emission(code: &CodeOptions) -> Emission {
    Emission {
        level: code.level,
        position: if code.is_position_independent { Position::Independent } else { Position::AsModule },
        function_sections: code.function_sections,
        data_sections: code.data_sections,
        allocate_registers: false,
    }
}

/// Whether the module starts threads: by pthreads, C11, C++ or OpenMP.
fn starts_threads(module: &Module) -> bool {
    module.declarations.values().any(|declaration| opcost_library::starts_threads(&declaration.name))
}

#[cfg(test)]
mod tests {
    use super::makers;

    #[test]
    fn compilers_are_named_as_they_name_themselves() {
        for (words, name) in [
            ("Debian clang version 22.1.8 (1~deb12u1)", "clang 22.1.8"),
            ("Ubuntu clang version 14.0.0-1ubuntu1.1", "clang 14.0.0"),
            ("Apple clang version 15.0.0 (clang-1500.3.9.4)", "Apple clang 15.0.0"),
            ("Debian flang version 22.1.8", "flang 22.1.8"),
            ("rustc version 1.95.0 (59807616e 2026-04-14)", "rustc 1.95.0"),
            ("clang LLVM (rustc version 1.96.0-nightly (abc 2026-05-01))", "rustc 1.96.0-nightly"),
            ("zig 0.13.0", "zig 0.13.0"),
        ] {
            assert_eq!(makers(&[words.to_owned()]), name);
        }
    }

    #[test]
    fn each_compiler_is_named_once() {
        let all =
            ["rustc version 1.95.0 (5)", "clang LLVM (rustc version 1.95.0 (5))", "clang version 22.1.8"];
        assert_eq!(makers(&all.map(str::to_owned)), "rustc 1.95.0 and clang 22.1.8");
        assert_eq!(makers(&[]), "an unknown compiler");
    }
}
