//! From bytes to records; nothing in the bytes is trusted.

use opcost_key::Hash128;

use super::file::{Checks, Error, FailedPoint, OpenActivation, PointRecord, ValueFile, ValueModule};
use super::layout::{self, ValueField, ValueSection};

/// More slabs than any process has threads.
const MOST_SLABS: usize = 1 << 20;

/// The bytes, and whether something was missing.
struct Source<'a> {
    bytes: &'a [u8],
    is_cut: bool,
}

impl Source<'_> {
    fn slice(&mut self, at: u64, length: u64) -> Option<&[u8]> {
        let range = usize::try_from(at).ok()?..usize::try_from(at.checked_add(length)?).ok()?;
        if range.end > self.bytes.len() {
            self.is_cut = true;
            return None;
        }
        Some(&self.bytes[range])
    }

    fn word(&mut self, at: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.slice(at, 8)?.try_into().ok()?))
    }

    fn field(&mut self, base: u64, field: ValueField) -> Option<u64> {
        let at = base.checked_add(field.offset as u64)?;
        match field.kind {
            ValueSection::U32 => Some(u64::from(u32::from_le_bytes(self.slice(at, 4)?.try_into().ok()?))),
            _ => self.word(at),
        }
    }

    /// Number `position` of a field of several words.
    fn nth(&mut self, base: u64, field: ValueField, position: u64) -> Option<u64> {
        self.word(base.checked_add(field.offset as u64)?.checked_add(8 * position)?)
    }
}

impl ValueFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It is none, of another version, or damaged where nothing can be read.
    pub fn parse(bytes: &[u8]) -> Result<ValueFile, Error> {
        parse(bytes)
    }
}

