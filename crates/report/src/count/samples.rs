//! What is there to say of the samples of a run?

use opcost_recover::Repaired;
use opcost_sample::{End, Rate, Samples};

use crate::kit::numbers::{counted, grouped, noun, verb};

/// What is said of a rate that was not granted.
pub fn capped(samples: &Samples) -> Option<String> {
    let Rate { requested: asked, granted } = samples.rate;
    (granted < asked).then(|| {
        let keeper = match &*samples.event {
            "timer" => "the timer inside the program takes no more",
            _ => "this machine takes no more (kernel.perf_event_max_sample_rate)",
        };
        format!(
            "{} a second {} asked for and {} granted: {keeper}",
            counted(asked, "sample"),
            verb(asked, "was", "were"),
            grouped(granted)
        )
    })
}

/// What is said of samples of other programs, if a file has some.
pub fn left_out(samples: &Samples) -> Option<String> {
    let left_out = samples.left_out;
    (left_out.samples > 0).then(|| {
        format!(
            "left out: {} more {} of {} process{} that ran other programs then",
            grouped(left_out.samples),
            noun(left_out.samples, "sample"),
            grouped(left_out.processes),
            if left_out.processes == 1 { "" } else { "es" }
        )
    })
}

/// Where most samples are, if less than half of them are in the program.
pub fn most_outside(samples: &Samples, own: u64, elsewhere: Option<&str>) -> Option<String> {
    let outside = samples.total.saturating_sub(own);
    (outside > own).then(|| {
        let share = 100.0 * outside as f64 / samples.total as f64;
        let places = elsewhere.map_or_else(String::new, |places| format!(" ({places})"));
        format!("{share:.1} % of the time is outside of what was built to be sampled{places}")
    })
}

/// What there is to say of the samples, in lines.
pub fn words(samples: &Samples, own: u64, elsewhere: Option<&str>, repaired: &Repaired) -> Vec<String> {
    let mut lines = Vec::new();
    let percent = |part: u64| format!("{:.1} %", 100.0 * part as f64 / samples.total.max(1) as f64);
    let rate = samples.rate_reached().map_or_else(String::new, |rate| format!(" at {rate:.0} a second"));
    lines.push(format!(
        "{} of {}{rate}, {} of them in the program",
        counted(samples.total, "sample"),
        samples.event,
        percent(own)
    ));
    lines.extend(capped(samples));
    if samples.has_runs() {
        let runs: u64 = samples.images.iter().flat_map(|image| &image.runs).map(|(_, count)| count).sum();
        lines.push(format!(
            "counts are made of {} between branches that the processor recorded, not of time{}",
            counted(runs, "run"),
            if samples.torn > 0 {
                format!("; {} more are in no image", grouped(samples.torn))
            } else {
                String::new()
            }
        ));
    } else {
        lines.push(
            "no error bar: what waits counts as work, and samples do not distinguish the two. Shares are surer than \
             totals. Totals were 0.5 to 4.5 times the true ones in 13 programs, and 0.2 to 30 times in programs that \
             are one small loop or read memory at random. These are measurements, and no bounds"
                .to_owned(),
        );
    }
    lines.extend(elsewhere.map(|places| format!("elsewhere: {places}")));
    lines.extend(left_out(samples));
    if samples.lost + samples.broken > 0 {
        lines.push(format!("lost: {} found no room", counted(samples.lost + samples.broken, "sample")));
    }
    if let Some(reason) = &samples.not_kept {
        lines.push(format!("not all samples were kept: {reason}"));
    }
    if samples.throttled > 0 {
        lines.push(format!("the kernel paused {}: the rate is too high", counted(samples.throttled, "time")));
    }
    if samples.end == End::FileBrokenOff {
        lines.push("the file of samples breaks off; what comes before is reported".to_owned());
    }
    let of_entries = |part: u128| 100.0 * part as f64 / repaired.entries.max(1) as f64;
    lines.push(format!(
        "repaired: {:.1} % of all calls go through pointers or come from elsewhere, {:.1} % do not return{}",
        of_entries(repaired.from_outside),
        of_entries(repaired.left),
        if repaired.is_optimal { "" } else { " (not the likeliest: the solver's steps were used up)" }
    ));
    if let (known, untied @ 1..) = repaired.loops {
        lines.push(format!(
            "{untied} of {} {} not iterate as often as the code says, if samples are believed. {} taken to have been \
             left early, and the counts are no surer than totals",
            counted(known, "loop"),
            verb(untied, "does", "do"),
            verb(untied, "It is", "They are")
        ));
    }
    lines
}
