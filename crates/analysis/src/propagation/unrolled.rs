//! What does a loop of few iterations make of its values, one iteration after the other?
//!
//! Of what merges at the head of a loop and has no closed form, such as a remainder that is folded
//! bit by bit or a sum with weights from a table, the steps of an iteration are done as often as
//! the loop goes back at most: each iteration has variables of its own, computed from those of the
//! iteration before. Each value is that of one of them (Antoniadis, 2011, figure 4.12).
//!
//! **Which steps.** Only variables that speak of values of the same iteration are copied: results
//! computed in the loop, what branches say of them, what was stored there and is read again.
//! Whatever holds over many iterations (what merges at other heads, contents of objects, sums of
//! changes, what functions return) stays what it is.
//!
//! Input: the definitions of a function. Output: one more bound of each phi and step, and at -O0 of
//! each version of memory, at such a head. Cost: at most [`MOST_TURNS`] iterations of at most
//! [`MOST_STEPS`] steps, and for a function [`COPIES`] variables for each of its instructions.

use opcost_index::Id;
use opcost_ir::Opcode;
use opcost_key::InstructionId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::variables::{Definition, Variable, VariableId, Variables};
use super::walker::Walker;
use crate::cells::{CellDefinition, Cells};
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_key::BlockId;

/// Iterations that are done one by one.
const MOST_TURNS: u128 = 64;
/// Steps of one iteration.
const MOST_STEPS: usize = 256;
/// Variables for each instruction of a function.
const COPIES: usize = 4;
/// Variables that a small function may have besides.
const SOME_COPIES: usize = 1024;

/// What merges at the head of a loop.
struct Head {
    variable: VariableId,
    /// What comes from outside.
    starts: Vec<VariableId>,
    /// What comes back.
    backs: Vec<VariableId>,
    /// It has no closed form.
    has_no_closed_form: bool,
}

impl Walker<'_, '_> {
    /// Says of what merges at heads of loops what each iteration makes of it, but for phis that a
    /// closed form describes.
    pub(super) fn unroll(
        &mut self,
        forest: &LoopForest<BlockId>,
        most_turns: &FxHashMap<LoopId, u128>,
        told: &FxHashSet<InstructionId>,
    ) {
        let mut left = SOME_COPIES + COPIES * self.function.instructions.len();
        for id in forest.loops.ids() {
            let Some(&turns) = most_turns.get(&id).filter(|&&turns| turns <= MOST_TURNS) else { continue };
            let heads = self.heads(forest, id, told);
            if !heads.iter().any(|head| head.has_no_closed_form) {
                continue;
            }
            let joins = self.joins_of_a_turn(forest, id);
            let Some(turn) = Turn::of(&self.all.variables, &heads, &joins) else { continue };
            let copies = (turns as usize + 1) * (turn.order.len() + heads.len());
            if copies <= left {
                left -= copies;
                turn.repeat(&mut self.all.variables, &heads, turns as usize);
            }
        }
    }

    /// What merges at the head of a loop: phis, and versions of memory that are read.
    fn heads(&self, forest: &LoopForest<BlockId>, id: LoopId, told: &FxHashSet<InstructionId>) -> Vec<Head> {
        let header = forest.loops[id].header;
        let head_of = |variable, arms: &[(BlockId, VariableId)], is_wanted| {
            let side = |is_back| {
                let arms = arms.iter().filter(move |(from, _)| forest.contains(id, *from) == is_back);
                arms.map(|&(_, source)| source).collect()
            };
            Head { variable, starts: side(false), backs: side(true), has_no_closed_form: is_wanted }
        };
        let mut heads = Vec::new();
        for at in self.function.instructions_of(header) {
            if self.function.instructions[at].opcode != Opcode::Phi {
                break;
            }
            if let (Some(variable), Some(arms)) =
                (self.all.values[self.id].results[at.index()], self.arms.get(&at))
            {
                heads.push(head_of(variable, arms, !told.contains(&at)));
            }
        }
        let mut versions: Vec<_> = self.merged_versions(header).collect();
        versions.sort_unstable_by_key(|&(variable, _)| variable);
        heads.extend(versions.into_iter().map(|(variable, arms)| head_of(variable, &arms, true)));
        heads
    }

    /// `Join`s that are made of values of the same iteration.
    fn joins_of_a_turn(&self, forest: &LoopForest<BlockId>, id: LoopId) -> FxHashSet<VariableId> {
        let results = &self.all.values[self.id].results;
        let is_inside = |at: InstructionId| forest.contains(id, self.blocks[at]);
        let mut joins = FxHashSet::default();
        for &block in &forest.loops[id].members {
            let is_head = forest.loop_with_header(block).is_some();
            for at in self.function.instructions_of(block) {
                let is_of_the_turn = match self.function.instructions[at].opcode {
                    Opcode::Phi => !is_head,
                    Opcode::Select | Opcode::GetElementPtr | Opcode::Freeze => true,
                    _ => self.is_cast(at),
                };
                joins.extend(results[at.index()].filter(|_| is_of_the_turn));
            }
            if !is_head {
                joins.extend(self.merged_versions(block).map(|(variable, _)| variable));
            }
        }
        joins.extend(
            self.stored_versions().filter(|&(store, _)| is_inside(store)).map(|(_, variable)| variable),
        );
        joins
    }

