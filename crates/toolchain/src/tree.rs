//! Which nodes of Clang's tree stand at a place, and at which token?
//!
//! Clang prints a function's tree as JSON (`-ast-dump=json`, filtered by name,
//! or a large file takes hundreds of megabytes). It gives no place for an
//! operator, which is where instructions say they come from: the token is looked
//! for in the source, between the ends of the operands. Lines are left out where
//! they repeat; offsets never are, so places are counted from these.
//!
//! Input: the JSON, the source's text. Output: nodes. Cost: linear in both.
//! Limit: what a macro wrote stands where the macro is used.

use serde_json::Value;

use opcost_answer::life::{Change, CodeLocation, Step, StepCertainty};

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AstNode {
    /// `BinaryOperator`
    pub(crate) kind: String,
    /// `int '/'`: its type and what else describes it.
    pub(crate) details: String,
    /// How deep below the function it is.
    pub(crate) depth: usize,
    /// Of its token, from 1.
    pub(crate) line: u32,
    /// From 1.
    pub(crate) column: u32,
    /// The token: an operator, or the first word.
    pub(crate) token: String,
}

/// The nodes of the function, by its linkage name, in the order of the tree.
///
/// # Errors
/// The text is not JSON; in the reader's words.
pub(crate) fn nodes(json: &str, source: &str, function: &str) -> Result<Vec<AstNode>, serde_json::Error> {
    let lines: Vec<usize> =
        std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut traversal = Traversal { source, lines, nodes: Vec::new() };
    for tree in serde_json::Deserializer::from_str(json).into_iter::<Value>() {
        traversal.search(&tree?, function);
    }
    Ok(traversal.nodes)
}

/// The nodes at the places of the chosen instructions, as steps. One that an instruction comes from
/// has its number. What is below it in the tree and in the same line is shown with it.
pub(crate) fn steps(nodes: &[AstNode], places: &[CodeLocation], function: &str) -> Vec<Step> {
    let own: Vec<&CodeLocation> = places.iter().filter(|place| place.function == function).collect();
    let is_at =
        |node: &AstNode| own.iter().any(|place| (place.line, place.column) == (node.line, node.column));
    let is_in_line = |node: &AstNode| own.iter().any(|place| place.line == node.line);
    let mut meant: Vec<&AstNode> = Vec::new();
    // How deep the node stands below which all is shown.
    let mut below: Option<usize> = None;
    for node in nodes {
        below = below.filter(|&depth| node.depth > depth);
        if below.is_none() && is_at(node) {
            below = Some(node.depth);
        }
        if below.is_some() && is_in_line(node) {
            meant.push(node);
        }
    }
    // Instructions that stand where no node does: then all of their lines.
    if meant.is_empty() {
        meant = nodes.iter().filter(|node| is_in_line(node)).collect();
    }
    let least = meant.iter().map(|node| node.depth).min().unwrap_or(0);
    let step = |node: &&AstNode| Step {
        pass: format!("{}:{} {}", node.line, node.column, node.token),
        function: function.to_owned(),
        key: own
            .iter()
            .find(|place| (place.line, place.column) == (node.line, node.column))
            .map_or(0, |place| place.key),
        change: Change::Is,
        opcode: node.kind.clone(),
        text: format!("{}{} {}", "  ".repeat(node.depth - least), node.kind, node.details)
            .trim_end()
            .to_owned(),
        because: None,
        certainty: StepCertainty::Exact,
    };
    meant.iter().map(step).collect()
}

struct Traversal<'a> {
    source: &'a str,
    /// Where each line starts.
    lines: Vec<usize>,
    nodes: Vec<AstNode>,
}

