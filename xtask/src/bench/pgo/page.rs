//! The page: what was aimed at and what holds, then how fast each build is.
//!
//! A build is told by its gain over the plain one, and that by the gain of clang's own
//! counters. Of the way that is asked of there are several runs, and the median of them is
//! what holds or does not, by the median of three builds with counters: builds of profiles
//! that hardly differ are laid out otherwise, and that alone makes them some per cent of the
//! gain faster or slower.
//!
//! Input: the times of all rounds. Output: Markdown.

use super::columns::{COUNTERS, Column, PLAIN, PROFI, SAMPLED};
use super::options::Options;
use crate::bench::figures::median;
use std::fmt::Write;

/// How long each build takes by what a round's builds take: the median of its shares of the rounds'
/// medians. One run of one build differs from the next by more than profiles do. So does what all
/// are compared with, if it is one run of one build.
fn paces(columns: &[Column]) -> Vec<Option<f64>> {
    let built = || columns.iter().filter(|column| column.missing.is_none());
    let rounds = built().map(|column| column.seconds.len()).min().unwrap_or(0);
    let round = |at: usize| median(&built().map(|column| column.seconds[at]).collect::<Vec<_>>());
    let usual: Vec<f64> = (0..rounds).filter_map(round).collect();
    let pace = |column: &Column| {
        let shares = column.seconds.iter().zip(&usual).map(|(own, usual)| own / usual);
        median(&shares.collect::<Vec<_>>()).filter(|_| column.missing.is_none())
    };
    columns.iter().map(pace).collect()
}

/// The whole page as Markdown.
pub(super) fn write(head: &str, columns: &[Column], options: &Options) -> String {
    let mut page = String::from(
        "# What a profile is worth to the compiler\n\nWritten by `cargo xtask bench pgo`; the next run replaces it.\n\n",
    );
    page += head;
    let gains = gains(columns);
    write_aims(&mut page, &gains);
    write_times(&mut page, columns, &gains, options);
    page
}

/// By how much each build is faster than the plain one, in per cent.
fn gains(columns: &[Column]) -> Vec<Option<f64>> {
    let paces = paces(columns);
    let plain = paces[PLAIN].unwrap_or(f64::NAN);
    paces.iter().map(|&own| Some(100.0 * (plain / own? - 1.0))).collect()
}

/// The gain of clang's counters: the median of their builds.
fn gain_of_counters(gains: &[Option<f64>]) -> Option<f64> {
    median(&gains[COUNTERS].iter().flatten().copied().collect::<Vec<_>>()).filter(|&whole| whole > 0.0)
}

/// Of the gain of clang's counters so much is wanted of sampled profiles.
const WANTED: f64 = 95.0;

fn write_aims(page: &mut String, gains: &[Option<f64>]) {
    let Some(whole) = gain_of_counters(gains) else { return };
    let runs: Vec<f64> = gains[SAMPLED].iter().flatten().map(|own| 100.0 * own / whole).collect();
    let Some(middle) = median(&runs) else { return };
    let verdict = |holds: bool| if holds { "holds" } else { "**does not hold**" };
    let reached = runs.iter().filter(|&&run| run >= WANTED).count();
    let _ = write!(
        page,
        "\n## What was aimed at\n\n| | wanted | found | |\n|---|---:|---:|---|\n\
         | of the gain of clang's counters (median of three), by profiles of `opcost sample`: median of {} runs | ≥ {WANTED:.0} % | \
         {middle:.0} % ({reached} of the runs by themselves) | {} |\n",
        runs.len(),
        verdict(middle >= WANTED)
    );
    if let Some(profi) = gains[PROFI].map(|own| 100.0 * own / whole) {
        let _ = writeln!(
            page,
            "| as fast as with profi's profile: the slowest of the runs | ≥ {profi:.0} % | {:.0} % | {} |",
            runs.iter().copied().fold(f64::INFINITY, f64::min),
            verdict(runs.iter().all(|&run| run >= profi))
        );
    }
}

fn write_times(page: &mut String, columns: &[Column], gains: &[Option<f64>], options: &Options) {
    let _ = write!(
        page,
        "\n## The builds\n\nSQLite, trained by `corpus/sqlite/training.c {}`, judged by `corpus/sqlite/driver.c {}`; samples at {} a \
         second. Processor time, medians of {} interleaved rounds; gains are ratios of the medians of what a build takes by \
         what the builds of its round take.\n\n\
         | build | seconds | gain | of the gain of clang's counters |\n|---|---|---|---|\n",
        options.training, options.rows, options.rate, options.rounds
    );
    let whole = gain_of_counters(gains);
    for (column, &own) in columns.iter().zip(gains) {
        if let Some(why) = &column.missing {
            let _ = writeln!(page, "| {} | | not built: {} | |", column.title, why.replace('\n', " "));
            continue;
        }
        let own = own.unwrap_or(f64::NAN);
        let share = whole.map_or(String::new(), |whole| format!("{:.0} %", 100.0 * own / whole));
        let seconds = median(&column.seconds).unwrap_or(0.0);
        let _ = writeln!(page, "| {} | {seconds:.3} | {own:+.1} % | {share} |", column.title);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn builds_are_compared_with_their_rounds() {
        let column = |seconds: &[f64]| Column {
            title: "",
            program: PathBuf::new(),
            missing: None,
            seconds: seconds.to_vec(),
        };
        // The machine was half as fast in the second round, and one run was disturbed.
        let mut columns = vec![column(&[1.1, 2.2, 1.1]), column(&[1.1, 2.2, 1.9]), column(&[1.0, 2.0, 1.0])];
        let of = |columns: &[Column]| paces(columns).into_iter().map(Option::unwrap).collect::<Vec<_>>();
        let paces_of_all = of(&columns);
        assert!((paces_of_all[0] / paces_of_all[2] - 1.1).abs() < 1e-9, "{paces_of_all:?}");
        assert!((paces_of_all[0] - paces_of_all[1]).abs() < 1e-9, "{paces_of_all:?}");
        columns[1].missing = Some("why".to_owned());
        columns[1].seconds.clear();
        assert!(paces(&columns)[1].is_none() && paces(&columns)[0].is_some());
    }

    #[test]
    fn the_median_of_the_runs_is_what_holds() {
        let told = |sampled: [f64; 5]| {
            let counters = [10.0, 9.0, 10.5].map(Some);
            let mut gains = [&[Some(0.0), Some(0.1)][..], &counters, &[Some(4.0), Some(11.0)]].concat();
            gains.extend(sampled.map(Some));
            let mut page = String::new();
            write_aims(&mut page, &gains);
            page
        };
        let good = told([9.4, 9.8, 10.5, 9.5, 3.0]);
        assert!(
            good.contains("median of 5 runs | ≥ 95 % | 95 % (3 of the runs by themselves) | holds"),
            "{good}"
        );
        assert!(good.contains("| ≥ 40 % | 30 % | **does not hold** |"), "{good}");
        assert!(
            told([9.4, 9.3, 10.5, 9.5, 5.0])
                .contains("94 % (2 of the runs by themselves) | **does not hold**")
        );
    }
}
