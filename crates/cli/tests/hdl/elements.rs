//! Are elements of memories what callers give?
//!
//! A contract of a pointer is about each element behind it. It keeps random inputs within what the
//! function defines, and narrows what is loaded. A `bool` is 0 or 1 without any contract.

use super::{made, workplace};

const SOURCE: &str = "#include <stdbool.h>
#include <stdint.h>
void weigh(const int32_t a[restrict 16], const int32_t b[restrict 16], int32_t c[restrict 4]) {
  for (int i = 0; i < 4; i++) {
    int32_t s = 0;
    for (int k = 0; k < 4; k++) s += a[i * 4 + k] * b[k * 4 + i];
    c[i] = s;
  }
}
int invert(const bool *restrict a, bool *restrict o, int n) {
  int c = 0;
  for (int i = 0; i < n; i++) { bool v = !a[i]; o[i] = v; c += v; }
  return c;
}
bool toggle(bool *a, int n) {
  bool any = false;
  for (int i = 0; i < n; i++) { a[i] = !a[i]; any |= a[i]; }
  return any;
}
";

#[test]
fn contracts_of_elements_keep_inputs_within_what_is_defined() {
    for level in ["-O1", "-O2"] {
        let place = workplace();
        place.write("weigh.c", SOURCE);
        let without = ["hdl", "weigh.c", "--top", "weigh", "-o", "out", "--cosimulate", "40", level];
        let said = place.opcost(&without).expect(2);
        assert!(said.stderr.contains("signed integer overflow"), "{}", said.stderr);
        let contracts = ["--assume", "weigh.a=-100..100", "--assume", "weigh.b=-7,0..30"];
        let document = made(&place, "weigh.c", &[&["--top", "weigh", level][..], &contracts].concat());
        let text = document.to_string();
        assert!(text.contains("each element keeps the contract weigh.a=-100..100"), "{text}");
        let refused = [&without[..6], &["--assume", "weigh.a=0..5000000000"]].concat();
        let said = place.opcost(&refused).expect(2);
        assert!(said.stderr.contains("elements of 32 bits cannot be"), "{}", said.stderr);
    }
}

#[test]
fn elements_that_are_booleans_are_0_or_1() {
    for (top, contract) in [("invert", "invert.n=0..64"), ("toggle", "toggle.n=0..64")] {
        for level in ["-O1", "-O2"] {
            let place = workplace();
            place.write("booleans.c", SOURCE);
            made(&place, "booleans.c", &["--top", top, level, "--assume", contract]);
        }
    }
}

/// C++ is called by C++.
#[test]
fn functions_in_cpp_are_simulated_too() {
    let place = workplace();
    place.write(
        "mix.cpp",
        "#include <algorithm>\n#include <cstdint>\nnamespace dsp {\ntemplate <typename T> static T clip(T x) { return \
         std::clamp<T>(x, -100, 100); }\nint peak(const int16_t *x, bool *loud, int n) {\n  int most = 0;\n  for (int i = \
         0; i < n; i++) { loud[i] = x[i] > 50; most = std::max<int>(most, clip(x[i])); }\n  return most;\n}\n}\n",
    );
    made(&place, "mix.cpp", &["--top", "dsp::peak", "--assume", "peak.n=0..64"]);
}
