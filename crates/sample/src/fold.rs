//! How do bytes from rings become hits: decoded, put in order, collected?
//!
//! The one way for the kernel's rings and for those of the timer. Bytes that
//! no writer of records writes are counted; behind a broken header nothing of
//! the same piece can be read.

use std::time::SystemTime;

use crate::collect::Collector;
use crate::decode::{HEADER_BYTES, Header, Record, SampleLayout, decode};
use crate::order::Queue;
use crate::sys;

/// Records on their way.
pub(crate) struct Fold {
    pub(crate) queue: Queue,
    pub(crate) collector: Collector,
    pub(crate) broken: u64,
    /// Bytes of the records that were taken in, if somebody keeps them.
    pub(crate) taken: Option<Vec<u8>>,
}

impl Fold {
    /// Nothing yet; a file that has no build-id and was changed after `until`
    /// is refused.
    pub(crate) fn new(until: SystemTime) -> Self {
        let collector = Collector::new(sys::page_size(), until);
        Fold { queue: Queue::default(), collector, broken: 0, taken: None }
    }

    /// Takes in records of one layout, those that `wants` says yes to.
    pub(crate) fn feed(
        &mut self,
        layout: &SampleLayout,
        bytes: &[u8],
        mut wants: impl FnMut(&Record) -> bool,
    ) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(header) = Header::read(rest) else {
                self.broken += 1;
                return;
            };
            let (record, behind) = rest.split_at(header.size);
            rest = behind;
            match decode(layout, header, &record[HEADER_BYTES..]) {
                Err(_) => self.broken += 1,
                Ok(stamped) if wants(&stamped.record) => {
                    self.queue.push(stamped);
                    self.taken.iter_mut().for_each(|taken| taken.extend(record));
                }
                Ok(_) => {}
            }
        }
    }

    /// Ends a round of draining that began at `began`.
    pub(crate) fn finish_round(&mut self, began: u64) {
        let ready = self.queue.finish_round(began);
        ready.into_iter().for_each(|record| self.collector.take(record));
    }

    /// Collects all that waits.
    pub(crate) fn finish(&mut self) {
        let ready = self.queue.finish();
        ready.into_iter().for_each(|record| self.collector.take(record));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_records_are_counted_and_the_rest_is_read() {
        let layout =
            SampleLayout { sample_type: 0b111, read_format: 0, stamps_all: true, numbers_branches: false };
        let record = |length: u16, kind: u8| {
            let mut bytes = vec![kind, 0, 0, 0, 2, 0, length as u8, (length >> 8) as u8];
            bytes.resize(usize::from(length).max(8), 1);
            bytes
        };
        let mut fold = Fold::new(SystemTime::now());
        // Too short for a sample; a sample; a header of no bytes; lost behind it.
        let bytes = [record(16, 9), record(32, 9), record(0, 9), record(32, 9)].concat();
        fold.feed(&layout, &bytes, |_| true);
        fold.finish();
        assert_eq!((fold.broken, fold.collector.counts().total), (2, 1));
    }
}
