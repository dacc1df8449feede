//! What does every way of building a module need: the plan's wishes, the map's file, how code is generated?

use opcost_instrument::InstrumentRequest;
use opcost_ir::Module;
use opcost_job::module::{CodeOptions, ModuleJob, ModulePurpose, ThreadMode};
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
            compiler: job.compiler.clone(),
            flags: job.flags.clone(),
            target: module.triple.clone(),
            opcost: env!("CARGO_PKG_VERSION").to_owned(),
            placement: None,
            has_debug_lines: false,
        },
        cost: job.cost.clone(),
        placement: match job.purpose {
            ModulePurpose::Count { placement } => placement,
            ModulePurpose::Meter(_) | ModulePurpose::Values(_) | ModulePurpose::Sample { .. } => {
                Placement::Chords
            }
        },
        per_thread: job.threads == ThreadMode::Always || starts_threads(module),
        wrapped: opcost_runtime::WRAPPED,
    }
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
    }
}

/// Whether the module starts threads: by pthreads, C11, C++ or OpenMP.
fn starts_threads(module: &Module) -> bool {
    let starts = |name: &str| {
        matches!(name, "pthread_create" | "thrd_create" | "__kmpc_fork_call" | "__kmpc_omp_task_alloc")
            || name.starts_with("_ZNSt6thread15_M_start_thread")
    };
    module.declarations.values().any(|declaration| starts(&declaration.name))
}
