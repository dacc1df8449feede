//! One module: from bitcode to its object and map, by the worker.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::names::{relative, tidy};
use opcost_job::JobSession;
use opcost_job::module::{
    CodeOptions, LiveWish, MeteredHost, MeteringJob, ModuleJob, ModulePurpose, ModuleReply, Product,
    Replaced, ThreadMode,
};
use opcost_key::{Hash128, ModuleMap, Placement};
use opcost_profile::formats::map::read_maps;

use super::rust::Rustc;
use super::state::{Build, LiveModule, LivePurpose, Optimiser, Platform, Purpose};
use crate::input::{Input, Language};
use crate::runtime::{Form, compile_predict};
use crate::threads::{library_may_start, word_may_start};

impl Build {
    /// Has one module built, as the purpose says.
    pub(crate) fn build_module(
        &self,
        input: &Input,
        bitcode: &Path,
        product: Product,
        output: &Path,
    ) -> Result<ModuleReply, Failure> {
        self.have_built(self.module_job(input, bitcode, product, output)?)
    }

    /// The same, with all other modules of the program linked to it first.
    pub(crate) fn build_together(
        &self,
        inputs: &[Input],
        product: Product,
        output: &Path,
    ) -> Result<ModuleReply, Failure> {
        let bitcode = |(position, input)| self.bitcode(input, position);
        let mut modules = inputs.iter().enumerate().map(bitcode).collect::<Result<Vec<_>, _>>()?;
        let first = modules.remove(0);
        let job = self.module_job(&inputs[0], &first, product, output)?;
        let paths: Vec<&Path> = inputs.iter().map(|input| &*input.path).collect();
        self.have_built(ModuleJob { others: Some(modules), ..job }).map_err(|failure| failure.among(&paths))
    }

    fn have_built(&self, job: ModuleJob) -> Result<ModuleReply, Failure> {
        let module = job.module.clone();
        let file = job.output.with_extension("job");
        let asked = if self.options.time { JobSession::request_anew } else { JobSession::request };
        let reply = asked(&self.jobs, job, &file, &module)?;
        self.weighed.set(self.weighed.get() + reply.weighed);
        if matches!(self.purpose, Purpose::Live(_)) {
            let mut live = self.live.borrow_mut();
            let basis = self.basis(live.len() as u32);
            live.push(LiveModule {
                name: module.clone(),
                basis,
                functions: reply.functions.clone(),
                imports: reply.imports.clone(),
            });
        }
        if let (true, Some(phases)) = (self.options.time, &reply.phases) {
            opcost_answer::tell!("{}", phases.line(&module));
            if reply.weighed > 0 {
                opcost_answer::tell!("{module}: an earlier run says where {} functions count", reply.weighed);
            }
        }
        Ok(reply)
    }

    fn module_job(
        &self,
        input: &Input,
        bitcode: &Path,
        product: Product,
        output: &Path,
    ) -> Result<ModuleJob, Failure> {
        let root = std::env::current_dir().map_err(Failure::file("find", "."))?;
        let is_threaded = self.starts_threads.get()
            || self.options.cflags.iter().any(|flag| word_may_start(flag.as_ref()))
            || self.options.library.iter().any(|name| library_may_start(name));
        Ok(ModuleJob {
            bitcode: bitcode.to_owned(),
            others: None,
            output: output.to_owned(),
            product,
            map: output.with_extension("opcmap"),
            module: relative(&tidy(&root.join(&input.path)), &root),
            anchor: self.anchor(input),
            purpose: self.module_purpose(product)?,
            threads: if is_threaded { ThreadMode::Always } else { ThreadMode::IfStarted },
            cost: self.cost.clone(),
            library: if self.is_portable() { None } else { self.library()? },
            code: self.code_options(input),
            compiler: self.compiler_name(input)?,
            fresh: (input.language == Language::Fortran).then(|| root.join(&input.path)),
            flags: self.options.shaping_flags(),
            earlier: self.options.earlier.clone(),
            root,
        })
    }

    /// How machine code is generated of an input.
    pub fn code_options(&self, input: &Input) -> CodeOptions {
        let has_flag = |flag: &str| self.options.has_flag(flag);
        CodeOptions {
            level: self.options.codegen.unwrap_or_else(|| self.options.code_level()),
            is_position_independent: has_flag("-fPIC")
                || self.as_plugin.get()
                || self.is_portable()
                || (self.platform != Platform::Wasm && self.is_foreign_and_movable(input)),
            function_sections: has_flag("-ffunction-sections"),
            data_sections: has_flag("-fdata-sections"),
        }
    }

