//! Is a program with coroutines counted where clang's profile passes read, and tuned?
//!
//! A coroutine is split by LLVM's own passes, so its parts are counted. clang profiles it whole, so a profile
//! has all functions but those. A run, and clang's own check of a profile, are the referees.

use super::{cases, opcost};

#[test]
fn a_coroutine_is_counted_in_parts_and_left_out_of_a_profile() {
    let place = cases();
    let line = "count --cflag=-std=c++20 --anchor pgo --ledger g.opc --json g.json generator.cpp";
    assert_eq!(opcost(&place, line).expect(0).stdout, "369000\n");
    let document = place.json("g.json");
    assert_eq!(document["quality"]["kind"], "exact", "{document:#}");
    let calls = |name: &str| {
        let functions = document["functions"].as_array().expect("functions");
        let of = functions.iter().find(|one| one["linkage_name"].as_str().is_some_and(|own| own == name));
        of.and_then(|one| one["calls"].as_u64())
    };
    // 30 of 40 numbers are yielded, and each round ends with one more.
    assert_eq!(calls("_Z3oddi.resume"), Some(300 * 31), "{document:#}");
    assert_eq!((calls("_Z3oddi"), calls("_ZL5draini")), (Some(300), Some(300)));
    let said = opcost(&place, "export --to profdata g.opc -o g.profdata").expect(0);
    said.expect_stderr(&["a coroutine is profiled before it is split"]);
    let compile = "clang++-22 -std=c++20 -O2 -fprofile-use=g.profdata -Werror=profile-instr-out-of-date \
                   generator.cpp -o tuned && ./tuned";
    assert_eq!(place.shell(compile).expect(0).stdout, "369000\n");
    let shown = place.shell("llvm-profdata-22 show --all-functions g.profdata").expect(0).stdout;
    assert!(shown.contains("draini") && !shown.contains("resume"), "{shown}");
}

#[test]
fn a_program_with_a_coroutine_is_tuned() {
    let place = cases();
    opcost(&place, "tune --runs 2 -o tuned --cflag=-std=c++20 generator.cpp").expect(0);
    assert_eq!(place.shell("./tuned").expect(0).stdout, "369000\n");
}
