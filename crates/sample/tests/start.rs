//! Do samples of programs that we start tell where they spent their time?

mod common;

use std::process::Command;

use common::{FAMILY, NINE_TO_ONE, Shop, WORK, function, is_the_family, may_sample, options};
use opcost_sample::{End, Error, Event, LostReason, Sampler, Samples, SessionOptions, read_perf_data};

fn sampled(command: Command, options: &SessionOptions) -> Samples {
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

#[test]
fn threads_and_children_and_what_they_become_are_followed() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let other = shop.build("other", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    let main = "
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
static void *thread(void *n) { (void)n; for (int i = 0; i < 60; i++) sink += hot(500000); return 0; }
int main(int count, char **arguments) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, thread, 0);
    if (fork() == 0) { for (int i = 0; i < 60; i++) sink += cold(500000); _exit(0); }
    if (fork() == 0) { execv(arguments[1], arguments + 1); _exit(1); }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    while (wait(0) > 0) {}
    return count - 2;
}";
    let program = shop.build("main", &format!("{WORK}{main}"), &["-pthread"]);
    let mut command = Command::new(&program);
    command.arg(&other);
    let samples = sampled(command, &options(4000));
    assert_eq!(samples.end, End::Exited(0));
    assert_eq!((samples.processes, samples.threads), (3, 6));
    let image = samples.image(path(&program)).expect("threads and the forked child");
    let (hot, cold) = (image.hits_in(function(&program, "hot")), image.hits_in(function(&program, "cold")));
    assert!(hot > cold && cold > 50, "three threads of {hot} and one child of {cold}");
    let other_image = samples.image(path(&other)).expect("the child that became another program");
    assert!(other_image.hits_in(function(&other, "hot")) > 100);
}

#[test]
fn processes_and_threads_have_their_names() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let other = shop.build("other", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    let program = shop.build("family", &format!("{WORK}{FAMILY}"), &["-pthread"]);
    let mut command = Command::new(&program);
    command.arg(&other);
    let samples = sampled(command, &SessionOptions { keep: Some(shop.path("kept")), ..options(4000) });
    assert_eq!(samples.end, End::Exited(0));
    is_the_family(&samples);
    let kept = read_perf_data(&shop.path("kept")).expect("it is read");
    assert_eq!(kept.by_process, samples.by_process);
}

#[test]
fn code_that_is_loaded_later_has_its_own_image() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let plugin = shop.build("plugin.so", WORK, &["-shared", "-fPIC"]);
    let main = "
#include <dlfcn.h>
volatile unsigned long sink;
int main(int count, char **arguments) {
    (void)count;
    for (int i = 0; i < 20; i++) {
        void *plugin = dlopen(arguments[1], RTLD_NOW);
        unsigned long (*hot)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(plugin, \"hot\");
        sink += hot(3000000);
        dlclose(plugin);
    }
    return 0;
}";
    let program = shop.build("host", main, &["-ldl"]);
    let mut command = Command::new(&program);
    command.arg(&plugin);
    let samples = sampled(command, &options(4000));
    let image = samples.image(path(&plugin)).expect("the plug-in is hit");
    let hot = image.hits_in(function(&plugin, "hot"));
    assert!(hot > 100 && hot * 10 >= image.total() * 9, "{hot} of {}", image.total());
}

#[test]
fn a_program_that_is_killed_leaves_what_it_did() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let main = "
#include <signal.h>
#include <unistd.h>
volatile unsigned long sink;
int main(void) { for (int i = 0;; i++) { sink += hot(1000000); if (i == 80) kill(getpid(), SIGKILL); } }";
    let program = shop.build("killed", &format!("{WORK}{main}"), &[]);
    let samples = sampled(Command::new(&program), &options(4000));
    assert_eq!(samples.end, End::Killed(9));
    let hot = samples.image(path(&program)).expect("hit").hits_in(function(&program, "hot"));
    assert!(hot > 100, "{hot}");
    let cpu = samples.cpu.expect("time is known").as_secs_f64();
    // To the last moment: what 4 kHz takes in the time that the kernel saw.
    assert!((hot as f64) > cpu * 4000.0 * 0.8, "{hot} in {cpu} s");
}

/// Runs a program that puts another build in its own place before it works.
fn replaced(flag: &str) -> (Samples, String) {
    let shop = Shop::new();
    let main = "
#include <stdio.h>
volatile unsigned long sink;
int main(int count, char **arguments) {
    (void)count;
    if (rename(arguments[1], arguments[0])) return 1;
    for (int i = 0; i < 60; i++) sink += hot(1000000);
    return 0;
}";
    let other = shop.build("other", &format!("{WORK}{NINE_TO_ONE}"), &[flag]);
    let program = shop.build("program", &format!("{WORK}{main}"), &[flag]);
    let mut command = Command::new(&program);
    command.arg(&other);
    let mut sampler = Sampler::start(command, &options(4000)).expect("it starts");
    while other.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    sampler.wait(None).expect("it is sampled");
    (sampler.finish().expect("there are samples"), path(&program).to_owned())
}

