//! Does a module mean the same on every machine?
//!
//! Asked of a module in which machines' differences are spelt out and to which
//! its library was linked (`opcost_llvm`). What is left is a list again: numbers
//! of kinds that every machine has, intrinsics with one meaning, the world's
//! functions. Variable arguments, exceptions and assembly are read, unwound and
//! written by each machine in its own way.
//!
//! Output: objections, and a hash for each function, so that two machines whose
//! numbers differ can say where their code does. Limit: a program that steers by its
//! addresses, or reads what it never wrote, is not found. Cost: linear.

use opcost_ir::{CalleeRef, Function, FunctionText, Linkage, Module, Opcode, Type, TypeId};
use opcost_key::{Hasher128, InstructionId};
use serde::{Deserialize, Serialize};

use super::court::Court;
use super::rule::Rule;
use super::sizes::{Sizes, WIDEST_INTEGER};
use super::{Admission, Library, calls, hash, values};

/// What is to be said of a module that shall be portable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Portability {
    /// Objections, and the hash of all of it.
    pub admission: Admission,
    /// Its functions in the order of the module.
    pub functions: Vec<Fingerprint>,
}

/// A function's code in a few digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Linkage name.
    pub name: String,
    /// Source file, where it is known.
    pub file: Option<String>,
    /// Line in it.
    pub line: Option<u32>,
    /// Over all that it says but places.
    pub hash: String,
}

/// Intrinsics that mean the same everywhere, as `allowed/intrinsics` lists families.
const FAMILIES: &str = "\
    memcpy memmove memset lifetime dbg assume expect experimental.noalias.scope.decl invariant.start \
    invariant.end launder.invariant.group strip.invariant.group sideeffect donothing annotation \
    var.annotation ptr.annotation objectsize is.constant prefetch ptrmask load.relative arithmetic.fence \
    is.fpclass stacksave stackrestore trap abs smax smin umax umin scmp ucmp bswap bitreverse ctpop ctlz \
    cttz fshl fshr sadd.with.overflow uadd.with.overflow ssub.with.overflow usub.with.overflow \
    smul.with.overflow umul.with.overflow sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat \
    sqrt fabs minimum maximum copysign floor ceil trunc rint nearbyint round roundeven fptoui.sat \
    fptosi.sat vector.reduce vector.insert vector.extract vector.reverse vector.splice \
    vector.interleave2 vector.deinterleave2 masked.load masked.store masked.gather masked.scatter";

fn is_portable_intrinsic(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("llvm.") else { return false };
    FAMILIES.split_ascii_whitespace().any(|family| {
        rest.strip_prefix(family).is_some_and(|behind| behind.is_empty() || behind.starts_with('.'))
    })
}

/// Looks at a whole module with its library; `world` names what it may call
/// outside.
pub fn admit_portable(module: &Module, world: &[&str]) -> Portability {
    let library = Library::default();
    let mut court = Court {
        module,
        library: &library,
        uses: calls::first_uses(module),
        sizes: Sizes::new(module),
        code: values::names_of_code(module),
        objections: Vec::new(),
    };
    court.portable_names(world);
    let own = || module.functions.iter().filter(|(_, function)| function.linkage != Linkage::Elsewhere);
    for (_, function) in own() {
        court.portable_function(function);
    }
    let admission = Admission {
        functions: own().count(),
        hash: hash(module),
        library: library.hash().to_string(),
        differs: Vec::new(),
        objections: court.objections,
    };
    let functions = own().map(|(_, function)| fingerprint(module, function)).collect();
    Portability { admission, functions }
}

fn fingerprint(module: &Module, function: &Function) -> Fingerprint {
    let text = FunctionText::new(module, function);
    let mut hasher = Hasher128::new();
    hasher.text(&module.type_text(function.ty));
    for id in function.instructions.ids() {
        hasher.text(&text.instruction(id));
    }
    let place = function.place.map(|place| &module.places[place]);
    Fingerprint {
        name: function.name.clone(),
        file: place.map(|place| module.files[place.file].clone()),
        line: place.map(|place| place.line),
        hash: hasher.finish().to_string(),
    }
}

