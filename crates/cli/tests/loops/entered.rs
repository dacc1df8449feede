//! Does a count hold for every number, also for those with which the loop is not
//! entered, its bound is stepped over, or it never ends?

use serde_json::Value;

use super::{Source, loops, opcost};

/// What a loop does with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// Its body runs so often.
    Runs(i128),
    Endless,
    /// The language does not say.
    Undefined,
}

use Does::{Endless, Runs, Undefined};

/// A function with one loop over its parameter `n`, and the interpreter of it.
struct Case {
    name: &'static str,
    text: &'static str,
    does: fn(i128) -> Does,
}

const MAX: i128 = i32::MAX as i128;
const UMAX: i128 = u32::MAX as i128;

fn met_by_threes(n: i128) -> i128 {
    let n = n as u32;
    (0..51).find(|&turn: &u32| turn.wrapping_mul(3) == n).map_or(51, i128::from)
}

const CASES: [Case; 15] = [
    Case {
        name: "equal64",
        text: "(unsigned long n){ for(unsigned long i=0;i!=n;i++) g(i); }",
        does: |n| Runs(i128::from(n as i64 as u64)),
    },
    Case {
        name: "below",
        text: "(unsigned n){ for(unsigned i=0;i<n;i++) g(i); }",
        does: |n| Runs(i128::from(n as u32)),
    },
    Case {
        name: "down",
        text: "(int n){ for(int i=n;i>0;i--) g(i); }",
        does: |n| Runs(i128::from(n as i32).max(0)),
    },
    Case {
        name: "by_three",
        text: "(int n){ for(int i=0;i<n;i+=3) g(i); }",
        does: |n| match i128::from(n as i32) {
            n if n > MAX - 2 => Undefined,
            n => Runs((n.max(0) + 2) / 3),
        },
    },
    Case {
        name: "stepped_over",
        text: "(unsigned n){ int k=0; for(unsigned i=0;i!=n;i+=2){ g(i); if(++k>50) break; } }",
        does: |n| match i128::from(n as u32) {
            n if n % 2 == 0 => Runs((n / 2).min(51)),
            _ => Runs(51),
        },
    },
    Case {
        name: "met_by_wrapping",
        text: "(unsigned n){ int k=0; for(unsigned i=0;i!=n;i+=3){ g(i); if(++k>50) break; } }",
        does: |n| Runs(met_by_threes(n)),
    },
    Case {
        name: "two_equal",
        text: "(unsigned n){ for(unsigned i=0;i!=n;i+=4) { g(i); if (i==4000) break; } }",
        does: |n| match i128::from(n as u32) {
            n if n % 4 == 0 => Runs((n / 4).min(1001)),
            _ => Runs(1001),
        },
    },
    Case {
        name: "up_to",
        text: "(int n){ for(int i=0;i<=n;i++) g(i); }",
        does: |n| match i128::from(n as i32) {
            MAX => Undefined,
            n => Runs((n + 1).max(0)),
        },
    },
    Case {
        name: "up_to_unsigned",
        text: "(unsigned n){ for(unsigned i=0;i<=n;i++) g(i); }",
        does: |n| match i128::from(n as u32) {
            UMAX => Endless,
            n => Runs(n + 1),
        },
    },
    Case {
        name: "by_four",
        text: "(unsigned n){ for(unsigned i=0;i!=n;i+=4) g(i); }",
        does: |n| match i128::from(n as u32) {
            n if n % 4 == 0 => Runs(n / 4),
            _ => Endless,
        },
    },
    Case {
        name: "at_least_once",
        text: "(int n){ int i=0; do g(i); while(++i<n); }",
        does: |n| Runs(i128::from(n as i32).max(1)),
    },
    Case {
        name: "down_by_wrapping",
        text: "(unsigned n){ do g(n); while(--n); }",
        does: |n| Runs(if n as u32 == 0 { 1 << 32 } else { i128::from(n as u32) }),
    },
    Case {
        name: "of_two",
        text: "(int n){ for(int i=0;i<n && i!=7;i++) g(i); }",
        does: |n| Runs(i128::from(n as i32).clamp(0, 7)),
    },
    Case {
        name: "halves",
        text: "(unsigned n){ for(unsigned i=n;i;i/=2) g(i); }",
        does: |n| Runs(i128::from(32 - (n as u32).leading_zeros())),
    },
    Case {
        name: "guarded",
        text: "(int n){ if (n>3) for(int i=3;i!=n;i++) g(i); }",
        does: |n| Runs((i128::from(n as i32) - 3).max(0)),
    },
];

const NUMBERS: [i128; 16] =
    [0, 1, -1, 2, 3, 4, 7, 15, 100, 101, MAX, MAX - 1, -MAX - 1, UMAX, MAX + 2, (1 << 16) + 1];

