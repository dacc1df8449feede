//! Which calls may look at the fuel that is left?
//!
//! Metered code does, and whatever may lead to it or end the program: then the
//! cell must be true before the call and is read again behind it. Intrinsics,
//! inline assembly and a list of C library functions do neither. A second list
//! names functions that must find the cell true, since they may end the
//! program or unwind the stack, but never call back into a program's code.
//!
//! The lists hold names that C and POSIX reserve, so what a program defines
//! under them is not what is meant here: they apply to declarations only.

use opcost_ir::{Call, CalleeRef, Module};

/// What a call does with the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Neither looks nor ends anything.
    Never,
    /// May end the program or the frame; calls no code of the program.
    WithoutCallback,
    /// May run any code of the program.
    Freely,
}

/// What this call may do.
pub(crate) fn looks(module: &Module, call: &Call) -> Looks {
    match call.callee {
        CalleeRef::Assembly => Looks::Never,
        CalleeRef::Declaration(id) if module.declarations[id].is_intrinsic => {
            if call.is_noreturn || !call.is_nounwind { Looks::WithoutCallback } else { Looks::Never }
        }
        CalleeRef::Declaration(id) => {
            let name = module.declarations[id].name.as_str();
            if is_listed(QUIET, name) && !call.returns_twice && !call.is_noreturn {
                Looks::Never
            } else if is_listed(CALLS_NOTHING_BACK, name) {
                Looks::WithoutCallback
            } else {
                Looks::Freely
            }
        }
        CalleeRef::Function(_) | CalleeRef::Indirect => Looks::Freely,
    }
}

/// Whether libraries may call a function of this name: the start of the
/// program, and what replaces functions of the C and C++ library.
pub(crate) fn is_known_to_libraries(name: &str) -> bool {
    let reserved = ["_Zn", "_Zd", "__cxa_", "__gxx_", "_Unwind_"];
    matches!(name, "main" | "_start" | "memalign" | "valloc" | "pvalloc" | "exit")
        || reserved.iter().any(|start| name.starts_with(start))
        || is_listed(QUIET, name)
        || is_listed(CALLS_NOTHING_BACK, name)
}

fn is_listed(list: &[&str], name: &str) -> bool {
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    list.iter().any(|line| line.split_ascii_whitespace().any(|listed| listed == name))
}

/// They compute, or read and write what they are given.
const QUIET: &[&str] = &[
    "memcpy memmove memset memcmp memchr memrchr memccpy mempcpy bcmp bcopy bzero rawmemchr",
    "strlen strnlen strcpy strncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr strstr",
    "strpbrk strspn strcspn strtok strtok_r strdup strndup stpcpy stpncpy strchrnul strerror strcoll",
    "strtol strtoul strtoll strtoull strtod strtof strtold atoi atol atoll atof",
    "isalnum isalpha isdigit isspace isupper islower isprint ispunct isxdigit iscntrl isgraph toupper tolower",
    "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location",
    "malloc calloc realloc free aligned_alloc posix_memalign malloc_usable_size",
    "printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts fputs putchar fputc putc perror",
    "scanf fscanf sscanf fgets getc fgetc getchar ungetc getline fread fwrite fopen fclose fflush fseek ftell",
    "rewind feof ferror clearerr fileno setvbuf open close read write lseek stat fstat lstat access unlink getcwd",
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p",
    "pow sqrt cbrt hypot fabs floor ceil round trunc rint nearbyint lrint llrint lround llround fmod remainder",
    "modf frexp ldexp scalbn logb ilogb erf erfc tgamma lgamma fmin fmax fdim fma copysign nan",
    "sinf cosf tanf asinf acosf atanf atan2f expf exp2f logf log2f log10f powf sqrtf cbrtf hypotf fabsf floorf",
    "ceilf roundf truncf rintf fmodf modff frexpf ldexpf fminf fmaxf fmaf copysignf lroundf",
    "abs labs llabs div ldiv lldiv rand srand rand_r random srandom drand48 time clock clock_gettime gettimeofday",
    "localtime localtime_r gmtime gmtime_r mktime strftime difftime getenv getpid isatty sysconf setlocale",
    "opc_libc_charge sigemptyset sigfillset sigaddset __fprintf_chk __printf_chk __snprintf_chk __sprintf_chk __vsnprintf_chk",
    "__memcpy_chk __memset_chk __memmove_chk __strcpy_chk __strcat_chk __cxa_guard_abort __cxa_get_exception_ptr",
];

/// They unwind, jump or end the program, and run nothing of it before.
const CALLS_NOTHING_BACK: &[&str] = &[
    "_Znwm _Znam _ZnwmSt11align_val_t _ZnamSt11align_val_t _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t",
    "_ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdlPvmSt11align_val_t",
    "__cxa_allocate_exception __cxa_free_exception __cxa_begin_catch __cxa_guard_acquire __cxa_guard_release",
    "__cxa_atexit atexit __cxa_throw_bad_array_new_length _ZSt17__throw_bad_allocv _ZSt20__throw_length_errorPKc",
    "_ZSt24__throw_out_of_range_fmtPKcz _ZSt19__throw_logic_errorPKc _ZSt28__throw_bad_array_new_lengthv",
    "abort _exit _Exit __assert_fail __stack_chk_fail longjmp _longjmp siglongjmp __longjmp_chk",
    "setjmp _setjmp __sigsetjmp sigsetjmp",
];
