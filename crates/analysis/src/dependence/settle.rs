//! What follows from an answer? Is it closed, how sure is it, which number is it.
//!
//! One pass over the nodes, each after those that it links to. A cell of memory of which all
//! writers are known, and of which one is an input, is an input with a name of its own; what it may
//! hold is reported once. Cost: linear in the answer.

use opcost_index::IdMap;
use opcost_ir::Layout;

use super::evaluate::{Number, library, operate};
use super::explanation::{
    Argument, Explanation, ExplanationId, Link, LinkCertainty, OutsideInput, What, order,
};
use super::names::Names;
use super::resolution::{Facts, Parts, Resolution};

/// The most alternatives that are listed as numbers.
const MOST_NUMBERS: usize = 64;

impl<'r, 'a> Resolution<'r, 'a> {
    pub(super) fn new(
        Parts { nodes, assumptions, opens }: Parts,
        names: &'r Names<'a>,
        layout: &'r Layout,
    ) -> Self {
        let count = nodes.len();
        let facts = Facts {
            closed: IdMap::filled(count, false),
            certain: IdMap::filled(count, false),
            numbers: IdMap::filled(count, None),
            exact: IdMap::filled(count, None),
            named: IdMap::filled(count, false),
            order: order(&nodes),
        };
        let mut resolution = Resolution { nodes, assumptions, opens, names, layout, facts };
        for id in resolution.facts.order.clone() {
            resolution.settle(id);
        }
        resolution
    }

    fn settle(&mut self, id: ExplanationId) {
        let node = &self.nodes[id];
        let links = &node.links;
        let all_closed = links.iter().all(|link| self.facts.closed[link.to]);
        let closed = match &node.what {
            What::Unknown(_) | What::Text(_) => false,
            What::Foreign => self.program_argument(id).is_some() || self.is_by_reference(id),
            What::Input(_) | What::Again(_) | What::Undefined => true,
            What::Loaded(_) => all_closed && !links.is_empty(),
            What::Operation if self.is_read(node) => false,
            _ if node.is_one_of_its_links() => all_closed && !links.is_empty(),
            _ => all_closed,
        };
        let is_input = |link: &Link| {
            let end = self.only_end(link.to);
            matches!(self.nodes[end].what, What::Input(OutsideInput::Read { .. }))
        };
        let named = closed
            && matches!(node.what, What::Cell(_))
            && links.iter().any(is_input)
            && (links.len() > 1 || links.iter().any(|link| link.certainty == LinkCertainty::Possible));
        let certain = match &node.what {
            _ if named => true,
            What::Loaded(_) | What::Unknown(_) => false,
            _ => links
                .iter()
                .all(|link| link.certainty != LinkCertainty::Possible && self.facts.certain[link.to]),
        };
        let numbers = self.numbers_of(id);
        let exact = numbers.as_ref().filter(|list| certain && list.len() == 1).map(|list| list[0]);
        self.facts.closed[id] = closed;
        self.facts.named[id] = named;
        self.facts.certain[id] = certain;
        self.facts.numbers[id] = numbers;
        self.facts.exact[id] = exact;
    }

    /// All numbers that a node may be, if it can be nothing else.
    fn numbers_of(&self, id: ExplanationId) -> Option<Vec<Number>> {
        let node = &self.nodes[id];
        match &node.what {
            What::Integer { value, bits } => Number::of(*value, *bits).map(|number| vec![number]),
            What::Operation => self.operated(node),
            What::Library(name) => self.combined(&node.links, |numbers| library(name, numbers)),
            What::Element(_) => self.looked_up(node),
            _ if node.is_one_of_its_links() && !node.links.is_empty() => {
                let mut all: Vec<Number> = Vec::new();
                for link in &node.links {
                    all.extend(self.facts.numbers[link.to].as_ref()?);
                }
                all.sort();
                all.dedup();
                (all.len() <= MOST_NUMBERS).then_some(all)
            }
            _ => None,
        }
    }

    fn operated(&self, node: &Explanation) -> Option<Vec<Number>> {
        let (function, at) = node.at?;
        let module = self.names.module;
        let instruction = &module.functions[function].instructions[at];
        self.combined(&node.links, |numbers| operate(module, instruction, numbers))
    }

    /// What a function makes of the links; at most one of them may have
    /// alternatives, or those that do are the same one.
    fn combined(&self, links: &[Link], made: impl Fn(&[Number]) -> Option<Number>) -> Option<Vec<Number>> {
        let lists: Option<Vec<&Vec<Number>>> =
            links.iter().map(|link| self.facts.numbers[link.to].as_ref()).collect();
        let lists = lists?;
        let mut several =
            links.iter().zip(&lists).filter(|(_, list)| list.len() > 1).map(|(link, _)| link.to);
        let varied = several.next();
        if lists.is_empty() || several.any(|other| Some(other) != varied) {
            return None;
        }
        let count = lists.iter().map(|list| list.len()).max()?;
        let mut all = Vec::new();
        for choice in 0..count {
            let numbers: Vec<Number> = lists.iter().map(|list| list[choice.min(list.len() - 1)]).collect();
            all.push(made(&numbers)?);
        }
        all.sort();
        all.dedup();
        Some(all)
    }

    /// An element of data that nothing writes.
    fn looked_up(&self, node: &Explanation) -> Option<Vec<Number>> {
        use opcost_ir::{ConstantValue, ScalarValue};
        let What::Element(elements) = node.what else { return None };
        let super::memory::Object::Global(global) = elements.object else { return None };
        let [index] = node.links.as_slice() else { return None };
        let bits = self.names.bits(node.ty?)?;
        let contents = self.names.module.globals[global].contents.as_ref().filter(|all| all.is_complete)?;
        if !matches!(index.argument, Argument::Index(_)) {
            return None;
        }
        let found = self.facts.numbers[index.to].as_ref()?.iter().map(|number| {
            let way = number.signed().checked_mul(i128::from(elements.stride))?;
            let offset = u64::try_from(way.checked_add(i128::from(elements.offset))?).ok()?;
            match contents.at(offset) {
                None => Number::of(0, bits),
                Some((ty, ScalarValue::Constant(ConstantValue::Integer(value)))) => {
                    (self.names.bits(ty) == Some(bits)).then_some(())?;
                    Number::of(value, bits)
                }
                Some(_) => None,
            }
        });
        let mut all: Vec<Number> = found.collect::<Option<_>>()?;
        all.sort();
        all.dedup();
        Some(all)
    }
}
