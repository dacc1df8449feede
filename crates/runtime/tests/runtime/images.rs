//! Do several counted images of one process know of each other's frames?

use opcost_profile::opcraw::EndState;

use crate::support::{Program, build, counts, frames};

fn plugin() -> Program {
    build("clang-22", &["plugin.c"], &["-shared", "-fPIC", "-fvisibility=default"])
}

#[test]
fn frames_of_a_plugin_are_noted_in_its_own_file() {
    let (program, plugin) = (Program::c("images.c"), plugin());
    assert!(program.run(&[plugin.path.to_str().expect("UTF-8"), "exit"]).status.success());
    let files = program.files();
    let own = files.iter().find(|file| file.image.path == program.path.to_str().expect("UTF-8"));
    let other = files.iter().find(|file| file.image.path == plugin.path.to_str().expect("UTF-8"));
    let (own, other) = (own.expect("the program's"), other.expect("the plugin's"));
    assert_eq!(files.len(), 2);
    assert_eq!(own.process.program_start_ns, other.process.program_start_ns);
    assert_eq!(program.left(own), frames(&[("ends", 1), ("jumps", 1), ("main", 2)]));
    assert_eq!(plugin.left(other), frames(&[("plugin", 2)]));
    assert_eq!((counts(other)[1], other.end), (2, EndState::Exit));
}

#[test]
fn an_unloaded_plugin_leaves_a_finished_file() {
    let (program, plugin) = (Program::c("images.c"), plugin());
    assert!(program.run(&[plugin.path.to_str().expect("UTF-8"), "unload"]).status.success());
    let files = program.files();
    assert_eq!(files.len(), 3);
    assert!(files.iter().all(|file| file.end == EndState::Exit));
}