impl Court<'_> {
    /// What it needs from outside.
    fn portable_names(&mut self, world: &[&str]) {
        let module = self.module;
        if module.has_module_assembly {
            let reason = "has assembly outside of its functions, which is one machine's".to_owned();
            self.push(None, None, Rule::ModuleAssembly.because(reason, "write it in C"));
        }
        for (id, declaration) in module.declarations.iter() {
            let (name, at) = (&declaration.name, self.uses[id]);
            if declaration.is_intrinsic {
                if at.is_some() && !is_portable_intrinsic(name) {
                    let reason = format!("uses {name}, which machines do in their own ways, or not at all");
                    self.object_at(Rule::NotPortable, at, reason, "write it without");
                }
            } else if !world.contains(&name.as_str()) {
                let reason = format!("uses {name}, which the portable library does not have");
                self.object_at(Rule::NotPortable, at, reason, "write it in the program");
            }
        }
        for global in module.globals.values().filter(|global| global.linkage == Linkage::Elsewhere) {
            let reason = format!("refers to {}, which the portable library does not have", global.name);
            let at = self.first_mention(&global.name);
            self.object_at(Rule::NotPortable, at, reason, "write it in the program");
        }
    }

    fn portable_function(&mut self, function: &Function) {
        if let Type::Function(result, parameters, is_variadic) = &self.module.types[function.ty] {
            if *is_variadic {
                let reason = "takes variable arguments, which each machine passes in its own way".to_owned();
                self.object(function, None, Rule::NotPortable.because(reason, "pass an array"));
            }
            for &ty in parameters.iter().chain([result]) {
                self.portable_type(function, None, ty);
            }
        }
        for (id, instruction) in function.instructions.iter() {
            let wrong = match instruction.opcode {
                Opcode::Invoke | Opcode::LandingPad | Opcode::Resume => Some((
                    "has exceptions, which each machine unwinds in its own way",
                    "build it with -fno-exceptions",
                )),
                Opcode::VAArg => Some(("reads variable arguments", "pass an array")),
                Opcode::CallBr | Opcode::AddrSpaceCast | Opcode::UserOp => {
                    Some(("has an instruction that not every machine has", "write it without"))
                }
                Opcode::CleanupRet
                | Opcode::CatchRet
                | Opcode::CatchSwitch
                | Opcode::CleanupPad
                | Opcode::CatchPad => Some(("has exceptions of Windows", "build it with -fno-exceptions")),
                _ => None,
            };
            if let Some((reason, remedy)) = wrong {
                self.object(function, Some(id), Rule::NotPortable.because(reason.to_owned(), remedy));
            }
            for ty in [Some(instruction.ty), instruction.second_type].into_iter().flatten() {
                self.portable_type(function, Some(id), ty);
            }
        }
        for (id, call) in &function.calls {
            if call.callee == CalleeRef::Assembly {
                let reason = "has inline assembly, which is one machine's".to_owned();
                self.object(function, Some(*id), Rule::InlineAssembly.because(reason, "write it in C"));
            }
        }
    }

    /// Numbers that every machine has.
    fn portable_type(&mut self, function: &Function, at: Option<InstructionId>, ty: TypeId) {
        let is_portable = |ty: TypeId| match &self.module.types[ty] {
            Type::Float(name) => matches!(*name, "float" | "double"),
            Type::Vector { scalable, .. } => !scalable,
            Type::Pointer(space) => *space == 0,
            Type::Integer(bits) => *bits <= WIDEST_INTEGER,
            _ => true,
        };
        let element = match &self.module.types[ty] {
            Type::Vector { element, .. } => *element,
            _ => ty,
        };
        if !is_portable(ty) || !is_portable(element) {
            let reason = format!("works on {}, which not every machine has", self.module.type_text(ty));
            self.object(
                function,
                at,
                Rule::NotPortable.because(reason, "use double, float or integers of up to 128 bits"),
            );
        }
    }
}
