//! What do callers promise of parameters, and do those that are seen keep it?
//!
//! A contract is a range of a port: a parameter of a function, believed at each
//! call, also at calls by others, of which nothing is known without it. It joins
//! what is known of the parameter; callers are not narrowed by it, so what they
//! really give stands beside it: what a contract forbids and a call gives anyway
//! is told by [`Handed`], and it is for the user to say who is wrong.
//! Cost: one variable for each contract and one entry for each call under it.

use opcost_index::Id;
use opcost_key::{FunctionId, InstructionId};

use super::collect::Collector;
use super::variables::{Definition, Range, VariableId};
use super::{Fact, Propagation};

/// What is promised of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Whose.
    pub function: FunctionId,
    /// Which, from 0.
    pub position: u32,
    /// What it is, of the parameter's type, at each call.
    pub range: Range,
}

/// What a call that is seen gives to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handed {
    /// The number of the contract.
    pub contract: usize,
    /// The function that calls,
    pub caller: FunctionId,
    /// and where.
    pub at: InstructionId,
    /// What it gives, as far as the code says.
    pub variable: VariableId,
}

impl Collector<'_> {
    /// Notes what a call gives to a parameter under a contract.
    pub(super) fn note_handed(
        &mut self,
        (callee, position): (FunctionId, usize),
        (caller, at): (FunctionId, InstructionId),
        variable: VariableId,
    ) {
        let of = |contract: &Contract| contract.function == callee && contract.position as usize == position;
        for contract in self.contracts.iter().enumerate().filter(|(_, one)| of(one)).map(|(number, _)| number)
        {
            self.handed.push(Handed { contract, caller, at, variable });
        }
    }

    /// Adds to parameters what is promised of them.
    pub(super) fn promise(&mut self) {
        for contract in self.contracts {
            let parameter = self.values[contract.function].arguments[contract.position as usize];
            let Some(parameter) = parameter else { continue };
            let kind = self.variables.get(parameter).kind;
            let bound = self.variables.add(kind, Definition::Constant(contract.range.clone()));
            self.variables.also(parameter, &[bound]);
            self.promised.push(bound);
            self.facts.insert(Fact::Contract(contract.function, contract.position));
        }
    }
}

impl Propagation {
    /// What callers promise.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// What calls that are seen give to ports under contract.
    pub fn handed(&self) -> &[Handed] {
        &self.handed
    }

    /// Whether it is what a contract says.
    pub fn is_promised(&self, variable: VariableId) -> bool {
        self.promised.binary_search_by_key(&variable.index(), |bound| bound.index()).is_ok()
    }
}
