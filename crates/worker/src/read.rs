//! How is bitcode read: a module for its job, or a whole program?
//!
//! Who made a module decides whether it is verified. A whole program is one linked module and its snapshot in
//! detail, with files named relative to the root, and the world that it lives in.
//!
//! Cost: that of LLVM's reader, and of the snapshot.

use std::path::Path;

use opcost_analysis::memory::World;
use opcost_ir::{Contents, GlobalKind, Module};
use opcost_job::life::FollowedModule;
use opcost_job::module::ModuleJob;
use opcost_job::program::{ProgramSource, WorldWish};
use opcost_key::Anchor;
use opcost_llvm::{Maker, Session};

use crate::error::WorkError;
use crate::names::name_files;

/// A program in LLVM's hands, its snapshot, and the world that it lives in.
pub(crate) struct ReadProgram {
    /// All of it, linked.
    pub(crate) session: Session,
    /// Its snapshot in detail, with files named relative to the root.
    pub(crate) module: Module,
    /// Who may call.
    pub(crate) world: World,
}

/// Who made a module that is built.
pub(crate) fn maker_of_build(job: &ModuleJob) -> Maker {
    let is_ours = job.anchor != Anchor::File && job.others.is_none();
    if is_ours { Maker::FrontEnd } else { Maker::Anyone }
}

/// Who made a module whose instructions are followed.
pub(crate) fn maker_of_followed(followed: &FollowedModule) -> Maker {
    if followed.optimise.is_some() { Maker::FrontEnd } else { Maker::Anyone }
}

/// Who made a module that gets its identity at an anchor.
pub(crate) fn maker_at(anchor: Anchor) -> Maker {
    if anchor == Anchor::File { Maker::Anyone } else { Maker::FrontEnd }
}

/// Reads all inputs as one module.
///
/// # Errors
/// They cannot be read or linked, or are no whole program though they are said to be.
pub(crate) fn read_program(source: &ProgramSource) -> Result<ReadProgram, WorkError> {
    let maker = if source.is_own { Maker::FrontEnd } else { Maker::Anyone };
    let read = |path: &Path| Session::read(path, maker);
    let mut session = read(&source.bitcode[0])?;
    for other in &source.bitcode[1..] {
        session.link(other)?;
    }
    let mut module = session.snapshot_in_detail();
    name_files(&mut module, &source.root);
    // The start file is code besides the functions that changes how numbers are computed.
    module.module_assembly_may_round |= source.flushes_subnormals;
    let begins = module.functions.values().any(|function| opcost_key::is_program_start(&function.name));
    let is_closed = source.world == Some(WorldWish::Closed);
    if is_closed && !begins {
        return Err(WorkError::Refused(
            "the program is said to be whole, but there is no main to begin with; give all of its \
             files, or leave out --closed (or --world closed)"
                .to_owned(),
        ));
    }
    if let (true, Some(flag)) = (is_closed, &source.opens_names) {
        return Err(WorkError::Refused(format!(
            "the program is said to be whole, but {flag} gives its names to code outside of it; leave out the \
             flag, or --closed (or --world closed)"
        )));
    }
    let is_closed = match source.world {
        Some(wish) => wish == WorldWish::Closed,
        None => begins && source.opens_names.is_none(),
    };
    let world = if is_closed { World::Closed } else { World::Open };
    if world == World::Closed {
        fill_common(&mut module);
    }
    Ok(ReadProgram { session, module, world })
}

/// What is common (COMMON of Fortran, `-fcommon`) may be defined by another
/// module; in a closed world there is none, and it begins as zeros. What others
/// fill before the start stays unknown.
fn fill_common(module: &mut Module) {
    for global in module.globals.values_mut() {
        let is_data = global.kind == GlobalKind::Variable && !global.is_declared && !global.is_given_away;
        if is_data && global.contents.is_none() {
            global.contents = Some(Contents { scalars: Vec::new(), is_complete: true });
        }
    }
}
