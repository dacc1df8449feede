//! What is outside of the functions, and what are things called?
//!
//! Sections that are run or unknown, second names that lead into a function,
//! constructors that come before the fuel, metadata that speaks to the linker,
//! attributes by which code generation adds code; and names that belong to the
//! runtime or to the C library, which the runtime itself calls.

use opcost_ir::{Function, GlobalKind, Linkage};

use super::court::Court;
use super::rule::Rule;
use opcost_library::fuel_class;

/// The priority with which the fuel's own constructor runs.
const OWN_PRIORITY: u32 = 101;

/// Module-wide metadata that is for readers.
const METADATA: &str = "llvm.module.flags llvm.ident llvm.dbg.cu llvm.errno.tbaa llvm.commandline";

/// Attributes by which no code comes to be that was not there.
const ATTRIBUTES: &str = "\
    frame-pointer target-cpu target-features tune-cpu min-legal-vector-width prefer-vector-width \
    stack-protector-buffer-size no-trapping-math no-infs-fp-math no-nans-fp-math no-signed-zeros-fp-math \
    approx-func-fp-math unsafe-fp-math less-precise-fpmad denormal-fp-math denormal-fp-math-f32 \
    use-soft-float correctly-rounded-divide-sqrt-fp-math no-jump-tables no-inline-line-tables no-builtins \
    disable-tail-calls alloc-family alloc-variant-zeroed no-realign-stack stackrealign \
    branch-target-enforcement sign-return-address sign-return-address-key guarded-control-stack \
    zero-call-used-regs profile-sample-accurate uniform-work-group-size nooutline target-abi \
    no-frame-pointer-elim no-frame-pointer-elim-non-leaf thunk loader-replaceable \
    sample-profile-suffix-elision-policy";

impl Court<'_> {
    pub(super) fn beside_functions(&mut self) {
        let module = self.module;
        if module.has_module_assembly {
            let reason = "has assembly outside of its functions, whose work is not counted".to_owned();
            self.push(None, None, Rule::ModuleAssembly.because(reason, "write it in C"));
        }
        for name in module.metadata.iter().filter(|name| !is_listed(METADATA, name)) {
            let reason = format!("carries metadata {name}, which may ask the linker for more code");
            self.push(None, None, Rule::Metadata.because(reason, "take it out"));
        }
        for global in module.globals.values() {
            self.global(global);
        }
        for initializer in &module.initializers {
            let function = match initializer.function {
                Some(opcost_ir::Value::Function(id)) => Some(&module.functions[id]),
                _ => None,
            };
            let Some(function) = function else {
                let reason = "has a constructor or destructor that is no function of its own".to_owned();
                self.push(None, None, Rule::Constructor.because(reason, "take it out"));
                continue;
            };
            if !initializer.at_end && initializer.priority <= OWN_PRIORITY {
                let reason = format!(
                    "is a constructor of priority {}, which runs before the fuel is there ({OWN_PRIORITY})",
                    initializer.priority
                );
                let remedy = "give it a higher number, or none";
                self.object(function, None, Rule::Constructor.because(reason, remedy));
            }
        }
    }

    fn global(&mut self, global: &opcost_ir::Global) {
        let name = &global.name;
        let is_llvms = name.starts_with("llvm.");
        if global.kind == GlobalKind::Resolver {
            let reason =
                format!("{name} is an ifunc, which is chosen by code that runs before the fuel is there");
            self.object_at(
                Rule::Ifunc,
                self.first_mention(name),
                reason,
                "call a function through a pointer",
            );
        }
        if let Some(section) = global.section.as_deref()
            && !(is_llvms && section == "llvm.metadata")
            && !is_in(section, &[".data", ".rodata", ".bss", ".tdata", ".tbss"])
        {
            let reason = format!("{name} is in the section {section}, which may be run");
            self.push(None, global.place, Rule::Section.because(reason, "take the section attribute out"));
        }
        if global.leads_into_code {
            let reason = format!("{name} holds an address that is worked out of a function's");
            let remedy = "keep pointers to functions as they are";
            self.push(None, global.place, Rule::CodeAddress.because(reason, remedy));
        }
        if global.gives_away_blocks {
            let reason = format!("{name} holds addresses of labels and can be changed or used otherwise");
            let remedy = "make it a static const array inside the function, used by goto only";
            self.push(None, global.place, Rule::BlockAddress.because(reason, remedy));
        }
        let is_own = !matches!(global.linkage, Linkage::Local | Linkage::Elsewhere);
        if is_own && !is_llvms {
            self.own_name(name, None, global.place);
        }
    }

    /// What a function is, but for its body.
    pub(super) fn function_as_such(&mut self, function: &Function) {
        if function.linkage != Linkage::Local && function.name != "main" {
            self.own_name(&function.name, Some(function.name.clone()), function.place);
        }
        if function.is_naked {
            let reason = "is naked: assembly, whose work is not counted".to_owned();
            self.object(function, None, Rule::Naked.because(reason, "write it in C"));
        }
        if function.is_coroutine {
            let reason = "is a coroutine that is not split yet".to_owned();
            self.object(function, None, Rule::Coroutine.because(reason, "use --anchor optimized"));
        }
        if let Some(section) = function.section.as_deref().filter(|section| !is_in(section, &[".text"])) {
            let reason = format!("is in the section {section}, which may be run by itself");
            self.object(function, None, Rule::Section.because(reason, "take the section attribute out"));
        }
        let is_plain = |mark: &str| is_listed(ATTRIBUTES, mark) || mark.starts_with("no-builtin-");
        for mark in function.marks.iter().filter(|mark| !is_plain(mark)) {
            let reason = format!("has the attribute {mark}, by which code may be added that is not counted");
            self.object(function, None, Rule::Attribute.because(reason, "build it without"));
        }
    }

    /// A name that others see.
    fn own_name(&mut self, name: &str, function: Option<String>, place: Option<opcost_key::PlaceId>) {
        if self.is_runtime(name) {
            let reason = format!("defines {name}, which is the runtime's");
            return self.push(function, place, Rule::ReservedName.because(reason, "rename it"));
        }
        if name == "__clang_call_terminate" {
            return;
        }
        let is_mangled = name.starts_with("_Z");
        let is_system = name.starts_with('_')
            && !is_mangled
            && name.as_bytes().get(1).is_some_and(|byte| *byte == b'_' || byte.is_ascii_uppercase());
        let is_start = matches!(name, "_start" | "_init" | "_fini" | "_end" | "_etext" | "_edata");
        if is_system || is_start || (!is_mangled && fuel_class(name).is_some()) {
            let reason = format!("defines {name}, a name of the C library, which the runtime may call");
            self.push(function, place, Rule::ReservedName.because(reason, "rename it, or make it static"));
        }
    }

    /// Whether a name belongs to the runtime of metered programs.
    pub(super) fn is_runtime(&self, name: &str) -> bool {
        ["opc_", "opcost", "__wrap_", "__real_"].iter().any(|start| name.starts_with(start))
    }
}

fn is_listed(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

/// Whether a section is one of these, or a part of one: `.text.hot`.
fn is_in(section: &str, sections: &[&str]) -> bool {
    sections.iter().any(|&name| {
        section.strip_prefix(name).is_some_and(|behind| behind.is_empty() || behind.starts_with('.'))
    })
}
