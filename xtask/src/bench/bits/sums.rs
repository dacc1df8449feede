//! Sums of widths over values: what is declared, what LLVM and opcost know, and
//! of the values that were computed what was seen.

use super::outcome::Value;

/// The columns of [`Sums`] in their order.
pub(super) const COLUMNS: [&str; 10] =
    ["declared", "LVI", "SCEV", "known", "demanded", "Fwd", "type", "All", "ours", "slice"];

/// Sums over values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) values: u64,
    pub(super) columns: [u64; COLUMNS.len()],
}

impl Sums {
    pub(super) fn add(&mut self, value: &Value) {
        self.values += 1;
        let row = &value.row;
        let known =
            [row.width, row.lvi, row.scev, row.known_bits, row.demanded, row.fwd, row.narrow, row.all];
        // Of what opcost does not speak nothing is known.
        let own = value.own.as_ref().map_or([row.width; 2], |own| [own.needed(), own.slice()]);
        for (sum, column) in self.columns.iter_mut().zip(known.into_iter().chain(own)) {
            *sum += u64::from(column);
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.values += other.values;
        for (sum, column) in self.columns.iter_mut().zip(other.columns) {
            *sum += column;
        }
    }
}

/// What was seen, next to the sums of the same values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ObservedSums {
    pub(super) of_widths: Sums,
    /// With the narrower of Fwd and ours of each value.
    pub(super) narrower: u64,
    pub(super) width: u64,
    pub(super) varying: u64,
}

impl ObservedSums {
    /// Of all values that were computed and are of kernels.
    pub(super) fn of(values: &[Value]) -> Self {
        let mut sums = Self::default();
        for value in values.iter().filter(|value| !value.row.drives) {
            let Some(observed) = &value.observed else { continue };
            let fwd = value.row.fwd;
            sums.of_widths.add(value);
            sums.narrower += u64::from(value.own.as_ref().map_or(fwd, |own| own.needed().min(fwd)));
            sums.width += u64::from(observed.width());
            sums.varying += u64::from(observed.varying());
        }
        sums
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.of_widths.join(&other.of_widths);
        self.narrower += other.narrower;
        self.width += other.width;
        self.varying += other.varying;
    }

    pub(super) fn fwd(&self) -> u64 {
        self.of_widths.columns[5]
    }

    pub(super) fn ours(&self) -> u64 {
        self.of_widths.columns[8]
    }

    /// How much of what LLVM leaves open these bits close. It is none of it if they are LLVM's, and
    /// all if they are those that were seen. It is less than none if they are more.
    pub(super) fn closed_by(&self, bits: u64) -> Option<f64> {
        let room = self.fwd() as f64 - self.width as f64;
        (room > 0.0).then(|| (self.fwd() as f64 - bits as f64) / room)
    }
}
