//! Small graphs, worked by hand.

use opcost_flow::check_conservation;
use opcost_flow::classic::{Count, FlowOptions, LinearPrices, Prior, RepairError, TimeModel};
use opcost_index::{Id, IdMap};

use super::{Edge, KEEP, LEVIN, Node, OUT, Sampled, afters, befores, price};
use Prior::{Measured, Share};

/// A, then B (two times of three) or C, then D; B and C have too few samples.
/// Edges: enter, A-B, A-C, B-D, C-D, leave.
fn diamond() -> Sampled {
    let edges = [
        (OUT, 0, Share(1)),
        (0, 1, Share(2)),
        (0, 2, Share(1)),
        (1, 3, Share(1)),
        (2, 3, Share(1)),
        (3, OUT, Share(1)),
    ];
    Sampled::new(&[100, 60, 30, 100], &edges)
}

#[test]
fn edges_weigh_their_block_times_their_probability() {
    let repair = diamond().repair(&TimeModel::GccMcf);
    // 66.67 and 33.33 are rounded so that they sum to 100.
    assert_eq!(befores(&repair.edges), [100, 67, 33, 60, 30, 100]);
}

/// 7 come to B and 3 to C that its samples do not know, and D misses 10:
/// raise B, B-D by 7 and C, C-D by 3, which is 20 moves.
#[test]
fn missing_samples_are_filled_in() {
    let diamond = diamond();
    let repair = diamond.repair(&diamond.all_at(price(1, 1)));
    assert_eq!(afters(&repair.nodes), [100, 67, 33, 100]);
    assert_eq!(afters(&repair.edges), [100, 67, 33, 67, 33, 100]);
    assert_eq!((repair.cost, repair.is_optimal), (20, true));
    assert_eq!(repair.nodes[Node::new(1)].moved(), 7);
}

/// Now raising B and B-D costs 10 each. For a unit of B's 7: by B 20; by
/// lowering A-B, A and the entry, D and the exit 5; by lowering A-B and
/// raising A-C, C and C-D 4. C's 3 cost 2 as before: 28 + 6.
/// The maximum flow takes the way by B, which is shortest.
fn dear_b() -> TimeModel<Node, Edge> {
    let (cheap, dear) = (price(1, 1), price(10, 1));
    TimeModel::Linear(LinearPrices {
        nodes: IdMap::from_vec(vec![cheap, dear, cheap, cheap]),
        edges: IdMap::from_vec(vec![cheap, cheap, cheap, dear, cheap, cheap]),
        virtual_exit: cheap,
    })
}

#[test]
fn negative_cycles_lead_to_the_cheapest_flow() {
    let repair = diamond().repair(&dear_b());
    assert_eq!(afters(&repair.nodes), [100, 60, 40, 100]);
    assert_eq!(afters(&repair.edges), [100, 60, 40, 60, 40, 100]);
    assert_eq!((repair.cost, repair.is_optimal), (34, true));
    assert_eq!(repair.effort.augmentations, 2);
    assert!(repair.effort.cycles > 0);
}

#[test]
fn without_a_budget_for_cycles_the_flow_is_consistent_but_dear() {
    let diamond = diamond();
    let options = FlowOptions { budget: Some(0), ..KEEP };
    let repair = diamond.try_repair(&dear_b(), options).unwrap();
    assert_eq!(afters(&repair.nodes), [100, 67, 33, 100]);
    assert_eq!((repair.cost, repair.is_optimal), (146, false));
    assert_eq!((repair.effort.cycles, repair.effort.passes), (0, 0));
    let (edges, counts) = repair.closed(&diamond.edges);
    assert_eq!(check_conservation(4, &edges, &counts), Ok(()));
}

/// In GCC's model lowering is 50 times dearer: the smaller count is raised.
/// In Levin's here, the entry, the block and the edge would be raised for
/// 4 + 3 + 1 each, the second block and the exit lowered for 5 + 1.
#[test]
fn models_disagree_on_what_to_believe() {
    let line = [(OUT, 0, Share(1)), (0, 1, Share(1)), (1, OUT, Share(1))];
    let line = Sampled::new(&[90, 100], &line);
    assert_eq!(afters(&line.repair(&TimeModel::GccMcf).nodes), [100, 100]);
    let repair = line.repair(&TimeModel::Levin(LEVIN));
    assert_eq!((afters(&repair.nodes), repair.cost), (vec![90, 90], 60));
}

