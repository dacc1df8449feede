// The streams of C++. cin reads through C's streams as it does when nothing is
// said, a file by itself: half of the calls are of each.
#include "at.h"
#include <charconv>
#include <cstring>
#include <chrono>
#include <cstdlib>
#include <malloc.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

using Out = std::ostream;
using In = std::istream;
using Text = const std::string &;
#define OUT(name, type) AT(name, Out *, (Out & s, type x), (s, x))
#define IN(name, type) AT(name, In *, (In & s, type & x), (s, x))
#define OUTPUTS(X)                                                                                  \
  X(_ZNSolsEi, int, i * 79) X(_ZNSolsEj, unsigned, i * 79) X(_ZNSolsEs, short, i * 79)               \
  X(_ZNSolsEt, unsigned short, i * 79) X(_ZNSolsEl, long, i * 79) X(_ZNSolsEm, unsigned long, i * 79) \
  X(_ZNSolsEx, long long, i * 79) X(_ZNSolsEy, unsigned long long, i * 79) X(_ZNSolsEb, bool, i & 1)  \
  X(_ZNSolsEd, double, i * 0.7) X(_ZNSolsEf, float, i * 0.7f) X(_ZNSolsEe, long double, i * 0.7)       \
  X(_ZNSolsEPKv, const void *, text.data())                                                          \
  X(_ZNSo9_M_insertIlEERSoT_, long, i * 79) X(_ZNSo9_M_insertImEERSoT_, unsigned long, i * 79)       \
  X(_ZNSo9_M_insertIxEERSoT_, long long, i * 79)                                                     \
  X(_ZNSo9_M_insertIyEERSoT_, unsigned long long, i * 79) X(_ZNSo9_M_insertIbEERSoT_, bool, i & 1)   \
  X(_ZNSo9_M_insertIdEERSoT_, double, i * 0.7) X(_ZNSo9_M_insertIeEERSoT_, long double, i * 0.7)     \
  X(_ZNSo9_M_insertIPKvEERSoT_, const void *, text.data()) X(_ZNSo3putEc, char, 'a')                 \
  X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char, 'a')                                \
  X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *, "some words")             \
  X(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, Text, text)
#define INPUTS(X)                                                                                   \
  X(_ZNSirsERi, int) X(_ZNSirsERj, unsigned) X(_ZNSirsERs, short) X(_ZNSirsERt, unsigned short)     \
  X(_ZNSirsERl, long) X(_ZNSirsERm, unsigned long) X(_ZNSirsERx, long long)                         \
  X(_ZNSirsERy, unsigned long long) X(_ZNSirsERd, double) X(_ZNSirsERf, float)                      \
  X(_ZNSirsERe, long double) X(_ZNSi10_M_extractIlEERSiRT_, long)                                   \
  X(_ZNSi10_M_extractImEERSiRT_, unsigned long) X(_ZNSi10_M_extractIxEERSiRT_, long long)           \
  X(_ZNSi10_M_extractIyEERSiRT_, unsigned long long) X(_ZNSi10_M_extractIdEERSiRT_, double)         \
  X(_ZNSi10_M_extractIfEERSiRT_, float) X(_ZNSi10_M_extractIeEERSiRT_, long double)                 \
  X(_ZNSi10_M_extractIjEERSiRT_, unsigned) X(_ZNSi10_M_extractItEERSiRT_, unsigned short)           \
  X(_ZNSi10_M_extractIbEERSiRT_, bool) X(_ZNSirsERb, bool)                                          \
  X(_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_, char)                              \
  X(_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE, std::string) \
  X(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE, std::string)
#define DECLARE_OUT(name, type, value) OUT(name, type)
OUTPUTS(DECLARE_OUT)
INPUTS(IN)
AT(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l, Out *,
   (Out & s, const char *p, long n), (s, p, n))
