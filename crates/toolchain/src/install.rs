//! How does a finished file get to its place? Whole, or not at all.
//!
//! It is copied beside its target and then renamed, which replaces the target
//! in one step: a full disk or a kill leaves what was there before. What is
//! no ordinary file (`/dev/null`, a pipe) is written to.

use std::path::Path;

use opcost_answer::Failure;
use opcost_interrupt::Scratch;

/// Puts `made` at `output`, with its permissions.
pub fn install(made: &Path, output: &Path) -> Result<(), Failure> {
    let is_special = std::fs::metadata(output).is_ok_and(|metadata| !metadata.is_file());
    if is_special {
        let bytes = std::fs::read(made).map_err(Failure::file("read", made))?;
        return std::fs::write(output, bytes).map_err(Failure::file("write", output));
    }
    // A link is followed, so that its target is replaced and not the link.
    let target = output.canonicalize().unwrap_or_else(|_| output.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // In a folder of its own, which goes with this process, too.
    let aside = Scratch::folder_in(folder, ".opcost-").map_err(Failure::file("write in", folder))?;
    let beside = aside.path().join("made");
    std::fs::copy(made, &beside).map_err(Failure::file("write", output))?;
    let mode = std::fs::metadata(made).map_err(Failure::file("read", made))?.permissions();
    std::fs::set_permissions(&beside, mode).map_err(Failure::file("write", output))?;
    std::fs::rename(&beside, &target).map_err(Failure::file("write", output))
}