#[test]
fn another_build_at_the_path_is_refused() {
    if !may_sample() {
        return;
    }
    let (samples, program) = replaced("-Wl,--build-id");
    assert_eq!(samples.image(&program), None, "nothing is led to the wrong build");
    let refused = samples.homeless.iter().find(|homeless| homeless.path.as_ref() == Some(&program));
    let refused = refused.expect("the refusal is told");
    assert!(refused.hits > 50, "{}", refused.hits);
    assert!(matches!(&refused.reason, LostReason::OtherBuild { at_path: Some(_), .. }), "{}", refused.reason);
    assert!(refused.reason.to_string().contains("another build"), "{}", refused.reason);
}

#[test]
fn a_file_without_build_id_is_told_by_its_number() {
    if !may_sample() {
        return;
    }
    let (samples, program) = replaced("-Wl,--build-id=none");
    assert_eq!(samples.image(&program), None);
    assert!(samples.homeless_hits(|reason| *reason == LostReason::Replaced) > 50, "{:?}", samples.homeless);
    // And when it stays in its place, it is believed.
    let shop = Shop::new();
    let program = shop.build("plain", &format!("{WORK}{NINE_TO_ONE}"), &["-Wl,--build-id=none"]);
    let samples = sampled(Command::new(&program), &options(4000));
    let image = samples.image(path(&program)).expect("hit");
    assert!(image.build_id.is_none() && image.total() > 100);
}

#[test]
fn code_of_no_file_and_shifted_code_are_told_apart() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let main = "
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
volatile unsigned long sink;
static unsigned long bias;
static int first(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size; (void)data; bias = info->dlpi_addr; return 1;
}
int main(int count, char **arguments) {
    (void)count;
    struct stat facts;
    int file = open(arguments[0], O_RDONLY);
    fstat(file, &facts);
    dl_iterate_phdr(first, 0);
    unsigned long (*code)(unsigned long);
    /* The whole file as code: with ld's layout offsets are addresses. */
    char *whole = mmap(0, facts.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    code = (unsigned long (*)(unsigned long))(whole + ((unsigned long)hot - bias));
    for (int i = 0; i < 60; i++) sink += code(1000000);
    char *made = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(made, (char *)hot, 256);
    code = (unsigned long (*)(unsigned long))made;
    for (int i = 0; i < 60; i++) sink += code(1000000);
    return 0;
}";
    let program = shop.build("maker", &format!("{WORK}{main}"), &["-pie", "-fPIE", "-fcf-protection=none"]);
    let samples = sampled(Command::new(&program), &options(4000));
    assert_eq!(samples.end, End::Exited(0));
    assert!(samples.homeless_hits(|reason| *reason == LostReason::Shifted) > 100, "{:?}", samples.homeless);
    assert!(samples.homeless_hits(|reason| *reason == LostReason::Anonymous) > 100, "{:?}", samples.homeless);
    let hot = samples.image(path(&program)).map_or(0, |image| image.hits_in(function(&program, "hot")));
    assert_eq!(hot, 0, "none is led to the function by guessing");
}

#[test]
fn a_program_that_is_over_at_once_is_no_error() {
    if !may_sample() {
        return;
    }
    for _ in 0..5 {
        let samples = sampled(Command::new("true"), &options(1000));
        assert_eq!(samples.end, End::Exited(0));
        assert_eq!((samples.processes, samples.threads), (1, 1));
        assert!(samples.cpu.expect("time is known") > std::time::Duration::ZERO);
    }
}

#[test]
fn lost_samples_are_counted_and_lose_no_mapping() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let program = shop.build("loses", &format!("{WORK}{NINE_TO_ONE}"), &[]);
    let small = SessionOptions { ring_pages: 1, ..options(10_000) };
    let sampler = Sampler::start(Command::new(&program), &small).expect("it starts");
    let mut end = std::time::Duration::ZERO;
    // The reader is held up until the program is done.
    while !has_ended(sampler.pid().expect("it was started")) && end < std::time::Duration::from_secs(60) {
        std::thread::sleep(std::time::Duration::from_millis(20));
        end += std::time::Duration::from_millis(20);
    }
    let samples = sampler.finish().expect("there are samples");
    assert_eq!(samples.end, End::Exited(3));
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    assert!(samples.total <= processors * 4096 / 32, "{} samples", samples.total);
    assert!(samples.lost > 500, "{} lost, {} seen", samples.lost, samples.total);
    assert!(samples.image(path(&program)).is_some_and(|image| image.total() > 50), "{:?}", samples.homeless);
    assert_eq!(samples.homeless_hits(|reason| *reason == LostReason::Unmapped), 0);
    let reached = samples.rate_reached().expect("time is known");
    assert!(reached > 8000.0, "with lost ones {reached} of 10,000 a second");
}

/// Whether a child of ours is dead and waits to be asked for its status.
fn has_ended(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit(')').next().is_none_or(|rest| rest.trim_start().starts_with('Z'))
}

