// The members of std::string that stand in the library.
// Strings are of 10 to 70 letters, so some lie in the string itself; three of four
// have room for what is added.
#include "at.h"
#include <cstdlib>
#include <malloc.h>
#include <string>

using String = std::string;
using Text = const String &;
using Chars = const char *;
#define TEXT(member, type, parameters, arguments)                                          \
  AT(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member, type, parameters, arguments)
#define LOOK(member, parameters, arguments)                                                \
  AT(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member, size_t, parameters, arguments)
#define AT_TEXT(member) at__ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member
#define AT_LOOK(member) at__ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member

TEXT(9_M_createERmm, char *, (void *s, size_t &n, size_t old), (s, n, old))
TEXT(9_M_assignERKS4_, void, (String & s, Text t), (s, t))
TEXT(9_M_appendEPKcm, void *, (String & s, Chars p, size_t n), (s, p, n))
TEXT(9_M_mutateEmmPKcm, void, (String & s, size_t a, size_t b, Chars p, size_t n), (s, a, b, p, n))
TEXT(10_M_replaceEmmPKcm, void *, (String & s, size_t a, size_t b, Chars p, size_t n), (s, a, b, p, n))
TEXT(14_M_replace_auxEmmmc, void *, (String & s, size_t a, size_t b, size_t n, char c), (s, a, b, n, c))
TEXT(8_M_eraseEmm, void, (String & s, size_t a, size_t n), (s, a, n))
TEXT(12_M_constructEmc, void, (void *s, size_t n, char c), (s, n, c))
TEXT(10_M_disposeEv, void, (String & s), (s))
TEXT(6appendEPKc, void *, (String & s, Chars p), (s, p))
TEXT(6appendEPKcm, void *, (String & s, Chars p, size_t n), (s, p, n))
TEXT(6appendERKS4_, void *, (String & s, Text t), (s, t))
TEXT(6appendEmc, void *, (String & s, size_t n, char c), (s, n, c))
TEXT(pLEPKc, void *, (String & s, Chars p), (s, p))
TEXT(pLERKS4_, void *, (String & s, Text t), (s, t))
TEXT(pLEc, void *, (String & s, char c), (s, c))
TEXT(9push_backEc, void, (String & s, char c), (s, c))
TEXT(8pop_backEv, void, (String & s), (s))
TEXT(6assignEPKc, void *, (String & s, Chars p), (s, p))
TEXT(6assignERKS4_, void *, (String & s, Text t), (s, t))
TEXT(aSEPKc, void *, (String & s, Chars p), (s, p))
TEXT(aSERKS4_, void *, (String & s, Text t), (s, t))
TEXT(aSEOS4_, void *, (String & s, String &t), (s, t))
TEXT(C1EPKcRKS3_, void, (void *s, Chars p, const void *a), (s, p, a))
TEXT(C1ERKS4_, void, (void *s, Text t), (s, t))
TEXT(C1ERKS4_mm, void, (void *s, Text t, size_t a, size_t n), (s, t, a, n))
TEXT(C1EOS4_, void, (void *s, String &t), (s, t))
TEXT(D1Ev, void, (void *s), (s))
TEXT(4swapERS4_, void, (String & s, String &t), (s, t))
TEXT(6insertEmPKc, void *, (String & s, size_t a, Chars p), (s, a, p))
TEXT(6insertEmPKcm, void *, (String & s, size_t a, Chars p, size_t n), (s, a, p, n))
TEXT(7replaceEmmmc, void *, (String & s, size_t a, size_t n, size_t m, char c), (s, a, n, m, c))
TEXT(6insertEmRKS4_, void *, (String & s, size_t a, Text t), (s, a, t))
TEXT(6insertEmmc, void *, (String & s, size_t a, size_t n, char c), (s, a, n, c))
TEXT(5eraseEmm, void *, (String & s, size_t a, size_t n), (s, a, n))
TEXT(7replaceEmmPKc, void *, (String & s, size_t a, size_t n, Chars p), (s, a, n, p))
TEXT(7replaceEmmPKcm, void *, (String & s, size_t a, size_t n, Chars p, size_t m), (s, a, n, p, m))
TEXT(7replaceEmmRKS4_, void *, (String & s, size_t a, size_t n, Text t), (s, a, n, t))
TEXT(7reserveEm, void, (String & s, size_t n), (s, n))
TEXT(6resizeEm, void, (String & s, size_t n), (s, n))
TEXT(6resizeEmc, void, (String & s, size_t n, char c), (s, n, c))
TEXT(13shrink_to_fitEv, void, (String & s), (s))
LOOK(7compareERKS4_, (Text s, Text t), (s, t))
LOOK(7compareEPKc, (Text s, Chars p), (s, p))
LOOK(7compareEmmPKc, (Text s, size_t a, size_t n, Chars p), (s, a, n, p))
LOOK(7compareEmmRKS4_, (Text s, size_t a, size_t n, Text t), (s, a, n, t))
LOOK(4findEPKcmm, (Text s, Chars p, size_t a, size_t n), (s, p, a, n))
LOOK(4findEPKcm, (Text s, Chars p, size_t a), (s, p, a))
LOOK(4findERKS4_m, (Text s, Text t, size_t a), (s, t, a))
LOOK(4findEcm, (Text s, char c, size_t a), (s, c, a))
LOOK(5rfindEPKcmm, (Text s, Chars p, size_t a, size_t n), (s, p, a, n))
LOOK(5rfindERKS4_m, (Text s, Text t, size_t a), (s, t, a))
LOOK(5rfindEcm, (Text s, char c, size_t a), (s, c, a))
LOOK(13find_first_ofEPKcmm, (Text s, Chars p, size_t a, size_t n), (s, p, a, n))
LOOK(12find_last_ofEPKcmm, (Text s, Chars p, size_t a, size_t n), (s, p, a, n))
LOOK(17find_first_not_ofEPKcmm, (Text s, Chars p, size_t a, size_t n), (s, p, a, n))
LOOK(16find_last_not_ofEPKcmm, (Text s, Chars p, size_t a, size_t n), (s, p, a, n))
LOOK(4copyEPcmm, (Text s, char *to, size_t n, size_t a), (s, to, n, a))
AT(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm, void *,
   (void *to, Text s, size_t a, size_t n), (to, s, a, n))

