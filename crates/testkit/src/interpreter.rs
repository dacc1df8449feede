//! What is computed once for a module, so that many runs of it are cheap?
//!
//! Sizes, kinds of types, constants, memory at the start, and what shall be
//! noted of a run. Input: a module that passed `verify`. Output: an
//! [`Interpreter`]; how it runs a function is the question of `running`.
//! Cost: linear in types, constants and data.

use opcost_index::IdMap;
use opcost_ir::{ConstantId, Layout, Module, TypeId, Value};
use opcost_key::FunctionId;

use crate::kinds::{self, Types, ValueKind};
use crate::memory::Memory;
use crate::outcome::LoopShape;
use crate::record::Shapes;
use crate::scalar::Scalar;

/// Instructions that a run executes unless another number is given.
const STEPS: u64 = 1 << 20;

/// A module that is ready to be run.
pub struct Interpreter<'m> {
    pub(crate) module: &'m Module,
    pub(crate) layout: Layout,
    pub(crate) kinds: IdMap<TypeId, ValueKind>,
    pub(crate) constants: IdMap<ConstantId, Option<Scalar>>,
    pub(crate) shapes: Shapes,
    pub(crate) most_steps: u64,
    pub(crate) sees_loads: bool,
    pub(crate) sees_values: bool,
    pub(crate) rewriting: Option<Box<Rewriting<'m>>>,
    memory: Memory,
}

/// What a result or parameter is taken for, instead of what it is.
pub type Rewriting<'a> = dyn Fn(FunctionId, Value, Scalar) -> Scalar + 'a;

impl<'m> Interpreter<'m> {
    /// Makes a module ready. Cost: linear in types, constants and data.
    pub fn new(module: &'m Module) -> Self {
        let layout = Layout::of(module);
        let kinds = kinds::kinds(module, &layout);
        let constants = module.constants.values().map(|constant| kinds::constant(&kinds, constant));
        let constants = IdMap::from_vec(constants.collect());
        let memory = kinds::memory(module, &layout, &kinds);
        let shapes = Shapes::new(module, Vec::new());
        let (sees_loads, sees_values) = (false, false);
        Self {
            module,
            layout,
            kinds,
            constants,
            shapes,
            most_steps: STEPS,
            sees_loads,
            sees_values,
            rewriting: None,
            memory,
        }
    }

    /// Looks at these loops.
    #[must_use]
    pub fn with_loops(mut self, shapes: Vec<LoopShape>) -> Self {
        self.shapes = Shapes::new(self.module, shapes);
        self
    }

    /// Executes so many instructions at most.
    #[must_use]
    pub fn with_step_limit(mut self, steps: u64) -> Self {
        self.most_steps = steps;
        self
    }

    /// Notes every load, and who wrote what it reads.
    #[must_use]
    pub fn with_loads(mut self) -> Self {
        self.sees_loads = true;
        self
    }

    /// Notes which values results and parameters have.
    #[must_use]
    pub fn with_values(mut self) -> Self {
        self.sees_values = true;
        self
    }

    /// Takes every result and parameter for something else, as it is defined.
    #[must_use]
    pub fn with_rewriting(mut self, rewriting: impl Fn(FunctionId, Value, Scalar) -> Scalar + 'm) -> Self {
        self.rewriting = Some(Box::new(rewriting));
        self
    }

    /// Memory as the module finds it at its start, to be prepared for
    /// [`run_in`](Self::run_in).
    pub fn memory(&self) -> Memory {
        self.memory.clone()
    }

    pub(crate) fn types(&self) -> Types<'_> {
        Types { kinds: &self.kinds, layout: &self.layout }
    }
}
