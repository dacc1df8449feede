//! Code in huge pages: what a program is linked with, and whether the kernel has such pages.

use std::path::Path;

use opcost_answer::Failure;

use super::state::Build;

/// Where the kernel says who gets huge pages.
const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// Why code cannot be in huge pages on this machine.
pub fn no_huge_pages() -> Option<String> {
    match std::fs::read_to_string(ENABLED) {
        Err(_) => Some(format!("this kernel has no transparent huge pages (there is no {ENABLED})")),
        Ok(said) if said.contains("[never]") => {
            Some(format!("transparent huge pages are off; as root: echo madvise > {ENABLED}"))
        }
        Ok(_) => None,
    }
}

impl Build {
    /// The flags by which a program has its code in huge pages. They are of use as long as this build is there.
    ///
    /// # Errors
    /// The runtime does not compile.
    pub fn huge_pages(&self) -> Result<Vec<String>, Failure> {
        let folder = std::path::absolute(self.path("huge")).map_err(Failure::file("find", Path::new(".")))?;
        let object = crate::runtime::compile_huge(&self.tools.clang, &self.target_flags(), &folder)?;
        let link = opcost_runtime::huge::LINK.iter().map(|&flag| flag.to_owned());
        // As a word for the linker it is in no compilation.
        Ok(link.chain([format!("-Wl,{}", object.display())]).collect())
    }
}
