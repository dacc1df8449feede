// What do C++ programs need that no header defines?
//
// Containers are templates, but the sizes of hash tables lie in the C++ library,
// as trees and lists do (containers.c). They stand here under its names, with
// its structures, so that they are metered and alike everywhere.
// Where the library would throw, the program ends with the words that it would
// have thrown: portable programs have no exceptions.
#include "portable.h"

#include <stdbool.h>

// ---- hash tables -----------------------------------------------------------

struct policy {
  float most_load;
  size_t next_growth;
};

static bool opc_is_prime(size_t number) {
  for (size_t divisor = 3; divisor <= number / divisor; divisor += 2)
    if (number % divisor == 0) return false;
  return true;
}

size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct policy *policy, size_t wanted) {
  size_t prime = wanted < 11 ? 11 : wanted | 1;
  while (!opc_is_prime(prime)) prime += 2;
  double most = (double)prime * policy->most_load;
  policy->next_growth = most >= 1e18 ? SIZE_MAX : (size_t)most;
  return prime;
}

struct answer {
  bool is_needed;
  size_t buckets;
};

struct answer _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(struct policy *policy, size_t buckets,
                                                                       size_t elements, size_t more) {
  if (elements + more <= policy->next_growth) return (struct answer){false, 0};
  double least = (double)(elements + more) / policy->most_load;
  if (least < (double)buckets) {
    policy->next_growth = (size_t)((double)buckets * policy->most_load);
    return (struct answer){false, 0};
  }
  size_t wanted = (size_t)least + 1;
  if (wanted < buckets * 2) wanted = buckets * 2;
  return (struct answer){true, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(policy, wanted)};
}

// Multiplies and folds eight bytes at a time.
size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t count, size_t seed) {
  const char *at = bytes;
  uint64_t hash = seed ^ (count * UINT64_C(0x9e3779b97f4a7c15));
  for (; count > 0;) {
    uint64_t word = 0;
    size_t piece = count < 8 ? count : 8;
    for (size_t byte = 0; byte < piece; byte++) word |= (uint64_t)(unsigned char)at[byte] << 8 * byte;
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
    at += piece;
    count -= piece;
  }
  return hash;
}

// ---- ends ------------------------------------------------------------------

void _ZSt20__throw_length_errorPKc(const char *what) { opc_die("length_error", what); }
void _ZSt19__throw_logic_errorPKc(const char *what) { opc_die("logic_error", what); }
void _ZSt20__throw_out_of_rangePKc(const char *what) { opc_die("out_of_range", what); }
void _ZSt24__throw_invalid_argumentPKc(const char *what) { opc_die("invalid_argument", what); }
void _ZSt21__throw_runtime_errorPKc(const char *what) { opc_die("runtime_error", what); }
void _ZSt20__throw_domain_errorPKc(const char *what) { opc_die("domain_error", what); }
void _ZSt20__throw_overflow_errorPKc(const char *what) { opc_die("overflow_error", what); }
void _ZSt17__throw_bad_allocv(void) { opc_die("bad_alloc", "there is no more memory"); }
void _ZSt28__throw_bad_array_new_lengthv(void) { opc_die("bad_array_new_length", "no array is that long"); }
void _ZSt25__throw_bad_function_callv(void) { opc_die("bad_function_call", "the function is empty"); }
void _ZSt19__throw_ios_failurePKc(const char *what) { opc_die("ios_base::failure", what); }
void _ZSt19__throw_regex_errorNSt15regex_constants10error_typeE(int kind) {
  (void)kind;
  opc_die("regex_error", "the pattern is none");
}
void _ZSt16__throw_bad_castv(void) { opc_die("bad_cast", "it is of another type"); }
void LIBRARY(_ZSt24__throw_out_of_range_fmtPKcz)(const char *format, opc_slots slots) {
  (void)slots;
  opc_die("out_of_range", format);
}
void _ZSt9terminatev(void) { opc_die("terminate", "the program gave up"); }
void __cxa_pure_virtual(void) { opc_die("pure virtual function", "it was called"); }

// Whether a pointer is shared that was made with its object: told by type information, which is not there.
bool _ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info(const void *type) { return (void)type, false; }
char __libc_single_threaded = 1;
const char _ZSt7nothrow = 0;

// Objects inside functions, made at the first call. There is one thread.
int __cxa_guard_acquire(char *guard) { return !*guard; }
void __cxa_guard_release(char *guard) { *guard = 1; }
void __cxa_guard_abort(char *guard) { (void)guard; }

// <iostream>'s streams and their buffers: the header makes them ready, once.
char _ZSt3cin[512] __attribute__((aligned(16))), _ZSt4cout[512] __attribute__((aligned(16)));
char _ZSt4cerr[512] __attribute__((aligned(16))), _ZSt4clog[512] __attribute__((aligned(16)));
char opc_standard_buffers[3][128] __attribute__((aligned(16)));
int opc_streams_are_ready;
