//! Which variable is computed from which? A graph, packed.
//!
//! From each variable to the sources of its definition, or turned round to what
//! is computed from it. Input: the variables. Cost: linear, two arrays.

use opcost_index::{Graph, Id};

use super::variables::{VariableId, Variables};

/// Which variable needs which, packed.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    starts: Vec<u32>,
    targets: Vec<VariableId>,
}

impl Edges {
    /// From each variable to its sources.
    pub(super) fn to_sources(variables: &Variables) -> Edges {
        let mut edges = Edges { starts: vec![0], targets: Vec::new() };
        for (_, variable) in variables.iter() {
            variable.definition.each_source(|source| edges.targets.push(source));
            edges.starts.push(edges.targets.len() as u32);
        }
        edges
    }

    /// The same, turned round.
    pub(super) fn turned(&self) -> Edges {
        let mut starts = vec![0u32; self.starts.len() + 1];
        self.targets.iter().for_each(|target| starts[target.index() + 2] += 1);
        (2..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut targets = vec![VariableId::new(0); self.targets.len()];
        for from in 0..self.node_count() {
            for target in self.successors(VariableId::new(from)) {
                let place = &mut starts[target.index() + 1];
                targets[*place as usize] = VariableId::new(from);
                *place += 1;
            }
        }
        starts.pop();
        Edges { starts, targets }
    }
}

impl Graph for Edges {
    type Node = VariableId;
    fn node_count(&self) -> usize {
        self.starts.len() - 1
    }
    fn successors(&self, node: VariableId) -> impl Iterator<Item = VariableId> + '_ {
        let range = self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize;
        self.targets[range].iter().copied()
    }
}
