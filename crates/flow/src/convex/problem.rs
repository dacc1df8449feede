//! What is to be minimised? Separable convex costs under sparse equations.
//!
//! ```text
//! minimise   sum of cost(v) of the value of v, over all variables v
//! subject to sum of coefficient * variable = right-hand side, for each row
//!            every variable >= 0
//! ```
//!
//! Variables are counts of edges and blocks and whatever softens a row; rows
//! say that flow is conserved, that a callee is entered as often as its call
//! sites run, or that a back edge is taken k times per entry. Nothing here
//! knows of these meanings.
//!
//! Costs are told in units in which a difference of 1 matters: a deviance of 1
//! is one standard deviation. The solver's tolerance is relative to the
//! greater of 1 and the least cost.

use opcost_index::{Id, IdMap};

opcost_index::define_id!(
    /// An unknown count, 0 or more.
    pub struct VariableId, "variable"
);
opcost_index::define_id!(
    /// An equation between variables.
    pub struct RowId, "row"
);

/// What a value of a variable costs. All are convex on values >= 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// Nothing. Among solutions of equal cost smaller ones are preferred by a
    /// price so low that it does not show in the objective.
    Free,
    /// `price` for each unit.
    Linear {
        /// Cost of a unit, 0 or more.
        price: f64,
    },
    /// `above` for each unit more than `target`, `below` for each unit less.
    TwoSided {
        /// The value that costs nothing, 0 or more.
        target: f64,
        /// Cost of a unit too many, 0 or more.
        above: f64,
        /// Cost of a unit too few, 0 or more.
        below: f64,
    },
    /// `weight * (value - target)^2`.
    Quadratic {
        /// The value that costs nothing.
        target: f64,
        /// Above 0.
        weight: f64,
    },
    /// Deviance of a Poisson observation, `2 (m - s + s ln(s / m)) / d` where
    /// `m = cycles * value` samples were expected and `s` were seen; with
    /// `s = 0` this is linear, `2 m / d`.
    Deviance {
        /// Samples that were seen, 0 or more (need not be an integer).
        samples: f64,
        /// Samples that one execution is expected to get, above 0.
        cycles: f64,
        /// By what the deviance is divided (quasi-likelihood), above 0.
        dispersion: f64,
    },
}

impl Cost {
    /// Deviance of an observation whose variance is `s + (error * s)^2`: chance
    /// and an `error` relative to the number of samples, as of a wrong number
    /// of cycles. The dispersion is `1 + error^2 * s`.
    pub fn observed(samples: f64, cycles: f64, error: f64) -> Self {
        Self::Deviance { samples, cycles, dispersion: 1.0 + error * error * samples }
    }

    /// What `value` costs; infinite for a value of 0 where samples were seen.
    pub fn of(&self, value: f64) -> f64 {
        match *self {
            Self::Free => 0.0,
            Self::Linear { price } => price * value,
            Self::TwoSided { target, above, below } => {
                if value >= target {
                    above * (value - target)
                } else {
                    below * (target - value)
                }
            }
            Self::Quadratic { target, weight } => weight * (value - target) * (value - target),
            Self::Deviance { samples, cycles, dispersion } => {
                let expected = cycles * value;
                if samples == 0.0 {
                    return 2.0 * expected / dispersion;
                }
                // Of s (r - ln(1 + r)) no part is larger than needed.
                let excess = (expected - samples) / samples;
                2.0 * samples * (excess - excess.ln_1p()) / dispersion
            }
        }
    }

    fn is_legal(&self) -> bool {
        let natural = |number: f64| number.is_finite() && number >= 0.0;
        let positive = |number: f64| number.is_finite() && number > 0.0;
        match *self {
            Self::Free => true,
            Self::Linear { price } => natural(price),
            Self::TwoSided { target, above, below } => natural(target) && natural(above) && natural(below),
            Self::Quadratic { target, weight } => target.is_finite() && positive(weight),
            Self::Deviance { samples, cycles, dispersion } => {
                natural(samples) && positive(cycles) && positive(dispersion)
            }
        }
    }
}

