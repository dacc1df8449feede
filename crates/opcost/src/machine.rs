//! On which machine did it run?

/// System and processor, but not the machine's name: a ledger may be shown around.
pub fn machine() -> String {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let model = model_name().map_or(String::new(), |model| format!(" · {model}"));
    format!("{} {} {}{model}", text(system.sysname()), text(system.release()), text(system.machine()))
}

/// The processor, as the system calls it.
pub fn processor_name() -> String {
    model_name().unwrap_or_else(|| "an unnamed processor".to_owned())
}

fn model_name() -> Option<String> {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map(|(_, model)| model.trim().to_owned())
}