#[test]
fn counts_hold_for_every_number_at_every_level() {
    let mut text = "extern void g(long);\n".to_owned();
    for Case { name, text: code, .. } in &CASES {
        text += &format!("void {name}{code}\n");
    }
    let source = Source::new("every.c", &text);
    let (mut told, mut all) = (0, 0);
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for n in NUMBERS {
            let found = loops(&[level, "--world", "open", "--set", &format!("n={n}"), &source.path]);
            for Case { name, does, .. } in &CASES {
                let of = |one: &&Value| one["function"] == *name;
                let own: Vec<&Value> = found.iter().filter(of).collect();
                let [one] = own[..] else { panic!("{level} {name}: {own:#?}") };
                let said = one["body_iterations"].as_str().and_then(|text| text.parse::<i128>().ok());
                match does(n) {
                    Runs(times) => {
                        all += 1;
                        told += i32::from(said.is_some());
                        assert!(said.is_none_or(|said| said == times), "{level} n={n}: {times}, {one:#}");
                        let is_never = one["entered_if"]["kind"] == "never";
                        assert!(!is_never || times == 0, "{level} n={n}: {one:#}");
                        assert!(said.is_some() || one["bound"].is_null(), "{level} n={n}: {one:#}");
                    }
                    Endless => assert_eq!(said, None, "{level} n={n}: {one:#}"),
                    Undefined => {}
                }
            }
        }
    }
    assert!(told * 100 >= all * 97, "{told} of {all} are told");
}

#[test]
fn what_a_vector_body_leaves_is_not_always_entered() {
    let text =
        "int a[9999];\nint sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n";
    let source = Source::new("rest.c", text);
    for level in ["-O2", "-O3"] {
        for n in [0_i128, -1, 1, 7, 8, 16, 17, 1000, MAX, -MAX - 1] {
            let all = loops(&[level, "--world", "open", "--set", &format!("n={n}"), &source.path]);
            let mut sum = 0;
            for one in &all {
                let body: i128 = one["body_iterations"].as_str().expect("told").parse().expect("a number");
                let lanes = one["vectorised"]["lanes"].as_i64().unwrap_or(1);
                sum += body * i128::from(lanes);
                if let Some(whole) = one["vectorised"]["source_iterations"].as_str() {
                    assert_eq!(whole, n.max(0).to_string(), "{level} n={n}");
                }
            }
            assert_eq!(sum, n.max(0), "{level} n={n}: {all:#?}");
        }
    }
}

#[test]
fn the_condition_is_told_in_the_table_and_in_the_document() {
    let source = Source::new("told.c", "extern void g(long);\nvoid f(int n){ for(int i=0;i<n;i++) g(i); }\n");
    let told = |arguments: &[&str]| {
        let one = loops(arguments).remove(0);
        (one["entered_if"]["kind"].clone(), one["entered_if"]["condition"].clone())
    };
    let plain = ["-O1", "--world", "open", &source.path];
    assert_eq!(told(&plain), ("if".into(), "n > 0".into()));
    assert_eq!(told(&["-O0", "--world", "open", &source.path]), ("always".into(), Value::Null));
    let given = ["-O1", "--world", "open", "--set", "n=-3", &source.path];
    assert_eq!(told(&given), ("never".into(), Value::Null));
    let shown = |arguments: &[&str]| {
        let all = [&["loops"], arguments].concat();
        opcost(&all).stdout
    };
    assert!(shown(&plain).contains("entered if n > 0"), "{}", shown(&plain));
    assert!(shown(&given).contains("0 (never entered)"), "{}", shown(&given));
}

#[test]
fn a_number_that_its_name_cannot_hold_is_refused() {
    let source = Source::new("wide.c", "extern void g(long);\nvoid f(int n){ for(int i=0;i<n;i++) g(i); }\n");
    let output = opcost(&["loops", "-O1", "--world", "open", "--set", "n=5000000000", &source.path]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("'n' cannot be 5000000000"), "{}", output.stderr);
}

/// A number for which a promise that the count rests on is broken has no count.
#[test]
fn given_numbers_keep_the_promises_that_are_told_with_them() {
    let text = "extern void g(long);\nvoid f(int n){ for(int i=0;i<n;i+=3) g(i); }\n";
    let source = Source::new("promise.c", text);
    for (n, told) in
        [(MAX, None), (MAX - 1, Some(715_827_882_i128)), (MAX - 3, Some(715_827_882)), (5, Some(2))]
    {
        let one = loops(&["-O0", "--world", "open", "--set", &format!("n={n}"), &source.path]).remove(0);
        let said = one["body_iterations"].as_str().and_then(|text| text.parse().ok());
        assert_eq!(said, told, "n={n}: {one:#}");
    }
}

