//! Is what `perf record` writes read rightly, where there is a perf?

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{NINE_TO_ONE, Shop, WORK, function, referee};
use opcost_sample::{End, LostReason, read_perf_data, read_perf_data_of};

/// Records a program; `None` where there is no perf or it may not record.
fn recorded(shop: &Shop, program: &Path, more: &[&str]) -> Option<PathBuf> {
    let file = shop.path("perf.data");
    let status = Command::new("perf")
        .args(["record", "-q", "-e", "cpu-clock", "-F", "4000", "-o"])
        .arg(&file)
        .args(more)
        .arg("--")
        .arg(program)
        .stderr(Stdio::null())
        .status();
    let exists = status.is_ok() && file.exists();
    if !exists {
        eprintln!("not tested: there is no perf here, or it may not record");
    }
    exists.then_some(file)
}

#[test]
fn what_perf_recorded_leads_to_the_same_functions() {
    let shop = Shop::new();
    let program = shop.build("program", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    for more in [&[][..], &["--buildid-mmap"], &["-g"], &["-e", "dummy:u"]] {
        let Some(file) = recorded(&shop, &program, more) else { return };
        let samples = read_perf_data(&file).expect("it is read");
        assert_eq!((samples.end, samples.broken), (End::FileEnd, 0), "{more:?}");
        assert_eq!((&*samples.event, samples.rate.requested), ("cpu-clock", 4000));
        assert_eq!(samples.total, referee(&file), "{more:?}");
        let image = samples.image(program.to_str().expect("a plain path"));
        let image = image.unwrap_or_else(|| panic!("{more:?}: {:?}", samples.homeless));
        let (hot, cold) =
            (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
        let part = hot as f64 / (hot + cold) as f64;
        assert!(hot > 100 && (0.8..0.97).contains(&part), "{more:?}: {hot} and {cold}");
    }
}

#[test]
fn samples_of_another_build_are_refused() {
    let shop = Shop::new();
    let program = shop.build("program", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    // With builds noted by perf, and with the number of the file only.
    for more in [&[][..], &["-B", "-N"]] {
        let Some(file) = recorded(&shop, &program, more) else { return };
        let source = format!("int before{};{WORK}{NINE_TO_ONE}", more.len());
        shop.build("program", &source, &["-O2"]);
        let samples = read_perf_data(&file).expect("it is read");
        assert_eq!(samples.image(program.to_str().expect("a plain path")), None);
        let is_refusal =
            |reason: &LostReason| matches!(reason, LostReason::OtherBuild { .. } | LostReason::Replaced);
        assert!(samples.homeless_hits(is_refusal) > 100, "{:?}", samples.homeless);
    }
}

#[test]
fn a_file_that_breaks_off_is_told() {
    let shop = Shop::new();
    let program = shop.build("program", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    let Some(file) = recorded(&shop, &program, &[]) else { return };
    let bytes = std::fs::read(&file).expect("it was written");
    let whole = read_perf_data(&file).expect("it is read").total;
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("it is written");
    let samples = read_perf_data(&file).expect("what is there is read");
    assert_eq!(samples.end, End::FileBrokenOff);
    assert!(samples.total > 0 && samples.total < whole, "{} of {whole}", samples.total);
    std::fs::write(&file, &bytes[..60]).expect("it is written");
    let told = read_perf_data(&file).expect_err("nothing is there").to_string();
    assert!(told.contains("perf.data") && told.contains("breaks off within its events"), "{told}");
}

#[test]
fn what_perf_compressed_or_piped_is_read_alike() {
    let shop = Shop::new();
    let program = shop.build("program", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    for (more, is_piped) in [(&["-z"][..], false), (&[], true), (&["-z"], true)] {
        let file = shop.path("perf.data");
        let _ = std::fs::remove_file(&file);
        let mut command = Command::new("perf");
        command.args(["record", "-q", "-e", "cpu-clock", "-F", "4000"]).args(more);
        if is_piped {
            command.args(["-o", "-"]).stdout(std::fs::File::create(&file).expect("a file"));
        } else {
            command.arg("-o").arg(&file);
        }
        let status = command.arg("--").arg(&program).stderr(Stdio::null()).status();
        // The status is the program's own.
        let is_recorded = std::fs::metadata(&file).is_ok_and(|about| about.len() > 1000);
        if status.is_err() || !is_recorded {
            eprintln!("not tested: there is no perf here, it may not record, or it cannot do {more:?}");
            continue;
        }
        let samples = read_perf_data_of(&file, &program, &[]).expect("it is read");
        assert_eq!((samples.end, samples.broken), (End::FileEnd, 0), "{more:?}, piped: {is_piped}");
        let image = samples.image(program.to_str().expect("a plain path")).expect("it was hit");
        let (hot, cold) =
            (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
        let part = hot as f64 / (hot + cold) as f64;
        assert!(hot > 100 && (0.8..0.97).contains(&part), "{more:?}, piped: {is_piped}: {hot} and {cold}");
    }
}
