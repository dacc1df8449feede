//! What does an earlier run say of a module whose counters are placed?
//!
//! Input: a snapshot and the run. Output: weights on its branches. Cost: the flow graphs of the module, and
//! reading the run. Limit: of a run that the cache has, what cannot be read says nothing.

use opcost_instrument::weigh_as_run;
use opcost_ir::Module;
use opcost_job::module::EarlierRun;
use opcost_key::BranchCounts;
use opcost_profile::formats::opc::load_ledger;
use opcost_recover::branches_of_ledger;

use crate::error::WorkError;

/// Gives branches the weights of the run, if there is one; of how many functions.
pub(crate) fn weigh_by_earlier_run(
    module: &mut Module,
    run: Option<&EarlierRun>,
) -> Result<usize, WorkError> {
    let counts = match run {
        None => return Ok(0),
        Some(EarlierRun::Ledger(path)) => branches_of_ledger(&load_ledger(path)?),
        Some(EarlierRun::Last { branches, .. }) => {
            let text = std::fs::read(branches).map_err(WorkError::file("read", branches))?;
            serde_json::from_slice::<BranchCounts>(&text).unwrap_or_default()
        }
    };
    Ok(weigh_as_run(module, &counts))
}
