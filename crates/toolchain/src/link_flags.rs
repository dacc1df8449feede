//! Which flags mean something to the linker, and which give names of the program to others?

/// The first flag that gives the program's names to code outside of it. Such a flag renames or
/// exports them, or gives the linker a script that may.
pub(crate) fn opens_names(flags: &[String]) -> Option<&str> {
    const OPTIONS: [&str; 14] = [
        "defsym",
        "wrap",
        "version-script",
        "dynamic-list",
        "export-dynamic",
        "undefined",
        "require-defined",
        "script",
        "default-script",
        "init",
        "fini",
        "entry",
        "just-symbols",
        "relocatable",
    ];
    const SHORT: [&str; 8] = ["-E", "-T", "-dT", "-e", "-u", "-R", "-r", "@"];
    let opens = |option: &str| {
        let long = option.strip_prefix("--").or(option.strip_prefix('-'));
        long.is_some_and(|long| OPTIONS.iter().any(|name| long.starts_with(name)))
            || SHORT.iter().any(|short| option.starts_with(short)) && !option.starts_with("-rpath")
    };
    let is_handed_on = |at: usize| at > 0 && flags[at - 1] == "-Xlinker";
    let is_one = |(at, flag): &(usize, &String)| match flag.strip_prefix("-Wl,") {
        Some(options) => options.split(',').any(opens),
        None if is_handed_on(*at) => opens(flag),
        None => matches!(&***flag, "-rdynamic" | "-shared" | "-r") || flag.starts_with("-T"),
    };
    flags.iter().enumerate().find(is_one).map(|(_, flag)| flag.as_str())
}

/// Flags that mean nothing where a source is compiled: clang warns of them.
pub(crate) fn is_linkers(flag: &str) -> bool {
    ["-l", "-L", "-Wl,"].iter().any(|prefix| flag.starts_with(prefix))
        || matches!(flag, "-rdynamic" | "-no-pie")
}

/// Flags that mean something to the linking compiler.
pub(crate) fn reaches_linker(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-fsanitize", "-static", "-m", "--target", "--sysroot", "-fuse-ld"]
        .iter()
        .any(|prefix| flag.starts_with(prefix))
        || matches!(flag, "-pthread" | "-fopenmp" | "-no-pie" | "-pie" | "-nostdlib" | "-rdynamic")
}
