// Members that a compiler inlines when it optimises, and are calls when it does not.
#include "at.h"
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

using String = std::string;
#define STRING(member) _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member
#define CONST_STRING(member) _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member
#define OF_STRING(X)                                                                                                   \
  X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4dataEv) X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv) \
  X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5c_strEv) X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5emptyEv) \
  X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6lengthEv) X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7_M_dataEv) \
  X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8capacityEv) X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8max_sizeEv) \
  X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE3endEv) X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5beginEv) \
  X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE3endEv) X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5beginEv) \
  X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4dataEv) X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4backEv) \
  X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5frontEv) X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_M_local_dataEv) \
  X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5clearEv)
#define ONE(name) AT(name, void *, (void *s), (s))
#define OF_STREAM(X)                                                                                                   \
  X(_ZNKSt9basic_iosIcSt11char_traitsIcEE4fillEv) X(_ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv)                       \
  X(_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv) X(_ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv)                       \
  X(_ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv) X(_ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv)
OF_STRING(ONE)
OF_STREAM(ONE)
AT(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm, void *, (void *s, size_t n), (s, n))
AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm, void *, (void *s, size_t n), (s, n))
AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_M_set_lengthEm, void, (void *s, size_t n), (s, n))
AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE11_M_capacityEm, void, (void *s, size_t n), (s, n))
AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7_M_dataEPc, void, (void *s, char *p), (s, p))
AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1Ev, void, (void *s), (s))
AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_Alloc_hiderC1EPcRKS3_, void, (void *s, char *p, const void *a), (s, p, a))
AT(_ZNSaIcEC1Ev, void, (void *s), (s))
AT(_ZNSaIcEC1ERKS_, void, (void *s, const void *a), (s, a))
AT(_ZNSaIcED1Ev, void, (void *s), (s))
AT(_ZNKSo6sentrycvbEv, bool, (const void *s), (s))
AT(_ZNSirsEPFRSt8ios_baseS0_E, void *, (void *s, void *f), (s, f))
AT(_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate, void, (void *s, int n), (s, n))
AT(_ZNSt9exceptionD2Ev, void, (void *e), (e))
AT(_ZNSt8bad_castD2Ev, void, (void *e), (e))
AT(_ZNSt8ios_base4InitC1Ev, void, (void *s), (s))
AT(_ZNSt8ios_base4InitD1Ev, void, (void *s), (s))
AT(_ZSt18uncaught_exceptionv, bool, (), ())
AT(__cxa_guard_abort, void, (void *guard), (guard))
AT(_ZNKSt5ctypeIcE13_M_widen_initEv, void, (const void *facet), (facet))
AT(_ZNKSt6locale2id5_M_idEv, size_t, (const void *id), (id))
AT_BULK(memcpy, void *, (void *a, const void *b, size_t n), (a, b, n), n)
AT_BULK(memmove, void *, (void *a, const void *b, size_t n), (a, b, n), n)
AT_BULK(mempcpy, void *, (void *a, const void *b, size_t n), (a, b, n), n)
AT_BULK(memset, void *, (void *a, int b, size_t n), (a, b, n), n)
AT_LENGTH(memcmp, int, (const void *a, const void *b, size_t n), (a, b, n), n)
AT_LENGTH(bcmp, int, (const void *a, const void *b, size_t n), (a, b, n), n)
AT(open, int, (const char *name, int how), (name, how))
AT(close, int, (int file), (file))
AT(lseek, long, (int file, long at, int from), (file, at, from))
AT(sleep, unsigned, (unsigned seconds), (seconds))
AT(atexit, int, (void (*last)()), (last))
AT(_ZNSt9basic_iosIcSt11char_traitsIcEE11_M_setstateESt12_Ios_Iostate, void, (void *s, int n), (s, n))

static void at_the_end() {}