#[test]
fn call_stacks_lead_through_callers() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let main = "
volatile unsigned long sink;
/* gcc gives the leaf no frame, which hides this one. */
__attribute__((noinline)) void turn(void) { sink += hot(1000000); sink++; }
__attribute__((noinline)) void left(void) { for (int i = 0; i < 30; i++) turn(); sink++; }
__attribute__((noinline)) void right(void) { for (int i = 0; i < 90; i++) turn(); sink++; }
int main(void) { left(); right(); return 0; }";
    let program = shop.build("stacks", &format!("{WORK}{main}"), &[]);
    let samples = sampled(Command::new(&program), &SessionOptions { stacks: true, ..options(4000) });
    let image = samples.images.iter().position(|image| image.path == path(&program)).expect("hit");
    let through = |name: &str| -> u64 {
        let (leaf, caller) = (function(&program, "hot"), function(&program, name));
        let is_through = |frames: &[opcost_sample::CallFrame]| {
            let at = |range: &std::ops::Range<u64>, frame: &opcost_sample::CallFrame| {
                frame.is_some_and(|(number, address)| number == image && range.contains(&address))
            };
            frames.first().is_some_and(|frame| at(&leaf, frame))
                && frames.iter().any(|frame| at(&caller, frame))
        };
        samples.stacks.iter().filter(|stack| is_through(&stack.frames)).map(|stack| stack.hits).sum()
    };
    let (left, right) = (through("left"), through("right"));
    assert!(left > 50 && right > left * 3 / 2, "{left} through one, {right} through three");
}

#[test]
fn other_events_are_sampled_where_the_machine_has_them() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let main = "
#include <string.h>
#include <sys/mman.h>
__attribute__((noinline)) void touch(char *place) { for (int i = 0; i < 4096; i++) place[i * 4096L] = 1; }
int main(void) {
    for (int i = 0; i < 10; i++) {
        char *place = mmap(0, 4096 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(place, 4096 * 4096L, MADV_NOHUGEPAGE);
        touch(place);
        munmap(place, 4096 * 4096L);
    }
    return 0;
}";
    let program = shop.build("faults", main, &[]);
    let event = Event::named("page-faults").expect("it has a name");
    let samples = sampled(Command::new(&program), &SessionOptions { event, ..options(4000) });
    assert_eq!(samples.event, "page-faults");
    let touch = samples.image(path(&program)).expect("hit").hits_in(function(&program, "touch"));
    assert!(touch > 20 && touch * 2 > samples.total, "{touch} of {}", samples.total);
    // What the machine has not is told by name.
    if !common::has_event("cache-misses") {
        let event = Event::named("cache-misses").expect("it has a name");
        let refused = Sampler::start(Command::new("true"), &SessionOptions { event, ..options(4000) }).err();
        let told = refused.expect("it is refused").to_string();
        assert!(told.contains("no counter `cache-misses`") && told.contains("cpu-clock"), "{told}");
    }
}

#[test]
fn the_kernels_part_is_a_count_and_can_be_left_out() {
    if !may_sample() {
        return;
    }
    let shop = Shop::new();
    let main = "
#include <unistd.h>
#include <fcntl.h>
int main(void) {
    static char bytes[1 << 20];
    int file = open(\"/dev/zero\", O_RDONLY);
    for (int i = 0; i < 5000; i++) if (read(file, bytes, sizeof bytes) < 0) return 1;
    return 0;
}";
    let program = shop.build("reads", main, &[]);
    let samples = sampled(Command::new(&program), &options(4000));
    let kernel = samples.homeless_hits(|reason| *reason == LostReason::Kernel);
    if samples.with_kernel {
        assert!(kernel > 50 && kernel * 2 > samples.total, "{kernel} of {}", samples.total);
    } else {
        assert_eq!(kernel, 0);
    }
    let samples = sampled(Command::new(&program), &SessionOptions { kernel: false, ..options(4000) });
    assert!(!samples.with_kernel);
    assert_eq!(samples.homeless_hits(|reason| *reason == LostReason::Kernel), 0);
}

#[test]
fn an_overhead_picks_a_rate() {
    if !may_sample() {
        return;
    }
    let pace = opcost_sample::Pace::Overhead(0.02);
    let sampler = Sampler::start(Command::new("true"), &SessionOptions { pace, ..SessionOptions::default() });
    let rate = sampler.expect("it starts").rate();
    assert!((10..=100_000).contains(&rate.granted) && rate.granted == rate.requested, "{rate:?}");
}

#[test]
fn more_than_the_kernel_takes_is_told() {
    if !may_sample() {
        return;
    }
    let rate = Sampler::start(Command::new("true"), &options(1_000_000_000)).expect("it starts").rate();
    assert!(rate.requested == 1_000_000_000 && rate.granted < rate.requested, "{rate:?}");
}

#[test]
fn a_program_that_is_not_there_is_told() {
    if !may_sample() {
        return;
    }
    let error = Sampler::start(Command::new("/nowhere/at-all"), &options(1000)).err().expect("no program");
    assert!(matches!(&error, Error::Start { program, .. } if program == "/nowhere/at-all"), "{error}");
    assert!(error.to_string().contains("cannot be started"), "{error}");
}
