//! From a source to bitcode at its anchor, by clang.

use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_key::Anchor;

use super::{Build, Input, Language};
use crate::error::CliError;

impl Build<'_> {
    /// The anchor at which this input is counted.
    pub(crate) fn anchor(&self, input: &Input) -> Anchor {
        let default = if input.language == Language::Bitcode { Anchor::File } else { Anchor::Optimized };
        self.arguments.anchor.unwrap_or(default)
    }

    /// The flags that shape the code, as the map keeps them.
    pub(crate) fn shaping_flags(&self) -> Vec<String> {
        let arguments = self.arguments;
        let mut flags = vec![format!("-O{}", arguments.level)];
        flags.extend(arguments.include.iter().map(|folder| format!("-I{folder}")));
        flags.extend(arguments.define.iter().map(|name| format!("-D{name}")));
        flags.extend(arguments.cflags.iter().cloned());
        flags
    }

    /// Whether the user says where files of Fortran modules go. Else they lie
    /// with what is built, and the user's folder stays as it is.
    fn names_module_folder(&self) -> bool {
        self.arguments.cflags.iter().any(|flag| flag.starts_with("-J") || flag.starts_with("-module-dir"))
    }

    /// The level of `-O`: sizes are told by attributes of the functions.
    pub(super) fn level(&self) -> u8 {
        match self.arguments.level.as_str() {
            "0" => 0,
            "1" => 1,
            "3" => 3,
            _ => 2,
        }
    }

    /// The optimiser's level as the recorder of lives numbers it, sizes too.
    pub(super) fn optimiser_level(&self) -> u8 {
        match self.arguments.level.as_str() {
            "s" => 4,
            "z" => 5,
            _ => self.level(),
        }
    }

    /// clang, for C or C++.
    pub(super) fn compiler(&self, input: &Input) -> &Path {
        if input.language == Language::Cxx { &self.tools.clangxx } else { &self.tools.clang }
    }

    /// Bitcode of one input at its anchor.
    pub(crate) fn bitcode(&self, input: &Input, position: usize) -> Result<PathBuf, CliError> {
        if input.language == Language::Bitcode {
            if self.anchor(input) != Anchor::Pgo {
                return Ok(input.path.clone());
            }
            let output = self.path(format!("{position}.bc"));
            self.to_pgo(input, input.path.clone(), &output)?;
            return Ok(output);
        }
        if input.language == Language::Rust {
            return Err(CliError::Usage(format!(
                "{}: a Rust source becomes a program only (--emit exe)",
                input.path.display()
            )));
        }
        let flang;
        let compiler = match input.language {
            Language::Fortran => {
                flang = self.tools.flang()?.0;
                &flang
            }
            _ => self.compiler(input),
        };
        let output = self.path(format!("{position}.bc"));
        let mut command = Command::new(compiler);
        command.args(self.shaping_flags()).args([self.debug_flag, "-c", "-emit-llvm", "-o"]).arg(&output);
        if input.language == Language::Fortran && !self.names_module_folder() {
            command.arg("-J").arg(self.folder.path());
        }
        if self.as_plugin.get() {
            command.arg("-fPIC");
        }
        if self.machine.is_some() {
            command.args(portable_flags(input)?);
            // The compiler would work out what it can by the library of its machine.
            let names = opcost_runtime::portable::MATH_FUNCTIONS.iter();
            command.args(names.map(|name| format!("-fno-builtin-{name}")));
            if input.language == Language::Cxx {
                self.include_cxx(&mut command)?;
            }
            self.include_c(&mut command)?;
        }
        if self.is_wasm {
            command.args(super::wasm::target(self));
        }
        match self.anchor(input) {
            Anchor::Source | Anchor::Pgo if input.language != Language::Fortran => {
                command.args(["-Xclang", "-disable-llvm-passes"]);
            }
            Anchor::Optimized => {}
            other => {
                return Err(CliError::Usage(format!(
                    "anchor {other} does not fit the source {}; use optimized{}",
                    input.path.display(),
                    if input.language == Language::Fortran { "" } else { ", source or pgo" }
                )));
            }
        }
        run_tool(command.arg(&input.path), compiler, &input.path)?;
        if self.anchor(input) == Anchor::Pgo {
            let there = self.path(format!("{position}.pgo.bc"));
            self.to_pgo(input, output, &there)?;
            return Ok(there);
        }
        Ok(output)
    }
}

/// How a portable program is compiled: for one machine, whatever the one at hand.
fn portable_flags(input: &Input) -> Result<impl Iterator<Item = &'static str>, CliError> {
    use opcost_runtime::portable::{SHAPE, SHAPE_CXX};
    let further: &[&str] = match input.language {
        Language::C => &[],
        Language::Cxx => SHAPE_CXX,
        _ => {
            return Err(CliError::Usage(format!(
                "{}: a portable program is made of C, C++ and bitcode",
                input.path.display()
            )));
        }
    };
    Ok(SHAPE.iter().chain(further).copied())
}

/// Runs a tool whose own words go to stderr.
pub(crate) fn run_tool(command: &mut Command, tool: &Path, input: &Path) -> Result<(), CliError> {
    let name = tool.display().to_string();
    let status = command.status().map_err(|error| CliError::ToolMissing {
        tool: name.clone(),
        remedy: format!("starting it failed: {error}"),
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(CliError::ToolFailed { tool: name, input: input.display().to_string() })
    }
}
