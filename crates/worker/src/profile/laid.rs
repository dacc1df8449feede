//! A module with what a ledger has of it: the counts are laid on it function by function.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use opcost_instrument::{Bodies, CostModel, InstrumentRequest, survey};
use opcost_ir::{Module, Opcode};
use opcost_job::profile::{ExportFormat, ExportJob, ExportModule};
use opcost_key::{BlockId, BuildFacts, FunctionId, InstructionId, ModuleMap, Placement};
use opcost_llvm::{Session, Weighed};
use opcost_optimise::ProfiledModule;
use opcost_profile::Ledger;
use opcost_recover::{Copies, FunctionCounts, Matched, branches, match_counts};

use crate::error::WorkError;
use crate::modules::Modules;
use crate::names::name_files;
use crate::read::maker_at;

/// A module with what the ledger has of it.
pub(crate) struct Laid {
    pub(crate) session: Session,
    pub(crate) map: ModuleMap,
    pub(crate) matched: Matched,
    phis: HashSet<(FunctionId, InstructionId)>,
}

impl Laid {
    /// Whether an instruction becomes no code of its own.
    pub(crate) fn is_phi(&self, function: FunctionId, instruction: InstructionId) -> bool {
        self.phis.contains(&(function, instruction))
    }

    /// Lays other counts on it.
    pub(crate) fn lay_again(&mut self, how: &Laying<'_>, ledger: &Ledger) {
        self.matched = match_counts(&self.map, ledger, how.copies());
    }

    /// A snapshot of the module, with the counts.
    pub(crate) fn of<'a>(&'a self, module: &'a Module) -> ProfiledModule<'a> {
        ProfiledModule { module, map: &self.map, counts: &self.matched }
    }

    /// Functions whose counts are known.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (FunctionId, &FunctionCounts)> {
        self.matched.functions.iter().filter_map(|(id, counts)| Some((id, counts.as_ref().ok()?)))
    }

    /// How often each successor was taken.
    pub(crate) fn branches(
        &self,
        function: FunctionId,
        counts: &FunctionCounts,
    ) -> Result<BTreeMap<(BlockId, u32), u64>, WorkError> {
        branches(&self.map.functions[function], counts).ok_or_else(|| {
            WorkError::Refused(
                "the ledger has no edges: it was counted with --placement every-segment; count again without"
                    .to_owned(),
            )
        })
    }
}

impl Laid {
    /// Gives branches, entries and the module their weights. `program` has the counts of all functions of the
    /// program, of each its entries first.
    pub(crate) fn weigh(&mut self, program: &[Vec<u64>]) -> Result<(), WorkError> {
        let functions = self.weighed(|_| true)?;
        Ok(self.session.weigh(&functions, program)?)
    }

    /// Gives the branches of these functions their weights, and leaves all else as it is.
    pub(crate) fn weigh_branches(&mut self, names: &[String]) -> Result<(), WorkError> {
        let functions = self.weighed(|name| names.iter().any(|one| one == name))?;
        Ok(self.session.weigh_branches(&functions)?)
    }

    /// What is known of functions with such names.
    fn weighed(&self, is_one: impl Fn(&str) -> bool) -> Result<Vec<Weighed>, WorkError> {
        let mut functions = Vec::new();
        for (id, counts) in self.counted().filter(|(id, _)| is_one(&self.map.functions[*id].name)) {
            let taken = self.branches(id, counts)?;
            let branches = taken.into_iter().map(|((block, slot), count)| (block, slot, count)).collect();
            let function = &self.map.functions[id];
            let blocks = function.blocks.ids().map(|block| counts.block(function, block)).collect();
            functions.push(Weighed { function: id, entries: counts.entries, branches, blocks });
        }
        Ok(functions)
    }
}

/// How counts are laid on modules.
pub(crate) struct Laying<'a> {
    /// Source files below this folder are named relative to it.
    pub(crate) root: &'a Path,
    /// Weights of instructions.
    pub(crate) cost: &'a CostModel,
    /// Whether a module is looked at by itself.
    pub(crate) is_alone: bool,
}

impl<'a> Laying<'a> {
    /// As a profile needs it.
    pub(crate) fn of(job: &'a ExportJob) -> Laying<'a> {
        Laying { root: &job.root, cost: &job.cost, is_alone: job.format == ExportFormat::Bitcode }
    }

    /// A module by itself is weighed by what its functions do in the whole program; what is added up over modules has
    /// each count once.
    fn copies(&self) -> Copies {
        if self.is_alone { Copies::All } else { Copies::Own }
    }
}

pub(crate) fn lay(
    how: &Laying<'_>,
    module: &ExportModule,
    ledger: &Ledger,
    modules: &mut Modules,
) -> Result<Laid, WorkError> {
    let mut session = modules.module(&module.bitcode, maker_at(module.anchor))?;
    let mut read = session.snapshot();
    name_files(&mut read, how.root);
    let wanted = InstrumentRequest {
        module: module.name.clone(),
        anchor: module.anchor,
        build: BuildFacts::default(),
        cost: how.cost.clone(),
        placement: Placement::Chords,
        per_thread: false,
        wrapped: opcost_runtime::WRAPPED,
    };
    let bodies = if how.is_alone { Bodies::All } else { Bodies::Own };
    let map = survey(&read, &wanted, bodies)?;
    let matched = match_counts(&map, ledger, how.copies());
    let phis = read.functions.iter().flat_map(|(id, function)| {
        let phis = function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        phis.map(move |(phi, _)| (id, phi))
    });
    Ok(Laid { session, map, matched, phis: phis.collect() })
}