void small_members() {
  for (int i = 0; i < 6; i++) {
    String s(i % 2 ? 5 : 50, 'a');
#define CALL(name) pointer = at_##name(&s);
    OF_STRING(CALL)
    s = "some words";
    std::istringstream in("1 2");
    // The state lies in the virtual base.
    std::ios *state = &in;
#define CALL_STATE(name) pointer = at_##name(state);
    OF_STREAM(CALL_STATE)
    pointer = at__ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm(&s, 1);
    pointer = at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm(&s, 1);
    at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_M_set_lengthEm(&s, 3);
    alignas(16) char room[64], guard[8] = {0};
    at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE11_M_capacityEm(room, 3);
    at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7_M_dataEPc(room, guard);
    at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1Ev(room);
    at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_Alloc_hiderC1EPcRKS3_(room, guard, guard);
    at__ZNSaIcEC1Ev(room), at__ZNSaIcEC1ERKS_(room, guard), at__ZNSaIcED1Ev(room);
    std::ostream::sentry sentry(std::cout);
    number = at__ZNKSo6sentrycvbEv(&sentry);
    at__ZNSirsEPFRSt8ios_baseS0_E(&in, reinterpret_cast<void *>(static_cast<std::ios_base &(*)(std::ios_base &)>(std::hex)));
    at__ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(state, 0);
    std::exception plain;
    at__ZNSt9exceptionD2Ev(&plain);
    new (room) std::bad_cast(), at__ZNSt8bad_castD2Ev(room);
    at__ZNSt8ios_base4InitC1Ev(room), at__ZNSt8ios_base4InitD1Ev(room);
    number = at__ZSt18uncaught_exceptionv();
    at___cxa_guard_abort(guard);
    at__ZNKSt5ctypeIcE13_M_widen_initEv(&std::use_facet<std::ctype<char>>(std::locale::classic()));
    number = at__ZNKSt6locale2id5_M_idEv(&std::ctype<char>::id);
    at__ZNSt9basic_iosIcSt11char_traitsIcEE11_M_setstateESt12_Ios_Iostate(state, 0);
    int file = at_open("input.txt", 0);
    number = at_lseek(file, 5, 0), number = at_close(file), number = at_sleep(0), number = at_atexit(at_the_end);
    static char a[20000], b[20000];
    for (size_t n : {0, 1, 2, 3, 7, 8, 15, 16, 31, 33, 64, 100, 256, 1000, 2000}) {
      at_memcpy(a + i, b, n), at_memmove(a + i, a, n), at_mempcpy(a, b + i, n), at_memset(a + i, 0, n);
      number = at_memcmp(a + i, b, n), number = at_bcmp(a, b + i, n);
    }
  }
}

#ifdef WORST
// Memory of every length, in step with its words and not, here and there of what one instruction copies.
void worst_small() {
  std::vector<size_t> all = lengths();
  for (size_t n : {0, 7, 15, 31, 33, 64, 257, 2047, 2048, 2100, 3000, 4096, 5000, 8192, 8200})
    if (n <= all.back()) all.push_back(n);
  String from(all.back() + 2000000, 'a'), to = from;
  for (size_t n : all)
    for (size_t off : {0, 3}) {
      char *a = &to[off];
      const char *b = &from[1];
      at_memcpy(a, b, n), at_memmove(a, b, n), at_mempcpy(a, b, n), at_memset(a, 'a', n);
      at_memmove(a + 1, a, n), at_memmove(a, a + 1, n), at_memmove(a + 40, a, n);
      number = at_memcmp(a, b, n), number = at_bcmp(a, b, n);
    }
}

void drawn_allocation();
void drawn_blocks();

// Memory at any place and over each other, of equal and other contents; members in any state.
#include "draw.h"

static void drawn_bytes() {
  constexpr size_t LONGEST = 100'000;
  static char room[2 * LONGEST + 9000], other[LONGEST + 200];
  for (Draws draws; draws.go_on();) {
    size_t n = any_length(LONGEST), at = draw(4100), to = one_in(2) ? draw(4100) : at + draw(130);
    char *a = room + at;
    const char *b = other + draw(100);
    argue("%zu bytes from %zu to %zu", n, at, to);
    at_memmove(room + to, a, n), at_memmove(a, room + to, n);
    at_memset(a, any_int(), n), at_memcpy(a, b, n), at_mempcpy(a, b, n);
    if (n && one_in(2)) a[draw(n)] ^= 1;
    number = at_memcmp(a, b, n), number = at_bcmp(a, b, n);
    memcpy(a, b, n);
    number = at_memcmp(a, b, n), number = at_bcmp(a, b, n);
  }
}

static void drawn_states() {
  for (Draws draws; draws.go_on();) {
    String s(any_length(3000), 'a');
    if (one_in(2)) s.reserve(any_length(5000));
    size_t n = draw(s.size() + 1);
    argue("%zu of %zu letters", n, s.size());
    OF_STRING(CALL)
    s = String(n + 1, 'b');
    pointer = at__ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm(&s, n);
    pointer = at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm(&s, n);
    at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13_M_set_lengthEm(&s, n);
    std::istringstream in("1 2");
    std::ios *state = &in;
    int bits = (int)draw(8), format = any_int();
    in.setstate((std::ios::iostate)(draw(2) ? 0 : draw(8))), in.flags((std::ios::fmtflags)format);
    argue("state %d, flags %x", (int)in.rdstate(), format);
    OF_STREAM(CALL_STATE)
    at__ZNSirsEPFRSt8ios_baseS0_E(&in, reinterpret_cast<void *>(static_cast<std::ios_base &(*)(std::ios_base &)>(std::hex)));
    at__ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(state, bits);
    at__ZNSt9basic_iosIcSt11char_traitsIcEE11_M_setstateESt12_Ios_Iostate(state, bits);
    number = at__ZSt18uncaught_exceptionv(), number = at_sleep(0);
    const char *name = one_of({"input.txt", "/dev/null", "none/none", ""});
    argue("%s", name);
    int file = at_open(name, one_in(2) ? 0 : any_int() & ~(O_CREAT | O_TRUNC | O_TMPFILE));
    number = (double)at_lseek(file, any_int(), any_int()), number = at_close(file), number = at_close(any_int() | 1 << 20);
  }
}

void drawn_memory() { drawn_bytes(), drawn_states(), drawn_allocation(), drawn_blocks(); }
#endif