void strings() {
  String letter_by_letter, added;
  // Memory that others gave back lies in order.
  free(malloc(100000)), malloc_trim(0);
  for (int i = 0; i < TIMES; i++) {
    String whole(10 + i, 'a'), other(16, 'b'), s = whole;
    whole[i] = 'c';
    size_t room = 20 + i;
    free(AT_TEXT(9_M_createERmm)(nullptr, room, 0));
#define FRESH(call) s = String(whole), s.reserve(i % 4 ? 200 : 0), call;
    FRESH(AT_TEXT(9_M_assignERKS4_)(other, s))
    FRESH(AT_TEXT(9_M_appendEPKcm)(s, "some words", 10))
    FRESH(AT_TEXT(9_M_mutateEmmPKcm)(s, 2, 3, "words", 5))
    FRESH(AT_TEXT(10_M_replaceEmmPKcm)(s, 2, 3, "words", 5))
    FRESH(AT_TEXT(14_M_replace_auxEmmmc)(s, 2, 0, 5, 'x'))
    FRESH(AT_TEXT(8_M_eraseEmm)(s, 2, 5))
    FRESH(AT_TEXT(6appendEPKc)(s, "some words"))
    FRESH(AT_TEXT(6appendEPKcm)(s, "some words", 10))
    FRESH(AT_TEXT(6appendERKS4_)(s, other))
    FRESH(AT_TEXT(6appendEmc)(s, 5, 'x'))
    FRESH(AT_TEXT(pLEPKc)(s, "some words"))
    FRESH(AT_TEXT(pLERKS4_)(s, other))
    AT_TEXT(9push_backEc)(letter_by_letter, 'x'), AT_TEXT(pLEc)(added, 'x');
    FRESH(AT_TEXT(8pop_backEv)(s))
    FRESH(AT_TEXT(6assignEPKc)(s, "some words"))
    FRESH(AT_TEXT(6assignERKS4_)(s, other))
    FRESH(AT_TEXT(aSEPKc)(s, "some words"))
    FRESH(AT_TEXT(aSERKS4_)(s, other))
    FRESH(AT_TEXT(4swapERS4_)(s, other))
    FRESH(AT_TEXT(aSEOS4_)(s, other))
    other = String(16, 'b');
    FRESH(AT_TEXT(6insertEmPKc)(s, 3, "words"))
    FRESH(AT_TEXT(6insertEmPKcm)(s, 3, "words", 5))
    FRESH(AT_TEXT(7replaceEmmmc)(s, 3, 2, 5, 'x'))
    FRESH(AT_TEXT(6insertEmRKS4_)(s, 3, other))
    FRESH(AT_TEXT(6insertEmmc)(s, 3, 2, 'x'))
    FRESH(AT_TEXT(5eraseEmm)(s, 3, 2))
    FRESH(AT_TEXT(7replaceEmmPKc)(s, 3, 2, "words"))
    FRESH(AT_TEXT(7replaceEmmPKcm)(s, 3, 2, "words", 5))
    FRESH(AT_TEXT(7replaceEmmRKS4_)(s, 3, 2, other))
    FRESH(AT_TEXT(7reserveEm)(s, 100))
    FRESH(AT_TEXT(6resizeEm)(s, 40))
    FRESH(AT_TEXT(6resizeEmc)(s, 40, 'x'))
    FRESH((s.reserve(100), AT_TEXT(13shrink_to_fitEv)(s)))
    alignas(String) char made[sizeof(String)];
#define MADE(call) call, AT_TEXT(D1Ev)(made);
    MADE(AT_TEXT(C1EPKcRKS3_)(made, "some words", &room))
    MADE(AT_TEXT(C1ERKS4_)(made, whole))
    MADE(AT_TEXT(C1ERKS4_mm)(made, whole, 2, 30))
    s = whole;
    MADE(AT_TEXT(C1EOS4_)(made, s))
    MADE(AT_LOOK(6substrEmm)(made, whole, 2, 20))
    // _M_construct wants the pointer to the string's own room.
    *reinterpret_cast<char **>(made) = made + 16;
    AT_TEXT(12_M_constructEmc)(made, 5 + i, 'x'), AT_TEXT(10_M_disposeEv)(*reinterpret_cast<String *>(made));
    s = whole, s[i / 2] = 'b';
    char copied[40];
#define SEEN(call) number = call;
    SEEN(AT_LOOK(7compareERKS4_)(s, whole))
    SEEN(AT_LOOK(7compareEPKc)(s, "aaaaaaaaaaaaaaaaab"))
    SEEN(AT_LOOK(7compareEmmPKc)(s, 2, 5, "aaaab"))
    SEEN(AT_LOOK(7compareEmmRKS4_)(s, 2, 5, other))
    SEEN(AT_LOOK(4findEPKcmm)(whole, "cab", 0, 2))
    SEEN(AT_LOOK(4findEPKcm)(whole, "ca", 0))
    SEEN(AT_LOOK(4findERKS4_m)(whole, other, 0))
    SEEN(AT_LOOK(4findEcm)(whole, 'c', 0))
    SEEN(AT_LOOK(5rfindEPKcmm)(whole, "ca", String::npos, 2))
    SEEN(AT_LOOK(5rfindERKS4_m)(whole, other, String::npos))
    SEEN(AT_LOOK(5rfindEcm)(whole, 'c', String::npos))
    SEEN(AT_LOOK(13find_first_ofEPKcmm)(whole, "cde", 0, 3))
    SEEN(AT_LOOK(12find_last_ofEPKcmm)(whole, "cde", String::npos, 3))
    SEEN(AT_LOOK(17find_first_not_ofEPKcmm)(whole, "ab", 0, 2))
    SEEN(AT_LOOK(16find_last_not_ofEPKcmm)(whole, "ab", String::npos, 2))
    SEEN(AT_LOOK(4copyEPcmm)(whole, copied, 30, 2))
  }
}