/// What the optimiser stores side by side as one vector, and lanes of one.
#[test]
fn a_bound_that_was_stored_in_a_vector_is_told() {
    let text = "#include <stdio.h>\nstruct { int a,b,c,d; } g;\nstatic volatile long sink;\n__attribute__((noinline)) \
                void work(void){ for(int i=g.a;i<=g.b;i++) sink+=i; for(int i=g.c;i<=g.d;i++) sink-=i; \
                }\n__attribute__((noinline)) void setup(void){ g.a=1; g.b=700; g.c=2; g.d=900; }\nint main(void){ \
                setup(); work(); return 0; }\n";
    let source = Source::new("slp.c", text);
    for level in ["-O0", "-O1"] {
        let all = loops(&[level, &source.path]);
        let told: Vec<&str> = all.iter().filter_map(|one| one["body_iterations"].as_str()).collect();
        assert_eq!(told, ["700", "899"], "{level}");
    }
    // Unrolled: several copies, and what they leave.
    let all = loops(&["-O2", &source.path]);
    let whole = |one: &Value| one["unrolled"]["source_iterations"].as_str().map(str::to_owned);
    let mut told: Vec<String> = all.iter().filter_map(whole).collect();
    told.sort();
    assert_eq!(told, ["700", "899"], "-O2");
    let text = opcost(&["loops", "-O2", &source.path]).stdout;
    assert!(text.contains("700") && text.contains("899") && !text.contains("never entered"), "{text}");
}

/// Two loops of the source on one line are none that was unrolled, nor is one that
/// begins where another ended.
#[test]
fn only_what_the_unroller_split_is_one_loop_of_the_source() {
    let text = "extern void g(long);\n#define BOTH(n) for(; i < n; i++) g(i); for(; i < 4 * n; i += 4) g(i);\n\
                void f(void) { long i = 0; BOTH(90) }\n\
                void h(void) { long i = 0; \\\n_Pragma(\"clang loop unroll(disable)\") for(; i < 90; i++) g(i);\n\
                for(; i < 400; i += 4) g(i); }\n";
    let source = Source::new("two.c", text);
    for level in ["-O1", "-O2", "-O3"] {
        for one in loops(&[level, "--world", "open", &source.path]) {
            assert!(one["unrolled"].is_null(), "{level}: {one:#}");
        }
    }
}

/// The bound is read before the loop, and again in some turns.
#[test]
fn a_bound_that_some_turns_read_again_is_told() {
    let text = include_str!("entered/reloaded.ll");
    let source = Source::new("reloaded.ll", text);
    let one = loops(&[&source.path]).remove(0);
    assert_eq!(one["body_iterations"], "gp", "{one:#}");
    assert_eq!(one["entered_if"]["condition"], "gp > 0", "{one:#}");
    // Where a turn writes it, that is another bound.
    let source =
        Source::new("written.ll", &text.replace("store double %s1, ptr @sum", "store i32 %w, ptr @gp"));
    let one = loops(&[&source.path]).remove(0);
    assert_ne!(one["body_iterations"], "gp", "{one:#}");
}

/// A number for what others are made of, and for what a READ leaves.
#[test]
fn numbers_reach_what_is_derived_from_them() {
    let text = "module m\n  integer :: n0, nx2\nend module\nsubroutine work(s)\n  use m\n  integer s\n  do i = 1, nx2\n    \
                s = s + i*i/3\n  end do\nend subroutine\nprogram p\n  use m\n  integer s\n  n0 = 12\n  \
                read(*,*,iostat=io) n0\n  nx2 = n0 - 2\n  s = 0\n  call work(s)\n  print *, s\nend program\n";
    let source = Source::new("derived.f90", text);
    let told = |flags: &[&str]| -> Vec<String> {
        let arguments: Vec<&str> = flags.iter().copied().chain([&*source.path]).collect();
        let told = loops(&arguments);
        let told = told.iter().filter_map(|one| one["body_iterations"].as_str()).map(str::to_owned);
        told.collect()
    };
    for level in ["-O0", "-O1"] {
        assert!(told(&[level, "--set", "n0=33"]).contains(&"31".to_owned()), "{level}");
        assert!(told(&[level, "--defaults"]).contains(&"10".to_owned()), "{level}");
        assert!(told(&[level, "--set", "n0=2"]).contains(&"0".to_owned()), "{level}");
    }
}

/// What Fortran compilers call the program.
#[test]
fn a_program_of_fortran_is_whole() {
    let text = "define void @MAIN__() {\nentry:\n  call void @helper(i32 7)\n  ret void\n}\ndefine void @helper(i32 %k) \
                {\nentry:\n  br label %turn\nturn:\n  %i = phi i32 [ 0, %entry ], [ %n, %turn ]\n  %n = add nuw nsw i32 \
                %i, 1\n  %c = icmp slt i32 %n, %k\n  br i1 %c, label %turn, label %exit\nexit:\n  ret void\n}\n";
    let source = Source::new("main.ll", text);
    let one = loops(&["--world", "closed", &source.path]).remove(0);
    assert_eq!(one["body_iterations"], "7", "{one:#}");
}
