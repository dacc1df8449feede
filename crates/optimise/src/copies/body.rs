//! What is a function to someone who copies parts of it?
//!
//! Nodes with successors in the order of the branch. Parallel edges are successors of their own. Of a copied
//! body each node knows the node that it is a copy of.

use opcost_index::{IdMap, define_id};

define_id!(
    /// A block of a function, or a copy of one.
    pub struct BodyNodeId, "node"
);

/// A function's flow graph; the entry is node 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Its blocks.
    pub nodes: IdMap<BodyNodeId, BodyNode>,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyNode {
    /// Instructions.
    pub size: u32,
    /// Whether it may be there twice.
    pub can_copy: bool,
    /// Whether its branches can lead to a copy in place of a block.
    pub can_lead_elsewhere: bool,
    /// Where its branches lead, by position in the branch.
    pub successors: Vec<BodyNodeId>,
}

/// A function's flow graph with copies. The nodes of the body come first, with their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedBody {
    /// Nodes of the body, then copies.
    pub nodes: IdMap<BodyNodeId, CopiedNode>,
    /// Copies in the order in which they are made.
    pub copies: Vec<NodeCopy>,
}

/// A node of a copied body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedNode {
    /// The node of the body that it is, or is a copy of.
    pub of: BodyNodeId,
    /// Where its branches lead.
    pub successors: Vec<BodyNodeId>,
}

/// A copy for one way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeCopy {
    /// The node that is copied.
    pub of: BodyNodeId,
    /// The node whose branches lead to the copy, all that led to the node.
    pub from: BodyNodeId,
    /// The copy.
    pub copy: BodyNodeId,
}

impl CopiedBody {
    /// A body without copies.
    pub fn new(body: &Body) -> CopiedBody {
        let node =
            |(of, node): (BodyNodeId, &BodyNode)| CopiedNode { of, successors: node.successors.clone() };
        CopiedBody { nodes: body.nodes.iter().map(node).collect(), copies: Vec::new() }
    }

    /// Gives `from` a copy of `of`, to which all its branches lead that led to `of`.
    pub(crate) fn copy(&mut self, of: BodyNodeId, from: BodyNodeId) {
        let copy = self.nodes.push(self.nodes[of].clone());
        for successor in self.nodes[from].successors.iter_mut().filter(|successor| **successor == of) {
            *successor = copy;
        }
        self.copies.push(NodeCopy { of, from, copy });
    }
}
