//! `opcost life` of assembly text and of raw bytes, and the machine that is meant.

use std::io::Read;
use std::path::Path;

use opcost_answer::life::Life;
use opcost_life::ObjectFormat;
use opcost_life::inputs::parse_bytes;

use super::input_line::split;
use crate::arguments::{FormatName, LifeArguments};
use opcost_answer::Failure;
use opcost_job::life::CodeText;
use opcost_toolchain::build::code_life;
use opcost_toolchain::input::Input;

/// The machine, if one is named or follows from a format.
pub(crate) fn target(arguments: &LifeArguments) -> Result<Option<String>, Failure> {
    let Some(format) = arguments.format else { return Ok(arguments.target.clone()) };
    let format = match format {
        FormatName::Elf => ObjectFormat::Elf,
        FormatName::Coff => ObjectFormat::Coff,
        FormatName::Macho => ObjectFormat::MachO,
    };
    let machine = arguments.target.clone().unwrap_or_else(opcost_llvm::host_triple);
    format.triple(&machine).map(Some).map_err(|error| Failure::Usage(error.to_string()))
}

/// The life of assembly text or of bytes, if that is what was given.
pub(crate) fn life(arguments: &LifeArguments) -> Result<Option<Life>, Failure> {
    let triple = || Ok::<_, Failure>(target(arguments)?.unwrap_or_else(opcost_llvm::host_triple));
    let Some(given) = &arguments.input else { return Ok(None) };
    if arguments.bytes {
        let (name, bytes) = bytes(given)?;
        return code_life(name, triple()?, CodeText::Bytes(bytes)).map(Some);
    }
    let (path, line, column) = split(given);
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("S") => Err(Failure::Usage(format!("{path}: preprocess it first: clang -E {path} > prog.s"))),
        Some("s") if arguments.function.is_some() || column.is_some() => {
            Err(Failure::Usage(format!("{path}: of assembly text give a line, {path}:3, or nothing for all")))
        }
        Some("s") => {
            let text = CodeText::Assembly { path: path.into(), line };
            code_life(path, triple()?, text).map(Some)
        }
        _ => Ok(None),
    }
}

/// The bytes that the user gave, and what to call them.
fn bytes(input: &str) -> Result<(&str, Vec<u8>), Failure> {
    let mut data = Vec::new();
    let name = if input == "-" {
        std::io::stdin().read_to_end(&mut data).map_err(Failure::file("read", "standard input"))?;
        "standard input"
    } else if Path::new(input).is_file() {
        data = std::fs::read(input).map_err(Failure::file("read", input))?;
        input
    } else {
        data.extend(input.as_bytes());
        "the bytes given"
    };
    // What is no text at all is the code itself.
    let is_code = data.iter().any(|byte| !byte.is_ascii_graphic() && !byte.is_ascii_whitespace());
    let bytes = match std::str::from_utf8(&data) {
        Ok(text) if !is_code => {
            parse_bytes(text).map_err(|error| Failure::Usage(format!("{name}: {error}")))?
        }
        _ => data,
    };
    if bytes.is_empty() {
        return Err(Failure::Usage(format!("{name}: there are no bytes")));
    }
    Ok((name, bytes))
}

/// A compiler that failed for another system may only lack its headers.
pub(crate) fn about_headers(error: Failure, arguments: &LifeArguments, input: &Input) -> Failure {
    let has_headers = || std::fs::read_to_string(&input.path).is_ok_and(|text| text.contains("#include"));
    match (&error, target(arguments)) {
        (Failure::ToolFailed { .. }, Ok(Some(target))) if has_headers() => Failure::Module {
            module: input.path.display().to_string(),
            message: format!(
                "clang failed for {target} (its own words are above). If headers of that system are missing \
                 here, give a source that was preprocessed where they are (cc -E, as .i or .ii), or its IR (.ll)"
            ),
        },
        _ => error,
    }
}