/// Two blocks of 10, one edge between them measured as 4 too: 10 go out of
/// the first in any case.
#[test]
fn measured_edges_leave_the_rest_to_the_others() {
    let edges = [(OUT, 0, Share(1)), (0, 1, Measured(4)), (0, 1, Share(3)), (1, OUT, Share(1))];
    let parallel = Sampled::new(&[10, 10], &edges);
    let repair = parallel.repair(&TimeModel::GccMcf);
    assert_eq!((befores(&repair.edges), repair.cost), (vec![10, 4, 6, 10], 0));
}

/// Twice round two entries of one loop, neither of which dominates the other.
#[test]
fn an_irreducible_loop() {
    let edges = [
        (OUT, 0, Share(1)),
        (0, 1, Share(1)),
        (0, 2, Share(1)),
        (1, 2, Share(1)),
        (2, 1, Share(9)),
        (2, OUT, Share(1)),
    ];
    // In: 5 to each. 2 has 100: 90 go back to 1, which saw 90 and not 95.
    let irreducible = Sampled::new(&[10, 90, 100], &edges);
    let repair = irreducible.repair(&irreducible.all_at(price(1, 1)));
    assert_eq!(befores(&repair.edges), [10, 5, 5, 90, 90, 10]);
    // 1 is raised by 5, and its edge to 2: that gives 2 the 100 it has.
    assert_eq!(afters(&repair.nodes), [10, 95, 100]);
    assert_eq!(repair.cost, 10);
}

/// A server: entered once, turns for ever, is killed. The heavier node is
/// where it stops; what came in goes out there.
#[test]
fn an_endless_loop_gets_one_exit() {
    let edges = [(OUT, 0, Measured(1)), (0, 1, Share(1)), (1, 2, Share(1)), (2, 1, Share(1))];
    let server = Sampled::new(&[1, 1000, 999], &edges);
    let repair = server.repair(&server.all_at(price(1, 1)));
    let [exit] = repair.virtual_exits.as_slice() else { panic!("{:?}", repair.virtual_exits) };
    assert_eq!(exit.node, Node::new(1));
    assert_eq!(exit.component, [Node::new(1), Node::new(2)]);
    assert_eq!(exit.count, Count { before: 1, after: 1 });
    assert_eq!((afters(&repair.nodes), repair.cost), (vec![1, 1000, 999], 0));
    // Of equals, the smaller.
    let equals = Sampled { blocks: IdMap::from_vec(vec![1, 1000, 1000]), ..server };
    assert_eq!(equals.repair(&TimeModel::GccMcf).virtual_exits[0].node, Node::new(1));
}

/// Two ways to end without returning, `abort` and a loop in itself.
#[test]
fn every_dead_end_gets_an_exit_of_its_own() {
    let edges = [(OUT, 0, Share(1)), (0, 1, Share(1)), (0, 2, Share(1)), (2, 2, Share(1))];
    let repair = Sampled::new(&[8, 4, 50], &edges).repair(&TimeModel::GccMcf);
    let mut exits: Vec<_> = repair.virtual_exits.iter().map(|exit| (exit.node.index(), exit.count)).collect();
    exits.sort_by_key(|&(node, _)| node);
    let four = Count { before: 4, after: 4 };
    assert_eq!(exits, [(1, four), (2, four)]);
    assert_eq!((afters(&repair.edges), repair.cost), (vec![8, 4, 4, 46], 0));
}

