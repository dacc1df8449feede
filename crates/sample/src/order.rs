//! In which order did things happen that several processors wrote down?
//!
//! Each ring is in order, nearly; together they are not. Rings are drained in
//! rounds. What is stamped before the begin of the *previous* round was in its
//! ring when this round drained it (the kernel stamps a record and writes it
//! within microseconds, and a round lasts at least as long as draining takes),
//! so it can be sorted and given out; the rest waits for a round. That is the
//! method of `perf`'s ordered events (`PERF_RECORD_FINISHED_ROUND`), with the
//! clock in place of the greatest time seen, so that a ring that is silent
//! holds nothing up.
//!
//! A record that comes later than that is given out at once, never dropped.
//!
//! Cost: sorting what came in a round.

use crate::decode::{Record, Stamped};

/// Records that wait for earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Vec<(u64, Record)>,
    previous_round: u64,
}

impl Queue {
    /// Adds a record; without a time it belongs to the last one before it.
    pub(crate) fn push(&mut self, stamped: Stamped) {
        let time = stamped.time.or(self.waiting.last().map(|last| last.0)).unwrap_or(0);
        self.waiting.push((time, stamped.record));
    }

    /// Ends a round whose draining began at `began`, and gives out, in order,
    /// what can have no one before it any more.
    pub(crate) fn finish_round(&mut self, began: u64) -> Vec<Record> {
        let until = std::mem::replace(&mut self.previous_round, began);
        self.give_out(until)
    }

    /// Gives out everything: nothing will come any more.
    pub(crate) fn finish(&mut self) -> Vec<Record> {
        self.give_out(u64::MAX)
    }

    fn give_out(&mut self, until: u64) -> Vec<Record> {
        // Stable: records of one time stay in the order of their ring.
        self.waiting.sort_by_key(|waiting| waiting.0);
        let ready = self.waiting.partition_point(|waiting| waiting.0 < until);
        self.waiting.drain(..ready).map(|(_, record)| record).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(time: u64) -> Stamped {
        Stamped { time: Some(time), record: Record::Other(time as u32) }
    }

    fn times(records: Vec<Record>) -> Vec<u32> {
        let time = |record| if let Record::Other(time) = record { time } else { unreachable!() };
        records.into_iter().map(time).collect()
    }

    #[test]
    fn a_record_waits_until_nothing_can_come_before_it() {
        let mut queue = Queue::default();
        queue.push(at(12));
        queue.push(at(14));
        assert!(times(queue.finish_round(15)).is_empty(), "13 may still be in another ring");
        queue.push(at(13));
        queue.push(at(18));
        assert_eq!(times(queue.finish_round(20)), [12, 13, 14]);
        assert_eq!(times(queue.finish_round(25)), [18]);
    }

    proptest! {
        /// Two rings, each in order, drained in rounds: the whole is in order.
        #[test]
        fn rings_in_order_make_a_whole_in_order(gaps in prop::collection::vec((0_u64..5, any::<bool>()), 0..200)) {
            let mut queue = Queue::default();
            let mut given = Vec::new();
            let mut now = 1;
            // What is written becomes visible at the round after it at the latest.
            let mut unseen: Vec<u64> = Vec::new();
            for (gap, is_round) in &gaps {
                now += gap;
                unseen.push(now);
                if *is_round {
                    now += 1;
                    unseen.iter().rev().for_each(|time| queue.push(at(*time)));
                    unseen.clear();
                    given.extend(times(queue.finish_round(now)));
                }
            }
            unseen.iter().for_each(|time| queue.push(at(*time)));
            given.extend(times(queue.finish()));
            prop_assert_eq!(given.len(), gaps.len());
            prop_assert!(given.is_sorted());
        }
    }
}