/// A problem, built variable by variable and row by row.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub(crate) costs: IdMap<VariableId, Cost>,
    pub(crate) right_hand_sides: IdMap<RowId, f64>,
    /// Where each row's entries end in `entries`; they begin where those of
    /// the row before it end.
    pub(crate) ends: IdMap<RowId, usize>,
    pub(crate) entries: Vec<(VariableId, f64)>,
}

impl Problem {
    /// Without variables and rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable.
    ///
    /// # Panics
    /// When a number of the cost is out of the range that [`Cost`] names.
    pub fn add_variable(&mut self, cost: Cost) -> VariableId {
        assert!(cost.is_legal(), "{cost:?} is no convex cost");
        self.costs.push(cost)
    }

    /// Gives a variable another cost.
    ///
    /// # Panics
    /// As [`Problem::add_variable`], and when it does not exist.
    pub fn set_cost(&mut self, variable: VariableId, cost: Cost) {
        assert!(cost.is_legal(), "{cost:?} is no convex cost");
        self.costs[variable] = cost;
    }

    /// Adds the row "sum of coefficient * variable = `right_hand_side`". A
    /// variable that is named twice counts with both its coefficients.
    ///
    /// # Panics
    /// When a variable does not exist or a number is not finite.
    pub fn add_row(
        &mut self,
        right_hand_side: f64,
        entries: impl IntoIterator<Item = (VariableId, f64)>,
    ) -> RowId {
        assert!(right_hand_side.is_finite(), "a row adds up to {right_hand_side}");
        for (variable, coefficient) in entries {
            assert!(variable.index() < self.costs.len(), "{variable} does not exist");
            assert!(coefficient.is_finite(), "{variable} has the coefficient {coefficient}");
            self.entries.push((variable, coefficient));
        }
        self.ends.push(self.entries.len());
        self.right_hand_sides.push(right_hand_side)
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.costs.len()
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.ends.len()
    }

    /// The variables of a row with their coefficients, as they were given.
    pub fn entries(&self, row: RowId) -> &[(VariableId, f64)] {
        let start = row.index().checked_sub(1).map_or(0, |before| self.ends[RowId::new(before)]);
        &self.entries[start..self.ends[row]]
    }

    /// What a row adds up to.
    pub fn right_hand_side(&self, row: RowId) -> f64 {
        self.right_hand_sides[row]
    }

    /// What each variable costs.
    pub fn costs(&self) -> impl Iterator<Item = (VariableId, &Cost)> {
        self.costs.iter()
    }

    /// What a variable costs.
    pub fn cost(&self, variable: VariableId) -> Cost {
        self.costs[variable]
    }

    /// The rows of each variable, with its coefficients. Cost: entries.
    pub(crate) fn rows_by_variable(&self) -> RowsByVariable {
        let mut ends: IdMap<VariableId, usize> = IdMap::filled(self.variable_count(), 0);
        self.entries.iter().for_each(|&(variable, _)| ends[variable] += 1);
        let mut start = 0;
        for variable in self.costs.ids() {
            let count = std::mem::replace(&mut ends[variable], start);
            start += count;
        }
        let mut entries = vec![(RowId::new(0), 0.0); self.entries.len()];
        for row in self.ends.ids() {
            for &(variable, coefficient) in self.entries(row) {
                entries[ends[variable]] = (row, coefficient);
                ends[variable] += 1;
            }
        }
        RowsByVariable { ends, entries }
    }

    /// What all values together cost.
    ///
    /// # Panics
    /// When there is not one value for each variable.
    pub fn objective(&self, values: &IdMap<VariableId, f64>) -> f64 {
        assert_eq!(values.len(), self.costs.len(), "one value per variable");
        self.costs.iter().map(|(variable, cost)| cost.of(values[variable])).sum()
    }
}

/// The entries of a problem by variables, each in the order of its rows.
pub(crate) struct RowsByVariable {
    ends: IdMap<VariableId, usize>,
    entries: Vec<(RowId, f64)>,
}

impl RowsByVariable {
    /// The rows of a variable, with its coefficients.
    pub(crate) fn of(&self, variable: VariableId) -> &[(RowId, f64)] {
        let start = variable.index().checked_sub(1).map_or(0, |before| self.ends[VariableId::new(before)]);
        &self.entries[start..self.ends[variable]]
    }
}
