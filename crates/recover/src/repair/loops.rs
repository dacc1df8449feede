//! What does a known trip count say of a loop?
//!
//! A loop whose trip count stands in the code takes its back edges so often for each time
//! it is entered, at a price: that may contradict what else is certain (code that two loops
//! became).
//!
//! It may also be left early, where a call in it need not return (`exit`, `longjmp`, a process
//! that was ended): each frame that is left so cuts off one trip's iterations at most. Whether
//! that was so samples tell. In the first pass such a cut has a small price ([`A_CUT`]), so that
//! few samples decide nothing; where it then took more than the share [`CUT`] of all
//! iterations, it is believed, and costs nothing from then on. Else the trip count holds.
//! A share and not any difference, since samples are wrong by a factor that is common to all.
//!
//! Output: rows of the problem. Cost: for each loop that of its body.

use opcost_flow::convex::{Cost, VariableId};
use opcost_index::IdMap;
use opcost_key::{EdgeKind, FunctionMap, KnownLoop, SegmentId};

use super::evidence::once_more;
use super::posed::{Posed, Tie};
use super::program::{Function, ProgramFunctionId};
use super::segment_edges::SegmentEdges;

impl Posed {
    /// That loops take their back edges as often as their code says.
    pub(super) fn tie_loops(&mut self, function: &Function<'_>, own: ProgramFunctionId, into: &SegmentEdges) {
        for known in &function.map.expected.loops {
            let turns = known.back_edge_count as f64;
            let header = known.back.first().and_then(|&edge| function.map.edges[edge].to);
            let turn = header.map(|header| function.observed[header]).unwrap_or_default();
            let price = TIED * once_more(&turn, self.options);
            let slacks = [(); 2].map(|()| self.problem.add_variable(Cost::Linear { price }));
            let of = |edges: &[_]| edges.iter().map(|&edge| self.edge(own, edge)).collect::<Vec<_>>();
            let (back, entering) = (of(&known.back), of(&known.entering));
            let mut row = vec![(slacks[0], -1.0), (slacks[1], 1.0)];
            row.extend(back.iter().map(|&edge| (edge, 1.0)));
            let cut = if known.back_edge_count > 0 { self.cut(function, own, known, into) } else { None };
            if known.back_edge_count > 0 {
                row.extend(entering.iter().map(|&edge| (edge, -turns)));
                row.extend(cut.map(|cut| (cut, turns)));
            }
            self.problem.add_row(0.0, row);
            self.ties.push(Tie { price, back, entering, trip_count: turns, cut });
        }
    }

    /// Trips that were cut off: at most as many as frames are left in the loop.
    fn cut(
        &mut self,
        function: &Function<'_>,
        own: ProgramFunctionId,
        known: &KnownLoop,
        into: &SegmentEdges,
    ) -> Option<VariableId> {
        let is_inside = body(function.map, known, into);
        let edges = function.map.edges.iter().filter(|(_, edge)| {
            matches!(edge.kind, EdgeKind::Left(_)) && edge.from.is_some_and(|from| is_inside[from])
        });
        let left: Vec<VariableId> = edges.map(|(id, _)| self.edge(own, id)).collect();
        if left.is_empty() {
            return None;
        }
        let [cut, rest] =
            [Cost::Linear { price: A_CUT }, Cost::Free].map(|cost| self.problem.add_variable(cost));
        let left = left.into_iter().map(|left| (left, -1.0));
        self.problem.add_row(0.0, left.chain([(cut, 1.0), (rest, 1.0)]));
        Some(cut)
    }

    /// Decides by the counts of the first pass which loops were left early.
    pub(super) fn judge_loops(&mut self, values: &IdMap<VariableId, f64>) {
        for tie in &self.ties {
            let Some(cut) = tie.cut else { continue };
            let is_left = tie.trip_count * values[cut] > CUT * tie.all_iterations(values);
            let price = if is_left { 0.0 } else { tie.price * tie.trip_count };
            self.problem.set_cost(cut, Cost::Linear { price });
        }
    }

    /// Loops that do not iterate as often as their code says, nor nearly so.
    pub(super) fn untied(&self) -> usize {
        let is_off = |tie: &&Tie| {
            let (found, wanted) = (tie.iterations(&self.values), tie.all_iterations(&self.values));
            (found - wanted).abs() >= (NEARLY * found).max(1.0)
        };
        self.ties.iter().filter(is_off).count()
    }
}

/// Which segments the loop has: those that lead to its back edges without its header.
fn body(map: &FunctionMap, known: &KnownLoop, into: &SegmentEdges) -> IdMap<SegmentId, bool> {
    let mut is_inside = IdMap::filled(map.segments.len(), false);
    let mut found: Vec<SegmentId> = Vec::new();
    for &edge in &known.back {
        map.edges[edge].to.iter().for_each(|&header| is_inside[header] = true);
    }
    let latches = known.back.iter().filter_map(|&edge| map.edges[edge].from);
    found.extend(latches.filter(|&latch| !std::mem::replace(&mut is_inside[latch], true)));
    while let Some(segment) = found.pop() {
        let before = into.of(segment).iter().filter_map(|&edge| map.edges[edge].from);
        found.extend(before.filter(|&before| !std::mem::replace(&mut is_inside[before], true)));
    }
    is_inside
}

/// What an iteration too many or too few costs, as a multiple of what it costs to be seen once more
/// than it ran. The code is proven and samples are not. Fit to `corpus/kernel`, whose outer loops
/// are too short to be seen: blocks in function agree to 75 % there. At half a price of a usual
/// segment for each *entry* (66 %) it was cheaper to break each of nine loops. The alternative was
/// to run code once that nobody saw. At ten units one stray sample outvoted a proven trip count.
/// From 100 to 1,000 nothing of 13 other programs changes (in function by 0.14 at most).
const TIED: f64 = 1000.0;

/// What it costs in the first pass that a trip was cut off, in units of deviance.
const A_CUT: f64 = 10.0;

/// A loop was left early where more than this share of its iterations is missing.
const CUT: f64 = 0.4;

/// A loop iterates as its code says if it does up to this share of its iterations.
const NEARLY: f64 = 0.05;
