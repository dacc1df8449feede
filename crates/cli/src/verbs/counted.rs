//! What is counted, in the words of `opcost count`.

use std::path::Path;

use opcost::count::{CountRequest, ThreadMode};
use opcost_key::Placement;
use opcost_run::start::Streams;

use crate::arguments::CountArguments;

/// What the command line asks for.
pub(crate) fn request(arguments: &CountArguments) -> CountRequest {
    let build = &arguments.build;
    CountRequest {
        inputs: arguments.inputs.clone(),
        options: build.compile.options(),
        placement: if build.paths { Placement::Paths } else { build.placement },
        threads: if build.threads { ThreadMode::Always } else { ThreadMode::IfStarted },
        placement_from: build.placement_from.clone(),
        arguments: arguments.arguments.clone(),
        streams: Streams {
            stdin: arguments.stdin.clone(),
            stdout: arguments.stdout.clone(),
            stderr: None,
            stdout_to_stderr: arguments.show.json.as_deref() == Some(Path::new("-")),
        },
        repeat: arguments.repeat,
        is_deterministic: arguments.deterministic,
        by_cargo: std::env::args_os().nth(1).is_some_and(|word| word == "cargo"),
        listener: |words| opcost_answer::tell!("{words}"),
    }
}
