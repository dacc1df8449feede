//! What do callers promise of parameters, and do those that are seen keep it?
//!
//! A contract is a range of a port: a parameter of a function, believed at each call, also at calls
//! by others, of which nothing is known without it. It joins what is known of the parameter;
//! callers are not narrowed by it, so what they really give is kept next to it: what a contract
//! forbids and a call gives anyway is reported by [`Handed`], and it is for the user to say who is
//! wrong. Cost: one variable for each contract and one entry for each call under it.

use opcost_key::FunctionId;

use super::collect::Collector;
use super::contract::{Contract, Handed};
use super::facts::EdgeFact;
use super::variables::{Definition, VariableId};
use crate::memory::calls::CallSite;

impl Collector<'_> {
    /// Notes what a call gives to a parameter under a contract.
    pub(super) fn note_handed(
        &mut self,
        callee: FunctionId,
        position: usize,
        site: CallSite,
        variable: VariableId,
    ) {
        let CallSite { function: caller, call: at } = site;
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
            self.facts.insert(EdgeFact::Contract(contract.function, contract.position));
        }
    }
}
