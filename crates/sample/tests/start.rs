//! Do samples of programs that we start tell where they spent their time?

mod common;

use std::process::Command;

use common::{NINE_TO_ONE, Shop, WORK, function, may_sample, options};
use opcost_sample::{End, Error, Event, Options, Reason, Sampler, Samples};

fn sampled(command: Command, options: &Options) -> Samples {
    let mut sampler = Sampler::start(command, options).expect("it starts");
    sampler.wait(None).expect("it is sampled");
    let samples = sampler.finish().expect("there are samples");
    let homes: u64 = samples.images.iter().map(|image| image.total()).sum();
    assert_eq!(homes + samples.homeless_hits(|_| true), samples.total, "each sample is counted once");
    samples
}

fn path(path: &std::path::Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn a_function_that_takes_nine_tenths_gets_nine_tenths() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    for (name, flags) in [("pie", &["-pie", "-fPIE"]), ("fixed", &["-no-pie", "-fno-pie"])] {
        let program = shop.build(name, &format!("{WORK}{NINE_TO_ONE}"), flags);
        let samples = sampled(Command::new(&program), &options(4000));
        assert_eq!(samples.end, End::Exited(3));
        let image = samples.image(path(&program)).expect("the program is hit");
        assert!(image.build_id.as_ref().is_some_and(|id| id.len() == 20));
        let (hot, cold) =
            (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
        let both = hot + cold;
        assert!(both > 200, "{name}: {both} samples of {}", samples.total);
        assert!(both * 100 >= image.total() * 95, "{name}: {both} of {}", image.total());
        let part = hot as f64 / both as f64;
        assert!((0.8..0.97).contains(&part), "{name}: {part}");
    }
}
