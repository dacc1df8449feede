//! On which machine did it run?

/// System and processor, but not the machine's name: a ledger may be shown around.
pub fn machine() -> String {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(String::new(), |(_, model)| format!(" · {}", model.trim()));
    format!("{} {} {}{model}", text(system.sysname()), text(system.release()), text(system.machine()))
}