#ifdef WORST
// Strings of every length, without room for more and with it, changed at their start, middle and end.
void worst_strings() {
  for (size_t n : lengths())
    for (size_t room : {n, 3 * n + 40}) {
      const String whole(n, 'a'), other(n / 2 + 1, 'b');
      String s;
      const char *p = other.c_str();
#define FRESH_WORST(call) s = String(), s.reserve(room), s = whole, call;
      for (size_t a : {size_t(0), n / 2, n}) {
        FRESH_WORST(AT_TEXT(10_M_replaceEmmPKcm)(s, a, n - a, p, other.size()))
        FRESH_WORST(AT_TEXT(10_M_replaceEmmPKcm)(s, a, 0, "words", 5))
        FRESH_WORST(AT_TEXT(14_M_replace_auxEmmmc)(s, a, 0, n, 'x'))
        FRESH_WORST(AT_TEXT(9_M_mutateEmmPKcm)(s, a, 0, "words", 5))
        FRESH_WORST(AT_TEXT(8_M_eraseEmm)(s, a, a < n))
        FRESH_WORST(AT_TEXT(6insertEmPKc)(s, a, "words"))
        FRESH_WORST(AT_TEXT(6insertEmPKc)(s, a, p))
        FRESH_WORST(AT_TEXT(6insertEmPKcm)(s, a, p, other.size()))
        FRESH_WORST(AT_TEXT(7replaceEmmmc)(s, a, 1, n, 'x'))
        FRESH_WORST(AT_TEXT(6insertEmRKS4_)(s, a, other))
        FRESH_WORST(AT_TEXT(6insertEmmc)(s, a, 1, 'x'))
        FRESH_WORST(AT_TEXT(6insertEmmc)(s, a, n, 'x'))
        FRESH_WORST(AT_TEXT(5eraseEmm)(s, a, 1))
        FRESH_WORST(AT_TEXT(7replaceEmmPKc)(s, a, 1, p))
        FRESH_WORST(AT_TEXT(7replaceEmmPKcm)(s, a, 0, "words", 5))
        FRESH_WORST(AT_TEXT(7replaceEmmRKS4_)(s, a, n, other))
      }
      FRESH_WORST(AT_TEXT(6appendEPKc)(s, p))
      FRESH_WORST(AT_TEXT(6appendEPKcm)(s, p, other.size()))
      FRESH_WORST(AT_TEXT(9_M_appendEPKcm)(s, "x", 1))
      FRESH_WORST(AT_TEXT(9_M_appendEPKcm)(s, p, other.size()))
      FRESH_WORST(AT_TEXT(6appendERKS4_)(s, other))
      FRESH_WORST(AT_TEXT(6appendEmc)(s, n, 'x'))
      FRESH_WORST(AT_TEXT(pLEPKc)(s, p))
      FRESH_WORST(AT_TEXT(pLERKS4_)(s, other))
      FRESH_WORST(AT_TEXT(9push_backEc)(s, 'x'))
      FRESH_WORST(AT_TEXT(pLEc)(s, 'x'))
      FRESH_WORST(AT_TEXT(8pop_backEv)(s))
      FRESH_WORST(AT_TEXT(6resizeEm)(s, 2 * n))
      FRESH_WORST(AT_TEXT(6resizeEm)(s, n / 2))
      FRESH_WORST(AT_TEXT(6resizeEmc)(s, 2 * n, 'x'))
      FRESH_WORST(AT_TEXT(7reserveEm)(s, 2 * n + 9))
      FRESH_WORST(AT_TEXT(13shrink_to_fitEv)(s))
      s = String(), AT_TEXT(9_M_assignERKS4_)(s, whole), AT_TEXT(9_M_assignERKS4_)(s, whole);
      s = String(), AT_TEXT(6assignERKS4_)(s, whole), s = String(), AT_TEXT(aSERKS4_)(s, whole);
      s = String(), AT_TEXT(6assignEPKc)(s, whole.c_str()), s = String(), AT_TEXT(aSEPKc)(s, whole.c_str());
      String taken = whole;
      AT_TEXT(4swapERS4_)(s, taken), AT_TEXT(aSEOS4_)(s, taken);
      alignas(String) char made[sizeof(String)];
      MADE(AT_TEXT(C1EPKcRKS3_)(made, p, &room))
      MADE(AT_TEXT(C1ERKS4_)(made, whole))
      MADE(AT_TEXT(C1ERKS4_mm)(made, whole, n / 2, n))
      MADE(AT_TEXT(C1EOS4_)(made, s))
      MADE(AT_LOOK(6substrEmm)(made, whole, 0, n))
      *reinterpret_cast<char **>(made) = made + 16;
      AT_TEXT(12_M_constructEmc)(made, n, 'x'), AT_TEXT(10_M_disposeEv)(*reinterpret_cast<String *>(made));
      size_t wanted = n;
      free(AT_TEXT(9_M_createERmm)(nullptr, wanted, n));
      String copied(n + 1, 0);
      SEEN(AT_LOOK(4copyEPcmm)(whole, &copied[0], n, 0))
    }
}

