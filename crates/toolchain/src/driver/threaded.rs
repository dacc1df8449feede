//! Will a run of this program be refused, because its objects do not count by thread?
//!
//! Many builds give `-pthread` to the linker alone. Then an object that starts threads counts by thread,
//! and the others share their counters, which lose counts as soon as a second thread runs. Such a run is
//! refused. Who links can be told before: an object that counts by thread has a section of its own.
//!
//! Cost: the sections of each object are read once. Limit: of archives all members count, also those that
//! the linker leaves out.

use std::ffi::OsString;
use std::path::Path;

use object::Object;
use object::read::archive::ArchiveFile;
use opcost_answer::Failure;
use opcost_runtime::{COUNTERS_SECTION, THREADS_SECTION};

use super::call::Drive;
use super::settings::threads_requested;
use crate::plan::DriverJob;

/// How objects of a link count.
#[derive(Default)]
struct Counting {
    /// Whether some count by thread.
    by_thread: bool,
    /// Those that count all threads in one place.
    shared: Vec<String>,
}

impl Counting {
    fn add(&mut self, name: &str, object: &[u8]) {
        let Ok(file) = object::File::parse(object) else { return };
        if file.section_by_name(THREADS_SECTION).is_some() {
            self.by_thread = true;
        } else if file.section_by_name(COUNTERS_SECTION).is_some() && !self.shared.iter().any(|it| it == name)
        {
            self.shared.push(name.to_owned());
        }
    }

    fn of(inputs: &[OsString]) -> Counting {
        let mut all = Counting::default();
        for input in inputs.iter().map(Path::new).filter(|input| is_object(input)) {
            let Ok(data) = std::fs::read(input) else { continue };
            let name = input.file_name().unwrap_or_default().to_string_lossy();
            match ArchiveFile::parse(&*data) {
                Ok(archive) => {
                    let members = archive.members().flatten().filter_map(|member| member.data(&*data).ok());
                    members.for_each(|member| all.add(&name, member));
                }
                Err(_) => all.add(&name, &data),
            }
        }
        all
    }
}

fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["o", "a", "lo"].iter().any(|own| extension == *own))
}

impl Drive {
    /// Says at the link which objects would have a run refused.
    ///
    /// # Errors
    /// `OPCOST_THREADS` is wrong.
    pub(crate) fn warn_of_threads(&self, job: &DriverJob) -> Result<(), Failure> {
        if threads_requested()? {
            return Ok(());
        }
        // The runtime is around them, and is built for both.
        let runtime = self.folder.path().join("runtime");
        let own = |word: &&OsString| !Path::new(word).starts_with(&runtime);
        let counting = Counting::of(&job.arguments.iter().filter(own).cloned().collect::<Vec<_>>());
        // The linker's own words name the loader, which is no library of the program.
        let may_start = counting.by_thread || self.words.start_threads() || self.words.has("-lpthread");
        if counting.shared.is_empty() || !may_start {
            return Ok(());
        }
        let shown = counting.shared.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let more = counting.shared.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        opcost_answer::tell!(
            "opcost: warning: the program may start threads, but {shown}{more} count one thread only. A run with a \
             second thread will be refused. Compile with -pthread, too, or with OPCOST_THREADS=1"
        );
        Ok(())
    }
}
