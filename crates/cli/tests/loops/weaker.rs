//! Marks of hard loops of which less is told today than could be known.
//!
//! File and line of the mark with the world it is asked in, and what the answer
//! lacks. The list is what the test finds, to the word: who makes an answer
//! better takes its row away, and a worse one fails.

/// Place, and what is said there.
pub(super) const WEAKER: &[(&str, &str)] = &[
    ("02_unsigned_wrap.c:42 open", "bound, where it can be exact"),
    ("04_zero_trips.c:42 open", "no loop is found"),
    ("07_common.f:108 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:41 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:51 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:54 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:57 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:68 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:80 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:91 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("07_common.f:92 open", "it assumes no alias through noalias parameters, which is not needed"),
    ("09_aliases.c:22 open", "unknown, where there is a bound"),
    ("10_logarithms_and_roots.c:66 open", "unknown, where there is a bound"),
    (
        "11_floating.c:15 open",
        "it assumes numbers with a point are IEEE 754's, uncontracted, which is not needed",
    ),
    (
        "11_floating.c:23 open",
        "it assumes numbers with a point are IEEE 754's, uncontracted, which is not needed",
    ),
    (
        "11_floating.c:32 open",
        "it assumes numbers with a point are IEEE 754's, uncontracted, which is not needed",
    ),
    ("11_floating.c:41 open", "bound, where it can be exact"),
    (
        "11_floating.c:7 open",
        "it assumes numbers with a point are IEEE 754's, uncontracted, which is not needed",
    ),
    ("12_irreducible_and_steps.c:10 open", "no loop is found"),
    ("12_irreducible_and_steps.c:43 open", "it assumes it ends (mustprogress), which is not needed"),
    ("assertions.c:48 closed", "unknown, where it can be exact"),
    ("hostile_callee.c:50 closed", "unknown, where it can be exact"),
    ("hostile_callee.c:84 open", "unknown, where it can be exact"),
    ("hostile_longjmp.c:40 open", "it assumes it is not left at %16 for %19, which is not needed"),
    ("hostile_memory.c:32 open", "it assumes indices stay inside their array, which is not needed"),
];
