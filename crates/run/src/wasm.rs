//! What runs a program of WebAssembly?
//!
//! An engine with a driver of ours (`opcost_runtime::wasi`): Node, or the
//! wasmtime of Python. The driver does with the program's page what the system
//! does elsewhere by mapping a file. Input: a linked module. Limit: the program
//! sees the folder that it is started in, and no other files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use opcost_answer::fuel::Engine;
use opcost_runtime::wasi;

use crate::start::Starter;
use opcost_answer::Failure;

/// Kilobytes of the system's stack (usually 8 MB) that an engine may fill.
const NODE_STACK: &str = "--stack-size=3900";

/// The command that runs a program, with its driver in `folder`.
///
/// # Errors
/// The driver cannot be written.
pub(crate) fn starter(engine: Engine, folder: &Path) -> Result<Starter, Failure> {
    let (name, text) = match engine {
        Engine::Node => wasi::NODE,
        Engine::Wasmtime => wasi::WASMTIME,
    };
    let driver = folder.join(name);
    std::fs::write(&driver, text).map_err(Failure::file("write", &driver))?;
    Ok(match engine {
        // WASI in Node is called an experiment at every start.
        Engine::Node => {
            vec!["node".into(), "--no-warnings".into(), NODE_STACK.into(), driver.into_os_string()]
        }
        Engine::Wasmtime => vec![python().into_os_string(), driver.into_os_string()],
    })
}

fn is_there(engine: Engine) -> bool {
    match engine {
        Engine::Node => succeeds("node", &["--no-warnings", "-e", "require('node:wasi').WASI"]),
        Engine::Wasmtime => succeeds(python(), &["-c", "import wasmtime"]),
    }
}

fn remedy(engine: Engine) -> &'static str {
    match engine {
        Engine::Node => "install it with: apt-get install nodejs (18.17 or newer)",
        Engine::Wasmtime => {
            "install it with: pip install wasmtime, and name that Python in OPCOST_PYTHON if it is not python3"
        }
    }
}

fn python() -> PathBuf {
    std::env::var_os("OPCOST_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from)
}

fn succeeds(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The engine that runs this program; none if it needs none.
///
/// # Errors
/// The engine that is wanted is not there, or none is, or none is needed.
pub(crate) fn engine(program: &Path, wanted: Option<Engine>) -> Result<Option<Engine>, Failure> {
    let mut head = [0; 4];
    // Whatever cannot be read here says so when it is started.
    let is_read =
        std::fs::File::open(program).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    if is_read.is_err() || !is_wasm(&head) {
        return match wanted {
            None => Ok(None),
            Some(_) => Err(Failure::Usage(format!(
                "--engine runs WebAssembly (--machine wasm32-wasi), and {} is none; leave the flag",
                program.display()
            ))),
        };
    }
    let candidates = wanted.map_or(vec![Engine::Node, Engine::Wasmtime], |engine| vec![engine]);
    if let Some(found) = candidates.iter().find(|engine| is_there(**engine)) {
        return Ok(Some(*found));
    }
    let names: Vec<&str> = candidates.iter().map(|engine| engine.name()).collect();
    let remedies: Vec<&str> = candidates.iter().map(|engine| remedy(*engine)).collect();
    Err(Failure::ToolMissing {
        tool: format!("{}, which runs {},", names.join(" or "), program.display()),
        remedy: remedies.join("; or "),
    })
}

/// Whether these are the first bytes of a module of WebAssembly.
pub(crate) fn is_wasm(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0asm")
}

/// A custom section of a module: its bytes, if it has one of this name.
pub(crate) fn custom_section<'a>(module: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let mut rest = module.get(8..)?;
    while let Some((&kind, behind)) = rest.split_first() {
        let (size, behind) = number(behind)?;
        let (body, next) = behind.split_at_checked(size)?;
        rest = next;
        if kind == 0 {
            let (length, named) = number(body)?;
            let (name, data) = named.split_at_checked(length)?;
            if name == wanted.as_bytes() {
                return Some(data);
            }
        }
    }
    None
}

/// Seven bits a byte, the lowest first; and what follows them.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (position, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * position);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[position + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_section_is_found_behind_others() {
        let module = b"\0asm\x01\0\0\0\x01\x81\0x\0\x04\x01anb\0\x05\x02cdef";
        assert_eq!(custom_section(module, "cd"), Some(&b"ef"[..]));
        assert_eq!(custom_section(module, "a"), Some(&b"nb"[..]));
        assert_eq!(custom_section(module, "b"), None);
        for cut in 8..module.len() {
            assert_ne!(custom_section(&module[..cut], "cd"), Some(&b"ef"[..]));
        }
    }
}
