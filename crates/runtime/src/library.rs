//! Functions of the C and C++ libraries that pay for what they do.
//!
//! A search for the end of a string, a sort, a format, a list that is turned
//! round, a string that moves: how much they do is in no argument. With a cost
//! model that charges by length they are compiled with the program, at the clang
//! at hand, and calls of `strlen` lead to [`name`]`("strlen")`. They do the work
//! themselves, or charge it and leave it to the library.

/// All files, by name.
pub const SOURCES: &[(&str, &str)] = &[
    ("library.h", include_str!("c/library/library.h")),
    ("text.c", include_str!("c/library/text.c")),
    ("sort.c", include_str!("c/library/sort.c")),
    ("format.c", include_str!("c/library/format.c")),
    ("times.c", include_str!("c/library/times.c")),
    ("containers.c", include_str!("c/library/containers.c")),
    ("throwing.c", include_str!("c/library/throwing.c")),
    ("strings.c", include_str!("c/library/strings.c")),
    ("streams.c", include_str!("c/library/streams.c")),
    (
        "library.c",
        "#include \"text.c\"\n#include \"sort.c\"\n#include \"format.c\"\n#include \"times.c\"\n\
         #include \"containers.c\"\n#include \"throwing.c\"\n#include \"strings.c\"\n#include \"streams.c\"\n",
    ),
];

/// The file to compile.
pub const UNIT: &str = "library.c";

/// How clang must compile it, besides what names the machine. Builtins are
/// off, or a loop of `strlen` would become a call of it.
pub const FLAGS: &[&str] =
    &["-O2", "-c", "-emit-llvm", "-fno-builtin", "-fexceptions", "-fPIC", "-gline-tables-only", "-std=gnu11"];

/// Functions of text.c and sort.c; portable programs have them, too.
pub const TEXT_AND_SORT: &[&str] = &[
    "strlen",
    "strnlen",
    "memchr",
    "rawmemchr",
    "strncmp",
    "strcmp",
    "strcoll",
    "strncasecmp",
    "strcasecmp",
    "strchrnul",
    "strchr",
    "memrchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strtok_r",
    "strtok",
    "stpcpy",
    "strcpy",
    "stpncpy",
    "strncpy",
    "strcat",
    "strncat",
    "strdup",
    "strndup",
    "qsort_r",
    "qsort",
    "bsearch",
];

/// Functions of format.c.
pub const FORMAT: &[&str] = &[
    "vprintf",
    "vfprintf",
    "vsprintf",
    "vsnprintf",
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "puts",
    "fputs",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "strtof",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "sscanf",
    "__isoc99_sscanf",
    "__isoc23_sscanf",
    "strtold",
    "fgets",
    "getdelim",
    "getline",
    "_ZSt10from_charsPKcS0_RdSt12chars_format",
    "_ZSt10from_charsPKcS0_RfSt12chars_format",
    "fmod",
    "fmodf",
    "remainder",
    "remainderf",
    "fmodl",
    "remainderl",
    "remquo",
    "remquof",
    "remquol",
    "fopen",
    "fopen64",
    "fflush",
    "__printf_chk",
    "__fprintf_chk",
    "__sprintf_chk",
    "__snprintf_chk",
    "asprintf",
    "getenv",
    "vscanf",
    "vfscanf",
    "vsscanf",
    "__isoc99_vscanf",
    "__isoc99_vfscanf",
    "__isoc99_vsscanf",
];

/// Functions of times.c.
pub const TIMES: &[&str] = &["mktime", "localtime", "strftime"];

/// Functions of containers.c: trees and lists of C++.
pub const CONTAINERS: &[&str] = &[
    "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
    "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
    "_ZNSt8__detail15_List_node_base10_M_reverseEv",
    "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
    "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
];

/// Functions of throwing.c: what throws.
pub const THROWING: &[&str] = &[
    "__cxa_throw",
    "__cxa_rethrow",
    "_ZSt17__throw_bad_allocv",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt25__throw_bad_function_callv",
    "_ZSt16__throw_bad_castv",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt24__throw_invalid_argumentPKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
];

/// Functions of strings.c: `std::string`, and what keeps texts and types.
pub const STRINGS: &[&str] = &[
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_S_copy_charsEPcPKcS7_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_S_copy_charsEPcS5_S5_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_S_copy_charsEPcN9__gnu_cxx17__normal_iteratorIS5_S4_EES8_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_mm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_mm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EPKcRKS3_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2EPKcRKS3_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEPKc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEPKc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLERKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEPKc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKcm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmPKc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmPKcm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmRKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5eraseEmm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8_M_eraseEmm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmPKc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmPKcm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmRKS4_",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEm",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13shrink_to_fitEv",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4copyEPcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareERKS4_",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEmmPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEmmPKc",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEmmRKS4_",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findERKS4_m",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEPKcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindERKS4_m",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofEPKcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofEPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofERKS4_m",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofEPKcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofEPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofERKS4_m",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofEPKcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofEPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofERKS4_m",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofEPKcmm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofEPKcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofERKS4_m",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofEcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofEcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofEcm",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofEcm",
    "_ZSt11_Hash_bytesPKvmm",
    "_ZNSt11logic_errorC1EPKc",
    "_ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt11logic_errorC2EPKc",
    "_ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt12domain_errorC1EPKc",
    "_ZNSt12domain_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt12domain_errorC2EPKc",
    "_ZNSt12domain_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt16invalid_argumentC1EPKc",
    "_ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt16invalid_argumentC2EPKc",
    "_ZNSt16invalid_argumentC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt12length_errorC1EPKc",
    "_ZNSt12length_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt12length_errorC2EPKc",
    "_ZNSt12length_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt12out_of_rangeC1EPKc",
    "_ZNSt12out_of_rangeC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt12out_of_rangeC2EPKc",
    "_ZNSt12out_of_rangeC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt13runtime_errorC1EPKc",
    "_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt13runtime_errorC2EPKc",
    "_ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt11range_errorC1EPKc",
    "_ZNSt11range_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt11range_errorC2EPKc",
    "_ZNSt11range_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt14overflow_errorC1EPKc",
    "_ZNSt14overflow_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt14overflow_errorC2EPKc",
    "_ZNSt14overflow_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt15underflow_errorC1EPKc",
    "_ZNSt15underflow_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNSt15underflow_errorC2EPKc",
    "_ZNSt15underflow_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "__dynamic_cast",
];

