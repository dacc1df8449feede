//! Which headers does opcost write itself for portable programs?
//!
//! Those of the C library, those that stand in place of the C++ library's own, and one
//! that all C++ programs begin with. All are text of ours; what else C++ programs
//! include is in [`super::cxx_library`].

/// Headers of the C library: programs and the library itself are compiled with these, and no others
/// are below. They declare what libstdc++ names, too, whether a portable program has it or not.
/// `stdarg.h`, `stddef.h`, `stdbool.h` and `float.h` are clang's.
pub const HEADERS: &[(&str, &str)] = &[
    ("alloca.h", include_str!("../c/portable/include/alloca.h")),
    ("assert.h", include_str!("../c/portable/include/assert.h")),
    ("complex.h", include_str!("../c/portable/include/complex.h")),
    ("ctype.h", include_str!("../c/portable/include/ctype.h")),
    ("errno.h", include_str!("../c/portable/include/errno.h")),
    ("features.h", include_str!("../c/portable/include/features.h")),
    ("fenv.h", include_str!("../c/portable/include/fenv.h")),
    ("inttypes.h", include_str!("../c/portable/include/inttypes.h")),
    ("limits.h", include_str!("../c/portable/include/limits.h")),
    ("locale.h", include_str!("../c/portable/include/locale.h")),
    ("malloc.h", include_str!("../c/portable/include/malloc.h")),
    ("math.h", include_str!("../c/portable/include/math.h")),
    ("memory.h", include_str!("../c/portable/include/memory.h")),
    ("pthread.h", include_str!("../c/portable/include/pthread.h")),
    ("sched.h", include_str!("../c/portable/include/sched.h")),
    ("semaphore.h", include_str!("../c/portable/include/semaphore.h")),
    ("setjmp.h", include_str!("../c/portable/include/setjmp.h")),
    ("signal.h", include_str!("../c/portable/include/signal.h")),
    ("stdint.h", include_str!("../c/portable/include/stdint.h")),
    ("stdio.h", include_str!("../c/portable/include/stdio.h")),
    ("stdlib.h", include_str!("../c/portable/include/stdlib.h")),
    ("string.h", include_str!("../c/portable/include/string.h")),
    ("strings.h", include_str!("../c/portable/include/strings.h")),
    ("sys/single_threaded.h", include_str!("../c/portable/include/sys/single_threaded.h")),
    ("sys/time.h", include_str!("../c/portable/include/sys/time.h")),
    ("sys/types.h", include_str!("../c/portable/include/sys/types.h")),
    ("syscall.h", include_str!("../c/portable/include/syscall.h")),
    ("time.h", include_str!("../c/portable/include/time.h")),
    ("uchar.h", include_str!("../c/portable/include/uchar.h")),
    ("unistd.h", include_str!("../c/portable/include/unistd.h")),
    ("wchar.h", include_str!("../c/portable/include/wchar.h")),
    ("wctype.h", include_str!("../c/portable/include/wctype.h")),
];

/// A header to be included before all others of C++: templates of the library
/// become part of the program.
pub const TEMPLATES: (&str, &str) = ("templates.h", include_str!("../c/portable/templates.h"));

/// Headers in place of the C++ library's own, to be found before them: streams,
/// and what else would need the library's compiled part.
pub const CXX_HEADERS: &[(&str, &str)] = &[
    ("codecvt", include_str!("../c/portable/cxx/codecvt")),
    ("filesystem", include_str!("../c/portable/cxx/filesystem")),
    ("fstream", include_str!("../c/portable/cxx/fstream")),
    ("iomanip", include_str!("../c/portable/cxx/iomanip")),
    ("ios", include_str!("../c/portable/cxx/ios")),
    ("iostream", include_str!("../c/portable/cxx/iostream")),
    ("istream", include_str!("../c/portable/cxx/istream")),
    ("locale", include_str!("../c/portable/cxx/locale")),
    ("opc_texts.h", include_str!("../c/portable/cxx/opc_texts.h")),
    ("ostream", include_str!("../c/portable/cxx/ostream")),
    ("sstream", include_str!("../c/portable/cxx/sstream")),
    ("streambuf", include_str!("../c/portable/cxx/streambuf")),
    ("syncstream", include_str!("../c/portable/cxx/syncstream")),
];