fn parse(bytes: &[u8]) -> Result<ValueFile, Error> {
    use layout::header as h;
    if bytes.len() < 8 || bytes[..8] != layout::MAGIC {
        let is_empty = bytes.iter().take(8).all(|byte| *byte == 0) && !bytes.is_empty();
        return Err(if is_empty { Error::NotBegun } else { Error::NotOne });
    }
    let cut = || Error::Cut(bytes.len() as u64);
    if (bytes.len() as u64) < layout::HEADER_BYTES {
        return Err(cut());
    }
    let mut source = Source { bytes, is_cut: false };
    let mut field = |field: ValueField| source.field(0, field).ok_or_else(cut);
    let version = field(h::VERSION_FIELD)? as u32;
    if version != layout::VERSION {
        return Err(Error::Version(version, layout::VERSION));
    }
    let (points, first_slab) = (field(h::POINTS)?, field(h::FIRST_SLAB)?);
    let (modules_at, modules_count) = (field(h::MODULES_OFFSET)?, field(h::MODULES_COUNT)?);
    let (flags, used, sample) = (field(h::FLAGS)?, field(h::USED)?, field(h::SAMPLE)?.max(1));
    let mut file = ValueFile {
        pid: field(h::PID)? as u32,
        parent_pid: field(h::PARENT_PID)? as u32,
        start_ns: field(h::START)?,
        image: text(&bytes[h::IMAGE_PATH.offset..h::IMAGE_PATH.offset + 4096]),
        build_id: bytes[h::BUILD_ID.offset..][..field(h::BUILD_ID_BYTES)?.min(32) as usize].to_vec(),
        is_forked: field(h::IS_FORKED)? != 0,
        is_finished: field(h::END_STATE)? == 1,
        sample,
        memory: (field(h::MEMORY_LIMIT)?, field(h::MEMORY_USED)?),
        remarks: layout::FLAG_BITS
            .iter()
            // What is thinned or rough is told of each point.
            .filter(|(name, bit, _)| flags >> bit & 1 == 1 && !matches!(*name, "THINNED" | "ROUGH"))
            .map(|(_, _, meaning)| (*meaning).to_owned())
            .collect(),
        is_cut: (bytes.len() as u64) < used,
        modules: Vec::new(),
    };
    // Each has a word in each slab, and a file without any is a megabyte.
    if points > bytes.len() as u64 / 8 {
        return Err(cut());
    }
    let ranges = modules(&mut source, modules_at, modules_count, points).ok_or_else(cut)??;
    let mut records: Vec<Option<PointRecord>> = vec![None; points as usize];
    let mut totals = Totals::default();
    for slab in slabs(&mut source, first_slab)? {
        read_slab(&mut source, slab, &mut records, &mut totals);
    }
    totals.add_remarks(&mut file.remarks);
    file.is_cut |= source.is_cut;
    let mut records = records.into_iter();
    for (hash, count) in ranges {
        file.modules.push(ValueModule { hash, points: records.by_ref().take(count as usize).collect() });
    }
    Ok(file)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Hash and number of points of each module, which follow each other.
#[allow(clippy::type_complexity)]
fn modules(
    source: &mut Source<'_>,
    at: u64,
    count: u64,
    points: u64,
) -> Option<Result<Vec<(Hash128, u64)>, Error>> {
    use layout::module as m;
    let mut ranges = Vec::new();
    let mut next = 0;
    for position in 0..count {
        let entry = at.checked_add(position.checked_mul(m::BYTES as u64)?)?;
        let hash = u128::from_le_bytes(source.slice(entry, 16)?.try_into().ok()?);
        let (first, own) = (source.field(entry, m::FIRST)?, source.field(entry, m::COUNT)?);
        if own > 0 && first != next || own > points - next {
            return Some(Err(Error::Damaged("its modules do not follow each other".into())));
        }
        next += own;
        ranges.push((Hash128(hash), own));
    }
    Some(Ok(ranges))
}

/// The slabs, the first made first.
fn slabs(source: &mut Source<'_>, first: u64) -> Result<Vec<u64>, Error> {
    let mut slabs = Vec::new();
    let mut at = first;
    while at != 0 {
        if slabs.len() >= MOST_SLABS || slabs.last().is_some_and(|&last| at >= last) {
            return Err(Error::Damaged("its threads are listed in a circle".into()));
        }
        let Some(next) = source.field(at, layout::slab::NEXT) else { break };
        slabs.push(at);
        at = next;
    }
    slabs.reverse();
    Ok(slabs)
}

/// What went wrong in all slabs.
#[derive(Default)]
struct Totals {
    missed: u64,
    lost: u64,
    strays: u64,
    busy: u64,
}

impl Totals {
    fn add_remarks(&self, remarks: &mut Vec<String>) {
        let mut tell = |count: u64, what: &str| {
            if count > 0 {
                remarks.push(format!("{count} {what}"));
            }
        };
        tell(self.missed, "records of signal handlers came while another was made, and were dropped");
        tell(
            self.lost,
            "activations found no room to be open: how they went is known only if they were complete",
        );
        tell(
            self.strays,
            "loops were left that were not entered: jumped into, or on a stack that was switched",
        );
        tell(self.busy, "threads were recording when the program ended: their last record may be missing");
    }
}

fn read_slab(source: &mut Source<'_>, slab: u64, records: &mut [Option<PointRecord>], totals: &mut Totals) {
    use layout::slab as s;
    let field = |source: &mut Source<'_>, field| source.field(slab, field).unwrap_or(0);
    totals.missed = totals.missed.saturating_add(field(source, s::MISSED));
    totals.lost = totals.lost.saturating_add(field(source, s::LOST));
    totals.strays = totals.strays.saturating_add(field(source, s::STRAYS));
    totals.busy += u64::from(field(source, s::BUSY) != 0);
    let rewriting = field(source, s::REWRITING);
    for (position, record) in records.iter_mut().enumerate() {
        let state = slab.checked_add((s::BYTES + 8 * position) as u64).and_then(|at| source.word(at));
        let Some(state) = state else { break };
        if state == 0 {
            continue;
        }
        let is_rewriting = rewriting == position as u64 + 1;
        if let Some(found) = read_point(source, state, is_rewriting) {
            match record {
                Some(known) => known.add(&found),
                None => *record = Some(found),
            }
        }
    }
    read_open(source, slab, records);
}

/// The activations that were open.
fn read_open(source: &mut Source<'_>, slab: u64, records: &mut [Option<PointRecord>]) {
    use layout::slot as o;
    let most = layout::CHUNKS as u64 * layout::SLOTS_A_CHUNK;
    let depth = source.field(slab, layout::slab::DEPTH).unwrap_or(0).min(most);
    for position in 0..depth {
        let chunk = source.nth(slab, layout::slab::CHUNK, position / layout::SLOTS_A_CHUNK);
        let Some(chunk) = chunk.filter(|&chunk| chunk != 0) else { break };
        let slot = chunk.saturating_add(position % layout::SLOTS_A_CHUNK * o::BYTES as u64);
        let Some(point) = source.field(slot, o::POINT).and_then(|point| point.checked_sub(1)) else {
            continue;
        };
        let Some(record) = usize::try_from(point).ok().and_then(|at| records.get_mut(at)) else { continue };
        let turns = source.field(slot, o::TURNS).unwrap_or(0);
        if source.field(slot, o::INHERITED) == Some(1) {
            let base = source.field(slot, o::BASE).unwrap_or(0);
            let inherited = &mut record.get_or_insert_default().inherited;
            *inherited =
                (inherited.0.saturating_add(1), inherited.1.saturating_add(turns.saturating_sub(base)));
            continue;
        }
        let noted = source.field(slot, o::NOTED).unwrap_or(0).min(layout::INPUTS as u64);
        let unknown = source.field(slot, o::UNKNOWN).unwrap_or(u64::MAX);
        let read = |input| Some(source.nth(slot, o::INPUT, input)?).filter(|_| unknown >> input & 1 == 0);
        let inputs = (0..noted).map(read).collect();
        record.get_or_insert_default().open.push(OpenActivation { iterations: turns, inputs });
    }
}

fn read_point(source: &mut Source<'_>, at: u64, is_rewriting: bool) -> Option<PointRecord> {
    use layout::point as p;
    source.slice(at, p::BYTES as u64)?;
    let mut field = |field| source.field(at, field).unwrap_or(0);
    let wide = |low: u64, high: u64| i128::from(high as i64) << 64 | i128::from(low);
    let (last_value, last_count) = (field(p::RUN_VALUE) as i64, field(p::RUN_COUNT));
    let ended = field(p::ENDED);
    let mut record = PointRecord {
        entries: field(p::ENTRIES),
        complete: field(p::COMPLETE),
        left: (field(p::LEFT), field(p::LEFT_TURNS), field(p::LEFT_MOST)),
        inherited: (field(p::INHERITED), field(p::INHERITED_TURNS)),
        sum: wide(field(p::SUM_LOW), field(p::SUM_HIGH)),
        recorded: field(p::RECORDED),
        range: (ended > 0).then_some((field(p::LEAST) as i64, field(p::MOST) as i64)),
        stride: field(p::STRIDE).max(1),
        checks: Checks {
            complete: (field(p::HELD), field(p::WRONG), field(p::VIOLATED)),
            left: (field(p::PARTIAL_HELD), field(p::PARTIAL_WRONG), field(p::PARTIAL_VIOLATED)),
            unchecked: field(p::UNCHECKED),
            too_long: field(p::TOO_LONG),
            failed: (field(p::SEEN_AT) > 0).then(|| FailedPoint {
                entry: field(p::SEEN_AT),
                iterations: field(p::SEEN),
                claimed: wide(field(p::CLAIMED_LOW), field(p::CLAIMED_HIGH)),
            }),
        },
        ..PointRecord::default()
    };
    let (runs, runs_count) = (field(p::RUNS), field(p::RUNS_COUNT).min(field(p::RUNS_CAPACITY)));
    let (table, capacity) = (field(p::TABLE), field(p::TABLE_CAPACITY));
    for bucket in 0..layout::BUCKETS {
        if let Some(count) = source.nth(at, p::BUCKET, bucket as u64).filter(|&count| count > 0) {
            record.rough.insert(bucket, count);
        }
    }
    let mut is_short = is_rewriting;
    if runs != 0 && !is_rewriting {
        let pairs = pairs(source, runs, runs_count);
        is_short |= (pairs.len() as u64) < runs_count;
        record.runs = pairs;
    }
    if table != 0 {
        let pairs = pairs(source, table, capacity);
        is_short |= (pairs.len() as u64) < capacity;
        record.values = pairs.into_iter().filter(|(_, count)| *count > 0).collect();
    }
    add_last(&mut record, last_value, last_count, ended);
    let told = record
        .values
        .values()
        .chain(record.rough.values())
        .fold(0_u64, |sum, &count| sum.saturating_add(count));
    record.is_torn = is_short || told != record.recorded;
    Some(record)
}

/// The run that was going on is in nothing else yet.
fn add_last(record: &mut PointRecord, value: i64, count: u64, ended: u64) {
    if count == 0 {
        return;
    }
    super::file::add_to(record.values.entry(value).or_default(), count);
    record.range =
        Some(record.range.map_or((value, value), |(least, most)| (least.min(value), most.max(value))));
    let kept = ended.saturating_add(count).div_ceil(record.stride) - ended.div_ceil(record.stride);
    match record.runs.last_mut() {
        Some((last, number)) if *last == value => super::file::add_to(number, kept),
        _ if kept > 0 => record.runs.push((value, kept)),
        _ => {}
    }
}

/// Pairs of value and count, as far as they are there.
fn pairs(source: &mut Source<'_>, at: u64, count: u64) -> Vec<(i64, u64)> {
    let mut pairs = Vec::new();
    for position in 0..count {
        let pair = position.checked_mul(layout::PAIR_BYTES).and_then(|offset| at.checked_add(offset));
        let Some(bytes) = pair.and_then(|pair| source.slice(pair, layout::PAIR_BYTES)) else { break };
        let (value, number) = bytes.split_at(8);
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        pairs.push((word(value) as i64, word(number)));
    }
    pairs
}