AT(_ZNSo5writeEPKcl, Out *, (Out & s, const char *p, long n), (s, p, n))
AT(_ZNSo5flushEv, Out *, (Out & s), (s))
AT(_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_, Out *, (Out & s), (s))
AT(_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_, Out *, (Out & s), (s))
AT(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_,
   In *, (In & s, std::string &t, char c), (s, t, c))
AT(_ZNSi3getEv, int, (In & s), (s))
AT(_ZNSi3getERc, In *, (In & s, char &c), (s, c))
AT(_ZNSi4peekEv, int, (In & s), (s))
AT(_ZNSi5ungetEv, In *, (In & s), (s))
AT(_ZNSi6ignoreEv, In *, (In & s), (s))
AT(_ZNSi6ignoreEl, In *, (In & s, long n), (s, n))
AT(_ZNSi6ignoreEli, In *, (In & s, long n, int end), (s, n, end))
AT(_ZNSi7getlineEPclc, In *, (In & s, char *p, long n, char end), (s, p, n, end))
AT(_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_, In *, (In & s), (s))
AT(_ZNSi4readEPcl, In *, (In & s, char *p, long n), (s, p, n))
AT(_ZNSi7getlineEPcl, In *, (In & s, char *p, long n), (s, p, n))
AT(_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate, void, (std::ios * s, int n), (s, n))
AT(_ZNSt6localeC1Ev, void, (void *p), (p))
AT(_ZNSt6localeD1Ev, void, (void *p), (p))
AT(_ZNSt6localeC1ERKS_, void, (void *p, const std::locale &l), (p, l))
AT(_ZNSt6localeaSERKS_, void *, (void *p, const std::locale &l), (p, l))
AT(_ZNSt8ios_baseC2Ev, void, (void *p), (p))
AT(_ZNSt8ios_baseD2Ev, void, (void *p), (p))
AT(_ZNSt8ios_base15sync_with_stdioEb, bool, (bool b), (b))
AT(_ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate, void, (std::ios * s, int n), (s, n))
AT(_ZNSt9basic_iosIcSt11char_traitsIcEE3tieEPSo, void *, (std::ios * s, void *p), (s, p))
AT(_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv, bool, (std::ios * s), (s))
AT(_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv, bool, (std::ios * s), (s))
AT(_ZNKSt9basic_iosIcSt11char_traitsIcEEntEv, bool, (std::ios * s), (s))
AT(_ZNSolsEPFRSoS_E, Out *, (Out & s, Out &(*f)(Out &)), (s, f))
AT(_ZNSirsEPFRSiS_E, In *, (In & s, In &(*f)(In &)), (s, f))
AT(_ZNKSt12__basic_fileIcE7is_openEv, bool, (const void *p), (p))
AT(_ZNSolsEPFRSt8ios_baseS0_E, Out *, (Out & s, std::ios_base &(*f)(std::ios_base &)), (s, f))
AT(_ZNSo6sentryC1ERSo, void, (void *p, Out &s), (p, s))
AT(_ZNSo6sentryD1Ev, void, (void *p), (p))
AT(_ZNSi6sentryC1ERSib, void, (void *p, In &s, bool b), (p, s, b))
AT(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, Out *, (Out & s, int n), (s, n))
AT(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw, Out *, (Out & s, int n), (s, n))
AT(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, Out *, (Out & s, char c), (s, c))
AT(_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale, const void *, (const std::locale &l), (l))

