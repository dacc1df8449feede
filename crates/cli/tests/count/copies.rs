//! The same module, unrolled and vectorised or not, gives the same ledger.
//!
//! Every loop has a twin of the same body that stays as it is, in the same run: by the
//! samples of one run the loop must be found to turn about as often as its twin, as the
//! exact count has it. What processors do at once is no part of the question, so bodies are
//! long chains of operations of one cycle, whose time hardly depends on what is around
//! them. Taken for one execution each, code that stands for four or eight would be told a
//! quarter or an eighth: the margins lie between.

use serde_json::Value;

use super::sampled::{Place, fine, function};

const LOOPS: &str = "
#include <stdlib.h>
#define AS_IT_IS _Pragma(\"clang loop unroll(disable) vectorize(disable)\")
#ifdef PLAIN
#define UNROLLED AS_IT_IS
#define VECTORS AS_IT_IS
#else
#define UNROLLED _Pragma(\"clang loop unroll_count(4) vectorize(disable)\")
#define VECTORS _Pragma(\"clang loop vectorize(enable)\")
#endif
#define BODY x ^= x << 13; x ^= x >> 17; x ^= x << 5; x += i; x ^= x << 9; x ^= x >> 4;
#define CHAIN(name, how) \\
  __attribute__((noinline)) unsigned name(unsigned n, unsigned x) { \\
    how for (unsigned i = 0; i < n; i++) { BODY } \\
    return x; \\
  }
#define EACH(name, how) \\
  __attribute__((noinline)) unsigned name(unsigned n, const unsigned *a) { \\
    unsigned sum = 0; \\
    how for (unsigned i = 0; i < n; i++) { unsigned x = a[i]; BODY sum += x; } \\
    return sum; \\
  }
CHAIN(chain, AS_IT_IS)
CHAIN(unrolled, UNROLLED)
EACH(each, AS_IT_IS)
EACH(vectors, VECTORS)
int main(int argc, char **argv) {
  static unsigned a[4003];
  unsigned sum = 0, rounds = argc > 1 ? atoi(argv[1]) : 12000;
  for (unsigned k = 0; k < rounds; k++)
    sum += chain(4003, sum) + unrolled(4003, sum) + each(4003, a) + vectors(4003, a);
  return sum == 42;
}
";

/// How often one loop turned, by how often its twin did.
fn ratio(document: &Value, name: &str, twin: &str) -> f64 {
    let work = |name: &str| function(document, name)["instructions"].as_f64().expect("a number");
    work(name) / work(twin)
}

#[test]
fn unrolled_or_not_the_ledger_is_the_same() {
    let place = Place::new();
    let source = place.source(LOOPS);
    let anchor = ["--anchor", "source", "--optimised", "--rate", "10000", "--json", "-"];
    let sampled = |more: &[&str]| fine(&[&["sample"], &anchor[..], more, &[&*source]].concat()).json();
    let (whole, plain) = (sampled(&[]), sampled(&["-D", "PLAIN"]));
    let exact = fine(&["count", "--anchor", "source", "--json", "-", &source, "--", "2"]).json();
    for (name, twin) in [("unrolled", "chain"), ("vectors", "each")] {
        assert!((ratio(&exact, name, twin) - 1.0).abs() < 1e-9, "{name}");
        for (how, told) in [("as it is", &plain), ("copied", &whole)] {
            let found = ratio(told, name, twin);
            assert!((0.45..2.2).contains(&found), "{name}, {how}: {found} of its twin");
        }
    }
}

#[test]
fn where_nothing_is_left_to_optimise_that_is_said() {
    let place = Place::new();
    let source = place.source(LOOPS);
    for anchor in [&[][..], &["--anchor", "optimized"]] {
        let refused = super::sampled::opcost(&[&["sample", "--optimised", &source], anchor].concat());
        assert_eq!(refused.status, 2);
        let said = &refused.stderr;
        assert!(
            said.contains("comes after the optimiser") && said.contains("--anchor source or pgo"),
            "{said}"
        );
    }
}