impl Traversal<'_> {
    /// Looks for the function, which may be in a class or namespace.
    fn search(&mut self, node: &Value, function: &str) {
        let is_it = node["mangledName"] == function && inner(node).any(|part| part["kind"] == "CompoundStmt");
        if is_it {
            inner(node).for_each(|part| self.node(part, 0));
        } else {
            inner(node).for_each(|part| self.search(part, function));
        }
    }

    fn node(&mut self, node: &Value, depth: usize) {
        if let (Some(kind), Some((offset, length))) = (node["kind"].as_str(), self.token(node)) {
            let row = self.lines.partition_point(|&start| start <= offset);
            let start = self.lines[row - 1];
            self.nodes.push(AstNode {
                kind: kind.to_owned(),
                details: details(node),
                depth,
                line: row as u32,
                column: (offset - start + 1) as u32,
                token: self.source.get(offset..offset + length).unwrap_or("").to_owned(),
            });
        }
        inner(node).for_each(|part| self.node(part, depth + 1));
    }

    /// Offset and length of the token that its instructions have as their place.
    fn token(&self, node: &Value) -> Option<(usize, usize)> {
        let own = |key: &str| location(&node["range"][key]);
        let parts: Vec<&Value> = inner(node).collect();
        match node["kind"].as_str()? {
            "BinaryOperator" | "CompoundAssignOperator" | "ConditionalOperator" => {
                let operator = node["opcode"].as_str().unwrap_or("?");
                let (left, length) = location(&parts.first()?["range"]["end"])?;
                let (right, _) = location(&parts.get(1)?["range"]["begin"])?;
                let between = self.source.get(left + length..right)?;
                Some((left + length + find_outside_comments(between, operator)?, operator.len()))
            }
            "UnaryOperator" if node["isPostfix"] == true => own("end"),
            "MemberExpr" => own("end"),
            "VarDecl" => location(&node["loc"]).or_else(|| own("begin")),
            _ => own("begin"),
        }
    }
}

fn inner(node: &Value) -> impl Iterator<Item = &Value> {
    node["inner"].as_array().into_iter().flatten()
}

/// Of a place in the main file; where a macro was used, if one was.
fn location(location: &Value) -> Option<(usize, usize)> {
    let location = location.get("expansionLoc").unwrap_or(location);
    // What comes from another file is not shown.
    if location.get("includedFrom").is_some() {
        return None;
    }
    let number = |key: &str| location[key].as_u64().map(|number| number as usize);
    Some((number("offset")?, number("tokLen")?))
}

fn details(node: &Value) -> String {
    let mut words = Vec::new();
    let name = node["name"].as_str().or_else(|| node["referencedDecl"]["name"].as_str());
    words.extend(node["type"]["qualType"].as_str().map(str::to_owned));
    words.extend(name.map(|name| format!("'{name}'")));
    words.extend(node["opcode"].as_str().map(|operator| format!("'{operator}'")));
    words.extend(node["castKind"].as_str().map(|kind| format!("<{kind}>")));
    words.extend(node["value"].as_str().map(str::to_owned));
    words.join(" ")
}

fn find_outside_comments(text: &str, wanted: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let comment = if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else if rest.starts_with("//") {
            rest.find('\n')
        } else {
            None
        };
        match comment {
            Some(length) => at += length,
            None if rest.starts_with(wanted) => return Some(at),
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "int f(int a, int b) {\n  return a /* over / */ / b;\n}\n";

    /// As clang prints it, lines left out where they repeat.
    const TREE: &str = r#"{"kind": "FunctionDecl", "mangledName": "f", "inner": [{"kind": "CompoundStmt",
      "range": {"begin": {"offset": 20, "tokLen": 1}, "end": {"offset": 51, "tokLen": 1}}, "inner": [
      {"kind": "BinaryOperator", "opcode": "/", "type": {"qualType": "int"},
       "range": {"begin": {"offset": 31, "tokLen": 1}, "end": {"offset": 48, "tokLen": 1}}, "inner": [
        {"kind": "DeclRefExpr", "referencedDecl": {"name": "a"}, "range": {"begin": {"offset": 31, "tokLen": 1},
          "end": {"offset": 31, "tokLen": 1}}},
        {"kind": "DeclRefExpr", "referencedDecl": {"name": "b"}, "range": {"begin": {"offset": 48, "tokLen": 1},
          "end": {"offset": 48, "tokLen": 1}}}]}]}]}"#;

    #[test]
    fn an_operator_stands_at_its_token() {
        let nodes = nodes(TREE, SOURCE, "f").expect("JSON");
        let division = nodes.iter().find(|node| node.kind == "BinaryOperator").expect("it is there");
        assert_eq!((division.line, division.column, &*division.token), (2, 25, "/"));
        assert_eq!(division.details, "int '/'");
        assert_eq!(nodes.len(), 4);
        let place = |column| CodeLocation { key: 3, function: "f".into(), line: 2, column };
        let kinds = |column| -> Vec<(u32, String)> {
            steps(&nodes, &[place(column)], "f").into_iter().map(|step| (step.key, step.text)).collect()
        };
        let below: Vec<(u32, String)> =
            [(3, "BinaryOperator int '/'"), (0, "  DeclRefExpr 'a'"), (0, "  DeclRefExpr 'b'")]
                .map(|(key, text)| (key, text.to_owned()))
                .to_vec();
        assert_eq!(kinds(25), below);
        assert_eq!(kinds(27), [(3, "DeclRefExpr 'b'".to_owned())], "only what stands there");
    }
}