// Strings of any length with any room, changed anywhere, by texts of their own and of others.
#include "draw.h"

#define DRAWN(call) s = String(), s.reserve(room), s = whole, call;
static void drawn_changes() {
  for (Draws draws; draws.go_on();) {
    const String whole(any_length(50'000), 'a'), other(any_length(5000), 'b');
    size_t size = whole.size(), room = one_in(2) ? size : size + any_length(6000);
    size_t a = one_in(4) ? size : draw(size + 1), n = one_in(4) ? size - a : draw(size - a + 1), m = any_length(5000);
    const char *p = other.c_str();
    size_t given = other.size();
    String s;
    argue("%zu letters, room for %zu, %zu at %zu by %zu of %zu", size, room, n, a, m, given);
    DRAWN(AT_TEXT(10_M_replaceEmmPKcm)(s, a, n, p, given))
    // Its own letters.
    DRAWN(AT_TEXT(10_M_replaceEmmPKcm)(s, a, n, s.data() + size / 2, size - size / 2))
    DRAWN(AT_TEXT(14_M_replace_auxEmmmc)(s, a, n, m, 'x'))
    DRAWN(AT_TEXT(9_M_mutateEmmPKcm)(s, a, n, p, given))
    DRAWN(AT_TEXT(8_M_eraseEmm)(s, a, n))
    DRAWN(AT_TEXT(6insertEmPKc)(s, a, p))
    DRAWN(AT_TEXT(6insertEmPKcm)(s, a, p, given))
    DRAWN(AT_TEXT(6insertEmPKcm)(s, a, s.data(), size))
    DRAWN(AT_TEXT(7replaceEmmmc)(s, a, n, m, 'x'))
    DRAWN(AT_TEXT(6insertEmRKS4_)(s, a, other))
    DRAWN(AT_TEXT(6insertEmmc)(s, a, m, 'x'))
    DRAWN(AT_TEXT(5eraseEmm)(s, a, n))
    DRAWN(AT_TEXT(7replaceEmmPKc)(s, a, n, p))
    DRAWN(AT_TEXT(7replaceEmmPKcm)(s, a, n, p, given))
    DRAWN(AT_TEXT(7replaceEmmRKS4_)(s, a, n, other))
    DRAWN(AT_TEXT(6appendEPKc)(s, p))
    DRAWN(AT_TEXT(6appendEPKcm)(s, p, given))
    DRAWN(AT_TEXT(9_M_appendEPKcm)(s, p, given))
    DRAWN(AT_TEXT(6appendERKS4_)(s, other))
    DRAWN(AT_TEXT(6appendEmc)(s, m, 'x'))
    DRAWN(AT_TEXT(pLEPKc)(s, p))
    DRAWN(AT_TEXT(pLERKS4_)(s, other))
    DRAWN(AT_TEXT(9push_backEc)(s, 'x'))
    DRAWN(AT_TEXT(pLEc)(s, 'x'))
    if (size) { DRAWN(AT_TEXT(8pop_backEv)(s)) }
    DRAWN(AT_TEXT(6resizeEm)(s, m))
    DRAWN(AT_TEXT(6resizeEmc)(s, m, 'x'))
    DRAWN(AT_TEXT(7reserveEm)(s, m))
    DRAWN(AT_TEXT(13shrink_to_fitEv)(s))
    DRAWN(AT_TEXT(9_M_assignERKS4_)(s, other))
    DRAWN(AT_TEXT(6assignERKS4_)(s, other))
    DRAWN(AT_TEXT(aSERKS4_)(s, other))
    DRAWN(AT_TEXT(6assignEPKc)(s, p))
    DRAWN(AT_TEXT(aSEPKc)(s, p))
  }
}

static void drawn_looks() {
  for (Draws draws; draws.go_on();) {
    const String whole(any_length(50'000), 'a'), other(any_length(5000), 'b');
    size_t size = whole.size(), room = one_in(2) ? size : size + any_length(6000);
    size_t a = draw(size + 1), n = one_in(4) ? String::npos : any_length(6000);
    argue("%zu letters, room for %zu, %zu at %zu", size, room, n, a);
    String s, taken = other, moved = whole;
    moved.reserve(room);
    DRAWN(AT_TEXT(4swapERS4_)(s, taken))
    DRAWN(AT_TEXT(aSEOS4_)(s, taken))
    alignas(String) char made[sizeof(String)];
    MADE(AT_TEXT(C1EPKcRKS3_)(made, whole.c_str(), &room))
    MADE(AT_TEXT(C1ERKS4_)(made, whole))
    MADE(AT_TEXT(C1ERKS4_mm)(made, whole, a, n))
    MADE(AT_TEXT(C1EOS4_)(made, moved))
    MADE(AT_LOOK(6substrEmm)(made, whole, a, n))
    *reinterpret_cast<char **>(made) = made + 16;
    AT_TEXT(12_M_constructEmc)(made, size, 'x'), AT_TEXT(10_M_disposeEv)(*reinterpret_cast<String *>(made));
    size_t wanted = any_length(100'000);
    free(AT_TEXT(9_M_createERmm)(nullptr, wanted, one_in(2) ? size : 0));
    String copied(size + 1, 0);
    SEEN(AT_LOOK(4copyEPcmm)(whole, &copied[0], n, a))
  }
}

void drawn_strings() { drawn_changes(), drawn_looks(); }
#endif
