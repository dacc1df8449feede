//! How is a program compiled, whatever is measured of it?

use std::path::PathBuf;

use opcost_job::module::EarlierRun;
use opcost_job::program::WorldWish;
use opcost_key::Anchor;

/// How a program is compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Level of optimisation, as after `-O`: 0, 1, 2, 3, s or z.
    pub level: String,
    /// Further flags of the compiler.
    pub cflags: Vec<String>,
    /// Folders of headers.
    pub include: Vec<String>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Libraries to link, by their names after `-l`.
    pub library: Vec<String>,
    /// Folders of libraries.
    pub library_path: Vec<String>,
    /// The state at which instructions get their identity; without it the usual one of each input.
    pub anchor: Option<Anchor>,
    /// Weights: the name of a model, or the path of a `.toml` file.
    pub cost: Option<String>,
    /// Level at which machine code is generated, when it should differ from `level`.
    pub codegen: Option<u8>,
    /// Whether it is shown how long each phase of building each module took.
    pub time: bool,
    /// A run by which counters are placed; without one the code alone says where.
    pub earlier: Option<EarlierRun>,
}

impl Default for CompileOptions {
    /// `-O2`, and nothing else.
    fn default() -> CompileOptions {
        CompileOptions {
            level: "2".to_owned(),
            cflags: Vec::new(),
            include: Vec::new(),
            define: Vec::new(),
            library: Vec::new(),
            library_path: Vec::new(),
            anchor: None,
            cost: None,
            codegen: None,
            time: false,
            earlier: None,
        }
    }
}

impl CompileOptions {
    /// The flags that shape the code, as the map keeps them.
    pub fn shaping_flags(&self) -> Vec<String> {
        let mut flags = vec![format!("-O{}", self.level)];
        flags.extend(self.include.iter().map(|folder| format!("-I{folder}")));
        flags.extend(self.define.iter().map(|name| format!("-D{name}")));
        flags.extend(self.cflags.iter().cloned());
        flags
    }

    /// Whether the compiler is given this flag.
    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.cflags.iter().any(|given| given == flag)
    }

    /// The level of `-O`: sizes are given by attributes of the functions.
    pub(crate) fn code_level(&self) -> u8 {
        match self.level.as_str() {
            "0" => 0,
            "1" => 1,
            "3" => 3,
            _ => 2,
        }
    }

    /// The optimiser's level as the recorder of lives numbers it, sizes too.
    pub(crate) fn optimiser_level(&self) -> u8 {
        match self.level.as_str() {
            "s" => 4,
            "z" => 5,
            _ => self.code_level(),
        }
    }
}

/// What is known of a program that is looked at, besides its code.
#[derive(Clone, Debug, Default)]
pub struct ProgramOptions {
    /// Who may call; without it, whole programs are closed.
    pub world: Option<WorldWish>,
    /// A table of what functions outside the program do; its lines go before those that opcost knows.
    pub effects: Option<PathBuf>,
}