/// 3 is entered by nothing, 2 by 3 only.
#[test]
fn what_no_entry_reaches_is_taken_out() {
    let edges =
        [(OUT, 0, Share(1)), (0, 1, Share(1)), (3, 2, Measured(5)), (2, 1, Share(1)), (1, OUT, Share(1))];
    let repair = Sampled::new(&[10, 10, 7, 7], &edges).repair(&TimeModel::GccMcf);
    assert_eq!(repair.unreachable.iter().map(Id::index).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(afters(&repair.nodes), [10, 10, 0, 0]);
    assert_eq!(repair.edges[Edge::new(2)], Count { before: 5, after: 0 });
    assert_eq!(repair.cost, 0);
    let no_entry = Sampled::new(&[10], &[(0, OUT, Share(1))]);
    assert_eq!(no_entry.try_repair(&TimeModel::GccMcf, KEEP), Err(RepairError::NoEntry));
}

/// A hot loop whose way in and way out have no samples. Nodes: A, before,
/// loop, behind; edges: enter, A leaves, A-before, before-loop, loop-loop,
/// loop-behind, behind leaves.
fn island() -> Sampled {
    let edges = [
        (OUT, 0, Share(1)),
        (0, OUT, Share(1)),
        (0, 1, Share(0)),
        (1, 2, Share(1)),
        (2, 2, Share(99)),
        (2, 3, Share(1)),
        (3, OUT, Share(1)),
    ];
    Sampled::new(&[10, 0, 1000, 0], &edges)
}

/// 10 leave the loop that did not come in, and lowering costs 2. To lead them
/// round in the loop is 3 each, to have the loop run less 4, to lead them in
/// and out 7: the loop runs without a beginning.
#[test]
fn an_island_is_reported() {
    let island = island();
    let repair = island.repair(&island.all_at(price(1, 2)));
    assert_eq!(befores(&repair.edges), [10, 10, 0, 0, 990, 10, 0]);
    assert_eq!(afters(&repair.edges), [10, 10, 0, 0, 1000, 0, 0]);
    assert_eq!((repair.islands, repair.cost), (vec![vec![Node::new(2)]], 30));
}

/// One unit more by A, before, loop, behind: eight counts rise from where they
/// were for 1 each, and that of the loop's exit is lowered by one less.
#[test]
fn an_island_is_joined_by_one_unit() {
    let island = island();
    let repair = island.try_repair(&island.all_at(price(1, 2)), FlowOptions::default()).unwrap();
    assert_eq!(afters(&repair.nodes), [11, 1, 1001, 1]);
    assert_eq!(afters(&repair.edges), [11, 10, 1, 1, 1000, 1, 1]);
    assert_eq!((repair.islands, repair.cost), (vec![vec![Node::new(2)]], 30 + 8 - 2));
}

/// Two loops that nothing feeds, 2 on the way to 1. The unit that joins 1
/// comes by 2, which needs none of its own.
#[test]
fn an_island_on_the_way_is_joined_with_the_other() {
    let edges = [
        (OUT, 0, Measured(0)),
        (0, 2, Measured(0)),
        (2, 2, Measured(5)),
        (2, 1, Measured(0)),
        (1, 1, Measured(5)),
        (1, OUT, Measured(0)),
    ];
    let repair =
        Sampled::new(&[0, 5, 5], &edges).try_repair(&TimeModel::GccMcf, FlowOptions::default()).unwrap();
    assert_eq!(repair.islands, [[Node::new(1)], [Node::new(2)]]);
    assert_eq!(afters(&repair.edges), [1, 1, 5, 1, 5, 1]);
    assert_eq!(afters(&repair.nodes), [1, 6, 6]);
}

/// An island is joined where it is nearest, here at 3 and not at 1, and islands
/// come in order of their smallest nodes.
#[test]
fn an_island_is_joined_where_it_is_nearest() {
    let edges = [
        (OUT, 0, Measured(0)),
        (3, 1, Measured(5)),
        (1, 3, Measured(5)),
        (2, 2, Measured(5)),
        (0, 3, Measured(0)),
        (0, 2, Measured(0)),
        (3, OUT, Measured(0)),
        (2, OUT, Measured(0)),
    ];
    let islands = Sampled::new(&[0, 5, 5, 5], &edges);
    let repair = islands.try_repair(&TimeModel::GccMcf, FlowOptions::default()).unwrap();
    assert_eq!(repair.islands, [vec![Node::new(1), Node::new(3)], vec![Node::new(2)]]);
    assert_eq!(afters(&repair.edges), [2, 5, 5, 5, 1, 1, 1, 1]);
}