using Mode = std::ios_base::openmode;
#define STREAM(name, tables)                                                                         \
  AT(name##C1Ev, void, (void *p), (p)) AT(name##D1Ev, void, (void *p), (p))                         \
  AT(name##D2Ev, void, (void *p, void *t), (p, t))                                                  \
  extern char tables_of_##name[] __asm__(#tables);
#define STRINGS(kind)                                                                               \
  STREAM(_ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE,                                           \
         _ZTTNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEE)                                        \
  AT(_ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode, \
     void, (void *p, Text t, Mode m), (p, t, m))
STRINGS(18basic_stringstream)
STRINGS(19basic_istringstream)
STRINGS(19basic_ostringstream)
#define CONTENTS(kind)                                                                               \
  AT(_ZNKSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE3strEv, void *, (void *to, const void *p), (to, p)) \
  AT(_ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE, void,        \
     (void *p, Text t), (p, t))
CONTENTS(15basic_stringbuf)
CONTENTS(18basic_stringstream)
CONTENTS(19basic_istringstream)
CONTENTS(19basic_ostringstream)
#define FILES(kind)                                                                                 \
  STREAM(_ZNSt##kind##IcSt11char_traitsIcEE, _ZTTSt##kind##IcSt11char_traitsIcEE)                   \
  AT(_ZNSt##kind##IcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode, void, (void *p, const char *t, Mode m), (p, t, m))
FILES(14basic_ifstream)
FILES(14basic_ofstream)
FILES(13basic_fstream)
AT(_ZNSt6chrono3_V212steady_clock3nowEv, long, (), ())
AT(_ZNSt6chrono3_V212system_clock3nowEv, long, (), ())
AT(_ZSt8to_charsPcS_d, std::to_chars_result, (char *p, char *end, double x), (p, end, x))
AT(_ZSt10from_charsPKcS0_RdSt12chars_format, std::from_chars_result,
   (const char *p, const char *end, double &x, std::chars_format f), (p, end, x, f))
AT(_ZSt10from_charsPKcS0_RfSt12chars_format, std::from_chars_result,
   (const char *p, const char *end, float &x, std::chars_format f), (p, end, x, f))

// The next number of the input, whatever was read last.
static void go_on(In &in) {
  in.clear();
  in.ignore(99, '\n');
  while (!isdigit(in.peek())) in.ignore(99, '\n');
}

template <class Value> static Value read_into;

static void one_round(int i, Out &out, In &in) {
  std::string text(5 + i, 'a');
  char letters[80];
#define WRITE(name, type, value) at_##name(out, value);
  OUTPUTS(WRITE)
  out << '\n';
#define READ(name, type) go_on(in), at_##name(in, read_into<type>);
  INPUTS(READ)
  at__ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(out, "some words", 10);
  at__ZNSo5writeEPKcl(out, "some words", 10);
  at__ZNSo5flushEv(out), out << "some words";
  at__ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(out), out << "some words";
  at__ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(out);
  go_on(in);
  at__ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_(
      in, read_into<std::string>, '\n');
  number = at__ZNSi3getEv(in), at__ZNSi5ungetEv(in), at__ZNSi3getERc(in, letters[0]);
  number = at__ZNSi4peekEv(in), at__ZNSi6ignoreEv(in), at__ZNSi4readEPcl(in, letters, 10);
  at__ZNSi6ignoreEl(in, 3), at__ZNSi6ignoreEli(in, 100, '\n'), at__ZNSi7getlineEPclc(in, letters, 80, '\n');
  at__ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_(in);
  at__ZNSi7getlineEPcl(in, letters, 80);
  at__ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(&in, 0);
}

void cxx_streams() {
  std::ifstream in("input.txt");
  std::ofstream out("/dev/null");
  alignas(16) char room[1024], other[64];
  free(malloc(100000)), malloc_trim(0);
  for (int i = 0; i < TIMES; i++) {
    i % 2 ? one_round(i, out, in) : one_round(i, std::cout, std::cin);
    at__ZNSt6localeC1Ev(other), at__ZNSt6localeaSERKS_(other, std::locale::classic());
    at__ZNSt6localeD1Ev(other), at__ZNSt6localeC1ERKS_(other, std::locale::classic());
    pointer = const_cast<void *>(at__ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(std::locale::classic()));
    at__ZNSt8ios_baseC2Ev(room), at__ZNSt8ios_baseD2Ev(room);
    number = at__ZNSt8ios_base15sync_with_stdioEb(true);
    at__ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate(&in, 0);
    at__ZNSt9basic_iosIcSt11char_traitsIcEE3tieEPSo(&in, nullptr);
    number = at__ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv(&in);
    number = at__ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv(&in);
    number = at__ZNKSt9basic_iosIcSt11char_traitsIcEEntEv(&in);
    at__ZNSolsEPFRSoS_E(out, std::endl), at__ZNSolsEPFRSt8ios_baseS0_E(out, std::dec);
    at__ZNSirsEPFRSiS_E(in, [](In &same) -> In & { return same; });
    static const void *closed[16];
    number = at__ZNKSt12__basic_fileIcE7is_openEv(closed);
    at__ZNSo6sentryC1ERSo(room, out), at__ZNSo6sentryD1Ev(room), at__ZNSi6sentryC1ERSib(room, in, true);
    at__ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision(out, 6);
    at__ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw(out, 0);
    at__ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E(out, ' ');
    std::string text = "12 34 56 words and words";
    constexpr Mode mode = std::ios::in | std::ios::out;
#define MADE(name)                                                                                   \
  at_##name##C1Ev(room), at_##name##D1Ev(room), at_##name##C1Ev(room);                              \
  at_##name##D2Ev(room, tables_of_##name);
#define FILLED(kind)                                                                                \
  MADE(_ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE)                                             \
  at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode( \
      room, text, mode),                                                                            \
      at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEED1Ev(room);
    FILLED(18basic_stringstream)
    FILLED(19basic_istringstream)
    FILLED(19basic_ostringstream)
#define TAKEN_OUT(kind, object)                                                                      \
  at__ZNKSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE3strEv(other, &object);                         \
  reinterpret_cast<std::string *>(other)->~basic_string();                                           \
  at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE(&object, text);
#define ALL_TAKEN_OUT                                                                                \
  std::stringbuf buffer(text);                                                                       \
  std::stringstream both(text);                                                                      \
  std::istringstream from(text);                                                                     \
  std::ostringstream to(text);                                                                       \
  TAKEN_OUT(15basic_stringbuf, buffer)                                                               \
  TAKEN_OUT(18basic_stringstream, both)                                                              \
  TAKEN_OUT(19basic_istringstream, from)                                                             \
  TAKEN_OUT(19basic_ostringstream, to)
    ALL_TAKEN_OUT
#define OPENED(kind, name)                                                                          \
  MADE(_ZNSt##kind##IcSt11char_traitsIcEE)                                                          \
  at__ZNSt##kind##IcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode(room, name, mode),                   \
      at__ZNSt##kind##IcSt11char_traitsIcEED1Ev(room);
    OPENED(14basic_ifstream, "input.txt")
    OPENED(14basic_ofstream, "/dev/null")
    OPENED(13basic_fstream, "input.txt")
    number = at__ZNSt6chrono3_V212steady_clock3nowEv(), number = at__ZNSt6chrono3_V212system_clock3nowEv();
    double x = i * 0.7;
    at__ZSt8to_charsPcS_d(room, room + 60, x);
    const char digits[] = "123.25";
    float small;
    at__ZSt10from_charsPKcS0_RdSt12chars_format(digits, digits + 6, x, std::chars_format::general);
    at__ZSt10from_charsPKcS0_RfSt12chars_format(digits, digits + 6, small, std::chars_format::general);
  }
}

#ifdef WORST
static void worst_reading(const std::string &text) {
  if (text.empty()) return;
#define WORST_READ(name, type) { std::istringstream in(text); type value{}; at_##name(in, value); }
  INPUTS(WORST_READ)
  std::string line;
  { std::istringstream in(text);
    at__ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_(in, line, 'z'); }
  line.resize(text.size() + 1);
  { std::istringstream in(text); at__ZNSi4readEPcl(in, &line[0], (long)text.size()); }
  { std::istringstream in(text); at__ZNSi7getlineEPcl(in, &line[0], (long)text.size()); }
  { std::istringstream in(text); at__ZNSi7getlineEPclc(in, &line[0], (long)text.size(), 'z'); }
  { std::istringstream in(text); at__ZNSi6ignoreEl(in, (long)text.size()); }
  { std::istringstream in(text); at__ZNSi6ignoreEli(in, (long)text.size(), 'z'); }
  { std::istringstream in(text); at__ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_(in); }
  { std::istringstream in(text); at__ZNSi6ignoreEv(in), at__ZNSi3getEv(in), at__ZNSi3getERc(in, line[0]), at__ZNSi4peekEv(in); }
}

static void worst_writing(size_t n) {
  int i = 1;
  std::string text(n, 'x');
#define WORST_WRITE(name, type, value)                                   \
  { std::ostringstream s; s.width((long)n), at_##name(s, value); }       \
  { std::ostringstream s; s << std::fixed, s.precision((long)n), at_##name(s, value); }
  OUTPUTS(WORST_WRITE)
  { std::ostringstream s; at__ZNSo5writeEPKcl(s, text.data(), (long)n); }
  { std::ostringstream s; at__ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(s, text.data(), (long)n); }
  { std::ostringstream s; at__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(s, text.c_str()); }
  { std::ofstream s("/dev/null"); at__ZNSo5writeEPKcl(s, text.data(), (long)n); }
  alignas(16) char room[1024], other[64];
#define WORST_FILLED(kind)                                                                          \
  at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode( \
      room, text, std::ios::in | std::ios::out),                                                    \
      at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEED1Ev(room);                                 \
  at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode( \
      room, text, std::ios::in | std::ios::out),                                                    \
      at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEED2Ev(                                       \
          room, tables_of__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE);
  WORST_FILLED(18basic_stringstream)
  WORST_FILLED(19basic_istringstream)
  WORST_FILLED(19basic_ostringstream)
  ALL_TAKEN_OUT
}

void worst_streams() {
  for (size_t n : lengths()) {
    std::vector<std::string> texts = {std::string(n, '9'), std::string(n, ' ') + "1"};
    if (n < 1000000)
      texts.insert(texts.end(), {std::string(n, '0'), "1." + std::string(n, '9') + "e-300", "0." + std::string(n, '0') + "1",
                                 std::string(n, 'x')});
    for (const std::string &text : texts) {
      worst_reading(text);
      double x;
      float y;
      const char *start = text.data(), *end = start + text.size();
      at__ZSt10from_charsPKcS0_RdSt12chars_format(start, end, x, std::chars_format::general);
      at__ZSt10from_charsPKcS0_RfSt12chars_format(start, end, y, std::chars_format::general);
    }
    worst_writing(n);
  }
  for (double x : {0.0, 0.1, 1.0, 1e22, 1e308, 5e-324, 1.7e-308, 123456.789, 9007199254740993.0}) {
    char room[400];
    at__ZSt8to_charsPcS_d(room, room + 390, x);
    std::ostringstream s, fixed, scientific;
    fixed << std::fixed, scientific << std::scientific;
    for (auto *out : {&s, &fixed, &scientific}) {
      at__ZNSolsEd(*out, x), at__ZNSolsEe(*out, x), at__ZNSolsEf(*out, (float)x);
      at__ZNSo9_M_insertIdEERSoT_(*out, x), at__ZNSo9_M_insertIeEERSoT_(*out, x);
    }
    snprintf(room, sizeof room, "%.40g", x);
    double y;
    at__ZSt10from_charsPKcS0_RdSt12chars_format(room, room + strlen(room), y, std::chars_format::general);
  }
}

// Streams in any state, with any flags, over texts of numbers and words.
#include "draw.h"

static void set_any(std::ios &s) {
  s.flags((std::ios::fmtflags)(one_in(2) ? draw(1 << 17) : std::ios::dec | std::ios::skipws));
  // What flushes each time is charged as a flush.
  s.unsetf(std::ios::unitbuf);
  if (one_in(4)) s.width((long)any_length(5000));
  if (one_in(4)) s.precision((long)any_length(3000));
  if (one_in(4)) s.fill((char)draw(256));
  if (one_in(20)) s.setstate((std::ios::iostate)draw(8));
}

static void drawn_output(Out &out, bool is_text) {
  std::string text(any_length(3000), one_in(8) ? '\n' : 'x');
  long i = (long)(draw(UINT64_MAX) >> draw(64)) * (one_in(2) ? 1 : -1);
  double x = any_double();
  // Room that grows, or is emptied, is paid by the letters that it does so for.
  auto describe = [&] {
    out.clear();
    if (is_text) out.seekp(0);
    else out.flush();
    out.put('x'), set_any(out);
    argue("%ld or %g or %zu letters, flags %x, width %ld, precision %ld", i, x, text.size(), (unsigned)out.flags(), out.width(), out.precision());
  };
#define DRAWN_WRITE(name, type, value) if (one_in(2)) describe(), at_##name(out, value);
#define DRAWN_DECIMAL(name, type, value) describe(), at_##name(out, value);
  OUTPUTS(DRAWN_WRITE)
  if (one_in(2)) {
    DRAWN_DECIMAL(_ZNSolsEd, double, x) DRAWN_DECIMAL(_ZNSolsEf, float, any_float()) DRAWN_DECIMAL(_ZNSolsEe, long double, any_wide())
    DRAWN_DECIMAL(_ZNSo9_M_insertIdEERSoT_, double, x) DRAWN_DECIMAL(_ZNSo9_M_insertIeEERSoT_, long double, any_wide())
  }
  describe(), at__ZNSo5writeEPKcl(out, text.data(), (long)text.size());
  describe(), at__ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(out, text.data(), (long)text.size());
  describe(), at__ZNSo5flushEv(out);
  describe(), at__ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(out);
  describe(), at__ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(out);
  out.clear(), out.flags({}), out.width(0), out.precision(6);
}

static void drawn_writes() {
  std::ofstream file("/dev/null");
  for (Draws draws(2); draws.go_on();) {
    std::ostringstream text(std::string(9000, ' '));
    bool is_text = one_in(2);
    drawn_output(is_text ? text : one_in(2) ? static_cast<Out &>(file) : std::cout, is_text);
  }
}

static std::string any_words() {
  std::string text;
  for (size_t words = 1 + draw(4); words > 0; words--) {
    if (draw(2)) text += any_number();
    else text += std::string(any_length(3000), " ab1.\n"[draw(6)]) + one_of({"", "true", "false", "tru", "-", "0x1"});
    text += one_of({" ", "\n", ",", ""});
  }
  return text;
}

// Of a file as much as its buffer holds.
static void drawn_reads() {
  static char letters[20'000];
  for (Draws draws(2); draws.go_on();) {
    std::string text = any_words(), into;
    size_t n = any_length(5000);
    char end = text.empty() || one_in(2) ? '\n' : text[draw(text.size())];
    std::istringstream words(text);
    std::ifstream file;
    bool is_file = text.size() < 4000 && one_in(16);
    if (is_file) std::ofstream("words.txt") << "_" << text, file.open("words.txt"), file.get();
    In &in = is_file ? static_cast<In &>(file) : words;
#define GO_ON in.clear(), in.seekg(is_file ? 1 : 0), set_any(in), in.peek();
#define DRAWN_READ(name, type) if (one_in(2)) { GO_ON type value{}; at_##name(in, value); }
    argue("%zu letters up to %d, %zu of %.90s", n, end, text.size(), text.c_str());
    INPUTS(DRAWN_READ)
    GO_ON at__ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_(in, into, end);
    GO_ON at__ZNSi4readEPcl(in, letters, (long)n);
    GO_ON at__ZNSi7getlineEPclc(in, letters, (long)n, end);
    GO_ON at__ZNSi7getlineEPcl(in, letters, (long)n);
    GO_ON at__ZNSi6ignoreEl(in, (long)n);
    GO_ON at__ZNSi6ignoreEli(in, (long)n, end);
    GO_ON at__ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_(in);
    GO_ON at__ZNSi3getEv(in), at__ZNSi5ungetEv(in), at__ZNSi3getERc(in, letters[0]), at__ZNSi4peekEv(in), at__ZNSi6ignoreEv(in);
    if (one_in(2)) continue;
    double x;
    float y;
    const char *start = text.data(), *stop = start + text.size();
    auto format = std::initializer_list<std::chars_format>{std::chars_format::general, std::chars_format::hex, std::chars_format::fixed, std::chars_format::scientific}.begin()[draw(4)];
    std::string trimmed = one_in(2) ? any_number() : text;
    start = trimmed.data(), stop = start + trimmed.size();
    argue("%zu of %.100s, format %d", trimmed.size(), start, (int)format);
    at__ZSt10from_charsPKcS0_RdSt12chars_format(start, stop, x, format);
    at__ZSt10from_charsPKcS0_RfSt12chars_format(start, stop, y, format);
  }
}

static void drawn_objects() {
  alignas(16) char room[1024], other[64];
  for (Draws draws; draws.go_on();) {
    std::string text(any_length(20'000), 'x');
    int i = any_int();
    argue("%zu letters", text.size());
    Mode mode = std::initializer_list<Mode>{std::ios::in, std::ios::out, std::ios::in | std::ios::out, std::ios::out | std::ios::app, std::ios::out | std::ios::ate}.begin()[draw(5)];
#define DRAWN_FILLED(kind)                                                                           \
  MADE(_ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE)                                             \
  at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode( \
      room, text, mode),                                                                            \
      at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEED1Ev(room);                                 \
  at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode( \
      room, text, mode),                                                                            \
      at__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEED2Ev(                                       \
          room, tables_of__ZNSt7__cxx11##kind##IcSt11char_traitsIcESaIcEE);
    DRAWN_FILLED(18basic_stringstream) DRAWN_FILLED(19basic_istringstream) DRAWN_FILLED(19basic_ostringstream)
    { ALL_TAKEN_OUT }
    const char *name = one_of({"input.txt", "/dev/null", "none/none", ""});
    argue("%s, mode %d", name, (int)mode);
    // Only files that stand in the way of nothing are written to.
    if (*name == 'i') mode = std::ios::in;
    OPENED(14basic_ifstream, name) OPENED(14basic_ofstream, "/dev/null") OPENED(13basic_fstream, name)
    double x = any_double();
    argue("%a", x);
    at__ZSt8to_charsPcS_d(room, room + draw(400), x);
    std::ostringstream out;
    std::istringstream in(text);
    set_any(out), set_any(in);
    argue("flags %x, %d", (unsigned)out.flags(), i);
    at__ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision(out, i);
    at__ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw(out, i);
    at__ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E(out, (char)i);
    out.width(0);
    at__ZNSolsEPFRSoS_E(out, std::endl), at__ZNSolsEPFRSt8ios_baseS0_E(out, std::hex), at__ZNSirsEPFRSiS_E(in, [](In &same) -> In & { return same; });
    at__ZNSo6sentryC1ERSo(room, out), at__ZNSo6sentryD1Ev(room), at__ZNSi6sentryC1ERSib(room, in, one_in(2));
    at__ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(&in, (int)draw(8));
    number = at__ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv(&in), number = at__ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv(&in);
    number = at__ZNKSt9basic_iosIcSt11char_traitsIcEEntEv(&in);
    at__ZNSt6localeC1Ev(other), at__ZNSt6localeaSERKS_(other, std::locale::classic());
    at__ZNSt6localeD1Ev(other), at__ZNSt6localeC1ERKS_(other, std::locale::classic());
    at__ZNSt8ios_baseC2Ev(room), at__ZNSt8ios_baseD2Ev(room);
    pointer = const_cast<void *>(at__ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(std::locale::classic()));
  }
}

void drawn_streams() { drawn_writes(), drawn_reads(), drawn_objects(); }
#endif
