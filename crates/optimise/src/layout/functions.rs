//! In which order should functions lie?
//!
//! C³ (Ottoni and Maher 2017): functions are taken by how much they run. Each joins the cluster of its most frequent
//! caller, behind it, if both together are not longer than a large page. Clusters then lie in order of their
//! density. Functions that never ran lie last, as they were.
//!
//! Input: functions with sizes and entries, calls with counts. Output: an order. Cost: linear in calls, and sorting.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use opcost_index::{IdMap, define_id};

/// The most bytes of a cluster: what one entry of a processor's table of large pages covers.
const LARGEST_CLUSTER: u64 = 2 << 20;

define_id!(
    /// A function.
    pub struct CodeFunctionId, "function"
);

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeFunction {
    /// The length of its code in bytes.
    pub bytes: u64,
    /// How many instructions or blocks of it ran: what it is worth to have it near.
    pub executions: u64,
}

/// How often a function was called by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionCalls {
    /// The caller.
    pub from: CodeFunctionId,
    /// The called one.
    pub to: CodeFunctionId,
    /// How often.
    pub calls: u64,
}

struct Cluster {
    functions: Vec<CodeFunctionId>,
    bytes: u64,
    executions: u128,
}

/// All functions, those that run together near to each other.
pub fn order_functions(
    functions: &IdMap<CodeFunctionId, CodeFunction>,
    calls: &[FunctionCalls],
) -> Vec<CodeFunctionId> {
    let mut clusters: IdMap<CodeFunctionId, Cluster> = functions
        .iter()
        .map(|(id, one)| Cluster {
            functions: vec![id],
            bytes: one.bytes,
            executions: u128::from(one.executions),
        })
        .collect();
    let mut cluster_of: IdMap<CodeFunctionId, CodeFunctionId> = functions.ids().collect();
    let mut hottest: Vec<CodeFunctionId> =
        functions.ids().filter(|&id| functions[id].executions > 0).collect();
    hottest.sort_by_key(|&id| Reverse(functions[id].executions));
    let callers = most_frequent_callers(functions.len(), calls);
    for id in hottest {
        let Some(caller) = callers[id] else { continue };
        let (into, from) = (cluster_of[caller], cluster_of[id]);
        if into == from || clusters[into].bytes + clusters[from].bytes > LARGEST_CLUSTER {
            continue;
        }
        let moved = std::mem::take(&mut clusters[from].functions);
        for &function in &moved {
            cluster_of[function] = into;
        }
        let (bytes, executions) = (clusters[from].bytes, clusters[from].executions);
        let cluster = &mut clusters[into];
        cluster.functions.extend(moved);
        cluster.bytes += bytes;
        cluster.executions += executions;
    }
    let mut order: Vec<&Cluster> =
        clusters.iter().map(|(_, one)| one).filter(|one| !one.functions.is_empty()).collect();
    order.sort_by(|a, b| {
        let dense = |one: &Cluster, other: &Cluster| one.executions * u128::from(other.bytes.max(1));
        dense(b, a).cmp(&dense(a, b))
    });
    order.into_iter().flat_map(|cluster| cluster.functions.iter().copied()).collect()
}

/// By function, who called it most often, if anybody but itself did.
fn most_frequent_callers(
    functions: usize,
    calls: &[FunctionCalls],
) -> IdMap<CodeFunctionId, Option<CodeFunctionId>> {
    let mut sums: BTreeMap<(CodeFunctionId, CodeFunctionId), u64> = BTreeMap::new();
    for one in calls.iter().filter(|one| one.from != one.to) {
        *sums.entry((one.to, one.from)).or_insert(0) += one.calls;
    }
    let mut most = IdMap::filled(functions, None);
    let mut counts: IdMap<CodeFunctionId, u64> = IdMap::filled(functions, 0);
    for ((to, from), count) in sums {
        if count > counts[to] {
            counts[to] = count;
            most[to] = Some(from);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_index::Id as _;
    use proptest::prelude::*;

    fn id(number: usize) -> CodeFunctionId {
        CodeFunctionId::new(number)
    }

    fn order(functions: &[(u64, u64)], calls: &[(usize, usize, u64)]) -> Vec<usize> {
        let functions =
            functions.iter().map(|&(bytes, executions)| CodeFunction { bytes, executions }).collect();
        let calls: Vec<_> = calls
            .iter()
            .map(|&(from, to, calls)| FunctionCalls { from: id(from), to: id(to), calls })
            .collect();
        order_functions(&functions, &calls).into_iter().map(|one| one.index()).collect()
    }

    #[test]
    fn a_function_lies_behind_its_most_frequent_caller() {
        let four = [(100, 1), (100, 50), (100, 0), (100, 900)];
        assert_eq!(order(&four, &[(0, 1, 1), (1, 3, 400), (0, 3, 2), (0, 2, 0)]), [0, 1, 3, 2]);
    }

    #[test]
    fn a_cluster_is_not_longer_than_a_large_page() {
        let large = [(LARGEST_CLUSTER, 1), (1, 100)];
        assert_eq!(order(&large, &[(0, 1, 100)]), [1, 0]);
    }

    proptest! {
        #[test]
        fn every_function_is_there_once(
            functions in prop::collection::vec((0u64..1 << 22, 0u64..1000), 0..30),
            calls in prop::collection::vec((0usize..30, 0usize..30, 0u64..1000), 0..60),
        ) {
            let count = functions.len();
            let calls: Vec<_> =
                calls.into_iter().filter(|&(from, to, _)| from < count && to < count).collect();
            let mut all = order(&functions, &calls);
            all.sort_unstable();
            prop_assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }
}
