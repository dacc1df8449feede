//! With which flags is a program for WebAssembly compiled and linked?

use std::ffi::OsString;
use std::path::Path;

use crate::options::CompileOptions;

/// The target; libraries are where the older of its names leads.
const TARGET: [&str; 2] = ["--target=wasm32-wasi", "-Wno-deprecated"];

/// Where Debian has the headers. Without these words clang would look for what
/// they lack among those of the machine at hand.
const HEADERS: &str = "/usr/include/wasm32-wasi";

/// Flags that name the machine, for all that is compiled and linked.
pub(crate) fn target(options: &CompileOptions) -> Vec<OsString> {
    let mut flags: Vec<OsString> = TARGET.iter().map(OsString::from).collect();
    let mut own = options.cflags.iter().filter(|flag| flag.starts_with("--sysroot=")).peekable();
    if own.peek().is_none() && Path::new(HEADERS).is_dir() {
        flags.extend(["-nostdlibinc", "-isystem", HEADERS].map(OsString::from));
    }
    flags.extend(own.map(OsString::from));
    // Nothing is loaded anywhere else, and nothing is thrown.
    flags.extend(["-fno-pic", "-fno-exceptions"].map(OsString::from));
    flags
}
