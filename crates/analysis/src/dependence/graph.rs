//! The answer as a plain graph, for anyone who draws it: labels with a kind, and edges with the
//! argument that they are and how sure they are.

use opcost_index::Id;

use super::explanation::{Argument, Explanation, ExplanationId, Link, LinkCertainty, What};
use super::resolution::{Express, Resolution};

/// What a node is, for its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Something is computed.
    Operation,
    /// A constant.
    Constant,
    /// A named input.
    Input,
    /// One of what it leads to.
    Alternatives,
    /// A node that was there before.
    Again,
    /// Not known.
    Unknown,
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// What is written in it.
    pub label: String,
    /// What it is.
    pub kind: NodeKind,
}

/// An edge of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// Position of the node that depends.
    pub from: usize,
    /// Position of what it depends on.
    pub to: usize,
    /// As what.
    pub argument: String,
    /// How sure.
    pub certainty: LinkCertainty,
}

impl Resolution<'_, '_> {
    /// Nodes, the first of which is what was asked, and edges between them.
    pub fn graph(&self) -> (Vec<DrawnNode>, Vec<DrawnEdge>) {
        let reached = self.reached(false);
        let mut positions = vec![usize::MAX; self.nodes.len()];
        for (position, id) in reached.iter().enumerate() {
            positions[id.index()] = position;
        }
        let nodes = reached.iter().map(|&id| self.drawn(id)).collect();
        let mut edges = Vec::new();
        for (from, &id) in reached.iter().enumerate() {
            for link in &self.nodes[id].links {
                edges.push(DrawnEdge {
                    from,
                    to: positions[link.to.index()],
                    argument: self.argument(&self.nodes[id], link),
                    certainty: link.certainty,
                });
            }
        }
        (nodes, edges)
    }

    fn drawn(&self, id: ExplanationId) -> DrawnNode {
        let node = &self.nodes[id];
        let kind = match &node.what {
            _ if self.facts.named[id] => NodeKind::Input,
            What::Integer { .. } | What::Float(_) | What::Null | What::Text(_) => NodeKind::Constant,
            What::Address(..) | What::Code(_) | What::Undefined => NodeKind::Constant,
            What::Input(_) => NodeKind::Input,
            What::Foreign if self.facts.closed[id] => NodeKind::Input,
            What::Foreign | What::Unknown(_) => NodeKind::Unknown,
            What::Again(_) => NodeKind::Again,
            _ if node.is_one_of_its_links() && node.links.len() > 1 => NodeKind::Alternatives,
            _ => NodeKind::Operation,
        };
        DrawnNode { label: self.label(id, node), kind }
    }

    fn label(&self, id: ExplanationId, node: &Explanation) -> String {
        match &node.what {
            What::Operation => {
                let Some((function, at)) = node.at else { return "operation".to_owned() };
                let code = &self.names.module.functions[function];
                let opcode = code.instructions[at].opcode;
                match code.source_names.get(&opcost_ir::Value::Instruction(at)) {
                    Some(name) => format!("{name} = {opcode}"),
                    None => opcode.to_string(),
                }
            }
            What::Library(name) => name.to_string(),
            What::Choice => match node.at {
                Some((function, at)) => self.names.value(function, opcost_ir::Value::Instruction(at)),
                None => "one of".to_owned(),
            },
            What::Parameter(function, position) => {
                let name = self.names.value(*function, opcost_ir::Value::Argument(*position));
                format!("{name} of {}", self.names.function(*function))
            }
            What::Returned(function) => format!("{}()", self.names.function(*function)),
            What::Cell(cell) => self.names.cell(*cell),
            What::Element(elements) => format!("{}[]", self.names.array(elements)),
            What::Loaded(rule) => format!("load ({})", rule.name()),
            What::Again(target) => format!("Δ {}", self.label_once(*target)),
            What::Unknown(reason) => self.names.reason(*reason),
            _ => self.expression_at(id),
        }
    }

    fn label_once(&self, id: ExplanationId) -> String {
        match self.nodes[id].what {
            What::Again(_) => String::new(),
            _ => self.label(id, &self.nodes[id]),
        }
    }

    /// What an edge is called.
    fn argument(&self, node: &Explanation, link: &Link) -> String {
        let opcode = node
            .at
            .filter(|_| node.what == What::Operation)
            .map(|(function, at)| self.names.module.functions[function].instructions[at].opcode);
        match link.argument {
            Argument::Operand(position) => operand_name(opcode, position),
            Argument::Argument(position) => format!("argument {}", position + 1),
            Argument::From(block) => match node.at {
                Some((function, _)) => {
                    format!("from {}", self.names.value(function, opcost_ir::Value::Block(block)))
                }
                None => "from a block".to_owned(),
            },
            Argument::Passed(function, at) => {
                format!("called by {} at {}", self.names.function(function), self.names.place(function, at))
            }
            Argument::Returned(function, at) => format!("returned at {}", self.names.place(function, at)),
            Argument::Written(function, at) => {
                format!("written by {} at {}", self.names.function(function), self.names.place(function, at))
            }
            Argument::Initial => "at the start".to_owned(),
            Argument::Index(position) => format!("index {}", position + 1),
            Argument::Address => "address".to_owned(),
            Argument::Content => "content".to_owned(),
            Argument::Source => "read from".to_owned(),
            Argument::StoredAt(function, at) => format!("index at {}", self.names.place(function, at)),
        }
    }
}

/// The name of an operand of an instruction.
fn operand_name(opcode: Option<opcost_ir::Opcode>, position: u32) -> String {
    use opcost_ir::Opcode;
    let names: &[&str] = match opcode {
        Some(Opcode::Select) => &["condition", "then", "else"],
        Some(Opcode::Load) => &["address"],
        Some(Opcode::GetElementPtr) => &["base"],
        Some(Opcode::ICmp | Opcode::FCmp) => &["left", "right"],
        Some(opcode) if opcode >= Opcode::Add && opcode <= Opcode::Xor => &["left", "right"],
        _ => &[],
    };
    match (names.get(position as usize), opcode) {
        (Some(name), _) => (*name).to_owned(),
        (None, Some(Opcode::GetElementPtr)) => format!("index {position}"),
        (None, _) if position == 0 => "operand".to_owned(),
        (None, _) => format!("operand {}", position + 1),
    }
}