    /// The compiler of an input, by name and version; a module that is given says itself who made it.
    ///
    /// # Errors
    /// It is missing.
    pub fn compiler_name(&self, input: &Input) -> Result<Option<String>, Failure> {
        Ok(match input.language {
            Language::Bitcode | Language::Object | Language::Program => None,
            Language::Fortran => Some(self.tools.flang()?.1),
            Language::Rust => Some(Rustc::find()?.version),
            Language::C | Language::Cxx => Some(self.tools.clang_version.clone()),
        })
    }

    fn module_purpose(&self, product: Product) -> Result<ModulePurpose, Failure> {
        Ok(match self.purpose {
            Purpose::Count { placement } => ModulePurpose::Count { placement },
            Purpose::Fuel { overshoot, audit, harden, by_segment } => ModulePurpose::Meter(MeteringJob {
                overshoot,
                by_segment,
                audit,
                harden,
                allowed: self.allowed.clone(),
                host: match self.platform {
                    Platform::Portable(machine) => MeteredHost::Portable(self.portable_wish(machine)?),
                    Platform::Wasm => MeteredHost::Wasm,
                    Platform::Native if self.as_plugin.get() => MeteredHost::Plugin,
                    Platform::Native => MeteredHost::Program,
                },
            }),
            Purpose::Values => ModulePurpose::Values(self.values.clone().unwrap_or_default()),
            Purpose::Predict => ModulePurpose::Predict {
                // Bitcode is whole; a program gets the runtime when it is linked.
                runtime: (product == Product::Counted).then(|| self.predict_runtime()).transpose()?,
            },
            Purpose::Sample { optimiser } => ModulePurpose::Sample {
                optimise: (optimiser == Optimiser::BehindAnchor)
                    .then(|| self.options.optimiser_level())
                    .filter(|&level| level > 0),
            },
            Purpose::Live(LivePurpose { replaced, is_counted }) => {
                let number = self.live.borrow().len() as u32;
                let level = match replaced {
                    Replaced::Nothing => self.options.optimiser_level().max(1),
                    Replaced::Entries => 1,
                    Replaced::Loops => 0,
                };
                ModulePurpose::Live(LiveWish {
                    number,
                    basis: self.basis(number),
                    level,
                    replaced,
                    is_counted,
                })
            }
            // Nothing is built of what is only looked at, but its anchor.
            Purpose::Life | Purpose::Analysis => ModulePurpose::Count { placement: Placement::Chords },
        })
    }

    /// Bitcode of what a program needs that predicts itself.
    fn predict_runtime(&self) -> Result<PathBuf, Failure> {
        let folder = self.path("runtime");
        compile_predict(&self.tools.clang, &self.target_flags(), &folder, Form::Bitcode)
    }

    /// Bitcode that does not say where it may be loaded is compiled as clang
    /// does it: to be loaded anywhere, unless a flag says otherwise.
    fn is_foreign_and_movable(&self, input: &Input) -> bool {
        let fixed = ["-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE", "-no-pie", "-static"];
        input.language == Language::Bitcode && !fixed.iter().any(|flag| self.options.has_flag(flag))
    }

    /// One module, and nothing of the runtime, at `output`.
    ///
    /// # Errors
    /// It does not compile, or is refused.
    pub fn module(&self, input: &Input, product: Product, output: &Path) -> Result<(), Failure> {
        let bitcode = self.bitcode(input, 0)?;
        self.build_module(input, &bitcode, product, output)?;
        Ok(())
    }

    /// The map that counting an input makes, and its hash.
    ///
    /// # Errors
    /// It does not compile, or cannot be counted.
    pub fn counted_map(&self, input: &Input) -> Result<(Hash128, ModuleMap), Failure> {
        let made = self.path("counted.bc");
        self.module(input, Product::Counted, &made)?;
        let path: PathBuf = made.with_extension("opcmap");
        let bytes = std::fs::read(&path).map_err(Failure::file("read", &path))?;
        let maps = read_maps(&bytes).map_err(|error| Failure::Counters(error.to_string()))?;
        Ok(maps.into_iter().next().expect("a module has a map"))
    }
}
