//! What is said of a part that was not counted, and how it is counted the next time?

use opcost_answer::count::NotCounted;
use opcost_run::missing::{Missing, MissingKind};

/// What is said of a part that was not counted.
pub(super) fn not_counted(part: &Missing, is_cargos: bool) -> NotCounted {
    let path = part.path.display();
    let (reason, next) = match part.kind {
        MissingKind::OwnCode if is_cargos => (
            "code of this program that another compiler made, such as C of a build script".to_owned(),
            "CC=\"opcost cc\" CXX=\"opcost c++\" cargo opcost count … counts it".to_owned(),
        ),
        MissingKind::OwnCode => (
            "code of this program that was compiled without counters".to_owned(),
            "give its source, or compile it by opcost cc or opcost c++".to_owned(),
        ),
        MissingKind::SilentLibrary => (
            format!("{path} has counters and wrote none, since another linker made it"),
            "link it by opcost cc -shared (opcost c++ -shared)".to_owned(),
        ),
        MissingKind::OtherLibrary => (
            format!("{path} ran in its place"),
            "libtool --mode=execute opcost count PROGRAM runs what was built; so does LD_LIBRARY_PATH"
                .to_owned(),
        ),
        MissingKind::UnwindTables => (
            "for each frame of an exception it reads tables of the program, which counters change".to_owned(),
            String::new(),
        ),
        MissingKind::PlainLibrary => {
            (format!("{path} was built without counters"), "build it by opcost cc (opcost c++)".to_owned())
        }
    };
    NotCounted { what: part.what.clone(), reason, next: (!next.is_empty()).then_some(next) }
}