    /// Versions of memory that meet at a block, as far as they are read, with
    /// what they are from each side.
    fn merged_versions(
        &self,
        block: BlockId,
    ) -> impl Iterator<Item = (VariableId, Vec<(BlockId, VariableId)>)> + '_ {
        self.reads.variables().filter_map(move |(version, variable)| match self.cells?.definition(version) {
            CellDefinition::Merge { block: at, incoming } if at == block => {
                let arms = incoming.iter().filter(|(from, _)| self.dominators.is_reachable(*from));
                let arms = arms.map(|&(from, version)| Some((from, self.reads.variable(version)?)));
                Some((variable, arms.collect::<Option<Vec<_>>>()?))
            }
            _ => None,
        })
    }

    fn stored_versions(&self) -> impl Iterator<Item = (InstructionId, VariableId)> + '_ {
        self.reads.variables().filter_map(|(version, variable)| match self.cells?.definition(version) {
            CellDefinition::Stored { store, .. } => Some((store, variable)),
            _ => None,
        })
    }
}

/// The steps of one iteration.
struct Turn {
    /// Sources first.
    order: Vec<VariableId>,
}

/// The same, while they are looked for.
struct Search<'s> {
    variables: &'s Variables,
    heads: FxHashSet<VariableId>,
    joins: &'s FxHashSet<VariableId>,
    /// Whether a variable is computed from the heads; unknown while it is looked at.
    is_inside: FxHashMap<VariableId, Option<bool>>,
    order: Vec<VariableId>,
}

impl Turn {
    /// None if there are too many, or they go round within the iteration.
    fn of(variables: &Variables, heads: &[Head], joins: &FxHashSet<VariableId>) -> Option<Turn> {
        let mut search = Search {
            variables,
            heads: heads.iter().map(|head| head.variable).collect(),
            joins,
            is_inside: FxHashMap::default(),
            order: Vec::new(),
        };
        for &back in heads.iter().flat_map(|head| &head.backs) {
            search.visit(back)?;
        }
        Some(Turn { order: search.order })
    }

    /// Adds the iterations, and says of heads and steps that each is in one of them.
    fn repeat(&self, variables: &mut Variables, heads: &[Head], turns: usize) {
        let mut now: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        for head in heads {
            let kind = variables.get(head.variable).kind;
            let start = variables.add(kind, Definition::Join(head.starts[..].into()));
            now.insert(head.variable, start);
        }
        let mut of_heads: Vec<Vec<VariableId>> = heads.iter().map(|head| vec![now[&head.variable]]).collect();
        let mut of_steps: Vec<Vec<VariableId>> = vec![Vec::new(); self.order.len()];
        for turn in 0..=turns {
            for (&step, all) in self.order.iter().zip(&mut of_steps) {
                let Variable { kind, definition } = variables.get(step);
                let definition = definition.from_others(|source| *now.get(&source).unwrap_or(&source));
                let copy = variables.add(*kind, definition);
                now.insert(step, copy);
                all.push(copy);
            }
            if turn == turns {
                break;
            }
            let of_now = |source: &VariableId| *now.get(source).unwrap_or(source);
            let mut next = Vec::with_capacity(heads.len());
            for (head, all) in heads.iter().zip(&mut of_heads) {
                let kind = variables.get(head.variable).kind;
                let back = variables.add(kind, Definition::Join(head.backs.iter().map(of_now).collect()));
                all.push(back);
                next.push((head.variable, back));
            }
            now.extend(next);
        }
        let of_heads = heads.iter().zip(of_heads).filter(|(head, _)| head.has_no_closed_form);
        let of_heads = of_heads.map(|(head, all)| (head.variable, all));
        for (variable, all) in of_heads.chain(self.order.iter().copied().zip(of_steps)) {
            let kind = variables.get(variable).kind;
            let each = variables.add(kind, Definition::Join(all.into()));
            variables.also(variable, &[each]);
        }
    }
}

impl Search<'_> {
    /// Whether a variable is computed from the heads in the same iteration.
    fn visit(&mut self, variable: VariableId) -> Option<bool> {
        if self.heads.contains(&variable) {
            return Some(true);
        }
        if let Some(&known) = self.is_inside.get(&variable) {
            return known;
        }
        if !self.is_of_the_turn(variable) {
            return Some(false);
        }
        if self.is_inside.len() >= MOST_STEPS {
            return None;
        }
        self.is_inside.insert(variable, None);
        let mut sources = Vec::new();
        self.variables.get(variable).definition.each_source(|source| sources.push(source));
        let mut is_inside = false;
        for source in sources {
            is_inside |= self.visit(source)?;
        }
        self.is_inside.insert(variable, Some(is_inside));
        if is_inside {
            self.order.push(variable);
        }
        Some(is_inside)
    }

    /// Whether it is one step from values of the same iteration.
    fn is_of_the_turn(&self, variable: VariableId) -> bool {
        use Definition::*;
        match &self.variables.get(variable).definition {
            Step(..) | FloatStep(..) | FloatCompare(..) | ToFloat(..) | ToInteger(..) | ToFormat(_) => true,
            Refined { .. } | Except(..) | Unmasked { .. } | Unshifted { .. } | Meet(_) | Table(..) => true,
            Join(_) => self.joins.contains(&variable),
            Full(_) | Constant(_) | Times { .. } | Polynomial { .. } | Trips { .. } => false,
        }
    }
}
