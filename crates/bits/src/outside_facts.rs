//! What is known of a module besides what a certificate says?
//!
//! The table of library functions says what their calls give; which of the objects
//! of a certificate are written before they are read, or zero at first, the analysis
//! finds in the code. A certificate that takes more as given is refused.
//!
//! Input: a module and the certificate that is asked about. Cost: linear in the calls,
//! and that of `written_first` for each local.

use std::collections::HashSet;

use opcost_analysis::memory::MemoryModel;
use opcost_analysis::propagation::external_facts::{is_zeroed, library_result, written_first};
use opcost_certificate::{Certificate, ObjectName, OutsideFacts};
use opcost_index::Id;
use opcost_ir::Opcode;
use opcost_key::{FunctionId, InstructionId};

use crate::claimed::claim;

/// All that is known.
pub fn outside_facts(program: &MemoryModel<'_>, certificate: &Certificate) -> OutsideFacts {
    let mut told = OutsideFacts::default();
    for (id, function) in program.module.functions.iter() {
        for &(at, _) in &function.calls {
            if let Some((_, range)) = library_result(program, id, at) {
                told.results.insert((id, at), claim(&range));
            }
        }
    }
    let sites = sites(program, certificate);
    let opcode =
        |&(id, at): &(FunctionId, InstructionId)| program.module.functions[id].instructions[at].opcode;
    let (locals, calls): (Vec<_>, Vec<_>) =
        sites.into_iter().partition(|site| opcode(site) == Opcode::Alloca);
    told.written_first = written_first(program, locals).into_iter().collect();
    told.zeroed = calls.into_iter().filter(|&(id, at)| is_zeroed(program, id, at)).collect();
    told
}

/// The instructions that allocate what the certificate speaks of.
fn sites(program: &MemoryModel<'_>, certificate: &Certificate) -> HashSet<(FunctionId, InstructionId)> {
    let wanted: HashSet<&ObjectName> = certificate.contents.iter().map(|claim| &claim.object).collect();
    let places = wanted.into_iter().filter_map(|object| match object {
        ObjectName::Allocated(place) => Some((&*place.function, place.instruction)),
        ObjectName::Data(_) => None,
    });
    let by_name: HashSet<(&str, u32)> = places.collect();
    let names: HashSet<&str> = by_name.iter().map(|(name, _)| *name).collect();
    let mut sites = HashSet::new();
    for (id, function) in program.module.functions.iter().filter(|(_, one)| names.contains(&*one.name)) {
        let all = function.instructions.ids();
        let asked = all.filter(|at| by_name.contains(&(&*function.name, at.index() as u32)));
        sites.extend(asked.map(|at| (id, at)));
    }
    sites
}
