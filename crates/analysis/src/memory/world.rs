//! Who runs a module's functions, and who may reach its data?
//!
//! In the *open* world anyone may call an exported function with anything, and change exported data. In the *closed* world the
//! module is the program: it begins at `main` and the constructors; what code outside of it reaches by name ([`Outside`]: names of
//! libraries, kept data, sections) belongs to others in both worlds; all else is reached only by code that is seen here. Functions
//! whose address gets out, to code that is not seen, are found by [`Addresses`](super::Addresses), not here.
//!
//! A definition that another may replace (`weak`, `linkonce`) is taken for the
//! one that runs. Assembly at top level may name anything: then the world is
//! open and local names are reached too. Cost: linear in the names.

use opcost_index::IdSet;
use opcost_ir::{GlobalId, Linkage, Module, Outside, Value};
use opcost_key::FunctionId;

/// Whether others than this module may call and change what it exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum World {
    /// They may.
    Open,
    /// The module is the whole program, apart from its libraries.
    Closed,
}

/// Where execution comes in from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// `main`, or what a Fortran program begins with.
    pub main: Option<FunctionId>,
    /// Constructors in the order in which they run.
    pub constructors: Vec<FunctionId>,
    /// Functions that others may call with anything.
    pub called_from_outside: IdSet<FunctionId>,
    /// Data that others may read and write.
    pub reached_from_outside: IdSet<GlobalId>,
    /// Which world was asked for.
    pub world: World,
}

impl Roots {
    /// The roots of a module.
    pub fn of(module: &Module, world: World) -> Roots {
        let with_name = |name: &&str| module.functions.iter().find(|(_, function)| function.name == **name);
        let main = opcost_key::PROGRAM_STARTS.iter().find_map(with_name).map(|(id, _)| id);
        let mut initializers: Vec<_> = module.initializers.iter().filter(|entry| !entry.at_end).collect();
        initializers.sort_by_key(|entry| entry.priority);
        let constructors = initializers.into_iter().filter_map(|entry| match entry.function {
            Some(Value::Function(id)) => Some(id),
            _ => None,
        });
        let mut roots = Roots {
            main,
            constructors: constructors.collect(),
            called_from_outside: IdSet::new(),
            reached_from_outside: IdSet::new(),
            world,
        };
        roots.add_exported(module);
        roots.add_known(&Outside::of(module));
        roots
    }

    fn add_exported(&mut self, module: &Module) {
        let is_open = self.world == World::Open || module.has_module_assembly;
        let is_seen = |linkage: Linkage| linkage != Linkage::Local || module.has_module_assembly;
        // A closed module without a beginning is begun anywhere.
        let is_library = self.main.is_none();
        for (id, function) in module.functions.iter() {
            if (is_open || is_library) && is_seen(function.linkage) && Some(id) != self.main {
                self.called_from_outside.insert(id);
            }
        }
        for (id, global) in module.globals.iter() {
            if global.is_declared || (is_open && is_seen(global.linkage)) {
                self.reached_from_outside.insert(id);
            }
        }
        for entry in module.initializers.iter().filter(|entry| entry.at_end) {
            if let Some(Value::Function(id)) = entry.function {
                self.called_from_outside.insert(id);
            }
        }
    }

    /// What code outside of the module reaches by name, in either world.
    fn add_known(&mut self, outside: &Outside) {
        let others = outside.functions.iter().filter(|&id| Some(id) != self.main);
        others.for_each(|id| _ = self.called_from_outside.insert(id));
        outside.globals.iter().for_each(|id| _ = self.reached_from_outside.insert(id));
    }

    /// Whether a function is run by others than the calls that are seen.
    pub fn is_root(&self, function: FunctionId) -> bool {
        self.main == Some(function)
            || self.constructors.contains(&function)
            || self.called_from_outside.contains(function)
    }
}

#[cfg(test)]
mod tests {
    use opcost_ir::parse_module;

    use super::*;

    const PROGRAM: &str = "
declare @puts
define void @start() {
  ret void
}
define internal void @hidden() {
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
  ret i32 0
}
define void @exported() {
  ret void
}
constructor 65535 @start
";

    fn called(text: &str, world: World) -> Vec<String> {
        let module = parse_module(text).expect("a module");
        let roots = Roots::of(&module, world);
        roots.called_from_outside.iter().map(|id| module.functions[id].name.clone()).collect()
    }

    #[test]
    fn the_open_world_calls_what_is_exported_the_closed_one_begins_at_main() {
        assert_eq!(called(PROGRAM, World::Open), ["start", "exported"]);
        assert_eq!(called(PROGRAM, World::Closed), Vec::<String>::new());
        let module = parse_module(PROGRAM).expect("a module");
        let roots = Roots::of(&module, World::Closed);
        assert_eq!(roots.main.map(|id| &*module.functions[id].name), Some("main"));
        assert_eq!(roots.constructors.len(), 1);
        assert!(roots.is_root(roots.constructors[0]));
    }

    #[test]
    fn without_main_and_with_assembly_more_is_reached() {
        let library = PROGRAM.replace("@main", "@other");
        assert_eq!(called(&library, World::Closed), ["start", "other", "exported"]);
        let with_assembly = format!("assembly\n{PROGRAM}");
        assert_eq!(called(&with_assembly, World::Closed), ["start", "hidden", "exported"]);
    }
}
