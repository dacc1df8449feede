//! What does a checker know?
//!
//! A module, what is claimed of it, and what was found of both before the first
//! question. It is made by `check`; each other file asks something of it.

use std::collections::HashMap;

use opcost_index::IdMap;
use opcost_ir::{GlobalId, Layout, Module, Value};
use opcost_key::FunctionId;

use crate::claims::Certificate;
use crate::names::ValueName;
use crate::origins::{AllOrigins, ObjectId};
use crate::outside_facts::OutsideFacts;
use crate::shape::Shape;
use crate::solver::{SatSolver, SolverError};
use crate::undefined::Undefined;
use crate::verdict::ClaimId;

/// A module and what is claimed of it.
pub struct Checker<'c> {
    pub(crate) module: &'c Module,
    pub(crate) layout: &'c Layout,
    pub(crate) origins: AllOrigins<'c>,
    pub(crate) shapes: IdMap<FunctionId, Shape>,
    /// What is claimed; may be made weaker between questions.
    pub certificate: Certificate,
    /// How long a question may take, as a factor. Who makes a certificate is less patient than who
    /// checks it, so that what was shown once is shown again.
    pub patience: u32,
    pub(crate) undefined: Undefined,
    pub(crate) outside_facts: OutsideFacts,
    /// Steps of the solver that questions without an answer may still take.
    pub(crate) left: std::cell::Cell<u64>,
    /// Claims of contents by object.
    pub(crate) by_object: HashMap<ObjectId, Vec<usize>>,
    /// Functions by place in the certificate.
    pub(crate) functions: Vec<FunctionId>,
    pub(crate) places: HashMap<FunctionId, usize>,
    pub(crate) by_value: HashMap<(usize, ValueName), Vec<ClaimId>>,
    pub(crate) data_names: HashMap<GlobalId, Value>,
    pub(crate) solver: std::cell::RefCell<SatSolver>,
    pub(crate) failure: std::cell::RefCell<Option<SolverError>>,
}
