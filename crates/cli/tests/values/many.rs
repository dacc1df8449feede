//! Ten million activations in bounded memory, exact or thinned, and said so.

use super::{Place, the_loop};

const MANY: &str = "#include <stdlib.h>\nvolatile unsigned sink;\nstatic void work(unsigned n) {\n  for (unsigned i = 0; i < n; i++) sink = i;\n}\nint main(int count, char **words) {\n  unsigned long many = strtoul(words[1], 0, 10), wide = strtoul(words[2], 0, 10);\n  for (unsigned long k = 0; k < many; k++) work((unsigned)(k * 2654435761u >> 7) % wide);\n}\n";

#[test]
fn ten_million_activations_take_bounded_memory() {
    let place = Place::new();
    let source = place.write("m.c", MANY);
    let (document, status) = place.values(&[
        "--trip-counts",
        "-O0",
        "--keep",
        "kept",
        "--memory",
        "1M",
        &source,
        "--",
        "10000000",
        "4",
    ]);
    assert_eq!(status, 0);
    let one = the_loop(&document, 4);
    assert_eq!(one["complete"], 10_000_000);
    assert_eq!(one["turns"]["exact"], true, "four values have room");
    let counted: u64 = super::histogram(one).iter().map(|pair| pair.1).sum();
    assert_eq!(counted, 10_000_000);
    let turns: u64 = super::histogram(one).iter().map(|pair| pair.0 * pair.1).sum();
    assert_eq!(one["back_edges"], turns);
    assert!(one["turns"]["stride"].as_u64() > Some(1), "the sequence had no room");
    let kept: u64 =
        one["turns"]["sequence"].as_array().unwrap().iter().map(|run| run[1].as_u64().unwrap()).sum();
    let stride = one["turns"]["stride"].as_u64().unwrap();
    assert_eq!(kept, 10_000_000_u64.div_ceil(stride));
    assert!(document["memory_used"].as_u64() <= Some(1 << 20));
    let bytes: u64 = std::fs::read_dir(place.path("kept"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= 3 << 20, "{bytes}");
}

#[test]
fn values_without_room_are_told_by_range() {
    let place = Place::new();
    let source = place.write("m.c", MANY);
    let (document, status) =
        place.values(&["--trip-counts", "-O0", "--memory", "64K", &source, "--", "20000", "5000"]);
    assert_eq!(status, 0);
    let one = the_loop(&document, 4);
    assert_eq!(one["turns"]["exact"], false);
    let exact: u64 = super::histogram(one).iter().map(|pair| pair.1).sum();
    let coarse: u64 =
        one["turns"]["coarse"].as_array().unwrap().iter().map(|range| range[2].as_u64().unwrap()).sum();
    assert!(coarse > 0 && exact > 0);
    assert_eq!(exact + coarse, 20_000);
    let said =
        place.opcost(&["values", "--trip-counts", "-O0", "--memory", "64K", &source, "--", "20000", "5000"]);
    assert!(said.stderr.contains("coarse"), "{said:?}");
}

#[test]
fn a_sample_keeps_numbers_exact() {
    let place = Place::new();
    let source = place.write("m.c", MANY);
    let (all, _) = place.values(&["--trip-counts", "-O0", &source, "--", "5000", "9"]);
    let (some, _) = place.values(&["--trip-counts", "-O0", "--sample", "10", &source, "--", "5000", "9"]);
    let (all, one) = (the_loop(&all, 4), the_loop(&some, 4));
    assert_eq!(one["turns"]["recorded"], 500);
    assert_eq!((&one["back_edges"], &one["complete"]), (&all["back_edges"], &all["complete"]));
    assert_eq!(one["turns"]["exact"], false);
}