/// Functions of streams.c: streams of C++.
pub const STREAMS: &[&str] = &[
    "_ZNSo9_M_insertIbEERSoT_",
    "_ZNSo9_M_insertIlEERSoT_",
    "_ZNSo9_M_insertImEERSoT_",
    "_ZNSo9_M_insertIxEERSoT_",
    "_ZNSo9_M_insertIyEERSoT_",
    "_ZNSo9_M_insertIPKvEERSoT_",
    "_ZNSolsEb",
    "_ZNSolsEs",
    "_ZNSolsEt",
    "_ZNSolsEi",
    "_ZNSolsEj",
    "_ZNSolsEl",
    "_ZNSolsEm",
    "_ZNSolsEx",
    "_ZNSolsEy",
    "_ZNSolsEPKv",
    "_ZNSo9_M_insertIdEERSoT_",
    "_ZNSo9_M_insertIeEERSoT_",
    "_ZNSolsEf",
    "_ZNSolsEd",
    "_ZNSolsEe",
    "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c",
    "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
    "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE",
    "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
    "_ZNSo5writeEPKcl",
    "_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv",
    "_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv",
    "_ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv",
    "_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv",
    "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE",
    "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE",
    "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE",
    "_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE",
    "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode",
    "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode",
    "_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode",
    "_ZNSirsERb",
    "_ZNSirsERs",
    "_ZNSirsERt",
    "_ZNSirsERi",
    "_ZNSirsERj",
    "_ZNSirsERl",
    "_ZNSirsERm",
    "_ZNSirsERx",
    "_ZNSirsERy",
    "_ZNSirsERf",
    "_ZNSirsERd",
    "_ZNSirsERe",
    "_ZNSi10_M_extractIbEERSiRT_",
    "_ZNSi10_M_extractIjEERSiRT_",
    "_ZNSi10_M_extractItEERSiRT_",
    "_ZNSi10_M_extractIlEERSiRT_",
    "_ZNSi10_M_extractImEERSiRT_",
    "_ZNSi10_M_extractIxEERSiRT_",
    "_ZNSi10_M_extractIyEERSiRT_",
    "_ZNSi10_M_extractIfEERSiRT_",
    "_ZNSi10_M_extractIdEERSiRT_",
    "_ZNSi10_M_extractIeEERSiRT_",
    "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_",
    "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE",
    "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE",
    "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_",
    "_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_",
    "_ZNSi7getlineEPcl",
    "_ZNSi7getlineEPclc",
    "_ZNSi4readEPcl",
    "_ZNSi6ignoreEv",
    "_ZNSi6ignoreEl",
    "_ZNSi6ignoreEli",
    "_ZNSi3getEv",
    "_ZNSi3getERc",
    "_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate",
    "opc_virtual",
];

/// All that are compiled with a program that runs on the machine's libraries.
pub const ALL: [&[&str]; 7] = [TEXT_AND_SORT, FORMAT, TIMES, CONTAINERS, THROWING, STRINGS, STREAMS];

/// The start of every name.
pub const PREFIX: &str = "opc_libc_";

/// The name under which a function of the C library pays.
pub fn name(function: &str) -> String {
    format!("{PREFIX}{function}")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{ALL, FLAGS, PREFIX, SOURCES, UNIT};

    /// What clang makes of the files is what the lists say, no more and no less.
    #[test]
    fn every_function_is_defined_and_every_definition_is_listed() {
        let folder = std::env::temp_dir().join(format!("opcost-library-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("made");
        for (name, text) in SOURCES {
            std::fs::write(folder.join(name), text).expect("written");
        }
        let mut clang = Command::new("clang-22");
        let flags = FLAGS.iter().filter(|&&flag| flag != "-c");
        clang.args(flags).args(["-S", "-Wall", "-Werror", UNIT, "-o", "-"]).current_dir(&folder);
        let made = clang.output().expect("clang-22 is there");
        std::fs::remove_dir_all(&folder).expect("removed");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let text = String::from_utf8(made.stdout).expect("text");
        let definitions =
            text.lines().filter(|line| line.starts_with("define ") && !line.contains(" internal "));
        let after_prefix = definitions.filter_map(|line| line.split_once(&format!("@{PREFIX}")));
        let mut defined: Vec<&str> = after_prefix.filter_map(|(_, rest)| rest.split('(').next()).collect();
        let mut listed: Vec<&str> = ALL.concat();
        defined.sort_unstable();
        listed.sort_unstable();
        assert_eq!(defined, listed);
    }
}
